"""BLM20: Bun, Livni, Moran, An equivalence between private classification and online prediction."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from itertools import product
from typing import Any, cast

from littlestone.classes import FiniteClass, Points, Thresholds
from littlestone.domains import Integers
from littlestone.hypotheses import Hypothesis, disagreement
from littlestone.learners import AgnosticLearner, GloballyStableLearner
from littlestone.learners.stable.sizes import stability
from littlestone.learners.stable.tournament import stable_rule
from littlestone.online.extended_soa import ExtendedSOA
from littlestone.planning import formulas
from littlestone.privacy.budget import Budget
from littlestone.privacy.cost import PrivacyCost
from littlestone.privacy.ledger import Ledger
from littlestone.sample import Sample
from littlestone.verify import definitions
from littlestone.verify.families import unordered_classes
from littlestone.verify.statement import Outcome, Trial, statement

# A state of the SOA, whether all tournament examples agree with the target, and its probability.
Law = dict[tuple[ExtendedSOA[Any], bool], Fraction]


@dataclass(frozen=True)
class Stage:
    """The exact D_k, SOA(S T) for S ~ D_k and T ~ D^n, and the expected blocks that S takes."""

    samples: Law
    rules: dict[Hypothesis[Any], Fraction]
    agreeing: Fraction
    blocks: Fraction

    @property
    def top(self) -> Fraction:
        """The probability of the most frequent rule."""
        return max(self.rules.values())


@dataclass(frozen=True)
class Setting:
    """A class, a target, the uniform distribution on the points of its domain, and n."""

    H: FiniteClass
    target: Hypothesis[Any]
    n: int

    @property
    def d(self) -> int:
        """The Littlestone dimension."""
        return self.H.littlestone_dimension()

    def loss(self, f: Hypothesis[Any]) -> Fraction:
        """Pr[f(x) != target(x)]."""
        points = list(self.H.domain)
        return Fraction(sum(f(x) != self.target(x) for x in points), len(points))


@cache
def _rule(state: ExtendedSOA[Any]) -> Hypothesis[Any]:
    return cast("Hypothesis[Any]", state.hypothesis())  # a table can hold every function


_differ = cache(disagreement)


@cache
def _stages(setting: Setting) -> tuple[Stage, ...]:
    """D_0, ..., D_d, up to the first that is impossible because two rules are always equal."""
    stages: list[Stage] = []
    samples: Law = {(ExtendedSOA(setting.H), True): Fraction(1)}
    blocks = Fraction(0)
    for _ in range(setting.d + 1):
        law = _with_block(samples, setting)
        rules: dict[Hypothesis[Any], Fraction] = defaultdict(Fraction)
        for (state, _), p in law.items():
            rules[_rule(state)] += p
        agreeing = sum((p for (_, agrees), p in samples.items() if agrees), Fraction(0))
        stages.append(Stage(samples, dict(rules), agreeing, blocks))
        differ = 1 - sum(p * p for p in rules.values())
        if not differ:
            break
        blocks = 2 * (blocks + 1) / differ
        samples = defaultdict(Fraction)
        for (state, agrees), p in law.items():
            f = _rule(state)
            # Against every other rule g, first or second: it wins if y is not its own label.
            for g, q in rules.items():
                if g != f:
                    x = _differ(f, g)
                    y = 1 - f(x)
                    after = state.update(x, y), agrees and y == setting.target(x)
                    samples[after] += p * q / differ
    return tuple(stages)


def _with_block(samples: Law, setting: Setting) -> Law:
    law, points = samples, list(setting.H.domain)
    for _ in range(setting.n):
        longer: Law = defaultdict(Fraction)
        for (state, agrees), p in law.items():
            for x in points:
                longer[state.update(x, setting.target(x)), agrees] += p / len(points)
        law = longer
    return law


def _masks(points: int, rows: Sequence[int]) -> FiniteClass:
    return FiniteClass.from_array([[row >> x & 1 for x in range(points)] for row in rows])


FIVE = [64, 161, 166, 20, 56]
SPREAD = Setting((_H := _masks(8, FIVE)), _H.hypothesis(3), 1)
"""Five functions on eight points with LDim = 2, for which no rule is ever frequent."""


@cache
def _settings(trial: Trial) -> tuple[Setting, ...]:
    """Random classes of LDim 1 and 2 with each of two targets, thresholds, and `SPREAD`."""
    rng = trial.array(2020)
    found = [SPREAD]
    found += [
        Setting(H, H.hypothesis(i), n)
        for H in (_masks(3, [0, 4, 6, 7]), _masks(6, [0, 1, 2, 4, 8, 16, 32]))
        for i in (0, 1)
        for n in (1, 2)
    ]
    if trial.deep:
        found += [
            Setting(G, G.hypothesis(i), 1)
            for G in unordered_classes(3)
            if 1 <= G.littlestone_dimension() <= 2
            for i in range(G.size)
        ]
    while len(found) < trial.size(40, 1000):
        size, points = int(rng.integers(2, 7)), int(rng.integers(2, 7))
        H = FiniteClass.from_array(rng.random((size, points)) < rng.choice([0.25, 0.5]))
        if 1 <= H.littlestone_dimension() <= 2:
            found += [Setting(H, H.hypothesis(i), 1 + len(found) % 2) for i in (0, H.size - 1)]
    return tuple(found)


def _all_rules(trial: Trial) -> Iterator[tuple[Setting, int, Hypothesis[Any], Fraction]]:
    for setting in _settings(trial):
        for k, stage in enumerate(_stages(setting)):
            for f, p in stage.rules.items():
                yield setting, k, f, p


def _chain(k: int, eta: Fraction) -> Fraction:
    """rho_k of `stability`."""
    rho = Fraction(1)
    for _ in range(k):
        rho = rho * max(Fraction(0), rho - eta) / (2 * (1 - eta * rho))
    return rho


@statement(
    id="BLM20 Proposition 5",
    says="sharper, Pr[A(S) = h] <= (1 - loss(h))^n for consistent A",
    code="online.extended_soa.ExtendedSOA",
    scope="A is the SOA; the exact law, in small settings with n = 1, 2",
    deep="all classes of LDim 1, 2 over three points, n = 1",
    status="as stated",
    proof="proofs/globally-stable.md#theorem-2-observation-11-lemma-13",
)
def stability_generalizes(trial: Trial) -> Outcome:
    """The SOA is consistent, so a rule of frequency eta has loss <= ln(1/eta) / n."""
    found = [(s, f, p) for s, k, f, p in _all_rules(trial) if k == 0]
    wrong = sum(p > (1 - s.loss(f)) ** s.n for s, f, p in found)
    tight = sum(p == (1 - s.loss(f)) ** s.n for s, f, p in found)
    return Outcome(
        "at most, so that loss <= ln(1/eta) / n",
        f"{wrong} of {len(found)} rules exceed it, {tight} equal it",
        wrong == 0 and tight > 0,
    )


@statement(
    id="BLM20 Observation 11",
    says="k examples of S ~ D_k are mistakes, and SOA(S T) agrees with T",
    code="online.extended_soa.ExtendedSOA",
    scope="all S and T of positive probability, in small settings with LDim 1, 2",
    deep="all classes of LDim 1, 2 over three points, n = 1",
    status="as stated",
    proof="proofs/globally-stable.md#theorem-2-observation-11-lemma-13",
)
def tournament_examples_are_mistakes(trial: Trial) -> Outcome:
    """All S of positive probability with all T; mistakes show as LDim(V) <= d - k if realizable."""
    wrong = samples = unrealizable = 0
    for setting in _settings(trial):
        points = list(setting.H.domain)
        for k, stage in enumerate(_stages(setting)):
            for state, _ in stage.samples:
                samples += 1
                unrealizable += not state.realizable
                left = state.version_space.littlestone_dimension()
                wrong += state.realizable and left > setting.d - k
                for T in product(points, repeat=setting.n):
                    rule = _rule(state.after((x, setting.target(x)) for x in T))
                    wrong += any(rule(x) != setting.target(x) for x in T)
    return Outcome(
        "always",
        f"{wrong} failures for {samples} samples S, {unrealizable} of them not realizable",
        wrong == 0 and unrealizable > 0,
    )


@statement(
    id="BLM20 Lemma 12",
    says="some k <= d and f have Pr[SOA(S T) = f] >= 2^-d",
    code="online.extended_soa.ExtendedSOA",
    scope="exact laws, in small settings with LDim 1, 2; the SOA of Lyu25",
    deep="all classes of LDim 1, 2 over three points, n = 1",
    status="false",
    proof="proofs/globally-stable.md#lemma-12-is-false-for-dimension-2",
)
def frequent_rules(trial: Trial) -> Outcome:
    """True for d = 1.  For d = 2, five functions on eight points, n = 1, are a counterexample."""
    least = min(max(s.top for s in _stages(x)) for x in _settings(trial) if x.d == 1)
    tops = [stage.top for stage in _stages(SPREAD)]
    shown = ", ".join(f"{float(p):.3f}" for p in tops)
    return Outcome(
        "false for d = 2",
        f"d = 1: at least {float(least):.3f}; d = {SPREAD.d}: {shown} for k = 0, 1, 2, below 1/4",
        least >= Fraction(1, 2) and SPREAD.d == 2 and len(tops) == 3 and max(tops) < Fraction(1, 4),
    )


@statement(
    id="BLM20 Lemma 12",
    says="the same with the paper's own SOA, argmax of LDim",
    code="verify.definitions.Game",
    scope="seven functions on nine points, LDim 2: n = 1 with both labels in ties and x first, last or "
    "uniform; n = 2, 3 with x first; and the eight points of the row above, n = 1",
    status="false",
    proof="proofs/globally-stable.md#lemma-12-is-false-for-dimension-2",
)
def frequent_rules_of_the_papers_soa() -> Outcome:
    """By definition: false on nine points for n = 1, true there for n = 2, 3, and on the eight."""
    rows, points = frozenset([409, 435, 41, 104, 213, 39, 130]), 9
    own = (definitions.larger_or_0, definitions.larger_or_1)

    def most(game: definitions.Game) -> Fraction:
        return max(max(law.values()) for law in game.frequencies(2))

    def nine(n: int, soa: definitions.Soa, deciding: definitions.Points) -> Fraction:
        chances = {(x, 41 >> x & 1): Fraction(1, points) for x in range(points)}
        return most(definitions.Game(rows, points, chances, n, soa, deciding))

    deciding = (definitions.first, definitions.last, definitions.uniform)
    one = max(nine(1, soa, x) for soa, x in product(own, deciding))
    more = [min(nine(n, soa, definitions.first) for soa in own) for n in (2, 3)]
    chances = {(x, 20 >> x & 1): Fraction(1, 8) for x in range(8)}
    eight = min(most(definitions.Game(frozenset(FIVE), 8, chances, soa=soa)) for soa in own)
    return Outcome(
        "false for n = 1",
        f"nine points, n = 1: at most {float(one):.4f}, below 1/4; n = 2, 3: at least "
        f"{float(more[0]):.3f}, {float(more[1]):.3f}; eight points: at least {float(eight):.3f}",
        definitions.ldim(rows, points) == 2 and one < Fraction(1, 4) <= min(*more, eight),
    )


@statement(
    id="BLM20 Lemma 12",
    says="its proof, Pr[all k tournament examples agree with c] = 2^-k",
    code="online.extended_soa.ExtendedSOA",
    scope="one class of five functions on eight points, n = 1",
    status="false",
    proof="proofs/globally-stable.md#lemma-12-is-false-for-dimension-2",
)
def who_wins_is_not_independent() -> Outcome:
    """If y = c(x), the winner is the one that errs at x: more often the one that went wrong before."""
    first, second = (stage.agreeing for stage in _stages(SPREAD)[1:])
    return Outcome(
        "true for k = 1, false for k = 2",
        f"{float(first):.3f} for k = 1, {float(second):.4f} for k = 2",
        first == Fraction(1, 2) and second < Fraction(1, 4),
    )


@statement(
    id="BLM20 Lemma 12",
    says="some k <= d and f have Pr[SOA(S T) = f] >= eta_d",
    code="learners.stable.sizes.stability",
    scope="exact laws, in small settings with LDim 1, 2",
    deep="all classes of LDim 1, 2 over three points, n = 1",
    status="repaired",
    proof="proofs/globally-stable.md#theorem-3-lemma-12-repaired",
)
def frequent_rules_repaired(trial: Trial) -> Outcome:
    """eta_d = stability(d), and Pr[all k agree] >= rho_k(most frequent rule before k)."""
    wrong = chains = 0
    least = {1: Fraction(1), 2: Fraction(1)}
    for setting in _settings(trial):
        stages = _stages(setting)
        top = max(stage.top for stage in stages)
        least[setting.d] = min(least[setting.d], top)
        wrong += float(top) < stability(setting.d)
        for k, stage in enumerate(stages):
            chains += 1
            wrong += stage.agreeing < _chain(k, max((s.top for s in stages[:k]), default=top))
    return Outcome(
        ", ".join(f"{stability(d):.3f} for d = {d}" for d in least),
        f"at least {', '.join(f'{float(p):.3f}' for p in least.values())} in "
        f"{len(_settings(trial))} settings; {wrong} failures with the chain in {chains} stages",
        wrong == 0,
    )


@statement(
    id="BLM20 Lemma 13",
    says="sharper, Pr[SOA(S T) = f] <= (1 - loss(f))^n for S ~ D_k",
    code="online.extended_soa.ExtendedSOA",
    scope="all k and f, in small settings with LDim 1, 2",
    deep="all classes of LDim 1, 2 over three points, n = 1",
    status="as stated",
    proof="proofs/globally-stable.md#theorem-2-observation-11-lemma-13",
)
def frequent_rules_generalize(trial: Trial) -> Outcome:
    """For all k and f, realizable or not; so a frequency of 2^-d means loss <= d / n."""
    found = list(_all_rules(trial))
    wrong = sum(p > (1 - s.loss(f)) ** s.n for s, _, f, p in found)
    wrong += sum(
        p >= Fraction(1, 2**s.d) and s.loss(f) > Fraction(s.d, s.n) for s, _, f, p in found
    )
    outside = sum(f not in set(s.H) for s, _, f, _ in found)
    return Outcome(
        "at most, and loss <= d / n for frequencies >= 2^-d",
        f"{wrong} failures for {len(found)} rules, {outside} of them outside of the class",
        wrong == 0 and outside > 0,
    )


@statement(
    id="BLM20 Lemma 14",
    says="S ~ D_k takes at most 4^(k+1) n expected examples",
    code="learners.stable.sizes.expected_blocks",
    scope="the stages of small settings in which no rule's frequency is above 1/2",
    deep="all classes of LDim 1, 2 over three points, n = 1",
    status="as stated",
    proof="proofs/globally-stable.md#theorem-4-lemma-14-sharper",
)
def expected_draws(trial: Trial) -> Outcome:
    """E_(k+1) <= 2 (E_k + 1) / (1 - eta) blocks, if no rule's frequency was above eta <= 1/2."""
    wrong = stages = 0
    most = Fraction(0)
    for setting in _settings(trial):
        found = _stages(setting)
        for k in range(1, len(found)):
            eta = max(s.top for s in found[:k])
            if eta > Fraction(1, 2):
                continue
            stages += 1
            bound = Fraction(0)
            for _ in range(k):
                bound = 2 * (bound + 1) / (1 - eta)
            wrong += found[k].blocks > bound or bound > 4 ** (k + 1)
            most = max(most, found[k].blocks / 4 ** (k + 1))
    return Outcome(
        "2 (E + 1) / (1 - eta) a step, below 4^(k+1)",
        f"{wrong} failures in {stages} stages; at most {float(most):.2f} of 4^(k+1)",
        wrong == 0 and stages > 0,
    )


