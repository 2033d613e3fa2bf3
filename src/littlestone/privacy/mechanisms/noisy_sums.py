"""Vectors of whole-number sums, one after the other, with exact discrete Gaussian or Laplace noise.

They may follow a draw by counted errors, for less than both cost one by one.
"""

from __future__ import annotations

import random
from bisect import bisect_left
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property, lru_cache
from itertools import accumulate, product
from math import ceil, isqrt, prod

import numpy as np
from numpy.typing import NDArray

from littlestone.base.errors import DeclarationError, TooLargeError
from littlestone.privacy.accounting.composed import zcdp_epsilon
from littlestone.privacy.accounting.gaussian import (
    CORE,
    LIKENESS,
    delta_above,
    fits_after,
    greatest_after,
    greatest_mu_squared,
)
from littlestone.privacy.cost import Budget, decimal_text, round_up
from littlestone.privacy.event import BudgetedMechanism, Event, Guarantee, Mechanism
from littlestone.privacy.ledger import Receipt
from littlestone.privacy.mechanisms.exponential import ExponentialMechanism
from littlestone.privacy.parameters import require_whole
from littlestone.privacy.rational import enclose_exp, exp_below
from littlestone.privacy.samplers.noise import discrete_gaussian, laplace_tail, two_sided

Vector = Sequence[int] | NDArray[np.int64]
Noisy = tuple[int, ...]

MOST_SUMS = 10**6
"""The most sums of all steps together."""

_BITS = 200  # of the probabilities in a law
_DIGITS = 12  # of rho
_PART = 2**20  # by which the delta is divided that counts in a composition with other events


@dataclass(frozen=True)
class GaussianNoise:
    """Independent X with Pr[X = x] ~ e^(-x^2 / (2 variance)), one for each sum.

    >>> GaussianNoise(10**6).add([5, 7], random.Random(0))
    (-906, -303)
    """

    variance: int

    def add(self, sums: Vector, rng: random.Random) -> Noisy:
        """The sums with their noises."""
        return tuple(int(x) + discrete_gaussian(self.variance, rng) for x in sums)

    def at_least(self, x: int) -> Fraction:
        """Pr[X >= x], with weights rounded to 200 bits, and 0 beyond 20 deviations."""
        tails = _tails(self.variance)
        far = len(tails) // 2 - 1
        return Fraction(tails[min(max(far + x, 0), 2 * far + 1)], tails[0])

    def __str__(self) -> str:
        return f"Gaussian noise of variance {self.variance}"


