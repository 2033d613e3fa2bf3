"""The classes, the label and the schema that a task declares: as objects, as texts or in files."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Union

from littlestone.base.errors import DeclarationError
from littlestone.classes.base import HypothesisClass, is_scorable
from littlestone.classes.text.declared import parse_class
from littlestone.classes.text.spec import NO_SCHEMA
from littlestone.data.label import Label

if TYPE_CHECKING:
    from littlestone.learn.schema.schema import Schema


def one_of(parts: Sequence[HypothesisClass[Any]]) -> HypothesisClass[Any]:
    """The class of all functions of the parts: a union from which one draw takes a function.

    Raises `DeclarationError` for no parts, for parts with other columns or labels than the first, and
    for parts whose functions cannot be scored together.  Learning each part and keeping the best rule
    would spend once for each (docs/security.md).

    >>> from littlestone.classes import Intervals, Thresholds
    >>> type(one_of([Thresholds.on(0, 9), Intervals.on(0, 9)])).__name__
    'ScoredUnion'
    """
    if not parts:
        raise DeclarationError(
            "choose among classes", found="there are none", fix="name at least one"
        )
    first = parts[0]
    if len(parts) == 1:
        return first
    for part in parts:
        if (part.domain, part.labels) != (first.domain, first.labels):
            raise DeclarationError(
                f"choose between {first} and {part}",
                found="they do not have the same columns, declared alike, and the same labels",
                fix="declare the same columns in each, such as 'conditions(age: 0..80 step 20, ward; "
                "at most 2)' and 'trees(age: 0..80 step 20, ward; depth 1)'",
            )
    if first.labels > 2:
        raise DeclarationError(
            f"choose among {len(parts)} classes of {first.labels} labels",
            found="only rules for one label are compared in a single draw",
            fix="declare one of them alone, or learn a rule for one label: --positive",
        )
    scored = [part for part in parts if is_scorable(part)]
    for part in parts:
        if part not in scored:
            raise DeclarationError(
                f"choose between {part} and other classes",
                found="a single draw cannot compare all its rules with those of the others",
                fix="declare one of the classes alone, or classes such as conditions(...) and "
                "trees(...), with the range or the values of each column: age: 0..120 step 5",
            )
    from littlestone.classes.union import ScoredUnion  # a class alone needs none

    return ScoredUnion(first.domain, tuple(scored))


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
        from littlestone.learn.declared.declaring import one_of

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
