"""BLM20: algorithm M and the agnostic learner, with the exact law of what they draw."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterator, Sequence
from fractions import Fraction
from itertools import product
from typing import Any, cast

import numpy as np

from littlestone.classes import FiniteClass, Thresholds
from littlestone.data.sample import Sample
from littlestone.learn import AgnosticLearner, GloballyStableLearner
from littlestone.learn.papers.globally_stable import BatchSizes, stability
from littlestone.learn.plan import formulas
from littlestone.privacy.accounting.subsampled import OtherLabels
from littlestone.privacy.cost import Budget
from littlestone.prove.audit import find_subject
from littlestone.prove.audit.choices import Choices
from littlestone.prove.audit.statistical import binomial_chances
from littlestone.prove.audit.subject import follow_draws
from littlestone.prove.papers.blm20 import ALPHA, BETA, BUDGET
from littlestone.prove.papers.definitions import Game
from littlestone.prove.papers.statement import Outcome, statement
from littlestone.prove.papers.tournaments import (
    as_class,
)

Law = dict[int, Fraction]


class _MechanismOfChoices:
    """A mechanism whose draws are choices with the exact chances; it needs no payment."""

    def __init__(self, mechanism: Any, choices: Choices) -> None:
        self.mechanism, self.choices = mechanism, choices

    def release(self, data: Sequence[Any], rng: object) -> Any:
        # A record without a key changes no release, but larger counts are told apart.
        return self._one(self.mechanism.distribution([*data, None]))

    def draw(self, data: Any, *, receipt: object) -> Any:
        return self._one(self.mechanism.distribution(data))

    def _one(self, law: dict[Any, Fraction]) -> Any:
        return list(law)[self.choices.choose(list(law.values()))]


class _ReceiptOfChoices:
    """A receipt that hands out choices."""

    def __init__(self, choices: Choices) -> None:
        self.rng = choices.generator()

    def redeem(self, event: object) -> Any:
        return self.rng


def _samples(game: Game, n: int) -> Iterator[tuple[list[tuple[int, int]], Fraction]]:
    """The multisets of n examples, with their chances."""
    examples = list(game.chances)
    for counts in product(range(n + 1), repeat=len(examples)):
        if sum(counts) == n:
            chance = Fraction(math.factorial(n))
            for count, p in zip(counts, game.chances.values(), strict=True):
                chance *= p**count / math.factorial(count)
            yield (
                [xy for xy, count in zip(examples, counts, strict=True) for _ in range(count)],
                chance,
            )


def law_of_the_draw(game: Game, budget: Budget, sizes: BatchSizes) -> Law:
    """The law of what `draw` gives for ``sizes.n`` examples of the game, along all its choices."""
    H, found = as_class(game), defaultdict[int, Fraction](Fraction)
    points = list(H.domain)
    for examples, chance in _samples(game, sizes.n):
        sample = Sample.from_examples(H.domain, [(points[x], y) for x, y in examples])
        choices, learner = Choices(), GloballyStableLearner(H, budget, sizes=sizes)
        for name in ("histogram", "choice"):
            setattr(learner, name, _MechanismOfChoices(getattr(learner, name), choices))

        def draw_rule(learner: Any = learner, sample: Any = sample, choices: Any = choices) -> int:
            f = learner.draw(sample, receipt=_ReceiptOfChoices(choices))
            return sum(f(point) << x for x, point in enumerate(points))

        for rule, p in choices.explore(draw_rule).items():
            found[rule] += p * chance
    return dict(found)


def law_by_definition(game: Game, budget: Budget, sizes: BatchSizes) -> Law:
    """The same as algorithm M is written, for block size ``game.n`` and k = i mod (d + 1)."""
    learner = GloballyStableLearner(as_class(game), budget)
    a, base = learner.histogram.ratio, learner.choice.base
    least = max(sizes.keep, learner.histogram.threshold)
    depths = [i % len(sizes.caps) for i in range(sizes.batches)]
    votes = [game.capped_law(k, sizes.caps[k] + 1).items() for k in depths]
    found: dict[int, Fraction] = defaultdict(Fraction)
    for rules in product(*votes):
        chance = math.prod((p for _, p in rules), start=Fraction(1))
        counts = {f: [g for g, _ in rules].count(f) for f, _ in rules if f is not None}
        # Pr[X >= x] for Pr[X = x] ~ a^|x| and x >= 1: fewer batches vote for f than it needs votes.
        stays = {f: a ** (least - count) / (1 + a) for f, count in counts.items()}
        for kept in product((False, True), repeat=len(stays)):
            left = [f for f, here in zip(stays, kept, strict=True) if here]
            p = chance
            for f, here in zip(stays, kept, strict=True):
                p *= stays[f] if here else 1 - stays[f]
            if not left:
                found[game.start().rule] += p
                continue
            for fresh in product(game.chances.items(), repeat=sizes.fresh):
                drawn = math.prod((q for _, q in fresh), start=p)
                wrong = [sum(f >> x & 1 != y for (x, y), _ in fresh) for f in left]
                weights = [base**-errors for errors in wrong]
                for f, weight in zip(left, weights, strict=True):
                    found[f] += drawn * weight / sum(weights)
    return dict(found)


@statement("BLM20 algorithm M", "changed")
def learner_as_a_whole() -> Outcome:
    """Orders, tournaments, histogram, fresh records and the choice, against BLM20's words.

    says: what M releases has the law of its definition
    scope: the exact law of its code: three functions, two batches of one-example blocks, k = 0, 1
    stated: the same law
    code: learn.GloballyStableLearner.draw
    proof: proofs/globally-stable.md
    """
    game = Game(frozenset([0, 1, 2]), 2, {(0, 0): Fraction(1, 3), (1, 0): Fraction(2, 3)})
    sizes = BatchSizes(block=1, caps=(0, 2), batches=2, fresh=1, keep=3)
    found, due = (
        law(game, Budget(2, "0.3"), sizes) for law in (law_of_the_draw, law_by_definition)
    )
    wrong = sum(found.get(rule, 0) != due.get(rule, 0) for rule in {*found, *due})
    # The histogram and the choice were drawn by their laws: here by their own code.
    subject = find_subject("globally-stable-learner").make(Fraction(4), Fraction(1, 1000))
    draws = follow_draws(subject, subject.pairs[-1:])
    return Outcome(
        f"{wrong} of {len(due)} chances differ; with a vote a record, {draws}",
        wrong == 0 and draws.holds,
    )


def failure(learner: GloballyStableLearner[Any], n: int, alpha: float) -> float:
    """A bound of Pr[M errs above alpha on n records], by the three steps of its proof; two labels.

    Each step takes the worst law of votes and of errors that the tournaments allow, and the exact
    tails of the binomial and of the noise.  1 if blocks or caps are too small for any bound.
    """
    d, sizes = learner.dimension, cast(BatchSizes, learner.sizes)
    eta, blocks = stability(d), 0.0
    fits = (1 - alpha / 2) ** sizes.block <= eta
    for cap in sizes.caps:
        fits &= cap * eta >= 2 * blocks * (1 - 1e-9)  # Markov: D~_k runs out with chance eta / 2
        blocks = 2 * (blocks + 1) / (1 - eta)
    fresh, batches = learner.split(range(n), sizes)  # type: ignore[arg-type]
    whole = [i % (d + 1) for i, batch in enumerate(batches) if len(batch) == sizes.batch(i)]
    votes = min(whole.count(k) for k in range(d + 1))
    if not fits or not votes:
        return 1.0
    a, least = float(learner.histogram.ratio), max(sizes.keep, learner.histogram.threshold)
    counts = np.arange(votes + 1)
    chances = binomial_chances(votes, eta / 2)
    unnamed = float(chances @ (1 - _tails(a, least - counts)))
    # Rules of fewer votes than five sixths of `keep` are dropped; the others are few.
    few = math.floor(5 * sizes.keep / 6)
    kept = (d + 1) * votes / (few + 1)
    dropped = len(whole) * float(_tails(a, np.array([least - few]))[0])
    tilts = np.linspace(0, math.log(learner.choice.base), 200)
    means = 1 + alpha * np.expm1(-tilts) + alpha / 2 * np.expm1(tilts)
    return min(1.0, unnamed + dropped + kept * float(means.min()) ** len(fresh))


def _tails(a: float, least: Any) -> Any:
    """Pr[X >= x] for the noise of the histogram."""
    up = a ** np.maximum(least, 0) / (1 + a)
    return np.where(least > 0, up, 1 - a ** np.maximum(1 - least, 0) / (1 + a))


@statement("BLM20 Theorem 17", "mended")
def planned_size() -> Outcome:
    """Error .1 with probability .95, at epsilon 1 and delta 1e-6; and at a tenth of the records.

    says: n records are enough for error alpha, but for probability beta
    scope: the planned n for LDim 1 and 2; its proof with exact tails, at the worst frequency eta_d
    code: learn.GloballyStableLearner.plan, learn.papers.globally_stable.proved_sizes
    proof: proofs/globally-stable.md#theorem-5-accuracy
    """
    found = []
    for d in (1, 2):
        H = Thresholds.on(1, 2**d)
        goal: dict[str, Any] = {"alpha": ALPHA, "beta": BETA}
        learner = GloballyStableLearner.with_proved_bound(H, BUDGET, **goal)
        bound = learner.plan(**goal, setting="realizable")
        n = 0 if bound is None else bound.n
        found.append((n, failure(learner, n, ALPHA), failure(learner, n // 10, ALPHA)))
    return Outcome(
        "; ".join(f"{risk:.3f} for n = {n:,}, {less:.3f} for a tenth" for n, risk, less in found),
        all(risk <= BETA < less for _, risk, less in found),
        stated=f"at most {BETA:g}",
    )


@statement("BLM20 Corollary 2", "changed")
def agnostic_learner() -> Outcome:
    """The relabelled sample's learner is theirs, with proved sizes; d = 1, epsilon 1, delta 1e-6.

    says: an agnostic learner out of theirs, with explicit constants
    scope: the planned n and the cost for one table of LDim 1, against the formulas of the proof
    code: learn.AgnosticLearner.plan, learn.plan.formulas
    proof: proofs/agnostic.md#theorem-3-accuracy
    """
    H = FiniteClass.from_array([[0, 1], [1, 0]])
    goal: dict[str, Any] = {"alpha": ALPHA, "beta": BETA}
    learner = AgnosticLearner.with_proved_bound(H, BUDGET, **goal, kind=GloballyStableLearner)
    bound = learner.plan(**goal)
    formula = {found.theorem: found.at_one for found in formulas(H, BUDGET, **goal)}[
        "BLM20 Corollary 2"
    ]
    inner, relabelling = learner.realizable, learner.relabelling
    if (
        bound is None
        or not isinstance(inner, GloballyStableLearner)
        or not isinstance(relabelling, OtherLabels)
    ):
        return Outcome("none is proved", False, stated="a size")
    # The cost, by Theorem 1.
    eta, weight, share = float(relabelling.choice.epsilon), relabelling.weight, relabelling.share
    own, E = inner.cost(), math.exp(eta)
    K = 4 * math.exp(weight * eta + float(own.epsilon))
    epsilon = math.log(E * (1 + (K - 1) / share) / (1 + (E - 1) / share))
    private = epsilon <= float(learner.cost().epsilon) <= 1 and own.delta <= share * BUDGET.delta
    # The size, by Theorem 3; both functions differ everywhere, so there are two patterns.
    m, patterns = bound.n // share, 2
    w, t = bound.n - m, math.log(4 * patterns / BETA) / math.log(relabelling.choice.base)
    u, v, x = t / weight, ALPHA * m / 4 - 1, ALPHA * w / 2 - 4 - t
    risk = BETA / 4 + 2 * patterns**2 * math.exp(-((v - u) ** 2) / (2 * (u + v)))
    risk += 2 * patterns * math.exp(-x * x / (2 * w))
    risk += 4 * patterns * failure(inner, m, 0.9 * ALPHA / 4)
    enough = m >= 80 / ALPHA and v >= u and x >= 0 and risk <= BETA
    logarithms = -math.log(BETA) - math.log(BUDGET.delta)
    at_one = math.ceil(16 * (1 + logarithms) / ALPHA + (1 - math.log(BETA)) / ALPHA**2)
    return Outcome(
        f"{learner.cost()}; {risk:.3f} at n = {bound.n:,}; {formula:,} at constant 1",
        private and enough and formula == at_one,
        stated=f"(1, 1e-6)-DP; at most {BETA:g}; {at_one:,} records at constant 1",
    )
