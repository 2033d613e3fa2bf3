"""The private table of risks: paid with the rule, counted once, with intervals that hold together."""

from __future__ import annotations

import json
from dataclasses import replace
from fractions import Fraction
from itertools import product
from math import comb, exp
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest

import littlestone
from declaring import choose_task
from littlestone.base.errors import BudgetExceededError, DeclarationError, ModelError
from littlestone.classes import Thresholds, parse_class
from littlestone.data.label import Label
from littlestone.data.sample import Sample
from littlestone.learn import ExponentialLearner, Release
from littlestone.learn.results.quality import Quality
from littlestone.learn.results.risks import Risks, _rise, least_rate
from littlestone.points import Grid, Reals
from littlestone.points.units import Unit
from littlestone.privacy import Budget
from littlestone.privacy.cost import PrivacyCost
from littlestone.privacy.draws import Noisy, count_places, counts_of_places
from littlestone.privacy.ledger import Ledger
from littlestone.privacy.randomness import seeded_generator
from littlestone.rules import StepFunction
from littlestone.rules.base import Place
from whole_grid import WHOLE

CLASS = "trees(age: 0..80 step 20, sex in {F, M}; depth 2)"
ILL = Label.parse("ill", "1")
RISK = Fraction(1, 4)


def sick(n: int, seed: int = 0) -> Sample[Any]:
    """Records whose risk rises with age, and is larger for men."""
    rng = np.random.default_rng(seed)
    age, sex = rng.integers(0, 80, n), rng.choice(["F", "M"], n)
    ill = rng.random(n) < 0.1 + age / 200 + 0.2 * (sex == "M")
    domain = parse_class(CLASS).domain
    rows = zip(age.tolist(), sex.tolist(), ill.tolist(), strict=True)
    return Sample.from_examples(domain, [(domain.encode_record(row[:2]), row[2]) for row in rows])


def learned(sample: Sample[Any], text: str = CLASS, epsilon: object = 1, seed: int = 1) -> Release:
    learner = ExponentialLearner(parse_class(text), Budget(epsilon))
    with Ledger() as ledger:
        return learner.fit(
            sample, ledger=ledger, dataset="d", risk=RISK, rng=seeded_generator(seed)
        )


def test_each_record_is_counted_at_its_place_once() -> None:
    sample = sick(300)
    rule = learned(sample).hypothesis
    expected = [[0, 0] for _ in rule.places]
    for x, row in zip(sample.points, sample.counts.tolist(), strict=True):
        for y, count in enumerate(row):
            expected[rule.place(x)][y] += count
    assert count_places(rule, sample) == [count for row in expected for count in row]
    assert sum(count_places(rule, sample)) == sample.n


def test_one_entry_pays_for_the_rule_and_its_risks() -> None:
    learner, sample = ExponentialLearner(parse_class(CLASS), Budget(1)), sick(300)
    with Ledger() as ledger:
        release = learner.fit(sample, ledger=ledger, dataset="d", risk=RISK)
        (entry,) = ledger.entries()
    assert entry.cost == release.cost == PrivacyCost(Fraction(5, 4))
    assert "counts of each label at each place of the rule" in entry.mechanism
    assert Release.from_json(json.loads(json.dumps(release.to_json()))) == release
    with Ledger() as ledger:
        ledger.set_limit("d", PrivacyCost(Fraction(1)))
        with pytest.raises(BudgetExceededError):
            learner.fit(sample, ledger=ledger, dataset="d", risk=RISK)
        assert not ledger.entries()
    with pytest.raises(DeclarationError, match="epsilon"):
        learner.event_with(None, risk=Fraction(0))
    with pytest.raises(DeclarationError, match="estimate risks from at most 2 records"):
        learner.event_with(None, Unit("patient", 2), risk=RISK)


def test_a_part_of_epsilon_pays_for_risks() -> None:
    task = choose_task(ILL, "thresholds(age, 0..120)", Budget(2), risk=True)
    assert task.event.cost() == PrivacyCost(Fraction(2))
    assert task.learner.cost().epsilon + (task.declaration.risk_part or 0) == 2
    with pytest.raises(DeclarationError, match="give risk=True"):
        choose_task(ILL, "thresholds(age, 0..120)", Budget(2), risk=0.5)


