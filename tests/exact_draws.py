"""The exact law of what a draw's own code returns: it runs along every outcome of its random bits."""

from __future__ import annotations

import random
from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from fractions import Fraction
from itertools import repeat
from typing import Any, TypeVar

import numpy as np
import pytest
from numpy.typing import NDArray

from littlestone.privacy.samplers import selection
from littlestone.privacy.samplers.reals import KNOWN, Enclosure, LazyUniform, Real
from littlestone.prove.audit.choices import Choices, Secret

Output = TypeVar("Output", bound=Hashable)

_BITS = 256


class Draws(Choices):
    """Choices in place of all random bits, so that nothing between them and the output is a copy.

    It follows a draw as `follow` does, but for what has exact tests of its own: each comparison of a
    `LazyUniform` is one choice, given those before.
    `selection.draw` is replaced by its definition, with the very scores and base that the caller hands
    to it.  What is less likely than ``rare`` is left out; `law` says how much
    that is.
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
            found = self.explore(lambda: run(rng), self._rare)
        return found, 1 - sum(found.values(), Fraction(0))

    @contextmanager
    def _in_place(self) -> Iterator[None]:
        with pytest.MonkeyPatch.context() as patch:
            draws = self

            def begin(self: Any, rng: random.Random) -> None:
                self.uniform = Secret.below(1 << _BITS, draws.choose)

            patch.setattr(LazyUniform, "__init__", begin)
            patch.setattr(LazyUniform, "decide", _decide)
            patch.setattr(LazyUniform, "below", lambda self, x: self.uniform < _value(x))
            patch.setattr(selection, "draw_item", self._select)
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
        return self.choose([weight / sum(weights) for weight in weights])


def apart(law: Mapping[Any, Fraction], other: Mapping[Any, Fraction]) -> Fraction:
    """The largest difference of two probabilities of one output."""
    none = Fraction(0)
    return max(abs(law.get(y, none) - other.get(y, none)) for y in {*law, *other})


def _decide(self: Any, known: Enclosure) -> bool | None:
    """Whether U < x, unless U is between the ends: that is as unlikely as they are near."""
    low, high = (end << _BITS - KNOWN for end in known)
    if self.uniform < low:
        return True
    return None if self.uniform < high else False


def _value(x: Real) -> int:
    """x 2^256, to the nearest whole number that is known."""
    low, high = x.enclose(_BITS)
    return (low + high + 1) // 2


def _gaps(errors: NDArray[np.int64], lengths: Sequence[int] | None) -> list[int]:
    """By how much each item is worse than the best."""
    runs = zip(errors.tolist(), repeat(1) if lengths is None else lengths, strict=False)
    return [error - int(errors.min()) for error, length in runs for _ in range(length)]
