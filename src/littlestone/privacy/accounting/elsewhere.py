"""Spends by other libraries, as events that a ledger records beside our own."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import Self

from littlestone.base.errors import DeclarationError
from littlestone.privacy.accounting.composed import zcdp_epsilon
from littlestone.privacy.accounting.groups import of_group
from littlestone.privacy.cost import (
    NeighboringRelation,
    PrivacyCost,
    decimal_text,
    exact,
    exact_delta,
)
from littlestone.privacy.event import Event


class Neighbours(StrEnum):
    """Which data sets the other library compares."""

    REPLACE_ONE = "replace-one"
    ADD_REMOVE = "add-remove"


@dataclass(frozen=True)
class Elsewhere(Event):
    """A use of another library, which states its own guarantee.  Nothing here can check it.

    Make one with `declare` or `from_rho`.  It holds the cost under our relation: one record
    replaced, or one unit.  A guarantee for one record added or removed holds twice for a record
    replaced, because a replacement is one removal and one addition
    (docs/proofs/units.md, Theorem 2 for k = 2).
    """

    paid: PrivacyCost
    stated: str

    @classmethod
    def declare(
        cls,
        epsilon: object,
        delta: object = 0,
        *,
        neighbours: Neighbours | str,
        unit: str | None = None,
    ) -> Self:
        """The spend of an (epsilon, delta)-DP use under ``neighbours``.

        Under ``"add-remove"`` it costs (2 epsilon, (1 + e^epsilon) delta), with delta rounded up to six
        digits and at most 1.  ``epsilon`` is in nats and at least 0, ``delta`` is a probability below
        1, and both are read exactly: 0.1 and ``"0.1"`` are 1/10.  With a ``unit``, such as
        ``"patient_id"``, the guarantee is for one unit with all its records.  Raises `DeclarationError`
        for other numbers or neighbours.

        >>> print(Elsewhere.declare("0.5", neighbours="add-remove").cost())
        epsilon 1, delta 0 (replace-one)
        """
        steps, relation = _steps(neighbours), _relation(unit)
        paid = PrivacyCost(exact(epsilon, what="epsilon"), exact_delta(delta), relation)
        _require_positive("epsilon", paid.epsilon < 0)
        words = f"epsilon {decimal_text(paid.epsilon)}, delta {decimal_text(paid.delta)}"
        return cls(of_group(paid, steps), f"{words}, {neighbours}")

    @classmethod
    def from_rho(
        cls,
        rho: object,
        delta: object,
        *,
        neighbours: Neighbours | str,
        unit: str | None = None,
    ) -> Self:
        """The spend of a ``rho``-zCDP use, charged as an epsilon at ``delta`` > 0, rounded up.

        Under ``"add-remove"`` it is 4 rho-zCDP for a record replaced (BS16, on group privacy).  The
        arguments and errors are those of `declare`.

        >>> print(Elsewhere.from_rho("0.125", "1e-6", neighbours="replace-one").cost())
        epsilon 2.4191, delta 0.000001 (replace-one)
        """
        steps, relation = _steps(neighbours), _relation(unit)
        known, at = exact(rho, what="rho"), exact_delta(delta)
        _require_positive("rho", known < 0)
        if at == 0:
            raise DeclarationError(
                f"charge rho = {decimal_text(known)} at delta = 0",
                found="a zCDP guarantee is an epsilon only at a delta above 0",
                fix="give a delta far below 1/n, such as 1e-6",
            )
        # Group privacy of zCDP: two steps have four times the rho (BS16).
        epsilon = zcdp_epsilon(steps**2 * known, at) if known else known
        words = f"rho {decimal_text(known)} at delta {decimal_text(at)}"
        return cls(PrivacyCost(epsilon, at, relation), f"{words}, {neighbours}")

    def cost(self) -> PrivacyCost:
        return self.paid

    def __str__(self) -> str:
        return f"elsewhere: {self.stated}"


def _steps(neighbours: Neighbours | str) -> int:
    """How many pairs of the other library's neighbours lead from a data set to one of ours."""
    if neighbours == Neighbours.REPLACE_ONE:
        return 1
    if neighbours == Neighbours.ADD_REMOVE:
        return 2
    raise DeclarationError(
        "record a spend made elsewhere",
        found="it is not said for which neighbours its epsilon holds",
        fix="say replace-one (--neighbours replace-one), or add-remove if one record is added or "
        "removed, which costs twice as much; the other library's pages tell which",
    )


def _relation(unit: str | None) -> NeighboringRelation:
    if unit is None:
        return NeighboringRelation.REPLACE_ONE
    return NeighboringRelation.replace_one_unit(unit)


def _require_positive(name: str, negative: bool) -> None:
    if negative:
        raise DeclarationError(
            f"record a negative {name}",
            found="nothing can be unspent",
            fix=f"give {name} as the other library states it",
        )
