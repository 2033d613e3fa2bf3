"""Mistakes that do not all cost the same: counted as declared, private, and learned as proved."""

from __future__ import annotations

import json
from collections.abc import Iterator
from fractions import Fraction
from itertools import islice, product
from typing import Any

import numpy as np
import pytest

from declaring import choose_task
from each import each
from littlestone.base.discovery import concrete
from littlestone.base.errors import DeclarationError, ModelError, TooLargeError
from littlestone.classes import FiniteClass, HypothesisClass, Points, Thresholds, parse_class
from littlestone.classes.base import ScoredClass
from littlestone.classes.promises.covering import Covering
from littlestone.data import Label
from littlestone.data.sample import Sample
from littlestone.learn import (
    BoostingLearner,
    ChoosingLearner,
    ExponentialLearner,
    PrivateLearner,
    Release,
)
from littlestone.learn.plan import candidates, choose_learner, plan
from littlestone.learn.regrown import RegrownLearner
from littlestone.learn.results.accuracy import Evaluation, accuracy
from littlestone.learn.rounds import RoundsLearner, VocabularyLearner
from littlestone.points import Integers
from littlestone.privacy import Budget
from littlestone.privacy.ledger import Ledger
from littlestone.privacy.mechanisms.choosing import ChoosingMechanism
from littlestone.privacy.mechanisms.exponential import ExponentialMechanism
from littlestone.privacy.mistakes import MOST_COST, MistakeCosts, parse_costs
from littlestone.privacy.randomness import seeded_generator
from littlestone.privacy.scores import ErrorSums, Scores, scores_of
from littlestone.prove.audit.claims import exact_audit, neighbours
from littlestone.rules import Hypothesis
from littlestone.show.words import rows_of_release

COSTS = [(5, 1), (1, 5), (3, 2)]


# What is declared.


@pytest.mark.parametrize(
    "wrong",
    [
        "5", "5:0", "0:1", "-1:1", "5:1:1", "5/1", "a:b", "1.5:1", "", ":", "٥:١", "9" * 50 + ":1",
        (5,), (5, 0), (5, 1.0), (True, 1), (5, None), (5, 1, 1), [[5, 1]], 5, None, {5, 1}, b"5:1",
        f"{MOST_COST + 1}:1", (1, 10**5000),
    ],
)  # fmt: skip
def test_other_costs_are_refused(wrong: object) -> None:
    with pytest.raises(DeclarationError) as caught:
        MistakeCosts.parse(wrong)
    assert len(str(caught.value)) < 500


@pytest.mark.parametrize("wrong", ["0", "1", 1, 0.0, "-0.3", "1.5", "x", None, "nan", "0.00001"])
def test_other_rates_are_refused(wrong: object) -> None:
    with pytest.raises(DeclarationError):
        MistakeCosts.above(wrong)


def test_a_rate_of_too_many_digits_is_refused_as_a_rate() -> None:
    with pytest.raises(DeclarationError, match=r"rate above 0.33333: .*\n.*round the rate"):
        MistakeCosts.above("0.33333")


def test_costs_are_divided_by_their_common_factors() -> None:
    assert MistakeCosts.parse(" 10 : 4 ") == MistakeCosts.parse([5, 2]) == MistakeCosts(5, 2)
    assert MistakeCosts.parse((MOST_COST * 7, 7)).largest == MOST_COST
    assert parse_costs(None) is parse_costs("7:7") is None
    for rate in ("0.3", "1/3", 0.05, "0.5"):
        assert MistakeCosts.above(rate).rate == Fraction(str(rate))


# What is counted.


def example_classes(kind: type[Any]) -> list[HypothesisClass[Any]]:
    kinds: list[Any] = concrete(HypothesisClass, "littlestone.classes")
    return [H for found in kinds for H in found.examples() if isinstance(H, kind) and H.labels == 2]


