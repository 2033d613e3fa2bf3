"""What one record moves, at every score, number of hits and size of a unit, not at a few.

Each test walks along all values of a number, from 0 to where nothing changes, and asks of each step
what the proof asks of it.  So a branch for large numbers or for a tiny epsilon is met wherever it is.
"""

from __future__ import annotations

import math
import random
from collections.abc import Callable, Mapping
from fractions import Fraction
from functools import partial
from typing import Any

import numpy as np
import pytest
from spending import Answer

from exact_draws import Draws, apart
from littlestone.points.units import MOST_RECORDS, Unit
from littlestone.privacy import Budget
from littlestone.privacy.accounting.groups import UnitEvent, growth
from littlestone.privacy.cost import NeighboringRelation, PrivacyCost, round_up
from littlestone.privacy.event import Guarantee
from littlestone.privacy.ledger import Ledger, Part
from littlestone.privacy.ledger.counts import Most, Paid, spending
from littlestone.privacy.mechanisms import above_threshold as sparse_vector
from littlestone.privacy.mechanisms import partition_selection
from littlestone.privacy.mechanisms.above_threshold import AboveThreshold, SparseVector
from littlestone.privacy.mechanisms.cell_counts import CellCounts
from littlestone.privacy.mechanisms.choosing import ChoosingMechanism
from littlestone.privacy.mechanisms.exponential import ExponentialMechanism
from littlestone.privacy.mechanisms.label_selection import LabelSelection
from littlestone.privacy.mechanisms.partition_selection import (
    KeyRelease,
    PartitionSelection,
    RestSelection,
    SingleKeySelection,
    StableHistogram,
)
from littlestone.privacy.mechanisms.selection_from_lists import RadiiSelection, SparseSampling
from littlestone.privacy.mechanisms.sparse_selection import SparseSelection
from littlestone.privacy.mechanisms.threshold_tests import Session
from littlestone.privacy.rational import exp_above, exp_below
from littlestone.privacy.samplers.reals import Real
from littlestone.prove.audit.choices import follow

EPSILONS = tuple(map(Fraction, ("0.001", "0.01", "1", "30")))
DELTAS = tuple(map(Fraction, ("1e-6", "0.1")))
TINY = Budget("0.001", "1e-6")
MOST = 40_000  # above all scores at which a curve reaches 1

budgets = pytest.mark.parametrize(
    "budget", [Budget(epsilon, delta) for epsilon in EPSILONS for delta in DELTAS], ids=str
)


@pytest.mark.deep
@budgets
@pytest.mark.parametrize("kind", [PartitionSelection, RestSelection])
def test_a_replaced_label_moves_the_chance_of_a_key_as_far_as_claimed(
    kind: type[KeyRelease[Any, Any]], budget: Budget
) -> None:
    """It moves a score by 2, up or down; whether a key is released is (epsilon, delta)-DP then."""
    ratio, curve, before = exp_above(budget.epsilon), kind(budget).curve, [Fraction(0)] * 2
    for score in range(-1, MOST):
        q, one = curve(score), Fraction(1)
        assert q <= ratio * before[0] + budget.delta
        assert one - before[0] <= ratio * (one - q) + budget.delta
        assert before[1] <= q <= 1
        before = [before[1], q]
        if before == [one, one]:
            break
    assert before == [1, 1]


@pytest.mark.deep
@budgets
def test_a_record_moves_a_key_that_is_drawn_alone_as_far_as_claimed(budget: Budget) -> None:
    """One positive record more of the only key."""
    ratio, curve = exp_above(budget.epsilon), SingleKeySelection[int](budget).curve
    q = curve(0)
    for score in range(1, MOST):
        after = curve(score)
        assert q <= after <= ratio * q + budget.delta
        assert 1 - q <= ratio * (1 - after) + budget.delta
        q = after
        if q == 1:
            break
    assert q == 1


@pytest.mark.deep
@budgets
def test_a_record_moves_the_weight_of_a_label_as_far_as_the_proof_allows(budget: Budget) -> None:
    """w(c + 1) <= max(r w(c), min(r w(c) + 2 delta, 1 - 1/r)), with r^2 <= e^epsilon."""
    mechanism = LabelSelection[int](budget)
    r, (w, power) = mechanism.base, mechanism.weight(0)
    assert r**2 <= exp_above(budget.epsilon)
    for count in range(1, MOST):
        after, more = mechanism.weight(count)
        if more > power:  # times r, exactly
            assert (after, more) == (w, power + 1)
        else:
            assert w <= after <= max(r * w, min(r * w + 2 * budget.delta, 1 - 1 / r))
        w, power = after, more
    assert power > 0


