"""The risk of each label at each place of a released rule, also along a stream: private tables."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from functools import cached_property
from math import ceil, floor, log
from typing import Any

import numpy as np

from littlestone.base.errors import DeclarationError
from littlestone.learn.results.estimate import BETA, Share, interval
from littlestone.points import require_list
from littlestone.privacy.accounting.subsampled import InBlocks
from littlestone.privacy.cost import decimal_text, exact_epsilon
from littlestone.privacy.draws import Noisy, counts_of_places
from littlestone.privacy.ledger import Receipt
from littlestone.privacy.mechanisms.cell_counts import CellCounts
from littlestone.rules import Hypothesis
from littlestone.rules.base import Place

DIGITS = 4
"""The decimals of a printed risk."""

UNIT = 10**DIGITS

PRIOR = 4
"""How many records the share among all records counts for, beside those at a place; measured."""

LEAST = 1 / 50
"""The least risk at a place, as a part of the rarest label's share among all records."""


@dataclass(frozen=True)
class Risks:
    """Noisy ``counts`` of each label at each place of ``rule`` among ``n`` records, at ``epsilon``.

    Each is the true number plus independent discrete Laplace noise, and may be negative.  `rates` and
    `intervals` are computed from them.  With probability 95% all intervals hold together: over the
    noise, and over the records too if `speaks_of_new` ones.  Source: docs/proofs/risks.md.

    >>> from littlestone.points import Grid
    >>> from littlestone.rules import StepFunction
    >>> old = StepFunction.threshold(Grid(0, 120, "age"), 65)
    >>> risks = Risks(old, Fraction(1), 1000, ((571, 29), (148, 252)))
    >>> risks.rates[1], interval(risks.intervals[1][1], "0.001")
    ((0.3736, 0.6264), 'about 0.626, from 0.490 to 0.758')
    """

    rule: Hypothesis[Any]
    epsilon: Fraction
    n: int
    counts: tuple[tuple[int, ...], ...]

    @classmethod
    def from_counts(cls, rule: Hypothesis[Any], noisy: Noisy | None, n: int) -> Risks | None:
        """The risks by what `draw_places` drew, place by place; None if nothing was drawn."""
        if noisy is None:
            return None
        listed, labels = noisy.counts, rule.labels
        rows = tuple(tuple(listed[i : i + labels]) for i in range(0, len(listed), labels))
        return cls(rule, noisy.epsilon, n, rows)

    @cached_property
    def places(self) -> tuple[Place, ...]:
        """The places of the rule, one for each row of the counts; a bin of several is one place."""
        runs: list[list[Place]] = [[] for _ in self.counts]
        for place, i in zip(self.rule.places, self.rule.bins.tolist(), strict=True):
            runs[i].append(place)
        return tuple(run[0] if len(run) == 1 else _join_places(run[0], run[-1]) for run in runs)

    @property
    def speaks_of_new(self) -> bool:
        """Whether the intervals hold new records' risks, because each place is one of few sets."""
        return all(place.sets is not None for place in self.places)

    @cached_property
    def _overall(self) -> list[float]:
        """The share of each label among all records, drawn to equal shares where noise is large."""
        labels, n = self.rule.labels, self.n
        totals = [sum(row[y] for row in self.counts) for y in range(labels)]
        spare = (n - sum(totals)) / labels  # n is known, so the noise of the sum can be taken out
        noise = len(self.counts) * self._noise * (1 - 1 / labels) / n**2 + 1 / (4 * n)
        spread = (labels - 1) / (
            labels**2 * (labels + 1)
        )  # of a share, if all shares are as likely
        near = [
            ((total + spare) / n * spread + noise / labels) / (spread + noise) for total in totals
        ]
        return _clip(near, 1 / (n + 2))

    @cached_property
    def own_rates(self) -> tuple[float, ...] | None:
        """The mean risk of each place, if the rule itself says risks, as a score does."""
        if (own := self.rule.risks) is None:
            return None
        bins = self.rule.bins
        return tuple((np.bincount(bins, own) / np.bincount(bins)).tolist())

    @property
    def _noise(self) -> float:
        """The variance of the noise of one count."""
        a = float(counts_of_places(self.epsilon).ratio)
        return 2 * a / (1 - a) ** 2

    @cached_property
    def rates(self) -> tuple[tuple[float, ...], ...]:
        """The risk of each label at each place, which add up to 1; never 0, to four digits.

        A place's share is drawn towards the share among all records, more so the more noise there is
        beside its records.  At places that are `ordered` the risk never falls.
        """
        overall, labels = self._overall, self.rule.labels
        # The best linear guess, if shares vary by p (1 - p) / PRIOR among places
        # (docs/proofs/risks.md, The printed risks).
        spread = sum(p * (1 - p) for p in overall)
        noisy = self._noise * sum((1 - p) ** 2 + (labels - 1) * p * p for p in overall)
        found, sizes = [], []
        for row in self.counts:
            size = max(sum(row), self._noise**0.5, 1.0)
            weight = size + PRIOR * (1 + noisy / (spread * size))
            moved = [p + (c - sum(row) * p) / weight for c, p in zip(row, overall, strict=True)]
            found.append(_clip(moved, LEAST * min(overall)))
            sizes.append(size)
        if self.rule.ordered and labels == 2:
            found = [[1 - risk, risk] for risk in _rise([share[1] for share in found], sizes)]
        return tuple(map(_round, found))

    @cached_property
    def intervals(self) -> tuple[tuple[Share, ...], ...]:
        """For each place and label the rate with its interval; all hold with probability 1 - `BETA`.

        They hold the shares among new records if it `speaks_of_new`, else those among these records.
        """
        return self._intervals(new=True) if self.speaks_of_new else self.of_these

    @cached_property
    def of_these(self) -> tuple[tuple[Share, ...], ...]:
        """The same for the shares among these records, all with probability 1 - `BETA`."""
        return self._intervals(new=False)

    def _intervals(self, *, new: bool) -> tuple[tuple[Share, ...], ...]:
        """Half of beta for the noise and half for the sample, if they speak of ``new`` records."""
        beta = BETA / 2 if new else BETA
        t = counts_of_places(self.epsilon).within(beta, sum(map(len, self.counts)))
        sides = 2 * (1 if self.rule.labels == 2 else self.rule.labels)
        found = []
        for place, row, rates in zip(self.places, self.counts, self.rates, strict=True):
            # ln(1 / the chance that one end of this place fails); 0 if the noise is all.
            rare = log(sides * place.sets / beta) if new and place.sets is not None else 0.0
            low = [max(count - t, 0) for count in row]
            high = [max(count + t, 0) for count in row]
            shares = []
            for y, rate in enumerate(rates):
                fewest, most = sum(low) - low[y], sum(high) - high[y]
                if not high[y] + most:  # surely no record
                    least, largest = Fraction(0), Fraction(1)
                else:
                    least = least_rate(low[y], most, rare)
                    largest = 1 - least_rate(fewest, high[y], rare)
                ends = Fraction(floor(least * UNIT), UNIT), Fraction(ceil(largest * UNIT), UNIT)
                # The shrunken rate may lie outside; what is printed does not.
                middle = min(max(Fraction(round(rate * UNIT), UNIT), ends[0]), ends[1])
                shares.append(Share(middle, *ends))
            found.append(tuple(shares))
        return tuple(found)

    def size(self, i: int) -> Share:
        """The share of the records that are at place i, with the noise of all counts within bounds."""
        t = counts_of_places(self.epsilon).within(BETA, sum(map(len, self.counts)))
        ends = (sum(max(count + move, 0) for count in self.counts[i]) for move in (0, -t, t))
        return Share(*(Fraction(min(end, self.n), self.n) for end in ends))

    def rows(self, names: Sequence[str] = ()) -> list[tuple[str, str]]:
        """The places with their risks, as pairs (heading, sentence); ``names`` are the labels'.

        Of a rule that says its own risks, whether these are within the intervals.
        """
        kind = "new records" if self.speaks_of_new else "these records"
        holds = f"all intervals hold for {kind} with probability {float(1 - BETA):.0%}"
        part = f"private, for epsilon {decimal_text(self.epsilon)} of the total"
        last = ("risks", f"{holds}; {part}")
        if self.rule.risks is not None:
            return [("calibration", self._calibration(self.rule.risks)), last]
        found = []
        for place, shares, row in zip(self.places, self.intervals, self.counts, strict=True):
            told = shares[1:] if self.rule.labels == 2 else shares
            words = "; ".join(
                (f"{names[y]} " if len(told) > 1 and names else f"{y} " if len(told) > 1 else "")
                + interval(share, "0.001")
                for y, share in enumerate(told)
            )
            about = max(0, round(sum(row) / self.n * 100))
            found.append(("risk", f"{words}, if {place.words} (about {about}% of the records)"))
        return [*found, *self.other_labels(names), last]

    def other_labels(self, names: Sequence[str] = ()) -> list[tuple[str, str]]:
        """Where another of several labels has a larger risk than the rule's label, as `rows` says it.

        Nothing for two labels: there it may be what mistakes cost.
        """
        pairs = zip(self.places, self.rates, strict=True)
        odd = [(place, rates) for place, rates in pairs if rates[place.label] < max(rates)]
        if self.rule.labels == 2 or not odd:
            return []
        place, rates = odd[0]
        named = [names[y] if names else str(y) for y in (place.label, rates.index(max(rates)))]
        where = "1 place" if len(odd) == 1 else f"{len(odd)} places"
        said = f"at {where} the label is not the one with the largest risk"
        said += f" ({named[0]}, while {named[1]} has {max(rates):.3f}, if {place.words})"
        why = "the rule was drawn first, and the risks have noise of their own"
        return [("labels", f"{said}: {why}; their intervals say how sure they are")]

    def _calibration(self, own: Sequence[float]) -> str:
        """How many runs of totals say risks that are all outside the interval, in words."""
        bins, gaps = self.rule.bins, list[float]()
        for i, (_, (_, low, high)) in enumerate(self.intervals):
            risks = np.array(own)[bins == i]
            gaps.append(max(float(low) - risks.max(), risks.min() - float(high)))
        outside, furthest = sum(gap > 0 for gap in gaps), max(gaps)
        runs = f"of {len(gaps)} groups of totals"
        if not outside:
            return f"in all {len(gaps)} groups of totals the risks agree with the private interval"
        far, where = f"{furthest:.3f}", self.places[gaps.index(furthest)].words
        says = "says" if outside == 1 else "say"
        beyond = f"{outside} {says} risks outside the private interval"
        return f"{runs}, {beyond}" + (f", at most by {far} ({where})" if float(far) else "")

    def to_json(self) -> dict[str, object]:
        """The noisy counts as plain JSON values, and what follows from them for readers."""
        return {
            "epsilon": decimal_text(self.epsilon),
            "places": [
                {
                    "place": place.words,
                    "counts": list(row),
                    "risks": list(rates),
                    "intervals": [[float(share.low), float(share.high)] for share in shares],
                }
                for place, row, rates, shares in zip(
                    self.places, self.counts, self.rates, self.intervals, strict=True
                )
            ],
        }

    @classmethod
    def from_json(cls, data: Mapping[str, Any], rule: Hypothesis[Any], n: int) -> Risks:
        """The risks that `to_json` wrote; raises `ValueError` if they are damaged."""
        rows = [require_list(place["counts"]) for place in require_list(data["places"])]
        whole = all(type(count) is int for row in rows for count in row)
        if not whole or {len(row) for row in rows} != {rule.labels}:
            raise ValueError("a noisy count is not a whole number, or a label has none")
        if len(rows) != rule.bins[-1] + 1:
            raise ValueError("the rule has other places than its risks")
        return cls(rule, exact_epsilon(data["epsilon"]), n, tuple(map(tuple, rows)))


