"""``python -m benchmarks.constants``: sets of keys that compete with the constant 1, and that do not.

Each task is a distribution of 300 keys and of labels given the key.  The table shows mean errors on
new records, at epsilon 1 and delta 1e-6: of the rarer label, as the rule "always the majority" errs;
and of partition and choosing, without the constant 1 and with it.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from benchmarks.harness import require
from littlestone.classes import Subsets
from littlestone.data.sample import Sample
from littlestone.learn import ChoosingLearner, PartitionLearner
from littlestone.points import Integers
from littlestone.privacy import Budget
from littlestone.privacy.ledger import Ledger
from littlestone.privacy.mechanisms.partition_selection import PartitionSelection
from littlestone.privacy.randomness import seeded_generator
from littlestone.privacy.scores import Elements
from littlestone.rules import FiniteSet

KEYS, BUDGET = 300, Budget(1, "1e-6")
Floats = NDArray[np.float64]

WEIGHTS: Floats = 1 / np.arange(2.0, KEYS + 2)
WEIGHTS = WEIGHTS / WEIGHTS.sum()


def chances(often: float, seldom: float, keys: int) -> Floats:
    """The chance of a positive label: ``often`` at the most frequent keys, ``seldom`` at others."""
    return np.where(np.arange(KEYS) < keys, often, seldom)


TASKS: dict[str, Floats] = {
    "2 of 3 positive, whatever the key": chances(0.66, 0.66, 0),
    "all but two keys, clean": chances(0, 1, 2),
    "all but two keys, a tenth wrong": chances(0.1, 0.9, 2),
    "three keys, clean": chances(1, 0, 3),
    "three keys, a tenth wrong": chances(0.9, 0.1, 3),
    "one in 20 positive, whatever the key": chances(0.05, 0.05, 0),
}
"""The last three are usual ones: the constant 1 is no good rule there."""


class PartitionAlone(PartitionLearner):
    """Partition selection as it is without the constant 1."""

    def draw(self, sample: Sample[Any], *, receipt: Any) -> FiniteSet:
        scores = (sample.positives - sample.negatives).tolist()
        mechanism = PartitionSelection[Any](BUDGET)
        with Ledger() as ledger:
            paid = ledger.spend(
                mechanism, dataset="d", what="alone", rng=receipt.redeem(self.event)
            )
        keys = mechanism.draw_scores(dict(zip(sample.points, scores, strict=True)), receipt=paid)
        return FiniteSet(self.hypotheses.domain, keys)


class ChoosingAlone(ChoosingLearner[Any]):
    """Choosing as it is without the constant 1."""

    def competing(self, sample: Sample[Any], rounds: int) -> Elements:
        return self.covering.elements(sample)


def error(kind: Callable[..., Any], task: Floats, n: int, runs: int) -> float:
    """The mean error on new records."""
    learner, rng = kind(Subsets(Integers("key"), 3), BUDGET), seeded_generator(1)
    wrong = []
    with Ledger() as ledger:
        for run in range(runs):
            g = np.random.default_rng(run)
            counts = g.multinomial(n, WEIGHTS)
            ones = g.binomial(counts, task)
            met = np.flatnonzero(counts)
            sample = Sample[Any](
                learner.hypotheses.domain,
                tuple(met.tolist()),
                np.stack([counts - ones, ones], axis=1)[met],
            )
            h = learner.fit(sample, ledger=ledger, dataset=str(run), rng=rng).hypothesis
            labels = np.array([h(key) for key in range(KEYS)])
            wrong.append(float(WEIGHTS @ np.where(labels == 1, 1 - task, task)))
    return float(np.mean(wrong))


def main(runs: int = 60) -> None:
    """Print the errors; with the constant 1 none is clearly above the majority's or the one without."""
    kinds = (PartitionAlone, PartitionLearner, ChoosingAlone, ChoosingLearner)
    print(f"{'task':<37} {'n':>6} {'majority':>8} {'partition':>17} {'choosing':>17}")
    for n in (1_000, 5_000):
        for name, task in TASKS.items():
            share = float(WEIGHTS @ task)
            majority = min(share, 1 - share)
            before, after, chosen, best = (error(kind, task, n, runs) for kind in kinds)
            print(
                f"{name:<37} {n:>6,} {majority:>8.3f} {before:>8.3f} {after:>8.3f} "
                f"{chosen:>8.3f} {best:>8.3f}",
                flush=True,
            )
            for with_it, alone in ((after, before), (best, chosen)):
                require(with_it <= majority + 0.02, f"{name}: clearly above the majority")
                require(with_it <= alone + 0.005, f"{name}: clearly worse than without")


if __name__ == "__main__":
    main()
