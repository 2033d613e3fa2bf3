"""The common part of partition and single-key selection: keys of records, released by score."""

from __future__ import annotations

import random
from abc import abstractmethod
from collections.abc import Callable, Hashable, Iterable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import TypeVar

from littlestone.base.errors import DeclarationError
from littlestone.privacy.cost import Budget, exact
from littlestone.privacy.ledger import Receipt
from littlestone.privacy.mechanisms.base import BudgetedMechanism, Mechanism, Output
from littlestone.privacy.randomness import in_blocks


class ReleaseCurve:
    """q(0) = 0 and q(s + 1) = step(q(s)), rounded down to ``bits`` binary places, up to q = 1.

    ``step`` maps [0, 1] to [0, 1] and satisfies step(q) >= q + 2^-bits for q < 1.  So the rounded curve
    rises strictly until it is 1.  If ``step`` satisfies a condition of the form q(s + 1) <= f(q(s)),
    the rounded curve does too, because f is applied to the value that was rounded before.

    Values are computed on demand, up to the largest score asked for.

    >>> curve = ReleaseCurve(lambda q: min(1, 2 * q + Fraction(1, 10)), bits=10)
    >>> [round(float(curve(s)), 2) for s in range(-1, 6)]
    [0.0, 0.0, 0.1, 0.3, 0.7, 1.0, 1.0]
    """

    def __init__(self, step: Callable[[Fraction], Fraction], bits: int) -> None:
        self._step = step
        self._bits = bits
        # q(s) 2^bits by s.  Threads may compute one value twice; then they write the same value twice.
        self._known = {0: 0}

    def __call__(self, score: int) -> Fraction:
        """q(score), which is 0 for scores below 1."""
        return Fraction(self._numerator(score), 1 << self._bits)

    def fires(self, score: int, rng: random.Random) -> bool:
        """True with probability exactly q(score): a uniform integer below 2^bits is below q 2^bits."""
        numerator = self._numerator(score)
        # Certain answers draw nothing.
        if numerator in (0, 1 << self._bits):
            return numerator > 0
        return rng.getrandbits(self._bits) < numerator

    def miss(self, n: int, weight: Fraction) -> Fraction:
        """E[1 - q(X)], X binomial: a key with this share of n i.i.d. records is not released.

        It falls as ``n`` or ``weight`` grows.
        """
        # Whole numbers throughout, with one division at the end: a sum of fractions would reduce n
        # times.
        hits, rest, one = weight.numerator, weight.denominator - weight.numerator, 1 << self._bits
        ways, missed = rest**n, 0  # ways = C(n, s) hits^s rest^(n - s)
        for s in range(n + 1):
            q = self._numerator(s)
            if q == one or ways == 0:
                break
            missed += ways * (one - q)
            ways = ways * (n - s) * hits // ((s + 1) * rest)
        return Fraction(missed, weight.denominator**n << self._bits)

    def _numerator(self, score: int) -> int:
        one, known = 1 << self._bits, self._known
        top = len(known) - 1  # all scores up to it are known, and only the last can be 1
        while top < score and known[top] < one:
            q = self._step(Fraction(known[top], one))
            # Each step starts from the rounded value, so the proof's inequalities hold for the
            # curve that is drawn, not only for the ideal one.
            known[top + 1] = (q.numerator << self._bits) // q.denominator
            top += 1
        return known[max(0, min(score, top))]


Key = TypeVar("Key", bound=Hashable)


def require_delta_for_unlisted_keys(budget: Budget) -> None:
    """Raise `DeclarationError` for delta = 0.

    >>> require_delta_for_unlisted_keys(Budget(1, "1e-6"))
    """
    if budget.delta == 0:
        raise DeclarationError(
            "release keys that only the data list with delta = 0",
            found="a key that one record alone brings would reveal that record",
            fix="give delta > 0, such as 1e-6, or list the keys beforehand",
        )


@dataclass(frozen=True)
class KeyRelease(BudgetedMechanism, Mechanism[Iterable[tuple[Key, bool]], Output]):
    """A record is (key, label); key u with score s fires independently with probability q(s).

    Keys come from an unbounded set, and only keys with a positive record can fire.  Each mechanism
    defines what it releases of the keys that fired, and for which curve q it is (epsilon, delta)-DP.
    Equal keys must be interchangeable, because the first occurrence of a key is released.

    Raises `DeclarationError` unless 1e-9 <= epsilon <= 1000 and 0 < delta < 1.
    """

    budget: Budget

    @property
    @abstractmethod
    def curve(self) -> ReleaseCurve:
        """q, the probability that a key fires, as a function of its score."""

    @abstractmethod
    def scores(self, data: Iterable[tuple[Key, bool]]) -> Mapping[Key, int]:
        """The scores of the keys in ``data``.  For audits, never released."""

    @abstractmethod
    def _release(self, scores: Mapping[Key, int], rng: random.Random) -> Output:
        """Draw an output from the scores."""

    @abstractmethod
    def _distribution(self, scores: Mapping[Key, int]) -> dict[Output, Fraction]:
        """The exact distribution of that draw."""

    def __post_init__(self) -> None:
        require_delta_for_unlisted_keys(self.budget)

    def __reduce__(self) -> tuple[object, ...]:
        # The curve is a function, which cannot be pickled, so it is computed anew.
        return type(self), (self.budget,)

    def draw(self, data: Iterable[tuple[Key, bool]], *, receipt: Receipt) -> Output:
        # The lock: only a receipt of the ledger hands out a generator, so payment comes before the
        # draw.
        rng = receipt.redeem(self)
        return self._release(self.scores(data), rng)

    def draw_scores(self, scores: Mapping[Key, int], *, receipt: Receipt) -> Output:
        """`draw` for records that are already counted.

        The caller guarantees what `draw` enforces: one replaced record moves the scores no further
        than the mechanism's docstring says.  A public constant may be subtracted from all scores.
        """
        rng = receipt.redeem(self)
        return self._release(scores, rng)

    def distribution(self, data: Iterable[tuple[Key, bool]]) -> dict[Output, Fraction]:
        return self._distribution(self.scores(data))

    def sample_size(self, alpha: Fraction, beta: Fraction) -> int:
        """The least number of records after which a key is missed with probability at most ``beta``.

        The records are i.i.d., and a share of at least ``alpha`` of them has the key and the label 1:
        the least n with E[1 - q(Bin(n, alpha))] <= beta.  `littlestone.learn.plan.missed` has sizes for
        several keys.  Raises `DeclarationError` unless 0 < alpha, beta < 1.
        """
        for name, value in (("alpha", alpha), ("beta", beta)):
            if not 0 < exact(value, what=name) < 1:
                raise DeclarationError(
                    f"plan with {name} = {value}",
                    found=f"{name} is a probability, above 0 and below 1",
                    fix="give a small number such as 0.05",
                )
        # A miss gets rarer with n, so doubling and halving finds the least n.
        weight, most = Fraction(alpha), Fraction(beta)
        above = 1
        while self.curve.miss(above, weight) > most:
            above *= 2
        low = above // 2
        while above - low > 1:
            middle = (low + above) // 2
            missed = self.curve.miss(middle, weight) > most
            low, above = (middle, above) if missed else (low, middle)
        return above

    def _keys_that_fire(self, scores: Mapping[Key, int], rng: random.Random) -> list[Key]:
        # One comparison with fresh bits for each key: the proofs need keys that fire independently.
        fires, rng = self.curve.fires, in_blocks(rng)
        return [key for key, score in scores.items() if fires(score, rng)]
