"""What a terminal of 80 columns shows: lines that fit, whole numbers and times, and help that flows."""

from __future__ import annotations

import inspect
import json
import re
from fractions import Fraction
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from rich.cells import cell_len
from running import fit_arguments, run
from typer import (
    Context,
    rich_utils,  # noqa: F401 (it reads the environment when it is imported, and not as patched below)
)
from typer.main import get_command

from littlestone.cli import app
from littlestone.cli.console import lay_out
from littlestone.privacy.ledger import Ledger
from littlestone.privacy.mechanisms.exponential import ExponentialMechanism

LATE = "minutes_of_delay_at_the_gate"
WARD = "ward_of_the_first_admission"
RANGE = f"{LATE}: 0..1000000000000 step 1000000000"
CLASS = f"conditions({RANGE}, {WARD} in {{ICU, ER}}; at most 2)"
ROWS = [f"{k * 10**10},{'ICU' if k % 3 else 'ER'},{int(k > 40)}" for k in range(90)]
VISITS = "\n".join([f"{LATE},{WARD},back", *ROWS, ""])
FIT = fit_arguments("visits.csv", target="back", class_=CLASS, epsilon="0.693147180559945")
DOORS = "id,bad\n" + "".join(f"d{t % 2},1\n" if t % 11 == 0 else f"x{t},0\n" for t in range(4000))
STREAM = ["stream", "doors.csv", "--class", "subsets(id; at most 2)", "--target", "bad"]
STREAM += [
    "--positive",
    "1",
    "--horizon",
    "4000",
    "--epsilon",
    "1",
    "--delta",
    "1e-6",
    "--seed",
    "1",
]
MANY = "\n".join(
    ["," + ",".join(f"a_point_with_a_long_name_{x}" for x in range(6))]
    + [f"hypothesis_number_{h}," + ",".join(str(h >> x & 1) for x in range(6)) for h in range(40)]
)

COMMANDS = [
    [*FIT, "--seed", "1", "--explain", "--estimate", "0.1234567"],
    [*FIT, "--dry-run"],
    ["subgroup", "visits.csv", "--target", "back", "--positive", "1", "--above", "0.1234",
     "--epsilon", "1", "--class", CLASS, "--seed", "1"],
    ["classes"],
    ["plan", f"thresholds({LATE}, 1..1000000)", "--epsilon", "1", "--delta", "1e-6",
     "--n", "123456789"],
    ["dim", "thresholds(x, 1..1000000000000000000)"],
    ["dim", "many.csv"],
    ["theory", "dims", "many.csv"],
    ["theory", "tree", "many.csv"],
    ["theory", "tree", f"thresholds({LATE}, 1..1000000000)"],
    ["theory", "decompose", f"points({LATE})"],
    ["theory", "play", "many.csv"],
    ["theory", "certify", "many.csv", "proof.json"],
    ["verify", "L5 Example"],
    ["audit", "--list"],
    ["audit", "sparse-vector", "--epsilon", "1.2345678", "--trials", "0"],
    ["ledger", "show", "--ledger", "old.ledger"],
    ["ledger", "history", "--ledger", "old.ledger"],
]  # fmt: skip


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    Path("visits.csv").write_text(VISITS)
    Path("doors.csv").write_text(DOORS)
    Path("many.csv").write_text(MANY)
    return tmp_path


def on_terminal(*arguments: object) -> list[str]:
    """The lines that a terminal of 80 columns gets."""
    with pytest.MonkeyPatch.context() as patch:
        for name, value in {"FORCE_COLOR": "1", "COLUMNS": "80", "TERM": "xterm"}.items():
            patch.setenv(name, value)
        ran = run(*arguments)
    assert ran.status == 0, ran.err
    return re.sub(r"\x1b\[[0-9;]*m", "", ran.out).splitlines()


def whole(text: str) -> list[str]:
    """The numbers, times and other words with digits, as far as a line holds them."""
    return sorted(word for word in text.split() if re.search(r"\d", word) and len(word) <= 70)


@pytest.mark.parametrize("arguments", COMMANDS, ids=lambda a: " ".join(a)[:30])
def test_every_table_fits_80_columns_and_splits_no_number(arguments: list[str]) -> None:
    if "old.ledger" in arguments:
        with Ledger("old.ledger", create=True) as ledger:
            for epsilon in ("1/3", "0.6931471805599453", "1"):
                event = ExponentialMechanism(Fraction(epsilon))
                for name in ("visits", "all visits of 2026, in the copy of the second of March"):
                    ledger.spend(event, dataset=name, what=f"learn back == 1 from {CLASS}")
    if "proof.json" in arguments:
        assert run("dim", "many.csv", "--certificate", "proof.json").status == 0
    piped = run(*arguments).out
    Path("littlestone.ledger").unlink(missing_ok=True)
    lines = on_terminal(*arguments)
    assert max(map(cell_len, lines)) <= 80
    assert whole("\n".join(lines)) == whole(piped)