def _join_places(first: Place, last: Place) -> Place:
    """The run from one place to another, whose words are shared.

    >>> _join_places(Place("total -3", 0), Place("total 5", 0)).words
    'total -3 to 5'
    """
    what, _, end = last.words.rpartition(" ")
    shared = first.words.rpartition(" ")[0] == what
    return Place(f"{first.words} to {end if shared else last.words}", first.label)


def least_rate(inside: int, outside: int, rare: float) -> Fraction:
    """The least p for which ``inside`` of inside + outside records are not rarer than e^-``rare``.

    By Chernoff, c or more of m records have probability at most e^(-G(c, m - c, p)) if each has it with
    probability p <= c / m, where G = c ln(c / (m p)) + d ln(d / (m (1 - p))).  It is the p with
    G = rare, rounded down; c / m if rare is 0.

    >>> round(float(least_rate(50, 50, 3.0)), 3), least_rate(50, 150, 0.0)
    (0.379, Fraction(1, 4))
    """
    c, d = inside, outside
    m = c + d
    if not c or not rare:
        return Fraction(c, max(m, 1))
    # The margin covers the rounding of the logarithms, whose errors are below m 2^-50.
    most = rare + 1e-6 + m * 2.0**-48
    low, high = 0.0, c / m
    for _ in range(60):
        p = (low + high) / 2
        if p <= 0.0:
            break
        far = c * log(c / (m * p)) + (d * log(d / (m * (1 - p))) if d else 0.0) > most
        low, high = (p, high) if far else (low, p)
    return Fraction(low)


