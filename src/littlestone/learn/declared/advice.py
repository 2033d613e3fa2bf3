"""What to write in a schema, or on the command line, if cells or labels are not read."""

from __future__ import annotations

import shlex
from collections.abc import Iterable, Iterator
from typing import Any

from littlestone.classes.text.scales import scale_text
from littlestone.data.label import Condition, Label, condition_of_list
from littlestone.learn.declared.checking import (
    CODE,
    DATE,
    DAY,
    NUMBER,
    OTHER,
    OTHERWISE,
    OUTSIDE,
    READ,
    SPACES,
    SPELLING,
    UNDECODED,
    UNIT,
    UNLISTED,
    Counts,
)
from littlestone.learn.declared.schema_columns import heading, toml_text
from littlestone.learn.declared.written_forms import IN_WORDS, Marks, NumberMarks
from littlestone.points import Cells, Domain

_HOW_DAYS = '; where the month comes first "%m/%d/%Y"; years need four digits'

_HELP = {
    DATE: 'write in the schema type = "date", format = "%d.%m.%Y" and range = [2021-01-01, 2021-12-31]'
    + _HOW_DAYS,
    OTHERWISE: f'say how its days are written, such as format = "%d.%m.%Y"{_HOW_DAYS}',
    DAY: "if it holds no days, declare it otherwise, or leave it out of the class",
    SPELLING: "write in the schema ignore_case = true, or add each spelling to its list",
    SPACES: 'spaces count: add the value to its list with its spaces, between quotes, such as "F "',
    UNDECODED: 'say how the file is written, such as encoding = "latin-1" or "cp1252"',
    UNLISTED: "add its other values to its list, if they are public",
}
_WORDS = 'if it holds words, list them: values = ["yes", "no"]; otherwise leave it out of the class'
_MAY_BE_MISSING = {
    DAY: "cells that are no day count as missing already",
    NUMBER: "cells that are no number count as missing already",
    UNLISTED: "values that are not on the list count as another value",
}


def about_cells(counts: Counts) -> Iterator[str]:
    """What would help to read the cells of a column."""
    if counts.empty:
        yield "it has no values; leave it out of the class"
    of_numbers = {UNIT, *IN_WORDS}
    known = {READ, OUTSIDE, CODE} & counts.cells.keys()
    for why in counts.faults:
        # A column that is read elsewhere is not declared wrongly.
        if why not in of_numbers and not (known and why in (NUMBER, DAY)):
            yield _HELP.get(why, _WORDS)
        if why in _MAY_BE_MISSING:
            yield (
                f"{_MAY_BE_MISSING[why]}; if they mean missing, say so in the schema with their "
                'texts: missing = ["NA", "k.A."]'
            )
    codes = counts.cells.get(CODE, 0)
    if 2 * codes > counts.outside:
        yield (
            f"{codes:,} cells outside the range are -1, 9, 99 or the like: if such a number means "
            f'missing, write under {heading(counts.column)} missing = ["99"]; otherwise widen the range'
        )
    if counts.marks is None:
        return
    if of_numbers & counts.faults.keys():
        yield _about_numbers(counts.column, counts.marks)
    elif counts.marks.grouped:
        yield (
            "numbers such as 1.234 are read with a decimal point: if it stands between thousands, "
            f'write under {heading(counts.column)} decimal = "," and thousands = "."; if not, '
            'decimal = "." says so'
        )


def _about_numbers(column: str, found: NumberMarks) -> str:
    """What to write in the schema about the numbers of a column."""
    keys = [] if found.typed else ['type = "number"']
    keys += ['unit = "kg" (or what stands beside them)'] if found.units else []
    if found.marks != (found.now,):
        keys.append(" or else ".join(_marks_text(marks, found.now) for marks in found.marks))
    asked = [f"write under {heading(column)} {' and '.join(keys)}"] if keys else []
    if len(found.marks) > 1:
        asked.append(
            "the two read a number such as 1,234 as 1.234 and as 1234, and cells do not tell"
        )
    if found.units > 1:
        asked.append(
            f"units of {found.units:,} kinds stand there, so convert the numbers to one of them"
        )
    if found.changed:
        asked.append(f"cells that are read now, and as other numbers then: {found.changed:,}")
    if found.left:
        asked.append(f"numbers with other marks, so write all in one way: {found.left:,}")
    return "; ".join(asked)


