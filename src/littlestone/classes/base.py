"""The interface of a hypothesis class.  A version space is again a class."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any, Generic, Self, TypeGuard

import numpy as np
from numpy.typing import NDArray

from littlestone.base.errors import (
    DeclarationError,
    EmptyClassError,
    InfiniteDimensionError,
    TooLargeError,
    show_value,
)
from littlestone.data.sample import Sample, Step
from littlestone.points import Domain, Point
from littlestone.points.labels import require_label
from littlestone.privacy.scores import ErrorRuns, Scores
from littlestone.rules import Hypothesis

if TYPE_CHECKING:
    from littlestone.dimension.tables import SearchTable


DEEP = 64
"""The mistakes that a `mistake_point` still forces where trees are unbounded and none is infinite."""


class HypothesisClass(ABC, Generic[Point]):
    """A set H of functions X -> {0, ..., k}; immutable.  Restricting it gives its version spaces.

    A class with two labels derives from `BinaryClass`; any other sets its number of ``labels``.  If
    there are more than two labels, LDim is the multiclass Littlestone dimension (BGS21, Definition
    2.11).  A new class is one file that implements these methods and the text form `DeclaredClass`.
    """

    domain: Domain[Point]
    labels: int
    """The number k + 1 of labels."""

    @abstractmethod
    def restrict(self, x: Point, y: int) -> Self:
        """The version space H|(x,y) = {h in H : h(x) = y} (Lyu25, section 4)."""

    @abstractmethod
    def is_empty(self) -> bool:
        """Whether H has no hypothesis."""

    @property
    @abstractmethod
    def size(self) -> int | None:
        """The number of hypotheses; None if there are infinitely many, or too many to count."""

    @abstractmethod
    def littlestone_dimension(self) -> int | float:
        """LDim(H), the largest depth of a tree that H shatters; -1 if H is empty, or ``math.inf``."""

    def has_infinite_tree(self) -> bool:
        """Whether H shatters a tree in which every branch is infinite.

        By default, whether LDim(H) is infinite.  Thresholds on the natural numbers shatter trees of
        every depth, and no infinite one (lecture 5, section 4).
        """
        return self.littlestone_dimension() == float("inf")

    @abstractmethod
    def soa(self) -> Hypothesis[Point]:
        """The canonical function SOA_H: the least y with LDim(H|(x,y)) = LDim(H) (Lyu25, section 4).

        If no y keeps LDim, SOA_H(x) is the last y for which H|(x,y) has a hypothesis.  Raises
        `EmptyClassError` or `InfiniteDimensionError` if LDim(H) is not a number >= 0.
        """

    @abstractmethod
    def mistake_point(self) -> Point | None:
        """The root of a deepest shattered tree: x with LDim(H|(x,y)) >= LDim(H) - 1 for two y.

        None iff LDim(H) <= 0: no adversary can force a mistake.  If LDim(H) is infinite without an
        infinite tree, two y leave a dimension of at least `DEEP`, and one of them an infinite one.
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

        The default is a depth-first walk over the distinct points.  It prunes empty version spaces and
        those that err too often (Sauer: at most |S|^d survive).  A class may override it.
        At a point with several labels every hypothesis errs on all but at most one of them.  The walk
        counts these unavoidable errors first, and takes the points with the largest difference first.
        """
        require_labels_of(self, sample)
        steps, unavoidable = sample.steps()
        found: list[tuple[Self, int]] = []
        waiting = [(self, unavoidable, 0)] if unavoidable <= max_errors else []
        looked = 0
        while waiting:
            V, errors, depth = waiting.pop()
            if V.is_empty():
                continue
            looked += 1
            require_few(looked, most)
            if V.is_single():  # a single hypothesis is scored without further restriction
                errors += avoidable_errors(V.soa(), steps[depth:])
                found += [(V, errors)] if errors <= max_errors else []
            elif depth == len(steps):
                found.append((V, errors))
            else:
                x, costs = steps[depth]
                for y, cost in costs:
                    if errors + cost <= max_errors:
                        waiting.append((V.restrict(x, y), errors + cost, depth + 1))
        return found

    def least_errors(self, sample: Sample[Point]) -> int:
        """The fewest examples of ``sample`` that any h in H labels wrongly; H is not empty.

        The default is a walk like that of `error_ball`, which skips version spaces that err as often as
        the best hypothesis so far.  A class with a faster way overrides it.
        """
        require_labels_of(self, sample)
        steps, unavoidable = sample.steps()
        best, waiting = sample.n + 1, [(self, unavoidable, 0)]
        while waiting:
            V, errors, depth = waiting.pop()
            if errors >= best or V.is_empty():
                continue
            if V.is_single():
                errors += avoidable_errors(V.soa(), steps[depth:])
                best = min(best, errors)
            elif depth == len(steps):
                best = errors
            else:
                x, costs = steps[depth]
                for y, cost in reversed(costs):
                    waiting.append((V.restrict(x, y), errors + cost, depth + 1))
        return best

    def growth_function(self, points: int) -> int:
        """A public upper bound on the number of labellings that H gives any ``points`` points.

        The default is the smaller of |H| and the sum over i <= LDim(H) of C(points, i) k^i (Sauer).
        """
        d, k = self.littlestone_dimension(), self.labels - 1
        # If the dimension is larger, the bound is all (k + 1)^points labellings.
        total = ways = 1  # C(points, i) k^i, one after the other
        for i in range(int(min(d, points))):
            ways = ways * (points - i) * k // (i + 1)
            total += ways
        return total if self.size is None else min(self.size, total)

    def soa_label(self, x: Point) -> int:
        """SOA_H(x) by its definition, at one point; H is not empty.

        >>> from littlestone.classes import FiniteClass
        >>> FiniteClass.from_array([[0, 2], [2, 2], [2, 1]], labels=3).soa_label("x0")
        2
        """
        d, last = self.littlestone_dimension(), 0
        for y in range(self.labels - 1):
            V = self.restrict(x, y)
            if V.littlestone_dimension() == d:
                return y
            last = last if V.is_empty() else y
        # With two labels, the last one has a hypothesis if the first does not keep the dimension.
        k = self.labels - 1
        return k if k == 1 or not self.restrict(x, k).is_empty() else last

    @property
    def bits(self) -> int:
        """The number b = ceil(log2(k + 1)) of bits of a label."""
        return (self.labels - 1).bit_length()

    def littlestone_bounds(self) -> tuple[int | float, int | float]:
        """Proved numbers lower <= LDim(H) <= upper; a class overrides it if LDim itself is too hard.

        The default is LDim(H) twice.
        """
        return (self.littlestone_dimension(),) * 2

    def bound_reasons(self) -> tuple[str, str]:
        """Why the two `littlestone_bounds` hold, in words, if they differ."""
        return "", ""

    def search_table(self) -> SearchTable | None:
        """A table whose search narrows `littlestone_bounds`; None if nothing is to be searched."""
        return None

    def bit_class(self, i: int) -> HypothesisClass[Point]:
        """The class H|_i of all x -> bit i of h(x), h in H, or a two-label class that contains it.

        i is in 0, ..., b - 1, and bit 0 is the least significant one.  If H has two labels, this is H.
        Raises `DeclarationError` if H offers no such class.  (BGS21, section 3.1.)
        """
        if self.labels == 2 and i == 0:
            return self
        raise DeclarationError(
            f"take {self} apart into bits",
            found=f"there is no class of its bit {i}",
            fix="learn it by a method that takes several labels at once",
        )

    def is_single(self) -> bool:
        """Whether H has exactly one hypothesis; a class that counts slowly overrides this."""
        return self.size == 1

    def require_learnable(self) -> None:
        """Raise `EmptyClassError` or `InfiniteDimensionError` unless 0 <= LDim(H) < infinity."""
        if self.is_empty():
            raise EmptyClassError(
                f"learn the class {self}",
                found="it is empty: no hypothesis is left",
                fix="declare a class with at least one hypothesis",
            )
        # Finitely many points have finitely many functions, but either may be hard to count.
        finite = self.domain.size is not None or self.size is not None
        if not finite and self.littlestone_dimension() == float("inf"):
            raise InfiniteDimensionError(
                f"learn the class {self}",
                found="its Littlestone dimension is infinite, so no algorithm learns it online and "
                "none learns it under differential privacy",
                fix="declare a finite range and a step, such as thresholds(x, 0..100; step 0.01)",
            )


class BinaryClass(HypothesisClass[Point]):
    """A class of functions into {0, 1}, like most classes that a formula gives."""

    labels = 2


class ScoredClass(HypothesisClass[Point]):
    """A class with finitely many representations of its hypotheses, each of which can be scored.

    Two representations may denote the same function; the exponential mechanism then draws it more
    often.
    """

    @property
    @abstractmethod
    def forms(self) -> int:
        """The number of ways; 0 if there are none, or if they cannot be scored."""

    @property
    def most_errors(self) -> int | None:
        """The most errors, or costs, that `scores` has room for; None if there is no limit."""
        return None

    @property
    def joint(self) -> int:
        """The most columns of which `scores` asks how many records are in their cells.

        0 if it looks at points.
        """
        return 0

    def require_scorable(self) -> None:
        """Raise `DeclarationError` if there are too many hypotheses to score.

        A learner calls this when it is made, because later the budget of a draw is already spent.
        """
        return

    @abstractmethod
    def scores(self, sample: Sample[Point]) -> Scores:
        """The number of examples of ``sample`` that each way labels wrongly."""

    @abstractmethod
    def hypothesis_of_item(self, item: Any) -> Hypothesis[Point]:
        """The hypothesis of an item of `scores`."""

    def least_errors(self, sample: Sample[Point]) -> int:
        return self.scores(sample).least


class Enumerable(ScoredClass[Point]):
    """A class with finitely many numbered hypotheses, so that all of them can be scored."""

    @abstractmethod
    def hypothesis(self, index: int) -> Hypothesis[Point]:
        """Hypothesis number ``index`` in 0, ..., size - 1 of the canonical order."""

    @property
    def forms(self) -> int:
        return self.size or 0

    def require_listable(self) -> None:
        """Raise `DeclarationError` if there are too many hypotheses for `error_runs`.

        There may be fewer for it than for `scores`, which need not list them in order.
        """
        self.require_scorable()

    def scores(self, sample: Sample[Point]) -> Scores:
        return self.error_runs(sample)

    def hypothesis_of_item(self, item: Any) -> Hypothesis[Point]:
        return self.hypothesis(item)

    def table(self) -> NDArray[Any]:
        """The labels of all hypotheses at all points of a finite domain, one row per hypothesis."""
        from littlestone.rules.tables import values_of

        rows = [values_of(self.hypothesis(i), self.domain) for i in range(self.size or 0)]
        return np.array(rows).reshape(len(rows), self.domain.size or 0)

    @abstractmethod
    def error_runs(self, sample: Sample[Point]) -> ErrorRuns:
        """The number of examples of ``sample`` that each hypothesis labels wrongly.

        Raises `DeclarationError` for a sample with another number of labels.
        """


def is_scorable(H: HypothesisClass[Any]) -> TypeGuard[ScoredClass[Any]]:
    """Whether each hypothesis of the class can be scored."""
    if not isinstance(H, ScoredClass) or not H.forms:
        return False
    try:
        H.require_scorable()
    except DeclarationError:
        return False
    return True


def avoidable_errors(h: Hypothesis[Point], steps: Iterable[Step[Point]]) -> int:
    """The errors of h at the steps of a sample, beyond the unavoidable ones."""
    return sum(dict(costs)[h(x)] for x, costs in steps)


def require_few(looked: int, most: int | None) -> None:
    """Raise `TooLargeError` if more than ``most`` version spaces of an error ball are looked at."""
    if most is not None and looked > most:
        raise TooLargeError(
            f"list an error ball from at most {most} version spaces",
            found="it needs more",
            fix="allow more, or give a smaller number of errors or fewer points",
        )


def require_class(H: object) -> None:
    """Raise `DeclarationError` unless ``H`` is a class: a text, for one, is not read here."""
    if not isinstance(H, HypothesisClass):
        raise DeclarationError(
            f"learn {show_value(H)}",
            found=f"it is of type {type(H).__name__}, not a hypothesis class",
            fix="make one, such as Thresholds.on(0, 100), or read a text with parse_class()",
        )


def require_example(H: HypothesisClass[Any], x: object, y: object) -> None:
    """Raise `DeclarationError` unless ``x`` is a point of H's domain and ``y`` one of its labels."""
    H.domain.require(x)
    require_label(y, H.labels)


