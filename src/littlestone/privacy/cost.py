"""Privacy costs and budgets as exact rationals, and the neighbouring relation that they refer to."""

from __future__ import annotations

import re
from dataclasses import dataclass
from decimal import Decimal, InvalidOperation
from fractions import Fraction
from typing import ClassVar, Self

from littlestone.base.errors import DeclarationError, show_value


class NeighboringRelation(str):
    """The pairs of data sets that a guarantee speaks about, as the text that stands in ledgers.

    ``REPLACE_ONE``: the same number n of records, one record replaced by any other; n is public.
    `replace_one_unit`: the same number of units, one unit with all its records replaced by another
    unit with any records; the number of units is public, the number of records is not.  A unit is
    a value of one ``unit`` column, such as a person.

    Raises `ValueError` for any other text.

    >>> relation = NeighboringRelation.replace_one_unit("patient_id")
    >>> relation, relation.unit
    ('replace-one-unit: patient_id', 'patient_id')
    """

    REPLACE_ONE: ClassVar[NeighboringRelation]
    ONE_UNIT: ClassVar[str] = "replace-one-unit: "

    def __new__(cls, text: str) -> Self:
        if text != "replace-one" and text.removeprefix(cls.ONE_UNIT) in ("", text):
            raise ValueError(f"{text!r:.100} is not a neighbouring relation")
        return super().__new__(cls, text)

    @classmethod
    def replace_one_unit(cls, column: str) -> Self:
        """The relation for units that are the values of ``column``."""
        return cls(f"{cls.ONE_UNIT}{column}")

    @property
    def unit(self) -> str | None:
        """The column whose values are the units; None if one record is replaced."""
        return None if self == self.REPLACE_ONE else self.removeprefix(self.ONE_UNIT)


NeighboringRelation.REPLACE_ONE = NeighboringRelation("replace-one")


DIGITS = 100  # the numerator and denominator of a declared number are at most 10^100
_MOST: int = 10**DIGITS


def exact(value: object, *, what: str) -> Fraction:
    """The exact rational a person means by ``value``: 0.1, ``"0.1"`` and ``"1/10"`` are all 1/10.

    A float stands for its shortest decimal form, so the epsilon that is printed is the one that
    is guaranteed.  Raises `DeclarationError` if ``value`` is not a finite number, or has a
    numerator or denominator beyond 10^100.

    >>> exact(0.1, what="epsilon")
    Fraction(1, 10)
    """
    try:
        number = value if isinstance(value, Fraction) else _read(value)
    except (InvalidOperation, ValueError, ZeroDivisionError):
        raise DeclarationError(
            f"use {show_value(value)} as {what}",
            found="it is not a finite number",
            fix=f"give {what} as a decimal number, such as {_usual(what)}",
        ) from None
    _require_short(number, what)
    return number


def exact_chance(value: object, *, what: str, asked: str, fix: str) -> Fraction:
    """`exact` for a number that lies strictly between 0 and 1, such as a probability.

    ``asked`` and ``fix`` are words of the `DeclarationError` for others.

    >>> exact_chance("0.05", what="doubt", asked="learn online with doubt", fix="give a small one")
    Fraction(1, 20)
    """
    found = exact(value, what=what)
    if not 0 < found < 1:
        raise DeclarationError(
            f"{asked} = {show_value(value)}", found="it must lie strictly between 0 and 1", fix=fix
        )
    return found


def _usual(what: str) -> str:
    """A value to show as an example: a delta is small."""
    return "1e-6" if what == "delta" else "0.5"


def _require_short(number: Fraction, what: str) -> None:
    if not is_short(number):
        raise DeclarationError(
            f"use a number of that length as {what}",
            found=f"its numerator or denominator is beyond 10^{DIGITS}",
            fix=f"round {what} to a shorter number, such as {_usual(what)}",
        )


def is_short(value: Fraction) -> bool:
    """Whether numerator and denominator are within 10^100, so that their text is short.

    >>> is_short(Fraction(1, 3**100)), is_short(Fraction(1, 3**300))
    (True, False)
    """
    return max(abs(value.numerator), value.denominator) <= _MOST


def _read(value: object) -> Fraction:
    try:
        written = str(value).strip()
    except Exception:  # whatever an object's own code may raise
        raise ValueError from None
    if isinstance(value, bool) or len(written) > 400:
        raise ValueError
    if re.fullmatch(r"[0-9]+/[0-9]+", written):
        return Fraction(written)
    number = Decimal(written)
    # An exponent of millions is legal decimal text but no probability or epsilon.
    if not number.is_finite() or abs(number.adjusted()) > 400:
        raise ValueError
    return Fraction(number)


