"""Continual selection of keys: those that a stream names often, each soon after it does."""

from __future__ import annotations

import random
from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from heapq import heappop, heappush
from itertools import count, zip_longest
from typing import Generic, TypeVar

from littlestone.base.errors import DeclarationError
from littlestone.privacy.cost import (
    Budget,
    PrivacyCost,
    decimal_text,
    require_delta,
    require_epsilon,
)
from littlestone.privacy.ledger import Receipt
from littlestone.privacy.mechanisms.base import Mechanism
from littlestone.privacy.mechanisms.competition import Epoch, Terms, draw_skips, next_hit
from littlestone.privacy.mechanisms.continual_selection import law_of_selections, make_terms
from littlestone.privacy.parameters import require_selectable, require_whole
from littlestone.privacy.rational import exp_below
from littlestone.privacy.samplers.reals import Real
from littlestone.privacy.tape import Tape

Key = TypeVar("Key", bound=Hashable)

_SPLITS = 32


class SoloCompetitions(Generic[Key]):
    """One competition for each key that is named, with this key as the only candidate.

    Given the number of skipped records, the tests of an unchanged count are independent and alike.  So
    the step of a key's next selection is drawn when a record names it.
    """

    def __init__(self, terms: Terms, horizon: int, tape: Tape) -> None:
        self._terms, self._horizon, self._tape = terms, horizon, tape
        self._epochs: dict[Key, Epoch] = {}
        self._calendar: list[tuple[int, int, Key, Epoch]] = []
        self._serial = count()  # settles ties, because keys need no order

    def count(self, step: int, key: Key) -> None:
        """The record of ``step`` names a key."""
        last = self._epochs.get(key)
        # Z is drawn once an epoch; a record of the same key must not draw it again.
        skips = draw_skips(self._terms.skip, self._tape) if last is None else last.skips
        records = 1 if last is None else last.count + 1
        weight, due = self._terms.weight(records - skips), self._horizon + 1
        if weight:
            # A new count changes the chance, so the wait is drawn anew; waits have no memory.
            still = Real.of(1 - min(Fraction(1), weight))
            due = next_hit(still, step, self._horizon, self._tape)
        self._epochs[key] = epoch = Epoch(skips, records, due)
        if due <= self._horizon:
            heappush(self._calendar, (due, next(self._serial), key, epoch))

    @property
    def due(self) -> int:
        """The step of the next selection if no record changes it; after the horizon if none."""
        while self._calendar:
            due, _, key, epoch = self._calendar[0]
            if self._epochs.get(key) is epoch:
                return due
            heappop(self._calendar)  # the key was named since, so its due step was drawn anew
        return self._horizon + 1

    def select(self) -> frozenset[Key]:
        """Select all keys that are due at the step that is `due`; each begins anew."""
        step, selected = self.due, list[Key]()
        while self.due == step:
            _, _, key, _ = heappop(self._calendar)
            del self._epochs[key]
            selected.append(key)
        if len(selected) > 1:  # the order in which a set is filled can show when it is listed
            selected = [selected[i] for i in _order(len(selected), self._tape)]
        return frozenset(selected)


def _order(n: int, tape: Tape) -> list[int]:
    """A uniformly random order of 0, ..., n - 1."""

    def shuffle(rng: random.Random) -> list[int]:
        order = list(range(n))
        rng.shuffle(order)
        return order

    def is_allowed(order: object) -> bool:
        return (
            isinstance(order, list)
            and all(type(i) is int for i in order)
            and sorted(order) == list(range(n))
        )

    return tape.draw(shuffle, is_allowed)


