"""``python core_of_its_own.py CORE``: whether the search in another build of the core answers rightly.

Random tables and symmetric ones, small enough for plain recursion.  It ends with status 1 at the first
wrong answer.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from importlib.util import module_from_spec, spec_from_file_location

import numpy as np

import littlestone


def use(path: str) -> None:
    """Have the package run on that build of the core."""
    spec = spec_from_file_location("_core", path)
    assert spec is not None
    assert spec.loader is not None
    core = module_from_spec(spec)
    spec.loader.exec_module(core)
    sys.modules["littlestone.core"] = core
    littlestone.core = core  # type: ignore[attr-defined]


def tables() -> Iterator[np.ndarray]:
    """Some that pairs of columns are counted on, some that rows are, some with a symmetry."""
    rng = np.random.default_rng(0)
    for _ in range(300):
        shape = int(rng.integers(1, 60)), int(rng.integers(1, 9))
        yield rng.random(shape) < rng.choice([0.1, 0.2, 0.35, 0.5])
    for _ in range(20):
        yield rng.random((int(rng.integers(60, 200)), int(rng.integers(40, 90)))) < 0.15
    for _ in range(20):
        first = rng.random((3, int(rng.integers(10, 45)))) < 0.25
        yield np.concatenate([np.roll(first, i, axis=1) for i in range(first.shape[1])])


def main() -> None:
    """Ask each table for each dimension, and for a tree."""
    use(sys.argv[1])
    from littlestone.dimension import is_shattered_by
    from littlestone.dimension.engine.driver import Engine
    from littlestone.dimension.littlestone import LittlestoneSolver
    from littlestone.dimension.symmetry import learning
    from littlestone.dimension.table import PackedTable

    learning.PATIENCE = 0
    for made in tables():
        table = PackedTable.read(made.astype(np.uint8))
        dimension = LittlestoneSolver(table.masks).dimension((1 << table.size) - 1)
        engine = Engine(table, 1 << 16)
        for k in range(table.size.bit_length() + 1):
            if engine.at_least(k) != (k <= dimension):
                sys.exit(1)
        if not is_shattered_by(made, engine.tree(dimension)):
            sys.exit(1)


if __name__ == "__main__":
    main()
