"""The common part of learners by votes of teachers: declarations, one draw, exact probabilities."""

from __future__ import annotations

import math
import random
from abc import abstractmethod
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from fractions import Fraction
from itertools import permutations
from typing import Any, ClassVar, Self

import numpy as np

from littlestone.base.errors import DeclarationError, TooLargeError
from littlestone.base.work import at_most
from littlestone.classes.base import HypothesisClass
from littlestone.data.sample import Sample
from littlestone.learn.base import (
    MOST_WORK,
    Bound,
    PrivateLearner,
    Setting,
    dimension_up_to,
    has_rule,
    require_plan,
)
from littlestone.learn.papers.teachers import chunks, list_records, split
from littlestone.points import Point
from littlestone.privacy.cost import Budget, exact
from littlestone.privacy.ledger import Receipt
from littlestone.privacy.mechanisms.selection_from_lists import SparseSampling
from littlestone.privacy.parameters import least, require_whole
from littlestone.privacy.rational import sum_masses
from littlestone.rules import Hypothesis
from littlestone.theory.decomposition import decompose

MOST_SPACES = 10_000

MOST_STEPS = 2_000_000
"""The steps in which all teachers together decompose version spaces; each list has the same share."""

MOST_DIMENSION = 24
"""The largest Littlestone dimension for which `VotingLearner.proved` looks for sizes."""

_BETA = Fraction(1, 40)
_DOUBLINGS = 5
_TRIED = 100_000  # steps of a tree of the class that are tried before a fit without limits


