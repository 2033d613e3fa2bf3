"""Two tables that no solver was known to settle within a minute; run when named only."""

from __future__ import annotations

from collections.abc import Iterator

from benchmarks.families import WALLS
from benchmarks.harness import Case
from benchmarks.solver import families

ON_REQUEST = True


def cases() -> Iterator[Case]:
    """A sparse random table, and unions of intervals; a minute each, twice."""
    return families(WALLS, recursion=False)
