"""What every command shares: where it prints, and how errors reach people."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Iterable, Sequence

from rich.console import Console
from rich.table import Table
from rich.text import Text

from littlestone.errors import LittlestoneError

# Highlighting would colour parts of names, and markup would read their brackets.
out = Console(highlight=False, markup=False, soft_wrap=True)
err = Console(highlight=False, markup=False, soft_wrap=True, stderr=True)


def print_pairs(rows: Iterable[tuple[str, str]], *, title: str = "") -> None:
    """Print headings and their texts, in two columns, under a title."""
    if title:
        out.print(Text(title, style="bold"))
    grid = Table.grid(padding=(0, 2))
    grid.add_column(style="cyan", no_wrap=True)
    grid.add_column(overflow="fold")
    for heading, text in rows:
        grid.add_row(Text(f"  {heading}"), Text(text))
    out.print(grid, soft_wrap=False)


def print_table(headings: Sequence[str], rows: Iterable[Sequence[object]]) -> None:
    """Print a table with a line of headings."""
    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0))
    for heading in headings:
        table.add_column(Text(heading), overflow="fold", header_style="bold")
    for row in rows:
        table.add_row(*(Text(str(value)) for value in row))
    out.print(table, soft_wrap=False)


def print_json(data: object) -> None:
    """Print plain JSON, for programs."""
    sys.stdout.write(json.dumps(data, indent=2, ensure_ascii=False) + "\n")


def finite_or_text(value: float) -> int | float | str:
    """``value`` as JSON can hold it, which has no infinity."""
    return str(value) if value == float("inf") else value


def exit_with(error: Exception) -> int:
    """Tell people of an error, and return the exit status.

    An error of this package speaks of public declarations only.  Any other is a defect whose text
    may quote a record, so its text and trace are shown only when LITTLESTONE_DEBUG asks for them.
    """
    if isinstance(error, LittlestoneError):
        err.print(Text("error: ", style="bold red") + Text(str(error)))
        return 1
    if os.environ.get("LITTLESTONE_DEBUG"):
        raise error
    err.print(
        Text("internal error: ", style="bold red")
        + Text(
            f"{type(error).__name__}; its text is withheld, because it could quote a record\n"
            "to fix it: run again with LITTLESTONE_DEBUG=1 and report the trace, if it is not private"
        )
    )
    return 70
