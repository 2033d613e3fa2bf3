"""The learner of Lyu25, Theorem 3, with the stages and tests of the paper, and one draw."""

from __future__ import annotations

import math
from dataclasses import replace
from fractions import Fraction
from functools import partial
from typing import Any

from littlestone.classes.base import HypothesisClass
from littlestone.data.sample import Sample
from littlestone.learn.base import Caveat
from littlestone.learn.papers.teachers import top
from littlestone.learn.papers.voting import VotingLearner
from littlestone.points import Point
from littlestone.privacy.accounting.composed import Composition
from littlestone.privacy.cost import Budget
from littlestone.privacy.ledger import Receipt
from littlestone.privacy.mechanisms.above_threshold import cheapest
from littlestone.privacy.parameters import least
from littlestone.rules import Hypothesis


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
