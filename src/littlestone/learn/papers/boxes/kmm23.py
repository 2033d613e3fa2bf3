"""The box of KMM+23, after a description: a noisy vote predicts each label."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from fractions import Fraction

from littlestone.classes import FiniteClass
from littlestone.learn.papers.boxes.base import (
    Example,
    box,
    chance_to_reach,
    draw_item,
    label_of,
    reaches,
)
from littlestone.learn.papers.boxes.blm20 import rule_of_soa
from littlestone.privacy.randomness import Choose

Prediction = tuple[int, bool]
"""A label, and whether the vote was certain."""


@box("KMM+23 POP")
def private_online_procedure(
    stream: Iterable[Example],
    H: FiniteClass,
    *,
    k: int,
    r: int,
    epsilon_vote: Fraction,
    epsilon_count: Fraction,
    tie: int = 0,
    choose: Choose,
) -> tuple[Prediction, ...]:
    """What the owner of each record is told, up to about the r-th uncertain vote.

    The scales of noise are parameters, and so is the label ``tie`` of an uncertain vote: the
    description does not say them.

    promise: jointly (epsilon, delta)-DP: what all others are told is private in a record, of which its
        owner alone sees the prediction. About log(T) d^2 / epsilon^2 mistakes, as Lyu25 cites it
    found: kept at toy sizes, with delta 0 and fresh noise in each vote and count; for many steps it is
        not shown. What the owner is told is not private, and an exact count of uncertain votes leaks
    ours: learn.stream.KeyLearner
    takes: a learner of this form made 4,221 mistakes on singletons at epsilon 1, delta 1e-6 and 200,000
        steps. `keys` made 29 and publishes its rules, so it promises more; this learner is gone
    """
    # A_1, ..., A_k are each the SOA; those with the same version space are interchangeable.
    copies, uncertain, given = Counter({H: k}), 0, list[Prediction]()
    for x, y in stream:
        # The vote with noise is below k / 4, from there on, or from 3k / 4 on.
        votes = sum(n * label_of(H, rule_of_soa(A, tie), x) for A, n in copies.items())
        low, high = (chance_to_reach(votes, Fraction(i * k, 4), epsilon_vote) for i in (1, 3))
        side = choose([1 - low, low - high, high])
        label, certain = (0, tie, 1)[side], side != 1
        given.append((label, certain))
        if not certain or label != y:
            # A uniform copy: the draw depends on nothing, so it could be made beforehand.
            A = draw_item({A: Fraction(n) for A, n in copies.items()}, choose)
            after = A.restrict(x, y)
            copies = copies - Counter([A]) + Counter([A if after.is_empty() else after])
        uncertain += not certain
        if reaches(uncertain, Fraction(r), epsilon_count, choose):
            break
    return tuple(given)
