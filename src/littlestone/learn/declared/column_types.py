"""Compare what is declared about a column with the classes and labels that read it.

A declared type is public: it stands in a Parquet file, in a data frame or in a schema.  So a class or a
label that can never read a value of that type is refused before anything is spent.  No record is read.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import Any

from littlestone.base.errors import DeclarationError, did_you_mean
from littlestone.data.label import Label
from littlestone.data.table import DAYS, Kind, Table
from littlestone.points import (
    Cells,
    Codes,
    Dates,
    Domain,
    Grid,
    Integers,
    Listed,
    Reals,
    day,
    number,
)
from littlestone.points.columns import columns_of

NUMBERS = (Cells, Codes, Grid, Integers, Reals)
"""The columns that read numbers."""

_ALSO = {
    "boolean": "write true or false",
    "date": "write a day such as 2021-03-01",
    "datetime": "write a day such as 2021-03-01",
    "integer": "write whole numbers, such as 1",
    "number": "write numbers, such as 1 or 0.5",
    "text": "",
}


def require_columns(domain: Domain[Any], kind_of: Callable[[str], Kind | None], where: str) -> None:
    """Raise `DeclarationError` if a column of ``domain`` can read no value of its declared type.

    ``where`` says who declares the types, such as ``visits.parquet``.

    >>> require_columns(Grid(0, 9, "age"), {"age": "text"}.get, "visits.parquet")
    Traceback (most recent call last):
    littlestone.base.errors.DeclarationError: cannot read numbers of the column 'age': ...
    """
    for column in columns_of(domain):
        for name in column.column_names:
            kind = kind_of(name)
            days = isinstance(column, Dates)
            if kind == "text" and isinstance(column, NUMBERS) and not days:
                raise DeclarationError(
                    f"read numbers of the column {name!r}",
                    found=f"{where} declares it as text",
                    fix="make the column one of numbers, or declare it as text: in a class "
                    f'{name} in {{A, B}}, in a schema type = "text"',
                )
            typed = kind not in (None, "text")
            if typed and isinstance(column, NUMBERS) and days is not (kind in DAYS):
                raise DeclarationError(
                    f"read {'days' if days else 'numbers'} of the column {name!r}",
                    found=f"{where} declares it as {kind}",
                    fix=f"declare its range as its type is: {name}: "
                    + ("0..100 step 5" if days else "2021-01-01..2021-12-01 step 1 month"),
                )
            values = column.values if isinstance(column, Listed) else ()
            wrong = [value for value in values if not occurs(value, kind)]
            if wrong:
                listed = "{False, True}" if kind == "boolean" else "{0, 1, 2}"
                raise DeclarationError(
                    f"read the value {wrong[0]!r} of the column {name!r}",
                    found=f"{where} declares it as {kind}, which no such value looks like",
                    fix=f"write the values as their type does: {name} in {listed}",
                )


def occurs(value: str, kind: Kind | None) -> bool:
    """Whether a value of a list is the text of some value of the type.

    >>> occurs("yes", "boolean"), occurs("07", "integer"), occurs("7", "integer")
    (False, False, True)
    """
    if kind == "boolean":
        return value in ("True", "False")
    if kind == "integer":
        return re.fullmatch(r"0|-?[1-9]\d*", value) is not None
    if kind in DAYS:
        return day(value) == value
    return kind != "number" or number(value) is not None


def require_label(label: Label, kind: Kind | None, where: str) -> None:
    """Raise `DeclarationError` if no value of the declared type can show the label.

    >>> require_label(Label.parse("late", "yes"), "boolean", "visits.parquet")
    Traceback (most recent call last):
    littlestone.base.errors.DeclarationError: cannot learn late == yes: ...
    """
    condition = label.condition
    if kind in ("text", *DAYS) and condition is not None and condition.compares_numbers:
        raise DeclarationError(
            f"learn {label}",
            found=f"{where} declares {label.column!r} as {kind}, and {condition.relation} compares "
            "numbers",
            fix="name a value, such as 'yes', or make the column one of numbers",
        )
    for value in label_values(label):
        if not _can_show(value, kind):
            raise DeclarationError(
                f"learn {label}",
                found=(
                    f"{where} declares {label.column!r} as {kind}, and {value!r} is not such a "
                    "value"
                ),
                fix=_ALSO[kind or "text"],
            )


def label_values(label: Label) -> Sequence[str]:
    """The values that a label names: that of its condition, or all but the default.

    The default label stands for all other values, so it need not occur.
    """
    if label.condition is not None:
        return () if label.condition.compares_numbers else label.condition.values
    return label.names[1:]


def _can_show(value: str, kind: Kind | None) -> bool:
    """Whether some value of the type equals the value of a label, as text or as number."""
    if kind is None or kind == "text":
        return True
    if kind in DAYS:
        return day(value) is not None
    v = number(value)
    if v is None or kind == "number":
        return v is not None
    if kind == "boolean":
        return v in (0, 1)
    return v.is_finite() and (v.adjusted() > 400 or v == v.to_integral_value())


def require_value(column: str, value: str, values: Sequence[str], where: str) -> None:
    """Raise `DeclarationError` unless the value is on the declared list of a column."""
    v = number(value)
    if value not in values and (v is None or v not in map(number, values)):
        raise DeclarationError(
            f"use the value {value!r} of the column {column!r}",
            found=f"it is not on the list that {where} declares",
            fix=did_you_mean(value, values, "name a value of the list, or add it there"),
        )


def require_fit(table: Table, domain: Domain[Any], label: Label) -> None:
    """Raise `DeclarationError` if declared types or names of a table show a declaration to be wrong.

    The columns of the domain and of the label must be there (`Table.require`).
    """
    if label.condition is not None:
        # Only a name that the declaration itself has is shown: a file without a header has a record.
        label.condition.require_no_name(label.column, filter(_is_text, table.columns))
    require_columns(domain, table.kind, table.name)
    require_label(label, table.kind(label.column), table.name)


def _is_text(name: object) -> bool:
    return isinstance(name, str)
