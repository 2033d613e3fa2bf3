"""The one interface of a class of functions into several labels: a version space is a class."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import Any, ClassVar, Generic, Self

from littlestone.classes.base import HypothesisClass
from littlestone.classes.spec import Spec
from littlestone.domains import Domain, Point
from littlestone.errors import DeclarationError, EmptyClassError


class MulticlassClass(ABC, Generic[Point]):
    """A set H of functions X -> {0, ..., k}; immutable.  Restricting it gives its version spaces.

    ``labels`` are the declared names of 0, ..., k.  A new class is one file in
    ``littlestone.multiclass``, found through its ``keyword``.
    """

    keyword: ClassVar[str]
    """The word that starts the class's text, as in ``outcomes(origin, dest; at most 3)``."""

    domain: Domain[Point]
    labels: tuple[str, ...]

    @property
    def bits(self) -> int:
        """The number b = ceil(log2(k + 1)) of bits of a label."""
        return (len(self.labels) - 1).bit_length()

    @abstractmethod
    def bit_class(self, i: int) -> HypothesisClass[Point]:
        """The binary class H|_i of the functions x -> bit i of f(x), f in H, or one that holds it.

        i = 0, ..., b - 1, bit 0 being the least significant one.  (BGS21, section 3.1.)
        """

    @abstractmethod
    def restrict(self, x: Point, y: int) -> Self:
        """The version space {f in H : f(x) = y}."""

    @abstractmethod
    def is_empty(self) -> bool:
        """Whether H has no function."""

    @abstractmethod
    def littlestone_dimension(self) -> int:
        """MLS(H), the mistakes that an adversary can force who reveals the true label; -1 if empty.

        (BGS21, Definition 2.11.)
        """

    @abstractmethod
    def mistake_question(self) -> tuple[Point, int, int] | None:
        """The root of a deepest shattered tree: (x, y, z), y != z; None iff MLS(H) <= 0.

        MLS(H|(x,y)) and MLS(H|(x,z)) are at least MLS(H) - 1.
        """

    def soa_label(self, x: Point) -> int:
        """The least y of the largest MLS(H|(x,y)): the prediction of the standard optimal algorithm.

        >>> from littlestone.multiclass import TableClass
        >>> TableClass.of([[0, 2], [2, 2], [2, 1]]).soa_label("x0")
        2
        """
        kept = [self.restrict(x, y).littlestone_dimension() for y in range(len(self.labels))]
        return kept.index(max(kept))

    def require_learnable(self) -> None:
        """Raise `EmptyClassError` if no function is left."""
        if self.is_empty():
            raise EmptyClassError(
                f"learn the class {self}",
                found="it is empty: no function is left",
                fix="declare a class with at least one function",
            )

    @classmethod
    @abstractmethod
    def parse(cls, spec: Spec, labels: Sequence[str]) -> Self:
        """The class that the text ``spec`` declares.  Raises `DeclarationError` if it is illegal."""

    @classmethod
    @abstractmethod
    def examples(cls) -> list[Self]:
        """Small and typical instances, on which tests run."""

    @abstractmethod
    def __str__(self) -> str:
        """The class in words; the text that `parse` reads, where the class has one."""


def require_label(H: MulticlassClass[Any], x: object, y: object) -> None:
    """Raise `DeclarationError` unless x is a point and y one of the numbers 0, ..., k of a label."""
    H.domain.require(x)
    if type(y) is not int or not 0 <= y < len(H.labels):
        raise DeclarationError(
            "use an object as a label",
            found=f"the labels are 0..{len(H.labels) - 1}",
            fix="give one of these numbers",
        )
