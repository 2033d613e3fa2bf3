"""How many examples obey every two or three conditions, beside a look at each example."""

import random
from itertools import product
from typing import Any

import numpy as np
import pytest
from mixed_tables import random_examples, sample_of

from littlestone.classes import parse_class
from littlestone.classes.counting.blocks import joint_counts, merge_columns

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
    H: Any = parse_class(f"trees({', '.join(f'c{j} in {{u, v}}' for j in range(7))}; depth 1)")
    rng = random.Random(1)
    examples = [(tuple(rng.choice("uv") for _ in range(7)), 1) for _ in range(2000)]
    coded, matrices = merge_columns(sample_of(H, examples), H._splits)
    assert coded.sizes == (16, 8)
    assert [matrix.shape for matrix in matrices] == [(12, 16), (9, 8)]
    assert int(np.bincount(coded.codes[0], minlength=16).min()) > 0
