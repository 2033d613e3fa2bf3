"""Linear and affine subspaces against plain tables of all of them."""

from __future__ import annotations

import random
from itertools import product
from typing import Any

import pytest
from comparing import agree, walks

from each import each
from littlestone.base.errors import DeclarationError, ModelError
from littlestone.classes import AffineSubspaces, FiniteClass, LinearSubspaces, parse_class
from littlestone.classes.subspaces import Subspaces
from littlestone.data.sample import Sample
from littlestone.points import Domain, Grid, Product, Span, Vector, vector_space
from littlestone.points.matroids import known_blocking
from littlestone.prove.laws import yield_checks
from littlestone.rules import Hypothesis
from littlestone.theory.decomposition import reduces

COLUMNS = "xyzuv"


def subspaces(q: int, n: int, most: int) -> set[Span]:
    """All linear subspaces of rank at most ``most`` of GF(q)^n."""
    found = level = {Span(q, n)}
    for _ in range(most):
        level = {U.plus(v) for U in level for v in product(range(q), repeat=n) if v not in U}
        found = found | level
    return found


def table(H: Subspaces) -> tuple[FiniteClass, dict[tuple[int, ...], str]]:
    """All members of the class as the rows of a table."""
    names = {x: f"x{j}" for j, x in enumerate(H.domain)}
    spans = subspaces(H.inside.order, H.inside.width, H.most)
    if H.affine:  # those with a point, and the empty one
        spans = {U for U in spans if not U.rows or any(row[-1] for row in U.rows)}
    rows = [[int(H.embed(x) in U) for x in names] for U in spans]
    return FiniteClass.from_array(rows), names


SHAPES = [
    *[
        (LinearSubspaces, q, n, d)
        for q, n in [(2, 1), (2, 2), (2, 3), (3, 2)]
        for d in range(n + 1)
    ],
    *[(LinearSubspaces, *s) for s in [(2, 4, 1), (2, 4, 2), (2, 4, 3), (2, 4, 4), (3, 3, 1)]],
    *[(LinearSubspaces, *s) for s in [(3, 3, 2), (3, 3, 3), (4, 2, 1), (4, 2, 2), (5, 2, 1)]],
    *[
        (AffineSubspaces, q, n, d)
        for q, n in [(2, 1), (2, 2), (3, 1), (5, 1)]
        for d in range(n + 1)
    ],
    *[(AffineSubspaces, *s) for s in [(2, 3, 1), (2, 3, 2), (2, 3, 3), (3, 2, 1), (3, 2, 2)]],
    *[(AffineSubspaces, *s) for s in [(4, 2, 1), (2, 4, 2), (2, 4, 3), (5, 2, 1), (4, 1, 1)]],
]


@each(("kind", "q", "n", "d"), SHAPES)
def test_every_version_space_is_that_of_the_table(
    kind: type[Subspaces], q: int, n: int, d: int
) -> None:
    H = kind.over(COLUMNS[:n], q, d)
    whole, names = table(H)
    rng = random.Random(f"{kind} {q} {n} {d}")
    for V, T in walks(H, whole, names, times=12, rng=rng):
        agree(V, T, names)


@pytest.mark.parametrize("kind", [LinearSubspaces, AffineSubspaces])
def test_a_version_space_is_a_set_of_examples(kind: type[Subspaces]) -> None:
    """Neither their order nor which points span the positives leaves a trace."""
    H = kind.over("xyz", 5, 2)
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
    q = 2**61 - 1
    H = AffineSubspaces.over("wxyz", q, 3)
    rng = random.Random(1)
    V: AffineSubspaces = H
    for _ in range(40):
        V = V.restrict(V.domain.random_point(rng), 0)
    assert V.littlestone_dimension() == 4
    assert V.reducing_points(1000) is None
    assert V.soa().words() == "always 0"
    for _ in range(3):
        V = V.restrict(V.domain.random_point(rng), 1)
    assert V.littlestone_dimension() == 1
    assert V.size == 1 + sum(q**i for i in range(2)) - len(V.negatives)


