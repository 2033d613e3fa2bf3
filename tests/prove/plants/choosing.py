"""Mistakes in the choosing mechanism."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from itertools import combinations, product
from typing import Any

from littlestone.privacy import Budget
from littlestone.privacy.event import Guarantee
from littlestone.privacy.mechanisms.choosing import ChoosingMechanism
from littlestone.privacy.mechanisms.sparse_selection import least_power
from littlestone.privacy.rational import exp_below
from littlestone.prove.audit import Subject, mechanism_subject
from littlestone.prove.audit.subjects.lists import COVERED, COVERING
from plants.harness import Plant, is_private

Record = tuple[Sequence[str], bool]
TARGET = Budget(1, Fraction(1, 20))
B = ChoosingMechanism[str](TARGET, 2).bottom


@dataclass(frozen=True)
class TrustsTheGrowth(ChoosingMechanism[str]):
    """The growth is assumed and not enforced."""

    def scores(self, data: Any) -> dict[str, int]:
        return ChoosingMechanism[str](Budget(self.epsilon, self.delta), 99).scores(data)


@dataclass(frozen=True)
class OneLower(ChoosingMechanism[str]):
    """Bottom is at r^(B - 1)."""

    @cached_property
    def bottom(self) -> int:
        return super().bottom - 1


@dataclass(frozen=True)
class PositiveScores(ChoosingMechanism[str]):
    """Candidates are those with a score of at least 1, under the bound for all that are covered."""

    def scores(self, data: Any) -> dict[str, int]:
        return {h: score for h, score in super().scores(data).items() if score >= 1}


@dataclass(frozen=True)
class PositiveScoresAndTheirBound(PositiveScores):
    """Candidates of a score of at least 1, under their bound g max(r^2, 2 r); negatives are not cut."""

    @cached_property
    def bottom(self) -> int:
        heaviest = max(self.base**2, 2 * self.base)
        return least_power(self.base, self.growth * heaviest * (1 / self._limit - 1))


@dataclass(frozen=True)
class BoundsNegativesToo(PositiveScoresAndTheirBound):
    """The bound of positive scores is right when negative records are cut to g as well.

    Outside of what one record alone brings, its log-ratios have no shorter range, though: candidates of
    a score of 0 or less appear and vanish.
    """

    def guarantee(self) -> Guarantee:
        return Guarantee.pure(self.epsilon, self.delta)

    def scores(self, data: Any) -> dict[str, int]:
        return super().scores(
            [(list(dict.fromkeys(covering))[: self.growth], label) for covering, label in data]
        )


@dataclass(frozen=True)
class CountsRepeats(ChoosingMechanism[str]):
    """A hypothesis is counted as often as the record names it."""

    def scores(self, data: Any) -> dict[str, int]:
        counts = Counter(h for covering, label in data if label for h in covering[: self.growth])
        counts.subtract(h for covering, label in data if not label for h in covering if counts[h])
        return {h: score for h, score in counts.items() if score}


@dataclass(frozen=True)
class TwicePerRecord(ChoosingMechanism[str]):
    """A positive record counts 2 for what it covers, to make up for a lost negative one."""

    def scores(self, data: Any) -> dict[str, int]:
        return super().scores([record for record in data for _ in range(1 + record[1])])


@dataclass(frozen=True)
class PairsOfPoints(ChoosingMechanism[str]):
    """Subsets of size 2 among the positive points: a new point makes one with every old one."""

    def scores(self, data: Any) -> dict[str, int]:
        points = sorted({covering[0] for covering, label in data if label and covering})
        pairs = [(tuple("".join(pair)), "".join(pair)) for pair in combinations(points, 2)]
        held: list[Record] = [
            (tuple(name for pair, name in pairs if covering[:1] and covering[0] in pair), label)
            for covering, label in data
        ]
        return ChoosingMechanism[str](Budget(self.epsilon, self.delta), 99).scores(held)


@dataclass(frozen=True)
class ForgetsLabelChange(ChoosingMechanism[str]):
    """The base is e^epsilon: a label change, which moves scores by 2, is forgotten."""

    @cached_property
    def base(self) -> Fraction:
        return exp_below(self.epsilon)


def _pairs() -> list[Any]:
    """Two records that differ, beside few others or many copies of one."""
    rests = [(), *((record,) for record in COVERED), *product(COVERED[::2], repeat=2)]
    rests += [
        ((covering, True),) * (B + 3) + (record,) for covering in COVERING for record in COVERED
    ]
    return [
        ((*rest, one), (*rest, other)) for rest in rests for one, other in combinations(COVERED, 2)
    ]


PAIRS = _pairs()


def _subject(mechanism: ChoosingMechanism[str], pairs: Any = PAIRS) -> Subject[Any]:
    return mechanism_subject(mechanism, pairs=pairs, large=pairs[0])


def _plant(kind: type[ChoosingMechanism[str]], growth: int = 2) -> Plant:
    mistake = (kind.__doc__ or "").partition("\n")[0]
    honest = HONEST if growth == 2 else _subject(BoundsNegativesToo(TARGET, growth))
    broken = _subject(kind(TARGET, growth))
    return Plant(f"choosing_{kind.__name__}", mistake, is_private, honest, broken)


HONEST = _subject(ChoosingMechanism[str](TARGET, 2))
POINTS = tuple(((letter,), True) for letter in "abcdefghijklmnop")
ONE_MORE = (((*POINTS, (("z",), True)), (*POINTS, ((), True))),)
TINY = Budget(1, "1e-6"), 1

PLANTS = [
    *map(_plant, [TrustsTheGrowth, OneLower, PositiveScores, CountsRepeats, TwicePerRecord,
                  ForgetsLabelChange]),
    _plant(PositiveScoresAndTheirBound, growth=1),
    Plant(
        "choosing_PairsOfPoints",
        "Subsets of two points are treated as a class of bounded growth.",
        is_private,
        _subject(ChoosingMechanism[str](*TINY), ONE_MORE),
        _subject(PairsOfPoints(*TINY), ONE_MORE),
    ),
]  # fmt: skip
