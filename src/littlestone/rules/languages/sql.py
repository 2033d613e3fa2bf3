"""Rules as SQL for PostgreSQL, DuckDB and SQLite, through sqlglot.

It is known for these three which values a database treats as equal.  A name or a text becomes SQL
only through sqlglot's builders, so none can end its quotes.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from math import ceil
from typing import TYPE_CHECKING, Any, ClassVar

from littlestone.base.discovery import require_package
from littlestone.base.errors import (
    DeclarationError,
    did_you_mean,
    show_value,
)
from littlestone.rules.languages import constants
from littlestone.rules.languages.constants import (
    decimal,
    is_short,
    is_shortest_real,
    nearest,
    values_of,
)
from littlestone.rules.languages.form import Days, OneOf, Outcome, Total, Within, cells
from littlestone.rules.languages.sql_dialect import Dialect

if TYPE_CHECKING:
    from sqlglot import Expression


_LINE, _WIDTH = 150, 120
"""SQL of more characters is written in lines, one to a condition; and functions of more in several."""


def write_sql(
    rule: Outcome | Total,
    dialect: str,
    types: Mapping[str, str],
    names: Sequence[str | float] | None,
) -> str:
    """The SQL expression of a rule, with a text or a number for each label; see `Hypothesis.to_sql`."""
    if isinstance(rule, Total):
        return _write_total(rule, dialect, types, names or (0, 1))
    form = _dialect(dialect, [rule], names)(types, names)
    return _write_lines(form, form.top(rule))


def _write_total(
    rule: Total, dialect: str, types: Mapping[str, str], values: Sequence[str | float]
) -> str:
    """A sum of CASE expressions, compared with ``least``, or else as one of the totals.

    It is NULL if a part is.
    """
    kind = _dialect(dialect, [part.outcome for part in rule.parts], values)
    total: Any = None
    for _, outcome, numbers in rule.parts:
        form = kind(types, list(numbers))
        own = form.top(outcome)
        total = own if total is None else form.exp.Add(this=total, expression=own)
    form = kind(types, None)
    total = form.exp.Paren(this=form.literal(0) if total is None else total)
    # A CASE with an operand names the sum once, and a NULL matches none of its values.
    cases: list[tuple[Any, str | float]]
    if rule.least is None:
        cases = [(form.literal(t), float(v)) for t, v in zip(rule.totals, values, strict=True)]
    else:
        total = form.exp.Paren(this=form.exp.GTE(this=total, expression=form.literal(rule.least)))
        cases = [(form.exp.Boolean(this=bool(y)), values[y]) for y in (1, 0)]
    ifs = [form.exp.If(this=when, true=form.literal(value)) for when, value in cases]
    return _write_lines(form, form.exp.Case(this=total, ifs=ifs))


def _dialect(
    dialect: str, outcomes: Sequence[Outcome], names: Sequence[str | float] | None
) -> type[Dialect]:
    """The form of a database, once all that is to be written is known to be plain."""
    known: dict[object, type[Dialect]] = {kind.name: kind for kind in (Postgres, DuckDb, Sqlite)}
    if dialect not in known:
        raise DeclarationError(
            f"write the rule as SQL for {show_value(dialect)}",
            found="nothing is known about when that database treats two values as equal",
            fix=did_you_mean(str(dialect), map(str, known), "use one of: postgres, duckdb, sqlite"),
        )
    require_package("sqlglot", "write the rule as SQL", "sql")
    found = [cell for outcome in outcomes for cell in cells(outcome)]
    _require_plain([cell.column for cell in found])
    _require_plain([v for cell in found if isinstance(cell, OneOf) for v in cell.values])
    _require_plain([name for name in names or () if isinstance(name, str)])
    return known[dialect]


def _write_lines(form: Dialect, found: Expression) -> str:
    line = str(found.sql(dialect=form.quoting(), identify=True))
    if len(line) <= _LINE:
        return line
    return str(found.sql(dialect=form.quoting(), identify=True, pretty=True, max_text_width=_WIDTH))


def _require_plain(written: Sequence[str]) -> None:
    """Raise `DeclarationError` for a text with a NUL, at which databases end a statement."""
    if any("\0" in each for each in written):
        raise DeclarationError(
            "write the rule as SQL",
            found="a name or a value of it contains the character NUL",
            fix="predict with `littlestone predict`",
        )


class _TypedDialect(Dialect):
    """A database whose columns have one type each, where NaN is a float above all others."""

    def _within(self, column: Expression, cell: Within, kind: str | None) -> Expression:
        bounds = [v for v in (cell.low, cell.high) if v is not None]
        plain = all(self._is_plain(v, kind) for v in bounds)
        found = self._exactly(column, cell) if plain else self._dispatch(column, cell)
        if cell.high is not None:  # NaN is not below it
            return found
        return self._all([found, self.exp.NEQ(this=column, expression=self._nan())])

    @abstractmethod
    def _is_plain(self, value: Fraction, kind: str | None) -> bool:
        """Whether comparing a number of that type with the constant compares its shortest form."""

    @abstractmethod
    def _dispatch(self, column: Expression, cell: Within) -> Expression:
        """Whether the shortest form of a number of any type is within the bounds."""

    @abstractmethod
    def _nan(self) -> Expression:
        """NaN, which numbers of every type can be compared with."""

    def _one_of(self, column: Expression, cell: OneOf, kind: str | None) -> list[Expression]:
        values: list[Any] = values_of(cell, kind or "text")
        missing = "" in cell.values
        if kind == "boolean":
            return [column if v else self.exp.not_(column) for v in values]
        if kind == "integer":
            return self._in(column, list(map(self._number, values)))
        if kind in ("double", "real"):
            found = [*map(self._float, values), *([self._not_a_number()] if missing else [])]
            if kind == "real":
                found = [self._cast(v, "REAL") for v in found]
            return self._in(column, found)
        values += [""] if missing and kind in (None, "text") else []
        values += ["NaN"] if missing and kind == "decimal" else []
        text = self._text_alone(column) if kind is None else self._cast(column, "TEXT")
        return self._in(self._bytes(text), list(map(self._text, values)))

    def _lines(self, columns: Sequence[str]) -> list[Expression]:
        """The cells of the columns declared as text, one to a line, if there are any."""
        texts = [self._column(column) for column in columns if self.types.get(column) == "text"]
        newline = self._call("CHR", self._number(10))
        return [self._call("CONCAT_WS", newline, *texts)] if texts else []

    def _letters(self, column: Expression) -> Expression:
        return self._part(column, constants.LETTERS)

    def _part(self, column: Expression, core: str) -> Expression:
        """The part of that pattern in a text that otherwise has only white space; or no number."""
        return self._first(column, constants.alone(core))

    def _shows_day(self, column: Expression, cell: Days) -> Expression:
        # Such texts are in the order of their days.
        return self._between(self._bytes(self._first(column, constants.day(self.code))), *cell.ends)

    code: ClassVar[str]
    """How a pattern writes a character by its number."""

    @abstractmethod
    def _first(self, column: Expression, pattern: str) -> Expression:
        """The first group of the pattern in a text; NULL or empty if it does not match."""

    def _bytes(self, text: Expression) -> Expression:
        """The text compared byte by byte, whatever the column's own collation ignores."""
        return self.exp.paren(self._binary(text), copy=False)

    def _binary(self, text: Expression) -> Expression:
        return self.exp.Collate(this=text, expression=self.exp.to_identifier("C", quoted=True))

    def _not_a_number(self) -> Expression:
        return self._cast(self._text("NaN"), "DOUBLE")

    @abstractmethod
    def _text_alone(self, column: Expression) -> Expression:
        """The text of a cell without padding; the database refuses columns of other types."""


