"""The source of random bits: the system's cryptographic generator, unless a seed is given."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from fractions import Fraction
from math import lcm

from littlestone.base.errors import require_generator

Choose = Callable[[Sequence[Fraction]], int]
"""Take one of the outcomes 0, 1, ... with these chances."""


def system_generator() -> random.Random:
    """The operating system's cryptographic generator, the default of every private draw."""
    return random.SystemRandom()


def seeded_generator(seed: int) -> random.Random:
    """A repeatable generator, for tests and simulations only; a release drawn with it says so.

    >>> seeded_generator(1).getrandbits(8) == seeded_generator(1).getrandbits(8)
    True
    """
    return random.Random(seed)


def seed_from(rng: random.Random) -> int | None:
    """A seed for a part of the work of ``rng``; None for the system's own generator, which has none.

    >>> seed_from(system_generator()) is None, generator(None) is None
    (True, False)
    """
    return None if is_cryptographic(rng) else rng.getrandbits(128)


def generator(seed: int | None) -> random.Random:
    """The generator of a seed, or the system's own for None."""
    return system_generator() if seed is None else seeded_generator(seed)


def is_cryptographic(rng: random.Random) -> bool:
    """Whether draws from ``rng`` are private: only the system's own generator cannot be replayed."""
    return type(rng) is random.SystemRandom


def choose_generator(rng: random.Random | None) -> random.Random:
    """The given generator, or the system's; raises `DeclarationError` if it is not a `random.Random`.

    >>> is_cryptographic(choose_generator(None))
    True
    """
    if rng is None:
        return system_generator()
    require_generator(rng)
    return rng


def chooser(rng: random.Random) -> Choose:
    """Choices by a generator, with exactly the chances that are asked for.

    >>> chooser(seeded_generator(1))([Fraction(0), Fraction(1)])
    1
    """

    def choose(chances: Sequence[Fraction]) -> int:
        whole = lcm(*(p.denominator for p in chances))
        left = rng.randrange(int(whole * sum(chances)))
        for i, p in enumerate(chances):
            left -= int(p * whole)
            if left < 0:
                return i
        raise AssertionError("the parts add up to the whole")

    return choose
