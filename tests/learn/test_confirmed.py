"""The online learner of confirmations: its bound against adversaries, what it takes, what it keeps."""

from __future__ import annotations

import math
import random
from fractions import Fraction
from itertools import combinations, product
from typing import Any

import numpy as np
import pytest

from littlestone.base.errors import DeclarationError
from littlestone.classes import (
    EqualityRules,
    FiniteClass,
    Intervals,
    Parities,
    Points,
    Thresholds,
    parse_class,
)
from littlestone.learn.stream import ConfirmedLearner, RuleLearner
from littlestone.learn.stream.confirmed import (
    ConfirmedStream,
    find_search,
    key_scheme,
    mean_of_skips,
    miss_bounds,
)
from littlestone.learn.stream.keys import least_total
from littlestone.learn.stream.known_ends import Columns, Cuts, Ends, Sides, columns_of
from littlestone.points import Integers, Reals
from littlestone.privacy import Budget
from littlestone.privacy.ledger import Ledger
from littlestone.privacy.mechanisms.confirmation import ContinualConfirmation
from littlestone.privacy.randomness import seeded_generator
from littlestone.privacy.tape import Tape
from littlestone.rules import values_of
from scripted import Script

T = 20_000
TABLE = FiniteClass.from_array(np.random.default_rng(3).integers(0, 2, (30, 12)))
CUTS = Thresholds.on(0, 62)
PAIRS = FiniteClass.from_array(
    [[int(x in c) for x in range(8)] for d in range(3) for c in combinations(range(8), d)]
)


def begun(learner: ConfirmedLearner, seed: int, kind: type[ConfirmedStream]) -> ConfirmedStream:
    stream = kind(learner, Tape(seeded_generator(seed)))
    stream.begin_from()
    return stream


def spread(
    learner: ConfirmedLearner, seed: int, wait: int, kind: type[ConfirmedStream] = ConfirmedStream
) -> int:
    """Mistakes against an adversary that waits, then makes each possible mistake in turn."""
    H: Any = learner.hypotheses
    points, left = list(H.domain), H.table()
    stream, made = begun(learner, seed, kind), np.zeros(len(points), dtype=int)
    stream.skip_to(wait)
    while stream.steps < learner.horizon:
        guesses = values_of(stream.hypothesis, H.domain)
        kept = (left != guesses).sum(axis=0)
        if not kept.any():
            break
        j = int(np.where((kept > 0) & (made == made[kept > 0].min()), kept, 0).argmax())
        left = left[left[:, j] != guesses[j]]
        made[j] += 1
        stream.update(points[j], int(not guesses[j]))
    return int(made.sum())


@pytest.mark.parametrize("H", [TABLE, CUTS, PAIRS], ids=["table", "thresholds", "pairs"])
@pytest.mark.parametrize("wait", [0, T - 2000])
def test_an_adaptive_adversary_stays_below_the_bound(H: Any, wait: int) -> None:
    learner = ConfirmedLearner(H, Budget(1), horizon=T)
    bound = learner.mistake_bound(0.05)
    assert bound is not None
    assert bound.adaptive
    found = [spread(learner, seed, wait) for seed in range(4)]
    assert sum(count > bound.mistakes for count in found) <= 1


class CountsAll(ConfirmedStream):
    """Records that are predicted correctly are counted like mistakes of their point."""

    def _right(self, x: Any, y: int, times: int = 1) -> None:
        self._mistaken(x, 1 - y)


@pytest.mark.parametrize("kind", [ConfirmedStream, CountsAll])
def test_rightly_predicted_records_are_not_counted(kind: type[ConfirmedStream]) -> None:
    """If they were, a rule that is right would be given up."""
    H = FiniteClass.from_array([[0, 0], [0, 1], [1, 1]])
    stream = begun(ConfirmedLearner(H, Budget(1), horizon=T), 1, kind)
    for _ in range(100):
        stream.update("x0", 0)
    assert (stream.published_at > 0) == (kind is CountsAll)


