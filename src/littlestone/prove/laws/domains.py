"""Laws of domains: their points, and the map from any object to a point.

Objects of other types may equal a value, and the methods of an object may raise or lie.
"""

from __future__ import annotations

import enum
import json
import math
import pickle
import random
from collections import namedtuple
from decimal import Decimal
from fractions import Fraction
from itertools import islice, product
from typing import Any

import numpy as np

from littlestone.points import Domain
from littlestone.prove.laws.law import domain_points, expect

AWKWARD_VALUES: tuple[object, ...] = (
    *(None, "", " ", "x", b"x", object(), True, False, (), float("nan"), float("inf"), -math.inf),
    *("1e999999999", "-1e999999999", "1e-999999999", "1e999999999999999999999", "sNaN", "-0"),
    *(Decimal("NaN"), Decimal("sNaN"), Decimal("-Infinity"), 10**4000, -(2**64), 2.5, "\x00\ud800"),
    *("1" + "0" * 5000, "0." + "0" * 5000 + "1", 10**5000),
)
"""Values that a table may hold; none may cause an error, because an error would depend on data."""


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


Of = Domain[Any]

JSON_VALUES: tuple[Any, ...] = (
    *(None, True, 1.5, "", "?", "1/0"),
    *([], [None], [[]], [True, "a"], [0, 0, 0, 0, 0], {}, {"a": 1}),
)
EXACT = (int, str, float, bytes, Fraction, tuple)


def is_exact(x: Any) -> bool:
    """Whether a point is made of built-in types alone, without bool, derived types or numpy's types.

    >>> is_exact((1, "a")), is_exact(True)
    (True, False)
    """
    if type(x) is tuple:
        return all(map(is_exact, x))
    if type(x) is Fraction:
        return type(x.numerator) is type(x.denominator) is int
    return type(x) in EXACT


def _show_value(value: object) -> str:
    """The value in words, or the name of its type, because its own text may raise."""
    if type(value) is str or type(value) is float or value is None:
        return f"{value!r:.60}"
    return f"one of type {vars(type)['__name__'].__get__(type(value))}"


def _show_point(x: object) -> str:
    """The point in words; the points of a faulty domain may be objects without a text."""
    try:
        return repr(x)
    except Exception:
        return _show_value(x)


def _odd_values(domain: Of) -> list[Any]:
    """Values of every kind, points of the domain, and objects that equal them."""
    tried = domain_points(domain)[:6]
    equal = [other for x in tried for other in disguises(x)]
    wild = [*AWKWARD_VALUES, *OUTSIDE, *hostile()]
    return [*tried, *equal, *wild, [*tried[:1], None, "a", 7], *([v] for v in wild)]


def iteration(domain: Of) -> None:
    """Iterating gives `size` distinct points, in the order of `index`, and random points are points."""
    listed = list(islice(domain, 200))
    expect(len(set(listed)) == len(listed) > 0, "iteration gives distinct points")
    expect(domain.examples(7) == listed[:7], "examples(k) are the first k points")
    for x in [*listed, *(domain.random_point(random.Random(seed)) for seed in range(20))]:
        expect(x in domain, "every point is in the domain", x=_show_point(x))
        expect(is_exact(x), "a point is made of exact built-in types", x=_show_point(x))
    if domain.size is None:
        expect(len(listed) == 200, "iteration over an infinite domain never ends")
        return
    expect(len(listed) == min(domain.size, 200), "size is the number of points", n=len(listed))
    for j, x in enumerate(listed):
        expect(domain.index(x) == j, "index(x) is the place of x", x=_show_point(x), place=j)


def every_value_is_a_point(domain: Of) -> None:
    """`encode`, `encode_record` and `canonical` make a point of any object and never raise."""
    for value in _odd_values(domain):
        shown, width = _show_value(value), len(domain.column_names)
        for name, ask in (
            ("encode", domain.encode),
            ("canonical", domain.canonical),
            ("encode_record", lambda v, width=width: domain.encode_record([v] * width)),
        ):
            try:
                x = ask(value)
            except Exception as error:
                expect(False, f"{name} never raises", value=shown, raised=type(error).__name__)
            inside = x in domain and is_exact(x)
            expect(inside, f"{name} gives a point of the domain", value=shown)
        try:
            answers = [domain.reads(value), domain.reads_record([value] * width), value in domain]
            own = domain.own(value)
        except Exception as error:
            expect(False, "no question raises", value=shown, raised=type(error).__name__)
        law = "reads, reads_record and `in` answer True or False"
        expect(all(type(a) is bool for a in answers), law, value=shown)
        expect(own is None or own in domain, "own gives a point or None", value=shown)


