"""The affordability map: its classes, its simulations and its page."""

import random
import re
from typing import Any

import numpy as np
import pytest
from benchmarks.affordability import PAGE, without_privacy
from benchmarks.affordable.laws import ScoredLaw, law
from benchmarks.affordable.natural import NATURAL
from benchmarks.affordable.needed import needed, starts
from benchmarks.affordable.targets import pools

from littlestone.classes import parse_class
from littlestone.data.sample import Sample
from littlestone.learn import (
    ChoosingLearner,
    ExponentialLearner,
    IrreducibleLearner,
    LookupLearner,
    PartitionLearner,
    PrivateLearner,
    SingleKeyLearner,
)
from littlestone.privacy import Budget
from littlestone.privacy.ledger import Ledger
from littlestone.privacy.randomness import seeded_generator

NAMES = [name for classes in NATURAL.values() for name in classes]
BUDGET = Budget(3, "1e-2")  # few records are enough
LEARNERS: list[tuple[type[PrivateLearner[Any]], str, int]] = [
    (ExponentialLearner, "thresholds(x, 0..99)", 30),
    (ExponentialLearner, "trees(x 0..4, y 0..4; depth 2)", 12),
    (ChoosingLearner, "subsets(a; at most 2)", 30),
    (ChoosingLearner, "rules(a, b; at most 1)", 12),
    (ChoosingLearner, "linear(x, y; q 5, dimension 1)", 9),
    (PartitionLearner, "subsets(a; at most 3)", 30),
    (SingleKeyLearner, "linear(x, y; q 5, dimension 1)", 6),
    (LookupLearner, "lookup(a; at most 2)", 30),
]


def test_each_class_has_a_name_of_its_own_and_a_place_on_the_page() -> None:
    text = PAGE.read_text(encoding="utf-8")
    assert len(set(NAMES)) == len(NAMES) >= 40
    for classes in NATURAL.values():
        for name, declared in classes.items():
            assert f"| {name} | `{declared}` |" in text


def test_the_dimensions_on_the_page_are_those_that_are_known_now() -> None:
    text = PAGE.read_text(encoding="utf-8")
    for classes in NATURAL.values():
        for name, declared in classes.items():
            low, high = parse_class(declared).littlestone_bounds()
            known = str(low) if low == high else f"{low} to {high}"
            assert re.search(rf"^{re.escape(name)} +{known}  ", text, re.MULTILINE), (name, known)


def test_without_privacy() -> None:
    assert without_privacy(1001, (9, 9)) == 95
    assert without_privacy(None, (1, 1)) == 72
    assert without_privacy(None, None) is None


@pytest.mark.parametrize("text", ["thresholds(x, 0..99)", "boxes(x 0..9, y 0..9)"])
def test_what_is_searched_pins_a_hypothesis_down(text: str) -> None:
    learner = ExponentialLearner(parse_class(text), BUDGET)
    for examples in pools(learner, 2, 20, random.Random(0)):
        counts = dict.fromkeys((x for x, _ in examples), 0)
        assert len(counts) == len(examples) <= 20
        sample = Sample.from_examples(learner.hypotheses.domain, examples)
        assert learner.scores(sample).least == 0  # some hypothesis is right on all
        found = ScoredLaw.of(learner, examples)
        for profile in starts(found):
            weights = profile.weights(0.1)
            assert weights is None or weights.sum() == pytest.approx(1)


def test_the_points_on_both_sides_of_a_cut_are_searched() -> None:
    learner = ExponentialLearner(parse_class("thresholds(x, 0..1048575)"), BUDGET)
    pool = list(pools(learner, 1, 20, random.Random(0)))[-1]
    labels = dict(pool)
    assert any(labels.get(x) == 0 and labels.get(x + 1) == 1 for x in labels)


@pytest.mark.deep
@pytest.mark.parametrize(("kind", "text", "n"), LEARNERS)
def test_the_law_is_that_of_the_learner(kind: type[PrivateLearner[Any]], text: str, n: int) -> None:
    """Its share of failures is that of 200 fits, up to five standard errors."""
    H = parse_class(text)
    learner, alpha, failed, runs = kind(H, BUDGET), 0.15, 0, 200
    examples = list(pools(learner, 2, 12, random.Random(3)))[1][:9]
    found = law(learner, examples)
    assert found is not None
    rng, seeds = np.random.default_rng(1), seeded_generator(1)
    weights = rng.dirichlet(np.full(len(examples), 2.0))
    for _ in range(runs):
        counts = np.zeros((len(examples), H.labels), dtype=np.int64)
        counts[range(len(examples)), [y for _, y in examples]] = rng.multinomial(n, weights)
        met = counts.sum(axis=1) > 0
        points = tuple(x for (x, _), kept in zip(examples, met.tolist(), strict=True) if kept)
        with Ledger() as ledger:
            sample = Sample(H.domain, points, counts[met])
            h = learner.fit(sample, ledger=ledger, dataset="d", rng=seeds).hypothesis
        errors = sum(w for (x, y), w in zip(examples, weights, strict=True) if h(x) != y)
        failed += errors > alpha
    share = found.chances(weights, n, 4000, alpha, rng).mean()
    assert 0.02 < share < 0.98
    assert abs(failed / runs - share) <= 5 * (share * (1 - share) / runs) ** 0.5


def test_needed_is_at_most_what_is_proved() -> None:
    learner = ExponentialLearner(parse_class("thresholds(x, 0..1048575)"), Budget(1))
    proved = learner.plan(0.1, 0.05, setting="realizable").n
    found = needed(learner, 0.1, 0.05, 2 * proved, targets=1)
    assert found is not None
    assert 0.9 * proved < found.n <= proved
    low, high = found.interval
    assert low < found.failures / found.runs < high < 0.06
    with pytest.raises(RuntimeError, match="are not enough"):
        needed(learner, 0.1, 0.05, proved // 2, targets=1)


def test_learners_without_a_law_are_not_simulated() -> None:
    learner = IrreducibleLearner(parse_class("points(a)"), Budget(1, "1e-6"))
    assert needed(learner, 0.1, 0.05, 1000) is None
