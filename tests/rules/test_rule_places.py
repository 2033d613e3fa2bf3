"""Places: each point is in one, where the rule has one label; their codes are codes."""

from __future__ import annotations

from fractions import Fraction
from itertools import chain, combinations, product
from math import inf
from typing import Any

import numpy as np
import pytest

from littlestone.base.discovery import concrete
from littlestone.base.errors import TooLargeError
from littlestone.classes import HypothesisClass, parse_class
from littlestone.data.sample import Records
from littlestone.points import Cells, Domain, Grid, Listed, Product, Reals, Strings
from littlestone.rules import DecisionTree, Hypothesis, RuleUnion, StepFunction
from littlestone.rules.node_words import place_of_leaf
from littlestone.rules.nodes import ColumnTest, Split
from littlestone.rules.rules import CellFunction
from planting import Fault, turns_red


def some_rules() -> list[Hypothesis[Any]]:
    """The rules of examples of every class, at most one of each kind and number of places."""
    found: dict[tuple[type, int], Hypothesis[Any]] = {}
    kinds: list[Any] = concrete(HypothesisClass, "littlestone.classes")
    for kind in kinds:
        for H in kind.examples():
            if 0 <= H.littlestone_dimension() < inf:
                h = H.soa()
                found.setdefault((type(h), len(h.places)), h)
    return list(found.values())


RULES = some_rules()
TREE = parse_class("trees(age: 0..80 step 20, sex in {F, M}; depth 2)")
LEAVES: DecisionTree = TREE.hypothesis_of_item((3, 21, 30))  # type: ignore[attr-defined]


def test_a_rule_has_one_label_at_each_place() -> None:
    for h in [*RULES, LEAVES]:
        assert len(h.places) >= 1
        for x in h.domain.examples(60):
            assert h.places[h.place(x)].label == h(x)


def test_many_points_have_the_places_of_each() -> None:
    for h in [*RULES, LEAVES]:
        points = h.domain.examples(60)
        assert h.places_of(points).tolist() == list(map(h.place, points))
    columns: Any = LEAVES.domain.columns
    points = list(product(*(column.points for column in columns)))
    coded = Records(
        [
            (column.points, np.array([column.index(x[j]) for x in points]))
            for j, column in enumerate(columns)
        ]
    )
    assert LEAVES.places_of(coded).tolist() == list(map(LEAVES.place, points))


def test_steps_and_leaves_are_told_in_words() -> None:
    steps = StepFunction(Grid(0, 120, "age"), 1, (18, 65))
    assert [place.words for place in steps.places] == ["age < 18", "18 <= age < 65", "age >= 65"]
    assert [place.label for place in steps.places] == [1, 0, 1]
    assert [place.words for place in StepFunction(Grid(0, 9), 1, ()).places] == ["always"]
    told = {place.words for place in LEAVES.places}
    assert len(told) == len(LEAVES.places) > 2


def test_the_places_of_a_rule_are_exported_as_its_labels_are() -> None:
    polars = pytest.importorskip("polars")
    rows = [
        (age, sex) for age in (None, -3, 0, 19, 20, 45, 60, 200) for sex in ("F", "M", "X", None)
    ]
    frame = polars.DataFrame({"age": [a for a, _ in rows], "sex": [s for _, s in rows]})
    numbers = list(range(len(LEAVES.places)))
    found = frame.select(LEAVES.to_polars(risks=numbers).alias("place"))["place"].to_list()
    assert found == [LEAVES.place(LEAVES.domain.encode_record(row)) for row in rows]
    steps = StepFunction(Grid(0, 120, "age"), 1, (18, 65))
    found = frame.select(steps.to_polars(risks=[5, 6, 7]).alias("place"))["place"].to_list()
    assert found == [5 + steps.place(steps.domain.encode(age)) for age, _ in rows]


FLIGHTS = Product((Strings("origin"), Strings("dest")))
ROUTES: list[tuple[Hypothesis[Any], list[str]]] = [
    (
        RuleUnion(FLIGHTS, frozenset({("JFK", None), (None, "HNL"), ("LGA", "BOS")})),
        ["origin is 'JFK'", "origin is 'LGA' and dest is 'BOS'", "dest is 'HNL', and none above",
         "elsewhere"],
    ),
    (RuleUnion(FLIGHTS, frozenset({(None, None)})), ["always"]),
    (RuleUnion(FLIGHTS, frozenset()), ["always"]),
    (
        CellFunction(FLIGHTS, 3, (("EWR", "JFK"), ("HNL",)), (0, 0, 0, 0, 1, 2)),
        ["origin is another and dest is another", "origin is another and dest is 'HNL'",
         "origin is 'JFK' and dest is another", "origin is 'JFK' and dest is 'HNL'"],
    ),
]  # fmt: skip


