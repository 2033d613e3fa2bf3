"""The learner of every Littlestone class (Lyu25, Theorem 3): teachers vote for SOAs."""

from __future__ import annotations

from fractions import Fraction
from functools import partial
from typing import Any

from littlestone.classes.base import HypothesisClass
from littlestone.data.sample import Sample
from littlestone.learn.papers.teachers import frontier
from littlestone.learn.papers.voting import VotingLearner
from littlestone.points import Point
from littlestone.privacy.cost import Budget
from littlestone.privacy.parameters import require_whole
from littlestone.rules import Hypothesis


class IrreducibleLearner(VotingLearner[Point]):
    """Release a hypothesis that many of k teachers list, by one draw of sparse sampling.

    Teacher i holds m = floor(n / k) records.  It decomposes the ball {h : h errs at most alpha m
    times} into irreducible version spaces.  It lists the SOA of a space unless a space with fewer or
    equally many errors has a larger Littlestone dimension (`frontier`), at most ``list_size`` = L.
    It repeats this for spaces twice as irreducible, ``doublings`` times.

    (epsilon, delta)-DP for every sample: a list is a function of the teacher's own records and of
    public numbers, and each record belongs to one teacher.  Improper: the rule is an SOA.

    The defaults are L = 2^min(d, 5), k, no doublings, and the ``most`` version spaces that a teacher
    looks at.  ``python -m benchmarks.calibration`` calibrates them, and nothing is proved for them.
    `with_proved_bound` makes a learner that has a `plan`, with d doublings.  Raises
    `DeclarationError` for illegal parameters and delta = 0, `InfiniteDimensionError` and
    `EmptyClassError`.

    Source: Lyu25, Theorem 3, without stages and without AboveThreshold: docs/proofs/irreducible.md.
    Time: k error balls of m records each.

    >>> from littlestone.classes import Subsets
    >>> from littlestone.points import Integers
    >>> learner = IrreducibleLearner(Subsets(Integers(), 3), Budget(1, "1e-6"))
    >>> learner.teachers, learner.mechanism.bottom
    (62, 33)
    >>> goal = {"alpha": 0.1, "beta": 0.05}
    >>> proved = IrreducibleLearner.with_proved_bound(Subsets(Integers(), 1), Budget(1, "1e-6"), **goal)
    >>> proved.teachers, proved.plan(**goal, setting="realizable").n
    (55, 62810)
    """

    method = "irreducible"
    several = True
    source = "docs/proofs/irreducible.md, Theorem 2"

    def __init__(
        self,
        hypotheses: HypothesisClass[Point],
        budget: Budget,
        *,
        doublings: int = 0,
        **options: Any,
    ) -> None:
        super().__init__(hypotheses, budget, **options)
        require_whole("doublings", doublings, least=0)
        self.doublings = doublings

    def hypotheses_of_teacher(self, chunk: Sample[Point]) -> list[Hypothesis[Point]]:
        radius = int(self.alpha * chunk.n)
        listed: dict[Hypothesis[Point], None] = {}
        for s in range(self.doublings + 1):
            arguments = self.hypotheses, chunk, radius
            found = partial(frontier, *arguments, scale=2**s, most=self.spaces)
            # Lists of all scales are joined: docs/proofs/irreducible.md, Theorem 2, finds the
            # common rule in one of them.
            listed |= dict.fromkeys(self.limit_steps(found))
        return list(listed)

    @property
    def passes(self) -> int:
        return self.doublings + 1

    @classmethod
    def complete(cls, d: int) -> dict[str, Any]:
        return {"doublings": d}

    def is_complete(self) -> bool:
        return super().is_complete() and self.doublings == self.dimension

    @classmethod
    def interleaving(cls, d: int) -> tuple[int, float]:
        return d, 1 / (d * (d + 1)) if d else 0.0

    @classmethod
    def longest(cls, m: int, d: int, labels: int = 2) -> int:
        # A leaf of dimension t is at most m + p (2^(d - t) - 1) deep.
        def leaves(p: int, t: int) -> int:
            depth = m + p * (2 ** (d - t) - 1)
            ways = total = 1  # C(depth, i) (labels - 1)^i, one after the other
            for i in range(d - t):
                ways = ways * (depth - i) * (labels - 1) // (i + 1)
                total += ways
            return total

        return sum(leaves((m + 1) << s, t) for s in range(d + 1) for t in range(d + 1))

    def teachers_needed(self, beta: Fraction) -> int:
        return self.mechanism.copies_needed(beta)

    def miss_probability(self) -> float:
        return float(self.mechanism.bottom_at_most(self.teachers))
