"""The noisy numbers of records in disjoint cells, on all tiny samples."""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from dataclasses import replace
from fractions import Fraction

from littlestone.privacy.mechanisms.scores.cell_counts import CellCounts
from littlestone.prove.mechanisms.neighbours import neighbours
from littlestone.prove.mechanisms.subject import Subject, mechanism_subject, subject

CELLS = 2

Cells = tuple[int, ...]
"""The cell of each record; `CELLS` stands for a record in no cell."""


def counted(data: Cells) -> Cells:
    """The number of records in each cell."""
    return tuple(data.count(cell) for cell in range(CELLS))


def within(data: Cells, noisy: Cells) -> Cells:
    """The noisy counts, with equal names for those beyond all true ones."""
    return tuple(min(max(y, 0), len(data)) for y in noisy)


@subject("cell-counts")
def cell_counts(epsilon: Fraction, delta: Fraction) -> Subject[Cells]:
    """The numbers of records in two cells; spends no delta."""
    mechanism, many = CellCounts(epsilon, CELLS), (0, 1) * 50
    made = mechanism_subject(
        mechanism,
        pairs=neighbours(range(CELLS + 1), 2, ordered=False),
        large=((0, *many), (1, *many)),
        read=counted,
        cell=within,
    )

    def distribution(data: Cells) -> Mapping[Hashable, Fraction]:
        # The number of records is public; the number of records in the cells is not.
        exact = mechanism.distribution(counted(data), len(data))
        return dict(exact.items())

    return replace(made, distribution=distribution)
