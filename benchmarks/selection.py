"""Choosing among classes at one total epsilon: measured, beside the other ways to choose.

``python -m benchmarks.selection [RUNS]`` prints the mean error on the records of the released rule, for
five classes of rules on eight bits: private selection at three times and at twice one run; each class
once with a fifth of epsilon, and the best by its noisy count; the exponential mechanism on all classes
together; and the class of the target alone, which nobody may know.  A tenth of the labels is wrong.
All seeds are fixed.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from fractions import Fraction
from itertools import product
from typing import Any

import numpy as np

from littlestone.classes import parse_class
from littlestone.classes.base import Scored
from littlestone.classes.union import ScoredUnion
from littlestone.hypotheses import Hypothesis
from littlestone.learners import ExponentialLearner, SelectionLearner
from littlestone.learners.estimate import errors
from littlestone.privacy import Budget
from littlestone.privacy.ledger import Ledger
from littlestone.privacy.mechanisms.scores.cell_counts import CellCounts
from littlestone.privacy.randomness import seeded_generator
from littlestone.sample import Sample

BITS = "a, b, c, d, e, f, g, h"
CLASSES = [
    f"conjunctions({BITS})",
    f"parities({BITS})",
    *(f"juntas({BITS}; k {k})" for k in (1, 2, 3)),
]
TARGETS: dict[str, tuple[int, Callable[[Any], int]]] = {
    "a and b": (0, lambda x: x[0] & x[1]),
    "a xor b xor c xor d": (1, lambda x: x[0] ^ x[1] ^ x[2] ^ x[3]),
}
CASES = [("a and b", 100), ("a and b", 200), ("a and b", 400), ("a xor b xor c xor d", 100)]
EPSILON = Fraction(1)
Way = Callable[[Sample[Any], int], Hypothesis[Any]]


def fitted(learner: Any, sample: Sample[Any], seed: int) -> Hypothesis[Any]:
    """The rule of one simulated fit."""
    with Ledger() as ledger:
        rng = seeded_generator(seed)
        rule: Hypothesis[Any] = learner.fit(sample, ledger=ledger, dataset="d", rng=rng).hypothesis
    return rule


def each_once(parts: list[Scored[Any]], sample: Sample[Any], seed: int) -> Hypothesis[Any]:
    """Basic composition: a part of epsilon for each class, a quarter of it for its noisy count."""
    share, found = EPSILON / len(parts), []
    for i, part in enumerate(parts):
        rule = fitted(ExponentialLearner(part, Budget(share * 3 / 4)), sample, 10 * seed + i)
        count = CellCounts(share / 4, 1)
        with Ledger() as ledger:
            rng = seeded_generator(10 * seed + i)
            receipt = ledger.spend(count, dataset="d", what="score", rng=rng)
            found.append((count.draw((errors(rule, sample),), receipt=receipt)[0], i, rule))
    return min(found)[2]


def ways(parts: list[Scored[Any]], own: int) -> dict[str, Way]:
    """Each way to choose, with the class ``own`` of the target."""
    H = ScoredUnion(parts[0].domain, tuple(parts))
    of = {
        "selection, 3 runs": SelectionLearner(H, Budget(EPSILON)),
        "selection, 2 runs": SelectionLearner(H, Budget(EPSILON), factor=2),
        "union": ExponentialLearner(H, Budget(EPSILON)),
        "class known": ExponentialLearner(parts[own], Budget(EPSILON)),
    }
    made: dict[str, Way] = {
        name: lambda sample, seed, learner=learner: fitted(learner, sample, seed)  # type: ignore[misc]
        for name, learner in of.items()
    }
    return {**made, "each once": lambda sample, seed: each_once(parts, sample, seed)}


def lines(runs: int) -> Iterator[str]:
    """A line for each target, number of records and way."""
    parts: list[Any] = [parse_class(text) for text in CLASSES]
    points = list(product((0, 1), repeat=8))
    for name, n in CASES:
        own, label = TARGETS[name]
        means: dict[str, list[float]] = {}
        for seed in range(runs):
            rng = np.random.default_rng(seed)
            drawn = [points[i] for i in rng.integers(0, len(points), n)]
            wrong = rng.random(n) < 0.1
            records = [(x, label(x) ^ int(w)) for x, w in zip(drawn, wrong, strict=True)]
            sample = Sample.from_examples(parts[0].domain, records)
            for way, run in ways(parts, own).items():
                means.setdefault(way, []).append(errors(run(sample, seed), sample) / n)
        shown = ", ".join(f"{way} {np.mean(found):.3f}" for way, found in means.items())
        yield f"{name}, n = {n:,}: {shown}"


if __name__ == "__main__":
    for line in lines(int(sys.argv[1]) if len(sys.argv) > 1 else 40):
        print(line, flush=True)
