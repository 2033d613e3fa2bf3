"""``python -m benchmarks [NAME ...]``: run every benchmark, or those named.

A benchmark is a module of this package with a function ``cases()``, which are timed, or ``show()``,
which prints figures of its own.  It is found by walking the package.  One that sets ``ON_REQUEST``
takes minutes, and is run only when named.
"""

from __future__ import annotations

import importlib
import os
import pkgutil
import platform
import sys
import time

from rich.console import Console

import benchmarks
from benchmarks.harness import WrongAnswerError, report


def main(names: list[str]) -> int:
    """Run the benchmarks ``names``, all if there are none; 0 if every answer was right."""
    inside = pkgutil.walk_packages(benchmarks.__path__, prefix="benchmarks.")
    paths = [found.name for found in inside if not found.name.endswith(".__main__")]
    found = {path.rpartition(".")[2]: importlib.import_module(path) for path in paths}
    found = {
        name: module
        for name, module in found.items()
        if hasattr(module, "cases") or hasattr(module, "show")
    }
    unknown = [name for name in names if name not in found]
    if unknown:
        print(f"There is no benchmark {unknown[0]!r}; there are: {', '.join(found)}.")
        return 2
    console = Console(width=None if sys.stdout.isatty() else 120)
    console.print(
        f"Python {platform.python_version()}, {platform.machine()}, {os.cpu_count()} processors.  "
        "'time / ours' is the median of the ratios\nwithin repetitions: above 1, ours is faster.\n",
        highlight=False,
    )
    start = time.perf_counter()
    everyday = [name for name, module in found.items() if not hasattr(module, "ON_REQUEST")]
    for name in names or everyday:
        try:
            if hasattr(found[name], "show"):
                found[name].show(console)
            else:
                report(found[name].cases(), console, title=name)
        except WrongAnswerError as error:
            console.print(f"WRONG ANSWER in {name}: {error}", style="bold red", highlight=False)
            return 1
    seconds = time.perf_counter() - start
    console.print(f"Every answer was right.  {seconds:.0f} seconds in all.", highlight=False)
    return 0


if __name__ == "__main__":
    try:
        sys.exit(main(sys.argv[1:]))
    except KeyboardInterrupt:
        sys.exit("interrupted")
