"""Continual tallies: exact divergences of all neighbouring streams, costs, and laws of tallies."""

from __future__ import annotations

import math
import random
from collections import Counter
from dataclasses import replace
from fractions import Fraction
from functools import cache
from typing import Any

import pytest

from littlestone.base.errors import DeclarationError
from littlestone.privacy import Budget
from littlestone.privacy.accounting.subsampled import InTurn
from littlestone.privacy.mechanisms import tallies
from littlestone.privacy.mechanisms.confirmation import ContinualConfirmation
from littlestone.privacy.mechanisms.continual_selection import ContinualKeySelection
from littlestone.privacy.mechanisms.exponential import ExponentialMechanism
from littlestone.privacy.mechanisms.tallies import ContinualTallies
from littlestone.privacy.rational import exp_below
from littlestone.privacy.tape import Tape
from littlestone.prove.audit.claims import neighbours
from scripted import Script
from short_tallies import ShortMedians, ShortTimer, short

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


def test_medians_are_private() -> None:
    """On three places and three steps the ratio is 24/7, of at most 4."""
    medians = ShortMedians(timer=HONEST.timer, cell_epsilon=HONEST.cell_epsilon, points=3)
    law, found = cache(medians.distribution), Fraction(0)
    for one, other in neighbours((None, 0, 1, 2), 3):
        masses, others = law(one), law(other)
        assert masses.keys() == others.keys()
        found = max(
            [found, *(max(p / others[seen], others[seen] / p) for seen, p in masses.items())]
        )
    assert found == Fraction(24, 7) <= RATIO


def test_the_score_of_a_place_is_the_fewer_records_on_one_side() -> None:
    """Beside a count for each place; a record that appears adds 1 to a score, or nothing."""
    medians = ShortMedians(timer=HONEST.timer, cell_epsilon=HONEST.cell_epsilon, points=7)
    rng = random.Random(1)
    for n in (0, 1, 2, 9):
        named = [rng.randrange(7) for _ in range(n)]
        scores = [min(sum(x <= p for x in named), sum(x >= p for x in named)) for p in range(7)]
        masses = [Fraction(2) ** score for score in scores]
        law = medians.tally_law(named)
        assert law == {p: mass / sum(masses) for p, mass in enumerate(masses)}
        counts = Counter(named)
        drawn = Counter(medians.release(counts, Tape(rng)) for _ in range(2_000))
        for p, mass in law.items():
            spread = math.sqrt(float(mass * (1 - mass)) * 2_000)
            assert abs(drawn[p] - 2_000 * mass) < 5 * spread + 1


def test_a_horizon_that_is_short_of_the_stream() -> None:
    law = short(2).distribution((0, 0, 1, 0))
    assert sum(law.values()) == 1
    assert not any(any(seen[2:]) for seen in law)


def test_counts_are_cut_after_the_noise() -> None:
    """Pr[n + X >= x], added up over x; 40 steps away little is left."""
    wide = replace(HONEST, cells=1, most=80)
    law = wide.tally_law((0,) * 40)
    assert sum(law.values()) == 1
    for x in range(1, 80):
        assert law[(x,)] == Fraction(1, 3) / 2 ** abs(x - 40)
    narrow = replace(HONEST, cells=1, most=3).tally_law((0, None, 0))
    assert narrow[(0,)] == sum(p for (x,), p in law.items() if x <= 38)
    assert narrow[(3,)] == sum(p for (x,), p in law.items() if x >= 41)


class Scripted(ShortTimer):
    """A script takes its chances."""

    def quiet(self, gap: int) -> Any:
        return 1 - self.shrink ** max(0, gap)


class Few(Script):
    """At most one record is skipped."""

    def geometric(self, a: Fraction, rng: object, *, most: int = 1) -> int:
        return super().geometric(a, rng, most=most)


class Free:
    """In place of a receipt, where the samplers are a script's."""

    def redeem(self, event: object) -> random.Random:
        return random.Random(0)


@pytest.mark.parametrize("stream", [(0, 1), (0, None, 1), (1, None, None, 0), (0, 0, 1)])
def test_a_run_tallies_at_the_hits_of_its_timer(
    stream: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Along every outcome of its waits, without noise: the records since the tally before."""
    half = Fraction(1, 2)
    alone = Scripted(skip_epsilon=half, test_epsilon=half, threshold=1, warm=1, keys=1, horizon=3)
    mechanism, script = replace(HONEST, timer=alone, most=9), Few()
    script.take_over(monkeypatch)
    monkeypatch.setattr(tallies, "discrete_laplace", lambda ratio, rng: 0)

    def expected() -> tuple[Any, ...]:
        named, since, found = [None if x is None else 0 for x in stream], 0, list[Any]()
        for step, hits in enumerate(alone.draw(named, receipt=Free()), start=1):  # type: ignore[arg-type]
            counts = Counter(stream[since:step])
            found.append((counts[0], counts[1]) if hits else None)
            since = step if hits else since
        return tuple(found)

    law = script.explore(lambda: mechanism.draw(stream, receipt=Free()))  # type: ignore[arg-type]
    assert law == script.explore(expected)


def test_noise_is_as_flat_as_the_cost_says() -> None:
    epsilon = Fraction(2, 3)
    mechanism = ContinualTallies(timer=timer(1, 1), cell_epsilon=epsilon, cells=1, most=1)
    assert mechanism.ratio == 1 / exp_below(epsilon)


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
        timer=timer(skip, test), cell_epsilon=Fraction(cell), cells=2, most=1
    )
    assert mechanism.cost().epsilon == Fraction(str(epsilon))
    assert mechanism.cost().delta == 0


@pytest.mark.parametrize(("name", "value"), [("cell_epsilon", 0), ("cells", 0), ("most", -1)])
def test_wrong_parameters_are_refused(name: str, value: Any) -> None:
    with pytest.raises(DeclarationError, match=name):
        replace(HONEST, **{name: value})


def test_mechanisms_in_turn_cost_as_much_as_the_dearest() -> None:
    one, other = ExponentialMechanism(Fraction(1)), ExponentialMechanism(Fraction(3, 2))
    both = InTurn(one, other)
    assert both.cost().epsilon == Fraction(3, 2)
    assert both.uses() == [(both, 1)]
    keys = ContinualKeySelection[str].within(Budget(1, "1e-6"), horizon=9)
    with pytest.raises(DeclarationError, match="delta"):
        InTurn(one, keys)
