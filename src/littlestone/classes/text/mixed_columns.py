"""The columns of a mixed table as text, and the public conditions on them."""

from __future__ import annotations

import re
from collections.abc import Iterable
from contextlib import suppress
from datetime import date
from decimal import Context, Decimal, localcontext
from itertools import pairwise
from typing import Any

from littlestone.base.errors import DeclarationError, TooLargeError
from littlestone.classes.text.scales import (
    A_DECADE,
    FINEST,
    MOST_CUTS,
    TYPED,
    choose_scale,
    scale,
    scale_text,
)
from littlestone.classes.text.spec import Spec, column_text, parse_column, quote_argument
from littlestone.points import (
    MISSING,
    Cells,
    Codes,
    Dates,
    Domain,
    FiniteColumn,
    Grid,
    Integers,
    Listed,
    Product,
    day,
    number,
)
from littlestone.points.base import require_domain
from littlestone.points.cells import MOST_CELLS, is_short, show_number
from littlestone.rules.nodes import ColumnTest

FORM = "age: 0..120 step 5, income: number, sex in {F, M}, ward, integers(code)"

_NAME = r"(?P<name>'(?:[^']|'')*'|\"(?:[^\"]|\"\")*\"|.*?)"  # in quotes, or as short as possible
_GRID = re.compile(
    _NAME + r"(?::\s*|\s+)(?P<low>[^\s:]+?)\.\.(?P<high>\S+?)"
    r"(?:\s+step\s+(?P<step>\S+)|\s+in\s+(?P<count>\d{1,9})\s+(?P<log>log\s+)?steps)?",
    re.DOTALL,
)
_LIST = re.compile(_NAME + r"\s+(?P<word>in|at)\s*\{(?P<values>.*)\}", re.DOTALL)
_DATES = re.compile(
    _NAME + r"(?::\s*|\s+)(?P<low>\d{4}-\d\d-\d\d)\.\.(?P<high>\d{4}-\d\d-\d\d)"
    r"(?:\s+step\s+(?P<step>\d{1,6})\s+(?P<by>day|month|year)s?)?",
    re.DOTALL | re.ASCII,
)
_MEANT = re.compile(
    r".*:\s*(?:int|float|numeric|numbers|integers|text|string|bool|boolean|date|datetime)(?:\s.*)?|"
    r".*:\s*\d\S*(?:\s+to\s+|\s*-\s*)\d.*|.*\s(?:>=?|<=?|==)\s*[-+]?\d\S*|"
    r"(.*[:\s])?\s*[-+]?\d\S*\.\.\S*\d.*|.*\d.*\s(?:step|by)\s+\d\S*|.*\s(?:in|at|=)\s*[\[{(].*",
    re.DOTALL,
)
"""Texts that look like a range, a list or a type and are not, such as ``age: 0..100 by 5``,
``sex in [F`` and ``age: int``."""
_OPTION = re.compile(r"(?:at most|depth) \d+.*", re.DOTALL)
_OF_DAYS = re.compile(
    r".*(?:\d{1,4}[-./]\d{1,2}[-./]\d|\d{4}-\d\d\.\.|:\s*date(?:time)?\b).*", re.DOTALL
)
"""Texts that are about days, however these are written."""

_DAYS_FORM = "admitted: 2021-01-01..2021-12-01 step 1 month"
_ROUND = Context(prec=3)


