"""Mistakes around the draw: paying, randomness, several draws and what is claimed of one."""

from __future__ import annotations

import random
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import product
from typing import Any
from unittest.mock import patch

from littlestone.classes import Thresholds
from littlestone.data.sample import Sample
from littlestone.learn import ExponentialLearner, Release
from littlestone.privacy import Budget
from littlestone.privacy.event import Guarantee
from littlestone.privacy.ledger import Ledger, Receipt
from littlestone.privacy.randomness import seeded_generator
from littlestone.prove.audit import find_subject
from littlestone.prove.audit.subjects.composed import RandomizedResponse
from plants.harness import Masses, Plant, is_private, pays_before_it_draws, toy

ONE = Fraction(1)
HALF = ONE / 2


@dataclass(frozen=True)
class SpendsAfter(RandomizedResponse):
    def draw(self, data: int, *, receipt: Receipt) -> int:
        truth = receipt._rng.randrange(4) > 0
        receipt.redeem(self)
        return data if truth else 1 - data


@dataclass(frozen=True)
class NeverPays(RandomizedResponse):
    def draw(self, data: int, *, receipt: Receipt) -> int:
        return data if receipt._rng.randrange(4) else 1 - data


@dataclass(frozen=True)
class ClaimsBoundedRange(RandomizedResponse):
    def guarantee(self) -> Guarantee:
        return Guarantee.bounded_range(self.epsilon)


class SeededByDefault(ExponentialLearner[int]):
    def fit(self, *arguments: Any, rng: random.Random | None = None, **named: Any) -> Release:
        return super().fit(*arguments, rng=rng or seeded_generator(0), **named)


H = Thresholds.on(0, 2)


def asks_the_system(learner: ExponentialLearner[int]) -> bool:
    """A fit without a generator reads bits of the system's and says that it is private."""
    sample = Sample.from_examples(H.domain, [(0, 0), (2, 1)])
    with (
        Ledger() as ledger,
        patch.object(random.SystemRandom, "getrandbits", side_effect=lambda k: 0) as asked,
    ):
        release = learner.fit(sample, ledger=ledger, dataset="made up")
    return asked.called and release.private


# Two bits of one record are released, each by randomized response at half of epsilon.
RECORDS = [(one, other) for one in product((0, 1), repeat=2) for other in product((0, 1), repeat=2)]
TOLD = RandomizedResponse(HALF).distribution(0)[0]


def independent(bits: tuple[int, int]) -> Masses:
    masses: Masses = {}
    for lies in product((0, 1), repeat=2):
        mass = ONE
        for lie in lies:
            mass *= 1 - TOLD if lie else TOLD
        masses[bits[0] ^ lies[0], bits[1] ^ lies[1]] = mass
    return masses


def reused(bits: tuple[int, int]) -> Masses:
    return {
        bits: TOLD,
        (1 - bits[0], 1 - bits[1]): 1 - TOLD,
    }


def averaged(bits: tuple[int, int]) -> Masses:
    """The first bit three times, for good measure."""
    masses: Masses = {}
    for lies in product((0, 1), repeat=3):
        mass = ONE
        for lie in lies:
            mass *= 1 - TOLD if lie else TOLD
        told = sum(bits[0] ^ lie for lie in lies)
        masses[told] = masses.get(told, Fraction(0)) + mass
    return masses


PAIRS = [(one, other) for one, other in RECORDS if one < other]
TWICE = toy(independent, PAIRS, ONE)
RESPONSE = find_subject("randomized-response").make(ONE, Fraction(0))

PLANTS = [
    Plant("spends_after_the_draw", "The receipt is redeemed when the draw is done.",
          pays_before_it_draws, (RandomizedResponse(ONE), 0), (SpendsAfter(ONE), 0)),
    Plant("never_pays", "The receipt is not redeemed.",
          pays_before_it_draws, (RandomizedResponse(ONE), 0), (NeverPays(ONE), 0)),
    Plant("seeded_by_default", "Without a generator a seeded one is used.",
          asks_the_system, ExponentialLearner(H, Budget(1)), SeededByDefault(H, Budget(1))),
    Plant("randomness_reused", "Two releases share their random bits.",
          is_private, TWICE, toy(reused, PAIRS, ONE)),
    Plant("three_draws_for_two", "Three draws are taken and two are paid for.",
          is_private, TWICE, toy(averaged, PAIRS, ONE)),
    Plant("rho_too_small", "Randomized response claims the zCDP of the exponential mechanism.",
          is_private, RESPONSE, replace(RESPONSE, event=ClaimsBoundedRange(ONE))),
]  # fmt: skip