def _clip(shares: Sequence[float], least: float) -> list[float]:
    """The shares with none below ``least``, which add up to 1."""
    inside = [max(share, least) for share in shares]
    return [share / sum(inside) for share in inside]


def _rise(values: Sequence[float], weights: Sequence[float]) -> list[float]:
    """The nondecreasing values nearest to these in weighted squares: neighbours that fall are pooled.

    >>> _rise([0.1, 0.5, 0.3, 0.9], [1, 1, 3, 1])
    [0.1, 0.35, 0.35, 0.9]
    """
    pools: list[tuple[float, float, int]] = []  # mean, weight, how many
    for value, weight in zip(values, weights, strict=True):
        mean, heavy, many = value, weight, 1
        while pools and pools[-1][0] > mean:
            before, w, k = pools.pop()
            mean = (before * w + mean * heavy) / (w + heavy)
            heavy, many = heavy + w, many + k
        pools.append((mean, heavy, many))
    return [mean for mean, _, many in pools for _ in range(many)]


def _round(shares: Sequence[float]) -> tuple[float, ...]:
    """The shares in units of 1 / `UNIT`, at least one each, which add up to 1."""
    whole = [max(1, round(share * UNIT)) for share in shares]
    whole[whole.index(max(whole))] += UNIT - sum(whole)
    return tuple(float(Decimal(k) / UNIT) for k in whole)