def test_colouring_a_graph_is_a_question_about_subspaces() -> None:
    """A hyperplane of GF(3)^n avoids all e_u - e_v of the edges uv iff the graph has 3 colours."""

    def dimension(edges: list[tuple[int, int]], n: int) -> int:
        V: LinearSubspaces = LinearSubspaces.over([f"x{v}" for v in range(n)], 3, n - 1)
        for u, v in edges:
            V = V.restrict(tuple((j == u) + 2 * (j == v) for j in range(n)), 0)
        return V.littlestone_dimension()

    wheel = [(j, (j + 1) % 5) for j in range(5)] + [(j, 5) for j in range(5)]
    assert dimension(wheel, 6) == 4  # an odd wheel needs four colours
    assert dimension(wheel[:-1], 6) == 5


@pytest.mark.parametrize(("q", "n", "d"), [(2, 1, 1), (2, 2, 1), (2, 2, 2), (3, 1, 1), (3, 2, 1)])
def test_without_the_empty_set_the_dimension_is_less_for_one_or_two_points_only(
    q: int, n: int, d: int
) -> None:
    H = AffineSubspaces.over(COLUMNS[:n], q, d)
    T, names = table(H)
    rows = [[T.hypothesis(i)(name) for name in names.values()] for i in range(T.size)]
    nonempty = FiniteClass.from_array([row for row in rows if any(row)])
    points = list(names)
    for left in range(len(points) + 1):
        V, W = H, nonempty
        for x in points[left:]:
            V, W = V.restrict(x, 0), W.restrict(names[x], 0)
        few = left <= 1 or (left == 2 == q)
        assert W.littlestone_dimension() == V.littlestone_dimension() - few


ILLEGAL = [
    *["affine(x; q 6, dimension 1)", "affine(x; q 1, dimension 1)", "linear(x; q 3, dimension 2)"],
    *["linear(x, x; q 3, dimension 1)", "linear(x; q 3)", "linear(x; dimension 1)"],
    *[
        "linear(; q 3, dimension 0)",
        "affine(x; q 131072, dimension 1)",
        "affine(x; q -3, dimension 1)",
    ],
]


@pytest.mark.parametrize("text", ILLEGAL)
def test_illegal_texts_are_refused(text: str) -> None:
    with pytest.raises(DeclarationError):
        parse_class(text)


class LosesInfinity(AffineSubspaces):
    """A plausible slip: parallel subspaces meet at infinity, where there are no points."""

    def _intersection(self, U: Span, W: Span) -> Span:
        return U.intersection(W)


class NeedsOneMore(LinearSubspaces):
    """A plausible slip: an off-by-one in the theorem of Bose and Burton."""

    def _fewest_blocking(self) -> int:
        return super()._fewest_blocking() + 1


class ForgetsTheCore(LinearSubspaces):
    """A plausible slip: the SOA is taken for the span of the positives."""

    @property
    def _core(self) -> tuple[Vector, ...]:
        return ()


class TrustsTheKnownFlats(LinearSubspaces):
    """A plausible slip: points that meet the flats known so far are taken to meet all of them."""

    def _without(self, missed: tuple[Vector, ...]) -> Span | None:
        return super()._without(missed) if len(missed) < 2 else None


class ForgetsThatPointsMove(LinearSubspaces):
    """A plausible slip: what is known of a point that was placed never changes."""

    def _points_in(self, U: Span, among: tuple[Vector, ...] | None = None) -> tuple[Vector, ...]:
        return super()._points_in(U) if among is None else ()


def after_negatives(H: Subspaces) -> Subspaces:
    """A version space that three points reduce, and no set that is known to block."""
    for x in [(0, 1, 1, 0), (1, 1, 1, 1), (1, 0, 0, 0), (0, 1, 0, 1), (0, 0, 0, 1)]:
        H = H.restrict(x, 0)
    return H


# Of all lines, x = 0 and x = 1 are left.
PARALLEL = LosesInfinity.over("xy", 3, 1)
for third in range(3):
    PARALLEL = PARALLEL.restrict((2, third), 0)

PLANTED: list[tuple[Subspaces, str]] = [
    (PARALLEL, "soa_is_canonical"),
    (NeedsOneMore.over("xy", 2, 1), "irreducibility"),
    (ForgetsTheCore.over("xy", 2, 2), "soa_is_canonical"),
    (after_negatives(TrustsTheKnownFlats.over("wxyz", 2, 2)), "reducing_points_reduce"),
    (after_negatives(ForgetsThatPointsMove.over("wxyz", 2, 2)), "irreducibility"),
]


