"""The choosing mechanism: a private hypothesis from classes in which a record touches few of them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from itertools import islice
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from littlestone.privacy.cost import decimal_text
from littlestone.privacy.ledger import Receipt
from littlestone.privacy.mechanisms.lists.sparse_selection import Item, SparseSelection
from littlestone.privacy.parameters import require_whole

Covered = TypeVar("Covered", int, NDArray[np.int64])


@dataclass(frozen=True)
class ChoosingMechanism(SparseSelection[Iterable[tuple[Iterable[Item], bool]], Item]):
    """Draw h with Pr[h] ~ r^(a positives covered - b negatives covered), or bottom with Pr ~ r^B.

    A record is (the hypotheses that cover it, its label).  The candidates are all hypotheses that
    cover a positive record, whatever their scores.  A positive record counts for its first ``growth`` =
    g distinct hypotheses only, so one record brings at most g candidates.  Any number of hypotheses may
    cover a negative record; each counts once.  ``gain`` = a and ``loss`` = b are whole numbers of at
    least 1, by default 1.

    The neighbouring relation replaces one record, with its label.  A label change moves scores by
    a + b.  Yet the draw is (epsilon, delta)-DP with r <= e^(epsilon / (2 max(a, b))) rational, as if
    scores moved by max(a, b), because all scores move in one direction.
    B = ceil(a + ln(g (1 - delta) / delta) / ln r) for every useful delta.

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
    gain: int = 1
    loss: int = 1

    def __post_init__(self) -> None:
        super().__post_init__()
        for name in ("growth", "gain", "loss"):
            require_whole(name, getattr(self, name), least=1)

    @property
    def fresh(self) -> int:
        return self.growth

    @property
    def heaviest(self) -> int:
        return self.gain

    @property
    def sensitivity(self) -> int:
        return max(self.gain, self.loss)

    def scores(self, data: Iterable[tuple[Iterable[Item], bool]]) -> dict[Item, int]:
        """The `score` of each hypothesis that covers a positive record."""
        counts: dict[bool, Counter[Item]] = {True: Counter(), False: Counter()}
        for covering, label in data:
            each = dict.fromkeys(covering)  # in the order of this record, which it alone determines
            # The cut bounds V in docs/proofs/choosing.md, Theorem 1: one record brings at most g
            # candidates. Negative records need none, because they bring no candidate.
            counts[bool(label)].update(islice(each, self.growth if label else None))
        against = counts[False]
        # Every covered hypothesis stays a candidate, however low its score: dropping losers would
        # tie the set of candidates to other records.
        return {h: self.score(count, against[h]) for h, count in counts[True].items()}

    def score(self, positives: Covered, negatives: Covered) -> Covered:
        """The score of a hypothesis that covers these numbers of positive and negative records."""
        # All scores move in one direction, so r^(2 max(a, b)) suffices (docs/proofs/choosing.md,
        # steps 3 to 6).
        return self.gain * positives - self.loss * negatives

    def draw_scores(
        self,
        scores: NDArray[np.int64],
        lengths: NDArray[np.int64] | None = None,
        *,
        receipt: Receipt,
    ) -> int | None:
        """`draw` among candidates 0, 1, ... that are already scored; None for bottom.

        The next ``lengths[r]`` candidates have the score ``scores[r]``; one each if None.

        The caller guarantees what `draw` enforces: the candidates are the hypotheses that cover a
        positive record, at most ``growth`` of them per record, and their scores are given by `score`.
        """
        rng = receipt.redeem(self)
        return self._place(scores, lengths, rng)

    def __str__(self) -> str:
        weights = "" if self.sensitivity == 1 else f"gain {self.gain}, loss {self.loss}, "
        return (
            f"choosing mechanism of growth {self.growth}, {weights}"
            f"epsilon {decimal_text(self.epsilon)}, delta {decimal_text(self.delta)}"
        )
