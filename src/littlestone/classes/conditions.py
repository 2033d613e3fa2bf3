"""Conjunctions, disjunctions and checklists of conditions on the columns of a mixed table."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import accumulate, combinations, product
from math import prod
from typing import Any, Literal, Self

import numpy as np
from numpy.typing import NDArray

from littlestone.base.errors import DeclarationError
from littlestone.classes.base import BinaryClass, Enumerable
from littlestone.classes.counting.blocks import all_tests, cells_of, covered_table, indicators
from littlestone.classes.promises.by_table import ByTable, places
from littlestone.classes.promises.open_conditions import OpenConditions
from littlestone.classes.text.mixed_columns import (
    parse_columns,
    require_candidates,
    require_conditions,
    require_declared,
    sums_of_products,
)
from littlestone.classes.text.scales import MOST_CUTS
from littlestone.classes.text.spec import Spec
from littlestone.data.sample import Sample
from littlestone.points import Cells, FiniteColumn, Listed, Product
from littlestone.privacy.scores import ErrorRuns
from littlestone.rules.nodes import ColumnTest, at_least
from littlestone.rules.trees import DecisionTree

Join = Literal["all", "any", "either", "checklist"]

MOST_CANDIDATES = 1 << 24
"""The most rules of a class; their counts take 8 bytes each and label."""

MOST_CELLS = 1 << 25
"""The most cells in all tables of counts together."""

FORM = (
    "conditions(COLUMN, ...; at most R), where ', any of', ', either' or ', checklist' and ', between' "
    "may follow R"
)


@dataclass(frozen=True)
class Conditions(ByTable, Enumerable[Any], BinaryClass[Any]):
    """The rules "all of at most R conditions hold" on different columns, and the constants 0 and 1.

    A condition is x < t or x >= t for a cut t of a declared grid, x = v for a value v of a declared
    list, or "x is missing"; with ``between`` also a <= x < b.  ``join`` is "all" for conjunctions,
    "any" for disjunctions ("some condition holds"), "either" for both, and "checklist" for "at least M
    of these r conditions hold", with all M <= r <= R.  With c_j conditions on column j there are
    e_0 + ... + e_R conjunctions, e_r the sum over r columns of the product of their c_j.

    The errors of all rules come from counts of labels in the cells of each R columns.  Time:
    O(n C(m, R)) for n records and m columns, and a few operations a rule.  The Littlestone dimension is
    exact if the table of all rules has at most 2^20 entries, and bounded otherwise
    (docs/proofs/conditions.md).  Raises `TooLargeError` for more than 2^24 rules, and
    `DeclarationError` for open columns, whose values nobody declares.

    >>> H = Conditions.parse(Spec.parse("conditions(age: 0..80 step 20, sex in {F, M}; at most 2)"))
    >>> H.size, H.hypothesis(20).words()
    (41, 'age >= 20 and sex is missing')
    """

    keyword = "conditions"
    typical = "conditions(age: 0..120 step 5, sex in {F, M}, ward; at most 2)"
    group = "ordinary tables"

    most: int = 2
    join: Join = "all"
    between: bool = False

    def __post_init__(self) -> None:
        require_declared(self.domain, "conditions")
        if type(self.most) is not int or not 1 <= self.most <= 4:
            raise DeclarationError(
                f"declare rules of at most {self.most!r} conditions",
                found="the number of conditions must be 1, 2, 3 or 4",
                fix="ask for at most 2, or for trees",
            )
        require_conditions(self.domain, "conditions", between=self.between)
        sizes = [len(tests) for tests in self._tests]
        require_candidates(self._count(sizes), MOST_CANDIDATES, self.domain, "these conditions")
        cells = 2 * self.cells
        require_candidates(cells, MOST_CELLS, self.domain, "conditions with so many cells")

    @property
    def cells(self) -> int:
        """The number of cells of all sets of R columns."""
        widths = [column.size or 0 for column in self.domain.columns]
        return sums_of_products(widths, self._most)[self._most]

    @property
    def _most(self) -> int:
        return min(self.most, len(self.domain.columns))

    @cached_property
    def _tests(self) -> list[list[ColumnTest]]:
        return all_tests(self.domain, between=self.between)

    def _count(self, sizes: Sequence[int]) -> int:
        none, *counts = sums_of_products(sizes, self._most)
        return 2 * none + sum(
            count * len(self._leasts(r)) for r, count in enumerate(counts, start=1)
        )

    def _leasts(self, r: int) -> list[int]:
        """How many of r conditions must hold at least, for each kind of rule."""
        kinds = {"all": [r], "any": [1], "either": [r, 1], "checklist": [*range(r, 0, -1)]}
        return kinds[self.join] if r > 1 else [1]

    @cached_property
    def _blocks(self) -> list[tuple[int, tuple[int, ...]]]:
        """The rules in order, in blocks of one M and one set of columns, after the constants.

        A rule says that at least M of its conditions hold.
        """
        columns = range(len(self.domain.columns))
        return [
            (least, subset)
            for r in range(1, self._most + 1)
            for least in self._leasts(r)
            for subset in combinations(columns, r)
        ]

    def _shape(self, subset: Sequence[int]) -> tuple[int, ...]:
        return tuple(len(self._tests[j]) for j in subset)

    @cached_property
    def _starts(self) -> list[int]:
        sizes = (prod(self._shape(subset)) for _, subset in self._blocks)
        return list(accumulate(sizes, initial=2))

    @property
    def forms(self) -> int:
        return self.size

    @property
    def size(self) -> int:
        return self._starts[-1] if self.space is None else self.space.size

    def hypothesis(self, index: int) -> DecisionTree:
        if not 0 <= index < self.size:
            raise IndexError(f"{self} has no hypothesis number {index}")
        if self.space is not None:
            index = int(places(self.space)[index])
        if index < 2:
            return DecisionTree(self.domain, index)
        return DecisionTree(self.domain, at_least(*self.rule(index)))

    def rule(self, index: int) -> tuple[int, list[ColumnTest]]:
        """How many tests of rule number 2 or more of the whole class must hold, and the tests."""
        block = int(np.searchsorted(self._starts, index, side="right")) - 1
        least, subset = self._blocks[block]
        chosen = np.unravel_index(index - self._starts[block], self._shape(subset))
        return least, [self._tests[j][int(i)] for j, i in zip(subset, chosen, strict=True)]

    @property
    def joint(self) -> int:
        return self._most

    def error_runs(self, sample: Sample[Any]) -> ErrorRuns:
        negatives, positives = self.covered_counts(sample)
        errors = sample.counts[:, 1].sum() - positives + negatives
        return ErrorRuns(errors if self.space is None else errors[places(self.space)])

    def covered_counts(self, sample: Sample[Any]) -> NDArray[np.int64]:
        """The counts [label, rule] of the examples where each rule of the whole class is 1.

        The sample may have any number of labels.
        """
        columns = range(len(self.domain.columns))
        coded, totals = cells_of(sample, columns), sample.counts.sum(axis=0)
        counts = np.empty((len(totals), self._starts[-1]), np.int64)
        # The constants 0 and 1 come first.
        counts[:, 0], counts[:, 1] = 0, totals
        for r in range(1, self._most + 1):
            subsets = list(combinations(columns, r))
            tables = dict(zip(subsets, coded.tables(subsets), strict=True))
            for (least, subset), start in zip(self._blocks, self._starts, strict=False):
                if len(subset) == r:
                    found = self._block(tables[subset], least, subset, totals)
                    counts[:, start : start + found.shape[1]] = found
        return counts

    def _block(
        self, table: NDArray[np.int64], least: int, subset: Sequence[int], totals: NDArray[np.int64]
    ) -> NDArray[np.int64]:
        matrices = [self._matrices[j] for j in subset]
        if least == len(subset):
            return covered_table(table, matrices).reshape(len(totals), -1)
        # Enough conditions hold, except where some of them do and the complements of the others.
        found = np.tile(totals[:, None], prod(self._shape(subset)))
        for holds in product((True, False), repeat=len(subset)):
            if sum(holds) < least:
                own = [m if held else 1 - m for held, m in zip(holds, matrices, strict=True)]
                found -= covered_table(table, own).reshape(found.shape)
        return found

    @cached_property
    def _matrices(self) -> list[NDArray[np.float64]]:
        columns: Sequence[Any] = self.domain.columns
        return [indicators(t, column) for t, column in zip(self._tests, columns, strict=True)]

    def labels_of_forms(self, points: list[Any]) -> NDArray[np.bool_]:
        truth = [
            np.array([[x[j] in test.accepted for x in points] for test in tests], dtype=bool)
            for j, tests in enumerate(self._tests)
        ]
        rows = [np.zeros((1, len(points)), bool), np.ones((1, len(points)), bool)]
        for least, subset in self._blocks:
            held = truth[subset[0]].astype(np.int8)
            for j in subset[1:]:
                held = (held[:, None] + truth[j]).reshape(-1, len(points))
            rows.append(held >= least)
        return np.vstack(rows)

    def _bounds(self) -> tuple[int, int]:
        """See docs/proofs/conditions.md: stumps and products of thresholds below, log2 |H| above."""
        cuts = [len(c.starts) - 1 for c in self.domain.columns if isinstance(c, Cells)]
        deepest = sorted(((c + 1).bit_length() - 1 for c in cuts), reverse=True)
        stumps = (2 + 2 * sum(cuts)).bit_length() - 1
        return max(stumps, sum(deepest[: self._most])), self.size.bit_length() - 1

    @classmethod
    def parse(cls, spec: Spec) -> Any:
        spec.expect_columns(FORM, options=("at", "any", "either", "checklist", "between"))
        most = spec.number_after("at most") if any(o.startswith("at") for o in spec.options) else 2
        words = [option for option in spec.options if not option.startswith("at")]
        joins: dict[str, Join] = {"any of": "any", "either": "either", "checklist": "checklist"}
        chosen = [word for word in words if word in joins]
        unknown = words if most is not None else [*spec.options]
        unknown = [word for word in unknown if word not in (*joins, "between")]
        found = ""
        if unknown:
            found = f"the option {unknown[0]!r} is unknown"
        elif len(chosen) > 1:
            found = f"the options {chosen[0]!r} and {chosen[1]!r} exclude each other"
        if found or most is None:
            raise spec.form_error(found, FORM)
        between = "between" in words
        domain = parse_columns(spec, _most_cuts(most, between=between))
        join = joins[chosen[0]] if chosen else "all"
        if all(isinstance(column, FiniteColumn) for column in domain.columns):
            return cls(domain, None, most, join, between)
        if join != "all":
            raise DeclarationError(
                f"read the class {spec}",
                found=f"{chosen[0]!r} needs declared columns: a record obeys 'x is v or y is w' for "
                "infinitely many w",
                fix="leave it out, or declare the values, such as ward in {ICU, ER}",
            )
        return OpenConditions(domain, most, between)

    @classmethod
    def examples(cls) -> list[Self]:
        x, y = Cells(("0", "5", "10"), "x"), Cells(("-1", "0.5"), "y")
        z, sex = Cells(("7",), "z"), Listed(("F", "M"), "sex")
        found = [cls(Product((x, sex)), None, 2), cls(Product((x, y, z)), None, 2, "either")]
        found += [cls(Product((sex, y)), None, 1), cls(Product((x, y)), None, 2, "any", True)]
        found += [cls(Product((z, Cells(("3",), "w"), sex)), None, 3, "checklist")]
        return [*found, found[0].restrict(("5", "F"), 1), cls(Product((x, z, sex)), None, 3)]

    @property
    def options(self) -> str:
        words = {"all": "", "any": ", any of"}
        join = words.get(self.join, f", {self.join}")
        return f"at most {self.most}{join}{', between' if self.between else ''}"

    def __iter__(self) -> Iterator[DecisionTree]:
        return map(self.hypothesis, range(self.size))


def _most_cuts(most: int, *, between: bool) -> int:
    """How many cuts columns with types alone get together, so that the rules can be counted."""
    if between:
        return 400 if most == 1 else 90
    return {3: 200, 4: 64}.get(most, MOST_CUTS)
