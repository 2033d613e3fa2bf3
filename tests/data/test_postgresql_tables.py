"""Tables of a PostgreSQL server: counted by the server, encoded here."""

from __future__ import annotations

import random
from collections import Counter
from decimal import Decimal
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from engines import DOMAINS, LABELS, LATE, arrow, by_records, nasty
from sources import examples, plain

import littlestone
from littlestone.base.errors import TableError
from littlestone.data import Label, open_table, read_mapped, read_sample
from littlestone.data.reading import Reservoir
from littlestone.points import Integers, Product, Reals, Strings
from littlestone.points.units import Unit
from servers import Server

pytest.importorskip("sqlalchemy", reason="SQLAlchemy is not installed: make engines")
psycopg = pytest.importorskip("psycopg", reason="psycopg is not installed: make engines")

COLUMNS = nasty()
Y = Label.parse("y", 1)
ICU = "CREATE COLLATION loose (provider = icu, locale = 'und-u-ks-level1', deterministic = false)"


class Database:
    """A new database: its address, and statements in it."""

    def __init__(self, address: str) -> None:
        self.address = address

    def __call__(self, *statements: str) -> list[Any]:
        """The rows that the last of the statements gives, if it gives any."""
        with psycopg.connect(self.address, autocommit=True) as connection:
            for statement in statements:
                cursor = connection.execute(statement)
            return cursor.fetchall() if cursor.description else []


@pytest.fixture
def database(running_server: Server) -> Database:
    return Database(running_server.database())


@pytest.fixture(scope="module")
def full(running_server: Server) -> Database:
    """A database with the table of nasty values, in columns that equate many of them."""
    database = Database(running_server.database())
    database(
        ICU,
        "CREATE SCHEMA visits",
        "CREATE TABLE visits.t (text text COLLATE loose, number double precision, whole bigint, "
        "exact numeric, flag boolean, late text COLLATE loose)",
    )
    with psycopg.connect(database.address) as connection:
        rows = list(zip(*COLUMNS.values(), strict=True))
        connection.cursor().executemany(
            "INSERT INTO visits.t VALUES (%s, %s, %s, %s, %s, %s)", rows
        )
    return database


def test_a_table_of_nasty_values_gives_one_sample(full: Database) -> None:
    table = open_table(full.address, "visits.t")
    for domain in DOMAINS:
        sample = read_sample(table, domain, LATE)
        found = dict(zip(sample.points, sample.counts.tolist(), strict=True))
        assert found == by_records(COLUMNS, domain, LATE), domain
    for label in LABELS:
        sample = read_sample(table, Strings("text"), label)
        found = dict(zip(sample.points, sample.counts.tolist(), strict=True))
        assert found == by_records(COLUMNS, Strings("text"), label)


@pytest.mark.filterwarnings("ignore::littlestone.base.errors.NotPrivateWarning")
@pytest.mark.parametrize("hypotheses", ["points(text)", "rules(text, exact; at most 2)"])
def test_one_seed_gives_one_release(full: Database, hypotheses: str) -> None:
    rules = set()
    for source in (open_table(full.address, "visits.t"), arrow(COLUMNS)):
        release = littlestone.fit(
            source, "late", positive="yes", hypotheses=hypotheses, epsilon=0.1, delta="1e-3",
            ledger=littlestone.Ledger(), dataset="visits", simulation_seed=3,
        )  # fmt: skip
        rules.add(str(release.hypothesis))
    assert len(rules) == 1


def test_units_read_records_one_by_one(full: Database) -> None:
    domain = Product((Strings("text"), Reals("number")))
    keep = Reservoir(Unit("late", 1000), random.Random(0))
    sample = read_sample(open_table(full.address, "visits.t"), domain, LATE, keep=keep)
    assert sample.units == 5
    found = {x: c for x, c in zip(sample.points, sample.counts.tolist(), strict=True) if any(c)}
    assert found == by_records(COLUMNS, domain, LATE)


