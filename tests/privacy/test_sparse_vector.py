"""The sparse vector technique is epsilon-DP: exact distributions on all small neighbouring values."""

import random
from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import replace
from fractions import Fraction
from itertools import product
from math import prod
from typing import Any

import pytest
from threshold_audit import Values, Zeros, chi_square, neighbours, tail, worst

from littlestone.base.errors import DeclarationError, LedgerError
from littlestone.privacy.ledger import Ledger
from littlestone.privacy.mechanisms import above_threshold as sparse_vector
from littlestone.privacy.mechanisms import threshold_tests
from littlestone.privacy.mechanisms.above_threshold import SparseVector
from littlestone.privacy.mechanisms.threshold_tests import (
    Answers,
    probability,
    sequences,
)
from littlestone.privacy.rational import exp_below
from littlestone.prove.audit.claims import hockey_stick
from littlestone.prove.audit.subject import Trials
from scripted import Script

Pairs = Iterable[tuple[Values, Values]]
Rule = Callable[[Any, Values], dict[Answers, Fraction]]
HALF, ONE, THIRDS = Fraction(1, 2), Fraction(1), Fraction(2, 3)


class Short(SparseVector):
    """With both noises DLap(2/3), so that exact audits are quick; its ratio is `claimed`."""

    def noises(self) -> tuple[Fraction, Fraction]:
        return THIRDS, THIRDS

    @property
    def claimed(self) -> Fraction:
        """What theorem 1 says: r1 r2^2c, or r1 r2^c for monotone values."""
        return THIRDS ** -(1 + (self.hits if self.monotone else 2 * self.hits))


def short(hits: int, *, below: bool = False, monotone: bool = False) -> Short:
    return Short(
        threshold_epsilon=HALF,
        query_epsilon=ONE,
        threshold=0,
        hits=hits,
        hits_below=below,
        monotone=monotone,
    )


def honest(mechanism: SparseVector, values: Values) -> dict[Answers, Fraction]:
    return mechanism.distribution(values)


def excess(mechanism: Short, pairs: Pairs, rule: Rule = honest) -> Fraction:
    """The largest delta at the claimed ratio, in both directions."""
    both = ((p, q) for pair in pairs for p, q in (pair, pair[::-1]))
    return worst(lambda values: rule(mechanism, values), both, mechanism.claimed)


def telling() -> Pairs:
    """Tests near the threshold, then far below it; each part moves its own way."""
    yield (0, 0), (0, 1)
    for near, far in product((0, 6), (1, 2)):
        for up, down in product((0, 1), repeat=2):
            yield (0,) * near + (-7,) * far, (up,) * near + (-7 - down,) * far


@pytest.mark.parametrize("below", [False, True])
@pytest.mark.parametrize("monotone", [False, True])
@pytest.mark.parametrize("hits", [1, 2, 3])
def test_private_on_all_neighbours(hits: int, below: bool, monotone: bool) -> None:
    mechanism = short(hits, below=below, monotone=monotone)
    assert excess(mechanism, neighbours((-2, 0, 1), 3, monotone=monotone)) == 0


@pytest.mark.parametrize("monotone", [False, True])
@pytest.mark.parametrize("hits", [1, 2])
def test_the_worst_instance_reaches_epsilon(hits: int, monotone: bool) -> None:
    """Many tests near the threshold say Below, then some far below it hit: both noises are needed."""
    mechanism = short(hits, monotone=monotone)
    near, far = 25, -25
    one = (0,) * near + (far,) * hits
    other = (1,) * near + (far if monotone else far - 1,) * hits
    answers = (False,) * near + (True,) * hits
    masses = [
        probability([-v for v in values], answers, *mechanism.noises()) for values in (one, other)
    ]
    assert Fraction(99, 100) * mechanism.claimed < masses[0] / masses[1] <= mechanism.claimed


