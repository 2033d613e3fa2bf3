"""Rows as numbers between 0 and 1, by the same declarations: for classifiers that take numbers."""

from __future__ import annotations

from math import sqrt

import numpy as np
from numpy.typing import NDArray

from benchmarks.ordinary_tables.task import Task
from littlestone.classes.text.mixed_columns import parse_mixed
from littlestone.points import Cells, Listed, number


def numbers(task: Task) -> NDArray[np.float64]:
    """A row of numbers for each row of the table.

    A number is clipped to the declared range, which becomes [0, 1]; a missing one is at the low end.
    A list becomes one column of 0 and 1 for each declared value.
    """
    parts = []
    for text in task.declared:
        column = parse_mixed(text)
        values = task.table[column.name]
        if isinstance(column, Cells):
            low, high = float(column.starts[0]), float(column.starts[-1])
            read = [number(value) for value in values]
            exact = np.array([low if v is None else float(v) for v in read])
            parts.append((np.clip(exact, low, high) - low)[:, None] / (high - low))
        elif isinstance(column, Listed):
            shown = np.array([column.encode(value) for value in values])
            parts.append((shown[:, None] == np.array(column.values)).astype(np.float64))
    return np.hstack(parts)


def mixed(task: Task) -> tuple[NDArray[np.float64], list[int]]:
    """A row for each row of the table with a number a column, and the number of values of each list.

    A number is in [0, 1] as in `numbers`.  Of a list it is the place of the value, with the missing
    one and the others in front.  A column of numbers has 0 values.
    """
    parts, values = [], []
    for text in task.declared:
        column = parse_mixed(text)
        given = task.table[column.name]
        if isinstance(column, Cells):
            low, high = float(column.starts[0]), float(column.starts[-1])
            read = [number(value) for value in given]
            exact = np.array([low if v is None else float(v) for v in read])
            parts.append((np.clip(exact, low, high) - low) / (high - low))
            values.append(0)
        elif isinstance(column, Listed):
            parts.append(np.array([float(column.index(column.encode(v))) for v in given]))
            values.append(column.size)
    return np.stack(parts, axis=1), values


def codes(task: Task) -> tuple[NDArray[np.int64], list[int]]:
    """The cell of each row in each column, and the number of cells of each column.

    A number is in one of at most 17 cells of its range, or in the first one if it is missing.
    """
    parts, sizes = [], []
    for text in task.declared:
        column = parse_mixed(text)
        if not isinstance(column, Cells | Listed):
            continue
        found = np.array([column.index(column.encode(value)) for value in task.table[column.name]])
        size, steps = column.size, len(column.points) - 2
        if isinstance(column, Cells) and steps > 16:
            merged = np.minimum(np.arange(steps + 1) * 16 // steps, 15)
            found, size = np.concatenate([[0], 1 + merged])[found], 17
        parts.append(found)
        sizes.append(size)
    return np.stack(parts, axis=1), sizes


def norm(task: Task) -> float:
    """The largest Euclidean norm of a row: a declared column adds at most 1 to its square."""
    return sqrt(len(task.declared))
