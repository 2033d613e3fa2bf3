"""Direct sums against the table of all pairs of functions."""

from __future__ import annotations

import random
from itertools import product
from typing import Any

import pytest

from littlestone.base.errors import DeclarationError
from littlestone.classes import DirectSumClass, FiniteClass, HypothesisClass, parse_class
from littlestone.classes.promises.tabled import rows_of

PAIRS = [
    ("thresholds(x, 0..4)", "thresholds(y, 0..2)"),
    ("intervals(x, 0..3)", "conjunctions(a, b)"),
    ("juntas(a, b; k 1)", "complement(thresholds(x, 0..3))"),
]


@pytest.mark.parametrize("texts", PAIRS)
def test_version_spaces_are_those_of_the_table(texts: tuple[str, str]) -> None:
    rng = random.Random(0)
    parts = [parse_class(text) for text in texts]
    tables = [rows_of(part).astype(int).tolist() for part in parts]
    whole = FiniteClass.from_array([[*f, *g] for f, g in product(*tables)])
    H = DirectSumClass.of_parts(parts)
    names = {x: f"x{i}" for i, x in enumerate(H.domain)}
    assert [H.domain.index(x) for x in names] == list(range(len(names)))
    for _ in range(30):
        V: HypothesisClass[Any] = H
        T: HypothesisClass[Any] = whole
        for _ in range(rng.randrange(5)):
            x, y = rng.choice(list(names)), rng.randrange(2)
            V, T = V.restrict(x, y), T.restrict(names[x], y)
        d = T.littlestone_dimension()
        assert (V.size, V.littlestone_dimension()) == (T.size, d)
        if d >= 0:
            soa, right = V.soa(), T.soa()
            assert [soa(x) for x in names] == [right(name) for name in names.values()]
            for k in (1, 2, 3):
                assert (V.reducing_points(k) is None) == (T.reducing_points(k) is None)


def test_records_stand_for_the_first_column_that_shows_something() -> None:
    H = parse_class("direct_sum(thresholds(age, 0..99), points(name), boxes(a 0..3, b 0..3))")
    encode = H.domain.encode
    assert encode([None, "Ada", 1, 2]) == (1, "Ada")
    assert encode([None, None, "?", 2]) == (2, (0, 2))
    assert encode([7]) == (0, 7)
    assert encode([]) == encode(None) == (0, 0)


def test_texts_and_refusals() -> None:
    text = "direct_sum(thresholds(x, 0..4), complement(thresholds(y, 0..2)))"
    assert str(parse_class(text)) == text
    for x in parse_class(text).domain.examples(2):
        # A text that declares another class must not describe this one.
        assert str(parse_class(text).restrict(x, 1)).startswith("the direct sum of ")
    with pytest.raises(DeclarationError, match="a column is named twice"):
        parse_class("direct_sum(thresholds(x, 0..4), thresholds(x, 0..4))")


def test_nothing_is_counted_where_counting_is_slow() -> None:
    text = "linear(a, b, c, d, e, f, g, h; q 101, dimension 7)"
    H = parse_class(f"direct_sum({text}, thresholds(y, 0..2))")
    rng = random.Random(1)
    for _ in range(25):
        H = H.restrict((0, tuple(rng.randrange(101) for _ in range(8))), 0)
    assert H.soa()((0, (0,) * 8)) == 1
    assert not H.is_single()
