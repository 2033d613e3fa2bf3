"""The draw is exact: decisions agree with rational arithmetic, frequencies with the distribution."""

import random
import tracemalloc
from collections.abc import Callable, Sequence
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from littlestone.privacy.samplers.selection import (
    Levels,
    PowerBounds,
    decide,
    draw_item,
    group,
    locate,
)
from scripted import Bits

Draw = Callable[..., int]


def intervals(gaps: Sequence[int], weights: Sequence[int], base: Fraction) -> list[Fraction]:
    sums = [Fraction(0)]
    for gap, weight in zip(gaps, weights, strict=True):
        sums.append(sums[-1] + weight * base**-gap)
    return [c / sums[-1] for c in sums]


def wrong_decisions(
    levels: Levels, base: Fraction, bits: int, choose: Callable[..., object]
) -> int:
    """Decided prefixes that are not inside the level's exact interval."""
    edges = intervals(levels.gaps, levels.weights, base)
    wrong = 0
    for uniform in range(2**bits):
        level = choose(levels, base, uniform, bits)
        if level is not None:
            assert isinstance(level, int)
            low, high = Fraction(uniform, 2**bits), Fraction(uniform + 1, 2**bits)
            wrong += not edges[level] <= low <= high <= edges[level + 1]
    return wrong


def test_a_place_is_told_only_if_all_sums_between_the_bounds_agree() -> None:
    """With bounds far apart, as with very few bits, against the definition."""
    rng = random.Random(1)
    told = 0
    for _ in range(3000):
        low, high = [0], [0]
        for _ in range(rng.randint(1, 4)):
            share = rng.randint(0, 40)
            low.append(low[-1] + share)
            high.append(high[-1] + share + rng.choice((0, 0, 1, 3)))
        bits, beyond = rng.randint(1, 6), rng.choice((0, 1, 5))
        uniform = rng.randrange(2**bits)
        certain = [
            j
            for j in range(len(low) - 1)
            if high[j] << bits <= uniform * low[-1]
            and (uniform + 1) * (high[-1] + beyond) <= low[j + 1] << bits
        ]
        found = locate(low, high, beyond, uniform, bits)
        if found is None:
            assert not certain or low[certain[0]] == low[certain[0] + 1]
        else:
            told += 1
            assert found in certain
    assert told > 300


def test_an_item_beyond_the_window_leaves_the_last_place_undecided() -> None:
    """It weighs 2^-6, less than a unit at four bits; so the last sixteenth may be its own."""
    for levels in (Levels([0], [1], 1, 5), Levels([0, 3], [1, 1], 1, 5)):
        assert decide(levels, Fraction(2), 15, 4) is None
        assert decide(levels, Fraction(2), 12, 4) == 0


@pytest.mark.parametrize("kind", [list, np.array])
def test_runs_are_grouped_by_their_errors(kind: Callable[..., Any]) -> None:
    """Neighbouring errors are apart, and what is beyond the window is counted alone."""
    rng = np.random.default_rng(1)
    for most, window in ((3, 10**6), (12, 4), (10**9, 10**6)):
        errors = rng.integers(5, 5 + most, 30)
        lengths = rng.integers(1, 9, 30)
        for known, told in ((lengths, kind(lengths.tolist())), (np.ones(30, int), None)):
            weights: dict[int, int] = {}
            for error, length in zip(errors.tolist(), known.tolist(), strict=True):
                gap = error - int(errors.min())
                weights[gap] = weights.get(gap, 0) + length
            near = {gap: weights[gap] for gap in sorted(weights) if gap <= window}
            found = group(errors, told, window)
            assert dict(zip(found.gaps, found.weights, strict=True)) == near
            assert list(found.gaps) == sorted(found.gaps)
            assert found.beyond == sum(weights.values()) - sum(near.values())


bases = st.sampled_from(
    [Fraction(1), Fraction(3, 2), Fraction(11, 10), Fraction(2), Fraction(10**9)]
)
grouped = st.lists(
    st.tuples(st.integers(0, 40), st.integers(1, 50)),
    min_size=1,
    max_size=6,
    unique_by=lambda p: p[0],
)


@pytest.mark.deep
@settings(max_examples=150, deadline=None)
@given(grouped, bases)
def test_every_decision_is_exact(pairs: list[tuple[int, int]], base: Fraction) -> None:
    pairs = sorted(pairs)
    gaps = [gap - pairs[0][0] for gap, _ in pairs]
    levels = Levels(gaps, [weight for _, weight in pairs], 0, 10**6)
    assert wrong_decisions(levels, base, 9, decide) == 0


@settings(max_examples=100, deadline=None)
@given(grouped, bases, st.integers(0, 40))
def test_a_window_changes_no_decision(
    pairs: list[tuple[int, int]], base: Fraction, window: int
) -> None:
    """Items beyond the window are only bounded, yet whatever is decided is exact."""
    pairs = sorted(pairs)
    errors = np.repeat([gap for gap, _ in pairs], [weight for _, weight in pairs])
    whole = group(errors, None, 10**6)
    edges = intervals(whole.gaps, whole.weights, base)
    cut = group(errors, None, window)
    for uniform in range(2**8):
        level = decide(cut, base, uniform, 8)
        if level is not None:
            assert edges[level] <= Fraction(uniform, 2**8)
            assert Fraction(uniform + 1, 2**8) <= edges[level + 1]


