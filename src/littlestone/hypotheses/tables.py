"""Functions on finitely many points, label by label."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from itertools import islice, pairwise
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from littlestone.domains import Domain, Grid, Product
from littlestone.hypotheses.base import Hypothesis
from littlestone.hypotheses.steps import StepFunction

_SHOWN = 50  # points that are named in words


@dataclass(frozen=True)
class TableFunction(Hypothesis[Any]):
    """A function on finitely many points, one label a point in the domain's order, in an integer.

    Bit i of ``bits`` is the label of the i-th point.

    >>> from littlestone.domains import Names
    >>> TableFunction.from_labels(Names(("a", "b", "c")), [0, 1, 1]).words()
    "x is not 'a'"
    """

    domain: Domain[Any]
    bits: int

    def __post_init__(self) -> None:
        object.__setattr__(self, "bits", self.bits & ((1 << self._size) - 1))

    @property
    def _size(self) -> int:
        return self.domain.size or 0  # a domain of unknown size has no table

    @classmethod
    def from_labels(cls, domain: Domain[Any], labels: Iterable[int]) -> Self:
        """The function whose labels, in the order of the points, are ``labels``."""
        digits = "".join("1" if label else "0" for label in labels)
        return cls(domain, int(digits[::-1] or "0", 2))

    def __call__(self, x: Any) -> int:
        return self.bits >> self.domain.index(x) & 1

    def words(self) -> str:
        size, ones = self._size, self.bits.bit_count()
        if ones in (0, size):
            return f"always {int(bool(ones))}"
        if isinstance(self.domain, Product):
            for label, form in ((1, "{}"), (0, "not ({})")):
                if (box := self._box(label)) is not None:
                    return form.format(box)
        # The shorter list; of a long one the beginning.
        listed = int(2 * ones <= size)
        count = ones if listed else size - ones
        chosen = (
            x for x, digit in zip(self.domain, self._labels(), strict=True) if digit == str(listed)
        )
        shown = [
            repr(x)
            if isinstance(x, str)
            else f"({self.domain.words(x)})"
            if isinstance(x, tuple)
            else self.domain.words(x)
            for x in islice(chosen, _SHOWN)
        ]
        verb = "is" if listed else "is not"
        name = "the record" if isinstance(self.domain, Product) else self.domain.name
        if len(shown) == 1:
            return f"{name} {verb} {shown[0]}"
        more = f" and {count - _SHOWN:,} others" if count > _SHOWN else ""
        return f"{name} {verb} one of {', '.join(shown)}{more}"

    def _box(self, label: int) -> str | None:
        """The points of a label in words, if they are all that lie between two ends in each column."""
        labelled = zip(self.domain, self._labels(), strict=True)
        chosen = [x for x, digit in labelled if digit == str(label)]
        ends = [(min(values), max(values)) for values in zip(*chosen, strict=True)]
        pieces, count = [], 1
        columns: tuple[Domain[Any], ...] = self.domain.columns  # type: ignore[attr-defined]
        for column, (first, last) in zip(columns, ends, strict=True):
            if not isinstance(column, Grid):
                return None
            count *= last - first + 1
            low, high = column.words(first), column.words(last)
            if first == last and column.size > 1:
                pieces.append(f"{column.name} = {low}")
            elif first > column.low and last < column.high:
                pieces.append(f"{low} <= {column.name} <= {high}")
            elif first > column.low:
                pieces.append(f"{column.name} >= {low}")
            elif last < column.high:
                pieces.append(f"{column.name} <= {high}")
        return " and ".join(pieces) if count == len(chosen) else None

    def witness(self, other: Self) -> Any:
        differing = self.bits ^ other.bits
        if not differing:
            return None
        first = (differing & -differing).bit_length() - 1
        return next(islice(self.domain, first, None))

    def form(self) -> dict[str, object]:
        return {"labels": self._labels()}

    def _labels(self) -> str:
        """The labels in the order of the points, as digits: read one by one, where shifts are slow."""
        return f"{self.bits:0{self._size}b}"[::-1]

    @classmethod
    def from_form(cls, domain: Domain[Any], form: Mapping[str, Any]) -> Self:
        labels = form["labels"]
        if domain.size is None or len(labels) != domain.size or {*labels} - {*"01"}:
            raise ValueError
        return cls.from_labels(domain, map(int, labels))


def function_of_labels(domain: Domain[Any], labels: Iterable[int]) -> StepFunction | TableFunction:
    """The function with these labels at the points of a finite domain, in the form of its domain.

    >>> from littlestone.domains import Grid
    >>> function_of_labels(Grid(0, 4), [0, 1, 1, 0, 1]).words()
    '1 <= x < 3 or x >= 4'
    """
    if not isinstance(domain, Grid):
        return TableFunction.from_labels(domain, labels)
    listed = [0, *labels]
    changes = (domain.low + i for i, (y, z) in enumerate(pairwise(listed)) if y != z)
    return StepFunction(domain, 0, tuple(changes))


def labels_of(h: Hypothesis[Any], domain: Domain[Any]) -> NDArray[np.bool_]:
    """The labels of ``h`` at the points of a finite domain, in their order.

    >>> from littlestone.domains import Grid
    >>> labels_of(StepFunction.threshold(Grid(0, 3), 2), Grid(0, 3)).astype(int).tolist()
    [0, 0, 1, 1]
    """
    if isinstance(h, TableFunction):
        digits = np.frombuffer(h._labels().encode(), dtype=np.uint8)
        return np.equal(digits, ord("1"))
    return np.fromiter(map(h, domain), dtype=np.bool_, count=domain.size or 0)
