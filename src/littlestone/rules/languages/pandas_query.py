"""Rules as texts for `pandas.DataFrame.query`.

A comparison with a missing value is false or NA.  Where it is negated, ``notna()`` is added, because NA
and false is false.
"""

from __future__ import annotations

from collections.abc import Mapping
from keyword import iskeyword
from typing import Any

from littlestone.base.errors import DeclarationError, TooLargeError, shown
from littlestone.rules.languages.constants import (
    bound,
    require_numbers,
    truths,
    values_of,
)
from littlestone.rules.languages.form import (
    Both,
    Cell,
    Condition,
    Days,
    Either,
    Not,
    OneOf,
    Outcome,
    cells,
    require_small,
    where,
)

ASKED = "write the rule as a query of pandas"
"""What was asked, in the errors of this file."""

MOST_CELLS = 200
"""The most comparisons; pandas reads a chain of them by as many calls inside each other."""


def query(outcome: Outcome, label: int, types: Mapping[str, str]) -> str:
    """The query of the rows with the label; see `Hypothesis.to_pandas_query`."""
    require_numbers(outcome, types, "pandas")
    found = where(outcome, label)
    require_small(found, ASKED)
    listed = list(cells(found))
    if len(listed) > MOST_CELLS:
        raise TooLargeError(
            ASKED,
            found=f"it would have {len(listed)} comparisons, and pandas reads about {MOST_CELLS}",
            fix="use to_polars or to_sql, or predict with `littlestone predict`",
        )
    for cell in listed:
        _require(cell, types.get(cell.column))
    return _condition(found, types)


def _require(cell: Cell, kind: str | None) -> None:
    """Raise `DeclarationError` for a column that a query cannot name, and for decimals."""
    if any(c in cell.column for c in "`\n\r\0") or not cell.column.isprintable():
        found, fix = "its name has a character that a query cannot quote", "rename the column"
    elif kind == "decimal":
        found, fix = "a query compares decimals with floats", "make floats of the decimals"
    else:
        return
    raise DeclarationError(f"{ASKED} on {shown(cell.column)}", found=found, fix=fix)


def _condition(condition: Condition, types: Mapping[str, str], inside: bool = False) -> str:
    match condition:
        case Both(parts) | Either(parts) if parts:
            word = " and " if isinstance(condition, Both) else " or "
            joined = word.join(_condition(part, types, True) for part in parts)
            return f"({joined})" if inside else joined
        case Both() | Either():
            return "index == index" if isinstance(condition, Both) else "index != index"
        case Not(part):
            held = _cell(part, types.get(part.column))
            named = _name(part.column)
            if isinstance(part, OneOf) and "" in part.values:  # true of a missing cell
                return f"not ({held})"
            return f"not ({named}.notna() and ({held}))"
        case _:
            held = _cell(condition, types.get(condition.column))
            return f"({held})" if inside else held


def _cell(cell: Cell, kind: str | None) -> str:
    if isinstance(cell, Days):
        raise DeclarationError(
            f"{ASKED} on the days of {shown(cell.column)}",
            found="frames of pandas hold days in several ways, which compare otherwise",
            fix="use to_polars or to_sql, or predict with `littlestone predict`",
        )
    name = _name(cell.column)
    if isinstance(cell, OneOf):
        kind = kind or "text"
        values = values_of(cell, kind) + [""] * (kind == "text" and "" in cell.values)
        equal = [f"{name} == {_literal(v)}" for v in values]
        if len(values) > 1 and kind == "text":
            equal = [f"{name} in [{', '.join(map(_literal, values))}]"]
        missing = [f"{name}.isna()"] if "" in cell.values else []
        return " or ".join([*missing, *equal]) or f"{name}.isna() and {name}.notna()"
    if kind == "boolean":
        allowed = truths(cell)
        if len(allowed) == 2:
            return f"{name}.notna()"
        return f"{name} == {allowed[0]}" if allowed else f"{name}.isna() and {name}.notna()"
    parts = []
    if cell.low is not None:
        strict, low = bound(cell.low, kind, "pandas")
        parts.append(f"{name} {'>' if strict else '>='} {_literal(low)}")
    if cell.high is not None:
        equal_too, high = bound(cell.high, kind, "pandas")
        parts.append(f"{name} {'<=' if equal_too else '<'} {_literal(high)}")
    return " and ".join(parts) or f"{name}.notna()"


def _name(column: str) -> str:
    return column if column.isidentifier() and not iskeyword(column) else f"`{column}`"


def _literal(value: Any) -> str:
    """A constant of Python; a text is escaped wherever pandas looks into it."""
    if isinstance(value, str):
        plain = "".join(
            c if (c.isalnum() and c.isascii()) or c in " -." else _escape(c) for c in value
        )
        return f'"{plain}"'
    return {"inf": "1e999", "-inf": "-1e999"}.get(repr(value), repr(value))


def _escape(character: str) -> str:
    return f"\\U{ord(character):08x}"
