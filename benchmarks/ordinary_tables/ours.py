"""Our trees of depth two, and the best one without privacy."""

from __future__ import annotations

import random
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from benchmarks.harness import require
from benchmarks.ordinary_tables.task import EPSILONS, RUNS, Task
from littlestone.classes import parse_class
from littlestone.classes.text.mixed_columns import splits_on
from littlestone.data.sample import Sample
from littlestone.learn import ExponentialLearner
from littlestone.points import Product
from littlestone.privacy import Budget
from littlestone.privacy.ledger import Ledger
from littlestone.privacy.randomness import seeded_generator
from littlestone.rules import Hypothesis

Rows = NDArray[np.int64]
Matrix = NDArray[np.float32]


@dataclass
class Errors:
    """What each run found: of our trees by epsilon, of the best tree, of the majority.

    ``ours`` has the test errors, ``areas`` the AUC of the labels, and ``seconds`` the CPU seconds of
    a fit of records that are read already.
    """

    ours: dict[str, list[float]]
    areas: dict[str, list[float]]
    seconds: dict[str, list[float]]
    best: list[float]
    majority: list[float]


def ours(task: Task) -> Errors:
    """Fit and score our trees once a run; raises `WrongAnswerError` if one beats the best tree."""
    H: Any = parse_class(f"trees({', '.join(task.declared)}; depth 2)")
    conditions = held(task, H.domain)
    found = Errors(_lists(), _lists(), _lists(), [], [])
    for run in range(RUNS):
        learn, score = task.split(run)
        y, y_test = task.labels[learn], task.labels[score]
        found.majority.append(float(np.mean(y_test != (2 * y.sum() > len(y)))))
        tree, wrong = best_tree(conditions[:, learn], y, random.Random(run))
        predicted = follow(tree, conditions[:, score])
        found.best.append(float(np.mean(predicted != y_test)))
        sample, test = task.samples(run, H.domain)
        for epsilon in EPSILONS:
            learner = ExponentialLearner(H, Budget(epsilon))
            with Ledger() as ledger:
                rng = seeded_generator(run)
                start = time.process_time()
                release = learner.fit(sample, ledger=ledger, dataset=task.name, rng=rng)
                found.seconds[epsilon].append(time.process_time() - start)
            made = mistakes(release.hypothesis, sample)
            require(made >= wrong, f"{task.name}: {made} mistakes, and the best tree makes {wrong}")
            found.ours[epsilon].append(mistakes(release.hypothesis, test) / test.n)
            found.areas[epsilon].append(area(release.hypothesis, test))
    return found


def _lists() -> dict[str, list[float]]:
    return {epsilon: [] for epsilon in EPSILONS}


def area(rule: Callable[[Any], int], sample: Sample[Any]) -> float:
    """The AUC of a rule's label as a score: the mean of sensitivity and specificity."""
    given = np.fromiter(map(rule, sample.points), np.int64, len(sample.points))
    totals = sample.counts.sum(axis=0)
    right = [sample.counts[given == label, label].sum() / max(totals[label], 1) for label in (0, 1)]
    return float(np.mean(right)) if totals.all() else 0.5


def error_of_draw(H: Any, epsilon: str, run: int, learn: Sample[Any], test: Sample[Any]) -> float:
    """The test error of the rule that the exponential mechanism draws in a run."""
    with Ledger() as ledger:
        release = ExponentialLearner(H, Budget(epsilon)).fit(
            learn, ledger=ledger, dataset="a task", rng=seeded_generator(run)
        )
    return mistakes(release.hypothesis, test) / test.n


def area_of_risks(risks: NDArray[np.float64], counts: NDArray[np.int64]) -> float:
    """The chance that a positive record has a higher risk than a negative one; ties count half.

    ``counts`` has the records of each label at each place, and ``risks`` the risk there.
    """
    above = (risks[:, None] > risks) + (risks[:, None] == risks) / 2
    negatives, positives = counts.T
    return float(positives @ above @ negatives / max(positives.sum() * negatives.sum(), 1))


def mistakes(rule: Hypothesis[Any], sample: Sample[Any]) -> int:
    """The records whose label a rule does not predict."""
    given = np.fromiter(map(rule, sample.points), np.int64, len(sample.points))
    return sample.n - int(sample.counts[np.arange(len(given)), given].sum())


def held(task: Task, domain: Product) -> Matrix:
    """Whether each condition of the class holds in each row: 1 or 0."""
    found = []
    for j, column in enumerate(domain.columns):
        points = [column.encode(value) for value in task.table[column.name]]
        for test in splits_on(domain, j):
            found.append([point in test.accepted for point in points])
    return np.array(found, dtype=np.float32)


@dataclass(frozen=True)
class Tree:
    """Condition ``root``, one where it holds, one where not, and the labels of the four leaves.

    The leaf of a row is 2 [root does not hold] + [the second condition does not hold].
    """

    root: int
    yes: int
    no: int
    labels: tuple[int, int, int, int]


def best_tree(conditions: Matrix, y: Rows, rng: random.Random) -> tuple[Tree, int]:
    """A tree of depth two with the fewest mistakes, a random one of those, and its mistakes.

    Counts of pairs of conditions are products of 0/1 matrices; below 2^24 they are exact.
    """
    both = np.stack([(conditions * (y == label)) @ conditions.T for label in (0, 1)])
    alone = np.diagonal(both, axis1=1, axis2=2)
    total = np.array([(y == label).sum() for label in (0, 1)], np.float32)[:, None, None]
    here, there = alone[:, :, None], alone[:, None, :]
    leaves = np.stack([both, here - both, there - both, total - here - there + both])
    wrong = leaves.min(axis=1)
    yes, no = wrong[0] + wrong[1], wrong[2] + wrong[3]
    least = yes.min(axis=1) + no.min(axis=1)
    ways = np.array(
        [[(half[r] == half[r].min()).sum() for half in (yes, no)] for r in range(len(least))]
    ).prod(axis=1)
    best = np.flatnonzero(least == least.min())
    root = rng.choices(best.tolist(), ways[best].tolist())[0]
    first, second = (
        rng.choice(np.flatnonzero(half[root] == half[root].min()).tolist()) for half in (yes, no)
    )
    chosen = (leaves[0, :, root, first], leaves[1, :, root, first],
              leaves[2, :, root, second], leaves[3, :, root, second])  # fmt: skip
    a, b, c, d = (int(counts.argmax()) for counts in chosen)
    return Tree(root, first, second, (a, b, c, d)), int(least.min())


def follow(tree: Tree, conditions: Matrix) -> Rows:
    """The label that a tree gives each row."""
    holds = conditions[tree.root] > 0
    second = np.where(holds, conditions[tree.yes], conditions[tree.no]) > 0
    leaves = 2 * (~holds).astype(np.int64) + ~second
    labels: Rows = np.array(tree.labels, np.int64)[leaves]
    return labels
