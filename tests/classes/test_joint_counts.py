"""How many examples obey every two or three conditions, beside a look at each example."""

import random
from collections.abc import Callable
from itertools import product
from typing import Any

import numpy as np
import pytest
from mixed_tables import random_examples, sample_of

from littlestone.classes import parse_class, trees
from littlestone.classes.counting.blocks import covered_table, joint_counts, merge_columns
from littlestone.data.sample import Sample
from planting import Fault, turns_red

TEXTS = {
    "x at {0, 5, 9}, sex in {F, M}, y: 0..3, on in {u, v}": 200,  # no two columns as one
    "x at {7}, sex in {F}, y: 0..3, on in {u, v}": 3000,
    "x: 0..9": 50,
    "x at {7}": 3,
    "x at {1, 2}, sex in {F}": 0,
}


@pytest.mark.parametrize("order", [1, 2, 3])
@pytest.mark.parametrize("labels", [2, 3])
@pytest.mark.parametrize("text", TEXTS)
def test_counts_are_those_of_a_look_at_each_example(text: str, labels: int, order: int) -> None:
    H: Any = parse_class(f"trees({text}; depth 1)", labels=labels)
    sample = sample_of(H, random_examples(H, random.Random(3), TEXTS[text]))
    found: Any = joint_counts(sample, H._splits, order)
    holds = np.array(
        [[x[t.column] in t.accepted for x in sample.points] for t in H.splits], np.int64
    ).reshape(len(H.splits), len(sample.points))
    assert found.shape == (labels, *[len(H.splits)] * order)
    for chosen in product(range(len(H.splits)), repeat=order):
        assert (found[:, *chosen] == holds[list(chosen)].prod(axis=0) @ sample.counts).all()


def test_small_columns_are_counted_as_one() -> None:
    """Only cells that occur count: two each here, of four declared."""
    H: Any = parse_class(f"trees({', '.join(f'c{j} in {{u, v}}' for j in range(12))}; depth 1)")
    rng = random.Random(1)
    examples = [(tuple(rng.choice("uv") for _ in range(12)), 1) for _ in range(2000)]
    sample = sample_of(H, examples)
    coded: Any
    coded, matrices = merge_columns(sample, H._splits, 3)
    assert coded.sizes == (16, 16, 16)
    assert [matrix.shape for matrix in matrices] == [(12, 16)] * 3
    assert int(np.bincount(coded.codes[0], minlength=16).min()) > 0
    # A table of two columns has room for more cells of each.
    assert merge_columns(sample, H._splits, 2)[0].sizes == (32, 32, 4)


def indicator_rows(cells: int) -> dict[str, Any]:
    """Tests on a column of so many cells."""
    cuts = np.arange(cells) >= np.arange(1, cells)[:, None]
    ends = np.arange(cells) < np.arange(2, cells, 3)[:, None]
    return {
        "cuts": cuts,
        "intervals": cuts & np.vstack([ends, ends, ends])[: cells - 1],
        "never, always and values": np.vstack([np.zeros(cells), np.ones(cells), np.eye(cells)]),
        "complements of values": 1 - np.eye(cells),
    }


def test_cells_are_summed_over_tests_of_any_kind() -> None:
    """By the definition, for few cells and for many, and in front of other columns."""
    rng = np.random.default_rng(1)
    for cells in (3, 70):
        table = rng.integers(0, 2**45, (2, cells, 5))  # their sums are below 2^53
        for kind, tests in indicator_rows(cells).items():
            wanted = [[row[test > 0].sum(axis=0).tolist() for test in tests] for row in table]
            found = covered_table(table, [tests.astype(float)])
            assert found.dtype == np.int64
            assert np.moveaxis(found, -1, 1).tolist() == wanted, (cells, kind)


def test_more_records_than_32_bits_hold_are_counted() -> None:
    H: Any = parse_class("trees(x at {0, 5}; depth 2)")
    points = [(x,) for x in list(H.domain.columns[0].points)[2:3]]
    for most in (2**31 - 1, 2**31, 2**33):
        sample = Sample[Any](H.domain, points, np.array([[0, most]]))
        assert joint_counts(sample, H._splits, 2).max() == most


@pytest.mark.parametrize("depth", [1, 2, 3])
def test_errors_are_the_same_where_32_bits_just_hold_the_counts(depth: int) -> None:
    """Of 2^31 - 1 examples, half with each label, and in each place."""
    H: Any = parse_class(f"trees(x at {{0, 5}}, sex in {{F, M}}; depth {depth})")
    points = list(product(list(H.domain.columns[0].points)[:2], "FM"))
    counts = 2**28 + np.array([[-5, 0], [1, 1], [-2, 3], [4, -3]])
    sample = Sample[Any](H.domain, points, counts)
    assert sample.counts.sum() == 2**31 - 1
    narrow = H.scores(sample)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(trees, "joint_counts", lambda *given: joint_counts(*given).astype(np.int64))
        wide = H.scores(sample)
    assert (narrow.least, narrow.best) == (wide.least, wide.best)
    if depth == 2:
        every, shifts = np.arange(len(wide.groups)), [np.zeros(len(wide.groups), np.int64)] * 2
        first, second = (list(found.groups.errors(every, shifts)) for found in (narrow, wide))
        assert np.array_equal(first, second)


BLOCKS = "littlestone.classes.counting.blocks"
FAULTS: dict[Fault, Callable[[], None]] = {
    Fault(f"{BLOCKS}:_sum_cells", "or rises.max() > 1", "", "what is no interval is one"):
        test_cells_are_summed_over_tests_of_any_kind,
    Fault(f"{BLOCKS}:_sum_cells", "tests[:, 0] + ", "", "an interval may begin twice"):
        test_cells_are_summed_over_tests_of_any_kind,
    Fault(f"{BLOCKS}:_sum_cells", "starts + tests", "tests", "intervals begin at the first cell"):
        test_cells_are_summed_over_tests_of_any_kind,
    Fault(f"{BLOCKS}:_sum_cells", "np.zeros((len(cells) + 1, *cells.shape[1:]), np.int64)",
          "np.zeros((len(cells) + 1, *cells.shape[1:]), np.int32)", "running sums have 32 bits"):
        test_cells_are_summed_over_tests_of_any_kind,
    Fault(f"{BLOCKS}:joint_counts", "< 1 << 31", "<= 1 << 31",
          "2^31 records have counts of 32 bits"): test_more_records_than_32_bits_hold_are_counted,
    Fault(f"{BLOCKS}:joint_counts", "< 1 << 31 else np.int64", "else np.int64",
          "counts have 32 bits"): test_more_records_than_32_bits_hold_are_counted,
}  # fmt: skip


@pytest.mark.parametrize("fault", FAULTS, ids=lambda fault: fault.mistake)
def test_other_sums_are_seen(fault: Fault, monkeypatch: pytest.MonkeyPatch) -> None:
    turns_red(fault, FAULTS[fault], monkeypatch)
