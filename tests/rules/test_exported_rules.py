"""Exported rules predict what `predict` does, on a table of nasty values; else they are refused."""

from __future__ import annotations

import random
import re
import sqlite3
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from fractions import Fraction
from functools import partial
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from nasty import (
    RECORDS,
    TABLE,
    TYPES,
    UNSURE,
    assigned,
    created,
    predicted,
    rows,
    selected,
    sqlite,
    told,
)
from walked import by_hand, walked

from littlestone.base.errors import DeclarationError, LittlestoneError, OutputError, TooLargeError
from littlestone.data import open_table, read_mapped
from littlestone.points import Cells, Grid, Integers, Listed, Product, Strings, text
from littlestone.rules import (
    Box,
    ColumnTest,
    DecisionTree,
    FiniteSet,
    Hypothesis,
    LookupTable,
    RuleUnion,
    ScoreSheet,
    StepFunction,
    TableFunction,
)
from littlestone.rules.languages import sql as sql_module
from littlestone.rules.languages.form import Either, Not, OneOf, Within, require_small
from littlestone.rules.languages.sql_dialect import Dialect
from littlestone.rules.nodes import Split
from servers import Server

Rule = Hypothesis[Any]
Table = Mapping[str, Sequence[Any]]
Labels = Callable[[Rule, Mapping[str, str], Mapping[str, str]], list[Any]]
"""The labels of all records, by the rule on the columns with these names, and of these types."""

NO_SQLGLOT = "sqlglot is not installed: pip install '.[sql]'"
LOOSE = "CREATE COLLATION loose (provider = icu, locale = 'und-u-ks-level1', deterministic = false)"


class Engine:
    """A database with the table ``t`` of nasty values."""

    def __init__(self, dialect: str, rows_of: Callable[[str], list[Any]]) -> None:
        self.dialect, self.rows_of = dialect, rows_of

    def __call__(self, h: Rule, names: Mapping[str, str], types: Mapping[str, str]) -> list[Any]:
        sql = h.to_sql(self.dialect, types=types)
        return [value for (value,) in self.rows_of(selected([sql], names))]


def sqlite_engine() -> Engine:
    connection = sqlite()
    return Engine("sqlite", lambda query: connection.execute(query).fetchall())


def duckdb_engine() -> Engine:
    duckdb = pytest.importorskip("duckdb", reason="duckdb is not installed: make engines")
    connection = duckdb.connect()
    connection.execute(created("duckdb"))
    marks = ", ".join("?" * (len(TABLE) + 1))
    connection.executemany(f"INSERT INTO t VALUES ({marks})", rows())
    return Engine("duckdb", lambda query: list(connection.execute(query).fetchall()))


def postgres_engine(server: Server) -> tuple[Any, Engine]:
    import psycopg

    connection = psycopg.connect(server.database(), autocommit=True)
    connection.execute(LOOSE)
    connection.execute(created("postgres").encode())
    marks = ", ".join(["%s"] * (len(TABLE) + 1))
    connection.cursor().executemany(f"INSERT INTO t VALUES ({marks})".encode(), rows())
    return connection, Engine("postgres", lambda q: connection.execute(q.encode()).fetchall())


def by_polars(h: Rule, names: Mapping[str, str], types: Mapping[str, str]) -> list[Any]:
    frame = FRAME.select(pl.col(held).alias(name) for name, held in names.items())
    labels: list[Any] = frame.with_columns(label=h.to_polars(types=types))["label"].to_list()
    return labels


def by_pandas(h: Rule, names: Mapping[str, str], types: Mapping[str, str]) -> list[Any]:
    frame = pd.DataFrame({name: PANDAS[held] for name, held in names.items()})
    found: list[Any] = [None] * RECORDS
    for y in range(h.labels):
        for i in frame.query(h.to_pandas_query(y, types=types), engine="python").index:
            assert found[i] is None, "a record has two labels"
            found[i] = y
    return found


