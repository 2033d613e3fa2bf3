"""All classes as a list for people, which is read without importing them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

from littlestone.base.discovery import others

if TYPE_CHECKING:
    from littlestone.classes.text.declared import DeclaredClass

FILE = Path(__file__).with_name("catalogue.json")
"""The rows of this package's classes, and their files, so that not all of them are imported.

``tools/class_catalogue.py`` writes it.  A class that it does not know yet is found all the same.
"""


def catalogue() -> list[dict[str, Any]]:
    """A row for each class that a text declares, by its keyword; the classes of other packages too.

    >>> [row["example"] for row in catalogue() if row["class"] == "thresholds"]
    ['thresholds(age, 0..120)']
    """
    kept = json.loads(FILE.read_text(encoding="utf-8"))
    rows: list[dict[str, Any]] = kept["rows"]
    if others() or kept["files"] != class_files():
        rows += [row for row in walk_catalogue() if row not in rows]
    return rows


def class_files() -> list[str]:
    """The names of the files of classes."""
    return sorted(path.name for path in FILE.parent.parent.glob("*.py"))


def walk_catalogue() -> list[dict[str, Any]]:
    """The rows of all classes, each of which is imported."""
    from littlestone.classes.text.declared import declared_kinds

    kinds = declared_kinds().items()
    return [_row(kind) for _, kind in sorted(kinds) if kind.group]


def _row(kind: type[DeclaredClass]) -> dict[str, Any]:
    return {
        "class": kind.keyword,
        "group": kind.group,
        "form": _form(kind),
        "example": _example(kind),
        "functions": (kind.__doc__ or "").strip().partition("\n")[0].replace("`", ""),
        "several labels": kind.several,
    }


def _form(kind: type[DeclaredClass]) -> str:
    """The legal form of its text, as the class itself shows it when it refuses a text without one."""
    from littlestone.base.errors import DeclarationError
    from littlestone.classes.text.spec import Spec

    try:
        kind.parse(Spec(kind.keyword, ()))
    except DeclarationError as error:
        return error.fix.removeprefix("write ")
    return f"{kind.keyword}()"


def _example(kind: type[DeclaredClass]) -> str:
    """A typical text, or the longest of its examples; empty if there is none."""
    from littlestone.classes.text.declared import declaration

    if kind.typical:
        return kind.typical
    examples: list[Any] = list(kind.examples())
    return max(map(declaration, examples), key=len, default="")
