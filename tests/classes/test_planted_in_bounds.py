"""Faults planted in the bounds of declared classes: each makes a check of an answer fail."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from littlestone.classes import EqualityRules, combined, decision_lists, parse_class
from littlestone.classes.combined import Combined, ScoredPairs
from littlestone.classes.decision_lists import CountedLists
from littlestone.classes.dimensions import closed_forms
from littlestone.classes.dimensions.closed_forms import find_dimension
from littlestone.classes.promises.tabled import bits
from littlestone.dimension import littlestone_bounds, littlestone_dimension
from littlestone.dimension.tables import PackedTable, SearchTable
from planting import Fault, forget, plant


def lists_of_three_blocks_grow_by_two_a_column(monkeypatch: pytest.MonkeyPatch) -> None:
    """Theorem 3, whose lists on three columns are searched here in place of six."""
    monkeypatch.setattr(decision_lists, "MOST", 2)
    for more in (1, 2):
        search = CountedLists(bits("abcde"[: 3 + more]), "").search_table()
        assert littlestone_dimension(search.table) == closed_forms.LISTS[3]
        assert (search.gain, search.whole) == (2 * more, False)


def a_sample_of_pairs_bounds_from_below_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(combined, "MOST_ENTRIES", 10)
    F: Any = parse_class("intervals(x, 0..4)")
    found = find_dimension(ScoredPairs(F.domain, "or", F, F), littlestone_bounds)
    wanted = Combined.combine("or", F, F).littlestone_dimension()
    assert found.lower <= wanted <= found.upper


def a_search_counts_with_its_gain(monkeypatch: pytest.MonkeyPatch) -> None:
    """Also one that was stopped before its bounds were closer than those that were known."""
    cube = PackedTable.pack(np.arange(8)[:, None] >> np.arange(3) & 1)
    search = SearchTable(cube, (4, 7), gain=2)
    H: Any = SimpleNamespace(search_table=lambda: search, bound_reasons=lambda: ("a", "b"))
    found = find_dimension(H, littlestone_bounds)
    assert (found.lower, found.upper) == (5, 5)
    stopped = find_dimension(H, lambda table: replace(littlestone_bounds(table), upper=6))
    assert (stopped.lower, stopped.upper, stopped.upper_reason) == (5, 7, "b")


def a_negative_example_refutes_the_empty_rule(monkeypatch: pytest.MonkeyPatch) -> None:
    H = EqualityRules.over_columns(*(f"c{j}" for j in range(15)), max_literals=1)
    assert H.littlestone_bounds() == (5, 5)
    assert H.restrict(("v",) * 15, 0).littlestone_bounds() == (4, 4)


Check = Callable[[pytest.MonkeyPatch], None]

_C = "littlestone.classes."
FAULTS: list[tuple[Check, Fault]] = [
    (
        lists_of_three_blocks_grow_by_two_a_column,
        Fault(
            f"{_C}decision_lists:CountedLists.search_table",
            "2 * more",
            "3 * more",
            "three a column",
        ),
    ),
    (
        lists_of_three_blocks_grow_by_two_a_column,
        Fault(
            f"{_C}decision_lists:CountedLists.search_table",
            "rows[~_of_two_blocks(rows)]",
            "rows",
            "lists of two blocks are kept",
        ),
    ),
    (
        a_sample_of_pairs_bounds_from_below_alone,
        Fault(
            f"{_C}combined:ScoredPairs.search_table",
            "whole=False",
            "whole=True",
            "a sample is whole",
        ),
    ),
    (
        a_search_counts_with_its_gain,
        Fault(
            f"{_C}dimensions.closed_forms:find_dimension",
            "found.lower + search.gain > lower",
            "found.lower > lower",
            "the lower bound is compared without its gain",
        ),
    ),
    (
        a_search_counts_with_its_gain,
        Fault(
            f"{_C}dimensions.closed_forms:find_dimension",
            "found.upper + search.gain < upper",
            "found.upper < upper",
            "the upper bound is compared without its gain",
        ),
    ),
    (
        a_negative_example_refutes_the_empty_rule,
        Fault(
            f"{_C}rules:EqualityRules.littlestone_bounds",
            "- 1 + empty",
            "",
            "the empty rule is counted above",
        ),
    ),
    (
        a_negative_example_refutes_the_empty_rule,
        Fault(
            f"{_C}rules:EqualityRules.littlestone_bounds",
            "empty=empty",
            "empty=True",
            "the empty rule is counted below",
        ),
    ),
]


@pytest.mark.parametrize("check", dict.fromkeys(check for check, _ in FAULTS))
def test_without_a_fault(check: Check, monkeypatch: pytest.MonkeyPatch) -> None:
    check(monkeypatch)


@pytest.mark.deep
@pytest.mark.parametrize(("check", "fault"), FAULTS, ids=lambda x: getattr(x, "mistake", ""))
def test_a_fault_is_found(check: Check, fault: Fault, monkeypatch: pytest.MonkeyPatch) -> None:
    plant(fault, monkeypatch)
    try:
        with pytest.raises(AssertionError):
            check(monkeypatch)
    finally:
        monkeypatch.undo()
        forget()
