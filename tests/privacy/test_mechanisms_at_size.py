"""Mechanisms with many keys, labels and records, or at a tiny epsilon: what their code does."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from fractions import Fraction
from functools import partial
from itertools import accumulate
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from spending import Answer

from littlestone.privacy import Budget
from littlestone.privacy.accounting import composed
from littlestone.privacy.accounting.composed import Composition, zcdp_epsilon
from littlestone.privacy.cost import round_up
from littlestone.privacy.mechanisms import bucket_labels, label_selection, partition_selection
from littlestone.privacy.mechanisms import competition as streams
from littlestone.privacy.mechanisms.bucket_labels import BucketLabels
from littlestone.privacy.mechanisms.cell_counts import CellCounts
from littlestone.privacy.mechanisms.choosing import ChoosingMechanism
from littlestone.privacy.mechanisms.competition import Competition, Terms
from littlestone.privacy.mechanisms.confirmation import (
    Confirmations,
    ContinualConfirmation,
    Watch,
)
from littlestone.privacy.mechanisms.exponential import ExponentialMechanism
from littlestone.privacy.mechanisms.label_selection import LabelSelection
from littlestone.privacy.mechanisms.partition_selection import (
    PartitionSelection,
    SingleKeySelection,
    StableHistogram,
)
from littlestone.privacy.mechanisms.tallies import ContinualTallies, Tallies
from littlestone.privacy.mechanisms.threshold_tests import Session
from littlestone.privacy.rational import exp_below
from littlestone.privacy.samplers import selection
from littlestone.privacy.samplers.reals import Real
from littlestone.privacy.samplers.selection import Levels, PowerBounds, mass_bounds
from littlestone.privacy.tape import Tape
from planting import Fault, turns_red

MECHANISMS = "littlestone.privacy.mechanisms"
BUDGET = Budget(1, "1e-6")
TINY = Fraction(1, 1000)


class Last(random.Random):
    """A generator that takes the last of several, and notes what it shuffles."""

    def __init__(self) -> None:
        super().__init__(0)
        self.shuffled: list[int] = []

    def choice(self, seq: Sequence[Any]) -> Any:  # type: ignore[override]
        return seq[-1]

    def shuffle(self, x: Any) -> None:
        self.shuffled.append(len(x))


def test_every_candidate_of_every_run_is_released() -> None:
    mechanism = ChoosingMechanism[int](BUDGET, growth=2)
    lengths = np.array([3, 400, 5])
    with pytest.MonkeyPatch.context() as patch:
        for drawn in range(409):
            patch.setattr(selection, "draw_item", lambda *_, drawn=drawn: drawn)
            found = mechanism._place(np.array([7, 8, 9]), lengths, random.Random(1))
            assert found == (drawn if drawn < 408 else None)


def test_scores_of_many_records_at_large_costs_are_exact() -> None:
    mechanism = ChoosingMechanism[int](BUDGET, growth=1, gain=9_999, loss=10_000)
    positives, negatives = np.array([10**6, 0, 10**9]), np.array([3, 10**6, 10**9])
    assert mechanism.score(positives, negatives).tolist() == [
        9_999 * p - 10_000 * q for p, q in zip(positives.tolist(), negatives.tolist(), strict=True)
    ]


def test_every_one_of_many_keys_that_fired_is_drawn() -> None:
    scores = dict.fromkeys(range(1_000), 5_000)
    assert SingleKeySelection[int](BUDGET)._release(scores, Last()) == 999


@pytest.mark.parametrize("keys", [2, 500])
def test_sets_are_filled_in_a_random_order(keys: int) -> None:
    """Or the order in which a set is listed may show that of the records."""
    certain = dict.fromkeys(range(keys), 5_000)
    rng, ones = Last(), np.ones(keys, int)
    assert len(StableHistogram[int](BUDGET).release(list(range(keys)) * 100, rng)) == keys
    with pytest.MonkeyPatch.context() as patch:
        for module in (partition_selection, label_selection):
            patch.setattr(module, "shuffle", lambda x, rng: rng.shuffle(x) or x)
        assert len(PartitionSelection[int](BUDGET)._release(certain, rng)) == keys
        given = range(keys), ones, ones, 5_000 * ones, rng
        assert len(LabelSelection[int](BUDGET)._release(*given)) == keys
    assert rng.shuffled == [keys] * 3


def test_a_label_of_fewer_records_has_its_weight_however_few() -> None:
    mechanism = LabelSelection[str](Budget(TINY, "1e-6"))
    top, most = mechanism.weight(40_000)
    assert top > 1
    for count in (39_999, 39_900, 39_000, 38_000, 30_000, 100):
        value, power = mechanism.weight(count)
        low, high = mechanism._coin(count, 40_000).enclose(96)
        expected = float(value / top) * float(mechanism.base) ** (power - most)
        assert low / 2**96 == pytest.approx(expected, rel=1e-9, abs=0)
        assert high / 2**96 == pytest.approx(expected, rel=1e-9, abs=0)


def test_a_label_far_behind_in_its_bucket_has_its_chance() -> None:
    mechanism, asked = BucketLabels(TINY, buckets=1, labels=3), list[Real]()

    def race(sizes: Any, coins: Sequence[Real], which: Any, rng: random.Random) -> Any:
        asked.extend(coins[i] for i in which)
        return np.zeros(1, int)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(bucket_labels, "permute_and_flip", race)
        mechanism._release({0: [40_000, 0, 37_000]}, random.Random(1))
    assert [round(p.enclose(64)[0] / 2**64, 9) for p in asked] == [
        round(float(mechanism.base) ** -gap, 9) for gap in (0, 40_000, 3_000)
    ]


@pytest.mark.parametrize("cells", [1, 2, 3, 9])
def test_the_rho_of_noisy_counts_is_that_of_all_that_move(cells: int) -> None:
    moved = min(cells, 2)
    rho = CellCounts(TINY, cells).guarantee().rho
    assert float(rho) == pytest.approx(float(moved * (TINY / moved) ** 2 / 2), rel=1e-6, abs=0)


def test_the_deltas_of_composed_parts_add_up() -> None:
    """Where a part that is composed already costs less than its own parts do in the whole."""
    millionth = Fraction(1, 10**6)
    part = Composition([(Answer(Fraction(1, 10)), 100)], millionth)
    whole = Composition([(part, 1), (Answer(Fraction(50), millionth), 1)], 2 * millionth)
    assert whole.account.method == "basic composition of the parts"
    assert whole.cost().delta == 2 * millionth


@pytest.mark.parametrize("cells", [3, 40])
def test_a_tally_forgets_what_it_has_counted(cells: int) -> None:
    timer = SimpleNamespace(
        select=lambda: None, watch=lambda *_: None, count=lambda *_: None, due=0
    )
    mechanism: Any = SimpleNamespace(
        timer=SimpleNamespace(confirmations=lambda tape: timer, threshold=1),
        cells=cells,
        ratio=Fraction(1, 2),
        cut=lambda count: count,
    )
    mechanism.release = partial(ContinualTallies.release, mechanism)
    tape: Any = SimpleNamespace(whole=lambda draw, most: 0)
    tallies = Tallies(mechanism, tape)
    for cell in range(cells):
        tallies.count(1, cell)
    assert tallies.select() == (1,) * cells
    assert tallies.select() == (0,) * cells


def test_a_value_of_numpy_is_compared_as_a_whole_number() -> None:
    """The least integer of 64 bits is far below every threshold, and does not wrap around."""
    for kind in (np.int8, np.int32, np.int64):
        session: Any = Session(Fraction(1, 2), 120, 1, False, random.Random(1))
        with np.errstate(over="ignore"):
            assert not session.test(kind(np.iinfo(kind).min))


def test_a_hit_far_above_the_threshold_is_a_hit() -> None:
    session = Session(1 / exp_below(TINY), 0, 2, False, random.Random(1))
    assert [session.test(10**6), session.is_exhausted] == [True, False]
    assert [session.test(10**9), session.is_exhausted, session.test(10**9)] == [True, True, False]


@pytest.mark.parametrize("keys", [3, 400])
def test_the_total_is_the_sum_of_all_weights(keys: int) -> None:
    terms = Terms(1, True, Fraction(1, 2), Fraction(101, 100), Fraction(1, 10**6))
    tape: Any = SimpleNamespace(whole=lambda draw, *ends: 0)
    competition = Competition[int](terms, 10**6, tape)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(streams, "next_hit", lambda *_: 10**6)
        patch.setattr(streams, "draw_skips", lambda *_: 0)
        for step in range(3 * keys):
            competition.count(step, [step % keys])
    assert competition._total == sum(competition._weights.values())
    assert len(competition._weights) == keys


@pytest.mark.parametrize("step", [2, 4_000])
def test_a_key_with_another_threshold_is_timed_anew(step: int) -> None:
    mechanism = ContinualConfirmation(
        skip_epsilon=TINY, test_epsilon=TINY, threshold=20, warm=16, keys=1, horizon=10_000
    )
    timed: list[int] = []
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Confirmations, "_time", lambda self, key, at: timed.append(at))
        counts: Confirmations[int] = mechanism.confirmations(Tape(random.Random(1)))
        for at, watch in ((1, Watch(1, 20)), (step, Watch(1, 20)), (step + 1, Watch(1, 9))):
            counts.watch(at, {0: watch})
    assert timed == [1, step + 1]


@pytest.mark.parametrize("steps", [(1,), (1, 2, 40), (1, 300, 5_000), (899, 901, 1_025)], ids=str)
def test_every_one_of_many_levels_weighs_what_its_gap_says(steps: tuple[int, ...]) -> None:
    """Against powers by floats, for levels near each other and far apart, at a tiny epsilon."""
    base, bits, rng = exp_below(TINY / 2), 96, random.Random(1)
    gaps = [0, *accumulate(rng.choice(steps) for _ in range(2_000 // len(steps) ** 2))]
    weights = [rng.randrange(1, 10**6) for _ in gaps]
    levels, exact = Levels(gaps, weights, 0, 2**40), [float(base) ** -gap for gap in gaps]
    for bound in mass_bounds(levels, PowerBounds(base, bits), bits):
        assert bound / 2**bits == pytest.approx(float(np.dot(weights, exact)), rel=1e-6)
    told = list[Any]()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(selection, "locate", lambda *sums: told.extend(sums))
        selection.decide(levels, base, 0, bits)
    for sums in told[:2]:
        assert [sum_ / 2**bits for sum_ in sums] == pytest.approx(
            [0, *accumulate(np.multiply(weights, exact).tolist())], rel=1e-6
        )


def test_a_cost_is_never_rounded_below_itself() -> None:
    rng = random.Random(1)
    for _ in range(2_000):
        value = Fraction(rng.randrange(1, 10**12), 10 ** rng.randrange(1, 40))
        assert value <= round_up(value) <= value * (1 + Fraction(1, 10**5))


def test_the_key_that_seldom_fires_is_preferred_among_many() -> None:
    """Each that fired weighs 1 / q of its score: far below where q is 1."""
    mechanism = SingleKeySelection[int](Budget(TINY, "1e-6"))
    scores = {key: 2_000 + 30 * key for key in range(120)}
    shares = np.array([1 / float(mechanism.curve(score)) for score in scores.values()])
    sums = np.cumsum(shares) / shares.sum()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(SingleKeySelection, "_keys_that_fire", lambda self, scores, rng: list(scores))
        for u in np.arange(0.005, 1, 0.01):
            rng = Last()
            patch.setattr(rng, "randrange", lambda n, u=u: int(Fraction(float(u)) * n))
            found = mechanism._release(scores, rng)
            assert found == int(np.searchsorted(sums, u, side="right"))


@pytest.mark.parametrize("draws", [10, 3_000])
def test_every_one_of_many_draws_is_composed(draws: int) -> None:
    event, delta = ExponentialMechanism(TINY), Fraction(1, 10**6)
    whole = Composition([(event, draws)])
    assert sum(times for _, times in whole.pieces()) == draws
    assert whole.cost().epsilon == draws * TINY
    rho = draws * event.guarantee().rho
    assert whole.guarantee().rho == rho
    assert composed._zcdp(whole.pieces(), delta) == zcdp_epsilon(rho, delta)


FAULTS: dict[Fault, Callable[[], None]] = {
    Fault(
        f"{MECHANISMS}.sparse_selection:SparseSelection._place",
        "int(lengths.sum())",
        "len(scores)",
        "candidates of later runs are bottom",
    ): test_every_candidate_of_every_run_is_released,
    Fault(
        f"{MECHANISMS}.choosing:ChoosingMechanism.score",
        "self.gain * positives - self.loss * negatives",
        "(self.gain * positives - self.loss * negatives).astype(np.int32)",
        "scores have 32 bits",
    ): test_scores_of_many_records_at_large_costs_are_exact,
    Fault(
        f"{MECHANISMS}.partition_selection:SingleKeySelection._release",
        "if scores[key] == drawn]",
        "if scores[key] == drawn][:300]",
        "one of the first 300 keys is drawn",
    ): test_every_one_of_many_keys_that_fired_is_drawn,
    Fault(
        f"{MECHANISMS}.partition_selection:StableHistogram.release",
        "rng.shuffle(released)",
        "len(released) < 100 and rng.shuffle(released)",
        "many keys are released in the order of the records",
    ): lambda: test_sets_are_filled_in_a_random_order(500),
    Fault(
        f"{MECHANISMS}.label_selection:LabelSelection._coin",
        "power(top - power)",
        "power(min(top - power, 64))",
        "the weight of a label stops falling 64 records behind",
    ): test_a_label_of_fewer_records_has_its_weight_however_few,
    Fault(
        f"{MECHANISMS}.label_selection:LabelSelection._coin",
        "power(top - power)",
        "power(min(top - power, 3000))",
        "the weight of a label stops falling 3,000 records behind",
    ): test_a_label_of_fewer_records_has_its_weight_however_few,
    Fault(
        f"{MECHANISMS}.bucket_labels:BucketLabels._release",
        "power(gap)",
        "power(min(gap, 300))",
        "the chance of a label stops falling 300 records behind",
    ): test_a_label_far_behind_in_its_bucket_has_its_chance,
    Fault(
        f"{MECHANISMS}.bucket_labels:BucketLabels._release",
        "table.max(axis=1)[:, None] - table",
        "(table.max(axis=1)[:, None] - table).astype(np.int16)",
        "a label 40,000 records behind is taken for another",
    ): test_a_label_far_behind_in_its_bucket_has_its_chance,
    Fault(
        f"{MECHANISMS}.cell_counts:CellCounts.guarantee",
        "self.counts_per_record * each.rho",
        "each.rho",
        "rho is that of one of two counts",
    ): lambda: test_the_rho_of_noisy_counts_is_that_of_all_that_move(3),
    Fault(
        "littlestone.privacy.accounting.composed:Composition.account",
        "delta = sum((n * cost.delta for cost, n in costs), Fraction(0))",
        "delta = max(cost.delta for cost, n in costs)",
        "the largest delta of the parts is charged",
    ): test_the_deltas_of_composed_parts_add_up,
    Fault(
        f"{MECHANISMS}.tallies:Tallies.select",
        "Counter[int]()",
        "Counter[int](self._counts if len(self._counts) > 9 else ())",
        "a tally of many cells counts its records again",
    ): lambda: test_a_tally_forgets_what_it_has_counted(40),
    Fault(
        f"{MECHANISMS}.threshold_tests:Session.test",
        "self._threshold - index(value)",
        "int(self._threshold - value)",
        "a value of numpy wraps around",
    ): test_a_value_of_numpy_is_compared_as_a_whole_number,
    Fault(
        f"{MECHANISMS}.threshold_tests:Session.test",
        "above is not self._hits_below",
        "above is not self._hits_below and at_least > -1000",
        "a hit far above the threshold is free",
    ): test_a_hit_far_above_the_threshold_is_a_hit,
    Fault(
        f"{MECHANISMS}.competition:Competition.count",
        "self._weights.get(key, Fraction(0))",
        "(self._weights.get(key, Fraction(0)) if len(self._weights) < 300 else 0)",
        "a candidate among many weighs more with each record",
    ): lambda: test_the_total_is_the_sum_of_all_weights(400),
    Fault(
        f"{MECHANISMS}.confirmation:Confirmations.watch",
        "elif before.get(key) == watch:",
        "elif before.get(key) == watch or step > 3000:",
        "late in a stream a new threshold is not looked at",
    ): lambda: test_a_key_with_another_threshold_is_timed_anew(4_000),
    Fault(
        "littlestone.privacy.samplers.selection:mass_bounds",
        "zip(levels.gaps, levels.weights, strict=True)",
        "list(zip(levels.gaps, levels.weights))[:300]",
        "the mass of a part is that of its first 300 levels",
    ): lambda: test_every_one_of_many_levels_weighs_what_its_gap_says((1,)),
    Fault(
        "littlestone.privacy.samplers.selection:decide",
        "weight * low)",
        "min(weight, 2000) * low)",
        "more than 2,000 items of a level weigh as 2,000",
    ): lambda: test_every_one_of_many_levels_weighs_what_its_gap_says((1,)),
    Fault(
        "littlestone.privacy.cost:round_up",
        "-(-value // unit)",
        "(-(-value // unit) if value > Fraction(1, 10**9) else round(value / unit))",
        "a small cost is rounded to the nearest number",
    ): test_a_cost_is_never_rounded_below_itself,
    Fault(
        f"{MECHANISMS}.partition_selection:SingleKeySelection._release",
        "count * unit / self.curve(score)",
        "count * unit / self.curve(max(score, 3000))",
        "keys that seldom fire are not preferred",
    ): test_the_key_that_seldom_fires_is_preferred_among_many,
    Fault(
        "littlestone.privacy.accounting.composed:Composition.pieces",
        "n * times",
        "min(n * times, 1000)",
        "1,000 of many draws are composed",
    ): lambda: test_every_one_of_many_draws_is_composed(3_000),
    Fault(
        "littlestone.privacy.accounting.composed:Composition.guarantee",
        "n * piece.rho",
        "min(n, 500) * piece.rho",
        "the rho of 500 draws is told",
    ): lambda: test_every_one_of_many_draws_is_composed(3_000),
    Fault(
        "littlestone.privacy.accounting.composed:_zcdp",
        "n * piece.rho",
        "min(n, 1000) * piece.rho",
        "the rho of 1,000 draws is composed",
    ): lambda: test_every_one_of_many_draws_is_composed(3_000),
}


@pytest.mark.deep
@pytest.mark.parametrize("fault", FAULTS, ids=lambda fault: fault.mistake)
def test_each_fault_turns_red(fault: Fault, monkeypatch: pytest.MonkeyPatch) -> None:
    turns_red(fault, FAULTS[fault], monkeypatch)
