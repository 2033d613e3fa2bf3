"""Trees and conditions learned where the table lives: the engine's joint counts are the records'."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import closing
from itertools import combinations
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
import pytest
from engines import arrow, duckdb_relation
from test_sums_in_engines import (
    COLUMNS,
    DOMAIN,
    LABELS,
    X,
    fail_at,
    server,
    tables_that_change,
    visits,
)

import littlestone
from each import in_turn
from littlestone.base.errors import BudgetExceededError, DeclarationError
from littlestone.classes import parse_class
from littlestone.classes.base import HypothesisClass
from littlestone.classes.conditions import Conditions
from littlestone.classes.counting.blocks import CellCodes
from littlestone.classes.trees import Trees
from littlestone.data import Label, Table, open_table, read_sample, stored
from littlestone.data.stored import SYSTEM, StoredSample, store_sample
from littlestone.learn.rounds import RoundsLearner
from littlestone.points import Product
from littlestone.points.units import Unit
from littlestone.privacy.cost import Budget
from littlestone.privacy.draws import count_places
from littlestone.rules.nodes import ColumnTest, Split
from littlestone.rules.trees import DecisionTree
from planting import Fault, turns_red
from servers import Server

__all__ = ["server"]

pytestmark = pytest.mark.filterwarnings("ignore::littlestone.base.errors.NotPrivateWarning")

NAMES = ["no", "yes", "YES"]
THREE: dict[str, Any] = {"labels": NAMES, "positive": None}
SHEETS = {"method": "tree_sheet", "risk": True}
DEEP = Trees(DOMAIN, None, 3, 2, True)
TASKS: dict[str, tuple[HypothesisClass[Any], dict[str, Any]]] = {
    "split once more": (Trees(DOMAIN), {"risk": True}),
    "depth 1": (Trees(DOMAIN, None, 1), {"delta": 0}),
    "too few records to split once more": (Trees(DOMAIN), {"epsilon": 1, "cost": (3, 2)}),
    "with points": (DEEP, {**SHEETS, "epsilon": 6, "cost": (4, 1)}),
    "with points of leaves alone": (DEEP, {**SHEETS, "epsilon": "0.3", "cost": (4, 1)}),
    "split once more, with costs": (Trees(DOMAIN), {"cost": (1, 3), "method": "regrown"}),
    "three labels": (Trees(DOMAIN, None, 2, 3), THREE),
    "three labels, depth 3": (Trees(DOMAIN, None, 3, 3), {**THREE, "risk": True}),
    "depth 1 to 3": (DEEP, {"epsilon": 1}),
    "conditions": (Conditions(DOMAIN, None, 3, "either"), {"cost": (2, 1), "risk": True}),
    "a checklist": (Conditions(DOMAIN, None, 3, "checklist"), {"epsilon": 1}),
    "one column": (Trees(Product(DOMAIN.columns[:1])), {}),
}
"""The first of each three are tried by `make test`, the others by `make deep`."""


def learn(source: Any, task: str, **options: Any) -> Any:
    H, told = TASKS[task]
    told = {"positive": "yes", "delta": "1e-6", "epsilon": 12, **told, **options}
    return littlestone.fit(
        source, "late", hypotheses=H, ledger=told.pop("ledger", None) or littlestone.Ledger(),
        dataset="d", simulation_seed=5, **told,
    )  # fmt: skip


def known(release: Any) -> tuple[Any, ...]:
    """What there is to compare of a release."""
    return (
        release.hypothesis,
        release.n,
        release.cost,
        release.mechanism,
        release.method,
        release.risks,
    )


def stays(
    source: Table,
    domain: Product = DOMAIN,
    label: Label = LABELS[0],
    unit: Unit | None = None,
    rng: Random = SYSTEM,
) -> StoredSample:
    """The sample that stays in its engine."""
    found = store_sample(source, domain, label, unit, rng, joint=3)
    assert found is not None
    return found


@pytest.fixture
def questions(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    return counted(monkeypatch)


def counted(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """How many sets of columns each statement counts."""
    asked, own = list[int](), stored.StoredCells._count

    def count(cells: Any, subsets: Any) -> Any:
        asked.append(len(subsets))
        return own(cells, subsets)

    monkeypatch.setattr(stored.StoredCells, "_count", count)
    return asked


@pytest.mark.parametrize("task", in_turn(TASKS, quick=3))
def test_one_seed_gives_one_rule(
    task: str, server: str, tmp_path: Path, questions: list[int]
) -> None:
    local = known(learn(arrow(COLUMNS), task))
    assert not questions
    for source in (duckdb_relation(COLUMNS, tmp_path), open_table(server, "t")):
        assert known(learn(source, task)) == local
        assert questions
        questions.clear()


def test_the_tasks_are_those_meant() -> None:
    grown, few, both, alone = (
        learn(arrow(COLUMNS), task)
        for task in ("split once more", "depth 1", "with points", "with points of leaves alone")
    )
    assert (grown.method, few.method, both.method) == ("regrown", "exponential", "tree_sheet")
    assert grown.risks is not None
    assert both.hypothesis.chosen
    assert both.hypothesis.leaves
    assert alone.hypothesis.leaves
    assert not alone.hypothesis.chosen


def joint_counts_agree(table: Table, unit: Unit | None = None) -> None:
    """All sets of up to three columns, with the leaves of a tree and in each of them."""
    labels = Label.parse("late", labels=NAMES)
    columns = range(len(DOMAIN.columns))
    sample = read_sample(open_table(arrow(COLUMNS)), DOMAIN, labels)
    coded = CellCodes.from_sample(sample, columns)
    with closing(stays(table, label=labels, unit=unit)) as found:
        found.count_ahead(3)
        assert found.counts.tolist() == [sample.counts.sum(axis=0).tolist()]
        for k in (1, 2, 3):
            subsets = list(combinations(columns, k))
            pairs = zip(coded.tables(subsets), found.cells.tables(subsets), strict=True)
            assert all(np.array_equal(own, other) for own, other in pairs)
        for tree in some_trees():
            assert count_places(tree, found) == count_places(tree, sample)
            own, parts = sample.split_by(tree), found.split_by(tree)
            assert len(own) == len(parts) == len(tree.places)
            for one, other in zip(own, parts, strict=True):
                assert one.counts.sum(axis=0).tolist() == other.counts.sum(axis=0).tolist()
                weighed = [part.weigh((3, 1, 2)) for part in (one, other)]
                scores: list[Any] = [Trees(DOMAIN, None, 1, 3).scores(part) for part in weighed]
                assert scores[0].errors.tolist() == scores[1].errors.tolist()


def some_trees() -> Iterator[DecisionTree]:
    """Trees with leaves of all kinds: a label alone, an empty one, missing cells, one column twice."""
    columns: Any = DOMAIN.columns
    cells = [list(column.points) for column in columns]
    text, low, high = (
        ColumnTest(j, frozenset(cells[j][part]))
        for j, part in ((0, slice(0, 3)), (1, slice(3, None)), (1, slice(5, None)))
    )
    missing = ColumnTest(2, frozenset([cells[2][0]]))
    yield DecisionTree(DOMAIN, 1, 3)
    yield DecisionTree(DOMAIN, Split(missing, 2, 0), 3)
    yield DecisionTree(DOMAIN, Split(low, Split(high, 0, 1), Split(high, Split(text, 2, 1), 0)), 3)


def test_joint_counts_are_those_of_the_records(server: str, tmp_path: Path) -> None:
    for table in (duckdb_relation(COLUMNS, tmp_path), open_table(server, "t")):
        joint_counts_agree(table)


def test_counts_come_in_statements_of_few_cells(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, questions: list[int]
) -> None:
    table = duckdb_relation(COLUMNS, tmp_path)
    joint_counts_agree(table)
    assert questions[:2] == [25, 5]
    for limits, least in (((2, 1 << 17), 3), ((64, 3000), 11), ((64, 1), 30)):
        questions.clear()
        monkeypatch.setattr(stored, "_AT_ONCE", limits)
        joint_counts_agree(table)
        assert len(questions) >= least
        assert max(questions) <= limits[0]
    assert set(questions) == {1}


def test_too_many_cells_are_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, questions: list[int]
) -> None:
    """The declared sizes decide, and the release is the same."""
    table, local = (
        duckdb_relation(COLUMNS, tmp_path),
        known(learn(arrow(COLUMNS), "split once more")),
    )
    sizes = [column.size or 0 for column in DOMAIN.columns]
    cells = 1 + sum(sizes) + sum(a * b for a, b in combinations(sizes, 2))
    for name, limit in (("MOST_CELLS", cells), ("MOST_SETS", 1 + 5 + 10)):
        for most in (limit, limit - 1):
            questions.clear()
            with monkeypatch.context() as patch:
                patch.setattr(stored, name, most)
                assert known(learn(table, "split once more")) == local
            assert bool(questions) == (most == limit)


def units_agree(table: Table) -> None:
    """The joint counts are of the records that are kept, one of each unit."""
    for seed in range(4):
        sample = stays(table, X, Label.parse("y", 1), Unit("who", 1), Random(seed))
        with closing(sample):
            (alone,) = sample.cells.tables([(0,)])
            split = sample.cells.with_leaves(DecisionTree(X, Split(BELOW, 1, 0)))
            (leaves,), (both,) = split.tables([(1,)]), split.tables([(0, 1)])
            assert (sample.n, int(alone.sum())) == (3, 3)
            assert both.sum(axis=2).tolist() == alone.tolist()
            assert both.sum(axis=1).tolist() == leaves.tolist()


BELOW = ColumnTest(0, frozenset(list(X.columns[0])[:6]))


def test_one_record_of_each_unit(server: str) -> None:
    for postgresql in (False, True):
        units_agree(visits(server, postgresql=postgresql))


def test_a_rule_of_units_with_void_places(questions: list[int]) -> None:
    """All records of each unit are kept here, in every engine."""
    connection = pytest.importorskip("duckdb").connect()
    connection.register("given", arrow(COLUMNS))
    connection.execute("CREATE TABLE t AS SELECT *, row_number() OVER () * 2 // 3 AS id FROM given")
    joint_counts_agree(open_table(connection.table("t")), Unit("id", 3))
    # The choice of records takes numbers of the seed, so the draws are alike where they are sure.
    told: dict[str, Any] = {"unit": "id", "max_records": 3, "epsilon": 1000, "delta": 0}
    for task in ("depth 1", "conditions"):
        found = [
            known(learn(source, task, risk=False, **told))
            for source in (connection.table("t").to_arrow_table(), connection.table("t"))
        ]
        assert found[0] == found[1]
        assert found[0][1] == 3 * 267
        assert questions
        questions.clear()


def test_units_of_one_record_change_nothing() -> None:
    connection = pytest.importorskip("duckdb").connect()
    connection.register("given", arrow(COLUMNS))
    connection.execute("CREATE TABLE t AS SELECT *, row_number() OVER () AS id FROM given")
    joint_counts_agree(open_table(connection.table("t")), Unit("id", 1))


def changing(monkeypatch: pytest.MonkeyPatch, change: Callable[[], None]) -> None:
    """Change the table before each question but that of the labels, of which the state is."""
    own = stored.StoredCells._count

    def count(cells: Any, subsets: Any) -> Any:
        change()
        return own(cells, subsets)

    monkeypatch.setattr(stored.StoredCells, "_count", count)


def test_all_questions_see_one_state(running_server: Server) -> None:
    """What is learned while others write is what was there at first."""
    expected = learn(arrow(COLUMNS), "split once more").hypothesis
    for source, change, changes in tables_that_change(running_server):
        with pytest.MonkeyPatch.context() as patch:
            changing(patch, change)
            assert learn(source, "split once more").hypothesis == expected
        assert len(changes) == 2  # of all pairs, and in the leaves
        assert learn(source, "split once more").hypothesis != expected


def test_a_question_that_fails(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Joint counts come before the spend, and those of leaves after it."""
    table = duckdb_relation(COLUMNS, tmp_path)
    for task, last in (("split once more", 4), ("with points", 6), ("depth 1 to 3", 2)):
        for failing in range(1, last + 1):
            with monkeypatch.context() as patch:
                fail_at(failing, lambda ledger: learn(table, task, ledger=ledger), patch)  # noqa: B023
        assert known(learn(table, task)) == known(learn(arrow(COLUMNS), task))


