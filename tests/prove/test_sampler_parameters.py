"""A parameter handed to a sampler that is 5% too small is seen, wherever a mechanism draws.

The law of the code is then another one than the exact distribution, which the audits speak of.
"""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from types import FunctionType, ModuleType, SimpleNamespace
from typing import Any

import numpy as np
import pytest
from plants.harness import follows_its_law

from littlestone.base.discovery import modules
from littlestone.privacy import Budget
from littlestone.privacy.mechanisms.cell_counts import CellCounts
from littlestone.privacy.mechanisms.confirmation import ContinualConfirmation
from littlestone.privacy.mechanisms.continual_selection import (
    ContinualKeySelection,
    ContinualSelection,
)
from littlestone.privacy.mechanisms.exponential import ExponentialMechanism
from littlestone.privacy.mechanisms.label_selection import LabelSelection
from littlestone.privacy.mechanisms.partition_selection import RestSelection
from littlestone.privacy.mechanisms.sides import ContinualSides
from littlestone.privacy.mechanisms.tallies import ContinualTallies
from littlestone.privacy.mechanisms.threshold_tests import OneSidedThreshold
from littlestone.privacy.samplers.reals import Real
from littlestone.privacy.scores import ErrorSums
from littlestone.prove.audit import Subject, find_subject, mechanism_subject

LESS = Fraction(19, 20)
PACKAGE = "littlestone.privacy.mechanisms"
DRAWN = (
    "discrete_laplace",
    "laplace_at_least",
    "geometric",
    "bernoulli",
    "flip_coins",
    "permute_and_flip",
    "draw_skips",
    "next_hit",
    "discrete_gaussian",
    "two_sided",
)

KEY, HORIZON = "a", 2
MUCH = Fraction(9, 10)  # a delta at which two steps show much
STREAM = ContinualSelection[str](budget=Budget(3, MUCH), horizon=HORIZON, growth=1)
KEYS = ContinualKeySelection[str].within(Budget(3, MUCH), horizon=HORIZON)
CONFIRMED = ContinualConfirmation(
    skip_epsilon=Fraction(1), test_epsilon=Fraction(1), threshold=1, warm=1, keys=1, horizon=HORIZON
)
TALLIES = ContinualTallies(
    timer=replace(CONFIRMED, horizon=1, warm=1), cell_epsilon=Fraction(1), cells=1, most=1
)
# So much that few skips are likely: then a run of few choices shows the law.
SIDES = ContinualSides(epsilon=Fraction(40), threshold=1, ends=1, horizon=1)
COUNTER = OneSidedThreshold(epsilon=Fraction(1), threshold=1, horizon=1)
NAMED = ((KEY,),) * HORIZON


class Sums(ExponentialMechanism):
    """The mechanism on sums of errors, of groups that are written as tuples."""

    def draw(self, data: Any, **named: Any) -> Any:
        return self.draw_sum(self.sums(data), **named)

    def distribution(self, data: Any) -> Any:
        return self.distribution_of_sums(self.sums(data))

    def sums(self, data: Any) -> ErrorSums:
        return ErrorSums([[np.array(part) for part in parts] for parts in data])


