"""Dimensions against tables: BLM20, section 1, its algebraic examples; certificates of dimensions."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from itertools import combinations, product
from math import prod
from operator import mul

from littlestone.base.errors import DeclarationError
from littlestone.classes import AffineSubspaces, FiniteClass, LinearSubspaces, PolynomialZeros
from littlestone.dimension import Certificate, littlestone_bounds
from littlestone.dimension.tree import MistakeTree
from littlestone.prove.papers.definitions import ldim
from littlestone.prove.papers.statement import Outcome, Trial, statement

Vectors = list[tuple[int, ...]]
SHAPES = [(2, 1), (2, 2), (2, 3), (3, 1), (3, 2), (5, 1)]  # (q, n), q prime


def _points(q: int, n: int) -> Vectors:
    return list(product(range(q), repeat=n))


def _hull(points: Iterable[tuple[int, ...]], q: int, n: int, *, affine: bool) -> frozenset[int]:
    """The numbers of the points that are combinations of the given ones; affine ones add up to 1."""
    spanning, inside = list(points), set()
    everything = {x: i for i, x in enumerate(_points(q, n))}
    for weights in product(range(q), repeat=len(spanning)):
        if not affine or sum(weights) % q == 1:
            sums = (sum(a * x[j] for a, x in zip(weights, spanning, strict=True)) for j in range(n))
            inside.add(everything[tuple(s % q for s in sums)])
    return frozenset(inside)


def _dimension(sets: Iterable[frozenset[int]], points: int) -> int:
    """LDim of the indicators of the sets, as a table."""
    return FiniteClass.from_array(
        [[int(i in members) for i in range(points)] for members in set(sets)]
    ).littlestone_dimension()


@statement("BLM20 section 1, Littlestone classes", "mended")
def subspaces(trial: Trial) -> Outcome:
    """The sets are hulls of at most d + 1 or d points, listed here, with and without the empty set.

    says: affine subspaces of dimension at most d have LDim d + 1, linear ones d
    scope: all d <= n for GF(q)^n with (q, n) = (2, 1), (2, 2), (2, 3), (3, 1), (3, 2), (5, 1)
    deep: and (2, 4)
    stated: d + 1 with the empty set, against the d of the paper; d for linear ones
    code: classes.AffineSubspaces, classes.LinearSubspaces
    proof: proofs/algebraic-classes.md#the-dimension
    """
    wrong, cases, lower = 0, 0, []
    for q, n in [*SHAPES, *[(2, 4)][: trial.pick(0, 1)]]:
        points = _points(q, n)
        hulls: list[set[frozenset[int]]] = [set(), set()]
        columns = [f"x{j}" for j in range(n)]
        for d in range(n + 1):
            for spanning in combinations(points, d):
                hulls[0].add(_hull(spanning, q, n, affine=False))
            for spanning in combinations(points, d + 1):
                hulls[1].add(_hull(spanning, q, n, affine=True))
            linear, affine = (
                kind.over(columns, q, d).littlestone_dimension()
                for kind in (LinearSubspaces, AffineSubspaces)
            )
            found = (
                _dimension(hulls[0], len(points)),
                _dimension([*hulls[1], frozenset()], len(points)),
            )
            cases += 1
            wrong += (linear, affine) != found or found != (d, d + 1)
            if _dimension(hulls[1], len(points)) == d:
                lower.append(f"GF({q})^{n}, d = {d}")
    return Outcome(
        f"{wrong} of {cases} tables have another LDim; without the empty set it is d in "
        f"{len(lower)}: {', '.join(lower)}",
        wrong == 0 < cases,
    )


@statement("BLM20 section 1, Littlestone classes", "changed")
def zero_sets() -> Outcome:
    """The sets are the common zeros of all systems of polynomials, listed here.

    says: zero sets of polynomials have as LDim the number of monomials
    scope: degree 1 and 2 over GF(2)^2, GF(2)^3 and GF(3), and degree 1 over GF(3)^2
    stated: finite: C(n + D, D) for degree D < q
    code: classes.PolynomialZeros
    proof: proofs/algebraic-classes.md#the-dimension
    """
    wrong, shown = 0, []
    for q, n, degree in [
        (2, 2, 1),
        (2, 2, 2),
        (2, 3, 1),
        (2, 3, 2),
        (3, 1, 1),
        (3, 1, 2),
        (3, 2, 1),
    ]:
        points = _points(q, n)
        monomials = [powers for powers in product(range(q), repeat=n) if sum(powers) <= degree]
        values = [
            [prod(a**e for a, e in zip(x, m, strict=True)) for m in monomials] for x in points
        ]
        sets = {frozenset(range(len(points)))}
        for c in product(range(q), repeat=len(monomials)):
            zeros = {i for i, v in enumerate(values) if not sum(map(mul, c, v)) % q}
            sets |= {members & zeros for members in sets}
        H = PolynomialZeros.over([f"x{j}" for j in range(n)], q, degree)
        found = _dimension(sets, len(points))
        wrong += not found == H.littlestone_dimension() == len(monomials)
        shown.append(str(found))
    return Outcome(
        f"{wrong} of {len(shown)} tables have another LDim than monomials: {', '.join(shown)}",
        wrong == 0,
    )


@statement("Certificates")
def certificates(trial: Trial) -> Outcome:
    """Writes and checks a certificate for each table, and then says less with the same proof.

    says: a certificate proves the dimension, and nothing below it, also after changes
    scope: random tables, against the definition; each certificate changed in 20 ways
    deep: 1,000 tables in place of 40
    stated: no false bound is proved
    code: dimension.Certificate
    proof: proofs/certificates.md#the-claims, proofs/machine-checked.md#certificates
    """
    rng = trial.array(2041)
    proved = wrong = refused = 0
    for _ in range(trial.pick(40, 1000)):
        rows = int(rng.integers(2, 15))
        table = (rng.random((rows, 5)) < rng.choice([0.3, 0.5])).astype(int)
        d = ldim(frozenset(int("".join(map(str, row)), 2) for row in table.tolist()), 5)
        honest = Certificate.of(table, littlestone_bounds(table))
        found = [verdict.proved for verdict in honest.check(table)]
        wrong += (honest.lower, honest.upper) != (d, d)
        proved += found == [True, True]
        if d > 0:
            leaf, leaves = MistakeTree((), (0,)), honest.tree.leaves
            lower = replace(honest, lower=0, upper=d - 1, tree=leaf)
            exchanged = MistakeTree(honest.tree.points, (*leaves[:-2], leaves[-1], leaves[-2]))
            wrong += lower.check(table)[1].proved is True
            wrong += replace(honest, tree=exchanged).check(table)[0].proved is True
        data = honest.to_bytes()
        for _ in range(20):
            changed = bytearray(data)
            changed[int(rng.integers(58, len(data)))] = int(rng.integers(32))
            try:
                read = Certificate.read(bytes(changed))
            except DeclarationError:
                refused += 1
                continue
            below, above = (verdict.proved is True for verdict in read.check(table))
            wrong += (below and read.lower > d) or (above and read.upper < d)
            refused += not (below and above)
    count = trial.pick(40, 1000)
    return Outcome(
        f"{proved} of {count} proved, {wrong} false bounds, {refused:,} changes refused",
        proved == count and wrong == 0,
    )
