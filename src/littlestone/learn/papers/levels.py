"""Thresholds over very many points: with a delta, the records grow as the logarithm of the bits.

A threshold is found through its level: the least dyadic interval with many records of both labels.
It is one step of the recursion of BNSV15 and KLMNS20.

Classes of VC dimension 1: the points are a tree, and the hypotheses are paths from the root.  A path is
found by two thresholds in turn: a subtree with many records of the path, and where the path leaves its
trunk.  So records grow as the logarithm of the Littlestone dimension.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from itertools import count, pairwise
from typing import Self

import numpy as np

from littlestone.base.errors import DeclarationError
from littlestone.classes import FiniteClass
from littlestone.learn.plan.missed import binomial_mean
from littlestone.privacy.cost import Budget
from littlestone.privacy.mechanisms.exponential import ExponentialMechanism
from littlestone.privacy.mechanisms.partition_selection import SingleKeySelection
from littlestone.privacy.mechanisms.sparse_selection import least_power
from littlestone.privacy.parameters import least
from littlestone.privacy.randomness import Choose

Record = tuple[int, int]


@dataclass(frozen=True)
class LevelLearner:
    """A threshold t of x >= t over the points 0, ..., 2^bits - 1, (epsilon, delta)-DP for all records.

    Let s(J) be the lesser of the negative and the positive records in an interval J, and G(j) the
    largest s(J) of the dyadic intervals of 2^j points.  Three draws, at 4/9, 3/9 and 2/9 of epsilon:

    1. a level j, by the exponential mechanism with the errors max(c - G(j), G(j - 1) + 1 - c),
    2. an interval of 2^j points, or none, by `SingleKeySelection` at delta with the scores s(J),
    3. its left end, its middle or its right end, by the exponential mechanism with their errors.

    ``target`` is c.  So many negative records are added below all points, and positive ones above.

    The proof is in docs/proofs/levels.md.  No ledger is told: use `ExponentialLearner` for data about
    people; up to 2^119 points it needs fewer records, too.  Time: O(bits n).

    >>> learner = LevelLearner.for_goal(64, Budget(1, "1e-6"), beta=0.05)
    >>> learner.target, learner.most_errors(beta=0.05), learner.records(alpha=0.1, beta=0.05)
    (89, 171, 2047)
    """

    bits: int
    budget: Budget
    target: int

    @classmethod
    def for_goal(cls, bits: int, budget: Budget, *, beta: float) -> Self:
        """The learner with the least target for which each step fails with probability beta / 4."""
        start = cls(bits, budget, 0)
        curve, most = start.intervals.curve, 1 - Fraction(beta) / 4
        fires = next(s for s in count() if curve(s) >= most)
        return cls(bits, budget, fires + stray(start.levels, (bits + 1) / (Fraction(beta) / 4)))

    @cached_property
    def levels(self) -> ExponentialMechanism:
        """The draw of a level."""
        return ExponentialMechanism(self.budget.epsilon * 4 / 9)

    @cached_property
    def intervals(self) -> SingleKeySelection[int]:
        """The draw of an interval."""
        return SingleKeySelection(Budget(self.budget.epsilon * 3 / 9, self.budget.delta))

    @cached_property
    def ends(self) -> ExponentialMechanism:
        """The draw of a threshold."""
        return ExponentialMechanism(self.budget.epsilon * 2 / 9)

    def draw(self, S: Sequence[Record], choose: Choose) -> int:
        """A threshold from 0 to 2^bits."""
        # Points begin at 1: the added negatives are at 0, the added positives at the last one.
        records = [(x + 1, y) for x, y in S]
        crossings = [self._crossings(records, j) for j in range(self.bits + 2)]
        G = [max(counts.values()) for counts in crossings]
        wrong = [
            max(self.target - G[j], G[j - 1] + 1 - self.target) for j in range(1, self.bits + 2)
        ]
        j = 1 + choose(self.levels.probabilities(np.array(wrong)))
        law = self.intervals.distribution(
            (J, True) for J, times in crossings[j].items() for _ in range(times)
        )
        key = list(law)[choose(list(law.values()))]
        if key is None:
            return 0
        three = [key << j, (2 * key + 1) << j - 1, (key + 1) << j]
        errors = [sum((x >= t) != y for x, y in records) for t in three]
        t = three[choose(self.ends.probabilities(np.array(errors)))]
        return min(max(t - 1, 0), 1 << self.bits)

    def _crossings(self, records: Sequence[Record], j: int) -> dict[int, int]:
        """s(J) of the intervals of 2^j points with a record."""
        counts = [Counter({0: self.target}), Counter({(2 << self.bits) - 1 >> j: self.target})]
        for x, y in records:
            counts[y][x >> j] += 1
        return {J: min(side[J] for side in counts) for J in {*counts[0], *counts[1]}}

    def most_errors(self, *, beta: float) -> int:
        """The most errors on n records of some threshold, but for a probability of 3 beta / 4."""
        rare = Fraction(beta) / 4
        return (
            self.target
            - 1
            + stray(self.levels, (self.bits + 1) / rare)
            + stray(self.ends, 2 / rare)
        )

    def records(self, *, alpha: float, beta: float) -> int:
        """So many i.i.d. records of a threshold suffice for error alpha with probability 1 - beta."""
        most = np.ones(self.most_errors(beta=beta) + 1)
        # More records make so few errors of a bad threshold rarer; two of them are the least bad.
        return least(lambda n: 2 * binomial_mean(n, alpha, most) <= beta / 4)


def stray(mechanism: ExponentialMechanism, rarity: Fraction) -> int:
    """How many more errors than the least a draw makes at most, except with probability 1 / ``rarity``.

    For k items and a probability p, ``rarity`` is k / p.
    """
    return least_power(mechanism.base, rarity) - 1


Hypotheses = frozenset[int]
"""Those that give a point another label than the first hypothesis: a node of the tree."""


@dataclass(frozen=True)
class PathLearner:
    """A rule for a table of VC dimension 1, (epsilon, delta)-DP for all records.

    A record *turns* if its label is not that of the first hypothesis.  The node of a point x is the set
    of hypotheses that turn x.  Any two nodes are nested or disjoint.  The *trunk* of a node is the
    chain of nodes in it that have its Littlestone dimension; what else is in it are *branches*, of a
    smaller one.  So no node is in more than LDim branches, one in another.  Three draws:

    1. a level, by the exponential mechanism, at which branches have about ``target`` turned records,
    2. a branch of that level, by `SingleKeySelection` with its number of turned records,
    3. a node of its trunk, by ``thresholds``, a `LevelLearner`.

    The rule turns the points whose node contains the drawn one.  The proof is in docs/proofs/levels.md.
    No ledger is told: use `ExponentialLearner` for data about people.  Records are (place of the point,
    label).  Time: O(LDim n), after the dimensions of the nodes.

    >>> star = FiniteClass.from_array(np.vstack([np.zeros(9, int), np.eye(9, dtype=int)]))
    >>> learner = PathLearner.for_goal(star, Budget(1, "1e-6"), beta=0.05)
    >>> learner.levels, learner.most_errors(beta=0.05), learner.records(alpha=0.1, beta=0.05)
    (1, 464, 5230)
    """

    H: FiniteClass
    budget: Budget
    target: int
    thresholds: LevelLearner

    @classmethod
    def for_goal(cls, H: FiniteClass, budget: Budget, *, beta: float) -> Self:
        """The learner with the least targets: steps 1 and 2 fail with beta / 8 each, 3 with beta / 2.

        Raises `DeclarationError` if the VC dimension is above 1.
        """
        half = Budget(budget.epsilon / 2, budget.delta / 2)
        bare = cls(H, budget, 0, LevelLearner(1, half, 0))
        bits = max(map(len, bare.trunks.values())).bit_length()
        thresholds = LevelLearner.for_goal(bits, half, beta=beta * 2 / 3)
        curve, most = bare.branches.curve, 1 - Fraction(beta) / 8
        fires = next(s for s in count() if curve(s) >= most)
        return cls(H, budget, fires + bare._strays(beta), thresholds)

    @cached_property
    def nodes(self) -> list[Hypotheses]:
        """The node of each point."""
        table = self.H.table()
        found = [frozenset(np.flatnonzero(column).tolist()) for column in (table ^ table[0]).T]
        ordered = sorted({*found}, key=len)
        if any(a & b and not a <= b for i, a in enumerate(ordered) for b in ordered[i:]):
            raise DeclarationError(
                f"learn {self.H} by paths",
                found="its VC dimension is above 1",
                fix="use ExponentialLearner",
            )
        return found

    @cached_property
    def branches_of(self) -> dict[Hypotheses, tuple[Hypotheses, ...]]:
        """All branches that contain a node, from the whole tree on."""
        table = self.H.table()
        root = frozenset(range(len(table)))
        chains: dict[Hypotheses, tuple[Hypotheses, ...]] = {root: (root,)}
        dims: dict[Hypotheses, int | float] = {frozenset(): -1}
        for node in sorted({root, *self.nodes} - {frozenset()}, key=len, reverse=True):
            dims[node] = FiniteClass.from_array(table[sorted(node)]).littlestone_dimension()
            if node != root:
                parent = min((other for other in chains if node < other), key=len)
                own = (node,) if dims[node] < dims[parent] else ()
                chains[node] = chains[parent] + own
        return chains

    @cached_property
    def trunks(self) -> dict[Hypotheses, list[Hypotheses]]:
        """The trunk of each branch, from its root on."""
        found: dict[Hypotheses, list[Hypotheses]] = {}
        for node in sorted(self.branches_of, key=len, reverse=True):
            found.setdefault(self.branches_of[node][-1], []).append(node)
        return found

    @cached_property
    def levels(self) -> int:
        """The largest number of branches, one in another, below the whole tree."""
        return max(map(len, self.branches_of.values())) - 1

    @cached_property
    def level(self) -> ExponentialMechanism:
        """The draw of a level."""
        return ExponentialMechanism(self.budget.epsilon / 4)

    @cached_property
    def branches(self) -> SingleKeySelection[Hypotheses]:
        """The draw of a branch."""
        return SingleKeySelection(Budget(self.budget.epsilon / 4, self.budget.delta / 2))

    def draw_labels(self, S: Sequence[tuple[int, int]], choose: Choose) -> tuple[int, ...]:
        """The labels of all points."""
        first = self.H.table()[0]
        records = [(self.nodes[x], y != first[x]) for x, y in S]
        trunk = self.trunks[
            self._branch([node for node, turned in records if turned and node], choose)
        ]
        placed = []
        for node, turned in records:
            place = sum(node <= other for other in trunk) if node else 0
            # On clean labels turned records lie before the place where the path leaves the trunk, and
            # others of the trunk behind it.  The rest is put before all places, where it does no harm.
            known = turned or (place and trunk[place - 1] == node)
            placed.append((place, int(not turned)) if place and known else (0, 0))
        t = self.thresholds.draw(placed, choose)
        end = trunk[min(max(t - 1, 1), len(trunk)) - 1]
        return tuple(int(y) ^ (end <= node) for y, node in zip(first, self.nodes, strict=True))

    def _branch(self, turned: list[Hypotheses], choose: Choose) -> Hypotheses:
        root = next(iter(self.trunks))
        counts = [
            Counter(own[j] for node in turned if len(own := self.branches_of[node]) > j)
            for j in range(1, self.levels + 1)
        ]
        G = [self.target, *(max(level.values(), default=0) for level in counts), 0]
        wrong = [max(self.target - here, below + 1 - self.target) for here, below in pairwise(G)]
        j = choose(self.level.probabilities(np.array(wrong)))
        if j == 0:
            return root
        law = self.branches.distribution(
            (node, True) for node, times in counts[j - 1].items() for _ in range(times)
        )
        node = list(law)[choose(list(law.values()))]
        return root if node is None else node

    def _strays(self, beta: float) -> int:
        return stray(self.level, (self.levels + 1) / (Fraction(beta) / 8))

    def most_errors(self, *, beta: float) -> int:
        """The most errors on n records of some hypothesis, but for a probability of 3 beta / 4."""
        beside = self.target - 1 + self._strays(beta)
        return self.thresholds.most_errors(beta=beta * 2 / 3) + beside

    def records(self, *, alpha: float, beta: float) -> int:
        """So many i.i.d. records of a hypothesis suffice for error alpha with probability 1 - beta."""
        most = np.ones(self.most_errors(beta=beta) + 1)
        # On the trunk of each level, the least bad rule before the place and the one behind it.
        rules = 2 * (self.levels + 1)
        return least(lambda n: rules * binomial_mean(n, alpha, most) <= beta / 4)
