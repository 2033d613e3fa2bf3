"""Both selections of keys are (epsilon, delta)-DP: exact distributions on all small neighbours."""

import threading
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from fractions import Fraction
from functools import cached_property
from itertools import pairwise, product
from typing import Any

import pytest
from scipy.stats import chisquare

from littlestone.base.errors import DeclarationError, LedgerError
from littlestone.classes import parse_class
from littlestone.learn.lookup import PartitionLearner
from littlestone.learn.rounds import VocabularyLearner
from littlestone.privacy import Budget
from littlestone.privacy.ledger import Ledger
from littlestone.privacy.mechanisms.partition_selection import (
    KeyRelease,
    PartitionSelection,
    ReleaseCurve,
    SingleKeySelection,
)
from littlestone.privacy.randomness import seeded_generator
from littlestone.privacy.rational import exp_below
from littlestone.prove.audit.claims import hockey_stick

Scores = tuple[int, ...]
Release = KeyRelease[Any, Any]
PARAMETERS = [
    (Fraction(1, 2), Fraction(1, 5)),
    (Fraction(1), Fraction(1, 20)),
    (Fraction(3), Fraction(1, 100)),
    (Fraction(20), Fraction(9, 10)),
]


def length(curve: ReleaseCurve) -> int:
    """The least score that is released for certain."""
    return next(s for s in range(1000) if curve(s) == 1)


def moved(scores: Scores, changes: Mapping[int, int]) -> Scores:
    return tuple(score + changes.get(i, 0) for i, score in enumerate(scores))


def counts_of_positives(curve: ReleaseCurve, keys: int) -> Iterator[tuple[Scores, Scores]]:
    """One key may lose a positive record and one may gain one."""
    moves = [(), *((key,) for key in range(keys))]
    for scores in product(range(length(curve) + 1), repeat=keys):
        for down, up in product(moves, repeat=2):
            change = Counter(up)
            change.subtract(down)
            other = moved(scores, change)
            if min(other) >= 0 and other != scores:
                yield scores, other


def net_scores(curve: ReleaseCurve) -> Iterator[tuple[Scores, Scores]]:
    """Of two keys each may move by one, or one of them by two."""
    steps = [(-1, -1), (-1, 1), (1, -1), (1, 1), (2, 0), (-2, 0), (1, 0), (-1, 0)]
    for scores in product(range(-2, length(curve) + 3), repeat=2):
        for first, second in steps:
            yield scores, moved(scores, {0: first, 1: second})


def worst(mechanism: Release, keys: int = 2) -> Fraction:
    """The largest divergence over all neighbours, at a ratio certainly at most e^epsilon."""
    if isinstance(mechanism, PartitionSelection):
        pairs = net_scores(mechanism.curve)
    else:
        pairs = counts_of_positives(mechanism.curve, keys)
    ratio = exp_below(mechanism.epsilon, bits=96)
    known: dict[Scores, Mapping[Any, Fraction]] = {}

    def distribution(scores: Scores) -> Mapping[Any, Fraction]:
        if scores not in known:
            known[scores] = mechanism._distribution(dict(enumerate(scores)))
            assert sum(known[scores].values()) == 1
        return known[scores]

    return max(hockey_stick(distribution(one), distribution(other), ratio) for one, other in pairs)


@pytest.mark.parametrize(("epsilon", "delta"), PARAMETERS)
@pytest.mark.parametrize("kind", [PartitionSelection, SingleKeySelection])
def test_private_on_all_neighbours_and_delta_is_used(
    kind: Callable[..., Release], epsilon: Fraction, delta: Fraction
) -> None:
    found = worst(kind(Budget(epsilon, delta)))
    assert found <= delta
    if delta <= Fraction(1, 20):
        assert found >= delta * Fraction(9, 10)


def test_private_beside_a_third_key() -> None:
    mechanism = SingleKeySelection[Any](Budget(2, Fraction(1, 20)))
    assert worst(mechanism, keys=3) == worst(mechanism)


def curve_of(r: Fraction, d: Fraction) -> ReleaseCurve:
    """The largest for which one key alone is (ln r, d)-DP."""
    return ReleaseCurve(lambda q: min(r * q + d, 1 - (1 - q - d) / r, Fraction(1)), bits=100)


