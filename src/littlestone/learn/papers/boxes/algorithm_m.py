"""Hist and the private learner M (BLM20, section 5)."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from fractions import Fraction
from typing import TypeVar

from littlestone.classes import FiniteClass
from littlestone.learn.papers.boxes.algorithm_g import algorithm_g
from littlestone.learn.papers.boxes.base import Example, Rule, box, draw_item
from littlestone.learn.papers.boxes.generic_learner import generic_learner
from littlestone.privacy.cost import Budget
from littlestone.privacy.mechanisms.stable_histogram import StableHistogram
from littlestone.privacy.randomness import Choose

Key = TypeVar("Key", bound=Hashable)


@box("BLM20 Lemma 15")
def hist(items: Sequence[Key | None], *, budget: Budget, choose: Choose) -> dict[Key, Fraction]:
    """The list L with its estimates a_x of the frequencies; the paper cites Hist and prints no steps.

    None is no item ("Fail").  Estimates are cut at max(threshold, n) / n, which makes the law finite.

    promise: (epsilon, delta)-differentially private
    found: kept, with no room at delta
    ours: privacy.mechanisms.stable_histogram.StableHistogram
    """
    mechanism: StableHistogram[Key] = StableHistogram(budget)
    released = draw_item(mechanism.distribution(items), choose)
    return {x: Fraction(count, len(items)) for x, count in sorted(released, key=str)}


@box("BLM20 algorithm M")
def algorithm_m(
    S: Sequence[Example],
    H: FiniteClass,
    *,
    k: int,
    n: int,
    N: int,
    eta: Fraction,
    budget: Budget,
    tie: int = 0,
    choose: Choose,
) -> Rule | None:
    """Take k batches of m = N + n examples, Hist of the k rules, and a choice by the other examples.

    promise: (epsilon, delta)-differentially private; error alpha with probability 1 - beta
    found: private, also if the examples fit no hypothesis. The cut at 3 eta / 4 is in the proof alone,
        nothing is said of an empty list, beta / 3 + beta / 2 + beta / 3 exceeds beta, and step 3 needs
        alpha / 2 where its proof has alpha
    ours: learn.GloballyStableLearner
    takes: 5,452,972 examples for d = 1, alpha = .1, beta = .05, epsilon = 1, delta = 1e-6; 258,121,979
        for d = 2 (`plan`, at the constants of the proof)
    mend: all of epsilon for each of steps 2 and 3, which read different examples; SOA_H for no list
    """
    m, half = N + n, budget.epsilon / 2
    # 1. h_i = G(S_i).
    batches = [S[i * m : (i + 1) * m] for i in range(k)]
    rules = [algorithm_g(batch, H, n=n, N=N, tie=tie, choose=choose) for batch in batches]
    # 2. Hist at (epsilon / 2, delta).
    frequency = hist(rules, budget=Budget(half, budget.delta), choose=choose)
    L = [h for h, a in frequency.items() if a >= 3 * eta / 4]
    # 3. GenericLearner at epsilon / 2, by the last n' examples.
    return generic_learner(S[k * m :], L, H, epsilon=half, choose=choose) if L else None
