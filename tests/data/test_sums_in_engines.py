"""Score sheets learned where the table lives: what the engine sums is what the records sum to."""

from __future__ import annotations

import random
import warnings
from collections import Counter
from collections.abc import Callable, Iterator
from datetime import date
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from engines import arrow, duckdb_file, duckdb_relation, nasty
from sources import Columns

import littlestone
from littlestone.base.errors import BudgetExceededError, TableError
from littlestone.classes.counting.blocks import CellCodes
from littlestone.data import Label, Table, open_table, read_sample
from littlestone.data.step_functions import SPACES
from littlestone.data.stored import StoredSample, store_sample
from littlestone.learn.declared.checking import Faults
from littlestone.points import Cells, Dates, FiniteColumn, Listed, Product
from littlestone.points.units import Unit
from littlestone.privacy.draws import count_places
from littlestone.privacy.mechanisms.record_sums import Question
from littlestone.rules.sheet import ScoreSheet
from planting import Fault, turns_red
from servers import Server

pytestmark = pytest.mark.filterwarnings("ignore::littlestone.base.errors.NotPrivateWarning")

Engine = Callable[[Columns, Path], Table]
COLUMNS = nasty(400)
HIGH = 2**63 - 1
NUMBER = ("-1000", "-0.5", "0", "0.29", "1.5", "7", "100", str(10**20))
FINITE: list[FiniteColumn] = [
    Listed(("a", "A", "ä", "a ", "say \"hi\"", "it's", "%s", ":x", "None", "1", "NULL"), "text"),
    Listed(("nobody",), "text"),
    Cells(NUMBER, "number"),
    Cells(("0.28999999999999998", "0.29", "0.29000000000000004"), "number"),
    Cells(("0", "0.0000000000000000001"), "number"),
    Listed(("0", "0.29", "7", "inf", "nan", "5e-324", "1e+300", "1.50"), "number"),
    Cells(("-1", "0", "0.5", "2", str(2**53), str(2**53 + 1), str(HIGH), str(HIGH + 1)), "whole"),
    Listed(("0", "-1", "1.0", str(HIGH), str(-HIGH - 1), str(2**53)), "whole"),
    Cells(("-3.1", "0", "1.499", "1.5", "1.501", "99999999.99", "99999999.991"), "exact"),
    Cells(("0.5",), "flag"),
    Listed(("True",), "flag"),
]  # fmt: skip
EXACT = Listed(("1.50", "1.5", "0.00", "0", "-3.10"), "exact")
DOMAIN = Product(tuple(FINITE[:1] + FINITE[2:3] + FINITE[6:7] + FINITE[8:9] + FINITE[10:]))
ODD = Product((FINITE[1], FINITE[5], FINITE[7], EXACT, FINITE[9]))
LABELS = [
    Label.parse("late", "yes"),
    Label.parse("late", "!= yes"),
    Label.parse("late", "in {yes, no}"),
    Label.parse("late", labels=["no", "yes"]),
    Label.parse("text", "== "[:2] + " 💩"),
    *(Label.parse("number", f"{sign} {x}") for sign in (">", ">=", "<", "<=", "==", "!=")
      for x in ("0", "0.29", "1e400", "-1e400", "7.0", "inf")),
    Label.parse("number", labels=["0", "nan"]),
    Label.parse("number", "nan"),
    *(Label.parse("whole", f"{sign} {x}") for sign in (">", "<=", "!=")
      for x in ("0.5", str(2**53), str(HIGH), str(HIGH + 1))),
    *(Label.parse("exact", f"{sign} {x}") for sign in (">", "<=", "==", "!=") for x in ("1.5", "0")),
    Label.parse("flag", True),
    Label.parse("flag", "< 1"),
]  # fmt: skip


def counts(sample: Any) -> list[list[list[int]]]:
    """The counts [label, cell] of each column, by the engine or by the records."""
    columns = range(len(sample.domain.columns))
    data = (
        sample.cells if isinstance(sample, StoredSample) else CellCodes.from_sample(sample, columns)
    )
    return [found.tolist() for found in data.tables([(j,) for j in columns])]


def agree(
    table: Table, memory: Table, domains: list[Product], labels: list[Label], *, fixed: bool = True
) -> None:
    """The engine's cells and labels, and those that are not read, are those of the door."""
    told = [(domain, labels[0]) for domain in domains]
    told += [(Product(domains[0].columns[:1]), label) for label in labels[1:]]
    for domain, label in told:
        faults = Faults(domain.columns, label)
        checks = faults.checks_of_types(table.kind) or ()
        texts = table.kind(label.column) == "text"
        if checks and checks[-1].open and texts and not fixed:  # then the records are read
            assert store_sample(table, domain, label, checks=checks) is None
            checks = ()
        stored = store_sample(table, domain, label, checks=checks)
        assert stored is not None, (domain, label)
        sample = read_sample(memory, domain, label, faults=faults)
        assert counts(stored) == counts(sample), (domain, label)
        assert stored.unread == (sample.unread if checks else None), (domain, label)
        stored.close()


