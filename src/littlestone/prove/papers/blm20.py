"""BLM20: Bun, Livni, Moran, An equivalence between private classification and online prediction."""

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
from littlestone.learn.papers.globally_stable import BatchSizes, expected_blocks, stability
from littlestone.learn.plan import formulas
from littlestone.privacy.accounting.subsampled import OtherLabels
from littlestone.privacy.cost import Budget
from littlestone.prove.audit import find_subject
from littlestone.prove.audit.choices import Choices
from littlestone.prove.audit.statistical import binomial_chances
from littlestone.prove.audit.subject import follow_draws
from littlestone.prove.papers import definitions
from littlestone.prove.papers.definitions import Game
from littlestone.prove.papers.statement import Outcome, Trial, statement
from littlestone.prove.papers.tournaments import (
    FIVE,
    SPREAD,
    all_rules,
    as_class,
    rule_of,
    settings,
    stages,
)
from littlestone.rules import Hypothesis


def _chain(k: int, eta: Fraction) -> Fraction:
    """rho_k of `stability`."""
    rho = Fraction(1)
    for _ in range(k):
        rho = rho * max(Fraction(0), rho - eta) / (2 * (1 - eta * rho))
    return rho


@statement("BLM20 Proposition 5")
def stability_generalizes(trial: Trial) -> Outcome:
    """The SOA is consistent, so a rule of frequency eta has loss <= ln(1/eta) / n.

    says: sharper, Pr[A(S) = h] <= (1 - loss(h))^n for consistent A
    scope: A is the SOA: every class of three points with every target, and two more; exact laws
    deep: n = 2 for all of them, and random classes on at most six points
    stated: at most, so that loss <= ln(1/eta) / n
    code: theory.game.players.ExtendedSOA
    proof: proofs/globally-stable.md#theorem-2-observation-11-lemma-13
    """
    found = [(s, f, p) for s, k, f, p in all_rules(trial) if k == 0]
    wrong = sum(p > (1 - s.loss(f)) ** s.n for s, f, p in found)
    tight = sum(p == (1 - s.loss(f)) ** s.n for s, f, p in found)
    return Outcome(
        f"{wrong} of {len(found)} rules exceed it, {tight} equal it", wrong == 0 and tight > 0
    )


@statement("BLM20 Observation 11")
def tournament_examples_are_mistakes(trial: Trial) -> Outcome:
    """All S of positive probability with all T; mistakes show as LDim(V) <= d - k if realizable.

    says: k examples of S ~ D_k are mistakes, and SOA(S T) agrees with T
    scope: all S and T: every class of three points with every target, and three more
    deep: n = 2 for all of them, and random classes on at most six points
    stated: always
    code: theory.game.players.ExtendedSOA
    proof: proofs/globally-stable.md#theorem-2-observation-11-lemma-13
    """
    wrong = samples = unrealizable = 0
    for setting in settings(trial):
        points = list(setting.H.domain)
        for k, stage in enumerate(stages(setting)):
            for state, _ in stage.samples:
                samples += 1
                unrealizable += not state.realizable
                left = state.version_space.littlestone_dimension()
                wrong += state.realizable and left > setting.d - k
                for T in product(points, repeat=setting.n):
                    rule = rule_of(state.after((x, setting.target(x)) for x in T))
                    wrong += any(rule(x) != setting.target(x) for x in T)
    return Outcome(
        f"{wrong} failures for {samples} samples S, {unrealizable} of them not realizable",
        wrong == 0 and unrealizable > 0,
    )


@statement("BLM20 Lemma 12", "false")
def frequent_rules(trial: Trial) -> Outcome:
    """True for d = 1.  For d = 2, five functions on eight points, n = 1, are a counterexample.

    says: some k <= d and f have Pr[SOA(S T) = f] >= 2^-d
    scope: the SOA of Lyu25: every class of three points with every target, and three more
    deep: n = 2 for all of them, and random classes on at most six points
    stated: false for d = 2
    code: theory.game.players.ExtendedSOA
    proof: proofs/globally-stable.md#lemma-12-is-false-for-dimension-2
    """
    least = min(max(s.top for s in stages(x)) for x in settings(trial) if x.d == 1)
    tops = [stage.top for stage in stages(SPREAD)]
    shown = ", ".join(f"{float(p):.3f}" for p in tops)
    return Outcome(
        f"d = 1: at least {float(least):.3f}; d = {SPREAD.d}: {shown} for k = 0, 1, 2, below 1/4",
        least >= Fraction(1, 2) and SPREAD.d == 2 and len(tops) == 3 and max(tops) < Fraction(1, 4),
    )


