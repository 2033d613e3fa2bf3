"""``littlestone theory decompose``: nothing else draws a (p, d)-tree and finds what is essential."""

from __future__ import annotations

from contextlib import nullcontext
from pathlib import Path
from typing import Any

from littlestone.base.steps import answering
from littlestone.classes import HypothesisClass
from littlestone.cli.classes import class_or_file, title_of
from littlestone.cli.console import count_noun, out, print_columns, print_json
from littlestone.cli.options import Levels
from littlestone.learn.declared.declaring import open_schema
from littlestone.pictures.figures import suffix_of
from littlestone.rules import Hypothesis
from littlestone.show.files import DRAWINGS, DRAWN, require_different, reserve
from littlestone.show.pages.game import DECOMPOSITION, walk_page
from littlestone.show.tree import decomposition_drawing, terminal
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
