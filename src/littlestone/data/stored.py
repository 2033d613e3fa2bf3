"""Records that stay in their engine, which hands over sums of whole numbers alone."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass, field, replace
from itertools import combinations
from math import prod
from random import Random, SystemRandom
from typing import Any, ClassVar, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

from littlestone.base.errors import TableError
from littlestone.data.label import Label
from littlestone.data.sample import Counts, Sample
from littlestone.data.step_functions import (
    FaultCheck,
    Steps,
    TypedColumn,
    steps_of_check,
    steps_of_column,
    steps_of_label,
)
from littlestone.data.table import Table, no_rows
from littlestone.points import Domain, Product
from littlestone.points.columns import days_of
from littlestone.points.units import Unit

Rows = list[tuple[Any, ...]]

SYSTEM = SystemRandom()


class Snapshot(ABC):
    """One state of a table of an engine, whatever others write to it."""

    @abstractmethod
    def column(self, name: str) -> TypedColumn | None:
        """The column as the engine compares it; None if it does not compare as domains do."""

    @abstractmethod
    def query(self, terms: Sequence[str], selected: str, grouped: str = "") -> Rows:
        """What is ``selected`` of these terms, whose names are e0, e1, ..., for each group.

        A term is SQL of a record, and ``selected`` has no values of single records: only numbers by
        which it groups, sums, and the texts of labels (`_steps_of`).
        """

    @abstractmethod
    def narrow(self, selected: Sequence[str], where: str = "") -> None:
        """From now on the snapshot has what is ``selected`` of the rows that meet a condition."""

    hashed: ClassVar[str]
    """The SQL of a whole number from 0 to 2^60 - 1 that looks random, of a text in place of {}."""

    fixed: ClassVar[bool] = True
    """Whether it has one state before it is settled."""

    def settle(self, steps: Sequence[Steps], sizes: Sequence[int]) -> Sequence[Steps]:
        """The same functions, of so many values each; no others are asked for from now on."""
        return steps

    def keep_few(
        self, steps: Sequence[Steps], sizes: Sequence[int], unit: str, seed: int, most: int
    ) -> Sequence[Steps]:
        """`settle` with at most so many records of each ``unit``, an SQL text; the last is 1 in one.

        Which ones is a function of the cells and labels of the unit's own records, of its text and of
        the ``seed``, so no other unit decides it (docs/proofs/units.md, Theorem 1).
        """
        names = [f"c{i}" for i in range(len(steps))]
        terms = [one.sql(range(size)) for one, size in zip(steps, sizes, strict=True)]
        self.narrow(
            [*(f"{term} AS {c}" for term, c in zip(terms, names, strict=True)), f"{unit} AS u"]
        )
        # Records with the same cells and label are alike, so their order means nothing.
        ordered = f"row_number() OVER (PARTITION BY u ORDER BY {', '.join(names)}) AS place"
        self.narrow([*names, "u", ordered])
        number = self.hashed.format(f"concat('{seed:032x}', place, ' ', u)")
        drawn = f"row_number() OVER (PARTITION BY u ORDER BY {number}, place) AS drawn"
        self.narrow([*names, drawn])
        first = "CASE WHEN drawn = 1 THEN 1 ELSE 0 END AS first"
        self.narrow([*names, first], f"drawn <= {most}")
        names, sizes = [*names, "first"], [*sizes, 2]
        kept = [Steps.of_numbers(name, size) for name, size in zip(names, sizes, strict=True)]
        return self.settle(kept, sizes)


Subset = tuple[int, ...]
"""Columns, in increasing order."""

MOST_CELLS = 1 << 20
"""The most cells of all sets of columns that are counted together; a count takes 8 bytes."""

MOST_SETS = 1 << 12
"""The most sets of columns that are counted together; an engine looks at each record for each."""

_MOST_TEXTS = 1 << 12  # of a label that are looked at, one by one
_MOST_CHARACTERS = 1 << 16  # of those of them that SQL names

_AT_ONCE = 64, 1 << 17  # sets and cells of a statement: DuckDB keeps about a megabyte for each set


@dataclass
class CellTables:
    """Counts of labels in the cells of sets of columns, as far as an engine has handed them over."""

    sizes: tuple[int, ...]
    known: dict[Subset, Counts]

    def tables(self, subsets: Sequence[Sequence[int]]) -> list[Counts]:
        """For each set of columns, the counts [label, cell of its first column, of its second, ...]."""
        return [self.known[tuple(own)] for own in subsets]

    def weigh(self, weights: Sequence[int]) -> CellTables:
        """The counts in which an example with the label y counts ``weights[y]`` times."""
        costs = np.array(weights, np.int64)
        return CellTables(self.sizes, {own: (t.T * costs).T for own, t in self.known.items()})


class Leaves(NamedTuple):
    """The number of a tree's leaf as SQL: where none is ``reached``, a record is in the last one."""

    reached: list[str]

    def sql(self, numbers: Sequence[int] | Counts) -> str:
        """The SQL of ``numbers[leaf]``."""
        *found, last = map(int, numbers)
        cases = [f"WHEN {own} THEN {n}" for own, n in zip(self.reached, found, strict=True)]
        return f"CASE {' '.join(cases)} ELSE {last} END" if cases else str(last)


