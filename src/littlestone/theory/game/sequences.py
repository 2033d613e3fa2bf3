"""Adversaries that play a fixed sequence from memory or from a file."""

from __future__ import annotations

import csv
from collections.abc import Iterable, Iterator, Sequence
from os import PathLike
from typing import Any

from littlestone.base.errors import TableError
from littlestone.classes.base import HypothesisClass
from littlestone.points import Point
from littlestone.points.labels import require_label
from littlestone.theory.game.adversaries import Adversary


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

    Without a header, columns are in the order of ``H.domain.column_names``, and the label comes last.
    A header names the columns of H in any order, and the label by any other name.  The columns may hold
    any values; ``H.domain.encode_record`` maps each row to a point.  The file is a public game, not a
    private sample, so errors name its lines.  Raises `TableError` if the file cannot be read or has no
    row, for a header that does not name the columns, and for a row with other columns or a label that
    is not a number 0, ..., k.  The file is read once, at construction.
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
    rows, order = 0, list(range(len(columns) + 1))
    try:
        with open(path, newline="", encoding="utf-8-sig", errors="replace") as file:
            reader = csv.reader(file)
            for row in reader:
                if not row:
                    continue
                # A first line with a name in its last column is a header.
                if reader.line_num == 1 and row[-1].strip().isidentifier():
                    order = _order([cell.strip() for cell in row], columns)
                    if not order:
                        found = (
                            "its first line is a header that does not name the columns of the class"
                        )
                        raise TableError(asked, found=found, fix=fix)
                    continue
                if len(row) != len(order):
                    found = (
                        f"line {reader.line_num} has {len(row)} columns in place of {len(order)}"
                    )
                    raise TableError(asked, found=found, fix=fix)
                *record, label = [row[j] for j in order]
                if label.strip() not in known:
                    found = f"the label in line {reader.line_num} is {label!r}, not {legal}"
                    raise TableError(asked, found=found, fix=fix)
                rows += 1
                yield record, int(label)
    except (OSError, csv.Error) as error:
        raise TableError(asked, found=str(error), fix="give a readable CSV file") from None
    if rows == 0:
        raise TableError(asked, found="it has no rows", fix=fix)


def _order(header: list[str], columns: Sequence[str]) -> list[int]:
    """Where the columns stand in the header, and the label last; empty if it does not name them."""
    others = [j for j, name in enumerate(header) if name not in columns]
    if len(others) != 1 or sorted(name for name in header if name in columns) != sorted(columns):
        return []
    return [*map(header.index, columns), *others]
