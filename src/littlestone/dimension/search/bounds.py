"""The result of a solve: bounds on the dimension and their proofs."""

from __future__ import annotations

from dataclasses import dataclass

from littlestone.base.errors import LittlestoneError
from littlestone.dimension.tree import MistakeTree


@dataclass(frozen=True)
class Bounds:
    """lower <= LDim <= upper; equal unless the solve was interrupted.

    ``tree`` is shattered and has depth ``lower``.  The solve was interrupted by Ctrl+C, or by the time
    limit (``timed_out``).
    """

    lower: int
    upper: int
    tree: MistakeTree
    interrupted: bool = False
    timed_out: bool = False

    @property
    def dimension(self) -> int:
        """The Littlestone dimension; `UnsettledError` if the bounds still differ."""
        if self.lower < self.upper:
            raise UnsettledError(self)
        return self.lower


class UnsettledError(LittlestoneError):
    """The dimension was asked for where only bounds are known; they are in ``bounds``."""

    def __init__(self, bounds: Bounds) -> None:
        super().__init__(
            "tell the Littlestone dimension",
            found=f"it is between {bounds.lower} and {bounds.upper}; the solve was interrupted",
            fix="allow more time, or use the bounds",
        )
        self.bounds = bounds

    def __reduce__(self) -> tuple[object, ...]:
        return (type(self), (self.bounds,))


class InterruptedSolve(KeyboardInterrupt):
    """Ctrl+C during a solve that was to return a number; ``bounds`` is what was known by then."""

    def __init__(self, bounds: Bounds) -> None:
        super().__init__(f"the Littlestone dimension is between {bounds.lower} and {bounds.upper}")
        self.bounds = bounds
