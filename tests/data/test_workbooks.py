"""A sheet of an Excel workbook is read cell by cell: no cell fails, or changes how another is read."""

from __future__ import annotations

import random
import sys
import warnings
import zipfile
from collections import Counter
from collections.abc import Sequence
from datetime import date, datetime, time
from importlib.util import find_spec
from pathlib import Path
from typing import Any
from xml.sax.saxutils import escape

import pandas as pd
import pytest
from sources import examples, read

import littlestone
from littlestone.base.errors import DeclarationError, SourceError, TableError, install_command
from littlestone.data import Condition, Label, Table, open_table, workbooks
from littlestone.data.opening import open_dataset
from littlestone.points import Domain, Grid, Integers, Names, Reals, Strings
from planting import Fault, turns_red

reads = pytest.mark.skipif(find_spec("openpyxl") is None, reason="openpyxl is not installed")

SPACE = 'xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"'
OFFICE = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
OFFERED = "application/vnd.openxmlformats-officedocument.spreadsheetml"
RELATED = 'xmlns="http://schemas.openxmlformats.org/package/2006/relationships"'
DAY, SPAN = "1", "2"  # styles


def text(value: str) -> str:
    return f'<c t="inlineStr"><is><t xml:space="preserve">{escape(value)}</t></is></c>'


def number(raw: object, kind: str = "n", style: str = "0") -> str:
    return f'<c t="{kind}" s="{style}"><v>{escape(str(raw))}</v></c>'


def row(*cells: str) -> str:
    return f"<row>{''.join(cells)}</row>"


def workbook(path: Path, sheets: dict[str, str], shared: Sequence[str] = ()) -> Path:
    """A workbook with these rows and shared texts, as XML."""
    styles = (
        f'<styleSheet {SPACE}><numFmts count="1"><numFmt numFmtId="164" formatCode="[h]:mm:ss"/>'
        '</numFmts><fonts count="1"><font/></fonts><fills count="1"><fill><patternFill/></fill></fills>'
        '<borders count="1"><border/></borders><cellStyleXfs count="1"><xf numFmtId="0"/>'
        '</cellStyleXfs><cellXfs count="3"><xf numFmtId="0"/><xf numFmtId="14"/>'
        '<xf numFmtId="164"/></cellXfs></styleSheet>'
    )
    parts = {
        "xl/styles.xml": styles,
        "xl/sharedStrings.xml": f"<sst {SPACE}>{''.join(shared)}</sst>",
    }
    kinds = {"xl/workbook.xml": "sheet.main", "xl/styles.xml": "styles"}
    kinds["xl/sharedStrings.xml"] = "sharedStrings"
    listed, relations = "", ""
    for i, (name, rows) in enumerate(sheets.items(), 1):
        part = f"xl/worksheets/sheet{i}.xml"
        parts[part] = f"<worksheet {SPACE}><sheetData>{rows}</sheetData></worksheet>"
        kinds[part] = "worksheet"
        listed += f'<sheet name="{name}" sheetId="{i}" r:id="r{i}"/>'
        target = f'Target="worksheets/sheet{i}.xml"'
        relations += f'<Relationship Id="r{i}" Type="{OFFICE}/worksheet" {target}/>'
    parts["xl/workbook.xml"] = (
        f'<workbook {SPACE} xmlns:r="{OFFICE}"><sheets>{listed}</sheets></workbook>'
    )
    parts["xl/_rels/workbook.xml.rels"] = f"<Relationships {RELATED}>{relations}</Relationships>"
    types = "".join(
        f'<Override PartName="/{part}" ContentType="{OFFERED}.{kind}+xml"/>'
        for part, kind in kinds.items()
    )
    space = 'xmlns="http://schemas.openxmlformats.org/package/2006/content-types"'
    parts["[Content_Types].xml"] = f"<Types {space}>{types}</Types>"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for part, content in parts.items():
            archive.writestr(part, content)
    return path


