"""Where a rule on two columns of numbers holds, as areas of their plane."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from itertools import pairwise

from littlestone.pictures.canvas import Canvas
from littlestone.pictures.figures import short
from littlestone.pictures.ranges import AXIS, BEYOND, BOX, CHARACTER, GAP, Axis, Strip, small
from littlestone.points import MISSING, Cells
from littlestone.rules.trees import DecisionTree


@dataclass(frozen=True)
class Plane:
    """Where a rule of two labels on exactly two grids is 1: rectangles of cells (x, y).

    An area is ((x first, x last), (y first, y last)).  Missing values are the run (-1, -1).  ``cuts``
    are the cells at which conditions on either column begin or end.

    >>> from littlestone.points import Product
    >>> from littlestone.rules.trees import ColumnTest, conjunction
    >>> table = Product((Cells(("0", "18", "65"), "age"), Cells(("0", "9"), "dose")))
    >>> tests = [ColumnTest(0, frozenset(["65"])), ColumnTest(1, frozenset(["9"]))]
    >>> Plane.from_tree(DecisionTree(table, conjunction(tests))).areas
    (((2, 2), (1, 1)),)
    """

    columns: tuple[Cells, Cells]
    cuts: tuple[frozenset[int], frozenset[int]]
    areas: tuple[tuple[tuple[int, int], tuple[int, int]], ...]

    SIDE = AXIS + 1.3
    """The inches of the whole picture, with the names of the columns."""

    @classmethod
    def from_tree(cls, rule: DecisionTree) -> Plane | None:
        """The plane of a rule, or None if it has none."""
        used = sorted({test.column for test in rule.tests})
        columns = [rule.domain.columns[j] for j in used]
        if rule.labels != 2 or len(used) != 2:
            return None
        x, y = columns
        if not isinstance(x, Cells) or not isinstance(y, Cells):
            return None
        cuts = tuple(
            frozenset(
                cut
                for test in rule.tests
                if test.column == j
                for cut in Strip.of_test(test, column).cuts
            )
            for j, column in zip(used, (x, y), strict=True)
        )
        across, up = (_parts(found, len(c.starts)) for found, c in zip(cuts, (x, y), strict=True))
        point = [MISSING] * len(rule.domain.columns)
        areas = []
        for a in across:
            for b in up:
                point[used[0]], point[used[1]] = x.points[a[0] + 1], y.points[b[0] + 1]
                areas += [(a, b)] if rule(tuple(point)) else []
        return cls((x, y), (cuts[0], cuts[1]), tuple(areas))

    def draw_at(self, on: Canvas, left: float, top: float, label: str) -> None:
        """Draw it with its upper left corner at that place, in inches; ``label`` is that of 1."""
        across, up = map(Axis.of_column, self.columns)
        numbers = max(len(text) for _, text, _ in up.marks(self.cuts[1], up=True)) * CHARACTER
        x0 = left + 0.4 + numbers + BOX
        y0 = top + AXIS * (1 + BEYOND) + 0.3

        def place(axis: Axis, run: tuple[int, int]) -> tuple[float, float]:
            """Inches from the corner; missing values are a strip before the low end."""
            if run == (-1, -1):
                return -BOX - GAP, -GAP
            return axis.ends[run[0]] * AXIS, axis.ends[run[1] + 1] * AXIS

        whole = (0, len(across.starts) - 1), (0, len(up.starts) - 1)
        missing = (-1, -1)
        grounds = [(a, b) for a in (whole[0], missing) for b in (whole[1], missing)]
        for areas, tone in ((grounds, "rest"), (self.areas, "on")):
            for a, b in areas:
                (x1, x2), (y1, y2) = place(across, a), place(up, b)
                on.rect((x0 + x1, y0 - y2), (x0 + x2, y0 - y1), tone)
        beside, middle = BOX + GAP + 0.1, AXIS * (1 + BEYOND) / 2
        strip = GAP + BOX / 2
        small(on, (x0 + middle, y0 + strip), "missing")
        small(on, (x0 - strip, y0 - middle), "missing", upright=True)
        for at, text, cut in across.marks(self.cuts[0]):
            small(on, (x0 + at * AXIS, y0 + beside), text, bold=cut)
        for at, text, cut in up.marks(self.cuts[1], up=True):
            small(on, (x0 - beside, y0 - at * AXIS), text, side="end", bold=cut)
        names = [short(column.name, 30) for column in self.columns]
        small(on, (x0 + middle, y0 + beside + 0.2), names[0])
        small(on, (x0 - beside - numbers - 0.12, y0 - middle), names[1], upright=True)
        small(on, (x0, top + 0.15), short(label, 40), side="start", tone="on", bold=True)


def _parts(cuts: Collection[int], cells: int) -> list[tuple[int, int]]:
    """The missing value, and the runs of cells between cuts."""
    ends = [0, *sorted(cuts), cells]
    return [(-1, -1), *((a, b - 1) for a, b in pairwise(ends))]