class Postgres(_TypedDialect):
    """PostgreSQL."""

    name, code = "postgres", r"\u{:04x}"

    def _is_plain(self, value: Fraction, kind: str | None) -> bool:
        if kind == "decimal":
            return True
        # A real is compared as a double, which is not its shortest form.
        return is_short(value) if kind == "double" else is_shortest_real(value)

    def _dispatch(self, column: Expression, cell: Within) -> Expression:
        # The text of a float is its shortest form, and a decimal of any size is made of it.
        return self._exactly(self._cast(self._cast(column, "TEXT"), "DECIMAL"), cell)

    def _nan(self) -> Expression:
        return self._cast(self._text("NaN"), "DECIMAL")

    def _text_alone(self, column: Expression) -> Expression:
        # A cast would take any type.  Without, a char(n) would ignore spaces, and a citext case.
        return self._call("SUBSTR", column, self._number(1))

    def _unsure(self, columns: Sequence[str]) -> list[Expression]:
        # A decimal may be as long as it likes; a pattern repeats nothing more often than this.
        pattern = self._bytes(self._text(constants.unsure(255)))
        return [
            self.exp.RegexpLike(this=lines, expression=pattern) for lines in self._lines(columns)
        ]

    def _shows_number(self, column: Expression, cell: Within) -> Expression:
        return self._exactly(self._cast(self._part(column, constants.NUMBER), "DECIMAL"), cell)

    def _first(self, column: Expression, pattern: str) -> Expression:
        # The pattern's collation is explicit, so it is the one that counts.
        found = self._binary(self._text(pattern))
        return self._call("SUBSTRING", self._cast(column, "TEXT"), found)


