"""Only the schema and the file as a whole can be refused, with an error that says what to do."""

from __future__ import annotations

import gzip
import os
import zipfile
from collections.abc import Callable
from datetime import date, datetime, time, timedelta
from decimal import Decimal
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from pyarrow import parquet
from sources import Columns, csv_file, gz_file, parquet_file, plain, read, zip_file

from each import each
from littlestone.base.errors import DeclarationError, TableError
from littlestone.classes import parse_class
from littlestone.data import Label, open_table, read_mapped, read_sample, sample_from_arrays
from littlestone.data.frames import FrameTable
from littlestone.learn.declared.drafting import draft_schema
from littlestone.points import Domain, Grid, Names, Strings
from littlestone.rules.nodes import ColumnTest, Split
from littlestone.rules.trees import DecisionTree

X, Y = Grid(0, 9, "x"), Label.parse("y", 1)


def refused(source: object, *, domain: Domain[Any] = X, label: Label = Y) -> str:
    with pytest.raises(TableError) as error:
        read(source, domain, label)
    assert "to fix it: " in str(error.value)
    return str(error.value)


def test_a_first_line_that_may_be_a_record_is_not_shown(tmp_path: Path) -> None:
    path = tmp_path / "table.csv"
    path.write_text("7,Ada\n8,Bob\n")
    assert repr(open_table(path)) == f"table {path}"
    assert repr(open_table(pl.DataFrame({"x": [7], "y": [1]}))).endswith(", columns x, y")


@pytest.mark.parametrize("doubled", ["x", "y"])
def test_a_column_name_that_comes_twice(doubled: str, tmp_path: Path) -> None:
    path = tmp_path / "table.csv"
    path.write_text(f"x,y,{doubled}\n1,2,3\n")
    assert f"'{doubled}'" in refused(path)
    assert f"'{doubled}'" in refused(pd.DataFrame([[1, 2, 3]], columns=["x", "y", doubled]))
    table = pa.Table.from_arrays([pa.array([1])] * 3, names=["x", "y", doubled])
    assert f"'{doubled}'" in refused(table)
    parquet.write_table(table, tmp_path / "table.parquet")
    assert f"'{doubled}'" in refused(tmp_path / "table.parquet")


def test_a_name_that_comes_twice_elsewhere_in_a_csv_file_does_no_harm(tmp_path: Path) -> None:
    path = tmp_path / "table.csv"
    path.write_text("z,x,z,y\n5,1,6,1\n")
    assert plain(read(path, X, Y)) == {1: (0, 1)}


@pytest.mark.parametrize("column", ["x", "y"])
def test_a_missing_column(column: str, tmp_path: Path) -> None:
    columns: Columns = {("y" if column == "x" else "x"): [1], "Z": [2]}
    sources = [csv_file(columns, tmp_path), parquet_file(columns, tmp_path)]
    for source in [*sources, pd.DataFrame(columns), pl.DataFrame(columns), pa.table(columns)]:
        found = refused(source)
        assert f"column '{column}'" in found
        assert "2 columns" in found
        assert "Z" not in found
    with pytest.raises(TableError):
        read_mapped(open_table(csv_file({"Z": [2]}, tmp_path)), X, partial(map, str))


def test_a_declared_name_that_is_close_is_named(tmp_path: Path) -> None:
    """The header of a CSV file may be a record, so nothing of it is shown."""
    columns: Columns = {"delays": [1], "y": [1]}
    near = Grid(0, 9, "delay")
    for source in (parquet_file(columns, tmp_path), pl.DataFrame(columns)):
        assert "did you mean 'delays'?" in refused(source, domain=near)
        assert "did you mean" not in refused(source, domain=Grid(0, 9, "origin"))
    assert "did you mean" not in refused(csv_file(columns, tmp_path), domain=near)
    twice = pd.DataFrame([[1, 2, 3]], columns=["x", "x", "y"])
    assert "did you mean" not in refused(twice)


