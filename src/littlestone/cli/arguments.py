"""What several commands read from their arguments."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from littlestone.classes import FiniteClass, HypothesisClass, parse_class


def class_or_file(text: str) -> HypothesisClass[Any]:
    """The class that a text declares, or the finite class in the file of that name.

    >>> class_or_file("thresholds(x, 1..7)").size
    8
    """
    if "(" in text and not Path(text).exists():
        return parse_class(text)
    return FiniteClass.from_file(text)


def dataset_name(text: str) -> str:
    """The name of a data set in the ledger: the full path of a file, and any other text as it is.

    One rule for all commands, so that a limit set on ``visits.csv`` binds the `fit` of that file.

    >>> dataset_name("census 2020")
    'census 2020'
    """
    return str(Path(text).resolve()) if Path(text).is_file() else text
