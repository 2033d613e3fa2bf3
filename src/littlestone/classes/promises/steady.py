"""Classes whose SOA never lowers the dimension: their best SOAs are known without a search."""

from __future__ import annotations

from abc import abstractmethod
from typing import Any, TypeGuard

from littlestone.classes.base import HypothesisClass
from littlestone.data.sample import Sample
from littlestone.points import Point


class Steady(HypothesisClass[Point]):
    """A class over infinitely many points; functions differ from a usual one at few, if it `is_steady`.

    That is: in each of its version spaces V, the label of SOA_V at a point keeps LDim(V) and SOA_V.
    Any other label that some function of V has there lowers LDim(V) by one, and changes SOA_V at this
    point alone.  So no points reduce V (docs/proofs/radii.md, Lemma 3).
    """

    def is_steady(self) -> bool:
        """Whether it is so; a class made of others may depend on them."""
        return True

    @abstractmethod
    def least_soa_errors(self, sample: Sample[Point], t: int) -> int:
        """The fewest errors of an SOA of a version space of LDim t = 0, ..., LDim(H) or above."""


class FewUnknown(Steady[Any]):
    """A class over an open vocabulary in which only few points have labels other than the default.

    LDim is the number of such points that are not known yet: a tree of that depth asks about one new
    point per level, and the SOA, which gives the default at new points, errs only there.  So what the
    SOA says never lowers LDim, and no points reduce it.
    """

    contradicted: bool

    @property
    @abstractmethod
    def _left(self) -> int:
        """The most points with another label that are still unknown."""

    def is_empty(self) -> bool:
        return self.contradicted

    @property
    def size(self) -> int | None:
        return 0 if self.contradicted else None if self._left else 1

    def littlestone_dimension(self) -> int:
        return -1 if self.contradicted else self._left

    def reducing_points(self, k: int) -> None:
        self.require_learnable()

    @abstractmethod
    def _with_fewer(self, t: int) -> HypothesisClass[Any]:
        """The class with ``t`` fewer unknown points."""

    def least_soa_errors(self, sample: Sample[Any], t: int) -> int:
        return self._with_fewer(t).least_errors(sample)


def is_steady(H: HypothesisClass[Any]) -> TypeGuard[Steady[Any]]:
    """Whether the class is known to be steady.

    >>> from littlestone.classes import Subsets, Thresholds
    >>> from littlestone.points import Integers
    >>> is_steady(Subsets(Integers(), 3)), is_steady(Thresholds.on(0, 6))
    (True, False)
    """
    return isinstance(H, Steady) and H.is_steady()
