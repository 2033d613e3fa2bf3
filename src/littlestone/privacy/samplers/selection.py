r"""Exact selection: draw run j of equally scored items with probability ~ weight_j * base^-gap_j.

The draw inverts the cumulative distribution on a uniform U in [0, 1) whose bits are read only as
needed.  U is known to p bits, and all sums are known between integer bounds at p bits.  Either one
level certainly holds U, or both are refined.  Nothing in the answer is rounded: level j is returned
iff U lies in its interval, so its probability is exactly its share.  Nothing is a float, and only the
levels within p bits of the best one are looked at, however the scores are spread.
"""

from __future__ import annotations

import random
from bisect import bisect_right
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import accumulate, chain
from math import prod
from typing import Any

import numpy as np
from numpy.typing import NDArray

from littlestone.privacy.scores import (
    ErrorSums,
    Groups,
    Scores,
    StumpPairs,
    counts_of,
    leasts_of,
    scores_of,
    total,
)

Lengths = Sequence[int] | NDArray[np.int64] | None


@dataclass(frozen=True)
class Levels:
    """Items grouped by score: ``weights[j]`` items lie ``gaps[j]`` below the best, gaps increasing.

    ``beyond`` items lie further below than ``window``, and are not grouped.
    """

    gaps: Sequence[int]
    weights: Sequence[int]
    beyond: int
    window: int


def group(errors: NDArray[np.int64], lengths: Lengths, window: int) -> Levels:
    """Group runs of items by errors, up to ``window`` above the least; O(number of runs)."""
    gaps = errors - errors.min()
    inside = gaps <= window
    near = gaps if inside.all() else gaps[inside]
    if lengths is None:
        # Counting is linear; sorting is for rare windows far wider than the number of items.
        if int(near.max()) <= 4 * len(errors) + 1024:
            counts = np.bincount(near)
            found = np.flatnonzero(counts)
            weights = counts[found].tolist()
        else:
            ranked = np.sort(near)
            starts = np.flatnonzero(np.diff(ranked, prepend=-1))
            found, weights = ranked[starts], np.diff(starts, append=len(ranked)).tolist()
        return Levels(found.tolist(), weights, len(errors) - len(near), window)
    if isinstance(lengths, np.ndarray):
        near_lengths = lengths[inside]
        order = np.argsort(near, kind="stable")
        ranked = near[order]
        starts = np.flatnonzero(np.concatenate([[True], ranked[1:] != ranked[:-1]]))
        summed = np.add.reduceat(near_lengths[order], starts)
        beyond = int(lengths.sum() - near_lengths.sum())
        return Levels(ranked[starts].tolist(), summed.tolist(), beyond, window)
    totals: dict[int, int] = {}
    for gap, run in zip(near.tolist(), np.flatnonzero(inside).tolist(), strict=True):
        totals[gap] = totals.get(gap, 0) + lengths[run]
    gaps_found = sorted(totals)
    beyond = sum(lengths) - sum(totals.values())
    return Levels(gaps_found, [totals[gap] for gap in gaps_found], beyond, window)


def decide(levels: Levels, base: Fraction, uniform: int, bits: int) -> int | None:
    """The level that holds U for every U in [uniform, uniform + 1) / 2^bits; None if undecided.

    Level j has the interval [C_{j-1}, C_j) / Z with C_j = sum of weights[i] * base^-gaps[i] over
    i <= j.  All sums are kept between integers: lower <= C * 2^bits <= upper.
    """
    shrink = PowerBounds(base, bits)
    lower_sums, upper_sums = [0], [0]
    low = high = 1 << bits
    last = 0
    for gap, weight in zip(levels.gaps, levels.weights, strict=True):
        step_low, step_high = shrink(gap - last)
        low = low * step_low >> bits
        high = -(-high * step_high >> bits)
        last = gap
        lower_sums.append(lower_sums[-1] + weight * low)
        upper_sums.append(upper_sums[-1] + weight * high)
    beyond = 0
    if levels.beyond:
        # Each further item weighs at most base^-(window + 1); the bound of the last level would do too.
        beyond = levels.beyond * -(-high * shrink(levels.window + 1 - last)[1] >> bits)
    return locate(lower_sums, upper_sums, beyond, uniform, bits)


