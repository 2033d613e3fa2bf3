"""The online learner for finite classes that weighs hypotheses by noisy counts of where it erred."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from decimal import Context, Decimal, localcontext
from fractions import Fraction
from functools import cached_property
from itertools import accumulate
from typing import Any, NamedTuple

import numpy as np
import numpy.ma  # `np.unique` loads it, and nothing is to be loaded after a spend
from numpy.typing import NDArray

from littlestone.classes.base import HypothesisClass
from littlestone.learn.base import require_plan
from littlestone.learn.stream.base import MistakeBound, PrivateOnlineLearner
from littlestone.learn.stream.known_ends import Columns, columns_of
from littlestone.learn.stream.private_stream import PrivateStream
from littlestone.privacy.cost import Budget
from littlestone.privacy.mechanisms.confirmation import ContinualConfirmation
from littlestone.privacy.mechanisms.tallies import ContinualTallies, Tallies, Tally
from littlestone.privacy.rational import exp_below
from littlestone.privacy.tape import Tape
from littlestone.rules import Hypothesis

MOST_COLUMNS = 1 << 14
"""The most points, counted as `Columns` does: each draws at every publication."""

MOST_THRESHOLD = 2000
"""The largest threshold for which a bound is worked out."""

_EXACT = Context(prec=32)
_BITS = 42
_MOST = 44  # epsilon of a cell, as `exp_below` takes it
_UNITS = 1 << 12  # scores are whole numbers of 1 / 4,096
_ROUNDING = 1e-6  # more than 2^20 / 2^42, which the rounding of weights may change of a majority
_WORK = 1 << 33  # products of labels looked at for `distance`
_LEAST = Fraction(1, 16)  # epsilon of a cell, below which everything is in proportion to it
_USED = 30  # a score by which all that do not gain lose their weight
# Calibrated: parts of the chance of mistakes at a cell, with their means times epsilon, or means.
_PARTS = ("1", "0.5", 1), ("1", "1.25", 1), ("0.1", "4", 2)


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
    return Fraction(f"{0.214 * max(1, distance) ** -0.42 * sharp:.3g}")


def likelihood_scores(chance: Fraction, epsilon: Fraction) -> Scores:
    """f(v) = ln L(v) + c for a count v, where L is its likelihood ratio against no mistakes.

    For the law P of the noise, Pr[X = x] ~ e^(-epsilon |x|), L(v) is the sum over n of
    w_n P(v - n) / P(v).  Here w_n is the chance of n mistakes, which are one, a few or many: geometric
    numbers of at least 1, with the means 1/2, 5/4 and 4 over epsilon, but many of at least 2.  One and
    a few have the ``chance`` given, many have a tenth of it.  With this c, noise alone has E[e^f] =
    E[e^-f].

    L is constant below 0.  The last score is so large that all that do not gain it lose their weight.
    """
    times = max(1, round(_LEAST / epsilon))
    with localcontext(_EXACT):
        a = _EXACT.divide(Decimal(-times * epsilon.numerator), Decimal(epsilon.denominator)).exp()
        usual = Decimal(chance.numerator) / Decimal(chance.denominator)
        parts = [
            _Part(usual * Decimal(share), max(Decimal(mean) / -a.ln(), Decimal(least)), a)
            for share, mean, least in _PARTS
        ]
        none, logarithms = 1 - sum((part.chance for part in parts), Decimal(0)), list[Decimal]()
        while not logarithms or logarithms[-1] - logarithms[0] < _USED:
            logarithms.append(sum((part.next_ratio() for part in parts), none).ln())
        # Noise alone has E[L] = 1, so c is half of ln E[1 / L].
        paired = zip(_masses(a), logarithms, strict=False)
        c = sum((mass / value.exp() for mass, value in paired), Decimal(0)).ln() / 2
        values = [int((_UNITS * (value + c)).to_integral_value()) for value in logarithms]
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


class Weights:
    """What was tallied so far, and the weighted majority; all public.

    Weights are whole numbers that do not depend on the machine, so that a run that resumes on another
    one publishes the same.
    """

    def __init__(self, asked: Columns, scores: Scores) -> None:
        self._asked, self._added = asked, scores
        self._scores = np.zeros(asked.table.shape[1], dtype=np.int64)
        self._vote()

    def _vote(self) -> None:
        lacks, place = np.unique(self._scores.max() - self._scores, return_inverse=True)
        weights = np.array([_weight(k) for k in lacks.tolist()], dtype=np.int64)
        weights = weights[place]
        ones = np.array([weights[row].sum() for row in self._asked.table], dtype=np.int64)
        self._labels: NDArray[np.bool_] = 2 * ones > weights.sum()

    @property
    def published_rule(self) -> Hypothesis[Any]:
        return self._asked.function(self._labels)

    def cell(self, x: Any) -> int | None:
        """The cell that a mistake at ``x`` names; None for no cell."""
        return self._asked.column(x)

    def to_json(self) -> list[int]:
        """All scores."""
        scores: list[int] = self._scores.tolist()
        return scores

    def restore(self, scores: list[int]) -> None:
        """Know what `to_json` gave, and nothing else."""
        self._scores[:] = scores
        self._vote()

    def take(self, tally: Tally) -> None:
        """Raise the scores of the hypotheses that differ from what is published where it errs."""
        added = self._added.score_cells(np.array(tally, dtype=np.int64))
        for row, label, score in zip(self._asked.table, self._labels, added, strict=True):
            # A positive tally says that the majority errs at this point, so all that differ from it
            # gain.
            self._scores[row != label] += score
        self._vote()


def _weight(lack: int) -> int:
    """2^42 e^(-lack / 4,096), rounded down."""
    # Below one unit of 2^-42: the weight is 0 on every machine.
    if lack > _UNITS * _BITS:
        return 0
    lost = _EXACT.divide(Decimal(-lack), Decimal(_UNITS))
    return int(_EXACT.multiply(Decimal(2**_BITS), _EXACT.exp(lost)))


class TalliedStream(PrivateStream[Any]):
    """A run of `TalliedLearner`; only its counts depend on more than what was published."""

    def __init__(self, learner: TalliedLearner, tape: Tape) -> None:
        self._weights = learner.initial_weights()
        super().__init__(self._weights.published_rule, learner.horizon, tape)
        self._counts: Tallies = learner.mechanism.tallies(tape)

    def _begin(self) -> None:
        self._watch(1)

    def _mistaken(self, x: Any, y: int) -> None:
        if (cell := self._weights.cell(x)) is not None:
            self._counts.count(self._steps, cell)

    def _to_json(self) -> dict[str, Any]:
        return {
            "scores": self._weights.to_json(),
            "first": self._first,
            "counts": self._counts.to_json(),
        }

    def _restore(self, kept: Mapping[str, Any]) -> Hypothesis[Any]:
        self._weights.restore(kept["scores"])
        self._counts.restore(kept["first"], kept["counts"])
        self._first = kept["first"]
        return self._weights.published_rule

    @property
    def _due(self) -> int:
        return self._counts.due

    def _hit(self) -> None:
        self._weights.take(self._counts.select())
        self._publish(self._weights.published_rule)
        self._watch(self._steps + 1)

    def _watch(self, step: int) -> None:
        self._first = step  # of the epoch
        self._counts.watch(step)


class TalliedLearner(PrivateOnlineLearner[Any]):
    """Publish the majority of all hypotheses, weighed by noisy counts of where former majorities erred.

    `ContinualTallies` counts mistakes by their points.  Once there are about ``threshold``, it
    publishes a noisy count for each point, and the hypotheses that differ from the majority where it
    erred gain weight.  epsilon-DP with delta = 0 for every stream, because only the counts are
    published.

    Nothing is known about the adversary: the bounds hold if each record is chosen after seeing all
    that was published.  Proofs: docs/proofs/tallies.md.

    Takes classes of at most 2^26 labels in a table of at most 16,384 different points.  Time: 0.5 ms a
    mistake, and for each publication 0.03 ms per point and two passes over the table.  Raises
    `DeclarationError` for other classes.

    >>> from littlestone.classes import parse_class
    >>> H = parse_class("parities(a, b, c, d, e, f)")
    >>> learner = TalliedLearner(H, Budget(1), horizon=200_000)
    >>> print(learner.cost())
    epsilon 1, delta 0 (replace-one)
    """

    method = "tallied"

    def __init__(
        self,
        hypotheses: HypothesisClass[Any],
        budget: Budget,
        *,
        horizon: int,
        threshold: int | None = None,
    ) -> None:
        super().__init__(hypotheses, horizon)
        self.asked = columns_of(hypotheses, self.method, MOST_COLUMNS, "a smaller finite class")
        half = budget.epsilon / 2
        if threshold is None:
            # Noise at more points hides more.  Calibrated, as is the chance.
            room = max(3.75, 2 * math.sqrt(self.distance) - 7.7)
            threshold = max(1, math.ceil((math.log(horizon) + room) / math.log(exp_below(half))))
        timer = ContinualConfirmation(
            skip_epsilon=half,
            test_epsilon=half,
            threshold=threshold,
            warm=horizon,  # the chance of a tally does not fall with time
            keys=1,
            horizon=horizon,
        )
        cell = min(half, Fraction(_MOST))
        self.scores = likelihood_scores(chance_of_mistakes(self.distance, cell), cell)
        self.mechanism = ContinualTallies(
            timer=timer,
            cell_epsilon=half,
            cells=max(1, len(self.asked.table)),
            least=0,
            most=self.scores.most,
        )

    @cached_property
    def distance(self) -> int:
        """The most columns at which two hypotheses differ, or more."""
        columns, hypotheses = self.asked.table.shape
        if hypotheses**2 * columns > _WORK:
            return len(self.asked.table)
        rows = self.asked.table.T.astype(np.float32)
        ones = rows.sum(axis=1)
        apart: NDArray[np.float32] = ones[:, None] + ones - 2 * (rows @ rows.T)
        return int(apart.max())

    def initial_weights(self) -> Weights:
        """Nothing is tallied yet."""
        return Weights(self.asked, self.scores)

    def stream(self, tape: Tape) -> TalliedStream:
        return TalliedStream(self, tape)

    def measured_mistakes(self) -> int | None:
        return None

    def mistake_bound(self, beta: float) -> MistakeBound | None:
        """The least M of docs/proofs/tallies.md, Theorem 2; None if that finds no bound."""
        require_plan(0.5, beta)
        hypotheses, timer = self.asked.table.shape[1], self.mechanism.timer
        if timer.threshold > MOST_THRESHOLD:
            return None
        if not len(self.asked.table):
            return MistakeBound(0, beta, True, _SOURCE)
        epsilon = -math.log(self.mechanism.ratio)
        noise, gain = _factors(self.scores, epsilon, timer.threshold)
        s = np.arange(timer.threshold + 1)
        left = np.exp(self.distance * noise) * (0.5 + _ROUNDING + np.exp(-gain * s) / 2)
        start, most = 2 * math.log(hypotheses) - math.log(beta), math.inf
        for drift in _DRIFTS:
            rate, least = _decay(timer, left.tolist(), drift)
            if rate:
                most = min(most, (start + drift - math.log(least)) / rate)
        if math.isinf(most):
            return None
        return MistakeBound(math.ceil(most * (1 + 1e-6)), beta, True, _SOURCE)


_SOURCE = "docs/proofs/tallies.md, Theorem 2"
_DRIFTS = (0.1, 0.5, 1.0, 2.0)


def _factors(scores: Scores, epsilon: float, records: int) -> tuple[float, float]:
    """The logarithm of C, and the rate u, for tallies of up to ``records`` records."""
    added = scores.score_cells(np.arange(max(scores.most, records) + 1)) / _UNITS
    more, less = (_noisy_means(np.exp(sign * added), math.exp(-epsilon)) for sign in (1, -1))
    none = max(more[0], less[0])
    rates = np.log(none / less[1 : records + 1]) / np.arange(1, records + 1)
    return math.log(none), float(rates.min())


def _noisy_means(values: NDArray[np.float64], a: float) -> NDArray[np.float64]:
    """E[g(n + X)] or more for each n, if g has these ``values`` at 0, 1, ... and is constant outside.

    With noise X, Pr[X = x] ~ a^|x|: a sum over x >= 0 and one over x <= 0, each from that of a
    neighbouring n.
    """

    def sums(values: list[float]) -> list[float]:
        return list(accumulate(values[1:], lambda r, v: v + a * r, initial=values[0] / (1 - a)))

    up, down = sums(values.tolist()[::-1])[::-1], sums(values.tolist())
    found: NDArray[np.float64] = np.array(up) + down - values
    return found * ((1 - a) / (1 + a) * (1 + 1e-9))


def _decay(timer: ContinualConfirmation, left: list[float], drift: float) -> tuple[float, float]:
    """The k of Theorem 2 for d = ``drift`` / T, or 0 for none; and the least value of phi."""
    a, r, threshold = float(timer.skip), 1 / float(timer.shrink), timer.threshold
    tail = math.ceil(40 / -math.log(a))
    q = [r ** min(0, s - threshold) for s in range(-tail, threshold + 1)]
    left = [left[0]] * tail + left
    quiet = [p * k / (p + drift / timer.horizon) for p, k in zip(q, left, strict=True)]

    def potential(rate: float) -> tuple[float, float]:
        """Its mean at the beginning of an epoch, and its least value."""
        grown, value, values = math.exp(rate), 0.0, list[float]()
        for i in range(len(q) - 1, 0, -1):
            value = max(grown * (q[i] * left[i] + (1 - q[i]) * value), quiet[i - 1])
            values.append(value)
        first = values[threshold - 1 :]  # for Z = 0, 1, ...
        mean = sum((1 - a) * a**z * value for z, value in enumerate(first))
        mean += a ** len(first) * (1 - a) * first[-1] * grown / (1 - a * grown)
        return mean * (1 + 1e-9), min(values)

    low, high = 0.0, 0.99 * -math.log(a)
    if potential(low)[0] > 1:
        return 0.0, 1.0
    for _ in range(30):
        middle = (low + high) / 2
        # The largest rate at which the potential still falls (docs/proofs/tallies.md, Theorem 2).
        low, high = (middle, high) if potential(middle)[0] <= 1 else (low, middle)
    return low, potential(low)[1]
