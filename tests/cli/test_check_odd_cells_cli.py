"""What `check` and `predict` say of odd cells, and that their advice works when it is followed."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from typer.testing import CliRunner

import littlestone
from each import each
from littlestone.base.errors import DeclarationError, LittlestoneError, TableError
from littlestone.cli import app
from littlestone.data.coding import CodedColumn
from littlestone.data.forms import CellForm, Reading
from littlestone.data.frames import FrameTable
from littlestone.learn.declared.checking import UnreadCells
from littlestone.learn.declared.schema import Schema
from littlestone.points import Cells, Grid


def run(*arguments: str) -> tuple[int, str]:
    result = CliRunner().invoke(app, list(arguments), prog_name="littlestone")
    assert result.exception is None or isinstance(result.exception, SystemExit), result.exception
    return result.exit_code, result.output


@each(
    ("cells", "fault", "keys", "values"),
    [
        ("134.230;1,255.1", "commas between thousands", ". ,", "134.23 1255.1"),
        ("1.2;1,255,000", "commas between thousands", ". ,", "1.2 1255000"),
        ("1.200,5;4,52", "a decimal comma", ", .", "1200.5 4.52"),
        ("4,52;-7,1;8", "a decimal comma", ",", "4.52 -7.1 8"),
        ("1 000;12", "spaces between thousands", ".  ", "1000 12"),
        ("1'000;12", "apostrophes between thousands", ". '", "1000 12"),
        ("1.234.567", "points between thousands", ", .", "1234567"),
        ("12 mg/l;1.5mg/l", "a number with a unit", "mg/l", "12 1.5"),
        ("7 µg/dl", "a number with a unit", "µg/dl", "7"),
        ("1,234", "a comma, decimal or between thousands", ",", "1.234"),
    ],
)
def test_advice_about_numbers_reads_them_when_it_is_followed(
    tmp_path: Path, cells: str, fault: str, keys: str, values: str
) -> None:
    lines = "".join(f'"{cell}",1\n' for cell in cells.split(";"))
    (tmp_path / "t.csv").write_text(f"a,y\n{lines}")
    column = "[columns.a]\nrange = [0, 2000000]\nsteps = 20\n"

    def check(more: list[str]) -> Any:
        schema = column + "\n".join(more) + "\n[columns.y]\n"
        return littlestone.check(tmp_path / "t.csv", "y", positive=1, schema=schema)

    decimal, thousands = keys[:1], keys[2:]
    written = [f'decimal = "{decimal}"'] + [f'thousands = "{thousands}"'] * (thousands != "")
    if "unit" in fault:
        written = ['unit = "kg" (or what stands beside them)']
    found = check([])
    assert found.columns[0].faults.keys() == {fault}
    assert f"write under [columns.a] {' and '.join(written)}" in found.advice[0]
    assert (" or else " in found.advice[0]) is ("decimal or" in fault)
    written = [f'unit = "{keys}"'] if "unit" in fault else written
    read = Schema.parse(column + "\n".join(written)).columns[0].written
    assert [str(read(cell)) for cell in cells.split(";")] == values.split()
    assert check(written).ok


@each(
    ("cells", "asked"),
    [
        ("4.523;950;12.000", True),
        ("-1.234;1.234.567", True),
        ("4.523;0.950", False),  # nothing between thousands begins with 0
        ("4.523;4.5", False),
        ("4.523;1234.567", False),
        ("950;12", False),
    ],
)
def test_points_that_may_stand_between_thousands_are_asked_about(
    tmp_path: Path, cells: str, asked: bool
) -> None:
    (tmp_path / "t.csv").write_text("a,y\n" + "".join(f"{cell},1\n" for cell in cells.split(";")))

    def advice(*more: str) -> tuple[str, ...]:
        column = "\n".join(["[columns.a]\nrange = [0, 2000000]\nsteps = 20", *more])
        schema = f"{column}\n[columns.y]\n"
        return tuple(littlestone.check(tmp_path / "t.csv", "y", positive=1, schema=schema).advice)

    seem = [words for words in advice() if "if it stands between thousands" in words]
    assert bool(seem) is (asked and ".567" not in cells)
    if seem:  # each of the two answers ends the question
        assert advice('decimal = "."') == advice('decimal = ","', 'thousands = "."') == ()


@each(
    "declared",
    [
        "conditions(age: 0..120 step 5, cost: 1..1000 in 3 log steps, "
        "day: 2021-01-01..2021-12-01 step 1 month; at most 1)",
        "thresholds(age, 0..120)",
    ],
)
def test_cells_outside_the_range_of_a_class_are_counted(tmp_path: Path, declared: str) -> None:
    table = tmp_path / "t.csv"
    table.write_text(
        "age,cost,day,y\n121,0.5,2020-12-31,1\n-5,1001,2021-12-01,0\n500,7,2022-01-01,0\n120,1,,0\n"
    )
    found = littlestone.check(table, "y", positive=1, hypotheses=declared)
    outside = [counts.cells.get("outside the range", 0) for counts in found.columns]
    assert outside == [3, 2, 2][: len(found.columns)]
    assert found.ok


@each(("cells", "asked"), [("99 -1 5 999", True), ("99 120 11 5", False), ("-2 5 5 5", False)])
def test_codes_for_missing_values_outside_a_range_are_asked_about(
    tmp_path: Path, cells: str, asked: bool
) -> None:
    table = tmp_path / "t.csv"
    table.write_text("pain,y\n" + "".join(f"{cell},1\n" for cell in cells.split()))
    schema = "[columns.pain]\nrange = [0, 10]\n{}\n[columns.y]\n"
    found = littlestone.check(table, "y", positive=1, schema=schema.format(""))
    assert (not found.ok) == any("write under [columns.pain] missing =" in a for a in found.advice)
    assert found.ok is not asked
    assert "3 outside the range" in str(found) or not asked
    told = schema.format('missing = ["99", "-1", "999"]')
    assert littlestone.check(table, "y", positive=1, schema=told).ok  # followed, it says no more


def test_the_unit_needs_no_list_of_values(tmp_path: Path) -> None:
    table = tmp_path / "t.csv"
    table.write_text("id,ward,y\np1,ICU,1\np2,ER,0\n")
    schema = 'target = "y"\npositive = 1\nunit = "id"\nmax_records = 1\n'
    schema += '[columns.id]\ntype = "text"\n[columns.ward]\ntype = "text"\n[columns.y]\n'
    rows = dict(littlestone.check(table, schema=schema).rows())
    assert "declare the values of ward:" in rows["with --risk"]


def test_predict_says_on_stderr_how_many_cells_it_does_not_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    rows = [f"{a},{w},{int(a >= 65 and w == 'A')}" for a in range(40, 90) for w in "AB"] * 9
    Path("t.csv").write_text("\n".join(["age,ward,y", *rows]) + "\n")
    asked = ["--target", "y", "--positive", "1", "--epsilon", "9", "--seed", "1", "--out", "m.json"]
    run(
        "fit",
        "t.csv",
        *asked,
        "--class",
        "conditions(age: 0..120 step 5, ward in {A, B}; at most 2)",
    )
    Path("new.csv").write_text('age,ward\n"70,5",A\n70 y,a\nabc,A\n,B\n200,A\n')
    ran = CliRunner().invoke(app, ["predict", "m.json", "new.csv"])
    assert ran.stdout.split() == ["prediction", "0", "0", "0", "0", "1"]
    assert ran.stderr.splitlines() == [
        "3 of 5 cells of 'age' are not read and count as missing; see `littlestone check`",
        "1 of 5 cells of 'ward' are not on its list and count as other; see `littlestone check`",
    ]
    assert CliRunner().invoke(app, ["predict", "m.json", "t.csv"]).stderr == ""
    # Followed, `check` says why.
    _, out = run("check", "new.csv", "--class", "conditions(age: 0..120 step 5; at most 1)")
    assert "1 NOT READ: a decimal comma; 1 NOT READ: a number with a unit" in out


def test_a_decimal_comma_of_the_model_is_the_reason() -> None:
    frame, crp = pl.DataFrame({"crp": ["7.5", "7,5"]}), Cells(("0", "10"), "crp")
    for decimal, why in ((",", "; the model reads a decimal comma"), (".", "")):
        cells = UnreadCells(FrameTable(frame), crp, {"crp": CellForm(decimal=decimal)})
        list(cells.batches(["crp"]))
        how = (
            f"1 of 2 cells of 'crp' are not read and count as missing{why}; see `littlestone check`"
        )
        assert list(cells.words()) == [how]


def test_codes_of_missing_values_are_declared(tmp_path: Path) -> None:
    table, schema = tmp_path / "t.csv", tmp_path / "s.toml"
    table.write_text(
        "crp,ward,day,back\n4.5,A,01.03.2021,yes\nNA,NA,k.A.,no\n-9.0,k.A.,-9, NA\n3,A,,no\n"
    )
    days = 'type = "date"\nformat = "%d.%m.%Y"'
    year = "range = [2021-01-01, 2021-12-31]\n"
    schema.write_text(
        'target = "back"\npositive = "yes"\n[columns.crp]\nrange = [-9, 100]\n[columns.ward]\n'
        f'values = ["A", "B"]\n[columns.day]\n{days}\n{year}[columns.back]\nvalues = ["yes", "no"]\n'
    )
    status, out = run("check", str(table), "--schema", str(schema))
    assert status == 1
    assert out.count('missing = ["NA", "k.A."]') == 4
    schema.write_text('missing = ["NA", "k.A.", "-9"]\n' + schema.read_text())
    found = littlestone.check(table, schema=schema)
    assert found.ok
    assert [counts.cells["missing"] for counts in found.columns] == [2, 2, 3]
    assert found.labels.cells == {"read": 3, "missing": 1}
    forms = Schema.read(schema).reading()
    assert Reading.from_json(forms.to_json()) == forms
    for wrong, said in (
        ('missing = "NA"', "missing is not a list"),
        ('missing = ["A"]', "'A' is a value and missing"),
        ('missing = ["yes"]', "'yes' is missing in 'back'"),
    ):
        rest = schema.read_text().split("\n", 1)[1]
        rest = rest.replace('values = ["yes", "no"]', "")
        with pytest.raises(DeclarationError, match=said):
            Schema.parse(f"{wrong}\n{rest}")


def test_numbers_without_a_range_are_named(tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_text("crp,y\n4,1\n")
    asked = ["check", str(tmp_path / "t.csv"), "--target", "y", "--positive", "1", "--class"]
    status, out = run(*asked, "conditions(crp: number; at most 1)")
    assert (status, "no range" in out, "give a range for finer cuts" in out) == (
        0,
        True,
        True,
    )
    assert "no range" not in run(*asked, "conditions(crp: 0..1000 in 20 steps; at most 1)")[1]


@each(
    ("header", "fix"),
    [
        ("Age,y", "did you mean 'Age'?"),
        ("ages,y", "name one of its columns, exactly"),
        ("age,age,y", "rename one of these columns"),
    ],
)
def test_a_name_of_the_header_that_differs_in_case(tmp_path: Path, header: str, fix: str) -> None:
    (tmp_path / "t.csv").write_text(f"{header}\n1,1,1\n")
    with pytest.raises(LittlestoneError, match="age") as error:
        littlestone.check(tmp_path / "t.csv", "y", positive=1, hypotheses="thresholds(age, 0..9)")
    assert error.value.fix.startswith(fix)


def test_what_stands_above_a_header_and_labels_that_nobody_has(tmp_path: Path) -> None:
    table = tmp_path / "t.csv"
    asked = ["check", str(table), "--target", "back", "--class", "thresholds(age, 0..120)"]
    rows = "age,back\n70,yes\n31,no\n"
    # A title, a comment and Excel's own line: the names are not those of the first line.
    for above in ("Report 2021,\n", "# exported\n", "sep=,\n"):
        table.write_text(above + rows)
        with pytest.raises(TableError, match="delete what stands above the names"):
            littlestone.check(table, "back", positive="yes", hypotheses="thresholds(age, 0..120)")
    table.write_text(rows, encoding="utf-16")
    with pytest.raises(TableError, match=r"UTF-16.*\n.*iconv -f utf-16"):
        littlestone.check(table, "back", positive="yes", hypotheses="thresholds(age, 0..120)")
    table.write_text(rows)
    status, out = run(*asked, "--positive", "yess")
    assert (status, "no record has a declared value" in out) == (1, True)
    assert "several values are --positive 'in {yes, no}'" in run(*asked, "--positive", "yes,no")[1]
    status, out = run(*asked, "--positive", "yes")
    assert (status, "no record" in out) == (0, False)
    with pytest.raises(DeclarationError, match=r"several in a text: 'in \{HA, AA\}'"):
        littlestone.check(table, "back", positive=["yes"], hypotheses="thresholds(age, 0..120)")


def test_unread_cells_of_all_batches_are_counted() -> None:
    class Twice(FrameTable):
        def batches(self, columns: Sequence[str]) -> Iterator[list[CodedColumn]]:
            for _ in range(2):
                yield from super().batches(columns)

    cells = UnreadCells(Twice(pl.DataFrame({"x": ["5", "?", "7"]})), Grid(0, 9, "x"), {})
    assert len(list(cells.batches(["x"]))) == 2
    assert "2 of 6 cells of 'x' are not read" in next(cells.words())
