"""Decomposition dimension and essential hypotheses, exactly (Lyu25, Definitions 4.2 and 4.3)."""

from __future__ import annotations

from typing import Any, Generic

from littlestone.classes import HypothesisClass
from littlestone.decomposition.limits import TooLargeError, depth_parameter
from littlestone.decomposition.tree import DecompositionTree, Node
from littlestone.domains import Point
from littlestone.hypotheses import Hypothesis

MOST_SPACES = 20_000
MOST_POINTS = 64


def decomposition_dimension(
    H: HypothesisClass[Any], p: int, d: int | None = None, *, most: int = MOST_SPACES
) -> int:
    """DDim_(p,d)(H), the least degree of a valid (p, d)-tree of H.

    ``d`` is an upper bound on LDim(H), by default LDim(H).  For finite domains of at most 64 points:
    the time is about the number of version spaces times that of points, and there may be
    exponentially many, so beyond ``most`` of them `TooLargeError` is raised.  Lyu25, Definition 4.2.

    >>> from littlestone.classes import FiniteClass
    >>> H = FiniteClass.from_array([[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]])
    >>> [decomposition_dimension(H, p) for p in (1, 2, 3)]
    [1, 1, 0]
    """
    return _Search(H, p, d, most).dimension


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
    search = _Search(H, p, d, most)
    t = search.dimension
    return [f for f in search.tree().hypotheses() if search.deepest(H, t, avoid=f) < 0]


def optimal_tree(
    H: HypothesisClass[Point], p: int, d: int | None = None, *, most: int = MOST_SPACES
) -> DecompositionTree[Point]:
    """A valid (p, d)-tree of H of the least degree; arguments, cost and errors as above."""
    return _Search(H, p, d, most).tree()


class _Search(Generic[Point]):
    """For a version space V, the largest depth at which it may root a valid subtree of degree <= t.

    What is valid at some depth is valid at any smaller one, so with l = LDim(V)

        deepest(V, t) = p (2^(d-l) - 1)    if l <= t and V is p 2^(d-l)-irreducible, and else
        deepest(V, t) = min(p (2^(d-l+1) - 1), max_x min_y deepest(V|(x,y), t) - 1)

    over the points x that split V and its nonempty sides, and -1 if no split serves.  (Splitting an
    irreducible V allows no larger depth, and splits that split nothing can be left out; see
    docs/proofs/decomposition.md.)  DDim is the least t with deepest(H, t) >= 0.  A hypothesis f is
    essential iff deepest(H, DDim) < 0 when leaves of LDim t with the SOA f are forbidden.
    """

    def __init__(self, H: HypothesisClass[Point], p: int, d: int | None, most: int) -> None:
        self.H, self.p, self.d, self.most = H, p, depth_parameter(H, p, d), most
        if H.domain.size is None or H.domain.size > MOST_POINTS:
            raise TooLargeError(
                f"find the decomposition dimension of {H}",
                found=f"its domain has more than {MOST_POINTS} points",
                fix="use decompose(), whose degree is an upper bound, or a smaller domain",
            )
        self.points = list(H.domain)
        self.known: dict[Any, tuple[int, bool, list[tuple[Point, Any, Any]]]] = {}
        self.depths: dict[Any, int] = {}

    @property
    def dimension(self) -> int:
        dimension = int(self.H.littlestone_dimension())
        return next(t for t in range(dimension + 1) if self.deepest(self.H, t) >= 0)

    def deepest(self, V: Any, t: int, avoid: Hypothesis[Point] | None = None) -> int:
        key = (V, t, avoid)
        if key not in self.depths:
            self.depths[key] = self._deepest(V, t, avoid)
        return self.depths[key]

    def _deepest(self, V: Any, t: int, avoid: Hypothesis[Point] | None) -> int:
        dimension, irreducible, splits = self._facts(V)
        if irreducible and self._may_end(V, dimension, t, avoid):
            return int(self.p * (2 ** (self.d - dimension) - 1))
        most = self.p * (2 ** (self.d - dimension + 1) - 1)
        best = -1
        for _, zero, one in splits:
            best = max(
                best, min(most, self.deepest(zero, t, avoid) - 1, self.deepest(one, t, avoid) - 1)
            )
            if best == most:
                break
        return best

    def _may_end(self, V: Any, dimension: int, t: int, avoid: Hypothesis[Point] | None) -> bool:
        return dimension < t or (dimension == t and (avoid is None or V.soa() != avoid))

    def _facts(self, V: Any) -> tuple[int, bool, list[tuple[Point, Any, Any]]]:
        """LDim, whether V may be a leaf as far as reducibility goes, and its distinct splits."""
        if V not in self.known:
            if len(self.known) == self.most:
                raise TooLargeError(
                    f"find the decomposition dimension of {self.H}",
                    found=f"it has more than {self.most} version spaces",
                    fix="use decompose(), whose degree is an upper bound",
                )
            dimension = int(V.littlestone_dimension())
            splits: dict[Any, tuple[Point, Any, Any]] = {}
            for x in self.points:
                zero, one = V.restrict(x, 0), V.restrict(x, 1)
                if not zero.is_empty() and not one.is_empty():
                    splits.setdefault(frozenset((zero, one)), (x, zero, one))
            irreducible = V.reducing_points(self.p * 2 ** (self.d - dimension)) is None
            self.known[V] = dimension, irreducible, list(splits.values())
        return self.known[V]

    def tree(self) -> DecompositionTree[Point]:
        """A valid tree of the least degree."""
        t = self.dimension
        nodes: list[Node[Any]] = []
        self._plant(self.H, t, 0, nodes)
        return DecompositionTree(self.p, self.d, tuple(nodes))

    def _plant(self, V: Any, t: int, depth: int, nodes: list[Node[Any]]) -> int:
        here = len(nodes)
        nodes.append(Node(V, depth))
        dimension, irreducible, splits = self._facts(V)
        if not (irreducible and self._may_end(V, dimension, t, None)):
            x, zero, one = max(
                splits, key=lambda s: min(self.deepest(s[1], t), self.deepest(s[2], t))
            )
            after = (self._plant(zero, t, depth + 1, nodes), self._plant(one, t, depth + 1, nodes))
            nodes[here] = Node(V, depth, x, after)
        return here
