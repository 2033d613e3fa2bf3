"""Private selection: the law of the number of runs, the lemma of the proof, its cost, and its draws."""

from __future__ import annotations

from collections import Counter
from fractions import Fraction
from itertools import product
from typing import Any

import polars
import pytest

import littlestone
from littlestone.audit.subjects.private_selection import CHANGING, CONSTANTS, tables
from littlestone.classes import Thresholds, parse_class
from littlestone.classes.union import ScoredUnion
from littlestone.data import Label
from littlestone.errors import BudgetExceededError, DeclarationError, NotPrivateWarning
from littlestone.learners import ChoosingLearner, ExponentialLearner, Release, SelectionLearner
from littlestone.privacy import Budget
from littlestone.privacy.accounting.selected import Repeats, Selected
from littlestone.privacy.cost import PrivacyCost
from littlestone.privacy.ledger import Ledger
from littlestone.privacy.mechanisms.scores.cell_counts import CellCounts
from littlestone.privacy.randomness import seeded_generator
from littlestone.sample import Sample
from littlestone.tasks import Task, declared_class

ONE = Fraction(1)
LAWS = [Repeats(factor, most) for factor in (2, 3) for most in (1, 2, 7, 30)]
SAMPLE = Sample.from_examples(CONSTANTS.domain, [("x0", 0), ("x1", 1), ("x1", 1)])


@pytest.mark.parametrize("law", LAWS, ids=str)
def test_the_chances_are_those_of_the_page(law: Repeats) -> None:
    weights = [Fraction(k) ** (law.factor - 3) for k in range(1, law.most + 1)]
    assert law.chances == tuple(weight / sum(weights) for weight in weights)
    assert law.mean == sum(k * p for k, p in enumerate(law.chances, 1))
    for x in (Fraction(0), Fraction(1, 3), ONE):
        assert law.power(x) == sum(p * x**k for k, p in enumerate(law.chances, 1))


