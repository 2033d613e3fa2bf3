"""The certificates of every table on which the solver is measured; run when named only."""

from __future__ import annotations

from collections.abc import Iterator

from benchmarks.certificates import certified
from benchmarks.families import FAMILIES, WALLS
from benchmarks.harness import Case

ON_REQUEST = True


def cases() -> Iterator[Case]:
    """All families, and the wall that has a certificate: some minutes each.

    That of the unions of intervals has millions of claims, and was never finished.
    """
    return certified(FAMILIES | {"random .2 65536": WALLS["random .2 65536"]})
