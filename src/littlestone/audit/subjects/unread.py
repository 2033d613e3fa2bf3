"""The private counts of `check`: how many cells of each column, and labels, are not read."""

from __future__ import annotations

import random
from collections.abc import Hashable
from fractions import Fraction
from functools import cache
from itertools import count, product
from typing import Any

from littlestone.audit.neighbours import neighbours
from littlestone.audit.subject import Run, Subject, subject
from littlestone.data.checking import cell_check, count_faults, label_check
from littlestone.data.labels import Label
from littlestone.domains import Codes
from littlestone.learners.unread import UnreadCounts, count_unread, unread_event
from littlestone.privacy.ledger import Ledger
from littlestone.privacy.mechanisms.scores.cell_counts import CellCounts

Cells = tuple[str, str]
Table = tuple[Cells, ...]

NAMES = ("column a", "labels")
RECORDS = 2


@cache
def unread(data: Table) -> tuple[int, ...]:
    """The counts of a tiny table of a column of numbers and a column of labels."""
    checks = cell_check(Codes("a")), label_check(Label.parse("y", "Ja"))
    columns = zip(*data, strict=True)
    return tuple(count_faults(map(c, cells)) for c, cells in zip(checks, columns, strict=True))


def unread_subject(event: CellCounts) -> Subject[Table]:
    """The counts on all neighbouring pairs of tables of read and unread cells and labels."""
    records: list[Cells] = list(product(("7", "4,52"), ("Ja", "ja")))

    def distribution(data: Table) -> dict[Any, Fraction]:
        return event.distribution(unread(data), len(data))

    def runs(times: int, rng: random.Random) -> Run[Table]:
        ledger, numbers = Ledger(), count()

        def check(data: Table) -> Hashable:
            name, found = f"made up {next(numbers)}", unread(data)
            return count_unread(
                event, NAMES, found, len(data), ledger=ledger, dataset=name, rng=rng
            )

        return check

    def cell(data: Table, output: UnreadCounts) -> Hashable:
        return tuple(min(max(y, 0), len(data)) for y in output.counts)

    read, not_read = ("7", "Ja"), ("4,52", "ja")
    many = (read,) * 1000
    pairs = tuple(neighbours(records, RECORDS, ordered=False))
    return Subject(event, distribution, pairs, runs, (many, (not_read, *many[1:])), cell)


@subject("unread-counts")
def unread_counts(epsilon: Fraction, delta: Fraction) -> Subject[Table]:
    """Private counts of unread cells and labels; spends no delta."""
    return unread_subject(unread_event(epsilon, len(NAMES)))
