"""How stable a learner of a tiny class can be: global stability, as a linear program for each grouping.

A learner is stable if some rule of few errors is its likely output (BLM20, Definition 4).  Which rule
that is may differ from hypothesis to hypothesis; those that share one are a group.  For a grouping the
best learner is a linear program, with or without privacy, and `best` proves its value.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from littlestone.privacy.cost import Budget
from littlestone.theory.optimum.program import best
from littlestone.theory.optimum.tasks import Task, Trial

Groups = tuple[frozenset[int], ...]


class FreeTask(Task):
    """A task without privacy: no two samples are neighbours."""

    @cached_property
    def pairs(self) -> NDArray[np.int64]:
        """No pairs."""
        return np.zeros((0, 2), np.int64)


@dataclass(frozen=True)
class Stability:
    """The largest eta of an (n, eta)-globally stable learner lies between ``least`` and ``most``.

    ``groups`` are the hypotheses that share a rule in the best learner that was found.
    """

    least: Fraction
    most: Fraction
    groups: Groups

    def __str__(self) -> str:
        low, high = float(self.least), float(self.most)
        return f"{low:.6f}" if high - low < 1e-6 else f"between {low:.6f} and {high:.6f}"


def most_stability(
    rows: Sequence[int], points: int, n: int, wrong: int, budget: Budget | None = None
) -> Stability:
    """The best eta with which a learner from n records outputs one rule of at most ``wrong`` errors.

    For each of the hypotheses ``rows`` all points are equally likely, and some rule f with at most
    ``wrong`` wrong points has Pr[A(S) = f] >= eta.  ``budget`` None asks of all learners, otherwise of
    private ones.  Raises `DeclarationError` and `TooLargeError` as `best` does.

    >>> print(most_stability((0, 1), 1, n=1, wrong=0), most_stability((0, 4, 6, 7), 3, n=1, wrong=1))
    1.000000 0.666667
    """
    made = Task if budget else FreeTask
    solved = [
        (groups, best(grouped_task(made, rows, points, n, groups), budget or Budget(1)))
        for groups in groupings(rows, points, wrong)
    ]
    groups, found = max(solved, key=lambda pair: pair[1].least)
    return Stability(found.least, max(one.most for _, one in solved), groups)


def grouped_task(
    made: type[Task], rows: Sequence[int], points: int, n: int, groups: Groups
) -> Task:
    """Name the group of the hypothesis; a learner needs no rule of no group.

    >>> task = grouped_task(FreeTask, (0, 1), 1, 2, (frozenset([0]), frozenset([1])))
    >>> len(task.samples), len(task.pairs), task.rules
    (3, 0, (0, 1))
    """
    named = [
        Trial(one.chances, frozenset(i for i, group in enumerate(groups) if row in group))
        for row, one in zip(rows, Task.uniform(rows, points, n, 0).trials, strict=True)
    ]
    return made(points, n, tuple(named), tuple(range(len(groups))))


def groupings(rows: Sequence[int], points: int, wrong: int) -> Iterator[Groups]:
    """The ways to put hypotheses into groups that may share a rule, none of which can be joined.

    >>> [sorted(map(sorted, groups)) for groups in groupings((0, 4, 6, 7), 3, 1)]
    [[[0, 4, 6], [7]], [[0, 4], [6, 7]], [[0, 6], [4, 7]], [[0], [4, 6, 7]]]
    """

    def fits(group: frozenset[int]) -> bool:
        return any(all((f ^ row).bit_count() <= wrong for row in group) for f in range(1 << points))

    def place(left: Sequence[int], groups: Groups) -> Iterator[Groups]:
        if not left:
            joined = (a | b for i, a in enumerate(groups) for b in groups[:i])
            # Who outputs one rule for two groups does as well as with two.
            if not any(map(fits, joined)):
                yield groups
            return
        row, *rest = left
        for i, group in enumerate(groups):
            if fits(group | {row}):
                yield from place(rest, (*groups[:i], group | {row}, *groups[i + 1 :]))
        yield from place(rest, (*groups, frozenset([row])))

    return place(rows, ())
