"""The list of all checks."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

from littlestone.classes.base import Enumerable, HypothesisClass
from littlestone.classes.promises.covering import Covering, ProperApproximation
from littlestone.points import Domain
from littlestone.prove.laws import (
    functions,
    promises,
    spaces,
)
from littlestone.prove.laws.domains import DOMAIN_LAWS
from littlestone.prove.laws.functions import FUNCTION_LAWS, PLAYER_LAWS
from littlestone.prove.laws.law import Check
from littlestone.rules import Hypothesis
from littlestone.theory.game.players import OnlineLearner

Law = Callable[[Any], None]

LAWS: tuple[Law, ...] = (
    spaces.restrict_is_pure,  # first, because a class that changes would break later checks
    spaces.pickle_round_trip,
    spaces.restrict_partitions,
    spaces.restrictions_commute,
    spaces.emptiness,
    spaces.dimension_and_size,
    spaces.dimension_under_restriction,
    spaces.mistake_points,
    spaces.mistake_tree,
    spaces.examples_that_say_nothing,
    spaces.empty_version_spaces,
    spaces.equality_as_sets,
    spaces.equal_objects_restrict_alike,
    spaces.soa_is_canonical,
    spaces.soa_is_a_value,
    spaces.refusals,
    spaces.reducing_points_reduce,
    spaces.irreducibility,
    spaces.text_round_trip,
    spaces.encode_is_total,
    functions.functions_are_values,
    spaces.error_balls,
    spaces.least_errors,
    spaces.growth_function,
)

ENUMERATION_LAWS: tuple[Law, ...] = (
    promises.hypotheses_are_distinct,
    promises.hypotheses_are_members,
    promises.error_counts,
    promises.agrees_with_table,
)

COVERING_LAWS: tuple[Law, ...] = (
    promises.elements_are_counted,
    promises.few_elements_cover_a_point,
    promises.unions_are_members,
)

APPROXIMATION_LAWS: tuple[Law, ...] = (
    promises.mixtures_are_of_members,
    promises.mixtures_are_close,
)

Subject = (
    HypothesisClass[Any]
    | Domain[Any]
    | Sequence[Hypothesis[Any]]
    | Callable[[], OnlineLearner[Any]]
)


def yield_checks(subject: Subject) -> Iterator[Check]:
    """The checks of a class, a domain, functions or an online learner, each with a ``name``.

    Call a check without arguments.  It tries one law on a limited number of points, version spaces
    and samples, which are always the same.  A small domain is tried as a whole, a large one at a
    few points.  If the law is broken, it raises an `AssertionError` that names the subject, the law
    and a witness.

    - A class is checked by the laws of classes, and by those of `Enumerable`, `Covering` and
      `ProperApproximation` if it is one.  Give a covering class before any positive example.
    - A domain is checked by the laws of domains.
    - Give functions of one kind as a list.  They must be equal objects exactly when they agree
      everywhere, so include equal functions that are made in different ways.
    - Give an online learner as a function without arguments that always makes the same learner.

    >>> from littlestone.classes import Thresholds
    >>> sum(check() is None for check in yield_checks(Thresholds.on(0, 9)))
    30
    >>> from littlestone.points import Grid
    >>> [check.name for check in yield_checks(Grid(0, 9))][:2]
    ['domain_is_a_value', 'iteration']
    """
    return (Check(law.__name__, law, _freeze(subject)) for law in _laws(subject))


def _freeze(subject: Any) -> Any:
    return tuple(subject) if isinstance(subject, Sequence) else subject


def _laws(subject: Any) -> tuple[Law, ...]:
    if isinstance(subject, HypothesisClass):
        return (
            *LAWS,
            *(ENUMERATION_LAWS if isinstance(subject, Enumerable) else ()),
            *(COVERING_LAWS if isinstance(subject, Covering) else ()),
            *(APPROXIMATION_LAWS if isinstance(subject, ProperApproximation) else ()),
        )
    if isinstance(subject, Domain):
        return DOMAIN_LAWS
    return FUNCTION_LAWS if isinstance(subject, Sequence) else PLAYER_LAWS
