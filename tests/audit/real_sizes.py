"""Subjects of audits at real size: neighbours among many records, at small and large epsilons.

A tiny pair of neighbours stays one if both get the same further records.  So every subject that reads
records or scores grows by itself; `LEFT_OUT` says in a line why one does not.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Hashable, Mapping
from fractions import Fraction
from random import Random
from typing import Any

from littlestone.audit import Subject, find_subjects
from littlestone.audit.exact import ratio_below
from littlestone.audit.subject import Named
from littlestone.privacy.divergence import hockey_stick

SIZES = (30, 3_000)
EPSILONS = tuple(map(Fraction, ("0.001", "0.01", "1", "30")))
DELTA = Fraction(1, 100)
TIES = 301
"""More items of equal scores than any sampler looks at one by one."""

SPREAD = 3_000
"""How much worse further items are; the law has powers of rationals, which grow with it."""

SCORES = {"exponential-mechanism", "permute-and-flip"}
_STEPS = "its law is along steps: tests/privacy/ and tests/learners/ have long streams"
_ORDERS = "its law is over the orders in which teachers get all records"
_ONE = "it reads a few bits, however many there are"
_GRID = "its law lists the noisy values of several counts"
_MANY = "its law takes over six seconds at 3,000 records"
LEFT_OUT = {
    **dict.fromkeys(
        ("online-", "continual-", "above-", "between-", "sparse-v", "one-sided-"), _STEPS
    ),
    **dict.fromkeys(
        ("agnostic-", "relabelling-", "boosting-", "bit", "ggkm-", "irreducible-"), _ORDERS
    ),
    **dict.fromkeys(("globally-", "radii-", "sparse-sampling"), _ORDERS),
    **dict.fromkeys(("composed-responses", "parallel-", "subsampled-", "randomized-"), _ONE),
    **dict.fromkeys(("cell-counts", "group-estimates", "rule-estimates", "unread-"), _GRID),
    **dict.fromkeys(
        ("permute-", "regrown-learner-costs", "stable-", "trees-learner-labels"), _MANY
    ),
    "unit-": _MANY,
}
"""Why subjects whose names begin so are not run."""


def subjects() -> list[Named]:
    """All that can grow."""
    return [named for named in find_subjects() if not named.name.startswith(tuple(LEFT_OUT))]


Pair = tuple[tuple[Any, ...], tuple[Any, ...]]


def grown(name: str, pair: Pair, n: int) -> Pair:
    """The neighbours with so many more items, the same for both.

    Of scores there are ties with the first one, and one far worse.  Of records half have the label 0
    and half the label 1, so that no score is beyond what one record can change.
    """
    data = pair[0]
    if name in SCORES:
        more = [data[0]] * (min(n, TIES)) + [min(n, SPREAD) + max(data)]
    else:
        kinds = sorted({*data}, key=repr)
        one, other = kinds[0], kinds[-1]
        if isinstance(one, tuple) and len(one) == 2 and isinstance(one[1], int):
            one, other = (one[0], type(one[1])(0)), (one[0], type(one[1])(1))
        more = [one, other] * ((n - len(data)) // 2)
    return (*pair[0], *more), (*pair[1], *more)


def faults(subject: Subject[Any], pair: Pair, draws: int, rng: Random) -> list[str]:
    """What is wrong on one pair: the claim by the exact law, or draws that are not of that law."""
    found, cost = list[str](), subject.event.cost()
    laws = [subject.distribution(data) for data in pair]
    for p, q in (laws, laws[::-1]):
        if hockey_stick(p, q, ratio_below(cost.epsilon)) > cost.delta:
            found.append("the exact law is not what is claimed")
    run = subject.runs(2 * draws, rng)
    for data, law in zip(pair, laws, strict=True):
        seen = Counter(subject.cell(data, run(data)) for _ in range(draws))
        if odd := unlikely(law, seen):
            found.append(f"drawn {odd}")
    return found


ALARM = 1e-12
"""The most likely false alarm of `unlikely`."""


def unlikely(law: Mapping[Hashable, Fraction], seen: Counter[Hashable]) -> str:
    """What was drawn too often or too seldom for its probability in the law; else empty.

    It looks at each output, and at the outputs up to each one in the order of the law, which shows what
    is wrong with many outputs together.  Draws of the law raise an alarm with probability at most
    `ALARM`.  By Chernoff, K of Bin(T, p) has K >= k with probability at most exp(-T kl(k / T, p)) if
    k / T >= p, and so for K <= k on the other side; each of these bounds has its share of `ALARM`.
    """
    if set(seen) - {output for output, p in law.items() if p}:
        return "what is impossible"
    draws, least = seen.total(), math.log(4 * len(law)) - math.log(ALARM)
    whole, times = Fraction(0), 0
    for output, p in law.items():
        whole, times = whole + p, times + seen[output]
        for chance, k in ((p, seen[output]), (whole, times)):
            # A margin of 1e-9 covers the rounding of floats.
            if draws * kl(k / draws, chance) * (1 - 1e-9) > least:
                return f"{k} of {draws} times what has the probability {float(chance):.3g}"
    return ""


def kl(q: float, p: Fraction) -> float:
    """The divergence kl(q, p) = q ln(q / p) + (1 - q) ln((1 - q) / (1 - p)) of two coins.

    >>> kl(0.5, Fraction(1, 2)), kl(0.0, Fraction(1, 2)) == math.log(2)
    (0.0, True)
    """
    if not 0 < p < 1:
        return 0.0 if q == p else math.inf
    ln_p = math.log(p.numerator) - math.log(p.denominator)
    rest = 1 - p
    ln_rest = math.log(rest.numerator) - math.log(rest.denominator)
    one = q * (math.log(q) - ln_p) if q else 0.0
    other = (1 - q) * (math.log1p(-q) - ln_rest) if q < 1 else 0.0
    return one + other
