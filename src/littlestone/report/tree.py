"""Drawings of mistake trees and of rules that are trees, for the terminal and as figures."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from rich.text import Text
from rich.tree import Tree

from littlestone.classes import Enumerable, HypothesisClass
from littlestone.dimension import MistakeTree
from littlestone.errors import DeclarationError, shown
from littlestone.hypotheses.base import numbers
from littlestone.hypotheses.trees import DecisionTree, Split
from littlestone.learners import Release
from littlestone.report.figures import INK, RULE, SIZE, TWO, Kind, drawn, short
from littlestone.report.ranges import Plane, Strip, draw_strips, name_width
from littlestone.steps import answering
from littlestone.visible import visible

_TERMINAL = ("blue", "yellow")
_CHARACTER = 0.085  # inches at that size, a little too wide to be safe
_ROW = 0.34  # inches between two leaves
_MOST = 48  # characters of a name in a figure


@dataclass(frozen=True)
class Node:
    """A node of a drawing: a point and the nodes after its labels, a question, or an end.

    ``after`` holds pairs of a label, or of yes or no, and the node below.  The end of a mistake tree is
    a hypothesis that gives all labels of its path, or a note of how many levels are left out.  The end
    of a rule is the label that it predicts.  A figure shows the ``strips`` of a question below it.
    """

    text: str
    after: tuple[tuple[int | str, Node], ...] = ()
    cut: bool = False
    strips: tuple[Strip, ...] = ()

    @property
    def ends(self) -> int:
        """The number of ends below this node; 1 for an end."""
        return sum(node.ends for _, node in self.after) or 1

    @property
    def width(self) -> float:
        """The inches that its own text and strips take in a figure."""
        strips = max((strip.width for strip in self.strips), default=0.0)
        return max(len(_short(self.text)) * _CHARACTER, name_width(self.strips) + strips)

    @property
    def height(self) -> float:
        """The inches that it takes in a figure, without what is below it."""
        strips = sum(strip.height for strip in self.strips)
        return _ROW + (strips + 0.16 if strips else 0.0)

    @property
    def extent(self) -> float:
        """The inches that it takes in a figure, with all that is below it."""
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


def rule_tree(rule: DecisionTree, names: Sequence[str] = ()) -> Node:
    """The tree of a rule: questions with their answers, and names of labels at the ends.

    >>> from littlestone.domains import Cells, Listed, Product
    >>> from littlestone.hypotheses.trees import ColumnTest
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
        strips = tuple(Strip.of(test, rule.domain.columns[test.column]) for test in tests)
        return Node(rule.asked(tests), (("yes", node(yes)), ("no", node(no))), strips=strips)

    return node(rule.root)


def table_tree(
    tree: MistakeTree, points: Sequence[str], hypotheses: Sequence[str], levels: int
) -> Node:
    """The top levels of a tree of a table, with the names of its columns and rows."""

    def node(i: int, level: int) -> Node:
        if level == tree.depth:
            return Node(hypotheses[tree.leaves[i - len(tree.points)]])
        if level == levels:
            return _cut(tree.depth - level)
        after = tuple((y, node(2 * i + 1 + y, level + 1)) for y in (0, 1))
        return Node(points[tree.points[i]], after)

    return node(0, 0)


def class_tree(H: HypothesisClass[Any], levels: int) -> Node:
    """The top levels of a deepest tree that a class shatters, built from its mistake points.

    Raises `DeclarationError` for the empty class, for one of infinite Littlestone dimension and for
    fewer than one level.  Raises `TooLargeError` beyond `MOST_ANSWERED` steps.

    >>> from littlestone.classes import parse_class
    >>> root = class_tree(parse_class("thresholds(x, 1..3)"), levels=4)
    >>> root.text, root.after[0][1].text, root.ends
    ('2', '3', 4)
    """
    if type(levels) is not int or levels < 1:
        raise DeclarationError(
            f"draw the top {shown(levels)} levels of a tree",
            found="the number is not a whole one from 1 on",
            fix="give a number such as 4",
        )
    dimension = H.littlestone_dimension()
    if not 0 <= dimension < float("inf"):
        raise DeclarationError(
            f"draw a deepest shattered tree of {H}",
            found=f"its Littlestone dimension is {dimension}, so there is none",
            fix="declare a class with a hypothesis and a finite Littlestone dimension",
        )
    with answering():
        return _class_node(H, int(dimension), levels)


