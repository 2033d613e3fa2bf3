"""Irreducibility, and valid trees: greedy ones (Lyu25, Claim 4.1) and optimal ones (Definition 4.2).

Greedy trees grow as p grows and their class shrinks.
"""

from __future__ import annotations

from dataclasses import replace
from functools import cached_property
from typing import Any, cast

from littlestone.base.errors import DeclarationError, TooLargeError, in_digits
from littlestone.base.work import count_steps
from littlestone.classes import HypothesisClass
from littlestone.points import Point
from littlestone.rules import Hypothesis
from littlestone.theory.decomposition.valid_trees import Ball, DecompositionTree, Node, alone

MOST_ABOVE = 100_000
"""How far d may be above LDim: leaves are p 2^(d - LDim)-irreducible, and this number has that many
bits."""


def depth_parameter(H: HypothesisClass[Any], p: int, d: int | None, *, above: int = 0) -> int:
    """The d given, or the least legal one; `DeclarationError` unless p >= 1 and d >= LDim + above.

    Raises `TooLargeError` if d exceeds it by more than `MOST_ABOVE`.
    """
    H.require_learnable()
    least = int(H.littlestone_dimension()) + above
    d = least if d is None else d
    if type(p) is not int or type(d) is not int or p < 1 or d < least:
        raise DeclarationError(
            f"decompose {H} with p = {p} and d = {d}",
            found=f"its Littlestone dimension is {least - above}",
            fix=f"give whole numbers p >= 1 and d >= {least}",
        )
    if d > least + MOST_ABOVE:
        raise TooLargeError(
            f"decompose {H} with d = {in_digits(d)}",
            found=f"d may be {MOST_ABOVE:,} above the Littlestone dimension, {least - above}, at most",
            fix="give a smaller d, or none",
        )
    return d


def is_irreducible(H: HypothesisClass[Any], k: int) -> bool:
    """Whether no k points reduce H: LDim(H|(x_1,SOA_H(x_1)),...,(x_k,SOA_H(x_k))) = LDim(H).

    Lyu25, Definition 4.1.  Raises as `HypothesisClass.soa` does.  Cost: that of `reducing_points`.

    >>> from littlestone.classes import Points, Thresholds
    >>> from littlestone.points import Strings
    >>> is_irreducible(Points(Strings()), 1000), is_irreducible(Thresholds.on(0, 5), 2)
    (True, False)
    """
    return H.reducing_points(k) is None


def reducing_path(H: HypothesisClass[Point], k: int) -> tuple[tuple[Point, int], ...] | None:
    """At most k examples (x, SOA_H(x)) that lower LDim(H), the last of them for the first time.

    None iff H is k-irreducible.  Otherwise the version spaces off the path, one per point, and the one
    at its end cover H, and all have a lower dimension (Lyu25, after Definition 4.1).

    >>> from littlestone.classes import Thresholds
    >>> reducing_path(Thresholds.on(0, 4), 2)
    ((2, 1),)
    """
    # The search may be untrusted: `reduces` checks a path by restricting alone.
    points = H.reducing_points(k)
    if points is None:
        return None
    path: list[tuple[Point, int]] = []
    V = H
    for x in points:
        path.append((x, H.soa_label(x)))
        V = V.restrict(*path[-1])
        # Stop at the first fall: further points would lengthen the path for nothing.
        if V.littlestone_dimension() < H.littlestone_dimension():
            break
    return tuple(path)


def reduces(H: HypothesisClass[Point], path: tuple[tuple[Point, int], ...]) -> bool:
    """Whether ``path`` carries the SOA labels of H and lowers LDim(H): the check of `reducing_path`.

    >>> from littlestone.classes import Thresholds
    >>> H = Thresholds.on(0, 4)
    >>> [reduces(H, path) for path in [((2, 1),), ((2, 0),), ((0, 0),)]]
    [True, False, False]
    """
    V = H
    for x, y in path:
        V = V.restrict(x, y)
    labelled = all(y == H.soa_label(x) for x, y in path)
    return labelled and V.littlestone_dimension() < H.littlestone_dimension()


