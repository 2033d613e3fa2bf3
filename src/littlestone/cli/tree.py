"""``littlestone theory tree`` and ``decompose``: nothing else draws these two trees of a class."""

from __future__ import annotations

from contextlib import nullcontext
from functools import partial
from pathlib import Path
from typing import Annotated, Any

import typer

from littlestone.base.work import answering
from littlestone.classes import FiniteClass, HypothesisClass
from littlestone.classes.text.table_file import BinaryTable
from littlestone.cli.classes import class_or_file, table_or_class, title_of
from littlestone.cli.console import count_noun, out, print_columns, print_json
from littlestone.cli.dim import reason_to_stop, solve
from littlestone.cli.options import Levels, Seconds
from littlestone.dimension.tables import PackedTable
from littlestone.learn import Release
from littlestone.learn.declared.declaring import open_schema
from littlestone.pictures.canvas import suffix_of
from littlestone.pictures.tree import Node, rule_tree
from littlestone.rules import Hypothesis
from littlestone.rules.sheet import ScoreSheet
from littlestone.show.files import DRAWINGS, DRAWN, require_different, reserve
from littlestone.show.pages.game import DECOMPOSITION, MISTAKES, RULE, walk_page
from littlestone.show.tree import (
    class_tree,
    decomposition_drawing,
    drawable,
    drawing_of_release,
    print_rule,
    table_tree,
    terminal,
)
from littlestone.theory.decomposition import (
    Decompositions,
    DecompositionTree,
    TooLargeError,
    certain_hypotheses,
)
from littlestone.theory.decomposition import (
    decompose as greedy,
)
from littlestone.theory.decomposition.greedy import depth_parameter


def tree(
    what: str,
    picture: Path | None = None,
    levels: Levels = 4,
    time_limit: Seconds = None,
    memory_limit: Annotated[float, typer.Option(min=0)] = 8,
    schema: Path | None = None,
    as_json: bool = False,
) -> None:
    """Draw a tree of questions: an adversary can force one mistake at each of its levels.

    Each question is a point, and its branches are the labels 0 and 1.  Each end is a hypothesis that
    gives every label on the way to it.  If a model is given, its rule is drawn; --out shows each
    condition on the range or list that its column declares.  A page shows one question after the
    other, with the Littlestone dimension and the size of each version space.

    what FILE-or-CLASS: A CSV or .npy table of 0s and 1s, a class, such as 'thresholds(x, 1..7)', or
        a model (.json) whose rule is a tree or a score sheet.
    picture --out: Draw to this .svg or .png file instead, or to an .html page to walk in.
    levels: Draw this many levels of the tree of a table or class.
    time_limit SECONDS: Stop searching after this time, and draw the best tree found.
    memory_limit GIB: Working memory for a table, in GiB.
    """
    kind = None if picture is None else suffix_of(picture, DRAWN)
    require_different({"the table": [what], "the schema": [schema], "--out": [picture]})
    with reserve(picture, DRAWINGS[kind]) if picture and kind else nullcontext() as write:
        shown = status = ""
        if what.endswith(".json"):
            release = Release.load(what)
            if isinstance(release.hypothesis, ScoreSheet) and kind != "html" and not as_json:
                if write is None or kind is None:
                    print_rule(release, out.print)
                    return
                write(drawing_of_release(release).content(kind))
                out.print(f"drawn to {picture}")
                return
            root = rule_tree(drawable(release), release.labels)
            content, walk = partial(drawing_of_release, release), RULE
            title = content().title
        else:
            H = table_or_class(what, open_schema(schema))
            root, depth, status = _draw_tree(
                H, levels, time_limit, memory_limit, spaces=kind == "html"
            )
            shown = f"the top {levels} of {depth} levels" if levels < depth else ""
            walk, title = MISTAKES, title_of(what)
            content = partial(root.picture, f"Mistake tree of {title}{shown and f' ({shown})'}")
        if write is not None and kind is not None:
            if kind == "html":
                write(walk_page(root, walk, title, title_of(what)))
            else:
                write(content().content(kind))
        elif not as_json:
            out.print(terminal(root))
    if as_json:
        told = {"levels": shown} if shown else {}
        print_json({"tree": _json(root), **told, **({"stopped": status} if status else {})})
    elif shown:
        out.print(f"{shown}; --levels draws up to 8")
    if picture is not None and not as_json:
        out.print(f"drawn to {picture}")
    if status and not as_json:
        out.print(f"{status}: there may be a deeper tree")
    if status == "interrupted":
        raise typer.Exit(130)


def _json(node: Node) -> dict[str, object]:
    """A node as plain JSON values: its text, and the nodes after its labels."""
    after = {str(label): _json(below) for label, below in node.after}
    return {"text": node.text, "after": after} if after else {"text": node.text}


