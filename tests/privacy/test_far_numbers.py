"""Samplers where no small audit looks: wide scores, many ties, long gaps, noise at a tiny epsilon."""

from __future__ import annotations

import math
import random
from collections import Counter
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from littlestone.privacy.rational import exp_below
from littlestone.privacy.samplers import selection
from littlestone.privacy.samplers.noise import discrete_laplace, geometric, laplace_at_least
from littlestone.privacy.samplers.reals import Real
from littlestone.privacy.samplers.selection import PowerBounds, group, item_of
from littlestone.privacy.scores import ErrorRuns
from planting import Fault, turns_red
from scripted import FirstBits

SAMPLERS = "littlestone.privacy.samplers"
THOUSANDTH = Fraction(1, 1000)


def test_scores_far_apart_keep_their_numbers() -> None:
    """Errors of 3,000 records on a few items are farther apart than any table of counts is long."""
    rng = np.random.default_rng(1)
    for spread in (3_000, 300_000, 10**12):
        errors = rng.integers(0, spread, 40)[rng.integers(0, 40, 90)]
        window = spread // 2
        lengths = rng.integers(1, 9, 90)
        for given in (None, lengths, lengths.tolist()):
            each = np.ones(90, int) if given is None else lengths
            expected: Counter[int] = Counter()
            for error, length in zip(errors.tolist(), each.tolist(), strict=True):
                expected[error - int(errors.min())] += length
            inside = {gap: n for gap, n in sorted(expected.items()) if gap <= window}
            found = group(errors, given, window)
            assert dict(zip(found.gaps, found.weights, strict=True)) == inside
            assert found.beyond == int(each.sum()) - sum(inside.values())


class Picks(random.Random):
    """A generator whose whole numbers below ``n`` are all ``pick``."""

    def __init__(self, pick: int) -> None:
        super().__init__(0)
        self.pick = pick

    def randrange(self, n: int) -> int:  # type: ignore[override]
        assert self.pick < n
        return self.pick


def test_every_one_of_many_ties_is_drawn() -> None:
    errors = np.array([5, 2] * 400)
    lengths = np.arange(800) % 3 + 1
    runs: Any
    for runs in (None, lengths, lengths.tolist()):
        each = np.ones(800, int) if runs is None else lengths
        items = np.flatnonzero(np.repeat(errors, each) == 2).tolist()
        drawn = [item_of(errors, runs, 0, len(items), Picks(i)) for i in range(len(items))]
        assert drawn == items


def test_powers_of_long_gaps_are_bounded() -> None:
    base, bits = exp_below(Fraction(1, 2**21)), 96
    shrink, exact = PowerBounds(base, bits), Real.of(1 / base)
    for gap in (2**20 - 1, 2**20, 2**20 + 5, 3 * 2**20 + 2**10, 2**24 + 1, 2**31):
        low, high = shrink(gap)
        least, most = exact.power(gap).enclose(bits)
        assert low <= most
        assert high >= least
        assert high - low < 2**40


@pytest.mark.parametrize("epsilon", [THOUSANDTH, Fraction(1, 100), Fraction(1), Fraction(9)])
def test_noise_is_the_inverse_of_a_uniform(epsilon: Fraction) -> None:
    """Three uniform numbers: whether it is 0, how far away it is, and on which side."""
    a = 1 / exp_below(epsilon)
    for u in (Fraction(2 * i + 1, 256) for i in range(128)):
        size = 1 + math.floor(math.log(u) / math.log(a))
        for side in (0, 1):
            rng = Steps([1 - Fraction(1, 2**200), u], side)
            assert discrete_laplace(a, rng) == (size if side else -size)


class Steps(random.Random):
    """A generator that gives the bits of one uniform number after the other, and then a side."""

    def __init__(self, numbers: list[Fraction], side: int) -> None:
        super().__init__(0)
        self.numbers = [FirstBits(number) for number in numbers]
        self.side = side

    def getrandbits(self, k: int) -> int:
        if k == 1:
            return self.side
        if k == 32:  # a new number
            self.now = self.numbers.pop(0)
        return self.now.getrandbits(k)


