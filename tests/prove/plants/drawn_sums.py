"""Mistakes in what a draw leaves to the sums after it."""

from __future__ import annotations

from fractions import Fraction
from math import exp, log

import pytest
from scipy.stats import norm

from littlestone.privacy import Budget
from littlestone.privacy.mechanisms.scores import drawn_sums
from littlestone.privacy.mechanisms.scores.drawn_sums import DrawThenSums
from littlestone.privacy.mechanisms.scores.exponential import ExponentialMechanism
from littlestone.prove.audit.subjects.drawn_sums import STEP
from planting import Fault, plant
from plants.harness import Plant

SETTINGS = (
    ("1", "1/2", "1e-6"),
    ("1", "3/4", "1e-6"),
    ("4", "2", "1e-6"),
    ("1/10", "1/20", "1e-3"),
)


def curve(mu: float, epsilon: float) -> float:
    """The delta of N(0, 1) and N(mu, 1)."""
    return float(norm.cdf(mu / 2 - epsilon / mu) - exp(epsilon) * norm.cdf(-mu / 2 - epsilon / mu))


def lost(mu: float, epsilon: float, eta: float) -> float:
    """The delta of a draw with two outcomes, which loses u or u - eta, and of N(mu, 1) after it."""
    found = 0.0
    for i in range(401):
        likely = i / 400
        # The chances on the other side add up to 1.
        u = log(likely + (1 - likely) * exp(eta))
        found = max(
            found, likely * curve(mu, epsilon - u) + (1 - likely) * curve(mu, epsilon - u + eta)
        )
    return found


def is_paid(fault: Fault | None) -> bool:
    """No draw of two outcomes and its sums lose more than the budget."""
    with pytest.MonkeyPatch.context() as patch:
        drawn_sums._sums_after.cache_clear()
        if fault is not None:
            plant(fault, patch)
        try:
            for epsilon, eta, delta in SETTINGS:
                budget, range_ = Budget(epsilon, delta), Fraction(eta)
                sums = DrawThenSums(budget, ExponentialMechanism(range_), (STEP,)).sums
                mu = float(sums.mu_squared) ** 0.5
                if lost(mu, float(budget.epsilon), float(range_)) > float(budget.delta):
                    return False
        finally:
            drawn_sums._sums_after.cache_clear()
    return True


AFTER = "littlestone.privacy.accounting.gaussian:delta_after"
SUMS = "littlestone.privacy.mechanisms.scores.drawn_sums:_sums_after"
FAULTS = {
    "free": Fault(SUMS, "if fits(sums(middle)):", "if True:", "The draw is free."),
    "half_range": Fault(
        SUMS,
        "delta_after(found.mu_squared, epsilon, eta)",
        "delta_after(found.mu_squared, epsilon, eta / 2)",
        "Half of the range is left out.",
    ),
    "likeliest_only": Fault(
        AFTER,
        "chance * lost + (1 - chance) * whole",
        "chance * whole",
        "The loss of the draw is forgotten.",
    ),
    "chances_exchanged": Fault(
        AFTER,
        "chance * lost + (1 - chance) * whole",
        "(1 - chance) * whole + chance**4 * lost",
        "A likely loss counts as if it had to happen four times.",
    ),
    "best_case": Fault(AFTER, "max(worst, ", "min(worst or 1, ", "The best cell counts."),
    "mean_case": Fault(
        AFTER,
        "max(worst, chance * lost + (1 - chance) * whole)",
        "worst + (chance * lost + (1 - chance) * whole) / _CELLS",
        "The mean of all cells counts.",
    ),
}
PLANTS = [
    Plant(f"drawn_{name}", fault.mistake, is_paid, None, fault) for name, fault in FAULTS.items()
]
