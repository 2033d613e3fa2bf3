"""A stream of units: at the steps of one unit all records move, and all others stay where they are."""

from __future__ import annotations

import random
from collections.abc import Hashable, Iterator, Sequence
from fractions import Fraction
from functools import cache
from itertools import combinations, product
from typing import Any

from littlestone.classes import Subsets
from littlestone.learn.stream import DurableStream, KeyLearner
from littlestone.learn.stream.run import FirstRecords
from littlestone.points import Integers
from littlestone.points.units import Unit
from littlestone.privacy.accounting.grouped import record_budget
from littlestone.privacy.budget import Budget
from littlestone.prove.mechanisms.subject import Run, Subject, paid, subject
from littlestone.prove.mechanisms.subjects.exponential_learner import Records
from littlestone.prove.mechanisms.subjects.online import LONG, VOID, of_keys

Step = tuple[Any, int, int]
"""Whose record it is, x and y."""

Steps = tuple[Step, ...]
RECORDS = ((0, 0), (0, 1), (1, 1))
TOO_OFTEN: tuple[Steps, Steps] = (
    (*[("ann", 1, 1)] * 3, ("bob", 1, 1)),
    (*[("cid", 0, 1)] * 3, ("bob", 1, 1)),
)
"""One unit has more records than count, and then there is one of another unit."""


def unit_neighbours(steps: int) -> Iterator[tuple[Steps, Steps]]:
    """All pairs of streams that differ in one unit: ann becomes cid, or takes the place of no name.

    >>> len(list(unit_neighbours(2)))
    108
    """

    def stream(name: str | None, block: Records, theirs: Records, mine: Sequence[bool]) -> Steps:
        own, others = iter(block), iter(theirs)
        return tuple((name, *next(own)) if one else ("bob", *next(others)) for one in mine)

    for mine in product((False, True), repeat=steps):
        for theirs in product(RECORDS, repeat=steps - sum(mine)):
            blocks = product(RECORDS, repeat=sum(mine))
            for (old, new), names in product(
                combinations(blocks, 2), ((None, "ann"), ("ann", "cid"))
            ):
                yield stream(names[0], old, theirs, mine), stream(names[1], new, theirs, mine)


def unit_stream(
    epsilon: Fraction, delta: Fraction, most: int, *, horizon: int = LONG
) -> Subject[Steps]:
    """The online learner of sets with the budget of one record; ``most`` of each unit count."""
    unit, H = Unit("name", most), Subsets(Integers(), 2)
    learner = KeyLearner(H, record_budget(Budget(epsilon, delta), unit), horizon=horizon)
    known = cache(lambda records: of_keys(learner, records))

    def law(data: Steps) -> dict[Any, Fraction]:
        first = FirstRecords(unit)
        return known(tuple((x, y) if first.counts(whose) else VOID for whose, x, y in data))

    def runs(times: int, rng: random.Random) -> Run[Steps]:
        receipt = paid(learner.event, times, rng)

        def run(data: Steps) -> Hashable:
            stream = learner.begin(receipt, together=True)
            of_units = DurableStream(stream, 1, False, None, FirstRecords(unit))
            published = []
            for whose, x, y in data:
                of_units.take([(x, y)], units=[whose])
                published.append(stream.hypothesis.words())
            return tuple(published)

        return run

    return Subject(
        learner.event_for(unit),
        law,
        (*unit_neighbours(3), TOO_OFTEN),
        runs,
        ((("ann", 1, 1), ("bob", 1, 1)) * 6, (("cid", 1, 0), ("bob", 1, 1)) * 6),
    )


@subject(
    "unit-stream",
    id="Streams",
    code="learn.stream.durable_run",
    proof="proofs/units.md#theorem-5-streams",
)
def two_records(epsilon: Fraction, delta: Fraction) -> Subject[Steps]:
    """The online learner of sets, two records of each unit count; needs a delta."""
    return unit_stream(epsilon, delta, most=2)
