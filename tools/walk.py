"""The files that a record crosses in one `fit` of a CSV file: `python tools/walk.py`.

It fits two tables of the same shape whose records differ, with one seed, and compares the arguments
of each call until a rule is drawn.  A file is crossed if one of its functions is given something else.
Arguments that differ between two fits of one table, such as the time, do not count.
"""

from __future__ import annotations

import os
import random
import sys
import tempfile
import warnings
from pathlib import Path
from types import CodeType, FrameType
from typing import Any

import numpy as np

import littlestone

ROOT = Path(littlestone.__file__).parent
DEPTH = 5  # how far into an argument a digest looks
Calls = dict[str, dict[tuple[str, int], int]]


def digest(value: Any, depth: int = DEPTH) -> int:
    """A number that equal values share; what stands deeper than ``depth`` does not count."""
    if isinstance(value, str | bytes | int | float | complex | type(None)):
        return hash((type(value).__name__, value))
    if depth == 0:
        return 0
    if isinstance(value, np.ndarray) and value.dtype != object:
        return hash((value.dtype.str, value.shape, value.tobytes()))
    if isinstance(value, tuple | list | np.ndarray):
        return hash(tuple(digest(one, depth - 1) for one in value))
    if isinstance(value, dict):
        return hash(tuple(digest(pair, depth - 1) for pair in value.items()))
    held = getattr(value, "__dict__", None)
    return hash(type(value).__name__) if held is None else digest(dict(held), depth - 1)


def calls_of_fit(records: list[tuple[int, str]]) -> Calls:
    """The calls of each file of the package, by function and digest of the arguments."""
    calls: Calls = {}

    def watch(frame: FrameType, event: str, _: object) -> None:
        code: CodeType = frame.f_code
        if event == "return" and code.co_qualname == "Draw.pay_and_draw":
            sys.setprofile(None)  # what follows reads what was drawn, and no record
        if event != "call" or not code.co_filename.startswith(str(ROOT)):
            return
        sys.setprofile(None)  # a digest of an argument calls its methods
        names = code.co_varnames[: code.co_argcount + code.co_kwonlyargcount]
        told = digest([frame.f_locals.get(name) for name in names])
        file = calls.setdefault(str(Path(code.co_filename).relative_to(ROOT)), {})
        key = code.co_qualname, told
        file[key] = file.get(key, 0) + 1
        sys.setprofile(watch)

    Path("visits.ledger").unlink(missing_ok=True)
    lines = "".join(f"{age},{late}\n" for age, late in records)
    Path("visits.csv").write_text(f"age,late\n{lines}", encoding="utf-8")
    with warnings.catch_warnings(action="ignore"):  # a seed and a new ledger are what is asked for
        ledger = littlestone.Ledger("visits.ledger")
        sys.setprofile(watch)
        try:
            littlestone.fit(
                "visits.csv",
                target="late",
                positive="yes",
                hypotheses="thresholds(age, 0..100)",
                epsilon=1,
                ledger=ledger,
                dataset="visits",
                simulation_seed=1,
            )
        finally:
            sys.setprofile(None)
    return calls


def crossed() -> dict[str, list[str]]:
    """The files that get something else when the records are others, with the functions that do."""
    rng = random.Random(1)
    tables = [
        [(rng.randint(first, first + 40), rng.choice(("yes", "no "))) for _ in range(2000)]
        for first in (10, 55)
    ]
    with tempfile.TemporaryDirectory() as folder:
        before = Path.cwd()
        os.chdir(folder)
        try:
            # The first fit fills what is kept for later ones.
            _, one, again, other = (calls_of_fit(tables[i]) for i in (0, 0, 0, 1))
        finally:
            os.chdir(before)
    found: dict[str, list[str]] = {}
    for file, calls in one.items():
        for (name, told), count in calls.items():
            key = name, told
            if again[file].get(key) == count != other.get(file, {}).get(key):
                found.setdefault(file, []).append(name)
    return {file: list(dict.fromkeys(names)) for file, names in found.items()}


def main() -> None:
    """Print the files, in the order in which they are first called."""
    files = crossed()
    lines = [f"{file}: {', '.join(names)}" for file, names in files.items()]
    sys.stdout.write("\n".join((f"A record crosses {len(files)} files:", *lines, "")))


if __name__ == "__main__":
    main()
