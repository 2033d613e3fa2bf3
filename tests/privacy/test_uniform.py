"""Computable reals enclose what they name, and a lazily read uniform is compared exactly."""

import random
from fractions import Fraction

from hypothesis import given
from hypothesis import strategies as st

from littlestone.privacy.samplers.reals import LazyUniform, Real, bernoulli

UNIT = st.fractions(min_value=0, max_value=1, max_denominator=1000)


@given(UNIT, UNIT, st.integers(0, 40), st.integers(1, 200))
def test_enclosures_hold_the_number(x: Fraction, y: Fraction, k: int, bits: int) -> None:
    named = [
        (Real.of(x), x),
        (Real.of(x) * Real.of(y), x * y),
        (1 - Real.of(x), 1 - x),
        (Real.of(x).power(k), x**k),
        (1 - Real.of(x).power(k) * Real.of(y), 1 - x**k * y),
    ]
    for real, value in named:
        low, high = real.enclose(bits)
        assert low <= value * 2**bits <= high
        assert high - low <= 4


class Bits(random.Random):
    """Gives out the bits of a fixed number, as an adversary would choose them."""

    def __init__(self, number: int, bits: int) -> None:
        super().__init__(0)
        self._number, self._left = number, bits

    def getrandbits(self, k: int, /) -> int:
        self._left -= k
        return self._number >> self._left & (1 << k) - 1


@given(UNIT, st.integers(-2, 2))
def test_a_comparison_is_exact_next_to_its_threshold(p: Fraction, step: int) -> None:
    """U is put within 2^-1023 of p: the answer needs all of its bits."""
    bits = 1024
    number = min(max(int(p * 2**bits) + step, 0), 2**bits - 1)
    assert bernoulli(Real.of(p), Bits(number << 31 * bits, 32 * bits)) == (
        Fraction(number, 2**bits) < p
    )


def test_a_float_would_be_caught() -> None:
    """A probability of 2^-2000 is 0 as a float; U below it exists."""
    tiny = Real.of(Fraction(1, 2)).power(2000)
    assert bernoulli(tiny, Bits(0, 10**5))
    assert not float(Fraction(1, 2**2000))


def test_one_uniform_answers_consistently() -> None:
    rng = random.Random(1)
    for _ in range(200):
        u = LazyUniform(rng)
        answers = [u.below(Real.of(Fraction(k, 97))) for k in range(98)]
        assert answers == sorted(answers)
        assert answers[-1]
