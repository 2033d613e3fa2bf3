"""The online learner for finite classes that holds against an adversary who sees what is published."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Iterable
from dataclasses import replace
from fractions import Fraction
from functools import cached_property, lru_cache
from itertools import accumulate
from typing import Any

import numpy as np
from numpy.typing import NDArray

from littlestone.classes.base import Enumerable, HypothesisClass
from littlestone.classes.tabled import Tabled
from littlestone.classes.thresholds import Thresholds
from littlestone.domains import Domain
from littlestone.hypotheses import Hypothesis, function_of_labels
from littlestone.learners.base import require_plan, unfit
from littlestone.learners.online.base import MistakeBound, PrivateOnlineLearner, PrivateStream
from littlestone.learners.online.waiting import least_total
from littlestone.privacy.budget import Budget
from littlestone.privacy.mechanisms.lists.sparse_selection import least_power
from littlestone.privacy.mechanisms.streams.confirmation import (
    Confirmations,
    ContinualConfirmation,
    Watch,
)
from littlestone.privacy.tape import Tape

MOST_ENTRIES = 1 << 20
"""The most hypotheses times points of a table."""

MOST_ASKED = 1 << 17
"""The same for a class whose hypotheses are asked one by one."""

MOST_KEYS = 1 << 9
"""The most points, counted as `Columns` does: each draws at the beginning of a run."""

MOST_WAITED = 20_000
"""The most records of a key for which a bound is worked out."""

_UNLIKELY = 16  # a key that no hypothesis left speaks for is so much less likely to hit by itself
_SPLITS = 32
_WORK, _LEFT = 1 << 28, 1 << 6  # labels looked at for `touched`; what may be left for one target
_WARM = 64  # calibrated


class Knowledge(ABC):
    """What was confirmed so far, what is published for it, and what is watched next; all public."""

    @property
    @abstractmethod
    def published(self) -> Hypothesis[Any]:
        """The majority of the hypotheses that contradict the fewest confirmations."""

    @abstractmethod
    def key(self, x: Any, y: int) -> int | None:
        """The key that the mistake (x, y) names; None for no key."""

    @abstractmethod
    def confirm(self, keys: Iterable[int], step: int) -> bool:
        """Take confirmed keys, and watch anew from ``step`` on; whether all counts are forgotten."""

    @abstractmethod
    def watched(self, threshold: int, more: int) -> dict[int, Watch]:
        """The keys to watch, each at ``threshold``, or ``more`` if no hypothesis left speaks for it."""


class Asked(ABC):
    """What a class is asked: its keys, and how many of them a run may touch."""

    keys: int
    """The number of keys."""

    spread: Fraction
    """The most epochs of keys that may hit without a record, on a realizable stream."""

    theorem: str

    @property
    @abstractmethod
    def touched(self) -> int:
        """The most epochs of keys that have records on a realizable stream, if each hit has one."""

    @abstractmethod
    def begin(self) -> Knowledge:
        """Nothing is confirmed yet."""


class Columns(Asked):
    """Keys are points with labels; points of equal or opposite labels in all hypotheses are one.

    ``place[i]`` is the column of point i, or -1 if its label is known, and ``flipped[i]`` says whether
    its label is the opposite one.
    """

    theorem = "Theorem 4"

    def __init__(self, hypotheses: Enumerable[Any]) -> None:
        self.domain: Domain[Any] = hypotheses.domain
        rows = np.asarray(hypotheses.table(), dtype=np.bool_)
        self.flipped = rows[0].copy()
        turned = (rows ^ self.flipped).T  # the first hypothesis is 0 everywhere
        self.table, self.place = np.unique(turned, axis=0, return_inverse=True)
        self.place = self.place.reshape(-1).astype(np.int64)
        if len(self.table) and not self.table[0].any():  # the least row, of points of known label
            self.table, self.place = self.table[1:], self.place - 1
        columns = len(self.table)
        self.keys = 2 * columns
        self.spread = Fraction(columns) * (1 + Fraction(1, _UNLIKELY))

    @cached_property
    def touched(self) -> int:
        """The most points that one target may have mistaken, as far as that is found quickly.

        For each target, all that may be left of the class is listed: what agrees with the target on
        some of the points at which the majority of what may be left is wrong.
        """
        hypotheses, columns = self.table.shape[1], len(self.table)
        if 4 * hypotheses * self.table.size > _WORK:
            return columns
        most = 0
        for target in self.table.T:
            agree = self.table == target[:, None]
            wrong, done = np.zeros(columns, dtype=np.bool_), list[NDArray[np.bool_]]()
            found, waiting = set[bytes](), [np.ones(hypotheses, dtype=np.bool_)]
            while waiting:
                left = waiting.pop()
                if (name := np.packbits(left).tobytes()) in found:
                    continue
                if len(found) == _LEFT or wrong.all():
                    return columns
                found.add(name)
                done.append(left)
                waiting += [left & agree[j] for j in np.flatnonzero(wrong)]
                ones = self.table[:, left].sum(axis=1)
                for j in np.flatnonzero(((2 * ones > left.sum()) != target) & ~wrong):
                    wrong[j] = True
                    waiting += [other & agree[j] for other in done]
            most = max(most, int(wrong.sum()))
        return most

    def begin(self) -> Points:
        return Points(self)


class Points(Knowledge):
    """The knowledge of a class whose keys are points: key 2 i + y confirms label y of column i."""

    def __init__(self, asked: Columns) -> None:
        self._asked = asked
        columns, hypotheses = asked.table.shape
        self._against = np.zeros(hypotheses, dtype=np.int64)  # confirmations that it contradicts
        self._first = [1] * columns
        self._vote()

    def _vote(self) -> None:
        left = self._asked.table[:, self._against == self._against.min()]
        ones = left.sum(axis=1)
        self._labels = 2 * ones > left.shape[1]
        self._sure = (ones == 0) | (ones == left.shape[1])

    @property
    def published(self) -> Hypothesis[Any]:
        # The place -1 of a point of known label is the label 0 at the end.
        labels = np.append(self._labels, False)[self._asked.place] ^ self._asked.flipped
        return function_of_labels(self._asked.domain, labels.astype(int).tolist())

    def key(self, x: Any, y: int) -> int | None:
        i = self._asked.domain.index(x)
        column = int(self._asked.place[i])
        return None if column < 0 else 2 * column + (y ^ int(self._asked.flipped[i]))

    def confirm(self, keys: Iterable[int], step: int) -> bool:
        for key in keys:
            column, y = divmod(key, 2)
            self._against += self._asked.table[column] != y
            self._first[column] = step
        self._vote()
        return False

    def watched(self, threshold: int, more: int) -> dict[int, Watch]:
        columns = zip(self._labels.tolist(), self._sure.tolist(), self._first, strict=True)
        return {
            2 * i + 1 - label: Watch(first, more if sure else threshold)
            for i, (label, sure, first) in enumerate(columns)
        }


class Cuts(Asked):
    """Keys are the two sides of the published threshold."""

    theorem = "Theorem 5"

    def __init__(self, hypotheses: Thresholds) -> None:
        self.hypotheses = hypotheses
        self.keys = 2 if self.touched else 0
        self.spread = 2 * self.touched + Fraction(2, _UNLIKELY)

    @property
    def touched(self) -> int:
        return max(0, (self.hypotheses.size or 0).bit_length() - 1)

    def begin(self) -> Sides:
        return Sides(self.hypotheses)


class Sides(Knowledge):
    """The knowledge of thresholds: key 1 confirms a larger cut than the published one, key 0 a smaller.

    Runs of cuts that contradict equally many confirmations are kept as [end, number].
    """

    def __init__(self, hypotheses: Thresholds) -> None:
        self._hypotheses = hypotheses
        self._runs: list[list[int]] = [[hypotheses.size or 0, 0]]
        self._first = 1
        self._vote()

    def _vote(self) -> None:
        fewest, start = min(against for _, against in self._runs), 0
        spans = []
        for end, against in self._runs:
            if against == fewest:
                spans.append((start, end))
            start = end
        left = sum(end - start for start, end in spans)
        self._below, self._above = left // 2, left - 1 - left // 2
        rank = self._below
        for start, end in spans:
            if rank < end - start:
                self._index = start + rank
                return
            rank -= end - start

    @property
    def published(self) -> Hypothesis[Any]:
        return self._hypotheses.hypothesis(self._index)

    def key(self, x: Any, y: int) -> int | None:
        return 1 - y

    def confirm(self, keys: Iterable[int], step: int) -> bool:
        index = self._index
        for key in keys:
            # The published threshold is against both, and so are all cuts on the other side.
            start = 0
            runs: list[list[int]] = []
            for end, against in self._runs:
                cut = min(max(index + key, start), end)
                for stop, wrong in ((cut, key == 1), (end, key == 0)):
                    if stop > start:
                        number = against + wrong
                        if runs and runs[-1][1] == number:
                            runs[-1][0] = stop
                        else:
                            runs.append([stop, number])
                        start = stop
            self._runs = runs
        self._first = step
        self._vote()
        return True

    def watched(self, threshold: int, more: int) -> dict[int, Watch]:
        likely = {0: self._below, 1: self._above}
        return {key: Watch(self._first, threshold if n else more) for key, n in likely.items()}


class ConfirmedStream(PrivateStream[Any]):
    """A run of `ConfirmedLearner`; only its counts depend on more than what was published."""

    def __init__(self, learner: ConfirmedLearner, tape: Tape) -> None:
        self._knowledge = learner.asked.begin()
        super().__init__(self._knowledge.published, learner.horizon, tape)
        self._learner = learner
        self._counts: Confirmations[int] = learner.mechanism.confirmations(tape)

    def _begin(self) -> None:
        self._watch(1)

    def _watch(self, step: int) -> None:
        learner = self._learner
        if learner.asked.keys:
            watched = self._knowledge.watched(learner.mechanism.threshold, learner.unlikely)
            self._counts.watch(step, watched)

    def _mistaken(self, x: Any, y: int) -> None:
        if (key := self._knowledge.key(x, y)) is not None:
            self._counts.count(self._steps, key)

    @property
    def _due(self) -> int:
        return self._counts.due

    def _hit(self) -> None:
        confirmed, step = self._counts.select(), self._steps + 1
        if self._knowledge.confirm(confirmed, step):
            self._counts.forget()
        self._publish(self._knowledge.published)
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

    Takes thresholds on any grid, and classes of at most 2^20 labels in a table of at most 512
    different points.  Time: 0.5 ms a
    mistake, and a pass over the table for each confirmation.  Raises `DeclarationError` for other
    classes.

    >>> learner = ConfirmedLearner(Thresholds.on(0, 1022), Budget(1), horizon=200_000)
    >>> print(learner.cost())
    epsilon 1, delta 0 (replace-one)
    >>> learner.mistake_bound(0.05).mistakes
    326
    """

    method = "confirmed"

    def __init__(
        self,
        hypotheses: HypothesisClass[Any],
        budget: Budget,
        *,
        horizon: int,
        doubt: object = Fraction(1, 25),
        warm: int = _WARM,
    ) -> None:
        super().__init__(hypotheses, horizon)
        self.asked = asked_of(hypotheses, self.method)
        most = Fraction(str(doubt))
        require_plan(0.5, float(most))
        total, found = budget.epsilon, list[tuple[float, int, ContinualConfirmation]]()
        for i in range(1, _SPLITS):
            one = ContinualConfirmation(
                skip_epsilon=total * i / _SPLITS,
                test_epsilon=total * (_SPLITS - i) / _SPLITS,
                threshold=1,
                warm=warm,
                keys=max(1, self.asked.keys),
                horizon=horizon,
            )
            # The least threshold for which there is no more doubt.
            least = least_power(1 / one.shrink, self._unfounded(one) / most)
            mechanism = replace(one, threshold=max(1, least))
            # Each split is private, so a float may choose.
            found.append((_records(mechanism), i, mechanism))
        _, _, self.mechanism = min(found)

    def _unfounded(self, mechanism: ContinualConfirmation) -> Fraction:
        """The sum of all chances of hits without a record, times r2 to the power of the threshold."""
        a, s = mechanism.skip, mechanism.shrink
        mean = (1 - a) / (1 - a * s)  # of r2^-Z
        return self.asked.spread * mean * mechanism.tests

    @property
    def doubt(self) -> float:
        """The probability that a key is confirmed without a record, or more; for realizable streams."""
        # The margin covers the rounding of the power.
        power = float(self.mechanism.shrink) ** self.mechanism.threshold
        return float(self._unfounded(self.mechanism)) * power * (1 + 1e-9)

    @property
    def unlikely(self) -> int:
        """The threshold of a key that no hypothesis left speaks for."""
        mechanism = self.mechanism
        return mechanism.threshold + least_power(1 / mechanism.shrink, Fraction(_UNLIKELY))

    @property
    def event(self) -> ContinualConfirmation:
        return self.mechanism

    def stream(self, tape: Tape) -> ConfirmedStream:
        return ConfirmedStream(self, tape)

    def measured_mistakes(self) -> int | None:
        return None

    def mistake_bound(self, beta: float) -> MistakeBound | None:
        """The least M that so many independent waits exceed with probability beta - doubt.

        None if beta <= `doubt`; then declare a smaller one.  docs/proofs/confirmation.md.
        """
        require_plan(0.5, beta)
        left = beta - self.doubt
        worst = self.mechanism.threshold + self.mechanism.last_rise
        if left <= 0 or worst > MOST_WAITED:
            return None
        touched = self.asked.touched
        waits = missed(self.mechanism, left / (1000 * max(1, touched)))
        mistakes = least_total(waits, touched, left)
        source = f"docs/proofs/confirmation.md, {self.asked.theorem}"
        return MistakeBound(mistakes, beta, True, source)


