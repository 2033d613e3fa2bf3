"""Little pictures of conditions on the declared ranges of their columns, for figures of rules."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from itertools import pairwise
from math import inf, log
from statistics import mean
from typing import Any

from littlestone.domains import MISSING, OTHER, Cells, Listed, Parted
from littlestone.domains.base import Domain
from littlestone.hypotheses.trees import ColumnTest, DecisionTree, runs
from littlestone.report.figures import INK, RULE, SIZE, TWO, short

HOLDS = TWO[1]  # the colour of the branch "yes"
_REST = "#d9dee5"
_SMALL = SIZE - 3  # points of type
_CHARACTER = 0.066  # inches at that size, a little too wide to be safe
_LINE = 0.13  # inches between two lines of that size
_AXIS = 2.0  # inches from the low end to the high one
_BEYOND = 0.08  # the part of an axis for what lies above the high end
_BOX = 0.19  # inches
_GAP = 0.08
_MOST_BOXES = 8


@dataclass(frozen=True)
class Axis:
    """The places of the cells of a declared grid: 0 at the low end and 1 at the high one.

    The scale is that of the numbers, or of their logarithms if the cells grow by equal ratios.  The
    last cell has no end, and reaches a little beyond 1.

    >>> Axis.of(Cells(("0", "20", "80"), "age")).ends
    (0.0, 0.25, 1.0, 1.08)
    >>> [round(end, 2) for end in Axis.of(Cells(("1", "10", "100", "1000"), "income")).ends]
    [0.0, 0.33, 0.67, 1.0, 1.08]
    """

    starts: tuple[str, ...]
    ends: tuple[float, ...]

    @classmethod
    def of(cls, column: Cells) -> Axis:
        values = [float(start) for start in column.starts]
        scales = [values]
        if len(values) > 2 and values[0] > 0:
            scales.append([log(value) for value in values])
        # As floats, numbers may be infinite or equal; then all cells have one width.
        told_apart = [scale for scale in scales if 0 < scale[-1] - scale[0] < inf]
        scale = min(told_apart, key=_unevenness, default=[float(i) for i in range(len(values))])
        width = scale[-1] - scale[0] or 1.0
        inside = tuple((value - scale[0]) / width for value in scale)
        return cls(column.starts, (*inside, inside[-1] + _BEYOND))

    def marks(self, cuts: Collection[int], *, up: bool = False) -> list[tuple[float, str, bool]]:
        """Where numbers are written: at the cuts (True), and at the ends that are not too near.

        Next to each other they need room for their characters; above each other, on an axis that goes
        ``up``, they do not.
        """
        found = [(self.ends[i], short(self.starts[i], 16), True) for i in sorted(cuts)]
        for i in dict.fromkeys((0, len(self.starts) - 1)):
            place, text = self.ends[i], short(self.starts[i], 16)
            clear = all(
                abs(place - other) * _AXIS
                > (_LINE if up else (len(text) + len(name) + 1) * _CHARACTER / 2)
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
    >>> strip = Strip.of(ColumnTest(0, frozenset(["65"])), age)
    >>> strip.boxes, strip.taken, strip.axis.marks(strip.cuts)
    ((('missing', False),), ((2, 2),), [(1.0, '65', True), (0.0, '0', False)])
    >>> Strip.of(ColumnTest(0, frozenset(["F"])), Listed(("F", "M"), "sex")).boxes
    (('missing', False), ('other', False), ('F', True), ('M', False))
    """

    name: str
    boxes: tuple[tuple[str, bool], ...]
    axis: Axis | None = None
    taken: tuple[tuple[int, int], ...] = ()

    @classmethod
    def of(cls, test: ColumnTest, column: Domain[Any]) -> Strip:
        if isinstance(column, Cells):
            missing = (("missing", MISSING in test.accepted),)
            found = [
                (max(first, 1) - 1, last - 1) for first, last in runs(column, test.accepted) if last
            ]
            return cls(column.name, missing, Axis.of(column), tuple(found))
        boxes = [(_value(x), x in test.accepted) for x in _values(test, column)]
        if len(boxes) > _MOST_BOXES:
            first = [box for box in boxes if box[1] or box[0] == "missing"]
            shown = first[: _MOST_BOXES - 2]
            taken = sum(holds for _, holds in first[len(shown) :])
            others = len(boxes) - len(shown) - taken
            more = [(f"{taken} more", True)] * (taken > 0)
            boxes = [*shown, *more, *[(f"{others} others", False)] * (others > 0)]
        if not isinstance(column, Parted):
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
        return _BOX + (0.26 if self.axis else 0.12)

    @property
    def width(self) -> float:
        """In inches, without the name."""
        boxes = sum(_width(text) + _GAP for text, _ in self.boxes)
        return boxes + (_AXIS * (1 + _BEYOND) + 0.3 if self.axis else 0.0)

    def draw(self, axes: Any, left: float, top: float) -> None:
        """Draw it on the axes of a figure that measure inches, downwards."""
        for text, holds in self.boxes:
            _box(axes, left, top, text, holds)
            left += _width(text) + _GAP
        if self.axis is None:
            return
        left += 0.1
        ends = [left + place * _AXIS for place in self.axis.ends]
        middle = top + _BOX / 2
        _bar(axes, ends[0], ends[-1], middle, _REST)
        for first, last in self.taken:
            _bar(axes, ends[first], ends[last + 1], middle, HOLDS)
        # The first cell takes all numbers below the low end, and the last one all from the high end on.
        for place, mark, cell in ((ends[0], "<", 0), (ends[-1], ">", len(self.axis.starts) - 1)):
            colour = HOLDS if any(a <= cell <= b for a, b in self.taken) else RULE
            axes.plot([place], [middle], marker=mark, markersize=5, color=colour, zorder=4)
        for place, text, cut in self.axis.marks(self.cuts):
            x = left + place * _AXIS
            style: dict[str, Any] = {"color": INK if cut else RULE, "linewidth": 0.8, "zorder": 4}
            axes.plot([x, x], [top, top + _BOX], **style)
            weight = "bold" if cut else "normal"
            _small(axes, x, top + _BOX + 0.1, text, ha="center", color=INK, fontweight=weight)


