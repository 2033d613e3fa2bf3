"""Values of games, their trees and players, against the games played out by their rules."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from fractions import Fraction
from functools import cache, partial
from itertools import combinations, pairwise, permutations, product
from typing import Any

import pytest

from each import each
from littlestone.base.errors import DeclarationError, RealizabilityError, TooLargeError
from littlestone.classes import FiniteClass, Thresholds
from littlestone.dimension import multiclass_littlestone_dimension
from littlestone.theory.atlas.listing import families, table_of
from littlestone.theory.game import (
    AppleGame,
    BanditGame,
    Board,
    Game,
    LenientGame,
    Play,
    RandomizedGame,
    RandomizedLearner,
    SelfDirectedGame,
    TransductiveGame,
    TreeAdversary,
    play,
    values,
)
from planting import Fault, turns_red

Row = tuple[int, ...]
Rows = frozenset[Row]
THRESHOLDS = [[0, 0, 0], [0, 0, 1], [0, 1, 1], [1, 1, 1]]


def classes(points: int, labels: int = 2) -> Iterator[list[Row]]:
    """Every class over the points."""
    rows = list(product(range(labels), repeat=points))
    for size in range(1, len(rows) + 1):
        yield from map(list, combinations(rows, size))


def few(points: int, labels: int, number: int) -> list[list[Row]]:
    """Some classes, at random."""
    rng, rows = random.Random(points), list(product(range(labels), repeat=points))
    return [rng.sample(rows, rng.randint(1, min(9, len(rows)))) for _ in range(number)]


def part(rows: Rows, x: int, y: int) -> Rows:
    return frozenset(row for row in rows if row[x] == y)


# Each game by its rules alone: the mistakes that an adversary forces within so many rounds.


def with_errors(rows: list[Row], errors: int, rounds: int, labels: int) -> int:
    """Labels that some hypothesis gives but for so many rounds; a history is what was asked."""
    points = range(len(rows[0]))

    @cache
    def forced(history: tuple[int, ...], left: int) -> int:
        # history[x * labels + y] counts how often x was y.
        def fits(told: tuple[int, ...]) -> bool:
            return any(
                sum(told[x * labels + y] for x in points for y in range(labels) if row[x] != y)
                <= errors
                for row in rows
            )

        best = 0
        for x in points if left else ():
            after = {}
            for y in range(labels):
                told = list(history)
                told[x * labels + y] += 1
                if fits(tuple(told)):
                    after[y] = forced(tuple(told), left - 1)
            best = max(best, min(max((p != y) + after[y] for y in after) for p in range(labels)))
        return best

    return forced((0,) * (len(points) * labels), rounds)


def with_bandit(rows: list[Row], rounds: int, labels: int) -> int:
    """The learner hears only whether it was right."""

    @cache
    def forced(left: Rows, rounds: int) -> int:
        worth = [0]
        for x in range(len(rows[0])) if rounds else ():
            costs = []
            for p in range(labels):
                right, wrong = part(left, x, p), left - part(left, x, p)
                replies = [forced(right, rounds - 1)] if right else []
                replies += [1 + forced(wrong, rounds - 1)] if wrong else []
                costs.append(max(replies))
            worth.append(min(costs))
        return max(worth)

    return forced(frozenset(rows), rounds)


def with_apples(rows: list[Row], rounds: int) -> int:
    """No label is shown where 0 is predicted, so each hypothesis has its own number of mistakes."""

    @cache
    def forced(made: tuple[tuple[Row, int], ...], rounds: int) -> int:
        best = max(count for _, count in made)
        for x in range(len(rows[0])) if rounds else ():
            silent = forced(tuple((h, count + h[x]) for h, count in made), rounds - 1)
            shown = []
            for y in (0, 1):
                kept = tuple((h, count + (y == 0)) for h, count in made if h[x] == y)
                shown += [forced(kept, rounds - 1)] if kept else []
            best = max(best, min(silent, max(shown)))
        return best

    return forced(tuple((row, 0) for row in sorted(rows)), rounds)


def self_directed(rows: list[Row]) -> int:
    @cache
    def made(left: Rows, known: frozenset[int]) -> int:
        open_points = [x for x in range(len(rows[0])) if x not in known]
        if not open_points:
            return 0
        costs = []
        for x, p in product(open_points, {row[x] for row in left for x in open_points}):
            labels = {row[x] for row in left}
            costs.append(max((p != y) + made(part(left, x, y), known | {x}) for y in labels))
        return min(costs)

    return made(frozenset(rows), frozenset())


def transductive(rows: list[Row]) -> int:
    @cache
    def made(left: Rows, order: Row) -> int:
        if not order:
            return 0
        labels = {row[order[0]] for row in left}
        return min(
            max((p != y) + made(part(left, order[0], y), order[1:]) for y in labels) for p in labels
        )

    return max(made(frozenset(rows), order) for order in permutations(range(len(rows[0]))))


def average_depth(rows: list[Row]) -> Fraction:
    """Of all shattered trees, by listing the average depths that trees of a class can have."""

    @cache
    def depths(left: Rows) -> frozenset[Fraction]:
        found = {Fraction(0)}
        for x in range(len(rows[0])):
            zero, one = part(left, x, 0), part(left, x, 1)
            if zero and one:
                found |= {1 + (a + b) / 2 for a in depths(zero) for b in depths(one)}
        return frozenset(found)

    return max(depths(frozenset(rows)))


def check_tree(game: Game) -> None:
    assert game.proves(game.tree()) == game.value()


@pytest.mark.parametrize(
    ("tables", "labels"),
    [([*classes(2), *few(3, 2, 30)], 2), (few(2, 3, 40), 3)],
    ids=["two labels", "three labels"],
)
def test_every_game_against_its_rules(tables: list[list[Row]], labels: int) -> None:
    for rows in tables:
        ldim = multiclass_littlestone_dimension(rows)
        game: Game = LenientGame.on(rows)
        assert game.value() == ldim == with_errors(rows, 0, ldim + 1, labels)
        check_tree(game)
        game = BanditGame.on(rows)
        value = int(game.value())
        assert value == with_bandit(rows, value + 1, labels)
        assert value == ldim or labels > 2
        check_tree(game)
        game = SelfDirectedGame.on(rows)
        assert game.value() == self_directed(rows)
        check_tree(game)
        game = TransductiveGame.on(rows)
        assert game.value() == transductive(rows) <= ldim
        check_tree(game)
        game = RandomizedGame.on(rows)
        assert Fraction(ldim, 2) <= game.value() <= ldim
        check_tree(game)
        if labels == 2:
            assert 2 * game.value() == average_depth(rows)


def test_errors_against_all_histories() -> None:
    for points, k in ((1, 1), (1, 2), (1, 3), (2, 1)):
        for rows in classes(points):
            game = LenientGame.on(rows, errors=k)
            value = int(game.value())
            assert value == with_errors(rows, k, value + 1, 2)
            check_tree(game)


def test_apples_against_hidden_mistakes() -> None:
    # Each mistake may take several rounds: the adversary repeats a point until 1 is predicted.
    others: list[list[Row]] = [[(0, 0, 0), (1, 0, 0), (0, 1, 0)], [(0, 0, 1), (0, 1, 1), (1, 1, 1)]]
    for rows in [*classes(2), *others]:
        game = AppleGame.on(rows)
        value = int(game.value())
        within = [with_apples(rows, rounds) for rounds in range(1, 8)]
        assert within == sorted(within)
        assert within[-1] == value
        check_tree(game)


def test_partial_concepts_against_their_definition() -> None:
    """A tree of depth d is shattered if each branch has a hypothesis that is defined on it."""

    @cache
    def dimension(rows: Rows, points: int) -> int:
        sides = [(part(rows, x, 0), part(rows, x, 1)) for x in range(points)]
        return max((1 + min(dimension(a, points), dimension(b, points)) for a, b in sides if a and b),
                   default=0)  # fmt: skip

    for rows in [*few(2, 3, 60), *few(3, 3, 20)]:
        game = LenientGame(Board.from_table(rows, undefined=2))
        assert game.value() == dimension(frozenset(rows), len(rows[0]))
        check_tree(game)
        drawn = RandomizedGame(Board.from_table(rows, undefined=2))
        assert Fraction(game.value(), 2) <= drawn.value()
        check_tree(drawn)
    for kind in (SelfDirectedGame, TransductiveGame):
        with pytest.raises(DeclarationError, match="undefined"):
            kind(Board.from_table([[0, 2], [1, 1]], undefined=2))


def test_a_bandit_with_two_guesses_a_point() -> None:
    rows: list[Row] = [(0, 0), (0, 1), (1, 2), (1, 3)]
    assert BanditGame.on(rows).value() == with_bandit(rows, 4, 4)


def test_partial_concepts_with_errors_prove_with_what_is_defined() -> None:
    """A hypothesis that gives no label at a point fits no answer there, and costs no error."""
    for rows in few(3, 3, 60):
        for errors in (1, 2):
            game = LenientGame(Board.from_table(rows, undefined=2), errors)
            assert game.proves(game.tree()) == game.value()
    game = LenientGame(Board.from_table([[0, 2], [1, 1]], undefined=2), errors=1)
    assert game.proves(Play(1, (1, 1))) == 1
    assert game.proves(Play(1, (0, 1))) is None  # the first hypothesis has no label there


def test_fat_shattering_against_all_thresholds_between_the_values() -> None:
    rng = random.Random(5)

    @cache
    def dimension(rows: frozenset[tuple[float, ...]], gap: Fraction) -> int:
        best = 0
        for x in range(2):
            # Any real threshold s divides the functions as one of these does.
            ends = sorted({Fraction(row[x]) + sign * gap / 2 for row in rows for sign in (1, -1)})
            for s in [*ends, *((a + b) / 2 for a, b in pairwise(ends))]:
                low = frozenset(row for row in rows if row[x] <= s - gap / 2)
                high = frozenset(row for row in rows if row[x] >= s + gap / 2)
                if low and high:
                    best = max(best, 1 + min(dimension(low, gap), dimension(high, gap)))
        return best

    for _ in range(15):
        table = [
            [rng.choice((0, 0.25, 0.5, 1)) for _ in range(2)] for _ in range(rng.randint(1, 5))
        ]
        for gap in (Fraction(1, 4), Fraction(1, 2), Fraction(3, 4)):
            game = LenientGame(Board.from_reals(table, gap))
            assert game.value() == dimension(frozenset(map(tuple, table)), gap)
            check_tree(game)


def test_zeros_and_ones_with_gap_one_are_the_littlestone_dimension() -> None:
    for rows in few(4, 2, 60):
        assert LenientGame(Board.from_reals(rows, 1)).value() == multiclass_littlestone_dimension(
            rows
        )


@pytest.mark.parametrize(
    ("table", "gap"),
    [([[0, "a"]], 1), ([[0.0, float("inf")]], 1), ([[0, 1]], 0), ([[]], 1), ([1, 2], 1)],
)
def test_no_table_of_reals(table: Any, gap: float) -> None:
    with pytest.raises(DeclarationError, match="real numbers"):
        Board.from_reals(table, gap)


@pytest.mark.parametrize("labels", [2, 3])
def test_the_randomized_learner_expects_the_value(labels: int) -> None:
    """Over all sequences: the worst is the value itself, as a fraction."""
    for rows in [*classes(2), *few(3, 2, 6)] if labels == 2 else few(2, 3, 12):
        H = FiniteClass.from_array(rows, labels=labels)
        learner = RandomizedLearner(H)

        def worst(told: tuple[tuple[str, int], ...], points: frozenset[str]) -> Fraction:
            player = RandomizedLearner(H)  # noqa: B023
            for x, y in told:
                player.update(x, y)
            found = [player.expected_mistakes]
            for x, y in product(sorted(points), range(labels)):
                assert sum(player.chances(x)) == 1
                if not player.version_space.restrict(x, y).is_empty():
                    found.append(worst((*told, (x, y)), points - {x}))
            return max(found)

        assert worst((), frozenset(H.domain.points)) == learner.mistake_bound
        assert learner.mistake_bound == RandomizedGame.on(rows).value()


def test_the_randomized_learner_draws_its_chances() -> None:
    H = FiniteClass.from_array([[0, 0, 0], [0, 0, 1], [0, 1, 1]])
    learner = RandomizedLearner(H, rng=random.Random(3))
    ones = sum(learner.predict("x1") for _ in range(4000))
    assert abs(ones - 1000) < 150
    with pytest.raises(RealizabilityError):
        learner.update("x0", 1)
    assert learner.expected_mistakes == 0


def test_the_randomized_learner_is_for_tables_and_says_what_it_expects() -> None:
    with pytest.raises(DeclarationError, match="this class is none"):
        RandomizedLearner(Thresholds.on(0, 6))  # type: ignore[arg-type]
    learner = RandomizedLearner(H := FiniteClass.from_array(THRESHOLDS))
    played = play(learner, TreeAdversary(H))
    assert len(played.rounds) == 2
    assert learner.expected_mistakes == learner.mistake_bound == 1


WRONG: list[Callable[[Play], Play]] = [
    lambda tree: Play(tree.asked, tree.below[::-1]),  # the wrong hypotheses
    lambda tree: Play((tree.asked + 1) % 3, tree.below),  # another question
    lambda tree: Play(tree.asked, (0, 9)),  # there is no such hypothesis
    lambda tree: Play(9, tree.below),
    lambda tree: Play(tree.asked, (None, None)),
]


@pytest.mark.parametrize("change", WRONG)
def test_a_wrong_tree_proves_nothing(change: Callable[[Play], Play]) -> None:
    for game in (
        LenientGame.on(THRESHOLDS),
        RandomizedGame.on(THRESHOLDS),
        SelfDirectedGame.on(THRESHOLDS),
    ):
        tree = game.tree()
        assert isinstance(tree, Play)
        assert game.proves(change(tree)) is None
        assert game.proves(9) is None


def test_a_smaller_tree_proves_less() -> None:
    game = LenientGame.on(THRESHOLDS)
    tree = game.tree()
    assert isinstance(tree, Play)
    assert game.proves(Play(tree.asked, (0, 3))) == 1
    # A tree of the learner has to have a leaf for every hypothesis, so a part of one proves nothing.
    assert SelfDirectedGame.on(THRESHOLDS).proves(Play(0, (0, 3))) is None
    announced = TransductiveGame.on(THRESHOLDS)
    tree = announced.tree()
    assert isinstance(tree, Play)
    assert announced.proves(Play(tree.asked[::-1], tree.below)) is None


def test_games_of_other_labels_and_of_many_positions(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(DeclarationError, match="more than two labels"):
        AppleGame.on([[0], [1], [2]])
    with pytest.raises(DeclarationError, match="errors"):
        LenientGame.on([[0]], errors=-1)
    monkeypatch.setattr(values, "MOST_POSITIONS", 3)
    with pytest.raises(TooLargeError, match="more than 3 positions"):
        RandomizedGame.on(THRESHOLDS).value()


@pytest.mark.deep
def test_how_many_classes_over_four_points_are_easier_than_the_online_game() -> None:
    easier = {kind.name: 0 for kind in (SelfDirectedGame, TransductiveGame)}
    for rows, renamings in families(4):
        table = table_of(rows, 4)
        ldim = multiclass_littlestone_dimension(table)
        for kind in (SelfDirectedGame, TransductiveGame):
            easier[kind.name] += renamings * (kind.on(table).value() < ldim)
    assert easier == {"self-directed": 31_416, "transductive": 2_880}


VALUES, VARIANTS = "littlestone.theory.game.values", "littlestone.theory.game.values"

FAULTS = [
    (
        Fault(
            f"{VARIANTS}:LenientGame.fits",
            "all(defined >> h & 1 for defined, _ in masks)",
            "True",
            "a label that is not defined counts as an error",
        ),
        test_partial_concepts_with_errors_prove_with_what_is_defined,
    ),
    (
        Fault(
            f"{VARIANTS}:BanditGame.most",
            "count_left(position) - 1",
            "count_left(position) - 2",
            "a search that stops early",
        ),
        test_a_bandit_with_two_guesses_a_point,
    ),
    (
        Fault(
            f"{VALUES}:Game.fits",
            "bool(self.board.alive >> h & 1) and",
            "",
            "a leaf without a hypothesis",
        ),
        partial(test_a_wrong_tree_proves_nothing, WRONG[0]),
    ),
]


@pytest.mark.deep
@each(("fault", "test"), FAULTS)
def test_planted_faults_turn_a_test_red(
    fault: Fault, test: Callable[..., None], monkeypatch: pytest.MonkeyPatch
) -> None:
    turns_red(fault, test, monkeypatch)
