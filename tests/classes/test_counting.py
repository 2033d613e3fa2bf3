"""Hypotheses that are counted by their errors: the law is that of the whole class, one by one."""

from __future__ import annotations

import random
from collections.abc import Iterable
from fractions import Fraction
from itertools import combinations_with_replacement, product
from math import prod
from typing import Any

import numpy as np
import pytest

from littlestone import core
from littlestone.base.errors import DeclarationError, ModelError, TooLargeError
from littlestone.classes import (
    FiniteClass,
    HypothesisClass,
    Intervals,
    LinearSubspaces,
    PolynomialZeros,
    combined,
    intervals,
    juntas,
    parse_class,
)
from littlestone.classes.base import ScoredClass
from littlestone.classes.boxes import Boxes
from littlestone.classes.combined import Combined, ScoredPairs
from littlestone.classes.conjunctions import Conjunctions
from littlestone.classes.counting import blocks, flat_counts
from littlestone.classes.counting.zero_sets import number_of, zero_sets
from littlestone.classes.decision_lists import CountedLists, DecisionLists, lists_of
from littlestone.classes.juntas import CountedJuntas, Juntas
from littlestone.classes.promises import counted as box_counts
from littlestone.classes.promises.counted import CountedBoxes
from littlestone.classes.promises.flats import Flats
from littlestone.classes.promises.tabled import bits
from littlestone.classes.stumps import CountedStumps, Stumps
from littlestone.classes.union import ScoredUnion, Union
from littlestone.data.sample import Sample
from littlestone.learn import ExponentialLearner
from littlestone.learn.plan import choose_learner
from littlestone.points import Grid, Monomials, Product, Span
from littlestone.privacy import Budget
from littlestone.privacy.ledger import Ledger
from littlestone.privacy.scores import ErrorRuns, total
from littlestone.rules import Box, FewColumns, Hypothesis

Labels = tuple[int, ...]
Law = dict[Labels, Fraction]


def some_sample(H: HypothesisClass[Any], n: int, seed: int) -> Sample[Any]:
    rng = random.Random(seed)
    examples = [(H.domain.random_point(rng), rng.randrange(2)) for _ in range(n)]
    return Sample.from_examples(H.domain, examples)


def listed(rows: Iterable[Labels], sample: Sample[Any], domain: Any) -> Law:
    """The definition: each function of a list of labels, by its errors."""
    base, law = ExponentialLearner(Intervals.on(0, 1), Budget(1)).mechanism.base, Law()
    places, counts = [domain.index(x) for x in sample.points], sample.counts.tolist()
    for row in rows:
        wrong = sum(n[1 - row[i]] for i, n in zip(places, counts, strict=True))
        assert row not in law
        law[row] = base**-wrong
    total = sum(law.values())
    return {row: weight / total for row, weight in law.items()}


def runs_of(scores: Any) -> list[Any]:
    """All runs of equal errors in sums of sums."""
    if isinstance(scores, ErrorRuns):
        return [scores]
    parts = (part for parts in scores.groups for part in parts)
    return [run for part in parts for run in runs_of(part)]


def counted(H: Any, sample: Sample[Any]) -> Law:
    for runs in runs_of(H.scores(sample)):
        assert runs.lengths is None or min(runs.lengths) > 0
    law = ExponentialLearner(H, Budget(1)).distribution(sample)
    found = {tuple(map(h, H.domain)): mass for h, mass in law.items()}
    assert len(found) == len(law)  # equal functions are one object
    return found


def rows_of(H: HypothesisClass[Any]) -> list[Labels]:
    """All functions of a class, by restricting it; or of its table."""
    waiting: list[tuple[HypothesisClass[Any], Labels]] = [(H, ())]
    for x in H.domain:
        sides = [(V.restrict(x, y), (*labels, y)) for V, labels in waiting for y in (0, 1)]
        waiting = [(V, labels) for V, labels in sides if not V.is_empty()]
    return [labels for _, labels in waiting]


def flats_of(H: Flats) -> list[Labels]:
    """All flats, from the spans of points."""
    vectors = [H.embed(x) for x in H.domain]
    spans = new = {Span(H.inside.order, H.inside.width)}
    for _ in range(H.most):
        new = {U.plus(v) for U in new for v in vectors}
        spans = spans | new
    return [tuple(int(v in U) for v in vectors) for U in spans]


