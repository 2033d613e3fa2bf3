"""The boxes of Lyu25, and that of KMM+23 after a description, in which a noisy vote predicts."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Hashable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from typing import Self, TypeVar

from littlestone.classes import FiniteClass
from littlestone.learn.papers.boxes.base import (
    Example,
    Rule,
    Sample,
    box,
    chance_to_reach,
    count_errors,
    draw_item,
    label_of,
    reaches,
    rules_of,
    split,
)
from littlestone.learn.papers.boxes.blm20 import rule_of_soa
from littlestone.privacy.randomness import Choose
from littlestone.privacy.rational import exp_below
from littlestone.theory.decomposition import essential_hypotheses

Item = TypeVar("Item", bound=Hashable)


def printed_bottom(L: int, delta: float, epsilon: float) -> float:
    """B >= 10 log(L / delta) / epsilon, of Lemma 3.1.

    >>> round(printed_bottom(1, 1e-6, 1.0), 1)
    138.2
    """
    return 10 * math.log(L / delta) / epsilon


@box("Lyu25 Algorithm 1")
def sparse_sample(
    lists: Sequence[Iterable[Item]], *, epsilon: Fraction, B: Fraction, choose: Choose
) -> Item | None:
    """An item u of the lists L_1, ..., L_k with Pr ~ exp(epsilon score(u)), or None (bottom).

    promise: (2 epsilon, delta)-DP if |L_i| <= L and B >= 10 log(L / delta) / epsilon (Lemma 3.1)
    found: kept with room: a fifth of that B keeps it at toy sizes, a tenth does not. Longer
        lists break it
    ours: privacy.mechanisms.selection_from_lists.SparseSampling
    mend: each list is cut to its first L items
    """
    # score(u) = |{i : u in L_i}|
    score = Counter(u for items in lists for u in dict.fromkeys(items))
    base, whole = exp_below(epsilon), Fraction(B) // 1
    weights: dict[Item | None, Fraction] = {u: base**times for u, times in score.items()}
    weights[None] = base**whole * exp_below(epsilon * (Fraction(B) - whole))  # score(bottom) = B
    return draw_item(weights, choose)


@box("Lyu25 Algorithm 2")
def cl_above_threshold(
    queries: Iterable[int],
    *,
    H: Fraction,
    K: int,
    epsilon: Fraction,
    count_below: bool = False,
    choose: Choose,
) -> Iterator[bool]:
    """Whether f_t(D) + Lap(1 / epsilon) >= H, for one query after another.

    ``queries`` may depend on the answers so far: each is received when it is its turn.
    ``count_below`` counts the answers Below instead (the first remark).

    promise: (epsilon O(sqrt(K log(1 / delta)) + log(1 / delta)), delta)-DP (Lemma 3.2)
    found: "counter <= K" lets K + 1 hits pass, so noise that is right for K hits leaks
    ours: privacy.mechanisms.above_threshold.AboveThreshold
    mend: while counter < K
    """
    counter = 0
    received = iter(queries)
    while counter <= K:
        value = next(received, None)
        if value is None:
            return
        above = reaches(value, H, epsilon, choose)
        counter += above is not count_below
        yield above


Rules = tuple[Rule, ...]


def error_rate(H: FiniteClass, h: Rule, T: Sample) -> Fraction:
    """err_T(h), 0 for an empty T."""
    return Fraction(count_errors(H, h, T), len(T)) if T else Fraction(0)


@cache
def essential_rules(H: FiniteClass, rules: Rules, p: int, d: int) -> Rules:
    """The (p, d)-essential hypotheses to a class of rules over the points of H."""
    if not rules:
        return ()
    points = list(H.domain)
    kept = FiniteClass.from_array(rules, points=points, name=H.domain.name)
    return tuple(tuple(int(f(x)) for x in points) for f in essential_hypotheses(kept, p, d))


@box("Lyu25 section 6, DefineClass")
def define_class(H: FiniteClass, S: Sequence[Sample], j: int) -> Rules:
    """{h in H : err_(T_i)(h) <= (1 - 1/d)^j / 10 for all i}, S = {T_1, ..., T_l}.

    promise: H_i^(j+1) lies in all H_i'^j, given Claim 6.2
    found: Claim 6.3 proves it with 1 - 1/(5d) in the place of 1 - 1/d; for d = 1 all levels are 0, and
        for parts of fewer than 10 examples too
    ours: learn.stream.stage_sizes.levels
    mend: levels for the sizes of parts, apart by what Lemma 3 of docs/proofs/staged-stream.md says
    """
    d = int(H.littlestone_dimension())
    level = Fraction(1, 10) * (1 - Fraction(1, d)) ** j
    return tuple(h for h in rules_of(H) if all(error_rate(H, h, T) <= level for T in S))


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


@dataclass(frozen=True)
class Training:
    """The numbers of Algorithm 4, where the paper has O(): 1 / the scale of Lap, and the draws r."""

    epsilon_agree: Fraction
    draws: int
    epsilon_sparse: Fraction
    B: Fraction


def majority(rules: Sequence[Rule]) -> Rule | None:
    """The majority vote of rules, point by point, 0 in a tie; None of none.

    >>> majority([(0, 1), (1, 1), (0, 0)])
    (0, 1)
    """
    votes = list(zip(*rules, strict=True))
    return tuple(int(2 * sum(labels) > len(labels)) for labels in votes) if votes else None


@box("Lyu25 Algorithm 4")
def joint_train(
    H: FiniteClass, S: Sequence[Sequence[Sample]], stage: int, sizes: Training, *, choose: Choose
) -> tuple[Rule | None, int]:
    """The majority of some sparse samples, and the stage j*, which never falls.

    promise: each SparseSample is (epsilon_sparse, hat delta)-DP, hat delta <= delta^2 / d^10
    found: it leaks. B = k / 10 is d^2 / (10 epsilon_sparse), which does not depend on delta; nothing is
        returned after stage d + 1 or for draws that are all bottom
    ours: learn.stream.StagedOnlineLearner
    takes: for d = 1, T = 10,000, epsilon = 1, delta = 1e-6 it has B = 12.8, where Lemma 3.1 asks for
        36,924
    mend: B >= 10 log(L / hat delta) / epsilon_sparse and k above it
    """
    d, k = int(H.littlestone_dimension()), len(S)
    while stage <= d + 1:
        classes = [define_class(H, S_i, stage) for S_i in S]
        lists = [essential_rules(H, rules, 2**stage * d**3, d) for rules in classes]
        m = max(Counter(h for rules in lists for h in rules).values(), default=0)
        if reaches(m, Fraction(4 * k, 5), sizes.epsilon_agree, choose):
            drawn = [
                sparse_sample(lists, epsilon=sizes.epsilon_sparse, B=sizes.B, choose=choose)
                for _ in range(sizes.draws)
            ]
            return majority([h for h in drawn if h is not None]), stage
        stage += 1
    return None, stage


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
        >>> sizes.k, sizes.U, float(round(sizes.training.B)), round(1 / sizes.training.epsilon_agree)
        (128, 285, 13.0, 23)
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
