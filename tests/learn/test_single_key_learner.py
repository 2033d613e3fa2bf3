"""Classes of Littlestone dimension 1: what records name, and the learners that count it."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product
from typing import Any

import numpy as np
import pytest

from littlestone.base.errors import DeclarationError
from littlestone.classes import FiniteClass, HypothesisClass, parse_class
from littlestone.classes.dimensions.closed_forms import has_one_mistake
from littlestone.classes.promises.named import NamedFunctions
from littlestone.data.sample import Sample
from littlestone.learn import ChoosingLearner, PrivateLearner, SingleKeyLearner
from littlestone.learn.plan import choose_learner
from littlestone.privacy import Budget
from littlestone.privacy.ledger import Ledger
from littlestone.privacy.mistakes import MistakeCosts
from littlestone.privacy.randomness import seeded_generator
from littlestone.prove.audit.claims import exact_audit, neighbours
from littlestone.rules import values_of

BUDGET = Budget(1, "1e-6")
THREE = FiniteClass.from_array([[0, 0, 0], [1, 0, 0], [0, 2, 0], [0, 1, 1], [2, 0, 0]], labels=3)
TEXTS = [
    "linear(x, y; q 2, dimension 1)",
    "affine(x, y; q 2, dimension 0)",
    "conjunctions(a; monotone)",
    "thresholds(x, 0..1)",
    "juntas(a; k 0)",
    "points(name)",
    "lookup(name; at most 1)",
    "complement(conjunctions(a; monotone))",
]
CLASSES = [*map(parse_class, TEXTS), THREE]


def tables(labels: int) -> Iterator[FiniteClass]:
    """Random tables of Littlestone dimension 1, grown function by function."""
    g = np.random.default_rng(labels)
    for _ in range(8):
        rows = g.integers(labels, size=(1, 6))
        for row in g.integers(labels, size=(60, 6)) * g.integers(2, size=(60, 6)):
            more = np.unique(np.vstack([rows, row]), axis=0)
            if has_one_mistake(FiniteClass.from_array(more, labels=labels)):
                rows = more
        yield FiniteClass.from_array(rows, labels=labels)


@pytest.mark.parametrize("labels", [2, 3])
def test_a_record_names_the_one_function_that_may_be_behind_it(labels: int) -> None:
    for H in tables(labels):
        named, f = NamedFunctions(H), H.soa()
        rows = H.table()
        assert len(rows) > 2
        for j, x in enumerate(H.domain):
            for y in range(labels):
                found = [row.tolist() for row in rows if row[j] == y]
                h = named.name(x, y)
                if f(x) == y:
                    assert h is None
                else:
                    assert found == ([] if h is None else [list(values_of(h, H.domain))])


@pytest.mark.parametrize("kind", [SingleKeyLearner, ChoosingLearner])
@pytest.mark.parametrize("H", CLASSES, ids=str)
def test_private_on_every_tiny_pair(H: HypothesisClass[Any], kind: type[Any]) -> None:
    if kind is ChoosingLearner and H.labels > 2:
        return
    learner = kind(H, Budget(1, "0.1"))
    records = tuple(product(H.domain.examples(2), range(H.labels)))

    def law(data: Any) -> Any:
        return learner.distribution(Sample.from_examples(H.domain, data, labels=H.labels))

    assert exact_audit(law, neighbours(records, 3, ordered=False), learner.event).holds


@pytest.mark.parametrize("H", CLASSES, ids=str)
def test_the_right_function_is_released(H: HypothesisClass[Any]) -> None:
    """Where half of the records leave the SOA, and where none does."""
    named = NamedFunctions(H)
    x, y = next(
        (x, y)
        for x in H.domain.examples(3)
        for y in range(H.labels)
        if named.name(x, y) is not None
    )
    target = named.name(x, y)
    assert target is not None
    for h in (target, named.rest):
        points = [p for p in H.domain.examples(4) if h is target or p != x]
        examples = [(p, h(p)) for p in [x, *points]] * 100
        sample = Sample.from_examples(H.domain, examples, labels=H.labels)
        learners: list[PrivateLearner[Any]] = [SingleKeyLearner(H, BUDGET)]
        if H.labels == 2:
            learners.append(ChoosingLearner(H, BUDGET))
        for learner in learners:
            with Ledger() as ledger:
                rng = seeded_generator(1)
                release = learner.fit(sample, ledger=ledger, dataset="d", rng=rng)
            assert release.hypothesis == h


def test_the_size_is_that_of_one_key_and_wrong_labels_take_the_choosing_mechanism() -> None:
    for H in CLASSES:
        one_key = SingleKeyLearner(H, BUDGET).plan(0.1, 0.05, setting="realizable")
        assert one_key is not None
        assert one_key.n == 219
        if H.labels == 2:
            weighed = ChoosingLearner(H, BUDGET).plan(0.1, 0.05)
            assert weighed is not None
            assert weighed.n == 2146
    lines = parse_class("linear(x, y, z; q 101, dimension 1)")
    clean, why = choose_learner(lines, BUDGET, setting="realizable")
    assert clean.method == "single_key"
    assert why.endswith("for clean labels, of all methods without another caveat")
    assert choose_learner(lines, BUDGET)[0].method == "choosing"
    points = parse_class("points(a)")
    assert choose_learner(points, BUDGET, setting="realizable")[0].method == "single_key"


def test_larger_classes_and_unequal_costs_are_refused() -> None:
    for text in ("linear(x, y; q 5, dimension 2)", "thresholds(x, 0..9)"):
        for kind in (SingleKeyLearner, ChoosingLearner):
            with pytest.raises(DeclarationError, match=r"above 1|of which few cover"):
                kind(parse_class(text), BUDGET)
    with pytest.raises(DeclarationError, match="changes of one rule"):
        ChoosingLearner.weighing(
            parse_class("linear(x, y; q 5, dimension 1)"), BUDGET, MistakeCosts(5, 1)
        )


def test_wrong_labels_are_weighed_by_the_choosing_mechanism() -> None:
    """A fifth of the labels are flipped; the line is released all the same."""
    H = parse_class("linear(x, y; q 101, dimension 1)")
    line = NamedFunctions(H).name((1, 5), 1)
    assert line is not None
    g = np.random.default_rng(1)
    points = [(i % 101, 5 * i % 101) for i in range(700)]
    points += [(int(a), int(b)) for a, b in g.integers(101, size=(1500, 2))]
    examples = [(x, line(x) ^ int(g.random() < 0.2)) for x in points]
    with Ledger() as ledger:
        sample = Sample.from_examples(H.domain, examples)
        learner = ChoosingLearner(H, BUDGET)
        rng = seeded_generator(3)
        assert learner.fit(sample, ledger=ledger, dataset="d", rng=rng).hypothesis == line


def test_the_work_on_a_table_is_a_row_for_each_point_and_label() -> None:
    two = FiniteClass.from_array(np.eye(5, dtype=int))
    three = FiniteClass.from_array([[0, 0], [1, 2]], labels=3)
    assert NamedFunctions(two).most_candidates(7) == 7
    assert [NamedFunctions(two).work(n) for n in (0, 3, 5, 1000)] == [0, 15, 25, 25]
    assert [NamedFunctions(three).work(n) for n in (3, 1000)] == [6, 8]
    assert [NamedFunctions(parse_class("points(x)")).work(n) for n in (3, 1000)] == [3, 1000]
