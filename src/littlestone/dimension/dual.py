"""Dimensions of the dual class: points as functions of the hypotheses."""

from __future__ import annotations

from typing import Any

from littlestone.dimension.multiclass import multiclass_littlestone_dimension
from littlestone.dimension.tables.label_table import binary
from littlestone.dimension.vc import vc_dimension


def dual_vc_dimension(table: Any) -> int:
    """VC*(H), the VC dimension of the transposed 0/1 table; VC* < 2^(VC + 1) (Ass83).

    Raises `DeclarationError` as `vc_dimension`.

    >>> dual_vc_dimension([[0, 0, 1, 1], [0, 1, 0, 1]])
    2
    """
    return vc_dimension(binary(table, "take the dual VC dimension").transposed())


def dual_littlestone_dimension(table: Any) -> int:
    """LDim*(H), the Littlestone dimension of the transposed 0/1 table.

    Raises `DeclarationError` for a table with other labels.

    >>> dual_littlestone_dimension([[0, 0, 0], [0, 0, 1], [0, 1, 1]])
    1
    """
    H = binary(table, "take the dual Littlestone dimension")
    return multiclass_littlestone_dimension(H.transposed())
