"""BGS21: Bun, Gaboardi, Sivakumar, Multiclass versus binary differentially private PAC learning."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from fractions import Fraction
from functools import cache, partial
from itertools import combinations, pairwise, product
from math import comb, exp, log, prod
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from littlestone.classes import FiniteClass, Outcomes, Subsets
from littlestone.data.sample import Sample
from littlestone.dimension import (
    LabelTable,
    multiclass_littlestone_dimension,
    psi_b,
    psi_bin,
    psi_littlestone_dimension,
    psi_n,
    zero_cover_function,
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
from littlestone.prove.papers.statement import Outcome, Trial, statement, unordered_classes


def _tables(
    trial: Trial, count: int, hypotheses: int = 14, points: int = 3
) -> Iterator[LabelTable]:
    """Every table of three labels on two points; random ones of 2 to 6; the full ones on two points."""
    for H in unordered_classes(2, labels=3):
        yield LabelTable.of(H)
    if trial.deep:
        for H in unordered_classes(2, labels=4):
            yield LabelTable.of(H)
    rng = trial.array(2021)
    for i in range(trial.pick(count, 20 * count)):
        labels = 2 + i % 5
        shape = int(rng.integers(1, hypotheses + 1)), int(rng.integers(1, points + 1))
        yield LabelTable.of(rng.integers(0, labels, size=shape), labels=labels)
    for labels in range(2, 7):
        yield LabelTable.of(list(product(range(labels), repeat=2)), labels=labels)


def _bit_dimensions(H: LabelTable) -> list[int]:
    return [multiclass_littlestone_dimension(H.bit_class(i)) for i in range(H.bits)]


def sauer_sum(n: int, d: int, k: int) -> int:
    """The bound of Theorem 5.6, sum_(i <= d) C(n, i) k^i; (k + 1)^n when n < d.

    >>> sauer_sum(3, 1, 2)
    7
    """
    return sum(comb(n, i) * k**i for i in range(d + 1))


def bit_class_cap(d: int, k: int) -> int:
    """The largest n with 2^n <= sum_(i <= d) C(n, i) k^i: no bit class has a larger LDim.

    Lemma 5.7 and Theorem 5.6 meet at n = Psi^B_LD(H) >= d = MLS(H), before the paper rounds up to
    6 d ln(k + 1).

    >>> bit_class_cap(5, 255)
    62
    """
    # Beyond n = 6 d ln(k + 1) the power is larger for good.
    last = int(6 * d * log(k + 1)) + 1
    return max(n for n in range(d, max(last, d) + 1) if 2**n <= sauer_sum(n, d, k))


def rotation_class(d: int, b: int) -> LabelTable:
    """The lower-bound class: labels 0..2^b - 1, d copies of a label j_c, seen under every rotation.

    f_j(c, r) = j_c with its b bits rotated by r, for j in {0, ..., 2^b - 1}^d: one point of copy c
    reveals j_c, while the bits 0 at the b rotations of copy c are all bits of j_c.

    >>> rotation_class(1, 2).values.tolist()
    [[0, 0], [1, 2], [2, 1], [3, 3]]
    """

    def rotate(j: int, r: int) -> int:
        return (j >> r | j << (b - r)) & ((1 << b) - 1)

    codes = product(range(1 << b), repeat=d)
    return LabelTable.of([[rotate(j, r) for j in code for r in range(b)] for code in codes])


def separate_bits_class(d: int, b: int) -> LabelTable:
    """All functions whose label at point (c, i) is 0 or 2^i, c = 1, ..., d: each bit has its points.

    >>> separate_bits_class(1, 2).values.tolist()
    [[0, 0], [0, 2], [1, 0], [1, 2]]
    """
    return LabelTable.of(list(product(*([(0, 1 << i) for i in range(b)] * d))), labels=1 << b)


Answer = Callable[[int], int | None]
"""What a question says of a label: 0, 1, or None for neither."""


def pairs_of(labels: int) -> list[Answer]:
    """Is it u or v?  Definition 2.11, and Psi^N."""
    return [{u: 0, v: 1}.get for u, v in combinations(range(labels), 2)]


def bit(i: int) -> Answer:
    """The bit i of a label."""
    return lambda y: y >> i & 1


def bits_of(labels: int) -> list[Answer]:
    """Psi^bin."""
    return [bit(i) for i in range((labels - 1).bit_length())]


def maps_of(labels: int) -> list[Answer]:
    """Psi^B: all maps to 0, 1 and *; those with both answers can split."""
    maps = (phi for phi in product((0, 1, None), repeat=labels) if {0, 1} <= {*phi})
    return [phi.__getitem__ for phi in maps]


def tree_depth(H: LabelTable, asked: Sequence[Answer]) -> int:
    """The deepest tree of points and questions that H shatters, by Definition 4.4 alone.

    >>> H = rotation_class(1, 2)
    >>> [tree_depth(H, asked(4)) for asked in (pairs_of, bits_of, maps_of)]
    [1, 2, 2]
    """

    @cache
    def depth(rows: frozenset[tuple[int, ...]]) -> int:
        best = 0
        for x, ask in product(range(len(H.points)), asked):
            sides = [frozenset(row for row in rows if ask(row[x]) == side) for side in (0, 1)]
            if all(sides) and min(map(len, sides)) >= 1 << best:  # no other can be deeper
                best = max(best, 1 + min(map(depth, sides)))
        return best

    return depth(frozenset(map(tuple, H.values.tolist())))


@statement("BGS21 section 4.2 (1)")
def multiclass_is_psi_n(trial: Trial) -> Outcome:
    """The solver for Psi^N against Definition 2.11.

    says: MLS(H) = Psi^N_LD(H)
    scope: every table of three labels on two points, and random ones of 2 to 6 labels
    deep: every table of four labels on two points
    stated: equal
    code: dimension.multiclass_littlestone_dimension
    """
    pairs = [
        (tree_depth(H, pairs_of(H.labels)), multiclass_littlestone_dimension(H))
        for H in _tables(trial, 150)
    ]
    equal = sum(one == other for one, other in pairs)
    return Outcome(f"equal on {equal} of {len(pairs)} classes", equal == len(pairs))


@statement("BGS21 section 4.2 (2)")
def bit_classes_below_psi_bin(trial: Trial) -> Outcome:
    """By Definition 4.4 too; at most the sum, because who learns every bit errs if some bit does.

    says: max_i LDim(H|_i) <= Psi^bin_LD(H)
    scope: every table of three labels on two points, and random ones of 2 to 6 labels
    deep: every table of four labels on two points
    stated: Psi^bin - max >= 0, and Psi^bin is at most the sum over the bits
    code: dimension.psi_littlestone_dimension, dimension.psi_bin, dimension.LabelTable.bit_class
    proof: proofs/multiclass.md#bits-below-and-above
    """
    gaps, above, differ = [], 0, 0
    for H in _tables(trial, 150):
        bits, psi = _bit_dimensions(H), psi_littlestone_dimension(H, psi_bin)
        gaps.append(psi - max(bits))
        above += psi > sum(bits)
        differ += psi != tree_depth(H, bits_of(H.labels))
        differ += bits != [tree_depth(H, [bit(i)]) for i in range(H.bits)]
    return Outcome(
        f"least {min(gaps)}, largest {max(gaps)} in {len(gaps)} classes; {above} above the sum; "
        f"{differ} values differ from the definition",
        min(gaps) >= 0 == above == differ,
    )


@statement("BGS21 section 4.2 (3)")
def order_of_the_families(trial: Trial) -> Outcome:
    """By Definition 4.4 too, of at most four labels; both inequalities are strict on some.

    says: Psi^N_LD(H) <= Psi^bin_LD(H) <= Psi^B_LD(H)
    scope: every table of three labels on two points, and random ones of 2 to 6 labels
    deep: every table of four labels on two points
    stated: in that order
    code: dimension.psi_littlestone_dimension, dimension.psi_bin, dimension.psi_b
    proof: proofs/multiclass.md#one-recursion-for-all-psi-littlestone-dimensions
    """
    found, differ = [], 0
    for H in _tables(trial, 150):
        here = [psi_littlestone_dimension(H, psi) for psi in (psi_n, psi_bin, psi_b)]
        found.append(here)
        if H.labels <= 4:
            asked = (pairs_of, bits_of, maps_of)
            differ += here != [tree_depth(H, maps(H.labels)) for maps in asked]
    strict = sum(n < b for n, b, _ in found), sum(b < a for _, b, a in found)
    ordered = sum(n <= b <= a for n, b, a in found)
    return Outcome(
        f"on {ordered} of {len(found)} classes; strict on {strict[0]} and {strict[1]}; {differ} differ "
        "from the definition",
        ordered == len(found) and min(strict) > 0 == differ,
    )


@statement("BGS21 Theorem 5.6")
def sauer_for_covers(trial: Trial) -> Outcome:
    """The exact 0-cover function, for all depths n <= 4; (k + 1)^n below n = d.

    says: N(0, H, n) <= sum_(i <= d) C(n, i) k^i <= (e k n / d)^d
    scope: every table of three labels on two points and random ones; trees of depth 4 at most
    deep: every table of four labels on two points
    stated: cover <= bound
    code: dimension.zero_cover_function, prove.papers.bgs21.sauer_sum
    proof: proofs/multiclass.md#the-0-cover-number
    """
    tried = tight = wrong = 0
    tables = [*_tables(trial, 100), *(separate_bits_class(d, 1) for d in (1, 2, 3))]
    for H in tables:
        d, k = multiclass_littlestone_dimension(H), H.labels - 1
        for n in range(5 if k <= 2 else 4):
            cover = zero_cover_function(H, n)
            bound = sauer_sum(n, d, k) if n >= d else (k + 1) ** n
            wrong += cover > bound or (n >= d >= 1 and bound > (exp(1) * k * n / d) ** d)
            tried += 1
            tight += cover == bound
    return Outcome(
        f"{wrong} of {tried} (class, depth) exceed it; equal in {tight}", wrong == 0 < tight
    )


@statement("BGS21 Lemma 5.7")
def covers_are_exponential(trial: Trial) -> Outcome:
    """The exact 0-cover function at the depth of the Psi^B-Littlestone dimension.

    says: N(0, H, d) >= 2^d for d = Psi^B_LD(H)
    scope: every table of three labels on two points, and random ones of 2 to 6 labels
    deep: every table of four labels on two points
    stated: N - 2^d >= 0
    code: dimension.zero_cover_function, dimension.psi_littlestone_dimension, dimension.psi_b
    proof: proofs/multiclass.md#the-0-cover-number
    """
    found = []
    for H in _tables(trial, 100, hypotheses=10):
        d = psi_littlestone_dimension(H, psi_b)
        found.append((zero_cover_function(H, d), 2**d))
    tight = sum(cover == power for cover, power in found)
    return Outcome(
        f"least {min(c - p for c, p in found)} in {len(found)} classes; 0 in {tight}",
        all(cover >= power for cover, power in found),
    )


@statement("BGS21 Theorem 3.3")
def bit_classes_are_small(trial: Trial) -> Outcome:
    """On random and full classes; and with the sharper cap that the proof gives.

    says: max_i LDim(H|_i) <= 6 d ln(k + 1), d = MLS(H)
    scope: every table of three labels on two points, random ones, and two rotation classes
    deep: every table of four labels on two points
    stated: largest ratio <= 1
    code: dimension.LabelTable.bit_class, dimension.multiclass_littlestone_dimension,
        prove.papers.bgs21.bit_class_cap
    proof: proofs/multiclass.md#a-sharper-cap-on-the-bit-classes
    """
    ratios, of_cap, holds, sharp = [], [0.0], True, True
    for H in [*_tables(trial, 150), rotation_class(2, 3), rotation_class(1, 3)]:
        d, k = multiclass_littlestone_dimension(H), H.labels - 1
        largest = max(_bit_dimensions(H))
        holds &= largest <= 6 * d * log(k + 1)
        sharp &= largest <= psi_littlestone_dimension(H, psi_b) <= bit_class_cap(d, k)
        if d:
            ratios.append(largest / (6 * d * log(k + 1)))
            of_cap.append(largest / bit_class_cap(d, k))
    return Outcome(
        f"{max(ratios):.2f} in {len(ratios)} classes; {max(of_cap):.2f} of the sharper cap"
        + ("; Psi^B is within it on all" if sharp else ""),
        holds and sharp,
    )


@statement("BGS21 section 5.3", "changed")
def sharper_cap() -> Outcome:
    """The cap before rounding, against 6 d ln(k + 1), for all d <= 8 and k + 1 = 2, 4, ..., 256.

    Also the sum by counting words, and the cap as the last n up to twice that bound.

    says: sharper, LDim(H|_i) <= max{n : 2^n <= sum_(i <= d) C(n, i) k^i}
    scope: the two formulas, for d <= 8 and up to 256 labels; no class is built
    stated: below 6 d ln(k + 1), and at least the d log2(k + 1) of the lower-bound class
    code: prove.papers.bgs21.bit_class_cap
    proof: proofs/multiclass.md#a-sharper-cap-on-the-bit-classes
    """
    words = [(n, d, k) for n in range(5) for d in range(n + 1) for k in (1, 2, 3)]
    wrong = sum(
        sauer_sum(n, d, k) != sum(n - w.count(0) <= d for w in product(range(k + 1), repeat=n))
        for n, d, k in words
    )
    caps = {
        (d, 2**b - 1): (bit_class_cap(d, 2**b - 1), 6 * d * log(2**b))
        for d in range(1, 9)
        for b in range(1, 9)
    }
    for (d, k), (cap, bound) in caps.items():
        beyond = range(cap + 1, 2 * int(bound) + 2)
        wrong += 2**cap > sauer_sum(cap, d, k) or any(2**n <= sauer_sum(n, d, k) for n in beyond)
    shown = caps[5, 255]
    between = sum(d * (k + 1).bit_length() - d <= cap <= b for (d, k), (cap, b) in caps.items())
    return Outcome(
        f"on {between} of {len(caps)}; d = 5, k = 255: {shown[0]} against {shown[1]:.0f}; {wrong} of "
        f"{len(words) + len(caps)} sums and caps are not those of the definition",
        between == len(caps) and not wrong,
    )


@statement("BGS21 section 1.2, tight")
def rotations() -> Outcome:
    """The rotation class, whose every bit class is a cube of d b points.

    says: some H has MLS(H) = d and LDim(H|_i) = d log2(k + 1)
    scope: nine rotation classes, of at most 64 labels
    stated: MLS = d, every bit class d b
    code: prove.papers.bgs21.rotation_class, dimension.multiclass_littlestone_dimension
    proof: proofs/multiclass.md#a-class-that-needs-the-logarithm
    """
    sizes = [(1, 1), (1, 2), (1, 4), (1, 6), (2, 1), (2, 2), (2, 3), (3, 2), (3, 3)]
    found = []
    for d, b in sizes:
        H = rotation_class(d, b)
        found.append((d, b, multiclass_littlestone_dimension(H), set(_bit_dimensions(H))))
    exact = sum(mls == d and bits == {d * b} for d, b, mls, bits in found)
    return Outcome(f"on {exact} of {len(found)} pairs d, b", exact == len(found))


@statement("BGS21 section 1.2, converse", "mended")
def some_bit_class_is_large(trial: Trial) -> Outcome:
    """On random classes; equal if each bit has its own points, so "larger than" is too much.

    says: max_i LDim(H|_i) >= MLS(H) / ceil(log2(k + 1))
    scope: every table of three labels on two points, random ones, and five of separate bits
    deep: every table of four labels on two points
    stated: b max - MLS >= 0
    code: dimension.LabelTable.bit_class, dimension.multiclass_littlestone_dimension,
        prove.papers.bgs21.separate_bits_class
    proof: proofs/multiclass.md#bits-below-and-above
    """
    gaps = [
        max(_bit_dimensions(H)) * H.bits - multiclass_littlestone_dimension(H)
        for H in _tables(trial, 150)
    ]
    tight = [
        (separate_bits_class(d, b), d * b, d) for d, b in [(1, 1), (1, 3), (2, 2), (3, 2), (2, 4)]
    ]
    equal = sum(
        multiclass_littlestone_dimension(H) == mls and set(_bit_dimensions(H)) == {d}
        for H, mls, d in tight
    )
    return Outcome(
        f"least {min(gaps)} in {len(gaps)} classes; 0 on {equal} of {len(tight)} classes with "
        "separate bits",
        min(gaps) >= 0 and equal == len(tight),
    )


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
    code: prove.papers.bgs21.bit_class_cap, prove.papers.bgs21.simplex_code
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
