"""Runs a mechanism along every outcome of its choices, the sampler of its waits included."""

from __future__ import annotations

from fractions import Fraction

import pytest

from littlestone.audit.choices import Choices
from littlestone.privacy.mechanisms.streams import epoch
from littlestone.privacy.samplers.reals import Real


class Script(Choices):
    """Choices that can take the place of the sampler of what is skipped and waited for."""

    def geometric(self, a: Fraction, rng: object, *, most: int = 3) -> int:
        """In place of the sampler's: min(X, most), Pr[X >= x] = a^x, where it is possible."""
        weights = [a**k * (1 - a) for k in range(most)] + [a**most]
        possible = [k for k, weight in enumerate(weights) if weight]
        return possible[self.choose([weights[k] for k in possible])]

    def take_over(self, patch: pytest.MonkeyPatch) -> None:
        """In place of the sampler of all that continual mechanisms skip and wait for."""
        patch.setattr(epoch, "geometric", self.geometric)
        patch.setattr(Real, "of", lambda x: x)
