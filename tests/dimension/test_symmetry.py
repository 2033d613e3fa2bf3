"""Symmetries in the search: the answers are those of recursion, and planted mistakes change them."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import combinations, islice, permutations, product
from typing import Any

import numpy as np
import pytest
import tables
from benchmarks.named_tables import table as table_of_name
from numpy.typing import NDArray
from tables import Table, admitted, recursion, signed

from littlestone import core
from littlestone.dimension import is_shattered_by, symmetry
from littlestone.dimension.littlestone import _Solve
from littlestone.dimension.search import engine as driver
from littlestone.dimension.symmetry import PathOrbits, Permutation
from littlestone.dimension.tables import PackedTable

PLENTY = 10_000_000  # work that pays for 12 paths of a small table


def test_the_words_of_a_path_fix_its_points() -> None:
    """A certificate states them: the generators, then words in elements before."""
    points = 6
    turn, swap = np.roll(np.arange(points), 1), np.array([1, 0, *range(2, points)])
    made = [np.stack([2 * image, 2 * image + 1], axis=1).ravel() for image in (turn, swap)]
    table = np.zeros((12, points, 2), np.int32)
    paths = PathOrbits(made, table)
    paths.grow(8)
    place, fixed, seen = 1, list[int](), 0
    while len(going_on := np.flatnonzero(table[place, :, 1])):
        fixed.append(int(going_on[0]))
        place = int(table[place, fixed[-1], 1])
        words, [group] = paths.words_of_paths([place])
        images = [*made]
        for word in words:
            image = np.arange(2 * points)
            for letter in word:
                factor = images[letter >> 1]
                image = (np.argsort(factor) if letter & 1 else factor)[image]
            images.append(image)
        for number in group:
            assert [images[number][2 * x] for x in fixed] == [2 * x for x in fixed]
            seen += 1
        if len(fixed) == 3:
            break
    assert seen > 6


def never() -> bool:
    return False


def moved(table: Table, image: Permutation) -> Table:
    made = np.empty_like(table)
    made[:, image[::2] >> 1] = table ^ (image[::2] & 1).astype(np.uint8)
    return made


Tables = Iterator[tuple[Table, list[Permutation]]]


def closed(table: Table, group: list[Permutation], most: int) -> Table:
    """The rows that the group makes of these; some more than ``most`` if there are more."""
    size = 0
    while size < len(table) <= most:
        size = len(table)
        table = np.unique(np.concatenate([table, *(moved(table, g) for g in group)]), axis=0)
    return table


def symmetric_tables(seed: int, count: int) -> Tables:
    """Tables of 16 to 80 rows, closed under one or two permutations of literals."""
    rng = np.random.default_rng(seed)
    while count:
        points = int(rng.integers(5, 10))
        group = [
            signed(rng.permutation(points), rng.integers(0, 2, points) * int(rng.integers(0, 2)))
            for _ in range(int(rng.integers(1, 3)))
        ]
        table = (rng.random((int(rng.integers(1, 16)), points)) < 0.5).astype(np.uint8)
        table = closed(table, group, 80)
        if 16 <= len(table) <= 80:
            count -= 1
            yield table, group


def turned_tables(seed: int, count: int) -> Tables:
    """Tables of 48 to 300 rows, closed under turning the points round, mostly with new labels."""
    rng = np.random.default_rng(seed)
    while count:
        points = int(rng.integers(12, 24))
        flips = rng.integers(0, 2, points) * int(rng.integers(0, 2))
        group = [signed(np.roll(np.arange(points), 1), flips)]
        table = rng.random((int(rng.integers(3, 9)), points)) < rng.choice([0.15, 0.25, 0.4])
        table = closed(table.astype(np.uint8), group, 300)
        if 48 <= len(table) <= 300:
            count -= 1
            yield table, group


def graphs(seed: int, count: int) -> Tables:
    """Some graphs on five vertices and all that are isomorphic to them; a point is a pair."""
    rng, pairs = np.random.default_rng(seed), list(combinations(range(5), 2))

    def renamed(*names: int) -> Permutation:
        to = [pairs.index((min(names[a], names[b]), max(names[a], names[b]))) for a, b in pairs]
        return signed(np.array(to), np.zeros(10, np.int64))

    group = [renamed(1, 0, 2, 3, 4), renamed(1, 2, 3, 4, 0)]
    while count:
        table = rng.random((int(rng.integers(1, 6)), 10)) < rng.choice([0.2, 0.3, 0.5])
        table = closed(table.astype(np.uint8), group, 500)
        if 48 <= len(table) <= 500:
            count -= 1
            yield table, group


def circulant_tables(seed: int, count: int) -> Tables:
    """Tables of so many columns that the search counts their rows."""
    rng = np.random.default_rng(seed)
    for _ in range(count):
        points = int(rng.integers(34, 45))
        first = (rng.random((3, points)) < rng.choice([0.2, 0.3])).astype(np.uint8)
        table = np.unique(
            np.concatenate([np.roll(first, i, axis=1) for i in range(points)]), axis=0
        )
        yield table, [signed(np.roll(np.arange(points), 1), np.zeros(points, np.int64))]


def engine_of(table: Table) -> Any:
    engine = driver.Engine(PackedTable.pack(table), 1 << 16)
    engine._symmetry.due = symmetry.NEVER
    return engine


def told(table: Table, group: list[Permutation]) -> Any:
    """An engine that knows these symmetries."""
    engine = engine_of(table)
    PathOrbits(group, engine._orbits).grow(12)
    engine._solver.use_orbits(engine._orbits)
    return engine


def taught(table: Table) -> Any:
    """An engine that found the symmetries of its table itself."""
    engine = engine_of(table)
    if engine._symmetry.learn(engine._orbits, PLENTY, never):
        engine._solver.use_orbits(engine._orbits)
    return engine


def is_right(engine: Any, dimension: int) -> bool:
    """Whether each question is answered rightly, the hard ones first."""
    highest = engine._table.size.bit_length() - 1
    asked = sorted(range(2, highest + 1), key=lambda k: abs(2 * (dimension - k) + 1))
    return all(engine.at_least(k) == (k <= dimension) for k in asked)


def symmetric(engine: Any) -> bool:
    return bool(engine._solver.symmetric)


KINDS = {
    "symmetric": (symmetric_tables, 250),
    "turned": (turned_tables, 60),
    "graphs": (graphs, 60),
    "circulant": (circulant_tables, 10),
}


@pytest.mark.parametrize("kind", KINDS)
def test_with_symmetries_it_finds_what_recursion_finds(kind: str) -> None:
    make, count = KINDS[kind]
    for table, group in make(0, count):
        dimension = recursion(table)
        engine = told(table, group)
        assert is_right(engine, dimension)
        assert is_shattered_by(table, engine.tree(dimension))


def test_it_finds_symmetries_itself() -> None:
    found = 0
    for table, group in symmetric_tables(9, 60):
        engine = taught(table)
        assert is_right(engine, recursion(table))
        moves = any((image != np.arange(len(image))).any() for image in group)
        found += symmetric(engine)
        assert symmetric(engine) <= moves or len(table) < 40
    assert found > 50


@pytest.mark.parametrize("block", range(2))
def test_tables_without_symmetries_are_answered_rightly(block: int) -> None:
    rng = np.random.default_rng([1, block])
    none = 0
    for _ in range(400):
        shape = int(rng.integers(16, 60)), int(rng.integers(5, 12))
        table = np.unique((rng.random(shape) < rng.choice([0.2, 0.5])).astype(np.uint8), axis=0)
        engine = taught(table)
        none += not symmetric(engine)
        assert is_right(engine, recursion(table))
    assert none > 320


NAMED = {
    "balls": (tables.balls(6, range(2, 3)), 1),
    "orders": (tables.linear_orders(6), 1),
    "decision lists": (tables.decision_lists(3), 1),
    "threshold functions": (tables.threshold_functions(3), 1),
    "downsets": (tables.downsets(4), 6),  # the transpose of a downset, and its complement turned
    "parities": (tables.code(tables.cube(4).T), 2),
    "thresholds": (tables.thresholds(20), 10),
    "a tree": (tables.canonical_tree(4), 8),
}


@pytest.mark.parametrize("name", NAMED)
def test_the_orbits_of_named_tables_are_found(name: str) -> None:
    table, expected = NAMED[name]
    engine = taught(table)
    assert len(np.unique(engine._orbits[1, :, 0])) == expected
    assert is_right(engine, recursion(table))


@pytest.mark.parametrize("kind", ["tall", "sparse"])
def test_it_finds_the_orbits_of_tall_and_of_sparse_tables(kind: str) -> None:
    """Of 5,040 rows eight entries are read at once; of rows with few ones, the ones alone."""
    lines = [[(x - i) % 31 in (0, 1, 3) for x in range(31)] for i in range(31)]
    table = table_of_name("orders", 7) if kind == "tall" else np.array(lines, np.uint8)
    packed = PackedTable.pack(table)
    look = symmetry._Look(packed)
    look.go_on(40, never)
    assert (symmetry.orbits(look.found, packed.points) == 0).all()
    wrong = np.arange(2 * packed.points)
    wrong[[0, 1, 2, 3]] = 2, 3, 0, 1
    assert not admitted(packed, wrong)
    assert all(admitted(packed, image) for image in look.found)


def test_it_checks_that_a_map_is_a_permutation() -> None:
    """Two points may go to one without any row telling it, if the column that is left out is 0."""
    packed = PackedTable.pack(np.array([[0, 0], [1, 0]], np.uint8))
    assert not admitted(packed, np.array([0, 1, 0, 1]))
    assert not admitted(packed, np.array([0, 1, 2, 4]))
    assert not admitted(packed, np.array([-2, -1, 2, 3]))


def every_symmetry(table: Table) -> list[Permutation]:
    """By trying all."""
    points, rows = table.shape[1], {row.tobytes() for row in table}
    images = (
        signed(np.array(order), np.array(flips))
        for order in permutations(range(points))
        for flips in product((0, 1), repeat=points)
    )
    return [image for image in images if {r.tobytes() for r in moved(table, image)} == rows]


def test_both_checks_of_a_symmetry_and_all_orbits_after_paths_agree_with_trying_all() -> None:

    rng = np.random.default_rng(5)
    whole = paths = 0
    for _ in range(40):
        points = int(rng.integers(2, 5))
        group = [signed(rng.permutation(points), rng.integers(0, 2, points))]
        table = (rng.random((int(rng.integers(1, 5)), points)) < 0.5).astype(np.uint8)
        for _ in range(points):
            table = np.unique(np.concatenate([table, moved(table, group[0])]), axis=0)
        real = every_symmetry(table)
        packed, keys = PackedTable.pack(table), {image.tobytes() for image in real}
        for _ in range(20):
            image = signed(rng.permutation(points), rng.integers(0, 2, points))
            assert admitted(packed, image) == (image.tobytes() in keys)
        assert all(admitted(packed, image) for image in real)
        assert not admitted(packed, np.arange(2 * points) & 1)
        turned = np.roll(np.arange(2 * points), 1)
        assert not core.Symmetries(packed.rows, points).is_symmetry(turned)
        engine = taught(table)
        if not symmetric(engine):
            assert len(real) == 1
            continue
        # Follow the paths, and compare with the symmetries that fix them.
        known = engine._orbits
        waiting: list[tuple[int, tuple[int, ...]]] = [(1, ())]
        while waiting:
            place, path = waiting.pop()
            fixing = [g for g in real if all(g[2 * x] == 2 * x for x in path)]
            least = symmetry.orbits(fixing, points)
            assert (least[known[place, :, 0]] == least).all()  # no orbit is too large
            whole += np.array_equal(known[place, :, 0], least)
            paths += 1
            waiting += [
                (int(known[place, x, 1]), (*path, x))
                for x in range(points)
                if x not in path and known[place, x, 1]
            ]
    assert paths > 100
    assert whole >= 0.95 * paths


def test_duplicate_and_constant_points() -> None:
    table = np.repeat(tables.linear_orders(4), 2, axis=1)
    table = np.concatenate([table, np.ones((len(table), 1), np.uint8)], axis=1)
    assert is_right(taught(table), 4)


# --- how a solve comes to learn symmetries ---------------------------------------------------------


def solved(table: Table, jobs: int = 1) -> _Solve:
    solve = _Solve(PackedTable.pack(table), None, None, 1 << 30, jobs)
    solve.search()
    return solve


def test_a_dear_search_learns_symmetries_and_is_shorter(monkeypatch: pytest.MonkeyPatch) -> None:
    table = tables.decision_lists(4)
    monkeypatch.setattr(symmetry, "PATIENCE", 1 << 30)
    without = solved(table)
    assert not symmetric(without._engine)
    monkeypatch.setattr(symmetry, "PATIENCE", 0)
    with_them = solved(table)
    assert symmetric(with_them._engine)
    assert with_them._engine.nodes < without._engine.nodes
    assert with_them.lower == without.lower == 9
    assert is_shattered_by(table, with_them.bounds().tree)


def test_the_same_search_learns_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(symmetry, "PATIENCE", 0)
    first, second = (solved(tables.linear_orders(6)) for _ in range(2))
    assert first._engine.nodes == second._engine.nodes
    assert first.bounds().tree == second.bounds().tree


@pytest.mark.parametrize("seed", range(6))
def test_two_searches_share_the_symmetries(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(driver, "PATIENCE", 0)
    monkeypatch.setattr(symmetry, "PATIENCE", 0)
    table = [*(t for t, _ in circulant_tables(seed, 1)), tables.decision_lists(4)][seed % 2]
    solve = solved(table, jobs=2)
    assert symmetric(solve._engine)
    assert solve.lower == solve.upper == recursion(table)
    assert is_shattered_by(table, solve.bounds().tree)


def test_a_stop_is_heard_while_symmetries_are_looked_for() -> None:
    engine = engine_of(tables.decision_lists(4))
    calls = 0

    def stopped() -> bool:
        nonlocal calls
        calls += 1
        return calls > 1

    engine._symmetry.learn(engine._orbits, PLENTY, stopped)
    assert len(engine._symmetry._look.found) <= 1
    assert calls < 5
    assert engine._symmetry.due < symmetry.NEVER  # it may go on


def test_another_table_has_symmetries_of_its_own() -> None:
    table = tables.decision_lists(3)
    engine = taught(table)
    rng = np.random.default_rng(0)
    for _ in range(5):
        part = PackedTable.pack(table[np.sort(rng.choice(len(table), 40, replace=False))])
        engine.move(part)
        assert not symmetric(engine)
        assert is_right(engine, recursion(part))


# --- planted mistakes: each must change answers, and the honest code must not -----------------------


Making = Callable[[Table, list[Permutation]], Any]


def a_wrong_answer(engine: Making, kind: str) -> bool:
    """Whether there is one among the first tables of a kind."""
    return any(
        not is_right(engine(table, group), recursion(table))
        for table, group in islice(KINDS[kind][0](0, 400), KINDS[kind][1])
    )


def alone(table: Table, group: list[Permutation]) -> Any:
    return taught(table)


class AtRandom:
    """Suggests permutations of literals at random, 30 of them."""

    def __init__(self, rows: NDArray[np.uint64], points: int) -> None:
        self._honest, self._points = core.Symmetries(rows, points), points
        self._rng, self._left = np.random.default_rng(0), 30

    def suggest(self, image: Permutation) -> int:
        self._left -= 1
        flips = self._rng.integers(0, 2, self._points)
        image[:] = signed(self._rng.permutation(self._points), flips)
        return 1 if self._left >= 0 else -1

    def is_symmetry(self, image: Permutation) -> bool:
        return self._honest.is_symmetry(image)


class Unchecked(AtRandom):
    def is_symmetry(self, image: Permutation) -> bool:
        return True


def test_wrong_suggestions_change_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(symmetry, "Symmetries", AtRandom)
    assert not a_wrong_answer(alone, "turned")


def test_plant_a_suggestion_is_not_checked(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(symmetry, "Symmetries", Unchecked)
    assert a_wrong_answer(alone, "turned")


@pytest.mark.deep
def test_plant_two_orbits_are_merged(monkeypatch: pytest.MonkeyPatch) -> None:
    honest = symmetry.orbits

    def merged(group: list[Permutation], points: int) -> NDArray[np.int64]:
        least = honest(group, points)
        first, *others = np.unique(least)
        return np.where(least == others[0], first, least) if others else least

    monkeypatch.setattr(symmetry, "orbits", merged)
    assert a_wrong_answer(told, "symmetric")


def test_plant_the_orbits_of_the_root_are_used_below_it(monkeypatch: pytest.MonkeyPatch) -> None:
    honest = PathOrbits.grow

    def grow(self: PathOrbits, places: int, stopped: Callable[[], bool] = never) -> bool:
        more = honest(self, places, stopped)
        self._table[2:, :, 0] = self._table[1, :, 0]
        return more

    monkeypatch.setattr(PathOrbits, "grow", grow)
    assert a_wrong_answer(told, "graphs")


def test_plant_what_fixes_a_path_may_move_its_last_literal(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(
        symmetry._Group, "fixing", lambda self, literal: [self._random() for _ in range(4)]
    )
    assert a_wrong_answer(told, "turned")
