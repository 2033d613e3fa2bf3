"""Algorithm 1, private sparse sampling (Lyu25, section 3.3)."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Hashable, Iterable, Sequence
from fractions import Fraction
from typing import TypeVar

from littlestone.learn.papers.boxes.base import box, draw_item
from littlestone.privacy.randomness import Choose
from littlestone.privacy.rational import exp_below

Item = TypeVar("Item", bound=Hashable)


def printed_bottom(L: int, delta: float, epsilon: float) -> float:
    """B >= 10 log(L / delta) / epsilon, of Lemma 3.1.

    >>> round(printed_bottom(1, 1e-6, 1.0), 1)
    138.2
    """
    return 10 * math.log(L / delta) / epsilon


@box("Lyu25 Algorithm 1")
def sparse_sample(
    lists: Sequence[Iterable[Item]], *, epsilon: Fraction, B: Fraction, choose: Choose
) -> Item | None:
    """An item u of the lists L_1, ..., L_k with Pr ~ exp(epsilon score(u)), or None (bottom).

    promise: (2 epsilon, delta)-DP if |L_i| <= L and B >= 10 log(L / delta) / epsilon (Lemma 3.1)
    found: kept with room: a fifth of that B keeps it at toy sizes, a tenth does not. Longer
        lists break it
    ours: privacy.mechanisms.sparse_sampling.SparseSampling
    mend: each list is cut to its first L items
    """
    # score(u) = |{i : u in L_i}|
    score = Counter(u for items in lists for u in dict.fromkeys(items))
    base, whole = exp_below(epsilon), Fraction(B) // 1
    weights: dict[Item | None, Fraction] = {u: base**times for u, times in score.items()}
    weights[None] = base**whole * exp_below(epsilon * (Fraction(B) - whole))  # score(bottom) = B
    return draw_item(weights, choose)