HEADER = row(text("x"), text("y"))
SHARED = [
    "<si><t>zero</t></si>",
    "<si><r><t>o</t></r><r><rPr><b/></rPr><t>ne</t></r><rPh sb='0' eb='1'><t>wan</t></rPh></si>",
    "<si><odd/></si>",
]
CELLS: list[tuple[str, object]] = [
    ("", None),
    ("<c/>", None),
    (number(3), 3),
    (number("0.28999999999999998"), 0.29),
    (number("1E+2"), 100.0),
    (number("abc"), None),
    (number("9" * 5000), None),
    (number("1e999"), float("inf")),
    (number(3, style="nonsense"), None),
    (number(3, style="99999"), 3),
    (number(1, "b"), True),
    (number(0, "b"), False),
    (number("maybe", "b"), None),
    (number(0, "s"), "zero"),
    (number(1, "s"), "one"),
    (number(2, "s"), ""),
    (number(3, "s"), None),
    (number(-1, "s"), None),
    (number("zero", "s"), None),
    (number("#N/A", "e"), None),
    (number("stored", "str"), "stored"),
    ("<c><f>1+1</f><v>2</v></c>", 2),
    ("<c><f>1+1</f></c>", None),
    (number("44256", style=DAY), datetime(2021, 3, 1)),
    (number("44256.5", style=DAY), datetime(2021, 3, 1, 12)),
    (number("0.25", style=DAY), time(6)),
    (number("1e300", style=DAY), None),
    (number("-99999999", style=DAY), None),
    (number("nan", style=DAY), None),
    (number("1e300", style=SPAN), None),
    (number("2021-03-01", "d"), date(2021, 3, 1)),
    (number("no day", "d"), None),
    (number("3", "unheard-of"), None),
    (text("ab"), "ab"),
    (text("=1+1"), "=1+1"),
    (text("a_x0001_b"), "a\x01b"),
    ('<c t="inlineStr"><is><odd><t>x</t></odd></is></c>', ""),
    ('<c t="inlineStr"/>', None),
]


def values(table: Table) -> list[object]:
    return [value for (value,) in table.rows(["x"])]


@reads
def test_every_cell_has_a_value(tmp_path: Path) -> None:
    """None fails, and no warning tells of one."""
    rows = "".join(row(cell or "<c/>", number(1)) for cell, _ in CELLS)
    path = workbook(tmp_path / "table.xlsx", {"visits": HEADER + rows}, SHARED)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        found = values(open_table(path))
    assert list(map(repr, found)) == [repr(value) for _, value in CELLS]


DOMAINS = [Grid(0, 9, "x"), Strings("x"), Integers("x"), Reals("x"), Names(("ab", "3"), "x")]
LABEL = Label("y", Condition("==", "1"))


@reads
@pytest.mark.parametrize("domain", DOMAINS, ids=lambda d: type(d).__name__)
def test_a_changed_record_moves_one_example(domain: Domain[Any], tmp_path: Path) -> None:
    rng, places = random.Random(1), range(len(CELLS))
    path = tmp_path / "table.xlsx"

    def sample(records: list[tuple[int, int]]) -> Counter[tuple[Any, int]]:
        rows = "".join(row(CELLS[i][0] or "<c/>", CELLS[j][0]) for i, j in records)
        return examples(read(workbook(path, {"s": HEADER + rows}, SHARED), domain, LABEL))

    def as_frame(records: list[tuple[int, int]]) -> Counter[tuple[Any, int]]:
        xs, ys = ([CELLS[record[j]][1] for record in records] for j in (0, 1))
        frame = pd.DataFrame({"x": pd.Series(xs, dtype=object), "y": pd.Series(ys, dtype=object)})
        return examples(read(frame, domain, LABEL))

    readable = (2, 10)  # a sample without a value that can be read is refused
    for _ in range(12):
        records = [readable, *zip(rng.choices(places, k=8), rng.choices(places, k=8), strict=True)]
        neighbour = list(records)
        neighbour[rng.randrange(1, len(records))] = (rng.choice(places), rng.choice(places))
        if domain == Names(("ab", "3"), "x"):
            records[0] = neighbour[0] = (33, 2)
        before, after = sample(records), sample(neighbour)
        assert before.total() == len(records)
        assert (before - after).total() == (after - before).total() <= 1
        assert before == as_frame(records)


