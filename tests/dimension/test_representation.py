"""Representation dimensions of small tables, and damaged witnesses."""

from __future__ import annotations

import random
from dataclasses import replace
from itertools import product

import pytest

from littlestone.base.errors import TooLargeError
from littlestone.dimension import is_representation, representation

FOUR = list(product((0, 1), repeat=4))


def test_on_three_points_each_function_stands_for_itself() -> None:
    rows = list(product((0, 1), repeat=3))
    for size in range(1, 9):
        found = representation(rows[:size])
        assert found.deterministic == size
        assert found.probabilistic == -(-3 * size // 4)
        assert is_representation(rows[:size], found)


def test_equal_columns_count_once() -> None:
    rng = random.Random(4)
    for _ in range(30):
        table = [list(row) for row in rng.sample(FOUR, rng.randint(1, 16))]
        twice = [[*row, row[0], row[2]] for row in table]
        assert representation(table).deterministic == representation(twice).deterministic
    small = [[0, 0, 1], [1, 1, 0]]
    assert representation([[row[0], *row] for row in small]).columns == (0, 3)
    assert representation([[*row, row[1]] for row in small]).deterministic == 2


def test_five_columns_are_refused() -> None:
    with pytest.raises(TooLargeError, match="5 different columns"):
        representation(list(product((0, 1), repeat=5)))


def test_damaged_witnesses_are_rejected() -> None:
    rng = random.Random(5)
    for _ in range(40):
        table = rng.sample(FOUR, rng.randint(2, 16))
        found = representation(table)
        assert is_representation(table, found)
        less = replace(found, cover=found.cover[1:], tests=found.tests[1:])
        twice = replace(found, cover=found.cover[1:] + found.cover[1:2])
        shared = replace(found, tests=found.tests[1:] + found.tests[1:2])
        other = replace(found, columns=found.columns[::-1])
        for damaged in (less, twice, shared, other):
            assert not is_representation(table, damaged)
    table = FOUR[:2]
    assert not is_representation(
        table, replace(representation(table), tests=((FOUR[9], (0,)),) * 2)
    )
    small = [(0, 0, 1), (0, 1, 1)]
    found = representation(small)
    every, beyond = found.columns, (1, 0, 0)
    more = replace(found, cover=(*found.cover, beyond), tests=(*found.tests, (beyond, every)))
    assert not is_representation(small, more)
    for support in ((7,), ()):
        assert not is_representation(small, replace(found, tests=((small[0], support),) * 2))
