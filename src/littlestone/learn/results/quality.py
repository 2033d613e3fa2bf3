"""How good a released rule is, from its private table of risks: errors, ranking, calibration."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property, lru_cache
from itertools import accumulate, groupby, pairwise
from math import ceil, comb, expm1, inf, log

import numpy as np
from numpy.typing import NDArray

from littlestone.learn.results.estimate import BETA, Share, interval, say_baseline
from littlestone.learn.results.risks import Risks
from littlestone.privacy.draws import counts_of_places
from littlestone.privacy.rational import log_below

Floats = NDArray[np.float64]

STEPS = 500
"""The steps between 0 and 1 at which the AUC of a score is tried."""


@dataclass(frozen=True)
class Quality:
    """How well the labels and the risks of a rule fit the ``n`` records, for two labels.

    All of it is computed from the private table of `Risks`, so it costs nothing more.  The intervals
    all hold together with probability 95% over the noise.  They speak of these records, from which the
    rule was learned: on new ones it may do a little worse.  Source: docs/proofs/risks.md, Theorem 5.

    >>> from littlestone.points import Grid
    >>> from littlestone.rules import StepFunction
    >>> old = StepFunction.threshold(Grid(0, 120, "age"), 65)
    >>> quality = Quality(Risks(old, Fraction(1), 1000, ((571, 29), (148, 252))))
    >>> interval(quality.auc, "0.001")
    'about 0.845, from 0.784 to 0.908'
    """

    risks: Risks

    @property
    def n(self) -> int:
        """The number of records, which is public."""
        return self.risks.n

    @cached_property
    def ranks(self) -> list[list[int]]:
        """The places from the largest risk to the least, those of equal risk together."""
        risks = self._rates
        order = sorted(range(len(risks)), key=lambda i: -risks[i])
        return [list(alike) for _, alike in groupby(order, key=lambda i: risks[i])]

    @property
    def _rates(self) -> Sequence[float]:
        """The risk of each place: the rule's own, or else that of the table."""
        return self.risks.own_rates or [rates[1] for rates in self.risks.rates]

    def _sum(self, cells: Iterable[tuple[int, int]], ways: int = 1) -> tuple[int, int, int]:
        """The noisy number of records in these cells (place, label), and its least and largest.

        The noise may have chosen the cells, among so many ``ways``.
        """
        counts = [self.risks.counts[i][y] for i, y in cells]
        noise = sum_within(self.risks.epsilon, len(counts), self._beta / ways)
        low, middle, high = (min(max(sum(counts) + t, 0), self.n) for t in (-noise, 0, noise))
        return middle, low, high

    @property
    def _beta(self) -> Fraction:
        """The part of `BETA` that each sum has."""
        # A sum for each number of riskiest places and each label, four outcomes, and the errors; and
        # the two sums of `_pairs`.
        pairs = 2 if self.risks.own_rates is not None else 0
        return BETA / (2 * len(self.risks.counts) + 5 + pairs)

    def _outcome(self, given: int, true: int) -> tuple[int, int, int]:
        """The records with a predicted and a true label."""
        places = enumerate(self.risks.places)
        return self._sum((i, true) for i, place in places if place.label == given)

    @cached_property
    def positives(self) -> Share:
        """The share of positive labels, which is the error of always predicting 0."""
        return self._share(self._totals[1])

    @cached_property
    def error(self) -> Share:
        """The share of records whose label the rule does not predict."""
        places = enumerate(self.risks.places)
        return self._share(self._sum((i, 1 - place.label) for i, place in places))

    @property
    def recall(self) -> Share:
        """The share of the positive labels where the rule is 1, which is also called sensitivity."""
        return _ratio(self._outcome(1, 1), self._outcome(0, 1))

    @property
    def specificity(self) -> Share:
        """The share of the negative labels where the rule is 0."""
        return _ratio(self._outcome(0, 0), self._outcome(1, 0))

    @property
    def precision(self) -> Share:
        """The share of positive labels where the rule is 1."""
        return _ratio(self._outcome(1, 1), self._outcome(1, 0))

    @cached_property
    def _sums(self) -> list[list[tuple[int, int, int]]]:
        """For each label the records of the riskiest places, of one, two, ... all of them."""
        places, fixed = len(self.risks.counts), self.risks.rule.ordered
        tops = [(top, 1 if fixed else comb(places, len(top))) for top in accumulate(self.ranks)]
        return [[self._sum(((i, y) for i in top), ways) for top, ways in tops] for y in (0, 1)]

    @property
    def _totals(self) -> list[tuple[int, int, int]]:
        return [sums[-1] for sums in self._sums]

    @cached_property
    def roc(self) -> list[tuple[Share, Share]]:
        """For each cut of the risks: 1 - specificity and recall of "at least this risk".

        >>> from littlestone.points import Grid
        >>> from littlestone.rules import StepFunction
        >>> old = StepFunction.threshold(Grid(0, 120, "age"), 65)
        >>> quality = Quality(Risks(old, Fraction(1), 1000, ((571, 29), (148, 252))))
        >>> [[round(float(share.middle), 2) for share in point] for point in quality.roc]
        [[0.0, 0.0], [0.21, 0.9], [1.0, 1.0]]
        """
        none, every = (Share(Fraction(k), Fraction(k), Fraction(k)) for k in (0, 1))
        shares = []
        for sums, total in zip(self._sums, self._totals, strict=True):
            inner = [
                Share(
                    Fraction(min(middle, total[0]), max(total[0], 1)),
                    Fraction(min(low, total[2]), max(total[2], 1)),
                    Fraction(min(high, total[1]), total[1]) if total[1] else Fraction(1),
                )
                for middle, low, high in sums[:-1]
            ]
            # A later cut has at least the records of an earlier one, so its ends are no smaller.
            middles = accumulate((share.middle for share in inner), max)
            lows = accumulate((share.low for share in inner), max)
            highs = list(accumulate((share.high for share in reversed(inner)), min))[::-1]
            steps = zip(middles, lows, highs, strict=True)
            shares.append([none, *(Share(*step) for step in steps), every])
        return list(zip(*shares, strict=True))

    @cached_property
    def auc(self) -> Share:
        """The probability that a positive record has a larger risk than a negative; ties count half.

        From 0 to 1 if there may be no record of one label.
        """
        if not all(low for _, low, _ in self._totals):
            known = all(middle for middle, _, _ in self._totals)
            middle = _area((f.middle, t.middle) for f, t in self.roc) if known else Fraction(1, 2)
            return Share(middle, Fraction(0), Fraction(1))
        middle = _area((f.middle, t.middle) for f, t in self.roc)
        # The area grows with recall and falls with 1 - specificity, at each cut.
        low = _area((f.high, t.low) for f, t in self.roc)
        high = _area((f.low, t.high) for f, t in self.roc)
        if self.risks.own_rates is not None:
            least, most = self._pairs()
            # Both hold at once; they are disjoint only if one of their sums is beyond its bound.
            if max(low, least) <= min(high, most):
                low, high = max(low, least), min(high, most)
        return Share(min(max(middle, low), high), low, high)

    def _pairs(self) -> tuple[Fraction, Fraction]:
        """The least and the largest AUC that the noise of all pairs of records allows.

        For a rule that orders its places by itself: for the true AUC a, the sum of c_i d_j (k_ij - a)
        over places i and j is 0, with c and d the records of label 1 and 0, and k_ij 1, 1/2 or 0 by
        their order.  The same sum over noisy counts is noise, whose bound is Theorem 7 of
        docs/proofs/risks.md.  It is tried at steps of 1 / `STEPS`, each with room for all a between.
        """
        rank = np.zeros(len(self.risks.counts))
        for r, alike in enumerate(self.ranks):
            rank[alike] = r
        won = (np.sign(rank - rank[:, None]) + 1) / 2
        zeros, ones = np.array(self.risks.counts, np.float64).T
        lows, highs = np.array([(0, 0, 0), *self._sums[1]], np.float64)[:, 1:].T
        above = rank.astype(np.int64)
        low, high = ((ends[above] + ends[above + 1]) / 2 for ends in (lows, highs))
        grid = np.arange(STEPS + 1)[:, None] / STEPS
        inner = np.abs(won @ zeros - grid * zeros.sum())
        outer = np.maximum(np.abs(high - grid * lows[-1]), np.abs(low - grid * highs[-1]))
        away = ones @ won @ zeros - grid[:, 0] * (ones.sum() * zeros.sum())
        known = away[:-1] * away[1:] > 0  # of one sign between two steps
        nearest = np.where(known, np.minimum(np.abs(away[:-1]), np.abs(away[1:])), 0.0)
        # The weights are largest at an end, because they are convex in a.
        noise = sum(
            weighted_within(self.risks.epsilon, np.maximum(w[:-1], w[1:]), self._beta)
            for w in (inner, outer)
        )
        # The margin covers the rounding of sums of up to n^2.
        kept = np.flatnonzero(nearest <= noise + 1e-9 * self.n**2)
        if not len(kept):
            return Fraction(0), Fraction(1)
        return Fraction(int(kept[0]), STEPS), Fraction(int(kept[-1]) + 1, STEPS)

    @property
    def calibration(self) -> list[tuple[float, Share]]:
        """For each place the risk that the rule says, and the share of positives among its records."""
        found = []
        for risk, row, shares in zip(
            self._rates, self.risks.counts, self.risks.of_these, strict=True
        ):
            _, low, high = shares[1]
            negative, positive = (max(count, 0) for count in row)
            seen = Fraction(positive, max(negative + positive, 1))
            found.append((risk, Share(min(max(seen, low), high), low, high)))
        return found

    def _share(self, counts: Sequence[int]) -> Share:
        return Share(*(Fraction(count, self.n) for count in counts))

    def shares(self) -> dict[str, Share]:
        """The figures by their names."""
        return {
            "positives": self.positives,
            "error": self.error,
            "recall": self.recall,
            "specificity": self.specificity,
            "precision": self.precision,
            "auc": self.auc,
        }

    def rows(self) -> list[tuple[str, str]]:
        """The figures in words, as pairs (heading, sentence)."""
        told = {name: interval(share, "0.001") for name, share in self.shares().items()}
        told["positives"] += f"; {say_baseline(self.positives)}"
        told["auc"] += ", of the risks as a ranking"
        holds = f"on these records, all six with probability {float(1 - BETA):.0%}"
        return [*told.items(), ("quality", f"{holds}; private, from the table of risks")]

    def __repr__(self) -> str:
        return "\n".join(f"{heading:11}  {text}" for heading, text in self.rows())

    def to_json(self) -> dict[str, object]:
        """The figures as plain JSON values: likeliest, least and largest."""
        return {name: [float(value) for value in share] for name, share in self.shares().items()}


