"""The cells that a rule cannot read in records that it labels, counted for who may see them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from littlestone.data.coding import CodedColumn, Numbering
from littlestone.data.forms import CellForm, WrittenTable
from littlestone.data.table import Table
from littlestone.learn.declared.checking import cell_check, count_faults
from littlestone.learn.declared.column_types import NUMBERS
from littlestone.points import Domain, Listed
from littlestone.points.columns import columns_of


class UnreadCells(WrittenTable):
    """A table whose cells that a domain does not read are counted while it is read in batches.

    ``forms`` say how they are written.  NOT PRIVATE: the counts are those of its records.
    """

    def __init__(self, table: Table, domain: Domain[Any], forms: Mapping[str, CellForm]) -> None:
        super().__init__(table, {})
        self._known = {
            column.name: column
            for column in columns_of(domain)
            if isinstance(column, (*NUMBERS, Listed))
        }
        self._checks = {
            name: Numbering(cell_check(column, written=forms.get(name, CellForm())))
            for name, column in self._known.items()
        }
        self._n, self._counts = 0, {name: Counter[str]() for name in self._checks}

    def batches(self, columns: Sequence[str]) -> Iterator[list[CodedColumn]]:
        for batch in self._table.raw.batches(columns):
            self._n += len(batch[0].codes)
            for name, cells in zip(columns, batch, strict=True):
                if (check := self._checks.get(name)) is not None:
                    numbers = np.bincount(check(cells), minlength=len(check))
                    self._counts[name].update(
                        dict(zip(check.values, numbers.tolist(), strict=True))
                    )
            yield self._table.decode(columns, batch)

    def words(self) -> Iterator[str]:
        """A line for each column with cells that are not read; no value of a cell is among them."""
        for name, found in self._counts.items():
            unread = sum(n for why, n in found.items() if count_faults([why]))
            listed = isinstance(self._known[name], Listed)
            how = "are not read and count as missing"
            how = "are not on its list and count as other" if listed else how
            if unread:
                yield f"{unread:,} of {self._n:,} cells of {name!r} {how}; see `littlestone check`"
