"""The exact law of what a draw's own code returns: it runs along every outcome of its random bits."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from fractions import Fraction
from itertools import repeat
from typing import Any, TypeVar

import numpy as np
import pytest
from numpy.typing import NDArray

from littlestone.audit.choices import Choices
from littlestone.privacy.samplers import race, selection
from littlestone.privacy.samplers.reals import Real
from littlestone.privacy.samplers.uniform import LazyUniform

Output = TypeVar("Output", bound=Hashable)

_BITS, _MANY = 256, 1 << 16


class Draws(Choices):
    """Choices in place of all random bits, so that nothing between them and the output is a copy.

    A generator's whole numbers are choices, and so is each comparison of a `LazyUniform`, given those
    before.  `selection.draw` and `race.draw`, which have exact tests of their own, are replaced by
    their definitions, with the very scores and base that the caller hands to them.  What is less
    likely than ``rare`` is left out; `law` says how much that is.
    """

    def __init__(self, rare: Fraction = Fraction(1, 10**9)) -> None:
        super().__init__()
        self._rare = rare

    def law(
        self, run: Callable[[random.Random], Output]
    ) -> tuple[dict[Output, Fraction], Fraction]:
        """The probability of each output of ``run`` with a generator, and what is left out."""
        rng = self.generator()
        with self._in_place():
            found = self.explore(lambda: run(rng))
        return found, 1 - sum(found.values(), Fraction(0))

    def pick(self, weights: Sequence[Fraction]) -> int:
        """One of the outcomes that are not too rare."""
        least = self._rare / self._weight
        kept = [i for i, weight in enumerate(weights) if weight > least]
        kept = kept or [max(range(len(weights)), key=weights.__getitem__)]
        return kept[self.choose([weights[i] for i in kept])]

    def generator(self) -> random.Random:
        draws = self

        class Chosen(random.Random):
            def _randbelow(self, n: int) -> Any:
                return draws.pick([Fraction(1, n)] * n) if n < _MANY else _Whole(_Uniform(draws), n)

            def shuffle(self, items: Any) -> None:
                """Equal items are interchangeable, so that each order is looked at once."""
                left = Counter(items)
                for i in range(len(items)):
                    kinds, rest = list(left), left.total()
                    items[i] = kinds[draws.pick([Fraction(left[k], rest) for k in kinds])]
                    left -= Counter([items[i]])

            def getrandbits(self, k: int) -> Any:
                return self._randbelow(1 << k)

        return Chosen()

    @contextmanager
    def _in_place(self) -> Iterator[None]:
        with pytest.MonkeyPatch.context() as patch:
            draws = self

            def begin(self: Any, rng: random.Random) -> None:
                self.uniform = _Uniform(draws)

            patch.setattr(LazyUniform, "__init__", begin)
            patch.setattr(LazyUniform, "below", lambda self, x: self.uniform.below(_value(x)))
            patch.setattr(selection, "draw", self._select)
            patch.setattr(race, "draw", self._race)
            yield

    def _select(
        self,
        errors: NDArray[np.int64],
        lengths: Sequence[int] | None,
        base: Fraction,
        rng: random.Random,
    ) -> int:
        gaps = _gaps(errors, lengths)
        weights = [base**-gap for gap in gaps]
        return self.pick([weight / sum(weights) for weight in weights])

    def _race(
        self,
        errors: NDArray[np.int64],
        lengths: Sequence[int] | None,
        base: Fraction,
        rng: random.Random,
    ) -> int:
        gaps = _gaps(errors, lengths)
        order = list(range(len(gaps)))
        rng.shuffle(order)
        return next(i for i in order if _Uniform(self).below(base ** -gaps[i]))


class _Uniform:
    """A uniform number of which is known what comparisons have told."""

    def __init__(self, draws: Draws) -> None:
        self._draws = draws
        self._low, self._high = Fraction(0), Fraction(1)

    def below(self, x: Fraction) -> bool:
        x = min(max(x, self._low), self._high)
        share = (x - self._low) / (self._high - self._low)
        if self._draws.pick([1 - share, share]):
            self._high = x
            return True
        self._low = x
        return False


class _Whole:
    """A whole number below n that is compared with others; there are too many to list them."""

    def __init__(self, uniform: _Uniform, n: int, shift: int = 0) -> None:
        self._uniform, self._n, self._shift = uniform, n, shift

    def __sub__(self, shift: int) -> _Whole:
        return _Whole(self._uniform, self._n, self._shift + shift)

    def __lt__(self, bound: int) -> bool:
        return self._uniform.below(Fraction(bound + self._shift, self._n))

    def __le__(self, bound: int) -> bool:
        return self < bound + 1

    def __gt__(self, bound: int) -> bool:
        return not self <= bound

    def __ge__(self, bound: int) -> bool:
        return not self < bound


def apart(law: Mapping[Any, Fraction], other: Mapping[Any, Fraction]) -> Fraction:
    """The largest difference of two probabilities of one output."""
    none = Fraction(0)
    return max(abs(law.get(y, none) - other.get(y, none)) for y in {*law, *other})


def _value(x: Real) -> Fraction:
    low, high = x.enclose(_BITS)
    return Fraction(low + high, 2 << _BITS)


def _gaps(errors: NDArray[np.int64], lengths: Sequence[int] | None) -> list[int]:
    """By how much each item is worse than the best."""
    runs = zip(errors.tolist(), repeat(1) if lengths is None else lengths, strict=False)
    return [error - int(errors.min()) for error, length in runs for _ in range(length)]
