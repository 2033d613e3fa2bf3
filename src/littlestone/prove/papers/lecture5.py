"""Lecture 5: pure differential privacy and online learning."""

from __future__ import annotations

import math
import random
from collections.abc import Callable, Iterator
from fractions import Fraction
from functools import cache
from itertools import combinations, product
from math import comb
from typing import Any, cast

import numpy as np

from littlestone.classes import FiniteClass, HypothesisClass, Thresholds
from littlestone.data.sample import Sample
from littlestone.dimension import is_representation, representation, vc_dimension
from littlestone.learn import ExponentialLearner
from littlestone.learn.base import Setting
from littlestone.learn.plan import formulas
from littlestone.points import Integers, Reals
from littlestone.privacy.cost import Budget
from littlestone.privacy.rational import exp_below
from littlestone.prove.audit.claims import hockey_stick
from littlestone.prove.audit.statistical import binomial_chances
from littlestone.prove.audit.subject import Subject, follow_draws
from littlestone.prove.audit.subjects.whole_learners import Records, fits, released_text
from littlestone.prove.papers.definitions import ldim
from littlestone.prove.papers.small_laws import most_errors
from littlestone.prove.papers.statement import Outcome, Trial, statement, unordered_classes
from littlestone.theory.game import (
    Halving,
    OnlineLearner,
    Player,
    RandomAdversary,
    StandardOptimalAlgorithm,
    TreeAdversary,
    play,
)


def _classes(trial: Trial, count: int, hypotheses: int, points: int) -> Iterator[FiniteClass]:
    """Every class of three points, or of four, up to their order; then random ones of more."""
    yield from unordered_classes(4 if trial.deep else 3)
    rng = trial.array(2026)
    for _ in range(trial.pick(count, 20 * count)):
        size = int(rng.integers(1, hypotheses + 1)), int(rng.integers(1, points + 1))
        density = rng.choice([0.2, 0.5, 0.8])
        yield FiniteClass.from_array((rng.random(size) < density).astype(int))


@statement("L5 Lemma 1")
def soa_mistakes(trial: Trial) -> Outcome:
    """Every sequence on small classes, tried exhaustively; random ones on larger classes.

    says: the SOA makes at most LDim(H) mistakes
    scope: every play on every class of three points and random ones of four; random plays on more
    deep: every class of four points
    stated: mistakes <= LDim
    code: theory.game.StandardOptimalAlgorithm, classes.HypothesisClass.soa_label
    """
    exhaustive = [
        (most_errors(H, StandardOptimalAlgorithm), H.littlestone_dimension())
        for H in _classes(trial, 60, 8, 4)
    ]
    played = []
    for seed, H in enumerate(_classes(trial, 150, 40, 12)):
        learner = StandardOptimalAlgorithm(H)
        transcript = play(learner, RandomAdversary(H, rng=trial.draws(seed)), rounds=40)
        played.append((transcript.mistakes, H.littlestone_dimension()))
    huge = Thresholds.on(-(2**63), 2**63 - 1)
    transcript = play(
        StandardOptimalAlgorithm(huge), RandomAdversary(huge, rng=trial.draws(0)), rounds=500
    )
    played.append((transcript.mistakes, 64))
    tight = sum(mistakes == dimension for mistakes, dimension in exhaustive)
    wrong = sum(m > d for m, d in exhaustive + played)
    return Outcome(
        f"{wrong} of {len(exhaustive) + len(played)} classes exceed it; the worst play over all "
        f"sequences equals it on {tight} of {len(exhaustive)}",
        wrong == 0 and tight == len(exhaustive),
    )


class _Arbitrary(OnlineLearner[Any]):
    """A deterministic learner without sense: a fixed pseudo-random label per point and round."""

    def __init__(self, seed: int) -> None:
        self.seed = seed
        self.round = 0

    hypothesis: Any = None
    """It follows no hypothesis of any class."""

    def predict(self, x: Any) -> int:
        return random.Random(f"{self.seed} {self.round} {x}").getrandbits(1)

    def update(self, x: Any, y: int) -> None:
        self.round += 1


