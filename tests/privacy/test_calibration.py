"""A calibrated event is within its target, and hardly more would be."""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction

import pytest
from spending import Answer

from littlestone.base.errors import DeclarationError
from littlestone.privacy.accounting.calibration import calibrate
from littlestone.privacy.accounting.composed import Composition
from littlestone.privacy.cost import PrivacyCost
from littlestone.privacy.event import Event
from littlestone.privacy.mechanisms.exponential import ExponentialMechanism

MILLIONTH = Fraction(1, 10**6)
Make = Callable[[Fraction], Event]


def fifty(epsilon: Fraction) -> Event:
    return Composition([(ExponentialMechanism(epsilon), 50), (Answer(epsilon / 3), 2)], MILLIONTH)


def a_tenth(epsilon: Fraction) -> Event:
    return Answer(epsilon / 10)


@pytest.mark.parametrize("make", [fifty, a_tenth])
@pytest.mark.parametrize("epsilon", ["0.01", "1", "17"])
def test_within_the_target_and_hardly_below(make: Make, epsilon: str) -> None:
    target = PrivacyCost(Fraction(epsilon), MILLIONTH)
    asked: dict[Event, Fraction] = {}

    def watched(step: Fraction) -> Event:
        event = make(step)
        asked[event] = step
        return event

    event = calibrate(watched, target)
    assert event.cost().within(target)
    assert not make(asked[event] * Fraction(1001, 1000)).cost().within(target)


def test_pure_steps_are_divided_exactly() -> None:
    event = calibrate(lambda step: Composition([(Answer(step), 8)]), PrivacyCost(Fraction(1)))
    assert event.uses() == [(Answer(Fraction(1, 8)), 8)]


@pytest.mark.parametrize("make", [fifty, a_tenth])
@pytest.mark.parametrize("target", ["0.0123", "0.9", "3", "40"])
def test_the_largest_step_of_four_digits_is_found_with_few_events(make: Make, target: str) -> None:
    limit, made = PrivacyCost(Fraction(target), MILLIONTH), dict[Event, Fraction]()

    def watched(step: Fraction) -> Event:
        event = make(step)
        made[event] = step
        return event

    step = made[calibrate(watched, limit)]
    unit = Fraction(10) ** (math.floor(math.log10(step) + 1e-9) - 3)
    assert (step / unit).denominator == 1
    assert make(step).cost().within(limit)
    assert not make(step + unit).cost().within(limit)
    assert len(made) <= 13


def test_steps_that_cost_nothing_yet() -> None:
    """A cost of 0 says nothing of how it grows; the step is found all the same."""
    event = calibrate(lambda step: Answer(max(step - 2, Fraction(0))), PrivacyCost(Fraction(1)))
    assert event.cost().epsilon <= 1


def test_a_cost_that_does_not_grow_stays_within() -> None:
    target = PrivacyCost(Fraction(1))
    event = calibrate(lambda step: Answer(min(step, 1 / step) * 2), target)
    assert event.cost().within(target)


def test_an_impossible_target_names_the_nearest() -> None:
    def step(epsilon: Fraction) -> Event:
        return Answer(epsilon, MILLIONTH)

    with pytest.raises(DeclarationError, match=r"delta 0\.000001"):
        calibrate(step, PrivacyCost(Fraction(1)))
    with pytest.raises(DeclarationError, match=r"a delta of at least 0\.000002"):
        calibrate(
            lambda e: Composition([(step(e), 2)], MILLIONTH), PrivacyCost(Fraction(1), MILLIONTH)
        )
