"""How many records the learner of teachers needs: calibration by simulation, run when named only.

``python -m benchmarks.teachers [RUNS]`` prints, for `Subsets` of at most d = 1, ..., 5 points, the
least n at which at most 5% of the runs err by more than alpha = 0.1, at epsilon 1 and delta 1e-6:
the figures behind the defaults of `IrreducibleLearner`.  All seeds are fixed.  These are
calibrated sizes, not proved ones.

The lists are simulated: a teacher that meets points a of a true set S c_a times lists the subsets of
those it met that miss at most alpha m examples, and fewer than any subset of fewer points does.
`check` compares this with the learner's own lists.  Negative examples are all different.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Callable
from functools import partial

import numpy as np
from numpy.typing import NDArray

from benchmarks.harness import require
from littlestone.classes import Subsets
from littlestone.domains import Integers
from littlestone.learners import IrreducibleLearner
from littlestone.sample import Sample

ALPHA, FAILURES = 0.1, 0.05
PROFILES = ("even", "edge", "geometric", "heavy and edge", "halves", "squares", "random")


def weights(profile: str, d: int, m: int, rng: np.random.Generator) -> NDArray[np.float64]:
    """The probabilities of the d points of the true set; ``halves`` are met by half of the teachers."""
    if profile == "even":
        return np.full(d, 0.5 / d)
    if profile == "edge":
        return np.full(d, 1.05 * ALPHA / d)
    if profile == "geometric":
        return 0.5 ** np.arange(1.0, d + 1)
    if profile == "heavy and edge":
        return np.array([0.3] + [1.05 * ALPHA / (d - 1)] * (d - 1))
    if profile == "halves":
        return np.array([0.3] + [math.log(2) / m] * (d - 1))
    if profile == "squares":
        return 2.1 * ALPHA * np.arange(1.0, d + 1) ** 2 / sum(i * i for i in range(1, d + 1))
    found: NDArray[np.float64] = np.exp(rng.uniform(math.log(0.002), math.log(0.4), d))
    found /= max(1.0, float(found.sum()) / 0.6)
    return found


def lists(met: NDArray[np.int64], subsets: NDArray[np.int64], m: int) -> NDArray[np.bool_]:
    """Which subsets each teacher lists; ``met[i, a]`` counts the examples of point a at teacher i."""
    size = subsets.sum(axis=1)
    missed = met @ (1 - subsets).T
    heaviest = np.sort(met, axis=1)[:, ::-1].cumsum(axis=1)
    total = met.sum(axis=1, keepdims=True)
    least = np.concatenate([total, total - heaviest], axis=1)  # missed by the best of each size
    fewer = np.where(size > 0, least[:, np.maximum(size - 1, 0)], m + 1)
    legal = (met == 0).astype(np.int64) @ subsets.T == 0
    listed: NDArray[np.bool_] = legal & (missed <= int(ALPHA * m)) & (missed < fewer)
    return listed


def failures(learner: IrreducibleLearner[int], profile: str, n: int, runs: int) -> float:
    """The share of ``runs`` in which the released set errs by more than alpha."""
    d, k = learner.dimension, learner.teachers
    m, log_base = n // k, math.log(learner.mechanism.base)
    subsets = np.array([[s >> i & 1 for i in range(d)] for s in range(2**d)])
    rng = np.random.default_rng(n)
    wrong = 0
    for _ in range(runs):
        w = weights(profile, d, m, rng)
        met = rng.multinomial(m, [*w, 1 - w.sum()], size=k)[:, :d]
        votes = lists(met, subsets, m).sum(axis=0)
        # Bottom is released as the empty set, subset number 0.
        scores = np.append(np.where(votes > 0, votes * log_base, -np.inf), 0.0)
        scores[-1] = learner.mechanism.bottom * log_base
        chances = np.exp(scores - scores.max())
        drawn = rng.choice(len(scores), p=chances / chances.sum()) % 2**d
        wrong += (1 - subsets[drawn]) @ w > ALPHA + 1e-12
    return wrong / runs


def least_n(teachers: int, failing: Callable[[int], float]) -> int:
    """The least n, on a grid of ratio 1.06, from which no larger n on it up to 1.4 n fails too often.

    ``failing`` says how large a share of the runs with n records does.
    """
    sizes = sorted({math.ceil(4 * 1.06**i) * teachers for i in range(80)})
    good = 0
    for i, n in enumerate(sizes):
        good = good + 1 if failing(n) <= FAILURES else 0
        if good == 6:
            return sizes[i - 5]
    raise RuntimeError("no size is enough")


def check(learner: IrreducibleLearner[int], profile: str, m: int) -> None:
    """The simulated list of a teacher is the learner's own, for a few teachers."""
    d, rng = learner.dimension, np.random.default_rng(m)
    subsets = np.array([[s >> i & 1 for i in range(d)] for s in range(2**d)])
    w = weights(profile, d, m, rng)
    for met in rng.multinomial(m, [*w, 1 - w.sum()], size=4)[:, :d]:
        (row,) = lists(met[None], subsets, m)
        expected = {tuple(np.flatnonzero(s).tolist()) for s in subsets[row]}
        counts = {a: [0, int(c)] for a, c in enumerate(met) if c}
        counts |= {1000 + i: [1, 0] for i in range(m - int(met.sum()))}
        chunk = Sample.from_counts(Integers(), counts)
        found = {tuple(sorted(h.members)) for h in learner.listed(chunk)}  # type: ignore[attr-defined]
        require(found == expected, f"the teacher lists {found} in place of {expected}")


def main(runs: int) -> None:
    """Print the table."""
    for d in range(1, 6):
        learner = IrreducibleLearner(Subsets(Integers(), d), epsilon=1, delta="1e-6", alpha=ALPHA)
        figures = {}
        for profile in PROFILES:
            if d > 1 or profile not in ("heavy and edge", "halves"):
                check(learner, profile, 60)
                figures[profile] = least_n(
                    learner.teachers, partial(failures, learner, profile, runs=runs)
                )
        worst = max(figures.values())
        formula = learner.paper_plan(ALPHA, FAILURES).n
        scale = math.log(1e6) / ALPHA
        print(f"d = {d}, k = {learner.teachers}, L = {learner.mechanism.list_size}: {figures}")
        print(f"    worst {worst:,} = {worst / scale:.3g} ln(1/delta)/(epsilon alpha); "
              f"d^5 formula at constant 1: {formula:,}", flush=True)  # fmt: skip


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 200)
