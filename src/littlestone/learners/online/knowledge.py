"""What confirmed keys say of a class, and what is published and watched for it; all of it is public."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable
from fractions import Fraction
from functools import cached_property, lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from littlestone.classes.base import Enumerable, HypothesisClass
from littlestone.classes.tabled import Tabled
from littlestone.classes.thresholds import Thresholds
from littlestone.domains import Domain
from littlestone.hypotheses import Hypothesis, function_of_labels
from littlestone.learners.base import unfit
from littlestone.privacy.mechanisms.streams.confirmation import Watch

MOST_ENTRIES = 1 << 20
"""The most hypotheses times points of a table."""

MOST_ASKED = 1 << 17
"""The same for a class whose hypotheses are asked one by one."""

MOST_KEYS = 1 << 9
"""The most points, counted as `Columns` does: each draws at the beginning of a run."""

UNLIKELY = 16
"""A key that no hypothesis left speaks for is so much less likely to hit by itself."""

_WORK, _LEFT = 1 << 28, 1 << 6  # labels looked at for `touched`; what may be left for one target


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
        if not self.table[0].any():  # the least row, of points of known label
            self.table, self.place = self.table[1:], self.place - 1
        columns = len(self.table)
        self.keys = 2 * columns
        self.spread = Fraction(columns) * (1 + Fraction(1, UNLIKELY))

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
        self.spread = 2 * self.touched + Fraction(2, UNLIKELY)

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
