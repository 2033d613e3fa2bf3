"""Trees of conditions: the scores of their halves against every written tree."""

import math
import random
from fractions import Fraction
from itertools import product
from typing import Any

import numpy as np
import pytest
from mixed_tables import errors_of, random_examples, sample_of

from littlestone.base.errors import DeclarationError, TooLargeError
from littlestone.classes import parse_class
from littlestone.classes.trees import Trees
from littlestone.learn import ExponentialLearner
from littlestone.points import Listed
from littlestone.privacy import Budget
from littlestone.privacy.scores import ErrorSums, scores_of
from littlestone.rules.nodes import prune
from planting import Fault, turns_red

TEXTS = [
    "trees(x at {0, 5}, sex in {F}; depth 2)",
    "trees(y at {1, 2, 3}; depth 2)",
    "trees(x at {0, 5}, y at {1, 2, 3}; depth 1)",
    "trees(x at {7}, sex in {F, M}; depth 2)",
    "trees(x at {7}; depth 3)",
]
REFUSED = {
    "trees(x at {0, 5}; depth 4)": "depth 1, 2 or 3",
    "trees(x at {0, 5}; depth 0)": "depth 1, 2 or 3",
    "trees(x at {0, 5}; depth two)": "whole number",
    "trees(x at {0, 5}; depth 1 to 1)": "a single depth",
    "trees(x at {0, 5}; depth 1 to 4)": "depth 1, 2 or 3",
    "trees(x at {0, 5}; depth 2 to 3)": "whole number",
    "trees(x at {0, 5}; deep)": "'deep' is unknown",
    "trees()": "at least",
}


def items(scores: Any) -> list[tuple[Any, int]]:
    """Every written tree's item with its score."""
    if not isinstance(scores, ErrorSums):
        return list(enumerate(scores.errors.tolist()))
    return [
        ((g, i, j), one + other)
        for g, (yes, no) in enumerate(scores.groups)
        for (i, one), (j, other) in product(items(scores_of(yes)), items(scores_of(no)))
    ]


@pytest.mark.parametrize("labels", [2, 3])
@pytest.mark.parametrize("text", TEXTS)
def test_scores_are_those_of_the_trees(text: str, labels: int) -> None:
    """All of them for few; else some of each root, and the best."""
    H: Any = parse_class(text, labels=labels)
    rng = random.Random(1)
    for n in (0, 1, 50):
        examples = random_examples(H, rng, n)
        scores = H.scores(sample_of(H, examples))
        written = items(scores)
        assert len(written) == H.forms
        best = dict(written)[scores.best]
        assert (
            best == min(errors for _, errors in written) == H.least_errors(sample_of(H, examples))
        )
        for item, errors in [*rng.sample(written, min(len(written), 400)), (scores.best, best)]:
            assert errors_of(H.hypothesis_of_item(item), examples) == errors


EVERY = [(TEXTS[0], 2), (TEXTS[0], 3), ("trees(x at {0, 5}; depth 3)", 2), (TEXTS[4], 3)]


@pytest.mark.parametrize(("text", "labels"), EVERY)
def test_every_tree_is_count_trees(text: str, labels: int) -> None:
    """Root, halves and labels as in the definition."""
    H: Any = parse_class(text, labels=labels)
    points = list(H.domain)
    expected = {(y,) * len(points) for y in range(labels)}
    for _ in range(H.depth):  # a condition, and the labels of one tree or the other
        holds = [[x[t.column] in t.accepted for x in points] for t in H.splits]
        expected = {
            tuple(np.where(held, yes, no).tolist())
            for held, yes, no in product(holds, expected, expected)
        }
    found = {tuple(row) for row in np.asarray(H.labels_of_forms(points)).astype(int).tolist()}
    assert found == expected
    assert H.size == len(expected)
    assert {
        tuple(H.hypothesis_of_item(i)(x) for x in points)
        for i, _ in items(H.scores(sample_of(H, [])))
    } == expected