@pytest.mark.parametrize("monotone", [False, True])
@pytest.mark.parametrize("hits", [1, 3])
def test_the_noises_are_those_of_the_declared_epsilon(hits: int, monotone: bool) -> None:
    mechanism = SparseVector(
        threshold_epsilon=HALF, query_epsilon=ONE, threshold=0, hits=hits, monotone=monotone
    )
    b, a = mechanism.noises()
    ratio = 1 / b / a ** (hits if monotone else 2 * hits)
    bound = exp_below(mechanism.cost().epsilon, bits=256)
    assert bound * Fraction(10**6 - 1, 10**6) < ratio <= bound


def forgets_the_query_noise(m: SparseVector, values: Values) -> dict[Answers, Fraction]:
    """Above iff rho <= value - threshold: all answers are read off one rho."""
    found: dict[Answers, Fraction] = {}
    b = m.noises()[0]
    for rho in range(-20, 21):  # a part of all outputs: a lower bound of the divergence
        answers, left = [], m.hits
        for value in values:
            answers.append(left > 0 and value >= m.threshold + rho)
            left -= answers[-1]
        mass = (1 - b) / (1 + b) * b ** abs(rho)
        found[tuple(answers)] = found.get(tuple(answers), Fraction(0)) + mass
    return found


def decides_ties_without_noise(m: SparseVector, values: Values) -> dict[Answers, Fraction]:
    found = {}
    for answers, mass in m.distribution(values).items():
        tied = any(v == m.threshold and not a for v, a in zip(values, answers, strict=True))
        found[answers] = Fraction(0) if tied else mass
    return found


def releases_the_noisy_value(m: SparseVector, values: Values) -> dict[Answers, Fraction]:
    """Beside the first hit, value + nu as it was compared: it bounds rho.  A part of all outputs."""
    b, a = m.noises()
    found: dict[Answers, Fraction] = {}
    for t, value in enumerate(values):
        for seen in range(-8, 1):
            nu = (1 - a) / (1 + a) * a ** abs(seen - value)
            mass = sum(
                (1 - b)
                / (1 + b)
                * b ** abs(rho)
                * prod(1 - tail(a, m.threshold + rho - v) for v in values[:t])
                for rho in range(-20, seen - m.threshold + 1)
            )
            found[(False,) * t + (True, *(bool(-seen >> i & 1) for i in range(4)))] = nu * mass
    return found


@pytest.mark.parametrize(
    ("plant", "hits"),
    [
        (forgets_the_query_noise, 2),
        (decides_ties_without_noise, 1),
        (releases_the_noisy_value, 1),
    ],
)
def test_planted_bugs_are_caught(plant: Rule, hits: int) -> None:
    mechanism = short(hits)
    assert excess(mechanism, telling()) == 0
    assert excess(mechanism, telling(), plant) > 0


@pytest.mark.deep
@pytest.mark.parametrize("below", [False, True])
def test_probabilities_are_those_of_the_series(below: bool) -> None:
    b, a, far = Fraction(2, 3), Fraction(1, 2), 80
    for gaps in product((-2, 0, 1), repeat=3):
        total = Fraction(0)
        for answers in sequences(3, 2, below):
            series = sum(
                (1 - b)
                / (1 + b)
                * b ** abs(rho)
                * prod(
                    tail(a, gap + rho) if answer else 1 - tail(a, gap + rho)
                    for gap, answer in zip(gaps, answers, strict=False)
                )
                for rho in range(-far, far + 1)
            )
            exact = probability(gaps, answers, b, a)
            assert 0 <= exact - series <= 2 * b**far
            total += exact
        assert total == 1


