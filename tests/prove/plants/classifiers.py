"""Mistakes that people make with classifiers.

All but the last are ways to fit one classifier to fifty records and to release a value, and are
found from outside, by runs alone.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Hashable, Sequence
from fractions import Fraction
from typing import Any
from warnings import catch_warnings

import numpy as np
from sklearn.model_selection import KFold, StratifiedKFold

from littlestone.base.errors import NotPrivateWarning
from littlestone.interop.scikit_learn import LittlestoneClassifier
from littlestone.privacy.ledger import Ledger
from littlestone.privacy.randomness import seeded_generator
from littlestone.prove.audit import Subject, audit_epsilon
from plants.harness import Masses, Plant, is_private, toy
from plants.reading import learn

Records = Sequence[tuple[Any, Any]]
Fit = Callable[[Records, random.Random], Hashable]

PEOPLE: Records = [(20, 0), (50, 1)] * 24 + [(20, 0)]


def classifier(rng: random.Random, **options: Any) -> LittlestoneClassifier:
    declared = {
        "hypotheses": "thresholds(age, 0..100; step 10)",
        "epsilon": 1,
        "classes": (0, 1),
    }
    paid = {"ledger": Ledger(), "dataset": "made up", "simulation_seed": rng.getrandbits(64)}
    return LittlestoneClassifier(**{**declared, **paid, **options})


def fitted(model: LittlestoneClassifier, records: Records) -> str:
    xs, ys = zip(*records, strict=True)
    with catch_warnings(category=NotPrivateWarning, action="ignore"):
        return model.fit(list(xs), list(ys)).release_.words()


def honest(records: Records, rng: random.Random) -> Hashable:
    return fitted(classifier(rng), records)


def classes_of_y(records: Records, rng: random.Random) -> Hashable:
    found = sorted({y for _, y in records})
    model = classifier(rng, classes=(found[0], found[-1]))
    return fitted(model, records), str(model.classes_)


def scaled_by_the_data(records: Records, rng: random.Random) -> Hashable:
    most = max(x for x, _ in records)
    return fitted(classifier(rng), [(100 * x // most, y) for x, y in records])


def missing_refused(records: Records, rng: random.Random) -> Hashable:
    if any(x is None or np.isnan(x) for x, _ in records):
        return "ValueError: input contains NaN"
    return fitted(classifier(rng), records)


def seeded_by_the_data(records: Records, rng: random.Random) -> Hashable:
    return fitted(classifier(rng, simulation_seed=hash(tuple(records)) % 2**32), records)


def with_its_score(records: Records, rng: random.Random) -> Hashable:
    model = classifier(rng)
    words = fitted(model, records)
    xs, ys = zip(*records, strict=True)
    return words, model.score(list(xs), list(ys))


# The last record changes its label: then, among stratified folds, others change their places.
MANY = ((2, 0), *[(0, 1)] * 4, (1, 1), (2, 0), (0, 1), (1, 0), (0, 1), (0, 1), (1, 0), (2, 0),
        (0, 1), (2, 1), (0, 1), (2, 0), (0, 1), (0, 1))  # fmt: skip
LABEL_CHANGED = ((*MANY, (0, 0)), (*MANY, (0, 1)))


def validated(folds: KFold | StratifiedKFold) -> Subject[Any]:
    """One fit beside each of three folds, at epsilon 1 each, by the exponential mechanism."""

    def distribution(records: Records) -> Masses:
        masses: Masses = {(): Fraction(1)}
        for kept, _ in folds.split(records, [y for _, y in records]):
            drawn = learn([records[i] for i in kept]).items()
            masses = {(*cuts, t): p * q for cuts, p in masses.items() for t, q in drawn}
        return masses

    return toy(distribution, [LABEL_CHANGED], Fraction(3))


def is_not_refuted(made: tuple[Fit, tuple[Any, Any]]) -> bool:
    """Whether runs on two samples that differ in one record allow epsilon 1, with confidence 99%."""
    fit, (one, other) = made
    bound = audit_epsilon(
        lambda rng: fit([*PEOPLE, one], rng),
        lambda rng: fit([*PEOPLE, other], rng),
        trials=60,
        confidence=Fraction(99, 100),
        rng=seeded_generator(1),
    )
    return bound.epsilon <= 1


def _plant(broken: Fit, mistake: str, one: tuple[Any, Any], other: tuple[Any, Any]) -> Plant:
    pair = one, other
    name = f"classifier_{broken.__name__}"
    return Plant(name, mistake, is_not_refuted, (honest, pair), (broken, pair))


PLANTS = [
    _plant(classes_of_y, "The classes are those that occur in y.", (20, 0), (20, 2)),
    _plant(scaled_by_the_data, "Values are scaled by the largest.", (50, 1), (200, 1)),
    _plant(missing_refused, "A missing value is refused.", (20, 0), (float("nan"), 0)),
    _plant(seeded_by_the_data, "The seed is computed from the records.", (20, 0), (21, 0)),
    _plant(with_its_score, "The score on the records is shown.", (20, 0), (50, 0)),
    Plant(
        "folds_by_label",
        "Folds are stratified by the labels, and the costs of the fits are added up.",
        is_private,
        validated(KFold(3)),
        validated(StratifiedKFold(3)),
    ),
]
