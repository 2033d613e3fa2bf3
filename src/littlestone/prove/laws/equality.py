"""Laws of equality: of version spaces, and of equal objects as points and labels."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise
from typing import Any

import numpy as np

from littlestone.base.errors import DeclarationError
from littlestone.prove.laws.core import Class, cells, expect, labels, points, version_spaces
from littlestone.prove.laws.disguises import disguises

FULLY_COMPARED = 12  # version spaces on at most so many points are compared as sets of functions


def _paths(H: Class) -> Iterator[Class]:
    """Version spaces of H: those of random walks, and those after many examples of one label."""
    yield from version_spaces(H, most=8)
    for y in labels(H):
        V = H
        for x in points(H)[:8]:
            V = V.restrict(x, y)
            yield V


def examples_that_say_nothing(H: Class) -> None:
    """V|(x,y) = V if all of V gives x the label y, and V|(a,y)|(b,z) = V|(b,z)|(a,y), as objects."""
    for y in labels(H):
        first = points(H)[:8]
        for x in first:
            V = H
            for z in first:
                V = V if z == x else V.restrict(z, y)
            if not V.is_empty() and all(V.restrict(x, z).is_empty() for z in labels(V) if z != y):
                law = "V|(x,y) = V if no other label is left at x"
                _expect_equal(V.restrict(x, y), V, law, V=V, x=x, y=y)
    for V in _paths(H):
        tried = points(V, few=4)[:8]
        for x in tried:
            left = [V.restrict(x, y) for y in labels(V)]
            kept = [y for y, W in enumerate(left) if not W.is_empty()]
            for y in kept:
                law = "V|(x,y)|(x,y) = V|(x,y)"
                _expect_equal(left[y].restrict(x, y), left[y], law, V=V, x=x, y=y)
            if len(kept) == 1:
                law = "V|(x,y) = V if no other label is left at x"
                _expect_equal(left[kept[0]], V, law, V=V, x=x, y=kept[0])
        for a, b in pairwise(tried[:5]):
            for y in labels(V):
                for z in labels(V):
                    one, other = (V.restrict(a, y).restrict(b, z), V.restrict(b, z).restrict(a, y))
                    law = "V|(a,y)|(b,z) = V|(b,z)|(a,y)"
                    _expect_equal(one, other, law, V=V, a=a, y=y, b=b, z=z)


def empty_version_spaces(H: Class) -> None:
    """All examples that contradict H lead to equal objects: the empty class."""
    empty: list[Class] = []
    for V in _paths(H):
        empty += [V] if V.is_empty() else []
        for x in points(V, few=2)[:4]:
            empty += [W for y in labels(V) if (W := V.restrict(x, y)).is_empty()]
            empty += [
                V.restrict(x, y).restrict(x, z) for y in labels(V) for z in labels(V) if y != z
            ]
    for V in empty:
        _expect_equal(V, empty[0], "two empty version spaces are equal")


def equality_as_sets(H: Class) -> None:
    """Equal version spaces label points in the same ways; on few points, the converse holds too."""
    whole = H.domain.size is not None and H.domain.size <= FULLY_COMPARED
    tried = list(H.domain) if whole else points(H, few=3)[:5]
    met: list[tuple[Class, frozenset[tuple[int, ...]]]] = []
    for V in _paths(H):
        ways = frozenset(cells(V, tried))
        for W, other in met:
            if V == W:
                expect(ways == other, "equal version spaces label alike", V=V, W=W)
            elif whole:
                expect(ways != other, "version spaces of the same functions are equal", V=V, W=W)
        met.append((V, ways))


def _expect_equal(left: Class, right: Class, law: str, /, **witness: object) -> None:
    expect(left == right and right == left, law, **witness, left=repr(left), right=repr(right))
    expect(hash(left) == hash(right), f"equal classes have one hash: {law}", **witness)


def equal_objects_restrict_alike(H: Class) -> None:
    """An object that equals a point or a label has the same effect as it, or is refused.

    Examples are True, 1.0, numpy's numbers and texts of derived types.  The version space must not keep
    them, because it would reveal which of several equal objects a record had.
    """
    for V in version_spaces(H, most=3):
        for x in points(V, few=3)[:4]:
            for y in labels(V):
                W = V.restrict(x, y)
                given = [(other, y) for other in disguises(x, harsh=False)]
                given += [(x, label) for label in _equal_labels(y)]
                for other, label in given:
                    try:
                        found = V.restrict(other, label)
                    except DeclarationError:
                        continue
                    at = {"V": V, "x": repr(other), "y": repr(label)}
                    _expect_equal(found, W, "equal objects are one example", **at)
                    law = "a version space keeps no object of another type"
                    expect(repr(found) == repr(W), law, **at, found=repr(found))


def _equal_labels(y: int) -> list[Any]:
    return [bool(y), float(y), np.int64(y), np.bool_(y)] if y < 2 else [float(y), np.int64(y)]
