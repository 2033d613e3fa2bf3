"""Continual confirmation: exact divergences of all neighbouring streams, and exact waits."""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from functools import cache
from itertools import product
from math import prod
from typing import Any

import pytest

from littlestone.base.errors import DeclarationError
from littlestone.privacy.mechanisms.confirmation import (
    Confirmations,
    ContinualConfirmation,
    Hits,
    Watch,
)
from littlestone.privacy.mechanisms.threshold_tests import OneSidedThreshold
from littlestone.privacy.rational import exp_below
from littlestone.privacy.tape import Tape
from littlestone.prove.audit.claims import neighbours
from scripted import Script

Stream = tuple[int | None, ...]
KEYS = (None, 0, 1)


class Short(ContinualConfirmation):
    """With r1 = 3/2 and r2 = 2, so that exact audits are quick; a script takes its chances."""

    skip = Fraction(2, 3)
    shrink = Fraction(1, 2)

    def quiet(self, gap: int) -> Any:
        return 1 - self.shrink ** max(0, gap)


SHORT = Short(
    skip_epsilon=Fraction(1), test_epsilon=Fraction(1), threshold=1, warm=1, keys=2, horizon=6
)
RATIO = Fraction(3)  # r1 r2


def largest(law: Callable[[Any], dict[Any, Fraction]], pairs: Any) -> Fraction:
    """The largest ratio of two probabilities of one outcome; no outcome has probability 0 for one."""
    law, found = cache(law), Fraction(0)
    for one, other in pairs:
        masses, others = law(one), law(other)
        for hits in masses.keys() | others.keys():
            p, q = masses.get(hits, Fraction(0)), others.get(hits, Fraction(0))
            if p or q:
                found = max(found, p / q, q / p)
    return found


@pytest.mark.parametrize(("threshold", "warm"), [(1, 1), (1, 9), (2, 1), (3, 2)])
def test_private_on_all_neighbouring_streams(threshold: int, warm: int) -> None:
    mechanism = replace(SHORT, threshold=threshold, warm=warm)
    assert largest(mechanism.distribution, neighbours(KEYS, 3)) <= RATIO


def test_private_on_all_streams_of_four_steps_and_the_bound_is_reached() -> None:
    assert largest(SHORT.distribution, neighbours(KEYS, 4)) == RATIO
    single = replace(SHORT, keys=1)
    # A record that names the only key or none pays once.
    assert largest(single.distribution, neighbours((None, 0), 4)) == 2


def test_a_horizon_that_is_short_of_the_stream() -> None:
    mechanism = replace(SHORT, horizon=2)
    law = mechanism.distribution((0, 0, 0, 0))
    assert sum(law.values()) == 1
    assert not any(any(hits[2:]) for hits in law)


class Free:
    """In place of a receipt, where the samplers are a script's."""

    def redeem(self, event: object) -> random.Random:
        return random.Random(0)


class Few(Script):
    """At most one record is skipped."""

    def geometric(self, a: Fraction, rng: object, *, most: int = 1) -> int:
        return super().geometric(a, rng, most=most)


def by_code(run: Callable[[], Any], monkeypatch: pytest.MonkeyPatch) -> dict[Any, Fraction]:
    script = Few()
    script.take_over(monkeypatch)
    return {seen: mass for seen, mass in script.explore(run).items() if mass}


