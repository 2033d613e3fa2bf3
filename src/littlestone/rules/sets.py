"""Finite sets of points of an infinite domain, and their complements."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Self

from littlestone.points import Domain
from littlestone.rules.base import BinaryHypothesis
from littlestone.rules.languages.form import Outcome, case
from littlestone.rules.languages.regions import among


@dataclass(frozen=True)
class FiniteSet(BinaryHypothesis[Any]):
    """The indicator of a finite set of points of an infinite domain: h(x) = 1[x in members].

    If ``rest`` is 1, it is the indicator of the complement: all points but the members have the label
    1.  No finite set of an infinite domain is the complement of another one, so the form is canonical.

    >>> from littlestone.points import Strings
    >>> FiniteSet(Strings("dest"), frozenset({"HNL"})).words()
    "dest is 'HNL'"
    >>> FiniteSet(Strings("dest"), frozenset({"HNL"}), 1).words()
    "dest is not 'HNL'"
    """

    domain: Domain[Any]
    members: frozenset[Any]
    rest: int = 0

    def __post_init__(self) -> None:
        # Listing a set shows the order in which it was filled, perhaps that of the records.
        object.__setattr__(self, "members", frozenset(sorted(self.members)))

    def __call__(self, x: object) -> int:
        return int(x in self.members) ^ self.rest

    def words(self) -> str:
        members = sorted(self.members)
        if not members:
            return f"always {self.rest}"
        if len(members) == 1:
            return f"{self.domain.name} is {'not ' * self.rest}{members[0]!r}"
        which = "none" if self.rest else "one"
        return f"{self.domain.name} is {which} of {', '.join(map(repr, members))}"

    def outcome(self) -> Outcome:
        return case([(among(self.domain, self.members), 1 - self.rest)], self.rest)

    def witness(self, other: Self) -> object:
        if self.rest == other.rest:
            return min(self.members ^ other.members, default=None)
        # They differ wherever both have or both lack the point, so almost everywhere.
        return next(x for x in self.domain if x not in self.members ^ other.members)

    def _changed(self, labels: Mapping[Any, int]) -> Self:
        return replace(self, members=self.members.symmetric_difference(labels))

    @classmethod
    def voted(cls, voters: Sequence[Self], need: int) -> Self:
        everywhere = sum(h.rest for h in voters)
        votes = Counter[Any]()  # beyond those that a point has if no voter names it
        for h in voters:
            votes.update(dict.fromkeys(h.members, 1 - 2 * h.rest))
        rest = int(everywhere >= need)
        named = {x for h in voters for x in h.members}
        kept = (x for x in named if int(everywhere + votes[x] >= need) != rest)
        return cls(voters[0].domain, frozenset(kept), rest)

    def form(self) -> dict[str, object]:
        members = [self.domain.point_to_json(x) for x in sorted(self.members)]
        return {"members": members, "rest": 1} if self.rest else {"members": members}

    @classmethod
    def from_form(cls, domain: Domain[Any], form: Mapping[str, Any]) -> Self:
        listed, rest = form["members"], form.get("rest", 0)
        if domain.size is not None or not isinstance(listed, list) or not (rest == 0 or rest == 1):
            raise ValueError
        members = list(map(domain.point_from_json, listed))
        if any(x is None for x in members):
            raise ValueError
        return cls(domain, frozenset(members), rest)
