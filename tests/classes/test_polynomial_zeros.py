"""Zero sets of polynomials against plain tables of all of them."""

from __future__ import annotations

import random
from functools import cache, cached_property
from itertools import combinations, product
from typing import Any

import pytest
from comparing import agree, walks

from littlestone.base.errors import DeclarationError, ModelError
from littlestone.classes import AffineSubspaces, FiniteClass, PolynomialZeros, parse_class
from littlestone.points import (
    Domain,
    Grid,
    Monomials,
    Span,
    Vector,
    field_of_order,
    scatter_points,
    vector_space,
)
from littlestone.prove.laws import yield_checks
from littlestone.rules import Hypothesis, ZeroSet, disagreement
from littlestone.theory.decomposition import reduces

COLUMNS = "xyzuv"
Names = dict[Vector, str]


@cache
def zero_sets(q: int, n: int, degree: int) -> frozenset[tuple[int, ...]]:
    """The labels of all zero sets, from the polynomials themselves: no reduced exponents, no spans."""
    F, points = field_of_order(q), list(product(range(q), repeat=n))
    exponents = [e for e in product(range(degree + 1), repeat=n) if sum(e) <= degree]

    def power(a: int, e: int) -> int:
        return F.multiply(a, power(a, e - 1)) if e else 1

    def monomial(x: Vector, e: Vector) -> int:
        value = 1
        for a, b in zip(x, e, strict=True):
            value = F.multiply(value, power(a, b))
        return value

    functions = {(0,) * len(points)}
    for e in exponents:
        values = [monomial(x, e) for x in points]
        functions |= {F.combine(f, c, values) for f in functions for c in range(1, q)}
    hypersurfaces = {sum((not a) << i for i, a in enumerate(f)) for f in functions}
    found, level = set(hypersurfaces), hypersurfaces
    while level:
        level = {a & b for a in level for b in hypersurfaces} - found
        found |= level
    return frozenset(tuple(bits >> i & 1 for i in range(len(points))) for bits in found)


def table(H: PolynomialZeros) -> tuple[FiniteClass, Names]:
    """All members of the class as the rows of a table."""
    names = {x: f"x{j}" for j, x in enumerate(H.domain)}
    rows = zero_sets(H.inside.order, len(H.domain.columns), H.degree)
    return FiniteClass.from_array([list(row) for row in sorted(rows)]), names


SHAPES = [
    *[(2, 1, 1), (2, 1, 3), (2, 2, 1), (2, 2, 2), (2, 3, 1), (2, 3, 2), (2, 3, 3), (3, 1, 1)],
    *[(3, 1, 2), (3, 2, 1), (3, 2, 2), (3, 2, 3), (4, 1, 1), (4, 1, 2), (4, 1, 3), (4, 2, 1)],
    *[(5, 1, 1), (5, 1, 2), (5, 1, 3), (5, 2, 1), (7, 1, 2), (7, 1, 3)],
]


@pytest.mark.parametrize(("q", "n", "degree"), SHAPES)
def test_every_version_space_is_that_of_the_table(q: int, n: int, degree: int) -> None:
    H = PolynomialZeros.over(COLUMNS[:n], q, degree)
    whole, names = table(H)
    assert H.size == whole.size
    rng = random.Random(f"{q} {n} {degree}")
    for V, T in walks(H, whole, names, times=16, rng=rng):
        agree(V, T, names)


@pytest.mark.parametrize(("q", "n"), [(2, 3), (3, 2), (5, 2), (101, 2)])
def test_degree_one_is_that_of_affine_subspaces(q: int, n: int) -> None:
    rng = random.Random(q)
    for _ in range(8):
        V: PolynomialZeros = PolynomialZeros.over(COLUMNS[:n], q, 1)
        W: AffineSubspaces = AffineSubspaces.over(COLUMNS[:n], q, n)
        for _ in range(rng.randrange(6)):
            x, y = V.domain.random_point(rng), int(rng.random() < 0.3)
            if not W.restrict(x, y).is_empty():
                V, W = V.restrict(x, y), W.restrict(x, y)
        assert (V.inside, V.negatives) == (W.inside, W.negatives)
        assert V.littlestone_dimension() == W.littlestone_dimension()
        assert V.size in (None, W.size)
        for x in [*V.domain.examples(10), *(V.domain.random_point(rng) for _ in range(10))]:
            assert V.soa_label(x) == W.soa_label(x)
        for k in (1, 2):
            assert (V.reducing_points(k) is None) == (W.reducing_points(k) is None)


def test_a_version_space_is_a_set_of_examples() -> None:
    H = PolynomialZeros.over("xy", 5, 2)
    rng = random.Random(3)
    for _ in range(30):
        examples = [(H.domain.random_point(rng), int(rng.random() < 0.3)) for _ in range(6)]
        V, W = H, H
        for x, y in examples:
            V = V.restrict(x, y)
        for x, y in reversed(examples):
            W = W.restrict(x, y)
        assert V == W
        assert hash(V) == hash(W)


