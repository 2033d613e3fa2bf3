"""The online learner for finite classes that weighs hypotheses by noisy counts of where it erred."""

from __future__ import annotations

import math
from decimal import Context, Decimal
from fractions import Fraction
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
import numpy.ma  # `np.unique` loads it, and nothing is to be loaded after a spend
from numpy.typing import NDArray

from littlestone.classes.base import HypothesisClass
from littlestone.learn.base import require_plan
from littlestone.learn.stream.base import MistakeBound, PrivateOnlineLearner, PrivateStream
from littlestone.learn.stream.known_ends import Columns, columns_of
from littlestone.privacy.cost import Budget
from littlestone.privacy.mechanisms.streams.confirmation import ContinualConfirmation
from littlestone.privacy.mechanisms.streams.tallies import ContinualTallies, Tallies, Tally
from littlestone.privacy.rational import exp_below
from littlestone.privacy.tape import Tape
from littlestone.rules import Hypothesis

MOST_COLUMNS = 1 << 14
"""The most points, counted as `Columns` does: each draws at every publication."""

MOST_THRESHOLD = 2000
"""The largest threshold for which a bound is worked out."""

_EXACT = Context(prec=32)
_BITS = 42
_ROUNDING = 1e-6  # more than 2^20 / 2^42, which the rounding of weights may change of a majority
_WORK = 1 << 33  # products of labels looked at for `distance`
_ROOM, _SHARE = 1.75, 1.3  # calibrated, as are the three that follow
_TYPICAL = 2 / 3  # of the largest distance
_STEEP = 0.4  # of the epsilon of a cell: what a record adds once there are many at its point
_USUAL = 2.6
_LEAST = 1 / 128  # epsilon of a cell, below which everything is in proportion to it


class Scale(NamedTuple):
    """What a tally adds to the scores: the noisy count, and ``steep`` for each record above ``bend``.

    The weight of a hypothesis is e^-``rate`` to the power of what its score lacks.
    """

    rate: Fraction
    bend: int
    steep: int

    def score_cells(self, tally: NDArray[np.int64]) -> NDArray[np.int64]:
        """The score of each cell, which is ``-bend`` at least."""
        found: NDArray[np.int64] = np.clip(tally, -self.bend, self.bend)
        found += self.steep * np.maximum(tally - self.bend, 0)
        return found


class Weights:
    """What was tallied so far, and the weighted majority; all public.

    Weights are whole numbers that do not depend on the machine, so that a run that resumes on another
    one publishes the same.
    """

    def __init__(self, asked: Columns, scale: Scale) -> None:
        self._asked, self._scale = asked, scale
        self._scores = np.zeros(asked.table.shape[1], dtype=np.int64)
        self._vote()

    def _vote(self) -> None:
        lacks, place = np.unique(self._scores.max() - self._scores, return_inverse=True)
        weights = np.array([_weight(self._scale.rate, k) for k in lacks.tolist()], dtype=np.int64)
        weights = weights[place]
        ones = np.array([weights[row].sum() for row in self._asked.table], dtype=np.int64)
        self._labels: NDArray[np.bool_] = 2 * ones > weights.sum()

    @property
    def published_rule(self) -> Hypothesis[Any]:
        return self._asked.function(self._labels)

    def cell(self, x: Any) -> int | None:
        """The cell that a mistake at ``x`` names; None for no cell."""
        return self._asked.column(x)

    def take(self, tally: Tally) -> None:
        """Raise the scores of the hypotheses that differ from what is published where it errs."""
        added = self._scale.score_cells(np.array(tally, dtype=np.int64))
        for row, label, score in zip(self._asked.table, self._labels, added, strict=True):
            # A positive tally says that the majority errs at this point, so all that differ from it
            # gain.
            self._scores[row != label] += score
        self._vote()


def _weight(rate: Fraction, lack: int) -> int:
    """2^42 e^(-rate lack), rounded down."""
    power = rate * lack
    # Below one unit of 2^-42: the weight is 0 on every machine.
    if power > _BITS:
        return 0
    divided = _EXACT.divide(Decimal(-power.numerator), Decimal(power.denominator))
    return int(_EXACT.multiply(Decimal(2**_BITS), _EXACT.exp(divided)))


