"""The common part of sparse sampling and choosing: candidates from the data, and a bottom."""

from __future__ import annotations

import math
import random
from abc import abstractmethod
from collections.abc import Hashable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property, lru_cache
from itertools import islice
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from littlestone.base.errors import DeclarationError
from littlestone.privacy.cost import Budget
from littlestone.privacy.event import BudgetedMechanism, Data, Guarantee, Mechanism
from littlestone.privacy.ledger import Receipt
from littlestone.privacy.parameters import natural_log
from littlestone.privacy.rational import exp_below
from littlestone.privacy.samplers import selection
from littlestone.privacy.samplers.reals import Real

Item = TypeVar("Item", bound=Hashable)

_BITS = 64


@dataclass(frozen=True)
class SparseSelection(BudgetedMechanism, Mechanism[Data, Item | None]):
    """Draw a candidate u with Pr[u] ~ r^score(u), or bottom (None) with Pr ~ r^B.

    r is a rational with r <= e^(epsilon / (2 s)), and B the least integer for which

        delta0 = L r^a / (r^B + L r^a) <= min(delta, 1 - r^(a - 2 s)).

    A mechanism of this kind says which candidates the data bring, and with which scores.  Although the
    candidates depend on the data, it can be (epsilon, delta)-DP if one record brings at most L
    (``fresh``) candidates that no other record brings, each with a score of at most a (``heaviest``):
    those are drawn with probability at most delta0.  The other scores move by at most s
    (``sensitivity``) if a record is left out.  Here a <= s, and both are 1 unless a mechanism says
    otherwise.  Whether it is private depends on its scores, so each has its own proof:
    docs/proofs/sparse-sampling.md and docs/proofs/choosing.md.

    Equal candidates must be interchangeable, because their first occurrence is released.

    Raises `DeclarationError` unless 1e-9 <= epsilon <= 1000, 0 < delta < 1 and L >= 1.
    """

    budget: Budget

    @property
    @abstractmethod
    def fresh(self) -> int:
        """L, the most candidates that one record alone can bring."""

    @property
    def heaviest(self) -> int:
        """The most score a of a candidate that one record alone brings."""
        return 1

    @property
    def sensitivity(self) -> int:
        """The most s by which leaving out one record moves the score of any other candidate."""
        return 1

    @abstractmethod
    def scores(self, data: Data) -> dict[Item, int]:
        """The candidates that ``data`` bring, with their scores.  For audits, never released."""

    def __post_init__(self) -> None:
        if self.delta == 0:
            raise DeclarationError(
                "select from candidates that depend on the data with delta = 0",
                found="a candidate that one record alone brings would reveal that record",
                fix="give delta > 0, such as 1e-6, or list the candidates beforehand",
            )

    @cached_property
    def base(self) -> Fraction:
        """The ratio r of the weights of two candidates whose scores differ by one."""
        return exp_below(self.epsilon / (2 * self.sensitivity))

    @cached_property
    def _limit(self) -> Fraction:
        """The bound of delta0: delta, and 1 - r^(a - 2 s), which matters for a large delta only."""
        # This power has as many digits as s, so it is rounded, to the safe side and by 2^-64.
        high = _inverse_power(self.base, 2 * self.sensitivity - self.heaviest, _BITS)[1]
        return min(self.delta, 1 - Fraction(high, 1 << _BITS))

    @cached_property
    def bottom(self) -> int:
        """B, the score of bottom: the least integer >= a + ln(L (1 - delta) / delta) / ln r."""
        # The least B that hides L fresh candidates of weight r^a each behind bottom's r^B.
        return self.heaviest + least_power(self.base, self.fresh * (1 / self._limit - 1))

    @cached_property
    def delta0(self) -> Fraction:
        """The probability L r^a / (r^B + L r^a), rounded up by at most one part in 2^60."""
        # The exact number would be a ratio of numbers with as many digits as B.
        bits = _BITS + (self.fresh * self._limit.denominator).bit_length()
        power = _inverse_power(self.base, self.bottom - self.heaviest, bits)[1]
        odds = self.fresh * Fraction(power, 1 << bits)
        return min(self._limit, odds / (1 + odds))

    def guarantee(self) -> Guarantee:
        # Apart from the candidates that one record alone brings, log-ratios have the range 2 s ln r.
        return Guarantee.bounded_range(self.epsilon, self.delta0)

    def copies_needed(self, beta: Fraction) -> int:
        """The score with which a candidate keeps the probability of bottom at most ``beta``.

        It is B + ln((1 - beta) / beta) / ln r, rounded up, for 0 < ``beta`` <= 1/2.
        """
        if not 0 < beta < 1:
            raise DeclarationError(
                f"keep the probability of bottom at most beta = {beta}",
                found="beta is a probability, above 0 and below 1",
                fix="give a small number such as 0.05",
            )
        return self.bottom + least_power(self.base, 1 / beta - 1)

    def bottom_at_most(self, score: int) -> Fraction:
        """An upper bound of Pr[bottom] <= 1 / (1 + r^(score - B)) if a candidate has ``score``.

        It is at most one part in 2^60 above that, or about 2^-1000, which a float still tells from 0.
        """
        power = abs(score - self.bottom)
        bits = _BITS + min(1000 - _BITS, math.ceil(power * math.log2(self.base)))
        low, high = _inverse_power(self.base, power, bits)
        if score >= self.bottom:
            return Fraction(high, high + (1 << bits))
        return Fraction(1 << bits, low + (1 << bits))

    def draw(self, data: Data, *, receipt: Receipt) -> Item | None:
        # First the receipt, then the data: a refusal comes before any record is counted.
        rng = receipt.redeem(self)
        return self.select(self.scores(data), rng)

    def select(self, scores: Mapping[Item, int], rng: random.Random) -> Item | None:
        """Draw a candidate, for callers that have redeemed the receipt.

        It takes about 0.1 s for a million candidates, whatever their scores.
        """
        table = np.fromiter(scores.values(), dtype=np.int64, count=len(scores))
        index = self._place(table, None, rng)
        return None if index is None else next(islice(scores, index, None))

    def _place(
        self,
        scores: NDArray[np.int64],
        lengths: NDArray[np.int64] | None,
        rng: random.Random,
    ) -> int | None:
        """The number of the candidate drawn, through all runs; None for bottom."""
        # Bottom is one more candidate, the last, and takes part in the same exact draw.
        table = np.append(scores, self.bottom)
        size = len(scores) if lengths is None else int(lengths.sum())
        runs = None if lengths is None else np.append(lengths, 1)
        # `selection` draws by the distance from the best, so no exponent is ever negative.
        index = selection.draw_item(table.max() - table, runs, self.base, rng)
        return index if index < size else None

    def distribution(self, data: Data) -> dict[Item | None, Fraction]:
        return self.chances(self.scores(data))

    def chances(self, scores: Mapping[Item, int]) -> dict[Item | None, Fraction]:
        """`distribution` for candidates with these scores."""
        # By gaps: powers of scores would have as many digits as there are records.
        top = max(scores.values(), default=self.bottom)
        weights: dict[Item | None, Fraction] = {
            u: self.base ** (score - top) for u, score in scores.items()
        }
        weights[None] = weights.get(None, 0) + self.base ** (self.bottom - top)
        total = sum(weights.values())
        return {u: weight / total for u, weight in weights.items()}


