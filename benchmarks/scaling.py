"""How mistakes grow with d, T, 1/delta and 1/epsilon: ``python -m benchmarks.scaling [RUNS]``.

Sets of at most d points, on the harder of two kinds of streams: the records of one point after the
other, and of points at random.  Once the right set is published there are right records only, up to
the horizon T.  All but one of (d, T, delta, epsilon) are as in ``BASE``; RUNS runs of keys, 50 unless
given, and a fifth as many of teachers; some minutes.

Printed: the mean, and the exponents that fit best, of d, ln T, ln 1/delta and 1/epsilon, beside
those of Lyu (2025), Theorem 1.  Asserted: they are in broad ranges.  Drawn: docs/figures/scaling.svg.
"""

from __future__ import annotations

import math
import random
import sys
from collections.abc import Callable, Iterator
from fractions import Fraction
from itertools import chain, repeat
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.harness import require
from littlestone.classes import Subsets
from littlestone.learn.stream import KeyLearner, PrivateOnlineLearner, TeacherLearner
from littlestone.pictures.canvas import RULE, TWO, render_figure
from littlestone.points import Integers
from littlestone.privacy import Budget
from littlestone.privacy.ledger import Ledger
from littlestone.privacy.randomness import seeded_generator

FIGURE = Path(__file__).parents[1] / "docs" / "figures" / "scaling.svg"
BASE: dict[str, float] = {"d": 2, "T": 10**5, "1/delta": 10**6, "1/epsilon": 1}
AXES: dict[str, list[float]] = {
    "d": [1, 2, 3, 4, 5, 6],
    "T": [10**3, 10**4, 10**5, 10**6],
    "1/delta": [10**3, 10**5, 10**6, 10**7, 10**9],
    "1/epsilon": [1 / 4, 1 / 2, 1, 2, 4],
}
FEW: dict[str, list[float]] = {
    "d": [1, 2, 3, 4],
    "T": [10**3, 10**4, 10**6],
    "1/delta": [10**3, 10**9],
    "1/epsilon": [1 / 4, 1, 2],
}
OF: dict[str, Callable[[float], float]] = {
    "d": float, "T": math.log, "1/delta": math.log, "1/epsilon": float,
}  # fmt: skip
WORDS = {"d": "d", "T": "ln T", "1/delta": "ln 1/delta", "1/epsilon": "1/epsilon"}
LYU = {"d": 9.5, "T": 1.0, "1/delta": 1.0, "1/epsilon": 1.0}
RANGES = {
    "keys": {"d": (0.8, 1.2), "T": (0.1, 1.0), "1/delta": (0.3, 1.0), "1/epsilon": (0.7, 1.2)},
    "teachers": {"d": (0.8, 3.0), "T": (-0.5, 1.0), "1/delta": (0, 1.5), "1/epsilon": (0.5, 1.6)},
}
QUARTERS = ["1/4", "1/2", "1", "2", "4"]
Task = tuple[str, type[Any], dict[str, list[float]], int]


def one_after_the_other(d: int, rng: random.Random) -> Iterator[int]:
    """Records of a point up to its publication, as `mistakes` takes them, then of the next."""
    return chain.from_iterable(repeat(x, 2000) for x in range(d))


def at_random(d: int, rng: random.Random) -> Iterator[int]:
    """Records of points at random."""
    return (rng.randrange(d) for _ in range(20_000))


def mistakes(learner: PrivateOnlineLearner[Any], d: int, kind: Any, seed: int) -> int:
    """Of one run over all steps; those that are right for certain are taken at once."""
    rng, found = seeded_generator(seed), 0
    stream = learner.start(ledger=Ledger(), dataset="d", rng=rng)
    for x in kind(d, rng):
        if stream.steps == learner.horizon or all(stream.predict(y) for y in range(d)):
            break
        if not stream.predict(x):
            found += 1
            stream.update(x, 1)
        elif kind is at_random:
            stream.update(x, 1)
    stream.skip_to(learner.horizon)
    return found


def mean(kind: type[Any], at: dict[str, float], runs: int) -> float:
    """The mean number of mistakes of the harder stream."""
    d, delta = int(at["d"]), f"1e-{round(math.log10(at['1/delta']))}"
    goal = {"budget": Budget(str(1 / at["1/epsilon"]), delta), "horizon": int(at["T"])}
    learner = kind(Subsets(Integers(), d), **goal)
    return max(
        sum(mistakes(learner, d, stream, seed) for seed in range(runs)) / runs
        for stream in (one_after_the_other, at_random)
    )


def measured(task: Task) -> dict[str, list[tuple[float, float]]]:
    """The mean number of mistakes along every axis."""
    name, kind, axes, runs = task
    found: dict[str, list[tuple[float, float]]] = {}
    for axis, values in axes.items():
        found[axis] = [(value, mean(kind, BASE | {axis: value}, runs)) for value in values]
        shown = ", ".join(f"{value:g}: {m:.1f}" for value, m in found[axis])
        print(f"{name}, mistakes by {axis}: {shown}", flush=True)
    return found


def exponent(axis: str, points: list[tuple[float, float]]) -> float:
    """The slope of ln(mistakes) against the logarithm of what the axis stands for."""
    x, y = zip(*((math.log(OF[axis](value)), math.log(m)) for value, m in points), strict=True)
    return float(np.polyfit(x, y, 1)[0])


def figure(results: dict[str, dict[str, list[tuple[float, float]]]]) -> bytes:
    """A panel for every axis."""

    def draw(canvas: Any) -> None:
        canvas.set_layout_engine("constrained")
        panels = canvas.subplots(1, 4, sharey=True)
        for panel, axis in zip(panels, AXES, strict=True):
            for (name, found), colour in zip(results.items(), TWO, strict=True):
                label = f"{name}: {exponent(axis, found[axis]):.1f}"
                panel.plot(*zip(*found[axis], strict=True), "o-", color=colour, label=label)
            panel.plot([], [], color="none", label=f"Lyu (2025): {LYU[axis]:g}")
            panel.set(xscale="log", yscale="log", xlabel=axis)
            panel.grid(color=RULE, alpha=0.25)
            panel.legend(fontsize=8, frameon=False, title=f"exponent of {WORDS[axis]}")
        panels[0].set(ylabel="mistakes", ylim=(10, 10_000))
        for panel, ticks in ((panels[0], ["1", "2", "3", "4", "6"]), (panels[3], QUARTERS)):
            panel.set_xticks([float(Fraction(tick)) for tick in ticks], ticks)
            panel.set_xticks([], minor=True)

    return render_figure(draw, (11.0, 3.4), "svg")


def main(runs: int) -> None:
    """Measure, print, check and draw."""
    tasks: list[Task] = [
        ("keys", KeyLearner, AXES, runs),
        ("teachers", TeacherLearner, FEW, max(1, runs // 5)),
    ]
    results = {task[0]: measured(task) for task in tasks}
    print("exponents of", ", ".join(WORDS.values()))
    print("  Lyu (2025): ", ", ".join(f"{LYU[axis]:g}" for axis in AXES))
    for name, found in results.items():
        fitted = {axis: exponent(axis, found[axis]) for axis in AXES}
        print(f"  {name}:", ", ".join(f"{fitted[axis]:.2f}" for axis in AXES))
        for axis, (low, high) in RANGES[name].items():
            require(low <= fitted[axis] <= high, f"{name}: exponent {fitted[axis]:.2f} of {axis}")
    FIGURE.write_bytes(figure(results))


if __name__ == "__main__":
    numbers = [int(word) for word in sys.argv[1:] if word.isdigit()]
    main(numbers[0] if numbers else 50)
