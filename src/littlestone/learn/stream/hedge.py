"""Exponential weights in private: a bound on the regret for labels that no hypothesis fits."""

from __future__ import annotations

import math
from collections.abc import Iterator
from fractions import Fraction
from itertools import repeat as forever
from typing import Any

from littlestone.base.errors import DeclarationError
from littlestone.classes.base import HypothesisClass
from littlestone.learn.exponential import ExponentialLearner
from littlestone.learn.stream.base import MistakeBound
from littlestone.learn.stream.blockwise import MOST_BLOCKS, BlockwiseLearner
from littlestone.privacy.accounting.calibration import calibrate
from littlestone.privacy.accounting.composed import repeat
from littlestone.privacy.cost import Budget
from littlestone.privacy.event import Event
from littlestone.privacy.mechanisms.exponential import ExponentialMechanism
from littlestone.privacy.parameters import require_whole


class HedgeLearner(BlockwiseLearner):
    """Publish h in H at the end of each block with Pr[h] ~ r^-(errors of h so far): private Hedge.

    Blocks have B = ``block`` records each, so T = ``horizon`` records have K = T // B draws.  Each is
    the exponential mechanism on all records so far, with epsilon_0 and r <= e^(epsilon_0 / 2).  Let
    eta = ln r and N = |H|.  **If the stream is fixed beforehand, then for all labels, on average,**

        mistakes <= min over h of (errors of h) + ln N / eta + eta T B / 8 + B.

    epsilon_0 is the largest with which K draws cost (epsilon, delta) together, or less if that makes
    the bound smaller.  By default B is the power of two for which the bound is about the least.  Then
    it grows as sqrt(T / epsilon) ln(1/delta)^(1/4) (ln N)^(3/4), and with delta = 0 as T^(2/3).  An
    adversary who sees the rule that stands can make every learner err at each step.  The proofs are in
    docs/proofs/hedge.md.

    ``auto`` does not take it: on clean labels others make fewer mistakes.  But nothing else has a bound
    on the mistakes for any labels.  Proper.  Time: a draw of
    `ExponentialLearner` a block.  Memory: the different records.  Raises what that learner raises, and
    `DeclarationError` for no block or more than 10^5 of them.

    >>> from littlestone.classes import Thresholds
    >>> learner = HedgeLearner(Thresholds.on(0, 99), Budget(1, "1e-6"), horizon=200_000)
    >>> learner.block, learner.publications, round(learner.regret_bound())
    (16, 12500, 3144)
    >>> print(learner.cost())
    epsilon 0.999962, delta 0.000001 (replace-one)
    """

    method = "hedge"
    oblivious = True
    baseline = True
    remembers = True
    mechanism: Event
    learner: ExponentialLearner[Any]

    def __init__(
        self,
        hypotheses: HypothesisClass[Any],
        budget: Budget,
        *,
        horizon: int,
        block: int | None = None,
    ) -> None:
        super().__init__(hypotheses, horizon)
        size = ExponentialLearner(hypotheses, budget).size
        self.block = _best_block(size, budget, horizon) if block is None else block
        require_whole("block", self.block, least=1)
        self.publications = horizon // self.block
        if not 1 <= self.publications <= MOST_BLOCKS:
            raise DeclarationError(
                f"learn {hypotheses} online by the method {self.method}",
                found=f"{horizon:,} records have {self.publications:,} blocks of {self.block:,}, and a "
                f"run has 1 to {MOST_BLOCKS:,}",
                fix="declare other blocks or another horizon",
            )
        most = calibrate(
            lambda step: repeat(ExponentialMechanism(step), self.publications, budget.delta),
            budget.cost,
        )
        ((draw, _),) = most.uses()
        # A larger eta than the one that makes the bound least would cost more and promise less.
        best = Fraction(f"{2 * _best_eta(size, self.block, horizon):.4g}")
        self.learner = ExponentialLearner(hypotheses, Budget(min(draw.cost().epsilon, best)))
        self.mechanism = repeat(self.learner.event, self.publications, budget.delta)
        # Refused here, by public numbers: nothing may fail after the spend.
        self.learner.require_affordable(self.publications * self.block)

    def sizes(self) -> Iterator[int]:
        return forever(self.block)

    @property
    def declared_sizes(self) -> str:
        return f"{self.event}; block={self.block}; {self.learner!r}"

    @property
    def eta(self) -> float:
        """The ln of r, by which an error lowers the logarithm of a weight."""
        return math.log1p(self.learner.mechanism.base - 1)

    def regret_bound(self, beta: float | None = None) -> float:
        """The most mistakes more than the best hypothesis makes: on average, or except for ``beta``.

        It is ln N / eta + eta T B / 8 + B, and for ``beta`` sqrt(T B ln(1/beta) / 2) more (Theorem 2).
        """
        T, B = self.horizon, self.block
        mean = _log(self.learner.size) / self.eta + self.eta * T * B / 8 + B
        return mean if beta is None else mean + math.sqrt(T * B * math.log(1 / beta) / 2)

    def mistake_bound(self, beta: float) -> MistakeBound | None:
        """Theorem 3 of docs/proofs/hedge.md, for labels that some hypothesis fits."""
        B = self.block
        mean = _log(self.learner.size) * B / -math.expm1(-self.eta * B)
        # Each u > 0 gives a bound; these are close enough to the best.
        tails = (
            (mean * math.expm1(u) + B * math.log(1 / beta)) / u
            for u in (2 ** (i / 4) for i in range(-40, 9))
        )
        return MistakeBound(
            math.floor(B + min(tails) * (1 + 1e-9)),
            beta,
            "docs/proofs/hedge.md",
            adaptive=False,
        )


def _log(size: int) -> float:
    """The ln of N, or of 2 for one hypothesis, so that it divides."""
    return math.log(max(size, 2))


def _best_eta(size: int, block: int, horizon: int) -> float:
    """The eta for which ln N / eta + eta T B / 8 is least."""
    return math.sqrt(8 * _log(size) / (horizon * block))


def _best_block(size: int, budget: Budget, horizon: int) -> int:
    """The power of two for which the bound is least, by closed forms of what K draws cost."""
    epsilon, L = float(budget.epsilon), -math.log(budget.delta) if budget.delta else math.inf
    # rho = K eta^2 / 2, and epsilon = rho + 2 sqrt(rho L), solved for the root of rho.
    root = epsilon / (math.sqrt(L + epsilon) + math.sqrt(L))

    def bound(B: int) -> float:
        K = horizon // B
        # Or by basic composition; the constructor calibrates what it takes.
        eta = max(root * math.sqrt(2 / K), epsilon / (2 * K))
        eta = min(eta, _best_eta(size, B, horizon))
        return _log(size) / eta + eta * horizon * B / 8 + B

    blocks = (1 << i for i in range(horizon.bit_length()))
    return min((B for B in blocks if horizon // B <= MOST_BLOCKS), key=bound)
