"""The union of classes on one domain."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Self

import numpy as np

from littlestone.base.errors import DeclarationError, TooLargeError
from littlestone.classes.base import BinaryClass, HypothesisClass, ScoredClass
from littlestone.classes.promises.by_table import FEWER_COLUMNS, NoVersionSpaces
from littlestone.classes.promises.tabled import TableClass, common_domain, distinct, rows_of
from littlestone.classes.text.declared import declaration, describe_parts, parse_class
from littlestone.classes.text.spec import Spec
from littlestone.data.sample import Sample
from littlestone.points import Domain
from littlestone.privacy.scores import ErrorSums
from littlestone.rules import Hypothesis


@dataclass(frozen=True)
class Union(TableClass):
    """The functions of any of several classes on one finite domain.

    The LDims of the parts do not determine LDim, although for two parts

        max(d_1, d_2) <= LDim <= d_1 + d_2 + 1:

    run the SOA of one part until it errs d_1 + 1 times, then the SOA of the other.  LDim is found from
    the table, whose hypotheses are in the order of the parts, each function at its first place.  Parts
    that are too large for a table make a `ScoredUnion`, without version spaces.

    >>> from littlestone.classes import Thresholds
    >>> H = Thresholds.on(0, 6)
    >>> Union.of_parts([H, H]).littlestone_dimension(), Union.of_parts([H, Thresholds.on(0, 6)]).size
    (3, 8)
    """

    keyword = "union"
    group = "combinations"
    typical = "union(thresholds(age, 0..120), intervals(age, 0..120))"

    @classmethod
    def of_parts(cls, parts: Sequence[HypothesisClass[Any]]) -> Self:
        """The union of the parts.  Raises `DeclarationError` unless they share a finite domain."""
        domain = common_domain(parts, "a union")
        rows = np.concatenate([rows_of(part) for part in parts])
        texts = list(map(declaration, parts))
        declared = f"union({', '.join(texts)})" if all(texts) else ""
        return cls.of_rows(domain, rows[distinct(rows)], declared)

    @classmethod
    def parse(cls, spec: Spec) -> Any:
        spec.expect_columns("union(CLASS, CLASS, ...)")
        parts = [parse_class(text, schema=spec.schema) for text in spec.arguments]
        try:
            return cls.of_parts(parts)
        except DeclarationError:
            scored = tuple(part for part in parts if isinstance(part, ScoredClass) and part.forms)
            if len(scored) < len(parts):
                raise
            return ScoredUnion(common_domain(parts, "a union"), scored)

    @classmethod
    def examples(cls) -> list[Self]:
        texts = [
            "union(thresholds(x, 0..4), complement(thresholds(x, 0..4)))",
            "union(juntas(a, b, c; k 1), conjunctions(a, b, c; monotone))",
            "union(thresholds(x, 0..0))",
        ]
        return [cls.parse(Spec.parse(text)) for text in texts]


@dataclass(frozen=True)
class ScoredUnion(NoVersionSpaces, ScoredClass[Any], BinaryClass[Any]):
    """The functions of any of several classes on one domain, beyond the limit of a table.

    Its errors are those of the parts, one part after the other.  A function in several parts is scored
    in each of them, so the exponential mechanism draws it as often as all of them together (Theorem 6
    of docs/proofs/exponential-mechanism.md).  The scores cost as much as those of the parts.

    >>> H = Union.parse(Spec.parse("union(thresholds(x, 0..99999), intervals(x, 0..99999))"))
    >>> H.forms, H.littlestone_bounds()
    (5000150002, (31, 32))
    """

    why = "its parts have too many hypotheses for a table"
    remedy = FEWER_COLUMNS

    domain: Domain[Any]
    parts: tuple[ScoredClass[Any], ...]

    @property
    def forms(self) -> int:
        return sum(part.forms for part in self.parts)

    def littlestone_bounds(self) -> tuple[int, int]:
        """Above: run the SOA of each part until it errs too often, or halve the functions."""
        bounds = list(map(bounds_of, self.parts))
        # Each part is given up after one mistake more than its own bound; the last one is not.
        low, high = max(low for low, _ in bounds), sum(high + 1 for _, high in bounds) - 1
        return low, min(high, self.forms.bit_length() - 1)

    def bound_reasons(self) -> tuple[str, str]:
        return "its largest class", "follow one class after the other, or the majority"

    @property
    def most_errors(self) -> int | None:
        return least_limit(self.parts)

    def require_scorable(self) -> None:
        for part in self.parts:
            part.require_scorable()

    def scores(self, sample: Sample[Any]) -> ErrorSums:
        own = [part.scores(sample) for part in self.parts]
        return ErrorSums([[s] for s in own], lambda place: (place[0], own[place[0]].item(place[1])))

    def hypothesis_of_item(self, item: Any) -> Hypothesis[Any]:
        part, own = item
        hypothesis: Hypothesis[Any] = self.parts[part].hypothesis_of_item(own)
        return hypothesis

    def __str__(self) -> str:
        return describe_parts(self.parts, "union", "the union of")


def least_limit(parts: Iterable[ScoredClass[Any]]) -> int | None:
    """The most errors that the scores of all parts have room for; None if there is no limit."""
    limits = [part.most_errors for part in parts]
    return min((limit for limit in limits if limit is not None), default=None)


def bounds_of(part: ScoredClass[Any]) -> tuple[int, int]:
    """Bounds of the LDim of a finite class, whose search may take too long."""
    try:
        low, high = part.littlestone_bounds()
    except TooLargeError:
        return 0, part.forms.bit_length() - 1
    return int(low), int(high)
