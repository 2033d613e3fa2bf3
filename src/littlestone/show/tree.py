"""Releases, plans, streams, mistake trees and rules as drawings, for the terminal and as figures."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from io import BytesIO
from math import ceil, floor, log10
from typing import Any

from rich.table import Table
from rich.text import Text
from rich.tree import Tree

from littlestone.base.errors import DeclarationError, shorten, show_value, visible
from littlestone.base.markup import Html, join, pairs
from littlestone.base.work import answering
from littlestone.classes import Enumerable, FiniteClass, HypothesisClass
from littlestone.dimension import MistakeTree
from littlestone.learn.plan import Plan
from littlestone.learn.results.release import Release
from littlestone.pictures.canvas import Picture
from littlestone.pictures.chart import Chart, Publication, Row, publications
from littlestone.pictures.tree import Node, rule_picture, rule_tree, sheet_picture, tone
from littlestone.rules import Hypothesis
from littlestone.rules.sheet import ScoreSheet
from littlestone.rules.trees import DecisionTree
from littlestone.show.words import rows_of_release
from littlestone.theory.decomposition import DecompositionTree

_TERMINAL = {"off": "blue", "on": "yellow"}


def table_tree(
    tree: MistakeTree,
    points: Sequence[str],
    hypotheses: Sequence[str],
    levels: int,
    H: FiniteClass | None = None,
) -> Node:
    """The top levels of a tree of a table, with the names of its columns and rows.

    With the class ``H`` of the table, every node has its version space.
    """

    def node(i: int, level: int, V: FiniteClass | None) -> Node:
        if level == tree.depth:
            return Node(hypotheses[tree.leaves[i - len(tree.points)]], space=V)
        if level == levels:
            return _cut(tree.depth - level, V)
        x = points[tree.points[i]]
        sides = (None if V is None else V.restrict(x, y) for y in (0, 1))
        after = tuple((y, node(2 * i + 1 + y, level + 1, W)) for y, W in enumerate(sides))
        return Node(x, after, space=V)

    return node(0, 0, H)


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
            f"draw the top {show_value(levels)} levels of a tree",
            found="it is not a whole number of at least 1",
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
        return Node(_member(V), space=V)
    if not levels:
        return _cut(depth, V)
    sides = {y: V.restrict(x, y) for y in range(V.labels)}
    if V.labels > 2:
        deep = [y for y, W in sides.items() if W.littlestone_dimension() >= depth - 1]
        sides = {y: sides[y] for y in deep[:2]}
    below = ((y, _class_node(W, depth - 1, levels - 1)) for y, W in sides.items())
    return Node(V.domain.words(x), tuple(below), space=V)


def _member(V: HypothesisClass[Any]) -> str:
    if isinstance(V, Enumerable):
        return V.hypothesis(0).words()
    # At a mistake point some label other than the SOA's has a hypothesis and lowers the dimension.
    # When the dimension is 0, one function is left, and it is the SOA function.
    while (x := V.mistake_point()) is not None:
        others = (V.restrict(x, y) for y in range(V.labels) if y != V.soa_label(x))
        V = next(W for W in others if not W.is_empty())
    return V.soa().words()


def _cut(levels: int, V: HypothesisClass[Any] | None) -> Node:
    return Node(f"... {levels} more level{'s' * (levels > 1)}", cut=True, space=V)


def terminal(root: Node) -> Tree:
    """The drawing for a terminal, with each label in front of its node."""
    drawn = Tree(Text(visible(root.text), style="bold" if root.after else ""), guide_style="dim")
    _grow(drawn, root)
    return drawn


def _grow(drawn: Tree, node: Node) -> None:
    for y, below in node.after:
        style = "bold" if below.after else "dim" if below.cut else ""
        label = Text.assemble((f"{y} ", _TERMINAL[tone(y)]), (visible(below.text), style))
        _grow(drawn.add(label), below)


def note_missing_tree(release: Release) -> str:
    """What to say of a sheet whose tree has no rows in it; empty of any other rule."""
    rule = release.hypothesis
    if (
        isinstance(rule, ScoreSheet)
        and rule.tree is None
        and release.hypotheses.startswith("trees(")
    ):
        return "A tree was drawn, but its leaves have equal points, so the sheet has no rows of it."
    return ""


def print_rule(release: Release, put: Callable[[object], None]) -> None:
    """Print a rule as a tree, unless its sentence says it as well, or as a score sheet."""
    rule = release.hypothesis
    if isinstance(rule, ScoreSheet):
        if said := note_missing_tree(release):
            put(said)
        print_sheet(rule, put)
    elif isinstance(rule, DecisionTree) and not rule.condition:
        put("The group as a tree" if release.group else "The rule as a tree")
        put(terminal(rule_tree(rule, _GROUP if release.group else release.labels)))


def print_sheet(sheet: ScoreSheet, put: Callable[[object], None]) -> None:
    """Print the points of each column's cells and the risks of some totals."""
    table = Table(title="The score sheet", title_justify="left", box=None, pad_edge=False)
    for name in ("column", "cells", "points"):
        table.add_column(name, justify="right" if name == "points" else "left")
    columns = sheet.shown_points()
    for column, cells in columns:
        for i, (words, points) in enumerate(cells):
            said = "" if points is None else f"{points:+d}"
            table.add_row(visible(column) if i == 0 else "", visible(shorten(words)), said)
    if columns:
        put(table)
    risks, totals, first = sheet.risks, sheet.possible_totals, sheet.first_total
    last = len(totals) - 1
    shown = sorted({totals[last * i // 8] for i in range(9)} | {first} & {*totals})
    said = ", ".join(f"{t:+d}: {risks[t - sheet.totals[0]]:.3f}" for t in shown)
    put(f"risk by total  {said}; {sheet.label_by_total}")


def drawable(release: Release) -> DecisionTree:
    """The rule of a release, if it is a tree of conditions; `DeclarationError` if not."""
    rule = release.hypothesis
    if not isinstance(rule, DecisionTree):
        raise DeclarationError(
            "draw the rule of a model",
            found=f"it is not a tree; it is the rule {release.words()}",
            fix="draw a model of conditions, trees, rule_list or rule_sets",
        )
    return rule


_GROUP = ("not in the group", "in the group")
"""What the labels of a group mean."""

_KEY = ("off", "on", "ink")  # the tones of the sizes in a chart


def picture_of_release(release: Release, *, titled: bool = False) -> Picture | None:
    """The rule on the declared ranges and lists of its columns; None for kinds without a picture.

    No record is drawn.  A title says what is predicted, and the cost.
    """
    simulated = "" if release.private else ", a simulation: NOT PRIVATE"
    title = f"{release.label}, {release.cost}{simulated}" if titled else ""
    if isinstance(release.hypothesis, ScoreSheet):
        return sheet_picture(release.hypothesis, title)
    if release.group:
        title = title and f"A group with many {title}"
        return rule_picture(release.hypothesis, "the record", _GROUP, title)
    return rule_picture(release.hypothesis, release.label, release.labels, title)


def drawing_of_release(release: Release) -> Picture:
    """The picture of the rule with a title; `DeclarationError` for kinds without a picture."""
    picture = picture_of_release(release, titled=True)
    if picture is None:
        raise DeclarationError(
            "draw the rule of a model",
            found=f"rules of its kind have no picture: {shorten(release.words())}",
            fix="print the release, which says the rule in words",
        )
    return picture


def html_of_release(release: Release) -> Html:
    """The content and cost as a table, and the picture of the rule, for a notebook."""
    picture = picture_of_release(release)
    return join([pairs(rows_of_release(release)), picture.svg() if picture else Html()])


def chart_of_plan(plan: Plan) -> Chart:
    """The chart of the sizes: a row for each method that has a known one."""
    sizes = [(row.method, list(zip(row.sizes().values(), _KEY, strict=True))) for row in plan.rows]
    rows = tuple(
        Row(method, dots=tuple((float(n), tone) for n, tone in found if n))
        for method, found in sizes
        if any(n for n, _ in found)
    )
    least = max(plan.lower, key=lambda bound: bound.n, default=None)
    places = [n for row in rows for n, _ in row.dots] + ([least.n] if least else [])
    if not rows:
        raise DeclarationError(
            f"draw a plan for {shorten(plan.hypotheses)}",
            found="no size is known",
            fix="print the plan, which says why",
        )
    marks = ((least.n, f"at least {least.n:,}: {least.learners}"),) if least else ()
    low, high = 10.0 ** floor(log10(min(places))), 10.0 ** ceil(log10(max(places) * 1.01))
    key = tuple((tone, text) for text, tone in zip(plan.rows[0].sizes(), _KEY, strict=True))
    title = f"Records for {plan.goal}, {plan.cost}"
    return Chart(title, "records", low, high, rows, marks, key, log=True)


def chart_of_stream(published: Sequence[tuple[int, Hypothesis[Any]]], horizon: int) -> Chart:
    """The chart of the rules of a stream, each with the step at which it was published."""
    named = [Publication(step, h.words()) for step, h in published]
    return publications(named, horizon, "Published rules")


def write_parquet(found: Mapping[str, Sequence[Any]]) -> bytes:
    """The columns of classes as a Parquet file, a row for each class; see `columns` of the atlas.

    >>> write_parquet({"rows": [1, 2], "ldim": [0, 1]})[:4]
    b'PAR1'
    """
    import pyarrow as pa
    import pyarrow.parquet as pq

    file = BytesIO()
    pq.write_table(pa.table(dict(found)), file)
    return file.getvalue()


NOBODY = Node("no hypothesis", cut=True)


def decomposition_drawing(
    tree: DecompositionTree[Any], H: HypothesisClass[Any], levels: int
) -> Node:
    """The top levels of a tree of H; a leaf shows LDim and the SOA of its version space.

    >>> from littlestone.classes import parse_class
    >>> from littlestone.theory.decomposition import decompose
    >>> H = parse_class("thresholds(x, 1..3)")
    >>> root = decomposition_drawing(decompose(H, p=2), H, levels=4)
    >>> root.text, root.ends
    ('1', 4)
    """

    def node(i: int | None, level: int, V: HypothesisClass[Any]) -> Node:
        if i is None:
            return NOBODY
        point, space, after = tree.nodes[i].point, tree.nodes[i].space, tree.nodes[i].after
        if space is not None:
            shown = f"LDim {space.littlestone_dimension()}: {space.soa().words()}"
            return Node(shown, space=space)
        if level == levels:
            return Node("...", cut=True, space=V)
        sides = ((y, node(j, level + 1, V.restrict(point, y))) for y, j in enumerate(after))
        return Node(H.domain.words(point), tuple(sides), space=V)

    return node(0 if tree.nodes else None, 0, H)
