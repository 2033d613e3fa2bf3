"""Columns of days: what a cell shows, what a range is, and a rule from fit to predict."""

from __future__ import annotations

from datetime import UTC, date, datetime
from pathlib import Path

import numpy as np
import pandas
import pytest
from hypothesis import given
from hypothesis import strategies as st

import littlestone
from littlestone.base.errors import DeclarationError, LittlestoneError, TooLargeError
from littlestone.classes.text.mixed_columns import mixed_text, parse_mixed
from littlestone.data.forms import CellForm, Unread
from littlestone.learn.declared.schema import Schema
from littlestone.points import Dates, Domain, day
from littlestone.show.tree import drawing_of_release

GERMAN = CellForm(date="%d.%m.%Y")


class Hostile(datetime):
    """A date whose methods fail or lie."""

    def isoformat(self, *_: object) -> str:
        return "1066-10-14"

    def __str__(self) -> str:
        raise ValueError("a record")


@pytest.mark.parametrize(
    ("value", "shown"),
    [
        ("2021-03-01", "2021-03-01"),
        (" 2021-03-01T09:30:00+01:00 ", "2021-03-01"),
        ("2021-03-01 junk", "2021-03-01"),
        ("2021-3-1", None),
        ("2021-02-29", None),
        ("2020-02-29", "2020-02-29"),
        ("0000-01-01", None),
        ("\u0662021-03-01", None),
        ("", None),
        (None, None),
        (7, None),
        (20210301, None),
        (date(2021, 3, 1), "2021-03-01"),
        (datetime(2021, 3, 1, 23, 59, tzinfo=UTC), "2021-03-01"),
        (pandas.Timestamp("2021-03-01 08:00"), "2021-03-01"),
        (pandas.NaT, None),
        (np.datetime64("NaT"), None),
        (Hostile(2021, 3, 1), None),
    ],
)
def test_the_day_that_a_value_shows(value: object, shown: str | None) -> None:
    assert day(value) == shown


@pytest.mark.parametrize(
    ("cell", "shown"),
    [
        ("01.03.2021", "2021-03-01"),
        ("1.3.2021", "2021-03-01"),
        ("31.02.2021", None),
        ("2021-03-01", None),
        ("01.03.21", None),
        ("01.03.2021 09:30", None),
        ("", None),
        ("n/a", None),
    ],
)
def test_a_pattern_is_matched_whole(cell: str, shown: str | None) -> None:
    assert GERMAN(cell) == shown


def test_patterns_with_times_and_without_marks() -> None:
    assert CellForm(date="%d.%m.%Y %H:%M")("1.3.2021 9:30") == "2021-03-01"
    assert CellForm(date="%d.%m.%Y %H:%M")("1.3.2021 25:30") is None
    compact = CellForm(date="%Y%m%d")
    assert [compact("20210301"), compact("2021301"), compact("202103011")] == [
        "2021-03-01",
        None,
        None,
    ]


@pytest.mark.parametrize(
    ("pattern", "fix"),
    [
        ("dd.mm.yyyy", '"%d.%m.%Y"'),
        ("%d.%m.%y", "four digits"),
        ("%d.%m", "%Y"),
        ("%d.%d.%Y", "%S"),
        ("%Y-%m-%d %M", "%H"),
        ("%q", "%S"),
        ("%Y-%m-%d 0", "%S"),
    ],
)
def test_a_wrong_pattern_is_refused_with_a_right_one(pattern: str, fix: str) -> None:
    with pytest.raises(DeclarationError) as error:
        CellForm(date=pattern)
    assert fix in error.value.fix


@pytest.mark.deep
@given(
    st.one_of(
        st.text(), st.text(alphabet="0123456789-.T: "), st.dates(), st.datetimes(), st.none(),
        st.integers(), st.floats(), st.binary(),
    )
)  # fmt: skip
def test_no_cell_makes_a_column_of_days_fail(cell: object) -> None:
    column = Dates(("2021-01-01", "2021-02-01"), "x")
    for value in (cell, GERMAN(cell), CellForm(date="%Y/%m/%d %H:%M:%S")(cell)):
        assert column.encode(value) in column.points
        assert column.canonical(value) in column.points


