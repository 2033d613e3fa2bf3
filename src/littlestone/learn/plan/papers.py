"""Sizes that papers state, beside one another: each column with one convention."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from littlestone.base.errors import TooLargeError
from littlestone.classes.base import HypothesisClass
from littlestone.learn.base import Setting, require_plan
from littlestone.learn.papers.stable_sizes import LARGEST, paper_sizes
from littlestone.privacy.cost import Budget
from littlestone.privacy.parameters import least, natural_log, require_horizon


@dataclass(frozen=True)
class StatedSize:
    """A number of records, or of mistakes, that a theorem states.

    ``at_one`` has 1 for the constant of its O(), and natural logarithms; logarithms that an O~() hides
    are left out.  So it is not a theorem.  ``proof`` is the least number with the constants of the
    paper's own proof; None if the proof leaves any out.  All are for error alpha with probability 1 -
    beta, in ``setting``.
    """

    theorem: str
    setting: Setting
    at_one: int
    proof: int | None = None


def formulas(
    H: HypothesisClass[Any], budget: Budget, *, alpha: float, beta: float
) -> list[StatedSize]:
    """The numbers of records that papers state for H; d = LDim(H), L = ln(1 / (delta beta)).

    * Lecture 5, Theorem 1, any labels: (ln |H| + ln(1/beta)) max(1 / (epsilon alpha), 1 / alpha^2).
    * BLM20, Theorem 1: 16^d d^2 (d + L) / (epsilon alpha).  Its proof is that of Theorems 10 and 17.
    * BLM20, Corollary 2, any labels: that plus (d + ln(1/beta)) / (epsilon alpha^2), with d for VC(H).
    * BGS21, Theorem 3.5, of GGKM21: d^6 ln(d / (alpha beta epsilon delta))^2 / (epsilon alpha^2).
    * Lyu25, Theorem 2: d^5 L / (epsilon alpha), with the L of the abstract: the theorem has
      ln(1 / delta), and the beta in the O~().

    With k + 1 > 2 labels, where d = MLS(H):

    * BGS21, Theorem 3.6: d^6 ln(k + 1)^8 M^2 / (epsilon alpha^2), where M is
      ln(d ln(k)^3 / (epsilon delta alpha beta)).
    * Its Corollary 3.4 with Lyu25's learner: (6 d)^5 ln(k + 1)^7 L / (epsilon alpha), without the
      log(k + 1) of its beta / log(k + 1).  Theorem 3.6 has the 6 in its O().

    Left out are those that need a delta above 0, a dimension that takes too long to find, or more than
    10^300 records.

    >>> from littlestone.classes import parse_class
    >>> goal = {"budget": Budget(1, "1e-6"), "alpha": 0.1, "beta": 0.05}
    >>> for stated in formulas(parse_class("subsets(a; at most 2)"), **goal):
    ...     print(stated.theorem, stated.at_one, stated.proof)
    BLM20 Theorem 1 192628 258121979
    BLM20 Corollary 2 193127 None
    BGS21 Theorem 3.5 2510825 None
    Lyu25 Theorem 2 5380 None
    >>> H = parse_class("outcomes(origin, dest; at most 1)", labels=3)
    >>> [stated.at_one for stated in formulas(H, **goal)]
    [56511443, 613583278]
    """
    require_plan(alpha, beta)
    epsilon, doubt = float(budget.epsilon), -math.log(beta)
    found: list[StatedSize] = []
    if H.labels == 2 and H.size:
        log = math.log(H.size)
        # Constants inside O() are 1 here, and the sizes of the proofs stand beside them.
        factor = max(1 / (epsilon * alpha), alpha**-2)
        found += _state_size("L5 Theorem 1", lambda: (log + doubt) * factor, setting="agnostic",
                         proof=lambda: _lecture5(log, epsilon, alpha, beta))  # fmt: skip
    d = _dimension(H) if budget.delta else 0
    if d < 1:
        return found
    rare = doubt - natural_log(budget.delta)
    if H.labels == 2:
        found += _state_size(
            "BLM20 Theorem 1",
            lambda: 16.0**d * d**2 * (d + rare) / (epsilon * alpha),
            proof=lambda: paper_sizes(d, alpha, beta, budget).n if d <= LARGEST else None,
        )
        found += _state_size(
            "BLM20 Corollary 2",
            lambda: (16.0**d * d**2 * (d + rare) + (d + doubt) / alpha) / (epsilon * alpha),
            setting="agnostic",
        )
        inside = math.log(d) - math.log(epsilon * alpha) + rare
        found += _state_size("BGS21 Theorem 3.5", lambda: d**6 * inside**2 / (epsilon * alpha**2))
        found += _state_size("Lyu25 Theorem 2", lambda: d**5 * rare / (epsilon * alpha))
        return found
    log = math.log(H.labels)
    inside = math.log(d) + 3 * math.log(math.log(H.labels - 1)) - math.log(epsilon * alpha) + rare
    found += _state_size(
        "BGS21 Theorem 3.6", lambda: d**6 * log**8 * inside**2 / (epsilon * alpha**2)
    )
    return found + _state_size(
        "BGS21 Corollary 3.4 with Lyu25 Theorem 2",
        lambda: (6 * d) ** 5 * log**7 * rare / (epsilon * alpha),
    )


def stream_formulas(H: HypothesisClass[Any], budget: Budget, *, horizon: int) -> list[StatedSize]:
    """The mistakes on a stream that Lyu25, Theorem 1, states: d^9.5 ln(T) ln(1/delta) / epsilon.

    It is for a realizable stream that is fixed in advance, and holds with probability 1 - T^-10.
    Omitted where `formulas` omits it, and for more than two labels, which the paper does not cover.

    >>> from littlestone.classes import parse_class
    >>> H = parse_class("subsets(a; at most 4)")
    >>> [stated.at_one for stated in stream_formulas(H, Budget(1, "1e-6"), horizon=200_000)]
    [88412325]
    """
    require_horizon(horizon)
    d = _dimension(H) if budget.delta and H.labels == 2 else 0
    if d < 1:
        return []
    logarithms = math.log(horizon) * -natural_log(budget.delta)
    return _state_size("Lyu25 Theorem 1", lambda: d**9.5 * logarithms / float(budget.epsilon))


def _state_size(
    theorem: str,
    at_one: Callable[[], float],
    *,
    setting: Setting = "realizable",
    proof: Callable[[], int | None] = lambda: None,
) -> list[StatedSize]:
    try:
        n = math.ceil(at_one())
    except OverflowError:
        return []
    try:
        return [StatedSize(theorem, setting, n, proof())]
    except TooLargeError:
        return [StatedSize(theorem, setting, n)]


def _lecture5(log: float, epsilon: float, alpha: float, beta: float) -> int:
    """The least n with N (e^(-epsilon n alpha / 6) + 2 e^(-2 n alpha^2 / 9)) <= beta, log = ln N."""
    return least(
        lambda n: (
            math.exp(min(log - epsilon * n * alpha / 6, 1.0))
            + 2 * math.exp(min(log - 2 * n * alpha**2 / 9, 1.0))
            <= beta
        )
    )


def _dimension(H: HypothesisClass[Any]) -> int:
    """LDim(H); 0 if it takes too long to find."""
    try:
        H.require_learnable()
        return int(H.littlestone_dimension())
    except TooLargeError:
        return 0