def test_public_numbers_choose_what_says_how_good_a_sheet_is() -> None:
    class_ = "score_sheet(age: 0..120 step 10; at most 1)"
    chosen = choose_task(ILL, class_, Budget(1, "1e-6"), risk=True)
    for n, part in ((100, "1/4"), (10_000, "3/20"), (10**6, "1/20")):
        task = chosen.for_records(n)
        assert str(task.declaration.risk_part) == part
        assert task.for_records(n).event == task.event
        assert task.event.cost() == PrivacyCost(Fraction(1), Fraction(1, 10**6))


def test_risks_add_up_and_rise_where_the_rule_orders_its_places() -> None:
    counts = ((40, 10), (30, 5), (-9, 3), (2, 60))
    rule = StepFunction(Grid(0, 99, "age"), 0, (20, 40, 60))
    found = Risks(rule, Fraction(1), 150, counts)
    assert all(abs(sum(rates) - 1) < 1e-12 and min(rates) > 0 for rates in found.rates)
    assert found.rates[1][1] < found.rates[0][1]

    class Score(StepFunction):
        ordered = True

    rising = Risks(Score(rule.domain, 0, rule.changes), Fraction(1), 150, counts).rates
    assert [rates[1] for rates in rising] == sorted(rates[1] for rates in rising)
    assert _rise([3, 2, 1], [1, 1, 1]) == [2, 2, 2]


def test_a_score_of_many_totals_is_counted_in_bins() -> None:
    """Totals -40..40 of one label below 5 and another from there on, which say their own risks."""

    class Sheet(StepFunction):
        ordered = True

        def place(self, x: Any) -> int:
            return int(x) + 40

        @property
        def places(self) -> tuple[Place, ...]:
            return tuple(Place(f"total {x}", self(x)) for x in self.domain)

        @property
        def risks(self) -> tuple[float, ...]:
            return tuple(float(1 / (1 + np.exp(-x / 10))) for x in self.domain)

    sheet = Sheet(Grid(-40, 40, "total"), 0, (5,))
    xs = np.random.default_rng(0).integers(-40, 41, 3000)
    ys = np.random.default_rng(1).random(3000) < 1 / (1 + np.exp(-xs / 10))
    sample = Sample.from_examples(sheet.domain, zip(xs.tolist(), ys.tolist(), strict=True))
    counts = count_places(sheet, sample)
    assert len(counts) == 2 * (sheet.bins[-1] + 1) <= 2 * 12
    assert sum(counts) == 3000
    risks = Risks.from_counts(sheet, Noisy(Fraction(100), tuple(counts)), 3000)
    assert risks is not None
    assert risks.places[0].words == "total -40 to -32"
    assert risks.rates == tuple(sorted(risks.rates, key=lambda rates: rates[1]))
    quality = Quality(risks)
    assert abs(float(quality.auc.middle) - 0.91) < 0.02
    assert all(abs(risk - float(seen.middle)) < 0.15 for risk, seen in quality.calibration)
    made = Release(
        sheet, "sheets", "ill", 3000, PrivacyCost(Fraction(1)), "m", True, 1, risks=risks
    )
    assert len(made.rates) == 81
    assert made.rates[40] == (0.5, 0.5)


def test_few_records_are_drawn_to_the_share_of_all() -> None:
    rule = StepFunction.threshold(Grid(0, 99, "age"), 50)
    noisy = Risks(rule, Fraction(1, 100), 1000, ((700, 100), (0, 200)))
    sure = Risks(rule, Fraction(10), 1000, ((700, 100), (0, 200)))
    assert noisy.rates[1][1] < sure.rates[1][1] < 1
    assert sure.rates[1][1] > 0.98


@pytest.mark.parametrize("rare", [0.5, 3.0, 9.0])
def test_the_least_rate_is_where_so_many_are_that_rare(rare: float) -> None:
    for m, c in [(1, 1), (7, 3), (40, 40), (60, 1)]:
        p = float(least_rate(c, m - c, rare))
        tail = sum(comb(m, k) * p**k * (1 - p) ** (m - k) for k in range(c, m + 1))
        assert tail <= exp(-rare) * (1 + 1e-5)
        assert least_rate(c, m - c + 5, rare) < p <= least_rate(c + 1, m - c, rare)


