"""Streams of many steps, keys and records, thresholds of many hits, and votes of many voters."""

from __future__ import annotations

import random
from collections.abc import Callable
from fractions import Fraction
from heapq import heappush
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from littlestone.learn.results.risks import StreamRisks
from littlestone.points import Reals
from littlestone.privacy import Budget
from littlestone.privacy.accounting.subsampled import InBlocks, OwnLabels
from littlestone.privacy.cost import PrivacyCost
from littlestone.privacy.mechanisms import label_selection, partition_selection
from littlestone.privacy.mechanisms.above_threshold import SparseVector
from littlestone.privacy.mechanisms.competition import (
    Competition,
    Epoch,
    Terms,
    next_changing_hit,
    next_hit,
)
from littlestone.privacy.mechanisms.confirmation import ContinualConfirmation
from littlestone.privacy.mechanisms.continual_selection import (
    ContinualKeySelection,
    ContinualSelection,
    SoloCompetitions,
)
from littlestone.privacy.mechanisms.exponential import ExponentialMechanism
from littlestone.privacy.mechanisms.label_selection import LabelSelection
from littlestone.privacy.mechanisms.partition_selection import RestSelection
from littlestone.privacy.mechanisms.threshold_tests import OneSidedThreshold
from littlestone.privacy.rational import exp_below
from littlestone.privacy.samplers.reals import Real
from littlestone.privacy.tape import Tape
from littlestone.rules import StepFunction
from planting import Fault, turns_red

MECHANISMS = "littlestone.privacy.mechanisms"
RISKS = "littlestone.learn.results.risks"
BUDGET, TINY = Budget(1, "1e-6"), Fraction(1, 1000)
HORIZON = 200_000
NEVER, ALWAYS = Real.of(Fraction(1)), Real.of(Fraction(0))


TWO = StepFunction.threshold(Reals(), 5), StepFunction.threshold(Reals(), 7)


def tape() -> Tape:
    return Tape(random.Random(1))


def test_a_wait_ends_at_the_horizon_or_not_at_all() -> None:
    for last in (9, HORIZON):
        assert next_hit(NEVER, 3, last, tape()) == last + 1
        assert next_hit(ALWAYS, last, last, tape()) == last


def test_a_wait_goes_through_all_periods() -> None:
    for length in (5, 5_000):
        pieces = [(NEVER, length), (NEVER, 2 * length), (NEVER, 4 * length), (ALWAYS, HORIZON)]
        assert next_changing_hit(iter(pieces), 1, HORIZON, tape()) == 4 * length + 1


def quiet_of(mechanism: OneSidedThreshold) -> float:
    """The chance of no hit at the first step that the mechanism waits with."""
    found: list[Real] = []

    def noted(quiet: Real, *_: object) -> int:
        found.append(quiet)
        return 1

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(f"{MECHANISMS}.threshold_tests.next_hit", noted)
        mechanism._time_epoch(0, 0, 1, tape(), None)
    return found[0].enclose(96)[0] / 2**96


def test_a_hit_far_off_is_as_rare_as_said() -> None:
    for gap in (20, 299, 301, 5_000):
        one_sided = OneSidedThreshold(epsilon=TINY, threshold=gap, horizon=HORIZON)
        expected = 1 - float(one_sided.shrink) ** gap
        assert quiet_of(one_sided) == pytest.approx(expected, rel=1e-9)
        confirmed = ContinualConfirmation(
            skip_epsilon=TINY, test_epsilon=TINY, threshold=20, warm=16, keys=1, horizon=HORIZON
        )
        low, high = confirmed.quiet(gap).enclose(96)
        assert low / 2**96 == pytest.approx(expected, rel=1e-9)
        assert high / 2**96 == pytest.approx(expected, rel=1e-9)


def test_a_weight_grows_with_every_record() -> None:
    terms = Terms(1, False, Fraction(1, 2), exp_below(TINY), Fraction(1, 10**6))
    for score in (1, 300, 301, 4_000):
        assert terms.weight(score) == terms.first * terms.base ** (score - 1)


@pytest.mark.parametrize("horizon", [30, HORIZON])
def test_all_steps_together_spend_delta(horizon: int) -> None:
    keys = ContinualKeySelection[str].within(BUDGET, horizon=horizon)
    assert horizon * keys.terms.first * (1 - keys.skip) <= BUDGET.delta
    for growth in (1, 4, 20):
        mechanism = ContinualSelection[str](budget=BUDGET, horizon=horizon, growth=growth)
        for shared in (False, True):
            terms = mechanism.terms(growth, shared=shared)
            skip, base = terms.skip, terms.base
            share = (1 - skip) / (1 - skip / base) if shared else 1 - skip
            assert horizon * growth * terms.first * share <= BUDGET.delta


@pytest.mark.parametrize("step", [2, 5_000])
def test_a_record_names_at_most_the_growth(step: int) -> None:
    terms = Terms(3, True, Fraction(1, 2), Fraction(2), Fraction(1, 10**6))
    run = Competition[int](terms, HORIZON, tape())
    run.count(step, range(50))
    assert list(run._records) == [0, 1, 2]


