"""Mistakes in putting draws together: what composition, disjoint parts and samples cost."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction
from typing import Any

from littlestone.privacy.accounting.composed import Composition
from littlestone.privacy.accounting.subsampled import Parallel
from littlestone.privacy.cost import PrivacyCost
from littlestone.privacy.rational import exp_below
from littlestone.prove.audit import Subject, find_subject, neighbours
from plants.harness import Claim, Masses, Plant, is_private

ONE = Fraction(1)
SMALL = Fraction(1, 1000)
Bits = tuple[int, ...]
TWICE = find_subject("composed-draws").make(2 * ONE, Fraction(0))
FOUR = find_subject("composed-responses").make(ONE, SMALL)
PARTS = find_subject("parallel-responses").make(ONE, Fraction(0))


def together(*laws: Masses) -> Masses:
    """The law of independent answers."""
    joint: Masses = {(): ONE}
    for law in laws:
        joint = {(*said, y): p * q for said, p in joint.items() for y, q in law.items()}
    return joint


def response(bit: int, epsilon: Fraction, delta: Fraction = Fraction(0)) -> Masses:
    """The worst answer of its cost: with probability delta it tells all, else it may lie."""
    r = exp_below(epsilon, bits=64)
    lie = (1 - delta) / (1 + r)
    found = {bit: lie * r, 1 - bit: lie}
    return {**found, ("all", bit): delta} if delta else found


class ChargedOnce(Composition):
    """The cost of one part, as if draws on the same data cost nothing more."""

    def cost(self) -> PrivacyCost:
        return self.parts[0][0].cost()


class WithoutTheirDeltas(Composition):
    """Composition of epsilons at a delta of its own, where the parts' deltas are forgotten."""

    def cost(self) -> PrivacyCost:
        return Composition([(Claim(part.cost().epsilon), n) for part, n in self.parts]).cost()


WITH_DELTAS = [(Claim(ONE / 2, Fraction(1, 50)), 2)]
TOLD_ALL = replace(
    FOUR,
    event=Composition(WITH_DELTAS, Fraction(1, 25)),
    distribution=lambda bit: together(*[response(bit, ONE / 2, Fraction(1, 50))] * 2),
)


def on_parts(parts: Any) -> Subject[Any]:
    """Part i is asked, by the i-th response, whether any of its records is 2, or it has two."""
    epsilons = [ONE, ONE / 2, ONE / 3]

    def distribution(records: Bits) -> Masses:
        asked = [int(sum(part) + len(part) > 2) for part in parts(records)]
        return together(*map(response, asked, epsilons))

    event = Parallel([Claim(epsilon) for epsilon in epsilons])
    pairs = tuple(neighbours(range(3), 3))
    return replace(PARTS, event=event, distribution=distribution, pairs=pairs)


def by_position(records: Bits) -> Sequence[Bits]:
    return [(record,) for record in records]


def by_value(records: Bits) -> Sequence[Bits]:
    return [tuple(record for record in records if record == value) for value in range(3)]


PLANTS = [
    Plant("charged_once", "Two draws on the same data are charged as one.", is_private,
          TWICE, replace(TWICE, event=ChargedOnce([(Claim(ONE), 2)]))),
    Plant("deltas_forgotten", "The deltas of the parts are left out of the composition.", is_private,
          TOLD_ALL, replace(TOLD_ALL, event=WithoutTheirDeltas(WITH_DELTAS, Fraction(1, 25)))),
    Plant("parallel_by_value", "Disjoint parts are chosen by the records' values.", is_private,
          on_parts(by_position), on_parts(by_value)),
]  # fmt: skip
