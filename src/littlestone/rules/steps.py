"""Functions on an ordered domain with finitely many steps."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import zip_longest
from typing import TYPE_CHECKING, Any, Self

from littlestone.points import Domain, Grid, Reals
from littlestone.rules.base import BinaryHypothesis

if TYPE_CHECKING:
    from littlestone.rules.languages.form import Outcome


@dataclass(frozen=True)
class StepFunction(BinaryHypothesis[Any]):
    """A function on an ordered domain that starts at ``first`` and flips finitely many times.

    h(x) = first xor (number of ``changes`` <= x, modulo 2).  Canonical: ``changes`` is strictly
    increasing and every change lies inside the domain, above its least point; the constructor
    brings any list of changes to that form.

    >>> StepFunction(Grid(0, 9), 0, (3, 5, 5)).words()
    'x >= 3'
    """

    domain: Domain[Any]
    first: int
    changes: tuple[int | Fraction, ...]

    def __post_init__(self) -> None:
        odd = sorted(c for c, times in Counter(self.changes).items() if times % 2)
        first = self.first
        if isinstance(self.domain, Grid):
            low, high = self.domain.low, self.domain.high
            first ^= sum(c <= low for c in odd) % 2
            odd = [c for c in odd if low < c <= high]
        object.__setattr__(self, "first", first)
        object.__setattr__(self, "changes", tuple(odd))

    @classmethod
    def threshold(cls, domain: Grid | Reals, t: int | Fraction) -> StepFunction:
        """The threshold function h_t(x) = 1[x >= t]."""
        return cls(domain, 0, (t,))

    def __call__(self, x: int | Fraction) -> int:
        return self.first ^ (bisect_right(self.changes, x) & 1)

    def words(self) -> str:
        name = self.domain.name
        if not self.changes:
            return f"always {self.first}"
        pieces = []
        if self.first:
            pieces.append(f"{name} < {self.domain.words(self.changes[0])}")
        ups = self.changes[self.first :]
        for start, stop in zip(ups[::2], [*ups[1::2], None], strict=False):
            pieces.append(
                f"{name} >= {self.domain.words(start)}"
                if stop is None
                else f"{self.domain.words(start)} <= {name} < {self.domain.words(stop)}"
            )
        return " or ".join(pieces)

    def outcome(self) -> Outcome:
        from littlestone.rules.languages.form import case, either
        from littlestone.rules.languages.regions import interval

        ends = [*([None] if self.first else []), *self.changes]
        spans, domain = zip_longest(ends[::2], ends[1::2]), self.domain
        if not isinstance(domain, Grid | Reals):  # an ordered domain of a package of its own
            return super().outcome()
        return case([(either(*(interval(domain, a, b) for a, b in spans)), 1)], 0)

    def witness(self, other: Self) -> int | Fraction | None:
        places = sorted({*self.changes, *other.changes})
        # Both are constant to the left of all changes, where the least point of a grid lies.
        if isinstance(self.domain, Grid):
            places.insert(0, self.domain.low)
        elif places:
            places.insert(0, places[0] - 1)
        else:
            places.append(Fraction(0))
        return next((x for x in places if self(x) != other(x)), None)

    def _changed(self, labels: Mapping[Any, int]) -> Self | None:
        if not isinstance(self.domain, Grid):
            return None
        return replace(self, changes=(*self.changes, *labels, *(x + 1 for x in labels)))

    @classmethod
    def voted(cls, voters: Sequence[Self], need: int) -> Self:
        votes = sum(h.first for h in voters)
        moves: Counter[Any] = Counter()
        for h in voters:
            for i, x in enumerate(h.changes):
                moves[x] += -1 if (h.first + i) % 2 else 1
        first = last = int(votes >= need)
        changes = []
        for x in sorted(moves):
            votes += moves[x]
            if int(votes >= need) != last:
                last = 1 - last
                changes.append(x)
        return cls(voters[0].domain, first, tuple(changes))

    def form(self) -> dict[str, object]:
        return {"first": self.first, "changes": [str(c) for c in self.changes]}

    @classmethod
    def from_form(cls, domain: Domain[Any], form: Mapping[str, Any]) -> Self:
        ordered = isinstance(domain, Grid | Reals) and isinstance(form["changes"], list)
        if not ordered or str(form["first"]) not in "01":
            raise ValueError
        kind = int if isinstance(domain, Grid) else Fraction
        # Longer numbers and exponents could take too long to read.
        changes = [str(c) for c in form["changes"]]
        if not all(re.fullmatch(r"-?\d{1,401}(/\d{1,401})?", c) for c in changes):
            raise ValueError
        return cls(domain, int(form["first"]), tuple(map(kind, changes)))
