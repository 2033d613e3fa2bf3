"""Thresholds on all whole numbers are refused, and so are domains without an order."""

from __future__ import annotations

from typing import Any

import pytest

from littlestone.base.errors import DeclarationError, InfiniteDimensionError
from littlestone.classes import Intervals, Thresholds
from littlestone.points import Integers, Strings
from littlestone.prove.papers.lecture5 import Patient


@pytest.mark.parametrize("kind", [Thresholds, Intervals])
def test_whole_numbers_are_refused_and_the_error_says_why(kind: Any) -> None:
    with pytest.raises(InfiniteDimensionError, match="although no mistake tree is infinite"):
        kind.over(Integers("age"))
    for domain in (Strings(), "age", None):
        with pytest.raises(DeclarationError, match="not a range of numbers"):
            kind.over(domain)


def test_the_learner_of_natural_thresholds() -> None:
    """On every cut below 40 and every order of a few points, it errs at most 1 + log2(x + 1) times."""
    for cut in range(40):
        learner, mistakes, first = Patient(), 0, None
        for x in [0, 30, 90, 60, 45, 35, 38, 39, 41, *range(50)]:
            y = int(x >= cut)
            if learner.predict(x) != y:
                mistakes += 1
                first = x if first is None else first
            learner.update(x, y)
            assert learner.predict(x) == y
        assert mistakes <= (0 if first is None else (first + 1).bit_length())
