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
from littlestone.privacy.randomness import Blocks, in_blocks, seeded_generator, system_generator
from littlestone.privacy.samplers.reals import KnownReal, LazyUniform, Real, bernoulli
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


def test_known_powers_are_powers() -> None:
    """Of each exponent and precision, asked for once or again."""
    x = 1 - Real.of(Fraction(2, 5)).power(3)
    known, rng = KnownReal(x.enclose), random.Random(1)
    asked = [(rng.choice([0, 1, 2, 63, 64, 65, 5000]), rng.choice([8, 32, 64])) for _ in range(200)]
    for k, bits in asked:
        assert known.power(k).enclose(bits) == x.power(k).enclose(bits)


@pytest.mark.parametrize(
    "fault",
    [
        Fault("littlestone.privacy.samplers.reals:_enclose_power", "Real.power(x, k)",
              "Real.power(x, min(k, 64))", "powers beyond 64 are alike"),
        Fault("littlestone.privacy.samplers.reals:_enclose_power", ".enclose(bits)",
              ".enclose(min(bits, 32))", "more bits are not asked for"),
    ],
    ids=lambda fault: fault.mistake,
)  # fmt: skip
def test_other_powers_are_seen(fault: Fault, monkeypatch: pytest.MonkeyPatch) -> None:
    turns_red(fault, test_known_powers_are_powers, monkeypatch)


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


def test_bits_in_blocks_are_those_of_the_generator() -> None:
    """All of them, in order and once, also beyond a block."""
    sizes, blocks, alone = random.Random(3), Blocks(seeded_generator(5)), seeded_generator(5)
    for _ in range(3000):
        k = sizes.choice([0, 1, 2, 31, 32, 33, 64, 90, sizes.randrange(400)])
        assert blocks.getrandbits(k) == alone.getrandbits(k)
    items, others = list(range(2000)), list(range(2000))
    blocks.shuffle(items)
    alone.shuffle(others)
    assert items == others
    assert in_blocks(alone) is alone
    assert type(in_blocks(system_generator())) is Blocks


RANDOMNESS = "littlestone.privacy.randomness:Blocks"


@pytest.mark.parametrize(
    "fault",
    [
        Fault(f"{RANDOMNESS}._next", "return next(self._words)", "return next(iter([*self._words]))",
              "a block gives one word"),
        Fault(f"{RANDOMNESS}.getrandbits", ">> at + _WORD - k << at", "% (1 << k - at) << at",
              "the low bits of a word"),
        Fault(f"{RANDOMNESS}.getrandbits", "while at + _WORD < k", "while at + _WORD < min(k, 65)",
              "the bits beyond 64 are of one word"),
    ],
    ids=lambda fault: fault.mistake,
)  # fmt: skip
def test_other_bits_are_seen(fault: Fault, monkeypatch: pytest.MonkeyPatch) -> None:
    try:
        turns_red(fault, test_bits_in_blocks_are_those_of_the_generator, monkeypatch)
    except ValueError:
        assert "64" in fault.mistake  # a negative shift


def test_blocks_hold_the_bits_of_the_system() -> None:
    """As they are: a generator that is seeded by them could be replayed by its first numbers."""
    given, alone = seeded_generator(7), seeded_generator(7)
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(random.SystemRandom, "getrandbits", lambda _, k: given.getrandbits(k))
        blocks = in_blocks(system_generator())
        assert [blocks.getrandbits(64) for _ in range(900)] == [
            alone.getrandbits(64) for _ in range(900)
        ]


def test_a_seed_from_the_system_is_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    fault = Fault(
        f"{RANDOMNESS}._next",
        "self._rng.getrandbits(",
        "(random.Random(self._rng.getrandbits(64)) if is_cryptographic(self._rng) "
        "else self._rng).getrandbits(",
        "the bits of the system are a seed alone",
    )
    turns_red(fault, test_blocks_hold_the_bits_of_the_system, monkeypatch)


@pytest.mark.parametrize("kind", [LabelSelection, PartitionSelection])
def test_the_system_is_asked_for_blocks(kind: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """Some 20,000 bits of a thousand keys, and the order of those that are released."""
    asked, own = list[int](), random.SystemRandom.getrandbits

    def count(self: random.SystemRandom, k: int) -> int:
        asked.append(k)
        return own(self, k)

    monkeypatch.setattr(random.SystemRandom, "getrandbits", count)
    records = [(key, 1) for key in range(1000) for _ in range(25)]
    mechanism = kind(Budget(1, "1e-6"))
    with Ledger() as ledger:
        mechanism.draw(records, receipt=ledger.spend(mechanism, dataset="d", what="keys"))
    assert sum(k > 4096 for k in asked) < 10
    assert len(asked) < 2000
