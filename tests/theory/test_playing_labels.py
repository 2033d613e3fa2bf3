"""The game of several labels: its value is MLS, by brute force over all players and adversaries."""

from __future__ import annotations

import random
from functools import cache
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from typer.testing import CliRunner

from littlestone.base.errors import DeclarationError, EmptyClassError, RealizabilityError
from littlestone.classes import FiniteClass, HypothesisClass, Lookup, Outcomes
from littlestone.cli import app
from littlestone.points import Strings
from littlestone.theory.game import (
    Player,
    RandomAdversary,
    SequenceAdversary,
    StandardOptimalAlgorithm,
    TreeAdversary,
    play,
)

RNG = np.random.default_rng(11)
TABLES = [
    RNG.integers(0, 2 + i % 4, size=(RNG.integers(1, 9), RNG.integers(1, 4))) for i in range(20)
]
CLASSES: list[HypothesisClass[Any]] = [*FiniteClass.examples(), *Outcomes.examples()]


def value_of_the_game(table: np.ndarray[Any, Any]) -> int:
    """The mistakes under best play of both, from the rules of the game alone."""
    labels = range(int(table.max()) + 1)

    @cache
    def mistakes(rows: frozenset[tuple[int, ...]]) -> int:
        best = 0
        for x in range(table.shape[1]):
            parts = {y: frozenset(row for row in rows if row[x] == y) for y in labels}
            parts = {y: part for y, part in parts.items() if part and part != rows}
            if parts:
                # The learner predicts to lose least, and the adversary answers to gain most.
                best = max(
                    best,
                    min(
                        max((y != guess) + mistakes(part) for y, part in parts.items())
                        for guess in labels
                    ),
                )
        return best

    return mistakes(frozenset(map(tuple, table.tolist())))


def most_mistakes_of_the_soa(table: np.ndarray[Any, Any]) -> int:
    """Over all realizable sequences, of the player as it is."""

    @cache
    def mistakes(V: FiniteClass) -> int:
        best = 0
        for x in V.domain:
            guess = V.soa_label(x)
            for y in range(V.labels):
                W = V.restrict(x, y)
                if not W.is_empty() and W != V:
                    best = max(best, (y != guess) + mistakes(W))
        return best

    return mistakes(FiniteClass.from_array(table, labels=None))


@pytest.mark.parametrize("table", TABLES, ids=lambda table: str(table.tolist()))
def test_the_value_of_the_game_is_mls(table: np.ndarray[Any, Any]) -> None:
    d = FiniteClass.from_array(table, labels=None).littlestone_dimension()
    assert d == value_of_the_game(table) == most_mistakes_of_the_soa(table)


class Fixed(Player[Any]):
    """Predicts at random, or always the same label."""

    def __init__(self, labels: int, rng: random.Random | None) -> None:
        self.labels, self.rng = labels, rng

    def predict(self, x: Any) -> int:
        return 0 if self.rng is None else self.rng.randrange(self.labels)

    def update(self, x: Any, y: int) -> None:
        pass


@pytest.mark.parametrize("H", CLASSES, ids=str)
def test_the_tree_forces_mls_mistakes_on_everybody(H: HypothesisClass[Any]) -> None:
    d = H.littlestone_dimension()
    players = [StandardOptimalAlgorithm(H), Fixed(H.labels, None)]
    players += [Fixed(H.labels, random.Random(seed)) for seed in range(2)]
    for player in players:
        adversary = TreeAdversary(H)
        transcript = play(player, adversary)
        assert transcript.mistakes == len(transcript.rounds) == d
        assert not adversary.version_space.is_empty()


@pytest.mark.parametrize("guesses", [*product(range(3), repeat=2)], ids=str)
def test_the_tree_answers_a_label_that_leaves_enough(guesses: tuple[int, ...]) -> None:
    """At x0 the label 0 leaves one hypothesis, and each of the others a question."""

    class Stubborn(Fixed):
        def predict(self, x: Any) -> int:
            return guesses[int(H.domain.index(x))]

    H = FiniteClass.from_array([[0, 0], [1, 0], [1, 1], [2, 0], [2, 1]], labels=3)
    transcript = play(Stubborn(3, None), TreeAdversary(H))
    assert transcript.mistakes == len(transcript.rounds) == H.littlestone_dimension() == 2


