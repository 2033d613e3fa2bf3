"""Trees with points: a drawn tree, and what noisy sums say about its leaves and the columns."""

from __future__ import annotations

import random
from typing import Any

import numpy as np
import pytest

from littlestone.base.errors import DeclarationError, TooLargeError
from littlestone.classes import parse_class
from littlestone.data.sample import Sample
from littlestone.learn.fitting.all_columns import calibrate
from littlestone.learn.fitting.one_column import DrawnTree, logistic
from littlestone.learn.plan.missed import least_records
from littlestone.learn.tree_sheet import (
    ENOUGH,
    LEAST_EPSILON,
    MORE,
    PLENTY,
    TreeSheetLearner,
    deepen,
    noise_of_counts,
)
from littlestone.privacy import Budget
from littlestone.privacy.ledger import Ledger
from littlestone.privacy.randomness import seeded_generator
from littlestone.rules.nodes import ColumnTest, Split
from littlestone.rules.trees import DecisionTree

CLASS = "trees(age: 0..80 step 10, sex in {F, M}; depth 2)"
PAIR = "trees(a in {x, y}, b in {x, y}; depth 2)"
BUDGET = Budget(1, "1e-6")


def fit(H: Any, sample: Sample[Any], budget: Budget = BUDGET, seed: int = 0, **options: Any) -> Any:
    learner: Any = TreeSheetLearner(H, budget, n=max(sample.n, 1), **options)
    with Ledger() as ledger:
        rng = seeded_generator(seed)
        receipt = ledger.spend(learner.event, dataset="d", what="w", rng=rng)
        return learner.draw(sample, receipt=receipt)


def either(n: int) -> Sample[Any]:
    """Label 1 is common where exactly one of two columns is x: no sum of points says that."""
    rng, domain = random.Random(1), parse_class(PAIR).domain
    examples = []
    for _ in range(n):
        a, b = rng.choice("xy"), rng.choice("xy")
        examples.append(((a, b), int(rng.random() < (0.9 if a != b else 0.2))))
    return Sample.from_examples(domain, examples)


def test_many_records_give_points_to_leaves_and_columns() -> None:
    sheet = fit(parse_class(PAIR), either(5_000), Budget(4, "1e-6"))
    risks = {x: sheet.risks[sheet.place(x)] for x in (("x", "y"), ("x", "x"), ("y", "y"))}
    assert abs(risks["x", "y"] - 0.9) < 0.05
    assert max(abs(risks[x] - 0.2) for x in (("x", "x"), ("y", "y"))) < 0.05


def test_few_records_keep_the_labels_of_the_drawn_tree() -> None:
    H: Any = parse_class(CLASS)
    points = [(str(age), sex) for age in range(0, 80, 10) for sex in ("F", "M")]
    sample = Sample.from_examples(H.domain, [(x, int(int(x[0]) >= 40)) for x in points * 4])
    for cost in ((1, 1), (5, 1), (1, 9)):
        for seed in range(5):
            sheet = fit(H, sample, seed=seed, cost=cost)
            assert sheet.chosen == ()
            for x in points:
                assert sheet(x) == sheet.tree(x)
            assert list(sheet.risks) == sorted(sheet.risks)


def test_columns_rank_the_records_of_a_leaf_and_keep_its_label() -> None:
    H: Any = parse_class(CLASS)
    rng = random.Random(2)
    points = [(str(age), sex) for age in range(0, 80, 10) for sex in ("F", "M")]
    examples = [(x, int(rng.random() < 0.1 + int(x[0]) / 100)) for x in rng.choices(points, k=600)]
    sample = Sample.from_examples(H.domain, examples)
    for seed in range(4):
        sheet = fit(H, sample, seed=seed)
        assert sheet.chosen
        assert {sheet(x) == sheet.tree(x) for x in points} == {True}
        assert type(sheet).from_json(sheet.to_json()) == sheet


def test_leaves_move_apart_no_further_than_they_must() -> None:
    H: Any = parse_class(CLASS)
    test = ColumnTest(1, frozenset(["F"]))
    columns = [np.array([-2, 3]), np.array([0, 1])]
    for labels in ((1, 0), (1, 1), (0, 0)):
        drawn = DrawnTree(DecisionTree(H.domain, Split(test, *labels)), 1.0)
        own = np.array([2, -1])
        leaves, least = drawn.part_leaves(own, columns)
        for label, points in zip(drawn.leaf_labels, leaves, strict=True):
            reached = [int(points) + a + b for a in columns[0] for b in columns[1]]
            assert {int(total >= least) for total in reached} == {label}
        # Totals of a leaf are 6 apart, so two leaves are 7 apart, and 3 were.
        assert np.abs(leaves - own).sum() == (4 if len(set(labels)) > 1 else 0)


