"""A chart: rows of bars and dots on one axis, with real data on it when matplotlib draws it.

One chart has the published rules of a private run over time, from its first step to its horizon.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from math import ceil, floor, log10
from typing import Any

from littlestone.pictures.canvas import (
    INK,
    RULE,
    SIZE,
    TONES,
    TWO,
    Canvas,
    Kind,
    Picture,
    Place,
    Side,
    Style,
    new_axes,
    on_axes,
    printable,
    render_figure,
    short,
)

_WIDE = 4.3  # inches
_MARGIN = 0.2  # inches on each side of the axis
_NAME, _NOTE = 46, 58  # characters
_LEAST = 0.004  # of the axis: the least width of a bar
_TICKS = 6


@dataclass(frozen=True)
class Bar:
    """A bar from ``low`` to ``high``, in a tone of `TONES`."""

    low: float
    high: float
    tone: str = "off"


@dataclass(frozen=True)
class Row:
    """A row: its name, a note below the name, its bars, and dots as pairs (place, tone)."""

    name: str
    note: str = ""
    bars: tuple[Bar, ...] = ()
    dots: tuple[tuple[float, str], ...] = ()


@dataclass(frozen=True)
class Chart:
    """Rows on an axis from ``low`` to ``high``, with its ``label``; logarithmic if ``log``.

    ``marks`` are places with a vertical line through all rows, and their names.  ``key`` says what the
    tones mean.  A ``percent`` axis shows shares as percentages.

    >>> Chart("a run", "step", 0, 4000, (Row("always 0", bars=(Bar(0, 503),)),)).ticks()[:3]
    [(0.0, '0'), (1000.0, '1,000'), (2000.0, '2,000')]
    """

    title: str
    label: str
    low: float
    high: float
    rows: tuple[Row, ...]
    marks: tuple[tuple[float, str], ...] = ()
    key: tuple[tuple[str, str], ...] = ()
    log: bool = False
    percent: bool = False

    def ticks(self) -> list[tuple[float, str]]:
        """The places of round numbers on the axis, with their texts."""
        if self.log:
            first, last = ceil(log10(self.low)), floor(log10(self.high))
            every = 1 + (last - first) // _TICKS
            return [(10.0**i, self._text(10.0**i)) for i in range(first, last + 1, every)]
        step = _round_step((self.high - self.low) / (_TICKS - 1))
        count = floor((self.high - self.low) / step + 1e-9)
        start = ceil(self.low / step - 1e-9)
        places = [(start + i) * step for i in range(count + 1)]
        return [(place, self._text(place)) for place in places]

    def picture(self) -> Picture:
        """The chart with the name of each row above its bars, so that it fits a narrow page."""
        heights = [0.52 + (0.19 if row.note else 0.0) for row in self.rows]
        top = 0.1 + (0.25 if self.marks else 0.0)
        bottom = top + sum(heights) + 0.05
        height = bottom + 0.55 + (0.3 if self.key else 0.0)

        def place(value: float) -> float:
            return _MARGIN + self._share(value) * (_WIDE - 2 * _MARGIN)

        def paint(on: Canvas) -> None:
            at = top
            for value, text in self.ticks():
                on.line([(place(value), top), (place(value), bottom)], "rest", width=0.6)
                on.text((place(value), bottom + 0.13), text, size=SIZE - 2, tone="faint")
            on.line([(_MARGIN, bottom), (_WIDE - _MARGIN, bottom)], "line")
            on.text((_WIDE / 2, bottom + 0.36), self.label, size=SIZE - 1, tone="faint")
            for row, tall in zip(self.rows, heights, strict=True):
                on.text((_MARGIN, at + 0.12), short(row.name, _NAME), side="start")
                if row.note:
                    style: Style = {"size": SIZE - 2, "side": "start", "tone": "faint"}
                    on.text((_MARGIN, at + 0.31), short(row.note, _NOTE), **style)
                self._row(on, row, place, at + tall - 0.2, 0.07)
                at += tall
            for value, text in self.marks:
                self._mark(on, place, value, (top - 0.04, bottom))
                on.text((place(value), top - 0.14), text, size=SIZE - 2, side=self._side(value))
            left = _MARGIN
            for tone, text in self.key:
                on.dot((left + 0.05, height - 0.13), tone)
                on.text((left + 0.17, height - 0.13), text, size=SIZE - 2, side="start")
                left += 0.17 + (len(text) + 3) * 0.075

        return Picture(self.title, _WIDE, height, paint)

    def plot(self, axes: Any = None) -> Any:
        """Draw on the axes of matplotlib, by default new ones, and return them.

        Their horizontal axis is that of the chart, and row i is at height i.  Raises `OutputError` if
        matplotlib is not installed.
        """
        if axes is None:
            axes = new_axes((8.0, 1.1 + 0.42 * len(self.rows)))
        axes.set(xscale="log" if self.log else "linear", xlabel=self.label)
        canvas = on_axes(axes)
        for i, row in enumerate(self.rows):
            self._row(canvas, row, lambda value: value, i, 0.17)
        for value, text in self.marks:
            self._mark(canvas, lambda value: value, value, (-0.6, len(self.rows) - 0.4))
            canvas.text((value, -0.72), f" {text}", size=SIZE - 2, side=self._side(value))
        names = [printable(short(row.name, 44)) for row in self.rows]
        axes.set_yticks(range(len(names)), names, parse_math=False)
        axes.tick_params(axis="y", length=0)
        axes.set(xlim=(self.low, self.high), ylim=(len(names) - 0.4, -0.6))
        axes.spines[["top", "right", "left"]].set_visible(False)
        look: dict[str, Any] = {"loc": "left", "fontsize": SIZE, "pad": 20 if self.marks else 6}
        axes.set_title(printable(short(self.title, 84)), parse_math=False, **look)
        if self.key:
            from matplotlib.lines import Line2D

            style: dict[str, Any] = {"marker": "o", "linestyle": "none"}
            dots = [
                Line2D([], [], color=TONES[tone], label=text, **style) for tone, text in self.key
            ]
            axes.legend(handles=dots, fontsize=SIZE - 2, frameon=False)
        return axes

    def _row(
        self, on: Canvas, row: Row, x: Callable[[float], float], y: float, half: float
    ) -> None:
        least = _LEAST * (self.high - self.low)
        for bar in row.bars:
            high = bar.high if self.log else min(max(bar.high, bar.low + least), self.high)
            low = bar.low if self.log else min(bar.low, high - least)
            on.rect((x(low), y - half), (x(high), y + half), bar.tone)
        for value, tone in row.dots:
            on.dot((x(value), y), tone)

    def _mark(
        self, on: Canvas, x: Callable[[float], float], value: float, ends: tuple[float, float]
    ) -> None:
        on.line([(x(value), ends[0]), (x(value), ends[1])], "ink", width=1.2)

    def _share(self, value: float) -> float:
        """The place of a value on the axis, from 0 to 1."""
        if self.log:
            return (log10(value) - log10(self.low)) / (log10(self.high) - log10(self.low))
        return (value - self.low) / (self.high - self.low)

    def _side(self, value: float) -> Side:
        """Where the name of a mark at this value has room."""
        return "end" if self._share(value) > 0.5 else "start"

    def _text(self, value: float) -> str:
        if self.percent:
            return f"{100 * value:g}%"
        return f"{value:,.0f}" if value == int(value) else f"{value:g}"


def _round_step(least: float) -> float:
    """The least of 1, 2 and 5 times a power of ten that is at least so large.

    >>> _round_step(667), _round_step(0.2), _round_step(30)
    (1000.0, 0.2, 50.0)
    """
    power = 10.0 ** floor(log10(least))
    return next(step * power for step in (1, 2, 5, 10) if step * power >= least * (1 - 1e-9))


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


_MOST = 24  # rules that are named
_TITLE = 84  # characters
_CHARACTER = 0.075  # inches


@dataclass(frozen=True)
class Publication:
    """A rule in words, and the step at which it was published."""

    step: int
    words: str


@dataclass
class Mistakes:
    """The steps of the mistakes between the steps ``begin`` and ``end`` of a run: NOT PRIVATE.

    ``draws`` are the steps of all draws, including the draws that found nothing.
    """

    begin: int
    end: int = 0
    steps: list[int] = field(default_factory=list)
    draws: list[int] = field(default_factory=list)


def publications(published: Sequence[Publication], horizon: int, title: str) -> Chart:
    """A chart of the whole stream, from step 0 to the horizon, with a bar while a rule is published.

    If there are more than 24 rules, they share one row.

    >>> chart = publications([Publication(0, "always 0"), Publication(7, "x >= 3")], 20, "a run")
    >>> chart.low, chart.high, [(row.name, row.bars[0].low) for row in chart.rows]
    (0, 20, [('always 0', 0), ('x >= 3', 7)])
    """
    ends = [min(p.step, horizon) for p in published[1:]] + [horizon]
    bars = [Bar(min(p.step, horizon), end) for p, end in zip(published, ends, strict=True)]
    rows = [
        Row(p.words, f"from step {p.step:,}", (bar,))
        for p, bar in zip(published, bars, strict=True)
    ]
    if len(rows) > _MOST:
        tones = ("off", "line")
        bars = [Bar(bar.low, bar.high, tones[i % 2]) for i, bar in enumerate(bars)]
        rows = [
            Row(f"{len(rows)} rules", f"the last from step {published[-1].step:,}", tuple(bars))
        ]
    return Chart(title, "step", 0, horizon, tuple(rows))


def figure(
    published: Sequence[Publication],
    horizon: int,
    title: Sequence[str],
    *,
    kind: Kind,
    mistakes: Mistakes | None = None,
) -> bytes:
    """A figure file of the chart of the publications and, if asked, of the mistakes below it.

    It depends only on the private release and declarations, except for ``mistakes``, which are marked.
    Raises `OutputError` without matplotlib.
    """
    chart = publications(published, horizon, "")
    top, below = len(chart.rows) * 0.3 + 0.5, 0.0 if mistakes is None else 2.4
    left = max(len(short(row.name, 44)) for row in chart.rows) * _CHARACTER + 0.5
    width, height = left + 5.6, top + below + 1.1

    def paint(canvas: Any) -> None:
        for line, words in enumerate(title):
            place = 0.15 / width, 1 - (0.25 + 0.2 * line) / height
            weight = "normal" if line else "bold"
            canvas.text(*place, short(words, _TITLE), weight=weight, va="center", parse_math=False)
        above = (left / width, (below + 0.55) / height, 5.2 / width, (top - 0.2) / height)
        axes = chart.plot(canvas.add_axes(above))
        if mistakes is not None:
            axes.set(xlabel="")
            shared = canvas.add_axes(
                (left / width, 0.55 / height, 5.2 / width, (below - 0.6) / height), sharex=axes
            )
            _mistaken(shared, mistakes, [p.step for p in published])

    return render_figure(paint, (width, height), kind)


def _mistaken(axes: Any, mistakes: Mistakes, published: Sequence[int]) -> None:
    """Plot the mistakes so far, the mistakes since the last publication, and the draws."""
    begin, end = mistakes.begin, max(mistakes.end, mistakes.begin)
    places, so_far, waiting = [begin], [0], [0]
    later = [step for step in published if step > begin]
    events = [(t, 0) for t in mistakes.steps] + [(t, 1) for t in later]
    for t, is_published in sorted(events):  # a publication comes after the mistake of its step
        places.append(t)
        so_far.append(so_far[-1] + 1 - is_published)
        waiting.append(0 if is_published else waiting[-1] + 1)
    axes.step([*places, end], [*so_far, so_far[-1]], where="post", color=TWO[1], label="mistakes")
    label = "since the last publication"
    axes.step(
        [*places, end], [*waiting, waiting[-1]], where="post", color=INK, linewidth=1, label=label
    )
    for i, step in enumerate(mistakes.draws):
        label = "_" if i else "draws"
        axes.axvline(step, color=RULE, linestyle=":", linewidth=1, label=label)
    ylabel = "mistakes" if not mistakes.begin else f"mistakes after step {mistakes.begin}"
    axes.set(xlabel="step", ylabel=ylabel, ylim=(0, None))
    axes.yaxis.get_major_locator().set_params(integer=True)
    axes.legend(loc="upper left", fontsize=8, frameon=False)
    axes.set_title("NOT PRIVATE", color=TWO[1], fontweight="bold", loc="right", fontsize=10)
