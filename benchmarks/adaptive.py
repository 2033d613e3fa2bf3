"""Mistakes against adversaries who see each published rule: ``python -m benchmarks.adaptive [RUNS]``.

Epsilon 1, delta 0 and T = 200,000 steps, for random tables of 100 hypotheses on 40 and on 1,000
points, 1,024 thresholds, sets of at most 2 of 40 points, and parities of 6 columns.  `confirmed` and
`tallied` play wherever they apply.  Every stream agrees with a hypothesis of the class.  Adversaries
know the class and the learner, and see what is published:

* greedy: the mistake that keeps the most hypotheses;
* minimax: the mistake that most hypotheses keep, of those made least often so far;
* stubborn: one mistake again and again, until the rule changes there;
* far: a target that is furthest from the first rule, each of its mistakes in turn;
* patient: minimax, but it waits for 19 of 20 steps of the horizon first;
* sleeper: minimax, and after each change of the rule it waits for a sixteenth of the horizon;
* slow: minimax, in every hundredth step, so that rules change after as few mistakes as possible;
* few: four mistakes in turn, those that keep the most hypotheses, until the rule changes;
* lightest: after half of the horizon, the mistake of the hypothesis left that `tallied` weighs least
  at which the weights agree most, again and again;
* below: four mistakes of the hypothesis left that is furthest from the rule; after three quarters of
  the threshold it waits for a fiftieth of the horizon, in case the rule changes early;
* corner: five mistakes of the lightest hypothesis left, in every hundredth step.

Intervals of 2^20 points have adversaries of their own, who choose both ends as late as possible.
Oblivious sequences are the points at random and one after another.  Printed: the mean and the most
mistakes of each, with the bound proved for 95%.  Asserted: it fails in no more than 5% of the runs, up
to three standard deviations.
"""

from __future__ import annotations

import random
import sys
from collections.abc import Callable, Iterator
from contextlib import suppress
from fractions import Fraction
from itertools import combinations, product
from time import perf_counter
from typing import Any

import numpy as np
from numpy.typing import NDArray

from benchmarks.harness import require
from benchmarks.mistakes import labelled, mistakes
from littlestone.base.errors import DeclarationError
from littlestone.classes import EqualityRules, FiniteClass, Intervals, Thresholds, parse_class
from littlestone.learn.stream import (
    ConfirmedLearner,
    PrivateOnlineLearner,
    RuleLearner,
    TalliedLearner,
)
from littlestone.learn.stream.rules import lead
from littlestone.learn.stream.weights import UNITS
from littlestone.privacy import Budget
from littlestone.privacy.ledger import Ledger
from littlestone.privacy.randomness import seeded_generator
from littlestone.rules import values_of

T = 200_000
PAUSE = 100
FEW = 4
Bits = NDArray[np.bool_]
Choice = Callable[["Game"], int | None]


class Game:
    """One run: the table of the class, what is left of it, and how often each point was mistaken."""

    def __init__(self, learner: PrivateOnlineLearner[Any], table: Bits, rng: random.Random) -> None:
        self.domain, self.horizon = learner.hypotheses.domain, learner.horizon
        mechanism: Any = learner.mechanism
        self.threshold: int = getattr(mechanism, "timer", mechanism).threshold
        self.points = list(self.domain)
        with Ledger() as ledger:
            self.stream = learner.start(ledger=ledger, dataset="d", rng=rng)
        self.left, self.made = table, np.zeros(len(self.points), dtype=int)
        self.table, self.since = table, self.made.copy()  # since the rule changed
        self.alive = np.ones(len(table), dtype=bool)
        self.rule = self.stream.hypothesis
        self.last, self.until = -1, 0
        self.look()
        self.first = self.guesses

    def look(self) -> None:
        """See the published rule."""
        self.guesses = values_of(self.rule, self.domain)
        self.wrong = self.table != self.guesses
        self.far = self.wrong.sum(axis=1)
        self.known: NDArray[np.int64] | None = None

    def kept(self) -> NDArray[np.int64]:
        """How many of the hypotheses left each mistake would keep."""
        if self.known is None:
            self.known = self.wrong[self.alive].sum(axis=0)
        return self.known

    def play(self, choose: Choice, most: int | None = None) -> int:
        """The mistakes up to the horizon, or ``most``."""
        stream = self.stream
        while stream.steps < self.horizon:
            j = choose(self)
            if j is None:
                stream.skip_to(stream.steps + PAUSE - stream.steps % PAUSE)
            else:
                y = not self.guesses[j]
                self.left, self.last = self.left[self.left[:, j] == y], j
                self.alive &= self.wrong[:, j]
                self.known = None
                self.made[j] += 1
                self.since[j] += 1
                stream.update(self.points[j], int(y))
                if most is not None and stream.steps >= most:
                    break
            if stream.hypothesis is not self.rule:
                self.rule = stream.hypothesis
                self.since[:] = 0
                self.look()
        return int(self.made.sum())


