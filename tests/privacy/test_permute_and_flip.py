"""Permute-and-flip is epsilon-DP, sharply, and never worse than the exponential mechanism."""

import math
import random
from collections.abc import Sequence
from fractions import Fraction
from itertools import permutations, product

import numpy as np
import pytest

from littlestone.base.errors import DeclarationError, LedgerError
from littlestone.privacy.ledger import Ledger
from littlestone.privacy.mechanisms.scores.exponential import ExponentialMechanism
from littlestone.privacy.mechanisms.scores.permute_and_flip import PermuteAndFlip
from littlestone.privacy.rational import exp_below
from littlestone.privacy.scores import ErrorRuns
from littlestone.prove.audit.claims import hockey_stick

Distribution = dict[int, Fraction]
EPSILONS = [Fraction(1, 10), Fraction(1), Fraction(5)]

# All pairs of counts of 3 items in which every count moves by at most 1.
PAIRS = [
    (counts, tuple(c + move for c, move in zip(counts, moves, strict=True)))
    for counts in product(range(1, 4), repeat=3)
    for moves in product((-1, 0, 1), repeat=3)
]


def honest(m: PermuteAndFlip, errors: Sequence[int]) -> Distribution:
    return m.distribution(ErrorRuns(np.array(errors)))


def worst(epsilon: Fraction, ratio: Fraction | None = None) -> Fraction:
    """The largest hockey-stick divergence, at a ratio certainly below e^epsilon."""
    mechanism = PermuteAndFlip(epsilon)
    ratio = ratio or exp_below(epsilon, bits=256)
    known = {errors: honest(mechanism, errors) for pair in PAIRS for errors in pair}
    return max(
        max(hockey_stick(known[p], known[q], ratio), hockey_stick(known[q], known[p], ratio))
        for p, q in PAIRS
    )


@pytest.mark.parametrize("epsilon", EPSILONS)
def test_private_on_every_neighbouring_pair(epsilon: Fraction) -> None:
    assert worst(epsilon) == 0


def test_epsilon_is_attained() -> None:
    """The ratio r^2 is reached, so a hundredth less of it is too little."""
    r = PermuteAndFlip(Fraction(1)).base
    assert worst(Fraction(1), r**2) == 0
    assert worst(Fraction(1), r**2 * Fraction(99, 100)) > 0


def by_definition(m: PermuteAndFlip, errors: Sequence[int], base: Fraction) -> Distribution:
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
    mechanism = PermuteAndFlip(Fraction(1))
    assert honest(mechanism, errors) == by_definition(mechanism, errors, mechanism.base)


def test_a_block_is_its_items() -> None:
    mechanism = PermuteAndFlip(Fraction(1))
    blocks = ErrorRuns(np.array([2, 0, 3]), [2, 1, 3])
    assert mechanism.distribution(blocks) == honest(mechanism, [2, 2, 0, 3, 3, 3])


def test_blocks_drawn_as_items_are_caught() -> None:
    """Where the blocks of equal errors end depends on the data: 10 items, one record replaced."""
    mechanism = PermuteAndFlip(Fraction(1))

    def chance_of_the_last(errors: list[int], lengths: list[int]) -> Fraction:
        run = honest(mechanism, errors)  # as if each block were one item
        return run[len(errors) - 1] / lengths[-1]

    p = chance_of_the_last([0, 1], [1, 9])
    q = chance_of_the_last([0, 1, 2], [1, 8, 1])
    assert q > exp_below(Fraction(1)) * p


@pytest.mark.parametrize("epsilon", EPSILONS)
def test_never_worse_than_the_exponential_mechanism(epsilon: Fraction) -> None:
    """Not in expected error, nor in the probability of more than any number of errors."""
    ours, theirs = PermuteAndFlip(epsilon), ExponentialMechanism(epsilon)
    for errors in product(range(4), repeat=4):
        p = honest(ours, errors)
        q = theirs.distribution(ErrorRuns(np.array(errors)))
        for least in range(1, 4):
            bad = [i for i, error in enumerate(errors) if error >= least]
            assert sum(p[i] for i in bad) <= sum(q[i] for i in bad)
        means = [sum(e * d[i] for i, e in enumerate(errors)) for d in (p, q)]
        assert means[0] < means[1] or len(set(errors)) == 1


@pytest.mark.parametrize("epsilon", [Fraction(1, 10), Fraction(1)])
def test_its_composition_is_that_of_a_pure_mechanism(epsilon: Fraction) -> None:
    """Two equal items, of which one then gains and the other loses."""
    mechanism = PermuteAndFlip(epsilon)
    p, q = honest(mechanism, (1, 1)), honest(mechanism, (0, 2))
    log_ratios = [math.log(p[i] / q[i]) for i in (0, 1)]
    # Not of bounded range epsilon, and no zCDP of the exponential mechanism.
    assert max(log_ratios) - min(log_ratios) > 1.2 * float(epsilon)
    kl = sum(float(p[i]) * log_ratios[i] for i in (0, 1))
    assert float(epsilon) ** 2 / 8 < kl <= float(mechanism.guarantee().rho)
    if epsilon < 1:
        assert kl > 0.9 * float(mechanism.guarantee().rho)


def test_a_draw_needs_its_own_receipt() -> None:
    data, rng = ErrorRuns(np.array([0, 1])), random.Random(0)
    mechanism = PermuteAndFlip(Fraction(1))
    with Ledger() as ledger:
        receipt = ledger.spend(mechanism, dataset="d", what="test", rng=rng)
        with pytest.raises(LedgerError):
            PermuteAndFlip(Fraction(2)).draw(data, receipt=receipt)
        assert mechanism.draw(data, receipt=receipt) in (0, 1)
        with pytest.raises(LedgerError):
            mechanism.draw(data, receipt=receipt)
    with pytest.raises(DeclarationError, match="epsilon"):
        PermuteAndFlip(Fraction(0))