@dataclass
class StoredCells(CellTables):
    """The cells of columns and the labels of all records, asked for by sums.

    Labels are counted at once, and the cells of sets of columns by `count_ahead`, both before a spend.
    All other sums are of the same state, and are asked for after it, because earlier releases choose
    them.  A term is defined for every value, so whether a question fails depends on the
    engine and not on a record; then nothing is released (docs/proofs/score-sheet.md, Theorem 4).
    """

    snapshot: Snapshot
    columns: tuple[Steps | Leaves, ...]
    label: Steps
    labels: int

    def count_labels(self, flags: Sequence[Steps]) -> Counts:
        """The number of records of each label, and of those in which each flag is 1."""
        found = np.zeros((self.labels, 1 + len(flags)), np.int64)
        terms = [self.label.sql(range(self.labels)), *(flag.sql((0, 1)) for flag in flags)]
        sums = "".join(f", sum(e{i})" for i in range(1, len(terms)))
        for y, *counts in self.snapshot.query(terms, f"e0, count(*){sums}", "e0"):
            found[y] = list(map(int, counts))
        return found

    def count_ahead(self, joint: int) -> None:
        """Ask for the counts of all sets of at most ``joint`` columns, which are then `known`."""
        m = len(self.columns)
        self._learn([own for k in range(1, joint + 1) for own in combinations(range(m), k)])

    def _learn(self, subsets: Sequence[Subset]) -> None:
        sets, most = _AT_ONCE
        batch: list[Subset] = []
        cells = 0
        for own in subsets:
            if own in self.known:
                continue
            size = self.labels * prod(self.sizes[j] for j in own)
            if batch and (len(batch) == sets or cells + size > most):
                self.known.update(self._count(batch))
                batch, cells = [], 0
            batch.append(own)
            cells += size
        if batch:
            self.known.update(self._count(batch))

    def _count(self, subsets: Sequence[Subset]) -> dict[Subset, Counts]:
        """The counts of some sets of columns, in one statement."""
        used = sorted({j for own in subsets for j in own})
        terms = [self.columns[j].sql(range(self.sizes[j])) for j in used]
        terms.append(self.label.sql(range(self.labels)))
        names = dict(zip((*used, "y"), (f"e{i}" for i in range(len(terms))), strict=True))
        sets = (f"({', '.join(names[j] for j in (*own, 'y'))})" for own in subsets)
        rows = self.snapshot.query(
            terms, f"{', '.join(names.values())}, count(*)", f"GROUPING SETS ({', '.join(sets)})"
        )
        found = {
            own: np.zeros((self.labels, *(self.sizes[j] for j in own)), np.int64) for own in subsets
        }
        for *codes, y, count in rows:
            # The other columns of a grouping set are NULL, and no code is.
            pairs = [(j, code) for j, code in zip(used, codes, strict=True) if code is not None]
            own, cell = zip(*pairs, strict=True)
            found[own][y, *cell] += count
        return found

    def tables(self, subsets: Sequence[Sequence[int]]) -> list[Counts]:
        with _after_the_spend():
            self._learn([tuple(own) for own in subsets])
        return super().tables(subsets)

    def products(self, columns: Sequence[int], numbers: Sequence[Counts]) -> Counts:
        """For each two of the columns, the sum over the records of the products of their numbers."""
        pairs = combinations(range(len(columns)), 2)
        selected = ", ".join(f"sum(e{i} * e{j})" for i, j in pairs)
        with _after_the_spend():
            (row,) = self.snapshot.query(self._terms(columns, numbers), selected)
        return np.array(list(map(int, row)), np.int64)

    def totals(
        self, columns: Sequence[int], numbers: Sequence[Counts], ends: Sequence[int]
    ) -> Counts:
        """The counts [label, run] of the runs of totals that begin at ``ends``."""
        total = " + ".join(self._terms(columns, numbers)) or "0"
        terms = [total, self.label.sql(range(self.labels))]
        with _after_the_spend():
            rows = self.snapshot.query(terms, "e0, e1, count(*)", "e0, e1")
        found = np.zeros((self.labels, len(ends) + 1), np.int64)
        for t, y, count in rows:
            found[y, np.searchsorted(ends, t, side="right")] += count
        return found

    def _terms(self, columns: Sequence[int], numbers: Sequence[Counts]) -> list[str]:
        return [self.columns[j].sql(own) for j, own in zip(columns, numbers, strict=True)]

    def with_leaves(self, tree: Any) -> StoredCells:
        """These columns, and behind them the leaf of a tree over them, which was released."""
        reached = [self._reach(tree.domain, region) for region in tree.regions]
        sizes, columns = (*self.sizes, len(reached)), (*self.columns, Leaves(reached[:-1]))
        return replace(self, sizes=sizes, columns=columns, known={**self.known})

    def _reach(self, domain: Any, region: Mapping[int, frozenset[str]]) -> str:
        """The condition that a record is in the accepted cells of each column."""
        inside = [
            (j, [int(cell in accepted) for cell in domain.columns[j].points])
            for j, accepted in region.items()
        ]
        return " AND ".join(f"{self.columns[j].sql(own)} = 1" for j, own in inside)

    def split_by(self, tree: Any) -> list[CellTables]:
        """The counts of single columns in each leaf of a tree that was released."""
        m = len(self.columns)
        found = self.with_leaves(tree).tables([(j, m) for j in range(m)])
        return [
            CellTables(self.sizes, {(j,): table[..., leaf] for j, table in enumerate(found)})
            for leaf in range(len(tree.regions))
        ]

    def count_places(self, rule: Any) -> Counts:
        """The counts [label, place] of a tree or a sheet, whose places are sums of points."""
        tree, leaves, columns, points = rule.points_of_places
        cells = self
        if tree is not None:
            cells, columns = self.with_leaves(tree), (*columns, len(self.columns))
            points = (*points, leaves)
        first, last = (sum(map(end, points)) for end in (min, max))
        return cells.totals(columns, points, range(first + 1, last + 1))


