"""BGS21: Bun, Gaboardi, Sivakumar, Multiclass versus binary differentially private PAC learning."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from itertools import combinations, product
from math import comb, e, log

from littlestone.dimension import (
    LabelTable,
    multiclass_littlestone_dimension,
    psi_b,
    psi_bin,
    psi_littlestone_dimension,
    zero_cover_function,
)
from littlestone.verify.families import unordered_classes
from littlestone.verify.statement import Outcome, Trial, statement


def _random_tables(
    trial: Trial, count: int, hypotheses: int = 14, points: int = 3
) -> Iterator[LabelTable]:
    """Tables of labels 0..k for k = 1, ..., 5, and the full classes on two points."""
    if trial.deep:
        for H in (*unordered_classes(2, labels=3), *unordered_classes(2, labels=4)):
            yield LabelTable.of(H.table(), labels=H.labels)
    rng = trial.array(2021)
    for i in range(trial.size(count, 20 * count)):
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

    def rotated(j: int, r: int) -> int:
        return (j >> r | j << (b - r)) & ((1 << b) - 1)

    codes = product(range(1 << b), repeat=d)
    return LabelTable.of([[rotated(j, r) for j in code for r in range(b)] for code in codes])


def separate_bits_class(d: int, b: int) -> LabelTable:
    """All functions whose label at point (c, i) is 0 or 2^i, c = 1, ..., d: each bit has its points.

    >>> separate_bits_class(1, 2).values.tolist()
    [[0, 0], [0, 2], [1, 0], [1, 2]]
    """
    return LabelTable.of(list(product(*([(0, 1 << i) for i in range(b)] * d))), labels=1 << b)


def _io_tree_depth(H: LabelTable) -> int:
    """MLS by Definition 2.11: the deepest io-labelled tree with two different labels on its edges."""

    @cache
    def depth(rows: frozenset[tuple[int, ...]]) -> int:
        best = 0
        for x in range(len(H.points)):
            parts: dict[int, set[tuple[int, ...]]] = {}
            for row in rows:
                parts.setdefault(row[x], set()).add(row)
            for one, other in combinations(parts.values(), 2):
                best = max(best, 1 + min(depth(frozenset(one)), depth(frozenset(other))))
        return best

    return depth(frozenset(map(tuple, H.values.tolist())))


@statement(
    id="BGS21 section 4.2 (1)",
    says="MLS(H) = Psi^N_LD(H)",
    code="dimension.multiclass_littlestone_dimension",
    scope="random tables of 2 to 6 labels on at most 3 points, and the full classes on two points",
    deep="all tables of 3 and 4 labels on two points",
    status="as stated",
)
def multiclass_is_psi_n(trial: Trial) -> Outcome:
    """The solver for Psi^N against Definition 2.11 on random and full classes."""
    pairs = [
        (_io_tree_depth(H), multiclass_littlestone_dimension(H)) for H in _random_tables(trial, 150)
    ]
    equal = sum(one == other for one, other in pairs)
    return Outcome("equal", f"equal on {equal} of {len(pairs)} classes", equal == len(pairs))


@statement(
    id="BGS21 section 4.2 (2)",
    says="max_i LDim(H|_i) <= Psi^bin_LD(H)",
    code="dimension.psi_littlestone_dimension, dimension.psi_bin, dimension.LabelTable.bit_class",
    scope="random tables of 2 to 6 labels on at most 3 points, and the full classes on two points",
    deep="all tables of 3 and 4 labels on two points",
    status="as stated",
    proof="proofs/multiclass.md#bits-below-and-above",
)
def bit_classes_below_psi_bin(trial: Trial) -> Outcome:
    """The sum over the bits is above it, because a learner of every bit errs whenever it errs."""
    tables = list(_random_tables(trial, 150))
    bits = [_bit_dimensions(H) for H in tables]
    psi = [psi_littlestone_dimension(H, psi_bin) for H in tables]
    gaps = [p - max(b) for p, b in zip(psi, bits, strict=True)]
    below_sum = all(p <= sum(b) for p, b in zip(psi, bits, strict=True))
    return Outcome(
        "Psi^bin - max >= 0",
        f"least {min(gaps)}, largest {max(gaps)} in {len(gaps)} classes"
        + ("; Psi^bin is at most the sum over the bits on all of them" if below_sum else ""),
        min(gaps) >= 0 and below_sum,
    )


@statement(
    id="BGS21 section 4.2 (3)",
    says="Psi^N_LD(H) <= Psi^bin_LD(H) <= Psi^B_LD(H)",
    code="dimension.psi_littlestone_dimension, dimension.psi_bin, dimension.psi_b",
    scope="random tables of 2 to 6 labels on at most 3 points, and the full classes on two points",
    deep="all tables of 3 and 4 labels on two points",
    status="as stated",
    proof="proofs/multiclass.md#one-recursion-for-all-psi-littlestone-dimensions",
)
def order_of_the_families(trial: Trial) -> Outcome:
    """On random and full classes; both inequalities are strict on some."""
    found = [
        (
            multiclass_littlestone_dimension(H),
            psi_littlestone_dimension(H, psi_bin),
            psi_littlestone_dimension(H, psi_b),
        )
        for H in _random_tables(trial, 150)
    ]
    strict = sum(n < b for n, b, _ in found), sum(b < a for _, b, a in found)
    return Outcome(
        "in that order",
        f"on all of {len(found)} classes; strict on {strict[0]} and {strict[1]}",
        all(n <= b <= a for n, b, a in found) and min(strict) > 0,
    )


@statement(
    id="BGS21 Theorem 5.6",
    says="N(0, H, n) <= sum_(i <= d) C(n, i) k^i <= (e k n / d)^d",
    code="dimension.zero_cover_function, verify.bgs21.sauer_sum",
    scope="random tables of 2 to 6 labels on at most 3 points, and trees of depth 4 at most",
    deep="all tables of 3 and 4 labels on two points",
    status="as stated",
    proof="proofs/multiclass.md#the-0-cover-number",
)
def sauer_for_covers(trial: Trial) -> Outcome:
    """The exact 0-cover function, for all depths n <= 4; (k + 1)^n below n = d."""
    tried = tight = 0
    holds = True
    tables = [*_random_tables(trial, 100), *(separate_bits_class(d, 1) for d in (1, 2, 3))]
    for H in tables:
        d, k = multiclass_littlestone_dimension(H), H.labels - 1
        for n in range(5 if k <= 2 else 4):
            cover = zero_cover_function(H, n)
            bound = sauer_sum(n, d, k) if n >= d else (k + 1) ** n
            holds &= cover <= bound
            if n >= d >= 1:
                holds &= bound <= (e * k * n / d) ** d
            tried += 1
            tight += cover == bound
    return Outcome(
        "cover <= bound",
        f"{'0' if holds else 'some'} of {tried} (class, depth) exceed it; equal in {tight}",
        holds and tight > 0,
    )


@statement(
    id="BGS21 Lemma 5.7",
    says="N(0, H, d) >= 2^d for d = Psi^B_LD(H)",
    code="dimension.zero_cover_function, dimension.psi_littlestone_dimension, dimension.psi_b",
    scope="random tables of 2 to 6 labels, of at most 10 functions on 3 points",
    deep="all tables of 3 and 4 labels on two points",
    status="as stated",
    proof="proofs/multiclass.md#the-0-cover-number",
)
def covers_are_exponential(trial: Trial) -> Outcome:
    """The exact 0-cover function at the depth of the Psi^B-Littlestone dimension."""
    found = []
    for H in _random_tables(trial, 100, hypotheses=10):
        d = psi_littlestone_dimension(H, psi_b)
        found.append((zero_cover_function(H, d), 2**d))
    tight = sum(cover == power for cover, power in found)
    return Outcome(
        "N - 2^d >= 0",
        f"least {min(c - p for c, p in found)} in {len(found)} classes; 0 in {tight}",
        all(cover >= power for cover, power in found),
    )


@statement(
    id="BGS21 Theorem 3.3",
    says="max_i LDim(H|_i) <= 6 d ln(k + 1), d = MLS(H)",
    code=(
        "dimension.LabelTable.bit_class, dimension.multiclass_littlestone_dimension, "
        "verify.bgs21.bit_class_cap"
    ),
    scope="random tables of 2 to 6 labels on at most 3 points, and two rotation classes",
    deep="all tables of 3 and 4 labels on two points",
    status="as stated",
    proof="proofs/multiclass.md#a-sharper-cap-on-the-bit-classes",
)
def bit_classes_are_small(trial: Trial) -> Outcome:
    """On random and full classes; and with the sharper cap that the proof gives."""
    ratios, of_cap, holds, sharp = [], [0.0], True, True
    for H in [*_random_tables(trial, 150), rotation_class(2, 3), rotation_class(1, 3)]:
        d, k = multiclass_littlestone_dimension(H), H.labels - 1
        largest = max(_bit_dimensions(H))
        holds &= largest <= 6 * d * log(k + 1)
        sharp &= largest <= psi_littlestone_dimension(H, psi_b) <= bit_class_cap(d, k)
        if d:
            ratios.append(largest / (6 * d * log(k + 1)))
            of_cap.append(largest / bit_class_cap(d, k))
    return Outcome(
        "largest ratio <= 1",
        f"{max(ratios):.2f} in {len(ratios)} classes; {max(of_cap):.2f} of the sharper cap"
        + (", which Psi^B is within on all" if sharp else ""),
        holds and sharp,
    )


@statement(
    id="BGS21 section 5.3",
    says="sharper, LDim(H|_i) <= max{n : 2^n <= sum_(i <= d) C(n, i) k^i}",
    code="verify.bgs21.bit_class_cap",
    scope="the two formulas, for d <= 8 and up to 256 labels; no class is built",
    status="repaired",
    proof="proofs/multiclass.md#a-sharper-cap-on-the-bit-classes",
)
def sharper_cap() -> Outcome:
    """The cap before rounding, against 6 d ln(k + 1), for all d <= 8 and k + 1 = 2, 4, ..., 256."""
    caps = {
        (d, 2**b - 1): (bit_class_cap(d, 2**b - 1), 6 * d * log(2**b))
        for d in range(1, 9)
        for b in range(1, 9)
    }
    shown = caps[5, 255]
    return Outcome(
        "below 6 d ln(k + 1), and at least the d log2(k + 1) of the lower-bound class",
        f"on all of {len(caps)}; d = 5, k = 255: {shown[0]} against {shown[1]:.0f}",
        all(d * (k + 1).bit_length() - d <= cap <= bound for (d, k), (cap, bound) in caps.items()),
    )


@statement(
    id="BGS21 section 1.2, tight",
    says="some H has MLS(H) = d and LDim(H|_i) = d log2(k + 1)",
    code="verify.bgs21.rotation_class, dimension.multiclass_littlestone_dimension",
    scope="nine rotation classes, of at most 64 labels",
    status="as stated",
    proof="proofs/multiclass.md#a-class-that-needs-the-logarithm",
)
def rotations() -> Outcome:
    """The rotation class, whose every bit class is a cube of d b points."""
    sizes = [(1, 1), (1, 2), (1, 4), (1, 6), (2, 1), (2, 2), (2, 3), (3, 2), (3, 3)]
    found = []
    for d, b in sizes:
        H = rotation_class(d, b)
        found.append((d, b, multiclass_littlestone_dimension(H), set(_bit_dimensions(H))))
    exact = sum(mls == d and bits == {d * b} for d, b, mls, bits in found)
    return Outcome(
        "MLS = d, every bit class d b",
        f"on {exact} of {len(found)} pairs d, b",
        exact == len(found),
    )


@statement(
    id="BGS21 section 1.2, converse",
    says="max_i LDim(H|_i) >= MLS(H) / ceil(log2(k + 1))",
    code=(
        "dimension.LabelTable.bit_class, dimension.multiclass_littlestone_dimension, "
        "verify.bgs21.separate_bits_class"
    ),
    scope="random tables of 2 to 6 labels on at most 3 points, and five classes of separate bits",
    deep="all tables of 3 and 4 labels on two points",
    status="repaired",
    proof="proofs/multiclass.md#bits-below-and-above",
)
def some_bit_class_is_large(trial: Trial) -> Outcome:
    """On random classes; equal if each bit has its own points, so "larger than" is too much."""
    gaps = [
        max(_bit_dimensions(H)) * H.bits - multiclass_littlestone_dimension(H)
        for H in _random_tables(trial, 150)
    ]
    tight = [
        (separate_bits_class(d, b), d * b, d) for d, b in [(1, 1), (1, 3), (2, 2), (3, 2), (2, 4)]
    ]
    equal = sum(
        multiclass_littlestone_dimension(H) == mls and set(_bit_dimensions(H)) == {d}
        for H, mls, d in tight
    )
    return Outcome(
        "b max - MLS >= 0",
        f"least {min(gaps)} in {len(gaps)} classes; 0 on {equal} of {len(tight)} classes with "
        "separate bits",
        min(gaps) >= 0 and equal == len(tight),
    )
