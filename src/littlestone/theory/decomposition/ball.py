"""Error balls: unions of version spaces, from which a teacher takes its hypotheses."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Generic, Self

from littlestone.classes import HypothesisClass
from littlestone.data.sample import Sample
from littlestone.points import Point


@dataclass(frozen=True)
class Ball(Generic[Point]):
    """{h in H : h errs at most b times on a sample}, as disjoint version spaces, the cells.

    All hypotheses of a cell label the ``points`` of the sample alike and err equally often, and two
    cells differ at one of the points.  ``cells`` are pairs (V, errors).  ``whole`` is H, or the version
    space of H to which the ball was restricted.  A union of version spaces is not a version space: its
    cells do not give its LDim and SOA unless only one cell is left.
    """

    whole: HypothesisClass[Point]
    points: tuple[Point, ...]
    cells: tuple[tuple[HypothesisClass[Point], int], ...]

    def within(self, max_errors: int) -> Self:
        """The ball of a smaller radius."""
        return self._with(self.whole, [cell for cell in self.cells if cell[1] <= max_errors])

    def restrict(self, x: Point, y: int) -> Self:
        """The hypotheses of the ball with label y at any point x of the domain."""
        sides = ((V.restrict(x, y), errors) for V, errors in self.cells)
        return self._with(
            self.whole.restrict(x, y), [side for side in sides if not side[0].is_empty()]
        )

    def _with(
        self, whole: HypothesisClass[Point], cells: list[tuple[HypothesisClass[Point], int]]
    ) -> Self:
        return type(self)(whole, self.points, tuple(cells))

    def is_empty(self) -> bool:
        """Whether every hypothesis errs too often."""
        return not self.cells

    def separating_point(self) -> Point:
        """The first sample point at which two cells differ; there is one if there are two cells."""

        def label(V: HypothesisClass[Point], x: Point) -> int:
            return next(y for y in range(V.labels) if not V.restrict(x, y).is_empty())

        return next(x for x in self.points if len({label(V, x) for V, _ in self.cells}) > 1)

    def __str__(self) -> str:
        return f"an error ball of {self.whole}"


def error_ball(
    H: HypothesisClass[Point], sample: Sample[Point], max_errors: int, *, most: int | None = None
) -> Ball[Point]:
    """The ball {h in H : h errs at most ``max_errors`` times on ``sample``}.

    By `HypothesisClass.error_ball`; the balls of smaller radius are its `Ball.within`.  Raises
    `TooLargeError` when more than ``most`` version spaces are looked at.

    >>> from littlestone.classes import Thresholds
    >>> H = Thresholds.on(0, 2**20 - 2)
    >>> sample = Sample.from_examples(H.domain, [(10, 0), (1000, 1), (5000, 1)])
    >>> ball = error_ball(H, sample, 1)
    >>> [(V.size, errors) for V, errors in sorted(ball.cells, key=lambda cell: cell[0].after)]
    [(11, 1), (990, 0), (4000, 1)]
    >>> len(ball.within(0).cells)
    1
    """
    return Ball(H, tuple(sample.points), tuple(H.error_ball(sample, max_errors, most=most)))
