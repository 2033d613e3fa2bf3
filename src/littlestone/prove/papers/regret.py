"""Online learning: regret and oracles without privacy, and the baseline of GL21."""

from __future__ import annotations

import math
from collections.abc import Callable
from copy import copy
from functools import partial
from itertools import product
from typing import Any

import numpy as np

from littlestone.classes import FiniteClass, HypothesisClass, Subsets, Thresholds
from littlestone.data.sample import Sample
from littlestone.points import Integers
from littlestone.prove.papers.statement import Outcome, Trial, statement, unordered_classes
from littlestone.rules import Hypothesis
from littlestone.theory.game import AgnosticExperts, OracleLearner
from littlestone.theory.game.oracles import most_mistakes

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
