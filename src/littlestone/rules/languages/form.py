"""Conditions on the cells of a record, and labels by cases of them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import date, timedelta
from fractions import Fraction
from typing import NamedTuple

from littlestone.base.errors import TooLargeError

MOST_CONSTANTS = 1000
"""The most constants of an exported rule."""

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


def require_small(part: Outcome | Condition, asked: str) -> None:
    """Raise `TooLargeError` for more than `MOST_CONSTANTS` or a depth above `MOST_DEPTH`."""
    constants = sum(len(cell.values) if isinstance(cell, OneOf) else 1 for cell in cells(part))
    if constants <= MOST_CONSTANTS and _depth(part) <= MOST_DEPTH:
        return
    raise TooLargeError(
        asked,
        found=f"it would have {constants:,} constants, and the limit is {MOST_CONSTANTS:,}"
        if constants > MOST_CONSTANTS
        else f"its conditions are nested more than {MOST_DEPTH} deep",
        fix="predict with `littlestone predict`, or learn a smaller rule",
    )


def _depth(part: Outcome | Condition) -> int:
    match part:
        case Both(parts) | Either(parts):
            return 1 + max(map(_depth, parts), default=0)
        case Case(branches):
            return max(_depth(when) for when, _ in branches)
    return 0
