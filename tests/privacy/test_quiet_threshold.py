"""Counters of a stream: epsilon-DP over all epochs, and waits that are exactly the tests they skip."""

import math
import random
from collections import Counter
from collections.abc import Callable, Iterator
from fractions import Fraction
from itertools import accumulate, product
from math import prod
from typing import Any

import pytest
from threshold_audit import Ones, chi_square, tail, worst

from littlestone.audit.trials import Trials
from littlestone.privacy.divergence import hockey_stick
from littlestone.privacy.ledger import Ledger
from littlestone.privacy.mechanisms import quiet_threshold
from littlestone.privacy.mechanisms.quiet_threshold import QuietThreshold
from littlestone.privacy.mechanisms.thresholds.threshold_tests import (
    Answers,
    probability,
    sequences,
)
from littlestone.privacy.rational import exp_below
from scripted import Script

pytestmark = pytest.mark.slow

Stream = tuple[bool, ...]
Rule = Callable[[Any, Stream], dict[Answers, Fraction]]
NOISE = Fraction(1, 2)


class Short(QuietThreshold):
    """With noise DLap(1/2), that is e^epsilon = 2, so that exact audits are quick."""

    @property
    def noise(self) -> Fraction:
        return NOISE


def short(threshold: int) -> Short:
    return Short(epsilon=Fraction(1), threshold=threshold)


def neighbours(length: int) -> Iterator[tuple[Stream, Stream]]:
    for one in product((False, True), repeat=length):
        for t in range(length):
            yield one, (*one[:t], not one[t], *one[t + 1 :])


def honest(mechanism: QuietThreshold, stream: Stream) -> dict[Answers, Fraction]:
    return mechanism.distribution(stream)


def excess(threshold: int, rule: Rule = honest, length: int = 5) -> Fraction:
    return worst(lambda s: rule(short(threshold), s), neighbours(length), 1 / NOISE)


@pytest.mark.parametrize("threshold", [-1, 1, 2])
def test_private_on_all_neighbouring_streams(threshold: int) -> None:
    assert excess(threshold) == 0


def test_private_when_what_counts_depends_on_what_was_published() -> None:
    """A record says for every number of earlier hits whether it is counted then."""
    mechanism = short(1)

    def distribution(records: tuple[Stream, ...]) -> dict[Answers, Fraction]:
        found = {}
        for answers in sequences(len(records), len(records), hits_below=False):
            before = accumulate(answers, initial=0)
            stream = tuple(r[k] for r, k in zip(records, before, strict=False))
            found[answers] = mechanism.distribution(stream)[answers]
        return found

    kinds = [list(product((False, True), repeat=t + 1)) for t in range(3)]
    pairs = (
        (records, (*records[:t], other, *records[t + 1 :]))
        for records in product(*kinds)
        for t in range(3)
        for other in kinds[t]
    )
    assert worst(distribution, pairs, 1 / NOISE) == 0


def test_epsilon_is_reached() -> None:
    """One late record far below the threshold: only the noise of the hit hides it."""
    mechanism = Short(epsilon=Fraction(1), threshold=40)
    one, other = (mechanism.distribution((counts,))[True,] for counts in (True, False))
    assert Fraction(97, 100) < one / other * NOISE <= 1
    quiet = [
        probability([0 - c] * 60, [False] * 60, NOISE, NOISE) for c in (0, 1)
    ]  # and an early one, long at the threshold: only rho hides it
    assert Fraction(97, 100) < quiet[0] / quiet[1] * NOISE <= 1


def threshold_noise_only(mechanism: QuietThreshold, stream: Stream) -> dict[Answers, Fraction]:
    """The first epoch of a running counter against a noisy threshold, and no noise per step."""
    found: dict[Answers, Fraction] = {}
    counts = list(accumulate(stream))
    for rho in range(-20, 21):
        over = [count >= mechanism.threshold + rho for count in counts]
        first = (*over[: over.index(True) + 1],) if any(over) else tuple(over)
        mass = (1 - NOISE) / (1 + NOISE) * NOISE ** abs(rho)
        found[first] = found.get(first, Fraction(0)) + mass
    return found


@pytest.mark.parametrize(
    ("plant", "length"),
    [
        (threshold_noise_only, 3),
    ],
)
def test_planted_bugs_are_caught(plant: Rule, length: int) -> None:
    assert max(excess(threshold, plant, length) for threshold in (0, 1)) > 0