MOST_NODES = 100_000


def decompose(
    H: HypothesisClass[Point] | Ball[Point], p: int, d: int | None = None, *, most: int = MOST_NODES
) -> DecompositionTree[Point]:
    """A valid (p, d)-tree of H: a leaf is split along a reducing path while it has one.

    ``d`` is an upper bound on LDim(H), by default LDim(H) itself.  A ball of H is first split at the
    points of its sample; then d > LDim(H) is required, and the tree is valid if there are at most p
    points.  Raises `EmptyClassError`, `DeclarationError` for an illegal p or d, `TooLargeError`
    beyond ``most`` nodes.  Lyu25, Claim 4.1.

    >>> from littlestone.classes import FiniteClass, Points
    >>> from littlestone.points import Strings
    >>> singletons = FiniteClass.from_array([[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]])
    >>> [len(list(decompose(singletons, p).leaves())) for p in (1, 2, 3)]
    [1, 1, 4]
    >>> decompose(Points(Strings()), p=10**6).degree
    1
    """
    d = depth_parameter(H.whole, p, d, above=1) if isinstance(H, Ball) else depth_parameter(H, p, d)
    return _grow(H, p, d, (), most)


def refine(
    tree: DecompositionTree[Point],
    C: HypothesisClass[Point] | Ball[Point],
    p: int,
    *,
    most: int = MOST_NODES,
) -> DecompositionTree[Point]:
    """The tree of a subclass C for a larger p that extends ``tree`` by further splits.

    For C inside the class of ``tree`` and p >= ``tree.p`` it is a valid (p, d)-tree of C if
    ``tree`` is valid; branches that C leaves empty are cut off.  If C is a ball, this also needs
    p >= 2 ``tree.p`` and at most ``tree.p`` points in its sample.  Raises `DeclarationError` if
    p < ``tree.p``.  The only error that depends on C is `TooLargeError`.

    >>> from littlestone.classes import Thresholds
    >>> H = Thresholds.on(0, 6)
    >>> tree = decompose(H, 1)
    >>> [V.size for V in tree.leaves()], [V.size for V in refine(tree, H.restrict(2, 1), 2).leaves()]
    ([1, 1, 1, 1, 1, 1, 1, 1], [1, 1, 1])
    """
    if type(p) is not int or p < tree.p:
        raise DeclarationError(
            f"refine a ({tree.p}, {tree.d})-tree with p = {p}",
            found="a finer tree needs a p at least as large",
            fix=f"give a whole number p >= {tree.p}",
        )
    return _grow(C, p, tree.d, tree.nodes, most)


def top_hypotheses(
    ball: Ball[Point], p: int, d: int | None = None, *, most: int = MOST_NODES
) -> tuple[int, list[Hypothesis[Point]]]:
    """The degree of the tree that `decompose` makes of a ball, and its SOAs of that dimension.

    The leaves are found cell by cell, without the splits that lead to the cells.  The result is
    (-1, []) if the ball is empty.  The only error that depends on the ball is `TooLargeError`.  If
    there are at most p sample points and the leaves of that dimension are irreducible for all k, the
    degree is DDim_(p,d) of the ball and the list holds its essential hypotheses.

    >>> from littlestone.classes import Points
    >>> from littlestone.theory.decomposition import error_ball
    >>> from littlestone.points import Strings
    >>> from littlestone.data.sample import Sample
    >>> H, examples = Points(Strings("dest")), [("HNL", 1)] * 2 + [("BOS", 1), ("ATL", 0)]
    >>> ball = error_ball(H, Sample.from_examples(H.domain, examples), 3)
    >>> top_hypotheses(ball, p=3)[0], [f.words() for f in top_hypotheses(ball.shrink(2), p=3)[1]]
    (1, ["dest is 'BOS'", "dest is 'HNL'"])
    """
    d = depth_parameter(ball.whole, p, d, above=1)
    degree, found = -1, dict[Hypothesis[Point], None]()
    for V, _ in ball.cells:
        tree = _grow(V, p, d, (), most)
        most -= len(tree.nodes)
        if tree.degree > degree:
            degree, found = tree.degree, {}
        if tree.degree == degree:
            found |= dict.fromkeys(tree.hypotheses())
    return degree, list(found)


