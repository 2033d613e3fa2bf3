"""The small text language in which people declare classes: ``keyword(argument, ...; option, ...)``."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from decimal import Decimal
from fractions import Fraction
from math import ceil, floor
from typing import Any, Self

from littlestone.base.errors import DeclarationError, TooLargeError, did_you_mean, show_value
from littlestone.classes.text.scales import TYPED
from littlestone.points import Domain, Grid, Integers, Reals, Strings, number

# Each limit is far above what people write, and low enough that every text is read quickly.  A class
# that needs a lower limit states it in its own file.
MOST_CHARACTERS = 20_000
MOST_DEPTH = 16
"""Nested parentheses, including those of the class itself."""
MOST_ARGUMENTS = 1_000
"""Columns or classes in one pair of parentheses."""

_SHOWN = 60


def require_at_most(most: int, found: int, what: str, text: str, fix: str) -> None:
    """Raise `TooLargeError` if a text has ``found`` > ``most`` of ``what``.

    >>> require_at_most(2, 2, "columns", "points(a, b)", "name fewer")
    """
    if found > most:
        shown = text if len(text) <= _SHOWN else f"{text[:_SHOWN]}..."
        raise TooLargeError(
            f"read the class {shown!r}",
            found=f"it has {found:,} {what}, at most {most:,} are read",
            fix=fix,
        )


A_RANGE_OF_DAYS = "range = [2021-01-01, 2021-12-31]"

HOW_TO_DECLARE = (
    'type = "number", range = [0, 120] or values = ["F", "M"], and for days type = "date" and '
    + A_RANGE_OF_DAYS
)
"""What a schema may say of a column that it leaves open."""

ALL = "*"
"""The argument that stands for columns of a schema."""


@dataclass(frozen=True)
class SchemaColumns:
    """The columns that a schema declares, as a class reads them.

    ``texts`` gives by name the argument that declares a column, such as ``age 0..120 step 5``.  It is
    empty for a column whose range or values the schema leaves open.  ``all`` are the names that ``*``
    stands for.
    """

    texts: Mapping[str, str] = field(default_factory=dict)
    all: tuple[str, ...] = ()

    def require(self, name: str) -> None:
        """Raise `DeclarationError` if there is a schema, and it has no column of this name."""
        if self.texts and name not in self.texts:
            raise DeclarationError(
                f"use the column {name!r}",
                found="the schema has no such column",
                fix=did_you_mean(name, self.texts, "name a column of the schema, or add it there"),
            )


NO_SCHEMA = SchemaColumns()


@dataclass(frozen=True)
class Spec:
    """A parsed declaration: a keyword, its arguments, and the options after the semicolon.

    Arguments are separated by commas.  Write an argument that contains a comma, a semicolon, a
    parenthesis or a brace in quotes, ``'...'`` or ``"..."``, and double a quote inside it.  An argument
    may also be a declaration with its own parentheses, or hold a list in braces.  A text has limits:
    20,000 characters, 16 nested parentheses, 1,000 arguments.
    ``labels`` is the number of labels that is declared beside the text, and ``schema`` are the columns
    that are declared beside it.

    >>> Spec.parse("thresholds(dep_delay, -60..1440; step 0.5)")
    Spec(keyword='thresholds', arguments=('dep_delay', '-60..1440'), options=('step 0.5',))
    """

    keyword: str
    arguments: tuple[str, ...]
    options: tuple[str, ...] = ()
    labels: int = field(default=2, repr=False)
    schema: SchemaColumns = field(default=NO_SCHEMA, repr=False, compare=False)

    @classmethod
    def parse(cls, text: str, labels: int = 2, *, entries: str = "arguments") -> Spec:
        """Read the text of a declaration.  Raises `DeclarationError` if it is not one.

        A text beyond a limit is refused with a `TooLargeError` that names it; ``entries`` is what the
        error calls the parts between commas.
        """
        fix = "shorten names, or declare fewer columns"
        require_at_most(MOST_CHARACTERS, len(text), "characters", text, fix)
        match = re.fullmatch(r"\s*(\w+)\s*\((.*)\)\s*", text, flags=re.DOTALL)
        if match is None and re.match(r"\s*\w+\s*\(", text):
            raise _unreadable(text, "it does not end with a parenthesis")
        if match is None:
            raise _unreadable(text)
        sections: list[list[str]] = [[""]]
        depth, deepest, quote = 0, 0, ""
        for char in match[2]:
            if quote:
                quote = "" if char == quote else quote
            elif char in "'\"":
                quote = char
            elif char in "(){}":
                depth += 1 if char in "({" else -1
                deepest = max(deepest, depth)
            if char == ";" and not quote and depth == 0:
                sections.append([""])
            elif char == "," and not quote and depth == 0:
                sections[-1].append("")
            else:
                sections[-1][-1] += char
            if depth < 0:
                raise _unreadable(text, "a parenthesis or brace closes nothing")
        if quote:
            raise DeclarationError(
                f"read the class {text!r}",
                found=f"a quotation mark {quote} is open at its end",
                fix="close it; a name with one inside is written 'it''s'",
            )
        if depth:
            raise _unreadable(text, "a parenthesis or a brace is open at its end")
        if len(sections) > 2:
            raise DeclarationError(
                f"read the class {text!r}",
                found="it has more than one semicolon",
                fix="put commas between options: conditions(age: 0..120 step 5; at most 2, any of)",
            )
        fix = "combine fewer classes: the complement of a complement is the class itself"
        require_at_most(MOST_DEPTH, 1 + deepest, "nested parentheses", text, fix)
        most = max(map(len, sections))
        require_at_most(MOST_ARGUMENTS, most, entries, text, "declare fewer columns")
        parts = [tuple(map(_bare, section)) for section in sections]
        if any("" in part for part in parts) and match[2].strip():
            raise _unreadable(text)
        arguments, options = parts[0], parts[1] if len(parts) > 1 else ()
        return cls(match[1], arguments if arguments != ("",) else (), options, labels)

    def under(self, schema: SchemaColumns) -> Self:
        """The same declaration beside a schema, whose columns take the place of each argument ``*``.

        >>> schema = SchemaColumns({"age": "age 0..9", "ward": "ward"}, ("age", "ward"))
        >>> print(Spec.parse("trees(*; depth 2)").under(schema))
        trees(age, ward; depth 2)
        """
        if ALL in self.arguments and not schema.all:
            raise DeclarationError(
                f"read the class {self}",
                found=f"{ALL} stands for the columns of a schema, and "
                + ("the schema has no columns to learn from" if schema.texts else "there is none"),
                fix="write the columns one by one, or give a `schema`, such as schema.toml",
            )
        listed = [schema.all if name == ALL else (name,) for name in self.arguments]
        arguments = tuple(name for names in listed for name in names)
        fix = "leave columns out of the schema, or write the columns of the class"
        require_at_most(MOST_ARGUMENTS, len(arguments), "arguments", str(self), fix)
        return replace(self, arguments=arguments, schema=schema)

    def argument_text(self, argument: str) -> str:
        """The argument that declares a column: the schema's for a name of the schema, or the same.

        Raises `DeclarationError` if the schema leaves the range and the values of the column open.
        """
        text = self.schema.texts.get(argument, argument)
        if not text:
            raise DeclarationError(
                f"read the class {self}",
                found=f"the schema gives no range and no values for {argument!r}",
                fix=f"in the schema, add a line to the column {argument!r}, such as {HOW_TO_DECLARE}; "
                "or delete the column there, or list others than *",
            )
        return text

    def expect(self, form: str, arguments: int, *, options: tuple[str, ...] = ()) -> None:
        """Raise `DeclarationError` unless there are ``arguments`` arguments and only known options.

        ``options`` are the first words that an option may start with; ``form`` shows the legal form.
        """
        unknown = [option for option in self.options if option.split()[0] not in options]
        words = [option.split()[0] for option in self.options]
        given = len(self.arguments)
        if given != arguments:
            wanted = arguments if given else f"at least {arguments}"
            found = f"the number of its arguments is {given} in place of {wanted}"
        elif unknown:
            found = f"option {unknown[0]!r} is unknown"
        elif len(set(words)) < len(words):
            found = "an option is given twice"
        else:
            return
        raise self.form_error(found, form)

    def form_error(self, found: str, form: str) -> DeclarationError:
        """The error that this text is not of this form.

        >>> print(Spec.parse("points(a, b)").form_error("there are two columns", "points(COLUMN)"))
        cannot read the class points(a, b): there are two columns
        to fix it: write points(COLUMN)
        """
        return DeclarationError(f"read the class {self}", found=found, fix=f"write {form}")

    def expect_columns(self, form: str, *, options: tuple[str, ...] = ()) -> None:
        """Like `expect`, with any number of arguments except 0."""
        self.expect(form, max(1, len(self.arguments)), options=options)

    def flag(self, name: str) -> bool:
        """Whether the option ``name`` is given; `DeclarationError` if it has a value."""
        value = self.option(name)
        if value:
            raise DeclarationError(
                f"read the class {self}",
                found=f"the option {name!r} takes no value",
                fix=f"write {name} alone after the semicolon",
            )
        return value is not None

    def whole(self, name: str) -> int:
        """The whole number that the option ``name`` gives; `DeclarationError` if it gives none."""
        value = self.option(name)
        if value is None or not re.fullmatch(r"\d{1,9}", value):
            raise DeclarationError(
                f"read the class {self}",
                found=f"the option {name!r} must give a whole number",
                fix=f"write an option such as '; {name} 2'",
            )
        return int(value)

    def option(self, name: str) -> str | None:
        """The text after the word ``name`` among the options; None if the option is absent."""
        for option in self.options:
            word, _, rest = option.partition(" ")
            if word == name:
                return _bare(rest)
        return None

    def number_after(self, words: str) -> int | None:
        """The whole number of at most nine digits after ``words``; None if there is no such option.

        >>> Spec.parse("subsets(merchant; at most 3)").number_after("at most")
        3
        """
        for option in self.options:
            *before, digits = option.split()
            if before == words.split() and re.fullmatch(r"[0-9]{1,9}", digits):
                return int(digits)
        return None

    def __str__(self) -> str:
        options = "; " + ", ".join(self.options) if self.options else ""
        return f"{self.keyword}({', '.join(map(_show_argument, self.arguments))}{options})"


def _bare(argument: str) -> str:
    argument = argument.strip()
    for quote in "'\"":
        if len(argument) >= 2 and argument[0] == argument[-1] == quote:
            return argument[1:-1].replace(quote * 2, quote)
    return argument


def _show_argument(argument: str) -> str:
    """The argument in quotes if it needs them; the braces of a list do without."""
    listed = re.fullmatch(r"[^,;(){}'\"]+\{[^;(){}'\"]*\}", argument)
    return argument if listed else quote_argument(argument)


def quote_argument(argument: str) -> str:
    """``argument`` as written in a declaration, in quotes if it needs them."""
    if not re.search(r"[,;(){}'\"]|^\s|\s$|^$", argument):
        return argument
    return "'" + argument.replace("'", "''") + "'"


def _unreadable(
    text: str, found: str = "it is not of the form keyword(argument, ...; option, ...)"
) -> DeclarationError:
    return DeclarationError(
        f"read the class {text!r}",
        found=found,
        fix="write a class such as thresholds(dep_delay, -60..1440)",
    )


def parse_range(name: str, text: str, step: str | None) -> Grid | Reals:
    """The ordered domain that ``low..high`` or ``reals`` declares, in steps of ``step`` (default 1).

    >>> parse_range("price", "0..1.5", "0.5")
    Grid(low=0, high=3, name='price', unit=Decimal('0.5'))
    """
    if text == "reals" and step is None:
        return Reals(name)
    low, dots, high = text.partition("..")
    unit = number(step) if step is not None else Decimal(1)
    ends = [number(low), number(high)]
    if not dots or unit is None or any(end is None or not end.is_finite() for end in ends):
        raise DeclarationError(
            f"read the range {text!r}" + (f" in steps of {step!r}" if step is not None else ""),
            found="it is not low..high with numbers at both ends",
            fix="write a range such as -60..1440, or 0..100; step 0.01, or reals",
        )
    if not unit.is_finite() or unit <= 0:
        raise DeclarationError(
            f"declare a range in steps of {step}",
            found="the step must be a positive number",
            fix="give a step such as 1 or 0.01",
        )
    # Compared as decimals first, because the fraction of 1e999999 would fill the memory.
    whole = [
        Fraction(end) / Fraction(unit)
        for end in ends
        if end is not None and max(abs(end.adjusted()), abs(unit.adjusted())) < 100
    ]
    if len(whole) < 2 or any(k.denominator != 1 or abs(k) > 2**65 for k in whole):
        fix = "move the ends to multiples of the step, or add a finer one: '; step 0.01'"
        if len(whole) == 2 and all(abs(k) <= 2**65 for k in whole):
            wider = f"{floor(whole[0]) * unit}..{ceil(whole[1]) * unit}; step {unit}"
            fix = f"write {wider}, or give a finer step"
        raise DeclarationError(
            f"declare the range {text} in steps of {unit}",
            found="an end of the range is not a whole number of steps within 2^64",
            fix=fix,
        )
    return Grid(int(whole[0]), int(whole[1]), name, unit)


_DAYS = re.compile(r"\d{4}-\d\d-\d\d\.\.\d{4}-\d\d-\d\d", re.ASCII)


def _refuse_days(spec: Spec) -> None:
    """Raise `DeclarationError` for a range of days, which classes on ranges of numbers do not read."""
    for argument in map(spec.argument_text, spec.arguments):
        if found := _DAYS.search(argument):
            name = argument[: found.start()].strip(" :")
            if not name:  # thresholds(NAME, RANGE) has it in another argument
                name = spec.arguments[0] if len(spec.arguments) > 1 else "COLUMN"
            raise DeclarationError(
                f"read the class {spec}",
                found=f"its columns are ranges of numbers, and {found[0]} is one of days",
                fix=f"write conditions({name}: {found[0]} step 1 month; at most 1), with rules such as "
                f"{name} >= {found[0][:10]}",
            )


def _refuse_types(spec: Spec) -> None:
    """Raise `DeclarationError` for a column with a type alone, for classes that need a range."""
    for argument in map(spec.argument_text, spec.arguments):
        if match := TYPED.fullmatch(argument):
            name = _bare(match["name"])
            raise DeclarationError(
                f"read the class {spec}",
                found=f"it needs the range of {name!r}, which is declared by its type alone",
                fix=f"give a range, such as {name} 0..120, in a schema range = [0, 120]; or learn "
                f"conditions({name}: {match['kind']}; at most 1), which needs none",
            )


_TYPED = re.compile(r"(strings|integers)\s*\(.*\)", re.DOTALL)


def parse_column(text: str) -> Strings | Integers:
    """The open column that NAME, strings(NAME), integers(NAME) or NAME: integer declares.

    >>> parse_column("origin"), parse_column("integers(hour)"), parse_column("hour: integer")
    (Strings(name='origin'), Integers(name='hour'), Integers(name='hour'))
    """
    if not _TYPED.fullmatch(text):
        name, colon, kind = text.rpartition(":")
        return Integers(_bare(name)) if colon and kind.strip() == "integer" else Strings(text)
    spec = Spec.parse(text)
    spec.expect(f"{spec.keyword}(COLUMN)", 1)
    return (Integers if spec.keyword == "integers" else Strings)(spec.arguments[0])


def require_open(argument: str) -> None:
    """Raise `DeclarationError` for a column with a range or a list, which open columns do not have.

    >>> require_open("ward in {ICU, ER}")
    Traceback (most recent call last):
    littlestone.base.errors.DeclarationError: ...
    """
    if match := re.fullmatch(r"(.+?)(:\s*-?\d\S*\.\.| in \{).*", argument, re.DOTALL):
        name = match[1].strip()
        raise DeclarationError(
            f"read the column {argument}",
            found="it has a range or a list of values, and this class takes any value",
            fix=f"write {name} alone, or integers({name}) for whole numbers; conditions({argument}; at "
            "most 1) takes ranges and lists",
        )


def parse_open(spec: Spec) -> tuple[Strings | Integers, ...]:
    """The open columns that the arguments of a class declare, `parse_column` by `parse_column`.

    A column that the schema declares as open has the type that it has there, and any other column of
    the schema is one of texts.

    >>> beside = SchemaColumns({"hour": "integers(hour)", "day": "day 0..6"}, ("hour", "day"))
    >>> parse_open(Spec.parse("rules(*)").under(beside))
    (Integers(name='hour'), Strings(name='day'))
    """
    columns = []
    for name in spec.arguments:
        text = spec.schema.texts.get(name)
        if text is None:
            require_open(name)
        column = parse_column(name if text is None else text)
        columns.append(column if text is None or column.name == name else Strings(name))
    return tuple(columns)


def parse_ranged(spec: Spec) -> Grid | Reals:
    """The ordered domain of ``KEYWORD(COLUMN, LOW..HIGH; step STEP)``; a schema may give the range.

    >>> beside = SchemaColumns({"age": "age 0..120 step 5"})
    >>> parse_ranged(Spec.parse("thresholds(age)").under(beside)).size
    25
    """
    _refuse_days(spec)
    if len(spec.arguments) == 1 and spec.arguments[0] in spec.schema.texts:
        spec.expect(f"{spec.keyword}(COLUMN)", 1)
        [grid] = parse_grids(spec)
        return grid
    spec.expect(f"{spec.keyword}(COLUMN, LOW..HIGH; step STEP)", 2, options=("step",))
    return parse_range(spec.arguments[0], spec.arguments[1], spec.option("step"))


def column_text(column: Domain[Any]) -> str:
    """The text that `parse_column` reads."""
    name = quote_argument(column.name)
    if isinstance(column, Integers):
        return f"integers({name})"
    strange = _TYPED.fullmatch(column.name) or isinstance(parse_column(column.name), Integers)
    return f"strings({name})" if strange else name


def require_grids(grids: Sequence[Grid], kind: str) -> None:
    """Raise `DeclarationError` unless ``grids`` is a list of grids: a domain of points never ends.

    >>> require_grids([Grid(0, 23, "hour")], "boxes")
    """
    if not isinstance(grids, list | tuple) or not all(isinstance(grid, Grid) for grid in grids):
        raise DeclarationError(
            f"declare {kind} over {show_value(grids)}",
            found="it is not a list of grids",
            fix=f"give one grid for each column, as in {kind}.over([Grid(0, 23, 'hour')])",
        )


def parse_grids(spec: Spec) -> list[Grid]:
    """The grids that the arguments ``name low..high`` of a class declare, each with an optional step.

    >>> parse_grids(Spec.parse("boxes(dep_hour 0..23, dep delay -60..60 step 10)"))[1].size
    13
    """
    _refuse_days(spec)
    _refuse_types(spec)
    form = f"{spec.keyword}(COLUMN LOW..HIGH, COLUMN LOW..HIGH step STEP, ...)"
    spec.expect_columns(form)
    grids = []
    for argument in map(spec.argument_text, spec.arguments):
        name, written, step = _grid_parts(argument)
        # A range inside a name means a forgotten comma, unless the name is in quotes.
        forgotten = ".." in name and name == _bare(name)
        domain = parse_range(_bare(name), written, step) if written else None
        if forgotten or not isinstance(domain, Grid):
            raise spec.form_error(f"{argument!r} is not a column with a finite range", form)
        grids.append(domain)
    return grids


def _grid_parts(argument: str) -> tuple[str, str, str | None]:
    """The name, range and step of ``name low..high step s``; an empty range for any other text.

    >>> _grid_parts("dep delay -60..60 step 10"), _grid_parts("my step 0..5")
    (('dep delay', '-60..60', '10'), ('my step', '0..5', None))
    """
    match argument.rsplit(maxsplit=1):
        case [name, written] if ".." in written[1:-1]:
            return name, written, None
    match argument.rsplit(maxsplit=3):
        case [name, written, "step", step] if ".." in written[1:-1]:
            return name, written, step
    return "", "", None


def range_text(grid: Grid) -> str:
    """The range of a grid as `parse_range` reads it."""
    return f"{grid.words(grid.low)}..{grid.words(grid.high)}"


def grid_text(grid: Grid) -> str:
    """A grid as an argument that `parse_grids` reads."""
    step = "" if grid.unit == 1 else f" step {grid.unit}"
    return quote_argument(f"{grid.name} {range_text(grid)}{step}")
