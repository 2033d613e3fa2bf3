"""Sets of records said as few boxes, against the set itself."""

from __future__ import annotations

import random
import re
from itertools import product

import numpy as np
import pytest

from littlestone.classes import Enumerable, parse_class
from littlestone.points import Cells, Grid, Listed, Names, Product
from littlestone.rules import TableFunction
from littlestone.rules.box import MOST_BOXES, Places, box_cover, cover_words

_SHAPES = [(5,), (2, 3), (4, 4), (2, 2, 2, 2), (3, 1, 4), (7, 2, 2), (8, 8)]


def _union(boxes: list[Places], shape: tuple[int, ...]) -> np.ndarray:
    found = np.zeros(shape, dtype=bool)
    for box in boxes:
        found[np.ix_(*box)] = True
    return found


@pytest.mark.parametrize("sets", [[], [0], [0, 1]])
@pytest.mark.parametrize("shape", _SHAPES)
def test_the_boxes_are_the_set_and_none_is_superfluous(
    shape: tuple[int, ...], sets: list[int]
) -> None:
    rng = np.random.default_rng(1)
    for share in (0.2, 0.5, 0.75) * 12:
        inside = rng.random(shape) < share
        boxes = box_cover(inside, sets)
        assert boxes is not None
        assert (_union(boxes, shape) == inside).all()
        for box in boxes:
            others = [other for other in boxes if other is not box]
            assert len(boxes) == 1 or not (_union(others, shape) == inside).all()


def test_a_box_is_said_as_one() -> None:
    for ends in product([range(1), range(3), range(1, 4), range(2, 4)], repeat=2):
        inside = _union([ends], (4, 4))
        assert box_cover(inside) == [ends]


def test_too_many_boxes_are_none() -> None:
    board = np.add.outer(np.arange(16), np.arange(16)) % 2 == 0
    assert board.sum() > MOST_BOXES
    assert box_cover(board) is None
    assert (
        TableFunction.from_labels(
            Product((Grid(0, 15, "x"), Grid(0, 15, "y"))), board.ravel().astype(int).tolist()
        )
        .words()
        .endswith("others")
    )


@pytest.mark.parametrize(("size", "most"), [(200, MOST_BOXES), (1 << 20, 4), (1 << 23, 1)])
def test_fewer_boxes_are_looked_for_on_many_records(size: int, most: int) -> None:
    inside = np.zeros(size, dtype=bool)
    inside[: 2 * most : 2] = True
    assert box_cover(inside) == [(range(2 * i, 2 * i + 1),) for i in range(most)]
    inside[2 * most] = True
    assert box_cover(inside) is None


def _holds(words: str, point: dict[str, int]) -> bool:
    """The truth of a condition in words, read by Python itself."""
    return bool(eval(re.sub(r"(?<![<>]) = ", " == ", words), {}, point))


@pytest.mark.parametrize("text", ["decision_lists(a, b, c)", "stumps(a 0..3, b -2..2)"])
def test_the_words_are_the_function(text: str) -> None:
    """Of functions of a class, and of votes of them, which are no longer in it."""
    H = parse_class(text)
    assert isinstance(H, Enumerable)
    assert H.size is not None
    rng = random.Random(1)
    chosen = [H.hypothesis(rng.randrange(H.size)) for _ in range(60)]
    names = H.domain.column_names
    for f, g, h in zip(chosen, chosen[1:], chosen[2:], strict=False):
        values = [int(f(x) + g(x) + h(x) >= 2) for x in H.domain]
        vote = TableFunction.from_labels(H.domain, values)
        words = vote.words()
        if words.startswith("always"):
            continue
        assert "the record" not in words
        for x, y in zip(H.domain, values, strict=True):
            assert _holds(words, dict(zip(names, x, strict=True))) == bool(y)


def test_columns_of_one_value_are_not_said() -> None:
    table = Product((Grid(5, 5, "w"), Grid(0, 2, "x")))
    assert TableFunction.from_labels(table, [0, 1, 1]).words() == "x >= 1"
    assert cover_words([(range(1, 3),)], [Grid(0, 2, "x")]) == "x >= 1"


@pytest.mark.parametrize(
    ("labels", "words"),
    [
        ("000000 000000 000000 001111", "sex is M and age >= 18"),
        ("000000 000000 111111 000000", "sex is F"),
        ("111111 111111 000000 111111", "not (sex is F)"),
        ("001100 001100 001100 001100", "18 <= age < 65"),
        ("001100 000000 000000 001100", "(sex is missing or sex is M) and 18 <= age < 65"),
        ("111111 000000 000000 111111", "sex is missing or sex is M"),
        ("010000 010000 111111 010000", "age < 18 or sex is F"),
    ],
)
def test_columns_of_cells_and_values_are_said_as_conditions(labels: str, words: str) -> None:
    """And not as a list of records: that would hide that other values and missing ones are meant."""
    table = Product((Listed(("F", "M"), "sex"), Cells(("0", "18", "40", "65", "80"), "age")))
    found = TableFunction.from_labels(table, map(int, labels.replace(" ", "")))
    assert found.words() == words


def test_records_with_names_are_listed() -> None:
    domain = Product((Grid(0, 2, "x"), Names(("a", "b"), "y")))
    words = [
        TableFunction.from_labels(domain, labels).words()
        for labels in ([0, 0, 0, 0, 1, 1], [0, 1, 0, 0, 0, 0])
    ]
    assert words == [
        "the record is one of (x = 2, y = 'a'), (x = 2, y = 'b')",
        "the record is (x = 0, y = 'b')",
    ]
