"""A function with other labels at finitely many points."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from littlestone.domains import Grid
from littlestone.hypotheses.base import Hypothesis
from littlestone.hypotheses.lookup import LookupTable
from littlestone.hypotheses.sets import FiniteSet
from littlestone.hypotheses.steps import StepFunction
from littlestone.hypotheses.tables import TableFunction


def patched(f: Hypothesis[Any], labels: Mapping[Any, int]) -> Hypothesis[Any] | None:
    """The function x -> labels[x] if x is in ``labels``, else f(x), in the canonical form of its kind.

    None if f's kind does not hold it: tables, finite sets, lookup tables, and steps on a grid hold
    all of them.

    >>> from littlestone.domains import Grid
    >>> patched(StepFunction.threshold(Grid(0, 9), 4), {3: 1, 4: 1, 9: 0}).words()
    '3 <= x < 9'
    """
    changed = {x: y for x, y in labels.items() if f(x) != y}
    if not changed:
        return f
    if isinstance(f, TableFunction):
        planes = list(f.planes)
        for x, y in changed.items():
            i, before = f.domain.index(x), f(x)
            for j in range(len(planes)):
                planes[j] ^= ((before ^ y) >> j & 1) << i
        return replace(f, planes=tuple(planes))
    if isinstance(f, FiniteSet):
        return replace(f, members=f.members.symmetric_difference(changed))
    if isinstance(f, LookupTable):
        kept = {entry for entry in f.entries if entry[0] not in changed}
        return replace(f, entries=frozenset(kept.union(changed.items())))
    if isinstance(f, StepFunction) and isinstance(f.domain, Grid):
        return replace(f, changes=(*f.changes, *changed, *(x + 1 for x in changed)))
    return None
