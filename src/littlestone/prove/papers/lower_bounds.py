"""Lower bounds of sample sizes, by the formulas of their proofs and by a learner that meets one."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise, product

from littlestone.classes import parse_class
from littlestone.learn.plan.lower import lower_bounds
from littlestone.privacy.cost import Budget
from littlestone.prove.papers.statement import Outcome, statement


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


@statement(
    id="Lower bounds",
    says="each is the least n at which the failure of its proof is at most beta",
    code="learn.plan.lower.lower_bounds, learn.plan.lower.indistinct",
    scope="points and sets of an infinite domain, six settings; sums over all numbers of records",
    status="as stated",
    proof="proofs/lower-bounds.md#theorem-2-private-learners",
)
def bounds_by_formula() -> Outcome:
    """With one point the bit of `Bit` is a learner that meets Theorem 2, so no larger n is true."""
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
        "Pr[fail] <= beta at n, and above it at n - 1",
        f"{wrong} of {checked} bounds are another n; {public} of 12 bits are not private",
        wrong == public == 0 and checked == 36,
    )
