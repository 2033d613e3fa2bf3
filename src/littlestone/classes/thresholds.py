"""Thresholds on an ordered domain: finite Littlestone dimension on grids, infinite on the reals."""

from __future__ import annotations

import math
import re
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Self, cast

import numpy as np

from littlestone.base.errors import DeclarationError, InfiniteDimensionError, show_value
from littlestone.classes.base import DEEP, BinaryClass, Enumerable, require_example
from littlestone.classes.promises.covering import ProperApproximation
from littlestone.classes.text.declared import DeclaredClass
from littlestone.classes.text.spec import Spec, parse_ranged, quote_argument
from littlestone.data.sample import Sample
from littlestone.points import Grid, Integers, Reals
from littlestone.privacy.scores import ErrorRuns
from littlestone.rules import Hypothesis, StepFunction


def require_range(domain: object, asked: str) -> None:
    """Raise `DeclarationError` unless the domain is a grid or the reals."""
    if isinstance(domain, Grid | Reals):
        return
    if isinstance(domain, Integers):
        raise InfiniteDimensionError(
            f"declare {asked} on {domain}",
            found="the Littlestone dimension of these is unbounded, although no mistake tree is "
            "infinite, so no point of a largest tree can be asked",
            fix="declare a range, such as Grid(0, 1_000_000)",
        )
    raise DeclarationError(
        f"declare {asked} on {show_value(domain)}",
        found="it is not a range of numbers",
        fix="declare a range, such as Grid(0, 100)",
    )


