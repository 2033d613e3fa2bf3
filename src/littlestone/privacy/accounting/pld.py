"""Costs and events by dp-accounting: floats, for comparison only, never for a ledger."""

from __future__ import annotations

import importlib
import math
from functools import reduce
from typing import Any

from littlestone.errors import DeclarationError
from littlestone.privacy.event import Event


def pld_epsilon(event: Event, delta: float, *, interval: float = 1e-4) -> float:
    """The epsilon of ``event`` at ``delta`` by privacy loss distributions of its pieces.

    One loss distribution dominates each (epsilon, delta)-DP piece, and dp-accounting convolves them
    on a grid of step ``interval`` in nats.  It rounds up, so the answer is too large by at most about
    the number of draws times ``interval``.  It ignores bounded range and uses floats, so it is not
    certified, and no ledger takes it.

    Raises `DeclarationError` if dp-accounting is not installed.

    >>> from fractions import Fraction
    >>> from littlestone.privacy.accounting.composed import Composed
    >>> from littlestone.privacy.mechanisms.scores.exponential import ExponentialMechanism
    >>> hundred = Composed([(ExponentialMechanism(Fraction(1, 10)), 100)], Fraction(1, 10**6))
    >>> round(pld_epsilon(hundred, 1e-6), 4)
    4.7746
    """
    distributions = _module("dp_accounting.pld.privacy_loss_distribution")
    parameters = _module("dp_accounting.pld.common").DifferentialPrivacyParameters
    composed = reduce(
        lambda first, second: first.compose(second),
        (
            distributions.from_privacy_parameters(
                parameters(float(piece.epsilon), float(piece.delta)),
                value_discretization_interval=interval,
            ).self_compose(n)
            for piece, n in event.pieces()
        ),
    )
    return float(composed.get_epsilon_for_delta(delta))


def zcdp_event(event: Event) -> Any:
    """``event`` as a dp-accounting event of its rho, for use with its `RdpAccountant`.

    That accountant has no place for deltas: add the sum of the pieces' own deltas to its result.

    >>> import dp_accounting
    >>> from fractions import Fraction
    >>> from littlestone.privacy.mechanisms.scores.exponential import ExponentialMechanism
    >>> accountant = dp_accounting.rdp.RdpAccountant(
    ...     neighboring_relation=dp_accounting.NeighboringRelation.REPLACE_ONE)
    >>> spent = accountant.compose(zcdp_event(ExponentialMechanism(Fraction(1, 10))), 100)
    >>> print(round(accountant.get_epsilon(1e-6), 2))
    2.42
    """
    events = _module("dp_accounting")
    return events.ComposedDpEvent(
        [events.SelfComposedDpEvent(events.ZCDpEvent(float(p.rho)), n) for p, n in event.pieces()]
    )


def response_event(event: Event) -> Any:
    """``event`` as the randomized responses that dominate it, for dp-accounting's `PLDAccountant`.

    Each piece must have delta 0, or `DeclarationError` is raised.  The responses are listed one by
    one, because that accountant ignores the count of a self-composed randomized response.
    """
    events = _module("dp_accounting")
    pieces = event.pieces()
    if any(piece.delta for piece, _ in pieces):
        raise DeclarationError(
            f"state {event} as randomized responses",
            found="a part of it has a delta",
            fix="use pld_epsilon, which takes deltas too",
        )
    return events.ComposedDpEvent(
        [
            # Two buckets: with probability p the answer is uniform, otherwise true.
            events.RandomizedResponseDpEvent(2 / (1 + math.exp(float(piece.epsilon))), 2)
            for piece, n in pieces
            for _ in range(n)
        ]
    )


def _module(name: str) -> Any:
    try:
        return importlib.import_module(name)
    except ImportError:
        raise DeclarationError(
            "compare with dp-accounting",
            found="it is not installed",
            fix="pip install 'littlestone[accounting]'",
        ) from None