@reads
def test_rows_are_counted_as_the_file_states_them(tmp_path: Path) -> None:
    """Neither a row that is left out nor an empty one at the end is dropped."""
    rows = (
        HEADER
        + f'<row r="2">{number(1)}</row><row r="5">{number(2)}</row><row/><row>'
        + (f'<c r="B7"><v>1</v></c><c r="A7"><v>4</v></c>{number(9) * 5}</row>')
    )
    table = open_table(workbook(tmp_path / "table.xlsx", {"s": rows}))
    assert table.columns == ("x", "y")
    assert list(table.rows(["y", "x"]))[:1] == [(None, 1)]
    assert values(table) == [1, None, None, 2, None, 4]


@reads
def test_a_header_may_have_numbers_and_gaps(tmp_path: Path) -> None:
    rows = row(number(2019), "<c/>", text(" late "), "<c/>") + row(*map(number, range(4)))
    table = open_table(workbook(tmp_path / "table.xlsx", {"s": rows}))
    assert table.columns == ("2019", "", "late")
    assert list(table.rows(["late", "2019"])) == [(2, 0)]


@reads
def test_several_sheets_need_a_name_and_have_one_budget(tmp_path: Path) -> None:
    sheets = {name: HEADER + row(number(i), number(1)) for i, name in enumerate(("may", "june"))}
    path = workbook(tmp_path / "table.xlsx", sheets)
    with pytest.raises(SourceError, match="2 sheets, and nothing says which: may, june"):
        open_table(path)
    with pytest.raises(SourceError, match="did you mean 'june'"):
        open_table(path, "jun")
    assert values(open_table(path, "june")) == [1]
    names = {open_dataset(path, ["x"], None, sheet).name for sheet in sheets}
    assert names == {str(path.resolve())}


@reads
def test_files_that_are_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "table.xlsx"
    path.write_bytes(b"\xd0\xcf\x11\xe0 with a password")
    with pytest.raises(TableError, match="has a password or is not an Excel workbook"):
        open_table(path)
    for rows in ("", '<row r="2"><c><v>1</v></c></row>', row("<c/>")):
        with pytest.raises(TableError, match="first row of the sheet is empty"):
            open_table(workbook(path, {"s": rows}))
    for rows in ('<row r="1"/>', '<row r="9999999999"/>', '<row r="x"/>', "<row><c>"):
        with pytest.raises(TableError, match="it is damaged"):
            list(open_table(workbook(path, {"s": HEADER + rows})).rows(["x"]))
    workbook(path, {"s": HEADER})
    with pytest.raises(DeclarationError, match="it is not a CSV file"):
        open_table(path, separator=";")
    whole = path.read_bytes()
    for end in range(0, len(whole), 97):
        path.write_bytes(whole[:end])
        with pytest.raises(TableError, match="it is damaged"):
            open_table(path)
    path.write_bytes(whole)
    monkeypatch.setattr(workbooks, "MOST_BYTES", 900)
    with pytest.raises(TableError, match="unpacks to more than 900 bytes"):
        open_table(path)


@reads
def test_a_bomb_of_entities_is_refused(tmp_path: Path) -> None:
    path = workbook(tmp_path / "table.xlsx", {"s": HEADER})
    with zipfile.ZipFile(path) as archive:
        parts = {name: archive.read(name) for name in archive.namelist()}
    levels = "".join(f'<!ENTITY e{i} "{f"&e{i - 1};" * 10}">' for i in range(1, 10))
    bomb = f'<!DOCTYPE x [<!ENTITY e0 "{"x" * 99}">{levels}]>'
    rows = '<row><c t="str"><v>&e9;</v></c></row>'
    parts["xl/worksheets/sheet1.xml"] = (
        f"{bomb}<worksheet {SPACE}><sheetData>{rows}</sheetData></worksheet>"
    ).encode()
    with zipfile.ZipFile(path, "w") as archive:
        for name, content in parts.items():
            archive.writestr(name, content)
    with pytest.raises(TableError, match="it is damaged"):
        open_table(path)


def test_without_its_package_the_error_says_how_to_install_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "openpyxl", None)
    with pytest.raises(SourceError, match="package openpyxl is not installed") as caught:
        open_table(workbook(tmp_path / "table.xlsx", {"s": HEADER}))
    assert install_command("excel") in str(caught.value)


