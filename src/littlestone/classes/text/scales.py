"""Public cuts for numbers whose range nobody knows, the same for every column and every table.

Docs: docs/proofs/conditions.md, Theorem 6.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from decimal import Decimal
from functools import cache, lru_cache

FINEST, COARSEST = 90, 1
A_DECADE = (FINEST, 18, 9, 3, COARSEST)
"""How many cuts a decade may have; each coarser scale is a part of the finer ones."""

MOST_CUTS = 1700
"""The most cuts that all typed columns of a class get together, unless one cut a decade is more."""

TYPED = re.compile(
    r"(?P<name>'(?:[^']|'')*'|\"(?:[^\"]|\"\")*\"|.*?):\s*(?P<kind>number|integer)"
    r"(?:\s+with\s+(?P<cuts>\d{1,9})\s+cuts?\s+a\s+decade)?",
    re.DOTALL,
)
"""A column that is declared only by its type."""

_FINE = range(-2, 6)  # the decades of most measures, from 0.01 to 1,000,000
_FAR = (*range(-6, -2), *range(6, 13))
_SMALL = range(21)


@cache
def scale(kind: str, a_decade: int) -> tuple[str, ...]:
    """The cuts of a column of this kind, in order: 0, and round numbers of both signs.

    A decade from 0.01 to 10^6 has 1, 3 (1, 2, 5), 9 (one digit), 18 (halves of it) or 90 (two digits)
    cuts, and those below 0 are one step coarser.  Beyond there are the powers of ten from 10^-6 to
    10^12.  An ``integer`` has the whole ones of these, and each number to 20.

    >>> scale("number", 3)[33:40]
    ('10', '20', '50', '100', '200', '500', '1000')
    """
    coarser = A_DECADE[min(A_DECADE.index(a_decade) + 1, len(A_DECADE) - 1)]
    found = {Decimal(0), *_cuts_of_sign(1, a_decade), *_cuts_of_sign(-1, coarser)}
    if kind == "integer":
        found = {v for v in found if v == v.to_integral_value()} | {*map(Decimal, _SMALL)}
    return tuple(f"{v:f}" for v in sorted(found))


def _cuts_of_sign(sign: int, a_decade: int) -> Iterable[Decimal]:
    """The cuts of one sign."""
    digits = {
        1: ["1"],
        3: ["1", "2", "5"],
        9: [str(d) for d in range(1, 10)],
        18: [str(Decimal(d) / 2) for d in range(2, 20)],
        90: [str(Decimal(d) / 10) for d in range(10, 100)],
    }[a_decade]
    powers = [Decimal(f"1e{k}") for k in _FAR]
    fine = [Decimal(f"{digit}e{k}") for k in _FINE for digit in digits]
    return (sign * v for v in (*powers, *fine))


def choose_scale(kinds: Iterable[str], most: int = MOST_CUTS) -> int:
    """The most cuts a decade with which columns of these kinds have at most ``most`` cuts together.

    It depends only on the declared kinds.

    >>> choose_scale(["number"]), choose_scale(["number", "integer"] * 10)
    (90, 3)
    """
    columns = list(kinds)
    fitting = (a for a in A_DECADE if sum(len(scale(kind, a)) for kind in columns) <= most)
    return next(fitting, COARSEST)


@lru_cache(maxsize=256)
def scale_text(starts: tuple[str, ...]) -> str:
    """The words after a column's name that declare these cuts; empty if they are no scale.

    >>> scale_text(scale("integer", 9))
    ': integer with 9 cuts a decade'
    """
    for kind in ("number", "integer"):
        for a in A_DECADE:
            if len(starts) == len(scale(kind, a)) and starts == scale(kind, a):
                return f": {kind} with {a} cut{'' if a == 1 else 's'} a decade"
    return ""
