"""The search of the core beside a plain one, on tables of every shape that has it go another way."""

from __future__ import annotations

import shutil
import subprocess
import sys
from collections.abc import Iterator
from mmap import PAGESIZE
from pathlib import Path

import numpy as np
import pytest
from benchmarks.named_tables import table
from benchmarks.plain import plain_dimension
from numpy.typing import NDArray

from littlestone import core
from littlestone.dimension import is_shattered_by, littlestone_bounds

pytestmark = pytest.mark.skipif(shutil.which("g++") is None, reason="no g++ here")

Table = NDArray[np.uint8]


def random_tables(
    seed: int, count: int, rows: tuple[int, int], columns: tuple[int, int]
) -> Iterator[Table]:
    rng = np.random.default_rng([64, seed])
    for _ in range(count):
        shape = int(rng.integers(*rows)), int(rng.integers(*columns))
        yield (rng.random(shape) < rng.choice([0.05, 0.1, 0.2, 0.35, 0.5, 0.8])).astype(np.uint8)


def low_rank(seed: int, count: int) -> Iterator[Table]:
    """Sums of few columns modulo 2: many rows and columns have many twins nearby."""
    for left in random_tables(seed, count, (20, 300), (3, 7)):
        right = np.random.default_rng(seed).integers(0, 2, (left.shape[1], 90), np.uint8)
        yield (left @ right % 2).astype(np.uint8)


def agree(tables: Iterator[Table]) -> None:
    for found in tables:
        bounds = littlestone_bounds(found, jobs=1, memory_limit=1 << 26)
        assert bounds.lower == bounds.upper == plain_dimension(found), found.shape
        assert is_shattered_by(found, bounds.tree)


@pytest.mark.parametrize(
    ("count", "rows", "columns"),
    [
        (600, (1, 40), (1, 12)),
        (200, (20, 120), (8, 33)),
        (100, (30, 200), (33, 70)),  # from 33 usable columns on, pairs are counted by rows
        pytest.param(1500, (20, 120), (8, 33), marks=pytest.mark.deep),
        pytest.param(1000, (30, 200), (33, 70), marks=pytest.mark.deep),
        (100, (100, 700), (100, 140)),  # rows of two words, and of four
        (30, (200, 500), (250, 300)),  # rows of eight words
    ],
)
def test_random_tables(count: int, rows: tuple[int, int], columns: tuple[int, int]) -> None:
    agree(random_tables(count, count, rows, columns))


def test_tables_of_low_rank() -> None:
    agree(low_rank(5, 30))


NAMED = [
    ("thresholds", 200),
    ("balls", 7, 2),
    ("all_balls", 6),
    ("orders", 6),
    ("juntas", 5, 2),
    ("juntas", 6, 3),  # rows are made after the first candidate
    ("decision_lists", 4),
    ("threshold_functions", 4),
    ("half_planes", 7),
    ("kneser", 8, 3),
    ("paley", 101),
    ("reed_muller", 1, 5),
    ("intervals", 12, 3),
    ("boxes", 8, 2),
]


def test_named_tables() -> None:
    agree(table(str(name), *map(int, numbers)) for name, *numbers in NAMED)


FREED = """
import ctypes, sys
import numpy as np
from littlestone import core
from littlestone.dimension.tables import PackedTable

class Info(ctypes.Structure):
    _fields_ = [(name, ctypes.c_size_t) for name in "abcdefg"] + [("used", ctypes.c_size_t)] + [
        (name, ctypes.c_size_t) for name in "ij"]

info = getattr(ctypes.CDLL(None), "mallinfo2", None)
if info is None:
    sys.exit("no mallinfo2 here")
info.restype = Info
np.ones(31 << 20, np.uint8)  # from now on, smaller pieces are cut from one heap
pieces = [np.ones(24 << 20, np.uint8) for _ in range(30)]
kept = np.ones(1 << 20, np.uint8)
del pieces
before = info().used
solver = core.Solver(4, 2, 1 << 28)
assert info().used - before < 1 << 24
"""


@pytest.mark.skipif(sys.platform != "linux", reason="what was freed is counted by glibc")
def test_memory_that_was_freed_is_not_filled_with_zeros_for_a_small_table() -> None:
    done = subprocess.run(
        [sys.executable, "-c", FREED], capture_output=True, text=True, check=False
    )
    if "no mallinfo2" in done.stderr:
        pytest.skip("glibc has no mallinfo2")
    assert done.returncode == 0, done.stderr


@pytest.mark.skipif(sys.platform != "linux", reason="a process reads its size from /proc")
def test_a_search_gives_its_memory_back() -> None:
    def megabytes() -> float:
        pages = int(Path("/proc/self/statm").read_text().split()[0])
        return pages * PAGESIZE / 1e6

    core.Solver(2000, 200, 1 << 20)
    before = megabytes()
    for _ in range(50):
        core.Solver(2000, 200, 1 << 20)
    assert megabytes() - before < 20
