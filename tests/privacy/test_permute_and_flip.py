"""Permute-and-flip is epsilon-DP, sharply, and never worse than the exponential mechanism."""

import math
from collections.abc import Sequence
from fractions import Fraction
from itertools import permutations, product

import numpy as np
import pytest

from littlestone.privacy.mechanisms.bucket_labels import BucketLabels
from littlestone.privacy.mechanisms.exponential import ExponentialMechanism
from littlestone.privacy.rational import exp_below
from littlestone.privacy.scores import ErrorRuns
from littlestone.prove.audit.claims import hockey_stick

Distribution = dict[int, Fraction]
EPSILONS = [Fraction(1, 10), Fraction(1), Fraction(5)]

# All pairs of errors of 3 labels in which every one moves by at most 1.
PAIRS = [
    (errors, tuple(c + move for c, move in zip(errors, moves, strict=True)))
    for errors in product(range(1, 4), repeat=3)
    for moves in product((-1, 0, 1), repeat=3)
]


def law_of(epsilon: Fraction, errors: Sequence[int]) -> Distribution:
    """The law of the label, whose errors are the records with other labels."""
    mechanism = BucketLabels(epsilon, 1, max(2, len(errors)))
    return dict(enumerate(mechanism.chances([max(errors) - error for error in errors])))


def worst(epsilon: Fraction, ratio: Fraction) -> Fraction:
    """The largest hockey-stick divergence."""
    known = {errors: law_of(epsilon, errors) for pair in PAIRS for errors in pair}
    return max(
        max(hockey_stick(known[p], known[q], ratio), hockey_stick(known[q], known[p], ratio))
        for p, q in PAIRS
    )


@pytest.mark.parametrize("epsilon", EPSILONS)
def test_private_on_every_neighbouring_pair(epsilon: Fraction) -> None:
    assert worst(epsilon, exp_below(epsilon, bits=256)) == 0


def test_epsilon_is_attained() -> None:
    """The ratio r^2 is reached, so a hundredth less of it is too little."""
    r = BucketLabels(Fraction(1), 1, 3).base
    assert worst(Fraction(1), r**2) == 0
    assert worst(Fraction(1), r**2 * Fraction(99, 100)) > 0


def by_definition(errors: Sequence[int], base: Fraction) -> Distribution:
    """All orders of the items, and in each the first coin that shows heads."""
    best = min(errors)
    found = dict.fromkeys(range(len(errors)), Fraction(0))
    for order in permutations(found):
        tails = Fraction(1, math.factorial(len(errors)))
        for item in order:
            heads = base ** (best - errors[item])
            found[item] += tails * heads
            tails *= 1 - heads
    return found


@pytest.mark.parametrize("errors", [(0,), (2, 2), (0, 1, 4), (3, 0, 0, 1), (5, 1, 2, 2, 9)])
def test_the_integral_is_the_procedure(errors: Sequence[int]) -> None:
    base = BucketLabels(Fraction(1), 1, 2).base
    assert law_of(Fraction(1), errors) == by_definition(errors, base)


@pytest.mark.parametrize("epsilon", EPSILONS)
def test_never_worse_than_the_exponential_mechanism(epsilon: Fraction) -> None:
    """Not in expected error, nor in the probability of more than any number of errors."""
    theirs = ExponentialMechanism(epsilon)
    for errors in product(range(4), repeat=4):
        p = law_of(epsilon, errors)
        q = theirs.distribution(ErrorRuns(np.array(errors)))
        for least in range(1, 4):
            bad = [i for i, error in enumerate(errors) if error >= least]
            assert sum(p[i] for i in bad) <= sum(q[i] for i in bad)
        means = [sum(e * d[i] for i, e in enumerate(errors)) for d in (p, q)]
        assert means[0] < means[1] or len(set(errors)) == 1


@pytest.mark.parametrize("epsilon", [Fraction(1, 10), Fraction(1)])
def test_its_composition_is_that_of_a_pure_mechanism(epsilon: Fraction) -> None:
    """Two equal items, of which one then gains and the other loses."""
    p, q = law_of(epsilon, (1, 1)), law_of(epsilon, (0, 2))
    rho = float(BucketLabels(epsilon, 1, 2).guarantee().rho)
    log_ratios = [math.log(p[i] / q[i]) for i in (0, 1)]
    # Not of bounded range epsilon, and no zCDP of the exponential mechanism.
    assert max(log_ratios) - min(log_ratios) > 1.2 * float(epsilon)
    kl = sum(float(p[i]) * log_ratios[i] for i in (0, 1))
    assert float(epsilon) ** 2 / 8 < kl <= rho
    if epsilon < 1:
        assert kl > 0.9 * rho
