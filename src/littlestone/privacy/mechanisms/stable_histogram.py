"""The stable histogram: the frequent keys, among keys that nobody can list."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from math import ceil
from typing import TypeVar

from littlestone.base.errors import DeclarationError
from littlestone.privacy.cost import Budget
from littlestone.privacy.event import BudgetedMechanism, Guarantee, Mechanism
from littlestone.privacy.ledger import Receipt
from littlestone.privacy.rational import exp_below, log_above, log_below
from littlestone.privacy.samplers.noise import discrete_laplace, laplace_tail

Key = TypeVar("Key", bound=Hashable)
Histogram = frozenset[tuple[Key, int]]


@dataclass(frozen=True)
class StableHistogram(BudgetedMechanism, Mechanism[Sequence[Key | None], Histogram[Key]]):
    """Release (key, count + X) iff count + X >= threshold, for every key that occurs.

    ``data`` holds the key of each record, None for a record without one.  The X are independent
    discrete Laplace numbers, Pr[X = x] ~ a^|x| with a = 1 / r and r a rational <= e^(epsilon / 2).
    Keys that do not occur are never looked at, so they may come from an infinite domain.  The
    threshold is the least integer >= 2 with a^(threshold - 1) / (1 + a) <= delta.  With it the release
    is (epsilon, delta)-DP under replacement (BLM20, Lemma 15; KKMN09), and at that threshold not for
    any smaller delta; the proof is in docs/proofs/stable-histogram.md.

    Equal keys must look equal to every reader, because a release holds one of them.  So 1 and True may
    not both occur, nor hypotheses that remember their sample.  Time: linear in the number of records.

    >>> mechanism = StableHistogram(Budget(1, "1e-6"))
    >>> mechanism.threshold, mechanism.error(keys=100, beta=Fraction(1, 20))
    (28, 15)
    """

    budget: Budget

    def __post_init__(self) -> None:
        if not self.delta:
            raise DeclarationError(
                "make a stable histogram with delta = 0",
                found="a key that only one record has is released with a positive probability",
                fix="give a small positive delta, such as 1e-6",
            )

    @cached_property
    def ratio(self) -> Fraction:
        """The ratio a of the probabilities of neighbouring noises."""
        # A replaced record moves two counts by one each, so each count has half of epsilon
        # (docs/proofs/stable-histogram.md, Theorem 1).
        return 1 / exp_below(self.epsilon / 2)

    @cached_property
    def threshold(self) -> int:
        """The least noisy count that is released, an integer >= 2."""
        # A key that one record alone brings has count 1: it passes with probability a^(threshold -
        # 1) / (1 + a) <= delta.
        return max(2, 1 + self._exponent(self.delta))

    def error(self, *, keys: int, beta: Fraction) -> int:
        """The least t with Pr[some |X| > t] <= beta for ``keys`` >= 1 keys, by a union bound.

        Then, with probability at least 1 - beta, every key with at least threshold + t records is
        released, and every released count is within t.  ``keys`` is public, such as n.
        """
        return max(0, self._exponent(beta / (2 * keys)) - 1)

    def _exponent(self, bound: Fraction) -> int:
        """The least k >= 0 for which logarithms certify a^k / (1 + a) <= bound."""
        # A quotient of logarithms, each rounded so that k is never too small.
        at_least = log_above(1 / (bound * (1 + self.ratio)), bits=192)
        return max(0, ceil(at_least / log_below(1 / self.ratio, bits=192)))

    def guarantee(self) -> Guarantee:
        # A replaced record moves two counts by one, and each of them is (epsilon / 2)-DP.
        return Guarantee(self.epsilon, self.delta, rho=self.epsilon**2 / 4)

    def draw(self, data: Sequence[Key | None], *, receipt: Receipt) -> Histogram[Key]:
        return self.release(data, receipt.redeem(self))

    def release(self, data: Sequence[Key | None], rng: random.Random) -> Histogram[Key]:
        """Draw a release with a generator that was paid for."""
        noisy = [
            (key, count + discrete_laplace(self.ratio, rng)) for key, count in _counts(data).items()
        ]
        # The noisy count decides and is released; the true one is never compared.
        released = [(key, count) for key, count in noisy if count >= self.threshold]
        # The order in which a set is filled can show when it is listed; the records' order must not.
        rng.shuffle(released)
        return frozenset(released)

    def distribution(self, data: Sequence[Key | None]) -> dict[Histogram[Key], Fraction]:
        """Exact, except that max(threshold, n) stands for all noisy counts from there on.

        Count + X >= n has Pr[X = t - count] ~ a^t for every count <= n, so at all of them the
        probabilities of two samples of n records have the same ratio.
        """
        most = max(self.threshold, len(data))
        outcomes: dict[Histogram[Key], Fraction] = {frozenset(): Fraction(1)}
        for key, count in _counts(data).items():
            cells = self._cells(key, count, most)
            outcomes = {
                released | cell: p * q
                for released, p in outcomes.items()
                for cell, q in cells.items()
            }
        return outcomes

    def _cells(self, key: Key, count: int, most: int) -> dict[Histogram[Key], Fraction]:
        """The release about one key with ``count`` records."""
        none = frozenset[tuple[Key, int]]()
        tails = [laplace_tail(self.ratio, t - count) for t in range(self.threshold, most + 1)]
        cells = {none: 1 - tails[0]}
        for t, (here, beyond) in enumerate(
            zip(tails, [*tails[1:], Fraction(0)], strict=True), self.threshold
        ):
            cells[frozenset([(key, t)])] = here - beyond
        return cells

    def __str__(self) -> str:
        return f"stable histogram of one key a record, threshold {self.threshold}, {self.budget}"


def _counts(data: Sequence[Key | None]) -> Counter[Key]:
    return Counter(key for key in data if key is not None)
