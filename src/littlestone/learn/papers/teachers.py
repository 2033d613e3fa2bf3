"""Teachers: disjoint parts of the records, each with a short list of hypotheses of its own."""

from __future__ import annotations

import random
import sys
from collections.abc import Iterable, Iterator
from heapq import heappop, heappush
from itertools import count, groupby
from typing import Any

import numpy as np
import numpy.ma  # `np.unique` loads it, and nothing is to be loaded after a spend
from numpy.typing import NDArray

from littlestone.base.errors import TooLargeError
from littlestone.classes.base import HypothesisClass, avoidable_errors, require_few
from littlestone.data.sample import Sample
from littlestone.points import Point
from littlestone.rules import Hypothesis, disagreement
from littlestone.theory.decomposition import DecompositionTree, decompose


def chunks(sample: Sample[Point], teachers: int, rng: random.Random) -> Iterator[Sample[Point]]:
    """``teachers`` disjoint parts of floor(n / teachers) records each, by a uniform permutation.

    The permutation is drawn anew and is exactly uniform, so the order in which the sample holds its
    records makes no difference.  It is as if record i had a place of its own, whatever its content, so
    one replaced record changes one part.  The remainder belongs to no part.

    >>> from littlestone.points import Integers
    >>> sample = Sample.from_examples(Integers(), [(x, x % 2) for x in range(10)])
    >>> [part.n for part in chunks(sample, 3, random.Random(0))]
    [3, 3, 3]
    """
    yield from split(sample, shuffle_records(sample, rng), teachers)


def list_records(sample: Sample[Any]) -> list[int]:
    """The records, one by one; with k + 1 labels, j (k + 1) + y stands for (points[j], y).

    >>> from littlestone.points import Integers
    >>> list_records(Sample.from_examples(Integers(), [(7, 1), (2, 0), (7, 1)]))
    [1, 1, 2]
    """
    often = sample.counts.ravel()
    records: list[int] = np.repeat(np.arange(len(often)), often).tolist()
    return records


def shuffle_records(sample: Sample[Any], rng: random.Random) -> NDArray[np.int64]:
    """The records in a uniform order, for `split`."""
    records = list_records(sample)
    # Exactly uniform: `shuffle` draws whole numbers without bias.
    rng.shuffle(records)
    return np.array(records, dtype=np.int64)


