"""The staged online learner: ``python -m benchmarks.stages [sizes | run]``.

``sizes``: its proved sizes at epsilon 1, delta 1e-6 and T = 200,000, as in
docs/proofs/staged-stream.md; asserted: each has its mistake bound.  ``run``: simulations of smaller
sizes, with the potential ln S of every call, the last two drawn as docs/figures/stages.svg; asserted:
they are right in the end.
"""

from __future__ import annotations

import math
import random
import sys
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from pathlib import Path
from typing import Any, cast

from benchmarks.harness import require
from littlestone.classes import Subsets, Thresholds
from littlestone.learn.stream import StagedOnlineLearner
from littlestone.learn.stream.stage_sizes import Adversary
from littlestone.learn.stream.staged import StagedStream
from littlestone.pictures.canvas import TWO, render_figure
from littlestone.points import Integers
from littlestone.privacy import Budget
from littlestone.privacy.ledger import Ledger
from littlestone.privacy.randomness import seeded_generator

FIGURE = Path(__file__).parents[1] / "docs" / "figures" / "stages.svg"
POINTS = (3, 7, 9)
ADVERSARIES: tuple[Adversary, ...] = ("oblivious", "adaptive")


def proved_sizes() -> None:
    """Print a row for each d and adversary."""
    for d in range(1, 6):
        for adversary in ADVERSARIES:
            learner = StagedOnlineLearner(
                Subsets(Integers(), d),
                Budget(1, "1e-6"),
                horizon=200_000,
                adversary=adversary,
            )
            bound, sizes = learner.mistake_bound(0.05), learner.sizes
            require(bound is not None, "the default sizes are not proved")
            shown = [d, adversary, sizes.calls, sizes.draws, sizes.teachers]
            large = [sizes.threshold, bound.mistakes if bound else 0]
            print(f"| {' | '.join([*map(str, shown), *(f'{n:.1e}' for n in large)])} |", flush=True)


def followed(learner: StagedOnlineLearner, records: Iterable[tuple[int, int]]) -> StagedStream:
    """A run over these records, with its calls printed: NOT PRIVATE."""
    with Ledger() as ledger:
        receipt = learner.pay(ledger, "d", "y", seeded_generator(1))
    stream, mistakes = cast(StagedStream, learner.begin(receipt)), 0
    for t, (x, y) in enumerate(records):
        calls = stream.calls
        mistakes += stream.predict(x) != y
        stream.update(x, y)
        if stream.calls > calls:
            print(f"step {t}, {mistakes} mistakes, {stream.hypothesis.words()}", flush=True)
    return stream


def simulation(T: int = 200_000) -> None:
    """One run on 16 thresholds."""
    sizes: dict[str, Any] = {
        "calls": 8,
        "draws": 9,
        "list_size": 16,
        "cap": 60,
        "threshold": 10_000,
        "most": 2000,
    }
    goal: dict[str, Any] = {"budget": Budget(1, "1e-6"), "horizon": T}
    learner = StagedOnlineLearner(Thresholds.on(0, 15), **goal, **sizes)
    rng = random.Random(1)
    stream = followed(learner, ((x, int(x >= 5)) for _ in range(T) for x in [rng.randrange(16)]))
    for stage, potential, _ in stream.potentials():
        print(f"stage {stage + 1}, ln S = {potential:.2f}")
    require(stream.hypothesis.words() == "x >= 5", "the threshold was not found")


def of_sets(T: int, order: Callable[[random.Random, int], int]) -> Iterator[tuple[int, int]]:
    """Each fourth record is one of three positive points, the one that ``order`` says."""
    rng = random.Random(1)
    for t in range(T):
        yield (POINTS[order(rng, t)], 1) if t % 4 == 0 else (100 + t % 50, 0)


def pictures(T: int = 30_000) -> None:
    """Draw two runs on sets of at most three points."""
    orders: list[tuple[str, int, Callable[[random.Random, int], int]]] = [
        ("one point after another", 250, lambda rng, t: 3 * t // T),
        ("all points at once", 100, lambda rng, t: rng.randrange(3)),
    ]
    sizes: dict[str, Any] = {"calls": 12, "draws": 5, "list_size": 16, "cap": 60, "most": 3000}
    goal: dict[str, Any] = {"budget": Budget(20, "1e-6"), "horizon": T}
    runs = []
    for name, threshold, order in orders:
        learner = StagedOnlineLearner(Subsets(Integers(), 3), threshold=threshold, **goal, **sizes)
        stream = followed(learner, of_sets(T, order))
        require(stream.hypothesis.members == set(POINTS), "the points were not found")  # type: ignore[attr-defined]
        runs.append((f"{name}, U = {threshold}", learner, stream.potentials()))
    FIGURE.write_bytes(render_figure(partial(draw, runs), (6.5, 6.5), "svg"))


def draw(
    runs: list[tuple[str, StagedOnlineLearner, list[tuple[int, float, int]]]], canvas: Any
) -> None:
    """The potential with the stage of each call, the largest vote, and the probability of bottom."""
    above, middle, below = panels = canvas.subplots(3, sharex=True)
    for (name, learner, told), color in zip(runs, TWO, strict=True):
        calls = range(1, len(told) + 1)
        style: dict[str, Any] = {"marker": "o", "color": color, "label": name}
        listed = [
            (call, S, stage) for call, (stage, S, votes) in zip(calls, told, strict=True) if votes
        ]
        above.plot([call for call, *_ in listed], [S for _, S, _ in listed], **style)
        for call, S, stage in listed:
            above.annotate(f"stage {stage + 1}", (call, S), (0, 7), textcoords="offset points",
                           ha="center", fontsize=8, color=color)  # fmt: skip
        middle.plot(calls, [votes / learner.sizes.teachers for *_, votes in told], **style)
        rate = math.log(learner.sampling.base)
        bottom = [1 / (1 + math.exp(S - learner.sampling.bottom * rate)) for _, S, _ in told]
        below.plot(calls, bottom, **style)
    above.margins(0.1, 0.25)
    above.set(ylabel="potential ln S")
    middle.set(ylabel="largest vote / k", ylim=(-0.05, 1.05))
    below.set(ylabel="Pr[bottom]", ylim=(-0.05, 1.05), xlabel="call")
    middle.legend(loc="upper right", fontsize=8, frameon=False)
    canvas.align_ylabels(panels)


if __name__ == "__main__":
    if "run" in sys.argv[1:]:
        simulation()
        pictures()
    else:
        proved_sizes()