@contextmanager
def _after_the_spend() -> Iterator[None]:
    """An error of an engine says what became of the budget."""
    try:
        yield
    except TableError as error:
        raise type(error)(
            error.asked,
            found=f"{error.found}; the budget is spent, and nothing is released",
            fix=f"{error.fix}; then `fit` again, which spends again",
        ) from None


@dataclass(frozen=True, eq=False)
class CountedSample(Sample[Any]):
    """A sample of which counts of cells are all that is known: it lists no points.

    Its ``counts`` have one row, for all records.
    """

    cells: CellTables = field(kw_only=True)

    @classmethod
    def of_cells(cls, domain: Domain[Any], cells: CellTables) -> Self:
        """The sample of these counts."""
        (table,) = cells.tables([(0,)])
        return cls(domain, (), table.sum(axis=1)[None], cells=cells)

    def weigh(self, weights: Sequence[int]) -> Any:
        return CountedSample.of_cells(self.domain, self.cells.weigh(weights))


@dataclass(frozen=True, eq=False)
class StoredSample(CountedSample):
    """A sample whose records stay in their engine, which answers by sums."""

    cells: StoredCells = field(kw_only=True)
    held: ExitStack = field(kw_only=True)

    def records(self) -> Sample[Any]:
        return self if self.unit is None else replace(self, unit=None, units=0)

    def count_ahead(self, joint: int) -> None:
        self.cells.count_ahead(joint)

    def count_bins(self, rule: Any) -> Counts:
        found = np.zeros((int(rule.bins[-1]) + 1, self.labels), np.int64)
        np.add.at(found, rule.bins, self.cells.count_places(rule).T)
        return found

    def split_by_label(self, rule: Any) -> tuple[NDArray[np.bool_], Counts]:
        ones = np.array([place.label == 1 for place in rule.places])
        return ones, self.cells.count_places(rule).T

    def split_by(self, rule: Any) -> list[Sample[Any]]:
        return [CountedSample.of_cells(self.domain, own) for own in self.cells.split_by(rule)]

    def close(self) -> None:
        # Nothing was written, and what was learned is not lost with a connection.
        with suppress(Exception):
            self.held.close()


