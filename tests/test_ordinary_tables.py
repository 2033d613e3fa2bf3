"""The tasks of `python -m benchmarks tables` are what they say, and its best tree is one."""

import random
from itertools import product

import numpy as np
import pytest
from benchmarks.ordinary_tables.as_numbers import numbers
from benchmarks.ordinary_tables.ours import best_tree, follow
from benchmarks.ordinary_tables.reading import MissingPackageError
from benchmarks.ordinary_tables.task import MOST_ROWS, Task
from benchmarks.ordinary_tables.tasks import TASKS

from littlestone.classes import parse_class


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