def test_a_wrong_confirmation_is_outweighed_later() -> None:
    """What contradicts the fewest confirmations is published, so noise does no lasting harm."""
    knowledge = Columns(
        FiniteClass.from_array([[0, 0, 0], [1, 0, 1], [1, 1, 0]])
    ).initial_knowledge()
    truth = FiniteClass.from_array([[1, 1, 0]]).hypothesis(0)

    def wrong() -> list[int | None]:
        h = knowledge.published_rule
        return [knowledge.key(x, truth(x)) for x in h.domain if h(x) != truth(x)]

    knowledge.confirm([knowledge.key("x1", 0) or 0, knowledge.key("x2", 1) or 0], 1)
    steps = 0
    while keys := wrong():
        steps += 1
        knowledge.confirm([key for key in keys[:1] if key is not None], 1)
    assert 0 < steps < 6


def test_points_with_equal_or_opposite_labels_are_one_key() -> None:
    asked = Columns(FiniteClass.from_array([[0, 0, 1, 1, 0], [0, 1, 0, 1, 1], [1, 0, 1, 1, 0]]))
    assert (asked.keys, len(asked.table)) == (4, 2)
    knowledge = asked.initial_knowledge()
    assert knowledge.key("x1", 1) == knowledge.key("x2", 0) == knowledge.key("x4", 1)
    assert knowledge.key("x0", 1) not in (None, knowledge.key("x1", 1), knowledge.key("x1", 0))
    assert knowledge.key("x3", 0) is None  # all hypotheses are 1 there
    assert [knowledge.published_rule(f"x{i}") for i in range(5)] == [0, 0, 1, 1, 0]


