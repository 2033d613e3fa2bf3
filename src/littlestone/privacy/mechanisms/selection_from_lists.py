"""Selection among the items that the lists of teachers, or of radii, share."""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from fractions import Fraction
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


@dataclass(frozen=True)
class RadiiSelection(SparseSelection[Mapping[Item, int], Item]):
    """Draw u with Pr[u] ~ r^score(u), or bottom with Pr ~ r^B, if records move scores in ``runs``.

    Each candidate belongs to one of ``runs`` runs.  Replacing one record moves the scores of a run
    together by at most 1, and each score by at most 1 more.  The candidates of a run that it brings
    together weigh at most r^2.  Then the draw is (epsilon, delta)-DP with r <= e^(epsilon / 2) for one
    run, and r <= e^(epsilon / 4) for several:  B = ceil(2 + ln(runs (1 - delta) / delta) / ln r).

    Source: docs/proofs/radii.md, Theorem 1.  `RadiiLearner` makes such scores.

    >>> from littlestone.privacy import Budget
    >>> [RadiiSelection(Budget(1, "1e-6"), runs).bottom for runs in (1, 2, 3)]
    [30, 61, 62]
    """

    runs: int

    def __post_init__(self) -> None:
        super().__post_init__()
        require_whole("runs", self.runs, least=1)

    @property
    def fresh(self) -> int:
        return self.runs

    @property
    def heaviest(self) -> int:
        # docs/proofs/radii.md, Lemma 2: what one record alone brings scores at most 2.
        return 2

    @property
    def sensitivity(self) -> int:
        # Theorem 1, step 1: one run moves together, so log-ratios span 2 ln r; several may move
        # apart, 4 ln r.
        return 1 if self.runs == 1 else 2

    @property
    def _limit(self) -> Fraction:
        # What else the bound of delta0 has to satisfy elsewhere, the proof does not ask here.
        return self.delta

    def scores(self, data: Mapping[Item, int]) -> dict[Item, int]:
        return dict(data)

    def __str__(self) -> str:
        return f"selection by radii in {self.runs} run{'s' if self.runs > 1 else ''}, {self.budget}"