def law_of(mechanism: Short, stream: Stream, most: int = 1) -> dict[Hits, Fraction]:
    """The law if no more than ``most`` records are skipped, as in a script, test by test."""

    def hits(named: tuple[bool, ...]) -> dict[tuple[bool, ...], Fraction]:
        found: dict[tuple[bool, ...], Fraction] = {}
        for u in range(1, len(named) + 1):
            mass = Fraction(0)
            for z in range(most + 1):
                p = mechanism.skip**z * (1 - mechanism.skip if z < most else 1)
                for t in range(1, u + 1):
                    rise = next(mechanism.rises(t - 1))[0]
                    gap = mechanism.threshold + rise + z - sum(named[:t])
                    chance = Fraction(1, 2) ** max(0, gap)
                    p *= chance if t == u else 1 - chance
                mass += p
            for later, q in hits(named[u:]).items():
                found[(*[False] * (u - 1), True, *later)] = mass * q
        never = (False,) * len(named)
        return found | {never: 1 - sum(found.values(), Fraction(0))}

    alone = [hits(tuple(x == key for x in stream)) for key in range(mechanism.keys)]
    found: dict[Hits, Fraction] = {}
    for chosen in product(*(masses.items() for masses in alone)):
        sets = tuple(
            frozenset(key for key, (hit, _) in enumerate(chosen) if hit[t])
            for t in range(len(stream))
        )
        found[sets] = prod((mass for _, mass in chosen), start=Fraction(1))
    return {sets: mass for sets, mass in found.items() if mass}


@pytest.mark.parametrize("stream", [(0, 0), (0, None), (1, 0)])
def test_waits_are_the_tests_they_skip(stream: Stream, monkeypatch: pytest.MonkeyPatch) -> None:
    """The run's own code along every outcome of its waits and skips."""
    mechanism = replace(SHORT, horizon=2)

    def run() -> Hits:
        return mechanism.draw(stream, receipt=Free())  # type: ignore[arg-type]

    assert by_code(run, monkeypatch) == law_of(mechanism, stream)


def test_a_record_in_a_period_does_not_make_it_longer(monkeypatch: pytest.MonkeyPatch) -> None:
    mechanism = replace(SHORT, keys=1, warm=2, horizon=3)

    def run() -> Hits:
        return mechanism.draw((None, 0, None), receipt=Free())  # type: ignore[arg-type]

    assert by_code(run, monkeypatch) == law_of(mechanism, (None, 0, None))


@pytest.mark.deep
def test_waits_of_four_steps_of_one_key(monkeypatch: pytest.MonkeyPatch) -> None:
    mechanism = replace(SHORT, keys=1, horizon=4)
    for stream in [(0, None, None, 0), (0, 0, 0, None)]:

        def run(stream: Stream = stream) -> Hits:
            return mechanism.draw(stream, receipt=Free())  # type: ignore[arg-type]

        assert by_code(run, monkeypatch) == law_of(mechanism, stream)


def test_the_sum_over_skips_is_that_of_its_terms() -> None:
    for stream in [(0, 0, 0), (0, None, 0), (1, 0, 0)]:
        exact, terms = SHORT.distribution(stream), law_of(SHORT, stream, most=40)
        assert exact.keys() == terms.keys()
        assert all(abs(exact[hits] - mass) < Fraction(1, 10**6) for hits, mass in terms.items())


def test_a_key_that_is_not_watched_keeps_its_count(monkeypatch: pytest.MonkeyPatch) -> None:
    """It is not tested at the step in between, and the skips are those of before."""
    mechanism = replace(SHORT, keys=1, horizon=3, warm=9)

    def run() -> tuple[bool, ...]:
        counts: Confirmations[str] = Confirmations(mechanism, Tape(random.Random(0)))
        watched, found = {"a": Watch(1, 1)}, []
        counts.watch(1, watched)
        for step, change in ((1, {}), (2, watched), (3, watched)):
            counts.count(step, "a")
            found.append(counts.due == step)
            if found[-1]:
                counts.select()
                break
            counts.watch(step + 1, change)
        return tuple(found)

    expected: dict[tuple[bool, ...], Fraction] = {}
    for z in range(2):
        mass = Fraction(2, 3) if z else Fraction(1, 3)
        first, second = (Fraction(1, 2) ** max(0, 1 + z - n) for n in (1, 2))
        for found, p in (
            ((True,), first),
            ((False, False, True), (1 - first) * second),
            ((False, False, False), (1 - first) * (1 - second)),
        ):
            expected[found] = expected.get(found, Fraction(0)) + mass * p
    assert by_code(run, monkeypatch) == {found: p for found, p in expected.items() if p}