FEW = 100
"""The records of the first block of a rule, times epsilon: then the noise is small beside them."""


class StreamRisks:
    """The `risks` of a stream's published rule, by the last whole block of its records.

    A rule's first block has ``event.shortest`` records, and each further one twice as many as the one
    before.  So the blocks are fixed by what was published.  The ``receipt`` pays for all of them.
    """

    @staticmethod
    def event_of(epsilon: Fraction, horizon: int) -> InBlocks[CellCounts]:
        """The tables of a stream of ``horizon`` records; `DeclarationError` if it has no block.

        >>> tables = StreamRisks.event_of(Fraction(1, 4), 4000)
        >>> tables.shortest, tables.blocks, str(tables.cost())
        (400, 10, 'epsilon 0.25, delta 0 (replace-one)')
        """
        shortest = ceil(FEW / epsilon)
        if horizon < shortest:
            raise DeclarationError(
                f"count risks along {horizon:,} records",
                found=f"at this epsilon a table needs {shortest:,}",
                fix="declare a longer horizon or a larger epsilon, or leave the risks out",
            )
        return InBlocks(counts_of_places(epsilon), horizon // shortest, shortest)

    def __init__(self, event: InBlocks[CellCounts], horizon: int, receipt: Receipt) -> None:
        self._event, self._left, self._receipt = event, horizon, receipt
        self._rule: Hypothesis[Any] | None = None
        self.risks: Risks | None = None

    def count_record(self, rule: Hypothesis[Any], x: Any, y: int) -> None:
        """Count a record at its place in the ``rule`` that was published before it."""
        if not self._left:  # after the horizon no record is read
            return
        self._left -= 1
        if rule is not self._rule:
            # The counts of a block that ends early are dropped, and nobody sees them.
            self._rule, self._size = rule, self._event.shortest
            self._begin(rule)
        self._counts[int(rule.bins[rule.place(x)])][y] += 1
        self._taken += 1
        if self._taken == self._size:
            # Each record is in one block, and each block is drawn once.
            counts = [count for row in self._counts for count in row]
            mechanism = self._event.mechanism
            noisy = Noisy(mechanism.epsilon, mechanism.draw(counts, receipt=self._receipt))
            self.risks = Risks.from_counts(rule, noisy, self._size)
            self._size *= 2
            self._begin(rule)

    def _begin(self, rule: Hypothesis[Any]) -> None:
        self._taken = 0
        self._counts = [[0] * rule.labels for _ in range(int(rule.bins[-1]) + 1)]
