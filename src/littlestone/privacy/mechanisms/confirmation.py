"""Continual confirmation: keys of a finite set, each soon after enough records have named it."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property, lru_cache
from heapq import heappop, heappush
from itertools import accumulate, count
from typing import Generic, NamedTuple, TypeVar

from littlestone.privacy.cost import PrivacyCost, decimal_text, require_epsilon
from littlestone.privacy.event import Mechanism
from littlestone.privacy.ledger import Receipt
from littlestone.privacy.mechanisms.competition import draw_skips, next_changing_hit
from littlestone.privacy.mechanisms.sparse_selection import least_power
from littlestone.privacy.mechanisms.threshold_tests import chance_of_first_hit
from littlestone.privacy.parameters import require_whole
from littlestone.privacy.rational import exp_below
from littlestone.privacy.samplers.reals import Real
from littlestone.privacy.tape import Tape

Key = TypeVar("Key", bound=Hashable)

Hits = tuple[frozenset[int], ...]

_LONG = 32  # a rise whose powers would have thousands of digits


@lru_cache(maxsize=1 << 10)
def quiet_real(shrink: Fraction, gap: int) -> Real:
    """1 - shrink^gap."""
    return Real(lru_cache(maxsize=64)((1 - Real.of(shrink).power(gap)).enclose))


class Watch(NamedTuple):
    """How a key is tested: since ``first``, the first step of its age, at a threshold of its own."""

    first: int
    threshold: int


@dataclass
class _KeyState:
    """The secret state of a key: its records, those that do not matter, and the step it is due."""

    skips: int
    records: int = 0
    due: int = 0


class Confirmations(Generic[Key]):
    """The keys of one run that are watched now, and the counts of all keys since they last hit.

    `watch` says which keys are tested, as a function of what was published.  A key that is no longer
    watched keeps its count, and is tested again when it is watched again.  The chance of a test depends
    on the count and the step alone, so the step of the next hit is drawn for each change of a count.
    """

    def __init__(self, mechanism: ContinualConfirmation, tape: Tape) -> None:
        self._mechanism, self._tape = mechanism, tape
        self._watched: dict[Key, Watch] = {}
        self._counted: dict[Key, _KeyState] = {}
        self._calendar: list[tuple[int, int, Key, _KeyState]] = []
        self._serial = count()  # settles ties, because keys need no order

    def watch(self, step: int, watched: Mapping[Key, Watch]) -> None:
        """Test these keys and no others, from ``step`` on."""
        before, self._watched = self._watched, dict(watched)
        for key, watch in self._watched.items():
            if key not in self._counted:
                # A new epoch of the key: its skips hide a record that enters
                # (docs/proofs/confirmation.md, Theorem 1, step 4).
                self._counted[key] = _KeyState(draw_skips(self._mechanism.skip, self._tape))
            elif before.get(key) == watch:
                continue  # the tests go on as they are
            self._time(key, step)

    def forget(self) -> None:
        """Watch no key any more, and forget all counts."""
        self._watched, self._counted, self._calendar = {}, {}, []

    def to_json(self) -> list[tuple[Key, int, int, int]]:
        """All that is secret: each key with its skips, its records and the step it is due."""
        return [(key, k.skips, k.records, k.due) for key, k in self._counted.items()]

    def restore(
        self, watched: Mapping[Key, Watch], kept: Iterable[tuple[Key, int, int, int]]
    ) -> None:
        """Go on from what `to_json` gave while these keys were watched; nothing is drawn."""
        self._watched = dict(watched)
        for key, skips, records, due in kept:
            self._counted[key] = counted = _KeyState(skips, records, due)
            if key in self._watched and due <= self._mechanism.horizon:
                heappush(self._calendar, (due, next(self._serial), key, counted))

    def count(self, step: int, key: Key) -> None:
        """The record of ``step`` names a watched key; other keys are not counted."""
        if key in self._watched:
            self._counted[key].records += 1
            self._time(key, step)

    def _time(self, key: Key, step: int) -> None:
        """Draw the step of the key's next hit, from ``step`` on."""
        mechanism, counted, watch = self._mechanism, self._counted[key], self._watched[key]
        # A hit's chance is shrink^gap: it grows by at most r2 a record, which hides one that leaves
        # (step 3).
        gap = watch.threshold + counted.skips - counted.records
        pieces = (
            (mechanism.quiet(gap + rise), watch.first + last)
            for rise, last in mechanism.rises(step - watch.first)
        )
        counted.due = next_changing_hit(pieces, step, mechanism.horizon, self._tape)
        if counted.due <= mechanism.horizon:
            heappush(self._calendar, (counted.due, next(self._serial), key, counted))

    @property
    def due(self) -> int:
        """The step of the next hit if no record changes it; after the horizon if there is none."""
        while self._calendar:
            due, _, key, counted = self._calendar[0]
            # Stale entries stay in the heap and are recognised here, which is cheaper than to
            # remove them.
            if counted.due == due and self._counted.get(key) is counted and key in self._watched:
                return due
            heappop(self._calendar)  # drawn anew since, or no longer watched
        return self._mechanism.horizon + 1

    def select(self) -> frozenset[Key]:
        """All keys that hit at the step that is `due`; each begins anew when it is watched again."""
        step, selected = self.due, set[Key]()
        # All keys that hit are published; a choice among them would break the product over keys
        # (Theorem 1, step 1).
        while self.due == step:
            _, _, key, _ = heappop(self._calendar)
            del self._counted[key], self._watched[key]
            selected.add(key)
        return frozenset(selected)


