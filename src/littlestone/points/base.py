"""The interface of a domain, and how a number or a text is read from any table value, without raising.

A value may be any object, also one whose class has methods that raise or lie.  So these methods are
not called: `plain` reads the built-in value beneath with the built-in type's own methods.  An object
without such a value has the text ``str(value)``, or none if that fails; no other method is called.
"""

from __future__ import annotations

import codecs
import random
import re
from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import fields
from datetime import date
from decimal import ROUND_FLOOR, Context, Decimal
from fractions import Fraction
from inspect import isabstract
from itertools import islice, repeat
from operator import is_
from typing import Any, Generic, TypeVar, cast

import numpy as np

from littlestone.base.errors import DAMAGED, DeclarationError, ModelError, show_value

# Enough digits for the floor of any quotient within 2^64 points to be exact; nothing is trapped,
# because a table value may be any text whatever.
DECIMAL = Context(prec=60, rounding=ROUND_FLOOR, traps=[])

_MOST_DIGITS, _MOST_BITS = 400, 1 << 15

# Looked up here, because Python loads a codec when it is first used: a text of a record would do that.
_UTF_16 = codecs.lookup("utf-16-le")


def is_of_class(value: object, kind: type) -> bool:
    """Whether the value is of that class or a derived one, whatever its ``__class__`` claims.

    >>> is_of_class(True, int), is_of_class("1", int)
    (True, False)
    """
    return type.__subclasscheck__(kind, type(value))


def require_list(data: object) -> list[Any]:
    """``data`` if it is a list of a model file; else raises `TypeError`.

    A text would do as a sequence, but its characters are not the values that were written.

    >>> require_list(["a", 1])
    ['a', 1]
    """
    if not isinstance(data, list):
        raise TypeError("a list of values is something else")
    return data


def plain(value: Any) -> Any:
    """The value as an object of exactly bool, int, float, str, Decimal or Fraction, if it is one.

    This includes numbers and texts of derived types and of numpy.  Floats of fewer bits stand for
    their shortest decimal form.  Any other value is returned unchanged.

    >>> plain(np.int64(7)), plain(np.float32(0.29)), plain(np.str_("a")), plain(None)
    (7, 0.29, 'a', None)
    """
    kind = type(value)
    if kind is str or kind is int or kind is float or kind is bool:  # most are
        return value
    if is_of_class(value, str):
        return str.__str__(value)
    if is_of_class(value, int):
        return int.__int__(value)
    if is_of_class(value, float):
        return float.__float__(value)
    if is_of_class(value, Decimal):
        return Decimal(value)
    if is_of_class(value, Fraction):
        return _fraction(value)
    if is_of_class(value, np.bool_) or is_of_class(value, np.integer):
        return np.generic.item(value)
    for narrow in (np.float16, np.float32):
        if is_of_class(value, narrow):
            return float(str(narrow(np.generic.item(value))))
    return value


def _fraction(value: Any) -> Any:
    """A fraction with parts of Python's own integers, read from the fields of `Fraction`."""
    try:
        parts = [vars(Fraction)[name].__get__(value) for name in ("_numerator", "_denominator")]
        top, bottom = map(plain, parts)
        return Fraction(top, bottom) if type(top) is type(bottom) is int else None
    except (AttributeError, ZeroDivisionError):  # built by hand and incomplete
        return None


def number(value: object) -> Decimal | None:
    """The decimal number that a table value shows, or None if it shows none; never raises.

    A float stands for its shortest decimal form, so 12.34 is the same number in a CSV file and in
    Parquet.  True and False are 1 and 0, both as values and as words in a file.  A whole number of more
    than 2^15 bits counts as infinite, because converting it takes quadratic time.

    >>> number(12.34), number(" 7 "), number(True), number("n/a"), number(float("nan"))
    (Decimal('12.34'), Decimal('7'), Decimal('1'), None, None)
    """
    built_in = plain(value)
    kind = type(built_in)
    if kind is Fraction and built_in.denominator == 1:
        built_in, kind = built_in.numerator, int
    if kind is bool or kind is int:  # as a text, one of over 4,300 digits would be refused
        if built_in.bit_length() > _MOST_BITS:  # beyond every finite range, and slow to convert
            return Decimal("Infinity") if built_in > 0 else Decimal("-Infinity")
        return Decimal(built_in)
    if kind is Fraction:
        return None
    shown = _show(built_in).strip()
    try:
        decimal = Decimal(shown)
    except ArithmeticError:
        truth = {"true": 1, "false": 0}.get(shown.lower())
        return None if truth is None else Decimal(truth)
    return None if decimal.is_nan() else decimal


