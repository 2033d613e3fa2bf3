"""What every command shares: where it prints, and how it reports errors."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any, TextIO

from littlestone.base.errors import LittlestoneError, OutputError
from littlestone.base.visible import visible, visible_json
from littlestone.cli.columns import laid_out
from littlestone.privacy.cost import PrivacyCost, decimal_text

if TYPE_CHECKING:
    from rich.console import Console


class _Printer:
    """A stream of output that escapes control characters, so that names cannot steer a terminal.

    Text for anything but a terminal is written as it is; rich is loaded for the rest alone.
    """

    def __init__(self, *, stderr: bool = False) -> None:
        self.stderr = stderr

    @property
    def console(self) -> Console:
        """The stream as rich sees it now; it raises when its reader has left."""
        from rich.console import Console

        class Raising(Console):
            def on_broken_pipe(self) -> None:
                raise  # rich would end the process and lose a release that is stored nowhere else

        # Highlighting would colour parts of names, and markup would read their brackets.
        return Raising(highlight=False, markup=False, emoji=False, stderr=self.stderr)

    @property
    def file(self) -> TextIO:
        """Standard output or error, whatever that is now."""
        return sys.stderr if self.stderr else sys.stdout

    @property
    def width(self) -> int:
        """The number of characters of a line."""
        return self.console.width

    @property
    def is_terminal(self) -> bool:
        """Whether this is a terminal, or the environment tells rich to treat it as one."""
        try:
            maybe = self.file.isatty()
        except ValueError:  # it is closed
            maybe = False
        told = maybe or os.environ.get("FORCE_COLOR") or os.environ.get("TTY_COMPATIBLE")
        return bool(told) and self.console.is_terminal

    def print(
        self,
        *objects: Any,
        style: str | None = None,
        end: str = "\n",
        soft_wrap: bool | None = None,
    ) -> None:
        """Print texts, or what rich draws, on a line."""
        shown = [visible(o, keep="\n") if isinstance(o, str) else o for o in objects]
        if not self.is_terminal and all(isinstance(o, str) for o in shown):
            self.file.write(" ".join(shown) + end)
            self.file.flush()
            return
        # A terminal gets lines that break between words; an error holds commands, to be copied whole.
        soft = (self.stderr or not self.is_terminal) if soft_wrap is None else soft_wrap
        self.console.print(*shown, style=style, end=end, soft_wrap=soft)


out = _Printer()
err = _Printer(stderr=True)


def print_pairs(rows: Iterable[tuple[str, str]], *, title: str = "") -> None:
    """Print headings and their texts in two columns under a title."""
    if title:
        out.print(title, style="bold")
    print_columns(rows, indent=2)


def print_table(
    headings: Sequence[str], rows: Iterable[Sequence[object]], *, indent: int = 0
) -> None:
    """Print a table with a line of headings."""
    print_columns(rows, headings=headings, indent=indent)


def print_columns(
    rows: Iterable[Sequence[object]], *, headings: Sequence[str] = (), indent: int = 0
) -> None:
    """Print rows in columns: in the width of a terminal, and in a pipe a line for each row."""
    shown = [[visible(str(cell)) for cell in row] for row in rows]
    width = out.width if out.is_terminal else None
    for line in laid_out(shown, width=width, headings=headings, indent=indent):
        sys.stdout.write(line + "\n")


def print_json(data: object) -> None:
    """Print plain JSON, for programs."""
    sys.stdout.write(json_text(data, indent=2) + "\n")


def json_text(data: object, *, indent: int | None = None) -> str:
    """``data`` as JSON for standard output; characters that its encoding lacks are escaped."""
    text = visible_json(data, indent=indent)
    return json.dumps(data, indent=indent) if _lacking(text) else text


def require_encoding(what: str, text: str) -> None:
    """Raise `OutputError` if standard output cannot hold a text that programs read.

    For people an escape is better than nothing.  In a program an escape is another name.
    """
    if lacking := _lacking(text):
        raise OutputError(
            f"write {what} to standard output",
            found=f"its encoding, {sys.stdout.encoding}, has no character {lacking!a}",
            fix="set the environment variable PYTHONIOENCODING=utf-8",
        )


def _lacking(text: str) -> str:
    """The first character that the encoding of standard output lacks; else nothing."""
    try:
        text.encode(sys.stdout.encoding or "utf-8")
    except UnicodeEncodeError as error:
        return text[error.start]
    return ""


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
        _print_error("error: ", str(error))
        return error.status
    if isinstance(error, OSError) and error.strerror:
        _print_error("error: ", f"cannot go on: {error.strerror}")
        return 1
    if os.environ.get("LITTLESTONE_DEBUG"):
        raise error
    _print_error(
        "internal error: ",
        f"{type(error).__name__}; its text is withheld, because it could quote a record\n"
        "to fix it: run again with LITTLESTONE_DEBUG=1 and report the trace, if it is not private",
    )
    return 70


def _print_error(kind: str, text: str) -> None:
    err.print(kind, style="bold red", end="")
    err.print(text)