def test_types_with_casts_of_their_own_are_refused(database: Database) -> None:
    """Such a cast is somebody's function, which may read other records."""
    database(
        "CREATE TYPE mood AS ENUM ('sad', 'ok')",
        "CREATE DOMAIN temper AS mood",
        "CREATE TYPE citext AS (a integer)",
        "CREATE TABLE t (plain mood, x temper, c citext, y integer)",
        "INSERT INTO t VALUES ('sad', 'ok', NULL, 1)",
    )
    table = open_table(database.address, "t")
    assert read_sample(table, Strings("plain"), Y).points == ("sad",)
    with pytest.raises(TableError, match="not a number or a text"):
        table.require("c")
    database(
        "CREATE FUNCTION f(mood) RETURNS text LANGUAGE sql "
        "AS $$ SELECT 'n=' || count(*) FROM public.t $$",
        "CREATE CAST (mood AS text) WITH FUNCTION f(mood)",
    )
    assert database("SELECT x::text FROM t") == [("n=1",)]
    for column in ("plain", "x"):
        with pytest.raises(TableError, match="a user-defined function"):
            open_table(database.address, "t").require(column)


BREAKS = [
    # the type, whether a server may group so, a record, another one in its place, and the others
    ("text COLLATE loose", "a", "b", ["A", "A", "ä"]),
    ("citext", "a", "b", ["A", "A"]),
    ("numeric", "1.0", "2", ["1.00", "1.00"]),
]


@pytest.mark.parametrize(("kind", "first", "second", "rest"), BREAKS, ids=[b[0] for b in BREAKS])
def test_a_changed_record_moves_one_example(
    kind: str, first: str, second: str, rest: list[str], database: Database
) -> None:
    if kind == "citext":
        try:
            database("CREATE EXTENSION citext")
        except psycopg.Error:
            pytest.skip("the extension citext is not installed")
    database(ICU, f"CREATE TABLE t (x {kind}, y integer)")
    found = []
    for changed in (first, second):
        values = ", ".join(f"('{value}', 1)" for value in [changed, *rest])
        database("TRUNCATE t", f"INSERT INTO t VALUES {values}")
        grouped = database("SELECT x::text, n FROM (SELECT x, count(*) n FROM t GROUP BY x) AS g")
        sample = read_sample(open_table(database.address, "t"), Strings("x"), Y)
        found.append((Counter(dict(grouped)), examples(sample)))
    (engine, before), (engine_then, after) = found
    assert (engine - engine_then).total() > 1
    assert ((before - after).total(), (after - before).total()) == (1, 1)


def test_padded_texts_and_small_types(database: Database) -> None:
    database(
        "CREATE TYPE mood AS ENUM ('sad', 'ok')",
        "CREATE DOMAIN code AS varchar(3)",
        'CREATE TABLE "t%" ("p%(x)s" char(3), c code, m mood, f real, s smallint, u uuid, y bool)',
        "INSERT INTO \"t%\" VALUES ('a', 'a ', 'ok', 0.29, 1, gen_random_uuid(), true), "
        "('a  ', 'a', 'ok', '-0', 1, null, true), (null, null, null, 'nan', null, null, null)",
    )
    table = open_table(database.address, "t%")
    y = Label.parse("y", True)
    assert [table.kind(c) for c in table.columns] == [
        "text", "text", "text", "number", "integer", "text", "boolean",
    ]  # fmt: skip
    assert plain(read_sample(table, Strings("p%(x)s"), y)) == {"a": (0, 2), "": (1, 0)}
    found = read_sample(table, Product((Strings("c"), Strings("m"), Strings("f"))), y)
    assert plain(found) == {
        ("a ", "ok", "0.29"): (0, 1), ("a", "ok", "0"): (0, 1), ("", "", ""): (1, 0),
    }  # fmt: skip


def test_settings_of_a_role_change_nothing(database: Database) -> None:
    database(
        "CREATE TABLE t (x double precision, y integer)",
        "INSERT INTO t VALUES (0.1, 1), (0.1 + 1e-16, 1)",
        "ALTER ROLE ada SET extra_float_digits = -10",
        "CREATE SCHEMA odd",
        "CREATE FUNCTION odd.count() RETURNS bigint LANGUAGE sql AS 'SELECT 7::bigint'",
        "ALTER ROLE ada SET search_path = odd, public, pg_catalog",
    )
    try:
        assert len(database("SELECT DISTINCT x::text FROM t")) == 1
        sample = read_sample(open_table(database.address, "t"), Reals("x"), Y)
        assert sorted(plain(sample).values()) == [(0, 1), (0, 1)]
    finally:
        database("ALTER ROLE ada RESET ALL")


