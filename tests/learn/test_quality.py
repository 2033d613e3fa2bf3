"""How good a rule is, from its private table: figures as defined, within their intervals."""

from __future__ import annotations

import json
from fractions import Fraction
from itertools import product
from typing import Any

import numpy as np
import pytest

from littlestone.learn.results.quality import STEPS, Quality, _area, sum_within, weighted_within
from littlestone.learn.results.risks import Risks
from littlestone.points import Grid
from littlestone.privacy.draws import counts_of_places
from littlestone.privacy.ledger import Ledger
from littlestone.privacy.randomness import seeded_generator
from littlestone.rules import StepFunction
from planting import Fault, turns_red
from whole_grid import WHOLE

RULE = StepFunction(Grid(0, 99, "age"), 0, (20, 40, 60))  # labels 0, 1, 0, 1
TRUE = ((400, 20), (60, 90), (150, 50), (30, 200))
N = sum(map(sum, TRUE))
BETA = Fraction(1, 20)


def quality(counts: Any, epsilon: object = 1) -> Quality:
    return Quality(Risks(RULE, Fraction(str(epsilon)), N, counts))


def truth(order: list[list[int]]) -> dict[str, Fraction]:
    """The figures of the true table, record by record or pair by pair."""
    cells = [(i, y, n) for i, row in enumerate(TRUE) for y, n in enumerate(row)]
    rank = {i: -j for j, alike in enumerate(order) for i in alike}

    def count(wanted: Any) -> int:
        return sum(n for i, y, n in cells if wanted(i % 2, y))

    def share(given: Any, among: Any) -> Fraction:
        return Fraction(count(lambda h, y: given(h, y) and among(h, y)), count(among))

    pairs = [
        (n * m, (rank[i] > rank[j]) + Fraction(rank[i] == rank[j], 2))
        for (i, y, n), (j, z, m) in product(cells, cells)
        if (y, z) == (1, 0)
    ]
    return {
        "positives": share(lambda h, y: y == 1, lambda h, y: True),
        "error": share(lambda h, y: h != y, lambda h, y: True),
        "recall": share(lambda h, y: h == 1, lambda h, y: y == 1),
        "specificity": share(lambda h, y: h == 0, lambda h, y: y == 0),
        "precision": share(lambda h, y: y == 1, lambda h, y: h == 1),
        "auc": sum((n * won for n, won in pairs), Fraction(0)) / sum(n for n, _ in pairs),
    }


def the_figures_are_those_of_their_definitions() -> None:
    sure = quality(TRUE, 200)  # so much epsilon that the noise is 0
    for name, share in sure.shares().items():
        assert share.low == share.middle == share.high == truth(sure.ranks)[name], name


def test_the_figures_are_those_of_their_definitions() -> None:
    the_figures_are_those_of_their_definitions()


def all_intervals_hold_as_often_as_they_say(trials: int = 150) -> None:
    mechanism, rng, held = counts_of_places(Fraction(1, 2)), seeded_generator(8), 0
    with Ledger() as ledger:
        for _ in range(trials):
            receipt = ledger.spend(mechanism, dataset="d", what="test", rng=rng)
            ys = mechanism.draw([n for row in TRUE for n in row], receipt=receipt)
            found = quality(tuple(zip(ys[::2], ys[1::2], strict=True)), 0.5)
            known = truth(found.ranks)
            held += all(s.low <= known[name] <= s.high for name, s in found.shares().items())
    assert held >= trials * 0.95


def test_all_intervals_hold_as_often_as_they_say() -> None:
    all_intervals_hold_as_often_as_they_say()


def the_ranking_may_be_chosen_by_the_noise(trials: int = 300) -> None:
    """Places alike, small beside the noise: what looks riskiest has the largest noise, not more ill."""
    rule, m = StepFunction(Grid(0, 99, "age"), 0, tuple(range(5, 60, 5))), 12
    mechanism, rng, held = counts_of_places(Fraction(1, 20)), seeded_generator(4), 0
    with Ledger() as ledger:
        for _ in range(trials):
            receipt = ledger.spend(mechanism, dataset="d", what="test", rng=rng)
            ys = mechanism.draw([2000] * 2 * m, receipt=receipt)
            rows = tuple(zip(ys[::2], ys[1::2], strict=True))
            auc = Quality(Risks(rule, Fraction(1, 20), 4000 * m, rows)).auc
            held += auc.low <= Fraction(1, 2) <= auc.high
    assert held >= trials * 0.95


def test_it_prints_as_its_rows() -> None:
    shown = repr(quality(TRUE))
    assert shown.splitlines()[0].startswith("positives    about ")
    assert len(shown.splitlines()) == 7


def test_the_ranking_may_be_chosen_by_the_noise() -> None:
    the_ranking_may_be_chosen_by_the_noise(60)


class Score(StepFunction):
    """Eight places that the rule itself orders; positives are many, or few."""

    ordered = True

    @property
    def risks(self) -> tuple[float, ...]:
        return tuple(0.1 + 0.1 * i for i in range(8))


SCORE = Score(Grid(0, 99, "age"), 0, tuple(range(10, 80, 10)))
RISING = [(60, 40), (50, 90), (40, 160), (40, 220), (30, 300), (20, 400), (10, 420), (5, 500)]
FALLING = [(y, x) for x, y in reversed(RISING)]


