"""Hypotheses are equal exactly when they are equal as functions."""

from __future__ import annotations

import json
from fractions import Fraction
from itertools import product
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from each import each
from littlestone.base.errors import DeclarationError, ModelError
from littlestone.points import (
    Disjoint,
    Domain,
    Grid,
    Integers,
    Names,
    Product,
    Reals,
    Strings,
    vector_space,
)
from littlestone.rules import (
    DirectSum,
    FiniteSet,
    Flat,
    FlatComplement,
    Hypothesis,
    RuleUnion,
    StepFunction,
    TableFunction,
    disagreement,
    function_of_labels,
)

GRID = Grid(-2, 5)
HUGE = Grid(-(2**63), 2**63 - 1)
NAMES = Names(("a", "b", "c"))
places = st.integers(-4, 8)
far = st.sampled_from([HUGE.low - 1, HUGE.low, HUGE.low + 1, -1, 0, HUGE.high, HUGE.high + 1])
fractions = st.fractions(-2, 2, max_denominator=3)


def steps(domain: Grid | Reals, cuts: st.SearchStrategy[Any]) -> st.SearchStrategy[StepFunction]:
    changes = st.lists(cuts, max_size=5).map(tuple)
    return st.builds(StepFunction, st.just(domain), st.integers(0, 1), changes)


SUM = Disjoint((GRID, Strings("y")))
tables = st.builds(
    TableFunction.from_labels, st.just(NAMES), st.lists(st.integers(0, 1), min_size=3, max_size=3)
)
texts = st.frozensets(st.sampled_from(["", "a", "b", "é"]))
sets = st.builds(FiniteSet, st.just(Strings()), texts)
sums = st.builds(
    lambda f, members: DirectSum(SUM, (f, FiniteSet(Strings("y"), members))),
    steps(GRID, places),
    texts,
)
numbers = st.builds(FiniteSet, st.just(Integers()), st.frozensets(st.integers(-1, 2)))

RECORDS = Product((Strings("a"), Integers("b"), Strings("c")))
asked = st.tuples(*(st.sampled_from([None, *some]) for some in (["", "u"], [0, 1], ["u", "w"])))
unions = st.builds(RuleUnion, st.just(RECORDS), st.frozensets(asked, max_size=4))
CUBE, PLANE = vector_space("xyz", 2), vector_space("xy", 4)


def flats(kind: type[Flat], domain: Domain[Any], q: int) -> st.SearchStrategy[Flat]:
    row = st.tuples(*[st.integers(0, q - 1)] * (len(domain.column_names) + 1))
    return st.builds(kind, st.just(domain), st.lists(row, max_size=3).map(tuple))


REPRESENTATIVES: dict[str, tuple[st.SearchStrategy[Any], list[Any]]] = {
    "grid": (steps(GRID, places), list(GRID)),
    "huge": (
        steps(HUGE, far),
        [c + e for c in (HUGE.low + 2, -1, 1, HUGE.high - 2) for e in (-2, -1, 0, 1, 2)],
    ),
    "reals": (steps(Reals(), fractions), [Fraction(k, 12) for k in range(-30, 31)]),
    "table": (tables, list(NAMES)),
    "sums": (sums, [*((0, x) for x in GRID), *((1, x) for x in ("", "a", "b", "é", "other"))]),
    "texts": (sets, ["", "a", "b", "é", "other"]),
    "records": (unions, list(product(["", "u", "new"], [0, 1, 2], ["u", "w", "new"]))),
    "flats": (flats(Flat, PLANE, 4), list(PLANE)),
    "complements of flats": (flats(FlatComplement, CUBE, 2), list(CUBE)),
    "integers": (numbers, list(range(-3, 5))),
}


@pytest.mark.parametrize("kind", REPRESENTATIVES)
@given(data=st.data())
def test_equal_iff_no_disagreement_iff_equal_everywhere(kind: str, data: st.DataObject) -> None:
    strategy, everywhere = REPRESENTATIVES[kind]
    f, g = data.draw(strategy), data.draw(strategy)
    as_functions = all(f(x) == g(x) for x in everywhere)
    witness = disagreement(f, g)
    assert (f == g) == as_functions == (witness is None)
    if f == g:
        assert hash(f) == hash(g)
        assert f.words() == g.words()
        assert f.to_json() == g.to_json()
    else:
        assert witness in f.domain
        assert f(witness) != g(witness)
        assert disagreement(g, f) is not None


