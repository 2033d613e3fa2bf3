"""Which learner: by name, or the one that provably needs the fewest records."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from littlestone.classes.base import HypothesisClass
from littlestone.discovery import concrete
from littlestone.errors import DeclarationError
from littlestone.learners.base import Bound, PrivateLearner
from littlestone.privacy.cost import exact_delta, exact_epsilon

AUTO = "auto"
ALPHA, BETA = 0.1, 0.05


@dataclass(frozen=True)
class Candidate:
    """A method, its learner of a class or the reason why it has none, and its proved sample size."""

    method: str
    learner: PrivateLearner[Any] | None
    bound: Bound | None
    reason: str

    def words(self) -> str:
        """One line for people."""
        if self.learner is None:
            return f"{self.method} does not apply: {self.reason}"
        reserved = self.learner.reservation and f", {self.learner.reservation}"
        if self.bound is None:
            return f"{self.method}, of no proved size{reserved}"
        percent = f"{100 * self.bound.alpha:g}%"
        size = f"{self.bound.n:,} records suffice for {percent} of error{reserved}"
        return f"{self.method}, for which {size}"


def candidates(
    hypotheses: HypothesisClass[Any],
    *,
    epsilon: object,
    delta: object,
    alpha: float = ALPHA,
    beta: float = BETA,
) -> list[Candidate]:
    """Every method, with what it needs for realizable error alpha and confidence 1 - beta.

    Fewest records first, then those without a proved size, those with a reservation, and those
    that do not apply.  Depends on declarations alone.
    """
    found = []
    for kind in _kinds():
        try:
            learner = kind(hypotheses, epsilon=epsilon, delta=delta)
        except DeclarationError as error:
            found.append(Candidate(kind.method, None, None, error.found))
        else:
            bound = learner.plan(alpha, beta, setting="realizable")
            found.append(Candidate(kind.method, learner, bound, ""))
    return sorted(found, key=_order)


def _order(found: Candidate) -> tuple[bool, bool, bool, int]:
    reserved = found.learner is not None and found.learner.reservation != ""
    n = 0 if found.bound is None else found.bound.n
    return found.learner is None, reserved, found.bound is None, n


def choose_learner(
    hypotheses: HypothesisClass[Any], *, epsilon: object, delta: object, method: str = AUTO
) -> tuple[PrivateLearner[Any], str]:
    """The learner of that name, or for ``"auto"`` the first of `candidates`; and why, in words.

    Raises `DeclarationError` for an unknown name and where the learner does not apply.

    >>> from littlestone.classes import parse_class
    >>> H = parse_class("rules(origin, dest; at most 2)")
    >>> choose_learner(H, epsilon=1, delta="1e-6")[0].method
    'choosing'
    """
    if method == AUTO:
        # What is wrong with the declarations themselves is nothing of a single method's.
        hypotheses.require_learnable()
        exact_epsilon(epsilon), exact_delta(delta)
        best, *others = candidates(hypotheses, epsilon=epsilon, delta=delta)
        if best.learner is None:
            raise DeclarationError(
                f"learn {hypotheses} with delta = {delta}",
                found="; ".join(c.words() for c in (best, *others)),
                fix="allow a small delta, such as 1e-6, or declare another class",
            )
        return best.learner, "; ".join(c.words() for c in (best, *others) if c.learner is not None)
    for kind in _kinds():
        if kind.method == method:
            return kind(hypotheses, epsilon=epsilon, delta=delta), "asked for"
    raise DeclarationError(
        f"learn by the method {method!r}",
        found="there is no such method",
        fix=f"use one of: {', '.join([AUTO, *(kind.method for kind in _kinds())])}",
    )


def _kinds() -> list[type[Any]]:
    return concrete(PrivateLearner, "littlestone.learners")