# Where a mechanism draws, and what shows it: a subject, or a mechanism and data.
PLACES: dict[tuple[str, str], Any] = {
    ("bucket_labels", "permute_and_flip"): "bucket-labels",
    ("cell_counts", "discrete_laplace"): (CellCounts(Fraction(1), 1), (2,)),
    ("competition", "draw_skips"): (STREAM, NAMED),
    ("competition", "next_hit"): (STREAM, NAMED),
    ("confirmation", "draw_skips"): (CONFIRMED, (0, 0)),
    ("continual_selection", "draw_skips"): (KEYS, (KEY,) * HORIZON),
    ("continual_selection", "next_hit"): (KEYS, (KEY,) * HORIZON),
    ("competition", "geometric"): (STREAM, NAMED),
    ("exponential", "selection"): "exponential-mechanism",
    ("exponential", "selection.draw_sum"): (
        Sums(Fraction(1)),
        (((0, 1), (0, 2)), ((1,), (0, 3))),
    ),
    ("partition_selection", "flip_coins"): "partition-selection",
    ("label_selection", "permute_and_flip"): (
        LabelSelection[str](Budget(1, MUCH)),
        ((KEY, 1),) * 2,
    ),
    ("threshold_tests", "draw_skips"): (COUNTER, (True,)),
    ("threshold_tests", "next_hit"): (COUNTER, (True,)),
    ("partition_selection", "bernoulli"): (
        RestSelection[str](Budget(1, MUCH)),
        ((KEY, False),) * 2,
    ),
    ("sparse_selection", "selection"): "sparse-sampling",
    ("above_threshold", "discrete_laplace"): "sparse-vector",
    ("sides", "draw_skips"): (SIDES, (0,)),
    ("sides", "next_hit"): (SIDES, (0,)),
    ("partition_selection", "discrete_laplace"): "stable-histogram",
    ("tallies", "discrete_laplace"): (TALLIES, (0,)),
    ("threshold_tests", "bernoulli"): "above-threshold",
    ("threshold_tests", "laplace_at_least"): "above-threshold",
}
# Noisy numbers are often drawn again; their samplers have tests of their own.
NOT_FOLLOWED = {
    ("noisy_sums", "discrete_gaussian"),
    ("noisy_sums", "two_sided"),
}


def less(draws: Any, name: str = "") -> Any:
    """The same sampler with a parameter that is too small, or a base that is too large."""
    if isinstance(draws, ModuleType):
        own = getattr(draws, name or "draw_item")

        def draw(*given: Any) -> Any:
            *scores, base, rng = given
            return own(*scores, base / LESS, rng)

        return SimpleNamespace(**{**vars(draws), own.__name__: draw})

    def lessen(parameter: Any) -> Any:
        if not isinstance(parameter, Real):
            return parameter * LESS
        certain = parameter.enclose(64)[0] == 1 << 64  # without which some code has no answer
        return parameter if certain else parameter * Real.of(LESS)

    def drawn(*given: Any, **named: Any) -> Any:
        if coins := [i for i, value in enumerate(given) if isinstance(value, list)]:
            before, after = given[: coins[0]], given[coins[0] + 1 :]
            return draws(*before, [*map(lessen, given[coins[0]])], *after, **named)
        return draws(lessen(given[0]), *given[1:], **named)

    return drawn


def subject_of(shows: Any) -> Subject[Any]:
    if isinstance(shows, str):
        return find_subject(shows).make(Fraction(1), Fraction(1, 1000))
    mechanism, data = shows

    def cell(data: Any, output: Any) -> Any:  # of cell counts, as their distribution names them
        if mechanism is not PLACES["cell_counts", "discrete_laplace"][0]:
            return output
        return tuple(min(max(x, 0), sum(data)) for x in output)

    pair = data, data
    return mechanism_subject(mechanism, pairs=[pair], large=pair, cell=cell)


@pytest.mark.parametrize("place", PLACES, ids=" ".join)
def test_a_parameter_that_is_off_is_seen(
    place: tuple[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    where, (sampler, _, function) = place[0], place[1].partition(".")
    subject = subject_of(PLACES[place])
    (module,) = (found for found in modules(PACKAGE) if found.__name__.endswith(f".{where}"))
    assert follows_its_law(subject)
    monkeypatch.setattr(module, sampler, less(getattr(module, sampler), function))
    assert not follows_its_law(subject)


def test_all_places_are_listed() -> None:
    found = {
        (module.__name__.rpartition(".")[2], name)
        for module in modules(PACKAGE)
        for name, value in vars(module).items()
        if (isinstance(value, FunctionType) and name in DRAWN)
        or (isinstance(value, ModuleType) and "samplers" in value.__name__)
    }
    listed = {(where, sampler.partition(".")[0]) for where, sampler in PLACES}
    assert found == listed | NOT_FOLLOWED
