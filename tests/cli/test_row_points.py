"""The points of rows of a table, whose short texts are read once."""

from __future__ import annotations

import random
from typing import Any

import pytest

from littlestone.cli import following
from littlestone.cli.following import RowPoints
from littlestone.points import Cells, Disjoint, Domain, Grid, Names, Product, Strings
from planting import Fault, turns_red

GRID, NAMES, AGE = Grid(0, 9), Names(("a", "b"), "n"), Cells(("0", "5"), "age")
DOMAINS: list[Domain[Any]] = [
    GRID, Strings(), Product((GRID, NAMES, Strings("s"), AGE)), Disjoint((GRID, NAMES)),
]  # fmt: skip
VALUES = ["3", "03", " 3", "3.7", "", "a", "12", "x" * 99, "1e999999"]
OTHERS = [3, True, 1.0, None, ["3"], float("nan")]


def test_rows_have_the_points_of_their_records(monkeypatch: pytest.MonkeyPatch) -> None:
    """Of texts alone and of any values, again and again, also if few texts are known."""
    rng = random.Random(2)
    for domain in DOMAINS:
        width = len(domain.column_names)
        for most in (2, 1 << 16):
            monkeypatch.setattr(following, "_KNOWN", most)
            points = RowPoints(domain)
            for values in (VALUES, VALUES + OTHERS, VALUES, []):
                rows = [[rng.choice(values) for _ in range(width)] for _ in values]
                assert points.encode(rows) == [domain.encode_record(row) for row in rows]


def test_long_texts_are_not_known() -> None:
    points = RowPoints(GRID)
    points.encode([["7" * 65], ["3"]])
    assert points._known[0].cache_info().currsize == 0
    points.encode([["7" * 64], ["3"], ["3"]])
    assert points._known[0].cache_info()[:2] == (1, 2)


def test_equal_values_of_another_type_are_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    fault = Fault("littlestone.cli.following:RowPoints._encode", "are_of(str, values) and ", "",
                  "values that are no texts are looked up")  # fmt: skip
    with pytest.raises(TypeError):
        turns_red(
            fault, lambda: test_rows_have_the_points_of_their_records(monkeypatch), monkeypatch
        )
