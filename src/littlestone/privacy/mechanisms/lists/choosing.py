"""The choosing mechanism: a private hypothesis from classes in which a record touches few of them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from itertools import islice

import numpy as np
from numpy.typing import NDArray

from littlestone.privacy.cost import decimal_text
from littlestone.privacy.ledger import Receipt
from littlestone.privacy.mechanisms.lists.sparse_selection import Item, SparseSelection
from littlestone.privacy.parameters import whole


@dataclass(frozen=True)
class ChoosingMechanism(SparseSelection[Iterable[tuple[Iterable[Item], bool]], Item]):
    """Draw h with Pr[h] ~ r^(positives covered - negatives covered), or bottom with Pr ~ r^B.

    A record is (the hypotheses that cover it, its label).  The candidates are all hypotheses that
    cover a positive record, including those with scores below 1.  Of a positive record only the first
    ``growth`` = g distinct hypotheses count, so one record brings at most g candidates.  Any number of
    hypotheses may cover a negative record; each counts once.

    The neighbouring relation replaces one record, with its label.  A label change moves scores by 2.
    Yet the draw is (epsilon, delta)-DP with r <= e^(epsilon / 2) rational, as if scores moved by 1,
    because all scores move in one direction.  B = ceil(1 + ln(g (1 - delta) / delta) / ln r) for every
    useful delta.

    Source: BNS13, the choosing mechanism for bounded growth; the proof of this form is in
    docs/proofs/choosing.md.  Time: O(number of pairs of a record and a hypothesis).

    >>> from fractions import Fraction
    >>> from littlestone.privacy import Budget
    >>> mechanism = ChoosingMechanism(Budget(1, "1e-6"), growth=1)
    >>> records = [(["a"], True)] * 50 + [(["b"], True)] * 45 + [(["a"], False)] * 3
    >>> mechanism.bottom, mechanism.scores(records)
    (29, {'a': 47, 'b': 45})
    """

    growth: int

    def __post_init__(self) -> None:
        super().__post_init__()
        whole("growth", self.growth, least=1)

    @property
    def fresh(self) -> int:
        return self.growth

    def scores(self, data: Iterable[tuple[Iterable[Item], bool]]) -> dict[Item, int]:
        """Positives covered minus negatives covered, for each hypothesis that covers a positive."""
        counts: dict[bool, Counter[Item]] = {True: Counter(), False: Counter()}
        for covering, label in data:
            each = dict.fromkeys(covering)  # in the order of this record, which it alone determines
            counts[bool(label)].update(islice(each, self.growth if label else None))
        against = counts[False]
        return {h: count - against[h] for h, count in counts[True].items()}

    def draw_scores(self, scores: NDArray[np.int64], *, receipt: Receipt) -> int | None:
        """`draw` among candidates 0, 1, ... that are already scored; None for bottom.

        The caller guarantees what `draw` enforces: the candidates are the hypotheses that cover a
        positive record, at most ``growth`` of them per record, and a score is the number of positive
        records covered minus the number of negative records covered.
        """
        rng = receipt.redeem(self)
        return self._place(scores, rng)

    def __str__(self) -> str:
        return (
            f"choosing mechanism of growth {self.growth}, "
            f"epsilon {decimal_text(self.epsilon)}, delta {decimal_text(self.delta)}"
        )
