"""``littlestone classes``: nothing else lists what can be learned; and classes as arguments."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

from littlestone.base.errors import DeclarationError
from littlestone.classes.text.catalogue import catalogue
from littlestone.cli.console import out, print_columns, print_json

if TYPE_CHECKING:
    from littlestone.classes.base import HypothesisClass
    from littlestone.classes.text.table_file import BinaryTable
    from littlestone.learn.declared.schema import Schema

_GROUPS = (
    "ordinary tables",
    "ranges",
    "open vocabularies",
    "columns of bits",
    "algebraic",
    "tables of your own",
    "combinations",
)


def classes(as_json: bool = False) -> None:
    """List every class with its text form, an example and what it is."""
    rows = sorted(catalogue(), key=lambda row: (*_place(row["group"]), row["class"]))
    if as_json:
        print_json(rows)
        return
    for group in dict.fromkeys(row["group"] for row in rows):
        out.print(group.capitalize())
        for row in rows:
            if row["group"] == group:
                print_columns([[row["form"]]], indent=2)
                print_columns([[row["functions"]]], indent=6)
                if row["example"]:
                    print_columns([[f"Example: {row['example']}"]], indent=6)


def _place(group: str) -> tuple[int, str]:
    """Where a group stands: the groups of other packages follow ours, by their names."""
    return _GROUPS.index(group) if group in _GROUPS else len(_GROUPS), group


def class_or_file(
    text: str, labels: str | None = None, schema: Schema | None = None
) -> HypothesisClass[Any]:
    """The class that a text declares, or the finite class in the file of that name.

    ``labels`` are names separated by commas; put a name that contains a comma in double quotes.
    Without them there are two labels, or those of the schema.

    >>> class_or_file("thresholds(x, 1..7)").size
    8
    >>> class_or_file("outcomes(origin; at most 1)", 'on time, late, "none, or unknown"').labels
    3
    """
    from littlestone.learn.declared.declaring import declare_class

    count = 2 if schema is None else schema.label_count
    if labels is not None:
        from littlestone.data.label import label_names
        from littlestone.points.labels import check_labels

        count = len(check_labels(label_names(labels)))
    if is_class(text):
        return declare_class(text, count, schema)
    from littlestone.classes.finite import FiniteClass

    return FiniteClass.from_file(text, labels=count)


def is_class(text: str) -> bool:
    """Whether a text is a class, such as thresholds(x, 1..7), and not the name of a file.

    >>> is_class("thresholds(x, 1..7)"), is_class("rules.csv")
    (True, False)
    """
    return "(" in text and not os.path.exists(
        text
    )  # Path.exists() raises for a text that is too long


def table_or_class(text: str, schema: Schema | None = None) -> BinaryTable | HypothesisClass[Any]:
    """The class that a text declares, or the 0/1 table in the file of that name.

    >>> str(table_or_class("thresholds(x, 1..7)"))
    'thresholds(x, 1..7)'
    """
    if text.isidentifier() and not os.path.exists(text):
        raise DeclarationError(
            f"read the class or the table {text!r}",
            found="a class has its columns in parentheses, and there is no such file",
            fix="write a class such as 'thresholds(x, 1..7)', or the name of a CSV or .npy table",
        )
    if not is_class(text):
        from littlestone.classes.text.table_file import read_table

        return read_table(text)
    from littlestone.learn.declared.declaring import declare_class

    H = declare_class(text, schema=schema)
    if getattr(H, "keyword", "") != "finite":
        return H
    from littlestone.classes.finite import FiniteClass
    from littlestone.classes.text.table_file import BinaryTable

    if not isinstance(H, FiniteClass):
        return H
    return BinaryTable(H.label_table().values.astype(bool), H.domain, H.names)


def title_of(text: str) -> str:
    """A class or a file in a title: the text of the class, or the last part of the path.

    >>> title_of("thresholds(x, 1..7)")
    'thresholds(x, 1..7)'
    """
    return Path(text).name if os.path.exists(text) else text
