"""Mistakes in the exponential mechanism."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import replace
from fractions import Fraction
from typing import Any

from littlestone.classes import Thresholds
from littlestone.data.sample import Sample
from littlestone.privacy.rational import exp_below
from littlestone.prove.audit import Subject, find_subject, neighbours
from littlestone.prove.audit.subjects.whole_learners import all_records
from plants.harness import Masses, Plant, is_private, weighted

ONE = Fraction(1)
BASE = exp_below(ONE / 2)
Errors = Sequence[int]
Rule = Callable[[Errors], Masses]

HONEST = find_subject("exponential-mechanism").make(ONE, Fraction(0))


def tilted(errors: Errors, base: Fraction) -> Masses:
    return weighted({i: base**-e for i, e in enumerate(errors)})


def forgets_the_half(errors: Errors) -> Masses:
    return tilted(errors, exp_below(ONE))


def errors_count_twice(errors: Errors) -> Masses:
    return tilted([2 * e for e in errors], BASE)


def normalises_the_scores(errors: Errors) -> Masses:
    spread = max(1, max(errors) - min(errors))
    return tilted([4 * (e - min(errors)) // spread for e in errors], BASE)


def keeps_the_best_only(errors: Errors) -> Masses:
    return weighted({i: Fraction(e == min(errors)) for i, e in enumerate(errors)})


def drops_hopeless_candidates(errors: Errors) -> Masses:
    kept = {i: BASE**-e for i, e in enumerate(errors) if e - min(errors) < 2}
    return weighted(kept)


def breaks_ties_first(errors: Errors) -> Masses:
    """Equal scores go to the first of their items only."""
    return weighted({errors.index(e): BASE**-e for e in errors})


def _far(epsilon: int, base: Fraction | float, gap: int) -> Subject[Any]:
    """Two items whose scores are far apart, at a large epsilon."""
    rare = (((gap, 0), (gap - 1, 1)),)

    def rule(errors: Errors) -> Masses:
        return weighted({i: Fraction(base**-e) for i, e in enumerate(errors)})

    made = find_subject("exponential-mechanism").make(Fraction(epsilon), Fraction(0))
    return replace(made, pairs=rare, distribution=rule)


H = Thresholds.on(0, 9)


def _by_run(weigh: Callable[[int], int]) -> Subject[Any]:
    """The thresholds on ten points, where a run of equally many errors has ``weigh(length)``."""

    def rule(records: Any) -> Masses:
        runs = H.error_runs(Sample.from_examples(H.domain, records))
        lengths = runs.lengths or [1] * len(runs.errors)
        weights, start = {}, 0
        for error, length in zip(runs.errors.tolist(), lengths, strict=True):
            for item in range(start, start + length):
                weights[item] = Fraction(weigh(length), length) * BASE**-error
            start += length
        return weighted(weights)

    pairs = tuple(neighbours(all_records(H), 2, ordered=False))
    return replace(HONEST, distribution=rule, pairs=pairs)


def _plant(mistake: str, broken: Rule) -> Plant:
    return Plant(broken.__name__, mistake, is_private, HONEST, replace(HONEST, distribution=broken))


PLANTS = [
    _plant("The base is e^epsilon, as if the sum of the weights did not move.", forgets_the_half),
    _plant("An error counts twice; its sensitivity is taken for 1.", errors_count_twice),
    _plant("Scores are scaled by their range on the data.", normalises_the_scores),
    _plant("Only the best candidates are drawn from.", keeps_the_best_only),
    _plant("Candidates far from the best one are dropped.", drops_hopeless_candidates),
    _plant("Items of equal score are merged into the first one.", breaks_ties_first),
    Plant(
        "runs_as_items",
        "A block of equally good thresholds weighs as much as one; blocks depend on the data.",
        is_private,
        _by_run(lambda length: length),
        _by_run(lambda length: 1),
    ),
    Plant(
        "float_weights_underflow",
        "Weights are floats: at epsilon 44, 34 errors weigh 0 and 33 errors do not.",
        is_private,
        _far(44, exp_below(Fraction(22)), 34),
        _far(44, math.exp(22), 34),
    ),
    Plant(
        "base_rounded_up",
        "The base is e^(epsilon / 2) to nine digits, rounded to the nearest.",
        is_private,
        _far(1, exp_below(ONE / 2), 90),
        _far(1, Fraction("1.648721271"), 90),
    ),
]