def strip_name(strip: Strip) -> str:
    """The name of a strip's column, as a figure writes it.

    >>> strip_name(Strip("a_column_of_a_very_long_name", ()))
    'a_column_of_a_very...'
    """
    return short(strip.name, 21)


def name_width(strips: tuple[Strip, ...]) -> float:
    """The inches that the names of strips take beside them; one strip alone needs none."""
    if len(strips) < 2:
        return 0.0
    return max(len(strip_name(strip)) for strip in strips) * _CHARACTER + 0.12


def draw_strips(axes: Any, strips: tuple[Strip, ...], left: float, top: float) -> None:
    """Draw strips below each other, with their names if there are several."""
    names = name_width(strips)
    for strip in strips:
        if names:
            _small(axes, left, top + _BOX / 2, strip_name(strip), ha="left", color=INK)
        strip.draw(axes, left + names, top)
        top += strip.height


def _values(test: ColumnTest, column: Domain[Any]) -> list[str]:
    return list(column) if isinstance(column, Listed) else sorted(test.accepted)


def _value(x: str) -> str:
    return {MISSING: "missing", OTHER: "other"}.get(x) or short(x, 16)


def _width(text: str) -> float:
    return len(text) * _CHARACTER + 0.12


def _box(axes: Any, left: float, top: float, text: str, holds: bool) -> None:
    from matplotlib.patches import Rectangle

    face, edge = (HOLDS, HOLDS) if holds else ("white", RULE)
    width = _width(text)
    axes.add_patch(
        Rectangle((left, top), width, _BOX, facecolor=face, edgecolor=edge, linewidth=0.8, zorder=3)
    )
    colour = "white" if holds else INK
    _small(axes, left + width / 2, top + _BOX / 2, text, ha="center", color=colour)


def _bar(axes: Any, left: float, right: float, middle: float, colour: str) -> None:
    from matplotlib.patches import Rectangle

    corner = (left, middle - 0.04)
    axes.add_patch(Rectangle(corner, right - left, 0.08, facecolor=colour, zorder=3))


def _small(axes: Any, x: float, y: float, text: str, **style: Any) -> None:
    axes.text(x, y, text, va="center", fontsize=_SMALL, zorder=5, parse_math=False, **style)