@given(st.dates(), st.lists(st.dates(), min_size=1, max_size=6, unique=True))
def test_a_day_is_in_the_cell_that_a_slow_reading_gives(one: date, cuts: list[date]) -> None:
    starts = sorted(cuts)
    column = Dates(tuple(d.isoformat() for d in starts), "x")
    expected = max((d for d in starts if d <= one), default=starts[0])
    assert (
        column.encode(one) == column.encode(one.strftime("%Y-%m-%d").zfill(10)) or one.year < 1000
    )
    assert column.encode(one) == expected.isoformat()
    assert GERMAN(f"{one.day}.{one.month}.{one.year:04}") == one.isoformat()


@pytest.mark.parametrize(
    ("text", "starts"),
    [
        ("a: 2021-01-01..2021-04-01 step 1 month", "2021-01-01 2021-02-01 2021-03-01 2021-04-01"),
        ("a: 2021-11-15..2022-02-15 step 1 month", "2021-11-15 2021-12-15 2022-01-15 2022-02-15"),
        ("a: 2000-01-01..2010-01-01 step 5 years", "2000-01-01 2005-01-01 2010-01-01"),
        ("a: 2021-02-27..2021-03-02", "2021-02-27 2021-02-28 2021-03-01 2021-03-02"),
        ("a: 2024-02-01..2024-03-14 step 14 days", "2024-02-01 2024-02-15 2024-02-29 2024-03-14"),
        ("a at {2021-01-01, 2021-05-02}", "2021-01-01 2021-05-02"),
        ("a: 9999-11-01..9999-12-01 step 1 month", "9999-11-01 9999-12-01"),
    ],
)
def test_ranges_of_days(text: str, starts: str) -> None:
    column = parse_mixed(text)
    assert isinstance(column, Dates)
    assert column.starts == tuple(starts.split())
    assert parse_mixed(mixed_text(column)) == column
    assert Domain.from_json(column.to_json()) == column


@pytest.mark.parametrize(
    ("text", "error", "found"),
    [
        ("a: 2021-01-31..2021-12-31 step 1 month", DeclarationError, "a day 31"),
        ("a: 2021-01-01..2021-02-30", DeclarationError, "not a day of the calendar"),
        ("a: 1900-01-01..2021-01-01", TooLargeError, "4,096 cells"),
        ("a: 2021-01-01..2021-03-02 step 1 month", DeclarationError, "2021-01-01..2021-03-01 is"),
        ("a: 2021-05-01..2021-03-02", DeclarationError, "empty"),
        ("a: 2021-05-01..2021-05-02 step 0 days", DeclarationError, "step is 0"),
        ("a at {2021-05-01, 2021-03-01}", DeclarationError, "increasing"),
        ("a: 01.01.2021..31.12.2021", DeclarationError, "write year-month-day"),
        ("a: 2021/01/01..2021/12/31 step 1 month", DeclarationError, "write year-month-day"),
        ("a: 2021-01-01..2021-12-31 step 7", DeclarationError, "a step of days, months or years"),
        ("a: 2021-01..2021-12", DeclarationError, "write year-month-day"),
        ("a: datetime", DeclarationError, "write year-month-day"),
        ("a: 1.1.2021 to 3.4.2021", DeclarationError, "write year-month-day"),
    ],
)
def test_wrong_ranges_of_days(text: str, error: type[Exception], found: str) -> None:
    with pytest.raises(error, match=found):
        parse_mixed(text)


SCHEMA = """
separator = ";"
target = "neu"
positive = "Ja"
[columns.aufnahme]
type = "date"
format = "%d.%m.%Y"
range = [2021-01-01, 2021-12-01]
step = "1 month"
[columns.station]
values = ["ICU", "ER"]
[columns.neu]
type = "text"
"""


