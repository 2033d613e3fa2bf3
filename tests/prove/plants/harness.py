"""What a plant is, how all are found, and the checks that catch them.

A new mechanism brings a file here with its own PLANTS.
"""

from __future__ import annotations

import random
from bisect import bisect_right
from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import cache, partial
from itertools import accumulate
from math import lcm
from typing import Any, TypeVar

from scipy import stats

from exact_draws import Draws, apart
from littlestone.base.discovery import modules
from littlestone.base.errors import LedgerError
from littlestone.privacy.cost import PrivacyCost
from littlestone.privacy.event import Event, Mechanism
from littlestone.privacy.ledger import Ledger
from littlestone.privacy.randomness import seeded_generator
from littlestone.prove.audit import Subject
from littlestone.prove.audit.subject import law_of

Item = TypeVar("Item", bound=Hashable)
Masses = dict[Any, Fraction]


@dataclass(frozen=True)
class Plant:
    """A mistake in one sentence; ``check`` is True of what is ``honest`` and not of the ``broken``."""

    name: str
    mistake: str
    check: Callable[[Any], bool]
    honest: Any
    broken: Any


def plants() -> list[Plant]:
    """Those of all files beside this one."""
    return [plant for module in modules("plants") for plant in getattr(module, "PLANTS", [])]


@dataclass(frozen=True)
class Claim(Event):
    """An event that claims what it is told to."""

    epsilon: Fraction
    delta: Fraction = Fraction(0)

    def cost(self) -> PrivacyCost:
        return PrivacyCost(self.epsilon, self.delta)

    def __str__(self) -> str:
        return f"claim({self.epsilon}, {self.delta})"


def weighted(weights: Mapping[Item, Fraction]) -> dict[Item, Fraction]:
    total = sum(weights.values(), Fraction(0))
    return {item: weight / total for item, weight in weights.items()}


def toy(
    distribution: Callable[[Any], Masses],
    pairs: Iterable[tuple[Any, Any]],
    epsilon: Fraction,
    delta: Fraction = Fraction(0),
) -> Subject[Any]:
    """A subject that is its distribution, drawn from exactly."""

    def run(data: Any, rng: random.Random) -> Hashable:
        masses = distribution(data)
        whole = lcm(*(mass.denominator for mass in masses.values()))
        edges = list(accumulate(int(mass * whole) for mass in masses.values()))
        outputs: list[Hashable] = list(masses)
        return outputs[bisect_right(edges, rng.randrange(whole))]

    listed = tuple(pairs)
    return Subject(Claim(epsilon, delta), distribution, listed, drawn_by(run), listed[0])


def drawn_by(run: Callable[[Any, random.Random], Hashable]) -> Callable[[int, random.Random], Any]:
    """The runs of a subject without an honest receipt."""
    return lambda times, rng: lambda data: run(data, rng)


# The checks.


def is_private(subject: Subject[Any]) -> bool:
    """The exact audit finds nothing."""
    return subject.exact().holds


def never_raises(subject: Subject[Any]) -> bool:
    """No tiny data set makes a run raise: an exception is an output, too."""
    rng, tiny = seeded_generator(0), {data for pair in subject.pairs for data in pair}
    run = subject.runs(len(tiny), rng)
    try:
        for data in tiny:
            run(data)
    except Exception:
        return False
    return True


def draws_as_it_says(subject: Subject[Any], trials: int = 3000) -> bool:
    """A chi-square test of runs against the exact distribution does not reject at 1e-6.

    On the last tiny data set, of which there should be at least two likely outputs; those that are
    expected less than five times count as one.
    """
    rng, data = seeded_generator(5), subject.pairs[-1][0]
    masses, run = subject.distribution(data), subject.runs(trials, rng)
    counts = Counter(subject.cell(data, run(data)) for _ in range(trials))
    if not set(counts) <= set(masses):
        return False
    expected, seen = [0.0], [0]
    for output, mass in masses.items():
        if mass * trials < 5:
            expected[0], seen[0] = expected[0] + float(mass) * trials, seen[0] + counts[output]
        else:
            expected, seen = [*expected, float(mass) * trials], [*seen, counts[output]]
    least = 0 if expected[0] else 1
    return bool(stats.chisquare(seen[least:], expected[least:]).pvalue > 1e-6)


def follows_its_law(subject: Subject[Any], runs: int = 1000) -> bool:
    """No output has a larger probability by the code of a run than by the exact distribution.

    On the last tiny data sets, as far as so many runs show it (`follow`).
    """
    return all(
        mass <= subject.distribution(data).get(output, 0)
        for data in dict.fromkeys(subject.pairs[-1])
        for output, mass in law_of(subject, data, runs).items()
    )


class _Bits(random.Random):
    """A generator that counts how often it is asked."""

    asked = 0

    def getrandbits(self, k: int) -> int:
        self.asked += 1
        return super().getrandbits(k)

    def random(self) -> float:
        self.asked += 1
        return super().random()


def pays_before_it_draws(made: tuple[Mechanism[Any, Any], Any]) -> bool:
    """With a receipt that is used up, a draw raises before it reads a single random bit."""
    mechanism, data = made
    rng = _Bits(0)
    with Ledger() as ledger:
        receipt = ledger.spend(mechanism, dataset="made up", what="test", rng=rng)
        receipt.redeem(mechanism)
        try:
            mechanism.draw(data, receipt=receipt)
        except LedgerError:
            return rng.asked == 0
    return False


def draws_exactly(
    subject: Subject[Any], *, most: int = 3, rare: Fraction = Fraction(1, 10**5)
) -> bool:
    """The law of the draws' own code is the distribution that is audited, on some tiny data sets.

    It finds what `draws_as_it_says` is too coarse for: a scale that is off by a few per cent, or a
    chance of 1e-10 where there is none.
    """
    tiny = list(dict.fromkeys(data for pair in subject.pairs for data in pair))
    for data in tiny[-1 :: -max(1, -(-len(tiny) // most))]:
        law, left_out = Draws(rare).law(_cell_of_a_run(subject, data))
        # Real numbers are known to 2^-256; what is left out is missing somewhere.
        if apart(law, subject.distribution(data)) > left_out + Fraction(1, 1 << 128):
            return False
    return True


def _cell_of_a_run(subject: Subject[Any], data: Any) -> Callable[[random.Random], Hashable]:
    run = cache(partial(subject.runs, 10**7))  # of one generator
    return lambda rng: subject.cell(data, run(rng)(data))