def locate(
    lower_sums: Sequence[int], upper_sums: Sequence[int], beyond: int, uniform: int, bits: int
) -> int | None:
    """The j for which C_j <= U Z < C_(j+1) is certain; None if there may be others.

    C_0 = 0, and C_j lies between ``lower_sums[j]`` and ``upper_sums[j]``.  So does Z, up to at most
    ``beyond``, for the last j.  U is in [uniform, uniform + 1) / 2^bits.
    """
    # U Z lies in [start, stop) / 2^bits, whatever U's further bits and the true sums are.
    start, stop = uniform * lower_sums[-1], (uniform + 1) * (upper_sums[-1] + beyond)
    j = bisect_right(upper_sums, start >> bits) - 1
    # Certain: C_j is at most start, and stop at most C_(j+1).
    if j + 1 < len(lower_sums) and stop <= lower_sums[j + 1] << bits:
        return j
    return None


def draw_item(
    errors: NDArray[np.int64],
    lengths: Lengths,
    base: Fraction,
    rng: random.Random,
) -> int:
    """Draw an item, numbered through all runs, with probability exactly ~ base^-errors.

    ``errors[r]`` is the score of the ``lengths[r]`` >= 1 items of run r (one each if None); ``base``
    is a rational >= 1.  It takes about 10 ms for a million items, whatever their scores.
    """
    count = len(errors) if lengths is None else total(lengths)
    bits = 32 + count.bit_length()
    uniform = rng.getrandbits(bits)
    while True:
        levels = group(errors, lengths, window_of(base, bits))
        level = decide(levels, base, uniform, bits)
        if level is not None:
            break
        uniform = uniform << bits | rng.getrandbits(bits)
        bits *= 2
    return item_of(errors, lengths, levels.gaps[level], levels.weights[level], rng)


def draw_sum(groups: Groups, base: Fraction, rng: random.Random) -> tuple[Any, ...]:
    """Draw (g, i, j, ...) with probability exactly ~ base^-(errors of i in part 0 of g + of j + ...).

    Group g is drawn first: its mass is the product of the masses of its parts, each known between
    bounds at p bits.  Given the group, its parts are independent.  An item of each part is drawn by
    `draw_item`, or by this function again if the part is a sum.
    """
    count = sum(map(sum, counts_of(groups)))
    bits = 32 + len(groups[0]) * count.bit_length()
    uniform = rng.getrandbits(bits)
    while True:
        lower_sums, upper_sums = _sums_of(groups, base, bits)
        g = locate(lower_sums, upper_sums, 0, uniform, bits)
        if g is not None:
            # Given the group, the parts are independent (docs/proofs/exponential-mechanism.md,
            # Theorem 6).
            return g, *(_draw_part(scores_of(part), base, rng) for part in groups[g])
        uniform = uniform << bits | rng.getrandbits(bits)
        bits *= 2


def _draw_part(part: Scores, base: Fraction, rng: random.Random) -> Any:
    if isinstance(part, ErrorSums):
        return draw_sum(part.groups, base, rng)
    return draw_item(part.errors, part.lengths, base, rng)


