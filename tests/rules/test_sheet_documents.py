"""Score sheets as PMML and as workbooks say the points, the risk and the label that `predict` says."""

from __future__ import annotations

import shutil
from io import BytesIO
from itertools import product
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest

from littlestone.base.errors import DeclarationError, OutputError, TooLargeError
from littlestone.points import Cells, Dates, Listed, Product
from littlestone.rules.sheet import ScoreSheet

TABLE = Product((Cells(("0", "18", "65.5"), "age <&>"), Listed(("F", 'M"', "<x>", "1"), "sex")))
SHEETS = [
    ScoreSheet(TABLE, (0, 1), ((0, -2, 2, 3), (0, 1, 5, 0, -2, 4)), 3, (-1000, 500)),
    ScoreSheet(TABLE, (0, 1), ((3, -2, 3, -1), (2, 2, 0, 2, 0, 2)), 9, (20_000, 700)),
    ScoreSheet(TABLE, (1,), ((0, -9, 0, 0, 0, 0),), -8, (-20_000, 3)),
    ScoreSheet(TABLE, (0,), ((-1, 0, 0, 0),), 0, (0, 0)),
]
VALUES: list[list[Any]] = [
    [None, -5, 0, 17.999, 18, 65.5, 1e9],
    [None, "F", "f", 'M"', "<x>", "1", " F", "other"],
]
NAMES = ("it's <no>", "yes & more")


def expected(
    sheet: ScoreSheet, names: tuple[str, str] = NAMES
) -> list[tuple[tuple[Any, ...], tuple[int, float, str]]]:
    """Records of the sheet's columns, with total, risk and label."""
    found = []
    for row in product(*(VALUES[j] for j in sheet.chosen)):
        told = dict(zip(sheet.chosen, row, strict=True))
        x = TABLE.encode_record([told.get(j) for j in range(2)])
        found.append((row, (sheet.total(x), sheet.risks[sheet.place(x)], names[sheet(x)])))
    return found


class Reader:
    """What the standard says of a scorecard, for one record."""

    def __init__(self, text: str) -> None:
        self.root = ElementTree.fromstring(text)  # it is ours
        for each in self.root.iter():
            each.tag = each.tag.rpartition("}")[2]
        kinds = {f.get("name"): f.get("dataType") for f in self.root.iter("DataField")}
        self.number = {name: kind == "double" for name, kind in kinds.items()}

    def __call__(self, record: dict[str, Any]) -> tuple[int, float, str]:
        total = 0
        for each in self.root.iter("Characteristic"):
            rows = (row for row in each if self.holds(row[0], record) is True)
            total += int(next(rows).get("partialScore") or "")
        outputs = {each.get("name"): each for each in self.root.iter("OutputField")}
        risk, label = (self.value(outputs[name][0], total) for name in ("risk", "label"))
        return total, risk, label

    def holds(self, test: Any, record: dict[str, Any]) -> bool | None:
        """True, False, or None for unknown."""
        if test.tag in ("True", "False"):
            return bool(test.tag == "True")
        if test.tag == "CompoundPredicate":
            parts = [self.holds(part, record) for part in test]
            decisive = test.get("booleanOperator") == "or"
            return decisive if decisive in parts else None if None in parts else not decisive
        assert test.tag == "SimplePredicate"
        value, operator = record[test.get("field")], test.get("operator")
        if operator in ("isMissing", "isNotMissing"):
            return bool((value is None) == (operator == "isMissing"))
        if value is None:
            return None
        other: Any = test.get("value")
        if self.number[test.get("field")]:
            other = float(other)
        tests: dict[str, Any] = {
            "equal": lambda: value == other,
            "notEqual": lambda: value != other,
            "lessThan": lambda: value < other,
            "lessOrEqual": lambda: value <= other,
            "greaterThan": lambda: value > other,
            "greaterOrEqual": lambda: value >= other,
        }
        return bool(tests[operator]())

    def value(self, of: Any, total: int) -> Any:
        if of.tag == "FieldRef":
            return total
        if of.tag == "Constant":
            return float(of.text) if of.get("dataType") == "double" else of.text
        from math import exp

        a, *more = (self.value(part, total) for part in of)
        function = of.get("function")
        if function == "if":
            return more[0] if a else more[1]
        if function in ("exp", "round"):
            return exp(a) if function == "exp" else round(a)
        (b,) = more
        return {
            "+": lambda: a + b,
            "-": lambda: a - b,
            "*": lambda: a * b,
            "/": lambda: a / b,
            "min": lambda: min(a, b),
            "max": lambda: max(a, b),
            "greaterOrEqual": lambda: a >= b,
        }[function]()


def record_of(sheet: ScoreSheet, row: tuple[Any, ...]) -> dict[str, Any]:
    return dict(zip((TABLE.column_names[j] for j in sheet.chosen), row, strict=True))


