"""The learner of Theorem 3: stages, AboveThreshold and one sparse sample (Lyu25, section 5)."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator
from fractions import Fraction

from littlestone.classes import FiniteClass
from littlestone.learn.papers.boxes.base import Rule, Sample, box, rules_of, split
from littlestone.learn.papers.boxes.cl_above_threshold import cl_above_threshold
from littlestone.learn.papers.boxes.define_class import Rules, error_rate, essential_rules
from littlestone.learn.papers.boxes.sparse_sample import sparse_sample
from littlestone.privacy.randomness import Choose


def printed_teachers(d: int, delta: float, epsilon: float) -> int:
    """The number k = d^2 log(1 / delta) / epsilon, rounded up.

    >>> printed_teachers(2, 1e-6, 1.0)
    56
    """
    return math.ceil(d**2 * math.log(1 / delta) / epsilon)


@box("Lyu25 Theorem 3")
def dp_erm(
    S: Sample,
    H: FiniteClass,
    *,
    k: int,
    alpha: Fraction,
    epsilon: Fraction,
    B: Fraction,
    choose: Choose,
) -> Rule | None:
    """The first common hypothesis of k teachers, in d + 1 stages; None if no stage has any.

    promise: (epsilon, delta)-DP; "with probability one" its error on a realizable S is at most alpha
    found: AboveThreshold and Algorithm 1 spend more together: 1.09 for epsilon = 1, delta = .01, B = 1
        and k = 4. A realizable sample can get no rule. B is not said, and k is below that of Lemma 3.1
    ours: learn.StagedLearner
    takes: at constant 1, for alpha = .1, epsilon = 1, delta = 1e-6: 14 teachers and 140 examples for
        d = 1, where Lemma 3.1 asks for B = 202; 125, 33,750 and B = 568 for d = 3
    mend: shares of epsilon for the two, and k and B from what is proved of them
    """
    d, n = int(H.littlestone_dimension()), len(S)
    parts = split(S, k, choose)
    stages: list[list[Rules]] = []

    def frequencies() -> Iterator[int]:
        for j in range(1, d + 2):
            # H_i^j, and its (p_j, d)-essential hypotheses for p_j = 2^j n d.
            level = (1 - Fraction(1, 2 * d)) ** j * alpha
            near = [
                tuple(h for h in rules_of(H) if error_rate(H, h, part) <= level) for part in parts
            ]
            stages.append([essential_rules(H, rules, 2**j * n * d, d) for rules in near])
            yield max(Counter(h for rules in stages[-1] for h in rules).values(), default=0)

    half = Fraction(k, 2)
    for above in cl_above_threshold(frequencies(), H=half, K=0, epsilon=epsilon, choose=choose):
        if above:
            return sparse_sample(stages[-1], epsilon=epsilon, B=B, choose=choose)
    return None
