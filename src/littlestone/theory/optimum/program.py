"""The best private learner by a linear program, with symmetries; its answers are checked exactly."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property
from itertools import permutations, product
from typing import Any

import numpy as np
from numpy.typing import NDArray

from littlestone.base.discovery import require_package
from littlestone.base.errors import DeclarationError, TooLargeError
from littlestone.privacy.cost import Budget
from littlestone.theory.optimum.tasks import Records, Task, Trial, Whole, most_success, success_of

Places = NDArray[np.int64]

_ALL_ORDERS = 5  # points; for more, the order and its reverse are tried
_SCALE = 1 << 60
MOST_WORK = 300_000
"""A quarter of a minute: one for each pair of neighbours and each rule, 3 if there is a delta."""

_EPSILONS = Fraction(1, 100), Fraction(10)


@dataclass(frozen=True)
class Optimum:
    """The success of the best private learner lies between ``least`` and ``most``: both are proved.

    The ``law`` of a learner reaches ``least``; ``trials`` and ``weights`` show ``most``.
    """

    task: Task
    budget: Budget
    least: Fraction
    most: Fraction
    law: Whole = field(repr=False)
    trials: Whole = field(repr=False)
    weights: Whole = field(repr=False)

    def __str__(self) -> str:
        """Both bounds, rounded to 8 digits, down and up.

        >>> print(best(Task.uniform((0, 1), 1, n=2, wrong=0), Budget(1)))
        between 0.81606027 and 0.81606028
        """
        low, high = self.bounds
        return f"between {low:.8f} and {high:.8f}"

    @property
    def bounds(self) -> tuple[float, float]:
        """``least`` and ``most`` to 8 digits, rounded down and up."""
        return math.floor(self.least * 10**8) / 10**8, math.ceil(self.most * 10**8) / 10**8


def best(task: Task, budget: Budget) -> Optimum:
    """The best least chance to pass the trials of a task, of all private learners for n records.

    Raises `DeclarationError` for an epsilon outside [0.01, 10], or without SciPy, which brings the
    solver HiGHS.

    >>> found = best(Task.uniform((0, 4, 6, 7), 3, n=3, wrong=1), Budget(1))
    >>> round(float(found.least), 6), bool(found.most - found.least < Fraction(1, 10**7))
    (0.901062, True)
    """
    if not _EPSILONS[0] <= budget.epsilon <= _EPSILONS[1]:
        raise DeclarationError(
            f"find the best private learner at epsilon {float(budget.epsilon):g}",
            found="the solver's numbers would be too large or too small",
            fix=f"ask for an epsilon from {float(_EPSILONS[0]):g} to {float(_EPSILONS[1]):g}",
        )
    constraints = len(task.pairs) * len(task.rules)
    if constraints * (3 if budget.cost.delta else 1) > MOST_WORK:
        raise TooLargeError(
            f"find the best private learner from {task.n} records over {task.points} points",
            found=f"the linear program has {constraints:,} constraints, and at most {MOST_WORK:,} are "
            "solved, or a third of them with a delta",
            fix="ask for fewer records or points, or for proper learners",
        )
    cells, pairs, trials = _orbits(task)
    solved = _solve(task, budget, cells, pairs, trials)
    law, least = _private(task, solved.law[cells], budget)
    # All neighbours of an orbit have one multiplier together.
    weights, given = _split(solved.weights, pairs), _split(solved.trials, trials)
    return Optimum(
        task, budget, least, most_success(task, given, weights, budget), law, given, weights
    )


def _gave_up(why: str) -> TooLargeError:
    return TooLargeError(
        "find the best private learner",
        found=f"the solver gave up: {why}",
        fix="ask for fewer records or points, or for an epsilon nearer to 1",
    )


def _split(multipliers: NDArray[np.float64], orbit: Places) -> Whole:
    """The multiplier of an orbit, in equal parts for its members, as whole numbers."""
    parts = np.maximum(multipliers, 0) / np.maximum(np.bincount(orbit.ravel()), 1)
    whole = np.array([int(part * _SCALE) for part in parts.tolist()], object)
    return np.asarray(whole[orbit], object)


def _private(task: Task, law: NDArray[np.float64], budget: Budget) -> tuple[Whole, Fraction]:
    """A private learner near a law in floats, and its success."""
    rounded = [[int(p * _SCALE) for p in row] for row in np.maximum(law, 0).tolist()]
    whole, rules = np.array(rounded, object), len(task.rules)
    at = np.arange(len(whole)), law.argmax(axis=1)
    whole[at] += _SCALE - whole.sum(axis=1)  # what rounding lost
    # Mixed with a uniform rule, whose chances leave room for what the solver's floats miss.  With bits
    # = 0 it is alone, and private.
    mixed = (whole * (((1 << bits) - 1) * rules) + _SCALE for bits in range(36, -1, -3))
    found = ((one, success_of(task, one, budget)) for one in mixed)
    return next((one, success) for one, success in found if success is not None)


@dataclass(frozen=True)
class _Answer:
    """What the solver says, by orbits: chances, and multipliers of neighbours and of trials."""

    law: NDArray[np.float64]
    weights: NDArray[np.float64]
    trials: NDArray[np.float64]


def _solve(task: Task, budget: Budget, cells: Places, pairs: Places, trials: Places) -> _Answer:
    """Maximize t, where a learner passes each trial with a chance of at least t.

    The variables are a chance for each orbit of a sample and a rule, an excess for each orbit of a
    pair and a rule if delta > 0, and t.  One constraint of each orbit is enough.
    """
    require_package("scipy", "find the best private learner", "optimum", DeclarationError)
    from scipy.optimize import linprog
    from scipy.sparse import coo_array

    ratio, delta = math.exp(budget.epsilon), float(budget.cost.delta)
    laws, near, last = int(cells.max()) + 1, int(pairs.max(initial=-1)) + 1, int(trials.max()) + 1
    top = laws + near * (delta > 0)  # the place of t
    entries = list[tuple[Places, Places, Any]]()

    def put(row: Any, column: Any, value: Any) -> None:
        row, column, value = np.broadcast_arrays(row, column, value)
        entries.append((row.ravel(), column.ravel(), value.ravel()))

    _, first = np.unique(pairs, return_index=True)
    p, f = np.divmod(first, len(task.rules))
    put(np.arange(near), cells[task.pairs[p, 0], f], 1.0)
    put(np.arange(near), cells[task.pairs[p, 1], f], -ratio)
    limits, rows = np.zeros(near + last), near + last
    for k, i in enumerate(np.unique(trials, return_index=True)[1]):
        at, chances, good = task.trial_places[i]
        put(near + k, cells[np.ix_(at, good)], -np.array(chances, float)[:, np.newaxis])
        put(near + k, top, 1.0)
    if delta:
        put(np.arange(near), laws + np.arange(near), -1.0)
        spent = np.unique(np.sort(pairs, axis=1), axis=0)
        put(rows + np.arange(len(spent))[:, np.newaxis], laws + spent, 1.0)
        limits, rows = np.append(limits, np.full(len(spent), delta)), rows + len(spent)
    row, column, value = (np.concatenate(part) for part in zip(*entries, strict=True))
    above = coo_array((value, (row, column)), shape=(rows, top + 1)).tocsr()
    whole = np.unique(np.sort(cells, axis=1), axis=0)
    at = np.repeat(np.arange(len(whole)), whole.shape[1])
    sums = coo_array((np.ones(len(at)), (at, whole.ravel())), shape=(len(whole), top + 1)).tocsr()
    goal = np.zeros(top + 1)
    goal[top] = -1
    found = linprog(
        goal, A_ub=above, b_ub=limits, A_eq=sums, b_eq=np.ones(len(whole)), method="highs-ipm"
    )
    if not found.success:
        raise _gave_up(found.message)
    shares = -found.ineqlin.marginals
    return _Answer(found.x[:laws], shares[:near], shares[near : near + last])


def _orbits(task: Task) -> tuple[Places, Places, Places]:
    """The orbits of samples with rules, of pairs of neighbours with rules, and of trials.

    Orbits are numbered 0, 1, ....  A learner that is averaged over the symmetries is as private and
    does as well, so all of an orbit can have one chance.
    """
    rules, samples = len(task.rules), len(task.samples)
    codes = task.pairs @ np.array([samples, 1])
    cells, trials = np.arange(samples * rules), np.arange(len(task.trials))
    pairs = np.arange(len(codes) * rules)
    for s, f, i in _symmetries(task):
        cells = np.minimum(cells, (s[:, np.newaxis] * rules + f).ravel())
        there = np.searchsorted(codes, s[task.pairs] @ np.array([samples, 1]))
        pairs = np.minimum(pairs, (there[:, np.newaxis] * rules + f).ravel())
        trials = np.minimum(trials, i)
    shapes = (samples, rules), (len(codes), rules), (len(task.trials),)
    numbered = (np.unique(one, return_inverse=True)[1] for one in (cells, pairs, trials))
    found = [one.reshape(shape) for one, shape in zip(numbered, shapes, strict=True)]
    return found[0], found[1], found[2]


def _symmetries(task: Task) -> Iterator[tuple[Places, Places, Places]]:
    """Where each symmetry takes the samples, the rules and the trials.

    It moves points and exchanges labels at some of them.  Each trial must come to be another one.
    """
    known = {(frozenset(one.chances.items()), one.passes): i for i, one in enumerate(task.trials)}
    passed = [
        frozenset(i for i, one in enumerate(task.trials) if f in one.passes) for f in task.rules
    ]
    rules = {these: i for i, these in enumerate(passed)}
    points = range(task.points)
    straight = tuple(points)
    orders = permutations(points) if len(points) <= _ALL_ORDERS else (straight, straight[::-1])
    for order, flips in product(orders, product((0, 1), repeat=task.points)):
        record = [2 * order[x] + (y ^ flips[x]) for x in points for y in (0, 1)]
        rule = [
            sum((f >> x & 1 ^ flips[x]) << order[x] for x in points)
            for f in range(1 << task.points)
        ]

        def move(records: Records, record: list[int] = record) -> Records:
            return tuple(sorted(record[r] for r in records))

        moved = list[int]()
        for one in task.trials:
            chances = frozenset((move(records), chance) for records, chance in one.chances.items())
            there = known.get((chances, frozenset(rule[f] for f in one.passes)))
            if there is None:
                break
            moved.append(there)
        else:
            images = [rules.get(frozenset(moved[i] for i in these)) for these in passed]
            if None not in images:
                samples = [task.number[move(records)] for records in task.samples]
                yield np.array(samples), np.array(images), np.array(moved)


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
