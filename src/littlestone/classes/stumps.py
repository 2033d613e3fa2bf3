"""Decision stumps: a threshold, or its complement, on one of several columns."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from math import prod
from typing import Any, Self, cast

import numpy as np
from numpy.typing import NDArray

from littlestone.base.errors import TooLargeError, in_digits
from littlestone.classes.base import BinaryClass, Enumerable, require_example
from littlestone.classes.promises.counted import BoxFamily
from littlestone.classes.text.declared import DeclaredClass
from littlestone.classes.text.spec import Spec, grid_text, parse_grids, require_grids
from littlestone.classes.thresholds import Thresholds
from littlestone.data.sample import Sample
from littlestone.points import Grid, Product
from littlestone.privacy.scores import ErrorRuns
from littlestone.rules import Box, TableFunction

LIMIT = 1 << 20
"""The most points of the domain, because a function on records is stored label by label."""

Record = tuple[int, ...]


@dataclass(frozen=True)
class Stumps(Enumerable[Record], BinaryClass[Record], DeclaredClass):
    """The functions 1[x_j >= t] and 1[x_j < t] for a column j and a cut t, and the constants 0 and 1.

    A version space holds the constants that are left and, for each column, an interval of cuts for
    ``ups``, the 1[x_j >= t], and one for ``downs``, the 1[x_j < t].  For each version space V

        LDim = floor(log2 |V|)

    (docs/proofs/stumps.md: some record always splits V in halves).  All methods except `soa`,
    `hypothesis` and `error_runs` take O(number of columns).  The domain has at most 2^20 records; on
    more, `parse` makes `CountedStumps`, without version spaces.

    >>> H = Stumps.over([Grid(0, 23, "hour"), Grid(0, 6, "day")])
    >>> H.size, H.littlestone_dimension(), H.hypothesis(30).words()
    (60, 5, 'hour <= 5')
    """

    keyword = "stumps"
    group = "ranges"
    typical = "stumps(hour 0..23, day 0..6)"

    domain: Product
    ups: tuple[Thresholds, ...]
    downs: tuple[Thresholds, ...]
    zero: bool = True
    one: bool = True

    @classmethod
    def over(cls, grids: Sequence[Grid]) -> Self:
        """All stumps on the columns.  Raises `DeclarationError` for more than 2^20 records."""
        require_grids(grids, cls.__name__)
        domain = Product(tuple(grids))
        records = prod(grid.size for grid in grids)
        if records > LIMIT:
            raise TooLargeError(
                f"declare stumps on {domain}",
                found=f"these are {in_digits(records)} records, more than {LIMIT}",
                fix="declare fewer columns, shorter ranges or a coarser step",
            )
        return cls._whole(domain)

    @classmethod
    def _whole(cls, domain: Product) -> Self:
        # The cuts low and high + 1 would repeat the constants once for each column.
        grids = cast("tuple[Grid, ...]", domain.columns)
        cuts = tuple(Thresholds(grid, grid.low, grid.high) for grid in grids)
        return cls(domain, cuts, cuts)

    def restrict(self, x: Record, y: int) -> Self:
        require_example(self, x, y)
        ups = tuple(up.restrict(v, y) for up, v in zip(self.ups, x, strict=True))
        downs = tuple(down.restrict(v, 1 - y) for down, v in zip(self.downs, x, strict=True))
        return type(self)(self.domain, ups, downs, self.zero and not y, self.one and bool(y))

    def is_empty(self) -> bool:
        return self.size == 0

    @property
    def size(self) -> int:
        return self.zero + self.one + sum(part.size or 0 for part in (*self.ups, *self.downs))

    def littlestone_dimension(self) -> int:
        return self.size.bit_length() - 1

    def _column_zeros(self, j: int, v: int) -> int:
        """How many of the stumps on column j are 0 where x_j = v."""
        return (self.ups[j].restrict(v, 0).size or 0) + (self.downs[j].restrict(v, 1).size or 0)

    def soa(self) -> TableFunction:
        self.require_learnable()
        zeros: NDArray[np.int64] = np.array([int(self.zero)])
        for j, grid in enumerate(self._grids):
            column = np.array([self._column_zeros(j, v) for v in grid])
            zeros = (zeros[:, None] + column).ravel()
        return TableFunction.from_labels(self.domain, zeros < 1 << self.littlestone_dimension())

    @property
    def _grids(self) -> tuple[Grid, ...]:
        return cast("tuple[Grid, ...]", self.domain.columns)

    def mistake_point(self) -> Record | None:
        if self.size < 2:
            return None
        half = self.size // 2
        return self._record(half) or self._record(self.size - half)

    def _record(self, zeros: int) -> Record | None:
        """A record at which ``zeros`` hypotheses are 0; None if there is none.

        Records for consecutive numbers differ in one column, by one hypothesis.
        """
        missing, x = zeros - self.zero, []
        paths = [self._path(j) for j in range(len(self.ups))]
        missing -= sum(path[0][1] for path in paths)
        if missing < 0:
            return None
        for path in paths:
            (v, low), (_, high) = path[0], path[-1]
            wanted = low + min(missing, high - low)
            missing -= wanted - low
            for (v0, z0), (v1, z1) in pairwise(path):
                if z0 <= wanted <= z1 and z0 < z1:
                    v = v0 + (wanted - z0) * (1 if v1 > v0 else -1)
                    break
            x.append(v)
        return tuple(x) if missing == 0 else None

    def _path(self, j: int) -> list[tuple[int, int]]:
        """Values v of column j with their `_column_zeros`, from the fewest zeros to the most.

        Between two consecutive values the numbers of zeros grow with each step of v, or are constant.
        """
        grid, parts = self._grids[j], (self.ups[j], self.downs[j])
        turns = {grid.low, grid.high} | {
            int(end) for part in parts for end in (part.after, part.upto)
        }
        path = [(v, self._column_zeros(j, v)) for v in sorted(turns)]
        zeros = [z for _, z in path]
        first, last = zeros.index(min(zeros)), zeros.index(max(zeros))
        return path[first : last + 1] if first <= last else path[last : first + 1][::-1]

    def reducing_points(self, k: int) -> list[Record] | None:
        self.require_learnable()
        full = 1 << self.littlestone_dimension()
        root = self.mistake_point()
        if root is None or k < 1:
            return None
        if self.size <= 2 * full - 2:
            return [root]  # either half is smaller than 2^d
        if k == 1:
            return None
        least, most = self._record(full - 1), self._record(full)
        if least is not None and most is not None:
            return [least, most]
        return [tuple(g.low for g in self._grids), tuple(g.high for g in self._grids)]

    def hypothesis(self, index: int) -> TableFunction:
        if not 0 <= index < self.size:
            raise IndexError(f"{self} has no hypothesis number {index}")
        j, cut, label = self.form_of(index)
        if j is None:
            return TableFunction.from_labels(self.domain, [label] * (self.domain.size or 0))
        return self._stump(j, cut, label)

    def form_of(self, index: int) -> tuple[int | None, int, int]:
        """(j, t, y) for the function that is y where x_j >= t only; j is None for the constant y."""
        for label, constant in enumerate((self.zero, self.one)):
            if constant and index == 0:
                return None, 0, label
            index -= constant
        for j, parts in enumerate(zip(self.ups, self.downs, strict=True)):
            for part, label in zip(parts, (1, 0), strict=True):
                if index < (size := part.size or 0):
                    return j, int(part.after) + 1 + index, label
                index -= size
        raise AssertionError  # index < size

    def _stump(self, j: int, cut: int, label: int) -> TableFunction:
        """The function that is ``label`` where column j is at least ``cut``, and not elsewhere."""
        sizes = [grid.size for grid in self._grids]
        column = (np.arange(sizes[j]) >= cut - self._grids[j].low) == bool(label)
        labels = np.tile(np.repeat(column, prod(sizes[j + 1 :])), prod(sizes[:j]))
        return TableFunction.from_labels(self.domain, labels)

    def error_runs(self, sample: Sample[Record]) -> ErrorRuns:
        errors: list[NDArray[np.int64]] = []
        lengths: list[int] = []
        for constant, wrong in ((self.zero, sample.positives), (self.one, sample.negatives)):
            if constant:
                errors.append(np.array([wrong.sum()]))
                lengths.append(1)
        for j, (up, down) in enumerate(zip(self.ups, self.downs, strict=True)):
            values = [x[j] for x in sample.points]  # equal ones make runs of no hypothesis
            straight: Sample[Any] = Sample(up.domain, values, sample.counts)
            swapped: Sample[Any] = Sample(up.domain, values, sample.counts[:, ::-1])
            for part, seen in ((up, straight), (down, swapped)):
                runs = part.error_runs(seen)
                errors.append(runs.errors)
                lengths += runs.lengths or []
        return ErrorRuns(np.concatenate([*errors, np.zeros(0, dtype=np.int64)]), lengths)

    @classmethod
    def parse(cls, spec: Spec) -> Any:
        grids = parse_grids(spec)
        if prod(grid.size for grid in grids) <= LIMIT:
            return cls.over(grids)
        whole = cls._whole(Product(tuple(grids)))
        return CountedStumps(whole.domain, str(whole), whole)

    @classmethod
    def examples(cls) -> list[Self]:
        bit, three, four = Grid(0, 1, "a"), Grid(-1, 1, "b"), Grid(0, 3, "c")
        small = [[bit], [Grid(5, 5, "w")], [three], [bit, three], [four, three]]
        H = cls.over([Grid(0, 23, "hour"), Grid(0, 6, "day"), bit])
        return [*map(cls.over, small), H, H.restrict((12, 3, 0), 1), H.restrict((12, 3, 0), 0)]

    def __str__(self) -> str:
        declared = f"stumps({', '.join(map(grid_text, self._grids))})"
        if self == type(self)._whole(self.domain):
            return declared
        return f"{self.size} hypotheses of {declared}"


@dataclass(frozen=True)
class CountedStumps(BoxFamily):
    """The stumps on a domain of any size: only errors are counted, and a stump is a `Box`.

    >>> H = Stumps.parse(Spec.parse("stumps(hour 0..23, minute 0..59, second 0..59, day 1..31)"))
    >>> H.size, H.littlestone_bounds(), H.hypothesis_of_item(30).words()
    (344, (8, 8), 'hour <= 5')
    """

    domain: Product
    source: str
    whole: Stumps

    @property
    def size(self) -> int:
        return self.whole.size

    def littlestone_bounds(self) -> tuple[int, int]:
        return (self.whole.littlestone_dimension(),) * 2

    def scores(self, sample: Sample[Any]) -> ErrorRuns:
        return self.whole.error_runs(sample)

    def hypothesis_of_item(self, item: int) -> Box:
        j, cut, label = self.whole.form_of(item)
        if j is None and not label:
            return Box(self.domain, None)
        sides = [(grid.low, grid.high) for grid in self.grids]
        if j is not None:
            sides[j] = (cut, sides[j][1]) if label else (sides[j][0], cut - 1)
        return Box(self.domain, tuple(sides))