class VotingLearner(PrivateLearner[Point]):
    """Release a hypothesis that many of k ``teachers`` list, by one draw of sparse sampling.

    Teacher i holds m = floor(n / k) records and lists at most ``list_size`` = L hypotheses by
    `hypotheses_of_teacher`. (epsilon, delta)-DP for every sample: a list is a function of the
    teacher's own records and of public numbers, and each record belongs to one teacher
    (docs/proofs/irreducible.md, Theorem 1). If nothing is drawn, the rule is SOA_H.

    ``alpha`` is the share of a teacher's records on which a rule that it lists may err; the default is
    `radius` / 10.  A teacher looks at no more than ``most`` version spaces, and lists nothing beyond
    them.  `with_proved_bound` makes a learner that has a `plan`.  Other sizes are calibrated, and
    nothing is proved for them.

    Raises `DeclarationError` for illegal parameters and delta = 0, `InfiniteDimensionError` and
    `EmptyClassError`.
    """

    source: ClassVar[str]
    """The page and theorem that prove `failure`."""

    radius: ClassVar[Fraction] = Fraction(1)
    """The default error of a teacher's rules, as a share of the learner's target error."""

    whole: ClassVar[bool] = False
    """Whether it lists nothing from an error ball that takes too many steps to decompose.

    Then no fit begins unless the class itself takes fewer steps.
    """

    slack: ClassVar[Fraction] = Fraction(3, 2)
    """The default number of teachers, as a multiple of `teachers_needed`; calibrated."""

    def __init__(
        self,
        hypotheses: HypothesisClass[Point],
        budget: Budget,
        *,
        alpha: object = None,
        list_size: int | None = None,
        teachers: int | None = None,
        most: int | None = MOST_SPACES,
    ) -> None:
        super().__init__(hypotheses, budget)
        self.dimension = int(hypotheses.littlestone_dimension())
        self.alpha = share("alpha", self.radius / 10 if alpha is None else alpha)
        if list_size is None:
            list_size = 2 ** min(self.dimension, _DOUBLINGS)
        require_whole("list_size", list_size, least=1)
        self.mechanism: SparseSampling[Hypothesis[Point]] = SparseSampling(budget, list_size)
        # A number of teachers from declarations and the budget alone.
        if teachers is None:
            teachers = math.ceil(self.slack * self.teachers_needed(_BETA))
        require_whole("teachers", teachers, least=1)
        if most is not None:
            require_whole("most", most, least=1)
        self.teachers, self.most = teachers, most

    @classmethod
    def for_error(
        cls, hypotheses: HypothesisClass[Point], budget: Budget, *, alpha: object
    ) -> Self:
        """The learner whose teachers list what errs on a share of their records set by ``alpha``."""
        own: Any = cls  # a subclass has options of its own
        made: Self = own(hypotheses, budget, alpha=exact(alpha, what="alpha") * cls.radius)
        return made

    @classmethod
    def with_proved_bound(
        cls, hypotheses: HypothesisClass[Point], budget: Budget, *, alpha: float, beta: float
    ) -> Self:
        """A learner whose `plan` (alpha, beta) is not None.  Such sizes, lists and times are large.

        Its teachers list all they find, however long it takes.  Their own alpha' < alpha makes the two
        exponents of `failure` about equal.  Raises `TooLargeError` for a Littlestone dimension above
        `MOST_DIMENSION`.
        """
        require_plan(alpha, beta)
        hypotheses.require_learnable()
        asked = f"find a proved size of the method {cls.method}"
        d = dimension_up_to(hypotheses, MOST_DIMENSION, asked=asked)
        steps, rate = cls.interleaving(d)
        # Any share is valid; for `IrreducibleLearner` it is d / (d + 2).
        kept = 1 / (1 + rate + math.sqrt(rate * (4 + rate))) if steps else 0.0
        own = exact(alpha, what="alpha") * Fraction(kept).limit_denominator(1000)
        declared = {"budget": budget, "alpha": own, **cls.complete(d)}
        share_of_beta = Fraction(repr(float(beta))) / 4

        def suffices(m: int) -> bool:
            # With two or more teachers it fails more often, so most m need no learner.
            if cls.apart(m, alpha, d, 2, own, hypotheses.labels) > beta:
                return False
            return cls._with_size(hypotheses, m, share_of_beta, declared).failure(m, alpha) <= beta

        return cls._with_size(hypotheses, least(suffices), share_of_beta, declared)

    @classmethod
    def _with_size(
        cls, hypotheses: HypothesisClass[Point], m: int, beta: Fraction, declared: dict[str, Any]
    ) -> Self:
        """The teachers, with m records each, that list all they find and are rarely misled."""
        longest = cls.longest(m, int(hypotheses.littlestone_dimension()), hypotheses.labels)
        options = {"list_size": longest, **declared}
        alone = cls(hypotheses, teachers=1, most=None, **options)
        return cls(hypotheses, teachers=alone.teachers_needed(beta), most=None, **options)

    @classmethod
    def complete(cls, d: int) -> dict[str, Any]:
        """The additional declarations with which `failure` is proved."""
        return {}

    def is_complete(self) -> bool:
        """Whether only ``list_size`` can keep a teacher from listing all that it finds."""
        return self.most is None

    @classmethod
    @abstractmethod
    def interleaving(cls, d: int) -> tuple[int, float]:
        """(s, c): each ball lies in the others for s pairs of radii, each except for N e^(-c u)."""

    @classmethod
    @abstractmethod
    def longest(cls, m: int, d: int, labels: int = 2) -> int:
        """The most hypotheses that a teacher with m records lists if nothing is cut; d = LDim(H)."""

    @abstractmethod
    def teachers_needed(self, beta: Fraction) -> int:
        """The teachers that keep `miss_probability` at most ``beta``; a function of declarations."""

    @abstractmethod
    def miss_probability(self) -> float:
        """The probability that no listed hypothesis is drawn, although the teachers agree."""

    @abstractmethod
    def hypotheses_of_teacher(self, chunk: Sample[Point]) -> list[Hypothesis[Point]]:
        """The list of the teacher that holds ``chunk``, a function of it alone."""

    def draw(self, sample: Sample[Point], *, receipt: Receipt) -> Hypothesis[Point]:
        rng = receipt.redeem(self.mechanism)  # redeemed now, because the order is drawn first
        scores = self.scores_of_lists(
            self.hypotheses_of_teacher, *self.parts_of_teachers(sample, rng)
        )
        found = self.mechanism.select(scores, rng)
        return self.hypotheses.soa() if found is None else found

    def parts_of_teachers(
        self, sample: Sample[Point], rng: random.Random
    ) -> tuple[Iterable[Sample[Point]], int]:
        """The parts of the records, and the number of teachers that hold each of them.

        If there are fewer records than teachers, all hold nothing; n is public.
        """
        if sample.n < self.teachers:
            return [sample.with_counts((), sample.counts[:0])], self.teachers
        return chunks(sample, self.teachers, rng), 1

    def scores_of_lists(
        self,
        listed: Callable[[Sample[Point]], list[Hypothesis[Point]]],
        parts: Iterable[Sample[Point]],
        times: int,
    ) -> dict[Hypothesis[Point], int]:
        """The number of teachers that list each hypothesis, if each part is held by ``times``."""
        # Each part is listed once, as a function of that part alone: one record changes one list
        # (docs/proofs/irreducible.md, Theorem 1).
        found = self.mechanism.scores(map(listed, parts))
        return {h: times * score for h, score in found.items()}

    @property
    def passes(self) -> int:
        """The number of error balls that a teacher lists from."""
        return 1

    @property
    def steps(self) -> int | None:
        """The most steps in which one error ball is decomposed; a function of declarations.

        A list leaves out what takes more steps.  So the work of a fit is limited, and a list remains a
        function of the teacher's own records.
        """
        return None if self.most is None else max(1, MOST_STEPS // (self.teachers * self.passes))

    @property
    def spaces(self) -> int | None:
        """The most version spaces of one error ball that a teacher looks at."""
        return None if self.most is None else min(self.most, self.steps or 1)

    def work(self, n: int) -> int:
        """The version spaces that every teacher may look at, in all of its error balls.

        If these are not limited, or if a list is empty when it takes too many steps, it adds the nodes
        of as many trees of the whole class.  If one of these takes too many, or the search for the SOA
        of the class, it exceeds `MOST_WORK`.
        """
        m = n // self.teachers
        spaces = self.spaces or (m + 1) * self.hypotheses.growth_function(m)
        nodes = self.nodes(m) if self.steps is None or self.whole else self.steps
        if nodes is None or not has_rule(self.hypotheses):
            return MOST_WORK + 1
        # Teachers without records make one list together.
        return self.passes * (self.teachers * (spaces + nodes) if m else nodes)

    def limit_steps(self, found: Callable[[], list[Hypothesis[Point]]]) -> list[Hypothesis[Point]]:
        """The list that ``found`` makes from one error ball; empty if it needs more than `steps`."""
        try:
            with at_most(self.steps):
                return found()
        # An empty list is still a function of the teacher's own records.
        except TooLargeError:
            return []

    def nodes(self, m: int) -> int | None:
        """The nodes of a tree of the class, with m records a teacher; None if it takes too long."""
        steps = _TRIED if self.steps is None else self.steps
        p = (m + 1) << (self.passes - 1)
        try:
            with at_most(steps):
                return len(decompose(self.hypotheses, p, self.dimension, most=steps).nodes)
        except TooLargeError:
            return None

    def distribution(self, sample: Sample[Point]) -> dict[Hypothesis[Point], Fraction]:
        """The exact probability of each hypothesis.  It depends on the data: for audits only.

        It goes through all orders of the records, so use it for a handful of them only.
        """
        return sum_masses(
            (self.hypotheses.soa() if found is None else found, chance * mass)
            for parts, chance in orders(sample, self.teachers)
            for found, mass in self.chances(parts).items()
        )

    def chances(self, parts: list[Sample[Point]]) -> dict[Hypothesis[Point] | None, Fraction]:
        """The exact probability of each hypothesis, and of bottom, if the teachers hold ``parts``."""
        return self.mechanism.distribution([self.hypotheses_of_teacher(part) for part in parts])

    def plan(self, alpha: float, beta: float, *, setting: Setting = "agnostic") -> Bound | None:
        """The examples that suffice in the realizable setting: k m for the least m of small `failure`.

        None if that is not proved: in the agnostic setting, if lists may be cut or teachers give up,
        and if alpha is not above the learner's own.
        """
        require_plan(alpha, beta, setting)
        if setting == "agnostic" or alpha <= self.alpha or not self.is_complete():
            return None
        if self.miss_probability() * (1 + 1e-6) >= beta:
            return None
        m = least(lambda m: self.failure(m, alpha) <= beta)
        # Cut lists may lose the common rule, and then nothing is proved.
        if self.longest(m, self.dimension, self.hypotheses.labels) > self.mechanism.list_size:
            return None
        return Bound(self.teachers * m, alpha, beta, setting, self.source)

    def failure(self, m: int, alpha: float) -> float:
        """Bound the probability of an error above ``alpha`` with m records a teacher; at most 1.

        With k teachers, K labels, N = sum_(i <= d) C(2 m, i) (K - 1)^i, u = alpha' m for the learner's
        own alpha', v = alpha m - 1, and (s, c) of `interleaving`, it is at most

            s k (k - 1) N e^(-c u) + 2 k N e^(-(v - u)^2 / (2 (u + v))) + `miss_probability`

        where no list is cut: docs/proofs/irreducible.md, Theorems 2 and 3; docs/proofs/baselines.md.
        """
        labels = self.hypotheses.labels
        apart = self.apart(m, alpha, self.dimension, self.teachers, self.alpha, labels)
        return min(1.0, apart + self.miss_probability() * (1 + 1e-9)) if apart < 1 else 1.0

    @classmethod
    def apart(cls, m: int, alpha: float, d: int, k: int, own: Fraction, labels: int) -> float:
        """`failure` without `miss_probability`, for k teachers whose lists err on a share ``own``."""
        u, v = float(own * m), alpha * m - 1
        if v <= u:
            return 1.0
        ways = (math.comb(2 * m, i) * (labels - 1) ** i for i in range(d + 1))
        patterns = math.log(sum(ways))
        steps, rate = cls.interleaving(d)
        exponents = [math.log(2 * k) + patterns - (v - u) ** 2 / (2 * (u + v))]
        if steps and k > 1:
            exponents.append(math.log(steps * k * (k - 1)) + patterns - rate * u)
        # The relative margin covers the rounding of these few operations.
        return min(1.0, sum(math.exp(min(e, 1.0)) for e in exponents) * (1 + 1e-9))


def orders(sample: Sample[Point], teachers: int) -> Iterator[tuple[list[Sample[Point]], Fraction]]:
    """The parts that the teachers hold for every order of the records, with their probability.

    >>> from littlestone.points import Integers
    >>> sample = Sample.from_examples(Integers(), [(7, 1), (7, 1), (2, 0)])
    >>> [str(chance) for _, chance in orders(sample, 3)]
    ['1/3', '1/3', '1/3']
    """
    found = Counter(permutations(list_records(sample)))
    for order, times in found.items():
        parts = split(sample, np.array(order, dtype=np.int64), teachers)
        yield list(parts), Fraction(times, found.total())


def share(name: str, value: object) -> Fraction:
    """A share of the records, at least 0 and below 1; raises `DeclarationError` otherwise."""
    found = exact(value, what=name)
    if not 0 <= found < 1:
        raise DeclarationError(
            f"learn with {name} = {value}",
            found=f"{name} is a share of records, at least 0 and below 1",
            fix="give a share such as 0.1",
        )
    return found
