"""What one record changes in the lists of all radii, on which the privacy of `RadiiLearner` rests."""

from __future__ import annotations

import random
from typing import Any

import numpy as np

from littlestone.classes import FiniteClass, HypothesisClass, Subsets
from littlestone.data.sample import Sample
from littlestone.learn.papers.radii_lists import lists
from littlestone.points import Integers
from littlestone.prove.papers.statement import Outcome, Trial, statement

Records = list[tuple[Any, int]]
Runs = list[dict[Any, int]]


def runs_of_lists(
    H: HypothesisClass[Any], records: Records, radii: int, sizes: tuple[int, ...]
) -> Runs:
    """For each dimension, the number of radii that list each rule."""
    found: Runs = [{} for _ in sizes]
    sample = Sample.from_examples(H.domain, records, labels=H.labels)
    for t, rules in lists(H, sample, radii, sizes):
        for rule in rules:
            found[t][rule] = found[t].get(rule, 0) + 1
    return found


def moves_as_proved(one: dict[Any, int], other: dict[Any, int], size: int) -> bool:
    """Lemma 2 of docs/proofs/radii.md, for the rules of one dimension."""
    moved = [other[f] - v for f, v in one.items() if f in other]
    lost = [v for f, v in one.items() if f not in other]
    together = any(all(abs(move - z) <= 1 for move in moved) for z in (-1, 0, 1))
    return together and len(lost) <= size and max(lost, default=0) <= 2


def some_class(rng: random.Random, table: np.random.Generator) -> HypothesisClass[Any]:
    """Singletons and more; two at a time; of three labels; or sets of an infinite domain."""
    m, kind = rng.randint(4, 7), rng.randrange(4)
    if kind == 0:
        rows = np.concatenate([np.eye(m, dtype=int), table.integers(0, 2, (rng.randrange(3), m))])
        return FiniteClass.from_array(rows ^ table.integers(0, 2, m))
    if kind == 1:
        eye = np.concatenate([np.zeros((1, m), dtype=int), np.eye(m, dtype=int)])
        return FiniteClass.from_array([[*a, *b] for a in eye for b in eye[:3]])
    if kind == 2:
        return FiniteClass.from_array(table.integers(0, 3, (rng.randint(3, 10), m)), labels=3)
    return Subsets(Integers(), rng.randint(1, 3))


@statement(
    id="Radii, Lemma 2",
    says="one record moves each end of a run of radii by one at most",
    code="learn.papers.radii_lists.lists",
    scope="random classes and records, each with one record replaced",
    status="as stated",
    proof="proofs/radii.md#lemma-2-scores",
)
def one_record_moves_a_run_by_one(trial: Trial) -> Outcome:
    """Random classes and records, each with one record replaced."""
    rng, table = trial.draws(5), trial.array(5)
    tried = wrong = moved = 0
    for _ in range(trial.pick(80, 4000)):
        H = some_class(rng, table)
        d = int(H.littlestone_dimension())
        xs = list(H.domain.examples(6))
        n, radii, few = rng.randint(3, 9), rng.randint(2, 9), rng.sample(xs, rng.randint(1, 4))
        sizes = tuple(rng.choice([1, 2, 50]) for _ in range(d))
        records = [(rng.choice(few), rng.randrange(H.labels)) for _ in range(n)]
        one = runs_of_lists(H, records, radii, sizes)
        for _ in range(3):
            changed = [*records[1:], (rng.choice(xs), rng.randrange(H.labels))]
            other = runs_of_lists(H, changed, radii, sizes)
            for a, b, size in zip(one, other, sizes, strict=True):
                tried += 1
                moved += a != b
                wrong += not (moves_as_proved(a, b, size) and moves_as_proved(b, a, size))
    return Outcome(
        "the radii of all rules of a dimension move together, up to one for each",
        f"{wrong} of {tried:,} pairs do not; {moved} change",
        not wrong and moved > 50,
    )
