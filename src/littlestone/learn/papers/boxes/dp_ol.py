"""Algorithm 3, DP-OL: private online learning (Lyu25, section 6)."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction
from typing import Self

from littlestone.classes import FiniteClass
from littlestone.learn.papers.boxes.base import (
    Example,
    Rule,
    Sample,
    box,
    label_of,
    reaches,
    split,
)
from littlestone.learn.papers.boxes.joint_train import Training, joint_train
from littlestone.privacy.randomness import Choose


@dataclass(frozen=True)
class Sizes:
    """K_budget, k, U, 1 / the scale of the noise on |E|, and the numbers of Algorithm 4."""

    K_budget: int
    k: int
    U: int
    epsilon_count: Fraction
    training: Training

    @classmethod
    def as_printed(cls, d: int, T: int, epsilon: float, delta: float, *, C: float = 1) -> Self:
        """The paper's sizes with each O() and C as ``C``, rounded; natural logarithms.

        >>> sizes = Sizes.as_printed(1, 10_000, 1.0, 1e-6)
        >>> sizes.k, sizes.U, float(round(sizes.training.B))
        (128, 285, 13.0)
        """
        log_T, log_delta = math.log(T), math.log(1 / delta)
        k = math.ceil(d**3.5 * log_T * log_delta / epsilon)
        training = Training(
            epsilon_agree=Fraction(epsilon / (C * math.log(T / delta) * d)),
            draws=math.ceil(C * log_T),
            epsilon_sparse=Fraction(epsilon / (d**1.5 * log_T * log_delta)),
            B=Fraction(k, 10),
        )
        count = Fraction(epsilon / (math.log(T / delta) * d**3))
        U = math.ceil(C * d**3 * math.log(d * log_T) * k)
        return cls(math.ceil(C * d**3), k, U, count, training)


@box("Lyu25 Algorithm 3")
def dp_ol(
    stream: Iterable[Example], H: FiniteClass, sizes: Sizes, *, choose: Choose
) -> tuple[Rule, ...]:
    """The rule that is published at each step; it ends where the paper has no rule or halts.

    promise: (O(epsilon), delta)-DP; at most about d^9.5 log(T) log(1 / delta) / epsilon mistakes
    found: it leaks through Algorithm 4. A part has one example more if k does not divide |E|, so one
        record can move two teachers, of which the proof says nothing; at toy sizes that leaks no more
    ours: learn.stream.StagedOnlineLearner
    takes: at constant 1, for T = 10,000, epsilon = 1, delta = 1e-6: 128 teachers and 285 mistakes a
        rule for d = 1; 5,951 and 533,278 for d = 3
    mend: B from Lemma 3.1; each mistake goes to a teacher of its own draw
    """
    left = sizes.K_budget
    S: list[list[Sample]] = [[] for _ in range(sizes.k)]
    h, stage = joint_train(H, S, 1, sizes.training, choose=choose)
    E: list[Example] = []
    published: list[Rule] = []
    for x, y in stream:
        if h is None:
            break
        published.append(h)
        if y != label_of(H, h, x):
            E.append((x, y))
        if reaches(len(E), Fraction(sizes.U), sizes.epsilon_count, choose):
            left -= 1
            if left < 0:
                break
            for S_i, A_i in zip(S, split(E, sizes.k, choose), strict=True):
                S_i.append(A_i)
            h, stage = joint_train(H, S, stage, sizes.training, choose=choose)
            E = []
    return tuple(published)