def some_sample(H: HypothesisClass[Any]) -> Sample[Any]:
    rng = np.random.default_rng(4)
    points = list(H.domain.examples(7))
    counts = rng.integers(0, 9, size=(len(points), 2))
    return Sample(H.domain, tuple(points), counts)


def cost_of(h: Hypothesis[Any], sample: Sample[Any], missed: int, alarm: int) -> int:
    rows = zip(sample.points, sample.counts.tolist(), strict=True)
    return sum(alarm * n[0] if h(x) else missed * n[1] for x, n in rows)


def some_places(scores: Scores) -> Iterator[tuple[Any, int]]:
    """Places of items with their scores: the ends of each run, or some of each group."""
    if isinstance(scores, ErrorSums):
        for g, parts in enumerate(scores.groups):
            each = [list(some_places(scores_of(part))) for part in parts]
            for found in islice(product(*each), 0, 3000, 37):
                yield (g, *(place for place, _ in found)), sum(cost for _, cost in found)
        return
    start = 0
    lengths = [1] * len(scores.errors) if scores.lengths is None else scores.lengths
    for cost, length in zip(scores.errors.tolist(), map(int, lengths), strict=True):
        yield from ((i, cost) for i in {start, start + length - 1})
        start += length


@each("H", example_classes(ScoredClass), ids=str)
def test_every_class_counts_costs(H: Any) -> None:
    """The scores of a learner are the costs of the hypotheses, by their definition."""
    try:
        learner = ExponentialLearner(H, Budget(1), cost=(5, 2))
    except DeclarationError:
        pytest.skip("not scored")
    sample = some_sample(H)
    scores = learner.scores(sample)
    for place, cost in islice(some_places(scores), 600):
        assert cost == cost_of(H.hypothesis_of_item(scores.item(place)), sample, 5, 2)


@pytest.mark.parametrize("H", example_classes(Covering), ids=str)
def test_elements_are_scored_by_costs(H: Any) -> None:
    """A score is what an element saves against the constant 0."""
    sample = some_sample(H)
    mechanism = ChoosingMechanism[int](Budget(1, "1e-6"), H.elements_per_point, 5, 2)
    elements = H.elements(sample)
    scores = mechanism.score(elements.positives, elements.negatives).tolist()
    nothing = 5 * int(sample.positives.sum())
    for i, score in list(enumerate(scores))[:300]:
        assert score == nothing - cost_of(elements.element(i), sample, 5, 2)


LISTS = parse_class("rule_list(x at {0}; at most 2)")
TREES = parse_class("trees(x at {0}; depth 1)")
WORDS = parse_class("trees(w; depth 1)")


@pytest.mark.deep
def test_rounds_and_leaves_count_costs() -> None:
    """The likeliest function is one of the lowest cost, where few errors are another."""
    for kind, H in ((RoundsLearner, LISTS), (RegrownLearner, TREES), (VocabularyLearner, WORDS)):
        # In the second cell, four in ten are positive.
        records = [(("5",), 1)] * 200 + [(("",), 1)] * 80 + [(("",), 0)] * 120
        sample = Sample.from_examples(H.domain, records)
        for cost in ((1, 1), (5, 1), (1, 5)):
            learner: Any = kind(H, Budget(20, "0.5" if H is WORDS else "0"), cost=cost)
            law = learner.distribution(sample)
            best = max(law, key=law.__getitem__)
            cheapest = 120 * cost[1] if cost[0] > cost[1] else 80 * cost[0]
            assert cost_of(best, sample, *cost) == min(cheapest, 80 * cost[0], 120 * cost[1])


def test_costs_enter_every_draw_of_several() -> None:
    """The mechanism of each draw has the sensitivity of the larger cost, in what the ledger records."""
    for kind, H in ((RoundsLearner, LISTS), (RegrownLearner, TREES), (VocabularyLearner, WORDS)):
        budget = Budget(1, "0.01" if H is WORDS else "0")
        costly: Any = kind(H, budget, cost=(2, 7))
        assert kind.weighing(H, budget, MistakeCosts(2, 7)).event == costly.event
        assert "costs of up to 7 a record" in str(costly.event)
        assert costly.cost() == budget.cost
        assert costly.event != kind(H, budget).event
        with pytest.raises(DeclarationError):
            kind(H, budget, cost=(0, 1))
    several: Any = parse_class("rule_list(x at {0}; at most 2)", labels=3)
    with pytest.raises(DeclarationError, match="none of the labels is the positive one"):
        RoundsLearner(several, Budget(1), cost=(5, 1))


