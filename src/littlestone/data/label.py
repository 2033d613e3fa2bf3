"""Declared labels: what makes a record positive, or which of several labels it has."""

from __future__ import annotations

import operator
import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from fractions import Fraction
from functools import cached_property
from typing import Self

from littlestone.base.errors import DeclarationError, did_you_mean, show_value
from littlestone.points import number, plain, text
from littlestone.points.labels import check_labels, label_number

# The longer signs come first, so that >= is not read as >.
_ORDERS: dict[str, Callable[[Decimal, Decimal], bool]] = {
    ">=": operator.ge,
    "<=": operator.le,
    ">": operator.gt,
    "<": operator.lt,
}


_LISTED = re.compile(r"in\s*\{(.*)\}", re.DOTALL)
_ALMOST = re.compile(r"[=!≥≤≠]|(?:not\s+)?in\s*[{(\[]", re.IGNORECASE)
"""What somebody writes who means a relation; as a text it would hardly be the value of a record."""


@dataclass(frozen=True)
class Condition:
    """1[v relation value], a total function of a table value v.

    ``relation`` is one of > >= < <= (numbers), == != (numbers or texts), or ``in``, with a list such as
    ``{HA, AA}``.  The result is 0 for a missing value, and for a value that is not a number if the
    relation needs one.  Decimals are exact.

    >>> late = Condition.parse("arr_delay", "> 15")
    >>> [late(v) for v in (15, "15.01", None, "n/a")]
    [0, 1, 0, 0]
    >>> [Condition.parse("stage", "in {3, 4}")(v) for v in ("3", 4.0, "34", None)]
    [1, 1, 0, 0]
    """

    relation: str
    value: str
    alone: bool = field(default=False, repr=False, compare=False)
    """Whether the value was written alone, without a relation."""

    @classmethod
    def parse(cls, column: str, positive: object) -> Self:
        """Read ``> 15``, ``!= HA``, ``in {HA, AA}`` or a value such as ``HA`` (or a number, or a bool).

        Double quotes enclose a value of a list that holds a comma, or spaces around it.  A value alone
        keeps its spaces, too.  Raises `DeclarationError` if it is not such a value, if it is empty, if
        it compares by order with something other than a number, or if it starts with what is nearly
        a relation, such as ``=`` or ``in (``.
        """
        _require_one_value(positive, f"call records positive when {column!r} is")
        written = text(positive).strip()
        if listed := _LISTED.fullmatch(written):
            return cls._of_list(column, listed[1])
        relation = next((r for r in (*_ORDERS, "==", "!=") if written.startswith(r)), "")
        value = written.removeprefix(relation).strip()
        if not relation and (nearly := _ALMOST.match(written)):
            raise DeclarationError(
                f"call records positive when {column!r} is {written!r}",
                found=f"it starts with {nearly[0]!r}, which is not a comparison",
                fix=(
                    "use one of > >= < <= == != or 'in {HA, AA}'; if the value itself starts with it, "
                    f"write '== {written}'"
                ),
            )
        alone = not relation
        relation = relation or "=="
        if not value or (relation in _ORDERS and number(value) is None):
            raise DeclarationError(
                f"call records positive when {column!r} is {show_value(positive)}",
                found="there is no value" if not value else f"{value!r} is not a number",
                fix="write a value, such as HA, or a comparison, such as '> 15'",
            )
        found = cls(relation, value, alone)
        found.require_no_name(column, (column,))
        exact = text(positive)
        if alone and exact != value and number(value) is None:
            return cls("in", condition_of_list([exact]).removeprefix("in "))
        return found

    @classmethod
    def _of_list(cls, column: str, written: str) -> Self:
        values = label_names(written)
        if "" in values or len(set(values)) < len(values) or not values:
            raise DeclarationError(
                f"call records positive when {column!r} is 'in {{{written.strip()}}}'",
                found="a value is empty or repeated, or the list is empty",
                fix="write each value once, such as 'in {HA, AA}'",
            )
        return cls("in", condition_of_list(values).removeprefix("in "))

    @cached_property
    def values(self) -> tuple[str, ...]:
        """The values that the relation compares with: one, or those of the list."""
        return tuple(label_names(self.value[1:-1])) if self.relation == "in" else (self.value,)

    def require_no_name(self, column: str, names: Iterable[str]) -> None:
        """Raise `DeclarationError` if the value begins with one of these columns and a relation.

        Somebody who writes ``rate > 0`` means a condition on that column, not a text like that.
        """
        for name in names if self.alone else ():
            rest = self.value.removeprefix(name).lstrip()
            sign = next((r for r in (*_ORDERS, "==", "!=", "=") if rest.startswith(r)), "")
            if not name or not sign or not self.value.startswith(name):
                continue
            after = rest.removeprefix(sign).strip()
            condition = f"'{'==' if sign == '=' else sign} {after}' for `positive`"
            target = "" if name == column else f" and {name!r} for `target`"
            itself = "it begins with the name of the column, which the target already gives"
            raise DeclarationError(
                f"call records positive when {column!r} is {self.value!r}",
                found=itself if name == column else f"it begins with another column, {name!r}",
                fix=f"give {condition}{target}; if that is the value itself, give '== {self.value}'",
            )

    @property
    def compares_numbers(self) -> bool:
        """Whether the relation compares numbers."""
        return self.relation in _ORDERS

    def __call__(self, value: object) -> int:
        if self.relation in _ORDERS:
            left, right = number(value), self._number
            if left is None or right is None:
                return 0
            return int(_ORDERS[self.relation](left, right))
        shown = text(value)
        if shown == "":
            return 0
        equal = shown in self.values or (bool(self._numbers) and number(value) in self._numbers)
        return int(equal == (self.relation != "!="))

    @cached_property
    def _number(self) -> Decimal | None:
        return number(self.value)

    @cached_property
    def _numbers(self) -> list[Decimal]:
        return [v for v in map(number, self.values) if v is not None]

    def reads(self, value: object) -> bool:
        """Whether the relation applies to the value: it is present, and a number if one is needed."""
        return text(value) != "" if self.relation not in _ORDERS else number(value) is not None

    def __str__(self) -> str:
        return f"{self.relation} {self.value}"


