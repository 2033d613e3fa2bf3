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
from littlestone.classes import FiniteClass, Points, Thresholds, parse_class
from littlestone.learn.stream import TalliedLearner
from littlestone.learn.stream.known_ends import Columns
from littlestone.learn.stream.tallied import (
    _DRIFTS,
    _UNITS,
    Scores,
    Weights,
    _decay,
    _factors,
    likelihood_scores,
)
from littlestone.points import Integers, Reals
from littlestone.privacy import Budget
from littlestone.privacy.ledger import Ledger
from littlestone.privacy.mechanisms import tallies
from littlestone.privacy.mechanisms.confirmation import ContinualConfirmation
from littlestone.privacy.randomness import seeded_generator
from littlestone.privacy.tape import Tape
from littlestone.rules import values_of
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
    assert (bound.proved, bound.adaptive) == (True, True)
    assert all(erred(learner, seed, choose, pause) <= bound.mistakes for seed in range(2))


def test_weights_are_those_of_the_scores() -> None:
    """Beside powers in floats and their majority."""
    asked, rng = Columns(TABLE), np.random.default_rng(1)
    values = [-700, 300, 1500, 2900, 9000]
    weights, scores = Weights(asked, Scores(np.array(values), 2)), [0] * asked.table.shape[1]
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
    """Beside sums over the number of mistakes; noise alone makes nothing heavier on average."""
    scores, e, share = likelihood_scores(Fraction(1, 20), epsilon), float(epsilon), 0.05
    assert scores.times == 1
    law: dict[int, float] = {}
    for chance, mean in ((share, 0.5 / e), (share, 1.25 / e), (share / 10, 4 / e)):
        q = 1 - 1 / max(mean, 2 if chance < share else 1)
        for n in range(1, 3000):
            law[n] = law.get(n, 0) + chance * (1 - q) * q ** (n - 1)
    none = 1 - 2.1 * share

    def log_ratio(v: int) -> float:
        return math.log(
            none
            + sum(w * math.exp(e * (abs(v) - abs(v - n))) for n, w in law.items() if w > 1e-300)
        )

    found = scores.values / _UNITS
    for v in range(min(40, len(found))):
        assert found[v] - found[0] == pytest.approx(log_ratio(v) - log_ratio(0), abs=3 / _UNITS)
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
    table, rng = learner.asked.table, np.random.default_rng(2)
    a = float(learner.mechanism.ratio)
    noise, gain = _factors(learner.scores, -math.log(a), 40)
    for spreads in (1, 3):
        h = table[:, 5]
        majority = 2 * table.sum(axis=1) > table.shape[1]
        wrong = np.flatnonzero(majority != h)[:spreads]
        counts = np.zeros(len(table), dtype=int)
        counts[wrong] = 30 // len(wrong)
        drawn = rng.geometric(1 - a, (4000, len(table))) - rng.geometric(1 - a, (4000, len(table)))
        scores = learner.scores.score_cells(counts + drawn)
        added = scores @ (table != majority[:, None]).astype(np.int64)
        ratios = np.exp((added - added[:, [5]]) / _UNITS).mean(axis=1)
        most = math.exp(learner.distance * noise) * (1 + math.exp(-30 * gain)) / 2
        assert ratios.mean() <= most


def test_the_first_hypothesis_settles_ties() -> None:
    for row in ([0, 1], [1, 0]):
        H = FiniteClass.from_array([row, [1 - label for label in row]])
        published = Weights(Columns(H), Scores(np.array([-4096, 4096]))).published_rule
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
    noise, gain = _factors(scores, epsilon, records)

    def mean(sign: int, count: int) -> float:
        return sum(
            p * math.exp(sign * int(scores.values[min(max(count + x, 0), 4)]) / _UNITS)
            for x, p in noise_masses(epsilon).items()
        )

    assert noise == pytest.approx(math.log(max(mean(1, 0), mean(-1, 0))), abs=1e-6)
    rates = [(noise - math.log(mean(-1, s))) / s for s in range(1, records + 1)]
    assert gain == pytest.approx(min(rates), abs=1e-6)
    assert max(rates) > 1.1 * gain


def test_the_bound_is_that_of_theorem_2() -> None:
    learner = TalliedLearner(TABLE, Budget(1), horizon=T)
    timer, a = learner.mechanism.timer, float(learner.mechanism.ratio)
    noise, gain = _factors(learner.scores, -math.log(a), timer.threshold)
    records = range(timer.threshold + 1)
    left = [math.exp(learner.distance * noise) * (1 + math.exp(-gain * s)) / 2 for s in records]
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
    assert TalliedLearner(PAIRS, Budget(1), horizon=T).distance == 4
    table = TABLE.table()
    apart = max(int((a != b).sum()) for a in table for b in table)
    assert TalliedLearner(TABLE, Budget(1), horizon=T).distance == apart


def test_what_it_takes() -> None:
    for H in (Points(Integers()), Thresholds.over(Reals())):
        with pytest.raises(DeclarationError, match="not a finite list"):
            TalliedLearner(H, Budget(1), horizon=T)
    with pytest.raises(DeclarationError, match="labels, more than"):
        TalliedLearner(parse_class("intervals(x, 0..200)"), Budget(1), horizon=T)


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
            if weights.published_rule(x) != y and (cell := weights.cell(x)) is not None:
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
