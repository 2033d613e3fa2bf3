"""How much of a table a declaration cannot read, as private counts."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

from littlestone.data.table import SPANNING
from littlestone.learn.results.estimate import BETA, Share, interval
from littlestone.privacy.cost import decimal_text
from littlestone.privacy.ledger import Ledger
from littlestone.privacy.mechanisms.scores.cell_counts import CellCounts


@dataclass(frozen=True)
class UnreadCounts:
    """Noisy numbers of records whose cell of each column, or whose label, is not read, among ``n``.

    Each is the true number plus independent discrete Laplace noise, and may be negative.  One replaced
    record moves each of them by at most 1, so each has the noise of epsilon / k for k counts.  Source:
    docs/proofs/estimates.md, Theorem 4.

    >>> found = UnreadCounts(Fraction(2), 1000, ("column age", "labels"), (21, -1))
    >>> found.share_rows()[0]
    ('column age', 'not read: about 0.021, from 0.017 to 0.025')
    """

    epsilon: Fraction
    n: int
    names: tuple[str, ...]
    counts: tuple[int, ...]
    private: bool = True
    spanning: bool = False

    def share(self, i: int) -> Share:
        """The share of records that are counted by count i; all hold with probability 1 - `BETA`."""
        t = unread_event(self.epsilon, len(self.names)).within(BETA)
        low, middle, high = (
            Fraction(min(max(self.counts[i] + move, 0), self.n), self.n) for move in (-t, 0, t)
        )
        return Share(middle, low, high)

    def share_rows(self) -> list[tuple[str, str]]:
        """The shares in words, as pairs (heading, sentence)."""
        found = [
            (name, f"not read: {interval(self.share(i), '0.001')}")
            for i, name in enumerate(self.names)
        ]
        span = f" ({SPANNING})" if self.spanning else ""
        meaning = f"replacing one of the {self.n:,} records{span} moves each count by at most 1"
        cost = f"epsilon {decimal_text(self.epsilon)}: {meaning}"
        return [*found, ("privacy", cost)]

    def to_json(self) -> dict[str, object]:
        """The noisy counts as plain JSON values."""
        return {
            "private": self.private,
            "epsilon": decimal_text(self.epsilon),
            "records": self.n,
            "unread": dict(zip(self.names, self.counts, strict=True)),
        }


def unread_event(epsilon: Fraction, counts: int) -> CellCounts:
    """What the given number of private counts spends, and how it is drawn."""
    return CellCounts(epsilon, counts, together=True)


def count_unread(
    event: CellCounts,
    names: Sequence[str],
    unread: Sequence[int],
    n: int,
    *,
    ledger: Ledger,
    dataset: str,
    spanning: bool = False,
    rng: random.Random | None = None,
) -> UnreadCounts:
    """Spend, then draw the noisy counts of unread cells; one ledger entry pays for all.

    Raises `BudgetExceededError` or `LedgerError` before anything is drawn.
    """
    what = f"count unread cells and labels of {len(names)} columns"
    # The counts are ready; the spend comes first, and then only the draw.
    receipt = ledger.spend(event, dataset=dataset, what=what, rng=rng)
    noisy = event.draw(unread, receipt=receipt)
    return UnreadCounts(event.epsilon, n, tuple(names), noisy, receipt.private, spanning)
