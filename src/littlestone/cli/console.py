"""What every command shares: where it prints, and how it reports errors."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable, Sequence
from typing import Any

from rich.console import Console
from rich.table import Table
from rich.text import Text

from littlestone.errors import LittlestoneError
from littlestone.privacy.cost import PrivacyCost, decimal_text
from littlestone.visible import visible, visible_json


class _Visible(Console):
    """A console that escapes control characters, so that names and values cannot steer a terminal."""

    def print(self, *objects: Any, **options: Any) -> None:
        shown = (visible(o, keep="\n") if isinstance(o, str) else o for o in objects)
        super().print(*shown, **options)

    def on_broken_pipe(self) -> None:
        raise  # rich would end the process and lose a release that is stored nowhere else


# Highlighting would colour parts of names, and markup would read their brackets.
out = _Visible(highlight=False, markup=False, soft_wrap=True)
err = _Visible(highlight=False, markup=False, soft_wrap=True, stderr=True)

_LONG = 500  # rows


def print_pairs(rows: Iterable[tuple[str, str]], *, title: str = "") -> None:
    """Print headings and their texts in two columns under a title."""
    if title:
        out.print(Text(title, style="bold"))
    _print_columns([[f"  {heading}", text] for heading, text in rows])


def print_table(headings: Sequence[str], rows: Iterable[Sequence[object]]) -> None:
    """Print a table with a line of headings."""
    _print_columns([list(headings), *([str(value) for value in row] for row in rows)])


def _print_columns(rows: list[list[str]]) -> None:
    rows = [[visible(cell) for cell in row] for row in rows]
    # Lines fold to the width of a terminal.  They stay whole in a pipe, and in tables so long that
    # laying them out would take seconds.
    if out.is_terminal and len(rows) < _LONG:
        grid = Table.grid(padding=(0, 2, 0, 0))
        for _ in rows[0] if rows else ():
            grid.add_column(overflow="fold")
        for row in rows:
            grid.add_row(*map(Text, row))
        out.print(grid, soft_wrap=False)
        return
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    for row in rows:
        cells = (cell.ljust(width) for cell, width in zip(row, widths, strict=True))
        sys.stdout.write("  ".join(cells).rstrip() + "\n")


def print_json(data: object) -> None:
    """Print plain JSON, for programs."""
    sys.stdout.write(visible_json(data, indent=2) + "\n")


def cost_json(cost: PrivacyCost) -> dict[str, str]:
    """A cost for programs: exact numbers as texts, written ``p/q`` if no short decimal is equal.

    >>> from fractions import Fraction
    >>> cost_json(PrivacyCost(Fraction(1, 8)))
    {'epsilon': '0.125', 'delta': '0'}
    """
    return {"epsilon": decimal_text(cost.epsilon), "delta": decimal_text(cost.delta)}


def counted(number: int, thing: str) -> str:
    """A number of things in words.

    >>> counted(1, "mistake"), counted(0, "round")
    ('1 mistake', '0 rounds')
    """
    return f"{number:,} {thing}" + ("" if number == 1 else "s")


def finite_or_text(value: float) -> int | float | str:
    """``value`` as JSON can hold it: infinity, which JSON lacks, becomes a text."""
    return str(value) if value == float("inf") else value


def exit_with(error: BaseException) -> int:
    """Print an error and return the exit status.

    An error of this package depends on public declarations only.  Any other error is a defect.  Its
    text may quote a record, so its text and trace are shown only if LITTLESTONE_DEBUG is set.
    """
    if isinstance(error, LittlestoneError):
        err.print(Text("error: ", style="bold red") + Text(str(error)))
        return error.status
    if isinstance(error, OSError) and error.strerror:
        err.print(Text("error: ", style="bold red") + Text(f"cannot go on: {error.strerror}"))
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
