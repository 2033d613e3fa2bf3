"""Classifiers on finitely many points, label by label."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Self

from littlestone.classifiers.base import Classifier
from littlestone.domains import Domain


@dataclass(frozen=True)
class TableClassifier(Classifier[Any]):
    """The function whose label at the i-th point of a finite domain is ``values[i]``.

    >>> from littlestone.domains import Names
    >>> f = TableClassifier(Names(("JFK", "LGA", "EWR"), "origin"), ("late", "on time"), (0, 1, 0))
    >>> f.words()
    "late for 'JFK', 'EWR'; on time for 'LGA'"
    """

    domain: Domain[Any]
    labels: tuple[str, ...]
    values: tuple[int, ...]

    def __call__(self, x: Any) -> int:
        return self.values[self.domain.index(x)]

    def words(self) -> str:
        points: dict[int, list[str]] = {y: [] for y in sorted(set(self.values))}
        for x, y in zip(self.domain, self.values, strict=True):
            points[y].append(repr(x))
        return "; ".join(f"{self.labels[y]} for {', '.join(xs)}" for y, xs in points.items())

    def form(self) -> dict[str, object]:
        return {"values": list(self.values)}

    @classmethod
    def from_form(
        cls, domain: Domain[Any], labels: tuple[str, ...], form: Mapping[str, Any]
    ) -> Self:
        values = tuple(form["values"])
        legal = all(type(y) is int and 0 <= y < len(labels) for y in values)
        if domain.size != len(values) or not legal:
            raise ValueError
        return cls(domain, labels, values)
