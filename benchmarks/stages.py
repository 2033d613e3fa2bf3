"""The staged online learner: ``python -m benchmarks.stages [sizes | run]``.

``sizes``: its proved sizes at epsilon 1, delta 1e-6 and T = 200,000, as in
docs/proofs/staged-stream.md; asserted: each has its mistake bound.  ``run``: a simulation of smaller
sizes, with the potential ln S of every call; asserted: it is right in the end.
"""

from __future__ import annotations

import random
import sys

from benchmarks.harness import require
from littlestone.classes import Subsets, Thresholds
from littlestone.domains import Integers
from littlestone.learners.online import StagedOnlineLearner
from littlestone.learners.online.stage_sizes import Adversary
from littlestone.privacy.ledger import Ledger
from littlestone.privacy.randomness import seeded_generator

ADVERSARIES: tuple[Adversary, ...] = ("oblivious", "adaptive")


def proved_sizes() -> None:
    """Print a row for each d and adversary."""
    for d in range(1, 6):
        for adversary in ADVERSARIES:
            learner = StagedOnlineLearner(
                Subsets(Integers(), d),
                epsilon=1,
                delta="1e-6",
                horizon=200_000,
                adversary=adversary,
            )
            bound, sizes = learner.mistake_bound(0.05), learner.sizes
            require(bound is not None and bound.proved, "the default sizes are not proved")
            shown = [d, adversary, sizes.calls, sizes.draws, sizes.teachers]
            large = [sizes.threshold, bound.mistakes if bound else 0]
            print(f"| {' | '.join([*map(str, shown), *(f'{n:.1e}' for n in large)])} |", flush=True)


def simulation(seed: int = 1, T: int = 200_000) -> None:
    """Print each call of one run on 16 thresholds: NOT PRIVATE."""
    H, rng = Thresholds.on(0, 15), random.Random(seed)
    learner = StagedOnlineLearner(
        H,
        epsilon=1,
        delta="1e-6",
        horizon=T,
        calls=8,
        draws=9,
        list_size=16,
        cap=60,
        threshold=10_000,
        most=2000,
    )
    with Ledger() as ledger:
        receipt = learner.pay(ledger, "d", "y")
    stream = learner.begin(receipt, seeded_generator(seed), None)
    mistakes = 0
    for t in range(T):
        x = rng.randrange(16)
        y, calls = int(x >= 5), stream.calls
        mistakes += stream.predict(x) != y
        stream.update(x, y)
        if stream.calls > calls:
            print(f"step {t}, {mistakes} mistakes, {stream.hypothesis.words()}", flush=True)
    for stage, potential in stream.potentials():
        print(f"stage {stage}, ln S = {potential:.2f}")
    require(stream.hypothesis.words() == "x >= 5", "the threshold was not found")


if __name__ == "__main__":
    simulation() if "run" in sys.argv[1:] else proved_sizes()