def _marks_text(marks: Marks, now: Marks) -> str:
    decimal, thousands = marks
    shown = f"decimal = {toml_text(decimal)}"
    return f"{shown} and thousands = {toml_text(thousands)}" if thousands or now[1] else shown


def about_labels(counts: Counts, label: Label) -> Iterator[str]:
    """What would help to read the labels."""
    if counts.empty:
        yield "no record has a label; name another --target"
    several = counts.kinds.get(OTHER, 0)
    condition = label.condition
    for why in counts.faults:
        if why not in (SPELLING, SPACES, UNLISTED):
            if counts.marks is not None and why in (UNIT, *IN_WORDS):
                yield _about_numbers(counts.column, counts.marks)
            else:
                yield _HELP.get(why, "compare it with a value, not by order")
        elif condition is None:
            yield _ABOUT_NAMES[why]
        else:
            several = 0
            yield _about_condition(why, label, condition)
    if condition is not None and not (counts.faults or counts.empty or counts.cells.get(READ)):
        first, *more = str(condition.values[0]).split(",")
        both = f"; several values are {_list_positive(first, *more)}" if more else ""
        yield f"no record has a declared value: write it as the file does{both}"
    elif several > 1 and condition is not None and condition.relation != "!=":
        both = _list_positive(condition.values[0], "maybe")
        yield (
            f"its other labels are of {several:,} kinds, which all count as not positive: if one of "
            f"them is positive too, list both, such as {both}; then list all in the schema, as values"
        )


_ABOUT_NAMES = {
    SPELLING: "write in the schema ignore_case = true, if only the case differs",
    SPACES: "take the spaces out of the file: each label has one spelling",
    UNLISTED: "add its other values to --labels, if they should not count as the default",
}
"""What helps if there are several labels."""


def _about_condition(why: str, label: Label, condition: Condition) -> str:
    """What would help to read labels that are a value of the condition, but for how it is spelled."""
    if why == UNLISTED:
        return (
            f"{_HELP[why]}, and to `positive` those that are positive; if they mean missing, write "
            'in the schema missing = ["NA", "k.A."]'
        )
    column, given = heading(label.column), condition.values
    bare = given[0].strip()
    usual = bare.lower(), bare.capitalize(), bare.upper()
    spelled = (f" {bare}", f"{bare} ") if why == SPACES else usual
    asked = f"list every spelling, such as {_list_positive(*given, *spelled)}"
    if condition.relation == "!=":
        asked = f"list the positive values in place of !=, such as {_list_positive('A', 'B')}"
    listed = {*spelled} <= {*given}  # they are no news then, and others are there
    if why == SPACES:
        return "spaces count, so " + ("take them out of the file" if listed else asked)
    case = f"write under {column} ignore_case = true if only the case differs"
    return case if listed else f"{asked}, or {case}"


def _list_positive(*values: str) -> str:
    """How one declares that these values are positive."""
    distinct = list(dict.fromkeys(values))
    option = shlex.quote(condition_of_list(distinct))
    return (
        f"--positive {option}, or in the schema positive = [{', '.join(map(toml_text, distinct))}]"
    )


_NO_RANGE = (
    "cut at round numbers on a coarse public grid, below 0 and far above all records too; give a range "
    "for finer cuts, such as range = [0, 1000] and steps = 20"
)


def without_range(columns: Iterable[Domain[Any]]) -> str:
    """What to know of the columns of numbers that are declared by their types alone; else nothing.

    >>> from littlestone.classes.text.mixed_columns import parse_mixed
    >>> without_range([parse_mixed("nights: integer"), parse_mixed("age: 0..120 step 5")])
    'nights: cut at round numbers on a coarse public grid, ...'
    """
    names = [c.name for c in columns if type(c) is Cells and scale_text(c.starts)]
    return f"{', '.join(names)}: {_NO_RANGE}" if names else ""