def test_a_probability_that_underflows_is_caught() -> None:
    """As a float, Pr[nu >= 1075] is 0 and Pr[nu >= 1074] is not."""

    def hit(gap: int, p: Callable[[int], Fraction]) -> dict[bool, Fraction]:
        return {True: p(gap), False: 1 - p(gap)}

    def rounded(gap: int) -> Fraction:
        return Fraction(math.pow(0.5, gap))

    exact, floats = (
        [hit(gap, p) for gap in (1074, 1075)] for p in (lambda x: tail(NOISE, x), rounded)
    )
    assert hockey_stick(exact[0], exact[1], 1 / NOISE) == 0
    assert hockey_stick(floats[0], floats[1], 1 / NOISE) > 0
    # The session hits for the U that should: all of its bits are ones.
    with Ledger() as ledger:
        mechanism = QuietThreshold(epsilon=Fraction(1), threshold=2000)
        receipt = ledger.spend(mechanism, dataset="d", what="test", rng=Ones(0))
        assert mechanism.start(receipt=receipt).test(False)


@pytest.mark.parametrize("longest", [1, 2, 9])
def test_waits_are_the_tests_they_skip(longest: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """The session's own code along every outcome of its waits, given every epoch's rho."""
    mechanism, script, steps = short(1), Script(), 4
    rhos: Iterator[int] = iter(())

    def scripted(quiet: Fraction, rng: random.Random, *, most: int) -> int:
        most = min(most, steps + 1)
        return script.choose([quiet**k * (1 - quiet) for k in range(most)] + [quiet**most])

    monkeypatch.setattr(quiet_threshold.QuietSession, "longest", longest)
    monkeypatch.setattr(quiet_threshold, "laplace_at_least", tail)
    monkeypatch.setattr(quiet_threshold, "geometric", scripted)
    monkeypatch.setattr(quiet_threshold, "discrete_laplace", lambda a, rng: next(rhos))
    for given in [(0, 0, 0, 0, 0), (2, -1, 0, 1, 0), (-1, 1, 2, 0, 0)]:
        for stream in product((False, True), repeat=steps):

            def run(given: tuple[int, ...] = given, stream: Stream = stream) -> Answers:
                nonlocal rhos
                rhos = iter(given)
                session = quiet_threshold.QuietSession(NOISE, mechanism.threshold, random.Random(0))
                return tuple(session.test(counts) for counts in stream)

            found = script.explore(run)
            for answers in sequences(steps, steps + 1, hits_below=False):
                epoch, count, factors = 0, 0, []
                for counts, hit in zip(stream, answers, strict=True):
                    count += counts
                    p = tail(NOISE, mechanism.threshold - count + given[epoch])
                    factors.append(p if hit else 1 - p)
                    epoch, count = (epoch + 1, 0) if hit else (epoch, count)
                assert found.get(answers, 0) == prod(factors)


def test_draws_follow_the_distribution() -> None:
    mechanism, rng = QuietThreshold(epsilon=Fraction(1), threshold=1), random.Random(7)
    stream = (False, True, False, True)
    counts: Counter[Answers] = Counter()
    with Ledger() as ledger:
        receipt = ledger.spend(Trials(mechanism, 2000), dataset="d", what="test", rng=rng)
    for _ in range(2000):
        counts[mechanism.draw(stream, receipt=receipt)] += 1
    statistic, freedom = chi_square(counts, mechanism.distribution(stream))
    assert statistic < freedom + 4 * (2 * freedom) ** 0.5


def test_the_noise_is_that_of_the_declared_epsilon() -> None:
    mechanism = QuietThreshold(epsilon=Fraction(1, 3), threshold=5)
    bound = exp_below(Fraction(1, 3), bits=256)
    assert bound * Fraction(10**6 - 1, 10**6) < 1 / mechanism.noise <= bound


def test_a_long_quiet_stream_draws_little() -> None:
    rng, calls = random.Random(3), 0
    draw = rng.getrandbits

    def counted(k: int) -> int:
        nonlocal calls
        calls += 1
        return draw(k)

    rng.getrandbits = counted  # type: ignore[method-assign]
    session = quiet_threshold.QuietSession(NOISE, 200, rng)
    assert not any(session.test(False) for _ in range(10_000))
    assert calls < 20
