"""Sizes that papers and proofs state, with each formula written out once more."""

from __future__ import annotations

import math
from collections.abc import Callable
from itertools import product
from typing import Any

from littlestone.classes import FiniteClass, Subsets, Thresholds
from littlestone.learn import IrreducibleLearner
from littlestone.learn.plan.papers import formulas, stream_formulas
from littlestone.points import Integers
from littlestone.privacy.cost import Budget
from littlestone.prove.papers.statement import Outcome, statement

Size = Callable[[float, float, float, float], float]
"""A number of records by epsilon, delta, alpha and beta."""


def printed_sizes(d: int, k: int, functions: int) -> dict[str, Size]:
    """What the papers print at constant 1, for k + 1 labels: each as printed there."""
    ln = math.log
    if k > 1:
        return {
            "BGS21 Theorem 3.6": lambda e, t, a, b: (
                d * d * d * d * d * d
                * ln(k + 1) * ln(k + 1) * ln(k + 1) * ln(k + 1)
                * ln(k + 1) * ln(k + 1) * ln(k + 1) * ln(k + 1)
                * ln(d * ln(k) ** 3 / (e * t * a * b)) ** 2 / (e * a * a)
            ),
            "BGS21 Corollary 3.4 with Lyu25 Theorem 2": lambda e, t, a, b: (
                7776 * d * d * d * d * d
                * ln(k + 1) * ln(k + 1) * ln(k + 1) * ln(k + 1)
                * ln(k + 1) * ln(k + 1) * ln(k + 1)
                * ln(1 / (t * b)) / (e * a)
            ),
        }  # fmt: skip
    found: dict[str, Size] = {
        "BLM20 Theorem 1": lambda e, t, a, b: (
            2 ** (4 * d) * d * d * (d + ln(1 / (t * b))) / (a * e)
        ),
        "BLM20 Corollary 2": lambda e, t, a, b: (
            2 ** (4 * d) * d * d * (d + ln(1 / (t * b))) / (a * e) + (d + ln(1 / b)) / (e * a * a)
        ),
        "BGS21 Theorem 3.5": lambda e, t, a, b: (
            d * d * d * d * d * d * ln(d / (a * b * e * t)) ** 2 / (e * a * a)
        ),
        "Lyu25 Theorem 2": lambda e, t, a, b: d * d * d * d * d * ln(1 / (t * b)) / (e * a),
    }
    if functions:
        found["L5 Theorem 1"] = lambda e, t, a, b: (
            (ln(functions) + ln(1 / b)) * max(1 / (e * a), 1 / (a * a))
        )
    return found


def by_the_lecture(functions: int, e: float, a: float, b: float, n: int) -> bool:
    """Whether n meets the last line of the lecture's proof: half of beta would each do, so twice."""
    return functions * (math.exp(-e * n * a / 6) + 2 * math.exp(-2 * n * (a / 3) ** 2)) <= b