NINE = 409, 435, 41, 104, 213, 39, 130
"""Functions on nine points, of LDim 2: bit x of a number is its label of point x."""

ELEVEN = 1336, 136, 240, 644, 794, 1078, 1688
"""The same on eleven points."""

WEIGHTS = {1: 12, 2: 4, 4: 12, 6: 3, 9: 1}
"""Over 20 n, the chances of those eleven points; point 0 has the rest."""


def nine_points(n: int, soa: definitions.Soa, deciding: definitions.Points) -> definitions.Game:
    """`NINE` with the uniform distribution, and 41 as the target."""
    chances = {(x, 41 >> x & 1): Fraction(1, 9) for x in range(9)}
    return definitions.Game(frozenset(NINE), 9, chances, n, soa, deciding)


def eleven_points(n: int, soa: definitions.Soa, deciding: definitions.Points) -> definitions.Game:
    """`ELEVEN` with a distribution that depends on n, and 1336 as the target."""
    weights = {0: 20 * n - sum(WEIGHTS.values()), **WEIGHTS}
    chances = {(x, 1336 >> x & 1): Fraction(weight, 20 * n) for x, weight in weights.items()}
    return definitions.Game(frozenset(ELEVEN), 11, chances, n, soa, deciding)


_OWN = definitions.larger_or_0, definitions.larger_or_1

_DECIDING = definitions.first, definitions.last, definitions.uniform


def _most(game: definitions.Game) -> Fraction:
    return max(max(law.values()) for law in game.frequencies(2))


@statement("BLM20 Lemma 12", "false")
def frequent_rules_of_the_papers_soa() -> Outcome:
    """By definition: false on nine points for n = 1, true there for n = 2, 3, and on the eight.

    says: the same with the paper's own SOA, argmax of LDim
    scope: seven functions on nine points, LDim 2: n = 1 with both labels in ties and x first, last
        or uniform; n = 2, 3 with x first; and the eight points of the row above, n = 1
    stated: false for n = 1
    code: prove.papers.definitions.Game
    proof: proofs/globally-stable.md#lemma-12-is-false-for-dimension-2
    """
    one = max(_most(nine_points(1, soa, x)) for soa, x in product(_OWN, _DECIDING))
    more = [min(_most(nine_points(n, soa, definitions.first)) for soa in _OWN) for n in (2, 3)]
    chances = {(x, 20 >> x & 1): Fraction(1, 8) for x in range(8)}
    eight = min(_most(definitions.Game(frozenset(FIVE), 8, chances, soa=soa)) for soa in _OWN)
    return Outcome(
        f"nine points, n = 1: at most {float(one):.4f}, below 1/4; n = 2, 3: at least "
        f"{float(more[0]):.3f}, {float(more[1]):.3f}; eight points: at least {float(eight):.3f}",
        definitions.ldim(frozenset(NINE), 9) == 2 and one < Fraction(1, 4) <= min(*more, eight),
    )


@statement("BLM20 Lemma 12", "false")
def frequent_rules_for_larger_blocks() -> Outcome:
    """By definition; G takes n = ceil(d / alpha), so 5, 10 and 20 for alpha = .4, .2 and .1.

    says: the same for n = 3, 5, 10, 20, as algorithm G takes them
    scope: seven functions on eleven points, LDim 2, one distribution for each n: both labels in
        ties, and x first, last or uniform
    stated: false for each of these n
    code: prove.papers.definitions.Game
    proof: proofs/globally-stable.md#lemma-12-is-false-for-dimension-2
    """
    ways = list(product(_OWN, _DECIDING))
    found = {n: max(_most(eleven_points(n, *way)) for way in ways) for n in (3, 5, 10, 20)}
    return Outcome(
        f"at most {', '.join(f'{float(p):.4f}' for p in found.values())}, below 1/4",
        definitions.ldim(frozenset(ELEVEN), 11) == 2 and max(found.values()) < Fraction(1, 4),
    )