def _ratio(inside: tuple[int, int, int], outside: tuple[int, int, int]) -> Share:
    """The share inside / (inside + outside); from 0 to 1 if there may be no record."""
    middle, low, high = inside
    other, few, many = outside
    if not low + few:
        return Share(Fraction(middle, max(middle + other, 1)), Fraction(0), Fraction(1))
    return Share(
        Fraction(middle, max(middle + other, 1)),
        Fraction(low, low + many),
        Fraction(high, high + few),
    )


def _area(points: Iterable[tuple[Fraction, Fraction]]) -> Fraction:
    """The area below a curve of points from left to right."""
    return sum(((b - a) * (s + t) / 2 for (a, s), (b, t) in pairwise(points)), Fraction(0))


def weighted_within(epsilon: Fraction, weights: Floats, beta: Fraction) -> Floats:
    """For each row of weights w a t with Pr[|w_1 X_1 + ... + w_k X_k| > t] <= beta.

    X_i are the noises of k counts.  By Chernoff as in `sum_within`, with M(s w_i) for each.

    >>> bound = weighted_within(Fraction(1), np.ones((1, 16)), Fraction(1, 20))[0]
    >>> round(float(bound)), sum_within(Fraction(1), 16, Fraction(1, 20))
    (32, 33)
    """
    rate = float(log_below(1 / counts_of_places(epsilon).ratio, bits=192))
    most = np.maximum(weights.max(axis=1), 1e-300)
    best = np.full(len(weights), inf)
    for step in range(1, 64):
        s = rate * step / 64 / most
        x = s[:, None] * weights
        mean = 2 * log(-expm1(-rate)) - np.log(-np.expm1(x - rate)) - np.log(-np.expm1(-x - rate))
        best = np.minimum(best, (mean.sum(axis=1) + log(2 / beta)) / s)
    return np.asarray(best * (1 + 1e-9))


