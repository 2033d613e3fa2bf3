"""The draw of sums of errors is exact: groups, then parts; and undecided bits are refined."""

import random
from collections.abc import Callable, Sequence
from fractions import Fraction
from itertools import product
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from exact_draws import Draws, apart
from littlestone.privacy.mechanisms.scores.exponential import ExponentialMechanism
from littlestone.privacy.samplers import selection
from littlestone.privacy.samplers.selection import PowerBounds, draw_sum, group, mass_bounds
from littlestone.privacy.scores import ErrorSums
from littlestone.prove.audit.choices import follow
from scripted import Bits

Groups = list[list[list[int]]]

SHAPES: list[Groups] = [
    [[[0, 1], [0, 2]], [[1], [0, 3]]],
    [[[5, 5, 5], [5]], [[0], [10, 10]], [[7, 3], [3, 7]]],
    [[[0], [0], [1]], [[2, 0], [1], [0, 0, 0]]],
    [[[4], [4]]],
    [[[0], [0]], [[60], [0]], [[100], [100]]],
]


def arrays(groups: Groups) -> list[list[Any]]:
    return [[np.array(part) for part in parts] for parts in groups]


def law_of(groups: Groups, base: Fraction) -> dict[tuple[int, ...], Fraction]:
    """The definition."""
    weights = {}
    for g, parts in enumerate(groups):
        for places in product(*(range(len(part)) for part in parts)):
            errors = sum(part[i] for part, i in zip(parts, places, strict=True))
            weights[g, *places] = base**-errors
    total = sum(weights.values())
    return {item: weight / total for item, weight in weights.items()}


@pytest.mark.parametrize("base", [Fraction(1), Fraction(13, 10), Fraction(10**9)])
@pytest.mark.parametrize("groups", SHAPES)
def test_sums_have_their_exact_law(groups: Groups, base: Fraction) -> None:
    """Along all bits: the draw of the group by its own code, and each part by its definition."""
    law, left_out = Draws().law(lambda rng: draw_sum(arrays(groups), base, rng))
    assert apart(law, law_of(groups, base)) <= left_out < Fraction(1, 10**6)


def test_sums_are_followed_to_the_last_bit() -> None:
    """Every outcome is at least nearly as likely as it should be, and none more than that."""
    base = Fraction(13, 10)
    law = law_of(SHAPES[0], base)
    found = follow(lambda rng: draw_sum(arrays(SHAPES[0]), base, rng), 3000)
    assert all(mass <= law[item] for item, mass in found.items())
    assert sum(found.values()) > 1 - Fraction(1, 10**4)


grouped = st.lists(
    st.lists(st.lists(st.integers(0, 9), min_size=1, max_size=3), min_size=2, max_size=2),
    min_size=1,
    max_size=3,
)


@settings(max_examples=60, deadline=None)
@given(grouped, st.sampled_from([Fraction(3, 2), Fraction(11, 10), Fraction(2)]))
def test_random_sums_have_their_exact_law(groups: Groups, base: Fraction) -> None:
    law, left_out = Draws().law(lambda rng: draw_sum(arrays(groups), base, rng))
    assert apart(law, law_of(groups, base)) <= left_out