def test_epsilon_is_divided_by_the_records_alone() -> None:
    H: Any = parse_class(CLASS)
    limits = [int(times * noise_of_counts(BUDGET, 2)) + 1 for times in (ENOUGH, MORE, PLENTY)]
    sizes = [*(n - i for n in limits for i in (1, 0)), 10**9]
    learners = [TreeSheetLearner(H, BUDGET, n=n) for n in sizes]
    assert [learner.few for learner in learners] == [True] + [False] * 6
    assert [learner.keep for learner in learners] == [True] * 5 + [False] * 2
    drawn = [float(learner.tree.mechanism.epsilon) for learner in learners]
    assert drawn == [15 / 16, 3 / 4, 3 / 4, *[1 / 2] * 3, 1 / 64]
    assert {str(learner.cost()) for learner in learners} == {str(BUDGET.cost)}


@pytest.mark.parametrize("budget", [("0.001", "1e-9"), ("30", "1e-6"), ("1", "0")], ids=str)
@pytest.mark.parametrize("n", [1, 10**6])
def test_no_table_makes_it_fail(budget: tuple[str, str], n: int) -> None:
    H: Any = parse_class(PAIR)
    learner: Any = TreeSheetLearner(H, Budget(*budget), n=n)
    for examples in ([], [(("x", "y"), 1)], [(("x", "y"), 0)] * 50, [(("x", "y"), 1)] * 50):
        sample = Sample.from_examples(H.domain, examples)
        with Ledger() as ledger:
            rng = seeded_generator(1)
            receipt = ledger.spend(learner.event, dataset="d", what="w", rng=rng)
            sheet = learner.draw(sample, receipt=receipt)
        assert type(sheet).from_json(sheet.to_json()) == sheet
        assert list(sheet.risks) == sorted(sheet.risks)


def two_leaves(epsilon: str) -> DrawnTree:
    """A tree of labels 1 and 0, as if it was drawn with ``epsilon``."""
    split = Split(ColumnTest(1, frozenset(["F"])), 1, 0)
    H: Any = parse_class(CLASS)
    return DrawnTree(DecisionTree(H.domain, split), float(epsilon))


def test_leaves_alone_have_the_risks_that_their_counts_say() -> None:
    ones, zeros = np.array([90.0, 20.0]), np.array([10.0, 180.0])
    risks = logistic(two_leaves("0.9").fit_alone((ones, zeros), 1.0, 300, (1, 1)))
    assert np.allclose(risks, [0.9, 0.1], atol=0.02)


def test_noise_that_hides_the_leaves_makes_no_risk_extreme() -> None:
    # Taken at their word, these say that all 240 records are in the first leaf: then a label says much.
    ones, zeros = np.array([900.0, -700.0]), np.array([300.0, 80.0])
    risks = logistic(two_leaves("0.09").fit_alone((ones, zeros), 500.0**2, 240, (1, 1)))
    assert 0.5 < risks[0] < 0.8
    assert 0.2 < risks[1] < 0.5


def test_it_refuses_before_the_spend() -> None:
    with pytest.raises(DeclarationError, match="trees"):
        TreeSheetLearner(parse_class("thresholds(age, 0..80)"), BUDGET)
    for n in (1, 10**12):
        TreeSheetLearner(parse_class(CLASS), Budget(LEAST_EPSILON, "1e-6"), n=n)
        with pytest.raises(DeclarationError, match=r"at least 0\.000000064"):
            TreeSheetLearner(parse_class(CLASS), Budget("6e-8", "1e-6"), n=n)
    with pytest.raises(TooLargeError, match="room"):
        TreeSheetLearner(parse_class(CLASS), BUDGET).require_affordable(1 << 41)


def test_depth_3_is_drawn_where_it_is_affordable() -> None:
    H: Any = parse_class(CLASS)
    wide: Any = parse_class("trees(a: 0..200 step 1; depth 2)")
    assert (deepen(H).options, deepen(wide)) == ("depth 1 to 3", wide)
    columns = ", ".join(f"c{i} in {{a, b}}" for i in range(30))
    plain: Any = parse_class(f"trees({columns}; depth 2)")
    deep = deepen(plain)
    drawn: list[Any] = [
        TreeSheetLearner(deep, BUDGET, n=n).tree.hypotheses for n in (1_000, 10_000)
    ]
    assert [trees.options for trees in drawn] == ["depth 1 to 3", "depth 2"]


def test_a_prior_does_not_ask_for_more_records_than_depth_2() -> None:
    H: Any = parse_class(CLASS)
    flat, deep = (least_records(TreeSheetLearner(own, BUDGET)) for own in (H, deepen(H)))
    assert flat is not None
    assert deep is not None
    assert flat < deep <= flat + 3  # 2 ln 3


def test_risks_add_up_to_the_positives_that_were_known() -> None:
    totals, ends = np.arange(1000.0) % 10, tuple(range(1, 10))
    noisy = np.array([[90.0] * 10, [10.0] * 10])

    def risk_of_all(positives: tuple[float, float], variance: float) -> float:
        line = calibrate((0.0, 0.1), totals, ends, noisy, variance, 1000, positives)
        return float(logistic((line[0] + line[1] * totals) / 1000).mean())

    assert 0.2 < risk_of_all((200, 100), 1e6) < 0.3  # .61 before
    assert abs(risk_of_all((200, 1e6), 1) - 0.9) < 0.02
