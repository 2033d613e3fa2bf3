"""The union of classes on one domain."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Self

import numpy as np

from littlestone.classes.base import HypothesisClass
from littlestone.classes.declared import declaration, parse_class
from littlestone.classes.spec import Spec
from littlestone.classes.tabled import Tabled, common_domain, distinct, rows_of


@dataclass(frozen=True)
class Union(Tabled):
    """The functions of any of several classes on one finite domain.

    The LDims of the parts do not determine LDim, but for two parts

        max(d_1, d_2) <= LDim <= d_1 + d_2 + 1:

    run the SOA of one part until it errs d_1 + 1 times, then the SOA of the other.  LDim is found from
    the table, whose hypotheses are in the order of the parts, each function at its first place.

    >>> from littlestone.classes import Thresholds
    >>> H = Thresholds.on(0, 6)
    >>> Union.of([H, H]).littlestone_dimension(), Union.of([H, Thresholds.on(0, 6)]).size
    (3, 8)
    """

    keyword = "union"
    group = "combinations"

    @classmethod
    def of(cls, parts: Sequence[HypothesisClass[Any]]) -> Self:
        """The union of the parts.  Raises `DeclarationError` unless they share a finite domain."""
        domain = common_domain(parts, "a union")
        rows = np.concatenate([rows_of(part) for part in parts])
        texts = list(map(declaration, parts))
        declared = f"union({', '.join(texts)})" if all(texts) else ""
        return cls.of_rows(domain, rows[distinct(rows)], declared)

    @classmethod
    def parse(cls, spec: Spec) -> Self:
        spec.expect_columns("union(CLASS, CLASS, ...)")
        return cls.of([parse_class(text, schema=spec.schema) for text in spec.arguments])

    @classmethod
    def examples(cls) -> list[Self]:
        texts = [
            "union(thresholds(x, 0..4), complement(thresholds(x, 0..4)))",
            "union(juntas(a, b, c; k 1), conjunctions(a, b, c; monotone))",
            "union(thresholds(x, 0..0))",
        ]
        return [cls.parse(Spec.parse(text)) for text in texts]