def _sums_of(groups: Groups, base: Fraction, bits: int) -> tuple[list[int], list[int]]:
    """Bounds of 2^bits base^b times the mass of the groups before each; b is the fewest errors."""
    shrink, window = PowerBounds(base, bits), window_of(base, bits)
    nested: dict[int, tuple[int, int]] = {}  # a sum may be a part of several groups
    tables: dict[int, PowerDigits] = {}

    def bounds_of(part: Scores) -> tuple[int, int]:
        if not isinstance(part, ErrorSums):
            return mass_bounds(group(part.errors, part.lengths, window), shrink, bits)
        if id(part) not in nested:
            lowers, uppers = sums_of(part.groups)
            nested[id(part)] = lowers[-1], uppers[-1]
        return nested[id(part)]

    def bounds_of_groups(
        groups: Groups, near: Sequence[int]
    ) -> Iterable[Iterable[tuple[int, int]]]:
        if isinstance(groups, StumpPairs):
            stop = min(window + 1, 1 << int(groups.totals.sum()).bit_length())
            if stop <= _MOST_POWERS:
                if stop not in tables:
                    tables[stop] = PowerDigits(shrink, stop, bits)
                step = max(1, _AT_ONCE // groups.size)  # so that the errors stay in fast memory
                chunks = (near[i : i + step] for i in range(0, len(near), step))
                return chain.from_iterable(stump_bounds(groups, c, tables[stop]) for c in chunks)
        return (map(bounds_of, map(scores_of, groups[g])) for g in near)

    def sums_of(groups: Groups) -> tuple[list[int], list[int]]:
        least = list(map(sum, leasts_of(groups)))
        best = min(least)
        lower_sums, upper_sums = [0], [0]
        near = [g for g, errors in enumerate(least) if errors - best <= window]
        bounds = iter(bounds_of_groups(groups, near))
        for errors, counts in zip(least, counts_of(groups), strict=True):
            low, high = shrink(errors - best)
            if errors - best > window:  # one bound for all items spares the counting
                low, high = 0, high * prod(counts)
            else:
                for part_low, part_high in next(bounds):
                    low, high = low * part_low >> bits, -(-high * part_high >> bits)
            lower_sums.append(lower_sums[-1] + low)
            upper_sums.append(upper_sums[-1] + high)
        return lower_sums, upper_sums

    return sums_of(groups)


def stump_bounds(
    groups: StumpPairs, near: Sequence[int], powers: PowerDigits
) -> Iterable[Iterable[tuple[int, int]]]:
    """`mass_bounds` of both parts of these groups, all at once."""
    stop, found = powers.stop, []
    places = np.array(near)
    least = np.array([groups.leasts[g] for g in near]).T
    few = stop < 4 * groups.size  # few gaps differ, so they are counted
    rows = np.arange(len(near)) * (stop + 1 if few else 0)
    for gaps in groups.errors(places, rows - least):
        np.minimum(gaps, (rows + stop)[:, None], out=gaps)
        if few:
            counts = np.bincount(gaps.ravel(), minlength=len(near) * (stop + 1))
            counts = counts.reshape(len(near), stop + 1)
            sums, beyond = counts @ powers.digits, counts[:, stop]
        else:
            sums = np.stack([digit.take(gaps).sum(axis=1) for digit in powers.digits.T], axis=1)
            beyond = np.count_nonzero(gaps == stop, axis=1)
        # Digit by digit, these are sums of whole numbers below 2^63.
        lows = [0] * len(near)
        for digits in reversed(sums.T.tolist()):
            lows = [(low << 32) + digit for low, digit in zip(lows, digits, strict=True)]
        slack = groups.size * powers.slack
        highs = [
            low + slack + b * powers.last for low, b in zip(lows, beyond.tolist(), strict=True)
        ]
        found.append(zip(lows, highs, strict=True))
    return zip(*found, strict=True)


def mass_bounds(levels: Levels, shrink: PowerBounds, bits: int) -> tuple[int, int]:
    """Integers low <= 2^bits * (sum of weight * base^-gap over all items) <= high."""
    low = high = 0
    for gap, weight in zip(levels.gaps, levels.weights, strict=True):
        power_low, power_high = shrink(gap)
        low, high = low + weight * power_low, high + weight * power_high
    if levels.beyond:
        high += levels.beyond * shrink(levels.window + 1)[1]
    return low, high


def item_of(
    errors: NDArray[np.int64],
    lengths: Lengths,
    gap: int,
    weight: int,
    rng: random.Random,
) -> int:
    """Draw one of the ``weight`` items that lie ``gap`` below the best, uniformly."""
    runs = np.flatnonzero(errors == errors.min() + gap)
    # Items of one level have equal scores, so the choice among them is uniform.
    item = rng.randrange(weight)
    if lengths is None:
        return int(runs[item])
    stops = list(accumulate(int(lengths[run]) for run in runs.tolist()))
    k = bisect_right(stops, item)
    run = int(runs[k])
    return total(lengths[:run]) + item - (stops[k] - int(lengths[run]))


def window_of(base: Fraction, bits: int) -> int:
    """A gap beyond which base^-gap < 2^-bits, up to a constant; any value is correct."""
    a, b = base.numerator, base.denominator
    if a == b:
        return 2**62
    # ln(base) >= (a - b) / a, so base^(bits * a / (a - b)) >= 2^bits.
    return min(2**62, bits * a // (a - b) + 1)


_MOST_POWERS = 1 << 20  # written down; some seconds
_AT_ONCE = 1 << 15


class PowerDigits:
    """The lower bounds of 2^bits base^-k for k < ``stop``, as rows of digits to the base 2^32.

    An upper bound is larger by at most ``slack``.  The row of ``stop`` is 0: larger gaps weigh at most
    ``last``.
    """

    def __init__(self, shrink: PowerBounds, stop: int, bits: int) -> None:
        self.stop, self.last = stop, shrink(stop)[1]
        # A product of two powers for each gap, as in `PowerBounds`, in arrays of Python's integers.
        size = 1 << _DIGIT
        one = np.array([shrink(k) for k in range(min(size, stop))], object)
        other = np.array([shrink(k) for k in range(0, stop, size)], object)
        products = (other[:, None] * one).reshape(-1, 2)[:stop]
        lows, highs = products[:, 0] >> bits, -(-products[:, 1] >> bits)
        self.slack = int(max(highs - lows))
        lows = np.append(lows, 0)
        digits = range(0, bits + 1, 32)  # 2^bits itself is a value, at the gap 0
        self.digits = np.array([lows >> shift & 0xFFFFFFFF for shift in digits]).T.astype(np.int64)


_DIGIT = 10  # bits


class PowerBounds:
    """Integers low <= base^-k * 2^bits <= high, for each k asked for.

    The power is a product of one for each digit of k to the base 2^10.  Only the powers of digits are
    kept, because as many different k may be asked for as there are items.
    """

    def __init__(self, base: Fraction, bits: int) -> None:
        self._bits = bits
        low = (base.denominator << bits) // base.numerator
        exact = low * base.numerator == base.denominator << bits
        one = 1 << bits, 1 << bits
        self._digits = [[one, (low, low + (not exact))]]  # for each place the powers of 0, 1, ...

    def __call__(self, k: int) -> tuple[int, int]:
        found, place = self._power(0, k & (1 << _DIGIT) - 1), 0
        while k := k >> _DIGIT:
            place += 1
            digit = k & (1 << _DIGIT) - 1
            if digit:
                found = self._times(found, self._power(place, digit))
        return found

    def _power(self, place: int, digit: int) -> tuple[int, int]:
        """The bounds for digit * 2^(10 place)."""
        while len(self._digits) <= place:
            last = len(self._digits) - 1
            step = self._times(self._power(last, (1 << _DIGIT) - 1), self._power(last, 1))
            self._digits.append([self._digits[0][0], step])
        powers = self._digits[place]
        while len(powers) <= digit:
            powers.append(self._times(powers[-1], powers[1]))
        return powers[digit]

    def _times(self, one: tuple[int, int], other: tuple[int, int]) -> tuple[int, int]:
        return one[0] * other[0] >> self._bits, -(-one[1] * other[1] >> self._bits)
