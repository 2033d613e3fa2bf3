"""Mistakes in the noise of counts of disjoint cells: each plant is the distribution of what it releases."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from functools import cached_property

from littlestone.audit import Subject, find_subject
from littlestone.audit.subjects.cell_counts import CELLS, Cells, counted
from littlestone.privacy.mechanisms.cell_counts import CellCounts
from littlestone.privacy.rational import exp_above, exp_below
from plants.harness import Plant, is_private


class AFewPerCentMore(CellCounts):
    """The noise is that of 1.05 epsilon."""

    @cached_property
    def ratio(self) -> Fraction:
        return 1 / exp_below(self.epsilon * Fraction(21, 40))


class RoundedUp(CellCounts):
    """The ratio is 1 / r for an r that is rounded up."""

    @cached_property
    def ratio(self) -> Fraction:
        return 1 / exp_above(self.epsilon / 2)


def _subject(kind: type[CellCounts]) -> Subject[Cells]:
    made = kind(Fraction(1), CELLS)
    honest = find_subject("cell-counts").make(Fraction(1), Fraction(0))
    return replace(honest, distribution=lambda data: made.distribution(counted(data), len(data)))


HONEST = _subject(CellCounts)

PLANTS = [
    Plant(f"cells_{kind.__name__}", (kind.__doc__ or ""), is_private, HONEST, _subject(kind))
    for kind in (AFewPerCentMore, RoundedUp)
]