class GrowsAtEpsilon(SingleKeySelection[Any]):
    """The other key is thought to be free."""

    @cached_property
    def curve(self) -> ReleaseCurve:
        return curve_of(self.base, self.delta / 2)


def by_definition(
    mechanism: Release, scores: Mapping[Any, int], weight: Callable[[Fraction], Fraction]
) -> dict[Any, Fraction]:
    """All sets of keys that may fire, and one key of each set drawn by weight(q)."""
    chances = {key: q for key, score in scores.items() if (q := mechanism.curve(score))}
    masses: dict[Any, Fraction] = Counter()  # type: ignore[assignment]
    for fires in product((False, True), repeat=len(chances)):
        mass, weights = Fraction(1), {}
        for (key, q), fired in zip(chances.items(), fires, strict=True):
            mass *= q if fired else 1 - q
            if fired:
                weights[key] = weight(q)
        for key in weights:
            masses[key] += mass * weights[key] / sum(weights.values())
        if not weights:
            masses[None] += mass
    return masses


class DrawsUniformly(SingleKeySelection[Any]):
    """One of those that fired, whatever their scores."""

    def _distribution(self, scores: Mapping[Any, int]) -> dict[Any, Fraction]:
        return by_definition(self, scores, lambda _: Fraction(1))


class PrefersLikelyKeys(SingleKeySelection[Any]):
    def _distribution(self, scores: Mapping[Any, int]) -> dict[Any, Fraction]:
        return by_definition(self, scores, lambda q: q)


class TakesTheFirst(SingleKeySelection[Any]):
    """The first in a fixed order of those that fired."""

    def _distribution(self, scores: Mapping[Any, int]) -> dict[Any, Fraction]:
        left, masses = Fraction(1), {}
        for key, score in scores.items():
            masses[key] = left * self.curve(score)
            left -= masses[key]
        return masses | {None: left}


class SpendsDeltaTwice(SingleKeySelection[Any]):
    """All of delta for arrivals, and all of it again for keys that are almost certain."""

    @cached_property
    def curve(self) -> ReleaseCurve:
        return curve_of(self.growth, self.delta)


class CountsTwice(SingleKeySelection[Any]):
    """Scores that a record moves by two, as a changed label moves positives minus negatives."""

    def _distribution(self, scores: Mapping[Any, int]) -> dict[Any, Fraction]:
        return super()._distribution({key: 2 * score for key, score in scores.items()})


class ForgetsReplacement(PartitionSelection[Any]):
    """The published curve, for one record added or removed."""

    @cached_property
    def odds_factor(self) -> Fraction:
        return exp_below(self.epsilon)


class ForgetsLabelChanges(PartitionSelection[Any]):
    """As if delta were paid once for each of two keys."""

    @cached_property
    def curve(self) -> ReleaseCurve:
        return curve_of(self.odds_factor, self.delta / 2)


class ReleasesWholeTies(PartitionSelection[Any]):
    """One coin for all keys, so that more keys are released together."""

    def _distribution(self, scores: Mapping[Any, int]) -> dict[Any, Fraction]:
        masses: dict[Any, Fraction] = Counter()  # type: ignore[assignment]
        chances = {key: self.curve(score) for key, score in scores.items()}
        edges = sorted({Fraction(0), Fraction(1), *chances.values()})
        for low, high in pairwise(edges):
            masses[frozenset(key for key, q in chances.items() if q >= high)] += high - low
        return masses


PLANTS = [
    GrowsAtEpsilon,
    DrawsUniformly,
    PrefersLikelyKeys,
    TakesTheFirst,
    SpendsDeltaTwice,
    CountsTwice,
    ForgetsReplacement,
    ForgetsLabelChanges,
    ReleasesWholeTies,
]


@pytest.mark.parametrize("plant", PLANTS)
def test_a_broken_mechanism_is_caught(plant: Callable[..., Release]) -> None:
    delta = Fraction(1, 1000)
    assert worst(plant(Budget(1, delta))) > delta