def test_a_refused_budget_is_refused_before_a_draw(server: str, tmp_path: Path) -> None:
    for source in (duckdb_relation(COLUMNS, tmp_path), open_table(server, "t")):
        with littlestone.Ledger() as ledger:
            ledger.set_limit("d", Budget(1))
            with pytest.raises(BudgetExceededError):
                learn(source, "split once more", ledger=ledger)
            assert not ledger.has_spent


def test_a_learner_that_needs_the_records_says_so(server: str) -> None:
    lists: Any = parse_class("rule_list(x: 0..9; at most 2)")
    table, label = visits(server, postgresql=False), Label.parse("y", 1)
    with littlestone.Ledger() as ledger, closing(stays(table, lists.domain, label)) as sample:
        with pytest.raises(DeclarationError, match="stay in their engine"):
            RoundsLearner(lists, Budget(1)).fit(sample, ledger=ledger, dataset="d")
        assert not ledger.has_spent


def test_a_group_is_found_and_estimated(server: str, tmp_path: Path, questions: list[int]) -> None:
    """An estimate is of counts in places; that of a rule also has what is not read."""
    told: dict[str, Any] = {"positive": "yes", "hypotheses": Conditions(DOMAIN), "epsilon": 9}
    told |= {"dataset": "d", "simulation_seed": 5}

    def find(source: Any) -> tuple[Any, ...]:
        group = littlestone.subgroup(
            source, "late", above="0.3", ledger=littlestone.Ledger(), **told
        )
        return group.release.hypothesis, group.release.estimate, group.size, group.rate

    local = find(arrow(COLUMNS))
    assert not questions
    for source in (duckdb_relation(COLUMNS, tmp_path), open_table(server, "t")):
        assert find(source) == local
        assert questions
        questions.clear()
    one, other = (
        littlestone.fit(source, "late", estimate=1, ledger=littlestone.Ledger(), **told)
        for source in (arrow(COLUMNS), duckdb_relation(COLUMNS, tmp_path))
    )
    assert one.estimate == other.estimate != None  # noqa: E711
    assert one.estimate.unread is not None
    assert questions


