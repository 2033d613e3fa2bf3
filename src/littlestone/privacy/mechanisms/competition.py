"""Candidates that compete to be selected over a stream: what is skipped, the terms, the next hit."""

from __future__ import annotations

import random
from collections.abc import Callable, Hashable, Iterable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from itertools import count, islice
from math import lcm
from typing import Generic, TypeVar

from littlestone.privacy.mechanisms.sparse_selection import least_power
from littlestone.privacy.samplers.noise import geometric
from littlestone.privacy.samplers.reals import Real
from littlestone.privacy.tape import Tape


@dataclass(frozen=True)
class Epoch:
    """The secret state since the last hit: ``count`` records so far, of which ``skips`` do not matter.

    The next hit is at step ``due``, unless a record is counted before; after the horizon means never.
    """

    skips: int
    count: int
    due: int


def draw_skips(skip: Fraction, tape: Tape) -> int:
    """Draw Z with Pr[Z >= z] = skip^z."""
    return tape.whole(lambda rng: geometric(Real.of(skip), rng))


def next_hit(quiet: Real, step: int, horizon: int, tape: Tape) -> int:
    """The first hit of independent tests at ``step``, ..., ``horizon``, or horizon + 1 for none.

    Each test is quiet with the same probability, so the wait is geometric.  If a record is counted
    before, the wait may be drawn anew with other chances, because it has no memory.

    >>> import random
    >>> tape = Tape(random.Random(0))
    >>> next_hit(Real.of(Fraction(0)), 3, 9, tape), next_hit(Real.of(Fraction(1)), 3, 9, tape)
    (3, 10)
    """
    # Cut at the horizon: no later step is tested, and a wait of any length would be kept in the
    # file.
    last = horizon + 1
    return tape.whole(lambda rng: step + geometric(quiet, rng, most=last - step), step, last)


def next_changing_hit(
    pieces: Iterable[tuple[Real, int]], step: int, horizon: int, tape: Tape
) -> int:
    """`next_hit` of tests whose chance changes at known steps.

    Each piece is the probability of no hit, with the last step that has it; together they reach the
    horizon, and the first one holds ``step``.
    """

    def draw_hit(rng: random.Random) -> int:
        at = step
        for quiet, last in pieces:
            if at > horizon:
                break
            end = min(last, horizon) + 1
            at += geometric(quiet, rng, most=end - at)
            # A hit within the piece; otherwise the wait goes on in the next one, with its own
            # chance.
            if at < end:
                break
        return at

    return tape.whole(draw_hit, step, horizon + 1)


Key = TypeVar("Key", bound=Hashable)

_BITS = 256


@dataclass(frozen=True)
class Terms:
    """The terms of an epoch's competition, in which one record names at most ``growth`` candidates.

    A candidate's score is the number of its records, minus Z skipped ones and its handicap.  Z is
    geometric, Pr[Z >= z] = skip^z, one for each candidate or one ``shared`` by all.  Its weight is

        q(s) = first base^(s - 1), and 0 for s <= 0 unless Z is shared or for want of a record.

    At a step, candidate R is selected with probability q_R / max(1, H), where H sums the weights.
    """

    growth: int
    shared: bool
    skip: Fraction
    base: Fraction
    first: Fraction

    def weight(self, score: int) -> Fraction:
        """q(score) of a candidate that has a record.

        The power is computed on demand: a list of all would take the square of their number of digits.
        """
        return self.first * self.base ** (score - 1) if self.shared or score >= 1 else Fraction(0)

    @cached_property
    def certain(self) -> int:
        """The least score with q(score) >= 1."""
        return 1 + least_power(self.base, 1 / self.first)

    def _rounded_weights(self) -> Iterator[float]:
        """The floats nearest to q(1), q(2), ..., at most 1, from bounds of a few hundred bits."""
        first, (n, d) = self.first, self.base.as_integer_ratio()
        bits = _BITS + first.denominator.bit_length()
        low = (first.numerator << bits) // first.denominator
        high, one = low + 1, 1 << bits
        for score in count(1):
            if score >= self.certain:
                yield 1.0
            elif low / one == high / one:
                yield low / one
            else:
                yield float(self.weight(score))
            low, high = low * n // d, -(-high * n // d)

    def miss_bounds(self) -> Iterator[float]:
        """S(m), m = 0, 1, ...: bound Pr[none is selected after m records that all name one candidate].

        It holds whatever the pace of the records and whatever else they name.
        S(m) = skip S(m - 1) + (1 - skip) (1 - q(1)) ... (1 - q(m)).
        """
        skip, still, missed = float(self.skip), 1.0, 1.0
        yield missed
        for weight in self._rounded_weights():
            still *= 1 - weight
            missed = skip * missed + (1 - skip) * still
            yield missed

    @cached_property
    def expected_records(self) -> float:
        """The sum of all S(m): the most records expected up to a selection."""
        found = list(islice(self.miss_bounds(), self.certain + 1))
        return sum(found[:-1]) + found[-1] / (1 - float(self.skip))

    def sample_size(self, beta: float) -> int:
        """The least m with S(m) <= ``beta``."""
        # The relative margin covers the rounding of a few hundred operations.
        return next(m for m, missed in enumerate(self.miss_bounds()) if missed * (1 + 1e-9) <= beta)


