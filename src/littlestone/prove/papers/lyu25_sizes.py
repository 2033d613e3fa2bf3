"""Lyu25, section 6, and other papers: stated sizes, with each formula written out once more."""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction
from itertools import pairwise, product
from typing import Any, get_args

from littlestone.classes import FiniteClass, Subsets, Thresholds
from littlestone.learn import IrreducibleLearner
from littlestone.learn.plan.sizes import formulas, stream_formulas
from littlestone.learn.stream.stage_sizes import (
    Adversary,
    calls_needed,
    draws_failure,
    leaves,
)
from littlestone.learn.stream.staged import StagedOnlineLearner
from littlestone.points import Integers
from littlestone.privacy.cost import Budget
from littlestone.prove.papers.statement import Outcome, Trial, statement

BETA, HORIZON = Fraction(1, 20), 200_000


def leaves_of_stages(d: int, cap: int) -> list[int]:
    """L_j = N(p (2^(j-1) - 1), j - 1) with p = 2^(j-1) c, for j = 1, ..., d + 1."""
    return [sum(math.comb(cap * 2**j * (2**j - 1), i) for i in range(j + 1)) for j in range(d + 1)]


def calls_by_lemma_5(d: int, cap: int, margin: int, base: Fraction) -> int:
    """1 + sum_j (1 + the most m with (5/4)^m <= L_j r^(2M)), without M in stage d + 1."""
    found = 1
    for j, most in enumerate(leaves_of_stages(d, cap)):
        limit = most * base ** (2 * margin if j < d else 0)
        m = 0
        while 5 ** (m + 1) * limit.denominator <= 4 ** (m + 1) * limit.numerator:
            m += 1
        found += 1 + m
    return found


@statement("Lyu25 Lemma 6.1", "mended")
def number_of_calls() -> Outcome:
    """In whole numbers, without logarithms.

    says: the number of calls is 1 + sum_j (1 + the most m with (5/4)^m <= L_j r^(2M)), O(d^3)
    scope: four dimensions, two caps, margins and bases each
    stated: the same number, and over d^3 it falls
    code: learn.stream.stage_sizes.calls_needed, learn.stream.stage_sizes.leaves
    proof: proofs/staged-stream.md#lemma-5-calls
    """
    cases = wrong = 0
    bases = (Fraction(2), Fraction(101, 100))
    for d, more, margin, base in product((0, 1, 2, 4), (1, 500), (0, 40), bases):
        cases += 1
        wrong += calls_needed(d, d + more, margin, base) != calls_by_lemma_5(
            d, d + more, margin, base
        )
        wrong += leaves(d, d + more) != leaves_of_stages(d, d + more)
    growth = [calls_needed(d, 100 * d * d, 0, Fraction(2)) / d**3 for d in (1, 2, 4, 8, 16)]
    return Outcome(
        f"{wrong} of {cases} differ; over d^3 for c = 100 d^2, d = 1, 2, 4, 8, 16: "
        f"{', '.join(f'{x:.0f}' for x in growth)}",
        wrong == 0 and growth == sorted(growth, reverse=True),
    )


def _least(base: Fraction, times: int) -> int:
    """The least x with times base^-x at most a sixth of `BETA`."""
    x = 0
    while times * base**-x > BETA / 6:
        x += 1
    return x


def chance_of_failure(learner: StagedOnlineLearner, s: int, z: int) -> float:
    """The sum of Theorem 2, by the formulas of its page."""
    d, sizes, r = learner.dimension, learner.sizes, 1 / learner.counter.shrink
    K, k, U = sizes.calls, sizes.teachers, sizes.threshold
    epochs = float(HORIZON * r**-s + K * r**-z)
    cut = K * k * _binomial_tail(U + z, k, sizes.cap)
    levels = [((d - j) / d) ** 2 / 10 for j in range(d + 1)]
    exponents = [_escape(levels[0], 1 / 6)]
    for high, low in pairwise(levels):
        between = _between(low, high)
        exponents += [_escape(low, between), _escape(high, between)]
    patterns = sum(math.comb(U + z, i) for i in range(d + 1))
    misled = sum(math.exp(math.log(K * k * patterns) - (U - s) / k * x) for x in exponents)
    tests = 2 * (K + d) * learner.tests.tail(sizes.margin + 1)
    R, right = sizes.draws, 2 / 3 * 0.99
    if learner.adversary == "oblivious":
        votes = math.log(K * HORIZON) + R * math.log(2 * math.sqrt(right * right / 2) + 0.01)
    else:
        v = 2 ** (d + 1) - 1
        votes = math.log(8 * K) + v * math.log(2 * math.e * R / v) - 0.16**2 * R / 8
    return epochs + cut + misled + float(tests) + math.exp(votes)


def _binomial_tail(n: int, k: int, cap: int) -> float:
    """Pr[more than ``cap`` of n join one of k teachers], up to a relative e^-50."""
    found, x = 0.0, cap + 1
    while True:
        ways = math.lgamma(n + 1) - math.lgamma(x + 1) - math.lgamma(n - x + 1)
        term = math.exp(ways - x * math.log(k) + (n - x) * math.log1p(-1 / k))
        found, x = found + term, x + 1
        if term <= found * math.exp(-50):
            return found


def _escape(x: float, y: float) -> float:
    """1 - e^-KL(x || y)."""
    zero = (1 - x) * math.log((1 - x) / (1 - y))
    return 1 - math.exp(-zero - (x * math.log(x / y) if x else 0.0))


def _between(low: float, high: float) -> float:
    """The point y with KL(low || y) = KL(high || y): a linear equation in ln(y / (1 - y))."""

    def entropy(x: float) -> float:
        return (x * math.log(x) if x else 0.0) + (1 - x) * math.log(1 - x)

    slope = (entropy(high) - entropy(low)) / (high - low)
    return 1 / (1 + math.exp(-slope))


