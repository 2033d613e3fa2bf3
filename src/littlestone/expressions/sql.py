"""Rules as SQL for PostgreSQL, DuckDB and SQLite, through sqlglot.

What a database takes for equal is known of these three.  A name or a text becomes SQL through
sqlglot's builders alone, so none can end its quotes.  SQL has a third truth value, NULL.  Here a cell
condition is NULL or false where it does not hold, and only ``IS TRUE`` is asked of one, so none
reaches a NOT.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from decimal import Decimal
from fractions import Fraction
from math import ceil, isinf
from typing import TYPE_CHECKING, Any, ClassVar

from littlestone.errors import (
    DeclarationError,
    OutputError,
    did_you_mean,
    install_command,
    shown,
)
from littlestone.expressions.constants import (
    EXACT,
    decimal,
    is_short,
    is_shortest_real,
    nearest,
    truths,
    values_of,
)
from littlestone.expressions.form import (
    Both,
    Case,
    Condition,
    Either,
    Not,
    OneOf,
    Outcome,
    Within,
    cells,
)
from littlestone.expressions.sql_texts import Number, number_in_text

if TYPE_CHECKING:
    from sqlglot import Expression


def written(
    outcome: Outcome, dialect: str, types: Mapping[str, str], names: Sequence[str] | None
) -> str:
    """The SQL expression of the outcome; see `Hypothesis.to_sql`."""
    known: dict[object, type[Dialect]] = {kind.name: kind for kind in (Postgres, DuckDb, Sqlite)}
    if dialect not in known:
        raise DeclarationError(
            f"write the rule as SQL for {shown(dialect)}",
            found="it is not known when that database takes two values for equal",
            fix=did_you_mean(str(dialect), map(str, known), "use one of: postgres, duckdb, sqlite"),
        )
    try:
        import sqlglot  # noqa: F401
    except ImportError:
        raise OutputError(
            "write the rule as SQL",
            found="sqlglot is not installed",
            fix=f"run: {install_command('sql')}",
        ) from None
    _require_plain([cell.column for cell in cells(outcome)])
    _require_plain([v for cell in cells(outcome) if isinstance(cell, OneOf) for v in cell.values])
    _require_plain(names or ())
    form = known[dialect](types, names)
    return str(form.top(outcome).sql(dialect=form.quoting(), identify=True))


def _require_plain(written: Sequence[str]) -> None:
    """Raise `DeclarationError` for a text with a NUL, at which databases end a statement."""
    if any("\0" in each for each in written):
        raise DeclarationError(
            "write the rule as SQL",
            found="a name or a value of it contains the character NUL",
            fix="predict with `littlestone predict`",
        )


class Dialect(ABC):
    """How one kind of database compares cells, for columns of these types."""

    name: ClassVar[str]
    """As sqlglot calls it."""

    def __init__(self, types: Mapping[str, str], names: Sequence[str] | None) -> None:
        from sqlglot import exp

        self.exp, self.types, self.names = exp, types, names

    def quoting(self) -> Any:
        """The dialect of sqlglot, which says how names and texts are quoted."""
        return self.name

    # Cases and truth values

    def top(self, outcome: Outcome) -> Expression:
        """The value of a row; NULL if a text may show a number that SQL cannot read."""
        numbers = dict.fromkeys(c.column for c in cells(outcome) if isinstance(c, Within))
        return self._value(outcome, [u for column in numbers for u in self._unsure(column)])

    def _value(self, outcome: Outcome, unsure: Sequence[Expression] = ()) -> Expression:
        if not isinstance(outcome, Case):
            return self._label(outcome)
        case = self.exp.case()
        if unsure:
            case.when(self._any(unsure), self.exp.null(), copy=False)
        for when, then in outcome.branches:
            case.when(self._condition(when), self._label(then), copy=False)
        return case.else_(self._label(outcome.otherwise), copy=False)

    def _label(self, y: int) -> Expression:
        return self._number(y) if self.names is None else self._text(self.names[y])

    def _condition(self, condition: Condition) -> Expression:
        match condition:
            case Both(parts):
                return self._all(list(map(self._condition, parts)))
            case Either(parts):
                return self._any(list(map(self._condition, parts)))
            case Not(part):
                held = self.exp.paren(self._cell(part), copy=False)
                return self.exp.not_(self.exp.Is(this=held, expression=self.exp.true()), copy=False)
            case _:
                return self._cell(condition)

    def _all(self, parts: Sequence[Expression]) -> Expression:
        return self.exp.and_(*parts, copy=False) if parts else self.exp.true()

    def _any(self, parts: Sequence[Expression]) -> Expression:
        return self.exp.or_(*parts, copy=False) if parts else self.exp.false()

    # Cells

    def _cell(self, cell: Within | OneOf) -> Expression:
        """Whether the condition on a cell holds; false or NULL if it does not."""
        column, kind = self._column(cell.column), self.types.get(cell.column)
        if isinstance(cell, OneOf):
            held = self._one_of(column, cell, kind)
            missing = [self._is_null(column)] if "" in cell.values else []
            return self._any([*missing, *held])
        if kind == "boolean":
            found = truths(cell)
            if len(found) == 2:
                return self.exp.not_(self._is_null(column))
            return (column if found[0] else self.exp.not_(column)) if found else self.exp.false()
        if kind == "integer":
            return self._bounded(column, cell, lambda v: (False, self._number(ceil(v))))
        if kind == "text":
            return self._as_floats(self._texts(column).value, cell)
        return self._within(column, cell, kind)

    @abstractmethod
    def _within(self, column: Expression, cell: Within, kind: str | None) -> Expression:
        """Whether a cell of numbers is within bounds."""

    @abstractmethod
    def _one_of(self, column: Expression, cell: OneOf, kind: str | None) -> list[Expression]:
        """Conditions under which the text of a cell that is not NULL is one of these."""

    def _unsure(self, column: str) -> list[Expression]:
        """Whether a text is perhaps a number, but written in another way than SQL reads."""
        kind = self.types.get(column)
        return [self._texts(self._column(column)).unsure] if kind == "text" else []

    def _texts(self, column: Expression) -> Number:
        return number_in_text(column, self.infinity)

    def _as_floats(self, value: Expression, cell: Within) -> Expression:
        def bound(v: Fraction) -> tuple[bool, Expression]:
            strict, number = nearest(v)
            return strict, self._float(number)

        return self._bounded(value, cell, bound)

    def _exactly(self, value: Expression, cell: Within) -> Expression:
        return self._bounded(value, cell, lambda v: (False, self._number(decimal(v))))

    def _bounded(
        self,
        value: Expression,
        cell: Within,
        bound: Callable[[Fraction], tuple[bool, Expression]],
    ) -> Expression:
        """Whether low <= value < high; ``bound`` says what to compare with, and if equal is less."""
        parts: list[Expression] = []
        if cell.low is not None:
            strict, low = bound(cell.low)
            parts.append((self.exp.GT if strict else self.exp.GTE)(this=value, expression=low))
        if cell.high is not None:
            equal, high = bound(cell.high)
            parts.append((self.exp.LTE if equal else self.exp.LT)(this=value, expression=high))
        return self._all(parts or [self.exp.not_(self._is_null(value))])

    # Words

    def _column(self, name: str) -> Expression:
        return self.exp.column(name, quoted=True)

    def _text(self, value: str) -> Expression:
        return self.exp.Literal.string(value)

    def _number(self, value: int | Decimal) -> Expression:
        """A number in digits, or with an exponent if there are many."""
        number = Decimal(value)
        short = abs(number.adjusted()) <= 40
        return self.exp.Literal.number(f"{number:f}" if short else str(number.normalize(EXACT)))

    def _float(self, value: float) -> Expression:
        return self.infinity(value < 0) if isinf(value) else self.exp.Literal.number(repr(value))

    def infinity(self, negative: bool = False) -> Expression:
        """The infinite float."""
        return self._cast(self._text("-Infinity" if negative else "Infinity"), "DOUBLE")

    def _cast(self, value: Expression, kind: str) -> Expression:
        return self.exp.cast(value, kind, copy=False)

    def _typeof(self, column: Expression) -> Expression:
        return self.exp.Anonymous(this="typeof", expressions=[column])

    def _is_null(self, value: Expression) -> Expression:
        return self.exp.Is(this=value, expression=self.exp.null())

    def _in(self, value: Expression, values: Sequence[Expression]) -> list[Expression]:
        if len(values) < 2:
            return [self.exp.EQ(this=value, expression=v) for v in values]
        return [self.exp.In(this=value, expressions=list(values))]


class _Typed(Dialect):
    """A database whose columns have one type each, where NaN is a float above all others."""

    def _within(self, column: Expression, cell: Within, kind: str | None) -> Expression:
        bounds = [v for v in (cell.low, cell.high) if v is not None]
        plain = all(self._is_plain(v, kind) for v in bounds)
        found = self._exactly(column, cell) if plain else self._dispatched(column, cell)
        if cell.high is not None:  # NaN is not below it
            return found
        return self._all([found, self.exp.NEQ(this=column, expression=self._nan())])

    @abstractmethod
    def _is_plain(self, value: Fraction, kind: str | None) -> bool:
        """Whether comparing a number of that type with the constant compares its shortest form."""

    @abstractmethod
    def _dispatched(self, column: Expression, cell: Within) -> Expression:
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

    def _texts(self, column: Expression) -> Number:
        return number_in_text(self._bytes(self._cast(column, "TEXT")), self.infinity)

    def _bytes(self, text: Expression) -> Expression:
        """The text compared byte by byte, whatever the column's own collation ignores."""
        binary = self.exp.to_identifier("C", quoted=True)
        return self.exp.paren(self.exp.Collate(this=text, expression=binary), copy=False)

    def _not_a_number(self) -> Expression:
        return self._cast(self._text("NaN"), "DOUBLE")

    @abstractmethod
    def _text_alone(self, column: Expression) -> Expression:
        """The text of a cell without padding; the database refuses columns of other types."""


