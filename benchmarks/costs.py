"""``python -m benchmarks.costs``: what it saves to say what mistakes cost.

The breast cancer records of scikit-learn: 569 tumours, of which 212 are malignant.  A malignant one
that is missed costs ten times as much as a false alarm.  Each method learns twice from half of the
records, with these costs and without, and pays for the mistakes on the other half.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from benchmarks.harness import require
from littlestone.classes import parse_class
from littlestone.data.sample import Sample
from littlestone.learn import ExponentialLearner
from littlestone.learn.regrown import RegrownLearner
from littlestone.learn.rounds import RoundsLearner
from littlestone.privacy import Budget
from littlestone.privacy.ledger import Ledger
from littlestone.privacy.randomness import seeded_generator

COLUMNS = {
    "mean radius": "5..30 step 1",
    "mean texture": "5..40 step 1",
    "mean concavity": "0..0.5 step 0.02",
    "worst concave points": "0..0.3 step 0.01",
    "worst area": "0..4000 step 100",
}
COST = 10, 1
CASES: dict[str, tuple[Any, str]] = {
    "exponential": (ExponentialLearner, "conditions({}; at most 1)"),
    "rounds": (RoundsLearner, "rule_list({}; at most 2)"),
    "regrown": (RegrownLearner, "trees({}; depth 1)"),
}


def records() -> tuple[list[tuple[str, ...]], list[int]]:
    """The five columns as texts, and whether the tumour is malignant."""
    from sklearn.datasets import load_breast_cancer

    data = load_breast_cancer()
    places = [list(data.feature_names).index(name) for name in COLUMNS]
    rows = [tuple(map(str, row)) for row in data.data[:, places].tolist()]
    return rows, (data.target == 0).astype(int).tolist()


def mean_cost(h: Any, held: Sample[Any]) -> float:
    """The mean cost of a record, by the definition."""
    missed, alarm = COST
    pairs = zip(held.points, held.counts.tolist(), strict=True)
    return float(sum(alarm * n[0] if h(x) else missed * n[1] for x, n in pairs) / held.n)


def measured(runs: int, epsilon: int) -> Iterator[tuple[str, float, float]]:
    """Each method, and its mean test costs with and without the costs."""
    rows, labels = records()
    declared = ", ".join(f"{name}: {grid}" for name, grid in COLUMNS.items())
    for method, (kind, text) in CASES.items():
        H = parse_class(text.format(declared))
        costs: dict[tuple[int, int], list[float]] = {COST: [], (1, 1): []}
        rng = seeded_generator(1)
        with Ledger() as ledger:
            for run in range(runs):
                order = np.random.default_rng(run).permutation(len(rows))
                half = len(rows) // 2
                train, held = (
                    Sample.from_examples(H.domain, [(rows[i], labels[i]) for i in part.tolist()])
                    for part in (order[:half], order[half:])
                )
                for cost, found in costs.items():
                    learner = kind(H, Budget(epsilon), cost=cost)
                    name = f"{method} {run} {cost}"
                    h = learner.fit(train, ledger=ledger, dataset=name, rng=rng).hypothesis
                    found.append(mean_cost(h, held))
        yield method, float(np.mean(costs[COST])), float(np.mean(costs[1, 1]))


def main(runs: int = 40, epsilon: int = 2) -> None:
    """Print the mean costs and their ratio; each method must be cheaper if it knows the costs."""
    print(
        f"a missed positive costs {COST[0]}, a false alarm {COST[1]}; epsilon {epsilon}, {runs} runs"
    )
    print(f"{'method':<12} {'with costs':>10} {'without':>8} {'ratio':>6}")
    for method, weighed, plain in measured(runs, epsilon):
        print(f"{method:<12} {weighed:>10.3f} {plain:>8.3f} {weighed / plain:>6.2f}", flush=True)
        require(weighed < plain, f"{method} is no cheaper if it knows what mistakes cost")


if __name__ == "__main__":
    main()