def release(source: Any, domain: Product = DOMAIN, **options: Any) -> Any:
    from littlestone.classes.score_sheets import ScoreSheets

    told = {"positive": "yes", "delta": "1e-6", "epsilon": 4, "simulation_seed": 5, **options}
    return littlestone.fit(
        source,
        "late",
        hypotheses=ScoreSheets(domain),
        ledger=told.pop("ledger", None) or littlestone.Ledger(),
        dataset="d",
        **told,
    )


@pytest.mark.parametrize("engine", [duckdb_relation, duckdb_file])
def test_cells_of_nasty_values_in_duckdb(engine: Engine, tmp_path: Path) -> None:
    table, memory = engine(COLUMNS, tmp_path), open_table(arrow(COLUMNS))
    agree(table, memory, [DOMAIN, ODD, *(Product((column,)) for column in FINITE)], LABELS)


@pytest.fixture(scope="module")
def server(running_server: Server) -> str:
    """A table of nasty values in columns that equate many of them."""
    pytest.importorskip("sqlalchemy")
    psycopg = pytest.importorskip("psycopg")
    address = running_server.database()
    with psycopg.connect(address) as connection:
        connection.execute(
            "CREATE COLLATION loose (provider = icu, locale = 'und-u-ks-level1', "
            "deterministic = false)"
        )
        connection.execute(
            "CREATE TABLE t (text text COLLATE loose, number double precision, whole bigint, "
            "exact numeric, flag boolean, late text COLLATE loose)"
        )
        rows = zip(*COLUMNS.values(), strict=True)
        connection.cursor().executemany("INSERT INTO t VALUES (%s, %s, %s, %s, %s, %s)", rows)
    return address


def test_cells_of_nasty_values_in_postgresql(server: str) -> None:
    domains = [DOMAIN, *(Product((column,)) for column in FINITE)]
    agree(open_table(server, "t"), open_table(arrow(COLUMNS)), domains, LABELS)
    # 1.5 and 1.50 are equal there, and two texts: the records are read.
    assert store_sample(open_table(server, "t"), Product((EXACT,)), LABELS[0]) is None


@pytest.mark.parametrize("delta", ["1e-6", "0"])
def test_one_seed_gives_one_sheet(delta: str, server: str, tmp_path: Path) -> None:
    sources = [duckdb_relation(COLUMNS, tmp_path), open_table(server, "t"), arrow(COLUMNS)]
    for risk in (False, True):
        estimate = 1 if risk else None
        found = [release(source, delta=delta, risk=risk, estimate=estimate) for source in sources]
        sheets = [
            (one.hypothesis, one.n, one.cost, one.mechanism, one.risks, one.estimate)
            for one in found
        ]
        assert sheets[0] == sheets[1] == sheets[2]
        assert sheets[0][0].chosen
        assert (sheets[0][-2] is not None) == (sheets[0][-1] is not None) == risk


def random_sheet_questions() -> list[Any]:
    rng = np.random.default_rng(0)
    numbers = tuple(rng.integers(-32, 33, column.size or 0) for column in DOMAIN.columns)
    columns = tuple(range(len(numbers)))
    return [
        Question("products", columns, numbers, 3),
        Question("totals", columns[:3], numbers[:3], ends=(-40, -3, 0, 5, 5, 60)),
        Question("totals", ends=(0, 1)),
        # An engine would fail at a record with such totals, if its numbers had no bound.
        Question("totals", columns[:3], tuple(n << 26 for n in numbers[:3]), ends=(5, -3, 0)),
        Question("cells", columns[1:], tuple(n % 3 for n in numbers[1:]), 2),
        Question(),
    ]


@pytest.mark.parametrize("engine", ["duckdb", "postgresql"])
def test_sums_are_those_of_the_records(engine: str, server: str, tmp_path: Path) -> None:
    table = (
        open_table(server, "t") if engine == "postgresql" else duckdb_relation(COLUMNS, tmp_path)
    )
    stored = store_sample(table, DOMAIN, LABELS[0])
    assert stored is not None
    sample = read_sample(open_table(arrow(COLUMNS)), DOMAIN, LABELS[0])
    data = CellCodes.from_sample(sample, range(len(DOMAIN.columns)))
    for question in random_sheet_questions():
        own, other = (question.add_up(of) for of in (data, stored.cells))
        assert own.tolist() == other.tolist(), question


