"""Decomposition dimension and essential hypotheses, exactly (Lyu25, Definitions 4.2 and 4.3)."""

from __future__ import annotations

from functools import cached_property
from typing import Any

from littlestone.base.errors import TooLargeError
from littlestone.classes import HypothesisClass
from littlestone.points import Point
from littlestone.rules import Hypothesis
from littlestone.theory.decomposition.greedy import depth_parameter, is_irreducible
from littlestone.theory.decomposition.valid_trees import DecompositionTree, Node

MOST_SPACES = 20_000
MOST_POINTS = 64
_NONE = -1  # the number of no hypothesis


def decomposition_dimension(
    H: HypothesisClass[Any], p: int, d: int | None = None, *, most: int = MOST_SPACES
) -> int:
    """DDim_(p,d)(H), the least degree of a valid (p, d)-tree of H.

    ``d`` is an upper bound on LDim(H), by default LDim(H).  The domain must have at most 64 points.
    The time is about the number of version spaces times the number of points.  There may be
    exponentially many version spaces, so `TooLargeError` is raised beyond ``most`` of them.  Lyu25,
    Definition 4.2.

    >>> from littlestone.classes import FiniteClass
    >>> H = FiniteClass.from_array([[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]])
    >>> [decomposition_dimension(H, p) for p in (1, 2, 3)]
    [1, 1, 0]
    """
    return Decompositions(p, depth_parameter(H, p, d), most=most).dimension(H)


def essential_hypotheses(
    H: HypothesisClass[Point], p: int, d: int | None = None, *, most: int = MOST_SPACES
) -> list[Hypothesis[Point]]:
    """The SOAs that every optimal (p, d)-tree of H has at a leaf of LDim DDim_(p,d)(H).

    Arguments, cost and errors as for `decomposition_dimension`.  Lyu25, Definition 4.3.

    >>> from littlestone.classes import FiniteClass
    >>> H = FiniteClass.from_array([[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]])
    >>> [f.words() for f in essential_hypotheses(H, 1)]
    ['always 0']
    """
    return Decompositions(p, depth_parameter(H, p, d), most=most).essential(H)


def optimal_tree(
    H: HypothesisClass[Point], p: int, d: int | None = None, *, most: int = MOST_SPACES
) -> DecompositionTree[Point]:
    """A valid (p, d)-tree of H of the least degree; arguments, cost and errors as above.

    >>> from littlestone.classes import FiniteClass
    >>> H = FiniteClass.from_array([[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]])
    >>> [V.size for V in optimal_tree(H, 3).leaves()]
    [1, 1, 1, 1]
    """
    return Decompositions(p, depth_parameter(H, p, d), most=most).tree(H)


class Decompositions:
    """The same for many classes over one domain, for one p and d, with shared results.

    For a version space V let deepest(V, t) be the largest depth at which V may root a valid subtree
    of degree <= t, -1 if there is none.  A leaf that is valid at some depth is valid at any smaller
    one, so with l = LDim(V) and k = p 2^(d-l)

        deepest(V, t) = k - p         if l <= t and V is k-irreducible: V is a leaf; and else
        deepest(V, t) = min(2k - p, max_x min_y deepest(V|(x,y), t) - 1)

    over the points x that split V and the y with V|(x,y) not empty, -1 if that is smaller.  (To
    split an irreducible V allows no larger depth, and splits that split nothing can be left out;
    see docs/proofs/decomposition.md.)  DDim is the least t with deepest(H, t) >= 0.  A hypothesis f
    is essential iff deepest(H, DDim) < 0 when leaves of LDim t with the SOA f are forbidden.  A V
    that is even (2k - p + 1)-irreducible has a leaf of LDim l and its own SOA in every valid tree.
    """

    def __init__(self, p: int, d: int, *, most: int = MOST_SPACES) -> None:
        self.p, self.d, self.most = p, d, most
        self._known: dict[HypothesisClass[Any], _Space] = {}
        self._numbers: dict[Hypothesis[Any], int] = {}

    def dimension(self, H: HypothesisClass[Any]) -> int:
        """DDim_(p,d)(H)."""
        depth_parameter(H, self.p, self.d)
        if H.domain.size is None or H.domain.size > MOST_POINTS:
            raise TooLargeError(
                f"find the decomposition dimension of {H}",
                found=f"its domain has more than {MOST_POINTS} points",
                fix="use decompose(), whose degree is an upper bound, or a smaller domain",
            )
        space = self.space(H)
        return next(t for t in range(space.dimension + 1) if space.deepest(t) >= 0)

    def essential(self, H: HypothesisClass[Point]) -> list[Hypothesis[Point]]:
        """The (p, d)-essential hypotheses of H."""
        t, space = self.dimension(H), self.space(H)
        # An essential hypothesis is in every optimal tree, so only those of one tree can be
        # essential.
        listed = self.tree(H).hypotheses()
        return [f for f in listed if space.deepest(t, avoid=self.number(f)) < 0]

    def tree(self, H: HypothesisClass[Point]) -> DecompositionTree[Point]:
        """A valid (p, d)-tree of H of degree DDim_(p,d)(H)."""
        t = self.dimension(H)
        nodes: list[Node[Any]] = []

        def plant(space: _Space) -> int:
            here = len(nodes)
            nodes.append(Node(space.V))
            # The split that leaves the shallowest side deepest: it attains max_x min_y of
            # `deepest`, so the tree is valid.
            if not space.may_end(t):
                x, sides = max(
                    space.splits,
                    key=lambda split: min(side.deepest(t) for side in split[1].values()),
                )
                after = {y: plant(side) for y, side in sides.items()}
                nodes[here] = Node(None, x, tuple(after.get(y) for y in range(H.labels)))
            return here

        plant(self.space(H))
        return DecompositionTree(self.p, self.d, tuple(nodes))

    def space(self, V: HypothesisClass[Any]) -> _Space:
        """The stored results about the version space V."""
        if V not in self._known:
            if len(self._known) >= self.most:
                raise TooLargeError(
                    "find the decomposition dimension",
                    found=f"there are more than {self.most} version spaces",
                    fix="use decompose(), whose degree is an upper bound",
                )
            self._known[V] = _Space(V, self)
        return self._known[V]

    def number(self, f: Hypothesis[Any]) -> int:
        """A number for f, which compares faster than f itself."""
        return self._numbers.setdefault(f, len(self._numbers))


