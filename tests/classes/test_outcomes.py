"""Rules with outcomes, against all their functions on few values."""

from __future__ import annotations

import random
from typing import Any

import pytest
from listed import functions, named, outcomes, records

from littlestone.base.errors import DeclarationError, TooLargeError
from littlestone.classes import EqualityRules, Outcomes, RuleSets, parse_class

# Columns, literals, rules, outcomes, and values enough to show all that the open columns show.
SHAPES = [(1, 1, 1, 2, 3), (1, 1, 2, 2, 4), (1, 1, 2, 3, 4), (2, 2, 1, 2, 3), (2, 1, 2, 2, 4)]


@pytest.mark.parametrize(("m", "r", "s", "k", "values"), SHAPES)
def test_mls_is_that_of_all_functions_on_enough_values(
    m: int, r: int, s: int, k: int, values: int
) -> None:
    table = functions(m, r, s, k, values)
    assert outcomes(m, r, s, k).littlestone_dimension() == named(table, k).littlestone_dimension()


@pytest.mark.parametrize(("m", "r", "s", "k", "values"), SHAPES)
def test_version_spaces(m: int, r: int, s: int, k: int, values: int) -> None:
    """Empty when no function on the values is left; MLS at least theirs, and equal most often."""
    table, points, rng = functions(m, r, s, k, values), records(m, values), random.Random(5)
    equal = 0
    for _ in range(25):
        V, left = outcomes(m, r, s, k), table
        for _ in range(rng.randrange(1, 4)):
            j = rng.randrange(len(points))
            y = int(rng.choice(left)[j]) if len(left) else 0
            V, left = V.restrict(points[j], y), left[left[:, j] == y]
        j, y = rng.randrange(len(points)), rng.randrange(k + 1)
        V, left = V.restrict(points[j], y), left[left[:, j] == y]
        assert V.is_empty() == (len(left) == 0)
        here = named(left, k).littlestone_dimension() if len(left) else -1
        found = V.littlestone_dimension()
        assert found >= here
        equal += found == here
    assert equal >= 18


@pytest.mark.parametrize(("m", "r", "s", "k", "values"), SHAPES)
def test_bit_classes_are_all_unions_of_rules(m: int, r: int, s: int, k: int, values: int) -> None:
    """H|_i, by definition, is the class of unions: as sets of functions on the values."""
    table = functions(m, r, s, k, values)
    unions = {tuple(row) for row in functions(m, r, s, 1, values).tolist()}
    H = outcomes(m, r, s, k)
    for i in range(H.bits):
        assert {tuple(row) for row in (table >> i & 1).tolist()} == unions
        bit = H.bit_class(i)
        assert isinstance(bit, EqualityRules if s == 1 else RuleSets)
        assert (bit.domain, bit.max_literals) == (H.domain, H.max_literals)


@pytest.mark.parametrize(("m", "r", "s"), [(1, 1, 3), (2, 2, 1), (2, 1, 2), (2, 2, 2)])
def test_mls_is_the_dimension_of_the_bit_class(m: int, r: int, s: int) -> None:
    H = outcomes(m, r, s, 2)
    assert H.littlestone_dimension() == H.bit_class(0).littlestone_dimension()


@pytest.mark.parametrize("H", Outcomes.examples(), ids=str)
def test_a_mistake_point_is_one(H: Any) -> None:
    d = H.littlestone_dimension()
    x = H.mistake_point()
    assert (x is None) == (d <= 0)
    if x is not None:
        below = [H.restrict(x, y).littlestone_dimension() for y in range(H.labels)]
        assert sorted(below)[-2] >= d - 1


def test_equal_version_spaces_are_equal() -> None:
    H = outcomes(2, 2, 2, 2)
    one = H.restrict((0, 1), 2).restrict((3, 4), 0)
    assert one == H.restrict((3, 4), 0).restrict((0, 1), 2)
    assert len({one, H.restrict((3, 4), 0).restrict((0, 1), 2)}) == 1


def test_declarations() -> None:
    H = parse_class("outcomes(a, integers(b); at most 2 rules of 1)", 3)
    assert str(H) == "outcomes(a, integers(b); at most 2 rules of 1)"
    assert parse_class(str(H), 3) == H
    for text in ("outcomes(a)", "outcomes(; at most 2)", "outcomes(a; at most 0)",
                 "outcomes(a; at most 65)", "outcomes(a; at most 2 rules of 0)",
                 "rules(a; at most 1)"):  # fmt: skip
        with pytest.raises(DeclarationError):
            parse_class(text, 3)
    with pytest.raises(DeclarationError, match="as a label"):
        H.restrict(("u", 1), 3)
    large = Outcomes.over_columns(*"abcd", labels=4, max_rules=3)
    assert str(large.bit_class(0)) == "rule_sets(a, b, c, d; at most 3 rules of 4)"
    with pytest.raises(TooLargeError, match="search the version spaces"):
        large.littlestone_dimension()
