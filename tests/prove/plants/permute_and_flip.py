"""Mistakes in permute-and-flip."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from fractions import Fraction
from itertools import accumulate

import numpy as np

from littlestone.privacy.mechanisms.scores.permute_and_flip import PermuteAndFlip
from littlestone.privacy.scores import ErrorRuns
from littlestone.prove.audit import find_subject
from plants.harness import Masses, Plant, is_private

ONE = Fraction(1)
HONEST = PermuteAndFlip(ONE)
SUBJECT = find_subject("permute-and-flip").make(ONE, Fraction(0))
Errors = Sequence[int]


def honest(errors: Errors, mechanism: PermuteAndFlip = HONEST) -> Masses:
    return dict(mechanism.distribution(ErrorRuns(np.array(errors))))


def forgets_the_half(errors: Errors) -> Masses:
    """Base e^epsilon, which is private only if no count can rise while another falls."""
    return honest(errors, PermuteAndFlip(2 * ONE))


def errors_count_twice(errors: Errors) -> Masses:
    return honest([2 * error for error in errors])


def does_not_permute(errors: Errors) -> Masses:
    coins = [HONEST.base ** (min(errors) - error) for error in errors]
    tails = accumulate(coins, lambda rest, coin: rest * (1 - coin), initial=Fraction(1))
    return {i: rest * coin for i, (rest, coin) in enumerate(zip(tails, coins, strict=False))}


def takes_the_best_that_shows_heads(errors: Errors) -> Masses:
    first = min(range(len(errors)), key=lambda i: errors[i])
    return {first: Fraction(1)}


def drops_hopeless_items(errors: Errors) -> Masses:
    kept = [i for i, error in enumerate(errors) if error - min(errors) < 2]
    return dict(zip(kept, honest([errors[i] for i in kept]).values(), strict=True))


def _plant(mistake: str, broken: Callable[[Errors], Masses]) -> Plant:
    made = replace(SUBJECT, distribution=broken)
    return Plant(f"flip_{broken.__name__}", mistake, is_private, SUBJECT, made)


PLANTS = [
    _plant("The base is e^epsilon, as if no count could rise while another falls.",
           forgets_the_half),
    _plant("An error counts twice; its sensitivity is taken for 1.", errors_count_twice),
    _plant("Items are visited in their own order.", does_not_permute),
    _plant("The best item whose coin shows heads is taken.", takes_the_best_that_shows_heads),
    _plant("Items far from the best one are not visited.", drops_hopeless_items),
]  # fmt: skip
