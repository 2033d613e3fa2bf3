"""Theorem 2 of lecture 5 on instances: the SOA's mistakes are LDim(H), no more and no fewer."""

from __future__ import annotations

import copy
import random
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from littlestone.base.errors import DeclarationError, EmptyClassError, InfiniteDimensionError
from littlestone.classes import FiniteClass, HypothesisClass, Points, Thresholds
from littlestone.points import Grid, Integers, Reals, Strings
from littlestone.rules import Hypothesis
from littlestone.theory.game import (
    Halving,
    OnlineLearner,
    RandomAdversary,
    SequenceAdversary,
    StandardOptimalAlgorithm,
    TreeAdversary,
    majority,
    play,
)


class Arbitrary(OnlineLearner[Any]):
    """A deterministic learner without sense: its guess is a fixed function of the history."""

    def __init__(self, H: HypothesisClass[Any], seed: int) -> None:
        self.history = str(seed)

    @property
    def hypothesis(self) -> Hypothesis[Any]:
        raise NotImplementedError

    def predict(self, x: Any) -> int:
        return random.Random(f"{self.history}{x}").randrange(2)

    def update(self, x: Any, y: int) -> None:
        self.history += f"{x}{y}"


Builder = Callable[[HypothesisClass[Any]], OnlineLearner[Any]]
DETERMINISTIC: dict[str, Builder] = {
    "soa": StandardOptimalAlgorithm,
    "halving": Halving,
    **{f"arbitrary{seed}": lambda H, seed=seed: Arbitrary(H, seed) for seed in range(4)},  # type: ignore[misc]
}


def random_class(seed: int, most_rows: int = 20, most_points: int = 7) -> FiniteClass:
    rng = np.random.default_rng([7, seed])
    shape = int(rng.integers(1, most_rows + 1)), int(rng.integers(1, most_points + 1))
    return FiniteClass.from_array((rng.random(shape) < rng.choice([0.2, 0.5])).astype(int))


def worst_case(learner: StandardOptimalAlgorithm[str] | Halving[str]) -> int:
    """The most mistakes over ALL adversary strategies, by trying each of them."""
    known: dict[int, int] = {}

    def worst(learner: Any) -> int:
        V = learner.version_space
        if V.alive not in known:
            known[V.alive] = 0
            for x in V.domain:
                guess = learner.predict(x)
                for y in (0, 1):
                    left = V.restrict(x, y)
                    if left.is_empty():
                        continue
                    if left == V:
                        # A round that teaches nothing may be repeated for ever: never a mistake.
                        assert guess == y
                        continue
                    after = copy.copy(learner)
                    after.update(x, y)
                    known[V.alive] = max(known[V.alive], (guess != y) + worst(after))
        return known[V.alive]

    return worst(learner)


@pytest.mark.parametrize("block", range(4))
def test_the_worst_case_of_the_soa_is_exactly_the_littlestone_dimension(block: int) -> None:
    for seed in range(50 * block, 50 * block + 50):
        H = random_class(seed, 9, 5)
        soa = StandardOptimalAlgorithm(H)
        assert worst_case(soa) == soa.mistake_bound == H.littlestone_dimension()


def test_the_worst_case_of_halving_lies_between_the_dimension_and_the_logarithm() -> None:
    for seed in range(100):
        H = random_class(seed, 9, 5)
        worst = worst_case(Halving(H))
        assert H.littlestone_dimension() <= worst <= H.size.bit_length() - 1


def test_halving_is_drawn_off_by_many_hypotheses_of_small_dimension() -> None:
    # At each lure point the label 1 has most hypotheses, all singletons, so of dimension 1; the
    # label 0 keeps the cube on two points, of dimension 2.
    lures = [5, 10, 20]
    rows = [{f"cube{j}" for j in range(2) if i >> j & 1} for i in range(4)]
    for k, singletons in enumerate(lures):
        rows += [{f"lure{k}", f"single{k}-{i}"} for i in range(singletons)]
    names = ["cube0", "cube1", "lure2", "lure1", "lure0"]
    names += sorted(set().union(*rows) - set(names))
    H = FiniteClass.from_array([[int(x in row) for x in names] for row in rows], points=names)
    sequence = [(x, 0) for x in ("lure2", "lure1", "lure0", "cube0", "cube1")]
    assert H.littlestone_dimension() == 2
    assert play(Halving(H), SequenceAdversary(sequence)).mistakes == 5
    assert play(StandardOptimalAlgorithm(H), SequenceAdversary(sequence)).mistakes <= 2


