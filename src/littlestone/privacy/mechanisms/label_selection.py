"""Label selection: a table of labels for those keys of an unbounded set that have many records."""

from __future__ import annotations

import random
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cache, cached_property
from typing import Generic

import numpy as np

from littlestone.data.coding import tuples
from littlestone.data.sample import Counts
from littlestone.privacy.cost import Budget
from littlestone.privacy.event import BudgetedMechanism, Mechanism
from littlestone.privacy.ledger import Receipt
from littlestone.privacy.mechanisms.bucket_labels import flip_chances
from littlestone.privacy.mechanisms.partition_selection import Key, require_delta_for_unlisted_keys
from littlestone.privacy.parameters import least
from littlestone.privacy.rational import exp_below, sum_masses
from littlestone.privacy.samplers.arrays import permute_and_flip, shuffle
from littlestone.privacy.samplers.reals import Real

DEFAULT = 0
"""The number of the default label, which a key without an entry has."""

_BOTTOM = -1  # in place of a count, or of its place
_AT_ONCE = 1 << 16  # keys


@dataclass(frozen=True)
class LabelSelection(
    BudgetedMechanism,
    Mechanism[Iterable[tuple[Key, int]], frozenset[tuple[Key, int]]],
    Generic[Key],
):
    """Hold a race of the labels and bottom for every key; release the key with the winning label.

    A record is (key, label), with the labels 0, 1, 2, ...  A label with c records of the key has the
    value w(c) Z and bottom has the value Z, with independent Z, Pr[Z > z] = 1/z for z >= 1.  The
    largest value wins.  A key is not released if bottom or the default label 0 wins.  With a rational
    r <= e^(epsilon / 2),

        w(0) = 0,   w(c + 1) = max(r w(c), min(r w(c) + 2 delta, 1 - 1/r)).

    (epsilon, delta)-DP for every input under replacement of one record, with its key and label: that
    moves two counts by one each, of one key or of two.  Scores that are differences of counts would
    move by two.  If 2 delta <= 1 - 1/r, a new key attains the delta.  With a single label, a key
    with c records is released with probability w/2 if w = w(c) <= 1, and 1 - 1/(2w) otherwise.

    The race is permute-and-flip (MS20) among candidates that only the data list.
    Raises `DeclarationError` unless 1e-9 <= epsilon <= 1000 and 0 < delta < 1.  The proof is in
    docs/proofs/lookup.md.  Time: O(keys and labels that occur together), about 1 s for a million.

    >>> mechanism = LabelSelection(Budget(1, "1e-6"))
    >>> [round(float(mechanism.chance(c)), 3) for c in (1, 20, 28, 36, 60)]
    [0.0, 0.034, 0.865, 0.998, 1.0]
    >>> mechanism.sample_size(Fraction(1, 20))
    30
    """

    budget: Budget

    def __post_init__(self) -> None:
        require_delta_for_unlisted_keys(self.budget)

    @cached_property
    def base(self) -> Fraction:
        """The factor r by which one record moves the weight of its label, at most."""
        return exp_below(self.epsilon / 2)

    @cached_property
    def _early(self) -> dict[int, int]:
        """w(0), w(1), ... in units of 2^-bits, until one is at least 1, as far as needed so far."""
        return {0: 0}

    @cached_property
    def _bits(self) -> int:
        # A step, rounded down, is at least 2^64 units, so the weights rise.
        return 64 + (1 / self.delta + (self.base / (self.base - 1)) ** 2).__ceil__().bit_length()

    def weight(self, count: int) -> tuple[Fraction, int]:
        """(v, m) with w(count) = v r^m, where m = 0 if w(count) < r, and 1 <= v < r if m > 0."""
        r, known, one = self.base, self._early, 1 << self._bits
        last = min(count, len(known) - 1)
        while last < count and known[last] < one:
            after = r * known[last]
            # The early step of docs/proofs/lookup.md, Lemma: a light key may gain 2 delta at once,
            # while its weight is at most 1 - 1/r. Later each record multiplies the weight by at
            # most r.
            early = min(after + 2 * self.delta * one, (1 - 1 / r) * one)
            # Threads may compute one value twice; then they write the same value twice.
            last += 1
            # Rounding down is safe, because both bounds are bounds from above.
            known[last] = int(max(after, early))
        return Fraction(known[last], one), count - last

    def chance(self, count: int) -> Fraction:
        """The probability that a key with ``count`` records, all of one label, is released."""
        value, power = self.weight(count)
        w = value * self.base**power
        return w / 2 if w <= 1 else 1 - 1 / (2 * w)

    def sample_size(self, beta: Fraction) -> int:
        """The least number of records of one label for which a key is missed with at most ``beta``.

        Among keys with at least that many records, a share of at most ``beta`` is missed on average.
        """
        return least(lambda count: 1 - self.chance(count) <= beta)

    def tally(self, data: Iterable[tuple[Key, int]]) -> dict[Key, dict[int, int]]:
        """The number of records of each key with each of its labels.  For audits, never released."""
        counts: dict[Key, dict[int, int]] = {}
        for key, label in data:
            of_key = counts.setdefault(key, {})
            of_key[label] = of_key.get(label, 0) + 1
        return counts

    def draw(
        self, data: Iterable[tuple[Key, int]], *, receipt: Receipt
    ) -> frozenset[tuple[Key, int]]:
        rng = receipt.redeem(self)
        tally = self.tally(data)
        # No table of all keys and labels: a label may be so large that it would not fit in memory.
        labels = [label for of_key in tally.values() for label in of_key]
        counts = [count for of_key in tally.values() for count in of_key.values()]
        sizes = list(map(len, tally.values()))
        return self._release(list(tally), _numbers(sizes), labels, _numbers(counts), rng)

    def draw_counts(
        self, keys: Sequence[Key], counts: Counts, *, receipt: Receipt
    ) -> frozenset[tuple[Key, int]]:
        """`draw` for ``counts[i, y]`` records of ``keys[i]`` with the label y; no key comes twice."""
        rng = receipt.redeem(self)
        rows, labels = np.nonzero(counts)
        sizes = np.count_nonzero(counts, axis=1)
        return self._release(keys, sizes, labels, counts[rows, labels], rng)

    def distribution(
        self, data: Iterable[tuple[Key, int]]
    ) -> dict[frozenset[tuple[Key, int]], Fraction]:
        masses = {frozenset[tuple[Key, int]](): Fraction(1)}
        for key, of_key in self.tally(data).items():
            # Bottom and the default label both mean "no entry", so their chances add up.
            masses = sum_masses(
                (table | ({(key, label)} if label else set()), mass * chance)
                for label, chance in self.chances(of_key).items()
                for table, mass in masses.items()
            )
        return masses

    def chances(self, of_key: Mapping[int, int]) -> dict[int, Fraction]:
        """The probability of each label of one key, 0 if it is not released.  For audits."""
        weights = [(DEFAULT, Fraction(1))]
        for label, count in of_key.items():
            value, power = self.weight(count)
            weights.append((label, value * self.base**power))
        top = max(w for _, w in weights)
        chances = flip_chances([w / top for _, w in weights])
        labels = (label for label, _ in weights)
        found = sum_masses(zip(labels, chances, strict=True))
        return {label: chance for label, chance in found.items() if chance}

    def _release(
        self,
        keys: Sequence[Key],
        sizes: Counts,
        labels: Sequence[int] | Counts,
        counts: Counts,
        rng: random.Random,
    ) -> frozenset[tuple[Key, int]]:
        """The next ``sizes[i]`` labels and their counts are those of ``keys[i]``."""
        winners = self._winners(sizes, counts, rng)
        named = np.flatnonzero(winners != _BOTTOM)
        places = zip(named.tolist(), winners[named].tolist(), strict=True)
        released = [(keys[i], int(labels[j])) for i, j in places if labels[j] != DEFAULT]
        # As in `StableHistogram`: the order in which a set is filled can show when it is listed.
        return frozenset(shuffle(released, rng))

    def _winners(self, sizes: Counts, counts: Counts, rng: random.Random) -> Counts:
        """The place of the count that wins the race of each key, or bottom."""
        coin, found, stop = cache(self._coin), [np.zeros(0, np.int64)], 0
        for first in range(0, len(sizes), _AT_ONCE):
            own = sizes[first : first + _AT_ONCE]
            start, stop = stop, stop + int(own.sum())
            # The candidates are bottom, before all others of its key, and the labels that occur.
            before = np.cumsum(own) - own
            offers = np.insert(counts[start:stop], before, _BOTTOM)
            bottoms = before + np.arange(len(own))
            of_best = np.maximum(np.maximum.reduceat(offers, bottoms), 0)
            pairs = [offers - _BOTTOM, np.repeat(of_best, own + 1)]
            distinct, which = tuples(pairs, [int(of_best.max()) + 1 - _BOTTOM] * 2)
            coins = [
                coin(count + _BOTTOM, most)
                for count, most in zip(*(column.tolist() for column in distinct), strict=True)
            ]
            # Permute-and-flip is another way to run the race (docs/proofs/permute-and-flip.md,
            # Theorem 1).
            winners = permute_and_flip(own + 1, coins, which, rng)
            places = start + winners - np.arange(1, len(own) + 1)
            found.append(np.where(winners == bottoms, _BOTTOM, places))
        return np.concatenate(found)

    def _coin(self, count: int, most: int) -> Real:
        """The weight of a label with that count, or of bottom (-1), relative to the best candidate.

        ``most`` is the largest count of a label of the key.
        """
        value, power = (Fraction(1), 0) if count == _BOTTOM else self.weight(count)
        # The best candidate is bottom, of weight 1, until some label weighs more.
        best, top = self.weight(most)  # beyond power 0 all values are equal
        falls = Real.of(1 / self.base).power(top - power)
        return Real(cache((Real.of(value / max(best, Fraction(1))) * falls).enclose))

    def __reduce__(self) -> tuple[object, ...]:
        return type(self), (self.budget,)

    def __str__(self) -> str:
        return f"label selection, {self.budget}"


def _numbers(listed: Sequence[int]) -> Counts:
    return np.array(listed, np.int64)
