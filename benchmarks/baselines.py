"""How many records the two baselines of the learner of teachers need: measured, when named only.

``python -m benchmarks.baselines [RUNS]`` does for `StagedLearner` and `GGKMLearner`, with their
defaults, what ``python -m benchmarks.calibration`` does for `IrreducibleLearner`: the same classes,
data and goal.  Lists are simulated, and `check` compares them with the learners' own.
"""

from __future__ import annotations

import sys
from functools import partial

import numpy as np
from numpy.typing import NDArray

from benchmarks.calibration import ALPHA, Profile, least_n, profiles, subsets
from benchmarks.harness import require
from littlestone.classes import Subsets
from littlestone.data.sample import Sample
from littlestone.learn import GGKMLearner, StagedLearner
from littlestone.points import Integers
from littlestone.privacy import Budget

Learner = StagedLearner[int] | GGKMLearner[int]


def stages(
    learner: Learner, met: NDArray[np.int64], sets: NDArray[np.int64], m: int
) -> list[NDArray[np.bool_]]:
    """Which subsets each teacher lists, stage by stage; ``met[i, a]`` counts point a at teacher i."""
    missed, size = met @ (1 - sets).T, sets.sum(axis=1)
    legal = (met == 0).astype(np.int64) @ sets.T == 0

    def smallest(radius: int) -> NDArray[np.bool_]:
        inside = legal & (missed <= radius)
        least = np.where(inside, size, len(size)).min(axis=1, keepdims=True)
        return np.asarray(inside & (size == least))

    parts = learner.dimension + 1
    if isinstance(learner, StagedLearner):
        return [
            smallest(int(learner.alpha * m * (2 * parts - j) / (2 * parts))) for j in range(parts)
        ]
    a = learner.alpha / parts * m
    listed, stopped = np.zeros_like(legal), np.zeros((len(met), 1), dtype=bool)
    for t in range(parts):
        level = learner.alpha * m - t * a
        widest = smallest(int(level))
        stops = ~stopped & (widest & (missed <= int(level - a))).any(axis=1, keepdims=True)
        listed |= stops & widest & (missed <= int(level - 2 * a / 3))
        stopped |= stops
    return [listed]


def failures(learner: Learner, profile: Profile, n: int, runs: int) -> float:
    """The share of ``runs`` in which the released set errs by more than `ALPHA`."""
    d, k = learner.dimension, learner.teachers
    m, log_base = n // k, np.log(float(learner.mechanism.base))
    sets = subsets(d)
    rng, wrong = np.random.default_rng(n), 0

    def noise(a: float) -> float:
        return float(rng.geometric(1 - a) - rng.geometric(1 - a))

    for _ in range(runs):
        w = profile(m)
        met = rng.multinomial(m, [*w, 1 - w.sum()], size=k)[:, :d]
        threshold = -np.inf
        if isinstance(learner, StagedLearner):
            b, a = map(float, learner.tests.noises())
            threshold = learner.tests.threshold + noise(b)
        drawn = 0  # the empty set, which stands for bottom
        for listed in stages(learner, met, sets, m):
            votes = listed.sum(axis=0)
            if threshold > -np.inf and votes.max() + noise(a) < threshold:
                continue
            scores = np.append(np.where(votes > 0, votes, -np.inf), learner.mechanism.bottom)
            chances = np.exp((scores - scores.max()) * log_base)
            drawn = rng.choice(len(scores), p=chances / chances.sum()) % 2**d
            break
        wrong += (1 - sets[drawn]) @ w > ALPHA + 1e-12
    return wrong / runs


def check(learner: Learner, profile: Profile, m: int) -> None:
    """The simulated lists of a teacher are the learner's own, for a few teachers."""
    d, rng = learner.dimension, np.random.default_rng(m)
    sets = subsets(d)
    w = profile(m)
    for met in rng.multinomial(m, [*w, 1 - w.sum()], size=4)[:, :d]:
        counts = {a: [0, int(c)] for a, c in enumerate(met) if c}
        counts |= {1000 + i: [1, 0] for i in range(m - int(met.sum()))}
        chunk = Sample.from_counts(Integers(), counts)
        for stage, (row,) in enumerate(stages(learner, met[None], sets, m)):
            expected = {tuple(np.flatnonzero(s).tolist()) for s in sets[row]}
            found = (
                learner.hypotheses_of_teacher(chunk, stage)
                if isinstance(learner, StagedLearner)
                else learner.hypotheses_of_teacher(chunk)
            )
            shown = {tuple(sorted(h.members)) for h in found}  # type: ignore[attr-defined]
            require(shown == expected, f"the teacher lists {shown} in place of {expected}")


def main(runs: int) -> None:
    """Print the table."""
    for d in range(1, 5):
        for kind in (StagedLearner, GGKMLearner):
            learner = kind(Subsets(Integers(), d), Budget(1, "1e-6"))
            figures = {}
            for name, profile in profiles(d).items():
                check(learner, profile, 40)
                failing = partial(failures, learner, profile, runs=runs)
                figures[name] = least_n(learner.teachers, failing)
            worst = f"{max(figures.values()):,}"
            print(
                f"d = {d}, {learner.method}, k = {learner.teachers}, worst {worst}: {figures}",
                flush=True,
            )


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 200)
