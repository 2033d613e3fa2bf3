"""A randomized function along every outcome of its choices: its exact law, by its own code."""

from __future__ import annotations

import random
from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import TypeVar

from littlestone.errors import DeclarationError

Output = TypeVar("Output", bound=Hashable)

_FEW = 2**8  # so many values of a number are tried one by one
_WIDEST = 2**12  # the same, of a number that was compared before


class Choices:
    """Runs a function again and again, with other outcomes of `choose` each time.

    >>> choices = Choices()
    >>> coin = [Fraction(1, 3), Fraction(2, 3)]
    >>> law = choices.explore(lambda: choices.choose(coin) + choices.choose(coin))
    >>> {heads: str(mass) for heads, mass in law.items()}
    {0: '1/9', 1: '4/9', 2: '4/9'}
    """

    def __init__(self) -> None:
        self._path: list[int] = []
        self._sizes: list[int] = []
        self._position = 0
        self._weight = Fraction(1)
        self._least, self._given_up = Fraction(0), False

    def choose(self, weights: Sequence[Fraction]) -> int:
        """One of the outcomes 0, 1, ... of these weights."""
        if self._position == len(self._path):
            self._path.append(0)
            self._sizes.append(len(weights))
        chosen = self._path[self._position]
        self._position += 1
        self._weight *= weights[chosen]
        if self._weight < self._least:
            self._given_up = True
            raise _TooRare
        return chosen

    def either(self) -> bool:
        """A choice whose likelihood is told later, by `weigh`."""
        return bool(self.choose([Fraction(1)] * 2))

    def weigh(self, likelihood: Fraction) -> None:
        """How likely what came before is, beyond the weights of the choices."""
        self._weight *= likelihood

    def generator(self) -> random.Random:
        """One whose random bits are choices, made only as far as the code asks for them.

        Bits and large numbers are a `Secret`, so that a comparison of 64 bits with a number is one
        choice of two, of the exact weights, and not of 2^64.

        >>> choices = Choices()
        >>> law = choices.explore(lambda: choices.generator().getrandbits(64) < 2**62)
        >>> {below: str(mass) for below, mass in law.items()}
        {True: '1/4', False: '3/4'}
        """
        choices = self

        class Chosen(random.Random):
            def getrandbits(self, k: int) -> int:
                return Secret.below(1 << k, choices)  # type: ignore[return-value]

            def _randbelow(self, n: int) -> int:  # what all whole numbers of a generator come from
                if n <= _FEW:  # code may want an int
                    return choices.choose([Fraction(1, n)] * n)
                return Secret.below(n, choices)  # type: ignore[return-value]

            def random(self) -> float:
                raise DeclarationError(
                    "follow an algorithm along its choices",
                    found="it draws a float, of which no law is exact",
                    fix="let it draw whole numbers or bits",
                )

        return Chosen()

    def explore(
        self, run: Callable[[], Output], least: Fraction = Fraction(0)
    ) -> dict[Output, Fraction]:
        """The distribution of what ``run`` returns.

        A run is given up once it is less likely than ``least``, so that what samples without an end
        can be followed, too: no mass is then too large, and what they lack of 1 is what was given up.
        """
        found: dict[Output, Fraction] = {}
        self._path, self._sizes, self._least = [], [], least
        while True:
            self._position, self._weight, self._given_up = 0, Fraction(1), False
            try:
                output = run()
                # A part of the weight may be a choice that only naming the output makes.
                found[output] = found.get(output, Fraction(0)) + self._weight
            except (Exception, _TooRare):
                if not self._given_up:  # numpy turns what an index raises into errors of its own
                    raise
            while self._path and self._path[-1] + 1 == self._sizes[-1]:
                self._path.pop()
                self._sizes.pop()
            if not self._path:
                return found
            self._path[-1] += 1


def follow(run: Callable[[random.Random], Output], runs: int = 1000) -> dict[Output, Fraction]:
    """Lower bounds of the probabilities of all that ``run`` returns, by its own code.

    It is run about so often, along its most likely choices; what the bounds lack of 1 is what is not
    known.  So if a law is that of the code, none of its probabilities is below these bounds.

    >>> from littlestone.privacy.samplers.geometric import discrete_laplace
    >>> law = follow(lambda rng: discrete_laplace(Fraction(1, 2), rng) == 0)
    >>> [round(float(law[zero]), 6) for zero in (False, True)]
    [0.666656, 0.333333]
    """
    choices, found, least, left = Choices(), dict[Output, Fraction](), Fraction(1), runs

    def counted() -> Output:
        nonlocal left
        left -= 1
        if left < 0:
            raise _Enough
        return run(choices.generator())

    try:
        while 1 - sum(found.values()) > Fraction(1, 2**16):
            least /= 4
            found = choices.explore(counted, least)
    except _Enough:
        pass
    return found


class _Enough(BaseException):
    """There were as many runs as were asked for."""


class _TooRare(BaseException):
    """The run is not worth following."""


@dataclass
class _Known:
    """A uniform number is at least ``low`` and below ``high``; so many ``bits`` were appended to it."""

    low: int
    high: int
    bits: int = 0


class Secret:
    """A rising function of a uniform number, which is chosen only as far as comparisons ask for it.

    It takes the place of an int in code that shifts it, adds to it, multiplies it by whole numbers
    >= 0, appends fresh bits to it, and compares it.  What asks for all of it, as an index does, is a
    choice of all that it can still be, which are at most 4,096 numbers.
    """

    def __init__(
        self, choices: Choices, known: _Known, rule: Callable[[int], int] = lambda u: u
    ) -> None:
        self._choices, self._known, self._rule = choices, known, rule
        self._bits = known.bits  # the rule is of the number as it is now

    @classmethod
    def below(cls, size: int, choices: Choices) -> Secret:
        """A uniform number below ``size``."""
        return cls(choices, _Known(0, size))

    def _then(self, rule: Callable[[int], int]) -> Secret:
        inner, bits = self._rule, self._known.bits - self._bits
        return Secret(self._choices, self._known, lambda u: rule(inner(u >> bits)))

    def _at(self, u: int) -> int:
        """The value, if the number is ``u``."""
        return self._rule(u >> (self._known.bits - self._bits))

    def __lt__(self, other: int) -> bool:
        known = self._known
        first, above = known.low, known.high  # the least number at which this reaches `other`
        while first < above:
            middle = (first + above) // 2
            first, above = (first, middle) if self._at(middle) >= other else (middle + 1, above)
        if first in (known.low, known.high):
            return first == known.high
        sizes = first - known.low, known.high - first
        if self._choices.choose([Fraction(size, sum(sizes)) for size in sizes]):
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
        """With the bits of ``fresh``, which nothing was asked of, for those that a shift made 0."""
        known, size = self._known, fresh._known.high
        k = size.bit_length() - 1
        known.low, known.high, known.bits = known.low << k, known.high << k, known.bits + k
        return Secret(self._choices, known, lambda u: self._at(u) | u % size)

    def __index__(self) -> int:
        low, high = self._known.low, self._known.high
        width = high - low
        if width > _WIDEST:
            raise DeclarationError(
                "follow an algorithm along its choices",
                found=f"it reads all of a number with {width.bit_length()} bits",
                fix="compare the number, or draw a smaller one",
            )
        chosen = low + (self._choices.choose([Fraction(1, width)] * width) if width > 1 else 0)
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
