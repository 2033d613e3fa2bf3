"""Release the keys of an unbounded set that have many records, and say or not if there are others.

Or a single key, at almost the price of one moving count; or the keys with noisy counts, a histogram.
"""

from __future__ import annotations

import random
from abc import abstractmethod
from bisect import bisect_right
from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property
from itertools import accumulate, compress
from math import ceil, isqrt, lcm
from typing import TypeVar

import numpy as np

from littlestone.base.errors import DeclarationError
from littlestone.privacy.cost import Budget, exact
from littlestone.privacy.event import BudgetedMechanism, Guarantee, Mechanism, Output
from littlestone.privacy.ledger import Receipt
from littlestone.privacy.parameters import least
from littlestone.privacy.rational import exp_below, log_above, log_below, sum_masses
from littlestone.privacy.samplers.arrays import flip_coins, shuffle
from littlestone.privacy.samplers.noise import discrete_laplace, laplace_tail
from littlestone.privacy.samplers.reals import Real, bernoulli


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
        weight, most = Fraction(alpha), Fraction(beta)
        return least(lambda n: self.curve.miss(n, weight) <= most)  # a miss gets rarer with n

    def _keys_that_fire(self, scores: Mapping[Key, int], rng: random.Random) -> list[Key]:
        found = np.fromiter(scores.values(), np.int64, len(scores))
        distinct, which = np.unique(found, return_inverse=True)
        coins = [Real.of(self.curve(score)) for score in distinct.tolist()]
        # One coin with fresh bits for each key: the proofs need keys that fire independently.
        return list(compress(scores, flip_coins(coins, which, rng).tolist()))


class NetRelease(KeyRelease[Key, Output]):
    """Keys are released by the number of their positive records minus that of their negative ones."""

    @cached_property
    def odds_factor(self) -> Fraction:
        """The factor r by which one record moves the odds of one key, at most."""
        return exp_below(self.epsilon / 2)

    @property
    def upper(self) -> Fraction:
        """The factor by which one record moves the chance that a key is not released, at most."""
        return self.odds_factor

    @cached_property
    def curve(self) -> ReleaseCurve:
        r, upper = self.odds_factor, self.upper
        # A changed label takes two steps of one score: r (r q + d) + d = r^2 q + delta
        # (docs/proofs/partition-selection.md, Theorem 1, step 1).
        d = self.delta / (r + 1)

        def step(q: Fraction) -> Fraction:
            # The first bound keeps releases close, the second keeps non-releases close.
            return min(r * q + d, 1 - (1 - q - d) / upper, Fraction(1))

        # Enough places that rounding down still leaves every step a rise of 2^64 units.
        return ReleaseCurve(step, bits=64 + (r / d).__ceil__().bit_length())

    def scores(self, data: Iterable[tuple[Key, bool]]) -> dict[Key, int]:
        """Positives minus negatives of each key."""
        counts: dict[Key, int] = {}
        for key, label in data:
            # One record counts once, +1 or -1: replacing it moves two scores by 1, or one by 2.
            counts[key] = counts.get(key, 0) + (1 if label else -1)
        return counts

    def _sets(self, scores: Mapping[Key, int]) -> dict[frozenset[Key], Fraction]:
        """The exact probability of each set of keys that fire."""
        masses: dict[frozenset[Key], Fraction] = {frozenset(): Fraction(1)}
        for key, score in scores.items():
            q = self.curve(score)
            with_key = {keys | {key}: mass * q for keys, mass in masses.items()}
            masses = {keys: mass * (1 - q) for keys, mass in masses.items()} | with_key
        return {keys: mass for keys, mass in masses.items() if mass}