def exact_epsilon(value: object, *, what: str = "epsilon") -> Fraction:
    """Epsilon in nats as an exact rational; raises `DeclarationError` outside [1e-9, 1000].

    >>> exact_epsilon("0.5")
    Fraction(1, 2)
    """
    epsilon = exact(value, what=what)
    require_epsilon(epsilon, what=what)
    return epsilon


def require_epsilon(epsilon: Fraction, *, what: str = "epsilon") -> None:
    """Raise `DeclarationError` unless ``epsilon`` is a Fraction, in [1e-9, 1000].

    >>> require_epsilon(Fraction(1, 2))
    """
    _require_parsed(epsilon, what)
    if epsilon <= 0:
        raise DeclarationError(
            f"guarantee {what} = {decimal_text(epsilon)}",
            found=f"{what} must be greater than 0",
            fix="give a positive epsilon; 1 is a common choice, 0.1 a strong one",
        )
    if not Fraction(1, 10**9) <= epsilon <= 1000:
        raise DeclarationError(
            f"guarantee {what} = {decimal_text(epsilon)}",
            found="it is outside 1e-9 to 1000: nothing could be learned, or nothing is protected",
            fix="give a usual epsilon; 1 is a common choice, 0.1 a strong one",
        )


def exact_delta(value: object) -> Fraction:
    """Delta as an exact probability; raises `DeclarationError` unless 0 <= delta < 1.

    >>> exact_delta("1e-6")
    Fraction(1, 1000000)
    """
    delta = exact(value, what="delta")
    require_delta(delta)
    return delta


def require_delta(delta: Fraction) -> None:
    """Raise `DeclarationError` unless ``delta`` is a Fraction, in [0, 1).

    >>> require_delta(Fraction(1, 10**6))
    """
    _require_parsed(delta, "delta")
    if not 0 <= delta < 1:
        raise DeclarationError(
            f"guarantee delta = {decimal_text(delta)}",
            found="delta is a probability of failure, at least 0 and below 1",
            fix="give 0 for pure differential privacy, or a small number such as 1e-6",
        )


def _require_parsed(value: object, what: str) -> None:
    if not isinstance(value, Fraction):
        raise DeclarationError(
            f"use {show_value(value)} as {what}",
            found="it is not an exact Fraction, and rounding would change what is guaranteed",
            fix=f"give {what} as a Fraction, such as Fraction(1, 2)",
        )
    _require_short(value, what)


_TINY = Fraction(1, 10**12)


def decimal_text(value: Fraction) -> str:
    """The decimal text of ``value``, or ``p/q`` if no decimal equals it; `exact` reads both.

    Below 10^-12 it has an exponent.  It may have any length: Python itself refuses to print integers of
    more than a few thousand digits.

    >>> decimal_text(Fraction(1, 8)), decimal_text(Fraction(1, 3)), decimal_text(Fraction(1, 10**6))
    ('0.125', '1/3', '0.000001')
    >>> decimal_text(Fraction(123, 10**50))
    '1.23e-48'
    """
    remainder, places = value.denominator, 0
    for prime in (2, 5):
        power = 0
        while remainder % prime == 0:
            remainder //= prime
            power += 1
        places = max(places, power)
    if remainder != 1:
        return f"{Decimal(value.numerator):f}/{Decimal(value.denominator):f}"
    text = f"{Decimal(abs(value.numerator) * 10**places // value.denominator):f}"
    sign = "-" if value < 0 else ""
    if 0 < abs(value) < _TINY:
        digits = text.rstrip("0")
        point = "." if len(digits) > 1 else ""
        return f"{sign}{digits[0]}{point}{digits[1:]}e{len(text) - 1 - places}"
    text = text.rjust(places + 1, "0")
    whole, part = text[: len(text) - places], text[len(text) - places :]
    return sign + whole + ("." + part if part else "")


