"""A random number that is chosen only as far as the code that reads it needs."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction

from littlestone.base.errors import DeclarationError

Choose = Callable[[Sequence[Fraction]], int]
"""Take one of the outcomes 0, 1, ... with these weights."""

_WIDEST = 2**12  # up to this many values of a number are tried one by one


@dataclass
class _UniformRange:
    """A uniform number is at least ``low`` and below ``high``; ``bits`` bits were appended to it."""

    low: int
    high: int
    bits: int = 0


class Secret:
    """A rising function of a uniform number that is chosen only as far as comparisons need.

    It replaces an int in code that shifts it, adds to it, multiplies it by whole numbers >= 0, appends
    fresh bits to it, and compares it.  Code that needs all of it, such as an index, makes a choice of
    all values that are still possible, at most 4,096 numbers.
    """

    def __init__(
        self, choose: Choose, known: _UniformRange, rule: Callable[[int], int] = lambda u: u
    ) -> None:
        self._choose, self._known, self._rule = choose, known, rule
        self._bits = known.bits  # the rule is of the number as it is now

    @classmethod
    def below(cls, size: int, choose: Choose) -> Secret:
        """A uniform number below ``size``."""
        return cls(choose, _UniformRange(0, size))

    def _then(self, rule: Callable[[int], int]) -> Secret:
        inner, bits = self._rule, self._known.bits - self._bits
        return Secret(self._choose, self._known, lambda u: rule(inner(u >> bits)))

    def _at(self, u: int) -> int:
        """The value, if the number is ``u``."""
        return self._rule(u >> (self._known.bits - self._bits))

    def __lt__(self, other: int) -> bool:
        known = self._known
        first, above = known.low, known.high  # the least number at which this reaches `other`
        # By halves, because the value rises with the number.
        while first < above:
            middle = (first + above) // 2
            first, above = (first, middle) if self._at(middle) >= other else (middle + 1, above)
        # All numbers that are left give one answer, so nothing is chosen.
        if first in (known.low, known.high):
            return first == known.high
        # The answer alone is chosen, with the share of numbers that give it.
        sizes = first - known.low, known.high - first
        if self._choose([Fraction(size, sum(sizes)) for size in sizes]):
            known.low = first
            return False
        known.high = first
        return True

    def __le__(self, other: int) -> bool:
        return self < other + 1

    def __ge__(self, other: int) -> bool:
        return not self < other

    def __gt__(self, other: int) -> bool:
        return not self <= other

    def __add__(self, other: int) -> Secret:
        return self._then(lambda value: value + other)

    __radd__ = __add__

    def __sub__(self, other: int) -> Secret:
        return self._then(lambda value: value - other)

    def __mul__(self, other: int) -> Secret:
        return self._then(lambda value: value * other)

    __rmul__ = __mul__

    def __lshift__(self, k: int) -> Secret:
        return self._then(lambda value: value << k)

    def __rshift__(self, k: int) -> Secret:
        return self._then(lambda value: value >> k)

    def __or__(self, fresh: Secret) -> Secret:
        """Replace the bits that a shift made 0 by those of ``fresh``, which nothing has read."""
        known, size = self._known, fresh._known.high
        k = size.bit_length() - 1
        known.low, known.high, known.bits = known.low << k, known.high << k, known.bits + k
        rule, bits = self._rule, known.bits - self._bits  # as they are now: more bits may come
        return Secret(self._choose, known, lambda u: rule(u >> bits) | u % size)

    def __index__(self) -> int:
        low, high = self._known.low, self._known.high
        width = high - low
        # Each value would be a run of its own.
        if width > _WIDEST:
            raise DeclarationError(
                "follow an algorithm along its choices",
                found=f"it reads all of a number with {width.bit_length()} bits",
                fix="compare the number, or draw a smaller one",
            )
        chosen = low + (self._choose([Fraction(1, width)] * width) if width > 1 else 0)
        self._known.low, self._known.high = chosen, chosen + 1
        return self._at(chosen)

    __int__ = __index__

    def __repr__(self) -> str:
        return repr(int(self))

    def __bool__(self) -> bool:
        return bool(int(self))

    def __eq__(self, other: object) -> bool:
        return int(self) == other

    def __hash__(self) -> int:
        return hash(int(self))
