"""Mistakes in a draw whose exact distribution is right: found by following the code of the draw.

An exact audit of such a mechanism finds nothing, because it speaks of the distribution.
`tests/privacy/test_breaks.py` shows of each that it breaks the claim.
"""

from __future__ import annotations

import random
from bisect import bisect_right
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from fractions import Fraction
from itertools import accumulate
from math import lcm
from typing import Any

from littlestone.privacy import Budget
from littlestone.privacy.mechanisms.above_threshold import SparseVector
from littlestone.privacy.mechanisms.competition import Competition, no_handicap
from littlestone.privacy.mechanisms.continual_selection import ContinualSelection
from littlestone.privacy.mechanisms.partition_selection import SingleKeySelection
from littlestone.privacy.mechanisms.threshold_tests import Session
from littlestone.privacy.samplers.noise import discrete_laplace
from littlestone.privacy.tape import Tape
from littlestone.prove.audit import Subject, mechanism_subject
from plants.harness import Plant, follows_its_law

KEYS, SURE = "abcdefghijkl", 20
TIED = tuple((key, True) for key in KEYS) * SURE
SELECTION: dict[str, Any] = {"budget": Budget(3, Fraction(9, 10)), "horizon": 2}


class LevelsOnce(SingleKeySelection[Any]):
    """Each score that fired weighs 1 / q, however many keys have it."""

    def _release(self, scores: Mapping[Any, int], rng: random.Random) -> Any:
        fired = self._keys_that_fire(scores, rng)
        if not fired:
            return None
        levels = Counter(scores[key] for key in fired)
        unit = lcm(*(self.curve(score).numerator for score in levels))
        stops = list(accumulate(int(unit / self.curve(score)) for score in levels))
        drawn = list(levels)[bisect_right(stops, rng.randrange(stops[-1]))]
        return rng.choice([key for key in fired if scores[key] == drawn])


class KeptSkips(Competition[Any]):
    """The number of skipped records stays from one epoch to the next."""

    def begin(self, terms: Any, handicap: Any = no_handicap) -> None:
        kept: dict[Any, int] = getattr(self, "_skips", {})
        super().begin(terms, handicap)
        self._skips = kept


class SelectsByKeptSkips(ContinualSelection[Any]):
    def competition(self, tape: Tape) -> Competition[Any]:
        return KeptSkips(self.terms(self.growth, shared=self.shared), self.horizon, tape)


class Halves(SparseVector):
    """With both noises DLap(1/2), that is a ratio of 2 each."""

    def noises(self) -> tuple[Fraction, Fraction]:
        return Fraction(1, 2), Fraction(1, 2)


class LessThresholdNoise(Halves):
    """The scale of rho is .95 of what it should be: 1 / ln(1 / .482) of 1 / ln 2."""

    def begin(self, rng: random.Random) -> Session:
        threshold_noise, noise = self.noises()
        rho = discrete_laplace(threshold_noise * Fraction(964, 1000), rng)
        return Session(noise, self.threshold + rho, self.hits, self.hits_below, rng)


def _plant(
    name: str,
    mistake: str,
    make: Iterable[Callable[..., Any]],
    pair: tuple[Any, Any],
    **public: Any,
) -> Plant:
    subjects: list[Subject[Any]] = [
        mechanism_subject(kind(**public), pairs=[pair], large=pair) for kind in make
    ]
    return Plant(name, mistake, follows_its_law, *subjects)


PLANTS = [
    _plant("single_key_levels_once", "Keys of one score weigh together as much as one key.",
           (SingleKeySelection, LevelsOnce), ((("a", True), *TIED), (("a", False), *TIED)),
           budget=Budget(1, Fraction(1, 20))),
    _plant("competition_kept_skips", "The number of skipped records is kept across epochs.",
           (ContinualSelection, SelectsByKeptSkips), ((("a",), ("a",)), (("a",), ())),
           growth=2, shared=True, **SELECTION),
    _plant("vector_less_threshold_noise", "The scale of the threshold's noise is 5% too small.",
           (Halves, LessThresholdNoise), ((0,), (-1,)),
           threshold_epsilon=Fraction(1), query_epsilon=Fraction(1), threshold=0),
]  # fmt: skip
