"""Pointwise combinations of two classes: f and g, f or g, f xor g."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from itertools import count
from math import comb, prod
from typing import Any, Self

import numpy as np

from littlestone.classes.base import HypothesisClass
from littlestone.classes.declared import declaration, parse_class
from littlestone.classes.spec import Spec
from littlestone.classes.tabled import Tabled, common_domain, distinct, require_table, rows_of
from littlestone.errors import DeclarationError

OPERATIONS: dict[str, Callable[..., Any]] = {
    "and": np.logical_and,
    "or": np.logical_or,
    "xor": np.logical_xor,
}


@dataclass(frozen=True)
class Combined(Tabled):
    """The functions x -> f(x) op g(x), f in F and g in G, for op one of and, or, xor.

    The table gives its LDim; `closure_bound` bounds it by the LDims of F and G.

    >>> from littlestone.classes import Thresholds
    >>> H = Thresholds.on(0, 14)
    >>> H.littlestone_dimension(), Combined.of("xor", H, H).littlestone_dimension()
    (4, 6)
    >>> closure_bound(4, 4)
    29
    """

    keyword = "combine"
    group = "combinations"

    @classmethod
    def of(cls, op: str, F: HypothesisClass[Any], G: HypothesisClass[Any]) -> Self:
        """The combination by the operation ``op``.  Raises `DeclarationError` if it is too large."""
        if op not in OPERATIONS:
            raise DeclarationError(
                f"combine {F} and {G} by {op!r}",
                found=f"the operations are {', '.join(OPERATIONS)}",
                fix="give one of them",
            )
        domain = common_domain([F, G], "a combination")
        f, g = rows_of(F), rows_of(G)
        require_table(f"the combination of {F} and {G}", len(f) * len(g), f.shape[1])
        rows = OPERATIONS[op](f[:, None], g[None, :]).reshape(-1, f.shape[1])
        texts = declaration(F), declaration(G)
        declared = f"combine({op}, {texts[0]}, {texts[1]})" if all(texts) else ""
        return cls.of_rows(domain, rows[distinct(rows)], declared)

    @classmethod
    def parse(cls, spec: Spec) -> Self:
        spec.expect("combine(and, CLASS, CLASS), or with or, xor in place of and", 3)
        op, first, second = spec.arguments
        return cls.of(op, *(parse_class(part, schema=spec.schema) for part in (first, second)))

    @classmethod
    def examples(cls) -> list[Self]:
        texts = [
            "combine(and, thresholds(x, 0..4), complement(thresholds(x, 0..4)))",
            "combine(xor, thresholds(x, 0..4), intervals(x, 0..4))",
            "combine(or, juntas(a, b; k 1), conjunctions(a, b; monotone))",
        ]
        return [cls.parse(Spec.parse(text)) for text in texts]


def closure_bound(*dimensions: int) -> int:
    """A proved bound on LDim({G(h_1, ..., h_k)}) for any fixed G: {0,1}^k -> {0,1}, LDim(H_i) = d_i.

    It is the largest T such that 2^t <= prod_i sum_{j <= d_i} C(t, j) for all t <= T.  It is
    O(k d log k) for d_1 = ... = d_k = d, as in GGKM21.  Proof: run the SOA of H_i along a branch of a
    shattered tree of depth t, and tell it where it errs.  On the labels of a function of H_i it errs at
    most d_i of t times, so H_i has at most sum_{j <= d_i} C(t, j) ways to err.  The k ways together
    determine all labels and so the branch, and each of the 2^t branches must have its own ways.

    >>> closure_bound(1), closure_bound(1, 1), closure_bound(1, 1, 1)
    (1, 5, 10)
    """
    for t in count():
        if prod(sum(comb(t, j) for j in range(d + 1)) for d in dimensions) < 2**t:
            return t - 1
    raise AssertionError  # unreachable: the product is a polynomial in t
