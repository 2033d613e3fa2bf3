"""Private estimates of how good a released rule is, and of how much of a table was not read."""

from __future__ import annotations

import random
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from decimal import ROUND_CEILING, ROUND_FLOOR, ROUND_HALF_EVEN, Decimal
from fractions import Fraction
from typing import Any, NamedTuple

import numpy as np

from littlestone.data.sample import Sample
from littlestone.data.table import SPANNING
from littlestone.privacy.cost import PrivacyCost, decimal_text, exact_epsilon
from littlestone.privacy.draws import (
    CELLS,
    UNREAD,
    Noisy,
    counts_of_rule,
    counts_of_unread,
)
from littlestone.privacy.ledger import Ledger
from littlestone.privacy.mechanisms.cell_counts import CellCounts
from littlestone.rules import Hypothesis

BETA = Fraction(1, 20)
"""The probability with which an interval that is shown may fail, over the noise."""


class Share(NamedTuple):
    """A share of records that lies between ``low`` and ``high``, most likely near ``middle``."""

    middle: Fraction
    low: Fraction
    high: Fraction


def say_baseline(positives: Share, says: str = "predicting", no: str = "0", yes: str = "1") -> str:
    """What the better of the rules that never look errs on, by the share of positives.

    >>> say_baseline(Share(Fraction(9, 10), Fraction(8, 10), Fraction(1)))
    'always predicting 1 errs on the rest'
    """
    if positives.middle > Fraction(1, 2):
        return f"always {says} {yes} errs on the rest"
    return f"always {says} {no} errs on as many"


class UnreadRecords(NamedTuple):
    """Noisy numbers of records with an unread cell, and with an unread label, at ``epsilon``."""

    epsilon: Fraction
    cells: int
    labels: int


@dataclass(frozen=True)
class Estimate:
    """Noisy numbers of true positives, false positives and false negatives among ``n`` records.

    Each is the true number plus independent discrete Laplace noise, drawn by `CellCounts` at
    ``epsilon``, and may be negative.  Everything else is computed from these numbers: `precision`,
    `recall`, `error`, `coverage` and `positive`, with intervals that all hold together with probability
    1 - beta over the noise.  They describe the n records themselves, not new ones.  Source:
    docs/proofs/estimates.md.

    ``unread`` has two more such numbers, of records that were not wholly read, if they were bought;
    its epsilon is added to that of the three.

    >>> estimate = Estimate(Fraction(1), 1000, 95, 4, 11)
    >>> [round(float(share), 3) for share in estimate.precision(Fraction(1, 20))]
    [0.96, 0.879, 1.0]
    """

    epsilon: Fraction
    n: int
    true_positives: int
    false_positives: int
    false_negatives: int
    unread: UnreadRecords | None = field(default=None, kw_only=True)

    @classmethod
    def from_counts(cls, counts: Sequence[Noisy], n: int) -> Estimate | None:
        """The estimate of ``n`` records by what `draw_counts` drew; None if nothing was."""
        if not counts:
            return None
        (epsilon, noisy), *more = counts
        unread = [UnreadRecords(of.epsilon, *of.counts) for of in more]
        return cls(epsilon, n, *noisy, unread=unread[0] if unread else None)

    @property
    def total_epsilon(self) -> Fraction:
        """The epsilon of all counts."""
        return self.epsilon + (0 if self.unread is None else self.unread.epsilon)

    def precision(self, beta: Fraction) -> Share:
        """The share of positive labels where the rule is 1; from 0 to 1 if that may be nowhere."""
        return self._ratio(self.true_positives, self.false_positives, beta)

    def recall(self, beta: Fraction) -> Share:
        """The share of the positive labels where the rule is 1; from 0 to 1 if there may be none."""
        return self._ratio(self.true_positives, self.false_negatives, beta)

    def error(self, beta: Fraction) -> Share:
        """The share of records whose label the rule does not predict."""
        return self._sum(self.false_positives, self.false_negatives, beta)

    def coverage(self, beta: Fraction) -> Share:
        """The share of records where the rule is 1."""
        return self._sum(self.true_positives, self.false_positives, beta)

    def positive(self, beta: Fraction) -> Share:
        """The share of records whose label is positive."""
        return self._sum(self.true_positives, self.false_negatives, beta)

    def unread_shares(self, beta: Fraction) -> tuple[Share, Share] | None:
        """The shares of records with an unread cell and with an unread label; None if not bought."""
        if self.unread is None:
            return None
        t = counts_of_unread(self.unread.epsilon).within(self._beta(len(UNREAD), beta))
        cells, labels = self.unread.cells, self.unread.labels
        return self._share(self._near(cells, t)), self._share(self._near(labels, t))

    def _beta(self, counts: int, beta: Fraction) -> Fraction:
        """The part of beta for some of the counts: each of all counts has the same."""
        known = len(CELLS) + (0 if self.unread is None else len(UNREAD))
        return beta * counts / known

    def _sum(self, one: int, other: int, beta: Fraction) -> Share:
        """The share of records in one of two cells."""
        sums = zip(self._range(one, beta), self._range(other, beta), strict=True)
        return self._share(map(sum, sums))

    def _share(self, counts: Iterable[int]) -> Share:
        return Share(*(Fraction(min(count, self.n), self.n) for count in counts))

    def _range(self, count: int, beta: Fraction) -> tuple[int, int, int]:
        """A noisy count, and the least and largest true count that noise of at most t allows."""
        return self._near(count, counts_of_rule(self.epsilon).within(self._beta(len(CELLS), beta)))

    def _near(self, count: int, t: int) -> tuple[int, int, int]:
        low, middle, high = (min(max(count + move, 0), self.n) for move in (-t, 0, t))
        return middle, low, high

    def _ratio(self, inside: int, outside: int, beta: Fraction) -> Share:
        """The share inside / (inside + outside), rising with ``inside``, falling with ``outside``."""
        middle, low, high = self._range(inside, beta)
        other, few, many = self._range(outside, beta)
        return Share(
            # The ends pair extreme counts, so the interval holds whenever both counts are within t
            # (docs/proofs/estimates.md, Theorem 3).
            _share(middle, other),
            Fraction(low, low + many) if low + many else Fraction(0),
            Fraction(high, high + few) if high + few else Fraction(1),
        )

    def rows(self) -> list[tuple[str, str]]:
        """What the estimate says of the records themselves, as pairs (heading, sentence).

        The share of positives is the error of the rule that always predicts 0, to compare with.

        >>> Estimate(Fraction(1), 1000, 95, 4, 11).rows()[0]
        ('positives', 'about 0.106, from 0.090 to 0.122; always predicting 0 errs on as many')
        """
        positives = interval(self.positive(BETA), "0.001")
        rows = [
            ("positives", f"{positives}; {say_baseline(self.positive(BETA))}"),
            ("precision", interval(self.precision(BETA), "0.001")),
            ("recall", interval(self.recall(BETA), "0.001")),
            ("error", interval(self.error(BETA), "0.001")),
        ]
        all_hold = "all four"
        if shares := self.unread_shares(BETA):
            words = zip(UNREAD, shares, strict=True)
            unread = "; ".join(f"{name} {interval(share, '0.001')}" for name, share in words)
            rows.append(("unread", unread))
            all_hold = "all six"
        kind = f"on these records, {all_hold} with probability {float(1 - BETA):.0%}; private, for"
        return [
            *rows,
            ("estimates", f"{kind} epsilon {decimal_text(self.total_epsilon)} of the total"),
        ]

    def to_json(self) -> dict[str, object]:
        """The counts as plain JSON values; `from_json` reads them back."""
        counts = self.true_positives, self.false_positives, self.false_negatives
        data = {"epsilon": decimal_text(self.epsilon), **dict(zip(CELLS, counts, strict=True))}
        if self.unread is None:
            return data
        epsilon, *unread = self.unread
        found = {"epsilon": decimal_text(epsilon), **dict(zip(UNREAD, unread, strict=True))}
        return {**data, "unread": found}

    @classmethod
    def from_json(cls, data: Mapping[str, Any], n: int) -> Estimate:
        """The estimate of ``n`` records that `to_json` wrote; raises `ValueError` if it is damaged."""
        counts, unread = [data[name] for name in CELLS], None
        if "unread" in data:
            more = [data["unread"][name] for name in UNREAD]
            unread = UnreadRecords(exact_epsilon(data["unread"]["epsilon"]), *more)
            counts += more
        if any(type(count) is not int for count in counts):
            raise ValueError("a noisy count is not a whole number")
        return cls(exact_epsilon(data["epsilon"]), n, *counts[: len(CELLS)], unread=unread)