def test_a_rule_reads_days_from_fit_to_predict(tmp_path: Path) -> None:
    lines = [
        f"{d:02}.{m:02}.2021;{s};{'Ja' if m >= 7 and s == 'ICU' else 'Nein'}"
        for d in range(1, 28)
        for m in range(1, 13)
        for s in ("ICU", "ER")
    ]
    path = tmp_path / "t.csv"
    path.write_text("\n".join(["aufnahme;station;neu", *lines]))
    schema = Schema.parse(SCHEMA)
    release = littlestone.fit(
        path, schema=schema, hypotheses="conditions(*; at most 2)", epsilon=5,
        ledger=littlestone.Ledger(), dataset="t",
    )  # fmt: skip
    assert release.words() == "neu == Ja  <=>  aufnahme >= 2021-07-01 and station is ICU"
    assert "aufnahme: 2021-01-01..2021-12-01 step 1 month" in release.hypotheses
    new = tmp_path / "new.csv"
    new.write_text(
        "aufnahme;station\n30.06.2021;ICU\n1.7.2021;ICU\n2021-07-02;ICU\n;ICU\n1.1.2030;ICU\n"
    )
    again = littlestone.learn.Release.from_json(release.to_json())
    with pytest.warns(UserWarning, match="of 'aufnahme' are not read"):  # 2021-07-02
        assert again.predict(new) == [0, 1, 0, 0, 1]
    assert drawing_of_release(release).svg()
    with pytest.raises(LittlestoneError):
        release.to_sql("sqlite")


def test_why_a_day_is_not_read() -> None:
    column = Schema.parse(SCHEMA).columns[0]
    cells = ["1.3.2021", "2021-03-01", "1.3.2020", "1.1.2022", ""]
    assert list(map(column.unread, cells)) == [
        None, Unread.NO_DATE, Unread.OUTSIDE, Unread.OUTSIDE, Unread.EMPTY,
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("columns", "found"),
    [
        ('[columns.a]\ntype = "date"\nrange = [0, 5]', "not made of days"),
        ('[columns.a]\ntype = "date"\nrange = [2021-01-01]', "not made of days"),
        ('[columns.a]\ntype = "date"\nvalues = ["x"]', "values"),
        ('[columns.a]\ntype = "date"\nrange = [2021-01-01, 2021-02-01]\nstep = "1 week"', "step"),
        ('[columns.a]\ntype = "date"\nformat = "dd.mm.yyyy"', "no parts"),
        ('[columns.a]\ntype = "number"\nformat = "%d.%m.%Y"', "not a column of dates"),
        ('[columns.a]\ntype = "date"\nrange = [2021-01-01, 2021-02-30]', "TOML"),
    ],
)
def test_wrong_columns_of_days(columns: str, found: str) -> None:
    with pytest.raises(DeclarationError, match=found):
        Schema.parse(columns)


def test_days_and_numbers_are_told_apart() -> None:
    schema = Schema.parse('[columns.a]\ntype = "date"\n[columns.b]\ntype = "number"')
    for text in (
        "conditions(a: 0..9; at most 1)",
        "conditions(b: 2021-01-01..2021-01-09; at most 1)",
    ):
        with pytest.raises(DeclarationError, match="declares it as"):
            schema.require_class(littlestone.parse_class(text))
    schema.require_class(
        littlestone.parse_class("conditions(a: 2021-01-01..2021-01-09; at most 1)")
    )


@pytest.mark.parametrize(
    "text",
    [
        "thresholds(a, 2021-01-01..2021-12-31)",
        "thresholds(a: 2021-01-01..2021-12-31 step 1 month)",
        "intervals(a, 2021-01-01..2021-12-31; step 1 month)",
        "stumps(b 0..5, a 2021-01-01..2021-12-31)",
        "thresholds(a)",
        "boxes(a)",
    ],
)
def test_classes_of_ranges_name_the_classes_that_read_days(text: str) -> None:
    schema = Schema.parse(
        '[columns.a]\ntype = "date"\nrange = [2021-01-01, 2021-12-31]\n[columns.b]\ntype = "integer"'
    )
    with pytest.raises(DeclarationError, match="is one of days") as error:
        littlestone.parse_class(text, schema=schema.class_columns())
    assert "conditions(a: 2021-01-01..2021-12-31 step 1 month; at most 1)" in error.value.fix


