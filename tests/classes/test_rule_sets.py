from __future__ import annotations

import random
from dataclasses import replace
from functools import cache
from itertools import combinations, product
from typing import Any

import numpy as np
import pytest
from comparing import difference, version_spaces

from littlestone.base.errors import DeclarationError
from littlestone.classes import EqualityRules, FiniteClass, RuleSets, parse_class
from littlestone.classes.dimensions.covers import Covers
from littlestone.points import Grid, Integers, Product
from littlestone.rules import RuleUnion
from littlestone.rules.rules import obeys

NAMES = "abcdefgh"


def sets(s: int, m: int, r: int, kind: type[RuleSets] = RuleSets) -> Any:
    return kind.over_columns(*NAMES[:m], max_rules=s, max_literals=r)


def records(m: int, values: int) -> list[Any]:
    return list(product([f"v{i}" for i in range(values)], repeat=m))


@cache
def table(s: int, m: int, r: int, values: int) -> FiniteClass:
    """The unions over so many values a column, on the records of these values."""
    points = records(m, values)
    rules = product([None, *(f"v{i}" for i in range(values))], repeat=m)
    columns = [[obeys(x, q) for x in points] for q in rules if m - q.count(None) <= r]
    covered = np.array(columns, dtype=bool)
    chosen = (list(c) for k in range(s + 1) for c in combinations(range(len(covered)), k))
    rows = np.unique(np.array([covered[c].any(axis=0) for c in chosen]), axis=0)
    return FiniteClass.from_array(rows.astype(int), points=[str(x) for x in points])


def differences(
    s: int, m: int, r: int, values: int, examined: int, *, most: int, kind: Any = RuleSets
) -> tuple[set[str], int]:
    """What version spaces answer otherwise than in a finite vocabulary; how many were compared.

    With LDim(V) new values a column beside those of examples, a finite vocabulary has the same
    dimension; with one more the same SOA; and with k more, the same k-irreducibility.
    """
    H, W = sets(s, m, r, kind), table(s, m, r, values)
    found, compared = set(), 0
    V: Any
    for V, U in version_spaces(H, W, records(m, examined), most=most, seed=10 * m + r):
        room = values - examined - sets(s, m, r).search.dimension(V.space)
        if room >= 1:
            compared += 1
            ks = range(1, min(room, 2) + 1)
            found.add(difference(V, U, records(m, examined + 1), ks=ks))
    return found - {""}, compared


# s, m, r, values of the table, values in examples
SIZES = [
    (1, 1, 1, 6, 2), (1, 2, 1, 6, 2), (1, 2, 2, 6, 2), (2, 1, 1, 8, 3), (3, 1, 1, 9, 3),
    (2, 2, 1, 7, 2), (2, 2, 2, 7, 2), (3, 2, 1, 7, 2), (2, 3, 1, 5, 2), (2, 2, 2, 6, 3),
    (2, 3, 2, 5, 2), (3, 2, 2, 6, 2),
]  # fmt: skip


@pytest.mark.parametrize(("s", "m", "r", "values", "examined"), SIZES)
def test_it_is_the_table_of_its_functions(
    s: int, m: int, r: int, values: int, examined: int
) -> None:
    found, compared = differences(s, m, r, values, examined, most=25)
    assert found == set()
    assert compared >= 4


def test_negative_examples_may_have_the_only_values_that_reduce() -> None:
    """One point reduces only by a value of a negative example, two by new values."""
    H, W = sets(2, 2, 2), table(2, 2, 2, 7)
    for x, y in [(("v0", "v0"), 1), (("v1", "v1"), 0), (("v0", "v1"), 0)]:
        H, W = H.restrict(x, y), W.restrict(str(x), y)
    assert difference(H, W, records(2, 3), ks=range(1, 3)) == ""
    assert H.reducing_points(1) == [("v1", "v0")]
    broken = OnlyNewValuesReduce(H.domain, 2, 2, H.space)
    assert broken.reducing_points(1) is None
    assert broken.reducing_points(2) is not None


def test_one_rule_is_the_class_of_equality_rules() -> None:
    rng = random.Random(2)
    for m, r in [(1, 1), (2, 1), (2, 2), (3, 2), (3, 3), (4, 2)]:
        whole, points = EqualityRules.over_columns(*NAMES[:m], max_literals=r), records(m, 3)
        for _ in range(25):
            V, W = sets(1, m, r), whole
            for _ in range(rng.randint(0, 5)):
                x, y = rng.choice(points), int(rng.random() < 0.4)
                if not W.restrict(x, y).is_empty():
                    V, W = V.restrict(x, y), W.restrict(x, y)
            assert (V.size, V.littlestone_dimension()) == (W.size, W.littlestone_dimension())
            assert V.soa() == W.soa()
            for k in (1, 2, 3, 9):
                assert (V.reducing_points(k) is None) == (W.reducing_points(k) is None)


def test_dimensions_of_the_whole_classes() -> None:
    """Found by another search too, which keeps the positive examples in place of covers."""
    known = {
        (2, 1, 1): 3, (3, 1, 1): 4, (4, 1, 1): 5, (2, 2, 1): 4, (2, 2, 2): 5, (3, 2, 1): 6,
        (2, 3, 1): 5, (3, 2, 2): 8, (2, 3, 2): 7, (1, 3, 2): 3, (1, 3, 3): 4,
    }  # fmt: skip
    assert {sizes: sets(*sizes).littlestone_dimension() for sizes in known} == known


class OnlyNewValuesReduce(RuleSets):
    def _other_values(self, count: int) -> Any:
        return self._new_values(count)


