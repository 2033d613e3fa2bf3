"""Noisy counts of all cells, or a median, published each time enough records have named a cell."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from itertools import accumulate, product
from math import prod
from typing import Any

import numpy as np

from littlestone.privacy.cost import PrivacyCost, decimal_text, require_epsilon
from littlestone.privacy.event import Mechanism
from littlestone.privacy.ledger import Receipt
from littlestone.privacy.mechanisms.confirmation import (
    Confirmations,
    ContinualConfirmation,
    Watch,
)
from littlestone.privacy.parameters import require_whole
from littlestone.privacy.rational import exp_below
from littlestone.privacy.samplers.noise import discrete_laplace, laplace_tail
from littlestone.privacy.samplers.selection import draw_item
from littlestone.privacy.tape import Tape

Tally = tuple[int, ...]

_ANY = 0  # the only key of the timer: the record names a cell


class RunCounts(ABC):
    """What one run has counted since something was published, and when the next is due."""

    @abstractmethod
    def watch(self, step: int) -> None:
        """Begin to count at ``step``, which comes after a publication or is the first."""

    @abstractmethod
    def count(self, step: int, cell: int) -> None:
        """The record of ``step`` names this."""

    @property
    @abstractmethod
    def due(self) -> int:
        """The step of the next publication if no record changes it; after the horizon for none."""

    @abstractmethod
    def select(self) -> Any:
        """What is published at the step that is `due`; nothing is counted until `watch`."""

    @abstractmethod
    def to_json(self) -> Any:
        """All that is secret."""

    @abstractmethod
    def restore(self, step: int, kept: Any) -> None:
        """Go on from what `to_json` gave in an epoch that began at ``step``; nothing is drawn."""


def draw_run(counts: RunCounts, data: Sequence[int | None], horizon: int) -> tuple[Any, ...]:
    """What is published at each step of a stream, or None; after the ``horizon`` nothing is."""
    counts.watch(1)
    found = list[Any]()
    for step, cell in enumerate(data[:horizon], start=1):
        if cell is not None:
            counts.count(step, cell)
        found.append(counts.select() if counts.due == step else None)
        if found[-1] is not None:
            counts.watch(step + 1)
    return (*found, *(None,) * (len(data) - len(found)))


class Tallies(RunCounts):
    """The records of one run since the last tally: how many there are, and of which cells."""

    def __init__(self, mechanism: TimedRelease, tape: Tape) -> None:
        self._mechanism, self._tape = mechanism, tape
        self._timer: Confirmations[int] = mechanism.timer.confirmations(tape)
        self._counts = Counter[int]()

    def watch(self, step: int) -> None:
        self._timer.watch(step, self._timer_watch(step))

    def _timer_watch(self, step: int) -> dict[int, Watch]:
        return {_ANY: Watch(step, self._mechanism.timer.threshold)}

    def to_json(self) -> dict[str, Any]:
        return {"counts": list(self._counts.items()), "timer": self._timer.to_json()}

    def restore(self, step: int, kept: Mapping[str, Any]) -> None:
        self._timer.restore(self._timer_watch(step), kept["timer"])
        self._counts = Counter(dict(kept["counts"]))

    def count(self, step: int, cell: int) -> None:
        """The record of ``step`` names a cell."""
        # The true counts stay in this object; only noisy, cut ones leave it in `select`.
        self._counts[cell] += 1
        self._timer.count(step, _ANY)

    @property
    def due(self) -> int:
        return self._timer.due

    def select(self) -> Any:
        # The timer ends its epoch first: later records belong to the next tally.
        self._timer.select()
        counts, self._counts = self._counts, Counter[int]()
        return self._mechanism.release(counts, self._tape)


@dataclass(frozen=True, kw_only=True)
class TimedRelease(Mechanism[Sequence[int | None], tuple[Any, ...]]):
    """Count the records that name a cell, and publish something about the counts from time to time.

    ``timer`` says when: its only key is named by every record that names a cell.  When it hits,
    `release` draws from the counts since the hit before.  A record that appears there changes no
    probability by a factor above e^c, for c = ``cell_epsilon``.

    With e1 and e2 of the timer all releases at all steps are (max(e1 + c, e2 + c, 2c), 0)-DP under
    replacement of one record, however many there are.  What a record names may depend on that record
    and on earlier releases alone.  The proof is in docs/proofs/tallies.md.
    """

    timer: ContinualConfirmation
    cell_epsilon: Fraction

    def __post_init__(self) -> None:
        require_epsilon(self.cell_epsilon, what="cell_epsilon")

    @abstractmethod
    def release(self, counts: Counter[int], tape: Tape) -> Any:
        """Draw what is published of these counts."""

    @abstractmethod
    def law_of_release(self, counts: Counter[int]) -> dict[Any, Fraction]:
        """The exact distribution of `release`."""

    @property
    def horizon(self) -> int:
        return self.timer.horizon

    @cached_property
    def ratio(self) -> Fraction:
        """The ratio a, at least e^-c, by which one record may change a probability."""
        return 1 / exp_below(self.cell_epsilon)

    def cost(self) -> PrivacyCost:
        # Theorem 1: a record that appears moves the timer and the counts; one that changes what it
        # names is a record that leaves and one that appears, and does not move the timer.
        once = max(self.timer.skip_epsilon, self.timer.test_epsilon) + self.cell_epsilon
        return PrivacyCost(max(once, 2 * self.cell_epsilon))

    def tallies(self, tape: Tape) -> Tallies:
        """The counts from which a run draws; nothing is counted yet."""
        return Tallies(self, tape)

    def draw(self, data: Sequence[int | None], *, receipt: Receipt) -> tuple[Any, ...]:
        """What is published at each step, or None; ``data[t]`` is what record t names, or None."""
        return draw_run(self.tallies(Tape(receipt.redeem(self))), data, self.horizon)

    def distribution(self, data: Sequence[int | None]) -> dict[tuple[Any, ...], Fraction]:
        kept = tuple(data[: self.horizon])
        rest = (None,) * (len(data) - len(kept))
        return {(*seen, *rest): mass for seen, mass in self._law(kept)}

    def _law(self, data: tuple[int | None, ...]) -> Iterator[tuple[tuple[Any, ...], Fraction]]:
        """From a step on at which the counts begin."""
        for u, told, mass in self.first_releases(data):
            if told is None:
                yield (None,) * u, mass
            else:
                for seen, q in self._law(data[u:]):
                    yield (*(None,) * (u - 1), told, *seen), mass * q

    def first_releases(self, data: Sequence[int | None]) -> Iterator[tuple[int, Any, Fraction]]:
        """Each step and what may first be published there, with the chance; or None, after the last."""
        left = Fraction(1)
        for u in range(1, len(data) + 1):
            left -= (mass := self.chance_of_tally(data[:u]))
            for told, p in self.tally_law(data[:u]).items():
                yield u, told, mass * p
        yield len(data), None, left

    def chance_of_tally(self, data: Sequence[int | None]) -> Fraction:
        """The probability that the first hit after the one before is at the last of these steps."""
        timer, counts = self.timer, accumulate(cell is not None for cell in data)
        return timer._first_hit(
            [
                timer.threshold + next(timer.rises(age))[0] - count
                for age, count in enumerate(counts)
            ]
        )

    def tally_law(self, data: Sequence[int | None]) -> dict[Any, Fraction]:
        """The distribution of what is published of these records."""
        return self.law_of_release(Counter(cell for cell in data if cell is not None))


@dataclass(frozen=True, kw_only=True)
class ContinualTallies(TimedRelease):
    """Publish noisy counts of all cells each time: with noise X for each cell, Pr[X = x] ~ a^|x|.

    Here a >= e^-``cell_epsilon`` is rational.  Noisy counts are cut to between 0 and ``most``.
    The cost is that of `TimedRelease`, however many cells there are.

    Time: 0.5 ms per record that names a cell, and 0.03 ms per cell and tally.

    >>> half = Fraction(1, 2)
    >>> timer = ContinualConfirmation(
    ...     skip_epsilon=half, test_epsilon=half, threshold=40, warm=200_000, keys=1, horizon=200_000
    ... )
    >>> mechanism = ContinualTallies(timer=timer, cell_epsilon=half, cells=40, most=500)
    >>> print(mechanism.cost())
    epsilon 1, delta 0 (replace-one)
    """

    cells: int
    most: int

    def __post_init__(self) -> None:
        super().__post_init__()
        require_whole("cells", self.cells, least=1)
        require_whole("most", self.most, least=0)

    def cut(self, count: int) -> int:
        """The nearest number that is published."""
        return min(max(count, 0), self.most)

    def release(self, counts: Counter[int], tape: Tape) -> Tally:
        return tuple(
            # Cutting after the noise is a function of the noisy count, so it costs nothing
            # (docs/proofs/tallies.md, step 5).
            self.cut(counts[cell] + tape.whole(lambda rng: discrete_laplace(self.ratio, rng), None))
            for cell in range(self.cells)
        )

    def law_of_release(self, counts: Counter[int]) -> dict[Tally, Fraction]:
        alone = [self._cell_law(counts[cell]) for cell in range(self.cells)]
        return {
            tuple(value for value, _ in chosen): prod((p for _, p in chosen), start=Fraction(1))
            for chosen in product(*(law.items() for law in alone))
        }

    def _cell_law(self, count: int) -> dict[int, Fraction]:
        inner = {x: laplace_tail(self.ratio, x - count)
                 for x in range(1, self.most + 1)}  # fmt: skip
        law, above = dict[int, Fraction](), Fraction(1)
        for x in range(self.most + 1):
            below = inner.get(x + 1, Fraction(0))
            law[x], above = above - below, below
        return law

    def __str__(self) -> str:
        return (
            f"continual tallies of {self.cells} cells, epsilon {decimal_text(self.cell_epsilon)} "
            f"for each, at the hits of {self.timer}"
        )


@dataclass(frozen=True, kw_only=True)
class ContinualMedians(TimedRelease):
    """Publish a place in the middle of all records each time; cells are places 0, ..., ``points`` - 1.

    Place x has the score min(#{records at most x}, #{records at least x}), and is drawn with a
    probability proportional to a^-score, for the rational a >= e^-``cell_epsilon``.  A record that
    appears raises each score by 1 or not at all.  So the cost is that of `TimedRelease`.

    Of n records a place outside of all of them is drawn with a probability of at most
    ``points`` a^(n / 2).  Time: 0.5 ms per record, and 10 ms for each median of a million of them.

    >>> half = Fraction(1, 2)
    >>> timer = ContinualConfirmation(
    ...     skip_epsilon=half, test_epsilon=half, threshold=100, warm=200_000, keys=1, horizon=200_000
    ... )
    >>> print(ContinualMedians(timer=timer, cell_epsilon=half, points=1 << 20).cost())
    epsilon 1, delta 0 (replace-one)
    """

    points: int

    def __post_init__(self) -> None:
        super().__post_init__()
        require_whole("points", self.points, least=1)

    def _runs(self, counts: Counter[int]) -> list[tuple[int, int]]:
        """Runs of places of one score, in order, each with its length and its score."""
        runs, records, below, start = list[tuple[int, int]](), counts.total(), 0, 0
        for place in sorted(counts):
            between = place - start, min(below, records - below)
            at = 1, min(below + counts[place], records - below)
            runs += [between, at] if place > start else [at]
            below, start = below + counts[place], place + 1
        return [*runs, (self.points - start, 0)] if start < self.points else runs

    def release(self, counts: Counter[int], tape: Tape) -> int:
        lengths, scores = zip(*self._runs(counts), strict=True)
        errors = counts.total() - np.array(scores, dtype=np.int64)
        return tape.whole(
            lambda rng: draw_item(errors, lengths, 1 / self.ratio, rng), 0, self.points - 1
        )

    def law_of_release(self, counts: Counter[int]) -> dict[int, Fraction]:
        scores = [score for length, score in self._runs(counts) for _ in range(length)]
        total = sum((self.ratio**-score for score in scores), Fraction(0))
        return {place: self.ratio**-score / total for place, score in enumerate(scores)}

    def __str__(self) -> str:
        return (
            f"continual medians of {self.points} places, epsilon {decimal_text(self.cell_epsilon)} "
            f"for each, at the hits of {self.timer}"
        )
