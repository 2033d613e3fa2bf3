"""Cells in declared forms: what they show, why not, and that every reader agrees."""

from __future__ import annotations

import csv
import io
from dataclasses import replace
from decimal import Decimal
from pathlib import Path

import pandas
import polars
import pyarrow
import pytest
from hypothesis import given
from hypothesis import strategies as st

import littlestone
from littlestone.base.errors import DeclarationError, ModelError
from littlestone.data import CsvStream, csv_lines, open_table
from littlestone.data.csv import ENCODINGS, CsvTable
from littlestone.data.forms import CellForm, Reading, Unread
from littlestone.learn import Release
from littlestone.learn.declared.checking import why_no_number
from littlestone.learn.declared.schema import Schema
from littlestone.learn.declared.written_forms import NumberMarks, number_shape
from littlestone.points import text

EUROS = CellForm(decimal=",", thousands=".", unit="€")


@pytest.mark.parametrize(
    ("cell", "value"),
    [
        ("1.200,00 €", 1200),
        ("€ 1.200,5", Decimal("1200.5")),
        ("1.234.567,89\u00a0€", Decimal("1234567.89")),
        ("\u2212,5", Decimal("-0.5")),
        ("1.20", None),
        ("12.00", None),
        ("1.2000", None),
        ("1,2,3", None),
        ("€", None),
        ("", None),
        (None, None),
        ("n/a", None),
    ],
)
def test_numbers_with_a_comma(cell: object, value: object) -> None:
    assert EUROS(cell) == value


def test_typed_numbers_are_what_they_are() -> None:
    assert [EUROS(cell) for cell in (1.5, 7, True)] == [1.5, 7, True]


ANY = st.one_of(
    st.text(),
    st.text(alphabet="0123456789.,€ -+eE'\u00a0"),
    st.none(),
    st.integers(),
    st.floats(),
    st.binary(),
    st.lists(st.integers()),
    st.datetimes(),
)
FORMS = [
    EUROS,
    CellForm(thousands=" ", decimal=","),
    CellForm(unit="kg"),
    CellForm(missing=("NA", "-9")),
    CellForm(decimal=",", missing=("k.A.", "-9")),
    CellForm(spelled=("Ja", "nein")),
    CellForm(spelled=()),
]


class Hostile(str):
    """A text whose methods raise."""

    __slots__ = ()

    def strip(self, *_: object) -> str:
        raise RuntimeError

    __str__ = __hash__ = casefold = strip  # type: ignore[assignment]


@given(ANY)
def test_no_cell_makes_a_form_fail(cell: object) -> None:
    for form in FORMS:
        assert text(form(cell)) == text(form(cell))
        form(Hostile(cell) if isinstance(cell, str) else object())


@given(st.decimals(min_value=-(10**9), max_value=10**9, places=2))
def test_what_is_written_is_read(value: Decimal) -> None:
    written = f"{value:,.2f}".translate(str.maketrans(",.", ".,"))
    assert EUROS(f"{written} €") == value


SCHEMA = """
separator = ";"
encoding = "cp1252"
decimal = ","
thousands = "."
target = "wieder"
positive = ["Ja", "J"]
[columns.alter]
range = [0, 120]
step = 20
[columns.preis]
unit = "€"
range = [0, 2000]
step = 100
[columns.ort]
values = ["Köln", "Bonn"]
ignore_case = true
[columns.wieder]
type = "text"
ignore_case = true
"""


def test_why_a_cell_is_not_read() -> None:
    columns = {column.name: column for column in Schema.parse(SCHEMA).columns}
    cells = ["1.200,00 €", "1,2,3", "3.000", " "]
    found = [None, Unread.NO_NUMBER, Unread.OUTSIDE, Unread.EMPTY]
    assert [columns["preis"].unread(cell) for cell in cells] == found
    assert [columns["ort"].unread(cell) for cell in ("KÖLN", "Ulm")] == [None, Unread.UNLISTED]


def rows() -> list[list[str]]:
    towns = ["Köln", "KÖLN", "bonn", "Ulm", ""]
    found = []
    for i in range(3000):
        price = 1200 + i % 7 if i % 3 else 1150 + i % 11
        written = f"{price:,.2f} €".translate(str.maketrans(",.", ".,"))
        late = ["JA", "ja", "J", "j"][i % 4] if price >= 1200 else ["Nein", "nein", ""][i % 3]
        found.append([str(i % 90), written, towns[i % 5], late])
    return found