def no_handicap(key: object) -> int:
    """0: no candidate needs more records than another."""
    return 0


class Competition(Generic[Key]):
    """The candidates of one epoch after another, over a stream of ``horizon`` steps.

    Given what was skipped, the tests of unchanged weights are independent and alike.  So their number
    up to the selection is geometric, and is drawn when a record names candidates.  `due` is the step of
    the selection, unless a record names candidates before; a step after the horizon means none.

    `begin` begins an epoch; it may set other terms and handicaps, as functions of what was published.
    """

    def __init__(self, terms: Terms, horizon: int, tape: Tape) -> None:
        self._horizon, self._tape = horizon, tape
        self.begin(terms)

    def begin(self, terms: Terms, handicap: Callable[[Key], int] = no_handicap) -> None:
        """Begin an epoch."""
        self.terms, self.handicap = terms, handicap
        self._records: dict[Key, int] = {}
        self._skips: dict[Key | None, int] = {}
        self._weights: dict[Key, Fraction] = {}
        self._total = Fraction(0)
        self.due = self._horizon + 1

    def count(self, step: int, named: Iterable[Key]) -> None:
        """Count the record of ``step``, which names candidates; those beyond ``growth`` are cut."""
        # The cut is part of the proof: one record moves at most g weights
        # (docs/proofs/continual-selection.md, Theorem 1).
        candidates = list(dict.fromkeys(named))[: self.terms.growth]
        if not candidates:
            return
        for key in candidates:
            self._records[key] = self._records.get(key, 0) + 1
            place = None if self.terms.shared else key
            # The skips hide that a record entered: drawn once for each candidate and epoch, or once
            # for all.
            if place not in self._skips:
                self._skips[place] = draw_skips(self.terms.skip, self._tape)
            score = self._records[key] - self._skips[place] - self.handicap(key)
            weight = self.terms.weight(score)
            # Weights only rise within an epoch, so the total is kept by its changes.
            self._total += weight - self._weights.get(key, Fraction(0))
            if weight:
                self._weights[key] = weight
        still = Real.of(1 - min(Fraction(1), self._total))
        # The wait has no memory, so drawing it anew after a change leaves the law as it is.
        self.due = next_hit(still, step, self._horizon, self._tape)

    def select(self) -> Key:
        """Select a candidate at the step that was `due`; the next epoch begins with the same terms.

        The probability of each candidate is proportional to its weight.
        """
        unit = lcm(*(weight.denominator for weight in self._weights.values()))
        most = int(self._total * unit)
        # A uniform integer below the sum of whole weights: an exact choice.
        place = self._tape.whole(lambda rng: rng.randrange(most), 0, most - 1)
        for key, weight in self._weights.items():
            place -= int(weight * unit)
            if place < 0:
                self.begin(self.terms, self.handicap)
                return key
        raise AssertionError("the weights add up to their total")
