"""The compiled counter is chosen by public numbers alone, and loaded before anything is spent."""

from __future__ import annotations

import subprocess
import sys
from typing import Any

import numpy as np
import pytest

from littlestone.classes import cell_counts, parse_class
from littlestone.learners import ExponentialLearner
from littlestone.learners.regrown import RegrownLearner
from littlestone.learners.rounds import RoundsLearner
from littlestone.learners.vocabulary import VocabularyLearner
from littlestone.privacy import Budget
from littlestone.privacy.ledger import Ledger
from littlestone.privacy.randomness import seeded_generator
from littlestone.sample import Sample
from littlestone.units import Unit

COLUMNS = "x at {0, 1, 2}, y at {0, 1, 2}"
LEARNERS: list[tuple[Any, str]] = [
    (ExponentialLearner, f"conditions({COLUMNS}; at most 2)"),
    (ExponentialLearner, f"complement(conditions({COLUMNS}; at most 2))"),
    (ExponentialLearner, f"trees({COLUMNS}; depth 2)"),
    (RoundsLearner, f"rule_list({COLUMNS}; at most 2 rules of 2)"),
    (RegrownLearner, f"trees({COLUMNS}; depth 2)"),
    (VocabularyLearner, f"trees({COLUMNS}, w; depth 2)"),
]
COUNTER = "littlestone.dimension.engine.cell_counter"


def fit(kind: Any, text: str, points: int, n: int, unit: Unit | None, book: Ledger) -> None:
    """Learn from ``n`` records of so many distinct ``points``; a unit has 18 values."""
    learner = kind(parse_class(text), Budget(1, "1e-3" if kind is VocabularyLearner else 0))
    domain = learner.hypotheses.domain
    width = len(domain.column_names)
    records = [(str(i % 3), str(i // 3), "a")[:width] for i in range(points)]
    made = Sample.from_examples(domain, [(records[i % points], i % 2) for i in range(n)])
    units = 0 if unit is None else 18
    sample = Sample(made.domain, made.points, made.counts, unit, units)
    learner.fit(sample, ledger=book, dataset="d", rng=seeded_generator(1))


@pytest.mark.parametrize(("kind", "text"), LEARNERS)
@pytest.mark.parametrize(("unit", "sizes"), [(None, [18]), (Unit("who", 2), [18, 30, 36])])
def test_records_do_not_choose_the_counter(
    kind: Any, text: str, unit: Unit | None, sizes: list[int], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Neither the number of distinct points, nor that of void places or of records in a round."""
    n = 18 if unit is None else 36
    monkeypatch.setitem(sys.modules, COUNTER, None)  # importing it fails
    for compiled in (n, 3 * n + 1):
        monkeypatch.setattr(cell_counts, "COMPILED", compiled)
        for points in (1, 5, 9):
            for size in sizes:
                with Ledger() as book:
                    if compiled > 3 * n:
                        fit(kind, text, points, size, unit, book)
                    else:
                        with pytest.raises(ImportError):
                            fit(kind, text, points, size, unit, book)
                        assert book.datasets() == []


def test_the_counter_is_loaded_for_as_many_sets_as_it_counts(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Two columns make two sets of one column: 18 records are counted twice."""
    monkeypatch.setitem(sys.modules, COUNTER, None)
    for compiled, loads in ((36, True), (37, False)):
        monkeypatch.setattr(cell_counts, "COMPILED", compiled)
        with Ledger() as book:
            if loads:
                with pytest.raises(ImportError):
                    fit(ExponentialLearner, LEARNERS[0][1], 3, 18, None, book)
            else:
                fit(ExponentialLearner, LEARNERS[0][1], 3, 18, None, book)
            assert bool(book.datasets()) != loads


@pytest.mark.parametrize("points", [1, 9])
def test_records_do_not_choose_how_they_are_counted(
    points: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The compiled counter is used for few distinct points as for many."""
    from littlestone.dimension.engine import cell_counter

    honest, used = cell_counter.counted, list[int]()

    def noted(*arguments: Any) -> None:
        used.append(1)
        honest(*arguments)

    monkeypatch.setattr(cell_counter, "counted", noted)
    monkeypatch.setattr(cell_counts, "COMPILED", 18)
    with Ledger() as book:
        fit(ExponentialLearner, LEARNERS[0][1], points, 18, None, book)
    assert len(used) == 2  # for one column, and for two


def test_both_counters_count_alike(monkeypatch: pytest.MonkeyPatch) -> None:
    """Also a point with two labels beside one with none."""
    domain: Any = parse_class(LEARNERS[0][1]).domain
    points = (("0", "1"), ("2", "0"), ("1", "1"))
    for counts in ([[3, 5], [0, 0], [1, 0]], [[3, 0], [0, 2], [1, 0]], [[0, 0], [0, 0], [2, 2]]):
        sample = Sample(domain, points, np.array(counts))
        found = []
        for compiled in (1, 1 << 30):
            monkeypatch.setattr(cell_counts, "COMPILED", compiled)
            coded = cell_counts.Coded.of(sample, [0, 1])
            found.append([t.tolist() for t in coded.tables([(0, 1)]) + coded.tables([(0,), (1,)])])
        assert found[0] == found[1]


def test_reading_a_class_loads_no_compiler() -> None:
    """It takes seconds, and every command reads one."""
    code = (
        "import sys; from littlestone.classes import parse_class\n"
        "parse_class('trees(x at {0, 1}; depth 2)')\n"
        "assert 'numba' not in sys.modules"
    )
    subprocess.run([sys.executable, "-c", code], check=True)
