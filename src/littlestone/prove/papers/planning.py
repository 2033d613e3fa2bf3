"""Sample sizes: lower bounds by their proofs and by a learner, beside what is proved for learners."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise, product
from typing import Any

import numpy as np

from littlestone.classes import FiniteClass, Points, Subsets, Thresholds, parse_class
from littlestone.dimension import mistake_tree
from littlestone.learn import GGKMLearner, SingleKeyLearner
from littlestone.learn.papers.globally_stable import proved_sizes
from littlestone.learn.plan import StatedSize, formulas, plan, plan_stream
from littlestone.learn.plan.lower import chain, half_tail, indistinct, lower_bounds, path, release
from littlestone.learn.plan.lower_mistakes import fresh
from littlestone.learn.plan.missed import binomial_mean
from littlestone.points import Integers
from littlestone.privacy.cost import Budget
from littlestone.prove.papers.statement import Outcome, statement

CLASSES = ["points(a)", "subsets(a; at most 3)", "rules(a, b; at most 2)", "thresholds(x, 0..1000)"]


@statement("Lower bounds")
def sizes_above() -> Outcome:
    """All learners of some classes, at two settings of the parameters.

    says: no proved or calibrated size is below them
    scope: all learners of four classes, at two settings of the parameters
    stated: every size is at least the bound
    code: learn.plan.plan, learn.plan.lower.release
    proof: proofs/lower-bounds.md#theorem-2-private-learners
    """
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
    return Outcome(f"{below} of {sizes} are below", below == 0)


@statement("Lower bounds")
def one_point() -> Outcome:
    """Epsilon 1, delta 1e-6, alpha .1, beta .05.

    says: points of an infinite domain, beside single-key selection
    scope: epsilon 1, delta 1e-6, alpha .1, beta .05
    code: learn.plan.lower.release, learn.SingleKeyLearner.plan
    proof: proofs/lower-bounds.md#theorem-3-private-learners-that-release-finite-unions-of-elements
    """
    least = release(1.0, 1e-6, 0.1, 0.05)
    learner = SingleKeyLearner(parse_class("points(a)"), Budget(1, "1e-6"))
    bound = learner.plan(0.1, 0.05, setting="realizable")
    n = 0 if bound is None else bound.n
    return Outcome(f"{n} are enough", least <= n <= 1.1 * least, stated=f"at least {least} records")


@statement("Group privacy")
def indistinct_bits() -> Outcome:
    """h(K) for delta = 0 beside the formula; and its mean, which bounds n from below.

    says: a bit that K equal records decide errs with probability (e^-(eps K / 2)) / 2
    scope: epsilon 1/2, delta 0 and K < 40
    stated: h(K) = e^-(eps K / 2) / 2 for even K, e^-(eps (K - 1) / 2) / (1 + e^eps) for odd K
    code: learn.plan.lower.indistinct
    proof: proofs/lower-bounds.md#theorem-2-private-learners
    """
    h, first = indistinct(0.5, 0.0).tolist(), (0.5, 1 / (1 + math.exp(0.5)))
    wrong = sum(abs(h[K] - first[K % 2] * math.exp(-0.5 * (K // 2))) > 1e-12 for K in range(40))
    mean = binomial_mean(100, 0.1, indistinct(0.5, 0.0))
    return Outcome(f"{wrong} failures in 40; E[h] = {mean:.4f} for n = 100, alpha = .1", wrong == 0)


@statement("Lower bounds")
def rules_on_a_branch() -> Outcome:
    """Step 2 of Theorem 4: exactly, for each of the 2^7 rules on the points of the tree.

    says: a rule is wrong at fewer than k points of a random branch as coins are, Pr[Bin(m, 1/2) <
        k]
    scope: the trees of thresholds on seven points and of a cube, all rules and all k
    stated: for every rule
    code: learn.plan.lower.half_tail, dimension.mistake_tree
    proof: proofs/lower-bounds.md#theorem-4-private-learners-and-the-littlestone-dimension
    """
    wrong = cases = 0
    for H in (Thresholds.on(0, 6), FiniteClass.from_array(list(product((0, 1), repeat=3)))):
        table = np.array([[h(x) for x in H.domain] for h in _all(H)])
        tree = mistake_tree(table)
        m, points = tree.depth, len(table[0])
        for rule in product((0, 1), repeat=points):
            errors = []
            for leaf in range(1 << m):
                node, count = 0, 0
                for level in range(m):
                    label = leaf >> (m - level - 1) & 1
                    count += rule[tree.points[node]] != label
                    node = 2 * node + 1 + label
                errors.append(count)
            for k in range(1, m + 1):
                cases += 1
                share = sum(count < k for count in errors) / len(errors)
                wrong += abs(share - half_tail(m, k)) > 1e-8
    return Outcome(f"{wrong} of {cases} differ", wrong == 0 < cases)


def _all(H: Any) -> list[Any]:
    """The hypotheses of a small class, once each as functions on its points."""
    found = {tuple(h(x) for x in H.domain): h for h in map(H.hypothesis, range(H.size))}
    return list(found.values())


@statement("Lower bounds")
def least_sizes() -> Outcome:
    """The failure of each n by its definition, from n = 1 on.

    says: they are the least n of Theorems 2 and 4
    scope: three points, epsilon 1 and 1/2, delta 0 and 1e-6, alpha .1, beta .05; sums term by term
    stated: with one record less a learner of the theorem fails
    code: learn.plan.lower.chain, learn.plan.lower.path
    proof: proofs/lower-bounds.md#theorem-4-private-learners-and-the-littlestone-dimension
    """
    shown, wrong, m, alpha, beta = [], 0, 3, 0.1, 0.05
    for epsilon, delta in product((1.0, 0.5), (0.0, 1e-6)):
        r = math.exp(epsilon)

        def step(u: float, r: float = r, delta: float = delta) -> float:
            return float(min(r * u + delta, 1 - (1 - u - delta) / r, 1.0))

        def steps(u: float, K: int, step: Any = step) -> float:
            for _ in range(K):
                u = step(u)
            return u

        def guess(K: int, steps: Any = steps, r: float = r, delta: float = delta) -> float:
            if K % 2:
                return 1 - float(steps((1 - delta) / (1 + r), (K + 1) // 2))
            return 1 - float(steps(0.5, K // 2))

        def fails(n: int, guess: Any = guess, steps: Any = steps) -> list[bool]:
            chained, followed = [], []
            for k in (1, 2, 3):
                law = [_binomial(n, K, alpha / k) for K in range(n + 1)]
                mean = sum(p * guess(K) for K, p in enumerate(law))
                chained.append((m * mean - (k - 1)) / (m - k + 1) > beta)
                p = sum(math.comb(m, i) for i in range(k)) / 2**m
                law = [_binomial(n, K, m * alpha / k) for K in range(n + 1)]
                missed = sum(q * (1 - steps(p, K)) for K, q in enumerate(law))
                followed.append(missed > beta)
            return [any(chained), any(followed)]

        found = [chain(m, epsilon, delta, alpha, beta), path(m, epsilon, delta, alpha, beta)]
        for i, n in enumerate(found):
            wrong += not fails(n - 1)[i] or fails(n)[i]
        shown.append(", ".join(map(str, found)))
    return Outcome(f"{'; '.join(shown)} records", not wrong)


def _binomial(n: int, K: int, p: float) -> float:
    return math.comb(n, K) * p**K * (1 - p) ** (n - K)


@statement("Lower bounds")
def mistakes_above() -> Outcome:
    """Theorems 5 to 7; and for delta = 0 that of Theorem 6 grows as ln T.

    says: no proved number of mistakes is below them
    scope: the online learners of three classes, at three settings of epsilon, delta and T
    stated: every number is at least the bound, which grows by ln T / epsilon or a little less
    code: learn.plan.plan_stream, learn.plan.lower_mistakes.lower_mistakes
    proof: proofs/lower-bounds.md#theorem-6-mistakes-of-private-learners
    """
    known = below = 0
    for text in ("points(a)", "subsets(a; at most 4)", "rules(a, b; at most 2)"):
        for epsilon, T in ((1, 200_000), (8, 1000), ("0.1", 10**6)):
            found = plan_stream(parse_class(text), Budget(epsilon, "1e-6"), horizon=T)
            least = max(bound.mistakes for bound in found.lower)
            proved = [
                row.proved_bound.mistakes for row in found.rows if row.proved_bound is not None
            ]
            known, below = known + len(proved), below + sum(n < least for n in proved)
    growth = [fresh(10**i, 0.5, 0.0) for i in (4, 8, 12)]
    rate = (growth[2] - growth[1]) / (math.log(10**4) / 0.5)
    return Outcome(
        f"{below} of {known} are below; from T = 10^8 to 10^12 it grows by {rate:.2f} of that",
        below == 0 < known and 0.85 < rate < 1,
    )


GOALS: list[dict[str, Any]] = [
    {"budget": Budget(epsilon, delta), "alpha": alpha, "beta": 0.05}
    for epsilon, delta, alpha in product(("1", "0.1"), ("1e-6", "1e-12"), (0.1, 0.01))
]


def _formula_of(theorem: str, d: int, goal: dict[str, Any]) -> StatedSize:
    H = Points(Integers()) if d == 1 else Subsets(Integers(), d)
    return next(stated for stated in formulas(H, **goal) if stated.theorem == theorem)


def _grows(ratios: list[list[float]]) -> bool:
    """Whether some number is more than 1% above the one before it."""
    return any(b > 1.01 * a for row in ratios for a, b in pairwise(row))


@statement("BLM20 Theorem 1", "mended")
def tournaments_stated() -> Outcome:
    """One constant is enough if the ratio does not grow with d.  The repaired size grows faster.

    says: its size follows from the constants of Theorems 10 and 17
    scope: d <= 8, eight settings of epsilon, delta and alpha; the proof's size over the formula
    stated: O(16^d d^2 (d + log(1/(beta delta))) / (alpha epsilon)) records: at most 2,000 times
        that
    code: learn.plan.formulas, learn.GloballyStableLearner.plan
    proof: proofs/globally-stable.md#theorem-5-accuracy
    """
    ratios = []
    for goal in GOALS:
        found = [_formula_of("BLM20 Theorem 1", d, goal) for d in range(1, 9)]
        ratios.append([(stated.proof or 0) / stated.at_one for stated in found])
    most, falls = max(map(max, ratios)), not _grows(ratios)
    repaired = [
        proved_sizes(d, 0.1, 0.05, Budget(1, "1e-6")).n
        / _formula_of("BLM20 Theorem 1", d, GOALS[0]).at_one
        for d in (1, 2, 3)
    ]
    return Outcome(
        f"{min(map(min, ratios)):.0f} to {most:,.0f} times, {'no larger' if falls else 'larger'} "
        f"for larger d; the repaired sizes for d = 1, 2, 3: "
        f"{', '.join(f'{x:,.0f}' for x in repaired)} times",
        falls and 1 < most <= 2000,
    )


@statement("BGS21 Theorem 3.5")
def ggkm_stated() -> Outcome:
    """The proved size has 1 / alpha and the formula 1 / alpha^2, so the ratio falls with alpha, too.

    says: its size is enough for the learner of GGKM21, up to a constant
    scope: d <= 5, eight settings of epsilon, delta and alpha; the proved size over the formula
    stated: O(d^6 log^2(d / (alpha beta epsilon delta)) / (epsilon alpha^2)): at most 100 times that
    code: learn.plan.formulas, learn.GGKMLearner.plan
    proof: proofs/baselines.md#theorem-3-the-learner-of-ggkm21-proved-sizes
    """
    ratios = []
    for goal in GOALS:
        row = []
        for d in range(1, 6):
            bound = GGKMLearner.with_proved_bound(Subsets(Integers(), d), **goal).plan(
                goal["alpha"], goal["beta"], setting="realizable"
            )
            stated = _formula_of("BGS21 Theorem 3.5", d, goal).at_one
            row.append(math.inf if bound is None else bound.n / stated)
        ratios.append(row)
    most, falls = max(map(max, ratios)), not _grows(ratios)
    return Outcome(
        f"{min(map(min, ratios)):.2g} to {most:.0f} times, "
        f"{'no larger' if falls else 'larger'} for larger d",
        falls and most <= 100,
    )


@dataclass(frozen=True)
class Bit:
    """The private bit that names the label of a point, with Pr[1] by s, its labels 1 less its labels 0.

    Pr[1] is F^(s / 2)(1 / 2) for even s >= 0 and F^((s + 1) / 2)((1 - delta) / (1 + e^eps)) for odd
    ones, with F of `lower.indistinct`, and 1 - Pr[1] for -s.
    """

    epsilon: float
    delta: float

    def rises(self, u: float) -> float:
        """F(u), the most that one record makes of a probability u."""
        ratio = math.exp(self.epsilon)
        return min(ratio * u + self.delta, 1 - (1 - u - self.delta) / ratio, 1.0)

    @cached_property
    def wrong(self) -> list[float]:
        """The chance that it errs on K = 0, 1, ... equal records."""
        found = [0.5, 1 - self.rises((1 - self.delta) / (1 + math.exp(self.epsilon)))]
        while max(found[-2:]) > 1e-13:
            found.append(1 - self.rises(1 - found[-2]))
        return found

    def is_private(self) -> bool:
        """Whether replacing a record, which moves s by at most 2, changes each chance as allowed."""
        most, ratio = len(self.wrong) - 1, math.exp(self.epsilon)
        one = {s: 1 - self.wrong[s] if s >= 0 else self.wrong[-s] for s in range(-most, most + 1)}
        return all(
            a <= ratio * b + self.delta + 1e-12
            for s, t in product(one, repeat=2)
            if abs(s - t) <= 2
            for a, b in ((one[s], one[t]), (1 - one[s], 1 - one[t]))
        )

    @cached_property
    def uncovered_chances(self) -> list[float]:
        """The chance that a point of K = 0, 1, ... records stays uncovered, which is 1 for K = 0."""
        found = [1.0]
        while found[-1] > 1e-13:
            found.append(1 - self.rises(1 - found[-1]))
        return found


def mean(n: int, p: float, values: Sequence[float]) -> float:
    """E[values[K]] for K ~ Bin(n, p); 0 beyond them."""
    return math.fsum(
        math.comb(n, k) * p**k * (1 - p) ** (n - k) * value
        for k, value in zip(range(n + 1), values, strict=False)
    )


def guessed_wrong(n: int, m: int, k: int, w: float) -> float:
    """The chance that of m points of weight w each k or more are unseen and guessed wrongly."""
    return math.fsum(
        math.comb(m, u) * math.comb(m - u, j) * (-1) ** j * (1 - (u + j) * w) ** n * wrong / 2**u
        for u in range(k, m + 1)
        for wrong in [sum(math.comb(u, i) for i in range(k, u + 1))]
        for j in range(m - u + 1)
    )


def bounds_by_definition(
    points: int, bit: Bit, alpha: float, beta: float
) -> dict[str, Callable[[int], float]]:
    """For each theorem, the chance of failure over beta at n, at the k that asks for most records."""
    ks = [(k, min(points, math.ceil(k / alpha) - 1)) for k in range(1, points + 1)]

    def private(n: int, m: int, k: int) -> float:
        return (m * mean(n, alpha / k, bit.wrong) - (k - 1)) / (m - k + 1)

    def rarest(n: int) -> float:
        """The bound for m points of weight alpha, as if the records of each came by themselves."""
        m, above = ks[0][1], 1.0
        falls = []
        for K, (wrong, fewer) in enumerate(pairwise([*bit.wrong, 0.0])):
            above -= math.comb(n, K) * alpha**K * (1 - alpha) ** (n - K) if n >= K else 0.0
            falls.append((wrong - fewer) * (1 - max(above, 0.0) ** m))
        return math.fsum(falls)

    return {
        "1": lambda n: max(guessed_wrong(n, m, k, alpha / k) for k, m in ks) / beta,
        "2": lambda n: max(private(n, m, k) for k, m in ks) / beta,
        "3": lambda n: mean(n, alpha, bit.uncovered_chances) / beta,
        "8": lambda n: rarest(n) / beta,
    }


@statement("Lower bounds")
def bounds_by_formula() -> Outcome:
    """With one point the bit of `Bit` is a learner that meets Theorem 2, so no larger n is true.

    says: each is the least n at which the failure of its proof is at most beta
    scope: points and sets of an infinite domain, six settings; sums over all numbers of records
    stated: Pr[fail] <= beta at n, and above it at n - 1
    code: learn.plan.lower.lower_bounds, learn.plan.lower.indistinct
    proof: proofs/lower-bounds.md#theorem-2-private-learners
    """
    wrong = checked = public = 0
    for text, points in (("points(a)", 1), ("subsets(a; at most 3)", 3)):
        for epsilon, delta, alpha, beta in [
            (1.0, "1e-6", 0.1, 0.05), (1.0, "1e-2", 0.2, 0.05), (0.3, "1e-6", 0.1, 0.01),
            (2.0, "1e-6", 0.05, 0.05), (0.5, "1e-4", 0.3, 0.1), (1.0, "1e-6", 0.1, 0.2),
        ]:  # fmt: skip
            bit = Bit(epsilon, float(delta))
            public += not bit.is_private()
            fails = bounds_by_definition(points, bit, alpha, beta)
            budget = Budget(epsilon, delta)
            for bound in lower_bounds(parse_class(text), budget, alpha=alpha, beta=beta):
                theorem = bound.source.rpartition(" ")[2]
                if theorem in fails:
                    checked += 1
                    at = fails[theorem]
                    wrong += not at(bound.n) <= 1 + 1e-6 or not at(bound.n - 1) > 1 - 1e-6
    return Outcome(
        f"{wrong} of {checked} bounds are another n; {public} of 12 bits are not private",
        wrong == public == 0 and checked == 36,
    )
