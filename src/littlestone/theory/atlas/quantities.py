"""What the atlas knows about a class: numbers that no renaming changes, one a name."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from littlestone.classes import FiniteClass
from littlestone.dimension import (
    Family,
    LabelTable,
    dual_littlestone_dimension,
    dual_vc_dimension,
    multiclass_littlestone_dimension,
    psi_b,
    psi_bin,
    psi_g,
    psi_littlestone_dimension,
    psi_n,
    star_number,
    teaching_dimension,
    threshold_dimension,
    vc_dimension,
)
from littlestone.theory.decomposition import decomposition_dimension

PAIRINGS = 4  # points that can be taken as two points of two bits each
DECOMPOSED = (1, 2, 3)  # the p of decomposition dimensions


@dataclass(frozen=True)
class Quantity:
    """A number of a 0/1 table, with a name for queries and columns.

    With n points and r rows it is at most ``most(n, r)``.  One more row never lowers it if it
    ``grows``, and adds at most 1 if it also ``steps``.  All three let a search leave out classes.
    """

    name: str
    words: str
    of: Callable[[LabelTable], int]
    most: Callable[[int, int], int] | None = None
    grows: bool = False
    steps: bool = False


def _log(number: int) -> int:
    return number.bit_length() - 1


def _rows(points: int, rows: int) -> int:
    return min(1 << points, rows)


def _shattered(points: int, rows: int) -> int:
    return min(points, _log(rows))


def _dual(points: int, rows: int) -> int:
    return min(_log(points), rows)


def _star(points: int, rows: int) -> int:
    return min(points, rows - 1)


def _threshold(table: LabelTable) -> int:
    """The larger one of both ways to call the labels: the diagonal of a half-graph has ones only."""
    exchanged = LabelTable(1 - table.values, 2, table.points, table.hypotheses)
    return max(threshold_dimension(table), threshold_dimension(exchanged))


def _decomposed(p: int) -> Callable[[LabelTable], int]:
    return lambda table: decomposition_dimension(FiniteClass.from_table(table), p)


_ALL = (
    Quantity("rows", "hypotheses", lambda table: table.size, _rows, True, True),
    Quantity("points", "points", lambda table: len(table.points), lambda points, rows: points),
    Quantity("ldim", "Littlestone dimension", multiclass_littlestone_dimension, _shattered, True, True),
    Quantity("vc", "VC dimension", vc_dimension, _shattered, True, True),
    Quantity("dual_ldim", "dual Littlestone dimension", dual_littlestone_dimension,
             _dual, True, True),
    Quantity("dual_vc", "dual VC dimension", dual_vc_dimension, _dual, True, True),
    Quantity("threshold", "threshold dimension", _threshold, min, True, True),
    Quantity("teaching", "teaching dimension", teaching_dimension, _star, True),
    Quantity("star", "star number", star_number, _star, True),
    *(
        Quantity(f"ddim{p}", f"decomposition dimension for p = {p}", _decomposed(p))
        for p in DECOMPOSED
    ),
)  # fmt: skip

QUANTITIES = {quantity.name: quantity for quantity in _ALL}
"""Each quantity by its name, in the order of the columns."""

_PSI: dict[str, Family] = {"psi_n": psi_n, "psi_bin": psi_bin, "psi_b": psi_b, "psi_g": psi_g}


def pairings(table: LabelTable) -> list[LabelTable]:
    """A class over four points as three classes over two points of two bits each.

    The first point goes with the second, with the third, or with the fourth.
    """
    a, b, c, d = table.values.T
    pairs = (((a, b), (c, d)), ((a, c), (b, d)), ((a, d), (b, c)))
    columns = [np.stack([2 * high + low for high, low in pairing], 1) for pairing in pairs]
    return [LabelTable.of(values, labels=4) for values in columns]


def paired(table: LabelTable) -> dict[str, list[int]]:
    """Psi-Littlestone dimensions of the `pairings` of a class over four points.

    The lists are sorted, because a renaming may exchange the pairings.

    >>> paired(LabelTable.of([[0, 0, 0, 0], [1, 1, 1, 1]]))
    {'psi_n': [1, 1, 1], 'psi_bin': [1, 1, 1], 'psi_b': [1, 1, 1], 'psi_g': [1, 1, 1]}
    """
    classes = pairings(table)
    return {
        name: sorted(psi_littlestone_dimension(H, psi) for H in classes)
        for name, psi in _PSI.items()
    }
