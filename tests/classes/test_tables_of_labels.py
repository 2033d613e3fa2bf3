"""Tables of several labels, samples of them and functions of bits."""

from __future__ import annotations

import json
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from littlestone.base.errors import DeclarationError, EmptyClassError, ModelError
from littlestone.classes import FiniteClass, Lookup, parse_class
from littlestone.data.sample import Sample
from littlestone.dimension import multiclass_littlestone_dimension
from littlestone.points import Integers, Strings
from littlestone.rules import BitFunction, FiniteSet, Hypothesis

LABELS = ("a", "b", "c")


def random_tables(count: int) -> list[np.ndarray[Any, Any]]:
    rng = np.random.default_rng(8)
    shapes = [(rng.integers(1, 12), rng.integers(1, 5)) for _ in range(count)]
    return [rng.integers(0, 2 + i % 4, size=shape) for i, shape in enumerate(shapes)]


@pytest.mark.parametrize("table", random_tables(12), ids=lambda table: str(table.shape))
def test_version_spaces_of_a_table(table: np.ndarray[Any, Any]) -> None:
    H = FiniteClass.from_array(table, labels=None)
    assert H.littlestone_dimension() == multiclass_littlestone_dimension(table)
    for (j, x), y in product(enumerate(H.domain), range(H.labels)):
        kept = table[table[:, j] == y]
        V = H.restrict(x, y)
        assert V.is_empty() == (len(kept) == 0)
        if len(kept):
            assert V.littlestone_dimension() == multiclass_littlestone_dimension(kept)
            assert V.size == len(np.unique(kept, axis=0))
            for i in range(V.bits):
                bits = {tuple(row) for row in (kept >> i & 1).tolist()}
                B = V.bit_class(i)
                assert {tuple(h(x) for x in B.domain) for h in B} == bits
        elif H.labels > 2:  # the bit class of two labels is the class itself
            with pytest.raises(EmptyClassError):
                V.bit_class(0)
    assert (H.mistake_point() is None) == (H.littlestone_dimension() <= 0)


def test_a_table_from_a_file(tmp_path: Path) -> None:
    path = tmp_path / "delays.csv"
    path.write_text("JFK,LGA,EWR\n0,1,2\n2,2,0\n")
    H = parse_class(f"finite(origin, '{path}'; other LGA)", 3)
    assert isinstance(H, FiniteClass)
    assert (H.domain.encode("LAX"), H.labels, H.size) == ("LGA", 3, 2)
    assert parse_class(str(H), 3) == H
    with pytest.raises(DeclarationError):
        FiniteClass.from_array([[0, 3]], labels=3)


def test_a_sample_reads_undeclared_labels_as_the_default() -> None:
    examples = [(1, "a"), (1, "?"), (2, None), (2, "c"), ("1", "b")]
    sample = Sample.from_examples(Integers(), examples, labels=["b", "a", "c"])
    assert dict(zip(sample.points, sample.counts.tolist(), strict=True)) == {
        1: [2, 1, 0],
        2: [1, 0, 1],
    }
    assert sample.n == 5
    one = sample.binary({1, 2})
    assert (one.negatives.tolist(), one.positives.tolist()) == ([2, 1], [1, 1])
    assert sample.binary(set()).positives.tolist() == [0, 0]
    assert Sample.from_examples(Integers(), [], labels=3).n == 0
    numbered = Sample.from_examples(Integers(), [(5, 0), (6, 1.0), (7, "2"), (8, 3)], labels=3)
    assert numbered.counts.tolist() == [[1, 0, 0], [0, 1, 0], [0, 0, 1], [1, 0, 0]]
    for labels in (1, ["one"], ["a", "a"], ["a", ""], "ab"):
        with pytest.raises(DeclarationError, match="label"):
            Sample.from_examples(Integers(), [], labels=labels)
    with pytest.raises(DeclarationError, match="3 labels"):
        _ = sample.positives


@pytest.mark.parametrize("method", ["error_runs", "least_errors"])
@pytest.mark.parametrize("labels", [2, 4])
def test_errors_are_counted_on_samples_of_as_many_labels(method: str, labels: int) -> None:
    three = FiniteClass.from_array([[0, 1, 2], [1, 1, 0]], labels=3)
    sample = Sample.from_examples(three.domain, [("x0", 0)], labels=labels)
    with pytest.raises(DeclarationError, match=f"has {labels} labels, and the class has 3"):
        getattr(three, method)(sample)
    with pytest.raises(DeclarationError, match=f"has {labels} labels, and the class has 3"):
        three.error_ball(sample, 1)
    table = Lookup(Strings("tail"), 3, 2)
    with pytest.raises(DeclarationError, match=f"has {labels} labels, and the class has 3"):
        table.least_errors(Sample.from_examples(table.domain, [("a", 0)], labels=labels))


def test_the_largest_gains_come_first() -> None:
    counts = {7: [0, 1], 8: [2, 0], 9: [1, 4], 10: [3, 3]}
    sample = Sample[Any].from_counts(Integers(), counts)
    assert list(sample.gains.items()) == [(9, 3), (7, 1), (10, 0), (8, -2)]


def bits(*sets: str) -> tuple[FiniteSet, ...]:
    return tuple(FiniteSet(Strings("tail"), frozenset(members)) for members in sets)


def test_a_function_of_bits_round_trips() -> None:
    f = BitFunction(Strings("tail"), 3, bits("xz", "yz"), other=1)
    assert [f(x) for x in "wxyz"] == [0, 1, 2, 1]
    again = Hypothesis.from_json(json.loads(json.dumps(f.to_json())))
    assert again == f
    assert len({f, again}) == 1
    assert f.words_with(LABELS) == (
        "the sum of: 1 if tail is one of 'x', 'z'; 2 if tail is one of 'y', 'z', or 1 for a sum "
        "above, where 0 = a, 1 = b, 2 = c"
    )


@pytest.mark.parametrize(
    "damage",
    [{"bits": []}, {"other": 3}, {"other": "1"}, {"labels": ["a"]}, {"labels": "abc"}, {"labels": 1},
     {"kind": "Pickle"}, {"bits": None}, {"bits": "ab"}, {"domain": {"kind": "grid"}}],
)  # fmt: skip
def test_a_damaged_function_is_refused(damage: dict[str, Any]) -> None:
    f = BitFunction(Strings("tail"), 3, bits("xz", "yz"))
    with pytest.raises(ModelError):
        Hypothesis.from_json({**f.to_json(), **damage})