def whole_number(value: object, *, typed: bool = False) -> int | None:
    """The whole number that equals ``value``; None if there is none.

    With ``typed`` the type must be one of whole numbers or truth values.

    >>> whole_number(True), whole_number(7.0), whole_number(7.0, typed=True), whole_number("7")
    (1, 7, None, None)
    """
    built_in = plain(value)
    kind = type(built_in)
    if kind is int or kind is bool:
        return int(built_in)
    if typed or not (kind is float or kind is Decimal or kind is Fraction):
        return None
    shown = number(built_in)
    # Asked before the conversion: int(Decimal("1e999999")) would take the machine down.
    if shown is None or not shown.is_finite() or shown.adjusted() > _MOST_DIGITS:
        return None
    whole = shown.to_integral_value(context=DECIMAL)
    return int(whole) if whole == shown else None


def text(value: object) -> str:
    """The text of a table value; missing values are the empty text.  Never raises.

    It can be written as UTF-8: halves of surrogate pairs are joined, or replaced if they are alone.

    >>> text("N14228"), text(None), text(float("nan")), text(3)
    ('N14228', '', '', '3')
    """
    built_in: Any = value if type(value) is str else plain(value)
    kind = type(built_in)
    if kind is str:
        return _without_surrogates(built_in)
    if kind is float and built_in.is_integer() and abs(built_in) < 2**53:
        # One missing or fractional value turns a whole column of whole numbers into floats.  And
        # -0.0 equals 0.0, so a group of equal values may keep either.
        return str(int(built_in))
    shown = _show(built_in)
    # Compared as text, because pandas' NA cannot be compared and an exception would depend on data.
    return "" if shown in {"None", "nan", "NaN", "NaT", "<NA>"} else shown


def truth(value: object) -> int:
    """The label of a table value: 1 if it shows the number 1 or the word true, else 0.

    So 1, True, 1.0, "1" and numpy's ones have the label 1, and everything else has the label 0.

    >>> [truth(value) for value in (1, True, 1.0, "1", "true", 2, "yes", None)]
    [1, 1, 1, 1, 1, 0, 0, 0]
    """
    if type(value) is int:  # most are
        return int(value == 1)
    return int(number(value) == 1)


def truths(values: Sequence[object]) -> list[int]:
    """The `truth` of each value.

    >>> truths([1, 0, 2]), truths(["1", True, None])
    ([1, 0, 0], [1, 1, 0])
    """
    if are_of(int, values):
        return [int(value == 1) for value in values]
    return list(map(truth, values))


def are_of(kind: type, values: Iterable[object]) -> bool:
    """Whether all values are of exactly this type.

    >>> are_of(int, [1, 2]), are_of(int, [1, True])
    (True, False)
    """
    # Types are compared as objects: hashing or comparing one may call a method of its metaclass.
    return all(map(is_, map(type, values), repeat(kind)))


_DAY = re.compile(r"(\d{4})-(\d\d)-(\d\d)(?:[T ].*)?", re.ASCII | re.DOTALL)


def day(value: object) -> str | None:
    """The day that a table value shows, as ISO 8601 writes it; None if it shows none; never raises.

    A time of a day shows that day.

    >>> day("2021-03-01"), day("2021-03-01T09:30"), day(date(2021, 3, 1)), day("2021-02-30")
    ('2021-03-01', '2021-03-01', '2021-03-01', None)
    """
    shown = text(value).strip()  # a missing time of pandas is a datetime too, and shows nothing
    if is_of_class(value, date) and shown:
        try:
            return date.isoformat(value)  # type: ignore[arg-type]
        except Exception:  # an object with fields of its own
            return None
    found = _DAY.fullmatch(shown)
    if found is None:
        return None
    try:
        return date(*map(int, found.groups())).isoformat()
    except ValueError:  # such as the 30th of February
        return None


def entries(value: Any) -> tuple[object, ...]:
    """The entries of a tuple or list; any other value is the only entry.

    >>> entries([1, "a"]), entries("a")
    ((1, 'a'), ('a',))
    """
    if is_of_class(value, tuple):
        return tuple(tuple.__iter__(value))
    if is_of_class(value, list):
        return tuple(list.__iter__(value))
    return (value,)


