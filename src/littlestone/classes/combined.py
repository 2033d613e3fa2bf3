"""Pointwise combinations of two classes: f and g, f or g, f xor g."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from itertools import count
from math import prod
from typing import Any, Self, cast

import numpy as np
from numpy.typing import NDArray

from littlestone.base.errors import DeclarationError, TooLargeError, in_digits
from littlestone.base.work import searching
from littlestone.classes.base import BinaryClass, Enumerable, HypothesisClass, ScoredClass
from littlestone.classes.dimensions.closed_forms import MOST_ENTRIES, halving
from littlestone.classes.promises.by_table import NoVersionSpaces
from littlestone.classes.promises.tabled import (
    LISTED,
    TableClass,
    common_domain,
    distinct,
    require_finite,
    require_table,
    rows_of,
)
from littlestone.classes.text.declared import declaration, parse_class
from littlestone.classes.text.spec import Spec
from littlestone.classes.union import bounds_of
from littlestone.data.sample import Sample
from littlestone.dimension.tables import PackedTable, SearchTable
from littlestone.points import Domain
from littlestone.privacy.scores import ErrorRuns
from littlestone.rules import Hypothesis, function_of_labels

OPERATIONS: dict[str, Callable[..., Any]] = {
    "and": np.logical_and,
    "or": np.logical_or,
    "xor": np.logical_xor,
}

MOST_PAIRS = 1 << 22
"""The most pairs of functions whose errors are found, each in about 1 ns a record."""

MOST_LISTED = 1 << 15
"""The most functions of one of the two, whose labels are listed point by point."""

MOST_POINTS = 1 << 16
"""The most points of the domain of pairs, because the drawn one is stored label by label."""

_AT_ONCE = 1 << 22  # labels of functions at points

_FEW_STEPS = 1 << 11  # of a search for the dimension of a part on half of the points

_ON_WORDS = {"and": np.bitwise_and, "or": np.bitwise_or, "xor": np.bitwise_xor}

MOST_HALVED = 1 << 12
"""The most points of a domain whose two halves are looked at one by one for a lower bound."""

MOST_WORDS = 1 << 23
"""The most words of 64 labels of all pairs, to find the different functions among them."""


@dataclass(frozen=True)
class Combined(TableClass):
    """The functions x -> f(x) op g(x), f in F and g in G, for op one of and, or, xor.

    The table gives its LDim; `closure_bound` bounds it by the LDims of F and G.  Classes that are too
    large for a table make `ScoredPairs`, without version spaces.

    >>> from littlestone.classes import Thresholds
    >>> H = Thresholds.on(0, 14)
    >>> H.littlestone_dimension(), Combined.combine("xor", H, H).littlestone_dimension()
    (4, 6)
    >>> closure_bound(4, 4)
    29
    """

    keyword = "combine"
    group = "combinations"
    typical = "combine(and, thresholds(age, 0..120), complement(thresholds(age, 0..120)))"

    @classmethod
    def combine(cls, op: str, F: HypothesisClass[Any], G: HypothesisClass[Any]) -> Self:
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
    def parse(cls, spec: Spec) -> Any:
        spec.expect("combine(and, CLASS, CLASS), or with or, xor in place of and", 3)
        op, *texts = spec.arguments
        F, G = (parse_class(part, schema=spec.schema) for part in texts)
        try:
            return cls.combine(op, F, G)
        except TooLargeError:
            if not isinstance(F, Enumerable) or not isinstance(G, Enumerable):
                raise
            return ScoredPairs(common_domain([F, G], "a combination"), op, F, G)

    @classmethod
    def examples(cls) -> list[Self]:
        texts = [
            "combine(and, thresholds(x, 0..4), complement(thresholds(x, 0..4)))",
            "combine(xor, thresholds(x, 0..4), intervals(x, 0..4))",
            "combine(or, juntas(a, b; k 1), conjunctions(a, b; monotone))",
        ]
        return [cls.parse(Spec.parse(text)) for text in texts]


@dataclass(frozen=True)
class ScoredPairs(NoVersionSpaces, ScoredClass[Any], BinaryClass[Any]):
    """The pairs of a function f of F and a function g of G, beyond the limit of a table.

    With w = negatives - positives at each point, sums of w(x) f(x) g(x) over the points are the entries
    of a product of matrices.  From these come the errors of "f and g", and of f + g - f g and
    f + g - 2 f g, which are "or" and "xor".  A function is scored for each pair that makes it, so the
    exponential mechanism draws it more often (Theorem 6 of docs/proofs/exponential-mechanism.md).  The
    scores take O(|F| |G| records).

    >>> H = Combined.parse(Spec.parse("combine(xor, intervals(x, 0..40), intervals(x, 0..40))"))
    >>> H.forms, H.littlestone_bounds()
    (743044, (14, 19))
    """

    why = "it has too many functions for a table"
    remedy = "declare shorter ranges; `fit --method exponential` needs no version spaces"

    domain: Domain[Any]
    op: str
    first: Enumerable[Any]
    second: Enumerable[Any]

    def __post_init__(self) -> None:
        for part in (self.first, self.second):
            require_finite(part, f"combine by {self.op} with", MOST_POINTS)

    def require_scorable(self) -> None:
        for part in (self.first, self.second):
            part.require_listable()
        larger = max(self.first.forms, self.second.forms)
        if self.forms > MOST_PAIRS or larger > MOST_LISTED:
            raise TooLargeError(
                f"count the errors of {self}",
                found=f"there are {in_digits(self.forms)} pairs of functions, and up to "
                f"{in_digits(larger)} of one class; at most {MOST_PAIRS:,} pairs and "
                f"{MOST_LISTED:,} of a class are scored",
                fix="declare fewer columns, shorter ranges or a coarser step",
            )

    @property
    def forms(self) -> int:
        return self.first.forms * self.second.forms

    def littlestone_bounds(self) -> tuple[int, int]:
        """Below: F itself, if some g leaves every f as it is; for "xor" any g, which swaps labels.

        Or F on one half of the points and G on the other, if both can leave the other half as it is.
        """
        parts = self.first, self.second
        bounds = list(map(bounds_of, parts))
        kept = [
            low for (low, _), other in zip(bounds, parts[::-1], strict=True) if self._leaves(other)
        ]
        high = closure_bound(*(high for _, high in bounds))
        return max([0, *kept, self._halves]), min(high, halving(self.forms))

    @cached_property
    def _halves(self) -> int:
        """LDim of functions of F that are neutral on the second half of the points, + the other way."""
        points, unit = self.domain.size or 0, int(self.op == "and")
        if points > MOST_HALVED:
            return 0
        x = list(self.domain)
        halves = x[: points // 2], x[points // 2 :]

        def inside(part: HypothesisClass[Any], half: list[Any]) -> int:
            for point in half:
                part = part.restrict(point, unit)
            with searching(_FEW_STEPS):  # a search that takes more leaves the bound 0
                return -1 if part.is_empty() else bounds_of(cast("ScoredClass[Any]", part))[0]

        found = [
            (inside(self.first, halves[i]), inside(self.second, halves[1 - i])) for i in (0, 1)
        ]
        return max((sum(both) for both in found if min(both) >= 0), default=0)

    def bound_reasons(self) -> tuple[str, str]:
        above = "`closure_bound` of the bounds of its two classes, or the majority of the pairs"
        below = (
            "its classes, where the other one is neutral, docs/proofs/closed-forms.md, Theorem 8"
        )
        return below, above

    def search_table(self) -> SearchTable | None:
        """All functions, out of all pairs."""
        bounds, points = self.littlestone_bounds(), self.domain.size or 0
        listed = max(self.first.forms, self.second.forms) * points <= LISTED
        if bounds[0] == bounds[1] or not listed or self.forms * -(-points // 64) > MOST_WORDS:
            return None
        f, g = (PackedTable.pack(rows_of(part)).rows for part in (self.first, self.second))
        words = _ON_WORDS[self.op](f[:, None], g[None, :]).reshape(-1, f.shape[1])
        table = PackedTable.of_words(words, points)
        bounds = bounds[0], min(bounds[1], halving(table.size))
        if table.size * points <= MOST_ENTRIES:
            return SearchTable(table, bounds)
        some = np.random.default_rng(0).choice(table.size, MOST_ENTRIES // points, replace=False)
        table = PackedTable.of_words(table.rows[np.sort(some)], points)
        return SearchTable(table, bounds, whole=False, reason="a search of some of its functions")

    def _leaves(self, part: Enumerable[Any]) -> bool:
        """Whether some function of the part leaves all others as they are, up to swapped labels."""
        points, unit = tuple(self.domain), int(self.op == "and")
        counts = np.zeros((len(points), 2), dtype=np.int64)
        counts[:, unit] = 1
        return self.op == "xor" or part.scores(Sample(self.domain, points, counts)).least == 0

    def scores(self, sample: Sample[Any]) -> ErrorRuns:
        sizes = self.first.forms, self.second.forms
        both = np.zeros(sizes)  # floats, whose products numpy finds fast; whole numbers stay exact
        f_sums, g_sums = np.zeros((sizes[0], 1)), np.zeros(sizes[1])
        weights = (sample.negatives - sample.positives).astype(np.float64)
        each = max(1, _AT_ONCE // max(sizes))
        for start in range(0, len(weights), each):
            own = weights[start : start + each]
            some = [sample.points[i] for i in range(start, start + len(own))]
            f, g = self._labels(self.first, some), self._labels(self.second, some)
            weighed = g * own[:, None]
            # The weight where f and g are both 1; "or" and "xor" follow from it and the weights of
            # f and of g.
            both += f.T @ weighed
            f_sums[:, 0] += own @ f
            g_sums += own @ g
        if self.op != "and":
            both = f_sums + g_sums - (1 if self.op == "or" else 2) * both
        return ErrorRuns(both.astype(np.int64).ravel() + int(sample.positives.sum()))

    def _labels(self, part: Enumerable[Any], points: list[Any]) -> NDArray[np.float64]:
        """The labels [point, function]: a function errs on the record (x, 0) if its label is 1."""
        one = np.array([[1, 0]])
        rows = [part.error_runs(Sample(part.domain, (x,), one)) for x in points]
        lengths = [np.array([1] if r.lengths is None else r.lengths, dtype=np.int64) for r in rows]
        return np.array(
            [np.repeat(r.errors, own) for r, own in zip(rows, lengths, strict=True)], np.float64
        )

    def hypothesis_of_item(self, item: int) -> Hypothesis[Any]:
        f, g = (
            part.hypothesis(i)
            for part, i in zip(
                (self.first, self.second), divmod(item, self.second.forms), strict=True
            )
        )
        op = OPERATIONS[self.op]
        return function_of_labels(self.domain, (int(op(f(x), g(x))) for x in self.domain))

    def __str__(self) -> str:
        return f"combine({self.op}, {self.first}, {self.second})"


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
    sums = [int(d >= 0) for d in dimensions]
    last = [int(d == 0) for d in dimensions]  # C(t, d)
    for t in count():
        # The product of numbers of a and b bits is at least 2^(a - 1 + b - 1).
        # The product bounds the patterns on t points (Sauer); below 2^t no tree of depth t is
        # shattered.
        if sum(s.bit_length() - 1 for s in sums) < t and prod(sums) < 2**t:
            return t - 1
        sums = [2 * s - c for s, c in zip(sums, last, strict=True)]
        last = [
            c * (t + 1) // (t + 1 - d) if c else int(t + 1 == d)
            for c, d in zip(last, dimensions, strict=True)
        ]
    raise AssertionError  # unreachable: the product is a polynomial in t
