"""One task: a table, a label, and columns declared in words."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from benchmarks.ordinary_tables.reading import Table
from littlestone.data import Label, open_table, read_sample
from littlestone.data.sample import Sample
from littlestone.points import Domain

MOST_ROWS = 7_000  # of a larger table, so many are taken at random
TRAINING = 0.7
RUNS = 20
EPSILONS = ("1", "0.1", "4")


@dataclass(frozen=True)
class Task:
    """Whether ``label`` is ``positive``, from ``columns``, one declaration a line.

    The declarations are what somebody would write who knows what the columns measure: round numbers,
    and lists of values.  None is computed from the table.  A column that is not declared is not used.
    """

    name: str
    source: str
    read: Callable[[], Table]
    label: str
    positive: str
    columns: str

    @property
    def declared(self) -> list[str]:
        """The text of each column."""
        return self.columns.strip().splitlines()

    @property
    def question(self) -> Label:
        """The label, as the library reads it."""
        return Label.parse(self.label, self.positive)

    @cached_property
    def table(self) -> Table:
        """The rows of the task; at most `MOST_ROWS`, taken with a fixed seed."""
        table = self.read()
        rows = len(table[self.label])
        if rows <= MOST_ROWS:
            return table
        chosen = np.random.default_rng(0).choice(rows, MOST_ROWS, replace=False).tolist()
        return {column: [values[i] for i in chosen] for column, values in table.items()}

    @cached_property
    def labels(self) -> NDArray[np.int64]:
        """The label of each row, 0 or 1."""
        return np.array([self.question(value) for value in self.table[self.label]], dtype=np.int64)

    def split(self, run: int) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """The rows to learn from and the rows to score, in a random order that the run fixes."""
        order = np.random.default_rng(run).permutation(len(self.labels))
        size = int(TRAINING * len(order))
        return order[:size], order[size:]

    def samples(self, run: int, domain: Domain[Any]) -> tuple[Sample[Any], Sample[Any]]:
        """The records to learn from and to score in a run, as the library reads them."""
        learn, score = (
            read_sample(open_table(self._frame.take(rows)), domain, self.question)
            for rows in self.split(run)
        )
        return learn, score

    @cached_property
    def _frame(self) -> pa.Table:
        return pa.table({name: pa.array(values) for name, values in self.table.items()})
