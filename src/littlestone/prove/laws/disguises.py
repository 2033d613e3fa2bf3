"""Objects of other types that equal a value, and objects whose methods raise or lie."""

from __future__ import annotations

import enum
from collections import namedtuple
from decimal import Decimal
from fractions import Fraction
from itertools import islice, product
from typing import Any

import numpy as np

SECRET = "the record's own words"


def _raise_secret(*args: object, **options: object) -> Any:
    raise RuntimeError(SECRET)


_COMPARED = "eq ne lt le gt ge hash len iter contains getitem"
_CONVERTED = "bool int index float complex str repr format bytes trunc floor round abs neg"
_HANDLED = "add radd sizeof dir reduce reduce_ex"
_METHODS = f"{_COMPARED} {_CONVERTED} {_HANDLED}".split()
_HOSTILE: dict[str, Any] = {f"__{name}__": _raise_secret for name in _METHODS}
_HOSTILE["__class__"] = property(_raise_secret)
_HOSTILE["__doc__"] = "All methods raise."


class _Enumeration(enum.IntEnum):
    ONE = 1
    NOTHING = 0


class Whole(int):
    """A whole number of a derived type."""


class Words(str):
    """A text of a derived type."""


class Part(Fraction):
    """A fraction of a derived type."""


class Exact(Decimal):
    """A decimal number of a derived type."""


class Record(tuple[Any, ...]):
    """A tuple of a derived type."""


def derive_hostile(kind: type) -> type[Any]:
    """A class derived from ``kind``, all of whose methods raise."""
    return type(f"Hostile{kind.__name__}", (kind,), dict(_HOSTILE))


HostileObject = derive_hostile(object)
HostileText, HostileWhole = derive_hostile(str), derive_hostile(int)
HostileTuple, HostileList = derive_hostile(tuple), derive_hostile(list)
HostileFloat, HostileDecimal, HostileFraction = (
    derive_hostile(float),
    derive_hostile(Decimal),
    derive_hostile(Fraction),
)


class _Lies:
    def __init__(self, kind: type, shown: str) -> None:
        self.kind, self.shown = kind, shown

    def __eq__(self, other: object) -> bool:
        return True

    def __hash__(self) -> int:
        return hash(1)

    def __str__(self) -> str:
        return Words(self.shown)

    def __int__(self) -> int:
        return Whole(1)


# Its __class__ is the type that it was made with.
Liar: Any = type("Liar", (_Lies,), {
    "__class__": property(lambda liar: liar.kind), "__doc__": "It equals anything."
})  # fmt: skip

_REFUSED = ("__hash__", "__eq__", "__instancecheck__", "__subclasscheck__")
_Meta = type("_Meta", (type,), {
    **dict.fromkeys(_REFUSED, _raise_secret),
    **dict.fromkeys(("__name__", "__mro__"), property(_raise_secret)),
})  # fmt: skip
OfHostileType: Any = _Meta("OfHostileType", (), {"__doc__": "Its type refuses every question."})

_ARRAY = ("__array__", "__array_interface__", "__array_struct__")
HostileArray: Any = type("HostileArray", (), {
    **dict.fromkeys(_ARRAY, property(_raise_secret)), "__doc__": "It refuses to be an array."
})  # fmt: skip


class _Bool:
    """An object whose class has the name of numpy's truth values, and whose truth value raises."""

    def __bool__(self) -> bool:
        raise RuntimeError(SECRET)


_Bool.__name__ = "bool_"


def hostile() -> list[Any]:
    """Objects whose methods raise or lie."""
    return [
        HostileObject(), HostileText("a"), HostileWhole(1), HostileTuple((1, "a")),
        HostileList([1, "a"]), HostileFloat(1.0), HostileDecimal(1), HostileFraction(1), _Bool(),
        OfHostileType(), HostileArray(),
        Liar(int, "1"), Liar(str, "a"), Liar(tuple, "x"), Liar(bool, "True"),
        (HostileObject(), HostileText("b")), [HostileObject()], HostileObject, object.__new__(Part),
    ]  # fmt: skip


OUTSIDE: list[Any] = [
    None, "", "?", "0." + "3" * 500, 10**5000, -(10**30), 1e300, float("nan"), float("inf"),
    Decimal("sNaN"), Decimal("1e999999"), Fraction(1, 3), 1j, b"\xff", "\ud800", "\ud83d\ude00",
    (), (1,), [1, 2, 3], (0,), (7, "a"), (-1, "a"), ((1,), (1,)), {"a": 1}, {1}, np.array([1, 2]),
    np.float32(0.29), np.datetime64("NaT"), range(3), 7, "zz", True,
]  # fmt: skip
"""Values that are points of some domains only."""


def disguises(x: Any, *, typed: bool = False, harsh: bool = True) -> list[Any]:
    """Objects of other types that equal ``x``, a whole number, a text, a fraction or a tuple of these.

    With ``typed``, all numbers that equal a whole number are of types of whole numbers.  For large
    numbers they always are, because a float stands for its shortest decimal form.  With ``harsh``,
    there are also objects whose methods all raise.
    """
    if isinstance(x, tuple):
        inside = [disguises(v, typed=typed, harsh=harsh) for v in x]
        entries = [*islice(product(*inside), 3), *zip(*inside, strict=False)]
        pair = namedtuple("pair", [f"c{j}" for j in range(len(x))])  # type: ignore[misc]
        found = [Record(x), pair(*x), *entries, *map(Record, entries)]
        return [*found, HostileTuple(x)] if harsh else found
    if isinstance(x, str):
        return [Words(x), np.str_(x), *([HostileText(x)] if harsh else [])]
    if isinstance(x, Fraction):
        parts: Any = np.int64(x.numerator), np.int64(x.denominator)
        rebuilt = Fraction(*parts)
        return [Part(x), rebuilt, *([HostileFraction(x)] if harsh else [])]
    whole = [Whole(x), np.int64(x), *([HostileWhole(x)] if harsh else [])]
    whole += [bool(x), np.bool_(x), _Enumeration(x)] if x in (0, 1) else []
    if typed or abs(x) > 1000:
        return whole
    floats = [float(x), np.float64(x), np.float32(x), np.float16(x)]
    others = [Decimal(x), Decimal(f"{x}.0"), Exact(x), Fraction(x), Part(x)]
    kinds = (HostileFloat, HostileDecimal, HostileFraction) if harsh else ()
    return [*whole, *floats, *others, *(kind(x) for kind in kinds)]
