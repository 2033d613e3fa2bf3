"""Finite sets of points of an infinite domain."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Self

from littlestone.domains import Domain
from littlestone.hypotheses.base import BinaryHypothesis


@dataclass(frozen=True)
class FiniteSet(BinaryHypothesis[Any]):
    """The indicator of a finite set of points of an infinite domain: h(x) = 1[x in members].

    >>> from littlestone.domains import Strings
    >>> FiniteSet(Strings("dest"), frozenset({"HNL"})).words()
    "dest is 'HNL'"
    """

    domain: Domain[Any]
    members: frozenset[Any]

    def __post_init__(self) -> None:
        # Listing a set shows the order in which it was filled, perhaps that of the records.
        object.__setattr__(self, "members", frozenset(sorted(self.members)))

    def __call__(self, x: object) -> int:
        return int(x in self.members)

    def words(self) -> str:
        members = sorted(self.members)
        if not members:
            return "always 0"
        if len(members) == 1:
            return f"{self.domain.name} is {members[0]!r}"
        return f"{self.domain.name} is one of {', '.join(map(repr, members))}"

    def witness(self, other: Self) -> object:
        return min(self.members ^ other.members, default=None)

    def _changed(self, labels: Mapping[Any, int]) -> Self:
        return replace(self, members=self.members.symmetric_difference(labels))

    @classmethod
    def voted(cls, voters: Sequence[Self], need: int) -> Self:
        held = Counter(x for h in voters for x in h.members)
        return cls(voters[0].domain, frozenset(x for x, votes in held.items() if votes >= need))

    def form(self) -> dict[str, object]:
        return {"members": [self.domain.point_to_json(x) for x in sorted(self.members)]}

    @classmethod
    def from_form(cls, domain: Domain[Any], form: Mapping[str, Any]) -> Self:
        listed = form["members"]
        if domain.size is not None or not isinstance(listed, list):
            raise ValueError
        members = list(map(domain.point_from_json, listed))
        if any(x is None for x in members):
            raise ValueError
        return cls(domain, frozenset(members))
