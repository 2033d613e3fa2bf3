"""Radii that begin at a noisy number of errors: sizes, refusals, and what is released."""

from __future__ import annotations

import random
from fractions import Fraction
from typing import Any

import pytest

from littlestone.base.errors import DeclarationError, TooLargeError
from littlestone.classes import FiniteClass, Outcomes, Subsets, Thresholds, parse_class
from littlestone.data.sample import Sample
from littlestone.learn import NoisyRadiiLearner
from littlestone.learn.base import MOST_WORK
from littlestone.learn.papers.noisy_radii import MOST_RECORDS, longest_of
from littlestone.learn.papers.radii_lists import lists
from littlestone.points import Integers
from littlestone.privacy import Budget
from littlestone.privacy.ledger import Ledger
from littlestone.privacy.randomness import seeded_generator

BUDGET = Budget(1, "1e-6")


@pytest.mark.parametrize(("d", "any_class", "steady"), [(1, 6435, 6435), (2, 15368, 15132)])
def test_the_proved_sizes(d: int, any_class: int, steady: int) -> None:
    for H, n in ((Thresholds.on(0, 2**d - 2), any_class), (Subsets(Integers(), d), steady)):
        learner = NoisyRadiiLearner(H, BUDGET)
        bound = learner.plan(0.1, 0.05)
        assert bound is not None
        assert (bound.n, bound.setting) == (n, "agnostic")
        assert learner.chance_of_error(n, 0.1) <= 0.05 < learner.chance_of_error(n - 1, 0.1)
        more = [n + 37 * i for i in range(9)] + [1 << i for i in range(n.bit_length(), 65)]
        assert all(learner.chance_of_error(m, 0.1) <= 0.05 for m in more)
        assert more[-1] == MOST_RECORDS
        assert NoisyRadiiLearner(H, BUDGET, lists=[1] * d).plan(0.1, 0.05) is None
        proved = NoisyRadiiLearner.with_proved_bound(H, BUDGET, alpha=0.1, beta=0.01)
        assert proved.plan(0.1, 0.01) is not None
    assert learner.cost().within(BUDGET.cost)


def test_radii_depend_on_the_number_of_records() -> None:
    learner = NoisyRadiiLearner(Subsets(Integers(), 2), BUDGET)
    for n in (300, 511, 512):
        at = learner.at(n)
        assert at.lists == longest_of(learner.hypotheses, at.radii, (1 << n.bit_length()) - 1)
        assert at.mechanism == learner.mechanism
    assert learner.at(300) is learner.at(511) is not learner.at(512)


def test_the_noise_seldom_passes_the_shift() -> None:
    learner = NoisyRadiiLearner(Subsets(Integers(), 1), BUDGET)
    (noise,) = learner.start.noises
    assert (
        2 * noise.at_least(learner.shift + 1)
        <= learner.beta / 4
        < 2 * noise.at_least(learner.shift)
    )
    assert [learner.first_radius(x, 50) for x in (-99, 0, 99)] == [0, learner.shift, 50]


def test_no_list_is_longer_than_the_records_can_make_it() -> None:
    rng, found = random.Random(5), 0
    rows = [[int(i in (a, b)) for i in range(5)] for a in range(5) for b in range(a)]
    mixed = parse_class("direct_sum(thresholds(a, 0..0), points(b; integers))")
    classes = Subsets(Integers(), 1), Subsets(Integers(), 2), FiniteClass.from_array(rows), mixed
    for H in classes * 12:
        xs, start, n = list(H.domain.examples(4)), rng.randrange(4), 7
        records = [(rng.choice(xs), rng.randrange(2)) for _ in range(n)]
        sample, d = Sample.from_examples(H.domain, records), int(H.littlestone_dimension())
        most = longest_of(H, 6, n)
        for t, rules in lists(H, sample, 6, (10**6,) * d, start):
            assert len(rules) <= most[t]
            found += 1
    assert found > 50


def released(learner: NoisyRadiiLearner[Any], counts: dict[Any, list[int]]) -> str:
    sample = Sample.from_counts(learner.hypotheses.domain, counts)
    with Ledger() as ledger:
        release = learner.fit(sample, ledger=ledger, dataset="d", rng=seeded_generator(1))
    return release.hypothesis.words()


def test_wrong_labels_are_learned_from() -> None:
    learner = NoisyRadiiLearner(Subsets(Integers(), 1), BUDGET)
    wrong = {9 + i: [10, 3] for i in range(60)}
    assert released(learner, {7: [20, 260], **wrong}) == "x is 7"
    short = NoisyRadiiLearner(Subsets(Integers(), 2), BUDGET, lists=[1, 2])
    assert released(short, {7: [20, 350], 8: [9, 350], **wrong}) == "x is one of 7, 8"


def test_the_law_is_one_of_starts_and_draws() -> None:
    learner = NoisyRadiiLearner(Subsets(Integers(), 1), BUDGET, lists=[3], beta=Fraction(1, 2))
    sample = Sample.from_counts(Integers(), {1: [0, 30], 2: [5, 5], 3: [30, 0]})
    law = learner.joint_law(sample)
    assert {start for start, _ in law} == set(range(sample.n + 1))
    assert sum(law.values()) == sum(learner.distribution(sample).values()) == 1


def test_what_takes_too_much_work_is_refused_before_the_spend() -> None:
    learner = NoisyRadiiLearner(Subsets(Integers(), 2), BUDGET)
    assert learner.work(1000) <= MOST_WORK < learner.work(5000)
    assert NoisyRadiiLearner(Subsets(Integers(), 1), BUDGET).work(6435) <= MOST_WORK
    sample = Sample.from_counts(Integers(), {7: [0, 5000]})
    with Ledger() as ledger:
        with pytest.raises(TooLargeError, match="it may take"):
            learner.fit(sample, ledger=ledger, dataset="d")
        assert ledger.entries() == []
    with pytest.raises(DeclarationError, match="searched with a limit"):
        NoisyRadiiLearner(Outcomes.over_columns("a", "b", labels=3, max_rules=1), BUDGET)
    with pytest.raises(DeclarationError, match="delta"):
        NoisyRadiiLearner(Subsets(Integers(), 1), Budget(1))