def split(
    sample: Sample[Point], records: NDArray[np.int64], teachers: int
) -> Iterator[Sample[Point]]:
    """The parts of ``records``, which are numbered as in `list_records`, in their order.

    A part holds its points in the order in which it meets them.  The order of ``sample`` would reveal
    what other parts hold: a record there may be the first of the sample with its point, and where a
    list is cut depends on the order.
    """
    size, labels = len(records) // teachers, sample.labels
    for i in range(teachers):
        # By position alone, so a replaced record stays in its part.
        part = records[i * size : (i + 1) * size]
        rows, first, places = np.unique(part // labels, return_index=True, return_inverse=True)
        counts = np.zeros((len(rows), labels), dtype=np.int64)
        np.add.at(counts, (places, part % labels), 1)
        order = np.argsort(first)
        points = tuple(sample.points[j] for j in rows[order].tolist())
        yield sample.with_counts(points, counts[order])


def permute_examples(sample: Sample[Point], rng: random.Random) -> list[tuple[Point, int]]:
    """The examples, one by one, in an order that is drawn anew and is exactly uniform.

    As for `chunks`, it is as if record i had a place of its own, whatever its content.

    >>> from littlestone.points import Integers
    >>> sample = Sample.from_examples(Integers(), [(7, 0), (7, 1), (7, 1)])
    >>> sorted(permute_examples(sample, random.Random(0)))
    [(7, 0), (7, 1), (7, 1)]
    """
    labels, records = sample.labels, shuffle_records(sample, rng).tolist()
    return [(sample.points[record // labels], record % labels) for record in records]


def frontier(
    H: HypothesisClass[Point],
    chunk: Sample[Point],
    max_errors: int,
    *,
    scale: int = 1,
    most: int | None = None,
) -> list[Hypothesis[Point]]:
    """The SOAs of leaves whose dimension no leaf with fewer or equally many errors exceeds.

    The ball {h in H : h errs at most ``max_errors`` times} is cut at the points of the chunk.  Its
    cells are decomposed into leaves V that are p 2^(d - LDim(V))-irreducible, with d = LDim(H),
    p = ``scale`` (m + 1) and m examples in the chunk.  An SOA errs on the chunk as its leaf does;
    SOAs with fewer errors come first.  The list is the union of those for all radii up to
    ``max_errors``.

    Version spaces are looked at in the order of their errors, and only the ``most`` first ones.  All
    cells together are decomposed into at most that many nodes.  What takes more nodes, or more steps
    than `littlestone.base.work.at_most` allows, is listed as if the radius were smaller.

    >>> from littlestone.classes import Subsets
    >>> from littlestone.points import Integers
    >>> H, examples = Subsets(Integers(), 2), [(1, 1)] * 5 + [(2, 1), (3, 0), (4, 0)]
    >>> sample = Sample.from_examples(H.domain, examples)
    >>> [f.words() for f in frontier(H, sample, 2)]
    ['x is one of 1, 2', 'x is 1']
    """
    d, p, degree, looked = int(H.littlestone_dimension()), scale * (chunk.n + 1), -1, 0
    nodes = most or sys.maxsize
    steps, unavoidable = chunk.steps()
    # Serial numbers settle ties, because version spaces have no order.
    serial = count()
    waiting = [(unavoidable, next(serial), 0, H)]
    found: list[tuple[int, DecompositionTree[Point]]] = []
    try:
        while waiting and waiting[0][0] <= max_errors:
            errors, _, depth, V = heappop(waiting)
            # Leaves with fewer errors are known by now, so a space of lower dimension lists nothing.
            # Restrict by one point after the other; the other labels wait with their errors.
            while not V.is_empty() and V.littlestone_dimension() >= degree:
                looked += 1
                require_few(looked, most)
                if depth == len(steps):
                    tree = decompose(V, p, d, most=nodes)
                    nodes -= len(tree.nodes)
                    degree = max(degree, tree.degree)
                    found.append((errors, tree))
                    break
                if V.is_single():  # one hypothesis: it need not be restricted, only scored
                    errors += avoidable_errors(V.soa(), steps[depth:])
                    heappush(waiting, (errors, next(serial), len(steps), V))
                    break
                x, ((cheapest, _), *others) = steps[depth]
                depth += 1
                for y, cost in others:
                    if errors + cost <= max_errors:
                        other = V.restrict(x, y)
                        heappush(waiting, (errors + cost, next(serial), depth, other))
                V = V.restrict(x, cheapest)
    except TooLargeError:
        pass  # what was found has fewer errors than what was not
    return _undominated_soas(found)


def top(
    H: HypothesisClass[Point],
    chunk: Sample[Point],
    max_errors: int,
    *,
    scale: int = 1,
    most: int | None = None,
) -> list[Hypothesis[Point]]:
    """The SOAs of the leaves of the largest dimension in one ball; `frontier` takes all radii.

    The arguments are those of `frontier`.  SOAs with fewer errors come first.
    Empty if there are too many.

    >>> from littlestone.classes import Subsets
    >>> from littlestone.points import Integers
    >>> H, examples = Subsets(Integers(), 2), [(1, 1)] * 5 + [(2, 1), (3, 0), (4, 0)]
    >>> sample = Sample.from_examples(H.domain, examples)
    >>> [f.words() for f in top(H, sample, 2)], [f.words() for f in top(H, sample, 0)]
    (['x is 1'], ['x is one of 1, 2'])
    """
    d, p, nodes = int(H.littlestone_dimension()), scale * (chunk.n + 1), most or sys.maxsize
    try:
        cells = sorted(H.error_ball(chunk, max_errors, most=most), key=lambda cell: cell[1])
        trees: list[DecompositionTree[Point]] = []
        for V, _ in cells:
            trees.append(decompose(V, p, d, most=nodes))
            nodes -= len(trees[-1].nodes)
        degree = max((tree.degree for tree in trees), default=-1)
        return list(dict.fromkeys(h for tree in trees for h in tree.hypotheses(degree)))
    except TooLargeError:
        return []


def teach(H: HypothesisClass[Point], h: Hypothesis[Point]) -> HypothesisClass[Point]:
    """The version space of the SOA after it was shown h wherever its prediction differs from h.

    It restricts H by at most LDim(H) of the points at which the two differ.  It ends at a point where
    the label of h would leave no hypothesis.  It depends on H and h alone.

    >>> from littlestone.classes import Subsets
    >>> from littlestone.points import Integers
    >>> from littlestone.rules import FiniteSet
    >>> H = Subsets(Integers(), 3)
    >>> teach(H, FiniteSet(H.domain, frozenset({4, 7}))).littlestone_dimension()
    1
    """
    while (x := disagreement(H.soa(), h)) is not None:
        kept = H.restrict(x, h(x))
        # h is no hypothesis of H at this point; what is known so far stands.
        if kept.is_empty():
            break
        H = kept
    return H


def restrict_where_consistent(
    H: HypothesisClass[Point], examples: Iterable[tuple[Point, int]]
) -> HypothesisClass[Point]:
    """The version space of the examples, in order, skipping those that would leave no hypothesis.

    >>> from littlestone.classes import Thresholds
    >>> restrict_where_consistent(Thresholds.on(0, 9), [(3, 0), (1, 1), (8, 1)]).soa().words()
    'x >= 5'
    """
    for x, y in examples:
        kept = H.restrict(x, y)
        if not kept.is_empty():
            H = kept
    return H


def _undominated_soas(found: list[tuple[int, DecompositionTree[Point]]]) -> list[Hypothesis[Point]]:
    """The top SOAs of the trees with the degree reached so far, in the order of their errors."""
    listed: dict[Hypothesis[Point], None] = {}
    degree = -1
    for _, group in groupby(found, key=lambda pair: pair[0]):
        trees = [tree for _, tree in group]
        try:
            degree = max([degree, *(tree.degree for tree in trees)])
            for tree in trees:
                listed |= dict.fromkeys(tree.hypotheses(degree))
        except TooLargeError:
            break  # as above
    return list(listed)
