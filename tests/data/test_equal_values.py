"""Values that are equal and look different: no record decides which of them another one is read as."""

from __future__ import annotations

from decimal import Decimal
from itertools import permutations

import numpy as np
import pytest

from littlestone.data.coding import CodedColumn, Numbering, code_column, tuples
from littlestone.points import text
from planting import Fault, turns_red

CODING = "littlestone.data.coding"
ALIKE: list[object] = [1, True, 1.0, "1", None, Decimal("1.0"), (1,), (True,)]


def test_a_column_keeps_every_value_as_it_is() -> None:
    for values in permutations(ALIKE[:5], 3):
        given = [*values, *values[::-1]]
        assert [*map(repr, code_column(given).to_list())] == [*map(repr, given)]


def test_a_batch_keeps_every_value_as_it_is() -> None:
    """Whatever an earlier batch held, and whether a batch has one type of values or several."""
    for values in permutations(ALIKE, 3):
        one, other, third = values
        for batches in (
            [[one], [other], [third]],
            [[one, other], [third]],
            [[one], [other, third]],
        ):
            number = Numbering(repr)
            found = [
                number.values[i] for batch in batches for i in number(code_column(batch)).tolist()
            ]
            assert found == list(map(repr, values))


def test_batches_of_whole_numbers_keep_theirs() -> None:
    number, codes = Numbering(repr), np.array([0, 2, 1])
    found = [
        number.values[i]
        for first in (0, 7, 0)
        for i in number(CodedColumn(range(first, first + 3), codes))
    ]
    assert found == ["0", "2", "1", "7", "9", "8", "0", "2", "1"]


def test_rows_of_wide_columns_are_told_apart() -> None:
    """The sizes of two or three columns multiply to 2^63 and far beyond."""
    for sizes in ([3 * 2**30, 2**33], [2**32, 2**33], [2**40, 2**30, 2**40]):
        ends = [np.array([0, size // 3, size // 3 * 2, size - 1]) for size in sizes]
        columns = [found.ravel() for found in np.meshgrid(*ends)]
        rows, number = tuples(columns, sizes)
        assert len(rows[0]) == 4 ** len(sizes) == len(set(number.tolist()))
        for row, column in zip(rows, columns, strict=True):
            assert row[number].tolist() == column.tolist()


def test_a_whole_number_has_one_text_as_an_integer_and_as_a_float() -> None:
    """One missing value turns a whole column of numbers into floats: up to 2^53 no text may change."""
    for number in {2**k + i for k in range(1, 53) for i in (-1, 0, 1)} - {2**53}:
        assert text(number) == text(float(number)) == text(np.float64(number)), number


FAULTS = {
    Fault(
        f"{CODING}:code_column",
        "if len(types - {_NOTHING}) <= 1",
        "if True",
        "1 and True are one value",
    ): test_a_column_keeps_every_value_as_it_is,
    Fault(
        f"{CODING}:code_column",
        "if len(types - {_NOTHING}) <= 1",
        "if len(types - {_NOTHING, id(float)}) <= 1",
        "1 and 1.0 are one value",
    ): test_a_column_keeps_every_value_as_it_is,
    Fault(
        f"{CODING}:code_column",
        "if not types <= PLAIN",
        "if (id(bool) in types) and not types <= PLAIN",
        "(1,) and (True,) are one value",
    ): test_a_batch_keeps_every_value_as_it_is,
    Fault(
        f"{CODING}:Numbering._of",
        "self._known[types.pop() if types else _NOTHING]",
        "self._known[_NOTHING]",
        "1 of a later batch is True of an earlier one",
    ): test_a_batch_keeps_every_value_as_it_is,
    Fault(
        f"{CODING}:Numbering._code_of",
        "self._known[id(type(value))]\n",
        "self._known[_NOTHING]\n",
        "1 of a later record is True of an earlier one",
    ): test_a_batch_keeps_every_value_as_it_is,
    Fault(
        f"{CODING}:Numbering.__call__",
        "column.values != values",
        "len(column.values) != len(values)",
        "ranges of one length are one range",
    ): test_batches_of_whole_numbers_keep_theirs,
    Fault(
        f"{CODING}:_key",
        "2**63",
        "2**65",
        "the number of a row overflows",
    ): test_rows_of_wide_columns_are_told_apart,
    Fault(
        "littlestone.points.base:text",
        "abs(built_in) < 2**53",
        "abs(built_in) < 2**31",
        "a large number has another text beside a missing one",
    ): test_a_whole_number_has_one_text_as_an_integer_and_as_a_float,
}


@pytest.mark.deep
@pytest.mark.parametrize("fault", FAULTS, ids=lambda fault: fault.mistake)
def test_each_fault_turns_red(fault: Fault, monkeypatch: pytest.MonkeyPatch) -> None:
    turns_red(fault, FAULTS[fault], monkeypatch)
