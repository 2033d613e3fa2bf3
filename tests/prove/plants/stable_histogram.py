"""Mistakes in the stable histogram: each plant is the distribution of what it releases key by key."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from typing import Any

from littlestone.privacy import Budget
from littlestone.privacy.mechanisms.partition_selection import StableHistogram
from littlestone.privacy.rational import exp_below
from littlestone.prove.audit import Subject, mechanism_subject, neighbours
from plants.harness import Plant, is_private

Records = tuple[str | None, ...]
Distribution = dict[Any, Fraction]
Histograms = StableHistogram[Any]
Rule = Callable[[Histograms, Records], Distribution]

MOST = 4
PAIRS = [
    *neighbours(("a", "b", "c"), 2, ordered=True),
    *neighbours((None, "a", "b"), MOST, ordered=True),
]


def tight(epsilon: int, threshold: int) -> Histograms:
    """The mechanism whose delta is all but used up by this threshold."""
    a = 1 / exp_below(Fraction(epsilon, 2))
    return Histograms(Budget(epsilon, a ** (threshold - 1) / (1 + a) + Fraction(1, 10**9)))


def noisy(count: int, a: Fraction) -> dict[int, Fraction]:
    """Probabilities of count + X, where 0 stands for all numbers <= 0, and MOST for all >= MOST."""
    tails = [
        a ** (v - count) / (1 + a) if v > count else 1 - a ** (1 + count - v) / (1 + a)
        for v in range(1, MOST + 1)
    ]
    return {
        v: p - q
        for v, (p, q) in enumerate(zip([Fraction(1), *tails], [*tails, Fraction(0)], strict=True))
    }


def released(
    m: Histograms,
    records: Records,
    keep: Callable[[int, int], int | None],
    a: Fraction | None = None,
) -> Distribution:
    """``keep(count, noisy)`` is what is released of a key, None for nothing."""
    outcomes: dict[frozenset[Any], Fraction] = {frozenset(): Fraction(1)}
    for key, count in Counter(key for key in records if key is not None).items():
        longer: dict[frozenset[Any], Fraction] = {}
        for said, p in outcomes.items():
            for number, q in noisy(count, a or m.ratio).items():
                value = keep(count, number)
                output = said if value is None else said | {(key, value)}
                longer[output] = longer.get(output, Fraction(0)) + p * q
        outcomes = longer
    return outcomes


def threshold_one_too_low(m: Histograms, records: Records) -> Distribution:
    """As OpenDP 0.16 reports delta for integers: less by the factor e^(1 / scale)."""
    return released(m, records, lambda _, v: v if v >= m.threshold - 1 else None)


def delta_off_by_e_to_the_epsilon(m: Histograms, records: Records) -> Distribution:
    return released(m, records, lambda _, v: v if v >= m.threshold - 2 else None)


def threshold_not_noisy(m: Histograms, records: Records) -> Distribution:
    return released(m, records, lambda c, v: v if c >= m.threshold else None)


def count_not_noisy(m: Histograms, records: Records) -> Distribution:
    return released(m, records, lambda c, v: c if v >= m.threshold else None)


def every_key_kept(m: Histograms, records: Records) -> Distribution:
    return released(m, records, lambda _, v: v)


def half_the_noise(m: Histograms, records: Records) -> Distribution:
    """The ratio e^-epsilon is enough for adding a record, and not for replacing one."""
    return released(m, records, lambda _, v: v if v >= m.threshold else None, a=m.ratio**2)


def laplace(a: Fraction) -> dict[int, Fraction]:
    """Pr[X = x] for |x| < MOST; beyond, every count + X is at an end of its range."""
    inner = {x: (1 - a) / (1 + a) * a ** abs(x) for x in range(1 - MOST, MOST)}
    return {**inner, MOST: a**MOST / (1 + a), -MOST: a**MOST / (1 + a)}


def one_noise_for_all_keys(m: Histograms, records: Records) -> Distribution:
    counts = Counter(key for key in records if key is not None).items()
    outcomes: Distribution = {}
    for x, p in laplace(m.ratio).items():
        clipped = [(key, min(max(count + x, 0), MOST)) for key, count in counts]
        said = frozenset((key, count) for key, count in clipped if count >= m.threshold)
        outcomes[said] = outcomes.get(said, Fraction(0)) + p
    return outcomes


def in_the_order_of_the_records(m: Histograms, records: Records) -> Distribution:
    return {
        tuple(sorted(said, key=lambda pair: records.index(pair[0]))): p
        for said, p in m.distribution(records).items()
    }


def no_bug(m: Histograms, records: Records) -> Distribution:
    return released(m, records, lambda _, v: v if v >= m.threshold else None)


def _subject(m: Histograms, rule: Rule) -> Subject[Any]:
    made = mechanism_subject(m, pairs=PAIRS, large=PAIRS[0])
    return replace(made, distribution=lambda records: rule(m, records))


def _plant(mistake: str, rule: Rule, m: Histograms) -> Plant:
    # The honest version is made of the same parts, so that the mistake is the only difference.
    return Plant(f"histogram_{rule.__name__}", mistake, is_private, HONEST[m], _subject(m, rule))


MECHANISMS = [tight(1, 2), tight(1, 3), tight(4, 2)]
HONEST = {m: _subject(m, no_bug) for m in MECHANISMS}
TWO, THREE, LARGE = MECHANISMS

PLANTS = [
    _plant("The threshold is one too low, as if delta had a factor less.", threshold_one_too_low,
           THREE),
    _plant("Delta is off by e^epsilon.", delta_off_by_e_to_the_epsilon, THREE),
    _plant("The count is compared without its noise.", threshold_not_noisy, TWO),
    _plant("The count is released without its noise.", count_not_noisy, TWO),
    _plant("Every key is released that occurs.", every_key_kept, THREE),
    _plant("The noise has half of its scale, enough to add a record and not to replace one.",
           half_the_noise, LARGE),
    _plant("All keys share one noise.", one_noise_for_all_keys, TWO),
    _plant("Keys are released in the order of the records.", in_the_order_of_the_records, TWO),
]  # fmt: skip
