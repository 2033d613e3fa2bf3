"""What makes a record positive, or which of several labels it has: declared, never read off data."""

from __future__ import annotations

import csv
import operator
from collections.abc import Callable
from dataclasses import dataclass
from decimal import Decimal
from functools import cached_property
from typing import Self

from littlestone.domains import number, text
from littlestone.errors import DeclarationError
from littlestone.labelled import declared_labels, label_number

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


def label_names(text: str) -> list[str]:
    """The names between the commas of a text; one that holds a comma stands between double quotes.

    >>> label_names('on time, late, "none, or unknown"')
    ['on time', 'late', 'none, or unknown']
    """
    line = " ".join(text.splitlines())
    return [name.strip() for name in next(csv.reader([line], skipinitialspace=True), [])]


@dataclass(frozen=True)
class Labels:
    """The number of the label that a value of ``column`` shows: a total function into 0, ..., k.

    ``names`` are the labels 0, ..., k.  A missing value, and one that shows none of them, has the
    label 0, the default.  Which label a value shows is `label_number`.

    >>> carrier = Labels.parse("carrier", "AA, UA, 'DL'", default="UA")
    >>> carrier.names, [carrier(value) for value in ("AA", "UA", "HA", None)]
    (('UA', 'AA', "'DL'"), [1, 0, 0, 0])
    """

    column: str
    names: tuple[str, ...]

    @classmethod
    def parse(cls, column: str, labels: str, default: str | None = None) -> Self:
        """Read labels between commas, as `label_names` does.

        The ``default``, one of them, becomes the label 0; by default it is the first.  Raises
        `DeclarationError` for illegal labels, and if the default is none of them.
        """
        names = declared_labels(label_names(labels))
        first = names[0] if default is None else default.strip()
        if first not in names:
            raise DeclarationError(
                f"give values of {column!r} that are no label the label {first!r}",
                found="it is not one of the declared labels",
                fix=f"name one of them, such as {names[0]!r}, or declare it too",
            )
        return cls(column, (first, *(name for name in names if name != first)))

    @cached_property
    def _number(self) -> Callable[[object], int]:
        return label_number(self.names)

    def __call__(self, value: object) -> int:
        return self._number(value)

    def reads(self, value: object) -> bool:
        """Whether the value is there at all."""
        return text(value) != ""

    def __str__(self) -> str:
        return self.column
