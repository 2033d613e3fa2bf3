"""Noisy counts of cells and labels that are not read."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator, Sequence
from fractions import Fraction
from functools import cache
from itertools import product
from typing import Any

from littlestone.classes import parse_class
from littlestone.data.label import Label
from littlestone.data.reading import read_sample
from littlestone.data.sample import Sample
from littlestone.data.table import Row, Table
from littlestone.learn import ExponentialLearner
from littlestone.learn.declared.checking import (
    Faults,
    cell_check,
    checks_of,
    count_faults,
    label_check,
)
from littlestone.learn.results.estimate import (
    UnreadCounts,
    UnreadRecords,
    count_unread,
    unread_event,
)
from littlestone.points import Codes
from littlestone.points.columns import columns_of
from littlestone.privacy.cost import Budget
from littlestone.privacy.draws import UNREAD, UNREAD_PART
from littlestone.privacy.mechanisms.cell_counts import CellCounts
from littlestone.prove.audit.claims import neighbours
from littlestone.prove.audit.subject import (
    Subject,
    runs_on_ledger,
    subject,
)
from littlestone.prove.audit.subjects.noisy_counts import RECORDS

TwoCells = tuple[str, str]

Cellwise = tuple[TwoCells, ...]

ThreeCells = tuple[Row, ...]

NAMES = ("column a", "labels")


@cache
def unread(data: Cellwise) -> tuple[int, ...]:
    """The counts of a tiny table of a column of numbers and a column of labels."""
    checks = cell_check(Codes("a")), label_check(Label.parse("y", "Ja"))
    columns = zip(*data, strict=True)
    return tuple(count_faults(map(c, cells)) for c, cells in zip(checks, columns, strict=True))


def unread_subject(event: CellCounts) -> Subject[Cellwise]:
    """The counts on all neighbouring pairs of tables of read and unread cells and labels."""
    records: list[TwoCells] = list(product(("7", "4,52"), ("Ja", "ja")))

    def law_of_counts(data: Cellwise) -> dict[Any, Fraction]:
        return event.distribution(unread(data), len(data))

    def check(data: Cellwise, **spend: Any) -> Hashable:
        return count_unread(event, NAMES, unread(data), len(data), **spend)

    def cell(data: Cellwise, output: UnreadCounts) -> Hashable:
        return tuple(min(max(y, 0), len(data)) for y in output.counts)

    read, not_read = ("7", "Ja"), ("4,52", "ja")
    many = (read,) * 1000
    pairs = tuple(neighbours(records, RECORDS, ordered=False))
    large = many, (not_read, *many[1:])
    return Subject(event, law_of_counts, pairs, runs_on_ledger(check), large, cell)


@subject("unread-counts")
def unread_counts(epsilon: Fraction, delta: Fraction) -> Subject[Cellwise]:
    """Private counts of unread cells and labels; spends no delta."""
    return unread_subject(unread_event(epsilon, len(NAMES)))


H = parse_class("conditions(a: 0..1, b: 0..1; at most 1)")

LABEL = Label.parse("y", "Ja")


class RowTable(Table):
    """ThreeCells of two columns of numbers and a column of labels."""

    name, columns = "made up", ("a", "b", "y")

    def __init__(self, data: ThreeCells) -> None:
        self._data = data

    def rows(self, columns: Sequence[str]) -> Iterator[Row]:
        places = list(map(self.columns.index, columns))
        return (tuple(row[place] for place in places) for row in self._data)


@cache
def read_records(data: ThreeCells) -> Sample[Any]:
    """The sample with its counts, as `fit` reads it."""
    faults = Faults(checks_of(list(columns_of(H.domain)), LABEL, None))
    return read_sample(RowTable(data), H.domain, LABEL, faults=faults)


def unread_records(data: ThreeCells) -> tuple[int, ...]:
    """The counts that an estimate gets of the records."""
    return read_records(data).unread or ()


def shares_subject(
    event: CellCounts, count_of: Callable[[ThreeCells], tuple[int, ...]] = unread_records
) -> Subject[ThreeCells]:
    """The counts of an estimate on all neighbouring pairs of records; some records are not read."""
    whole, both = ("0", "0", "Ja"), ("x", "x", "ja")
    records: list[Row] = [whole, ("x", "0", "Ja"), ("x", "x", "Ja"), ("0", "0", "ja"), both]

    def most(data: ThreeCells) -> int:
        return 2 * len(data)  # what a count of single cells could reach

    def law_of_shares(data: ThreeCells) -> dict[Any, Fraction]:
        return event.distribution(count_of(data), most(data))

    estimate = event.epsilon / UNREAD_PART
    learner = ExponentialLearner(H, Budget(estimate))

    def fit_once(data: ThreeCells, **spend: Any) -> Hashable:
        found = learner.fit(read_records(data), estimate=estimate, **spend).estimate
        return None if found is None else found.unread

    def cell(data: ThreeCells, output: UnreadRecords) -> Hashable:
        return tuple(min(max(y, 0), most(data)) for y in (output.cells, output.labels))

    pairs = tuple(neighbours(records, RECORDS, ordered=False))
    many = (whole,) * 1000
    large = many, (both, *many[1:])
    return Subject(event, law_of_shares, pairs, runs_on_ledger(fit_once), large, cell)


@subject("unread-shares")
def unread_shares(epsilon: Fraction, delta: Fraction) -> Subject[ThreeCells]:
    """Counts of records with an unread cell, and with an unread label; spends no delta."""
    return shares_subject(CellCounts(epsilon, len(UNREAD), together=True))
