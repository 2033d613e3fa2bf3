"""Valid (p, d)-trees and their checker (Lyu25, Definition 4.2); error balls.

A ball is a union of version spaces, from which a teacher takes its hypotheses.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from math import comb
from typing import Any, Generic, Self

from littlestone.classes import HypothesisClass
from littlestone.data.sample import Sample
from littlestone.points import Point
from littlestone.rules import Hypothesis


@dataclass(frozen=True)
class Ball(Generic[Point]):
    """{h in H : h errs at most b times on a sample}, as disjoint version spaces, the cells.

    All hypotheses of a cell label the ``points`` of the sample alike and err equally often, and two
    cells differ at one of the points.  ``cells`` are pairs (V, errors).  ``whole`` is H, or the version
    space of H to which the ball was restricted.  A union of version spaces is not a version space: its
    cells do not give its LDim and SOA unless only one cell is left.
    """

    whole: HypothesisClass[Point]
    points: tuple[Point, ...]
    cells: tuple[tuple[HypothesisClass[Point], int], ...]

    def shrink(self, max_errors: int) -> Self:
        """The ball of a smaller radius."""
        return self._with(self.whole, [cell for cell in self.cells if cell[1] <= max_errors])

    def restrict(self, x: Point, y: int) -> Self:
        """The hypotheses of the ball with label y at any point x of the domain."""
        sides = ((V.restrict(x, y), errors) for V, errors in self.cells)
        return self._with(
            self.whole.restrict(x, y), [side for side in sides if not side[0].is_empty()]
        )

    def _with(
        self, whole: HypothesisClass[Point], cells: list[tuple[HypothesisClass[Point], int]]
    ) -> Self:
        return type(self)(whole, self.points, tuple(cells))

    def is_empty(self) -> bool:
        """Whether every hypothesis errs too often."""
        return not self.cells

    def separating_point(self) -> Point:
        """The first sample point at which two cells differ; there is one if there are two cells."""

        def label(V: HypothesisClass[Point], x: Point) -> int:
            return next(y for y in range(V.labels) if not V.restrict(x, y).is_empty())

        return next(x for x in self.points if len({label(V, x) for V, _ in self.cells}) > 1)

    def __str__(self) -> str:
        return f"an error ball of {self.whole}"


def error_ball(
    H: HypothesisClass[Point], sample: Sample[Point], max_errors: int, *, most: int | None = None
) -> Ball[Point]:
    """The ball {h in H : h errs at most ``max_errors`` times on ``sample``}.

    By `HypothesisClass.error_ball`; the balls of smaller radius are its `Ball.shrink`.  Raises
    `TooLargeError` when more than ``most`` version spaces are looked at.

    >>> from littlestone.classes import Thresholds
    >>> H = Thresholds.on(0, 2**20 - 2)
    >>> sample = Sample.from_examples(H.domain, [(10, 0), (1000, 1), (5000, 1)])
    >>> ball = error_ball(H, sample, 1)
    >>> [(V.size, errors) for V, errors in sorted(ball.cells, key=lambda cell: cell[0].after)]
    [(11, 1), (990, 0), (4000, 1)]
    >>> len(ball.shrink(0).cells)
    1
    """
    return Ball(H, tuple(sample.points), tuple(H.error_ball(sample, max_errors, most=most)))


@dataclass(frozen=True)
class Node(Generic[Point]):
    """A leaf with its version space, or an inner node with its point and the numbers of its children.

    ``after[y]`` is the child after the label y, or None if no hypothesis gets there; () at a leaf.
    """

    space: HypothesisClass[Point] | None = None
    point: Point | None = None
    after: tuple[int | None, ...] = ()


@dataclass(frozen=True)
class DecompositionTree(Generic[Point]):
    """A tree that cuts a class H into the version spaces H_v of its leaves.

    The root is ``nodes[0]``; children come after their parents.  Branches without a hypothesis are
    left out, so "leaf" means a leaf with hypotheses (Lemma 4.1 is false otherwise), and the tree of
    an empty class has no node.  It is valid, which `check_tree` checks, if with l = LDim(H_v)

        depth(v) <= p (2^(d-l+1) - 1)    at every node v,
        depth(v) <= p (2^(d-l) - 1)      and H_v is p 2^(d-l)-irreducible at every leaf v.

    Lyu25, Definition 4.2; `decompose` and `optimal_tree` make valid trees.
    """

    p: int
    d: int
    nodes: tuple[Node[Point], ...]

    def leaves(self) -> Iterator[HypothesisClass[Point]]:
        """The version spaces of the leaves, which partition H."""
        for node in self.nodes:
            if node.space is not None:
                yield node.space

    @property
    def degree(self) -> int:
        """The largest LDim(H_v) of a leaf; -1 for the empty class."""
        return max((int(V.littlestone_dimension()) for V in self.leaves()), default=-1)

    def hypotheses(self, dimension: int | None = None) -> list[Hypothesis[Point]]:
        """The distinct SOAs of the leaves of LDim ``dimension``; without it, of the degree."""
        wanted = self.degree if dimension is None else dimension
        found = (V.soa() for V in self.leaves() if V.littlestone_dimension() == wanted)
        return list(dict.fromkeys(found))


def check_tree(tree: DecompositionTree[Any], H: HypothesisClass[Any] | Ball[Any]) -> str | None:
    """The first reason why ``tree`` is not a valid (p, d)-tree of H; None if it is valid.

    The checker follows the points from the root and restricts H again; it uses only the points and the
    shape of the tree.  For a ball with several cells only LDim <= LDim(``whole``) is known, so the
    checker may reject a valid tree of a ball.  Raises `InfiniteDimensionError` if LDim(H) is infinite.

    >>> from littlestone.classes import FiniteClass
    >>> H = FiniteClass.from_array([[0, 0], [0, 1], [1, 1]])
    >>> check_tree(DecompositionTree(2, 1, (Node(H),)), H)
    'node 0: its version space is 2-reducible, by the points x0, x1'
    """
    p, d = tree.p, tree.d
    if not H.is_empty():
        (H.whole if isinstance(H, Ball) else H).require_learnable()
    if type(p) is not int or type(d) is not int or p < 1 or not _most(H) <= d:
        least = f"whole numbers of at least 1 and LDim = {_most(H)}"
        return f"p = {p} and d = {d}: they must be {least}"
    if not tree.nodes:
        return None if H.is_empty() else "it has no node, and the class is not empty"
    domain = H.whole.domain if isinstance(H, Ball) else H.domain
    reached = 0
    waiting: list[tuple[int, HypothesisClass[Any] | Ball[Any], int]] = [(0, H, 0)]
    while waiting:
        i, space, depth = waiting.pop()
        reached += 1
        # The shape is data that anybody may have written: check numbers before they index.
        exists = type(i) is int and 0 <= i < len(tree.nodes)
        if not exists or reached > len(tree.nodes):
            return f"node {i}: there is no such node, or it is reached twice"
        node, V = tree.nodes[i], alone(space)
        if space.is_empty():
            return f"node {i}: no hypothesis gets there"
        # The two depth bounds of Definition 4.2: this one for every node, the tighter one below for
        # leaves.
        most = _most(space)
        deepest = p * (2 ** (d - most + 1) - 1)
        if depth > deepest:
            return f"node {i}: its depth {depth} exceeds {deepest}, as its LDim is {most}"
        if node.space is None:
            if node.point not in domain:
                return f"node {i}: an inner node without a point of the domain"
            if len(node.after) != (H.whole if isinstance(H, Ball) else H).labels:
                return f"node {i}: an inner node has a place for a child after each label"
            for y, child in enumerate(node.after):
                # Restrict H anew: version spaces that the tree states are compared, never believed.
                side = space.restrict(node.point, y)
                if child is not None:
                    waiting.append((child, side, depth + 1))
                elif not side.is_empty():
                    return f"node {i}: hypotheses with label {y} get lost"
            continue
        if node.point is not None or node.after:
            return f"node {i}: a leaf has neither a point nor children"
        if V is None or node.space != V:
            return f"node {i}: the version space of this leaf is not that of its path"
        deepest, k = p * (2 ** (d - most) - 1), p * 2 ** (d - most)
        if depth > deepest:
            return f"node {i}: its depth {depth} exceeds {deepest}, as a leaf of LDim {most}"
        if (points := V.reducing_points(k)) is not None:
            shown = ", ".join(map(V.domain.words, points))
            return f"node {i}: its version space is {k}-reducible, by the points {shown}"
    return None if reached == len(tree.nodes) else "some node is not reached from the root"


def alone(space: HypothesisClass[Point] | Ball[Point]) -> HypothesisClass[Point] | None:
    """The only version space of ``space``; None for a ball of several."""
    if isinstance(space, Ball):
        return space.cells[0][0] if len(space.cells) == 1 else None
    return space


def _most(space: HypothesisClass[Any] | Ball[Any]) -> int:
    """LDim, or for a union an upper bound."""
    V, whole = alone(space), space.whole if isinstance(space, Ball) else space
    return int((whole if V is None else V).littlestone_dimension())


def leaf_bound(p: int, d: int, dimension: int, t: int = 0, *, labels: int = 2) -> int:
    """N(p (2^(d-t) - 1), l - t), N(D, r) = sum_(i <= r) C(D, i) k^i: leaves of LDim >= t, l = LDim(H).

    No valid (p, d)-tree of a class of Littlestone dimension l and k + 1 ``labels`` has more, so this
    also bounds the essential hypotheses, with t = DDim.  Lemma 4.1 has p^d 2^(d^2) for t = 0 and two
    labels; see docs/proofs/decomposition.md.

    >>> leaf_bound(2, 3, 3), 2**3 * 2**9, leaf_bound(2, 3, 3, t=2)
    (470, 4096, 3)
    """
    depth, k = p * (2 ** (d - t) - 1), labels - 1
    return sum(comb(depth, i) * k**i for i in range(dimension - t + 1))
