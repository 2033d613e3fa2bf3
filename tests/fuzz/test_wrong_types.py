"""The front door with values of wrong types, and declarations and files at their limits."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import front
import pandas
import pytest

from littlestone import (
    EqualityRules,
    Ledger,
    Points,
    Subsets,
    open_table,
    parse_class,
    plan,
    subgroup,
)
from littlestone.base.errors import DeclarationError, TooLargeError


@pytest.mark.parametrize("start", [0, 100_000])
def test_random_calls_are_answered_or_refused_by_name(start: int) -> None:
    assert not front.faults(start, 1500)


def test_a_list_of_records_is_not_quoted_as_classes() -> None:
    table = pandas.DataFrame({"x": [1], "y": [0]})
    asks: tuple[Callable[[], Any], ...] = (
        lambda: plan([front.SECRET], epsilon=1),
        lambda: subgroup(
            table, "y", positive=1, hypotheses=[front.SECRET], above=0.5, epsilon=1,
            ledger=Ledger(), dataset="d",
        ),
    )  # fmt: skip
    for ask in asks:
        with pytest.raises(DeclarationError) as error:
            ask()
        assert front.SECRET not in str(error.value)


@pytest.mark.parametrize("table", [pandas.DataFrame({"x": [1]}), 1, b"t", ["t"]])
def test_a_table_of_a_database_has_a_name(table: Any) -> None:
    with pytest.raises(DeclarationError, match="it is not a name"):
        open_table("sqlite:///no.db", table)


@pytest.mark.parametrize("make", [Points, lambda x: Subsets(x, 2), lambda x: EqualityRules(x, 2)])
def test_no_record_is_quoted_where_a_domain_is_meant(make: Callable[[Any], Any]) -> None:
    column = pandas.Series([front.SECRET], name="x")
    for given in (column, column.to_frame(), [front.SECRET], {front.SECRET: 1}):
        with pytest.raises(DeclarationError) as error:
            make(given)
        assert front.SECRET not in str(error.value)


@pytest.mark.parametrize(
    ("text", "error"),
    [
        ("conditions(a: 0..1e28; at most 1)", TooLargeError),
        ("conditions(a: 0..1e30 step 1e-30; at most 1)", TooLargeError),
        ("conditions(a: 0..1 step 1e-30; at most 1)", TooLargeError),
        ("conditions(a: 0..1e28 step 3; at most 1)", TooLargeError),
        ("conditions(a: 0..1e-27 step 7e-31; at most 1)", DeclarationError),
    ],
)
def test_hostile_ranges_are_refused(text: str, error: type[Exception]) -> None:
    with pytest.raises(error):
        parse_class(text)


def test_tiny_steps_are_exact() -> None:
    tiny = parse_class("conditions(a: 1..1.000000000000000000000000000003 step 1e-30; at most 1)")
    starts = tiny.domain.columns[0].starts
    assert starts == ("1", *(f"1.{'0' * 29}{i}" for i in (1, 2, 3)))
