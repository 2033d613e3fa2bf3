"""The exact solver by one thread, beside a plain search in C++ and a recursion on bit masks.

The recursion runs in a process of its own, and is stopped after some seconds.
"""

from __future__ import annotations

import multiprocessing
from collections.abc import Callable, Iterator, Mapping
from functools import partial

from benchmarks.families import FAMILIES, NEWER, Family
from benchmarks.harness import Case, Contender, GaveUpError, cpu_seconds, require
from benchmarks.named_tables import Table
from benchmarks.plain import plain_dimension
from littlestone.dimension import littlestone_dimension
from littlestone.dimension.search.splits import LittlestoneSolver
from littlestone.dimension.tables import PackedTable

PATIENCE = 10.0  # seconds for the recursion


def cases() -> Iterator[Case]:
    """Every family but the hardest two."""
    return families(FAMILIES | NEWER)


def families(found: Mapping[str, Family], *, recursion: bool = True) -> Iterator[Case]:
    """The cases of some families."""
    for name, family in found.items():
        table = family.table()
        plain = Contender(
            "plain search in C++", partial(plain_dimension, table), expect(family.dimension)
        )
        masks = Contender("recursion on masks", recursive(table), expect(family.dimension))
        ours = partial(littlestone_dimension, table, jobs=1)
        yield Case(
            f"{name}: {len(table)} x {table.shape[1]}, LDim {family.dimension}",
            Contender("littlestone, one thread", ours, expect(family.dimension)),
            [plain, *([masks] if recursion and len(table) <= 20_000 else [])],
            repeats=5 if recursion else 1,
            clock=cpu_seconds,
            notes=["CPU seconds."],
        )


def expect(dimension: int) -> Callable[[object], None]:
    """The answer must be the known dimension."""
    return lambda answer: require(answer == dimension, f"{answer} is not {dimension}")


def recursive(table: Table) -> Callable[[], int]:
    """The plain recursion, in a process that can be stopped."""
    packed = PackedTable.pack(table)

    def run() -> int:
        with multiprocessing.get_context("fork").Pool(1) as pool:
            answer = pool.apply_async(_dimension, (packed.masks, packed.size))
            try:
                return answer.get(PATIENCE)
            except multiprocessing.TimeoutError:
                raise GaveUpError(PATIENCE) from None

    return run


def _dimension(masks: tuple[int, ...], size: int) -> int:
    return LittlestoneSolver(masks).dimension((1 << size) - 1)
