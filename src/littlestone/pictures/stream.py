"""The published rules of a private run over time, on an axis from its first step to its horizon."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from littlestone.pictures.chart import Bar, Chart, Row
from littlestone.pictures.figures import INK, RULE, TWO, Kind, render_figure, short

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