def test_the_price_of_the_other_key_is_sharp() -> None:
    """With E one per cent larger the ratio passes e^epsilon where E says it does, at 1 / (E + 1)."""
    mechanism = SingleKeySelection[str](Budget(1, "1e-6"))
    for E, fits in ((mechanism.growth, True), (mechanism.growth * Fraction(101, 100), False)):
        x, largest = E + 1, Fraction(0)
        for k in range(100, 2000):
            y = Fraction(k, 100)
            after = E / x * (1 - 1 / (x / E + E * y))
            largest = max(largest, after / (1 / x * (1 - 1 / (x + y))))
        assert (largest <= mechanism.base) is fits
        assert largest > mechanism.base * Fraction(9999, 10000)


def neighbours(n: int) -> Iterator[tuple[Any, Any]]:
    records = list(product("ab", (False, True)))
    for rest in product(records, repeat=n - 1):
        for one, other in product(records, repeat=2):
            yield [*rest, one], [*rest, other]


def test_records_move_scores_as_the_proofs_need() -> None:
    single = SingleKeySelection[str](Budget(1, Fraction(1, 20)))
    several = PartitionSelection[str](Budget(1, Fraction(1, 20)))
    for one, other in neighbours(3):
        p, q = single.scores(one), single.scores(other)
        change = sorted(d for u in "ab" if (d := q.get(u, 0) - p.get(u, 0)))
        assert change in ([], [1], [-1], [-1, 1])
        p, q = several.scores(one), several.scores(other)
        change = [abs(q.get(u, 0) - p.get(u, 0)) for u in "ab"]
        assert max(change) <= 1 or sorted(change) == [0, 2]


def test_distributions_are_those_of_the_definition() -> None:
    single = SingleKeySelection[str](Budget(1, Fraction(1, 20)))
    for scores in product(range(-1, 4), repeat=3):
        named = dict(zip("abc", scores, strict=True))
        expected = by_definition(single, named, lambda q: 1 / q)
        found = {key: mass for key, mass in single._distribution(named).items() if mass}
        assert found == {key: mass for key, mass in expected.items() if mass}


def test_a_missing_value_is_a_key_that_looks_like_bottom() -> None:
    mechanism = SingleKeySelection[Any](Budget(1, Fraction(1, 20)))
    named, missing = mechanism._distribution({"a": 3}), mechanism._distribution({None: 3})
    assert missing == {None: named["a"] + named[None]} == {None: 1}


@pytest.mark.parametrize("kind", [PartitionSelection, SingleKeySelection])
def test_draws_follow_the_distribution(kind: Callable[..., Release]) -> None:
    mechanism, rng = kind(Budget(1, Fraction(1, 20))), seeded_generator(1)
    scores, draws = {"a": 1, "b": 2, "c": 2, "d": 3, "e": 0}, 20_000
    expected = {key: mass for key, mass in mechanism._distribution(scores).items() if mass}
    found = Counter(mechanism._release(scores, rng) for _ in range(draws))
    assert set(found) <= set(expected)
    observed = [found[key] for key in expected]
    assert chisquare(observed, [float(mass) * draws for mass in expected.values()]).pvalue > 0.01


@pytest.mark.parametrize("epsilon", ["1e-9", "0.01", "1", "40", "1000"])
@pytest.mark.parametrize("delta", ["1e-100", "1e-6", "0.999"])
def test_curves_rise_from_0_to_1_for_all_parameters(epsilon: str, delta: str) -> None:
    for kind in (PartitionSelection[str], SingleKeySelection[str]):
        curve = kind(Budget(epsilon, delta)).curve
        values = [curve(s) for s in range(-1, 60)]
        assert values[:2] == [0, 0]
        assert all(p < q or p == q == 1 for p, q in pairwise(values[1:]))


def test_rounded_curves_satisfy_the_inequalities_exactly() -> None:
    mechanism = SingleKeySelection[str](Budget(1, "1e-6"))
    R, E, curve = mechanism.base, mechanism.growth, mechanism.curve
    for s in range(length(curve)):
        q, after = curve(s), curve(s + 1)
        if after <= 1 - E / R:
            assert after <= E * q + mechanism.delta * Fraction(15, 16)
        elif after < 1:
            assert after <= E * q
            assert 1 - q <= E * (1 - after)
        else:
            assert 1 - q <= mechanism.delta / 16


