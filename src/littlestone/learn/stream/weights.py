"""Hypotheses weighed by noisy counts of mistakes, and their majority; all public.

Counts become scores, which are logarithms of likelihood ratios.  Weights are whole numbers that do not
depend on the machine, so that a run that resumes on another one publishes the same.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from decimal import Context, Decimal, localcontext
from fractions import Fraction
from itertools import accumulate, islice
from typing import Any, NamedTuple

import numpy as np
import numpy.ma  # `np.unique` loads it, and nothing is to be loaded after a spend
from numpy.typing import NDArray

from littlestone.classes.intervals import Intervals
from littlestone.classes.thresholds import Thresholds
from littlestone.learn.stream.known_ends import Columns, add_around
from littlestone.privacy.mechanisms.tallies import Tally
from littlestone.rules import Hypothesis, StepFunction

EXACT = Context(prec=32)
UNITS = 1 << 12
"""Scores are whole numbers of 1 / 4,096."""

_LEAST = Fraction(1, 16)  # epsilon of a cell, below which everything is in proportion to it
ROUNDING = 1e-6
"""More than what the rounding of weights may change of a majority."""

_USED = 30  # a score by which all that do not gain lose their weight
# Calibrated: parts of the chance of mistakes at a cell, with their means times epsilon, or means.
_PARTS = ("1", "0.5", 1), ("1", "1.25", 1), ("0.1", "4", 2)
_USUAL, _FALL = Decimal("0.08"), Decimal("0.18")  # how the means fall with the chance; calibrated
_POWER = Decimal("0.7")  # of likelihood ratios; calibrated


class Scores(NamedTuple):
    """What each published count 0, 1, ... adds to the scores, in 4,096ths.

    So many ``times`` counts in a row have one score.
    """

    values: NDArray[np.int64]
    times: int = 1

    @property
    def most(self) -> int:
        """The largest count with a score of its own."""
        return self.times * (len(self.values) - 1)

    def score_cells(self, tally: NDArray[np.int64]) -> NDArray[np.int64]:
        """The score of each cell."""
        found: NDArray[np.int64] = self.values[np.clip(tally, 0, self.most) // self.times]
        return found


def chance_of_mistakes(distance: int, epsilon: Fraction) -> Fraction:
    """The chance for `likelihood_scores` if hypotheses differ at so many points; calibrated."""
    sharp = min(1, math.sinh(0.25) / math.sinh(epsilon / 2))  # beside what one mistake shows
    return Fraction(f"{0.382 * max(1, distance) ** -0.447 * sharp:.3g}")


def likelihood_scores(chance: Fraction, epsilon: Fraction) -> Scores:
    """f(v) = 7/10 ln L(v) + c for a count v, where L is its likelihood ratio against no mistakes.

    For the law P of the noise, Pr[X = x] ~ e^(-epsilon |x|), L(v) is the sum over n of
    w_n P(v - n) / P(v).  Here w_n is the chance of n mistakes, which are one, a few or many: geometric
    numbers of at least 1, but many of at least 2.  One and a few have the ``chance`` given, many have a
    tenth of it.  The means are 1/2, 5/4 and 4 over epsilon, times (chance / 0.08)^0.18: at more points
    each has fewer.  With this c, noise alone has E[e^f] = E[e^-f].

    L is constant below 0.  The last score is so large that all that do not gain it lose their weight.
    """
    times = max(1, round(_LEAST / epsilon))
    with localcontext(EXACT):
        a = EXACT.divide(Decimal(-times * epsilon.numerator), Decimal(epsilon.denominator)).exp()
        usual = Decimal(chance.numerator) / Decimal(chance.denominator)
        width = (usual / _USUAL) ** _FALL / -a.ln()
        parts = [
            _Part(usual * Decimal(share), max(Decimal(mean) * width, Decimal(least)), a)
            for share, mean, least in _PARTS
        ]
        none, ratios = 1 - sum((part.chance for part in parts), Decimal(0)), list[Decimal]()
        used = (_USED / _POWER).exp()
        while not ratios or ratios[-1] < ratios[0] * used:
            ratios.append(sum((part.next_ratio() for part in parts), none))
    return _balanced_scores(ratios, a, times)


def _balanced_scores(ratios: Sequence[Decimal], a: Decimal, times: int) -> Scores:
    """7/10 ln L + c for these likelihood ratios L, where noise has the ratio a."""
    with localcontext(EXACT):
        logs = [_POWER * value.ln() for value in ratios]
        # With this c, e^f and e^-f have one mean for noise alone.
        masses = list(islice(_masses(a), len(logs)))
        less, more = (
            sum((mass * (sign * x).exp() for mass, x in zip(masses, logs, strict=True)), Decimal(0))
            for sign in (-1, 1)
        )
        c = (less / more).ln() / 2
        values = [int((UNITS * (x + c)).to_integral_value()) for x in logs]
    return Scores(np.array(values, dtype=np.int64), times)


def _masses(a: Decimal) -> Iterator[Decimal]:
    """The probability of noise of 0 or less, and of 1, 2, ..., without end."""
    mass = 1 / (1 + a)
    yield mass
    mass *= 1 - a
    while True:
        mass *= a
        yield mass


class _Part:
    """A geometric number n = 1, 2, ... of mistakes, and its likelihood ratio at v = 0, 1, ..."""

    def __init__(self, chance: Decimal, mean: Decimal, a: Decimal) -> None:
        q = 1 - 1 / mean
        self.chance, self._step = chance, q / a
        # All n are above v = 0; of those up to v each has a^-n, of the others a^(n - 2 v).
        self._below, self._above = Decimal(0), chance * (1 - q) * a / (1 - q * a)
        self._next = chance * (1 - q) / a

    def next_ratio(self) -> Decimal:
        """The sum over n of w_n P(v - n) / P(v), for the next v."""
        ratio = self._below + self._above
        self._below += self._next
        self._next, self._above = self._next * self._step, self._above * self._step
        return ratio


def factors(scores: Scores, epsilon: float, records: int) -> tuple[float, float]:
    """The logarithm of C, and the rate u, for tallies of up to ``records`` records."""
    added = scores.score_cells(np.arange(max(scores.most, records) + 1)) / UNITS
    more, less = (noisy_means(np.exp(sign * added), math.exp(-epsilon)) for sign in (1, -1))
    none = max(more[0], less[0])
    rates = np.log(none / less[1 : records + 1]) / np.arange(1, records + 1)
    return math.log(none), float(rates.min())


def noisy_means(values: NDArray[np.float64], a: float) -> NDArray[np.float64]:
    """E[g(n + X)] or more for each n, if g has these ``values`` at 0, 1, ... and is constant outside.

    With noise X, Pr[X = x] ~ a^|x|: a sum over x >= 0 and one over x <= 0, each from that of a
    neighbouring n.
    """

    def sums(values: list[float]) -> list[float]:
        return list(accumulate(values[1:], lambda r, v: v + a * r, initial=values[0] / (1 - a)))

    up, down = sums(values.tolist()[::-1])[::-1], sums(values.tolist())
    found: NDArray[np.float64] = np.array(up) + down - values
    return found * ((1 - a) / (1 + a) * (1 + 1e-9))


_BITS = 42
_PATIENCE = 8  # sides for each halving of one end, of which two are needed


class Weights(ABC):
    """What was tallied so far, and the weighted majority."""

    searching = False
    """Whether a mistake names a place, and a median of them is taken next."""

    @property
    @abstractmethod
    def published_rule(self) -> Hypothesis[Any]:
        """The weighted majority."""

    @abstractmethod
    def cell(self, x: Any, y: int) -> int | None:
        """What the mistake (x, y) names for `ContinualTallies`; None for no cell."""

    @abstractmethod
    def take(self, tally: Any) -> None:
        """Raise the scores of the hypotheses that differ from what is published where it errs."""

    @abstractmethod
    def to_json(self) -> list[Any]:
        """All scores."""

    @abstractmethod
    def restore(self, scores: list[Any]) -> None:
        """Know what `to_json` gave, and nothing else."""


class PointWeights(Weights):
    """Cells are points."""

    def __init__(self, asked: Columns, scores: Scores) -> None:
        self._asked, self._added = asked, scores
        self._scores = np.zeros(asked.table.shape[1], dtype=np.int64)
        self._vote()

    def _vote(self) -> None:
        lacks, place = np.unique(self._scores.max() - self._scores, return_inverse=True)
        weights = np.array([_weight(k, _BITS) for k in lacks.tolist()], dtype=np.int64)
        weights = weights[place]
        ones = np.array([weights[row].sum() for row in self._asked.table], dtype=np.int64)
        self._labels: NDArray[np.bool_] = 2 * ones > weights.sum()

    @property
    def published_rule(self) -> Hypothesis[Any]:
        return self._asked.function(self._labels)

    def cell(self, x: Any, y: int) -> int | None:
        return self._asked.column(x)

    def take(self, tally: Tally) -> None:
        added = self._added.score_cells(np.array(tally, dtype=np.int64))
        for row, label, score in zip(self._asked.table, self._labels, added, strict=True):
            # A positive tally says that the majority errs at this point, so all that differ from it
            # gain.
            self._scores[row != label] += score
        self._vote()

    def to_json(self) -> list[Any]:
        scores: list[int] = self._scores.tolist()
        return scores

    def restore(self, scores: list[Any]) -> None:
        self._scores[:] = scores
        self._vote()


class WeighedCuts:
    """The cuts 0, ..., ``size`` - 1 of an end, each with a score, and their weighted median.

    Runs of cuts with one score are kept as [end, score].
    """

    def __init__(self, size: int) -> None:
        self._bits = _BITS // 2 + 1 + size.bit_length()
        self.restore([[size, 0]])

    def gain(self, side: int, score: int) -> None:
        """Add to the scores of all cuts above the median for side 1, or below it for side 0."""
        # The published cut is on neither side, so it gains nothing.
        self.restore(add_around(self.runs, self.median, score * (1 - side), 0, score * side))

    def restore(self, runs: list[list[int]]) -> None:
        """Know these scores, and nothing else."""
        self.runs = runs
        best, start, spans = max(score for _, score in runs), 0, list[tuple[int, int, int]]()
        for end, score in runs:
            spans.append((start, end - start, _weight(best - score, self._bits)))
            start = end
        # The weighted median: at most half of the weight is on each side.
        half = sum(length * weight for _, length, weight in spans) / Fraction(2)
        for start, length, weight in spans:
            if length * weight >= half:
                self.median = start + max(0, math.ceil(half / weight) - 1)
                return
            half -= length * weight


class SideWeights(Weights):
    """Thresholds: a mistake names the side of the published cut on which the true one is.

    Side 1 is that of larger cuts.  The cuts on a side that is told gain ``score``.
    """

    def __init__(self, hypotheses: Thresholds, score: int) -> None:
        self._hypotheses, self._score = hypotheses, score
        self.cuts = WeighedCuts(hypotheses.size or 0)

    @property
    def published_rule(self) -> Hypothesis[Any]:
        return self._hypotheses.hypothesis(self.cuts.median)

    def cell(self, x: Any, y: int) -> int | None:
        return 1 - y

    def take(self, tally: int) -> None:
        self.cuts.gain(tally, self._score)

    def to_json(self) -> list[Any]:
        return self.cuts.runs

    def restore(self, scores: list[Any]) -> None:
        self.cuts.restore(scores)


class EndWeights(Weights):
    """Intervals: first a mistake names its place, and then the side on which the true end is.

    Sides 0 and 1 are a lower and a higher first point than the published one, 2 and 3 a lower and a
    higher last one.  The cuts on a side that is told gain ``score``.  After many more sides than
    there are halvings all begins anew, in case the point found is not positive.
    """

    def __init__(self, hypotheses: Intervals, score: int) -> None:
        self._domain, self._score = hypotheses.domain, score
        ((self._low, self._high),) = hypotheses.gaps
        self._ends: tuple[WeighedCuts, ...] = ()
        self.searching = True

    @property
    def published_rule(self) -> Hypothesis[Any]:
        if self.searching:
            return StepFunction(self._domain, 0, ())
        first, last = self._ends
        return StepFunction(
            self._domain, 0, (self._low + first.median, self._point + last.median + 1)
        )

    def cell(self, x: Any, y: int) -> int | None:
        if self.searching:
            return int(x - self._low)
        if x == self._point:
            return None
        return 1 - y if x < self._point else 2 + y

    def take(self, tally: Any) -> None:
        if self.searching:
            self._locate(self._low + tally)
            return
        end, side = divmod(tally, 2)
        self._ends[end].gain(side, self._score)
        self._told += 1
        if self._told > _PATIENCE * (self._high - self._low + 1).bit_length():
            self.searching = True

    def _locate(self, point: int) -> None:
        self._point, self._told, self.searching = point, 0, False
        self._ends = WeighedCuts(point - self._low + 1), WeighedCuts(self._high - point + 1)

    def to_json(self) -> list[Any]:
        runs = [end.runs for end in self._ends]
        return [] if self.searching else [self._point, self._told, *runs]

    def restore(self, scores: list[Any]) -> None:
        self.searching = not scores
        if scores:
            point, told, *runs = scores
            self._locate(point)
            self._told = told
            for i, kept in enumerate(runs):
                self._ends[i].restore(kept)


def _weight(lack: int, bits: int) -> int:
    """2^bits e^(-lack / 4,096), rounded down."""
    # Below one unit of 2^-bits: the weight is 0 on every machine.
    if lack > UNITS * bits:
        return 0
    lost = EXACT.divide(Decimal(-lack), Decimal(UNITS))
    return int(EXACT.multiply(Decimal(2**bits), EXACT.exp(lost)))
