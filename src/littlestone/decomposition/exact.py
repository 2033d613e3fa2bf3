"""Decomposition dimension and essential hypotheses, exactly (Lyu25, Definitions 4.2 and 4.3)."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import count
from typing import Any

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
    """The same for many classes over one domain, for one p and d; what is found serves all of them.

    For a version space V let deepest(V, t) be the largest depth at which V may root a valid subtree
    of degree <= t, -1 if there is none.  What is valid at some depth is valid at any smaller one, so
    with l = LDim(V)

        deepest(V, t) = p (2^(d-l) - 1)    if l <= t and V is p 2^(d-l)-irreducible, and else
        deepest(V, t) = min(p (2^(d-l+1) - 1), max_x min_y deepest(V|(x,y), t) - 1)

    over the points x that split V, -1 if that is smaller.  (To split an irreducible V allows no
    larger depth, and splits that split nothing can be left out; see docs/proofs/decomposition.md.)
    DDim is the least t with deepest(H, t) >= 0.  A hypothesis f is essential iff deepest(H, DDim) < 0
    when leaves of LDim t with the SOA f are forbidden.
    """

    def __init__(self, p: int, d: int, *, most: int = MOST_SPACES) -> None:
        self.p, self.d, self.most = p, d, most
        self._known: dict[Any, _Facts] = {}
        self._depths: dict[Any, int] = {}

    def dimension(self, H: HypothesisClass[Any]) -> int:
        """DDim_(p,d)(H)."""
        self._require(H)
        return next(t for t in count() if self._deepest(H, t) >= 0)

    def essential(self, H: HypothesisClass[Point]) -> list[Hypothesis[Point]]:
        """The (p, d)-essential hypotheses of H."""
        t = self.dimension(H)
        return [f for f in self.tree(H).hypotheses() if self._deepest(H, t, avoid=f) < 0]

    def tree(self, H: HypothesisClass[Point]) -> DecompositionTree[Point]:
        """A valid (p, d)-tree of H of degree DDim_(p,d)(H)."""
        t = self.dimension(H)
        nodes: list[Node[Any]] = []

        def plant(V: Any, depth: int) -> int:
            here = len(nodes)
            nodes.append(Node(V, depth))
            facts = self._facts(V)
            if not facts.may_end(V, t, None):
                x, *sides = max(
                    facts.splits, key=lambda split: min(self._deepest(V, t) for V in split[1:])
                )
                zero, one = (plant(side, depth + 1) for side in sides)
                nodes[here] = Node(V, depth, x, (zero, one))
            return here

        plant(H, 0)
        return DecompositionTree(self.p, self.d, tuple(nodes))

    def _require(self, H: HypothesisClass[Any]) -> None:
        depth_parameter(H, self.p, self.d)
        if H.domain.size is None or H.domain.size > MOST_POINTS:
            raise TooLargeError(
                f"find the decomposition dimension of {H}",
                found=f"its domain has more than {MOST_POINTS} points",
                fix="use decompose(), whose degree is an upper bound, or a smaller domain",
            )

    def _deepest(self, V: Any, t: int, avoid: Hypothesis[Any] | None = None) -> int:
        key = (V, t, avoid)
        if key not in self._depths:
            facts = self._facts(V)
            if facts.may_end(V, t, avoid):
                deepest = self.p * (2 ** (self.d - facts.dimension) - 1)
            else:
                most = self.p * (2 ** (self.d - facts.dimension + 1) - 1)
                deepest = -1
                for _, *sides in facts.splits:
                    below = min(self._deepest(side, t, avoid) for side in sides)
                    deepest = max(deepest, min(most, below - 1))
                    if deepest == most:
                        break
            self._depths[key] = deepest
        return self._depths[key]

    def _facts(self, V: Any) -> _Facts:
        if V not in self._known:
            if len(self._known) >= self.most:
                raise TooLargeError(
                    "find the decomposition dimension",
                    found=f"there are more than {self.most} version spaces",
                    fix="use decompose(), whose degree is an upper bound",
                )
            dimension = int(V.littlestone_dimension())
            splits: dict[Any, tuple[Any, Any, Any]] = {}
            for x in V.domain:
                zero, one = V.restrict(x, 0), V.restrict(x, 1)
                if not zero.is_empty() and not one.is_empty():
                    splits.setdefault(frozenset((zero, one)), (x, zero, one))
            irreducible = V.reducing_points(self.p * 2 ** (self.d - dimension)) is None
            self._known[V] = _Facts(dimension, irreducible, list(splits.values()))
        return self._known[V]


@dataclass(frozen=True)
class _Facts:
    """Of a version space: LDim, whether it is irreducible enough for a leaf, its distinct splits."""

    dimension: int
    irreducible: bool
    splits: list[tuple[Any, Any, Any]]

    def may_end(self, V: HypothesisClass[Any], t: int, avoid: Hypothesis[Any] | None) -> bool:
        """Whether V may be a leaf of a tree of degree <= t without leaves (t, ``avoid``)."""
        if not self.irreducible or self.dimension > t:
            return False
        return self.dimension < t or avoid is None or V.soa() != avoid