STORED, DUCKDB = "littlestone.data.stored", "littlestone.data.snapshots:DuckDbSnapshot"
COUNT = f"{STORED}:StoredCells._count"
FAULTS = [
    Fault(COUNT, "found[own][y, *cell] += count", "found[own][y, *cell] += 1",
          "Cells are counted, and not records."),
    Fault(COUNT, "names[j] for j in (*own, 'y')", "names[j] for j in (*own[:1], *own[2:], 'y')",
          "A pair is counted as its first column."),
    Fault(COUNT, "if code is not None]", "if code]", "Missing values, in cell 0, are dropped."),
    Fault(COUNT, "zip(*pairs, strict=True)", "(tuple(sorted(p)) for p in zip(*pairs, strict=True))",
          "The cells of a pair are in another order than its columns."),
    Fault(COUNT, "found[own][y,", "found[own][y - 1,",
          "A record has its neighbour's label."),
    Fault(f"{STORED}:StoredCells._reach", "int(cell in accepted)", "int(cell not in accepted)",
          "A record that fails a test is in the branch of those that pass."),
    Fault(f"{STORED}:StoredCells._reach", '" AND "', '" OR "',
          "One test of a leaf is enough."),
    Fault(f"{STORED}:StoredCells.with_leaves", "known={**self.known}", "known=self.known",
          "The leaves of one tree are taken for those of another."),
    Fault(f"{STORED}:StoredCells.split_by", "table[..., leaf]", "table[..., -1 - leaf]",
          "The leaves are counted from right to left."),
    Fault(f"{STORED}:StoredCells.count_places", "range(first + 1, last + 1)", "range(first, last)",
          "A place begins one too early."),
    Fault(f"{STORED}:CellTables.weigh", "* costs", "* costs[::-1]",
          "A missed positive costs what a false alarm costs."),
]  # fmt: skip


