"""Sparse sampling: a private draw from the items that many of k lists share."""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from itertools import islice

from littlestone.privacy.mechanisms.sparse_selection import Item, SparseSelection
from littlestone.privacy.parameters import require_whole


@dataclass(frozen=True)
class SparseSampling(SparseSelection[Iterable[Iterable[Item]], Item]):
    """Draw an item u of k lists with Pr[u] ~ r^#{i : u in list i}, or bottom with Pr ~ r^B.

    The neighbouring relation replaces one list.  Each list counts as a set; the mechanism itself cuts
    it to its first ``list_size`` = L distinct items.  So the draw is (epsilon, delta)-DP for every
    input, with r <= e^(epsilon / 2) rational and B = ceil(1 + ln(L (1 - delta) / delta) / ln r) for
    every useful delta.  This is sharp: a smaller B is not private, for any k >= 1.

    Source: Lyu25, Algorithm 1, after GKM20, Lemma 36, where B is 10 ln(L / delta) / ln r.  The proof is
    in docs/proofs/sparse-sampling.md.  Time: O(total length of the lists), about 0.5 s for a million
    items.

    >>> from fractions import Fraction
    >>> from littlestone.privacy import Budget
    >>> mechanism = SparseSampling(Budget(1, "1e-6"), list_size=10)
    >>> mechanism.bottom, mechanism.copies_needed(Fraction(1, 20))
    (34, 40)
    >>> lists = [["a", "b"]] * 36 + [["b"]] * 4
    >>> [round(float(mechanism.distribution(lists)[u]), 3) for u in ("a", "b", None)]
    [0.114, 0.844, 0.042]
    """

    list_size: int

    def __post_init__(self) -> None:
        super().__post_init__()
        require_whole("list_size", self.list_size, least=1)

    @property
    def fresh(self) -> int:
        return self.list_size

    def scores(self, data: Iterable[Iterable[Item]]) -> dict[Item, int]:
        """The number of lists that contain each item."""
        counts: Counter[Item] = Counter()
        for listed in data:
            # A dictionary keeps the order of the list, so the cut depends on this list alone.
            counts.update(islice(dict.fromkeys(listed), min(self.list_size, sys.maxsize)))
        return counts

    def __str__(self) -> str:
        return f"sparse sampling from lists of at most {self.list_size}, {self.budget}"
