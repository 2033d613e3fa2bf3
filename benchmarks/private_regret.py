"""Private regret, on labels that no hypothesis fits: ``python -m benchmarks private_regret``.

Shown are mistakes above those of the best of 21 thresholds over 20 points, T = 20,000, epsilon 1,
delta 1e-6.  The private learners are ``hedge`` and ``blocks``, means of 5 runs; beside them is
`AgnosticExperts`, which is not private.
In the last stream the label turns at the end of each block of ``blocks``.

Asserted: ``hedge`` keeps its bound in the mean, and a run costs at most what was declared.
"""

from __future__ import annotations

import random
from collections.abc import Iterator
from itertools import accumulate

from rich.console import Console
from rich.table import Table

from benchmarks.harness import require
from littlestone.classes import Thresholds
from littlestone.learn.stream import BlockLearner, HedgeLearner
from littlestone.learn.stream.blockwise import BlockwiseLearner
from littlestone.privacy import Budget
from littlestone.privacy.ledger import Ledger
from littlestone.privacy.randomness import seeded_generator
from littlestone.theory.game import AgnosticExperts

ON_REQUEST = True
T, POINTS, RUNS = 20_000, 20, 5
BUDGET = Budget(1, "1e-6")

Records = list[tuple[int, int]]


def streams(blocks: BlockLearner) -> Iterator[tuple[str, Records]]:
    """The name and the records of each stream, which are fixed beforehand."""
    rng = random.Random(1)
    x = [rng.randrange(POINTS) for _ in range(T)]
    yield "20% wrong", [(x, int(x >= 8) ^ (rng.random() < 0.2)) for x in x]
    yield (
        "another rule after half",
        [(x, int(x >= (6 if t < T // 2 else 14))) for t, x in enumerate(x)],
    )
    yield "labels at random", [(x, rng.randrange(2)) for x in x]
    ends = accumulate(blocks.sizes())
    end, label, turning = next(ends), 1, Records()
    for t in range(T):
        if t == end:
            end, label = next(ends), 1 - label
        turning.append((10, label))
    yield "labels that turn", turning


def mistakes_of(learner: BlockwiseLearner, records: Records) -> float:
    """The mean number of mistakes of a few private runs."""
    require(learner.cost().within(BUDGET.cost), "a run costs more than was declared")
    total = 0
    for seed in range(RUNS):
        with Ledger() as ledger:
            stream = learner.start(ledger=ledger, dataset="d", rng=seeded_generator(seed))
            for x, y in records:
                total += stream.predict(x) != y
                stream.update(x, y)
    return total / RUNS


def show(console: Console) -> None:
    """A row for each stream."""
    H = Thresholds.on(0, POINTS - 1)
    hedge = HedgeLearner(H, BUDGET, horizon=T)
    blocks = BlockLearner(H, BUDGET, horizon=T)
    table = Table(box=None)
    for name in ("stream", "best", "not private", "hedge", "blocks"):
        table.add_column(name, justify="left" if name == "stream" else "right")
    for name, records in streams(blocks):
        best = min(sum((x >= t) != y for x, y in records) for t in range(POINTS + 1))
        experts = AgnosticExperts(H, horizon=T)
        for x, y in records:
            experts.update(x, y)
        ours = mistakes_of(hedge, records) - best
        require(ours <= hedge.regret_bound(), "the bound of hedge does not hold")
        others = (experts.expected_mistakes - best, ours, mistakes_of(blocks, records) - best)
        table.add_row(name, f"{best:,}", *(f"{regret:,.0f}" for regret in others))
    console.print(table)
    console.print(
        f"proved: {experts.regret_bound:,.0f} not private, {hedge.regret_bound():,.0f} for hedge, "
        f"which draws after each block of {hedge.block}",
        highlight=False,
    )
