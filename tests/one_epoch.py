"""One epoch of a key of a stream, by the chances of its tests: for tests and for planted mistakes."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from itertools import accumulate
from typing import Any

from littlestone.privacy.mechanisms.continual_selection import ContinualKeySelection

Stream = tuple[str | None, ...]
Selections = tuple[frozenset[str], ...]


class Short(ContinualKeySelection[Any]):
    """With r1 = 3/2 and r2 = 2, so that exact audits are quick."""

    @property
    def skip(self) -> Fraction:
        return Fraction(2, 3)

    @property
    def base(self) -> Fraction:
        return Fraction(2)


SHORT = Short(skip_epsilon=Fraction(1), test_epsilon=Fraction(1), delta=Fraction(3, 20), horizon=5)
RATIO = Fraction(3)  # r1 r2
LONG = replace(SHORT, horizon=60, delta=Fraction(1, 1000))


def times(k: int) -> Stream:
    """A stream that names a key k times at first, and nothing from then on."""
    return ("a",) * k + (None,) * (60 - k)


def chance(mechanism: ContinualKeySelection[str], score: int) -> Fraction:
    """With which probability a key of that score is selected at a step."""
    return min(Fraction(1), mechanism.terms.weight(score))


def told_in_one_epoch(
    mechanism: ContinualKeySelection[str],
    stream: Stream,
    select: Callable[[int, int], Fraction],
    *,
    anew: Callable[[int], bool] = lambda step: False,
) -> dict[Selections, Fraction]:
    """Key a alone, up to its first selection, which ``select(records, skips)`` decides at a step.

    Z is drawn at the beginning, and ``anew`` before some of the steps 1, 2, ....
    """
    found: dict[Selections, Fraction] = {}
    counts = list(accumulate(x == "a" for x in stream))
    most, never = counts[-1], frozenset[str]()
    fresh = [mechanism.skip**z * (1 - mechanism.skip if z < most else 1) for z in range(most + 1)]
    masses = fresh  # of no selection so far, and Z = z
    for u, c in enumerate(counts):
        if anew(u + 1):
            masses = [sum(masses, Fraction(0)) * p for p in fresh]
        sets = (*[never] * u, frozenset("a"), *[never] * (len(counts) - u - 1))
        found[sets] = sum((m * select(c, z) for z, m in enumerate(masses)), Fraction(0))
        masses = [m * (1 - select(c, z)) for z, m in enumerate(masses)]
    return found | {(never,) * len(counts): sum(masses, Fraction(0))}


def one_epoch(mechanism: ContinualKeySelection[str], stream: Stream) -> dict[Selections, Fraction]:
    """The honest law, if a key is not named again once it was selected."""
    return told_in_one_epoch(mechanism, stream, lambda c, z: chance(mechanism, c - z))
