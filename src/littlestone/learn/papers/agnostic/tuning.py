"""The relabelling parameters to try.  Floats choose among private settings and prove nothing."""

from __future__ import annotations

from fractions import Fraction
from typing import TypeVar

from littlestone.base.errors import DeclarationError

Setting = TypeVar("Setting", bound=tuple[object, ...])


def shares(epsilon: float, least: int = 2) -> list[int]:
    """Whole numbers in steps of about a fifth; K >= 4 needs a share of at least 4 / epsilon.

    >>> shares(1.0)[:9], shares(1.0)[-1]
    ([2, 3, 4, 5, 7, 9, 11, 14, 17], 100)
    """
    found, most = [least], 100 * max(1.0, 1 / epsilon)
    while found[-1] < most:
        found.append(max(found[-1] + 1, found[-1] * 6 // 5 + 1))
    return found


def epsilons(epsilon: Fraction) -> list[Fraction]:
    """Shares of epsilon for the choice, with two digits.

    >>> [str(eta) for eta in epsilons(Fraction(1))][:3]
    ['1', '79/100', '63/100']
    """
    steps = (round(100 * 0.7943**j) for j in range(24))
    return [epsilon * Fraction(step, 100) for step in dict.fromkeys(steps) if step]


def best(found: list[Setting]) -> Setting:
    """The setting with the least number first; `DeclarationError` if there is none."""
    if not found:
        raise DeclarationError(
            "tune a relabelling",
            found="no numbers leave room for a learner",
            fix="allow a larger epsilon",
        )
    return min(found)
