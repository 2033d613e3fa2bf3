"""Sample sizes fitted by simulation, each for what was simulated and for nothing else."""

from __future__ import annotations

import json
from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from importlib.resources import files
from typing import Any

from littlestone.classes import HypothesisClass, Points, Subsets
from littlestone.privacy.budget import Budget
from littlestone.privacy.cost import exact


@dataclass(frozen=True)
class Calibrated:
    """The least n on a grid at which at most a share beta of ``runs`` simulations failed.

    It is the largest over ``profiles``, pairs (distribution, least n); ``worst`` names the one that
    needs it.  Other distributions may need more, and the failure rate has a sampling error.
    """

    n: int
    worst: str
    runs: int
    profiles: tuple[tuple[str, int], ...]
    command: str

    def words(self) -> str:
        """The source of the number, for people.

        >>> Calibrated(300, "edge", 200, (("even", 80), ("edge", 300)), "make sizes").words()
        'simulated, 200 runs, worst of 2 profiles: edge'
        """
        return (
            f"simulated, {self.runs:,} runs, worst of {len(self.profiles)} profiles: {self.worst}"
        )


def calibrated(
    method: str,
    H: HypothesisClass[Any],
    budget: Budget,
    *,
    alpha: object,
    beta: object,
) -> Calibrated | None:
    """The calibrated size of a method in the realizable setting; None if it was not simulated.

    Nothing is scaled.  Sizes are known only for the declarations of the simulation: sets of at most 1
    to 5 elements of an open vocabulary, at epsilon 1 (`choosing`: also .1, .3 and 3), delta 1e-6,
    alpha .1 and beta .05.

    >>> H, goal = Subsets(Points.examples()[0].domain, 2), {"alpha": 0.1, "beta": 0.05}
    >>> calibrated("irreducible", H, Budget(2, "1e-6"), **goal) is None
    True
    """
    table = _table()
    asked = [budget.delta, exact(alpha, what="alpha"), exact(beta, what="beta")]
    if asked != [Fraction(table[name]) for name in ("delta", "alpha", "beta")]:
        return None
    k = _elements(H)
    for row in table["sizes"]:
        known = row["method"], row["k"], Fraction(row["epsilon"])
        if known == (method, k, budget.epsilon):
            n = row["n"]
            worst = max(n, key=n.__getitem__)
            return Calibrated(n[worst], worst, row["runs"], tuple(n.items()), table["command"])
    return None


def _elements(H: HypothesisClass[Any]) -> int | None:
    """K if H is the class of all sets of at most k elements, before any example; otherwise None."""
    if isinstance(H, Subsets) and Subsets(H.domain, H.k) == H:
        return H.k
    return 1 if isinstance(H, Points) and Points(H.domain) == H else None


@cache
def _table() -> dict[str, Any]:
    found = files("littlestone.planning").joinpath("calibrated.json").read_text(encoding="utf-8")
    table: dict[str, Any] = json.loads(found)
    return table
