"""Continual selection: one candidate after another, when each record speaks for several; of keys.

Each key that a stream names often is selected soon after it does.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cache, cached_property
from heapq import heappop, heappush
from itertools import count, product, zip_longest
from math import prod
from typing import Generic, TypeVar

from littlestone.base.errors import DeclarationError
from littlestone.privacy.cost import (
    Budget,
    PrivacyCost,
    decimal_text,
    require_delta,
    require_epsilon,
)
from littlestone.privacy.event import BudgetedMechanism, Mechanism
from littlestone.privacy.ledger import Receipt
from littlestone.privacy.mechanisms.competition import (
    Competition,
    Epoch,
    Terms,
    draw_skips,
    next_hit,
    no_handicap,
)
from littlestone.privacy.parameters import require_selectable, require_whole
from littlestone.privacy.rational import exp_below
from littlestone.privacy.samplers.reals import Real
from littlestone.privacy.tape import Tape

Key = TypeVar("Key", bound=Hashable)
Selections = tuple[Key | None, ...]

_SPLITS = 32


@dataclass(frozen=True, kw_only=True)
class ContinualSelection(BudgetedMechanism, Mechanism[Sequence[tuple[Key, ...]], Selections[Key]]):
    """Select candidates that the records of a stream name, one an epoch, by `Competition`.

    All selections of all T = ``horizon`` steps together are (epsilon, delta)-DP under replacement of
    one record, which names at most g = ``growth`` candidates.  For 1 / skip <= e^e1 and base <= e^e2,
    epsilon = g e1 + e2 if each candidate has its own number of skipped records, and
    epsilon = e1 + 2 e2 if they share one.  Delta is g T q(1) (1 - skip), or g T q(1) times the mean of
    base^-Z if they share one.  Share the skips if candidates have nearly equal scores: skips of their
    own would put these in any order.  The proof is in docs/proofs/continual-selection.md.

    What a record names may depend on that record and on what was selected before.  Epochs may have
    different growths, each within the same epsilon and delta, because a record is in one epoch.

    >>> mechanism = ContinualSelection[str](
    ...     budget=Budget(1, "1e-6"), horizon=200_000, growth=4, shared=True
    ... )
    >>> print(mechanism.cost())
    epsilon 1, delta 0.000001 (replace-one)
    >>> terms = mechanism.terms(4, shared=True)
    >>> round(terms.expected_records, 1), round(mechanism.terms(1).expected_records, 1)
    (64.7, 34.4)
    """

    budget: Budget
    horizon: int
    growth: int
    shared: bool = False

    def __post_init__(self) -> None:
        require_whole("horizon", self.horizon, least=1)
        require_whole("growth", self.growth, least=1)
        if self.delta == 0:
            raise DeclarationError(
                "select candidates that depend on the data with delta = 0",
                found="a candidate that only one record names is selected with a positive probability",
                fix="give delta > 0, such as 1e-6",
            )
        require_selectable(self.epsilon, self.delta, self.horizon)

    def terms(self, growth: int, *, shared: bool = False) -> Terms:
        """The terms of this epsilon and delta with the least `expected_records`, over 32 splits."""
        return _terms(self.epsilon, self.delta / self.horizon, growth, shared)

    def competition(self, tape: Tape) -> Competition[Key]:
        """The competition from which a run draws; it begins with this growth and kind of skips."""
        terms = self.terms(self.growth, shared=self.shared)
        return Competition(terms, self.horizon, tape)

    def draw(self, data: Sequence[tuple[Key, ...]], *, receipt: Receipt) -> Selections[Key]:
        """The candidate selected at each step; ``data[t]`` are the candidates that step t names."""
        competition = self.competition(Tape(receipt.redeem(self)))
        found = list[Key | None]()
        for step, named in enumerate(data[: self.horizon], start=1):
            competition.count(step, named)
            found.append(competition.select() if competition.due == step else None)
        return (*found, *(None,) * (len(data) - len(found)))

    def distribution(self, data: Sequence[tuple[Key, ...]]) -> dict[Selections[Key], Fraction]:
        terms = self.terms(self.growth, shared=self.shared)
        kept = [tuple(dict.fromkeys(named))[: self.growth] for named in data[: self.horizon]]
        rest = (None,) * (len(data) - len(kept))
        return {(*found, *rest): mass for found, mass in law_of_selections(terms, kept).items()}

    def __str__(self) -> str:
        skips = "shared skips" if self.shared else "skips of their own"
        return (
            f"continual selection over {self.horizon} steps, of at most {self.growth} candidates a "
            f"record with {skips}, {self.budget}"
        )


@cache
def _terms(epsilon: Fraction, delta: Fraction, growth: int, shared: bool) -> Terms:
    def split(i: int) -> Terms:
        skips, tests = epsilon * i / _SPLITS, epsilon * (_SPLITS - i) / _SPLITS
        # docs/proofs/continual-selection.md, Theorem 1: epsilon = g e1 + e2 with own skips, e1 + 2
        # e2 with shared ones.
        e1, e2 = (skips, tests / 2) if shared else (skips / growth, tests)
        return make_terms(growth, shared, 1 / exp_below(e1), exp_below(e2), delta)

    # Each split is private, so a float may choose.
    return min(map(split, range(1, _SPLITS)), key=lambda terms: terms.expected_records)


def make_terms(growth: int, shared: bool, skip: Fraction, base: Fraction, delta: Fraction) -> Terms:
    """The terms that use up ``delta`` a step; epsilon is ln(base / skip^g), or ln(base^2 / skip)."""
    # The mean over Z of what a first record may add: base^-Z, or 1 for the one Z that leaves it alone.
    share = (1 - skip) / (1 - skip / base) if shared else 1 - skip
    return Terms(growth, shared, skip, base, min(Fraction(1), delta / (growth * share)))


def law_of_selections(
    terms: Terms, data: Sequence[tuple[Key, ...]]
) -> dict[Selections[Key], Fraction]:
    """The exact distribution of the selections, without handicaps.  For audits of short streams.

    Shared skips beyond those at which the weights may add up to more than 1 are summed at once: every
    further skip divides all weights by r2, so a probability is a polynomial in r2^-k.
    """
    if not data:
        return {(): Fraction(1)}
    found: dict[Selections[Key], Fraction] = {}
    never = Fraction(1)
    for u in range(len(data)):
        later: dict[Selections[Key], Fraction] | None = None
        for key in dict.fromkeys(x for named in data[: u + 1] for x in named):
            mass = first(terms, data[: u + 1], key)
            never -= mass
            if mass:
                later = law_of_selections(terms, data[u + 1 :]) if later is None else later
                for selections, p in later.items():
                    whole_run = (*(None,) * u, key, *selections)
                    found[whole_run] = found.get(whole_run, Fraction(0)) + mass * p
    return found | {(None,) * len(data): never}


def first(
    terms: Terms,
    data: Sequence[tuple[Key, ...]],
    key: Key,
    handicap: Callable[[Key], int] = no_handicap,
) -> Fraction:
    """The probability that an epoch's selection is ``key``, at the last step of ``data``."""
    counts: list[dict[Key, int]] = []
    for named in data:
        last = counts[-1] if counts else {}
        counts.append(last | {x: last.get(x, -handicap(x)) + 1 for x in named})

    def chance(skips: dict[Key, int]) -> Fraction:
        weights = [{x: terms.weight(c - skips[x]) for x, c in now.items()} for now in counts]
        totals = [sum(now.values(), Fraction(0)) for now in weights]
        still = prod(1 - min(Fraction(1), total) for total in totals[:-1])
        return still * weights[-1][key] / max(Fraction(1), totals[-1])

    keys, skip = list(counts[-1]), terms.skip
    if not terms.shared:
        mass = Fraction(0)
        # A candidate with more skips than records has no weight, however many more there are.
        tops = [max(c, 0) for c in counts[-1].values()]
        for skips in product(*(range(top + 1) for top in tops)):
            ends = zip(skips, tops, strict=True)
            chances = (skip**z * (1 - skip if z < most else 1) for z, most in ends)
            mass += prod(chances) * chance(dict(zip(keys, skips, strict=True)))
        return mass
    mass, z = Fraction(0), 0
    while sum((terms.weight(c - z) for c in counts[-1].values()), Fraction(0)) > 1:
        mass += (1 - skip) * skip**z * chance(dict.fromkeys(keys, z))
        z += 1
    # From here on no total exceeds 1: a product of (1 - total x) and weight x, for x = base^-k.
    polynomial = [Fraction(0), terms.weight(counts[-1][key] - z)]
    for now in counts[:-1]:
        total = sum((terms.weight(c - z) for c in now.values()), Fraction(0))
        shifted = [Fraction(0), *polynomial]
        polynomial = [
            a - total * b for a, b in zip([*polynomial, Fraction(0)], shifted, strict=True)
        ]
    powers = (c / (1 - skip / terms.base**j) for j, c in enumerate(polynomial))
    return mass + (1 - skip) * skip**z * sum(powers, Fraction(0))


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