def certain_hypotheses(tree: DecompositionTree[Point]) -> list[Hypothesis[Point]]:
    """The SOAs of leaves that prove DDim_(p,d)(H) = t = the degree of the tree; all are essential.

    These leaves have LDim t and are (p (2^(d-t+1) - 1) + 1)-irreducible.  If there is one, ``tree`` is
    optimal.  If they give all of `DecompositionTree.hypotheses`, the list has all essential hypotheses.
    So infinite classes have exact answers too.  See Lemma 4.3 of Lyu25.

    >>> from littlestone.classes import Points
    >>> from littlestone.points import Integers
    >>> [f.words() for f in certain_hypotheses(decompose(Points(Integers()), p=5))]
    ['always 0']
    """
    t = tree.degree
    # One more than the deepest node of LDim t may lie: no tree can reduce such a version space.
    k = tree.p * (2 ** (tree.d - t + 1) - 1) + 1
    top = (V for V in tree.leaves() if V.littlestone_dimension() == t)
    return list(dict.fromkeys(V.soa() for V in top if is_irreducible(V, k)))


_Path = tuple[tuple[Any, int], ...]


def _grow(
    C: HypothesisClass[Any] | Ball[Any], p: int, d: int, old: tuple[Node[Any], ...], most: int
) -> DecompositionTree[Any]:
    # A tree may be as deep as a sample is long, so there is no recursion.  ``follow`` is the node of
    # the old tree at this place, ``path`` is the rest of a reducing path, and ``parent`` is the number
    # of the parent with the label.
    labels = (C.whole if isinstance(C, Ball) else C).labels
    nodes: list[Node[Any]] = []
    waiting: list[tuple[Any, int | None, _Path, tuple[int, int] | None]]
    waiting = [(C, 0 if old else None, (), None)]
    while waiting:
        space, follow, path, parent = waiting.pop()
        # No hypothesis gets here: a branch without hypotheses is no leaf (Lyu25, Lemma 4.1 is false
        # otherwise).
        if space.is_empty():
            continue
        here = len(nodes)
        count_steps()
        if here >= most:
            raise TooLargeError(
                f"decompose with p = {p} and d = {d}",
                found="the tree has more nodes than are allowed",
                fix="allow more, or give a smaller p or a class of smaller Littlestone dimension",
            )
        if parent is not None:
            above, label = parent
            after = list(nodes[above].after)
            after[label] = here
            nodes[above] = replace(nodes[above], after=tuple(after))
        below: tuple[int | None, ...] = (None,) * labels
        # First repeat the old tree, then grow: leaves stay within leaves (Lemma 4.3).
        if follow is not None and old[follow].space is None:
            x, below = old[follow].point, old[follow].after
        else:
            path = path or _next_path(space, p, d)
            if not path:
                nodes.append(Node(alone(space)))
                continue
            x = path[0][0]
        nodes.append(Node(point=x, after=(None,) * labels))
        for y in reversed(range(labels)):
            # Only the branch of the SOA's label follows the path; the others leave it.
            rest = path[1:] if path and path[0][1] == y else ()
            waiting.append((space.restrict(x, y), below[y], rest, (here, y)))
    return DecompositionTree(p, d, tuple(nodes))


def _next_path(space: HypothesisClass[Any] | Ball[Any], p: int, d: int) -> _Path:
    """The path to attach to a leaf; empty if it stays a leaf."""
    V = alone(space)
    if V is None:
        return ((cast(Ball[Any], space).separating_point(), 0),)
    # Irreducibility as Definition 4.2 asks of a leaf of this dimension.
    return reducing_path(V, p * 2 ** (d - int(V.littlestone_dimension()))) or ()


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
