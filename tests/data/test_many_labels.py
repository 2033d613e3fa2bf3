"""One record, one label of several: whatever the source, and whatever the other records are."""

from __future__ import annotations

import random
from collections import Counter
from decimal import Decimal
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from sources import FILES, FRAMES
from test_one_record_one_example import KINDS, OBJECTS, Kind

from each import each
from littlestone.base.errors import DeclarationError, TableError
from littlestone.data import Condition, Label, label_names, open_table, read_sample
from littlestone.data.sample import Sample
from littlestone.points import Strings
from littlestone.points.labels import check_labels

LABELS = Label.parse("y", labels=("?", "1", "ab", "inf", "0.29"))


def examples(sample: Sample[Any]) -> Counter[tuple[Any, int]]:
    return Counter(
        {
            (x, y): count
            for x, row in zip(sample.points, sample.counts.tolist(), strict=True)
            for y, count in enumerate(row)
            if count
        }
    )


def read(source: object) -> Counter[tuple[Any, int]]:
    return examples(read_sample(open_table(source), Strings("x"), LABELS))


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.name)
def test_a_record_is_encoded_by_itself(kind: Kind, tmp_path: Path) -> None:
    rng = random.Random(5)
    few = rng.sample(range(len(kind.values)), min(4, len(kind.values)))
    records = [(kind.values[rng.choice(few)], kind.values[rng.choice(few)]) for _ in range(6)]
    alone: Counter[tuple[Any, int]] = Counter()
    for record in records:
        alone += read(kind.make([record], tmp_path))
    assert read(kind.make(records, tmp_path)) == alone


@each("make", [*FILES, *FRAMES], ids=lambda make: make.__name__)
def test_all_sources_agree(make: Any, tmp_path: Path) -> None:
    x, y = ["a", "b", "a", "c", "a", "b"], ["1", "ab", "zz", " ab", None, "1"]
    found = read(make({"x": x, "y": y}, tmp_path))
    assert found == {("a", 1): 1, ("b", 2): 1, ("a", 0): 2, ("c", 0): 1, ("b", 1): 1}


@pytest.mark.parametrize("values", [[1, 0, 2], [1.0, 0.0, 2.0], [True, False, False], ["1.0", "", "2"],
                                    ["1", None, "nan"]])  # fmt: skip
def test_one_number_is_one_label_in_every_type(values: list[Any]) -> None:
    frame = pd.DataFrame({"x": list("abc"), "y": pd.Series(values, dtype=object)})
    assert read(frame) == {("a", 1): 1, ("b", 0): 1, ("c", 0): 1}
    pairs = zip("abc", values, strict=True)
    assert examples(Sample.from_examples(Strings("x"), pairs, labels=LABELS.names)) == read(frame)


@each("place", range(len(OBJECTS)))
def test_a_label_is_the_rule_that_holds(place: int) -> None:
    """Several labels read a value as one label each would: a total function that never raises."""
    value = OBJECTS[place]
    holds = [y for y, name in enumerate(LABELS.names) if y and Condition("==", name)(value)]
    assert LABELS(value) == (holds or [0])[0]
    assert len(holds) <= 1


def test_labels_are_declared() -> None:
    assert Label.parse("y", labels='a, "b, or c" ,d', default="d").names == ("d", "a", "b, or c")
    assert Label.parse("y", labels="a, b", default=" b").names == ("b", "a")
    assert Label.parse("y", labels=["a", " b", "b"], default=" b").names == (" b", "a", "b")
    assert label_names("a\nb") == ["a b"]
    assert label_names("") == []
    many = ",".join(map(str, range(10_000)))
    for text in ("", "a", "a,a", "a,,b", "1,1.0", "1,true", " , ", many):
        with pytest.raises(DeclarationError, match="declare"):
            Label.parse("y", labels=text)
    with pytest.raises(DeclarationError, match="not one of"):
        Label.parse("y", labels="a,b", default="c")
    several: list[dict[str, Any]] = [
        {},
        {"positive": 1, "labels": "a,b"},
        {"positive": 1, "default": "a"},
    ]
    for wrong in several:
        with pytest.raises(DeclarationError):
            Label.parse("y", **wrong)
    assert len(check_labels(map(str, range(1000)))) == 1000


def test_values_that_look_like_numbers() -> None:
    labels = Label.parse("y", labels=("other", "0.1", "1e3"))
    shown = [0.1, "0.10", Decimal("0.1"), np.float32(0.1), 1000, "1000.0", 10**5000, "0.1 "]
    assert [labels(value) for value in shown] == [1, 1, 1, 1, 2, 2, 0, 1]


def test_what_evaluation_refuses() -> None:
    for frame in ({"x": ["", ""], "y": ["1", "1"]}, {"x": ["a", "b"], "y": ["", ""]}):
        table = open_table(pd.DataFrame(frame))
        assert read_sample(table, Strings("x"), LABELS).n == 2
        with pytest.raises(TableError, match="none of its values"):
            read_sample(table, Strings("x"), LABELS, refuse_blank=True)
    texts = open_table(pd.DataFrame({"x": ["a", ""], "y": ["", "no label"]}))
    assert read_sample(texts, Strings("x"), LABELS, refuse_blank=True).n == 2
