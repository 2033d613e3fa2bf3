"""A parameter handed to a sampler that is 5% too small is seen, wherever a mechanism draws.

The law of the code is then another one than the exact distribution, which the audits speak of.
"""

from __future__ import annotations

from fractions import Fraction
from types import FunctionType, ModuleType, SimpleNamespace
from typing import Any

import pytest
from plants.harness import follows_its_law

from littlestone.audit import Subject, find_subject, mechanism_subject
from littlestone.discovery import modules
from littlestone.privacy import Budget
from littlestone.privacy.mechanisms.keys.label_selection import LabelSelection
from littlestone.privacy.mechanisms.scores.cell_counts import CellCounts
from littlestone.privacy.mechanisms.streams.continual_key_selection import ContinualKeySelection
from littlestone.privacy.mechanisms.streams.continual_selection import ContinualSelection
from littlestone.privacy.mechanisms.thresholds.between_thresholds import BetweenThresholds
from littlestone.privacy.mechanisms.thresholds.one_sided_threshold import OneSidedThreshold
from littlestone.privacy.samplers.reals import Real

LESS = Fraction(19, 20)
PACKAGE = "littlestone.privacy.mechanisms"
DRAWN = ("discrete_laplace", "laplace_at_least", "geometric", "bernoulli", "draw_skips", "next_hit")

KEY, HORIZON = "a", 2
MUCH = Fraction(9, 10)  # a delta at which two steps show much
STREAM = ContinualSelection[str](budget=Budget(3, MUCH), horizon=HORIZON, growth=1)
KEYS = ContinualKeySelection[str].within(Budget(3, MUCH), horizon=HORIZON)
COUNTER = OneSidedThreshold(epsilon=Fraction(1), threshold=1, horizon=1)
VOTES = BetweenThresholds(
    budget=Budget(40, Fraction(1, 1000)), voters=3, threshold=2, hits=1, horizon=1
)
NAMED = ((KEY,),) * HORIZON

# Where a mechanism draws, and what shows it: a subject, or a mechanism and data.
PLACES: dict[tuple[str, str], Any] = {
    ("bucket_labels", "bernoulli"): "bucket-labels",
    ("cell_counts", "discrete_laplace"): (CellCounts(Fraction(1), 1), (2,)),
    ("between_thresholds", "bernoulli"): (VOTES, (2,)),
    ("competition", "draw_skips"): (STREAM, NAMED),
    ("competition", "next_hit"): (STREAM, NAMED),
    ("continual_key_selection", "draw_skips"): (KEYS, (KEY,) * HORIZON),
    ("continual_key_selection", "next_hit"): (KEYS, (KEY,) * HORIZON),
    ("epoch", "geometric"): (STREAM, NAMED),
    ("exponential", "selection"): "exponential-mechanism",
    ("label_selection", "bernoulli"): (
        LabelSelection[str](Budget(1, MUCH)),
        ((KEY, 1),) * 2,
    ),
    ("one_sided_threshold", "draw_skips"): (COUNTER, (True,)),
    ("one_sided_threshold", "next_hit"): (COUNTER, (True,)),
    ("sparse_selection", "selection"): "sparse-sampling",
    ("sparse_vector", "discrete_laplace"): "sparse-vector",
    ("stable_histogram", "discrete_laplace"): "stable-histogram",
    ("threshold_tests", "bernoulli"): "above-threshold",
    ("threshold_tests", "laplace_at_least"): "above-threshold",
}
# No outcome of a race is known from few bits; its sampler has tests of its own.
NOT_FOLLOWED = {("permute_and_flip", "race")}


def less(draws: Any) -> Any:
    """The same sampler with a parameter that is too small, or a base that is too large."""
    if isinstance(draws, ModuleType):

        def draw(errors: Any, lengths: Any, base: Fraction, rng: Any) -> Any:
            return draws.draw(errors, lengths, base / LESS, rng)

        return SimpleNamespace(**{**vars(draws), "draw": draw})

    def drawn(parameter: Any, *rest: Any, **named: Any) -> Any:
        if not isinstance(parameter, Real):
            return draws(parameter * LESS, *rest, **named)
        certain = parameter.enclose(64)[0] == 1 << 64  # without which some code has no answer
        return draws(parameter if certain else parameter * Real.of(LESS), *rest, **named)

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
    return mechanism_subject(mechanism, pairs=[pair], large=pair, read=lambda x: x, cell=cell)


@pytest.mark.slow
@pytest.mark.parametrize("place", PLACES, ids=" ".join)
def test_a_parameter_that_is_off_is_seen(
    place: tuple[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    where, sampler = place
    subject = subject_of(PLACES[place])
    (module,) = (found for found in modules(PACKAGE) if found.__name__.endswith(f".{where}"))
    assert follows_its_law(subject)
    monkeypatch.setattr(module, sampler, less(getattr(module, sampler)))
    assert not follows_its_law(subject)


def test_all_places_are_listed() -> None:
    found = {
        (module.__name__.rpartition(".")[2], name)
        for module in modules(PACKAGE)
        for name, value in vars(module).items()
        if (
            isinstance(value, FunctionType)
            and name in DRAWN
            and value.__module__ != module.__name__
        )
        or (isinstance(value, ModuleType) and "samplers" in value.__name__)
    }
    assert found == set(PLACES) | NOT_FOLLOWED
