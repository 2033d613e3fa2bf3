"""``littlestone dim``: the Littlestone dimension of a 0/1 table or a declared class."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated

import typer

from littlestone.classes import FiniteClass
from littlestone.cli.arguments import class_or_file
from littlestone.cli.console import finite_or_text, out, print_json, print_pairs


def dim(
    what: Annotated[
        str,
        typer.Argument(
            metavar="FILE-or-CLASS",
            help="A CSV or .npy table of 0s and 1s, a row a hypothesis and a column a point; "
            "or a class, such as 'thresholds(x, 1..1000)'.",
        ),
    ],
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON, for programs.")] = False,
) -> None:
    """Print the Littlestone dimension: the mistakes an adversary can force, and a learner allows."""
    H = class_or_file(what)
    dimension, size, points = H.littlestone_dimension(), H.size, H.domain.size
    data = {
        "littlestone_dimension": finite_or_text(dimension),
        "hypotheses": "infinite" if size is None else size,
        "points": "infinite" if points is None else points,
    }
    if as_json:
        print_json(data)
        return
    out.print(f"Littlestone dimension {data['littlestone_dimension']}")
    # The names show how a file was read: which of its lines are names, and which are labels.
    named: dict[str, Sequence[str]] = {"hypotheses": (), "points": ()}
    if isinstance(H, FiniteClass):
        named = {"hypotheses": H.names, "points": H.domain.points}
    print_pairs([(key, f"{data[key]}{_listed(names)}") for key, names in named.items()])


def _listed(names: Sequence[str]) -> str:
    if not names:
        return ""
    return f" ({', '.join(names[:8])}{', ...' if len(names) > 8 else ''})"
