"""BGS21: learning by bits, its sizes, codes, and rules with outcomes."""

from __future__ import annotations

from collections import defaultdict
from fractions import Fraction
from functools import cache, partial
from itertools import pairwise, product
from math import log, prod
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from littlestone.classes import FiniteClass, Outcomes, Subsets
from littlestone.data.sample import Sample
from littlestone.dimension import (
    LabelTable,
    multiclass_littlestone_dimension,
)
from littlestone.learn import (
    BitPartsLearner,
    BitsLearner,
    ExponentialLearner,
    IrreducibleLearner,
)
from littlestone.learn.bits import BitwiseLearner
from littlestone.points import Integers
from littlestone.privacy.cost import Budget
from littlestone.prove.audit import find_subject
from littlestone.prove.audit.claims import exact_audit
from littlestone.prove.audit.statistical import binomial_chances
from littlestone.prove.audit.subject import follow_draws
from littlestone.prove.audit.subjects.reductions import H as BITS
from littlestone.prove.audit.subjects.whole_learners import Records
from littlestone.prove.papers.bgs21 import bit_class_cap, rotation_class
from littlestone.prove.papers.statement import Outcome, Trial, statement

ALPHA, BETA = 0.1, 0.05


@statement("BGS21 Theorem 3.1")
def parts_are_private() -> Outcome:
    """Parts, and bits on all records, composed.  Both bits change in one of eight equal records.

    says: privacy: the parts together cost what one bit costs
    scope: exact laws, on all neighbouring samples of four records and on a pair of eight
    stated: epsilon 1
    code: learn.BitPartsLearner, learn.BitsLearner
    proof: proofs/multiclass-learning.md#theorem-2-privacy-one-part-a-bit
    """
    shown, holds = [], True
    for name in ("bit-parts-learner", "bits-learner"):
        subject = find_subject(name).make(Fraction(1), Fraction(0))
        x = BITS.domain.points[0]
        most: Records = ((x, 1),) * 7
        pair = ((*most, (x, 1)), (*most, (x, 2)))
        audits = [subject.exact(), exact_audit(subject.distribution, [pair], subject.event)]
        holds &= all(audit.holds for audit in audits) and follow_draws(subject, [pair]).holds
        shown.append(f"{max(audit.epsilon for audit in audits):.2f}")
    return Outcome(f"exactly {shown[0]} with parts, {shown[1]} with bits on all records", holds)


Laws = list[dict[Any, float]]  # of the function that each bit's learner gives


def _laws(learner: BitwiseLearner[Any], e: int, m: int) -> Laws:
    """For m records, e of which have the second point with label 1, and the others the first with 0."""
    domain = learner.hypotheses.domain
    first, second = domain.examples(2)
    counts = {first: [m - e, 0, 0, 0], second: [0, e, 0, 0]}
    sample = Sample.from_counts(domain, counts, labels=4)
    bits = enumerate(cast("tuple[ExponentialLearner[Any], ...]", learner.learners))
    laws = (binary.distribution(learner.bit(sample, i)) for i, binary in bits)
    return [{h: float(mass) for h, mass in law.items()} for law in laws]


def _wrong(learner: BitwiseLearner[Any], laws: Laws) -> float:
    """The chance that the bits, drawn independently, give the second point another label than 1."""
    second = learner.hypotheses.domain.examples(2)[1]
    drawn = product(*(law.items() for law in laws))
    return sum(
        prod(p for _, p in chosen)
        for chosen in drawn
        if learner.classifier([h for h, _ in chosen])(second) != 1
    )


def failure(learner: BitwiseLearner[Any], n: int, share: float) -> float:
    """The exact chance that the rule errs at a point that holds that share of the distribution."""
    if isinstance(learner, BitsLearner):
        chances = binomial_chances(n, share)
        return sum(float(p) * _wrong(learner, _laws(learner, e, n)) for e, p in enumerate(chances))
    m = n // len(learner.learners)
    mean: Laws = [defaultdict(float) for _ in learner.learners]
    for e, p in enumerate(binomial_chances(m, share)):
        for law, found in zip(mean, _laws(learner, e, m), strict=True):
            for h, mass in found.items():
                law[h] += p * mass
    return _wrong(learner, mean)


