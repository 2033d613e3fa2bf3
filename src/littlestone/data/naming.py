"""The name of a data set in a ledger: one name for a file, however its path is spelled."""

from __future__ import annotations

import os
import shlex
import unicodedata
from collections.abc import Collection, Sequence
from pathlib import Path
from typing import NamedTuple

from littlestone.base.errors import DeclarationError, show_value
from littlestone.data.opening import TABLE_SUFFIXES, is_file, open_table
from littlestone.data.readings import Reading
from littlestone.data.tables import Table


class Dataset(NamedTuple):
    """A table, and the name of its data set in a ledger."""

    table: Table
    name: str


def open_dataset(
    source: object,
    columns: Sequence[str],
    dataset: str | None,
    table: str | None = None,
    *,
    separator: str | None = None,
    multiline: bool = False,
    reading: Reading | None = None,
    days: Collection[str] = (),
) -> Dataset:
    """Open a table that has these ``columns``, under the name ``dataset`` or that of its file.

    ``source``, ``table``, ``separator``, ``multiline`` and ``reading`` are those of `open_table`;
    ``days`` are the columns that are read as days.

    Raises
    ------
    `TableError` for a missing column and `DeclarationError` if neither a ``dataset`` nor a file gives a
    name.  Only a file of one table gives one: an address has aliases, and a folder, a pattern and a
    database hold other names of the same records, each of which would get a budget of its own.
    """
    if dataset is None and isinstance(source, str | Path) and not is_file(source, table):
        raise DeclarationError(
            "spend on a table that is not a file",
            found="the ledger cannot tell which data set it is, because other names lead to it too",
            fix="name it, and always the same: --dataset visits; in Python dataset='visits'",
        )
    opened = open_table(source, table, separator=separator, multiline=multiline, reading=reading)
    opened.require_all(columns, days)
    if dataset is not None:
        return Dataset(opened, dataset_name(dataset))
    if opened.path is None:
        raise DeclarationError(
            "spend on a table that is not a file",
            found="the ledger cannot tell which data set it is",
            fix="name it: dataset=...",
        )
    return Dataset(opened, true_path(opened.path))


def dataset_name(text: str) -> str:
    """The name of a data set in the ledger: the full path of a file, or any other text unchanged.

    A text names a file if it has a folder separator or a suffix such as ``.csv``.  So a limit set on
    ``visits.csv`` applies to every later `fit` of that file, even if the file does not exist yet.
    Raises `DeclarationError` for anything but text.

    >>> dataset_name("census 2020"), dataset_name("visits.csv") == os.path.realpath("visits.csv")
    ('census 2020', True)
    """
    if not isinstance(text, str):
        raise DeclarationError(
            f"use {show_value(text)} as the name of a data set",
            found="it is not text",
            fix="use plain words on one line",
        )
    if "://" in text:  # it is not quoted, because a password may stand in it
        raise DeclarationError(
            "use an address as the name of a data set",
            found="several addresses lead to the same data, and each would get a budget of its own",
            fix="use plain words on one line, such as visits",
        )
    spelled = os.sep in text or text.lower().endswith(TABLE_SUFFIXES)
    return true_path(text) if spelled else text


def true_path(path: str | os.PathLike[str]) -> str:
    """The full path without links, with each name spelled as in its folder.

    On a disk where ``Visits.csv`` opens ``visits.csv``, both spellings get the same name and the same
    budget.  A path that does not exist keeps its spelling.

    >>> true_path("nowhere/Visits.csv") == os.path.realpath("nowhere/Visits.csv")
    True
    """
    whole = os.path.realpath(path)
    folder, name = os.path.split(whole)
    if not name or not os.path.lexists(whole):
        return whole
    return os.path.join(true_path(folder), _spelling(folder, name))


def _spelling(folder: str, name: str) -> str:
    try:
        names = os.listdir(folder)
        if name in names:
            return name
        own = os.lstat(os.path.join(folder, name))
        # The file itself decides, whatever letters its disk treats as equal.  A hard link with another
        # name counts as another file here.
        for other in names:
            alike = _letters(other) == _letters(name)
            if alike and os.path.samestat(own, os.lstat(os.path.join(folder, other))):
                return unicodedata.normalize("NFC", other)
    except OSError:  # a folder may be accessible but not listable
        pass
    return name


def _letters(name: str) -> str:
    return unicodedata.normalize("NFC", name).casefold()


def lookalike(name: str, others: Sequence[str]) -> str:
    """A hint, shown once, that tables with the same columns and n may be the same data.

    >>> print(lookalike("copy.csv", ["visits.csv"]))
    copy.csv has the columns and the number of records of visits.csv: if it is the same data,
    join their budgets with: littlestone ledger alias copy.csv visits.csv
    >>> lookalike("d", ["a", "b", "c"]).partition(":")[0]
    'd has the columns and the number of records of a, b and c'
    """
    commands = [shlex.join(["littlestone", "ledger", "alias", name, other]) for other in others]
    joined, (*first, last) = "\nand with: ".join(commands), others
    same = f"{', '.join(first)} and {last}" if first else last
    return (
        f"{name} has the columns and the number of records of {same}: if it is the same data,\n"
        f"join their budgets with: {joined}"
    )