class TalliedStream(PrivateStream[Any]):
    """A run of `TalliedLearner`; only its counts depend on more than what was published."""

    def __init__(self, learner: TalliedLearner, tape: Tape) -> None:
        self._weights = learner.initial_weights()
        super().__init__(self._weights.published_rule, learner.horizon, tape)
        self._counts: Tallies = learner.mechanism.tallies(tape)

    def _begin(self) -> None:
        self._counts.watch(1)

    def _mistaken(self, x: Any, y: int) -> None:
        if (cell := self._weights.cell(x)) is not None:
            self._counts.count(self._steps, cell)

    @property
    def _due(self) -> int:
        return self._counts.due

    def _hit(self) -> None:
        self._weights.take(self._counts.select())
        self._publish(self._weights.published_rule)
        self._counts.watch(self._steps + 1)


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
        self._epsilon = -math.log(1 / exp_below(half))  # of a cell, as it is used
        if threshold is None:
            # Large distances need many records, which noise then hides less.
            room = math.log(horizon) + _SHARE + _ROOM * math.sqrt(self.distance)
            threshold = max(1, math.ceil(room / self._epsilon))
        timer = ContinualConfirmation(
            skip_epsilon=half,
            test_epsilon=half,
            threshold=threshold,
            warm=horizon,  # the chance of a tally does not fall with time
            keys=1,
            horizon=horizon,
        )
        self.scale = self._scale(threshold)
        # Above this the weights of all that do not gain are 0.
        most = self.scale.bend + math.ceil(30 / (self.scale.rate * self.scale.steep))
        self.mechanism = ContinualTallies(
            timer=timer,
            cell_epsilon=half,
            cells=max(1, len(self.asked.table)),
            least=-self.scale.bend,
            most=most,
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

    def _scale(self, threshold: int) -> Scale:
        """The rate at which a tally of ``threshold`` records is worth most."""
        # A smaller epsilon asks for as many times more records, each of as many times less weight.
        times = max(1, round(_LEAST / self._epsilon))
        epsilon = self._epsilon * times
        records, distance = math.ceil(threshold / times), max(1, self.distance)
        bend = math.ceil((math.log(distance) + _USUAL) / epsilon)
        found = list[tuple[float, Fraction]]()
        for i in range(1, 64):
            rate = Fraction(epsilon).limit_denominator(4096) * Fraction(i * i, 8192)
            scale = Scale(rate, bend, 1)
            noise, gain = _factors(scale, epsilon, 1, bend)
            worth = _TYPICAL * distance * noise + math.log((1 + math.exp(-gain * records)) / 2)
            found.append((worth, scale.rate))
        rate = min(found)[1]
        steep = max(1, int(_STEEP * epsilon / rate))
        return Scale(rate / times, bend * times, steep)

    def initial_weights(self) -> Weights:
        """Nothing is tallied yet."""
        return Weights(self.asked, self.scale)

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
        noise, gain = _factors(self.scale, epsilon, timer.threshold, self.mechanism.most)
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
_DRIFTS = (0.1, 0.5, 2.0)


def _factors(scale: Scale, epsilon: float, records: int, most: int) -> tuple[float, float]:
    """The logarithm of C, and the rate g, for tallies of up to ``records`` records."""
    rate, reach = float(scale.rate), math.ceil(60 / (epsilon - _STEEP * epsilon)) + 2
    noise = np.arange(-reach, reach + 1)
    a = math.exp(-epsilon)
    masses = (1 - a) / (1 + a) * np.exp(-epsilon * np.abs(noise))

    def mean(sign: int, count: int) -> float:
        """The mean of e^(sign f), for that many records and noise."""
        scores = rate * scale.score_cells(np.minimum(noise + count, most))
        return float(masses @ np.exp(sign * scores)) * (1 + 1e-9)

    none = max(mean(1, 0), mean(-1, 0))
    counts = range(1, records + 1)
    return math.log(none), min(math.log(none / mean(-1, count)) / count for count in counts)


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