@statement("BGS21 Theorem 3.1", "changed")
def parts_are_accurate() -> Outcome:
    """A point of weight just above alpha, whose label both bits must learn.

    Bits of one size are planned for equal shares, so parts take b times the size of a bit.

    says: error: sum of SC_i(alpha / b, beta / b) records suffice
    scope: four functions of four labels on two points, at the planned n; exact laws
    code: learn.BitPartsLearner.plan, learn.BitsLearner.plan
    proof: proofs/multiclass-learning.md#theorem-3-error-without-wrong-labels
    """
    H = FiniteClass.from_array([[0, y] for y in range(4)], labels=4)
    found, holds = [], True
    for kind in (BitPartsLearner, BitsLearner):
        learner = kind(H, Budget(1), binary=ExponentialLearner)
        bound = learner.plan(ALPHA, BETA, setting="realizable")
        n = 0 if bound is None else bound.n
        bit = learner.learners[0].plan(ALPHA / 2, BETA / 2, setting="realizable")
        holds &= bit is not None and n == bit.n * (2 if kind is BitPartsLearner else 1)
        found.append((n, failure(learner, n, ALPHA + 1e-6)))
    return Outcome(
        "; ".join(f"{p:.2g} for n = {n:,}" for n, p in found) + " with parts, and under one budget",
        holds and all(p <= BETA for _, p in found),
        stated=f"at most {BETA:g}, at b times the records of one bit with parts",
    )


@cache
def generic(d: int, cuts: int) -> int:
    """The proved size of the generic learner for LDim d, alpha / cuts and beta / cuts."""
    goal = {"alpha": ALPHA / cuts, "beta": BETA / cuts}
    H = Subsets(Integers(), d)
    learner = IrreducibleLearner.with_proved_bound(H, Budget(1, "1e-6"), **goal)
    bound = learner.plan(**goal, setting="realizable")
    return 0 if bound is None else bound.n


def _generic_parts(H: FiniteClass) -> int:
    """The size that the reduction plans with the generic learner for each bit class."""
    binary = partial(IrreducibleLearner.with_proved_bound, alpha=ALPHA / H.bits, beta=BETA / H.bits)
    learner = BitPartsLearner(H, Budget(1, "1e-6"), binary=binary)
    bound = learner.plan(ALPHA, BETA, setting="realizable")
    return 0 if bound is None else bound.n


# MLS 1 and bit classes of LDim 1; and MLS 1, 2, with larger ones.
CLASSES = [
    FiniteClass.from_array([[0, 1, 2, 3], [1, 2, 3, 0], [2, 3, 0, 1]], labels=4),
    FiniteClass.from_array([[0, 0], [1, 2], [2, 1], [3, 3]], labels=4),
    FiniteClass.from_array([[x, y] for x in range(4) for y in range(4)], labels=4),
]


@statement("BGS21 Corollary 3.2", "changed")
def sizes_by_bit_classes() -> Outcome:
    """By the proved sizes of the learner of every Littlestone class; parts are equal.

    says: the sum of SC(d_i, alpha / b, beta / b), d_i = LDim(H|_i)
    scope: three tables of four labels; parts of equal size, so the sum is b times the largest
    stated: b max SC(d_i, ...)
    code: learn.BitPartsLearner.plan
    proof: proofs/multiclass-learning.md#sizes-bgs21-corollaries-32-and-34-theorem-36
    """
    found = []
    for H in CLASSES:
        d = [H.bit_class(i).littlestone_dimension() for i in range(H.bits)]
        found.append((_generic_parts(H), H.bits * generic(max(d), H.bits)))
    return Outcome(
        "; ".join(f"{planned:,}" for planned, _ in found) + " records, as stated",
        all(planned == stated > 0 for planned, stated in found),
    )