@pytest.mark.parametrize("text", TEXTS)
def test_no_tree_asks_what_is_known(text: str) -> None:
    H: Any = parse_class(text)
    written = items(H.scores(sample_of(H, [])))
    for item, _ in written[:: max(1, len(written) // 500)]:
        tree = H.hypothesis_of_item(item)
        assert prune(tree.root, H.domain) == tree.root


@pytest.mark.parametrize(
    ("text", "n"), [("x at {7}; depth 1 to 3", 9), ("x at {0, 5}; depth 1 to 2", 5)]
)
def test_each_depth_has_its_share_of_the_prior(text: str, n: int) -> None:
    """The law of the learner, beside r^-errors over the number of trees of the same depth."""
    H: Any = parse_class(f"trees({text})")
    examples = random_examples(H, random.Random(3), n)
    sample = sample_of(H, examples)
    learner = ExponentialLearner(H, Budget(1))
    base, expected = learner.mechanism.base, dict[Any, Fraction]()
    for depth in range(1, H.depth + 1):
        one: Any = parse_class(f"trees({text.partition(';')[0]}; depth {depth})")
        for item, errors in items(one.scores(sample)):
            h = H.hypothesis_of_item(item)
            expected[h] = expected.get(h, Fraction(0)) + base**-errors / one.forms
    whole = sum(expected.values())
    assert learner.distribution(sample) == {h: mass / whole for h, mass in expected.items()}
    assert H.forms == H.depth * one.forms == H.scores(sample).count
    assert H.least_errors(sample) == one.least_errors(sample)


PRIOR = "littlestone.classes.trees:Trees"
FAULTS = [
    Fault(f"{PRIOR}._copies", "// self._count_trees(depth)", "// self._count_trees(depth + 1)",
          "a depth has the share of the next one"),
    Fault(f"{PRIOR}._copies", "[copies]", "[1]", "each tree has the same weight"),
    Fault(f"{PRIOR}.scores", "_scores(joint_of_fewer(joint, d), totals)",
          "_scores(joint_of_fewer(joint, 1), totals)", "each shallow tree has one condition"),
    Fault(f"{PRIOR}.scores", "(g - len(below), *places)", "(0, *places)",
          "all roots are the first"),
]  # fmt: skip


@pytest.mark.parametrize("fault", FAULTS, ids=lambda fault: fault.mistake)
def test_each_fault_of_the_prior_turns_red(fault: Fault, monkeypatch: pytest.MonkeyPatch) -> None:
    text = "x at {0, 5}; depth 1 to 2" if "root" in fault.mistake else "x at {7}; depth 1 to 3"
    turns_red(fault, test_each_depth_has_its_share_of_the_prior, monkeypatch, text, 7)


def test_bounds_of_a_large_class() -> None:
    """Below a root on x, six cuts on y give stumps of dimension 3 in each half.

    Below roots on w and x, they do in each quarter.
    """
    H: Any = parse_class("trees(x: 0..3, y: 0..6; depth 2)")
    conditions = 4 + 7
    assert H._bounds() == (6, (conditions * (4 * conditions) ** 2).bit_length() - 1)
    deep: Any = parse_class("trees(w in {a}, x: 0..3, y: 0..6; depth 3)")
    assert deep._bounds()[0] == 12
    assert deep.forms == 13 * (13 * (13 * 4) ** 2) ** 2


@pytest.mark.parametrize("labels", [2, 3])
@pytest.mark.parametrize("text", TEXTS)
def test_text(text: str, labels: int) -> None:
    H = parse_class(text, labels=labels)
    assert parse_class(str(H), labels=labels) == H


@pytest.mark.parametrize("text", REFUSED)
def test_what_a_class_of_trees_refuses(text: str) -> None:
    with pytest.raises(DeclarationError, match=REFUSED[text]):
        parse_class(text)


def test_a_depth_is_a_number() -> None:
    with pytest.raises(DeclarationError, match="of depth True"):
        Trees(parse_class(TEXTS[0]).domain, None, True)  # type: ignore[arg-type]


def test_an_open_column_is_closed_by_a_list() -> None:
    H: Any = parse_class("trees(ward, age: 0..80 step 20; depth 1)")
    assert parse_class(str(H)) == H
    closed = H.close_columns({0: ["ICU", "ER"]})
    assert str(closed) == "trees(ward in {ICU, ER}, age: 0..80 step 20; depth 1)"


def test_of_open_columns_only_a_lower_bound_is_known() -> None:
    H: Any = parse_class("trees(ward, x: 0..150; depth 2)", labels=30)
    closed = H.close_columns({})
    assert closed.domain.columns[0] == Listed((), "ward")
    assert H.littlestone_bounds() == (closed.littlestone_bounds()[0], math.inf)
    for asked in (H.littlestone_dimension, H.soa):
        with pytest.raises(TooLargeError, match=f"is at least {H.littlestone_bounds()[0]}"):
            asked()
    # The limit of scores allows no 256 values; it is found by halving.
    assert H.most_values == 128
    with pytest.raises(DeclarationError, match="depth 1, 2 or 3"):
        parse_class("trees(ward; depth 4)")


def test_version_spaces_are_scored() -> None:
    H: Any = parse_class(TEXTS[0], labels=3)
    V = H.restrict(("5", "F"), 2)
    examples = random_examples(H, random.Random(4))
    errors = V.scores(sample_of(H, examples)).errors
    assert len(errors) == V.forms == V.size
    for i in range(0, V.size, 7):
        h = V.hypothesis_of_item(i)
        assert h(("5", "F")) == 2
        assert errors_of(h, examples) == errors[i]
