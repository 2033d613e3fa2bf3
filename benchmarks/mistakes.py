"""Mistakes of online learners: ``python -m benchmarks.mistakes [METHOD] [RUNS]``.

METHOD is keys, rules, teachers or adaptive.

Epsilon 1, delta 1e-6, T = 200,000, sets of at most d = 1, ..., 4 points among a million others, on
four kinds of sequences.  Printed: the mean and the most mistakes over the runs, the proved bounds,
and the most of the non-private SOA.  Asserted: not more than 5% of the runs exceed the 95% bound.

For rules: of one and of two columns out of two, three or four, with 2, 20 or 1,000 values each.
Asserted: the worst mean is within a factor of two of `measured_mistakes`.

For teachers, which have no bound: the same sets, a random table and 1,024 thresholds, at random and
sorted, and equality rules; about 5 minutes a run.
Asserted: of five runs at most one errs to the end.

Adaptive: a greedy adversary that sees each published rule, against teachers, for 5,000 rounds.
"""

from __future__ import annotations

import random
import sys
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from itertools import product
from typing import Any

import numpy as np

from benchmarks.harness import require
from littlestone.classes import EqualityRules, FiniteClass, Subsets, Thresholds
from littlestone.learn.stream import (
    KeyLearner,
    PrivateOnlineLearner,
    RuleLearner,
    TeacherLearner,
)
from littlestone.points import Integers
from littlestone.privacy import Budget
from littlestone.privacy.ledger import Ledger
from littlestone.privacy.randomness import seeded_generator
from littlestone.rules import Hypothesis

T = 200_000
Records = Iterator[tuple[int, int]]


def negative(rng: random.Random) -> tuple[int, int]:
    """A record of one of a million points that are never positive."""
    return 10 + rng.randrange(10**6), 0


def at_random(d: int, rng: random.Random) -> Records:
    """Every tenth record is positive, of a point at random."""
    for _ in range(T):
        yield (rng.randrange(d), 1) if rng.random() < 0.1 else negative(rng)


