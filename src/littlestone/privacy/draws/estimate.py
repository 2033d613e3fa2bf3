"""The noisy counts of a released rule: what an estimate of its quality and a table of risks draw."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from littlestone.data.sample import Sample
from littlestone.privacy.cost import require_epsilon
from littlestone.privacy.ledger.receipt import Receipt
from littlestone.privacy.mechanisms.scores.cell_counts import CellCounts

if TYPE_CHECKING:
    from littlestone.rules import Hypothesis

CELLS = ("true positives", "false positives", "false negatives")

UNREAD = ("cells", "labels")

UNREAD_PART = Fraction(1, 4)
"""The part of the estimate's epsilon that counts unread cells and labels."""


class Noisy(NamedTuple):
    """The counts that one `CellCounts` of this ``epsilon`` drew."""

    epsilon: Fraction
    counts: tuple[int, ...]


def counts_of_rule(epsilon: Fraction) -> CellCounts:
    """The mechanism that counts the `CELLS` of a rule."""
    return CellCounts(epsilon, len(CELLS))


def counts_of_unread(epsilon: Fraction) -> CellCounts:
    """The mechanism that counts the `UNREAD` records; one may be in both counts."""
    return CellCounts(epsilon, len(UNREAD), together=True)


def estimate_parts(epsilon: Fraction, *, shares: bool) -> tuple[CellCounts, ...]:
    """What an estimate of ``epsilon`` draws: the counts of a rule, and the unread ones with ``shares``.

    A record may have both an unread cell and an unread label, so these two are counted together.

    >>> [str(part.epsilon) for part in estimate_parts(Fraction(1), shares=True)]
    ['3/4', '1/4']
    """
    require_epsilon(epsilon)
    if not shares:
        return (counts_of_rule(epsilon),)
    part = epsilon * UNREAD_PART
    # The two parts are composed: their epsilons add up.
    return counts_of_rule(epsilon - part), counts_of_unread(part)


def cells(rule: Callable[[Any], int], sample: Sample[Any]) -> tuple[int, int, int]:
    """The true positives, false positives and false negatives of ``rule``, in at most one per record.

    They depend on the data: for `CellCounts` only.
    """
    ones = np.fromiter(map(rule, sample.points), dtype=bool, count=len(sample.points))
    return (
        int(sample.positives[ones].sum()),
        int(sample.negatives[ones].sum()),
        int(sample.positives[~ones].sum()),
    )


def draw_counts(
    parts: Sequence[CellCounts],
    rule: Callable[[Any], int],
    sample: Sample[Any],
    records: Sample[Any],
    *,
    receipt: Receipt,
) -> tuple[Noisy, ...]:
    """The counts of ``rule`` by the `estimate_parts` that the receipt paid for; empty for no parts.

    ``records`` are those of the sample, which may have void places as well.
    """
    if not parts:
        return ()
    data = [cells(rule, records), *([] if sample.unread is None else [sample.unread])]
    return tuple(
        Noisy(part.epsilon, part.draw(counts, receipt=receipt))
        for part, counts in zip(parts, data, strict=True)
    )


def counts_of_places(epsilon: Fraction) -> CellCounts:
    """The mechanism that counts each label at each place of a rule, which is drawn later."""
    return CellCounts(epsilon, None)


def count_places(rule: Hypothesis[Any], sample: Sample[Any]) -> list[int]:
    """The number of records of each label at each of the rule's places, place by place.

    Each record is in one cell.  The counts depend on the data: for `CellCounts` only.
    """
    # The places are those of the released rule; records decide nothing but how many are in each.
    found = np.zeros((len(rule.places), sample.labels), np.int64)
    np.add.at(found, rule.places_of(sample.points), sample.counts)
    counts: list[int] = found.ravel().tolist()
    return counts


def draw_places(
    part: CellCounts | None, rule: Hypothesis[Any], records: Sample[Any], *, receipt: Receipt
) -> Noisy | None:
    """The noisy `count_places` that the receipt paid for; None for no part."""
    if part is None:
        return None
    return Noisy(part.epsilon, part.draw(count_places(rule, records), receipt=receipt))