@pytest.mark.parametrize("cost", [(1, 1), *COSTS])
def test_the_size_of_rounds_is_that_of_the_exponential_mechanism(cost: tuple[int, int]) -> None:
    """With as many functions as there are runs, and the base of one round."""
    learner: Any = RoundsLearner(LISTS, Budget(1), cost=cost)
    bound = learner.plan(0.1, 0.05)
    runs, base = learner.hypotheses.items**2, float(learner.mechanism.base)
    lam, p = max(cost) * np.log(base), 0.55
    tilt = min(lam, np.arctanh(0.1))
    fall = -np.log(p * np.exp(-tilt) + (1 - p) * np.exp(tilt))
    assert abs(bound.n - np.log(runs / 0.05) / fall) <= 1
    assert bound.versus == "the best single rule"
    assert learner.plan(0.1, 0.05, setting="realizable") is None
    one: Any = RoundsLearner(parse_class("rule_list(x at {0}; at most 1)"), Budget(1), cost=cost)
    assert one.plan(0.1, 0.05).versus == ""
    assert one.plan(0.1, 0.05, setting="realizable").n < one.plan(0.1, 0.05).n
    costs = MistakeCosts.parse(cost)
    found = candidates(LISTS, Budget(1), mistakes=None if costs.equal else costs)[0]
    assert found.describe().endswith("above the best single rule, with any labels")
    assert "above that of the best single rule (proved" in accuracy(learner, 20_000)


def test_runs_are_as_rare_as_the_size_of_rounds_needs() -> None:
    """Each run: at most r^-(its errors above those of any single rule), on random tiny tables."""
    rng = np.random.default_rng(6)
    for cost in ((1, 1), (3, 2)):
        learner: Any = RoundsLearner(LISTS, Budget(3), cost=cost)
        H, base = learner.hypotheses, learner.mechanism.base
        singles = [H.function_of_rules([H.rule(i)]) for i in range(H.items)]
        for _ in range(5):
            records = [((x,), y) for x in ("", "5", "-5") for y in (0, 1)]
            sample = Sample.from_examples(H.domain, [records[i] for i in rng.integers(0, 6, 12)])
            least = min(cost_of(h, sample, *cost) for h in singles)
            for h, mass in learner.distribution(sample).items():
                # Several runs may write one function.
                most = base ** -(cost_of(h, sample, *cost) - least) * H.items**2
                assert mass <= most


def test_equal_costs_are_errors() -> None:
    for H, delta in ((Thresholds.on(0, 9), "0"), (Points(Integers()), "1e-6")):
        budget = Budget(1, delta)
        kind = ExponentialLearner if delta == "0" else ChoosingLearner
        plain, weighed = kind(H, budget), kind(H, budget, cost=(4, 4))
        assert plain.event == weighed.event
        assert plain.plan(0.1, 0.05) == weighed.plan(0.1, 0.05)
    table = FiniteClass.from_array([[0, 1], [1, 2], [2, 0]], labels=3)
    assert ExponentialLearner(table, Budget(1), cost=(2, 2)).mechanism.sensitivity == 1


# What is private.


@pytest.mark.parametrize("cost", COSTS)
@pytest.mark.parametrize("epsilon", ["0.5", "3"])
def test_the_exponential_learner_is_private(cost: tuple[int, int], epsilon: str) -> None:
    """On all neighbours of three records of two points, and three functions."""
    H = FiniteClass.from_array([[0, 1], [1, 0], [1, 1]])
    learner = ExponentialLearner(H, Budget(epsilon), cost=cost)

    def distribution(data: Any) -> Any:
        return learner.distribution(Sample.from_examples(H.domain, data))

    records = tuple((x, y) for x in H.domain for y in (0, 1))
    found = exact_audit(distribution, neighbours(records, 3, ordered=False), learner.event)
    assert found.holds
    assert found.tightness > 0.3


