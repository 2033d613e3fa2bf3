"""Numbers as people declare them, and as they are printed."""

from __future__ import annotations

import re
from decimal import Decimal
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from littlestone.base.errors import DeclarationError
from littlestone.privacy.cost import decimal_text, exact, exact_delta, exact_epsilon


class Hostile:
    """Whose own code raises wherever it is asked."""

    def __str__(self) -> str:
        raise RuntimeError("a record")

    __repr__ = __int__ = __bool__ = __float__ = __str__


@pytest.mark.parametrize(
    "value",
    [
        Hostile(), True, None, "", "nan", "inf", "1/0", "1e", "one", "1" * 500, [1], 10**5000,
        Fraction(1, 10**100 + 1), Fraction(1, 3**9000), Fraction(10**5000), "1e-101", 10**101,
        -(10**101), Fraction(-(10**5000)), Decimal("1e-101"), f"1/{10**100 + 1}", float("1e-101"),
    ],
    ids=lambda value: type(value).__name__,
)  # fmt: skip
def test_what_is_no_number_or_too_long_is_refused_in_one_way(value: object) -> None:
    for read in (lambda v: exact(v, what="epsilon"), exact_epsilon, exact_delta):
        with pytest.raises(DeclarationError) as caught:
            read(value)
        assert len(str(caught.value)) < 400
        assert "a record" not in str(caught.value)


def test_the_example_of_a_delta_is_small() -> None:
    for what, shown in (("epsilon", "0.5"), ("delta", "1e-6")):
        for value in ("one", 10**101):
            with pytest.raises(DeclarationError, match=f"such as {shown}$"):
                exact(value, what=what)


@pytest.mark.parametrize("value", [-1, 1001, "1e-10", Fraction(1, 3**200)])
def test_an_epsilon_of_no_use_is_refused(value: object) -> None:
    with pytest.raises(DeclarationError):
        exact_epsilon(value)


def test_the_longest_numbers_are_taken() -> None:
    assert exact("1e-100", what="delta") == Fraction(1, 10**100)
    assert exact(f"{10**100}/{10**100 - 1}", what="delta") == Fraction(10**100, 10**100 - 1)


@given(st.fractions())
def test_a_printed_number_reads_back(value: Fraction) -> None:
    assert Fraction(decimal_text(value)) == value


def test_numbers_of_any_length_are_printed() -> None:
    assert decimal_text(Fraction(10**6000, 3)) == f"1{'0' * 6000}/3"
    assert decimal_text(Fraction(-1, 3**20000)).startswith("-1/")
    assert decimal_text(Fraction(1, 10**6000)) == "1e-6000"
    assert re.fullmatch(r"7\.[0-9]{3493}5e-1506", decimal_text(Fraction(1, 2**5000)))


def test_tiny_numbers_are_printed_with_an_exponent() -> None:
    for text in ("1e-13", "2.5e-13", "-9.87e-20", "0.000000000001", "0.0000000000025", "0"):
        assert decimal_text(exact(text, what="a number")) == text
