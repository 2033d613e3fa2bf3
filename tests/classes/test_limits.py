"""Texts that once crashed or hung: each is answered, or refused with its limit named."""

from __future__ import annotations

import subprocess
import sys
from decimal import Decimal
from itertools import product

import pytest

from littlestone.base.errors import DeclarationError, LittlestoneError, TooLargeError
from littlestone.base.work import answering
from littlestone.classes import Enumerable, Thresholds, parse_class
from littlestone.classes.text.spec import MOST_ARGUMENTS, MOST_CHARACTERS, MOST_DEPTH
from littlestone.points import Grid, Integers, Reals, number, scatter_points
from littlestone.theory.decomposition import decompose


def columns(n: int, form: str = "c{}") -> str:
    return ", ".join(form.format(j) for j in range(n))


def nested(word: str, inner: str, often: int) -> str:
    return f"{word}(" * often + inner + ")" * often


# Texts, and what the answer or the error holds.
TEXTS = {
    "subsets": ("subsets(x; at most 100000)", "100000"),
    "complements": (nested("complement", "points(a)", 400), "at most 16 are read"),
    "legal complements": (nested("complement", "thresholds(x, 0..6)", 15), "3"),
    "unions": (nested("union", "thresholds(x, 0..4)", 400), "at most 16 are read"),
    "parentheses": ("(" * 10_000, "not of the form"),
    "parities of 20": (f"parities({columns(20)})", "20"),
    "parities of 1000": (f"parities({columns(1000)})", "1000"),
    "parities of 1100": (f"parities({columns(1100)})", "1,100 arguments, at most 1,000"),
    "affine": (f"affine({columns(500)}; q 2, dimension 250)", "there may be 64"),
    "boxes": (f"boxes({columns(1000, 'c{} 0..2')})", "lies between 2000 and 2584"),
    "two-point boxes": (f"boxes({columns(1000, 'c{} 0..1')})", "dimension is 1001"),
    "stumps": (f"stumps({columns(1000, 'c{} 0..1')})", "the Littlestone dimension is 10"),
    "dots": ("boxes(a " + "." * 19_000 + " b)", "not a column with a finite range"),
    "spaces": ("boxes(" + "a  " * 6_000 + "0)", "not a column with a finite range"),
    "too long": ("points(" + "n" * 20_000 + ")", "20,008 characters, at most 20,000"),
    "endless": ("finite(x, /dev/zero)", "a folder or a device"),
    "folder": ("finite(x, /)", "a folder or a device"),
    "zeros": ("union(linear(a, b; q 65537, dimension 1), linear(a, b; q 65537, dimension 1))", ""),
}


@pytest.mark.parametrize("name", TEXTS)
def test_texts_are_answered_or_refused_by_name(name: str) -> None:
    text, wanted = TEXTS[name]
    try:
        found = str(parse_class(text).littlestone_dimension())
    except LittlestoneError as error:
        found = str(error)
    assert wanted in found


def test_a_name_may_hold_the_word_step_and_many_dots() -> None:
    H = parse_class("boxes(my step 0..5, a.b 0..1 step 0.5, 'c 0..9 d' 1..2)")
    names = ("my step", "a.b", "c 0..9 d")
    assert H.domain.column_names == names
    with pytest.raises(DeclarationError, match="not a column with a finite range"):
        parse_class("boxes(0..1)")


def test_a_limit_is_what_its_error_names() -> None:
    widest = f"parities({columns(MOST_ARGUMENTS)})"
    assert parse_class(widest).littlestone_dimension() == MOST_ARGUMENTS
    longest = "n" * (MOST_CHARACTERS - len("points()"))
    assert parse_class(f"points({longest})").domain.name == longest
    deepest = nested("direct_sum", "thresholds(x, 0..6)", MOST_DEPTH - 1)
    assert parse_class(deepest).littlestone_dimension() == 3
    with pytest.raises(TooLargeError, match="17 nested parentheses"):
        parse_class(f"direct_sum({deepest})")


def test_version_spaces_of_complements_are_described_once() -> None:
    H = parse_class(nested("complement", "thresholds(x, 0..6)", 15))
    V = H.restrict(3, 1)
    assert V.soa() == H.restrict(3, 1).soa()
    assert str(V).count("the complement of") == 15


def test_a_table_beyond_the_limit_of_its_kind_is_refused() -> None:
    with pytest.raises(TooLargeError, match="more than 16384 entries"):
        parse_class("combine(or, linear(a, b; q 31, dimension 1), linear(a, b; q 31, dimension 1))")


def test_tables_of_classes_are_those_of_their_hypotheses() -> None:
    for text in ("complement(thresholds(x, -2..3))", "boxes(a 0..2, b 0..1)", "parities(a, b)"):
        H = parse_class(text)
        assert isinstance(H, Enumerable)
        rows = [[H.hypothesis(i)(x) for x in H.domain] for i in range(H.size or 0)]
        assert H.table().tolist() == rows
    assert Thresholds.on(0, 3).restrict(1, 0).table().shape == (3, 4)


@pytest.mark.deep
def test_a_number_of_hypotheses_beyond_digits_is_printed() -> None:
    text = f"affine({columns(60)}; q {2**61 - 1}, dimension 30)"
    command = [sys.executable, "-m", "littlestone", "dim", text]
    run = subprocess.run(command, capture_output=True, text=True, timeout=120, check=False)
    assert run.returncode == 0, run.stderr
    assert "about 2^" in run.stdout


@pytest.mark.parametrize("sign", [1, -1])
def test_a_long_integer_is_beyond_every_range(sign: int) -> None:
    """Its decimal digits would take the square of their number."""
    long = sign * 10**10_000
    assert number(long) == Decimal("Infinity") * sign
    assert Grid(0, 9).encode(long) == (9 if sign > 0 else 0)
    assert Integers().encode(long) == 0
    assert Reals().encode(long) == 0
    assert number(sign * 10**400) == Decimal(sign * 10**400)


HARD = {
    "long lists of gaps": "intervals(id, -9223372036854775808..9223372036854775807)",
    "long equations": f"parities({columns(20)}; affine)",
}


@pytest.mark.parametrize("name", HARD)
def test_a_decomposition_counts_what_its_version_spaces_hold(name: str) -> None:
    """A step is some ten microseconds, so a long version space takes several."""
    with pytest.raises(TooLargeError, match="limited number of steps"), answering():
        decompose(parse_class(HARD[name]), 1)


@pytest.mark.parametrize(
    "text",
    [
        "polynomial_zeros(a, b, c, d; q 2147483647, degree 5)",
        "polynomial_zeros(a, b; q 65537, degree 14)",
    ],
)
def test_few_points_span_all_polynomials(text: str) -> None:
    with answering(50_000):
        assert parse_class(text).littlestone_dimension() > 100


@pytest.mark.parametrize(("q", "n"), [(3, 1), (3, 3), (4, 2), (5, 3), (2, 7)])
@pytest.mark.parametrize("first", [0, 5])
def test_scattered_points_are_all_points_once(q: int, n: int, first: int) -> None:
    found = list(scatter_points(q, n, first))
    assert sorted(found) == sorted(product(range(q), repeat=n))


def test_a_grid_has_at_most_2_to_the_64_points_and_ends_there() -> None:
    for low in (0, 1, -(2**63), -(2**64)):
        assert Grid(low, low + 2**64 - 1).size == 2**64
        with pytest.raises(DeclarationError, match="more than 2\\^64 points"):
            Grid(low, low + 2**64)
    for low in (2, -(2**64) - 1):
        with pytest.raises(DeclarationError, match="ends beyond"):
            Grid(low, low + 2**64 - 1)
