"""Scripts for draws: every outcome of a mechanism's choices in turn, or random bits from a list."""

from __future__ import annotations

import random
from fractions import Fraction

import pytest

from littlestone.privacy.mechanisms import competition
from littlestone.privacy.samplers.reals import Real
from littlestone.prove.audit.choices import Choices


class Script(Choices):
    """Choices that can take the place of the sampler of what is skipped and waited for."""

    def geometric(self, a: Fraction, rng: object, *, most: int = 3) -> int:
        """In place of the sampler's: min(X, most), Pr[X >= x] = a^x, where it is possible."""
        weights = [a**k * (1 - a) for k in range(most)] + [a**most]
        possible = [k for k, weight in enumerate(weights) if weight]
        return possible[self.choose([weights[k] for k in possible])]

    def take_over(self, patch: pytest.MonkeyPatch) -> None:
        """In place of the sampler of all that continual mechanisms skip and wait for."""
        patch.setattr(competition, "geometric", self.geometric)
        patch.setattr(Real, "of", lambda x: x)


class Bits(random.Random):
    """Random bits from a list, then zeros; ``asked`` is how many were asked for each time."""

    def __init__(self, *chunks: int) -> None:
        super().__init__(0)
        self.chunks = list(chunks)
        self.asked: list[int] = []

    def getrandbits(self, k: int) -> int:
        self.asked.append(k)
        return self.chunks.pop(0) if self.chunks else 0


class FirstBits(random.Random):
    """A generator whose first bits are those of a number in [0, 1), and the next ones are zeros."""

    def __init__(self, number: Fraction) -> None:
        super().__init__(0)
        self._number = number

    def getrandbits(self, k: int, /) -> int:
        bits, self._number = divmod(self._number * 2**k, 1)
        return int(bits)
