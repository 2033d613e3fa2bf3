"""The y of estimators: type and shape are public, and reading a value never fails."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import narwhals as nw
import numpy as np

from littlestone.base.errors import DeclarationError
from littlestone.data import Label, plain_values
from littlestone.data.frames import column_table
from littlestone.points import number


def target_values(y: Any, label: Label) -> list[Any]:
    """The labels in y (an array, column or list): one for each record, with any value.

    Raises `DeclarationError` for another type or shape, and if the declared type is numeric but the
    positive label is not a number.  Raises `TableError` for a column of neither numbers nor texts.

    >>> import numpy as np
    >>> target_values(np.array(["well", "sick"]), Label.parse("y", "sick"))
    ['well', 'sick']
    """
    if y is None:
        raise DeclarationError(
            "learn from records alone",
            found="it requires y to be passed, but the target y is None",
            fix="give one label for each record",
        )
    column = None if nw.dependencies.is_into_dataframe(y) else column_table(y)
    if column is None and not hasattr(y, "shape") and hasattr(y, "__array__"):
        y = np.asarray(y)
    shape = tuple(getattr(y, "shape", (0,)))
    if len(shape) != 1:
        _refuse("another shape than (n,)", f"it has shape {shape}")
    listed = isinstance(y, Sequence) and not isinstance(y, str | bytes | bytearray)
    if column is None and not listed and not hasattr(y, "shape"):
        _refuse(f"type {type(y).__name__}", "it is not an array, column or list")
    if column is not None:
        numbers = column.holds_numbers("values")
    else:
        numbers = isinstance(y, np.ndarray) and y.dtype.kind in "biuf"
    declared = [*label.condition.values] if label.condition else list(label.names)
    if numbers and all(number(value) is None for value in declared):
        raise DeclarationError(
            f"find the label {', '.join(map(repr, declared))} in y",
            found="the declared type of y is one of numbers, and no number is such a label",
            fix="give the labels themselves. An ensemble that numbers them first does so by which of "
            "them occur, which no budget covers",
        )
    return plain_values(y)


def _refuse(asked: str, found: str) -> None:
    raise DeclarationError(
        f"learn from a y of {asked}",
        found=found,
        fix="give an array, a column or a list with one label for each record, such as y.ravel() or "
        "frame['label']",
    )
