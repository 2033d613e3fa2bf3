"""Scoring every rule or tree over a mixed table of a million records, beside numpy and polars."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from benchmarks.harness import Case, Contender, require
from littlestone.classes import ErrorRuns, ErrorSums, parse_class
from littlestone.classes.conditions import Conditions
from littlestone.sample import Records, Sample

RECORDS, CELLS = 1_000_000, 21
Errors = NDArray[np.int64]


def cases() -> Iterator[Case]:
    """Pairs of conditions and trees of depth 2 on 30 columns; three conditions on 10 columns."""
    H, sample = rules(30, 2), table(30)
    best = int(H.error_runs(sample).errors.min())

    def check(scores: ErrorRuns) -> None:
        require(scores.errors.min() == best, f"{scores.errors.min()} errors")

    yield Case(
        f"30 columns of 20 cuts, {RECORDS:,} records: {H.size:,} rules of at most 2 conditions",
        Contender("littlestone: all scores", lambda: H.error_runs(sample), check),
        [
            Contender("numpy: counts of all 435 pairs of columns", lambda: by_numpy(sample), cells),
            Contender("polars: group_by of each pair", by_polars(sample), cells),
        ],
        repeats=3,
    )
    trees: Any = parse_class(f"trees({columns(30)}; depth 2)")

    def check_tree(scores: ErrorSums) -> None:
        g, i, j = scores.best
        errors = scores.groups[g][0][i] + scores.groups[g][1][j]
        require(errors <= best, f"{errors} errors")  # a tree can say every rule of two conditions

    yield Case(
        f"30 columns of 20 cuts, {RECORDS:,} records: {trees.forms:,} trees of depth 2",
        Contender("littlestone: all scores", lambda: trees.scores(sample), check_tree),
        repeats=3,
    )
    three, narrow = rules(10, 3), table(10)

    def check_three(scores: ErrorRuns) -> None:
        h = three.hypothesis(scores.best)
        found = sum(int(c[1 - h(x)]) for x, c in zip(narrow.points, narrow.counts, strict=True))
        require(scores.errors.min() == found, f"{found} errors of {h.words()}")

    yield Case(
        f"10 columns of 20 cuts, {RECORDS:,} records: {three.size:,} rules of at most 3 conditions",
        Contender("littlestone: all scores", lambda: three.error_runs(narrow), check_three),
        repeats=3,
    )


def columns(count: int) -> str:
    """The declarations of so many columns."""
    return ", ".join(f"c{j}: 0..{CELLS - 1} step 1" for j in range(count))


def rules(count: int, most: int) -> Conditions:
    """The rules of at most ``most`` conditions on so many columns."""
    H = parse_class(f"conditions({columns(count)}; at most {most})")
    require(isinstance(H, Conditions), "the class is another")
    return H  # type: ignore[return-value]


def table(count: int) -> Sample[Any]:
    """Random records whose label is a noisy rule of two conditions."""
    rng = np.random.default_rng(0)
    codes = [rng.integers(1, CELLS + 1, RECORDS) for _ in range(count)]
    label = ((codes[0] > 10) & (codes[1] > 15)) ^ (rng.random(RECORDS) < 0.1)
    domain: Any = rules(count, 1).domain
    values = [list(column.points) for column in domain.columns]
    counts = np.stack([~label, label], axis=1).astype(np.int64)
    return Sample(domain, Records(list(zip(values, codes, strict=True))), counts)


def cells(found: int) -> None:
    """Check the number of records that all pairs of columns have counted."""
    require(found == 435 * RECORDS, f"{found:,} records counted")


def by_numpy(sample: Sample[Any]) -> int:
    """The counts of each pair of columns, cell and label, by `numpy.bincount`."""
    codes = [sample.column(j)[1] for j in range(30)]
    label, total = sample.counts[:, 1], 0
    for i, j in combinations(range(30), 2):
        key = (codes[i] * (CELLS + 1) + codes[j]) * 2 + label
        total += int(np.bincount(key, minlength=2 * (CELLS + 1) ** 2).sum())
    return total


def by_polars(sample: Sample[Any]) -> Any:
    """The same by one `group_by` for each pair of columns."""
    codes = {f"c{j}": sample.column(j)[1].astype(np.uint8) for j in range(30)}
    frame = pl.DataFrame({**codes, "y": sample.counts[:, 1].astype(np.uint8)})

    def run() -> int:
        pairs = combinations([f"c{j}" for j in range(30)], 2)
        return sum(int(frame.group_by([*pair, "y"]).len()["len"].sum()) for pair in pairs)

    return run
