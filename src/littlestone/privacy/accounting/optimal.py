"""Optimal composition: the worst events of given epsilons are randomized responses."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from decimal import Context, Decimal
from fractions import Fraction
from functools import cache, reduce
from itertools import accumulate
from operator import sub

from littlestone.privacy.cost import rounded_up
from littlestone.privacy.decimals import directed, power
from littlestone.privacy.event import Guarantee
from littlestone.privacy.rational import exp_above, exp_below, log_above

_UP, _DOWN = directed(50)
_BITS = 128
_MOST_CELLS = 2048  # of the lattice for different epsilons

Losses = Mapping[int, Decimal]


def optimal_epsilon(pieces: Sequence[tuple[Guarantee, int]], delta: Fraction) -> Fraction:
    """The least epsilon such that all events with these epsilons together are (epsilon, delta)-DP.

    ``pieces`` are guarantees with their counts; 0 < delta < 1 does not include their own deltas.
    Each is as private as randomized response, whose privacy loss is +-epsilon_i.  With L the sum of
    all losses, the least epsilon has E (1 - e^(epsilon - L))_+ = delta (KOV15, Theorem 3.3, and
    MV16 for different epsilons).

    Exact to 6 digits if all epsilons are equal, or are multiples of 1/2048 of their sum.  Otherwise
    each is first rounded up to about such a multiple, unless that doubles their sum; then the result
    is their sum.  Time: O(count) for equal epsilons, otherwise a few seconds at most.

    >>> float(optimal_epsilon([(Guarantee.pure(Fraction(1, 10)), 100)], Fraction(1, 10**6)))
    4.77457
    """
    counts: Counter[Fraction] = Counter()
    for piece, n in pieces:
        if piece.epsilon:
            counts[piece.epsilon] += n
    if not counts:
        return Fraction(0)
    total = sum((epsilon * n for epsilon, n in counts.items()), Fraction(0))
    cell = _cell(counts, total)
    cells = sum(n * -(-epsilon // cell) for epsilon, n in counts.items())
    if len(counts) > 1 and (cells > 2 * _MOST_CELLS or cells * cell > 2 * total):
        return total
    losses = reduce(
        _convolve, (_responses(-(-epsilon // cell), n, cell) for epsilon, n in counts.items())
    )
    return rounded_up(_least_epsilon(losses, cell, delta))


def _cell(counts: Mapping[Fraction, int], total: Fraction) -> Fraction:
    """The unit in which losses are counted; other epsilons are rounded up to a multiple of it.

    It is the greatest common divisor, unless that is tiny.  Then the epsilon that adds up to the most
    is still a multiple of the unit.
    """
    common = reduce(
        lambda a, b: Fraction(
            math.gcd(a.numerator * b.denominator, b.numerator * a.denominator),
            a.denominator * b.denominator,
        ),
        counts,
    )
    if len(counts) == 1 or common * _MOST_CELLS >= total:
        return common
    heaviest = max(counts, key=lambda epsilon: epsilon * counts[epsilon])
    return heaviest / max(1, heaviest * _MOST_CELLS // total)


def _responses(size: int, n: int, cell: Fraction) -> Losses:
    """Upper bounds of the law of the loss of n responses, each +-size cells: a binomial law."""
    epsilon = size * cell
    truth = _decimal(1 - 1 / (1 + exp_above(epsilon, _BITS)), _UP)
    odds = _decimal(1 / exp_below(epsilon, _BITS), _UP)
    mass = power(truth, n, _UP)
    losses = {}
    for lies in range(n + 1):
        losses[(n - 2 * lies) * size] = mass
        mass = _UP.divide(_UP.multiply(_UP.multiply(mass, Decimal(n - lies)), odds), lies + 1)
    return losses


def _convolve(first: Losses, second: Losses) -> Losses:
    sums: dict[int, Decimal] = {}
    for a, p in first.items():
        for b, q in second.items():
            sums[a + b] = _UP.fma(p, q, sums.get(a + b, 0))
    return sums


def _least_epsilon(losses: Losses, cell: Fraction, delta: Fraction) -> Fraction:
    """The least epsilon with sum of P(l) (1 - e^(epsilon - l))_+ <= delta, rounded up.

    The sum is the maximum over j of P(l >= j) - e^epsilon sum over l >= j of P(l) e^-l.  So each j
    bounds e^epsilon from below, and the largest of these bounds is enough.
    """
    allowed = _decimal(delta, _DOWN)
    shrink = _decimal(1 / exp_above(cell, _BITS), _DOWN)
    mass = image = Decimal(0)
    least = Decimal(1)
    gains = sorted(loss for loss in losses if loss > 0)
    step = cache(lambda apart: power(shrink, apart, _DOWN))  # losses are in few steps
    falls = list(
        accumulate(map(step, map(sub, gains, [0, *gains])), _DOWN.multiply, initial=Decimal(1))
    )[1:]
    for loss, fall in zip(reversed(gains), reversed(falls), strict=True):
        mass = _UP.add(mass, losses[loss])
        image = _DOWN.fma(losses[loss], fall, image)
        if mass > allowed:
            least = max(least, _UP.divide(_UP.subtract(mass, allowed), image))
    return log_above(Fraction(least))


def _decimal(x: Fraction, context: Context) -> Decimal:
    return context.divide(Decimal(x.numerator), Decimal(x.denominator))
