"""Two noisy sums, the second of which is chosen by the first."""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from dataclasses import replace
from fractions import Fraction
from functools import partial

from littlestone.privacy.cost import Budget
from littlestone.privacy.mechanisms.scores.noisy_sums import Ask, Noisy, NoisySums, SumStep
from littlestone.prove.audit.claims import neighbours
from littlestone.prove.audit.subject import Subject, mechanism_subject, subject

Bits = tuple[int, ...]
HALF = Fraction(1, 2)
STEPS = (
    SumStep(count=1, l1=2, squared=4, share=HALF),
    SumStep(count=1, l1=1, squared=1, share=HALF),
)


def ask_of(data: Bits) -> Ask:
    """Twice the number of 1s; and then the number of 1s if that seemed to be any, or else of 0s."""

    def ask(released: tuple[Noisy, ...]) -> Bits:
        ones = sum(data)
        if not released:
            return (2 * ones,)
        return (ones if released[0][0] > 0 else len(data) - ones,)

    return ask


def clip(most: int, data: Bits, released: tuple[Noisy, ...]) -> tuple[Noisy, ...]:
    """What was released, with one name for all numbers beyond ``most`` or -``most``."""
    return tuple(tuple(min(max(y, -most), most) for y in noisy) for noisy in released)


def sums_subject(mechanism: NoisySums, most: int) -> Subject[Bits]:
    """The mechanism on two records, each 0 or 1, with numbers told apart up to ``most``."""
    large = (1,) * 500 + (0,) * 500
    made = mechanism_subject(
        mechanism,
        pairs=neighbours((0, 1), 2, ordered=False),
        large=(large, (0, *large[1:])),
        read=ask_of,
        cell=partial(clip, most),
    )

    def law_of_names(data: Bits) -> Mapping[Hashable, Fraction]:
        return dict(mechanism.distribution(ask_of(data), most).items())

    return replace(made, distribution=law_of_names)


@subject("noisy-sums")
def noisy_sums(epsilon: Fraction, delta: Fraction) -> Subject[Bits]:
    """Two sums with discrete Gaussian noise, the second of which is chosen by the first."""
    return sums_subject(NoisySums(Budget(epsilon, delta), STEPS), most=20)


@subject("noisy-sums-pure")
def noisy_sums_pure(epsilon: Fraction, delta: Fraction) -> Subject[Bits]:
    """The same with discrete Laplace noise; spends no delta."""
    return sums_subject(NoisySums(Budget(epsilon), STEPS), most=4)