def parse_mixed(text: str, a_decade: int = FINEST) -> Domain[Any]:
    """The column that an argument of a class of conditions declares.

    ``age: 0..120 step 5`` is cut at each step, ``income: 1..200000 in 30 log steps`` at points of equal
    ratios, rounded to three digits, and ``age at {0, 18, 65}`` at the points after its low end.
    ``income: number`` and ``visits: integer`` are cut at the public `scale` with ``a_decade`` cuts a
    decade, or as many as the text says: ``income: number with 9 cuts a decade``.
    ``sex in {F, M}`` is a list.  Any other name is an open column of texts, and ``integers(code)``
    one of whole numbers.  Raises `DeclarationError` for a range that is empty or that its step does
    not divide, and for a name that looks like a range or a list; ``strings(NAME)`` is a column of any
    name.  A range of more than `MOST_CELLS` cells, or a list beyond the limits of a text, is a
    `TooLargeError`.

    >>> parse_mixed("age: 0..20 step 5").starts, parse_mixed("x: 1..1000 in 3 log steps").starts
    (('0', '5', '10', '15', '20'), ('1', '10', '100', '1000'))
    >>> parse_mixed("sex in {F, M}"), parse_mixed("integers(code)")
    (Listed(values=('F', 'M'), name='sex'), Codes(name='code'))
    """
    if match := TYPED.fullmatch(text):
        return Cells(_typed_starts(text, match, a_decade), _parse_name(text, match))
    column = parse_column(text)
    if column.name != text:  # strings(NAME) or integers(NAME), whatever the name is like
        return Codes(column.name) if isinstance(column, Integers) else column
    if match := _LIST.fullmatch(text):
        name, values = _parse_name(text, match), _parse_list(text, match["values"])
        if match["word"] == "in":
            return Listed(values, name)
        if all(day(value) == value for value in values):
            return Dates(values, name)
        cuts = [number(value) for value in values]
        return Cells(
            tuple(
                show_number(c) if c is not None and is_short(c) else v
                for v, c in zip(values, cuts, strict=True)
            ),
            name,
        )
    if match := _DATES.fullmatch(text):
        return Dates(_days(text, match), _parse_name(text, match))
    match, meant = _GRID.fullmatch(text), _MEANT.fullmatch(text)
    if (match or meant) and _OF_DAYS.fullmatch(text):
        raise _unreadable(
            text,
            "it seems to be about days, and is not written like a range of days",
            f"write year-month-day, and a step of days, months or years: {_DAYS_FORM}; if this is its "
            f"name, write strings({quote_argument(text)})",
        )
    if match:
        return Cells(_starts(text, match), _parse_name(text, match))
    if _OPTION.fullmatch(text):
        raise _unreadable(
            text,
            "it is an option, and stands among the columns",
            "write a semicolon before the options, as in trees(age: 0..120 step 5; depth 2)",
        )
    if meant:
        raise _unreadable(
            text,
            "it looks like a range, a list or a type, but is not written like one",
            f"write a column such as one of these: {FORM}; if this is its name, write "
            f"strings({quote_argument(text)})",
        )
    return column


def _typed_starts(text: str, match: re.Match[str], a_decade: int) -> tuple[str, ...]:
    """The cuts of a column that is declared only by its type."""
    cuts = a_decade if match["cuts"] is None else int(match["cuts"])
    if cuts not in A_DECADE:
        numbers = ", ".join(map(str, A_DECADE))
        raise _unreadable(
            text, f"{cuts} cuts a decade are not on offer", f"write one of {numbers}, or a range"
        )
    return scale(match["kind"], cuts)


def _parse_name(text: str, match: re.Match[str]) -> str:
    name, *more = _parse_list(text, match["name"])
    if more:
        raise _unreadable(
            text, "its name has a comma", "put the name alone in quotes: 'a, b': 0..5"
        )
    return name


def _parse_list(text: str, words: str) -> tuple[str, ...]:
    """The names or values in these words of a column's text, without their quotes."""
    try:
        spec = Spec.parse(f"list({words})", entries="values")
    except TooLargeError as error:
        raise TooLargeError(
            f"read the column {text!r}",
            found=f"its list is too long: {error.found}",
            fix="declare fewer of them, a range such as age: 0..120 step 5, or the name alone, which "
            "leaves all values open",
        ) from None
    except DeclarationError:
        spec = Spec("list", ())
    if not spec.arguments or spec.options:
        raise _unreadable(
            text,
            "its name or a value is empty or has a semicolon, or its list is empty",
            "name the column, and write each value once, such as sex in {F, M}",
        )
    return spec.arguments


def _unreadable(text: str, found: str, fix: str) -> DeclarationError:
    return DeclarationError(f"read the column {text!r}", found=found, fix=fix)


