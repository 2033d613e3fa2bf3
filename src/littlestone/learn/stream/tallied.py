"""The online learner that weighs hypotheses by noisy counts of where their majority erred."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import replace
from fractions import Fraction
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from littlestone.classes.base import HypothesisClass
from littlestone.classes.thresholds import Thresholds
from littlestone.learn.base import require_plan
from littlestone.learn.stream.base import MistakeBound, PrivateOnlineLearner
from littlestone.learn.stream.confirmed import find_search, has_long_grid
from littlestone.learn.stream.known_ends import columns_of
from littlestone.learn.stream.mistakes_by_sides import side_mistakes
from littlestone.learn.stream.private_stream import PrivateStream
from littlestone.learn.stream.weights import (
    ROUNDING,
    UNITS,
    EndWeights,
    PointWeights,
    Scores,
    SideWeights,
    Weights,
    chance_of_mistakes,
    factors,
    likelihood_scores,
)
from littlestone.privacy.accounting.subsampled import InTurn
from littlestone.privacy.cost import Budget
from littlestone.privacy.event import Event
from littlestone.privacy.mechanisms.confirmation import ContinualConfirmation
from littlestone.privacy.mechanisms.sides import ContinualSides
from littlestone.privacy.mechanisms.tallies import ContinualMedians, ContinualTallies, RunCounts
from littlestone.privacy.rational import exp_below
from littlestone.privacy.tape import Tape
from littlestone.rules import Hypothesis

MOST_COLUMNS = 1 << 14
"""The most points, counted as `Columns` does: each draws at every publication."""

MOST_THRESHOLD = 2000
"""The largest threshold for which a bound is worked out."""

_MOST = 44  # epsilon of a cell, as `exp_below` takes it
_WORK = 1 << 33  # products of labels looked at for `distance`


class Cells(ABC):
    """What a class is asked: its cells, and the numbers that suit them; all public."""

    number: int
    room: float
    """What the logarithm of the horizon grows by, for the threshold; calibrated."""

    theorem: str

    search: ContinualMedians | None = None
    """What is in turn with the counts, to find a point around which they are."""

    @abstractmethod
    def plan(self, epsilon: Fraction, horizon: int, threshold: int | None) -> tuple[Any, Scores]:
        """The mechanism that counts, and what counts add to scores."""

    @abstractmethod
    def initial_weights(self, scores: Scores) -> Weights:
        """Nothing is tallied yet."""

    @abstractmethod
    def most_mistakes(self, mechanism: Any, scores: Scores, beta: float) -> float:
        """What is proved with probability 1 - ``beta``; infinite for nothing."""

    def least_threshold(self, horizon: int, rate: float) -> int:
        """The records after which a hit is sure, if each brings it nearer by ``rate``."""
        return max(1, math.ceil((math.log(horizon) + self.room) / rate))


class Places(Cells):
    """Cells are points; points of equal or opposite labels in all hypotheses are one."""

    theorem = "docs/proofs/tallies.md, Theorem 2"

    def __init__(self, hypotheses: HypothesisClass[Any]) -> None:
        self._columns = columns_of(
            hypotheses, TalliedLearner.method, MOST_COLUMNS, "a smaller finite class"
        )
        self.number = len(self._columns.table)
        # Noise at more points hides more.
        self.room = max(3.75, 2 * math.sqrt(self.distance) - 13.8)

    @cached_property
    def distance(self) -> int:
        """The most columns at which two hypotheses differ, or more."""
        columns, hypotheses = self._columns.table.shape
        if hypotheses**2 * columns > _WORK:
            return int(columns)
        rows = self._columns.table.T.astype(np.float32)
        ones = rows.sum(axis=1)
        apart: NDArray[np.float32] = ones[:, None] + ones - 2 * (rows @ rows.T)
        return int(apart.max())

    def plan(self, epsilon: Fraction, horizon: int, threshold: int | None) -> tuple[Any, Scores]:
        half = epsilon / 2  # for the timer, and for the noise of a cell
        if threshold is None:
            threshold = self.least_threshold(horizon, math.log(exp_below(half)))
        timer = ContinualConfirmation(
            skip_epsilon=half,
            test_epsilon=half,
            threshold=threshold,
            warm=horizon,  # the chance of a tally does not fall with time
            keys=1,
            horizon=horizon,
        )
        cell = min(half, Fraction(_MOST))
        scores = likelihood_scores(chance_of_mistakes(self.distance, cell), cell)
        mechanism = ContinualTallies(
            timer=timer,
            cell_epsilon=half,
            cells=max(1, self.number),
            most=scores.most,
        )
        return mechanism, scores

    def initial_weights(self, scores: Scores) -> Weights:
        return PointWeights(self._columns, scores)

    def factors(self, scores: Scores, epsilon: float, records: int) -> list[float]:
        """The factors K(s) of the potential after s = 0, 1, ... mistakes."""
        noise, gain = factors(scores, epsilon, records)
        s = np.arange(records + 1)
        left = np.exp(self.distance * noise) * (0.5 + ROUNDING + np.exp(-gain * s) / 2)
        found: list[float] = left.tolist()
        return found

    def most_mistakes(self, mechanism: Any, scores: Scores, beta: float) -> float:
        timer, most = mechanism.timer, math.inf
        if timer.threshold > MOST_THRESHOLD:
            return most
        start = 2 * math.log(self._columns.table.shape[1]) - math.log(beta)
        left = self.factors(scores, -math.log(mechanism.ratio), timer.threshold)
        for drift in _DRIFTS:
            rate, least = _decay(timer, left, drift)
            if rate:
                most = min(most, (start + drift - math.log(least)) / rate)
        return most


class Sides(Cells):
    """A mistake names the side of a published end on which the true one is."""

    ends, room, theorem = 1, 1.7, "docs/proofs/sides.md, Theorem 2"
    gain = Fraction(12, 5)
    """What the cuts on a told side gain; calibrated."""

    def __init__(self, hypotheses: Any) -> None:
        self.hypotheses = hypotheses
        self.number = 2 * self.ends * int((hypotheses.size or 0) > 1)

    def plan(self, epsilon: Fraction, horizon: int, threshold: int | None) -> tuple[Any, Scores]:
        found = ContinualSides(epsilon=epsilon, threshold=1, ends=self.ends, horizon=horizon)
        if threshold is None:
            rate = -math.log(found.shrink) * found.units
            threshold = self.least_threshold(horizon, rate)
        return replace(found, threshold=threshold), Scores(np.array([int(UNITS * self.gain)]))

    def initial_weights(self, scores: Scores) -> Weights:
        return SideWeights(self.hypotheses, int(scores.values[0]))

    def most_mistakes(self, mechanism: Any, scores: Scores, beta: float) -> float:
        # Skips of both kinds are equal at the largest epsilons, where the closed form has no law.
        if mechanism.threshold > MOST_THRESHOLD // 2 or mechanism.skip <= mechanism.shared_skip:
            return math.inf
        gain = int(scores.values[0]) / UNITS
        return side_mistakes(mechanism, gain, self.hypotheses.size, beta)


class Ends(Sides):
    """The sides of both ends of an interval, around a point that is looked for first."""

    ends, room, theorem, gain = 2, -0.7, "", Fraction(3)

    def plan(self, epsilon: Fraction, horizon: int, threshold: int | None) -> tuple[Any, Scores]:
        ((low, high),) = self.hypotheses.gaps
        self.search = find_search(high - low + 1, epsilon, horizon, Fraction(1, 100))
        return super().plan(epsilon, horizon, threshold)

    def initial_weights(self, scores: Scores) -> Weights:
        return EndWeights(self.hypotheses, int(scores.values[0]))

    def most_mistakes(self, mechanism: Any, scores: Scores, beta: float) -> float:
        return math.inf


def cells_of(hypotheses: HypothesisClass[Any]) -> Cells:
    """The cells of this class; raises `DeclarationError` if there are none."""
    if isinstance(hypotheses, Thresholds) and hypotheses.size:
        return Sides(hypotheses)
    if has_long_grid(hypotheses):
        return Ends(hypotheses)
    return Places(hypotheses)


class TalliedStream(PrivateStream[Any]):
    """A run of `TalliedLearner`; only its counts depend on more than what was published."""

    def __init__(self, learner: TalliedLearner, tape: Tape) -> None:
        self._learner, self._weights = learner, learner.initial_weights()
        super().__init__(self._weights.published_rule, learner.horizon, tape)
        search = learner.asked.search
        self._places = search.tallies(tape) if search else None
        self._tallies: RunCounts = learner.mechanism.tallies(tape)

    @property
    def _counts(self) -> RunCounts:
        """Those of places, while a point is looked for."""
        return self._places if self._places and self._weights.searching else self._tallies

    def _begin(self) -> None:
        self._watch(1)

    def _mistaken(self, x: Any, y: int) -> None:
        if (cell := self._weights.cell(x, y)) is not None:
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
        if self._weights.searching:  # a new point will have new ends
            self._tallies = self._learner.mechanism.tallies(self._tape)
        self._publish(self._weights.published_rule)
        self._watch(self._steps + 1)

    def _watch(self, step: int) -> None:
        self._first = step  # of the epoch
        self._counts.watch(step)


class TalliedLearner(PrivateOnlineLearner[Any]):
    """Publish the majority of all hypotheses, weighed by noisy counts of where former majorities erred.

    `ContinualTallies` counts mistakes by their points.  Once there are about ``threshold``, it
    publishes a noisy count for each point, and the hypotheses that differ from the majority where it
    erred gain weight.  For thresholds `ContinualSides` tells on which side of the published cut the
    true one is, and the cuts there gain weight.  For intervals of a long grid `ContinualMedians` finds
    a positive point, and then sides of both ends are told; nothing is proved about their mistakes.
    epsilon-DP with delta = 0 for every stream, because only this is published.

    Nothing is known about the adversary: the bounds hold if each record is chosen after seeing all
    that was published.  Proofs: docs/proofs/tallies.md and sides.md.

    Takes thresholds and intervals on any grid, and classes of at most 2^26 labels in a table of at most
    16,384 different points.  Time: 0.5 ms a mistake, and for each publication 0.03 ms per point and two
    passes over the table.  Raises `DeclarationError` for other classes.

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
        self.asked = cells_of(hypotheses)
        self.mechanism, self.scores = self.asked.plan(budget.epsilon, horizon, threshold)

    @cached_property
    def event(self) -> Event:
        search = self.asked.search
        return InTurn(search, self.mechanism) if search else self.mechanism

    def initial_weights(self) -> Weights:
        """Nothing is tallied yet."""
        return self.asked.initial_weights(self.scores)

    def stream(self, tape: Tape) -> TalliedStream:
        return TalliedStream(self, tape)

    def mistake_bound(self, beta: float) -> MistakeBound | None:
        """The least M of Theorem 2 of docs/proofs/tallies.md or sides.md; None if it finds no bound."""
        require_plan(0.5, beta)
        if not self.asked.number:
            return MistakeBound(0, beta, self.asked.theorem)
        most = self.asked.most_mistakes(self.mechanism, self.scores, beta)
        if math.isinf(most):
            return None
        return MistakeBound(math.ceil(most * (1 + 1e-6)), beta, self.asked.theorem)


_DRIFTS = (0.1, 0.5, 1.0, 2.0, 4.0)


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
