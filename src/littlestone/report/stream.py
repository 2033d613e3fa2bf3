"""A figure of a private run over a stream: the published rules over time and, if asked, mistakes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from littlestone.report.figures import INK, RULE, TWO, Kind, drawn, short

_ROW, _MOST = 0.3, 24  # inches per rule, and the most rules that are named
_WORDS, _TITLE = 44, 84  # characters
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


def figure(
    published: Sequence[Publication],
    horizon: int,
    title: Sequence[str],
    *,
    kind: Kind,
    mistakes: Mistakes | None = None,
) -> bytes:
    """A plot of the publications against the step, on a logarithmic scale up to the horizon.

    It depends only on the private release and declarations, except for ``mistakes``, which are marked.
    If there are more than 24 rules, only their number is drawn.  Raises `OutputError` without
    matplotlib.
    """
    rows = min(len(published), _MOST)
    top, below = rows * _ROW + 0.5, 0.0 if mistakes is None else 2.4
    named = len(published) <= _MOST
    longest = max(len(short(p.words, _WORDS)) for p in published) if named else 5
    left = longest * _CHARACTER + 0.5
    width, height = left + 5.6, top + below + 1.1

    def draw(canvas: Any) -> None:
        for line, words in enumerate(title):
            place = 0.15 / width, 1 - (0.25 + 0.2 * line) / height
            weight = "normal" if line else "bold"
            canvas.text(*place, short(words, _TITLE), weight=weight, va="center", parse_math=False)
        above = (left / width, (below + 0.55) / height, 5.2 / width, (top - 0.2) / height)
        axes = canvas.add_axes(above)
        if named:
            _named(axes, published, horizon)
        else:
            steps = [max(p.step, 1) for p in published]
            axes.step([*steps, horizon], [*range(len(steps)), len(steps) - 1], where="post")
            axes.set(ylabel="rules so far")
        first = max(published[0].step, 1)  # for a resumed run, the last publication before it
        axes.set(xscale="log", xlim=(first, max(horizon, first + 1)), xlabel="step")
        if mistakes is not None:
            axes.set(xlabel="")
            shared = canvas.add_axes(
                (left / width, 0.55 / height, 5.2 / width, (below - 0.6) / height), sharex=axes
            )
            _mistaken(shared, mistakes, [p.step for p in published])

    return drawn(draw, (width, height), kind)


def _named(axes: Any, published: Sequence[Publication], horizon: int) -> None:
    ends = [p.step for p in published[1:]] + [horizon]
    for row, (p, end) in enumerate(zip(published, ends, strict=True)):
        begin, end = max(p.step, 1), max(end, 1)
        axes.plot([begin, end], [row, row], color=TWO[0], linewidth=5, solid_capstyle="butt")
    axes.set(ylim=(len(published) - 0.5, -0.5))
    words = [short(p.words, _WORDS) for p in published]
    axes.set_yticks(range(len(published)), words, parse_math=False)
    axes.tick_params(axis="y", length=0)


def _mistaken(axes: Any, mistakes: Mistakes, published: Sequence[int]) -> None:
    """Plot the mistakes so far, the mistakes since the last publication, and the draws."""
    begin, end = max(mistakes.begin, 1), max(mistakes.end, mistakes.begin, 1)
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