class DuckDb(_TypedDialect):
    """DuckDB."""

    name, code = "duckdb", r"\x{{{:x}}}"

    def _is_plain(self, value: Fraction, kind: str | None) -> bool:
        # A constant becomes a float before a float is compared with it.
        digits = len(decimal(value).as_tuple().digits)
        return is_short(value) and (digits <= 6 or kind in ("double", "decimal"))

    def _dispatch(self, column: Expression, cell: Within) -> Expression:
        kind = self._typeof(column)
        floats = self._in(kind, [self._text("DOUBLE"), self._text("FLOAT")])
        # As a double a real is no longer in its shortest form, but as a text it is.
        shortest = self._cast(self._cast(column, "TEXT"), "DOUBLE")
        exact = self._bound_range(column, cell, self._bound)
        return self.exp.case().when(floats[0], self._as_floats(shortest, cell)).else_(exact)

    def _bound(self, value: Fraction) -> tuple[bool, Expression]:
        if abs(value) < 10**37 and len(decimal(value).as_tuple().digits) <= 37:
            return False, self._number(decimal(value))
        # No decimal is that long, so the greatest whole numbers are compared as doubles.
        return nearest(value)[0], self._cast(self._float(nearest(value)[1]), "DOUBLE")

    def _nan(self) -> Expression:
        return self._not_a_number()

    def _text_alone(self, column: Expression) -> Expression:
        return column

    def _unsure(self, columns: Sequence[str]) -> list[Expression]:
        pattern = self._text(constants.unsure(constants.MOST_CHARACTERS + 1))
        return [self._call("REGEXP_MATCHES", lines, pattern) for lines in self._lines(columns)]

    def _shows_number(self, column: Expression, cell: Within) -> Expression:
        part = self._part(column, constants.SHORT_NUMBER)
        return self._as_floats(
            self.exp.TryCast(this=part, to=self.exp.DataType.build("DOUBLE")), cell
        )

    def _first(self, column: Expression, pattern: str) -> Expression:
        cell, found = self._cast(column, "TEXT"), self._text(pattern)
        return self._call("REGEXP_EXTRACT", cell, found, self._number(1))


