"""What confirmed keys say about a class: what to publish and which keys to watch, all public.

The keys of thresholds and intervals say on which side of what is published an end lies.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from fractions import Fraction
from functools import cached_property, lru_cache
from typing import Any

import numpy as np
import numpy.ma
from numpy.typing import NDArray

from littlestone.classes.base import Enumerable, HypothesisClass
from littlestone.classes.intervals import Intervals
from littlestone.classes.promises.tabled import LISTED, TableClass
from littlestone.classes.thresholds import Thresholds
from littlestone.learn.base import unfit
from littlestone.points import Domain
from littlestone.privacy.mechanisms.confirmation import Watch
from littlestone.rules import Hypothesis, StepFunction, function_of_labels

UNLIKELY = 16
"""A key that no remaining hypothesis supports is this many times less likely to hit by itself."""


class Knowledge(ABC):
    """The confirmed keys, the hypothesis that they publish, and the keys to watch; all public."""

    searching = False
    """Whether a mistake names a place among which one is looked for, and no key is watched."""

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

    def locate(self, place: int, step: int) -> None:
        """Take the place that was looked for, and watch keys from ``step`` on."""
        raise NotImplementedError

    @abstractmethod
    def to_json(self) -> dict[str, Any]:
        """All that was learned, as plain JSON values."""

    @abstractmethod
    def restore(self, kept: Mapping[str, Any]) -> None:
        """Know what `to_json` gave, and nothing else."""

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

    places = 0
    """The number of places among which one is looked for first; 0 if keys are enough."""

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
        self._times = Counter[int]()  # that each key was confirmed
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
            self._take(key, 1)
            self._first[key // 2] = step
        self._vote()
        return False

    def _take(self, key: int, times: int) -> None:
        """A confirmation counts against all hypotheses that give the column the other label."""
        column, y = divmod(key, 2)
        self._against += times * (self._asked.table[column] != y)
        self._times[key] += times

    def to_json(self) -> dict[str, Any]:
        return {"times": list(self._times.items()), "first": self._first}

    def restore(self, kept: Mapping[str, Any]) -> None:
        for key, times in kept["times"]:
            self._take(key, times)
        self._first = list(kept["first"])
        self._vote()

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


class Cuts(KeyScheme):
    """Keys are the two sides of the published threshold."""

    theorem = "Theorem 5"

    def __init__(self, hypotheses: Thresholds) -> None:
        self.hypotheses = hypotheses
        self.keys = self.watched = 2 if self.max_epochs else 0
        self.spread = 2 * self.max_epochs + Fraction(2, UNLIKELY)

    @property
    def max_epochs(self) -> int:
        return max(0, (self.hypotheses.size or 0).bit_length() - 1)

    def initial_knowledge(self) -> Sides:
        return Sides(self.hypotheses)


def add_around(
    runs: Iterable[Sequence[int]], cut: int, smaller: int, here: int, larger: int
) -> list[list[int]]:
    """Runs [end, number] of cuts, after adding to smaller cuts than ``cut``, to it, and to larger ones.

    >>> add_around([[4, 0], [9, 5]], 2, 1, 0, 1)
    [[2, 1], [3, 0], [4, 1], [9, 6]]
    """
    found, start = list[list[int]](), 0
    for end, number in runs:
        for stop, more in ((cut, smaller), (cut + 1, here), (end, larger)):
            if (stop := min(stop, end)) <= start:
                continue
            if found and found[-1][1] == number + more:
                found[-1][0] = stop
            else:
                found.append([stop, number + more])
            start = stop
    return found


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
        # The median of the cuts that are left: half of them contradict whatever is confirmed next.
        rank = self._below
        for start, end in spans:
            if rank < end - start:
                self._index = start + rank
                return
            rank -= end - start

    @property
    def published_rule(self) -> Hypothesis[Any]:
        return self._hypotheses.hypothesis(self._index)

    def key(self, x: Any, y: int) -> int | None:
        return 1 - y

    def confirm(self, keys: Iterable[int], step: int) -> bool:
        told = set(keys)
        # The published threshold is against both keys, and so are all cuts on the other side of one.
        self._runs = add_around(self._runs, self._index, 1 in told, len(told), 0 in told)
        self._first = step
        self._vote()
        return True

    def to_json(self) -> dict[str, Any]:
        return {"runs": self._runs, "first": self._first}

    def restore(self, kept: Mapping[str, Any]) -> None:
        self._runs, self._first = kept["runs"], kept["first"]
        self._vote()

    def keys_to_watch(self, threshold: int, more: int) -> dict[int, Watch]:
        likely = {0: self._below, 1: self._above}
        return {key: Watch(self._first, threshold if n else more) for key, n in likely.items()}


class Ends(KeyScheme):
    """Places are those of the grid, and then keys are the two sides of each published end."""

    theorem = "Theorem 6"

    def __init__(self, hypotheses: Intervals) -> None:
        self.domain = hypotheses.domain
        ((self.low, self.high),) = hypotheses.gaps
        self.places = self.high - self.low + 1
        self.keys = self.watched = 4
        # Four keys after each confirmation, of which there is one for each key touched at most.
        self.spread = Fraction(4 * (self.max_epochs + 1))

    @property
    def max_epochs(self) -> int:
        return ((self.places + 1) ** 2 // 4).bit_length() - 1

    def initial_knowledge(self) -> Reach:
        return Reach(self)


class Reach(Knowledge):
    """The knowledge of intervals.

    First a positive point is looked for, and the constant 0 is published.  Then an interval around
    that point is published.  Keys 0 and 1 confirm a lower and a higher first point, keys 2 and 3 a
    lower and a higher last one.

    Two of the keys get new names when what they say changes: key k is 4 times their generation plus k.
    If confirmations leave nothing, all begins anew.
    """

    def __init__(self, asked: Ends) -> None:
        self._asked = asked
        self._ages = [0, 0]  # the generations of keys 0 and 1, and of keys 2 and 3
        self._first, self.searching = 1, True

    @property
    def _ends(self) -> tuple[int, int]:
        """The middles of the first and last points that are left."""
        first, last = (low + (high - low + 1) // 2 for low, high in self._left)
        return first, last

    @property
    def published_rule(self) -> Hypothesis[Any]:
        if self.searching:
            return StepFunction(self._asked.domain, 0, ())
        first, last = self._ends
        return StepFunction(self._asked.domain, 0, (first, last + 1))

    def key(self, x: Any, y: int) -> int | None:
        if self.searching:
            return int(x - self._asked.low)
        if x == self._point:
            return None
        return self._name((1 - y) if x < self._point else 2 + y)

    def _name(self, kind: int) -> int:
        return 4 * self._ages[kind // 2] + kind

    def locate(self, place: int, step: int) -> None:
        self.searching, self._first = False, step
        self._point = self._asked.low + place
        self._left = [(self._asked.low, self._point), (self._point, self._asked.high)]

    def confirm(self, keys: Iterable[int], step: int) -> bool:
        kinds = {key % 4 for key in keys}
        self._first = step
        for pair, middle in enumerate(self._ends):
            low, high = self._left[pair]
            if 2 * pair in kinds:
                high = middle - 1
            if 2 * pair + 1 in kinds:
                low = middle + 1
            # Contradicting confirmations, which a realizable stream brings with probability `doubt`
            # at most.
            self.searching |= low > high
            if (low, high) != self._left[pair]:
                self._left[pair] = low, high
                self._ages[pair] += 1
        return self.searching

    def to_json(self) -> dict[str, Any]:
        found = {} if self.searching else {"point": self._point, "left": self._left}
        return {"ages": self._ages, "first": self._first, **found}

    def restore(self, kept: Mapping[str, Any]) -> None:
        self._ages, self._first = kept["ages"], kept["first"]
        self.searching = "point" not in kept
        if not self.searching:
            self._point, self._left = kept["point"], [(low, high) for low, high in kept["left"]]

    def keys_to_watch(self, threshold: int, more: int) -> dict[int, Watch]:
        pairs = zip(self._left, self._ends, strict=True)
        likely = [side for (low, high), end in pairs for side in (low < end, end < high)]
        return {
            self._name(kind): Watch(self._first, threshold if yes else more)
            for kind, yes in enumerate(likely)
        }