@pytest.mark.parametrize("keys", [3, 400])
def test_keys_that_fall_due_together_are_shuffled(keys: int) -> None:
    drawn: list[int] = []

    def backwards(draw: object, allowed: Callable[[list[int]], bool]) -> list[int]:
        order = list(range(keys))[::-1]
        assert allowed(order)
        drawn.append(len(order))
        return order

    shuffler: Any = SimpleNamespace(draw=backwards)
    terms = Terms(1, False, Fraction(1, 2), Fraction(2), Fraction(1, 10**6))
    run = SoloCompetitions[int](terms, HORIZON, shuffler)
    for key in range(keys):
        run._epochs[key] = due = Epoch(0, 1, 7)
        heappush(run._calendar, (7, key, key, due))
    assert run.select() == frozenset(range(keys))
    assert drawn == [keys]


@pytest.mark.parametrize("hits", [1, 64, 500])
@pytest.mark.parametrize("monotone", [False, True])
def test_each_hit_has_its_share_of_epsilon(hits: int, monotone: bool) -> None:
    mechanism = SparseVector(
        threshold_epsilon=TINY, query_epsilon=TINY, threshold=0, hits=hits, monotone=monotone
    )
    moves = hits if monotone else 2 * hits
    assert mechanism.noises() == (1 / exp_below(TINY), 1 / exp_below(TINY / moves))


def test_the_rest_of_the_keys_is_counted_whole() -> None:
    mechanism, asked = RestSelection[int](BUDGET), list[int]()

    def all_of(self: object, rest: int, rng: object) -> bool:
        asked.append(rest)
        return False

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(RestSelection, "_all", all_of)
        mechanism._release({1: 5_000, 2: -1_000, 3: -70_000}, random.Random(1))
    assert asked == [-71_000]


@pytest.mark.parametrize("keys", [3, 400])
def test_a_set_beside_the_rest_is_filled_in_a_random_order(keys: int) -> None:
    found = list[int]()

    def note(items: list[int], rng: object) -> list[int]:
        found.append(len(items))
        return items

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(RestSelection, "_all", lambda *_: False)
        patch.setattr(partition_selection, "shuffle", note)
        RestSelection[int](BUDGET)._release(dict.fromkeys(range(keys), 5_000), random.Random(1))
    assert found == [keys]


@pytest.mark.parametrize("labels", [2, 400])
def test_all_labels_of_a_key_and_the_default_race(labels: int) -> None:
    counts, found = np.full(labels, 10), list[Any]()

    def race(*given: Any) -> Any:
        found.append(given)
        return np.zeros(1, int)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(label_selection, "permute_and_flip", race)
        patch.setattr(LabelSelection, "_coin", lambda _, count, most: (count, most))
        LabelSelection[int](BUDGET)._winners(np.array([labels]), counts, random.Random(1))
    ((sizes, coins, which, _),) = found
    assert sizes.tolist() == [1 + labels]  # bottom, the default and all others
    assert [coins[k] for k in which.tolist()] == [(-1, 10)] + [(10, 10)] * labels
    assert len(coins) == 2


def test_each_record_of_a_long_stream_is_in_one_table_of_its_risks() -> None:
    """Blocks of 2,000, 4,000 and 8,000 records; a new rule ends one early, the horizon another."""
    rng = random.Random(1)
    drawn: list[list[int]] = []

    def draw(counts: list[int], *, receipt: object) -> list[int]:
        drawn.append(counts)
        return counts

    mechanism: Any = SimpleNamespace(epsilon=Fraction(1, 20), draw=draw)
    receipt: Any = None
    risks = StreamRisks(InBlocks(mechanism, 15, 2_000), 39_999, receipt)
    first, second = TWO
    true, taken = [0] * 4, 0
    ends = {2_000: first, 6_000: first, 12_000: second, 16_000: second, 24_000: second}
    for t in range(1, 41_000):
        rule = first if t <= 10_000 else second
        if t == 10_001:
            true = [0] * 4
        x, y = rng.randrange(10), rng.randrange(2)
        risks.count_record(rule, x, y)
        true[2 * int(x >= (5 if rule is first else 7)) + y] += 1
        if t in ends:
            assert drawn[taken] == true
            assert risks.risks is not None
            assert risks.risks.rule is ends[t]
            true, taken = [0] * 4, taken + 1
    assert len(drawn) == taken == len(ends)


@pytest.mark.parametrize("epsilon", [TINY, Fraction(1), Fraction(30)])
def test_relabelled_records_have_their_share_of_delta(epsilon: Fraction) -> None:
    relabelling = OwnLabels(ExponentialMechanism(Fraction(1)), share=8)
    inner = PrivacyCost(epsilon, Fraction(1, 10**5))
    assert relabelling.cost(inner).delta == inner.delta / 8


