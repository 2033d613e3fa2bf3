"""Adversaries that play a fixed sequence from memory or from a file."""

from __future__ import annotations

import csv
from collections.abc import Iterable, Iterator, Sequence
from os import PathLike
from typing import Any

from littlestone.classes.base import HypothesisClass
from littlestone.domains import Point
from littlestone.errors import TableError
from littlestone.labels import require_label
from littlestone.online.adversaries import Adversary


class SequenceAdversary(Adversary[Point]):
    """An oblivious adversary: plays the pairs (x, y) of ``examples`` in order.

    Raises `DeclarationError` for a label that is not one of the ``labels`` numbers 0, 1, ...  The
    sequence need not agree with any hypothesis; a learner for the realizable game then raises
    `RealizabilityError`.

    >>> adversary = SequenceAdversary([("a", 1)])
    >>> adversary.next_point(), adversary.label("a", 0), adversary.next_point()
    ('a', 1, None)
    """

    def __init__(self, examples: Iterable[tuple[Point, int]], *, labels: int = 2) -> None:
        self._examples = tuple(examples)
        for _, y in self._examples:
            require_label(y, labels)
        self._played = 0

    def next_point(self) -> Point | None:
        if self._played == len(self._examples):
            return None
        return self._examples[self._played][0]

    def label(self, x: Point, prediction: int) -> int:
        self._played += 1
        return self._examples[self._played - 1][1]


class FileAdversary(Adversary[Any]):
    """Plays the rows of a CSV file in order: the columns of H and a label; a header is optional.

    Columns are in the order of ``H.domain.column_names`` and may hold any values;
    ``H.domain.encode_record`` maps each row to a point.  The file is a public game, not a private
    sample, so errors name its lines.  Raises `TableError` if the file
    cannot be read or has no row, and for a row with other columns or a label that is no number 0,
    ..., k.  The file is read once, at construction.
    """

    def __init__(self, path: str | PathLike[str], H: HypothesisClass[Any]) -> None:
        columns = H.domain.column_names
        examples = (
            (H.domain.encode_record(record), y) for record, y in _rows(path, columns, H.labels)
        )
        self._sequence = SequenceAdversary(examples, labels=H.labels)

    def next_point(self) -> Any:
        return self._sequence.next_point()

    def label(self, x: Any, prediction: int) -> int:
        return self._sequence.label(x, prediction)


def _rows(
    path: str | PathLike[str], columns: Sequence[str], labels: int
) -> Iterator[tuple[Sequence[str], int]]:
    """The records and labels of a file."""
    asked = f"play the sequence {path}"
    legal = "0 or 1" if labels == 2 else f"one of 0..{labels - 1}"
    fix = f"give rows of {','.join(columns)},label with a label {legal}"
    known = set(map(str, range(labels)))
    rows = 0
    try:
        with open(path, newline="", encoding="utf-8-sig", errors="replace") as file:
            reader = csv.reader(file)
            for row in reader:
                # A first line with a name in the label column is a header.
                header = reader.line_num == 1 and row and row[-1].strip().isidentifier()
                if not row or header:
                    continue
                found = None
                *record, label = row
                if len(record) != len(columns):
                    wanted = len(columns) + 1
                    found = f"line {reader.line_num} has {len(row)} columns in place of {wanted}"
                elif label.strip() not in known:
                    found = f"the label in line {reader.line_num} is {label!r}, not {legal}"
                if found:
                    raise TableError(asked, found=found, fix=fix)
                rows += 1
                yield record, int(label)
    except (OSError, csv.Error) as error:
        raise TableError(asked, found=str(error), fix="give a readable CSV file") from None
    if rows == 0:
        raise TableError(asked, found="it has no rows", fix=fix)