@budgets
@pytest.mark.parametrize(
    "mechanism",
    [PartitionSelection, RestSelection, SingleKeySelection],
    ids=lambda kind: kind.__name__,
)
def test_a_key_fires_as_often_as_its_curve_says(
    mechanism: Callable[[Budget], KeyRelease[Any, Any]], budget: Budget
) -> None:
    made = mechanism(budget)
    for score in sorted({*range(4), *(2**k + i for k in range(2, 15) for i in (-1, 0, 1))}):
        choices, q = Draws(Fraction(0)), made.curve(score)

        def fires(rng: random.Random, score: int = score) -> bool:
            return bool(made._keys_that_fire({"a": score}, rng))

        law, _ = choices.law(fires)
        assert apart(law, {True: q, False: 1 - q}) <= Fraction(1, 1 << 128)


NUMBERS = sorted({0, 1, 2, 3, *(2**k + i for k in range(2, 12) for i in (-1, 1)), 300, 301, 1_000})
"""Near the powers of 2, where a table, a word or a window may end."""


def is_law_of(draw: Callable[[random.Random], Any], law: Mapping[Any, Fraction]) -> bool:
    """Whether what is drawn has this law, but for what 40 bits do not decide."""
    found = follow(draw, 40)
    known = sum(found.values())
    return known > 1 - Fraction(1, 2**16) and all(
        mass <= law[outcome] * (1 + Fraction(1, 2**200)) for outcome, mass in found.items()
    )


def tilt(base: Fraction) -> float:
    """The logarithm of a base, which may be very near 1."""
    return math.log1p(float(base - 1))


@pytest.mark.parametrize("epsilon", EPSILONS, ids=str)
def test_all_that_is_declared_is_paid_for(epsilon: Fraction) -> None:
    """What the proofs ask of bases, bottoms and thresholds, whatever the costs, lists and cells."""
    budget, least, odds = Budget(epsilon, "1e-6"), 1 - 1e-6, math.log(1e-6 / (1 - 1e-6))
    whole = float(epsilon)
    for number in (*NUMBERS[1:], 9_999, 10_000):
        selections: list[SparseSelection[Any, Any]] = [
            ChoosingMechanism[int](budget, growth=number),
            ChoosingMechanism[int](budget, growth=2, gain=number, loss=1),
            ChoosingMechanism[int](budget, growth=2, gain=1, loss=number),
            SparseSampling[int](budget, list_size=number),
            RadiiSelection[int](budget, runs=number),
        ]
        moved = (1, max(number, 1), max(number, 1), 1, 1 if number == 1 else 2)
        brought = ((number, 1), (2, number), (2, 1), (number, 1), (number, 2))
        for mechanism, s, (fresh, heaviest) in zip(selections, moved, brought, strict=True):
            assert least <= 2 * s * tilt(mechanism.base) / whole <= 1 + 1e-12, mechanism
            rare = math.log(fresh) + (heaviest - mechanism.bottom) * tilt(mechanism.base)
            assert rare <= odds + 1e-9, mechanism
        scores = ExponentialMechanism(epsilon, number)
        assert least <= 2 * number * tilt(scores.base) / whole <= 1 + 1e-12
        for together, moves in ((True, number), (False, min(number, 2))):
            counts = CellCounts(epsilon, number, together)
            assert least <= moves * tilt(1 / counts.ratio) / whole <= 1 + 1e-12
    for delta in ("0.1", "1e-6", "1e-60"):
        histogram = StableHistogram[int](Budget(epsilon, delta))
        a = tilt(1 / histogram.ratio)
        assert least <= 2 * a / whole <= 1 + 1e-12
        assert (
            -a * (histogram.threshold - 1) - math.log1p(math.exp(-a))
            <= math.log(float(delta)) + 1e-9
        )