def test_a_stream_is_for_people_on_a_terminal_and_for_programs_in_a_pipe(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    piped = run(*STREAM, "--ledger", "a").out
    assert [*map(json.loads, piped.splitlines())][1]["rule"] == "always 0"
    monkeypatch.setattr("littlestone.cli.stream.to_people", lambda: True)
    assert run(*STREAM, "--ledger", "b", "--json").out == piped
    lines = on_terminal(*STREAM, "--ledger", "c")
    assert max(map(cell_len, lines)) <= 80
    assert [line.split(None, 1) for line in lines[-4:-1]] == [
        ["0", "always 0"],
        ["503", "id is 'd1'"],
        ["705", "id is one of 'd0', 'd1'"],
    ]
    assert lines[-1] == "2 changes of the rule; 4,000 of at most 4,000 records are taken"
    assert "mistake" not in "".join(lines[-5:])
    *_, wrong, _ = on_terminal(*STREAM, "--ledger", "d", "--evaluate")
    assert re.fullmatch(r"\d+ mistakes on 4,000 records: NOT PRIVATE", wrong)


WIDE = [
    ["1", "2026-01-01T09:30:00", "0.6931471805599453", "x" * 30, "a b " * 30],
    ["200,000,000", "2026-01-01T09:30:00", "1", "漢" * 20, "c"],
]


@pytest.mark.parametrize("width", [20, 30, 40, 60, 80, 100])
def test_a_table_keeps_words_whole_at_any_width(width: int) -> None:
    lines = lay_out(WIDE, width=width, headings=["entry", "at", "epsilon", "name", "what"])
    assert max(map(cell_len, lines)) <= width
    for row in WIDE:
        for cell in row:
            for word in cell.split():
                if cell_len(word) <= width - 4:
                    assert any(word in line for line in lines)


def test_a_pipe_has_a_line_for_each_row() -> None:
    lines = lay_out(WIDE, headings=["entry", "at", "epsilon", "name", "what"])
    assert len(lines) == 3
    assert lines[1].endswith("a b")


def commands() -> list[tuple[str, ...]]:
    group: Any = get_command(app)
    context = Context(group)
    found: list[tuple[str, ...]] = [()]
    for name in group.list_commands(context):
        command = group.get_command(context, name)
        found += [(name,), *((name, inner) for inner in getattr(command, "commands", ()))]
    return found


def documented(words: tuple[str, ...]) -> str:
    """The docstring of a command, or the text of a group."""
    group: Any = get_command(app)
    for word in words:
        group = group.get_command(Context(group), word)
    made = getattr(group, "callback", None)
    return inspect.cleandoc((made and made.__doc__) or group.help)


@pytest.mark.parametrize("words", commands(), ids=" ".join)
def test_help_flows(words: tuple[str, ...]) -> None:
    """Its paragraphs are those of the docstring, and no line ends before its width does."""
    lines = [line.removeprefix(" ").rstrip() for line in on_terminal(*words, "--help")]
    assert max(map(cell_len, lines)) <= 80
    prose = lines[2 + next(i for i, line in enumerate(lines) if line.startswith("Usage:")) :]
    prose = prose[
        : next(i for i, line in enumerate(prose) if line.startswith(("─", "╭", "Options:")))
    ]
    paragraphs = [part.strip("\n") for part in re.split(r"\n\n+", "\n".join(prose)) if part.strip()]
    for paragraph in paragraphs:
        lines = paragraph.split("\n")
        for line, after in pairwise(lines):
            assert len(line) + 1 + len(after.split()[0]) > 78, line
    assert [" ".join(p.split()) for p in paragraphs] == [
        " ".join(p.split()) for p in documented(words).split("\n\n")
    ]


def test_trees_and_budgets_are_json_for_programs() -> None:
    drawn = json.loads(run("theory", "tree", "thresholds(x, 1..1)", "--json").out)
    assert drawn == {
        "tree": {"text": "1", "after": {"0": {"text": "always 0"}, "1": {"text": "always 1"}}}
    }
    made = json.loads(run("ledger", "limit", "visits", "--epsilon", "3", "--json").out)
    limit = {"epsilon": "3", "delta": "0"}
    known = {"epsilon": "0", "delta": "0", "limit": limit}
    assert made == {"names": ["visits"], **known, "ledger made": True}
    joined = json.loads(run("ledger", "alias", "visits.csv", "visits", "--json").out)
    assert joined == {"names": [str(Path("visits.csv").absolute()), "visits"], **known}


WRONG = [
    (["audit"], "nothing says which mechanism"),
    (["audit", "sparse-vectr"], "did you mean 'sparse-vector'?"),
    (["audit", "sparse-vector"], "which epsilon it claims"),
    (["ledger", "show", "visit", "--ledger", "old.ledger"], "did you mean 'visits'?"),
    (["theory", "play", "points(id)", "--adversary", "tre"], "did you mean 'tree'?"),
    ([*FIT, "--setting", "agnostik"], "did you mean 'agnostic'?"),
    ([*FIT, "--method", "exponental"], "did you mean 'exponential'?"),
    (["fit", "--targte", "x"], "--target"),
    (["ftt"], "Did you mean 'fit'?"),
    (["ledger", "shw"], "Did you mean 'show'?"),
    (["dim", "treshold(x, 1..9)"], "did you mean 'thresholds'?"),
    (["export", "old.ledger", "--to", "card"], "it is a ledger or another SQLite database"),
    (["export", "run.state", "--to", "card"], "it is the state of a stream"),
    (["report", "old.ledger", "--out", "page.txt"], "give a file that ends in .html"),
    (
        ["theory", "play", "thresholds(x, 1..1000000)", "--out", "page.html"],
        "it has 1,000,001 hypotheses on 1",
    ),
]


@pytest.mark.parametrize(("arguments", "words"), WRONG, ids=lambda a: " ".join(a)[:30])
def test_what_is_misspelled_or_misplaced_is_told_with_status_2(
    arguments: list[str], words: str
) -> None:
    Path("run.state").write_text("littlestone run 3\n")
    with Ledger("old.ledger", create=True) as ledger:
        ledger.spend(ExponentialMechanism(Fraction(1)), dataset="visits", what="a look")
    ran = run(*arguments)
    assert (ran.status, ran.out) == (2, "")
    assert words in " ".join(ran.err.replace("│", " ").split())
