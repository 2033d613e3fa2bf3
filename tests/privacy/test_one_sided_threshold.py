"""Counters with one-sided noise: epsilon-DP over all epochs, and waits that are the tests they skip."""

import random
from collections.abc import Callable, Iterator
from fractions import Fraction
from itertools import product
from typing import Any

import pytest

from littlestone.base.errors import DeclarationError
from littlestone.privacy.ledger import Ledger
from littlestone.privacy.mechanisms import competition
from littlestone.privacy.mechanisms.threshold_tests import OneSidedThreshold
from littlestone.privacy.samplers.reals import Real
from scripted import Script

Stream = tuple[bool, ...]
Law = dict[Any, Fraction]
HALF = Fraction(1, 2)


class Short(OneSidedThreshold):
    """With r = 2, so that exact audits are quick."""

    @property
    def shrink(self) -> Fraction:
        return HALF


class Exact(Fraction):
    """A probability that the sampler's methods can be asked for."""

    def power(self, k: int) -> Fraction:
        return Fraction(self) ** k


def short(threshold: int, horizon: int = 5) -> Short:
    return Short(epsilon=Fraction(1), threshold=threshold, horizon=horizon)


def neighbours(length: int) -> Iterator[tuple[Stream, Stream]]:
    for one in product((False, True), repeat=length):
        for t in range(length):
            yield one, (*one[:t], not one[t], *one[t + 1 :])


def ratio(law: Callable[[Stream], Law], length: int = 3) -> Fraction:
    """The largest ratio of two probabilities."""
    known = {one: law(one) for one, _ in neighbours(length)}
    return max(
        p / known[b][output] if known[b].get(output) else Fraction(10**9)
        for a, b in neighbours(length)
        for output, p in known[a].items()
    )


@pytest.mark.parametrize("threshold", [1, 2, 3])
def test_private_on_all_neighbouring_streams_and_sharp(threshold: int) -> None:
    assert ratio(short(threshold).distribution) == 2


@pytest.mark.deep
@pytest.mark.parametrize("threshold", [1, 2])
def test_waits_are_the_tests_they_skip(threshold: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """The mechanism's own code along every outcome of its waits; Z, up to 5."""
    mechanism, script, most_skips = short(threshold, 2), Script(), 5

    def scripted(a: Fraction, rng: random.Random, *, most: int = most_skips) -> int:
        return script.choose([a**k * (1 - a) for k in range(most)] + [a**most])

    monkeypatch.setattr(competition, "geometric", scripted)
    monkeypatch.setattr(Real, "of", Exact)
    ledger = Ledger()
    for stream in [(True, True), (False, True)]:

        def run(stream: Stream = stream) -> tuple[int, ...]:
            receipt = ledger.spend(mechanism, dataset="d", what="test", rng=random.Random(0))
            return mechanism.draw(stream, receipt=receipt)

        found, expected = script.explore(run), mechanism.distribution(stream)
        for hits, p in expected.items():
            assert abs(found.get(hits, Fraction(0)) - p) < Fraction(1, 2**4)


def test_no_test_beyond_the_horizon_and_what_is_refused() -> None:
    assert short(1, 2).distribution([True] * 5) == short(1, 2).distribution([True] * 2)
    for wrong in ({"threshold": 0}, {"horizon": 0}, {"epsilon": Fraction(0)}, {"epsilon": 1}):
        with pytest.raises(DeclarationError):
            OneSidedThreshold(**{"epsilon": Fraction(1), "threshold": 1, "horizon": 1} | wrong)  # type: ignore[arg-type]
