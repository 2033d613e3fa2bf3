"""Online learning: regret without and with privacy, oracles, the baseline of GL21, and POP."""

from __future__ import annotations

import math
from collections.abc import Callable
from copy import copy
from fractions import Fraction
from functools import partial
from itertools import product
from typing import Any

import numpy as np

from littlestone.classes import FiniteClass, HypothesisClass, Subsets, Thresholds
from littlestone.data.sample import Sample
from littlestone.learn.papers.boxes.lyu25 import private_online_procedure
from littlestone.learn.stream import HedgeLearner
from littlestone.points import Integers
from littlestone.privacy.cost import Budget
from littlestone.privacy.rational import sum_masses
from littlestone.prove.audit.claims import least_ratio, nats
from littlestone.prove.papers.printed import law
from littlestone.prove.papers.statement import Outcome, Trial, statement, unordered_classes
from littlestone.rules import Hypothesis
from littlestone.theory.game import AgnosticExperts, OracleLearner
from littlestone.theory.game.players import most_mistakes

Rule = Hypothesis[str]
K = 3
"""How often the point of a node is asked."""


@statement("BLM20 section 1, regret")
def few_more_mistakes(trial: Trial) -> Outcome:
    """The expected mistakes less those of the best hypothesis, over the bound, in the worst game.

    says: at most sqrt(T ln N(T, d) / 2) more mistakes than the best hypothesis
    scope: all games on all classes over 3 points, T = 3, and over 2 points, T = 4; long streams
    deep: over 3 points for T = 4
    stated: at most 1 times the bound
    code: theory.game.AgnosticExperts
    proof: proofs/regret.md#theorem-1-few-more-mistakes-than-the-best
    """
    games = [(H, trial.pick(3, 4)) for H in unordered_classes(3)]
    games += [(H, 4) for H in unordered_classes(2)]
    played = worst = 0.0
    for H, rounds in games:
        learner = AgnosticExperts(H, horizon=rounds)
        rows = [{x: h(x) for x in H.domain} for h in H]
        regret, ends = _worst(learner, rows, [0] * len(rows))
        played += ends
        worst = max(worst, _over(regret, learner))
    streams = 0.0
    rng = trial.draws(21)
    long: list[tuple[HypothesisClass[Any], int]] = [
        (Thresholds.on(0, 30), 60), (Subsets(Integers(), 2), 40), (Subsets(Integers(), 1), 200),
    ]  # fmt: skip
    for space, rounds in long:
        learner = AgnosticExperts(space, horizon=rounds)
        examples = [(rng.randrange(12), rng.randrange(2)) for _ in range(rounds)]
        for x, y in examples:
            learner.update(x, y)
        best = space.least_errors(Sample.from_examples(space.domain, examples))
        streams = max(streams, _over(learner.expected_mistakes - best, learner))
    return Outcome(
        f"at most {worst:.3f} times the bound in {played:,.0f} games with {len(games)} classes, and "
        f"{streams:.3f} times in {len(long)} long streams of random labels",
        max(worst, streams) <= 1 + 1e-9,
    )


def _over(regret: float, learner: AgnosticExperts[Any]) -> float:
    """The regret over its bound, both of which are 0 for a single function."""
    return regret / learner.regret_bound if learner.regret_bound else 2 * regret


def _worst(
    learner: AgnosticExperts[str], rows: list[dict[str, int]], errors: list[int]
) -> tuple[float, int]:
    """The largest regret in what is left of the game, and in how many ways it can go on."""
    if not learner.rounds_left:
        return learner.expected_mistakes - min(errors), 1
    worst, ends = -math.inf, 0
    for x, y in product(rows[0], (0, 1)):
        later = copy(learner)
        later.update(x, y)
        wrong = [e + (row[x] != y) for e, row in zip(errors, rows, strict=True)]
        regret, ways = _worst(later, rows, wrong)
        worst, ends = max(worst, regret), ends + ways
    return worst, ends


@statement("BLM20 section 1, regret")
def no_fewer_mistakes() -> Outcome:
    """Each node's point is asked k times, and the majority of the labels chooses the branch.

    says: no learner can promise less than sqrt(d T / 8) for T = d k
    scope: all classes over 3 points with d >= 1, k = 3: fair labels down a tree, and this learner
    stated: d E|S_k| / 2 >= sqrt(d T / 8) on average, S_k the sum of k fair signs
    code: theory.game.AgnosticExperts, classes.HypothesisClass.mistake_point
    proof: proofs/regret.md#theorem-2-no-learner-does-much-better
    """
    wrong, least = 0, math.inf
    classes = [H for H in unordered_classes(3) if H.littlestone_dimension() >= 1]
    share = sum(abs(2 * sum(bits) - K) for bits in product((0, 1), repeat=K)) / 2**K / 2
    for H in classes:
        d = H.littlestone_dimension()
        learner = AgnosticExperts(H, horizon=d * K)
        mean, mistakes = _mean(learner, H, (), dict.fromkeys(H, 0))
        wrong += abs(mistakes - d * K / 2) > 1e-9  # of fair labels, whatever is predicted
        wrong += mean < d * share - 1e-9 or d * share < math.sqrt(d * d * K / 8)
        least = min(least, mean / (d * share))
    return Outcome(
        f"{wrong} failures for {len(classes)} classes; at least {least:.3f} times d E|S_k| / 2",
        wrong == 0,
    )


