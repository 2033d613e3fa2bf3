"""Online learning of labels that no hypothesis need fit: few more mistakes than the best one."""

from __future__ import annotations

import math
import random
from math import comb
from typing import Self

from littlestone.base.errors import DeclarationError, TooLargeError, require_generator, show_value
from littlestone.classes.base import HypothesisClass, require_class
from littlestone.points import Point
from littlestone.points.labels import require_label
from littlestone.theory.game.players import Player

MOST_ROUNDS, MOST_SPACES = 10**12, 200_000


class AgnosticExperts(Player[Point]):
    """Exponential weights on the version spaces of H: a label is drawn by their vote.

    Every sequence of labels that some hypothesis gives to the points seen so far is an expert.  Those
    that agree so far are one state, their version space V, with the weight w(V): no expert is listed.
    With n rounds left, x asked and K labels,

        N(n, l) = sum_(i <= l) C(n, i) (K - 1)^i,  N(n, -1) = 0,
        V passes on to V|(x,y) the share N(n - 1, LDim(V|(x,y))) of its weight, out of their sum,
        Pr[predict y] = the share of all weight that goes to y,

    and what goes to another label than the true one is multiplied by e^-eta, where
    eta = sqrt(8 ln N(T, d) / T).

    **The expected number of mistakes in T rounds is at most that of the best h in H plus
    sqrt(T ln N(T, d) / 2)**, d = LDim(H), for points and labels that may depend on all earlier draws
    (docs/proofs/regret.md, Theorem 1).  BPS09 has one expert for each set of at most d rounds in which
    the standard optimal algorithm errs; SSBD14, Theorem 21.10, has sqrt(2 T ln N).

    ``H`` has 0 <= LDim(H) < infinity, and ``horizon`` is T, at most 10^12.  ``rng`` draws the labels,
    by default the system's generator.  Weights are floats.  Not private.  A round takes a `restrict`
    for each label and state, and there are at most N(t, d) states after t rounds; beyond ``most``
    `update` raises `TooLargeError`.  Another round after the last one raises `DeclarationError`.

    >>> from littlestone.classes import Thresholds
    >>> learner = AgnosticExperts(Thresholds.on(0, 6), horizon=100)
    >>> round(learner.regret_bound, 1), learner.chances(3)
    (24.5, [0.5, 0.5])
    >>> for x, y in [(5, 0), (2, 1)] * 50:  # the best threshold errs on half of these records
    ...     learner.update(x, y)
    >>> round(learner.expected_mistakes, 1)
    53.8
    """

    method = "agnostic"

    def __init__(
        self,
        H: HypothesisClass[Point],
        *,
        horizon: int,
        rng: random.Random | None = None,
        most: int = MOST_SPACES,
    ) -> None:
        require_class(H)
        H.require_learnable()
        if rng is not None:
            require_generator(rng)
        if type(most) is not int or most < 1:
            raise DeclarationError(
                f"keep {show_value(most)} version spaces of {H}",
                found="it is not a whole number of at least 1",
                fix=f"leave it out for {MOST_SPACES:,}",
            )
        if type(horizon) is not int or horizon < 1:
            raise DeclarationError(
                f"play {show_value(horizon)} rounds with {H}",
                found="the number of rounds is not a whole number of at least 1",
                fix="give the number of rounds, such as 1000: the learning rate depends on it",
            )
        if horizon > MOST_ROUNDS:
            raise TooLargeError(
                f"play about 2^{horizon.bit_length()} rounds with {H}",
                found=f"a learner plays at most {MOST_ROUNDS:,}",
                fix="declare fewer rounds, and begin with a new learner after them",
            )
        self.domain, self.labels, self.horizon = H.domain, H.labels, horizon
        # ln N(T, d), the bound and e^-eta are those of docs/proofs/regret.md, Theorem 1.
        experts = math.log(_patterns(horizon, int(H.littlestone_dimension()), H.labels))
        self.regret_bound = math.sqrt(horizon * experts / 2)
        self.kept = math.exp(-math.sqrt(8 * experts / horizon))
        self.rounds_left, self.expected_mistakes = horizon, 0.0
        self._most = most
        self._rng = random.SystemRandom() if rng is None else rng
        self._weights: dict[HypothesisClass[Point], float] = {H: 1.0}

    @classmethod
    def make(cls, H: HypothesisClass[Point], *, rounds: int | None) -> Self:
        if rounds is None:
            raise DeclarationError(
                f"play {H} with the learner {cls.method}",
                found="its learning rate depends on the number of rounds",
                fix="give --rounds, such as --rounds 100",
            )
        return cls(H, horizon=max(1, rounds))

    def chances(self, x: Point) -> list[float]:
        """The probability with which each label is predicted."""
        parts = self._parts(x)
        found = [math.fsum(weight for _, weight, y in parts if y == label)
                 for label in range(self.labels)]  # fmt: skip
        whole = math.fsum(found)
        return [chance / whole for chance in found]

    def predict(self, x: Point) -> int:
        return self._rng.choices(range(self.labels), self.chances(x))[0]

    def update(self, x: Point, y: int) -> None:
        require_label(y, self.labels)
        parts = self._parts(x)
        after = {V: weight * (1.0 if label == y else self.kept) for V, weight, label in parts}
        if len(after) > self._most:
            raise TooLargeError(
                f"learn from round {self.horizon - self.rounds_left + 1:,}",
                found=f"more than {self._most:,} version spaces are left",
                fix="allow more, or declare a class of smaller Littlestone dimension",
            )
        whole = math.fsum(weight for _, weight, _ in parts)
        wrong = math.fsum(weight for _, weight, label in parts if label != y)
        self.expected_mistakes += wrong / whole
        largest = max(after.values())  # so that no sum underflows
        self._weights = {V: weight / largest for V, weight in after.items()}
        self.rounds_left -= 1

    def _parts(self, x: Point) -> list[tuple[HypothesisClass[Point], float, int]]:
        """What every version space passes on: the smaller one, the weight and the label."""
        self.domain.require(x)
        if not self.rounds_left:
            raise DeclarationError(
                f"play round {self.horizon + 1:,}",
                found=f"{self.horizon:,} rounds were declared",
                fix="declare as many rounds as there are, with horizon=...",
            )
        counted: dict[int, int] = {}
        found: list[tuple[HypothesisClass[Point], float, int]] = []
        for V, weight in self._weights.items():
            sides = [(V.restrict(x, y), y) for y in range(self.labels)]
            # The shares of step 1: N(n - 1, the dimension of the side), which add up to at most
            # N(n, d).
            shares: list[int] = []
            for side, _ in sides:
                d = int(side.littlestone_dimension())
                if d not in counted:
                    counted[d] = _patterns(self.rounds_left - 1, d, self.labels)
                shares.append(counted[d])
            whole = sum(shares)
            found += [
                (side, weight * (share / whole), y)
                for (side, y), share in zip(sides, shares, strict=True)
                # A share of 0 is that of an empty side, of dimension -1.
                if share
            ]
        return found


def _patterns(n: int, d: int, labels: int) -> int:
    """N(n, d): the label sequences of a class of Littlestone dimension d on a tree of depth n, at most.

    >>> [_patterns(5, d, 2) for d in (-1, 0, 1, 2)], _patterns(2, 2, 3)
    ([0, 1, 6, 16], 9)
    """
    return sum(comb(n, i) * (labels - 1) ** i for i in range(d + 1))
