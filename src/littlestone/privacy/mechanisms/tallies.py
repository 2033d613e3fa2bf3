"""Continual tallies: noisy counts of all cells, published each time enough records have named one."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from itertools import accumulate, product
from math import prod
from typing import Any

from littlestone.privacy.cost import PrivacyCost, decimal_text, require_epsilon
from littlestone.privacy.ledger import Receipt
from littlestone.privacy.mechanisms.base import Mechanism
from littlestone.privacy.mechanisms.confirmation import (
    Confirmations,
    ContinualConfirmation,
    Watch,
)
from littlestone.privacy.parameters import require_whole
from littlestone.privacy.rational import exp_below
from littlestone.privacy.samplers.geometric import discrete_laplace
from littlestone.privacy.tape import Tape

Tally = tuple[int, ...]
Tallied = tuple[Tally | None, ...]

_ANY = 0  # the only key of the timer: the record names a cell


class Tallies:
    """The records of one run since the last tally: how many there are, and of which cells."""

    def __init__(self, mechanism: ContinualTallies, tape: Tape) -> None:
        self._mechanism, self._tape = mechanism, tape
        self._timer: Confirmations[int] = mechanism.timer.confirmations(tape)
        self._counts = Counter[int]()

    def watch(self, step: int) -> None:
        """Begin to count at ``step``, which comes after a tally or is the first."""
        self._timer.watch(step, self._timer_watch(step))

    def _timer_watch(self, step: int) -> dict[int, Watch]:
        return {_ANY: Watch(step, self._mechanism.timer.threshold)}

    def to_json(self) -> dict[str, Any]:
        """All that is secret: the counts since the last tally, and when the next one is due."""
        return {"counts": list(self._counts.items()), "timer": self._timer.to_json()}

    def restore(self, step: int, kept: Mapping[str, Any]) -> None:
        """Go on from what `to_json` gave in an epoch that began at ``step``; nothing is drawn."""
        self._timer.restore(self._timer_watch(step), kept["timer"])
        self._counts = Counter(dict(kept["counts"]))

    def count(self, step: int, cell: int) -> None:
        """The record of ``step`` names a cell."""
        # The true counts stay in this object; only noisy, cut ones leave it in `select`.
        self._counts[cell] += 1
        self._timer.count(step, _ANY)

    @property
    def due(self) -> int:
        """The step of the next tally if no record changes it; after the horizon if there is none."""
        return self._timer.due

    def select(self) -> Tally:
        """The tally that is `due`; afterwards nothing is counted until `watch`."""
        # The timer ends its epoch first: later records belong to the next tally.
        self._timer.select()
        counts, self._counts = self._counts, Counter[int]()
        mechanism = self._mechanism
        return tuple(
            # Cutting after the noise is a function of the noisy count, so it costs nothing
            # (docs/proofs/tallies.md, step 5).
            mechanism.cut(
                counts[cell]
                + self._tape.whole(lambda rng: discrete_laplace(mechanism.ratio, rng), None)
            )
            for cell in range(mechanism.cells)
        )


@dataclass(frozen=True, kw_only=True)
class ContinualTallies(Mechanism[Sequence[int | None], Tallied]):
    """Count the records that name a cell, and publish noisy counts of all cells from time to time.

    ``timer`` says when: its only key is named by every record that names a cell.  When it hits, each
    cell's number of records since the last tally is published with noise X of its own,
    Pr[X = x] ~ a^|x| for a rational a >= e^-``cell_epsilon``, cut to between ``least`` and ``most``.

    With e1 and e2 of the timer and c = ``cell_epsilon``, all tallies at all steps are
    (max(e1 + c, e2 + c, 2c), 0)-DP under replacement of one record, however many there are.  What a
    record names may depend on that record and on earlier tallies alone.  The proof is in
    docs/proofs/tallies.md.

    Time: 0.5 ms per record that names a cell, and 0.03 ms per cell and tally.

    >>> half = Fraction(1, 2)
    >>> timer = ContinualConfirmation(
    ...     skip_epsilon=half, test_epsilon=half, threshold=40, warm=200_000, keys=1, horizon=200_000
    ... )
    >>> mechanism = ContinualTallies(timer=timer, cell_epsilon=half, cells=40, least=-12, most=500)
    >>> print(mechanism.cost())
    epsilon 1, delta 0 (replace-one)
    """

    timer: ContinualConfirmation
    cell_epsilon: Fraction
    cells: int
    least: int
    most: int

    def __post_init__(self) -> None:
        require_epsilon(self.cell_epsilon, what="cell_epsilon")
        require_whole("cells", self.cells, least=1)
        require_whole("least", self.least)
        require_whole("most", self.most, least=self.least)

    @property
    def horizon(self) -> int:
        return self.timer.horizon

    @cached_property
    def ratio(self) -> Fraction:
        """The ratio a of the probabilities of neighbouring noises."""
        return 1 / exp_below(self.cell_epsilon)

    def cut(self, count: int) -> int:
        """The nearest number that is published."""
        return min(max(count, self.least), self.most)

    def cost(self) -> PrivacyCost:
        # Theorem 1: a record that appears moves the timer and one count; one that changes its cell
        # moves two counts and not the timer.
        once = max(self.timer.skip_epsilon, self.timer.test_epsilon) + self.cell_epsilon
        return PrivacyCost(max(once, 2 * self.cell_epsilon))

    def tallies(self, tape: Tape) -> Tallies:
        """The counts from which a run draws; nothing is counted yet."""
        return Tallies(self, tape)

    def draw(self, data: Sequence[int | None], *, receipt: Receipt) -> Tallied:
        """The tally of each step, or None; ``data[t]`` is the cell of record t, or None."""
        counts = self.tallies(Tape(receipt.redeem(self)))
        counts.watch(1)
        found = list[Tally | None]()
        for step, cell in enumerate(data[: self.horizon], start=1):
            if cell is not None:
                counts.count(step, cell)
            found.append(counts.select() if counts.due == step else None)
            if found[-1] is not None:
                counts.watch(step + 1)
        return (*found, *(None,) * (len(data) - len(found)))

    def distribution(self, data: Sequence[int | None]) -> dict[Tallied, Fraction]:
        kept = tuple(data[: self.horizon])
        rest = (None,) * (len(data) - len(kept))
        return {(*seen, *rest): mass for seen, mass in self._law(kept)}

    def _law(self, data: tuple[int | None, ...]) -> Iterator[tuple[Tallied, Fraction]]:
        """From a step on at which the counts begin."""
        left = Fraction(1)
        for u in range(1, len(data) + 1):
            left -= (mass := self.chance_of_tally(data[:u]))
            later = tuple(self._law(data[u:]))
            for tally, p in self.tally_law(data[:u]).items():
                for seen, q in later:
                    yield (*(None,) * (u - 1), tally, *seen), mass * p * q
        yield (None,) * len(data), left

    def chance_of_tally(self, data: Sequence[int | None]) -> Fraction:
        """The probability that the first tally after the one before is at the last of these steps."""
        timer, counts = self.timer, accumulate(cell is not None for cell in data)
        return timer._first_hit(
            [
                timer.threshold + next(timer.rises(age))[0] - count
                for age, count in enumerate(counts)
            ]
        )

    def tally_law(self, data: Sequence[int | None]) -> dict[Tally, Fraction]:
        """The distribution of the tally of these records."""
        counts = Counter(data)
        alone = [self._cell_law(counts[cell]) for cell in range(self.cells)]
        return {
            tuple(value for value, _ in chosen): prod((p for _, p in chosen), start=Fraction(1))
            for chosen in product(*(law.items() for law in alone))
        }

    def _cell_law(self, count: int) -> dict[int, Fraction]:
        def tail(x: int) -> Fraction:
            """Pr[count + X >= x]."""
            a, x = self.ratio, x - count
            return a**x / (1 + a) if x > 0 else 1 - a ** (1 - x) / (1 + a)

        inner = {x: tail(x) for x in range(self.least + 1, self.most + 1)}
        law, above = dict[int, Fraction](), Fraction(1)
        for x in range(self.least, self.most + 1):
            below = inner.get(x + 1, Fraction(0))
            law[x], above = above - below, below
        return law

    def __str__(self) -> str:
        return (
            f"continual tallies of {self.cells} cells, epsilon {decimal_text(self.cell_epsilon)} "
            f"for each, at the hits of {self.timer}"
        )
