"""The draw of sums of errors is exact: groups, then parts; and undecided bits are refined."""

import random
from collections.abc import Callable, Sequence
from fractions import Fraction
from itertools import product
from math import prod
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from exact_draws import Draws, apart
from littlestone.classes import parse_class
from littlestone.data.sample import Sample
from littlestone.privacy import scores
from littlestone.privacy.mechanisms.exponential import ExponentialMechanism
from littlestone.privacy.samplers import selection
from littlestone.privacy.samplers.selection import (
    PowerBounds,
    PowerDigits,
    draw_sum,
    group,
    mass_bounds,
    stump_bounds,
)
from littlestone.privacy.scores import ErrorSums, StumpPairs, counts_of
from littlestone.prove.audit.choices import follow
from planting import Fault, turns_red
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


def counts_of_pairs(rng: random.Random, conditions: int, labels: int, n: int) -> StumpPairs:
    """The counts of random examples, each of which obeys some of the conditions."""
    obeyed = np.array([[rng.randrange(2) for _ in range(conditions)] for _ in range(n)])
    y = np.array([rng.randrange(labels) for _ in range(n)])
    of_label = [
        obeyed.reshape(n, conditions)[y == label].astype(np.int64) for label in range(labels)
    ]
    return StumpPairs(np.array([x.T @ x for x in of_label]), np.array([len(x) for x in of_label]))