def auc_of(table: Any) -> Fraction:
    """That of a score whose places rise, pair by pair."""
    wins = Fraction(0)
    for (i, (_, c)), (j, (d, _)) in product(enumerate(table), repeat=2):
        wins += c * d * ((i > j) + Fraction(i == j, 2))
    negative, positive = (sum(row[y] for row in table) for y in (0, 1))
    return Fraction(wins, negative * positive)


def the_auc_of_a_score_is_within_its_bound(trials: int = 100) -> None:
    epsilon, rng = Fraction(1, 4), seeded_generator(5)
    mechanism, narrower = counts_of_places(epsilon), 0
    with Ledger() as ledger:
        for table in (RISING, FALLING):
            true, n, held = auc_of(table), sum(map(sum, table)), 0
            for _ in range(trials):
                receipt = ledger.spend(mechanism, dataset="d", what="test", rng=rng)
                ys = mechanism.draw([m for row in table for m in row], receipt=receipt)
                rows = tuple(zip(ys[::2], ys[1::2], strict=True))
                found = Quality(Risks(SCORE, epsilon, n, rows))
                low, high = found._pairs()
                held += low <= true <= high and found.auc.low <= true <= found.auc.high
                ends = (
                    ((f.high, s.low) for f, s in found.roc),
                    ((f.low, s.high) for f, s in found.roc),
                )
                least, most = map(_area, ends)
                narrower += high - low < most - least
            assert held >= trials * 0.97
    assert narrower >= trials


def test_the_auc_of_a_score_is_within_its_bound() -> None:
    the_auc_of_a_score_is_within_its_bound(10)


def test_without_noise_the_pairs_say_the_auc() -> None:
    n = sum(map(sum, RISING))
    low, high = Quality(Risks(SCORE, Fraction(200), n, tuple(RISING)))._pairs()
    assert high - low <= Fraction(3, STEPS)
    assert low <= auc_of(RISING) <= high


def test_weights_of_one_have_the_bound_of_a_sum() -> None:
    for epsilon, k in ((Fraction(1), 4), (Fraction(1, 10), 20)):
        (found,) = weighted_within(epsilon, np.ones((1, k)), BETA)
        assert sum_within(epsilon, k, BETA) <= found + 1
        (twice,) = weighted_within(epsilon, np.full((1, k), 2.0), BETA)
        assert twice == pytest.approx(2 * found)


@pytest.mark.deep
def test_all_intervals_hold_in_thousands_of_draws() -> None:
    all_intervals_hold_as_often_as_they_say(10_000 if WHOLE else 2_000)


@pytest.mark.parametrize(("epsilon", "k"), [("1", 1), ("1", 4), ("0.3", 9), ("6", 30)])
def test_a_sum_of_noises_is_beyond_its_bound_as_rarely_as_it_says(epsilon: str, k: int) -> None:
    a = float(counts_of_places(Fraction(epsilon)).ratio)
    t, m = sum_within(Fraction(epsilon), k, BETA), 3000
    one = (1 - a) / (1 + a) * a ** np.abs(np.arange(-m // k, m // k + 1))
    law = np.ones(1)
    for _ in range(k):
        law = np.convolve(law, one)
    middle = len(law) // 2
    beyond = 1 - law[middle - t : middle + t + 1].sum()
    assert beyond <= BETA
    spread = (2 * a * k) ** 0.5 / (1 - a)
    assert k == 1 or t <= 4 * spread + 3


def test_nothing_is_known_where_there_may_be_no_record() -> None:
    found = quality(((2, 1), (0, -1), (-3, 2), (1, 0)), "0.01")
    for name in ("recall", "specificity", "precision", "auc"):
        share = found.shares()[name]
        assert share.low == 0
        assert share.high == 1
    assert all(0 <= s.low <= s.high <= 1 for s in found.shares().values())
    assert len(json.dumps(found.to_json())) > 50


def test_places_of_equal_risk_are_one_rank() -> None:
    found = quality(((100, 100), (100, 100), (100, 100), (90, 10)))
    assert [len(alike) for alike in found.ranks] == [3, 1]
    assert len(found.roc) == 3


FAULTS = {
    Fault(
        "littlestone.learn.results.quality:Quality._pairs",
        "for w in (inner, outer)",
        "for w in (inner,)",
        "Pairs have the noise of label 1 alone.",
    ): the_auc_of_a_score_is_within_its_bound,
    Fault(
        "littlestone.learn.results.quality:Quality._pairs",
        "for w in (inner, outer)",
        "for w in (outer,)",
        "Pairs have the noise of label 0 alone.",
    ): the_auc_of_a_score_is_within_its_bound,
    Fault(
        "littlestone.learn.results.quality:Quality._outcome",
        "place.label == given",
        "place.label != given",
        "Predicted labels are exchanged.",
    ): the_figures_are_those_of_their_definitions,
    Fault(
        "littlestone.learn.results.quality:Quality._sum",
        "self._beta / ways",
        "Fraction(9, 10)",
        "Sums may be beyond their bounds nine times in ten.",
    ): all_intervals_hold_as_often_as_they_say,
    Fault(
        "littlestone.learn.results.quality:Quality._sum",
        "self.risks.epsilon, len(counts)",
        "self.risks.epsilon, 1",
        "A sum has the noise of one count.",
    ): all_intervals_hold_as_often_as_they_say,
}


@pytest.mark.deep
@pytest.mark.parametrize("fault", FAULTS, ids=lambda fault: fault.mistake)
def test_each_fault_turns_red(fault: Fault, monkeypatch: pytest.MonkeyPatch) -> None:
    turns_red(fault, FAULTS[fault], monkeypatch)
