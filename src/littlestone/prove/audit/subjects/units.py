"""Units: learners and streams that protect all records of one unit together."""

from __future__ import annotations

import random
from collections.abc import Callable, Hashable, Iterator, Sequence
from fractions import Fraction
from functools import cache
from itertools import (
    combinations,
    combinations_with_replacement,
    islice,
    product,
    zip_longest,
)
from typing import Any

from littlestone.classes import Points, Subsets, Thresholds
from littlestone.data import Label, Table, read_sample
from littlestone.data.coding import CodedColumn, code_column
from littlestone.data.reading import Reservoir
from littlestone.data.sample import Sample
from littlestone.data.table import Row
from littlestone.learn import ChoosingLearner, ExponentialLearner, PrivateLearner
from littlestone.learn.stream import DurableStream, KeyLearner
from littlestone.learn.stream.offsets import FirstRecords
from littlestone.points import Integers, Strings
from littlestone.points.units import Unit
from littlestone.privacy.accounting.groups import UnitEvent, record_budget
from littlestone.privacy.cost import Budget
from littlestone.privacy.ledger import Receipt
from littlestone.privacy.rational import sum_masses
from littlestone.prove.audit.choices import Choices
from littlestone.prove.audit.claims import neighbours
from littlestone.prove.audit.subject import Subject, runs_on_ledger, runs_on_receipt, subject
from littlestone.prove.audit.subjects.online import LONG, VOID, of_keys
from littlestone.prove.audit.subjects.whole_learners import Records, released_text
from littlestone.rules import Hypothesis

Block = tuple[tuple[Any, int], ...]
"""The records (x, y) of one unit, in their order."""

Blocks = tuple[Block, ...]
Law = Callable[[Sample[Any]], dict[Any, Fraction]]
Read = Callable[[PrivateLearner[Any], Unit, Blocks, random.Random], Sample[Any]]


class UnitTable(Table):
    """The rows (x, y, unit) of some units: first one row of each, then the second ones, and so on.

    Batches have two rows, so a unit with several records is in several batches.
    """

    name, columns = "made up", ("x", "y", "unit")

    def __init__(self, data: Blocks) -> None:
        self._data = data

    def rows(self, columns: Sequence[str]) -> Iterator[Row]:
        for turn in zip_longest(*self._data):
            for unit, record in enumerate(turn):
                if record is not None:
                    row = dict(zip(self.columns, (*record, f"unit {unit}"), strict=True))
                    yield tuple(row[column] for column in columns)

    def batches(self, columns: Sequence[str]) -> Iterator[list[CodedColumn]]:
        rows = self.rows(columns)
        while batch := list(islice(rows, 2)):
            yield [code_column(values) for values in zip(*batch, strict=True)]


def read_units(
    learner: PrivateLearner[Any], unit: Unit, data: Blocks, rng: random.Random
) -> Sample[Any]:
    """The sample of a table of these units."""
    label, keep = Label.parse("y", 1), Reservoir(unit, rng)
    return read_sample(UnitTable(data), learner.hypotheses.domain, label, keep=keep)


def blocks(records: Sequence[tuple[Any, int]], most: int) -> list[Block]:
    """All units of 1 to ``most`` of these records.

    >>> len(blocks([(0, 0), (0, 1)], 3))
    9
    """
    sizes = range(1, most + 1)
    return [block for n in sizes for block in combinations_with_replacement(records, n)]


