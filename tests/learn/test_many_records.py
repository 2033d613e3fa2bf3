"""What learners count, for more records and larger costs than small numbers hold."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import polars
import pytest

from littlestone.base.errors import TooLargeError
from littlestone.classes import FiniteClass, Lookup, Subsets, Thresholds, parse_class
from littlestone.classes.counting.blocks import covered_table
from littlestone.data import Label, open_table, read_sample
from littlestone.data.coding import code_column
from littlestone.data.reading import Reservoir
from littlestone.data.sample import Sample
from littlestone.learn import ExponentialLearner
from littlestone.learn.lookup import LookupLearner, PartitionLearner
from littlestone.learn.papers.boosting import BoostingLearner
from littlestone.learn.regrown import RegrownLearner
from littlestone.learn.rounds import RoundsLearner, left
from littlestone.points import Integers, Strings, truth
from littlestone.points.labels import label_number
from littlestone.points.units import Unit
from littlestone.privacy import Budget
from littlestone.privacy.accounting.subsampled import Parallel
from littlestone.privacy.draws import cells
from littlestone.privacy.mechanisms.exponential import ExponentialMechanism
from littlestone.privacy.scores import ErrorRuns
from littlestone.rules import FiniteSet
from planting import Fault, turns_red

LEARNERS = "littlestone.learn"
BUDGET = Budget(1, "1e-6")
MANY = 300_000


def counts_of(points: int, *labels: int) -> Any:
    return np.tile(np.array(labels, dtype=np.int64), (points, 1))


def test_errors_of_large_weights_are_exact() -> None:
    sample = Sample(Integers("x"), (7, 8), counts_of(2, 10**6, 10**9))
    assert sample.weigh((9_999, 10_000)).counts.tolist() == [[9_999 * 10**6, 10**13]] * 2


def test_costs_are_counted_whole() -> None:
    H = Thresholds.on(0, 3)
    sample = Sample[Any](H.domain, (1, 2), counts_of(2, 5, 7))
    for cost in ((9_999, 1), (1, 10_000), (3, 2)):
        learner = ExponentialLearner(H, BUDGET, cost=cost)
        missed, alarm = cost
        expected = {
            str(h): sum(missed * 7 * (not h(x)) + alarm * 5 * h(x) for x in (1, 2))
            for h in (H.hypothesis_of_item(i) for i in range(H.forms))
        }
        scores: Any = learner.scores(sample)
        each = np.repeat(scores.errors, scores.lengths or [1] * len(scores.errors)).tolist()
        assert each == list(expected.values())


def test_counters_of_32_bits_count_costs() -> None:
    columns = ", ".join(f"c{i}" for i in range(24))
    learner = ExponentialLearner(parse_class(f"juntas({columns}; k 1)"), BUDGET, cost=(9_999, 1))
    most = learner.hypotheses.most_errors
    assert most is not None
    learner.require_affordable(most // 9_999)
    with pytest.raises(TooLargeError, match="the counts have room"):
        learner.require_affordable(most // 9_999 + 1)


def test_conditions_cover_any_number_of_records() -> None:
    table = np.array([[2**24 + 1, 3 * 10**9], [2**40 + 1, 1]])
    with np.errstate(invalid="ignore"):
        assert covered_table(table, [np.eye(2)]).tolist() == table.tolist()


def test_each_round_of_a_list_counts_all_that_is_left() -> None:
    H: Any = parse_class("rule_list(x at {0, 5}; at most 3)")
    learner = RoundsLearner(H, BUDGET)
    counts = np.array([[MANY, 3, 9_000], [5, MANY, 7]]).T
    sample = Sample[Any](H.domain, [(x,) for x in list(H.domain.columns[0].points)[:3]], counts)
    seen: list[tuple[Any, int]] = []

    def draw(self: Any, data: ErrorRuns, *, receipt: Any) -> int:
        seen.append((data, 2 + len(seen)))  # the two constants would end the run
        return seen[-1][1]

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(ExponentialMechanism, "draw", draw)
        learner.draw(sample, receipt=None)  # type: ignore[arg-type]
    assert len(seen) == 3
    for data, item in seen:
        assert data.errors.tolist() == H.round_scores(sample).errors.tolist()
        sample = left(sample, H.rule(item))


def test_leaves_have_the_whole_rho_of_their_mechanism() -> None:
    learner = RegrownLearner(parse_class("trees(x at {0}, y at {0}; depth 1)"), Budget(1))
    leaves = learner.event.uses()
    assert leaves == [(learner.mechanism, 1 + 2)]
    (_, _), (event, _) = learner.event.parts  # type: ignore[attr-defined]
    assert event.guarantee() == learner.mechanism.guarantee()


def test_parts_cost_the_largest_wherever_it_stands() -> None:
    small, large = (ExponentialMechanism(BUDGET.epsilon * k) for k in (1, 3))
    for parts in ([small, large], [large, small], [small, large, small]):
        event = Parallel(parts)
        assert event.cost() == large.cost()
        assert event.guarantee() == large.guarantee()


class Asked:
    """A generator that notes below which numbers it is asked to draw."""

    def __init__(self) -> None:
        self.found: list[int] = []

    def randrange(self, n: int) -> int:
        self.found.append(n)
        return n - 1


@pytest.mark.parametrize("most", [1, 3])
def test_every_record_of_a_large_unit_is_as_likely(most: int) -> None:
    rng: Any = Asked()
    reservoir = Reservoir(Unit("who", most), rng)
    for size in (2_000, 3_000):
        reservoir.add(code_column(["ann"] * size), [np.arange(size)])
    assert rng.found == list(range(most + 1, 5_001))


def test_a_table_of_many_records_is_counted() -> None:
    """More than 2^15 equal rows, and more than 2^15 distinct ones with each label."""
    label = Label.parse("y", "1")
    n = 40_000
    for values in ([1] * n, range(n)):
        for y in (0, 1):
            frame = polars.DataFrame({"x": list(values), "y": [y] * n})
            sample = read_sample(open_table(frame), Integers("x"), label)
            assert len(sample.points) == len(set(values))
            assert (sample.n, int(sample.positives.sum())) == (n, n * y)


def test_an_estimate_counts_all_records() -> None:
    rule = FiniteSet(Strings("x"), frozenset("a"))
    sample = Sample(Strings("x"), ("a", "b"), np.array([[MANY + 1, MANY + 2], [5, MANY + 3]]))
    assert cells(rule, sample) == (MANY + 2, MANY + 1, MANY + 3)


def scored(learner: Any, name: str, sample: Any) -> Any:
    """What the learner's mechanism is given."""
    found: list[Any] = []

    def draw(self: Any, *scores: Any, receipt: Any) -> frozenset[Any]:
        found.extend(scores)
        return frozenset()

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(type(learner.mechanism), name, draw)
        learner.draw(sample, receipt=None)
    return found


