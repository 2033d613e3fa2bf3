"""Computable reals enclose what they name, and a lazily read uniform is compared exactly."""

import random
from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from littlestone.privacy import Budget
from littlestone.privacy.ledger import Ledger
from littlestone.privacy.mechanisms.label_selection import LabelSelection
from littlestone.privacy.mechanisms.partition_selection import PartitionSelection
from littlestone.privacy.samplers.reals import KNOWN, LazyUniform, Real, bernoulli
from planting import Fault, turns_red

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


def test_known_squares_are_squares() -> None:
    """A list of them is begun once for a number, and goes on where it ended."""
    x = Real.of(Fraction(2, 5))
    assert x.squares is x.squares
    assert x.squares != Real.of(Fraction(1, 5)).squares


@given(UNIT, UNIT, st.integers(-2, 2))
def test_what_an_enclosure_decides_is_right(x: Fraction, u: Fraction, step: int) -> None:
    """Of numbers near the first 32 bits of U too: it decides all but those in its cell."""
    for near in (u, x):
        number = min(max(int(near * 2**32) + step, 0), 2**32 - 1)
        first = LazyUniform(Bits(number, 32))
        found = first.decide(Real.of(x).enclose(KNOWN))
        cell = Fraction(number, 2**32), Fraction(number + 1, 2**32)
        assert found == (True if cell[1] <= x else False if x <= cell[0] else None)


@pytest.mark.parametrize(
    "fault",
    [
        Fault("littlestone.privacy.samplers.reals:LazyUniform.decide", "-(-known[1] >> spare)",
              "known[1] >> spare", "the upper end is rounded down"),
        Fault("littlestone.privacy.samplers.reals:LazyUniform.decide", "known[0] >> spare",
              "-(-known[0] >> spare)", "the lower end is rounded up"),
    ],
    ids=lambda fault: fault.mistake,
)  # fmt: skip
def test_another_decision_is_seen(fault: Fault, monkeypatch: pytest.MonkeyPatch) -> None:
    turns_red(fault, test_what_an_enclosure_decides_is_right, monkeypatch)


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


@pytest.mark.parametrize("kind", [LabelSelection, PartitionSelection])
def test_the_system_is_asked_for_blocks(kind: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """The bits of a thousand keys, and of the order of those that are released."""
    asked, own = list[int](), random.SystemRandom.getrandbits

    def count(self: random.SystemRandom, k: int) -> int:
        asked.append(k)
        return own(self, k)

    monkeypatch.setattr(random.SystemRandom, "getrandbits", count)
    records = [(key, 1) for key in range(1000) for _ in range(25)]
    mechanism = kind(Budget(1, "1e-6"))
    with Ledger() as ledger:
        mechanism.draw(records, receipt=ledger.spend(mechanism, dataset="d", what="keys"))
    assert 1 < len(asked) < 20
