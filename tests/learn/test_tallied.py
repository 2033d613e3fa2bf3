"""The online learner of tallies: its bound against adversaries, its weights, what it takes."""

from __future__ import annotations

import math
import random
from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from itertools import combinations
from typing import Any

import numpy as np
import pytest

from littlestone.base.errors import DeclarationError
from littlestone.classes import FiniteClass, Intervals, Points, Thresholds, parse_class
from littlestone.learn.stream import TalliedLearner
from littlestone.learn.stream.known_ends import Columns
from littlestone.learn.stream.mistakes_by_sides import _Epoch
from littlestone.learn.stream.tallied import _DRIFTS, Places, _decay
from littlestone.learn.stream.weights import (
    UNITS,
    EndWeights,
    PointWeights,
    Scores,
    SideWeights,
    factors,
    likelihood_scores,
)
from littlestone.points import Integers, Reals
from littlestone.privacy import Budget
from littlestone.privacy.ledger import Ledger
from littlestone.privacy.mechanisms import tallies
from littlestone.privacy.mechanisms.confirmation import ContinualConfirmation
from littlestone.privacy.mechanisms.sides import OWN, SHARED, ContinualSides
from littlestone.privacy.randomness import seeded_generator
from littlestone.privacy.tape import Tape
from littlestone.rules import StepFunction, values_of
from scripted import Script
from short_tallies import ShortTimer

T = 20_000
TABLE = FiniteClass.from_array(np.random.default_rng(3).integers(0, 2, (30, 12)))
PAIRS = FiniteClass.from_array(
    [[int(x in c) for x in range(8)] for d in range(3) for c in combinations(range(8), d)]
)
Choice = Callable[[Any, Any, int], int]


def spread(kept: Any, made: Any, last: int) -> int:
    """The mistake that most hypotheses keep, of those made least often."""
    return int(np.where((kept > 0) & (made == made[kept > 0].min()), kept, 0).argmax())


def stubborn(kept: Any, made: Any, last: int) -> int:
    """The same one while it is possible, otherwise the one that most hypotheses keep."""
    return last if last >= 0 and kept[last] else int(kept.argmax())


def erred(learner: TalliedLearner, seed: int, choose: Choice, pause: int) -> int:
    H: Any = learner.hypotheses
    points, left, last = list(H.domain), H.table(), -1
    made = np.zeros(len(points), dtype=int)
    with Ledger() as ledger:
        stream = learner.start(ledger=ledger, dataset="d", rng=seeded_generator(seed))
    while stream.steps < learner.horizon:
        guesses = values_of(stream.hypothesis, H.domain)
        kept = (left != guesses).sum(axis=0)
        if not kept.any():
            break
        last = choose(kept, made, last)
        left = left[left[:, last] != guesses[last]]
        made[last] += 1
        stream.update(points[last], int(not guesses[last]))
        stream.skip_to(stream.steps + pause)
    return int(made.sum())


@pytest.mark.parametrize("H", [TABLE, PAIRS], ids=["table", "pairs"])
@pytest.mark.parametrize("choose", [spread, stubborn])
@pytest.mark.parametrize("pause", [0, 50])
def test_an_adaptive_adversary_stays_below_the_bound(H: Any, choose: Choice, pause: int) -> None:
    learner = TalliedLearner(H, Budget(1), horizon=T)
    bound = learner.mistake_bound(0.05)
    assert bound is not None
    assert bound.adaptive
    assert all(erred(learner, seed, choose, pause) <= bound.mistakes for seed in range(2))