@pytest.mark.parametrize("epsilon", EPSILONS, ids=str)
def test_all_keys_are_released_as_often_as_said_whatever_the_rest(epsilon: Fraction) -> None:
    mechanism = RestSelection[int](Budget(epsilon, "1e-6"))
    for rest in (*NUMBERS, *(-rest for rest in NUMBERS)):
        chance = mechanism.chance_of_all(rest)
        assert is_law_of(partial(mechanism._all, rest), {True: chance, False: 1 - chance}), rest


@pytest.mark.parametrize("epsilon", EPSILONS, ids=str)
def test_a_test_far_from_its_threshold_answers_as_often_as_said(epsilon: Fraction) -> None:
    a = 1 / exp_below(epsilon)
    for gap in NUMBERS:
        above = a**gap / (1 + a) if gap else 1 - a / (1 + a)
        for value, p in ((-gap, above), (gap - 1, 1 - above)):

            def answer(rng: random.Random, value: int = value) -> bool:
                return Session(a, 0, 1, False, rng).test(value)

            assert is_law_of(answer, {True: p, False: 1 - p})


@pytest.mark.parametrize("most", [1, 2, 40, 1_000])
def test_a_record_brings_no_more_than_is_declared(most: int) -> None:
    choosing = ChoosingMechanism[int](TINY, growth=most)
    sampling = SparseSampling[int](TINY, list_size=most)
    for length in NUMBERS:
        named = [*range(length), *range(length)]
        brought = dict.fromkeys(range(min(length, most)), 1)
        assert choosing.scores([(named, True)]) == sampling.scores([named]) == brought
        both = choosing.scores([(named, False), (named, True)])
        assert both == dict.fromkeys(brought, 0)


def test_labels_race_against_the_best_however_many() -> None:
    """Each coin is that of the label's count beside the largest count of the key."""
    for labels in NUMBERS[1:]:
        asked = list[tuple[int, int]]()

        def coin(self: Any, count: int, most: int, asked: list[Any] = asked) -> Real:
            asked.append((count, most))
            return Real.of(Fraction(count == labels))  # noqa: B023

        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(LabelSelection, "_coin", coin)
            mechanism = LabelSelection[str](TINY)
            sizes, counts = np.array([labels]), np.arange(labels) + 1
            found = mechanism._winners(sizes, counts, random.Random(labels)).tolist()
            assert found == [labels - 1]
        assert sorted(asked) == [(-1, labels), *((c, labels) for c in range(1, labels + 1))]


def test_the_rest_is_all_that_is_not_released_however_many_keys() -> None:
    mechanism, told = RestSelection[int](Budget(1, "1e-6")), list[int]()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(RestSelection, "_all", lambda self, rest, rng: told.extend([rest]))
        for keys in NUMBERS:
            scores = {**dict.fromkeys(range(keys), 5_000), **dict.fromkeys(range(-keys, 0), -3)}
            assert len(mechanism._release(scores, random.Random(keys)) or ()) == keys
    assert told == [-3 * keys for keys in NUMBERS]


@budgets
def test_a_key_is_released_from_its_threshold_on(budget: Budget) -> None:
    """Where every noise is 0."""
    histogram = StableHistogram[str](budget)
    below, at = histogram.threshold - 1, histogram.threshold
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(partition_selection, "discrete_laplace", lambda a, rng: 0)
        released = histogram.release(["a"] * below + ["b"] * at, random.Random(1))
    assert released == {("b", at)}


def test_more_hits_leave_less_for_each() -> None:
    """Twice as many hits leave at most 10 / 11 of it for one test."""
    for hits in (1, 2, 4, 8, 16, 32, 64):
        one, two = (
            AboveThreshold(budget=Budget(1, "1e-6"), threshold=0, hits=h).query_epsilon
            for h in (hits, 2 * hits)
        )
        assert one >= two * Fraction(11, 10), hits


@pytest.mark.parametrize("monotone", [False, True])
def test_a_threshold_has_noise_however_many_hits(monotone: bool) -> None:
    for hits in (1, 2, 20, 30, 31, 127, 129, 300, 3_000):
        mechanism = SparseVector.within(Fraction(1), threshold=7, hits=hits, monotone=monotone)
        asked = list[Fraction]()
        with pytest.MonkeyPatch.context() as patch:

            def noise(a: Fraction, _: object, asked: list[Fraction] = asked) -> int:
                asked.append(a)
                return 10**12

            patch.setattr(sparse_vector, "discrete_laplace", noise)
            session = mechanism.begin(random.Random(hits))
        assert (session._threshold, session._left) == (7 + 10**12, hits)
        for a, epsilon, moved in (
            (asked[0], mechanism.threshold_epsilon, 1),
            (session._noise, mechanism.query_epsilon, hits if monotone else 2 * hits),
        ):
            assert 1 - Fraction(1, 10**6) <= 1 / a / exp_above(epsilon / moved) <= 1


