"""Mistakes in sparse sampling."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property
from typing import Any

from littlestone.privacy import Budget
from littlestone.privacy.mechanisms.selection_from_lists import SparseSampling
from littlestone.prove.audit import Subject, find_subject, mechanism_subject
from plants.harness import Plant, draws_as_it_says, is_private

TARGET = Budget(1, Fraction(1, 1000))
HONEST = find_subject("sparse-sampling").make(TARGET.epsilon, TARGET.delta)


@dataclass(frozen=True)
class OneLower(SparseSampling[int]):
    """Bottom is at r^(B - 1)."""

    @cached_property
    def bottom(self) -> int:
        return super().bottom - 1


@dataclass(frozen=True)
class CountsRepeats(SparseSampling[int]):
    """An item that a list contains once for every stage is counted once for every stage."""

    def scores(self, data: Any) -> dict[int, int]:
        return Counter(item for listed in data for item in list(listed)[: self.list_size])


@dataclass(frozen=True)
class TrustsTheLists(SparseSampling[int]):
    """The length of the lists is assumed and not enforced."""

    def scores(self, data: Any) -> dict[int, int]:
        return Counter(item for listed in data for item in dict.fromkeys(listed))


@dataclass(frozen=True)
class CoarseBase(SparseSampling[int]):
    """r = 11/10, which is below e^(1/10); B is computed from r."""

    @cached_property
    def base(self) -> Fraction:
        return Fraction(11, 10)


@dataclass(frozen=True)
class BottomFromEpsilon(CoarseBase):
    """B = 1 + ln(L (1 - delta) / delta) / (epsilon / 2), as if r were e^(epsilon / 2)."""

    @cached_property
    def bottom(self) -> int:
        odds = float(self.list_size * (1 / self.delta - 1))
        return 1 + math.ceil(math.log(odds) / float(self.epsilon / 2))


@dataclass(frozen=True)
class TenthOfTheLists(SparseSampling[int]):
    """Bottom is at B = k / 10, as in Lyu25, Algorithm 3, at k = 100."""

    @cached_property
    def bottom(self) -> int:
        return 10


@dataclass(frozen=True)
class HidesSingles(SparseSampling[int]):
    """Items of only one list are left out, as if that were safer: a new item then weighs r^2."""

    def scores(self, data: Any) -> dict[int, int]:
        return {item: score for item, score in super().scores(data).items() if score > 1}


@dataclass(frozen=True)
class NeverFails(SparseSampling[int]):
    """Bottom is drawn only when there is no item."""

    def chances(self, scores: Mapping[int, int]) -> dict[int | None, Fraction]:
        found = super().chances(scores)
        if scores:
            found = {u: p / (1 - found[None]) for u, p in found.items() if u is not None}
        return found


def _subject(mechanism: SparseSampling[int], pairs: Any = HONEST.pairs) -> Subject[Any]:
    return mechanism_subject(mechanism, pairs=pairs, large=pairs[0])


def _plant(kind: type[SparseSampling[int]]) -> Plant:
    mistake = (kind.__doc__ or "").partition("\n")[0]
    return Plant(f"sparse_{kind.__name__}", mistake, is_private, HONEST, _subject(kind(TARGET, 2)))


# Against lists of a hundred items, where bottom is high and ln r a little below epsilon / 2.
LONG = Budget(Fraction(1, 5), Fraction(1, 10**6)), 100
FRESH = (((tuple(range(100)),), ((),)),)

PLANTS = [
    *map(
        _plant, [OneLower, TenthOfTheLists, CountsRepeats, TrustsTheLists, HidesSingles, NeverFails]
    ),
    Plant(
        "sparse_BottomFromEpsilon",
        "Bottom is computed from epsilon / 2 in place of ln r, and r is rounded.",
        is_private,
        _subject(CoarseBase(*LONG), FRESH),
        _subject(BottomFromEpsilon(*LONG), FRESH),
    ),
    Plant(
        "sparse_draws_repeats",
        "The exact distribution is right, and the draw counts repeated items.",
        draws_as_it_says,
        HONEST,
        replace(HONEST, runs=_subject(CountsRepeats(TARGET, 2)).runs),
    ),
]
