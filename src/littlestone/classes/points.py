"""Point functions over an infinite domain: one unknown element is positive."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Self

from littlestone.base.errors import DeclarationError
from littlestone.classes.base import require_example
from littlestone.classes.promises.covering import PointCovering, fewest_errors
from littlestone.classes.text.spec import Spec, quote_argument
from littlestone.data.sample import Sample
from littlestone.points import Domain, Integers, Strings
from littlestone.points.base import require_domain
from littlestone.rules import FiniteSet


@dataclass(frozen=True)
class Points(PointCovering):
    """The indicators 1[x = a] of single points of an infinite domain, with or without the constant 0.

    LDim = 1 before a positive example, 0 after one, -1 after a contradiction.  ``member`` is the
    positive point seen, ``excluded`` the negative ones.  `restrict` copies ``excluded``.
    Raises `DeclarationError` for a finite domain.

    >>> H = Points(Strings("merchant"))
    >>> H.littlestone_dimension(), H.restrict("acme", 1).soa().words()
    (1, "merchant is 'acme'")
    """

    keyword = "points"
    group = "open vocabularies"
    typical = "points(merchant)"

    domain: Domain[Any]
    zero: bool = True
    member: Any = None
    excluded: frozenset[Any] = frozenset()
    contradicted: bool = False

    def __post_init__(self) -> None:
        require_domain(self.domain, "declare the points of")
        if self.domain.size is not None:
            raise DeclarationError(
                f"declare the points of {self.domain}",
                found="there are finitely many",
                fix="give an open vocabulary, such as Strings(name); list a finite class in a table",
            )

    def restrict(self, x: Any, y: int) -> Self:
        require_example(self, x, y)
        legal = self.member in (None, x) and x not in self.excluded if y else x != self.member
        if self.contradicted or not legal:
            return type(self)(self.domain, self.zero, contradicted=True)
        if y:
            return type(self)(self.domain, self.zero, member=x)
        if self.member is not None:
            return self
        return type(self)(self.domain, self.zero, excluded=self.excluded | {x})

    @property
    def _left(self) -> int:
        return int(self.member is None)

    def soa(self) -> FiniteSet:
        self.require_learnable()
        members = () if self.member is None else (self.member,)
        return FiniteSet(self.domain, frozenset(members))

    def mistake_point(self) -> Any:
        if self.littlestone_dimension() < 1:
            return None
        return next(x for x in self.domain if x not in self.excluded)

    def least_errors(self, sample: Sample[Any]) -> int:
        known = frozenset() if self.member is None else frozenset([self.member])
        return fewest_errors(sample, known, self.excluded, 1 - len(known))

    @property
    def max_elements(self) -> int:
        return 1

    @property
    def fewest(self) -> int:
        return 0 if self.zero else 1

    @classmethod
    def parse(cls, spec: Spec) -> Self:
        form = "points(COLUMN; integers, nonzero), both options free"
        spec.expect(form, 1, options=("integers", "nonzero"))
        name = spec.arguments[0]
        domain = Integers(name) if spec.flag("integers") else Strings(name)
        return cls(domain, zero=not spec.flag("nonzero"))

    @classmethod
    def examples(cls) -> list[Self]:
        words = cls(Strings())
        return [
            words,
            cls(Integers(), zero=False),
            words.restrict("v1", 0),
            words.restrict("v2", 1),
        ]

    def __str__(self) -> str:
        options = ["integers"] if isinstance(self.domain, Integers) else []
        options += [] if self.zero else ["nonzero"]
        tail = "; " + ", ".join(options) if options else ""
        declared = f"points({quote_argument(self.domain.name)}{tail})"
        if self == type(self)(self.domain, self.zero):
            return declared
        seen = "a contradiction" if self.contradicted else "examples"
        return f"{declared} after {seen}"