@statement(
    id="BLM20 Theorem 10",
    says="Pr[G(S) = f] >= 1 / ((d + 1) 2^(d + 1)) for some f, loss(f) <= alpha",
    code="online.extended_soa.ExtendedSOA",
    scope="G without its cap: exact laws of its samples, in small settings with LDim 1, 2",
    deep="all classes of LDim 1, 2 over three points, n = 1",
    status="repaired",
    proof="proofs/globally-stable.md#theorem-5-accuracy",
)
def globally_stable(trial: Trial) -> Outcome:
    """G without its cap, exactly; k is uniform in 0, ..., d, and an impossible D_k gives nothing.

    For d = 2 its proof rests on Lemma 12; with the repaired lemma it shows `stability` / (d + 1).
    """
    least = {1: Fraction(1), 2: Fraction(1)}
    for setting in _settings(trial):
        d, rules = setting.d, Counter[Hypothesis[Any]]()
        for stage in _stages(setting):
            for f, p in stage.rules.items():
                rules[f] += p / (d + 1)  # type: ignore[assignment]
        least[d] = min(least[d], Fraction(max(rules.values())))
    return Outcome(
        ", ".join(f"{1 / ((d + 1) * 2 ** (d + 1)):.3f} for d = {d}" for d in least),
        f"at least {', '.join(f'{float(p):.3f}' for p in least.values())} in "
        f"{len(_settings(trial))} settings",
        all(p >= Fraction(1, (d + 1) * 2 ** (d + 1)) for d, p in least.items()),
    )