def greedy(game: Game) -> int | None:
    """The mistake that keeps the most hypotheses."""
    kept = game.kept()
    j = int(kept.argmax())
    return j if kept[j] else None


def minimax(game: Game) -> int | None:
    """Of the mistakes made least often, the one that keeps the most."""
    kept = game.kept()
    if not kept.any():
        return None
    fewest = game.made[kept > 0].min()
    return int(np.where((kept > 0) & (game.made == fewest), kept, 0).argmax())


def stubborn(game: Game) -> int | None:
    """The last mistake again, while it is one."""
    return game.last if game.last >= 0 and game.kept()[game.last] else greedy(game)


def far(game: Game) -> int | None:
    """A mistake of a target that is furthest from the first rule."""
    target = game.left[(game.left != game.first).sum(axis=1).argmax()]
    wrong = np.flatnonzero(target != game.guesses)
    return int(wrong[game.made[wrong].argmin()]) if len(wrong) else None


def patient(game: Game) -> int | None:
    """Nothing, until the stream is nearly over."""
    return minimax(game) if game.stream.steps >= 0.95 * game.horizon else None


def sleeper(game: Game) -> int | None:
    """Nothing, for a while after each change."""
    awake = game.stream.steps >= game.stream.published_at + game.horizon // 16
    return minimax(game) if awake else None


def slow(game: Game) -> int | None:
    """A mistake in every hundredth step."""
    return minimax(game) if game.stream.steps % 100 == 0 else None


def few(game: Game) -> int | None:
    """One of four mistakes, made least often since the rule changed."""
    return in_turn(game, game.kept(), FEW)


def in_turn(game: Game, kept: NDArray[Any], points: int) -> int | None:
    """One of so many mistakes with ``kept`` above 0, made least often since the rule changed."""
    if not kept.any():
        return None
    begun = (kept > 0) & (game.since > 0)
    if (game.since > 0).sum() < points and (new := (kept > 0) & (game.since == 0)).any():
        return int(np.where(new, kept, 0).argmax())
    if not begun.any():
        return int(kept.argmax())
    return int(np.where(begun, -game.since, -game.horizon).argmax())


def weighed(game: Game) -> NDArray[np.float64] | None:
    """The logarithms of the weights of all hypotheses, if the learner has weights."""
    weights = getattr(game.stream, "_weights", None)
    if weights is None:
        return None
    scores = weights.to_json()
    if not isinstance(scores[0], int):  # runs [end, score]
        ends, values = zip(*scores, strict=True)
        scores = np.repeat(values, np.diff(ends, prepend=0))
    return np.array(scores) / UNITS


def lightest_left(game: Game) -> tuple[Bits, NDArray[np.float64]] | None:
    """The mistakes of the lightest hypothesis left, and the weight that agrees with each."""
    able = np.flatnonzero(game.alive & (game.far > 0))
    if not len(able) or (scores := weighed(game)) is None:
        return None
    return game.wrong[able[scores[able].argmin()]], np.exp(scores - scores.max()) @ game.wrong


def lightest(game: Game) -> int | None:
    """Nothing for half of the horizon, then a mistake of the lightest hypothesis left."""
    if game.stream.steps < game.horizon // 2:
        return None
    if (found := lightest_left(game)) is None:
        return greedy(game)
    target, agreed = found
    if game.last >= 0 and target[game.last] and game.since[game.last]:
        return game.last
    return int(np.where(target, agreed, -1).argmax())


def below(game: Game) -> int | None:
    """Four mistakes of the hypothesis furthest from the rule; a wait shortly before it may change."""
    made = int(game.since.sum())
    if made == 3 * game.threshold // 4:
        game.until = game.until or game.stream.steps + game.horizon // 50
        if game.stream.steps < game.until:
            return None
    game.until = 0
    furthest = np.where(game.alive, game.far, -1).argmax()
    return in_turn(game, np.where(game.wrong[furthest], game.kept(), 0), FEW)


def corner(game: Game) -> int | None:
    """Five mistakes of the lightest hypothesis left, in every hundredth step."""
    if game.stream.steps % 100:
        return None
    found = lightest_left(game)
    kept = game.kept()
    return in_turn(game, kept if found is None else np.where(found[0], kept, 0), FEW + 1)