@statement(
    id="Stated sizes",
    says="what `plan` prints of the papers are their formulas at constant 1",
    code="learn.plan.formulas, learn.plan.stream_formulas",
    scope="LDim 1, 2, 4 for 2 labels, 1 and 2 for 3 and 9; four settings; each formula written out",
    status="as stated",
)
def formulas_as_printed() -> Outcome:
    """And the exponent of d, by the ratio of two sizes for d and 2 d without the logarithms."""
    wrong = checked = 0
    cells: list[tuple[Any, int, int, int]] = [(Subsets(Integers(), d), d, 1, 0) for d in (1, 2, 4)]
    cells += [(Thresholds.on(1, 2**d - 1), d, 1, 2**d) for d in (1, 2, 4)]
    for k in (2, 8):
        for d in (1, 2):
            rows = list(product(range(k + 1), repeat=d))
            cells.append((FiniteClass.from_array(rows, labels=k + 1), d, k, 0))
    settings = [(1.0, 1e-6, 0.1, 0.05), (0.1, 1e-9, 0.1, 0.05), (1.0, 1e-6, 0.01, 0.2),
                (3.0, 1e-3, 0.3, 1e-4)]  # fmt: skip
    for (H, d, k, functions), (e, t, a, b) in product(cells, settings):
        goal: dict[str, Any] = {"alpha": a, "beta": b}
        found = {stated.theorem: stated for stated in formulas(H, Budget(repr(e), repr(t)), **goal)}
        due = printed_sizes(d, k, functions)
        wrong += set(found) != set(due)
        for theorem, size in due.items():
            checked += 1
            wrong += abs(found[theorem].at_one / math.ceil(size(e, t, a, b)) - 1) > 1e-9
        if functions:
            n = found["L5 Theorem 1"].proof or 0
            wrong += not by_the_lecture(functions, e, a, b, n)
            wrong += by_the_lecture(functions, e, a, b, n - 1)
    streams = {d: stream_formulas(Subsets(Integers(), d), Budget(1, "1e-6"), horizon=10**5)[0].at_one
               for d in (1, 4)}  # fmt: skip
    logarithms = math.log(10**5) * math.log(10**6)
    wrong += any(abs(n - 2 ** (9.5 * math.log2(d)) * logarithms) > 1 for d, n in streams.items())
    return Outcome(
        "the printed formulas; d^9.5 ln(T) ln(1/delta) / epsilon mistakes",
        f"{wrong} of {checked} sizes differ; mistakes grow as d^"
        f"{math.log2(streams[4] / streams[1]) / 2:.2f}",
        wrong == 0,
    )


@statement(
    id="Votes of teachers",
    says="k m records, for the least m at which the three terms of the proof are at most beta",
    code="learn.IrreducibleLearner.plan, learn.papers.voting.VotingLearner.failure",
    scope="sets of one and of two integers, two settings; the terms written out",
    status="as stated",
    proof="proofs/irreducible.md#theorem-2-the-proved-size",
)
def votes_of_teachers() -> Outcome:
    """The size that the learner plans for itself, and the failure of its proof there and below."""
    wrong, shown = 0, []
    for d, (epsilon, alpha, beta) in product((1, 2), [(1, 0.1, 0.05), (3, 0.3, 0.2)]):
        goal: dict[str, Any] = {"alpha": alpha, "beta": beta}
        learner = IrreducibleLearner.with_proved_bound(
            Subsets(Integers(), d), Budget(epsilon, "1e-6"), **goal
        )
        bound = learner.plan(**goal, setting="realizable")
        k, own, r = learner.teachers, float(learner.alpha), float(learner.mechanism.base)
        bottom = 1 / (1 + r ** (k - learner.mechanism.bottom))

        def fails(m: int, d: int = d, k: int = k, own: float = own, more: float = bottom) -> float:
            N, u, v = sum(math.comb(2 * m, i) for i in range(d + 1)), own * m, alpha * m - 1  # noqa: B023
            if v <= u:
                return math.inf
            apart = d * k * (k - 1) * N * math.exp(-u / (d * (d + 1)))
            return apart + 2 * k * N * math.exp(-((v - u) ** 2) / (2 * (u + v))) + more

        n = 0 if bound is None else bound.n
        m = n // k
        most = sum(
            sum(math.comb(m + (m + 1) * 2**s * (2 ** (d - t) - 1), i) for i in range(d - t + 1))
            for s, t in product(range(d + 1), repeat=2)
        )
        wrong += n != k * m or not fails(m) <= beta * (1 + 1e-6) or not fails(m - 1) > beta
        wrong += learner.mechanism.list_size < most or learner.doublings != d
        shown.append(f"{n:,}")
    return Outcome(
        "Theorem 2 holds at m = n / k, and not at m - 1; no list is cut",
        f"{wrong} failures for n = {', '.join(shown)}",
        wrong == 0,
    )
