"""Conjunctions of conditions on a mixed table that has columns with open vocabularies."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations
from math import prod
from typing import Any

import numpy as np
import numpy.ma  # `np.unique` loads it, and nothing is to be loaded after a spend
from numpy.typing import NDArray

from littlestone.base.errors import DeclarationError, TooLargeError
from littlestone.classes.counting.blocks import (
    CellCodes,
    all_tests,
    covered_table,
    holding,
    indicators,
)
from littlestone.classes.promises.by_table import NoVersionSpaces
from littlestone.classes.promises.covering import Covering
from littlestone.classes.text.mixed_columns import (
    mixed_text,
    require_candidates,
    require_conditions,
    sums_of_products,
)
from littlestone.data.sample import Places, Sample
from littlestone.points import Cells, Codes, FiniteColumn, Product, Strings
from littlestone.privacy.scores import Elements
from littlestone.rules import Hypothesis
from littlestone.rules.nodes import ColumnTest, conjunction
from littlestone.rules.trees import DecisionTree

MOST_SHAPES = 20_000
"""The most sets of columns that rules may use."""

MOST_CELLS = 1 << 32
"""The most cells that are counted, if each record has values of its own in the open columns."""

_CHUNK = 1 << 22  # cells that are counted at once

Numbers = NDArray[np.int64]


@dataclass(frozen=True)
class OpenConditions(NoVersionSpaces, Covering[Any]):
    """The rules "all of at most R conditions hold" on different columns, some of them open.

    On a declared column the conditions are those of `Conditions`; on an open one they are x = v for
    any value v, which nobody lists.  The empty rule, the constant 1, and the constant 0 belong to the
    class.  A record obeys at most g = e_0 + ... + e_R rules, e_r the sum over r columns of the product
    of s_j, where a value obeys at most s_j conditions on column j: 1 on an open column or a list, and
    c on a grid of c cuts.  So private learners take their candidates from the data, and g enters by
    its logarithm.

    Only `littlestone_bounds` is known, not the version spaces.  Raises `DeclarationError` without an
    open column or for more than 4 conditions, and `TooLargeError` for more than 20,000 sets of columns.

    >>> H = OpenConditions(Product((Strings("ward"), Cells(("0", "18", "65"), "age"))), 2)
    >>> H.elements_per_point, H.littlestone_bounds()
    (6, (2, 3))
    """

    domain: Product
    most: int = 2
    between: bool = False

    def __post_init__(self) -> None:
        columns = self.domain.columns
        legal = all(isinstance(column, FiniteColumn | Codes | Strings) for column in columns)
        if not legal or all(isinstance(column, FiniteColumn) for column in columns):
            found = "no column is open" if legal else "a column is not one of a mixed table"
            fix = (
                "use Conditions for declared columns" if legal else "give Cells, Listed or Strings"
            )
        elif type(self.most) is not int or not 1 <= self.most <= 4:
            found, fix = "the number of conditions must be 1, 2, 3 or 4", "ask for at most 2"
        else:
            shapes = sums_of_products([1] * len(columns), self._most)
            if sum(shapes) <= MOST_SHAPES:
                require_conditions(self.domain, "conditions", between=self.between)
                widths = [c.size for c in columns if c.size is not None]
                cells = prod(sorted(widths)[-self._most :])
                require_candidates(cells, _CHUNK, self.domain, f"{self}: rules in so many cells")
                return
            raise TooLargeError(
                f"declare {self}",
                found=f"rules use {sum(shapes):,} sets of columns, more than {MOST_SHAPES:,}",
                fix="name fewer columns, or ask for fewer conditions in a rule",
            )
        raise DeclarationError(f"declare {self}", found=found, fix=fix)

    @property
    def _most(self) -> int:
        return min(self.most, len(self.domain.columns))

    @cached_property
    def _tests(self) -> list[list[ColumnTest]]:
        return all_tests(self.domain, between=self.between)

    @cached_property
    def _max_conditions(self) -> list[int]:
        """The most conditions on each column that one value obeys."""
        found = []
        for column, tests in zip(self.domain.columns, self._tests, strict=True):
            if isinstance(column, FiniteColumn):
                found.append(int(indicators(tests, column).sum(axis=0).max()))
            else:
                found.append(1)
        return found

    max_elements = 1

    @property
    def elements_per_point(self) -> int:
        return sum(sums_of_products(self._max_conditions, self._most))

    def most_candidates(self, n: int) -> int:
        return sum(
            n * prod(self._max_conditions[j] for j in subset)
            if any(not self._tests[j] for j in subset)
            else prod(len(self._tests[j]) for j in subset)
            for subset in self._subsets
        )

    def require_countable(self, n: int) -> None:
        sizes = [column.size for column in self.domain.columns]
        cells = sum(
            n * prod(sizes[j] or 1 for j in subset)
            for subset in self._subsets
            if any(sizes[j] is None for j in subset)
        )
        require_candidates(cells, MOST_CELLS, self.domain, f"rules over the cells of {n:,} records")

    @cached_property
    def _subsets(self) -> list[tuple[int, ...]]:
        columns = range(len(self.domain.columns))
        return [subset for r in range(self._most + 1) for subset in combinations(columns, r)]

    def elements(self, sample: Sample[Any]) -> Elements:
        """All rules that cover a positive example, as in `Covering.elements`."""
        counted = _CodedColumns(self, sample)
        blocks = [block for subset in self._subsets for block in counted.blocks(subset)]
        ends = np.cumsum([len(block.places) for block in blocks])

        def tests_of_element(i: int) -> list[ColumnTest]:
            b = int(np.searchsorted(ends, i, side="right"))
            return blocks[b].tests(i - int(ends[b] - len(blocks[b].places)))

        def element(i: int) -> DecisionTree:
            return DecisionTree(self.domain, conjunction(tests_of_element(i)))

        def places(i: int) -> Numbers:
            return np.flatnonzero(holding(tests_of_element(i), sample))

        return Elements(
            np.concatenate([block.positives for block in blocks]),
            np.concatenate([block.negatives for block in blocks]),
            element,
            places,
        )

    def union(self, elements: Iterable[Hypothesis[Any]]) -> DecisionTree:
        """The rule itself; without one, the constant 0."""
        for h in elements:
            if isinstance(h, DecisionTree):
                return h
        return DecisionTree(self.domain, 0)

    def littlestone_bounds(self) -> tuple[int, int]:
        """Thresholds on R columns below, and 1 + floor(log2 g) above (docs/proofs/conditions.md)."""
        cuts = [len(c.starts) - 1 for c in self.domain.columns if isinstance(c, Cells)]
        deepest = sorted(((c + 1).bit_length() - 1 for c in cuts), reverse=True)
        upper = self.elements_per_point.bit_length()
        return max(2 if self._most > 0 else 1, sum(deepest[: self._most])), upper

    def __str__(self) -> str:
        columns = ", ".join(map(mixed_text, self.domain.columns))
        between = ", between" if self.between else ""
        return f"conditions({columns}; at most {self.most}{between})"


@dataclass(frozen=True)
class _Block:
    """The rules on one set of columns that cover a positive example, in one part of the groups.

    ``places`` are their places in the array [group, test on the first declared column, ...].
    """

    positives: Numbers
    negatives: Numbers
    places: Numbers
    shape: tuple[int, ...]
    groups: Sequence[tuple[ColumnTest, ...]]
    declared: Sequence[Sequence[ColumnTest]]

    def tests(self, i: int) -> list[ColumnTest]:
        """The conditions of rule i of the block."""
        group, *chosen = (int(k) for k in np.unravel_index(self.places[i], self.shape))
        own = [tests[k] for tests, k in zip(self.declared, chosen, strict=True)]
        return sorted([*self.groups[group], *own], key=lambda test: test.column)


class _CodedColumns:
    """The columns of a sample, coded for counting rules."""

    def __init__(self, H: OpenConditions, sample: Sample[Any]) -> None:
        self.H, self.sample = H, sample
        columns = range(len(H.domain.columns))
        self.declared = [j for j in columns if H._tests[j]]
        coded = CellCodes.from_sample(sample, self.declared)
        self.cells = dict(zip(self.declared, coded.codes, strict=True))
        self.sizes = dict(zip(self.declared, coded.sizes, strict=True))
        self.values: dict[int, Sequence[str]] = {}
        self.codes: dict[int, Places] = {}
        for j in columns:
            if j not in self.cells:
                self.values[j], self.codes[j] = sample.column(j)
        self.matrices = {
            j: indicators(H._tests[j], _parted_column(H.domain, j)) for j in self.declared
        }

    def blocks(self, subset: Sequence[int]) -> Iterator[_Block]:
        """The rules on these columns, group by group of equal values in the open ones."""
        opened = [j for j in subset if j in self.values]
        cells = [j for j in subset if j in self.cells]
        width = prod(self.sizes[j] for j in cells)
        group, example = self._group_points(opened)
        key = group
        for j in cells:
            key = key * self.sizes[j] + self.cells[j]
        order = np.argsort(key, kind="stable")
        key, counts = key[order], self.sample.counts[order]
        declared = [self.H._tests[j] for j in cells]
        step = max(1, _CHUNK // width)
        for first in range(0, len(example), step):
            last = min(first + step, len(example))
            start, stop = np.searchsorted(key, [first * width, last * width])
            table = np.zeros((2, (last - first) * width), np.int64)
            for y in (0, 1):
                np.add.at(table[y], key[start:stop] - first * width, counts[start:stop, y])
            shaped = table.reshape(2, last - first, *(self.sizes[j] for j in cells))
            # With the groups in the last place, `covered_table` sums over the cells in front of them.
            found = covered_table(np.moveaxis(shaped, 1, -1), [self.matrices[j] for j in cells])
            rules = found.reshape(2, -1)
            # The candidates are the rules that cover a positive example, as the choosing mechanism
            # needs (docs/proofs/choosing.md).
            places = np.flatnonzero(rules[1])
            yield _Block(
                rules[1, places],
                rules[0, places],
                places,
                found.shape[1:],
                [self._tests_of_point(opened, example[g]) for g in range(first, last)],
                declared,
            )

    def _group_points(self, opened: Sequence[int]) -> tuple[Numbers, Numbers]:
        """The number of each point's group of equal values in these columns; a point of each group."""
        key = np.zeros(len(self.sample.points), np.int64)
        for j in opened:
            pair = key * len(self.values[j]) + self.codes[j]
            key = np.unique(pair, return_inverse=True)[1]
        # No record is in no group; an empty set of columns has one group, even of no records.
        groups = int(key.max(initial=-1 if opened else 0)) + 1
        example = np.zeros(groups, np.int64)
        example[key] = np.arange(len(key))
        return key, example

    def _tests_of_point(self, opened: Sequence[int], point: int) -> tuple[ColumnTest, ...]:
        return tuple(
            ColumnTest(j, frozenset([self.values[j][self.codes[j][point]]])) for j in opened
        )


def _parted_column(domain: Product, j: int) -> FiniteColumn:
    column = domain.columns[j]
    if not isinstance(column, FiniteColumn):
        raise TypeError(column)
    return column