@statement("BGS21 Corollary 3.4")
def sizes_by_mls() -> Outcome:
    """The same sizes below those of the cap of Theorem 3.3, and of the sharper one.

    says: b SC(6 d ln(k + 1), alpha / b, beta / b), d = MLS(H)
    scope: planned sizes for three tables of four labels
    stated: planned < that of the sharper cap < that of 6 d ln(k + 1)
    code: learn.BitPartsLearner.plan, learn.IrreducibleLearner.plan,
        prove.papers.bgs21.bit_class_cap
    proof: proofs/multiclass-learning.md#sizes-bgs21-corollaries-32-and-34-theorem-36
    """
    found = []
    for H in CLASSES:
        d, k, b = H.littlestone_dimension(), H.labels - 1, H.bits
        caps = bit_class_cap(d, k), int(6 * d * log(k + 1))
        found.append((_generic_parts(H), *(b * generic(cap, b) for cap in caps)))
    return Outcome(
        "; ".join(" < ".join(f"{n:,}" for n in sizes) for sizes in found),
        all(one < other for sizes in found for one, other in pairwise(sizes)),
    )


@cache
def simplex_code() -> NDArray[np.int64]:
    """8 words of 7 bits, c_j(y) = parity of y & j for j = 1, ..., 7: any two differ in 4 bits."""
    return np.array([[(y & j).bit_count() % 2 for j in range(1, 8)] for y in range(8)])


@statement("Codes that correct errors")
def codes(trial: Trial) -> Outcome:
    """A wrong label has at least two wrong bits, which is what the bound takes; and bits of a code.

    says: err(f) <= sum of err(h_j) / 2 for distance 4, LDim <= the cap
    scope: the simplex code of 8 words: all wrong bits; random tables and two rotation classes
    stated: two wrong bits or more, gap >= 0
    code: prove.papers.bgs21.bit_class_cap, prove.papers.bgs21_learning.simplex_code
    proof: proofs/multiclass-learning.md#theorem-4-one-logarithm-less-codes-that-correct-errors
    """
    code, rng = simplex_code(), trial.array(4)
    received = np.array(list(product((0, 1), repeat=code.shape[1])))
    away = np.abs(received[:, None, :] - code).sum(axis=2)
    least = min(int(away[away.argmin(axis=1) != y, y].min()) for y in range(8))
    tables = [rng.integers(0, 8, size=(12, 3)) for _ in range(trial.pick(20, 500))]
    tables += [rotation_class(d, 3).values for d in (1, 2)]
    gaps = []
    for values in tables:
        d = multiclass_littlestone_dimension(LabelTable.of(values, labels=8))
        coded = [LabelTable.of(bits[values], labels=2) for bits in code.T]
        gaps.append(bit_class_cap(d, 7) - max(map(multiclass_littlestone_dimension, coded)))
    return Outcome(
        f"at least {least} of {away.size} received words; least gap {min(gaps)} of {len(gaps)}",
        least == 2 and min(gaps) >= 0,
    )


@statement("Rules with outcomes")
def rules_with_outcomes() -> Outcome:
    """For one, two and three outcomes, over one, two and three columns.

    says: MLS(H) = LDim(H|_i)
    scope: one to three outcomes over one to three columns
    stated: equal
    code: classes.Outcomes
    proof: proofs/outcomes.md#theorem-1-bit-classes
    """
    found = []
    for m, r, s in [(1, 1, 1), (1, 1, 2), (2, 1, 1), (2, 2, 1), (2, 1, 2), (2, 2, 2), (3, 2, 1)]:
        for k in (1, 2, 3):
            H = Outcomes.over_columns(*"abc"[:m], labels=k + 1, max_rules=s, max_literals=r)
            found.append((H.littlestone_dimension(), H.bit_class(0).littlestone_dimension()))
    equal = sum(mls == bit for mls, bit in found)
    return Outcome(f"on {equal} of {len(found)} classes", equal == len(found))