def forgets_beyond(levels: Levels, base: Fraction, uniform: int, bits: int) -> int | None:
    return decide(Levels(levels.gaps, levels.weights, 0, levels.window), base, uniform, bits)


def nearest_float(levels: Levels, base: Fraction, uniform: int, bits: int) -> int:
    weights = [w * float(base) ** -g for g, w in zip(levels.gaps, levels.weights, strict=True)]
    sums = np.cumsum(weights) / sum(weights)
    return int(np.searchsorted(sums, uniform / 2**bits, side="right").clip(0, len(weights) - 1))


def test_inexact_decisions_are_caught() -> None:
    levels = Levels([0, 1, 2], [1, 3, 2], 0, 100)
    assert wrong_decisions(levels, Fraction(11, 10), 8, nearest_float) > 0
    errors = np.array([0, 1, 1, 1, 2, 2])
    edges = intervals([0, 1, 2], [1, 3, 2], Fraction(11, 10))
    cut = group(errors, None, 1)
    wrong = 0
    for uniform in range(2**8):
        level = forgets_beyond(cut, Fraction(11, 10), uniform, 8)
        wrong += level is not None and Fraction(uniform + 1, 2**8) > edges[level + 1]
    assert wrong > 0


def p_value(sampler: Draw, errors: Sequence[int], lengths: Sequence[int] | None) -> float:
    """Chi-square p-value of 4,000 seeded draws against the exact distribution of the items."""
    base = Fraction(13, 10)
    rng = random.Random(7)
    table = np.array(errors)
    counts = lengths or [1] * len(errors)
    items = [base**-e for e, c in zip(errors, counts, strict=True) for _ in range(c)]
    drawn = np.bincount(
        [sampler(table, lengths, base, rng) for _ in range(4000)], minlength=len(items)
    )
    expected = [float(item / sum(items)) * 4000 for item in items]
    return float(stats.chisquare(drawn, expected).pvalue)


SHAPES: list[tuple[list[int], list[int] | None]] = [
    ([5] * 8, None),
    ([0] + [3] * 9, None),
    (list(range(12)), None),
    ([7, 2, 2, 9, 4], [3, 1, 4, 2, 5]),
    ([4, 4], [1, 9]),
]


def ignores_lengths(
    errors: np.ndarray, lengths: Sequence[int] | None, base: Fraction, rng: random.Random
) -> int:
    run = draw_item(errors, None, base, rng)
    counts = lengths or [1] * len(errors)
    return sum(counts[:run]) + rng.randrange(counts[run])


def first_of_level(
    errors: np.ndarray, lengths: Sequence[int] | None, base: Fraction, rng: random.Random
) -> int:
    item = draw_item(errors, lengths, base, rng)
    flat = np.repeat(errors, lengths or [1] * len(errors))
    return int(np.flatnonzero(flat == flat[item])[0])


def doubles_the_gap(
    errors: np.ndarray, lengths: Sequence[int] | None, base: Fraction, rng: random.Random
) -> int:
    return draw_item(errors * 2, lengths, base, rng)


@pytest.mark.parametrize(("errors", "lengths"), SHAPES)
def test_frequencies(errors: list[int], lengths: list[int] | None) -> None:
    assert p_value(draw_item, errors, lengths) > 1e-4


@pytest.mark.deep
@pytest.mark.parametrize("plant", [ignores_lengths, first_of_level, doubles_the_gap])
def test_a_biased_sampler_is_caught(plant: Draw) -> None:
    assert min(p_value(plant, errors, lengths) for errors, lengths in SHAPES) < 1e-9


@pytest.mark.parametrize(("more", "index"), [(0, 0), (2**34 - 1, 1)])
def test_an_undecided_draw_reads_more_bits(more: int, index: int) -> None:
    # The better of two items has the share 3/5, which lies inside this cell of 34 bits.
    rng = Bits(3 * 2**34 // 5, more)
    assert draw_item(np.array([0, 1]), None, Fraction(3, 2), rng) == index
    assert rng.asked[:2] == [34, 34]


def test_astronomic_runs_and_gaps() -> None:
    rng = random.Random(3)
    errors = np.array([10**15, 0, 10**18])
    assert draw_item(errors, [2**64, 2**64, 1], Fraction(3, 2), rng) in range(2**64, 2**65)
    assert draw_item(errors, [2**200, 1, 2**300], Fraction(1), rng) > 2**190


def test_powers_are_bounded_and_few_are_kept() -> None:
    """There may be as many gaps as items, and each kept power takes some hundred bytes."""
    base, bits, rng = Fraction(1025, 1024), 64, random.Random(1)
    shrink = PowerBounds(base, bits)
    for k in (0, 1, 2, 1023, 1024, 1025, 2047, 2048, 5000, 7777):
        low, high = shrink(k)
        exact = (1 / base) ** k * (1 << bits)
        assert low <= exact <= high <= low + 2 * k
    tracemalloc.start()
    for _ in range(20_000):
        shrink(rng.randrange(1 << 40))
    held, _ = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert held < 1 << 21
