"""The choice of an online learner for a class: the one with the fewest mistakes, as far as known."""

from __future__ import annotations

import math
from functools import cached_property
from typing import Any

from littlestone.base.discovery import concrete
from littlestone.base.errors import DeclarationError, TooLargeError, no_such, show_value
from littlestone.classes.base import HypothesisClass
from littlestone.learn.stream.base import MistakeBound, PrivateOnlineLearner
from littlestone.privacy.cost import Budget
from littlestone.privacy.parameters import require_horizon

AUTO = "auto"
BETA = 0.05


def choose_online_learner(
    hypotheses: HypothesisClass[Any],
    budget: Budget,
    *,
    horizon: int,
    method: str = AUTO,
) -> PrivateOnlineLearner[Any]:
    """The learner of `online_choice`, without the reason.

    >>> from littlestone.classes import parse_class
    >>> H = parse_class("subsets(merchant; at most 2)")
    >>> choose_online_learner(H, Budget(1, "1e-6"), horizon=1000).method
    'keys'
    """
    return online_choice(hypotheses, budget, horizon=horizon, method=method)[0]


def online_choice(
    hypotheses: HypothesisClass[Any],
    budget: Budget,
    *,
    horizon: int,
    method: str = AUTO,
    block: int | None = None,
) -> tuple[PrivateOnlineLearner[Any], str]:
    """The learner of that name, or for ``"auto"`` the one with the fewest mistakes; and the reason.

    With ``block`` it is `BlockLearner`, in blocks of so many records each.

    Learners with fewer proved mistakes than the horizon has steps come first, and of these the ones
    whose bound holds even if the records react to what is published.  Then come those with the fewest
    mistakes that are proved or were made in simulations, then those about which nothing is known.
    The choice depends on declarations alone.  Raises `DeclarationError` for an unknown name, if no
    learner applies, or if the named one does not.

    >>> from littlestone.classes import parse_class
    >>> H = parse_class("subsets(merchant; at most 3)")
    >>> _, why = online_choice(H, Budget(1, "1e-6"), horizon=200_000)
    >>> for known in why.replace(", also", "; also").split("; "):
    ...     print(known)
    keys, of at most 124 mistakes on clean labels, proved with 95% confidence
    also on a stream that reacts to what is published
    teachers, of about 576 in simulations, on a stream that does not react to what is published
    """
    kinds = _kinds()
    names = [kind.method for kind in kinds]
    if not isinstance(method, str) or method not in (AUTO, *names):
        asked = f"learn online by the method {show_value(method)}"
        raise no_such(asked, "method", method, [AUTO, *names])
    if block is not None:
        return _in_blocks(hypotheses, budget, horizon, method, block)
    if method != AUTO:
        kind = kinds[names.index(method)]
        learner = KnownMistakes(kind(hypotheses, budget, horizon=horizon)).learner
        return learner, f"{method}, asked for{_condition(learner)}"
    refusals: dict[str, DeclarationError] = {}
    # What applies to nearly every class comes last.
    for fallback in (False, True):
        tried = [kind for kind in kinds if not kind.baseline and kind.fallback == fallback]
        found, refused = _make_learners(hypotheses, budget, horizon, tried)
        refusals = refusals or refused
        if found:
            break
    else:
        raise DeclarationError(
            f"learn {hypotheses} online",
            found="; ".join(f"{error.found} ({name})" for name, error in refusals.items()),
            fix="declare thresholds on a grid or a smaller finite class; or points, subsets or rules, "
            "and a small delta such as 1e-6",
        )
    best, *others = sorted(found, key=KnownMistakes.order)
    rest = "; ".join(other.describe() for other in others) or "no other method applies"
    return best.learner, f"{best.describe(' on clean labels')}; {rest}"


def _in_blocks(
    hypotheses: HypothesisClass[Any], budget: Budget, horizon: int, method: str, block: int
) -> tuple[PrivateOnlineLearner[Any], str]:
    from littlestone.learn.plan.missed import too_few
    from littlestone.learn.stream.blockwise import BlockLearner

    if method not in (AUTO, BlockLearner.method):
        raise DeclarationError(
            f"learn online by the method {method}, in blocks of {block:,} records",
            found="this method has no blocks",
            fix=f"ask for the method {BlockLearner.method}, or leave the size of blocks out",
        )
    learner = BlockLearner(hypotheses, budget, horizon=horizon, first=block, growth=1)
    why = f"{BlockLearner.method} of {block:,} records each, asked for"
    hint = too_few(learner.learner, block)
    why = f"{why}{_condition(learner)}" + (f"; in a block {hint}" if hint else "")
    return KnownMistakes(learner).learner, why