FAULTS: dict[Fault, Callable[[], None]] = {
    Fault(
        f"{MECHANISMS}.competition:next_hit",
        "most=last - step)",
        "most=last - step - (last - step > 3000))",
        "late in a long stream there is always a hit",
    ): test_a_wait_ends_at_the_horizon_or_not_at_all,
    Fault(
        f"{MECHANISMS}.competition:next_changing_hit",
        "if at > horizon",
        "if at > horizon or last > 6000",
        "a hit comes when a long period begins",
    ): test_a_wait_goes_through_all_periods,
    Fault(
        f"{MECHANISMS}.threshold_tests:OneSidedThreshold._time_epoch",
        "max(0, gap)",
        "max(0, min(gap, 300))",
        "a one-sided test is as likely 5,000 records off as 300",
    ): test_a_hit_far_off_is_as_rare_as_said,
    Fault(
        f"{MECHANISMS}.confirmation:ContinualConfirmation.quiet",
        "max(0, gap)",
        "max(0, min(gap, 300))",
        "a confirmation is as likely 5,000 records off as 300",
    ): test_a_hit_far_off_is_as_rare_as_said,
    Fault(
        f"{MECHANISMS}.competition:Terms.weight",
        "(score - 1)",
        "(min(score, 300) - 1)",
        "a weight stops growing after 300 records",
    ): test_a_weight_grows_with_every_record,
    Fault(
        f"{MECHANISMS}.continual_selection:ContinualKeySelection.terms",
        "self.delta / self.horizon",
        "self.delta / min(self.horizon, 3000)",
        "keys spend delta every 3,000 steps",
    ): lambda: test_all_steps_together_spend_delta(HORIZON),
    Fault(
        f"{MECHANISMS}.continual_selection:ContinualSelection.terms",
        "self.delta / self.horizon",
        "self.delta / min(self.horizon, 3000)",
        "candidates spend delta every 3,000 steps",
    ): lambda: test_all_steps_together_spend_delta(HORIZON),
    Fault(
        f"{MECHANISMS}.continual_selection:make_terms",
        "delta / (growth * share)",
        "delta / (min(growth, 8) * share)",
        "the twentieth candidate of a record costs nothing",
    ): lambda: test_all_steps_together_spend_delta(30),
    Fault(
        f"{MECHANISMS}.competition:Competition.count",
        "[: self.terms.growth]",
        "[: self.terms.growth if step < 3000 else None]",
        "late in a stream a record names any number of candidates",
    ): lambda: test_a_record_names_at_most_the_growth(5_000),
    Fault(
        f"{MECHANISMS}.continual_selection:SoloCompetitions.select",
        "if len(selected) > 1:",
        "if 1 < len(selected) < 300:",
        "many keys that fall due together stand in the order of their records",
    ): lambda: test_keys_that_fall_due_together_are_shuffled(400),
    Fault(
        f"{MECHANISMS}.above_threshold:SparseVector._noises",
        "2 * self.hits",
        "2 * min(self.hits, 64)",
        "hits beyond 64 are free",
    ): lambda: test_each_hit_has_its_share_of_epsilon(500, False),
    Fault(
        f"{MECHANISMS}.partition_selection:RestSelection._release",
        "self._all(rest, rng)",
        "self._all(max(-300, min(rest, 300)), rng)",
        "the rest of the keys is 300 records at most",
    ): test_the_rest_of_the_keys_is_counted_whole,
    Fault(
        f"{MECHANISMS}.partition_selection:RestSelection._release",
        "shuffle(released, rng)",
        "released if len(released) > 300 else shuffle(released, rng)",
        "many keys beside the rest stand in the order of their records",
    ): lambda: test_a_set_beside_the_rest_is_filled_in_a_random_order(400),
    Fault(
        f"{MECHANISMS}.label_selection:LabelSelection._winners",
        "np.insert(counts[start:stop], before, _BOTTOM)",
        "np.insert(counts[start:stop], before, _BOTTOM if own.max() < 300 else 0)",
        "a key of many labels is always released",
    ): lambda: test_all_labels_of_a_key_and_the_default_race(400),
    Fault(
        f"{RISKS}:StreamRisks.count_record",
        "self._size *= 2\n        self._begin(rule)",
        "self._size *= 2\n        self._taken < 3000 and self._begin(rule)",
        "after 3,000 records the counts of a block stay in the next one",
    ): test_each_record_of_a_long_stream_is_in_one_table_of_its_risks,
    Fault(
        f"{RISKS}:StreamRisks.count_record",
        "if not self._left:",
        "if self._left < -1000:",
        "records after the horizon are read",
    ): test_each_record_of_a_long_stream_is_in_one_table_of_its_risks,
    Fault(
        "littlestone.privacy.accounting.subsampled:Relabelling.cost",
        "rate * inner.delta)",
        "rate ** (1 + (inner.epsilon > 8)) * inner.delta)",
        "at a large epsilon the share of delta is squared",
    ): lambda: test_relabelled_records_have_their_share_of_delta(Fraction(30)),
}


@pytest.mark.deep
@pytest.mark.parametrize("fault", FAULTS, ids=lambda fault: fault.mistake)
def test_each_fault_turns_red(fault: Fault, monkeypatch: pytest.MonkeyPatch) -> None:
    turns_red(fault, FAULTS[fault], monkeypatch)
