"""Sets of points and the constant 1: written down, compared, and released where it is better."""

from __future__ import annotations

import json
import math
from itertools import product
from typing import Any

import numpy as np
import pytest

from littlestone.classes import EqualityRules, Points, Subsets
from littlestone.data.sample import Sample
from littlestone.learn import ChoosingLearner, PartitionLearner, Release
from littlestone.learn.plan.missed import miss_chances, too_much_missed
from littlestone.points import Integers, Strings
from littlestone.privacy import Budget
from littlestone.privacy.ledger import Ledger
from littlestone.privacy.randomness import seeded_generator
from littlestone.privacy.rational import exp_below
from littlestone.prove.audit.claims import hockey_stick, neighbours
from littlestone.rules import FiniteSet, Hypothesis, disagreement, majority

D = Integers("key")
BUDGET = Budget(1, "1e-6")
SETS = [
    FiniteSet(D, frozenset(members), rest)
    for members, rest in product([(), (1,), (1, 2), (2, 3), (0, 7)], (0, 1))
]


def test_complements_say_what_they_are() -> None:
    found = {h.words() for h in SETS}
    assert {"always 0", "always 1", "key is 1", "key is not 1", "key is none of 1, 2"} <= found
    assert len(found) == len(set(SETS)) == len(SETS)
    for h in SETS:
        again = Hypothesis.from_json(json.loads(json.dumps(h.to_json())))
        assert again == h
        assert again.words() == h.words()
        assert ("rest" in h.to_json()) == bool(h.rest)
        assert [h(x) for x in range(9)] == [int(x in h.members) ^ h.rest for x in range(9)]
        changed = h.patch({1: 1, 5: 0, 8: 1})
        assert changed is not None
        assert [changed(x) for x in (1, 5, 8, 9)] == [1, 0, 1, h(9)]


def test_two_sets_differ_at_their_witness() -> None:
    for f, g in product(SETS, repeat=2):
        x = disagreement(f, g)
        assert (x is None) == (f == g)
        assert x is None or f(x) != g(x)


@pytest.mark.parametrize("rest", [2, -1, "1", None, [1]])
def test_a_damaged_rest_is_refused(rest: object) -> None:
    from littlestone.base.errors import ModelError

    with pytest.raises(ModelError):
        Hypothesis.from_json({**SETS[0].to_json(), "rest": rest})


def test_votes_of_complements_are_counted() -> None:
    rng = np.random.default_rng(2)
    for _ in range(200):
        voters = [SETS[i] for i in rng.integers(0, len(SETS), rng.integers(1, 6))]
        h = majority(voters)
        assert h is not None
        for x in range(9):
            votes = sum(f(x) for f in voters)
            assert 2 * votes == len(voters) or h(x) == int(2 * votes > len(voters))


def counts(task: dict[int, tuple[int, int]]) -> Sample[Any]:
    return Sample[Any].from_counts(D, {x: list(pair) for x, pair in task.items()})


def drawn(learner: Any, sample: Sample[Any], seed: int = 1) -> Hypothesis[Any]:
    with Ledger() as ledger:
        found: Release = learner.fit(sample, ledger=ledger, dataset="d", rng=seeded_generator(seed))
    assert Release.from_json(json.loads(json.dumps(found.to_json()))) == found
    return found.hypothesis


@pytest.mark.parametrize("kind", [PartitionLearner, ChoosingLearner])
def test_the_majority_is_released_where_it_is_best(kind: Any) -> None:
    learner = kind(Subsets(D, 2), BUDGET)
    positive = counts(dict.fromkeys(range(400), (1, 2)) | {1000: (40, 0)})
    assert drawn(learner, positive).words() == "always 1"
    negative = counts(dict.fromkeys(range(400), (2, 1)))
    assert drawn(learner, negative).words() == "always 0"
    # Most records are positive, but the rule of one key has fewer errors.
    one = counts({7: (0, 900)} | dict.fromkeys(range(10, 510), (1, 0)))
    assert drawn(learner, one).words() == "key is 7"


def test_a_single_point_competes_with_everything() -> None:
    learner = ChoosingLearner[Any](Points(D), BUDGET)
    assert drawn(learner, counts(dict.fromkeys(range(500), (0, 1)))).words() == "always 1"
    two = counts({7: (0, 500), 8: (0, 300), 9: (600, 0)})
    assert drawn(learner, two).words() == "key is 7"
    both = counts({7: (0, 500), 8: (0, 300), 9: (100, 0)})
    assert drawn(learner, both).words() == "always 1"


