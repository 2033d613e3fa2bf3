"""Calibrated sample sizes for score sheets: simulated, not proved.

``python -m benchmarks.calibration_of_sheets [RUNS] [EPSILON ...]`` finds the least n at which at most
5% of the runs err by more than alpha = 0.1, for score sheets of up to `COLUMNS` columns of up to
`CELLS` cells, at delta 1e-6.  It writes their rows of ``src/littlestone/learn/plan/calibrated.json``.

Records are uniform on the cells of all columns, and some sheet labels all of them.  A run fits the
sheet by the learner's own code, and counts its errors on fresh records.  The least n is one of a grid
of ratio 1.15 from which three sizes in a row are enough.  One core takes some minutes for an epsilon.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from functools import cache
from math import ceil
from typing import Any

import numpy as np
from numpy.typing import NDArray

from benchmarks.calibration import ALPHA, BETA, DELTA, FILE, write_sizes
from littlestone.classes import parse_class
from littlestone.classes.counting.blocks import CellCodes
from littlestone.learn.plan.simulated_sizes import CELLS, COLUMNS
from littlestone.learn.score_sheet import ScoreSheetLearner, SheetFit
from littlestone.privacy import Budget
from littlestone.privacy.ledger import Ledger
from littlestone.privacy.randomness import seeded_generator

FRESH = 20_000
"""The records on which the errors of a sheet are counted."""

Points = NDArray[np.int64]


def ramp(columns: int) -> Points:
    """Points that rise along each of the first columns."""
    found = np.zeros((COLUMNS, CELLS), np.int64)
    found[:columns] = np.arange(CELLS) - CELLS // 2
    return found


def scattered(columns: int) -> Points:
    """Points up or down, cell by cell, in each of the first columns."""
    found = np.zeros((COLUMNS, CELLS), np.int64)
    found[:columns] = np.random.default_rng(columns).permuted(
        np.tile([1, -1], (columns, CELLS // 2)), axis=1
    )
    return found


PROFILES: dict[str, tuple[Points, float]] = {
    "two columns that rise": (ramp(2), 0.5),
    "eight columns that rise": (ramp(8), 0.5),
    "eight columns, cell by cell": (scattered(8), 0.5),
}
"""The points of a sheet, and the share of its records that have label 0."""


def labelled(
    points: Points, share: float, n: int, rng: np.random.Generator
) -> tuple[NDArray[np.uint16], NDArray[np.int64]]:
    """The cells and labels of n records."""
    many = rng.integers(0, CELLS, (COLUMNS, FRESH))
    threshold = np.quantile(np.take_along_axis(points, many, 1).sum(axis=0), share)
    codes = rng.integers(0, CELLS, (COLUMNS, n))
    labels = (np.take_along_axis(points, codes, 1).sum(axis=0) > threshold).astype(np.int64)
    return codes.astype(np.uint16), labels


def fails(learner: Any, points: Points, share: float, n: int, seed: int) -> bool:
    """Whether a sheet that is fitted to n records errs on more than alpha of fresh ones."""
    # One sheet labels both; its threshold is that of the same records.
    codes, labels = labelled(points, share, n + FRESH, np.random.default_rng([n, seed]))
    counts = np.stack([1 - labels, labels], axis=1)[:n]
    H = learner.hypotheses
    data = CellCodes(np.ascontiguousarray(codes[:, :n]), counts, tuple(H.sizes))
    fit = SheetFit(H, learner.event, n)
    with Ledger() as ledger:
        rng = seeded_generator(seed)
        receipt = ledger.spend(learner.event, dataset="made up", what="a sheet", rng=rng)
        released = learner.event.draw(
            lambda known: fit.question(known).answer(data, learner.sums, len(known)),
            receipt=receipt,
        )
    sheet = fit.make_rule(released)
    totals = np.zeros(FRESH, np.int64)
    for j, own in zip(sheet.chosen, sheet.points, strict=True):
        totals += np.array(own)[codes[j, n:]]
    return float(((totals >= sheet.least) != labels[n:]).mean()) > ALPHA


def least_n(failing: Callable[[int, int], bool], runs: int, first: int) -> int:
    """The least n of the grid from which three sizes in a row fail seldom enough."""

    @cache
    def enough(n: int) -> bool:
        failed = 0
        for seed in range(runs):
            failed += failing(n, seed)
            if failed > BETA * runs:
                return False
        return True

    good, i = 0, 0
    while True:
        good = good + 1 if enough(ceil(first * 1.15**i)) else 0
        if good == 3:
            return ceil(first * 1.15 ** (i - 2))
        i += 1 if good or enough(ceil(first * 1.15 ** (i + 4))) else 4


def row(epsilon: float, runs: int) -> dict[str, Any]:
    """The row of calibrated.json for an epsilon."""
    columns = ", ".join(f"c{j}: 0..{CELLS - 2}" for j in range(COLUMNS))
    H: Any = parse_class(f"score_sheet({columns}; at most {COLUMNS})")
    learner: Any = ScoreSheetLearner(H, Budget(f"{epsilon:g}", DELTA))
    n = dict[str, int]()
    for name, (points, share) in PROFILES.items():
        n[name] = least_n(
            lambda size, seed, p=points, s=share: fails(learner, p, s, size, seed),  # type: ignore[misc]
            runs,
            ceil(100 / epsilon),
        )
        print(epsilon, name, n[name], flush=True)
    about = {"method": "score_sheet", "k": COLUMNS, "epsilon": f"{epsilon:g}", "runs": runs}
    return {**about, "command": "python -m benchmarks.calibration_of_sheets", "n": n}


def main(runs: int, epsilons: list[float]) -> None:
    """Simulate, and write the rows of these epsilons behind all others."""
    own = [row(epsilon, runs) for epsilon in epsilons]
    table = json.loads(FILE.read_text(encoding="utf-8"))
    new = {(found["method"], found["epsilon"]) for found in own}
    kept = [found for found in table["sizes"] if (found["method"], found["epsilon"]) not in new]
    head = {name: value for name, value in table.items() if name != "sizes"}
    write_sizes(head, kept + own)


if __name__ == "__main__":
    words = sys.argv[1:]
    main(int(words[0]) if words else 40, [float(word) for word in words[1:]] or [1.0, 3.0])
