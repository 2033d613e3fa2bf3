"""Little pictures of conditions on the declared ranges of their columns, for figures of rules."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from math import inf, log
from statistics import mean
from typing import Any, Unpack

from littlestone.classes.text.scales import scale_text
from littlestone.pictures.canvas import SIZE, Canvas, Place, Style, short
from littlestone.points import MISSING, OTHER, Cells, Dates, FiniteColumn, Listed
from littlestone.points.base import Domain
from littlestone.rules.nodes import ColumnTest, runs_of_points
from littlestone.rules.trees import DecisionTree

_SMALL = SIZE - 3  # points of type
CHARACTER = 0.066  # inches at that size, a little too wide to be safe
_LINE = 0.13  # inches between two lines of that size
AXIS = 2.0  # inches from the low end to the high one
BEYOND = 0.08  # the part of an axis for what lies above the high end
BOX = 0.19  # inches
GAP = 0.08
_MOST_BOXES = 8


@dataclass(frozen=True)
class Axis:
    """The places of the cells of a declared grid: 0 at the low end and 1 at the high one.

    The scale is that of the numbers, or of their logarithms if the cells grow by equal ratios.  The
    last cell has no end, and reaches a little beyond 1.  On the public scale of a column with a type
    alone all cells have one width, and 0 is marked in place of the ends.

    >>> Axis.of_column(Cells(("0", "20", "80"), "age")).ends
    (0.0, 0.25, 1.0, 1.08)
    >>> [round(end, 2) for end in Axis.of_column(Cells(("1", "10", "100", "1000"), "income")).ends]
    [0.0, 0.33, 0.67, 1.0, 1.08]
    """

    starts: tuple[str, ...]
    ends: tuple[float, ...]
    marked: tuple[int, ...] | None = None

    @classmethod
    def of_column(cls, column: Cells) -> Axis:
        if scale_text(column.starts):
            evenly = cls.linear(column.starts, range(len(column.starts)))
            return replace(evenly, marked=(column.starts.index("0"),))
        values = column.positions
        scales = [values]
        if len(values) > 2 and values[0] > 0 and not isinstance(column, Dates):
            scales.append([log(value) for value in values])
        # As floats, numbers may be infinite or equal; then all cells have one width.
        told_apart = [scale for scale in scales if 0 < scale[-1] - scale[0] < inf]
        scale = min(told_apart, key=_unevenness, default=[float(i) for i in range(len(values))])
        width = scale[-1] - scale[0] or 1.0
        inside = tuple((value - scale[0]) / width for value in scale)
        return cls(column.starts, (*inside, inside[-1] + BEYOND))

    @classmethod
    def linear(cls, starts: Sequence[str], values: Sequence[int]) -> Axis:
        """The axis on which a cell starts at each of these numbers, which grow.

        >>> Axis.linear(["0", "30", "120"], [0, 30, 120]).ends
        (0.0, 0.25, 1.0, 1.08)
        """
        width = values[-1] - values[0] or 1
        inside = [(value - values[0]) / width for value in values]
        return cls(tuple(starts), (*inside, inside[-1] + BEYOND))

    def marks(self, cuts: Collection[int], *, up: bool = False) -> list[tuple[float, str, bool]]:
        """Where numbers are written: at the cuts (True), and at the ends or at 0 if not too near.

        Next to each other they need room for their characters; above each other, on an axis that goes
        ``up``, they do not.
        """
        found = [(self.ends[i], short(self.starts[i], 16), True) for i in sorted(cuts)]
        for i in self.marked or dict.fromkeys((0, len(self.starts) - 1)):
            place, text = self.ends[i], short(self.starts[i], 16)
            clear = all(
                abs(place - other) * AXIS
                > (_LINE if up else (len(text) + len(name) + 1) * CHARACTER / 2)
                for other, name, _ in found
            )
            found += [(place, text, False)] if clear else []
        return found


def _unevenness(values: list[float]) -> float:
    steps = [b - a for a, b in pairwise(values)]
    return (max(steps) - min(steps)) / mean(steps)


@dataclass(frozen=True)
class Strip:
    """One condition on its column: a box for each value it may name, and the axis of a grid.

    ``boxes`` are texts with whether the condition takes the value, the missing value first.  ``taken``
    are the runs [first, last] of cells that it takes on the ``axis``.

    >>> age = Cells(("0", "18", "65"), "age")
    >>> strip = Strip.of_test(ColumnTest(0, frozenset(["65"])), age)
    >>> strip.boxes, strip.taken, strip.axis.marks(strip.cuts)
    ((('missing', False),), ((2, 2),), [(1.0, '65', True), (0.0, '0', False)])
    >>> Strip.of_test(ColumnTest(0, frozenset(["F"])), Listed(("F", "M"), "sex")).boxes
    (('missing', False), ('other', False), ('F', True), ('M', False))
    """

    name: str
    boxes: tuple[tuple[str, bool], ...]
    axis: Axis | None = None
    taken: tuple[tuple[int, int], ...] = ()

    @classmethod
    def of_test(cls, test: ColumnTest, column: Domain[Any]) -> Strip:
        if isinstance(column, Cells):
            missing = (("missing", MISSING in test.accepted),)
            found = [
                (max(first, 1) - 1, last - 1)
                for first, last in runs_of_points(column, test.accepted)
                if last
            ]
            return cls(column.name, missing, Axis.of_column(column), tuple(found))
        boxes = few([(_value(x), x in test.accepted) for x in _values(test, column)])
        if not isinstance(column, FiniteColumn):
            boxes.append(("all others", False))
        return cls(column.name, tuple(boxes))

    @property
    def cuts(self) -> set[int]:
        """The cells at whose start the condition begins or ends to hold."""
        count = 0 if self.axis is None else len(self.axis.starts)
        ends = {end for first, last in self.taken for end in (first, last + 1)}
        return {end for end in ends if 0 < end < count}

    @property
    def height(self) -> float:
        """In inches."""
        return BOX + (0.26 if self.axis else 0.12)

    @property
    def width(self) -> float:
        """In inches, without the name."""
        boxes = sum(_width(text) + GAP for text, _ in self.boxes)
        return boxes + (AXIS * (1 + BEYOND) + 0.3 if self.axis else 0.0)

    def draw_at(self, on: Canvas, left: float, top: float) -> None:
        """Draw it with its upper left corner at that place, in inches."""
        for text, holds in self.boxes:
            _box(on, left, top, text, holds)
            left += _width(text) + GAP
        if self.axis is None:
            return
        left += 0.1
        ends = [left + place * AXIS for place in self.axis.ends]
        middle = top + BOX / 2
        _bar(on, ends[0], ends[-1], middle, "rest")
        for first, last in self.taken:
            _bar(on, ends[first], ends[last + 1], middle, "on")
        # The first cell takes all numbers below the low end, and the last one all from the high end on.
        for place, way, cell in ((ends[0], -1, 0), (ends[-1], 1, len(self.axis.starts) - 1)):
            tone = "on" if any(a <= cell <= b for a, b in self.taken) else "line"
            tip = [(place, middle - 0.06), (place + way * 0.08, middle), (place, middle + 0.06)]
            on.polygon(tip, tone)
        for place, text, cut in self.axis.marks(self.cuts):
            x = left + place * AXIS
            on.line([(x, top), (x, top + BOX)], "ink" if cut else "line", width=0.8)
            small(on, (x, top + BOX + 0.1), text, bold=cut)


def few(boxes: list[tuple[str, bool]]) -> list[tuple[str, bool]]:
    """The boxes, or of many the first ones that hold and how many others there are.

    >>> few([(str(i), True) for i in range(20)])[-2:]
    [('5', True), ('14 more', True)]
    """
    if len(boxes) <= _MOST_BOXES:
        return boxes
    first = [box for box in boxes if box[1] or box[0] == "missing"]
    shown = first[: _MOST_BOXES - 2]
    taken = sum(holds for _, holds in first[len(shown) :])
    others = len(boxes) - len(shown) - taken
    more = [(f"{taken} more", True)] * (taken > 0)
    return [*shown, *more, *[(f"{others} others", False)] * (others > 0)]


def strip_name(strip: Strip) -> str:
    """The name of a strip's column, as a figure writes it.

    >>> strip_name(Strip("a_column_of_a_very_long_name", ()))
    'a_column_of_a_very...'
    """
    return short(strip.name, 21)


def name_width(strips: tuple[Strip, ...]) -> float:
    """The inches that the names of strips take beside them; a single strip needs none."""
    if len(strips) < 2:
        return 0.0
    return max(len(strip_name(strip)) for strip in strips) * CHARACTER + 0.12


def draw_strips(on: Canvas, strips: tuple[Strip, ...], left: float, top: float) -> None:
    """Draw strips below each other, with their names if there are several."""
    names = name_width(strips)
    for strip in strips:
        if names:
            small(on, (left, top + BOX / 2), strip_name(strip), side="start")
        strip.draw_at(on, left + names, top)
        top += strip.height


def _values(test: ColumnTest, column: Domain[Any]) -> list[str]:
    return list(column) if isinstance(column, Listed) else sorted(test.accepted)


def _value(x: str) -> str:
    return {MISSING: "missing", OTHER: "other"}.get(x) or short(x, 16)


def _width(text: str) -> float:
    return len(text) * CHARACTER + 0.12


def _box(on: Canvas, left: float, top: float, text: str, holds: bool) -> None:
    width = _width(text)
    corners = (left, top), (left + width, top + BOX)
    on.rect(*corners, "on" if holds else "paper", edge="on" if holds else "line")
    small(on, (left + width / 2, top + BOX / 2), text, tone="paper" if holds else "ink")


def _bar(on: Canvas, left: float, right: float, middle: float, tone: str) -> None:
    on.rect((left, middle - 0.04), (right, middle + 0.04), tone)


def small(on: Canvas, place: Place, text: str, **style: Unpack[Style]) -> None:
    """Small letters at a place of a picture."""
    on.text(place, text, **(Style(size=_SMALL) | style))


@dataclass(frozen=True)
class Plane:
    """Where a rule of two labels on exactly two grids is 1: rectangles of cells (x, y).

    An area is ((x first, x last), (y first, y last)).  Missing values are the run (-1, -1).  ``cuts``
    are the cells at which conditions on either column begin or end.

    >>> from littlestone.points import Product
    >>> from littlestone.rules.nodes import ColumnTest, conjunction
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
