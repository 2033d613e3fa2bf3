"""Points of a domain as conditions on the cells that stand for them (`Domain.encode`)."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from fractions import Fraction
from typing import Any

from littlestone.base.errors import DeclarationError, TooLargeError
from littlestone.points import (
    MISSING,
    OTHER,
    Cells,
    Codes,
    Dates,
    Disjoint,
    Domain,
    Grid,
    Integers,
    Listed,
    Names,
    Product,
    Reals,
    Strings,
)
from littlestone.rules.languages import form

_MOST = Fraction(10**401)
"""Domains of infinitely many numbers read no number as large as this."""

MOST_POINTS = 1 << 12
"""The largest domain whose points are listed to write a function on it."""


def outcome_of_labels(
    domain: Domain[Any], label: Callable[[Any], int], labels: int, asked: str
) -> form.Outcome:
    """The function with these labels, which is asked at every point of a small domain.

    Raises `TooLargeError` for a domain of more than `MOST_POINTS` points.

    >>> outcome_of_labels(Grid(0, 9, "age"), lambda x: int(x >= 5), 2, "export")
    Case(branches=((Within(column='age', low=Fraction(5, 1), high=None), 1),), otherwise=0)
    """
    if domain.size is None or domain.size > MOST_POINTS:
        raise TooLargeError(
            asked,
            found="functions of its kind are not conditions on columns, and it has "
            f"{'endless' if domain.size is None else f'{domain.size:,}'} points, above {MOST_POINTS:,}",
            fix="predict with `littlestone predict`",
        )
    points: dict[int, list[Any]] = {y: [] for y in range(labels)}
    for x in domain:
        points[label(x)].append(x)
    return form.case([(among(domain, points[y]), y) for y in range(1, labels)], 0)


def among(domain: Domain[Any], points: Collection[Any]) -> form.Condition:
    """The cells that stand for one of the points.

    Raises `DeclarationError` for real numbers and for a kind of domain that is not of this package.

    >>> among(Grid(0, 9, "age"), {3, 4, 5})
    Within(column='age', low=Fraction(3, 1), high=Fraction(6, 1))
    """
    if not points:
        return form.NEVER
    match domain:
        case Grid():
            return form.either(*(interval(domain, a, b) for a, b in _runs(points)))
        case Integers():
            return _whole(domain.name, points, 0 in points)
        case Codes():
            numbers = [int(x) for x in points if x != MISSING]
            return _whole(domain.name, numbers, MISSING in points)
        case Cells():
            return _condition_on_cells(domain, points)
        case Strings():
            return _texts(domain.name, points)
        case Names():
            rest = domain.points[0] if domain.other is None else domain.other
            return _condition_on_list(domain.name, points, domain.points, rest)
        case Listed():
            return _condition_on_list(domain.name, points, domain.points, OTHER)
        case Product():
            return _records(domain.columns, points)
        case Disjoint():
            return form.either(
                *(
                    form.both(chosen, among(domain.columns[j], [x for i, x in points if i == j]))
                    for j, chosen in enumerate(shares(domain))
                )
            )
    raise _domain_error(domain)


def interval(
    domain: Grid | Reals, first: int | Fraction | None, stop: int | Fraction | None
) -> form.Condition:
    """The cells that stand for a point x with first <= x < stop; None means no end.

    >>> interval(Grid(0, 9, "age"), 5, None)
    Within(column='age', low=Fraction(5, 1), high=None)
    >>> interval(Grid(0, 9, "age"), 0, 5)  # a missing age stands for 0
    Not(part=Within(column='age', low=Fraction(5, 1), high=None))
    """
    low, high = None if first is None else Fraction(first), None if stop is None else Fraction(stop)
    if isinstance(domain, Reals):  # what is unreadable is the point 0
        low, high = -_MOST if low is None else low, _MOST if high is None else high
        if not low <= 0 < high:
            return form.Within(domain.name, low, high)
        outside = [(-_MOST, low), (high, _MOST)]
        return form.negate(
            form.either(*(form.Within(domain.name, a, b) for a, b in outside if a < b))
        )
    unit = Fraction(domain.unit)
    low = None if low is None or low <= domain.low else low * unit
    high = None if high is None or high > domain.high else high * unit
    if low is not None:
        return form.Within(domain.name, low, high)
    return form.ALWAYS if high is None else form.negate(form.Within(domain.name, high))


def shares(domain: Disjoint) -> list[form.Condition]:
    """For each part of a disjoint union, the condition that a record stands for a point of it."""
    found, before = list[form.Condition](), form.both()
    for column in domain.columns:
        reads = _reads(column)
        found.append(form.both(before, reads))
        before = form.both(before, form.negate(reads))
    found[0] = form.either(found[0], before)
    return found


def _reads(domain: Domain[Any]) -> form.Condition:
    """The cells that `Domain.reads`."""
    match domain:
        case Dates():
            return form.Days(domain.name)
        case Grid() | Reals() | Integers() | Cells() | Codes():
            return form.Within(domain.name)
        case Strings():
            return form.negate(form.OneOf(domain.name, (MISSING,)))
        case Names():
            return _texts(domain.name, domain.points)
        case Listed():
            return _texts(domain.name, domain.values)
        case Product() | Disjoint():
            return form.either(*map(_reads, domain.columns))
    raise _domain_error(domain)


def _domain_error(domain: Domain[Any]) -> DeclarationError:
    return DeclarationError(
        f"write conditions on {domain}",
        found="single real numbers, or points of a kind of domain of your own, have no form here",
        fix="predict with `littlestone predict`",
    )


def _runs(whole: Collection[int]) -> list[tuple[int, int]]:
    """Whole numbers as runs first <= x < stop."""
    runs: list[tuple[int, int]] = []
    for k in sorted(whole):
        if runs and runs[-1][1] == k:
            runs[-1] = runs[-1][0], k + 1
        else:
            runs.append((k, k + 1))
    return runs


def _whole(name: str, points: Collection[int], unreadable: bool) -> form.Condition:
    """The numbers whose floor is one of the points, and perhaps whatever shows no such number."""
    runs = [(Fraction(a), Fraction(b)) for a, b in _runs(points)]
    if not unreadable:
        return form.either(*(form.Within(name, a, b) for a, b in runs))
    ends = [-_MOST, *(end for run in runs for end in run), _MOST]
    return form.negate(
        form.either(*(form.Within(name, a, b) for a, b in zip(ends[::2], ends[1::2], strict=True)))
    )


def _condition_on_cells(domain: Cells, points: Collection[str]) -> form.Condition:
    """Runs of cells; the first cell has no lower end and the last no upper one."""
    if MISSING in points:
        return form.negate(
            _condition_on_cells(domain, [x for x in domain.starts if x not in points])
        )
    runs = _runs([domain.index(x) - 1 for x in points])
    if isinstance(domain, Dates):
        days = [None, *domain.starts[1:], None]
        return form.either(*(form.Days(domain.name, days[a], days[b]) for a, b in runs))
    ends = [None, *map(Fraction, domain.starts[1:]), None]
    return form.either(*(form.Within(domain.name, ends[a], ends[b]) for a, b in runs))


def _texts(name: str, values: Collection[str]) -> form.Condition:
    return form.OneOf(name, tuple(sorted(values))) if values else form.NEVER


def _condition_on_list(
    name: str, points: Collection[str], known: Sequence[str], rest: str
) -> form.Condition:
    """Points of a list where every other text stands for ``rest``."""
    if rest not in points:
        return _texts(name, points)
    return form.negate(_texts(name, [x for x in known if x not in points]))


def _records(columns: Sequence[Domain[Any]], points: Collection[Any]) -> form.Condition:
    """Records as conditions on the first column, with alike conditions on the others together."""
    if not columns:
        return form.ALWAYS if points else form.NEVER
    rests: dict[Any, set[Any]] = {}
    for x in points:
        rests.setdefault(x[0], set()).add(x[1:])
    values: dict[frozenset[Any], list[Any]] = {}
    for v, rest in sorted(rests.items()):
        values.setdefault(frozenset(rest), []).append(v)
    return form.either(
        *(
            form.both(among(columns[0], listed), _records(columns[1:], rest))
            for rest, listed in values.items()
        )
    )
