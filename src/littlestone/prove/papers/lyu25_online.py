"""Lyu25, section 6: private online learning; what holds, what fails, and what holds instead.

The lemmas in docstrings are those of docs/proofs/staged-stream.md.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from fractions import Fraction
from itertools import combinations, product
from typing import Any

import numpy as np

from littlestone.classes import FiniteClass
from littlestone.learn.stream.stage_sizes import (
    Chunk,
    calls_needed,
    divergence,
    errs,
    levels,
    stage_leaves,
)
from littlestone.privacy.cost import Budget
from littlestone.privacy.mechanisms.selection_from_lists import SparseSampling
from littlestone.privacy.mechanisms.threshold_tests import OneSidedThreshold
from littlestone.prove.papers.statement import Outcome, Trial, statement
from littlestone.rules import Hypothesis
from littlestone.theory.decomposition import decomposition_dimension, essential_hypotheses

Scores = Counter[Hypothesis[Any]]


def _random_class(rng: np.random.Generator) -> FiniteClass:
    """Singletons and a few more functions, all flipped alike: hard to reduce."""
    n = int(rng.integers(4, 9))
    more = rng.integers(0, 2, (int(rng.integers(0, 5)), n))
    rows = np.concatenate([np.eye(n, dtype=int), more])
    return FiniteClass.from_array(rows ^ rng.integers(0, 2, n))


def _list_of_teacher(
    H: FiniteClass, chunks: Sequence[Chunk], stage: int, cap: int
) -> set[Hypothesis[Any]]:
    """The list of a teacher with these chunks in stage number ``stage`` + 1."""
    d = int(H.littlestone_dimension())
    found = stage_leaves(H, chunks, levels(d)[stage], cap << stage, d - stage)
    return {V.soa() for V in found}


@statement("Lyu25 Claim 6.1", "changed")
def mistakes_before_a_hit() -> Outcome:
    """One-sided noise, e^epsilon slightly above 2: the exact law of the first hit.

    says: between U - s and U + z mistakes come before a hit
    scope: the exact law of the first hit, in six streams of 18 steps
    stated: but for T r^-s and r^-z; then |E| is in (U/2, 3U/2) for U >= 2 max(s, z)
    code: privacy.mechanisms.threshold_tests.OneSidedThreshold
    proof: proofs/staged-stream.md#theorem-2-mistakes
    """
    worst = [0.0, 0.0]
    for U, gap in product((3, 5, 7), (1, 2)):
        stream = [t % gap == 0 for t in range(18)]
        counter = OneSidedThreshold(epsilon=Fraction(7, 10), threshold=U, horizon=len(stream))
        counts = np.cumsum(stream).tolist()
        gaps = [U - count for count in counts]
        first = [counter._first_hit(gaps[:t]) for t in range(1, len(gaps) + 1)]
        left = 1 - sum(first)
        shrink = float(counter.shrink)
        for x in range(1, U):
            hits = list(zip(first, counts, strict=True))
            early = sum(float(p) for p, count in hits if count <= U - x)
            late = sum(float(p) for p, count in hits if count >= U + x)
            late += float(left) if counts[-1] >= U + x else 0.0
            worst[0] = max(worst[0], early / (len(stream) * shrink**x))
            worst[1] = max(worst[1], late / shrink**x)
    return Outcome(
        f"at most {worst[0]:.2f} and {worst[1]:.2f} of that, in six streams of 18 steps",
        max(worst) <= 1,
    )


@statement("Lyu25 Claim 6.2", "false")
def errors_of_chunks() -> Outcome:
    """The target is 0 on eight points, and h is 1 at the first; d = 1.

    says: a factor of 1 +- 1/(5d) between chunks, for every h
    scope: all equal splits of eight mistakes, of which h errs on one, between two teachers
    stated: false: what errs once errs on one chunk only, whatever the size of E
    code: learn.stream.stage_sizes.errs
    proof: proofs/staged-stream.md#where-this-differs-from-lyu25-and-why
    """
    h = FiniteClass.from_array([[1, 0, 0, 0, 0, 0, 0, 0]]).soa()
    mistakes, d, fine, splits = [(f"x{i}", 0) for i in range(8)], 1, 0, 0
    for one in combinations(mistakes, 4):
        other = tuple(example for example in mistakes if example not in one)
        splits += 1
        fine += abs(errs(h, one) - errs(h, other)) <= errs(h, other) / (5 * d)
    return Outcome(f"it holds for {fine} of {splits} splits", fine == 0 < splits)


@statement("Lyu25 Claim 6.2", "mended")
def levels_of_chunks() -> Outcome:
    """Lemma 3, for all e n errors of n mistakes, against sums of binomials.

    says: no chunk crosses a level but for exp(-(n/k) (1 - e^-KL))
    scope: sums of binomials for 8 and 20 mistakes and 2 and 4 teachers, d = 2
    stated: for every level and every share of errors above or below it
    code: learn.stream.stage_sizes.divergence, learn.stream.stage_sizes.levels
    proof: proofs/staged-stream.md#lemma-3-chunks
    """
    worst, cases = 0.0, 0
    for n, k, level in product((8, 20), (2, 4), levels(2)):
        for e in range(1, n):
            mean = e / n
            if mean == level:
                continue
            cases += 1
            crossed = sum(
                math.comb(e, x) * math.comb(n - e, y) * (k - 1) ** (n - x - y)
                for x, y in product(range(e + 1), range(n - e + 1))
                if (x <= level * (x + y)) == (mean > level)
                or (x == level * (x + y) and mean < level)
            ) / k**n  # fmt: skip
            bound = math.exp(n / k * math.expm1(-divergence(float(level), mean)))
            worst = max(worst, crossed / bound)
    return Outcome(f"at most {worst:.2f} of the bound in {cases} cases", worst <= 1 + 1e-9)


@statement("Lyu25 Claim 6.3", "mended")
def stages_end_a_dimension(trial: Trial) -> Outcome:
    """Lemma 2, for two teachers' trees: its SOA is listed a stage before, or a leaf is larger.

    says: with Lemma 4.3, if levels interleave, a stage that fails ends a dimension
    scope: two teachers with random chunks of at most three points of random classes
    stated: for SOAs of leaves, which need not be in H, and p = 2^(j-1) c
    code: learn.stream.stage_sizes.stage_leaves, learn.stream.stage_sizes.levels
    proof: proofs/staged-stream.md#lemma-2-stages
    """
    rng = trial.array(63)
    cases = wrong = large = 0
    for _ in range(trial.pick(120, 3000)):
        H = _random_class(rng)
        d, cap = int(H.littlestone_dimension()), int(rng.integers(1, 4))
        points, target = list(H.domain), H.hypothesis(int(rng.integers(0, H.size)))
        mine, others = (
            [_few_points(rng, points, target, cap) for _ in range(int(rng.integers(1, 3)))]
            for _ in range(2)
        )
        for j in range(d):
            before = {t: list(_tree(H, others, j, cap, t)) for t in range(d + 1)}
            for t in range(d + 1):
                for V in _tree(H, mine, j + 1, cap, t):
                    f = V.soa()
                    if any(errs(f, chunk) > levels(d)[j] for chunk in others):
                        continue
                    cases += 1
                    large += t > 0
                    above = any(before[s] for s in range(t + 1, d + 1))
                    wrong += not above and f not in {W.soa() for W in before[t]}
    return Outcome(
        f"{wrong} failures in {cases} leaves, {large} of a dimension > 0", wrong == 0 < large
    )


def _few_points(rng: np.random.Generator, points: list[str], target: Any, cap: int) -> Chunk:
    """At most ``cap`` points, one of them often nine times, so that a share of 1/10 is met exactly."""
    drawn = rng.choice(points, int(rng.integers(0, cap + 1))).tolist()
    often = drawn[:1] * (10 - len(drawn)) if rng.random() < 0.5 else []
    return tuple((x, target(x)) for x in (*drawn, *often))


def _tree(H: FiniteClass, chunks: Sequence[Chunk], stage: int, cap: int, t: int) -> Any:
    d = int(H.littlestone_dimension())
    return stage_leaves(H, chunks, levels(d)[stage], cap << stage, t)


@statement("Lyu25 Fact 4", "false")
def exposed_and_essential() -> Outcome:
    """Five points, each positive once, and 35 negative examples; f = 0, H = {0, e1, ..., e5}.

    says: with p_1 = 2 d^3, below the size of a chunk
    scope: six functions on six points, d = 1, p = 2 and 6
    stated: for d = 1, p = 2 a hypothesis that errs on 1/8 stays essential to {h : err <= 1/10}
    code: theory.decomposition.essential_hypotheses
    proof: proofs/staged-stream.md#where-this-differs-from-lyu25-and-why
    """
    rows = np.vstack([np.zeros(6, dtype=int), np.eye(6, dtype=int)[:5]])
    H = FiniteClass.from_array(rows)
    chunk = [(x, 1) for x in list(H.domain)[:5]] + [(list(H.domain)[5], 0)] * 35
    shares = {h: errs(h, tuple(chunk)) for h in H}
    zero = H.hypothesis(0)
    G = FiniteClass.from_array([[h(x) for x in H.domain] for h in H if shares[h] <= levels(1)[0]])
    found = {p: [f.words() for f in essential_hypotheses(G, p, 1)] for p in (2, 6)}
    t = decomposition_dimension(G, 2, 1)
    kept = zero.words() in found[2]
    gone = zero.words() not in found[6]
    return Outcome(
        f"0 errs on {shares[zero]}, G = {{e1, ..., e5}}, DDim {t}: 0 is "
        f"{'' if kept else 'not '}essential; for p = 6 it is {'not ' if gone else ''}essential",
        kept and gone and t == 1 and shares[zero] == Fraction(1, 8) and G.size == 5,
    )


def _as_printed(d: int, k: int = 20) -> SparseSampling[int]:
    """Algorithm 1 with the numbers of Algorithms 3 and 4: k eps_sparse = d^2, and B = k/10."""
    sampling = SparseSampling[int](Budget(Fraction(2 * d * d, k), Fraction(1, 10**6)), 2 ** (d * d))
    sampling.__dict__["bottom"] = k // 10  # in place of the least B that is private
    return sampling


@statement("Lyu25 Claim 6.4")
def bottom_with_their_teachers(trial: Trial) -> Outcome:
    """p(u) >= 1 / (1 + N e^(.9 d^2)) for N candidates, as k eps_sparse is d^2.

    says: p(u) >= 2^-O(d^2) with the k of Algorithm 3, for 2^O(d^2) candidates
    scope: random lists of 20 teachers, and 2^(d^2) hypotheses on all lists, d = 1, 2, 3
    stated: at least 1 / (1 + N e^(.9 d^2)) for N candidates
    code: privacy.mechanisms.selection_from_lists.SparseSampling
    proof: proofs/staged-stream.md#where-this-differs-from-lyu25-and-why
    """
    rng, k, tight = trial.array(640), 20, []
    wrong = cases = 0
    for d in (1, 2, 3):
        sampling, most = _as_printed(d, k), 2 ** (d * d)
        tables = [rng.integers(0, k + 1, most).tolist() for _ in range(trial.pick(20, 400))]
        for scores in [[k] * most, [k], *tables]:
            p = float(sampling.chances(dict(enumerate(scores)))[None])
            least = 1 / (1 + len(scores) * math.exp(0.9 * d * d))
            wrong, cases = wrong + (p < least), cases + 1
            if scores == [k] * most:
                tight.append(p / least)
    return Outcome(
        f"{wrong} of {cases} below it; with all on all lists {max(tight):.6f} of it",
        wrong == 0 and max(tight) < 1 + 1e-6,
    )


@statement("Lyu25 Claim 6.4", "false")
def their_teachers_are_too_few() -> Outcome:
    """A hypothesis cannot be on more lists than all; Lemma 3.1 asks for eps B >= 10 ln(L / delta).

    says: p(u) <= 1/100 for d = 1, 2, and B = k/10 as Lemma 3.1 needs it, for that k
    scope: all teachers list one hypothesis, d = 1 to 4; the least private B for three deltas
    stated: false: p(u) is above 1/100 for d = 1, 2; eps B = d^2 / 10 is below 10 ln(L / delta)
    code: privacy.mechanisms.selection_from_lists.SparseSampling
    proof: proofs/staged-stream.md#where-this-differs-from-lyu25-and-why
    """
    k = 20
    chances = [float(_as_printed(d, k).chances({0: k})[None]) for d in (1, 2, 3, 4)]
    private = []  # whether B = k/10 is at least the least private B, however large delta is
    for d, delta in product((1, 2, 3, 4), (Fraction(1, 10), Fraction(1, 100), Fraction(1, 10**6))):
        least = SparseSampling[int](Budget(Fraction(2 * d * d, k), delta), 2 ** (d * d)).bottom
        private.append(k // 10 >= least)
    return Outcome(
        f"{', '.join(f'{p:.3g}' for p in chances)} for d = 1 to 4; "
        f"private for {sum(private)} of {len(private)} d and delta",
        chances[1] > 0.01 > chances[2] and not any(private),
    )


@statement("Lyu25 Claim 6.4", "mended")
def trees_only_grow() -> Outcome:
    """Every leaf of the tree of two chunks lies in a leaf of the tree of the first.

    says: with one more chunk a tree only grows, so no list gains a hypothesis
    scope: sets of at most two of six points, all pairs of chunks of two that share one positive
    stated: each leaf lies in one of the tree before
    code: learn.stream.stage_sizes.stage_leaves
    proof: proofs/staged-stream.md#lemma-1-trees
    """
    rows = [row for row in product((0, 1), repeat=6) if sum(row) <= 2]
    H = FiniteClass.from_array(rows)
    first, *others = H.domain
    pairs = [((first, 1), (x, 0)) for x in others]
    chunks = [chunk for pair in pairs for chunk in (pair, pair[::-1])]
    trees = {chunk: _all_leaves(H, [chunk], 0) for chunk in chunks}
    wrong = smaller = 0
    for one, other in product(chunks, repeat=2):
        before, after = trees[one], _all_leaves(H, [one, other], 0)
        smaller += after != before
        wrong += not all(any(V & ~W == 0 for W in before) for V in after)
    return Outcome(
        f"{wrong} failures in {len(chunks) ** 2} trees, of which {smaller} changed",
        wrong == 0 < smaller,
    )


def _all_leaves(H: FiniteClass, chunks: Sequence[Chunk], stage: int) -> set[int]:
    """The leaves of every dimension, as masks of the rows of H."""
    d = int(H.littlestone_dimension())
    return {V.alive for t in range(d + 1) for V in _tree(H, chunks, stage, 2, t)}


@statement("Lyu25 Claim 6.4", "mended")
def the_potential_falls(trial: Trial) -> Outcome:
    """Lemma 5: all teachers see all mistakes, at points where a third of the draws' law is wrong.

    says: sum_f r^score(f) falls to 4/5 from a call to the next of a stage
    scope: random classes; all teachers see all mistakes, where a third of the law is wrong
    stated: and no list gains a hypothesis; Pr[bottom] <= 1/100 grows by 1 / 0.802 or more
    code: learn.stream.stage_sizes.stage_leaves, learn.stream.stage_sizes.levels
    proof: proofs/staged-stream.md#lemma-5-calls
    """
    rng = trial.array(64)
    cases = wrong = grown = new = 0
    slowest = Fraction(0)
    for _ in range(trial.pick(300, 6000)):
        H = _random_class(rng)
        d, k, r = int(H.littlestone_dimension()), 3, Fraction(int(rng.integers(11, 30)), 10)
        cap, points = len(list(H.domain)) + 1, list(H.domain)
        target = H.hypothesis(int(rng.integers(0, H.size)))
        chunks: list[list[Chunk]] = [
            [tuple((x, target(x)) for x in rng.choice(points, int(rng.integers(0, 3))).tolist())]
            for _ in range(k)
        ]
        stage = int(rng.integers(0, d + 1))
        if any(
            list(_tree(H, own, stage, cap, t))
            for own in chunks
            for t in range(d - stage + 1, d + 1)
        ):
            continue  # the stage before has not failed
        before = _scores(H, chunks, stage, cap)
        total = sum((r**s for s in before.values()), Fraction(0))
        hard = [
            x for x in points
            if before and sum(r**s for f, s in before.items() if f(x) != target(x)) >= total / 3
        ]  # fmt: skip
        if not hard:
            continue
        E = tuple((x, target(x)) for x in rng.choice(hard, int(rng.integers(1, cap))).tolist())
        after = _scores(H, [[*own, E] for own in chunks], stage, cap)
        left = sum((r**s for s in after.values()), Fraction(0))
        cases += 1
        wrong += left > Fraction(4, 5) * total
        grown += any(s > before[f] for f, s in after.items())
        new += not set(after) <= set(before)
        slowest = max(slowest, left / total)
    return Outcome(
        f"{wrong} failures in {cases} calls, {grown + new} with a gain; at most {float(slowest):.2f} "
        "is left",
        wrong + grown + new == 0 < cases,
    )


def _scores(H: FiniteClass, chunks: Sequence[Sequence[Chunk]], stage: int, cap: int) -> Scores:
    return Counter(f for own in chunks for f in _list_of_teacher(H, own, stage, cap))


@statement("Lyu25 Lemma 6.1", "mended")
def few_calls(trial: Trial) -> Outcome:
    """The process with exact tests and votes of the whole law, up to the end, three teachers.

    says: after at most that many calls, the published function is the target
    scope: without noise: exact tests and votes of the whole law, three teachers
    stated: no mistake is left
    code: learn.stream.stage_sizes.calls_needed, learn.stream.stage_sizes.stage_leaves,
        learn.stream.stage_sizes.levels
    proof: proofs/staged-stream.md#lemma-5-calls
    """
    rng = trial.array(61)
    runs = wrong = unlearned = 0
    most, r = 0.0, Fraction(2)
    for _ in range(trial.pick(30, 1200)):
        H = _random_class(rng)
        d, k = int(H.littlestone_dimension()), 3
        points, target = list(H.domain), H.hypothesis(int(rng.integers(0, H.size)))
        cap, calls, stage, published = 12, 0, 0, H.soa()
        chunks: list[list[Chunk]] = [[] for _ in range(k)]
        allowed = calls_needed(d, cap, 0, r)
        while (hard := [x for x in points if published(x) != target(x)]) and calls < allowed:
            E = tuple((x, target(x)) for x in rng.choice(hard, cap).tolist())
            chunks = [[*own, E] for own in chunks]
            calls += 1
            while stage < d and max(_scores(H, chunks, stage, cap).values(), default=0) < k:
                stage += 1
            scores = _scores(H, chunks, stage, cap)
            total = sum(r**s for s in scores.values())
            labels = [2 * sum(r**s for f, s in scores.items() if f(x)) > total for x in points]
            published = FiniteClass.from_array([[int(y) for y in labels]]).hypothesis(0)
        runs += 1
        wrong += calls >= allowed
        unlearned += bool(hard)
        most = max(most, calls / allowed)
    return Outcome(
        f"{wrong + unlearned} failures in {runs} runs, at most {most:.0%} of the calls",
        wrong + unlearned == 0,
    )
