"""The largest gain of a few rules of a version space on a sample."""

from __future__ import annotations

from collections.abc import Collection
from functools import reduce
from typing import Any

import numpy as np
import numpy.ma  # `np.unique` loads it, and nothing is to be loaded after a spend
from numpy.typing import NDArray

from littlestone.data.sample import Sample
from littlestone.rules.rules import Rule

Numbers = NDArray[np.int64]


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
        codes = []
        for rows_of in sample.rows_of:
            code = np.zeros(n, dtype=np.int64)
            for number, rows in enumerate(rows_of.values()):
                code[rows] = number
            codes.append(code)
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
            rows = self.rows(asked)
            if len(rows):
                i = place[tuple(j for j, v in enumerate(asked) if v is not None)]
                self.legal[i][self.rules[i][rows[0]]] = False

    def rows(self, rule: Rule) -> Numbers:
        """The points that obey a rule."""
        none = np.zeros(0, dtype=np.int64)
        asked = [(j, v) for j, v in enumerate(rule) if v is not None]
        found = [np.asarray(self.sample.rows_of[j].get(v, none)) for j, v in asked]
        return reduce(np.intersect1d, found) if found else np.arange(len(self.sample.points))

    def after(self, cover: Collection[Rule]) -> tuple[int, Numbers]:
        """The gain of these rules, and the weights of the points that they do not cover."""
        left, covered = self.weights.copy(), np.zeros(len(self.weights), dtype=bool)
        for rule in cover:
            covered[self.rows(rule)] = True
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
