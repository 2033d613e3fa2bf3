"""Running the command line in this process, which is fast, or in one of its own."""

from __future__ import annotations

import io
import os
import subprocess
import sys
from contextlib import redirect_stderr, redirect_stdout
from dataclasses import dataclass
from pathlib import Path
from unittest.mock import patch

from littlestone.cli import main
from littlestone.privacy.ledger import Ledger

TABLE = "delay,carrier,late\n" + "".join(f"{d},{c},{int(d > 4)}\n" for d in range(9) for c in "AB")
CLASS = "thresholds(delay, 0..20)"


@dataclass(frozen=True)
class Ran:
    """How a command ended and what it said."""

    status: int
    out: str
    err: str
    hint: str = ""
    """Lines that most tests meet, left out of ``err``: too few records, and that no model is kept."""

    @classmethod
    def of(cls, status: int, out: str, err: str) -> Ran:
        lines = err.splitlines(keepends=True)
        usual = " is too few: below about ", "without --out no model is kept: "
        hints = [line for line in lines if any(words in line for words in usual)]
        return cls(
            status, out, "".join(line for line in lines if line not in hints), "".join(hints)
        )


def run(*arguments: object) -> Ran:
    """``littlestone ARGUMENTS``, in this process."""
    out, err = io.StringIO(), io.StringIO()
    status: object = 0
    with (
        patch.object(sys, "argv", ["littlestone", *map(str, arguments)]),
        redirect_stdout(out),
        redirect_stderr(err),
    ):
        try:
            main()
        except SystemExit as ended:
            status = ended.code
    assert status is None or isinstance(status, int), status
    return Ran.of(status or 0, out.getvalue(), err.getvalue())


def command(*arguments: object) -> list[str]:
    """The same as a command for `subprocess`."""
    return [sys.executable, "-m", "littlestone", *map(str, arguments)]


def run_process(*arguments: object, cwd: Path | None = None, **environment: str) -> Ran:
    """``littlestone ARGUMENTS``, in a process of its own."""
    done = subprocess.run(
        command(*arguments),
        cwd=cwd,
        env={**os.environ, **environment},
        capture_output=True,
        encoding="utf-8",
        errors="surrogateescape",
        check=False,
    )
    return Ran.of(done.returncode, done.stdout, done.stderr)


def fit_arguments(table: object, **changed: object) -> list[str]:
    """A legal `fit` of ``table``; a keyword replaces or adds an option, None leaves it out.

    >>> fit_arguments("t.csv", seed=3, delta=None)[-2:]
    ['--seed', '3']
    """
    options: dict[str, object] = {
        "target": "late",
        "positive": "1",
        "class": CLASS,
        "epsilon": "1",
        **{name.rstrip("_"): value for name, value in changed.items()},
    }
    arguments = ["fit", str(table)]
    for name, value in options.items():
        if value is True:
            arguments += [f"--{name}"]
        elif value is not None:
            arguments += [f"--{name}", str(value)]
    return arguments


def entries(path: Path) -> list[int]:
    """The numbers of the ledger's entries; none when there is no ledger."""
    if not path.exists():
        return []
    with Ledger(path, create=False) as ledger:
        return [entry.number for entry in ledger.entries()]
