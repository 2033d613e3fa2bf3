"""The version spaces of unions of rules, also with outcomes, and the search for their dimension."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator
from dataclasses import replace
from functools import cache, cached_property
from itertools import combinations, islice, product
from math import comb
from typing import Any, ClassVar, NamedTuple, Self

from littlestone.base.work import count_search, count_steps
from littlestone.classes.base import HypothesisClass, require_example
from littlestone.points import Product
from littlestone.rules.rules import Rule, meet, obeys

Outcome = tuple[Rule, int]

Cover = frozenset[Any]
"""Rules, or rules with outcomes."""


class Space(NamedTuple):
    """A version space: the sets of at most s unrefuted rules that contain a cover.

    ``covers`` are the minimal sets of at most s rules that explain the examples with label 1 and no
    other; with outcomes, all examples with an outcome.  ``refuted`` are all rules that a negative
    example obeys; with outcomes, the rules with outcomes that an example obeys but contradicts.
    """

    covers: frozenset[Cover]
    refuted: frozenset[Any]


WHOLE = Space(frozenset([Cover()]), frozenset())  # no rule explains no example


class CoverSearch(ABC):
    """Restriction and dimension of the spaces of at most s rules of at most r of m columns.

    Column values may be any objects that can be compared for equality, because the search renumbers
    them.  Results about one space are kept for all others.
    """

    with_outcomes: ClassVar[bool]
    """Whether a cover has rules with outcomes, as pairs, and not only rules."""

    def __init__(self, m: int, r: int, s: int) -> None:
        self.m, self.r, self.s = m, r, s
        self.shapes = [c for size in range(r + 1) for c in combinations(range(m), size)]
        # Known bounds of numbered spaces: low <= LDim < fails.
        self._low: dict[Space, int] = {}
        self._fails: dict[Space, int] = {}

    @abstractmethod
    def restrict(self, space: Space, x: Rule, y: int) -> Space:
        """The version space of the functions in ``space`` that are y at the record x."""

    @abstractmethod
    def _is_deep(self, space: Space, k: int) -> bool:
        """Whether LDim(space) >= k >= 1, for a numbered space with a cover."""

    def rules_at(self, x: Rule) -> list[Rule]:
        """The rules that the record x obeys."""
        return [tuple(x[j] if j in shape else None for j in range(self.m)) for shape in self.shapes]

    def rules_of(self, cover: Iterable[Any]) -> list[Rule]:
        """The rules of a cover, without their outcomes."""
        return [rule for rule, _ in cover] if self.with_outcomes else list(cover)

    def is_open(self, cover: Cover) -> bool:
        """Whether one more rule can change the function: fewer than s rules, and not a constant."""
        rules = self.rules_of(cover)
        return len(rules) < self.s and all(any(v is not None for v in rule) for rule in rules)

    def _space(self, covers: Iterable[Cover], refuted: frozenset[Any]) -> Space:
        """The space of these covers; if no rule can be added, the refuted rules no longer matter."""
        kept = frozenset(covers)
        return Space(kept, refuted if any(map(self.is_open, kept)) else frozenset())

    def after(self, space: Space, points: Iterable[Rule], y: int) -> Space:
        """The version space of the functions in ``space`` that are y at all ``points``."""
        for x in points:
            space = self.restrict(space, x, y)
        return space

    def values(self, space: Space) -> list[list[Any]]:
        """The values that covers ask of each column; all other values differ only in `refuted`."""
        columns = zip(*(rule for c in space.covers for rule in self.rules_of(c)), strict=True)
        found = [sorted({v for v in column if v is not None}) for column in columns]
        return found or [[] for _ in range(self.m)]

    def dimension(self, space: Space) -> int:
        """LDim of the space; -1 if it is empty."""
        numbered, k = self._renumber(space), -1
        while self._at_least(numbered, k + 1):
            k += 1
        return k

    def at_least(self, space: Space, k: int) -> bool:
        """Whether LDim(space) >= k."""
        return self._at_least(self._renumber(space), k)

    def _at_least(self, space: Space, k: int) -> bool:
        if k <= 0 or not space.covers:
            return bool(space.covers) or k < 0
        if k <= self._low.get(space, 0) or k >= self._fails.get(space, k + 1):
            return k <= self._low.get(space, 0)
        answer = self._is_deep(space, k)
        (self._low if answer else self._fails)[space] = k
        return answer

    def _points(self, space: Space) -> Iterator[Rule]:
        """Points that are enough to split a numbered space: covers' values and a new one per column."""
        return product(*(range(len(known) + 1) for known in self.values(space)))

    def _renumber(self, space: Space) -> Space:
        """The space with the values of its covers numbered, without refuted rules of other values."""
        numbers: list[dict[Any, int | None]] = [{None: None} for _ in range(self.m)]
        keys = sorted(sorted(map(self._key, cover)) for cover in space.covers)
        for _, rule in (key for cover in keys for key in cover):
            for known, (absent, value) in zip(numbers, rule, strict=True):
                if not absent:
                    known.setdefault(value, len(known) - 1)

        def renumber_rule(rule: Rule) -> Rule | None:
            if not all(map(dict.__contains__, numbers, rule)):
                return None
            return tuple(known[v] for known, v in zip(numbers, rule, strict=True))

        def renumber(rules: Iterable[Any]) -> Cover:
            if self.with_outcomes:
                return frozenset(
                    (q, y) for rule, y in rules if (q := renumber_rule(rule)) is not None
                )
            return frozenset(q for rule in rules if (q := renumber_rule(rule)) is not None)

        return Space(frozenset(map(renumber, space.covers)), renumber(space.refuted))

    def _key(self, asked: Any) -> tuple[int, list[tuple[bool, Any]]]:
        """A key that sorts rules, because None cannot be compared with a value; outcomes first."""
        rule, outcome = asked if self.with_outcomes else (asked, 0)
        return outcome, [(v is None, 0 if v is None else v) for v in rule]


