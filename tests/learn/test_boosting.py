"""Boosting: the walk and its identity, what a weak learner sees, the vote, and privacy."""

from __future__ import annotations

from collections import Counter
from fractions import Fraction
from itertools import pairwise, product
from typing import Any

import pytest

from littlestone.base.errors import DeclarationError, LedgerError
from littlestone.classes import FiniteClass, Points, Thresholds, parse_class
from littlestone.data.sample import Sample
from littlestone.learn import BoostingLearner, ExponentialLearner
from littlestone.learn.papers.boosting import Walk
from littlestone.points import Integers
from littlestone.privacy import Budget
from littlestone.privacy.ledger import Ledger
from littlestone.privacy.randomness import seeded_generator
from littlestone.prove.audit import exact_audit, neighbours
from littlestone.prove.audit.subjects.reductions import (
    RECORDS,
    law_of_learner,
    tiny,
    votes_in_order,
)

ONE = Fraction(1)
H = Thresholds.on(0, 9)


@pytest.mark.parametrize(("rounds", "gamma"), [(3, "1/4"), (5, "1/10"), (7, "2/5"), (9, "1/3")])
def test_weights_are_the_chances_that_a_vote_decides(rounds: int, gamma: str) -> None:
    walk, p = Walk(rounds, Fraction(gamma)), Fraction(1, 2) + Fraction(gamma)

    def chance(votes: int, wanted: int) -> Fraction:
        """That so many votes have so many right ones, by listing all of them."""
        found = Fraction(0)
        for right in product((0, 1), repeat=votes):
            if sum(right) == wanted:
                found += p ** sum(right) * (1 - p) ** (votes - sum(right))
        return found

    assert walk.majority_error == sum(chance(rounds, r) for r in range(rounds // 2 + 1))
    for t in range(1, rounds + 1):
        by_definition = [chance(rounds - t, rounds // 2 - r) for r in range(t)]
        scale = walk.weights(t)[0] / by_definition[0] if by_definition[0] else None
        unit = p.denominator ** (rounds - t)
        assert scale in (None, unit)
        assert walk.weights(t) == [w * unit for w in by_definition]
        assert walk.height(t) == pytest.approx(float(max(by_definition)))


def test_the_error_of_the_majority_is_what_the_rounds_add_up_to() -> None:
    """Theorem 2, its identity: err = lost + sum_t W_t (e_t - 1/2 + gamma), for any votes at all."""
    rng = seeded_generator(1)
    for gamma, rounds in product((Fraction(1, 10), Fraction(1, 4), Fraction(2, 5)), (3, 5, 7)):
        walk, points = Walk(rounds, gamma), 6
        for _ in range(20):
            mass = [Fraction(rng.randrange(5)) for _ in range(points)]
            mass = [m / (sum(mass) or 1) for m in mass]
            right = [0] * points
            total = walk.majority_error * sum(mass)
            for t in range(1, rounds + 1):
                vote = [rng.randrange(2) for _ in range(points)]  # 1: right at that point
                unit = (Fraction(1, 2) + gamma).denominator ** (rounds - t)
                w = [Fraction(walk.weights(t)[r], unit) for r in right]
                total += sum(
                    m * a * (1 - v - Fraction(1, 2) + gamma)
                    for m, a, v in zip(mass, w, vote, strict=True)
                )
                right = [r + v for r, v in zip(right, vote, strict=True)]
            assert total == sum(m for m, r in zip(mass, right, strict=True) if 2 * r < rounds)


def test_what_a_weak_learner_sees_changes_in_one_record() -> None:
    """For the same coins: the coupling in the proof of Theorem 1."""
    learner = BoostingLearner(H, Budget(1), kept="2/3", gamma="2/5", alpha="0.2")
    records = [(x, y) for x in (0, 4) for y in (0, 1)]
    votes = [H.hypothesis(2), H.hypothesis(7)]

    def seen(part: Any, coins: Any) -> Counter[Any]:
        chances = learner.chances(part, votes)
        passed = [z for z, p, u in zip(part, chances, coins, strict=True) if u < p]
        sample = learner.fill_sample(passed, len(part))
        counts = Counter[Any]()
        for x, zeros, ones in zip(sample.points, sample.negatives, sample.positives, strict=True):
            counts[x, 0], counts[x, 1] = int(zeros), int(ones)
        return counts

    levels = sorted({p for z in records for p in learner.chances([z], votes)})
    coins = [(low + high) / 2 for low, high in pairwise(levels)] + [max(levels)]
    apart = set()
    for one, other in neighbours(records, 3):
        for coin in product(coins, repeat=3):
            first, second = seen(one, coin), seen(other, coin)
            assert first.total() == second.total() == 2
            apart.add((first - second).total())
    assert apart == {0, 1}


def test_private_with_all_votes_told() -> None:
    learner = tiny(ONE)
    audit = exact_audit(votes_in_order(learner), tuple(neighbours(RECORDS, 6)), learner.event)
    assert audit.holds


def test_draws_follow_the_exact_law() -> None:
    learner, rng = tiny(2 * ONE), seeded_generator(3)
    data = ((0, 1),) * 5 + ((0, 0),) * 4
    law, sample = (
        law_of_learner(learner)(data),
        Sample.from_examples(learner.hypotheses.domain, data),
    )
    ones, runs = 0, 500
    with Ledger() as ledger:
        for i in range(runs):
            ones += learner.fit(sample, ledger=ledger, dataset=f"d{i}", rng=rng).hypothesis(0)
    expected = float(sum(p for text, p in law.items() if "always 1" in str(text)))
    assert 0.05 < expected < 0.95
    assert abs(ones / runs - expected) < 5 * 0.5 / runs**0.5


def test_the_receipt_is_redeemed_before_the_first_random_bit() -> None:
    learner = BoostingLearner(H, Budget(1))
    sample = Sample.from_examples(H.domain, [(x % 10, 1) for x in range(100)])
    with Ledger() as ledger:
        for event in (learner.weak.event, learner.event):
            rng = seeded_generator(2)
            receipt = ledger.spend(event, dataset="d", what="test", rng=rng)
            if event == learner.event:
                learner.draw(sample, receipt=receipt)
            state = rng.getstate()
            with pytest.raises(LedgerError):
                learner.draw(sample, receipt=receipt)
            assert rng.getstate() == state
        assert ledger.total("d").epsilon == 2


@pytest.mark.parametrize("n", [1, 5, 40])
def test_too_few_records_are_no_error(n: int) -> None:
    learner = BoostingLearner(H, Budget(1))
    sample = Sample.from_examples(H.domain, [(3, 1)] * n)
    with Ledger() as ledger:
        release = learner.fit(sample, ledger=ledger, dataset="d", rng=seeded_generator(n))
    assert release.n == n


def test_it_learns_what_no_hypothesis_of_the_class_says() -> None:
    """A majority of stumps: at least two of three columns are large."""
    stumps: Any = parse_class("stumps(a 0..1, b 0..1, c 0..1)")
    learner = BoostingLearner(stumps, Budget(4), alpha="0.2", gamma="1/10", kept="1/2")
    data = [(x, int(sum(x) >= 2)) for x in product((0, 1), repeat=3)] * 3000
    with Ledger() as ledger:
        sample = Sample.from_examples(stumps.domain, data)
        h = learner.fit(sample, ledger=ledger, dataset="d", rng=seeded_generator(8)).hypothesis
    assert all(h(x) == y for x, y in data[:8])
    assert (
        min(sum(g(x) != y for x, y in data[:8]) for g in map(stumps.hypothesis, range(stumps.size)))
        == 2
    )


def test_proved_sizes() -> None:
    goal: dict[str, Any] = {"alpha": 0.1, "beta": 0.05}
    tabled = FiniteClass.from_array([[0, 1, 1], [1, 0, 0], [1, 1, 0]])
    for Hx, delta in ((H, 0), (tabled, 0), (Points(Integers()), "1e-6")):
        learner = BoostingLearner.with_proved_bound(Hx, Budget(1, delta), **goal)
        bound = learner.plan(**goal, setting="realizable")
        assert bound is not None
        assert learner.plan(**goal) is None  # agnostic
        assert learner.plan(0.01, 0.05, setting="realizable") is None  # fewer rounds than it takes
        size = len(learner.parts([(0, 0)] * bound.n)[0])
        seen = learner.fill_sample([], size).n
        needed = learner.weak.plan(0.25, 0.05 / (2 * learner.walk.rounds), setting="realizable")
        assert needed is not None
        assert seen >= needed.n


def test_a_proved_size_is_enough() -> None:
    goal: dict[str, Any] = {"alpha": 0.2, "beta": 0.1}
    learner = BoostingLearner.with_proved_bound(H, Budget(2), **goal)
    bound = learner.plan(**goal, setting="realizable")
    assert bound is not None
    rng, wrong = seeded_generator(5), 0
    with Ledger() as ledger:
        for i in range(20):
            counts: dict[Any, list[int]] = {x: [0, 0] for x in range(10)}
            for _ in range(bound.n):
                x = rng.randrange(10)
                counts[x][x >= 4] += 1
            sample: Sample[Any] = Sample.from_counts(H.domain, counts)
            h = learner.fit(sample, ledger=ledger, dataset=f"d{i}", rng=rng).hypothesis
            wrong += sum(h(x) != (x >= 4) for x in range(10)) > 2
    assert wrong <= 2


@pytest.mark.parametrize(
    "options",
    [
        {"gamma": 0},
        {"gamma": "1/2"},
        {"gamma": "0.001"},
        {"alpha": 0},
        {"kept": 1},
        {"kept": -1},
        {"weak": ExponentialLearner(H, Budget(2))},
        {"weak": ExponentialLearner(Thresholds.on(0, 8), Budget(1))},
    ],
    ids=lambda options: "-".join(options),
)
def test_illegal_declarations(options: dict[str, Any]) -> None:
    with pytest.raises(DeclarationError):
        BoostingLearner(H, Budget(1), **options)


def test_a_weak_learner_of_ones_own() -> None:
    weak = ExponentialLearner(H, Budget("0.5"))
    learner = BoostingLearner(H, Budget(1), weak=weak)
    assert learner.cost().epsilon == Fraction(1, 2)


def test_classes_whose_votes_have_no_form() -> None:
    planes = parse_class("affine(x, y, z; q 1009, dimension 2)")
    with pytest.raises(DeclarationError, match="no form"):
        BoostingLearner(planes, Budget(1, "1e-6"))


def test_the_weak_learner_is_given_a_record_of_each_part_at_least() -> None:
    learner = BoostingLearner(Thresholds.on(0, 9), Budget(1), kept="1/3")
    given = [learner.weak_sample_size(size) for size in range(1, 200)]
    assert given[0] == 1
    assert all(0 < few <= size for size, few in enumerate(given, 1))
