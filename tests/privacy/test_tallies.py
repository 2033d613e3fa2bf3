"""Continual tallies: exact divergences of all neighbouring streams, costs, and laws of tallies."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from functools import cache
from typing import Any

import pytest

from littlestone.audit.neighbours import neighbours
from littlestone.errors import DeclarationError
from littlestone.privacy.mechanisms.streams.confirmation import ContinualConfirmation
from littlestone.privacy.mechanisms.streams.tallies import ContinualTallies
from short_tallies import short

HONEST = short()
RATIO = Fraction(4)  # r / a = a^-2


def test_private_on_all_neighbouring_streams_and_the_bound_is_reached() -> None:
    law, found = cache(HONEST.distribution), Fraction(0)
    for one, other in neighbours((None, 0, 1), 3):
        masses, others = law(one), law(other)
        assert masses.keys() == others.keys()
        found = max(
            [found, *(max(p / others[seen], others[seen] / p) for seen, p in masses.items())]
        )
    assert found == RATIO


def test_a_horizon_that_is_short_of_the_stream() -> None:
    law = short(2).distribution((0, 0, 1, 0))
    assert sum(law.values()) == 1
    assert not any(any(seen[2:]) for seen in law)


def test_counts_are_cut_after_the_noise() -> None:
    """Pr[n + X >= x], added up over x; 40 steps away little is left."""
    wide = replace(HONEST, cells=1, least=-40, most=40)
    law = wide.tally_law((0, None, 0))
    assert sum(law.values()) == 1
    for x in range(-39, 40):
        assert law[(x,)] == Fraction(1, 3) / 2 ** abs(x - 2)
    narrow = replace(HONEST, cells=1, least=1, most=3).tally_law((0, None, 0))
    assert narrow[(1,)] == sum(p for (x,), p in law.items() if x <= 1)
    assert narrow[(3,)] == sum(p for (x,), p in law.items() if x >= 3)


def timer(skip: object, test: object) -> ContinualConfirmation:
    return ContinualConfirmation(
        skip_epsilon=Fraction(str(skip)), test_epsilon=Fraction(str(test)), threshold=3, warm=9,
        keys=1, horizon=9,
    )  # fmt: skip


@pytest.mark.parametrize(
    ("skip", "test", "cell", "epsilon"),
    [("0.5", "0.5", "0.5", 1), ("0.2", "0.7", "0.1", "0.8"), ("0.7", "0.2", "0.1", "0.8"),
     ("0.1", "0.1", "0.5", 1)],
)  # fmt: skip
def test_the_cost_is_the_larger_of_two(skip: str, test: str, cell: str, epsilon: object) -> None:
    mechanism = ContinualTallies(
        timer=timer(skip, test), cell_epsilon=Fraction(cell), cells=2, least=0, most=1
    )
    assert mechanism.cost().epsilon == Fraction(str(epsilon))
    assert mechanism.cost().delta == 0


@pytest.mark.parametrize(
    ("name", "value"), [("cell_epsilon", 0), ("cells", 0), ("least", 0.5), ("most", -1)]
)
def test_wrong_parameters_are_refused(name: str, value: Any) -> None:
    with pytest.raises(DeclarationError, match=name):
        replace(HONEST, **{name: value})
