"""The online learner for mistakes that name a point of a set or a whole hypothesis."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Any

import numpy as np
from numpy.typing import NDArray

from littlestone.classes.base import HypothesisClass
from littlestone.classes.promises.covering import PointCovering
from littlestone.learn.base import require_plan
from littlestone.learn.stream.base import MistakeBound, PrivateOnlineLearner
from littlestone.learn.stream.private_stream import PrivateStream
from littlestone.privacy.cost import Budget
from littlestone.privacy.mechanisms.competition import Terms
from littlestone.privacy.mechanisms.continual_selection import ContinualKeySelection
from littlestone.privacy.tape import Tape
from littlestone.rules import FiniteSet, Hypothesis

MOST_SUMMED = 20_000
"""The most records of all keys whose exact law is summed, which takes their square."""

RARE = 1e-6
"""The least probability for which sums of floats are exact enough."""


def least_total(missed: NDArray[np.float64], parts: int, beta: float) -> int:
    """The least M that ``parts`` independent waits exceed together with probability at most ``beta``.

    A wait is longer than m records with probability ``missed[m]``; see `least_sum`.

    >>> least_total(np.array([1.0, 0.5, 0.0]), 2, 0.3)
    3
    """
    return least_sum([(missed, parts)], beta)


def least_sum(waits: Sequence[tuple[NDArray[np.float64], int]], beta: float) -> int:
    """The least M that independent waits exceed together with probability at most ``beta``.

    ``waits`` are pairs (missed, count): ``count`` independent waits, each longer than m records with
    probability ``missed[m]``.  One that is longer than all of them counts as endless, so the last
    probability must be far below beta / parts, for all parts together.  If the waits may have more than
    `MOST_SUMMED` records together, or if beta is below `RARE`, M is the sum of the numbers that each
    exceeds with probability at most beta / parts, which is larger.

    >>> least_sum([(np.array([1.0, 0.5, 0.0]), 1), (np.array([1.0, 0.0]), 1)], 0.3)
    3
    """
    # The margins cover the rounding of sums of a few thousand numbers.
    if sum((len(missed) - 1) * times for missed, times in waits) > MOST_SUMMED or beta < RARE:
        share = beta / max(1, sum(times for _, times in waits))
        each = ((missed * (1 + 1e-9) <= share, times) for missed, times in waits)
        return sum(int(np.argmax(rare)) * times for rare, times in each)
    total = np.ones(1)
    for missed, times in waits:
        for _ in range(times):
            # The exact law of a sum of independent waits, one convolution a wait.
            total = np.convolve(total, np.append(0.0, missed[:-1] - missed[1:]))
    return int(np.argmax(1 - np.cumsum(total) + 1e-9 <= beta))


def wait(terms: Terms, rare: float) -> NDArray[np.float64]:
    """S(m) of these terms for m = 0, 1, ..., down to ``rare`` or less."""
    return np.fromiter(islice(terms.miss_bounds(), terms.sample_size(rare) + 1), float)


_PROOF = "docs/proofs/continual-key-selection.md"


class Naming(ABC):
    """A rule for the key that one mistake names, and for what is published when it is selected."""

    hypotheses: HypothesisClass[Any]

    @property
    @abstractmethod
    def max_keys(self) -> int:
        """The most keys that a stream of the class names, each until it is selected."""

    @property
    @abstractmethod
    def source(self) -> str:
        """The theorem that proves this."""

    @abstractmethod
    def key(self, x: Any, y: int) -> Any:
        """The key that the mistake (x, y) names; None for no key."""

    @abstractmethod
    def after(self, h: Hypothesis[Any], selected: frozenset[Any]) -> Hypothesis[Any]:
        """The hypothesis published after ``h`` when these keys are selected."""


@dataclass(frozen=True)
class PointNaming(Naming):
    """A mistake names its point; if selected, the point enters the published set or leaves it."""

    hypotheses: PointCovering

    @property
    def max_keys(self) -> int:
        return self.hypotheses.max_elements

    @property
    def source(self) -> str:
        return f"{_PROOF}, Theorem 4"

    def key(self, x: Any, y: int) -> Any:
        return x

    def after(self, h: Any, selected: frozenset[Any]) -> FiniteSet:
        return FiniteSet(h.domain, h.members ^ selected)


@dataclass(frozen=True)
class FunctionNaming(Naming):
    """A mistake names the SOA of H|(x,y), which is published when it is selected; LDim(H) <= 1."""

    hypotheses: HypothesisClass[Any]

    @property
    def max_keys(self) -> int:
        return 0 if self.hypotheses.is_single() else 1

    @property
    def source(self) -> str:
        return f"{_PROOF}, Theorem 5"

    def key(self, x: Any, y: int) -> Hypothesis[Any] | None:
        left = self.hypotheses.restrict(x, y)
        return None if left.is_empty() else left.soa()

    def after(self, h: Hypothesis[Any], selected: frozenset[Any]) -> Hypothesis[Any]:
        # The first in an order of their forms, because which one was named first is secret.
        return Hypothesis.from_json(min((g.to_json() for g in selected), key=str))


def naming_of(H: HypothesisClass[Any]) -> Naming | None:
    """The rule for this class: a mistake names its point or a function; None if it may name several.

    >>> from littlestone.classes import Subsets, Thresholds
    >>> from littlestone.points import Integers
    >>> naming_of(Subsets(Integers(), 3)).key(7, 1), naming_of(Thresholds.on(0, 9))
    (7, None)
    """
    H.require_learnable()
    if isinstance(H, PointCovering):
        return PointNaming(H)
    return FunctionNaming(H) if H.littlestone_dimension() <= 1 else None


class KeyStream(PrivateStream[Any]):
    """A run of `KeyLearner`."""

    def __init__(self, naming: Naming, mechanism: ContinualKeySelection[Any], tape: Tape) -> None:
        super().__init__(naming.hypotheses.soa(), mechanism.horizon, tape)
        self._naming, self._keys = naming, mechanism.competitions(tape)

    def _mistaken(self, x: Any, y: int) -> None:
        if (key := self._naming.key(x, y)) is not None:
            self._keys.count(self._steps, key)

    @property
    def _due(self) -> int:
        return self._keys.due

    def _hit(self) -> None:
        self._publish(self._naming.after(self._published, self._keys.select()))


class KeyLearner(PrivateOnlineLearner[Any]):
    """Publish what many mistakes name: points of a set, or a hypothesis of a class with LDim(H) <= 1.

    A record (x, y) names a key if the published hypothesis mistakes it; other records name none.
    `ContinualKeySelection` selects keys.  (epsilon, delta)-DP for every stream, because only what is
    selected is published: docs/proofs/continual-key-selection.md, Theorem 1.

    For points and subsets, the key is x.  The published set S begins empty; a selected point enters
    it, or leaves it.  The set may have more points than those of the class, if more are often
    positive.  A point that is often negative afterwards leaves it again.

    For other classes the key is the SOA of H|(x,y).  SOA_H is published first, and wherever it is
    wrong, that version space holds one function, which is the key.  Golowich and Livni (GL21) do this
    at dimension 1, where their trees have one level: many SOAs get a mistake each, and a sparse
    histogram under continual observation shows the function that many have in common.  Their histogram
    adds the noise of a binary tree, and needs O(log(T / delta) log(T) / epsilon) mistakes; this one
    costs less and has a proved constant.  Their learner of dimension d, with 2^(2^O(d)) log T mistakes,
    is not implemented.

    Constant time a step, 0.1 ms a mistake.  Raises `DeclarationError` for other classes and delta = 0,
    `EmptyClassError` and `InfiniteDimensionError`.

    >>> from littlestone.classes import Subsets, Thresholds
    >>> from littlestone.points import Strings
    >>> learner = KeyLearner(Subsets(Strings("merchant"), 3), Budget(1, "1e-6"), horizon=200_000)
    >>> round(learner.expected_mistakes, 1), learner.mistake_bound(0.05).mistakes
    (103.1, 124)
    >>> KeyLearner(Thresholds.on(0, 1), Budget(1, "1e-6"), horizon=200_000).mistake_bound(0.05).mistakes
    47
    """

    method = "keys"

    def __init__(self, hypotheses: HypothesisClass[Any], budget: Budget, *, horizon: int) -> None:
        super().__init__(hypotheses, horizon)
        naming = naming_of(hypotheses)
        if naming is None:
            raise self.unfit(
                found="it is not a class of finite sets of points, and its Littlestone dimension "
                f"is {hypotheses.littlestone_dimension()}, so one mistake does not tell a "
                "hypothesis",
                declare="points or subsets of a column, or a class of dimension 1",
            )
        self.naming = naming
        self.mechanism: ContinualKeySelection[Any] = ContinualKeySelection.within(
            budget, horizon=horizon
        )

    def stream(self, tape: Tape) -> KeyStream:
        return KeyStream(self.naming, self.mechanism, tape)

    @property
    def expected_mistakes(self) -> float:
        """The most expected mistakes on a realizable sequence of an adaptive adversary."""
        return self._max_keys * self.mechanism.terms.expected_records

    @property
    def _max_keys(self) -> int:
        """The most keys that are named: no more than there are records."""
        return min(self.naming.max_keys, self.horizon)

    def measured_mistakes(self) -> int:
        """The proved upper bound of the expected number, rounded."""
        return round(self.expected_mistakes)

    def mistake_bound(self, beta: float) -> MistakeBound | None:
        """The least M such that d independent keys take more than M records with probability beta.

        For sets of at most d points, and d = 1 for a hypothesis.  If d keys together may take more
        than `MOST_SUMMED` records, M is d times the number that each key exceeds with probability at
        most beta / d, which is larger.  docs/proofs/continual-key-selection.md, Theorems 4 and 5.
        """
        require_plan(0.5, beta)
        d = self._max_keys
        missed = wait(self.mechanism.terms, beta / (1000 * max(d, 1)))
        mistakes = least_total(missed, d, beta)
        return MistakeBound(mistakes, beta, self.naming.source)
