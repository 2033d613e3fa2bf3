"""Rules and trees of questions as text and as pictures; a rule that is a tree is one."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import singledispatch
from itertools import groupby
from typing import Any

from littlestone.base.errors import visible
from littlestone.pictures.canvas import SIZE, Canvas, Picture, Style, short
from littlestone.pictures.ranges import Axis, Plane, Strip, draw_strips, few, name_width
from littlestone.points import Grid
from littlestone.rules import FiniteSet, RuleUnion, StepFunction
from littlestone.rules.base import numbers
from littlestone.rules.box import Box
from littlestone.rules.nodes import Split
from littlestone.rules.sheet import ScoreSheet
from littlestone.rules.trees import DecisionTree

_CHARACTER = 0.085  # inches, a little too wide to be safe
_ROW = 0.34  # inches between two leaves
_MOST = 48  # characters of a name in a picture
_TITLE = 110  # characters
_GAP = 0.75  # inches between a node and the next

KEY = "Orange: the condition holds.  All ranges and lists are declared."


@dataclass(frozen=True)
class Node:
    """A node of a drawing: a point and the nodes after its labels, a question, or an end.

    ``after`` holds pairs of a label, or of yes or no, and the node below.  The end of a mistake tree is
    a hypothesis that gives all labels of its path, or a note of how many levels are left out.  The end
    of a rule is the label that it predicts.  A picture shows the ``strips`` of a question below it.
    ``space`` is the version space of a node; only a page to walk in shows it.
    """

    text: str
    after: tuple[tuple[int | str, Node], ...] = ()
    cut: bool = False
    strips: tuple[Strip, ...] = ()
    space: Any = field(default=None, repr=False, compare=False)

    @property
    def ends(self) -> int:
        """The number of ends below this node; 1 for an end."""
        return sum(node.ends for _, node in self.after) or 1

    @property
    def width(self) -> float:
        """The inches that its own text and strips take in a picture."""
        strips = max((strip.width for strip in self.strips), default=0.0)
        return max(len(_short(self.text)) * _CHARACTER, name_width(self.strips) + strips)

    @property
    def height(self) -> float:
        """The inches that it takes in a picture, without the parts below it."""
        strips = sum(strip.height for strip in self.strips)
        return _ROW + (strips + 0.16 if strips else 0.0)

    @property
    def extent(self) -> float:
        """The inches that it takes in a picture, with all that is below it."""
        return max(self.height, sum(node.extent for _, node in self.after))

    def __str__(self) -> str:
        """The drawing in plain text: each node follows its label, below its parent."""
        lines = [visible(self.text)]
        for i, (y, node) in enumerate(self.after):
            last = i == len(self.after) - 1
            first, *rest = str(node).splitlines()
            lines.append(f"{'`' if last else '|'}-- {y}  {first}")
            lines += [f"{' ' if last else '|'}   {line}" for line in rest]
        return "\n".join(lines)

    def _repr_html_(self) -> str:
        """The picture, for a notebook."""
        return self.picture().svg()

    def plot(self, axes: Any = None) -> Any:
        """Draw it on the axes of matplotlib, by default new ones, and return them.

        The axes measure inches.  Raises `OutputError` if matplotlib is not installed.
        """
        return self.picture().plot(axes)

    def picture(self, title: str = "", plane: Plane | None = None, label: str = "") -> Picture:
        """The picture, with the root on the left and the ends on the right.

        The ``plane`` of a rule stands below it, with what its ``label`` 1 means.
        """
        widths = [max(node.width for node in column) for column in _levels(self)]
        left = [0.3]
        for across in widths[:-1]:
            left.append(left[-1] + across + 0.3 + _GAP)
        shown = short(title, _TITLE)
        key = len(KEY) * _CHARACTER * 0.6 if self.strips else 0.0
        side = Plane.SIDE if plane else 0.0
        width = max(left[-1] + widths[-1], len(shown) * _CHARACTER * 1.3, side, key) + 0.6
        top = 0.75 if title else 0.2
        bottom = top + self.extent + 0.25
        height = bottom + side + (0.2 if self.strips else 0.0)

        def paint(on: Canvas) -> None:
            if shown:
                on.text((0.3, 0.4), shown, size=SIZE + 2, side="start", bold=True)
            _draw(on, self, 0, top, left, widths)
            if plane:
                plane.draw_at(on, 0.3, bottom, label)
            if self.strips:
                on.text((0.3, height - 0.2), KEY, size=SIZE - 3, side="start", tone="faint")

        return Picture(title or self._alt_text(), width, height, paint)

    def _alt_text(self) -> str:
        return (
            f"A tree of questions, the first of which is {self.text}" if self.after else self.text
        )


def rule_tree(rule: DecisionTree, names: Sequence[str] = ()) -> Node:
    """The tree of a rule: questions with their answers, and names of labels at the ends.

    >>> from littlestone.points import Cells, Listed, Product
    >>> from littlestone.rules.nodes import ColumnTest
    >>> table = Product((Cells(("0", "18", "65"), "age"), Listed(("F", "M"), "sex")))
    >>> old, female = ColumnTest(0, frozenset(["65"])), ColumnTest(1, frozenset(["F"]))
    >>> rule = DecisionTree(table, Split(old, Split(female, 1, 0), Split(female, 0, 1)))
    >>> print(rule_tree(rule, ["out", "in"]))
    age >= 65
    |-- yes  sex is F
    |   |-- yes  in
    |   `-- no  out
    `-- no  sex is F
        |-- yes  out
        `-- no  in
    """
    ends = names or numbers(rule.labels)

    def node(at: Any) -> Node:
        if not isinstance(at, Split):
            return Node(ends[at])
        tests, yes, no = rule.question(at)
        strips = tuple(Strip.of_test(test, rule.domain.columns[test.column]) for test in tests)
        return Node(rule.ask(tests), (("yes", node(yes)), ("no", node(no))), strips=strips)

    return node(rule.root)


def tone(answer: int | str) -> str:
    """The tone of the branch of a label, or of yes or no."""
    second = answer == "yes" if isinstance(answer, str) else answer % 2
    return "on" if second else "off"


def _draw(
    on: Canvas, node: Node, level: int, top: float, left: list[float], widths: list[float]
) -> None:
    """Draw a node whose part of the picture starts at height ``top``, and all below it."""
    y = _height(node, top)
    if not node.after:
        style: Style = {"tone": "faint" if node.cut else "ink", "italic": node.cut, "side": "start"}
        on.text((left[level], y), _short(node.text), **style)
        return
    middle, right = left[level] + widths[level] / 2 + 0.07, left[level] + widths[level] + 0.2
    on.line([(middle, y), (right, y)], "line", width=1.4)
    end = left[level + 1] - 0.06
    for start, (answer, child) in zip(_starts(node, top), node.after, strict=True):
        # The line goes on to the middle of the next box, which hides its end.
        stop = left[level + 1] + widths[level + 1] / 2 + 0.07 if child.after else end
        height = _height(child, start)
        on.curve((right, y), (right + _GAP / 2, height), (stop, height), tone(answer))
        _answer(on, right + 0.72 * _GAP, height, answer)
        _draw(on, child, level + 1, start, left, widths)
    _question(on, node, middle, y)


def _starts(node: Node, top: float) -> list[float]:
    """The heights at which the parts of the nodes below start."""
    extents = [child.extent for _, child in node.after]
    first = top + (node.extent - sum(extents)) / 2
    return [first + sum(extents[:i]) for i in range(len(extents))]


def _height(node: Node, top: float) -> float:
    """The height at which a node stands whose part of the picture starts at ``top``."""
    starts = _starts(node, top)
    heights = [_height(child, at) for at, (_, child) in zip(starts, node.after, strict=True)]
    y = sum(heights) / len(heights) if heights else top + node.extent / 2
    half = node.height / 2
    return min(max(y, top + half), top + node.extent - half)


def _answer(on: Canvas, x: float, y: float, answer: int | str) -> None:
    said = str(answer)
    half = len(said) * _CHARACTER / 2 + 0.03
    on.rect((x - half, y - 0.08), (x + half, y + 0.08), "paper")
    on.text((x, y), said, tone=tone(answer), size=SIZE - 1)


def _question(on: Canvas, node: Node, middle: float, y: float) -> None:
    """The box of a question around a place, with its words and strips."""
    said, half = _short(node.text), node.width / 2
    if not node.strips:
        on.rect((middle - half - 0.05, y - 0.14), (middle + half + 0.05, y + 0.14), "box",
                edge="line", rounded=True)  # fmt: skip
        on.text((middle, y), said)
        return
    top, left = y - node.height / 2, middle - half
    low, high = (left - 0.08, top + 0.04), (left + node.width + 0.08, y + node.height / 2 - 0.04)
    on.rect(low, high, "box", edge="line", rounded=True)
    draw_strips(on, node.strips, left, top + _ROW + 0.06)
    on.text((middle, top + _ROW / 2 + 0.06), said)


def _levels(root: Node) -> Iterator[list[Node]]:
    level = [root]
    while level:
        yield level
        level = [below for node in level for _, below in node.after]


def _short(name: str) -> str:
    return short(name, _MOST)


@singledispatch
def rule_picture(rule: Any, label: str, names: Sequence[str], title: str) -> Picture | None:
    """The picture of a rule for ``label``, whose values have these ``names``; None for other kinds.

    ``title`` stands above it.  Only what the rule and its domain declare is drawn.

    >>> picture = rule_picture(StepFunction.threshold(Grid(0, 120, "age"), 60), "ill == 1", [], "")
    >>> "age" in picture.svg(), rule_picture(None, "ill == 1", [], "")
    (True, None)
    """
    return None


@rule_picture.register
def _(rule: DecisionTree, label: str, names: Sequence[str], title: str) -> Picture:
    one = f"{label}: {names[1]}" if names else label
    return rule_tree(rule, names).picture(title, Plane.from_tree(rule), one)


@rule_picture.register
def _(rule: StepFunction, label: str, names: Sequence[str], title: str) -> Picture | None:
    if not isinstance(rule.domain, Grid):
        return None
    low, high = rule.domain.low, rule.domain.high
    strip = _strip(rule.domain, [low, *map(int, rule.changes), high], rule)
    return _strips([strip], rule.words(), label, names, title)


@rule_picture.register
def _(rule: Box, label: str, names: Sequence[str], title: str) -> Picture:
    columns: Any = rule.domain.columns  # type: ignore[attr-defined]
    strips = []
    for j, column in enumerate(columns):
        side = None if rule.sides is None else rule.sides[j]
        first, last = side or (column.low, column.low)
        inside = range(first, last + 1) if side else range(0)
        starts = [column.low, first, min(last + 1, column.high), column.high]
        strips.append(_strip(column, starts, inside.__contains__))
    return _strips(strips, rule.words(), label, names, title)


@rule_picture.register
def _(rule: FiniteSet, label: str, names: Sequence[str], title: str) -> Picture | None:
    boxes = [(short(rule.domain.words(x), 16), not rule.rest) for x in sorted(rule.members)]
    strip = Strip(rule.domain.name, (*few(boxes), ("all others", bool(rule.rest))))
    return _strips([strip], rule.words(), label, names, title)


@rule_picture.register
def _(rule: RuleUnion, label: str, names: Sequence[str], title: str) -> Picture:
    zero, one = map(Node, names or ("0", "1"))
    node = zero
    for asked in reversed(rule.form()["rules"]):  # type: ignore[call-overload]
        alone = RuleUnion(rule.domain, frozenset([tuple(asked)]))
        words = alone.words()
        node = one if words == "always 1" else Node(words, (("yes", one), ("no", node)))
    return node.picture(title)


def _strip(column: Grid, starts: Sequence[int], holds: Any) -> Strip:
    """The column cut at ``starts``; each piece holds as its first value does."""
    values = sorted(set(starts))
    axis = Axis.linear([column.words(value) for value in values], values)
    taken = []
    for holding, cells in groupby(range(len(values)), lambda i: bool(holds(values[i]))):
        first, *more = cells
        taken += [(first, [first, *more][-1])] if holding else []
    return Strip(column.name, (), axis, tuple(taken))


_NAMED = 0.085  # inches of a character of a column's name


def _strips(
    strips: Sequence[Strip], words: str, label: str, names: Sequence[str], title: str
) -> Picture:
    """Strips below each other; where all hold, the label is 1."""
    shown, said = short(title, 110), f"Orange: {short(_alt_text(label, names), 60)}"
    alone = len(strips) == 1
    above = short(strips[0].name, 40) if alone else ""
    wide = name_width(tuple(strips)) + max(strip.width for strip in strips)
    letters = max(len(shown) * 1.3, len(above), len(said) * 0.8) * _NAMED
    top = 0.75 if shown else 0.15
    row = 0.3 if above else 0.0
    tall = sum(strip.height + 0.08 for strip in strips)
    height = top + row + tall + 0.35

    def paint(on: Canvas) -> None:
        if shown:
            on.text((0.3, 0.4), shown, size=SIZE + 2, side="start", bold=True)
        if above:
            on.text((0.3, top + 0.12), above, side="start")
        draw_strips(on, tuple(strips), 0.3, top + row + 0.04)
        on.text((0.3, height - 0.16), said, size=SIZE - 2, side="start", tone="faint")

    return Picture(title or f"{words}, on the declared values", max(wide, letters) + 0.6,
                   height, paint)  # fmt: skip


def _alt_text(label: str, names: Sequence[str]) -> str:
    return f"{label} is {names[1]}" if names else f"{label} is predicted"


_WIDE, _MARGIN = 4.3, 0.15  # inches
_BARS = (2.35, 3.75)  # where the bars of the least and the most points end
_ROW, _CURVE = 0.21, 1.5
_NAME, _WORDS = 40, 27  # characters


def sheet_picture(sheet: ScoreSheet, title: str = "") -> Picture:
    """The points of each column's cells as bars, and the curve from totals to risks below.

    >>> from littlestone.points import Listed, Product
    >>> table = Product((Listed(("F", "M"), "sex"),))
    >>> picture = sheet_picture(ScoreSheet(table, (0,), ((0, 0, 4, 1),), 3, (-900, 450)))
    >>> ">F<" in picture.svg(), picture.width
    (True, 4.3)
    """
    columns = sheet.shown_points()
    most = max([1, *(abs(points or 0) for _, cells in columns for _, points in cells)])
    rows = sum(1 + len(cells) for _, cells in columns)
    top = 0.1 + (0.3 if title else 0.0)
    below = top + rows * _ROW + 0.15
    bottom = below + _CURVE
    middle, half = sum(_BARS) / 2, (_BARS[1] - _BARS[0]) / 2

    def paint_sheet(on: Canvas) -> None:
        if title:
            on.text((_MARGIN, 0.2), short(title, _NAME + 10), side="start", bold=True)
        at = top
        for name, cells in columns:
            on.text((_MARGIN, at + _ROW / 2), short(name, _NAME), side="start", bold=True)
            at += _ROW
            for words, points in cells:
                y = at + _ROW / 2
                on.text((_MARGIN, y), short(words, _WORDS), side="start", size=SIZE - 1)
                if points:
                    low, high = sorted((middle, middle + half * points / most))
                    on.rect((low, y - 0.06), (high, y + 0.06), "on" if points > 0 else "off")
                if points is not None:
                    on.text((_WIDE - _MARGIN, y), f"{points:+d}", side="end", size=SIZE - 1)
                at += _ROW
        on.line([(middle, top), (middle, at)], "rest", width=0.6)
        _paint_risks(on, sheet, below, bottom - 0.45)

    return Picture(title or "a score sheet", _WIDE, bottom, paint_sheet)


def _paint_risks(on: Canvas, sheet: ScoreSheet, top: float, bottom: float) -> None:
    """The curve from totals to risks, and a line where the label changes."""
    totals, risks = sheet.totals, sheet.risks
    left, right = 0.55, _WIDE - _MARGIN
    wide, last = right - left, max(1, len(totals) - 1)
    for share in (0.0, 0.5, 1.0):
        y = bottom - share * (bottom - top)
        on.line([(left, y), (right, y)], "rest", width=0.6)
        on.text((left - 0.08, y), f"{share:g}", side="end", size=SIZE - 2, tone="faint")
    curve = [(left + wide * i / last, bottom - r * (bottom - top)) for i, r in enumerate(risks)]
    on.line(curve if len(curve) > 1 else [curve[0], (right, curve[0][1])], "ink", width=1.6)
    first = sheet.first_total - totals[0]
    if 0 < first <= last:
        x = left + wide * first / last
        on.line([(x, top), (x, bottom)], "on", width=0.8)
    for i in sorted({0, last // 2, len(totals) - 1}):
        on.text(
            (left + wide * i / last, bottom + 0.12), f"{totals[i]:+d}", size=SIZE - 2, tone="faint"
        )
    said = f"total, and its risk; {sheet.label_by_total}"
    on.text((left + wide / 2, bottom + 0.32), said, size=SIZE - 1, tone="faint")