def test_keys_have_all_their_records() -> None:
    sample = Sample(Strings("x"), ("a", "b"), np.array([[5, MANY], [MANY, 1]]))
    partition = PartitionLearner(Subsets(Strings("x"), 2), BUDGET)
    assert scored(partition, "draw_scores", sample) == [{"a": MANY - 5, "b": 1 - MANY}]
    lookup = LookupLearner(Lookup(Strings("x"), 2, 2), BUDGET)
    keys, counts = scored(lookup, "draw_counts", sample)
    assert (list(keys), counts.tolist()) == (["a", "b"], [[5, MANY], [MANY, 1]])


def test_a_weak_learner_is_given_as_many_records_as_said() -> None:
    H = FiniteClass.from_array(np.eye(3, dtype=int))
    learner = BoostingLearner(H, BUDGET, weak=ExponentialLearner(H, BUDGET))
    (x,) = H.domain.examples(1)
    for size in (40, 4_000):
        for passed in (0, size // 8, size):
            assert (
                learner.fill_sample([(x, 1)] * passed, size).n
                == learner.weak_sample_size(size)
                == size // 4
            )


def test_the_first_label_is_a_label() -> None:
    number = label_number(["a", "b"], default=-1)
    assert [number(value) for value in ("a", "b", "c")] == [0, 1, -1]


def test_records_that_a_rule_covers_are_gone() -> None:
    H: Any = parse_class("rule_list(x at {0, 5}; at most 3)")
    cells_of_x = [(x,) for x in list(H.domain.columns[0].points)[:3]]
    sample = Sample[Any](H.domain, cells_of_x, counts_of(3, MANY, 10**7))
    for item in range(2, 6):
        rule = H.rule(item)
        rest = left(sample, rule)
        held = [all(x[t.column] in t.accepted for t in rule.tests) for x in cells_of_x]
        assert list(rest.points) == [
            x for x, covers in zip(cells_of_x, held, strict=True) if not covers
        ]
        assert rest.counts.tolist() == counts_of(held.count(False), MANY, 10**7).tolist()


def test_each_record_is_in_one_leaf() -> None:
    H: Any = parse_class("trees(x at {0}, y at {0}; depth 1)")
    learner = RegrownLearner(H, BUDGET)
    points = [(x, y) for x in ("", "0") for y in ("", "0")]
    sample = Sample[Any](H.domain, [H.domain.canonical(p) for p in points], counts_of(4, MANY, 9))
    for tree in map(H.hypothesis_of_item, range(H.forms)):
        parts = learner.parts(tree, sample)
        assert sorted(p for part in parts for p in part.points) == sorted(sample.points)
        assert sum(part.n for part in parts) == sample.n


@pytest.mark.parametrize("most", [1, 3, 1_000])
def test_the_places_of_units_are_counted(most: int) -> None:
    sample = Sample(Integers("x"), (7,), counts_of(1, 5, 7), Unit("who", most), 12)
    assert sample.n == 12 * most


def test_a_label_is_the_number_1_to_the_last_digit() -> None:
    last = "0" * 30
    for value, y in ((f"1.{last}", 1), (f"1.{last}1", 0), (f"0.{'9' * 30}", 0), (1 + 2**-50, 0)):
        assert truth(value) == y


FAULTS: dict[Fault, Callable[[], None]] = {
    Fault(
        "littlestone.data.sample:Sample.weigh",
        "self.counts * np.array(weights, dtype=np.int64)",
        "(self.counts * np.array(weights)).astype(np.int32)",
        "weighted counts have 32 bits",
    ): test_errors_of_large_weights_are_exact,
    Fault(
        f"{LEARNERS}.exponential:ExponentialLearner.scores",
        "self.mistakes.weights",
        "[min(weight, 999) for weight in self.mistakes.weights]",
        "a cost above 999 counts as 999",
    ): test_costs_are_counted_whole,
    Fault(
        f"{LEARNERS}.exponential:ExponentialLearner.require_affordable",
        "n * self.mistakes.largest > most",
        "n > most",
        "the room of counters is compared with records, not with costs",
    ): test_counters_of_32_bits_count_costs,
    Fault(
        "littlestone.classes.counting.blocks:_sum_cells",
        "np.rint(sums).astype(np.int64)",
        "np.rint(sums).astype(np.int32)",
        "covered counts have 32 bits",
    ): test_conditions_cover_any_number_of_records,
    Fault(
        "littlestone.classes.counting.blocks:_sum_cells",
        "table.astype(np.float64)",
        "table.astype(np.float32)",
        "covered counts are rounded beyond 2^24",
    ): test_conditions_cover_any_number_of_records,
    Fault(
        f"{LEARNERS}.rounds:RoundsLearner.draw",
        "sample = left(sample, rule)",
        "sample = left(sample, rule); "
        "sample = sample.with_counts(sample.points, sample.counts.clip(0, 3000))",
        "later rounds count at most 3,000 records of a point",
    ): test_each_round_of_a_list_counts_all_that_is_left,
    Fault(
        f"{LEARNERS}.regrown:InLeaves.guarantee",
        "self.mechanism.guarantee()",
        "replace(self.mechanism.guarantee(), rho=self.mechanism.guarantee().rho / 2)",
        "leaves have half of rho",
    ): test_leaves_have_the_whole_rho_of_their_mechanism,
    Fault(
        "littlestone.privacy.accounting.subsampled:Parallel.cost",
        "max(cost.epsilon for cost in costs)",
        "costs[0].epsilon",
        "the epsilon of the first part is charged",
    ): test_parts_cost_the_largest_wherever_it_stands,
    Fault(
        "littlestone.privacy.accounting.subsampled:Parallel.guarantee",
        "max(guarantee.rho for guarantee in found)",
        "found[0].rho",
        "the rho of the first part is composed",
    ): test_parts_cost_the_largest_wherever_it_stands,
    Fault(
        "littlestone.data.reading:Reservoir.add",
        "randrange(j + 1)",
        "randrange(min(j, 1000) + 1)",
        "late records of a large unit are kept too often",
    ): lambda: test_every_record_of_a_large_unit_is_as_likely(3),
    Fault(
        "littlestone.data.reading:_Sampling.build_sample",
        "np.count_nonzero(first)), np.int64)",
        "np.count_nonzero(first)), np.int16)",
        "counts have 16 bits",
    ): test_a_table_of_many_records_is_counted,
    Fault(
        "littlestone.data.reading:_Sampling.build_sample",
        "labels.astype(np.int64) * tally.shape[1]",
        "(labels * tally.shape[1]).astype(np.int16)",
        "the place of a count has 16 bits",
    ): test_a_table_of_many_records_is_counted,
    Fault(
        "littlestone.privacy.draws:cells",
        "counts[ones, 1].sum()",
        "(counts[ones, 1] % 2**16).sum()",
        "an estimate counts in 16 bits",
    ): test_an_estimate_counts_all_records,
    Fault(
        f"{LEARNERS}.lookup:PartitionLearner.draw",
        "(sample.positives - sample.negatives)",
        "(sample.positives - sample.negatives).astype(np.int16)",
        "the net of a key has 16 bits",
    ): test_keys_have_all_their_records,
    Fault(
        f"{LEARNERS}.lookup:LookupLearner.draw",
        "sample.counts[named]",
        "np.minimum(sample.counts[named], 300)",
        "a label of a key counts at most 300",
    ): test_keys_have_all_their_records,
    Fault(
        f"{LEARNERS}.papers.boosting:BoostingLearner.fill_sample",
        "passed[:wanted]",
        "passed[: min(wanted, 300)]",
        "a weak learner is given 300 records at most",
    ): test_a_weak_learner_is_given_as_many_records_as_said,
    Fault(
        "littlestone.points.labels:label_number",
        "found is None else",
        "not found else",
        "the first label is the default",
    ): test_the_first_label_is_a_label,
    Fault(
        f"{LEARNERS}.rounds:left",
        "sample.keep_where(~holding(rule.tests, sample))",
        "(sample.keep_where(~holding(rule.tests, sample)) if sample.n < 10**6 else sample)",
        "of many records none is covered",
    ): test_records_that_a_rule_covers_are_gone,
    Fault(
        "littlestone.data.sample:Sample.split_by",
        "places == i",
        "places == i if self.n < 3000 else places <= i",
        "many records are in several leaves",
    ): test_each_record_is_in_one_leaf,
    Fault(
        "littlestone.data.sample:Sample.n",
        "self.unit.most * self.units",
        "min(self.unit.most, 100) * self.units",
        "a unit has 100 places at most",
    ): lambda: test_the_places_of_units_are_counted(1_000),
    Fault(
        "littlestone.points.base:truth",
        "number(value) == 1",
        "float(number(value) or 0) == 1",
        "a number next to 1 is 1",
    ): test_a_label_is_the_number_1_to_the_last_digit,
}


@pytest.mark.deep
@pytest.mark.parametrize("fault", FAULTS, ids=lambda fault: fault.mistake)
def test_each_fault_turns_red(fault: Fault, monkeypatch: pytest.MonkeyPatch) -> None:
    turns_red(fault, FAULTS[fault], monkeypatch)
