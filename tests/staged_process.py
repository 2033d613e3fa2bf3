"""A staged online learner whose ratios are powers of 2, and what is claimed of parts of its runs."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from functools import cache
from typing import Any

from littlestone.classes import Subsets
from littlestone.learn.stream.staged import StagedOnlineLearner
from littlestone.points import Integers
from littlestone.privacy import Budget
from littlestone.privacy.mechanisms.above_threshold import SparseVector
from littlestone.privacy.mechanisms.selection_from_lists import SparseSampling
from littlestone.privacy.mechanisms.threshold_tests import OneSidedThreshold
from littlestone.prove.audit.subjects.streams import Segment, StageLaw

HALF = Fraction(1, 2)


class Counter(OneSidedThreshold):
    """With r = 2."""

    shrink = HALF


class Sampling(SparseSampling[Any]):
    """With r = 2."""

    base = Fraction(2)


class Asked(SparseVector):
    """With both noises of ratio 2."""

    def noises(self) -> tuple[Fraction, Fraction]:
        return HALF, HALF


@cache  # one for all processes: nothing changes it
def tiny(calls: int, draws: int) -> StagedOnlineLearner:
    """Two teachers and sets of at most one point, so two stages."""
    sizes: dict[str, Any] = {"teachers": 2, "cap": 2, "list_size": 1, "threshold": 1}
    H = Subsets(Integers(), 1)
    made = StagedOnlineLearner(H, Budget(1, "0.1"), horizon=9, calls=calls, draws=draws, **sizes)
    made.counter = Counter(epsilon=Fraction(1), threshold=1, horizon=9)
    made.sampling = Sampling(Budget(1, Fraction(1, 5)), 1)
    one = Fraction(1)
    made.tests = Asked(
        threshold_epsilon=one, query_epsilon=one, threshold=1, hits=1, hits_below=True
    )
    return made


class Process(StageLaw):
    """One run, and what is claimed of it."""

    def __init__(
        self,
        calls: int = 1,
        draws: int = 1,
        *,
        hits: tuple[int, ...] | None = None,
        tested: bool = True,
        drawn: bool = True,
    ) -> None:
        super().__init__(tiny(calls, draws), hits=hits, tested=tested, drawn=drawn)

    @property
    def ratio(self) -> Fraction:
        """What is claimed: e^epsilon of the counter, the tests and all draws, by basic composition."""
        counted, tested = 1 if self.hits is not None else 2, 8 if self.tested else 1
        return Fraction(4) ** self.paid_draws * counted * tested

    @property
    def paid_calls(self) -> int:
        return self.learner.sizes.calls

    @property
    def paid_draws(self) -> int:
        return self.paid_calls * self.learner.sizes.draws if self.drawn else 0

    @property
    def delta(self) -> Fraction:
        return self.paid_draws * self.learner.sampling.delta0


def one_by_one(chance: Callable[[int], Fraction], segments: list[Segment]) -> Fraction:
    """How likely hits are if each step's is independent, with probability ``chance`` of its gap."""
    total = Fraction(1)
    for gaps, hit in segments:
        for u, gap in enumerate(gaps, start=1):
            p = chance(gap)
            total *= p if hit and u == len(gaps) else 1 - p
    return total


def averaged(gap: int) -> Fraction:
    """E[min(1, 2^-(gap + Z))], Pr[Z >= z] = 2^-z, and gap at least -3."""
    cut = max(0, -gap)
    low = sum((HALF ** (z + 1) for z in range(cut)), Fraction(0))
    return low + HALF ** (cut + 1) * HALF ** (gap + cut) * Fraction(4, 3)
