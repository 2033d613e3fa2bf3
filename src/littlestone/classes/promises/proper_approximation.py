"""Classes whose hypotheses approximate their SOAs."""

from __future__ import annotations

import math
from abc import abstractmethod
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from littlestone.classes.base import HypothesisClass
from littlestone.points import Point
from littlestone.rules import Hypothesis

_BITS = 62  # of an integer of numpy
_COLUMNS = 4096  # so many keep all weights within these bits


class ProperApproximation(HypothesisClass[Point]):
    """A class H with mixtures of hypotheses that are close to its SOAs (GGKM21, section 6).

    An SOA need not be in H.  But if few version spaces determine it, then for every distribution some
    hypothesis is close to it.  By the minimax theorem, one mixture is then close to it at every point,
    and this mixture does not depend on the distribution (docs/proofs/proper.md).
    """

    @abstractmethod
    def mixture(self, f: Hypothesis[Point], alpha: Fraction) -> list[Hypothesis[Point]]:
        """Hypotheses of H, some repeated; at each x at most an ``alpha`` share differ from ``f``.

        Then for every distribution one of them differs from f with probability at most alpha.  ``f`` is
        an SOA of a version space of H.  If no mixture this close exists or is found, the result is the
        closest known one.  It depends on H, f and alpha alone.
        """

    @abstractmethod
    def most_mixed(self, alpha: Fraction) -> int | None:
        """The most distinct hypotheses that `mixture` lists; None if they may be off by over alpha.

        They are within ``alpha`` of f at every point if any mixture is within alpha / 2.
        """

    def require_mixture(self) -> None:
        """Raise `DeclarationError` if H is too large for `mixture`; learners call it when made."""
        return


def mixture_of_rows(
    table: NDArray[np.bool_], labels: NDArray[np.bool_], alpha: Fraction
) -> list[int]:
    """The rows of a table, some repeated, whose mixture is close to ``labels`` in every column.

    By multiplicative weights, T = ceil(4 log2(c) / alpha) rounds for c distinct columns: a column
    weighs 2^(how many rows chosen so far are wrong there), and the next row is a least wrong one.  If
    some mixture is wrong by at most alpha / 2 in each column, then at most alpha T rows are wrong in
    each (docs/proofs/proper.md, Theorem 3).  One row where that is right everywhere.

    >>> singletons = np.eye(8, dtype=bool)
    >>> rows = mixture_of_rows(singletons, np.zeros(8, dtype=bool), Fraction(1, 4))
    >>> len(rows), max(rows.count(row) for row in rows)
    (48, 6)
    """
    wrong = np.unique(table != labels, axis=1).astype(np.int64)
    right = np.flatnonzero(~wrong.any(axis=1))
    if len(right):
        return [int(right[0])]
    columns = wrong.shape[1]
    most = _BITS - columns.bit_length()
    mistakes, chosen = np.zeros(columns, dtype=np.int64), list[int]()
    for _ in range(rounds(columns, alpha)):
        # Relative to the largest weight; what is 2^most times less counts for nothing.
        behind = mistakes.max() - mistakes
        weights = np.where(behind <= most, 1 << np.maximum(most - behind, 0), 0)
        chosen.append(int(np.argmin(wrong @ weights)))
        mistakes += wrong[chosen[-1]]
    return chosen


def rounds(columns: int, alpha: Fraction) -> int:
    """T = ceil(4 log2(c) / alpha), and at least one."""
    return max(1, math.ceil(4 * math.log2(columns) / alpha))


def most_mixed_rows(columns: int, alpha: Fraction) -> int | None:
    """How many rows `mixture_of_rows` may choose; None if many columns make it round weights."""
    return rounds(columns, alpha) if columns <= _COLUMNS else None
