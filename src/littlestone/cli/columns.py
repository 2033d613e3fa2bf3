"""Columns of text that fit a width: lines break between words, and never in a number or a name."""

from __future__ import annotations

from collections.abc import Sequence

from rich.cells import cell_len, set_cell_size

_GAP = "  "
_NARROW = 16  # a column of words is kept at least so wide, or goes below the others
_INDENT = 4  # of what goes below


def laid_out(
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
    >>> print(*laid_out(rows, width=44, headings=["entry", "at", "what"]), sep="\n")
    entry  at                   what
    1      2026-01-01T09:30:00  learn late from
                                a very long
                                class
    >>> print(*laid_out(rows, width=28, headings=["entry", "at", "what"]), sep="\n")
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
        beside, widths = _fitted(table, full, room)
    lines, margin = list[str](), " " * indent
    for number, row in enumerate(table):
        cells = [_wrapped(row[i], w) for i, w in zip(beside, widths, strict=True)]
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
            lines += [f"{below}{line}".rstrip() for line in _wrapped(text, room - _INDENT)]
    return lines


def _fitted(
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


def _wrapped(text: str, width: int) -> list[str]:
    if cell_len(text) <= width:
        return [text]
    from rich.console import Console
    from rich.text import Text

    lines = Text(text).wrap(Console(width=80), max(width, 1), overflow="fold")  # it asks for one
    return [line.plain.rstrip() for line in lines]
