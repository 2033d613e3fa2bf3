"""The inverse of accounting: the largest epsilon of a step that keeps the whole within a target."""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction
from functools import cache

from littlestone.base.errors import DeclarationError
from littlestone.privacy.cost import PrivacyCost
from littlestone.privacy.event import Event

_DIGITS = 4
_LEAST, _MOST = Fraction(1, 10**9), Fraction(1000)  # the useful range of epsilon


def calibrate(make: Callable[[Fraction], Event], target: PrivacyCost) -> Event:
    """``make(epsilon)`` for the largest epsilon, to 4 digits, that certainly costs within ``target``.

    ``make`` builds the whole event from one parameter, with which its cost should grow.  If it does
    not, the event is still within ``target``, but a larger epsilon may fit too.  The epsilons are
    between 1e-9 and 1000, and usually fewer than ten events are built.

    Raises `DeclarationError` if even the least epsilon costs too much, and says what that one costs.
    Usually the target then has no delta and the events need one.  Raises what ``make`` raises if it
    makes no event at all.

    >>> from littlestone.privacy.accounting.composed import Composition
    >>> from littlestone.privacy.mechanisms.exponential import ExponentialMechanism
    >>> target = PrivacyCost(Fraction(1), Fraction(1, 10**6))
    >>> def hundred(epsilon: Fraction) -> Event:
    ...     return Composition([(ExponentialMechanism(epsilon), 100)], target.delta)
    >>> print(calibrate(hundred, target))
    100 x [exponential mechanism on error counts, epsilon 0.04414], composed at delta 0.000001
    """

    @cache
    def cost_at(epsilon: Fraction) -> PrivacyCost | None:
        try:
            return make(epsilon).cost()
        except DeclarationError:  # this step is too small or too large for the event
            return None

    def fits(epsilon: Fraction) -> bool:
        found = cost_at(epsilon)
        return (
            found is not None and found.neighboring == target.neighboring and found.within(target)
        )

    # First the power of ten, then the digits; every guess is confirmed by `fits`, so floats only
    # save time.
    low = _MOST
    while low > target.epsilon or not fits(low):
        if low == _LEAST:
            raise DeclarationError(
                f"calibrate an event to {target}",
                found=f"even with the least epsilon a step {_least_cost(make)}",
                fix="allow at least that epsilon and that delta, or take events that need less",
            )
        low /= 10
    while low < _MOST and fits(10 * low):
        low *= 10
    if low == _MOST:
        return make(low)
    # From low to 10 low, in units of the last digit; low fits, and 10 low does not.
    unit = low / 10 ** (_DIGITS - 1)
    a, b = 10 ** (_DIGITS - 1), 10**_DIGITS
    slow = 0  # guesses in a row that did not halve the rest
    while b - a > 1:
        guess = None if slow == 3 else _between(a, b, cost_at(a * unit), cost_at(b * unit), target)
        middle = (a + b) // 2 if guess is None else guess
        before = b - a
        a, b = (middle, b) if fits(middle * unit) else (a, middle)
        slow = 0 if guess is None or b - a <= before / 2 else slow + 1
    return make(a * unit)


def _between(
    a: int, b: int, low: PrivacyCost | None, high: PrivacyCost | None, target: PrivacyCost
) -> int | None:
    """A guess of the largest step in [a, b) that fits, if the cost is a power of the step.

    If the cost is smooth it is nearly right, so few events are built; a wrong guess only costs time.
    """
    if low is None or high is None or not 0 < low.epsilon <= target.epsilon < high.epsilon:
        return None
    rise = math.log(high.epsilon / low.epsilon)
    if not rise:  # nothing in floats
        return None
    share = math.log(target.epsilon / low.epsilon) / rise
    return min(max(math.floor(a * math.pow(b / a, share)), a + 1), b - 1)


def _least_cost(make: Callable[[Fraction], Event]) -> str:
    """The cost of the event with the least step it can be made with; raises what `make` raises."""
    step = _LEAST
    while True:
        try:
            return f"it costs {make(step).cost()}"
        except DeclarationError:
            if step >= _MOST:
                raise
            step *= 10