def _share(inside: int, outside: int) -> Fraction:
    # If nothing is counted, any share will do; the interval says so.
    return Fraction(inside, inside + outside) if inside + outside else Fraction(0)


def errors(rule: Hypothesis[Any], sample: Sample[Any]) -> int:
    """The number of records that ``rule`` labels wrongly, for any number of labels.  NOT PRIVATE."""
    given = np.fromiter(map(rule, sample.points), np.int64, count=len(sample.points))
    return sample.n - int(sample.counts[np.arange(len(given)), given].sum())


def interval(share: Share, unit: str) -> str:
    """A share in words, rounded to the ``unit``; its ends are rounded outwards.

    >>> interval(Share(Fraction(2, 3), Fraction(1, 3), Fraction(1)), "0.01")
    'about 0.67, from 0.33 to 1.00'
    """
    return (
        f"about {_round(share.middle, unit, ROUND_HALF_EVEN)}, from "
        f"{_round(share.low, unit, ROUND_FLOOR)} to {_round(share.high, unit, ROUND_CEILING)}"
    )


def _round(share: Fraction, unit: str, rounding: str) -> str:
    value = Decimal(share.numerator) / Decimal(share.denominator)
    return str(value.quantize(Decimal(unit), rounding=rounding))


@dataclass(frozen=True)
class UnreadCounts:
    """Noisy numbers of records whose cell of each column, or whose label, is not read, among ``n``.

    Each is the true number plus independent discrete Laplace noise, and may be negative.  One replaced
    record moves each of them by at most 1, so each has the noise of epsilon / k for k counts.  Source:
    docs/proofs/estimates.md, Theorem 4.  ``total`` is what the data set had spent right after the draw,
    and ``limit`` its limit then.

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
    total: PrivacyCost | None = None
    limit: PrivacyCost | None = None

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
    paid = receipt.private, spanning, receipt.total, receipt.limit
    return UnreadCounts(event.epsilon, n, tuple(names), noisy, *paid)
