"""Classes stored as a table of all their hypotheses on the points of a finite domain."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import cached_property, reduce
from itertools import combinations
from operator import or_
from typing import Any, Self

import numpy as np
import numpy.ma  # `np.unique` loads it, and nothing is to be loaded after a spend
from numpy.typing import NDArray

from littlestone.base.errors import DeclarationError, TooLargeError, in_digits
from littlestone.base.work import MOST_ANSWERED, searching
from littlestone.base.work import count_steps as count_steps
from littlestone.classes.base import (
    Enumerable,
    HypothesisClass,
    require_example,
    require_labels_of,
    require_two_labels,
)
from littlestone.classes.dimensions.closed_forms import halving
from littlestone.classes.promises.covering import (
    ProperApproximation,
    mixture_of_rows,
    most_mixed_rows,
)
from littlestone.classes.text.declared import DeclaredClass
from littlestone.data.sample import Sample
from littlestone.dimension.multiclass import psi_n, questions
from littlestone.dimension.search.splits import SplitSolver
from littlestone.dimension.search.version_spaces import VersionSpaces
from littlestone.dimension.tables import LabelTable, PackedTable, SearchTable, row_masks
from littlestone.points import Domain, Grid, Product
from littlestone.privacy.scores import ErrorRuns
from littlestone.rules import Hypothesis, function_of_labels

LIMIT = 1 << 24
"""The most entries of a table of a class given by a formula; a file may hold any number."""

LISTED = 1 << 21
"""The most entries if a class is not a table and its hypotheses are asked one by one."""

WALKED = 1 << 14
"""The most entries if the hypotheses are not numbered but found by restricting the class."""

MIXED = 1 << 20
"""The most entries of a table whose hypotheses are mixed, because each round reads all entries."""


_QUESTION = 16  # steps of a question to the solver, beside one for so many entries of the table:
_SEARCHED = 1 << 9


@dataclass(frozen=True)
class TableClass(Enumerable[Any], ProperApproximation[Any], DeclaredClass):
    """Finitely many functions on a finite domain, as a table made by a formula or from a file.

    ``columns[j][y - 1]`` is a mask over hypotheses, bit i telling whether hypothesis i gives point
    j the label y, y = 1, ..., k; ``alive`` is the mask of the version space, out of ``count``
    hypotheses; ``source`` is the text that declares the class, if any.  `restrict` costs O(k N/64)
    for N hypotheses; dimensions are found by `VersionSpaces` if there are two labels and by
    `SplitSolver` if more, and reducing points by search.  A class that is a table adds its maker
    and `parse`.
    """

    domain: Any  # a finite Domain
    columns: tuple[tuple[int, ...], ...]
    alive: int
    count: int
    source: str
    solver: VersionSpaces | SplitSolver = field(repr=False, compare=False, kw_only=True)

    @classmethod
    def of_rows(
        cls,
        domain: Domain[Any],
        rows: NDArray[Any],
        source: str = "",
        *,
        labels: int = 2,
        **fields: Any,
    ) -> Self:
        """The class whose hypotheses are the pairwise distinct rows, on the points in their order."""
        masks = [row_masks(np.equal(rows.T, y)) for y in range(1, labels)]
        columns = tuple(zip(*masks, strict=True))
        count = len(rows)
        solver: VersionSpaces | SplitSolver
        if labels == 2:
            solver = VersionSpaces(masks[0])
        else:
            table = LabelTable.of(rows, labels=labels)
            solver = SplitSolver(questions(table, psi_n).values())
        return cls(domain, columns, (1 << count) - 1, count, source, solver=solver, **fields)

    @property
    def labels(self) -> int:  # type: ignore[override]
        """The number k + 1 of labels."""
        return 1 + len(self.columns[0])

    def _part(self, column: tuple[int, ...], y: int) -> int:
        """The mask of the remaining hypotheses that give the point of this column the label y."""
        if y:
            return self.alive & column[y - 1]
        return self.alive & ~(column[0] if len(column) == 1 else reduce(or_, column))

    def restrict(self, x: Any, y: int) -> Self:
        require_example(self, x, y)
        return replace(self, alive=self._part(self.columns[self.domain.index(x)], int(y)))

    def is_empty(self) -> bool:
        return self.alive == 0

    @property
    def size(self) -> int:
        return self.alive.bit_count()

    def littlestone_dimension(self) -> int:
        """LDim(H); of the declared class itself, in the steps of an answer.

        Raises `TooLargeError` if that takes more.  Version spaces have no limit of their own, because
        what they cost depends on earlier questions.
        """
        self._count()
        if self.size < self.count:
            return self.solver.dimension(self.alive)
        if self._whole is None:
            raise TooLargeError(
                f"find the Littlestone dimension of {self}",
                found=f"the search takes more than {MOST_ANSWERED:,} steps",
                fix="declare fewer columns or shorter ranges, or write the class as a table, whose "
                "dimension `littlestone dim` searches for as long as you let it",
            )
        return self._whole

    @property
    def closed_form(self) -> int | None:
        """LDim of the declared class, if a formula tells it."""
        return None

    def bound_reasons(self) -> tuple[str, str]:
        return "two of its functions differ", "the majority of its functions errs no more often"

    def search_table(self) -> SearchTable | None:
        known = self.size == self.count and self.closed_form is not None
        if self.labels > 2 or self.size < 2 or known:
            return None
        return SearchTable(PackedTable.pack(self), (1, halving(self.size)))

    @cached_property
    def _whole(self) -> int | None:
        """LDim of the declared class; None if the search takes too many steps."""
        if self.closed_form is not None:
            return self.closed_form
        try:
            with searching(MOST_ANSWERED):
                return self.solver.dimension(self.alive)
        except TooLargeError:
            return None

    def _count(self, questions: int = 1) -> None:
        """Count questions to the solver about this version space, whatever it has cached."""
        if self.size > 1:
            count_steps(questions * (_QUESTION + self.size * len(self.columns) // _SEARCHED))

    def soa_label(self, x: Any) -> int:
        self.domain.require(x)
        self.require_learnable()
        column = self.columns[self.domain.index(x)]
        if isinstance(self.solver, VersionSpaces):
            # At most one label keeps the dimension; if neither does, any label serves the SOA, and
            # 1 is taken.
            return 0 if self.solver.keeps(self.alive, self._part(column, 0)) else 1
        d, last = self.solver.dimension(self.alive), 0
        for y in range(self.labels):
            if part := self._part(column, y):
                last = y
                if self.solver.at_least(part, d):
                    return y
        return last

    def soa(self) -> Any:  # a StepFunction on a grid, a TableFunction elsewhere
        self.require_learnable()
        self._count(len(self.columns))
        return self._soa

    @cached_property
    def _soa(self) -> Any:
        return function_of_labels(self.domain, map(self.soa_label, self.domain), self.labels)

    def mistake_point(self) -> Any:
        below = self.littlestone_dimension() - 1
        if below < 0:
            return None
        at_least = self.solver.at_least
        for x, column in zip(self.domain, self.columns, strict=True):
            if self.labels == 2:
                deep = all(at_least(self._part(column, y), below) for y in (1, 0))
            else:
                parts = (self._part(column, y) for y in range(self.labels))
                deep = sum(1 for part in parts if part and at_least(part, below)) > 1
            if deep:
                return x
        return None

    def reducing_points(self, k: int) -> list[Any] | None:
        """See `HypothesisClass.reducing_points`; exponential in ``k`` in the worst case."""
        self.require_learnable()
        dimension = self.littlestone_dimension()
        if dimension == 0:
            return None
        kept: dict[int, Any] = {}
        for x, column in zip(self.domain, self.columns, strict=True):
            self._count()
            version_space = self._part(column, self.soa_label(x))
            if version_space != self.alive:
                kept.setdefault(version_space, x)

        def reduces(version_spaces: Iterable[int]) -> bool:
            self._count()
            common = self.alive
            for version_space in version_spaces:
                common &= version_space
            return not self.solver.at_least(common, dimension)

        if not reduces(kept):
            return None
        # If k is large, dropping unneeded points one after another settles the question.
        needed = list(kept)
        for version_space in list(kept):
            rest = [other for other in needed if other != version_space]
            if reduces(rest):
                needed = rest
        if len(needed) > k:
            found = (c for r in range(1, k + 1) for c in combinations(kept, r) if reduces(c))
            needed = list(next(found, ()))
        return [kept[version_space] for version_space in needed] or None

    @cached_property
    def _alive_indices(self) -> NDArray[np.int64]:
        return np.flatnonzero(self._unpack(self.alive))

    def _unpack(self, mask: int) -> NDArray[np.uint8]:
        packed = np.frombuffer(mask.to_bytes(-(-self.count // 8), "little"), dtype=np.uint8)
        return np.unpackbits(packed, count=self.count, bitorder="little")

    def table(self) -> NDArray[Any]:
        kept = self._alive_indices
        found = np.zeros((len(kept), len(self.columns)), dtype=bool if self.labels == 2 else int)
        for j, column in enumerate(self.columns):
            for y, mask in enumerate(column, start=1):
                if mask:
                    found[self._unpack(mask)[kept].astype(bool), j] = y
        return found

    def hypothesis(self, index: int) -> Any:
        row = int(self._alive_indices[index])
        values = (
            next((y for y, mask in enumerate(column, start=1) if mask >> row & 1), 0)
            for column in self.columns
        )
        return function_of_labels(self.domain, values, self.labels)

    def __iter__(self) -> Iterator[Any]:
        return map(self.hypothesis, range(self.size))

    def require_mixture(self) -> None:
        require_two_labels(self, "mix the hypotheses of")
        if self.size * len(self.columns) > MIXED:
            raise DeclarationError(
                f"mix the hypotheses of {self}",
                found=f"its table has more than {MIXED} entries",
                fix="declare fewer or shorter columns, or learn with the exponential mechanism",
            )

    def mixture(self, f: Hypothesis[Any], alpha: Fraction) -> list[Hypothesis[Any]]:
        labels = [f(x) for x in self.domain]
        chosen = mixture_of_rows(self.table(), np.array(labels, bool), alpha)
        return [self.hypothesis(row) for row in chosen]

    def most_mixed(self, alpha: Fraction) -> int | None:
        return most_mixed_rows(len(self.columns), alpha)

    def error_runs(self, sample: Sample[Any]) -> ErrorRuns:
        require_labels_of(self, sample)
        zeros = sample.counts[:, 0]
        errors = np.full(self.count, sample.n - zeros.sum(), dtype=np.int64)
        for y in range(1, self.labels):
            for x, change in zip(sample.points, zeros - sample.counts[:, y], strict=True):
                if change:
                    errors += change * self._unpack(self.columns[self.domain.index(x)][y - 1])
        return ErrorRuns(errors[self._alive_indices])

    def __str__(self) -> str:
        whole = self.size == self.count
        if self.source and whole:
            return self.source
        described = f"{self.size} hypotheses on {self.domain.size} points"
        return f"{described} of {self.source}" if self.source else f"a table of {described}"


def distinct(rows: NDArray[Any]) -> NDArray[np.int64]:
    """The numbers of the rows that differ from all rows before them, in order."""
    packed = np.packbits(rows, axis=1) if rows.dtype == np.bool_ else rows
    if rows.dtype == np.bool_ and packed.shape[1] <= 8:  # numbers are sorted in a tenth of the time
        wide = np.zeros((len(rows), 8), dtype=np.uint8)
        wide[:, : packed.shape[1]] = packed
        return np.sort(np.unique(wide.view(np.uint64).ravel(), return_index=True)[1])
    return np.sort(np.unique(packed, axis=0, return_index=True)[1])


def bits(names: Iterable[str]) -> Product:
    """The domain of records with columns of 0s and 1s."""
    return Product(tuple(Grid(0, 1, name) for name in names))


def require_table(declared: str, hypotheses: int, points: int, most: int = LIMIT) -> None:
    """Raise `TooLargeError` if a class is too large to be written as a table."""
    if hypotheses * points > most:
        raise TooLargeError(
            f"write {declared} as a table",
            found=f"{in_digits(hypotheses)} hypotheses on {in_digits(points)} points are more than "
            f"{most} entries",
            fix="declare fewer columns, shorter ranges or a larger step",
        )


def require_finite(part: HypothesisClass[Any], to: str, most: int) -> None:
    """Raise `DeclarationError` unless ``part`` is finite, on at most ``most`` points.

    ``to`` says what was asked, such as ``take the complement of``.
    """
    require_two_labels(part, to)
    points = part.domain.size
    if points is None or part.size is None:
        found = f"{part} is infinite"
    elif points > most:
        found = f"{part} is on {in_digits(points)} points, more than {most}"
    else:
        return
    asked = f"{to} {part}"
    raise DeclarationError(asked, found=found, fix="declare a finite range that is not too long")


def common_domain(parts: Sequence[HypothesisClass[Any]], whole: str) -> Domain[Any]:
    """The common domain of the parts of a combination; `DeclarationError` if they differ."""
    for part in parts:
        require_two_labels(part, f"declare {whole} with")
    domains = {part.domain for part in parts}
    if len(domains) != 1:
        raise DeclarationError(
            f"declare {whole} of {', '.join(map(str, parts))}",
            found=f"the parts are on {len(domains)} domains",
            fix="give classes with the same columns, ranges and steps",
        )
    return domains.pop()


def rows_of(H: HypothesisClass[Any]) -> NDArray[Any]:
    """The table of a finite class on a finite domain, with one row per distinct hypothesis.

    Raises `TooLargeError` if it would have more entries than `LIMIT`, or more than `LISTED` or `WALKED`
    if the hypotheses must be listed or found by a walk.
    """
    if isinstance(H, TableClass):
        return H.table()
    require_finite(H, "write as a table", LIMIT)
    size, listed = H.size or 0, isinstance(H, Enumerable)
    require_table(str(H), size, H.domain.size or 0, LISTED if listed else WALKED)
    if isinstance(H, Enumerable):
        return H.table()
    points = list(H.domain)
    return np.array(list(_walk(H, points)), dtype=bool).reshape(size, len(points))


def _walk(H: HypothesisClass[Any], points: Sequence[Any]) -> Iterator[list[int]]:
    """The labels of each function of H at the points."""
    waiting: list[tuple[HypothesisClass[Any], list[int]]] = [(H, [])]
    while waiting:
        V, labels = waiting.pop()
        if len(labels) == len(points):
            yield labels
            continue
        for y in (1, 0):
            W = V.restrict(points[len(labels)], y)
            if not W.is_empty():
                waiting.append((W, [*labels, y]))
