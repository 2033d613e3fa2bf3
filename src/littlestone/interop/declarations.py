"""What the user declares to every shell: the labels, and a seed only for simulations."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from random import Random
from typing import Any

import numpy as np

from littlestone.base.errors import DeclarationError, NotPrivateWarning, shown
from littlestone.data import Condition, Label
from littlestone.learn.declared.declaration import Declaration
from littlestone.learn.declared.declaring import declared_class, opened_schema
from littlestone.learn.declared.schema import Schema
from littlestone.points import text
from littlestone.privacy.randomness import seeded_generator, system_generator

_PARAMETERS = ["epsilon", "delta", "method", "setting", "estimate", "cost", "unit", "max_records"]
"""The parameters of a shell that `Declaration.parse` takes as they are; not every shell has all."""


def class_labels(classes: object) -> tuple[object, ...]:
    """The labels, with the default (of two: the negative one) first; at least two, else an error.

    >>> class_labels(["no", "yes"])
    ('no', 'yes')
    """
    if not isinstance(classes, Sequence | np.ndarray) or isinstance(classes, str | bytes):
        raise DeclarationError(
            f"read labels from an object of type {type(classes).__name__}",
            found="it is not a sequence, in which one label comes first",
            fix="declare classes=(negative, positive), or all labels",
        )
    declared = [y.item() if isinstance(y, np.generic) else y for y in classes]
    if len(declared) < 2:
        raise DeclarationError(
            f"tell the records of {len(declared)} classes apart",
            found="there are two labels or more",
            fix="declare classes=(negative, positive), or all labels",
        )
    return tuple(declared)


def label_of(columns: Sequence[str], classes: Sequence[object]) -> Label:
    """The `Label` of a record among the classes, under a name y, y', ... that no column has.

    For two classes the label is a condition, as ``--positive`` declares it.  Raises `DeclarationError`
    for labels that are missing, or equal as table values.

    >>> str(label_of(["x", "y"], ["no", "yes"])), label_of(["x"], [3, 1, 2]).names
    ("y' == yes", ('3', '1', '2'))
    """
    name = "y"
    while name in columns:
        name += "'"
    if len(classes) > 2:
        label = Label.parse(name, labels=list(map(text, classes)))
    else:
        label = Label(name, Condition("==", text(classes[1])))
    if [label(y) for y in classes] != list(range(len(classes))):
        raise DeclarationError(
            f"tell the labels {', '.join(map(shown, classes))} apart",
            found="a table could not: one is missing, or two have one text or number",
            fix="declare classes=(negative, positive) of different values",
        )
    return label


def unit_column(schema: Schema | None, unit: str | None) -> list[str]:
    """The column of the unit that is given, or of the schema's; no column without a unit.

    >>> unit_column(None, "patient"), unit_column(None, None)
    (['patient'], [])
    """
    named = unit if unit is not None or schema is None else schema.unit
    return [] if named is None else [named]


def declaration_of(shell: Any) -> Declaration:
    """What the parameters of a ``shell`` declare; two classes are a condition on the second one.

    Raises `DeclarationError`, also if the schema says how cells that the class reads are written.
    """
    classes, schema = class_labels(shell.classes), opened_schema(shell.schema)
    H = declared_class(shell.hypotheses, len(classes), schema, unit=shell.unit)
    label = label_of([*H.domain.column_names, *unit_column(schema, shell.unit)], classes)
    given = {name: getattr(shell, name) for name in _PARAMETERS if hasattr(shell, name)}
    declaration = Declaration.parse(label, H, **{**given, "schema": schema})
    if declaration.reading.of(H.domain.column_names).columns:
        raise DeclarationError(
            "learn from values by this schema",
            found="it says how the text of some cells is written, and records hold values",
            fix="convert these columns first, and leave how they are written out of the schema",
        )
    return declaration


def generator(simulation_seed: object) -> Random:
    """The system's generator, or a repeatable one for a seed, with a `NotPrivateWarning`."""
    if simulation_seed is None:
        return system_generator()
    seed = whole_seed(simulation_seed)
    warnings.warn(
        "simulation_seed is set: whoever knows it knows every draw, so this is a simulation and NOT "
        "PRIVATE. Leave it out for a private release.",
        NotPrivateWarning,
        stacklevel=3,
    )
    return seeded_generator(seed)


def whole_seed(simulation_seed: object) -> int:
    """The seed as an int; `DeclarationError` if it is not a whole number."""
    if isinstance(simulation_seed, bool) or not isinstance(simulation_seed, int | np.integer):
        raise DeclarationError(
            f"draw with a simulation_seed of type {type(simulation_seed).__name__}",
            found="a seed must be a whole number",
            fix="leave it out, or give a whole number for a simulation",
        )
    return int(simulation_seed)
