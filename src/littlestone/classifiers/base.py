"""The one interface of a classifier: a function into several labels."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from typing import Any, Generic, Self

from littlestone.discovery import concrete
from littlestone.domains import Domain, Point
from littlestone.errors import DAMAGED, ModelError


class Classifier(ABC, Generic[Point]):
    """A function X -> {0, ..., k}, k + 1 being the number of ``labels``.  Hashable.

    Two are equal iff their canonical forms are; then they agree everywhere.
    """

    domain: Domain[Point]
    labels: tuple[str, ...]

    @abstractmethod
    def __call__(self, x: Point) -> int:
        """The number in 0, ..., k of the label of a point of the domain."""

    @abstractmethod
    def words(self) -> str:
        """The function in words."""

    @abstractmethod
    def form(self) -> dict[str, object]:
        """The canonical form as plain JSON values; `from_form` reads it back."""

    @classmethod
    @abstractmethod
    def from_form(
        cls, domain: Domain[Any], labels: tuple[str, ...], form: Mapping[str, Any]
    ) -> Self:
        """The function over ``domain`` into ``labels`` whose canonical form is ``form``."""

    def to_json(self) -> dict[str, object]:
        """The function as plain JSON values, with its domain; `Classifier.from_json` reads it."""
        kind = type(self).__name__
        plain = {"domain": self.domain.to_json(), "labels": list(self.labels)}
        return {"kind": kind, **plain, **self.form()}

    @staticmethod
    def from_json(data: Mapping[str, Any]) -> Classifier[Any]:
        """The function that `to_json` wrote.  Raises `ModelError` if it is damaged."""
        found = concrete(Classifier, "littlestone.classifiers")  # type: ignore[type-abstract]
        kinds = {kind.__name__: kind for kind in found}
        try:
            form = {key: data[key] for key in data if key not in ("kind", "domain", "labels")}
            domain, labels = Domain.from_json(data["domain"]), data["labels"]
            listed = isinstance(labels, list) and len(labels) >= 2
            if not listed or not all(isinstance(label, str) for label in labels):
                raise ValueError
            return kinds[data["kind"]].from_form(domain, tuple(labels), form)
        except DAMAGED as error:
            if isinstance(error, ModelError):
                raise
            raise ModelError(
                "read the classifier of a model",
                found="a field is missing or not of its kind",
                fix="use a model file as it was written",
            ) from None