def _days(text: str, match: re.Match[str]) -> tuple[str, ...]:
    """The days from a first to a last one, a fixed number of days, months or years apart."""
    low, high = day(match["low"]), day(match["high"])
    step, by = int(match["step"] or 1), match["by"] or "day"
    found = ""
    if low is None or high is None:
        found = "an end is not a day of the calendar"
    elif low >= high:
        found = "the range is empty: the first day is not before the last one"
    elif step == 0:
        found = "the step is 0"
    elif by != "day" and int(low[8:]) > 28:
        found = f"not every month has a day {int(low[8:])}"
    if found or low is None or high is None:
        raise _unreadable(text, found, f"write a column such as {_DAYS_FORM}")
    days = [low]
    while (following := _later(days[0], len(days) * step, by)) is not None and following <= high:
        if len(days) == MOST_CELLS:
            raise TooLargeError(
                f"read the column {text!r}",
                found=f"it has more than {MOST_CELLS:,} cells",
                fix="cut it less often, as step 1 month does",
            )
        days.append(following)
    if days[-1] != high:
        raise _unreadable(
            text,
            f"{low}..{high} is not a whole number of steps, and {low}..{days[-1]} is",
            f"end the range on {days[-1]}; later days count in its last cell",
        )
    return tuple(days)


def _later(first: str, steps: int, by: str) -> str | None:
    """The day ``steps`` days, months or years after the first one; None beyond the calendar."""
    start = date.fromisoformat(first)
    if by == "day":
        ordinal = start.toordinal() + steps
        return date.fromordinal(ordinal).isoformat() if ordinal <= date.max.toordinal() else None
    months = start.month - 1 + steps * (1 if by == "month" else 12)
    year = start.year + months // 12
    return start.replace(year=year, month=months % 12 + 1).isoformat() if year <= 9999 else None


def _starts(text: str, match: re.Match[str]) -> tuple[str, ...]:
    # Numbers from 10^-30 to 10^30: sums, quotients and remainders have fewer digits than that.
    with localcontext(prec=130):
        return _starts_exactly(text, match)


