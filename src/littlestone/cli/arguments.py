"""What several commands read from their arguments."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Any

import typer

from littlestone.classes import FiniteClass, HypothesisClass, parse_class
from littlestone.classes.table_file import BinaryTable, read_table
from littlestone.data import TABLE_SUFFIXES, label_names
from littlestone.errors import DeclarationError
from littlestone.labelled import declared_labels
from littlestone.multiclass import MulticlassClass, TableClass, parse_multiclass
from littlestone.privacy.ledger import Ledger, is_address

DEFAULT_LEDGER = "littlestone.ledger"

LedgerOption = Annotated[
    str,
    typer.Option("--ledger", help="The ledger: a file, or postgresql://USER@HOST/DATABASE."),
]


def class_or_file(text: str) -> HypothesisClass[Any]:
    """The class that a text declares, or the finite class in the file of that name.

    >>> class_or_file("thresholds(x, 1..7)").size
    8
    """
    if "(" in text and not os.path.exists(text):  # Path.exists() raises for a text that is too long
        return parse_class(text)
    return FiniteClass.from_file(text)


def multiclass_or_file(text: str, labels: str) -> MulticlassClass[Any]:
    """The class of several labels that a text declares, or that of the table in the file of that name.

    ``labels`` are names between commas; one that holds a comma stands between double quotes.

    >>> multiclass_or_file("outcomes(origin; at most 1)", 'on time, late, "none, or unknown"').labels
    ('on time', 'late', 'none, or unknown')
    """
    names = label_names(labels)
    if "(" in text and not os.path.exists(text):
        return parse_multiclass(text, names)
    return TableClass.from_file(text, declared_labels(names))


def table_or_class(text: str) -> BinaryTable | HypothesisClass[Any]:
    """The same, but a 0/1 table in place of a finite class.

    >>> str(table_or_class("thresholds(x, 1..7)"))
    'thresholds(x, 1..7)'
    """
    if "(" not in text or os.path.exists(text):
        return read_table(text)
    H = parse_class(text)
    if not isinstance(H, FiniteClass):
        return H
    return BinaryTable(H.label_table().values.astype(bool), H.domain, H.names)


def dataset_name(text: str) -> str:
    """The name of a data set in the ledger: a file's full path, and any other text as it is.

    A file is told by its spelling: a separator of folders, or a suffix such as ``.csv``.  So a limit
    set on ``visits.csv`` binds every later `fit` of it, whether or not the file exists by then.

    >>> dataset_name("census 2020"), dataset_name("visits.csv") == os.path.realpath("visits.csv")
    ('census 2020', True)
    """
    spelled = os.sep in text or text.lower().endswith(TABLE_SUFFIXES)
    return os.path.realpath(text) if spelled else text


def ledger_name(text: str, ledger: Ledger) -> str:
    """How output names the ledger given as ``text``: a path as it was given, no server's password.

    >>> ledger_name("here.ledger", Ledger())
    'here.ledger'
    """
    return str(ledger.path) if is_address(text) else text


def refuse_as_feature(target: str, columns: Sequence[str], declared: str) -> None:
    """Raise `DeclarationError` where a class reads the column that holds the label.

    >>> refuse_as_feature("late", ["delay"], "points(delay)")
    """
    if target in columns:
        raise DeclarationError(
            f"learn {target} from {declared}",
            found=f"the class reads the column {target!r}, which holds the label itself",
            fix="leave it out of the class",
        )


def files_of(ledger: str) -> list[Path]:
    """The ledger's file and those that SQLite makes and removes beside it; none on a server."""
    if is_address(ledger):
        return []
    real = os.path.realpath(ledger)
    return [Path(f"{real}{end}") for end in ("", "-journal", "-wal", "-shm")]