@lru_cache(maxsize=256)
def sum_within(epsilon: Fraction, counts: int, beta: Fraction) -> int:
    """A t with Pr[|X_1 + ... + X_k| > t] <= beta for the noises of k = ``counts`` counts.

    By Chernoff, Pr[sum > t] <= M(s)^k e^(-s t) for every 0 < s < ln(1 / a), where
    M(s) = (1 - a)^2 / ((1 - a e^s) (1 - a e^-s)) is the mean of e^(s X).  No sum is beyond the bound of
    each noise, if that is less.

    >>> sum_within(Fraction(1), 1, Fraction(1, 20)), sum_within(Fraction(1), 16, Fraction(1, 20))
    (6, 33)
    """
    if not counts:
        return 0
    mechanism = counts_of_places(epsilon)
    each = counts * mechanism.within(beta, counts)
    # ln(1 / a), rounded down: that makes the bound larger.
    rate, best = float(log_below(1 / mechanism.ratio, bits=192)), inf
    for step in range(1, 64):
        s = rate * step / 64
        # ln M(s), by differences that lose no digits for a small rate.
        mean = 2 * log(-expm1(-rate)) - log(-expm1(s - rate)) - log(-expm1(-s - rate))
        best = min(best, (counts * mean + log(2 / beta)) / s)
    # The margin covers the rounding of these few operations.
    return min(each, ceil(best * (1 + 1e-9) + 1e-9))