@statement("L5 Theorem 2", "mended")
def forced_mistakes(trial: Trial) -> Outcome:
    """The walk down a shattered tree forces exactly LDim mistakes on every learner tried.

    says: LDim(H) is the optimal number of mistakes
    scope: every class of three points, random ones and thresholds, against three learners
    deep: every class of four points
    stated: LDim mistakes forced, on every learner
    code: theory.game.TreeAdversary, theory.game.StandardOptimalAlgorithm, theory.game.Halving
    """
    classes: list[HypothesisClass[Any]] = list(_classes(trial, 100, 30, 10))
    classes += [Thresholds.on(0, 2**20 - 1), Thresholds.on(-(2**63), 2**63 - 1)]
    games = exact = tables = 0
    for seed, H in enumerate(classes):
        if isinstance(H, FiniteClass):
            points = list(H.domain)
            rows = frozenset(sum(h(x) << i for i, x in enumerate(points)) for h in H)
            tables += H.littlestone_dimension() != ldim(rows, len(points))
        for learner in (StandardOptimalAlgorithm(H), Halving(H), _Arbitrary(seed)):
            games += 1
            exact += play(learner, TreeAdversary(H)).mistakes == H.littlestone_dimension()
    return Outcome(
        f"exactly LDim in {exact} of {games} games; LDim by its definition differs for {tables} tables",
        exact == games and not tables,
    )


@statement("L5 section 4, halving")
def halving_mistakes(trial: Trial) -> Outcome:
    """Against the tree adversary and random ones.

    says: halving makes at most log2 |H| mistakes
    scope: every class of three points and random ones, against the tree adversary and a random one
    deep: every class of four points
    stated: mistakes - floor(log2 |H|) <= 0
    code: theory.game.Halving
    """
    excess = []
    for seed, H in enumerate(_classes(trial, 100, 60, 12)):
        for adversary in (TreeAdversary(H), RandomAdversary(H, rng=trial.draws(seed))):
            transcript = play(Halving(H), adversary, rounds=40)
            excess.append(transcript.mistakes - (H.size.bit_length() - 1))
    return Outcome(f"largest {max(excess)} in {len(excess)} games", max(excess) <= 0)  # fmt: skip


@statement("L5 Example 1")
def dimension_below_logarithm(trial: Trial) -> Outcome:
    """With equality for thresholds of 2^d functions.

    says: LDim(H) <= log2 |H|
    scope: every class of three points, random ones, and thresholds of 2^d functions, d <= 20
    deep: every class of four points
    stated: floor(log2 |H|) - LDim >= 0
    code: classes.FiniteClass.littlestone_dimension
    """
    gaps = [
        H.size.bit_length() - 1 - H.littlestone_dimension() for H in _classes(trial, 300, 60, 12)
    ]
    tight = [Thresholds.on(0, 2**d - 2).littlestone_dimension() == d for d in range(1, 21)]
    return Outcome(
        f"least {min(gaps)} in {len(gaps)} classes; 0 for {sum(tight)} of {len(tight)} thresholds",
        min(gaps) >= 0 and all(tight),
    )


def _vc_dimension(H: FiniteClass) -> int:
    rows = [tuple(h(x) for x in H.domain) for h in H]
    size = len(rows[0])
    return max(
        k
        for k in range(size + 1)
        for points in combinations(range(size), k)
        if len({tuple(row[j] for j in points) for row in rows}) == 2**k
    )


@statement("L5 section 4, VC")
def vc_below_littlestone(trial: Trial) -> Outcome:
    """The VC dimension by its definition, against the Littlestone dimension.

    says: VC(H) <= LDim(H)
    scope: every class of three points, and random ones of at most 24 functions on 7 points
    deep: every class of four points
    stated: LDim - VC >= 0
    code: classes.FiniteClass.littlestone_dimension, dimension.vc_dimension
    """
    gaps, differ = [], 0
    for H in _classes(trial, 150, 24, 7):
        shattered = _vc_dimension(H)
        differ += vc_dimension(H.table()) != shattered
        gaps.append(H.littlestone_dimension() - shattered)
    return Outcome(
        f"least {min(gaps)}, largest {max(gaps)} in {len(gaps)} classes; the VC dimension of the code "
        f"differs for {differ}",
        min(gaps) >= 0 == differ,
    )


