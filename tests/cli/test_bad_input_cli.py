"""What people type wrongly: refused with the culprit's name, before anything is spent or written."""

from __future__ import annotations

import os
import stat
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from pyarrow import parquet
from running import CLASS, TABLE, Ran, entries, fit_arguments, run, run_process

from each import each
from littlestone.learn import ExponentialLearner
from littlestone.privacy.cost import PrivacyCost, exact_epsilon
from littlestone.privacy.ledger import Ledger
from littlestone.privacy.samplers.selection import Levels


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with a good table and some bad ones, to work in."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("LITTLESTONE_DEBUG", raising=False)
    Path("good.csv").write_text(TABLE)
    Path("header.csv").write_text("delay,carrier,late\n")
    Path("nothing.csv").write_text("")
    Path("twice.csv").write_text("delay,late,delay\n1,1,1\n")
    Path("blank.csv").write_text("delay,carrier,late\nnan,A,1\n,B,0\nsecret,A,1\n")
    Path("unlabelled.csv").write_text("delay,carrier,late\n1,A,\n2,B,\n")
    Path("text.parquet").write_text("no Parquet")
    Path("not a ledger").write_text("secret\n" * 1000)
    Path("made.json").mkdir()
    blank = pa.table({"delay": pa.nulls(3), "carrier": list("abc"), "late": [1, 0, 1]})
    parquet.write_table(blank, "null.parquet")
    parquet.write_table(blank.rename_columns(["late", "carrier", "delay"]), "null target.parquet")
    nested = pa.table({"delay": [[1], [2]], "late": [1, 0]})
    parquet.write_table(nested, "nested.parquet")
    return tmp_path


@dataclass(frozen=True)
class Case:
    """A `fit` that is refused: what is changed in a legal one, and words that name the culprit."""

    name: str
    words: tuple[str, ...]
    table: str = "good.csv"
    changes: dict[str, Any] = field(default_factory=dict)


def case(name: str, *words: str, table: str = "good.csv", **changes: Any) -> Case:
    return Case(name, words, table, changes)


CASES = [
    case("missing file", "absent.csv", "no such file", table="absent.csv"),
    case("folder as file", "--dataset visits", table="made.json"),
    case("empty folder", "made.json", "no CSV", table="made.json", dataset="visits"),
    case("no Parquet", "text.parquet", table="text.parquet"),
    case("no header", "nothing.csv", "header", table="nothing.csv"),
    case("no rows", "header.csv", "no rows", table="header.csv"),
    case("doubled feature", "'delay'", "2 of its 3 columns", table="twice.csv"),
    case("null feature", "'delay'", "null", table="null.parquet"),
    case("null target", "'late'", "null", table="null target.parquet"),
    case("nested feature", "'delay'", "List", table="nested.parquet"),
    case(
        "no feature column",
        "'Delay'",
        "exactly as its header does",
        class_="thresholds(Delay, 0..9)",
    ),
    case("no target column", "'lateness'", "none of its 3 columns", target="lateness"),
    case("empty target", "''", target=""),
    case("unknown class", "treshold", "thresholds", class_="treshold(delay, 0..9)"),
    case("no parentheses", "'delay > 3'", class_="delay > 3"),
    case("open parenthesis", "'thresholds(delay, 0..9'", class_="thresholds(delay, 0..9"),
    case("empty class", "''", class_=""),
    case("no arguments", "thresholds()", class_="thresholds()"),
    case("unknown option", "'steps 3'", class_="thresholds(delay, 0..9; steps 3)"),
    case("reversed range", "9..0", "0..9", class_="thresholds(delay, 9..0)"),
    case("odd range", "'0-9'", class_="thresholds(delay, 0-9)"),
    case("endless range", "infinite", class_="thresholds(delay, 0..)"),
    case("worded range", "'a..b'", class_="thresholds(delay, a..b)"),
    case("infinite range", "'0..inf'", class_="thresholds(delay, 0..inf)"),
    case("huge range", "2^64", class_="thresholds(delay, 0..1e30)"),
    case("uneven range", "0..1.5", "step", class_="thresholds(delay, 0..1.5)"),
    case("step 0", "0", "positive", class_="thresholds(delay, 0..9; step 0)"),
    case("step -1", "-1", "positive", class_="thresholds(delay, 0..9; step -1)"),
    case("worded step", "'x'", class_="thresholds(delay, 0..9; step x)"),
    case("reals", "infinite", "reals", class_="thresholds(delay, reals)"),
    case("infinite class", "points(carrier)", "with delta = 0", "1e-6", class_="points(carrier)"),
    case("no class file", "none.csv", class_="finite(carrier, none.csv)"),
    case("blank feature", "'delay'", "blank.csv", table="blank.csv", evaluate=True),
    case("blank target", "'late'", "unlabelled.csv", table="unlabelled.csv", evaluate=True),
    *[case(f"epsilon {e}", "epsilon", e, epsilon=e) for e in ("0", "-1", "nan", "inf", "abc", "")],
    case("epsilon 0.0", "epsilon = 0", epsilon="0.000"),
    case("epsilon 1e9999", "epsilon", "1e9999", epsilon="1e9999"),
    *[case(f"delta {d}", "delta", d, delta=d) for d in ("-0.1", "1", "nan", "x", "", "2")],
    case("ledger in no folder", "none", ledger="none/budget.ledger"),
    case("ledger is a folder", "made.json", ledger="made.json"),
    case("ledger is a text", "not a ledger", ledger="not a ledger"),
    case("ledger is the table", "good.csv", ledger="good.csv"),
    case("out in no folder", "none/model.json", out="none/model.json"),
    case("out is a folder", "made.json", out="made.json"),
    case("out is a device", "/dev/null", out="/dev/null"),
    case("out is the table", "good.csv", "destroy", out="good.csv"),
    case("out is the ledger", "littlestone.ledger", "destroy", out="./littlestone.ledger"),
    case("no positive", "'late'", "''", positive=""),
    case("spaces as positive", "'late'", positive="  "),
    case("order of words", "'late'", "> x", positive="> x"),
    case("half an order", "'late'", ">=", positive=">="),
    case("assignment", "'late'", "=1", positive="=1"),
    case("empty dataset", "''", dataset=""),
    case("dataset of two lines", "name of a data set", dataset="a\nb"),
]


