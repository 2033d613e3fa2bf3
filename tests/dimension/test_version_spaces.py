"""Version spaces asked about one after another: the engine that stays against the plain solver."""

from __future__ import annotations

import _thread
import copy
import pickle
import random
from collections.abc import Callable
from dataclasses import replace
from itertools import combinations, product
from threading import Thread, Timer
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from littlestone.base.errors import TooLargeError
from littlestone.base.work import searching
from littlestone.classes import FiniteClass, parse_class
from littlestone.classes.promises import tabled
from littlestone.dimension.search import version_spaces as module
from littlestone.dimension.search.splits import LittlestoneSolver
from littlestone.dimension.search.version_spaces import VersionSpaces
from littlestone.theory.game import RandomAdversary, StandardOptimalAlgorithm, TreeAdversary, play

Table = NDArray[np.bool_]


def random_table(seed: int) -> Table:
    rng = np.random.default_rng([7, seed])
    shape = int(rng.integers(1, 70)), int(rng.integers(1, 14))
    return np.asarray(rng.random(shape) < rng.choice([0.1, 0.3, 0.5]))


def masks(table: Table) -> list[int]:
    return [sum(1 << int(i) for i in np.flatnonzero(column)) for column in table.T]


def version_spaces(rng: random.Random, columns: list[int], size: int) -> list[int]:
    """Those of some games, their other sides, any masks, and masks of functions beyond the table."""
    full = (1 << size) - 1
    found = [full, 0, 1]
    for _ in range(4):
        alive = full
        for column in rng.sample(columns, min(4, len(columns))):
            found += [alive & column, alive & ~column]
            alive = rng.choice(found[-2:])
    found += [rng.getrandbits(size) for _ in range(5)]
    found += [rng.getrandbits(size + 3) for _ in range(3)]
    rng.shuffle(found)
    return found


@pytest.mark.parametrize("block", range(5))
@pytest.mark.parametrize("work", [0, 300, 100_000])
def test_both_paths_agree_with_the_plain_solver(block: int, work: int) -> None:
    for seed in range(20 * block, 20 * block + 20):
        table = random_table(seed)
        columns, rng = masks(table), random.Random(seed)
        plain, spaces = LittlestoneSolver(columns), VersionSpaces(columns, work=work)
        for alive in version_spaces(rng, columns, len(table)):
            expected = plain.dimension(alive)
            if rng.random() < 0.5:
                for k in rng.sample(range(-2, 8), 4):
                    assert spaces.at_least(alive, k) == (expected >= k)
            column = rng.choice(columns)
            for side in (alive & column, alive & ~column):
                assert spaces.keeps(alive, side) == (plain.dimension(side) == expected)
            assert spaces.dimension(alive) == expected


def test_no_points_and_no_functions() -> None:
    for work in (0, 1000):
        assert [VersionSpaces([], work=work).dimension(V) for V in (0, 1, 0b1010)] == [-1, 0, 0]
        assert [VersionSpaces([0], work=work).dimension(V) for V in (0, 1, 0b1010)] == [-1, 0, 0]


def plain_game(table: Table, target: int, points: list[int]) -> list[tuple[int, int]]:
    """(prediction, LDim) of every round of the standard optimal algorithm, by the plain solver."""
    columns = masks(table)
    solver, alive, rounds = LittlestoneSolver(columns), (1 << len(table)) - 1, []
    for x in points:
        dimension = solver.dimension(alive)
        zeros = solver.dimension(alive & ~columns[x])
        rounds.append((0 if zeros == dimension else 1, dimension))
        alive &= columns[x] if table[target, x] else ~columns[x]
    return rounds


@pytest.mark.parametrize("seed", range(8))
def test_whole_games_are_those_of_the_plain_solver(seed: int) -> None:
    rng = np.random.default_rng(seed)
    table = np.unique(rng.random((150, 24)) < [0.2, 0.5][seed % 2], axis=0)
    H = FiniteClass.from_array(table)
    H = replace(H, solver=VersionSpaces([ones for (ones,) in H.columns], work=0))
    for _ in range(3):  # later games find what earlier ones left
        points, target = rng.permutation(24).tolist(), int(rng.integers(len(table)))
        learner, rounds = StandardOptimalAlgorithm(H), []
        for x in points:
            before = learner.version_space.littlestone_dimension()
            rounds.append((learner.predict(f"x{x}"), before))
            learner.update(f"x{x}", int(table[target, x]))
        assert rounds == plain_game(table, target, points)


def big(rows: int, points: int, density: float) -> FiniteClass:
    return FiniteClass.from_array(np.random.default_rng(3).random((rows, points)) < density)


def test_play_on_a_large_class_keeps_the_promise() -> None:
    H = big(3000, 300, 0.2)
    dimension = H.littlestone_dimension()
    for seed in range(5):
        adversary = RandomAdversary(H, rng=random.Random(seed))
        assert play(StandardOptimalAlgorithm(H), adversary, rounds=60).mistakes <= dimension
    game = play(StandardOptimalAlgorithm(H), TreeAdversary(H))
    assert game.mistakes == dimension