class Postgres(_Typed):
    """PostgreSQL."""

    name = "postgres"

    def _is_plain(self, value: Fraction, kind: str | None) -> bool:
        if kind == "decimal":
            return True
        # A real is compared as a double, which is not its shortest form.
        return is_short(value) if kind == "double" else is_shortest_real(value)

    def _dispatched(self, column: Expression, cell: Within) -> Expression:
        # The text of a float is its shortest form, and a decimal of any size is made of it.
        return self._exactly(self._cast(self._cast(column, "TEXT"), "DECIMAL"), cell)

    def _nan(self) -> Expression:
        return self._cast(self._text("NaN"), "DECIMAL")

    def _text_alone(self, column: Expression) -> Expression:
        # A cast would take any type.  Without, a char(n) would ignore spaces, and a citext case.
        return self.exp.Anonymous(this="SUBSTR", expressions=[column, self._number(1)])


class DuckDb(_Typed):
    """DuckDB."""

    name = "duckdb"

    def _is_plain(self, value: Fraction, kind: str | None) -> bool:
        # A constant becomes a float before a float is compared with it.
        digits = len(decimal(value).as_tuple().digits)
        return is_short(value) and (digits <= 6 or kind in ("double", "decimal"))

    def _dispatched(self, column: Expression, cell: Within) -> Expression:
        kind = self._typeof(column)
        floats = self._in(kind, [self._text("DOUBLE"), self._text("FLOAT")])
        # As a double a real is no longer in its shortest form, but as a text it is.
        shortest = self._cast(self._cast(column, "TEXT"), "DOUBLE")
        exact = self._bounded(column, cell, self._bound)
        return self.exp.case().when(floats[0], self._as_floats(shortest, cell)).else_(exact)

    def _bound(self, value: Fraction) -> tuple[bool, Expression]:
        if abs(value) < 10**37 and len(decimal(value).as_tuple().digits) <= 37:
            return False, self._number(decimal(value))
        # No decimal has so many digits; the greatest whole numbers are compared as doubles.
        return nearest(value)[0], self._cast(self._float(nearest(value)[1]), "DOUBLE")

    def _nan(self) -> Expression:
        return self._not_a_number()

    def _text_alone(self, column: Expression) -> Expression:
        return column


