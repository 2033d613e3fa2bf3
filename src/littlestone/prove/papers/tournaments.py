"""BLM20, section 4.3: the exact law of the tournaments that learners play."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from fractions import Fraction
from functools import cache
from itertools import combinations
from typing import Any

from littlestone.classes import FiniteClass
from littlestone.learn import GloballyStableLearner
from littlestone.learn.papers.stable_sizes import BatchSizes, stable_rule
from littlestone.privacy.cost import Budget
from littlestone.prove.audit.choices import Choices
from littlestone.prove.papers.definitions import Game, Rows, ldim
from littlestone.prove.papers.families import unordered_classes
from littlestone.prove.papers.statement import Outcome, Trial, statement

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


@statement(
    id="BLM20 algorithm G",
    says="SOA(S T) for S ~ D~_k has the law of its definition",
    code="learn.papers.stable_sizes.stable_rule",
    scope="exact laws of its code: all classes over 2 points and 13 over 3, k <= 2",
    deep="every class of three points",
    status="changed",
    proof="proofs/globally-stable.md#theorem-5-accuracy",
)
def tournaments(trial: Trial) -> Outcome:
    """All outcomes of coins and examples, against an enumeration that shares no code with it."""
    played = list(games(trial))
    wrong = sum(law_of_the_code(*each) != each[0].capped_law(*each[1:]) for each in played)
    return Outcome("the same law", f"{wrong} of {len(played)} laws differ", wrong == 0)


@statement(
    id="BLM20 Theorem 10",
    says="Pr[G(S) = f] >= 1 / ((d + 1) 2^(d + 1)) for some f of loss <= alpha, with a cap",
    code="learn.papers.stable_sizes.stable_rule",
    scope="exact laws of its code for LDim 1, five blocks of one example, realizable distributions",
    deep="every class of three points",
    status="mended",
    proof="proofs/globally-stable.md#theorem-5-accuracy",
)
def globally_stable_code(trial: Trial) -> Outcome:
    """K is uniform in {0, 1}; a rule of frequency eta for k has loss <= 1 - eta, as n = 1.

    No law has more of a rule than D_k, and the two agree in all but what ran out.
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
        f"{1 / 8:.3f} for d = 1",
        f"at least {float(least):.3f} in {cases} settings, {wrong} laws that differ or rules "
        "with more loss or mass than they may have",
        wrong == 0 < cases and least >= Fraction(1, 8),
    )


@statement(
    id="BLM20 Theorem 17",
    says="batches of the learner M play D~_0, ..., D~_d in turn",
    code="learn.GloballyStableLearner.rule",
    scope="exact laws of its code, LDim 1, four batches of blocks of one example",
    status="changed",
    proof="proofs/globally-stable.md#theorem-5-accuracy",
)
def batches_in_turn() -> Outcome:
    """The law of the vote of each batch, by the learner itself."""
    game = Game(frozenset([0, 1, 2]), 2, {(0, 0): HALF, (1, 0): HALF})
    sizes = BatchSizes(block=1, caps=(0, 4), batches=4, fresh=1)
    learner = GloballyStableLearner(as_class(game), Budget(1, "0.1"), sizes=sizes)
    found, due = votes(learner, sizes, game), [game.capped_law(0, 1), game.capped_law(1, 5)] * 2
    same = sum(one == other for one, other in zip(found, due, strict=True))
    return Outcome("the same laws", f"{same} of {len(due)} laws agree", same == len(due))
