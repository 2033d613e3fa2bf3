"""A draw by error counts, and noisy sums that what was drawn chooses."""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from fractions import Fraction

import numpy as np

from littlestone.privacy.cost import Budget
from littlestone.privacy.ledger import Receipt
from littlestone.privacy.mechanisms.drawn_sums import DrawThenSums
from littlestone.privacy.mechanisms.exponential import ExponentialMechanism
from littlestone.privacy.mechanisms.noisy_sums import SumStep
from littlestone.privacy.scores import ErrorRuns
from littlestone.prove.audit.claims import neighbours
from littlestone.prove.audit.subject import Subject, runs_on_receipt, subject
from littlestone.prove.audit.subjects.noisy_counts import ask_of, clip

Bits = tuple[int, ...]
STEP = SumStep(count=1, l1=2, squared=4, share=Fraction(1))
ITEMS = (1, 3)
"""How many items err on 1s and how many on 0s, so that one kind is rarer."""
MOST = 8


def errors_of(data: Bits) -> ErrorRuns:
    """The 1s are errors of the first items, and the 0s of the others."""
    ones = sum(data)
    return ErrorRuns(np.array([ones, len(data) - ones]), np.array(ITEMS))


def asked_records(data: Bits, item: int) -> Bits:
    """What the sums are about: the records, or their opposites after an item of the second kind."""
    return data if item < ITEMS[0] else tuple(1 - bit for bit in data)


def drawn_subject(event: DrawThenSums) -> Subject[Bits]:
    """The event on two records, each 0 or 1, with sums told apart up to `MOST`."""

    def law(data: Bits) -> Mapping[Hashable, Fraction]:
        found = dict[Hashable, Fraction]()
        for item, mass in event.mechanism.distribution(errors_of(data)).items():
            after = event.sums.distribution(ask_of(asked_records(data, item)), MOST)
            found |= {(item, released): mass * own for released, own in after.items()}
        return found

    def draw_both(receipt: Receipt, data: Bits) -> Hashable:
        item = event.mechanism.draw(errors_of(data), receipt=receipt)
        released = event.sums.draw(ask_of(asked_records(data, item)), receipt=receipt)
        return item, clip(MOST, data, released)

    large = (1,) * 500 + (0,) * 500
    pairs = tuple(neighbours((0, 1), 2, ordered=False))
    runs = runs_on_receipt(event, draw_both)
    return Subject(event, law, pairs, runs, (large, (0, *large[1:])))


@subject("drawn-sums")
def drawn_sums(epsilon: Fraction, delta: Fraction) -> Subject[Bits]:
    """One draw by error counts, and a noisy sum that it chooses; Gaussian noise if there is a delta."""
    mechanism = ExponentialMechanism(epsilon / 2)
    return drawn_subject(DrawThenSums(Budget(epsilon, delta), mechanism, (STEP,)))
