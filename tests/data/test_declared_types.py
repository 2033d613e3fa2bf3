"""Declared types and names are public, so what can never be read is refused before a spend."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from pyarrow import parquet

import littlestone
from each import each
from littlestone.base.errors import DeclarationError, LittlestoneError, TableError
from littlestone.data.csv import CsvTable
from littlestone.data.frames import FrameTable, ParquetTable
from littlestone.data.table import Row, Table

N = 60
COLUMNS: dict[str, list[Any]] = {
    "age": list(range(20, 80)),
    "rate": [k / 100 for k in range(N)],
    "sex": ["F", "M"] * (N // 2),
    "code": [str(k) for k in range(N)],
    "late": [k > 30 for k in range(N)],
    "visits": [k % 3 for k in range(N)],
}


def parquet_of(folder: Path) -> Path:
    parquet.write_table(pa.table(COLUMNS), folder / "table.parquet")
    return folder / "table.parquet"


TYPED: list[Callable[[Path], Any]] = [
    parquet_of,
    lambda _: pl.DataFrame(COLUMNS),
    lambda _: pa.table(COLUMNS),
    lambda _: pd.DataFrame(COLUMNS).astype({"sex": "string", "code": "string"}),
    lambda _: pd.DataFrame(COLUMNS).convert_dtypes(dtype_backend="pyarrow"),
]


def csv_of(folder: Path) -> Path:
    pl.DataFrame(COLUMNS).write_csv(folder / "table.csv")
    return folder / "table.csv"


UNTYPED: list[Callable[[Path], Any]] = [csv_of, lambda _: pd.DataFrame(COLUMNS).astype(object)]


def fitted(table: object, target: str, rule: str, **label: Any) -> littlestone.Release:
    ledger = littlestone.Ledger()
    paid = {"epsilon": 1, "delta": "1e-6", "ledger": ledger, "dataset": "d"}
    try:
        return littlestone.fit(table, target, hypotheses=rule, **label, **paid)
    except LittlestoneError:
        assert ledger.entries() == []
        raise


AGE = "thresholds(age, 0..99)"

WRONG: list[tuple[str, str, dict[str, Any], str, str]] = [
    ("late", AGE, {"positive": "yes"}, "as boolean", "true or false"),
    ("late", AGE, {"positive": "2"}, "as boolean", "true or false"),
    ("visits", AGE, {"positive": "many"}, "as integer", "whole numbers"),
    ("visits", AGE, {"positive": "!= many"}, "as integer", "whole numbers"),
    ("visits", AGE, {"positive": "0.5"}, "as integer", "whole numbers"),
    ("rate", AGE, {"positive": "high"}, "as number", "numbers"),
    ("sex", AGE, {"positive": "> 1"}, "as text", "such as 'yes'"),
    ("visits", "lookup(sex; at most 2)", {"labels": "0,1,many"}, "as integer", "whole"),
    ("late", "thresholds(code, 0..99)", {"positive": "true"}, "as text", "{A, B}"),
    (
        "late",
        "conditions(age: 0..99, code: 0..99; at most 1)",
        {"positive": 1},
        "as text",
        "{A, B}",
    ),
    (
        "late",
        "direct_sum(thresholds(code, 0..9), points(sex))",
        {"positive": 1},
        "as text",
        "{A, B}",
    ),
    ("late", "rules(integers(code); at most 1)", {"positive": 1}, "as text", "{A, B}"),
    (
        "age",
        "conditions(late in {yes, no}; at most 1)",
        {"positive": "> 3"},
        "as boolean",
        "{False, True}",
    ),
    (
        "age",
        "conditions(late in {true}; at most 1)",
        {"positive": "> 3"},
        "as boolean",
        "{False, True}",
    ),
    (
        "age",
        "conditions(visits in {01}; at most 1)",
        {"positive": "> 3"},
        "as integer",
        "{0, 1, 2}",
    ),
    ("late", "thresholds(agee, 0..99)", {"positive": 1}, "none of its 6", "did you mean 'age'?"),
]


@each("source", TYPED)
@each(("target", "rule", "label", "found", "fix"), WRONG)
def test_what_a_declared_type_shows_to_be_wrong(
    source: Any, target: str, rule: str, label: Any, found: str, fix: str, tmp_path: Path
) -> None:
    with pytest.raises((DeclarationError, TableError)) as error:
        fitted(source(tmp_path), target, rule, **label)
    asked, _, advice = str(error.value).partition("\nto fix it: ")
    assert found in asked
    assert fix in advice


@each("source", UNTYPED)
@each(("target", "rule", "label", "found", "fix"), WRONG)
def test_an_undeclared_type_says_nothing(
    source: Any, target: str, rule: str, label: Any, found: str, fix: str, tmp_path: Path
) -> None:
    """Here the same error would be about records."""
    if "agee" in rule:
        return  # a missing column is refused anywhere
    assert fitted(source(tmp_path), target, rule, **label).n == N


@each("source", [*TYPED, *UNTYPED])
@each(
    ("target", "rule", "label"),
    [
        ("late", AGE, {"positive": "true"}),
        ("late", AGE, {"positive": True}),
        ("late", AGE, {"positive": "1"}),
        ("late", "thresholds(visits, 0..3)", {"positive": "> 0"}),
        ("rate", AGE, {"positive": "0.5"}),
        ("visits", AGE, {"positive": "2.0"}),
        ("visits", "lookup(sex; at most 2)", {"labels": "other,1,2"}),
        ("sex", "thresholds(late, 0..1)", {"positive": "F"}),
        (
            "sex",
            "conditions(late in {False, True}, visits in {0, 1}; at most 1)",
            {"positive": "F"},
        ),
        ("sex", "rules(age, code; at most 1)", {"positive": "F"}),
        ("code", AGE, {"positive": "!= 7"}),
    ],
)
def test_what_can_be_read_is_read(
    source: Any, target: str, rule: str, label: Any, tmp_path: Path
) -> None:
    assert fitted(source(tmp_path), target, rule, **label).n == N


@each("source", [*TYPED, *UNTYPED])
@each(
    ("positive", "fix"),
    [
        ("rate > 0", "give '> 0' for `positive` and 'rate' for `target`"),
        ("rate>0", "give '> 0' for `positive` and 'rate' for `target`"),
        ("rate = 0", "give '== 0' for `positive` and 'rate' for `target`"),
        ("visits >= 2", "give '>= 2' for `positive` and 'visits' for `target`"),
        ("sex == F", "give '== F' for `positive`;"),
    ],
)
def test_a_condition_that_begins_with_a_column(
    source: Any, positive: str, fix: str, tmp_path: Path
) -> None:
    with pytest.raises(DeclarationError) as error:
        fitted(source(tmp_path), "sex", AGE, positive=positive)
    assert fix in str(error.value)
    assert f"'== {positive}'" in str(error.value)
    if source is csv_of or source is parquet_of:
        assert "code" not in str(error.value)
    assert fitted(source(tmp_path), "sex", AGE, positive=f"== {positive}").n == N


@pytest.mark.parametrize("positive", ["rating > 0", "a rate > 0", "rate", "F"])
def test_other_texts_are_values(positive: str) -> None:
    assert fitted(pl.DataFrame(COLUMNS), "sex", AGE, positive=positive).n == N


def test_a_file_without_a_header_is_not_quoted(tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_text("Alice,41,yes\nBob,22,no\n")
    for target, rule in (("yess", "thresholds(40, 0..99)"), ("yes", "thresholds(40, 0..99)")):
        with pytest.raises(TableError) as error:
            fitted(tmp_path / "t.csv", target, rule, positive="no")
        assert "Alice" not in str(error.value)
        told = str(error.value).replace(str(tmp_path), "")  # its name may hold any digits
        assert "41" not in told
        assert "did you mean" not in told


class Unread(Table):
    """A table whose records must not be read."""

    def __init__(self, columns: Sequence[str], kinds: dict[str, Any]) -> None:
        self.name, self.columns, self._kinds = "the table", tuple(columns), kinds

    def kind(self, column: str) -> Any:
        return self._kinds.get(column)

    def rows(self, columns: Sequence[str]) -> Iterator[Row]:
        raise AssertionError("a record was read")

    def batches(self, columns: Sequence[str]) -> Iterator[Any]:
        raise AssertionError("a record was read")


def test_drafts_and_refusals_read_no_record() -> None:
    table = Unread(["age", "sex", "note"], {"age": "integer", "sex": "text"})
    draft = littlestone.draft_schema(table)
    assert [column.kind for column in littlestone.Schema.parse(draft).columns] == [
        "integer",
        "text",
        None,
    ]
    for rule, label in (("thresholds(sex, 0..9)", "1"), (AGE, "> 3"), (AGE, "note > 3")):
        with pytest.raises(LittlestoneError):
            fitted(table, "sex" if rule == AGE else "age", rule, positive=label)


@pytest.mark.parametrize("source", [*TYPED, *UNTYPED])
def test_a_draft_is_a_schema_and_depends_on_names_and_types_alone(
    source: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    table = source(tmp_path)
    for reader in (FrameTable, ParquetTable, CsvTable):
        for method in ("rows", "batches", "_values", "_coded", "_batches", "_records"):
            monkeypatch.setattr(reader, method, Unread.rows, raising=False)
    draft = littlestone.draft_schema(table)
    schema = littlestone.Schema.parse(draft)
    assert [column.name for column in schema.columns] == list(COLUMNS)
    kinds = ["integer", "number", "text", "text", "boolean", "integer"]
    assert [column.kind for column in schema.columns] == (
        kinds if source in TYPED else [None] * len(kinds)
    )
    told = draft.replace(str(tmp_path), "")  # its name may hold any digits
    assert "79" not in told
    assert "0.59" not in told
    for name in COLUMNS:
        assert f"[columns.{name}]\n" in draft
    assert ("CHECK" in draft) == (source is csv_of)


def test_an_empty_table_has_the_draft_of_a_full_one() -> None:
    full, none = pl.DataFrame(COLUMNS), pl.DataFrame(COLUMNS).clear()
    assert littlestone.draft_schema(full) == littlestone.draft_schema(none)


def test_columns_that_no_schema_can_hold(tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_text(',a b,"x""y",twice,twice\n1,2,3,4,5\n')
    draft = littlestone.draft_schema(tmp_path / "t.csv")
    assert [c.name for c in littlestone.Schema.parse(draft).columns] == ["a b", 'x"y']
    assert "Left out: 3 " in draft
    frame = pd.DataFrame([[1, 2, "2020-01-01"]], columns=[7, "a\nb\x1b[2J", "when"])
    frame["when"] = pd.to_datetime(frame["when"])
    draft = littlestone.draft_schema(frame)
    assert [c.name for c in littlestone.Schema.parse(draft).columns] == ["a\nb\x1b[2J"]
    assert "\x1b" not in draft
    assert "# [columns.when]  left out: its declared type is Datetime" in draft
    assert 'write type = "date" and range = [' in draft


def test_a_filled_draft_is_used(tmp_path: Path) -> None:
    path = parquet_of(tmp_path)
    draft = littlestone.draft_schema(path)
    draft = 'target = "late"\npositive = true\n' + draft
    draft = draft.replace("[columns.age]", "[columns.age]\nrange = [0, 120]")
    draft = draft.replace("[columns.rate]", "[columns.rate]\nrange = [0, 1]\nsteps = 4")
    (tmp_path / "schema.toml").write_text(draft)
    release = littlestone.fit(
        path,
        schema=tmp_path / "schema.toml",
        hypotheses="conditions(age, rate, visits at {1}; at most 1)",
        epsilon=1,
        ledger=littlestone.Ledger(),
    )
    assert release.n == N
    assert "age" in str(release)