def test_huge_fields_are_no_harder() -> None:
    V: PolynomialZeros = PolynomialZeros.over("xyz", 2**61 - 1, 2)
    assert (V.littlestone_dimension(), V.soa().words()) == (10, "always 1")
    rng = random.Random(1)
    for _ in range(40):
        V = V.restrict(V.domain.random_point(rng), 0)
    assert (V.littlestone_dimension(), V.soa().words()) == (9, "always 0")
    positives = [V.domain.random_point(rng) for _ in range(9)]
    for left, x in zip(reversed(range(9)), positives, strict=True):
        assert V.reducing_points(1000) is None
        V = V.restrict(x, 1)
        assert V.littlestone_dimension() == left
        assert V.size == (1 if left == 0 else None)
    soa = V.soa()  # the one quadric through nine points
    assert len(soa.equations) == 1
    assert all(map(soa, positives))
    root = PolynomialZeros.over("xyz", 2**61 - 1, 2).restrict((0, 0, 0), 0).mistake_point()
    assert root is not None
    assert root != (0, 0, 0)


def test_on_a_line_all_sets_of_few_points_are_zero_sets() -> None:
    """Where D points are left the flats of rank D are counted at a glance."""
    V: PolynomialZeros = PolynomialZeros.over("x", 101, 3)
    for a in range(60):
        V = V.restrict((a,), 0)
    assert V.littlestone_dimension() == 3
    assert V.size is None or V.size == 1 + 41 + 820 + 10660
    assert V.reducing_points(38) is None
    assert len(V.reducing_points(39) or []) == 39
    for a in range(60, 99):
        V = V.restrict((a,), 0)
    assert (V.littlestone_dimension(), V.size) == (2, 4)


@pytest.mark.parametrize(
    ("q", "n", "degree"),
    [(2, 3, 1), (2, 3, 2), (3, 2, 1), (3, 2, 2), (3, 2, 3), (4, 2, 1), (5, 1, 3), (5, 2, 1)],
)
def test_most_zeros_of_each_rank_are_attained(q: int, n: int, degree: int) -> None:
    """The numbers of Heijnen and Pellikaan, against all zero sets."""
    H = PolynomialZeros.over(COLUMNS[:n], q, degree)
    values = list(map(H.embed, H.domain))
    most = [0] * (H.inside.width + 1)
    for labels in zero_sets(q, n, degree):
        on = [v for v, y in zip(values, labels, strict=True) if y]
        rank = Span.from_vectors(q, H.inside.width, on).rank
        most[rank] = max(most[rank], len(on))
    assert most == [Monomials(q, n, degree).most_zeros(rank) for rank in range(len(most))]


ILLEGAL = [
    *["polynomial_zeros(x; q 6, degree 1)", "polynomial_zeros(x; q 3, degree 0)"],
    *["polynomial_zeros(x, x; q 3, degree 1)", "polynomial_zeros(; q 3, degree 1)"],
    *["polynomial_zeros(x; q 3)", "polynomial_zeros(x; q 3, degree -1)"],
    "polynomial_zeros(x, y, z; q 101, degree 100)",
    f"polynomial_zeros({', '.join(f'x{j}' for j in range(300))}; q 2, degree 300)",
]


@pytest.mark.parametrize("text", ILLEGAL)
def test_illegal_texts_are_refused(text: str) -> None:
    with pytest.raises(DeclarationError):
        parse_class(text)


def test_only_the_monomials_that_differ_as_functions_count() -> None:
    H = parse_class(f"polynomial_zeros(x, y; q 2, degree {10**20})")
    assert (H.littlestone_dimension(), H.size) == (4, 16)


def test_all_points_are_listed_once() -> None:
    for q, n in [(2, 1), (2, 4), (3, 3), (5, 2), (7, 1)]:
        for first in (0, 1, q**n + 5):
            assert sorted(scatter_points(q, n, first)) == list(product(range(q), repeat=n))


def test_zero_sets_of_two_functions_have_a_point_of_difference() -> None:
    plane = vector_space("xy", 7)
    circle = ZeroSet(plane, 2, ((1, 0, 1, 0, 0, 6),))
    other = ZeroSet(plane, 2, ((1, 0, 1, 0, 0, 5),))
    x = disagreement(circle, other)
    assert x is not None
    assert circle(x) != other(x)
    assert disagreement(circle, ZeroSet(plane, 2, ((2, 0, 2, 0, 0, 5),))) is None
    assert ZeroSet(plane, 2, ((0, 0, 0, 0, 0, 3), (1, 0, 0, 0, 0, 0))).words() == "always 0"
    assert ZeroSet(plane, 2, ()).words() == "always 1"
    huge = vector_space("x", 2**61 - 1)
    with pytest.raises(DeclarationError):
        ZeroSet(huge, 1, ((1, 5),)).witness(ZeroSet(huge, 1, ((1, 6),)))


