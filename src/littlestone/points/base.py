"""The interface of a domain."""

from __future__ import annotations

import random
from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import fields
from decimal import Decimal
from inspect import isabstract
from itertools import islice
from typing import Any, Generic, TypeVar

from littlestone.base.errors import DAMAGED, DeclarationError, ModelError, show_value
from littlestone.points.values import plain, require_list, text

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
