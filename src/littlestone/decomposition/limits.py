"""The declared p and d of a decomposition, and its limits."""

from __future__ import annotations

from typing import Any

from littlestone.classes import HypothesisClass
from littlestone.errors import DeclarationError


class TooLargeError(DeclarationError):
    """A decomposition needs more nodes or version spaces than it was allowed."""


def depth_parameter(H: HypothesisClass[Any], p: int, d: int | None, *, above: int = 0) -> int:
    """The d given, or the least legal one; `DeclarationError` unless p >= 1 and d >= LDim + above."""
    H.require_learnable()
    least = int(H.littlestone_dimension()) + above
    d = least if d is None else d
    if p < 1 or d < least:
        raise DeclarationError(
            f"decompose {H} with p = {p} and d = {d}",
            found=f"its Littlestone dimension is {least - above}",
            fix=f"give p >= 1 and d >= {least}",
        )
    return d
