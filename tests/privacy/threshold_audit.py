"""What the tests of threshold mechanisms share: neighbours, exact divergences, scripted randomness."""

from __future__ import annotations

import random
from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from fractions import Fraction
from itertools import product
from typing import TypeVar

from littlestone.prove.audit.claims import hockey_stick

Data = TypeVar("Data", bound=Hashable)
Output = TypeVar("Output", bound=Hashable)
Values = tuple[int, ...]


def tail(a: Fraction, x: int) -> Fraction:
    """Pr[nu >= x] for Pr[nu = x] ~ a^|x|, from the series."""
    return a**x / (1 + a) if x > 0 else 1 - tail(a, 1 - x)


def neighbours(
    values: Sequence[int], length: int, *, monotone: bool
) -> Iterator[tuple[Values, Values]]:
    """Ordered pairs of sequences whose entries differ by at most 1, or all the same way."""
    moves = [(0, 1), (0, -1)] if monotone else [(-1, 0, 1)]
    for one in product(values, repeat=length):
        for steps in moves:
            for move in product(steps, repeat=length):
                yield one, tuple(v + m for v, m in zip(one, move, strict=True))


def worst(
    distribution: Callable[[Data], dict[Output, Fraction]],
    pairs: Iterable[tuple[Data, Data]],
    ratio: Fraction,
) -> Fraction:
    """The largest hockey-stick divergence over all pairs; both orders should be among them."""
    known: dict[Data, dict[Output, Fraction]] = {}

    def of(data: Data) -> dict[Output, Fraction]:
        if data not in known:
            known[data] = distribution(data)
        return known[data]

    return max(hockey_stick(of(one), of(other), ratio) for one, other in pairs)


class Zeros(random.Random):
    """Only zeros: U is as small as can be."""

    def getrandbits(self, k: int, /) -> int:
        return 0


def chi_square(counts: dict[Output, int], expected: dict[Output, Fraction]) -> tuple[float, int]:
    """The statistic and its degrees of freedom; outcomes expected less than 5 times are merged."""
    n = sum(counts.values())
    often = {y: float(n * p) for y, p in expected.items() if n * p >= 5}
    rest, rest_seen = n - sum(often.values()), n - sum(counts.get(y, 0) for y in often)
    statistic = sum((counts.get(y, 0) - e) ** 2 / e for y, e in often.items())
    return statistic + (rest_seen - rest) ** 2 / max(rest, 1.0), len(often)
