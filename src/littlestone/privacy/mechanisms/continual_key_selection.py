"""Continual selection of keys: those that a stream names often, each soon after it does."""

from __future__ import annotations

import random
from collections.abc import Callable, Hashable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from heapq import heappop, heappush
from itertools import accumulate, count, islice
from math import prod
from typing import Generic, TypeVar

from littlestone.errors import DeclarationError
from littlestone.privacy.budget import Budget
from littlestone.privacy.cost import PrivacyCost, decimal_text, require_delta, require_epsilon
from littlestone.privacy.ledger import Receipt
from littlestone.privacy.mechanisms.base import Mechanism
from littlestone.privacy.mechanisms.epoch import Epoch, draw_skips, next_hit
from littlestone.privacy.mechanisms.sparse_selection import least_power
from littlestone.privacy.parameters import require_selectable, whole
from littlestone.privacy.rational import exp_below
from littlestone.privacy.samplers.reals import Real

Key = TypeVar("Key", bound=Hashable)

_SPLITS = 32
_BITS = 256


KeyJournal = Callable[[int, Key, Epoch], None]
"""Is told, before anything depends on it, the step at which a key was named and its epoch then."""


class KeySession(Generic[Key]):
    """One run over a stream: which keys are selected at every step, up to the horizon.

    Given the number of skipped records, the tests of an unchanged count are independent and alike:
    the step of the next hit is drawn when the count changes.

    So a run is determined by what is drawn at the steps that name a key.  A ``journal`` that keeps it
    allows to go on after a crash with nothing drawn twice: `restore` it, in the same order.
    """

    def __init__(
        self,
        mechanism: ContinualKeySelection[Key],
        rng: random.Random,
        journal: KeyJournal[Key] | None = None,
    ) -> None:
        self._mechanism, self._rng, self._journal = mechanism, rng, journal
        self.steps = 0
        """The number of steps taken, at most the horizon; public."""
        self._epochs: dict[Key, Epoch] = {}
        self._calendar: list[tuple[int, int, Key, Epoch]] = []
        self._serial = count()  # settles ties: keys need no order

    @property
    def exhausted(self) -> bool:
        """Whether the horizon is reached: nothing is counted, drawn or selected any more."""
        return self.steps == self._mechanism.horizon

    def step(self, key: Key | None) -> frozenset[Key]:
        """Take one step, whose record names ``key`` or none: the keys selected at it."""
        if self.exhausted:
            return frozenset()
        self.steps += 1
        if key is not None:
            self._count(key)
        return self._selected()

    def restore(self, step: int, key: Key, epoch: Epoch) -> list[tuple[int, frozenset[Key]]]:
        """Go to ``step`` as the journal tells it: the steps that selected keys, and which."""
        found = self.go_to(step - 1)
        self.steps = step
        self._schedule(key, epoch)
        return found + self.go_to(step)

    def go_to(self, step: int) -> list[tuple[int, frozenset[Key]]]:
        """Take the steps up to ``step``, which name no key: those that selected keys, and which."""
        found = []
        step = min(step, self._mechanism.horizon)
        while self._calendar and self._calendar[0][0] <= step:
            self.steps = max(self.steps, self._calendar[0][0])
            if selected := self._selected():
                found.append((self.steps, selected))
        self.steps = max(self.steps, step)
        return found

    def _selected(self) -> frozenset[Key]:
        selected = []
        while self._calendar and self._calendar[0][0] <= self.steps:
            _, _, key, epoch = heappop(self._calendar)
            # An entry is void when the key was named since, and so its due step was drawn anew.
            if self._epochs.get(key) is epoch:
                del self._epochs[key]
                selected.append(key)
        if len(selected) > 1:  # the order in which a set is filled can show when it is listed
            self._rng.shuffle(selected)
        return frozenset(selected)

    def _count(self, key: Key) -> None:
        mechanism, last = self._mechanism, self._epochs.get(key)
        skips = draw_skips(mechanism.skip, self._rng) if last is None else last.skips
        records = 1 if last is None else last.count + 1
        chance, due = mechanism.chance(records - skips), mechanism.horizon + 1
        if chance:
            due = next_hit(Real.of(1 - chance), self.steps, mechanism.horizon, self._rng)
        epoch = Epoch(skips, records, due)
        if self._journal is not None:
            self._journal(self.steps, key, epoch)
        self._schedule(key, epoch)

    def _schedule(self, key: Key, epoch: Epoch) -> None:
        self._epochs[key] = epoch
        if epoch.due <= self._mechanism.horizon:
            heappush(self._calendar, (epoch.due, next(self._serial), key, epoch))


