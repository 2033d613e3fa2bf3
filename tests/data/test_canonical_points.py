"""The door by which records enter: of any object, a point of exactly the domain's own types."""

from __future__ import annotations

import json
from decimal import Decimal
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from littlestone.data import sample_from_arrays
from littlestone.data.sample import Sample
from littlestone.points import Disjoint, Domain, Grid, Integers, Names, Product, Reals, Strings
from littlestone.points.base import number, text, truth
from littlestone.points.labels import check_labels
from littlestone.prove.laws.domains import (
    OUTSIDE,
    HostileFloat,
    HostileText,
    HostileWhole,
    Liar,
    disguises,
    hostile,
)

CENTS = Grid(-9, 99, "price", Decimal("0.01"))
DOMAINS: list[Domain[Any]] = [
    Grid(0, 9),
    CENTS,
    Grid(-(2**63), 2**64 - 2**63 - 1),
    Integers("i"),
    Strings("s"),
    Reals("r"),
    Names(("a", "b", "1"), "n", other="b"),
    Product((Strings("s"), Integers("i"), Grid(0, 9, "g"))),
    Product((CENTS, Names(("a", "b"), "n"))),
    Disjoint((Grid(0, 9, "g"), Strings("s"))),
    Disjoint((Integers("i"), Product((Strings("s"), Integers("j"))))),
    Disjoint((Reals("r"), Product((Strings("s"), Reals("t"))))),
]
EXACT = (int, str, tuple, Fraction)


def is_exact(x: Any) -> bool:
    """Whether it is made of exact built-in types alone."""
    if type(x) is tuple:
        return all(map(is_exact, x))
    if type(x) is Fraction:
        return type(x.numerator) is type(x.denominator) is int
    return type(x) in EXACT


def stepped(domain: Any) -> bool:
    """Whether a number of another type than a whole number's is a value, and no point."""
    inside = getattr(domain, "columns", ())
    return any(map(stepped, inside)) or getattr(domain, "unit", 1) != 1


@pytest.mark.parametrize("domain", DOMAINS, ids=str)
def test_points_are_themselves(domain: Domain[Any]) -> None:
    for x in domain.examples(12):
        assert is_exact(x)
        assert x in domain
        found = domain.canonical(x)
        assert (found, is_exact(found)) == (x, True)
        assert domain.own(x) == x


@pytest.mark.parametrize("domain", DOMAINS, ids=str)
def test_equal_objects_are_one_point(domain: Domain[Any]) -> None:
    for x in domain.examples(4):
        for other in disguises(x, typed=stepped(domain)):
            found = domain.canonical(other)
            assert (found, repr(found), is_exact(found)) == (x, repr(x), True)


@pytest.mark.parametrize("domain", DOMAINS, ids=str)
def test_any_object_is_a_point(domain: Domain[Any]) -> None:
    for value in [*hostile(), *OUTSIDE]:
        for x in (domain.canonical(value), domain.encode(value), domain.canonical([value, value])):
            assert is_exact(x)
            assert x in domain
            assert repr(domain.canonical(x)) == repr(x)


@pytest.mark.parametrize("domain", DOMAINS, ids=str)
def test_no_other_object_is_in_the_domain(domain: Domain[Any]) -> None:
    for value in [*hostile(), *OUTSIDE]:
        written = type(value) is int and isinstance(domain, Reals)  # by hand, for a Fraction
        assert value not in domain or written or repr(domain.canonical(value)) == repr(value)
    for x in domain.examples(4):
        for other in disguises(x):
            assert other not in domain or is_exact(other)


@pytest.mark.parametrize("domain", DOMAINS, ids=str)
def test_a_point_comes_back_from_json(domain: Domain[Any]) -> None:
    for value in [*domain.examples(9), *OUTSIDE, *hostile()]:
        x = domain.canonical(value)
        found = domain.point_from_json(json.loads(json.dumps(domain.point_to_json(x))))
        assert (found, repr(found)) == (x, repr(x))
    damaged = ("[true, 1.0, null]", "null", "1.5", "[]", "[0, null]", "[9, 1]", "{}", "[0, 1, 2]")
    for written in damaged:
        assert domain.point_from_json(json.loads(written)) is None


