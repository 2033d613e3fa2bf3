"""Selection among rules by the number of radii at which the whole sample lists them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction

from littlestone.privacy.mechanisms.sparse_selection import Item, SparseSelection
from littlestone.privacy.parameters import require_whole


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
