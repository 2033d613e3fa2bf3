"""Rules by their sets of columns: how many records each covers, and the largest gain of a few."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Sequence
from functools import cache, cached_property, reduce
from itertools import combinations
from typing import Any

import numpy as np
import numpy.ma  # `np.unique` loads it, and nothing is to be loaded after a spend
from numpy.typing import NDArray

from littlestone.base.errors import TooLargeError
from littlestone.data.sample import Places, Sample
from littlestone.dimension.search.version_spaces import VersionSpaces
from littlestone.privacy.scores import Elements
from littlestone.rules import Hypothesis
from littlestone.rules.rules import Rule

MOST_COLUMNS = 8
MOST_COLUMNS_OF_SHORT_RULES = 10  # for rules of at most 2 literals


class Shapes:
    """The sets of at most r of m columns that a rule may ask about, smallest first.

    Sets of columns are masks of m bits, and families of shapes are masks with one bit per shape.
    ``inside[Z]`` is the family of the shapes inside the columns Z.  So a family is a class of functions
    of Z: conjunctions of at most r of m bits.  `VersionSpaces` finds its dimensions, for few columns.
    """

    def __init__(self, m: int, r: int) -> None:
        chosen = [c for size in range(r + 1) for c in combinations(range(m), size)]
        self.columns = chosen
        self.masks = [sum(1 << j for j in c) for c in chosen]
        self.all = (1 << len(chosen)) - 1
        self.m, self.r = m, r

    @property
    def searchable(self) -> bool:
        """Whether version spaces are searched: each looks at all 2^m sets of columns."""
        return self.m <= (MOST_COLUMNS if self.r > 2 else MOST_COLUMNS_OF_SHORT_RULES)

    @cached_property
    def inside(self) -> list[int]:
        """The family of the shapes inside each set of columns; `TooLargeError` for many columns."""
        if not self.searchable:
            raise TooLargeError(
                f"search the version spaces of rules of {self.r} equalities over {self.m} columns",
                found="there are too many sets of columns",
                fix=f"name at most {MOST_COLUMNS} columns, or {MOST_COLUMNS_OF_SHORT_RULES} for rules "
                "of at most 2 equalities; the method choosing needs no search",
            )
        return [
            sum(1 << i for i, mask in enumerate(self.masks) if not mask & ~Z)
            for Z in range(1 << self.m)
        ]

    @cached_property
    def solver(self) -> VersionSpaces:
        """The solver of the families; `TooLargeError` for many columns."""
        return VersionSpaces(self.inside)

    def truth_tables(self) -> NDArray[np.bool_]:
        """The conjunctions as functions of all sets of columns, one row each."""
        Z = np.arange(1 << self.m)
        return np.stack([mask & ~Z == 0 for mask in self.masks])

    @classmethod
    @cache
    def instance(cls, m: int, r: int) -> Shapes:
        """The shared object for the shapes of at most r of m columns."""
        return cls(m, r)

    def shapes_in(self, family: int) -> Iterator[int]:
        """The numbers of the shapes in ``family``."""
        while family:
            yield (family & -family).bit_length() - 1
            family &= family - 1

    def span(self, family: int) -> int:
        """The columns that some shape of ``family`` asks about."""
        span = 0
        for i in self.shapes_in(family):
            span |= self.masks[i]
        return span


Numbers = NDArray[np.int64]

Runs = tuple[Numbers, Numbers, Numbers]
"""Positives, negatives, and how many rules there are with these counts."""

NO_RUNS: Runs = (np.zeros(0, np.int64), np.zeros(0, np.int64), np.zeros(0, np.int64))

FEW_RULES = 2**16  # more rules of one shape are not listed one by one
_FEW_GROUPS = 2**17  # filling a table of this many counts is at least as fast as sorting groups


class Groups:
    """The number of the rule of each shape that covers each point of a sample.

    Sets of columns in lexicographic order cost one step each: only the last one's prefixes are kept.
    """

    def __init__(
        self,
        sample: Sample[Rule],
        shapes: Shapes,
        values: Rule | None = None,
        negatives: Collection[Rule] = (),
    ) -> None:
        self.sample, self.shapes, self.values, self.negatives = sample, shapes, values, negatives
        self.n = len(sample.points)
        self._agreements = np.zeros(0, np.int64)
        self._columns: list[tuple[Places, int]] = []
        if values is not None:
            self._agreements = np.zeros(self.n, np.int64)
            for j, v in enumerate(values):
                if v is not None:
                    found, codes = sample.column(j)
                    same = np.array([u == v for u in found], dtype=bool)
                    self._agreements |= same[codes].astype(np.int64) << j
        elif self.n:
            self._columns = [self._column(j) for j in range(shapes.m)]
        rows = self.n + len(negatives) if self.n else 0
        self._last: list[tuple[tuple[int, ...], Numbers, int]] = [
            ((), np.zeros(rows, dtype=np.int64), 1)
        ]

    def _column(self, j: int) -> tuple[Places, int]:
        """The codes of the points and then of the negatives, whose rules are refuted."""
        values, codes = self.sample.column(j)
        if not self.negatives:
            return codes, len(values)
        places = {v: i for i, v in enumerate(values)}
        more = [places.setdefault(x[j], len(places)) for x in self.negatives]
        return np.append(codes.astype(np.int64), np.array(more, dtype=np.int64)), len(places)

    def rules_of_shape(self, i: int) -> tuple[Numbers, int]:
        """The number of shape i's rule at each point, and a size.

        Numbers are below the size; the size itself stands for a refuted rule.
        """
        if self.values is not None:
            mask = self.shapes.masks[i]
            return np.where(self._agreements & mask == mask, 0, 1), 1
        fixed = self.shapes.columns[i] if self.n else ()
        # Shapes come in order, so most share a prefix with the one before: keep the groups of the
        # prefix.
        while self._last[-1][0] != fixed[: len(self._last) - 1]:
            self._last.pop()
        _, group, size = self._last[-1]
        for j in fixed[len(self._last) - 1 :]:
            codes, more = self._columns[j]
            group, size = group * more + codes, size * more
            # Numbers are packed again before they outgrow the table.
            if size > max(_FEW_GROUPS, 2 * len(group)):
                distinct, group = np.unique(group, return_inverse=True)
                size = len(distinct)
            self._last.append((fixed[: len(self._last)], group, size))
        if self.negatives and self.n:
            refuted = np.zeros(size, dtype=bool)
            refuted[group[self.n :]] = True
            group = np.where(refuted[group[: self.n]], size, group[: self.n])
        return group, size

    def counts(self, i: int) -> tuple[Numbers, Numbers, Numbers]:
        """The rules of shape i that cover a positive, with their positives and their negatives."""
        group, size = self.rules_of_shape(i)
        positives = sums(group, size, self.sample.positives)
        rules = np.flatnonzero(positives)
        return rules, positives[rules], sums(group, size, self.sample.negatives)[rules]

    def covers(self, i: int, weights: Numbers, least: int) -> Iterator[Numbers]:
        """The points that each rule of shape i covers, if their weights add up to ``least`` or more."""
        group, size = self.rules_of_shape(i)
        kept = np.append(sums(group, size, weights) >= least, False)
        rows = np.flatnonzero(kept[group])
        if self.values is not None and kept[0]:
            yield rows
        elif len(rows):
            rows = rows[np.argsort(group[rows], kind="stable")]
            yield from np.split(rows, np.flatnonzero(np.diff(group[rows])) + 1)

    def elements(self, shapes: Sequence[int], made: Callable[[Rule], Hypothesis[Rule]]) -> Elements:
        """The rules of these shapes that cover a positive; ``made`` makes a hypothesis of a rule.

        One shape is counted at a time, so memory does not grow with their number.
        """
        columns = self.shapes.columns
        runs: list[Runs] = [NO_RUNS] * len(shapes)
        # In this order each set of columns refines the one before.
        for place in sorted(range(len(shapes)), key=lambda p: columns[shapes[p]]):
            runs[place] = runs_of(*self.counts(shapes[place])[1:])
        sizes = [int(lengths.sum()) for _, _, lengths in runs]
        ends = np.cumsum(sizes)

        def locate(k: int) -> tuple[int, Numbers]:
            """The shape of element k, and the points that it covers."""
            place = int(np.searchsorted(ends, k, side="right"))
            ones, zeros, lengths = runs[place]
            rank = k - int(ends[place]) + sizes[place]
            run = int(np.searchsorted(np.cumsum(lengths), rank, side="right"))
            rules, positives, negatives = self.counts(shapes[place])
            if len(rules) > FEW_RULES:  # the run stands for all rules with these counts
                rules = rules[(positives == ones[run]) & (negatives == zeros[run])]
                rank -= int(lengths[:run].sum())
            group, _ = self.rules_of_shape(shapes[place])
            return shapes[place], np.flatnonzero(group == rules[rank])

        def element(k: int) -> Hypothesis[Rule]:
            shape, covered = locate(k)
            example, fixed = self.sample.points[int(covered[0])], columns[shape]
            return made(tuple(v if j in fixed else None for j, v in enumerate(example)))

        ones, zeros, lengths = map(np.concatenate, zip(NO_RUNS, *runs, strict=True))
        listed = None if (lengths == 1).all() else lengths
        return Elements(ones, zeros, element, lambda k: locate(k)[1], listed)


def runs_of(positives: Numbers, negatives: Numbers) -> Runs:
    """Rules one by one, or if they are many, those with equal counts together.

    At most 3 n^(2/3) different pairs of counts add up to n.
    """
    if len(positives) <= FEW_RULES:
        return positives, negatives, np.ones(len(positives), np.int64)
    most = int(negatives.max()) + 1
    pairs, lengths = np.unique(positives * most + negatives, return_counts=True)
    return pairs // most, pairs % most, lengths


def sums(group: Numbers, size: int, weights: Numbers) -> Numbers:
    """The sum of the weights of each group; the points of group ``size`` are left out."""
    total = np.zeros(size + 1, dtype=np.int64)
    np.add.at(total, group, weights)
    return total[:size]


class RuleGains:
    """The unrefuted rules with given ``shapes`` that points of a sample obey.

    The sample is not empty.  The gain of a union of rules is the number of positive examples minus the
    number of negative examples that it covers.  Rules that no point obeys gain 0.  O(N n log n) for n
    points and N shapes.
    """

    def __init__(
        self, sample: Sample[Rule], shapes: Collection[tuple[int, ...]], refuted: Collection[Rule]
    ) -> None:
        self.sample = sample
        n = len(sample.points)
        self.weights: Numbers = sample.positives - sample.negatives
        codes = [sample.column(j)[1] for j in range(len(sample.domain.column_names))]
        self.rules: list[Numbers] = []
        """Number, for each shape, the rule that each point obeys."""
        for shape in shapes:
            rule = np.zeros(n, dtype=np.int64)
            for j in shape:
                rule = np.unique(rule * (n + 1) + codes[j], return_inverse=True)[1]
            self.rules.append(rule)
        self.legal = [np.ones(n + 1, dtype=bool) for _ in shapes]
        place = {tuple(shape): i for i, shape in enumerate(shapes)}
        for asked in refuted:
            rows = self.points_of_rule(asked)
            if len(rows):
                i = place[tuple(j for j, v in enumerate(asked) if v is not None)]
                self.legal[i][self.rules[i][rows[0]]] = False

    def points_of_rule(self, rule: Rule) -> Numbers:
        """The points that obey a rule."""
        none = np.zeros(0, dtype=np.int64)
        asked = [(j, v) for j, v in enumerate(rule) if v is not None]
        found = [np.asarray(self.sample.rows_of[j].get(v, none)) for j, v in asked]
        return reduce(np.intersect1d, found) if found else np.arange(len(self.sample.points))

    def after(self, cover: Collection[Rule]) -> tuple[int, Numbers]:
        """The gain of these rules, and the weights of the points that they do not cover."""
        left, covered = self.weights.copy(), np.zeros(len(self.weights), dtype=bool)
        for rule in cover:
            covered[self.points_of_rule(rule)] = True
        left[covered] = 0
        return int(self.weights[covered].sum()), left

    def best(self, weights: Numbers, most: int) -> int:
        """The largest gain of at most ``most`` rules.

        In a best union, let the first rule be the one that covers the most positive weight, p.  Then
        the union gains at most ``most`` p.  So first rules are tried by decreasing p, until this bound
        is at most the best gain found.
        """
        n = len(weights)
        if not most:
            return 0
        gains, positive = (
            np.concatenate(
                [
                    np.bincount(rule, w, n + 1)[legal].astype(np.int64)
                    for rule, legal in zip(self.rules, self.legal, strict=True)
                ]
            )
            for w in (weights, np.maximum(weights, 0))
        )
        best = max(0, int(gains.max(initial=0)))
        if most == 1:
            return best
        place = np.concatenate(
            [np.stack([np.full(n + 1, i), np.arange(n + 1)])[:, legal]
             for i, legal in enumerate(self.legal)], axis=1
        )  # fmt: skip
        for at in np.argsort(-positive, kind="stable").tolist():
            # The first rule covers the most positive weight, so all together gain at most that many
            # times it.
            if most * int(positive[at]) <= best:
                break
            shape, number = place[:, at].tolist()
            rest: Any = np.where(self.rules[shape] == number, 0, weights)
            best = max(best, int(gains[at]) + self.best(rest, most - 1))
        return best
