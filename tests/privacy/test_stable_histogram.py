"""The stable histogram is (epsilon, delta)-DP, and for no smaller delta: exact distributions."""

import math
import random
from collections import Counter
from collections.abc import Iterator, Sequence
from fractions import Fraction
from itertools import product
from typing import Any

import pytest
from scipy import stats

from littlestone.base.errors import DeclarationError, LedgerError
from littlestone.privacy import Budget
from littlestone.privacy.ledger import Ledger
from littlestone.privacy.mechanisms.partition_selection import StableHistogram
from littlestone.privacy.rational import exp_below
from littlestone.prove.audit.claims import hockey_stick
from littlestone.prove.audit.subject import Trials

Records = tuple[str | None, ...]
Histograms = StableHistogram[Any]


def tight(epsilon: Fraction, threshold: int) -> Histograms:
    """The mechanism whose delta is all but used up by this threshold.

    Logarithms cannot tell a bound that is met exactly from one that is just missed.
    """
    a = 1 / exp_below(epsilon / 2)
    return Histograms(Budget(epsilon, a ** (threshold - 1) / (1 + a) + Fraction(1, 10**9)))


EPSILONS = [Fraction(1, 10), Fraction(1), Fraction(4)]
CASES = [tight(epsilon, threshold) for epsilon in EPSILONS for threshold in (2, 3, 4)]


def neighbours(keys: Sequence[str | None], n: int) -> Iterator[tuple[Records, Records]]:
    """Ordered pairs of samples of n records that differ in the first."""
    for rest in product(keys, repeat=n - 1):
        for one, other in product(keys, repeat=2):
            if one != other:
                yield (one, *rest), (other, *rest)


PAIRS = [*neighbours(["a", "b", "c"], 2), *neighbours([None, "a", "b"], 4)]


def worst(mechanism: Histograms) -> Fraction:
    """The largest hockey-stick divergence, at a ratio certainly at most e^epsilon."""
    ratio = exp_below(mechanism.epsilon, bits=256)
    known = {records: mechanism.distribution(records) for pair in PAIRS for records in pair}
    assert all(sum(outcomes.values()) == 1 for outcomes in known.values())
    return max(hockey_stick(known[one], known[other], ratio) for one, other in PAIRS)


def exact_delta(mechanism: Histograms, threshold: int) -> Fraction:
    a = mechanism.ratio
    return a ** (threshold - 1) / (1 + a)


@pytest.mark.parametrize("mechanism", CASES, ids=str)
def test_delta_is_exactly_what_the_threshold_makes_it(mechanism: Histograms) -> None:
    assert worst(mechanism) == exact_delta(mechanism, mechanism.threshold)
    assert exact_delta(mechanism, mechanism.threshold) <= mechanism.delta


@pytest.mark.parametrize("epsilon", ["1e-1", "1", "20", "200"])
@pytest.mark.parametrize("delta", ["0.9", "0.3", "1e-2", "1e-6", "1e-12"])
def test_the_threshold_is_the_least(epsilon: str, delta: str) -> None:
    mechanism = Histograms(Budget(epsilon, delta))
    t = mechanism.threshold
    assert exact_delta(mechanism, t) <= mechanism.delta
    assert t == 2 or exact_delta(mechanism, t - 1) > mechanism.delta


def test_astronomic_parameters_have_a_threshold() -> None:
    assert StableHistogram(Budget(Fraction(1, 10**9), Fraction(1, 10**9))).threshold == 40060237320
    assert StableHistogram(Budget(1000, "1e-100")).threshold == 7


def test_keys_of_one_record_need_a_delta() -> None:
    with pytest.raises(DeclarationError, match="delta = 0"):
        StableHistogram(Budget(1, Fraction(0)))
    with pytest.raises(DeclarationError, match="epsilon"):
        StableHistogram(Budget(0, Fraction(1, 10)))


@pytest.mark.parametrize("epsilon", EPSILONS)
def test_the_renyi_divergence_of_two_noisy_counts(epsilon: Fraction) -> None:
    """rho = epsilon^2 / 4 holds for two counts that both move, and an eighth of it does not."""
    mechanism = Histograms(Budget(epsilon, "1e-6"))
    a, rho = float(mechanism.ratio), float(mechanism.guarantee().rho)

    def divergence(alpha: float) -> float:
        """D_alpha(X, X + 1) = ln(sum over x of p^alpha q^(1 - alpha)) / (alpha - 1), in closed form."""
        tails = a ** (1 - alpha) + a**alpha
        return math.log(tails / (1 + a)) / (alpha - 1)

    orders = [1.001, 1.1, 1.5, 2, 3, 5, 10, 30]
    assert all(2 * divergence(alpha) <= rho * alpha for alpha in orders)
    assert any(2 * divergence(alpha) > rho / 8 * alpha for alpha in orders)