@dataclass(frozen=True, kw_only=True)
class ContinualConfirmation(Mechanism[Sequence[int | None], Hits]):
    """At every step, each of ``keys`` keys hits with probability min(1, r2^(count - Z - U - rise)).

    ``count`` is the number of records that named the key since it last hit, and Z, with
    Pr[Z >= z] = r1^-z, z = 0, 1, ..., is drawn anew after each hit.  r1 <= e^e1 and r2 <= e^e2 are
    rational, for e1 = ``skip_epsilon`` and e2 = ``test_epsilon``.  U = ``threshold``.  The rise is
    public: 0 for ``warm`` steps, and larger by `rise` in each further period, which is `growth` times
    as long as the one before.

    All hits of all keys at all T = ``horizon`` steps are (e1 + e2, 0)-DP under replacement of one
    record, however many there are.  What a record names may depend on that record and on earlier hits
    alone.  Callers may give each key a threshold of its own, begin its rise anew or stop testing it,
    as a function of earlier hits.  The proof is in docs/proofs/confirmation.md.

    A key hits after at most U + rise + Z records.  Time: about 0.5 ms per record that names a key,
    and as much for each key that begins.

    >>> mechanism = ContinualConfirmation(
    ...     skip_epsilon=Fraction(1, 4), test_epsilon=Fraction(3, 4), threshold=20, warm=16, keys=2,
    ...     horizon=200_000,
    ... )
    >>> print(mechanism.cost())
    epsilon 1, delta 0 (replace-one)
    >>> mechanism.growth, mechanism.rise, next(mechanism.rises(100))
    (2, 1, (2, 111))
    """

    skip_epsilon: Fraction
    test_epsilon: Fraction
    threshold: int
    warm: int
    keys: int
    horizon: int

    def __post_init__(self) -> None:
        for name in ("skip_epsilon", "test_epsilon"):
            require_epsilon(getattr(self, name), what=name)
        for name in ("threshold", "warm", "keys", "horizon"):
            require_whole(name, getattr(self, name), least=1)

    @cached_property
    def skip(self) -> Fraction:
        """1 / r1, the probability that one more record of a key is skipped."""
        return 1 / exp_below(self.skip_epsilon)

    @cached_property
    def shrink(self) -> Fraction:
        """1 / r2: with one record less, the chance of a hit falls at most by this factor."""
        return 1 / exp_below(self.test_epsilon)

    @cached_property
    def growth(self) -> int:
        """How many times longer each period is than the one before."""
        return max(2, int(1 / self.shrink))

    @cached_property
    def rise(self) -> int:
        """The records that each further period asks for: their chance falls by `growth` or more."""
        return least_power(1 / self.shrink, Fraction(self.growth))

    def rises(self, age: int) -> Iterator[tuple[int, int]]:
        """The rise at ``age`` >= 0 with the last age that has it, then the next ones, without end."""
        length, last, rise = self.warm, self.warm - 1, 0
        while True:
            if age <= last:
                yield rise, last
            length *= self.growth
            last, rise = last + length, rise + self.rise

    @cached_property
    def last_rise(self) -> int:
        """The largest rise within the horizon."""
        return next(self.rises(self.horizon - 1))[0]

    @cached_property
    def tests(self) -> Fraction:
        """The tests within the horizon, each times the factor by which the rise lowers its chance.

        Or more: if powers are long, a period counts 1 / `growth` of the one before, which is larger.
        """
        less = self.shrink**self.rise if self.rise <= _LONG else Fraction(1, self.growth)
        total, first = Fraction(0), 0
        for period, (_, last) in enumerate(self.rises(0)):
            end = min(last + 1, self.horizon)
            total += (end - first) * less**period
            if (first := end) == self.horizon:
                return total
        raise AssertionError("periods have no end")

    def quiet(self, gap: int) -> Real:
        """The probability of no hit, where ``gap`` more records would make the hit certain."""
        # No chance is 0 while a key is watched, so no delta is needed.
        return quiet_real(self.shrink, max(0, gap))

    def cost(self) -> PrivacyCost:
        # A record leaves one epoch (e2) and enters another (e1); how many keys or hits there are
        # does not matter.
        return PrivacyCost(self.skip_epsilon + self.test_epsilon)

    def confirmations(self, tape: Tape) -> Confirmations[Key]:
        """The counts from which a run draws; it watches no key yet."""
        return Confirmations(self, tape)

    def draw(self, data: Sequence[int | None], *, receipt: Receipt) -> Hits:
        """The keys 0, 1, ... that hit at each step; ``data[t]`` is the key of record t, or None."""
        counts: Confirmations[int] = self.confirmations(Tape(receipt.redeem(self)))
        watched = dict.fromkeys(range(self.keys), Watch(1, self.threshold))
        counts.watch(1, watched)
        found = list[frozenset[int]]()
        for step, key in enumerate(data[: self.horizon], start=1):
            if key is not None:
                counts.count(step, key)
            found.append(counts.select() if counts.due == step else frozenset())
            if found[-1]:
                watched |= dict.fromkeys(found[-1], Watch(step + 1, self.threshold))
                counts.watch(step + 1, watched)
        return (*found, *(frozenset[int](),) * (len(data) - len(found)))

    def distribution(self, data: Sequence[int | None]) -> dict[Hits, Fraction]:
        kept = data[: self.horizon]
        rest = (frozenset[int](),) * (len(data) - len(kept))
        found: dict[Hits, Fraction] = {(frozenset[int](),) * len(kept): Fraction(1)}
        for key in range(self.keys):
            alone = self._law(tuple(x == key for x in kept))
            found = {
                tuple(
                    keys | {key} if hit else keys for keys, hit in zip(before, hits, strict=True)
                ): mass * p
                for before, mass in found.items()
                for hits, p in alone.items()
            }
        return {(*hits, *rest): mass for hits, mass in found.items()}

    def _law(self, named: tuple[bool, ...]) -> dict[tuple[bool, ...], Fraction]:
        """The distribution of one key's hits, from the step on at which it begins anew."""
        gaps = [
            self.threshold + next(self.rises(age))[0] - records
            for age, records in enumerate(accumulate(named))
        ]
        found: dict[tuple[bool, ...], Fraction] = {}
        left = Fraction(1)
        for u in range(1, len(gaps) + 1):
            mass = self._first_hit(gaps[:u])
            left -= mass
            for later, p in self._law(named[u:]).items():
                found[(*(False,) * (u - 1), True, *later)] = mass * p
        return found | {(False,) * len(gaps): left}

    def _first_hit(self, gaps: Sequence[int]) -> Fraction:
        """The probability that the last of these tests hits first."""
        return chance_of_first_hit(self.skip, self.shrink, gaps)

    def __str__(self) -> str:
        return (
            f"continual confirmation of {self.keys} keys over {self.horizon} steps, from "
            f"{self.threshold} records on, with {self.rise} more after {self.warm} steps and each "
            f"further period, epsilon {decimal_text(self.skip_epsilon)} for skips and "
            f"{decimal_text(self.test_epsilon)} for tests"
        )