def round_up(value: Fraction, digits: int = 6) -> Fraction:
    """The least decimal number >= ``value`` >= 0 with at most ``digits`` significant digits.

    >>> decimal_text(round_up(Fraction(200, 3))), decimal_text(round_up(Fraction(1, 700), 2))
    ('66.6667', '0.0015')
    """
    if value <= 0:
        return Fraction(0)
    unit = _unit(value, digits)
    return -(-value // unit) * unit


def short_text(value: Fraction) -> str:
    """``value`` for a table: its `decimal_text`, or of more than 20 characters a bound above it.

    >>> short_text(Fraction(1, 3)), short_text(Fraction(40794415416798359, 3 * 10**16))
    ('1/3', '<=1.35982')
    """
    text = decimal_text(value)
    return text if len(text) <= 20 else f"<={decimal_text(round_up(value))}"


def round_down(value: Fraction, digits: int = 6) -> Fraction:
    """The largest decimal number <= ``value`` with at most ``digits`` significant digits, at least 0.

    >>> decimal_text(round_down(Fraction(200, 3))), decimal_text(round_down(Fraction(1, 700), 2))
    ('66.6666', '0.0014')
    """
    if value <= 0:
        return Fraction(0)
    unit = _unit(value, digits)
    return value // unit * unit


def _unit(value: Fraction, digits: int) -> Fraction:
    """The power of ten with 10^(digits - 1) < ``value`` / unit <= 10^digits, for ``value`` > 0."""
    # Start near the right one: there are 400 of them down to the least legal delta.
    twos = value.numerator.bit_length() - value.denominator.bit_length()
    unit = Fraction(10) ** (int(twos * 0.30103) - digits)
    while value > unit * 10**digits:
        unit *= 10
    while value <= unit * 10 ** (digits - 1):
        unit /= 10
    return unit


@dataclass(frozen=True)
class PrivacyCost:
    """An (epsilon, delta) guarantee under a neighbouring relation; ``+`` is basic composition.

    M is (epsilon, delta)-DP if Pr[M(S) in Y] <= e^epsilon Pr[M(S') in Y] + delta for all
    neighbouring S, S' and all Y (lecture 5, Definition 2).  ``epsilon`` is in nats, ``delta`` is a
    probability; both are exact rationals.  Costs under different relations do not add.

    >>> half = PrivacyCost(Fraction(1, 2))
    >>> print(half + half)
    epsilon 1, delta 0 (replace-one)
    """

    epsilon: Fraction
    delta: Fraction = Fraction(0)
    neighboring: NeighboringRelation = NeighboringRelation.REPLACE_ONE

    def __add__(self, other: PrivacyCost) -> PrivacyCost:
        if self.neighboring != other.neighboring:
            raise DeclarationError(
                "add two privacy costs",
                found=f"one is under {self.neighboring}, the other under {other.neighboring}",
                fix="state both under one neighbouring relation first",
            )
        return PrivacyCost(self.epsilon + other.epsilon, self.delta + other.delta, self.neighboring)

    def within(self, limit: PrivacyCost) -> bool:
        """Whether this cost is at most ``limit`` in both epsilon and delta.

        >>> PrivacyCost(Fraction(1)).within(PrivacyCost(Fraction(1), Fraction(1, 10)))
        True
        """
        return self.epsilon <= limit.epsilon and self.delta <= limit.delta

    def least(self, other: PrivacyCost) -> PrivacyCost:
        """The largest cost within both limits.

        >>> print(PrivacyCost(Fraction(1)).least(PrivacyCost(Fraction(2), Fraction(1, 2))))
        epsilon 1, delta 0 (replace-one)
        """
        epsilon, delta = min(self.epsilon, other.epsilon), min(self.delta, other.delta)
        return PrivacyCost(epsilon, delta, self.neighboring)

    def left(self, limit: PrivacyCost) -> PrivacyCost:
        """What may still be spent if this cost is spent: 0 for a number that is beyond its limit.

        >>> print(PrivacyCost(Fraction(1, 4)).left(PrivacyCost(Fraction(1), Fraction(1, 10))))
        epsilon 0.75, delta 0.1 (replace-one)
        """
        epsilon, delta = limit.epsilon - self.epsilon, limit.delta - self.delta
        return PrivacyCost(max(epsilon, Fraction(0)), max(delta, Fraction(0)), self.neighboring)

    def __str__(self) -> str:
        return (
            f"epsilon {decimal_text(self.epsilon)}, delta {decimal_text(self.delta)} "
            f"({self.neighboring})"
        )


@dataclass(frozen=True, init=False)
class Budget:
    """The (epsilon, delta) that a learner or mechanism may spend, as exact rationals.

    ``epsilon`` is in nats, from 1e-9 to 1000, and ``delta`` is a probability below 1.  Give both as a
    number or a text: 0.1, ``"0.1"`` and ``"1/10"`` are all 1/10.  A budget is a declaration.  The
    charge is a `PrivacyCost`, which may be less, or a sum beyond any legal epsilon.  Raises
    `DeclarationError` outside these ranges.

    >>> Budget(1, "1e-6")
    Budget(epsilon=Fraction(1, 1), delta=Fraction(1, 1000000))
    >>> print(Budget(0.5))
    epsilon 0.5, delta 0
    """

    epsilon: Fraction
    delta: Fraction

    def __init__(self, epsilon: object, delta: object = 0) -> None:
        object.__setattr__(self, "epsilon", exact_epsilon(epsilon))
        object.__setattr__(self, "delta", exact_delta(delta))

    @property
    def cost(self) -> PrivacyCost:
        """The cost of spending all of it."""
        return PrivacyCost(self.epsilon, self.delta)

    def __str__(self) -> str:
        return f"epsilon {decimal_text(self.epsilon)}, delta {decimal_text(self.delta)}"