@pytest.mark.parametrize(
    "twin", [copy.copy, copy.deepcopy, lambda x: pickle.loads(pickle.dumps(x))]
)
def test_copies_and_pickles_hold_nothing_of_what_was_asked(
    twin: Callable[[VersionSpaces], VersionSpaces],
) -> None:
    H = big(1000, 150, 0.2)
    dimension = H.littlestone_dimension()
    solver = H.solver
    assert isinstance(solver, VersionSpaces)
    other = twin(solver)
    assert solver._engine is not None
    assert other._engine is None
    assert (solver._low, solver._fails) != ({}, {})
    assert (other._low, other._fails) == ({}, {})
    assert other.dimension(H.alive) == dimension
    side = H.alive & ~H.columns[0][0]
    assert other.dimension(side) == solver.dimension(side)
    assert pickle.loads(pickle.dumps(H)).restrict("x0", 0).littlestone_dimension() >= 0


@pytest.mark.parametrize(
    "declared",
    [
        parse_class("rule_sets(a, b; at most 2 rules of 1)"),
        parse_class("outcomes(a, b; at most 1)", labels=3),
        FiniteClass.from_array([[0, 2, 1], [1, 1, 1], [2, 0, 1], [0, 1, 2]], labels=3),
        big(40, 12, 0.4),
    ],
    ids=str,
)
def test_a_class_is_pickled_as_it_was_declared(declared: Any) -> None:
    """Whatever records have asked of its version spaces."""
    searched = "search" if hasattr(type(declared), "search") else "solver"
    before = pickle.dumps(getattr(declared, searched))
    for x in declared.domain.examples(3):
        side = declared.restrict(x, 1)
        assert side.littlestone_dimension() <= declared.littlestone_dimension()
    assert pickle.dumps(getattr(declared, searched)) == before


def test_threads_share_one_object() -> None:
    H = big(600, 80, 0.3)
    expected = [big(600, 80, 0.3).restrict(f"x{x}", 0).littlestone_dimension() for x in range(24)]
    found: dict[int, list[int]] = {}

    def ask(number: int) -> None:
        order = random.Random(number).sample(range(24), 24)
        answers = {x: H.restrict(f"x{x}", 0).littlestone_dimension() for x in order}
        found[number] = [answers[x] for x in range(24)]

    threads = [Thread(target=ask, args=(number,)) for number in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found == dict.fromkeys(range(4), expected)


@pytest.mark.deep
def test_ctrl_c_ends_the_question_and_leaves_the_object_whole(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    # A fast machine would reach the limit before the interrupt, which would then end the tests.
    monkeypatch.setattr(tabled, "MOST_ANSWERED", 1 << 60)
    big(600, 80, 0.3).littlestone_dimension()  # loads the kernels
    H = big(12_000, 1000, 0.19)
    timer = Timer(0.5, _thread.interrupt_main)
    try:
        with pytest.raises(KeyboardInterrupt):  # noqa: PT012
            timer.start()
            H.littlestone_dimension()
    finally:
        timer.cancel()
        timer.join()
    kept = (1 << 300) - 1
    plain = FiniteClass.from_array(H.label_table().values[:300])
    assert H.solver.dimension(kept) == plain.littlestone_dimension()


def test_a_search_of_few_version_spaces_is_limited_by_its_work(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Version spaces of many functions take longer each, so their number alone says little."""
    table = np.random.default_rng(2).random((500, 20)) < 0.5
    spaces, everything = VersionSpaces(masks(table), work=0), (1 << 500) - 1
    with searching(2_000):
        dimension = spaces.dimension(everything)
    monkeypatch.setattr(module, "_WORK", 1)
    again = VersionSpaces(masks(table), work=0)
    with searching(2_000), pytest.raises(TooLargeError):
        again.dimension(everything)
    assert again._engine is not None
    assert spaces._engine is not None
    assert again._engine.work < spaces._engine.work // 2  # it stopped in time
    assert again.dimension(everything) == dimension


def test_what_is_known_of_a_table_is_not_said_of_its_points_in_another_order() -> None:
    """Restrictions name points, so tables with equal columns at other points share none."""
    fours = list(product((0, 1), repeat=4))
    rows = [[0, 0, *four, *[0] * 11] for four in fours]
    rows += [[0, 1, *[0] * 4, *four, *[0] * 7] for four in fours]
    rows += [
        [1, 0, *[0] * 8, *(int(i in pair) for i in range(7))] for pair in combinations(range(7), 2)
    ]
    table = np.array(rows, np.uint8)
    swapped = table[:, [1, 0, *range(2, 17)]]
    both = [
        np.hstack([one, np.full((53, 1), bit, np.uint8)])
        for bit, one in enumerate((table, swapped))
    ]
    columns = [sum(1 << int(i) for i in np.flatnonzero(c)) for c in np.vstack(both).T]
    spaces, first = VersionSpaces(columns, work=0), (1 << 53) - 1
    assert spaces.at_least(first, 4)
    assert spaces.dimension(first << 53) == 5
    assert VersionSpaces(columns, work=0).dimension(first << 53) == 5
