"""Statements of several papers that exact laws of few records settle."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from fractions import Fraction
from functools import cache
from itertools import combinations_with_replacement, pairwise, product
from math import comb
from typing import Any, cast

from littlestone.classes import FiniteClass, Thresholds
from littlestone.data.sample import Sample
from littlestone.learn import ExponentialLearner
from littlestone.learn.papers.teachers import chunks
from littlestone.points import Integers
from littlestone.privacy.cost import Budget
from littlestone.privacy.mechanisms.bucket_labels import BucketLabels
from littlestone.privacy.mechanisms.selection_from_lists import SparseSampling
from littlestone.privacy.rational import exp_below
from littlestone.prove.audit.choices import Choices
from littlestone.prove.papers.statement import Outcome, Trial, statement, unordered_classes
from littlestone.theory.decomposition import leaf_bound
from littlestone.theory.game import OnlineLearner, Player, majority
from littlestone.theory.game.players import consistent

Record = tuple[str, int]
Law = dict[Any, Fraction]


def _few_classes() -> list[FiniteClass]:
    """Classes of at least two functions over two points, up to the order of the points."""
    return [H for H in unordered_classes(2) if (H.size or 0) > 1]


def _law(H: FiniteClass, epsilon: Fraction, records: tuple[Record, ...]) -> Law:
    """The exact law of the rule that the exponential learner draws; audits follow its draws."""
    sample = Sample.from_examples(H.domain, records)
    return cast("Law", ExponentialLearner(H, Budget(epsilon)).distribution(sample))


@statement("L5 section 1, stability")
def error_moves_little() -> Outcome:
    """The error is a function of the output, so its mean moves by a factor e^epsilon at most.

    says: the expected error on any record moves by at most e^epsilon - 1 if one record changes
    scope: the exponential learner, every class over two points, all neighbours of 2 records; exact
    code: learn.ExponentialLearner
    proof: proofs/exponential-mechanism.md#theorem-1-privacy
    """
    epsilon, worst, moved, pairs = Fraction(1, 2), Fraction(0), Fraction(0), 0
    most = exp_below(epsilon, bits=256)
    for H in _few_classes():
        examples = list(product(H.domain, (0, 1)))

        @cache
        def errors(records: tuple[Record, ...], H: FiniteClass = H) -> dict[Record, Fraction]:
            law = _law(H, epsilon, records)
            return {(x, y): sum((p for h, p in law.items() if h(x) != y), Fraction(0))
                    for x, y in product(H.domain, (0, 1))}  # fmt: skip

        for kept, one, other in product(examples, repeat=3):
            here, there = errors(_in_order(kept, one)), errors(_in_order(kept, other))
            pairs += 1
            for example in examples:
                moved = max(moved, here[example] - there[example])
                if there[example]:
                    worst = max(worst, here[example] / there[example])
    return Outcome(
        f"by at most {float(moved):.3f}, and by a factor {float(worst):.3f}, in {pairs:,} pairs",
        0 < moved <= most - 1 and 1 < worst <= most,
        stated=f"at most {float(most - 1):.3f}, and a factor {float(most):.3f}",
    )


def _in_order(*records: Record) -> tuple[Record, ...]:
    return tuple(sorted(records))


@statement("BLM20 section 1.1.1, finite classes")
def finite_classes_are_stable() -> Outcome:
    """The law over samples and draws, for every distribution in quarters with a target of the class.

    says: some rule of H has probability at least 1/|H| as the output on n random records
    scope: the exponential learner, every class over two points, n = 1, 2, 3; exact
    stated: always, and 1/|H| is reached
    code: learn.ExponentialLearner
    proof: proofs/exponential-mechanism.md#theorem-2-the-draw-is-exact
    """
    wrong = tight = outside = cases = 0
    for H in _few_classes():
        points, size, laws = list(H.domain), H.size, dict[tuple[Record, ...], Law]()
        for n, h, share in product((1, 2, 3), H, range(5)):
            chances = (Fraction(share, 4), Fraction(4 - share, 4))
            found: Law = {}
            for drawn in combinations_with_replacement(range(len(points)), n):
                records = tuple((points[i], h(points[i])) for i in drawn)
                if records not in laws:
                    laws[records] = _law(H, Fraction(1, 2), records)
                often = [drawn.count(i) for i in range(len(points))]
                mass = Fraction(math.factorial(n))
                for count, chance in zip(often, chances, strict=True):
                    mass *= chance**count / math.factorial(count)
                for rule, p in laws[records].items():
                    found[rule] = found.get(rule, Fraction(0)) + mass * p
            cases += 1
            outside += not set(found) <= set(H) or sum(found.values()) != 1
            wrong += max(found.values()) < Fraction(1, size)
            tight += max(found.values()) == Fraction(1, size)
    return Outcome(
        f"{wrong} of {cases} laws have no such rule, {outside} leave the class; 1/|H| in {tight}",
        not wrong and not outside and tight > 0,
    )


@statement("Lyu25 Proposition 2")
def chernoff_without_replacement(trial: Trial) -> Outcome:
    """For fixed N, K and t the worst deviations are those that a subset can have, and 1.

    says: a random t-subset's mean leaves mu (1 +- delta) with chance <= 2 e^(-delta^2 t mu / 3)
    scope: all sets of at most 24 bits, all t, all delta in (0, 1); and parts that teachers get
    deep: at most 48 bits
    stated: at most 1 of the bound
    code: learn.papers.teachers.chunks
    proof: proofs/agnostic.md#theorem-2-uniform-convergence
    """
    worst, cases = 0.0, 0
    for N in range(1, trial.pick(24, 48) + 1):
        for K, t in product(range(1, N + 1), range(1, N + 1)):
            cases += 1
            worst = max(worst, _worst_share(N, K, t))
    differ = sum(
        _part_law(N, K) != hypergeometric(N, K, N // 2) for N in (2, 4, 6) for K in range(N + 1)
    )
    return Outcome(
        f"at most {worst:.3f} of it in {cases:,} cases; {differ} parts are not hypergeometric",
        worst <= 1 and not differ,
    )


def hypergeometric(N: int, K: int, t: int) -> dict[int, Fraction]:
    """The law of how many of K marked things out of N are in a random t-subset.

    >>> {x: str(p) for x, p in hypergeometric(4, 2, 2).items()}
    {0: '1/6', 1: '2/3', 2: '1/6'}
    """
    found = {x: comb(K, x) * comb(N - K, t - x) for x in range(min(K, t) + 1)}
    return {x: Fraction(sets, comb(N, t)) for x, sets in found.items() if sets}


def _worst_share(N: int, K: int, t: int) -> float:
    """The largest Pr[deviation > delta mu] / bound over delta in (0, 1), where mu = K / N."""
    law = hypergeometric(N, K, t)
    deviations = {x: abs(Fraction(x * N, t * K) - 1) for x in law}
    # Between two deviations the chance is constant and the bound falls, so the worst delta lies just
    # below a deviation, or just below 1.
    shares = [0.0]
    for delta in {min(deviation, Fraction(1)) for deviation in deviations.values()}:
        beyond = sum(p for x, p in law.items() if deviations[x] >= delta)
        shares.append(float(beyond) / (2 * math.exp(-float(delta**2 * t * K / (3 * N)))))
    return max(shares)


def _part_law(N: int, K: int) -> dict[int, Fraction]:
    """The law of the ones among the records of the first of two teachers, along all random bits."""
    sample = Sample.from_counts(Integers(), {0: [N - K, K]})
    choices = Choices()
    return choices.explore(
        lambda: int(next(iter(chunks(sample, 2, choices.generator()))).positives.sum())
    )


class OneByOne(OnlineLearner[str]):
    """Publishes the first hypothesis that agrees with all labels, until it errs."""

    def __init__(self, H: FiniteClass) -> None:
        self.version_space = H

    @property
    def hypothesis(self) -> Any:
        return next(iter(self.version_space))

    def predict(self, x: str) -> int:
        label: int = self.hypothesis(x)
        return label

    def update(self, x: str, y: int) -> None:
        self.version_space = consistent(self.version_space, x, y)


@statement("Lyu25 section 2, naive argument")
def one_candidate_after_another() -> Outcome:
    """A mistake rules out the published candidate; the majority rules out half of them.

    says: one candidate after another errs fewer times than there are candidates: p^d 2^(d^2) a stage
    scope: all sequences on every class over three points; leaves of trees with d <= 8, p <= 9
    stated: at most |H| - 1 mistakes, reached; at most p^d 2^(d^2) leaves; the majority log2 |H|
    code: theory.game.majority, theory.decomposition.leaf_bound
    proof: proofs/decomposition.md
    """
    wrong = reached = slower = 0
    classes = list(unordered_classes(3))
    for H in classes:
        size = H.size
        mistakes, votes = most_errors(H, OneByOne), most_errors(H, _Majority)
        wrong += mistakes > size - 1 or votes > size.bit_length() - 1
        reached += mistakes == size - 1
        slower += mistakes > votes
    leaves = [(leaf_bound(p, d, d), p**d * 2 ** (d * d)) for d in range(1, 9) for p in range(1, 10)]
    many = sum(bound > stated for bound, stated in leaves)
    return Outcome(
        f"{wrong} of {len(classes)} classes exceed it, {reached} reach it, {slower} err more often "
        f"than the majority; {many} of {len(leaves)} trees have more leaves",
        not wrong and not many and reached > 2 and slower > 0,
    )


class _Majority(OneByOne):
    @property
    def hypothesis(self) -> Any:
        return majority(self.version_space)


def most_errors(H: FiniteClass, kind: Callable[[FiniteClass], Player[Any]]) -> int:
    """The most mistakes on all sequences; a point that all of H labels alike shows none."""
    learner, worst = kind(H), 0
    for x, y in _splitting(H):
        after = H.restrict(x, y)
        worst = max(worst, int(learner.predict(x) != y) + most_errors(after, kind))
    return worst


def _splitting(H: FiniteClass) -> Iterator[Record]:
    for x in H.domain:
        if not any(H.restrict(x, y).is_empty() for y in (0, 1)):
            yield from ((x, 0), (x, 1))


def smoothed_mistakes(H: Thresholds, rounds: int, most: Fraction) -> Fraction:
    """The expected mistakes that are forced if no point may have a chance above ``most``.

    In each round the adversary picks such a distribution, a point is drawn from it, the learner
    predicts, and the adversary answers.  Of all points the best ones get as much chance as they may:

        value(V, T) = sum over x of chance(x) max(the larger, 1 + the smaller) of value(V|(x,y), T - 1).

    >>> H = Thresholds.on(0, 2)
    >>> str(smoothed_mistakes(H, 2, Fraction(1))), str(smoothed_mistakes(H, 2, Fraction(1, 3)))
    ('2', '10/9')
    """
    points: list[Any] = list(H.domain)

    @cache
    def value(V: Thresholds, left: int) -> Fraction:
        if not left or V.is_single():
            return Fraction(0)
        splitting = [x for x in points if V.after < x < V.upto]
        worth = [value(V, left - 1)] * (len(points) - len(splitting))
        for x in splitting:
            smaller, larger = sorted(value(V.restrict(x, y), left - 1) for y in (0, 1))
            worth.append(max(larger, 1 + smaller))
        total, chance = Fraction(0), Fraction(1)
        for each in sorted(worth, reverse=True):
            total += min(most, chance) * each
            chance -= min(most, chance)
        return total

    return value(H, rounds)


@statement("L5 section 4, smoothed analysis")
def smoothed_adversaries(trial: Trial) -> Outcome:
    """On ever more points LDim grows without bound; with chances of at most 2/m mistakes do not.

    says: thresholds on m points: if no chance is above 2/m, fewer mistakes are forced, as m grows
    scope: m = 7, 15, 31, 6 rounds, a learner that knows the point; exact
    deep: m = 63 too
    stated: min(6, LDim) without the limit; with it, each doubling of m adds less than the one before
    code: classes.Thresholds
    proof: notes/games.md#smoothed-adversaries
    """
    rounds, free, limited = 6, [], []
    sizes = [7, 15, 31, *([63] if trial.deep else [])]
    for m in sizes:
        H = Thresholds.on(0, m - 1)
        free.append(smoothed_mistakes(H, rounds, Fraction(1)) == min(rounds, m.bit_length()))
        limited.append(smoothed_mistakes(H, rounds, Fraction(2, m)))
    added = [b - a for a, b in pairwise(limited)]
    shown = ", ".join(f"{float(value):.3f}" for value in limited)
    return Outcome(
        f"{shown} mistakes; {sum(free)} of {len(sizes)} sizes have min({rounds}, LDim) without it",
        all(free) and all(0 <= b < a for a, b in pairwise(added)) and limited[-1] < rounds - 1,
    )


@statement("Lyu25 section 6.2.1, remark")
def noisy_maxima_do_not_renormalize() -> Outcome:
    """The label of a bucket is drawn by permute-and-flip: a noisy maximum with exponential noise.

    All scores are within 3 of the best.  With sparse sampling bottom becomes 1 / (1 - q) times as
    likely once a share q is removed; Claim 6.4 takes q >= 1/10, so a factor of 1.1.

    says: with a noisy maximum, removing a tenth of the draws can raise bottom by less than 1.1
    scope: bottom 2 or 3 below the best of two to four candidates, all removals of a share >= 1/10
    stated: at least 1.1 for sparse sampling, and less for some of them
    code: privacy.mechanisms.bucket_labels.BucketLabels,
        privacy.mechanisms.selection_from_lists.SparseSampling
    proof: proofs/permute-and-flip.md#theorem-1-it-is-a-race
    """
    sampling: SparseSampling[int] = SparseSampling(Budget(2, "0.001"), list_size=4)

    def flips(errors: tuple[int, ...]) -> list[Fraction]:
        if len(errors) == 1:
            return [Fraction(1)]
        noisy = BucketLabels(Fraction(2), buckets=1, labels=len(errors))
        return list(noisy.chances([4 - error for error in errors]))

    def weighs(errors: tuple[int, ...]) -> list[Fraction]:
        bottom, *rest = errors
        scores = {i: sampling.bottom + bottom - error for i, error in enumerate(rest)}
        found = sampling.chances(scores)
        return [found[None], *(found[i] for i in scores)]

    growths: dict[str, list[Fraction]] = {"flips": [], "weighs": []}
    for law in (flips, weighs):
        for bottom, number in product((2, 3), (2, 3, 4)):
            for rest in combinations_with_replacement(range(bottom + 1), number - 1):
                errors = (bottom, 0, *rest)
                before = law(errors)
                for kept in product((False, True), repeat=number):
                    gone = sum(
                        (p for p, k in zip(before[1:], kept, strict=True) if not k), Fraction(0)
                    )
                    if gone >= Fraction(1, 10):
                        left = (bottom, *(e for e, k in zip(errors[1:], kept, strict=True) if k))
                        growths[law.__name__].append(law(left)[0] / before[0])
    least = {name: min(found) for name, found in growths.items()}
    return Outcome(
        f"{float(least['flips']):.3f} for a noisy maximum, {float(least['weighs']):.3f} for sparse "
        f"sampling, in {len(growths['flips'])} removals",
        least["flips"] < Fraction(11, 10) < least["weighs"],
    )
