"""The generic private learner (lecture 5, section 3; BLM20, Lemma 16)."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from fractions import Fraction

import numpy as np

from littlestone.classes import FiniteClass
from littlestone.learn.papers.boxes.base import Example, Rule, box, count_errors
from littlestone.privacy.mechanisms.exponential import ExponentialMechanism
from littlestone.privacy.randomness import Choose


def sample_by_loss(
    S: Iterable[Example], rules: Sequence[Rule], H: FiniteClass, epsilon: Fraction, choose: Choose
) -> Rule:
    """One of ``rules`` over the points of H, with probability ~ exp(-epsilon n loss_S(h) / 2)."""
    examples = list(S)
    wrong = np.array([count_errors(H, h, examples) for h in rules])
    return rules[choose(ExponentialMechanism(epsilon).probabilities(wrong))]


@box("L5 section 3, scores")
def exponential_learner(
    S: Iterable[Example], H: FiniteClass, *, epsilon: Fraction, choose: Choose
) -> Rule:
    """Pr[h] ~ exp(epsilon q(S, h) / 2), q(S, h) = -|{i : y_i != h(x_i)}|, h in H_d = H.

    promise: epsilon-differentially private
    found: kept, up to the rounding of e^(epsilon / 2) to a fraction below it
    ours: learn.ExponentialLearner
    """
    # One hypothesis a function: two names of one function would count it twice.
    return sample_by_loss(
        S, list(dict.fromkeys(map(tuple, H.table().tolist()))), H, epsilon, choose
    )


@box("BLM20 Lemma 16")
def generic_learner(
    S: Iterable[Example],
    rules: Sequence[Rule],
    H: FiniteClass,
    *,
    epsilon: Fraction,
    choose: Choose,
) -> Rule:
    """GenericLearner(S): h of a collection, with probability ~ exp(-epsilon n loss_S(h) / 2).

    promise: epsilon-differentially private
    found: kept; no rule at all is possible if the collection is empty, of which the box says nothing
    ours: privacy.mechanisms.exponential.ExponentialMechanism
    """
    return sample_by_loss(S, rules, H, epsilon, choose)