def test_weights_are_those_of_the_scores() -> None:
    """Beside powers in floats and their majority."""
    asked, rng = Columns(TABLE), np.random.default_rng(1)
    values = [-700, 300, 1500, 2900, 9000]
    weights, scores = PointWeights(asked, Scores(np.array(values), 2)), [0] * asked.table.shape[1]
    for _ in range(6):
        tally = [int(v) for v in rng.integers(-6, 12, len(asked.table))]
        rule = values_of(weights.published_rule, TABLE.domain)
        for i, row in enumerate(TABLE.table()):
            for column in range(len(asked.table)):
                x = next(j for j in range(12) if asked.place[j] == column)
                score = values[min(max(tally[column], 0), 8) // 2]
                scores[i] += score * int(row[x] != rule[x])
        weights.take(tuple(tally))
        shares = [math.exp((score - max(scores)) / 4096) for score in scores]
        ones = TABLE.table().T @ np.array(shares)
        assert (abs(2 * ones - sum(shares)) > 1e-6).all()
        expected = (2 * ones > sum(shares)).tolist()
        assert values_of(weights.published_rule, TABLE.domain).tolist() == expected


def noise_masses(epsilon: float) -> dict[int, float]:
    return {x: math.tanh(epsilon / 2) * math.exp(-epsilon * abs(x)) for x in range(-400, 401)}


@pytest.mark.parametrize("epsilon", [Fraction(1, 10), Fraction(1, 2), Fraction(3)])
def test_scores_are_logarithms_of_likelihood_ratios(epsilon: Fraction) -> None:
    """Seven tenths of them, beside sums over the number of mistakes.

    Noise alone makes what gains and what does not heavier alike."""
    scores, e, share = likelihood_scores(Fraction(1, 20), epsilon), float(epsilon), 0.05
    assert scores.times == 1
    law: dict[int, float] = {}
    unit = (share / 0.08) ** 0.18 / e
    for chance, mean in ((share, 0.5 * unit), (share, 1.25 * unit), (share / 10, 4 * unit)):
        q = 1 - 1 / max(mean, 2 if chance < share else 1)
        for n in range(1, 3000):
            law[n] = law.get(n, 0) + chance * (1 - q) * q ** (n - 1)
    none = 1 - 2.1 * share

    def log_ratio(v: int) -> float:
        return math.log(
            none
            + sum(w * math.exp(e * (abs(v) - abs(v - n))) for n, w in law.items() if w > 1e-300)
        )

    found = scores.values / UNITS
    for v in range(min(40, len(found))):
        assert found[v] - found[0] == pytest.approx(
            0.7 * (log_ratio(v) - log_ratio(0)), abs=3 / UNITS
        )
    masses = noise_masses(e)
    means = [
        sum(p * math.exp(sign * found[min(max(x, 0), len(found) - 1)]) for x, p in masses.items())
        for sign in (1, -1)
    ]
    assert means[0] == pytest.approx(means[1], abs=1e-3)
    assert found[-1] - found[0] >= 30


def test_wide_noise_is_scored_in_steps() -> None:
    """A thousandth of epsilon asks for counts a thousand times as large."""
    one, other = (likelihood_scores(Fraction(1, 20), Fraction(1, n)) for n in (16, 16_000))
    assert other.times == 1000
    assert other.values.tolist() == one.values.tolist()


def test_a_tally_makes_the_true_one_heavier_by_what_is_proved() -> None:
    """The mean of p(h) / p'(h) is at most K, for the weights of Theorem 2 and random mistakes."""
    learner = TalliedLearner(TABLE, Budget(1), horizon=T)
    table, rng = Columns(TABLE).table, np.random.default_rng(2)
    a = float(learner.mechanism.ratio)
    noise, gain = factors(learner.scores, -math.log(a), 40)
    for spreads in (1, 3):
        h = table[:, 5]
        majority = 2 * table.sum(axis=1) > table.shape[1]
        wrong = np.flatnonzero(majority != h)[:spreads]
        counts = np.zeros(len(table), dtype=int)
        counts[wrong] = 30 // len(wrong)
        drawn = rng.geometric(1 - a, (4000, len(table))) - rng.geometric(1 - a, (4000, len(table)))
        scores = learner.scores.score_cells(counts + drawn)
        added = scores @ (table != majority[:, None]).astype(np.int64)
        ratios = np.exp((added - added[:, [5]]) / UNITS).mean(axis=1)
        most = (
            math.exp(Places(learner.hypotheses).distance * noise) * (1 + math.exp(-30 * gain)) / 2
        )
        assert ratios.mean() <= most


def test_the_first_hypothesis_settles_ties() -> None:
    for row in ([0, 1], [1, 0]):
        H = FiniteClass.from_array([row, [1 - label for label in row]])
        published = PointWeights(Columns(H), Scores(np.array([-4096, 4096]))).published_rule
        assert [published(x) for x in H.domain] == row


def test_cuts_change_no_score() -> None:
    """Also the chance of a tally is the same at each step, as Theorem 2 takes it."""
    learner = TalliedLearner(TABLE, Budget(1), horizon=T)
    tallies = np.arange(-40, 2 * learner.mechanism.most)
    cut = np.array([learner.mechanism.cut(tally) for tally in tallies.tolist()])
    scores = learner.scores
    assert scores.score_cells(cut).tolist() == scores.score_cells(tallies).tolist()
    assert (np.diff(scores.values) > 0).all()
    assert learner.mechanism.timer.last_rise == 0


def test_the_factors_bound_the_means_of_all_numbers_of_records() -> None:
    """E[e^f] and E[e^-f] without records are at most C, and E[e^-f] with s of them C e^(-u s)."""
    scores, epsilon, records = Scores(np.array([-1000, 200, 1200, 2400, 3000])), 0.5, 12
    noise, gain = factors(scores, epsilon, records)

    def mean(sign: int, count: int) -> float:
        return sum(
            p * math.exp(sign * int(scores.values[min(max(count + x, 0), 4)]) / UNITS)
            for x, p in noise_masses(epsilon).items()
        )

    assert noise == pytest.approx(math.log(max(mean(1, 0), mean(-1, 0))), abs=1e-6)
    rates = [(noise - math.log(mean(-1, s))) / s for s in range(1, records + 1)]
    assert gain == pytest.approx(min(rates), abs=1e-6)
    assert max(rates) > 1.1 * gain


CUTS = Thresholds.on(0, 62)


def test_a_told_side_moves_the_weighted_median() -> None:
    """Beside weights in floats of all cuts; what is told makes a cut heavier by what is proved."""
    weights, logs, rng = SideWeights(CUTS, 5_000), np.zeros(64), random.Random(1)
    gain = 5_000 / UNITS
    for _ in range(60):
        cut = next(i for i in range(64) if CUTS.hypothesis(i) == weights.published_rule)
        shares = np.exp(logs - logs.max())
        shares /= shares.sum()
        assert max(shares[:cut].sum(), shares[cut + 1 :].sum()) <= 0.5 + 1e-6
        assert weights.cell(0, 0) == 1
        assert weights.cell(0, 1) == 0
        side = rng.randrange(2)
        weights.take(side)
        told = np.arange(64) > cut if side else np.arange(64) < cut
        logs[told] += gain
        after = np.exp(logs - logs.max())
        lost = shares / (after / after.sum())
        assert max(lost[told], default=0) <= 0.5 + 1e-6 + math.exp(-gain) / 2
        assert max(lost[~told]) <= 1 + (0.5 + 1e-6) * math.expm1(gain)
        again = SideWeights(CUTS, 5_000)
        again.restore(weights.to_json())
        assert again.published_rule == weights.published_rule


def side_mistakes(learner: TalliedLearner, seed: int, cut: int, stay: int) -> int:
    """All records contradict the published cut; after ``stay`` in an epoch it waits once."""
    with Ledger() as ledger:
        stream = learner.start(ledger=ledger, dataset="d", rng=seeded_generator(seed))
    made = since = 0
    while stream.steps < learner.horizon:
        wrong = [x for x in (cut - 1, cut) if 0 <= x < 63 and stream.predict(x) != (x >= cut)]
        if not wrong:
            break
        shown = stream.published_at
        stream.update(wrong[0], int(wrong[0] >= cut))
        made, since = made + 1, since + 1
        if since == stay:
            stream.skip_to(stream.steps + learner.horizon // 10)
        since = since if stream.published_at == shown else 0
    return made


@pytest.mark.parametrize("stay", [0, 5, 12])
def test_thresholds_are_found_within_the_bound(stay: int) -> None:
    learner = TalliedLearner(CUTS, Budget(1), horizon=T)
    bound = learner.mistake_bound(0.05)
    assert bound is not None
    assert bound.source.endswith("sides.md, Theorem 2")
    assert all(side_mistakes(learner, s, 9 * s, stay) <= bound.mistakes for s in range(3))


def drawn_epochs(mechanism: ContinualSides, stay: int, wait: int, runs: int) -> Any:
    """For each of many epochs in floats, the mistakes and whether the true side was told.

    After ``stay`` mistakes it waits ``wait`` steps.
    """
    rng, unit = np.random.default_rng(stay), -math.log(mechanism.shrink)
    skips = [rng.geometric(1 - float(a), runs) - 1 for a in (mechanism.skip,) * 2]
    skips = [own + rng.geometric(1 - float(mechanism.shared_skip), runs) - 1 for own in skips]
    made, right, open_ = np.zeros(runs), np.zeros(runs, bool), np.ones(runs, bool)
    for n in range(1, 60):
        made += open_
        for tests in (1, *(wait,) * (n == stay)):
            # Of the first hits of both sides the earlier one is told; of equal ones, either.
            first = [
                rng.geometric(np.exp(np.minimum(0, unit * (units - z - mechanism.units))))
                for units, z in zip(((OWN + SHARED) * n, SHARED * n), skips, strict=True)
            ]
            told = open_ & (np.minimum(*first) <= tests)
            even = (first[0] == first[1]) & (rng.random(runs) < 0.5)
            right |= told & ((first[0] < first[1]) | even)
            open_ &= ~told
    return made, right


def test_an_epoch_loses_what_is_proved() -> None:
    """E[K e^(k mistakes - D steps / T)] is at most 1, for K of what is told: with and without waits."""
    mechanism = TalliedLearner(CUTS, Budget(1), horizon=T).mechanism
    epoch = _Epoch(mechanism, 2.4)
    rates = epoch.rates()
    assert min(rates) > 0.01
    for stay, wait in ((0, 0), (2, T // 10), (4, T // 20), (7, T // 50), (10, T // 50)):
        made, right = drawn_epochs(mechanism, stay, wait, 20_000)
        for rate, power in zip(rates, epoch.power, strict=True):
            half = math.exp(-2.4) / 2 + 0.5, math.exp(2.4) / 2 + 0.5
            lost = np.where(right, half[0] ** power, half[1] ** power) * np.exp(rate * made)
            assert lost.mean() <= 1 + 4 * lost.std() / 20_000**0.5 + 2 * wait / T


def first_mean(mechanism: ContinualSides, power: float, drift: float, rate: float) -> float:
    """E[phi(0, Z + Z')] of docs/proofs/sides.md, Theorem 2, as it stands there, with gain 12/5."""
    r1, r0 = (float(a) for a in (mechanism.skip, mechanism.shared_skip))
    unit, u, half = -math.log(mechanism.shrink), mechanism.units, 0.5 + 1e-6
    z = np.arange(math.ceil(-30 / math.log(r1)))
    own, shared = (1 - r1) * r1**z, (1 - r0) * r0**z
    law = np.convolve(own, shared)[: len(z)]
    right = (half + (1 - half) * math.exp(-2.4)) ** power
    wrong = (1 + half * math.expm1(2.4)) ** power
    quiet, both = (float((p * np.exp(unit * -z)).sum()) for p in (own, law))
    slack, phi = drift / mechanism.horizon, np.zeros(len(z))

    def told(n: int, w: float) -> tuple[Any, Any]:
        q = np.exp(np.minimum(0, unit * (10 * n - z - u)))
        return q, q * (1 - w / 2) * right + w * (1 - q / 2) * wrong

    for n in range((u + len(z)) // 10 + 1, -1, -1):
        after, w = phi, quiet * min(1, math.exp(unit * (4 * n + 4 - u)))
        steps = [(told(n + 1, v), v) for v in (0, w)]
        phi = math.exp(rate) * np.max(
            [s + (1 - q) * (1 - v) * after for (q, s), v in steps], axis=0
        )
        w = quiet * min(1, math.exp(unit * (4 * n - u)))
        if n:
            q, gained = told(n, w)
            phi = np.maximum(phi, gained / (q + w - q * w + slack))
    v = 2 * both * math.exp(-unit * u)
    return float(law @ np.maximum(phi, v * wrong / (v + slack)))


def test_the_bound_of_sides_is_that_of_the_theorem() -> None:
    """Worked out beside it for all skips; at epsilon 1/10 it takes the worse end of ten of them."""
    for epsilon, threshold in (("1", 12), ("0.1", 117)):
        learner = TalliedLearner(CUTS, Budget(epsilon), horizon=T)
        mechanism, bound = learner.mechanism, learner.mistake_bound(0.05)
        assert mechanism.threshold == threshold
        epoch = _Epoch(mechanism, 2.4)
        rates, most = epoch.rates(), list[float]()
        means, above = epoch.first_means(rates), epoch.first_means(1.05 * rates)
        for i, (power, drift) in enumerate(zip(epoch.power, epoch.drift, strict=True)):
            mean = first_mean(mechanism, power, drift, rates[i])
            assert mean <= means[i] <= min(1, mean * (1 + 1e-7 if epsilon == "1" else 1.2))
            assert above[i] > 1
            most.append((power * math.log(64) + math.log(20) + drift) / rates[i])
        assert bound is not None
        assert bound.mistakes == math.ceil(min(most) * (1 + 1e-6))
    # Here what is told before the first mistake counts.
    early = replace(mechanism, epsilon=Fraction(1), threshold=8)
    means = _Epoch(early, 2.4).first_means(np.full(4, 0.01))
    for found, power, drift in zip(means, epoch.power, epoch.drift, strict=True):
        mean = first_mean(early, power, drift, 0.01)
        assert mean <= found <= mean * (1 + 1e-7)


def test_the_bound_of_sides_follows_the_class() -> None:
    """It grows by the same for each doubling, and falls with epsilon; none for the smallest."""
    found = [
        TalliedLearner(Thresholds.on(0, 2**n - 2), Budget(1), horizon=T).mistake_bound(0.05)
        for n in (10, 20, 30)
    ]
    first, second, third = (bound.mistakes for bound in found if bound)
    assert abs(third - 2 * second + first) < 0.05 * second
    few = TalliedLearner(CUTS, Budget(2), horizon=T).mistake_bound(0.05)
    assert few is not None
    assert few.mistakes < 0.6 * first
    assert TalliedLearner(CUTS, Budget("0.001"), horizon=T).mistake_bound(0.05) is None
    early = TalliedLearner(CUTS, Budget(1), horizon=T, threshold=5)
    assert early.mistake_bound(0.05) is None


GRID = Intervals.on(100, 1_123)


def test_told_sides_move_the_ends_of_an_interval() -> None:
    """Beside weights in floats of all first and last points."""
    weights, rng = EndWeights(GRID, 5_000), random.Random(1)
    assert weights.cell(103, 1) == 3
    assert not any(values_of(weights.published_rule, GRID.domain))
    weights.take(400)
    logs = [np.zeros(401), np.zeros(1024 - 400)]
    for _ in range(60):
        shares = [np.exp(log - log.max()) for log in logs]
        first, last = (int(np.searchsorted(np.cumsum(p), p.sum() / 2)) for p in shares)
        assert weights.published_rule == StepFunction(GRID.domain, 0, (100 + first, 501 + last))
        assert weights.cell(499, 0) == 1
        assert weights.cell(499, 1) == 0
        assert weights.cell(501, 0) == 2
        assert weights.cell(501, 1) == 3
        assert weights.cell(500, 0) is None
        end, higher = divmod(side := rng.randrange(4), 2)
        weights.take(side)
        cut = (first, last)[end]
        logs[end][slice(cut + 1, None) if higher else slice(cut)] += 5_000 / UNITS
        again = EndWeights(GRID, 5_000)
        again.restore(weights.to_json())
        assert again.published_rule == weights.published_rule
    for _ in range(200):
        if not weights.searching:
            weights.take(rng.randrange(4))
    assert weights.searching  # a point that may be wrong is given up


def test_intervals_are_found() -> None:
    """At once, and by an adversary who waits; each step of a run is resumed from what it keeps."""
    learner = TalliedLearner(GRID, Budget(1), horizon=T)
    assert learner.cost().epsilon == 1
    assert learner.mistake_bound(0.05) is None
    for first, last, wait in ((300, 300, 0), (150, 1_000, 0), (700, 720, 3)):
        with Ledger() as ledger:
            stream: Any = learner.start(ledger=ledger, dataset="d", rng=seeded_generator(first))
        made, points = 0, [first - 1, first, (first + last) // 2, last, last + 1]
        while wrong := [x for x in points if stream.predict(x) != (first <= x <= last)]:
            x = wrong[made % len(wrong)]
            stream.update(x, int(first <= x <= last))
            stream.skip_to(stream.steps + wait)
            made += 1
            kept, other = stream._to_json(), learner.stream(Tape(random.Random(1)))
            assert other._restore(kept) == stream._weights.published_rule
            assert other._to_json() == kept
        assert 100 < made < 500


def test_the_bound_is_that_of_theorem_2() -> None:
    learner = TalliedLearner(TABLE, Budget(1), horizon=T)
    timer, a = learner.mechanism.timer, float(learner.mechanism.ratio)
    noise, gain = factors(learner.scores, -math.log(a), timer.threshold)
    records = range(timer.threshold + 1)
    most = math.exp(Places(TABLE).distance * noise) / 2
    left = [most * (1 + math.exp(-gain * s)) for s in records]
    for beta in (0.2, 1e-9):
        found = []
        for drift in _DRIFTS:
            rate, least = _decay(timer, left, drift)
            if rate:
                found.append((math.log(30**2 / beta / least) + drift) / rate)
        bound = learner.mistake_bound(beta)
        assert bound is not None
        assert bound.mistakes == pytest.approx(min(found), abs=2)
        assert min(found) < found[-1] - 2


def test_the_rate_of_a_timer_that_skips_many_records() -> None:
    """1 + Z records leave a hundredth: E[e^(k (1 + Z))] is 100 for e^-k = a + (1 - a) / 100."""
    timer = ContinualConfirmation(
        skip_epsilon=Fraction(1, 2), test_epsilon=Fraction(60), threshold=1, warm=T, keys=1,
        horizon=T,
    )  # fmt: skip
    a = float(timer.skip)
    assert _decay(timer, [1.5, 0.01], 0.1)[0] == pytest.approx(-math.log(a + (1 - a) / 100), 1e-3)


def test_the_rate_of_a_timer_that_is_sure() -> None:
    """It hits after exactly 20 records, which leave a tenth."""
    timer = ContinualConfirmation(
        skip_epsilon=Fraction(60), test_epsilon=Fraction(60), threshold=20, warm=T, keys=1,
        horizon=T,
    )  # fmt: skip
    rate, least = _decay(timer, [1.5] * 20 + [0.1], 0.1)
    assert rate == pytest.approx(math.log(10) / 20, rel=1e-3)
    assert least == pytest.approx(math.exp(rate) / 10, rel=1e-3)


def test_a_timer_that_hits_too_early_has_no_rate() -> None:
    timer = ContinualConfirmation(
        skip_epsilon=Fraction(1, 2), test_epsilon=Fraction(1, 2), threshold=2, warm=T, keys=1,
        horizon=T,
    )  # fmt: skip
    assert _decay(timer, [1.5, 1.2, 1.1], 0.1)[0] == 0
    assert TalliedLearner(TABLE, Budget(1), horizon=T, threshold=2).mistake_bound(0.05) is None


def test_distances() -> None:
    assert Places(PAIRS).distance == 4
    table = TABLE.table()
    apart = max(int((a != b).sum()) for a in table for b in table)
    assert Places(TABLE).distance == apart


def test_what_it_takes() -> None:
    for H in (Points(Integers()), Thresholds.over(Reals())):
        with pytest.raises(DeclarationError, match="not a finite list"):
            TalliedLearner(H, Budget(1), horizon=T)
    around = parse_class("intervals(x, 0..300)").restrict(150, 1)
    with pytest.raises(DeclarationError, match="labels, more than"):
        TalliedLearner(around, Budget(1), horizon=T)


@pytest.mark.deep
@pytest.mark.parametrize("epsilon", ["1e-6", "1000"])
def test_extreme_budgets_are_answered(epsilon: str) -> None:
    learner = TalliedLearner(TABLE, Budget(epsilon), horizon=10**12)
    assert (learner.mistake_bound(0.05) is None) == (epsilon == "1e-6")


class Scripted(ShortTimer):
    """A script takes its chances."""

    def quiet(self, gap: int) -> Any:
        return 1 - self.shrink ** max(0, gap)


class Few(Script):
    """At most one record is skipped."""

    def geometric(self, a: Fraction, rng: object, *, most: int = 1) -> int:
        return super().geometric(a, rng, most=most)


def test_a_run_counts_from_the_step_after_a_tally(monkeypatch: pytest.MonkeyPatch) -> None:
    """Along every outcome of the timer's waits, without noise."""
    records = [("x0", 1), ("x1", 1), ("x0", 1)]
    learner = TalliedLearner(
        FiniteClass.from_array([[0, 0], [0, 1], [1, 1]]), Budget(1), horizon=3, threshold=1
    )
    half = Fraction(1, 2)
    timer = Scripted(skip_epsilon=half, test_epsilon=half, threshold=1, warm=1, keys=1, horizon=3)
    learner.mechanism = replace(learner.mechanism, timer=timer)
    learner.scores = Scores(np.array([-4096, 4096, 3 * 4096]))
    script = Few()
    script.take_over(monkeypatch)
    noises = list[int]()

    def noise(ratio: Fraction, rng: random.Random) -> int:
        noises.append(0)
        assert len(noises) <= 3 * learner.mechanism.cells, "one tally a step at most"
        return 0

    monkeypatch.setattr(tallies, "discrete_laplace", noise)

    def run() -> tuple[Any, ...]:
        noises.clear()
        stream = learner.stream(Tape(random.Random(0)))
        stream.begin_from()
        found = list[Any]()
        for x, y in records:
            stream.update(x, y)
            found.append((stream.published_at, stream.hypothesis.words()))
        return tuple(found)

    def expected() -> tuple[Any, ...]:
        noises.clear()
        weights, counts = (
            learner.initial_weights(),
            learner.mechanism.tallies(Tape(random.Random(0))),
        )
        counts.watch(1)
        last, found = 0, list[Any]()
        for step, (x, y) in enumerate(records, start=1):
            if weights.published_rule(x) != y and (cell := weights.cell(x, y)) is not None:
                counts.count(step, cell)
            if counts.due == step:
                last = step
                weights.take(counts.select())
                counts.watch(step + 1)
            found.append((last, weights.published_rule.words()))
        return tuple(found)

    assert script.explore(run) == script.explore(expected)


def test_a_class_of_one_hypothesis_publishes_it() -> None:
    learner = TalliedLearner(FiniteClass.from_array([[0, 1]]), Budget(1), horizon=10)
    with Ledger() as ledger:
        stream = learner.start(ledger=ledger, dataset="d", rng=seeded_generator(1))
    for x in ("x0", "x1"):
        stream.update(x, x == "x0")
    bound = learner.mistake_bound(0.05)
    assert bound is not None
    assert bound.mistakes == 0
