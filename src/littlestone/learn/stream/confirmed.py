"""The online learner for finite classes that holds against an adversary who sees what is published."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import replace
from fractions import Fraction
from itertools import accumulate
from typing import Any

import numpy as np
from numpy.typing import NDArray

from littlestone.classes.base import HypothesisClass
from littlestone.classes.intervals import Intervals
from littlestone.classes.thresholds import Thresholds
from littlestone.learn.base import require_plan
from littlestone.learn.stream.base import MistakeBound, PrivateOnlineLearner, exact_doubt
from littlestone.learn.stream.keys import least_total
from littlestone.learn.stream.known_ends import UNLIKELY, Cuts, Ends, KeyScheme, columns_of
from littlestone.learn.stream.private_stream import PrivateStream
from littlestone.privacy.cost import Budget
from littlestone.privacy.mechanisms.confirmation import (
    Confirmations,
    ContinualConfirmation,
    Watch,
)
from littlestone.privacy.mechanisms.sparse_selection import least_power
from littlestone.privacy.tape import Tape
from littlestone.rules import Hypothesis

MOST_KEYS = 1 << 9
"""The most points, counted as `Columns` does: each draws at the beginning of a run."""

MOST_WAITED = 20_000
"""The most records of a key for which a bound is worked out."""

BY_ENDS = 1 << 17
"""The labels of a table of intervals above which their ends are confirmed, not points."""

_SPLITS = 32


class ConfirmedStream(PrivateStream[Any]):
    """A run of `ConfirmedLearner`; only its counts depend on more than what was published."""

    def __init__(self, learner: ConfirmedLearner, tape: Tape) -> None:
        self._knowledge = learner.asked.initial_knowledge()
        super().__init__(self._knowledge.published_rule, learner.horizon, tape)
        self._learner = learner
        self._counts: Confirmations[int] = learner.mechanism.confirmations(tape)

    def _begin(self) -> None:
        self._watch(1)

    def _watch(self, step: int) -> None:
        if self._learner.asked.keys:
            self._counts.watch(step, self._keys_to_watch())

    def _keys_to_watch(self) -> dict[int, Watch]:
        learner = self._learner
        return self._knowledge.keys_to_watch(learner.mechanism.threshold, learner.unlikely)

    def _to_json(self) -> dict[str, Any]:
        return {"knowledge": self._knowledge.to_json(), "counts": self._counts.to_json()}

    def _restore(self, kept: Mapping[str, Any]) -> Hypothesis[Any]:
        self._knowledge.restore(kept["knowledge"])
        self._counts.restore(self._keys_to_watch(), kept["counts"])
        return self._knowledge.published_rule

    def _mistaken(self, x: Any, y: int) -> None:
        if (key := self._knowledge.key(x, y)) is not None:
            self._counts.count(self._steps, key)

    @property
    def _due(self) -> int:
        return self._counts.due

    def _hit(self) -> None:
        confirmed, step = self._counts.select(), self._steps + 1
        # Some classes ask other keys from now on, so their old counts mean nothing.
        if self._knowledge.confirm(confirmed, step):
            self._counts.forget()
        # A function of what was confirmed alone: publishing it costs nothing more, and no more does
        # leaving out what changes nothing.
        if (rule := self._knowledge.published_rule) != self._published:
            self._publish(rule)
        self._watch(step)


class ConfirmedLearner(PrivateOnlineLearner[Any]):
    """Publish the majority of the hypotheses that contradict the fewest confirmed keys.

    A record that the majority mistakes names a key: its point with its label or, for thresholds, the
    side of the published threshold on which the true one is.  `ContinualConfirmation` confirms keys.
    epsilon-DP with delta = 0 for every stream, because only what is confirmed is published.  Half of
    the hypotheses that were left contradict each confirmation, so few are needed.

    ``doubt`` bounds the probability that a key is confirmed without any record, on a realizable
    stream.  Nothing is known about the adversary: the bounds hold if each record is chosen after seeing
    all that was published.  Proofs: docs/proofs/confirmation.md.

    Thresholds of keys do not rise with time, because an adversary can wait until they have risen.
    With a small ``warm``, such as 64, they begin lower and rise after that many steps: that is better
    for records that do not wait.

    Takes thresholds and intervals on any grid, and classes of at most 2^26 labels in a table of at most
    512 different points.  Time: 0.5 ms a mistake, and a pass over the table for each confirmation.
    Raises `DeclarationError` for other classes.

    >>> from littlestone.classes import Thresholds
    >>> learner = ConfirmedLearner(Thresholds.on(0, 1022), Budget(1), horizon=200_000)
    >>> print(learner.cost())
    epsilon 1, delta 0 (replace-one)
    >>> learner.mistake_bound(0.05).mistakes
    264
    """

    method = "confirmed"
    mechanism: ContinualConfirmation

    def __init__(
        self,
        hypotheses: HypothesisClass[Any],
        budget: Budget,
        *,
        horizon: int,
        doubt: object = Fraction(1, 25),
        warm: int | None = None,
    ) -> None:
        super().__init__(hypotheses, horizon)
        self.asked = key_scheme(hypotheses, self.method)
        most = exact_doubt(doubt)
        total, found = budget.epsilon, list[tuple[float, int, ContinualConfirmation]]()
        for i in range(1, _SPLITS):
            one = ContinualConfirmation(
                skip_epsilon=total * i / _SPLITS,
                test_epsilon=total * (_SPLITS - i) / _SPLITS,
                threshold=1,
                warm=horizon if warm is None else warm,
                keys=max(1, self.asked.keys),
                horizon=horizon,
            )
            # The least threshold for which there is no more doubt.
            least = least_power(1 / one.shrink, self._unfounded_hits(one) / most)
            mechanism = replace(one, threshold=max(1, least))
            # Each split is private, so a float may choose.
            found.append((_records(mechanism), i, mechanism))
        # The split with the fewest records; the index settles ties, because mechanisms have no
        # order.
        _, _, self.mechanism = min(found)

    def _unfounded_hits(self, mechanism: ContinualConfirmation) -> Fraction:
        """The sum of all chances of hits without a record, times r2 to the power of the threshold."""
        a, s = mechanism.skip, mechanism.shrink
        mean = (1 - a) / (1 - a * s)  # of r2^-Z
        each_step = Fraction(self.asked.watched * mechanism.horizon)
        return mean * min(self.asked.spread * mechanism.tests, each_step)

    @property
    def doubt(self) -> float:
        """The probability that a key is confirmed without a record, or more; for realizable streams."""
        # The margin covers the rounding of the power.
        power = float(self.mechanism.shrink) ** self.mechanism.threshold
        return float(self._unfounded_hits(self.mechanism)) * power * (1 + 1e-9)

    @property
    def unlikely(self) -> int:
        """The threshold of a key that no remaining hypothesis supports."""
        mechanism = self.mechanism
        return mechanism.threshold + least_power(1 / mechanism.shrink, Fraction(UNLIKELY))

    def stream(self, tape: Tape) -> ConfirmedStream:
        return ConfirmedStream(self, tape)

    def measured_mistakes(self) -> int | None:
        return None

    def mistake_bound(self, beta: float) -> MistakeBound | None:
        """The least M that all waits together exceed with probability at most beta - doubt.

        None if beta <= `doubt`; then declare a smaller one.  docs/proofs/confirmation.md.
        """
        require_plan(0.5, beta)
        left = beta - self.doubt
        worst = self.mechanism.threshold + self.mechanism.last_rise
        if left <= 0 or worst > MOST_WAITED:
            return None
        touched = self.asked.max_epochs
        waits = miss_bounds(self.mechanism, left / (1000 * max(1, touched)))
        mistakes = least_total(waits, touched, left)
        source = f"docs/proofs/confirmation.md, {self.asked.theorem}"
        return MistakeBound(mistakes, beta, True, source)


def key_scheme(H: HypothesisClass[Any], method: str) -> KeyScheme:
    """The keys of this class; raises `DeclarationError` if there are none."""
    if isinstance(H, Thresholds) and H.size:
        return Cuts(H)
    if isinstance(H, Intervals) and len(H.gaps) == 1 and H.core is None and H.zero:
        length = H.domain.size
        if length > MOST_KEYS or H.size * length > BY_ENDS:
            return Ends(H)
    declare = "thresholds or intervals on a grid, or a smaller finite class"
    return columns_of(H, method, MOST_KEYS, declare)


def miss_bounds(mechanism: ContinualConfirmation, rare: float = 1e-9) -> NDArray[np.float64]:
    """S(m), m = 0, 1, ...: bound Pr[a key that has m records has not hit yet], whatever its age.

    Down to ``rare`` or less.

    S(m) = S(m - 1) / r1 + (1 - 1 / r1) (1 - q(1)) ... (1 - q(m)), for the largest rise.
    """
    a, s = float(mechanism.skip), float(mechanism.shrink)
    worst = mechanism.threshold + mechanism.last_rise
    # The waits of docs/proofs/confirmation.md, Theorem 2, summed over Z term by term.
    quiet = np.cumprod(1 - s ** (worst - np.arange(1.0, worst + 1)))
    tail = math.ceil(math.log(min(rare, 1e-9)) / math.log(a))
    still = np.concatenate([(1 - a) * quiet, np.zeros(tail)])
    return np.fromiter(accumulate(still, lambda old, new: a * old + new, initial=1.0), float)


def _records(mechanism: ContinualConfirmation) -> float:
    worst = mechanism.threshold + mechanism.last_rise
    if worst > MOST_WAITED:
        return float(worst)
    return float(miss_bounds(mechanism).sum())
