"""Mistakes of private online learners; run by itself: ``python -m benchmarks.mistakes [RUNS]``.

Epsilon 1, delta 1e-6, T = 200,000, sets of at most d = 1, ..., 4 points among a million others, on
four kinds of sequences.  Printed: the mean and the most mistakes over the runs, the proved bounds,
and the most of the non-private SOA.  Asserted: not more than 5% of the runs exceed the 95% bound.
"""

from __future__ import annotations

import random
import sys
from collections.abc import Callable, Iterator

from benchmarks.harness import require
from littlestone.classes import Subsets
from littlestone.domains import Integers
from littlestone.learners.online import KeyLearner
from littlestone.privacy.ledger import Ledger
from littlestone.privacy.randomness import seeded_generator

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


def mistakes(learner: KeyLearner, records: Records, rng: random.Random) -> int:
    """Of one run."""
    with Ledger() as ledger:
        stream = learner.start(ledger=ledger, dataset="d", rng=rng)
    found = 0
    for x, y in records:
        found += stream.predict(x) != y
        stream.update(x, y)
    return found


def main(runs: int) -> None:
    """Print a line for each d and kind of sequence."""
    for d in range(1, 5):
        learner = KeyLearner(Subsets(Integers(), d), epsilon=1, delta="1e-6", horizon=T)
        bound = learner.mistake_bound(0.05)
        require(bound is not None and bound.proved, "no bound is proved")
        assert bound is not None
        print(f"d = {d}: expected at most {learner.expected_mistakes:.1f}, at most "
              f"{bound.mistakes} with 95%; SOA: {d}")  # fmt: skip
        for records in SEQUENCES:
            found = []
            for seed in range(runs):
                rng = seeded_generator(seed)
                found.append(mistakes(learner, records(d, rng), rng))
            many = sum(m > bound.mistakes for m in found)
            require(many <= 0.05 * runs + 3 * (0.05 * runs) ** 0.5, "the bound fails too often")
            mean, most = sum(found) / runs, max(found)
            print(f"    {records.__name__}: mean {mean:.1f}, most {most}", flush=True)


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 50)
