"""The one interface of a hypothesis class: a version space is again a class."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Generic, Self

import numpy as np
from numpy.typing import NDArray

from littlestone.classes.spec import Spec
from littlestone.domains import Domain, Point
from littlestone.errors import (
    DeclarationError,
    EmptyClassError,
    InfiniteDimensionError,
    TooLargeError,
)
from littlestone.hypotheses import Hypothesis, labels_of
from littlestone.sample import Sample


class HypothesisClass(ABC, Generic[Point]):
    """A set H of functions X -> {0, 1}; immutable.  Restricting it gives its version spaces.

    A new class is one file in ``littlestone.classes`` that implements these methods.  It is then
    found by the command line (through ``keyword``), by the tests (through ``examples``) and by the
    conformance suite `littlestone.checks.yield_checks`.
    """

    keyword: ClassVar[str]
    """The word that starts the class's text, as in ``thresholds(dep_delay, -60..1440)``."""

    domain: Domain[Point]

    @abstractmethod
    def restrict(self, x: Point, y: int) -> Self:
        """The version space H|(x,y) = {h in H : h(x) = y} (Lyu25, section 4)."""

    @abstractmethod
    def is_empty(self) -> bool:
        """Whether H has no hypothesis."""

    @property
    @abstractmethod
    def size(self) -> int | None:
        """Number of hypotheses; None when there are infinitely many, or too many to count."""

    @abstractmethod
    def littlestone_dimension(self) -> int | float:
        """LDim(H), the largest depth of a tree shattered by H: -1 if empty, ``math.inf`` if none."""

    @abstractmethod
    def soa(self) -> Hypothesis[Point]:
        """The canonical function SOA_H(x) = 0 if LDim(H|(x,0)) = LDim(H), else 1 (Lyu25, section 4).

        Raises `EmptyClassError` or `InfiniteDimensionError` where LDim(H) is not a number >= 0.
        """

    @abstractmethod
    def mistake_point(self) -> Point | None:
        """The root of a deepest shattered tree: a point x, LDim(H|(x,y)) >= LDim(H) - 1 for both y.

        None iff LDim(H) <= 0: no adversary can force a mistake.
        """

    @abstractmethod
    def reducing_points(self, k: int) -> list[Point] | None:
        """At most ``k`` points whose SOA labels lower LDim(H), or None: H is k-irreducible.

        H is k-irreducible when LDim(H|(x_1,SOA_H(x_1)),...,(x_k,SOA_H(x_k))) = LDim(H) for all
        x_1, ..., x_k (Lyu25, Definition 4.1).  Raises as `soa` does.
        """

    def error_ball(
        self, sample: Sample[Point], max_errors: int, *, most: int | None = None
    ) -> list[tuple[Self, int]]:
        """The ball {h in H : h errs at most ``max_errors`` times}, as version spaces with errors.

        Each pair (V, e) is a version space V != {} whose hypotheses all label the points of
        ``sample`` alike and so err on e <= ``max_errors`` of its examples; the V are disjoint and
        their union is the ball.  So one call answers for all smaller radii too.  With e, the V are
        in no particular order.  Raises `TooLargeError` when more than ``most`` version spaces
        are looked at: the one exception that depends on the data, for callers who bound their work.

        Here by a depth-first walk over the distinct points that prunes empty version spaces and those
        that err too often (Sauer: at most |S|^d survive); a class that knows better overrides it.
        A point with both labels costs every hypothesis its rarer one, so that is counted before the
        walk, and the points with the largest difference come first.
        """
        steps, unavoidable = _walk(sample)
        found: list[tuple[Self, int]] = []
        waiting = [(self, unavoidable, 0)] if unavoidable <= max_errors else []
        looked = 0
        while waiting:
            V, errors, depth = waiting.pop()
            if V.is_empty():
                continue
            looked += 1
            require_few(looked, most)
            if V.is_single():  # one hypothesis: it need not be restricted, only scored
                errors += _errors(V.soa(), steps[depth:])
                found += [(V, errors)] if errors <= max_errors else []
            elif depth == len(steps):
                found.append((V, errors))
            else:
                x, often, cost = steps[depth]
                waiting.append((V.restrict(x, often), errors, depth + 1))
                if errors + cost <= max_errors:
                    waiting.append((V.restrict(x, 1 - often), errors + cost, depth + 1))
        return found

    def least_errors(self, sample: Sample[Point]) -> int:
        """The least number of examples of ``sample`` that an h in H labels wrongly; H is not empty.

        Here by a walk as that of `error_ball`, which leaves out what errs as often as the best one
        found so far; a class that knows better overrides it.
        """
        steps, unavoidable = _walk(sample)
        best, waiting = sample.n + 1, [(self, unavoidable, 0)]
        while waiting:
            V, errors, depth = waiting.pop()
            if errors >= best or V.is_empty():
                continue
            if V.is_single():
                errors += _errors(V.soa(), steps[depth:])
                best = min(best, errors)
            elif depth == len(steps):
                best = errors
            else:
                x, often, cost = steps[depth]
                waiting.append((V.restrict(x, 1 - often), errors + cost, depth + 1))
                waiting.append((V.restrict(x, often), errors, depth + 1))
        return best

    def most_patterns(self, points: int) -> int:
        """At least the number of labellings that H gives any so many ``points``; public.

        Here the least of |H|, and sum over i <= LDim(H) of C(points, i) (Sauer; VC <= LDim).
        """
        d = self.littlestone_dimension()
        # All are 2^points, should the dimension be larger.
        ways = sum(math.comb(points, i) for i in range(int(min(d, points)) + 1))
        return ways if self.size is None else min(self.size, ways)

    @classmethod
    @abstractmethod
    def parse(cls, spec: Spec) -> Self:
        """The class that the text ``spec`` declares.  Raises `DeclarationError` if it is illegal."""

    @classmethod
    @abstractmethod
    def examples(cls) -> list[Self]:
        """Small and typical instances, on which the conformance checks run."""

    @abstractmethod
    def __str__(self) -> str:
        """The class in words; the text that `parse` reads, where the class has one."""

    def soa_label(self, x: Point) -> int:
        """SOA_H(x) by its definition, at one point."""
        kept = self.restrict(x, 0).littlestone_dimension() == self.littlestone_dimension()
        return 0 if kept else 1

    def is_single(self) -> bool:
        """Whether H has exactly one hypothesis; a class that is slow to count overrides it."""
        return self.size == 1

    def require_learnable(self) -> None:
        """Raise `EmptyClassError` or `InfiniteDimensionError` unless 0 <= LDim(H) < infinity."""
        if self.is_empty():
            raise EmptyClassError(
                f"learn the class {self}",
                found="it is empty: no hypothesis is left",
                fix="declare a class with at least one hypothesis",
            )
        # Finitely many points have finitely many functions; neither may be easy to count.
        finite = self.domain.size is not None or self.size is not None
        if not finite and self.littlestone_dimension() == float("inf"):
            raise InfiniteDimensionError(
                f"learn the class {self}",
                found="its Littlestone dimension is infinite, so no algorithm learns it online and "
                "none learns it under differential privacy",
                fix="declare a finite range and a step, such as thresholds(x, 0..100; step 0.01)",
            )