@pytest.mark.parametrize("below", [False, True])
@pytest.mark.parametrize("hits", [1, 2])
def test_a_session_has_the_distribution_given_rho(
    hits: int, below: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The session's own code along every outcome of its coins, for some rho."""
    mechanism, script = short(hits, below=below), Script()
    values, a = (0, -1, 1, 0), mechanism.noises()[1]
    monkeypatch.setattr(threshold_tests, "laplace_at_least", tail)
    monkeypatch.setattr(threshold_tests, "bernoulli", lambda p, rng: not script.choose([p, 1 - p]))
    for rho in (-2, 0, 3):
        monkeypatch.setattr(sparse_vector, "discrete_laplace", lambda b, rng, rho=rho: rho)

        def run() -> Answers:
            with Ledger() as ledger:
                receipt = ledger.spend(mechanism, dataset="d", what="test", rng=random.Random(0))
                return mechanism.draw(values, receipt=receipt)

        expected = {
            answers + (below,) * (4 - len(answers)): probability(
                [rho - v for v in values], answers, Fraction(0), a
            )
            for answers in sequences(4, hits, below)
        }
        assert script.explore(run) == expected


def test_draws_follow_the_distribution() -> None:
    mechanism, values, rng = short(2), (0, 1, -1), random.Random(5)
    counts: Counter[Answers] = Counter()
    with Ledger() as ledger:
        receipt = ledger.spend(Trials(mechanism, 3000), dataset="d", what="test", rng=rng)
    for _ in range(3000):
        counts[mechanism.draw(values, receipt=receipt)] += 1
    statistic, freedom = chi_square(counts, mechanism.distribution(values))
    assert statistic < freedom + 4 * (2 * freedom) ** 0.5


@pytest.mark.parametrize("below", [False, True])
def test_an_exhausted_session_draws_nothing(below: bool) -> None:
    mechanism, rng = short(1, below=below), random.Random(0)
    with Ledger() as ledger:
        receipt = ledger.spend(mechanism, dataset="d", what="test", rng=rng)
        session = mechanism.start(receipt=receipt)
        with pytest.raises(LedgerError):
            mechanism.start(receipt=receipt)
    hit = -1000 if below else 1000
    assert session.test(hit) is not below
    assert session.is_exhausted
    state = rng.getstate()
    assert [session.test(value) for value in (hit, -hit)] == [below, below]
    assert rng.getstate() == state


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("threshold", 0.5),
        ("threshold", True),
        ("hits", 0),
        ("query_epsilon", Fraction(0)),
        ("threshold_epsilon", -0.5),
    ],
)
def test_wrong_parameters_are_refused(name: str, value: object) -> None:
    with pytest.raises(DeclarationError, match=name):
        replace(short(1), **{name: value})  # type: ignore[arg-type]


def test_the_parts_add_up_and_are_the_best() -> None:
    for hits in (1, 5, 30):
        best = SparseVector.within(Fraction(1, 10), threshold=0, hits=hits)
        assert best.cost().epsilon == Fraction(1, 10)
        for shift in (Fraction(9, 10), Fraction(11, 10)):
            first = best.threshold_epsilon * shift
            other = replace(best, threshold_epsilon=first, query_epsilon=Fraction(1, 10) - first)
            assert other.variance > best.variance


def test_a_probability_that_underflows_is_not_zero() -> None:
    """As a float, Pr[nu >= 1075] is 0 and Pr[nu >= 1074] is not, and so a hit tells them apart."""

    def hit(gap: int, p: Callable[[int], Fraction]) -> dict[bool, Fraction]:
        return {True: p(gap), False: 1 - p(gap)}

    def rounded(gap: int) -> Fraction:
        return Fraction(0.5**gap)

    exact, floats = (
        [hit(gap, p) for gap in (1074, 1075)] for p in (lambda x: tail(HALF, x), rounded)
    )
    assert hockey_stick(exact[0], exact[1], 1 / HALF) == 0
    assert hockey_stick(floats[0], floats[1], 1 / HALF) > 0
    # The session hits for the U that should: all of its bits are zeros, and so is rho.
    mechanism = SparseVector.within(ONE, threshold=4000)
    with Ledger() as ledger:
        receipt = ledger.spend(mechanism, dataset="d", what="test", rng=Zeros(0))
        assert mechanism.start(receipt=receipt).test(0)