@dataclass(frozen=True, kw_only=True)
class ContinualKeySelection(Mechanism[Sequence[Key | None], tuple[frozenset[Key], ...]]):
    """At every step, select each key independently with probability q(records of it - Z).

    A step's record names one key or none.  A key is counted from its last selection on; then a new Z is
    drawn for it, with Pr[Z >= z] = r1^-z, and r1 <= e^e1, r2 <= e^e2 are rational:

        q(s) = 0 for s <= 0,   q(s) = min(1, q1 r2^(s - 1)) for s >= 1,   q1 = delta / (T (1 - 1 / r1)).

    All selections of all T = ``horizon`` steps together are
    (e1 + e2, delta)-DP under replacement of one record, for e1 = ``skip_epsilon`` and
    e2 = ``test_epsilon``.  What a record names may depend only on that record and on what was selected
    before.  The proof is in docs/proofs/continual-key-selection.md.

    A key is selected after about ln(T / delta) / e2 + 1 / e1 of its records.  Time: constant per
    step, about 0.1 ms per record that names a key.  Memory grows with the keys that wait.

    >>> mechanism = ContinualKeySelection[str].within(Budget(1, "1e-6"), horizon=200_000)
    >>> print(mechanism.cost())
    epsilon 1, delta 0.000001 (replace-one)
    >>> round(mechanism.terms.expected_records, 1), mechanism.terms.sample_size(0.05)
    (34.4, 47)
    """

    skip_epsilon: Fraction
    test_epsilon: Fraction
    delta: Fraction
    horizon: int

    @classmethod
    def within(cls, budget: Budget, *, horizon: int) -> ContinualKeySelection[Key]:
        """The selection of cost (epsilon, delta) with the least `expected_records`, over 32 splits."""
        total, delta = budget.epsilon, budget.delta
        require_whole("horizon", horizon, least=1)
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
        # Each split is private, so a float may choose.
        return min(splits, key=lambda mechanism: mechanism.terms.expected_records)

    def __post_init__(self) -> None:
        for name in ("skip_epsilon", "test_epsilon"):
            require_epsilon(getattr(self, name), what=name)
        require_delta(self.delta)
        require_whole("horizon", self.horizon, least=1)
        if self.delta == 0:
            raise DeclarationError(
                "select keys of an unbounded set with delta = 0",
                found="a key that only one record names is selected with a positive probability",
                fix="give delta > 0, such as 1e-6",
            )

    @cached_property
    def skip(self) -> Fraction:
        """1 / r1, the probability that one more record of a key is skipped."""
        return 1 / exp_below(self.skip_epsilon)

    @cached_property
    def base(self) -> Fraction:
        """r2, the factor by which one more record raises the chance of a selection, at most."""
        return exp_below(self.test_epsilon)

    @cached_property
    def terms(self) -> Terms:
        """The terms of each key, the only candidate of its own competition; q(s) is its weight."""
        # docs/proofs/continual-key-selection.md, Theorem 1, step 7: each of T steps may use up
        # delta / T.
        return make_terms(1, False, self.skip, self.base, self.delta / self.horizon)

    def cost(self) -> PrivacyCost:
        # r1 for the epoch that the record enters and r2 for the one that it leaves (Theorem 1,
        # steps 4 to 6).
        return PrivacyCost(self.skip_epsilon + self.test_epsilon, self.delta)

    def competitions(self, tape: Tape) -> SoloCompetitions[Key]:
        """The competitions from which a run draws."""
        return SoloCompetitions(self.terms, self.horizon, tape)

    def draw(self, data: Sequence[Key | None], *, receipt: Receipt) -> tuple[frozenset[Key], ...]:
        """The keys selected at each step; ``data[t]`` is the key that step t names, or None."""
        keys = self.competitions(Tape(receipt.redeem(self)))
        found = list[frozenset[Key]]()
        for step, key in enumerate(data[: self.horizon], start=1):
            if key is not None:
                keys.count(step, key)
            found.append(keys.select() if keys.due == step else frozenset())
        return (*found, *(frozenset[Key](),) * (len(data) - len(found)))

    def distribution(
        self, data: Sequence[Key | None]
    ) -> dict[tuple[frozenset[Key], ...], Fraction]:
        found = {(frozenset[Key](),) * len(data): Fraction(1)}
        for key in dict.fromkeys(data):
            if key is not None:
                alone = law_of_selections(
                    self.terms, [(key,) if x == key else () for x in data[: self.horizon]]
                )
                found = {
                    tuple(
                        keys | {key} if hit is not None else keys
                        for keys, hit in zip_longest(sets, selections)
                    ): m * p
                    for sets, m in found.items()
                    for selections, p in alone.items()
                    if p
                }
        return found

    def __str__(self) -> str:
        return (
            f"continual selection of keys over {self.horizon} steps, epsilon "
            f"{decimal_text(self.skip_epsilon)} + {decimal_text(self.test_epsilon)}, "
            f"delta {decimal_text(self.delta)}"
        )