def _mean(
    learner: AgnosticExperts[str], V: FiniteClass, asked: tuple[int, ...], errors: dict[Rule, int]
) -> tuple[float, float]:
    """The mean regret, and mistakes, if ``asked`` are the labels so far at this node."""
    if len(asked) == K:
        V, asked = V.restrict(V.mistake_point(), int(2 * sum(asked) > K)), ()
    x = V.mistake_point()
    if not learner.rounds_left or x is None:
        return learner.expected_mistakes - min(errors.values()), learner.expected_mistakes
    means = []
    for y in (0, 1):
        later = copy(learner)
        later.update(x, y)
        wrong = {h: e + (h(x) != y) for h, e in errors.items()}
        means.append(_mean(later, V, (*asked, y), wrong))
    regrets, mistakes = zip(*means, strict=True)
    return sum(regrets) / 2, sum(mistakes) / 2


@statement("LiWY25", "changed")
def private_and_few_more_mistakes(trial: Trial) -> Outcome:
    """The exact expected mistakes of the rules that are drawn, less those of the best hypothesis.

    says: a private learner has regret for any labels: LiWY25 claims about sqrt(T) for finite LDim
    scope: classes of two or more functions over two points, all streams of 4 records, B = 1, 2
    deep: of 5 records
    stated: for finite classes at most 1 times ln N / eta + eta T B / 8 + B, and some regret
    code: learn.stream.HedgeLearner
    proof: proofs/hedge.md#theorem-2-regret
    """
    T, streams, worst = trial.pick(4, 5), 0, 0.0
    for H, B in product([H for H in unordered_classes(2) if (H.size or 0) > 1], (1, 2)):
        learner = HedgeLearner(H, Budget(16), horizon=T, block=B)
        chances: dict[Any, dict[Any, float]] = {}
        for records in product(product(H.domain, (0, 1)), repeat=T):
            mistakes = float(sum(y for _, y in records[:B]))  # of the constant 0
            for t in range(B, T):
                told = tuple(sorted(records[: t - t % B]))
                if told not in chances:
                    law = learner.learner.distribution(Sample.from_examples(H.domain, told))
                    chances[told] = {
                        (x, y): float(sum(p for h, p in law.items() if h(x) != y))
                        for x, y in product(H.domain, (0, 1))
                    }
                mistakes += chances[told][records[t]]
            best = min(sum(h(x) != y for x, y in records) for h in H)
            worst, streams = max(worst, (mistakes - best) / learner.regret_bound()), streams + 1
    return Outcome(f"at most {worst:.3f} times the bound on {streams:,} streams", 0 < worst <= 1)


@statement("L5 section 4, oracles", "changed")
def only_consistent_hypotheses() -> Outcome:
    """Every point is asked whose label may be another one, and every hypothesis is answered.

    says: a learner that asks only for consistent hypotheses makes fewer than 10^LDim mistakes
    scope: all classes over three points, 6 points and thresholds on 6; all sequences and answers
    stated: at most 0, 7, 73, 720 for LDim 0, ..., 3, by runs of depth at most LDim; KS24: O(256^LDim)
    code: theory.game.OracleLearner
    proof: proofs/oracles.md#theorem-1-mistakes
    """
    worst: dict[int, int] = {}
    wrong = 0
    classes = [FiniteClass.from_array(np.tri(6, k=-1)), FiniteClass.from_array(np.eye(6))]
    classes += unordered_classes(3)
    for H in classes:
        rows, d = [tuple(int(h(x)) for x in H.domain) for h in H], int(H.littlestone_dimension())
        found = [_most_asked(OracleLearner(partial(_answer, row)), rows) for row in rows]
        mistakes, depth = map(max, zip(*found, strict=True))
        wrong += mistakes > most_mistakes(d) or depth > d
        worst[d] = max(worst.get(d, 0), mistakes)
    shown = ", ".join(str(worst[d]) for d in sorted(worst))
    return Outcome(f"{wrong} of {len(classes)} classes have more; at most {shown}", not wrong)


