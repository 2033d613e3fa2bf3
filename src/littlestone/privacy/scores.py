"""What a class says of a sample: the errors of its hypotheses, or the elements that may be chosen."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import product
from math import prod
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np
from numpy.typing import NDArray

from littlestone.data.sample import Sample

if TYPE_CHECKING:
    from littlestone.rules import Hypothesis


@dataclass(frozen=True)
class ErrorRuns:
    """The errors of the items 0, 1, ..., size - 1, in runs of equal errors.

    Run r is ``lengths[r]`` consecutive items, each with ``errors[r]`` wrong labels on the sample.
    ``lengths`` is None if every run is one item, and an array only if its sum is below 2^63.  A billion
    thresholds between two data points are one run.  ``named`` says which item a number stands for; by
    default, an item is its number.
    """

    errors: NDArray[np.int64]
    lengths: Sequence[int] | NDArray[np.int64] | None = None
    named: Callable[[int], Any] | None = None

    @property
    def best(self) -> int:
        """The number of an item with the fewest errors."""
        run = int(self.errors.argmin())
        return run if self.lengths is None else total(self.lengths[:run])

    @property
    def least(self) -> int:
        """The fewest errors."""
        return int(self.errors.min())

    @property
    def count(self) -> int:
        """The number of items."""
        return len(self.errors) if self.lengths is None else total(self.lengths)

    def item(self, number: Any) -> Any:
        """The item that a number stands for."""
        return number if self.named is None else self.named(number)


@dataclass(frozen=True)
class ErrorSums:
    """Errors of the items (g, i, j, ...): those of item i of part 0 of group g, plus those of j, ....

    A part is an array of errors, `ErrorRuns`, or `ErrorSums` again.  A tree with the root g errs as
    often as its two halves together, so a billion trees are scored by some thousand arrays.  No group
    and no part is empty.  ``named`` says which item a tuple stands for; by default it holds the items
    of its parts.
    """

    groups: Groups
    named: Callable[[tuple[Any, ...]], Any] | None = None

    @property
    def best(self) -> tuple[Any, ...]:
        """The place of an item with the fewest errors."""
        least = list(map(sum, leasts_of(self.groups)))
        g = least.index(min(least))
        return g, *(scores_of(part).best for part in self.groups[g])

    @cached_property
    def least(self) -> int:
        """The fewest errors."""
        return min(map(sum, leasts_of(self.groups)))

    @cached_property
    def count(self) -> int:
        """The number of items."""
        return sum(map(prod, counts_of(self.groups)))

    def item(self, place: Any) -> Any:
        """The item that a place (g, i, j, ...) stands for."""
        if self.named is not None:
            return self.named(place)
        g, *places = place
        parts = map(scores_of, self.groups[g])
        return g, *(part.item(i) for part, i in zip(parts, places, strict=True))


def total(lengths: Sequence[int] | NDArray[np.int64]) -> int:
    """The sum of the lengths of runs."""
    return int(lengths.sum()) if isinstance(lengths, np.ndarray) else sum(lengths)


@dataclass(frozen=True)
class StumpPairs(Sequence[Sequence[NDArray[np.int64]]]):
    """The groups of `ErrorSums` for the trees of depth 2, scored by the counts of two conditions.

    ``both[y, b, c]`` examples have the label y and obey the conditions b and c, and ``totals[y]`` have
    the label y.  Group b has two parts: the stumps on the examples that obey b, and those on the
    others.  A stump (c, y, z) says y where c holds and z elsewhere.  Its number is (c L + y) L + z, for
    L labels.
    """

    both: Counts
    totals: Counts

    def __len__(self) -> int:
        return int(self.both.shape[1])

    def __getitem__(self, b: Any) -> Any:
        inside = self.both[:, b, None]
        return [
            stump_errors(*half)[0]
            for half in _halves(inside, self._single[:, None], self.totals, inside[:, :, [b]])
        ]

    @property
    def size(self) -> int:
        """The number of stumps in a part."""
        return len(self) * len(self.totals) ** 2

    @property
    def _single(self) -> Counts:
        """The examples [label, condition] on which the condition holds."""
        return np.diagonal(self.both, axis1=1, axis2=2)

    def errors(self, groups: NDArray[np.intp], shifts: Sequence[Counts]) -> Iterator[Counts]:
        """For each of the two halves, the errors [group, stump] plus the half's ``shifts`` [group].

        The stumps stand in some order.
        """
        single = self._single
        both, own = self.both[:, groups], single[:, groups, None]
        halves = _halves(both, single[:, None], self.totals, own)
        for (holds, fails), shift in zip(halves, shifts, strict=True):
            yes, no = holds.sum(axis=0) + shift[:, None] - holds, fails.sum(axis=0) - fails
            found = np.empty((len(groups), len(yes), len(no), len(self)), np.int64)
            for y, z in product(range(len(yes)), range(len(no))):
                np.add(yes[y], no[z], out=found[:, y, z])
            yield found.reshape(len(groups), -1)

    @cached_property
    def leasts(self) -> list[list[int]]:
        """For each group, the fewest errors of a stump in each half."""
        # The best label of a leaf is wrong on all examples there but those of the most frequent one.
        single, right = self._single, []
        step = max(1, _AT_ONCE // self.size)  # so that the halves stay in fast memory
        for first in range(0, len(self), step):
            some = slice(first, first + step)
            own = single[:, some, None]
            halves = _halves(self.both[:, some], single[:, None], self.totals, own)
            right.append([(i.max(axis=0) + o.max(axis=0)).max(axis=1) for i, o in halves])
        inside = single.sum(axis=0)
        examples = np.array([inside, self.totals.sum() - inside])
        found: list[list[int]] = (examples - np.concatenate(right, axis=1)).T.tolist()
        return found


_AT_ONCE = 1 << 18  # stumps


def _halves(
    both: Counts, single: Counts, totals: Counts, own: Counts
) -> list[tuple[Counts, Counts]]:
    """For the examples that obey a condition b and the others: where c holds, and where it does not.

    ``own`` are the examples that obey b itself; arrays are [label, b, c].
    """
    rest = single - both
    return [(both, own - both), (rest, totals[:, None, None] - own - rest)]


def stump_errors(holds: Counts, fails: Counts) -> Counts:
    """The errors [group, (condition, label, label)] of stumps.

    ``holds`` and ``fails`` are the counts [label, group, condition] where the condition holds and
    where it does not.
    """
    yes, no = holds.sum(axis=0) - holds, fails.sum(axis=0) - fails  # errors of each leaf's label
    both: Counts = np.moveaxis(yes, 0, -1)[..., :, None] + np.moveaxis(no, 0, -1)[..., None, :]
    return both.reshape(both.shape[0], -1)


Counts = NDArray[np.int64]
Scores = ErrorRuns | ErrorSums
Part = NDArray[np.int64] | Scores
Groups = Sequence[Sequence[Part]]


def leasts_of(groups: Groups) -> Sequence[Sequence[int]]:
    """For each group, the fewest errors of each part."""
    if isinstance(groups, StumpPairs):
        return groups.leasts
    return [[scores_of(part).least for part in parts] for parts in groups]


def counts_of(groups: Groups) -> Sequence[Sequence[int]]:
    """For each group, the number of items of each part."""
    if isinstance(groups, StumpPairs):
        return [[groups.size] * 2] * len(groups)
    return [[scores_of(part).count for part in parts] for parts in groups]


def scores_of(part: Part) -> Scores:
    """A part of `ErrorSums` as scores: an array of errors has one item for each."""
    return ErrorRuns(part) if isinstance(part, np.ndarray) else part


def either(parts: Sequence[Scores]) -> ErrorSums:
    """The items of one part or another."""
    return ErrorSums([[part] for part in parts], lambda place: parts[place[0]].item(place[1]))


@dataclass(frozen=True)
class Elements:
    """The elements that cover a positive example of a sample, numbered from 0, in runs.

    The ``lengths[r]`` elements of run r, which follow those of run r - 1, each cover ``positives[r]``
    >= 1 positive and ``negatives[r]`` negative examples; None if each run is one element.
    ``element(i)`` is the indicator of element i, and covers the points ``sample.points[j]`` of the j in
    ``covered(i)``.
    """

    positives: NDArray[np.int64]
    negatives: NDArray[np.int64]
    element: Callable[[int], Hypothesis[Any]]
    covered: Callable[[int], NDArray[np.int64]]
    lengths: NDArray[np.int64] | None = None

    @property
    def number_of_elements(self) -> int:
        """The number of elements."""
        return len(self.positives) if self.lengths is None else int(self.lengths.sum())

    def first_of(self, run: int) -> int:
        """The number of the first element of a run."""
        return run if self.lengths is None else int(self.lengths[:run].sum())

    def of_each(self, numbers: NDArray[np.int64]) -> list[int]:
        """What the runs have, for each element."""
        return list(
            (numbers if self.lengths is None else np.repeat(numbers, self.lengths)).tolist()
        )

    def left(self, sample: Sample[Any], i: int) -> Sample[Any]:
        """The examples that element i does not cover."""
        kept = np.ones(len(sample.points), dtype=bool)
        kept[self.covered(i)] = False
        return sample.keep_where(kept)


class Rules(Protocol):
    """A declared class of rules, of which a payment says the name."""

    @property
    def labels(self) -> int:
        """The number k + 1 of labels."""

    def __str__(self) -> str:
        """The class in words."""


class Scorable(Rules, Protocol):
    """A class whose rules are scored by their errors; `classes.ScoredClass` keeps these promises.

    Every rule that ``sample`` does not determine is declared.  If a record is replaced, the errors of
    every item move by at most 1, and the items stay the same: Theorem 1 of
    docs/proofs/exponential-mechanism.md rests on it.  Neither method fails, whatever the sample is.
    """

    def scores(self, sample: Sample[Any], /) -> Scores:
        """The number of examples of ``sample`` that each item labels wrongly."""

    def hypothesis_of_item(self, item: Any, /) -> Hypothesis[Any]:
        """The rule of an item of `scores`."""


class Coverable(Protocol):
    """Unions of elements, few of which cover a point; `Covering` and `Named` keep these promises.

    A record is covered by at most ``elements_per_point`` elements, a set that the record alone
    determines: Theorem 1 of docs/proofs/choosing.md rests on it.  No method fails, whatever the sample.
    """

    @property
    def elements_per_point(self) -> int:
        """The most elements that cover one point."""

    @property
    def everything(self) -> Hypothesis[Any] | None:
        """The constant 1, if it is not an element; None if it is one."""

    def elements(self, sample: Sample[Any], /) -> Elements:
        """All elements that cover a positive example."""

    def union(self, elements: Iterable[Hypothesis[Any]], /) -> Hypothesis[Any]:
        """The function that is 1 wherever one of the ``elements`` is; without elements, constant 0."""