def condition_of_list(values: Iterable[str]) -> str:
    """The condition that a value is one of these texts, as `Condition.parse` reads it.

    >>> condition_of_list(["Ja", "yes, of course", "J "])
    'in {Ja, "yes, of course", "J "}'
    """
    quoted = (
        f'"{v.replace(chr(34), 2 * chr(34))}"' if '"' in v or label_names(v) != [v] else v
        for v in values
    )
    return f"in {{{', '.join(quoted)}}}"


def _require_one_value(value: object, asked: str) -> None:
    # The text of a list or a function is a legal text, and no record shows it.
    if type(plain(value)) not in (bool, int, float, str, Decimal, Fraction):
        raise DeclarationError(
            f"{asked} {show_value(value)}",
            found="it is not a text, a number or a truth value",
            fix="give one value, such as 'HA', 1 or '> 15', or several in a text: 'in {HA, AA}'; for "
            "several labels give labels=[...]",
        )


_NAME = re.compile(r'\s*(?:"((?:[^"]|"")*)(?:"([^,]*)|$)|([^,]*))(,|$)')


def label_names(text: str) -> list[str]:
    """The names in a text, separated by commas; double quotes enclose a comma, or spaces that count.

    >>> label_names('on time, late, "none, or unknown", "late "')
    ['on time', 'late', 'none, or unknown', 'late ']
    """
    names, end = list[str](), "," if text else ""
    at = 0
    while end and (found := _NAME.match(text, at)):
        quoted, after, bare, end = found.groups()
        at = found.end()
        if quoted is None:
            names.append(" ".join(bare.splitlines()).strip())
        else:
            names.append(quoted.replace('""', '"') + (after or "").rstrip())
    return names


@dataclass(frozen=True)
class Label:
    """The number 0, ..., k of the label that a value of ``column`` has: a total function.

    Either a ``condition`` says when the label is 1 and not 0, or ``names`` are the labels 0, ..., k and
    `label_number` says which one a value shows.  A missing value, or a value that shows none of the
    names, has the label 0, the default.

    >>> carrier = Label.parse("carrier", labels="AA, UA, 'DL'", default="UA")
    >>> carrier.names, [carrier(value) for value in ("AA", "UA", "HA", None)]
    (('UA', 'AA', "'DL'"), [1, 0, 0, 0])
    >>> str(Label.parse("arr_delay", "> 15"))
    'arr_delay > 15'
    """

    column: str
    condition: Condition | None = None
    names: tuple[str, ...] = ()

    @classmethod
    def parse(
        cls,
        column: str,
        positive: object = None,
        *,
        labels: str | Sequence[str] | None = None,
        default: str | None = None,
    ) -> Self:
        """The label that a condition ``positive`` or a list of ``labels`` declares.

        `Condition.parse` reads ``positive``.  ``labels`` are names, or a text of names separated by
        commas, which `label_names` reads.  The ``default`` is one of the labels and becomes the label
        0; without it, the first label is the default.  Raises `DeclarationError` unless exactly one of
        the two is given, if it is illegal, and if the default is not one of the labels.
        """
        if not isinstance(column, str):
            raise DeclarationError(
                f"learn the column {show_value(column)}",
                found="it is not the name of one",
                fix="give the name of one column, as a text",
            )
        if (positive is None) == (labels is None):
            raise DeclarationError(
                f"learn {column}",
                found="neither `positive`, for a rule, nor `labels`, for several, is given"
                if labels is None
                else "`positive` asks for a rule, and `labels` for several labels",
                fix="give one of the two, such as '> 15' for `positive` or 'on time,late' for `labels`",
            )
        if labels is None:
            if default is not None:
                raise DeclarationError(
                    f"give other values of {column} the label {show_value(default)}",
                    found="there is one rule, and no list of labels",
                    fix="leave out `default`, or give `labels` such as 'A,B,C' in place of `positive`",
                )
            return cls(column, Condition.parse(column, positive))
        names = check_labels(label_names(labels) if isinstance(labels, str) else labels)
        if default is not None:
            _require_one_value(default, f"give other values of {column!r} the label")
        first = names[0] if default is None else text(default)
        first = first if first in names else first.strip()
        if first not in names:
            raise DeclarationError(
                f"give values of {column!r} that are not labels the label {first!r}",
                found="it is not one of the declared labels",
                fix=did_you_mean(
                    first, names, f"name one of them, such as {names[0]!r}, or declare it too"
                ),
            )
        return cls(column, None, (first, *(name for name in names if name != first)))

    @property
    def labels(self) -> int:
        """The number k + 1 of labels."""
        return len(self.names) or 2

    @cached_property
    def _labeller(self) -> Callable[[object], int]:
        return label_number(self.names) if self.condition is None else self.condition

    def __call__(self, value: object) -> int:
        return self._labeller(value)

    def reads(self, value: object) -> bool:
        """Whether the value is usable: it is present, and a number if the condition needs one."""
        return text(value) != "" if self.condition is None else self.condition.reads(value)

    def __str__(self) -> str:
        return self.column if self.condition is None else f"{self.column} {self.condition}"
