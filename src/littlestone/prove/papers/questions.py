"""What BLM20 leaves to others: thresholds and log*, real values, all queries, and a smaller delta."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from fractions import Fraction
from functools import partial
from itertools import combinations_with_replacement, product
from typing import Any, TypeVar

import numpy as np

from littlestone.classes import FiniteClass
from littlestone.learn.exponential import least_size
from littlestone.learn.papers.boxes.base import draw_item
from littlestone.learn.papers.boxes.blm20 import hist
from littlestone.learn.papers.levels import LevelLearner, PathLearner
from littlestone.privacy.cost import Budget
from littlestone.privacy.mechanisms.exponential import ExponentialMechanism
from littlestone.privacy.randomness import Choose
from littlestone.prove.audit.claims import neighbours
from littlestone.prove.papers.printed import keeps, law
from littlestone.prove.papers.statement import Outcome, Trial, statement
from littlestone.theory.game import Board, LenientGame

Row = tuple[int, ...]
Data = TypeVar("Data")
EPSILON = Fraction(1)


def fat_dimension(rows: Sequence[Row], gap: int) -> int:
    """The sequential fat-shattering dimension of functions at that gap.

    >>> fat_dimension([(0, 2), (2, 1), (3, 0)], 2)
    1
    """
    return int(LenientGame(Board.from_reals(rows, gap)).value())


def predict_value(rows: Sequence[Row], x: int, gap: int) -> Fraction:
    """The value m - gap / 2, for the largest m with f(x) >= m on functions of the same dimension.

    >>> str(predict_value([(0, 2), (2, 1), (3, 0)], 0, 2))
    '-1'
    """
    most = fat_dimension(rows, gap)
    values = sorted({row[x] for row in rows}, reverse=True)
    m = next(v for v in values if fat_dimension([r for r in rows if r[x] >= v], gap) == most)
    return m - Fraction(gap, 2)


@statement("BLM20 section 7.4", "changed")
def few_large_errors(trial: Trial) -> Outcome:
    """A large error is a value outside (m - gap, m], where m - gap / 2 is predicted.

    says: a learner of real values makes as few errors of half a gap as the dimension says
    scope: random tables of five functions on three points, values 0 to 4, gaps 1 to 4; all sequences
    stated: at most the sequential fat-shattering dimension at that gap
    code: theory.game.Board, theory.game.LenientGame
    proof: notes/games.md#a-learner-of-real-values
    """
    rng, wrong, large = trial.draws(74), 0, 0
    for _ in range(trial.pick(12, 120)):
        rows = sorted({tuple(rng.randrange(5) for _ in range(3)) for _ in range(5)})
        for gap in range(1, 5):
            found = _most_large(rows, gap)
            wrong += found > fat_dimension(rows, gap)
            large = max(large, found)
    return Outcome(f"{wrong} tables and gaps have more; at most {large} large errors", not wrong)


def _most_large(rows: Sequence[Row], gap: int) -> int:
    """The most errors of gap / 2 or more, over all sequences of points and functions."""
    worst = 0
    for x in range(len(rows[0])):
        values = {row[x] for row in rows}
        if len(values) == 1:  # The functions agree, and no dimension changes.
            continue
        guess = predict_value(rows, x, gap)
        for y in values:
            far = not -Fraction(gap, 2) < y - guess <= Fraction(gap, 2)
            worst = max(worst, far + _most_large([row for row in rows if row[x] == y], gap))
    return worst


def draw_least(
    losses: Callable[[Data], Sequence[int]], sensitivity: int, data: Data, choose: Choose
) -> int:
    """One item by the exponential mechanism, of losses that a record moves by at most that much."""
    mechanism = ExponentialMechanism(EPSILON, sensitivity)
    return choose(mechanism.probabilities(np.array(losses(data))))


def _excess(losses: Sequence[int], sensitivity: int) -> tuple[float, float]:
    """The mean loss above the least, and (2 s / epsilon) (ln N + 1)."""
    chances = ExponentialMechanism(EPSILON, sensitivity).probabilities(np.array(losses))
    mean = sum(p * loss for p, loss in zip(chances, losses, strict=True)) - min(losses)
    return float(mean), 2 * sensitivity * (math.log(len(losses)) + 1) / float(EPSILON)


def _outcome(
    losses: Callable[[Any], Sequence[int]],
    sensitivity: int,
    pairs: Iterable[tuple[Any, Any]],
    many: Any,
) -> Outcome:
    private, spent = keeps(partial(draw_least, losses, sensitivity), pairs, Budget(EPSILON))
    excess, most = _excess(losses(many), sensitivity)
    return Outcome(
        f"epsilon {spent:.3f} of 1; an excess of {excess:.2f} of at most {most:.2f}",
        private and excess <= most,
    )


@statement("BLM20 section 7.4", "changed")
def private_values() -> Outcome:
    """Absolute losses of real-valued functions, in units of the grid.

    says: the exponential mechanism learns real values privately, by the sum of |f(x) - y|
    scope: nine functions from two points to 0, 1, 2; exact laws, all neighbours of two records
    stated: epsilon 1, and a mean excess of at most (2 s / epsilon) (ln N + 1) for losses up to s = 2
    code: privacy.mechanisms.exponential.ExponentialMechanism
    proof: proofs/exponential-mechanism.md#theorem-5-mistakes-that-do-not-all-cost-the-same
    """
    rows = list(product(range(3), repeat=2))

    def losses(S: Sequence[tuple[int, int]]) -> list[int]:
        return [sum(abs(row[x] - y) for x, y in S) for row in rows]

    records = list(product(range(2), range(3)))
    return _outcome(losses, 2, neighbours(records, 2, ordered=False), [(0, 2), (1, 1), (0, 1)] * 10)


@statement("BLM20 section 7.2", "changed")
def answers_to_all_queries() -> Outcome:
    """A data set of m records is drawn by its largest error on a query, m h(S) against n h(S').

    says: a drawn data set of few records answers all queries of the class, privately (BLR08)
    scope: thresholds on three points, all multisets of m = 2 records; exact laws, n = 3 and n = 30
    stated: epsilon 1, and a mean excess of at most (2 m / epsilon) (ln N + 1)
    code: privacy.mechanisms.exponential.ExponentialMechanism
    proof: proofs/exponential-mechanism.md#theorem-5-mistakes-that-do-not-all-cost-the-same
    """
    m, small = 2, list(combinations_with_replacement(range(3), 2))

    def count(S: Sequence[int], t: int) -> int:
        return sum(x >= t for x in S)

    def losses(S: Sequence[int]) -> list[int]:
        return [max(abs(m * count(S, t) - len(S) * count(T, t)) for t in (1, 2)) for T in small]

    return _outcome(losses, m, neighbours(range(3), 3, ordered=False), [0, 1, 1, 2, 2, 2] * 5)


def draw_together(laws: Sequence[dict[Any, Fraction]], choose: Choose) -> list[Any]:
    """Correlated sampling: one item of each law, the same one where they agree.

    All walk along one sequence of pairs (u, p) of a uniform item and a uniform number in [0, 1], and
    each stops at the first with p <= law(u).  So an item depends on its own law and the sequence.
    """
    picked: dict[int, Any] = {}
    while len(picked) < len(laws):
        left = [i for i in range(len(laws)) if i not in picked]
        cells: dict[tuple[Any, tuple[int, ...]], Fraction] = {}
        for u in dict.fromkeys(u for i in left for u in laws[i]):
            below = Fraction(0)
            for p in sorted({laws[i].get(u, below) for i in left} - {Fraction(0)}):
                cells[u, tuple(i for i in left if laws[i].get(u, 0) >= p)] = p - below
                below = p
        u, stop = draw_item(cells, choose)
        picked |= dict.fromkeys(stop, u)
    return [picked[i] for i in range(len(laws))]


@statement("BLM20 section 1.1.2, open question", "changed")
def smaller_delta() -> Outcome:
    """The weak learner names its record with probability 1/8; nine batches of one record.

    says: correlated sampling and a stable histogram make delta small, by an algorithm (BGH+23)
    scope: exact laws, nine batches of one bit, with 0, 1, 4, 5, 8 or 9 zeros
    stated: (2, .001)-DP, which the weak learner is not; right with a probability above 1/2
    code: privacy.mechanisms.partition_selection.StableHistogram
    proof: proofs/boosting.md#boosting-privacy-itself
    """
    batches, budget = 9, Budget(2, "0.001")

    def weak(bit: int) -> dict[Any, Fraction]:
        chances = ExponentialMechanism(Fraction(2)).probabilities(np.array([bit, 1 - bit]))
        return {h: p * 7 / 8 for h, p in enumerate(chances)} | {("record", bit): Fraction(1, 8)}

    def run(zeros: int, choose: Choose) -> Any:
        rules = draw_together([weak(int(i >= zeros)) for i in range(batches)], choose)
        frequency = hist(rules, budget=budget, choose=choose)
        return frozenset(frequency)

    alone, _ = keeps(lambda bit, choose: draw_item(weak(bit), choose), [(0, 1)], budget)
    private, spent = keeps(run, [(i, i + 1) for i in (0, 4, 8)], budget)
    right = sum(p for rules, p in law(partial(run, batches)).items() if 0 in rules)
    return Outcome(
        f"epsilon {spent:.3f} of 2 at that delta; alone private: {alone}; right: {float(right):.3f}",
        private and not alone and right > Fraction(1, 2),
    )


@statement("BLM20 section 1.1, thresholds", "changed")
def thresholds_by_levels() -> Outcome:
    """With a delta a level is drawn first; the exponential mechanism draws one of 2^d thresholds.

    says: thresholds on 2^d points: with a delta, records grow as ln d, where without they grow as d
    scope: exact laws, all neighbours of 2 records on 4 points and 3 on 2; 96 records on 8; d to 256
    stated: private; too many errors at most as often as proved; fewer records from d = 119 on
    code: learn.papers.levels.LevelLearner
    proof: proofs/levels.md#theorem-1-privacy
    """
    private, spent = True, list[str]()
    budget = Budget(3, "0.05")
    for bits, n, target in ((2, 2, 1), (1, 3, 2)):
        records = list(product(range(2**bits), (0, 1)))
        learner = LevelLearner(bits, budget, target)
        kept, epsilon = keeps(learner.draw, neighbours(records, n, ordered=False), budget)
        private, spent = private and kept, [*spent, f"{epsilon:.2f}"]
    beta, wrong = 0.2, 0.0
    learner = LevelLearner.for_goal(3, Budget(6, "0.01"), beta=beta)
    for best in range(9):
        S = [(x, int(x >= best)) for x in range(8) for _ in range(12)]
        for t, p in law(partial(learner.draw, S)).items():
            if 12 * abs(t - best) > learner.most_errors(beta=beta):
                wrong = max(wrong, float(p))
    sizes = []
    for d in (118, 119, 256):
        learner = LevelLearner.for_goal(d, Budget(1, "1e-6"), beta=0.05)
        with_delta = learner.records(alpha=0.1, beta=0.05)
        sizes.append((with_delta, least_size(d * math.log(2), 0.5, 0.1, 0.05, "realizable")))
    shown = ", ".join(f"{a:,} against {b:,}" for a, b in sizes)
    return Outcome(
        f"epsilon {' and '.join(spent)} of 3; wrong {wrong:.1e} of {beta * 3 / 4:.2f}; records {shown}",
        private and wrong <= beta * 3 / 4 and [a < b for a, b in sizes] == [False, True, True],
    )


@statement("Yan25", "changed")
def paths_of_trees() -> Outcome:
    """Each class is a tree of points, whose labels are exchanged at some of them.

    says: every class of VC dimension 1 and LDim d: about log* d records with a delta; here ln d
    scope: exact laws, all neighbours of 3 records on 3 points; 40 records of each path of a tree of 7
    stated: private; too many errors at most as often as proved
    code: learn.papers.levels.PathLearner
    proof: proofs/levels.md#theorem-4-classes-of-vc-dimension-1
    """
    # The parent of each point; a hypothesis is the path to a point, or none.
    trees = [-1, 0, -1], [-1, 0, 0, 1, 1, 2, 2]
    small, large = map(_of_paths, trees)
    budget, beta, wrong = Budget(6, "0.02"), 0.2, 0.0
    learner = PathLearner(small, budget, 1, LevelLearner(2, Budget(3, "0.01"), 1))
    records = list(product(range(3), (0, 1)))
    private, spent = keeps(learner.draw_labels, neighbours(records, 3, ordered=False), budget)
    learner = PathLearner.for_goal(large, Budget(20, "0.1"), beta=beta)
    most = learner.most_errors(beta=beta)
    for row in large.table():
        S = [(x, int(row[x])) for x in range(7) for _ in range(40)]
        for labels, p in law(partial(learner.draw_labels, S)).items():
            if 40 * sum(a != b for a, b in zip(labels, row, strict=True)) > most:
                wrong = max(wrong, float(p))
    return Outcome(
        f"epsilon {spent:.2f} of 6; more than {most} errors {wrong:.1e} of {beta * 3 / 4:.2f}",
        private and wrong <= beta * 3 / 4,
    )


def _of_paths(parents: Sequence[int]) -> FiniteClass:
    paths = [np.zeros(len(parents), dtype=int)]
    for x, parent in enumerate(parents):
        paths.append(paths[1 + parent].copy())
        paths[-1][x] = 1
    return FiniteClass.from_array(np.array(paths) ^ np.arange(len(parents)) % 2)
