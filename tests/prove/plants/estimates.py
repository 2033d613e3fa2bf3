"""Mistakes in estimating how good a released rule is."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property

from littlestone.privacy.draws import CELLS
from littlestone.privacy.mechanisms.cell_counts import CellCounts
from littlestone.privacy.rational import exp_below
from littlestone.prove.audit.subjects.noisy_counts import estimate_subject
from plants.harness import Claim, Plant, is_private

RULE, COUNTS = Fraction(1, 10), Fraction(1)
Noisy = dict[tuple[int, ...], Fraction]


@dataclass(frozen=True)
class OverlappingCounts(CellCounts):
    """True positives, predicted positives and positives have the noise of disjoint cells."""

    def distribution(self, data: Sequence[int], n: int | None = None) -> Noisy:
        right, wrong, missed = data
        return super().distribution((right, right + wrong, right + missed), n)


@dataclass(frozen=True)
class NoiseForOneCell(CellCounts):
    """The noise hides a change in one cell."""

    @cached_property
    def ratio(self) -> Fraction:
        return 1 / exp_below(self.epsilon)


@dataclass(frozen=True)
class OneNoiseForAll(CellCounts):
    """The three counts share one noise, so that their sums are right."""

    def distribution(self, data: Sequence[int], n: int | None = None) -> Noisy:
        first, *others = data
        masses: Noisy = {}
        for (y,), mass in super().distribution((first,), n).items():
            moved = (y, *(count + y - first for count in others))
            masses[moved] = masses.get(moved, Fraction(0)) + mass
        return masses


@dataclass(frozen=True)
class ExactPositives(CellCounts):
    """The exact number of positive labels is published with the noisy counts."""

    def distribution(self, data: Sequence[int], n: int | None = None) -> Noisy:
        positives = data[0] + data[2]
        return {(*ys, positives): mass for ys, mass in super().distribution(data, n).items()}


HONEST = estimate_subject(CellCounts(COUNTS, len(CELLS)), epsilon=RULE)


def _plant(kind: type[CellCounts]) -> Plant:
    mistake = (kind.__doc__ or "").partition("\n")[0]
    broken = estimate_subject(kind(COUNTS, len(CELLS)), epsilon=RULE)
    return Plant(f"estimates_{kind.__name__}", mistake, is_private, HONEST, broken)


PLANTS = [
    *map(_plant, [OverlappingCounts, NoiseForOneCell, OneNoiseForAll, ExactPositives]),
    Plant(
        "estimates_EstimatesForFree",
        "Only the draw of the rule is charged.",
        is_private,
        HONEST,
        replace(HONEST, event=Claim(RULE)),
    ),
]
