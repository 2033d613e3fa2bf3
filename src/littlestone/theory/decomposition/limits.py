"""The declared p and d of a decomposition."""

from __future__ import annotations

from typing import Any

from littlestone.base.errors import DeclarationError, TooLargeError
from littlestone.classes import HypothesisClass
from littlestone.classes.text.limits import in_digits

MOST_ABOVE = 100_000
"""How far d may be above LDim: leaves are p 2^(d - LDim)-irreducible, and this number has that many
bits."""


def depth_parameter(H: HypothesisClass[Any], p: int, d: int | None, *, above: int = 0) -> int:
    """The d given, or the least legal one; `DeclarationError` unless p >= 1 and d >= LDim + above.

    Raises `TooLargeError` if d exceeds it by more than `MOST_ABOVE`.
    """
    H.require_learnable()
    least = int(H.littlestone_dimension()) + above
    d = least if d is None else d
    if type(p) is not int or type(d) is not int or p < 1 or d < least:
        raise DeclarationError(
            f"decompose {H} with p = {p} and d = {d}",
            found=f"its Littlestone dimension is {least - above}",
            fix=f"give whole numbers p >= 1 and d >= {least}",
        )
    if d > least + MOST_ABOVE:
        raise TooLargeError(
            f"decompose {H} with d = {in_digits(d)}",
            found=f"d may be {MOST_ABOVE:,} above the Littlestone dimension, {least - above}, at most",
            fix="give a smaller d, or none",
        )
    return d