def test_columns_that_are_not_called_by_texts() -> None:
    assert "'x'" in refused(pd.DataFrame([[1, 2]]))
    pairs = pd.MultiIndex.from_tuples([("x", "y"), ("y", "x")])
    assert "'x'" in refused(pd.DataFrame([[1, 2]], columns=pairs))


def test_a_table_of_a_hundred_columns_is_not_listed_whole() -> None:
    assert refused(pd.DataFrame({f"c{i}": [0] for i in range(100)})).count("c") < 60


@pytest.mark.parametrize("categories", [[1, "secret"], [True, "secret"], [("secret", 1)]])
@pytest.mark.parametrize("column", ["x", "y"])
def test_pandas_categories_of_mixed_types(categories: list[Any], column: str) -> None:
    """Of 1, 1.0 and True one category is kept, so a record would decide how others are read."""
    values = pd.Series(pd.Categorical([None, None], categories=categories))
    frame = pd.DataFrame({"x": [1, 2], "y": [1, 2], "z": [1, 2], column: values})
    found = refused(frame)
    assert f"column '{column}'" in found
    assert "mixed types" in found
    assert "secret" not in found
    for array in (values, values.array, pd.CategoricalIndex(values)):
        with pytest.raises(TableError, match="mixed types"):
            sample_from_arrays(array, [1, 1], X)
    assert read(frame, Grid(0, 9, "z"), Label.parse("z", 1)).n == 2


UNFIT = [
    pa.nulls(2),
    pa.array([[1], None]),
    pa.array([{"a": 1}, None]),
    pa.array([b"1", None]),
    pa.array([b"1", None], pa.large_binary()),
    pa.array([b"1", b"2"], pa.binary(1)),
    pa.array([[("a", 1)], None], pa.map_(pa.string(), pa.int8())),
    pa.array([date(2020, 1, 1), None]),
    pa.array([10**7, None], pa.int32()).cast(pa.date32()),
    pa.array([datetime(2020, 1, 1), None]),
    pa.array([2**50, None], pa.timestamp("s")),
    pa.array([timedelta(1), None]),
    pa.array([time(1), None]),
]


@pytest.mark.parametrize("array", UNFIT, ids=lambda a: str(a.type))
@pytest.mark.parametrize("column", ["x", "y"])
def test_a_declared_type_that_holds_no_numbers_or_texts(
    array: Any, column: str, tmp_path: Path
) -> None:
    """Some values of these types, a date in the year 30000 say, cannot even be read."""
    table = pa.table({"x": array if column == "x" else [1, 2], "y": array, "z": [1, 2]})
    parquet.write_table(table, tmp_path / "table.parquet")
    for source in (table, tmp_path / "table.parquet"):
        for empty in (False, True):
            chosen = source.slice(0, 0) if empty and source is table else source
            assert f"column '{column}'" in refused(chosen)
    # The other columns of the table are as good as ever.
    assert read(table, Grid(0, 9, "z"), Label.parse("z", 1)).n == 2


@pytest.mark.parametrize(
    "series",
    [
        pl.Series("x", [None, None]),
        pl.Series("x", [[1], None]),
        pl.Series("x", [{"a": 1}, None]),
        pl.Series("x", [b"1", None]),
        pl.Series("x", [2**30, None]).cast(pl.Date),
        pl.Series("x", [np.array([1, 2])], dtype=pl.Array(pl.Int64, 2)),
    ],
    ids=lambda series: str(series.dtype),
)
def test_polars_types_that_hold_no_numbers_or_texts(series: pl.Series) -> None:
    frame = pl.DataFrame({"x": series, "y": [1] * len(series)})
    assert "column 'x'" in refused(frame)
    assert "column 'x'" in refused(frame.head(0))