@pytest.mark.parametrize(("labels", "at_once"), [(2, 1 << 18), (3, 100), (2, 1)])
def test_pairs_of_stumps_err_as_counted(
    labels: int, at_once: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What is worked out for all groups, or for two or one at a time, is what each group says."""
    monkeypatch.setattr(scores, "_AT_ONCE", at_once)
    pairs = counts_of_pairs(random.Random(labels), 5, labels, 40)
    assert len(pairs) == 5
    assert pairs.size == 5 * labels**2
    assert pairs.leasts == [[int(part.min()) for part in parts] for parts in pairs]
    some, shifts = np.array([1, 4]), np.array([[0, 0], [7, 2]])
    for half, errors in enumerate(pairs.errors(some, list(shifts))):
        for g, row, shift in zip(some.tolist(), errors, shifts[half], strict=True):
            assert sorted(row.tolist()) == sorted((pairs[g][half] + shift).tolist())
    assert counts_of(pairs) == [[pairs.size] * 2] * 5
    sums = ErrorSums(pairs)
    assert sums.least == min(map(sum, pairs.leasts))
    assert sums.count == 5 * pairs.size**2
    g, i, j = sums.best
    assert pairs[g][0][i] + pairs[g][1][j] == sums.least


def test_the_leasts_of_a_thousand_groups(monkeypatch: pytest.MonkeyPatch) -> None:
    """So many are worked out in several parts, of which the last one is shorter."""

    def are_those_of_each() -> None:
        pairs = counts_of_pairs(random.Random(5), 1100, 2, 30)
        assert len(pairs) * pairs.size > 15 * scores._AT_ONCE
        for g in (0, 58, 59, 60, 530, 531, 700, 1098, 1099):
            assert pairs.leasts[g] == [int(part.min()) for part in pairs[g]]

    fault = Fault(
        "littlestone.privacy.scores:StumpPairs.leasts",
        "np.concatenate(right, axis=1)",
        "np.concatenate([*right[:9], *right[9:-1][::-1], *right[-1:]], axis=1)",
        "from the tenth part on the order is reversed",
    )
    turns_red(fault, are_those_of_each, monkeypatch)


@pytest.mark.parametrize("n", [0, 1, 30])
@pytest.mark.parametrize("base", [Fraction(1), Fraction(13, 10), Fraction(1001, 1000)])
def test_masses_of_all_pairs_at_once(base: Fraction, n: int) -> None:
    """They lie around the exact sums, as closely as those of one part."""
    pairs = counts_of_pairs(random.Random(n), 6, 2, n)
    for bits, stop in product((40, 104, 300), (1, 2, 7, 64, 600)):
        shrink, near = PowerBounds(base, bits), [0, 2, 5]
        found = stump_bounds(pairs, near, PowerDigits(shrink, stop, bits))
        for g, bounds in zip(near, found, strict=True):
            for part, (low, high) in zip(pairs[g], bounds, strict=True):
                gaps = (part - part.min()).tolist()
                exact = sum(base**-gap for gap in gaps) * 2**bits
                assert low <= exact <= high
                if stop > max(gaps):
                    assert high - low <= 2 * (stop + 8) * pairs.size


def mass_of(part: Any, base: Fraction) -> Fraction:
    """The definition, of sums of sums too."""
    if isinstance(part, ErrorSums):
        products = (
            prod((mass_of(p, base) for p in parts), start=Fraction(1)) for parts in part.groups
        )
        return sum(products, Fraction(0))
    return sum((base**-errors for errors in part.tolist()), Fraction(0))


def has_law_of_groups(groups: Any, base: Fraction) -> bool:
    """Whether the first step of the draw, along its own bits, has its exact law."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(selection, "_draw_part", lambda part, base, rng: 0)
        law, left_out = Draws().law(lambda rng: draw_sum(groups, base, rng)[0])
    masses = [prod((mass_of(p, base) for p in parts), start=Fraction(1)) for parts in groups]
    expected = {g: own / sum(masses, Fraction(0)) for g, own in enumerate(masses)}
    return apart(law, expected) <= left_out < Fraction(1, 10**6)


@pytest.mark.parametrize("base", [Fraction(1), Fraction(13, 10), Fraction(10**6 + 1, 10**6)])
def test_digits_are_those_of_the_powers(base: Fraction) -> None:
    for bits, stop in product((40, 104), (1, 64, 1025, 3000)):
        shrink = PowerBounds(base, bits)
        powers, bounds = PowerDigits(shrink, stop, bits), [shrink(gap) for gap in range(stop)]
        lows = [sum(d << 32 * i for i, d in enumerate(row)) for row in powers.digits.tolist()]
        assert lows == [*(low for low, _ in bounds), 0]
        assert powers.slack == max(high - low for low, high in bounds)
        assert powers.last == shrink(stop)[1]


@pytest.mark.parametrize(("most", "window"), [(1 << 20, 0), (0, 0), (1 << 20, 32), (1 << 20, 8)])
def test_pairs_of_stumps_have_their_exact_law(
    most: int, window: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Alone, and as parts of sums; also where a window cuts, and where too many powers are needed."""
    monkeypatch.setattr(selection, "_MOST_POWERS", most)
    if window:
        monkeypatch.setattr(selection, "window_of", lambda base, bits: bits // window)
    one, other = (counts_of_pairs(random.Random(n), 3, 2, n) for n in (4, 9))
    nested = [[ErrorSums(one), ErrorSums(other)], [np.array([3, 1]), ErrorSums(one)]]
    for groups in (one, other, nested):
        assert has_law_of_groups(groups, Fraction(3, 2))


def test_a_root_weighs_as_much_as_its_trees() -> None:
    """The law of the root of a tree of depth 3, by its own bits, beside the sum of all trees."""
    H: Any = parse_class("trees(x: 0..3, s in {u}; depth 3)")
    rng, base = random.Random(2), Fraction(5, 4)
    examples = [((rng.choice("0123"), rng.choice("uv")), rng.randrange(2)) for _ in range(30)]
    scores = H.scores(Sample.from_examples(H.domain, examples))

    assert has_law_of_groups(scores.groups, base)


def test_a_tree_errs_as_often_as_its_two_halves() -> None:
    """Every root and both children of one tree, beside the tree's own labels."""
    H: Any = parse_class("trees(x: 0..3, s in {u}; depth 3)", labels=3)
    rng = random.Random(4)
    examples = [((rng.choice("0123"), rng.choice("uv")), rng.randrange(3)) for _ in range(30)]
    scores = H.scores(Sample.from_examples(H.domain, examples, labels=3))
    for root, one, other in product(range(len(H.splits)), repeat=3):
        yes, no = scores.groups[root]
        chosen = [rng.randrange(yes.groups.size) for _ in range(4)]
        parts = [*yes.groups[one], *no.groups[other]]
        h = H.hypothesis_of_item((root, (one, *chosen[:2]), (other, *chosen[2:])))
        errors = sum(part[i] for part, i in zip(parts, chosen, strict=True))
        assert errors == sum(h(x) != y for x, y in examples)


DEEP = "littlestone.classes.trees:_halves"
FAULTS = {
    Fault(DEEP, "pairs - inside", "pairs", "the second half has the records of the first, too"):
        test_a_tree_errs_as_often_as_its_two_halves,
    Fault(DEEP, "totals - own", "totals", "a half counts the labels of all records"):
        test_a_tree_errs_as_often_as_its_two_halves,
    Fault("littlestone.classes.counting.blocks:_repeat", "np.eye(cells, dtype=np.int64)",
          "np.ones((cells, cells), np.int64)", "a condition that is asked twice holds anew"):
        test_a_tree_errs_as_often_as_its_two_halves,
    Fault("littlestone.privacy.samplers.selection:_sums_of", "return nested[id(part)]",
          "return next(iter(nested.values()))", "all halves weigh as much as the first"):
        test_a_root_weighs_as_much_as_its_trees,
    Fault("littlestone.privacy.samplers.selection:stump_bounds",
          "zip(lows, highs, strict=True)",
          "found[0] if found else list(zip(lows, highs, strict=True))",
          "one side of a condition weighs as much as the other"):
        test_a_root_weighs_as_much_as_its_trees,
    Fault("littlestone.privacy.samplers.selection:_sums_of",
          "low, high = shrink(errors - best)", "low, high = shrink(0)",
          "what the best tree of a half lacks is forgotten"):
        test_a_root_weighs_as_much_as_its_trees,
    Fault("littlestone.privacy.samplers.selection:stump_bounds",
          "counts[:, stop]", "0 * counts[:, stop]", "what lies beyond the powers weighs nothing"):
        lambda: test_masses_of_all_pairs_at_once(Fraction(13, 10), 30),
}  # fmt: skip


@pytest.mark.parametrize("fault", FAULTS, ids=lambda fault: fault.mistake)
def test_each_fault_of_deep_trees_turns_red(fault: Fault, monkeypatch: pytest.MonkeyPatch) -> None:
    turns_red(fault, FAULTS[fault], monkeypatch)
