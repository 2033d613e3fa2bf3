"""The boxes of lecture 5: the game, its two learners, the generic learner; and the box of BGS21."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from fractions import Fraction
from typing import Any

import numpy as np

from littlestone.classes import FiniteClass, HypothesisClass
from littlestone.learn.papers.boxes.base import Example, Rule, Sample, box, count_errors
from littlestone.privacy.mechanisms.exponential import ExponentialMechanism
from littlestone.privacy.randomness import Choose
from littlestone.theory.game.players import consistent

Predict = Callable[[HypothesisClass[Any], Any], int]
"""A guess from the version space and a point."""


@box("L5 section 4, game")
def online_game(
    H: HypothesisClass[Any],
    predict: Predict,
    ask: Callable[[HypothesisClass[Any]], Any],
    answer: Callable[[HypothesisClass[Any], Any, int], int],
) -> int:
    """The number of mistakes until the adversary P_A asks no more (None).

    promise: some hypothesis of H agrees with all labels
    found: kept: a label that leaves no hypothesis is refused
    ours: theory.game.play
    """
    V, mistakes = H, 0
    # 1. The adversary picks a point x_t.
    while (x := ask(V)) is not None:
        guess = predict(V, x)  # 2. The learner guesses a value.
        y = answer(V, x, guess)  # 3. The adversary chooses y_t = h(x_t) for some consistent h.
        V = consistent(V, x, y)
        mistakes += guess != y
    return mistakes


@box("L5 section 4, halving")
def halving(V: HypothesisClass[Any], x: object, *, tie: int = 0) -> int:
    """The label of the majority vote of the consistent hypotheses; a tie is not said, so ``tie``.

    promise: at most log |H| mistakes
    found: kept for either label of ties, against every adversary
    ours: theory.game.Halving
    """
    votes = [V.restrict(x, y).size or 0 for y in (0, 1)]
    return tie if votes[0] == votes[1] else int(votes[1] > votes[0])


@box("L5 Definition 6")
def soa(V: HypothesisClass[Any], x: object, *, tie: int = 0) -> int:
    """argmax_y Ldim(V^y), V^y = {h in V : h(x) = y}; a tie is not said, so ``tie``.

    promise: at most Ldim(H) mistakes
    found: kept for either label of ties, against every adversary
    ours: theory.game.StandardOptimalAlgorithm
    """
    size = [V.restrict(x, y).littlestone_dimension() for y in (0, 1)]
    return tie if size[0] == size[1] else int(size[1] > size[0])


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


Learner = Callable[[Sample, FiniteClass, Choose], Rule]
"""B^i: examples with the labels 0 and 1, and the class H|_i."""


def bin2dec(bits: Sequence[int]) -> int:
    """The label with these bits, the first of which counts 1.

    >>> bin2dec([1, 0, 1])
    5
    """
    return sum(bit << i for i, bit in enumerate(bits))


@box("BGS21 Figure 1")
def algorithm_a(
    S: Sequence[Example],
    H: FiniteClass,
    B: Sequence[Learner],
    SC: Sequence[int],
    *,
    choose: Choose,
) -> Rule:
    """Part i has SC_i examples, of which B^i learns bit i; bin2dec joins the bits.

    promise: (epsilon, delta)-differentially private if each B^i is
    found: kept, also for labels that no hypothesis gives. If k + 1 is no power of two, the bits can
        spell a label above k
    ours: learn.BitPartsLearner
    mend: a label above k is replaced by k
    """
    bits, start = [], 0
    for i, (learner, size) in enumerate(zip(B, SC, strict=True)):
        part = S[start : start + size]
        start += size
        binary = tuple((x, y >> i & 1) for x, y in part)
        bits.append(learner(binary, H.bit_class(i), choose))
    return tuple(map(bin2dec, zip(*bits, strict=True)))
