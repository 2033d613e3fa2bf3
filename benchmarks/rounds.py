"""Rounds a CPU second of online learners: ``python -m benchmarks rounds``.

Each learner takes the same records twice, in batches of 10,000 and one by one.  Asserted: both runs
publish the same rules at the same steps, because for one seed they draw the same.  A minute.
"""

from __future__ import annotations

import random
import time
from collections.abc import Iterator
from typing import Any

from rich.console import Console
from rich.table import Table

from benchmarks.harness import require
from benchmarks.streaming import RULES, SETS, of_rules, of_sets
from littlestone.classes import Thresholds, parse_class
from littlestone.learn.stream import (
    BlockLearner,
    ConfirmedLearner,
    KeyLearner,
    PrivateOnlineLearner,
    RuleLearner,
    TalliedLearner,
)
from littlestone.privacy import Budget
from littlestone.privacy.ledger import Ledger
from littlestone.privacy.randomness import seeded_generator

ON_REQUEST = True
ROUNDS = 300_000
BATCH = 10_000
WRONG = 0.05

Rows = list[tuple[Any, int]]


def cuts(wrong: float) -> Rows:
    """Records of a threshold, a share of them with the wrong label."""
    rng = random.Random(0)
    points = [rng.randrange(1023) for _ in range(ROUNDS)]
    return [(x, int(x >= 300) ^ (rng.random() < wrong)) for x in points]


def parities() -> Rows:
    """Records of the parity of two of six columns."""
    rng = random.Random(0)
    points = [tuple(rng.getrandbits(1) for _ in range(6)) for _ in range(ROUNDS)]
    return [(x, x[0] ^ x[3]) for x in points]


def tasks() -> Iterator[tuple[str, PrivateOnlineLearner[Any], Rows]]:
    """A name, a learner and its records."""
    budget, cut, horizon = Budget(1, "1e-6"), Thresholds.on(0, 1022), ROUNDS
    yield "keys", KeyLearner(SETS, budget, horizon=horizon), list(of_sets(ROUNDS))
    yield "rules", RuleLearner(RULES, budget, horizon=horizon), list(of_rules(ROUNDS))
    yield "confirmed", ConfirmedLearner(cut, Budget(1), horizon=horizon), cuts(0)
    noisy = f"confirmed, {WRONG:.0%} wrong"
    yield noisy, ConfirmedLearner(cut, Budget(1), horizon=horizon), cuts(WRONG)
    parity = parse_class("parities(a, b, c, d, e, f)")
    yield "tallied", TalliedLearner(parity, Budget(1), horizon=horizon), parities()
    yield f"blocks, {WRONG:.0%} wrong", BlockLearner(cut, Budget(1), horizon=horizon), cuts(WRONG)


def run(learner: PrivateOnlineLearner[Any], rows: Rows, size: int) -> tuple[float, list[Any]]:
    """The rounds a CPU second, and all that is published; one by one for a batch of one."""
    with Ledger() as ledger:
        stream = learner.start(ledger=ledger, dataset="d", rng=seeded_generator(5))
    begun = time.process_time()
    if size == 1:
        for x, y in rows:
            stream.update(x, y)
    else:
        for start in range(0, len(rows), size):
            stream.take(rows[start : start + size])
    spent = time.process_time() - begun
    return len(rows) / spent, [(step, h.words()) for step, h in stream.publications]


def show(console: Console) -> None:
    """A row for each learner."""
    table = Table(box=None)
    for name in ("learner", "in batches", "one by one", "ratio"):
        table.add_column(name, justify="left" if name == "learner" else "right")
    for name, learner, rows in tasks():
        (fast, rules), (slow, others) = (run(learner, rows, size) for size in (BATCH, 1))
        require(rules == others, f"{name}: batches publish something else")
        table.add_row(name, f"{fast:,.0f}", f"{slow:,.0f}", f"{fast / slow:.1f}")
    console.print(table)
