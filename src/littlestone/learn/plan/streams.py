"""Everything known about the mistakes on a stream: proved, measured, stated."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from littlestone.classes.base import HypothesisClass, require_class
from littlestone.learn.plan.lower_streams import LowerMistakes, lower_mistakes
from littlestone.learn.plan.papers import Stated, stream_formulas
from littlestone.learn.stream import Known, online_candidates
from littlestone.privacy.budget import Budget
from littlestone.privacy.cost import PrivacyCost


@dataclass(frozen=True)
class StreamPlan:
    """The ``rows`` of the methods that apply, `stream`'s default first and baselines last.

    ``excluded`` says why the others do not apply, ``formulas`` what a paper states, and ``lower`` how
    many mistakes no learner avoids.
    """

    hypotheses: str
    cost: PrivacyCost
    horizon: int
    rows: tuple[Known, ...]
    excluded: dict[str, str]
    formulas: tuple[Stated, ...]
    lower: tuple[LowerMistakes, ...]


def plan_stream(H: HypothesisClass[Any], budget: Budget, *, horizon: int) -> StreamPlan:
    """How many mistakes each online learner of H makes on a stream that some rule of H fits.

    It depends on these declarations alone: no records are read.  Raises `DeclarationError` for illegal
    declarations, `EmptyClassError` and `InfiniteDimensionError`.

    >>> from littlestone.classes import parse_class
    >>> found = plan_stream(parse_class("points(id)"), Budget(1, "1e-6"), horizon=200_000)
    >>> [(row.learner.method, row.proved and row.proved.mistakes) for row in found.rows]
    [('keys', 47), ('teachers', None), ('staged', 2191434714)]
    >>> [(stated.theorem, stated.at_one) for stated in found.formulas]
    [('Lyu25 Theorem 1', 169)]
    >>> [(bound.mistakes, bound.learners) for bound in found.lower][:2]
    [(1, 'any learner, private or not'), (9, 'any private learner')]
    """
    require_class(H)
    H.require_learnable()
    rows, excluded = online_candidates(H, budget, horizon=horizon)
    stated = stream_formulas(H, budget, horizon=horizon)
    lower = lower_mistakes(H, budget, horizon=horizon)
    return StreamPlan(
        str(H), budget.cost, horizon, tuple(rows), excluded, tuple(stated), tuple(lower)
    )