def test_a_damaged_fraction_is_no_point() -> None:
    for data in ("1/0", "1e9", "1/-2", "", "0." + "3" * 9, "9" * 402, "1/" + "9" * 402, 10**401):
        assert Reals().point_from_json(data) is None
    assert [Reals().point_from_json(data) for data in (2, "2", "4/2")] == [Fraction(2)] * 3


def test_a_whole_number_is_a_fraction_on_the_line() -> None:
    """One by hand is in the domain, and yet what is released of it must not tell who wrote it so."""
    for one in disguises(1, typed=True):
        x = Reals().canonical(one)
        assert x == 1
        assert type(x) is Fraction
    assert repr(Reals().canonical(7)) == repr(Reals().canonical("7")) == "Fraction(7, 1)"


def test_where_the_unit_is_not_one_a_number_is_a_point_by_its_type() -> None:
    cents = Grid(0, 999, "price", Decimal("0.01"))
    assert [cents.canonical(x) for x in (5, np.int64(5), True, HostileWhole(5))] == [5, 5, 1, 5]
    for value in (5.0, np.float32(5), Decimal(5), Fraction(5), "5", HostileFloat(5.0)):
        assert cents.canonical(value) == 500


def test_the_columns_of_a_record_are_read_each_by_itself() -> None:
    """Twelve cents stay twelve cents beside a name that is none."""
    domain = Product((CENTS, Names(("a", "b"), "n")))
    assert domain.canonical((12, "b")) == (12, "b")
    assert domain.canonical((12, "?")) == domain.canonical([12]) == (12, "a")
    assert domain.canonical(("0.12", "b", "c")) == (12, "b")


def test_values_of_hostile_classes() -> None:
    for value in hostile():
        number(value), text(value), truth(value)
    assert number(HostileWhole(7)) == 7
    assert number(1 << 40_000) == -(number(-1 << 40_000) or 0) == Decimal("Infinity")
    assert (text(HostileText("a")), text(HostileWhole(7))) == ("a", "7")
    assert type(text(Liar(str, "a"))) is str
    assert text("\ud83d\ude00") == "\N{GRINNING FACE}"
    assert text("a\ud800") == "a\N{REPLACEMENT CHARACTER}"


def test_arrays_of_any_objects_are_records() -> None:
    values = [*hostile(), *OUTSIDE]
    pair = Product((Strings("s"), Integers("i")))
    either = Disjoint((Integers("i"), Strings("s")))
    domains: list[Domain[Any]] = [Strings("s"), Integers("i"), pair, either]
    for domain in domains:
        sample = sample_from_arrays(values, values[::-1], domain)
        assert (sample.n, all(map(is_exact, sample.points))) == (len(values), True)
    found = sample_from_arrays(disguises(("a", 1)), [1] * len(disguises(("a", 1))), pair)
    assert (found.points, found.n) == ((("a", 1),), len(disguises(("a", 1))))


class OwnText(str):
    """A text of a type of its own."""


def test_declared_ends_and_names_are_exact() -> None:
    for domain in (Grid(False, True), Names((OwnText("a"), "b"), other=OwnText("b"))):
        for value in [*domain.examples(2), domain.encode(None), domain.encode(99)]:
            assert is_exact(value)
    assert all(map(is_exact, check_labels((OwnText("a"), OwnText("b")))))


def test_labels_of_any_kind() -> None:
    ones = [1, "1", *disguises(1), "true", "1.00"]
    assert set(map(truth, ones)) == {1}
    assert {truth(y) for y in [*disguises(0), 2, "yes", None, "", *OUTSIDE[:-1]]} == {0}
    sample = Sample.from_examples(Integers(), [(0, y) for y in [*ones, *hostile()]])
    assert (sample.points, sample.n) == ((0,), len([*ones, *hostile()]))
    assert int(sample.positives.sum()) >= len(ones)
    labels = ("late", "1", "early")
    pairs = [(x, y) for x in disguises(1) for y in [*disguises("late"), *disguises(1)]]
    counted = Sample.from_examples(Integers(), pairs, labels=labels)
    assert counted.points == (1,)
    assert counted.counts.tolist() == [[3 * len(disguises(1)), len(disguises(1)) ** 2, 0]]
    assert type(counted.points[0]) is int