class _Space:
    """A version space V, in the notation of `Decompositions`; `deepest` is remembered."""

    def __init__(self, V: HypothesisClass[Any], shared: Decompositions) -> None:
        self.V, self.shared = V, shared
        self.dimension = int(V.littlestone_dimension())
        k = shared.p * 2 ** (shared.d - self.dimension)
        self.deepest_leaf = int(k - shared.p)
        self.deepest_node = int(2 * k - shared.p)
        self.irreducible = is_irreducible(V, k)
        self.depths: dict[tuple[int, int], int] = {}

    @cached_property
    def stubborn(self) -> bool:
        return self.irreducible and is_irreducible(self.V, self.deepest_node + 1)

    @cached_property
    def soa(self) -> int:
        return self.shared.number(self.V.soa())

    @cached_property
    def splits(self) -> list[tuple[Any, dict[int, _Space]]]:
        """The points that split V, one of each kind, with the sides that are not empty."""
        found: dict[Any, tuple[Any, dict[int, HypothesisClass[Any]]]] = {}
        for x in self.V.domain:
            parts = {y: self.V.restrict(x, y) for y in range(self.V.labels)}
            sides = {y: part for y, part in parts.items() if not part.is_empty()}
            if len(sides) > 1:
                # Points that split V alike give the same subtrees.
                found.setdefault(frozenset(sides.values()), (x, sides))
        space = self.shared.space
        return [(x, {y: space(side) for y, side in sides.items()}) for x, sides in found.values()]

    def may_end(self, t: int, avoid: int = _NONE) -> bool:
        """Whether V may be a leaf of a tree of degree <= t without leaves (t, ``avoid``)."""
        if not self.irreducible or self.dimension > t:
            return False
        return self.dimension < t or avoid == _NONE or self.soa != avoid

    def deepest(self, t: int, avoid: int = _NONE) -> int:
        if (t, avoid) not in self.depths:
            self.depths[t, avoid] = self._deepest(t, avoid)
        return self.depths[t, avoid]

    def _deepest(self, t: int, avoid: int) -> int:
        if self.may_end(t, avoid):
            # A leaf is best wherever V may be one: splitting an irreducible V allows no larger
            # depth (docs/proofs/decomposition.md).
            return self.deepest_leaf
        best = -1
        # A stubborn V has a leaf of its own dimension and SOA in every valid tree.  Where that leaf is
        # not allowed, no split helps.
        if not self.stubborn:
            for _, sides in self.splits:
                below = self.deepest_node
                for side in sides.values():
                    below = min(below, side.deepest(t, avoid) - 1)
                    # Branch and bound: this split can no longer win.
                    if below <= best:
                        break
                best = max(best, below)
        return best