def test_periods_grow_and_the_rise_with_them() -> None:
    mechanism = replace(SHORT, warm=3, horizon=50)
    ages = [next(mechanism.rises(age))[0] for age in range(50)]
    assert ages == [0] * 3 + [1] * 6 + [2] * 12 + [3] * 24 + [4] * 5
    assert mechanism.last_rise == 4
    slow = ContinualConfirmation(
        skip_epsilon=Fraction(1, 100), test_epsilon=Fraction(1, 100), threshold=1, warm=1, keys=1,
        horizon=10,
    )  # fmt: skip
    assert (slow.growth, slow.rise) == (2, 70)
    assert [next(slow.rises(age)) for age in (0, 1, 3)] == [(0, 0), (70, 2), (140, 6)]
    fast = Steep(
        skip_epsilon=Fraction(1), test_epsilon=Fraction(3), threshold=1, warm=2, keys=1, horizon=12
    )
    assert (fast.growth, fast.rise, fast.last_rise) == (20, 1, 1)
    assert [replace(fast, horizon=horizon).last_rise for horizon in (2, 3, 42, 43)] == [0, 1, 1, 2]


class Steep(ContinualConfirmation):
    """With r2 = 20."""

    shrink = Fraction(1, 20)


@pytest.mark.parametrize("warm", [1, 3])
def test_the_tests_are_counted_by_their_chances(warm: int) -> None:
    for horizon in (1, 2, 3, 4, 9, 10, 40):
        mechanism = replace(SHORT, warm=warm, horizon=horizon)
        rises = [next(mechanism.rises(age))[0] for age in range(horizon)]
        assert mechanism.tests == sum(mechanism.shrink**rise for rise in rises)


def test_a_test_hits_for_certain_once_the_records_suffice() -> None:
    """Also with more records than that, as a key has if its threshold falls."""
    mechanism = ContinualConfirmation(
        skip_epsilon=Fraction(1, 3), test_epsilon=Fraction(2, 3), threshold=1, warm=1, keys=1,
        horizon=10,
    )  # fmt: skip
    assert mechanism.skip == 1 / exp_below(Fraction(1, 3))
    assert mechanism.shrink == 1 / exp_below(Fraction(2, 3))
    for gap in (-3, -1, 0, 1, 4):
        low, high = mechanism.quiet(gap).enclose(64)
        assert low <= (1 - mechanism.shrink ** max(0, gap)) * 2**64 <= high


@pytest.mark.parametrize(
    ("name", "value"),
    [("skip_epsilon", 0), ("test_epsilon", -1), ("threshold", 0), ("warm", 0), ("horizon", 0)],
)
def test_wrong_parameters_are_refused(name: str, value: object) -> None:
    with pytest.raises(DeclarationError, match=name.partition("_")[0]):
        replace(SHORT, **{name: value})  # type: ignore[arg-type]


@pytest.mark.parametrize("gaps", [(-2,), (-3, 1), (1, -2), (2, -1, 0), (0, -4, -1, 2)])
def test_the_first_hit_beyond_a_threshold_is_summed_up_exactly(gaps: tuple[int, ...]) -> None:
    waits = OneSidedThreshold(epsilon=Fraction(1), threshold=3, horizon=5)
    counters: list[tuple[Any, Fraction]] = [(SHORT, SHORT.skip), (waits, waits.shrink)]
    for counter, skip in counters:
        a, s = float(skip), float(counter.shrink)
        series = 0.0
        for z in range(2000):
            *before, hit = (s ** max(0, gap + z) for gap in gaps)
            series += (1 - a) * a**z * prod(1 - chance for chance in before) * hit
        assert counter._first_hit(gaps) == pytest.approx(series, rel=1e-12)
