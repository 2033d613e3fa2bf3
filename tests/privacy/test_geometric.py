"""Geometric, discrete Laplace and e^-x coins follow their distributions, to the last probability."""

import random
from collections.abc import Callable
from fractions import Fraction

import pytest
from scipy import stats

from littlestone.privacy.samplers import noise
from littlestone.privacy.samplers.noise import discrete_laplace, geometric, laplace_at_least
from littlestone.privacy.samplers.reals import KNOWN, Enclosure, Real, product
from planting import Fault, turns_red
from scripted import FirstBits

DRAWS = 4000
HALF = Fraction(1, 2)


def p_value(drawn: list[int], probability: Callable[[int], float], cells: range) -> float:
    """Chi-square p-value over ``cells`` and the rest."""
    seen = [drawn.count(x) for x in cells]
    expected = [len(drawn) * probability(x) for x in cells]
    rest = len(drawn) - sum(seen), len(drawn) - sum(expected)
    return float(stats.chisquare([*seen, rest[0]], [*expected, rest[1]]).pvalue)


def laplace_probability(a: float, x: int) -> float:
    return (1 - a) / (1 + a) * a ** abs(x)


def test_discrete_laplace() -> None:
    rng, a = random.Random(1), Fraction(3, 5)
    drawn = [discrete_laplace(a, rng) for _ in range(DRAWS)]
    assert p_value(drawn, lambda x: laplace_probability(0.6, x), range(-6, 7)) > 1e-4
    # A zero of either sign counted twice, as by a random sign of a geometric number, is caught.
    signed = [geometric(Real.of(a), rng) * rng.choice((-1, 1)) for _ in range(DRAWS)]
    assert p_value(signed, lambda x: laplace_probability(0.6, x), range(-6, 7)) < 1e-9


@pytest.mark.parametrize("most", [None, 3, 4, 5])
def test_geometric(most: int | None) -> None:
    rng, a = random.Random(2), Fraction(2, 3)
    drawn = [geometric(Real.of(a), rng, most=most) for _ in range(DRAWS)]

    def probability(x: int) -> float:
        return (2 / 3) ** x * (1 if x == most else 1 / 3)

    # With a bound every number is a cell, but for one that the last cell is left for.
    assert p_value(drawn, probability, range(8 if most is None else most)) > 1e-4
    assert most is None or max(drawn) == most


@pytest.mark.parametrize("a", ["0", "1/3", "7/8", "1023/1024", "1"])
def test_a_bounded_wait_is_the_inverse_of_a_uniform(a: str) -> None:
    """Whichever question is asked first: the most x <= most with U < a^x."""
    chance = Fraction(a)
    for most in (0, 1, 2, 3, 7, 8, 9):
        for u in (Fraction(2 * i + 1, 256) for i in range(128)):
            expected = max(x for x in range(most + 1) if x == 0 or u < chance**x)
            assert geometric(Real.of(chance), FirstBits(u), most=most) == expected


def test_long_waits_are_uniform_after_inversion() -> None:
    rng, a = random.Random(3), 1 - Fraction(1, 10**9)
    drawn = [geometric(Real.of(a), rng) for _ in range(1000)]
    assert stats.kstest([x / 1e9 for x in drawn], "expon").pvalue > 1e-4


def test_the_tails_add_up() -> None:
    a = Fraction(1, 3)
    for x in range(-5, 6):
        exact = sum((1 - a) / (1 + a) * a ** abs(y) for y in range(x, 200))
        low, high = laplace_at_least(a, x).enclose(60)
        assert low - 1 <= exact * 2**60 <= high + 1


def test_threads_that_share_a_number_extend_its_squares_once(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Another thread works out the same square while this one does."""
    a, others = Real.of(Fraction(999, 1000)), list[int]()

    def interrupted(x: Enclosure, y: Enclosure, bits: int) -> Enclosure:
        if not others:
            others.append(0)
            others[0] = geometric(a, random.Random(1))
        return product(x, y, bits)

    monkeypatch.setattr(noise, "product", interrupted)
    geometric(a, random.Random(2))
    assert others[0] > 4
    for i, (low, high) in enumerate(a.squares):
        assert low <= Fraction(999, 1000) ** 2**i * 2**KNOWN <= high


def test_a_square_that_two_threads_append_is_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    fault = Fault("littlestone.privacy.samplers.noise:geometric", "squares[j : j + 1] = [",
                  "squares[len(squares) :] = [", "a square is in the list twice")  # fmt: skip
    test = test_threads_that_share_a_number_extend_its_squares_once
    turns_red(fault, test, monkeypatch, monkeypatch)


def test_a_wait_is_exact_next_to_each_power() -> None:
    """U is within 2^-1023 of a^x: what 32 or 64 bits leave open is settled by all of them."""
    for a in (
        Fraction(2, 3),
        Fraction(999, 1000),
        *(HALF + i * Fraction(1, 2**70) for i in (-1, 1)),
    ):
        for x in (1, 2, 3, 5, 8, 21):
            for step in (-1, 0, 1, 2):
                u = Fraction(int(a**x * 2**1024) + step, 2**1024)
                least = x if u < a**x else x - 1
                assert geometric(Real.of(a), FirstBits(u)) == least
                assert geometric(Real.of(a), FirstBits(u), most=x) == least


NEAR = [
    Fault("littlestone.privacy.samplers.noise:geometric", "product(power, square(i), KNOWN)",
          "product(power, (square(i)[0],) * 2, KNOWN)", "the upper end of a square is the lower one"),
    Fault("littlestone.privacy.samplers.noise:geometric", "u.below(a.power(x)) if found is None",
          "True if found is None", "what 32 bits leave open is a wait"),
]  # fmt: skip


@pytest.mark.parametrize("fault", NEAR, ids=lambda fault: fault.mistake)
def test_waits_that_are_nearly_exact_are_seen(
    fault: Fault, monkeypatch: pytest.MonkeyPatch
) -> None:
    turns_red(fault, test_a_wait_is_exact_next_to_each_power, monkeypatch)
