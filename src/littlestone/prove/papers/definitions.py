"""BLM20, section 4.2, by its definitions alone: D_k on a table of bit masks, exactly, for any SOA.

Nothing here uses the classes, learners or dimensions of the package, so its laws can be compared with
those of the code.  A hypothesis is a whole number, whose bit x is its label of point x.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cache, cached_property
from itertools import product
from math import lcm
from typing import NamedTuple

import numpy as np

Rows = frozenset[int]
Soa = Callable[[Rows, int], int]
"""The rule of a version space on a given number of points."""


@cache
def ldim(rows: Rows, points: int) -> int:
    """The Littlestone dimension by its definition; -1 for no rows.

    >>> ldim(frozenset(range(8)), 3)
    3
    """
    if len(rows) < 2:
        return len(rows) - 1
    sides = (_sides(rows, x) for x in range(points))
    return max(
        (1 + min(ldim(one, points), ldim(other, points)) for one, other in sides if one and other),
        default=0,
    )


@cache
def _sides(rows: Rows, x: int) -> tuple[Rows, Rows]:
    one = frozenset(row for row in rows if row >> x & 1)
    return rows - one, one


def _rule(label: Callable[[int, int, int], int]) -> Soa:
    """The SOA whose label of x is that of LDim(V), LDim(V|(x,0)) and LDim(V|(x,1))."""

    @cache
    def soa(rows: Rows, points: int) -> int:
        d = ldim(rows, points)
        return sum(
            label(d, *(ldim(side, points) for side in _sides(rows, x))) << x for x in range(points)
        )

    return soa


lyu = _rule(lambda d, zero, one: 0 if zero == d else int(one >= 0))
"""Lyu25, section 4: the label that keeps LDim, 0 first; else the last one with a function left."""
larger_or_0 = _rule(lambda _, zero, one: int(one > zero))
"""BLM20, section 3.2: the label of the larger LDim, and 0 in a tie."""
larger_or_1 = _rule(lambda _, zero, one: int(one >= zero))
"""The same with 1 in a tie."""

Points = Callable[[list[int]], list[int]]
"""The points at which two rules differ that may decide, with equal chances.

