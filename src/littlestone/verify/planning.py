"""Sample sizes: lower bounds beside what is proved for our learners."""

from __future__ import annotations

import math

from littlestone.classes import parse_class
from littlestone.learners import SingleKeyLearner
from littlestone.learners.base import binomial_mean
from littlestone.planning import plan
from littlestone.planning.lower import indistinct, release
from littlestone.privacy.budget import Budget
from littlestone.verify.statement import Outcome, statement

CLASSES = ["points(a)", "subsets(a; at most 3)", "rules(a, b; at most 2)", "thresholds(x, 0..1000)"]


@statement(
    id="Lower bounds",
    says="no proved or calibrated size is below them",
    code="planning.plan, planning.lower.release",
    scope="all learners of four classes, at two settings of the parameters",
    status="as stated",
    proof="proofs/lower-bounds.md#theorem-2-private-learners",
)
def sizes_above() -> Outcome:
    """All learners of some classes, at two settings of the parameters."""
    sizes, below = 0, 0
    for text in CLASSES:
        for epsilon, alpha, beta in [(1, 0.1, 0.05), (0.2, 0.2, 0.1)]:
            found = plan(parse_class(text), Budget(epsilon, "1e-6"), alpha=alpha, beta=beta)
            least = max(bound.n for bound in found.lower)
            for row in found.rows:
                known = (row.realizable, row.agnostic, row.tuned, row.calibrated)
                ns = [bound.n for bound in known if bound is not None]
                sizes += len(ns)
                below += sum(n < least for n in ns)
    return Outcome("every size is at least the bound", f"{below} of {sizes} are below", below == 0)


@statement(
    id="Lower bounds",
    says="points of an infinite domain, beside single-key selection",
    code="planning.lower.release, learners.SingleKeyLearner.plan",
    scope="epsilon 1, delta 1e-6, alpha .1, beta .05",
    status="as stated",
    proof="proofs/lower-bounds.md#theorem-3-private-learners-that-release-finite-unions-of-elements",
)
def one_point() -> Outcome:
    """Epsilon 1, delta 1e-6, alpha .1, beta .05."""
    least = release(1.0, 1e-6, 0.1, 0.05)
    learner = SingleKeyLearner(parse_class("points(a)"), Budget(1, "1e-6"))
    bound = learner.plan(0.1, 0.05, setting="realizable")
    n = 0 if bound is None else bound.n
    return Outcome(f"at least {least} records", f"{n} are enough", least <= n <= 1.1 * least)


@statement(
    id="Group privacy",
    says="a bit that K equal records decide errs with probability (e^-(eps K / 2)) / 2",
    code="planning.lower.indistinct",
    scope="epsilon 1/2, delta 0 and even K < 40",
    status="as stated",
    proof="proofs/lower-bounds.md#theorem-2-private-learners",
)
def indistinct_bits() -> Outcome:
    """h(K) for delta = 0 and even K, beside the formula; and its mean, which bounds n from below."""
    h = indistinct(0.5, 0.0)
    wrong = sum(abs(h[K] - 0.5 * math.exp(-0.25 * K)) > 1e-12 for K in range(0, 40, 2))
    mean = binomial_mean(100, 0.1, h)
    return Outcome(
        "h(K) = e^-(eps K / 2) / 2 for even K",
        f"{wrong} failures in 20; E[h] = {mean:.4f} for n = 100, alpha = .1",
        wrong == 0,
    )
