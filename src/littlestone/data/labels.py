"""What makes a record positive: declared by the user, never read off the data."""

from __future__ import annotations

import operator
from collections.abc import Callable
from dataclasses import dataclass
from decimal import Decimal
from functools import cached_property

from littlestone.domains import number, text
from littlestone.errors import DeclarationError

# The longer signs come first, because that is how they are read.
_ORDERS: dict[str, Callable[[Decimal, Decimal], bool]] = {
    ">=": operator.ge,
    "<=": operator.le,
    ">": operator.gt,
    "<": operator.lt,
}


@dataclass(frozen=True)
class Label:
    """The label 1[column relation value], a total function of a table value.

    ``relation`` is one of > >= < <= (numbers), == != (numbers or texts).  A missing value, or one
    that is not a number where the relation needs one, has label 0.  Exact decimals throughout.

    >>> late = Label.parse("arr_delay", "> 15")
    >>> [late(v) for v in (15, "15.01", None, "n/a")]
    [0, 1, 0, 0]
    """

    column: str
    relation: str
    value: str

    @classmethod
    def parse(cls, column: str, positive: object) -> Label:
        """Read ``> 15``, ``<= 3``, ``!= HA`` or a plain value such as ``HA`` (or a number, or a bool).

        Raises `DeclarationError` if it is empty, orders by something that is not a number, or starts
        with a sign that is no relation, such as ``=``.
        """
        written = text(positive).strip()
        relation = next((r for r in (*_ORDERS, "==", "!=") if written.startswith(r)), "")
        value = written.removeprefix(relation).strip()
        if not relation and written[:1] in ("=", "!"):
            raise DeclarationError(
                f"call records positive when {column!r} is {written!r}",
                found=f"it starts with {written[0]!r}, which is no relation",
                fix=f"use one of > >= < <= == !=; if the value itself starts so, write '== {written}'",
            )
        relation = relation or "=="
        if not value or (relation in _ORDERS and number(value) is None):
            raise DeclarationError(
                f"call records positive when {column!r} is {str(positive)!r}",
                found="there is no value" if not value else f"{value!r} is not a number",
                fix="write a value, such as HA, or a comparison, such as '> 15'",
            )
        return cls(column, relation, value)

    def __call__(self, value: object) -> int:
        right = self._number
        if self.relation in _ORDERS:
            left = number(value)
            if left is None or right is None:
                return 0
            return int(_ORDERS[self.relation](left, right))
        shown = text(value)
        if shown == "":
            return 0
        equal = shown == self.value or (right is not None and number(value) == right)
        return int(equal == (self.relation == "=="))

    @cached_property
    def _number(self) -> Decimal | None:
        return number(self.value)

    def reads(self, value: object) -> bool:
        """Whether the value is one that the relation can speak about: present, a number if need be."""
        return text(value) != "" if self.relation not in _ORDERS else number(value) is not None

    def __str__(self) -> str:
        return f"{self.column} {self.relation} {self.value}"
