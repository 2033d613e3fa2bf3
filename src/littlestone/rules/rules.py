"""Unions of equality rules over records of open vocabularies."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Self

from littlestone.points import Domain, Product
from littlestone.rules.base import BinaryHypothesis
from littlestone.rules.languages.form import Condition, Outcome, both, case, either
from littlestone.rules.languages.regions import among

Rule = tuple[Any, ...]
"""The value that each column must have; None for a column with no condition."""


@dataclass(frozen=True)
class RuleUnion(BinaryHypothesis[Any]):
    """The indicator of the records that obey one of finitely many equality rules.

    A rule fixes the values of some columns: ("JFK", None, "HNL") asks for the origin JFK and the
    destination HNL.  No rule is the constant 0, and the rule that asks nothing is the constant 1.

    Canonical: no rule implies another; the constructor drops rules that do.  If each column has
    infinitely many values, different antichains of rules are different functions.  Proof: let R be a
    rule of f, and let x obey R and have new values in its other columns.  If g = f, then x obeys a rule
    of g, which asks only for what R asks, so R implies a rule of g.  In the same way that rule implies
    a rule of f, which must be R, because no rule of f implies another.  So the two rules are equal, and
    R is a rule of g.

    >>> from littlestone.points import Strings
    >>> flights = Product((Strings("carrier"), Strings("origin"), Strings("dest")))
    >>> RuleUnion(flights, frozenset({(None, "JFK", "HNL"), ("HA", None, None)})).words()
    "carrier is 'HA' or (origin is 'JFK' and dest is 'HNL')"
    """

    domain: Domain[Any]  # a Product of infinite columns
    rules: frozenset[Rule]

    def __post_init__(self) -> None:
        kept: list[Rule] = []
        # Sorted, because listing a set shows the order in which it was filled, perhaps by records.
        for rule in sorted(self.rules, key=lambda rule: (_literals(rule), _order(rule))):
            if not any(obeys(rule, weaker) for weaker in kept):
                kept.append(rule)
        object.__setattr__(self, "rules", frozenset(kept))

    def __call__(self, x: Any) -> int:
        # Called for every record of a stream: these loops take a third of the time of `obeys`.
        for asked in self._asked:
            for c, v in asked:
                if x[c] != v:
                    break
            else:
                return 1
        return 0

    @cached_property
    def _asked(self) -> list[list[tuple[int, Any]]]:
        """The columns that each rule fixes, with their values."""
        return [[(c, v) for c, v in enumerate(rule) if v is not None] for rule in self.rules]

    def _listed(self) -> list[Rule]:
        """The rules in a canonical order: by what they ask of the first columns."""
        return sorted(self.rules, key=_order)

    def words(self) -> str:
        if not self.rules:
            return "always 0"
        shown = []
        for rule in self._listed():
            pairs = zip(self.domain.column_names, rule, strict=True)
            literals = [f"{name} is {v!r}" for name, v in pairs if v is not None]
            if not literals:
                return "always 1"
            joined = " and ".join(literals)
            shown.append(f"({joined})" if len(literals) > 1 < len(self.rules) else joined)
        return " or ".join(shown)

    def outcome(self) -> Outcome:
        return case([(either(*(obeyed(self.domain, rule) for rule in self._listed())), 1)], 0)

    def witness(self, other: Self) -> Any:
        differing = sorted(self.rules ^ other.rules, key=_literals)
        if not differing:
            return None
        # A shortest rule that only one of the two has implies no rule of the other.  Otherwise that
        # rule would be shorter, so both would have it, and one would have a rule that implies another.
        return record(self.domain, differing[0], self.rules | other.rules)

    @classmethod
    def voted(cls, voters: Sequence[Self], need: int) -> Self:
        """The weakest rules on which ``need`` voters are 1: conjunctions of their rules."""
        domain = voters[0].domain
        everything: Rule = (None,) * len(domain.column_names)
        # reached[c]: the rules on which at least c of the voters so far are 1.
        reached = [frozenset({everything}), *[frozenset[Rule]()] * need]
        for h, times in Counter(voters).items():
            for c in range(need, 0, -1):  # downwards, so that each voter counts once
                joined = _conjunctions(reached[max(0, c - times)], h.rules)
                reached[c] = cls(domain, reached[c].union(joined)).rules
        return cls(domain, reached[need])

    def form(self) -> dict[str, object]:
        return {"rules": [list(rule) for rule in self._listed()]}

    @classmethod
    def from_form(cls, domain: Domain[Any], form: Mapping[str, Any]) -> Self:
        rules = form["rules"]
        if not isinstance(domain, Product) or not isinstance(rules, list):
            raise ValueError
        columns = domain.columns
        legal = all(
            isinstance(rule, list)
            and len(rule) == len(columns)
            and all(v is None or v in column for v, column in zip(rule, columns, strict=True))
            for rule in rules
        )
        if not legal or any(column.size is not None for column in columns):
            raise ValueError
        return cls(domain, frozenset(map(tuple, rules)))


def obeyed(domain: Any, rule: Rule) -> Condition:
    """The records that have the values that ``rule`` asks for."""
    asked = zip(domain.columns, rule, strict=True)
    return both(*(among(column, (v,)) for column, v in asked if v is not None))


def _order(rule: Rule) -> list[tuple[bool, Any]]:
    return [(v is None, v) for v in rule]


def _literals(rule: Rule) -> int:
    return sum(v is not None for v in rule)


def obeys(x: Rule, rule: Rule) -> bool:
    """Whether the record ``x`` has the values that ``rule`` asks for; or the rule x implies it."""
    return all(v is None or v == u for u, v in zip(x, rule, strict=True))


def record(domain: Any, rule: Rule, avoided: Any) -> Rule:
    """A record that obeys ``rule``, with the first values not in ``avoided`` in its other columns."""
    used = list(zip(*avoided, strict=True)) or [()] * len(rule)
    return tuple(
        next(u for u in column if u not in taken) if v is None else v
        for column, v, taken in zip(domain.columns, rule, used, strict=True)
    )


def _conjunctions(some: Iterable[Rule], others: Iterable[Rule]) -> Iterable[Rule]:
    for one in some:
        for other in others:
            if all(u is None or v is None or u == v for u, v in zip(one, other, strict=True)):
                yield tuple(v if u is None else u for u, v in zip(one, other, strict=True))
