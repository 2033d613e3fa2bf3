"""The distributions D_k and their Monte-Carlo variant (BLM20, sections 4.2 and 4.3.1)."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping
from fractions import Fraction
from itertools import islice, product

from littlestone.classes import FiniteClass
from littlestone.learn.papers.boxes.base import Example, Rule, Sample, box, pick
from littlestone.learn.papers.boxes.extended_soa import extended_soa
from littlestone.privacy.randomness import Choose

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
