"""The steps of a score sheet on all neighbours, by replaying its own code."""

from typing import Any

import pytest
from plants.score_sheet import hides_a_record, learner_of, tables
from plants.tree_sheet import SETTINGS, lost

from littlestone.classes import parse_class
from littlestone.privacy.cost import Budget

pytestmark = pytest.mark.deep

CLASSES = [
    "score_sheet(age: 0..80 step 40; at most 1)",
    "score_sheet(age: 0..80 step 40, sex in {F}, ward in {A}; at most 3, points 3)",
    "score_sheet(sex in {F}, ward in {A}, unit in {B}, day in {1}; at most 2)",
    "trees(age: 0..80 step 40, sex in {F}, ward in {A}; depth 2)",
    "trees(age: 0..80 step 40, sex in {F}, ward in {A}; depth 1 to 3)",
]


@pytest.mark.parametrize("delta", ["0", "1e-6"])
@pytest.mark.parametrize("epsilon", ["0.1", "30"])
@pytest.mark.parametrize("text", CLASSES)
def test_each_step_hides_a_record(text: str, epsilon: str, delta: str) -> None:
    for table in tables(text):
        assert hides_a_record(text, Budget(epsilon, delta), table)


@pytest.mark.parametrize("delta", ["0", "1e-6"])
def test_each_step_hides_a_record_among_300_000(delta: str) -> None:
    for table in tables(CLASSES[1]):
        assert hides_a_record(CLASSES[1], Budget(1, delta), table, times=500)


@pytest.mark.parametrize("delta", ["0", "1e-6"])
def test_each_step_hides_a_record_where_labels_are_kept(delta: str) -> None:
    learner = learner_of(parse_class(CLASSES[3]), Budget(4, delta), 100)
    assert (learner.few, learner.keep) == (False, True)
    for table in tables(CLASSES[3]):
        assert hides_a_record(CLASSES[3], Budget(4, delta), table, n=100)


@pytest.mark.parametrize("setting", SETTINGS, ids=str)
def test_a_tree_and_its_sums_spend_their_budget_and_no_more(setting: tuple[Any, ...]) -> None:
    """The upper bound is privacy; the lower one says that the audit would see a little more."""
    epsilon, delta, n, cost = setting
    assert 0.3 < lost(Budget(epsilon, delta), n, cost) <= 1 + 1e-9