@statement(
    id="BLM20 algorithm G",
    says="with its cap N = 8^(d+1) n, the most frequent rule of many runs",
    code="learners.stable.tournament.stable_rule",
    scope="thresholds of LDim 1, 2 and 3, simulated",
    status="repaired",
    proof="proofs/globally-stable.md#theorem-5-accuracy",
)
def monte_carlo(trial: Trial) -> Outcome:
    """Thresholds of LDim 1, 2 and 3 on 2^(d+1) - 2 points, alpha = 1/2, n = ceil(d / alpha)."""
    rng = trial.draws(10)
    shown, holds, runs = [], True, trial.size(200, 2000)
    for d in (1, 2, 3):
        n, middle, points = 2 * d, 2**d - 1, range(2 ** (d + 1) - 2)
        H = Thresholds.on(0, points[-1])
        found: Counter[Hypothesis[Any] | None] = Counter()
        for _ in range(runs):
            blocks = (
                [(x, int(x >= middle)) for x in rng.choices(points, k=n)]
                for _ in range(8 ** (d + 1) + 1)
            )
            found[stable_rule(H, rng.randrange(d + 1), blocks, rng)] += 1
        failed = found.pop(None, 0)
        f, times = cast("tuple[Hypothesis[Any], int]", found.most_common(1)[0])
        loss = sum(f(x) != (x >= middle) for x in points) / len(points)
        holds &= times / runs >= 1 / ((d + 1) * 2 ** (d + 1)) and loss <= 1 / 2
        shown.append(f"d = {d}: {times / runs:.2f}, loss {loss:.2f}, {failed} runs fail")
    return Outcome("at least 0.125, 0.042, 0.016", "; ".join(shown), holds)