def test_tails_of_noise_are_exact_far_away() -> None:
    a = 1 / exp_below(THOUSANDTH)
    for x in (-9000, -2000, -513, 0, 1, 513, 2000, 9000):
        tail = float(a) ** abs(x if x >= 1 else 1 - x) / (1 + float(a))
        low, high = laplace_at_least(a, x).enclose(64)
        exact = tail if x >= 1 else 1 - tail
        assert low / 2**64 == pytest.approx(exact, rel=1e-9, abs=0)
        assert high / 2**64 == pytest.approx(exact, rel=1e-9, abs=0)


def test_long_powers_are_exact() -> None:
    for k in (2**16, 2**16 + 1, 2**20, 10**7):
        low, high = Real.of(1 - Fraction(1, 10**6)).power(k).enclose(64)
        expected = math.exp(k * math.log1p(-1e-6))
        assert low / 2**64 == pytest.approx(expected, rel=1e-9, abs=0)
        assert high / 2**64 == pytest.approx(expected, rel=1e-9, abs=0)


@pytest.mark.parametrize("most", [3, 200, 255, 5000])
def test_a_rare_wait_of_few_trials_is_the_inverse_of_a_uniform(most: int) -> None:
    a = 1 - Fraction(1, 4096)
    for u in (Fraction(2 * i + 1, 256) for i in range(128)):
        expected = min(most, math.floor(math.log(u) / math.log(a)))
        assert geometric(Real.of(a), FirstBits(u), most=most) == expected


class Uniform(FirstBits):
    """The bits of one number in [0, 1), then the first of all equal items."""

    def randrange(self, n: int) -> int:  # type: ignore[override]
        return 0


@pytest.mark.parametrize("epsilon", [THOUSANDTH, Fraction(1, 100), Fraction(1), Fraction(30)])
@pytest.mark.parametrize("form", ["none", "array", "list"])
def test_a_draw_among_thousands_of_levels_inverts_its_law(epsilon: Fraction, form: str) -> None:
    """Against sums of floats, in the middle of levels, so that rounding does not matter."""
    base, rng = exp_below(epsilon / 2), np.random.default_rng(1)
    errors = rng.permutation(5_000)
    lengths = np.ones(5_000, int) if form == "none" else rng.integers(1, 10**10, 5_000)
    given = {"none": None, "array": lengths, "list": lengths.tolist()}[form]
    order = np.argsort(errors)
    weights = lengths[order] * np.exp(-float(math.log(base)) * np.arange(5_000))
    sums = np.concatenate([[0.0], np.cumsum(weights)]) / weights.sum()
    starts = np.concatenate([[0], np.cumsum(lengths)])
    for u in np.arange(0.005, 1, 0.01):
        level = int(np.searchsorted(sums, u, side="right")) - 1
        middle = Fraction((sums[level] + sums[level + 1]) / 2)
        drawn = selection.draw_item(errors, given, base, Uniform(middle))
        assert drawn == starts[order[level]]


@pytest.mark.deep
@pytest.mark.parametrize("epsilon", [THOUSANDTH, Fraction(1)])
def test_a_draw_among_many_sums_inverts_its_law(epsilon: Fraction) -> None:
    base, rng = exp_below(epsilon / 2), np.random.default_rng(1)
    groups = [[ErrorRuns(rng.integers(0, 2_000, 3)) for _ in range(3)] for _ in range(600)]
    slope = float(math.log(base))
    masses = [
        math.prod(float(np.exp(-slope * part.errors).sum()) for part in parts) for parts in groups
    ]
    sums = np.concatenate([[0.0], np.cumsum(masses)]) / sum(masses)
    for u in np.arange(0.005, 1, 0.02):
        g = int(np.searchsorted(sums, u, side="right")) - 1
        middle = Fraction((sums[g] + sums[g + 1]) / 2)
        assert selection.draw_sum(groups, base, Uniform(middle))[0] == g


