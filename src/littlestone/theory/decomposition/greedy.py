"""Greedy trees, which grow as p grows and their class shrinks (Lyu25, Claim 4.1); irreducibility."""

from __future__ import annotations

from dataclasses import replace
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
