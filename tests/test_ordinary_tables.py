"""The tasks of `python -m benchmarks tables` are what they say, and its best tree is one."""

import json
import random
from itertools import product

import numpy as np
import pytest
from benchmarks.ordinary_tables.as_numbers import codes, mixed, numbers
from benchmarks.ordinary_tables.ours import area, best_tree, follow
from benchmarks.ordinary_tables.page import FIVE, OPEN, RIVALS
from benchmarks.ordinary_tables.reading import MissingPackageError
from benchmarks.ordinary_tables.task import EPSILONS, MOST_ROWS, Task
from benchmarks.ordinary_tables.tasks import TASKS
from benchmarks.ordinary_tables.theirs import KEPT, key

from littlestone.classes import parse_class
from littlestone.data.sample import Sample
from littlestone.points import Grid


@pytest.mark.parametrize("task", TASKS, ids=lambda task: task.name)
def test_task(task: Task) -> None:
    try:
        rows = len(task.table[task.label])
    except MissingPackageError as error:
        pytest.skip(str(error))
    assert rows <= MOST_ROWS
    assert set(task.labels.tolist()) == {0, 1}
    domain = parse_class(f"trees({', '.join(task.declared)}; depth 2)").domain
    names = [column.name for column in domain.columns]  # type: ignore[attr-defined]
    assert set(names) <= set(task.table) - {task.label}
    x = numbers(task)
    assert len(x) == rows
    assert x.min() >= 0
    assert x.max() <= 1
    rows_of_lists, values = mixed(task)
    assert rows_of_lists.shape == (rows, len(values)) == (rows, len(task.declared))
    cells, sizes = codes(task)
    assert cells.shape == rows_of_lists.shape
    assert (cells < sizes).all()
    assert (rows_of_lists <= [max(value - 1, 1) for value in values]).all()


def test_what_is_kept_of_the_others_is_of_these_tasks() -> None:
    kept = json.loads(KEPT.read_text(encoding="utf-8"))
    methods = {*OPEN}
    for epsilon in EPSILONS:
        methods |= {f"{rival}, {epsilon}" for rival in RIVALS}
        methods |= {f"diffprivlib {name}, {epsilon}" for name in FIVE}
    assert set(kept) == methods
    for found in kept.values():
        assert set(found) == {key(task) for task in TASKS}
        for error, ranked, loss, seconds in found.values():
            assert 0 <= error <= 1
            assert 0 <= ranked <= 1
            assert loss >= 0
            assert seconds > 0


def test_area_is_the_chance_that_a_positive_record_ranks_higher() -> None:
    """A tie counts half, as in the AUC of any score."""
    rng = np.random.default_rng(0)
    for _ in range(20):
        counts = rng.integers(0, 4, (10, 2))
        counts[:2] = 1
        sample = Sample(Grid(0, 9), tuple(range(10)), counts)
        records = [[x for x in range(10) for _ in range(counts[x, y])] for y in (0, 1)]
        pairs = [(p > 4) - (q > 4) for p, q in product(records[1], records[0])]
        assert area(lambda x: int(x > 4), sample) == pytest.approx((1 + np.mean(pairs)) / 2)


def test_sixty_tasks_and_names_of_their_own() -> None:
    assert len({task.name for task in TASKS}) == len(TASKS) >= 60


def test_best_tree() -> None:
    """It makes as many mistakes as it says, and no tree of depth two makes fewer."""
    rng = np.random.default_rng(0)
    for seed in range(20):
        conditions = rng.integers(0, 2, (5, 30)).astype(np.float32)
        y = rng.integers(0, 2, 30)
        tree, mistakes = best_tree(conditions, y, random.Random(seed))
        assert int((follow(tree, conditions) != y).sum()) == mistakes
        leaves = (
            [y[(a == i) & (np.where(a, b, c) == j)] for i, j in product((0, 1), repeat=2)]
            for a, b, c in product(conditions.astype(int), repeat=3)
        )
        assert mistakes == min(
            sum(min(leaf.sum(), len(leaf) - leaf.sum()) for leaf in four) for four in leaves
        )
