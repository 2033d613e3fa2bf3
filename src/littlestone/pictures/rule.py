"""The picture of a rule on the declared ranges and lists of its columns."""

from __future__ import annotations

from collections.abc import Sequence
from functools import singledispatch
from itertools import groupby
from typing import Any

from littlestone.pictures.canvas import Canvas, Picture
from littlestone.pictures.figures import SIZE, short
from littlestone.pictures.ranges import Axis, Plane, Strip, draw_strips, few, name_width
from littlestone.pictures.tree import Node, rule_tree
from littlestone.points import Grid
from littlestone.rules import FiniteSet, RuleUnion, StepFunction
from littlestone.rules.box import Box
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

    return Picture(title or f"The rule on its declared values: {words}", max(wide, letters) + 0.6,
                   height, paint)  # fmt: skip


def _alt_text(label: str, names: Sequence[str]) -> str:
    return f"{label} is {names[1]}" if names else f"{label} is predicted"
