"""Label selection: exact on all small counts of a key, and the draw is what is audited."""

import pickle
import random
import threading
from collections import Counter
from collections.abc import Mapping
from fractions import Fraction
from functools import partial
from itertools import pairwise, permutations, product
from types import SimpleNamespace
from typing import Any, cast

import numpy as np
import pytest
from scipy.stats import chisquare

from exact_draws import Draws, apart
from littlestone.base.errors import DeclarationError, LedgerError
from littlestone.privacy import Budget
from littlestone.privacy.ledger import Ledger, Receipt
from littlestone.privacy.mechanisms.label_selection import LabelSelection
from littlestone.privacy.mechanisms.partition_selection import PartitionSelection
from littlestone.privacy.randomness import seeded_generator
from littlestone.privacy.rational import exp_below
from littlestone.prove.audit import find_subject
from littlestone.prove.audit.claims import hockey_stick

PARAMETERS = [
    (Fraction(1, 2), Fraction(1, 20)),
    (Fraction(1), Fraction(1, 20)),
    (Fraction(3), Fraction(1, 1000)),
    (Fraction(1, 10), Fraction(9, 10)),
    (Fraction(20), Fraction(1, 10**6)),
]
MICRO = Fraction(1, 10**6)


def paid(rng: random.Random) -> Receipt:
    """A receipt for any mechanism, as a draw uses it."""
    return cast(Receipt, SimpleNamespace(redeem=lambda mechanism: rng))


def draw(mechanism: LabelSelection[Any], data: Any, rng: random.Random) -> frozenset[Any]:
    return mechanism.draw(data, receipt=paid(rng))


def records(tally: Mapping[str, Mapping[int, int]]) -> list[tuple[str, int]]:
    return [(key, y) for key, of_key in tally.items() for y, n in of_key.items() for _ in range(n)]


