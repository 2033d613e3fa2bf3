"""The lists of the learner of radii: SOAs of version spaces that are hard to reduce, at each radius."""

from __future__ import annotations

import math
from collections.abc import Iterator
from functools import cached_property
from heapq import heappop, heappush, nsmallest
from itertools import chain, count, islice
from typing import Any

from littlestone.base.work import count_steps
from littlestone.classes.base import HypothesisClass
from littlestone.classes.promises.covering import is_steady
from littlestone.data.sample import Sample
from littlestone.rules import Hypothesis
from littlestone.theory.decomposition import reducing_path

Rules = list[Hypothesis[Any]]


def leaf_demands(s: int, d: int) -> list[int]:
    """k[l] = 2 C(s + d - l, d - l + 1): a leaf of dimension l = 0, ..., d is k[l]-irreducible.

    So k[l](s + 1) = k[l](s) + 2 + the sum of k[i](s) over i = l + 1, ..., d.

    >>> leaf_demands(3, 2), leaf_demands(4, 2)
    ([20, 12, 6], [40, 20, 8])
    """
    return [2 * math.comb(s + d - i, d - i + 1) for i in range(d + 1)]


def longest(radii: int, d: int, labels: int = 2) -> tuple[int, ...]:
    """The most SOAs of dimension t = 0, ..., d - 1 that one of ``radii`` lists, whatever the sample.

    >>> longest(5, 1), longest(5, 1, labels=3), longest(5, 2)
    ((16,), (31,), (864, 18))
    """
    # A dimension is left at one of at most ``radii`` points, or at a point or the end of one path.
    ways = [(labels - 1) * (k + radii) + 1 for k in leaf_demands(d + radii - 1, d)]
    return tuple(math.prod(ways[t + 1 :]) for t in range(d))


def longest_clean(H: HypothesisClass[Any], radii: int) -> tuple[int, ...]:
    """The most SOAs of each dimension t < LDim(H) that one of ``radii`` lists on clean labels.

    >>> from littlestone.classes import Subsets, Thresholds
    >>> from littlestone.points import Integers
    >>> longest_clean(Subsets(Integers(), 2), 5), longest_clean(Thresholds.on(0, 2), 5)
    ((1, 2), (864, 18))
    """
    d = int(H.littlestone_dimension())
    if is_steady(H):  # docs/proofs/radii.md, Lemma 3: some t of the at most d points are left out
        return tuple(math.comb(d, t) * (H.labels - 1) ** (d - t) for t in range(d))
    return longest(radii, d, H.labels)


def lists(
    H: HypothesisClass[Any],
    sample: Sample[Any],
    radii: int,
    sizes: tuple[int, ...],
    start: int = 0,
) -> Iterator[tuple[int, Rules]]:
    """The dimension t < LDim(H) and the list of each of so many ``radii``, from ``start`` on.

    The tree of a radius b splits a version space along a path that reduces it, if as many points do as
    `leaf_demands`.  Otherwise it splits it at the first point of the sample where its SOA errs
    avoidably. A version space that errs more than b times is left out.  The list holds the SOAs of
    the leaves of the largest dimension t.  Lists longer than ``sizes[t]`` are left out, and so are
    all from the radius on at which t is LDim(H).

    >>> from littlestone.classes import Subsets
    >>> from littlestone.points import Integers
    >>> H, examples = Subsets(Integers(), 2), [(1, 1)] * 5 + [(2, 1), (3, 0), (4, 0)]
    >>> sample = Sample.from_examples(H.domain, examples)
    >>> [(t, [h.words() for h in found]) for t, found in lists(H, sample, 3, (1, 1))]
    [(0, ['x is one of 1, 2']), (1, ['x is 1']), (1, ['x is 1'])]
    """
    d, seen, end = int(H.littlestone_dimension()), CostedPoints(sample), start + radii
    runs = []
    # Larger dimensions are at later radii.  So each one ends the run of the next smaller one, and no
    # version space of a smaller dimension is visited for it.
    for t in range(d, -1, -1):
        # d itself: SOA_H is the rule from there on, and it needs no list.
        size, demanded = sizes[t] if t < d else 0, d + start + radii - 1
        end, run = _run(H, seen, t, range(start, end), demanded, size)
        runs.append((t, run))
    for t, run in reversed(runs):
        yield from ((t, rules) for rules in run)


def _run(
    H: HypothesisClass[Any], seen: CostedPoints, t: int, radii: range, last: int, size: int
) -> tuple[int, list[Rules]]:
    """The first of the ``radii`` with dimension t, and the lists up to one longer than ``size``.

    None of the ``radii`` has a larger dimension.  It is their end if none has t.
    """
    end = radii.stop
    first, run, leaves, serial = end, list[Rules](), dict[Hypothesis[Any], None](), count()
    root, reduced = VersionNode(H, seen.unavoidable), list[VersionNode]()
    waiting = [(root.least_errors(seen, t, end), next(serial), root)]
    del root  # what is split is kept by nobody
    # Radii go up and demands go down, so what was irreducible stays so, and reduced nodes are asked
    # again.
    for radius in radii:
        demands = leaf_demands(last - radius, int(H.littlestone_dimension()))
        for node in reduced:
            if not node.is_reducible(demands):
                heappush(waiting, (node.least_errors(seen, t, end), next(serial), node))
        reduced = [node for node in reduced if node.is_reducible(demands)]
        while waiting and waiting[0][0] <= radius and len(leaves) <= size:
            node = heappop(waiting)[2]
            if node.is_reducible(demands):
                reduced.append(node)  # its parts may be others at the next radius
            elif parts := node.after(seen, t):
                for part in parts:
                    if part.dimension >= t and (least := part.least_errors(seen, t, end)) < end:
                        # The last is taken first: one leaf is soon found, and then its like.
                        heappush(waiting, (least, -next(serial), part))
            else:
                leaves[node.rule] = None
            if len(waiting) > 2 * size + 2 and is_steady(H):
                # Each of these leads to a rule, and the list is too long before others are taken.
                waiting = nsmallest(size + 1, waiting)
        rules = dict(leaves)
        for leaf in chain.from_iterable(node.leaves(seen, demands, t, radius) for node in reduced):
            rules[leaf.rule] = None
            if len(rules) > size:
                break
        if rules:
            first = min(first, radius)
            # A list that is too long stays so until a larger dimension comes.
            if len(rules) > size:
                break
            run.append(list(rules))
    return first, run


