"""Continual tallies with small ratios, so that exact audits are quick."""

from __future__ import annotations

from fractions import Fraction

from littlestone.privacy.mechanisms.confirmation import ContinualConfirmation
from littlestone.privacy.mechanisms.tallies import ContinualMedians, ContinualTallies


class ShortTimer(ContinualConfirmation):
    """With r1 = r2 = 2."""

    skip = Fraction(1, 2)
    shrink = Fraction(1, 2)


class ShortTallies(ContinualTallies):
    """With a = 1/2."""

    ratio = Fraction(1, 2)


class ShortMedians(ContinualMedians):
    """With a = 1/2."""

    ratio = Fraction(1, 2)


def short(horizon: int = 9) -> ShortTallies:
    """Two cells, whose counts are cut to 0 or 1."""
    half = Fraction(1, 2)
    timer = ShortTimer(
        skip_epsilon=half, test_epsilon=half, threshold=1, warm=horizon, keys=1, horizon=horizon
    )
    return ShortTallies(timer=timer, cell_epsilon=half, cells=2, most=1)