@pytest.mark.parametrize("H", CLASSES, ids=str)
def test_the_soa_keeps_its_bound(H: HypothesisClass[Any]) -> None:
    for seed in range(2):
        adversary = RandomAdversary(H, rng=random.Random(seed))
        assert (
            play(StandardOptimalAlgorithm(H), adversary, rounds=4).mistakes
            <= H.littlestone_dimension()
        )


class Given(random.Random):
    """Gives out one whole number, whatever it is asked for, and remembers below which."""

    def __init__(self, value: int) -> None:
        super().__init__(0)
        self.value, self.below = value, list[int]()

    def randrange(self, start: int, *_: Any) -> int:
        self.below.append(start)
        return self.value


def law(V: HypothesisClass[Any], x: Any) -> list[int]:
    """In how many of the equally likely draws each label of x is given."""
    first = Given(0)
    RandomAdversary(V, rng=first).label(x, 0)
    (below,) = first.below or [1]
    given = [RandomAdversary(V, rng=Given(u)).label(x, 0) for u in range(below)]
    return [given.count(y) for y in range(V.labels)]


def test_a_random_adversary_is_one_uniform_hypothesis() -> None:
    """Each label as often as hypotheses give it, or evenly if they cannot be counted."""
    rules = Outcomes.over_columns("a", "b", labels=3, max_rules=1)
    finite = rules.restrict(("u", "v"), 2)
    points = [("u", "v"), ("u", "w"), ("z", "v"), ("z", "w")]
    assert finite.size is not None
    for x in points:
        sizes = [finite.restrict(x, y).size for y in range(3)]
        assert law(finite, x) == sizes, x
    assert law(rules, ("u", "v")) == [1, 1, 1]
    lookup = Lookup(Strings(), 4, 2)
    assert law(lookup, "new") == [1, 1, 1, 1]
    assert law(lookup.restrict("a", 3), "a") == [0, 0, 0, 1]
    for H in FiniteClass.examples():
        for x in H.domain:
            assert law(H, x) == [H.restrict(x, y).size for y in range(H.labels)]


def test_what_a_random_adversary_said_holds() -> None:
    for seed in range(5):
        adversary = RandomAdversary(Lookup(Strings(), 4, 3), rng=random.Random(seed))
        said = {x: adversary.label(x, 0) for x in map(str, range(30))}
        assert 0 < sum(y != 0 for y in said.values()) <= 3
        assert {x: adversary.label(x, 0) for x in said} == said


def test_refusals() -> None:
    H = FiniteClass.from_array([[0, 2], [1, 2]], labels=3)
    with pytest.raises(EmptyClassError):
        StandardOptimalAlgorithm(H.restrict("x1", 0))
    with pytest.raises(RealizabilityError, match="round 2 and learn that 'x1' has the label 0"):
        play(StandardOptimalAlgorithm(H), SequenceAdversary([("x0", 1), ("x1", 0)], labels=3))
    with pytest.raises(DeclarationError, match=r"one of 0\.\.2"):
        StandardOptimalAlgorithm(H).update("x0", 3)
    with pytest.raises(DeclarationError, match="point"):
        StandardOptimalAlgorithm(H).predict("x9")


def test_on_the_command_line(tmp_path: Path) -> None:
    path = tmp_path / "table.csv"
    path.write_text("0,0\n0,2\n1,1\n1,2\n")
    run = CliRunner().invoke(app, ["theory", "play", str(path), "--labels", "a, b, c"])
    assert run.exit_code == 0
    assert "2 mistakes in 2 rounds" in run.output
    assert "multiclass Littlestone dimension" in run.output
    rules = ["theory", "play", "outcomes(origin, dest; at most 2)", "--labels", "a,b,c", "--json"]
    assert '"multiclass_littlestone_dimension": 5' in CliRunner().invoke(app, rules).output
    again = ["--adversary", "random", "--seed", "1", "--rounds", "3"]
    assert CliRunner().invoke(app, [*rules, *again]).exit_code == 0
    halving = ["--labels", "a,b,c", "--learner", "halving"]
    assert (
        "2 mistakes in 2 rounds"
        in CliRunner().invoke(app, ["theory", "play", str(path), *halving]).output
    )
    for wrong in (["--labels", "a"], ["--labels", "a,b,c", "--learner", "nobody"],
                  ["--labels", "a,b,c", "--adversary", "nobody.csv"]):  # fmt: skip
        run = CliRunner().invoke(app, ["theory", "play", str(path), *wrong])
        assert run.exit_code != 0
