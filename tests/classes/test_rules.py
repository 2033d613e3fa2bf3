from __future__ import annotations

import random
from dataclasses import replace
from itertools import product
from typing import Any

import pytest
from comparing import difference, random_sample, reversed_sample, same_ball, version_spaces

from littlestone.base.errors import DeclarationError, TooLargeError
from littlestone.classes import EqualityRules, FiniteClass, parse_class
from littlestone.classes.counting.rules import Shapes
from littlestone.data.sample import Sample
from littlestone.points import Disjoint, Grid, Integers, Product, Strings
from littlestone.rules import RuleUnion

NAMES = "abcdefgh"


def rules(m: int, r: int, zero: bool = True, kind: type[EqualityRules] = EqualityRules) -> Any:
    return kind.over_columns(*NAMES[:m], max_literals=r, zero=zero)


def records(m: int, values: int) -> list[Any]:
    return list(product([f"v{i}" for i in range(values)], repeat=m))


def table(m: int, r: int, zero: bool, values: int) -> FiniteClass:
    """The rules over so many values a column, on the records of these values."""
    asked = [
        rule
        for rule in product([None, *(f"v{i}" for i in range(values))], repeat=m)
        if m - rule.count(None) <= r
    ]
    functions: list[Any] = [
        lambda x, rule=rule: int(all(v in (None, u) for u, v in zip(x, rule, strict=True)))
        for rule in asked
    ]
    points = records(m, values)
    every = [*functions, lambda x: 0] if zero else functions
    rows = [[function(x) for x in points] for function in every]
    return FiniteClass.from_array(rows, points=[str(x) for x in points])


def differences(m: int, r: int, zero: bool, *, most: int, kind: Any = EqualityRules) -> set[str]:
    """What version spaces answer otherwise than in a finite vocabulary.

    Two values a column are in examples; D1 + 1 new ones give the dimension after a negative one, and
    one more gives the SOA at a new point.  Without zero, some rule must be left that covers none of
    them; in a single column it takes another value.
    """
    H = rules(m, r, zero, kind)
    after_negative = EqualityRules.over_columns(*NAMES[:m], max_literals=r).restrict(("u",) * m, 0)
    W = table(m, r, zero, 3 + int(after_negative.littlestone_dimension()) + (m == 1))
    found = set()
    for V, U in version_spaces(H, W, records(m, 2), most=most, seed=10 * m + r):
        # Before a positive example, more values would be needed to see that nothing reduces.
        ks = range(1, 4) if V.size is not None else range(0)
        found.add(difference(V, U, records(m, 3), ks=ks))
    return found - {""}


@pytest.mark.parametrize("zero", [True, False])
@pytest.mark.parametrize(("m", "r"), [(1, 1), (2, 1), (2, 2), (3, 1), (3, 2), (3, 3)])
def test_it_is_the_table_of_its_functions(m: int, r: int, zero: bool) -> None:
    assert differences(m, r, zero, most=25) == set()


@pytest.mark.parametrize(("m", "r"), [(4, 1), (4, 2), (4, 4), (5, 2), (5, 3)])
def test_after_a_positive_example_two_values_a_column_tell_all(m: int, r: int) -> None:
    x, points = ("v0",) * m, records(m, 2)
    H = rules(m, r).restrict(x, 1)
    masks = H.shapes.masks
    rows = [
        [int(all(p[j] == "v0" for j in range(m) if mask >> j & 1)) for p in points]
        for mask in masks
    ]
    W = FiniteClass.from_array(rows, points=[str(p) for p in points])
    for V, U in version_spaces(H, W, points, most=25, seed=m + r):
        assert difference(V, U, points, ks=range(1, 4)) == "", V
        # The points that differ from a rule's values in one column always reduce.
        if not V.is_empty():
            reduces = V.reducing_points(m) is not None
            assert reduces == (V.littlestone_dimension() >= 1)


@pytest.mark.parametrize(("m", "r", "values"), [(1, 1, 7), (2, 1, 7), (2, 2, 6)])
def test_what_reduces_before_a_positive_example(m: int, r: int, values: int) -> None:
    """Where three new negatives and D1 + 1 more values are left, the table is irreducible too."""
    x = ("v0",) * m
    H, W = rules(m, r), table(m, r, True, values)
    for V, U in [(H, W), (H.restrict(x, 0), W.restrict(str(x), 0))]:
        assert difference(V, U, records(m, values), ks=range(1, 3)) == ""


