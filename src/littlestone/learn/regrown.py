"""A private tree whose leaves are split once more, all for one budget."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import product
from typing import Any

from littlestone.classes.base import HypothesisClass
from littlestone.classes.trees import Trees
from littlestone.data.sample import Sample
from littlestone.learn.base import (
    Bound,
    Caveat,
    PrivateLearner,
    Setting,
    require_plan,
)
from littlestone.learn.exponential import ExponentialLearner
from littlestone.points import Point
from littlestone.privacy.accounting.composed import Composition
from littlestone.privacy.cost import Budget, PrivacyCost
from littlestone.privacy.event import Event, Guarantee
from littlestone.privacy.ledger import Receipt
from littlestone.privacy.mechanisms.exponential import ExponentialMechanism
from littlestone.privacy.mistakes import MistakeCosts
from littlestone.privacy.parameters import least
from littlestone.privacy.scores import ErrorRuns
from littlestone.rules import DecisionTree, Hypothesis
from littlestone.rules.nodes import Node, Split, prune, split


@dataclass(frozen=True)
class InLeaves(Event):
    """``mechanism`` in each of at most ``leaves`` disjoint leaves of a tree that is already released.

    It costs what one use of the mechanism costs.  A replaced record leaves one leaf and enters another,
    and in each the errors of all candidates move in one direction, by at most the mechanism's
    sensitivity s; so each leaf's log ratios have a range of s ln r, half of the mechanism's
    (docs/proofs/regrown.md, Theorem 1).
    """

    mechanism: ExponentialMechanism
    leaves: int

    def cost(self) -> PrivacyCost:
        return self.mechanism.cost()

    def guarantee(self) -> Guarantee:
        return self.mechanism.guarantee()

    def uses(self) -> list[tuple[Event, int]]:
        return [(self.mechanism, self.leaves)]

    def __str__(self) -> str:
        return f"{self.mechanism}, in each of {self.leaves} disjoint leaves"


class RegrownLearner(PrivateLearner[Point]):
    """Release a tree of `Trees`, each of whose leaves is then split once more.

    Half of epsilon draws the tree, as `ExponentialLearner` does.  The other half draws, in each leaf, a
    condition and a label on either side, by the exponential mechanism on the errors there.  The
    leaves share that half, because they are disjoint.  So the released tree is one level deeper than
    those of the class, and it may lie outside of it.  With ``cost`` = (a, b), a missed positive counts
    as a errors and a false alarm as b, in both draws.

    Nothing else grows a tree by a level after its draw.  That pays where n epsilon is large; below, the
    whole budget is better spent on one draw.  Source:
    docs/proofs/regrown.md.  Raises `DeclarationError` for other classes.

    >>> from littlestone.classes import parse_class
    >>> learner = RegrownLearner(parse_class("trees(age: 0..80 step 20, sex in {F, M})"), Budget(1))
    >>> str(learner.cost()), learner.event.uses()[0][1]
    ('epsilon 1, delta 0 (replace-one)', 5)
    """

    method = "regrown"
    several = True
    tolerates_label_noise = True
    takes_void = True
    caveat = Caveat.MANY_RECORDS

    def __init__(
        self, hypotheses: HypothesisClass[Point], budget: Budget, *, cost: object = (1, 1)
    ) -> None:
        super().__init__(hypotheses, budget)
        if not isinstance(hypotheses, Trees) or hypotheses.space is not None:
            raise self.unfit(
                found="it is not a class of trees over declared columns",
                declare="trees(COLUMN, ...; depth 2), each column with its range or its values",
            )
        # Half for the tree and half for all leaves together: the leaves are disjoint, and a
        # replaced record is in at most two (docs/proofs/regrown.md, Theorem 1).
        half = Budget(budget.epsilon / 2, budget.delta)
        self.hypotheses: Any = hypotheses
        self.tree: ExponentialLearner[Any] = ExponentialLearner(hypotheses, half, cost=cost)
        self.mistakes = self.tree.mistakes
        self.mechanism, self.joint = self.tree.mechanism, self.tree.joint
        self.leaf = replace(hypotheses, depth=1, shared=False)
        leaves = InLeaves(self.mechanism, 1 << hypotheses.depth)
        self.event = Composition([(self.mechanism, 1), (leaves, 1)], budget.delta)

    @classmethod
    def weighing(
        cls, hypotheses: HypothesisClass[Point], budget: Budget, mistakes: MistakeCosts
    ) -> RegrownLearner[Point]:
        return cls(hypotheses, budget, cost=mistakes)

    def runs(self, n: int) -> Iterable[tuple[PrivateLearner[Any], int]]:
        return [(self.tree, n)]

    def draw(self, sample: Sample[Point], *, receipt: Receipt) -> Hypothesis[Point]:
        tree = self.tree.draw(sample, receipt=receipt)
        roots = []
        # The released tree says where a record goes. Empty leaves draw too: which are empty is
        # private.
        for part in self.parts(tree, sample):
            item = self.mechanism.draw(self._scores(part), receipt=receipt)
            roots.append(self.leaf.hypothesis_of_item(item).root)
        return self._join_nodes(tree, iter(roots))

    def parts(self, tree: Hypothesis[Point], sample: Sample[Point]) -> list[Sample[Point]]:
        """The examples in each leaf of the tree, from left to right."""
        return sample.split_by(tree)

    def _scores(self, part: Sample[Point]) -> ErrorRuns:
        if not self.mistakes.equal:
            part = part.weigh(self.mistakes.weights)
        scores = self.leaf.scores(part)
        if not isinstance(scores, ErrorRuns):  # trees of depth 1 are scored one by one
            raise TypeError(type(scores))
        return scores

    def _join_nodes(self, tree: Hypothesis[Point], roots: Iterator[Node]) -> Hypothesis[Point]:
        """The tree with these nodes in place of its leaves."""

        def grow(node: Node) -> Node:
            if isinstance(node, Split):
                yes = grow(node.yes)
                return split(node.test, yes, grow(node.no))
            return next(roots)

        domain, labels = self.hypotheses.domain, self.hypotheses.labels
        root = prune(grow(_root(tree)), domain)
        joined: Hypothesis[Any] = DecisionTree(domain, root, labels)
        return joined

    def distribution(self, sample: Sample[Point]) -> dict[Hypothesis[Point], Fraction]:
        law: dict[Hypothesis[Point], Fraction] = {}
        for tree, mass in self.tree.distribution(sample).items():
            laws: list[Mapping[int, Fraction]] = [
                self.mechanism.distribution(self._scores(part)) for part in self.parts(tree, sample)
            ]
            for items in product(*laws):
                chance = mass
                for own, item in zip(laws, items, strict=True):
                    chance *= own[item]
                h = self._join_nodes(
                    tree, (self.leaf.hypothesis_of_item(item).root for item in items)
                )
                law[h] = law.get(h, Fraction(0)) + chance
        return law

    def plan(self, alpha: float, beta: float, *, setting: Setting = "agnostic") -> Bound | None:
        """The examples that suffice for either setting (docs/proofs/regrown.md, Theorem 2).

        With N trees, M = C L^2 ways to split a leaf, q leaves and r for the larger cost, it is the
        least n for which

            (ln(3 N / beta) + q ln(3 q M / beta)) / (n ln r)
                + sqrt(ln(6 N M^q / beta) / (2 n)) + sqrt(ln(6 / beta) / (2 n)) <= alpha.
        """
        require_plan(alpha, beta, setting)
        rate = self.mistakes.largest * math.log1p(self.mechanism.base - 1)
        safe = 1 + 1e-9
        trees, splits = math.log(self.tree.size), math.log(self.leaf.forms)
        leaves, sure = 1 << self.hypotheses.depth, math.log(3 / beta)
        drawn = trees + sure + leaves * (splits + math.log(leaves) + sure)
        twice = sure + math.log(2)
        spread = math.sqrt((trees + leaves * splits + twice) / 2) + math.sqrt(twice / 2)

        def enough(n: int) -> bool:
            return bool((drawn / (n * rate) + spread / math.sqrt(n)) * safe <= alpha)

        n = least(enough)
        return Bound(n, alpha, beta, setting, "docs/proofs/regrown.md, Theorem 2")


def _root(tree: Hypothesis[Any]) -> Node:
    if not isinstance(tree, DecisionTree):
        raise TypeError(type(tree))
    return tree.root
