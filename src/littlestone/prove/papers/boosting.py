"""Boosting: BLM20, Theorem 6, as an existence statement; and as an algorithm, by majority."""

from __future__ import annotations

import math
from fractions import Fraction
from itertools import permutations, product
from typing import Any

from littlestone.classes import FiniteClass, Thresholds
from littlestone.dimension import threshold_dimension
from littlestone.learn import BoostingLearner, ExponentialLearner, GloballyStableLearner
from littlestone.learn.papers.walk import Walk
from littlestone.privacy.cost import Budget
from littlestone.prove.papers.families import unordered_classes
from littlestone.prove.papers.statement import Outcome, Trial, statement

EPSILON, ALPHA = Fraction(1, 10), 1 / 16
"""The parameters of the weak learner of Theorem 6; its beta is 1/16 too."""


def _tables(trial: Trial) -> list[FiniteClass]:
    """Every class of three points, or of four, of Littlestone dimension 1 and 2."""
    tables = unordered_classes(trial.pick(3, 4))
    return [H for H in tables if 1 <= H.littlestone_dimension() <= 2]


def _thresholds(H: FiniteClass) -> int:
    """The largest t with h_1, ..., h_t and x_1, ..., x_t such that h_i(x_j) = 1 iff i <= j."""
    rows = H.table().tolist()
    return max(
        t
        for t in range(len(rows[0]) + 1)
        for points in permutations(range(len(rows[0])), t)
        if {(0,) * i + (1,) * (t - i) for i in range(t)}
        <= {tuple(r[x] for x in points) for r in rows}
    )


@statement(
    id="BLM20 Theorem 6",
    says="a class with a weak private learner has a strong one, that of Theorem 1",
    code=(
        "learn.ExponentialLearner.plan, dimension.threshold_dimension, "
        "learn.GloballyStableLearner.plan"
    ),
    scope="the chain of its proof on every class of three points of LDim 1 and 2, without the lower "
    "bound for thresholds",
    deep="every class of four points of LDim 1 and 2",
    status="as stated",
    proof="proofs/boosting.md",
)
def weak_means_strong(trial: Trial) -> Outcome:
    """Each step of its proof except the lower bound for thresholds.

    The weak learner is `ExponentialLearner` at epsilon 0.1 and its proved n for alpha = beta = 1/16.  A
    class with t thresholds at most has LDim < 2^(t + 1) (ALMM19, Theorem 3), and for that LDim the
    learner of Theorem 1, with proved sizes, takes C_H ln(1 / (beta delta)) / (alpha epsilon)
    records: C_H is a number of d, shown over a grid of alpha, beta, epsilon and delta down to 1e-3 and
    1e-24.  That
    t is finite where a weak learner exists (n_0 grows as log* t) is not run: finite tables have a
    finite t anyway.
    """
    wrong, spread, tables = 0, 1.0, _tables(trial)
    shown: dict[int, float] = {}
    for H in tables:
        d = H.littlestone_dimension()
        weak = ExponentialLearner(H, Budget(EPSILON))
        wrong += weak.plan(ALPHA, ALPHA, setting="realizable").n < 1
        t = threshold_dimension(H.table())
        wrong += not d < 2 ** (t + 1) or t != _thresholds(H)
        if d in shown:  # the sizes are those of d
            continue
        constants = []
        for alpha, beta, epsilon, delta in product(
            (0.1, 0.001), (0.1, 1e-6), ("1", "0.01"), ("1e-6", "1e-24")
        ):
            goal: dict[str, Any] = {"alpha": alpha, "beta": beta}
            strong = GloballyStableLearner.with_proved_bound(H, Budget(epsilon, delta), **goal)
            bound = strong.plan(**goal, setting="realizable")
            if bound is None:
                return Outcome("a size", "none is proved", False)
            unit = -math.log(beta * float(delta)) / (alpha * float(epsilon))
            constants.append(bound.n / unit)
        shown[d] = max(constants)
        spread = max(spread, max(constants) / min(constants))
    return Outcome(
        "LDim < 2^(t + 1), and n <= C_H ln(1 / (beta delta)) / (alpha epsilon)",
        f"{wrong} failures in {len(tables)} tables; "
        + ", ".join(f"C_H = {c:,.0f} for d = {d}" for d, c in sorted(shown.items()))
        + f", at most {spread:.1f} times its least value over the grid",
        wrong == 0 and spread < 50,
    )


@statement(
    id="Boosting by majority",
    says="the error of the vote, round by round",
    code="learn.papers.walk.Walk",
    scope="random votes and distributions on six points, at most 9 rounds",
    status="as stated",
    proof="proofs/boosting.md#theorem-2-accuracy",
)
def identity(trial: Trial) -> Outcome:
    """Err = lost + sum_t W_t (e_t - 1/2 + gamma), exactly, for random votes and distributions."""
    rng, wrong, runs = trial.draws(7), 0, 0
    for gamma, rounds in product(map(Fraction, ("1/10", "1/4", "2/5")), (3, 5, 9)):
        walk = Walk(rounds, gamma)
        for _ in range(trial.pick(20, 400)):
            weights = [1 + rng.randrange(5) for _ in range(6)]
            mass = [Fraction(w, sum(weights)) for w in weights]
            right, total = [0] * 6, walk.majority_error
            for t in range(1, rounds + 1):
                unit = (gamma + Fraction(1, 2)).denominator ** (rounds - t)
                votes = [rng.randrange(3) > 0 for _ in mass]
                for m, r, vote in zip(mass, right, votes, strict=True):
                    weight = m * Fraction(walk.weights(t)[r], unit)
                    total += weight * ((not vote) - Fraction(1, 2) + gamma)
                right = [r + vote for r, vote in zip(right, votes, strict=True)]
            error = sum(m for m, r in zip(mass, right, strict=True) if 2 * r < rounds)
            wrong, runs = wrong + (total != error), runs + 1
    return Outcome("equal", f"{wrong} of {runs} differ", wrong == 0)


@statement(
    id="Boosting by majority",
    says="error alpha for n_0 log(1/alpha)^(3/2) / alpha records, up to a factor",
    code="learn.BoostingLearner.plan",
    scope="planned sizes for thresholds on 100 points, error 1/4 and four alphas",
    status="as stated",
    proof="proofs/boosting.md#theorem-2-accuracy",
)
def algorithmic() -> Outcome:
    """From error 1/4 at epsilon 0.1, for the weak learner's own epsilon and delta.

    Theorem 6 gives more: any epsilon and delta.  BLM20 estimates n_0 log(1/beta) / (alpha^2
    epsilon) records for pure privacy, with composition.
    """
    H, shown, exact = Thresholds.on(0, 99), [], True
    for alpha in (0.1, 0.03, 0.01, 0.003):
        goal: dict[str, Any] = {"alpha": alpha, "beta": ALPHA}
        learner = BoostingLearner.with_proved_bound(H, Budget(EPSILON), **goal)
        bound = learner.plan(**goal, setting="realizable")
        weak = learner.weak.plan(0.25, ALPHA, setting="realizable")
        if bound is None or weak is None:
            return Outcome("a size", "none is proved", False)
        exact &= learner.cost() == learner.weak.cost()
        shown.append(bound.n / (weak.n * math.log(1 / alpha) ** 1.5 / alpha))
    return Outcome(
        "bounded, at the weak learner's cost",
        f"factors {', '.join(f'{c:.1f}' for c in shown)} for alpha = .1, .03, .01, .003",
        exact and max(shown) < 2 * min(shown),
    )