@pytest.mark.parametrize("law", LAWS, ids=str)
def test_a_number_is_drawn_with_its_chance(law: Repeats) -> None:
    class Counting:
        """A generator whose numbers are given; it says how many there are."""

        def __init__(self) -> None:
            self.given = self.below = 0

        def randrange(self, below: int) -> int:
            self.below = below
            return self.given

    rng: Any = Counting()
    law.draw(rng)
    step = max(1, rng.below // 3000)  # the counts are huge for many runs of the factor 2
    seen = Counter[int]()
    for given in range(0, rng.below, step):
        rng.given = given
        seen[law.draw(rng)] += 1
    edge = Fraction(2 * step, rng.below)
    assert all(abs(Fraction(seen[k] * step, rng.below) - p) <= edge
               for k, p in enumerate(law.chances, 1))  # fmt: skip
    rng.given = rng.below - 1
    assert law.draw(rng) == law.most


@pytest.mark.parametrize("law", LAWS, ids=str)
def test_the_lemma(law: Repeats) -> None:
    """g falls, and s^(factor - 1) g(s) does not."""

    def g(s: Fraction) -> Fraction:
        return sum((p * k * (1 - s) ** (k - 1) for k, p in enumerate(law.chances, 1)), Fraction(0))

    grid = [g(Fraction(i, 40)) for i in range(41)]
    assert grid == sorted(grid, reverse=True)
    grown = [Fraction(i, 40) ** (law.factor - 1) * value for i, value in enumerate(grid)]
    assert grown == sorted(grown)


@pytest.mark.parametrize("factor", [2, 3])
def test_the_cost_is_nearly_reached(factor: int) -> None:
    """One run has the ratio 2, and the best run nearly 2^factor; a run's delta counts E[K] times."""
    law, rare = Repeats(factor, 200), Fraction(1, 10**4)

    def released(better: Fraction, own: Fraction) -> Fraction:
        return law.power(1 - better) - law.power(1 - better - own)

    ratio = released(Fraction(1, 10), 2 * rare) / released(Fraction(1, 5), rare)
    assert Fraction(98, 100) * 2**factor < ratio <= 2**factor
    told, delta = Fraction(1, 10**6), law.mean / 10**6
    assert Fraction(99, 100) * delta < 1 - law.power(1 - told) <= delta


def test_the_lemma_is_false_of_a_fixed_number() -> None:
    def grown(i: int) -> Fraction:
        return Fraction(i, 40) ** 2 * 7 * (1 - Fraction(i, 40)) ** 6

    assert grown(39) < grown(10)


@pytest.mark.parametrize("factor", [2, 3])
def test_the_law_is_that_of_all_runs_listed(factor: int) -> None:
    """Every number of runs, and every outcome of each run: the earliest of the least scores."""
    learner = tables(Fraction(2), most=2, factor=factor)
    run, expected = learner.law_of_run(SAMPLE), dict[Any, Fraction]()
    assert sum(run.values()) == 1
    for k, chance in enumerate(learner.repeats.chances, 1):
        for outcomes in product(run.items(), repeat=k):
            best = min((outcome for outcome, _ in outcomes), key=lambda outcome: outcome[1])
            mass = chance
            for _, p in outcomes:
                mass *= p
            expected[best] = expected.get(best, Fraction(0)) + mass
    assert learner.law_of_best(SAMPLE) == expected


def test_it_costs_what_is_declared_however_many_there_are() -> None:
    for count, factor in product((1, 4, 30), (2, 3)):
        pairs = [(CONSTANTS, ExponentialLearner)] * count
        learner = SelectionLearner(CONSTANTS, Budget("0.7"), candidates=pairs, factor=factor)
        assert learner.cost() == PrivacyCost(Fraction("0.7"))
        run = learner.candidates[0].cost() + learner.score.cost()
        assert run.epsilon * factor == Fraction("0.7")


def test_a_delta_is_for_all_runs() -> None:
    pairs = [(CONSTANTS, ExponentialLearner), (CHANGING, ChoosingLearner)]
    learner = SelectionLearner(CONSTANTS, Budget(1, "1e-6"), candidates=pairs)
    (event,) = {c.event for c in learner.candidates if c.cost().delta}
    declared = learner.cost()
    assert Fraction("0.99e-6") < declared.delta <= Fraction("1e-6")
    assert declared.delta >= learner.repeats.mean * event.cost().delta
    odd = Budget(1, "1.23456789e-6")
    learner = SelectionLearner(CONSTANTS, odd, candidates=pairs)
    assert learner.cost().within(odd.cost)


def test_one_entry_pays_for_everything_and_a_refused_budget_for_nothing() -> None:
    learner = tables(ONE, most=5)
    with Ledger() as ledger:
        ledger.set_limit("d", PrivacyCost(ONE))
        release = learner.fit(SAMPLE, ledger=ledger, dataset="d", rng=seeded_generator(1))
        assert release.cost == ledger.total("d") == PrivacyCost(ONE)
        assert len(list(ledger.entries("d"))) == 1
        with pytest.raises(BudgetExceededError):
            learner.fit(SAMPLE, ledger=ledger, dataset="d")


def test_the_receipt_pays_for_the_most_runs_of_one_candidate() -> None:
    """Whatever is drawn, no draw is refused after the spend."""

    class Most(Repeats):
        def draw(self, rng: Any) -> int:
            return self.most

    pairs = [(CONSTANTS, ExponentialLearner)]
    learner = SelectionLearner(CONSTANTS, Budget(1), candidates=pairs, most=9)
    learner.repeats = Most(3, 9)
    with Ledger() as ledger:
        learner.fit(SAMPLE, ledger=ledger, dataset="d", rng=seeded_generator(1))
    counted = Selected([pairs[0][1](CONSTANTS, Budget(1)).event], CellCounts(ONE, 1), Repeats(3, 9))
    assert sorted(times for _, times in counted.uses()) == [1, 9, 9]


def test_the_best_class_is_found() -> None:
    H: Any = parse_class("union(thresholds(x, 0..9999), intervals(x, 0..9999))")
    assert isinstance(H, ScoredUnion)
    records = [(x, int(3000 <= x < 6000)) for x in range(0, 10_000, 5)]
    sample = Sample.from_examples(H.domain, records)
    with Ledger() as ledger:
        release = SelectionLearner(H, Budget(2)).fit(
            sample, ledger=ledger, dataset="d", rng=seeded_generator(3)
        )
    wrong = sum(release.hypothesis(x) != y for x, y in records)
    assert wrong < 100  # of 2,000; the best threshold errs on 600


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"candidates": []}, "there are none"),
        ({"candidates": [(Thresholds.on(0, 3), ExponentialLearner)]}, "candidates must have"),
        ({"candidates": [(CONSTANTS, lambda H, _: ExponentialLearner(H, Budget(1)))]},
         "one run may cost"),
        ({"candidates": [(CONSTANTS, lambda H, b: ExponentialLearner(H, b, cost=(2, 1)))]},
         "no costs"),
        ({"factor": 4}, "the factor is 2 or 3"),
        ({"most": 20_000}, "at most 10,000"),
        ({"scored": 1}, "strictly between"),
        ({}, "the parts of a union"),
    ],
)  # fmt: skip
def test_what_is_refused(options: dict[str, Any], words: str) -> None:
    known: dict[str, Any] = {"candidates": [(CONSTANTS, ExponentialLearner)]} if options else {}
    with pytest.raises(DeclarationError, match=words):
        SelectionLearner(CONSTANTS, Budget(1), **{**known, **options})