def check_refused(ran: Ran, words: tuple[str, ...], status: int = 2) -> None:
    lines = ran.err.splitlines()
    assert ran.status == status
    assert ran.out == ""
    assert lines[0].startswith("error: cannot ")
    assert any(line.startswith("to fix it: ") for line in lines)
    assert "Traceback" not in ran.err
    assert "internal error" not in ran.err
    assert "secret" not in ran.err
    for word in words:
        assert word in ran.err


def files(folder: Path) -> dict[str, bytes]:
    """All files but ledgers, with what they hold: so that a stray temporary file is seen too."""
    found = (path for path in folder.rglob("*") if path.is_file() and path.suffix != ".ledger")
    return {str(path.relative_to(folder)): path.read_bytes() for path in found}


def refuse(folder: Path, case: Case, runner: Callable[..., Ran]) -> None:
    before = files(folder)
    options = {"out": "model.json", **case.changes}
    check_refused(runner(*fit_arguments(case.table, **options)), case.words)
    assert files(folder) == before
    assert entries(folder / "littlestone.ledger") == []


@each("case", CASES, ids=lambda case: case.name)
def test_a_wrong_fit_is_refused_before_anything_is_spent(folder: Path, case: Case) -> None:
    refuse(folder, case, run)


@pytest.mark.deep
@pytest.mark.parametrize("case", CASES[:44:11], ids=lambda case: case.name)
def test_a_wrong_fit_in_a_process_of_its_own(folder: Path, case: Case) -> None:
    refuse(folder, case, lambda *arguments: run_process(*arguments, cwd=folder))


@pytest.mark.parametrize("case", CASES[::6], ids=lambda case: case.name)
def test_a_wrong_fit_leaves_an_old_model_and_ledger_alone(folder: Path, case: Case) -> None:
    Path("model.json").write_text("an older model")
    assert run(*fit_arguments("good.csv")).status == 0
    ledger = folder / "littlestone.ledger"
    run(*fit_arguments(case.table, **{"out": "model.json", **case.changes}))
    assert Path("model.json").read_text() == "an older model"
    assert entries(ledger) == [1]


def test_the_legal_fit_that_the_cases_change_is_legal(folder: Path) -> None:
    ran = run(*fit_arguments("good.csv", out="model.json"))
    assert (ran.status, ran.err) == (0, "")
    assert entries(folder / "littlestone.ledger") == [1]
    assert Path("model.json").exists()


