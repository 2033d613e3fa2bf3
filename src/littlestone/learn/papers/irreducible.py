"""Learners from votes of teachers for SOAs: of every Littlestone class, with and without stages.

The first is that of Lyu25, Theorem 3; the others, with the stages and tests of the paper and by GGKM21,
are its baselines.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import replace
from fractions import Fraction
from functools import partial
from typing import Any

from littlestone.classes.base import HypothesisClass, require_few
from littlestone.data.sample import Sample
from littlestone.learn.base import Caveat
from littlestone.learn.papers.teachers import frontier, top
from littlestone.learn.papers.voting import VotingLearner
from littlestone.points import Point
from littlestone.privacy.accounting.composed import Composition
from littlestone.privacy.cost import Budget
from littlestone.privacy.ledger import Receipt
from littlestone.privacy.mechanisms.above_threshold import cheapest
from littlestone.privacy.parameters import least, require_whole
from littlestone.rules import Hypothesis
from littlestone.theory.decomposition import reducing_path


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


class StagedLearner(VotingLearner[Point]):
    """Go through d + 1 stages until half of k teachers agree on a hypothesis; draw one of that stage.

    In stage j = 1, ..., d + 1 teacher i, with m = floor(n / k) records, decomposes the ball {h : h
    errs at most alpha m (1 - (j - 1) / (2 (d + 1))) times} into version spaces V that are
    p 2^(d - LDim(V))-irreducible, p = 2^(j-1) (m + 1), and lists the SOAs of those of the largest
    Littlestone dimension.  A noisy threshold test asks whether some hypothesis is in k / 2 lists.
    The first stage with such a hypothesis releases one by sparse sampling; without one, SOA_H.

    (epsilon, delta)-DP for every sample: the tests cost epsilon / 3 and the draw the rest.  Both see
    lists, and one record changes one list per stage (docs/proofs/baselines.md, Theorem 1).
    Improper.  Where it differs from Lyu25, section 5:

    * p = 2^(j-1) (m + 1), for p_j = 2^j n d: the distinct points of a chunk are enough.
    * Radii fall by alpha m / (2 (d + 1)) a stage from alpha m, for the factor 1 - 1/(2d).
    * The SOAs of the largest version spaces of one tree are listed, for the essential hypotheses.
    * k comes from the budget, for d^2 ln(1/delta) / epsilon; the last n - k m records are in no chunk.
    * Without agreement it releases SOA_H, and no output is replaced, so the error is not certain: a
      replacement would depend on the records.
    * Costs are exact: epsilon / 3 and the rest, for epsilon each; SOA is that of Lyu25, section 4.

    The defaults aim at an error of 2 alpha and are not proved; `with_proved_bound` makes
    a learner with a `plan`.  Lyu25, Theorem 3 and Algorithms 1 and 2; `IrreducibleLearner` needs
    no tests and fewer teachers.  Time: as many error balls as teachers, in each stage.  Raises
    `DeclarationError` for illegal parameters and delta = 0, `InfiniteDimensionError` and
    `EmptyClassError`.

    >>> from littlestone.classes import Subsets
    >>> from littlestone.points import Integers
    >>> learner = StagedLearner(Subsets(Integers(), 3), Budget(1, "1e-6"))
    >>> learner.teachers, str(learner.cost())
    (237, 'epsilon 1, delta 0.000000900281 (replace-one)')
    """

    method = "staged"
    several = False
    caveat = Caveat.BASELINE
    source = "docs/proofs/baselines.md, Theorem 2"
    radius = Fraction(1, 2)
    whole = True
    slack = Fraction(1)  # half of the teachers may disagree anyway

    def __init__(
        self,
        hypotheses: HypothesisClass[Point],
        budget: Budget,
        **options: Any,
    ) -> None:
        paid, slack = budget.epsilon, budget.delta
        self.tests = cheapest(Budget(paid / 3, slack / 2), threshold=0)
        spent = self.tests.cost()
        super().__init__(hypotheses, Budget(paid - spent.epsilon, slack - spent.delta), **options)
        self.tests = replace(self.tests, threshold=-(-self.teachers // 2))
        self.event = Composition([(self.tests, 1), (self.mechanism, 1)], slack)

    @property
    def passes(self) -> int:
        return self.dimension + 1

    @classmethod
    def interleaving(cls, d: int) -> tuple[int, float]:
        return d, 1 / (4 * (d + 1) * (4 * d + 3))

    @classmethod
    def longest(cls, m: int, d: int, labels: int = 2) -> int:
        depth = m + (m + 1) * 2**d * (2**d - 1)
        return sum(math.comb(depth, i) for i in range(d + 1))

    def teachers_needed(self, beta: Fraction) -> int:
        return least(lambda k: self._miss_probability(k) <= beta)

    def miss_probability(self) -> float:
        return self._miss_probability(self.teachers)

    def _miss_probability(self, k: int) -> float:
        """`miss_probability` for k teachers: a test errs, or bottom is drawn though ``votes`` agree."""
        threshold = -(-k // 2)
        # Any margin is valid; with this one, noise and bottom become unlikely together.
        margin = max(0, 3 * (threshold - self.mechanism.bottom) // 4)
        votes = threshold - margin
        noise = (self.dimension + 1) * self.tests.tail(margin + 1) + self.tests.tail(
            k - threshold + 1
        )
        return min(1.0, noise + float(self.mechanism.bottom_at_most(votes)))

    def draw(self, sample: Sample[Point], *, receipt: Receipt) -> Hypothesis[Point]:
        rng = receipt.redeem(self.tests)
        # One session for all stages: tests that fail are free, and the first that succeeds ends it.
        session = self.tests.begin(rng)
        parts, times = self.parts_of_teachers(sample, rng)
        held = list(parts)
        for stage in range(self.dimension + 1):
            scores = self.scores_of_lists(
                partial(self.hypotheses_of_teacher, stage=stage), held, times
            )
            # One record changes one list, so the largest score moves by at most 1.
            if session.test(max(scores.values(), default=0)):
                found = self.mechanism.select(scores, receipt.redeem(self.mechanism))
                return self.hypotheses.soa() if found is None else found
        # No agreement in any stage: the rule is public, whatever the records are.
        return self.hypotheses.soa()

    def hypotheses_of_teacher(
        self, chunk: Sample[Point], stage: int = 0
    ) -> list[Hypothesis[Point]]:
        """The list in stage number ``stage`` + 1 of the teacher that holds ``chunk``."""
        radius = self.alpha * (1 - Fraction(stage, 2 * (self.dimension + 1))) * chunk.n
        arguments = self.hypotheses, chunk, int(radius)
        return self.limit_steps(partial(top, *arguments, scale=2**stage, most=self.spaces))

    def agreement(self, lists: list[list[Hypothesis[Point]]]) -> int:
        """The number of lists with the most frequent hypothesis; one changed list moves it by 1."""
        return max(self.mechanism.scores(lists).values(), default=0)

    def chances(self, parts: list[Sample[Point]]) -> dict[Hypothesis[Point] | None, Fraction]:
        stages = [
            [self.hypotheses_of_teacher(part, stage) for part in parts]
            for stage in range(self.dimension + 1)
        ]
        values = [self.agreement(lists) for lists in stages]
        total: dict[Hypothesis[Point] | None, Fraction] = {}
        for answers, passed in self.tests.distribution(values).items():
            drawn: dict[Hypothesis[Point] | None, Fraction] = {None: Fraction(1)}
            if any(answers):
                drawn = self.mechanism.distribution(stages[answers.index(True)])
            for found, mass in drawn.items():
                total[found] = total.get(found, Fraction(0)) + passed * mass
        return total


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
