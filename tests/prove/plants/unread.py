"""Mistakes in counting privately what a declaration cannot read."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction

from littlestone.learn.declared.checking import checks_of, count_faults
from littlestone.points.columns import columns_of
from littlestone.privacy.draws import UNREAD
from littlestone.privacy.mechanisms.cell_counts import CellCounts
from littlestone.prove.audit.subjects.noisy_counts import (
    LABEL,
    NAMES,
    H,
    ThreeCells,
    shares_subject,
    unread_subject,
)
from plants.harness import Claim, Plant, is_private

EPSILON = Fraction(1)
Noisy = dict[tuple[int, ...], Fraction]


@dataclass(frozen=True)
class ColumnForgotten(CellCounts):
    """The sensitivity forgets a column: a record is thought to move one count fewer."""

    @property
    def counts_per_record(self) -> int:
        return (self.cells or 0) - 1


@dataclass(frozen=True)
class ExactLabels(CellCounts):
    """The exact number of unread labels is shown beside the noisy one."""

    def distribution(self, data: Sequence[int], n: int | None = None) -> Noisy:
        return {(*ys, data[-1]): p for ys, p in super().distribution(data, n).items()}


@dataclass(frozen=True)
class OneForBoth(CellCounts):
    """The noise hides a record that moves one of the two counts."""

    @property
    def counts_per_record(self) -> int:
        return 1


def cell_by_cell(data: ThreeCells) -> tuple[int, ...]:
    """A record counts as often as it has unread cells."""
    checks = checks_of(list(columns_of(H.domain)), LABEL, None)
    columns = list(zip(*data, strict=True))
    counts = [count_faults(map(c, cells)) for c, cells in zip(checks, columns, strict=True)]
    return sum(counts[:-1]), counts[-1]


SHARES = shares_subject(CellCounts(EPSILON, len(UNREAD), together=True))
HONEST = unread_subject(CellCounts(EPSILON, len(NAMES), together=True))


def _plant(kind: type[CellCounts]) -> Plant:
    mistake = (kind.__doc__ or "").partition("\n")[0]
    broken = unread_subject(kind(EPSILON, len(NAMES), together=True))
    return Plant(f"unread_{kind.__name__}", mistake, is_private, HONEST, broken)


PLANTS = [
    *map(_plant, [ColumnForgotten, ExactLabels]),
    Plant(
        "unread_OneColumnPaid",
        "Only one of the counts is charged.",
        is_private,
        HONEST,
        replace(HONEST, event=Claim(EPSILON / len(NAMES))),
    ),
    Plant(
        "unread_OneForBoth",
        "The noise of the shares hides a record that moves one of the two counts.",
        is_private,
        SHARES,
        shares_subject(OneForBoth(EPSILON, len(UNREAD), together=True)),
    ),
    Plant(
        "unread_CellByCell",
        "A record is counted once for each of its unread cells.",
        is_private,
        SHARES,
        shares_subject(CellCounts(EPSILON, len(UNREAD), together=True), cell_by_cell),
    ),
]