class NegativesRefuteNothingToCome(RuleSets):
    def restrict(self, x: Any, y: int) -> Any:
        V = super().restrict(x, y)
        return replace(V, space=V.space._replace(refuted=frozenset()))


class SoaIsTheUnionOfTheCovers(RuleSets):
    def soa(self) -> RuleUnion:
        super().soa()
        rules = frozenset(rule for cover in self.space.covers for rule in cover)
        return RuleUnion(self.domain, rules)


class NothingReduces(RuleSets):
    def _limit(self, labels: object) -> Any:
        return self.space


class CountsTooFewLeaves(Covers):
    def _leaves(self, space: Any, depth: int) -> int:
        return super()._leaves(space, depth) - 1


class KeepsLargerCovers(Covers):
    def restrict(self, space: Any, x: Any, y: int) -> Any:
        small = super().restrict(space, x, y)
        more = {c | {q} for c in small.covers if 0 < len(c) < self.s for q in self.rules_at(x)}
        return small._replace(covers=small.covers | more) if y else small


class SearchesWithTooFewLeaves(RuleSets):
    @property
    def search(self) -> Covers:
        return CountsTooFewLeaves.instance(
            len(self.domain.columns), self.max_literals, self.max_rules
        )


class SearchesLargerCovers(RuleSets):
    @property
    def search(self) -> Covers:
        return KeepsLargerCovers.instance(
            len(self.domain.columns), self.max_literals, self.max_rules
        )


@pytest.mark.deep
@pytest.mark.parametrize(
    ("broken", "caught"),
    [
        (NegativesRefuteNothingToCome, "littlestone_dimension"),
        (SoaIsTheUnionOfTheCovers, "soa"),
        (NothingReduces, "reducing_points"),
        (SearchesWithTooFewLeaves, "littlestone_dimension"),
        (SearchesLargerCovers, "size"),
    ],
)
def test_a_broken_class_is_caught(broken: type[RuleSets], caught: str) -> None:
    assert caught in differences(2, 2, 2, 7, 2, most=30, kind=broken)[0]


def test_equal_version_spaces_are_equal() -> None:
    H = sets(2, 2, 2)
    one = H.restrict(("a", "b"), 1).restrict(("c", "d"), 1).restrict(("x", "y"), 0)
    other = H.restrict(("c", "d"), 1).restrict(("a", "b"), 1).restrict(("v", "w"), 0)
    assert one == other
    assert hash(one) == hash(other)
    single = sets(2, 2, 1)  # these refute the same rules of one literal
    pairs = [[("a", "b"), ("c", "d")], [("a", "d"), ("c", "b")]]
    first, second = (single.restrict(x, 0).restrict(y, 0) for x, y in pairs)
    assert first == second


TEXTS = [
    ("rule_sets(carrier, origin, dest; at most 2 rules of 2)",
     RuleSets.over_columns("carrier", "origin", "dest", max_rules=2, max_literals=2)),
    ("rule_sets(origin, integers(hour); at most 1 rule of 9)",
     RuleSets.over_columns("origin", Integers("hour"), max_rules=1, max_literals=2)),
    ("rule_sets('a, b'; at most 6 rules of 1)",
     RuleSets.over_columns("a, b", max_rules=6, max_literals=1)),
]  # fmt: skip


@pytest.mark.parametrize(("text", "expected"), TEXTS)
def test_texts(text: str, expected: RuleSets) -> None:
    assert parse_class(text) == expected
    assert parse_class(str(expected)) == expected


@pytest.mark.parametrize(
    "text",
    ["rule_sets(; at most 2 rules of 2)", "rule_sets(a, b)", "rule_sets(a; at most 2)",
     "rule_sets(a; at most 0 rules of 1)", "rule_sets(a; at most 2 rules of 0)",
     "rule_sets(a, a; at most 2 rules of 1)", "rule_sets(a; at most two rules of 1)",
     "rule_sets(a; at least 2 rules of 1)", "rule_sets(a; at most 2 rules of 1, nonzero)",
     "rule_sets(a; at most 65 rules of 1)",
     f"rule_sets({', '.join(f'c{i}' for i in range(30))}; at most 2 rules of 5)"],
)  # fmt: skip
def test_illegal_texts_are_refused(text: str) -> None:
    with pytest.raises(DeclarationError):
        parse_class(text)


@pytest.mark.parametrize(
    "text",
    ["rule_sets(a; at most 7 rules of 1)", "rule_sets(a, b, c; at most 3 rules of 2)",
     "rule_sets(a, b, c, d, e; at most 1 rule of 1)"],
)  # fmt: skip
def test_what_is_too_long_to_search_is_declared_and_not_searched(text: str) -> None:
    H = parse_class(text)
    assert str(H) == text.replace("1 rule of", "1 rules of")
    assert (H.size, H.is_empty()) == (None, False)
    H.require_learnable()
    for search in (H.littlestone_dimension, H.soa, lambda: H.restrict(("v",) * 9, 1)):
        with pytest.raises(DeclarationError):
            search()


def test_finite_columns_are_refused() -> None:
    with pytest.raises(DeclarationError, match="finite vocabulary"):
        RuleSets(Product((Grid(0, 9, "b"),)), 2, 1)


@pytest.mark.parametrize("x", ["a", ("a",), ("a", 1), ("a", None), ("a", "b", "c")])
def test_a_point_of_another_shape_is_refused(x: Any) -> None:
    with pytest.raises(DeclarationError):
        sets(2, 2, 2).restrict(x, 1)