@pytest.mark.parametrize("below", [False, True])
def test_a_session_ends_with_its_last_hit(below: bool) -> None:
    far = -(10**9) if below else 10**9
    for hits in (1, 2, 30, 31, 127, 129, 300, 3_000):
        session = Session(Fraction(1, 2), 0, hits, below, random.Random(hits))
        for left in range(hits, 0, -1):
            assert not session.is_exhausted, left
            assert session.test(-far) is below  # no hit is free
            assert session.test(far) is not below
        assert session.is_exhausted


@pytest.mark.deep
@pytest.mark.parametrize("epsilon", [Fraction(0), Fraction(1, 10**10), *EPSILONS], ids=str)
def test_a_unit_costs_what_its_records_cost_one_after_another(epsilon: Fraction) -> None:
    """Record by record: epsilon adds up, delta_(k+1) = e^epsilon delta_k + delta, rho goes with k^2."""
    delta, grown = Fraction(1, 10**30), 0.0
    for k in range(1, MOST_RECORDS + 1):
        if k * epsilon > 300:
            break
        grown = grown * math.exp(epsilon) + 1
        assert 1 - 1e-9 < float(growth(epsilon, k)) / grown < 1 + 1e-6
        if epsilon < Fraction(1, 10**9):
            continue
        unit = Unit("patient", k)
        cost = UnitEvent(Answer(epsilon, delta), unit).cost()
        assert cost.epsilon == k * epsilon
        assert float(cost.delta) >= min(1, float(delta) * grown * (1 - 1e-9))
        pure, small = UnitEvent(Answer(epsilon), unit).guarantee(), Answer(epsilon).guarantee()
        assert pure.rho >= min(Guarantee.pure(k * epsilon).rho, k**2 * small.rho)


PATIENTS = NeighboringRelation.replace_one_unit("patient")


@pytest.mark.parametrize("seed", range(12))
def test_a_total_is_what_the_worst_position_has_paid(seed: int) -> None:
    """Against positions that pay one spend at a time: any names, parts, units and numbers of spends."""
    rng = random.Random(seed)
    of = rng.choice([1, 2, 7, 300])
    most = Most(rng.choice([1, 2, 99, 101, 1_000]), late=False)
    paid, worst = list[Paid](), dict[str, list[dict[int, Fraction]]]()
    whole, units = [Fraction(0)] * 2, rng.random() < 0.5
    for _ in range(rng.choice([1, 9, 40])):
        cost = PrivacyCost(Fraction(rng.randrange(99), 70_000), Fraction(rng.randrange(9), 10**40))
        times, name = rng.choice([1, 2, 255, 999, 1_001, 3_000]), rng.choice("ab")
        part = rng.choice([None, Part("positions", rng.randrange(of) + 1, of)])
        paid.append((name, part, cost, times))
        k = most.records if units else 1
        grown = cost.delta if k == 1 else round_up(cost.delta * growth(cost.epsilon, k))
        for side, price in enumerate((k * cost.epsilon, grown)):
            if part is None:
                whole[side] += times * price
            else:
                each = worst.setdefault(name, [{}, {}])[side]
                each[part.index] = each.get(part.index, Fraction(0)) + times * price
    spent = spending(paid, PATIENTS if units else NeighboringRelation.REPLACE_ONE, most)
    assert spent is not None
    expected = [
        whole[side] + sum(max(sides[side].values()) for sides in worst.values()) for side in (0, 1)
    ]
    assert [spent.total.epsilon, spent.total.delta] == expected


@pytest.mark.deep
def test_each_of_many_equal_spends_counts() -> None:
    ledger, event = Ledger(), Answer(Fraction(1, 1000), Fraction(1, 10**9))
    for _ in range(1_030):
        ledger.spend(event, dataset="visits", what="a look")
    total = ledger.total("visits")
    assert (total.epsilon, total.delta) == (Fraction(1_030, 1000), Fraction(1_030, 10**9))