class ByCovers(HypothesisClass[Rule]):
    """A class of rules over open columns whose version spaces are those of a `CoverSearch`."""

    domain: Product
    space: Space

    @property
    @abstractmethod
    def search(self) -> CoverSearch:
        """The search that restricts version spaces and finds LDim; it may raise `TooLargeError`."""

    @property
    @abstractmethod
    def declaration(self) -> str:
        """The text of the whole class."""

    def restrict(self, x: Rule, y: int) -> Self:
        require_example(self, x, y)
        return replace(self, space=self.search.restrict(self.space, x, int(y)))  # type: ignore[type-var]

    def is_empty(self) -> bool:
        return not self.space.covers

    @property
    def size(self) -> int | None:
        covers = self.space.covers
        unknown = self.space == WHOLE or any(map(self.search.is_open, covers))
        return None if unknown else len(covers)

    def littlestone_dimension(self) -> int:
        return self.search.dimension(self.space)

    @cached_property
    def _used_values(self) -> list[set[Any]]:
        """The values of each column that covers or refuted rules ask for, and perhaps None."""
        asked = (self.space.refuted, *self.space.covers)
        rules = [rule for each in asked for rule in self.search.rules_of(each)]
        return list(map(set, zip(*rules, strict=True))) or [set() for _ in self.domain.columns]

    def _new_values(self, count: int) -> list[list[Any]]:
        """``count`` values of each column that neither covers nor refuted rules ask for."""
        return [
            list(islice((v for v in column if v not in taken), count))
            for column, taken in zip(self.domain.columns, self._used_values, strict=True)
        ]

    def _limit(self, labels: Iterable[tuple[Rule, int]]) -> Space:
        """A version space inside all those that the SOA's labels at finitely many points leave.

        It has the SOA's ``labels`` at the values of examples and at a new value of each column, and
        refutes all rules with new values: a tree of the class does without finitely many values.
        """
        known, new = dict(labels), [values[0] for values in self._new_values(1)]
        about_new: set[Any] = {
            rule
            for x in known
            for rule in self.search.rules_at(x)
            if any(v == u for v, u in zip(rule, new, strict=True))
        }
        if self.search.with_outcomes:
            about_new = set(product(about_new, range(1, self.labels)))
        space = self.space._replace(refuted=self.space.refuted | about_new)
        for x, y in known.items():
            count_steps()
            space = self.search.restrict(space, x, y)
        return space

    def __str__(self) -> str:
        if self.space == WHOLE:
            return self.declaration
        return f"{self.declaration} after {'a contradiction' if self.is_empty() else 'examples'}"