@pytest.mark.parametrize("sheet", SHEETS, ids=lambda sheet: f"least {sheet.least}")
def test_a_scorecard_says_what_the_sheet_says(sheet: ScoreSheet) -> None:
    read = Reader(sheet.to_pmml(NAMES))
    for row, told in expected(sheet):
        assert read(record_of(sheet, row)) == told, row


@pytest.mark.parametrize("sheet", SHEETS, ids=lambda sheet: f"least {sheet.least}")
def test_an_evaluator_of_pmml_says_the_same(sheet: ScoreSheet) -> None:
    pypmml = pytest.importorskip("pypmml", reason="pypmml is not installed: make engines")
    if shutil.which("java") is None:
        pytest.skip("pypmml needs Java")
    names = ("it's no", "yes")  # this one reads no entities between elements
    model = pypmml.Model.fromString(sheet.to_pmml(names))
    for row, told in expected(sheet, names):
        found = model.predict(record_of(sheet, row))
        assert (found["total"], found["risk"], found["label"]) == told, row


@pytest.mark.parametrize("sheet", SHEETS, ids=lambda sheet: f"least {sheet.least}")
def test_the_formulas_of_a_workbook_say_the_same(sheet: ScoreSheet, tmp_path: Path) -> None:
    openpyxl = pytest.importorskip("openpyxl", reason="openpyxl is not installed: make engines")
    why = "formulas is not installed: pip install formulas"
    formulas = pytest.importorskip("formulas", reason=why)
    book = openpyxl.load_workbook(BytesIO(sheet.to_excel(NAMES)))
    known = [pair for pair in expected(sheet) if any(value is not None for value in pair[0])]
    for i, (row, _) in enumerate(known):
        for j, value in enumerate(row):
            book["Records"].cell(i + 2, j + 1).value = value
    book.save(tmp_path / "t.xlsx")
    solved = formulas.ExcelModel().loads(str(tmp_path / "t.xlsx")).finish().calculate()
    for i, (row, (total, risk, label)) in enumerate(known):
        cells = ("ABCDEFGHI"[2 * len(sheet.chosen) + k] for k in range(3))
        found = [solved[f"'[t.xlsx]RECORDS'!{c}{i + 2}"].value[0, 0] for c in cells]
        assert (int(found[0]), round(float(found[1]), 4), found[2]) == (total, risk, label), row


def test_a_workbook_lists_points_and_risks_and_no_text_is_a_formula() -> None:
    openpyxl = pytest.importorskip("openpyxl", reason="openpyxl is not installed: make engines")
    table = Product((Listed(("=1+1", "@x"), "=cmd"),))
    sheet = ScoreSheet(table, (0,), ((0, 0, 4, -1),), 3, (-900, 450))
    book = openpyxl.load_workbook(BytesIO(sheet.to_excel()))
    assert book.sheetnames == ["Records", "Points", "Risks"]
    kinds = {cell.data_type for page in book for row in page for cell in row if cell.value}
    assert kinds <= {"s", "n", "f"}
    texts = [cell for row in book["Points"] for cell in row if str(cell.value).startswith("=")]
    assert {cell.data_type for cell in texts} == {"s"}
    assert book["Records"]["A1"].data_type == "s"
    risks = [tuple(cell.value for cell in row) for row in book["Risks"]][1:]
    # No record has a total of 3.
    assert risks == [
        (t, r, str(int(t >= 4))) for t, r in zip(sheet.totals, sheet.risks, strict=True)
    ]


def test_what_has_no_such_form_is_refused() -> None:
    days = Product((Dates(("2021-01-01", "2021-02-01"), "admitted"),))
    with pytest.raises(DeclarationError, match="days"):
        ScoreSheet(days, (0,), ((0, 1, 2),), 1, (0, 1)).to_pmml()
    for value in ("a\u202eb", "a\nb", " a"):
        odd = ScoreSheet(Product((Listed((value,), "x"),)), (0,), ((0, 1, 2),), 1, (0, 1))
        with pytest.raises(DeclarationError, match="XML"):
            odd.to_pmml()
    pytest.importorskip("openpyxl", reason="openpyxl is not installed: make engines")
    long = Product((Listed(tuple(f"value {i}" for i in range(900)), "x"),))
    with pytest.raises(TooLargeError, match="Excel"):
        ScoreSheet(long, (0,), ((0, 0, *[1, 2] * 450),), 1, (0, 1)).to_excel()
    old = Product((Dates(("1850-01-01", "1899-02-01"), "born"),))
    with pytest.raises(DeclarationError, match="1900"):
        ScoreSheet(old, (0,), ((0, 1, 2),), 1, (0, 1)).to_excel()


def test_without_openpyxl_it_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(__import__("sys").modules, "openpyxl", None)
    with pytest.raises(OutputError, match="pip install 'openpyxl"):
        SHEETS[0].to_excel()
