"""The learner of radii: the whole sample lists SOAs at many radii, and the steadiest is drawn.

At each radius the sample lists the SOAs of version spaces that are hard to reduce.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from fractions import Fraction
from functools import lru_cache
from typing import Any, Self

from littlestone.base.errors import DeclarationError, TooLargeError, show_value
from littlestone.base.work import at_most
from littlestone.classes.base import HypothesisClass
from littlestone.classes.outcomes import Outcomes
from littlestone.classes.promises.covering import is_steady
from littlestone.data.sample import Sample
from littlestone.learn.base import (
    MOST_WORK,
    Bound,
    Caveat,
    PrivateLearner,
    Setting,
    dimension_up_to,
    has_rule,
    require_plan,
)
from littlestone.learn.papers.radii_lists import leaves_of_class, lists, longest_clean
from littlestone.points import Point
from littlestone.privacy.cost import Budget, exact
from littlestone.privacy.ledger import Receipt
from littlestone.privacy.mechanisms.selection_from_lists import RadiiSelection
from littlestone.privacy.mechanisms.sparse_selection import least_power
from littlestone.privacy.parameters import least
from littlestone.privacy.rational import sum_masses
from littlestone.rules import Hypothesis

MOST_DIMENSION = 24
"""The largest Littlestone dimension of a class; beyond 2, most fits take too much work."""

LARGE = 10**6
"""It is chosen if so many records, or as many as are given, take no more than `MOST_WORK`."""

_BETA = Fraction(1, 40)
_MOST_GHOSTS = 64  # further records, which are only imagined, for each record
_TRIED = 100_000  # leaves of the class that are tried before a fit
_STEPS = 40  # of a version space, which takes some 0.2 ms and, while it waits, 2 KB

Run = tuple[int, Hypothesis[Any]]


class RadiiLearner(PrivateLearner[Point]):
    """Release a rule that the sample lists at many radii in a row, by one draw.

    At each radius b = 0, 1, ..., M the hypotheses of at most b errors are cut into version spaces that
    few points cannot reduce.  Let t be the largest Littlestone dimension of one.  The list of b holds
    the SOAs of those of dimension t (`lists`).  A rule scores the number of radii that list it for one
    t, less a constant that depends on ``lists[t]``; longer lists do not count.  One record moves each
    end of these radii by one at most.  So no records are set apart for teachers.  If nothing is drawn,
    the rule is SOA_H, which is the rule of t = LDim(H).

    (epsilon, delta)-DP for every sample (docs/proofs/radii.md, Theorem 1).  Improper: the rule is an
    SOA.  ``radii`` = M + 1 is such that bottom is drawn with probability ``beta`` at most, if clean
    labels and lists that are short enough leave SOA_H with more than M errors.

    The default lists are as long as those of sets of at most LDim(H) elements, C(LDim(H), t), so that
    two labels of a class that `is_steady` have a `plan`.  Nothing is proved for them elsewhere, where
    `with_proved_bound` makes a learner that has one.

    Raises `DeclarationError` for illegal parameters, delta = 0, a Littlestone dimension above
    `MOST_DIMENSION`, and `Outcomes`, whose version spaces are searched with a limit.

    It needs the fewest records of all learners of any class.  It is chosen for clean labels, unless a
    million records take more than `MOST_WORK`.

    Time: up to C(M + d + 1, d) version spaces for d = LDim(H), more if they decompose further; some
    M times the sum of ``lists`` for `Steady` classes, such as sets of keys.  Nothing limits it after
    the spend, because a limit would reveal something about the records.

    >>> from littlestone.classes import Subsets, Thresholds
    >>> from littlestone.points import Integers
    >>> RadiiLearner(Subsets(Integers(), 3), Budget(1, "1e-6")).radii
    239
    >>> goal = {"alpha": 0.1, "beta": 0.05}
    >>> for H in (Subsets(Integers(), 3), Thresholds.on(0, 6)):
    ...     proved = RadiiLearner.with_proved_bound(H, Budget(1, "1e-6"), **goal)
    ...     print(proved.plan(**goal, setting="realizable").n)
    3980
    7250
    """

    method = "radii"
    several = True
    caveat = Caveat.CLEAN_LABELS
    source = "docs/proofs/radii.md, Theorem 2"

    def __init__(
        self,
        hypotheses: HypothesisClass[Point],
        budget: Budget,
        *,
        lists: Sequence[int] | None = None,
        beta: Fraction = _BETA,
        large: int = LARGE,
    ) -> None:
        super().__init__(hypotheses, budget)
        if isinstance(hypotheses, Outcomes):
            raise self.unfit(
                found="its version spaces are searched with a limit, and what they list may not end",
                declare="a class of rules with two labels",
            )
        asked = f"learn by the method {self.method}"
        self.dimension = d = dimension_up_to(hypotheses, MOST_DIMENSION, asked=asked)
        if lists is None:
            lists = [math.comb(d, t) for t in range(d)]
        if (
            not isinstance(lists, Sequence)
            or len(lists) != d
            or any(type(size) is not int or size < 1 for size in lists)
        ):
            raise DeclarationError(
                f"learn by radii with lists = {show_value(lists)}",
                found=f"it is {d} whole numbers, 1 or more, one for each smaller dimension",
                fix="give such numbers, or leave lists out",
            )
        self.lists = tuple(lists)
        self.mechanism: RadiiSelection[Run] = RadiiSelection(budget, max(1, d))
        # r^handicap is at least the length of a list, so a whole list weighs no more than one rule
        # (docs/proofs/radii.md, Theorem 1, step 2).
        self.handicaps = [least_power(self.mechanism.base, Fraction(size)) for size in self.lists]
        # A share of beta for all patterns may be a fraction that is too long to be declared.
        chance = beta if isinstance(beta, Fraction) else exact(beta, what="beta")
        self.score = self.mechanism.copies_needed(chance)
        # Some dimension below d holds at ``score`` radii and those of its handicap, or d itself holds.
        self.radii = 1 + sum(self.score + handicap - 1 for handicap in self.handicaps)
        if self.work(large) > MOST_WORK:
            self.caveat = Caveat.CLEAN_AND_MANY

    @classmethod
    def with_proved_bound(
        cls, hypotheses: HypothesisClass[Point], budget: Budget, *, alpha: float, beta: float
    ) -> Self:
        """A learner whose `plan` (alpha, beta) is not None: its lists are as long as they can be."""
        require_plan(alpha, beta)
        hypotheses.require_learnable()
        share = Fraction(repr(float(beta))) / (2 if is_steady(hypotheses) else 5)
        learner = cls(hypotheses, budget, beta=share)
        # Longer lists need larger handicaps, and these more radii: repeat until both agree.
        while learner.lists != (most := longest_clean(hypotheses, learner.radii)):
            learner = cls(hypotheses, budget, lists=most, beta=share)
        return learner

    def draw(self, sample: Sample[Point], *, receipt: Receipt) -> Hypothesis[Point]:
        found = self.mechanism.draw(self.scores_of_lists(sample), receipt=receipt)
        return self.hypotheses.soa() if found is None else found[1]

    def distribution(self, sample: Sample[Point]) -> dict[Hypothesis[Point], Fraction]:
        drawn = self.mechanism.distribution(self.scores_of_lists(sample))
        return sum_masses(
            (self.hypotheses.soa() if found is None else found[1], mass)
            for found, mass in drawn.items()
        )

    def scores_of_lists(self, sample: Sample[Point], start: int = 0) -> dict[Run, int]:
        """The score of each rule that is listed, with the dimension t of the lists that hold it.

        ``start`` is the first radius.
        """
        counts: dict[Run, int] = {}
        for t, rules in self.lists_of_sample(sample, start):
            for rule in rules:
                # A score counts radii; one record moves each end of a run by at most one (Lemma 2).
                counts[t, rule] = counts.get((t, rule), -self.handicaps[t]) + 1
        return counts

    def lists_of_sample(
        self, sample: Sample[Point], start: int = 0
    ) -> Iterator[tuple[int, list[Hypothesis[Point]]]]:
        """`lists` of the sample; none if there are fewer records than radii, because n is public."""
        if sample.n >= self.radii:
            yield from lists(self.hypotheses, sample, self.radii, self.lists, start)

    def work(self, n: int) -> int:
        """The version spaces of at most M errors, or those that lead to lists of `Steady` classes.

        Each is taken to decompose as the class does (docs/proofs/radii.md, Lemma 3).  If it has
        10,000 points or fewer it counts 40 steps, for some 0.2 ms and 2 KB.
        """
        return self.work_beyond(n, self.radii)

    def work_beyond(self, n: int, errors: int) -> int:
        """`work` if version spaces of fewer than so many ``errors`` are visited."""
        H, d = self.hypotheses, self.dimension
        if not has_rule(H):
            return MOST_WORK + 1
        if n < self.radii:
            return 0
        if self.radii > _TRIED:  # each of them is a step of what is tried
            return MOST_WORK + 1
        spaces = math.comb(errors + d, d) * (H.labels - 1) ** d
        if is_steady(H):
            found = [size + 1 for size in self.lists] + [1]  # leaves, until a list is too long
            spaces = min(spaces, sum(found) * (errors + d) * H.labels)
        if (fewest := self._steps(n, spaces)) > MOST_WORK:
            return fewest  # the tree of the class has a leaf, so no walk through it makes this less
        leaves = _leaves_of_class(H, self.radii)
        return MOST_WORK + 1 if leaves is None else self._steps(n, spaces * leaves)

    def _steps(self, n: int, spaces: int) -> int:
        size = self.hypotheses.size
        looked: int = self.radii + (spaces if size is None else min(size, spaces))
        return _STEPS * looked * (1 + n // 10_000)

    def plan(self, alpha: float, beta: float, *, setting: Setting = "agnostic") -> Bound | None:
        """The examples that suffice in the realizable setting: the least n of small `failure`.

        None in the agnostic setting, and if lists may be too long.
        """
        require_plan(alpha, beta, setting)
        if setting == "agnostic" or self.miss_probability >= beta:
            return None
        most = longest_clean(self.hypotheses, self.radii)
        if any(size < all_of_it for size, all_of_it in zip(self.lists, most, strict=True)):
            return None
        n = least(lambda n: self.failure(n, alpha) <= beta)
        return Bound(n, alpha, beta, setting, self.source)

    @property
    def miss_probability(self) -> float:
        """The probability that nothing is drawn, although some rule has the ``score``."""
        found = self.mechanism.bottom_at_most(self.score) if self.dimension else Fraction(0)
        return float(found) * (1 + 1e-9)

    def failure(self, n: int, alpha: float) -> float:
        """Bound the probability of an error above ``alpha`` with n records; at most 1.

        With M = ``radii`` - 1, g a power of 2, v = floor(alpha g), J = M + v, q = n / (n + g), K labels
        and N = sum_(i <= d) C(n + g, i) (K - 1)^i, it is at most the least over g of

            2 N e^(-J KL(M / J, q)) + `miss_probability`

        where no list is too long, if (v - d - 1) n >= M g: docs/proofs/radii.md, Theorem 2.
        """
        d, wrong, errors = self.dimension, self.hypotheses.labels - 1, self.radii - 1
        exponents = [0.0]
        for g in (1 << i for i in range((_MOST_GHOSTS * n).bit_length())):
            v, both = math.floor(Fraction(alpha) * g), n + g
            # The ghosts' side condition of Theorem 2; other g give no bound and are passed over.
            if (v - d - 1) * n >= errors * g and both >= d * (d + 1):
                patterns = math.log(2 * sum(math.comb(both, i) * wrong**i for i in range(d + 1)))
                rounding = 1e-15 * (errors + v)  # of the logarithms in the divergence
                exponents.append(patterns - divergence(errors, v, n, g) + rounding)
        # The relative margin covers the rounding of the other operations.
        return min(1.0, math.exp(min(exponents)) * (1 + 1e-9) + self.miss_probability)


@lru_cache(maxsize=32)
def _leaves_of_class(H: HypothesisClass[Any], radii: int) -> int | None:
    """`leaves_of_class`, or None if there are too many steps to it; other budgets ask for it again."""
    try:
        with at_most(_TRIED):
            return leaves_of_class(H, radii)
    except TooLargeError:
        return None


def divergence(u: int, v: int, n: int, g: int) -> float:
    """J KL(u / J, n / (n + g)) for J = u + v, which exceeds 0 if u / n < v / g.

    >>> divergence(0, 10, 1, 1) == 10 * math.log(2)
    True
    """
    first = u * math.log(u * (n + g) / ((u + v) * n)) if u else 0.0
    return first + v * math.log(v * (n + g) / ((u + v) * g))
