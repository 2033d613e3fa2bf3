"""The learner of radii: the whole sample lists SOAs at many radii, and the steadiest is drawn.

At each radius the sample lists the SOAs of version spaces that are hard to reduce.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from fractions import Fraction
from functools import cached_property
from heapq import heappop, heappush
from itertools import count, islice
from typing import Any, Self

from littlestone.base import steps
from littlestone.base.errors import DeclarationError, TooLargeError, show_value
from littlestone.base.steps import at_most
from littlestone.classes.base import HypothesisClass
from littlestone.classes.outcomes import Outcomes
from littlestone.data.sample import Sample
from littlestone.learn.base import (
    MOST_WORK,
    Bound,
    Caveat,
    PrivateLearner,
    Setting,
    has_rule,
    require_plan,
    unfit,
)
from littlestone.points import Point
from littlestone.privacy.cost import Budget, exact
from littlestone.privacy.ledger import Receipt
from littlestone.privacy.mechanisms.radii_selection import RadiiSelection
from littlestone.privacy.mechanisms.sparse_selection import least_power
from littlestone.privacy.parameters import least
from littlestone.rules import Hypothesis
from littlestone.theory.decomposition import reducing_path

Rules = list[Hypothesis[Any]]


def leaf_demands(s: int, d: int) -> list[int]:
    """k[l] = 2 C(s + d - l, d - l + 1): a leaf of dimension l = 0, ..., d is k[l]-irreducible.

    So k[l](s + 1) = k[l](s) + 2 + the sum of k[i](s) over i = l + 1, ..., d.

    >>> leaf_demands(3, 2), leaf_demands(4, 2)
    ([20, 12, 6], [40, 20, 8])
    """
    return [2 * math.comb(s + d - i, d - i + 1) for i in range(d + 1)]


def longest(radii: int, d: int, labels: int = 2) -> tuple[int, ...]:
    """The most SOAs of dimension t = 0, ..., d - 1 that one of ``radii`` lists, whatever the sample.

    >>> longest(5, 1), longest(5, 1, labels=3), longest(5, 2)
    ((16,), (31,), (864, 18))
    """
    # A dimension is left at one of at most ``radii`` points, or at a point or the end of one path.
    ways = [(labels - 1) * (k + radii) + 1 for k in leaf_demands(d + radii - 1, d)]
    return tuple(math.prod(ways[t + 1 :]) for t in range(d))


def lists(
    H: HypothesisClass[Any], sample: Sample[Any], radii: int, sizes: tuple[int, ...]
) -> Iterator[tuple[int, Rules]]:
    """The dimension t < LDim(H) and the list of each radius 0, ..., ``radii`` - 1.

    The tree of a radius b splits a version space along a path that reduces it, if as many points do as
    `leaf_demands`.  Otherwise it splits it at the first point of the sample where its SOA errs
    avoidably. A version space that errs more than b times is left out.  The list holds the SOAs of
    the leaves of the largest dimension t.  Lists longer than ``sizes[t]`` are left out, and so are
    all from the radius on at which t is LDim(H).

    >>> from littlestone.classes import Subsets
    >>> from littlestone.points import Integers
    >>> H, examples = Subsets(Integers(), 2), [(1, 1)] * 5 + [(2, 1), (3, 0), (4, 0)]
    >>> sample = Sample.from_examples(H.domain, examples)
    >>> [(t, [h.words() for h in found]) for t, found in lists(H, sample, 3, (1, 1))]
    [(0, ['x is one of 1, 2']), (1, ['x is 1']), (1, ['x is 1'])]
    """
    d, seen, degree, serial = int(H.littlestone_dimension()), _CostedPoints(sample), 0, count()
    leaves, reduced = list[_Node](), list[_Node]()
    waiting = [(seen.unavoidable, next(serial), _Node(H, seen.unavoidable))]
    # Radii go up and demands go down, so what was irreducible stays so, and reduced nodes are asked
    # again.
    for radius in range(radii):
        demands = leaf_demands(d + radii - 1 - radius, d)
        for node in reduced:
            if not node.is_reducible(demands):
                heappush(waiting, (node.errors, next(serial), node))
        reduced = [node for node in reduced if node.is_reducible(demands)]
        while waiting and waiting[0][0] <= radius:
            node = heappop(waiting)[2]
            if node.dimension < degree:
                continue
            if node.is_reducible(demands):
                reduced.append(node)  # its parts may be others at the next radius
            elif node.after(seen):
                for part in node.after(seen):
                    if part.errors < radii:
                        heappush(waiting, (part.errors, next(serial), part))
            else:
                leaves.append(node)
        below = [leaf for node in reduced for leaf in node.leaves(seen, demands, degree, radius)]
        # The list of a radius is of one dimension, the largest of its leaves.
        t = max((leaf.dimension for leaf in leaves + below), default=-1)
        if t == d:
            # d itself: SOA_H is the rule from here on, and it needs no list.
            return
        if t < degree:
            continue
        rules = list(dict.fromkeys(leaf.rule for leaf in leaves + below if leaf.dimension == t))
        # A list that is too long stays so until a larger dimension comes.
        degree = t if len(rules) <= sizes[t] else t + 1
        leaves = [leaf for leaf in leaves if leaf.dimension >= degree]
        reduced = [node for node in reduced if node.dimension >= degree]
        if degree == t:
            yield t, rules


def leaves_of_class(H: HypothesisClass[Any], radii: int) -> int:
    """The leaves of the tree of H without a sample, at the first radius.

    `steps.at_most` limits the search for them, and for what reduces H at every radius.
    """
    d, found, root = int(H.littlestone_dimension()), 0, _Node(H, 0)
    seen = _CostedPoints(Sample.from_examples(H.domain, [], labels=H.labels))
    for _ in root.leaves(seen, leaf_demands(d + radii - 1, d), 0, 0):
        steps.count_steps()
        found += 1
    for s in range(d, d + radii):
        steps.count_steps()
        _Node(H, 0).is_reducible(leaf_demands(s, d))
    return found


class _CostedPoints:
    """The points of a sample with what each label costs; those whose labels cost most come first."""

    def __init__(self, sample: Sample[Any]) -> None:
        ordered, self.unavoidable = sample.steps()
        self.costs = {x: dict(ways) for x, ways in ordered}
        self.points = frozenset(self.costs)


class _Node:
    """A version space of a tree, with the points that lead to it and its errors at all of these.

    What follows it is found when it is asked for, and kept for the next radius.
    """

    def __init__(
        self, space: HypothesisClass[Any], errors: int, known: frozenset[Any] = frozenset()
    ) -> None:
        self.space, self.errors, self.known = space, errors, known
        self.dimension = int(space.littlestone_dimension())
        self.path: tuple[tuple[Any, int], ...] | None = None
        self.irreducible = False
        self.parts: list[_Node] | None = None

    @cached_property
    def rule(self) -> Hypothesis[Any]:
        return self.space.soa()

    def is_reducible(self, demands: list[int]) -> bool:
        """Whether ``path`` reduces it, by as many points as are demanded; demands only fall."""
        demand = demands[self.dimension]
        if not self.irreducible and (self.path is None or len(self.path) > demand):
            self.path, self.parts = reducing_path(self.space, demand), None
            self.irreducible = self.path is None  # and so for every smaller demand
        return not self.irreducible

    def after(self, seen: _CostedPoints) -> list[_Node]:
        """The parts that its path leaves, or those at a point where its SOA errs; none at a leaf."""
        if self.parts is None:
            errs = (
                (x, y, cost[y])
                for x, cost in seen.costs.items()
                if x not in self.known and cost[y := self.rule(x)]
            )
            if self.dimension == 0:  # one hypothesis: it need not be restricted, only scored
                errors = sum(cost for _, _, cost in errs)
                scored = _Node(self.space, self.errors + errors, seen.points)
                self.parts = [scored] if errors else []
            else:
                path = self.path or tuple((x, y) for x, y, _ in islice(errs, 1))
                self.parts = list(self._left(path, seen))
        return self.parts

    def _left(self, path: tuple[tuple[Any, int], ...], seen: _CostedPoints) -> Iterator[_Node]:
        """The nonempty version spaces off a path, and the one at its end."""
        node = self
        for x, label in path:
            cost = {} if x in node.known else seen.costs.get(x, {})
            known = node.known | {x}
            for y in range(node.space.labels):
                side = node.space.restrict(x, y)
                if y != label and not side.is_empty():
                    yield _Node(side, node.errors + cost.get(y, 0), known)
            node = _Node(node.space.restrict(x, label), node.errors + cost.get(label, 0), known)
        if path:
            yield node

    def leaves(
        self, seen: _CostedPoints, demands: list[int], degree: int, radius: int
    ) -> Iterator[_Node]:
        """The leaves below of dimension ``degree`` or more and at most ``radius`` errors."""
        waiting = [self]  # a branch may be as long as the radius, too long for recursion
        while waiting:
            node = waiting.pop()
            if node.dimension < degree or node.errors > radius:
                continue
            if not node.is_reducible(demands) and not node.after(seen):
                yield node
            waiting += node.after(seen)


MOST_DIMENSION = 24
"""The largest Littlestone dimension of a class; beyond some 4, most fits take too much work."""

CHOSEN = 2
"""The largest Littlestone dimension for which it is chosen, if `LARGE` records take no more work."""

LARGE = 10**6

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

    The default lists are as long as those of sets of at most LDim(H) elements, C(LDim(H), t), and
    nothing is proved for them.  `with_proved_bound` makes a learner that has a `plan`.

    Raises `DeclarationError` for illegal parameters, delta = 0, a Littlestone dimension above
    `MOST_DIMENSION`, and `Outcomes`, whose version spaces are searched with a limit.

    It needs the fewest records of all learners of any class, but only for d <= 2 little work: there it
    is chosen for clean labels, unless a million records take more than `MOST_WORK`.

    Time: up to C(M + d + 1, d) version spaces for d = LDim(H), more if they decompose further.  Nothing
    limits it after the spend, because a limit would reveal something about the records.

    >>> from littlestone.classes import Subsets
    >>> from littlestone.points import Integers
    >>> RadiiLearner(Subsets(Integers(), 3), Budget(1, "1e-6")).radii
    239
    >>> goal = {"alpha": 0.1, "beta": 0.05}
    >>> proved = RadiiLearner.with_proved_bound(Subsets(Integers(), 3), Budget(1, "1e-6"), **goal)
    >>> proved.plan(**goal, setting="realizable").n
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
    ) -> None:
        super().__init__(hypotheses, budget)
        if isinstance(hypotheses, Outcomes):
            raise unfit(
                hypotheses,
                self.method,
                found="its version spaces are searched with a limit, and what they list may not end",
                declare="a class of rules with two labels",
            )
        self.dimension = d = int(hypotheses.littlestone_dimension())
        if d > MOST_DIMENSION:
            raise unfit(
                hypotheses,
                self.method,
                found=f"its Littlestone dimension is {d:,}, above {MOST_DIMENSION}",
                declare="a smaller class",
            )
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
        if d > CHOSEN or self.work(LARGE) > MOST_WORK:
            self.caveat = Caveat.CLEAN_AND_MANY

    @classmethod
    def with_proved_bound(
        cls, hypotheses: HypothesisClass[Point], budget: Budget, *, alpha: float, beta: float
    ) -> Self:
        """A learner whose `plan` (alpha, beta) is not None: its lists are as long as they can be."""
        require_plan(alpha, beta)
        hypotheses.require_learnable()
        d = int(hypotheses.littlestone_dimension())
        share = Fraction(repr(float(beta))) / 5
        learner = cls(hypotheses, budget, beta=share)
        # Longer lists need larger handicaps, and these more radii: repeat until both agree.
        while learner.lists != (most := longest(learner.radii, d, hypotheses.labels)):
            learner = cls(hypotheses, budget, lists=most, beta=share)
        return learner

    def draw(self, sample: Sample[Point], *, receipt: Receipt) -> Hypothesis[Point]:
        found = self.mechanism.draw(self.scores_of_lists(sample), receipt=receipt)
        return self.hypotheses.soa() if found is None else found[1]

    def distribution(self, sample: Sample[Point]) -> dict[Hypothesis[Point], Fraction]:
        total: dict[Hypothesis[Point], Fraction] = {}
        for found, mass in self.mechanism.distribution(self.scores_of_lists(sample)).items():
            h = self.hypotheses.soa() if found is None else found[1]
            total[h] = total.get(h, Fraction(0)) + mass
        return total

    def scores_of_lists(self, sample: Sample[Point]) -> dict[Run, int]:
        """The score of each rule that is listed, with the dimension t of the lists that hold it."""
        counts: dict[Run, int] = {}
        for t, rules in self.lists_of_sample(sample):
            for rule in rules:
                # A score counts radii; one record moves each end of a run by at most one (Lemma 2).
                counts[t, rule] = counts.get((t, rule), -self.handicaps[t]) + 1
        return counts

    def lists_of_sample(
        self, sample: Sample[Point]
    ) -> Iterator[tuple[int, list[Hypothesis[Point]]]]:
        """`lists` of the sample; none if there are fewer records than radii, because n is public."""
        if sample.n >= self.radii:
            yield from lists(self.hypotheses, sample, self.radii, self.lists)

    def work(self, n: int) -> int:
        """The version spaces of at most M errors if each decomposes as the class does.

        A version space of 10,000 points or fewer counts 40 steps, for some 0.2 ms and 2 KB.
        """
        if not has_rule(self.hypotheses):
            return MOST_WORK + 1
        if n < self.radii:
            return 0
        if self.radii > _TRIED:  # each of them is a step of what is tried
            return MOST_WORK + 1
        d, size = self.dimension, self.hypotheses.size
        spaces = math.comb(self.radii + d, d) * (self.hypotheses.labels - 1) ** d
        try:
            with at_most(_TRIED):
                spaces *= leaves_of_class(self.hypotheses, self.radii)
        except TooLargeError:
            return MOST_WORK + 1
        looked: int = self.radii + (spaces if size is None else min(size, spaces))
        return _STEPS * looked * (1 + n // 10_000)

    def plan(self, alpha: float, beta: float, *, setting: Setting = "agnostic") -> Bound | None:
        """The examples that suffice in the realizable setting: the least n of small `failure`.

        None in the agnostic setting, and if lists may be too long.
        """
        require_plan(alpha, beta, setting)
        if setting == "agnostic" or self.miss_probability >= beta:
            return None
        most = longest(self.radii, self.dimension, self.hypotheses.labels)
        if any(size < all_of_it for size, all_of_it in zip(self.lists, most, strict=True)):
            return None
        n = least(lambda n: self.failure(n, alpha) <= beta)
        return Bound(n, alpha, beta, setting, True, self.source)

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


def divergence(u: int, v: int, n: int, g: int) -> float:
    """J KL(u / J, n / (n + g)) for J = u + v, which exceeds 0 if u / n < v / g.

    >>> divergence(0, 10, 1, 1) == 10 * math.log(2)
    True
    """
    first = u * math.log(u * (n + g) / ((u + v) * n)) if u else 0.0
    return first + v * math.log(v * (n + g) / ((u + v) * g))
