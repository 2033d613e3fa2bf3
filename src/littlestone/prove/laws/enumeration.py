"""Laws of enumerable classes, and the comparison of a class with its table."""

from __future__ import annotations

import random
from bisect import bisect_right
from collections.abc import Sequence
from itertools import accumulate, pairwise
from typing import Any

from littlestone.base.errors import DeclarationError
from littlestone.classes.base import Enumerable
from littlestone.classes.finite import FiniteClass
from littlestone.data.sample import Sample
from littlestone.prove.laws.core import Class, expect, points, version_spaces
from littlestone.rules import Hypothesis, disagreement

MOST = 128  # a class with at most so many hypotheses is checked as a whole, a larger one in part


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