@pytest.mark.parametrize("cost", COSTS)
@pytest.mark.parametrize(("epsilon", "delta"), [("1", "0.01"), ("0.5", "0.4"), ("4", "0.3")])
@pytest.mark.parametrize("text", ["points(x; integers)", "subsets(x; at most 2, integers)"])
def test_the_choosing_learner_is_private(
    text: str, cost: tuple[int, int], epsilon: str, delta: str
) -> None:
    H = parse_class(text)
    learner = ChoosingLearner(H, Budget(epsilon, delta), cost=cost)

    def distribution(data: Any) -> Any:
        return learner.distribution(Sample.from_examples(H.domain, data))

    records = tuple((x, y) for x in range(3) for y in (0, 1))
    n = 3 if learner.rounds == 1 else 2
    assert exact_audit(distribution, neighbours(records, n, ordered=False), learner.event).holds


@pytest.mark.parametrize("cost", [*COSTS, (MOST_COST, 1), (1, MOST_COST)])
@pytest.mark.parametrize(
    "budget",
    [Budget(1, "1e-6"), Budget("1e-9", "1e-9"), Budget(40, "0.9"), Budget("0.01", "0.99")],
    ids=str,
)
def test_bottom_is_the_least_that_is_proved(cost: tuple[int, int], budget: Budget) -> None:
    """By the formula, in floats that are exact enough; equality where delta binds."""
    mechanism = ChoosingMechanism[int](budget, 3, *cost)
    a, m = cost[0], max(cost)
    r = np.longdouble(mechanism.base.numerator) / np.longdouble(mechanism.base.denominator)
    per = np.log1p(np.longdouble(float(mechanism.base - 1)))
    assert abs(np.log(r) - per) < 1e-9
    limit = min(np.longdouble(float(budget.delta)), -np.expm1(-per * (2 * m - a)))
    bottom = a + np.log(3 * (1 / limit - 1)) / per
    assert 0 <= mechanism.bottom - max(a, float(bottom)) <= 1 + 1e-5 * mechanism.bottom
    assert mechanism.delta0 <= budget.delta
    if mechanism.bottom < 2000:
        fresh = 1 - mechanism.distribution([((1, 2, 3), True)])[None]
        assert fresh <= mechanism.delta0 <= fresh * (1 + Fraction(1, 2**60))


@pytest.mark.parametrize("wrong", [0, -1, 1.0, True])
def test_gains_and_sensitivities_are_whole(wrong: Any) -> None:
    with pytest.raises(DeclarationError):
        ChoosingMechanism[int](Budget(1, "1e-6"), 1, gain=wrong)
    with pytest.raises(DeclarationError):
        ChoosingMechanism[int](Budget(1, "1e-6"), 1, loss=wrong)
    with pytest.raises(DeclarationError):
        ExponentialMechanism(Fraction(1), wrong)


# What is proved and found.


@pytest.mark.parametrize("setting", ["realizable", "agnostic"])
def test_sizes_in_units_of_the_larger_cost_do_not_depend_on_the_costs(setting: Any) -> None:
    H = Thresholds.on(0, 99)
    sizes = {
        ExponentialLearner(H, Budget(1), cost=cost).plan(0.05, 0.05, setting=setting).n
        for cost in [(1, 1), *COSTS]
    }
    assert max(sizes) - min(sizes) <= 1  # the bases are rounded


