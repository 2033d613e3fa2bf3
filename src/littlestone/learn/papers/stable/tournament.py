"""Tournaments of samples, whose winner the SOA often turns into the same rule."""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from typing import cast

from littlestone.classes.base import HypothesisClass
from littlestone.points import Point
from littlestone.rules import Hypothesis, disagreement
from littlestone.theory.game.learners import ExtendedSOA

Examples = Sequence[tuple[Point, int]]


def stable_rule(
    H: HypothesisClass[Point], k: int, blocks: Iterator[Examples[Point]], rng: random.Random
) -> Hypothesis[Point] | None:
    """SOA(S T) for S ~ D~_k and a block T: the output of G once it has drawn k (BLM20, section 4.3).

    D~_0 is the empty sample.  For D~_k, two samples S_0, S_1 ~ D~_(k-1), each with a block T_0, T_1
    of its own, are drawn until f_b = SOA(S_b T_b) differ, at a point x.  A uniform label y
    then decides: S_b T_b (x, y) is returned, for the b with f_b(x) != y.  Each of the k examples
    (x, y) of S is a mistake of the SOA, and the rule agrees with T (Observation 11).

    ``blocks`` are fresh examples, n >= 1 in each.  n is the paper's auxiliary size, and with N / n + 1
    blocks, N is its cap on the draws.  None if the blocks run out, or if a rule has no canonical form
    because the examples are not realizable.

    >>> from littlestone.classes import Thresholds
    >>> blocks = iter([[(7, 1)], [(2, 0)], [(5, 1)]])
    >>> stable_rule(Thresholds.on(0, 9), 1, blocks, random.Random(4)).words()
    'x >= 2'
    """
    found = _contender(ExtendedSOA(H), k, blocks, rng)
    return None if found is None else found.hypothesis()


def _contender(
    start: ExtendedSOA[Point], k: int, blocks: Iterator[Examples[Point]], rng: random.Random
) -> ExtendedSOA[Point] | None:
    """The state of the SOA after S T."""
    state = _winner(start, k, blocks, rng) if k else start
    block = next(blocks, None)
    return None if state is None or block is None else state.after(block)


def _winner(
    start: ExtendedSOA[Point], k: int, blocks: Iterator[Examples[Point]], rng: random.Random
) -> ExtendedSOA[Point] | None:
    """The state of the SOA after S ~ D~_k, for k >= 1."""
    while True:
        pair = [_contender(start, k - 1, blocks, rng) for _ in range(2)]
        rules = [None if state is None else state.hypothesis() for state in pair]
        (one, other), (f, g) = pair, rules
        if one is None or other is None or f is None or g is None:
            return None
        # No point tells them apart: draw two new contenders, as the paper does.
        if f == g:
            continue
        x = cast(Point, disagreement(f, g))
        # A guessed label: whoever predicted it otherwise has made a mistake, and mistakes lower the
        # dimension.
        y = rng.randrange(start.version_space.labels)
        return (one if f(x) != y else other).update(x, y)
