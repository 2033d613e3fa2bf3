"""Rules for frames: texts for `pandas.DataFrame.query`, code for pandas, and polars expressions.

In pandas a comparison with a missing value is false or NA.  Where it is negated, ``notna()`` is added,
because NA and false is false.  In polars a condition on a cell is never null: ``fill_null(False)``
follows each.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import date
from functools import reduce
from keyword import iskeyword
from math import inf, isinf
from operator import and_, or_
from typing import TYPE_CHECKING, Any

from littlestone.base.errors import DeclarationError, OutputError, TooLargeError, show_value
from littlestone.rules.languages import form
from littlestone.rules.languages.constants import bound, no_days, require_numbers, truths, values_of

if TYPE_CHECKING:
    from polars import Expr

ASKED = "write the rule as a query of pandas"
"""What was asked, in the errors of this file."""

MOST_CELLS = 200
"""The most comparisons; pandas reads a chain of them by as many calls inside each other."""


def query(outcome: form.Outcome, label: int, types: Mapping[str, str]) -> str:
    """The query of the rows with the label; see `Hypothesis.to_pandas_query`."""
    require_numbers(outcome, types, "pandas")
    return _query(form.where(outcome, label), types)


def code(outcome: form.Outcome, types: Mapping[str, str], values: Sequence[str | float]) -> str:
    """Python code of the values of the rows of a frame ``df``; see `Hypothesis.to_pandas`.

    >>> print(code(form.Case(((form.OneOf("ward", ("ICU",)), 1),), 0), {}, (0.1, 0.4)))
    pandas.Series(0.1, df.index)
        .mask(df.eval('ward == "ICU"', engine="python").fillna(False), 0.4)
    """
    require_numbers(outcome, types, "pandas")
    cases = outcome if isinstance(outcome, form.Case) else form.Case((), outcome)
    lines = [f"pandas.Series({values[cases.otherwise]!r}, df.index)"]
    # What is masked later wins, and of the cases the first does.
    for when, then in reversed(cases.branches):
        held = f'df.eval({_query(when, types)!r}, engine="python").fillna(False)'
        lines.append(f"    .mask({held}, {values[then]!r})")
    return "\n".join(lines)


def write_code(
    rule: form.Outcome | form.Total, types: Mapping[str, str], values: Sequence[str | float]
) -> str:
    """The `code` of a rule in brackets; that of a total adds up its parts."""
    if not isinstance(rule, form.Total):
        return f"(\n{code(rule, types, values)}\n)"
    parts = [code(outcome, types, points) for _, outcome, points in rule.parts]
    total = "\n+ ".join(parts or ["pandas.Series(0, df.index)"])
    if rule.least is None:
        return f"(\n{total}\n).map({dict(zip(rule.totals, map(float, values), strict=True))})"
    said = dict(zip((False, True), values, strict=True))
    return f"((\n{total}\n) >= {rule.least}).map({said})"


def _query(found: form.Condition, types: Mapping[str, str]) -> str:
    form.require_small(found, ASKED, types)
    listed = list(form.cells(found))
    if len(listed) > MOST_CELLS:
        raise TooLargeError(
            ASKED,
            found=f"it would have {len(listed)} comparisons, and pandas reads about {MOST_CELLS}",
            fix="use to_polars or to_sql, or predict with `littlestone predict`",
        )
    for cell in listed:
        _require(cell, types.get(cell.column))
    return _condition(found, types)


def _require(cell: form.Cell, kind: str | None) -> None:
    """Raise `DeclarationError` for a column that a query cannot name, and for decimals."""
    if any(c in cell.column for c in "`\n\r\0") or not cell.column.isprintable():
        found, fix = "its name has a character that a query cannot quote", "rename the column"
    elif kind == "decimal":
        found, fix = "a query compares decimals with floats", "make floats of the decimals"
    else:
        return
    raise DeclarationError(f"{ASKED} on {show_value(cell.column)}", found=found, fix=fix)


def _condition(condition: form.Condition, types: Mapping[str, str], inside: bool = False) -> str:
    match condition:
        case form.Both(parts) | form.Either(parts) if parts:
            word = " and " if isinstance(condition, form.Both) else " or "
            joined = word.join(_condition(part, types, True) for part in parts)
            return f"({joined})" if inside else joined
        case form.Both() | form.Either():
            return "index == index" if isinstance(condition, form.Both) else "index != index"
        case form.Not(part):
            held = _cell(part, types.get(part.column))
            named = _name(part.column)
            if isinstance(part, form.OneOf) and "" in part.values:  # true of a missing cell
                return f"not ({held})"
            return f"not ({named}.notna() and ({held}))"
        case _:
            held = _cell(condition, types.get(condition.column))
            return f"({held})" if inside else held


def _cell(cell: form.Cell, kind: str | None) -> str:
    name = _name(cell.column)
    if isinstance(cell, form.Days):
        raise no_days(cell.column, kind, ())
    if isinstance(cell, form.OneOf):
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
        # A query has no word for false, so a cell that nothing meets is asked to be missing and not.
        return f"{name} == {allowed[0]}" if allowed else f"{name}.isna() and {name}.notna()"
    # The bounds are exact, and those of the frame may be floats: `bound` says on which side they fall.
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


def require_polars() -> None:
    """Raise `OutputError` if polars is missing."""
    try:
        import polars  # noqa: F401
    except ImportError:
        raise OutputError(
            "write the rule as a polars expression",
            found="polars is not installed",
            fix="run: pip install polars",
        ) from None


def expression(
    rule: form.Outcome | form.Total, types: Mapping[str, str], names: Sequence[str | float] | None
) -> Expr:
    """The polars expression of an outcome or a total; see `Hypothesis.to_polars`."""
    require_polars()
    if isinstance(rule, form.Total):
        return _total(rule, types, names or (0, 1))
    require_numbers(rule, types, "polars")
    return _value(rule, types, names)


def _total(rule: form.Total, types: Mapping[str, str], values: Sequence[str | float]) -> Expr:
    import polars

    total = polars.lit(0)
    for _, outcome, points in rule.parts:
        total = total + expression(outcome, types, points).cast(polars.Int64)
    if rule.least is None:
        return total.replace_strict(list(rule.totals), list(map(float, values)))
    low, high = map(polars.lit, values)
    return polars.when(total >= rule.least).then(high).otherwise(low)


def _value(
    outcome: form.Outcome, types: Mapping[str, str], names: Sequence[str | float] | None
) -> Expr:
    import polars

    def label(y: int) -> Expr:
        return polars.lit(y if names is None else names[y])

    if not isinstance(outcome, form.Case):
        return label(outcome)
    chain: Any = polars
    for when, then in outcome.branches:
        chain = chain.when(_truth(when, types)).then(label(then))
    found: Expr = chain.otherwise(label(outcome.otherwise))
    return found


def _truth(condition: form.Condition, types: Mapping[str, str]) -> Expr:
    import polars

    match condition:
        case form.Both(parts):
            return reduce(and_, (_truth(part, types) for part in parts), polars.lit(True))
        case form.Either(parts):
            return reduce(or_, (_truth(part, types) for part in parts), polars.lit(False))
        case form.Not(part):
            return ~_truth(part, types)
        case form.Within():
            return _within(condition, types.get(condition.column)).fill_null(False)
        case form.Days():
            return _days(condition).fill_null(False)
        case form.OneOf():
            return _one_of(condition, types.get(condition.column, "text"))


def _within(cell: form.Within, kind: str | None) -> Expr:
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


def _days(cell: form.Days) -> Expr:
    import polars

    first, last = map(date.fromisoformat, cell.ends)
    return polars.col(cell.column).cast(polars.Date).is_between(first, last)


def _finite(value: float) -> Any:
    """The number, and for an infinite one an expression, because JSON has no infinite numbers."""
    import polars

    return polars.lit(str(value)).cast(polars.Float64) if isinf(value) else value


def _one_of(cell: form.OneOf, kind: str) -> Expr:
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
