"""``littlestone theory papers``: nothing else lists the algorithms of the papers as printed."""

from __future__ import annotations

from typing import Annotated

import typer

from littlestone.base.errors import DeclarationError
from littlestone.cli.console import out, print_columns, print_json


def papers(only: Annotated[str | None, typer.Argument()] = None, as_json: bool = False) -> None:
    """List the boxes of the papers as printed, what they promise, and what is found.

    Each is a function of Python, for study on data that you made up: it has no ledger.
    docs/notes/boxes.md shows their steps beside what we run instead.

    only: List only boxes whose number contains this, such as 'Lyu25' or 'algorithm G'.
    """
    from littlestone.learn.papers.boxes.base import boxes

    found = [box for box in boxes() if (only or "").lower() in box.id.lower()]
    if not found:
        raise DeclarationError(
            f"list the boxes {only!r}",
            found="no box has that in its number",
            fix="list all of them: littlestone theory papers",
        )
    rows = [
        {
            "id": box.id,
            "code": f"{box.run.__module__}.{box.run.__name__}",
            "promise": box.promise,
            "found": box.found,
            "takes": box.takes,
            "mend": box.mend,
            "ours": box.ours,
        }
        for box in found
    ]
    if as_json:
        print_json(rows)
        return
    for row in rows:
        out.print(row["id"])
        for name in ("code", "promise", "found", "takes", "mend", "ours"):
            if row[name]:
                print_columns([[f"{name}:", row[name]]], indent=2)