@pytest.mark.parametrize("near", [1, 2, 32])
@pytest.mark.parametrize("exact", [1, 1 << 31])
def test_intervals(near: int, exact: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(intervals, "_NEAR", near)
    monkeypatch.setattr(intervals, "_EXACT", exact)
    whole = Intervals.on(-2, 9)
    gaps = whole.restrict(3, 0).restrict(-2, 0)
    for H in (Intervals.on(4, 4), whole, gaps, whole.restrict(3, 1), gaps.restrict(6, 1)):
        for n in (0, 1, 9, 40):
            sample = some_sample(H, n, seed=n)
            assert counted(H, sample) == listed(rows_of(H), sample, H.domain)


@pytest.mark.parametrize("size", [2**31 - 1, 2**31, 2**34, 2**39, 2**62])
def test_all_intervals_of_long_ranges_are_counted(size: int) -> None:
    """No product of two runs of ends exceeds its type."""
    H = Intervals.on(-5, size - 6)
    for points in ([], [7], [-5, size // 2, size - 6], range(0, size, size // 70)):
        sample = Sample.from_examples(H.domain, [(x, x % 2) for x in points])
        groups: Any = H.scores(sample).groups
        found = sum(prod(total(runs.lengths) for runs in group) for group in groups)
        assert found == H.size == size * (size + 1) // 2 + 1


@pytest.mark.parametrize(
    "text",
    [
        "direct_sum(thresholds(x, 0..2), thresholds(y, 0..1))",
        "direct_sum(intervals(x, 0..3), conjunctions(a, b), thresholds(y, 0..1))",
        "direct_sum(linear(x, y; q 2, dimension 1), direct_sum(intervals(a, 0..2), parities(b)))",
        "complement(intervals(x, 0..6))",
    ],
)
def test_sums_and_complements(text: str) -> None:
    H = parse_class(text)
    assert isinstance(H, ScoredClass)
    for n in (0, 5, 30):
        sample = some_sample(H, n, seed=n)
        law = counted(H, sample)
        assert len(law) == H.forms == H.size
        assert law == listed(rows_of(H), sample, H.domain)


def test_directions_in_many_blocks(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(flat_counts, "_LOOKS", 30)  # with 10 points, 3 directions in a block
    for text in ("linear(x, y, z; q 3, dimension 2)", "affine(x, y; q 5, dimension 1)"):
        H: Any = parse_class(text)
        sample = some_sample(H, 10, seed=1)
        assert counted(H, sample) == listed(flats_of(H), sample, H.domain)


def subspaces(q: int, m: int, r: int) -> Fraction:
    """The number of r-dimensional subspaces of GF(q)^m."""
    factors = (Fraction(q ** (m - i) - 1, q ** (i + 1) - 1) for i in range(r))
    return prod(factors, start=Fraction(1))


@pytest.mark.parametrize(
    ("q", "width", "most", "affine"), [(3, 3, 3, False), (2, 5, 3, False), (5, 3, 3, True)]
)
def test_a_record_takes_a_step_for_each_direction_and_each_product(
    q: int, width: int, most: int, affine: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The limit is met by the definition: the direction spaces on all levels."""
    steps = sum(
        subspaces(q, m, r) * (1 + r * (m - r))
        for m in ([width - 1] if affine else range(width))
        for r in range(1, min(most, m + 1))
    )
    for limit in (int(steps), int(steps) - 1):
        monkeypatch.setattr(flat_counts, "MOST_STEPS", limit)
        assert flat_counts.is_countable(q, width, most, affine=affine) == (limit == steps)


@pytest.mark.parametrize("kind", ["linear", "affine"])
@pytest.mark.parametrize(("q", "n"), [(2, 1), (2, 3), (3, 2), (4, 2), (5, 2)])
def test_subspaces(kind: str, q: int, n: int) -> None:
    for d in range(n + 1):
        H: Any = parse_class(f"{kind}({', '.join('xyz'[:n])}; q {q}, dimension {d})")
        rows = flats_of(H)
        assert len(rows) == H.forms
        for m in (0, 1, 25):
            sample = some_sample(H, m, seed=m)
            assert counted(H, sample) == listed(rows, sample, H.domain)


@pytest.mark.parametrize(
    "text",
    [
        "polynomial_zeros(x, y; q 3, degree 1)",
        "polynomial_zeros(x; q 5, degree 1)",
        "polynomial_zeros(x; q 5, degree 3)",
        "polynomial_zeros(x; q 5, degree 4)",
        "polynomial_zeros(x; q 4, degree 9)",
        "polynomial_zeros(x; q 7, degree 2)",
        "polynomial_zeros(x, y; q 3, degree 2)",
        "polynomial_zeros(x, y, z; q 2, degree 2)",
        "polynomial_zeros(x, y; q 2, degree 2)",
        "polynomial_zeros(x, y; q 3, degree 3)",
    ],
)
def test_polynomial_zeros(text: str) -> None:
    H: Any = parse_class(text)
    rows = flats_of(H)
    assert len(rows) == H.forms
    for n in (0, 1, 20):
        sample = some_sample(H, n, seed=n)
        assert counted(H, sample) == listed(rows, sample, H.domain)


@pytest.mark.parametrize(
    ("q", "degree", "count"), [(4, 2, 2196), (5, 3, 1050452), (5, 5, 32587007)]
)
def test_listed_zero_sets_are_closed(q: int, degree: int, count: int) -> None:
    """A set is listed iff each point outside is outside of the span, by exact linear algebra."""
    sets, monomials = zero_sets(q, 2, degree), Monomials(q, 2, degree)
    assert number_of(sets) == count
    vectors = list(map(monomials.at, product(range(q), repeat=2)))
    rng = random.Random(1)
    for size in range(q * q + 1):
        some = rng.sample(range(q * q), size)
        span = Span.from_vectors(q, len(monomials), [vectors[i] for i in some])
        closure = sum(1 << i for i, v in enumerate(vectors) if v in span)
        mask = sum(1 << i for i in some)
        assert sets[closure // 8] >> closure % 8 & 1
        assert sets[mask // 8] >> mask % 8 & 1 == (mask == closure)


SMALL = [
    [Grid(0, 3, "a"), Grid(-2, 2, "b")],
    [Grid(1, 2, "a"), Grid(0, 1, "b"), Grid(0, 1, "c"), Grid(0, 1, "d")],
    [Grid(0, 5, "x")],
    [Grid(0, 2, "a"), Grid(4, 4, "b"), Grid(0, 1, "c")],
]


@pytest.mark.parametrize("most", [1 << 22, 8])
@pytest.mark.parametrize("grids", SMALL, ids=str)
def test_boxes(most: int, grids: list[Grid], monkeypatch: pytest.MonkeyPatch) -> None:
    """With few and with many blocks, whose places are known up to a group."""
    monkeypatch.setattr(box_counts, "_LISTED", most)
    monkeypatch.setattr(blocks, "_GROUPS", 3)
    H, table = CountedBoxes(Product(tuple(grids)), "boxes"), Boxes.over(grids)
    assert H.size == table.size
    for n in (0, 1, 7, 30):
        sample = some_sample(H, n, seed=n)
        assert counted(H, sample) == counted(table, sample)


@pytest.mark.parametrize("shape", [(3, 6, 6, 6, 6), (3, 6, 6, 6, 2, 2, 2), (3, 4), (2, 2, 2)])
def test_boxes_of_many_columns_are_all_summed(shape: tuple[int, ...]) -> None:
    """More than are summed at once: the intervals of the first columns are taken one by one."""
    weights = np.random.default_rng(len(shape)).integers(-5, 7, shape).astype(np.int32)
    sums = weights.astype(np.int64)
    for axis, size in enumerate(shape):
        first, last = np.triu_indices(size)
        zero = np.zeros_like(sums.take([0], axis=axis))
        below = np.concatenate([zero, sums.cumsum(axis=axis)], axis=axis)
        sums = below.take(last + 1, axis=axis) - below.take(first, axis=axis)
    low, high = int(weights[weights < 0].sum()), int(weights[weights > 0].sum())
    found = np.zeros(high - low + 1, np.int64)
    core.count_boxes(weights.ravel(), np.array(shape), -low, found)
    assert found.tolist() == np.bincount((sums - low).ravel(), minlength=len(found)).tolist()


@pytest.mark.parametrize("monotone", [False, True])
def test_conjunctions(monotone: bool) -> None:
    for n in (1, 2, 3, 4):
        table = Conjunctions.over_columns("abcd"[:n], monotone=monotone)
        H = CountedBoxes(table.domain, "conjunctions", monotone)
        assert (H.size, H.littlestone_bounds()[0]) == (table.size, n + (not monotone))
        for m in (0, 1, 9):
            sample = some_sample(H, m, seed=m)
            assert counted(H, sample) == counted(table, sample)
            assert min(min(runs.errors) for runs in runs_of(H.scores(sample))) == min(
                table.error_runs(sample).errors
            )


def test_boxes_are_found_again_whatever_they_weigh(monkeypatch: pytest.MonkeyPatch) -> None:
    """Weights that need all of their 32 bits on the way, in few blocks and in many."""
    rng = np.random.default_rng(1)
    domain = Product((Grid(0, 2, "a"), Grid(5, 6, "b"), Grid(0, 1, "c")))
    points = tuple(domain)
    counts = rng.integers(0, 2**20, (len(points), 2))
    sample = Sample(domain, points, counts)
    weights = box_counts.cells(sample, [3, 2, 2], [0, 5, 0])
    assert weights.ravel().tolist() == (counts[:, 0] - counts[:, 1]).tolist()
    for most in (1 << 22, 8):
        monkeypatch.setattr(box_counts, "_LISTED", most)
        boxes, found = box_counts.BoxCounts(weights, 7), set[Any]()
        for block in range(boxes.blocks):
            for errors, count in zip(*boxes.tally(block), strict=True):
                for index in range(count):
                    item = boxes.item(block, int(errors), index)
                    inside = weights[tuple(slice(a, b + 1) for a, b in item)]
                    assert errors == 7 + inside.sum()
                    found.add(item)
        assert len(found) == box_counts.boxes_on([3, 2, 2])


@pytest.mark.parametrize(("n", "k"), [(1, 0), (1, 1), (3, 1), (4, 2), (3, 3), (4, 3)])
def test_juntas(n: int, k: int) -> None:
    """A function that depends on fewer than k columns is counted once, not at each set of k."""
    table = Juntas.over_columns("abcd"[:n], k)
    H = CountedJuntas(table.domain, "juntas", k)
    low, high = H.littlestone_bounds()
    assert H.size == table.size
    assert low <= table.littlestone_dimension() <= high
    for m in (0, 1, 9):
        sample = some_sample(H, m, seed=m)
        assert counted(H, sample) == counted(table, sample)


def test_blocks_of_juntas(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each block has one set of columns, and places are known up to a group of blocks."""
    monkeypatch.setattr(juntas, "_AT_ONCE", 1)
    monkeypatch.setattr(blocks, "_GROUPS", 3)
    table = Juntas.over_columns("abcde", 2)
    H = CountedJuntas(table.domain, "juntas", 2)
    sample = some_sample(H, 20, seed=1)
    assert counted(H, sample) == counted(table, sample)


def test_functions_of_few_columns() -> None:
    domain = Product((Grid(0, 1, "a"), Grid(3, 3, "b"), Grid(0, 2, "c")))
    every = [
        FewColumns(domain, chosen, labels)
        for chosen in ((), (0,), (2,), (0, 1), (0, 2))
        for labels in product(
            (0, 1), repeat={(): 1, (0,): 2, (2,): 3, (0, 1): 2, (0, 2): 6}[chosen]
        )
    ]
    assert len(set(every)) == 2**6  # the functions of a and c
    for f in set(every):
        assert Hypothesis.from_json(f.to_json()) == f
        for g in set(every):
            x = f.witness(g)
            assert (x is None) == (f == g) == all(f(z) == g(z) for z in domain)
            assert x is None or f(x) != g(x)
    good = every[-2].to_json()
    for damage in (
        {"columns": [2, 0]},
        {"columns": [0, 1, 2]},
        {"columns": [0, 3]},
        {"labels": "01"},
    ):
        with pytest.raises(ModelError):
            Hypothesis.from_json({**good, **damage})


@pytest.mark.parametrize("n", [1, 2, 3, 4])
def test_decision_lists(n: int) -> None:
    table = DecisionLists.over_columns("abcd"[:n])
    H = CountedLists(table.domain, "lists")
    assert H.size == table.size
    for m in (0, 1, 9, 30) if n < 4 else (12,):
        sample = some_sample(H, m, seed=m)
        assert counted(H, sample) == counted(table, sample)


def test_numbers_of_decision_lists() -> None:
    """The numbers that listing them gave."""
    assert [lists_of(n) for n in (4, 5)] == [1050, 15036]
    assert CountedLists(bits("abcde"), "lists").littlestone_bounds() == (12, 13)


def test_a_union_draws_a_function_as_often_as_its_parts_have_it() -> None:
    parts: list[Any] = [parse_class(f"{kind}(x, 0..4)") for kind in ("thresholds", "intervals")]
    H = ScoredUnion(parts[0].domain, tuple(parts))
    assert H.forms == 6 + 16
    low, high = H.littlestone_bounds()
    assert low <= Union.of_parts(parts).littlestone_dimension() <= high
    learner = ExponentialLearner(H, Budget(1))
    for n in (0, 1, 12):
        sample = some_sample(H, n, seed=n)
        weights: dict[Hypothesis[Any], Fraction] = {}
        for part in parts:
            for h in map(part.hypothesis, range(part.size)):
                errors = sum(
                    n[1 - h(x)] for x, n in zip(sample.points, sample.counts.tolist(), strict=True)
                )
                weights[h] = weights.get(h, Fraction(0)) + learner.mechanism.base**-errors
        total = sum(weights.values())
        assert learner.distribution(sample) == {h: w / total for h, w in weights.items()}


@pytest.mark.parametrize("op", ["and", "or", "xor"])
def test_pairs_are_drawn_as_often_as_they_make_a_function(
    op: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(combined, "_AT_ONCE", 32)
    F: Any = parse_class("thresholds(x, 0..4)")
    G: Any = parse_class("complement(intervals(x, 0..4))")
    H, table = ScoredPairs(F.domain, op, F, G), Combined.combine(op, F, G)
    assert H.forms == 6 * 16
    low, high = H.littlestone_bounds()
    assert low <= table.littlestone_dimension() <= high
    learner = ExponentialLearner(H, Budget(1))
    for n in (0, 1, 12):
        sample = some_sample(H, n, seed=n)
        weights: dict[Labels, Fraction] = {}
        for f, g in product(F.table().tolist(), G.table().tolist()):
            labels = tuple(map(int, combined.OPERATIONS[op](f, g)))
            counts = zip(sample.points, sample.counts.tolist(), strict=True)
            errors = sum(c[1 - labels[F.domain.index(x)]] for x, c in counts)
            weights[labels] = weights.get(labels, Fraction(0)) + learner.mechanism.base**-errors
        total = sum(weights.values())
        assert counted(H, sample) == {row: w / total for row, w in weights.items()}


@pytest.mark.parametrize(("op", "low"), [("and", 0), ("or", 0), ("xor", 1)])
def test_a_part_that_changes_nothing_bounds_the_dimension_of_pairs(op: str, low: int) -> None:
    F: Any = parse_class("intervals(x, 0..4)")
    found = ScoredPairs(F.domain, op, F, F).littlestone_bounds()[0]
    assert F.littlestone_dimension() <= found <= Combined.combine(op, F, F).littlestone_dimension()
    G = FiniteClass.from_array([[0, 1], [1, 0]])  # without constants
    found = ScoredPairs(G.domain, op, G, G).littlestone_bounds()[0]
    assert low <= found <= Combined.combine(op, G, G).littlestone_dimension()


def test_pairs_beyond_a_table_are_scored() -> None:
    text = "combine(or, thresholds(x, 0..999), complement(thresholds(x, 0..999)))"
    H: Any = parse_class(text)
    assert isinstance(H, ScoredPairs)
    assert parse_class(str(H)) == H
    longer: Any = parse_class(text.replace("0..999", "0..2999"))
    with pytest.raises(TooLargeError, match="at most 4,194,304 pairs"):
        longer.require_scorable()
    with pytest.raises(DeclarationError, match="more than 65536"):
        parse_class("combine(or, thresholds(x, 0..99999), thresholds(x, 0..99999))")


def test_a_union_beyond_a_table_is_scored() -> None:
    text = "union(thresholds(x, 0..1152921504606846975), intervals(x, 0..1152921504606846975))"
    H: Any = parse_class(text)
    assert isinstance(H, ScoredUnion)
    assert str(H) == text
    assert parse_class(str(H)) == H
    with pytest.raises(TooLargeError, match="too many hypotheses for a table"):
        H.soa()
    with pytest.raises(DeclarationError):
        parse_class("union(points(x), subsets(x; at most 2))")


def test_weights_of_any_size_are_counted() -> None:
    """The compiled counter notes small weights by a code and counts the others at once."""
    H, table = (
        CountedBoxes(Product(tuple(Grid(0, 1, c) for c in "abcd")), "boxes"),
        Boxes.over([Grid(0, 1, c) for c in "abcd"]),
    )
    rng = np.random.default_rng(2)
    for most in (2, 5, 40):
        points = tuple(H.domain)
        sample = Sample(H.domain, points, rng.integers(0, most, (len(points), 2)))
        found: Any = H.scores(sample)
        errors = np.sort(table.error_runs(sample).errors)
        laid, runs = [(int(sample.positives.sum()), 1)], found.groups[1][0]
        laid += zip(runs.errors.tolist(), runs.lengths, strict=True)
        assert sorted(e for e, length in laid for _ in range(length)) == errors.tolist()


@pytest.mark.parametrize("grids", [SMALL[0], [Grid(5, 5, "w"), Grid(0, 1, "b")]], ids=str)
def test_stumps(grids: list[Grid]) -> None:
    table = Stumps.over(grids)
    H = CountedStumps(table.domain, "stumps", table)
    for n in (0, 1, 9):
        sample = some_sample(H, n, seed=n)
        assert counted(H, sample) == counted(table, sample)


def test_zero_sets_are_met_again_and_again() -> None:
    """Two planes meet in a line, three in a point."""
    assert number_of(zero_sets(2, 3, 1)) == len(
        rows_of(parse_class("affine(x, y, z; q 2, dimension 3)"))
    )


def test_bounds_of_boxes_hold() -> None:
    for grids in SMALL:
        low, high = CountedBoxes(Product(tuple(grids)), "boxes").littlestone_bounds()
        assert low <= Boxes.over(grids).littlestone_dimension() <= high


LARGE = [
    ("intervals(x, 0..1048575)", 749),
    ("direct_sum(thresholds(x, 0..99), thresholds(y, 0..99))", 305),
    ("linear(x, y, z; q 101, dimension 1)", 305),
    ("linear(x, y; q 1000003, dimension 1)", 419),
    ("linear(w, x, y, z; q 101, dimension 2)", 536),
    ("affine(x, y, z; q 101, dimension 2)", 536),
    ("polynomial_zeros(x, y; q 101, degree 1)", 322),
    ("polynomial_zeros(x, y; q 5, degree 2)", 308),
    ("polynomial_zeros(x, y; q 5, degree 3)", 421),
    (f"conjunctions({', '.join(f'c{j}' for j in range(20))})", 622),
    (f"conjunctions({', '.join(f'c{j}' for j in range(20))}; monotone)", 420),
    ("boxes(x 1..24, y 1..31)", 372),
    ("union(boxes(x 1..24, y 1..31), stumps(x 1..24, y 1..31))", 372),
    ("stumps(a 0..99, b 0..99, c 0..99, d 0..99, e 0..99)", 247),
    (f"parities({', '.join(f'c{j}' for j in range(20))})", 420),
    (f"juntas({', '.join(f'c{j}' for j in range(20))}; k 3)", 385),
    ("decision_lists(a, b, c, d, e, f, g)", 461),
]


@pytest.mark.parametrize(("text", "n"), LARGE, ids=[text.split("(")[0] for text, _ in LARGE])
def test_a_large_class_is_learned_by_counting(text: str, n: int) -> None:
    """`auto` takes the exponential mechanism, and spends epsilon alone."""
    H = parse_class(text)
    learner, _ = choose_learner(H, Budget(1), setting="realizable")
    assert isinstance(learner, ExponentialLearner)
    bound = learner.plan(0.1, 0.05, setting="realizable")
    assert bound.n == n


@pytest.mark.parametrize(
    "text",
    [text for text, _ in LARGE if not text.startswith(("conjunctions", "linear(w", "affine"))],
)
def test_large_classes_find_a_rule(text: str) -> None:
    H: Any = parse_class(text)
    rng = random.Random(3)
    xs = [H.domain.random_point(rng) for _ in range(400)]
    sample = Sample.from_examples(H.domain, [(x, 0) for x in xs])
    release = ExponentialLearner(H, Budget(100)).fit(sample, ledger=Ledger(), dataset="made up")
    assert sum(map(release.hypothesis, xs)) <= 5


@pytest.mark.parametrize(
    ("text", "found"),
    [
        (f"conjunctions({', '.join(f'c{j}' for j in range(21))})", "are counted"),
        ("boxes(x 0..9999, y 0..9999)", "are counted"),
        ("boxes(x 0..3999, y 0..1)", "in 32,768 parts"),
        ("affine(w, x, y, z; q 101, dimension 2)", "a record may take 262,144 steps"),
        (f"linear({', '.join(f'c{j}' for j in range(64))}; q 2, dimension 32)", "262,144 steps"),
        ("linear(x, y; q 4099, dimension 2)", "over at most 2,048 elements"),
        ("polynomial_zeros(x; q 1009, degree 99)", "1009 * 99^2 may be 1,048,576"),
        ("polynomial_zeros(x, y; q 101, degree 2)", "not numbered"),
        (f"parities({', '.join(f'c{j}' for j in range(25))})", "more than 2^24"),
        (f"juntas({', '.join(f'c{j}' for j in range(20))}; k 5)", "of at most 4 columns"),
        (f"juntas({', '.join(f'c{j}' for j in range(600))}; k 2)", "at most 131,072 sets"),
    ],
)
def test_what_is_not_counted_is_refused_before_the_spend(text: str, found: str) -> None:
    with pytest.raises(DeclarationError) as caught:
        ExponentialLearner(parse_class(text), Budget(1))
    assert found in str(caught.value)


def test_too_many_records_are_refused_before_the_spend() -> None:
    H = LinearSubspaces.over(["x", "y"], 3, 1)
    sample = Sample(H.domain, ((0, 1),), np.array([[2**25, 1]]))
    ledger = Ledger()
    with pytest.raises(TooLargeError, match="the counts have room for 33,554,432"):
        ExponentialLearner(H, Budget(1)).fit(sample, ledger=ledger, dataset="made up")
    sums: Any = parse_class("direct_sum(linear(x, y; q 3, dimension 1), thresholds(z, 0..3))")
    assert sums.most_errors == H.most_errors
    with pytest.raises(TooLargeError):
        ExponentialLearner(sums, Budget(1), cost=(2**10, 1)).require_affordable(2**16)


def test_version_spaces_are_not_scored() -> None:
    for H in (LinearSubspaces.over(["x", "y"], 3, 1), PolynomialZeros.over(["x"], 5, 2)):
        point = tuple(1 for _ in H.domain.column_names)
        with pytest.raises(DeclarationError, match="not numbered"):
            ExponentialLearner(H.restrict(point, 1), Budget(1))


def test_a_class_that_is_counted_has_no_version_spaces() -> None:
    H = CountedBoxes(Product((Grid(0, 9, "x"), Grid(0, 9, "y"))), "boxes(x 0..9, y 0..9)")
    for ask in (lambda: H.restrict((0, 0), 1), H.soa, H.littlestone_dimension):
        with pytest.raises(TooLargeError, match="too many hypotheses for a table"):
            ask()


def test_boxes_as_functions() -> None:
    grids = Grid(0, 2, "x"), Grid(5, 5, "w"), Grid(-1, 0, "y")
    domain, sides = Product(grids), [[*combinations_with_replacement(g, 2)] for g in grids]
    boxes = [Box(domain, None), *(Box(domain, own) for own in product(*sides))]
    for f in boxes:
        assert Hypothesis.from_json(f.to_json()) == f
        for g in boxes:
            x = f.witness(g)
            assert (x is None) == (f == g) == all(f(z) == g(z) for z in domain)
            assert x is None or f(x) != g(x)
    assert [f.words() for f in boxes[:2]] == ["always 0", "x = 0 and y = -1"]
    assert Box(domain, tuple((g.low, g.high) for g in grids)).words() == "always 1"