def _class_node(V: HypothesisClass[Any], depth: int, levels: int) -> Node:
    x = V.mistake_point() if depth else None
    if x is None:
        return Node(_member(V))
    if not levels:
        return _cut(depth)
    sides = {y: V.restrict(x, y) for y in range(V.labels)}
    if V.labels > 2:
        deep = [y for y, W in sides.items() if W.littlestone_dimension() >= depth - 1]
        sides = {y: sides[y] for y in deep[:2]}
    below = ((y, _class_node(W, depth - 1, levels - 1)) for y, W in sides.items())
    return Node(V.domain.words(x), tuple(below))


def _member(V: HypothesisClass[Any]) -> str:
    if isinstance(V, Enumerable):
        return V.hypothesis(0).words()
    # At a mistake point some label other than the SOA's has a hypothesis and lowers the dimension.
    # When the dimension is 0, one function is left, and it is the SOA function.
    while (x := V.mistake_point()) is not None:
        others = (V.restrict(x, y) for y in range(V.labels) if y != V.soa_label(x))
        V = next(W for W in others if not W.is_empty())
    return V.soa().words()


def _cut(levels: int) -> Node:
    return Node(f"... {levels} more level{'s' * (levels > 1)}", cut=True)


def terminal(root: Node) -> Tree:
    """The drawing for a terminal, with each label in front of its node."""
    drawn = Tree(Text(visible(root.text), style="bold" if root.after else ""), guide_style="dim")
    _grow(drawn, root)
    return drawn


def _grow(drawn: Tree, node: Node) -> None:
    for y, below in node.after:
        style = "bold" if below.after else "dim" if below.cut else ""
        label = Text.assemble((f"{y} ", _TERMINAL[_colour(y)]), (visible(below.text), style))
        _grow(drawn.add(label), below)


def _colour(answer: int | str) -> int:
    return int(answer == "yes") if isinstance(answer, str) else answer % 2


def figure(
    root: Node, title: str, *, kind: Kind, plane: Plane | None = None, label: str = ""
) -> bytes:
    """The content of a figure file, with the root on the left and the hypotheses on the right.

    The ``plane`` of a rule stands below it, with what its ``label`` 1 means.  Raises `OutputError` if
    matplotlib is not installed.
    """
    widths = [max(node.width for node in column) for column in _columns(root)]
    gap = 0.75
    left: list[float] = [0.3]
    for across in widths[:-1]:
        left.append(left[-1] + across + 0.3 + gap)
    title = short(title, 110)
    width = max(left[-1] + widths[-1], len(title) * _CHARACTER * 1.3, Plane.SIDE) + 0.6
    bottom = 0.75 + root.extent + 0.25
    height = bottom + (Plane.SIDE if plane else 0.0) + (0.2 if root.strips else 0.0)

    def draw(canvas: Any) -> None:
        axes = canvas.add_axes((0.0, 0.0, 1.0, 1.0))
        axes.set(xlim=(0, width), ylim=(height, 0))  # inches, downwards
        axes.axis("off")
        weight: dict[str, Any] = {"fontsize": SIZE + 2, "fontweight": "bold"}
        axes.text(0.3, 0.4, title, color=INK, va="center", parse_math=False, **weight)
        _Pen(axes, left, widths, gap).draw(root, 0, 0.75)
        if plane:
            plane.draw(axes, 0.3, bottom, label)
        if root.strips:
            key: dict[str, Any] = {"fontsize": SIZE - 3, "va": "center", "color": INK}
            axes.text(0.3, height - 0.2, _KEY, **key)

    return drawn(draw, (width, height), kind)


_KEY = "Orange: the condition holds.  All ranges and lists are declared."


def rule_figure(release: Release, *, kind: Kind) -> bytes:
    """The content of a figure file of the rule of a release, on the declared ranges of its columns.

    Only the release is drawn, and no record.  Raises `DeclarationError` if the rule is no tree of
    conditions, and `OutputError` if matplotlib is not installed.
    """
    rule = drawable(release)
    simulated = "" if release.private else ", a simulation: NOT PRIVATE"
    title = f"{release.label}, {release.cost}{simulated}"
    one = f"{release.label}: {release.labels[1]}" if release.labels else release.label
    root, plane = rule_tree(rule, release.labels), Plane.of(rule)
    return figure(root, title, kind=kind, plane=plane, label=one)


