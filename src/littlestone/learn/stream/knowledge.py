"""What confirmed keys say about a class: what to publish and which keys to watch, all public."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable
from fractions import Fraction
from functools import cached_property, lru_cache
from typing import Any

import numpy as np
import numpy.ma
from numpy.typing import NDArray

from littlestone.classes.base import Enumerable, HypothesisClass
from littlestone.classes.promises.tabled import LISTED, TableClass
from littlestone.learn.base import unfit
from littlestone.points import Domain
from littlestone.privacy.mechanisms.streams.confirmation import Watch
from littlestone.rules import Hypothesis, function_of_labels

UNLIKELY = 16
"""A key that no remaining hypothesis supports is this many times less likely to hit by itself."""


class Knowledge(ABC):
    """The confirmed keys, the hypothesis that they publish, and the keys to watch; all public."""

    @property
    @abstractmethod
    def published_rule(self) -> Hypothesis[Any]:
        """The majority of the hypotheses that contradict the fewest confirmations."""

    @abstractmethod
    def key(self, x: Any, y: int) -> int | None:
        """The key that the mistake (x, y) names; None for no key."""

    @abstractmethod
    def confirm(self, keys: Iterable[int], step: int) -> bool:
        """Take confirmed keys, and watch anew from ``step`` on; whether all counts are forgotten."""

    @abstractmethod
    def keys_to_watch(self, threshold: int, more: int) -> dict[int, Watch]:
        """The keys to watch, each at ``threshold``, or ``more`` if no hypothesis left supports it."""


class KeyScheme(ABC):
    """What a class is asked: its keys, and how many of them a run may touch."""

    keys: int
    """The number of keys."""

    spread: Fraction
    """The most epochs of keys that may hit without a record, on a realizable stream."""

    watched: int
    """The most keys that are watched at a time."""

    theorem: str

    @property
    @abstractmethod
    def max_epochs(self) -> int:
        """The most epochs of keys that have records on a realizable stream, if each hit has one."""

    @abstractmethod
    def initial_knowledge(self) -> Knowledge:
        """Nothing is confirmed yet."""


MOST_ENTRIES = 1 << 26
"""The most hypotheses times points of a table; of one whose hypotheses are asked, `LISTED`."""

_WORK, _LEFT = 1 << 29, 1 << 6  # labels looked at for `max_epochs`; what may be left for one target


class Columns(KeyScheme):
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
        # Packed into bytes, rows of labels have the same order, and sorting them takes an eighth.
        packed = np.packbits(turned, axis=1)
        _, first, self.place = np.unique(packed, axis=0, return_index=True, return_inverse=True)
        self.table, self.place = turned[first], self.place.reshape(-1).astype(np.int64)
        if not self.table[0].any():  # the least row, of points of known label
            self.table, self.place = self.table[1:], self.place - 1
        columns = len(self.table)
        self.keys, self.watched = 2 * columns, columns
        self.spread = Fraction(columns) * (1 + Fraction(1, UNLIKELY))

    @cached_property
    def max_epochs(self) -> int:
        """The most points that one target may have mistaken, as far as that is found quickly.

        For each target, all that may be left of the class is listed: what agrees with the target on
        some of the points at which the majority of what may be left is wrong.
        """
        hypotheses, columns = self.table.shape[1], len(self.table)
        most, work = 0, 0
        for target in self.table.T:
            agree = self.table == target[:, None]
            wrong, done = np.zeros(columns, dtype=np.bool_), list[NDArray[np.bool_]]()
            found, waiting = set[bytes](), [np.ones(hypotheses, dtype=np.bool_)]
            while waiting:
                left = waiting.pop()
                if (name := np.packbits(left).tobytes()) in found:
                    continue
                work += self.table.size
                if len(found) == _LEFT or wrong.all() or work > _WORK:
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

    def column(self, x: Any) -> int | None:
        """The column of this point; None if its label is known."""
        column = int(self.place[self.domain.index(x)])
        return None if column < 0 else column

    def function(self, labels: NDArray[np.bool_]) -> Hypothesis[Any]:
        """The function with these labels of the columns."""
        # The place -1 of a point of known label is the label 0 at the end.
        found = np.append(labels, False)[self.place] ^ self.flipped
        return function_of_labels(self.domain, found.astype(int).tolist())

    def initial_knowledge(self) -> Points:
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
        # The majority of the least contradicted hypotheses; on a realizable stream these include
        # the true one, but for `doubt`.
        left = self._asked.table[:, self._against == self._against.min()]
        ones = left.sum(axis=1)
        self._labels = 2 * ones > left.shape[1]
        self._sure = (ones == 0) | (ones == left.shape[1])

    @property
    def published_rule(self) -> Hypothesis[Any]:
        return self._asked.function(self._labels)

    def key(self, x: Any, y: int) -> int | None:
        column = self._asked.column(x)
        i = self._asked.domain.index(x)
        return None if column is None else 2 * column + (y ^ int(self._asked.flipped[i]))

    def confirm(self, keys: Iterable[int], step: int) -> bool:
        for key in keys:
            column, y = divmod(key, 2)
            # One confirmation counts against every hypothesis that gives the column the other
            # label.
            self._against += self._asked.table[column] != y
            self._first[column] = step
        self._vote()
        return False

    def keys_to_watch(self, threshold: int, more: int) -> dict[int, Watch]:
        columns = zip(self._labels.tolist(), self._sure.tolist(), self._first, strict=True)
        return {
            2 * i + 1 - label: Watch(first, more if sure else threshold)
            for i, (label, sure, first) in enumerate(columns)
        }


def columns_of(H: HypothesisClass[Any], method: str, most_columns: int, declare: str) -> Columns:
    """The points of this class, at most ``most_columns``; else raises `DeclarationError`."""
    if isinstance(H, Enumerable) and H.size and H.domain.size:
        entries = H.size * H.domain.size
        most = MOST_ENTRIES if isinstance(H, TableClass) else LISTED
        if entries > most:
            found = f"its table has {entries:,} labels, more than {most:,}"
        elif len((columns := _columns(H)).table) <= most_columns:
            return columns
        else:
            number = len(columns.table)
            found = f"it has {number:,} different points, more than {most_columns:,}"
    else:
        found = "its hypotheses are not a finite list of functions on finitely many points"
    raise unfit(H, method, found=found, declare=declare, online=True)


@lru_cache(maxsize=8)
def _columns(H: Enumerable[Any]) -> Columns:
    return Columns(H)
