"""What is known of the Littlestone dimension of a declared class: bounds, each with its reason."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from littlestone.classes.base import HypothesisClass
    from littlestone.dimension.tables import PackedTable
    from littlestone.dimension.tree import Bounds

    Solve = Callable[[PackedTable], Bounds]

SECONDS = 10.0
"""How long the table of a declared class is searched, unless somebody says otherwise."""

MOST_ENTRIES = 1 << 25
"""The most entries of a table that is made only to be searched."""

_FOUND = "a search of its table"


@dataclass(frozen=True)
class SearchTable:
    """A table to search for LDim(H), and the ``bounds`` of LDim(H) that are known without a search.

    LDim(table) + ``gain`` <= LDim(H), for the ``reason``; they are equal if the table is ``whole``.
    """

    table: PackedTable
    bounds: tuple[int, int]
    gain: int = 0
    whole: bool = True
    reason: str = _FOUND


@dataclass(frozen=True)
class Known:
    """lower <= LDim(H) <= upper, and why; ``search`` is the search that was stopped, if one was."""

    lower: int | float
    upper: int | float
    lower_reason: str
    upper_reason: str
    search: Bounds | None = None


def known(H: HypothesisClass[Any], solve: Solve | None = None) -> Known:
    """LDim(H) if a formula or a search tells it, else bounds of it.

    ``solve`` searches a table; the default stops after 10 seconds.

    >>> from littlestone.classes import parse_class
    >>> found = known(parse_class("juntas(a, b, c, d, e, f, g, h, i, j, k, l; k 3)"))
    >>> found.lower, found.upper, found.upper_reason
    (14, 15, 'the majority of its functions errs no more often')
    """
    search = H.search_table()
    below, above = H.bound_reasons()
    if search is None:
        return Known(*H.littlestone_bounds(), below, above)
    from littlestone.dimension.littlestone import littlestone_bounds

    lower, upper = search.bounds
    found = (solve or partial(littlestone_bounds, time_limit=SECONDS))(search.table)
    # A part of the class and a proved gain still bound the whole class from below; from above only
    # the whole table does.
    if found.lower + search.gain > lower:
        lower, below = found.lower + search.gain, search.reason
    if search.whole and found.upper + search.gain < upper:
        upper, above = found.upper + search.gain, search.reason
    return Known(lower, upper, below, above, found if found.interrupted else None)


def halving(functions: int) -> int:
    """floor(log2 N): each mistake of the majority vote halves the N functions of a class.

    >>> halving(1), halving(7), halving(8)
    (0, 2, 3)
    """
    return functions.bit_length() - 1


def has_one_mistake(H: HypothesisClass[Any]) -> bool:
    """Whether LDim(H) <= 1, so that the SOA errs at most once; the bounds of LDim(H) may settle it.

    >>> from littlestone.classes import parse_class
    >>> [has_one_mistake(parse_class(f"linear(x, y; q 5, dimension {d})")) for d in (1, 2)]
    [True, False]
    """
    least, most = H.littlestone_bounds()
    return most <= 1 or (least <= 1 and H.littlestone_dimension() <= 1)
