"""What several commands read from their arguments."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

from littlestone.classes import FiniteClass, HypothesisClass, parse_class
from littlestone.data import TABLE_SUFFIXES


def class_or_file(text: str) -> HypothesisClass[Any]:
    """The class that a text declares, or the finite class in the file of that name.

    >>> class_or_file("thresholds(x, 1..7)").size
    8
    """
    if "(" in text and not Path(text).exists():
        return parse_class(text)
    return FiniteClass.from_file(text)


def dataset_name(text: str) -> str:
    """The name of a data set in the ledger: a file's full path, and any other text as it is.

    What is spelled like a file counts as one even before it exists, so that a limit set on
    ``visits.csv`` binds every later `fit` of it.

    >>> dataset_name("census 2020"), dataset_name("visits.csv") == str(Path("visits.csv").resolve())
    ('census 2020', True)
    """
    path = Path(text)
    spelled = os.sep in text or path.suffix in TABLE_SUFFIXES
    return str(path.resolve()) if spelled or path.is_file() else text