@pytest.mark.parametrize("block", range(4))
def test_learners_keep_their_bounds_against_random_adversaries(block: int) -> None:
    for seed in range(100 * block, 100 * block + 100):
        H = random_class(seed)
        soa, halving = StandardOptimalAlgorithm(H), Halving(H)
        for learner in (soa, halving):
            adversary = RandomAdversary(H, rng=random.Random(seed))
            assert play(learner, adversary, rounds=30).mistakes <= learner.mistake_bound
            assert adversary.target is not None
            assert learner.version_space.size >= 1  # type: ignore[operator]


@pytest.mark.parametrize("name", DETERMINISTIC)
def test_the_tree_forces_the_dimension_on_every_deterministic_learner(name: str) -> None:
    for seed in range(60):
        H = random_class(seed)
        transcript = play(DETERMINISTIC[name](H), TreeAdversary(H))
        assert transcript.mistakes == len(transcript.rounds) == H.littlestone_dimension()
        V: HypothesisClass[Any] = H
        for played in transcript.rounds:
            V = V.restrict(played.x, played.y)
        assert not V.is_empty()


@pytest.mark.parametrize("name", DETERMINISTIC)
@pytest.mark.parametrize(
    ("H", "d"),
    [
        (Thresholds.on(0, 2**20 - 2), 20),
        (Thresholds.over(Grid(0, 2**64 - 1)), 64),
        (Thresholds.over(Grid(-(2**63), 2**63 - 1)).restrict(0, 0), 63),
        (Thresholds.on(0, 0), 1),
    ],
    ids=str,
)
def test_the_tree_forces_the_dimension_on_huge_domains(name: str, H: Thresholds, d: int) -> None:
    transcript = play(DETERMINISTIC[name](H), TreeAdversary(H))
    assert transcript.mistakes == len(transcript.rounds) == d == H.littlestone_dimension()


@pytest.mark.parametrize("name", [name for name in DETERMINISTIC if name != "halving"])
def test_the_tree_forces_one_mistake_over_an_open_vocabulary(name: str) -> None:
    for H in (Points(Strings()), Points(Integers(), exactly=True).restrict(3, 0)):
        assert play(DETERMINISTIC[name](H), TreeAdversary(H)).mistakes == 1


@pytest.mark.parametrize("seed", range(3))
def test_over_the_reals_every_round_is_a_mistake(seed: int) -> None:
    H = Thresholds.over(Reals())
    with pytest.raises(DeclarationError, match="give a number of rounds"):
        play(Arbitrary(H, seed), TreeAdversary(H))
    transcript = play(Arbitrary(H, seed), TreeAdversary(H), rounds=200)
    assert transcript.mistakes == 200
    low = max((r.x for r in transcript.rounds if not r.y), default=None)
    high = min((r.x for r in transcript.rounds if r.y), default=None)
    assert low is None or high is None or low < high


@pytest.mark.parametrize("learner", [StandardOptimalAlgorithm, Halving])
def test_learners_refuse_classes_that_cannot_be_learned(learner: Builder) -> None:
    with pytest.raises(InfiniteDimensionError):
        learner(Thresholds.over(Reals()))
    with pytest.raises(EmptyClassError):
        learner(Thresholds.on(0, 9).restrict(4, 1).restrict(4, 0))


def test_halving_refuses_infinitely_many_hypotheses() -> None:
    with pytest.raises(DeclarationError, match="use the standard optimal algorithm"):
        Halving(Points(Strings()))


def test_the_current_hypothesis_is_what_a_learner_predicts() -> None:
    for seed in range(40):
        H = random_class(seed)
        for learner in (StandardOptimalAlgorithm(H), Halving(H)):
            adversary = RandomAdversary(H, rng=random.Random(seed))
            for _ in range(4):
                hypothesis = learner.hypothesis
                assert [hypothesis(x) for x in H.domain] == [learner.predict(x) for x in H.domain]
                play(learner, adversary, rounds=1)


def test_the_majority_of_thresholds_is_their_median() -> None:
    for high in range(9):
        for x in range(high + 1):
            for y in (0, 1):
                V = Thresholds.on(0, high).restrict(x, y)
                vote = majority(V)
                halving = Halving(V)
                assert [vote(x) for x in V.domain] == [halving.predict(x) for x in V.domain]
    huge = Halving(Thresholds.over(Grid(0, 2**64 - 1)))
    assert huge.hypothesis.words() == f"x >= {2**63}"
    assert (huge.predict(2**63 - 1), huge.predict(2**63)) == (0, 1)


def test_a_vote_without_a_canonical_form_is_refused_in_words() -> None:
    with pytest.raises(DeclarationError, match="one by one"):
        majority(Points(Strings()).restrict("a", 1))
