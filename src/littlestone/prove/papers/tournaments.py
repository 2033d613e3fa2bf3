"""BLM20, sections 4.2 and 4.3: D_k by the SOA that learners run, and the law of their tournaments."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from itertools import combinations
from typing import Any, cast

from littlestone.classes import FiniteClass
from littlestone.learn import GloballyStableLearner
from littlestone.learn.papers.globally_stable import BatchSizes, stable_rule
from littlestone.privacy.cost import Budget
from littlestone.prove.audit.choices import Choices
from littlestone.prove.papers.definitions import Game, Rows, ldim
from littlestone.prove.papers.statement import Outcome, Trial, statement, unordered_classes
from littlestone.rules import Hypothesis, disagreement
from littlestone.theory.game.players import ExtendedSOA

Law = dict[int | None, Fraction]
Drawn = Callable[[int], list[tuple[Any, int]]]
HALF, THIRD = Fraction(1, 2), Fraction(1, 3)


def games(trial: Trial) -> Iterator[tuple[Game, int, int]]:
    """All classes of two points by three distributions, some of three by one; k, a number of blocks.

    Deep takes every class of three points, up to their order, by all three.
    """
    classes: list[tuple[Rows, int]] = [
        (frozenset(rows), 2) for size in (1, 2, 3, 4) for rows in combinations(range(4), size)
    ]
    if trial.deep:
        tables = (H.table() @ (1, 2, 4) for H in unordered_classes(3))
        classes += [(frozenset(rows.tolist()), 3) for rows in tables]
    else:
        classes += [(frozenset(rows), 3) for rows in combinations(range(8), 3)][::9]
        classes += [(frozenset(rows), 3) for rows in combinations(range(8), 4)][::12]
    for i, (rows, points) in enumerate(classes):
        target = sorted(rows)[i % len(rows)]
        labelled = [(x, target >> x & 1) for x in range(points)]
        skewed = [HALF, *[HALF / (points - 1)] * (points - 1)]
        wrong_label = (0, 1 - labelled[0][1])
        distributions = [
            dict.fromkeys(labelled, Fraction(1, points)),
            dict(zip(labelled, skewed, strict=True)),
            dict.fromkeys((labelled[0], wrong_label, labelled[1]), THIRD),
        ]
        some = distributions if points == 2 or trial.deep else [distributions[i % 3]]
        yield from ((Game(rows, points, chances), 1, 5) for chances in some)
    yield Game(frozenset(range(4)), 2, {(0, 0): HALF, (1, 1): HALF}), 2, 7
    yield Game(frozenset([0, 1, 2]), 2, {(0, 0): THIRD, (1, 0): 2 * THIRD}, n=2), 1, 5


def as_class(game: Game) -> FiniteClass:
    """The rows of a game as a class of the package."""
    table = [[row >> x & 1 for x in range(game.points)] for row in sorted(game.rows)]
    return FiniteClass.from_array(table)


def _explore(game: Game, rule: Callable[[FiniteClass, Drawn, Any], Any]) -> Law:
    """The law of what ``rule`` gives, along every outcome of its coins and of the examples drawn."""
    H, choices = as_class(game), Choices()
    points, examples, weights = list(H.domain), list(game.chances), list(game.chances.values())

    def draw_examples(n: int) -> list[tuple[Any, int]]:
        return [(points[x], y) for x, y in (examples[choices.choose(weights)] for _ in range(n))]

    def draw_rule() -> int | None:
        f = rule(H, draw_examples, choices.generator())
        return None if f is None else sum(f(p) << x for x, p in enumerate(points))

    return choices.explore(draw_rule)


@cache
def law_of_the_code(game: Game, k: int, blocks: int) -> Law:
    """The law of `stable_rule`."""
    return _explore(
        game,
        lambda H, draw, rng: stable_rule(H, k, (draw(game.n) for _ in range(blocks)), rng),
    )


def votes(learner: GloballyStableLearner[Any], sizes: BatchSizes, game: Game) -> list[Law]:
    """The law of the rule of each batch, by the learner itself."""
    return [
        _explore(
            game,
            lambda _, draw, rng, i=i: learner.rule(draw(sizes.batch(i)), i, sizes, rng),  # type: ignore[misc]
        )
        for i in range(sizes.batches)
    ]


@statement("BLM20 algorithm G", "changed")
def tournaments(trial: Trial) -> Outcome:
    """All outcomes of coins and examples, against an enumeration that shares no code with it.

    says: SOA(S T) for S ~ D~_k has the law of its definition
    scope: exact laws of its code: all classes over 2 points and 13 over 3, k <= 2
    deep: every class of three points
    stated: the same law
    code: learn.papers.globally_stable.stable_rule
    proof: proofs/globally-stable.md#theorem-5-accuracy
    """
    played = list(games(trial))
    wrong = sum(law_of_the_code(*each) != each[0].capped_law(*each[1:]) for each in played)
    return Outcome(f"{wrong} of {len(played)} laws differ", wrong == 0)


@statement("BLM20 Theorem 10", "mended")
def globally_stable_code(trial: Trial) -> Outcome:
    """K is uniform in {0, 1}; a rule of frequency eta for k has loss <= 1 - eta, as n = 1.

    No law has more of a rule than D_k, and the two agree in all but what ran out.

    says: Pr[G(S) = f] >= 1 / ((d + 1) 2^(d + 1)) for some f of loss <= alpha, with a cap
    scope: exact laws of its code for LDim 1, five blocks of one example, realizable distributions
    deep: every class of three points
    code: learn.papers.globally_stable.stable_rule
    proof: proofs/globally-stable.md#theorem-5-accuracy
    """
    wrong = cases = 0
    least = Fraction(1)
    for game, _, blocks in games(trial):
        examples = game.chances
        if (
            ldim(game.rows, game.points) != 1
            or game.n > 1
            or ((0, 0) in examples and (0, 1) in examples)
        ):
            continue
        cases += 1
        exact = [*game.frequencies(1), {}]
        rules: Counter[int] = Counter()
        for k in (0, 1):
            law = law_of_the_code(game, k, blocks)
            wrong += law != game.capped_law(k, blocks)
            for f, p in law.items():
                if f is not None:
                    rules[f] += p / 2  # type: ignore[assignment]
                    loss = sum(q for (x, y), q in examples.items() if f >> x & 1 != y)
                    wrong += loss > 1 - p or p > exact[k].get(f, 0)
        least = min(least, Fraction(max(rules.values())))
    return Outcome(
        f"at least {float(least):.3f} in {cases} settings, {wrong} laws that differ or rules "
        "with more loss or mass than they may have",
        wrong == 0 < cases and least >= Fraction(1, 8),
        stated=f"{1 / 8:.3f} for d = 1",
    )


@statement("BLM20 Theorem 17", "changed")
def batches_in_turn() -> Outcome:
    """The law of the vote of each batch, by the learner itself.

    says: batches of the learner M play D~_0, ..., D~_d in turn
    scope: exact laws of its code, LDim 1, four batches of blocks of one example
    stated: the same laws
    code: learn.GloballyStableLearner.rule
    proof: proofs/globally-stable.md#theorem-5-accuracy
    """
    game = Game(frozenset([0, 1, 2]), 2, {(0, 0): HALF, (1, 0): HALF})
    sizes = BatchSizes(block=1, caps=(0, 4), batches=4, fresh=1)
    learner = GloballyStableLearner(as_class(game), Budget(1, "0.1"), sizes=sizes)
    found, due = votes(learner, sizes, game), [game.capped_law(0, 1), game.capped_law(1, 5)] * 2
    same = sum(one == other for one, other in zip(found, due, strict=True))
    return Outcome(f"{same} of {len(due)} laws agree", same == len(due))


# A state of the SOA, whether all tournament examples agree with the target, and its mass: whole numbers
# in the ratio of the probabilities.
Samples = dict[tuple[ExtendedSOA[Any], bool], int]


@dataclass(frozen=True)
class Stage:
    """The exact D_k, SOA(S T) for S ~ D_k and T ~ D^n, and the expected blocks that S takes."""

    samples: Samples
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
def rule_of(state: ExtendedSOA[Any]) -> Hypothesis[Any]:
    """The rule of the SOA after these examples."""
    return cast("Hypothesis[Any]", state.hypothesis())  # a table can hold every function


_differ = cache(disagreement)


@cache
def stages(setting: Setting) -> tuple[Stage, ...]:
    """D_0, ..., D_d, up to the first that is impossible because two rules are always equal."""
    stages: list[Stage] = []
    samples: Samples = {(ExtendedSOA(setting.H), True): 1}
    blocks = Fraction(0)
    for _ in range(setting.d + 1):
        law = _with_block(samples, setting)
        masses: dict[Hypothesis[Any], int] = defaultdict(int)
        for (state, _), mass in law.items():
            masses[rule_of(state)] += mass
        total = sum(masses.values())
        rules = {f: Fraction(mass, total) for f, mass in masses.items()}
        agreeing = sum(mass for (_, agrees), mass in samples.items() if agrees)
        agree = Fraction(agreeing, sum(samples.values()))
        stages.append(Stage(samples, rules, agree, blocks))
        differ = 1 - sum(p * p for p in rules.values())
        if not differ:
            break
        blocks = 2 * (blocks + 1) / differ
        decided = {f: _decide(f, masses) for f in masses}
        samples = defaultdict(int)
        for (state, agrees), mass in law.items():
            f = rule_of(state)
            # Against every other rule, first or second: it wins if y is not its own label.
            for x, against in decided[f].items():
                y = 1 - f(x)
                after = state.update(x, y), agrees and y == setting.target(x)
                samples[after] += mass * against
    return tuple(stages)


def _decide(f: Hypothesis[Any], masses: Mapping[Hypothesis[Any], int]) -> dict[Any, int]:
    """At each point, how much of the other rules f meets there."""
    found: dict[Any, int] = defaultdict(int)
    for g, mass in masses.items():
        if g != f:
            found[_differ(f, g)] += mass
    return found


def _with_block(samples: Samples, setting: Setting) -> Samples:
    law, points = samples, list(setting.H.domain)
    for _ in range(setting.n):
        longer: Samples = defaultdict(int)
        for (state, agrees), mass in law.items():
            for x in points:
                longer[state.update(x, setting.target(x)), agrees] += mass
        law = longer
    return law


def _masks(points: int, rows: Sequence[int]) -> FiniteClass:
    return FiniteClass.from_array([[row >> x & 1 for x in range(points)] for row in rows])


FIVE = [64, 161, 166, 20, 56]
SPREAD = Setting((_H := _masks(8, FIVE)), _H.hypothesis(3), 1)
"""Five functions on eight points with LDim = 2, for which no rule is ever frequent."""


@cache
def settings(trial: Trial) -> tuple[Setting, ...]:
    """Every class of three points with every target, n = 1; `SPREAD`; and two classes with n = 2.

    Deep adds n = 2 for all of them, and random classes of LDim 1 and 2 on at most six points.
    """
    small = [H for H in unordered_classes(3) if H.littlestone_dimension() > 0]
    found = [SPREAD, *(Setting(H, h, 1) for H in small for h in H)]
    larger = _masks(3, [0, 4, 6, 7]), _masks(6, [0, 1, 2, 4, 8, 16, 32])
    found += [Setting(H, H.hypothesis(i), n) for H in larger for i in (0, 1) for n in (1, 2)]
    if trial.deep:
        found += [Setting(H, h, 2) for H in small for h in H]
        rng = trial.array(2020)
        while len(found) < 1500:
            size, points = int(rng.integers(2, 7)), int(rng.integers(2, 7))
            H = FiniteClass.from_array(rng.random((size, points)) < rng.choice([0.25, 0.5]))
            if 1 <= H.littlestone_dimension() <= 2:
                found += [Setting(H, H.hypothesis(i), 1 + len(found) % 2) for i in (0, H.size - 1)]
    return tuple(found)


def all_rules(trial: Trial) -> Iterator[tuple[Setting, int, Hypothesis[Any], Fraction]]:
    """All rules of all stages: the setting, k, the rule and its probability."""
    for setting in settings(trial):
        for k, stage in enumerate(stages(setting)):
            for f, p in stage.rules.items():
                yield setting, k, f, p