def test_it_competes_without_positives_and_in_the_last_round_only() -> None:
    learner = ChoosingLearner[Any](Subsets(D, 2), BUDGET)
    sample = counts({1: (3, 0), 2: (1, 4)})
    for rounds, size in ((2, 1), (1, 2)):
        assert len(learner.competing(sample, rounds).positives) == size
    last = learner.competing(counts({1: (3, 0)}), 1)
    assert (last.positives.tolist(), last.negatives.tolist()) == ([0], [3])
    assert last.element(0) == FiniteSet(D, frozenset(), 1)
    assert len(last.left(counts({1: (3, 0)}), 0).points) == 0
    # For rules it is an element, the empty rule, which a positive record brings.
    rules = ChoosingLearner[Any](EqualityRules.over_columns("a", max_literals=1), BUDGET)
    assert rules.covering.everything is None
    found = rules.competing(Sample.from_examples(rules.hypotheses.domain, [(("u",), 1)]), 1)
    assert "always 1" in {found.element(i).words() for i in range(2)}


def test_the_constant_1_counts_what_is_left() -> None:
    """A covered record is void in the last round, not a negative one: on all samples of 3."""
    learner = ChoosingLearner[Any](Subsets(D, 2), Budget(1, "0.05"))
    records, ratio = list(product((1, 2), (0, 1))), exp_below(learner.mechanism.epsilon, bits=256)
    chosen = FiniteSet(D, frozenset({1}))

    def last_round(held: Any) -> dict[Any, Any]:
        rest = [(x, y) for x, y in held if not chosen(x)]
        law = learner._distribution(Sample.from_examples(D, rest), (chosen,), 1)
        left, first = Sample.from_examples(D, held), learner.covering.elements
        if (1, 1) in held:  # so the element is a candidate of the first round, and this is its rest
            found = first(left)
            i = next(i for i in range(found.number_of_elements) if found.element(i) == chosen)
            assert learner._distribution(learner.left(left, found, i), (chosen,), 1) == law
            scored = learner.competing(learner.left(left, found, i), 1)
            counts = int(scored.positives[-1]), int(scored.negatives[-1])
            assert counts == (rest.count((2, 1)), rest.count((2, 0)))
        return law

    pairs = list(neighbours(records, 3, ordered=False))
    for one, other in pairs:
        p, q = last_round(one), last_round(other)
        worst = max(hockey_stick(p, q, ratio), hockey_stick(q, p, ratio))
        assert worst <= learner.mechanism.delta0
    # What is left has fewer records: a covered one is not kept as one that nothing covers.
    covered, negative = [(2, 1), (2, 1), (1, 0)], [(2, 1), (2, 1), (2, 0)]
    assert last_round(covered) == last_round(covered[:2]) != last_round(negative)


def test_ties_of_the_first_round_are_not_won_by_everything() -> None:
    """Half and a quarter of the records at two keys: together they have no error."""
    learner = ChoosingLearner[Any](Subsets(D, 2), BUDGET)
    sample = counts({1: (0, 2000), 2: (0, 1000), 3: (1000, 0)})
    assert {drawn(learner, sample, seed).words() for seed in range(8)} == {"key is one of 1, 2"}


@pytest.mark.deep
def test_the_bounds_of_the_errors_hold() -> None:
    """At most beta of the runs are further above a constant than Theorem 3 says."""
    learner, beta = PartitionLearner(Subsets(D, 2), BUDGET), 0.1
    r, p = (math.log(x) for x in (learner.mechanism.odds_factor, learner.mechanism.slow))
    for share in (0.35, 0.5, 0.6, 0.75):
        g = np.random.default_rng(3)
        worse = 0
        for seed in range(40):
            ones = g.binomial(8, share, 150)
            sample = counts({x: (8 - int(k), int(k)) for x, k in enumerate(ones)})
            h = drawn(learner, sample, seed)
            pairs = zip(sample.points, sample.counts.tolist(), strict=True)
            errors = sum(n[1 - h(x)] for x, n in pairs)
            negatives, positives = sample.counts.sum(axis=0).tolist()
            worse += errors > positives + math.log(1 / beta) / r
            worse += errors > negatives + math.log(1 / beta) / p
        assert worse <= 40 * 2 * beta


@pytest.mark.parametrize("k", [2, 5])
def test_the_size_of_partition_is_that_of_the_theorem(k: int) -> None:
    learner = PartitionLearner(Subsets(Strings("merchant"), k), BUDGET)
    bound = learner.plan(0.1, 0.05, setting="realizable")
    assert bound is not None
    mechanism, n = learner.mechanism, bound.n
    r, even = float(mechanism.odds_factor), float(mechanism.even)
    kept = miss_chances(mechanism)
    scores = np.arange(len(kept))

    def everything(n: int) -> float:
        bounds = (
            even**t
            * float(((1 - kept) + kept * r ** (t * scores)).max()) ** k
            * (1 - 0.1 * (1 - r**-t)) ** n
            for t in np.linspace(0.01, 1, 60)
        )
        return float(min(bounds))

    def failure(n: int) -> float:
        return too_much_missed(n, k, kept, 0.1, 0.05) + everything(n)

    assert failure(n) <= 0.05 < failure(n - 3)
    assert everything(n) > 0
