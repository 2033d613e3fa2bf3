"""Records that stay in their engine, which hands over sums of whole numbers alone."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from contextlib import ExitStack, suppress
from dataclasses import dataclass, field
from itertools import combinations
from random import Random, SystemRandom
from typing import Any, ClassVar

import numpy as np

from littlestone.base.errors import TableError
from littlestone.data.label import Label
from littlestone.data.sample import Counts, Sample
from littlestone.data.step_functions import Steps, TypedColumn, steps_of_column, steps_of_label
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
        which it groups, and sums.
        """

    @abstractmethod
    def narrow(self, selected: Sequence[str], where: str = "") -> None:
        """From now on the snapshot has what is ``selected`` of the rows that meet a condition."""

    hashed: ClassVar[str]
    """The SQL of a whole number from 0 to 2^60 - 1 that looks random, of a text in place of {}."""

    def settle(self, steps: Sequence[Steps], sizes: Sequence[int]) -> Sequence[Steps]:
        """The same functions, of so many values each; no others are asked for from now on."""
        return steps

    def keep_one(
        self, steps: Sequence[Steps], sizes: Sequence[int], unit: str, seed: int
    ) -> Sequence[Steps]:
        """`settle` with one record of each ``unit``, an SQL text.

        Which one is a function of the cells and labels of the unit's own records, of its text and of
        the ``seed``, so no other unit decides it (docs/proofs/units.md, Theorem 1).
        """
        names = [f"c{i}" for i in range(len(steps))]
        terms = [one.sql(range(size)) for one, size in zip(steps, sizes, strict=True)]
        self.narrow(
            [*(f"{term} AS {c}" for term, c in zip(terms, names, strict=True)), f"{unit} AS u"]
        )
        ranked = f"row_number() OVER (PARTITION BY u ORDER BY {', '.join(names)}) AS place"
        self.narrow([*names, "u", ranked, "count(*) OVER (PARTITION BY u) AS size"])
        # Records with the same cells and label are alike, so their order means nothing.
        number = self.hashed.format(f"concat('{seed:032x}', u)")
        self.narrow(names, f"place = 1 + {number} % size")
        kept = [Steps.of_numbers(name, size) for name, size in zip(names, sizes, strict=True)]
        return self.settle(kept, sizes)


class StoredCells:
    """The cells of columns and labels 0 and 1 of all records, asked for by sums.

    The counts of single columns are taken at once, before a spend.  All other sums are of the same
    state, and are asked for after it, because earlier releases choose them.  A term is defined for
    every value, so whether a question fails depends on the engine and not on a record; then nothing is
    released (docs/proofs/score-sheet.md, Theorem 4).
    """

    def __init__(self, snapshot: Snapshot, steps: Sequence[Steps], sizes: Sequence[int]) -> None:
        self._snapshot, self._sizes = snapshot, tuple(sizes)
        *self._columns, self._label = steps
        self._counts = self._count()

    def _count(self) -> list[Counts]:
        pairs = zip((*self._columns, self._label), (*self._sizes, 2), strict=True)
        terms = [steps.sql(range(size)) for steps, size in pairs]
        names = [f"e{i}" for i in range(len(terms))]
        *columns, label = names
        sets = ", ".join(f"({name}, {label})" for name in columns)
        rows = self._snapshot.query(
            terms, f"{', '.join(names)}, count(*)", f"GROUPING SETS ({sets})"
        )
        found = [np.zeros((2, size), np.int64) for size in self._sizes]
        for *codes, y, count in rows:
            # The other columns of a grouping set are NULL, and no code is.
            ((j, code),) = ((j, code) for j, code in enumerate(codes) if code is not None)
            found[j][y, code] += count
        return found

    @property
    def n(self) -> int:
        """The number of records."""
        return int(self._counts[0].sum())

    def tables(self, subsets: Sequence[Sequence[int]]) -> list[Counts]:
        """For each set of one column, the counts [label, cell]."""
        return [self._counts[j] for (j,) in subsets]

    def products(self, columns: Sequence[int], numbers: Sequence[Counts]) -> Counts:
        """For each two of the columns, the sum over the records of the products of their numbers."""
        pairs = combinations(range(len(columns)), 2)
        selected = ", ".join(f"sum(e{i} * e{j})" for i, j in pairs)
        (row,) = self._ask(self._terms(columns, numbers), selected)
        return np.array(list(map(int, row)), np.int64)

    def totals(
        self, columns: Sequence[int], numbers: Sequence[Counts], ends: Sequence[int]
    ) -> Counts:
        """The counts [label, run] of the runs of totals that begin at ``ends``."""
        total = " + ".join(self._terms(columns, numbers)) or "0"
        rows = self._ask([total, self._label.sql((0, 1))], "e0, e1, count(*)", "e0, e1")
        found = np.zeros((2, len(ends) + 1), np.int64)
        for t, y, count in rows:
            found[y, np.searchsorted(ends, t, side="right")] += count
        return found

    def _ask(self, terms: Sequence[str], selected: str, grouped: str = "") -> Rows:
        try:
            return self._snapshot.query(terms, selected, grouped)
        except TableError as error:
            raise type(error)(
                error.asked,
                found=f"{error.found}; the budget is spent, and nothing is released",
                fix=f"{error.fix}; then `fit` again, which spends again",
            ) from None

    def _terms(self, columns: Sequence[int], numbers: Sequence[Counts]) -> list[str]:
        return [self._columns[j].sql(own) for j, own in zip(columns, numbers, strict=True)]


