"""The columns of mixed tables as text, what they refuse, and the points of raw values."""

import random
from decimal import localcontext
from fractions import Fraction
from itertools import pairwise
from typing import Any

import pytest

from each import each
from littlestone.base.errors import DeclarationError, TooLargeError
from littlestone.classes import parse_class
from littlestone.classes.conditions import Conditions
from littlestone.classes.text.mixed_columns import (
    conditions_on,
    mixed_text,
    parse_mixed,
    require_candidates,
    split_count,
    splits_on,
)
from littlestone.points import Cells, Codes, Domain, Listed, Product, Strings

READ: dict[str, Domain[Any]] = {
    "age: 0..20 step 5": Cells(("0", "5", "10", "15", "20"), "age"),
    "age 0..20 step 5": Cells(("0", "5", "10", "15", "20"), "age"),
    "x: -1..1 step 0.5": Cells(("-1", "-0.5", "0", "0.5", "1"), "x"),
    "x: 3..5": Cells(("3", "4", "5"), "x"),
    "x: 1..1000 in 3 log steps": Cells(("1", "10", "100", "1000"), "x"),
    "x: 0..10 in 4 steps": Cells(("0", "2.5", "5", "7.5", "10"), "x"),
    "x: 1..1.02 in 9 log steps": Cells(("1", "1.01", "1.02"), "x"),
    "x: 0..1e3 step 5e2": Cells(("0", "500", "1000"), "x"),
    "age at {18, 65.0}": Cells(("18", "65"), "age"),
    "x at {7}": Cells(("7",), "x"),
    "sex in {F, M}": Listed(("F", "M"), "sex"),
    "'a, b' in {'x, y', '(z)'}": Listed(("x, y", "(z)"), "a, b"),
    "ward": Strings("ward"),
    "integers(code)": Codes("code"),
}

REFUSED = {
    "x: 5..5": "the range is empty",
    "x: 9..5 step 1": "the range is empty",
    "x: 0..10 step 3": "not a whole number of steps",
    "x: 0..10 step 0": "the step is not a positive number",
    "x: 0..10 step -1": "the step is not a positive number",
    "x: 0..10 step many": "the step is not a positive number",
    "x: low..high": "an end is not a number",
    "x: 0..inf step 1": "an end is not a number",
    "x: 0..1e40 step 1e39": r"beyond 10\^30",
    "x: 0..10 in 3 log steps": "a low end above 0",
    "x: -5..10 in 3 log steps": "a low end above 0",
    "x: 1..10 in 0 log steps": "the number of steps",
    "x: 1..10 in 5000 steps": "the number of steps",
    "x: 0..5000": "it has 5,001 cells, more than 4,096",
    "x: 0..100 by 5": "looks like a range, a list or a type",
    "x: 0-100 step 5": "looks like a range, a list or a type",
    "x: 0 to 100 step 5": "looks like a range, a list or a type",
    "x: 0,5..100 step 5": "looks like a range, a list or a type",
    "s = {F, M}": "looks like a range, a list or a type",
    "s in [F, M]": "looks like a range, a list or a type",
    "s in (F, M)": "looks like a range, a list or a type",
    f"s in {{{', '.join(map(str, range(1001)))}}}": "it has 1,001 values, at most 1,000",
    f"x at {{{', '.join(map(str, range(1001)))}}}": "it has 1,001 values, at most 1,000",
    "x at {}": "or its list is empty",
    "x in {}": "or its list is empty",
    "x at {1, 1.0}": "given twice",
    "x at {5, 1}": "not in increasing order",
    "x at {one}": "is not a number",
    "s in {a, a}": "a value twice",
    "s in {a, (other)}": "other values",
    "s in {'', a}": "a value is empty",
    "s in {a, }": "a value is empty",
    ": 0..5": "its name or a value is empty",
    "'' in {a}": "its name or a value is empty",
    "'a, b: 0..5'": "its name has a comma",
    "'a; b in {x}'": "has a semicolon",
}

NAMES = [
    "age",
    "a b",
    "x: 0..5",
    "y in {a}",
    "it's",
    "strings(q)",
    "integers(q)",
    "a, b",
    "z at {3}",
]
NAMES += ["'q'", "0..3 step 1", "naïve", "a; b", "x ", '"', "}{"]
NAMES += ["x: 0..5 by 1", "s in [F", "weight [kg]", "age 0-4", "length in cm", "a..b"]


@pytest.mark.parametrize("text", READ)
def test_a_column_is_read_and_written(text: str) -> None:
    column = parse_mixed(text)
    assert column == READ[text]
    assert parse_mixed(mixed_text(column)) == column


