"""With a unit the number of records is private: whatever is seen from outside goes by the places."""

from __future__ import annotations

from typing import Any

import numpy as np
import polars
import pytest

from declaring import choose_task
from littlestone.data import Label
from littlestone.data.sample import Sample
from littlestone.learn.declared.task import Task
from littlestone.learn.plan.missed import enough
from littlestone.points.units import Unit
from littlestone.privacy import Budget
from littlestone.privacy.ledger import Ledger
from littlestone.privacy.randomness import seeded_generator
from planting import Fault, turns_red

TREES = "trees(age: 0..80 step 20, sex in {F, M}; depth 2)"
MOST = 3
FEW, MANY = 1, 3
"""Records of each unit, of `MOST` places."""


def task_of(budget: Budget) -> Task:
    return choose_task(Label.parse("sick", 1), TREES, budget, unit="who", max_records=MOST)


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
        sample = task.declaration.read(
            task.declaration.open(table(units, of_each), "d").table, rng=seeded_generator(1)
        )
        assert (sample.records().n, sample.n) == (units * of_each, units * MOST)
        with Ledger() as ledger:
            rng = seeded_generator(1)
            told = task.fit(sample, ledger=ledger, dataset="d", rng=rng)
            mechanisms.add((told.mechanism, told.accuracy))
    assert len(mechanisms) == 1


def test_hints_and_the_shape_of_a_table_go_by_the_places() -> None:
    """At these deltas a hint comes for the places, and would not come for the records."""
    task = choose_task(
        Label.parse("sick", 1), "points(who2)", Budget(1, "0.02"), unit="who", max_records=MOST
    )
    told = []
    for of_each in (FEW, MANY):
        frame = table(40, of_each).with_columns(who2=polars.col("age").cast(polars.String))
        with Ledger() as ledger:
            data = task.declaration.open(frame, "d")
            _, hint = task.read_noted(data, ledger, rng=seeded_generator(1))
            other = task.declaration.open(frame, "another")
            _, lookalike = task.read_noted(other, ledger, rng=seeded_generator(1))
            told.append(
                (hint, lookalike, ledger.note_shape("third", columns=frame.columns, n=40 * MOST))
            )
    assert told[0] == told[1]


def test_refusals_go_by_the_places() -> None:
    learner, found = task_of(Budget(3)).learner, list[int]()
    points = list(learner.hypotheses.domain)[:4]
    for of_each in (FEW, MANY):
        counts = np.full((4, 2), of_each)
        sample = Sample[Any](learner.hypotheses.domain, points, counts, Unit("who", MOST), 8)
        with pytest.MonkeyPatch.context() as patch, Ledger() as ledger:
            patch.setattr(type(learner), "require_affordable", lambda _, n: found.append(n))
            learner.fit(sample, ledger=ledger, dataset="d", rng=seeded_generator(1))
    assert set(found) == {24}


FAULTS = [
    Fault(
        "littlestone.learn.declared.task:Task.fit",
        "self.for_records(sample.n)",
        "self.for_records(sample.records().n)",
        "the learner is chosen by the number of records",
    ),
    Fault(
        "littlestone.learn.declared.task:Task.read_noted",
        "n=sample.n)",
        "n=sample.records().n)",
        "the ledger notes the number of records",
    ),
    Fault(
        "littlestone.learn.declared.task:Task.read_noted",
        "self.hints(sample.n)",
        "self.hints(sample.records().n)",
        "a hint speaks of the number of records",
    ),
    Fault(
        "littlestone.learn.base:PrivateLearner.fit",
        "self.require_affordable(sample.n)",
        "self.require_affordable(sample.records().n)",
        "a fit is refused by the number of records",
    ),
]
TESTS = {
    "Task.fit": test_the_learner_goes_by_the_places,
    "Task.read_noted": test_hints_and_the_shape_of_a_table_go_by_the_places,
    "PrivateLearner.fit": test_refusals_go_by_the_places,
}


@pytest.mark.deep
@pytest.mark.parametrize("fault", FAULTS, ids=lambda fault: fault.mistake)
def test_each_fault_turns_red(fault: Fault, monkeypatch: pytest.MonkeyPatch) -> None:
    turns_red(fault, TESTS[fault.place.split(":")[1]], monkeypatch)