FAULTS = {
    Fault(
        f"{SAMPLERS}.selection:group",
        "np.diff(starts, append=len(ranked)).tolist()",
        "[1] * len(starts)",
        "each of several equal scores that are far apart counts as one item",
    ): test_scores_far_apart_keep_their_numbers,
    Fault(
        f"{SAMPLERS}.selection:item_of",
        "rng.randrange(weight)",
        "rng.randrange(weight - (weight > 300))",
        "the last of more than 300 ties is never drawn",
    ): test_every_one_of_many_ties_is_drawn,
    Fault(
        f"{SAMPLERS}.selection:item_of",
        "k = bisect_right(stops, item)",
        "k = min(bisect_right(stops, item), 300)",
        "of more than 300 tied runs the first ones are drawn",
    ): test_every_one_of_many_ties_is_drawn,
    Fault(
        f"{SAMPLERS}.selection:PowerBounds.__call__",
        "if digit:",
        "if digit and place < 2:",
        "a gap of 2^20 weighs as one of 0",
    ): test_powers_of_long_gaps_are_bounded,
    Fault(
        f"{SAMPLERS}.noise:discrete_laplace",
        "geometric(Real.of(a), rng)",
        "geometric(Real.of(a), rng, most=64)",
        "noise stops at 65",
    ): lambda: test_noise_is_the_inverse_of_a_uniform(THOUSANDTH),
    Fault(
        f"{SAMPLERS}.noise:discrete_laplace",
        "if rng.getrandbits(1)",
        "if size > 1000 or rng.getrandbits(1)",
        "large noise is positive",
    ): lambda: test_noise_is_the_inverse_of_a_uniform(THOUSANDTH),
    Fault(
        f"{SAMPLERS}.noise:laplace_at_least",
        "x if x >= 1 else 1 - x",
        "min(x, 512) if x >= 1 else min(1 - x, 512)",
        "tails stop falling at 512",
    ): test_tails_of_noise_are_exact_far_away,
    Fault(
        f"{SAMPLERS}.noise:geometric",
        "x <= most else",
        "x < most else",
        "a wait never takes as long as it may",
    ): lambda: test_a_rare_wait_of_few_trials_is_the_inverse_of_a_uniform(200),
    Fault(
        f"{SAMPLERS}.reals:Real.power",
        "power_of(self.enclose(bits + extra), k, ",
        "power_of(self.enclose(bits + extra), min(k, 1 << 16), ",
        "powers stop at 2^16",
    ): test_long_powers_are_exact,
    Fault(
        f"{SAMPLERS}.selection:locate",
        "return j",
        "return min(j, 1000)",
        "the levels after the first 1,000 are never drawn",
    ): lambda: test_a_draw_among_thousands_of_levels_inverts_its_law(THOUSANDTH, "none"),
    Fault(
        f"{SAMPLERS}.selection:group",
        "near_lengths = lengths[inside]",
        "near_lengths = lengths[inside].astype(np.int32)",
        "the lengths of runs have 32 bits",
    ): lambda: test_a_draw_among_thousands_of_levels_inverts_its_law(THOUSANDTH, "array"),
    Fault(
        f"{SAMPLERS}.selection:_sums_of",
        "map(scores_of, groups[g])",
        "map(scores_of, groups[g][: 1 if len(groups) > 300 else None])",
        "one part of each of many groups weighs",
    ): lambda: test_a_draw_among_many_sums_inverts_its_law(THOUSANDTH),
}


@pytest.mark.deep
@pytest.mark.parametrize("fault", FAULTS, ids=lambda fault: fault.mistake)
def test_each_fault_turns_red(fault: Fault, monkeypatch: pytest.MonkeyPatch) -> None:
    turns_red(fault, FAULTS[fault], monkeypatch)
