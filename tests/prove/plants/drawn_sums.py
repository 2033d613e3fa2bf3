"""Mistakes in what a draw leaves to the sums after it."""

from __future__ import annotations

from fractions import Fraction
from math import exp, log

import pytest
from scipy.stats import norm

from littlestone.privacy import Budget
from littlestone.privacy.mechanisms.exponential import ExponentialMechanism
from littlestone.privacy.mechanisms.noisy_sums import DrawThenSums
from littlestone.prove.audit.subjects.composed import STEP
from planting import Fault, forget, plant
from plants.harness import Plant

SETTINGS = (
    ("1", "1/2", "1e-6"),
    ("1", "3/4", "1e-6"),
    ("4", "2", "1e-6"),
    ("1/10", "1/20", "1e-3"),
    ("1/1000", "7/8000", "1e-9"),
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
            forget()
    return True


AFTER = "littlestone.privacy.accounting.gaussian:fits_after"
SUMS = "littlestone.privacy.mechanisms.noisy_sums:_sums_after"
FAULTS = {
    "free": Fault(
        SUMS,
        "return found if fits_after(found.mu_squared, whole, delta, eta) else least",
        "return sums(_LEVELS - 1)",
        "The draw is free.",
    ),
    "delta_twice": Fault(
        SUMS,
        "delta = budget.epsilon - least.unlike, budget.delta",
        "delta = budget.epsilon - least.unlike, 2 * budget.delta",
        "Each part has a delta of its own.",
    ),
    "half_counted": Fault(
        "littlestone.privacy.mechanisms.noisy_sums:DrawThenSums.sums",
        "self.mechanism.epsilon",
        "self.mechanism.epsilon / 2",
        "The sums may spend half of what the draw has spent.",
    ),
    "half_range": Fault(
        AFTER,
        "epsilon - eta * (i + 1)",
        "epsilon - eta / 2 * (i + 1)",
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
    "first_half": Fault(
        AFTER,
        "[(2 * i, 2 * parts), (2 * i + 1, 2 * parts)]",
        "[(2 * i, 2 * parts)]",
        "Half of each cell is not looked at.",
    ),
}
PLANTS = [
    Plant(f"drawn_{name}", fault.mistake, is_paid, None, fault) for name, fault in FAULTS.items()
]
