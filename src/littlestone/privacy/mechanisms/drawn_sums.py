"""A draw by counted errors and noisy sums that follow it, for less than both cost one by one."""

from __future__ import annotations

from bisect import bisect_left
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property, lru_cache

from littlestone.base.errors import DeclarationError
from littlestone.privacy.accounting.gaussian import delta_above, fits_after, greatest_after
from littlestone.privacy.cost import Budget, decimal_text
from littlestone.privacy.event import Event, Guarantee
from littlestone.privacy.mechanisms.base import BudgetedMechanism
from littlestone.privacy.mechanisms.exponential import ExponentialMechanism
from littlestone.privacy.mechanisms.noisy_sums import NoisySums, SumStep

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
