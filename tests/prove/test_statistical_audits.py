"""Confidence bounds keep their confidence, exactly; audits of black boxes do, and find violations."""

import math
import random
from collections import Counter
from collections.abc import Callable, Hashable
from fractions import Fraction
from functools import cache

import pytest
from scipy import stats

from littlestone.base.errors import DeclarationError
from littlestone.privacy.randomness import seeded_generator
from littlestone.prove.audit import EpsilonBound, audit_epsilon, find_subject
from littlestone.prove.audit.statistical import Trial, _choose, at_most, lower_bound

Bound = Callable[[int, int, Fraction], Fraction]
lower, upper = cache(lower_bound), cache(at_most)  # the same few counts come again and again


def failure(bound: Bound, n: int, p: Fraction, beta: Fraction) -> Fraction:
    """The exact probability that a lower bound exceeds p."""
    masses = [math.comb(n, k) * p**k * (1 - p) ** (n - k) for k in range(n + 1)]
    return sum((mass for k, mass in enumerate(masses) if bound(k, n, beta) > p), Fraction(0))


@pytest.mark.parametrize("beta", [Fraction(1, 40), Fraction(1, 5)])
def test_a_bound_fails_as_rarely_as_it_says(beta: Fraction) -> None:
    for n in (1, 2, 7, 15):
        for p in (Fraction(i, 24) for i in range(25)):
            assert failure(lower, n, p, beta) <= beta
            # An upper bound that is below p is a lower bound of 1 - p that is above it.
            assert failure(lambda k, n, beta: 1 - upper(n - k, n, beta), n, p, beta) <= beta


def test_a_point_estimate_fails_more_often() -> None:
    assert failure(lambda k, n, beta: Fraction(k, n), 15, Fraction(1, 3), Fraction(1, 5)) > 0.2


def test_a_bound_is_no_smaller_than_it_need_be() -> None:
    """At the edge of the bound, the tail is beta to nine digits."""
    for k, n in ((1, 1), (3, 7), (7, 7), (11, 200)):
        p = lower_bound(k, n, Fraction(1, 20)) + Fraction(1, 10**12)
        tail = sum(math.comb(n, j) * p**j * (1 - p) ** (n - j) for j in range(k, n + 1))
        assert float(tail) == pytest.approx(0.05, rel=1e-6)
        assert tail > Fraction(1, 20)


@pytest.mark.parametrize(("k", "n"), [(1, 10**5), (5000, 10**4), (99_999, 10**5)])
def test_bounds_agree_with_the_beta_quantile(k: int, n: int) -> None:
    for beta in (Fraction(1, 10**6), Fraction(1, 40)):
        assert float(lower_bound(k, n, beta)) == pytest.approx(
            stats.beta.ppf(float(beta), k, n - k + 1), rel=1e-6
        )
        assert float(at_most(k, n, beta)) == pytest.approx(
            stats.beta.isf(float(beta), k + 1, n - k), rel=1e-6
        )
    assert lower_bound(0, n, beta) == 0
    assert at_most(n, n, beta) == 1


def response(truth: int, epsilon: float) -> Trial:
    """Randomized response; floats are good enough for a test of the auditor."""
    lie = 1 / (1 + math.exp(epsilon))
    return lambda rng: truth ^ (rng.random() < lie)


def spread(outputs: int) -> Trial:
    """The same distribution on every data set: epsilon 0."""
    return lambda rng: rng.randrange(outputs)


def too_high(
    audit: Callable[..., EpsilonBound], run: Trial, other: Trial, epsilon: float, audits: int
) -> int:
    """How many of the audits, at confidence 0.8, exceed the true epsilon."""
    rng = seeded_generator(1)
    bounds = [audit(run, other, trials=200, confidence="0.8", rng=rng) for _ in range(audits)]
    return sum(bound.epsilon > epsilon for bound in bounds)


