"""Partition selection that may release all keys: its curves, its law, and its parameters."""

from __future__ import annotations

import math
import pickle
from collections import Counter
from fractions import Fraction
from typing import Any

import pytest

from littlestone.privacy import Budget
from littlestone.privacy.ledger import Ledger
from littlestone.privacy.mechanisms.partition_selection import RestSelection
from littlestone.privacy.randomness import seeded_generator

BUDGETS = [Budget(1, "1e-6"), Budget("0.01", "0.001"), Budget(5, "0.3"), Budget(1000, "1e-9")]


@pytest.mark.parametrize("budget", BUDGETS, ids=str)
def test_the_steps_are_those_of_the_proof(budget: Budget) -> None:
    mechanism = RestSelection[str](budget)
    r, p, q, Q = mechanism.odds_factor, mechanism.slow, mechanism.curve, mechanism.chance_of_all
    d = budget.delta / (r + 1)
    assert 1 < p < r
    assert mechanism.upper * p == r
    for s in range(60):
        assert q(s) <= q(s + 1) <= r * q(s) + d
        assert 1 - q(s) <= mechanism.upper * (1 - q(s + 1)) + d
    for T in range(-12, 12):
        assert 0 < Q(T) < Q(T + 1) < 1
        assert Q(T + 1) <= r * Q(T)
        assert 1 - Q(T) <= p * (1 - Q(T + 1))
    assert Q(1) == r * Q(0)  # so no larger chance of all keys is possible


@pytest.mark.deep
def test_all_keys_are_drawn_by_their_law() -> None:
    mechanism = RestSelection[str](Budget(2, "0.1"))
    scores = {"a": 6, "b": -2, "c": 3}
    exact = mechanism._distribution(scores)
    assert sum(exact.values()) == 1
    rng, drawn = seeded_generator(3), Counter[Any]()
    with Ledger() as ledger:
        for _ in range(2000):
            receipt = ledger.spend(mechanism, dataset="d", what="test", rng=rng)
            drawn[mechanism.draw_scores(scores, receipt=receipt)] += 1
    assert set(drawn) <= set(exact)
    from scipy import stats

    likely = [y for y, mass in exact.items() if mass * 2000 >= 5]
    pairs = [(drawn[y], float(exact[y]) * 2000) for y in likely]
    rare = 2000 - sum(expected for _, expected in pairs)
    if rare > 1e-6:
        pairs.append((2000 - sum(n for n, _ in pairs), rare))
    assert stats.chisquare(*zip(*pairs, strict=True)).pvalue > 1e-3


@pytest.mark.parametrize("rest", [-(10**7), 10**7])
def test_a_large_rest_is_decided_at_once(rest: int) -> None:
    mechanism = RestSelection[str](Budget(1, "1e-6"))
    with Ledger() as ledger:
        receipt = ledger.spend(mechanism, dataset="d", what="test", rng=seeded_generator(1))
        # Such a key is released for certain, or never; with "b" there is a rest of either sign.
        scores = {"b": rest} if rest < 0 else {str(i): 1 for i in range(3000)}
        found = mechanism.draw_scores(scores, receipt=receipt)
    assert found == (frozenset() if rest < 0 else None)


def test_it_can_be_pickled_and_names_itself() -> None:
    mechanism = RestSelection[str](Budget(1, "1e-6"))
    assert pickle.loads(pickle.dumps(mechanism)) == mechanism
    assert "with the rest of the keys, epsilon 1" in str(mechanism)
    assert mechanism.cost() == Budget(1, "1e-6").cost
    assert math.isclose(float(mechanism.slow), math.exp(0.05), rel_tol=1e-8)
    assert Fraction(0) < mechanism.even < 1
