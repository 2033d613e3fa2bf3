"""What a missed positive and a false alarm cost, as a declaration says it."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Self

from littlestone.base.errors import DeclarationError, show_value
from littlestone.privacy.cost import decimal_text, exact

MOST_COST = 10_000
"""The largest cost of a mistake, after both costs are divided by their common factors."""


@dataclass(frozen=True)
class MistakeCosts:
    """The costs of the two mistakes of a rule: to miss a positive record, and to raise a false alarm.

    Both are whole numbers from 1 to `MOST_COST` without a common factor, so equal ratios are equal
    objects.  `parse` and `above` make them from declarations.

    >>> MistakeCosts.parse("10:2") == MistakeCosts(5, 1)
    True
    """

    missed: int = 1
    alarm: int = 1

    @classmethod
    def parse(cls, declared: object) -> Self:
        """The costs that a text ``MISSED:ALARM`` or a pair of whole numbers declares.

        Raises `DeclarationError` for anything else.

        >>> MistakeCosts.parse("5:1"), MistakeCosts.parse((2, 6))
        (MistakeCosts(missed=5, alarm=1), MistakeCosts(missed=1, alarm=3))
        """
        if isinstance(declared, cls):
            return declared
        pair: Sequence[object] = ()
        if isinstance(declared, str):
            if re.fullmatch(r"\s*[0-9]{1,9}\s*:\s*[0-9]{1,9}\s*", declared, re.ASCII):
                pair = [int(part) for part in declared.split(":")]
        elif isinstance(declared, list | tuple):
            pair = declared
        # bool is an int too, and a cost of True is a mistake.
        whole = [part for part in pair if isinstance(part, int) and not isinstance(part, bool)]
        if len(pair) != 2 or len(whole) != 2 or min(whole) < 1:
            two = len(pair) == 2
            shown = " and ".join(map(show_value, pair)) if two else show_value(declared)
            raise DeclarationError(
                f"weigh mistakes by {shown}",
                found="it is not two whole numbers of at least 1",
                fix="give the cost of a missed positive and that of a false alarm: 5:1 on the command "
                "line, (5, 1) in Python",
            )
        asked = f"weigh one mistake by more than {MOST_COST:,}"
        missed, alarm = whole
        return cls._reduce(missed, alarm, asked, "give rounder numbers with about the same ratio")

    @classmethod
    def above(cls, rate: object) -> Self:
        """The costs under which a group pays off if its share of positives is above ``rate``.

        For the rate p / q, a group gains q - p with each positive record and loses p with each other
        one.  In sum that is q times (positives - rate * records).  A rate is a decimal or a ratio,
        strictly between 0 and 1.  Raises `DeclarationError` otherwise.

        >>> MistakeCosts.above("0.3"), MistakeCosts.above("2/3")
        (MistakeCosts(missed=7, alarm=3), MistakeCosts(missed=1, alarm=2))
        """
        share = exact(rate, what="the rate of a group")
        if not 0 < share < 1:
            raise DeclarationError(
                f"find a group with a rate above {decimal_text(share)}",
                found="a rate lies strictly between 0 and 1",
                fix="give the rate above which a group matters, such as 0.3",
            )
        asked = f"find a group with a rate above {decimal_text(share)}"
        fix = "round the rate, to 0.33 or 1/3 for example"
        return cls._reduce(share.denominator - share.numerator, share.numerator, asked, fix)

    @classmethod
    def _reduce(cls, missed: int, alarm: int, asked: str, fix: str) -> Self:
        common = math.gcd(missed, alarm)
        if max(missed, alarm) > MOST_COST * common:
            raise DeclarationError(
                asked,
                found="the costs of the two mistakes, without common factors, are whole numbers up to "
                f"{MOST_COST:,}",
                fix=fix,
            )
        return cls(missed // common, alarm // common)

    @property
    def equal(self) -> bool:
        """Whether both mistakes cost the same, so that a cost is a number of errors."""
        return self.missed == self.alarm

    @property
    def largest(self) -> int:
        """The most that one record can cost."""
        return max(self.missed, self.alarm)

    @property
    def rate(self) -> Fraction:
        """The share of positives above which it is cheaper to call a group of records positive.

        >>> MistakeCosts.above("0.3").rate
        Fraction(3, 10)
        """
        return Fraction(self.alarm, self.missed + self.alarm)

    @property
    def weights(self) -> tuple[int, int]:
        """The cost of a mistake on a negative record, and that on a positive one."""
        return self.alarm, self.missed

    def require_rule(self, labels: int) -> None:
        """Raise `DeclarationError` if the costs differ and there are more than two labels."""
        if labels > 2 and not self.equal:
            raise DeclarationError(
                f"learn {labels} labels if {self}",
                found="none of the labels is the positive one",
                fix="leave the costs out, or learn a rule for one label",
            )

    def to_json(self) -> dict[str, int]:
        """The costs as plain JSON values; `from_json` reads them back."""
        return {"missed positive": self.missed, "false alarm": self.alarm}

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> Self:
        """The costs that `to_json` wrote; raises `DeclarationError` or `KeyError` for others."""
        return cls.parse((data["missed positive"], data["false alarm"]))

    def __str__(self) -> str:
        return f"a missed positive costs {self.missed:,}, a false alarm {self.alarm:,}"


EQUAL = MistakeCosts()
"""A cost is a number of errors."""


def parse_costs(declared: object) -> MistakeCosts | None:
    """The costs that `MistakeCosts.parse` reads; None if there are none or they are equal.

    >>> parse_costs("3:3"), parse_costs("5:1")
    (None, MistakeCosts(missed=5, alarm=1))
    """
    costs = None if declared is None else MistakeCosts.parse(declared)
    return None if costs is None or costs.equal else costs