@statement("BLM20 Lemma 12", "false")
def frequent_rules_for_long_blocks(trial: Trial) -> Outcome:
    """The largest frequency rises to about .2386 and stays below 1/4; n = 5 is compared exactly.

    says: the same for n = 50 to 5,000, in floats
    scope: the eleven points, both labels in ties, and x first, last or uniform: n = 50 and 5,000
    deep: n = 200 and 1,000
    stated: false for each of these n
    code: prove.papers.definitions.Game
    proof: proofs/globally-stable.md#lemma-12-is-false-for-dimension-2
    """
    ways = list(product(_OWN, _DECIDING))
    found = {
        n: max(max(law.values()) for way in ways for law in eleven_points(n, *way).approximate(2))
        for n in ((50, 200, 1000, 5000) if trial.deep else (50, 5000))
    }
    short = eleven_points(5, *ways[0])
    laws = zip(short.approximate(2), short.frequencies(2), strict=True)
    error = max(abs(law.get(f, 0) - float(p)) for law, exact in laws for f, p in exact.items())
    return Outcome(
        f"at most {', '.join(f'{p:.4f}' for p in found.values())}, below 1/4; for n = 5 within "
        f"{error:.0e} of the exact sums",
        max(found.values()) < 0.249 and error < 1e-12,
    )


@statement("BLM20 Lemma 12", "false")
def who_wins_is_not_independent() -> Outcome:
    """If y = c(x), the winner is the one that errs at x: more often the one that went wrong before.

    says: its proof, Pr[all k tournament examples agree with c] = 2^-k
    scope: one class of five functions on eight points, n = 1
    stated: true for k = 1, false for k = 2: 0.1245
    code: theory.game.players.ExtendedSOA
    proof: proofs/globally-stable.md#lemma-12-is-false-for-dimension-2
    """
    found = [stage.agreeing for stage in stages(SPREAD)[1:]]
    return Outcome(
        ", ".join(f"{float(p):.4f} for k = {k}" for k, p in enumerate(found, start=1)),
        found[:1] == [Fraction(1, 2)] and [round(float(p), 4) for p in found[1:]] == [0.1245],
    )


@statement("BLM20 Lemma 12", "mended")
def frequent_rules_repaired(trial: Trial) -> Outcome:
    """eta_d = stability(d), and Pr[all k agree] >= rho_k(most frequent rule before k).

    says: some k <= d and f have Pr[SOA(S T) = f] >= eta_d
    scope: exact laws: every class of three points with every target, and three more
    deep: n = 2 for all of them, and random classes on at most six points
    code: learn.papers.globally_stable.stability
    proof: proofs/globally-stable.md#theorem-3-lemma-12-repaired
    """
    wrong = chains = 0
    least: dict[int, Fraction] = {}
    for setting in settings(trial):
        found = stages(setting)
        top = max(stage.top for stage in found)
        least[setting.d] = min(least.get(setting.d, top), top)
        wrong += float(top) < stability(setting.d)
        for k, stage in enumerate(found):
            chains += 1
            wrong += stage.agreeing < _chain(k, max((s.top for s in found[:k]), default=top))
    return Outcome(
        f"at least {', '.join(f'{float(p):.3f}' for _, p in sorted(least.items()))} in "
        f"{len(settings(trial))} settings; {wrong} failures with the chain in {chains} stages",
        wrong == 0,
        stated=", ".join(f"{stability(d):.3f} for d = {d}" for d in sorted(least)),
    )