def export(folder: Path) -> Path:
    path = folder / "export.csv"
    with path.open("w", encoding="cp1252", newline="") as file:
        lines = csv.writer(file, delimiter=";")
        lines.writerow(["alter", "preis", "ort", "wieder"])
        lines.writerows(rows())
    return path


def test_a_german_export_is_learned_and_read_again(tmp_path: Path) -> None:
    path, schema = export(tmp_path), Schema.parse(SCHEMA)
    release = littlestone.fit(
        path,
        schema=schema,
        hypotheses="conditions(*; at most 1)",
        epsilon=9,
        ledger=littlestone.Ledger(),
        dataset="export",
    )
    assert release.n == 3000
    assert release.words() == "wieder in {Ja, J}  <=>  preis >= 1200"
    expected = [int(row[3].lower() in ("ja", "j")) for row in rows()]
    assert release.predict(path) == expected
    data = release.to_json()
    assert data["format"] == "littlestone model 2"
    assert data["reading"] == {
        "separator": ";",
        "encoding": "cp1252",
        "columns": {"preis": {"decimal": ",", "thousands": ".", "unit": "€"}},
    }
    assert Release.from_json(data).predict(path) == expected
    for wrong in (
        {**data, "format": "littlestone model 1"},
        {**data, "reading": {"columns": {"preis": {"spelled": "abc"}}}},
        {**data, "reading": {"columns": []}},
        {**data, "reading": {"encoding": "utf-16"}},
    ):
        with pytest.raises(ModelError):
            Release.from_json(wrong)
    assert "preis" in release.to_sql("duckdb")
    with pytest.raises(DeclarationError, match="as they are"):
        release.to_sql("duckdb", types={"preis": "text"})
    # A text that is no number is missing in SQL too; a number that is declared missing is not.
    form = release.reading.columns["preis"]
    coded = [
        replace(release, reading=Reading(columns={"preis": replace(form, missing=(code,))}))
        for code in ("k.A.", "-9")
    ]
    assert coded[0].to_sql("duckdb") == release.to_sql("duckdb")
    with pytest.raises(DeclarationError, match="how its cells are written"):
        coded[1].to_sql("duckdb")


