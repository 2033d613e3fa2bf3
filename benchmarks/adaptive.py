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
  at which the weights agree most, again and again.

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
        self.points = list(self.domain)
        with Ledger() as ledger:
            self.stream = learner.start(ledger=ledger, dataset="d", rng=rng)
        self.left, self.made = table, np.zeros(len(self.points), dtype=int)
        self.table, self.since = table, self.made.copy()  # since the rule changed
        self.alive = np.ones(len(table), dtype=bool)
        self.rule = self.stream.hypothesis
        self.guesses = values_of(self.rule, self.domain)
        self.first, self.last = self.guesses, -1

    def kept(self) -> NDArray[np.int64]:
        """How many of the hypotheses left each mistake would keep."""
        found: NDArray[np.int64] = (self.left != self.guesses).sum(axis=0)
        return found

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
                self.alive &= self.table[:, j] == y
                self.made[j] += 1
                self.since[j] += 1
                stream.update(self.points[j], int(y))
                if most is not None and stream.steps >= most:
                    break
            if stream.hypothesis is not self.rule:
                self.rule = stream.hypothesis
                self.since[:] = 0
                self.guesses = values_of(self.rule, self.domain)
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
    kept = game.kept()
    if not kept.any():
        return None
    begun = (kept > 0) & (game.since > 0)
    if (game.since > 0).sum() < FEW and (new := (kept > 0) & (game.since == 0)).any():
        return int(np.where(new, kept, 0).argmax())
    if not begun.any():
        return greedy(game)
    return int(np.where(begun, -game.since, -game.horizon).argmax())


def lightest(game: Game) -> int | None:
    """Nothing for half of the horizon, then a mistake of the lightest hypothesis left."""
    if game.stream.steps < game.horizon // 2:
        return None
    weighed = getattr(game.stream, "_weights", None)
    if weighed is None:
        return greedy(game)
    wrong, scores = game.table != game.guesses, weighed._scores
    able = np.flatnonzero(game.alive & wrong.any(axis=1))
    if not len(able):
        return None
    target = wrong[able[scores[able].argmin()]]
    if game.last >= 0 and target[game.last] and game.since[game.last]:
        return game.last
    agreed = np.exp((scores - scores.max()) / 4096) @ wrong
    return int(np.where(target, agreed, -1).argmax())


ADVERSARIES: list[Choice] = [
    greedy, minimax, stubborn, far, patient, sleeper, slow, few, lightest,
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


def measure_intervals(runs: int) -> None:
    """Mistakes at both ends of an interval of a million points and in it, in turn, at once or late."""
    H = Intervals.on(0, 2**20 - 1)
    learner = ConfirmedLearner(H, Budget(1), horizon=T)
    bound = learner.mistake_bound(0.05)
    assert bound is not None
    print(f"intervals of 2^20 points: at most {bound.mistakes:,} proved with 95%", flush=True)
    for length, wait in ((1, 0), (1000, 0), (2**18, 0), (2**18, T // 2)):
        found = []
        for seed in range(runs):
            rng = seeded_generator(seed)
            first = rng.randrange(2**20 - length)
            last, made = first + length - 1, 0
            with Ledger() as ledger:
                stream = learner.start(ledger=ledger, dataset="d", rng=rng)
            stream.skip_to(wait)
            inside = [first + i * (length - 1) // 8 for i in range(9)]
            points = [first - 1, *inside, last + 1]
            while wrong := [x for x in points if stream.predict(x) != (first <= x <= last)]:
                x = wrong[made % len(wrong)]
                stream.update(x, int(first <= x <= last))
                made += 1
            found.append(made)
        words = f"length {length:,}, after {wait:,} steps"
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