@pytest.mark.parametrize(("epsilon", "delta"), PARAMETERS)
def test_one_record_more_is_worth_r_and_delta_and_one_less_r_alone(
    epsilon: Fraction, delta: Fraction
) -> None:
    """What the proof composes, for all counts of a default and two labels, exactly."""
    mechanism = LabelSelection[str](Budget(epsilon, delta))
    r = mechanism.base
    assert r * r <= exp_below(epsilon, bits=96)
    step = max(1, next(c for c in range(10**6) if 2 * mechanism.chance(c) >= 1) // 3)
    worst = Fraction(0)
    for counts in product((0, step, 2 * step, 4 * step), repeat=3):
        fewer = mechanism.chances(dict(enumerate(counts)))
        for label in (0, 1):
            of_key = dict(enumerate(counts)) | {label: counts[label] + 1}
            more = mechanism.chances(of_key)
            worst = max(worst, hockey_stick(more, fewer, r))
            assert hockey_stick(fewer, more, r) == 0
    assert worst <= delta


@pytest.mark.parametrize(("epsilon", "delta"), PARAMETERS[1:3])
def test_private_on_all_tiny_neighbours_and_delta_is_attained(
    epsilon: Fraction, delta: Fraction
) -> None:
    audit = find_subject("label-selection").make(epsilon, delta).exact()
    assert audit.holds
    (at_epsilon,) = (row for row in audit.rows if row.at == epsilon)
    assert at_epsilon.exact.value is not None
    assert at_epsilon.exact.value >= delta * Fraction(99, 100)


def test_a_changed_label_costs_no_more_than_a_changed_key() -> None:
    """Two labels far above bottom, one as likely as the other: the ratio is r^2 = e^epsilon."""
    mechanism = LabelSelection[str](Budget(1, MICRO))
    before, after = mechanism.chances({1: 90, 2: 90}), mechanism.chances({1: 89, 2: 91})
    assert mechanism.chances({1: 90, 2: 90})[1] == before[2] > Fraction(49, 100)
    assert float(before[1] / after[1]) <= float(mechanism.base) ** 2
    assert hockey_stick(before, after, mechanism.base**2) == 0


def by_permutations(mechanism: LabelSelection[str], of_key: dict[int, int]) -> dict[int, Fraction]:
    """Every order of the candidates, and in each the first whose coin shows heads."""
    weights = [(0, Fraction(1))]
    for label, count in of_key.items():
        value, power = mechanism.weight(count)
        weights.append((label, value * mechanism.base**power))
    top, found = max(w for _, w in weights), Counter[int]()
    orders = list(permutations(weights))
    for order in orders:
        left = Fraction(1, len(orders))
        for label, w in order:
            found[label] += left * w / top  # type: ignore[assignment]
            left *= 1 - w / top
    return {label: chance for label, chance in found.items() if chance}  # type: ignore[misc]


def test_the_distribution_is_that_of_the_definition() -> None:
    mechanism = LabelSelection[str](Budget(1, Fraction(1, 20)))
    for counts in product((0, 1, 3, 9), repeat=3):
        of_key = {label: count for label, count in enumerate(counts) if count}
        assert mechanism.chances(of_key) == by_permutations(mechanism, of_key)
    for count in range(12):
        assert mechanism.chances({1: count}).get(1, 0) == mechanism.chance(count)


@pytest.mark.parametrize("parameters", PARAMETERS)
def test_draws_follow_the_distribution(parameters: tuple[Fraction, Fraction]) -> None:
    mechanism, rng, draws = LabelSelection[str](Budget(*parameters)), seeded_generator(1), 4000
    half = next(c for c in range(10**6) if 2 * mechanism.chance(c) >= 1)
    data = [("a", 1)] * half + [("a", 2)] * (half + 1) + [("a", 0)] * half
    data += [("b", 3)] * half + [("c", 0)] * 90
    expected = mechanism.distribution(data)
    found = Counter(draw(mechanism, data, rng) for _ in range(draws))
    assert set(found) <= set(expected)
    likely = [table for table, mass in expected.items() if mass * draws >= 5]
    rest = 1 - sum(expected[table] for table in likely)
    observed = [found[table] for table in likely]
    wanted = [float(expected[table]) * draws for table in likely]
    if rest > 0:
        observed, wanted = [*observed, draws - sum(observed)], [*wanted, float(rest) * draws]
    if len(observed) > 1:
        assert chisquare(observed, wanted).pvalue > 1e-4


@pytest.mark.parametrize(("epsilon", "delta"), PARAMETERS[1:3])
def test_the_law_of_the_draw_s_own_code_is_the_distribution(
    epsilon: Fraction, delta: Fraction
) -> None:
    """With labels far above bottom, as likely as it, and of one record."""
    mechanism = LabelSelection[str](Budget(epsilon, delta))
    half = next(c for c in range(10**6) if 2 * mechanism.chance(c) >= 1)
    for numbers in ((half + 3, half + 2), (half - 1, 1), (half + 2, half + 3, half)):
        of_key = dict(enumerate(numbers[1:], start=1)) | {0: numbers[0]}
        law, left_out = Draws().law(partial(draw, mechanism, records({"a": of_key})))
        exact = {
            frozenset([("a", label)] if label else []): chance
            for label, chance in mechanism.chances(of_key).items()
        }
        assert apart(law, exact) <= left_out + Fraction(1, 1 << 128)


@pytest.mark.parametrize("epsilon", ["1e-9", "0.01", "1", "40", "1000"])
@pytest.mark.parametrize("delta", ["1e-100", "1e-6", "0.999"])
def test_chances_rise_from_0_for_all_parameters(epsilon: str, delta: str) -> None:
    mechanism = LabelSelection[str](Budget(epsilon, delta))
    values = [mechanism.chance(count) for count in range(60)]
    assert values[0] == 0
    assert values[1] <= mechanism.delta
    assert all(p < q < 1 for p, q in pairwise(values))


@pytest.mark.parametrize("epsilon", ["0.1", "1", "3"])
def test_it_needs_fewer_records_than_partition_selection(epsilon: str) -> None:
    """Which has the scores positives minus negatives, that a label change moves by two."""
    race = LabelSelection[str](Budget(Fraction(epsilon), MICRO))
    single = PartitionSelection[str](Budget(Fraction(epsilon), MICRO))
    for count in range(1, race.sample_size(Fraction(1, 100)) + 1):
        assert race.chance(count) > single.curve(count)


def test_a_draw_needs_its_own_receipt() -> None:
    paid, unpaid = (
        LabelSelection[str](Budget(1, MICRO)),
        LabelSelection[str](Budget(2, MICRO)),
    )
    rng, records = seeded_generator(0), [("a", 1)] * 200 + [("b", 2)] * 200 + [("c", 0)] * 200
    with Ledger() as ledger:
        receipt = ledger.spend(paid, dataset="d", what="test", rng=rng)
        with pytest.raises(LedgerError):
            unpaid.draw(records, receipt=receipt)
        assert paid.draw(records, receipt=receipt) == {("a", 1), ("b", 2)}
        with pytest.raises(LedgerError):
            paid.draw_counts(["a"], np.array([[0, 100]]), receipt=receipt)


def test_no_counts_raise() -> None:
    mechanism, rng = LabelSelection[str](Budget(1, MICRO)), seeded_generator(0)
    for own in ([], [[0, 0]], [[0, 0], [9, 0]]):
        counts = np.array(own, np.int64).reshape(len(own), 2)
        assert mechanism.draw_counts("ab"[: len(own)], counts, receipt=paid(rng)) == set()
    counts = np.array([[0, 1, 0, 10**9], [0, 0, 0, 0], [0, 10**9, 0, 1]])
    assert mechanism.draw_counts("abc", counts, receipt=paid(rng)) == {("a", 3), ("c", 1)}
    # A table of all labels would not fit in memory, nor such a label in a word.
    large = {"a": {2**70: 400, 1: 3}, "b": {2**40: 400, 2**70: 1}}
    assert draw(mechanism, records(large), rng) == {("a", 2**70), ("b", 2**40)}


def test_declarations_are_checked() -> None:
    for epsilon, delta in ((0, Fraction(1, 2)), (1, 0), (1, 1), (-1, Fraction(1, 2))):
        with pytest.raises(DeclarationError):
            LabelSelection(Budget(epsilon, delta))


def test_a_released_table_does_not_tell_which_record_came_first() -> None:
    mechanism, rng = LabelSelection[int](Budget(1, MICRO)), seeded_generator(1)
    for first in (0, 8):
        data = [(first, 1)] + [(0, 1)] * 100 + [(8, 1)] * 100
        seen = Counter(tuple(draw(mechanism, data, rng)) for _ in range(100))
        assert len(seen) == 1 or min(seen.values()) > 20


def test_threads_grow_one_list_of_weights() -> None:
    slow = LabelSelection[str](Budget(Fraction(1, 10), MICRO))
    alone = [
        LabelSelection[str](Budget(Fraction(1, 10), MICRO)).weight(count) for count in (100, 400)
    ]
    start = threading.Barrier(4)

    def grow() -> None:
        start.wait()
        slow.weight(400)

    threads = [threading.Thread(target=grow) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert [slow.weight(count) for count in (100, 400)] == alone
    assert pickle.loads(pickle.dumps(slow)) == slow
