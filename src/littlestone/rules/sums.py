"""Functions on a disjoint union of domains."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Self

from littlestone.points import Disjoint, Domain, require_list
from littlestone.rules.base import BinaryHypothesis, Hypothesis, disagreement
from littlestone.rules.languages.form import Outcome, case
from littlestone.rules.languages.regions import shares
from littlestone.rules.majorities import vote


@dataclass(frozen=True)
class DirectSum(BinaryHypothesis[tuple[int, Any]]):
    """The function h(j, x) = h_j(x) on a disjoint union, with a function h_j on each domain.

    >>> from littlestone.points import Grid
    >>> from littlestone.rules import StepFunction
    >>> ages, hours = Grid(0, 99, "age"), Grid(0, 23, "hour")
    >>> parts = StepFunction.threshold(ages, 18), StepFunction.threshold(hours, 6)
    >>> DirectSum(Disjoint((ages, hours)), parts).words()
    'of age: age >= 18; of hour: hour >= 6'
    """

    domain: Disjoint
    parts: tuple[Hypothesis[Any], ...]

    def __call__(self, x: tuple[int, Any]) -> int:
        return self.parts[x[0]](x[1])

    def words(self) -> str:
        return "; ".join(f"of {part.domain.name}: {part.words()}" for part in self.parts)

    def outcome(self) -> Outcome:
        outcomes = [part.outcome() for part in self.parts]
        return case(zip(shares(self.domain), outcomes, strict=True), 0)

    def witness(self, other: Self) -> tuple[int, Any] | None:
        for j, (f, g) in enumerate(zip(self.parts, other.parts, strict=True)):
            if f != g:
                return j, disagreement(f, g)
        return None

    @classmethod
    def voted(cls, voters: Sequence[Self], need: int) -> Self | None:
        columns = zip(*(h.parts for h in voters), strict=True)
        parts = [vote(column, need) for column in columns]
        found = tuple(part for part in parts if part is not None)
        return cls(voters[0].domain, found) if len(found) == len(parts) else None

    def form(self) -> dict[str, object]:
        return {"parts": [part.to_json() for part in self.parts]}

    @classmethod
    def from_form(cls, domain: Domain[Any], form: Mapping[str, Any]) -> Self:
        parts = tuple(map(Hypothesis.from_json, require_list(form["parts"])))
        if not isinstance(domain, Disjoint) or domain.columns != tuple(h.domain for h in parts):
            raise ValueError
        return cls(domain, parts)
