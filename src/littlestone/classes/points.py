"""Point functions over an infinite domain: one unknown element is positive."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Self

from littlestone.base.errors import DeclarationError
from littlestone.classes.subsets import Subsets
from littlestone.classes.text.spec import Spec, quote_argument, require_open
from littlestone.points import Integers, Strings
from littlestone.points.base import require_domain


@dataclass(frozen=True)
class Points(Subsets):
    """The indicators 1[x = a] of single points of an infinite domain, with or without the constant 0.

    These are the sets of at most 1, or with ``exactly`` of exactly 1, elements.  LDim = 1 before a
    positive example, 0 after one, -1 after a contradiction.
    Raises `DeclarationError` for a finite domain.

    >>> H = Points(Strings("merchant"))
    >>> H.littlestone_dimension(), H.restrict("acme", 1).soa().words()
    (1, "merchant is 'acme'")
    """

    keyword = "points"
    group = "open vocabularies"
    typical = "points(merchant)"

    k: int = field(default=1, init=False, repr=False)

    def __post_init__(self) -> None:
        require_domain(self.domain, "declare the points of")
        if self.domain.size is not None:
            raise DeclarationError(
                f"declare the points of {self.domain}",
                found="there are finitely many",
                fix="give an open vocabulary, such as Strings(name); list a finite class in a table",
            )

    @classmethod
    def parse(cls, spec: Spec) -> Self:
        form = "points(COLUMN; integers, nonzero), both options free"
        spec.expect(form, 1, options=("integers", "nonzero"))
        require_open(name := spec.arguments[0])
        domain = Integers(name) if spec.flag("integers") else Strings(name)
        return cls(domain, exactly=spec.flag("nonzero"))

    @classmethod
    def examples(cls) -> list[Self]:
        words = cls(Strings())
        others = [words.restrict("v1", 0), words.restrict("v2", 1)]
        return [words, cls(Integers(), exactly=True), *others]

    @property
    def declaration(self) -> str:
        options = ["integers"] * isinstance(self.domain, Integers) + ["nonzero"] * self.exactly
        return (
            f"points({quote_argument(self.domain.name)}{'; ' * bool(options)}{', '.join(options)})"
        )
