"""The tree of a teacher on a stream: version spaces whose SOA is often right on every chunk."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction
from typing import Any

from littlestone.classes.base import HypothesisClass, require_few
from littlestone.theory.decomposition import reducing_path

Chunk = tuple[tuple[Any, int], ...]
"""The examples that a teacher got in one epoch."""

ByTeacher = dict[int, list[tuple[Any, int]]]
"""The examples of one epoch, grouped by teacher."""


def stage_leaves(
    H: HypothesisClass[Any],
    chunks: Sequence[Chunk],
    level: Fraction,
    p: int,
    dimension: int,
    *,
    most: int | None = None,
) -> Iterator[HypothesisClass[Any]]:
    """The leaves V of Littlestone dimension ``dimension`` of the tree of these chunks.

    A node V is split along a path labelled by its SOA.  If V is p 2^(d - LDim(V))-reducible, with
    d = LDim(H), the path is one that reduces V.  Otherwise it is the points of the first chunk on which
    SOA_V errs more than ``level`` times its size, and what is at the end of the path is dropped.  All
    other nodes are leaves.  If no chunk has more than p points, the tree is valid except for the
    dropped ends, and it only grows with one more chunk (docs/proofs/staged-stream.md, Lemmas 1 and 2).

    Raises `TooLargeError` if it has to look at more than ``most`` version spaces.  Source: Lyu25,
    Algorithm 4, DefineClass and line 5, where the leaves are those of all trees.

    >>> from littlestone.classes import Subsets
    >>> from littlestone.points import Integers
    >>> H, chunks = Subsets(Integers(), 2), [((1, 1), (5, 0))]
    >>> for t in (2, 1, 0):
    ...     print(t, [V.soa().words() for V in stage_leaves(H, chunks, Fraction(0), 2, t)])
    2 []
    1 ['x is 1']
    0 []
    """
    d, waiting, looked = int(H.littlestone_dimension()), [H], 0
    while waiting:
        V = waiting.pop()
        looked += 1
        require_few(looked, most)
        left = int(V.littlestone_dimension())
        if left < dimension:
            continue  # and so are all nodes below
        path = reducing_path(V, p << (d - left))
        if reduced := path is not None:
            steps = list(path or ())
        else:
            f = V.soa()
            mistaken = next((chunk for chunk in chunks if errs(f, chunk) > level), None)
            if mistaken is None:
                if left == dimension:
                    yield V
                continue
            # Off this path hypotheses contradict SOA_V somewhere on the chunk; its end has SOA_V's
            # own errors and is dropped (Lemma 2).
            steps = [(x, f(x)) for x in dict.fromkeys(x for x, _ in mistaken)]
        for x, y in steps:
            waiting.append(V.restrict(x, 1 - y))
            V = V.restrict(x, y)
        if reduced:
            waiting.append(V)


def errs(f: Any, chunk: Chunk) -> Fraction:
    """The share of the chunk's examples on which f errs; 0 without examples."""
    if not chunk:
        return Fraction(0)
    return Fraction(sum(f(x) != y for x, y in chunk), len(chunk))
