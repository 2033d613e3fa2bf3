"""Functions with few steps on an ordered domain, label by label on few points, or of few columns."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property
from itertools import islice, pairwise, product, zip_longest
from math import comb, prod
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from littlestone.points import Domain, FiniteColumn, Grid, Integers, Product, Reals, require_list
from littlestone.rules.base import (
    EXPORT,
    BinaryHypothesis,
    Hypothesis,
    Place,
    label_count,
    numbers,
)
from littlestone.rules.box import box_cover, cover_words
from littlestone.rules.languages.form import (
    Ordered,
    Outcome,
    case,
    either,
    interval,
    outcome_of_labels,
)


@dataclass(frozen=True)
class StepFunction(BinaryHypothesis[Any]):
    """A function on an ordered domain that starts at ``first`` and flips finitely many times.

    h(x) = first xor (number of ``changes`` <= x, modulo 2).  Canonical: ``changes`` is strictly
    increasing and every change lies inside the domain, above its least point; the constructor
    brings any list of changes to that form.

    >>> StepFunction(Grid(0, 9), 0, (3, 5, 5)).words()
    'x >= 3'
    """

    domain: Domain[Any]
    first: int
    changes: tuple[int | Fraction, ...]

    def __post_init__(self) -> None:
        odd = sorted(c for c, times in Counter(self.changes).items() if times % 2)
        first = self.first
        if isinstance(self.domain, Grid):
            low, high = self.domain.low, self.domain.high
            first ^= sum(c <= low for c in odd) % 2
            odd = [c for c in odd if low < c <= high]
        object.__setattr__(self, "first", first)
        object.__setattr__(self, "changes", tuple(odd))

    @classmethod
    def threshold(cls, domain: Ordered, t: int | Fraction) -> StepFunction:
        """The threshold function h_t(x) = 1[x >= t]."""
        return cls(domain, 0, (t,))

    def __call__(self, x: int | Fraction) -> int:
        return self.first ^ (bisect_right(self.changes, x) & 1)

    @property
    def places(self) -> tuple[Place, ...]:
        """Its steps, from the least points on."""
        name, shown = self.domain.name, list(map(self.domain.words, self.changes))
        size = self.domain.size
        found = []
        for i in range(len(shown) + 1):
            low, high = shown[i - 1] if i else "", shown[i] if i < len(shown) else ""
            inner = f"{low} <= {name} < {high}" if high else f"{name} >= {low}"
            words = inner if low else f"{name} < {high}" if high else "always"
            # A step is said by its ends: which of the two it has, and where (docs/proofs/risks.md).
            ends = bool(low) + bool(high)
            sets = None if size is None else 4 * comb(size - 1, ends)
            found.append(Place(words, self.first ^ (i & 1), sets))
        return tuple(found)

    def place(self, x: int | Fraction) -> int:
        return bisect_right(self.changes, x)

    def place_outcome(self) -> Outcome:

        domain, count = self.domain, len(self.changes) + 1
        if not isinstance(domain, Ordered):  # an ordered domain of a package of its own
            return outcome_of_labels(domain, self.place, count, EXPORT)
        steps = zip([None, *self.changes], [*self.changes, None], strict=True)
        *asked, last = [(interval(domain, a, b), i) for i, (a, b) in enumerate(steps)]
        return case(asked, last[1])

    def words(self) -> str:
        name = self.domain.name
        if not self.changes:
            return f"always {self.first}"
        pieces = []
        if self.first:
            pieces.append(f"{name} < {self.domain.words(self.changes[0])}")
        ups = self.changes[self.first :]
        for start, stop in zip(ups[::2], [*ups[1::2], None], strict=False):
            pieces.append(
                f"{name} >= {self.domain.words(start)}"
                if stop is None
                else f"{self.domain.words(start)} <= {name} < {self.domain.words(stop)}"
            )
        return " or ".join(pieces)

    def outcome(self) -> Outcome:

        ends = [*([None] if self.first else []), *self.changes]
        spans, domain = zip_longest(ends[::2], ends[1::2]), self.domain
        if not isinstance(domain, Ordered):  # an ordered domain of a package of its own
            return super().outcome()
        return case([(either(*(interval(domain, a, b) for a, b in spans)), 1)], 0)

    def witness(self, other: Self) -> int | Fraction | None:
        places = sorted({*self.changes, *other.changes})
        # Both are constant to the left of all changes, where the least point of a grid lies.
        if isinstance(self.domain, Grid):
            places.insert(0, self.domain.low)
        elif places:
            places.insert(0, places[0] - 1)
        else:
            places.append(self.domain.encode(0))
        return next((x for x in places if self(x) != other(x)), None)

    def _change(self, labels: Mapping[Any, int]) -> Self | None:
        if not isinstance(self.domain, Grid | Integers):
            return None
        return replace(self, changes=(*self.changes, *labels, *(x + 1 for x in labels)))

    @classmethod
    def vote(cls, voters: Sequence[Self], need: int) -> Self:
        votes = sum(h.first for h in voters)
        moves: Counter[Any] = Counter()
        for h in voters:
            for i, x in enumerate(h.changes):
                moves[x] += -1 if (h.first + i) % 2 else 1
        first = last = int(votes >= need)
        changes = []
        for x in sorted(moves):
            votes += moves[x]
            if int(votes >= need) != last:
                last = 1 - last
                changes.append(x)
        return cls(voters[0].domain, first, tuple(changes))

    def form(self) -> dict[str, object]:
        return {"first": self.first, "changes": [str(c) for c in self.changes]}

    @classmethod
    def from_form(cls, domain: Domain[Any], form: Mapping[str, Any]) -> Self:
        ordered = isinstance(domain, Ordered) and isinstance(form["changes"], list)
        if not ordered or str(form["first"]) not in "01":
            raise ValueError
        kind = Fraction if isinstance(domain, Reals) else int
        # Longer numbers and exponents could take too long to read.
        changes = [str(c) for c in form["changes"]]
        if not all(re.fullmatch(r"-?\d{1,401}(/\d{1,401})?", c) for c in changes):
            raise ValueError
        return cls(domain, int(form["first"]), tuple(map(kind, changes)))


_SHOWN = 50  # points that are named in words


@dataclass(frozen=True)
class TableFunction(Hypothesis[Any]):
    """A function on finitely many points, stored as its labels in the domain's order.

    ``planes`` are integers: bit i of plane number j is bit j of the label of the i-th point.  With two
    labels there is one plane.

    >>> from littlestone.points import Names
    >>> origin = Names(("JFK", "LGA", "EWR"), "origin")
    >>> TableFunction.from_labels(origin, [0, 1, 1]).words()
    "origin is not 'JFK'"
    >>> TableFunction.from_labels(origin, [2, 1, 2], 3).words_with(["early", "on time", "late"])
    "on time for 'LGA'; late for 'JFK', 'EWR'"
    """

    domain: Domain[Any]
    planes: tuple[int, ...]
    labels: int = 2

    def __post_init__(self) -> None:
        inside = (1 << self._size) - 1
        object.__setattr__(self, "planes", tuple(plane & inside for plane in self.planes))

    def __repr__(self) -> str:
        planes = "".join(f"{plane:#x}, " for plane in self.planes)  # decimals have a limit
        return f"{type(self).__name__}({self.domain!r}, ({planes}), {self.labels})"

    @property
    def _size(self) -> int:
        return self.domain.size or 0  # a domain of unknown size has no table

    @classmethod
    def from_labels(cls, domain: Domain[Any], values: Iterable[int], labels: int = 2) -> Self:
        """The function with these values in 0, ..., labels - 1, in the order of the points."""
        listed = np.fromiter(values, dtype=np.int64)
        width = (labels - 1).bit_length()
        bits = (np.packbits(listed >> j & 1, bitorder="little") for j in range(width))
        return cls(
            domain, tuple(int.from_bytes(plane.tobytes(), "little") for plane in bits), labels
        )

    def __call__(self, x: Any) -> int:
        i = self.domain.index(x)
        return sum((plane >> i & 1) << j for j, plane in enumerate(self.planes))

    def answer_all(self, points: Sequence[Any]) -> Iterable[int]:
        if 8 * len(points) < self._size:  # too few to list all labels
            return map(self, points)
        return map(self.values().tolist().__getitem__, self.domain.indices(points))

    def values(self) -> NDArray[np.int64]:
        """The labels in the order of the points."""
        found = np.zeros(self._size, dtype=np.int64)
        for j, plane in enumerate(self.planes):
            packed = np.frombuffer(plane.to_bytes(-(-self._size // 8), "little"), dtype=np.uint8)
            found |= (
                np.unpackbits(packed, count=self._size, bitorder="little").astype(np.int64) << j
            )
        return found

    def words(self) -> str:
        return self._condition() if self.labels == 2 else self.words_with(numbers(self.labels))

    def words_with(self, names: Sequence[str]) -> str:
        if self.labels == 2:
            return super().words_with(names)
        points: dict[int, list[str]] = {}
        for x, y in zip(self.domain, self.values().tolist(), strict=True):
            points.setdefault(y, []).append(repr(x))
        found = [
            f"{names[y]} for {', '.join(xs[:_SHOWN])}"
            + (f" and {len(xs) - _SHOWN:,} others" if len(xs) > _SHOWN else "")
            for y, xs in sorted(points.items())
        ]
        return "; ".join(found)

    def _condition(self) -> str:
        """The condition for label 1, if there are two labels."""
        size, ones = self._size, self.planes[0].bit_count()
        if ones in (0, size):
            return f"always {int(bool(ones))}"
        rules, listed = self._rules(), self._list_of_points()
        complete = min(ones, size - ones) <= _SHOWN
        return listed if rules is None or (complete and len(listed) < len(rules)) else rules

    def _list_of_points(self) -> str:
        """The condition for label 1 as the shorter list of points, or the beginning of a long one."""
        size, ones = self._size, self.planes[0].bit_count()
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

    def _rules(self) -> str | None:
        """The condition for label 1 as rules, if the columns are ranges or parted and few rules do."""
        columns = self.domain.columns if isinstance(self.domain, Product) else ()
        wide = [c for c in columns if isinstance(c, (Grid, FiniteColumn)) and c.size > 1]
        sizes = [column.size for column in wide]
        if prod(sizes) != self._size:
            return None
        ones = self.values().astype(np.bool_).reshape(sizes)
        sets = [i for i, column in enumerate(wide) if isinstance(column, FiniteColumn)]
        rules, exceptions = box_cover(ones, sets), box_cover(~ones, sets)
        texts = [] if rules is None else [cover_words(rules, wide)]
        texts += [] if exceptions is None else [f"not ({cover_words(exceptions, wide)})"]
        return min(texts, key=len, default=None)

    def _change(self, labels: Mapping[Any, int]) -> Self:
        planes = list(self.planes)
        for x, y in labels.items():
            i, before = self.domain.index(x), self(x)
            for j in range(len(planes)):
                planes[j] ^= ((before ^ y) >> j & 1) << i
        return replace(self, planes=tuple(planes))

    def witness(self, other: Self) -> Any:
        differing = 0
        for plane, others in zip(self.planes, other.planes, strict=True):
            differing |= plane ^ others
        if not differing:
            return None
        first = (differing & -differing).bit_length() - 1
        return next(islice(self.domain, first, None))

    def form(self) -> dict[str, object]:
        if self.labels == 2:
            return {"labels": self._labels()}
        return {"labels": self.labels, "values": self.values().tolist()}

    def _labels(self) -> str:
        """The labels 0 and 1 in the order of the points, as digits."""
        return f"{self.planes[0]:0{self._size}b}"[::-1]

    @classmethod
    def from_form(cls, domain: Domain[Any], form: Mapping[str, Any]) -> Self:
        if "values" in form:
            values, labels = require_list(form["values"]), label_count(form["labels"])
            legal = all(type(y) is int and 0 <= y < labels for y in values)
        else:
            digits, labels = form["labels"], 2
            legal = isinstance(digits, str) and not {*digits} - {*"01"}
            values = list(map(int, digits)) if legal else []
        if domain.size != len(values) or not legal:
            raise ValueError
        return cls.from_labels(domain, values, labels)


def function_of_labels(
    domain: Domain[Any], values: Iterable[int], labels: int = 2
) -> Hypothesis[Any]:
    """The function with these values on a finite domain, in the canonical form of the domain.

    For two labels on a grid this is a `StepFunction`, otherwise a `TableFunction`.

    >>> from littlestone.points import Grid
    >>> function_of_labels(Grid(0, 4), [0, 1, 1, 0, 1]).words()
    '1 <= x < 3 or x >= 4'
    """
    if labels > 2 or not isinstance(domain, Grid):
        return TableFunction.from_labels(domain, values, labels)
    listed = [0, *values]
    changes = (domain.low + i for i, (y, z) in enumerate(pairwise(listed)) if y != z)
    return StepFunction(domain, 0, tuple(changes))


def values_of(h: Hypothesis[Any], domain: Domain[Any]) -> NDArray[Any]:
    """The labels of ``h`` on a finite domain, in its order; truth values if there are two labels.

    >>> from littlestone.points import Grid
    >>> values_of(StepFunction.threshold(Grid(0, 3), 2), Grid(0, 3)).astype(int).tolist()
    [0, 0, 1, 1]
    """
    kind = np.bool_ if h.labels == 2 else np.int64
    if isinstance(h, TableFunction):
        return h.values().astype(kind)
    return np.fromiter(map(h, domain), dtype=kind, count=domain.size or 0)


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
