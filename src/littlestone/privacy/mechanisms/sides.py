"""Continual sides: on which side of an end the records are, told soon after enough have named it."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property, lru_cache
from itertools import combinations, product
from typing import Any, NamedTuple

from littlestone.privacy.cost import PrivacyCost, decimal_text, require_epsilon
from littlestone.privacy.event import Mechanism
from littlestone.privacy.ledger import Receipt
from littlestone.privacy.mechanisms.competition import draw_skips, next_hit
from littlestone.privacy.mechanisms.confirmation import quiet_real
from littlestone.privacy.mechanisms.tallies import RunCounts, draw_run
from littlestone.privacy.parameters import require_whole
from littlestone.privacy.rational import exp_below
from littlestone.privacy.tape import Tape

OWN, SHARED = 6, 4
"""The units that a record adds to the count of its side, and to the count that all sides share."""

Told = tuple[int | None, ...]
Name = Callable[[Told], int | None]


class SideCounts(RunCounts):
    """The counts of one run, in units, with the units that are skipped and the steps that are due."""

    def __init__(self, mechanism: ContinualSides, tape: Tape) -> None:
        self._mechanism, self._tape = mechanism, tape
        self._skips, self._units, self._due = ([0] * mechanism.sides for _ in range(3))
        self._shared_skips = self._shared_units = 0
        self._over = list(range(mechanism.ends))  # whose counts begin at the next `watch`

    def watch(self, step: int) -> None:
        mechanism = self._mechanism
        # The shared skips hide a record that enters, for all sides; those of a side hide the rest
        # (docs/proofs/sides.md, Theorem 1, step 3).
        self._shared_skips, self._shared_units = draw_skips(mechanism.shared_skip, self._tape), 0
        for end in self._over:
            for side in (2 * end, 2 * end + 1):
                self._skips[side], self._units[side] = draw_skips(mechanism.skip, self._tape), 0
        self._over = []
        self._time(step)

    def count(self, step: int, cell: int) -> None:
        self._units[cell] += OWN
        self._shared_units += SHARED
        self._time(step)

    def _time(self, step: int) -> None:
        mechanism = self._mechanism
        most = mechanism.units + self._shared_skips - self._shared_units
        for side, (skips, units) in enumerate(zip(self._skips, self._units, strict=True)):
            quiet = quiet_real(mechanism.shrink, max(0, most + skips - units))
            self._due[side] = next_hit(quiet, step, mechanism.horizon, self._tape)

    @property
    def due(self) -> int:
        return min(self._due)

    def select(self) -> int:
        sides = [side for side, due in enumerate(self._due) if due == self.due]
        which = 0
        if len(sides) > 1:
            # One alone is told: a record then changes one told side at most (step 2).
            which = self._tape.whole(lambda rng: rng.randrange(len(sides)), 0, len(sides) - 1)
        self._over = [sides[which] // 2]
        return sides[which]

    def to_json(self) -> list[Any]:
        return [self._shared_skips, self._shared_units, self._skips, self._units, self._due]

    def restore(self, step: int, kept: Sequence[Any]) -> None:
        self._shared_skips, self._shared_units, *sides = kept
        self._skips, self._units, self._due = map(list, sides)
        self._over = []


@lru_cache(maxsize=1 << 10)
def _power(shrink: Fraction, n: int) -> Fraction:
    return shrink**n


@lru_cache(maxsize=1 << 10)
def _mean_power(skip: Fraction, shrink: Fraction, n: int) -> Fraction:
    """The mean of shrink^(n Z)."""
    return (1 - skip) / (1 - skip * shrink**n)


class _Test(NamedTuple):
    """A chance of min(1, r^-(gap + Z + Z')), for the variables of the epochs that it is in."""

    gap: int
    variables: tuple[Any, ...]


@dataclass(frozen=True, kw_only=True)
class ContinualSides(Mechanism[Sequence[int | None], Told]):
    """At every step each of the two sides of some ``ends`` hits with a chance of its own; one is told.

    A record names a side: 2 i or 2 i + 1 for end i.  It adds `OWN` units to the count of this side
    since its end was last told, and `SHARED` units to a count c since anything was told.  A side with
    n units hits with probability min(1, r^(n + c - Z - Z' - U)), where U is 10 ``threshold``.  Of those
    that hit, one is told at random.  Z is drawn for each side when its end begins, and Z' for all
    whenever something was told: Pr[Z >= z] = r1^-z, Pr[Z' >= z] = r0^-z.

    With r <= e^(epsilon / 10), r1 <= e^(epsilon / 15) and r0 <= e^(3 epsilon / 20) all that is told is
    (``epsilon``, 0)-DP under replacement of one record.  What a record names may depend on that record
    and on what was told before.  The proof is in docs/proofs/sides.md.

    Time: about 0.3 ms a side, for each record that names one.

    >>> print(ContinualSides(epsilon=Fraction(1), threshold=12, ends=2, horizon=200_000).cost())
    epsilon 1, delta 0 (replace-one)
    """

    epsilon: Fraction
    threshold: int
    ends: int
    horizon: int

    def __post_init__(self) -> None:
        require_epsilon(self.epsilon)
        for name in ("threshold", "ends", "horizon"):
            require_whole(name, getattr(self, name), least=1)

    @property
    def sides(self) -> int:
        """Two for each end."""
        return 2 * self.ends

    @property
    def units(self) -> int:
        """The units at which a side hits for certain, if none are skipped."""
        return (OWN + SHARED) * self.threshold

    @property
    def _unit_epsilon(self) -> Fraction:
        """The epsilon of one unit in a test."""
        return self.epsilon / (OWN + SHARED)

    @property
    def _skip_epsilon(self) -> Fraction:
        """The epsilon of one unit in the skips of a side."""
        return self.epsilon / OWN - self._unit_epsilon

    @property
    def _shared_epsilon(self) -> Fraction:
        """The epsilon of one unit in the shared skips."""
        return (self.epsilon - OWN * self._skip_epsilon) / SHARED

    @cached_property
    def shrink(self) -> Fraction:
        """1 / r."""
        return 1 / exp_below(self._unit_epsilon)

    @cached_property
    def skip(self) -> Fraction:
        """1 / r1."""
        return 1 / exp_below(self._skip_epsilon)

    @cached_property
    def shared_skip(self) -> Fraction:
        """1 / r0."""
        return 1 / exp_below(self._shared_epsilon)

    def cost(self) -> PrivacyCost:
        # Theorem 1: a record leaves, or enters, or changes its side.
        leaves = (OWN + SHARED) * self._unit_epsilon
        enters = SHARED * self._shared_epsilon + OWN * self._skip_epsilon
        return PrivacyCost(max(leaves, enters, OWN * (self._unit_epsilon + self._skip_epsilon)))

    def tallies(self, tape: Tape) -> SideCounts:
        """The counts from which a run draws; nothing is counted yet."""
        return SideCounts(self, tape)

    def draw(self, data: Sequence[int | None], *, receipt: Receipt) -> Told:
        """The side that is told at each step, or None; ``data[t]`` is what record t names, or None."""
        return draw_run(self.tallies(Tape(receipt.redeem(self))), data, self.horizon)

    def distribution(self, data: Sequence[int | None]) -> dict[Told, Fraction]:
        kept = data[: self.horizon]
        rest = (None,) * (len(data) - len(kept))
        law = self.law(len(kept), lambda told: kept[len(told)])
        return {(*told, *rest): mass for told, mass in law.items()}

    def law(self, steps: int, name: Name) -> dict[Told, Fraction]:
        """The law of what is told, if ``name`` says what is named after what was told."""
        return {
            told: self._mass([self._tests(told[:t], name) for t in range(steps)], told)
            for told in product((None, *range(self.sides)), repeat=steps)
        }

    def _tests(self, told: Told, name: Name) -> list[_Test]:
        """The tests of all sides at the step after these."""
        began, shared = [0] * self.ends, 0
        for step, side in enumerate(told, start=1):
            if side is not None:
                began[side // 2] = shared = step
        named = [name(told[:t]) for t in range(len(told) + 1)]
        units = SHARED * sum(side is not None for side in named[shared:])
        return [
            _Test(
                self.units - units - OWN * named[began[side // 2] :].count(side),
                (("shared", shared), (side, began[side // 2])),
            )
            for side in range(self.sides)
        ]

    def _mass(self, tests: Sequence[Sequence[_Test]], told: Told) -> Fraction:
        """The probability of all that is told, as a sum of products of chances."""
        total = Fraction(0)
        for chosen in product(*map(self._terms, told)):
            sign = Fraction(1)
            hits = list[_Test]()
            for at, (factor, sides) in zip(tests, chosen, strict=True):
                sign *= factor
                hits += [at[side] for side in sides]
            total += sign * self._mean(hits)
        return total

    def _terms(self, told: int | None) -> Iterator[tuple[Fraction, tuple[int, ...]]]:
        """What is told at a step has the probability sum of factor times the chances of these sides.

        Nothing is told with the product of all 1 - q; side o with the mean of q_o times the product
        of 1 - x q over the other sides, for x uniform in [0, 1].
        """
        others = [side for side in range(self.sides) if side != told]
        for n in range(len(others) + 1):
            for sides in combinations(others, n):
                if told is None:
                    yield Fraction((-1) ** n), sides
                else:
                    yield Fraction((-1) ** n, n + 1), (told, *sides)

    def _mean(self, tests: Sequence[_Test]) -> Fraction:
        """The mean of a product of chances over all that is skipped."""
        for test in tests:
            if test.gap < 0 and test.variables:
                # Z is 0, or larger: then it has the law of Z + 1.
                z = test.variables[0]
                a = self._skip_of(z)
                zero = [_Test(t.gap, tuple(v for v in t.variables if v != z)) for t in tests]
                more = [_Test(t.gap + (z in t.variables), t.variables) for t in tests]
                return (1 - a) * self._mean(zero) + a * self._mean(more)
        mean = _power(self.shrink, sum(max(0, test.gap) for test in tests))
        used = [z for test in tests for z in test.variables]
        for z in set(used):
            mean *= _mean_power(self._skip_of(z), self.shrink, used.count(z))
        return mean

    def _skip_of(self, variable: Any) -> Fraction:
        return self.shared_skip if variable[0] == "shared" else self.skip

    def __str__(self) -> str:
        return (
            f"continual sides of {self.ends} ends over {self.horizon} steps, from {self.threshold} "
            f"records on, epsilon {decimal_text(self.epsilon)}"
        )
