"""How the cells of a column are written: numbers with a comma or a unit, texts in any case.

A declared form reads each cell by itself, and never fails: docs/proofs/lines.md, Theorem 3.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from decimal import Decimal
from enum import StrEnum
from functools import cached_property
from typing import Any, Self

from littlestone.data.tables import Kind
from littlestone.domains import number, plain, require_list, text
from littlestone.errors import DeclarationError, shown


class Unread(StrEnum):
    """Why a declaration cannot read a cell."""

    EMPTY = "empty"
    NO_NUMBER = "not a number"
    NO_WHOLE_NUMBER = "not a whole number"
    NO_TRUTH = "neither true nor false"
    OUTSIDE = "outside the range"
    UNLISTED = "not on the list"


_SPACES = " \u00a0\u202f\u2009"
"""What a space between groups of digits may be: also those that do not break or are thin."""


@dataclass(frozen=True)
class Written:
    """How the cells of a column are written; a total function from a cell to an ordinary value.

    ``decimal`` and ``thousands`` are the marks in a number; ``unit`` may stand before or behind it.
    ``spelled`` are texts: a cell that differs from one of them by case alone is read as that text, and
    any other text in lower case.  A form of numbers reads a cell that is none as missing.  Numbers and
    truth values of a table with types are read as they are.

    >>> euros = Written(decimal=",", thousands=".", unit="€")
    >>> [str(euros(cell)) for cell in ("1.200,00 €", "-3,5", "1.20", 7)], euros("")
    (['1200', '-3.5', 'None', '7'], None)
    >>> Written(spelled=("Ja", "Nein"))("JA")
    'Ja'
    """

    decimal: str = ""
    thousands: str = ""
    unit: str = ""
    spelled: tuple[str, ...] | None = None

    def __post_init__(self) -> None:
        if wrong := self._flaw():
            found, fix = wrong
            raise DeclarationError("read cells as they are written", found=found, fix=fix)

    def _flaw(self) -> tuple[str, str] | None:
        texts = (self.decimal, self.thousands, self.unit, *(self.spelled or ()))
        if not all(type(one) is str for one in texts):
            return "a form of cells is no text", 'write decimal = ","'
        if self.decimal not in ("", ".", ","):
            return f"decimal is {shown(self.decimal)}", 'write decimal = "," or "."'
        if self.thousands not in ("", ".", ",", " ", "'"):
            fix = 'write thousands = ".", ",", "\'" or a space'
            return f"thousands is {shown(self.thousands)}", fix
        if self.thousands and self.thousands == (self.decimal or "."):
            found = f"decimal and thousands are both {shown(self.thousands)}"
            return found, 'write two marks, such as decimal = "," and thousands = "."'
        if self.unit != self.unit.strip() or re.search(r"[0-9]", self.unit) or len(self.unit) > 100:
            found = f"unit is {shown(self.unit)}, which has digits or begins or ends with a space"
            return found, 'write what stands beside the numbers, such as unit = "€"'
        folded = [one.casefold() for one in self.spelled or ()]
        if len(set(folded)) < len(folded):
            return "two values differ by case alone, and case is ignored", "keep one of the two"
        return None

    @property
    def numeric(self) -> bool:
        """Whether it is a form of numbers."""
        return bool(self.decimal or self.thousands or self.unit)

    @property
    def kind(self) -> Kind | None:
        """What it makes of texts, if not texts."""
        return "number" if self.numeric else None

    def __call__(self, cell: object) -> object:
        """The value that a cell shows; None if it shows none; never raises."""
        value = plain(cell)
        if type(value) is not str:
            return cell
        if self.numeric:
            return self._number(value)
        if self.spelled is not None:
            folded = text(value).casefold()
            return self._spellings.get(folded, folded)
        return cell

    @cached_property
    def _spellings(self) -> dict[str, str]:
        return {one.casefold(): one for one in self.spelled or ()}

    @cached_property
    def _digits(self) -> re.Pattern[str]:
        mark = f"[{_SPACES}]" if self.thousands == " " else re.escape(self.thousands)
        grouped = rf"[0-9]{{1,3}}(?:{mark}[0-9]{{3}})+|" if self.thousands else ""
        point = re.escape(self.decimal or ".")
        whole = rf"(?P<whole>{grouped}[0-9]*)"
        return re.compile(
            rf"(?P<sign>[-+\u2212]?){whole}(?:{point}(?P<part>[0-9]*))?(?P<ten>[eE][-+]?[0-9]{{1,6}})?"
        )

    def _number(self, value: str) -> Decimal | None:
        bare = value.strip()
        if self.unit:
            bare = bare.removeprefix(self.unit).removesuffix(self.unit).strip()
        found = self._digits.fullmatch(bare)
        if found is None or not (found["whole"] or found["part"]):
            return None
        digits = re.sub(r"[^0-9]", "", found["whole"]) or "0"
        sign = "-" if found["sign"] in ("-", "\u2212") else ""
        part = (found["part"] or "").rstrip("0")
        return number(f"{sign}{digits}{part and f'.{part}'}{found['ten'] or ''}")

    def to_json(self) -> dict[str, object]:
        """The form as plain JSON values; `from_json` reads it back."""
        given = {
            "decimal": self.decimal,
            "thousands": self.thousands,
            "unit": self.unit,
        }
        found: dict[str, object] = {key: value for key, value in given.items() if value}
        return found if self.spelled is None else {**found, "spelled": list(self.spelled)}

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> Self:
        """The form that `to_json` wrote; raises `TypeError` or `DeclarationError` if it is damaged."""
        known = dict(data)
        if "spelled" in known:
            known["spelled"] = tuple(require_list(known["spelled"]))
        return cls(**known)