@pytest.mark.parametrize("window", [1, 3])
def test_a_window_changes_no_group(window: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Groups and items beyond it are bounded, and each refinement widens it."""
    monkeypatch.setattr(selection, "window_of", lambda base, bits: window * bits // 32)
    groups, base = [[[0, 5], [0]], [[2], [2, 3]], [[1, 0], [9]]], Fraction(3, 2)
    law, left_out = Draws().law(lambda rng: draw_sum(arrays(groups), base, rng))
    assert apart(law, law_of(groups, base)) <= left_out < Fraction(1, 10**6)


def p_value(sampler: Callable[..., Any], groups: Groups) -> float:
    base, rng = Fraction(13, 10), random.Random(7)
    law = law_of(groups, base)
    drawn = dict.fromkeys(law, 0)
    for _ in range(4000):
        drawn[sampler(arrays(groups), base, rng)] += 1
    kept = [item for item in law if law[item] * 4000 >= 5]
    seen = [*(drawn[item] for item in kept), 4000 - sum(drawn[item] for item in kept)]
    expected = [*(float(law[item]) * 4000 for item in kept)]
    rest = 4000 - sum(expected)
    if rest > 1:
        return float(stats.chisquare(seen, [*expected, rest]).pvalue)
    return float(
        stats.chisquare(seen[:-1], np.array(expected) * sum(seen[:-1]) / sum(expected)).pvalue
    )


@pytest.mark.parametrize("groups", SHAPES[:3])
def test_frequencies(groups: Groups) -> None:
    assert p_value(draw_sum, groups) > 1e-4


def by_best_items(groups: Sequence[Sequence[Any]], base: Fraction, rng: random.Random) -> Any:
    least = [sum(int(part.min()) for part in parts) for parts in groups]
    g = selection.draw_item(np.array(least), None, base, rng)
    return g, *(selection.draw_item(part, None, base, rng) for part in groups[g])


def parts_alike(groups: Sequence[Sequence[Any]], base: Fraction, rng: random.Random) -> Any:
    g, *places = draw_sum(groups, base, rng)
    return g, *(places[0] % len(part) for part in groups[g])


def doubled(groups: Sequence[Sequence[Any]], base: Fraction, rng: random.Random) -> Any:
    return draw_sum([[2 * part for part in parts] for parts in groups], base, rng)


@pytest.mark.deep
@pytest.mark.parametrize("plant", [by_best_items, parts_alike, doubled])
def test_a_biased_sampler_is_caught(plant: Callable[..., Any]) -> None:
    assert min(p_value(plant, groups) for groups in SHAPES[:3]) < 1e-9


@pytest.mark.parametrize(("more", "index"), [(0, 0), (2**38 - 1, 1)])
def test_a_draw_of_sums_reads_more_bits(more: int, index: int) -> None:
    # The better of two groups has the share 3/5, which lies inside this cell of 38 bits.
    groups = arrays([[[0], [0]], [[1], [0]]])
    rng = Bits(3 * 2**38 // 5, more)
    assert draw_sum(groups, Fraction(3, 2), rng)[0] == index
    assert rng.asked[:2] == [38, 38]


def test_what_is_rounded_off_many_groups_adds_up() -> None:
    """Forty groups weigh 90 of 2^48 together; each product of masses is no whole number of these."""
    few: Groups = [[[48, 49], [0, 1]]] * 40
    rng = Bits(2**48 - 60)
    assert draw_sum(arrays([[[0], [0]], *few]), Fraction(2), rng)[0] > 0
    assert rng.asked[:2] == [48, 48]


def test_masses_lie_between_their_bounds() -> None:
    rng = np.random.default_rng(1)
    for bits in (1, 8, 40):
        for base in (Fraction(1), Fraction(11, 10), Fraction(7, 2)):
            errors = rng.integers(0, 60, 30)
            mass = sum(base ** -int(e - errors.min()) for e in errors) * 2**bits
            for window in (0, 5, 10**6):
                low, high = mass_bounds(group(errors, None, window), PowerBounds(base, bits), bits)
                assert low <= mass <= high


def test_sums_of_products_lie_between_their_bounds(monkeypatch: pytest.MonkeyPatch) -> None:
    """At few bits, with and without a window, and with sums as parts of sums."""
    # At five bits, 2^-3 is exact and (1 + 2^-3)^2 is not.
    shapes = [*SHAPES, [[[0, 3], [0, 3]]]]
    bases = Fraction(11, 10), Fraction(2)
    for base, bits, groups, window in product(bases, (1, 5, 12), shapes, (None, 0, 3)):
        inner = ErrorSums(arrays(SHAPES[0]), lambda place: place)
        nested: list[list[Any]] = [*arrays(groups), [inner]]
        if window is not None:
            monkeypatch.setattr(selection, "window_of", lambda base, bits, w=window: w)
        low, high = selection._sums_of(nested, base, bits)
        monkeypatch.undo()
        terms = [[sum(errors) for errors in product(*parts)] for parts in groups]
        terms.append([sum(errors) for parts in SHAPES[0] for errors in product(*parts)])
        least = min(map(min, terms))
        mass = Fraction(0)
        for g, errors in enumerate(terms):
            assert low[g] <= mass * 2**bits <= high[g]
            mass += sum(base ** (least - e) for e in errors)
        assert low[-1] <= mass * 2**bits <= high[-1]


def test_astronomic_errors() -> None:
    groups = [[np.array([10**15, 0]), np.array([10**17])], [np.array([10**18]), np.array([3])]]
    assert draw_sum(groups, Fraction(3, 2), random.Random(3)) == (0, 1, 0)


def test_the_mechanism_draws_and_says_the_same() -> None:
    mechanism = ExponentialMechanism(Fraction(1))
    for groups in SHAPES:
        sums = ErrorSums(arrays(groups))
        assert mechanism.distribution_of_sums(sums) == law_of(groups, mechanism.base)
        law = law_of(groups, Fraction(2))
        assert law[sums.best] == max(law.values())