@lru_cache(8)
def _tails(variance: int) -> list[int]:
    """The weights of all x >= -far, of all x >= 1 - far, ..., and of none."""
    one, far = 1 << 2 * _BITS, 20 * (isqrt(variance) + 1)
    half = [one // enclose_exp(Fraction(x * x, 2 * variance), _BITS)[0] for x in range(far + 1)]
    # X and -X have the same law.
    return list(accumulate([0, *half[:0:-1], *half]))[::-1]


@dataclass(frozen=True)
class LaplaceNoise:
    """Independent X with Pr[X = x] ~ e^(-|x| / scale), one for each sum.

    >>> LaplaceNoise(Fraction(1000)).add([5, 7], random.Random(0))
    (-906, 809)
    """

    scale: Fraction

    @property
    def variance(self) -> Fraction:
        """2 scale^2, which is at least the variance, and near it from a scale of 1 on."""
        return 2 * self.scale**2

    def add(self, sums: Vector, rng: random.Random) -> Noisy:
        """The sums with their noises."""
        return tuple(int(x) + two_sided(self.scale, rng) for x in sums)

    def at_least(self, x: int) -> Fraction:
        """Pr[X >= x], with a = e^(-1 / scale) rounded up to 100 bits."""
        a = 1 / exp_below(1 / self.scale, bits=_BITS // 2)
        return laplace_tail(a, x)

    def __str__(self) -> str:
        return f"Laplace noise of scale {decimal_text(self.scale)}"


@dataclass(frozen=True)
class SumStep:
    """``count`` whole-number sums over the records, and the part of a budget that their noise may have.

    Between neighbours the vector of sums moves by at most ``l1`` in L1, and by at most ``squared`` in
    squared L2, whatever the earlier steps released.  ``share`` is above 0.

    Raises `DeclarationError` for other numbers.
    """

    count: int
    l1: int
    squared: int
    share: Fraction

    def __post_init__(self) -> None:
        for name, value in (("count", self.count), ("l1", self.l1), ("squared", self.squared)):
            require_whole(name, value, least=1)
        if not isinstance(self.share, Fraction) or not 0 < self.share <= 1:
            raise DeclarationError(
                f"give {self.share!r:.100} of a budget to a step",
                found="a share is a Fraction above 0 and at most 1",
                fix="give a share such as Fraction(1, 2)",
            )


Ask = Callable[[tuple[Noisy, ...]], Vector]
"""The sums of the next step, which what the earlier steps released may choose."""


@dataclass(frozen=True)
class NoisySums(BudgetedMechanism, Mechanism[Ask, tuple[Noisy, ...]]):
    """Release the sums of each step with noise, where earlier steps choose what later ones sum.

    If delta > 0, step i adds discrete Gaussian noise of variance v_i = 2 + ceil(squared_i / (share_i
    mu^2)), with mu^2 from `greatest_mu_squared`.  All steps together are a function of one number
    N(mu, 1) or N(0, 1), but for a factor of 1 + 10^-16 a sum (docs/proofs/gaussian.md, Theorem 3).
    If delta = 0, it adds discrete Laplace noise of scale l1_i / (share_i epsilon) (Theorem 5).

    ``data`` tells the sums of a step from what the steps before it released.  The caller guarantees
    that they are as many and move as little as the step says.

    Raises `DeclarationError` for no steps, shares that add up to more than 1, and more than 10^6 sums.

    >>> step = SumStep(count=10, l1=2, squared=2, share=Fraction(1, 2))
    >>> print(NoisySums(Budget(1, "1e-6"), (step, step)).noises[0])
    Gaussian noise of variance 74
    >>> print(NoisySums(Budget(1), (step, step)).noises[0])
    Laplace noise of scale 4
    """

    budget: Budget
    steps: tuple[SumStep, ...]

    def __post_init__(self) -> None:
        shares = sum((step.share for step in self.steps), Fraction(0))
        if not 0 < shares <= 1:
            raise DeclarationError(
                f"divide a budget between {len(self.steps)} steps of noisy sums",
                found=f"their shares add up to {decimal_text(shares)}",
                fix="give at least one step, and shares that add up to at most 1",
            )
        if self.sums > MOST_SUMS:
            raise TooLargeError(
                f"release {self.sums:,} noisy sums",
                found=f"there may be {MOST_SUMS:,}",
                fix="sum over fewer cells",
            )

    @property
    def sums(self) -> int:
        """The number of sums of all steps."""
        return sum(step.count for step in self.steps)

    @property
    def unlike(self) -> Fraction:
        """What discrete noise may add to epsilon, and to delta as a share (Theorem 2)."""
        return self.sums * LIKENESS

    @cached_property
    def mu_squared(self) -> Fraction:
        """The square of the mu that the budget buys, if there is a delta."""
        return greatest_mu_squared(self.epsilon - self.unlike, self.delta / (1 + self.unlike))

    @cached_property
    def noises(self) -> tuple[GaussianNoise | LaplaceNoise, ...]:
        """The noise of each step."""
        return tuple(map(self._noise, self.steps))

    def _noise(self, step: SumStep) -> GaussianNoise | LaplaceNoise:
        if not self.delta:
            return LaplaceNoise(step.l1 / (step.share * self.epsilon))
        return GaussianNoise(CORE + ceil(step.squared / (step.share * self.mu_squared)))

    def guarantee(self) -> Guarantee:
        # Outside delta nothing is lost beyond epsilon, and rho holds with no delta at all.
        return Guarantee(self.epsilon, self.delta, self._rho)

    def pieces(self) -> list[tuple[Guarantee, int]]:
        if not self.delta:
            return [(self.guarantee(), 1)]
        # Beside other events rho counts, so all but a small part of delta is left to the whole.
        delta = self.delta / _PART
        return [(Guarantee(zcdp_epsilon(self._rho, delta), delta, self._rho), 1)]

    @cached_property
    def _rho(self) -> Fraction:
        """The rho of all steps: squared / (2 v) of Gaussian noise (CKS20, Proposition 5)."""
        shares = [step.share for step in self.steps]
        if self.delta:
            return round_up(sum(shares) * self.mu_squared / 2, _DIGITS)
        each = (Guarantee.pure(share * self.epsilon).rho for share in shares)
        return round_up(sum(each, Fraction(0)), _DIGITS)

    def draw(self, data: Ask, *, receipt: Receipt) -> tuple[Noisy, ...]:
        rng = receipt.redeem(self)
        released: tuple[Noisy, ...] = ()
        for noise in self.noises:
            # Fresh noise for every sum of every step, also for sums that are 0.
            released = (*released, noise.add(data(released), rng))
        return released

    def distribution(self, data: Ask, most: int = 4) -> dict[tuple[Noisy, ...], Fraction]:
        """The law of `draw` if all released numbers beyond [-most, most] are named by the nearer end.

        ``data`` is asked with these names.
        """
        law: dict[tuple[Noisy, ...], Fraction] = {(): Fraction(1)}
        for noise in self.noises:
            longer: dict[tuple[Noisy, ...], Fraction] = {}
            for released, mass in law.items():
                each = [_clamp(noise, int(x), most) for x in data(released)]
                for noisy in product(*each):
                    masses = (one[y] for one, y in zip(each, noisy, strict=True))
                    longer[*released, noisy] = mass * prod(masses, start=Fraction(1))
            law = longer
        return law

    def __str__(self) -> str:
        steps = "; ".join(
            f"{step.count} that move by {step.l1} in L1 and {step.squared} in squared L2, with {noise}"
            for step, noise in zip(self.steps, self.noises, strict=True)
        )
        return f"noisy sums in {len(self.steps)} steps, {self.budget} ({steps})"


def _clamp(noise: GaussianNoise | LaplaceNoise, x: int, most: int) -> dict[int, Fraction]:
    """The law of ``x`` with noise, where numbers beyond [-most, most] are named by the nearer end."""
    tails = [Fraction(1), *(noise.at_least(y - x) for y in range(1 - most, most + 1)), Fraction(0)]
    return {y: tails[i] - tails[i + 1] for i, y in enumerate(range(-most, most + 1))}


_LEVELS = 1 << 10  # into which the draw's epsilon is divided; the sums get back some of them

MOST_DRAWN = Fraction(15, 16)
"""The most of epsilon that a draw may have before sums."""


@dataclass(frozen=True)
class DrawThenSums(BudgetedMechanism, Event):
    """One draw of ``mechanism``, and then noisy ``steps`` that it may choose, for one ``budget``.

    The log ratios of the exponential mechanism lie in an interval as long as its epsilon, so it loses
    all of that epsilon on some outputs only if it loses little on others.  So the sums may have a
    larger epsilon than the draw leaves: the largest with which both together `fits_after`
    (docs/proofs/gaussian.md, Theorem 7).  The draw comes first: a receipt refuses the sums before it.
    If delta = 0 they get what is left.

    Raises `DeclarationError` if the draw has more than 15/16 of epsilon.

    >>> step = SumStep(count=10, l1=2, squared=2, share=Fraction(1))
    >>> both = DrawThenSums(Budget(1, "1e-6"), ExponentialMechanism(Fraction(1, 2)), (step,))
    >>> str(both.cost()), decimal_text(both.sums.epsilon)
    ('epsilon 1, delta 0.000001 (replace-one)', '0.623046875')
    """

    budget: Budget
    mechanism: ExponentialMechanism
    steps: tuple[SumStep, ...]

    def __post_init__(self) -> None:
        if self.mechanism.epsilon > MOST_DRAWN * self.epsilon:
            raise DeclarationError(
                f"draw with epsilon {decimal_text(self.mechanism.epsilon)} before noisy sums",
                found=f"epsilon is {decimal_text(self.epsilon)} in all",
                fix="leave at least a sixteenth of it to the sums",
            )

    @cached_property
    def sums(self) -> NoisySums:
        """The sums with what they may spend."""
        return _sums_after(self.budget, self.mechanism.epsilon, self.steps)

    def guarantee(self) -> Guarantee:
        parts = (self.mechanism.guarantee(), self.sums.guarantee())
        return Guarantee(self.epsilon, self.delta, sum((p.rho for p in parts), Fraction(0)))

    def pieces(self) -> list[tuple[Guarantee, int]]:
        return [*self.mechanism.pieces(), *self.sums.pieces()]

    def uses(self) -> list[tuple[Event, int]]:
        return [(self.mechanism, 1), (self.sums, 1)]

    def orders(self) -> list[tuple[Event, Event]]:
        # Step 4 of Theorem 7 bounds the draw by one interval; sums before it could choose among many.
        return [(self.mechanism, self.sums)]

    def __str__(self) -> str:
        return f"[{self.mechanism}] and then [{self.sums}], together {self.budget}"


@lru_cache(maxsize=256)
def _sums_after(budget: Budget, eta: Fraction, steps: tuple[SumStep, ...]) -> NoisySums:
    """The sums with the largest epsilon, of `_LEVELS`, that fits after a draw of range ``eta``."""

    def sums(level: int) -> NoisySums:
        return NoisySums(
            Budget(budget.epsilon - eta * (1 - Fraction(level, _LEVELS)), budget.delta), steps
        )

    least = sums(0)  # this fits by basic composition
    if not budget.delta:
        return least
    whole, delta = budget.epsilon - least.unlike, budget.delta / (1 + least.unlike)
    most = greatest_after(whole, delta, eta)

    def may_fit(level: int) -> bool:
        return delta_above(most, sums(level).epsilon - least.unlike) > delta

    # A rough search for the first level with too much; what it finds is checked.
    found = sums(bisect_left(range(1, _LEVELS), True, key=lambda level: not may_fit(level)))
    return found if fits_after(found.mu_squared, whole, delta, eta) else least