@dataclass(frozen=True)
class Plane:
    """Where a rule of two labels on exactly two grids is 1: rectangles of cells (x, y).

    An area is ((x first, x last), (y first, y last)).  Missing values are the run (-1, -1).  ``cuts``
    are the cells at which conditions on either column begin or end.

    >>> from littlestone.domains import Product
    >>> from littlestone.hypotheses.trees import conjunction
    >>> table = Product((Cells(("0", "18", "65"), "age"), Cells(("0", "9"), "dose")))
    >>> tests = [ColumnTest(0, frozenset(["65"])), ColumnTest(1, frozenset(["9"]))]
    >>> Plane.of(DecisionTree(table, conjunction(tests))).areas
    (((2, 2), (1, 1)),)
    """

    columns: tuple[Cells, Cells]
    cuts: tuple[frozenset[int], frozenset[int]]
    areas: tuple[tuple[tuple[int, int], tuple[int, int]], ...]

    SIDE = _AXIS + 1.3
    """The inches of the whole picture, with the names of the columns."""

    @classmethod
    def of(cls, rule: DecisionTree) -> Plane | None:
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
                for cut in Strip.of(test, column).cuts
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

    def draw(self, axes: Any, left: float, top: float, label: str) -> None:
        """Draw it on the axes of a figure that measure inches, downwards; ``label`` is that of 1."""
        from matplotlib.patches import Rectangle

        across, up = map(Axis.of, self.columns)
        numbers = max(len(text) for _, text, _ in up.marks(self.cuts[1], up=True)) * _CHARACTER
        x0 = left + 0.4 + numbers + _BOX
        y0 = top + _AXIS * (1 + _BEYOND) + 0.3

        def place(axis: Axis, run: tuple[int, int]) -> tuple[float, float]:
            """Inches from the corner; missing values are a strip before the low end."""
            if run == (-1, -1):
                return -_BOX - _GAP, -_GAP
            return axis.ends[run[0]] * _AXIS, axis.ends[run[1] + 1] * _AXIS

        whole = (0, len(across.starts) - 1), (0, len(up.starts) - 1)
        missing = (-1, -1)
        grounds = [(a, b) for a in (whole[0], missing) for b in (whole[1], missing)]
        for areas, colour, level in ((grounds, _REST, 1), (self.areas, HOLDS, 2)):
            for a, b in areas:
                (x1, x2), (y1, y2) = place(across, a), place(up, b)
                corner = (x0 + x1, y0 - y2)
                patch = Rectangle(corner, x2 - x1, y2 - y1, facecolor=colour, zorder=level)
                axes.add_patch(patch)
        beside, middle = _BOX + _GAP + 0.1, _AXIS * (1 + _BEYOND) / 2
        strip = _GAP + _BOX / 2
        upright: dict[str, Any] = {"ha": "center", "color": INK, "rotation": 90}
        _small(axes, x0 + middle, y0 + strip, "missing", ha="center", color=INK)
        _small(axes, x0 - strip, y0 - middle, "missing", **upright)
        for at, text, cut in across.marks(self.cuts[0]):
            weight = "bold" if cut else "normal"
            x = x0 + at * _AXIS
            _small(axes, x, y0 + beside, text, ha="center", color=INK, fontweight=weight)
        for at, text, cut in up.marks(self.cuts[1], up=True):
            weight = "bold" if cut else "normal"
            y = y0 - at * _AXIS
            _small(axes, x0 - beside, y, text, ha="right", color=INK, fontweight=weight)
        names = [short(column.name, 30) for column in self.columns]
        _small(axes, x0 + middle, y0 + beside + 0.2, names[0], ha="center", color=INK)
        _small(axes, x0 - beside - numbers - 0.12, y0 - middle, names[1], **upright)
        _small(axes, x0, top + 0.15, short(label, 40), ha="left", color=HOLDS, fontweight="bold")


def _parts(cuts: Collection[int], cells: int) -> list[tuple[int, int]]:
    """The missing value, and the runs of cells between cuts."""
    ends = [0, *sorted(cuts), cells]
    return [(-1, -1), *((a, b - 1) for a, b in pairwise(ends))]
