"""Questions about records whose answers are whole-number sums, and a draw that asks them in turn."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import isqrt
from typing import TYPE_CHECKING, Any, Literal, Protocol

import numpy as np
from numpy.typing import NDArray

from littlestone.data.sample import Counts, Sample
from littlestone.points.base import Point
from littlestone.privacy.draws import Draw
from littlestone.privacy.ledger.receipt import Receipt
from littlestone.privacy.mechanisms.exponential import ExponentialDraw
from littlestone.privacy.mechanisms.noisy_sums import Noisy, NoisySums

if TYPE_CHECKING:
    from littlestone.rules import Hypothesis

Numbers = NDArray[np.int64]

FARTHEST = 1 << 20
"""The largest number of a question: totals of a thousand columns fit into 32 bits in any engine."""

Released = tuple[Noisy, ...]
"""The noisy sums of the steps so far."""


class RecordCells(Protocol):
    """Records of which each is in one cell of each column and has the label 0 or 1.

    Each method adds up over the records, so a replaced one takes its part away and brings another.
    """

    def tables(self, subsets: Sequence[Sequence[int]]) -> list[Counts]:
        """For each set of one column, the counts [label, cell]."""

    def products(self, columns: Sequence[int], numbers: Sequence[Numbers]) -> Counts:
        """For each two of the columns, the sum over the records of the products of their numbers."""

    def totals(
        self, columns: Sequence[int], numbers: Sequence[Numbers], ends: Sequence[int]
    ) -> Counts:
        """The counts [label, run] of the sums of the numbers; a run begins at each of ``ends``."""


@dataclass(frozen=True)
class Question:
    """What a step sums over the records: a public question.

    ``numbers`` has a whole number for each cell of each of the ``columns``.  What is summed, times
    ``scale``, is by ``kind``: "label", the positive records; "cells", the records of each label with
    each number; "products", the product of the numbers of each two columns; "totals", the records of
    each label in each run of the sum of the numbers, where ``ends`` are the first sums of runs.
    Numbers are cut off at 2^20.

    >>> Question("cells", (0, 2), (np.arange(3), np.arange(5)), scale=10).moves
    (40, 400)
    """

    kind: Literal["label", "cells", "products", "totals"] = "label"
    columns: tuple[int, ...] = ()
    numbers: tuple[Numbers, ...] = ()
    scale: int = 1
    ends: tuple[int, ...] = ()

    def __post_init__(self) -> None:
        # Theorem 2 is about whole numbers that do not overflow, and about ends in order: `searchsorted`
        # begins where the record before ended, so among others a record would move its neighbours.
        numbers = (
            np.asarray(own).astype(np.int64).clip(-FARTHEST, FARTHEST) for own in self.numbers
        )
        object.__setattr__(self, "numbers", tuple(numbers))
        object.__setattr__(self, "ends", tuple(sorted(map(int, self.ends))))
        object.__setattr__(self, "scale", int(self.scale))

    @property
    def moves(self) -> tuple[int, int]:
        """How far the sums move between neighbours, at most: in L1 and in squared L2.

        It is a function of the question alone (docs/proofs/score-sheet.md, Theorem 2).
        """
        columns, scale = len(self.columns), abs(self.scale)
        if self.kind == "label":
            # A record is positive or not.
            l1, squared = 1, 1
        elif self.kind == "cells":
            # A record is in one cell and label of each column; a replaced one leaves it for another.
            l1, squared = 2 * columns, 2 * columns
        elif self.kind == "products":
            # The square of the longest vector of numbers that a record can have.
            far = max(1, sum(int(np.abs(own).max()) ** 2 for own in self.numbers))
            l1, squared = max(1, columns - 1) * far, far**2
        else:
            # A record has one total.
            l1, squared = 2, 2
        return scale * l1, scale**2 * squared

    def fit_into(self, sums: NoisySums, i: int) -> Question:
        """The question with the largest scale with which it moves by no more than step i may.

        With a delta the noise is Gaussian and the L2 norm counts, without one the L1 norm.
        """
        (l1, squared), step = replace(self, scale=1).moves, sums.steps[i]
        fits = isqrt(step.squared // squared) if sums.delta else step.l1 // l1
        return replace(self, scale=fits)

    def answer(self, data: RecordCells, sums: NoisySums, i: int) -> Counts:
        """The whole-number sums of step i.  They depend on the data: for its noise alone."""
        (l1, squared), step = self.moves, sums.steps[i]
        too_far = squared > step.squared if sums.delta else l1 > step.l1
        # Whoever asks need not be trusted: what would move too far, or be too long, is not summed.
        if too_far or not self.scale:
            return np.zeros(1, np.int64)
        return self.add_up(data)[: step.count]

    def add_up(self, data: RecordCells) -> Counts:
        """The whole-number sums, however far they move.  They depend on the data."""
        if self.kind == "label":
            parts = [data.tables([(0,)])[0][1].sum(keepdims=True)]
        elif self.kind == "cells":
            # Sums of floats are exact up to 2^53, and there are fewer records.
            tables = zip(data.tables([(j,) for j in self.columns]), self.numbers, strict=True)
            parts = [np.bincount(own, weights=table[y]) for table, own in tables for y in (1, 0)]
        elif self.kind == "products":
            parts = [data.products(self.columns, self.numbers)]
        else:
            parts = list(data.totals(self.columns, self.numbers, self.ends)[::-1])
        return np.concatenate(parts).astype(np.int64) * self.scale


NONE = Question(scale=0)
"""A question whose answer is 0, for steps without columns."""


class Fit(Protocol):
    """The next question by what was released, and the rule at the end.  It never sees a record."""

    def question(self, released: Released) -> Question:
        """What the next step sums."""

    def make_rule(self, released: Released) -> Hypothesis[Any]:
        """The rule by all that was released."""


class SumsDraw(Draw[Point]):
    """Noisy sums over the records, after a tree perhaps, of which a `Fit` makes a rule.

    The tree, the answers and n are public when a question is chosen, so the fit may do what it likes
    (docs/proofs/score-sheet.md, Theorems 3 and 5).
    """

    tree: ExponentialDraw[Point] | None = None

    @property
    @abstractmethod
    def sums(self) -> NoisySums:
        """The steps, and what they may spend."""

    @abstractmethod
    def encode(self, sample: Sample[Point], tree: Hypothesis[Point] | None) -> RecordCells:
        """The cells of the records, and after them their leaf in the tree."""

    @abstractmethod
    def fit_of(self, n: int, tree: Hypothesis[Point] | None) -> Fit:
        """The fit of n records."""

    def draw(self, sample: Sample[Point], *, receipt: Receipt) -> Hypothesis[Point]:
        tree = None if self.tree is None else self.tree.draw(sample, receipt=receipt)
        data, fit, sums = self.encode(sample, tree), self.fit_of(sample.n, tree), self.sums
        # Each question is chosen by what was released before it; `answer` alone sees records.
        released = sums.draw(
            lambda known: fit.question(known).answer(data, sums, len(known)), receipt=receipt
        )
        return fit.make_rule(released)
