"""Mistakes in a drawn tree with points, as it is drawn at real size and at a tiny epsilon.

Each tree that may be drawn is followed by the learner's own sums.  They show what the noise of every
number was, and how far neighbours are apart.  So what a whole fit loses is one number, which is
compared with delta: nothing is sampled.
"""

from __future__ import annotations

import random
from fractions import Fraction
from itertools import combinations, product
from math import inf, log
from typing import Any

import pytest

from littlestone.base.errors import LittlestoneError
from littlestone.classes import parse_class
from littlestone.data.sample import Sample
from littlestone.learn.tree_sheet import TreeSheetLearner
from littlestone.privacy import Budget
from littlestone.privacy.ledger import Ledger
from littlestone.privacy.mechanisms import noisy_sums
from littlestone.privacy.mechanisms.noisy_sums import GaussianNoise, LaplaceNoise, Noisy
from planting import Fault, forget, plant
from plants.drawn_sums import lost as lost_after
from plants.harness import Plant

CLASS = "trees(sex in {F}, ward in {A}; depth 1)"
REAL, MORE, HUGE = 3_000, 200_000, 10**12
SETTINGS = (
    ("1/1000", "1e-12", REAL, (1, 1)),
    ("1e-6", "1e-12", REAL, (5, 1)),
    ("1/1000", "1e-12", MORE, (1, 1)),  # labels are kept, and columns have points
    ("1/1000", "1e-12", HUGE, (1, 1)),
    ("1/1000", "0", REAL, (1, 3)),
    ("1/1000", "0", HUGE, (1, 1)),
)
"""Epsilon, delta, the number of records and the costs of mistakes."""

Number = tuple[int, Fraction]
"""A number before its noise, and the variance or scale of that noise."""


def follow(
    learner: Any, sample: Sample[Any], tree: Any, released: list[Noisy]
) -> list[list[Number]]:
    """What each step adds its noise to if this tree is drawn and these numbers are released.

    They are any numbers, the same for every sample; ``released`` gets those that it does not have yet.
    """
    steps = list[list[Number]]()
    own, adds = learner.tree.draw, {kind: kind.add for kind in (GaussianNoise, LaplaceNoise)}

    def draw(sample: Sample[Any], *, receipt: Any) -> Any:
        own(sample, receipt=receipt)  # which takes its part of the receipt
        return tree

    def add(noise: Any, sums: Any, rng: random.Random) -> Noisy:
        sizes = list[Fraction]()

        def sample_noise(size: Any, rng: random.Random) -> int:
            sizes.append(Fraction(size))
            return 0

        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(noisy_sums, "discrete_gaussian", sample_noise)
            patch.setattr(noisy_sums, "two_sided", sample_noise)
            steps.append(list(zip(adds[type(noise)](noise, sums, rng), sizes, strict=True)))
        if len(released) < len(steps):
            released.append(tuple(rng.randrange(sample.n) for _ in sums))
        return released[len(steps) - 1]

    with pytest.MonkeyPatch.context() as patch, Ledger() as ledger:
        patch.setattr(learner.tree, "draw", draw)
        for kind in adds:
            patch.setattr(kind, "add", add)
        rng = random.Random(5)
        receipt = ledger.spend(learner.event, dataset="made up", what="test", rng=rng)
        learner.draw(sample, receipt=receipt)
    return steps


def lost(budget: Budget, n: int, cost: tuple[int, int]) -> float:
    """What a fit to ``n`` records may lose on neighbours, as a part of the budget.

    It is the delta of the worst draw whose log ratios have the range of those of the trees, and of
    noise beside sums that move as they do; or epsilon, if delta is 0.
    """
    H: Any = parse_class(CLASS)
    learner: Any = TreeSheetLearner(H, budget, n=n, cost=cost)
    # Both labels cost the same at each point, so that all trees are likely.  One more record differs.
    points = list(H.domain)
    times = n // sum(cost) // len(points)
    few = [points[0], points[-1]]
    samples = [
        Sample.from_counts(
            H.domain,
            {
                x: [cost[0] * times + (x == p and not y), cost[1] * times + (x == p and y)]
                for x in points
            },
        )
        for p, y in product(few, (0, 1))
    ]
    laws = [learner.tree.distribution(sample) for sample in samples]
    trees, steps = list(laws[0])[::3], dict[Any, list[list[list[Number]]]]()
    for tree in trees:
        released = list[Noisy]()
        steps[tree] = [follow(learner, sample, tree, released) for sample in samples]
    worst, epsilon = set[tuple[float, float]](), float(budget.epsilon)
    for i, j in combinations(range(len(samples)), 2):
        ratios = [log(laws[i][tree] / laws[j][tree]) for tree in laws[0]]
        moves = [
            distance(steps[tree][i], steps[tree][j], 2 if budget.delta else 1) for tree in trees
        ]
        worst.add((max(moves), max(ratios) - min(ratios)))
    if not budget.delta:
        return max(moved + range_ for moved, range_ in worst) / epsilon
    return max(lost_after(moved**0.5, epsilon, range_) for moved, range_ in worst if moved) / float(
        budget.delta
    )


def distance(one: list[list[Number]], other: list[list[Number]], power: int) -> float:
    """How far the numbers of two runs are apart, in units of their noise."""
    found = Fraction(0)
    for a, b in zip(one, other, strict=True):
        for (x, size), (y, same) in zip(a, b, strict=True):
            if size != same:
                return inf
            found += abs(x - y) ** power / size
    return float(found)


