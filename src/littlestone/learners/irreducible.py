"""The learner of every Littlestone class (Lyu 2025, Theorem 3): teachers vote for SOAs."""

from __future__ import annotations

import math
import random
from collections import Counter
from fractions import Fraction
from itertools import permutations

import numpy as np

from littlestone.classes.base import HypothesisClass
from littlestone.decomposition import leaf_bound
from littlestone.domains import Point
from littlestone.errors import DeclarationError
from littlestone.hypotheses import Hypothesis
from littlestone.learners.base import Bound, PrivateLearner, Setting, least, require_plan
from littlestone.learners.teachers import chunks, frontier, split
from littlestone.privacy.cost import exact, exact_delta, exact_epsilon
from littlestone.privacy.ledger import Receipt
from littlestone.privacy.mechanisms.sparse_sampling import SparseSampling
from littlestone.sample import Sample

_BETA = Fraction(1, 40)
_SLACK = Fraction(3, 2)
_DOUBLINGS = 5
MOST_SPACES = 10_000


class IrreducibleLearner(PrivateLearner[Point]):
    """Release a hypothesis that many of k teachers list, by one draw of sparse sampling.

    Teacher i holds m = floor(n / k) records.  It decomposes the ball {h : h errs at most alpha m
    times} into irreducible version spaces, and lists the SOAs of those that none of fewer or as
    many errors exceeds in Littlestone dimension (`frontier`), at most ``list_size`` = L.

    (epsilon, delta)-DP for every sample: a list is a function of the teacher's own records and of
    public numbers, and one record belongs to one teacher.  Improper: the rule is an SOA.

    The defaults, L = 2^min(d, 5), k and the ``most`` version spaces that a teacher looks at, are
    calibrated by ``python -m benchmarks.calibration``, and nothing is proved for them; `proved` makes
    a learner that has a `plan`.  Raises `DeclarationError` for illegal parameters and delta = 0,
    `InfiniteDimensionError` and `EmptyClassError`.

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
    ) -> None:
        hypotheses.require_learnable()
        self.hypotheses = hypotheses
        self.dimension = int(hypotheses.littlestone_dimension())
        self.alpha = exact(alpha, what="alpha")
        if not 0 <= self.alpha < 1:
            raise DeclarationError(
                f"let teachers list rules with alpha = {alpha}",
                found="alpha is a share of their records, at least 0 and below 1",
                fix="give the error that is allowed, such as 0.1",
            )
        if list_size is None:
            list_size = 2 ** min(self.dimension, _DOUBLINGS)
        self.mechanism: SparseSampling[Hypothesis[Point]] = SparseSampling(
            exact_epsilon(epsilon), exact_delta(delta), _count("list_size", list_size)
        )
        if teachers is None:
            teachers = math.ceil(_SLACK * self.mechanism.copies_needed(_BETA))
        self.teachers = _count("teachers", teachers)
        self.most = None if most is None else _count("most", most)

    @classmethod
    def aimed(
        cls, hypotheses: HypothesisClass[Point], *, epsilon: object, delta: object, alpha: object
    ) -> IrreducibleLearner[Point]:
        """Its teachers list what errs on at most a share alpha of their records."""
        return cls(hypotheses, epsilon=epsilon, delta=delta, alpha=alpha)

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

        Its teachers list all they find with error at most alpha / 2, in whatever time it takes.

        >>> from littlestone.classes import Points
        >>> from littlestone.domains import Integers
        >>> goal = {"alpha": 0.1, "beta": 0.05}
        >>> learner = IrreducibleLearner.proved(Points(Integers()), epsilon=1, delta="1e-6", **goal)
        >>> learner.teachers, learner.plan(**goal, setting="realizable").n
        (54, 130680)
        """
        require_plan(alpha, beta)
        hypotheses.require_learnable()
        dimension = int(hypotheses.littlestone_dimension())

        accuracy, confidence = exact(alpha, what="alpha"), exact(beta, what="beta")

        def made(m: int, teachers: int) -> IrreducibleLearner[Point]:
            return cls(
                hypotheses,
                epsilon=epsilon,
                delta=delta,
                alpha=accuracy / 2,
                list_size=longest(m, dimension),
                teachers=teachers,
                most=None,
            )

        def sized(m: int) -> IrreducibleLearner[Point]:
            return made(m, made(m, 1).mechanism.copies_needed(confidence / 4))

        return sized(least(lambda m: sized(m).failure(m, alpha) <= beta))

    @property
    def event(self) -> SparseSampling[Hypothesis[Point]]:
        return self.mechanism

    def draw(
        self, sample: Sample[Point], *, receipt: Receipt, rng: random.Random
    ) -> Hypothesis[Point]:
        # Lazily: the mechanism redeems the receipt before the records are permuted.
        lists = (self.listed(chunk) for chunk in chunks(sample, self.teachers, rng))
        found = self.mechanism.draw(lists, receipt=receipt, rng=rng)
        return self.hypotheses.soa() if found is None else found

    def listed(self, chunk: Sample[Point]) -> list[Hypothesis[Point]]:
        """The list of the teacher that holds ``chunk``, a function of it alone."""
        return frontier(self.hypotheses, chunk, int(self.alpha * chunk.n), most=self.most)

    def distribution(self, sample: Sample[Point]) -> dict[Hypothesis[Point], Fraction]:
        """The exact probability of each hypothesis.  It depends on the data: for audits.

        Of all orders of the records, so for a handful of them only.
        """
        often = np.stack([sample.negatives, sample.positives], axis=1).ravel()
        records = np.repeat(np.arange(len(often)), often).tolist()
        orders = Counter(permutations(records))
        total: dict[Hypothesis[Point], Fraction] = {}
        for order, times in orders.items():
            parts = split(sample, np.array(order, dtype=np.int64), self.teachers)
            drawn = self.mechanism.distribution([self.listed(part) for part in parts])
            share = Fraction(times, orders.total())
            for found, mass in drawn.items():
                h = self.hypotheses.soa() if found is None else found
                total[h] = total.get(h, Fraction(0)) + share * mass
        return total

    def plan(self, alpha: float, beta: float, *, setting: Setting = "agnostic") -> Bound | None:
        """Examples that suffice in the realizable setting: k m for the least m of a small `failure`.

        None where that is not proved: in the agnostic setting, if lists may be cut or teachers give
        up, and if alpha is not above the learner's own.  docs/proofs/irreducible.md, Theorem 2.
        """
        require_plan(alpha, beta, setting)
        if setting == "agnostic" or self.most is not None or alpha <= self.alpha:
            return None
        if float(self.mechanism.bottom_at_most(self.teachers)) * (1 + 1e-6) >= beta:
            return None
        m = least(lambda m: self.failure(m, alpha) <= beta)
        if longest(m, self.dimension) > self.mechanism.list_size:
            return None
        source = "docs/proofs/irreducible.md, Theorem 2"
        return Bound(self.teachers * m, alpha, beta, setting, True, source)

    def failure(self, m: int, alpha: float) -> float:
        """The probability of an error above ``alpha`` with m records a teacher, by Theorem 2; or 1.

        With N = sum_(i <= d) C(2 m, i), u = floor(alpha' m) for the learner's own alpha', and
        v = floor(alpha m), it is at most

            (d + 1) k (k - 1) N e^-l + 2 k N e^(-(v - u)^2 / (2 (u + v))) + Pr[bottom],

        where l is the largest for which the radii b_0 = 0 and b_(j+1) = the least b with
        (b + 1 - b_j)^2 >= 2 l (b + 1 + b_j) reach only b_(d+1) <= u.
        """
        d, k = self.dimension, self.teachers
        u, v = math.floor(self.alpha * m), math.floor(exact(alpha, what="alpha") * m)
        if m < d or v <= u:
            return 1.0
        patterns = math.log(sum(math.comb(2 * m, i) for i in range(d + 1)))
        gap = largest_gap(u, d + 1)
        exponents = [
            math.log((d + 1) * k * (k - 1) or 1) + patterns - gap,
            math.log(2 * k) + patterns - (v - u) ** 2 / (2 * (u + v)),
        ]
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


def longest(m: int, d: int) -> int:
    """The most hypotheses that a teacher of m records lists, for Littlestone dimension d.

    There are at most leaf_bound(m + 1, d, d, t) leaves of dimension t (docs/proofs/irreducible.md).
    """
    return sum(leaf_bound(m + 1, d, d, t) for t in range(d + 1))


def largest_gap(most: int, steps: int) -> float:
    """The largest l for which ``steps`` radii grow from 0 to at most ``most``, rounded down."""
    low, high = 0.0, float(most + 1)
    while high - low > 1e-9 * high:
        gap, b = (low + high) / 2, 0
        for _ in range(steps):
            b = math.ceil(b + gap + math.sqrt(gap * (gap + 4 * b))) - 1
        low, high = (gap, high) if b <= most else (low, gap)
    return low


def _count(name: str, value: int) -> int:
    if type(value) is not int or value < 1:
        raise DeclarationError(
            f"learn from teachers with {name} = {value!r}",
            found="it is a whole number, 1 or more",
            fix=f"give another {name}, or leave it out",
        )
    return value
