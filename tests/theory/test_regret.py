"""The learner of labels that no hypothesis fits: its weights, its bound, its refusals."""

from __future__ import annotations

import math
import random
from itertools import product

import pytest

from littlestone.base.errors import DeclarationError, InfiniteDimensionError, TooLargeError
from littlestone.classes import FiniteClass, Points, Subsets, Thresholds
from littlestone.points import Integers, Reals, Strings
from littlestone.theory.game import (
    AgnosticExperts,
    Halving,
    RandomAdversary,
    SequenceAdversary,
    StandardOptimalAlgorithm,
    TreeAdversary,
    play,
)


def by_listing(H: FiniteClass, T: int, examples: list[tuple[str, int]], x: str) -> list[float]:
    """The chances of the next labels, from all label sequences with their weights, one by one."""
    d = H.littlestone_dimension()

    def size(n: int, V: FiniteClass) -> int:
        k = H.labels - 1
        return sum(math.comb(n, i) * k**i for i in range(int(V.littlestone_dimension()) + 1))

    eta = math.sqrt(8 * math.log(size(T, H)) / T)
    found = [0.0] * H.labels
    for labels in product(range(H.labels), repeat=len(examples) + 1):
        V, weight = H, 1.0
        asked = [point for point, _ in examples] + [x]
        for t, (point, y) in enumerate(zip(asked, labels, strict=True)):
            left = [size(T - t - 1, V.restrict(point, z)) for z in range(H.labels)]
            V, weight = V.restrict(point, y), weight * left[y] / max(1, sum(left))
        wrong = sum(y != z for (_, y), z in zip(examples, labels, strict=False))
        found[labels[-1]] += weight * math.exp(-eta * wrong)
    assert d >= 0
    return [chance / sum(found) for chance in found]


@pytest.mark.parametrize("labels", [2, 3])
def test_merged_states_are_the_listed_experts(labels: int) -> None:
    rng = random.Random(labels)
    for _ in range(6):
        H = FiniteClass.from_array(
            [[rng.randrange(labels) for _ in range(3)] for _ in range(5)], labels=labels
        )
        learner = AgnosticExperts(H, horizon=5)
        examples: list[tuple[str, int]] = []
        for _ in range(5):
            x, y = rng.choice(list(H.domain)), rng.randrange(labels)
            assert learner.chances(x) == pytest.approx(by_listing(H, 5, examples, x))
            learner.update(x, y)
            examples.append((x, y))


def test_one_function_is_followed_and_errs_as_it_does() -> None:
    learner = AgnosticExperts(FiniteClass.from_array([[0, 1]]), horizon=3)
    assert learner.regret_bound == 0
    for x, y in [("x0", 1), ("x1", 1), ("x0", 0)]:
        assert learner.predict(x) == int(x == "x1")
        learner.update(x, y)
    assert learner.expected_mistakes == 1


def test_draws_have_the_chances() -> None:
    learner = AgnosticExperts(Thresholds.on(0, 6), horizon=9, rng=random.Random(1))
    learner.update(3, 1)
    chance = learner.chances(3)[1]
    assert 0.5 < chance < 1
    drawn = sum(learner.predict(3) for _ in range(2000)) / 2000
    assert abs(drawn - chance) < 5 * math.sqrt(0.25 / 2000)


def test_infinite_classes_and_several_labels() -> None:
    learner = AgnosticExperts(Subsets(Strings(), 2), horizon=60, rng=random.Random(2))
    for t in range(60):
        learner.update(f"x{t % 7}", int(t % 7 in (1, 2)))
    assert learner.expected_mistakes <= learner.regret_bound
    H = FiniteClass.from_array([[x, y] for x in range(3) for y in range(3)], labels=3)
    transcript = play(AgnosticExperts(H, horizon=2), TreeAdversary(H))
    assert transcript.mistakes == 2
    assert H.littlestone_dimension() == 2


def test_rounds_are_declared() -> None:
    learner = AgnosticExperts(Points(Integers()), horizon=1)
    with pytest.raises(DeclarationError, match="label"):
        learner.update(1, 2)
    assert learner.rounds_left == 1
    learner.update(1, 0)
    with pytest.raises(DeclarationError, match="1 rounds were declared"):
        learner.predict(1)
    for rounds in (0, True, 1.5):
        with pytest.raises(DeclarationError, match="number of rounds"):
            AgnosticExperts(Points(Integers()), horizon=rounds)  # type: ignore[arg-type]
    with pytest.raises(TooLargeError, match="at most 1,000,000,000,000"):
        AgnosticExperts(Points(Integers()), horizon=10**400)
    assert AgnosticExperts.make(Points(Integers()), rounds=0).horizon == 1
    with pytest.raises(InfiniteDimensionError):
        AgnosticExperts(Thresholds.over(Reals()), horizon=3)


def test_wrong_types_are_refused_in_words() -> None:
    H = Thresholds.on(0, 6)
    for most in ("a", 0, True):
        with pytest.raises(DeclarationError, match="version spaces"):
            AgnosticExperts(H, horizon=3, most=most)  # type: ignore[arg-type]
    with pytest.raises(DeclarationError, match="generator of type int"):
        AgnosticExperts(H, horizon=3, rng=3)  # type: ignore[arg-type]
    with pytest.raises(DeclarationError, match="generator of type int"):
        RandomAdversary(H, rng=3)  # type: ignore[arg-type]
    for made in (StandardOptimalAlgorithm, Halving, TreeAdversary, RandomAdversary):
        with pytest.raises(DeclarationError, match="cannot learn None"):
            made(None)  # type: ignore[arg-type]
    with pytest.raises(DeclarationError, match="cannot learn None"):
        AgnosticExperts(None, horizon=3)  # type: ignore[arg-type]


def test_too_many_states_change_nothing() -> None:
    learner = AgnosticExperts(Thresholds.on(0, 99), horizon=50, most=3)
    for x in (50, 20):
        learner.update(x, 1)
    before = learner.chances(70)
    with pytest.raises(TooLargeError, match="more than 3"):
        learner.update(70, 1)
    assert learner.chances(70) == before
    assert learner.rounds_left == 48


def test_what_fits_no_hypothesis_is_played() -> None:
    learner = AgnosticExperts(Thresholds.on(0, 9), horizon=40, rng=random.Random(3))
    assert len(play(learner, SequenceAdversary([(9, 0), (0, 1)] * 20)).rounds) == 40
    assert learner.expected_mistakes <= 20 + learner.regret_bound


def test_weights_do_not_all_become_0() -> None:
    learner = AgnosticExperts(Points(Integers()), horizon=8)
    learner.kept = 1e-200
    for t in range(8):
        learner.update(1, t % 2)
        assert 0 <= learner.expected_mistakes <= t + 1
