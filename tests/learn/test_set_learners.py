"""Learners of finite sets: private on tiny pairs, as sure as proved, at ease with any sample."""

from __future__ import annotations

from fractions import Fraction
from itertools import product
from typing import Any

import numpy as np
import pytest

from littlestone.base.errors import DeclarationError
from littlestone.classes import EqualityRules, Points, Subsets
from littlestone.data.sample import Sample
from littlestone.learn import PartitionLearner, SingleKeyLearner
from littlestone.learn.plan import candidates
from littlestone.points import Integers
from littlestone.privacy import Budget
from littlestone.privacy.ledger import Ledger
from littlestone.privacy.randomness import seeded_generator
from littlestone.prove.audit.claims import exact_audit, neighbours

RECORDS = tuple(product(range(3), (0, 1)))


class Handed(Exception):  # noqa: N818
    """What a learner hands to its mechanism, in place of a draw."""


def learners(delta: str, k: int = 2) -> list[Any]:
    return [
        PartitionLearner(Subsets(Integers(), k), Budget(1, delta)),
        SingleKeyLearner(Points(Integers()), Budget(1, delta)),
    ]


def released(learner: Any, data: Any) -> dict[Any, Fraction]:
    """The exact distribution of what the mechanism makes of what the learner hands to it."""
    mechanism = learner.mechanism

    class Hands:
        @staticmethod
        def draw_scores(scores: Any, **_: object) -> Any:
            raise Handed(scores)

    learner.mechanism = Hands
    try:
        learner.draw(Sample.from_examples(learner.hypotheses.domain, data), receipt=None)
    except Handed as handed:
        found: dict[Any, Fraction] = mechanism._distribution(handed.args[0])
        return found
    finally:
        learner.mechanism = mechanism
    raise AssertionError("nothing was drawn")


@pytest.mark.parametrize("learner", learners("0.1"), ids=lambda learner: learner.method)
def test_private_on_every_tiny_pair(learner: Any) -> None:
    pairs = neighbours(RECORDS, 3, ordered=False)
    assert exact_audit(lambda data: released(learner, data), pairs, learner.event).holds


class CountsNegativesToo(SingleKeyLearner[Any]):
    """A changed label moves the score by two, for which the curve is too steep."""

    def draw(self, sample: Any, **options: Any) -> Any:
        scores = (sample.positives - sample.negatives).tolist()
        return self.mechanism.draw_scores(dict(zip(sample.points, scores, strict=True)), **options)


def test_a_score_that_moves_by_two_is_caught() -> None:
    broken = CountsNegativesToo(Points(Integers()), Budget(1, "0.01"))
    pairs = neighbours(RECORDS[:2], 9, ordered=False)
    assert not exact_audit(lambda data: released(broken, data), pairs, broken.event).holds


@pytest.mark.parametrize("learner", learners("1e-6", k=3), ids=lambda learner: learner.method)
def test_the_proved_size_is_enough(learner: Any) -> None:
    bound, k = learner.plan(0.1, 0.05, setting="realizable"), learner.hypotheses.max_elements
    assert learner.plan(0.1, 0.05) is None
    g, rng, failures = np.random.default_rng(1), seeded_generator(2), 0
    weights = [0.1001 / k] * k
    with Ledger() as ledger:
        for _ in range(200):
            *ones, rest = g.multinomial(bound.n, [*weights, 1 - sum(weights)]).tolist()
            counts = {i: [0, c] for i, c in enumerate(ones) if c} | {99: [rest, 0]}
            sample = Sample[Any].from_counts(learner.hypotheses.domain, counts)
            h = learner.fit(sample, ledger=ledger, dataset="d", rng=rng).hypothesis
            failures += sum(w for i, w in enumerate(weights) if not h(i)) > 0.1
    assert failures <= 200 * 0.05 + 10


@pytest.mark.parametrize("learner", learners("1e-6"), ids=lambda learner: learner.method)
def test_no_sample_raises(learner: Any) -> None:
    for data in ([(1, 0)], [(1, 1), (1, 0)] * 9, [(x, 1) for x in range(500)], [(None, "?")]):
        sample = Sample.from_examples(learner.hypotheses.domain, data)
        with Ledger() as ledger:
            assert learner.fit(sample, ledger=ledger, dataset="d").n == len(data)


def test_who_is_for_what() -> None:
    with pytest.raises(DeclarationError, match="several points"):
        PartitionLearner(Points(Integers()), Budget(1, "1e-6"))
    with pytest.raises(DeclarationError, match="dimension is above 1"):
        SingleKeyLearner(Subsets(Integers(), 2), Budget(1, "1e-6"))
    rules = EqualityRules.over_columns("a", max_literals=1)
    for kind in (PartitionLearner, SingleKeyLearner):
        with pytest.raises(DeclarationError):
            kind(rules, Budget(1, "1e-6"))
    order = [c.method for c in candidates(Points(Integers()), Budget(1, "1e-6"))]
    assert order[0] == "choosing"  # it bears wrong labels
    assert order.index("single_key") < order.index("exponential")


def test_a_released_set_is_listed_in_one_order() -> None:
    learner = PartitionLearner(Subsets(Integers(), 2), Budget(1, "1e-6"))
    listed = set()
    for first in (0, 8):
        examples = [(first, 1)] + [(0, 1)] * 80 + [(8, 1)] * 80 + [(9, 0)] * 200
        sample = Sample.from_examples(learner.hypotheses.domain, examples)
        with Ledger() as ledger:
            rng = seeded_generator(1)
            h: Any = learner.fit(sample, ledger=ledger, dataset="d", rng=rng).hypothesis
        listed.add((repr(h), *h.members))
    assert len(listed) == 1