ADVERSARIES: list[Choice] = [
    greedy, minimax, stubborn, far, patient, sleeper, slow, few, lightest, below, corner,
]  # fmt: skip


def pairs(points: int) -> FiniteClass:
    """All sets of at most two points."""
    chosen = [c for d in range(3) for c in combinations(range(points), d)]
    return FiniteClass.from_array([[int(x in c) for x in range(points)] for c in chosen])


def classes() -> Iterator[tuple[str, Any]]:
    """The classes, with words for them."""
    for points in (40, 1000):
        table = np.random.default_rng(3).integers(0, 2, (100, points))
        yield f"a random table, 100 x {points:,}", FiniteClass.from_array(table)
    yield "1,024 thresholds", Thresholds.on(0, 1022)
    yield "sets of at most 2 of 40 points", pairs(40)
    yield "parities of 6 columns", parse_class("parities(a, b, c, d, e, f)")


def learners(H: Any) -> Iterator[PrivateOnlineLearner[Any]]:
    """Those with a proved bound against such adversaries."""
    kinds: list[Any] = [ConfirmedLearner, TalliedLearner]
    for kind in kinds:
        with suppress(DeclarationError):
            yield kind(H, Budget(1), horizon=T)


def measure(H: Any, learner: PrivateOnlineLearner[Any], runs: int) -> None:
    """All adversaries and sequences."""
    bound, table = learner.mistake_bound(0.05), H.table()
    assert bound is not None
    print(f"  {learner.method}: at most {bound.mistakes:,} proved with 95%", flush=True)
    worst, fails, began = 0.0, 0, perf_counter()
    for adversary in ADVERSARIES:
        found = [Game(learner, table, seeded_generator(s)).play(adversary) for s in range(runs)]
        fails += sum(count > bound.mistakes for count in found)
        worst = max(worst, sum(found) / runs)
        print(
            f"    {adversary.__name__}: mean {sum(found) / runs:.1f}, most {max(found)}",
            flush=True,
        )
    print(f"    adaptive, worst mean: {worst:.1f} ({perf_counter() - began:.0f} s)", flush=True)
    total = len(ADVERSARIES) * runs
    require(fails <= 0.05 * total + 3 * (0.05 * total) ** 0.5, "the bound fails too often")
    few, worst = max(1, runs // 5), 0.0
    for ordered in (True, False):
        found = []
        for seed in range(few):
            rng = seeded_generator(seed)
            h = H.hypothesis(rng.randrange(H.size))
            found.append(len(mistakes(learner, labelled(H, h, rng, ordered=ordered), rng)))
        worst = max(worst, sum(found) / few)
        kind = "one after another" if ordered else "at random"
        print(f"    {kind}: mean {sum(found) / few:.1f}, most {max(found)}", flush=True)
    print(f"    oblivious, worst mean: {worst:.1f}", flush=True)


def interval_game(
    learner: PrivateOnlineLearner[Any], rng: random.Random, length: int, in_turn: bool, wait: str
) -> int:
    """Mistakes at both ends of an interval that is chosen as late as possible.

    Until the rule is an interval, positive records are spread over ``length`` points in the middle.
    Then each mistake leaves as many ends as it can: at both ends in turn, or where more are left.
    """
    with Ledger() as ledger:
        stream = learner.start(ledger=ledger, dataset="d", rng=rng)
    domain: Any = learner.hypotheses.domain
    low, high = domain.low, domain.high
    core = (low + high - length) // 2
    left, made, since, shown_at = [[low, core], [core + length - 1, high]], 0, 0, 0
    while stream.steps < learner.horizon:
        since = since + 1 if stream.published_at == shown_at else 0
        shown_at = stream.published_at
        until = {"late": T // 2, "sleeper": stream.published_at + T // 64}
        pause = {"slow": 99, "few": T // 50 * (since == 6)}.get(wait, 0)
        stream.skip_to(max(stream.steps + pause, until.get(wait, 0)))
        rule: Any = stream.hypothesis
        ends = (
            [low] * rule.first + [*rule.changes] + [high + 1] * (rule.first ^ len(rule.changes) & 1)
        )
        if not ends:
            stream.update(core + made % 9 * (length - 1) // 8, 1)
        else:
            # The published first and last point, and whether the true one is above it.
            shown, wrong = (ends[0], ends[1] - 1), list[tuple[int, bool]]()
            for end, (m, (a, b)) in enumerate(zip(shown, left, strict=True)):
                if (a, b) != (m, m):
                    wrong.append((end, b - m >= m - a))
            if not wrong:
                break
            widest = max(wrong, key=lambda choice: left[choice[0]][1] - left[choice[0]][0])
            end, above = wrong[made % len(wrong)] if in_turn else widest
            m, bounds = shown[end], left[end]
            if above:
                bounds[0] = max(bounds[0], m + 1)
                stream.update(bounds[0] - 1 + end, end)
            else:
                bounds[1] = min(bounds[1], m - 1)
                stream.update(bounds[1] + end, 1 - end)
        made += 1
    return made


def measure_intervals(runs: int) -> None:
    """Intervals of a million points, whose ends are chosen as late as possible."""
    for learner in learners(Intervals.on(0, 2**20 - 1)):
        bound = learner.mistake_bound(0.05)
        proved = f"at most {bound.mistakes:,} proved with 95%" if bound else "nothing proved"
        print(f"intervals of 2^20 points, {learner.method}: {proved}", flush=True)
        for length, in_turn in product((1, 1000, 2**18), (False, True)):
            for wait in ("none", "late", "sleeper", "slow", "few"):
                found = [
                    interval_game(learner, seeded_generator(seed), length, in_turn, wait)
                    for seed in range(runs)
                ]
                where = "both ends in turn" if in_turn else "the wider end"
                words = f"{length:,} points, {where}, wait: {wait}"
                print(f"    {words}: mean {sum(found) / runs:.1f}, most {max(found)}", flush=True)


def rule_game(
    learner: RuleLearner, rng: random.Random, fixed: int, varied: int, most: int, wait: int
) -> int:
    """Mistakes of a rule that asks for "v" in its first ``fixed`` columns, against one adversary.

    Until there is a rule, its last ``varied`` columns take new values in each of the first ``most``
    records.  Then the adversary errs at the superfluous columns in turn.  It waits after each
    publication.
    """
    with Ledger() as ledger:
        stream = learner.start(ledger=ledger, dataset="d", rng=rng)
    columns, made = len(learner.hypotheses.domain.columns), 0
    while stream.steps < learner.horizon:
        if stream.steps < stream.published_at + wait:
            stream.skip_to(stream.published_at + wait)
        new = (f"{made}",)
        if stream.predict(("v",) * columns) == 0:
            free = varied if made < most else 0
            record = ("v",) * (columns - free) + new * free
        else:
            others = [("v",) * c + new + ("v",) * (columns - c - 1) for c in range(fixed, columns)]
            wrong = [x for x in others if stream.predict(x) == 0]
            if not wrong:  # a column of the true rule may be missing
                wrong = [x for x in [new + ("v",) * (columns - 1)] if fixed and stream.predict(x)]
            if not wrong:
                break
            record = wrong[made % len(wrong)]
        made += 1
        stream.update(record, int(all(v == "v" for v in record[:fixed])))
    return made


def measure_rules(runs: int) -> None:
    """Rules of at most 2 of 2 and of 4 open columns, which need a delta."""
    for columns in (2, 4):
        H = EqualityRules.over_columns(*"abcd"[:columns], max_literals=2)
        learner = RuleLearner(H, Budget(1, "1e-6"), horizon=T)
        bound = learner.mistake_bound(0.05)
        assert bound is not None
        print(f"{H}: at most {bound.mistakes:,} proved with 95%", flush=True)
        worst, fails, played = 0.0, 0, 0
        late = lead(learner.mechanism.terms(2**columns, shared=True), Fraction(80)) * columns
        for fixed, most, wait in product((0, 1, 2), (late, T), (0, 1000, T // 16)):
            for varied in range(columns - fixed + 1):
                found = [
                    rule_game(learner, seeded_generator(seed), fixed, varied, most, wait)
                    for seed in range(runs)
                ]
                worst = max(worst, sum(found) / runs)
                fails += sum(count > bound.mistakes for count in found)
                played += runs
                print(
                    f"    {fixed} of its columns, {varied} vary in {most:,} records, waits of "
                    f"{wait:,}: mean {sum(found) / runs:.1f}, most {max(found)}",
                    flush=True,
                )
        print(f"    adaptive, worst mean: {worst:.1f}; over the bound: {fails} of {played}")
        require(fails <= 0.05 * played + 3 * (0.05 * played) ** 0.5, "the bound fails too often")


def main(runs: int) -> None:
    """A block for each class."""
    for name, H in classes():
        print(name, flush=True)
        for learner in learners(H):
            measure(H, learner, runs)
    measure_intervals(runs)
    measure_rules(runs)


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 20)