@pytest.mark.parametrize("table", ["blank.csv", "unlabelled.csv"])
def test_a_column_without_values_is_no_error_in_a_private_fit(folder: Path, table: str) -> None:
    """An exception is an output: here it would tell that no record has a readable value."""
    ran = run(*fit_arguments(table, out="model.json"))
    assert (ran.status, ran.err) == (0, "")


def test_too_few_records_are_said(folder: Path) -> None:
    """From their number, the class and epsilon alone: no record here has a readable value or label."""
    for table, n in (("blank.csv", 3), ("unlabelled.csv", 2)):
        hint = run(*fit_arguments(table, out=f"{n}.json")).hint
        assert hint.startswith(f"n = {n} is too few: below about 7 records, a rule of this class")
    assert run(*fit_arguments("good.csv", out="good.json")).hint == ""


def test_without_a_file_it_is_said_that_no_model_is_kept(folder: Path) -> None:
    """On standard error, before the spend; what --json prints is a model."""
    told = "without --out no model is kept: what is printed is all that you get\n"
    asked = fit_arguments("good.csv")
    assert [run(*asked, *more).hint for more in ((), ("--dry-run",))] == [told, told]
    for more in (("--json",), ("--dry-run", "--json"), ("--out", "one.json")):
        assert told not in run(*asked, *more).hint


def test_a_limit_that_would_be_passed(folder: Path) -> None:
    assert run("ledger", "limit", "good.csv", "--epsilon", "1.5").status == 0
    assert run(*fit_arguments("good.csv")).status == 0
    ran = run(*fit_arguments("good.csv", out="model.json", epsilon="0.6"))
    check_refused(ran, ("good.csv", "epsilon 1.6", "epsilon 1.5"), status=1)
    assert entries(folder / "littlestone.ledger") == [1]
    assert not Path("model.json").exists()
    assert run(*fit_arguments("good.csv", epsilon="0.5")).status == 0


@pytest.mark.parametrize("name", ["good.csv", "./good.csv", "link.csv"])
def test_a_limit_binds_a_table_under_all_its_names(folder: Path, name: str) -> None:
    Path("link.csv").symlink_to("good.csv")
    assert run("ledger", "limit", name, "--epsilon", "0.5").status == 0
    absolute = folder / "good.csv"
    for arguments in (
        fit_arguments("good.csv"),
        fit_arguments(absolute),
        fit_arguments("link.csv"),
        fit_arguments("blank.csv", dataset=name),
    ):
        check_refused(run(*arguments), ("good.csv", "the limit is epsilon 0.5"), status=1)
    assert entries(folder / "littlestone.ledger") == []


def test_dev_null_stays_a_device(folder: Path) -> None:
    run(*fit_arguments("good.csv", out="/dev/null"))
    assert stat.S_ISCHR(os.stat("/dev/null").st_mode)


@pytest.mark.skipif(os.geteuid() == 0, reason="nothing is write-protected for root")
def test_places_that_are_write_protected(folder: Path) -> None:
    Path("made.json").chmod(0o500)
    Path("kept.json").write_text('{"format": "littlestone model 1"}')
    Path("kept.json").chmod(0o400)
    for out in ("made.json/model.json", "kept.json"):
        check_refused(run(*fit_arguments("good.csv", out=out)), (out,))
    assert entries(folder / "littlestone.ledger") == []


def test_an_output_through_a_link_keeps_the_link(folder: Path) -> None:
    Path("there.json").write_text('{"format": "littlestone model 1"}')
    Path("link.json").symlink_to("there.json")
    assert run(*fit_arguments("good.csv", out="link.json", replace=True)).status == 0
    assert Path("link.json").is_symlink()
    assert "littlestone model" in Path("there.json").read_text()


