"""How many records the learners of several labels take, and which of them to take."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from functools import cache, partial
from typing import Any

from littlestone.classes.base import HypothesisClass
from littlestone.discovery import concrete
from littlestone.errors import DeclarationError, TooLargeError
from littlestone.learners.base import Bound, PrivateLearner, Setting, require_plan
from littlestone.learners.multiclass import MulticlassLearner
from littlestone.learners.multiclass.bits import Binary, BitwiseLearner
from littlestone.learners.multiclass.parts import BitPartsLearner
from littlestone.planning.choice import ALPHA, AUTO, BETA, choose_learner, refusals, require_goal
from littlestone.privacy.budget import Budget
from littlestone.privacy.cost import decimal_text, exact
from littlestone.privacy.parameters import natural_log


@dataclass(frozen=True)
class MulticlassRow:
    """A method and its learner of a class of several labels, or the reason why it has none.

    ``bound`` is its proved size in the setting that was asked for, and ``paper`` a formula; None if
    there is none.
    """

    method: str
    learner: MulticlassLearner[Any] | None = field(repr=False)
    bound: Bound | None = None
    paper: Bound | None = None
    reason: str = ""

    def words(self) -> str:
        """One line for people."""
        if self.learner is None:
            return f"{self.method} does not apply: {self.reason}"
        reserved = self.learner.reservation and f", {self.learner.reservation}"
        size = "of no proved size" if self.bound is None else f"{self.bound.n:,} records suffice"
        return f"{self.method}, {size}{reserved}"

    def binary(self) -> str:
        """The methods that learn the bits, each once; - for a learner that has none."""
        if not isinstance(self.learner, BitwiseLearner):
            return "-"
        return ", ".join(dict.fromkeys(binary.method for binary in self.learner.learners))

    def error(self, n: int, beta: float) -> float | None:
        """The least alpha that is proved for n records without wrong labels; None if none is."""
        if self.learner is None:
            return None
        return self.learner.accuracy(n, beta, setting="realizable")


def best_binary(
    H: HypothesisClass[Any],
    budget: Budget,
    *,
    alpha: float,
    beta: float,
    setting: Setting = "realizable",
) -> Binary:
    """Makes for each bit class the kind of learner that `choose_learner` takes for its share.

    The share is alpha / b, beta / b, epsilon / b and delta / b.  Depends on declarations alone.
    """
    b = H.bits
    share = Budget(budget.epsilon / b, budget.delta / b)
    kinds: dict[HypothesisClass[Any], type[PrivateLearner[Any]]] = {}
    for i in range(b):
        bit = H.bit_class(i)
        if bit not in kinds:
            learner, _ = choose_learner(
                bit,
                share,
                alpha=alpha / b,
                beta=beta / b,
                setting=setting,
            )
            kinds[bit] = type(learner)

    def binary(bit: HypothesisClass[Any], budget: Budget) -> PrivateLearner[Any]:
        own = exact(alpha, what="alpha") / b
        return kinds[bit].aimed(bit, budget, alpha=own)

    return binary


def multiclass_plan(
    H: HypothesisClass[Any],
    budget: Budget,
    *,
    alpha: float = ALPHA,
    beta: float = BETA,
    setting: Setting = "realizable",
    method: str = AUTO,
) -> list[MulticlassRow]:
    """Every method, or the named one alone, for error alpha with probability 1 - beta; best first.

    Those with a proved size come first, by that size; then those without; after these all that have
    a reservation, and those that do not apply last.  In the agnostic setting those that count errors
    come before those that do not.  Among equals a learner made for the class comes before the bits,
    and `bits`, which reads all records for each, before `bit_parts`.  A function of declarations;
    seconds for rule sets, whose composed draws are calibrated.

    >>> from littlestone.classes import parse_class
    >>> H = parse_class("outcomes(origin, dest; at most 1)", labels=3)
    >>> [row.words() for row in multiclass_plan(H, Budget(1, "1e-6"))][:2]
    ['bits, 1,754 records suffice', 'bit_parts, 1,862 records suffice']
    """
    require_goal(alpha, beta, setting)
    H.require_learnable()
    binary = cache(partial(best_binary, H, budget, alpha=alpha, beta=beta, setting=setting))
    found = []
    kinds: list[type[Any]] = concrete(MulticlassLearner, "littlestone.learners")
    for kind in kinds:
        if method not in (AUTO, kind.method):
            continue
        try:
            learner: MulticlassLearner[Any] = (
                kind(H, budget, binary=binary())
                if issubclass(kind, BitwiseLearner)
                else kind.aimed(H, budget, alpha=alpha)
            )
        except DeclarationError as error:
            found.append(MulticlassRow(kind.method, None, reason=error.found))
        else:
            bound = learner.bound(alpha, beta, setting=setting)
            paper = learner.paper_plan(alpha, beta)
            found.append(MulticlassRow(kind.method, learner, bound, paper))
    return sorted(found, key=partial(_order, setting=setting))


def _order(row: MulticlassRow, setting: Setting) -> tuple[bool | int, ...]:
    if row.learner is None:
        return (True,)
    misled = setting == "agnostic" and not row.learner.counts_errors
    n = 0 if row.bound is None else row.bound.n
    by_bits = isinstance(row.learner, BitwiseLearner) + isinstance(row.learner, BitPartsLearner)
    return False, row.learner.reservation != "", misled, row.bound is None, n, by_bits


def choose_multiclass_learner(
    H: HypothesisClass[Any],
    budget: Budget,
    *,
    alpha: float = ALPHA,
    beta: float = BETA,
    method: str = AUTO,
    setting: Setting = "realizable",
) -> tuple[MulticlassLearner[Any], str]:
    """The learner of that name, or for ``"auto"`` the first of `multiclass_plan`; and why, in words.

    Raises `DeclarationError` for an unknown name and where the learner does not apply.
    """
    plan = partial(multiclass_plan, H, budget, alpha=alpha, beta=beta, setting=setting)
    named = plan(method=method)
    if not named or named[0].learner is None:
        applying = [row.method for row in plan() if row.learner is not None]
        how = (
            f"with delta = {decimal_text(budget.delta)}"
            if method == AUTO
            else f"by the method {method!r}"
        )
        raise DeclarationError(
            f"learn {H} {how}",
            found=refusals(named) or "there is no such method",
            fix=f"use one of: {', '.join([AUTO, *applying])}"
            if applying
            else "allow a small delta, such as 1e-6, or declare another class",
        )
    return named[0].learner, "; ".join(row.words() for row in named)


def formulas(H: HypothesisClass[Any], budget: Budget, *, alpha: float, beta: float) -> list[Bound]:
    """BGS21's d^6 log2(k + 1)^8, and d^5 log2(k + 1)^7 with Lyu25's learner; d = MLS(H).

    Each times ln(1 / (delta beta)) / (epsilon alpha), with 1 for the constant and the logarithms that
    they leave out: no theorems.  Theorem 3.6 has 1 / alpha^2, for which its power of the logarithm is
    one too low (docs/proofs/multiclass-learning.md).  Empty for delta = 0, and where MLS(H) takes too
    long to find.

    >>> from littlestone.classes import parse_class
    >>> H = parse_class("outcomes(origin, dest; at most 1)", labels=3)
    >>> goal = {"budget": Budget(1, "1e-6"), "alpha": 0.1, "beta": 0.05}
    >>> [bound.n for bound in formulas(H, **goal)]
    [4880669, 1026453]
    """
    require_plan(alpha, beta)
    try:
        d = H.littlestone_dimension()
    except TooLargeError:
        return []
    if budget.delta == 0 or d < 1:
        return []
    scale = -natural_log(budget.delta) - math.log(beta)
    scale /= float(budget.epsilon) * alpha
    papers = [
        (6, "after BGS21, Theorem 3.6"),
        (5, "after BGS21, Theorem 3.1, and Lyu25, Theorem 2"),
    ]
    return [
        Bound(
            math.ceil(d**a * math.log2(H.labels) ** (a + 2) * scale),
            alpha, beta, "realizable", False, f"{source}, with 1 / alpha, at constant 1",
        )
        for a, source in papers
    ]  # fmt: skip
