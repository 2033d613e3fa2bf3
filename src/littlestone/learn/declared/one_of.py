"""Several classes over the same columns, of which one should fit the records."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from littlestone.base.errors import DeclarationError
from littlestone.classes.base import HypothesisClass, is_scorable
from littlestone.classes.union import ScoredUnion


def one_of(parts: Sequence[HypothesisClass[Any]]) -> HypothesisClass[Any]:
    """The class of all functions of the parts: a union from which one draw takes a function.

    Raises `DeclarationError` for no parts, for parts with other columns or labels than the first, and
    for parts whose functions cannot be scored together.  Learning each part and keeping the best rule
    would spend once for each (docs/security.md).

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
    if first.labels > 2:
        raise DeclarationError(
            f"choose among {len(parts)} classes of {first.labels} labels",
            found="only rules for one label are compared in a single draw",
            fix="declare one of them alone, or learn a rule for one label: --positive",
        )
    scored = [part for part in parts if is_scorable(part)]
    for part in parts:
        if part not in scored:
            raise DeclarationError(
                f"choose between {part} and other classes",
                found="a single draw cannot compare all its rules with those of the others",
                fix="declare one of the classes alone, or classes such as conditions(...) and "
                "trees(...), with the range or the values of each column: age: 0..120 step 5",
            )
    return ScoredUnion(first.domain, tuple(scored))
