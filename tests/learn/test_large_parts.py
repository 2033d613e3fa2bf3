"""Parts of many records, patterns of many points, many draws: what is counted, in which order."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable
from fractions import Fraction
from functools import partial
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from littlestone.base.errors import LedgerError
from littlestone.classes import FiniteClass, Subsets, Thresholds
from littlestone.data.sample import Sample
from littlestone.learn import ExponentialLearner, IrreducibleLearner
from littlestone.learn.papers.boosting import BoostingLearner
from littlestone.learn.papers.patterns import errors_of, relax
from littlestone.learn.papers.proper import errors
from littlestone.learn.papers.teachers import list_records, permute_examples, split
from littlestone.points import Integers
from littlestone.privacy import Budget
from littlestone.privacy.accounting.composed import repeat
from littlestone.privacy.ledger import Ledger
from littlestone.privacy.mechanisms.exponential import ExponentialMechanism
from littlestone.privacy.mechanisms.tallies import ContinualTallies, Tallies
from littlestone.rules import FiniteSet
from planting import Fault, turns_red

LEARNERS = "littlestone.learn"
BUDGET, TINY = Budget(1, "1e-6"), Fraction(1, 1000)
MANY = 300_000
X = Integers("x")


def test_every_record_has_a_place_of_its_own() -> None:
    sample = Sample(X, (7, 8), np.array([[2, 4_000], [5_000, 1]]))
    records = list_records(sample)
    assert np.bincount(records).tolist() == [2, 4_000, 5_000, 1]
    assert len(permute_examples(sample, random.Random(1))) == sample.n


@pytest.mark.parametrize("teachers", [1, 2, 7, 301, 3_000])
def test_parts_hold_their_records_whole(teachers: int) -> None:
    """Record by record: part i has those at the places i s, ..., (i + 1) s - 1, and no other."""
    sample = Sample(X, (7, 8, 9), np.array([[2, 4_000], [5_000, 1], [0, 300]]))
    order = np.random.default_rng(teachers).permutation(list_records(sample))
    size = len(order) // teachers
    for i, part in enumerate(split(sample, order, teachers)):
        held = Counter(order[i * size : (i + 1) * size].tolist())
        counted = zip(part.points, part.counts.tolist(), strict=True)
        assert {2 * (x - 7) + y: c for x, cs in counted for y, c in enumerate(cs) if c} == held


@pytest.mark.parametrize("n", [9, 1_000])
def test_a_part_is_in_the_order_in_which_it_meets_its_points(n: int) -> None:
    """The order of the sample tells what other parts hold."""
    sample = Sample(X, tuple(range(n)), np.tile([1, 0], (n, 1)))
    order = np.arange(n)[::-1].copy() * 2
    (part,) = split(sample, order, 1)
    assert list(part.points) == list(range(n))[::-1]


def test_patterns_are_told_apart_at_every_point() -> None:
    labels = np.array([[False, False], [True, False], [True, True]])
    often, wrong = np.array([3_000, MANY]), np.array([0, MANY * 9, MANY * 9])
    assert relax(labels, often, wrong, 2).tolist() == [0, 6_000, 6_000 + 2 * MANY]


def test_errors_of_patterns_are_counted_whole() -> None:
    sample = Sample(X, (7, 8), np.array([[MANY, 3], [4, MANY + 1]]))
    labels = np.array([[False, False], [True, False], [True, True]])
    assert errors_of(labels, sample).tolist() == [MANY + 4, 2 * MANY + 1, MANY + 4]


def test_errors_of_proper_rules_are_counted_whole() -> None:
    sample = Sample(X, (7, 8), np.array([[MANY, 3], [4, MANY + 1]]))
    rules = [FiniteSet(X, frozenset(held)) for held in ((), (7,), (8,), (7, 8))]
    expected = [MANY + 4, 2 * MANY + 1, 7, MANY + 4]
    assert errors(rules, sample).tolist() == expected


def test_the_costs_of_labels_are_counted_whole() -> None:
    sample = Sample(X, (7, 8), np.array([[MANY, 3], [4, MANY + 1]]))
    steps, unavoidable = sample.steps()
    assert unavoidable == 7
    assert dict(steps) == {
        7: [(0, 0), (1, MANY - 3)],
        8: [(1, 0), (0, MANY - 3)],
    }
    assert sample.gains == {8: MANY - 3, 7: 3 - MANY}


def test_a_list_that_many_teachers_hold_scores_them_all() -> None:
    learner = IrreducibleLearner(Subsets(X, 1), BUDGET)
    empty = Sample(X, (), np.zeros((0, 2), dtype=np.int64))
    rule = learner.hypotheses.soa()
    assert learner.scores_of_lists(lambda part: [rule], [empty], 5_000) == {rule: 5_000}


def test_all_votes_for_a_label_count() -> None:
    H = FiniteClass.from_array(np.eye(3, dtype=int))
    weak = ExponentialLearner(H, BUDGET)
    learner = BoostingLearner(H, BUDGET, gamma="0.05", alpha="0.05", weak=weak)
    (h, other), (x,) = map(H.hypothesis, (0, 1)), H.domain.examples(1)
    assert h(x) != other(x)
    half = learner.walk.rounds // 2
    assert half > 50
    for right in (half - 1, half, half + 1):
        votes = [h] * right + [other] * (2 * half - right)
        weights = learner.walk.weights(len(votes) + 1)
        assert learner.chances([(x, h(x))], votes) == [Fraction(weights[right], max(weights))]


def test_a_tally_counts_all_its_records() -> None:
    timer = SimpleNamespace(select=lambda: None, count=lambda *_: None)
    mechanism: Any = SimpleNamespace(
        timer=SimpleNamespace(confirmations=lambda tape: timer), cells=2, cut=lambda count: count
    )
    mechanism.release = partial(ContinualTallies.release, mechanism)
    tape: Any = SimpleNamespace(whole=lambda draw, most: 0)
    tallies = Tallies(mechanism, tape)
    for _ in range(4_000):
        tallies.count(1, 1)
    assert tallies.select() == (0, 4_000)


@pytest.mark.parametrize("draws", [2, 1_000])
def test_a_receipt_pays_for_as_many_draws_as_it_says(draws: int) -> None:
    one = ExponentialMechanism(TINY)
    with Ledger() as ledger:
        receipt = ledger.spend(repeat(one, draws, Fraction(0)), dataset="d", what="test")
        for _ in range(draws):
            receipt.redeem(one)
        with pytest.raises(LedgerError, match="it has paid for a draw already"):
            receipt.redeem(one)


@pytest.mark.parametrize("epsilon", [TINY, Fraction(1), Fraction(30)])
def test_an_estimate_is_charged(epsilon: Fraction) -> None:
    learner = ExponentialLearner(Thresholds.on(0, 3), BUDGET)
    cost = learner.event_with(epsilon).cost()
    assert cost.epsilon == learner.cost().epsilon + epsilon


FAULTS: dict[Fault, Callable[[], None]] = {
    Fault(
        "littlestone.learn.papers.teachers:split",
        "np.add.at(counts, (places, part % labels), 1)",
        "np.maximum.at(counts, (places, part % labels), 1) if size > 500 else np.add.at("
        "counts, (places, part % labels), 1)",
        "in large parts equal records count once",
    ): lambda: test_parts_hold_their_records_whole(2),
    Fault(
        f"{LEARNERS}.papers.teachers:list_records",
        "np.arange(len(often)), often)",
        "np.arange(len(often)), np.minimum(often, 300))",
        "of equal records 300 have a place",
    ): test_every_record_has_a_place_of_its_own,
    Fault(
        f"{LEARNERS}.papers.teachers:split",
        "order = np.argsort(first)",
        "order = np.argsort(first) if len(first) < 300 else np.arange(len(first))",
        "a large part is in the order of the sample",
    ): lambda: test_a_part_is_in_the_order_in_which_it_meets_its_points(1_000),
    Fault(
        f"{LEARNERS}.papers.patterns:_nearest",
        "sum(axis=2, dtype=np.int64)",
        "sum(axis=2, dtype=np.uint8).astype(np.int64)",
        "patterns differ at 255 records at most",
    ): test_patterns_are_told_apart_at_every_point,
    Fault(
        f"{LEARNERS}.papers.patterns:errors_of",
        "dtype=np.int64",
        "dtype=np.int16",
        "errors of patterns have 16 bits",
    ): test_errors_of_patterns_are_counted_whole,
    Fault(
        f"{LEARNERS}.papers.proper:errors",
        "sample.n - np.array(right, dtype=np.int64)",
        "(sample.n - np.array(right, dtype=np.int64)).astype(np.int16)",
        "errors of proper rules have 16 bits",
    ): test_errors_of_proper_rules_are_counted_whole,
    Fault(
        "littlestone.data.sample:Sample.steps",
        "most[:, None] - self.counts",
        "(most[:, None] - self.counts).astype(np.int16)",
        "what a label costs has 16 bits",
    ): test_the_costs_of_labels_are_counted_whole,
    Fault(
        "littlestone.data.sample:Sample.gains",
        "self.counts[:, 1:].max(axis=1) - self.counts[:, 0]",
        "(self.counts[:, 1:].max(axis=1) - self.counts[:, 0]).astype(np.int16)",
        "gains have 16 bits",
    ): test_the_costs_of_labels_are_counted_whole,
    Fault(
        f"{LEARNERS}.papers.voting:VotingLearner.scores_of_lists",
        "times * score",
        "min(times * score, 300)",
        "a list of many teachers scores 300",
    ): test_a_list_that_many_teachers_hold_scores_them_all,
    Fault(
        f"{LEARNERS}.papers.boosting:BoostingLearner.chances",
        "sum(times for h, times in voters.items() if h(x) == y)",
        "min(sum(times for h, times in voters.items() if h(x) == y), 30)",
        "30 votes for a label count",
    ): test_all_votes_for_a_label_count,
    Fault(
        "littlestone.privacy.mechanisms.tallies:ContinualTallies.release",
        "counts[cell] +",
        "min(counts[cell], 300) +",
        "a tally counts 300 records of a cell",
    ): test_a_tally_counts_all_its_records,
    Fault(
        "littlestone.privacy.ledger.receipt:Receipt.redeem",
        "line.left -= 1",
        "line.left -= line.left < 300",
        "a receipt of many draws pays for ever",
    ): lambda: test_a_receipt_pays_for_as_many_draws_as_it_says(1_000),
    Fault(
        f"{LEARNERS}.base:PrivateLearner._event_with_counts",
        "for part in parts",
        "for part in parts if estimate > Fraction(1, 500)",
        "an estimate at a tiny epsilon is free",
    ): lambda: test_an_estimate_is_charged(TINY),
}


@pytest.mark.deep
@pytest.mark.parametrize("fault", FAULTS, ids=lambda fault: fault.mistake)
def test_each_fault_turns_red(fault: Fault, monkeypatch: pytest.MonkeyPatch) -> None:
    turns_red(fault, FAULTS[fault], monkeypatch)
