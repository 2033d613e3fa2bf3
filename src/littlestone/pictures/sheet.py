"""A score sheet as a picture: a bar for the points of each cell, and the risk of each total."""

from __future__ import annotations

from littlestone.pictures.canvas import Canvas, Picture
from littlestone.pictures.figures import SIZE, short
from littlestone.rules.sheet import ScoreSheet

_WIDE, _MARGIN = 4.3, 0.15  # inches
_BARS = (2.35, 3.75)  # where the bars of the least and the most points end
_ROW, _CURVE = 0.21, 1.5
_NAME, _WORDS = 40, 27  # characters


def sheet_picture(sheet: ScoreSheet, title: str = "") -> Picture:
    """The points of each column's cells as bars, and the curve from totals to risks below.

    >>> from littlestone.points import Listed, Product
    >>> table = Product((Listed(("F", "M"), "sex"),))
    >>> picture = sheet_picture(ScoreSheet(table, (0,), ((0, 0, 4, 1),), 3, (-900, 450)))
    >>> ">F<" in picture.svg(), picture.width
    (True, 4.3)
    """
    columns = sheet.shown_points()
    most = max([1, *(abs(points or 0) for _, cells in columns for _, points in cells)])
    rows = sum(1 + len(cells) for _, cells in columns)
    top = 0.1 + (0.3 if title else 0.0)
    below = top + rows * _ROW + 0.15
    bottom = below + _CURVE
    middle, half = sum(_BARS) / 2, (_BARS[1] - _BARS[0]) / 2

    def paint_sheet(on: Canvas) -> None:
        if title:
            on.text((_MARGIN, 0.2), short(title, _NAME + 10), side="start", bold=True)
        at = top
        for name, cells in columns:
            on.text((_MARGIN, at + _ROW / 2), short(name, _NAME), side="start", bold=True)
            at += _ROW
            for words, points in cells:
                y = at + _ROW / 2
                on.text((_MARGIN, y), short(words, _WORDS), side="start", size=SIZE - 1)
                if points:
                    low, high = sorted((middle, middle + half * points / most))
                    on.rect((low, y - 0.06), (high, y + 0.06), "on" if points > 0 else "off")
                if points is not None:
                    on.text((_WIDE - _MARGIN, y), f"{points:+d}", side="end", size=SIZE - 1)
                at += _ROW
        on.line([(middle, top), (middle, at)], "rest", width=0.6)
        _paint_risks(on, sheet, below, bottom - 0.45)

    return Picture(title or "a score sheet", _WIDE, bottom, paint_sheet)


def _paint_risks(on: Canvas, sheet: ScoreSheet, top: float, bottom: float) -> None:
    """The curve from totals to risks, and a line where the label changes."""
    totals, risks = sheet.totals, sheet.risks
    left, right = 0.55, _WIDE - _MARGIN
    wide, last = right - left, max(1, len(totals) - 1)
    for share in (0.0, 0.5, 1.0):
        y = bottom - share * (bottom - top)
        on.line([(left, y), (right, y)], "rest", width=0.6)
        on.text((left - 0.08, y), f"{share:g}", side="end", size=SIZE - 2, tone="faint")
    curve = [(left + wide * i / last, bottom - r * (bottom - top)) for i, r in enumerate(risks)]
    on.line(curve if len(curve) > 1 else [curve[0], (right, curve[0][1])], "ink", width=1.6)
    if 0 < sheet.place_of_least <= last:
        x = left + wide * sheet.place_of_least / last
        on.line([(x, top), (x, bottom)], "on", width=0.8)
    for i in sorted({0, last // 2, len(totals) - 1}):
        on.text(
            (left + wide * i / last, bottom + 0.12), f"{totals[i]:+d}", size=SIZE - 2, tone="faint"
        )
    said = f"total, and its risk; label 1 from {sheet.least:+d}"
    on.text((left + wide / 2, bottom + 0.32), said, size=SIZE - 1, tone="faint")