def _answer(row: tuple[int, ...], _: object) -> Callable[[int], int]:
    return row.__getitem__


def _most_asked(learner: OracleLearner, rows: list[tuple[int, ...]]) -> tuple[int, int]:
    """The most mistakes from here on, and the largest depth of a run."""
    worst, depth = 0, learner.run.d
    for x in range(len(rows[0])):
        y = 1 - learner.predict(x)
        left = [row for row in rows if row[x] == y]
        for row in left:
            later = copy(learner)
            later.ask = partial(_answer, row)
            later.update(x, y)
            mistakes, reached = _most_asked(later, left)
            worst, depth = max(worst, 1 + mistakes), max(depth, reached)
    return worst, depth


@statement("GL21 at LDim 1")
def one_mistake_names_the_target(trial: Trial) -> Outcome:
    """The functions that agree with a mistake, on random tables of dimension 1.

    says: every mistake of the SOA names the target
    scope: random tables of dimension 1 on four points
    stated: SOA of H|(x,y) is the target for every mistake (x,y)
    code: classes.FiniteClass.soa
    """
    rng = trial.array(11)
    classes = mistakes = wrong = 0
    for _ in range(trial.pick(400, 20_000)):
        H = FiniteClass.from_array(rng.integers(0, 2, (int(rng.integers(2, 6)), 4)))
        if H.littlestone_dimension() != 1:
            continue
        classes += 1
        soa = H.soa()
        for h in H:
            for x in H.domain:
                if soa(x) != h(x):
                    mistakes += 1
                    wrong += H.restrict(x, h(x)).soa() != h
    return Outcome(
        f"{wrong} of {mistakes} mistakes name another, on {classes} classes", wrong == 0 < mistakes
    )


Law = dict[Any, Fraction]
Examples = tuple[tuple[Any, int], ...]


def others_see(found: Law, i: int) -> Law:
    """The law of all predictions but number ``i``, with the step at which they end."""
    return sum_masses(
        ((*given[:i], None, *given[i + 1 :]) if len(given) > i else given, p)
        for given, p in found.items()
    )


def apart(p: Law, q: Law) -> float:
    """The least epsilon of two laws, with delta = 0."""
    ratios = least_ratio(p, q, Fraction(0)), least_ratio(q, p, Fraction(0))
    return max(nats(ratio) if ratio is not None else float("inf") for ratio in ratios)


@statement("KMM+23 POP")
def others_are_told_little() -> Outcome:
    """At (x0, .) all copies say 1; at (x1, .) two of four do, after two mistakes there.

    says: all predictions but a record's own cost epsilon_vote a vote and epsilon_count a count after it
    scope: the exact law of its code, k = 4, two points: all pairs of three records, one pair of four
    stated: at most that; more if the count has hardly any noise, or with the record's own prediction
    code: learn.papers.boxes.lyu25.private_online_procedure
    proof: notes/boxes.md#kmm23-pop
    """
    H = FiniteClass.from_array([[1, 0], [1, 1]])

    def tell(S: Examples, r: int, vote: Fraction, count: Fraction) -> Law:
        return law(
            lambda choose: private_online_procedure(
                S, H, k=4, r=r, epsilon_vote=vote, epsilon_count=count, choose=choose
            )
        )

    vote, count = Fraction(1), Fraction(1, 8)
    records = list(product(H.domain, (0, 1)))
    # Nobody is told anything after the last label, so it is 0.
    streams = [(*S, (x, 0)) for S in product(records, repeat=2) for x in H.domain]
    laws = {S: tell(S, 2, vote, count) for S in streams}
    shares, kept = list[float](), True
    for i in (0, 1):
        allowed = float((2 - i) * vote + (3 - i) * count)
        seen = {S: others_see(laws[S], i) for S in streams}
        pairs = [(S, (*S[:i], z, *S[i + 1 :])) for S in streams for z in records if z > S[i]]
        spent = max(apart(seen[S], seen[other]) for S, other in pairs)
        shares.append(spent / allowed)
        kept = kept and spent <= allowed

    def laws_of_pair(count: Fraction) -> list[Law]:
        known = ("x1", 1)
        return [tell((known, known, (x, 1), known), 3, Fraction(4), count) for x in H.domain]

    noisy, exact = laws_of_pair(Fraction(1, 32)), laws_of_pair(Fraction(60))
    allowed, own = 4 + 2 / 32, apart(*noisy)
    hidden, shown = (apart(*(others_see(p, 2) for p in laws)) for laws in (noisy, exact))
    return Outcome(
        f"{max(shares):.3f} of that; of {allowed:.2f} it takes {hidden:.2f}, "
        f"{shown:.2f} by an exact count, {own:.1f} with its own",
        kept and hidden <= allowed < min(shown, own),
    )
