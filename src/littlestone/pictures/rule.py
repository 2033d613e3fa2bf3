"""The picture of a rule on the declared ranges and lists of its columns, or of a score sheet.

A sheet has a bar for the points of each cell, and the risk of each total.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import singledispatch
from itertools import groupby
from typing import Any

from littlestone.pictures.canvas import SIZE, Canvas, Picture, short
from littlestone.pictures.ranges import Axis, Plane, Strip, draw_strips, few, name_width
from littlestone.pictures.tree import Node, rule_tree
from littlestone.points import Grid
from littlestone.rules import FiniteSet, RuleUnion, StepFunction
from littlestone.rules.box import Box
from littlestone.rules.sheet import ScoreSheet
from littlestone.rules.trees import DecisionTree


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
