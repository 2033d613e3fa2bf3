"""Functions of a few columns of a record."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import product
from math import prod
from typing import Any, Self

from littlestone.points import Domain, Product
from littlestone.rules.base import BinaryHypothesis
from littlestone.rules.languages.form import Outcome
from littlestone.rules.tables import TableFunction

MOST_CELLS = 1 << 16
"""The most records of the chosen columns; a function has a label for each."""


@dataclass(frozen=True)
class FewColumns(BinaryHypothesis[Any]):
    """A function of the columns ``chosen``, with a label for each record of these columns.

    ``labels_of`` are the labels in the order of the product of the columns.  The form does not grow
    with the other columns.  Canonical: the columns are in order, and a column on which the function
    does not depend is left out.

    >>> from littlestone.points import Grid
    >>> bits = Product(tuple(Grid(0, 1, name) for name in ("wet", "cold", "dark")))
    >>> FewColumns(bits, (0, 2), (0, 0, 0, 1)).words()
    'wet = 1 and dark = 1'
    >>> FewColumns(bits, (0, 2), (0, 0, 1, 1)).chosen
    (0,)
    """

    domain: Product
    chosen: tuple[int, ...]
    labels_of: tuple[int, ...]

    def __post_init__(self) -> None:
        chosen, given = self.chosen, self.labels_of
        for j in reversed(self.chosen):
            sizes = _sizes(self.domain, chosen)
            at = chosen.index(j)
            inner = prod(sizes[at + 1 :])
            outer = sizes[at] * inner
            kept = tuple(y for i, y in enumerate(given) if i % outer < inner)
            if all(y == kept[i // outer * inner + i % inner] for i, y in enumerate(given)):
                chosen, given = (*chosen[:at], *chosen[at + 1 :]), kept
        object.__setattr__(self, "chosen", chosen)
        object.__setattr__(self, "labels_of", given)

    @cached_property
    def _table(self) -> TableFunction:
        """The function on the chosen columns, at least one."""
        columns = tuple(self.domain.columns[j] for j in self.chosen)
        return TableFunction.from_labels(Product(columns), self.labels_of)

    def __call__(self, x: Any) -> int:
        at = 0
        for j, size in zip(self.chosen, _sizes(self.domain, self.chosen), strict=True):
            at = at * size + self.domain.columns[j].index(x[j])
        return self.labels_of[at]

    def words(self) -> str:
        return self._table.words() if self.chosen else f"always {self.labels_of[0]}"

    def outcome(self) -> Outcome:
        return self._table.outcome() if self.chosen else self.labels_of[0]

    @property
    def tested_columns(self) -> tuple[str, ...]:
        return tuple(self.domain.column_names[j] for j in self.chosen or (0,))

    def witness(self, other: Self) -> Any:
        x = [column.examples(1)[0] for column in self.domain.columns]
        both = sorted({*self.chosen, *other.chosen})
        for values in product(*(self.domain.columns[j] for j in both)):
            for j, v in zip(both, values, strict=True):
                x[j] = v
            if self(x) != other(x):
                return tuple(x)
        return None

    def form(self) -> dict[str, object]:
        return {"columns": list(self.chosen), "labels": "".join(map(str, self.labels_of))}

    @classmethod
    def from_form(cls, domain: Domain[Any], form: Mapping[str, Any]) -> Self:
        chosen, digits = form["columns"], form["labels"]
        if not isinstance(domain, Product) or not _are_columns(domain, chosen):
            raise ValueError
        if not isinstance(digits, str) or {*digits} - {*"01"}:
            raise ValueError
        if len(digits) != prod(_sizes(domain, chosen)):
            raise ValueError
        found = cls(domain, tuple(chosen), tuple(map(int, digits)))
        if found.chosen != tuple(chosen):
            raise ValueError
        return found


def _sizes(domain: Product, chosen: Iterable[int]) -> list[int]:
    return [domain.columns[j].size or 0 for j in chosen]


def _are_columns(domain: Product, chosen: Sequence[object]) -> bool:
    """Whether ``chosen`` are numbers of finite columns, in order, with few records."""
    if type(chosen) is not list or any(type(j) is not int for j in chosen):
        return False
    legal = all(0 <= j < len(domain.columns) for j in chosen) and sorted({*chosen}) == chosen
    return legal and 0 < prod(_sizes(domain, chosen)) <= MOST_CELLS
