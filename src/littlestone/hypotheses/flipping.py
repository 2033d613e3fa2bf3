"""A function with the labels of finitely many points flipped."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import Any

from littlestone.domains import Grid
from littlestone.hypotheses.base import Hypothesis
from littlestone.hypotheses.sets import FiniteSet
from littlestone.hypotheses.steps import StepFunction
from littlestone.hypotheses.tables import TableFunction


def flipped(f: Hypothesis[Any], points: Iterable[Any]) -> Hypothesis[Any] | None:
    """The function that differs from f at ``points`` exactly, in the canonical form of its kind.

    None where f's kind does not hold it: tables, finite sets and steps on a grid hold all of them.

    >>> from littlestone.domains import Grid
    >>> flipped(StepFunction.threshold(Grid(0, 9), 4), [3, 9]).words()
    '3 <= x < 9'
    """
    places = set(points)
    if not places:
        return f
    if isinstance(f, TableFunction):
        return replace(f, bits=f.bits ^ sum(1 << f.domain.index(x) for x in places))
    if isinstance(f, FiniteSet):
        return replace(f, members=f.members ^ places)
    if isinstance(f, StepFunction) and isinstance(f.domain, Grid):
        return replace(f, changes=(*f.changes, *places, *(x + 1 for x in places)))
    return None
