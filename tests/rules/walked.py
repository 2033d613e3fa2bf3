"""Functions of every kind and of every class of the package, found by walking it."""

from __future__ import annotations

from decimal import Decimal
from fractions import Fraction
from functools import cache
from itertools import product
from math import inf
from typing import Any

from littlestone.base.discovery import concrete
from littlestone.classes import HypothesisClass
from littlestone.classes.base import Enumerable
from littlestone.points import (
    Cells,
    Codes,
    Disjoint,
    Grid,
    Integers,
    Listed,
    Names,
    Product,
    Reals,
    Strings,
)
from littlestone.rules import (
    BitFunction,
    Box,
    BucketTable,
    CellFunction,
    FewColumns,
    FiniteSet,
    Hypothesis,
    LookupTable,
    RuleUnion,
    ScoreSheet,
    StepFunction,
    TableFunction,
)
from littlestone.rules.nodes import ColumnTest, Split
from littlestone.rules.trees import DecisionTree

CENTS = Decimal("0.01")
SHEET = (0, -2, 3, 3), (1, 0, 4, 0, -1)


def by_hand() -> list[Hypothesis[Any]]:
    """Functions where encoding a cell, or the form of the function, has an edge of its own."""
    cents, wide, texts = Grid(-100, 500, "c", CENTS), Grid(-(2**63), 2**63 - 1, "w"), Strings("s")
    step = StepFunction
    mixed = Product((texts, Grid(0, 5, "g"), Codes("k")))
    part = Disjoint((Product((Grid(0, 9, "a"), texts)), Integers("i"), Reals("r")))
    odd = Strings('it\'s "a" `b`; --')
    bits = [FiniteSet(texts, frozenset(some)) for some in (["a", ""], ["1", "a "], ["True", "5"])]
    names = Names(("?", "a", "1", "True"), "n", other="a")
    listed = Listed(("F", "1", "5"), "l")
    return [
        step(cents, 0, (29,)), step(cents, 1, (29, 30, 150)), step(cents, 0, (-50, 0)),
        step(wide, 0, (2**53 + 1,)), step(wide, 1, (2**53, 2**63 - 1)), step(wide, 0, (-(2**53), 3)),
        *(step(Reals("r"), first, tuple(map(Fraction, cut))) for first in (0, 1) for cut in
          (["0"], ["-1"], ["0.29"], ["-1", "1.5"], ["0.3", "5"], ["-1", "0"])),
        *(FiniteSet(Integers("i"), frozenset(some), rest) for rest in (0, 1) for some in
          ([0], [3, 4, 7], [-1, 0, 1], [2**53 + 1])),
        *(FiniteSet(Codes("k"), frozenset(some), rest) for rest in (0, 1) for some in
          ([""], ["3"], ["", "-1", "0"])),
        *(FiniteSet(texts, frozenset(some), rest) for rest in (0, 1) for some in
          ([""], ["a"], ["", "a "], ["5", "1", "0.29", "1.50", "inf", "True", "1e+300", "0.3", "1e+16"],
           ["9007199254740992.0", "0.30000000000000004", "-0", "01"])),
        FiniteSet(odd, frozenset(["it's", "'; DROP TABLE t; --", "\\", "%s", "`", "@x", "💩x"])),
        *(TableFunction.from_labels(names, y) for y in product((0, 1), repeat=4)),
        *(TableFunction.from_labels(listed, y, 3) for y in ([0, 1, 2, 0, 1], [2, 2, 1, 2, 0])),
        TableFunction.from_labels(Cells(("0", "0.5", "3"), "x"), [1, 0, 1, 0]),
        TableFunction.from_labels(Cells(("0", "0.5", "3"), "x"), [0, 1, 1, 0]),
        RuleUnion(Product((texts, Integers("i"))), frozenset([("a", None), (None, 3), ("", 0)])),
        CellFunction.tabulate(Product((texts, Strings("u"))), 3, [["a", "1"], ["a", ""]],
                        lambda cell: (len([v for v in cell if v]) + (cell[0] == "a")) % 3),
        LookupTable(mixed, 4, frozenset([(("a", 3, "1"), 1), (("", 0, ""), 2), (("1", 5, "0"), 3)])),
        BitFunction(texts, 5, tuple(bits), 4), BitFunction(texts, 7, tuple(bits), 2),
        Box(Product((Grid(0, 9, "a"), cents)), ((0, 3), (29, 150))),
        Box(Product((Grid(0, 9, "a"), cents)), ((2, 9), (-100, 29))),
        Box(Product((Grid(0, 9, "a"),)), None),
        FewColumns(Product((Grid(0, 2, "a"), names)), (0, 1), (0, 1, 0, 1, 1, 0, 0, 1, 1, 0, 0, 0)),
        FiniteSet(part, frozenset([(0, (0, "")), (0, (3, "a")), (1, 5), (1, 0)])),
        BucketTable(texts, 3, (0, 1, 2, 1)),
        ScoreSheet(
            Product((Cells(("0", "18", "65"), "age"), listed)), (0, 1), SHEET, 2, (-900, 450)
        ),
        ScoreSheet(
            Product((Cells(("0", "18", "65"), "age"), listed)), (0, 1), SHEET, 2, (-900, 450),
            DecisionTree(
                Product((Cells(("0", "18", "65"), "age"), listed)),
                Split(
                    ColumnTest(0, frozenset(["18"])),
                    Split(ColumnTest(1, frozenset(["F"])), 1, 0), 1,
                ),
            ),
            (2, 0, -1),
        ),
        TableFunction.from_labels(Grid(0, 9, "a"), [0, 1, 2, 2, 2, 1, 0, 0, 2, 1], 3),
    ]  # fmt: skip


@cache
def walked() -> dict[str, list[Hypothesis[Any]]]:
    """A few functions of each class by the class's name, and those by hand by their kind's."""
    found: dict[str, list[Hypothesis[Any]]] = {}
    kinds: list[Any] = concrete(HypothesisClass, "littlestone.classes")
    for kind in kinds:
        examples = kind.examples()
        for H in [*examples[:1], *examples[1:][-1:]]:
            some = [H.hypothesis(2)] if isinstance(H, Enumerable) and (H.size or 0) > 2 else []
            if 0 <= H.littlestone_dimension() < inf:
                some.append(H.soa())
            found.setdefault(kind.__name__, []).extend(h for h in dict.fromkeys(some))
    for h in by_hand():
        found.setdefault(type(h).__name__, []).append(h)
    return found
