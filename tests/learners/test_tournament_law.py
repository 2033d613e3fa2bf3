"""The exact laws of D~_k and D_k by their definitions, with which the tournaments are compared."""

from __future__ import annotations

from littlestone.verify import tournaments
from littlestone.verify.statement import Trial


def test_without_a_cap_the_laws_are_those_of_the_row() -> None:
    """D~_k is below D_k, and all that it lacks is what ran out."""
    for game, k, blocks in tournaments.games(Trial()):
        laws, found = game.frequencies(k), game.capped(k, blocks)
        if len(laws) > k:  # else D_k is impossible, and D~_k runs out for sure
            assert all(p <= laws[k][rule] for rule, p in found.items() if rule is not None)
        else:
            assert found == {None: 1}
