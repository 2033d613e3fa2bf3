"""What several commands make of their arguments."""

from __future__ import annotations

import os
from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

from littlestone.classes import HypothesisClass
from littlestone.data import Label, label_names
from littlestone.data.schema import Schema, declared_label
from littlestone.labels import declared_labels
from littlestone.privacy.cost import PrivacyCost, decimal_text
from littlestone.privacy.ledger import Ledger, is_address
from littlestone.tasks import declared_class

if TYPE_CHECKING:
    from littlestone.classes.table_file import BinaryTable

_NOTHING = PrivacyCost(Fraction(0))


def label_from(
    schema: Schema | None,
    target: str | None,
    positive: str | None,
    labels: str | None = None,
    default: str | None = None,
) -> Label:
    """The label that the options or the schema declare; it is an error of use to declare none."""
    if schema is None and target is None:
        raise typer.BadParameter("name the column of the label", param_hint="--target")
    if schema is None and positive is None and labels is None:
        raise typer.BadParameter(
            "say what is positive, or which --labels there are", param_hint="--positive"
        )
    return declared_label(schema, target, positive, labels=labels, default=default)


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
    count = 2 if schema is None else schema.label_count
    if labels is not None:
        count = len(declared_labels(label_names(labels)))
    if "(" in text and not os.path.exists(text):  # Path.exists() raises for a text that is too long
        return declared_class(text, count, schema)
    from littlestone.classes.finite import FiniteClass

    return FiniteClass.from_file(text, labels=count)


def table_or_class(text: str, schema: Schema | None = None) -> BinaryTable | HypothesisClass[Any]:
    """The class that a text declares, or the 0/1 table in the file of that name.

    >>> str(table_or_class("thresholds(x, 1..7)"))
    'thresholds(x, 1..7)'
    """
    if "(" not in text or os.path.exists(text):
        from littlestone.classes.table_file import read_table

        return read_table(text)
    H = declared_class(text, schema=schema)
    if getattr(H, "keyword", "") != "finite":
        return H
    from littlestone.classes.finite import FiniteClass
    from littlestone.classes.table_file import BinaryTable

    if not isinstance(H, FiniteClass):
        return H
    return BinaryTable(H.label_table().values.astype(bool), H.domain, H.names)


def named(text: str) -> str:
    """A class or a file in a title: the text of the class, or the last part of the path.

    >>> named("thresholds(x, 1..7)")
    'thresholds(x, 1..7)'
    """
    return Path(text).name if os.path.exists(text) else text


def ledger_name(text: str, ledger: Ledger) -> str:
    """The name of the ledger ``text`` in output: a path as it was given, an address without password.

    >>> ledger_name("here.ledger", Ledger())
    'here.ledger'
    """
    return str(ledger.path) if is_address(text) else text


def new_ledger(name: str, total: PrivacyCost = _NOTHING) -> str:
    """What commands say of a ledger that they made, in case its name was misspelled.

    >>> new_ledger("littlestone.ledger", PrivacyCost(Fraction(1)))
    'littlestone.ledger: new ledger. Total so far: epsilon 1. No limit set.'
    """
    delta = f", delta {decimal_text(total.delta)}" if total.delta else ""
    spent = f"epsilon {decimal_text(total.epsilon)}{delta}"
    return f"{name}: new ledger. Total so far: {spent}. No limit set."


def no_ledger(text: str) -> bool:
    """Whether there is no file, or an empty one, where the ledger should be.

    >>> no_ledger("no/such/ledger"), no_ledger("postgresql://me@here/budgets")
    (True, False)
    """
    return not is_address(text) and not (os.path.exists(text) and os.path.getsize(text))


def files_of(ledger: str) -> list[Path]:
    """The ledger's file and the files that SQLite keeps beside it; none for a ledger on a server."""
    if is_address(ledger):
        return []
    real = os.path.realpath(ledger)
    return [Path(f"{real}{end}") for end in ("", "-journal", "-wal", "-shm")]
