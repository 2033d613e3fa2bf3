"""Functions of several columns that distinguish finitely many values of each."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import product
from typing import Any, Self

from littlestone.points import Domain, Product, require_list
from littlestone.rules.base import Hypothesis, label_count, numbers
from littlestone.rules.languages.form import Outcome, case
from littlestone.rules.rules import Rule, obeyed, obeys

Cell = Rule
"""A value for each column; None stands for all values that the function does not distinguish."""


@dataclass(frozen=True)
class CellFunction(Hypothesis[Any]):
    """f(x) = the label of the cell of x, which holds each value of x that f names, else None.

    ``values[j]`` are the distinguished values of column j, sorted.  ``given`` are the labels of the
    cells, in the order of the product of None and these values.  The columns are open vocabularies.
    Canonical: a value is not named if all its cells have the same labels as None's, so two are equal
    iff they agree everywhere.  The number of cells is the product over columns of 1 + their values.

    >>> from littlestone.points import Product, Strings
    >>> routes = Product((Strings("origin"), Strings("dest")))
    >>> f = CellFunction(routes, 3, (("EWR", "JFK"), ("HNL",)), (0, 0, 0, 0, 1, 2))
    >>> f.named(["on time", "late", "cancelled"])
    "cancelled if origin is 'JFK' and dest is 'HNL'; else late if origin is 'JFK'; else on time"
    >>> f.values
    (('JFK',), ('HNL',))
    """

    domain: Product
    labels: int
    values: tuple[tuple[Any, ...], ...]
    given: tuple[int, ...]

    def __post_init__(self) -> None:
        told = dict(zip(_cells(self.values), self.given, strict=True))

        def is_needed(j: int, v: Any) -> bool:
            same = ((*cell[:j], None, *cell[j + 1 :]) for cell in told if cell[j] == v)
            here = (y for cell, y in told.items() if cell[j] == v)
            return any(told[other] != y for other, y in zip(same, here, strict=True))

        kept = tuple(
            tuple(v for v in listed if is_needed(j, v)) for j, listed in enumerate(self.values)
        )
        object.__setattr__(self, "values", kept)
        object.__setattr__(self, "given", tuple(told[cell] for cell in _cells(kept)))

    @classmethod
    def of(
        cls,
        domain: Product,
        labels: int,
        values: Sequence[Sequence[Any]],
        label_of: Callable[[Cell], int],
    ) -> Self:
        """The function whose label at a cell of these values is ``label_of`` the cell."""
        named = tuple(tuple(sorted(listed)) for listed in values)
        return cls(domain, labels, named, tuple(map(label_of, _cells(named))))

    @cached_property
    def _label(self) -> dict[Cell, int]:
        return dict(zip(_cells(self.values), self.given, strict=True))

    @cached_property
    def _known(self) -> list[frozenset[Any]]:
        return list(map(frozenset, self.values))

    def __call__(self, x: Any) -> int:
        return self._label[
            tuple(v if v in known else None for v, known in zip(x, self._known, strict=True))
        ]

    def words(self) -> str:
        return self.named(numbers(self.labels))

    def named(self, names: Sequence[str]) -> str:
        """The cells, most specific first; the first cell that holds a record gives its label."""
        *fixed, (_, default) = sorted(
            self._label.items(), key=lambda item: sum(v is None for v in item[0])
        )
        told: list[tuple[Cell, int]] = []
        for cell, y in reversed(fixed):
            # The label that the words so far give the cell: that of the narrowest cell around it.
            around = next((z for other, z in reversed(told) if obeys(cell, other)), default)
            told += [(cell, y)] if y != around else []
        words = [f"{names[y]} if {self._words(cell)}" for cell, y in reversed(told)]
        return "; else ".join([*words, names[default] if words else f"always {names[default]}"])

    def _words(self, cell: Cell) -> str:
        columns = zip(self.domain.columns, cell, strict=True)
        return " and ".join(f"{column.name} is {v!r}" for column, v in columns if v is not None)

    def outcome(self) -> Outcome:
        # The first cell with the most values that a record obeys is its own.
        ordered = sorted(self._label.items(), key=lambda item: sum(v is None for v in item[0]))
        return case([(obeyed(self.domain, cell), y) for cell, y in ordered], 0)

    def witness(self, other: Self) -> Any:
        values = [sorted({*u, *v}) for u, v in zip(self.values, other.values, strict=True)]
        for cell in _cells(values):
            x = tuple(
                v if v is not None else next(u for u in column if u not in named)
                for v, column, named in zip(cell, self.domain.columns, values, strict=True)
            )
            if self(x) != other(x):
                return x
        return None

    def form(self) -> dict[str, object]:
        return {
            "labels": self.labels,
            "values": [list(listed) for listed in self.values],
            "given": list(self.given),
        }

    @classmethod
    def from_form(cls, domain: Domain[Any], form: Mapping[str, Any]) -> Self:
        listed_values = list(map(require_list, require_list(form["values"])))
        if not isinstance(domain, Product) or len(listed_values) != len(domain.columns):
            raise ValueError
        values = tuple(
            tuple(map(column.point_from_json, listed))
            for column, listed in zip(domain.columns, listed_values, strict=True)
        )
        labels, given = label_count(form["labels"]), tuple(require_list(form["given"]))
        legal = all(type(y) is int and 0 <= y < labels for y in given)
        once = all(None not in listed and len(set(listed)) == len(listed) for listed in values)
        if not legal or not once or any(column.size is not None for column in domain.columns):
            raise ValueError
        found = cls(domain, labels, tuple(tuple(sorted(listed)) for listed in values), given)
        if found.values != values:
            raise ValueError
        return found


def _cells(values: Sequence[Sequence[Any]]) -> Iterator[Cell]:
    return product(*((None, *listed) for listed in values))