def canonical_is_idempotent(domain: Of) -> None:
    """canonical(canonical(v)) = canonical(v), and canonical(x) = x for every point x."""
    for value in _odd_values(domain):
        x = domain.canonical(value)
        again, own = domain.canonical(x), domain.own(x)
        at = {"value": _show_value(value), "x": _show_point(x)}
        expect(
            _same(again, x),
            "canonical(canonical(v)) = canonical(v)",
            **at,
            again=_show_point(again),
        )
        expect(_same(own, x), "a point is its own", **at, own=_show_point(own))
    for x in domain_points(domain):
        expect(_same(domain.canonical(x), x), "canonical(x) = x for a point x", x=_show_point(x))


def many_are_read_like_one(domain: Of) -> None:
    """`canonical_points` and `indices` of many are `canonical` and `index` of each."""
    points = domain_points(domain)
    odd = list(_odd_values(domain))
    for values in (points, odd, [*points, *odd], *([value] for value in odd), []):
        found = domain.canonical_points(values)
        expect(len(found) == len(values), "each of many values has a point", n=len(values))
        for value, x in zip(values, found, strict=True):
            law = "many values are read like one"
            expect(_same(x, domain.canonical(value)), law, value=_show_value(value))
    if domain.size is not None:
        alike = list(domain.indices(points)) == list(map(domain.index, points))
        expect(alike, "many points have their indices", n=len(points))


def equal_objects_are_one_point(domain: Of) -> None:
    """An object that equals a point becomes that point, which does not reveal the type of the object.

    For `canonical`, whole numbers are tried in types of whole numbers only.  The reason: on a grid
    whose unit is not 1, the float 12.0 is the value 12 and not the point 12.
    """
    for x in domain_points(domain)[:8]:
        for other in disguises(x, typed=True):
            found = domain.canonical(other)
            at = {"x": _show_point(x), "given": _show_value(other), "found": _show_point(found)}
            expect(_same(found, x), "canonical gives the point that an object equals", **at)
        for other in disguises(x):
            if (own := domain.own(other)) is not None:
                at = {"x": _show_point(x), "given": _show_value(other), "own": _show_point(own)}
                expect(_same(own, x), "own gives the point that an object equals", **at)


def json_round_trip(domain: Of) -> None:
    """The domain and its points are read back from JSON, and other JSON values give a point or None."""
    points = [*domain_points(domain), *(domain.canonical(value) for value in _odd_values(domain))]
    for x in points:
        read = domain.point_from_json(json.loads(json.dumps(domain.point_to_json(x))))
        expect(_same(read, x), "JSON brings a point back", x=_show_point(x), back=_show_point(read))
    for data in JSON_VALUES:
        try:
            read = domain.point_from_json(data)
        except Exception as error:
            expect(False, "point_from_json never raises", data=data, raised=_show_point(error))
        law = "point_from_json gives a point or None"
        expect(read is None or (read in domain and is_exact(read)), law, data=data)
    back = Domain.from_json(json.loads(json.dumps(domain.to_json())))
    expect(back == domain and hash(back) == hash(domain), "JSON brings the domain back", back=back)


def domain_is_a_value(domain: Of) -> None:
    """Unpickling gives an equal domain, its columns have distinct names, and its points have words."""
    back = pickle.loads(pickle.dumps(domain))
    expect(back == domain and hash(back) == hash(domain), "unpickling gives an equal domain")
    names = domain.column_names
    distinct = len(set(names)) == len(names) > 0 and all(type(name) is str for name in names)
    expect(distinct, "columns have distinct names", names=names)
    for x in domain_points(domain):
        expect(type(domain.words(x)) is str, "words are a text", x=_show_point(x))


def _same(x: Any, y: Any) -> bool:
    """Whether two points are indistinguishable in all their parts."""
    return bool(x == y) and _show_point(x) == _show_point(y) and is_exact(x) == is_exact(y)


DOMAIN_LAWS = (
    domain_is_a_value,
    iteration,
    every_value_is_a_point,
    canonical_is_idempotent,
    many_are_read_like_one,
    equal_objects_are_one_point,
    json_round_trip,
)