def test_dimensions_of_the_whole_classes() -> None:
    by_columns = {1: [2], 2: [2, 3], 3: [3, 3, 4], 4: [3, 4, 4, 5], 5: [3, 4, 5, 5, 6]}
    after_negative = {1: [1], 2: [2, 2], 3: [2, 3, 3], 4: [3, 4, 4, 4], 5: [3, 4, 5, 5, 5]}
    for m, dimensions in by_columns.items():
        classes = [rules(m, r) for r in range(1, m + 1)]
        assert [H.littlestone_dimension() for H in classes] == dimensions
        once = [H.restrict(("u",) * m, 0) for H in classes]
        assert [V.littlestone_dimension() for V in once] == after_negative[m]


def test_the_soa_before_any_example_is_1_where_the_empty_rule_counts() -> None:
    assert rules(2, 1).soa().words() == "always 0"
    assert rules(2, 2).soa().words() == "always 1"
    assert rules(2, 2).restrict(("u", "v"), 0).soa().words() == "always 0"


class DimensionKeepsTheEmptyRule(EqualityRules):
    def littlestone_dimension(self) -> int:
        if self.values is None:
            return 1 + self.shapes.solver.dimension(self.shapes.all)
        return super().littlestone_dimension()


class ForgetsANegative(EqualityRules):
    def restrict(self, x: Any, y: int) -> Any:
        V = super().restrict(x, y)
        return replace(V, negatives=frozenset(sorted(V.negatives)[:1]))


class SoaIsZeroBeforeAPositive(EqualityRules):
    def soa(self) -> RuleUnion:
        return RuleUnion(self.domain, frozenset()) if self.values is None else super().soa()


class SoaIsTheUnionOfTheRules(EqualityRules):
    def soa(self) -> RuleUnion:
        soa = super().soa()
        if self.values is None:
            return soa
        masks = self.shapes.masks
        alive = (masks[i] for i in self.shapes.shapes_in(self.alive))
        return RuleUnion(self.domain, frozenset(map(self._rule, alive)))


class OnePointReducesNothing(EqualityRules):
    def reducing_points(self, k: int) -> Any:
        return None if k == 1 else super().reducing_points(k)


@pytest.mark.parametrize(
    ("broken", "caught"),
    [
        (DimensionKeepsTheEmptyRule, "littlestone_dimension"),
        (ForgetsANegative, "size"),
        (SoaIsZeroBeforeAPositive, "soa"),
        (SoaIsTheUnionOfTheRules, "soa"),
        (OnePointReducesNothing, "reducing_points"),
    ],
)
def test_a_broken_class_is_caught(broken: type[EqualityRules], caught: str) -> None:
    assert caught in differences(2, 2, True, most=60, kind=broken)


def ball_differs(H: EqualityRules) -> bool:
    """Whether some ball of some version space of H is not the one of the generic walk."""
    rng = random.Random(3)
    points = records(len(H.domain.columns), 3)
    for _ in range(150):
        V = H
        for _ in range(rng.randint(0, 3)):
            V = V.restrict(rng.choice(points), int(rng.random() < 0.3))
        sample, budget = random_sample(V, points, rng), rng.randint(-1, 6)
        if not same_ball(V, sample, budget) or not same_ball(V, reversed_sample(sample), budget):
            return True
    return False


@pytest.mark.parametrize(("m", "r"), [(1, 1), (2, 1), (2, 2), (3, 2), (3, 3)])
def test_the_ball_is_the_one_of_the_generic_walk(m: int, r: int) -> None:
    assert not ball_differs(rules(m, r))


class BallForgetsTheNegatives(EqualityRules):
    def error_ball(self, sample: Sample[Any], max_errors: int, *, most: int | None = None) -> Any:
        return EqualityRules.error_ball(replace(self, negatives=frozenset()), sample, max_errors)


class BallMergesEqualErrors(EqualityRules):
    def error_ball(self, sample: Sample[Any], max_errors: int, *, most: int | None = None) -> Any:
        found = super().error_ball(sample, max_errors)
        return list({errors: (V, errors) for V, errors in found}.values())


