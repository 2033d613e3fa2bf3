"""Algorithm 2, AboveThreshold in the style of Cohen and Lyu (Lyu25, section 3.4)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from fractions import Fraction

from littlestone.learn.papers.boxes.base import box, reaches
from littlestone.privacy.randomness import Choose


@box("Lyu25 Algorithm 2")
def cl_above_threshold(
    queries: Iterable[int],
    *,
    H: Fraction,
    K: int,
    epsilon: Fraction,
    count_below: bool = False,
    choose: Choose,
) -> Iterator[bool]:
    """Whether f_t(D) + Lap(1 / epsilon) >= H, for one query after another.

    ``queries`` may depend on the answers so far: each is received when it is its turn.
    ``count_below`` counts the answers Below instead (the first remark).

    promise: (epsilon O(sqrt(K log(1 / delta)) + log(1 / delta)), delta)-DP (Lemma 3.2)
    found: "counter <= K" lets K + 1 hits pass, so noise that is right for K hits leaks
    ours: privacy.mechanisms.above_threshold.AboveThreshold
    mend: while counter < K
    """
    counter = 0
    received = iter(queries)
    while counter <= K:
        value = next(received, None)
        if value is None:
            return
        above = reaches(value, H, epsilon, choose)
        counter += above is not count_below
        yield above