def is_paid(fault: Fault | None) -> bool:
    """No fit loses more than its budget; an error after the spend is a mistake, too."""
    with pytest.MonkeyPatch.context() as patch:
        if fault is not None:
            plant(fault, patch)
        try:
            for epsilon, delta, n, cost in SETTINGS:
                budget = Budget(epsilon, delta)
                if lost(budget, n, cost) > 1 + 1e-9:
                    return False
        except (ArithmeticError, AttributeError, IndexError, ValueError, LittlestoneError):
            return False
        finally:
            forget()
    return True


ASKED = "littlestone.privacy.mechanisms.record_sums"
TREES = "littlestone.learn.tree_sheet:TreeSheetLearner"
DRAWN = "littlestone.privacy.mechanisms.noisy_sums"
SUMS = "littlestone.privacy.mechanisms.noisy_sums"

FAULTS = {
    "leaf_once": Fault(
        f"{TREES}.__init__",
        "SumStep(2 * leaves, 2, 2, Fraction(1))",
        "SumStep(2 * leaves, 1, 1, Fraction(1))",
        "A replaced record is thought to change the count of one leaf.",
    ),
    "column_forgotten": Fault(
        "littlestone.learn.score_sheet:steps_of",
        "2 * columns, 2 * columns, first if",
        "2 * columns - 2, 2 * columns - 2, first if",
        "One column is forgotten in the sensitivity of the counts beside a tree.",
    ),
    "paid_by_half": Fault(
        f"{TREES}.__init__",
        "DrawThenSums(budget, self.tree.mechanism, steps)",
        "DrawThenSums(budget, ExponentialLearner(hypotheses, Budget(share / 2), cost=cost).mechanism,"
        " steps)",
        "The tree is drawn with twice the epsilon that is paid for.",
    ),
    "budget_twice": Fault(
        f"{DRAWN}:DrawThenSums.sums",
        "_sums_after(self.budget, self.mechanism.epsilon, self.steps)",
        "NoisySums(self.budget, self.steps)",
        "The sums have the whole budget once more.",
    ),
    "sums_first": Fault(
        f"{ASKED}:SumsDraw.draw",
        "tree = None",
        "self.sums.draw(lambda known: [0] * 9, receipt=receipt)\n    tree = None",
        "Sums are drawn before the tree.",
    ),
    "two_trees": Fault(
        f"{ASKED}:SumsDraw.draw",
        "else self.tree.draw(sample, receipt=receipt)",
        "else max((self.tree.draw(sample, receipt=receipt) for _ in '12'), key=str)",
        "Two trees are drawn, and one is paid for.",
    ),
    "counted_twice": Fault(
        f"{ASKED}:SumsDraw.draw",
        "fit.question(known).answer(data, sums, len(known))",
        "2 * fit.question(known).answer(data, sums, len(known))",
        "The sums are doubled, and their noise is not.",
    ),
    "next_leaf": Fault(
        f"{ASKED}:SumsDraw.draw",
        "fit.question(known).answer(data, sums, len(known))",
        "np.cumsum(fit.question(known).answer(data, sums, len(known)))",
        "A record is counted in its leaf and in all after it.",
    ),
    "own_labels": Fault(
        f"{ASKED}:SumsDraw.draw",
        "fit.question(known).answer(data, sums, len(known))",
        "fit.question(known).answer(data, sums, len(known))"
        " + int(fit._ask_labels().answer(data, sums, 0)[0])",
        "The records of one leaf are added to all sums.",
    ),
    "cost_forgotten": Fault(
        "littlestone.privacy.mechanisms.exponential:ExponentialDraw.__init__",
        "ExponentialMechanism(epsilon, self.mistakes.largest)",
        "ExponentialMechanism(epsilon, 1)",
        "The tree is drawn by costs as if each were 1.",
    ),
    "variance_of_less": Fault(
        f"{SUMS}:NoisySums._noise",
        "step.squared / (step.share * self.mu_squared)",
        "step.squared * 9 / (10 * step.share * self.mu_squared)",
        "Gaussian noise is smaller by a twentieth.",
    ),
    "scale_of_less": Fault(
        f"{SUMS}:NoisySums._noise",
        "step.l1 / (step.share * self.epsilon)",
        "step.l1 * 19 / (20 * step.share * self.epsilon)",
        "Laplace noise is smaller by a twentieth.",
    ),
    "drawn_of_less": Fault(
        f"{SUMS}:GaussianNoise.add",
        "discrete_gaussian(self.variance, rng)",
        "discrete_gaussian(self.variance * 9 // 10, rng)",
        "The noise that is added is smaller by a twentieth than it says.",
    ),
    "scale_drawn_of_less": Fault(
        f"{SUMS}:LaplaceNoise.add",
        "two_sided(self.scale, rng)",
        "two_sided(self.scale * 19 / 20, rng)",
        "The Laplace noise that is added is smaller by a twentieth than it says.",
    ),
    "none_for_zero": Fault(
        f"{SUMS}:GaussianNoise.add",
        "int(x) + discrete_gaussian(self.variance, rng)",
        "int(x) + (discrete_gaussian(self.variance, rng) if x else 0)",
        "A sum of 0 has no noise.",
    ),
    "without_delta_free": Fault(
        f"{DRAWN}:_sums_after",
        "least = sums(0)",
        "least = sums(0 if budget.delta else _LEVELS // 8)",
        "Without a delta, sums get back an eighth of what the draw spent.",
    ),
}
PLANTS = [
    Plant(f"tree_sheet_{name}", fault.mistake, is_paid, None, fault)
    for name, fault in FAULTS.items()
]
