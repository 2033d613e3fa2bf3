"""Rounds through a pipe: CPU and time of ``littlestone stream -`` for 1e6 and 1e7 records.

The stream is that of `benchmarks.streaming`, written to a file before, which ``cat`` sends through a
pipe.  Each contender is a process of its own, with an answer that is checked.  One takes each
line by itself, with the same learner and no state.  One learns nothing and only counts labels with
Python's csv module.

``python -m benchmarks pipe`` takes some minutes.
"""

from __future__ import annotations

import csv
import json
import os
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from subprocess import DEVNULL, PIPE, Popen
from typing import Any

from rich.console import Console
from rich.table import Table

from benchmarks.harness import require, steps
from benchmarks.streaming import IDS, SETS, of_sets
from littlestone.data import CsvStream, Label
from littlestone.learn.stream import choose_online_learner
from littlestone.privacy import Budget
from littlestone.privacy.ledger import Ledger

ON_REQUEST = True
SIZES = (10**6, 10**7)
PARTITIONS = 8


def show(console: Console) -> None:
    """Run every contender on every size, and print what each took."""
    table = Table(title="pipe", title_justify="left")
    for heading in ("records", "contender"):
        table.add_column(heading)
    for heading in ("CPU s", "s", "us a record", "state, kB"):
        table.add_column(heading, justify="right")
    with tempfile.TemporaryDirectory(prefix="littlestone-benchmark-") as folder:
        for size in steps(SIZES, "pipe", console):
            plain, placed = Path(folder, "plain.csv"), Path(folder, "placed.csv")
            positives = write(plain, placed, size)
            for name, path, command, check in contenders(Path(folder), plain, placed, size):
                console.print(f"  pipe: {size:,}, {name} ...", style="dim", highlight=False)
                out, cpu, seconds = piped(path, command)
                check(out, positives)
                state = Path(folder, f"{path.stem}.state")
                kilobytes = f"{state.stat().st_size / 1000:.0f}" if "--state" in command else ""
                each = f"{1e6 * cpu / size:.2f}"
                table.add_row(f"{size:,}", name, f"{cpu:.1f}", f"{seconds:.1f}", each, kilobytes)
                for kept in Path(folder).glob("*.state*"):
                    kept.unlink()
    console.print(table, highlight=False)


def write(plain: Path, placed: Path, size: int) -> int:
    """The records, without and with offsets; returns the number of positive ones."""
    positives = 0
    with plain.open("w") as one, placed.open("w") as other:
        one.write("id,bad\n")
        other.write("offset,partition,id,bad\n")
        for t, (x, y) in enumerate(of_sets(size)):
            positives += y
            one.write(f"{x},{y}\n")
            other.write(f"{t // PARTITIONS},{t % PARTITIONS},{x},{y}\n")
    return positives


def contenders(
    folder: Path, plain: Path, placed: Path, size: int
) -> list[tuple[str, Path, list[str], Callable[[str, int], None]]]:
    """Each with its name, its file, its command and the check of its answer."""
    command = [sys.executable, "-m", "littlestone", "stream", "-", "--dataset", "doors"]
    command += ["--class", str(SETS), "--target", "bad", "--positive", "1"]
    command += ["--horizon", str(size), "--epsilon", "1", "--delta", "1e-6"]
    command += ["--ledger", f"{folder}/ledger", "--state"]
    offsets = ["--offset", "offset", "--partition", "partition"]
    here = [sys.executable, "-m", "benchmarks.pipe", str(size)]
    return [
        ("littlestone stream -", plain, [*command, f"{folder}/plain.state"], learned),
        (
            "... --offset --partition",
            placed,
            [*command, f"{folder}/placed.state", *offsets],
            learned,
        ),
        ("the same learner, line by line", plain, [*here, "lines"], learned),
        ("csv module, labels counted", plain, [*here, "csv"], counted),
    ]


def piped(path: Path, command: Sequence[str]) -> tuple[str, float, float]:
    """What the command prints, its CPU seconds and its seconds."""
    start = time.perf_counter()
    cat = Popen(["cat", str(path)], stdout=PIPE)
    with Popen(command, stdin=cat.stdout, stdout=PIPE, stderr=DEVNULL, text=True) as run:
        assert run.stdout is not None
        out = run.stdout.read()
        _, status, used = os.wait4(run.pid, 0)
        run.returncode = os.waitstatus_to_exitcode(status)
    seconds = time.perf_counter() - start
    cat.wait()
    require(run.returncode == 0, f"{command} failed")
    return out, used.ru_utime + used.ru_stime, seconds


def learned(out: str, positives: int) -> None:
    """The last rule is the true one."""
    rule: Any = json.loads(out.splitlines()[-1])
    require(rule["hypothesis"]["members"] == IDS, "the last rule is another")


def counted(out: str, positives: int) -> None:
    """The number of labels is right."""
    require(int(out) == positives, "another number of labels")


def by_lines(size: int) -> None:
    """Take each line by itself, as a program of a few lines would."""
    learner = choose_online_learner(SETS, Budget(1, "1e-6"), horizon=size)
    stream = learner.start(ledger=Ledger(), dataset="doors")
    domain, label = SETS.domain, Label.parse("bad", "1")
    source = CsvStream(sys.stdin.buffer, name="standard input")
    for x, y in source.rows(["id", "bad"]):
        stream.update(domain.encode_record((x,)), label(y))
    print(json.dumps({"hypothesis": stream.hypothesis.to_json()}))


def by_csv() -> None:
    """Count the positive labels."""
    rows = csv.reader(sys.stdin)
    next(rows)
    print(sum(y == "1" for _, y in rows))


if __name__ == "__main__":
    by_lines(int(sys.argv[1])) if sys.argv[2] == "lines" else by_csv()
