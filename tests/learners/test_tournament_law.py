"""The exact law of the tournaments that learners play, against BLM20's definitions."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping
from fractions import Fraction
from itertools import combinations
from typing import Any

import pytest

from littlestone.audit.choices import Choices
from littlestone.classes import FiniteClass
from littlestone.learners import GloballyStableLearner
from littlestone.learners.stable.sizes import BatchSizes
from littlestone.learners.stable.tournament import stable_rule
from littlestone.privacy import Budget
from littlestone.verify.definitions import Game, Rows, State, ldim
from planting import Fault, plant

Law = dict[Any, Fraction]
THIRD = Fraction(1, 3)

pytestmark = pytest.mark.slow


def capped(game: Game, k: int, blocks: int) -> Law:
    """The rule of a batch of so many blocks: D~_k step by step, None where they run out."""
    found: Law = defaultdict(Fraction)
    for (state, _), p in contender(game, k, blocks).items():
        found[None if state is None else state.rule] += p
    return dict(found)


def contender(game: Game, k: int, left: int) -> dict[tuple[State | None, int], Fraction]:
    """The laws of S T and of the blocks left."""
    found: dict[tuple[State | None, int], Fraction] = defaultdict(Fraction)
    for (state, rest), p in winner(game, k, left).items():
        if state is None or rest == 0:
            found[None, 0] += p
        else:
            for after, q in game.with_block({state: Fraction(1)}).items():
                found[after, rest - 1] += p * q
    return found


def winner(game: Game, k: int, left: int) -> dict[tuple[State | None, int], Fraction]:
    """The laws of S ~ D~_k and of the blocks left."""
    if k == 0:
        return {(game.start(), left): Fraction(1)}
    found: dict[tuple[State | None, int], Fraction] = defaultdict(Fraction)
    for (one, rest), p in contender(game, k - 1, left).items():
        if one is None:
            found[None, 0] += p
            continue
        for (other, still), q in contender(game, k - 1, rest).items():
            if other is None:
                found[None, 0] += p * q
            elif one.rule == other.rule:
                for end, again in winner(game, k, still).items():
                    found[end] += p * q * again
            else:
                x = min(x for x in range(game.points) if (one.rule ^ other.rule) >> x & 1)
                for y in (0, 1):
                    won = one if one.rule >> x & 1 != y else other
                    found[game.update(won, x, y), still] += p * q / 2
    return found


def as_class(game: Game) -> FiniteClass:
    table = [[row >> x & 1 for x in range(game.points)] for row in sorted(game.rows)]
    return FiniteClass.from_array(table)


def law_of_the_code(game: Game, k: int, blocks: int) -> Law:
    """`stable_rule` along every outcome of its coin and of the examples in its blocks."""
    H, choices = as_class(game), Choices()
    points, examples = list(H.domain), list(game.chances)

    def block() -> list[tuple[Any, int]]:
        drawn = [examples[choices.choose(list(game.chances.values()))] for _ in range(game.n)]
        return [(points[x], y) for x, y in drawn]

    def run() -> int | None:
        stream = (block() for _ in range(blocks))
        rule = stable_rule(H, k, stream, choices.generator())
        return None if rule is None else sum(rule(p) << x for x, p in enumerate(points))

    return choices.explore(run)


def games() -> Iterator[tuple[Game, int, int]]:
    """All classes of two points and some of three, by three distributions."""
    classes: list[tuple[Rows, int]] = [
        (frozenset(rows), 2) for size in (1, 2, 3, 4) for rows in combinations(range(4), size)
    ]
    classes += [(frozenset(rows), 3) for rows in combinations(range(8), 3)][::9]
    classes += [(frozenset(rows), 3) for rows in combinations(range(8), 4)][::12]
    for i, (rows, points) in enumerate(classes):
        target = sorted(rows)[i % len(rows)]
        labelled = [(x, target >> x & 1) for x in range(points)]
        half = Fraction(1, 2)
        skewed = [half, *[half / (points - 1)] * (points - 1)]
        for chances in (
            dict.fromkeys(labelled, Fraction(1, points)),
            dict(zip(labelled, skewed, strict=True)),
            {
                labelled[0]: THIRD,
                (0, 1 - labelled[0][1]): THIRD,
                labelled[1]: THIRD,
            },  # a wrong label
        ):
            yield Game(rows, points, chances), 1, 5
    yield Game(frozenset(range(4)), 2, {(0, 0): Fraction(1, 2), (1, 1): Fraction(1, 2)}), 2, 7
    yield Game(frozenset([0, 1, 2]), 2, {(0, 0): THIRD, (1, 0): 2 * THIRD}, n=2), 1, 5


def agree() -> bool:
    return all(law_of_the_code(*each) == capped(*each) for each in games())


def test_the_code_plays_the_tournaments_of_the_paper() -> None:
    assert agree()


TOURNAMENT = "littlestone.learners.stable.tournament"
UPDATE = "littlestone.online.extended_soa:ExtendedSOA.update"
FAULTS = [
    Fault(f"{TOURNAMENT}:_winner", "f(x) != y else", "f(x) == y else", "the right rule wins"),
    Fault(f"{TOURNAMENT}:_winner", ".update(x, y)", "", "the sample lacks the tournament's example"),
    Fault(f"{TOURNAMENT}:_winner", "rng.randrange(start.version_space.labels)", "1", "y is 1"),
    Fault(f"{TOURNAMENT}:_winner", "k - 1", "0", "both samples come from D_0"),
    Fault(f"{TOURNAMENT}:_winner", "if f == g:\n            continue",
          "if f == g:\n            return None", "equal rules end the tournament"),
    Fault(f"{TOURNAMENT}:_contender", "state.after(block)", "state", "the rule has seen no T"),
    Fault(f"{TOURNAMENT}:_contender", "_winner(start, k, blocks, rng) if k else start", "start",
          "no tournament is played"),
    Fault(UPDATE, "others if right else others | {(x, y)}",
          "others", "an impossible example is forgotten"),
    Fault(UPDATE, "realizable=False",
          "realizable=True", "an impossible example is taken for one that a function has"),
]  # fmt: skip


@pytest.mark.parametrize("fault", FAULTS, ids=lambda fault: fault.mistake)
def test_a_wrong_tournament_has_another_law(fault: Fault, monkeypatch: pytest.MonkeyPatch) -> None:
    plant(fault, monkeypatch)
    assert not agree()


def test_without_a_cap_the_laws_are_those_of_the_row() -> None:
    """D~_k is below D_k, and all that it lacks is what ran out."""
    for game, k, blocks in games():
        laws = game.frequencies(k)
        if len(laws) > k:  # else D_k is impossible, and D~_k runs out for sure
            found = capped(game, k, blocks)
            assert all(p <= laws[k][rule] for rule, p in found.items() if rule is not None)
        else:
            assert capped(game, k, blocks) == {None: 1}


def votes(learner: GloballyStableLearner[Any], game: Game) -> list[Law]:
    """The law of the rule of each batch, by the learner itself."""
    assert learner.sizes is not None
    sizes, laws, points = learner.sizes, [], list(learner.hypotheses.domain)
    examples: Mapping[tuple[int, int], Fraction] = game.chances
    for i in range(sizes.batches):
        choices = Choices()

        def run(i: int = i, choices: Choices = choices) -> int | None:
            weights, keys = list(examples.values()), list(examples)
            drawn = [keys[choices.choose(weights)] for _ in range(sizes.batch(i))]
            batch = [(points[x], y) for x, y in drawn]
            rule = learner.rule(batch, i, sizes, choices.generator())
            return None if rule is None else sum(rule(p) << x for x, p in enumerate(points))

        laws.append(choices.explore(run))
    return laws


def of_each_depth() -> bool:
    """Batches 0 and 1 of the learner M are D~_0 and D~_1."""
    half = Fraction(1, 2)
    game = Game(frozenset([0, 1, 2]), 2, {(0, 0): half, (1, 0): half})
    assert ldim(game.rows, 2) == 1
    sizes = BatchSizes(block=1, caps=(0, 4), batches=4, fresh=1)
    learner = GloballyStableLearner(as_class(game), Budget(1, "0.1"), sizes=sizes)
    return votes(learner, game) == [capped(game, 0, 1), capped(game, 1, 5)] * 2


LEARNER = "littlestone.learners.globally_stable:GloballyStableLearner.rule"


def test_batches_of_the_learner_play_in_turn() -> None:
    assert of_each_depth()


@pytest.mark.parametrize(
    "fault",
    [
        Fault(LEARNER, "i % len(sizes.caps)", "0", "k is always 0"),
        Fault(LEARNER, "sizes.blocks(batch)", "iter([batch])", "a batch is one block"),
    ],
    ids=lambda fault: fault.mistake,
)
def test_a_wrong_vote_has_another_law(fault: Fault, monkeypatch: pytest.MonkeyPatch) -> None:
    plant(fault, monkeypatch)
    assert not of_each_depth()
