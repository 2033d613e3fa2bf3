"""Private estimates of a released rule: paid with it, noise of the right size, intervals that hold."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import pytest

from littlestone.classes import Subsets, Thresholds, parse_class
from littlestone.domains import Integers
from littlestone.errors import BudgetExceededError, DeclarationError, ModelError
from littlestone.learners import ChoosingLearner, ExponentialLearner, Release
from littlestone.learners.estimate import Estimate, cells
from littlestone.planning import choose_learner
from littlestone.privacy import Budget
from littlestone.privacy.cost import PrivacyCost
from littlestone.privacy.ledger import Ledger
from littlestone.privacy.mechanisms.scores.cell_counts import CellCounts
from littlestone.privacy.randomness import seeded_generator
from littlestone.sample import Sample

H = Thresholds.on(0, 9)
SAMPLE = Sample[Any].from_counts(H.domain, {2: [40, 3], 5: [2, 30], 8: [5, 20]})
BETA = Fraction(1, 20)


def test_cells_are_those_of_the_definition() -> None:
    rule = H.hypothesis(4)
    examples = [(x, y) for x, n in {2: (40, 3), 5: (2, 30), 8: (5, 20)}.items() for y in (0, 1)
                for _ in range(n[y])]  # fmt: skip
    expected = [sum((rule(x), y) == kind for x, y in examples) for kind in ((1, 1), (1, 0), (0, 1))]
    assert list(cells(rule, SAMPLE)) == expected


@pytest.mark.parametrize(
    ("text", "delta"),
    [
        ("thresholds(x, 0..9)", "0"),
        ("subsets(x; at most 3, integers)", "1e-6"),
        ("rule_sets(integers(x); at most 3 rules of 1)", "1e-6"),
    ],
)
def test_one_entry_pays_for_the_rule_and_its_estimate(text: str, delta: str) -> None:
    learner, _ = choose_learner(parse_class(text), Budget(1, delta))
    sample = Sample.from_examples(learner.hypotheses.domain, [(3, 1)] * 50 + [(4, 0)] * 50)
    with Ledger() as ledger:
        release = learner.fit(sample, ledger=ledger, dataset="d", estimate=Fraction("0.25"))
        (entry,) = ledger.entries()
        assert entry.cost == release.cost == learner.event_with(Fraction("0.25")).cost()
        assert release.cost.within(PrivacyCost(Fraction("1.25"), Fraction(delta)))
    assert release.estimate is not None
    assert "counts of 3 cells" in entry.mechanism
    assert Release.from_json(release.to_json()) == release


def test_a_refused_budget_refuses_both() -> None:
    learner = ExponentialLearner(H, Budget(1))
    with Ledger() as ledger:
        ledger.set_limit("d", PrivacyCost(Fraction(1)))
        with pytest.raises(BudgetExceededError):
            learner.fit(SAMPLE, ledger=ledger, dataset="d", estimate=Fraction("0.1"))
        assert not ledger.entries()
        assert learner.fit(SAMPLE, ledger=ledger, dataset="d").estimate is None
    wrongs: list[Any] = [Fraction(0), Fraction(-1), 1, 0.5, "0.5", True]
    for wrong in wrongs:
        with pytest.raises(DeclarationError, match="epsilon"):
            learner.event_with(wrong)


def test_peeling_and_its_estimate_cost_no_more_than_their_sum() -> None:
    learner = ChoosingLearner(Subsets(Integers(), 40), Budget(1, "1e-6"))
    total = learner.event_with(Fraction("0.1")).cost()
    assert total.epsilon <= learner.cost().epsilon + Fraction(1, 10)
    assert total.delta <= learner.cost().delta


@pytest.mark.parametrize("epsilon", [Fraction(1, 10), Fraction(1), Fraction(3)])
def test_noise_stays_within_the_bound_as_often_as_it_says(epsilon: Fraction) -> None:
    counts = CellCounts(epsilon, 3)
    a, t = counts.ratio, counts.within(BETA)

    def beyond(t: int) -> Fraction:
        return 3 * 2 * a ** (t + 1) / (1 + a)

    assert beyond(t) <= BETA < beyond(t - 1)


@pytest.mark.slow
def test_intervals_hold_as_often_as_they_say() -> None:
    rule, rng, held, trials = H.hypothesis(4), seeded_generator(4), 0, 200
    right, wrong, missed = cells(rule, SAMPLE)
    truth = {
        "precision": Fraction(right, right + wrong),
        "recall": Fraction(right, right + missed),
        "error": Fraction(wrong + missed, SAMPLE.n),
    }
    counts = CellCounts(Fraction(1), 3)
    with Ledger() as ledger:
        for _ in range(trials):
            receipt = ledger.spend(counts, dataset="d", what="test", rng=rng)
            noisy = counts.draw((right, wrong, missed), receipt=receipt)
            estimate = Estimate(Fraction(1), SAMPLE.n, *noisy)
            shares = {name: getattr(estimate, name)(BETA) for name in truth}
            held += all(shares[name].low <= truth[name] <= shares[name].high for name in truth)
            assert all(
                0 <= share.low <= share.middle <= share.high <= 1 for share in shares.values()
            )
    assert held >= trials * 0.95 - 10


@pytest.mark.parametrize("noisy", [(0, 0, 0), (-9, -9, -9), (-3, 900, 900), (10**9, 5, -(10**9))])
def test_no_noise_makes_an_estimate_impossible(noisy: tuple[int, int, int]) -> None:
    estimate = Estimate(Fraction(1), 100, *noisy)
    for share in (estimate.precision(BETA), estimate.recall(BETA), estimate.error(BETA)):
        assert 0 <= share.low <= share.middle <= share.high <= 1
    assert len(estimate.rows()) == 5


def test_a_damaged_estimate_is_no_model() -> None:
    with Ledger() as ledger:
        release = ExponentialLearner(H, Budget(1)).fit(
            SAMPLE, ledger=ledger, dataset="d", estimate=Fraction(1)
        )
    wrong: list[Any] = [
        {},
        [],
        7,
        {"budget": Budget("1")},
        {"budget": Budget("1"), "true positives": 0.5},
    ]
    for damaged in wrong:
        data = {**release.to_json(), "estimate": damaged}
        with pytest.raises(ModelError):
            Release.from_json(data)
