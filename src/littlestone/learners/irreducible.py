"""The learner of every Littlestone class (Lyu 2025, Theorem 3): teachers vote for SOAs."""

from __future__ import annotations

import random
from fractions import Fraction

from littlestone.classes.base import HypothesisClass
from littlestone.decomposition import error_ball, top_hypotheses
from littlestone.domains import Point
from littlestone.errors import TooLargeError
from littlestone.hypotheses import Hypothesis
from littlestone.learners.base import Bound, PrivateLearner, Setting, require_plan
from littlestone.learners.teachers import chunks
from littlestone.privacy.cost import exact, exact_delta, exact_epsilon
from littlestone.privacy.ledger import Receipt
from littlestone.privacy.mechanisms.sparse_sampling import SparseSampling
from littlestone.sample import Sample

_BETA = Fraction(1, 40)
MOST_SPACES = 20_000


class IrreducibleLearner(PrivateLearner[Point]):
    """Release a hypothesis that many of k teachers list, by one draw of sparse sampling.

    Teacher i holds m = floor(n / k) records.  With d = LDim(H), its list is the union over the
    levels j = 1, ..., d + 1 of the SOAs of the leaves of dimension d + 1 - j in a decomposition of
    the ball {h : h errs at most tau_j m times}, if no leaf is larger, with p_j = 2^(j-1) max(d+1, m)
    and tau_j = alpha ((d + 1 - j) / d)^2.

    (epsilon, delta)-DP for every sample: a list is a function of the teacher's own records and of
    public numbers, and one record belongs to one teacher.  Improper: the rule is an SOA.
    """

    method = "irreducible"

    def __init__(
        self,
        hypotheses: HypothesisClass[Point],
        *,
        epsilon: object,
        delta: object,
        alpha: object = Fraction(1, 10),
        list_size: int = 16,
        slack: Fraction = Fraction(5, 4),
    ) -> None:
        hypotheses.require_learnable()
        self.hypotheses = hypotheses
        self.alpha = exact(alpha, what="alpha")
        self.dimension = int(hypotheses.littlestone_dimension())
        self.mechanism: SparseSampling[Hypothesis[Point]] = SparseSampling(
            exact_epsilon(epsilon), exact_delta(delta), list_size
        )
        self.teachers = int(slack * self.mechanism.copies_needed(_BETA))

    @property
    def event(self) -> SparseSampling[Hypothesis[Point]]:
        return self.mechanism

    def draw(
        self, sample: Sample[Point], *, receipt: Receipt, rng: random.Random
    ) -> Hypothesis[Point]:
        lists = [self.listed(chunk) for chunk in chunks(sample, self.teachers, rng)]
        found = self.mechanism.draw(lists, receipt=receipt, rng=rng)
        return self.hypotheses.soa() if found is None else found

    def listed(self, chunk: Sample[Point]) -> list[Hypothesis[Point]]:
        """The list of the teacher that holds ``chunk``; empty where it takes too much work."""
        d = self.dimension
        found: dict[Hypothesis[Point], None] = {}
        try:
            ball = error_ball(self.hypotheses, chunk, int(self.alpha * chunk.n), most=MOST_SPACES)
            # The last levels first: of too many hypotheses, those with fewer errors are kept.
            for j in range(d + 1, 0, -1):
                level = self.alpha * Fraction(d + 1 - j, max(d, 1)) ** 2
                p = 2 ** (j - 1) * max(d + 1, chunk.n)
                degree, top = top_hypotheses(ball.within(int(level * chunk.n)), p, d + 1)
                if degree == d + 1 - j:
                    found |= dict.fromkeys(top)
        except TooLargeError:
            return []
        return list(found)

    def plan(self, alpha: float, beta: float, *, setting: Setting = "agnostic") -> Bound | None:
        require_plan(alpha, beta, setting)
        return None
