"""The whole `littlestone fit` process on 336,776 rows, beside a process in which pandas reads them.

The alternative only loads the table.  A bare start of Python and an import of our command line show
how the time is made up.
"""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

from benchmarks.flights import CLASS, LATE, ROWS, files
from benchmarks.harness import Case, Contender, require
from littlestone.learn.results.release import Release
from littlestone.rules import StepFunction


def cases() -> Iterator[Case]:
    """From CSV and from Parquet, with the ledger and the model on disk."""
    plain, columnar = files()
    yield Case(
        "process: CSV to model file",
        Contender("littlestone fit", fit(plain), check_model),
        [
            Contender(
                "python -c pandas.read_csv, no learning", load("read_csv", plain), check_rows
            ),
            Contender(
                "python -c 'import littlestone.cli'", python("import littlestone.cli"), quiet
            ),
            Contender("python -c pass", python("pass"), quiet),
        ],
        repeats=5,
        patience=12,
    )
    yield Case(
        "process: Parquet to model file",
        Contender("littlestone fit", fit(columnar), check_model),
        [
            Contender(
                "python -c pandas.read_parquet, no learning",
                load("read_parquet", columnar),
                check_rows,
            )
        ],
        repeats=5,
        patience=12,
    )


def fit(table: Path) -> Callable[[], Path]:
    """Learn when a flight is late; the file of the model."""
    model, ledger = table.with_suffix(".json"), table.with_suffix(".ledger")
    command = [sys.executable, "-m", "littlestone", "fit", str(table)]
    command += ["--target", "arr_delay", "--positive", f"> {LATE}", "--class", CLASS]
    command += ["--epsilon", "1", "--ledger", str(ledger), "--out", str(model)]

    def run() -> Path:
        model.unlink(missing_ok=True)
        subprocess.run(command, check=True, capture_output=True)
        return model

    return run


def check_model(path: Path) -> None:
    """A release of all records whose rule is near the cut that the table was made with."""
    release = Release.load(path)
    rule = release.hypothesis
    require(release.private and release.n == ROWS, "the model is not a private one of all records")
    require(isinstance(rule, StepFunction), "the rule is not a threshold")
    # Arrivals are 6 minutes better than departures, so lateness starts at about 21.
    require(not rule(15) and rule(27), f"the rule is {release.words()}")


def load(reader: str, table: Path) -> Callable[[], str]:
    """Load the table with pandas in a process of its own; its output."""
    return python(f"import pandas; print(len(pandas.{reader}({str(table)!r})))")


def python(code: str) -> Callable[[], str]:
    """Run ``code`` in a process of its own; its output."""
    command = [sys.executable, "-c", code]
    return lambda: subprocess.run(command, check=True, capture_output=True, text=True).stdout


def check_rows(output: str) -> None:
    """All rows were loaded."""
    require(output.strip() == str(ROWS), f"{output.strip()} rows in place of {ROWS}")


def quiet(output: str) -> None:
    """Nothing was printed."""
    require(output == "", f"unexpected output {output!r}")