def covered(n: int, epsilon: Fraction, trials: int, seed: int) -> int:
    """In how many draws of records, rule and table every interval has the risk of its source."""
    H = parse_class("trees(x in {a, b, c}, y in {u, v}; depth 2)")
    points = list(product(("a", "b", "c"), ("u", "v")))
    rng, noise, held = np.random.default_rng(seed), seeded_generator(seed), 0
    learner = ExponentialLearner(H, Budget(epsilon))
    ledger = Ledger()
    for trial in range(trials):
        mass, chance = rng.dirichlet([0.5] * 6), rng.beta(0.5, 0.5, 6)
        sizes = rng.multinomial(n, mass)
        ones = rng.binomial(sizes, chance)
        sample = Sample.of_two(H.domain, points, sizes - ones, ones)
        if trial % 50 == 0:
            ledger.close()
            ledger = Ledger()
        release = learner.fit(sample, ledger=ledger, dataset=str(trial), risk=epsilon, rng=noise)
        assert release.risks is not None
        assert release.risks.speaks_of_new
        places = release.hypothesis.places_of(points)
        held += all(
            float(share.low) * mass[places == i].sum() - 1e-12
            <= mass[places == i] @ chance[places == i]
            <= float(share.high) * mass[places == i].sum() + 1e-12
            for i, (_, share) in enumerate(release.risks.intervals)
        )
    ledger.close()
    return held


def test_intervals_hold_in_some_draws() -> None:
    assert covered(200, Fraction(2), 60, 1) >= 57


# A fifth of 10,000 draws, which take minutes.
DRAWS = 10_000 if WHOLE else 2_000


@pytest.mark.deep
@pytest.mark.parametrize(("n", "epsilon", "share"), [(30, 5, 0.3), (1000, 1, 0.4), (3000, 30, 0.3)])
def test_intervals_hold_in_thousands_of_draws(n: int, epsilon: int, share: float) -> None:
    draws = round(share * DRAWS)
    assert covered(n, Fraction(epsilon), draws, n) >= 0.95 * draws


def test_intervals_of_these_records_hold_wherever_the_noise_is_within_its_bound() -> None:
    rule = StepFunction.threshold(Reals(), Fraction(3))
    true = ((50, 10), (7, 33))
    mechanism, rng, held = counts_of_places(Fraction(1)), seeded_generator(5), 0
    with Ledger() as ledger:
        for _ in range(200):
            receipt = ledger.spend(mechanism, dataset="d", what="test", rng=rng)
            noisy = mechanism.draw([50, 10, 7, 33], receipt=receipt)
            risks = Risks(rule, Fraction(1), 100, (noisy[:2], noisy[2:]))
            assert not risks.speaks_of_new
            held += all(
                share.low <= Fraction(row[y], sum(row)) <= share.high
                for row, shares in zip(true, risks.intervals, strict=True)
                for y, share in enumerate(shares)
            )
    assert held >= 190


def frame() -> pl.DataFrame:
    rng = np.random.default_rng(2)
    age = rng.integers(0, 100, 4000)
    ill = rng.random(4000) < np.where(age >= 60, 0.8, 0.1)
    return pl.DataFrame({"age": age, "ill": ill.astype(int)})


def fitted(**more: Any) -> Release:
    declared: dict[str, Any] = {"positive": 1, "hypotheses": "thresholds(age, 0..99)", **more}
    release: Release = littlestone.fit(
        frame(), "ill", epsilon=2, ledger=Ledger(), dataset="d", risk=True, **declared
    )
    return release


