"""Conditions on the cells of a record, and labels by cases of them."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from fractions import Fraction
from typing import Any, NamedTuple

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

MOST_CONSTANTS = 1000
"""The most constants of an exported rule, beside the texts in lists."""

MOST_TEXTS = 100_000
"""The most texts in the lists of an exported rule: one list is one condition, in every language."""

MOST_DEPTH = 20
"""The most conditions inside each other; the parser of SQLite stops at about as many."""


@dataclass(frozen=True)
class Within:
    """The cell shows a number v (`domains.number`) with low <= v < high; None means no end."""

    column: str
    low: Fraction | None = None
    high: Fraction | None = None


@dataclass(frozen=True)
class OneOf:
    """The text of the cell (`domains.text`) is one of ``values``; a missing cell has the empty text."""

    column: str
    values: tuple[str, ...]


@dataclass(frozen=True)
class Days:
    """The cell shows a day d (`domains.day`) with low <= d < high; None means no end."""

    column: str
    low: str | None = None
    high: str | None = None

    @property
    def ends(self) -> tuple[str, str]:
        """The first and the last day; the calendar ends with the year 9999."""
        last = date.max if self.high is None else date.fromisoformat(self.high) - timedelta(1)
        return self.low or date.min.isoformat(), last.isoformat()


Ordered = Grid | Reals | Integers
"""Domains of numbers in their order."""

Cell = Within | OneOf | Days
"""A condition on one cell."""


@dataclass(frozen=True)
class Both:
    """All ``parts`` hold; without parts it always holds."""

    parts: tuple[Condition, ...]


@dataclass(frozen=True)
class Either:
    """One of ``parts`` holds; without parts it never holds."""

    parts: tuple[Condition, ...]


@dataclass(frozen=True)
class Not:
    """The cell condition ``part`` does not hold, such as for a missing cell."""

    part: Cell


Condition = Cell | Both | Either | Not

ALWAYS, NEVER = Both(()), Either(())


@dataclass(frozen=True)
class Case:
    """The label beside the first of the ``branches`` whose condition holds, else ``otherwise``."""

    branches: tuple[tuple[Condition, int], ...]
    otherwise: int


Outcome = int | Case
"""A label, or cases."""


class ColumnPoints(NamedTuple):
    """The points of a column: those of the outcome of its conditions, by their number."""

    column: str
    outcome: Outcome
    points: list[int]


@dataclass(frozen=True)
class Total:
    """The sum of the points of the ``parts``, and the label 1 if it reaches ``least``, else 0.

    If ``least`` is None it stands for a place instead: that of the sum in ``totals``.
    """

    parts: Sequence[ColumnPoints]
    totals: Sequence[int]
    least: int | None


def both(*parts: Condition) -> Condition:
    """All of the parts, in short.

    >>> both(ALWAYS, Within("age"), ALWAYS)
    Within(column='age', low=None, high=None)
    """
    return _join(Both, parts, ALWAYS, NEVER)


def either(*parts: Condition) -> Condition:
    """One of the parts, in short."""
    return _join(Either, parts, NEVER, ALWAYS)


def _join(
    kind: type[Both] | type[Either],
    parts: Iterable[Condition],
    idle: Condition,
    decisive: Condition,
) -> Condition:
    kept: list[Condition] = []
    for part in parts:
        kept += part.parts if isinstance(part, kind) else [part]
    kept = [part for part in dict.fromkeys(kept) if part != idle]
    if decisive in kept:
        return decisive
    return kept[0] if len(kept) == 1 else kind(tuple(kept))


def negate(condition: Condition) -> Condition:
    """The condition that holds where ``condition`` does not; negations apply to cells only.

    >>> old, other = Within("age", Fraction(65)), Not(OneOf("sex", ("F",)))
    >>> negate(both(old, other)) == either(Not(old), OneOf("sex", ("F",)))
    True
    """
    if isinstance(condition, Not):
        return condition.part
    if isinstance(condition, Both):
        return either(*map(negate, condition.parts))
    if isinstance(condition, Either):
        return both(*map(negate, condition.parts))
    return Not(condition)


def case(branches: Iterable[tuple[Condition, Outcome]], otherwise: Outcome) -> Outcome:
    """The cases in one list, without those that never occur; databases read no deep ones.

    >>> inner = case([(Within("age", Fraction(65)), 1)], 2)
    >>> [label for _, label in case([(OneOf("sex", ("F",)), inner)], 0).branches]
    [1, 2]
    """
    flat: list[tuple[Condition, int]] = []
    for when, then in [*branches, (ALWAYS, otherwise)]:
        inside = then if isinstance(then, Case) else Case((), then)
        flat += [(both(when, asked), label) for asked, label in inside.branches]
        flat.append((when, inside.otherwise))
    kept: list[tuple[Condition, int]] = []
    for when, label in flat:
        if when == ALWAYS:
            break
        if kept and kept[-1][1] == label:
            when = either(kept.pop()[0], when)
        kept += [] if when == NEVER else [(when, label)]
    while kept and kept[-1][1] == label:
        kept.pop()
    return Case(tuple(kept), label) if kept else label


def where(outcome: Outcome, label: int) -> Condition:
    """The condition under which the outcome is this label.

    >>> where(Case(((Within("age"), 1),), 0), 0)
    Not(part=Within(column='age', low=None, high=None))
    """
    if not isinstance(outcome, Case):
        return ALWAYS if outcome == label else NEVER
    found, so_far = list[Condition](), both()
    for when, then in outcome.branches:
        found += [both(so_far, when)] if then == label else []
        so_far = both(so_far, negate(when))
    return either(*found, *([so_far] if outcome.otherwise == label else []))


def cells(part: Outcome | Condition) -> Iterator[Cell]:
    """The conditions on single cells, as often as they occur."""
    match part:
        case Within() | OneOf() | Days():
            yield part
        case Not(inner):
            yield inner
        case Both(parts) | Either(parts):
            for inside in parts:
                yield from cells(inside)
        case Case(branches):
            for when, _ in branches:
                yield from cells(when)


def require_small(
    part: Outcome | Condition, asked: str, types: Mapping[str, str] | None = None
) -> None:
    """Raise `TooLargeError` above `MOST_CONSTANTS`, `MOST_TEXTS` or the depth `MOST_DEPTH`.

    Lists are of texts unless ``types`` say that the column holds something else.
    """
    held, constants, texts = types or {}, 0, 0
    for cell in cells(part):
        listed = len(cell.values) if isinstance(cell, OneOf) else 0
        is_text = held.get(cell.column, "text") == "text"
        constants += 1 if is_text else max(1, listed)
        texts += listed if is_text else 0
    if constants > MOST_CONSTANTS:
        found = f"it would have {constants:,} constants, and the limit is {MOST_CONSTANTS:,}"
    elif texts > MOST_TEXTS:
        found = f"its lists would have {texts:,} texts, and the limit is {MOST_TEXTS:,}"
    elif _depth(part) > MOST_DEPTH:
        found = f"its conditions are nested more than {MOST_DEPTH} deep"
    else:
        return
    raise TooLargeError(
        asked,
        found=found,
        fix="predict with `littlestone predict`, or learn a smaller rule",
    )


def _depth(part: Outcome | Condition) -> int:
    match part:
        case Both(parts) | Either(parts):
            return 1 + max(map(_depth, parts), default=0)
        case Case(branches):
            return max(_depth(when) for when, _ in branches)
    return 0


_MOST = Fraction(10**401)
"""Domains of infinitely many numbers read no number as large as this."""

MOST_POINTS = 1 << 12
"""The largest domain whose points are listed to write a function on it."""


def outcome_of_labels(
    domain: Domain[Any], label: Callable[[Any], int], labels: int, asked: str
) -> Outcome:
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
    return case([(among(domain, points[y]), y) for y in range(1, labels)], 0)


def among(domain: Domain[Any], points: Collection[Any]) -> Condition:
    """The cells that stand for one of the points.

    Raises `DeclarationError` for real numbers and for a kind of domain that is not of this package.

    >>> among(Grid(0, 9, "age"), {3, 4, 5})
    Within(column='age', low=Fraction(3, 1), high=Fraction(6, 1))
    """
    if not points:
        return NEVER
    match domain:
        case Grid():
            return either(*(interval(domain, a, b) for a, b in _runs(points)))
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
            return either(
                *(
                    both(chosen, among(domain.columns[j], [x for i, x in points if i == j]))
                    for j, chosen in enumerate(shares(domain))
                )
            )
    raise _domain_error(domain)


def interval(
    domain: Ordered, first: int | Fraction | None, stop: int | Fraction | None
) -> Condition:
    """The cells that stand for a point x with first <= x < stop; None means no end.

    >>> interval(Grid(0, 9, "age"), 5, None)
    Within(column='age', low=Fraction(5, 1), high=None)
    >>> interval(Grid(0, 9, "age"), 0, 5)  # a missing age stands for 0
    Not(part=Within(column='age', low=Fraction(5, 1), high=None))
    """
    low, high = None if first is None else Fraction(first), None if stop is None else Fraction(stop)
    if isinstance(domain, Reals | Integers):  # what is unreadable is the point 0
        low, high = -_MOST if low is None else low, _MOST if high is None else high
        if not low <= 0 < high:
            return Within(domain.name, low, high)
        outside = [(-_MOST, low), (high, _MOST)]
        return negate(either(*(Within(domain.name, a, b) for a, b in outside if a < b)))
    unit = Fraction(domain.unit)
    low = None if low is None or low <= domain.low else low * unit
    high = None if high is None or high > domain.high else high * unit
    if low is not None:
        return Within(domain.name, low, high)
    return ALWAYS if high is None else negate(Within(domain.name, high))


def shares(domain: Disjoint) -> list[Condition]:
    """For each part of a disjoint union, the condition that a record stands for a point of it."""
    found, before = list[Condition](), both()
    for column in domain.columns:
        reads = _reads(column)
        found.append(both(before, reads))
        before = both(before, negate(reads))
    found[0] = either(found[0], before)
    return found


def _reads(domain: Domain[Any]) -> Condition:
    """The cells that `Domain.reads`."""
    match domain:
        case Dates():
            return Days(domain.name)
        case Grid() | Reals() | Integers() | Cells() | Codes():
            return Within(domain.name)
        case Strings():
            return negate(OneOf(domain.name, (MISSING,)))
        case Names():
            return _texts(domain.name, domain.points)
        case Listed():
            return _texts(domain.name, domain.values)
        case Product() | Disjoint():
            return either(*map(_reads, domain.columns))
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


def _whole(name: str, points: Collection[int], unreadable: bool) -> Condition:
    """The numbers whose floor is one of the points, and perhaps whatever shows no such number."""
    runs = [(Fraction(a), Fraction(b)) for a, b in _runs(points)]
    if not unreadable:
        return either(*(Within(name, a, b) for a, b in runs))
    ends = [-_MOST, *(end for run in runs for end in run), _MOST]
    return negate(either(*(Within(name, a, b) for a, b in zip(ends[::2], ends[1::2], strict=True))))


def _condition_on_cells(domain: Cells, points: Collection[str]) -> Condition:
    """Runs of cells; the first cell has no lower end and the last no upper one."""
    if MISSING in points:
        return negate(_condition_on_cells(domain, [x for x in domain.starts if x not in points]))
    runs = _runs([domain.index(x) - 1 for x in points])
    if isinstance(domain, Dates):
        days = [None, *domain.starts[1:], None]
        return either(*(Days(domain.name, days[a], days[b]) for a, b in runs))
    ends = [None, *map(Fraction, domain.starts[1:]), None]
    return either(*(Within(domain.name, ends[a], ends[b]) for a, b in runs))


def _texts(name: str, values: Collection[str]) -> Condition:
    return OneOf(name, tuple(sorted(values))) if values else NEVER


def _condition_on_list(
    name: str, points: Collection[str], known: Sequence[str], rest: str
) -> Condition:
    """Points of a list where every other text stands for ``rest``."""
    if rest not in points:
        return _texts(name, points)
    return negate(_texts(name, [x for x in known if x not in points]))


def _records(columns: Sequence[Domain[Any]], points: Collection[Any]) -> Condition:
    """Records as conditions on the first column, with alike conditions on the others together."""
    if not columns:
        return ALWAYS if points else NEVER
    rests: dict[Any, set[Any]] = {}
    for x in points:
        rests.setdefault(x[0], set()).add(x[1:])
    values: dict[frozenset[Any], list[Any]] = {}
    for v, rest in sorted(rests.items()):
        values.setdefault(frozenset(rest), []).append(v)
    return either(
        *(
            both(among(columns[0], listed), _records(columns[1:], rest))
            for rest, listed in values.items()
        )
    )
