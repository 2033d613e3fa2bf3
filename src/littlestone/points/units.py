"""Units: whose records a guarantee protects together, and how many records of each are used."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Self

from littlestone.base.errors import DeclarationError, show_value

MOST_RECORDS = 1_000
"""The largest maximum of records per unit; each of them costs a share of epsilon."""


@dataclass(frozen=True)
class Unit:
    """All records with one value of ``column`` are those of one unit, and at most ``most`` are used.

    Two values are one unit if `domains.text` gives them one text.  So all records without a value are
    those of one unit.  Both fields are declarations.  Raises `DeclarationError` unless ``column`` is a
    name and ``most`` a whole number from 1 to `MOST_RECORDS`.

    >>> print(Unit("patient_id", 3))
    at most 3 records of each patient_id
    """

    column: str
    most: int

    def __post_init__(self) -> None:
        if not isinstance(self.column, str) or not self.column:
            raise DeclarationError(
                f"protect units of type {type(self.column).__name__}",
                found="this is not the name of a column",
                fix="name the column that says whose record it is: --unit patient_id",
            )
        whole = isinstance(self.most, int) and not isinstance(self.most, bool)
        if not whole or not 1 <= self.most <= MOST_RECORDS:
            raise DeclarationError(
                f"use at most {show_value(self.most)} records of each {self.column}",
                found=f"it is not a whole number from 1 to {MOST_RECORDS:,}",
                fix="keep a few records of each: --max-records 3",
            )

    @classmethod
    def declare(cls, column: str | None, most: int | None) -> Self | None:
        """The unit of both, or None of neither; raises `DeclarationError` for one without the other.

        >>> Unit.declare("patient_id", 3), Unit.declare(None, None)
        (Unit(column='patient_id', most=3), None)
        """
        if column is None and most is None:
            return None
        if column is None:
            raise DeclarationError(
                f"use at most {show_value(most)} records of each unit",
                found="no column says whose record it is",
                fix="name it: --unit patient_id",
            )
        if most is None:
            raise DeclarationError(
                f"protect each {column}",
                found="nothing says how many records of each are used",
                fix="give a small number, as each record costs a share of epsilon: --max-records 3",
            )
        return cls(column, most)

    @property
    def records(self) -> str:
        """The maximum in words.

        >>> Unit("patient_id", 1).records
        'at most 1 record'
        """
        return f"at most {self.most:,} record{'s' if self.most > 1 else ''}"

    def __str__(self) -> str:
        return f"{self.records} of each {self.column}"