@pytest.mark.parametrize(
    "array",
    [
        pd.to_datetime(["2020-01-01", None]),
        pd.period_range("2020", periods=2, freq="D"),
        pd.arrays.SparseArray([0, 1]),
        pd.interval_range(0, 2),
        pd.array([[1], None], dtype=pd.ArrowDtype(pa.list_(pa.int64()))),
    ],
    ids=lambda array: str(array.dtype),
)
def test_pandas_types_that_hold_no_numbers_or_texts(array: Any) -> None:
    assert "column 'x'" in refused(pd.DataFrame({"x": array, "y": [1, 1]}))


def test_columns_without_a_value_are_data_where_their_type_is_declared(tmp_path: Path) -> None:
    nothing = pd.Categorical([None, None], categories=pd.Index([], dtype=object))
    blank = {
        "csv": csv_file({"x": [None, None], "y": [None, None]}, tmp_path),
        "object": pd.DataFrame({"x": [None, None], "y": [None, None]}, dtype=object),
        "float": pd.DataFrame({"x": [np.nan] * 2, "y": [np.nan] * 2}),
        "polars": pl.DataFrame(
            {"x": [None] * 2, "y": [None] * 2}, schema=dict.fromkeys("xy", pl.Int64)
        ),
        "categories": pd.DataFrame({"x": nothing, "y": nothing}),
        "arrow": pa.table({"x": pa.nulls(2, pa.string()), "y": pa.nulls(2, pa.float64())}),
    }
    for source in blank.values():
        assert plain(read(source, X, Y)) == {0: (2, 0)}
        with pytest.raises(TableError, match="'x'"):
            read_sample(open_table(source), X, Y, refuse_blank=True)


def test_refuse_blank_accepts_one_readable_value_in_each_column() -> None:
    frame = pd.DataFrame({"x": ["no", "3"], "y": ["1", ""]})
    assert read_sample(open_table(frame), X, Y, refuse_blank=True).n == 2
    cases: list[tuple[Domain[Any], Label, str | None]] = [
        (X, Label.parse("x", "> 3"), None),
        (Grid(0, 9, "y"), Label.parse("x", "> 3"), None),
        (Names(("a", "b"), "x"), Y, "x"),
        (X, Label.parse("z", "> 3"), "z"),
    ]
    for domain, label, column in cases:
        source = open_table(frame.assign(z="text"))
        if column is None:
            assert read_sample(source, domain, label, refuse_blank=True).n == 2
        else:
            with pytest.raises(TableError, match=f"'{column}'"):
                read_sample(source, domain, label, refuse_blank=True)


@pytest.mark.parametrize("make", [csv_file, gz_file, zip_file])
def test_files_without_a_record(make: Callable[[Columns, Path], Path], tmp_path: Path) -> None:
    assert "no rows" in refused(make({"x": [], "y": []}, tmp_path))


def test_frames_without_a_record(tmp_path: Path) -> None:
    typed = pa.table({"x": pa.array([], pa.int64()), "y": pa.array([], pa.string())})
    parquet.write_table(typed, tmp_path / "table.parquet")
    frames = [typed, tmp_path / "table.parquet", typed.to_pandas(), pl.from_arrow(typed)]
    for source in [*frames, pd.DataFrame({"x": [], "y": []}, dtype=object)]:
        assert "no rows" in refused(source)


def test_files_without_a_header(tmp_path: Path) -> None:
    for content in (b"", b"\n\n", b",,\n1,2,3\n", b'""\n'):
        (tmp_path / "table.csv").write_bytes(content)
        assert "no header" in refused(tmp_path / "table.csv")
    for content in (b'{"x": 7, "y": 1}\n', b'\n[ {"x": "Alice"},\n'):
        (tmp_path / "table.csv").write_bytes(content)
        shown = refused(tmp_path / "table.csv")
        assert "its first line looks like JSON lines" in shown
        assert "Alice" not in shown