def leaves_of_class(H: HypothesisClass[Any], radii: int) -> int:
    """The leaves of the tree of H without a sample, at the first radius.

    `at_most` limits the search for them, and for what reduces H at every radius.
    """
    d, found, root = int(H.littlestone_dimension()), 0, VersionNode(H, 0)
    seen = CostedPoints(Sample.from_examples(H.domain, [], labels=H.labels))
    for _ in root.leaves(seen, leaf_demands(d + radii - 1, d), 0, 0):
        count_steps()
        found += 1
    for s in range(d, d + radii):
        count_steps()
        VersionNode(H, 0).is_reducible(leaf_demands(s, d))
    return found


class CostedPoints:
    """The points of a sample with what each label costs; those whose labels cost most come first."""

    def __init__(self, sample: Sample[Any]) -> None:
        self.sample = sample
        ordered, self.unavoidable = sample.steps()
        self.costs = {x: dict(ways) for x, ways in ordered}


class VersionNode:
    """A version space of a tree, with the points that lead to it and its errors at all of these.

    What follows it is found when it is asked for, and kept for the next radius.
    """

    def __init__(
        self, space: HypothesisClass[Any], errors: int, known: frozenset[Any] = frozenset()
    ) -> None:
        self.space, self.errors, self.known = space, errors, known
        self.dimension = int(space.littlestone_dimension())
        self.path: tuple[tuple[Any, int], ...] | None = None
        self.irreducible = False
        self.parts: list[VersionNode] | None = None

    @cached_property
    def rule(self) -> Hypothesis[Any]:
        return self.space.soa()

    def least_errors(self, seen: CostedPoints, t: int, end: int) -> int:
        """At most the errors of each leaf below of dimension t, if these are fewer than ``end``.

        See docs/proofs/radii.md, Lemma 3.
        """
        space, errors = self.space, self.errors
        if is_steady(space):
            return space.least_soa_errors(seen.sample, t)
        if self.dimension == t:  # the SOA of such a leaf is its own
            for x, cost in seen.costs.items():
                if errors >= end:
                    break
                errors += cost[self.rule(x)] if x not in self.known else 0
        return errors

    def is_reducible(self, demands: list[int]) -> bool:
        """Whether ``path`` reduces it, by as many points as are demanded; demands only fall."""
        demand = demands[self.dimension]
        if not self.irreducible and (self.path is None or len(self.path) > demand):
            self.path, self.parts = reducing_path(self.space, demand), None
            self.irreducible = self.path is None  # and so for every smaller demand
        return not self.irreducible

    def after(self, seen: CostedPoints, t: int) -> list[VersionNode]:
        """The parts that its path leaves, or those at a point where its SOA errs; none at a leaf.

        If its dimension is ``t``, below which no leaf is wanted, the one part follows its SOA at all
        points where this errs.  It is a leaf if the tree has one of dimension t there.
        """
        if self.parts is None:
            errs = (
                (x, y)
                for x, cost in seen.costs.items()
                if x not in self.known and cost[y := self.rule(x)]
            )
            if self.path or self.dimension > t:
                self.parts = list(self._left(self.path or tuple(islice(errs, 1)), seen))
            else:
                self.parts = [self._end_of(wrong, seen)] if (wrong := list(errs)) else []
        return self.parts

    def _end_of(self, path: list[tuple[Any, int]], seen: CostedPoints) -> VersionNode:
        """The version space at the end of a path of sample points that are not known."""
        space, errors = self.space, self.errors
        for x, y in path:
            errors += seen.costs[x][y]
            if self.dimension:  # one hypothesis need not be restricted, only scored
                space = space.restrict(x, y)
        return VersionNode(space, errors, self.known.union(x for x, _ in path))

    def _left(self, path: tuple[tuple[Any, int], ...], seen: CostedPoints) -> Iterator[VersionNode]:
        """The nonempty version spaces off a path, and the one at its end."""
        node = self
        for x, label in path:
            cost = {} if x in node.known else seen.costs.get(x, {})
            known = node.known | {x}
            for y in range(node.space.labels):
                side = node.space.restrict(x, y)
                if y != label and not side.is_empty():
                    yield VersionNode(side, node.errors + cost.get(y, 0), known)
            node = VersionNode(
                node.space.restrict(x, label), node.errors + cost.get(label, 0), known
            )
        if path:
            yield node

    def leaves(
        self, seen: CostedPoints, demands: list[int], degree: int, radius: int
    ) -> Iterator[VersionNode]:
        """The leaves below of dimension ``degree`` or more and at most ``radius`` errors."""
        waiting = [self]  # a branch may be as long as the radius, too long for recursion
        while waiting:
            node = waiting.pop()
            if node.dimension < degree or node.errors > radius:
                continue
            if not node.is_reducible(demands) and not node.after(seen, degree):
                yield node
            waiting += node.after(seen, degree)