@pytest.mark.parametrize("kind", REPRESENTATIVES)
@given(data=st.data())
def test_json_brings_back_an_equal_function(kind: str, data: st.DataObject) -> None:
    f = data.draw(REPRESENTATIVES[kind][0])
    back = Hypothesis.from_json(json.loads(json.dumps(f.to_json())))
    assert back == f
    assert hash(back) == hash(f)
    assert disagreement(back, f) is None


@given(f=steps(GRID, places))
def test_the_words_of_a_step_function_are_true(f: StepFunction) -> None:
    for x in GRID:
        clauses = f.words().split(" or ")
        said = any(_holds(clause, x) for clause in clauses)
        assert said == bool(f(x))


def _holds(clause: str, x: int) -> bool:
    if clause.startswith("always"):
        return clause == "always 1"
    return bool(eval(clause, {"x": x}))


@given(f=unions)
def test_the_words_of_a_union_of_rules_are_true(f: RuleUnion) -> None:
    said = f.words().replace("always ", "").replace(" is ", " == ")
    for a, b, c in REPRESENTATIVES["records"][1]:
        assert bool(eval(said, {"a": a, "b": b, "c": c})) == bool(f((a, b, c)))


DAMAGED: list[Any] = [
    None,
    {},
    [{}],
    [["u", 0]],
    [["u", "0", None]],
    [[1, 0, "u"]],
    "rules",
    [None],
]


@pytest.mark.parametrize("rules", DAMAGED)
def test_damaged_rules_are_refused(rules: Any) -> None:
    form = RuleUnion(RECORDS, frozenset()).to_json()
    with pytest.raises(ModelError):
        Hypothesis.from_json({**form, "rules": rules})


def test_rules_over_finite_columns_are_refused() -> None:
    form = RuleUnion(RECORDS, frozenset()).to_json()
    for domain in (Product((NAMES,)), NAMES, GRID):
        with pytest.raises(ModelError):
            Hypothesis.from_json({**form, "domain": domain.to_json(), "rules": []})


GRIDS = Product((Grid(0, 2, "a"), Grid(-1, 0, "b"), Grid(4, 4, "c")))


@each("bits", range(64))
def test_the_words_of_a_function_on_records_are_true(bits: int) -> None:
    h = TableFunction(GRIDS, (bits,))
    for x in GRIDS:
        words = h.words()
        if "record" in words:
            listed = f"({GRIDS.words(x)})" in words
            assert listed == (h(x) != ("is not" in words))
            continue
        python = words.replace(" = ", " == ").replace("always ", "")
        assert bool(eval(python, dict(zip("abc", x, strict=True)))) == bool(h(x)), words


@given(bits=st.integers(0, 2**8 - 1))
def test_the_function_of_labels_has_them_in_the_form_of_its_domain(bits: int) -> None:
    labels = [bits >> i & 1 for i in range(8)]
    h = function_of_labels(GRID, labels)
    assert [h(x) for x in GRID] == labels
    assert isinstance(h, StepFunction)


@pytest.mark.parametrize(
    "parts", [None, 3, "ab", [], [{}], [StepFunction.threshold(GRID, 1).to_json()] * 2]
)
def test_a_damaged_direct_sum_is_refused(parts: object) -> None:
    domain = Disjoint((GRID, Integers("y")))
    whole = DirectSum(
        domain, (StepFunction.threshold(GRID, 1), FiniteSet(Integers("y"), frozenset()))
    )
    data = whole.to_json()
    assert Hypothesis.from_json(data) == whole
    with pytest.raises(ModelError):
        Hypothesis.from_json({**data, "parts": parts})


def test_functions_on_different_domains_are_not_compared() -> None:
    with pytest.raises(DeclarationError, match="compare functions on one domain"):
        disagreement(
            StepFunction.threshold(GRID, 1), StepFunction.threshold(Grid(-2, 5, "other"), 1)
        )
