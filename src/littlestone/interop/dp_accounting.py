"""Events of Google's dp-accounting: ours for its accountants, and its own for our ledger.

The library is imported when a function is called.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from fractions import Fraction
from itertools import repeat
from typing import Any, Literal

from littlestone.base.errors import DeclarationError
from littlestone.privacy.accounting.elsewhere import Elsewhere, Neighbours
from littlestone.privacy.cost import decimal_text, exact, round_up
from littlestone.privacy.event import Event, Guarantee
from littlestone.privacy.rational import exp_above, log_above

_BITS, _DIGITS = 64, 12

Form = Literal["pure", "zcdp"]


def to_dp_accounting(events: Iterable[Event], form: Form = "pure") -> tuple[Any, Fraction]:
    """Our events as one `DpEvent`, and the delta to add to what its accountant finds.

    Each draw with the guarantee epsilon becomes a randomized response of two answers and the same
    epsilon, which dominates every epsilon-DP mechanism (KOV15).  With ``form="zcdp"`` each becomes a
    `ZCDpEvent` of its rho, which `RdpAccountant` composes; our exponential mechanisms gain by that.
    Numbers are rounded so that no guarantee gets better.  The deltas of the draws are not in the
    events: dp-accounting has no event for them, so add the second result to your delta.

    The neighbours are ours: one record replaced.  Draws are listed one by one, because version 0.6 of
    `PLDAccountant` ignores the count of a composed randomized response.
    """
    from dp_accounting import ComposedDpEvent

    pieces = [piece for event in events for piece in event.pieces()]
    for guarantee, _ in pieces:
        if guarantee.neighboring.unit is not None:
            raise DeclarationError(
                "hand events over to dp-accounting",
                found="one of them is about a unit with all its records, which has no event there",
                fix="record the spends of the other library in our ledger instead: from_dp_accounting",
            )
    listed = [_export(g, form) for g, count in pieces for g in repeat(g, count)]
    delta = sum((count * guarantee.delta for guarantee, count in pieces), Fraction(0))
    return ComposedDpEvent(listed), delta


def _export(guarantee: Guarantee, form: Form) -> Any:
    import dp_accounting

    if form == "zcdp":
        return dp_accounting.ZCDpEvent(math.nextafter(float(guarantee.rho), math.inf))
    least = 2 / (1 + exp_above(guarantee.epsilon, _BITS))
    return dp_accounting.RandomizedResponseDpEvent(math.nextafter(float(least), 0), 2)


def from_dp_accounting(
    event: Any, *, neighbours: Neighbours | str, delta: object = 0, unit: str | None = None
) -> Elsewhere:
    """The event of another library as a spend that `Ledger.record` takes.

    It may be made of Gaussian, Laplace, randomized-response and zCDP events, in compositions of any
    depth.  Each has a rho: 1 / (2 noise^2) of Gaussian noise, epsilon^2 / 2 of a pure epsilon.  The
    rhos add up, and their sum is charged as an epsilon at ``delta``.  If all are pure, and their
    epsilons add up to less, that is charged.  ``neighbours`` says for which data sets the noise was
    chosen: ``"add-remove"``, which is usual there and costs twice as much, or ``"replace-one"``.

    Raises `DeclarationError` for other events, such as those of samples: let an accountant find
    epsilon and delta, and record them (`Elsewhere.declare`).
    """
    epsilon: Fraction | None = Fraction(0)
    rho = Fraction(0)
    for pure, concentrated in _import_parts(event):
        epsilon = None if pure is None or epsilon is None else epsilon + pure
        rho += concentrated
    known: dict[str, Any] = {"neighbours": neighbours, "unit": unit}
    found = []
    if epsilon is not None:
        found.append(Elsewhere.declare(epsilon, delta, **known))
    if epsilon is None or exact(delta, what="delta") > 0:
        found.append(Elsewhere.from_rho(round_up(rho, _DIGITS), delta, **known))
    return min(found, key=lambda spend: (spend.cost().epsilon, spend.cost().delta))


def _import_parts(event: Any) -> Iterator[tuple[Fraction | None, Fraction]]:
    """The epsilon, None if there is none, and the rho of each part of an event."""
    import dp_accounting

    match event:
        case dp_accounting.NoOpDpEvent():
            return
        case dp_accounting.ComposedDpEvent():
            for part in event.events:
                yield from _import_parts(part)
            return
        case dp_accounting.SelfComposedDpEvent():
            count = exact(event.count, what="the count of an event")
            for epsilon, rho in _import_parts(event.event):
                yield None if epsilon is None else count * epsilon, count * rho
            return
        case dp_accounting.GaussianDpEvent():
            yield None, 1 / (2 * _positive(event.noise_multiplier) ** 2)
            return
        case dp_accounting.LaplaceDpEvent():
            pure = 1 / _positive(event.noise_multiplier)
        case dp_accounting.RandomizedResponseDpEvent():
            p = _positive(event.noise_parameter) / exact(event.num_buckets, what="buckets")
            ratio = (1 - _positive(event.noise_parameter) + p) / p
            pure = max(Fraction(0), log_above(ratio, _BITS)) if ratio > 1 else Fraction(0)
            pure = round_up(pure, _DIGITS)
        case dp_accounting.ZCDpEvent() if event.xi == 0:
            yield None, exact(event.rho, what="rho")
            return
        case _:
            raise DeclarationError(
                f"record a {type(event).__name__}",
                found="its guarantee is not known here",
                fix="let an accountant of dp-accounting find epsilon and delta, and record those with "
                "Elsewhere.declared or `littlestone ledger record --epsilon ... --delta ...`",
            )
    yield pure, pure**2 / 2


def _positive(noise: object) -> Fraction:
    found = exact(noise, what="noise")
    if found <= 0:
        raise DeclarationError(
            f"record an event with noise {decimal_text(found)}",
            found="without noise nothing is private",
            fix="give the noise that was added",
        )
    return found