@pytest.mark.parametrize("cost", [(5, 1), (1, 5)])
def test_the_proved_size_is_enough(cost: tuple[int, int]) -> None:
    """On the hardest weights: missing all positives costs a little more than is allowed."""
    H, alpha = Points(Integers()), 0.1
    learner = ChoosingLearner(H, Budget(1, "1e-6"), cost=cost)
    bound = learner.plan(alpha, 0.05, setting="realizable")
    assert bound is not None
    share = alpha * max(cost) / cost[0] + 0.001
    g, rng, failures = np.random.default_rng(1), seeded_generator(2), 0
    with Ledger() as ledger:
        for _ in range(300):
            ones = int(g.binomial(bound.n, share))
            sample = Sample[Any].from_counts(H.domain, {7: [0, ones], 8: [bound.n - ones, 0]})
            receipt = ledger.spend(learner.event, dataset="d", what="test", rng=rng)
            failures += not learner.draw(sample, receipt=receipt)(7)
    assert failures <= 300 * 0.05 + 12
    # All positives may be missed if that costs no more than alpha.
    free = ChoosingLearner(H, Budget(1, "1e-6"), cost=(1, 50)).plan(0.1, 0.05, setting="realizable")
    assert free is not None
    assert free.n < bound.n


def test_the_proved_size_is_enough_for_wrong_labels() -> None:
    """Two functions, of which one costs 2 alpha more: the exact law, averaged over samples."""
    H, alpha, beta = FiniteClass.from_array([[0], [1]]), 0.1, 0.05
    for missed, alarm in ((5, 1), (1, 5), (3, 2)):
        learner = ExponentialLearner(H, Budget(1), cost=(missed, alarm))
        n, m = learner.plan(alpha, beta).n, max(missed, alarm)
        # The constant 1 costs alarm (1 - p) and the constant 0 costs missed p, alpha m more.
        p = (alpha * 1.001 * m + alarm) / (missed + alarm)
        g, base, failed = np.random.default_rng(3), float(learner.mechanism.base), []
        for positives in g.binomial(n, p, size=4000):
            more = missed * int(positives) - alarm * (n - int(positives))
            failed.append(1 / (1 + base ** min(more, 5000)))
        assert np.mean(failed) <= beta


def test_costs_change_what_is_learned() -> None:
    """A third of the records at 7 are positive: alarms pay off if a miss costs more than two."""
    H = Thresholds.on(0, 9)
    sample = Sample[Any].from_counts(H.domain, {2: [6000, 10], 7: [2000, 1000]})
    found = {}
    for cost in ((1, 1), (5, 1), (500, 1)):
        learner, _ = choose_learner(H, Budget(1), mistakes=MistakeCosts.parse(cost))
        with Ledger() as ledger:
            release = learner.fit(sample, ledger=ledger, dataset="d", rng=seeded_generator(1))
            (entry,) = ledger.entries()
        assert ("costs" in release.to_json()) == (cost != (1, 1))
        assert ("a missed positive costs" in entry.what) == (cost != (1, 1))
        assert Release.from_json(json.loads(json.dumps(release.to_json()))) == release
        h = release.hypothesis
        found[cost] = h(2), h(7)
        best = min(cost_of(H.hypothesis(i), sample, *cost) for i in range(11))
        evaluation = Evaluation.measure(release, H, sample)
        assert evaluation.errors == cost_of(h, sample, *learner.mistakes.weights[::-1])
        if cost == (5, 1):
            assert evaluation.best_errors == best
            assert dict(evaluation.rows())["mean cost of always 0"] == "0.56049 (5,050 in all)"
            assert dict(evaluation.rows())["mean cost of always 1"] == "0.88790 (8,000 in all)"
            assert "the mean cost is at most 0." in accuracy(learner, sample.n)
            costs = ("mistakes", "a missed positive costs 5, a false alarm 1")
            assert costs in rows_of_release(release)
    assert found == {(1, 1): (0, 0), (5, 1): (0, 1), (500, 1): (0, 1)}