def _show(value: object) -> str:
    try:
        # A text made by a user's class may be of a derived type too.
        return _without_surrogates(str.__str__(str(value)))
    except Exception:
        # A whole number of more than 4,300 digits, too deeply nested lists, or an object with its own
        # text: any failure here would depend on a record.
        return ""


def are_readable_texts(values: Sequence[object]) -> bool:
    """Whether all values are texts that `text` returns as they are.

    >>> are_readable_texts(["a", "b"]), are_readable_texts(["a", chr(0xD800)])
    (True, False)
    """
    if not are_of(str, values):
        return False
    # With something between them, because two halves of a pair are no pair if they are of two texts.
    joined = " ".join(cast(Sequence[str], values))
    return _without_surrogates(joined) is joined


def _without_surrogates(shown: str) -> str:
    """The text without halves of surrogate pairs: JSON would join two of them, UTF-8 refuses one."""
    if shown.isascii():
        return shown
    try:
        shown.encode()
    except UnicodeEncodeError:
        pairs, _ = _UTF_16.encode(shown, "surrogatepass")
        return _UTF_16.decode(pairs, "replace")[0]
    return shown


Point = TypeVar("Point")

# The values that `Domain.from_json` accepts, because a model file may be damaged or forged.
_FIELD_TYPES: dict[str, type | tuple[type, ...]] = {
    "name": str,
    "low": int,
    "high": int,
    "unit": Decimal,
    "points": tuple,
    "other": (str, type(None)),
    "columns": tuple,
    "starts": tuple,
    "values": tuple,
}


