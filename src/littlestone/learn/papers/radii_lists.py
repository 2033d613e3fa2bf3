"""What a whole sample lists at each radius: SOAs of version spaces that are hard to reduce."""

from __future__ import annotations

import math
from collections.abc import Iterator
from functools import cached_property
from heapq import heappop, heappush
from itertools import count, islice
from typing import Any

from littlestone.base import steps
from littlestone.classes.base import HypothesisClass
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


def lists(
    H: HypothesisClass[Any], sample: Sample[Any], radii: int, sizes: tuple[int, ...]
) -> Iterator[tuple[int, Rules]]:
    """The dimension t < LDim(H) and the list of each radius 0, ..., ``radii`` - 1.

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
    d, seen, degree, serial = int(H.littlestone_dimension()), _CostedPoints(sample), 0, count()
    leaves, reduced = list[_Node](), list[_Node]()
    waiting = [(seen.unavoidable, next(serial), _Node(H, seen.unavoidable))]
    # Radii go up and demands go down, so what was irreducible stays so, and reduced nodes are asked
    # again.
    for radius in range(radii):
        demands = leaf_demands(d + radii - 1 - radius, d)
        for node in reduced:
            if not node.is_reducible(demands):
                heappush(waiting, (node.errors, next(serial), node))
        reduced = [node for node in reduced if node.is_reducible(demands)]
        while waiting and waiting[0][0] <= radius:
            node = heappop(waiting)[2]
            if node.dimension < degree:
                continue
            if node.is_reducible(demands):
                reduced.append(node)  # its parts may be others at the next radius
            elif node.after(seen):
                for part in node.after(seen):
                    if part.errors < radii:
                        heappush(waiting, (part.errors, next(serial), part))
            else:
                leaves.append(node)
        below = [leaf for node in reduced for leaf in node.leaves(seen, demands, degree, radius)]
        # The list of a radius is of one dimension, the largest of its leaves.
        t = max((leaf.dimension for leaf in leaves + below), default=-1)
        if t == d:
            # d itself: SOA_H is the rule from here on, and it needs no list.
            return
        if t < degree:
            continue
        rules = list(dict.fromkeys(leaf.rule for leaf in leaves + below if leaf.dimension == t))
        # A list that is too long stays so until a larger dimension comes.
        degree = t if len(rules) <= sizes[t] else t + 1
        leaves = [leaf for leaf in leaves if leaf.dimension >= degree]
        reduced = [node for node in reduced if node.dimension >= degree]
        if degree == t:
            yield t, rules


def leaves_of_class(H: HypothesisClass[Any], radii: int) -> int:
    """The leaves of the tree of H without a sample, at the first radius.

    `steps.at_most` limits the search for them, and for what reduces H at every radius.
    """
    d, found, root = int(H.littlestone_dimension()), 0, _Node(H, 0)
    seen = _CostedPoints(Sample.from_examples(H.domain, [], labels=H.labels))
    for _ in root.leaves(seen, leaf_demands(d + radii - 1, d), 0, 0):
        steps.count_steps()
        found += 1
    for s in range(d, d + radii):
        steps.count_steps()
        _Node(H, 0).is_reducible(leaf_demands(s, d))
    return found


class _CostedPoints:
    """The points of a sample with what each label costs; those whose labels cost most come first."""

    def __init__(self, sample: Sample[Any]) -> None:
        ordered, self.unavoidable = sample.steps()
        self.costs = {x: dict(ways) for x, ways in ordered}
        self.points = frozenset(self.costs)


class _Node:
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
        self.parts: list[_Node] | None = None

    @cached_property
    def rule(self) -> Hypothesis[Any]:
        return self.space.soa()

    def is_reducible(self, demands: list[int]) -> bool:
        """Whether ``path`` reduces it, by as many points as are demanded; demands only fall."""
        demand = demands[self.dimension]
        if not self.irreducible and (self.path is None or len(self.path) > demand):
            self.path, self.parts = reducing_path(self.space, demand), None
            self.irreducible = self.path is None  # and so for every smaller demand
        return not self.irreducible

    def after(self, seen: _CostedPoints) -> list[_Node]:
        """The parts that its path leaves, or those at a point where its SOA errs; none at a leaf."""
        if self.parts is None:
            errs = (
                (x, y, cost[y])
                for x, cost in seen.costs.items()
                if x not in self.known and cost[y := self.rule(x)]
            )
            if self.dimension == 0:  # one hypothesis: it need not be restricted, only scored
                errors = sum(cost for _, _, cost in errs)
                scored = _Node(self.space, self.errors + errors, seen.points)
                self.parts = [scored] if errors else []
            else:
                path = self.path or tuple((x, y) for x, y, _ in islice(errs, 1))
                self.parts = list(self._left(path, seen))
        return self.parts

    def _left(self, path: tuple[tuple[Any, int], ...], seen: _CostedPoints) -> Iterator[_Node]:
        """The nonempty version spaces off a path, and the one at its end."""
        node = self
        for x, label in path:
            cost = {} if x in node.known else seen.costs.get(x, {})
            known = node.known | {x}
            for y in range(node.space.labels):
                side = node.space.restrict(x, y)
                if y != label and not side.is_empty():
                    yield _Node(side, node.errors + cost.get(y, 0), known)
            node = _Node(node.space.restrict(x, label), node.errors + cost.get(label, 0), known)
        if path:
            yield node

    def leaves(
        self, seen: _CostedPoints, demands: list[int], degree: int, radius: int
    ) -> Iterator[_Node]:
        """The leaves below of dimension ``degree`` or more and at most ``radius`` errors."""
        waiting = [self]  # a branch may be as long as the radius, too long for recursion
        while waiting:
            node = waiting.pop()
            if node.dimension < degree or node.errors > radius:
                continue
            if not node.is_reducible(demands) and not node.after(seen):
                yield node
            waiting += node.after(seen)