def test_bins_of_totals_are_those_of_the_records(tmp_path: Path) -> None:
    stored = store_sample(duckdb_relation(COLUMNS, tmp_path), DOMAIN, LABELS[0])
    assert stored is not None
    sample = read_sample(open_table(arrow(COLUMNS)), DOMAIN, LABELS[0])
    rng = np.random.default_rng(1)
    points = [tuple(rng.integers(-9, 10, column.size or 0).tolist()) for column in DOMAIN.columns]
    for chosen in ((), (1,), tuple(range(len(points)))):
        sheet = ScoreSheet(DOMAIN, chosen, tuple(points[j] for j in chosen), 3, (0, 100))
        assert count_places(sheet, stored) == count_places(sheet, sample)
    stored.close()


DAYS = [date(2021, 3, d) for d in range(1, 29)] + [date(1, 1, 1), date(9999, 12, 31), None]
TIMES = ["2021-03-01 23:59:59.999999", "2021-03-02", "1969-12-31 23:59:59", "0001-01-01", None]


@pytest.mark.parametrize("engine", ["duckdb", "postgresql"])
def test_days_outside_the_calendar_are_missing(engine: str, running_server: Server) -> None:
    odd = "'infinity', '-infinity', '0044-03-15 (BC)', '99999-01-01'"
    kinds = {"day": "date", "time": "timestamp"}
    connection: Any
    if engine == "duckdb":
        connection = pytest.importorskip("duckdb").connect()
    else:
        pytest.importorskip("sqlalchemy")
        address = running_server.database()
        connection = pytest.importorskip("psycopg").connect(address, autocommit=True)
        odd = odd.replace("(BC)", "BC")
    run = connection.execute
    run("CREATE TABLE t (day date, time timestamp, late integer)")
    values = [f"'{d}'" if d else "NULL" for d in (*DAYS, *TIMES)] + odd.split(", ")
    for i, value in enumerate(values):
        cast = ", ".join(f"CAST({value} AS {kind})" for kind in kinds.values())
        run(f"INSERT INTO t VALUES ({cast}, {i % 2})")
    if engine == "duckdb":
        table = open_table(connection.table("t"))
    else:
        connection.close()
        table = open_table(address, "t")
    label = Label.parse("late", 1)
    for name in kinds:
        domain = Product((Dates(("0001-01-01", "2021-03-02", "2021-03-05", "9999-12-31"), name),))
        stored = store_sample(table, domain, label)
        assert stored is not None
        found = counts(stored)
        stored.close()
        assert found == counts(read_sample(table, domain, label))
        assert sum(row[0] for row in found[0]) == 6