class BallWithoutTheRulesThatCoverNothing(EqualityRules):
    def error_ball(self, sample: Sample[Any], max_errors: int, *, most: int | None = None) -> Any:
        return [(V, e) for V, e in super().error_ball(sample, max_errors) if V.values is not None]


@pytest.mark.parametrize(
    "broken", [BallForgetsTheNegatives, BallMergesEqualErrors, BallWithoutTheRulesThatCoverNothing]
)
def test_a_wrong_ball_is_caught(broken: type[EqualityRules]) -> None:
    assert ball_differs(rules(2, 2, kind=broken))


def test_equal_version_spaces_are_equal() -> None:
    H = rules(3, 2)
    one = H.restrict(("a", "b", "c"), 1).restrict(("a", "b", "x"), 1).restrict(("a", "y", "x"), 0)
    other = H.restrict(("a", "b", "z"), 1).restrict(("a", "b", "x"), 1).restrict(("a", "w", "w"), 0)
    assert one == other
    assert hash(one) == hash(other)
    assert one.values == ("a", "b", None)


def test_shapes_have_the_sizes_of_binomials() -> None:
    assert Shapes.instance(5, 2).columns[:7] == [(), (0,), (1,), (2,), (3,), (4,), (0, 1)]
    assert len(Shapes.instance(5, 2).masks) == 16
    assert Shapes.instance(3, 1).inside[0b101] == 0b1011


TEXTS = [
    ("rules(carrier, origin, dest, tailnum; at most 2)",
     EqualityRules.over_columns("carrier", "origin", "dest", "tailnum", max_literals=2)),
    ("rules(origin, integers(hour); at most 1, nonzero)",
     EqualityRules.over_columns("origin", Integers("hour"), max_literals=1, zero=False)),
    ("rules('a, b', integers('c (d)'), strings('integers(e)'); at most 3)",
     EqualityRules.over_columns("a, b", Integers("c (d)"), "integers(e)", max_literals=3)),
    ("rules('f(x)', 'strings'; at most 2)",
     EqualityRules.over_columns("f(x)", "strings", max_literals=2)),
    ("rules(a, b; at most 9)", EqualityRules.over_columns("a", "b", max_literals=2)),
]  # fmt: skip


@pytest.mark.parametrize(("text", "expected"), TEXTS)
def test_texts(text: str, expected: EqualityRules) -> None:
    assert parse_class(text) == expected
    assert parse_class(str(expected)) == expected


@pytest.mark.parametrize(
    "text",
    ["rules(; at most 2)", "rules(a, b)", "rules(a, b; at most 0)", "rules(a, a; at most 1)",
     "rules(a; at most 1, nonzero really)", "rules(a; at least 1)", "rules(a; at most one)",
     "rules(integers(a, b); at most 1)", "rules(integers(a; b); at most 1)",
     f"rules({', '.join(f'c{i}' for i in range(30))}; at most 5)"],
)  # fmt: skip
def test_illegal_texts_are_refused(text: str) -> None:
    with pytest.raises(DeclarationError):
        parse_class(text)


def test_illegal_declarations_are_refused() -> None:
    with pytest.raises(DeclarationError, match="finite vocabulary"):
        EqualityRules(Product((Strings("a"), Grid(0, 9, "b"))), 2)
    for domain in (Strings("a"), Disjoint((Strings("a"), Integers("b")))):
        with pytest.raises(DeclarationError, match="not a product of columns"):
            EqualityRules(domain, 2)  # type: ignore[arg-type]
    with pytest.raises(DeclarationError, match="174,437 sets of columns, more than 16,384"):
        EqualityRules.over_columns(*(f"c{i}" for i in range(30)), max_literals=5)
    assert (
        EqualityRules.over_columns(*(f"c{i}" for i in range(10)), max_literals=2).is_empty()
        is False
    )


@pytest.mark.parametrize("x", ["a", ("a",), ("a", 1), ("a", None), ["a", "b"], ("a", "b", "c")])
def test_a_point_of_another_shape_is_refused(x: Any) -> None:
    with pytest.raises(DeclarationError):
        rules(2, 2).restrict(x, 1)


def test_too_many_columns_are_named_before_options_too() -> None:
    columns = ", ".join(f"c{j}" for j in range(1100))
    with pytest.raises(TooLargeError, match="1,100 arguments, at most 1,000"):
        parse_class(f"rules({columns}; at most 1)")