DAMAGED: list[tuple[Domain[Any], object, object]] = [
    (vector_space("xy", 3), 1, [[1, 0, 3]]),
    (vector_space("xy", 3), 1, [[1, 0]]),
    (vector_space("xy", 3), 1, [[1, 0, True]]),
    (vector_space("xy", 3), 1, "100"),
    (vector_space("xy", 3), 0, []),
    (vector_space("xy", 3), "1", []),
    (vector_space("xy", 3), 10**9, [[1]]),
    (vector_space("xy", 3), 2, [[1, 0, 1, 0, 0, 0]]),  # x^2 + y^2 = 0 at 0 only, where x = 0 too
    (Grid(0, 2), 1, []),
]


@pytest.mark.parametrize(("domain", "degree", "equations"), DAMAGED)
def test_damaged_zero_sets_are_refused(
    domain: Domain[Any], degree: object, equations: object
) -> None:
    form = {"kind": "ZeroSet", "domain": domain.to_json(), "degree": degree}
    with pytest.raises(ModelError):
        Hypothesis.from_json({**form, "equations": equations})


class TakesSubspaces(PolynomialZeros):
    """A plausible slip: a subspace that no points span is taken for a flat."""

    @cached_property
    def _largest(self) -> tuple[Vector, ...]:
        left = self.inside.width - bool(self.negatives) - self.inside.rank
        return tuple(self._alive(frozenset()).values())[:left]


class ForgetsTheCore(PolynomialZeros):
    """A plausible slip: the negatives are taken for few on every field."""

    def _few(self, count: int) -> bool:
        return self._rank < self.most


class ForgetsCommonPoints(PolynomialZeros):
    """A plausible slip: the intersection of spans need not be spanned by the common points."""

    def _common(self, U: tuple[Vector, ...], W: tuple[Vector, ...]) -> tuple[Vector, ...]:
        return U[: self._span(U).intersection(self._span(W)).rank - self.inside.rank]


class NeedsOneMore(PolynomialZeros):
    """A plausible slip: too few points are believed to block."""

    def _known_blocking(self, k: int) -> frozenset[Vector] | None:
        blocking = super()._known_blocking(k + 1)
        return None if blocking is None else frozenset(sorted(blocking)[1:])


def after(H: PolynomialZeros, *examples: tuple[Vector, int]) -> PolynomialZeros:
    for x, y in examples:
        H = H.restrict(x, y)
    return H


# Of the conics over GF(3), those that the six points leave.
NEGATIVES = [((a, b), 0) for a, b in [(0, 0), (0, 1), (1, 0), (1, 1), (2, 2)]]
PLANTED: list[PolynomialZeros] = [
    after(TakesSubspaces.over("xy", 3, 2), *NEGATIVES),
    after(ForgetsTheCore.over("xy", 3, 2), *NEGATIVES),
    after(ForgetsCommonPoints.over("xy", 3, 2), *NEGATIVES[:3]),
    after(NeedsOneMore.over("x", 5, 2), ((0,), 0)),
]


@pytest.mark.deep
@pytest.mark.parametrize("H", PLANTED, ids=lambda H: type(H).__name__)
def test_planted_slips_are_caught(H: PolynomialZeros) -> None:
    broken = set()
    for check in yield_checks(H):
        try:
            check()
        except AssertionError:
            broken.add(check.name)
    assert broken
    sound = PolynomialZeros(H.domain, H.inside, H.negatives, degree=H.degree)
    for check in yield_checks(sound):
        if check.name in broken:
            check()


def test_reducing_points_are_found_after_negatives() -> None:
    """Two points that reduce are checked, and that there are none by all pairs of the points left."""
    answers = []
    for q, degree, seed in product((3, 4, 5), (1, 2), range(3)):
        rng = random.Random(seed)
        V = PolynomialZeros.over("xy", q, degree)
        for _ in range(q * q // 2 - rng.randrange(q)):
            W = V.restrict(V.domain.random_point(rng), 0)
            V = V if W.littlestone_dimension() < 2 else W
        found = V.reducing_points(2)
        answers.append(len(found or ()))
        if found is not None:
            assert reduces(V, tuple((x, V.soa_label(x)) for x in found))
            continue
        left = [x for x in V.domain if not V.restrict(x, 1).is_empty()]
        for pair in combinations(left, 2):
            assert not reduces(V, tuple((x, V.soa_label(x)) for x in pair))
    assert set(answers) == {0, 1, 2}


def test_conics_after_negatives_answer_at_once() -> None:
    rng = random.Random(5)
    V = PolynomialZeros.over("xy", 7, 3)
    for _ in range(6):
        V = V.restrict(V.domain.random_point(rng), 0)
    assert V.reducing_points(2) is None