def chooses_and_counts_the_same_runs(
    run: Trial, other: Trial, *, trials: int, confidence: str, rng: random.Random
) -> EpsilonBound:
    """The event that looks best is bounded on the very runs that made it look best."""
    outputs = [[algorithm(rng) for _ in range(trials)] for algorithm in (run, other)]
    return _replayed(outputs, trials, confidence)


def _replayed(outputs: list[list[Hashable]], trials: int, confidence: str) -> EpsilonBound:
    queues = [iter(made * 2) for made in outputs]
    return audit_epsilon(
        lambda rng: next(queues[0]),
        lambda rng: next(queues[1]),
        trials=2 * trials,
        confidence=confidence,
    )


def test_a_bound_exceeds_the_truth_as_rarely_as_it_says(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("littlestone.prove.audit.statistical.lower_bound", lower)
    monkeypatch.setattr("littlestone.prove.audit.statistical.at_most", upper)
    audits = 100
    allowed = stats.binom.isf(1e-6, audits, 0.2)
    for epsilon in (0.5, 2.0):
        runs = response(0, epsilon), response(1, epsilon)
        assert too_high(audit_epsilon, *runs, epsilon, audits) <= allowed
    assert too_high(audit_epsilon, spread(60), spread(60), 0.0, audits) <= allowed
    wrong = too_high(chooses_and_counts_the_same_runs, spread(60), spread(60), 0.0, audits)
    assert wrong > allowed


@pytest.mark.parametrize(("claimed", "trials"), [(1.0, 300), (0.5, 800), (0.25, 3000)])
def test_a_factor_of_two_is_found(claimed: float, trials: int) -> None:
    """With so many trials and confidence 0.95, at least 19 audits of 20."""
    rng = seeded_generator(2)
    runs = response(0, 2 * claimed), response(1, 2 * claimed)
    found = [audit_epsilon(*runs, trials=trials, rng=rng).epsilon > claimed for _ in range(20)]
    assert sum(found) >= 19


def test_halved_noise_is_found_at_a_real_size() -> None:
    """The count of 1,000 records claims epsilon 1 and has 2; 300 runs are enough."""
    named = find_subject("discrete-laplace-count")
    honest, noisy = named.make(Fraction(1), Fraction(0)), named.make(Fraction(2), Fraction(0))
    rng = seeded_generator(4)
    assert honest.measure(trials=300, confidence="0.99", rng=rng).epsilon <= 1
    assert noisy.measure(trials=300, confidence="0.99", rng=rng).epsilon > 1


def test_both_directions_are_tried() -> None:
    """An output that only the second data set has."""

    def rare(rng: random.Random) -> bool:
        return rng.random() < 0.1

    rng = seeded_generator(3)
    bound = audit_epsilon(lambda rng: False, rare, delta="0.01", trials=2000, rng=rng)
    assert bound.epsilon > 2
    assert audit_epsilon(lambda rng: False, rare, delta="0.2", trials=2000, rng=rng).epsilon == 0


def test_what_is_refused() -> None:
    run = response(0, 1)
    for trials in (1, -5, True, "many"):
        with pytest.raises(DeclarationError, match="trials"):
            audit_epsilon(run, run, trials=trials)  # type: ignore[arg-type]
    for confidence in (0, 1, 2, "x"):
        with pytest.raises(DeclarationError, match="confidence"):
            audit_epsilon(run, run, trials=10, confidence=confidence)
    with pytest.raises(DeclarationError, match="delta"):
        audit_epsilon(run, run, trials=10, delta=1)


def test_the_event_is_the_best_of_its_size() -> None:
    """Outputs are taken by their likelihood ratio."""
    one: Counter[Hashable] = Counter({"a": 500, "b": 300, "c": 200})
    other: Counter[Hashable] = Counter({"a": 500, "b": 20, "c": 480})
    assert _choose(one, other, 1000, 0.0, 0.95) == (False, frozenset({"b"}))
