"""The direct sum of classes on disjoint domains: independently chosen functions, one of each."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Self, cast

from littlestone.base.errors import DeclarationError, show_value
from littlestone.classes.base import (
    BinaryClass,
    HypothesisClass,
    ScoredClass,
    require_class,
    require_example,
    require_two_labels,
)
from littlestone.classes.promises.covering import Steady, is_steady
from littlestone.classes.text.declared import DeclaredClass, describe_parts, parse_class
from littlestone.classes.text.spec import Spec
from littlestone.classes.union import least_limit
from littlestone.data.sample import Sample
from littlestone.points import Disjoint
from littlestone.privacy.scores import ErrorSums
from littlestone.rules import DirectSum

Place = tuple[int, Any]


@dataclass(frozen=True)
class DirectSumClass(ScoredClass[Place], Steady[Place], BinaryClass[Place], DeclaredClass):
    """The functions h(j, x) = h_j(x) on the disjoint union of the domains, h_j of the j-th part.

        LDim = the sum of the LDims of the parts

    Lower bound: hang a deepest tree of one part under every leaf of another.  Upper bound: run the SOA
    of each part on its own points.  A restriction changes one part only.  So the SOA is that of each
    part, and points reduce the sum iff the points in one part reduce that part.  All methods are exact
    on finite and infinite domains, and cost as much as those of the parts.  So do the errors: those of
    a function are those of its parts, added up.

    >>> from littlestone.classes import Points, Thresholds
    >>> from littlestone.points import Strings
    >>> H = DirectSumClass.of_parts([Thresholds.on(0, 6, "age"), Points(Strings("name"))])
    >>> H.littlestone_dimension(), H.restrict((1, "Ada"), 1).soa().words()
    (4, "of age: always 1; of name: name is 'Ada'")
    """

    keyword = "direct_sum"
    group = "combinations"
    typical = "direct_sum(thresholds(age, 0..120), thresholds(income, 0..200000))"

    domain: Disjoint
    parts: tuple[HypothesisClass[Any], ...]

    def __post_init__(self) -> None:
        if type(self.parts) is not tuple:
            raise DeclarationError(
                f"declare a direct sum of {show_value(self.parts)}",
                found="it is not a tuple of classes",
                fix="make it with DirectSumClass.of([Thresholds.on(0, 9), ...])",
            )
        for part in self.parts:
            require_class(part)
        if self.is_empty():  # one object, whichever part is empty
            object.__setattr__(self, "parts", tuple(map(_empty_space, self.parts)))

    @classmethod
    def of_parts(cls, parts: Sequence[HypothesisClass[Any]]) -> Self:
        """The direct sum of the parts.  Raises `DeclarationError` if two name the same column."""
        for part in parts:
            require_two_labels(part, "declare a direct sum with")
        return cls(Disjoint(tuple(part.domain for part in parts)), tuple(parts))

    def restrict(self, x: Place, y: int) -> Self:
        require_example(self, x, y)
        parts = list(self.parts)
        parts[x[0]] = parts[x[0]].restrict(x[1], y)
        return type(self)(self.domain, tuple(parts))

    def is_empty(self) -> bool:
        return any(part.is_empty() for part in self.parts)

    @property
    def size(self) -> int | None:
        sizes = [part.size for part in self.parts]
        if 0 in sizes:
            return 0
        return None if None in sizes else math.prod(size for size in sizes if size is not None)

    def is_single(self) -> bool:
        return all(part.is_single() for part in self.parts)

    def require_learnable(self) -> None:
        for part in self.parts:
            part.require_learnable()

    @property
    def forms(self) -> int:
        return math.prod(part.forms if isinstance(part, ScoredClass) else 0 for part in self.parts)

    @property
    def most_errors(self) -> int | None:
        return least_limit(self._scored_parts())

    def require_scorable(self) -> None:
        for part in self._scored_parts():
            part.require_scorable()

    def _scored_parts(self) -> list[ScoredClass[Any]]:
        return [part for part in self.parts if isinstance(part, ScoredClass)]

    def scores(self, sample: Sample[Place]) -> ErrorSums:
        return ErrorSums(
            [[part.scores(sample.of_parts[j]) for j, part in enumerate(self._scored_parts())]]
        )

    def hypothesis_of_item(self, item: Any) -> DirectSum:
        _, *items = item
        pairs = zip(self._scored_parts(), items, strict=True)
        return DirectSum(self.domain, tuple(part.hypothesis_of_item(own) for part, own in pairs))

    def least_errors(self, sample: Sample[Place]) -> int:
        pairs = zip(self.parts, sample.of_parts, strict=True)
        return sum(part.least_errors(own) for part, own in pairs)

    def is_steady(self) -> bool:
        return all(is_steady(part) for part in self.parts)

    def least_soa_errors(self, sample: Sample[Place], t: int) -> int:
        """See `Steady.least_soa_errors`; the parts share t, and each share is tried."""
        best = {t: 0}  # by what is left of t for the other parts
        # `is_steady` has said that all parts are.
        for part, own in zip(
            cast("Sequence[Steady[Any]]", self.parts), sample.of_parts, strict=True
        ):
            after: dict[int, int] = {}
            for i in range(int(min(t, part.littlestone_dimension())) + 1):
                more = part.least_soa_errors(own, i)
                for left in (left for left in best if left >= i):
                    found = best[left] + more
                    after[left - i] = min(found, after.get(left - i, found))
            best = after
        return best[0]

    def littlestone_dimension(self) -> int | float:
        if self.is_empty():
            return -1
        return sum(part.littlestone_dimension() for part in self.parts)

    def littlestone_bounds(self) -> tuple[int | float, int | float]:
        """The sums of those of the parts."""
        if self.is_empty():
            return -1, -1
        below, above = zip(*(part.littlestone_bounds() for part in self.parts), strict=True)
        return sum(below), sum(above)

    def bound_reasons(self) -> tuple[str, str]:
        return "the sum of those of its parts", "the sum of those of its parts"

    def has_infinite_tree(self) -> bool:
        # A branch of an infinite tree asks some part infinitely often (docs/proofs/infinite-trees.md).
        return not self.is_empty() and any(part.has_infinite_tree() for part in self.parts)

    def soa(self) -> DirectSum:
        self.require_learnable()
        return DirectSum(self.domain, tuple(part.soa() for part in self.parts))

    def mistake_point(self) -> Place | None:
        if self.is_empty():
            return None
        # The part of the largest dimension first: no other one has an infinite one to lose.
        order = sorted(range(len(self.parts)), key=lambda j: -self.parts[j].littlestone_dimension())
        roots = ((j, self.parts[j].mistake_point()) for j in order)
        return next(((j, x) for j, x in roots if x is not None), None)

    def reducing_points(self, k: int) -> list[Place] | None:
        self.require_learnable()
        for j, part in enumerate(self.parts):
            found = part.reducing_points(k)
            if found is not None:
                return [(j, x) for x in found]
        return None

    @classmethod
    def parse(cls, spec: Spec) -> Self:
        spec.expect_columns("direct_sum(CLASS, CLASS, ...)")
        return cls.of_parts([parse_class(text, schema=spec.schema) for text in spec.arguments])

    @classmethod
    def examples(cls) -> list[Self]:
        texts = [
            "direct_sum(thresholds(x, 0..4), thresholds(y, 0..2))",
            "direct_sum(intervals(x, 0..3), conjunctions(a, b))",
            "direct_sum(points(name), thresholds(x, 0..4))",
            "direct_sum(thresholds(x, reals), thresholds(y, 0..2))",
            "direct_sum(thresholds(y, 0..2), thresholds(x, 0..))",
        ]
        return [cls.parse(Spec.parse(text)) for text in texts]

    def __str__(self) -> str:
        return describe_parts(self.parts, "direct_sum", "the direct sum of")


def _empty_space(part: HypothesisClass[Any]) -> HypothesisClass[Any]:
    """The empty version space of a part."""
    x = part.domain.examples(1)[0]
    return part.restrict(x, 0).restrict(x, 1)
