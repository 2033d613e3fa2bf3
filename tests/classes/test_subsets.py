from __future__ import annotations

import random
from dataclasses import replace
from itertools import combinations
from typing import Any

import pytest
from comparing import difference, random_sample, reversed_sample, same_ball, version_spaces

from littlestone.base.errors import DeclarationError
from littlestone.classes import FiniteClass, HypothesisClass, Subsets, parse_class
from littlestone.data.sample import Sample
from littlestone.points import Grid, Integers, Reals, Strings


def table(k: int, exactly: bool, points: int) -> FiniteClass:
    """All subsets of so many elements of 0, ..., points - 1."""
    sizes = range(k if exactly else 0, k + 1)
    sets = [s for size in sizes for s in combinations(range(points), size)]
    return FiniteClass.from_array(
        [[int(x in s) for x in range(points)] for s in sets], points=[str(x) for x in range(points)]
    )


# Up to three elements appear in examples; three more may be refuted, and 2 k are new in any case.
@pytest.mark.parametrize(
    ("k", "exactly", "points"),
    [(0, False, 4), (1, False, 8), (1, True, 8), (2, False, 10), (2, True, 10)],
)
def test_it_is_the_table_of_its_functions(k: int, exactly: bool, points: int) -> None:
    H = Subsets(Integers(), k, exactly)
    spaces = version_spaces(H, table(k, exactly, points), range(3), most=25, seed=k)
    for V, W in spaces:
        assert difference(V, W, range(points), ks=range(1, 4)) == "", (V, W)


def ball_differs(H: HypothesisClass[Any]) -> bool:
    """Whether some ball of some version space of H is not the one of the generic walk."""
    rng = random.Random(3)
    points = list(range(9))
    for _ in range(150):
        V = H
        for _ in range(rng.randint(0, 4)):
            V = V.restrict(rng.choice(points), int(rng.random() < 0.3))
        sample, budget = random_sample(V, points, rng), rng.randint(-1, 6)
        if not same_ball(V, sample, budget) or not same_ball(V, reversed_sample(sample), budget):
            return True
    return False


@pytest.mark.parametrize("k", range(4))
def test_the_ball_is_the_one_of_the_generic_walk(k: int) -> None:
    assert not ball_differs(Subsets(Integers(), k))


class BallForgetsTheExcluded(Subsets):
    def error_ball(
        self, sample: Sample[Any], max_errors: int, *, most: int | None = None
    ) -> list[tuple[Any, int]]:
        return Subsets.error_ball(replace(self, excluded=frozenset()), sample, max_errors)


class BallTakesOneTooMany(Subsets):
    def error_ball(
        self, sample: Sample[Any], max_errors: int, *, most: int | None = None
    ) -> list[tuple[Any, int]]:
        found = super().error_ball(sample, max_errors + 1)
        return [(V, min(errors, max_errors)) for V, errors in found]


@pytest.mark.parametrize("broken", [BallForgetsTheExcluded, BallTakesOneTooMany])
def test_a_wrong_ball_is_caught(broken: type[Subsets]) -> None:
    assert ball_differs(broken(Integers(), 2))


def test_a_ball_around_planted_elements() -> None:
    domain = Strings("merchant")
    counts = {f"m{i}": [1, 0] for i in range(2000)} | {f"bad{i}": [1, 9] for i in range(5)}
    ball = Subsets(domain, 5).error_ball(Sample.from_counts(domain, counts), 5)
    ((V, errors),) = ball
    assert errors == 5
    assert V.soa().members == {f"bad{i}" for i in range(5)}


def test_equal_version_spaces_are_equal() -> None:
    H = Subsets(Strings(), 2)
    both = H.restrict("a", 1).restrict("b", 1)
    assert both == H.restrict("c", 0).restrict("b", 1).restrict("a", 1)
    assert both.restrict("c", 1) == H.restrict("a", 1).restrict("a", 0)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("subsets(merchant; at most 3)", Subsets(Strings("merchant"), 3)),
        ("subsets(id; exactly 2, integers)", Subsets(Integers("id"), 2, exactly=True)),
        ("subsets('a, b';at  most 0)", Subsets(Strings("a, b"), 0)),
    ],
)
def test_texts(text: str, expected: Subsets) -> None:
    assert parse_class(text) == expected
    assert parse_class(str(expected)) == expected


@pytest.mark.parametrize(
    "text",
    ["subsets(x)", "subsets(; at most 2)", "subsets(x, y; at most 2)", "subsets(x; at most -1)",
     "subsets(x; at most two)", "subsets(x; at most 2, exactly 2)", "subsets(x; at least 2)",
     "subsets(x; at most 2, integers only)", "subsets(x; at most 2.0)", "subsets(x; exactly)"],
)  # fmt: skip
def test_illegal_texts_are_refused(text: str) -> None:
    with pytest.raises(DeclarationError):
        parse_class(text)


@pytest.mark.parametrize(
    ("domain", "k"), [(Grid(0, 9), 1), (Reals(), 1), (Strings(), -1), (Strings(), True)]
)
def test_illegal_declarations_are_refused(domain: Any, k: int) -> None:
    with pytest.raises(DeclarationError):
        Subsets(domain, k)


@pytest.mark.parametrize(("x", "y"), [(3, 1), (None, 0), ("a", 2)])
def test_what_is_no_example_is_refused(x: Any, y: int) -> None:
    with pytest.raises(DeclarationError):
        Subsets(Strings(), 2).restrict(x, y)
