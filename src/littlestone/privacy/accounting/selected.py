"""Private selection: several private candidates, run a random number of times; the best is released."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from math import lcm

from littlestone.errors import DeclarationError
from littlestone.privacy.accounting.composed import merged_uses, relation
from littlestone.privacy.cost import PrivacyCost, rounded_up
from littlestone.privacy.event import Event
from littlestone.privacy.parameters import whole


@dataclass(frozen=True)
class Repeats:
    """The number K of runs: Pr[K = k] ~ k^(factor - 3) for k = 1, ..., ``most``, never read off data.

    The best of K runs costs ``factor`` times one run (docs/proofs/private-selection.md, Theorem 1).
    With the factor 3 all numbers are equally likely; with 2 small ones are likelier.

    Raises `DeclarationError` for another factor, and for ``most`` outside 1 to 10,000.

    >>> Repeats(3, 5).chances == (Fraction(1, 5),) * 5
    True
    >>> [str(p) for p in Repeats(2, 3).chances], Repeats(2, 3).mean
    (['6/11', '3/11', '2/11'], Fraction(18, 11))
    """

    factor: int
    most: int

    def __post_init__(self) -> None:
        whole("factor", self.factor, least=2)
        whole("most", self.most, least=1)
        if self.factor > 3 or self.most > 10_000:
            raise DeclarationError(
                f"repeat up to {self.most:,} times at {self.factor} times the cost of one run",
                found="the factor is 2 or 3, and runs are at most 10,000",
                fix="give the factor 3, and twenty runs for each candidate",
            )

    @cached_property
    def _weights(self) -> tuple[int, ...]:
        """The probabilities, times one whole number."""
        if self.factor == 3:
            return (1,) * self.most
        unit = lcm(*range(1, self.most + 1))
        return tuple(unit // k for k in range(1, self.most + 1))

    @property
    def chances(self) -> tuple[Fraction, ...]:
        """Pr[K = 1], ..., Pr[K = most]."""
        return tuple(Fraction(weight, sum(self._weights)) for weight in self._weights)

    @property
    def mean(self) -> Fraction:
        """The mean of K."""
        weighted = sum(k * weight for k, weight in enumerate(self._weights, 1))
        return Fraction(weighted, sum(self._weights))

    def power(self, x: Fraction) -> Fraction:
        """The mean of x^K: the probability that something of probability x happens in every run.

        >>> Repeats(3, 2).power(Fraction(1, 2))
        Fraction(3, 8)
        """
        total = Fraction(0)
        for weight in reversed(self._weights):
            total = (total + weight) * x
        return total / sum(self._weights)

    def draw(self, rng: random.Random) -> int:
        """A number K, with exactly these probabilities.

        >>> Repeats(3, 1).draw(random.Random(0))
        1
        """
        left, k = rng.randrange(sum(self._weights)), 0
        while left >= 0:
            left -= self._weights[k]
            k += 1
        return k


@dataclass(frozen=True, init=False)
class Selected(Event):
    """The best of K runs, each of one of ``candidates``, drawn uniformly, and of its ``score``.

    If a run with its score is (e, d)-DP whichever candidate it is of, the best run costs

        epsilon = factor e,  delta = E[K] d,

    even if its score is released, too (docs/proofs/private-selection.md, Theorems 1 and 2; LT19, PS22).

    Raises `DeclarationError` for no candidates and for different neighbouring relations.

    >>> from littlestone.privacy.mechanisms.scores.cell_counts import CellCounts
    >>> from littlestone.privacy.mechanisms.scores.exponential import ExponentialMechanism
    >>> rules, score = ExponentialMechanism(Fraction(1, 4)), CellCounts(Fraction(1, 12), 1)
    >>> print(Selected([rules, rules], score, Repeats(3, 40)).cost())
    epsilon 1, delta 0 (replace-one)
    """

    candidates: tuple[Event, ...]
    score: Event
    repeats: Repeats

    def __init__(self, candidates: Iterable[Event], score: Event, repeats: Repeats) -> None:
        object.__setattr__(self, "candidates", tuple(candidates))
        object.__setattr__(self, "score", score)
        object.__setattr__(self, "repeats", repeats)
        if not self.candidates:
            raise DeclarationError(
                "choose among candidates", found="there are none", fix="name at least one"
            )
        relation([(event, 1) for event in (*self.candidates, score)])

    def cost(self) -> PrivacyCost:
        costs = [candidate.cost() + self.score.cost() for candidate in self.candidates]
        epsilon, delta = max(c.epsilon for c in costs), max(c.delta for c in costs)
        if delta:
            delta = min(Fraction(1), rounded_up(self.repeats.mean * delta))
        return PrivacyCost(self.repeats.factor * epsilon, delta, costs[0].neighboring)

    def uses(self) -> list[tuple[Event, int]]:
        # The event itself is redeemed once, before K is drawn; then come the runs, at most so many.
        drawn = [*dict.fromkeys(self.candidates), self.score]
        return [(self, 1), *merged_uses([(event, self.repeats.most) for event in drawn])]

    def __str__(self) -> str:
        listed = " or ".join(
            f"{n} x [{candidate}]" if n > 1 else f"[{candidate}]"
            for candidate, n in Counter(self.candidates).items()
        )
        return (
            f"the best, by [{self.score}], of up to {self.repeats.most:,} runs of {listed}, "
            f"at {self.repeats.factor} times the cost of one"
        )
