"""0-covers: the number of output-labelled trees needed to follow each hypothesis down each path."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from itertools import product
from typing import Any

from littlestone.base.errors import DeclarationError
from littlestone.dimension.tables import LabelTable


def zero_cover_number(table: Any, tree: Sequence[int]) -> int:
    """N(0, H, z), the size of the smallest 0-cover of H on the input-labelled tree z.

        N(0, V, z) = sum over labels y of max(N(0, V_y, z_left), N(0, V_y, z_right)),

    where V_y are the hypotheses in V that give the root of z the label y.  Below the leaves, N is 1
    if V is not empty.  For an empty V, N is 0.  The reason: the trees of a cover with y at the root
    need to cover V_y only, and they cover the two subtrees of z independently.

    ``tree`` is a heap of 2^b - 1 numbers of points, in which node i has the children 2i + 1 and 2i + 2.
    Raises `DeclarationError` for another length or an unknown point.  Takes
    O(2^b min(N, (k + 1)^b)) steps.  Source: BGS21, Definition 5.5.

    >>> zero_cover_number([[0, 0, 0], [0, 0, 1], [0, 1, 1], [1, 1, 1]], [1, 2, 0])
    4
    """
    H = LabelTable.of(table)
    if (len(tree) + 1).bit_count() != 1 or not all(0 <= x < len(H.points) for x in tree):
        raise DeclarationError(
            f"cover a class on a tree of {len(tree)} nodes",
            found=f"a tree is a heap of 2^b - 1 points, numbered 0..{len(H.points) - 1}",
            fix="give the points from the root on, level by level",
        )

    def cover(alive: int, node: int) -> int:
        if node >= len(tree):
            return 1
        # Trees of a cover with different labels at the root cover different pieces, so the sizes
        # add up.
        pieces = (alive & mask for mask in H.masks[tree[node]].values())
        return sum(
            max(cover(piece, 2 * node + 1), cover(piece, 2 * node + 2)) for piece in pieces if piece
        )

    return cover(H.alive, 0)


def zero_cover_function(table: Any, depth: int) -> int:
    """N(0, H, b), the maximum of N(0, H, z) over all input-labelled trees z of depth b.

    All version spaces that reach the root of a subtree share that subtree.  So the recursion is over
    families F of version spaces:

        S(F, b) = max over x and partitions of {V_(x,y) : V in F, y} into L and R
                  of S(L, b - 1) + S(R, b - 1),      S(F, 0) = |F|,  S(empty, b) = 0.

    S(F, b) is the maximum over z of the sum of N(0, V, z) over V in F, because each piece may take the
    larger of its two subtrees.  For 0/1 tables, N(0, V, b) = max over x of N(0, V_0, b - 1) +
    N(0, V_1, b - 1).

    Raises `DeclarationError` for a negative depth.  The time is exponential in the number of pieces,
    which is at most (k + 1)^b, so depths must be small or labels few.  Source: BGS21, Definition 5.5.

    >>> [zero_cover_function([[0, 0], [0, 1], [1, 1], [2, 0]], b) for b in range(4)]
    [1, 3, 4, 4]
    """
    H = LabelTable.of(table)
    if depth < 0:
        raise DeclarationError(
            f"take trees of depth {depth}", found="it is negative", fix="give a depth of at least 0"
        )
    columns = tuple({tuple(here.values()) for here in H.masks})

    @cache
    def most(family: tuple[int, ...], b: int) -> int:
        # A single hypothesis needs one tree.  Only larger version spaces leave a choice.
        single = sum(mask.bit_count() == 1 for mask in family)
        family = tuple(sorted(mask for mask in family if mask.bit_count() > 1))
        if not family or b == 0:
            return single + len(family)
        return single + max(partitions(pieces(family, column), b - 1) for column in columns)

    def pieces(family: tuple[int, ...], column: tuple[int, ...]) -> tuple[int, ...]:
        found = (mask & part for mask in family for part in column)
        return tuple(sorted(piece for piece in found if piece))

    @cache
    def partitions(family: tuple[int, ...], b: int) -> int:
        single = tuple(mask for mask in family if mask.bit_count() == 1)
        first, *others = [mask for mask in family if mask.bit_count() > 1] or [0]
        if not first:
            return len(single)
        if b == 0:
            return len(family)
        best = 0
        # The first piece goes left: exchanging the two sides gives the same sum.
        for right in product((False, True), repeat=len(others)):
            sides = [first], []  # type: tuple[list[int], list[int]]
            for mask, side in zip(others, right, strict=True):
                sides[side].append(mask)
            best = max(best, sum(most(tuple(side), b) for side in sides))
        return len(single) + best

    return most((H.alive,), depth)