@dataclass(frozen=True, kw_only=True)
class ContinualKeySelection(Mechanism[Sequence[Key | None], tuple[frozenset[Key], ...]]):
    """At every step, select each key independently with probability q(records of it - Z).

    A step's record names one key or none.  A key is counted from its last selection on; Z is drawn
    for it anew then, with Pr[Z >= z] = r1^-z, and r1 <= e^e1, r2 <= e^e2 are rational:

        q(s) = 0 for s <= 0,    q(s) = min(1, (delta / T) r2^(s - 1)) for s >= 1.

    All selections of all T = ``horizon`` steps together are (e1 + e2, delta)-DP under replacement
    of one record, for e1 = ``skip_epsilon`` and e2 = ``test_epsilon``.  What a record names may depend
    on that record and on what was selected before, on nothing else.  The proof is in
    docs/proofs/continual-key-selection.md.

    A key is selected after about ln(T / delta) / e2 + 1 / e1 of its records.  Constant time per
    step, about 0.1 ms per record that names a key; memory grows with the keys that wait.

    >>> mechanism = ContinualKeySelection[str].within(Budget(1, "1e-6"), horizon=200_000)
    >>> print(mechanism.cost())
    epsilon 1, delta 0.000001 (replace-one)
    >>> round(mechanism.expected_records, 1), mechanism.enough(0.05)
    (36.6, 50)
    """

    skip_epsilon: Fraction
    test_epsilon: Fraction
    delta: Fraction
    horizon: int

    @classmethod
    def within(cls, budget: Budget, *, horizon: int) -> ContinualKeySelection[Key]:
        """That of cost (epsilon, delta) with the least `expected_records`, over 32 splits."""
        total, delta = budget.epsilon, budget.delta
        whole("horizon", horizon, least=1)
        if delta:
            require_selectable(total, delta, horizon)
        splits = (
            cls(
                skip_epsilon=total * i / _SPLITS,
                test_epsilon=total * (_SPLITS - i) / _SPLITS,
                delta=delta,
                horizon=horizon,
            )
            for i in range(1, _SPLITS)
        )
        # Each split is private: a float may choose.
        return min(splits, key=lambda mechanism: mechanism.expected_records)

    def __post_init__(self) -> None:
        for name in ("skip_epsilon", "test_epsilon"):
            require_epsilon(getattr(self, name), what=name)
        require_delta(self.delta)
        whole("horizon", self.horizon, least=1)
        if self.delta == 0:
            raise DeclarationError(
                "select keys of an unbounded set with delta = 0",
                found="a key that only one record names is selected with a positive probability",
                fix="give delta > 0, such as 1e-6",
            )

    @cached_property
    def skip(self) -> Fraction:
        """1 / r1: with this probability one more record of a key is skipped."""
        return 1 / exp_below(self.skip_epsilon)

    @cached_property
    def base(self) -> Fraction:
        """r2: by this factor one more record raises the chance of a selection, at most."""
        return exp_below(self.test_epsilon)

    @cached_property
    def certain(self) -> int:
        """The least score with q(score) = 1."""
        return 1 + least_power(self.base, self.horizon / self.delta)

    def chance(self, score: int) -> Fraction:
        """q(score): with which probability a key of that score is selected at a step.

        A power on demand: a list of them all would take the square of their number of digits.
        """
        if not 1 <= score < self.certain:
            return Fraction(int(score > 0))
        return self.delta / self.horizon * self.base ** (score - 1)

    def _rounded_chances(self) -> Iterator[float]:
        """The floats nearest to q(1), q(2), ..., from bounds of a few hundred bits."""
        first, (n, d) = self.delta / self.horizon, self.base.as_integer_ratio()
        bits = _BITS + first.denominator.bit_length()
        low = (first.numerator << bits) // first.denominator
        high, one = low + 1, 1 << bits
        for score in count(1):
            if score >= self.certain:
                yield 1.0
            elif low / one == high / one:
                yield low / one
            else:
                yield float(self.chance(score))
            low, high = low * n // d, -(-high * n // d)

    def cost(self) -> PrivacyCost:
        return PrivacyCost(self.skip_epsilon + self.test_epsilon, self.delta)

    def start(self, *, receipt: Receipt, journal: KeyJournal[Key] | None = None) -> KeySession[Key]:
        """Begin the stream, paid for by ``receipt``, redeemed before the first random bit."""
        rng = receipt.redeem(self)
        return KeySession(self, rng, journal)

    def draw(self, data: Sequence[Key | None], *, receipt: Receipt) -> tuple[frozenset[Key], ...]:
        """What is selected at each step; ``data[t]`` is the key that step t names, or None."""
        session = self.start(receipt=receipt)
        return tuple(session.step(key) for key in data)

    def distribution(
        self, data: Sequence[Key | None]
    ) -> dict[tuple[frozenset[Key], ...], Fraction]:
        found = {(frozenset[Key](),) * len(data): Fraction(1)}
        for key in dict.fromkeys(data):
            if key is not None:
                hits = self._hits([x == key for x in data[: self.horizon]], 0)
                found = {
                    tuple(keys | {key} if t in steps else keys for t, keys in enumerate(sets)): m
                    * p
                    for sets, m in found.items()
                    for steps, p in hits.items()
                }
        return found

    def _hits(self, named: list[bool], start: int) -> dict[frozenset[int], Fraction]:
        """The steps from ``start`` on at which one key is selected, by whether each step names it."""
        records = list(accumulate(named[start:]))
        weights = [(1 - self.skip) * self.skip**z for z in range(sum(named[start:]))]
        found: dict[frozenset[int], Fraction] = {}
        for u in range(len(records)):
            mass = sum(
                weight
                * prod(1 - self.chance(c - z) for c in records[:u])
                * self.chance(records[u] - z)
                for z, weight in enumerate(weights)
            )
            if mass:
                for later, p in self._hits(named, start + u + 1).items():
                    found[later | {start + u}] = mass * p
        never = 1 - sum(found.values())
        return found | {frozenset(): Fraction(never)}

    def missed(self) -> Iterator[float]:
        """S(m) for m = 0, 1, ...: a key is not yet selected when m records have named it.

        At any pace of the records S(m) is the most that it can be, as it is for one test after each.
        S(m) = S(m - 1) / r1 + (1 - 1 / r1) (1 - q(1)) ... (1 - q(m)).
        """
        skip, still, missed = float(self.skip), 1.0, 1.0
        yield missed
        for chance in self._rounded_chances():
            still *= 1 - chance
            missed = skip * missed + (1 - skip) * still
            yield missed

    @cached_property
    def expected_records(self) -> float:
        """The most records of a key, expected, up to its selection."""
        found = list(islice(self.missed(), self.certain + 1))
        return sum(found[:-1]) + found[-1] / (1 - float(self.skip))

    def enough(self, beta: float) -> int:
        """The least number of records after which a key was selected, with probability 1 - ``beta``."""
        # The relative margin covers the rounding of a few hundred operations.
        return next(m for m, missed in enumerate(self.missed()) if missed * (1 + 1e-9) <= beta)

    def __str__(self) -> str:
        return (
            f"continual selection of keys over {self.horizon} steps, epsilon "
            f"{decimal_text(self.skip_epsilon)} + {decimal_text(self.test_epsilon)}, "
            f"delta {decimal_text(self.delta)}"
        )