@statement("BLM20 Lemma 13")
def frequent_rules_generalize(trial: Trial) -> Outcome:
    """For all k and f, realizable or not; so a frequency of 2^-d means loss <= d / n.

    says: sharper, Pr[SOA(S T) = f] <= (1 - loss(f))^n for S ~ D_k
    scope: all k and f: every class of three points with every target, and three more
    deep: n = 2 for all of them, and random classes on at most six points
    stated: at most, and loss <= d / n for frequencies >= 2^-d
    code: theory.game.players.ExtendedSOA
    proof: proofs/globally-stable.md#theorem-2-observation-11-lemma-13
    """
    found = list(all_rules(trial))
    wrong = sum(p > (1 - s.loss(f)) ** s.n for s, _, f, p in found)
    wrong += sum(
        p >= Fraction(1, 2**s.d) and s.loss(f) > Fraction(s.d, s.n) for s, _, f, p in found
    )
    outside = sum(f not in set(s.H) for s, _, f, _ in found)
    return Outcome(
        f"{wrong} failures for {len(found)} rules, {outside} of them outside of the class",
        wrong == 0 and outside > 0,
    )


@statement("BLM20 Lemma 14")
def expected_draws(trial: Trial) -> Outcome:
    """E_(k+1) = 2 (E_k + 1) / (1 - eta) blocks at most, if no rule's frequency was above eta <= 1/2.

    Where none was above `stability`, that is what the caps of the learner rest on.

    says: S ~ D_k takes at most 4^(k+1) n expected examples
    scope: every class of three points and three more, in stages without a frequency above 1/2
    deep: n = 2 for all of them, and random classes on at most six points
    stated: 2 (E + 1) / (1 - eta) a step, below 4^(k+1)
    code: learn.papers.globally_stable.expected_blocks
    proof: proofs/globally-stable.md#theorem-4-lemma-14-sharper
    """
    wrong = tried = caps = 0
    most = Fraction(0)
    for setting in settings(trial):
        found, allowed = stages(setting), expected_blocks(setting.d)
        for k in range(1, len(found)):
            eta = max(s.top for s in found[:k])
            if eta > Fraction(1, 2):
                continue
            tried += 1
            bound = Fraction(0)
            for _ in range(k):
                bound = 2 * (bound + 1) / (1 - eta)
            wrong += found[k].blocks > bound or bound > 4 ** (k + 1)
            most = max(most, found[k].blocks / 4 ** (k + 1))
            if eta <= stability(setting.d):
                caps += 1
                wrong += found[k].blocks > allowed[k] * (1 + 1e-9)
    return Outcome(
        f"{wrong} failures in {tried} stages, {caps} of them with the eta of the learner; at most "
        f"{float(most):.2f} of 4^(k+1)",
        wrong == 0 < caps,
    )


@statement("BLM20 Theorem 10", "mended")
def globally_stable(trial: Trial) -> Outcome:
    """G without its cap, exactly; k is uniform in 0, ..., d, and an impossible D_k gives nothing.

    For d = 2 its proof rests on Lemma 12; with the repaired lemma it shows `stability` / (d + 1).  A
    rule counts if its loss is at most what Lemma 13 gives for a frequency of 2^-d.

    says: Pr[G(S) = f] >= 1 / ((d + 1) 2^(d + 1)) for some f with (1 - loss(f))^n >= 2^-d
    scope: G without its cap: every class of three points with every target, and three more
    deep: n = 2 for all of them, and random classes on at most six points
    code: theory.game.players.ExtendedSOA
    proof: proofs/globally-stable.md#theorem-5-accuracy
    """
    least: dict[int, Fraction] = {}
    for setting in settings(trial):
        d, rules = setting.d, defaultdict[Hypothesis[Any], Fraction](Fraction)
        for stage in stages(setting):
            for f, p in stage.rules.items():
                rules[f] += p / (d + 1)
        good = (p for f, p in rules.items() if (1 - setting.loss(f)) ** setting.n * 2**d >= 1)
        least[d] = min(least.get(d, Fraction(1)), max(good, default=Fraction(0)))
    return Outcome(
        f"at least {', '.join(f'{float(p):.3f}' for _, p in sorted(least.items()))} in "
        f"{len(settings(trial))} settings",
        all(p >= Fraction(1, (d + 1) * 2 ** (d + 1)) for d, p in least.items()),
        stated=", ".join(f"{1 / ((d + 1) * 2 ** (d + 1)):.3f} for d = {d}" for d in sorted(least)),
    )


ALPHA, BETA, BUDGET = 0.1, 0.05, Budget(1, "1e-6")


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
