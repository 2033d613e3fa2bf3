"""The learner of GGKM21: each teacher stops at a time of its own."""

from __future__ import annotations

import math
from collections.abc import Iterator
from fractions import Fraction

from littlestone.classes.base import HypothesisClass, require_few
from littlestone.data.sample import Sample
from littlestone.learn.base import Caveat
from littlestone.learn.papers.voting import VotingLearner
from littlestone.points import Point
from littlestone.rules import Hypothesis
from littlestone.theory.decomposition import reducing_path


class GGKMLearner(VotingLearner[Point]):
    """Release a hypothesis that many of k teachers list, each from a tree grown until it stops.

    Teacher i holds m = floor(n / k) records.  With a = alpha / (d + 1) and l = m + 1 it cuts the
    ball {h : h errs at most alpha m times} at its own points.  For t = 1, 2, ..., d + 1 it then

    1. keeps the version spaces of at most (alpha - (t - 1) a) m errors; let w be their largest LDim;
    2. stops if one with LDim w and at most (alpha - t a) m errors is 2^t l-irreducible, and lists the
       SOAs of the l-irreducible ones with LDim w and at most (alpha - t a + a / 3) m errors;
    3. cuts each with LDim w and at most (alpha - t a) m errors along a path that reduces it.

    Teachers that stop at the same t agree, and t has d + 1 values.  So the best hypothesis has the
    votes of only k / (d + 1) teachers, whereas in `IrreducibleLearner` it has the votes of all.

    (epsilon, delta)-DP for every sample by one draw of sparse sampling from lists of at most
    ``list_size`` (docs/proofs/baselines.md).  Improper.  The defaults aim at an error of 2 alpha and
    are not proved; `with_proved_bound` makes a learner with a `plan`.  Time: k error balls.  Raises
    `DeclarationError` for illegal parameters and delta = 0, `InfiniteDimensionError` and
    `EmptyClassError`.

    >>> from littlestone.classes import Subsets
    >>> from littlestone.points import Integers
    >>> from littlestone.privacy import Budget
    >>> GGKMLearner(Subsets(Integers(), 3), Budget(1, "1e-6")).teachers
    246
    """

    method = "ggkm"
    several = False
    caveat = Caveat.BASELINE
    source = "docs/proofs/baselines.md, Theorem 3"
    radius = Fraction(1, 2)
    whole = True

    def hypotheses_of_teacher(self, chunk: Sample[Point]) -> list[Hypothesis[Point]]:
        return self.limit_steps(
            lambda: list(dict.fromkeys(V.soa() for V in self._spaces_of_chunk(chunk)))
        )

    def _spaces_of_chunk(self, chunk: Sample[Point]) -> list[HypothesisClass[Point]]:
        """The version spaces whose SOAs are listed; none if cutting leaves no part of the tree."""
        a, m = self.alpha / (self.dimension + 1), chunk.n
        cells = self.hypotheses.error_ball(chunk, int(self.alpha * m), most=self.spaces)
        for t in range(1, self.dimension + 2):
            level = (self.alpha - (t - 1) * a) * m
            cells = sorted((cell for cell in cells if cell[1] <= level), key=lambda cell: cell[1])
            width = max((V.littlestone_dimension() for V, _ in cells), default=-1)
            widest = [cell for cell in cells if cell[0].littlestone_dimension() == width]
            paths = [
                (cell, reducing_path(cell[0], (m + 1) << t))
                for cell in widest
                if cell[1] <= level - a * m
            ]
            # Stop: some version space of the largest dimension cannot be reduced. The slack of a /
            # 3 lets teachers with slightly different errors list the same SOAs.
            if any(path is None for _, path in paths):
                near = (V for V, errors in widest if errors <= level - a * m * Fraction(2, 3))
                return [V for V in near if V.reducing_points(m + 1) is None]
            cells = [cell for cell in cells if cell[0].littlestone_dimension() < width]
            for cell, path in paths:
                cells += _pieces(cell, path or ())
                require_few(len(cells), self.spaces)
        return []

    @classmethod
    def interleaving(cls, d: int) -> tuple[int, float]:
        return d + 1, 1 / (6 * (d + 1) * (6 * d + 1))

    @classmethod
    def longest(cls, m: int, d: int, labels: int = 2) -> int:
        depth = m + (m + 1) * (2 ** (d + 1) - 2)
        return sum(math.comb(depth, i) for i in range(d + 1))

    def teachers_needed(self, beta: Fraction) -> int:
        return (self.dimension + 1) * self.mechanism.copies_needed(beta)

    def miss_probability(self) -> float:
        # Pigeonhole: teachers stop at one of d + 1 times, so some time has this many.
        agreeing = -(-self.teachers // (self.dimension + 1))
        return float(self.mechanism.bottom_at_most(agreeing))


def _pieces(
    cell: tuple[HypothesisClass[Point], int], path: tuple[tuple[Point, int], ...]
) -> Iterator[tuple[HypothesisClass[Point], int]]:
    """What a labelled path leaves of a cell: one piece at each of its points, and its end."""
    V, errors = cell
    for x, y in path:
        side, V = V.restrict(x, 1 - y), V.restrict(x, y)
        if not side.is_empty():
            yield side, errors
    if not V.is_empty():
        yield V, errors
