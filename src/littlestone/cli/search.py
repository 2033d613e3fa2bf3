"""``littlestone theory search``: nothing else finds the smallest classes with given dimensions."""

from __future__ import annotations

import re
from typing import Annotated

import typer

from littlestone.base.errors import DeclarationError
from littlestone.cli.console import bar, count_noun, err, out, print_json
from littlestone.cli.options import JsonOption
from littlestone.theory.atlas import QUANTITIES, SearchResult, table_of
from littlestone.theory.atlas import search as find
from littlestone.theory.atlas.listing import Rows, lines_of


def search(
    condition: Annotated[
        str, typer.Argument(help="Such as 'ldim == 2 and vc == 1'; the names are above.")
    ],
    points: Annotated[
        str, typer.Option(metavar="A..B", help="How many points the classes have.")
    ] = "1..5",
    rows: Annotated[
        str, typer.Option(metavar="A..B", help="How many hypotheses they have.")
    ] = "1..8",
    most: Annotated[int, typer.Option(help="Print at most this many examples.")] = 1,
    time_limit: Annotated[
        float | None,
        typer.Option(
            min=0, metavar="SECONDS", help="Stop after this time, and say how far the search got."
        ),
    ] = None,
    as_json: JsonOption = False,
) -> None:
    """Find the smallest classes whose dimensions meet a condition.

    Smallest means fewest points, and then fewest hypotheses.  Every class in the given ranges is
    looked at, once for all renamings of its points and the exchange of its labels.  If there is none,
    or time runs out, the command says how far it looked.

    Names: rows, points, ldim, vc, dual_ldim, dual_vc, threshold, teaching, star, and ddim1, ddim2,
    ddim3 (the decomposition dimension for p = 1, 2, 3).
    """
    with bar("searching"):
        looked = find(
            condition,
            points=_range(points, "points"),
            rows=_range(rows, "rows"),
            most=most,
            seconds=time_limit,
        )
    found = [(one, _measure(one, looked.points)) for one in looked.found]
    measured = f"({count_noun(looked.classes, 'table')} measured)"
    if as_json:
        listed = [{"table": lines_of(one, looked.points), **values} for one, values in found]
        data = {"condition": condition, "found": listed, "classes": looked.classes}
        print_json(data | {"whole": looked.whole, "points": looked.points, "rows": looked.rows})
    elif found:
        for one, values in found:
            out.print(", ".join(f"{name} {value}" for name, value in values.items()))
            out.print("\n".join(f"    {line}" for line in lines_of(one, looked.points)))
        out.print(f"there is no smaller one {measured}")
    else:
        asked = f"with {points} points and {rows} hypotheses"
        out.print(f"none {asked if looked.whole else _far(looked)} {measured}")
    if not (looked.found or looked.whole):
        err.print("interrupted" if looked.interrupted else "stopped by the time limit")
    if looked.interrupted:
        raise typer.Exit(130)


def _measure(rows: Rows, points: int) -> dict[str, int]:
    return {name: int(each.of(table_of(rows, points))) for name, each in QUANTITIES.items()}


def _far(looked: SearchResult) -> str:
    """How far a search looked that was stopped."""
    fewer = f"below {looked.points} points" if looked.points > 1 else ""
    with_these = f"with {count_noun(looked.points, 'point')} and up to {looked.rows} hypotheses"
    these = with_these if looked.rows else ""
    return " or ".join(part for part in (fewer, these) if part) or "so far"


def _range(text: str, what: str) -> tuple[int, int]:
    found = re.fullmatch(r"(\d{0,4})\.\.(\d{1,4})|(\d{1,4})", text.strip())
    if found is None:
        raise DeclarationError(
            f"search with {text} {what}",
            found="it is not a range of whole numbers",
            fix="write a range such as 2..5, ..5 or 5",
        )
    low, high, alone = found.groups()
    return (int(alone), int(alone)) if alone else (int(low or 1), int(high))