def sorted_by_point(d: int, rng: random.Random) -> Records:
    """All records of a point, then all of the next, then the negative ones."""
    for x in range(d):
        for _ in range(T // 10 // d):
            yield x, 1
    for _ in range(T - d * (T // 10 // d)):
        yield negative(rng)


def bursts(d: int, rng: random.Random) -> Records:
    """Ten records of a point at once, again and again, far apart."""
    for t in range(T):
        yield (t // 1000 % d, 1) if t % 1000 < 10 else negative(rng)


def slowly(d: int, rng: random.Random) -> Records:
    """One hard point at a time, with long pauses between its records."""
    for t in range(T):
        yield (t * d // T, 1) if t % 200 == 0 else negative(rng)


SEQUENCES: list[Callable[[int, random.Random], Records]] = [
    at_random,
    sorted_by_point,
    bursts,
    slowly,
]


def mistakes(
    learner: PrivateOnlineLearner[Any], records: Iterable[tuple[Any, int]], rng: random.Random
) -> list[int]:
    """The steps of one run at which it errs."""
    with Ledger() as ledger:
        stream = learner.start(ledger=ledger, dataset="d", rng=rng)
    found = []
    for t, (x, y) in enumerate(records):
        if stream.predict(x) != y:
            found.append(t)
        stream.update(x, y)
    return found


def labelled(H: Any, h: Hypothesis[Any], rng: random.Random, *, ordered: bool) -> Iterator[Any]:
    """The points of the domain at random, or one after the other."""
    points = list(H.domain)
    for t in range(T):
        x = points[t * len(points) // T] if ordered else rng.choice(points)
        yield x, h(x)


def flights(target: tuple[str | None, ...], rng: random.Random) -> Iterator[Any]:
    """Three origins and 200 values of each other column; a twentieth agrees with the rule."""
    for _ in range(T):
        x = [rng.choice(("JFK", "LGA", "EWR")), *(f"v{rng.randrange(200)}" for _ in target[1:])]
        if rng.random() < 0.05:
            x = [v if asked is None else asked for asked, v in zip(target, x, strict=True)]
        y = all(asked in (None, v) for asked, v in zip(target, x, strict=True))
        yield tuple(x), int(y)


Task = tuple[Any, str, Callable[[random.Random], Any]]


def tasks_of_sets() -> Iterator[Task]:
    """A class, the name of a kind of sequence, and how such a sequence is made."""
    for d in (1, 2, 3, 4):
        for kind in SEQUENCES:
            yield Subsets(Integers(), d), kind.__name__, partial(kind, d)


def tasks_of_lists() -> Iterator[Task]:
    """Classes whose hypotheses are listed."""
    table = FiniteClass.from_array(np.random.default_rng(3).integers(0, 2, (100, 40)))
    for H, index in ((table, 7), (Thresholds.on(0, 1023), 300)):
        for ordered in (True, False):
            sequence = partial(labelled, H, H.hypothesis(index), ordered=ordered)
            yield H, "sorted" if ordered else "at random", sequence


def tasks_of_rules() -> Iterator[Task]:
    """Equality rules on two columns."""
    H = EqualityRules.over_columns("origin", "dest", max_literals=2)
    for target in (("JFK", "v7"), ("JFK", None)):
        yield H, " and ".join(v or "any" for v in target), partial(flights, target)


def without_bound(
    kind: type[TeacherLearner] | type[RuleLearner],
    listed: Iterable[Task],
    runs: int,
) -> None:
    """Print a line for each class and kind of sequence."""
    for H, name, made in listed:
        learner, found = kind(H, Budget(1, "1e-6"), horizon=T), []
        for seed in range(runs):
            rng = seeded_generator(seed)
            found.append(mistakes(learner, made(rng), rng))
        late = sum(any(t > 0.95 * T for t in steps) for steps in found)
        require(late <= max(1, runs // 5), "mistakes are made to the end")
        counts = [len(steps) for steps in found]
        print(f"{H}, {name}: mean {sum(counts) / runs:.1f}, most {max(counts)}", flush=True)


def of_teachers(runs: int) -> None:
    """Learners of teachers."""
    for tasks in (tasks_of_sets, tasks_of_lists, tasks_of_rules):
        without_bound(TeacherLearner, tasks(), runs)


def of_a_rule(columns: int, asked: int, values: int, rng: random.Random) -> Iterator[Any]:
    """Every tenth record is made to obey the rule: "0" in the first ``asked`` columns."""
    for _ in range(T // 10):
        x = [str(rng.randrange(values)) for _ in range(columns)]
        if rng.random() < 0.1:
            x[:asked] = ["0"] * asked
        yield tuple(x), int(all(v == "0" for v in x[:asked]))


def of_rules(runs: int) -> None:
    """Print a line for each number of columns and kind of sequence."""
    without_bound(RuleLearner, tasks_of_rules(), runs)
    for columns in (2, 3, 4):
        H = EqualityRules.over_columns(*"abcd"[:columns], max_literals=2)
        learner = RuleLearner(H, Budget(1, "1e-6"), horizon=T // 10)
        print(f"{H}: about {learner.measured_mistakes()}")
        means = []
        for asked, values in product((1, 2), (2, 20, 1000)):
            found = []
            for seed in range(runs):
                rng = seeded_generator(seed)
                records = of_a_rule(columns, asked, values, rng)
                found.append(len(mistakes(learner, records, rng)))
            means.append(sum(found) / runs)
            print(
                f"    {asked} of {values} values: mean {means[-1]:.1f}, most {max(found)}",
                flush=True,
            )
        ratio = max(means) / learner.measured_mistakes()
        require(0.5 <= ratio <= 2, f"the worst mean is {ratio:.2f} times what is told")


def of_keys(runs: int) -> None:
    """Print a line for each d and kind of sequence."""
    for d in range(1, 5):
        learner = KeyLearner(Subsets(Integers(), d), Budget(1, "1e-6"), horizon=T)
        bound = learner.mistake_bound(0.05)
        require(bound is not None, "no bound is proved")
        assert bound is not None
        print(f"d = {d}: expected at most {learner.expected_mistakes:.1f}, at most "
              f"{bound.mistakes} with 95%; SOA: {d}")  # fmt: skip
        for records in SEQUENCES:
            found = []
            for seed in range(runs):
                rng = seeded_generator(seed)
                found.append(len(mistakes(learner, records(d, rng), rng)))
            many = sum(m > bound.mistakes for m in found)
            require(many <= 0.05 * runs + 3 * (0.05 * runs) ** 0.5, "the bound fails too often")
            mean, most = sum(found) / runs, max(found)
            print(f"    {records.__name__}: mean {mean:.1f}, most {most}", flush=True)


def listed(H: Any) -> Iterator[Hypothesis[Any]]:
    """All hypotheses of a class that numbers them."""
    return map(H.hypothesis, range(H.size))


def greedy(learner: PrivateOnlineLearner[Any], rng: random.Random, rounds: int) -> int:
    """Mistakes against an adversary that sees what is published, on a realizable stream.

    At each step it takes a point where the rule contradicts some hypothesis that agrees with all labels
    so far, and of these points the one whose label keeps the most of them.  It ends when the rule is
    the only hypothesis left.
    """
    H = learner.hypotheses
    points, found = list(H.domain), 0
    values = np.array([[h(x) for x in points] for h in listed(H)], dtype=bool)
    with Ledger() as ledger:
        stream = learner.start(ledger=ledger, dataset="d", rng=rng)
    for _ in range(rounds):
        guesses = np.fromiter(map(stream.hypothesis, points), bool)
        kept = (values != guesses).sum(axis=0)
        j = int(kept.argmax())
        if not kept[j]:
            break
        y = not guesses[j]
        values = values[values[:, j] == y]
        stream.update(points[j], int(y))
        found += 1
    return found


def of_adaptive(runs: int) -> None:
    """A line for each class and learner: mistakes in 5,000 rounds."""
    rounds = 5000
    table = FiniteClass.from_array(np.random.default_rng(3).integers(0, 2, (100, 40)))
    for H in (table, Thresholds.on(0, 254)):
        learner = TeacherLearner(H, Budget(1, "1e-6"), horizon=T)
        found = [greedy(learner, seeded_generator(seed), rounds) for seed in range(runs)]
        told = learner.measured_mistakes() or 0
        require(min(found) > 10 * told, "it survives: then its page and `auto` should say so")
        print(f"{H}: {found} mistakes in {rounds} rounds (told: {told})", flush=True)


METHODS = {
    "keys": of_keys,
    "rules": of_rules,
    "teachers": of_teachers,
    "adaptive": of_adaptive,
}

if __name__ == "__main__":
    words = sys.argv[1:]
    chosen = next((METHODS[word] for word in words if word in METHODS), of_keys)
    numbers = [int(word) for word in words if word.isdigit()]
    chosen(numbers[0] if numbers else 50)