def by_code(h: Rule, names: Mapping[str, str], types: Mapping[str, str]) -> list[Any]:
    frame = pd.DataFrame({name: PANDAS[held] for name, held in names.items()})
    frame.index = [i // 2 for i in range(RECORDS)]  # with repeats
    found = eval(h.to_pandas(types=types), {"pandas": pd, "df": frame})
    assert found.index.equals(frame.index)
    labels: list[Any] = found.to_list()
    return labels


FRAMES = {"polars": by_polars, "pandas": by_pandas, "pandas code": by_code}


def arrow_column(name: str) -> pa.Array:
    kinds = {
        "text": pa.string(), "integer": pa.int64(), "decimal": pa.decimal128(12, 2),
        "double": pa.float64(), "real": pa.float32(), "boolean": pa.bool_(),
    }  # fmt: skip
    return pa.array(TABLE[name], kinds[name.split("_")[0]])


FRAME: Any = pl.from_arrow(pa.table({name: arrow_column(name) for name in TABLE}))
NUMPY = {"text": "str", "integer": "Int64", "decimal": "object", "real": "float32"}
PANDAS = {
    name: pd.array(
        [np.nan if v is None and name.startswith(("double", "real")) else v for v in values],
        dtype={**NUMPY, "double": "float64", "boolean": "boolean"}[name.split("_")[0]],
    )
    for name, values in TABLE.items()
}


@pytest.fixture(scope="module", params=["sqlite", "duckdb", "postgres", *FRAMES])
def engine(request: pytest.FixtureRequest) -> Iterator[Any]:
    if request.param in FRAMES:
        yield FRAMES[request.param]
        return
    pytest.importorskip("sqlglot", reason=NO_SQLGLOT)
    if request.param == "postgres":
        connection, found = postgres_engine(request.getfixturevalue("running_server"))
        yield found
        connection.close()
        return
    yield {"sqlite": sqlite_engine, "duckdb": duckdb_engine}[request.param]()


def columns_of(engine: Any) -> Table:
    """The records, as the engine stores them: SQLite has no truth values and no decimals."""
    if getattr(engine, "dialect", "") != "sqlite":
        return TABLE
    names = ", ".join(TABLE)
    stored = engine.rows_of(f"SELECT {names} FROM t ORDER BY place")
    return dict(zip(TABLE, zip(*stored, strict=True), strict=True))


def exported() -> Iterator[tuple[int, Rule]]:
    """The functions that have a form, numbered."""
    for number, h in enumerate(h for some in walked().values() for h in some):
        if not refusal(h):
            yield number, h


def refusal(h: Rule) -> str:
    """Why the function has no form as conditions, or nothing."""
    try:
        h._cases({})
    except LittlestoneError as error:
        return error.found
    return ""


def faults(engine: Any, functions: Iterable[tuple[int, Rule]], kinds: int) -> Iterator[str]:
    """Where the engine and `predict` differ; each function is tried with columns of some types."""
    columns = columns_of(engine)
    for number, h in functions:
        for kind in {TYPES[(number + 5 * i) % 6] for i in range(kinds)}:
            names = assigned(h, kind)
            try:
                given = engine(h, names, told(h, kind))
            except DeclarationError as error:
                if not any(part in str(error) for part in REFUSED):
                    raise
                continue
            expected = predicted(h, names, columns)
            for i, (label, y) in enumerate(zip(given, expected, strict=True)):
                cells = [columns[held][i] for held in names.values()]
                unsure = kind == "text" and any(cell in UNSURE for cell in cells)
                if label != y and not (label is None and unsure):
                    yield f"{h.words()} of {kind}: {cells} is {y}, and here {label}"


REFUSED = (
    "the rule asks for its numbers",
    "compares decimals",
    "cannot quote",
    "has over 15 digits",
)
"""What frames have no form for: numbers in texts, decimals of pandas, and long constants."""


def test_a_function_of_each_class_predicts_the_same_everywhere(engine: Any) -> None:
    assert list(faults(engine, exported(), 1)) == []


def test_functions_with_edges_predict_the_same_on_columns_of_all_types(engine: Any) -> None:
    some = (pair for pair in enumerate(by_hand()) if not refusal(pair[1]))
    assert list(faults(engine, some, 3)) == []


def test_a_table_of_thousands_of_keys_predicts_the_same_everywhere(engine: Any) -> None:
    """Some keys are in the table of records, with quotes and the missing one; most are not."""
    texts = sorted(set(map(text, TABLE["text_0"])))
    others = [f"U{k}'" for k in range(5_000)]
    keys = [*texts[::2], *others]
    rule = LookupTable(Strings("s"), 3, frozenset((x, 1 + k % 2) for k, x in enumerate(keys)))
    assert list(faults(engine, [(TYPES.index("text"), rule)], 1)) == []


def test_each_class_is_exported_or_refused_with_a_reason() -> None:
    outcomes = {name: {refusal(h) for h in some} for name, some in walked().items()}
    no_form = "functions of its kind are not conditions on columns, and it has "
    assert outcomes.pop("BucketTable") == {f"{no_form}endless points, above 4,096"}
    for name, found in outcomes.items():
        assert "" in found, f"{name} is never exported"
        assert all(not why or why.startswith(no_form) for why in found), name


def test_what_predict_makes_of_a_frame_is_what_is_compared_here() -> None:
    for h in (
        FiniteSet(Strings("s"), frozenset(["a", "0.29", ""])),
        StepFunction(Grid(0, 9, "s"), 0, (3,)),
    ):
        for kind in TYPES:
            names = assigned(h, kind)
            frame = FRAME.select(pl.col(held).alias(name) for name, held in names.items())
            assert list(read_mapped(open_table(frame), h.domain, partial(map, h))) == predicted(
                h, names
            )


@pytest.mark.parametrize(("dialect", "most"), [("postgres", 430), ("duckdb", 430), ("sqlite", 870)])
def test_numbers_in_texts_are_read_by_sql_that_people_can_read(dialect: str, most: int) -> None:
    pytest.importorskip("sqlglot", reason=NO_SQLGLOT)
    corner = Box(Product((Grid(0, 9, "x"), Grid(0, 9, "y"))), ((2, 9), (4, 9)))
    for types in ({}, {"x": "text", "y": "text"}):
        sql = corner.to_sql(dialect, types=types)
        assert len(sql) <= most
        assert all(len(line) <= 160 and line.isprintable() for line in sql.split("\n"))


PARTS = [
    *"12059.-+eE_ \n\t\r\v\x1c\x85\xa0\u2003\x01٣éatnx,ſ", "true", "FALSE", "inf", "fa", "1e3", "e-400",
    "15", "infinity", "000000",
]  # fmt: skip
SURE_PARTS = r"[ \n\t]*[-+]?[0-9.]{1,14}[ \n\t]*|true|FALSE|[0-9-]{,15}|[a-z]*x[a-z]*"


def test_texts_of_parts_of_numbers_are_read_rightly_or_not_at_all(engine: Any) -> None:
    if engine in FRAMES.values():
        pytest.skip("frames refuse numbers in texts")
    rng = random.Random(0)
    texts = [
        "".join(rng.choices(PARTS, k=rng.choice((1, 2, 2, 3, 3, 4, 5, 8)))) for _ in range(3000)
    ]
    values = ", ".join("({}, '{}')".format(i, v.replace("'", "''")) for i, v in enumerate(texts))
    for h in (step(0, (2,)), step(1, (1,)), step(0, (0,)), step(1, (-1, 3)), step(0, (0, 1))):
        sql = h.to_sql(engine.dialect, types={"s": "text"})
        query = f'WITH v(place, "s") AS (VALUES {values}) SELECT {sql} FROM v ORDER BY place'
        for shown, (label,) in zip(texts, engine.rows_of(query), strict=True):
            sure = re.fullmatch(SURE_PARTS, shown)
            right = label == h(h.domain.encode_record((shown,)))
            assert right or (label is None and not sure), (h.words(), shown, label)


def step(first: int, cuts: tuple[int, ...]) -> Rule:
    return StepFunction(Grid(-100, 900, "s"), first, cuts)


# Columns of other types than the rule expects, if nothing says so.

NUMBERS = Product((Cells(("0", "3"), "s"),))
OLD, PRESENT = ColumnTest(0, frozenset(["3"])), ColumnTest(0, frozenset(["0", "3"]))
EXPECTED: list[Rule] = [
    FiniteSet(Strings("s"), frozenset(["a", "1", "5", "True", "0.3", ""])),
    FiniteSet(Strings("s"), frozenset(["a", "True"]), 1),
    StepFunction(Grid(0, 9, "s"), 0, (3,)),
    StepFunction(Grid(0, 9, "s"), 1, (3, 5)),
    DecisionTree(NUMBERS, Split(OLD, 1, Split(PRESENT, 0, 1))),
]


def test_columns_of_other_types_are_refused_by_the_engine_or_predicted_rightly(engine: Any) -> None:
    if engine in (by_pandas, by_code):
        pytest.skip("pandas compares texts with numbers: docs/how-to/export-a-rule.md")
    columns, refused = columns_of(engine), 0
    for h in EXPECTED:
        for kind in TYPES:
            names = assigned(h, kind)
            try:
                given = engine(h, names, {})
            except LittlestoneError:
                raise
            except Exception:  # of the engine's own
                refused += 1
                continue
            pairs = zip(given, predicted(h, names, columns), strict=True)
            wrong = [(label, y) for label, y in pairs if label not in (y, None)]
            assert wrong == [], (h.words(), kind)
    assert refused or engine.dialect == "sqlite"


# Types and collations of a database that take texts for equal.


def labels_in(connection: Any, dialect: str, rule: Rule, column: str, **types: str) -> list[Any]:
    sql = rule.to_sql(dialect, types=types)
    query = f'SELECT {sql} FROM (SELECT place, {column} AS "s" FROM p) AS t ORDER BY place'
    return [label for (label,) in connection.execute(query).fetchall()]


TEXTS = ["a", "A", "a ", "ä", None, ""]
A, PADDED = FiniteSet(Strings("s"), frozenset("a")), FiniteSet(Strings("s"), frozenset(["a "]))


def test_padding_and_case_of_postgresql_types(running_server: Server) -> None:
    pytest.importorskip("sqlglot", reason=NO_SQLGLOT)
    import psycopg

    with psycopg.connect(running_server.database(), autocommit=True) as connection:
        connection.execute(LOOSE)
        connection.execute("CREATE TYPE e AS ENUM ('a', 'A', 'a ', 'ä', '')")
        connection.execute(
            "CREATE TABLE p (place int, c char(5), l text COLLATE loose, e e, n name)"
        )
        for i, v in enumerate(TEXTS):
            connection.execute("INSERT INTO p VALUES (%s, %s, %s, %s, %s)", (i, v, v, v, v))
        # A cast to text takes the padding of a char(n) away, and so does the table that is read.
        assert labels_in(connection, "postgres", A, "c") == [1, 0, 1, 0, 0, 0]
        assert labels_in(connection, "postgres", PADDED, "c") == [0] * 6
        for column in "ln":
            assert labels_in(connection, "postgres", A, column) == [1, 0, 0, 0, 0, 0]
            assert labels_in(connection, "postgres", PADDED, column) == [0, 0, 1, 0, 0, 0]
        assert labels_in(connection, "postgres", A, "e", s="text") == [1, 0, 0, 0, 0, 0]


def test_collations_of_duckdb_and_sqlite() -> None:
    pytest.importorskip("sqlglot", reason=NO_SQLGLOT)
    duckdb = pytest.importorskip("duckdb", reason="duckdb is not installed: make engines")
    for connection, dialect, columns in (
        (
            duckdb.connect(),
            "duckdb",
            "n VARCHAR COLLATE NOCASE.NOACCENT, e ENUM('a', 'A', 'a ', 'ä', '')",
        ),
        (sqlite3.connect(":memory:"), "sqlite", "n TEXT COLLATE NOCASE, e TEXT COLLATE RTRIM"),
    ):
        connection.execute(f"CREATE TABLE p (place INTEGER, {columns})")
        for i, v in enumerate(TEXTS):
            connection.execute("INSERT INTO p VALUES (?, ?, ?)", (i, v, v))
        for column in "ne":
            types = {"s": "text"} if column == "e" else {}
            assert labels_in(connection, dialect, A, column, **types) == [1, 0, 0, 0, 0, 0]
            assert labels_in(connection, dialect, PADDED, column, **types) == [0, 0, 1, 0, 0, 0]


def test_sqlite_keeps_values_of_any_type_in_a_column() -> None:
    pytest.importorskip("sqlglot", reason=NO_SQLGLOT)
    connection = sqlite3.connect(":memory:")
    connection.execute("CREATE TABLE p (place, v)")
    values = [5, 5.0, "5", " 5 ", b"5", None, "", "x", "1e1", float("inf"), 2**62]
    connection.executemany("INSERT INTO p VALUES (?, ?)", enumerate(values))
    at_least, five = StepFunction(Grid(0, 9, "s"), 0, (5,)), FiniteSet(Strings("s"), frozenset("5"))
    told = labels_in(connection, "sqlite", at_least, "v", s="text")
    assert told == [1, 1, 1, 1, 0, 0, 0, 0, None, 1, 1]
    untold = labels_in(connection, "sqlite", at_least, "v")
    assert untold == [1, 1, None, None, None, 0, None, None, None, 1, 1]
    assert labels_in(connection, "sqlite", five, "v") == [1, 1, 1, 0, 0, 0, 0, 0, 0, 0, 0]


# Names and values that would end a quote.


def test_nothing_in_a_name_or_a_value_is_read_as_sql() -> None:
    sqlglot = pytest.importorskip("sqlglot", reason=NO_SQLGLOT)
    evil = """x"; DROP TABLE t; -- ' \\ `a` /* */ %s :p @v ${x}\n"""
    rule = FiniteSet(Strings(evil), frozenset([evil, "\\", "'", '"', "\\'"]))
    for dialect in ("postgres", "duckdb", "sqlite"):
        sql = rule.to_sql(dialect, names=["'; --", evil])
        (read,) = sqlglot.parse(f"SELECT {sql}", dialect=dialect)
        exp = sqlglot.exp
        assert {column.name for column in read.find_all(exp.Column)} == {evil}
        literals = {v.this for v in read.find_all(exp.Literal) if v.is_string}
        assert literals - {"text", "integer", "real"} == {*rule.members, "'; --", evil}
    names = ("x y", "if", "class", "e'\"x", "é", "#", "@a", "a b; c")
    for name in names:
        frame = pd.DataFrame({name: ["'", '"', "`@x`", "\\", "a\nb", "💩", "{x}"]})
        for v in frame[name]:
            rule = FiniteSet(Strings(name), frozenset([v]))
            assert frame.query(rule.to_pandas_query(), engine="python")[name].to_list() == [v]


# Refusals


def fails(call: Callable[[], object], kind: type[Exception], words: str) -> None:
    with pytest.raises(kind) as raised:
        call()
    assert words in str(raised.value)


def test_what_has_no_form_is_refused_with_the_reason() -> None:
    pytest.importorskip("sqlglot", reason=NO_SQLGLOT)
    many = FiniteSet(Strings("s"), frozenset(map(str, range(1001))))
    numbers = {"s": "integer"}
    for write in (partial(many.to_sql, "sqlite"), many.to_polars, many.to_pandas_query):
        with pytest.raises(TooLargeError, match=r"1,001 constants, and the limit is 1,000"):
            write(types=numbers)
    endless = FiniteSet(Strings("s"), frozenset(map(str, range(100_001))))
    fails(
        lambda: endless.to_sql("sqlite"), TooLargeError, "100,001 texts, and the limit is 100,000"
    )
    fails(endless.to_polars, TooLargeError, "limit is 100,000")
    fails(endless.to_pandas_query, TooLargeError, "limit is 100,000")
    fails(lambda: A.to_sql("mysql"), DeclarationError, "postgres, duckdb, sqlite")
    fails(lambda: A.to_sql("sqllite"), DeclarationError, "did you mean 'sqlite'?")
    fails(lambda: A.to_sql("sqlite", types={"s": "str"}), DeclarationError, "'str' is not a type")
    fails(lambda: A.to_sql("sqlite", types={"t": "text"}), DeclarationError, "is not about")
    nul = FiniteSet(Strings("s"), frozenset("\0"))
    fails(lambda: nul.to_sql("sqlite"), DeclarationError, "NUL")
    cut = StepFunction(Grid(0, 9, "a`b"), 0, (5,))
    fails(cut.to_pandas_query, DeclarationError, "cannot quote")
    fails(lambda: cut.to_polars(types={"a`b": "text"}), DeclarationError, "asks for its numbers")


BITS = Product(tuple(Grid(0, 1, f"s{i}") for i in range(9)))
AT_THE_LIMIT: list[Rule] = [
    StepFunction(Grid(0, 10**6, "s"), 0, tuple(range(1, 2000, 2))),
    FiniteSet(Integers("s"), frozenset(range(0, 2700, 3))),
    RuleUnion(Product((Strings("s"), Strings("u"))), frozenset((str(i),) * 2 for i in range(500))),
    TableFunction.from_labels(BITS, [sum(x) % 2 for x in BITS]),
]


@pytest.mark.parametrize("h", AT_THE_LIMIT, ids=lambda h: type(h).__name__)
def test_rules_at_the_limits_are_read_by_sqlite(h: Rule) -> None:
    """Its parser has the lowest limits."""
    pytest.importorskip("sqlglot", reason=NO_SQLGLOT)
    names = ", ".join(h.domain.column_names)
    records = [[v] * len(h.domain.column_names) for v in (None, 0, 1, 2, 3, 300)]
    rows = ", ".join(f"({', '.join('NULL' if v is None else str(v) for v in r)})" for r in records)
    query = f"WITH t({names}) AS (VALUES {rows}) SELECT {h.to_sql('sqlite')} FROM t"
    given = [label for (label,) in sqlite3.connect(":memory:").execute(query)]
    assert given == [h(h.domain.encode_record(record)) for record in records]


@pytest.mark.parametrize("package", ["sqlglot", "polars"])
def test_a_missing_package_is_named(package: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, package, None)
    sheet: Any = ScoreSheet(Product((Listed(("F",), "sex"),)), (0,), ((0, 1, 2),), 1, (0, 1))
    for rule in (A, sheet):
        write = rule.to_polars if package == "polars" else partial(rule.to_sql, "sqlite")
        fails(write, OutputError, f"{package} is not installed")


# Planted mistakes: of NULL, NaN, collations and types.


CONDITION, VALUE = Dialect._condition, Dialect._value
CELL = Dialect._cell


def forgotten_not(self: Any, condition: Any) -> Any:
    """Plain NOT, of which NULL is NULL."""
    if isinstance(condition, Not):
        return self.exp.not_(self.exp.paren(self._cell(condition.part)))
    return CONDITION(self, condition)


def forgotten_else(self: Any, outcome: Any, unsure: Any = ()) -> Any:
    """A CASE without ELSE, which is NULL."""
    found = VALUE(self, outcome, unsure)
    found.set("default", None)
    return found


def first_label_first(self: Any, outcome: Any, unsure: Any = ()) -> Any:
    """The branches in the opposite order."""
    found = VALUE(self, outcome, unsure)
    if found.args.get("ifs"):
        found.set("ifs", found.args["ifs"][::-1])
    return found


def own_collation(self: Any, text: Any) -> Any:
    return text


def nan_is_a_number(self: Any, column: Any, cell: Any, kind: Any) -> Any:
    return self._exactly(column, cell)


def every_text_is_read(self: Any, columns: Sequence[str]) -> list[Any]:
    return []


def every_text_is_a_number(self: Any, column: Any) -> Any:
    return self.exp.true()


def null_is_no_value(self: Any, cell: Any) -> Any:
    if isinstance(cell, OneOf) and "" in cell.values:
        cell = OneOf(cell.column, tuple(v for v in cell.values if v) or ("?",))
    return CELL(self, cell)


def words_are_no_numbers(digits: int) -> str:
    """Exponents and long numbers alone are left to `predict`."""
    return rf"(?im)^[-+. \d]*(\d\.?e[-+]?\d|[\d.]{{{digits}}})[-+. \d]*$"


def the_rest_is_not_read(core: str) -> str:
    """A number that a text begins with counts as its number."""
    return rf"^\s*({core})"


def no_word_is_a_number(self: Any, column: Any, cell: Any) -> list[Any]:
    return []


PLANTS: list[tuple[str, str, Callable[..., Any], str]] = [
    ("Dialect", "_condition", forgotten_not, "sqlite"),
    ("Dialect", "_value", forgotten_else, "sqlite"),
    ("Dialect", "_value", first_label_first, "sqlite"),
    ("Dialect", "_cell", null_is_no_value, "duckdb"),
    ("_TypedDialect", "_bytes", own_collation, "duckdb"),
    ("_TypedDialect", "_within", nan_is_a_number, "duckdb"),
    ("Sqlite", "_unsure", every_text_is_read, "sqlite"),
    ("DuckDb", "_unsure", every_text_is_read, "duckdb"),
    ("Dialect", "_shows_truth", no_word_is_a_number, "duckdb"),
    ("constants", "unsure", words_are_no_numbers, "duckdb"),
    ("constants", "alone", the_rest_is_not_read, "duckdb"),
    ("Sqlite", "_is_number", every_text_is_a_number, "sqlite"),
]


@pytest.mark.parametrize(
    ("kind", "method", "wrong", "dialect"), PLANTS, ids=lambda v: getattr(v, "__name__", v)
)
def test_a_planted_mistake_is_caught(
    kind: str, method: str, wrong: Callable[..., Any], dialect: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("sqlglot", reason=NO_SQLGLOT)
    engine = {"sqlite": sqlite_engine, "duckdb": duckdb_engine}[dialect]()
    monkeypatch.setattr(getattr(sql_module, kind), method, wrong)
    assert any(faults(engine, enumerate([*EXPECTED, step(1, (1,))]), 6))


def test_conditions_are_counted_one_by_one_and_texts_in_lists_apart() -> None:
    steps: list[Any] = [Within("x", Fraction(2 * i), Fraction(2 * i + 1)) for i in range(1_001)]
    lists: list[Any] = [OneOf("s", (f"{i}", f"a{i}")) for i in range(1_001)]
    for parts in (steps, lists):
        require_small(Either(tuple(parts[1:])), "write it")
        with pytest.raises(TooLargeError, match="1,001 constants, and the limit is 1,000"):
            require_small(Either(tuple(parts)), "write it")
