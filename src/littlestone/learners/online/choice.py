"""Which online learner is for which class: the one that provably makes the fewest mistakes."""

from __future__ import annotations

from typing import Any

from littlestone.classes.base import HypothesisClass
from littlestone.discovery import concrete
from littlestone.errors import DeclarationError
from littlestone.learners.online.base import PrivateOnlineLearner
from littlestone.privacy.cost import exact_delta, exact_epsilon
from littlestone.privacy.parameters import whole

AUTO = "auto"
BETA = 0.05


def choose_online_learner(
    hypotheses: HypothesisClass[Any],
    *,
    epsilon: object,
    delta: object,
    horizon: int,
    method: str = AUTO,
) -> PrivateOnlineLearner[Any]:
    """The learner of that name, or for ``"auto"`` the one of the least proved mistake bound.

    Raises `DeclarationError` for an unknown name, and where no learner or not that one applies.

    >>> from littlestone.classes import parse_class
    >>> H = parse_class("subsets(merchant; at most 2)")
    >>> choose_online_learner(H, epsilon=1, delta="1e-6", horizon=1000).method
    'keys'
    """
    exact_epsilon(epsilon), exact_delta(delta)
    whole("horizon", horizon, least=1)
    kinds: list[type[Any]] = concrete(PrivateOnlineLearner, "littlestone.learners.online")
    names = [kind.method for kind in kinds]
    if method not in (AUTO, *names):
        raise DeclarationError(
            f"learn online by the method {method!r}",
            found="there is no such method",
            fix=f"use one of: {', '.join([AUTO, *names])}",
        )
    found: list[PrivateOnlineLearner[Any]] = []
    refusals: dict[str, DeclarationError] = {}
    for kind in kinds:
        if method in (AUTO, kind.method):
            try:
                learner = kind(hypotheses, epsilon=epsilon, delta=delta, horizon=horizon)
            except DeclarationError as error:
                refusals[kind.method] = error
            else:
                found.append(learner)
    if not found and method != AUTO:
        raise refusals[method]
    if not found:
        raise DeclarationError(
            f"learn {hypotheses} online",
            found="; ".join(f"{error.found} ({name})" for name, error in refusals.items()),
            fix="declare points, subsets or rules, and a small delta such as 1e-6",
        )

    def mistakes(learner: PrivateOnlineLearner[Any]) -> tuple[float, bool]:
        bound = learner.mistake_bound(BETA)
        return float("inf") if bound is None else bound.mistakes, learner.baseline

    return min(found, key=mistakes)
