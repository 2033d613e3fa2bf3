"""The exact law of a randomized function: its own code, run along every outcome of its choices.

A random number is chosen only as far as the code that reads it needs.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise
from typing import Any, Self, TypeVar

from littlestone.base.errors import DeclarationError
from littlestone.privacy.randomness import Choose

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
    all values that are still possible, at most 4,096.
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

    def _first(self, value: int) -> int:
        """The least possible number at which this reaches ``value``, or the end of the range."""
        first, above = self._known.low, self._known.high
        # By halves, because the value rises with the number.
        while first < above:
            middle = (first + above) // 2
            first, above = (first, middle) if self._at(middle) >= value else (middle + 1, above)
        return first

    def __lt__(self, other: int) -> bool:
        known, first = self._known, self._first(other)
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

    def __floordiv__(self, other: int) -> Secret:
        return self._then(lambda value: value // other)

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
        known = self._known
        least, most = self._at(known.low), self._at(known.high - 1)
        # Each value would be a run of its own.
        if most - least > _WIDEST:
            raise DeclarationError(
                "follow an algorithm along its choices",
                found=f"it reads all of a number with {(most - least).bit_length()} bits",
                fix="compare the number, or draw a smaller one",
            )
        firsts = [*map(self._first, range(least, most + 1)), known.high]
        sizes = [above - first for first, above in pairwise(firsts)]
        chosen = 0
        if len(sizes) > 1:
            chosen = self._choose([Fraction(size, known.high - known.low) for size in sizes])
        known.low, known.high = firsts[chosen], firsts[chosen + 1]
        return least + chosen

    __int__ = __index__

    def __repr__(self) -> str:
        return repr(int(self))

    def __bool__(self) -> bool:
        return bool(int(self))

    def __eq__(self, other: object) -> bool:
        return int(self) == other

    def __hash__(self) -> int:
        return hash(int(self))


Output = TypeVar("Output", bound=Hashable)

_FEW = 2**8  # up to this many values of a number are tried one by one


class Choices:
    """Run a function repeatedly, with other outcomes of `choose` each time.

    >>> choices = Choices()
    >>> coin = [Fraction(1, 3), Fraction(2, 3)]
    >>> law = choices.explore(lambda: choices.choose(coin) + choices.choose(coin))
    >>> {heads: str(mass) for heads, mass in law.items()}
    {0: '1/9', 1: '4/9', 2: '4/9'}
    """

    def __init__(self) -> None:
        self._left: list[list[int]] = []  # of each choice, the outcomes to try, the next one last
        self._position = 0
        self._weight = Fraction(1)
        self._least, self._given_up = Fraction(0), False
        self.found: dict[Any, Fraction] = {}
        """The masses of the outcomes that `explore` has seen so far."""

    def choose(self, weights: Sequence[Fraction]) -> int:
        """Choose one of the outcomes 0, 1, ... with these weights."""
        if self._position == len(self._left):
            # A run is given up as soon as it is rarer than asked for: what is left out only makes
            # the masses lower bounds.
            likely = [i for i, w in enumerate(weights) if self._weight * w >= self._least]
            if not likely:
                self._given_up = True
                raise _TooRare
            self._left.append(likely[::-1])
        chosen = self._left[self._position][-1]
        self._position += 1
        self._weight *= weights[chosen]
        return chosen

    def either(self) -> bool:
        """A choice whose likelihood `weigh` tells later."""
        return bool(self.choose([Fraction(1)] * 2))

    def weigh(self, likelihood: Fraction) -> None:
        """State the likelihood of what came before, beyond the weights of the choices."""
        self._weight *= likelihood

    def generator(self) -> random.Random:
        """A generator whose random bits are choices, made only as far as the code asks for them.

        Bits and large numbers are a `Secret`.  So comparing 64 bits with a number is one choice of two,
        with the exact weights, and not of 2^64.

        >>> choices = Choices()
        >>> law = choices.explore(lambda: choices.generator().getrandbits(64) < 2**62)
        >>> {below: str(mass) for below, mass in law.items()}
        {True: '1/4', False: '3/4'}
        """
        return ChoiceGenerator.by(self.choose)

    def explore(
        self, run: Callable[[], Output], least: Fraction = Fraction(0)
    ) -> dict[Output, Fraction]:
        """The distribution of what ``run`` returns.

        A run is given up once its probability is below ``least``, so that endless sampling can be
        followed too.  Then no probability is too large, and what is missing from a sum of 1 was given
        up.
        """
        self.found = found = dict[Any, Fraction]()
        self._left, self._least = [], least
        while True:
            self._position, self._weight, self._given_up = 0, Fraction(1), False
            try:
                output = run()
                # A part of the weight may be a choice that is made only when the output is named.
                found[output] = found.get(output, Fraction(0)) + self._weight
            except (Exception, _TooRare):
                if not self._given_up:  # numpy replaces what an index raises by errors of its own
                    raise
            # The next run differs in the last choice that has another outcome left: depth first.
            while self._left and len(self._left[-1]) == 1:
                self._left.pop()
            if not self._left:
                return found
            self._left[-1].pop()


class ChoiceGenerator(random.Random):
    """A generator whose random bits are choices."""

    choose: Choose

    @classmethod
    def by(cls, choose: Choose) -> Self:
        """A generator whose choices ``choose`` makes."""
        made = cls()
        made.choose = choose
        return made

    def getrandbits(self, k: int) -> int:
        return Secret.below(1 << k, self.choose)  # type: ignore[return-value]

    def _randbelow(self, n: int) -> int:  # what all whole numbers of a generator come from
        if n <= _FEW:  # the code may want an int
            return self.choose([Fraction(1, n)] * n)
        return Secret.below(n, self.choose)  # type: ignore[return-value]

    def shuffle(self, items: Any) -> None:
        """Go once through each order of ``items``; equal items are interchangeable."""
        left = Counter(items)
        for i in range(len(items)):
            kinds, rest = list(left), left.total()
            items[i] = kinds[self.choose([Fraction(left[kind], rest) for kind in kinds])]
            left -= Counter([items[i]])

    def random(self) -> float:
        raise DeclarationError(
            "follow an algorithm along its choices",
            found="it draws a float, whose law is not exact",
            fix="let it draw whole numbers or bits",
        )


def follow(run: Callable[[random.Random], Output], runs: int = 1000) -> dict[Output, Fraction]:
    """Lower bounds of the probabilities of everything ``run`` returns, by its own code.

    It is run about ``runs`` times, always with the same generator, along its most likely choices; what
    the bounds lack of 1 is unknown.  So if a law is that of the code, none of its probabilities is
    below these bounds.

    >>> from littlestone.privacy.samplers.noise import discrete_laplace
    >>> law = follow(lambda rng: discrete_laplace(Fraction(1, 2), rng) == 0)
    >>> [round(float(law[zero]), 6) for zero in (False, True)]
    [0.666656, 0.333333]
    """
    choices, found, least, left = Choices(), dict[Output, Fraction](), Fraction(1), runs
    rng = choices.generator()

    def run_once() -> Output:
        nonlocal left
        left -= 1
        if left < 0:
            raise _Enough
        return run(rng)

    try:
        while 1 - sum(found.values()) > Fraction(1, 2**16):
            # Ever rarer runs, until nearly all of the mass is known or the runs are used up.
            least /= 4
            found = choices.explore(run_once, least)
    except _Enough:
        pass
    return max(found, choices.found, key=lambda law: sum(law.values()))


class _Enough(BaseException):
    """As many runs were made as were asked for."""


class _TooRare(BaseException):
    """The run is not worth following."""
