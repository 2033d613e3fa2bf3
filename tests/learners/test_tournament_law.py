"""The exact law of the tournaments that learners play, against BLM20's definitions."""

from __future__ import annotations

import pytest

from littlestone.verify import tournaments
from planting import Fault, forget, plant

pytestmark = pytest.mark.slow


TOURNAMENT = "littlestone.learners.stable.tournament"
UPDATE = "littlestone.online.extended_soa:ExtendedSOA.update"
FAULTS = [
    Fault(f"{TOURNAMENT}:_winner", "f(x) != y else", "f(x) == y else", "the right rule wins"),
    Fault(f"{TOURNAMENT}:_winner", ".update(x, y)", "", "the sample lacks the tournament's example"),
    Fault(f"{TOURNAMENT}:_winner", "rng.randrange(start.version_space.labels)", "1", "y is 1"),
    Fault(f"{TOURNAMENT}:_winner", "k - 1", "0", "both samples come from D_0"),
    Fault(f"{TOURNAMENT}:_winner", "if f == g:\n            continue",
          "if f == g:\n            return None", "equal rules end the tournament"),
    Fault(f"{TOURNAMENT}:_contender", "state.after(block)", "state", "the rule has seen no T"),
    Fault(f"{TOURNAMENT}:_contender", "_winner(start, k, blocks, rng) if k else start", "start",
          "no tournament is played"),
    Fault(UPDATE, "others if right else others | {(x, y)}",
          "others", "an impossible example is forgotten"),
    Fault(UPDATE, "realizable=False",
          "realizable=True", "an impossible example is taken for one that a function has"),
]  # fmt: skip


LEARNER = "littlestone.learners.globally_stable:GloballyStableLearner.rule"
VOTES = [
    Fault(LEARNER, "i % len(sizes.caps)", "0", "k is always 0"),
    Fault(LEARNER, "sizes.blocks(batch)", "iter([batch])", "a batch is one block"),
]


def holds(row: str, fault: Fault, monkeypatch: pytest.MonkeyPatch) -> bool:
    plant(fault, monkeypatch)
    try:
        return getattr(tournaments, row)().holds  # type: ignore[no-any-return]
    finally:
        monkeypatch.undo()
        forget()


@pytest.mark.parametrize("row", ["tournaments", "globally_stable_code", "batches_in_turn"])
def test_the_code_plays_the_tournaments_of_the_paper(row: str) -> None:
    assert getattr(tournaments, row)().holds


@pytest.mark.parametrize("fault", FAULTS, ids=lambda fault: fault.mistake)
def test_a_wrong_tournament_has_another_law(fault: Fault, monkeypatch: pytest.MonkeyPatch) -> None:
    assert not holds("tournaments", fault, monkeypatch)


@pytest.mark.parametrize("fault", VOTES, ids=lambda fault: fault.mistake)
def test_a_wrong_vote_has_another_law(fault: Fault, monkeypatch: pytest.MonkeyPatch) -> None:
    assert not holds("batches_in_turn", fault, monkeypatch)


def test_without_a_cap_the_laws_are_those_of_the_row() -> None:
    """D~_k is below D_k, and all that it lacks is what ran out."""
    for game, k, blocks in tournaments.games():
        laws, found = game.frequencies(k), game.capped(k, blocks)
        if len(laws) > k:  # else D_k is impossible, and D~_k runs out for sure
            assert all(p <= laws[k][rule] for rule, p in found.items() if rule is not None)
        else:
            assert found == {None: 1}