def unit_subject(
    learner: PrivateLearner[Any],
    unit: Unit,
    law: Law,
    records: Sequence[tuple[Any, int]],
    *,
    reading: Read = read_units,
) -> Subject[Blocks]:
    """A learner with the budget of one record, on all pairs of two units that differ in one.

    ``law`` is that of its draw, given a sample.  What is released is the rule and the public n.
    """

    @cache
    def law_of_sample(kept: frozenset[tuple[Any, tuple[int, ...]]]) -> dict[Any, Fraction]:
        counts = {x: list(row) for x, row in kept}
        sample = Sample.from_counts(learner.hypotheses.domain, counts)
        return {released_text(h): mass for h, mass in law(sample).items()}

    def law_of_fit(data: Blocks) -> dict[Hashable, Fraction]:
        choices = Choices()

        def kept_records() -> tuple[frozenset[tuple[Any, tuple[int, ...]]], int]:
            sample = reading(learner, unit, data, choices.generator())
            rows = map(tuple, sample.counts.tolist())
            return frozenset(zip(sample.points, rows, strict=True)), sample.n

        # First which records are kept, then the draw from them: docs/proofs/units.md, Theorem 1.
        return sum_masses(
            ((text, n), chance * mass)
            for (kept, n), chance in choices.explore(kept_records).items()
            for text, mass in law_of_sample(kept).items()
        )

    def fit_once(data: Blocks, rng: random.Random, **spend: Any) -> Hashable:
        release = learner.fit(reading(learner, unit, data, rng), rng=rng, **spend)
        return released_text(release.hypothesis), release.n

    longest = 3
    possible = blocks(records, longest)
    many = tuple(possible) * (300 // len(possible))
    return Subject(
        UnitEvent(learner.event, unit),
        law_of_fit,
        tuple(neighbours(possible, 2)),
        runs_on_ledger(fit_once),
        (((records[0],) * longest, *many), ((records[-1],) * longest, *many)),
    )


def exponential(epsilon: Fraction, most: int, reading: Read = read_units) -> Subject[Blocks]:
    """Thresholds on units with up to three records each, where ``most`` are used."""
    H, unit = Thresholds.on(0, 1), Unit("unit", most)
    learner = ExponentialLearner(H, record_budget(Budget(epsilon), unit))

    def law(sample: Sample[Any]) -> dict[Hypothesis[Any], Fraction]:
        chances = learner.mechanism.distribution(H.error_runs(sample))
        return {H.hypothesis(i): mass for i, mass in chances.items()}

    return unit_subject(learner, unit, law, [(0, 0), (0, 1)], reading=reading)


@subject("unit-learner", id="Mixed tables")
def two_records(epsilon: Fraction, delta: Fraction) -> Subject[Blocks]:
    """The exponential learner of units, two records of each; spends no delta.

    code: points.units
    proof: proofs/units.md#theorem-2-group-privacy
    """
    return exponential(epsilon, most=2)


@subject("unit-learner-one-record")
def one_record(epsilon: Fraction, delta: Fraction) -> Subject[Blocks]:
    """The exponential learner of units, one record of each; spends no delta."""
    return exponential(epsilon, most=1)


@subject("unit-learner-choosing")
def choosing(epsilon: Fraction, delta: Fraction) -> Subject[Blocks]:
    """The choosing learner of units, two records of each; needs a delta."""
    H, unit = Points(Strings("x")), Unit("unit", 2)
    learner = ChoosingLearner(H, record_budget(Budget(epsilon, delta), unit))
    return unit_subject(learner, unit, learner.distribution, [("a", 1), ("b", 1)])


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

    def law_of_units(data: Steps) -> dict[Any, Fraction]:
        # After the first records of a unit the stream sees void steps: docs/proofs/units.md, Theorem 5.
        first = FirstRecords(unit)
        return known(tuple((x, y) if first.counts(whose) else VOID for whose, x, y in data))

    def publish(receipt: Receipt, data: Steps) -> Hashable:
        stream = learner.begin(receipt, together=True)
        of_units = DurableStream(stream, 1, False, None, FirstRecords(unit))
        published = []
        for whose, x, y in data:
            of_units.take([(x, y)], units=[whose])
            published.append(stream.hypothesis.words())
        return tuple(published)

    return Subject(
        learner.event_for(unit),
        law_of_units,
        (*unit_neighbours(3), TOO_OFTEN),
        runs_on_receipt(learner.event, publish),
        ((("ann", 1, 1), ("bob", 1, 1)) * 6, (("cid", 1, 0), ("bob", 1, 1)) * 6),
    )


@subject("unit-stream", id="Streams")
def two_records_at_most(epsilon: Fraction, delta: Fraction) -> Subject[Steps]:
    """The online learner of sets, two records of each unit count; needs a delta.

    code: learn.stream.durable_run
    proof: proofs/units.md#theorem-5-streams
    """
    return unit_stream(epsilon, delta, most=2)
