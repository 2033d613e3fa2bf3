"""Which online learner is taken, and the reason that is given."""

from __future__ import annotations

from typing import Any

import pytest

from littlestone.classes import parse_class
from littlestone.errors import DeclarationError
from littlestone.learners.online import online_choice

GOAL: dict[str, Any] = {"epsilon": 1, "delta": "1e-6", "horizon": 200_000}


@pytest.mark.parametrize(
    ("declared", "method", "why"),
    [
        ("points(a)", "keys", "keys, of at most 50 mistakes on clean labels, proved with 95%"),
        (
            "rules(a, b; at most 2)",
            "rules",
            "rules, of about 104 mistakes on clean labels in simul",
        ),
        ("thresholds(x, 0..9)", "experts", "experts, of about 43 mistakes on clean labels in"),
        ("thresholds(x, 0..1)", "histogram", "histogram, of at most 50 mistakes on clean labels"),
    ],
)
def test_the_fewest_mistakes_that_are_known(declared: str, method: str, why: str) -> None:
    learner, said = online_choice(parse_class(declared), **GOAL)
    assert learner.method == method
    assert said.startswith(why)
    assert said.count("; ") >= 1


def test_a_single_one_has_no_other() -> None:
    _, why = online_choice(parse_class("affine(x, y; q 5, dimension 1)"), **GOAL)
    assert why.endswith("; no other method applies")


def test_a_bound_of_more_mistakes_than_steps_says_nothing() -> None:
    """Then what is measured decides, for this learner too."""
    H = parse_class("points(a)")
    learner, why = online_choice(H, epsilon=1, delta="1e-6", horizon=5)
    assert learner.mistake_bound(0.05).mistakes > 5  # type: ignore[union-attr]
    assert learner.method == "keys"
    assert "teachers" in why


def test_one_that_is_asked_for() -> None:
    learner, why = online_choice(parse_class("points(a)"), **GOAL, method="teachers")
    assert (learner.method, why) == ("teachers", "teachers, asked for")
    with pytest.raises(DeclarationError, match="no such method"):
        online_choice(parse_class("points(a)"), **GOAL, method="magic")
