"""BGS21: Bun, Gaboardi, Sivakumar, Multiclass versus binary differentially private PAC learning."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import cache
from itertools import combinations, product
from math import comb, exp, log

from littlestone.dimension import (
    LabelTable,
    multiclass_littlestone_dimension,
    psi_b,
    psi_bin,
    psi_littlestone_dimension,
    psi_n,
    zero_cover_function,
)
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
