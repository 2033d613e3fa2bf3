"""`littlestone check`: what a declaration reads of a table, and the line that helps."""

from __future__ import annotations

import json
import random
import re
import shlex
import signal
from pathlib import Path
from typing import Any

import polars
import pytest
import running
from typer.testing import CliRunner

import littlestone
from littlestone.base.errors import BudgetExceededError, DeclarationError, LittlestoneError
from littlestone.cli import app
from littlestone.data.forms import Reading
from littlestone.data.table import SPANNING
from littlestone.learn.declared.check import check_private
from littlestone.learn.declared.schema import Schema
from littlestone.privacy.ledger import Ledger

SCHEMA = """
target = "Wiederkehr"
positive = "{positive}"
[columns.Alter]
range = [0, 120]
step = 5
[columns.Kosten]
range = [0, 5000]
step = 100
[columns.Wiederkehr]
values = ["Ja", "ja", "J", "Nein", "nein", "N"]
"""


def german_export(path: Path, n: int = 600, *, encoding: str = "utf-8") -> int:
    """Write a German export, whose label is yes from 65 years on; return its lines."""
    rng, yes, no = random.Random(7), ("Ja", "ja", "J"), ("Nein", "nein", "N")
    more = [f"Spalte{i}" for i in range(35)]
    rows = [";".join(("Alter", "Kosten", "Aufnahmedatum", "Bemerkung", "Wiederkehr", *more))]
    for _ in range(n):
        age, cost = rng.randrange(18, 95), rng.randrange(10, 4999)
        euros = f"{cost // 1000}.{cost % 1000:03d}" if cost > 999 else str(cost)
        shown = f"{euros},00 €"
        note = '"Befund\nfolgt; später"' if rng.random() < 0.25 else "ohne"
        date = f"{rng.randrange(1, 29):02d}.{rng.randrange(1, 13):02d}.2021"
        label = rng.choice(yes if age >= 65 else no)
        rows.append(";".join((str(age), shown, date, note, label, *(["x"] * 35))))
    text = "\n".join(rows) + "\n"
    path.write_bytes(text.encode(encoding))
    return text.count("\n") - 1


def run(*arguments: str) -> tuple[int, str]:
    result = CliRunner().invoke(app, list(arguments), prog_name="littlestone")
    assert result.exception is None or isinstance(result.exception, SystemExit), result.exception
    return result.exit_code, result.output


