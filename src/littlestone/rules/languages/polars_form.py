"""Rules as polars expressions.

A condition on a cell is never null: ``fill_null(False)`` follows each.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import date
from functools import reduce
from math import inf, isinf
from operator import and_, or_
from typing import TYPE_CHECKING, Any

from littlestone.base.errors import OutputError
from littlestone.rules.languages.constants import (
    bound,
    require_numbers,
    truths,
    values_of,
)
from littlestone.rules.languages.form import (
    Both,
    Case,
    Condition,
    Days,
    Either,
    Not,
    OneOf,
    Outcome,
    Within,
)

if TYPE_CHECKING:
    from polars import Expr


def expression(outcome: Outcome, types: Mapping[str, str], names: Sequence[str] | None) -> Expr:
    """The polars expression of the outcome; see `Hypothesis.to_polars`."""
    try:
        import polars  # noqa: F401
    except ImportError:
        raise OutputError(
            "write the rule as a polars expression",
            found="polars is not installed",
            fix="run: pip install polars",
        ) from None
    require_numbers(outcome, types, "polars")
    return _value(outcome, types, names)


def _value(outcome: Outcome, types: Mapping[str, str], names: Sequence[str] | None) -> Expr:
    import polars

    def label(y: int) -> Expr:
        return polars.lit(y if names is None else names[y])

    if not isinstance(outcome, Case):
        return label(outcome)
    chain: Any = polars
    for when, then in outcome.branches:
        chain = chain.when(_condition(when, types)).then(label(then))
    found: Expr = chain.otherwise(label(outcome.otherwise))
    return found


def _condition(condition: Condition, types: Mapping[str, str]) -> Expr:
    import polars

    match condition:
        case Both(parts):
            return reduce(and_, (_condition(part, types) for part in parts), polars.lit(True))
        case Either(parts):
            return reduce(or_, (_condition(part, types) for part in parts), polars.lit(False))
        case Not(part):
            return ~_condition(part, types)
        case Within():
            return _within(condition, types.get(condition.column)).fill_null(False)
        case Days():
            return _days(condition).fill_null(False)
        case OneOf():
            return _one_of(condition, types.get(condition.column, "text"))


def _within(cell: Within, kind: str | None) -> Expr:
    import polars

    column = polars.col(cell.column)
    if kind == "boolean":
        return column.is_in(truths(cell))
    found: list[Expr] = []
    if cell.low is not None:
        strict, low = bound(cell.low, kind, "polars")
        found.append(column > _finite(low) if strict else column >= _finite(low))
    # NaN is above all numbers.
    equal, high = (True, inf) if cell.high is None else bound(cell.high, kind, "polars")
    found.append(column <= _finite(high) if equal else column < _finite(high))
    return reduce(and_, found)


def _days(cell: Days) -> Expr:
    import polars

    first, last = map(date.fromisoformat, cell.ends)
    return polars.col(cell.column).cast(polars.Date).is_between(first, last)


def _finite(value: float) -> Any:
    """The number, and for an infinite one an expression, because JSON has no infinite numbers."""
    import polars

    return polars.lit(str(value)).cast(polars.Float64) if isinf(value) else value


def _one_of(cell: OneOf, kind: str) -> Expr:
    import polars

    column = polars.col(cell.column)
    values = values_of(cell, kind)
    shown = column.cast(polars.String) if kind == "decimal" else column
    if kind in ("integer", "double", "real"):  # a list could hold no number of another size
        equal = reduce(or_, (column == _finite(v) for v in values), polars.lit(False))
    else:
        equal = shown.is_in(values + [""] * (kind == "text" and "" in cell.values))
    found = equal.fill_null(False)
    if "" not in cell.values:
        return found
    missing = column.is_null()
    return found | (missing | column.is_nan() if kind in ("double", "real") else missing)