class Sqlite(Dialect):
    """SQLite, where each value has a type of its own, and NaN is stored as NULL."""

    name = "sqlite"
    dated = ("text",)

    def quoting(self) -> Any:
        # SQLite takes "NAME" for the text 'NAME' where the table has no such column, and answers.
        # In backticks a name is a name, and a missing column an error.
        from sqlglot.dialects.sqlite import SQLite

        class Backticks(SQLite):  # type: ignore[misc]
            class Tokenizer(SQLite.Tokenizer):  # type: ignore[misc]
                IDENTIFIERS: ClassVar = ["`"]

        return Backticks

    def _within(self, column: Expression, cell: Within, kind: str | None) -> Expression:
        return self._compare_stored(column, cell, lambda constant: constant)

    def _compare_stored(
        self, column: Expression, cell: Within, real: Callable[[Expression], Expression]
    ) -> Expression:
        """Whether a cell is within bounds, where ``real`` is applied to all but whole constants."""
        if all(is_short(v) for v in (cell.low, cell.high) if v is not None):
            return self._bound_range(
                column, cell, lambda v: (False, real(self._number(decimal(v))))
            )

        def bound(v: Fraction) -> tuple[bool, Expression]:
            strict, number = nearest(v)
            return strict, real(self._float(number))

        whole = self._bound_range(column, cell, lambda v: (False, self._number(ceil(v))))
        case = self.exp.case(self._typeof(column)).when(self._text("integer"), whole)
        return case.else_(self._bound_range(column, cell, bound))

    def _shows_number(self, column: Expression, cell: Within) -> Expression:
        # Beside a CAST to a number, a text that is one counts as a number, white space and all.
        found = self._compare_stored(column, cell, lambda constant: self._cast(constant, "DOUBLE"))
        return found if cell.high is not None else self._all([found, self._is_number(column)])

    def _shows_day(self, column: Expression, cell: Days) -> Expression:
        blanks = self._call("CHAR", *map(self._number, constants.BLANKS))
        shown, (first, last) = self._trim(column, blanks), cell.ends
        start = self._call("SUBSTR", shown, self._number(1), self._number(10))
        # Computed with, a day that its month does not have is another one.
        day = self._call("DATE", start, self._text("+0 days"))
        pattern = self.exp.DPipe(this=day, expression=self._text("[T ]*"))
        ended = self.exp.paren(self.exp.DPipe(this=shown, expression=self._text(" ")))
        return self._all(
            [
                self.exp.EQ(this=self._typeof(column), expression=self._text("text")),
                self.exp.Glob(this=ended, expression=self.exp.paren(pattern)),
                # What follows the day decides nothing: "T" and " " are less than "~".
                self._between(shown, first, f"{last}~"),
            ]
        )

    def _is_number(self, column: Expression) -> Expression:
        """Whether a cell is a number or a text read as one; all other texts are above these."""
        return self.exp.LTE(this=column, expression=self._cast(self.infinity(), "DOUBLE"))

    def _letters(self, column: Expression) -> Expression:
        return self._trim(column, self.exp.HexString(this=constants.SPACES))

    def _trim(self, column: Expression, characters: Expression) -> Expression:
        return self.exp.Trim(this=column, expression=characters, position="BOTH")

    def _unsure(self, columns: Sequence[str]) -> list[Expression]:
        return [unsure for column in columns for unsure in self._unsure_of(column)]

    def _unsure_of(self, name: str) -> list[Expression]:
        column = self._column(name)
        if self.types.get(name) != "text":
            return self._in(self._typeof(column), [self._text("text"), self._text("blob")])
        is_text = self.exp.EQ(this=self._typeof(column), expression=self._text("text"))
        digits = self._call("LENGTH", self._trim(column, self._text(" +-")))
        most = self._number(constants.MOST_CHARACTERS)
        long = self.exp.GT(this=digits, expression=most)
        lower = self._call("LOWER", column)
        letters = self._call("REPLACE", lower, self._text("fa"), self._text(""))
        strange = self._has(self._letters(column), constants.STRANGE)
        case = self.exp.case().when(
            self._is_number(column), self._any([long, self._has(column, "[eE]")])
        )
        other = self._all(
            [
                self.exp.not_(self._has(letters, constants.NEVER)),
                self._any([strange, self._has(lower, "inf")]),
            ]
        )
        return [self._all([is_text, case.else_(other)])]

    def _has(self, text: Expression, part: str) -> Expression:
        return self.exp.Glob(this=text, expression=self._text(f"*{part}*"))

    def _one_of(self, column: Expression, cell: OneOf, kind: str | None) -> list[Expression]:
        # Compared with its type, or a column of numbers would turn the text into one.
        binary = self.exp.Collate(this=column, expression=self.exp.Var(this="BINARY"))
        texts = [
            self._text(v) for v in [*values_of(cell, "text"), *([""] if "" in cell.values else [])]
        ]
        wholes = list(map(self._number, values_of(cell, "integer")))
        floats = list(map(self._float, values_of(cell, "double")))
        found: list[Expression] = []
        for kind_, value, values in (
            ("text", binary, texts), ("integer", column, wholes), ("real", column, floats),
        ):  # fmt: skip
            if values:
                is_kind = self.exp.EQ(this=self._typeof(column), expression=self._text(kind_))
                found.append(self._all([is_kind, *self._in(value, values)]))
        return found

    def infinity(self, negative: bool = False) -> Expression:
        return self.exp.Literal.number("-9e999" if negative else "9e999")
