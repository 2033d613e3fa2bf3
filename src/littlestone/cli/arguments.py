"""What several commands read from their arguments."""

from __future__ import annotations

import os
import shlex
import unicodedata
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Any

import typer

from littlestone.classes import FiniteClass, HypothesisClass, parse_class
from littlestone.classes.table_file import BinaryTable, read_table
from littlestone.data import TABLE_SUFFIXES, label_names
from littlestone.errors import DeclarationError
from littlestone.labels import declared_labels
from littlestone.privacy.ledger import Ledger, is_address

DEFAULT_LEDGER = "littlestone.ledger"

LedgerOption = Annotated[
    str,
    typer.Option("--ledger", help="The ledger: a file, or postgresql://USER@HOST/DATABASE."),
]


def class_or_file(text: str, labels: str | None = None) -> HypothesisClass[Any]:
    """The class that a text declares, or the finite class in the file of that name.

    ``labels`` are names between commas; one that holds a comma stands between double quotes.  Without
    them there are two labels.

    >>> class_or_file("thresholds(x, 1..7)").size
    8
    >>> class_or_file("outcomes(origin; at most 1)", 'on time, late, "none, or unknown"').labels
    3
    """
    count = 2 if labels is None else len(declared_labels(label_names(labels)))
    if "(" in text and not os.path.exists(text):  # Path.exists() raises for a text that is too long
        return parse_class(text, count)
    return FiniteClass.from_file(text, labels=count)


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
    return true_path(text) if spelled else text


def true_path(path: str | os.PathLike[str]) -> str:
    """The full path without links, each name in it spelled as its folder has it.

    On a disk where ``Visits.csv`` opens ``visits.csv``, both spellings get one name, hence one
    budget.  What does not exist keeps its spelling.

    >>> true_path("nowhere/Visits.csv") == os.path.realpath("nowhere/Visits.csv")
    True
    """
    whole = os.path.realpath(path)
    folder, name = os.path.split(whole)
    if not name or not os.path.lexists(whole):
        return whole
    return os.path.join(true_path(folder), _spelled(folder, name))


def _spelled(folder: str, name: str) -> str:
    try:
        names = os.listdir(folder)
        if name in names:
            return name
        own = os.lstat(os.path.join(folder, name))
        # Told by the file itself, whatever its disk takes for the same letters; a hard link of
        # another name is another file here.
        for other in names:
            alike = _letters(other) == _letters(name)
            if alike and os.path.samestat(own, os.lstat(os.path.join(folder, other))):
                return unicodedata.normalize("NFC", other)
    except OSError:  # a folder may be entered and yet not be listed
        pass
    return name


def _letters(name: str) -> str:
    return unicodedata.normalize("NFC", name).casefold()


def ledger_name(text: str, ledger: Ledger) -> str:
    """How output names the ledger given as ``text``: a path as it was given, no server's password.

    >>> ledger_name("here.ledger", Ledger())
    'here.ledger'
    """
    return str(ledger.path) if is_address(text) else text


def lookalike(name: str, others: Sequence[str]) -> str:
    """What is said once where tables of the same columns and n have several names.

    >>> print(lookalike("copy.csv", ["visits.csv"]))
    copy.csv has the columns and the number of records of visits.csv: if it is the same data,
    join their budgets with: littlestone ledger alias copy.csv visits.csv
    """
    commands = [shlex.join(["littlestone", "ledger", "alias", name, other]) for other in others]
    joined = "\nand with: ".join(commands)
    return (
        f"{name} has the columns and the number of records of {' and '.join(others)}: if it is the "
        f"same data,\njoin their budgets with: {joined}"
    )


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
