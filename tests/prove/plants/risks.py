"""Mistakes in the table of risks at the places of a released rule."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property
from typing import Any

from littlestone.classes import Thresholds
from littlestone.data.sample import Sample
from littlestone.privacy.accounting.subsampled import InBlocks
from littlestone.privacy.draws import count_places
from littlestone.privacy.mechanisms.cell_counts import CellCounts
from littlestone.privacy.rational import exp_below
from littlestone.prove.audit.subjects.noisy_counts import blocks_subject, risk_subject
from littlestone.prove.audit.subjects.whole_learners import Records
from littlestone.rules import Hypothesis
from plants.harness import Claim, Plant, is_private

RULE, TABLE = Fraction(1, 10), Fraction(1)
Noisy = dict[tuple[int, ...], Fraction]


@dataclass(frozen=True)
class TableForOneCell(CellCounts):
    """The noise hides a change in one cell of the table."""

    @cached_property
    def ratio(self) -> Fraction:
        return 1 / exp_below(self.epsilon)


@dataclass(frozen=True)
class EmptyPlacesSilent(CellCounts):
    """A cell without records is published as 0, without noise."""

    def distribution(self, data: Sequence[int], n: int | None = None) -> Noisy:
        found: Noisy = {}
        for ys, mass in super().distribution(data, n).items():
            told = tuple(y if c else 0 for y, c in zip(ys, data, strict=True))
            found[told] = found.get(told, Fraction(0)) + mass
        return found


@dataclass(frozen=True)
class OneNoiseAPlace(CellCounts):
    """The counts of one place share their noise, so that its size is the noisy sum."""

    def distribution(self, data: Sequence[int], n: int | None = None) -> Noisy:
        found: Noisy = {}
        firsts = tuple(data[::2])
        for ys, mass in super().distribution(firsts, n).items():
            pairs = zip(ys, firsts, data[1::2], strict=True)
            told = tuple(z for y, first, second in pairs for z in (y, second + y - first))
            found[told] = found.get(told, Fraction(0)) + mass
        return found


@dataclass(frozen=True)
class ExactSizes(CellCounts):
    """The exact number of records at each place is published with the noisy counts."""

    def distribution(self, data: Sequence[int], n: int | None = None) -> Noisy:
        sizes = tuple(a + b for a, b in zip(data[::2], data[1::2], strict=True))
        return {(*ys, *sizes): mass for ys, mass in super().distribution(data, n).items()}


@dataclass(frozen=True)
class PlacesThatOccur(CellCounts):
    """Only places that have records get counts."""

    def distribution(self, data: Sequence[int], n: int | None = None) -> Noisy:
        places = zip(data[::2], data[1::2], strict=True)
        kept = [count for place in places if any(place) for count in place]
        return super().distribution(kept, n)


def cell_of_both_labels(rule: Hypothesis[Any], sample: Sample[Any]) -> list[int]:
    """A positive record counts as one of its place without a label, too."""
    table = count_places(rule, sample)
    return [c + (table[i + 1] if i % 2 == 0 else 0) for i, c in enumerate(table)]


def _subject(kind: type[CellCounts] = CellCounts, **more: Any) -> Any:
    return risk_subject(Thresholds.on(0, 1), kind(TABLE, None), epsilon=RULE, **more)


HONEST = _subject()
BLOCKS = InBlocks(CellCounts(TABLE, None), 7)
HONEST_BLOCKS = blocks_subject(BLOCKS, steps=2)


def all_before(stream: Records, start: int, end: int) -> Records:
    """All records up to the end of a block."""
    return stream[:end]


def at_a_positive(block: Records, size: int) -> bool:
    """Whether the last record of a block is positive."""
    return block[-1][1] == 1


def _plant(kind: type[CellCounts]) -> Plant:
    mistake = (kind.__doc__ or "").partition("\n")[0]
    return Plant(f"risks_{kind.__name__}", mistake, is_private, HONEST, _subject(kind))


PLANTS = [
    *map(_plant, [TableForOneCell, EmptyPlacesSilent, OneNoiseAPlace, ExactSizes, PlacesThatOccur]),
    Plant(
        "risks_CellOfBothLabels",
        "A positive record counts at its place once with its label and once without.",
        is_private,
        HONEST,
        _subject(counted=cell_of_both_labels),
    ),
    Plant(
        "risks_RisksForFree",
        "Only the draw of the rule is charged.",
        is_private,
        HONEST,
        replace(HONEST, event=Claim(RULE)),
    ),
    Plant(
        "risks_BlocksOverlap",
        "The counts of a stream go on after a table, so a record is in all later ones.",
        is_private,
        HONEST_BLOCKS,
        blocks_subject(BLOCKS, steps=2, block_of=all_before),
    ),
    Plant(
        "risks_BlockEndsAtAPositive",
        "A block of a stream ends with its first positive record.",
        is_private,
        HONEST_BLOCKS,
        blocks_subject(BLOCKS, steps=2, ends=at_a_positive),
    ),
]
