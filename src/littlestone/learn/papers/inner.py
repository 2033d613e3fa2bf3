"""The default inner learner of another learner, chosen by declarations alone.

`plan` chooses among all learners.  This choice is apart because ``BoostingLearner(H, budget)`` makes
it too, and `plan` imports the learners.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from littlestone.base.discovery import concrete
from littlestone.base.errors import DeclarationError
from littlestone.classes.base import HypothesisClass
from littlestone.learn.base import PrivateLearner
from littlestone.points import Point
from littlestone.privacy.cost import Budget

BETA = 0.05


def fewest(
    hypotheses: HypothesisClass[Point],
    budget: Budget,
    *,
    alpha: float,
    beta: float = BETA,
    proved: bool = False,
    allowed: Callable[[type[PrivateLearner[Any]]], bool],
) -> PrivateLearner[Point] | None:
    """The ``allowed`` learner that provably needs the fewest records with clean labels, if any does.

    Each learner is made as it is used for alpha or, if ``proved`` is true, with the parameters for
    which its size is proved.
    """
    found: list[tuple[int, PrivateLearner[Point]]] = []
    for kind in concrete(PrivateLearner, "littlestone.learn"):  # type: ignore[type-abstract]
        if not allowed(kind):
            continue
        try:
            if proved:
                learner = kind.with_proved_bound(hypotheses, budget, alpha=alpha, beta=beta)
            else:
                learner = kind.for_error(hypotheses, budget, alpha=alpha)
        # Whether a learner applies depends on declarations alone, so a refusal tells nothing.
        except DeclarationError:
            continue
        bound = learner.bound(alpha, beta, setting="realizable")
        if bound is not None:
            found.append((bound.n, learner))
    return min(found, key=lambda pair: pair[0])[1] if found else None