@statement("L5 Example 2")
def infinite_dimension() -> Outcome:
    """The adversary halves an interval in every round.

    says: thresholds on the reals have infinite LDim
    scope: one learner and 1,000 rounds
    stated: a mistake in every round, without end
    code: classes.Thresholds, theory.game.TreeAdversary
    """
    H = Thresholds.over(Reals())
    mistakes = play(_Arbitrary(0), TreeAdversary(H), rounds=1000).mistakes
    return Outcome(
        f"{mistakes:,} mistakes in 1,000 rounds; LDim = {H.littlestone_dimension()}",
        mistakes == 1000 and H.littlestone_dimension() == float("inf"),
    )


def _samples(points: list[Any], n: int) -> Iterator[tuple[tuple[Any, int], ...]]:
    return product(product(points, (0, 1)), repeat=n)


@statement("L5 Theorem 1")
def exponential_privacy() -> Outcome:
    """The law by the lecture's words in rationals; and what fits draw, against it and the claim.

    says: privacy: the exponential mechanism is epsilon-DP
    scope: two classes, all neighbouring samples of 3 records: Pr[h] ~ r^-errors, and what is drawn
    stated: hockey-stick divergence at epsilon = 1: 0
    code: learn.ExponentialLearner, privacy.mechanisms.exponential.ExponentialMechanism
    proof: proofs/exponential-mechanism.md#theorem-1-privacy
    """
    epsilon, worst, found = Fraction(1), Fraction(0), []
    # More digits than the mechanism uses, but still certainly below e^epsilon.
    ratio, r = exp_below(epsilon, bits=256), exp_below(epsilon / 2)
    for H in (Thresholds.on(0, 1), FiniteClass.from_array([[0, 1], [1, 0], [1, 1]])):
        learner, rules = (
            ExponentialLearner(H, Budget(epsilon)),
            list(map(H.hypothesis, range(cast(int, H.size)))),
        )

        @cache
        def law(records: Records, rules: Any = rules) -> dict[Any, Fraction]:
            weights = {h: r ** -sum(h(x) != y for x, y in records) for h in rules}
            return {released_text(h): w / sum(weights.values()) for h, w in weights.items()}

        samples = list(_samples(H.domain.examples(2), 3))
        pairs = [
            (one, other)
            for one, other in combinations(samples, 2)
            if sum(a != b for a, b in zip(one, other, strict=True)) == 1
        ]
        for one, other in pairs:
            p, q = law(one), law(other)
            worst = max(worst, hockey_stick(p, q, ratio), hockey_stick(q, p, ratio))
        found.append(
            follow_draws(Subject(learner.event, law, tuple(pairs), fits(learner), pairs[0]), pairs)
        )
    claimed = all(draws.holds for draws in found)
    return Outcome(
        f"exactly {worst} over {2 * len(pairs):,} neighbouring pairs a class; {found[0]}; {found[1]}",
        worst == 0 and claimed and learner.event.cost().epsilon == epsilon,
    )


Counts = dict[str, list[int]]


def _failure(
    learner: ExponentialLearner[str], n: int, p: float, seen: Callable[[int], Counts]
) -> float:
    """The exact chance that n records and the draw give a function other than the first.

    ``seen(e)`` are the records, as counts of labels at each point, with the chance of e in Bin(n, p).
    """
    H, chances = cast("FiniteClass", learner.hypotheses), binomial_chances(n, p)
    total = 0.0
    for e in np.flatnonzero(chances > 1e-18).tolist():
        errors = H.error_runs(Sample.from_counts(H.domain, seen(e))).errors
        weights = float(learner.mechanism.base) ** -(errors - errors.min()).astype(float)
        total += float(chances[e] * (1 - weights[0] / weights.sum()))
    return total


