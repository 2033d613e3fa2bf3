"""The race is exact: bounds hold, decisions agree with rational arithmetic, frequencies follow."""

import math
import random
from collections.abc import Callable, Sequence
from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from littlestone.privacy.mechanisms.scores.permute_and_flip import PermuteAndFlip
from littlestone.privacy.samplers import selection
from littlestone.privacy.samplers.race import Rates, decide, draw_item, rates_of, survival
from littlestone.privacy.samplers.selection import group
from littlestone.privacy.scores import ErrorRuns

Decide = Callable[[Rates, tuple[Fraction, Fraction], int], int | None]

BASES = st.sampled_from([Fraction(3, 2), Fraction(11, 10), Fraction(2), Fraction(10**9)])
ERRORS = st.lists(st.integers(0, 12), min_size=1, max_size=9)


@settings(max_examples=100, deadline=None)
@given(
    ERRORS, BASES, st.integers(0, 12), st.fractions(min_value=0, max_value=1), st.integers(4, 90)
)
def test_survival_is_enclosed(
    errors: list[int], base: Fraction, window: int, t: Fraction, bits: int
) -> None:
    known = rates_of(group(np.array(errors), None, window), base, bits)
    exact = math.prod(1 - t * base ** (min(errors) - e) for e in errors)
    low, high = survival(known, t)
    assert low <= exact * 2**bits <= high


def wrong_decisions(errors: list[int], base: Fraction, window: int, choose: Decide) -> int:
    """Decided cells of (T, U) that the level does not hold in rational arithmetic, at 8 bits."""
    known = rates_of(group(np.array(errors), None, window), base, 8)
    gaps = sorted({e - min(errors) for e in errors})
    wrong = 0
    for cell in range(8):
        t = Fraction(cell, 8), Fraction(cell + 1, 8)
        for uniform in range(256):
            level = choose(known, t, uniform)
            if level is None:
                continue
            for value in (t[0], (t[0] + t[1]) / 2, t[1]):
                hazards = [
                    sum(1 for e in errors if e - min(errors) == g) * q / (1 - q * value)
                    for g in gaps
                    for q in [base**-g]
                    if q * value < 1
                ]
                if len(hazards) < len(gaps):
                    wrong += level != 0  # at T = 1 a best item has won
                    continue
                low, high = sum(hazards[:level]), sum(hazards[: level + 1])
                total = sum(hazards)
                wrong += not low * 256 <= uniform * total <= (uniform + 1) * total <= high * 256
    return wrong


@pytest.mark.deep
@settings(max_examples=12, deadline=None)
@given(ERRORS, BASES, st.integers(0, 12))
def test_every_decision_is_exact(errors: list[int], base: Fraction, window: int) -> None:
    assert wrong_decisions(errors, base, window, decide) == 0


def forgets_beyond(known: Rates, t: tuple[Fraction, Fraction], uniform: int) -> int | None:
    return decide(replace(known, beyond=0), t, uniform)


def forgets_the_value(known: Rates, t: tuple[Fraction, Fraction], uniform: int) -> int | None:
    """The exponential mechanism."""
    return decide(known, (Fraction(0), Fraction(0)), uniform)


def takes_one_value(known: Rates, t: tuple[Fraction, Fraction], uniform: int) -> int | None:
    return decide(known, (t[0], t[0]), uniform)


@pytest.mark.parametrize("plant", [forgets_beyond, forgets_the_value, takes_one_value])
def test_inexact_decisions_are_caught(plant: Decide) -> None:
    assert wrong_decisions([0, 1, 1, 1, 2, 2], Fraction(11, 10), 1, plant) > 0


SHAPES: list[tuple[list[int], list[int] | None]] = [
    ([5] * 8, None),
    ([0] + [3] * 9, None),
    ([7, 2, 2, 9, 4], [3, 1, 4, 2, 5]),
    ([0, 1], None),
    ([0, 4], [1, 9]),
]


def p_value(sampler: Callable[..., int], errors: list[int], lengths: list[int] | None) -> float:
    """Chi-square p-value of 1,500 seeded draws against the exact distribution of the items."""
    mechanism, rng = PermuteAndFlip(Fraction(1)), random.Random(7)
    table = np.array(errors)
    exact = mechanism.distribution(ErrorRuns(table, lengths))
    drawn = np.bincount(
        [sampler(table, lengths, mechanism.base, rng) for _ in range(1500)], minlength=len(exact)
    )
    return float(stats.chisquare(drawn, [float(1500 * p) for p in exact.values()]).pvalue)


@pytest.mark.parametrize(("errors", "lengths"), SHAPES)
def test_frequencies(errors: list[int], lengths: list[int] | None) -> None:
    assert p_value(draw_item, errors, lengths) > 1e-4


def ignores_lengths(
    errors: np.ndarray, lengths: Sequence[int] | None, base: Fraction, rng: random.Random
) -> int:
    run = draw_item(errors, None, base, rng)
    counts = lengths or [1] * len(errors)
    return sum(counts[:run]) + rng.randrange(counts[run])


@pytest.mark.deep
@pytest.mark.parametrize("plant", [ignores_lengths, selection.draw_item])
def test_another_distribution_is_caught(plant: Callable[..., int]) -> None:
    assert min(p_value(plant, errors, lengths) for errors, lengths in SHAPES) < 1e-6


def test_astronomic_blocks_and_gaps() -> None:
    rng, base = random.Random(3), Fraction(3, 2)
    assert draw_item(np.array([10**15, 0, 10**18]), [2**64, 2**64, 1], base, rng) in range(
        2**64, 2**65
    )
    assert draw_item(np.array([4, 0]), [10**9, 1], base, rng) < 10**9
    assert draw_item(np.array([0, 10**6]), [1, 2**200], Fraction(10**9), rng) == 0