@dataclass(frozen=True)
class PartitionSelection(NetRelease[Key, frozenset[Key]]):
    """Release key u, independently of all others, with probability q(positives - negatives of u).

    q is the largest curve with q(s) = 0 for s <= 0 and, for a rational r <= e^(epsilon / 2) and
    d = delta / (r + 1),

        q(s + 1) <= min(r q(s) + d, 1 - (1 - q(s) - d) / r, 1),

    except that each step is rounded down by less than 2^-64 d.  It is (epsilon, delta)-DP for every
    input under replacement of one record, with its label: that moves two scores by at most 1 each, or
    one score by at most 2.  A score that moves from 0 to 2 attains the delta.

    DVGM22, Theorem 1, has this curve for adding or removing a record.  The proof for replacement is in
    docs/proofs/partition-selection.md.  Time: O(number of records), about 1 s for a million keys.

    >>> from littlestone.privacy import Budget
    >>> mechanism = PartitionSelection(Budget(1, "1e-6"))
    >>> [round(float(mechanism.curve(s)), 3) for s in (1, 20, 28, 36, 60)]
    [0.0, 0.013, 0.651, 0.994, 1.0]
    >>> mechanism.sample_size(Fraction(1, 10), Fraction(1, 20))
    378
    """

    counted: str = field(default="positives minus negatives", compare=False)
    """What the scores are, in words; they may be any that one record moves as little."""

    def _release(self, scores: Mapping[Key, int], rng: random.Random) -> frozenset[Key]:
        released = self._keys_that_fire(scores, rng)
        # As in `StableHistogram`: the order in which a set is filled can show when it is listed.
        return frozenset(shuffle(released, rng))

    def _distribution(self, scores: Mapping[Key, int]) -> dict[frozenset[Key], Fraction]:
        return self._sets(scores)

    def __str__(self) -> str:
        return f"partition selection on {self.counted}, {self.budget}"


_SHARE = Fraction(1, 10)
"""The share of ln r by which one record of the rest may move the chance that the rest is kept out."""


@dataclass(frozen=True)
class RestSelection(NetRelease[Key, frozenset[Key] | None]):
    """Release keys like `PartitionSelection`; or None, for all keys there are.

    Key u is released with probability q(s_u), independently, where s_u is its positives minus its
    negatives.  Let T be the sum of s_u over the keys that are not released.  Then, with probability
    Q(T), None is released in place of the keys.  For rationals r <= e^(epsilon / 2) and 1 < p < r,

        q(s + 1) <= min(r q(s) + d, 1 - (1 - q(s) - d) p / r, 1),  d = delta / (r + 1),
        Q(T) = Q0 r^T  for T <= 0,  1 - (1 - Q0) p^-T  for T > 0,  Q0 = (p - 1) / (r p - 1).

    It is (epsilon, delta)-DP for every input under replacement of one record, with its label.  Q costs
    no epsilon of its own: it is paid by the factor p that the upper part of q gives away.

    The proof is in docs/proofs/partition-selection.md, Theorem 3.  Time: O(number of records).

    >>> from littlestone.privacy import Budget
    >>> mechanism = RestSelection(Budget(1, "1e-6"))
    >>> [round(float(mechanism.curve(s)), 3) for s in (1, 20, 28, 36, 60)]
    [0.0, 0.013, 0.633, 0.99, 1.0]
    >>> [round(float(mechanism.chance_of_all(T)), 3) for T in (-20, -5, 0, 20, 100)]
    [0.0, 0.006, 0.07, 0.658, 0.994]
    """

    @cached_property
    def slow(self) -> Fraction:
        """The factor p by which one record of the rest moves the chance that the rest is kept out."""
        # r is not above e^44 either, and far larger chances make no difference.
        return exp_below(min(self.epsilon / 2, Fraction(44)) * _SHARE)

    @property
    def upper(self) -> Fraction:
        # Non-releases may move by r / p only; the decision about the rest pays with p
        # (docs/proofs/partition-selection.md, Theorem 3, step 4).
        return self.odds_factor / self.slow

    @cached_property
    def even(self) -> Fraction:
        """Q0, the chance of all keys if the rest has as many positives as negatives."""
        # The value at which Q(1) = r Q(0) exactly, so both pieces of Q keep their slopes at 0.
        return (self.slow - 1) / (self.odds_factor * self.slow - 1)

    def chance_of_all(self, rest: int) -> Fraction:
        """Q(T), exactly; for audits and small T, because it has T times as many digits as r."""
        if rest <= 0:
            return self.even / self.odds_factor**-rest
        return 1 - (1 - self.even) / self.slow**rest

    def _release(self, scores: Mapping[Key, int], rng: random.Random) -> frozenset[Key] | None:
        released = self._keys_that_fire(scores, rng)
        # T looks only at keys that did not fire, which is why the fired ones need no further noise.
        rest = sum(scores.values()) - sum(scores[key] for key in released)
        # All keys are drawn for, never computed from T: a certain decision would reveal the sign of
        # T.
        if self._all(rest, rng):
            return None
        # As in `StableHistogram`: the order in which a set is filled can show when it is listed.
        return frozenset(shuffle(released, rng))

    def _all(self, rest: int, rng: random.Random) -> bool:
        """True with probability exactly Q(rest)."""
        even = Real.of(self.even)
        if rest <= 0:
            # The power stays a `Real`: as a fraction it would have T times as many digits as r.
            return bernoulli(even * Real.of(1 / self.odds_factor).power(-rest), rng)
        return not bernoulli((1 - even) * Real.of(1 / self.slow).power(rest), rng)

    def _distribution(self, scores: Mapping[Key, int]) -> dict[frozenset[Key] | None, Fraction]:
        total = sum(scores.values())
        masses: dict[frozenset[Key] | None, Fraction] = {}
        for keys, mass in self._sets(scores).items():
            chance = self.chance_of_all(total - sum(scores[key] for key in keys))
            masses[keys] = mass * (1 - chance)
            masses[None] = masses.get(None, Fraction(0)) + mass * chance
        return {keys: mass for keys, mass in masses.items() if mass}

    def __str__(self) -> str:
        return (
            f"partition selection on positives minus negatives, with the rest of the keys, "
            f"{self.budget}"
        )


