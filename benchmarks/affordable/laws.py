"""The exact law of what a learner does on a distribution of few examples, for many runs at once.

The errors of a hypothesis on the examples e_0, e_1, ... are read off one call of the learner's own
scoring, on the sample that shows e_i exactly 2^i times: the errors on it are the set of the examples
that the hypothesis gets wrong, as a number in binary.  A run is then a draw of the counts of the
examples and of one of these sets.  So a billion thresholds take as long as five.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from littlestone.classes import HypothesisClass
from littlestone.data.sample import Sample
from littlestone.learn import (
    ChoosingLearner,
    ExponentialLearner,
    LookupLearner,
    PartitionLearner,
    PrivateLearner,
    SingleKeyLearner,
)
from littlestone.privacy.scores import ErrorSums, Part, Scores, scores_of

Floats = NDArray[np.float64]
Bits = NDArray[np.bool_]
Example = tuple[Any, int]

MOST_EXAMPLES = 24
"""The most examples of a law that reads sets in binary: some classes count up to 2^25 errors."""

MOST_SETS = 1 << 15  # of examples that some hypothesis gets wrong
_CELLS = 1 << 21  # of the largest array
_SLACK = 1e-12  # so that an error of exactly alpha is no failure


class Law(ABC):
    """What a learner does on the ``examples``; ``chances`` for any weights of them."""

    examples: list[Example]

    @abstractmethod
    def chances(
        self, weights: Floats, n: int, runs: int, alpha: float, rng: np.random.Generator
    ) -> Floats:
        """For each of ``runs`` samples of n records the chance that what is released errs by more."""

    def work(self, weights: Floats) -> int:
        """The time of a run, compared with that of the fastest."""
        return 1


def law(learner: PrivateLearner[Any], examples: list[Example]) -> Law | None:
    """The law of the learner on samples of these examples; None for other kinds of learners."""
    if isinstance(learner, ExponentialLearner):
        return ScoredLaw.of(learner, examples)
    if isinstance(learner, ChoosingLearner):
        return ChoosingLaw(learner, examples)
    if isinstance(learner, PartitionLearner | SingleKeyLearner | LookupLearner):
        return KeyLaw(learner, examples)
    return None


def _in_binary(H: HypothesisClass[Any], examples: list[Example]) -> Sample[Any]:
    """The sample that shows example i exactly 2^i times."""
    counts = np.zeros((len(examples), H.labels), dtype=np.int64)
    for i, (_, y) in enumerate(examples):
        counts[i, y] = 1 << i
    return Sample(H.domain, tuple(x for x, _ in examples), counts)


def _bits(sets: NDArray[np.int64], size: int) -> Floats:
    """Sets of examples as rows of zeros and ones."""
    rows: Floats = (sets[:, None] >> np.arange(size) & 1).astype(float)
    return rows


@dataclass
class ScoredLaw(Law):
    """The exponential mechanism: hypotheses counted by the set of examples that they get wrong."""

    examples: list[Example]
    sets: NDArray[np.int64]
    often: Floats
    tilt: float
    _last: tuple[int, tuple[NDArray[Any], Floats]] = field(init=False)

    def __post_init__(self) -> None:
        self._last = -1, (self.sets, self.often)

    @classmethod
    def of(cls, learner: ExponentialLearner[Any], examples: list[Example]) -> ScoredLaw:
        found = _counted(learner.scores(_in_binary(learner.hypotheses, examples)))
        if len(found) > MOST_SETS:  # the last examples are those that may hold the rest
            return cls.of(learner, examples[:10] + examples[-4:])
        often = np.array([float(count) for count in found.values()])
        tilt = math.log1p(learner.mechanism.base - 1)
        return cls(examples, np.array(list(found), dtype=np.int64), often, tilt)

    def chances(
        self, weights: Floats, n: int, runs: int, alpha: float, rng: np.random.Generator
    ) -> Floats:
        on = np.flatnonzero(weights)
        sets, often = self._on(int((1 << on).sum()))
        wrong, logs = _bits(sets, len(self.examples))[:, on], np.log(often)
        bad, found = wrong @ weights[on] > alpha + _SLACK, []
        step = max(1, _CELLS // len(sets))
        for first in range(0, runs, step):
            counts = rng.multinomial(n, weights[on], size=min(step, runs - first))
            scores = logs - self.tilt * (counts @ wrong.T)
            masses = np.exp(scores - scores.max(axis=1, keepdims=True))
            found.append(masses @ bad / masses.sum(axis=1))
        return np.concatenate(found)

    def work(self, weights: Floats) -> int:
        sets, _ = self._on(int((1 << np.flatnonzero(weights)).sum()))
        return max(1, len(sets) >> 12)

    @property
    def agreeing(self) -> Floats:
        """For each example, how many hypotheses label it rightly."""
        found: Floats = self.often @ (1 - _bits(self.sets, len(self.examples)))
        return found

    def _on(self, kept: int) -> tuple[NDArray[Any], Floats]:
        """The sets among the examples with a weight, and how often each occurs."""
        if kept != self._last[0]:
            sets, place = np.unique(self.sets & kept, return_inverse=True)
            self._last = kept, (sets, np.bincount(place, weights=self.often).astype(float))
        return self._last[1]


def _counted(part: Part) -> Counter[int]:
    """How many items have each number of errors."""
    scores: Scores = scores_of(part)
    found: Counter[int] = Counter()
    if isinstance(scores, ErrorSums):
        for parts in scores.groups:
            together = Counter({0: 1})
            for counted in map(_counted, parts):
                sums: Counter[int] = Counter()
                for a, often in together.items():
                    for b, times in counted.items():
                        sums[a + b] += often * times
                together = sums
            found.update(together)
    else:
        lengths = scores.lengths if scores.lengths is not None else [1] * len(scores.errors)
        for errors, length in zip(scores.errors.tolist(), lengths, strict=True):
            found[errors] += int(length)
    return found


class ChoosingLaw(Law):
    """Rounds of draws among the elements that cover a positive record that is left, and nothing."""

    def __init__(self, learner: ChoosingLearner[Any], examples: list[Example]) -> None:
        sample = _in_binary(learner.hypotheses, examples)
        found = learner.covering.elements(sample)
        sets = np.unique(np.stack([found.positives, found.negatives], axis=1), axis=0)
        self.examples, self.rounds = examples, learner.rounds
        self.positives = _bits(sets[:, 0], len(examples))
        self.negatives = _bits(sets[:, 1], len(examples))
        # Elements that cover the same examples are as many candidates.
        every = np.stack([found.positives, found.negatives], axis=1)
        self.often = np.array([float((every == row).all(axis=1).sum()) for row in sets])
        self.bottom, self.log_base = learner.mechanism.bottom, math.log(learner.mechanism.base)
        self.everything = learner.covering.everything is not None
        self.positive = self.positives.any(axis=0)

    def chances(
        self, weights: Floats, n: int, runs: int, alpha: float, rng: np.random.Generator
    ) -> Floats:
        counts = rng.multinomial(n, weights, size=runs).astype(float)
        one, size = np.ones((1, len(weights))), len(self.positives)
        covers = np.concatenate([self.positives + self.negatives, one, 0 * one]) > 0
        left = np.ones(counts.shape, dtype=bool)
        with np.errstate(divide="ignore"):
            often = np.log(self.often)
        for i in range(self.rounds):
            counted = np.where(left, counts, 0.0)
            positives = counted @ self.positives.T
            scores = positives - counted @ self.negatives.T
            scores = np.where(positives > 0, scores * self.log_base + often, -np.inf)
            # The constant 1 competes in the last round; bottom is the last candidate.
            all_ones = counted @ np.where(self.positive, 1.0, -1.0) * self.log_base
            competes = self.everything and i == self.rounds - 1
            last = np.full(runs, self.bottom * self.log_base)
            others = np.stack([all_ones if competes else np.full(runs, -np.inf), last], axis=1)
            scores = np.concatenate([scores, others], axis=1)
            drawn = (scores + rng.gumbel(size=(runs, size + 2))).argmax(axis=1)
            left &= ~covers[drawn]
        errors = (left == self.positive) @ weights
        found: Floats = (errors > alpha + _SLACK).astype(float)
        return found


class KeyLaw(Law):
    """Keys, each released by its count and by itself; for sets, perhaps all keys are."""

    def __init__(self, learner: PrivateLearner[Any], examples: list[Example]) -> None:
        self.examples = examples
        H, mechanism = learner.hypotheses, learner.event
        self.all: Callable[[NDArray[np.int64]], Floats] | None = None
        if isinstance(learner, SingleKeyLearner):
            rest = learner.named.rest
            self.keys = np.array([[rest(x) != y for x, y in examples]], dtype=float)
        else:
            rows = [i for i, (_, y) in enumerate(examples) if y]
            self.keys = np.eye(len(examples))[rows]
        if isinstance(learner, LookupLearner):
            self.curve = release_curve(learner.mechanism.chance, str(mechanism))
        else:
            self.curve = release_curve(mechanism.curve, str(mechanism))  # type: ignore[attr-defined]
        if isinstance(learner, PartitionLearner):
            even, base = float(learner.mechanism.even), math.log(learner.mechanism.odds_factor)
            slow = math.log(learner.mechanism.slow)
            self.all = lambda rest: np.where(
                rest <= 0,
                even * np.exp(base * np.minimum(rest, 0)),
                1 - (1 - even) * np.exp(-slow * np.maximum(rest, 0)),
            )
        self.labels = H.labels

    def chances(
        self, weights: Floats, n: int, runs: int, alpha: float, rng: np.random.Generator
    ) -> Floats:
        counts = rng.multinomial(n, weights, size=runs)
        of_keys = counts @ self.keys.T.astype(np.int64)
        released = rng.random(of_keys.shape) < self.curve[np.minimum(of_keys, len(self.curve) - 1)]
        bad = (~released) @ (self.keys @ weights) > alpha + _SLACK
        found: Floats = bad.astype(float)
        if self.all is not None:
            # The positives of keys that are not released, minus all negatives.
            left = (of_keys * ~released).sum(axis=1) - (n - of_keys.sum(axis=1))
            chance = self.all(left)
            found = found * (1 - chance) + chance * (1 - (self.keys @ weights).sum() > alpha)
        return found


_CURVES: dict[str, Floats] = {}


def release_curve(chance: Callable[[int], Any], name: str) -> Floats:
    """q(0), q(1), ... up to where a key is almost surely released; ``name`` says of which mechanism."""
    if name not in _CURVES:
        found = [0.0]
        while found[-1] < 1 - 1e-12:
            found.append(float(chance(len(found))))
        _CURVES[name] = np.array(found)
    return _CURVES[name]