def online_candidates(
    hypotheses: HypothesisClass[Any], budget: Budget, *, horizon: int
) -> tuple[list[KnownMistakes], dict[str, str]]:
    """The known mistakes of each method that applies, in the order of `online_choice`, baselines last.

    The second part says why the others do not apply.  It depends on declarations alone.

    >>> from littlestone.classes import parse_class
    >>> H = parse_class("subsets(merchant; at most 3)")
    >>> found, others = online_candidates(H, Budget(1, "1e-6"), horizon=200_000)
    >>> [known.learner.method for known in found], others["rules"]
    (['keys', 'teachers', 'blocks', 'staged'], 'it is not a class of equality rules')
    """
    found, refusals = _make_learners(hypotheses, budget, horizon, _kinds())

    def rank(known: KnownMistakes) -> tuple[bool, bool, tuple[int, float, float]]:
        return known.learner.baseline, known.learner.fallback, known.order()

    order = sorted(found, key=rank)
    return order, {name: error.found for name, error in refusals.items()}


def _kinds() -> list[type[Any]]:
    return concrete(PrivateOnlineLearner, "littlestone.learn.stream")


def _make_learners(
    hypotheses: HypothesisClass[Any], budget: Budget, horizon: int, kinds: list[type[Any]]
) -> tuple[list[KnownMistakes], dict[str, DeclarationError]]:
    require_horizon(horizon)
    found: list[KnownMistakes] = []
    refusals: dict[str, DeclarationError] = {}
    for kind in kinds:
        try:
            found.append(KnownMistakes(kind(hypotheses, budget, horizon=horizon)))
        # Refusals depend on declarations; they are shown if nothing applies.
        except DeclarationError as error:
            refusals[kind.method] = error
    return found, refusals


class KnownMistakes:
    """The known number of a learner's mistakes on realizable streams: proved, measured or none.

    Raises `TooLargeError` for a class that is too large for what the method runs on, so that it is
    refused before a run.
    """

    def __init__(self, learner: PrivateOnlineLearner[Any]) -> None:
        self.learner = learner
        self.measured = learner.measured_mistakes()

    @cached_property
    def proved_bound(self) -> MistakeBound | None:
        """The bound that holds with 95% confidence; worked out when it is asked for."""
        try:
            return self.learner.mistake_bound(BETA)
        except TooLargeError:  # none is known up to the limit of the search
            return None

    def order(self) -> tuple[int, float, float]:
        """What to sort by: few proved mistakes, first against every adversary, then the fewest known.

        A bound that is no smaller than the horizon says nothing about the run itself, yet a method
        with a smaller one errs less in longer runs: it is compared with what was measured of others.
        """
        measured = math.inf if self.measured is None else self.measured
        proved = math.inf if self.proved_bound is None else self.proved_bound.mistakes
        if self.proved_bound is not None and proved < self.learner.horizon:
            return (0 if self.proved_bound.adaptive else 1), proved, measured
        return 2, min(proved, measured), 0

    def describe(self, where: str = "") -> str:
        """One line for people."""
        return self._mistakes_words(where) + (_condition(self.learner) or self._adaptive())

    def _adaptive(self) -> str:
        """What to say if the bound holds against an adversary who sees what is published."""
        holds = self.proved_bound is not None and self.proved_bound.adaptive
        return ", also on a stream that reacts to what is published" if holds else ""

    def _mistakes_words(self, where: str) -> str:
        name = self.learner.method
        if self.learner.fallback:
            return f"{name}, which learns from each block of records as from a table"
        if self.proved_bound is not None:
            confidence = f"{100 * (1 - BETA):g}%"
            few = self.proved_bound.mistakes < self.learner.horizon
            return (
                f"{name}, of at most {self.proved_bound.mistakes:,} mistakes{where}, proved with "
                f"{confidence} confidence{'' if few else ', no fewer than there are steps'}"
            )
        if self.measured is None:
            return f"{name}, of an unknown number{where and f' of mistakes{where}'}"
        return f"{name}, of about {self.measured:,}{where and f' mistakes{where}'} in simulations"


def _condition(learner: PrivateOnlineLearner[Any]) -> str:
    """The condition on streams under which its mistakes are few, if there is one."""
    return ", on a stream that does not react to what is published" if learner.oblivious else ""