@reads
def test_what_openpyxl_writes_is_learned(tmp_path: Path) -> None:
    import openpyxl

    book = openpyxl.Workbook()
    book.active.append(["admitted", "ward", "late"])
    for day in range(1, 29):
        for ward in ("ICU", "ER") * 20:
            late = "Ja" if ward == "ICU" else "Nein"
            book.active.append([date(2021, 3, day), ward, late])
    book.save(tmp_path / "visits.xlsx")
    book.close()
    table = open_table(tmp_path / "visits.xlsx")
    assert next(table.rows(table.columns)) == (datetime(2021, 3, 1), "ICU", "Ja")
    release = littlestone.fit(
        tmp_path / "visits.xlsx", "late", positive="Ja", epsilon=5, ledger=littlestone.Ledger(),
        hypotheses="conditions(ward in {ICU, ER}; at most 1)",
    )  # fmt: skip
    assert release.n == 1120
    assert "ward is ICU" in str(release)


@reads
def test_a_workbook_with_macros_is_read_as_one_without(tmp_path: Path) -> None:
    from openpyxl import Workbook, load_workbook

    book = Workbook()
    for line in (["x", "y"], [1, "a"], [None, "b"]):
        book.active.append(line)
    book.save(tmp_path / "t.xlsx")
    kept = load_workbook(tmp_path / "t.xlsx", keep_vba=True)
    kept.save(tmp_path / "t.xlsm")
    kept.vba_archive.close()  # openpyxl leaves it open
    with zipfile.ZipFile(tmp_path / "t.xlsm") as archive:
        assert b"macroEnabled" in archive.read("[Content_Types].xml")
    plain, macros = (
        list(open_table(tmp_path / name).rows(["x", "y"])) for name in ("t.xlsx", "t.xlsm")
    )
    assert macros == plain == [(1, "a"), (None, "b")]
    assert open_dataset(tmp_path / "t.xlsm", ["x"], None).name.endswith("t.xlsm")


@reads
def test_days_of_a_schema_are_read(tmp_path: Path) -> None:
    """A cell that Excel shows as a day is that day, and so is a text in the declared form."""
    schema, path = tmp_path / "schema.toml", tmp_path / "days.xlsx"
    schema.write_text(
        'target = "y"\npositive = "1"\n[columns.x]\ntype = "date"\nformat = "%d.%m.%Y"\n'
        'range = [2021-01-01, 2021-12-01]\nstep = "1 month"\n[columns.y]\ntype = "integer"\n'
        "range = [0, 1]\n"
    )
    early = row(number("44240.25", style=DAY), number(0)) + row(text("12.02.2021"), number(0))
    late = row(number("44256.5", style=DAY), number(1)) + row(text("01.03.2021"), number(1))
    release = littlestone.fit(
        workbook(path, {"s": HEADER + (early + late) * 50}), schema=schema, epsilon=9,
        ledger=littlestone.Ledger(), hypotheses="conditions(x; at most 1)",
    )  # fmt: skip
    assert "x >= 2021-03-01" in str(release)


READING = "littlestone.data.workbooks:SheetTable"
FAULTS = {
    Fault(
        f"{READING}._value", " if int(raw) >= 0 else None", "", "-1 is the last text of all cells"
    ): test_every_cell_has_a_value,
    Fault(
        f"{READING}._value",
        'if kind == "d" else None',
        'if kind == "d" else raw',
        "an error is its text",
    ): test_every_cell_has_a_value,
    Fault(
        f"{READING}.rows", "range(last + 1, number)", "()", "rows left out are no records"
    ): test_rows_are_counted_as_the_file_states_them,
    Fault(
        f"{READING}.rows",
        "if number > 1:",
        "if number > 1 and cells:",
        "empty rows are no records",
    ): test_rows_are_counted_as_the_file_states_them,
    Fault(
        f"{READING}._stated_rows",
        "cells, place = {}, 0",
        "place = 0",
        "an empty cell is as the one above",
    ): test_rows_are_counted_as_the_file_states_them,
    Fault(
        f"{READING}._stated_rows",
        '_place(row.get("r"), place)',
        "place + 1",
        "cells are in the order in which the file has them",
    ): test_rows_are_counted_as_the_file_states_them,
}


@reads
@pytest.mark.parametrize("fault", FAULTS, ids=lambda fault: fault.mistake)
def test_a_planted_fault_is_seen(
    fault: Fault, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    turns_red(fault, FAULTS[fault], monkeypatch, tmp_path)
