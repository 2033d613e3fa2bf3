"""The version spaces of unions of rules, and the search for their Littlestone dimension."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import cache
from itertools import combinations, product
from math import comb
from typing import Any, NamedTuple

from littlestone.base.steps import search
from littlestone.rules.rules import Rule, obeys

Cover = frozenset[Rule]


class Space(NamedTuple):
    """A version space: the unions of at most s unrefuted rules that contain a cover.

    ``covers`` are the minimal sets of at most s rules that explain the positive examples and no
    negative one.  ``refuted`` are all rules that a negative example obeys.
    """

    covers: frozenset[Cover]
    refuted: frozenset[Rule]


WHOLE = Space(frozenset([Cover()]), frozenset())  # no rule explains no example


class Covers:
    """Restriction and dimension of the spaces of at most s rules of at most r of m columns.

    Column values may be any objects that can be compared for equality, because the search renumbers
    them.  Results about one space are kept for all others.  docs/proofs/rule-sets.md has the proofs.
    """

    def __init__(self, m: int, r: int, s: int) -> None:
        self.m, self.r, self.s = m, r, s
        self.shapes = [c for size in range(r + 1) for c in combinations(range(m), size)]
        # Known bounds of numbered spaces: low <= LDim < fails.
        self._low: dict[Space, int] = {}
        self._fails: dict[Space, int] = {}

    @classmethod
    @cache
    def of(cls, m: int, r: int, s: int) -> Covers:
        """The shared object for these numbers, so that its results are kept."""
        return cls(m, r, s)

    def __reduce__(self) -> tuple[object, ...]:
        # The cached results reveal the records that asked for them, so they are not pickled.
        return Covers.of, (self.m, self.r, self.s)

    def rules_at(self, x: Rule) -> list[Rule]:
        """The rules that the record x obeys."""
        return [tuple(x[j] if j in shape else None for j in range(self.m)) for shape in self.shapes]

    def open(self, cover: Cover) -> bool:
        """Whether one more rule can change the union: fewer than s rules, and not the constant 1."""
        return len(cover) < self.s and all(any(v is not None for v in rule) for rule in cover)

    def restrict(self, space: Space, x: Rule, y: int) -> Space:
        """The version space of the unions in ``space`` that are y at the record x."""
        covers, refuted = space
        if y:
            rules = [rule for rule in self.rules_at(x) if rule not in refuted]
            grown = set[Cover]()
            for cover in covers:
                # The positive is explained already; otherwise one more rule must explain it.
                if any(obeys(x, rule) for rule in cover):
                    grown.add(cover)
                elif len(cover) < self.s:
                    grown.update(cover | {rule} for rule in rules)
            covers = frozenset(c for c in grown if not any(least < c for least in grown))
        else:
            covers = frozenset(c for c in covers if not any(obeys(x, rule) for rule in c))
            # A negative refutes every rule that it obeys, for good.
            refuted = refuted.union(self.rules_at(x))
        # If no rule can be added, the refuted rules no longer matter.
        return Space(covers, refuted if any(map(self.open, covers)) else frozenset())

    def after(self, space: Space, points: Iterable[Rule], y: int) -> Space:
        """The version space of the unions in ``space`` that are y at all ``points``."""
        for x in points:
            space = self.restrict(space, x, y)
        return space

    def values(self, space: Space) -> list[list[Any]]:
        """The values that covers ask of each column; all other values differ only in `refuted`."""
        columns = zip(*(rule for cover in space.covers for rule in cover), strict=True)
        found = [sorted({v for v in column if v is not None}) for column in columns]
        return found or [[] for _ in range(self.m)]

    def dimension(self, space: Space) -> int:
        """LDim of the space; -1 if it is empty."""
        numbered, k = self._numbered(space), -1
        while self._at_least(numbered, k + 1):
            k += 1
        return k

    def at_least(self, space: Space, k: int) -> bool:
        """Whether LDim(space) >= k."""
        return self._at_least(self._numbered(space), k)

    def _numbered(self, space: Space) -> Space:
        """The space with the values of its covers numbered, without refuted rules of other values."""
        numbers: list[dict[Any, int | None]] = [{None: None} for _ in range(self.m)]
        order = sorted(sorted(map(_key, cover)) for cover in space.covers)
        for rule in (rule for cover in order for rule in cover):
            for known, (absent, value) in zip(numbers, rule, strict=True):
                if not absent:
                    known.setdefault(value, len(known) - 1)

        def renamed(rule: Rule) -> Rule:
            return tuple(known[v] for known, v in zip(numbers, rule, strict=True))

        covers = frozenset(frozenset(map(renamed, cover)) for cover in space.covers)
        kept = (q for q in space.refuted if all(map(dict.__contains__, numbers, q)))
        return Space(covers, frozenset(map(renamed, kept)))

    def _leaves(self, space: Space, depth: int) -> int:
        """A bound on the leaves with a hypothesis in a tree of this depth; a shattered tree has all.

        On the way to its leaf, a hypothesis starts with one of its covers.  At each positive point that
        is not explained yet, it adds a rule of that point.  These places and rules determine its leaf.
        """
        rules = len(self.shapes) - bool(space.refuted)  # a negative example refutes the empty rule
        ways = [comb(depth, i) * rules**i for i in range(self.s + 1)]
        return sum(
            sum(ways[: self.s - len(cover) + 1]) if self.open(cover) else 1
            for cover in space.covers
        )

    def _at_least(self, space: Space, k: int) -> bool:
        if k <= 0 or not space.covers:
            return bool(space.covers) or k < 0
        if k <= self._low.get(space, 0) or k >= self._fails.get(space, k + 1):
            return k <= self._low.get(space, 0)
        answer = self._leaves(space, k) >= 1 << k and any(
            self._at_least(few, k - 1) and self._at_least(many, k - 1)
            for few, many in self._splits(space, k - 1)
        )
        (self._low if answer else self._fails)[space] = k
        return answer

    def _splits(self, space: Space, below: int) -> Iterator[tuple[Space, Space]]:
        """The two sides of each point at which both may have LDim >= ``below``; most even first.

        It is enough to try the covers' values and one new value per column.
        """
        found: dict[tuple[Space, Space], tuple[int, int]] = {}
        for x in product(*(range(len(known) + 1) for known in self.values(space))):
            search(8 + len(space.covers) + len(space.refuted) // 4)
            sides = [self.restrict(space, x, y) for y in (0, 1)]
            leaves = [self._leaves(side, below) for side in sides]
            # Too few leaves on one side: no tree of that depth fits there.
            if min(leaves) >= 1 << below:
                if leaves[0] > leaves[1]:
                    sides.reverse()
                few, many = map(self._numbered, sides)
                found[few, many] = -min(leaves), max(leaves)
        yield from sorted(found, key=found.__getitem__)


def _key(rule: Rule) -> list[tuple[bool, Any]]:
    """A key that sorts rules, because None cannot be compared with a value."""
    return [(v is None, 0 if v is None else v) for v in rule]