def _draw_tree(
    H: BinaryTable | HypothesisClass[Any],
    levels: int,
    time_limit: float | None,
    memory_limit: float,
    *,
    spaces: bool,
) -> tuple[Node, int, str]:
    """The drawing, the depth of the whole tree, and what stopped the search for a deeper one.

    The nodes of a table have their version spaces if ``spaces`` says so.
    """
    if not isinstance(H, BinaryTable):
        return class_tree(H, levels), int(H.littlestone_dimension()), ""
    table = PackedTable.pack(H.values)
    bounds = solve(table, time_limit=time_limit, memory_limit=memory_limit)
    whole = FiniteClass.from_table(H) if spaces else None
    root = table_tree(bounds.tree, H.domain.points, H.hypotheses, levels, whole)
    return root, bounds.lower, reason_to_stop(bounds)


_LISTED = 12  # hypotheses


def decompose(
    what: str,
    p: int = 1,
    d: int | None = None,
    picture: Path | None = None,
    levels: Levels = 4,
    schema: Path | None = None,
    as_json: bool = False,
) -> None:
    """Print the (p, d)-decomposition dimension, an optimal tree and essential hypotheses.

    The tree cuts the class into version spaces that few points cannot reduce.  A hypothesis is
    essential if every optimal tree has it as the standard optimal algorithm of a largest version
    space.  If the class is too large for the exact search, bounds and the greedy tree are printed.

    what FILE-or-CLASS: A CSV or .npy table of 0s and 1s, or a class, such as 'points(dest)'.
    p: A leaf of Littlestone dimension d is one that no p points reduce.
    d: At least the Littlestone dimension, which is the default.
    picture --out: Draw to this .svg or .png file instead, or to an .html page to walk in.
    levels: Draw this many levels.
    """
    kind = None if picture is None else suffix_of(picture, DRAWN)
    require_different({"the table": [what], "the schema": [schema], "--out": [picture]})
    with reserve(picture, DRAWINGS[kind]) if picture and kind else nullcontext() as write:
        H = class_or_file(what, schema=open_schema(schema))
        d = depth_parameter(H, p, d)
        tree, settled, essential = _solve(H, p, d)
        root = decomposition_drawing(tree, H, levels)
        title = f"({p}, {d})-decomposition of {title_of(what)}"
        if write is not None and kind is not None:
            if kind == "html":
                write(walk_page(root, DECOMPOSITION, title, title_of(what)))
            else:
                write(root.picture(title).content(kind))
    shown = [f.words() for f in essential[:_LISTED]]
    if as_json:
        print_json(
            {
                "decomposition_dimension": tree.degree if settled else None,
                "upper": tree.degree,
                "leaves": sum(1 for _ in tree.leaves()),
                "essential": len(essential) if settled else None,
                "first_essential": shown,
            }
        )
        return
    if write is None:
        out.print(terminal(root))
    relation = "=" if settled else "<="
    leaves = count_noun(sum(1 for _ in tree.leaves()), "leaf").replace("leafs", "leaves")
    out.print(f"({p}, {d})-decomposition dimension {relation} {tree.degree}, {leaves}")
    known = "" if settled else "at least "
    out.print(f"essential: {known}{len(essential)}")
    print_columns([[words] for words in shown], indent=2)
    if len(essential) > _LISTED:
        out.print(f"  ... {len(essential) - _LISTED:,} more")
    if picture is not None:
        out.print(f"drawn to {picture}")


def _solve(
    H: HypothesisClass[Any], p: int, d: int
) -> tuple[DecompositionTree[Any], bool, list[Hypothesis[Any]]]:
    """A tree, whether it is optimal and the list is complete, and the essential hypotheses."""
    dimension = H.littlestone_dimension()
    with answering():
        # The greedy tree is found at once and often has the least possible degree.
        try:
            tree = greedy(H, p, d)
        except TooLargeError as error:
            raise TooLargeError(
                f"find the ({p}, {d})-decomposition dimension of {H}",
                found=f"it was to {error.asked}, and {error.found}; the dimension is between 0 and "
                f"{dimension}, the Littlestone dimension",
                fix="declare a smaller class, or smaller numbers",
            ) from error
        if tree.degree == 0:  # then its leaves are all hypotheses, and all are essential
            return tree, True, tree.hypotheses()
        certain = certain_hypotheses(tree)
        if len(certain) == len(tree.hypotheses()):
            return tree, True, certain
        try:
            search = Decompositions(p, d)
            return search.tree(H), True, search.essential(H)
        except TooLargeError:
            return tree, False, certain
