"""What every shell asks its user to declare: a class, two labels, no seed."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from random import Random
from typing import Any

import numpy as np

from littlestone.classes import HypothesisClass, parse_class
from littlestone.data import Condition, Label
from littlestone.domains import text
from littlestone.errors import DeclarationError, NotPrivateWarning
from littlestone.privacy.randomness import seeded_generator, system_generator


def declared_class(hypotheses: HypothesisClass[Any] | str) -> HypothesisClass[Any]:
    """The class, or the one of that text.  Raises `DeclarationError` for anything else."""
    declared: object = parse_class(hypotheses) if isinstance(hypotheses, str) else hypotheses
    if not isinstance(declared, HypothesisClass):
        raise DeclarationError(
            f"learn from hypotheses of type {type(declared).__name__}",
            found="it is neither a class nor the text of one",
            fix="give a HypothesisClass, or a text such as 'points(merchant)'",
        )
    return declared


def two_labels(classes: object) -> tuple[object, object]:
    """The negative and the positive label.  Raises `DeclarationError` unless there are two.

    >>> two_labels(["no", "yes"])
    ('no', 'yes')
    """
    if not isinstance(classes, Sequence | np.ndarray) or isinstance(classes, str | bytes):
        raise DeclarationError(
            f"read two labels from an object of type {type(classes).__name__}",
            found="it is no sequence, in which one label is the first",
            fix="declare classes=(negative, positive)",
        )
    declared = [y.item() if isinstance(y, np.generic) else y for y in classes]
    if len(declared) != 2:
        raise DeclarationError(
            f"tell the records of {len(declared)} classes apart",
            found="a rule has two labels",
            fix="declare classes=(negative, positive)",
        )
    return declared[0], declared[1]


def label_of(columns: Sequence[str], negative: object, positive: object) -> Label:
    """Whether a record is positive, under a name y, y', ... that no column has.

    Raises `DeclarationError` for two labels that are equal as table values, or missing.

    >>> str(label_of(["x", "y"], "no", "yes"))
    "y' == yes"
    """
    name = "y"
    while name in columns:
        name += "'"
    label = Label(name, Condition("==", text(positive)))
    if (label(negative), label(positive)) != (0, 1):
        raise DeclarationError(
            f"tell the labels {negative!r} and {positive!r} apart",
            found="a table could not: one is missing, or both have one text or number",
            fix="declare classes=(negative, positive) of two different values",
        )
    return label


def generator(simulation_seed: object) -> Random:
    """The system's generator, or for a seed a repeatable one, with a `NotPrivateWarning`."""
    if simulation_seed is None:
        return system_generator()
    if isinstance(simulation_seed, bool) or not isinstance(simulation_seed, int | np.integer):
        raise DeclarationError(
            f"draw with a simulation_seed of type {type(simulation_seed).__name__}",
            found="it is no whole number, the one kind of seed",
            fix="leave it out, or give a whole number for a simulation",
        )
    warnings.warn(
        "simulation_seed is set: whoever knows it knows every draw, so this is a simulation and NOT "
        "PRIVATE. Leave it out for a private release.",
        NotPrivateWarning,
        stacklevel=3,
    )
    return seeded_generator(int(simulation_seed))