def test_a_release_predicts_risks_everywhere_alike() -> None:
    release = fitted()
    found = release.predict_proba(frame())
    assert found.shape == (4000, 2)
    assert np.allclose(found.sum(axis=1), 1)
    assert abs(found[frame()["age"].to_numpy() >= 70, 1] - 0.8).max() < 0.15
    shown = frame().select(release.to_polars(risk=True).alias("p"))["p"].to_list()
    assert shown == found[:, 1].tolist()
    assert (
        frame().select(release.to_polars(risk=0).alias("p"))["p"].to_list() == found[:, 0].tolist()
    )
    told = {"pandas": pd, "df": frame().to_pandas()}
    for y in (0, 1):
        assert eval(release.to_pandas(risk=y), told).to_list() == found[:, y].tolist()
    duckdb = pytest.importorskip("duckdb")
    text = release.to_sql("duckdb", types={"age": "integer"}, risk=True)
    assert [float(value) for value in _query(duckdb, text)] == found[:, 1].tolist()
    for wrong in (7, "yes"):
        with pytest.raises(DeclarationError, match="no such label"):
            release.to_sql("duckdb", risk=wrong)


def _query(duckdb: Any, text: str) -> list[Any]:
    with duckdb.connect() as connection:
        connection.register("people", frame().to_arrow())
        return [value for (value,) in connection.sql(f"SELECT {text} FROM people").fetchall()]


def test_a_release_without_risks_says_how_to_have_them() -> None:
    release = littlestone.fit(
        frame(), "ill", positive=1, epsilon=1, hypotheses="thresholds(age, 0..99)",
        ledger=Ledger(), dataset="d",
    )  # fmt: skip
    with pytest.raises(DeclarationError, match="fit --risk"):
        release.predict_proba(frame())
    assert "risks" not in release.to_json()


def test_several_labels_have_a_risk_each() -> None:
    data = frame().with_columns(pl.col("ill").replace_strict({0: "no", 1: "yes"}).alias("ill"))
    release = littlestone.fit(
        data, "ill", labels=["no", "yes", "maybe"], epsilon=4, ledger=Ledger(), dataset="d",
        hypotheses="trees(age: 0..100 step 20; depth 1)", risk=True,
    )  # fmt: skip
    found = release.predict_proba(data)
    assert found.shape == (4000, 3)
    assert np.allclose(found.sum(axis=1), 1)
    assert found[:, 2].max() < 0.05
    assert release.risks is not None
    rows = release.risks.rows(release.labels)
    assert "yes about 0." in rows[0][1]
    assert [heading for heading, _ in rows] == ["risk", "risk", "risks"]
    # As if noise had made the rarest label the most frequent.
    noisy = replace(release.risks, counts=((500, 500, 1000),) * 2)
    ((heading, said),) = noisy.other_labels(release.labels)
    assert heading == "labels"
    assert said.startswith("at 2 places the label is not the one with the largest risk (")
    assert "while maybe has 0." in said
    assert Release.from_json(json.loads(json.dumps(release.to_json()))) == release


@pytest.mark.parametrize(
    "wrong",
    [7, {"epsilon": "1", "places": []}, {"epsilon": "1", "places": [{"counts": [1, 2]}] * 9},
     {"epsilon": "1", "places": [{"counts": [1, 0.5]}] * 2}, {"epsilon": "1", "places": [{}] * 2}],
)  # fmt: skip
def test_damaged_risks_are_no_model(wrong: Any) -> None:
    with pytest.raises(ModelError):
        Release.from_json({**fitted().to_json(), "risks": wrong})


def test_nothing_is_drawn_before_the_spend() -> None:
    learner, rng = ExponentialLearner(Thresholds.on(0, 9), Budget(1)), seeded_generator(3)
    sample = Sample[Any].from_counts(learner.hypotheses.domain, {2: [40, 3], 5: [2, 30]})
    before = rng.getstate()
    with Ledger() as ledger:
        ledger.set_limit("d", PrivacyCost(Fraction(1)))
        with pytest.raises(BudgetExceededError):
            learner.fit(sample, ledger=ledger, dataset="d", risk=RISK, rng=rng)
    assert rng.getstate() == before


def test_where_no_record_is_the_risk_is_that_of_all() -> None:
    rule = StepFunction.threshold(Grid(0, 99, "age"), 50)
    risks = Risks(rule, Fraction(10), 10_000, ((9900, 100), (0, 0)))
    assert abs(risks.rates[1][1] - 0.01) < 0.001