def test_a_disk_that_fills_up_after_the_draw(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(_: int) -> None:
        raise OSError(28, "No space left on device")

    before = files(folder)
    monkeypatch.setattr(os, "fsync", full)
    ran = run(*fit_arguments("good.csv", out="model.json"))
    assert ran.status == 1
    assert "No space left on device; its budget is spent" in ran.err
    assert files(folder) == before
    # The draw was made, so it stays paid for; and no disk keeps its release, so all of it is shown.
    assert entries(folder / "littlestone.ledger") == [1]
    assert "late == 1  <=>  " in ran.out
    assert '"format": "littlestone model 1"' in ran.err


@pytest.mark.parametrize("missing", ["target", "positive", "class", "epsilon"])
def test_nothing_is_private_by_default(folder: Path, missing: str) -> None:
    ran = run(*fit_arguments("good.csv", **{missing: None}))
    assert ran.status == 2
    assert f"--{missing}" in ran.err
    assert ran.out == ""
    assert not Path("littlestone.ledger").exists()


SECRET = "the record of Alice"


class BrokenError(Exception):
    pass


def _break(*_: object, **__: object) -> object:
    raise BrokenError(SECRET)


@pytest.mark.parametrize(
    "place",
    [
        "littlestone.learn.declared.declaration.read_sample",
        "littlestone.data.opening.open_table",
        "littlestone.learn.exponential.ExponentialLearner.fit",
        "littlestone.privacy.samplers.selection.draw_item",
        "littlestone.learn.results.release.Release.to_json",
        "littlestone.cli.fit.guarantee_rows",
    ],
)
def test_an_internal_error_shows_neither_its_text_nor_a_trace(
    folder: Path, monkeypatch: pytest.MonkeyPatch, place: str
) -> None:
    monkeypatch.setattr(place, _break)
    ran = run(*fit_arguments("good.csv", evaluate=True, out="model.json"))
    assert ran.status == 70
    assert ran.out == ""
    assert ran.err.startswith("internal error: BrokenError")
    assert "to fix it: " in ran.err
    assert SECRET not in ran.err
    assert "Traceback" not in ran.err


def test_an_internal_error_with_causes_and_records_in_its_arguments(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def chained(self: object, *_: object, **__: object) -> Levels:
        try:
            raise KeyError(SECRET)
        except KeyError as error:
            raise ValueError(SECRET, [SECRET]) from error

    monkeypatch.setattr(ExponentialLearner, "draw", chained)
    ran = run(*fit_arguments("good.csv"))
    assert ran.status == 70
    assert SECRET not in ran.out + ran.err


def test_a_failing_draw_stays_paid_for(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("littlestone.privacy.samplers.selection.draw_item", _break)
    assert run(*fit_arguments("good.csv", out="model.json")).status == 70
    assert entries(folder / "littlestone.ledger") == [1]
    assert not Path("model.json").exists()


def test_a_trace_is_shown_only_on_request(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("littlestone.learn.declared.declaration.read_sample", _break)
    monkeypatch.setenv("LITTLESTONE_DEBUG", "1")
    with pytest.raises(BrokenError):
        run(*fit_arguments("good.csv"))


def test_the_limit_of_another_ledger_does_not_bind(folder: Path) -> None:
    with Ledger("one.ledger") as ledger:
        ledger.set_limit("visits", PrivacyCost(exact_epsilon("0.1")))
    tight = fit_arguments("good.csv", dataset="visits", ledger="one.ledger")
    check_refused(run(*tight), ("'visits'", "0.1"), status=1)
    assert run(*fit_arguments("good.csv", dataset="visits", ledger="two.ledger")).status == 0
    assert entries(folder / "one.ledger") == []


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("ledger", "limit", "d", "--epsilon", "-1"), ("-1",)),
        (("ledger", "limit", "d", "--epsilon", "much"), ("'much'",)),
        (("ledger", "limit", "d", "--epsilon", "1", "--delta", "1"), ("delta = 1",)),
        (("ledger", "limit", "", "--epsilon", "1"), ("''",)),
        (
            ("ledger", "show", "--ledger", "none.ledger"),
            ("none.ledger", "no ledger here yet", "ledger limit"),
        ),
        (("ledger", "show", "--ledger", "good.csv"), ("good.csv",)),
        (("ledger", "show", "--ledger", "made.json"), ("made.json",)),
        (("dim", "absent.csv"), ("absent.csv", "no such file")),
        (("dim", "made.json"), ("made.json",)),
        (("dim", "what(x)"), ("'what'", "thresholds")),
        (("theory", "play", CLASS, "--learner", "winnow"), ("'winnow'", "halving")),
        (("theory", "play", CLASS, "--adversary", "absent.csv"), ("absent.csv",)),
        (("theory", "play", "thresholds(x, reals)"), ("infinite",)),
        (("theory", "play", "points(x)", "--learner", "halving"), ("infinite",)),
        (("predict", "absent.json", "good.csv"), ("absent.json",)),
        (("predict", "good.csv", "good.csv"), ("good.csv",)),
    ],
)
def test_other_commands_refuse_with_the_culprits_name(
    folder: Path, arguments: tuple[str, ...], words: tuple[str, ...]
) -> None:
    before = files(folder)
    check_refused(run(*arguments), words)
    assert files(folder) == before