def test_a_german_export_from_the_first_check_to_the_rule(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    lines = german_export(Path("export.csv"))
    Path("schema.toml").write_text(SCHEMA.format(positive="Ja"))
    asked = ["export.csv", "--schema", "schema.toml", "--class", "conditions(*; at most 1)"]
    # All that would help is said at once, and the cells are those of whole records.
    status, out = run("check", *asked)
    assert status == 1
    assert "LOOKS WRONG: ';' gives more columns" in out
    assert f"{lines:,}; 600 if quoted values may hold line breaks" in out
    assert "600 of 600 cells read" in out
    assert "600 NOT READ: a number with a unit" in out
    advice = out[out.index("advice") :].splitlines()
    assert len(advice) == 4
    assert "give --separator ';', or write it in the schema" in advice[0]
    assert "write in the schema multiline = true" in advice[1]
    assert "'in {Ja, ja, JA}', or in the schema positive = [" in advice[2]
    assert advice[3].endswith(
        'column Kosten: write under [columns.Kosten] unit = "kg" (or what stands beside them) and '
        'decimal = "," and thousands = "."'
    )

    # A fit with the separator alone reads too many records, and says nothing of it.
    fit = ["fit", *asked, "--separator", ";", "--epsilon", "1", "--json", "--seed", "1"]
    status, out = run(*fit)
    assert status == 0
    assert json.loads(out[out.index("{") :])["n"] == lines > 600

    schema = SCHEMA.format(positive="in {Ja, ja, J}")
    euros = 'decimal = ","\nthousands = "."\nunit = "€"\n'
    raw = 'separator = ";"\nmultiline = true\n'
    Path("schema.toml").write_text(raw + schema.replace("[columns.W", f"{euros}[columns.W"))
    status, out = run("check", *asked)
    assert (status, "none: all is read" in out) == (0, True)
    status, out = run("fit", *asked, "--epsilon", "5", "--json", "--seed", "1")
    assert status == 0
    found = json.loads(out[out.index("{") :])
    assert (found["n"], found["record"]) == (600, SPANNING)
    assert found["rule"].endswith("Alter >= 65")


def test_spellings_of_the_positive_label(tmp_path: Path) -> None:
    german_export(tmp_path / "e.csv")
    status, out = run(
        "check", str(tmp_path / "e.csv"), "--separator", ";", "--multiline",
        "--target", "Wiederkehr", "--positive", "Ja",
    )  # fmt: skip
    assert status == 1
    assert "of NO DECLARED KIND: a listed value, spelled otherwise" in out
    assert "in {Ja, ja, JA}" in out
    assert out.rstrip().endswith("ignore_case = true if only the case differs")
    odd = tmp_path / "odd.csv"
    odd.write_text("y\nbösartig\nBösartig\nböSartig\n", encoding="utf-8")
    asked = ("check", str(odd), "--target", "y", "--positive")
    usual = "in {bösartig, Bösartig, BÖSARTIG}"
    assert usual in run(*asked, "bösartig")[1]
    status, out = run(*asked, usual)  # the advice was followed, and there are others
    assert (status, "list every" in out) == (1, False)
    assert "write under [columns.y] ignore_case = true if only" in out


def test_it_counts_the_positive_labels(tmp_path: Path) -> None:
    table, schema = tmp_path / "t.csv", tmp_path / "s.toml"
    table.write_text("age,back\n70,yes\n71,no\n72,no\n73,\n")
    schema.write_text('[columns.age]\nrange = [0, 99]\n[columns.back]\nvalues = ["no", "yes"]\n')
    asked = ["check", str(table), "--target", "back", "--positive"]
    missing = "; 1 are missing and count as the default; in all, "
    _, out = run(*asked, "yes", "--schema", str(schema))
    assert f"label back == yes  3 show a declared value{missing}1 are positive\n" in out
    _, out = run(*asked, "!= yes", "--class", "lookup(age; at most 2)")
    other = "2 show another value and count as positive"
    assert f"label back != yes  1 show a declared value; {other}{missing}2 are positive\n" in out
    _, out = run(*asked, "> 3", "--class", "lookup(age; at most 2)", "--json")
    assert '"positive": 0' in out


def test_spaces_around_a_label_count_and_can_be_declared(tmp_path: Path) -> None:
    table, schema = tmp_path / "t.csv", tmp_path / "s.toml"
    table.write_text("age,back\n70,YES \n71,YES\n72,Yes\n73, yes\n74,no\n")
    asked = ["check", str(table), "--class", "lookup(age; at most 2)", "--target", "back"]
    _, out = run(*asked, "--positive", 'in {Yes, "YES "}')
    assert "2 show a declared value; 1 show another" in out
    assert "1 of NO DECLARED KIND: a listed value, with other spaces" in out
    # The advice is followed: --positive 'in {Yes, "YES ", yes, YES}', " Yes" and "Yes ".
    assert "'in {Yes, \"YES \", yes, YES}'" in out
    assert "spaces count, so list every spelling" in out
    status, out = run(*asked, "--positive", 'in {Yes, "YES ", YES, " yes"}')
    assert (status, "4 show a declared value; 1 show another" in out) == (0, True)
    schema.write_text(
        'target = "back"\npositive = ["Yes", "YES ", "YES", " yes"]\n[columns.age]\n'
        'type = "integer"\n[columns.back]\n'
    )
    assert run("check", str(table), "--schema", str(schema))[0] == 0
    # Labels are the texts that are declared: a space makes another one.
    _, out = run(*asked, "--labels", "no,yes,YES,Yes")
    assert "3 show a declared value; 2 of NO DECLARED KIND: a listed value, with other" in out


def test_check_says_the_line_that_learns_or_what_fit_would_ask_for(tmp_path: Path) -> None:
    table, schema = str(tmp_path / "my visits.csv"), tmp_path / "s.toml"
    Path(table).write_text("age,ward,back\n70,A,yes\n31,B,no\n")
    asked = ["check", table, "--schema", str(schema)]

    def checked(columns: str, *more: str) -> tuple[int, str]:
        schema.write_text(f'target = "back"\npositive = "yes"\n{columns}[columns.back]\n')
        return run(*asked, *more)

    typed = '[columns.age]\nrange = [0, 120]\n[columns.ward]\ntype = "text"\n'
    status, out = checked("[columns.age]\n[columns.ward]\n")
    lacking = "no range and no values for age, ward: add a line to each such column"
    assert (status, lacking in out, "next:" in out) == (1, True, False)
    with pytest.raises(DeclarationError, match="gives no range and no values for 'age'"):
        littlestone.fit(table, schema=schema, epsilon=1, ledger=Ledger())
    status, out = checked('[columns.age]\ntype = "date"\n[columns.ward]\ntype = "text"\n')
    assert "the schema gives no range for age: range = [2021-01-01, 2021-12-31]; or delete" in out
    # Each line can be copied as it stands; a text without a list needs a delta.
    for columns, delta in ((typed, ["--delta", "1e-6"]), (typed.replace("ward", "age2"), [])):
        if "age2" in columns:
            columns = columns.partition("[columns.age2]")[0]
        status, out = checked(columns)
        line = out.splitlines()[-1]
        named = [table, "--schema", str(schema), "--epsilon", "1", *delta, "--out", "rule.json"]
        assert (status, line) == (0, f"next: {shlex.join(['littlestone', 'fit', *named])}")
        assert json.loads(checked(columns, "--json")[1])["next"] == ["littlestone", "fit", *named]
        assert run(*shlex.split(line)[2:-2], "--dry-run")[0] == 0
    bare = ["check", table, "--target", "back", "--positive", "yes"]
    assert (
        run(*bare)[1]
        .splitlines()[-1]
        .startswith("fit cannot learn yet: class or schema is missing")
    )
    declared = "conditions(age: 0..120 step 5; at most 1)"
    line = run(*bare, "--class", declared)[1].splitlines()[-1]
    assert run(*shlex.split(line)[2:-2], "--dry-run")[0] == 0
    # A folder gives the ledger no name, so the line has one: that of the folder, or the one given.
    (tmp_path / "stays").mkdir()
    Path(table).rename(tmp_path / "stays" / "a.csv")
    bare[1] = str(tmp_path / "stays")
    for named, name in (([], "stays"), (["--dataset", "beds"], "beds")):
        line = run(*bare, "--class", declared, *named)[1].splitlines()[-1]
        assert f" --dataset {name} " in line
        assert run(*shlex.split(line)[2:-2], "--dry-run")[0] == 0


def test_kinds_of_labels_that_are_not_declared(tmp_path: Path) -> None:
    german_export(tmp_path / "e.csv")
    schema = 'separator = ";"\nmultiline = true\ntarget = "Wiederkehr"\npositive = "Ja"\n'
    column = "[columns.Wiederkehr]\nignore_case = true\n"
    (tmp_path / "s.toml").write_text(schema + column)
    asked = ["check", str(tmp_path / "e.csv"), "--schema", str(tmp_path / "s.toml")]
    status, out = run(*asked)
    assert status == 1  # "J" is neither Ja nor ja
    assert "show another value, of 3 kinds, and count as not positive" in out
    assert "none: all is read" not in out
    assert "its other labels are of 3 kinds" in out
    (tmp_path / "s.toml").write_text(
        schema.replace('"Ja"', '["Ja", "J"]') + column + 'values = ["Ja", "J", "Nein", "N"]\n'
    )
    status, out = run(*asked)
    assert (status, "none: all is read" in out) == (0, True)
    data = json.loads(run(*asked, "--json")[1])
    assert (data["advice"], data["label_kinds"]) == ([], {})


def test_cells_of_dates_are_told_in_words_of_dates(tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_text("d,y\n01.03.2021,1\n2021-03-01,0\n7,0\nsoon,0\n")
    (tmp_path / "s.toml").write_text('[columns.d]\ntype = "date"\n[columns.y]\n')
    status, out = run(
        "check", str(tmp_path / "t.csv"), "--schema", str(tmp_path / "s.toml"),
        "--target", "y", "--positive", "1",
    )  # fmt: skip
    assert status == 1
    assert "1 of 4 cells read; 2 NOT READ: no day; 1 NOT READ: a day, written otherwise" in out
    assert 'column d: say how its days are written, such as format = "%d.%m.%Y"' in out
    assert "number" not in out


def test_another_separator_that_gives_no_such_columns(tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_text("a;b;c\n1;2;3\n")
    status, out = run("check", str(tmp_path / "t.csv"), "--target", "y", "--positive", "1")
    assert status == 1
    assert "give --separator ';'" in out


def test_words_where_numbers_are_declared(tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_text("private,y\nJa,1\nNein,0\n")
    (tmp_path / "s.toml").write_text('[columns.private]\ntype = "boolean"\n[columns.y]\n')
    status, out = run(
        "check", str(tmp_path / "t.csv"), "--schema", str(tmp_path / "s.toml"),
        "--target", "y", "--positive", "1",
    )  # fmt: skip
    assert status == 1
    assert 'column private: if it holds words, list them: values = ["yes", "no"]' in out


def test_a_column_of_numbers_is_not_taken_for_words_because_of_one_cell(tmp_path: Path) -> None:
    table = tmp_path / "t.csv"
    table.write_text("mass,y\n3750,1\nNA,0\n")
    found = littlestone.check(table, "y", positive=1, hypotheses="thresholds(mass, 0..9000)")
    (advice,) = found.advice
    assert 'if they mean missing, say so in the schema with their texts: missing = ["NA"' in advice


def test_lines_that_are_not_utf8(tmp_path: Path) -> None:
    german_export(tmp_path / "e.csv", encoding="cp1252")
    status, out = run(
        "check", str(tmp_path / "e.csv"), "--separator", ";", "--multiline",
        "--target", "Wiederkehr", "--positive", "in {Ja, ja, J}", "--json",
    )  # fmt: skip
    found = json.loads(out)
    assert (status, found["NOT PRIVATE"]) == (1, True)
    assert found["lines_undecoded"] > 600
    assert 'encoding = "latin-1"' in found["advice"][0]


SECRETS = ["zwiebel", "12,5 Z", "31.12.1999", "Befund€", "\x1b[31m"]


def test_no_value_is_shown(tmp_path: Path) -> None:
    table = tmp_path / "t.csv"
    polars.DataFrame({"a": SECRETS, "b": SECRETS, "y": SECRETS}).write_csv(table)
    found = littlestone.check(
        table, "y", positive="> 3", hypotheses="conditions(a: 0..9, b in {p, q}; at most 1)"
    )
    shown = str(found) + json.dumps(found.to_json(), ensure_ascii=False) + repr(found)
    assert not found.ok
    assert not [secret for secret in SECRETS if secret in shown]
    assert found.columns[0].faults == {
        "no number": 3,
        "a number with a unit": 1,
        "a date": 1,
    }
    assert found.columns[1].unread == found.labels.unread == 5


def test_a_column_without_values_is_a_fault(tmp_path: Path) -> None:
    table = tmp_path / "t.csv"
    table.write_text("a,y\n,1\n,0\n")
    found = littlestone.check(table, "y", positive=1, hypotheses="thresholds(a, 0..9)")
    assert found.advice == ("column a: it has no values; leave it out of the class",)


def test_a_quote_that_stays_open_is_no_line_break(tmp_path: Path) -> None:
    rows = "".join(f"{i},1\n" for i in range(20))
    (tmp_path / "t.csv").write_text(f'a,y\n{rows}"5,0\n{rows}')
    found = littlestone.check(
        tmp_path / "t.csv", "y", positive=1, hypotheses="thresholds(a, 0..20)"
    )
    assert found.n == 41
    assert "close the quotes that stay open" in found.advice[-1]
    assert not any("multiline" in line for line in found.advice)


def test_multiline_is_a_key_of_the_schema(tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_text('a,y\n1,"x\ny"\n')
    schema = "multiline = true\n[columns.a]\n[columns.y]\n"
    found = littlestone.check(tmp_path / "t.csv", "y", positive="x", schema=Schema.parse(schema))
    assert found.n == 1
    with pytest.raises(DeclarationError, match="neither True nor False"):
        Schema.parse("multiline = 1\n[columns.a]\n")
    kept = Reading(";", multiline=True)
    assert Reading.from_json(kept.to_json()) == kept != Reading(";")


def test_nothing_declared() -> None:
    with pytest.raises(DeclarationError, match="nothing is declared"):
        littlestone.check(polars.DataFrame({"a": [1]}))


def test_an_interrupt_after_the_spend_waits_for_private_counts(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
        pytest.skip("the tests run with this signal ignored, as `nohup` does")
    monkeypatch.chdir(tmp_path)
    Path("a.csv").write_text("age,ill\n1,yes\n")
    spend = Ledger.spend

    def interrupted(*given: Any, **named: Any) -> Any:
        receipt = spend(*given, **named)
        signal.raise_signal(signal.SIGINT)
        return receipt

    monkeypatch.setattr(Ledger, "spend", interrupted)
    asked = ["a.csv", "--target", "ill", "--positive", "yes", "--class", "thresholds(age, 0..9)"]
    ran = running.run("check", *asked, "--epsilon", "3")
    assert ran.status == 130
    assert "labels" in ran.out
    assert "Total so far: epsilon 3" in ran.out
    assert "the release was paid for, and is complete" in ran.err


def test_private_counts_are_paid_for_and_show_no_exact_count(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    german_export(Path("e.csv"))
    Path("schema.toml").write_text(SCHEMA.format(positive="Ja"))
    asked = ["e.csv", "--schema", "schema.toml", "--separator", ";", "--multiline"]
    status, out = run("check", *asked, "--epsilon", "3")
    assert status == 0
    assert re.search(r"column Kosten  not read: about (0\.9|1\.0)", out)  # all 600, and noise
    assert "NOT PRIVATE" not in out
    assert "new ledger. Total so far: epsilon 3. No limit set.\n" in out
    with littlestone.Ledger("littlestone.ledger") as ledger:
        assert [str(entry.cost.epsilon) for entry in ledger.entries()] == ["3"]
    # Whatever the records are, the same columns are shown and the same is spent.
    Path("e.csv").write_text(Path("e.csv").read_text().replace(",00 €", "").replace("ja", "Ja"))
    _, other = run("check", *asked, "--epsilon", "3")
    assert "epsilon 6, delta 0 (replace-one) spent, no limit set (littlestone.ledger)\n" in other
    assert [line.split("  ")[1] for line in other.splitlines()[1:]] == [
        line.split("  ")[1] for line in out.splitlines()[1:]
    ]


def test_private_counts_that_the_budget_refuses_draw_nothing() -> None:
    table = polars.DataFrame({"s": ["F", "x"], "y": ["Ja", "ja"]})
    ledger = littlestone.Ledger()
    ledger.set_limit("d", littlestone.Budget(1))
    rng = random.Random(1)
    state = rng.getstate()
    with pytest.raises(BudgetExceededError):
        check_private(
            table, "y", positive="Ja", hypotheses="conditions(s in {F, M}; at most 1)",
            epsilon=2, ledger=ledger, dataset="d", rng=rng,
        )  # fmt: skip
    assert rng.getstate() == state


def test_the_ledger_is_another_file_than_the_table(tmp_path: Path) -> None:
    german_export(tmp_path / "e.csv")
    before = (tmp_path / "e.csv").read_bytes()
    asked = ["--target", "Wiederkehr", "--positive", "Ja", "--separator", ";", "--epsilon", "1"]
    result = CliRunner().invoke(
        app, ["check", str(tmp_path / "e.csv"), *asked, "--ledger", str(tmp_path / "e.csv")]
    )
    assert isinstance(result.exception, LittlestoneError)
    assert "same file" in str(result.exception)
    assert (tmp_path / "e.csv").read_bytes() == before
