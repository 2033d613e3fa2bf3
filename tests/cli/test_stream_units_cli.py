"""``littlestone stream --unit``: what it prints and refuses, and what its rules say of cells."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from running import entries, run

from littlestone.privacy.ledger import Ledger

PEOPLE = 1500
ROWS = [
    (f"p{t % PEOPLE}", *((f"d{t % 2}", 1) if t % 11 == 0 else (f"x{t}", 0))) for t in range(4000)
]
SCHEMA = """
target = "bad"
positive = "1"
unit = "person"
max_records = 2
[columns.person]
type = "text"
[columns.id]
type = "text"
[columns.bad]
type = "integer"
"""


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    lines = "".join(f"{person},{x},{y}\n" for person, x, y in ROWS)
    Path("table.csv").write_text(f"person,id,bad\n{lines}")
    Path("schema.toml").write_text(SCHEMA)
    return tmp_path


def stream(*more: object, table: str = "table.csv", **changed: object) -> list[str]:
    options = {"class": "subsets(id; at most 2)", "horizon": 4000, "epsilon": 4, "delta": "1e-6"}
    options |= {"target": "bad", "positive": "1", "seed": 1}
    changed = {name.rstrip("_"): value for name, value in changed.items()}
    given = [part for name, v in (options | changed).items() if v is not None
             for part in (f"--{name}", str(v))]  # fmt: skip
    return ["stream", table, *given, *map(str, more)]


UNIT = ("--unit", "person", "--max-records", 2)


def lines(text: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in text.splitlines()]


def rules(text: str) -> list[tuple[int, str]]:
    return [(line["step"], line["rule"]) for line in lines(text) if "rule" in line]


def test_the_first_records_of_each_person_count() -> None:
    """A stream in which the others are of no information publishes the same, at the same steps."""
    done = run(*stream(*UNIT))
    seen, blank = dict[str, int](), []
    for person, x, y in ROWS:
        seen[person] = seen.get(person, 0) + 1
        blank.append(f"{person},{x},{y}\n" if seen[person] <= 2 else f"{person},,0\n")
    Path("other.csv").write_text(f"person,id,bad\n{''.join(blank)}")
    other = run(*stream(table="other.csv", epsilon=2, delta="1.1920292202211756e-7"))
    assert rules(done.out) == rules(other.out) != []
    header, *_ = lines(done.out)
    assert header["unit"] == {"column": "person", "max records": 2}
    assert (header["epsilon"], header["neighboring"]) == ("4", "replace-one-unit: person")
    assert header["method"].endswith("; mistakes are those on records that count")
    with Ledger("littlestone.ledger") as book:
        costs = [str(entry.cost) for entry in book.entries()]
    assert costs[0] == "epsilon 4, delta 0.000001 (replace-one-unit: person)"


def test_the_unit_of_a_schema_is_taken(monkeypatch: pytest.MonkeyPatch) -> None:
    by_option = run(*stream(*UNIT))
    by_schema = run(*stream("--schema", "schema.toml", dataset="other", target=None, positive=None))
    assert by_schema.status == 0
    assert rules(by_option.out) == rules(by_schema.out)
    monkeypatch.setattr("littlestone.cli.stream.to_people", lambda: True)
    told = run(*stream("--schema", "schema.toml", dataset="third", target=None, positive=None)).out
    assert "each person with all its records; at most 2 records of each count" in told


def test_a_run_of_units_goes_on_with_the_same_unit_alone() -> None:
    first = run(*stream(*UNIT, state="run.state"))
    again = run(*stream(*UNIT, state="run.state", seed=2))
    assert rules(again.out)[-1] == rules(first.out)[-1]
    for other in ((), ("--unit", "person", "--max-records", 1)):
        refused = run(*stream(*other, state="run.state"))
        assert refused.status == 2
        assert "another unit" in " ".join(refused.err.split())
    assert entries(Path("littlestone.ledger")) == [1]


@pytest.mark.parametrize(
    ("more", "words"),
    [
        (("--unit", "person"), "how many records of each are used"),
        (("--max-records", 2), "no column says whose record it is"),
        (("--unit", "bad", "--max-records", 2), "holds the label"),
        (("--unit", "nobody", "--max-records", 2), "'nobody'"),
        ((*UNIT, "--offset", "person"), "the unit"),
        ((*UNIT, "--delta", "1e-80"), "smaller --max-records"),
    ],
)
def test_what_is_refused(more: tuple[object, ...], words: str) -> None:
    done = run(*stream(*more))
    assert done.status == 2
    assert words in " ".join(done.err.split())
    assert entries(Path("littlestone.ledger")) == []


def test_a_sheet_is_named_as_the_refusal_says() -> None:
    openpyxl = pytest.importorskip("openpyxl")
    book = openpyxl.Workbook()
    sheet = book.create_sheet("doors")
    for row in (("person", "id", "bad"), *ROWS[:50]):
        sheet.append(row)
    book.save("book.xlsx")
    refused = run(*stream(table="book.xlsx"))
    assert "--table SHEET" in " ".join(refused.err.split())
    assert run(*stream("--table", "doors", table="book.xlsx")).status == 0
    assert "without --table" in run(*stream("--table", "doors", dataset="q")).err.replace("\n", " ")


def test_a_rule_says_how_cells_are_written() -> None:
    """So it may be applied to a table that is written alike."""
    form = SCHEMA.replace(
        '[columns.id]\ntype = "text"', '[columns.x]\nrange = [0, 9]\ndecimal = ","'
    )
    Path("schema.toml").write_text(f'separator = ";"\n{form}')
    written = "".join(f"p{t};{t % 10},0;{int(t % 10 >= 5)}\n" for t in range(3000))
    Path("table.csv").write_text(f"person;x;bad\n{written}")
    declared: dict[str, Any] = {
        "target": None,
        "positive": None,
        "class_": "thresholds(x)",
        "epsilon": 8,
    }
    done = run(*stream("--schema", "schema.toml", **declared))
    last = lines(done.out)[-1]
    assert last["rule"] == "x >= 5"
    assert last["reading"] == {"separator": ";", "columns": {"x": {"decimal": ","}}}
    Path("lines.json").write_text(done.out)
    Path("other.csv").write_text("y;x\na;4,0\nb;5,0\nc;6.0\n")
    assert run("predict", "lines.json", "other.csv").out.split() == ["prediction", "0", "1", "0"]
    Path("lines.json").write_text(done.out.partition("\n")[0])
    refused = run("predict", "lines.json", "other.csv")
    assert (refused.status, refused.out) == (2, "")
    assert "a line is missing" in " ".join(refused.err.split())
