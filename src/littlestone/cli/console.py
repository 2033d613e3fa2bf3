"""What every command shares: where it prints, and how errors reach people."""

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
    """A console on which names and values only show: what a terminal obeys in them is escaped."""

    def print(self, *objects: Any, **options: Any) -> None:
        shown = (visible(o, keep="\n") if isinstance(o, str) else o for o in objects)
        super().print(*shown, **options)

    def on_broken_pipe(self) -> None:
        raise  # rich would end the process, and with it a release that nothing else holds


# Highlighting would colour parts of names, and markup would read their brackets.
out = _Visible(highlight=False, markup=False, soft_wrap=True)
err = _Visible(highlight=False, markup=False, soft_wrap=True, stderr=True)

_LONG = 500  # rows


def print_pairs(rows: Iterable[tuple[str, str]], *, title: str = "") -> None:
    """Print headings and their texts, in two columns, under a title."""
    if title:
        out.print(Text(title, style="bold"))
    _print_columns([[f"  {heading}", text] for heading, text in rows])


def print_table(headings: Sequence[str], rows: Iterable[Sequence[object]]) -> None:
    """Print a table with a line of headings."""
    _print_columns([list(headings), *([str(value) for value in row] for row in rows)])


def _print_columns(rows: list[list[str]]) -> None:
    rows = [[visible(cell) for cell in row] for row in rows]
    # Folded to the width of a terminal, for people; whole lines for whatever reads a pipe, and for
    # tables so long that laying them out would take seconds.
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
    """A cost as programs read it: exact numbers in texts, ``p/q`` where no short decimal is equal.

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
    """``value`` as JSON can hold it, which has no infinity."""
    return str(value) if value == float("inf") else value


def exit_with(error: BaseException) -> int:
    """Tell people of an error, and return the exit status.

    An error of this package speaks of public declarations only.  Any other is a defect whose text
    may quote a record, so its text and trace are shown only when LITTLESTONE_DEBUG asks for them.
    """
    if isinstance(error, LittlestoneError):
        err.print(Text("error: ", style="bold red") + Text(str(error)))
        return 1
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
