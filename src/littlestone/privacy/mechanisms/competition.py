"""Candidates that compete over a stream to be selected: their rates, and one run of it."""

from __future__ import annotations

import random
from collections.abc import Callable, Hashable, Iterable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from math import lcm
from typing import Generic, TypeVar

from littlestone.privacy.mechanisms.epoch import draw_skips, next_hit
from littlestone.privacy.samplers.reals import Real

Key = TypeVar("Key", bound=Hashable)


@dataclass(frozen=True)
class Rates:
    """How the candidates of an epoch compete, of which one record names at most ``growth``.

    A candidate's score is the number of its records, less Z skipped ones and less its handicap; Z is
    geometric, Pr[Z >= z] = skip^z, one for each candidate or one ``shared`` by all.  Its weight is

        q(s) = first base^(s - 1), and 0 for s <= 0 unless Z is shared or for want of a record.

    At a step, candidate R is selected with probability q_R / max(1, H), H the sum of the weights.
    """

    growth: int
    shared: bool
    skip: Fraction
    base: Fraction
    first: Fraction

    def weight(self, score: int) -> Fraction:
        """q(score) of a candidate that has a record."""
        return self.first * self.base ** (score - 1) if self.shared or score >= 1 else Fraction(0)

    def missed(self) -> Iterator[float]:
        """S(m), m = 0, 1, ...: after m records that all name one candidate, none is selected yet.

        At most so, whatever the pace of the records and whatever else they name.
        """
        skip, weight, still, missed = float(self.skip), float(self.first), 1.0, 1.0
        while True:
            yield missed
            still *= 1 - weight
            missed = skip * missed + (1 - skip) * still
            weight = min(1.0, weight * float(self.base))

    def enough(self, beta: float) -> int:
        """The least m with S(m) <= beta."""
        return next(m for m, missed in enumerate(self.missed()) if missed * (1 + 1e-9) <= beta)

    @property
    def expected_records(self) -> float:
        """The sum of all S(m), but for some that are below 1e-9."""
        total = 0.0
        for missed in self.missed():
            total += missed
            if missed < 1e-9:
                break
        return total


CompetitionJournal = Callable[[int, list[Key], list[int]], None]
"""Is told a step at which something was drawn, the candidates that it named, and what was drawn."""


def no_handicap(key: object) -> int:
    """No candidate needs more records than another."""
    return 0


class Competition(Generic[Key]):
    """One run over a stream.  A selection ends an epoch, and all candidates begin anew.

    Given what was skipped, the tests of unchanged weights are independent and alike: the number of
    them up to the selection is geometric, and is drawn when a record names candidates.

    `begin`, at the start or right after a selection, may set other rates and handicaps for the new
    epoch, as functions of what was published.

    A run is determined by what is drawn at some of its steps.  ``journal`` is told these steps, what
    they name and what they draw, before the step returns; `restore` takes it back.
    """

    def __init__(
        self,
        rates: Rates,
        horizon: int,
        rng: random.Random,
        journal: CompetitionJournal[Key] | None = None,
    ) -> None:
        self._horizon, self._rng, self._journal = horizon, rng, journal
        self._drawn: list[int] = []
        self._tape: list[int] = []
        self.steps = 0
        self.begin(rates)

    def begin(self, rates: Rates, handicap: Callable[[Key], int] = no_handicap) -> None:
        """Begin an epoch."""
        self.rates, self.handicap = rates, handicap
        self._records: dict[Key, int] = {}
        self._skips: dict[Key | None, int] = {}
        self._weights: dict[Key, Fraction] = {}
        self._total = Fraction(0)
        self._due = self._horizon + 1

    def step(self, named: Iterable[Key] = ()) -> Key | None:
        """Take one step, whose record names candidates: the one that is selected at it, if any.

        More than ``growth`` candidates are cut; after the horizon nothing is read or selected.
        """
        if self.steps == self._horizon:
            return None
        self.steps += 1
        candidates = list(dict.fromkeys(named))[: self.rates.growth]
        if candidates:
            self._count(candidates)
        selected = self._choice() if self._due == self.steps else None
        if self._drawn and self._journal is not None:
            self._journal(self.steps, candidates, self._drawn)
        self._drawn = []
        if selected is not None:
            self.begin(self.rates, self.handicap)
        return selected

    @property
    def due(self) -> int:
        """The step of the next selection, unless a record names candidates before; secret.

        One after the horizon is none.
        """
        return self._due

    def restore(self, step: int, named: Iterable[Key], drawn: Iterable[int]) -> Key | None:
        """Take ``step`` as the journal tells it."""
        journal, self._journal = self._journal, None
        self.steps, self._tape = step - 1, list(drawn)
        selected = self.step(named)
        self._journal, self._tape = journal, []
        return selected

    def _count(self, candidates: list[Key]) -> None:
        for key in candidates:
            self._records[key] = self._records.get(key, 0) + 1
            place = None if self.rates.shared else key
            if place not in self._skips:
                self._skips[place] = self._draw(lambda: draw_skips(self.rates.skip, self._rng))
            score = self._records[key] - self._skips[place] - self.handicap(key)
            weight = self.rates.weight(score)
            self._total += weight - self._weights.get(key, Fraction(0))
            if weight:
                self._weights[key] = weight
        still = Real.of(1 - min(Fraction(1), self._total))
        now, last = self.steps, self._horizon
        self._due = now + self._draw(lambda: next_hit(still, now, last, self._rng) - now)

    def _choice(self) -> Key:
        """A candidate, with a probability in proportion to its weight."""
        unit = lcm(*(weight.denominator for weight in self._weights.values()))
        place = self._draw(lambda: self._rng.randrange(int(self._total * unit)))
        for key, weight in self._weights.items():
            place -= int(weight * unit)
            if place < 0:
                return key
        raise AssertionError("the weights add up to their total")

    def _draw(self, draw: Callable[[], int]) -> int:
        number = self._tape.pop(0) if self._tape else draw()
        self._drawn.append(number)
        return number