def asked_of(H: HypothesisClass[Any], method: str) -> Asked:
    """The keys of this class; raises `DeclarationError` if there are none."""
    if isinstance(H, Thresholds) and H.size:
        return Cuts(H)
    if isinstance(H, Enumerable) and H.size and H.domain.size:
        entries = H.size * H.domain.size
        most = MOST_ENTRIES if isinstance(H, Tabled) else MOST_ASKED
        if entries > most:
            found = f"its table has {entries:,} labels, more than {most:,}"
        elif len((columns := _columns(H)).table) <= MOST_KEYS:
            return columns
        else:
            found = f"it has {len(columns.table):,} different points, more than {MOST_KEYS:,}"
    else:
        found = "its hypotheses are no finite list of functions on finitely many points"
    raise unfit(
        H,
        method,
        found=found,
        declare="thresholds on a grid, or a smaller finite class",
        online=True,
    )


@lru_cache(maxsize=8)
def _columns(H: Enumerable[Any]) -> Columns:
    return Columns(H)


def missed(mechanism: ContinualConfirmation, rare: float = 1e-9) -> NDArray[np.float64]:
    """S(m), m = 0, 1, ...: bound Pr[a key that has m records has not hit yet], whatever its age.

    Down to ``rare`` or less.

    S(m) = S(m - 1) / r1 + (1 - 1 / r1) (1 - q(1)) ... (1 - q(m)), for the largest rise.
    """
    a, s = float(mechanism.skip), float(mechanism.shrink)
    worst = mechanism.threshold + mechanism.last_rise
    quiet = np.cumprod(1 - s ** (worst - np.arange(1.0, worst + 1)))
    tail = math.ceil(math.log(min(rare, 1e-9)) / math.log(a))
    still = np.concatenate([(1 - a) * quiet, np.zeros(tail)])
    return np.fromiter(accumulate(still, lambda old, new: a * old + new, initial=1.0), float)


def _records(mechanism: ContinualConfirmation) -> float:
    worst = mechanism.threshold + mechanism.last_rise
    if worst > MOST_WAITED:
        return float(worst)
    return float(missed(mechanism).sum())
