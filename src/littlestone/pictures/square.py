"""Shares against shares: a curve with its band, or points with intervals, on a square."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from littlestone.pictures.canvas import Canvas, Picture, Place
from littlestone.pictures.figures import SIZE

_WIDE = 4.3  # inches, as a chart has
_SIDE = 3.3
_LEFT, _TOP = 0.75, 0.15


@dataclass(frozen=True)
class Square:
    """A picture of two shares from 0 to ``most``, with a diagonal.

    A ``curve`` lies in the ``band`` between a lower and an upper curve.  ``ranges`` are points as
    (across, low, middle, high), each drawn as a line with a dot.

    >>> Square("risks", "risk", "share", ranges=((0.1, 0.05, 0.1, 0.2),), most=0.5).ticks()
    [(0.0, '0%'), (0.1, '10%'), (0.2, '20%'), (0.3, '30%'), (0.4, '40%'), (0.5, '50%')]
    """

    title: str
    across: str
    up: str
    curve: tuple[Place, ...] = ()
    band: tuple[tuple[Place, ...], tuple[Place, ...]] = ((), ())
    ranges: tuple[tuple[float, float, float, float], ...] = ()
    most: float = 1.0

    def ticks(self) -> list[tuple[float, str]]:
        """Six places along an axis, with their texts."""
        places = [self.most * i / 5 for i in range(6)]
        return [(place, f"{100 * place:.3g}%") for place in places]

    def picture(self) -> Picture:
        """The square with its axes, which fits a narrow page."""

        def place(x: float, y: float) -> Place:
            return _LEFT + _SIDE * x / self.most, _TOP + _SIDE * (1 - y / self.most)

        def places(points: Sequence[Place]) -> list[Place]:
            return [place(*point) for point in points]

        def paint(on: Canvas) -> None:
            on.rect(place(0, self.most), place(self.most, 0), "box")
            for value, text in self.ticks():
                on.line(places([(value, 0), (value, self.most)]), "rest", width=0.6)
                on.line(places([(0, value), (self.most, value)]), "rest", width=0.6)
                x, y = place(value, 0)
                on.text((x, y + 0.15), text, size=SIZE - 2, tone="faint")
                x, y = place(0, value)
                on.text((x - 0.08, y), text, size=SIZE - 2, side="end", tone="faint")
            on.line(places([(0, 0), (self.most, self.most)]), "line")
            low, high = self.band
            if low:
                on.polygon(places([*low, *reversed(high)]), "rest")
            if self.curve:
                on.line(places(self.curve), "off", width=1.8)
            for x, least, middle, largest in self.ranges:
                on.line(places([(x, least), (x, largest)]), "off", width=2.4)
                on.dot(place(x, middle), "on")
            below, beside = (_LEFT + _SIDE / 2, _TOP + _SIDE + 0.4), (0.14, _TOP + _SIDE / 2)
            on.text(below, self.across, size=SIZE - 1, tone="faint")
            on.text(beside, self.up, size=SIZE - 1, tone="faint", upright=True)

        return Picture(self.title, _WIDE, _TOP + _SIDE + 0.6, paint)
