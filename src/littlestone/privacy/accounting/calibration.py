"""The other way round: the largest epsilon of a step that keeps the whole within a target."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction

from littlestone.errors import DeclarationError
from littlestone.privacy.cost import PrivacyCost, rounded_up
from littlestone.privacy.event import Event

_DIGITS = 4
_HALVINGS = 40


def calibrate(make: Callable[[Fraction], Event], target: PrivacyCost) -> Event:
    """``make(epsilon)`` for the largest epsilon, to 4 digits, that certainly costs within ``target``.

    ``make`` builds the whole event from one parameter, with which its cost should grow; should it
    not, the event is still within ``target``, but a larger epsilon may be so too.  About 30 events
    are built.

    Raises `DeclarationError` when even an epsilon of 1e-12 of the target's costs too much, with
    what that one costs: commonly a target without delta for events that need one.

    >>> from littlestone.privacy.accounting.composed import Composed
    >>> from littlestone.privacy.mechanisms.exponential import ExponentialMechanism
    >>> target = PrivacyCost(Fraction(1), Fraction(1, 10**6))
    >>> def hundred(epsilon: Fraction) -> Event:
    ...     return Composed([(ExponentialMechanism(epsilon), 100)], target.delta)
    >>> print(calibrate(hundred, target))
    100 x [exponential mechanism on error counts, epsilon 0.04414], composed at delta 0.000001
    """

    def fits(epsilon: Fraction) -> bool:
        cost = make(epsilon).cost()
        return cost.neighboring is target.neighboring and cost.within(target)

    least = rounded_up(target.epsilon / 2**_HALVINGS, 1)
    if not fits(least):
        raise DeclarationError(
            f"calibrate an event to {target}",
            found=f"with epsilon {float(least):.1g} a step it costs {make(least).cost()}",
            fix="allow that delta and a larger epsilon, or take events that need none",
        )
    low = least
    while low < 2**_HALVINGS * target.epsilon and fits(10 * low):
        low *= 10
    # Between low and 10 low, epsilons are written in units of the last digit of low.
    unit = low / 10 ** (_DIGITS - 1)
    a, b = 10 ** (_DIGITS - 1), 10**_DIGITS
    while b - a > 1:
        middle = (a + b) // 2
        a, b = (middle, b) if fits(middle * unit) else (a, middle)
    return make(a * unit)
