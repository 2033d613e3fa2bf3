"""Hypotheses: functions from a domain to {0, 1}, equal exactly when they agree everywhere.

Every kind of domain has one canonical way to write a function down, so that structural equality is
equality as functions: a histogram of hypotheses then adds the votes for one function, whatever
version space it came from, and a released hypothesis carries nothing but the function itself.
"""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from bisect import bisect_right
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Generic, Self

from littlestone.domains import Domain, Grid, Names, Point, Reals
from littlestone.errors import DeclarationError, ModelError


class Hypothesis(ABC, Generic[Point]):
    """A function h: X -> {0, 1}.  Hashable; f == g iff f(x) = g(x) for every x in the domain."""

    domain: Domain[Point]

    @abstractmethod
    def __call__(self, x: Point) -> int:
        """The label h(x) in {0, 1} of a point of the domain."""

    @abstractmethod
    def words(self) -> str:
        """The function in words, such as ``dep_delay >= 17``."""

    @abstractmethod
    def witness(self, other: Self) -> Point | None:
        """A point where this function and ``other``, of the same kind, differ; None if equal."""

    @abstractmethod
    def form(self) -> dict[str, object]:
        """The canonical form as plain JSON values; `from_form` reads it back."""

    @classmethod
    @abstractmethod
    def from_form(cls, domain: Domain[Any], form: Mapping[str, Any]) -> Self:
        """The function over ``domain`` whose canonical form is ``form``."""

    def to_json(self) -> dict[str, object]:
        """The function as plain JSON values, with its domain; `Hypothesis.from_json` reads it."""
        kind = type(self).__name__
        return {"kind": kind, "domain": self.domain.to_json(), **self.form()}

    @staticmethod
    def from_json(data: Mapping[str, Any]) -> Hypothesis[Any]:
        """The function that `to_json` wrote.  Raises `ModelError` if it is damaged.

        >>> rule = StepFunction.threshold(Grid(0, 9), 4)
        >>> Hypothesis.from_json(rule.to_json()) == rule
        True
        """
        kinds = {kind.__name__: kind for kind in Hypothesis.__subclasses__()}
        try:
            form = {key: data[key] for key in data if key not in ("kind", "domain")}
            return kinds[data["kind"]].from_form(Domain.from_json(data["domain"]), form)
        except (ArithmeticError, AttributeError, KeyError, TypeError, ValueError) as error:
            if isinstance(error, ModelError):
                raise
            raise ModelError(
                "read the hypothesis of a model",
                found="a field is missing or not of its kind",
                fix="use a model file as `littlestone fit` wrote it",
            ) from None


def disagreement(f: Hypothesis[Point], g: Hypothesis[Point]) -> Point | None:
    """A point x with f(x) != g(x), or None when f and g are equal as functions.

    Raises `DeclarationError` when they are functions on different domains.  O(size of the forms).

    >>> domain = Grid(0, 9)
    >>> disagreement(StepFunction.threshold(domain, 3), StepFunction.threshold(domain, 7))
    3
    """
    if f.domain != g.domain or type(f) is not type(g):
        raise DeclarationError(
            "compare two hypotheses",
            found=f"one is on the domain {f.domain}, the other on {g.domain}",
            fix="compare functions on one domain",
        )
    return f.witness(g)


@dataclass(frozen=True)
class StepFunction(Hypothesis[Any]):
    """A function on an ordered domain with finitely many steps: starts at ``first``, then flips.

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

    def witness(self, other: Self) -> int | Fraction | None:
        places = sorted({*self.changes, *other.changes})
        # Left of every change both are constant; the least point of a grid is left of all of them.
        if isinstance(self.domain, Grid):
            places.insert(0, self.domain.low)
        elif places:
            places.insert(0, places[0] - 1)
        else:
            places.append(Fraction(0))
        return next((x for x in places if self(x) != other(x)), None)

    def form(self) -> dict[str, object]:
        return {"first": self.first, "changes": [str(c) for c in self.changes]}

    @classmethod
    def from_form(cls, domain: Domain[Any], form: Mapping[str, Any]) -> Self:
        ordered = isinstance(domain, Grid | Reals) and isinstance(form["changes"], list)
        if not ordered or str(form["first"]) not in "01":
            raise ValueError
        kind = int if isinstance(domain, Grid) else Fraction
        # Longer numbers, and exponents, could take for ever to read.
        changes = [str(c) for c in form["changes"]]
        if not all(re.fullmatch(r"-?\d{1,400}(/\d{1,400})?", c) for c in changes):
            raise ValueError
        return cls(domain, int(form["first"]), tuple(map(kind, changes)))


@dataclass(frozen=True)
class FiniteSet(Hypothesis[Any]):
    """The indicator of a finite set of points of an infinite domain: h(x) = 1[x in members].

    >>> from littlestone.domains import Strings
    >>> FiniteSet(Strings("dest"), frozenset({"HNL"})).words()
    "dest is 'HNL'"
    """

    domain: Domain[Any]
    members: frozenset[Any]

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

    def form(self) -> dict[str, object]:
        return {"members": sorted(self.members)}

    @classmethod
    def from_form(cls, domain: Domain[Any], form: Mapping[str, Any]) -> Self:
        members = form["members"]
        infinite = domain.size is None and isinstance(members, list)
        if not infinite or not all(x in domain for x in members):
            raise ValueError
        return cls(domain, frozenset(members))


@dataclass(frozen=True)
class TableFunction(Hypothesis[str]):
    """A function on named points, one label a point in the domain's order, packed in an integer.

    Bit i of ``bits`` is the label of the i-th point.

    >>> TableFunction.from_labels(Names(("a", "b", "c")), [0, 1, 1]).words()
    "x is one of 'b', 'c'"
    """

    domain: Names
    bits: int

    def __post_init__(self) -> None:
        object.__setattr__(self, "bits", self.bits & ((1 << self.domain.size) - 1))

    @classmethod
    def from_labels(cls, domain: Names, labels: Iterable[int]) -> Self:
        """The function whose labels, in the order of the points, are ``labels``."""
        return cls(domain, sum(label << i for i, label in enumerate(labels)))

    def __call__(self, x: str) -> int:
        return self.bits >> self.domain.index(x) & 1

    def words(self) -> str:
        ones = [x for i, x in enumerate(self.domain.points) if self.bits >> i & 1]
        if len(ones) in (0, len(self.domain.points)):
            return f"always {int(bool(ones))}"
        if len(ones) == 1:
            return f"{self.domain.name} is {ones[0]!r}"
        return f"{self.domain.name} is one of {', '.join(map(repr, ones))}"

    def witness(self, other: Self) -> str | None:
        differing = self.bits ^ other.bits
        if not differing:
            return None
        return self.domain.points[(differing & -differing).bit_length() - 1]

    def form(self) -> dict[str, object]:
        return {"labels": "".join(str(self.bits >> i & 1) for i in range(self.domain.size))}

    @classmethod
    def from_form(cls, domain: Domain[Any], form: Mapping[str, Any]) -> Self:
        labels = form["labels"]
        if not isinstance(domain, Names) or len(labels) != domain.size or {*labels} - {*"01"}:
            raise ValueError
        return cls.from_labels(domain, map(int, labels))