@dataclass(frozen=True)
class Thresholds(Enumerable[Any], ProperApproximation[Any], BinaryClass[Any], DeclaredClass):
    """The functions h_t(x) = 1[x >= t] on an ordered domain, for the cuts t in (after, upto].

    On a grid of m <= 2^64 points the cuts are low, ..., high + 1, so there are m + 1 functions and

        LDim = floor(log2(number of cuts)).

    Nothing is enumerated: a version space is an interval of cuts, and all methods except `error_runs`
    cost O(1).  On the reals every nonempty version space has infinite Littlestone dimension
    (lecture 5, Example 2).  On all whole numbers from some on, trees have every depth and none is
    infinite (docs/proofs/infinite-trees.md).

    >>> H = Thresholds.on(0, 2**20 - 2)
    >>> H.littlestone_dimension(), H.restrict(1000, 1).soa().words()
    (20, 'x >= 489')
    >>> natural = Thresholds.parse(Spec.parse("thresholds(x, 0..)"))
    >>> natural.littlestone_dimension(), natural.has_infinite_tree()
    (inf, False)
    >>> natural.restrict(1000, 1).littlestone_dimension()
    9
    """

    keyword = "thresholds"
    group = "ranges"
    typical = "thresholds(age, 0..120)"

    domain: Grid | Reals | Integers
    after: int | Fraction | float
    upto: int | Fraction | float

    def __post_init__(self) -> None:
        if not isinstance(self.domain, Integers):
            require_range(self.domain, "thresholds")
        if not all(type(cut) in (int, Fraction, float) for cut in (self.after, self.upto)):
            raise DeclarationError(
                f"declare thresholds from {show_value(self.after)} to {show_value(self.upto)}",
                found="an end is not a number",
                fix="make the class with Thresholds.on(0, 100)",
            )
        if self.is_empty():  # one object, however it arose
            cut = self.domain.low if isinstance(self.domain, Grid) else self.domain.encode(0)
            object.__setattr__(self, "after", cut)
            object.__setattr__(self, "upto", cut)

    @classmethod
    def over(cls, domain: Grid | Reals | Integers) -> Self:
        """All thresholds on ``domain``.  Raises `DeclarationError` for other domains."""
        if isinstance(domain, Integers):
            return cls(domain, -math.inf, math.inf)
        require_range(domain, "thresholds")
        if isinstance(domain, Grid):
            return cls(domain, domain.low - 1, domain.high + 1)
        return cls(domain, -math.inf, math.inf)

    @classmethod
    def on(cls, low: int, high: int, name: str = "x") -> Self:
        """All thresholds on the whole numbers low, ..., high."""
        return cls.over(Grid(low, high, name))

    def restrict(self, x: int | Fraction, y: int) -> Self:
        require_example(self, x, y)
        after, upto = (self.after, min(self.upto, x)) if y else (max(self.after, x), self.upto)
        return type(self)(self.domain, after, upto)

    def is_empty(self) -> bool:
        return self.upto <= self.after

    @property
    def size(self) -> int | None:
        if self.is_empty():
            return 0
        if isinstance(self.domain, Reals) or math.inf in (self.upto, -self.after):
            return None
        return int(self.upto - self.after)

    @property
    def forms(self) -> int:
        # No declaration of whole numbers without an end has finitely many thresholds.
        return 0 if isinstance(self.domain, Integers) else super().forms

    def has_infinite_tree(self) -> bool:
        return isinstance(self.domain, Reals) and not self.is_empty()

    def littlestone_dimension(self) -> int | float:
        return math.inf if self.size is None else self.size.bit_length() - 1

    def soa(self) -> StepFunction:
        return StepFunction.threshold(self.domain, self._soa_cut())

    def _soa_cut(self) -> int:
        """The cut of the SOA: label 0 keeps the dimension d iff at least 2^d cuts lie above x."""
        self.require_learnable()
        return int(self.upto) - (1 << int(self.littlestone_dimension())) + 1

    def mistake_point(self) -> int | Fraction | None:
        if self.size is not None:
            return int(self.after) + self.size // 2 if self.size >= 2 else None
        if self.after == -math.inf and self.upto == math.inf:
            return self.domain.encode(0)
        if isinstance(self.domain, Integers):  # leave 2^DEEP cuts on the finite side
            below = self.after == -math.inf
            return int(self.upto) - (1 << DEEP) if below else int(self.after) + (1 << DEEP)
        if self.after == -math.inf:
            return Fraction(self.upto) - 1
        return Fraction(self.after) + (
            1 if self.upto == math.inf else (Fraction(self.upto) - Fraction(self.after)) / 2
        )

    def reducing_points(self, k: int) -> list[int] | None:
        cut = self._soa_cut()
        dimension = int(self.littlestone_dimension())
        if dimension == 0 or k < 1:
            return None
        # At x = cut the SOA is 1 and leaves the cuts up to it: fewer than 2^d except for one size.
        if self.size is not None and self.size <= 2 ** (dimension + 1) - 2:
            return [cut]
        return [cut - 1, cut] if k >= 2 else None

    def hypothesis(self, index: int) -> StepFunction:
        if self.size is None or not 0 <= index < self.size:
            raise IndexError(f"{self} has no hypothesis number {index}")
        return StepFunction.threshold(self.domain, int(self.after) + 1 + index)

    def growth_function(self, points: int) -> int:
        return points + 1 if self.size is None else min(self.size, points + 1)

    def mixture(self, f: Hypothesis[Any], alpha: Fraction) -> list[Hypothesis[Any]]:
        return [f]  # the SOA of every version space is a threshold with one of its cuts

    def most_mixed(self, alpha: Fraction) -> int:
        return 1

    def error_runs(self, sample: Sample[Any]) -> ErrorRuns:
        # h_t errs on the positives below t and on the negatives from t on, so the errors change
        # only from a cut t = x to t = x + 1 for a sample point x.  Offsets from the low end fit 64
        # bits; the first and the last run may be longer, and stay whole numbers of Python.
        if self.is_empty():
            return ErrorRuns(np.zeros(0, dtype=np.int64), [])
        self.require_learnable()
        whole = isinstance(self.domain, Integers)  # their offsets are numbers of Python
        low = self.after if whole else cast(Grid, self.domain).low
        size, kind = len(sample.points), object if whole else np.uint64
        low, after, upto = int(low), int(self.after), int(self.upto)
        offsets = np.fromiter((x - low for x in sample.points), dtype=kind, count=size)
        order = np.argsort(offsets)
        change = (sample.positives - sample.negatives)[order]
        errors = int(sample.negatives.sum()) + np.concatenate([[0], np.cumsum(change)])
        first, last = max(after - low, 0), upto - low if whole else min(upto - low, 2**64 - 1)
        stops = np.clip(offsets[order], *np.array([first, last], dtype=kind))
        lengths = [upto - after]
        if size:
            head, tail = low + int(stops[0]) - after, upto - low - int(stops[-1])
            lengths = [head, *np.diff(stops).tolist(), tail]
        kept = [r for r, length in enumerate(lengths) if length]
        return ErrorRuns(errors[kept].astype(np.int64), [lengths[r] for r in kept])

    @classmethod
    def parse(cls, spec: Spec) -> Self:
        written = spec.arguments[1] if len(spec.arguments) == 2 else ""
        if re.fullmatch(r"-?[0-9]{1,400}\.\.", written) and not spec.options:
            return cls(Integers(spec.arguments[0]), int(written[:-2]) - 1, math.inf)
        return cls.over(parse_ranged(spec))

    @classmethod
    def examples(cls) -> list[Self]:
        small = [cls.on(0, high) for high in range(7)]
        huge = cls.on(-(2**63), 2**63 - 1)
        short, endless = [cls.on(0, 9).restrict(6, 1), cls.on(0, 2**20 - 2)], cls.over(Reals())
        return [*small, *short, huge, endless, cls.parse(Spec.parse("thresholds(n, 0..)"))]

    def __str__(self) -> str:
        if isinstance(self.domain, Reals):
            declared = f"thresholds({quote_argument(self.domain.name)}, reals)"
        elif isinstance(self.domain, Integers):
            if self.upto == math.inf and self.after > -math.inf:
                return f"thresholds({quote_argument(self.domain.name)}, {int(self.after) + 1}..)"
            declared = f"thresholds on {self.domain}"
        else:
            low, high = self.domain.words(self.domain.low), self.domain.words(self.domain.high)
            step = "" if self.domain.unit == 1 else f"; step {self.domain.unit}"
            declared = f"thresholds({quote_argument(self.domain.name)}, {low}..{high}{step})"
        if self == type(self).over(self.domain):
            return declared
        return f"{declared} with cuts in ({self.after}, {self.upto}]"
