"""The classes, the label and the schema that a task declares: as objects, as texts or in files."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Union

from littlestone.base.errors import DeclarationError
from littlestone.classes.base import HypothesisClass
from littlestone.classes.text.declared import parse_class
from littlestone.classes.text.spec import NO_SCHEMA
from littlestone.data.label import Label

if TYPE_CHECKING:
    from littlestone.learn.schema.schema import Schema

OneOrMore = HypothesisClass[Any] | str | Sequence[HypothesisClass[Any] | str]
"""A class or the text of one, or several of these, of which one should fit the records."""

SchemaOrFile = Union["Schema", str, os.PathLike[str], Mapping[str, object], None]
"""The schema of a table, the path or the text of its file, a dict like that file, or none."""


def declare_class(
    hypotheses: OneOrMore,
    labels: int = 2,
    schema: Schema | None = None,
    target: str | None = None,
    unit: str | None = None,
) -> HypothesisClass[Any]:
    """The class itself, or the class that a text declares; `DeclarationError` for anything else.

    Several are one class, as `one_of` makes it.  A text may name columns of the ``schema``, and ``*``
    stands for all except the ``target`` and the ``unit``, by default the schema's own.  A class that
    does not go with the schema is refused.

    >>> declare_class("thresholds(age, 0..120)").littlestone_dimension()
    6
    """
    if isinstance(hypotheses, list | tuple):
        parts = [declare_class(one, labels, schema, target, unit) for one in hypotheses]
        if len(parts) == 1:
            return parts[0]
        from littlestone.learn.declared.one_of import one_of

        return one_of(parts)
    declared: object = hypotheses
    if isinstance(hypotheses, str):
        columns = NO_SCHEMA if schema is None else schema.class_columns(target, unit)
        declared = parse_class(hypotheses, labels, columns)
    if not isinstance(declared, HypothesisClass):
        raise DeclarationError(
            f"learn from hypotheses of type {type(declared).__name__}",
            found="it is neither a class nor the text of one",
            fix="give a HypothesisClass, or a text such as 'points(merchant)'",
        )
    if declared.labels != labels:
        raise DeclarationError(
            f"learn {labels} labels by {declared}",
            found=f"the class has {declared.labels}",
            fix="declare the same number of labels everywhere",
        )
    if schema is not None:
        schema.require_class(declared)
    return declared


def declare_label(
    schema: Schema | None,
    target: str | None,
    positive: object = None,
    *,
    labels: str | Sequence[str] | None = None,
    default: str | None = None,
) -> Label:
    """The label of `Schema.label`, or of `Label.parse` without a schema.

    >>> str(declare_label(None, "late", "> 15"))
    'late > 15'
    """
    if schema is not None:
        return schema.label(target, positive, labels=labels, default=default)
    if target is None:
        raise DeclarationError(
            "learn a label",
            found="neither a target nor a schema gives the name of one column",
            fix="name the column, as a text, or give a schema that has a target",
        )
    return Label.parse(target, positive, labels=labels, default=default)


def open_schema(schema: SchemaOrFile) -> Schema | None:
    """The schema that `Schema.make` makes of it, if any."""
    if schema is None:
        return None
    from littlestone.learn.schema.schema import Schema

    return Schema.make(schema)


def refuse_as_feature(label: Label, H: HypothesisClass[Any]) -> None:
    """Raise `DeclarationError` if the class reads the column that holds the label."""
    if label.column in H.domain.column_names:
        raise DeclarationError(
            f"learn {label.column} from {H}",
            found=f"the class reads the column {label.column!r}, which holds the label itself",
            fix="leave it out of the class",
        )
