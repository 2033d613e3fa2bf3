"""``python -m benchmarks loading``: CPU seconds of small commands, as ratios to ``import numpy``.

Each command runs in a process of its own, all in turn; the least of several runs counts.
"""

from __future__ import annotations

import os
import resource
import subprocess
import sys
import tempfile
from pathlib import Path

from rich.console import Console

ON_REQUEST = True
RUNS = 15
MAIN = "from littlestone.cli import main; main()"
COUNTED = (
    "import atexit, sys; atexit.register(lambda: print(sum(name.partition('.')[0] == 'littlestone'"
    f" for name in sys.modules), file=sys.stderr)); {MAIN}"
)
CLASS = "thresholds(x, 0..1000)"
FIT = ("fit", "t.csv", "--class", CLASS, "--target", "y", "--positive", "1", "--epsilon", "1")
COMPILED = {"PYTHONDONTWRITEBYTECODE": "", "PYTHONPYCACHEPREFIX": "bytecode"}
"""The first run keeps the bytecode, also where the environment or the disk would not have it."""
COMMANDS = {
    "--help": ("--help",),
    f'dim "{CLASS}"': ("dim", CLASS),
    "fit on 100 rows": FIT,
    "classes": ("classes",),
}


def seconds(code: str, *words: str) -> float:
    """CPU seconds, user and system, of a process that runs this code."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    command = [sys.executable, "-c", code, *words]
    subprocess.run(command, capture_output=True, check=True, env={**os.environ, **COMPILED})
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime - before.ru_utime + after.ru_stime - before.ru_stime


def show(console: Console) -> None:
    """A row for each command: its CPU seconds, their ratio to those of numpy, and its modules."""
    home = Path.cwd()
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        try:
            Path("t.csv").write_text("x,y\n" + "".join(f"{i},{i // 50}\n" for i in range(100)))
            runs = {"import numpy": ("import numpy",)} | {
                name: (MAIN, *words) for name, words in COMMANDS.items()
            }
            least = dict.fromkeys(runs, float("inf"))
            for _ in range(RUNS + 1):  # the first one compiles the bytecode
                for name, run in runs.items():
                    least[name] = min(least[name], seconds(*run))
            for name, found in least.items():
                console.print(f"{name:30} {found:.3f} s  {found / least['import numpy']:.2f}")
            for name, words in COMMANDS.items():
                command = [sys.executable, "-c", COUNTED, *words]
                done = subprocess.run(command, capture_output=True, text=True, check=True)
                console.print(f"{name:30} {done.stderr.split()[-1]} modules of littlestone")
        finally:
            os.chdir(home)