@pytest.mark.parametrize("header", ["\n\nx,y", " x ,y ", "x,,y", ",x,y", "\ufeffx,y"], ids=ascii)
def test_headers_as_people_write_them(header: str, tmp_path: Path) -> None:
    """Blank lines before it, spaces around the names, a column without one."""
    row = ",".join("1" for _ in header.split(","))
    (tmp_path / "table.csv").write_text(f"{header}\n{row}\n", encoding="utf-8")
    assert plain(read(tmp_path / "table.csv", X, Y)) == {1: (0, 1)}


@pytest.mark.parametrize("column", ["x", "y"])
@pytest.mark.parametrize("multiline", [False, True])
def test_an_empty_line_is_a_record_without_values(
    column: str, multiline: bool, tmp_path: Path
) -> None:
    (tmp_path / "table.csv").write_text("x,y\n1,1\n\n2,2\n\n")
    table = open_table(tmp_path / "table.csv", multiline=multiline)
    assert list(read_mapped(table, Grid(0, 9, column), list)) == [1, 0, 2, 0]


@pytest.mark.parametrize("make", [csv_file, gz_file, zip_file, parquet_file])
def test_a_suffix_may_be_in_capitals(make: Callable[[Columns, Path], Path], tmp_path: Path) -> None:
    path = make({"x": [1], "y": [1]}, tmp_path)
    capitals = path.rename(tmp_path / path.name.upper())
    assert plain(read(capitals, X, Y)) == {1: (0, 1)}


def test_paths_to_nothing(tmp_path: Path) -> None:
    assert "no such file" in refused(tmp_path / "absent.csv")
    assert "no such file" in refused(str(tmp_path / "absent.parquet"))
    assert "there is no CSV or Parquet file" in refused(tmp_path)
    assert "there is no CSV or Parquet file" in refused(tmp_path / "*.csv")


@pytest.mark.parametrize("thing", [None, {"x": [1]}, [1], 3, np.zeros((2, 2))])
def test_things_that_are_no_table(thing: object) -> None:
    assert type(thing).__name__ in refused(thing)