@lru_cache(maxsize=256)  # a search for a size makes the same mechanism several times
def least_power(base: Fraction, bound: Fraction) -> int:
    """The least k >= 0 with base^k >= bound, exactly, for a rational base > 1.

    O(log k) products of numbers of a few hundred bits.

    >>> least_power(Fraction(3, 2), Fraction(9, 4)), least_power(Fraction(3, 2), Fraction(9, 4) + 1)
    (2, 3)
    """
    if bound <= 1:
        return 0

    def reaches(k: int) -> bool:
        if k <= bound.numerator.bit_length():  # only such a power can equal the bound
            return base**k >= bound
        bits = _BITS
        while True:
            low, high = _inverse_power(base, k, bits)
            # Decide by certified bounds; ask for more bits only if they leave it open.
            if high * bound <= 1 << bits:
                return True
            if low * bound > 1 << bits:
                return False
            bits *= 2

    # A float proposes the answer, and exact comparisons decide.
    k = max(1, round(natural_log(bound) / math.log1p(base - 1)))
    while not reaches(k):
        k += 1
    while k > 1 and reaches(k - 1):
        k -= 1
    return k


@lru_cache(maxsize=256)
def _inverse_power(base: Fraction, k: int, bits: int) -> tuple[int, int]:
    """Integers low <= base^-k 2^bits <= high."""
    return Real.of(1 / base).power(k).enclose(bits)