@pytest.mark.deep
@pytest.mark.parametrize("size", [7, 1 << 20])
def test_blocks_lines_and_frames_agree(
    tmp_path: Path, size: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    path, names = export(tmp_path), ["alter", "preis", "ort", "wieder"]
    monkeypatch.setattr(csv_lines, "_SIZE", size)
    monkeypatch.setattr(csv_lines, "_FEW", 1)
    schema = Schema.parse(SCHEMA)
    reading = schema.reading(schema.label())
    table = open_table(path, reading=reading)
    lines = list(table.rows(names))
    blocks = [
        row
        for batch in table.batches(names)
        for row in zip(*(column.to_list() for column in batch), strict=True)
    ]
    assert blocks == lines
    texts = {
        name: list(column) for name, column in zip(names, zip(*rows(), strict=True), strict=True)
    }
    for frame in (pandas.DataFrame(texts), polars.DataFrame(texts), pyarrow.table(texts)):
        opened = reading.apply(open_table(frame))
        assert list(opened.rows(names)) == lines
    grouped = reading.apply(open_table(polars.LazyFrame(texts))).groups(names, schema.label())
    assert sum(int(group.counts.sum()) for group in grouped) == len(lines)


def test_units_with_marks_of_their_own_read_numbers_as_they_are() -> None:
    pieces = CellForm(decimal=",", thousands=".", unit="St.")
    cells = ["1.200 St.", "-5 St.", "St. 5,5", "5", "5.", ",5", "-St.5"]
    assert [None if v is None else str(v) for v in map(pieces, cells)] == [
        "1200", "-5", "5.5", "5", None, "0.5", None,
    ]  # fmt: skip


def test_latin_1_only_if_it_is_declared(tmp_path: Path) -> None:
    path = export(tmp_path)
    read = {e: CsvTable(path, separator=";", encoding=e) for e in ("utf-8", "latin-1")}
    towns = {e: {town for (town,) in table.rows(["ort"])} for e, table in read.items()}
    assert ["Köln" in towns[e] for e in read] == [False, True]
    with pytest.raises(DeclarationError, match="encoding"):
        Reading(encoding="utf-16")


@pytest.mark.parametrize(
    ("line", "found"),
    [
        ('decimal = ";"', "decimal is"),
        ('thousands = ","\ndecimal = ","', "both"),
        ('unit = "5 kg"', "digits"),
        ('unit = "-"', "a sign"),
        ('unit = "€+"', "a sign"),
        ('unit = "\\u2212"', "a sign"),
        ('unit = "."', "only marks of numbers"),
        ('unit = ",\'"', "only marks of numbers"),
        ("ignore_case = true", "ignore_case"),
    ],
)
def test_a_wrong_form_is_refused(line: str, found: str) -> None:
    with pytest.raises(DeclarationError, match=found):
        Schema.parse(f"[columns.x]\nrange = [0, 9]\n{line}")
    with pytest.raises(DeclarationError, match="only in case"):
        Schema.parse('[columns.x]\nvalues = ["a", "A"]\nignore_case = true')


def test_check_reads_cells_as_they_are_declared(tmp_path: Path) -> None:
    found = littlestone.check(export(tmp_path), schema=Schema.parse(SCHEMA))
    faults = {counts.column: counts.faults for counts in found.columns}
    assert faults == {"alter": {}, "preis": {}, "ort": {"not on the list": 600}}
    assert found.labels is not None
    assert found.labels.unread == 0
    other = Schema.parse(SCHEMA.replace('thousands = "."', ""))
    [preis] = [c for c in littlestone.check(export(tmp_path), schema=other).columns if c.unread][:1]
    assert preis.unread == 3000


PIECES = b'1.200,00|\xe2\x82\xac|\x80| |,5|"|;|KOELN|k\xf6ln|\r|\xff|-|'.split(b"|")
LINES = st.lists(
    st.lists(st.sampled_from(PIECES), max_size=5).map(b"".join), min_size=1, max_size=8
)


def decoded(lines: list[bytes], encoding: str) -> list[list[tuple[object, ...]]]:
    """The records of a file as each reader hands them over, with forms."""
    forms = {"x": EUROS, "y": CellForm(spelled=("Koeln", "k\u00f6ln"))}
    text = b"\n".join([b"x;y", *lines, b""])
    body = text.partition(b"\n")[2]
    table = CsvStream(io.BytesIO(text), name="lines", separator=";", encoding=encoding)
    by_lines = list(Reading(columns=forms).apply(table).rows(["x", "y"]))
    columns = [
        [forms[name](cell) for cell in column.to_list()]
        for name, column in zip(
            "xy", csv_lines._by_columns(body, ";", [0, 1], encoding), strict=True
        )
    ]
    return [by_lines, list(zip(*columns, strict=True))]


@given(LINES, st.integers(min_value=0), LINES, st.sampled_from(ENCODINGS))
def test_one_line_moves_one_decoded_record(
    lines: list[bytes], place: int, others: list[bytes], encoding: str
) -> None:
    changed = list(lines)
    changed[place % len(lines)] = others[0]
    before, after = decoded(lines, encoding), decoded(changed, encoding)
    for one, other in zip(before, after, strict=True):
        assert len(one) == len(other) == len(lines)
        moved = [i for i, (a, b) in enumerate(zip(one, other, strict=True)) if a != b]
        assert set(moved) <= {place % len(lines)}
    assert before[0] == before[1]


@pytest.mark.parametrize("end", ["!!", "abcde", "1 !!", "-"])
def test_a_long_cell_that_is_no_number_is_told_in_one_pass(end: str) -> None:
    # A pattern with two ways to cut the spaces would take hours for it, and tell that it is there.
    cell = "1" + " " * 10**6 + end
    assert why_no_number(cell) == "no number"


def test_cells_that_are_read_as_other_numbers_are_counted() -> None:
    counts = {number_shape("12"): 5, number_shape("1,255"): 3, number_shape("4,52"): 9}
    for thousands, changed in ((",", 3), ("", 0)):
        found = NumberMarks.choose(counts, CellForm(thousands=thousands), typed=True)
        assert found is not None
        assert found.marks[0] == (",", "")
        assert found.changed == changed


def test_a_stream_is_checked_by_its_records() -> None:
    stream = CsvStream(io.BytesIO(b"x,y\n1,0\n2,1\n"), name="pipe")
    found = littlestone.check(stream, "y", positive="1", hypotheses="thresholds(x, 0..9)")
    assert (found.n, found.ok, found.lines) == (2, True, None)
