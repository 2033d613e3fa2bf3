"""Label selection, on all tiny samples of keys with one of three labels."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from itertools import combinations, product

from littlestone.privacy.budget import Budget
from littlestone.privacy.mechanisms.keys.label_selection import LabelSelection
from littlestone.privacy.parameters import least
from littlestone.prove.mechanisms.neighbours import neighbours
from littlestone.prove.mechanisms.subject import Subject, mechanism_subject, subject

Records = tuple[tuple[str, int], ...]

RECORDS: Records = tuple(product("ab", (0, 1, 2)))


def crowded(mechanism: LabelSelection[str]) -> Iterator[tuple[Records, Records]]:
    """Neighbours around a key whose labels are as likely as bottom, alone or beside each other."""
    half = least(lambda count: 2 * mechanism.chance(count) >= 1)
    for rest in ((("a", 1),) * half, (("a", 1), ("a", 2)) * half, (("a", 0), ("a", 1)) * half):
        for one, other in combinations(RECORDS, 2):
            yield (*rest, one), (*rest, other)


@subject("label-selection")
def label_selection(epsilon: Fraction, delta: Fraction) -> Subject[Records]:
    """Label selection of keys with a label each, of three labels; needs a delta."""
    mechanism = LabelSelection[str](Budget(epsilon, delta))
    pairs = (*neighbours(RECORDS, 3, ordered=False), *crowded(mechanism))
    return mechanism_subject(mechanism, pairs=pairs, large=pairs[-1], read=lambda records: records)