_BITS = 64


@dataclass(frozen=True)
class SingleKeySelection(KeyRelease[Key, Key | None]):
    """Each key u fires with probability q(positives of u); one that fired is drawn with Pr ~ 1 / q.

    If no key fired, bottom (None) is released.  R <= e^epsilon is rational.  E is the largest number
    with E (1 + E (E - 1) / (E + 1 + sqrt(E (E^2 + E + 1)))^2) <= R, and

        q(1) = d,  q(s + 1) = E q(s) + d   while this is at most 1 - E / R,
        q(s + 1) = min(E q(s), 1 - (1 - q(s)) / E)   beyond, and 1 once 1 - q(s) <= c,

    where c is delta / 16 and d the rest of delta (both smaller if delta is large).  It is (epsilon,
    delta)-DP for every input under replacement of one record, with its label: that lowers one count of
    positives by at most 1 and raises one by at most 1.  Counts of positives minus negatives are NOT
    admissible: a changed label would move one by 2.

    Among the keys that fired, those that seldom fire are preferred.  So a key that moves hardly changes
    the chances of the others.  E is between e^(.933 epsilon) and e^epsilon.  Independent releases
    allow only e^(epsilon / 2), and more than e^epsilon is impossible.

    The proof is in docs/proofs/single-key-selection.md.  Time: O(number of
    records), about 4 s for a million keys.

    >>> from littlestone.privacy import Budget
    >>> mechanism = SingleKeySelection(Budget(1, "1e-6"))
    >>> round(float(mechanism.growth), 3), mechanism.sample_size(Fraction(1, 10), Fraction(1, 20))
    (2.58, 219)
    >>> [round(float(mechanism.curve(s)), 3) for s in (1, 10, 14, 18, 40)]
    [0.0, 0.008, 0.343, 0.985, 1.0]
    """

    @cached_property
    def base(self) -> Fraction:
        """R, the factor by which probabilities move at most."""
        return exp_below(self.epsilon)

    @cached_property
    def growth(self) -> Fraction:
        """E, the factor by which one record moves the odds that its key fires, at most."""
        # Bisection keeps `low` on the side where the price fits, so E is rounded down.
        places = _BITS + self.base.denominator.bit_length()
        low, above = 1 << places, (self.base.numerator << places) // self.base.denominator + 1
        while above - low > 1:
            middle = (low + above) // 2
            fits = _price(Fraction(middle, 1 << places)) <= self.base
            low, above = (middle, above) if fits else (low, middle)
        return Fraction(low, 1 << places)

    @cached_property
    def curve(self) -> ReleaseCurve:
        R, E = self.base, self.growth
        # eta of docs/proofs/single-key-selection.md: below it a step is early, where d is added.
        rare = 1 - E / R
        # c pays for the last step to certainty, d for a key that appears; together at most delta.
        c = min(self.delta / 16, 1 - 1 / E, 1 - (2 - 1 / E) / R)
        d = min(self.delta - c, rare)

        def step(q: Fraction) -> Fraction:
            if E * q + d <= rare:
                return E * q + d
            # The kinds of step in the proof: early above, last here, middle below.
            if 1 - q <= c:
                return Fraction(1)
            return min(E * q, 1 - (1 - q) / E)

        least = min(c, d) * (E - 1) / E  # the smallest rise of a step
        return ReleaseCurve(step, bits=_BITS + (1 / least).__ceil__().bit_length())

    def scores(self, data: Iterable[tuple[Key, bool]]) -> dict[Key, int]:
        """The number of positive records of each key."""
        return Counter(key for key, label in data if label)

    def _release(self, scores: Mapping[Key, int], rng: random.Random) -> Key | None:
        # Independent coins first; the choice among those that fired uses public numbers of the
        # curve only.
        fired = self._keys_that_fire(scores, rng)
        if not fired:
            return None
        # First the score of the key, because there are far fewer scores than keys; then the key.
        levels = Counter(scores[key] for key in fired)
        # Weights 1 / q as whole numbers over one denominator: an exact draw by one uniform integer.
        unit = lcm(*(self.curve(score).numerator for score in levels))
        stops = list(
            accumulate(int(count * unit / self.curve(score)) for score, count in levels.items())
        )
        drawn = list(levels)[bisect_right(stops, rng.randrange(stops[-1]))]
        # Keys of one score have one weight, so the choice among them is uniform.
        return rng.choice([key for key in fired if scores[key] == drawn])

    def _distribution(self, scores: Mapping[Key, int]) -> dict[Key | None, Fraction]:
        chances = {key: q for key, score in scores.items() if (q := self.curve(score))}
        masses: dict[Key | None, Fraction] = {
            None: _totals(chances.values()).get(Fraction(0), Fraction(0))
        }
        for key, q in chances.items():
            others = _totals(chance for other, chance in chances.items() if other != key)
            share = sum((mass / (1 / q + total) for total, mass in others.items()), Fraction(0))
            masses[key] = masses.get(key, Fraction(0)) + share  # the key None looks like bottom
        return masses

    def __str__(self) -> str:
        return f"single-key selection on counts of positives, {self.budget}"


def _price(E: Fraction) -> Fraction:
    """E (1 + E (E - 1) / (E + 1 + sqrt(E (E^2 + E + 1)))^2), rounded up: the e^epsilon it needs."""
    square = E * (E * E + E + 1)
    # A root rounded down makes the price too high, so E too small: the safe side.
    root = Fraction(isqrt((square.numerator << 2 * _BITS) // square.denominator), 1 << _BITS)
    return E + E * E * (E - 1) / (E + 1 + root) ** 2


def _totals(chances: Iterable[Fraction]) -> dict[Fraction, Fraction]:
    """The distribution of the sum of 1 / q over the keys that fire, each with its probability q."""
    totals = {Fraction(0): Fraction(1)}
    for q in chances:
        totals = sum_masses(
            (value, mass * share)
            for total, mass in totals.items()
            for value, share in ((total, 1 - q), (total + 1 / q, q))
            if share
        )
    return totals


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
