"""A sample with several labels, stored as distinct points with label counts."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Generic, Self

import numpy as np
from numpy.typing import NDArray

from littlestone.domains import Domain, Point, number, text
from littlestone.errors import DeclarationError
from littlestone.sample import Sample

MOST_LABELS = 1000


def _is_unicode(text: str) -> bool:
    try:
        text.encode()
    except UnicodeEncodeError:  # a half of a pair, or bytes that are none of the terminal's
        return False
    return True


def declared_labels(labels: Iterable[str]) -> tuple[str, ...]:
    """The labels 0, ..., k in their declared order; `DeclarationError` unless they are 2 to 1,000.

    Each is a text of its own, and not empty, as a missing value is; no two are one number.

    >>> declared_labels(["on time", "late", "cancelled"])
    ('on time', 'late', 'cancelled')
    """
    found = tuple(labels)
    texts = all(isinstance(label, str) and label and _is_unicode(label) for label in found)
    if isinstance(labels, str) or len(found) < 2 or not texts or len(set(found)) < len(found):
        raise DeclarationError(
            f"declare {len(found)} labels",
            found="labels are 2 or more readable texts, none of them empty or named twice",
            fix='give a list such as ["on time", "late", "cancelled"]; on the command line '
            "--labels 'on time,late,cancelled'",
        )
    if len(found) > MOST_LABELS:
        raise DeclarationError(
            f"declare {len(found):,} labels",
            found=f"there may be {MOST_LABELS:,}, as every point has a count for each",
            fix="name the labels that matter; every other value counts as the default",
        )
    values = [value for value in map(number, found) if value is not None]
    if len(set(values)) < len(values):
        raise DeclarationError(
            f"declare {len(found)} labels",
            found="two of them are one number, such as 1 and 1.0, or 1 and true",
            fix="name each number once",
        )
    return tuple(map(text, found))


def label_number(labels: Sequence[str], default: int = 0) -> Callable[[object], int]:
    """The number of the label that a table value shows; ``default`` if it shows none.

    A value shows the label that is its text, or else the one that is its number: 1, 1.0, "1.0" and
    True show the label "1".  Exact decimals; total: it never raises.

    >>> number_of = label_number(["other", "1", "HA"])
    >>> [number_of(value) for value in ("HA", 1.0, True, "1.00", " HA", None)]
    [2, 1, 1, 1, 0, 0]
    """
    by_text = {label: y for y, label in enumerate(labels)}
    by_value = {value: y for label, y in by_text.items() if (value := number(label)) is not None}

    def number_of(value: object) -> int:
        found = by_text.get(text(value))
        if found is None and by_value and (shown := number(value)) is not None:
            found = by_value.get(shown)
        return default if found is None else found

    return number_of


@dataclass(frozen=True, eq=False)
class LabelledSample(Generic[Point]):
    """The multiset {(x_i, y_i)} of n examples with labels 0, ..., k, as distinct points x counts.

    ``labels`` are the declared names of the labels 0, ..., k; ``points`` are distinct points of
    ``domain``; ``counts[j, y]`` is the number of the examples (points[j], y).  The order of the points
    means nothing.

    >>> from littlestone.domains import Strings
    >>> examples = [("a", "late"), ("b", "on time"), ("a", "early")]
    >>> sample = LabelledSample.from_examples(Strings(), ["on time", "late"], examples)
    >>> sample.n, sample.points, sample.counts.tolist()
    (3, ('a', 'b'), [[1, 1], [1, 0]])
    """

    domain: Domain[Point]
    labels: tuple[str, ...]
    points: Sequence[Point]
    counts: NDArray[np.int64]

    @property
    def n(self) -> int:
        """Number of examples, counted with multiplicity; public under replace-one neighbours."""
        return int(self.counts.sum())

    def of(self, points: Sequence[Point], counts: NDArray[np.int64]) -> Self:
        """The sample over the same domain and labels with these points and counts."""
        return type(self)(self.domain, self.labels, points, counts)

    @classmethod
    def from_examples(
        cls,
        domain: Domain[Any],
        labels: Iterable[str],
        examples: Iterable[tuple[Any, object]],
        *,
        other: str | None = None,
    ) -> LabelledSample[Any]:
        """The sample of pairs (x, y): any x is a point, by `Domain.canonical`, and any y is a label.

        A y that shows none of the ``labels`` counts as the label ``other``, by default the first.
        Raises `DeclarationError` for illegal labels, or if ``other`` is none of them.
        """
        declared = declared_labels(labels)
        if other is not None and other not in declared:
            raise DeclarationError(
                f"count values that are no label as {other!r}",
                found="it is not one of the declared labels",
                fix="name one of them",
            )
        number_of = label_number(declared, 0 if other is None else declared.index(other))
        counts: dict[Any, list[int]] = {}
        for x, y in examples:
            here = counts.setdefault(domain.canonical(x), [0] * len(declared))
            here[number_of(y)] += 1
        table = np.array(list(counts.values()), dtype=np.int64).reshape(-1, len(declared))
        return cls(domain, declared, tuple(counts), table)

    def binary(self, ones: Collection[int]) -> Sample[Point]:
        """The sample with label 1 for the labels whose numbers are in ``ones``, and 0 for others.

        >>> from littlestone.domains import Integers
        >>> sample = LabelledSample(Integers(), ("a", "b", "c"), (7,), np.array([[1, 2, 4]]))
        >>> sample.binary({0, 2}).positives.tolist()
        [5]
        """
        positive = np.isin(np.arange(len(self.labels)), list(ones))
        negatives, positives = self.counts[:, ~positive], self.counts[:, positive]
        return Sample(self.domain, self.points, negatives.sum(axis=1), positives.sum(axis=1))
