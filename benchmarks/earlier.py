"""The exact solver beside that of another checkout: ``python -m benchmarks.earlier PYTHON ROOT``.

PYTHON is an interpreter that imports the package of the checkout ROOT.  Each table is solved by one
thread in two processes that take turns, and the CPU time counts.  A ratio is the median of the ratios
within the turns: below 1, this checkout is faster.  With ``--level 3`` (or 1) the core is the one for
processors without AVX-512 (or AVX2).  Families may be named.
"""

from __future__ import annotations

import argparse
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np

from benchmarks.families import FAMILIES, NEWER

TURNS, LEAST, PATIENCE = 9, 0.02, 20.0  # turns; seconds of a measurement at least; of a family

WORKER = """
import sys, time, numpy as np
if sys.argv[1]:
    import importlib, littlestone
    sys.modules["littlestone.core"] = littlestone.core = importlib.import_module(sys.argv[1])
from littlestone.dimension import littlestone_dimension
for line in sys.stdin:
    path, repeats = line.split()
    tables = [np.load(path) for _ in range(int(repeats))]
    began = time.process_time()
    for table in tables:
        found = littlestone_dimension(table, jobs=1)
    print(time.process_time() - began, found, flush=True)
"""


class Worker:
    """A process that solves tables and says how long it took."""

    def __init__(self, python: str, root: str, core: str) -> None:
        self._process = subprocess.Popen(
            [python, "-c", WORKER, core],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            env={"PYTHONPATH": str(Path(root) / "src")},
        )

    def seconds(self, path: str, repeats: int, dimension: int) -> float:
        """CPU seconds of so many solves of the table at ``path``."""
        assert self._process.stdin
        assert self._process.stdout
        print(path, repeats, file=self._process.stdin, flush=True)
        seconds, found = self._process.stdout.readline().split()
        assert int(found) == dimension, f"{found} in place of {dimension}"
        return float(seconds)


def main() -> None:
    """Print a row for each family, as Markdown."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("python")
    parser.add_argument("root")
    parser.add_argument("families", nargs="*")
    parser.add_argument("--level", default="")
    given = parser.parse_args()
    core = {"": "", "1": "littlestone._core"}.get(given.level, f"littlestone._core_v{given.level}")
    ours = Worker(sys.executable, str(Path(__file__).parents[1]), core)
    theirs = Worker(given.python, given.root, "")
    print("| table | ours, ms | theirs, ms | ours / theirs |\n|---|---|---|---|", flush=True)
    families = FAMILIES | NEWER
    for name in given.families or families:
        family = families[name]
        with tempfile.NamedTemporaryFile(suffix=".npy") as file:
            np.save(file.name, family.table())
            job = (file.name, 1, family.dimension)
            first = ours.seconds(*job), theirs.seconds(*job)  # theirs may have to compile
            first = ours.seconds(*job), theirs.seconds(*job)
            repeats = int(1 + LEAST / max(first))
            turns = []
            for turn in range(TURNS):
                order = (ours, theirs) if turn % 2 else (theirs, ours)
                used = {
                    worker: worker.seconds(file.name, repeats, family.dimension) for worker in order
                }
                turns.append((used[ours], used[theirs]))
                if turn >= 2 and sum(map(sum, turns)) > PATIENCE:
                    break
            mine, other = (
                1000 * statistics.median(found) / repeats for found in zip(*turns, strict=True)
            )
            ratio = statistics.median(a / b for a, b in turns)
            print(f"| {name} | {mine:.2f} | {other:.2f} | {ratio:.2f} |", flush=True)


if __name__ == "__main__":
    main()
