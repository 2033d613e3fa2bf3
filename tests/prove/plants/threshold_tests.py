"""Mistakes in threshold tests: the sparse vector technique.

Their noises are short rationals, so that audits are quick, and the claims are the logarithms of the
ratios that the proofs give for them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from fractions import Fraction
from itertools import product
from typing import Any

from littlestone.privacy.mechanisms.above_threshold import SparseVector
from littlestone.privacy.mechanisms.threshold_tests import (
    Answers,
    probability,
    sequences,
)
from littlestone.privacy.rational import log_above
from plants.harness import Plant, is_private, toy

ONE, HALF, THIRDS = Fraction(1), Fraction(1, 2), Fraction(2, 3)
Values = tuple[int, ...]


class Short(SparseVector):
    """With both noises DLap(2/3); its ratio is `claimed`."""

    def noises(self) -> tuple[Fraction, Fraction]:
        return THIRDS, THIRDS

    @property
    def claimed(self) -> Fraction:
        """That of 2c moves: r1 r2^2c."""
        return THIRDS ** -(1 + 2 * self.hits)


def telling() -> Iterator[tuple[Values, Values]]:
    """Tests near the threshold, then far below it; each part moves its own way."""
    for near, far in product((0, 6), (1, 2)):
        for up, down in product((0, 1), repeat=2):
            yield (0,) * near + (-7,) * far, (up,) * near + (-7 - down,) * far


def with_noises(
    b: Fraction, a: Fraction, mechanism: Short, values: Values, hits: int
) -> dict[Answers, Fraction]:
    gaps = [mechanism.threshold - value for value in values]
    return {
        answers: probability(gaps, answers, b, a)
        for answers in sequences(len(gaps), hits, mechanism.hits_below)
    }


def forgets_the_threshold_noise(m: Short, values: Values) -> dict[Answers, Fraction]:
    return with_noises(Fraction(0), m.noises()[1], m, values, m.hits)


def scales_the_threshold_noise_to_all(m: Short, values: Values) -> dict[Answers, Fraction]:
    """The threshold's noise is as small as if it had the whole epsilon."""
    return with_noises(1 / m.claimed, m.noises()[1], m, values, m.hits)


def hits_once_more(m: Short, values: Values) -> dict[Answers, Fraction]:
    """The papers' `while counter <= K`."""
    return with_noises(*m.noises(), m, values, m.hits + 1)


def takes_values_for_monotone(m: Short, values: Values) -> dict[Answers, Fraction]:
    return with_noises(THIRDS, THIRDS**2, m, values, m.hits)


def pays_for_one_hit(m: Short, values: Values) -> dict[Answers, Fraction]:
    return with_noises(THIRDS, THIRDS**m.hits, m, values, m.hits)


def _claim(ratio: Fraction) -> Fraction:
    return log_above(ratio) + Fraction(1, 10**15)


def _vector(mistake: str, broken: Callable[[Any, Values], Any], hits: int = 1) -> Plant:
    mechanism = Short(threshold_epsilon=HALF, query_epsilon=ONE, threshold=0, hits=hits)
    claim = _claim(mechanism.claimed)
    honest = toy(mechanism.distribution, telling(), claim)
    made = toy(lambda values: broken(mechanism, values), telling(), claim)
    return Plant(f"vector_{broken.__name__}", mistake, is_private, honest, made)


PLANTS = [
    _vector("The threshold has no noise.", forgets_the_threshold_noise),
    _vector("The threshold's noise is as small as if it had all of epsilon.",
            scales_the_threshold_noise_to_all),
    _vector("The tests stop one hit too late: `while counter <= K`.", hits_once_more),
    _vector("The noise is that of values that all move the same way, but these do not.",
            takes_values_for_monotone),
    _vector("The noise is that of one hit, for two.", pays_for_one_hit, hits=2),
]  # fmt: skip