def _starts_exactly(text: str, match: re.Match[str]) -> tuple[str, ...]:
    low, high = number(match["low"]), number(match["high"])
    step = number(match["step"] or "1")
    found = ""
    if low is None or high is None or not (low.is_finite() and high.is_finite()):
        found = "an end is not a number"
    elif low >= high:
        found = "the range is empty: the low end is not below the high end"
    elif max(abs(low.adjusted()), abs(high.adjusted())) > 30:
        found = "an end is beyond 10^30"
    elif match["log"] and low <= 0:
        found = "steps of equal ratios need a low end above 0"
    elif match["count"] is not None and not 1 <= int(match["count"]) < MOST_CELLS:
        found = f"the number of steps is not between 1 and {MOST_CELLS - 1:,}"
    elif step is None or not step.is_finite() or step <= 0 or abs(step.adjusted()) > 30:
        found = "the step is not a positive number"
    elif match["count"] is None and (high - low) / step >= MOST_CELLS:
        ends = f"{match['low']}..{match['high']}"
        raise TooLargeError(
            f"read the column {text!r}",
            found=f"it has {(high - low) // step + 1:,f} cells, more than {MOST_CELLS:,}",
            fix=f"cut it less often, as {ends} in 30 steps does; in a schema: steps = 30",
        )
    elif match["count"] is None and (high - low) % step:
        end = show_number(low + ((high - low) // step + 1) * step)
        found = (
            f"{match['low']}..{match['high']} is not a whole number of steps of {show_number(step)}, "
            f"and {match['low']}..{end} is"
        )
    if found or low is None or high is None or step is None:
        raise _unreadable(text, found, f"write a column such as one of these: {FORM}")
    if match["count"] is None:
        return tuple(show_number(low + i * step) for i in range(int((high - low) / step) + 1))
    steps = int(match["count"])
    if match["log"]:
        ratio = (high / low).ln() / steps
        between = [_ROUND.multiply(low, (ratio * i).exp()) for i in range(1, steps)]
    else:
        between = [_ROUND.add(low, (high - low) * i / steps) for i in range(1, steps)]
    inside = (value for value in between if low < value < high)
    return tuple(dict.fromkeys(map(show_number, (low, *inside, high))))


def mixed_text(column: Domain[Any]) -> str:
    """The text that `parse_mixed` reads."""
    name = quote_argument(column.name)
    if isinstance(column, Dates):
        return f"{name}{_dates_text(column.starts)}"
    if isinstance(column, Cells):
        return f"{name}{_cells_text(column.starts)}"
    if isinstance(column, Listed):
        return f"{name} in {{{', '.join(map(quote_argument, column.values))}}}"
    if isinstance(column, Codes):
        return f"integers({name})"
    strange = (form.fullmatch(column.name) for form in (TYPED, _GRID, _LIST, _MEANT, _OPTION))
    return f"strings({name})" if any(strange) else column_text(column)


def range_of(column: Domain[Any]) -> tuple[str, str] | None:
    """The least and the greatest number, or day, of a column that is declared by a range.

    The last day is that of the last cell, if this is as long as the longest one.

    >>> [range_of(parse_mixed(text)) for text in ("age: 0..120 step 5", "age at {0, 18, 65}")]
    [('0', '120'), None]
    >>> range_of(parse_mixed("day: 2021-01-01..2021-12-01 step 1 month"))
    ('2021-01-01', '2021-12-31')
    """
    if isinstance(column, Grid):
        return column.words(column.low), column.words(column.high)
    if isinstance(column, Dates) and ".." in _dates_text(column.starts):
        starts = [date.fromisoformat(start).toordinal() for start in column.starts]
        last = min(starts[-1] + max(b - a for a, b in pairwise(starts)) - 1, date.max.toordinal())
        return column.starts[0], date.fromordinal(last).isoformat()
    if type(column) is Cells and ".." in _cells_text(column.starts):
        return column.starts[0], column.starts[-1]
    return None


def _dates_text(starts: tuple[str, ...]) -> str:
    """The range of the days with its step, if it has one; else the list of the days."""
    if len(starts) > 2:
        low, high = starts[0], starts[-1]
        apart = date.fromisoformat(starts[1]) - date.fromisoformat(low)
        months = 12 * (int(starts[1][:4]) - int(low[:4])) + int(starts[1][5:7]) - int(low[5:7])
        for step, by in ((months // 12, "year"), (months, "month"), (apart.days, "day")):
            written = f": {low}..{high} step {step} {by}{'' if step == 1 else 's'}"
            match = _DATES.fullmatch(f"x{written}") if step > 0 else None
            with suppress(DeclarationError):
                if match and _days(written, match) == starts:
                    return written
    return f" at {{{', '.join(starts)}}}"


def _cells_text(starts: tuple[str, ...]) -> str:
    """The type, or the range of the cells with its steps, if there is one; else the list of starts."""
    if words := scale_text(starts):
        return words
    if len(starts) > 2:
        low, high, step = (
            starts[0],
            starts[-1],
            show_number(Decimal(starts[1]) - Decimal(starts[0])),
        )
        written = f"{low}..{high}"
        for steps in (f" step {step}", f" in {len(starts) - 1} log steps"):
            match = _GRID.fullmatch(f"x: {written}{'' if steps == ' step 1' else steps}")
            try:
                if match and _starts(written, match) == starts:
                    return match[0].removeprefix("x")
            except DeclarationError:
                continue
    return f" at {{{', '.join(starts)}}}"


def parse_columns(spec: Spec, cuts: int = MOST_CUTS) -> Product:
    """The domain of the columns that a class of conditions names.

    Columns declared by their types alone share the finest scale with at most ``cuts`` cuts together.

    >>> domain = parse_columns(Spec.parse("trees(age: integer, income: number; depth 2)"))
    >>> [mixed_text(column) for column in domain.columns]
    ['age: integer with 90 cuts a decade', 'income: number with 90 cuts a decade']
    """
    texts = [spec.argument_text(argument) for argument in spec.arguments]
    typed = [match for match in map(TYPED.fullmatch, texts) if match and match["cuts"] is None]
    a_decade = choose_scale([match["kind"] for match in typed], cuts)
    columns = [parse_mixed(text, a_decade) for text in texts]
    for column in columns:  # here, because a class of conditions may refuse the open column first
        spec.schema.require(column.name)
    return Product(tuple(columns))


def conditions_on(domain: Product, j: int, *, between: bool = False) -> list[ColumnTest]:
    """The conditions on the declared column j: both directions of each cut, values, is missing.

    ``between`` adds a <= x < b for all pairs of cuts.  An open column has none: its values are not
    declared.

    >>> table = Product((Cells(("0", "9"), "x"),))
    >>> [test.words(table) for test in conditions_on(table, 0)]
    ['x is missing', 'x < 9', 'x >= 9']
    """
    column = domain.columns[j]
    if isinstance(column, Listed):
        return [ColumnTest(j, frozenset([v])) for v in (MISSING, *column.values)]
    if not isinstance(column, Cells):
        return []
    starts = column.starts
    found = [ColumnTest(j, frozenset([MISSING]))]
    for i in range(1, len(starts)):
        found += [ColumnTest(j, frozenset(starts[:i])), ColumnTest(j, frozenset(starts[i:]))]
    if between:
        found += [
            ColumnTest(j, frozenset(starts[a:b]))
            for a in range(1, len(starts))
            for b in range(a + 1, len(starts))
        ]
    return found


MOST_ENTRIES = 1 << 25
"""The most entries in all matrices [condition, point] of a class together; each takes 8 bytes."""


def require_conditions(domain: Product, what: str, *, between: bool = False) -> None:
    """Raise `TooLargeError` if the conditions of the declared columns are too many to be written down.

    It counts them by formula, because writing them down is what takes long.
    """
    entries = 0
    for column in domain.columns:
        if isinstance(column, Cells):
            cuts = len(column.starts) - 1
            tests = 1 + 2 * cuts + (cuts * (cuts - 1) // 2 if between else 0)
            entries += tests * column.size
        elif isinstance(column, Listed):
            entries += (1 + len(column.values)) * column.size
    require_candidates(entries, MOST_ENTRIES, domain, f"{what} with so many cuts")


def splits_on(domain: Product, j: int) -> list[ColumnTest]:
    """The conditions of a tree on the declared column j: one direction of each cut is enough.

    >>> table = Product((Cells(("0", "9"), "x"),))
    >>> [test.words(table) for test in splits_on(table, 0)]
    ['x is missing', 'x >= 9']
    """
    column = domain.columns[j]
    if not isinstance(column, Cells):
        return conditions_on(domain, j)
    accepted = [[MISSING], *(column.starts[i:] for i in range(1, len(column.starts)))]
    return [ColumnTest(j, frozenset(points)) for points in accepted]


def split_count(domain: Product) -> int:
    """The number of conditions of `splits_on` in all columns, which are not written down.

    >>> split_count(Product((Cells(("0", "9"), "x"), Listed(("F", "M"), "sex"))))
    5
    """
    return sum((column.size or 1) - 1 for column in domain.columns)


def require_declared(domain: Product, what: str) -> None:
    """Raise `DeclarationError` unless the values of every column are declared."""
    require_domain(domain, f"declare {what} over")
    for column in domain.columns if isinstance(domain, Product) else (domain,):
        if not isinstance(column, FiniteColumn):
            raise DeclarationError(
                f"declare {what} over {column}",
                found="nobody declares the values of this column",
                fix="give a grid or a list of values, such as sex in {F, M}",
            )


def require_candidates(count: int, most: int, domain: Product, what: str) -> None:
    """Raise `TooLargeError` for more than ``most`` candidates; it names the widest column."""
    if count > most:
        widest = max(domain.columns, key=lambda column: column.size or 0)
        raise TooLargeError(
            f"declare {what}",
            found=f"it has {count:,} candidates, more than {most:,}",
            fix=f"coarsen {widest.name!r}, which has {widest.size or 0:,} values, by a range such as "
            f"{quote_argument(widest.name)}: 0..100 step 10, or name fewer columns",
        )


def sums_of_products(sizes: Iterable[int], most: int) -> list[int]:
    """The elementary symmetric sums e_0, ..., e_most: how many choices of r columns and conditions.

    >>> sums_of_products([2, 3, 5], 2)
    [1, 10, 31]
    """
    sums = [1, *[0] * most]
    for size in sizes:
        for r in range(most, 0, -1):
            sums[r] += size * sums[r - 1]
    return sums