def drawable(release: Release) -> DecisionTree:
    """The rule of a release, if it is a tree of conditions; `DeclarationError` if not."""
    rule = release.hypothesis
    if not isinstance(rule, DecisionTree):
        raise DeclarationError(
            "draw the rule of a model",
            found=f"it is no tree, but the rule {release.words()}",
            fix="draw a model of conditions, trees, rule_list or rule_sets",
        )
    return rule


class _Pen:
    def __init__(self, axes: Any, left: list[float], widths: list[float], gap: float) -> None:
        self._axes, self._left, self._widths, self._gap = axes, left, widths, gap

    def draw(self, node: Node, level: int, top: float) -> float:
        """Draw a node whose part of the figure starts at height ``top``; return its own height."""
        if not node.after:
            y = top + node.extent / 2
            self._text(node, level, y)
            return y
        below = sum(child.extent for _, child in node.after)
        start, heights = top + (node.extent - below) / 2, []
        for _, child in node.after:
            heights.append(self.draw(child, level + 1, start))
            start += child.extent
        y = sum(heights) / len(heights)
        half = node.height / 2
        y = min(max(y, top + half), top + node.extent - half)
        self._text(node, level, y)
        right = self._left[level] + self._widths[level] + 0.2
        self._axes.plot([self._middle(level), right], [y, y], color=RULE, linewidth=1.4, zorder=1)
        for height, (answer, child) in zip(heights, node.after, strict=True):
            self._edge(level, y, height, answer, child)
        return y

    def _edge(self, level: int, y: float, end: float, answer: int | str, below: Node) -> None:
        from matplotlib.patches import PathPatch
        from matplotlib.path import Path

        # The edge ends in the middle of the next box, which hides the rest of it.
        start = self._left[level] + self._widths[level] + 0.2
        stop = self._left[level + 1] - 0.06
        bend = start + 0.5 * self._gap
        target = self._middle(level + 1) if below.after else stop
        path = Path(
            [(start, y), (bend, y), (start, end), (bend, end), (target, end)],
            [Path.MOVETO, Path.CURVE4, Path.CURVE4, Path.CURVE4, Path.LINETO],
        )
        colour = TWO[_colour(answer)]
        self._axes.add_patch(PathPatch(path, fill=False, color=colour, linewidth=1.4, zorder=1))
        self._axes.text(
            start + 0.72 * self._gap,
            end,
            str(answer),
            color=colour,
            fontsize=SIZE - 1,
            ha="center",
            va="center",
            zorder=2,
            bbox={"boxstyle": "round,pad=0.12", "facecolor": "white", "edgecolor": "none"},
        )

    def _middle(self, level: int) -> float:
        return self._left[level] + self._widths[level] / 2 + 0.07

    def _text(self, node: Node, level: int, y: float) -> None:
        box = {"boxstyle": "round,pad=0.35", "facecolor": "#eef2f7", "edgecolor": RULE}
        if node.strips:
            y = self._strips(node, level, y)
        self._axes.text(
            self._middle(level) if node.after else self._left[level],
            y,
            _short(node.text),
            color=RULE if node.cut else INK,
            fontstyle="italic" if node.cut else "normal",
            ha="center" if node.after else "left",
            va="center",
            zorder=3,
            parse_math=False,
            bbox=box if node.after and not node.strips else None,
        )

    def _strips(self, node: Node, level: int, y: float) -> float:
        """Draw the box and the strips of a question around height y; return that of its words."""
        from matplotlib.patches import FancyBboxPatch

        left, top = self._middle(level) - node.width / 2, y - node.height / 2
        box = FancyBboxPatch(
            (left - 0.02, top + 0.1),
            node.width + 0.04,
            node.height - 0.2,
            boxstyle="round,pad=0.06",
            facecolor="#eef2f7",
            edgecolor=RULE,
            zorder=2,
        )
        self._axes.add_patch(box)
        draw_strips(self._axes, node.strips, left, top + _ROW + 0.06)
        return top + _ROW / 2 + 0.06


def _columns(root: Node) -> Iterator[list[Node]]:
    level = [root]
    while level:
        yield level
        level = [below for node in level for _, below in node.after]


def _short(name: str) -> str:
    return short(name, _MOST)