@pytest.mark.deep
@pytest.mark.parametrize(("H", "law"), PLANTED, ids=lambda value: type(value).__name__)
def test_planted_slips_are_caught(H: Subspaces, law: str) -> None:
    broken = set()
    for check in yield_checks(H):
        try:
            check()
        except AssertionError:
            broken.add(check.name)
    assert law in broken


@pytest.mark.parametrize(("q", "n", "rank"), [(2, 3, 2), (3, 2, 1), (3, 3, 2), (5, 2, 2)])
def test_a_part_of_a_known_blocking_set_is_completed(q: int, n: int, rank: int) -> None:
    """By as many points as are missing, and by no fewer."""
    plane = Span(q, n + 1)
    whole = known_blocking(plane, frozenset(), rank, q**n, affine=True)
    assert whole is not None
    for size in range(len(whole) + 1):
        given = frozenset(sorted(whole)[:size])
        missing = len(whole) - size
        assert known_blocking(plane, given, rank, missing, affine=True) == whole - given
        if missing:
            assert known_blocking(plane, given, rank, missing - 1, affine=True) is None


def test_known_blocking_sets_are_found_at_once() -> None:
    """n (q - 1) + 1 points block all affine hyperplanes, (q^(c+1) - 1)/(q - 1) all linear ones."""
    planes = AffineSubspaces.over("xyz", 101, 2)
    assert planes.reducing_points(300) is None
    assert len(planes.reducing_points(301) or []) == 301
    flats = LinearSubspaces.over("wxyz", 7, 2)
    assert flats.reducing_points(56) is None
    assert len(flats.reducing_points(57) or []) == 57


def test_the_search_for_reducing_points_does_not_grow_with_the_field() -> None:
    """Trying the points of a flat one by one would take 7^5 searches here, and 101^3 below."""
    rng = random.Random(5)
    V: Subspaces = LinearSubspaces.over("uvwxyz", 7, 5)
    for _ in range(8):
        V = V.restrict(V.domain.random_point(rng), 0)
    assert V.reducing_points(2) is None
    # Two points are left of a line that meets all hyperplanes: they reduce, and one does not.
    V = LinearSubspaces.over("wxyz", 101, 3)
    for a in range(100):
        V = V.restrict((1, a, 0, 0), 0)
    assert V.reducing_points(1) is None
    found = V.reducing_points(2)
    assert found is not None
    assert reduces(V, tuple((x, 0) for x in found))
    assert V.restrict((1, 0, 0, 1), 0).reducing_points(2) is not None


DAMAGED: list[tuple[Domain[Any], object]] = [
    (vector_space("xy", 3), [[1, 0, 3]]),
    (vector_space("xy", 3), [[1, 0]]),
    (vector_space("xy", 3), [[1, 0, True]]),
    (vector_space("xy", 3), "100"),
    (vector_space("xy", 3), None),
    (Product((Grid(0, 5, "x"),)), []),
    (Product((Grid(0, 2, "x"), Grid(0, 4, "y"))), []),
    (Grid(0, 2), []),
]


@pytest.mark.parametrize(("domain", "equations"), DAMAGED)
def test_damaged_flats_are_refused(domain: Domain[Any], equations: object) -> None:
    with pytest.raises(ModelError):
        Hypothesis.from_json({"kind": "Flat", "domain": domain.to_json(), "equations": equations})


def test_huge_records_are_listed_in_the_order_of_their_indices() -> None:
    small = vector_space("xyz", 3)
    assert [small.index(x) for x in small] == list(range(27))
    assert vector_space("xy", 2**61 - 1).examples(2) == [(0, 0), (0, 1)]
    assert vector_space([f"x{j}" for j in range(2000)], 2).examples(2)[1][-2:] == (0, 1)


def test_a_single_subspace_needs_no_negatives() -> None:
    V = LinearSubspaces.over("xy", 2, 1).restrict((1, 0), 1)
    assert V.restrict((0, 1), 0) == V


def test_an_error_ball_counts_nothing() -> None:
    """The version spaces of these many negatives would take minutes to count."""
    H = LinearSubspaces.over("abcdefgh", 101, 7)
    rng = random.Random(1)
    points = [tuple(rng.randrange(101) for _ in range(8)) for _ in range(25)]
    sample = Sample.from_examples(H.domain, [(x, int(x[-1] == 0)) for x in points])
    assert len(H.error_ball(sample, 0)) == 1
