"""What the compiled core offers; its sources, in ``core/``, say what each function computes."""

from enum import Enum

import numpy as np
from numpy.typing import NDArray

_Words = NDArray[np.uint64]
_Shorts = NDArray[np.uint16]
_Ints = NDArray[np.int32]
_Longs = NDArray[np.int64]

def runs_v3() -> bool: ...

# Counters: each adds to ``found`` (counters.hpp).
def count_cells(
    codes: _Shorts,
    labels: _Ints,
    counts: _Longs,
    subsets: _Longs,
    strides: _Ints,
    starts: _Longs,
    found: _Longs,
) -> None: ...
def count_boxes(weights: _Ints, sizes: _Longs, base: int, found: _Longs) -> None: ...
def count_flats(
    first: int,
    last: int,
    base: int,
    found: _Longs,
    product: _Shorts,
    minus: _Shorts,
    points: _Shorts,
    weights: _Longs,
    infinity: _Shorts,
    infinite_weights: _Longs,
    pivots: _Longs,
    free: _Longs,
) -> None: ...
def weigh_cosets(
    number: int,
    sums: _Longs,
    product: _Shorts,
    minus: _Shorts,
    points: _Shorts,
    weights: _Longs,
    infinity: _Shorts,
    infinite_weights: _Longs,
    pivots: _Longs,
    free: _Longs,
) -> None: ...
def count_juntas(weights: _Longs, functions: _Longs, low: int, found: _Longs) -> None: ...
def count_lists(columns: int, counts: _Longs, starts: _Longs, found: _Longs) -> None: ...

# Half-graphs (half_graphs.hpp).
class HalfGraphSearch:
    def __init__(self, rows: _Words, columns: _Words, length: int) -> None: ...
    def go_on(self, budget: int) -> int: ...
    def pairs(self) -> list[tuple[int, int]]: ...

# The search (solver.hpp).
class Searcher(Enum):
    first = 0
    second = 1
    both = 2

class Solver:
    def __init__(self, rows: int, points: int, table_bytes: int) -> None: ...
    def load(self, rows: _Words) -> None: ...
    def ask(self, k: int, nodes: int, work: int, searcher: Searcher) -> int: ...
    def help_after(self, seconds: float) -> None: ...
    def use_orbits(self, orbits: _Ints) -> None: ...
    def stop(self) -> None: ...
    def resume(self) -> None: ...
    @property
    def nodes(self) -> int: ...
    @property
    def work(self) -> int: ...
    @property
    def symmetric(self) -> bool: ...
    def plant(self, k: int, points: _Longs) -> bool: ...

def descend(rows: _Words, points: _Longs, index: _Longs, ends: _Longs) -> None: ...

# Symmetries (symmetry.hpp).
def sum_rows(rows: _Words, sums: _Words, found: _Words) -> None: ...
def sum_values(rows: _Words, weights: _Words, found: _Words) -> None: ...
def takes_rows(rows: _Words, image: _Longs, match: _Longs) -> bool: ...
