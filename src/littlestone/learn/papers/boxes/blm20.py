"""The boxes of BLM20: the extended SOA, the distributions D_k, and the learners G and M."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from fractions import Fraction
from functools import cache
from itertools import islice, product
from typing import TypeVar

from littlestone.classes import FiniteClass
from littlestone.learn.papers.boxes.base import Example, Rule, Sample, box, draw_item, pick
from littlestone.learn.papers.boxes.lecture5 import generic_learner, soa
from littlestone.privacy.cost import Budget
from littlestone.privacy.mechanisms.partition_selection import StableHistogram
from littlestone.privacy.randomness import Choose


@cache
def rule_of_soa(V: FiniteClass, tie: int) -> Rule:
    """h(x) = argmax_b Ldim(V^b(x)) for all x."""
    return tuple(soa(V, x, tie=tie) for x in V.domain)


@box("BLM20 section 3.2, SOA")
def standard_optimal_algorithm(H: FiniteClass, sequence: Iterable[Example], *, tie: int = 0) -> int:
    """The number of mistakes on a realizable sequence.

    promise: at most Ldim(H) mistakes
    found: kept for either label of ties
    ours: theory.game.StandardOptimalAlgorithm
    """
    H_t, mistakes, points = H, 0, list(H.domain)  # 1. H_1 = H.
    for x, y in sequence:  # 2. For trials t = 1, 2, ...
        h_t = rule_of_soa(H_t, tie)  # (i)
        mistakes += h_t[points.index(x)] != y  # (ii)-(iv)
        H_t = H_t.restrict(x, y)  # (v)
    return mistakes


@box("BLM20 Definition 8")
def extended_soa(H: FiniteClass, sequence: Iterable[Example], *, tie: int = 0) -> Rule:
    """SOA(S): the rule after a sequence, realizable or not.

    promise: h_(t+1)(x_(t+1)) = y_(t+1) once a sequence is not realizable, and no other label changes
    found: kept for either label of ties
    ours: theory.game.players.ExtendedSOA
    """
    V, h, points, realizable = H, rule_of_soa(H, tie), list(H.domain), True
    for x, y in sequence:
        after = V.restrict(x, y)
        if realizable and not after.is_empty():
            V, h = after, rule_of_soa(after, tie)
        else:
            realizable, i = False, points.index(x)
            h = (*h[:i], y, *h[i + 1 :])
    return h


HALF = Fraction(1, 2)


class FailError(Exception):
    """More than N examples were drawn."""


def first_difference(f: Rule, g: Rule) -> int:
    """The x that is picked from {x : f(x) != g(x)}; the paper does not say which."""
    return next(x for x, (a, b) in enumerate(zip(f, g, strict=True)) if a != b)


@box("BLM20 section 4.2, distributions")
def law_of_d_k(
    k: int, H: FiniteClass, D: Mapping[Example, Fraction], n: int, *, tie: int = 0
) -> dict[Sample, Fraction] | None:
    """The law D_k(D, n) of samples; None if it is undefined.

    promise: some k <= d is undefined at k + 1: a rule has probability 2^-d or more (Lemma 12)
    found: false from d = 2 on: D_3 is defined for seven functions on nine points
    ours: learn.papers.globally_stable.stable_rule
    mend: eta_d of docs/proofs/globally-stable.md, Theorem 3, in the place of 2^-d
    """
    if k == 0:  # 1. The empty sample.
        return {(): Fraction(1)}
    before = law_of_d_k(k - 1, H, D, n, tie=tie)
    if before is None:
        return None
    contenders: dict[tuple[Sample, Rule], Fraction] = {}
    frequency: dict[Rule, Fraction] = defaultdict(Fraction)
    for (S, p), T in product(before.items(), product(D, repeat=n)):
        chance, f = p, extended_soa(H, (*S, *T), tie=tie)
        for example in T:
            chance *= D[example]
        contenders[(*S, *T), f] = chance
        frequency[f] += chance
    d = int(H.littlestone_dimension())
    if max(frequency.values()) >= Fraction(1, 2**d):  # 2. Undefined.
        return None
    # 3. Pairs until f_0 != f_1, so pairs given that.
    law: dict[Sample, Fraction] = defaultdict(Fraction)
    differ = 1 - sum(p * p for p in frequency.values())
    points = list(H.domain)
    for ((A, f), p), ((B, g), q) in product(contenders.items(), repeat=2):
        if f != g:
            x = first_difference(f, g)
            for y in (0, 1):
                law[(*(A if f[x] != y else B), (points[x], y))] += p * q * HALF / differ
    return dict(law)


@box("BLM20 section 4.3.1, Monte-Carlo variant")
def sample_tilde_d(
    k: int, H: FiniteClass, examples: Iterator[Example], n: int, *, tie: int = 0, choose: Choose
) -> Sample:
    """S ~ D~_k from at most N ``examples``; raises `FailError` if more are drawn.

    promise: D_k, but for "Fail"
    found: kept: no sample has more probability than D_k gives it, if D_k is defined
    ours: learn.papers.globally_stable.stable_rule
    """
    if k == 0:
        return ()
    while True:
        # (i) S_0, S_1 ~ D~_(k-1) and T_0, T_1 ~ D^n.
        S = [sample_tilde_d.run(k - 1, H, examples, n, tie=tie, choose=choose) for _ in (0, 1)]
        T = [tuple(islice(examples, n)) for _ in (0, 1)]
        if len(T[1]) < n:  # (*) More than N examples are drawn.
            raise FailError
        f = [extended_soa(H, S[b] + T[b], tie=tie) for b in (0, 1)]  # (ii)
        if f[0] == f[1]:  # (iii)
            continue
        x = first_difference(*f)  # (iv)
        y = pick((0, 1), choose)
        b = 0 if f[0][x] != y else 1  # (v)
        return (*S[b], *T[b], (list(H.domain)[x], y))


def printed_sizes(d: int, alpha: float) -> tuple[int, int]:
    """The numbers n = ceil(d / alpha) and N = 8^(d + 1) n; G takes m = N + n examples.

    >>> printed_sizes(1, 0.5)
    (2, 128)
    """
    n = math.ceil(d / alpha)
    return n, 8 ** (d + 1) * n


@box("BLM20 algorithm G")
def algorithm_g(
    S: Sequence[Example], H: FiniteClass, *, n: int, N: int, tie: int = 0, choose: Choose
) -> Rule | None:
    """SOA(S T) of k uniform in {0, ..., d}, S ~ D~_k and T ~ D^n; None for "Fail".

    promise: some f of loss at most alpha has Pr[G(S) = f] >= 1 / ((d + 1) 2^(d + 1)) (Theorem 10)
    found: kept at d = 1; from d = 2 on the proof rests on Lemma 12, which is false
    ours: learn.papers.globally_stable.stable_rule
    takes: 650 examples for d = 1 and alpha = .1; 10,260 for d = 2, 122,910 for d = 3
    mend: k in turn, and sizes for eta_d (`proved_sizes`)
    """
    drawn, T = iter(S[:N]), tuple(S[N : N + n])  # 1.
    k = pick(range(int(H.littlestone_dimension()) + 1), choose)  # 2.
    try:
        sample = sample_tilde_d(k, H, drawn, n, tie=tie, choose=choose)
    except FailError:
        return None
    return extended_soa(H, sample + T, tie=tie)  # 3.


Key = TypeVar("Key", bound=Hashable)


@box("BLM20 Lemma 15")
def hist(items: Sequence[Key | None], *, budget: Budget, choose: Choose) -> dict[Key, Fraction]:
    """The list L with its estimates a_x of the frequencies; the paper cites Hist and prints no steps.

    None is no item ("Fail").  Estimates are cut at max(threshold, n) / n, which makes the law finite.

    promise: (epsilon, delta)-differentially private
    found: kept, with no room at delta
    ours: privacy.mechanisms.partition_selection.StableHistogram
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
