"""Sample sizes fitted by simulation, each for what was simulated and for nothing else."""

from __future__ import annotations

import json
import math
from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from importlib.resources import files
from typing import Any

from littlestone.classes import HypothesisClass, Lookup, Points, Subsets
from littlestone.classes.score_sheets import POINTS, ScoreSheets
from littlestone.learn import LookupLearner
from littlestone.privacy.cost import Budget, exact


@dataclass(frozen=True)
class CalibratedSize:
    """The least n on a grid at which at most a share beta of ``runs`` simulations failed.

    It is the largest over ``profiles``, pairs (distribution, least n); ``worst`` names the one that
    needs it.  Other distributions may need more, and the failure rate has a sampling error.  With
    ``between``, two epsilons, n was not simulated itself but follows from the sizes at these, and
    ``worst`` and ``profiles`` are those at the smaller one.
    """

    n: int
    worst: str
    runs: int
    profiles: tuple[tuple[str, int], ...]
    command: str
    between: tuple[str, str] | None = None

    def describe(self) -> str:
        """The source of the number, for people.

        >>> CalibratedSize(300, "edge", 200, (("even", 80), ("edge", 300)), "make sizes").describe()
        'simulated, 200 runs, worst of 2 profiles: edge'
        """
        found = f"{self.runs:,} runs, worst of {len(self.profiles)} profiles: {self.worst}"
        if self.between is None:
            return f"simulated, {found}"
        return f"from sizes simulated at epsilon {' and '.join(self.between)}, {found}"


def find_calibration(
    method: str,
    H: HypothesisClass[Any],
    budget: Budget,
    *,
    alpha: object,
    beta: object,
) -> CalibratedSize | None:
    """The calibrated size of a method in the realizable setting; None if it was not simulated.

    Sizes are known for sets, and for `lookup` tables, of at most 1 to 5 elements, at delta 1e-6, alpha
    .1 and beta .05.  `irreducible` and `radii` were simulated at epsilon 1, the others at .1, .3, 1 and
    3.  Between two of these, e < e' with the sizes n and n', the size at epsilon is

        min(n, max(n e, n' e') / epsilon),  rounded up.

    Score sheets were simulated at epsilon 1 and 3: those of `COLUMNS` columns of `CELLS` cells, with
    missing and other values among them.  That size also stands for fewer columns and fewer cells.

    It is enough if the true size falls with epsilon, and its product with epsilon rises or falls
    throughout; ``python -m benchmarks.calibration between`` checks it.  There is no size
    outside of this range.

    >>> H, goal = Subsets(Points.examples()[0].domain, 2), {"alpha": 0.1, "beta": 0.05}
    >>> sizes = [find_calibration("choosing", H, Budget(e, "1e-6"), **goal) for e in ("0.3", "0.5", 1)]
    >>> [size.n for size in sizes] == sorted((size.n for size in sizes), reverse=True)
    True
    >>> sizes[1].between
    ('0.3', '1')
    >>> find_calibration("choosing", H, Budget("0.05", "1e-6"), **goal) is None
    True
    """
    table = _table()
    asked = [budget.delta, exact(alpha, what="alpha"), exact(beta, what="beta")]
    # Simulations show nothing about another goal.
    if asked != [Fraction(table[name]) for name in ("delta", "alpha", "beta")]:
        return None
    k = _elements(H, method)
    rows = [row for row in table["sizes"] if (row["method"], row["k"]) == (method, k)]
    below = [row for row in rows if Fraction(row["epsilon"]) <= budget.epsilon]
    above = [row for row in rows if Fraction(row["epsilon"]) >= budget.epsilon]
    if not below or not above:
        return None
    low = max(below, key=lambda row: Fraction(row["epsilon"]))
    high = min(above, key=lambda row: Fraction(row["epsilon"]))
    n, command = low["n"], low.get("command", table["command"])
    worst = max(n, key=n.__getitem__)
    if low is high:
        return CalibratedSize(n[worst], worst, low["runs"], tuple(n.items()), command)
    sizes = n[worst], max(high["n"].values())
    # Between two simulated epsilons, epsilon times n is taken to be at most the larger of its two
    # ends, and n at most that of the smaller epsilon.
    most = max(Fraction(low["epsilon"]) * sizes[0], Fraction(high["epsilon"]) * sizes[1])
    size = min(sizes[0], math.ceil(most / budget.epsilon))
    runs, ends = min(low["runs"], high["runs"]), (low["epsilon"], high["epsilon"])
    return CalibratedSize(size, worst, runs, tuple(n.items()), command, ends)


COLUMNS, CELLS = 8, 12
"""Of the score sheets that were simulated: the columns, and the cells of each."""


def _elements(H: HypothesisClass[Any], method: str) -> int | None:
    """K if H is the class of all sets of at most k elements, before any example; otherwise None.

    For `lookup`, of all tables of at most k entries: clean records of a key have one label only, so
    the number of labels makes no difference.  For score sheets it is the number of columns simulated.
    """
    if method == LookupLearner.method:
        if isinstance(H, Lookup) and Lookup(H.domain, H.labels, H.most) == H:
            return H.most
        return None
    if isinstance(H, ScoreSheets):
        small = len(H.sizes) <= min(H.most, COLUMNS) and max(H.sizes) <= CELLS
        return COLUMNS if small and H.points == POINTS and H.space is None else None
    if isinstance(H, Subsets) and Subsets(H.domain, H.k) == H:
        return H.k
    return 1 if isinstance(H, Points) and Points(H.domain) == H else None


@cache
def _table() -> dict[str, Any]:
    found = files("littlestone.learn.plan").joinpath("calibrated.json").read_text(encoding="utf-8")
    table: dict[str, Any] = json.loads(found)
    return table
