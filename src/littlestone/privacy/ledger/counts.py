"""The counts of a data set: what is spent on rows, and on the units of each column."""

from __future__ import annotations

import shlex
from collections.abc import Iterable
from dataclasses import dataclass, replace

from littlestone.privacy.accounting.grouped import of_group
from littlestone.privacy.cost import NeighboringRelation, PrivacyCost
from littlestone.privacy.ledger.parts import Part, Spending

UNBOUNDED = "cannot be bounded: no largest number of records per unit is declared"

Paid = tuple[str, Part | None, PrivacyCost, int]
"""A name of the data set, the part that was read, the cost of a spend, and how many were equal."""


@dataclass(frozen=True)
class Most:
    """A declared largest number of records per unit, and whether spends came before it."""

    records: int
    late: bool


@dataclass(frozen=True)
class Count:
    """What is spent for the neighbours of one ``relation``; ``total`` is None if it has no bound.

    ``most`` is the declared maximum of records per unit, from which spends for other neighbours are
    counted.  ``others`` are the relations of these spends.
    """

    relation: NeighboringRelation
    total: PrivacyCost | None
    limit: PrivacyCost | None
    most: Most | None = None
    others: tuple[NeighboringRelation, ...] = ()

    @property
    def excess(self) -> list[str]:
        """Which numbers of the limit the total passes; both if the total has no bound."""
        # A total without a bound passes every limit: nothing that was protected may lose its bound.
        if self.total is None:
            return ["epsilon", "delta"]
        if self.limit is None:
            return []
        sides = {
            "epsilon": self.total.epsilon > self.limit.epsilon,
            "delta": self.total.delta > self.limit.delta,
        }
        return [side for side, passed in sides.items() if passed]

    @property
    def gap(self) -> str:
        """Why a total has no bound, in words."""
        spent = " and ".join(f"per {other.unit or 'record'}" for other in self.others)
        return f"this table's budget is spent {spent}; for each {self.relation.unit} it {UNBOUNDED}"

    def remedy(self, dataset: str) -> str:
        """The command that bounds a total without a bound."""
        return (
            f"declare as many records as one {self.relation.unit} has in the table at most, such as 3: "
            f"littlestone ledger unit {shlex.quote(dataset)} "
            f"--unit {shlex.quote(str(self.relation.unit))} --max-records 3"
        )

    def text(self) -> str:
        """The total in words, and what it rests on.

        >>> count = Count(NeighboringRelation.replace_one_unit("patient"), None, None)
        >>> count.text().partition(": cannot be")[0]
        'infinite (replace-one-unit: patient)'
        """
        if self.total is None:
            return f"infinite ({self.relation}): {UNBOUNDED}"
        if self.most is None or not self.others:
            return str(self.total)
        when = "declared after a spend, " if self.most.late else ""
        return (
            f"{self.total}; at most {self.most.records:,} records of each {self.relation.unit}: "
            f"{when}a promise that nobody enforced"
        )


def convert_cost(
    cost: PrivacyCost, relation: NeighboringRelation, most: Most | None
) -> PrivacyCost | None:
    """What ``cost`` is for the neighbours of ``relation``; None if that has no bound.

    A cost for units is the same for a row.  Any other cost for at most k records of a unit is that of
    k rows (docs/proofs/units.md, Theorem 4).

    >>> from fractions import Fraction
    >>> patients = NeighboringRelation.replace_one_unit("patient")
    >>> print(convert_cost(PrivacyCost(Fraction(1)), patients, Most(3, late=False)))
    epsilon 3, delta 0 (replace-one-unit: patient)
    >>> convert_cost(PrivacyCost(Fraction(1)), patients, None) is None
    True
    """
    if cost.neighboring == relation:
        return cost
    if relation.unit is not None:
        if most is None:
            return None
        # Group privacy: k records of a unit are k rows replaced (docs/proofs/units.md, Theorem 4).
        cost = of_group(cost, most.records)
    return replace(cost, neighboring=relation)


def spending(
    paid: Iterable[Paid], relation: NeighboringRelation, most: Most | None
) -> Spending | None:
    """The spending for the neighbours of ``relation``; None if it has no bound."""
    spent = Spending(relation)
    for name, part, one, times in paid:
        cost = convert_cost(one, relation, most)
        if cost is None:
            return None
        all_of_them = PrivacyCost(times * cost.epsilon, times * cost.delta, relation)
        spent.add(all_of_them, part, name=name)
    return spent
