"""The list of all checks."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from littlestone.checks import enumeration, prediction, restriction
from littlestone.checks.core import Check
from littlestone.classes.base import Enumerable, HypothesisClass

LAWS: tuple[Callable[[HypothesisClass[Any]], None], ...] = (
    restriction.restrict_is_pure,  # first: a class that changes would spoil what comes after
    restriction.pickle_round_trip,
    restriction.restrict_partitions,
    restriction.restrictions_commute,
    restriction.emptiness,
    restriction.dimension_and_size,
    restriction.dimension_under_restriction,
    restriction.mistake_points,
    restriction.mistake_tree,
    prediction.soa_is_canonical,
    prediction.soa_is_a_value,
    prediction.refusals,
    prediction.reducing_points_reduce,
    prediction.irreducibility,
    prediction.text_round_trip,
    prediction.encode_is_total,
)

ENUMERATION_LAWS: tuple[Callable[[HypothesisClass[Any]], None], ...] = (
    enumeration.hypotheses_are_distinct,
    enumeration.hypotheses_are_members,
    enumeration.error_counts,
    enumeration.agrees_with_table,
)


def yield_checks(H: HypothesisClass[Any]) -> Iterator[Check]:
    """The checks of the class ``H``: callables without arguments, with a ``name``.

    Each tries one law on a bounded number of points and version spaces of H, always the same ones:
    a whole small domain, a few points of a huge or infinite one.  A broken law is an
    `AssertionError` that names the class, the law and the witness.  An `Enumerable` class has the
    laws of enumeration too.

    >>> from littlestone.classes import Thresholds
    >>> sum(check() is None for check in yield_checks(Thresholds.on(0, 9)))
    20
    """
    laws = LAWS + ENUMERATION_LAWS if isinstance(H, Enumerable) else LAWS
    return (Check(law.__name__, law, H) for law in laws)