def require_labels_of(H: HypothesisClass[Any], sample: Sample[Any]) -> None:
    """Raise `DeclarationError` unless the sample has as many labels as the class."""
    if sample.labels != H.labels:
        raise DeclarationError(
            f"count the errors of {H} on a sample",
            found=f"the sample has {sample.labels} labels, and the class has {H.labels}",
            fix=f"declare {H.labels} labels for the sample",
        )


def require_two_labels(H: HypothesisClass[Any], asked: str) -> None:
    """Raise `DeclarationError` unless H has two labels; ``asked`` says in words what was asked."""
    require_class(H)
    if H.labels != 2:
        raise DeclarationError(
            f"{asked} {H}",
            found=f"it has {H.labels} labels",
            fix="give a class of two labels, or one of its bit classes",
        )


def plurality_label(H: HypothesisClass[Any], x: Any) -> int:
    """The label that most hypotheses of a finite class give ``x``; the last one if tied."""
    total, last = H.size, H.labels - 1
    counts = [H.restrict(x, y).size for y in range(last)]
    known = [count for count in counts if count is not None]
    if total is None or len(known) < last:
        raise DeclarationError(
            f"count the hypotheses of {H}",
            found="there are infinitely many, or too many to count",
            fix="use the standard optimal algorithm in place of halving",
        )
    known.append(total - sum(known))
    return max(range(H.labels), key=lambda y: (known[y], y))
