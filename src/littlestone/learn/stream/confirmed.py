"""The online learner for finite classes that holds against an adversary who sees what is published."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import replace
from fractions import Fraction
from functools import cached_property
from itertools import accumulate
from typing import Any, TypeGuard

import numpy as np
from numpy.typing import NDArray

from littlestone.classes.base import HypothesisClass
from littlestone.classes.intervals import Intervals
from littlestone.classes.thresholds import Thresholds
from littlestone.learn.base import require_plan
from littlestone.learn.stream.base import MistakeBound, PrivateOnlineLearner, exact_doubt
from littlestone.learn.stream.keys import least_sum
from littlestone.learn.stream.known_ends import UNLIKELY, Cuts, Ends, KeyScheme, columns_of
from littlestone.learn.stream.private_stream import PrivateStream
from littlestone.privacy.accounting.subsampled import InTurn
from littlestone.privacy.cost import Budget
from littlestone.privacy.event import Event
from littlestone.privacy.mechanisms.confirmation import (
    Confirmations,
    ContinualConfirmation,
    Watch,
)
from littlestone.privacy.mechanisms.sparse_selection import least_power
from littlestone.privacy.mechanisms.tallies import ContinualMedians, Tallies
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
        self._places = learner.search.tallies(tape) if learner.search else None

    @property
    def _search(self) -> Tallies | None:
        """The places that records name now, if one of them is looked for."""
        return self._places if self._knowledge.searching else None

    def _begin(self) -> None:
        self._watch(1)

    def _watch(self, step: int) -> None:
        if self._search:
            self._first = step  # of the epoch
            self._search.watch(step)
        elif self._learner.asked.keys:
            self._counts.watch(step, self._keys_to_watch())

    def _keys_to_watch(self) -> dict[int, Watch]:
        learner = self._learner
        return self._knowledge.keys_to_watch(learner.mechanism.threshold, learner.unlikely)

    def _to_json(self) -> dict[str, Any]:
        found = {"knowledge": self._knowledge.to_json()}
        if self._search:
            return found | {"first": self._first, "places": self._search.to_json()}
        return found | {"counts": self._counts.to_json()}

    def _restore(self, kept: Mapping[str, Any]) -> Hypothesis[Any]:
        self._knowledge.restore(kept["knowledge"])
        if self._search:
            self._first = kept["first"]
            self._search.restore(self._first, kept["places"])
        else:
            self._counts.restore(self._keys_to_watch(), kept["counts"])
        return self._knowledge.published_rule

    def _mistaken(self, x: Any, y: int) -> None:
        if (key := self._knowledge.key(x, y)) is not None:
            (self._search or self._counts).count(self._steps, key)

    @property
    def _due(self) -> int:
        return (self._search or self._counts).due

    def _hit(self) -> None:
        step = self._steps + 1
        if self._search:
            self._knowledge.locate(self._search.select(), step)
        # Some classes ask other keys from now on, so their old counts mean nothing.
        elif self._knowledge.confirm(self._counts.select(), step):
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
        self.search, self._missed = None, Fraction(0)
        if self.asked.places:
            self._missed = most / 4
            self.search = find_search(self.asked.places, budget.epsilon, horizon, self._missed)
            most -= self._missed
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

    @cached_property
    def event(self) -> Event:
        return InTurn(self.search, self.mechanism) if self.search else self.mechanism

    def _unfounded_hits(self, mechanism: ContinualConfirmation) -> Fraction:
        """The sum of all chances of hits without a record, times r2 to the power of the threshold."""
        each_step = Fraction(self.asked.watched * mechanism.horizon)
        return mean_of_skips(mechanism) * min(self.asked.spread * mechanism.tests, each_step)

    @property
    def doubt(self) -> float:
        """The probability that a key is confirmed without a record, or more; for realizable streams.

        For intervals also that the point that is found is not positive.
        """
        # The margin covers the rounding of the power.
        power = float(self.mechanism.shrink) ** self.mechanism.threshold
        unfounded = float(self._unfounded_hits(self.mechanism)) * power
        return (float(self._missed) + unfounded) * (1 + 1e-9)

    @property
    def unlikely(self) -> int:
        """The threshold of a key that no remaining hypothesis supports."""
        mechanism = self.mechanism
        return mechanism.threshold + least_power(1 / mechanism.shrink, Fraction(UNLIKELY))

    def stream(self, tape: Tape) -> ConfirmedStream:
        return ConfirmedStream(self, tape)

    def mistake_bound(self, beta: float) -> MistakeBound | None:
        """The least M that all waits together exceed with probability at most beta - doubt.

        None if beta <= `doubt`; then declare a smaller one.  docs/proofs/confirmation.md.
        """
        require_plan(0.5, beta)
        left = beta - self.doubt
        worst = self.mechanism.threshold + self.mechanism.last_rise
        if self.search:
            worst = max(worst, self.search.timer.threshold)
        if left <= 0 or worst > MOST_WAITED:
            return None
        touched = self.asked.max_epochs
        rare = left / (1000 * max(1, touched))
        waits = [(miss_bounds(self.mechanism, rare), touched)]
        if self.search:
            waits.append((miss_bounds(self.search.timer, rare), 1))
        mistakes = least_sum(waits, left)
        source = f"docs/proofs/confirmation.md, {self.asked.theorem}"
        return MistakeBound(mistakes, beta, source)


def has_long_grid(H: HypothesisClass[Any]) -> TypeGuard[Intervals]:
    """Whether these are all intervals of a grid that is too long for a table."""
    if isinstance(H, Intervals) and len(H.gaps) == 1 and H.core is None and H.zero:
        return H.domain.size > MOST_KEYS or H.size * H.domain.size > BY_ENDS
    return False


def key_scheme(H: HypothesisClass[Any], method: str) -> KeyScheme:
    """The keys of this class; raises `DeclarationError` if there are none."""
    if isinstance(H, Thresholds) and H.size:
        return Cuts(H)
    if has_long_grid(H):
        return Ends(H)
    declare = "thresholds or intervals on a grid, or a smaller finite class"
    return columns_of(H, method, MOST_KEYS, declare)


def find_search(places: int, epsilon: Fraction, horizon: int, doubt: Fraction) -> ContinualMedians:
    """The medians of the fewest records of which one is outside of them with probability ``doubt``.

    Half of it is for a median of too few records; docs/proofs/confirmation.md, Theorem 3.
    """
    found = list[tuple[float, int, ContinualMedians]]()
    for i in range(1, _SPLITS // 2 + 1):
        cell = epsilon * i / _SPLITS
        timer = ContinualConfirmation(
            skip_epsilon=epsilon - cell,
            test_epsilon=epsilon - cell,
            threshold=1,
            warm=horizon,
            keys=1,
            horizon=horizon,
        )
        one = ContinualMedians(timer=timer, cell_epsilon=cell, points=places)
        enough = least_power(1 / one.ratio, 2 * (places - 1) / doubt)
        early = least_power(1 / timer.shrink, 2 * horizon * mean_of_skips(timer) / doubt)
        timer = replace(timer, threshold=max(1, 2 * enough - 2 + early))
        found.append((_records(timer), i, replace(one, timer=timer)))
    return min(found)[2]


def mean_of_skips(mechanism: ContinualConfirmation) -> Fraction:
    """The mean of r2^-Z."""
    a = mechanism.skip
    return (1 - a) / (1 - a * mechanism.shrink)


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
