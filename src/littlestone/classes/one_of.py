"""Several classes over the same columns, one of which is to fit the records."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from littlestone.classes.base import HypothesisClass, is_scorable
from littlestone.classes.union import ScoredUnion
from littlestone.classes.unlisted import NoVersionSpaces
from littlestone.domains import Domain
from littlestone.errors import DeclarationError, TooLargeError


@dataclass(frozen=True)
class OneOf(NoVersionSpaces):
    """The functions of any of several classes, each of which keeps its own learner.

    `one_of` makes it if the functions cannot be scored together, as with open columns.

    >>> from littlestone.classes import parse_class
    >>> columns = "ward, age: 0..80 step 20"
    >>> texts = [f"conditions({columns}; at most 2)", f"trees({columns}; depth 1)"]
    >>> one_of(list(map(parse_class, texts))).littlestone_bounds()
    (3, inf)
    """

    why = "each of its classes is learned by itself"
    remedy = "declare one of them alone"

    domain: Domain[Any]
    parts: tuple[HypothesisClass[Any], ...]

    @property
    def labels(self) -> int:  # type: ignore[override]
        """The number of labels, which is the same for all parts."""
        return self.parts[0].labels

    def require_learnable(self) -> None:
        for part in self.parts:
            part.require_learnable()

    def load(self, n: int) -> None:
        for part in self.parts:
            part.load(n)

    def littlestone_bounds(self) -> tuple[int, int | float]:
        """Above: run the SOA of each part until it errs too often."""
        bounds = [_bounds_of(part) for part in self.parts]
        return max(low for low, _ in bounds), sum(high + 1 for _, high in bounds) - 1

    def bound_reasons(self) -> tuple[str, str]:
        return "its largest class", "follow one class after the other"

    def __str__(self) -> str:
        return f"one of {', '.join(map(str, self.parts))}"


def one_of(parts: Sequence[HypothesisClass[Any]]) -> HypothesisClass[Any]:
    """The class of all functions of the parts: a union that is scored at once if that is possible.

    A `ScoredUnion` needs two labels and parts whose functions can be scored; else it is a `OneOf`.
    Raises `DeclarationError` for no parts, and for parts with other columns or labels than the first.

    >>> from littlestone.classes import Intervals, Thresholds
    >>> type(one_of([Thresholds.on(0, 9), Intervals.on(0, 9)])).__name__
    'ScoredUnion'
    """
    if not parts:
        raise DeclarationError(
            "choose among classes", found="there are none", fix="name at least one"
        )
    first = parts[0]
    if len(parts) == 1:
        return first
    for part in parts:
        if (part.domain, part.labels) != (first.domain, first.labels):
            raise DeclarationError(
                f"choose between {first} and {part}",
                found="they do not have the same columns, declared alike, and the same labels",
                fix="declare the same columns in each, such as 'conditions(age: 0..80 step 20, ward; "
                "at most 2)' and 'trees(age: 0..80 step 20, ward; depth 1)'",
            )
    scored = [part for part in parts if is_scorable(part)]
    if first.labels == 2 and len(scored) == len(parts):
        return ScoredUnion(first.domain, tuple(scored))
    return OneOf(first.domain, tuple(parts))


def _bounds_of(part: HypothesisClass[Any]) -> tuple[int, int | float]:
    try:
        low, high = part.littlestone_bounds()
    except TooLargeError:
        return 0, math.inf
    return int(low), high
