"""Classes of flats of a vector matroid: subspaces, and zero sets of polynomials.

Few points meet all flats of the largest rank.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import ClassVar, Self

from littlestone.base.work import count_steps as count_steps
from littlestone.base.work import measure_steps
from littlestone.classes.base import BinaryClass, HypothesisClass, require_example
from littlestone.classes.text.declared import DeclaredClass
from littlestone.classes.text.spec import Spec, quote_argument
from littlestone.data.sample import Sample
from littlestone.points import Product, Span, Vector

Vectors = tuple[Vector, ...]

_FEW = 128
"""The most points of a flat that are tried one by one."""


class BlockingSearch:
    """The search for at most k points that meet every flat; exact over every field.

    It knows the flats by two functions.  ``avoiding(points)`` is a flat with none of the points, or
    None.  ``points_in(U, among)`` are points that span those of U; with
    ``among``, an earlier result, they span the points that U has in common with its flat.  They are all
    of these points if ``all_points`` is true.

    A_1, ..., A_j are sets of points, where A_i holds all that is known of point i.

    1. Take a point of each.  If no flat avoids them all, they are the answer.
    2. Otherwise some flat U contains no A_i as a whole.  One of the k points is in U.  So A_i becomes
       its intersection with U for some i, or U is A_(j+1), or, if U has few points, one of them is.
       A branch ends when an A_i has no points.
    3. The flats are kept, so that most questions are answered by one of them.  Sets that led to nothing
    are kept as well.
    """

    def __init__(
        self,
        k: int,
        avoiding: Callable[[Vectors], Span | None],
        points_in: Callable[[Span, Vectors | None], Vectors],
        *,
        all_points: bool,
    ) -> None:
        self.k, self.avoiding, self.points_in = k, avoiding, points_in
        self.all_points = all_points
        self.flats: list[tuple[Span, Vectors]] = []  # each with its points
        self.missing: dict[Vector, tuple[int, int]] = {}
        self.failed: set[frozenset[Vectors]] = set()

    def points(self) -> Vectors | None:
        """The points, or None.  Depth first, with a stack of its own, as it may be deep."""
        states: list[tuple[Vectors, ...]] = [()]
        levels: list[Iterator[tuple[Vectors, ...]]] = []
        while states:
            if len(levels) < len(states):
                flat = self._flat_without(states[-1])
                if flat is None:
                    return tuple(A[0] for A in states[-1])
                levels.append(self._shrunk(states[-1], *flat))
            below = next(levels[-1], None)
            if below is None:
                self.failed.add(frozenset(states.pop()))
                levels.pop()
            elif frozenset(below) not in self.failed:
                states.append(below)
        return None

    def _shrunk(
        self, sets: tuple[Vectors, ...], U: Span, points: Vectors
    ) -> Iterator[tuple[Vectors, ...]]:
        """The ways to put one of the k points into U."""
        for i, A in enumerate(sets):
            if common := self.points_in(U, A):
                yield (*sets[:i], common, *sets[i + 1 :])
        if len(sets) < self.k:
            few = self.all_points and len(points) <= _FEW
            yield from ((*sets, A) for A in (((v,) for v in points) if few else (points,)))

    def _flat_without(self, sets: tuple[Vectors, ...]) -> tuple[Span, Vectors] | None:
        """A flat that contains none of the sets as a whole, with its points.

        None if each flat has the first point of one of them.
        """
        count_steps()
        fits = (1 << len(self.flats)) - 1
        for A in sets:
            fits &= self._not_containing(A)
        if fits:
            # The flat with the fewest of their points leaves the smallest sets.
            masks = [self.missing[v][0] for A in sets for v in A]
            numbers = (i for i in range(fits.bit_length()) if fits >> i & 1)
            return self.flats[max(numbers, key=lambda i: sum(mask >> i & 1 for mask in masks))]
        U = self.avoiding(tuple(A[0] for A in sets))
        if U is None:
            return None
        self.flats.append((U, self.points_in(U, None)))
        return self.flats[-1]

    def _not_containing(self, A: Vectors) -> int:
        """The flats, as a mask, that do not contain all points of A."""
        found = 0
        for v in A:
            mask, seen = self.missing.get(v, (0, 0))
            for i in range(seen, len(self.flats)):
                mask |= (v not in self.flats[i][0]) << i
            self.missing[v] = mask, len(self.flats)
            found |= mask
        return found


@dataclass(frozen=True)
class Flats(BinaryClass[Vector], DeclaredClass):
    """A lattice of flats: the subspaces U of a space E that vectors of points span.

    A point x is a vector ``embed(x)`` of E, and the flat U labels x by 1[embed(x) in U].  A version
    space is {U : ``inside`` <= U, rank U <= ``most``, U avoids ``negatives``}, where ``inside`` is
    spanned by the positive points; the negative ones are reduced modulo ``inside`` and scaled, so
    that equal version spaces compare equal.

    Let r be the largest rank of a U in it.  Then

        LDim = r - rank(inside),    SOA = the intersection of all U of rank r,

    proved in docs/proofs/algebraic-classes.md.  A subclass only has to search for a flat of some rank
    that avoids the negatives, and for points that meet all such flats.
    """

    domain: Product
    inside: Span
    negatives: frozenset[Vector] = frozenset()
    contradicted: bool = False

    _lists_points: ClassVar[bool]
    """Whether `_points_in` gives all points, and not only points that span them."""

    option: ClassVar[str]
    """The word for the number that bounds the class: dimension or degree."""

    @classmethod
    @abstractmethod
    def over(cls, columns: Sequence[str], q: int, number: int, /) -> Self:
        """The class on the vectors of the named ``columns`` over GF(q), bounded by ``number``."""

    @property
    @abstractmethod
    def most(self) -> int:
        """The largest legal rank of a flat."""

    @property
    def _is_initial(self) -> bool:
        """Whether this is the declared class, before any example."""
        return not (self.contradicted or self.inside.rank or self.negatives)

    @abstractmethod
    def embed(self, x: Vector) -> Vector:
        """The vector of E that stands for the point ``x``."""

    @abstractmethod
    def point(self, v: Vector) -> Vector:
        """The point for which the vector ``v`` of E stands."""

    @abstractmethod
    def _avoiding(self, negatives: frozenset[Vector], rank: int) -> Vectors | None:
        """Vectors of points that span with ``inside`` a flat of that rank without negatives."""

    @abstractmethod
    def _common(self, U: Vectors, W: Vectors) -> Vectors:
        """Vectors of points that span the intersection of two flats, modulo ``inside``."""

    @abstractmethod
    def _few(self, count: int) -> bool:
        """Whether ``count`` points are certainly too few to meet all flats of the largest rank."""

    @abstractmethod
    def _known_blocking(self, k: int) -> frozenset[Vector] | None:
        """At most k directions known to meet all flats that the negatives miss, or None."""

    @abstractmethod
    def _points_in(self, U: Span, among: Vectors | None = None) -> Vectors:
        """Vectors of points of the flat U outside of ``inside``, with the same span as all of them.

        With ``among``, which is an earlier result, only the points of that flat.
        """

    @abstractmethod
    def _point_of(self, direction: Vector) -> Vector:
        """A point with that direction modulo ``inside``."""

    def restrict(self, x: Vector, y: int) -> Self:
        require_example(self, x, y)
        v = self.inside.direction(self.embed(x))
        if self.contradicted or (y and not any(v)):
            return self
        inside, negatives = self.inside, self.negatives
        if y:
            count_steps(1 + len(negatives) * (4 + inside.rank * inside.width // 32))
            inside = inside.plus(v)
            negatives = frozenset(map(inside.direction, negatives))
        else:
            negatives |= {v}
        if (0,) * inside.width in negatives or inside.rank > self.most:
            nothing = Span(inside.order, inside.width)
            return replace(self, inside=nothing, negatives=frozenset(), contradicted=True)
        if inside.rank == self.most:  # one flat is left, whatever it avoids
            negatives = frozenset()
        return replace(self, inside=inside, negatives=negatives)

    def least_errors(self, sample: Sample[Vector]) -> int:
        return HypothesisClass.least_errors(self, sample)  # version spaces have no scores

    def is_empty(self) -> bool:
        return self.contradicted

    def is_single(self) -> bool:
        return self.littlestone_dimension() == 0  # the same answer as counting, but cheaper

    def littlestone_dimension(self) -> int:
        if self.contradicted:
            return -1
        self._find(core=False)
        return len(self._largest)

    def _find(self, *, core: bool) -> None:
        """Find `_largest`, and `_core` too, and count the steps each time, known or not.

        The public methods call it before they use them: see `littlestone.base.work`.
        """
        for name in ("_largest", "_core") if core else ("_largest",):
            if name in self._steps_by_name:
                count_steps(self._steps_by_name[name])
                continue
            with measure_steps() as taken:
                getattr(self, name)
            self._steps_by_name[name] = taken()

    @cached_property
    def _steps_by_name(self) -> dict[str, int]:
        return {}

    @cached_property
    def _largest(self) -> Vectors:
        """Vectors of points that span, with ``inside``, a flat of the largest rank."""
        top = min(self.most, self.inside.width - bool(self.negatives))  # E avoids nothing
        found = (self._avoiding(self.negatives, r) for r in range(top, self.inside.rank, -1))
        return next((U for U in found if U is not None), ())

    @property
    def _rank(self) -> int:
        """The largest rank."""
        return self.inside.rank + len(self._largest)

    @cached_property
    def _core(self) -> Vectors:
        """Vectors of points that span, modulo ``inside``, the intersection of all largest flats.

        A spanning point of the intersection so far is in all of them, or one of them avoids it and
        makes the intersection smaller.
        """
        core, shrinking = self._largest, True
        while shrinking:
            shrinking = False
            for v in core:
                U = self._avoiding(self.negatives | {self.inside.direction(v)}, self._rank)
                if U is not None:
                    core, shrinking = self._common(core, U), True
                    break
        return core

    @cached_property
    def _core_span(self) -> Span:
        return self._span(self._core)

    def _span(self, points: Vectors) -> Span:
        """The span of ``inside`` and the vectors."""
        span = self.inside
        for v in points:
            span = span.plus(v)
        return span

    def soa_label(self, x: Vector) -> int:
        self.domain.require(x)
        self.require_learnable()
        self._find(core=True)
        return int(self.embed(x) in self._core_span)

    def mistake_point(self) -> Vector | None:
        return None if self.littlestone_dimension() < 1 else self.point(self._largest[0])

    def reducing_points(self, k: int) -> list[Vector] | None:
        """See `HypothesisClass.reducing_points`.

        Immediate while the negatives and k more points are too few to meet all flats of the largest
        rank; otherwise exponential in k.
        """
        self.require_learnable()
        if self.littlestone_dimension() < 1 or k < 1:
            return None
        self._find(core=True)
        if self._core:  # every flat of the largest rank has these points: ``inside`` grows for free
            return [self.point(self._core[0])]
        # Now the SOA is 0 outside of ``inside``: k more negatives must meet the remaining flats.
        # A single point would have to be in all of these flats, and so in the core.
        if k == 1 or self._few(len(self.negatives) + k):
            return None
        known = self._known_blocking(k)
        if known is not None:
            return [self._point_of(v) for v in sorted(known)]
        found = BlockingSearch(
            k, self._without, self._points_in, all_points=self._lists_points
        ).points()
        return None if found is None else [self.point(v) for v in found]

    def _without(self, missed: Vectors) -> Span | None:
        """A largest flat without the points that have these vectors, or None."""
        points = self._avoiding(
            self.negatives.union(map(self.inside.direction, missed)), self._rank
        )
        return None if points is None else self._span(points)

    def _spanning(self, points: Iterable[Vector]) -> Vectors:
        """Those of the points that are not in the span of ``inside`` and the ones before."""
        found, span = [], self.inside
        for v in points:
            if v not in span:
                found.append(v)
                span = span.plus(v)
        return tuple(found)

    @classmethod
    def parse(cls, spec: Spec) -> Self:
        form = f"{cls.keyword}(COLUMN, COLUMN, ...; q ORDER, {cls.option} NUMBER)"
        spec.expect(form, len(spec.arguments) or 1, options=("q", cls.option))
        numbers = [spec.option(option) or "" for option in ("q", cls.option)]
        if not all(
            number.isascii() and number.isdigit() and len(number) < 25 for number in numbers
        ):
            raise spec.form_error(
                f"the order q of the field and the {cls.option} must be whole numbers", form
            )
        return cls.over(spec.arguments, int(numbers[0]), int(numbers[1]))

    def __str__(self) -> str:
        names = ", ".join(map(quote_argument, self.domain.column_names))
        bound = getattr(self, self.option)
        declared = f"{self.keyword}({names}; q {self.inside.order}, {self.option} {bound})"
        if self.contradicted:
            return f"{declared} after a contradiction"
        if not self.inside.rank and not self.negatives:
            return declared
        rank, count = self.inside.rank, len(self.negatives)
        return f"{declared} after positives of rank {rank} and {count} negatives"