class Covers(CoverSearch):
    """The unions of at most s rules of at most r of m columns; docs/proofs/rule-sets.md."""

    with_outcomes = False

    @classmethod
    @cache
    def instance(cls, m: int, r: int, s: int) -> Covers:
        """The shared object for these numbers, so that its results are kept."""
        return cls(m, r, s)

    def __reduce__(self) -> tuple[object, ...]:
        # The cached results reveal the records that asked for them, so they are not pickled.
        return Covers.instance, (self.m, self.r, self.s)

    def restrict(self, space: Space, x: Rule, y: int) -> Space:
        covers, refuted = space
        if not y:
            kept = (c for c in covers if not any(obeys(x, rule) for rule in c))
            # A negative refutes every rule that it obeys, for good.
            return self._space(kept, refuted.union(self.rules_at(x)))
        rules = [rule for rule in self.rules_at(x) if rule not in refuted]
        grown = set[Cover]()
        for cover in covers:
            # The positive is explained already; otherwise one more rule must explain it.
            if any(obeys(x, rule) for rule in cover):
                grown.add(cover)
            elif len(cover) < self.s:
                grown.update(cover | {rule} for rule in rules)
        return self._space(_minimal(grown), refuted)

    def _leaves(self, space: Space, depth: int) -> int:
        """A bound on the leaves with a hypothesis in a tree of this depth; a shattered tree has all.

        On the way to its leaf, a hypothesis starts with one of its covers.  At each positive point that
        is not explained yet, it adds a rule of that point.  These places and rules determine its leaf.
        """
        rules = len(self.shapes) - bool(space.refuted)  # a negative example refutes the empty rule
        ways = [comb(depth, i) * rules**i for i in range(self.s + 1)]
        return sum(
            sum(ways[: self.s - len(cover) + 1]) if self.is_open(cover) else 1
            for cover in space.covers
        )

    def _is_deep(self, space: Space, k: int) -> bool:
        return self._leaves(space, k) >= 1 << k and any(
            self._at_least(few, k - 1) and self._at_least(many, k - 1)
            for few, many in self._splits(space, k - 1)
        )

    def _splits(self, space: Space, below: int) -> Iterator[tuple[Space, Space]]:
        """The two sides of each point at which both may have LDim >= ``below``; most even first."""
        found: dict[tuple[Space, Space], tuple[int, int]] = {}
        for x in self._points(space):
            count_search(8 + len(space.covers) + len(space.refuted) // 4)
            sides = [self.restrict(space, x, y) for y in (0, 1)]
            leaves = [self._leaves(side, below) for side in sides]
            # Too few leaves on one side: no tree of that depth fits there.
            if min(leaves) >= 1 << below:
                if leaves[0] > leaves[1]:
                    sides.reverse()
                few, many = map(self._renumber, sides)
                found[few, many] = -min(leaves), max(leaves)
        yield from sorted(found, key=found.__getitem__)


class OutcomeCovers(CoverSearch):
    """Sets of at most s rules on at most r of m columns, each with an outcome in 1, ..., k.

    Rules with different outcomes exclude each other.  docs/proofs/outcomes.md has the proofs.
    """

    with_outcomes = True

    def __init__(self, m: int, r: int, s: int, k: int) -> None:
        super().__init__(m, r, s)
        self.k = k

    @classmethod
    @cache
    def instance(cls, m: int, r: int, s: int, k: int) -> OutcomeCovers:
        """The shared object for these numbers, so that its results are kept."""
        return cls(m, r, s, k)

    def __reduce__(self) -> tuple[object, ...]:
        # The cached results reveal the records that asked for them, so they are not pickled.
        return OutcomeCovers.instance, (self.m, self.r, self.s, self.k)

    def restrict(self, space: Space, x: Rule, y: int) -> Space:
        at = self.rules_at(x)
        wrong = {(rule, z) for rule in at for z in range(1, self.k + 1) if z != y}
        refuted = space.refuted | wrong
        covers = {c for c in space.covers if not c & wrong}
        if not y:
            return self._space(covers, refuted)
        rules = [rule for rule in at if (rule, y) not in refuted]
        grown = set[Cover]()
        for cover in covers:
            if any(obeys(x, rule) for rule, _ in cover):
                grown.add(cover)
            elif len(cover) < self.s:
                others = [rule for rule, z in cover if z != y]
                grown |= {
                    cover | {(rule, y)}
                    for rule in rules
                    if not any(meet(rule, other) for other in others)
                }
        return self._space(_minimal(grown), refuted)

    def deep_labels(self, space: Space, x: Rule, d: int) -> list[int]:
        """Two labels y of x with LDim(space|(x,y)) >= d, if there are two."""
        found = []
        for y in range(self.k + 1):
            count_search(8 + len(space.covers) + len(space.refuted) // 4)
            if self.at_least(self.restrict(space, x, y), d):
                found.append(y)
                if len(found) == 2:
                    break
        return found

    def _is_deep(self, space: Space, k: int) -> bool:
        # A mistake can be forced at x iff two labels keep dimension k - 1.
        return any(len(self.deep_labels(space, x, k - 1)) == 2 for x in self._points(space))


def _minimal(covers: set[Cover]) -> Iterator[Cover]:
    return (c for c in covers if not any(least < c for least in covers))