BATCH_FAULTS = [
    Fault(f"{STORED}:StoredCells._learn", "batch, cells = [], 0", "cells = 0",
          "A statement repeats the sets of the one before it."),
    Fault(f"{STORED}:StoredCells._learn", "cells += size", "cells = size",
          "The cells of one set alone are compared with the limit."),
    Fault(f"{STORED}:_are_few", "cells[k] += cells[k - 1] * size", "cells[k] += size",
          "Cells of single columns are compared with the limit."),
    Fault(f"{STORED}:_are_few", "range(joint, 0, -1)", "range(1, joint + 1)",
          "A column is paired with itself."),
]  # fmt: skip


@pytest.mark.deep
@pytest.mark.parametrize("fault", FAULTS + BATCH_FAULTS, ids=lambda fault: fault.mistake)
def test_a_wrong_count_is_noticed(
    fault: Fault, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def honest() -> None:
        try:
            if fault in BATCH_FAULTS:
                with pytest.MonkeyPatch.context() as patch:
                    asked = counted(patch)
                    test_counts_come_in_statements_of_few_cells(tmp_path, patch, asked)
                    test_too_many_cells_are_read(tmp_path, patch, asked)
            else:
                joint_counts_agree(duckdb_relation(COLUMNS, tmp_path))
        except (LookupError, ValueError) as error:
            raise AssertionError from error

    turns_red(fault, honest, monkeypatch)


@pytest.mark.deep
def test_a_lost_condition_is_noticed(server: str, monkeypatch: pytest.MonkeyPatch) -> None:
    fault = Fault(f"{DUCKDB}.narrow", "self._table.filter(where) if where else self._table",
                  "self._table", "The condition on units is lost.")  # fmt: skip
    turns_red(fault, lambda: units_agree(visits(server, postgresql=False)), monkeypatch)


@pytest.mark.deep
def test_a_forgotten_snapshot_is_noticed(
    running_server: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    fault = Fault(
        f"{DUCKDB}.open", "if begun:\n            table", "if False:\n            table", ""
    )
    turns_red(fault, lambda: test_all_questions_see_one_state(running_server), monkeypatch)
