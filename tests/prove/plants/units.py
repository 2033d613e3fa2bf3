"""Mistakes in protecting all records of a unit together."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from dataclasses import replace
from fractions import Fraction
from typing import Any

from littlestone.data.reading import Reservoir
from littlestone.data.sample import Sample
from littlestone.learn import PrivateLearner
from littlestone.points.units import Unit
from littlestone.prove.audit.subjects.units import (
    Block,
    Blocks,
    UnitTable,
    exponential,
    read_units,
)
from plants.harness import Claim, Plant, is_private

EPSILON = Fraction(1)
Learner = PrivateLearner[Any]
Keep = Callable[[Unit, Blocks, random.Random], Sequence[Sequence[tuple[Any, int]]]]


def keeping(keep: Keep) -> Callable[[Learner, Unit, Blocks, random.Random], Sample[Any]]:
    """The reading that keeps of each unit what ``keep`` says, and pads as the honest one does."""

    def reading(learner: Learner, unit: Unit, data: Blocks, rng: random.Random) -> Sample[Any]:
        kept = keep(unit, data, rng)
        domain = learner.hypotheses.domain
        sample = Sample.from_examples(domain, [record for records in kept for record in records])
        return Sample(domain, sample.points, sample.counts, unit, len(kept))

    return reading


def counted_in_each_batch(unit: Unit, data: Blocks, rng: random.Random) -> list[Block]:
    kept: list[Block] = [() for _ in data]
    for whose, x, y in UnitTable(data).batches(("unit", "x", "y")):
        batch = Reservoir(unit, rng)
        batch.add(whose, [whose.codes, x.codes, y.codes])
        for i, j, k in zip(*(codes.tolist() for codes in batch.columns()), strict=True):
            number = int(str(whose.values[i]).removeprefix("unit "))
            kept[number] += ((x.values[j], y.values[k]),)
    return kept


def distinct_records(unit: Unit, data: Blocks, rng: random.Random) -> list[list[Any]]:
    distinct = [list(dict.fromkeys(block))[: unit.most] for block in data]
    return [
        [record for record in block if record in few]
        for block, few in zip(data, distinct, strict=True)
    ]


def so_many_in_all(unit: Unit, data: Blocks, rng: random.Random) -> list[list[Any]]:
    rows = [(i, record) for i, block in enumerate(data) for record in block]
    rows = rng.sample(rows, min(len(rows), unit.most * len(data)))
    return [[record for i, record in rows if i == number] for number in range(len(data))]


def confirmed_by_others(unit: Unit, data: Blocks, rng: random.Random) -> list[list[Any]]:
    kept = []
    for i, block in enumerate(data):
        others = {record for j, other in enumerate(data) if j != i for record in other}
        kept.append(sorted(block, key=lambda record: record not in others)[: unit.most])
    return kept


def full_units(unit: Unit, data: Blocks, rng: random.Random) -> list[Block]:
    full = [block[: unit.most] for block in data if len(block) >= unit.most]
    return full or [()]


def unpadded(learner: Learner, unit: Unit, data: Blocks, rng: random.Random) -> Sample[Any]:
    return read_units(learner, unit, data, rng).records()


def _plant(name: str, mistake: str, most: int, reading: Any) -> Plant:
    broken = exponential(EPSILON, most, reading)
    return Plant(f"units_{name}", mistake, is_private, HONEST[most], broken)


HONEST = {most: exponential(EPSILON, most) for most in (1, 2)}
PLANTS = [
    _plant("counted_in_each_batch", "Each batch keeps up to k records of a unit.", 1,
           keeping(counted_in_each_batch)),
    _plant("distinct_records", "Up to k distinct records are kept of a unit, each with all copies.",
           1, keeping(distinct_records)),
    _plant("so_many_in_all", "Up to k records a unit are kept on average, and not of each.", 2,
           keeping(so_many_in_all)),
    _plant("confirmed_by_others", "Records that another unit has too are kept first.", 1,
           keeping(confirmed_by_others)),
    _plant("full_units", "Units with fewer than k records are left out, and n tells how many.", 2,
           keeping(full_units)),
    _plant("unpadded", "Void places are left out, and n tells how many records there are.", 2,
           unpadded),
    Plant(
        "units_whole_budget_a_record",
        "Each of the k records has all of epsilon.",
        is_private,
        HONEST[2],
        replace(exponential(2 * EPSILON, 2), event=Claim(EPSILON)),
    ),
]  # fmt: skip