def _meets(learner: StagedOnlineLearner) -> bool:
    """The conditions of Theorem 2 on the sizes."""
    sizes, d, r = learner.sizes, learner.dimension, learner.sampling.base
    spare = sizes.teachers - 2 * sizes.margin - learner.sampling.bottom
    return (
        sizes.cap > d
        and sizes.list_size >= max(leaves_of_stages(d, sizes.cap))
        and sizes.calls >= calls_by_lemma_5(d, sizes.cap, sizes.margin, r)
        and spare * math.log(r) >= math.log(99)
        and (sizes.teachers - 1) * math.log(r) >= math.log(sizes.teachers)
    )


@statement("Lyu25 Lemma 6.2", "mended")
def few_mistakes() -> Outcome:
    """The default sizes against the conditions and the sum of Theorem 2.

    says: at most K (U + z) mistakes with probability 19/20, with explicit constants
    scope: the sizes for d = 1, 2, both adversaries, epsilon 1, delta 1e-6, T = 200,000; no stream
    stated: the conditions and the sum of Theorem 2; a constant of d^9.5 that no larger d raises
    code: learn.stream.StagedOnlineLearner.mistake_bound
    proof: proofs/staged-stream.md#theorem-2-mistakes
    """
    shown, ratios, chances, wrong = [], [], [], 0
    for d, adversary in product((1, 2), ("oblivious", "adaptive")):
        said: Any = adversary
        learner = StagedOnlineLearner(
            Subsets(Integers(), d), Budget(1, "1e-6"), horizon=HORIZON, adversary=said
        )
        r, K = 1 / learner.counter.shrink, learner.sizes.calls
        s, z = _least(r, HORIZON), _least(r, K)
        bound = learner.mistake_bound(float(BETA))
        mistakes = 0 if bound is None else bound.mistakes
        wrong += mistakes != K * (learner.sizes.threshold + z) or not _meets(learner)
        # Points that are chosen after the draws are another game, with more draws.
        wrong += bound is None or bound.adaptive != (adversary == "adaptive")
        chances.append(chance_of_failure(learner, s, z))
        if adversary == "oblivious":
            ratios.append(mistakes / (d**9.5 * math.log(HORIZON) * math.log(10**6)))
            shown.append(f"{mistakes:.1e}")
    return Outcome(
        f"{', '.join(shown)} mistakes, {wrong} of 4 differ; failure at most {max(chances):.4f}; over "
        f"d^9.5 ln T ln(1/delta) / epsilon {', '.join(f'{x:.1e}' for x in ratios)}",
        wrong == 0 and max(chances) <= BETA and ratios == sorted(ratios, reverse=True),
    )


@statement("Votes of draws")
def votes_of_draws(trial: Trial) -> Outcome:
    """The adversary asks at the point where just over half of the draws, and so the vote, is wrong.

    says: points chosen after the draws beat the bound of points that were fixed before
    scope: R = 25, 75 and 151 draws of 3 R functions, a point for each third, where these are wrong
    stated: a bound below 1 for fixed points, none for the others
    code: learn.stream.stage_sizes.draws_failure
    proof: proofs/staged-stream.md#lemma-4-votes
    """
    rng, shown, lost, wrong = trial.draws(4), [], 0, 0
    for R in (25, 75, 151):
        d = (3 * R).bit_length() - 1  # no class with that many functions has a larger LDim
        for _ in range(20):
            drawn = [rng.randrange(3 * R) for _ in range(R)]
            wrong_there = {*drawn[: R // 2 + 1]}
            lost += len(wrong_there) <= R and 2 * sum(i in wrong_there for i in drawn) > R
        fixed = sum(math.comb(R, i) * 2 ** (R - i) for i in range(R // 2 + 1, R + 1)) / 3**R
        said = [
            math.exp(min(0.0, draws_failure(R, d, 1, kind)))
            for kind in get_args(Adversary)  # oblivious, adaptive
        ]
        wrong += not fixed <= said[0] < 1 == said[1]
        shown.append(f"{fixed:.1e} <= {said[0]:.1e}")
    return Outcome(
        f"{lost} of 60 votes lost to points chosen afterwards; for a fixed point {', '.join(shown)}",
        lost == 60 and not wrong,
    )


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


@statement("Stated sizes")
def formulas_as_printed() -> Outcome:
    """And the exponent of d, by the ratio of two sizes for d and 2 d without the logarithms.

    says: what `plan` prints of the papers are their formulas at constant 1
    scope: LDim 1, 2, 4 for 2 labels, 1 and 2 for 3 and 9; four settings; each formula written out
    stated: the printed formulas; d^9.5 ln(T) ln(1/delta) / epsilon mistakes
    code: learn.plan.formulas, learn.plan.stream_formulas
    """
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
        f"{wrong} of {checked} sizes differ; mistakes grow as d^"
        f"{math.log2(streams[4] / streams[1]) / 2:.2f}",
        wrong == 0,
    )


@statement("Votes of teachers")
def votes_of_teachers() -> Outcome:
    """The size that the learner plans for itself, and the failure of its proof there and below.

    says: k m records, for the least m at which the three terms of the proof are at most beta
    scope: sets of one and of two integers, two settings; the terms written out
    stated: Theorem 2 holds at m = n / k, and not at m - 1; no list is cut
    code: learn.IrreducibleLearner.plan, learn.papers.voting.VotingLearner.failure
    proof: proofs/irreducible.md#theorem-2-the-proved-size
    """
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
    return Outcome(f"{wrong} failures for n = {', '.join(shown)}", wrong == 0)
