"""Named families against other descriptions of the same tables."""

from __future__ import annotations

from itertools import combinations, pairwise, product
from math import comb

import numpy as np
import pytest
from benchmarks.named_tables import TABLES, table

from littlestone.dimension import littlestone_dimension, vc_dimension

SMALL = {
    "all_balls": (4,), "balls": (4, 1), "bch": (4, 2), "boxes": (3, 2), "decision_lists": (2,),
    "dnf": (3, 2, 2), "half_planes": (3,), "intervals": (6, 2), "juntas": (3, 2), "kneser": (5, 2),
    "orders": (4,), "paley": (13,), "parities": (3,), "random": (9, 5, 30, 7),
    "reed_muller": (1, 3), "terms": (3, 2), "threshold_functions": (3,), "thresholds": (5,),
}  # fmt: skip


def rows(name: str, *numbers: int) -> set[tuple[int, ...]]:
    return set(map(tuple, table(name, *numbers).tolist()))


def test_every_family_has_an_example_here() -> None:
    assert set(SMALL) == set(TABLES)


@pytest.mark.parametrize("name", SMALL)
def test_rows_are_distinct_bits(name: str) -> None:
    made = table(name, *SMALL[name])
    assert made.dtype == np.uint8
    assert set(np.unique(made)) <= {0, 1}
    assert len(np.unique(made, axis=0)) == len(made)


def test_boxes_intervals_terms_and_lists_by_their_definitions() -> None:
    grid = list(product(range(3), repeat=2))
    boxes = {
        tuple(int(a <= x <= b and c <= y <= d) for x, y in grid)
        for a, b, c, d in product(range(3), repeat=4)
    }
    assert rows("boxes", 3, 2) == boxes
    runs = {
        bits
        for bits in product((0, 1), repeat=6)
        if "".join(map(str, bits)).count("01") + bits[0] <= 2
    }
    assert rows("intervals", 6, 2) == runs
    cube = [tuple(x >> i & 1 for i in range(3)) for x in range(8)]
    terms = {
        tuple(int(all(p[i] == s for i, s in zip(chosen, signs, strict=True))) for p in cube)
        for chosen in combinations(range(3), 2)
        for signs in product((0, 1), repeat=2)
    }
    assert rows("terms", 3, 2) == terms
    unions = {tuple(map(max, a, b)) for a in terms for b in terms} | {(0,) * 8}
    assert rows("dnf", 3, 2, 2) == unions
    assert len(rows("decision_lists", 2)) == 14  # all functions of two bits but the parities


def test_half_planes_are_what_lines_cut_out() -> None:
    grid = list(product(range(3), repeat=2))
    cut = set()
    # Enough directions and offsets for a 3 x 3 grid: no two of the 9 points tie.
    for k in range(720):
        a, b = np.cos(0.001 + np.pi * k / 360), np.sin(0.001 + np.pi * k / 360)
        values = sorted(a * x + b * y for y, x in grid)
        offsets = [
            values[0] - 1,
            *((s + t) / 2 for s, t in pairwise(values)),
            9,
        ]
        cut |= {tuple(int(a * x + b * y < c) for y, x in grid) for c in offsets}
    assert rows("half_planes", 3) == cut


def test_counts_that_are_known() -> None:
    assert [len(table("threshold_functions", n)) for n in (1, 2, 3, 4)] == [4, 14, 104, 1882]
    assert [len(table("reed_muller", r, 4)) for r in range(5)] == [2, 32, 2**11, 2**15, 2**16]
    assert [table("bch", 4, t).shape for t in (1, 2, 3, 4)] == [
        (2**11, 15),
        (2**7, 15),
        (32, 15),
        (2, 15),
    ]
    assert len(table("juntas", 4, 1)) == 2 + 2 * 4
    assert len(table("orders", 5)) == 120


@pytest.mark.parametrize(
    ("numbers", "distance"), [((4, 1), 3), ((4, 2), 5), ((4, 3), 7), ((5, 3), 7)]
)
def test_bch_codes_correct_what_they_say(numbers: tuple[int, int], distance: int) -> None:
    code = table("bch", *numbers)
    weights = code.sum(axis=1)
    assert weights[weights > 0].min() == distance


def test_kneser_is_the_petersen_graph_and_paley_is_self_complementary() -> None:
    petersen = table("kneser", 5, 2)
    assert petersen.sum(axis=1).tolist() == [3] * 10
    square = petersen.astype(int) @ petersen
    assert set(square[petersen == 1].tolist()) == {0}  # no triangles
    paley = table("paley", 13)
    assert (paley == paley.T).all()
    assert paley.sum() == 13 * 6


def test_dimensions_that_theory_knows() -> None:
    for n in (1, 2, 3, 7, 8, 100):
        assert littlestone_dimension(table("thresholds", n)) == (n + 1).bit_length() - 1
    for n in (1, 3, 5):
        assert littlestone_dimension(table("parities", n)) == n
    for r, m in [(0, 3), (1, 3), (2, 4)]:
        k = sum(comb(m, i) for i in range(r + 1))
        assert (
            littlestone_dimension(table("reed_muller", r, m))
            == k
            == vc_dimension(table("reed_muller", r, m))
        )
