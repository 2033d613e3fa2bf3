"""How commands write to the terminal: pairs, tables, JSON, and bars of long work."""

from __future__ import annotations

import json
import os
import sys
import time
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, TextIO

from rich.cells import cell_len, set_cell_size

from littlestone.base.errors import LittlestoneError, OutputError, visible, visible_json
from littlestone.base.work import watching
from littlestone.privacy.cost import PrivacyCost, decimal_text

if TYPE_CHECKING:
    from rich.console import Console


_GAP = "  "
_NARROW = 16  # a column of words is kept at least so wide, or goes below the others
_INDENT = 4  # of what goes below


def lay_out(
    rows: Sequence[Sequence[str]],
    *,
    width: int | None = None,
    headings: Sequence[str] = (),
    indent: int = 0,
) -> list[str]:
    r"""The lines of a table of at most ``width`` characters; without a width, a line for each row.

    Words wrap within their column.  If the columns do not fit, the one with the longest text goes below
    its row, after its heading.  Only a word that is longer than a whole line is cut.

    >>> rows = [["1", "2026-01-01T09:30:00", "learn late from a very long class"]]
    >>> print(*lay_out(rows, width=44, headings=["entry", "at", "what"]), sep="\n")
    entry  at                   what
    1      2026-01-01T09:30:00  learn late from
                                a very long
                                class
    >>> print(*lay_out(rows, width=28, headings=["entry", "at", "what"]), sep="\n")
    entry  at
    1      2026-01-01T09:30:00
        what: learn late from a
        very long class
    """
    table = [list(headings), *rows] if headings else list(rows)
    if not table:
        return []
    full = [max(map(cell_len, column)) for column in zip(*table, strict=True)]
    beside = list(range(len(full)))
    widths = full
    if width is not None:
        room = max(width - indent, 1)
        beside, widths = _fit_columns(table, full, room)
    lines, margin = list[str](), " " * indent
    for number, row in enumerate(table):
        cells = [_wrap(row[i], w) for i, w in zip(beside, widths, strict=True)]
        for k in range(max(map(len, cells))):
            texts = [
                set_cell_size(cell[k] if k < len(cell) else "", w)
                for cell, w in zip(cells, widths, strict=True)
            ]
            lines.append((margin + _GAP.join(texts)).rstrip())
        if headings and not number:
            continue
        for i in sorted({*range(len(full))} - {*beside}):
            if not row[i]:
                continue
            text = f"{headings[i].strip()}: {row[i]}" if headings else row[i]
            below = " " * (indent + _INDENT)
            lines += [f"{below}{line}".rstrip() for line in _wrap(text, room - _INDENT)]
    return lines


def _fit_columns(
    table: Sequence[Sequence[str]], full: list[int], room: int
) -> tuple[list[int], list[int]]:
    """The columns that fit next to each other in this many characters, and their widths."""
    words = [max(map(_longest, column)) for column in zip(*table, strict=True)]
    least = [max(word, min(_NARROW, most)) for word, most in zip(words, full, strict=True)]
    beside = list(range(len(full)))

    def left() -> int:
        return room - len(_GAP) * (len(beside) - 1)

    while len(beside) > 1 and sum(least[i] for i in beside) > left():
        beside.remove(max(beside[1:], key=lambda i: (full[i], i)))
    if len(beside) == 1:
        return beside, [min(full[beside[0]], max(room, 1))]
    cap = next(
        c
        for c in range(room, 0, -1)
        if sum(max(least[i], min(full[i], c)) for i in beside) <= left()
    )
    return beside, [max(least[i], min(full[i], cap)) for i in beside]


def _longest(text: str) -> int:
    return max(map(cell_len, text.split(" ")))


def _wrap(text: str, width: int) -> list[str]:
    if cell_len(text) <= width:
        return [text]
    from rich.console import Console
    from rich.text import Text

    lines = Text(text).wrap(Console(width=80), max(width, 1), overflow="fold")  # it asks for one
    return [line.plain.rstrip() for line in lines]


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
    for line in lay_out(shown, width=width, headings=headings, indent=indent):
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


def count_noun(number: int, thing: str) -> str:
    """A number of things in words.

    >>> count_noun(1, "mistake"), count_noun(0, "round")
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


_PAUSE = 0.1  # seconds between two looks at the steps, of which there may be millions


@contextmanager
def bar(text: str, *, still: bool = False) -> Iterator[None]:
    """Show a bar on standard error while the block runs, if that is a terminal; then remove it.

    Until a stage tells how far it is, the bar has the name ``text`` and no end.  It shows a share and
    the time left, and no counts.  ``still`` draws it only when steps are reported, so that nothing else
    runs during a measurement.  Print nothing inside the block.
    """
    if not err.is_terminal:
        yield
        return
    from rich.progress import (
        BarColumn,
        Progress,
        TaskProgressColumn,
        TextColumn,
        TimeRemainingColumn,
    )

    shown = Progress(
        TextColumn("{task.description}", markup=False),
        BarColumn(),
        TaskProgressColumn(),
        TimeRemainingColumn(),
        console=err.console,
        auto_refresh=not still,
        transient=True,
        # Results that are printed go to standard output, and not through this console.
        redirect_stdout=False,
        redirect_stderr=False,
        speed_estimate_period=600,
    )
    bar, named, looked = shown.add_task(text, total=None), text, 0.0

    def watch(what: str, done: int, of: int) -> None:
        nonlocal named, looked
        now = time.monotonic()
        if what == named and now - looked < _PAUSE:
            return
        if what != named:
            shown.reset(bar)
        named, looked = what, now
        shown.update(bar, description=what, completed=done, total=of, refresh=still)

    with shown, watching(watch):
        yield
