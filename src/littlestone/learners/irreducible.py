"""The learner of every Littlestone class (Lyu 2025, Theorem 3): teachers vote for SOAs."""

from __future__ import annotations

import math
from fractions import Fraction

from littlestone.classes.base import HypothesisClass
from littlestone.domains import Point
from littlestone.hypotheses import Hypothesis
from littlestone.learners.base import Bound, Setting, least, require_plan
from littlestone.learners.teachers import frontier
from littlestone.learners.voting import MOST_SPACES, VotingLearner, count
from littlestone.privacy.cost import exact
from littlestone.sample import Sample


class IrreducibleLearner(VotingLearner[Point]):
    """Release a hypothesis that many of k teachers list, by one draw of sparse sampling.

    Teacher i holds m = floor(n / k) records.  It decomposes the ball {h : h errs at most alpha m
    times} into irreducible version spaces, and lists the SOAs of those that none of fewer or as
    many errors exceeds in Littlestone dimension (`frontier`), at most ``list_size`` = L; and again
    for spaces twice as irreducible, as often as ``doublings`` says.

    (epsilon, delta)-DP for every sample: a list is a function of the teacher's own records and of
    public numbers, and one record belongs to one teacher.  Improper: the rule is an SOA.

    The defaults, L = 2^min(d, 5), k, no doublings, and the ``most`` version spaces that a teacher
    looks at, are calibrated by ``python -m benchmarks.teachers``, and nothing is proved for them;
    `proved` makes a learner that has a `plan`.  Raises `DeclarationError` for illegal parameters
    and delta = 0, `InfiniteDimensionError` and `EmptyClassError`.

    Lyu (2025), Theorem 3, without stages and without AboveThreshold: docs/proofs/irreducible.md.
    Time: k error balls of m records each.

    >>> from littlestone.classes import Subsets
    >>> from littlestone.domains import Integers
    >>> learner = IrreducibleLearner(Subsets(Integers(), 3), epsilon=1, delta="1e-6")
    >>> learner.teachers, learner.mechanism.bottom
    (62, 33)
    """

    method = "irreducible"

    def __init__(
        self,
        hypotheses: HypothesisClass[Point],
        *,
        epsilon: object,
        delta: object,
        alpha: object = Fraction(1, 10),
        list_size: int | None = None,
        teachers: int | None = None,
        most: int | None = MOST_SPACES,
        doublings: int = 0,
    ) -> None:
        super().__init__(
            hypotheses,
            epsilon=epsilon,
            delta=delta,
            alpha=alpha,
            list_size=list_size,
            teachers=teachers,
        )
        self.most = None if most is None else count("most", most)
        self.doublings = count("doublings", doublings, least=0)

    @classmethod
    def proved(
        cls,
        hypotheses: HypothesisClass[Point],
        *,
        epsilon: object,
        delta: object,
        alpha: float,
        beta: float,
    ) -> IrreducibleLearner[Point]:
        """A learner whose `plan` (alpha, beta) is not None.  Such sizes, lists and times are large.

        Its teachers list all they find with error at most alpha d / (d + 2), for d doublings, in
        whatever time it takes.

        >>> from littlestone.classes import Points
        >>> from littlestone.domains import Integers
        >>> goal = {"alpha": 0.1, "beta": 0.05}
        >>> learner = IrreducibleLearner.proved(Points(Integers()), epsilon=1, delta="1e-6", **goal)
        >>> learner.teachers, learner.plan(**goal, setting="realizable").n
        (55, 62810)
        """
        require_plan(alpha, beta)
        hypotheses.require_learnable()
        d = int(hypotheses.littlestone_dimension())
        accuracy, confidence = exact(alpha, what="alpha"), exact(beta, what="beta")

        def made(m: int, teachers: int) -> IrreducibleLearner[Point]:
            return cls(
                hypotheses,
                epsilon=epsilon,
                delta=delta,
                alpha=accuracy * d / (d + 2),
                list_size=longest(m, d, d),
                teachers=teachers,
                most=None,
                doublings=d,
            )

        def sized(m: int) -> IrreducibleLearner[Point]:
            return made(m, made(m, 1).mechanism.copies_needed(confidence / 4))

        return sized(least(lambda m: sized(m).failure(m, alpha) <= beta))

    def listed(self, chunk: Sample[Point]) -> list[Hypothesis[Point]]:
        radius = int(self.alpha * chunk.n)
        lists = (
            frontier(self.hypotheses, chunk, radius, scale=2**s, most=self.most)
            for s in range(self.doublings + 1)
        )
        return list(dict.fromkeys(h for found in lists for h in found))

    def plan(self, alpha: float, beta: float, *, setting: Setting = "agnostic") -> Bound | None:
        """Examples that suffice in the realizable setting: k m for the least m of a small `failure`.

        None where that is not proved: in the agnostic setting, if lists may be cut or teachers give
        up, for less than d doublings, and if alpha is not above the learner's own.
        docs/proofs/irreducible.md, Theorem 2.
        """
        require_plan(alpha, beta, setting)
        if setting == "agnostic" or alpha <= self.alpha:
            return None
        if self.most is not None or self.doublings < self.dimension:
            return None
        if float(self.mechanism.bottom_at_most(self.teachers)) * (1 + 1e-6) >= beta:
            return None
        m = least(lambda m: self.failure(m, alpha) <= beta)
        if longest(m, self.dimension, self.doublings) > self.mechanism.list_size:
            return None
        source = "docs/proofs/irreducible.md, Theorem 2"
        return Bound(self.teachers * m, alpha, beta, setting, True, source)

    def failure(self, m: int, alpha: float) -> float:
        """The probability of an error above ``alpha`` with m records a teacher, by Theorem 2; or 1.

        With N = sum_(i <= d) C(2 m, i), u = alpha' m for the learner's own alpha', and v = alpha m - 1,
        it is at most

            d k (k - 1) N e^(-u / (d (d + 1))) + 2 k N e^(-(v - u)^2 / (2 (u + v))) + Pr[bottom].
        """
        d, k = self.dimension, self.teachers
        u, v = float(self.alpha * m), alpha * m - 1
        if m < d or v <= u:
            return 1.0
        patterns = math.log(sum(math.comb(2 * m, i) for i in range(d + 1)))
        exponents = [math.log(2 * k) + patterns - (v - u) ** 2 / (2 * (u + v))]
        if d and k > 1:
            exponents.append(math.log(d * k * (k - 1)) + patterns - u / (d * (d + 1)))
        bottom = float(self.mechanism.bottom_at_most(k))
        # The relative margin covers the rounding of these few operations.
        return min(1.0, (sum(math.exp(min(e, 1.0)) for e in exponents) + bottom) * (1 + 1e-9))

    def paper_plan(self, alpha: float, beta: float) -> Bound:
        """d^5 ln(1 / (delta beta)) / (epsilon alpha): Lyu25, Theorem 2, with 1 for its constant.

        No theorem: the paper has a constant and logarithms that it does not state.
        """
        require_plan(alpha, beta)
        logarithm = -math.log(self.mechanism.delta) - math.log(beta)
        n = self.dimension**5 * logarithm / (float(self.mechanism.epsilon) * alpha)
        source = "Lyu25, Theorem 2, at constant 1"
        return Bound(max(1, math.ceil(n)), alpha, beta, "realizable", False, source)


def longest(m: int, d: int, doublings: int) -> int:
    """The most hypotheses that a teacher of m records lists, for Littlestone dimension d.

    A leaf of dimension t is at most m + p (2^(d - t) - 1) deep; docs/proofs/irreducible.md, Theorem 2.

    >>> longest(2, 1, 0), longest(2, 1, 1)
    (7, 17)
    """

    def leaves(p: int, t: int) -> int:
        depth = m + p * (2 ** (d - t) - 1)
        return sum(math.comb(depth, i) for i in range(d - t + 1))

    sizes = [(m + 1) << s for s in range(doublings + 1)]
    return sum(leaves(p, t) for p in sizes for t in range(d + 1))
