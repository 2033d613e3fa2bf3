"""Continual sides: exact divergences of neighbouring streams, laws beside draws, runs at real size."""

from __future__ import annotations

import math
import random
from collections import Counter
from collections.abc import Callable
from fractions import Fraction
from functools import cache
from typing import Any

import pytest

from littlestone.base.errors import DeclarationError
from littlestone.privacy.mechanisms import competition
from littlestone.privacy.mechanisms.sides import OWN, SHARED, ContinualSides
from littlestone.privacy.randomness import seeded_generator
from littlestone.privacy.rational import exp_below
from littlestone.privacy.samplers.noise import geometric
from littlestone.privacy.samplers.reals import Real
from littlestone.privacy.tape import Tape
from littlestone.prove.audit.claims import neighbours
from planting import Fault, turns_red


def sides_of(epsilon: object, ends: int, horizon: int, threshold: int = 1) -> ContinualSides:
    return ContinualSides(
        epsilon=Fraction(str(epsilon)), threshold=threshold, ends=ends, horizon=horizon
    )


@pytest.mark.parametrize(
    ("ends", "names"),
    [(1, (None, 0, 1)), pytest.param(2, (None, 0, 2), marks=pytest.mark.deep)],
)
def test_private_on_all_neighbouring_streams_and_nearly_tight(ends: int, names: Any) -> None:
    mechanism = sides_of(2, ends, 2, ends)
    law, found = cache(mechanism.distribution), 1.0
    for one, other in neighbours(names, 2):
        masses, others = law(one), law(other)
        assert masses.keys() == others.keys()
        assert sum(masses.values()) == 1
        found = max([found, *(float(max(p / others[o], others[o] / p)) for o, p in masses.items())])
    assert 1.7 < math.log(found) <= 2


class Free:
    """In place of a receipt."""

    def __init__(self, seed: int) -> None:
        self._seed = seed

    def redeem(self, event: object) -> random.Random:
        return seeded_generator(self._seed)


@pytest.mark.parametrize("stream", [(2, None), (3, 0)])
def test_runs_follow_the_law(stream: Any) -> None:
    mechanism, runs = sides_of(3, 2, 2), 400
    drawn = Counter(mechanism.draw(stream, receipt=Free(i)) for i in range(runs))  # type: ignore[arg-type]
    for told, mass in mechanism.distribution(stream).items():
        spread = math.sqrt(float(mass * (1 - mass)) * runs)
        assert abs(drawn[told] - runs * mass) < 5 * spread + 1


def test_a_horizon_that_is_short_of_the_stream() -> None:
    law = sides_of(1, 1, 1).distribution((0, 1))
    assert sum(law.values()) == 1
    assert {told[1] for told in law} == {None}


@pytest.mark.parametrize("epsilon", ["0.001", "1", "100"])
def test_each_change_of_a_record_costs_epsilon(epsilon: str) -> None:
    """A record that leaves, one that enters, and one that changes its side (Theorem 1)."""
    mechanism, whole = sides_of(epsilon, 2, 9), Fraction(epsilon)
    assert mechanism.cost().epsilon == whole
    shares = (
        (mechanism.shrink, 10),
        (mechanism.skip, 15),
        (mechanism.shared_skip, Fraction(20, 3)),
    )
    assert all(ratio >= 1 / exp_below(whole / part) for ratio, part in shares)
    unit, skip, shared = (-math.log(ratio) for ratio, _ in shares)
    most = float(whole) * (1 + 1e-9)
    assert (OWN + SHARED) * unit <= most
    assert OWN * skip + SHARED * shared <= most
    assert OWN * (skip + unit) <= most


@pytest.mark.parametrize("name", ["epsilon", "threshold", "ends", "horizon"])
def test_wrong_parameters_are_refused(name: str) -> None:
    given: dict[str, Any] = {"epsilon": Fraction(1), "threshold": 1, "ends": 1, "horizon": 1}
    with pytest.raises(DeclarationError, match=name):
        ContinualSides(**(given | {name: 0}))


