"""With a unit the number of records is private: whatever is seen from outside goes by the places."""

from __future__ import annotations

from typing import Any

import numpy as np
import polars
import pytest

from littlestone.classes import parse_class
from littlestone.classes.cell_counts import Coded
from littlestone.data import Label
from littlestone.domains import Product, Strings
from littlestone.learners.vocabulary import listed
from littlestone.planning.records import enough
from littlestone.privacy import Budget
from littlestone.privacy.ledger import Ledger
from littlestone.privacy.randomness import seeded_generator
from littlestone.sample import Sample
from littlestone.tasks import Task
from littlestone.units import Unit
from planting import Fault, turns_red

TREES = "trees(age: 0..80 step 20, sex in {F, M}; depth 2)"
MOST = 3
FEW, MANY = 1, 3
"""Records of each unit, of `MOST` places."""


def task_of(budget: Budget) -> Task:
    return Task.declared(Label.parse("sick", 1), TREES, budget, unit="who", max_records=MOST)


def table(units: int, of_each: int) -> Any:
    rows = units * of_each
    return polars.DataFrame(
        {
            "who": [i % units for i in range(rows)],
            "age": [i % 81 for i in range(rows)],
            "sex": ["FM"[i % 2] for i in range(rows)],
            "sick": [i % 2 for i in range(rows)],
        }
    )


def test_the_learner_goes_by_the_places() -> None:
    task = task_of(Budget(3))
    units = (
        enough(task.learner) // MOST + 1
    )  # so many places are enough, and so many records are not
    mechanisms = set()
    for of_each in (FEW, MANY):
        sample = task.read(task.open(table(units, of_each), "d").table, rng=seeded_generator(1))
        assert (sample.records().n, sample.n) == (units * of_each, units * MOST)
        with Ledger() as ledger:
            rng = seeded_generator(1)
            told = task.fit(sample, ledger=ledger, dataset="d", rng=rng)
            mechanisms.add((told.mechanism, told.accuracy))
    assert len(mechanisms) == 1


def test_hints_and_the_shape_of_a_table_go_by_the_places() -> None:
    """At these deltas a hint comes for the places, and would not come for the records."""
    task = Task.declared(
        Label.parse("sick", 1), "points(who2)", Budget(1, "0.02"), unit="who", max_records=MOST
    )
    told = []
    for of_each in (FEW, MANY):
        frame = table(40, of_each).with_columns(who2=polars.col("age").cast(polars.String))
        with Ledger() as ledger:
            data = task.open(frame, "d")
            _, hint = task.read_noted(data, ledger, rng=seeded_generator(1))
            other = task.open(frame, "another")
            _, lookalike = task.read_noted(other, ledger, rng=seeded_generator(1))
            told.append((hint, lookalike, ledger.seen("third", columns=frame.columns, n=40 * MOST)))
    assert told[0] == told[1]


