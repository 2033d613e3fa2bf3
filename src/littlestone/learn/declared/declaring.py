"""The classes, the label and the schema that a task declares: as objects, as texts or in files."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Union

from littlestone.base.errors import DeclarationError, LittlestoneError
from littlestone.classes.base import HypothesisClass, is_scorable
from littlestone.classes.text.declared import parse_class
from littlestone.classes.text.spec import NO_SCHEMA, quote_argument
from littlestone.data.label import Label

if TYPE_CHECKING:
    from littlestone.data.table import Table
    from littlestone.learn.declared.schema import Schema


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
    from littlestone.learn.declared.schema import Schema

    return Schema.make(schema)


def refuse_as_feature(label: Label, H: HypothesisClass[Any]) -> None:
    """Raise `DeclarationError` if the class reads the column that holds the label."""
    if label.column in H.domain.column_names:
        raise DeclarationError(
            f"learn {label.column} from {H}",
            found=f"the class reads the column {label.column!r}, which holds the label itself",
            fix="leave it out of the class",
        )


OPTIONS = {
    "target": "--target readmitted",
    "positive": "--positive yes",
    "class": "--class 'trees(age: 0..120 step 5, ward in {ICU, ER}; depth 2)' "
    "or --schema schema.toml",
    "above": "--above 0.3",
    "epsilon": "--epsilon 1",
}
"""An example of each option that may be missing."""

_SCHEMA = 'schema="schema.toml"'

ARGUMENTS = {
    "target": 'target="readmitted"',
    "positive": 'positive="yes"',
    "class": f'hypotheses="trees(age: 0..120 step 5, ward in {{ICU, ER}}; depth 2)" or {_SCHEMA}',
    "above": "above=0.3",
    "epsilon": "epsilon=1",
    "ledger": 'ledger="visits.ledger", create_ledger=True',
    "dataset": 'dataset="visits"',
}
"""An example of each argument that may be missing."""


def require_told(
    asked: str,
    told: Mapping[str, object],
    examples: Mapping[str, str],
    source: object = None,
    target: object = None,
) -> None:
    """Raise one `DeclarationError` that names everything that is missing, each with an example.

    It also says what is wrong with the table ``source``, if that cannot be opened or has no column
    ``target``.  Nothing is opened if nothing is missing.

    >>> require_told("learn", {"epsilon": None}, {"epsilon": "--epsilon 1"})
    Traceback (most recent call last):
    littlestone.base.errors.DeclarationError: cannot learn: epsilon is missing
    to fix it: add --epsilon 1
    """
    missing = [name for name in examples if name in told and told[name] is None]
    if missing:
        *first, last = ("class or schema" if name == "class" else name for name in missing)
        found = f"{', '.join(first)} and {last} are missing" if first else f"{last} is missing"
        join = " " if examples is OPTIONS else ", "
        written = dict(examples)
        try:
            if source is not None:
                from littlestone.data.opening import open_table

                table = open_table(source)
                named = target if isinstance(target, str) else None
                written |= _own_examples(table, named)
                if named is not None:
                    table.require(named)
        except LittlestoneError as error:  # it depends on names and types alone
            found += f"; and it cannot {error.asked}: {error.found}"
            written[missing[-1]] += f"; {error.fix}"
        fix = f"add {join.join(written[name] for name in missing)}"
        raise DeclarationError(asked, found=found, fix=fix)


_MOST_SHOWN = 4  # columns of an example


def _own_examples(table: Table, target: str | None) -> dict[str, str]:
    """Examples that go with the declared types of the table's columns, as far as it has some."""
    from littlestone.learn.declared.schema_columns import NUMERIC

    kinds = {name: table.kind(name) for name in table.columns if isinstance(name, str)}
    columns = [
        f"{quote_argument(name)}: {'number' if kind == 'number' else 'integer'}"
        for name, kind in kinds.items()
        if kind in NUMERIC and name != target
    ]
    names, found = ", ".join(columns[:_MOST_SHOWN]), dict[str, str]()
    if names:
        found["class"] = f'hypotheses="trees({names}; depth 2)" or {_SCHEMA}'
    if target is not None and kinds.get(target) in NUMERIC:
        found["positive"] = "positive=1"
    return found


def has_name(source: object) -> bool:
    """Whether the ledger can call a table by the name of its file.

    >>> has_name("visits.csv"), has_name([1, 2])
    (True, False)
    """
    from littlestone.data.opening import is_file
    from littlestone.data.table import Table

    return source.path is not None if isinstance(source, Table) else is_file(source)


def label_told(schema: Schema | None, target: object, meaning: object) -> dict[str, object]:
    """The target and what says its meaning, as far as they are given or the ``schema`` has them."""
    column, says = target, meaning
    if schema is not None:
        column = schema.target if target is None else target
        if says is None and isinstance(column, str):
            if column == schema.target:
                says = schema.positive if schema.positive is not None else (schema.labels or None)
            elif column not in schema.class_columns().texts:
                says = column  # the schema itself says which names are alike
    return {"target": column, "positive": says}


SHELL = {
    "class": ARGUMENTS["class"],
    "classes": 'classes=("no", "yes")',
    "epsilon": "epsilon=1",
    "delta": 'delta="1e-6"',
    "horizon": "horizon=100_000",
    "ledger": ARGUMENTS["ledger"],
    "dataset": ARGUMENTS["dataset"],
}
"""An example of each parameter of a shell that may be missing."""