class Sqlite(Dialect):
    """SQLite, where each value has a type of its own, and NaN is stored as NULL."""

    name = "sqlite"

    def quoting(self) -> Any:
        # SQLite takes "NAME" for the text 'NAME' where the table has no such column, and answers.
        # In backticks a name is a name, and a missing column an error.
        from sqlglot.dialects.sqlite import SQLite

        class Backticks(SQLite):
            class Tokenizer(SQLite.Tokenizer):
                IDENTIFIERS: ClassVar = ["`"]

        return Backticks

    def _cell(self, cell: Within | OneOf) -> Expression:
        if isinstance(cell, Within) and self.types.get(cell.column) == "text":
            return self._within(self._column(cell.column), cell, "text")
        return super()._cell(cell)

    def _within(self, column: Expression, cell: Within, kind: str | None) -> Expression:
        bounds = [v for v in (cell.low, cell.high) if v is not None]
        of, plain = self._typeof(column), all(map(is_short, bounds))
        if kind != "text" and plain:
            return self._exactly(column, cell)
        whole = self._bounded(column, cell, lambda v: (False, self._number(ceil(v))))
        case = self.exp.case(of).when(self._text("integer"), whole)
        case = case.when(self._text("real"), self._as_floats(column, cell))
        if kind == "text":
            case = case.when(self._text("text"), self._as_floats(self._texts(column).value, cell))
        return case

    def _unsure(self, column: str) -> list[Expression]:
        read = self._column(column)
        if self.types.get(column) == "text":
            text = self.exp.EQ(this=self._typeof(read), expression=self._text("text"))
            return [self._all([text, self._texts(read).unsure])]
        return self._in(self._typeof(read), [self._text("text"), self._text("blob")])

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