@each("text", REFUSED)
def test_what_a_column_refuses(text: str) -> None:
    with pytest.raises(DeclarationError, match=REFUSED[text]):
        parse_class(f"conditions({text}; at most 1)")


@pytest.mark.parametrize("name", NAMES)
def test_any_name_is_written_so_that_it_is_read(name: str) -> None:
    for column in (
        Cells(("0", "5", "10"), name),
        Cells(("1", "7.5"), name),
        Listed(("a, b", "'"), name),
    ):
        H = parse_class(f"conditions({mixed_text(column)}; at most 1)")
        assert H.domain == Product((column,))
        assert parse_class(str(H)) == H
    for opened in (Strings(name), Codes(name)):
        H = parse_class(f"conditions({mixed_text(opened)}, y in {{a}}; at most 1)")
        assert H.domain == Product((opened, Listed(("a",), "y")))
        assert parse_class(str(H)) == H


def test_names_that_only_look_a_little_like_a_range_are_names() -> None:
    for name in (
        "weight [kg]",
        "age 0-4",
        "length in cm",
        "Income....",
        "45 to 54 years",
        "step 2",
    ):
        assert parse_mixed(name) == Strings(name)


@pytest.mark.deep
def test_random_grids_are_written_so_that_they_are_read() -> None:
    rng = random.Random(4)
    for _ in range(300):
        step = rng.choice(["1", "0.25", "3", "1e2", "0.001"])
        low = int(rng.randrange(-50, 50) * float(step) * 1000) / 1000
        high = low + rng.randrange(1, 30) * float(step)
        text = f"x: {round(low, 6)}..{round(high, 6)} step {step}"
        column = parse_mixed(text)
        assert isinstance(column, Cells)
        assert len({Fraction(b) - Fraction(a) for a, b in pairwise(column.starts)}) == 1
        assert parse_mixed(mixed_text(column)) == column
        logs = parse_mixed(
            f"x: {rng.randrange(1, 9)}..{rng.randrange(10, 9999)} in {rng.randrange(1, 40)} log steps"
        )
        assert parse_mixed(mixed_text(logs)) == logs


def test_columns_are_named_once() -> None:
    with pytest.raises(DeclarationError, match="named twice"):
        parse_class("trees(x at {0, 5}, x in {a}; depth 1)")


@pytest.mark.parametrize(
    "text",
    [
        "conditions(x: 0..3000, y: 0..2500, z: 0..9; at most 2)",
        "conditions(x: 0..800, y: 0..20, z: 0..9; at most 4, between)",
        "trees(x: 0..4000, y: 0..2000; depth 1)",
        "rule_list(x: 0..3000, y: 0..2500; at most 2 rules of 2)",
        "rule_sets(x: 0..3000, y: 0..2500; at most 2 rules of 2)",
        "conditions(x: 0..450; at most 1, between)",
    ],
)
def test_too_many_candidates_name_the_widest_column(text: str) -> None:
    with pytest.raises(TooLargeError, match="coarsen 'x'"):
        parse_class(text)


LEFT_OUT = [
    "conditions(x at {0, 5}; at most 2)",
    "trees(x at {0, 5}; depth 2)",
    "rule_list(x at {0, 5}; at most 2)",
]


@pytest.mark.parametrize("text", LEFT_OUT)
def test_what_a_text_leaves_out(text: str) -> None:
    columns, _ = text.split(";")
    assert str(parse_class(f"{columns})")) == text


def test_so_many_candidates_are_allowed_and_no_more() -> None:
    table = Product((Cells(("0", "5"), "x"),))
    require_candidates(5, 5, table, "rules")
    with pytest.raises(TooLargeError, match="6 candidates, more than 5"):
        require_candidates(6, 5, table, "rules")


def test_many_cells_are_refused_although_there_are_few_rules() -> None:
    """Each list of one value has three cells and two conditions."""
    lists = [f"c{j} in {{a}}" for j in range(49)]
    assert parse_class(f"conditions({', '.join(lists[:48])}; at most 4)").labels == 2
    with pytest.raises(TooLargeError, match="so many cells"):
        parse_class(f"conditions({', '.join(lists)}; at most 4)")


def test_long_lists_have_a_limit_together() -> None:
    values = tuple(f"v{i}" for i in range(4096))
    table = Product((Listed(values[1:], "x"), Listed(values, "y")))
    with pytest.raises(TooLargeError, match="coarsen 'y'"):
        Conditions(table, None, 1)


