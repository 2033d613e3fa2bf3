"""The exact laws of D~_k and D_k by their definitions, with which the tournaments are compared."""

from __future__ import annotations

import random
from collections import Counter

from littlestone.classes import FiniteClass
from littlestone.learn.papers.globally_stable import stable_rule
from littlestone.prove.papers import definitions, tournaments
from littlestone.prove.papers.blm20 import ELEVEN, eleven_points
from littlestone.prove.papers.statement import Trial


def test_without_a_cap_the_laws_are_those_of_the_row() -> None:
    """D~_k is below D_k, and all that it lacks is what ran out."""
    for game, k, blocks in tournaments.games(Trial()):
        laws, found = game.frequencies(k), game.capped_law(k, blocks)
        if len(laws) > k:  # else D_k is impossible, and D~_k runs out for sure
            assert all(p <= laws[k][rule] for rule, p in found.items() if rule is not None)
        else:
            assert found == {None: 1}


def test_the_learner_itself_has_no_frequent_rule_where_lemma_12_fails() -> None:
    """Its code shares nothing with the exact sums: 300 runs for k = 1, where 75 are stated."""
    game = eleven_points(5, definitions.lyu, definitions.first)
    H = FiniteClass.from_array([[row >> x & 1 for x in range(game.points)] for row in ELEVEN])
    examples, weights = zip(*game.chances.items(), strict=True)
    rng, found = random.Random(12), Counter[object]()
    domain = list(H.domain)
    for _ in range(300):
        blocks = (
            [(domain[x], y) for x, y in rng.choices(examples, list(map(float, weights)), k=5)]
            for _ in range(1000)
        )
        found[stable_rule(H, 1, blocks, rng)] += 1
    exact = max(game.frequencies(2)[1].values())
    assert abs(found.most_common(1)[0][1] / 300 - exact) < 0.08
