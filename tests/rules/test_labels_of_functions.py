"""Functions to several labels: changed at single points, and read from files that are whole."""

from __future__ import annotations

import json
from decimal import Decimal
from itertools import product
from typing import Any

import pytest

from each import each
from littlestone import points as domains
from littlestone.base.errors import DeclarationError, ModelError
from littlestone.points import Grid, Names, Product, Strings
from littlestone.rules import BitFunction, Hypothesis, LookupTable, TableFunction, disagreement
from littlestone.rules.rules import CellFunction

KEYS = ("a", "b", "c")
NAMED = Names(KEYS, "x")
PAIR = Product((Strings("u"), Strings("v")))
TABLE = TableFunction.from_labels(NAMED, [4, 1, 0], 5)
LOOKUP = LookupTable(Strings("x"), 5, frozenset({("a", 4), ("b", 1)}))
CELLS = CellFunction(PAIR, 3, (("p",), ("q", "r")), (0, 0, 1, 2, 0, 1))


def test_a_large_table_has_a_repr() -> None:
    large = TableFunction.from_labels(Grid(0, 19_999, "x"), [1] * 20_000)
    for f in (TABLE, large):
        assert (
            eval(repr(f), {"Decimal": Decimal, **vars(domains)}, {type(f).__name__: type(f)}) == f
        )


@each("f", [TABLE, LOOKUP], ids=["table", "lookup"])
@each("labels", [*product(range(5), repeat=2)], ids=str)
def test_a_patched_function_has_the_labels_it_was_given(f: Any, labels: tuple[int, int]) -> None:
    at = dict(zip(("a", "c"), labels, strict=True))
    g = f.patch(at)
    expected = [at.get(x, f(x)) for x in KEYS]
    assert [g(x) for x in KEYS] == expected
    assert g == type(f).from_form(f.domain, f.form()).patch(at)
    again = Hypothesis.from_json(json.loads(json.dumps(g.to_json())))
    assert again == g
    assert [again(x) for x in KEYS] == expected
    assert g.patch({x: f(x) for x in at}) == f


@pytest.mark.parametrize(
    ("f", "damage"),
    [
        (TABLE, {"values": [4, 1, 5]}),
        (TABLE, {"values": [4, 1, -1]}),
        (TABLE, {"values": [4, 1]}),
        (TABLE, {"values": [4, True, 0]}),
        (TABLE, {"labels": 4}),
        (CELLS, {"labels": 2}),
        (CELLS, {"given": [0, 0, 1, 2, 0, 3]}),
        (CELLS, {"given": [0, 0, 1, 2, 0, -1]}),
        (CELLS, {"given": [0, 0, 1, 2, 0, True]}),
        (CELLS, {"given": [0, 0, 1]}),
        (CELLS, {"given": [0] * 6}),  # names values that it does not tell apart
        (CELLS, {"values": [["p"], ["r", "q"]]}),
        (CELLS, {"values": [["p"], ["q", "q"]]}),
        (CELLS, {"values": [["p"], ["q", None]]}),
        (CELLS, {"values": [["p"]]}),
        (CELLS, {"values": ["p", "qr"]}),  # a text is no list of texts
        (LOOKUP, {"entries": ""}),
        (LOOKUP, {"entries": {}}),
        (TABLE, {"domain": {**NAMED.to_json(), "points": "abc"}}),
    ],
    ids=str,
)
def test_a_damaged_function_is_refused(f: Any, damage: dict[str, Any]) -> None:
    written = f.to_json()
    assert Hypothesis.from_json(written) == f
    with pytest.raises(ModelError):
        Hypothesis.from_json({**written, **damage})


def test_a_table_ends_with_its_points() -> None:
    """What a table says of no point does not tell two functions apart."""
    assert TableFunction(NAMED, (0b1110, 0b0)) == TableFunction(NAMED, (0b110, 0b1000))
    assert TableFunction(NAMED, (-1,)).form() == {"labels": "111"}


def test_a_bit_is_a_function_of_two_labels() -> None:
    zero = TableFunction.from_labels(NAMED, [0, 0, 0])
    assert BitFunction(NAMED, 3, (zero, zero))("a") == 0
    for wrong in (TABLE, TableFunction.from_labels(NAMED, [0, 0, 0], 3)):
        with pytest.raises(DeclarationError, match="2 bits"):
            BitFunction(NAMED, 3, (zero, wrong))


def test_functions_to_different_labels_are_not_compared() -> None:
    """Their points agree, and yet one of them may give a label that the other has not."""
    pairs: list[tuple[Any, Any]] = [
        (TABLE, TableFunction(NAMED, TABLE.planes, 6)),
        (LOOKUP, LookupTable(LOOKUP.domain, 6, LOOKUP.entries)),
    ]
    for f, g in pairs:
        assert f != g
        with pytest.raises(DeclarationError, match="5 labels"):
            disagreement(f, g)


def test_functions_of_bits_that_agree_may_differ() -> None:
    """Votes for them would not add up, so they must say so."""
    zero = TableFunction.from_labels(NAMED, [0, 0, 0])
    f, g = (BitFunction(NAMED, 3, (zero, zero), other) for other in (0, 1))
    assert [*map(f, KEYS)] == [*map(g, KEYS)]
    assert f.canonical == (f == g)
    assert not f.canonical
