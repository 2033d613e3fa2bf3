"""Classes up to renaming, their quantities and the search for the smallest, against brute force."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable
from itertools import combinations, permutations, product
from typing import Any

import numpy as np
import pytest

from littlestone.base.errors import DeclarationError, TooLargeError
from littlestone.dimension import LabelTable, is_star, largest_star, littlestone_dimension
from littlestone.theory.atlas import QUANTITIES, Query, atlas, burnside, canonical, search, table_of
from littlestone.theory.atlas.listing import columns, families, renamings

Rows = tuple[int, ...]


def orbit(rows: Rows, points: int) -> set[Rows]:
    """All renamings of a class, one bit at a time."""
    found = set()
    for order in permutations(range(points)):
        for flip in (0, 1):
            moved = [
                sum(((row >> old & 1) ^ flip) << x for x, old in enumerate(order)) for row in rows
            ]
            found.add(tuple(sorted(moved)))
    return found


@pytest.mark.parametrize("points", [1, 2, 3])
def test_every_class_has_one_entry(points: int) -> None:
    everything = [
        rows for size in range(1, 2**points + 1) for rows in combinations(range(2**points), size)
    ]
    orbits = {min(orbit(rows, points)) for rows in everything}
    listed = families(points)
    assert {min(orbit(rows, points)) for rows, _ in listed} == orbits
    assert len(listed) == len(orbits) == burnside(points)
    assert Counter(count for _, count in listed) == Counter(
        len(orbit(rows, points)) for rows, _ in listed
    )
    assert len({canonical(rows, points) for rows in everything}) == len(orbits)


def test_burnside_counts_the_list_of_four_points() -> None:
    listed = families(4)
    assert len(listed) == burnside(4) == 2103
    assert sum(count for _, count in listed) == 2**16 - 1


@pytest.mark.parametrize("points", [4, 5, 6])
def test_canonical_rows_are_of_the_class_and_the_same_for_its_renamings(points: int) -> None:
    rng = random.Random(points)
    images = renamings(points)
    for _ in range(60):
        rows = rng.sample(range(2**points), rng.randint(1, 6))
        image = images[rng.randrange(len(images))]
        one = canonical(rows, points)
        assert one == canonical(image[rows].tolist(), points)
        assert one in {tuple(sorted(image[rows].tolist())) for image in images}


def test_entries_do_not_change_by_renaming() -> None:
    rng, images = random.Random(0), renamings(4)
    names = [name for name in QUANTITIES if not name.startswith("ddim")]
    for _ in range(30):
        rows = rng.sample(range(16), rng.randint(1, 12))
        tables = [table_of(r, 4) for r in (rows, images[rng.randrange(len(images))][rows].tolist())]
        one, other = ({name: QUANTITIES[name].of(t) for name in names} for t in tables)
        assert one == other


def star_by_definition(table: LabelTable) -> int:
    values = np.unique(table.values, axis=0)
    sizes = [0]
    for size in range(1, values.shape[1] + 1):
        for chosen in combinations(range(values.shape[1]), size):
            for center in values[:, chosen]:
                differences = values[:, chosen] ^ center
                alone = {int(d.nonzero()[0][0]) for d in differences if d.sum() == 1}
                if len(alone) == size:
                    sizes.append(size)
    return max(sizes)


def test_star_numbers_of_all_classes_over_three_points_and_of_random_ones() -> None:
    rng = random.Random(3)
    for rows, points in [(rows, 3) for rows, _ in families(3)] + [
        (tuple(rng.sample(range(32), rng.randint(1, 9))), 5) for _ in range(150)
    ]:
        table = table_of(rows, points)
        star = largest_star(table)
        assert is_star(table, star)
        assert len(star.points) == star_by_definition(table)


def test_a_star_needs_each_hypothesis_at_its_own_point() -> None:
    star = largest_star(singletons := [[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]])
    assert len(star.points) == 3
    for wrong in (
        type(star)(star.center, star.points, star.hypotheses[::-1]),
        type(star)(star.center, star.points[:2], star.hypotheses),
        type(star)(star.hypotheses[0], star.points, star.hypotheses),
        type(star)(9, star.points, star.hypotheses),
    ):
        assert not is_star(singletons, wrong)


def test_what_grows_and_steps_does_so_in_all_classes_over_three_points() -> None:
    values: dict[Rows, dict[str, Any]] = {}
    for size in range(1, 9):
        for rows in combinations(range(8), size):
            table = table_of(rows, 3)
            values[rows] = {name: each.of(table) for name, each in QUANTITIES.items() if each.grows}
            for name, value in values[rows].items():
                most = QUANTITIES[name].most
                assert most is None or value <= most(3, size)
            for i in range(size) if size > 1 else ():
                fewer = values[rows[:i] + rows[i + 1 :]]
                for name, value in values[rows].items():
                    assert fewer[name] <= value, name
                    assert not QUANTITIES[name].steps or value <= fewer[name] + 1, name


CONDITIONS = [
    "ldim == 2 and vc == 1", "ldim - vc >= 1 and teaching < 2", "threshold > 2 and ldim < 2",
    "dual_vc == 1 and vc == 2 and rows < 6", "star >= 3 and not ldim > 1", "vc == 0 and rows == 2",
    "teaching == 3 and star == 2 or ldim == 3", "rows >= 7 and vc < 3", "ldim == 1 and threshold == 3",
]  # fmt: skip


@pytest.mark.parametrize("condition", CONDITIONS)
def test_search_finds_what_looking_at_all_classes_finds(condition: str) -> None:
    query = Query.from_text(condition)
    expected: list[Rows] = []
    for points, size in product((1, 2, 3), range(1, 9)):
        for rows, _ in families(points):
            if len(rows) == size:
                table = table_of(rows, points)
                if query({name: QUANTITIES[name].of(table) for name in query.names}):
                    expected.append(canonical(rows, points))
        if expected:
            break
    looked = search(condition, points=(1, 3), rows=(1, 8), most=100)
    assert sorted(looked.found) == sorted(expected)
    assert looked.whole or (looked.points, looked.rows) == (points, size)


def test_the_smallest_class_of_ldim_three_and_vc_one() -> None:
    looked = search("ldim == 3 and vc == 1 and threshold == 4", points=(1, 4), rows=(1, 8))
    assert not looked.found
    assert looked.whole


def test_a_search_that_is_stopped_says_how_far_it_looked() -> None:
    looked = search("ldim == 1 and vc == 2", points=(2, 5), rows=(1, 9), seconds=0)
    assert (looked.found, looked.whole, looked.points, looked.rows) == ((), False, 2, 3)


def test_ctrl_c_keeps_how_far_a_search_looked(monkeypatch: pytest.MonkeyPatch) -> None:
    from littlestone.theory.atlas import search as module

    def stop(real: Callable[..., Rows], calls: list[int]) -> Callable[..., Rows]:
        def canonical(rows: Rows, points: int) -> Rows:
            calls.append(1)
            if len(calls) > 200:
                raise KeyboardInterrupt
            return real(rows, points)

        return canonical

    looking = __import__("sys").modules[module.__module__]
    monkeypatch.setattr(looking, "canonical", stop(canonical, []))
    looked = search("ldim == 1 and vc == 2", points=(2, 5), rows=(1, 9))
    assert not looked.found
    assert looked.interrupted
    assert looked.points >= 3


WRONG = [
    "", "ldim", "ldim ==", "ldim + 1", "lidm == 1", "ldim == 1.5", "ldim == 'a'", "ldim is 1",
    "__import__('os')", "ldim ** 9 == 1", "(ldim == 1) + 1 == 2", "ldim == (vc == 1)", "not ldim",
    "ldim and vc", "True", "True == 1", "f'{ldim}'", "ldim.real == 1", "[ldim] == 1",
    "-" * 499 + "1", "not " * 120 + "ldim == 1 and " + "x" * 100, "ldim == 1 " * 60, "ldim == 1\0",
]  # fmt: skip


@pytest.mark.parametrize("condition", WRONG)
def test_anything_else_is_no_condition(condition: str) -> None:
    with pytest.raises(DeclarationError):
        Query.from_text(condition)


def test_wrong_ranges_are_refused() -> None:
    for points, rows, most in [((0, 2), (1, 2), 1), ((3, 2), (1, 2), 1), ((1, 9), (1, 2), 1),
                               ((1, 2), (2, 1), 1), ((1, 2), (1, 2), 0)]:  # fmt: skip
        with pytest.raises(DeclarationError):
            search("ldim == 1", points=points, rows=rows, most=most)
    for n in (0, 5, -1):
        with pytest.raises(TooLargeError):
            atlas(n)


def test_columns_have_pairings_over_four_points_only() -> None:
    entries = list(atlas(2))
    named = columns(entries)
    assert "psi_n" not in named
    assert [len(column) for column in named.values()] == [8] * len(named)
    for entry in entries:
        assert entry.values["ldim"] == littlestone_dimension(table_of(entry.rows, 2).values)