OPEN = "ward, age: 0..80 step 20"
MIXED = [f"conditions({OPEN}; at most 2)", f"trees({OPEN}; depth 1)"]


def test_several_classes_are_one() -> None:
    """Scored together where that is possible, and else each with the best learner for it."""
    closed = "age: 0..80 step 20"
    label, budget = Label.parse("late", "1"), Budget(1, "1e-6")
    scored = [f"conditions({closed}; at most 1)", f"trees({closed}; depth 1)"]
    assert Task.declared(label, scored, budget).learner.method == "exponential"
    asked: Any = Task.declared(label, scored, budget, method="selection").learner
    assert [c.method for c in asked.candidates] == ["exponential", "exponential"]
    found: Any = Task.declared(label, MIXED, budget).learner
    assert (found.method, [c.method for c in found.candidates]) == (
        "selection",
        ["choosing", "vocabulary"],
    )
    assert found.cost() == PrivacyCost(ONE, Fraction(1, 10**6))
    assert Task.declared(label, MIXED[:1], budget).learner.method == "choosing"


def test_the_class_that_fits_is_found_among_several() -> None:
    rng = seeded_generator(1)
    wards, ages = ["ICU", "ER", "A", "B"] * 500, [rng.randrange(80) for _ in range(2000)]
    late = [int(w == "ICU" and a >= 20) for w, a in zip(wards, ages, strict=True)]
    table = {"ward": wards, "age": ages, "late": late}
    with Ledger() as ledger:
        with pytest.warns(NotPrivateWarning):
            release = littlestone.fit(
                polars.DataFrame(table), "late", positive=1, hypotheses=MIXED, epsilon=2,
                delta="1e-6", ledger=ledger, dataset="d", simulation_seed=1,
            )  # fmt: skip
        assert len(list(ledger.entries("d"))) == 1
    assert release.predict(polars.DataFrame(table)) == late
    assert Release.from_json(release.to_json()) == release


@pytest.mark.parametrize(
    ("texts", "labels", "words"),
    [
        ([], 2, "there are none"),
        (["points(ward)", "thresholds(age, 0..80)"], 2, "the same columns, declared alike"),
        (["trees(ward; depth 1)", "trees(ward in {A, B}; depth 1)"], 2, "declared alike"),
    ],
)
def test_classes_that_are_not_alike_are_refused(texts: list[str], labels: int, words: str) -> None:
    with pytest.raises(DeclarationError, match=words):
        declared_class(texts, labels)


def test_bounds_of_one_of_several() -> None:
    H: Any = declared_class([f"rule_list(age: 0..20 step 10; at most {k})" for k in (1, 2)])
    lows, highs = zip(*(part.littlestone_bounds() for part in H.parts), strict=True)
    assert H.littlestone_bounds() == (max(lows), sum(highs) + 1)
    with pytest.raises(DeclarationError, match="learned by itself"):
        H.soa()