class Domain(ABC, Generic[Point]):
    """A set of points.  ``name`` says in words what a point is: usually a column of a table.

    A point is made of exact built-in types; bool, numpy's numbers and derived types of int, str, tuple
    or Fraction are not points.  So equal points are indistinguishable, and a point does not reveal
    which record it came from.  Records enter through `canonical`, which makes any object a point.
    """

    name: str

    @property
    def column_names(self) -> tuple[str, ...]:
        """The table columns from which a point is read."""
        return (self.name,)

    @property
    @abstractmethod
    def size(self) -> int | None:
        """The number of points; None if infinite."""

    @abstractmethod
    def encode(self, value: object) -> Point:
        """The declared point that a table value stands for; never raises."""

    def own(self, x: object) -> Point | None:
        """The point that ``x`` equals, as the domain's own object; None if there is none.

        Never raises, like `encode`: it calls no comparing or converting method of an object's class.
        """
        point = plain(x)
        return point if point in self else None

    def canonical(self, x: object) -> Point:
        """The point of the ``x`` of a record: the point that x equals, or else stands for.

        Never raises, whatever ``x`` is.  The records of every learner pass here, in samples and in
        streams, because a released point is an object from a record.  If the object were kept as it
        came, the release would reveal which of several equal objects (1, True, 1.0) it was.

        >>> from littlestone.points import Integers, Strings
        >>> Integers().canonical(True), Integers().canonical(1.0), Strings().canonical(7)
        (1, 1, '7')
        """
        point = self.own(x)
        return self.encode(x) if point is None else point

    def canonical_points(self, values: Sequence[object]) -> Sequence[Point]:
        """The `canonical` point of each value; fast if all are points already.

        >>> from littlestone.points import Grid
        >>> Grid(0, 9).canonical_points([3, 12, "4"])
        [3, 9, 4]
        """
        if self.holds_all(values):
            return cast(Sequence[Point], values)
        return list(map(self.canonical, values))

    def holds_all(self, values: Sequence[object]) -> bool:
        """Whether all values are points, by one look at all; a domain that cannot tell says no."""
        return False

    def encode_record(self, values: Sequence[object]) -> Point:
        """The point that the values of the columns ``column_names`` stand for; never raises."""
        return self.encode(values[0])

    def reads(self, value: object) -> bool:
        """Whether a table value shows a point itself, and is not just mapped to one."""
        return text(value) != ""

    def reads_record(self, values: Sequence[object]) -> bool:
        """Whether one of the values of the columns ``column_names`` shows a point itself."""
        return self.reads(values[0])

    @abstractmethod
    def __contains__(self, x: object) -> bool:
        """Whether ``x`` is a point with exactly a point's types; never raises."""

    @abstractmethod
    def __iter__(self) -> Iterator[Point]:
        """Distinct points in a canonical order; endless if the domain is infinite."""

    def indices(self, points: Sequence[Point]) -> Sequence[int]:
        """The `index` of each point.

        >>> from littlestone.points import Grid, Product
        >>> Product((Grid(0, 2, "a"), Grid(5, 9, "b"))).indices([(0, 5), (2, 6)])
        [0, 11]
        """
        return list(map(self.index, points))

    def index(self, x: Point) -> int:
        """The position of the point ``x`` in the order of iteration, if the domain is finite."""
        raise DeclarationError(
            f"number the points of {self}",
            found="there are infinitely many",
            fix="declare a finite range",
        )

    @abstractmethod
    def random_point(self, rng: random.Random) -> Point:
        """A random point for simulations; uniform if the domain is finite."""

    def words(self, x: Point) -> str:
        """The value that point ``x`` stands for, as text."""
        return str(x)

    def point_to_json(self, x: Point) -> object:
        """The point as plain JSON values; `point_from_json` reads it back.

        >>> from fractions import Fraction
        >>> from littlestone.points import Product, Reals, Strings
        >>> Product((Strings("name"), Reals("height"))).point_to_json(("Ada", Fraction(5, 3)))
        ['Ada', '5/3']
        """
        return x

    def point_from_json(self, data: Any) -> Point | None:
        """The point that `point_to_json` wrote; None for any other data; never raises.

        >>> from littlestone.points import Product, Reals, Strings
        >>> Product((Strings("name"), Reals("height"))).point_from_json(["Ada", "5/3"])
        ('Ada', Fraction(5, 3))
        """
        return data if data in self else None

    def to_json(self) -> dict[str, object]:
        """The domain as plain JSON values; `Domain.from_json` reads it back."""
        data: dict[str, object] = {"kind": type(self).__name__.lower()}
        for field in fields(self):  # type: ignore[arg-type]
            value = getattr(self, field.name)
            data[field.name] = _plain(value)
        return data

    @staticmethod
    def from_json(data: Mapping[str, Any]) -> Domain[Any]:
        """The domain that `to_json` wrote.  Raises `ModelError` if it is damaged.

        >>> from littlestone.points import Grid
        >>> Domain.from_json(Grid(0, 9).to_json())
        Grid(low=0, high=9, name='x', unit=Decimal('1'))
        """
        kinds = {kind.__name__.lower(): kind for kind in _kinds(Domain)}  # type: ignore[type-abstract]
        try:
            values = {key: value for key, value in data.items() if key != "kind"}
            if "unit" in values:
                values["unit"] = Decimal(values["unit"])
            for key in ("points", "starts", "values"):
                if key in values:
                    values[key] = tuple(require_list(values[key]))
            if "columns" in values:
                values["columns"] = tuple(map(Domain.from_json, require_list(values["columns"])))
            for key, value in values.items():
                if not isinstance(value, _FIELD_TYPES[key]):
                    raise TypeError
            return kinds[data["kind"]](**values)
        except DAMAGED:
            raise ModelError(
                "read the domain of a model",
                found="a field is missing or not of its kind",
                fix="use a model file as `littlestone fit` wrote it, unchanged",
            ) from None

    def examples(self, k: int) -> list[Point]:
        """The first ``k`` points in canonical order, or all of them if there are fewer."""
        return list(islice(self, k))

    def require(self, x: object) -> None:
        """Raise `DeclarationError` unless ``x`` is a point.  Private code calls `canonical` instead."""
        if x not in self:
            raise DeclarationError(
                "use an object as a point",
                found=f"it is not in the domain {self}",
                fix=f"give a point such as {self.examples(1)[0]!r}, or its canonical() point",
            )


def _kinds(kind: type[Domain[Any]]) -> Iterator[type[Domain[Any]]]:
    """The kinds of domains that can be made."""
    for derived_kind in kind.__subclasses__():
        if not isabstract(derived_kind):
            yield derived_kind
        yield from _kinds(derived_kind)


def _plain(value: object) -> object:
    if isinstance(value, Decimal):
        return str(value)
    if isinstance(value, tuple):
        return [v.to_json() if isinstance(v, Domain) else v for v in value]
    return value


def require_domain(domain: object, asked: str) -> None:
    """Raise `DeclarationError` unless it is a domain; a table in its place is not quoted."""
    if not isinstance(domain, Domain):
        raise DeclarationError(
            f"{asked} {show_value(domain)}",
            found="it is not a domain",
            fix="give one, such as Grid(0, 100), Strings(name) or a Product of columns",
        )