def test_a_statement_sees_one_state(database: Database) -> None:
    """Two statements would see what was committed between them."""
    database(
        "CREATE TABLE t (x integer, y integer)",
        "INSERT INTO t SELECT i, 1 FROM generate_series(1, 40000) AS i",
    )
    table = open_table(database.address, "t")
    groups = table.groups(["x", "y"])
    n = int(next(groups).counts.sum())
    assert n < 40_000
    database("UPDATE t SET x = x + 100000", "DELETE FROM t WHERE x % 2 = 0")
    found = [int(value) for group in groups for value in group.columns[0].values]  # type: ignore[call-overload]
    assert n + len(found) == 40_000
    assert max(found) <= 40_000
    assert read_sample(table, Integers("x"), Y).n == 20_000


def test_a_changed_table_is_refused(database: Database) -> None:
    database("CREATE TABLE t (x integer, y integer)", "INSERT INTO t VALUES (1, 1)")
    table = open_table(database.address, "t")
    database("ALTER TABLE t ALTER x TYPE timestamptz USING now()")
    with pytest.raises(TableError, match="its columns were changed since it was opened"):
        read_sample(table, Integers("x"), Y)
    database("ALTER TABLE t RENAME TO s", "CREATE VIEW t AS SELECT 1 AS x, 1 AS y FROM s, s AS r")
    with pytest.raises(TableError, match="it is a view"):
        read_sample(table, Integers("x"), Y)


REFUSED = [
    ("v", "it is a view"),
    ("m", "it is a materialized view"),
    ("nothing", "there is no such table"),
    ("T", "did you mean 't'"),
    ("twice", "several tables have that name"),
    ("hidden", "row-level security"),
    (None, "nothing says which of its tables"),
]


@pytest.mark.parametrize(("table", "words"), REFUSED, ids=[str(r[0]) for r in REFUSED])
def test_only_base_tables_are_read(table: str | None, words: str, database: Database) -> None:
    database(
        "CREATE TABLE t (x integer, y integer)",
        "CREATE VIEW v AS SELECT a.* FROM t AS a, t AS b",
        "CREATE MATERIALIZED VIEW m AS SELECT * FROM v",
        "CREATE TABLE twice (x integer)",
        "CREATE SCHEMA other",
        "CREATE TABLE other.twice (x integer)",
        "CREATE TABLE hidden (x integer, y integer)",
        "ALTER TABLE hidden ENABLE ROW LEVEL SECURITY",
        "CREATE POLICY p ON hidden USING (x > (SELECT count(*) FROM t))",
        "DROP ROLE IF EXISTS bob",
        "CREATE ROLE bob LOGIN",
        "GRANT SELECT ON hidden TO bob",
    )
    user = "bob" if table == "hidden" else "ada"
    try:
        with pytest.raises(TableError, match=words):
            open_table(database.address.replace("ada@", f"{user}@"), table)
    finally:
        database("DROP OWNED BY bob", "DROP ROLE bob")


def test_partitions_and_children(database: Database) -> None:
    database(
        "CREATE TABLE t (x integer, y integer) PARTITION BY LIST (x)",
        "CREATE TABLE t1 PARTITION OF t FOR VALUES IN (1)",
        "CREATE TABLE t2 PARTITION OF t DEFAULT",
        "INSERT INTO t VALUES (1, 1), (2, 0), (2, 1)",
        "CREATE TABLE parent (x integer, y integer)",
        "CREATE TABLE child (z text) INHERITS (parent)",
        "INSERT INTO parent VALUES (1, 1)",
        "INSERT INTO child VALUES (2, 1)",
    )
    found = [
        read_sample(open_table(database.address, t), Integers("x"), Y) for t in ("t", "parent")
    ]
    assert [plain(sample) for sample in found] == [{1: (0, 1), 2: (1, 1)}, {1: (0, 1), 2: (0, 1)}]
    database(
        "CREATE FOREIGN DATA WRAPPER nowhere",
        "CREATE SERVER s FOREIGN DATA WRAPPER nowhere",
        "CREATE FOREIGN TABLE t3 PARTITION OF t FOR VALUES IN (3) SERVER s",
    )
    for name in ("t", "t3"):
        with pytest.raises(TableError, match="foreign table"):
            open_table(database.address, name)