@dataclass(frozen=True)
class ErrorRuns:
    """Errors of the hypotheses 0, 1, ..., size - 1 of a class, in consecutive runs of equal errors.

    Run r is ``lengths[r]`` consecutive hypotheses, each with ``errors[r]`` wrong labels on the
    sample; ``lengths`` is None when every run is one hypothesis.  A billion thresholds between two
    data points are one run.
    """

    errors: NDArray[np.int64]
    lengths: Sequence[int] | None = None


class Enumerable(HypothesisClass[Point]):
    """A class whose finitely many hypotheses are numbered, so that all of them can be scored."""

    @abstractmethod
    def hypothesis(self, index: int) -> Hypothesis[Point]:
        """Hypothesis number ``index`` in 0, ..., size - 1 of the canonical order."""

    def require_scorable(self) -> None:
        """Raise `DeclarationError` if these are too many hypotheses for `error_runs`.

        A learner asks when it is made: later, the privacy of a draw would have been spent.
        """
        return

    def table(self) -> NDArray[np.bool_]:
        """The labels of all hypotheses at all points of a finite domain, a row a hypothesis."""
        rows = [labels_of(self.hypothesis(i), self.domain) for i in range(self.size or 0)]
        return np.array(rows, dtype=bool).reshape(len(rows), self.domain.size or 0)

    @abstractmethod
    def error_runs(self, sample: Sample[Point]) -> ErrorRuns:
        """The number of examples of ``sample`` that each hypothesis labels wrongly."""

    def least_errors(self, sample: Sample[Point]) -> int:
        return int(self.error_runs(sample).errors.min())


def _walk(sample: Sample[Point]) -> tuple[list[tuple[Point, int, int]], int]:
    """(x, y, c): c examples of x more have the label y than the other; and the errors none avoids."""
    difference = sample.positives - sample.negatives
    order = np.argsort(-np.abs(difference), kind="stable").tolist()
    steps = [(sample.points[j], int(difference[j] > 0), abs(int(difference[j]))) for j in order]
    return steps, int(np.minimum(sample.negatives, sample.positives).sum())


def _errors(h: Hypothesis[Point], steps: Iterable[tuple[Point, int, int]]) -> int:
    """The errors of h beyond those that none avoids."""
    return sum(cost for x, often, cost in steps if h(x) != often)


def require_few(looked: int, most: int | None) -> None:
    """Raise `TooLargeError` if more than ``most`` version spaces of an error ball are looked at."""
    if most is not None and looked > most:
        raise TooLargeError(
            f"list an error ball from at most {most} version spaces",
            found="it takes more",
            fix="allow more, or give a smaller number of errors or fewer points",
        )


def require_example(domain: Domain[Any], x: object, y: object) -> None:
    """Raise `DeclarationError` unless ``x`` is a point of the domain and ``y`` is 0 or 1."""
    domain.require(x)
    if y not in (0, 1):
        raise DeclarationError(
            f"restrict a class to the label {y!r}", found="a label is 0 or 1", fix="give 0 or 1"
        )


def majority_label(H: HypothesisClass[Any], x: Any) -> int:
    """The label that at least half of the hypotheses of a finite class give ``x``; 1 if tied."""
    zeros, total = H.restrict(x, 0).size, H.size
    if zeros is None or total is None:
        raise DeclarationError(
            f"count the hypotheses of {H}",
            found="there are infinitely many or too many to count, so no majority vote is taken",
            fix="use the standard optimal algorithm in place of halving",
        )
    return 0 if 2 * zeros > total else 1