The paper leaves the choice open.
"""


def first(differ: list[int]) -> list[int]:
    """The first point."""
    return differ[:1]


def last(differ: list[int]) -> list[int]:
    """The last point."""
    return differ[-1:]


def uniform(differ: list[int]) -> list[int]:
    """Any of them."""
    return differ


class State(NamedTuple):
    """What an SOA knows after a sequence of examples: Definition 8."""

    rows: Rows
    rule: int
    realizable: bool = True


def _differ(one: int, other: int) -> list[int]:
    """The points at which two rules differ."""
    return [x for x in range((one ^ other).bit_length()) if (one ^ other) >> x & 1]


@dataclass(frozen=True)
class Game:
    """A table, a distribution of examples (x, y), n, an SOA, and which point decides."""

    rows: Rows
    points: int
    chances: Mapping[tuple[int, int], Fraction] = field(hash=False)
    n: int = 1
    soa: Soa = lyu
    deciding: Points = first

    def start(self) -> State:
        """The empty sequence."""
        return State(self.rows, self.soa(self.rows, self.points))

    def update(self, state: State, x: int, y: int) -> State:
        """One more example."""
        left = _sides(state.rows, x)[y]
        if state.realizable and left:
            return State(left, self.soa(left, self.points))
        return State(state.rows, state.rule & ~(1 << x) | y << x, realizable=False)

    @cached_property
    def _unit(self) -> int:
        """The inverse of a number of which every chance is a multiple."""
        return lcm(*(p.denominator for p in self.chances.values()))

    def with_block(self, law: Mapping[State, int]) -> dict[State, int]:
        """The law of S T; masses are whole numbers, and each becomes ``_unit ** n`` times as large."""
        weights = [(x, y, int(p * self._unit)) for (x, y), p in self.chances.items()]
        found = dict(law)
        for _ in range(self.n):
            longer: dict[State, int] = defaultdict(int)
            for state, mass in found.items():
                for x, y, weight in weights:
                    longer[self.update(state, x, y)] += mass * weight
            found = dict(longer)
        return found

    def frequencies(self, depth: int) -> list[dict[int, Fraction]]:
        """The laws of SOA(S T) for S ~ D_0, ..., D_depth, up to the first D_k that is impossible.

        >>> half = Fraction(1, 2)
        >>> game = Game(frozenset([0, 1, 2]), 2, {(0, 0): half, (1, 0): half})
        >>> [{rule: str(p) for rule, p in law.items()} for law in game.frequencies(1)]
        [{2: '1/2', 1: '1/2'}, {2: '1/4', 1: '1/4', 0: '1/2'}]
        """
        samples, found = {self.start(): 1}, []
        while True:
            law = self.with_block(samples)
            rules: dict[int, int] = defaultdict(int)
            for state, mass in law.items():
                rules[state.rule] += mass
            total = sum(rules.values())
            found.append({rule: Fraction(mass, total) for rule, mass in rules.items()})
            if total in rules.values() or len(found) > depth:
                return found
            decided = {rule: self._decide(rule, rules) for rule in rules}
            samples = defaultdict(int)
            for state, mass in law.items():
                # First or second, it wins for the label that is not its own: half of twice.
                for x, weight in decided[state.rule].items():
                    samples[self.update(state, x, 1 - (state.rule >> x & 1))] += mass * weight

    def approximate(self, depth: int) -> list[dict[int, float]]:
        """`frequencies` in floats, for n of thousands; the rounding is some n parts in 2^53.

        >>> half = Fraction(1, 2)
        >>> game = Game(frozenset([0, 1, 2]), 2, {(0, 0): half, (1, 0): half})
        >>> [sorted(law.values()) for law in game.approximate(1)]
        [[0.5, 0.5], [0.25, 0.25, 0.5]]
        """
        samples: dict[State, float] = {self.start(): 1.0}
        found: list[dict[int, float]] = []
        while True:
            law = self.with_long_block(samples)
            rules: dict[int, float] = defaultdict(float)
            for state, mass in law.items():
                rules[state.rule] += mass
            found.append({rule: mass for rule, mass in rules.items() if mass})
            if len(rules) == 1 or len(found) > depth:
                return found
            samples = defaultdict(float)
            for state, mass in law.items():
                for other, met in rules.items():
                    picked = (
                        self.deciding(_differ(state.rule, other)) if other != state.rule else []
                    )
                    for x in picked:
                        won = self.update(state, x, 1 - (state.rule >> x & 1))
                        samples[won] += mass * met / len(picked)
            total = sum(samples.values())
            samples = {state: mass / total for state, mass in samples.items()}

    def with_long_block(self, law: Mapping[State, float]) -> dict[State, float]:
        """The law of S T: a step is one product with a sparse matrix over all states that S T meets."""
        examples, places = [*self.chances], {state: i for i, state in enumerate(law)}
        reached, into = [*law], list[list[int]]()
        for state in reached:  # it grows
            into.append([])
            for x, y in examples:
                after = self.update(state, x, y)
                if after not in places:
                    places[after] = len(reached)
                    reached.append(after)
                into[-1].append(places[after])
        targets = np.array(into).T.ravel()
        chances = np.array([float(p) for p in self.chances.values()])
        masses = np.array([*law.values()] + [0.0] * (len(reached) - len(law)))
        for _ in range(self.n):
            masses = np.bincount(targets, np.outer(chances, masses).ravel(), len(reached))
        return dict(zip(reached, masses.tolist(), strict=True))

    def _decide(self, rule: int, rules: Mapping[int, int]) -> dict[int, int]:
        """How much of ``rules`` it meets at each point that decides, times lcm(1, ..., points)."""
        found: dict[int, int] = defaultdict(int)
        for other, mass in rules.items():
            if other != rule:
                picked = self.deciding(_differ(rule, other))
                for x in picked:
                    found[x] += mass * lcm(*range(1, self.points + 1)) // len(picked)
        return found

    def capped_law(self, k: int, blocks: int) -> dict[int | None, Fraction]:
        """The law of SOA(S T) for S ~ D~_k from that many blocks; None where they run out.

        >>> half = Fraction(1, 2)
        >>> game = Game(frozenset([0, 1, 2]), 2, {(0, 0): half, (1, 0): half})
        >>> {rule: str(p) for rule, p in game.capped_law(1, 3).items()}
        {None: '1/2', 0: '1/4', 2: '1/8', 1: '1/8'}
        """
        found: dict[int | None, Fraction] = defaultdict(Fraction)
        for (state, _), p in self._contender(k, blocks).items():
            found[None if state is None else state.rule] += p
        return dict(found)

    def _contender(self, k: int, left: int) -> dict[tuple[State | None, int], Fraction]:
        """The law of S T and of the blocks left."""
        found: dict[tuple[State | None, int], Fraction] = defaultdict(Fraction)
        for (state, rest), p in self._winner(k, left).items():
            if state is None or rest == 0:
                found[None, 0] += p
            else:
                for after, mass in self.with_block({state: 1}).items():
                    found[after, rest - 1] += p * Fraction(mass, self._unit**self.n)
        return found

    def _winner(self, k: int, left: int) -> dict[tuple[State | None, int], Fraction]:
        """The law of S ~ D~_k and of the blocks left."""
        if k == 0:
            return {(self.start(), left): Fraction(1)}
        found: dict[tuple[State | None, int], Fraction] = defaultdict(Fraction)
        for (one, rest), p in self._contender(k - 1, left).items():
            if one is None:
                found[None, 0] += p
                continue
            for (other, still), q in self._contender(k - 1, rest).items():
                if other is None:
                    found[None, 0] += p * q
                elif one.rule == other.rule:
                    for end, again in self._winner(k, still).items():
                        found[end] += p * q * again
                else:
                    picked = self.deciding(_differ(one.rule, other.rule))
                    for x, y in product(picked, (0, 1)):
                        won = one if one.rule >> x & 1 != y else other
                        found[self.update(won, x, y), still] += p * q / (2 * len(picked))
        return found