def test_columns_that_cannot_be_read(database: Database) -> None:
    database(
        "CREATE TABLE t (x integer, y integer, moment timestamptz, tags text[], data bytea, j json)",
        "INSERT INTO t VALUES (1, 1, now(), null, '\\xff', '{}')",
        "DROP ROLE IF EXISTS bob",
        "CREATE ROLE bob LOGIN",
        "GRANT SELECT (x) ON t TO bob",
    )
    try:
        table = open_table(database.address, "t")
        for column in ("moment", "tags", "data", "j"):
            with pytest.raises(TableError, match="its declared type is"):
                read_sample(table, Strings(column), Y)
        bob = open_table(database.address.replace("ada@", "bob@"), "public.t")
        with pytest.raises(TableError, match="there is no GRANT SELECT"):
            read_sample(bob, Integers("x"), Y)
        database("GRANT SELECT ON t TO bob")
        bob = open_table(database.address.replace("ada@", "bob@"), "public.t")
        database("REVOKE ALL ON t FROM bob")
        with pytest.raises(TableError, match="changed since it was opened"):
            read_sample(bob, Integers("x"), Y)
        with pytest.raises(TableError, match="hands them over in any order"):
            read_mapped(table, Integers("x"), partial(map, str))
    finally:
        database("DROP OWNED BY bob", "DROP ROLE bob")


def test_a_database_of_another_encoding(running_server: Server) -> None:
    """Bytes that are no UTF-8 would stop the server, and so would a record."""
    address = running_server.database("ENCODING 'SQL_ASCII' TEMPLATE template0 LOCALE 'C'")
    Database(address)("CREATE TABLE t (x text, y integer)")
    with pytest.raises(TableError, match="keeps texts in SQL_ASCII"):
        open_table(address, "t")


def test_an_engine_of_sqlalchemy(full: Database) -> None:
    from sqlalchemy import create_engine
    from sqlalchemy.pool import NullPool

    def connect() -> Any:
        return psycopg.connect(full.address)

    engine = create_engine("postgresql+psycopg://", creator=connect, poolclass=NullPool)
    table = open_table(engine, "visits.t")
    assert read_sample(table, Strings("text"), LATE).n == 120
    assert full.address not in repr(table)


def test_a_server_that_does_not_answer(tmp_path: Path) -> None:
    address = f"postgresql://ada@/visits?host={tmp_path}&sslkey=/home/ada/SECRET"
    with pytest.raises(TableError, match="PostgreSQL says") as error:
        open_table(address, "t")
    assert "SECRET" not in str(error.value)


@pytest.mark.parametrize(
    "address",
    ["postgresql://ada:SECRET@h/d", "postgresql://h/d?password=SECRET", "postgresql:/ada:SECRET@h"],
)
def test_a_password_in_an_address_is_refused_and_not_shown(address: str) -> None:
    with pytest.raises(TableError) as error:
        open_table(address, "t")
    assert "SECRET" not in str(error.value)
    assert "PGPASSWORD" in str(error.value)


def test_decimals_have_the_text_that_python_gives_them(database: Database) -> None:
    database(
        "CREATE TABLE t (x numeric, y integer)",
        "INSERT INTO t VALUES (0.0000001, 1), ('NaN', 1), (1e20, 1), ('-infinity', 1)",
    )
    found = plain(read_sample(open_table(database.address, "t"), Strings("x"), Y))
    texts = [str(Decimal("0.0000001")), "", "1" + "0" * 20, "-Infinity"]
    assert found == dict.fromkeys(texts, (0, 1))