def frames_of_days() -> list[object]:
    days = [date(2021, 6, 30), None, date(2021, 7, 1), date(2030, 1, 1), date(1, 1, 1)] * 30
    pandas_days = pandas.Series(days[:4] * 30, dtype="datetime64[ns]")
    label = [0, 0, 1, 1, 0]
    import polars
    import pyarrow

    return [
        polars.DataFrame({"d": days, "y": label * 30}),
        polars.DataFrame({"d": days, "y": label * 30}).with_columns(
            polars.col("d").cast(polars.Datetime)
        ),
        pandas.DataFrame({"d": pandas_days, "y": label[:4] * 30}),
        pyarrow.table({"d": pyarrow.array(days, pyarrow.date32()), "y": label * 30}),
    ]


@pytest.mark.parametrize("which", range(4))
def test_frames_of_days_are_read(which: int) -> None:
    frame = frames_of_days()[which]
    text = "conditions(d: 2021-01-01..2021-12-01 step 1 month; at most 1)"
    release = littlestone.fit(
        frame, "y", positive=1, hypotheses=text, epsilon=8, ledger=littlestone.Ledger(), dataset="d"
    )
    assert release.words() == "y == 1  <=>  d >= 2021-07-01"
    assert release.predict(frame)[:4] == [0, 0, 1, 1]
    with pytest.raises(LittlestoneError, match="type"):  # numbers do not read days
        littlestone.fit(
            frame, "y", positive=1, hypotheses="conditions(d: 0..9; at most 1)", epsilon=8,
            ledger=littlestone.Ledger(), dataset="d",
        )  # fmt: skip


def test_days_in_parquet_and_outside_the_calendar(tmp_path: Path) -> None:
    import pyarrow
    from pyarrow import parquet

    stored = pyarrow.array([18809, 18808, None, 10**8, -(10**8)] * 20, pyarrow.int32())
    table = pyarrow.table({"d": stored.cast(pyarrow.date32()), "y": [1, 0, 0, 0, 0] * 20})
    parquet.write_table(table, tmp_path / "t.parquet")
    schema = Schema.parse(
        '[columns.d]\ntype = "date"\nformat = "%d.%m.%Y"\nrange = [2021-01-01, 2021-12-01]\n'
        'step = "1 month"\n[columns.y]\ntype = "integer"'
    )
    release = littlestone.fit(
        tmp_path / "t.parquet", "y", positive=1, schema=schema, epsilon=8, dataset="d",
        hypotheses="conditions(d; at most 1)", ledger=littlestone.Ledger(),
    )  # fmt: skip
    assert release.words() == "y == 1  <=>  d >= 2021-07-01"
    assert release.predict(tmp_path / "t.parquet")[:5] == [1, 0, 0, 0, 0]


def test_days_declared_as_anything_else_say_how_to_declare_them() -> None:
    frame = pandas.DataFrame({"d": pandas.to_datetime(["2021-07-01"] * 9), "y": [1] * 9})
    for text in ("d: 0..9", "d", "d: number"):
        with pytest.raises(LittlestoneError, match="such as d: 2021-01-01"):
            littlestone.check(frame, "y", positive=1, hypotheses=f"conditions({text}; at most 1)")


def test_times_with_a_zone_are_refused() -> None:
    frame = pandas.DataFrame({"d": pandas.to_datetime(["2021-07-01"] * 9, utc=True), "y": [1] * 9})
    with pytest.raises(LittlestoneError, match=r"declared type.*\n.*take the zone away"):
        littlestone.fit(
            frame, "y", positive=1, epsilon=1, ledger=littlestone.Ledger(), dataset="d",
            hypotheses="conditions(d: 2021-01-01..2021-12-01 step 1 month; at most 1)",
        )  # fmt: skip
