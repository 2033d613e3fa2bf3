"""The version spaces of rules with outcomes, and the search for their multiclass dimension."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache
from itertools import combinations, product
from typing import Any, NamedTuple

from littlestone.base.steps import search
from littlestone.rules.rules import Rule, obeys

Outcome = tuple[Rule, int]
Cover = frozenset[Outcome]


class Space(NamedTuple):
    """A version space: sets of at most s unrefuted rules with outcomes that contain a cover.

    ``covers`` are the minimal such sets that explain all examples with outcomes.  ``refuted`` are the
    rules with outcomes that an example obeys but contradicts.
    """

    covers: frozenset[Cover]
    refuted: frozenset[Outcome]


WHOLE = Space(frozenset([Cover()]), frozenset())  # no rule explains no example


class OutcomeCovers:
    """Restriction and dimension of sets of at most s rules on at most r of m columns, k outcomes.

    Like `Covers` (`littlestone.classes.dimensions.covers`), but each rule has an outcome in 1, ..., k,
    and rules with different outcomes exclude each other.  docs/proofs/outcomes.md has the proofs.
    """

    def __init__(self, m: int, r: int, s: int, k: int) -> None:
        self.m, self.r, self.s, self.k = m, r, s, k
        self.shapes = [c for size in range(r + 1) for c in combinations(range(m), size)]
        self._low: dict[Space, int] = {}
        self._fails: dict[Space, int] = {}

    @classmethod
    @cache
    def of(cls, m: int, r: int, s: int, k: int) -> OutcomeCovers:
        """The shared object for these numbers, so that its results are kept."""
        return cls(m, r, s, k)

    def __reduce__(self) -> tuple[object, ...]:
        # The cached results reveal the records that asked for them, so they are not pickled.
        return OutcomeCovers.of, (self.m, self.r, self.s, self.k)

    def rules_at(self, x: Rule) -> list[Rule]:
        """The rules that the record x obeys."""
        return [tuple(x[j] if j in shape else None for j in range(self.m)) for shape in self.shapes]

    def is_open(self, cover: Cover) -> bool:
        """Whether one more rule may change the function."""
        return len(cover) < self.s and all(any(v is not None for v in rule) for rule, _ in cover)

    def restrict(self, space: Space, x: Rule, y: int) -> Space:
        """The version space of the functions in ``space`` that are y at the record x."""
        at = self.rules_at(x)
        wrong = {(rule, z) for rule in at for z in range(1, self.k + 1) if z != y}
        refuted = space.refuted | wrong
        covers = {c for c in space.covers if not c & wrong}
        if y:
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
                        if all(exclude(rule, other) for other in others)
                    }
            covers = {c for c in grown if not any(least < c for least in grown)}
        # If no rule can be added, the refuted rules no longer matter.
        kept = refuted if any(map(self.is_open, covers)) else frozenset[Outcome]()
        return Space(frozenset(covers), kept)

    def values(self, space: Space) -> list[list[Any]]:
        """The values that covers ask of each column; all other values differ only in `refuted`."""
        columns = zip(*(rule for cover in space.covers for rule, _ in cover), strict=True)
        found = [sorted({v for v in column if v is not None}) for column in columns]
        return found or [[] for _ in range(self.m)]

    def dimension(self, space: Space) -> int:
        """LDim of the space; -1 if it is empty."""
        numbered, d = self._numbered(space), -1
        while self._at_least(numbered, d + 1):
            d += 1
        return d

    def at_least(self, space: Space, d: int) -> bool:
        """Whether LDim(space) >= d."""
        return self._at_least(self._numbered(space), d)

    def deep_labels(self, space: Space, x: Rule, d: int) -> list[int]:
        """Two labels y of x with LDim(space|(x,y)) >= d, if there are two."""
        found = []
        for y in range(self.k + 1):
            search(8 + len(space.covers) + len(space.refuted) // 4)
            if self.at_least(self.restrict(space, x, y), d):
                found.append(y)
                if len(found) == 2:
                    break
        return found

    def _at_least(self, space: Space, d: int) -> bool:
        if d <= 0 or not space.covers:
            return bool(space.covers) or d < 0
        if d <= self._low.get(space, 0) or d >= self._fails.get(space, d + 1):
            return d <= self._low.get(space, 0)
        points = product(*(range(len(known) + 1) for known in self.values(space)))
        # A mistake can be forced at x iff two labels keep dimension d - 1.
        answer = any(len(self.deep_labels(space, x, d - 1)) == 2 for x in points)
        (self._low if answer else self._fails)[space] = d
        return answer

    def _numbered(self, space: Space) -> Space:
        """The space with the values of its covers numbered, without refuted rules of other values."""
        numbers: list[dict[Any, int | None]] = [{None: None} for _ in range(self.m)]
        for rule in _ordered(space.covers):
            for known, value in zip(numbers, rule, strict=True):
                if value is not None:
                    known.setdefault(value, len(known) - 1)

        def renamed(outcomes: Iterable[Outcome]) -> frozenset[Outcome]:
            return frozenset(
                (tuple(known[v] for known, v in zip(numbers, rule, strict=True)), y)
                for rule, y in outcomes
                if all(map(dict.__contains__, numbers, rule))
            )

        return Space(frozenset(map(renamed, space.covers)), renamed(space.refuted))


def exclude(rule: Rule, other: Rule) -> bool:
    """Whether no record obeys both rules: they ask for different values of a column.

    >>> exclude(("JFK", None), ("EWR", "HNL")), exclude(("JFK", None), (None, "HNL"))
    (True, False)
    """
    return any(u is not None and v is not None and u != v for u, v in zip(rule, other, strict=True))


def _ordered(covers: Iterable[Cover]) -> list[Rule]:
    """All rules of the covers, in an order that depends on the covers alone."""

    def key(outcome: Outcome) -> tuple[int, list[tuple[bool, Any]]]:
        return outcome[1], [(v is None, 0 if v is None else v) for v in outcome[0]]

    listed = sorted((sorted(cover, key=key) for cover in covers), key=lambda c: list(map(key, c)))
    return [rule for cover in listed for rule, _ in cover]