@pytest.mark.parametrize(("h", "told"), ROUTES, ids=range(len(ROUTES)))
def test_rules_and_cells_are_places(h: Hypothesis[Any], told: list[str]) -> None:
    polars = pytest.importorskip("polars")
    assert [place.words for place in h.places] == told
    routes = list(product(("JFK", "LGA", "EWR", "SFO"), ("HNL", "BOS", "ORD")))
    assert all(h.places[h.place(x)].label == h(x) for x in routes)
    frame = polars.DataFrame(routes, schema=["origin", "dest"], orient="row")
    numbers = list(range(len(told)))
    found = frame.select(h.to_polars(risks=numbers).alias("place"))["place"].to_list()
    assert found in (list(map(h.place, routes)), [0])


class Score(StepFunction):
    """A function whose steps rise."""

    ordered = True


@pytest.mark.parametrize("steps", [1, 7, 20, 21, 90])
def test_a_score_is_counted_in_bins_of_one_label(steps: int) -> None:
    rule = Score(Grid(0, 99, "score"), 0, tuple(range(1, steps)))
    assert StepFunction(rule.domain, 0, rule.changes).bins.tolist() == list(range(steps))
    labels = np.array([place.label for place in rule.places])
    for i in set(rule.bins.tolist()):
        assert len(set(labels[rule.bins == i].tolist())) == 1


def subsets(points: tuple[str, ...]) -> list[frozenset[str]]:
    sizes = range(1, len(points) + 1)
    return [frozenset(s) for s in chain.from_iterable(combinations(points, k) for k in sizes)]


TABLES: list[Domain[Any]] = [
    Product((Cells(("0", "5", "10"), "x"), Listed(("F", "M", "D"), "sex"))),
    Product((Cells(("0", "5"), "x"), Cells(("0", "5"), "y"), Listed(("F",), "z"))),
    Product((Listed(("a",), "z"),)),
]


def the_codes_of_all_places_add_up_to_at_most_1() -> None:
    for table in TABLES:
        columns: Any = table.columns  # type: ignore[attr-defined]
        total = Fraction(0)
        for sides in product(*(subsets(column.points) for column in columns)):
            leaf = 0, dict(enumerate(sides)), ()
            sets = place_of_leaf(leaf, table).sets  # type: ignore[arg-type]
            assert sets is not None
            total += Fraction(1, sets)
        assert 0 < total <= 1
    for size in (1, 2, 7):
        grid = Grid(0, size - 1)
        steps = {(a, b) for a in range(size) for b in range(a + 1, size + 1)}
        codes = []
        for a, b in steps:
            h = StepFunction(grid, 0, (a, b))
            (place,) = [p for i, p in enumerate(h.places) if h.place(a) == i]
            codes.append(place.sets or 0)
        assert sum(Fraction(1, sets) for sets in codes) <= 1


def test_the_codes_of_all_places_add_up_to_at_most_1(monkeypatch: pytest.MonkeyPatch) -> None:
    the_codes_of_all_places_add_up_to_at_most_1()
    short = Fault(
        "littlestone.rules.node_words:place_of_leaf",
        "2**few * ways",
        "ways",
        "The code of a leaf does not say how often a column changes sides.",
    )
    turns_red(short, the_codes_of_all_places_add_up_to_at_most_1, monkeypatch)


def test_open_columns_have_no_code() -> None:
    table = Product((Strings("carrier"), Strings("dest")))
    ends = Split(ColumnTest(1, frozenset(["HNL", "BOS"])), 1, 0)
    rule = DecisionTree(table, Split(ColumnTest(0, frozenset(["HA"])), ends, 0))
    assert [place.words for place in rule.places] == [
        "carrier is HA and (dest is BOS or dest is HNL)",
        "carrier is HA and not (dest is BOS or dest is HNL)",
        "not (carrier is HA)",
    ]
    assert all(place.sets is None for place in rule.places)
    assert StepFunction(Reals(), 0, ()).places[0].sets is None


def test_a_place_is_said_as_shortly_as_its_test() -> None:
    table = Product((Listed(("F", "M", "D"), "sex"), Cells(("0", "18"), "age")))
    rule = DecisionTree(table, Split(ColumnTest(0, frozenset("F")), 1, 0))
    assert [place.words for place in rule.places] == ["sex is F", "not (sex is F)"]
    with pytest.raises(TooLargeError):
        StepFunction(Grid(0, 10**6), 0, tuple(range(1, 5000, 2))).to_sql(
            "duckdb", risks=[0.5] * 2501
        )