def test_several_labels_have_limits_of_their_own() -> None:
    text = "rule_list(x: 0..600, y: 0..600; at most 2 rules of 2)"
    assert parse_class(text).labels == 2
    with pytest.raises(TooLargeError, match="so many scores"):
        parse_class(text, labels=30)
    wide: Any = parse_class("trees(x: 0..2499, y: 0..2499; depth 2)")
    assert split_count(wide.domain) == 5_000
    with pytest.raises(TooLargeError, match="so many scores"):
        parse_class("trees(x: 0..1999, y: 0..1999, z: 0..1999; depth 2)")
    assert parse_class("trees(x: 0..2000; depth 1)").labels == 2
    with pytest.raises(TooLargeError, match="so many scores"):
        parse_class("trees(x: 0..2000; depth 1)", labels=6)


def test_points_of_raw_values() -> None:
    """What is missing, unreadable, out of range, or not on the list, has its point too."""
    x = Cells(("0", "18", "65"), "x")
    raw: list[Any] = [-(10**9), -0.5, 0, "17.9", 18, 64.999, "65", 1e300, float("inf"), "1e400"]
    assert [x.encode(v) for v in raw] == ["0", "0", "0", "0", "18", "18", "65", "65", "65", "65"]
    assert x.encode(-float("inf")) == "0"
    missing: list[Any] = [None, "", "n/a", float("nan"), [], object()]
    assert {x.encode(v) for v in missing} == {""}
    s = Listed(("F", "M"), "s")
    given: list[Any] = ["F", "f", "(other)", None, ""]
    assert [s.encode(v) for v in given] == [
        "F",
        "(other)",
        "(other)",
        "",
        "",
    ]
    assert all(v in s for v in map(s.encode, ("F", 3, [], object(), b"F", "\ud800")))
    codes = Codes("c")
    assert [codes.encode(v) for v in (7, "7.0", 7.9, -0.5, "x", None)] == [
        "7",
        "7",
        "7",
        "-1",
        "",
        "",
    ]
    assert codes.encode("1e500") == codes.encode(float("inf")) == ""
    assert all(codes.encode(v) in codes for v in (7, -3, "1e30", None))


def test_limits_of_a_column() -> None:
    values = tuple(map(str, range(4097)))
    assert Cells(values[:-1]).size == 4097
    assert Listed(values[:-1]).size == 4098
    for kind in (Cells, Listed):
        with pytest.raises(DeclarationError, match=r"4,097 .*, more than 4,096"):
            kind(values)
    with pytest.raises(DeclarationError, match="not in its usual form"):
        Cells(("0.50",))


def test_what_a_column_reads() -> None:
    """A value off a list has a point, and yet it is not one that the list reads."""
    asked = ("5", "F", "x", "", None)
    assert [Cells(("0",)).reads(v) for v in asked] == [True, False, False, False, False]
    assert [Listed(("F",)).reads(v) for v in asked] == [False, True, False, False, False]
    assert [Codes().reads(v) for v in asked] == [True, False, False, False, False]
    assert [Cells(("0",)).words(x) for x in ("0", "")] == ["0", "missing"]


def test_the_conditions_on_a_column() -> None:
    table = Product((Cells(("0", "5", "9"), "x"), Listed(("a", "b"), "s"), Strings("w")))

    def words(tests: Any) -> list[str]:
        return [test.words(table) for test in tests]

    cuts = ["x is missing", "x < 5", "x >= 5", "x < 9", "x >= 9"]
    assert words(conditions_on(table, 0)) == cuts
    assert words(conditions_on(table, 0, between=True)) == [*cuts, "5 <= x < 9"]
    assert words(splits_on(table, 0)) == ["x is missing", "x >= 5", "x >= 9"]
    assert words(conditions_on(table, 1)) == words(splits_on(table, 1))
    assert words(conditions_on(table, 1)) == ["s is missing", "s is a", "s is b"]
    assert conditions_on(table, 2) == []


@pytest.mark.parametrize("cut", ["1e31", "-1e31", "1e999999999", "1e-31", "0e999999999"])
def test_cuts_of_very_many_zeros_are_refused(cut: str) -> None:
    """Written without an exponent they would fill the memory."""
    with pytest.raises(DeclarationError, match=r"beyond 10\^30|increasing order"):
        parse_mixed(f"x at {{0, {cut}}}")
    with pytest.raises(DeclarationError, match=r"beyond 10\^30"):
        Cells((cut,))


def test_a_long_cut_is_not_rounded() -> None:
    cut = "0.1234567890123456789012345678901234567"
    with localcontext(prec=5):
        assert parse_mixed(f"x at {{{cut}}}") == Cells((cut,), "x")