def test_a_model_with_other_costs_is_damaged() -> None:
    learner = ExponentialLearner(Thresholds.on(0, 9), Budget(1), cost=(5, 1))
    sample = Sample.from_examples(learner.hypotheses.domain, [(1, 1)] * 9)
    with Ledger() as ledger:
        data = learner.fit(sample, ledger=ledger, dataset="d").to_json()
    wrong: list[Any] = [{}, [], 5, {"missed positive": 0, "false alarm": 1}, {"missed positive": 5}]
    for costs in wrong:
        with pytest.raises(ModelError):
            Release.from_json({**data, "costs": costs})


# Who counts costs.


COUNT_COSTS = (
    "exponential",
    "choosing",
    "rounds",
    "regrown",
    "vocabulary",
    "score_sheet",
    "tree_sheet",
)


def test_other_learners_refuse_costs() -> None:
    H, costs = parse_class("thresholds(x, 0..9)"), MistakeCosts(5, 1)
    found = candidates(H, Budget(1, "1e-6"), mistakes=costs)
    assert [c.method for c in found if c.learner is not None] == ["exponential"]
    kinds = concrete(PrivateLearner, "littlestone.learn")  # type: ignore[type-abstract]
    for kind in kinds:
        if kind.method not in COUNT_COSTS:
            with pytest.raises(DeclarationError, match="counts every mistake as one"):
                kind.weighing(H, Budget(1, "1e-6"), costs)
    with pytest.raises(DeclarationError, match="counts every mistake as one"):
        choose_learner(H, Budget(1, "1e-6"), method="irreducible", mistakes=costs)
    weak = ExponentialLearner(H, Budget(1), cost=costs)
    with pytest.raises(DeclarationError, match="needs few errors"):
        BoostingLearner(H, Budget(1, "1e-6"), weak=weak)


def test_methods_are_explained_for_the_costs() -> None:
    label, budget = Label.parse("y", 1), Budget(1)
    task = choose_task(label, "thresholds(x, 0..9)", budget, cost="5:1")
    shown = dict(task.methods())
    assert "for a mean cost of 0.5 above the best" in shown["exponential"]


def test_several_labels_have_no_costs() -> None:
    H, costs = parse_class("outcomes(a; at most 1)", 3), MistakeCosts(5, 1)
    for refused in (
        lambda: choose_learner(H, Budget(1, "1e-6"), mistakes=costs),
        lambda: plan(H, Budget(1, "1e-6"), mistakes=costs),
        lambda: ExponentialLearner(
            FiniteClass.from_array([[0, 2]], labels=3), Budget(1), cost=(5, 1)
        ),
    ):
        with pytest.raises(DeclarationError, match="none of the labels is the positive one"):
            refused()


def test_a_plan_speaks_of_costs() -> None:
    H = parse_class("points(merchant)")
    found = plan(H, Budget(1, "1e-6"), mistakes=MistakeCosts(5, 1))
    assert [row.method for row in found.rows] == ["choosing"]
    goal = "a mean cost of 0.5 (10% of the larger: a missed positive costs 5, a false alarm 1)"
    assert goal in str(found)
    # A cost of 0.5 allows false alarms on half of all records.
    errors = plan(H, Budget(1, "1e-6"), alpha=0.5)
    assert [bound.n for bound in found.lower] == [bound.n for bound in errors.lower]
    assert plan(H, Budget(1, "1e-6"), alpha=0.3, mistakes=MistakeCosts(5, 1)).lower == ()


@pytest.mark.parametrize(("most", "costs"), [(2**53, (1, 1)), (2**53 // 4000, (3, 4000))])
def test_more_than_floats_add_up_is_refused_before_the_spend(
    most: int, costs: tuple[int, int]
) -> None:
    H = parse_class("conditions(x at {0, 5}; at most 1)")
    learner = ExponentialLearner(H, Budget(1), cost=costs)
    learner.require_affordable(most)
    many = Sample.from_counts(H.domain, {("0",): [most, 1]})
    with Ledger() as book:
        with pytest.raises(TooLargeError, match="more than 2\\^53 in all"):
            learner.fit(many, ledger=book, dataset="d")
        assert book.datasets() == []