def draws(mechanism: Histograms, records: Any, number: int, seed: int) -> list[Any]:
    rng = random.Random(seed)
    receipt = Ledger().spend(Trials(mechanism, number), dataset="d", what="test", rng=rng)
    return [mechanism.draw(records, receipt=receipt) for _ in range(number)]


def p_value(mechanism: Histograms, records: Records, claimed: Histograms) -> float:
    """Chi-square p-value of seeded draws of ``mechanism`` against ``claimed``'s distribution."""
    most = max(mechanism.threshold, len(records))
    drawn = Counter(
        frozenset((key, min(count, most)) for key, count in said)
        for said in draws(mechanism, records, 4000, seed=3)
    )
    exact = claimed.distribution(records)
    assert set(drawn) <= set(exact)
    common = [said for said, p in exact.items() if p > Fraction(1, 400)]
    observed = [drawn[said] for said in common]
    expected = [float(4000 * exact[said]) for said in common]
    rest = 4000 - sum(expected)
    return float(stats.chisquare([*observed, 4000 - sum(observed)], [*expected, rest]).pvalue)


RECORDS: Records = ("a", None, "b", "a", "a", "c", "b")


@pytest.mark.deep
def test_draws_follow_the_distribution() -> None:
    for epsilon in EPSILONS[1:]:
        mechanism = tight(epsilon, 3)
        assert p_value(mechanism, RECORDS, mechanism) > 1e-4
    # A noise of twice the scale with the same threshold is another distribution.
    assert p_value(tight(Fraction(1, 2), 3), RECORDS, tight(Fraction(1), 3)) < 1e-9


def test_no_data_no_keys() -> None:
    mechanism = tight(Fraction(1), 2)
    assert mechanism.distribution(()) == {frozenset(): 1}
    assert draws(mechanism, (), 1, 0) == [frozenset()]


def test_errors_are_as_large_as_promised_and_no_larger() -> None:
    """At 30 records a key, threshold 2: some noise of 50 keys exceeds t rarely, t - 1 often."""
    mechanism, beta = tight(Fraction(1), 2), Fraction(1, 20)
    t = mechanism.error(keys=50, beta=beta)
    a = mechanism.ratio
    assert 100 * a ** (t + 1) / (1 + a) <= beta < 100 * a**t / (1 + a)
    records = [k for k in range(50) for _ in range(30)]
    worst_errors = [
        max(abs(count - 30) for _, count in said) for said in draws(mechanism, records, 200, 5)
    ]
    assert sum(error >= t for error in worst_errors) > 0
    assert sum(error > t for error in worst_errors) <= 25  # 10 expected at most


def test_a_set_is_not_listed_in_the_order_of_the_records() -> None:
    """Colliding entries of a set are listed in the order in which they went in."""
    count = 40
    places = [hash((key, count)) % 8 for key in range(100)]
    other = next(key for key in range(1, 100) if places[key] == places[0])
    forth, back = [0] * count + [other] * count, [other] * count + [0] * count
    assert list(frozenset([(0, count), (other, count)])) != list(
        frozenset([(other, count), (0, count)])
    )  # what the mechanism would release without its shuffle
    mechanism = Histograms(Budget(88, "1e-6"))
    for records in (forth, back):
        listed = Counter(tuple(said) for said in draws(mechanism, records, 200, seed=2))
        assert len(listed) == 2
        assert min(listed.values()) > 60


def test_a_draw_needs_its_own_receipt() -> None:
    mechanism = tight(Fraction(1), 2)
    with Ledger() as ledger:
        receipt = ledger.spend(mechanism, dataset="d", what="test", rng=random.Random(0))
        with pytest.raises(LedgerError):
            tight(Fraction(1), 3).draw(("a",), receipt=receipt)
        mechanism.draw(("a",), receipt=receipt)
        with pytest.raises(LedgerError):
            mechanism.draw(("a",), receipt=receipt)