def _are_few(sizes: Sequence[int], joint: int) -> bool:
    """Whether the sets of at most ``joint`` columns of these sizes are within the limits."""
    sets, cells = ([1, *[0] * joint] for _ in range(2))
    for size in sizes:
        for k in range(joint, 0, -1):
            sets[k] += sets[k - 1]
            cells[k] += cells[k - 1] * size
    return sum(sets) <= MOST_SETS and sum(cells) <= MOST_CELLS


def store_sample(
    table: Table,
    domain: Domain[Any],
    label: Label,
    unit: Unit | None = None,
    rng: Random = SYSTEM,
    *,
    joint: int = 1,
    checks: Sequence[FaultCheck] = (),
) -> StoredSample | None:
    """The sample of a table whose records stay in their engine; None where they must be read.

    They must where no engine has one state of them, where SQL cannot say a cell, a label or a unit, and
    where the sets of ``joint`` columns, which are to be counted, are more than the limits.  ``rng``
    chooses the records of units.  ``checks`` are those of the cells, and then of the label, which
    are 1 where one is not read; such records are counted.  Errors are those of `read_sample`.
    """
    opened = table.snapshot()
    if opened is None or not isinstance(domain, Product):
        return None
    whose = () if unit is None else (unit.column,)
    table.require_all((*domain.column_names, label.column, *whose), days_of(domain))
    sizes = [column.size or 0 for column in domain.columns]
    if not _are_few(sizes, joint):
        return None
    with ExitStack() as held:
        snapshot = held.enter_context(opened)
        names = (*domain.column_names, label.column)
        typed = [found for name in names if (found := snapshot.column(name)) is not None]
        if len(typed) < len(names):
            return None
        cells = map(steps_of_column, typed, domain.columns)
        steps = [one for one in (*cells, steps_of_label(typed[-1], label)) if one is not None]
        if len(steps) < len(names):
            return None
        unread = list[Steps]()
        if checks:
            tried = [_steps_of(snapshot, *pair) for pair in zip(typed, checks, strict=True)]
            known = [one for one in tried if one is not None]
            if len(known) < len(tried):
                return None
            unread = [Steps.any_of(known[:-1]), known[-1]]
        steps, values = [*steps, *unread], [*sizes, label.labels, *(2 for _ in unread)]
        if unit is None:
            kept = snapshot.settle(steps, values)
        else:
            owner = snapshot.column(unit.column)
            if owner is None or not owner.text:
                return None
            # A missing value is the empty text, as for `text`.
            shown = f"coalesce({owner.text}, '')"
            kept = snapshot.keep_few(steps, values, shown, rng.getrandbits(128), unit.most)
        columns, flags = tuple(kept[: len(sizes)]), kept[len(names) :]
        stored = StoredCells(tuple(sizes), {}, snapshot, columns, kept[len(sizes)], label.labels)
        totals, *sums = stored.count_labels(flags).T
        if not totals.any():
            raise no_rows(table)
        return StoredSample(
            domain,
            (),
            totals[None],
            unit,
            0 if unit is None else int(sums[-1].sum()),
            unread=(int(sums[0].sum()), int(sums[1].sum())) if checks else None,
            cells=stored,
            held=held.pop_all(),
        )
    raise AssertionError  # a snapshot swallows no error


def _steps_of(snapshot: Snapshot, typed: TypedColumn, check: FaultCheck) -> Steps | None:
    """Where a cell or a label is not read.

    If texts without end are alike to declared ones, those that occur are looked up.  The function is
    the same whichever occur, so no record decides what another one counts.
    """
    if check.open and typed.order is None:
        # In another state other texts may occur.
        if not snapshot.fixed:
            return None
        ((number,),) = snapshot.query([typed.value], "count(DISTINCT e0)")
        if number > _MOST_TEXTS:
            return None
        texts = [
            text for (text,) in snapshot.query([typed.value], "e0", "e0") if check.function(text)
        ]
        if sum(map(len, texts)) > _MOST_CHARACTERS:
            return None
        check = check._replace(declared=(*check.declared, *texts))
    return steps_of_check(typed, check)
