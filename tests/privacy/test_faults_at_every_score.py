"""Faults that show only at large numbers or a tiny epsilon, each with the test that it turns red."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
import test_every_score as every

from littlestone.privacy.mechanisms.partition_selection import PartitionSelection
from planting import Fault, turns_red

MECHANISMS = "littlestone.privacy.mechanisms"
FAULTS: list[tuple[Fault, Callable[..., Any], tuple[object, ...]]] = [
    (
        Fault(
            f"{MECHANISMS}.label_selection:LabelSelection.weight",
            "known[last] = int(max(after, early))",
            "known[last] = int(max(after, early)) + (last > 1000) * (one >> 6)",
            "beyond 1,000 records each one weighs 1/64 more",
        ),
        every.test_a_record_moves_the_weight_of_a_label_as_far_as_the_proof_allows,
        (every.TINY,),
    ),
    (
        Fault(
            f"{MECHANISMS}.partition_selection:ReleaseCurve._numerator",
            "while top < score and known[top] < one:",
            "while top < min(score, 4000) and known[top] < one:",
            "the curve ends at 4,000 records",
        ),
        every.test_a_replaced_label_moves_the_chance_of_a_key_as_far_as_claimed,
        (PartitionSelection, every.TINY),
    ),
    (
        Fault(
            f"{MECHANISMS}.partition_selection:KeyRelease._keys_that_fire",
            "self.curve(score)",
            "self.curve(score) if score <= 300 else Fraction(1)",
            "a key of more than 300 records is certain to fire",
        ),
        every.test_a_key_fires_as_often_as_its_curve_says,
        (PartitionSelection, every.TINY),
    ),
    (
        Fault(
            f"{MECHANISMS}.threshold_tests:Session.test",
            "above is not self._hits_below",
            "above is not self._hits_below and self._left <= 100",
            "while more than 100 hits are left none is counted",
        ),
        every.test_a_session_ends_with_its_last_hit,
        (False,),
    ),
    (
        Fault(
            f"{MECHANISMS}.partition_selection:RestSelection._all",
            "power(-rest)",
            "power(min(-rest, 500))",
            "a rest with more than 500 negatives counts as 500",
        ),
        every.test_all_keys_are_released_as_often_as_said_whatever_the_rest,
        (every.EPSILONS[0],),
    ),
    (
        Fault(
            f"{MECHANISMS}.above_threshold:SparseVector.begin",
            "discrete_laplace(threshold_noise, rng)",
            "discrete_laplace(threshold_noise, rng) if self.hits <= 20 else 0",
            "the threshold of more than 20 hits has no noise",
        ),
        every.test_a_threshold_has_noise_however_many_hits,
        (False,),
    ),
    (
        Fault(
            f"{MECHANISMS}.exponential:ExponentialMechanism.base",
            "(2 * self.sensitivity)",
            "((2 if self.sensitivity < 1000 else 1) * self.sensitivity)",
            "costs of 1,000 or more pay half",
        ),
        every.test_all_that_is_declared_is_paid_for,
        (every.EPSILONS[1],),
    ),
    (
        Fault(
            f"{MECHANISMS}.partition_selection:StableHistogram.threshold",
            "max(2, 1 + self._exponent(self.delta))",
            "min(3000, max(2, 1 + self._exponent(self.delta)))",
            "no threshold is above 3,000",
        ),
        every.test_all_that_is_declared_is_paid_for,
        (every.EPSILONS[0],),
    ),
    (
        Fault(
            f"{MECHANISMS}.choosing:ChoosingMechanism.scores",
            "self.growth if label else None",
            "self.growth if label and len(each) <= 100 else None",
            "a record that is covered by over 100 brings them all",
        ),
        every.test_a_record_brings_no_more_than_is_declared,
        (2,),
    ),
    (
        Fault(
            "littlestone.privacy.ledger.counts:spending",
            "times * cost.epsilon",
            "min(times, 1000) * cost.epsilon",
            "of equal spends 1,000 count",
        ),
        lambda: [
            every.test_a_total_is_what_the_worst_position_has_paid(seed) for seed in range(12)
        ],
        (),
    ),
    (
        Fault(
            f"{MECHANISMS}.above_threshold:AboveThreshold.query_epsilon",
            "ratio, self.hits, bits",
            "ratio, min(self.hits, 50), bits",
            "more than 50 hits are paid as 50",
        ),
        every.test_more_hits_leave_less_for_each,
        (),
    ),
    (
        Fault(
            f"{MECHANISMS}.label_selection:LabelSelection._winners",
            "np.repeat(of_best, own + 1)",
            "np.repeat(np.minimum(of_best, 300), own + 1)",
            "the best label has 300 records at most",
        ),
        every.test_labels_race_against_the_best_however_many,
        (),
    ),
    (
        Fault(
            f"{MECHANISMS}.partition_selection:RestSelection._release",
            "for key in released)",
            "for key in released[:100])",
            "of over 100 released keys the rest keeps some",
        ),
        every.test_the_rest_is_all_that_is_not_released_however_many_keys,
        (),
    ),
    (
        Fault(
            f"{MECHANISMS}.partition_selection:StableHistogram.release",
            "if count >= self.threshold",
            "if count >= min(self.threshold, 500)",
            "keys are released from 500 on",
        ),
        every.test_a_key_is_released_from_its_threshold_on,
        (every.TINY,),
    ),
    (
        Fault(
            "littlestone.privacy.ledger.rows:entry_costs",
            "cost, times))",
            "cost, min(times, 500)))",
            "of equal entries 500 count",
        ),
        every.test_each_of_many_equal_spends_counts,
        (),
    ),
    (
        Fault(
            "littlestone.privacy.accounting.groups:growth",
            "if epsilon == 0",
            "if epsilon < Fraction(1, 500)",
            "at a tiny epsilon delta grows by k",
        ),
        every.test_a_unit_costs_what_its_records_cost_one_after_another,
        (every.EPSILONS[0],),
    ),
    (
        Fault(
            "littlestone.privacy.accounting.groups:UnitEvent.guarantee",
            "k**2 * one.rho",
            "(k**2 if k <= 50 else k) * one.rho",
            "for over 50 records rho grows by their number",
        ),
        every.test_a_unit_costs_what_its_records_cost_one_after_another,
        (every.EPSILONS[1],),
    ),
]


@pytest.mark.deep
@pytest.mark.parametrize(
    ("fault", "test", "given"), FAULTS, ids=lambda one: getattr(one, "mistake", "")
)
def test_each_fault_turns_red(
    fault: Fault,
    test: Callable[..., Any],
    given: tuple[object, ...],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    turns_red(fault, test, monkeypatch, *given)