@statement("L5 Theorem 1")
def exponential_sample_size() -> Outcome:
    """The failure probability at the planned n, over all samples and draws of a hard distribution.

    Realizable: 300 hypotheses that all err on the same 11 % of the points, beside the truth.  Agnostic:
    a function and its complement, with labels that agree with the first at a rate of 0.555.

    says: size: n examples give error alpha, but for probability beta
    scope: one hard distribution, realizable and agnostic, alpha = beta = 0.1; exact
    code: learn.ExponentialLearner.plan, learn.plan.formulas
    proof: proofs/exponential-mechanism.md#theorem-3-accuracy
    """
    alpha, beta = 0.1, 0.1
    others = [[0, 1, *(i >> j & 1 for j in range(9))] for i in range(300)]
    many, pair = FiniteClass.from_array([[0] * 11, *others]), FiniteClass.from_array([[0], [1]])
    failures, plans = [], []
    for setting, H, p in (("realizable", many, 0.11), ("agnostic", pair, 0.445)):
        learner = ExponentialLearner(H, Budget(1))
        n = learner.plan(alpha, beta, setting=cast("Setting", setting)).n

        def counts_with_errors(e: int, n: int = n, clean: bool = setting == "realizable") -> Counts:
            return {"x0": [n - e, 0], "x1": [e, 0]} if clean else {"x0": [n - e, e]}

        failures.append(_failure(learner, n, p, counts_with_errors))
        (stated,) = formulas(H, Budget(1), alpha=alpha, beta=beta)
        plans.append(f"{n:,} ({stated.proof:,} by the lecture's proof)")
    return Outcome(
        f"exactly {failures[0]:.3f} realizable, {failures[1]:.3f} agnostic",
        max(failures) <= beta,
        stated=f"failure <= {beta} at alpha = {alpha}: n = {plans[0]} realizable, {plans[1]} agnostic",
    )


PARTS = 12


@cache
def families(c: tuple[int, ...]) -> frozenset[frozenset[tuple[int, ...]]]:
    """For every distribution in steps of 1/12, the functions with Pr[h(x) != c(x)] <= 1/4."""
    k = len(c)
    functions = list(product((0, 1), repeat=k))
    return frozenset(
        frozenset(
            h
            for h in functions
            if 4 * sum(w for w, a, b in zip(weights, h, c, strict=True) if a != b) <= PARTS
        )
        for weights in product(range(PARTS + 1), repeat=k)
        if sum(weights) == PARTS
    )


def hit(family: frozenset[tuple[int, ...]], cover: set[tuple[int, ...]], s: int) -> Fraction:
    """The probability that s functions drawn from the cover have one of the family."""
    missed = comb(len(cover) - len(family & cover), s)
    return 1 - Fraction(missed, comb(len(cover), s))


@statement("L5 Insight 1")
def representations(trial: Trial) -> Outcome:
    """Drawn sets represent c with probability 3/4, and tests that share no function bound s.

    says: probabilistic representation dimensions of classes over up to four points, exactly
    scope: all classes over 3 points in one order, 100 random ones over 4; distributions of steps
        1/12
    deep: all classes over 4 points in one order
    stated: e^RepDim functions, drawn at random, are enough, and fewer are not
    code: dimension.representation, dimension.is_representation
    proof: proofs/representation.md#theorem-1-at-most-four-points
    """
    rng = trial.draws(12)
    rows = list(product((0, 1), repeat=4))
    classes = [*unordered_classes(3)]
    if trial.deep:
        classes += unordered_classes(4)
    else:
        classes += [
            FiniteClass.from_array(rng.sample(rows, rng.randint(1, 16))) for _ in range(100)
        ]
    wrong = smaller = tried = 0
    sizes: dict[int, set[int]] = {}
    for H in classes:
        table = [[h(x) for x in H.domain] for h in H]
        found = representation(table)
        m, s = found.deterministic, found.probabilistic
        functions = [tuple(row[x] for x in found.columns) for row in table]
        asked = {family for c in functions for family in families(c)}
        wrong += not is_representation(table, found) or 4 * (s - 1) >= 3 * m
        wrong += any(hit(family, {*found.cover}, s) < Fraction(3, 4) for family in asked)
        if m <= 5:  # by force: no smaller set of functions represents the class
            tried += 1
            every = product((0, 1), repeat=len(found.columns))
            smaller += any(
                all(family & {*chosen} for family in asked) for chosen in combinations(every, m - 1)
            )
        sizes.setdefault(H.littlestone_dimension(), set()).add(s)
    shown = ", ".join(f"{d}: {min(s)} to {max(s)}" for d, s in sorted(sizes.items()))
    return Outcome(
        f"{wrong + smaller} failures in {len(classes)} classes, {tried} of them by force; e^RepDim by "
        f"LDim: {shown}",
        wrong + smaller == 0 and len(sizes) == 5,
    )