def test_all_that_is_drawn_is_fresh_and_used() -> None:
    """Two ends, epsilon 1/1000 and 200,000 steps: each draw, and the chances of all tests."""
    mechanism = sides_of("0.001", 2, 200_000, 40)
    draws, rng = list[tuple[Fraction, int]](), random.Random(1)

    def noted(parameter: Any, rng: Any, **named: Any) -> int:
        value = geometric(parameter, rng, **named)
        draws.append((Fraction(parameter.enclose(64)[0]), value))
        return value

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(competition, "geometric", noted)
        counts = mechanism.tallies(Tape(seeded_generator(1)))
        units, skips, shared, over, told = [0] * 4, [0] * 4, [0, 0], [0, 1, 2, 3], list[int]()
        for step in range(1, 80):
            draws.clear()
            if over:
                counts.watch(step)
                taken = iter(draws)
                shared = [0, drawn_with(taken, mechanism.shared_skip)]
                for side in over:
                    units[side], skips[side] = 0, drawn_with(taken, mechanism.skip)
                check_waits(taken, mechanism, units, skips, shared)
                draws.clear()
            side, over = rng.randrange(4), []
            counts.count(step, side)
            units[side] += OWN
            shared[0] += SHARED
            check_waits(iter(draws), mechanism, units, skips, shared)
            if counts.due == step:
                told.append(counts.select())
                over = [2 * (told[-1] // 2), 2 * (told[-1] // 2) + 1]
    assert len(told) > 5
    assert len(set(told)) > 2
    assert max(skips) > 1_000


def drawn_with(draws: Any, ratio: Fraction) -> int:
    """The next value, which was drawn with this ratio."""
    parameter, value = next(draws)
    assert parameter == Fraction(Real.of(ratio).enclose(64)[0])
    return int(value)


def check_waits(draws: Any, mechanism: Any, units: Any, skips: Any, shared: Any) -> None:
    """The next draws are waits of all sides, with these chances."""
    for own, skipped in zip(units, skips, strict=True):
        gap = max(0, mechanism.units + shared[1] - shared[0] + skipped - own)
        chance = (1 - Real.of(mechanism.shrink).power(gap)).enclose(64)[0]
        assert next(draws)[0] == chance
    assert next(draws, None) is None


COUNTS = "littlestone.privacy.mechanisms.sides:SideCounts"
SIDES = "littlestone.privacy.mechanisms.sides:ContinualSides"
fresh = test_all_that_is_drawn_is_fresh_and_used


def costs() -> None:
    test_each_change_of_a_record_costs_epsilon("1")


FAULTS: dict[Fault, Callable[[], None]] = {
    Fault(f"{COUNTS}.watch", "draw_skips(mechanism.shared_skip, self._tape), 0", "0, 0",
          "nothing hides a record that enters from all sides"): fresh,
    Fault(f"{COUNTS}.watch", "draw_skips(mechanism.skip, self._tape), 0", "0, 0",
          "no side skips units"): fresh,
    Fault(f"{COUNTS}.watch", "self._shared_units = draw_skips(mechanism.shared_skip, self._tape), 0",
          "_ = draw_skips(mechanism.shared_skip, self._tape), 0",
          "what all share goes on after a side was told"): fresh,
    Fault(f"{COUNTS}.select", "self._over = [sides[which] // 2]", "self._over = []",
          "the sides of an end that was told go on"): fresh,
    Fault(f"{COUNTS}.count", "self._units[cell] += OWN", "self._units[cell] += 2 * OWN",
          "a record adds twice to its side"): fresh,
    Fault(f"{COUNTS}.count", "self._shared_units += SHARED", "self._shared_units += 3 * SHARED",
          "a record adds three times to what all share"): fresh,
    Fault(f"{COUNTS}._time", "max(0, most + skips - units)", "max(0, most - units)",
          "skips are drawn and not used"): fresh,
    Fault(f"{SIDES}._unit_epsilon", "self.epsilon / (OWN + SHARED)", "self.epsilon / OWN",
          "what all share is free"): costs,
    Fault(f"{SIDES}._skip_epsilon", "self.epsilon / OWN - self._unit_epsilon", "self.epsilon / OWN",
          "a record that changes its side costs more"): costs,
    Fault(f"{SIDES}._shared_epsilon", "(self.epsilon - OWN * self._skip_epsilon)", "self.epsilon",
          "a record that enters costs more"): costs,
    Fault(f"{SIDES}.shrink", "exp_below(self._unit_epsilon)", "exp_below(2 * self._unit_epsilon)",
          "tests of twice their epsilon"): costs,
    Fault(f"{SIDES}.skip", "exp_below(self._skip_epsilon)", "exp_below(2 * self._skip_epsilon)",
          "skips of twice their epsilon"): costs,
}  # fmt: skip


@pytest.mark.parametrize("fault", FAULTS, ids=lambda fault: fault.mistake)
def test_faults_are_seen(fault: Fault, monkeypatch: pytest.MonkeyPatch) -> None:
    turns_red(fault, FAULTS[fault], monkeypatch)
