"""Conditions and labels as SQL, apart from what each database takes for equal.

SQL has a third truth value, NULL.  Here a cell condition is NULL or false where it does not hold, and
only ``IS TRUE`` is asked of one, so none reaches a NOT.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from decimal import Decimal
from fractions import Fraction
from math import ceil, isinf
from typing import TYPE_CHECKING, Any, ClassVar

from littlestone.rules.languages import constants, form
from littlestone.rules.languages.constants import EXACT, decimal, nearest, require_days, truths

if TYPE_CHECKING:
    from sqlglot import Expression


AFTER_DAYS = "10000-01-01"
"""The first day that is not read."""


class Dialect(ABC):
    """How one kind of database compares cells, for columns of these types."""

    name: ClassVar[str]
    """As sqlglot calls it."""
    dated: ClassVar[tuple[str, ...]] = ("date", "text")
    """The types of columns whose days it reads."""

    def __init__(self, types: Mapping[str, str], names: Sequence[str | float] | None) -> None:
        from sqlglot import exp

        self.exp, self.types, self.names = exp, types, names

    def quoting(self) -> Any:
        """The dialect of sqlglot, which says how names and texts are quoted."""
        return self.name

    # Cases and truth values

    def top(self, outcome: form.Outcome) -> Expression:
        """The value of a row; NULL if a text may show a number that SQL cannot read."""
        require_days(outcome, self.types, self.dated)
        numbers = dict.fromkeys(c.column for c in form.cells(outcome) if isinstance(c, form.Within))
        return self._value(outcome, self._unsure(list(numbers)) if numbers else [])

    def _value(self, outcome: form.Outcome, unsure: Sequence[Expression] = ()) -> Expression:
        if not isinstance(outcome, form.Case):
            return self._label(outcome)
        case = self.exp.case()
        if unsure:
            case.when(self._any(unsure), self.exp.null(), copy=False)
        for when, then in outcome.branches:
            case.when(self._condition(when), self._label(then), copy=False)
        return case.else_(self._label(outcome.otherwise), copy=False)

    def _label(self, y: int) -> Expression:
        return self.literal(y if self.names is None else self.names[y])

    def literal(self, value: str | float) -> Expression:
        """A text or a number."""
        if isinstance(value, str):
            return self._text(value)
        # The shortest decimals of a float, which are those that it was made from.
        return self._number(Decimal(repr(value)))

    def _condition(self, condition: form.Condition) -> Expression:
        match condition:
            case form.Both(parts):
                return self._all(list(map(self._condition, parts)))
            case form.Either(parts):
                return self._any(list(map(self._condition, parts)))
            case form.Not(part):
                held = self.exp.paren(self._cell(part), copy=False)
                return self.exp.not_(self.exp.Is(this=held, expression=self.exp.true()), copy=False)
            case _:
                return self._cell(condition)

    def _all(self, parts: Sequence[Expression]) -> Expression:
        flat = [p for part in parts for p in self._conjuncts(part)]
        return self.exp.and_(*flat, copy=False) if flat else self.exp.true()

    def _conjuncts(self, part: Expression) -> list[Expression]:
        return list(part.flatten()) if isinstance(part, self.exp.And) else [part]

    def _any(self, parts: Sequence[Expression]) -> Expression:
        return self.exp.or_(*parts, copy=False) if parts else self.exp.false()

    # Cells

    def _cell(self, cell: form.Cell) -> Expression:
        """Whether the condition on a cell holds; false or NULL if it does not."""
        column, kind = self._column(cell.column), self.types.get(cell.column)
        if isinstance(cell, form.OneOf):
            held = self._one_of(column, cell, kind)
            missing = [self._is_null(column)] if "" in cell.values else []
            return self._any([*missing, *held])
        if isinstance(cell, form.Days):
            return self._days(column, cell) if kind == "date" else self._shows_day(column, cell)
        if kind == "boolean":
            found = truths(cell)
            if len(found) == 2:
                return self.exp.not_(self._is_null(column))
            return (column if found[0] else self.exp.not_(column)) if found else self.exp.false()
        if kind == "integer":
            return self._bound_range(column, cell, lambda v: (False, self._number(ceil(v))))
        if kind == "text":
            return self._any([self._shows_number(column, cell), *self._shows_truth(column, cell)])
        return self._within(column, cell, kind)

    @abstractmethod
    def _within(self, column: Expression, cell: form.Within, kind: str | None) -> Expression:
        """Whether a cell of numbers is within bounds."""

    def _days(self, column: Expression, cell: form.Days) -> Expression:
        """Whether a date or a time is within bounds; midnight is less than any time of its day."""
        first, after = (
            self._cast(self._text(end), "DATE") for end in (cell.ends[0], cell.high or AFTER_DAYS)
        )
        above = self.exp.GTE(this=column, expression=first)
        return self._all([above, self.exp.LT(this=column, expression=after)])

    @abstractmethod
    def _shows_day(self, column: Expression, cell: form.Days) -> Expression:
        """Whether a text shows a day within bounds."""

    def _between(self, value: Expression, first: str, last: str) -> Expression:
        return self.exp.Between(this=value, low=self._text(first), high=self._text(last))

    @abstractmethod
    def _one_of(self, column: Expression, cell: form.OneOf, kind: str | None) -> list[Expression]:
        """Conditions under which the text of a cell that is not NULL is one of these."""

    @abstractmethod
    def _unsure(self, columns: Sequence[str]) -> list[Expression]:
        """Conditions that texts are perhaps numbers, but written in another way than SQL reads."""

    @abstractmethod
    def _shows_number(self, column: Expression, cell: form.Within) -> Expression:
        """Whether a text is a number in digits, within bounds."""

    @abstractmethod
    def _letters(self, column: Expression) -> Expression:
        """The word that a text consists of, apart from white space."""

    def _shows_truth(self, column: Expression, cell: form.Within) -> list[Expression]:
        """Whether a text is one of the words for truth values that are within bounds."""
        words = [self._text(constants.WORDS[found]) for found in truths(cell)]
        return self._in(self._call("LOWER", self._letters(column)), words)

    def _as_floats(self, value: Expression, cell: form.Within) -> Expression:
        def bound(v: Fraction) -> tuple[bool, Expression]:
            strict, number = nearest(v)
            return strict, self._float(number)

        return self._bound_range(value, cell, bound)

    def _exactly(self, value: Expression, cell: form.Within) -> Expression:
        return self._bound_range(value, cell, lambda v: (False, self._number(decimal(v))))

    def _bound_range(
        self,
        value: Expression,
        cell: form.Within,
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
        return self._call("TYPEOF", column)

    def _call(self, name: str, *arguments: Expression) -> Expression:
        return self.exp.Anonymous(this=name, expressions=list(arguments))

    def _is_null(self, value: Expression) -> Expression:
        return self.exp.Is(this=value, expression=self.exp.null())

    def _in(self, value: Expression, values: Sequence[Expression]) -> list[Expression]:
        if len(values) < 2:
            return [self.exp.EQ(this=value, expression=v) for v in values]
        return [self.exp.In(this=value, expressions=list(values))]