def test_enough_is_the_least_number_for_one_key() -> None:
    mechanism = SingleKeySelection[str](Budget(1, "1e-6"))
    alpha, beta = Fraction(1, 10), Fraction(1, 20)
    n = mechanism.sample_size(alpha, beta)
    assert mechanism.curve.miss(n, alpha) <= beta < mechanism.curve.miss(n - 1, alpha)
    rng, fails, runs = seeded_generator(2), 0, 2000
    for _ in range(runs):
        positives = sum(rng.random() < 0.1 for _ in range(n))
        fails += mechanism._release({"u": positives}, rng) is None
    assert fails / runs == pytest.approx(0.05, abs=0.015)


@pytest.mark.parametrize("kind", [PartitionSelection, SingleKeySelection])
def test_a_draw_needs_its_own_receipt(kind: Callable[..., Release]) -> None:
    paid, unpaid = kind(Budget(1, "1e-6")), kind(Budget(2, "1e-6"))
    rng, records = seeded_generator(0), [("a", True)] * 100 + [("b", False)] * 100
    with Ledger() as ledger:
        receipt = ledger.spend(paid, dataset="d", what="test", rng=rng)
        with pytest.raises(LedgerError):
            unpaid.draw(records, receipt=receipt)
        assert paid.draw(records, receipt=receipt) in ("a", {"a"})
        with pytest.raises(LedgerError):
            paid.draw_scores({"a": 100}, receipt=receipt)


@pytest.mark.parametrize("kind", [PartitionSelection, SingleKeySelection])
def test_declarations_are_checked(kind: Callable[..., Release]) -> None:
    for epsilon, delta in ((0, Fraction(1, 2)), (1, 0), (1, 1), (-1, Fraction(1, 2))):
        with pytest.raises(DeclarationError):
            kind(Budget(epsilon, delta))
    half = Fraction(1, 2)
    for alpha, beta in ((0 * half, half), (half, 2 * half)):
        with pytest.raises(DeclarationError):
            kind(Budget(1, half)).sample_size(alpha, beta)


def test_a_released_set_does_not_tell_which_record_came_first() -> None:
    """0 and 8 share a place in a set of few; which of them was put there first shows in a list."""
    mechanism, rng = (
        PartitionSelection[int](Budget(1, "1e-6")),
        seeded_generator(1),
    )
    rest = [(0, True)] * 100 + [(8, True)] * 100
    for first in (0, 8):
        with Ledger() as ledger:
            seen = Counter(
                tuple(
                    mechanism.draw(
                        [(first, True), *rest],
                        receipt=ledger.spend(mechanism, dataset="d", what="test", rng=rng),
                    )
                )
                for _ in range(100)
            )
        assert min(seen[0, 8], seen[8, 0]) > 20


@pytest.mark.deep
def test_threads_grow_one_curve() -> None:
    mechanism = PartitionSelection[int](Budget(Fraction(1, 10), Fraction(1, 10**6)))
    alone = [
        PartitionSelection[int](Budget(Fraction(1, 10), Fraction(1, 10**6))).curve(s)
        for s in range(600)
    ]
    start = threading.Barrier(4)

    def grow() -> None:
        start.wait()
        for s in range(0, 600, 7):
            mechanism.curve(s)

    threads = [threading.Thread(target=grow) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert [mechanism.curve(s) for s in range(600)] == alone


def test_a_selection_says_what_its_scores_count() -> None:
    H = parse_class("trees(ward, age: 0..80 step 20; depth 2)")
    mechanism = str(VocabularyLearner(H, Budget(1, "1e-6")).event)
    assert mechanism.startswith("[partition selection on numbers of records, epsilon 1/3, ")
    own = str(PartitionLearner(parse_class("subsets(ward; at most 2)"), Budget(1, "1e-6")).event)
    assert own.startswith("partition selection on positives minus negatives, with the rest of ")