class Patient(Player[int]):
    """Predicts 0 until that is wrong at some x, and learns which of the cuts 0, ..., x it is then."""

    def __init__(self) -> None:
        self._then: StandardOptimalAlgorithm[int] | None = None
        self._first = 0

    def predict(self, x: int) -> int:
        # Past the first positive, every cut that is left gives the label 1.
        return 0 if self._then is None else self._then.predict(x) if x <= self._first else 1

    def update(self, x: int, y: int) -> None:
        if self._then is not None and x <= self._first:
            self._then.update(x, y)
        elif self._then is None and y:
            self._first = x
            self._then = StandardOptimalAlgorithm(Thresholds.on(0, x).restrict(x, 1))


def branches(H: Thresholds, examples: tuple[tuple[int, int], ...] = ()) -> list[tuple[int, float]]:
    """The length of each branch of H's mistake tree, and how many natural cuts label it, at most 1."""
    x = H.mistake_point()
    if x is None:
        lowest = max((x + 1 for x, y in examples if not y), default=0)
        highest = min((x for x, y in examples if y), default=math.inf)
        return [(len(examples), min(1, highest - lowest + 1))]
    point = int(x)
    return [
        branch for y in (0, 1) for branch in branches(H.restrict(point, y), (*examples, (point, y)))
    ]


@statement("L5 section 4, spoiler")
def natural_thresholds(trial: Trial) -> Outcome:
    """Trees are on 0, ..., 2^n - 2.  A positive at x leaves x + 1 cuts, and so log2(x + 1) mistakes.

    says: thresholds on the natural numbers have trees of every depth, and no infinite one
    scope: trees of depth 1 to 10; a learner, with first x = 2^j - 1 for j < 40 and at random
    deep: trees up to depth 14
    stated: each branch is labelled by a natural cut; 1 + log2(x + 1) mistakes if x is the first
    code: classes.Thresholds, theory.game.TreeAdversary
    proof: proofs/infinite-trees.md
    """
    H, deepest = Thresholds(Integers(), -1, math.inf), trial.pick(10, 14)
    wrong = int(H.littlestone_dimension() != math.inf or H.has_infinite_tree())
    for n in range(1, deepest + 1):
        found = branches(Thresholds.on(0, 2**n - 2))
        wrong += len(found) != 2**n or set(found) != {(n, 1)}
    mistakes = []
    for j in range(40):
        x, learner = 2**j - 1, Patient()
        wrong += learner.predict(x)
        learner.update(x, 1)
        left = H.restrict(x, 1)
        wrong += left.size != x + 1
        mistakes.append(1 + play(learner, TreeAdversary(left)).mistakes)
    rng, most = trial.draws(3), 0
    for cut in range(200):
        learner, first, errors = Patient(), 0, 0
        for x in (rng.randrange(400) for _ in range(60)):
            y = int(x >= cut)
            if learner.predict(x) != y:
                first, errors = first or x, errors + 1
            learner.update(x, y)
        wrong += errors > (first + 1).bit_length()
        most = max(most, errors)
    return Outcome(
        f"{wrong} failures in trees of depth 1 to {deepest}; mistakes from {mistakes[0]} to "
        f"{mistakes[-1]} by first x, and at most {most} on 200 random sequences",
        wrong == 0 and mistakes == list(range(1, 41)),
    )
