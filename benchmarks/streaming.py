"""Rounds and memory of private online learning: ``python -m benchmarks streaming``.

It takes three minutes: a million rounds of ``subsets(id; at most 3)`` and of
``rules(a, b, c, d; at most 2)``, with and without privacy.  Asserted: the last rule is the true one,
after no more mistakes than are proved, or than 2,000.

``python -m benchmarks.streaming [ROUNDS]`` measures memory over ten million rounds, in the library
and through ``littlestone stream -``, which reads a pipe and keeps a state file; some minutes.
Asserted: the last nine tenths of the rounds take less than 16 MiB more than the first.
"""

from __future__ import annotations

import json
import random
import resource
import sys
import tempfile
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from itertools import islice
from pathlib import Path
from subprocess import PIPE, Popen
from typing import Any

from benchmarks.harness import Case, Contender, require
from littlestone.classes import EqualityRules, HypothesisClass, Subsets
from littlestone.learn.stream import choose_online_learner
from littlestone.points import Strings
from littlestone.privacy import Budget
from littlestone.privacy.ledger import Ledger
from littlestone.rules import FiniteSet, Hypothesis, RuleUnion
from littlestone.theory.game import OnlineLearner, StandardOptimalAlgorithm

ON_REQUEST = True
ROUNDS = 1_000_000
MEASURED = 2000  # mistakes that are never reached where none are proved
IDS = [f"d{i}" for i in range(3)]
SETS = Subsets(Strings("id"), 3)
RULES = EqualityRules.over_columns("a", "b", "c", "d", max_literals=2)
Records = Callable[[int], Iterator[tuple[Any, int]]]
Ended = tuple[OnlineLearner[Any], int]


def of_sets(rounds: int) -> Iterator[tuple[str, int]]:
    """Every tenth record is positive, of one of three ids; the others are of a million ids."""
    rng = random.Random(0)
    for _ in range(rounds):
        if rng.random() < 0.1:
            yield IDS[int(3 * rng.random())], 1
        else:
            yield f"x{int(10**6 * rng.random())}", 0


def of_rules(rounds: int) -> Iterator[tuple[tuple[str, ...], int]]:
    """Columns of 3, 20, 1,000 and 24 values; positive where the first is 1 and the last is 7."""
    rng = random.Random(0)
    for _ in range(rounds):
        x = tuple(str(int(size * rng.random())) for size in (3, 20, 1000, 24))
        yield x, int(x[0] == "1" and x[3] == "7")


TASKS: list[tuple[HypothesisClass[Any], Records, Hypothesis[Any]]] = [
    (SETS, of_sets, FiniteSet(SETS.domain, frozenset(IDS))),
    (RULES, of_rules, RuleUnion(RULES.domain, frozenset({("1", None, None, "7")}))),
]


def played(learner: OnlineLearner[Any], records: Iterable[tuple[Any, int]]) -> Ended:
    """The learner after all records, and how often it erred."""
    mistakes = 0
    for x, y in records:
        mistakes += learner.predict(x) != y
        learner.update(x, y)
    return learner, mistakes


def started(H: HypothesisClass[Any], horizon: int) -> OnlineLearner[Any]:
    """A private run with the system's generator."""
    learner = choose_online_learner(H, Budget(1, "1e-6"), horizon=horizon)
    return learner.start(ledger=Ledger(), dataset="d")


def private(H: HypothesisClass[Any], records: Records) -> Ended:
    """A private run of all rounds."""
    return played(started(H, ROUNDS), records(ROUNDS))


def not_private(H: HypothesisClass[Any], records: Records) -> Ended:
    """The standard optimal algorithm over all rounds."""
    return played(StandardOptimalAlgorithm(H), records(ROUNDS))


def check(ended: Ended, most: float, truth: Hypothesis[Any] | None = None) -> None:
    """No more mistakes than ``most``, and the true rule at the end, where there is to be one."""
    learner, mistakes = ended
    require(mistakes <= most, f"{mistakes} mistakes, more than {most}")
    require(truth is None or learner.hypothesis == truth, "the last rule is another")


def cases() -> Iterator[Case]:
    """The private learner beside the one without privacy."""
    for H, records, truth in TASKS:
        learner = choose_online_learner(H, Budget(1, "1e-6"), horizon=ROUNDS)
        bound = learner.mistake_bound(1e-6)
        most = MEASURED if bound is None else bound.mistakes
        ours = partial(private, H, records)
        soa = partial(not_private, H, records)
        d = H.littlestone_dimension()
        yield Case(
            f"{H}, a million rounds",
            Contender(f"private, {learner.method}", ours, partial(check, most=most, truth=truth)),
            [Contender("not private, the optimal algorithm", soa, partial(check, most=d))],
            repeats=1,
            notes=["The time of making the records is in all rows."],
        )


def used() -> float:
    """The most memory that this process ever had, in MiB."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def in_the_library(rounds: int) -> None:
    """Print the memory of a run after a tenth of the rounds, and after all."""
    for H, records, truth in TASKS:
        stream, made = started(H, rounds), records(rounds)
        _, early = played(stream, islice(made, rounds // 10))
        before = used()
        _, late = played(stream, made)
        grown = used() - before
        require(stream.hypothesis == truth, "the last rule is another")
        require(grown < 16, f"memory grew by {grown:.1f} MiB")
        print(f"{H}: {rounds:,} rounds, {early + late} mistakes, {before:.1f} MiB after a tenth, "
              f"{grown:.1f} MiB more at the end", flush=True)  # fmt: skip


def through_a_pipe(rounds: int) -> None:
    """Print the memory of the command line, and the size of its state file."""
    with tempfile.TemporaryDirectory() as folder:
        state = Path(folder) / "state"
        command = [sys.executable, "-m", "littlestone", "stream", "-", "--dataset", "doors"]
        command += ["--class", "subsets(id; at most 3)", "--target", "bad", "--positive", "1"]
        command += ["--horizon", str(rounds), "--epsilon", "1", "--delta", "1e-6"]
        command += ["--ledger", f"{folder}/ledger", "--state", str(state)]
        with Popen(command, stdin=PIPE, stdout=PIPE, text=True) as live:
            require(live.stdin and live.stdout, "there is no pipe")
            assert live.stdin is not None and live.stdout is not None  # noqa: PT018
            live.stdin.write("id,bad\n")
            memory = []
            for t, (x, y) in enumerate(of_sets(rounds), 1):
                live.stdin.write(f"{x},{y}\n")
                if t % (rounds // 10) == 0:
                    live.stdin.flush()
                    status = Path(f"/proc/{live.pid}/status").read_text(encoding="utf-8")
                    memory.append(int(status.partition("VmHWM:")[2].split()[0]) / 1024)
            live.stdin.close()
            *_, last = map(json.loads, live.stdout)
        require(live.returncode == 0, "the command failed")
        require(last["hypothesis"]["members"] == IDS, "the last rule is another")
        require(memory[-1] - memory[0] < 16, f"memory grew: {memory}")
        print(f"littlestone stream -: {rounds:,} rounds, {memory[0]:.1f} MiB after a tenth, "
              f"{memory[-1] - memory[0]:.1f} MiB more at the end; the state file has "
              f"{state.stat().st_size / 1024:.0f} KiB")  # fmt: skip


if __name__ == "__main__":
    numbers = [int(word) for word in sys.argv[1:] if word.isdigit()]
    for measured in (in_the_library, through_a_pipe):
        measured(numbers[0] if numbers else 10 * ROUNDS)
