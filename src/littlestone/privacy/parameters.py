"""Public parameters of mechanisms: a search, and checks before any budget is spent."""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction

from littlestone.base.errors import DeclarationError, TooLargeError, show_value

MOST_HORIZON = 10**12
"""The most steps of a stream."""

MOST_RECORDS = 3_000
"""The most records of one key after which a stream selects it."""

MOST_TEACHERS = 10**6
"""The most teachers, or copies, among which the records of a stream are divided."""

MOST_FOUND = 1 << 256
"""The largest size that a search tries: more records are of no use, and exceed the floats."""


def require_whole(name: str, value: object, least: int | None = None) -> None:
    """Raise `DeclarationError` unless ``value`` is an integer, of at least ``least``.

    >>> require_whole("hits", 3, least=1)
    """
    if isinstance(value, int) and not isinstance(value, bool) and (least is None or value >= least):
        return
    bound = "" if least is None else f" of at least {least}"
    raise DeclarationError(
        f"use {show_value(value)} as {name}",
        found=f"{name} must be an integer{bound}",
        fix=f"give {name} as an integer{bound}",
    )


def require_horizon(horizon: object) -> None:
    """Raise `DeclarationError` unless ``horizon`` is a whole number from 1 to `MOST_HORIZON`.

    >>> require_horizon(200_000)
    """
    require_whole("horizon", horizon, least=1)
    if isinstance(horizon, int) and horizon > MOST_HORIZON:
        raise TooLargeError(
            f"declare a stream of about 2^{horizon.bit_length() - 1} steps",
            found=f"a stream has at most {MOST_HORIZON:,} steps",
            fix="give a smaller horizon, and begin another run after it",
        )


def require_teachers(teachers: int) -> None:
    """Raise `TooLargeError` if a stream is divided among more than `MOST_TEACHERS`."""
    if teachers > MOST_TEACHERS:
        raise TooLargeError(
            f"divide a stream between about 2^{teachers.bit_length() - 1} teachers",
            found=f"there may be {MOST_TEACHERS:,}, as each has records of its own",
            fix="allow a larger epsilon or delta",
        )


def require_selectable(epsilon: Fraction, delta: Fraction, horizon: int) -> None:
    """Raise `TooLargeError` if selecting from a stream takes more than `MOST_RECORDS` of one key.

    It takes about ln(horizon / delta) / epsilon records, over which the sizes are summed.

    >>> require_selectable(Fraction(1), Fraction(1, 10**6), 200_000)
    """
    records = natural_log(horizon / delta) / epsilon
    if records > MOST_RECORDS or horizon / delta > 10**290:
        raise TooLargeError(
            f"select from a stream of {horizon:,} steps",
            found=f"it takes about {float(records):.0f} records of a key, ln(horizon / delta) / "
            f"epsilon, and at most {MOST_RECORDS:,}; horizon / delta is at most 1e290",
            fix="allow a larger epsilon or delta, or a smaller horizon",
        )


def natural_log(x: Fraction) -> float:
    """Ln x for x > 0, however small or large; a float has no delta below 1e-308.

    >>> round(natural_log(Fraction(1, 10**400)), 3)
    -921.034
    """
    usual = Fraction(1, 10**300) < x < 10**300
    return math.log(x) if usual else math.log(x.numerator) - math.log(x.denominator)


def least(holds: Callable[[int], bool]) -> int:
    """The least n >= 1 for which ``holds``, which must stay true once it is true.

    Raises `TooLargeError` if it holds for no power of two up to `MOST_FOUND`.

    >>> least(lambda n: n * n >= 50)
    8
    """
    high = 1
    while not holds(high):
        high *= 2
        if high > MOST_FOUND:
            raise TooLargeError(
                "find the least number that is enough",
                found=f"none up to 2^{MOST_FOUND.bit_length() - 1} is",
                fix="allow a larger epsilon, delta, alpha or beta, or declare a smaller class",
            )
    low = high // 2
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if holds(middle) else (middle, high)
    return high