@dataclass(frozen=True, eq=False)
class StoredSample(Sample[Any]):
    """A sample whose records stay in their engine: it lists no points, and answers by sums."""

    cells: StoredCells = field(kw_only=True)
    held: ExitStack = field(kw_only=True)

    @property
    def n(self) -> int:
        return self.cells.n

    def records(self) -> Sample[Any]:
        return self

    def count_bins(self, rule: Any) -> Counts:
        # Rules that are learned from sums are score sheets, whose bins are runs of totals.
        ends = rule.totals[0] + 1 + np.flatnonzero(np.diff(rule.bins))
        return self.cells.totals(rule.chosen, rule.points, ends).T

    def close(self) -> None:
        # Nothing was written, and what was learned is not lost with a connection.
        with suppress(Exception):
            self.held.close()


def store_sample(
    table: Table,
    domain: Domain[Any],
    label: Label,
    unit: Unit | None = None,
    rng: Random = SYSTEM,
) -> StoredSample | None:
    """The sample of a table whose records stay in their engine; None where they must be read.

    They must where no engine has one state of them, where SQL cannot say a cell, a label or a unit, and
    where several records of a unit are used.  ``rng`` chooses the records of units.  Errors are those
    of `read_sample`.
    """
    opened = table.snapshot()
    if opened is None or not isinstance(domain, Product) or label.labels > 2:
        return None
    whose = () if unit is None else (unit.column,)
    table.require_all((*domain.column_names, label.column, *whose), days_of(domain))
    if unit is not None and unit.most > 1:
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
        sizes = [column.size or 0 for column in domain.columns]
        if unit is None:
            kept = snapshot.settle(steps, [*sizes, 2])
        else:
            owner = snapshot.column(unit.column)
            if owner is None or not owner.text:
                return None
            # A missing value is the empty text, as for `text`.
            shown = f"coalesce({owner.text}, '')"
            kept = snapshot.keep_one(steps, [*sizes, 2], shown, rng.getrandbits(128))
        stored = StoredCells(snapshot, kept, sizes)
        if not stored.n:
            raise no_rows(table)
        nothing = np.zeros((0, 2), np.int64)
        return StoredSample(
            domain, (), nothing, unit, units=stored.n, cells=stored, held=held.pop_all()
        )
    raise AssertionError  # a snapshot swallows no error
