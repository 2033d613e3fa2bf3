"""The columns of a schema: from a table of TOML to the argument of a class."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import date
from decimal import Decimal
from typing import Any, NoReturn

from littlestone.base.errors import DeclarationError, TooLargeError, did_you_mean
from littlestone.classes.text.mixed_columns import mixed_text, parse_mixed, range_of
from littlestone.classes.text.scales import COARSEST, TYPED
from littlestone.classes.text.spec import Spec, parse_grids, quote_argument
from littlestone.data.forms import CellForm, Unread
from littlestone.data.table import DAYS, Kind
from littlestone.learn.declared.column_types import occurs
from littlestone.points import Codes, Dates, Domain, Grid, Listed, Strings, day, number, text
from littlestone.points.base import whole_number
from littlestone.points.cells import is_short, show_number

KINDS: tuple[Kind, ...] = ("boolean", "date", "datetime", "integer", "number", "text")
_FORMS = ("decimal", "thousands", "unit", "ignore_case", "format", "missing")
_KEYS = ("type", "range", "step", "steps", "log_steps", "cuts", "values", *_FORMS)
_PARTS = ("step", "steps", "log_steps")
_MOST_MISSING = 100
_MOST_CHARACTERS = 1_000  # of a column's name, as in a CSV file

NUMERIC = ("boolean", "integer", "number")
"""The types whose values read as numbers."""


@dataclass(frozen=True)
class SchemaColumn:
    """A column of a schema: its name, its type, and the argument of a class that declares it.

    ``text`` is like ``age 0..120 step 5`` (`littlestone.classes.text.mixed_columns`).  It is empty if
    the schema leaves the range and the values open.  ``values`` is the list of a column that has one.
    ``cells`` is the number of its cells or values; 0 if it is open, if its type alone is declared, or
    if its range is too long for conditions.  ``written`` says how its cells are written, and ``ends``
    are the least and the greatest number of its range; ``days`` are its first and its last day.
    """

    name: str
    kind: Kind | None
    text: str
    values: tuple[str, ...] = ()
    cells: int = 0
    written: CellForm = field(default_factory=CellForm)
    ends: tuple[Decimal | None, Decimal | None] = (None, None)
    days: tuple[str, str] | None = None

    def unread(self, cell: object) -> Unread | None:
        """Why the declaration cannot read a cell of a table; None if it can; never raises.

        >>> age = read_column("the schema", "age", {"range": [0, 120], "decimal": ","})
        >>> print(age.unread("7,5"), age.unread("7.5"), age.unread("130"), age.unread(""), sep="; ")
        None; not a number; outside the range; empty
        """
        if text(cell).strip() == "":
            return Unread.EMPTY
        shown, low, high = self.written(cell), *self.ends
        if self.kind in NUMERIC:
            v = number(shown)
            if v is None:
                return Unread.NO_TRUTH if self.kind == "boolean" else Unread.NO_NUMBER
            if self.kind == "boolean" and v not in (0, 1):
                return Unread.NO_TRUTH
            if self.kind == "integer" and whole_number(v) is None:
                return Unread.NO_WHOLE_NUMBER
            if (low is not None and v < low) or (high is not None and v > high):
                return Unread.OUTSIDE
        if self.kind in DAYS:
            found = day(shown)
            if found is None:
                return Unread.NO_DATE
            if self.days and not self.days[0] <= found <= self.days[1]:
                return Unread.OUTSIDE
        if self.values and text(shown) not in self.values:
            return Unread.UNLISTED
        return None

    @property
    def domain(self) -> Domain[Any]:
        """What its values are read as, whatever cuts a class makes: a list, numbers or texts."""
        if self.values:
            return Listed(self.values, self.name)
        if self.kind in DAYS:
            return Dates(self.days or (date.min.isoformat(),), self.name)
        return Codes(self.name) if self.kind in NUMERIC else Strings(self.name)


def toml_text(text: str) -> str:
    r"""A text as TOML writes it, between quotes; control sequences of terminals are escaped.

    >>> print(toml_text('say "no"'))
    "say \"no\""
    """
    escaped = (
        "\\" + c if c in '"\\' else c if c.isprintable() else f"\\U{ord(c):08X}" for c in text
    )
    return f'"{"".join(escaped)}"'


def toml_key(name: str) -> str:
    """A name as a key of TOML, between quotes if it needs them.

    >>> print(toml_key("age"), toml_key("years of age"))
    age "years of age"
    """
    return name if re.fullmatch(r"[A-Za-z0-9_-]+", name) else toml_text(name)


def heading(name: str) -> str:
    """The line of TOML that begins a column.

    >>> heading("age")
    '[columns.age]'
    """
    return f"[columns.{toml_key(name)}]"


def refuse(name: str, found: str, fix: str) -> NoReturn:
    """Raise the `DeclarationError` of a schema; ``name`` is such as ``the schema my.toml``."""
    raise DeclarationError(f"read {name}", found=found, fix=fix)


def read_column(
    schema: str, name: str, given: object, common: Mapping[str, object] | None = None
) -> SchemaColumn:
    """The column that a table of TOML declares; ``schema`` names it in errors.

    ``common`` are the marks in numbers of all columns.
    """
    if len(name) > _MOST_CHARACTERS:
        found = f"the name of a column has {len(name):,} characters, more than {_MOST_CHARACTERS:,}"
        refuse(schema, found, "rename the column, in the table too")
    if not name.strip():
        refuse(schema, "a column has no name", "name it as the table does, or leave it out")
    if not isinstance(given, Mapping):
        refuse(schema, f"column {name!r} has no keys of its own", f"write {heading(name)}")
    return _ColumnEntry(schema, name, given, common or {}).read()


@dataclass(frozen=True)
class _ColumnEntry:
    """What the table of TOML says of one column."""

    schema: str
    name: str
    given: Mapping[str, Any]
    common: Mapping[str, object]

    def refuse(self, found: str, fix: str) -> NoReturn:
        """Raise the `DeclarationError` of the column; ``found`` goes on after its name."""
        refuse(self.schema, f"column {self.name!r}{found}", fix)

    def read(self) -> SchemaColumn:
        """The column, once all keys go together."""
        given = self.given
        for key in given:
            if key not in _KEYS:
                fix = f"leave it out; a column has the keys {', '.join(_KEYS)}"
                self.refuse(f" has the unknown key {key!r}", did_you_mean(key, _KEYS, fix))
        kind: Any = given.get("type")
        if kind is not None and kind not in KINDS:
            fix = f"use one of: {', '.join(KINDS)}"
            known = did_you_mean(kind, KINDS, fix) if isinstance(kind, str) else fix
            word = toml_text(kind[:50]) if isinstance(kind, str) else "no text"
            self.refuse(f": type = {word} is unknown", known)
        ways = [key for key in ("range", "cuts", "values") if key in given]
        if len(ways) > 1:
            self.refuse(f" has both {ways[0]} and {ways[1]}", "keep one of them")
        parts = [key for key in _PARTS if key in given]
        if len(parts) > 1 or (parts and ways != ["range"]):
            found = "no range" if len(parts) == 1 else parts[1]
            both = "" if len(parts) == 1 else "both "
            fix = "write range = [0, 120] and one of step, steps and log_steps"
            self.refuse(f" has {both}{parts[0]} and {found}", fix)
        if kind in DAYS:
            return self._days(kind, ways)
        if "format" in given:
            fix = 'write type = "date", or leave it out'
            self.refuse(" has a format but is not a column of dates", fix)
        if ways and (kind == "boolean" or (kind == "text" and ways != ["values"])):
            fix = 'write type = "number", or a list of values' if kind == "text" else "leave it out"
            self.refuse(f" has the type {kind} and {ways[0]}", fix)
        if kind is None and ways:
            kind = "text" if texts(given.get("values")) else "number"
        values = self._values(kind) if "values" in given else ()
        argument = self._argument(kind, values)
        try:
            # A class reads its arguments without the quotes around them.
            text = Spec.parse(f"list({argument})").arguments[0] if argument else ""
            column = _column_of_argument(text) if text else Strings(self.name)
        except DeclarationError as error:
            self.refuse(f": {error.found}", _FIXES[ways[0]] if ways else "rename the column")
        if column.name != self.name:
            self.refuse(" has a name that no class can write", "rename the column")
        # A class chooses the cuts of a column with a type alone.
        long = isinstance(column, Grid) or bool(TYPED.fullmatch(text))
        size, written = 0 if long else column.size or 0, self._cell_form(kind, values)
        return SchemaColumn(self.name, kind, text, values, size, written, self._ends())

    def _days(self, kind: Kind, ways: Sequence[str]) -> SchemaColumn:
        """A column of days: ``format``, and a range of TOML's dates with a step, or ``cuts``."""
        given, written = self.given, quote_argument(self.name)
        keys = ("type", "format", "missing", "range", "step", "cuts")
        others = [key for key in given if key not in keys]
        if others:
            fix = f"leave it out; a column of dates has the keys {', '.join(keys)}"
            self.refuse(f" has the type {kind} and {others[0]}", fix)
        listed = given[ways[0]] if ways else []
        cuts = listed if isinstance(listed, list) else [None]
        days = [
            v.isoformat() if type(v) is date else str(day(v) if type(v) is str else "")
            for v in cuts
        ]
        if "" in days or "None" in days or (ways == ["range"] and len(days) != 2):
            fix = f"write {ways[0]} = [2021-01-01, 2021-12-01]"
            self.refuse(f" has a {ways[0]} that is not made of days", fix)
        step = given.get("step", "1 day")
        if type(step) is int:
            step = f"{step} days"
        if not isinstance(step, str) or not re.fullmatch(r"\d{1,6} (day|month|year)s?", step):
            fix = 'write step = "1 month", or of days: 7'
            self.refuse(" has a step that is not a length of time", fix)
        text = ""
        if ways == ["range"]:
            text = f"{written}: {days[0]}..{days[1]} step {step}"
        elif ways:
            text = f"{written} at {{{', '.join(days)}}}"
        try:
            column = parse_mixed(text) if text else None
            form = CellForm(date=given.get("format", ""), missing=self._missing())
        except DeclarationError as error:
            self.refuse(f": {error.found}", error.fix)
        if column is None:
            return SchemaColumn(self.name, kind, text, written=form)
        ends = range_of(column) or (days[0], date.max.isoformat())
        return SchemaColumn(self.name, kind, text, (), column.size or 0, form, days=ends)

    def _ends(self) -> tuple[Decimal | None, Decimal | None]:
        """The ends of a range, and the low end of cuts; they were found to be numbers before."""
        if "range" in self.given:
            low, high = map(Decimal, self.given["range"])
            return low, high
        return (Decimal(self.given["cuts"][0]), None) if "cuts" in self.given else (None, None)

    def _cell_form(self, kind: Kind | None, values: tuple[str, ...]) -> CellForm:
        """How the cells of a column are written."""
        given = self.given
        numbers = {key: given[key] for key in ("decimal", "thousands", "unit") if key in given}
        if numbers and kind not in ("integer", "number"):
            found = f" has {next(iter(numbers))} but is not a column of numbers"
            self.refuse(found, 'write type = "number", or leave it out')
        ignored = given.get("ignore_case", False)
        if type(ignored) is not bool or (ignored and kind not in (None, "text")):
            found = f" has ignore_case = {ignored!r} and the type {kind or 'of any'}"
            self.refuse(found, "write ignore_case = true in a column of texts, or leave it out")
        declared: Any = {"spelled": values} if ignored else numbers
        if kind in ("integer", "number"):
            declared = {**self.common, **numbers}
        declared = {**declared, "missing": self._missing(values)}
        try:
            return CellForm(**declared)
        except DeclarationError as error:
            self.refuse(f": {error.found}", error.fix)

    def _missing(self, values: tuple[str, ...] = ()) -> tuple[str, ...]:
        """The texts that stand for a missing value."""
        found: Any = self.given.get("missing", self.common.get("missing", []))
        few = texts(found) and len(found) <= _MOST_MISSING
        if not few or any(v != v.strip() or not v for v in found):
            fix = 'write texts without spaces around them, such as missing = ["NA", "k.A."]'
            self.refuse(": missing is not a list of texts", fix)
        if both := [value for value in found if value in values]:
            self.refuse(f": {both[0]!r} is a value and missing", "keep it in one of the lists")
        return tuple(found)

    def _argument(self, kind: Kind | None, values: tuple[str, ...]) -> str:
        """The argument of a class that declares the column; empty if the schema leaves it open."""
        given, written = self.given, quote_argument(self.name)
        if "range" in given:
            ends = self._numbers("range", given["range"])
            if len(ends) != 2:
                self.refuse(" has a range without two ends", _FIXES["range"])
            text = f"{written} {ends[0]}..{ends[1]}"
            if "step" in given:
                return f"{text} step {self._numbers('step', [given['step']])[0]}"
            for key, words in (("steps", "steps"), ("log_steps", "log steps")):
                if key in given:
                    if type(given[key]) is not int or not 0 < given[key] < 10**9:
                        self.refuse(f": {key} is not a whole number above 0", f"write {key} = 30")
                    return f"{text} in {given[key]} {words}"
            return text
        if "cuts" in given:
            return f"{written} at {{{', '.join(self._numbers('cuts', given['cuts']))}}}"
        if values:
            return f"{written} in {{{', '.join(map(quote_argument, values))}}}"
        if kind == "boolean":
            # 0 and 1 read True, "true" and 1 alike, however a table writes them.
            return f"{written} at {{0, 1}}"
        if kind == "text":
            return mixed_text(Strings(self.name))
        return f"{written}: {kind}" if kind in ("integer", "number") else ""

    def _numbers(self, key: str, given: object) -> list[str]:
        """The texts of numbers that TOML wrote."""
        listed: list[Any] = given if isinstance(given, list) else [None]
        found = [Decimal(value) for value in listed if type(value) in (int, Decimal)]
        if len(found) < len(listed) or not all(map(is_short, found)):
            fix = "write numbers between -10^30 and 10^30, without quotes"
            if listed and all(isinstance(value, date) for value in listed):
                fix = 'for a column of days, write type = "date"'
            self.refuse(f": {key} is not made of numbers", fix)
        return list(map(show_number, found))

    def _values(self, kind: Kind | None) -> tuple[str, ...]:
        """The texts of the values on a list."""
        given = self.given["values"]
        listed = given if isinstance(given, list) and given else [None]
        legal = (str,) if kind == "text" else (str, int, Decimal)
        for value in listed:
            if type(value) not in legal or text(value) == "":
                fix = 'write texts between quotes, such as values = ["F", "M"]'
                self.refuse(f": values is not a list of {kind or 'value'}s", fix)
        values = tuple(map(text, listed))
        for value in values:
            if not occurs(value, kind):
                fix = f"write {kind}s as the table does, or leave out the type"
                self.refuse(f": {value!r} on its list is not of type {kind}", fix)
        return values


def _column_of_argument(text: str) -> Domain[Any]:
    """The column that the argument of a class declares, if some class reads it."""
    try:
        return parse_mixed(text, COARSEST)
    except TooLargeError:
        # A range that is too long for conditions may do for thresholds; a list is no range.
        with suppress(DeclarationError):
            return parse_grids(Spec("stumps", (text,)))[0]
        raise


_FIXES = {
    "range": "write a range whose step divides it, such as range = [0, 120] and step = 5, or "
    "range = [1, 1000] and log_steps = 30",
    "cuts": "write numbers in increasing order, such as cuts = [0, 18, 65]",
    "values": 'write each value once, such as values = ["F", "M"]',
}


def texts(given: object) -> bool:
    """Whether it is a list of texts.

    >>> texts(["F", "M"]), texts([1])
    (True, False)
    """
    return isinstance(given, list) and all(isinstance(value, str) for value in given)