@statement(
    id="BLM20 Theorem 17",
    says="the learner M has error at most alpha",
    code="learners.GloballyStableLearner.fit",
    scope="points of an infinite domain, LDim 1: runs of calibrated sizes",
    status="repaired",
    proof="proofs/globally-stable.md#theorem-5-accuracy",
)
def learner(trial: Trial) -> Outcome:
    """Calibrated sizes: points of an infinite domain, epsilon 1, delta 1e-6, n = 4000."""
    rng, H, alpha = trial.draws(17), Points(Integers()), 0.1
    learner = GloballyStableLearner(H, Budget(1, "1e-6"), alpha=alpha)
    good, runs = 0, trial.size(10, 200)
    for _ in range(runs):
        xs = [rng.choice([7, 8 + rng.randrange(100)]) for _ in range(4000)]
        sample = Sample.from_examples(H.domain, [(x, int(x == 7)) for x in xs])
        with Ledger() as ledger:
            rule = learner.fit(sample, ledger=ledger, dataset="made up", rng=rng).hypothesis
        missed, wrong = rule(7) != 1, sum(rule(8 + i) for i in range(100))
        good += missed / 2 + wrong / 200 <= alpha
    return Outcome("error <= 0.1", f"in {good} of {runs} runs of n = 4000", good == runs)


