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