class Watched:
    """The numbers that a fit asks a learner and its class about, before the spend."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, learner: Any) -> None:
        self.found: list[int] = []
        monkeypatch.setattr(type(learner), "require_affordable", lambda _, n: self.found.append(n))
        monkeypatch.setattr(type(learner.hypotheses), "load", lambda _, n: self.found.append(n))


def test_refusals_and_loading_go_by_the_places() -> None:
    learner = task_of(Budget(3)).learner
    points = list(learner.hypotheses.domain)[:4]
    for of_each in (FEW, MANY):
        counts = np.full((4, 2), of_each)
        sample = Sample[Any](learner.hypotheses.domain, points, counts, Unit("who", MOST), 8)
        with pytest.MonkeyPatch.context() as patch, Ledger() as ledger:
            watched = Watched(patch, learner)
            learner.fit(sample, ledger=ledger, dataset="d", rng=seeded_generator(1))
        assert set(watched.found) == {24}


WARDS = Product((Strings("ward"), Strings("sex")))


TWO = parse_class("direct_sum(thresholds(x, 0..3), thresholds(y, 0..3))")


def test_a_part_of_a_direct_sum_knows_the_places() -> None:
    H: Any = TWO
    for of_each in (FEW, MANY):
        counts = np.full((4, 2), of_each)
        places = [(0, 1), (0, 2), (1, 1), (1, 2)]
        records = Sample[Any](H.domain, places, counts, Unit("who", MOST), 8).records()
        assert {H._own(j, records).public_n for j in (0, 1)} == {24}


def test_every_part_of_a_sample_knows_the_places() -> None:
    closed: Any = parse_class("trees(ward in {u, v}, sex in {F, M}; depth 1)")
    points = [(ward, sex) for ward in "uv" for sex in "FM"]
    for of_each in (FEW, MANY):
        counts = np.full((4, 2), of_each)
        whole = Sample[Any](WARDS, points, counts, Unit("who", MOST), 8)
        records = whole.records()
        parts = [
            records,
            records.kept(np.array([True, False, True, False])),
            records.weighted((2, 3)),
            records.binary({1}),
            records.kept(np.array([True, False, True, False])).binary({0}),
            listed(records, closed),
        ]
        assert {part.public_n for part in parts} == {24}
        assert Coded.of(listed(records, closed), [0, 1]).n == 24


FAULTS = [
    Fault(
        "littlestone.tasks:Task.fit",
        "self.for_records(sample.n)",
        "self.for_records(sample.records().n)",
        "the learner is chosen by the number of records",
    ),
    Fault(
        "littlestone.tasks:Task.read_noted",
        "n=sample.n)",
        "n=sample.records().n)",
        "the ledger notes the number of records",
    ),
    Fault(
        "littlestone.tasks:Task.read_noted",
        "self.useless_delta(sample.n)",
        "self.useless_delta(sample.records().n)",
        "a hint speaks of the number of records",
    ),
    Fault(
        "littlestone.learners.base:PrivateLearner.fit",
        "self.require_affordable(sample.n)",
        "self.require_affordable(sample.records().n)",
        "a fit is refused by the number of records",
    ),
    Fault(
        "littlestone.learners.base:PrivateLearner.fit",
        "self.load(sample.n)",
        "self.load(sample.records().n)",
        "a counter is loaded by the number of records",
    ),
    Fault(
        "littlestone.learners.vocabulary:listed",
        ", whole_n=sample.public_n",
        "",
        "the listed sample forgets the places",
    ),
    Fault(
        "littlestone.sample:Sample.of",
        ", whole_n=self.public_n",
        "",
        "a part forgets the places",
    ),
    Fault(
        "littlestone.sample:Sample.binary",
        "self.of(self",
        "type(self)(self.domain, self",
        "a sample of one bit forgets the places",
    ),
    Fault(
        "littlestone.classes.cell_counts:Coded.of",
        "sample.public_n",
        "sample.n",
        "the counter is chosen by the number of records",
    ),
    Fault(
        "littlestone.classes.direct_sum:DirectSumClass._own",
        ", whole_n=sample.public_n",
        "",
        "a part of a direct sum forgets the places",
    ),
]
TESTS = {
    "Task.fit": test_the_learner_goes_by_the_places,
    "Task.read_noted": test_hints_and_the_shape_of_a_table_go_by_the_places,
    "DirectSumClass._own": test_a_part_of_a_direct_sum_knows_the_places,
    "PrivateLearner.fit": test_refusals_and_loading_go_by_the_places,
}


@pytest.mark.parametrize("fault", FAULTS, ids=lambda fault: fault.mistake)
def test_each_fault_turns_red(fault: Fault, monkeypatch: pytest.MonkeyPatch) -> None:
    place = fault.place.split(":")[1]
    turns_red(fault, TESTS.get(place, test_every_part_of_a_sample_knows_the_places), monkeypatch)