def _damaged(folder: Path) -> dict[str, Path]:
    columns: Columns = {"x": list(range(2000)), "y": ["secret"] * 2000}
    whole_gz = gz_file(columns, folder).read_bytes()
    whole_zst = pa.compress(csv_file(columns, folder).read_bytes(), "zstd", asbytes=True)
    whole_zip = zip_file(columns, folder).read_bytes()
    parquet.write_table(pa.table(dict(columns)), folder / "whole.parquet", compression="zstd")
    whole_parquet = (folder / "whole.parquet").read_bytes()
    with zipfile.ZipFile(folder / "lzma.zip", "w", zipfile.ZIP_LZMA) as archive:
        archive.writestr("table.csv", csv_file(columns, folder).read_bytes())
    by_lzma = bytearray((folder / "lzma.zip").read_bytes())
    by_lzma[100:200] = bytes(100)
    locked = bytearray(whole_zip)
    locked[6] |= 1
    locked[whole_zip.index(b"PK\x01\x02") + 8] |= 1
    unknown = bytearray(whole_zip)
    unknown[8] = unknown[whole_zip.index(b"PK\x01\x02") + 10] = 77
    changed = bytearray(whole_zip)
    changed[200] ^= 1
    contents = {
        "cut.csv.gz": whole_gz[: len(whole_gz) // 2],
        "changed.csv.gz": whole_gz[:60] + bytes(40) + whole_gz[100:],
        "no.csv.gz": b"x,y\n1,1\n",
        "cut.csv.zst": whole_zst[: len(whole_zst) // 2],
        "no.csv.zst": b"x,y\n1,1\n",
        "empty.csv.zst": b"",
        "cut.csv.zip": whole_zip[: len(whole_zip) // 2],
        "no.csv.zip": b"x,y\n1,1\n",
        "changed.lzma.csv.zip": bytes(by_lzma),
        "locked.csv.zip": bytes(locked),
        "unknown.csv.zip": bytes(unknown),
        "changed.csv.zip": bytes(changed),
        "no.parquet": b"x,y\n1,1\n",
        "empty.parquet": b"",
        "cut.parquet": whole_parquet[: len(whole_parquet) // 2],
        "changed.parquet": whole_parquet[:40] + bytes(200) + whole_parquet[240:],
    }
    for name, content in contents.items():
        (folder / name).write_bytes(content)
    return {name: folder / name for name in contents}


def test_a_byte_order_mark_before_a_name_that_begins_like_one(tmp_path: Path) -> None:
    path = tmp_path / "table.csv"
    path.write_text("\N{FULLWIDTH LATIN SMALL LETTER X},y\n1,1\n", encoding="utf-8-sig")
    assert open_table(path).columns == ("\N{FULLWIDTH LATIN SMALL LETTER X}", "y")


@pytest.mark.parametrize("content", [b"y,x\n1,2\n", b"x\n1\n", b""])
def test_a_file_whose_header_was_changed_after_it_was_opened(
    content: bytes, tmp_path: Path
) -> None:
    """The columns were found by the old header, and would be other ones."""
    path = tmp_path / "table.csv"
    path.write_bytes(b"x,y\n1,1\n")
    table = open_table(path)
    path.write_bytes(content)
    for read_all in (table.rows, table.batches):
        with pytest.raises(TableError, match=r"changed since|no header"):
            list(read_all(["x"]))
    path.write_bytes(b"x,y\n3,1\n4,1\n")
    assert read_sample(table, X, Y).n == 2


def test_damaged_files_are_refused_without_a_word_of_what_they_hold(tmp_path: Path) -> None:
    for path in _damaged(tmp_path).values():
        found = refused(path)
        assert path.name in found
        assert "secret" not in found


@pytest.mark.parametrize("names", [[], ["a.csv", "b.csv"], ["folder/"]])
def test_an_archive_holds_one_file(names: list[str], tmp_path: Path) -> None:
    path = tmp_path / "table.csv.zip"
    with zipfile.ZipFile(path, "w") as archive:
        for name in names:
            archive.writestr(name, "x,y\n1,1\n" if name.endswith("v") else "")
    assert f"{len([n for n in names if n.endswith('v')])} files" in refused(path)


def test_a_folder_beside_the_one_file_of_an_archive_does_no_harm(tmp_path: Path) -> None:
    path = tmp_path / "table.csv.zip"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("folder/", "")
        archive.writestr("folder/table.csv", "x,y\n1,1\n")
    assert plain(read(path, X, Y)) == {1: (0, 1)}


@pytest.mark.parametrize(
    ("x", "y"),
    [
        ([1, 2], [1]),
        ([], []),
        (np.zeros((2, 1)), [1, 1]),
        ([1, 2], np.zeros((2, 2))),
        (np.array(3), [1]),
        (pd.DataFrame({"x": [1]}), [1]),
    ],
)
def test_arrays_of_other_shapes(x: Any, y: Any) -> None:
    with pytest.raises(DeclarationError, match="two"):
        sample_from_arrays(x, y, X)


def test_a_gzip_file_of_several_parts_is_read_whole(tmp_path: Path) -> None:
    path = tmp_path / "table.csv.gz"
    path.write_bytes(gzip.compress(b"x,y\n1,1\n") + gzip.compress(b"2,0\n"))
    assert plain(read(path, X, Y)) == {1: (0, 1), 2: (1, 0)}


def test_decimals_of_more_digits_than_are_read(tmp_path: Path) -> None:
    table = pa.table({"x": pa.array([Decimal(1)], pa.decimal256(60, 2)), "y": [1]})
    assert "'x'" in refused(table, domain=Strings("x"))


def test_a_pipe_is_no_missing_file(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    for source in ("-", Path("-"), tmp_path / "pipe", "/dev/null"):
        with pytest.raises(TableError, match="only `littlestone stream` reads a pipe"):
            open_table(source)


@pytest.mark.parametrize("names", [[0, 1], [0, "late"], [0.5, 1]])
def test_a_column_named_by_a_number_is_told_from_a_misspelled_one(names: list[Any]) -> None:
    frame = pd.DataFrame([[1, 2]], columns=pd.Index(names, dtype=object))
    with pytest.raises(TableError, match="names must be texts") as error:
        FrameTable(frame).require(str(names[0]))
    assert "did you mean" not in str(error.value)
    FrameTable(frame.set_axis(list(map(str, names)), axis=1)).require(str(names[0]))


@pytest.mark.parametrize(
    ("name", "content", "found", "fix"),
    [
        ("t.csv", "x;y\n1;1\n", "its header is one name", "--separator ';'"),
        ("t.tsv", "x|y\n1|1\n", "its header is one name", "--separator '|'"),
        ("t.csv", "x\ty\n1\t1\n", "tabs are between its columns", "--separator tab"),
        ("t.xls", "PK", "is not read", "save it as .xlsx, or as CSV in UTF-8"),
        ("t.xlsb", "PK", "is not read", "save it as .xlsx, or as CSV in UTF-8"),
        ("t.ODS", "PK", "is not read", "save it as .xlsx, or as CSV in UTF-8"),
        ("t.dbf", "PK", "not that of a CSV or Parquet file", "save it as CSV in UTF-8"),
    ],
)
def test_what_a_spreadsheet_saves(
    name: str, content: str, found: str, fix: str, tmp_path: Path
) -> None:
    path = tmp_path / name
    path.write_text(content)
    asked, _, advice = refused(path).partition("\nto fix it: ")
    assert found in asked
    assert fix in advice
    with pytest.raises(TableError) as error:
        draft_schema(path)
    assert fix in str(error.value)


@pytest.mark.parametrize(
    ("name", "content", "separator"),
    [
        ("t.tsv", "x\ty\n1\t1\n", None),
        ("t.csv", "x\ty\n1\t1\n", "tab"),
        ("t.csv", "x\ty\n1\t1\n", r"\t"),
        ("t.csv", "x;y\n1;1\n", ";"),
        ("t.tsv", "x|y\n1|1\n", "|"),
        ("t.csv", 'x y\n"1" 1\n', " "),
    ],
)
def test_other_separators(name: str, content: str, separator: str | None, tmp_path: Path) -> None:
    path = tmp_path / name
    path.write_text(content)
    for multiline in (False, True):
        found = read(path, X, Y, separator=separator, multiline=multiline)
        assert plain(found) == {1: (0, 1)}
    assert "[columns.x]" in draft_schema(open_table(path, separator=separator))


@each(("header", "given", "fix"), [
    ("x,y", ";", "--separator ','"), ('"x","y"', "|", "--separator ','"),
    ("x\ty", ";", "--separator tab"), ("x;y", None, "--separator ';'"),
    ("z,y", ";", None), ("12,5", ";", None),
])  # fmt: skip
def test_a_wrong_separator_is_not_blamed_on_the_header(
    header: str, given: str | None, fix: str | None, tmp_path: Path
) -> None:
    """Only the first line is looked at, and a comma only if it would cut off the column."""
    path = tmp_path / "t.csv"
    path.write_text(header + "\n1,1\n")
    with pytest.raises(TableError) as caught:
        read(path, X, Y, separator=given)
    assert (fix is None) == (caught.value.found == "its only column has another name")
    assert (fix or "name one of its columns") in caught.value.fix


def test_a_schema_is_drafted_of_one_name_with_commas_in_it(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_text('"income,,"\n1\n')
    assert '[columns."income,,"]' in draft_schema(open_table(path))
    path.write_text("x;y\n1;1\n")
    with pytest.raises(TableError, match="its first line is one name, with semicolons in it"):
        draft_schema(open_table(path))
    path.write_text("x,y\n1,1\n")
    for table in (path, tmp_path):
        with pytest.raises(TableError, match="one name, with commas in it") as caught:
            draft_schema(open_table(table, separator=";"))
        assert "--separator ','" in caught.value.fix


@pytest.mark.parametrize("suffix", [".tsv.gz", ".TSV.ZIP", ".tsv.zst"])
def test_the_suffix_of_a_compressed_file_names_its_separator(suffix: str, tmp_path: Path) -> None:
    path = tmp_path / f"t{suffix}"
    if suffix.endswith("zst"):
        with pa.CompressedOutputStream(str(path), "zstd") as stream:
            stream.write(b"x\ty\n1\t1\n")
    elif suffix.endswith("gz"):
        path.write_bytes(gzip.compress(b"x\ty\n1\t1\n"))
    else:
        with zipfile.ZipFile(path, "w") as archive:
            archive.writestr("any name", "x\ty\n1\t1\n")
    assert plain(read(path, X, Y)) == {1: (0, 1)}


@pytest.mark.parametrize("separator", ["", ";;", '"', "\n", "\r", "é", "\x00", 3])
def test_what_is_no_separator(separator: Any, tmp_path: Path) -> None:
    path = csv_file({"x": [1], "y": [1]}, tmp_path)
    with pytest.raises(DeclarationError, match="one character, such as ';', or the word tab"):
        open_table(path, separator=separator)


def test_what_has_no_lines_has_no_separator(tmp_path: Path) -> None:
    columns: Columns = {"x": [1], "y": [1]}
    path = csv_file(columns, tmp_path)
    for source in (pd.DataFrame(columns), parquet_file(columns, tmp_path), open_table(path)):
        for options in ({"separator": ";"}, {"multiline": True}):
            with pytest.raises(DeclarationError, match="not a CSV file, or is open already"):
                open_table(source, **options)


@pytest.mark.parametrize("separator", [",", ";"])
def test_a_header_closes_its_quotes_on_its_own_line(separator: str, tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    for multiline in (False, True):
        path.write_text(f'"x"{separator}"y\nSECRET"\n1{separator}1\n')
        with pytest.raises(TableError, match="a quote that is not closed") as error:
            open_table(path, separator=separator, multiline=multiline)
        assert "SECRET" not in str(error.value)
        path.write_text(
            f'"x"{separator}"a{separator}""b"""{separator}y\n1{separator}{separator}1\n'
        )
        table = open_table(path, separator=separator, multiline=multiline)
        assert table.columns == ("x", f'a{separator}"b"', "y")


def test_a_prediction_reads_the_columns_that_the_rule_tests(tmp_path: Path) -> None:
    """A class of many columns has rules of few, and only these must be there."""
    H: Any = parse_class("trees(age: 0..80 step 40, sex in {F, M}, ward; depth 2)")
    old, no_ward = ColumnTest(0, frozenset(["40", "80"])), ColumnTest(2, frozenset([""]))
    for root, tested in (
        (Split(old, 1, 0), ("age",)),
        (Split(no_ward, 0, 1), ("ward",)),
        (1, ("age",)),
    ):
        rule = DecisionTree(H.domain, root)
        assert rule.tested_columns == tested
        columns: Columns = {"ward": ["a", ""], "n": [1, 2], "age": [30, 50]}
        for source in (csv_file(columns, tmp_path), pd.DataFrame(columns), pl.DataFrame(columns)):
            places = list(
                read_mapped(open_table(source), H.domain, rule.places_of, rule.tested_columns)
            )
            assert [rule.places[i].label for i in places] == [
                rule(("0", "", "a")),
                rule(("40", "", "")),
            ]
    (tmp_path / "t.csv").write_text("sex\nF\n")
    with pytest.raises(TableError, match="give a table with the columns of the rule: age"):
        list(
            read_mapped(
                open_table(tmp_path / "t.csv"), H.domain, rule.places_of, rule.tested_columns
            )
        )