def test_sides_of_thresholds_are_those_of_a_table() -> None:
    """Confirmations in any order, right or wrong, beside counts of each cut."""
    rng = random.Random(1)
    for size in (1, 2, 5, 12):
        H = Thresholds.on(0, size - 2) if size > 1 else Thresholds.on(0, 0).restrict(0, 1)
        sides, against = Sides(H), np.zeros(size, dtype=int)
        for step in range(12):
            left = np.flatnonzero(against == against.min())
            index = left[len(left) // 2]
            assert sides.published_rule == H.hypothesis(int(index))
            watched = sides.keys_to_watch(5, 9)
            assert [watched[key].threshold for key in (0, 1)] == [
                5 if (left < index).any() else 9,
                5 if (left > index).any() else 9,
            ]
            keys = rng.choice([(0,), (1,), (0, 1)])
            for key in keys:
                against += (np.arange(size) <= index) if key else (np.arange(size) >= index)
            assert sides.confirm(keys, step + 2)
            assert sides.keys_to_watch(5, 9)[0].first == step + 2


def test_keys_of_points_are_those_of_a_table() -> None:
    """Confirmations in any order, beside counts of each hypothesis; columns are flipped or known."""
    rng = random.Random(2)
    for rows in ([[0, 1, 0, 1], [1, 0, 0, 1]], [[1, 0, 0], [1, 1, 1], [0, 1, 0], [1, 0, 1]]):
        H, table = FiniteClass.from_array(rows), np.array(rows)
        points, against = list(H.domain), np.zeros(len(rows), dtype=int)
        asked = Columns(H)
        knowledge, known = asked.initial_knowledge(), (table == table[0]).all(axis=0)
        apart = {tuple(column ^ column[0]) for column in table.T if len({*column}) == 2}
        assert (asked.keys, asked.spread) == (2 * len(apart), Fraction(17, 16) * len(apart))
        first = dict.fromkeys(points, 1)
        for step in range(9):
            left = table[against == against.min()]
            # The first hypothesis settles ties.
            majority = np.where(2 * left.sum(0) == len(left), table[0], 2 * left.sum(0) > len(left))
            assert values_of(knowledge.published_rule, H.domain).tolist() == majority.tolist()
            watched, seen = knowledge.keys_to_watch(5, 9), set[int]()
            for j, x in enumerate(points):
                wrong = 1 - int(majority[j])
                key = knowledge.key(x, wrong)
                assert (key is None) == known[j]
                if key is not None:
                    seen.add(key)
                    sought = 5 if (left[:, j] == wrong).any() else 9
                    assert watched[key] == (first[x], sought)
            assert seen == watched.keys()
            x, y = points[rng.choice(np.flatnonzero(~known))], rng.randrange(2)
            key = knowledge.key(x, y)
            assert key is not None
            assert not knowledge.confirm([key], step + 5)
            against += table[:, points.index(x)] != y
            for z in points:
                if key in (knowledge.key(z, 0), knowledge.key(z, 1)):
                    first[z] = step + 5


def touched_by(asked: Columns) -> int:
    """The definition of docs/proofs/confirmation.md: for each target, a set that grows to its end."""
    table, most = asked.table.T, 0
    for target in table:
        found, grown = set[int](), True
        while grown:
            grown = False
            for size in range(len(found) + 1):
                for agreed in combinations(sorted(found), size):
                    left = table[(table[:, agreed] == target[list(agreed)]).all(axis=1)]
                    wrong = {*np.flatnonzero((2 * left.sum(axis=0) > len(left)) != target).tolist()}
                    grown |= not wrong <= found
                    found |= wrong
        most = max(most, len(found))
    return most


def test_touched_keys_are_those_of_the_definition() -> None:
    rng = np.random.default_rng(1)
    tables = [rng.integers(0, 2, (size, 5)) for size in (2, 3, 4, 5, 6, 8)]
    for asked in map(Columns, map(FiniteClass.from_array, tables)):
        assert asked.max_epochs == touched_by(asked)


def test_thresholds_are_halved() -> None:
    asked = Cuts(Thresholds.on(0, 2**40))
    knowledge = asked.initial_knowledge()
    for _ in range(asked.max_epochs):
        key = knowledge.key(5, 1)
        assert key == 0
        if knowledge.published_rule(5) == 0:
            knowledge.confirm([key], 1)
    assert (asked.max_epochs, asked.keys, asked.spread) == (40, 2, 80 + Fraction(1, 8))
    assert Cuts(Thresholds.on(0, 0).restrict(0, 1)).keys == 0
    assert knowledge.published_rule(5) == 1


@pytest.mark.parametrize("length", [2, 3, 7, 16])
def test_intervals_are_found_by_true_keys(length: int) -> None:
    """Each mistake names a watched key; confirming true ones finds every interval, never another."""
    asked = Ends(Intervals.on(5, 4 + length))
    assert asked.max_epochs == int(math.log2((length + 1) ** 2 // 4))
    assert asked.places == length
    assert asked.spread == 4 * (asked.max_epochs + 1)
    rng, grid = random.Random(length), range(5, 5 + length)
    for a, b in [(a, b) for a in grid for b in grid if a <= b]:
        for point in range(a, b + 1):
            knowledge, named = asked.initial_knowledge(), set[int]()
            assert knowledge.searching
            assert not any(knowledge.published_rule(x) for x in grid)
            assert knowledge.key(point, 1) == point - 5
            knowledge.locate(point - 5, 1)
            while wrong := [x for x in grid if knowledge.published_rule(x) != (a <= x <= b)]:
                x = rng.choice(wrong)
                key = knowledge.key(x, int(a <= x <= b))
                assert key is not None
                assert knowledge.keys_to_watch(5, 9)[key].threshold == 5
                named.add(key)
                if rng.random() < 0.5:
                    waiting = sorted(named & knowledge.keys_to_watch(5, 9).keys())
                    assert not knowledge.confirm(rng.sample(waiting, len(waiting) // 2 + 1), 1)
            assert len(named) <= asked.max_epochs


def test_wrong_ends_are_found_again() -> None:
    asked = Ends(Intervals.on(0, 9))
    knowledge, step = asked.initial_knowledge(), 2
    knowledge.locate(4, step)
    assert knowledge.published_rule(4) == 1
    assert (knowledge.key(4, 0), knowledge.key(4, 1)) == (None, None)
    while not knowledge.searching:
        assert {watch.first for watch in knowledge.keys_to_watch(5, 9).values()} == {step}
        before, step = knowledge.keys_to_watch(5, 9).keys(), step + 1
        lower = [key for key in before if key % 4 == 0]  # lower first points, until none is left
        assert knowledge.confirm(lower, step) == knowledge.searching
    assert step == 5
    assert not any(map(knowledge.published_rule, range(10)))
    knowledge.locate(7, step)
    assert not {key for key in before if key % 4 < 2} & knowledge.keys_to_watch(5, 9).keys()
    assert knowledge.published_rule(7) == 1


@pytest.mark.parametrize(("epsilon", "places"), [("1", 1 << 20), ("0.1", 300), ("20", 2)])
def test_a_search_is_seldom_in_vain(epsilon: str, places: int) -> None:
    """Its median has enough records, or hits early with a small probability."""
    most = Fraction(1, 100)
    search = find_search(places, Fraction(epsilon), T, most)
    assert search.cost().epsilon <= Fraction(epsilon)
    timer, n = search.timer, np.arange(1, search.timer.threshold + 1)
    steps, a, s = T * float(mean_of_skips(timer)), float(search.ratio), float(timer.shrink)
    in_vain = (places - 1) * a ** np.ceil(n / 2)
    assert most / 8 < (in_vain + steps * s ** (timer.threshold + 1.0 - n)).min() <= most


def test_a_median_lies_among_its_records() -> None:
    """With n records, those outside of them have less than places times a^(n / 2)."""
    search, rng = find_search(9, Fraction(2), T, Fraction(1, 100)), random.Random(1)
    for n in (1, 2, 5, 12):
        for _ in range(20):
            first = rng.randrange(9)
            named = [rng.randrange(first, 9) for _ in range(n)]
            law = search.tally_law(named)
            outside = sum(p for x, p in law.items() if not min(named) <= x <= max(named))
            assert outside <= 8 * search.ratio ** -(-n // 2)


def test_intervals_begin_anew_where_nothing_is_left() -> None:
    """Labels that no interval fits: the search goes on, and a run resumes from its summary."""
    learner = ConfirmedLearner(Intervals.on(0, 600), Budget(40), horizon=1_500)
    stream, found, rng = begun(learner, 3, ConfirmedStream), 0, random.Random(1)
    while stream.steps < 1_500:
        x, before = rng.randrange(601), stream._knowledge.searching
        stream.update(x, 1 - stream.predict(x))
        found += before and not stream._knowledge.searching
        kept = stream._to_json()
        other = learner.stream(Tape(random.Random(1)))
        assert other._restore(kept) == stream._knowledge.published_rule
        assert other._to_json() == kept
    assert found > 2


def test_an_adversary_who_knows_the_interval() -> None:
    H = Intervals.on(0, 2**20)
    learner = ConfirmedLearner(H, Budget(1), horizon=T)
    bound = learner.mistake_bound(0.05)
    assert bound is not None
    first, last = 2**18 + 5, 2**19
    stream, made = begun(learner, 1, ConfirmedStream), 0
    while True:
        near = [first - 1, first, (first + last) // 2, last, last + 1, first - 2, last + 2]
        wrong = [x for x in near if stream.hypothesis(x) != (first <= x <= last)]
        if not wrong:
            break
        x = wrong[made % len(wrong)]
        stream.update(x, int(first <= x <= last))
        made += 1
    assert 100 < made <= bound.mistakes


def test_the_keys_that_a_target_touches() -> None:
    """A pair touches its two points; each target of a cube touches all points."""
    assert Columns(PAIRS).max_epochs == 2
    assert Columns(Parities.over(["a", "b"])).max_epochs <= 3
    identity = FiniteClass.from_array(np.eye(6, dtype=int))
    assert Columns(identity).max_epochs == 1
    assert Columns(TABLE).max_epochs == 12


def test_the_bound_grows_with_confidence_and_asks_for_less_doubt() -> None:
    learner = ConfirmedLearner(CUTS, Budget(1), horizon=T)
    few, many = learner.mistake_bound(0.2), learner.mistake_bound(0.045)
    assert few is not None
    assert many is not None
    assert few.mistakes < many.mistakes
    assert learner.doubt <= 0.04
    more, shrink = learner.unlikely - learner.mechanism.threshold, learner.mechanism.shrink
    assert shrink**more <= Fraction(1, 16) < shrink ** (more - 1)
    assert learner.mistake_bound(0.01) is None
    # With probability 1 - T^-10.
    sure = ConfirmedLearner(CUTS, Budget(1), horizon=T, doubt=Fraction(1, 2 * T**10))
    bound = sure.mistake_bound(float(T) ** -10)
    assert bound is not None
    assert many.mistakes < bound.mistakes < T


@pytest.mark.parametrize("doubt", ["nan", "inf", "few", None, [], 0, 1, -1, "1e-400"])
def test_a_doubt_is_a_small_probability(doubt: Any) -> None:
    with pytest.raises(DeclarationError, match="doubt"):
        ConfirmedLearner(CUTS, Budget(1), horizon=T, doubt=doubt)
    with pytest.raises(DeclarationError, match="doubt"):
        RuleLearner(
            EqualityRules.over_columns("a", max_literals=1),
            Budget(1, "1e-6"),
            horizon=T,
            doubt=doubt,
        )


def test_the_sum_of_waits() -> None:
    half = np.array([0.5**m for m in range(80)])
    one, two = least_total(half, 1, 0.01), least_total(half, 2, 0.01)
    assert one == 7
    assert one < two < 2 * one
    assert least_total(half, 0, 0.01) == 0
    long = np.append(np.ones(11_000), 0.0)
    assert least_total(long, 2, 0.1) == 22_000
    assert least_total(half, 10**18, 0.01) == 67 * 10**18


def test_waits_are_no_shorter_than_simulated_ones() -> None:
    mechanism = ConfirmedLearner(CUTS, Budget(2), horizon=200).mechanism
    rng, bound = np.random.default_rng(1), miss_bounds(mechanism)
    worst = mechanism.threshold + mechanism.last_rise
    a, s = float(mechanism.skip), float(mechanism.shrink)
    skips = rng.geometric(1 - a, 20_000) - 1
    waits = np.zeros(20_000, dtype=int)
    for m in range(1, len(bound)):
        hit = rng.random(20_000) < s ** np.maximum(0, worst + skips - m)
        waits[(waits == 0) & hit] = m
    for m in (0, worst // 2, worst - 2, worst, worst + 2):
        # The bound leaves out tests before the first record that counts.
        assert (waits > m).mean() <= bound[m] + 0.02


class Short(ContinualConfirmation):
    """With r1 = 3/2 and r2 = 2; a script takes its chances."""

    skip = Fraction(2, 3)
    shrink = Fraction(1, 2)

    def quiet(self, gap: int) -> Any:
        return 1 - self.shrink ** max(0, gap)


class Few(Script):
    """At most one record is skipped."""

    def geometric(self, a: Fraction, rng: object, *, most: int = 1) -> int:
        return super().geometric(a, rng, most=most)


def step_by_step(learner: ConfirmedLearner, records: Any, script: Few) -> list[str]:
    """What is published, by a coin for each watched key at each step, as Theorem 1 has it."""
    mechanism, knowledge = learner.mechanism, learner.asked.initial_knowledge()
    epochs: dict[int, list[int]] = {}
    published = []
    for step, (x, y) in enumerate(records, start=1):
        watched = knowledge.keys_to_watch(mechanism.threshold, learner.unlikely)
        for key in watched.keys() - epochs.keys():
            epochs[key] = [script.geometric(mechanism.skip, None), 0]
        if knowledge.published_rule(x) != y and (named := knowledge.key(x, y)) is not None:
            epochs[named][1] += 1
        hits = []
        for key, watch in watched.items():
            skips, count = epochs[key]
            rise = next(mechanism.rises(step - watch.first))[0]
            quiet: Any = mechanism.quiet(watch.threshold + rise + skips - count)
            if not quiet or script.choose([quiet, 1 - quiet]):
                hits.append(key)
        if hits:
            for key in hits:
                del epochs[key]
            if knowledge.confirm(hits, step + 1):
                epochs = {}
        published.append(knowledge.published_rule.words())
    return published


@pytest.mark.parametrize(
    ("H", "records"),
    [
        (Thresholds.on(0, 5), [(3, 0), (1, 1)]),
        (FiniteClass.from_array([[0, 0], [0, 1], [1, 1]]), [("x0", 1), ("x1", 1)]),
        (FiniteClass.from_array([[0], [1]]), [("x0", 1), ("x0", 0), ("x0", 1)]),
    ],
    ids=str,
)
def test_a_run_publishes_as_if_each_key_were_tested_at_each_step(
    H: Any, records: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The run's own code along every outcome of its waits; also what is kept and forgotten."""
    horizon = len(records)
    learner = ConfirmedLearner(H, Budget(2), horizon=horizon, warm=1)
    learner.mechanism = Short(
        skip_epsilon=Fraction(1), test_epsilon=Fraction(1), threshold=1, warm=1,
        keys=learner.asked.keys, horizon=horizon,
    )  # fmt: skip

    def run() -> tuple[str, ...]:
        stream = ConfirmedStream(learner, Tape(random.Random(0)))
        stream.begin_from()
        published = []
        for x, y in records:
            stream.update(x, y)
            published.append(stream.hypothesis.words())
        return tuple(published)

    script = Few()
    expected = script.explore(lambda: tuple(step_by_step(learner, records, script)))
    script.take_over(monkeypatch)
    assert script.explore(run) == expected


def test_what_it_takes() -> None:
    for H in (Points(Integers()), Thresholds.over(Reals()), Thresholds.on(0, 2**62)):
        if H.size:
            assert ConfirmedLearner(H, Budget(1), horizon=T).asked.max_epochs == 62
        else:
            with pytest.raises(DeclarationError, match="not a finite list"):
                ConfirmedLearner(H, Budget(1), horizon=T)
    around = parse_class("intervals(x, 0..300)").restrict(150, 1)
    with pytest.raises(DeclarationError, match="labels, more than 2,097,152"):
        ConfirmedLearner(around, Budget(1), horizon=T)
    kinds = [type(key_scheme(Intervals.on(1, n), "confirmed")) for n in (62, 63, 64, 65, 513)]
    assert kinds == [Columns, Columns, Ends, Ends, Ends]  # 64 points have 133,184 labels
    square = FiniteClass.from_array(np.arange(1024)[:, None] >> np.arange(1024) % 10 & 1)
    assert len(columns_of(square, "confirmed", 10, "another").table) == 10
    with pytest.raises(DeclarationError, match="10 different points, more than 9"):
        columns_of(square, "confirmed", 9, "another")
    wide = FiniteClass.from_array(np.random.default_rng(1).integers(0, 2, (20, 520)))
    with pytest.raises(DeclarationError, match="different points, more than 512"):
        ConfirmedLearner(wide, Budget(1), horizon=T)
    with pytest.raises(DeclarationError):
        ConfirmedLearner(CUTS, Budget(1), horizon=T, doubt=2)


@pytest.mark.parametrize("epsilon", ["1e-6", "1000"])
def test_extreme_budgets_are_answered(epsilon: str) -> None:
    for H in (Thresholds.on(0, 2**62), Intervals.on(0, 2**62)):
        learner = ConfirmedLearner(H, Budget(epsilon), horizon=10**12)
        assert learner.doubt <= 0.04
        bound = learner.mistake_bound(0.05)
        assert (bound is None) == (epsilon == "1e-6")


def test_a_class_of_one_hypothesis_draws_nothing() -> None:
    for H in (FiniteClass.from_array([[0, 1]]), Thresholds.on(0, 3).restrict(0, 1)):
        learner = ConfirmedLearner(H, Budget(1), horizon=10)
        with Ledger() as ledger:
            stream = learner.start(ledger=ledger, dataset="d", rng=seeded_generator(1))
        x = next(iter(H.domain))
        for _ in range(12):
            stream.update(x, 1 - H.hypothesis(0)(x))
        assert (stream.published_at, stream.hypothesis) == (0, H.hypothesis(0))
        bound = learner.mistake_bound(0.05)
        assert bound is not None
        assert bound.mistakes == 0


def test_a_side_without_a_hypothesis_waits_for_more_records() -> None:
    for low, point, high in product(range(3), repeat=3):
        reach = Ends(Intervals.on(0, low + point + high)).initial_knowledge()
        reach.locate(low, 1)
        while not reach.searching:
            (first, last), left = reach._ends, reach._left
            beyond = [left[0][0] < first, first < left[0][1], left[1][0] < last, last < left[1][1]]
            watched = reach.keys_to_watch(5, 9).values()
            assert [watch.threshold for watch in watched] == [5 if some else 9 for some in beyond]
            if not any(beyond):
                break
            reach.confirm([[*reach.keys_to_watch(5, 9)][beyond.index(True)]], 1)
