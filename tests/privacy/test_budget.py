"""Budgets: parsed once, where they are declared, and exact from then on."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import pytest

from littlestone.base.errors import DeclarationError
from littlestone.classes import Thresholds
from littlestone.learn import ExponentialLearner
from littlestone.learn.plan.choice import choose_learner
from littlestone.privacy import Budget
from littlestone.privacy.cost import PrivacyCost
from littlestone.privacy.mechanisms.exponential import ExponentialMechanism
from littlestone.privacy.mechanisms.threshold_tests import OneSidedThreshold


@pytest.mark.parametrize("epsilon", [0.1, "0.1", "1/10", Fraction(1, 10)])
@pytest.mark.parametrize("delta", [1e-6, "1e-6", "1/1000000", Fraction(1, 10**6)])
def test_numbers_and_texts_of_one_value_are_one_budget(epsilon: object, delta: object) -> None:
    found = Budget(epsilon, delta)
    assert found == Budget(Fraction(1, 10), Fraction(1, 10**6))
    assert type(found.epsilon) is type(found.delta) is Fraction
    assert found.cost == PrivacyCost(Fraction(1, 10), Fraction(1, 10**6))
    assert str(found) == "epsilon 0.1, delta 0.000001"


@pytest.mark.parametrize(
    ("epsilon", "delta", "match"),
    [
        (0, 0, "epsilon must be greater than 0"),
        ("-1", 0, "epsilon must be greater than 0"),
        ("1e-10", 0, "nothing could be learned"),
        (1001, 0, "nothing could be learned"),
        ("nan", 0, "epsilon: it is not a finite number"),
        (True, 0, "epsilon: it is not a finite number"),
        (Fraction(10**101 + 1, 10**101), 0, "beyond 10"),
        (1, 1, "delta is a probability"),
        (1, "-1e-9", "delta is a probability"),
        (1, "small", "delta: it is not a finite number"),
    ],
)
def test_what_is_no_budget_is_refused(epsilon: object, delta: object, match: str) -> None:
    with pytest.raises(DeclarationError, match=match):
        Budget(epsilon, delta)


def test_delta_is_0_unless_given() -> None:
    assert Budget(1) == Budget(1, 0)
    assert Budget(1) != Budget(1, "1e-6")


@pytest.mark.parametrize("epsilon", [1, 0.5, "1/2", True, None])
def test_a_mechanism_takes_no_number_that_would_round(epsilon: Any) -> None:
    with pytest.raises(DeclarationError, match="not an exact Fraction"):
        ExponentialMechanism(epsilon)
    with pytest.raises(DeclarationError, match="not an exact Fraction"):
        OneSidedThreshold(epsilon=epsilon, threshold=1, horizon=1)


class Written:
    """A number that counts how often it is read."""

    def __init__(self, text: str) -> None:
        self.text, self.read = text, 0

    def __str__(self) -> str:
        self.read += 1
        return self.text


def test_choosing_and_making_learners_parses_no_budget_again() -> None:
    epsilon, delta = Written("0.5"), Written("1e-6")
    declared = Budget(epsilon, delta)
    before = epsilon.read, delta.read
    assert min(before) > 0
    learner, _ = choose_learner(Thresholds.on(0, 20), declared)
    assert learner.cost().epsilon == Fraction(1, 2)
    assert ExponentialLearner(Thresholds.on(0, 20), declared).mechanism.epsilon == Fraction(1, 2)
    assert (epsilon.read, delta.read) == before