@statement(
    id="BLM20 Corollary 2",
    says="an agnostic learner out of theirs, with explicit constants",
    code="learners.AgnosticLearner.plan, planning.formulas",
    scope="the planned size and the cost for one table of LDim 1",
    status="repaired",
    proof="proofs/agnostic.md#theorem-3-accuracy",
)
def agnostic_learner() -> Outcome:
    """The relabelled sample's learner is theirs, with proved sizes; d = 1, epsilon 1, delta 1e-6."""
    H = FiniteClass.from_array([[0, 1], [1, 0]])
    goal: dict[str, Any] = {"alpha": 0.1, "beta": 0.05}
    declared: dict[str, Any] = {
        "budget": Budget(1, "1e-6"),
        **goal,
        "kind": GloballyStableLearner,
    }
    learner = AgnosticLearner.with_proved_bound(H, **declared)
    stated = formulas(H, declared["budget"], **goal)
    bound = learner.plan(**goal)
    n = {found.theorem: found.at_one for found in stated} | {"proved": bound and bound.n}
    within = learner.cost().within(PrivacyCost(Fraction(1), Fraction(1, 10**6)))
    theirs = learner.realizable.method == GloballyStableLearner.method
    return Outcome(
        f"(1, 1e-6)-DP; about {n['BLM20 Corollary 2']:,} records at constant 1",
        f"{learner.cost()}; {n['proved']:,} records suffice for error min + .1",
        within and theirs and bound is not None and bound.proved,
    )
