"""Laws of what a class promises: that it can be enumerated, covered, approximated."""

from __future__ import annotations

import math
import random
from bisect import bisect_right
from collections.abc import Sequence
from fractions import Fraction
from itertools import accumulate, combinations, pairwise
from typing import Any

import numpy as np

from littlestone.base.errors import DeclarationError
from littlestone.classes.base import Enumerable
from littlestone.classes.finite import FiniteClass
from littlestone.classes.promises.covering import Covering, ProperApproximation, mixture_of_rows
from littlestone.data.sample import Sample
from littlestone.privacy.scores import Elements
from littlestone.prove.laws.law import Class, cells, expect, label_range, points, version_spaces
from littlestone.rules import Hypothesis, disagreement

MOST = 128  # a class of up to this many hypotheses is checked as a whole, a larger one in part


def _indices(H: Enumerable[Any]) -> Sequence[int]:
    """Hypotheses to check: all of a small class, or the ends, the middle and random ones."""
    size = H.size or 0
    if size <= MOST:
        return range(size)
    rng = random.Random(3)
    return sorted({0, 1, size // 2, size - 1, *(rng.randrange(size) for _ in range(8))})


def _enumerable(H: Class) -> list[Enumerable[Any]]:
    spaces = version_spaces(H, most=8)
    return [V for V in spaces if isinstance(V, Enumerable) and V.size is not None]


def _listable(V: Enumerable[Any]) -> bool:
    try:
        V.require_listable()
    except DeclarationError:
        return False
    return True


def hypotheses_are_distinct(H: Class) -> None:
    """Hypotheses 0, ..., size - 1 differ as functions, each two at some point."""
    for V in _enumerable(H):
        listed = [(i, V.hypothesis(i)) for i in _indices(V)]
        seen: dict[Hypothesis[Any], int] = {}
        for i, h in listed:
            j = seen.setdefault(h, i)
            expect(j == i, "hypotheses of different numbers differ", V=V, i=j, j=i)
            expect(h == V.hypothesis(i), "hypothesis(i) = hypothesis(i), asked twice", V=V, i=i)
        for (i, f), (j, g) in pairwise(listed):
            x = disagreement(f, g)
            differ = x in V.domain and f(x) != g(x)
            expect(differ, "disagreement(f, g) is a point where they differ", V=V, i=i, j=j, x=x)


def hypotheses_are_members(H: Class) -> None:
    """Restricting V to the labels of hypothesis(i) leaves hypothesis(i)."""
    for V in _enumerable(H):
        tried = points(V)
        whole = len(tried) == V.domain.size
        for i in _indices(V)[:24]:
            h, W = V.hypothesis(i), V
            for x in tried:
                W = W.restrict(x, h(x))
            expect(not W.is_empty(), "hypothesis(i) is in the class", V=V, i=i)
            expect(not whole or W.size == 1, "labels of all points leave one", V=V, i=i)


def error_counts(H: Class) -> None:
    """`error_runs` counts the wrong labels of every hypothesis, once and in order."""
    rng = random.Random(4)
    for V in filter(_listable, _enumerable(H)):
        tried = points(V)
        for n in (0, 1, 5, 40):
            examples = [(rng.choice(tried), rng.randrange(V.labels)) for _ in range(n)]
            runs = V.error_runs(Sample.from_examples(V.domain, examples, labels=V.labels))
            lengths = [1] * len(runs.errors) if runs.lengths is None else list(runs.lengths)
            expect(len(lengths) == len(runs.errors), "each run has a length", V=V, n=n)
            total = sum(lengths)
            expect(total == V.size, "the runs hold all hypotheses", V=V, n=n, total=total)
            stops = list(accumulate(lengths))
            for i in _indices(V):
                h = V.hypothesis(i)
                wrong = sum(h(x) != y for x, y in examples)
                counted = int(runs.errors[bisect_right(stops, i)])
                law = "error_runs counts wrong labels"
                expect(counted == wrong, law, V=V, sample=examples, i=i, counted=counted)


def agrees_with_table(H: Class) -> None:
    """A small class has the dimensions, labels and reducing points of the table of its functions."""
    size = H.domain.size
    if size is None or size > 16 or not isinstance(H, Enumerable) or not 1 <= (H.size or 0) <= 64:
        return
    columns = {x: f"x{j}" for j, x in enumerate(H.domain)}
    rows = [[H.hypothesis(i)(x) for x in columns] for i in range(H.size or 0)]
    _compare(H, FiniteClass.from_array(rows, labels=H.labels), columns, depth=2)


def _compare(V: Class, table: FiniteClass, columns: dict[Any, str], depth: int) -> None:
    pair = {"V": V, "table": table}
    expect(V.size == table.size, "the size is that of the table", **pair)
    dimensions = V.littlestone_dimension(), table.littlestone_dimension()
    expect(dimensions[0] == dimensions[1], "LDim is that of the table", **pair, LDims=dimensions)
    if table.is_empty():
        return
    soa = table.soa()
    for x, name in columns.items():
        expect(V.soa_label(x) == soa(name), "the SOA is that of the table", **pair, x=x)
    for k in (1, 2, 3):
        same = (V.reducing_points(k) is None) == (table.reducing_points(k) is None)
        expect(same, "k-irreducible iff the table is", **pair, k=k)
    for x, name in list(columns.items())[:8] if depth else ():
        for y in range(V.labels):
            _compare(V.restrict(x, y), table.restrict(name, y), columns, depth - 1)


LISTED = 40  # the most elements of a sample that are checked one by one
UNIONS = 400  # the most unions that are checked


def _has(H: Class, h: Hypothesis[Any], tried: list[Any]) -> bool:
    """Whether some function of H gives the points the same labels as h."""
    V = H
    for x in tried:
        V = V.restrict(x, h(x))
    return not V.is_empty()


def _of_unions(H: Class, tried: list[Any]) -> bool:
    """Whether every union of elements may be in H, even the empty one: H has no positive example."""
    V = H
    for x in tried:
        V = V.restrict(x, 0)
    return not V.is_empty()


def _samples(H: Class, tried: list[Any]) -> list[Sample[Any]]:
    rng, made = random.Random(9), list[Sample[Any]]()
    for n in (0, 1, 6, 20):
        some = rng.sample(tried, min(6, len(tried)))
        pairs = [(rng.choice(some), rng.choice(label_range(H))) for _ in range(n)]
        made.append(Sample.from_examples(H.domain, pairs))
    return made


def elements_are_counted(H: Covering[Any]) -> None:
    """`elements` lists each element once, with the points and the examples that it covers."""
    for sample in _samples(H, points(H)):
        found, counts = H.elements(sample), sample.counts
        at = {"points": list(sample.points), "counts": counts.tolist()}
        positives, negatives = map(found.of_each, (found.positives, found.negatives))
        lengths = {len(positives), len(negatives)}
        expect(len(lengths) == 1, "every element has two counts", **at, lengths=lengths)
        listed = [found.element(i) for i in range(found.number_of_elements)][:LISTED]
        expect(len(set(listed)) == len(listed), "elements are distinct", **at)
        for i, h in enumerate(listed):
            inside = [j for j, x in enumerate(sample.points) if h(x)]
            covered = sorted(int(j) for j in found.covered(i))
            expect(covered == inside, "covered(i) are the points of element i", **at, i=i, h=h)
            given = negatives[i], positives[i]
            law = "element i covers as many negatives and positives as its run says"
            true = tuple(int(counts[inside, y].sum()) for y in (0, 1))
            expect(given == true, law, **at, h=h, found=given, true=true)
            expect(given[1] >= 1, "a listed element covers a positive example", **at, h=h)


def few_elements_cover_a_point(H: Covering[Any]) -> None:
    """At most `elements_per_point` elements are listed for a single positive point."""
    for x in points(H):
        found = H.elements(Sample.from_examples(H.domain, [(x, 1)]))
        n = found.number_of_elements
        expect(
            n <= H.elements_per_point,
            "at most `elements_per_point` elements cover a point",
            x=x,
            n=n,
            growth=H.elements_per_point,
        )


def unions_are_members(H: Covering[Any]) -> None:
    """Unions of at most `parts` elements are in H, and H labels positive points in no other way."""
    tried = points(H)
    # The first points of a domain of records share many of their values.
    first = Sample.from_examples(H.domain, [(x, 1) for x in H.domain.examples(8)])
    for sample in [first, *_samples(H, tried)] if _of_unions(H, tried) else []:
        positive = [(x, 1) for x in sample.points]
        found = H.elements(Sample.from_examples(H.domain, positive))
        seen, ways = [x for x, _ in positive], set[tuple[int, ...]]()
        choices = _choices(H, found)
        for chosen in choices:
            h = H.union([found.element(i) for i in chosen])
            union = {j for i in chosen for j in found.covered(i).tolist()}
            at = {"points": seen, "elements": chosen, "h": h}
            given = tuple(h(x) for x in seen)
            expected = tuple(int(j in union) for j in range(len(seen)))
            expect(given == expected, "union(E) is 1 where an element of E is", **at)
            expect(h.domain == H.domain, "a union is on the domain of the class", **at)
            expect(_has(H, h, tried), "a union of at most `parts` elements is in the class", **at)
            ways.add(given)
        for given in cells(H, seen) if len(choices) < UNIONS else ():
            law = "what is 1 at positive points is a union of listed elements"
            expect(given in ways, law, points=seen, labels=given)


def _choices(H: Covering[Any], found: Elements) -> list[tuple[int, ...]]:
    """Sets of at most `parts` elements: all of them, or the first `UNIONS`."""
    chosen: list[tuple[int, ...]] = [()]
    for k in range(1, H.max_elements + 1):
        for some in combinations(range(found.number_of_elements), k):
            if len(chosen) == UNIONS:
                return chosen
            chosen.append(some)
    return chosen


ALPHAS = (Fraction(1, 2), Fraction(1, 5), Fraction(1, 16))
SEARCHED = 12  # the most points at which a version space is restricted to the labels of an SOA
ROWS = 128  # the most hypotheses of a class for which a mixture is searched

Mixed = list[Hypothesis[Any]]


def _furthest(f: Hypothesis[Any], mixed: Mixed, tried: Sequence[Any]) -> tuple[Fraction, Any]:
    """The largest share of a mixture that is wrong at a single point, with that point."""
    shares = [(Fraction(sum(h(x) != f(x) for h in mixed), len(mixed)), x) for x in tried]
    return max(shares, key=lambda share: share[0], default=(Fraction(0), None))


def _mixable(H: ProperApproximation[Any]) -> bool:
    try:
        H.require_mixture()
    except DeclarationError:
        return False
    return True


def _soas(H: Class) -> list[Hypothesis[Any]]:
    spaces = version_spaces(H, most=10)
    return list(dict.fromkeys(V.soa() for V in spaces if 0 <= V.littlestone_dimension() < math.inf))


def mixtures_are_of_members(H: ProperApproximation[Any]) -> None:
    """`mixture(f, alpha)` is always the same list of hypotheses of H, at most `most_mixed` of them."""
    for f in _soas(H) if _mixable(H) else []:
        for alpha in ALPHAS:
            mixed, most, at = H.mixture(f, alpha), H.most_mixed(alpha), {"f": f, "alpha": alpha}
            expect(len(mixed) > 0, "a mixture has a hypothesis", **at)
            law = "mixture(f, alpha) is a function of f and alpha alone"
            expect(mixed == H.mixture(f, alpha), law, **at)
            tried = points(H)
            for h in dict.fromkeys(mixed):
                expect(_has(H, h, tried), "the hypotheses that are mixed are in H", **at, h=h)
            different = len(set(mixed))
            law = "no more than `most_mixed` hypotheses are mixed"
            expect(most is None or different <= most, law, **at, different=different, most=most)


def mixtures_are_close(H: ProperApproximation[Any]) -> None:
    """At each x, at most a share alpha of `mixture(f, alpha)` differs from f, where this is promised.

    It is promised if `most_mixed` is a number and a mixture within alpha / 2 exists.  In a small
    class, the check looks for one among all hypotheses.  On an infinite domain, it restricts the
    class to labels of f until the SOA of the version space is f itself.
    """
    for f in _soas(H) if _mixable(H) else []:
        for alpha in ALPHAS:
            if H.most_mixed(alpha) is None:
                continue
            mixed = H.mixture(f, alpha)
            tried = list(dict.fromkeys([*points(H), *_differing(f, mixed)]))
            share, x = _furthest(f, mixed, tried)
            if share > alpha:
                law = "at most an alpha share of mixture(f, alpha) is wrong at a point"
                expect(not _close_one_is_known(H, f, alpha, tried), law, f=f, x=x, share=share)


def _differing(f: Hypothesis[Any], mixed: Mixed) -> list[Any]:
    """Points at which the hypotheses differ from f, which the points tried so far may not show."""
    alike = (h for h in dict.fromkeys(mixed) if type(h) is type(f) and h != f)
    return [f.witness(h) for h in alike][:64]


def _close_one_is_known(
    H: ProperApproximation[Any], f: Hypothesis[Any], alpha: Fraction, tried: list[Any]
) -> bool:
    if isinstance(H, Enumerable) and H.size is not None and H.domain.size is not None:
        if H.size > ROWS or H.domain.size > len(tried):
            return False
        rows = [H.hypothesis(i) for i in range(H.size)]
        table = np.array([[bool(h(x)) for x in tried] for h in rows])
        wanted = np.array([bool(f(x)) for x in tried])
        close = [rows[i] for i in mixture_of_rows(table, wanted, alpha / 2)]
        return _furthest(f, close, tried)[0] <= alpha / 2
    if H.domain.size is not None:
        return False
    V: Class = H
    for x in tried:
        V = V.restrict(x, f(x))
    for _ in range(SEARCHED):
        if V.is_empty():
            return False
        g = V.soa()
        x = V.mistake_point() if g == f or type(g) is not type(f) else f.witness(g)
        if x is None:
            return g == f
        V = V.restrict(x, f(x))
    return not V.is_empty() and V.soa() == f