def test_narrow_and_wide_types_of_duckdb() -> None:
    duckdb = pytest.importorskip("duckdb")
    connection = duckdb.connect()
    kinds = [
        *(f"{sign}{name}" for name in ("TINYINT", "SMALLINT", "INTEGER", "BIGINT", "HUGEINT")
          for sign in ("", "U")),
        "FLOAT", "DOUBLE", "DECIMAL(3, 0)", "DECIMAL(38, 20)", "DECIMAL(38, 0)",
        "ENUM ('0', '7', 'a')",
    ]  # fmt: skip
    named = ", ".join(f'"c""{i}" {kind}' for i, kind in enumerate(kinds))
    connection.execute(f"CREATE TABLE t ({named}, late INTEGER)")
    for y, value in enumerate((0, 7, None)):
        connection.execute(
            f"INSERT INTO t VALUES ({'?, ' * len(kinds)}?)",
            [*[value] * 15, None if value is None else str(value), y],
        )
    extremes = [(i, end) for i in range(10) for end in ("min", "max")]
    for i, end in extremes:
        bits = 8 * 2 ** (i // 2)
        low, high = (0, 2**bits - 1) if i % 2 else (-(2 ** (bits - 1)), 2 ** (bits - 1) - 1)
        connection.execute(
            f'INSERT INTO t ("c""{i}", late) VALUES ({low if end == "min" else high}, 1)'
        )
    for x in ("0.29", "0.1", "16777217", "1e-45", "nan", "inf", "-inf", "3.4028235e38"):
        connection.execute(f'INSERT INTO t ("c""10", "c""11") VALUES (\'{x}\', \'{x}\')')
    table, label = open_table(connection.table("t")), Label.parse("late", 1)
    for i, kind in enumerate(kinds):
        name = f'c"{i}'
        cells = Cells(("-129", "-1", "0", "0.1", "0.29", "7", "127", "128", "16777216"), name)
        columns: list[FiniteColumn] = [
            Listed(("0", "7", "a", "0.29", "0E-20", "7.00000000000000000000"), name)
        ]
        for column in columns + ([] if kind.startswith("ENUM") else [cells]):
            stored = store_sample(table, Product((column,)), label)
            assert stored is not None
            found = counts(stored)
            stored.close()
            assert found == counts(read_sample(table, Product((column,)), label)), (kind, column)


def changing(monkeypatch: pytest.MonkeyPatch, change: Callable[[], None]) -> None:
    """Change the table before each question of a fit."""
    own = Question.add_up

    def add_up(question: Question, data: Any) -> Any:
        change()
        return own(question, data)

    monkeypatch.setattr(Question, "add_up", add_up)


def tables_that_change(
    running_server: Server,
) -> Iterator[tuple[Any, Callable[[], None], list[int]]]:
    """A table of an engine, what another connection does to it, and how often that was done."""
    duckdb, psycopg = pytest.importorskip("duckdb"), pytest.importorskip("psycopg")
    connection = duckdb.connect()
    connection.register("given", arrow(COLUMNS))
    connection.execute("CREATE TABLE t AS SELECT * FROM given")
    address = running_server.database()
    with psycopg.connect(address, autocommit=True) as writer:
        writer.execute(
            "CREATE TABLE t (text text, number double precision, whole bigint, exact numeric, "
            "flag boolean, late text)"
        )
        rows = zip(*COLUMNS.values(), strict=True)
        writer.cursor().executemany("INSERT INTO t VALUES (%s, %s, %s, %s, %s, %s)", rows)
        for source, run in (
            (connection.table("t"), connection.cursor().execute),
            (open_table(address, "t"), writer.execute),
        ):
            changes = list[int]()

            def change(run: Any = run, changes: list[int] = changes) -> None:
                changes.append(1)
                run("DELETE FROM t WHERE flag OR late IS NULL")
                run("UPDATE t SET whole = 7, number = 0, late = 'no'")

            yield source, change, changes


def test_all_steps_see_one_state(running_server: Server) -> None:
    expected = release(arrow(COLUMNS)).hypothesis
    for source, change, changes in tables_that_change(running_server):
        with pytest.MonkeyPatch.context() as patch:
            changing(patch, change)
            assert release(source).hypothesis == expected
        assert len(changes) == 5
        assert release(source).hypothesis != expected


def test_a_transaction_of_the_owner_is_left_alone(tmp_path: Path) -> None:
    duckdb = pytest.importorskip("duckdb")
    connection = duckdb.connect()
    connection.register("given", arrow(COLUMNS))
    connection.execute("CREATE TABLE t AS SELECT * FROM given LIMIT 100")
    connection.execute("BEGIN")
    connection.execute("INSERT INTO t SELECT * FROM given OFFSET 100")
    assert release(connection.table("t")).hypothesis == release(arrow(COLUMNS)).hypothesis
    connection.execute("ROLLBACK")  # which is still there
    assert release(connection.table("t")).n == 100
    connection.execute("BEGIN")  # and none is left behind
    connection.execute("DELETE FROM t")
    with pytest.raises(TableError, match="it has no rows"):
        release(connection.table("t"))


def test_what_is_refused_is_refused_before_the_spend(server: str, tmp_path: Path) -> None:
    for source in (duckdb_relation(COLUMNS, tmp_path), open_table(server, "t")):
        with littlestone.Ledger() as ledger:
            ledger.set_limit("d", littlestone.Budget(1))
            with pytest.raises(BudgetExceededError):
                release(source, ledger=ledger)
            missing = Product((Cells(("0",), "nowhere"),))
            with pytest.raises(TableError, match="nowhere"):
                release(source, missing, ledger=ledger)
            assert not ledger.has_spent


def test_a_warning_that_is_an_error_leaves_no_transaction(tmp_path: Path) -> None:
    """An exception keeps the frames of the fit, and so the sample, alive."""
    duckdb = pytest.importorskip("duckdb")
    connection = duckdb.connect(str(tmp_path / "own.db"))
    connection.execute("CREATE TABLE t AS SELECT range % 9 AS x, range % 2 AS y FROM range(100)")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        with (
            littlestone.Ledger() as ledger,
            pytest.raises(UserWarning, match="1/n or more") as kept,
        ):
            littlestone.fit(
                connection.table("t"), "y", positive=1, epsilon=1, delta="0.01", ledger=ledger,
                hypotheses="score_sheet(x: 0..9 step 3; at most 1)", dataset="d",
            )  # fmt: skip
    connection.execute("INSERT INTO t VALUES (1, 1)")
    assert connection.cursor().execute("SELECT count(*) FROM t").fetchall() == [(101,)]
    assert kept.value


def fail_at(
    failing: int, learn: Callable[[littlestone.Ledger], object], patch: pytest.MonkeyPatch
) -> None:
    """One question to DuckDB fails, and the second is the last one before the spend."""
    from littlestone.data.snapshots import DuckDbSnapshot

    duckdb = pytest.importorskip("duckdb")
    own, asked = DuckDbSnapshot.query, list[int]()

    def query(self: Any, *given: Any) -> Any:
        asked.append(1)
        with self._errors():
            if len(asked) == failing:
                raise duckdb.OutOfMemoryException("SECRET")
        return own(self, *given)

    patch.setattr(DuckDbSnapshot, "query", query)
    with littlestone.Ledger() as ledger:
        with pytest.raises(TableError, match="DuckDB could not compute it") as error:
            learn(ledger)
        assert "SECRET" not in str(error.value)
        first = error.value.__context__ if ledger.has_spent else error.value
        assert isinstance(first, TableError)  # and not DuckDB's own
        assert first.__cause__ is first.__context__ is None
        # Before the first draw the whole is recorded, and nothing before it.
        assert ledger.has_spent == (failing > 2)
        assert ("the budget is spent" in str(error.value)) == (failing > 2)


def test_a_question_that_fails_after_the_spend(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    table = duckdb_relation(COLUMNS, tmp_path)
    for failing in (1, 2, 3, 4):
        with monkeypatch.context() as patch:
            fail_at(failing, lambda ledger: release(table, ledger=ledger), patch)
            assert release(table).n == len(COLUMNS["late"])


def visits(server: str, *, postgresql: bool, orders: int = 0) -> Table:
    """Records of units ann, bob and nobody; ann has thrice the same and one other record."""
    rows = [("ann", 1, 1), ("bob", 5, 0), ("ann", 1, 1), (None, 7, 1), ("ann", 9, 0), ("", 8, 0)]
    rows += [("ann", 1, 1)]
    rows = rows[orders:] + rows[:orders]
    created = "CREATE TABLE v (who text, x integer, y integer)"
    if not postgresql:
        connection = pytest.importorskip("duckdb").connect()
        connection.execute(created)
        connection.executemany("INSERT INTO v VALUES (?, ?, ?)", rows)
        return open_table(connection.table("v"))
    with pytest.importorskip("psycopg").connect(server) as connection:
        connection.execute("DROP TABLE IF EXISTS v")
        connection.execute(created)
        connection.cursor().executemany("INSERT INTO v VALUES (%s, %s, %s)", rows)
    return open_table(server, "v")


X = Product((Cells(tuple(map(str, range(10))), "x"),))


def kept_of(table: Table, seed: int, most: int = 1) -> Counter[tuple[int, int]]:
    """The cells and labels that are kept, which all questions must agree on."""
    unit, label = Unit("who", most), Label.parse("y", 1)
    stored = store_sample(table, X, label, unit, random.Random(seed))
    assert stored is not None
    assert (stored.n, stored.unit) == (3 * most, unit)
    cells = np.arange(X.columns[0].size or 0)
    again = stored.cells.totals([0], [cells], range(1, len(cells)))
    (found,) = stored.cells.tables([(0,)])
    assert found.tolist() == again.tolist()
    stored.close()
    return Counter({(i - 1, y): int(found[y, i]) for y, i in zip(*np.nonzero(found), strict=True)})


def test_one_record_of_each_unit_is_kept_in_duckdb(server: str) -> None:
    one_is_kept(server, postgresql=False, seeds=80)


def test_one_record_of_each_unit_is_kept_in_postgresql(server: str) -> None:
    one_is_kept(server, postgresql=True, seeds=4)


def one_is_kept(server: str, *, postgresql: bool, seeds: int) -> None:
    table, rare = visits(server, postgresql=postgresql), 0
    assert kept_of(table, 0) == kept_of(table, 0)
    for seed in range(seeds):
        kept = kept_of(table, seed)
        # A missing owner and an empty one are one unit.
        assert kept[1, 1] + kept[9, 0] == 1
        assert kept[7, 1] + kept[8, 0] == 1
        assert kept[5, 0] == 1
        rare += kept[9, 0]
    # Of four records each is as likely: about 20 of 80 seeds keep the other one.
    assert seeds < 80 or 8 <= rare <= 32
    rare = 0
    for seed in range(seeds):
        kept = kept_of(table, seed, 2)
        assert kept[7, 1] == kept[8, 0] == kept[5, 0] == 1
        assert kept[1, 1] + kept[9, 0] == 2
        rare += kept[9, 0]
    # Of the six pairs of four records, three have the other one.
    assert seeds < 80 or 25 <= rare <= 55
    whole = kept_of(table, 0, 4)
    assert whole == {(1, 1): 3, (9, 0): 1, (7, 1): 1, (8, 0): 1, (5, 0): 1}
    # The order of the records decides nothing.
    other = visits(server, postgresql=postgresql, orders=3)
    assert all(kept_of(other, seed, most) == kept_of(visits(server, postgresql=postgresql), seed, most)
               for seed in range(2) for most in (1, 2))  # fmt: skip


def test_units_whose_records_are_read(server: str, tmp_path: Path) -> None:
    table = duckdb_relation(COLUMNS, tmp_path)
    assert store_sample(table, DOMAIN, LABELS[0], Unit("number", 1)) is None
    sheet = release(table, unit="whole", max_records=1)
    assert (sheet.n, sheet.unit) == (len(set(COLUMNS["whole"])), Unit("whole", 1))
    connection = pytest.importorskip("duckdb").connect()
    for kind, stays in (
        ("TINYINT", True),
        ("INTEGER", True),
        ("UBIGINT", True),
        ("BOOLEAN", False),
    ):
        connection.execute(f"CREATE OR REPLACE TABLE u AS SELECT 1::{kind} AS who, 1 AS x, 1 AS y")
        stored = store_sample(
            open_table(connection.table("u")), X, Label.parse("y", 1), Unit("who", 1)
        )
        assert (stored is not None) == stays


SEARCH, STORED = "littlestone.data.step_functions", "littlestone.data.stored"
DUCKDB = "littlestone.data.snapshots:DuckDbSnapshot"
FAULTS = [
    Fault(f"{SEARCH}:Ladder._least", ">= wanted", "> wanted", "A cut is in the cell below it."),
    Fault(f"{SEARCH}:Ladder.breaks", "(least, least + 1)", "(least,)", "A value and all above it."),
    Fault(f"{SEARCH}:Ladder.breaks", "self.low < i", "self.low + 1 < i", "A cut at the low end."),
    Fault(f"{SEARCH}:floats", "shortest(float_of(i), width)", "float(float_of(i))", "A long float."),
    Fault(f"{SEARCH}:Steps.sql", "str(found)))", "str(first)))", "A step is left out."),
    Fault(f"{SEARCH}:Steps.sql", "int(numbers[self.missing])", "first", "Missing is the first cell."),
    Fault(f"{SEARCH}:_steps", "typed.present, function(None), function(other)",
          "typed.present, function(None), function(None)", "Other texts are missing ones."),
    Fault(f"{SEARCH}:steps_of_label", "number(text) is not None for text in declared",
          "False for text in declared", "A text that shows a number is compared as a text."),
    Fault(f"{DUCKDB}.column", ' COLLATE "C"', "", "Case is ignored as the column says."),
    Fault(f"{DUCKDB}.column", 'f"NOT isnan({value})"', 'f"{value} IS NOT NULL"', "NaN is a number."),
]  # fmt: skip
UNIT_FAULTS = [
    Fault(f"{STORED}:Snapshot.keep_few", 'f"drawn <= {most}"', '""',
          "The condition on units is forgotten."),
    Fault(f"{STORED}:Snapshot.keep_few", "drawn <= {most}", "drawn <= 1 + {most}",
          "One more than the most is kept."),
    Fault(f"{STORED}:Snapshot.keep_few", "drawn <= {most}", "drawn = {most}",
          "Only the record that is drawn last is kept."),
    Fault(f"{STORED}:Snapshot.keep_few", "drawn = 1", "drawn = 2",
          "Units with one record are not counted."),
    Fault(f"{STORED}:Snapshot.keep_few", " ORDER BY {', '.join(names)}", "",
          "Which record is kept depends on the order of the table."),
    Fault(f"{STORED}:store_sample", "f\"coalesce({owner.text}, '')\"", "owner.text",
          "Missing owners and empty ones are two units."),
    Fault(f"{STORED}:Snapshot.keep_few", "place, ' ', u", "u",
          "The first records by content are kept, whatever is drawn."),
]  # fmt: skip


SPELLED = ["Yes", "yes ", "YES", "y es", " yes", "no", "", "yes\u3000", "\x1f", "maybe", "\u00a0", None,
           "y\u017fes", "ye\u017f", "\u017f\u2028", "STRASSE", "stra\u00dfe", "\u00df"]  # fmt: skip
SEX = Listed(("F", "M", " ", "STRASSE"), "sex")
SPELLED_LABELS = [
    Label.parse("late", "yes"), Label.parse("late", "!= Yes"), Label.parse("late", "in {yes, ss}"),
    Label.parse("late", "strasse"), Label.parse("late", labels=["no", "YES"]),
]  # fmt: skip


def unread_agree(server: str, *, postgresql: bool) -> None:
    """Blank texts, and those that differ from declared ones in spaces or letters' case."""
    # Cells and labels in two orders, so that no count is right by chance.
    rows = [(s, y) for i, s in enumerate(["F", *SPELLED, "f", "M "]) for y in SPELLED[i % 3 :: 3]]
    connection: Any
    if postgresql:
        connection = pytest.importorskip("psycopg").connect(server, autocommit=True)
        connection.execute("DROP TABLE IF EXISTS s")
        run = connection.cursor().executemany
    else:
        connection = pytest.importorskip("duckdb").connect()
        run = connection.executemany
    connection.execute("CREATE TABLE s (sex text, late text)")
    run(f"INSERT INTO s VALUES ({'%s, %s' if postgresql else '?, ?'})", rows)
    table = open_table(server, "s") if postgresql else open_table(connection.table("s"))
    memory = open_table(pa.table({"sex": [s for s, _ in rows], "late": [y for _, y in rows]}))
    for label in SPELLED_LABELS:
        faults = Faults([SEX], label)
        told = faults.checks_of_types(table.kind)
        assert told
        stored = store_sample(table, Product((SEX,)), label, checks=told)
        assert stored is not None
        expected = read_sample(memory, Product((SEX,)), label, faults=faults)
        assert (stored.n, stored.unread) == (expected.n, expected.unread), label
        stored.close()
    if postgresql:
        connection.close()


def test_what_is_not_read_is_counted_in_duckdb(server: str) -> None:
    unread_agree(server, postgresql=False)


def test_what_is_not_read_is_counted_in_postgresql(server: str) -> None:
    unread_agree(server, postgresql=True)


def test_all_spaces_are_known() -> None:
    assert "".join(c for c in map(chr, range(0x110000)) if not c.strip()) == SPACES


def test_many_labels_are_read_one_by_one(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """So many different texts are not looked up, and the estimate is the same."""
    table = duckdb_relation(COLUMNS, tmp_path)
    local = release(arrow(COLUMNS), estimate=1)
    for most in (5, 4):
        with monkeypatch.context() as patch:
            patch.setattr("littlestone.data.stored._MOST_TEXTS", most)
            told = Faults(DOMAIN.columns, LABELS[0]).checks_of_types(table.kind) or ()
            stored = store_sample(table, DOMAIN, LABELS[0], checks=told)
            assert (stored is None) == (most < len(set(COLUMNS["late"]) - {None}))
            if stored is not None:
                stored.close()
            found = release(table, estimate=1)
            assert (found.hypothesis, found.estimate) == (local.hypothesis, local.estimate)


def test_long_labels_are_not_told_to_an_engine() -> None:
    """A label may be alike to a declared one and longer than SQL should be: then records are read."""
    connection = pytest.importorskip("duckdb").connect()
    connection.execute("CREATE TABLE l (x INTEGER, y VARCHAR)")
    connection.execute("INSERT INTO l VALUES (1, 'yes'), (2, 'YES'), (3, NULL)")
    told = {"positive": "yes", "hypotheses": "trees(x: 0..4 step 1; depth 1)", "estimate": 1}
    label, few = Label.parse("y", "yes"), 1 << 15
    for spaces in (few, 2 * few):
        connection.execute(f"INSERT INTO l VALUES (1, 'yes' || repeat(' ', {spaces}))")
        table = open_table(connection.table("l"))
        checks = Faults(X.columns, label).checks_of_types(table.kind) or ()
        stored = store_sample(table, X, label, checks=checks)
        assert (stored is not None) == (spaces == few)
        if stored is not None:
            assert stored.unread == (0, 2)
            stored.close()
    found = littlestone.fit(
        table, "y", ledger=littlestone.Ledger(), dataset="d", epsilon=9, simulation_seed=1, **told
    )
    assert found.estimate is not None


@pytest.mark.deep
def test_a_label_of_any_length_in_sql_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    fault = Fault(
        "littlestone.data.stored:_steps_of", "> _MOST_CHARACTERS", "> 1 << 30",
        "A label of a record may be as long as SQL can be, and longer.",
    )  # fmt: skip
    turns_red(fault, test_long_labels_are_not_told_to_an_engine, monkeypatch)


TYPED = """
[columns.number]
type = "{number}"
range = [-1000, 1000]
step = 50
[columns.whole]
type = "{whole}"
{range}
[columns.late]
type = "text"
values = ["yes", "no", "yes "]
"""


@pytest.mark.parametrize("types", [("number", "boolean"), ("integer", "integer")])
def test_what_a_schema_reads(types: tuple[str, str], tmp_path: Path) -> None:
    """Truth values are 0 and 1; of numbers that may be whole the records are read."""
    schema = tmp_path / "s.toml"
    ends = "" if types[1] == "boolean" else "range = [0, 1]\nstep = 1"
    schema.write_text(TYPED.format(number=types[0], whole=types[1], range=ends))
    columns = "number: -1000..1000 step 50, whole: 0..1 step 1"
    told: dict[str, Any] = {"positive": "yes", "hypotheses": f"trees({columns}; depth 1)"}
    told |= {"schema": schema, "epsilon": 9, "estimate": 1, "dataset": "d", "simulation_seed": 1}
    found = [
        littlestone.fit(source, "late", ledger=littlestone.Ledger(), **told)
        for source in (arrow(COLUMNS), duckdb_relation(COLUMNS, tmp_path))
    ]
    assert found[0].estimate == found[1].estimate
    assert found[0].hypothesis == found[1].hypothesis


UNREAD_FAULTS = [
    Fault(f"{SEARCH}:steps_of_check", "present=typed.filled", "present=typed.present",
          "Blank texts are not read."),
    Fault(f"{SEARCH}:Steps.any_of", '" OR "', '" AND "', "All cells of a record must be wrong."),
    Fault(f"{STORED}:_steps_of", "(*check.declared, *texts)", "check.declared",
          "Labels that are spelled otherwise are other labels."),
    Fault(f"{STORED}:StoredCells.count_labels", "flag.sql((0, 1))", "flag.sql((1, 0))",
          "What is read is counted."),
    Fault("littlestone.learn.declared.checking:Faults.checks_of_types", "texts and not listed", "False",
          "Only declared texts are looked at."),
]  # fmt: skip


@pytest.mark.deep
@pytest.mark.parametrize("fault", UNREAD_FAULTS, ids=lambda fault: fault.mistake)
def test_a_wrong_count_of_what_is_not_read_is_noticed(
    fault: Fault, server: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def honest() -> None:
        unread_agree(server, postgresql=False)
        agree(duckdb_relation(COLUMNS, tmp_path), open_table(arrow(COLUMNS)), [DOMAIN], LABELS[:1])

    turns_red(fault, honest, monkeypatch)


@pytest.mark.deep
@pytest.mark.parametrize("fault", FAULTS, ids=lambda fault: fault.mistake)
def test_a_wrong_cell_is_noticed(
    fault: Fault, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    memory = open_table(arrow(COLUMNS))
    connection = pytest.importorskip("duckdb").connect()
    connection.execute("CREATE TABLE f (single REAL, y INTEGER, n VARCHAR)")
    connection.execute("INSERT INTO f VALUES (0.29, 1, '01'), (0.1, 0, '1'), (NULL, 1, 'x')")
    singles = Product((Cells(("0.1", "0.29"), "single"),))

    def honest() -> None:
        table = duckdb_relation(COLUMNS, tmp_path)
        agree(table, memory, [DOMAIN, ODD], [LABELS[0], Label.parse("number", "> 0")])
        single = open_table(connection.table("f"))
        for label in (Label.parse("y", 1), Label.parse("n", "== 1")):
            stored = store_sample(single, singles, label)
            found = None if stored is None else counts(stored)
            expected = counts(read_sample(single, singles, label))
            assert found in ([None] if label.column == "n" else [expected])
            if stored is not None:
                stored.close()
        test_bins_of_totals_are_those_of_the_records(tmp_path)

    turns_red(fault, honest, monkeypatch)


@pytest.mark.deep
@pytest.mark.parametrize("fault", UNIT_FAULTS, ids=lambda fault: fault.mistake)
def test_a_wrong_choice_of_records_is_noticed(
    fault: Fault, server: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    turns_red(fault, lambda: one_is_kept(server, postgresql=False, seeds=80), monkeypatch)


@pytest.mark.deep
def test_a_forgotten_transaction_is_noticed(
    running_server: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    fault = Fault(
        f"{DUCKDB}.open", "if begun:\n            table", "if False:\n            table", ""
    )
    turns_red(fault, lambda: test_all_steps_see_one_state(running_server), monkeypatch)
