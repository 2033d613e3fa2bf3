"""The compiled exact solver, beside memoised recursion on bit masks: one engine, with and without.

The recursion is the solver of small tables; it runs in a process of its own, and is stopped after
some seconds.
"""

from __future__ import annotations

import multiprocessing
from collections.abc import Callable, Iterator, Mapping
from functools import partial

from benchmarks.families import FAMILIES, Family
from benchmarks.harness import Case, Contender, GaveUpError, require
from littlestone.dimension import littlestone_bounds, littlestone_dimension
from littlestone.dimension.littlestone import LittlestoneSolver
from littlestone.dimension.table import PackedTable
from littlestone.families import Table

PATIENCE = 10.0  # seconds for the recursion


def cases() -> Iterator[Case]:
    """Every family but the hardest two."""
    return families(FAMILIES)


def families(found: Mapping[str, Family], *, recursion: bool = True) -> Iterator[Case]:
    """The cases of some families; kernels are compiled before the first one."""
    littlestone_bounds(FAMILIES["random .5"].table())
    for name, family in found.items():
        table = family.table()
        alternative = Contender("recursion on masks", recursive(table), expect(family.dimension))
        known = f"{family.cpp_seconds} s" if family.cpp_seconds else "no answer in 60 s"
        yield Case(
            f"{name}: {len(table)} x {table.shape[1]}, LDim {family.dimension}; C++: {known}",
            Contender(
                "littlestone", partial(littlestone_dimension, table), expect(family.dimension)
            ),
            [alternative] if recursion and len(table) <= 20_000 else [],
            repeats=3 if recursion else 1,
            notes=["C++: a program for the same task, timed once on another machine."],
        )


def expect(dimension: int) -> Callable[[object], None]:
    """The answer must be the known dimension."""
    return lambda answer: require(answer == dimension, f"{answer} is not {dimension}")


def recursive(table: Table) -> Callable[[], int]:
    """The plain recursion, in a process that can be stopped."""
    packed = PackedTable.read(table)

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
