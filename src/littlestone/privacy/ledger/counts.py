"""The counts of a data set: what is spent on rows, on the units of each column and on parts."""

from __future__ import annotations

import shlex
from collections.abc import Iterable
from dataclasses import dataclass, replace
from fractions import Fraction
from math import lcm

from littlestone.base.errors import DeclarationError
from littlestone.privacy.accounting.groups import of_group
from littlestone.privacy.cost import DIGITS, NeighboringRelation, PrivacyCost
from littlestone.privacy.ledger.common_tables import check_name


@dataclass(frozen=True)
class Part:
    """Part ``index`` of the ``of`` parts (1 <= index <= of) that ``partition`` splits positions into.

    ``partition`` names a rule that assigns every position of the data set to exactly one part and
    never looks at a record.  Under one name and one ``of`` the rule must always be the same, so say it
    in the name.  Under replace-one neighbours a replaced record keeps its position, and so its part.

    There are no parts by value.  There a replaced record may leave one part and enter another, which
    changes two parts and the sizes of both, and a replace-one guarantee does not cover that.  Nor are
    there parts for spends about one unit replaced, because its records may lie in several parts.

    Raises `DeclarationError` for numbers out of range.

    >>> print(Part("odd and even positions", 1, 2))
    1 of 2 (odd and even positions)
    """

    partition: str
    index: int
    of: int

    def __post_init__(self) -> None:
        check_name(self.partition, "a partition")
        whole = all(type(number) is int for number in (self.index, self.of))
        if not whole or not 1 <= self.index <= self.of < 2**31:
            raise DeclarationError(
                f"use part {self.index!r} of {self.of!r}",
                found="parts are counted 1, 2, ..., up to their number, below 2^31",
                fix="give index and of as whole numbers with 1 <= index <= of",
            )

    @classmethod
    def fold(cls, index: int, of: int) -> Part:
        """Every ``of``-th record from number ``index`` on: ``records[index - 1 :: of]``.

        Appending records moves no earlier record to another fold.

        >>> fold = Part.fold(2, 5)
        >>> str(fold), list(range(12))[fold.index - 1 :: fold.of]
        ('2 of 5 (folds by position)', [1, 6, 11])
        """
        return cls("folds by position", index, of)

    def __str__(self) -> str:
        return f"{self.index} of {self.of} ({self.partition})"


class Spending:
    """The total of one data set, to which spends on it and on its parts are added one by one.

    For spends of costs c_t on parts P_t, or on the whole data set,

        total = (sum of c_t over the whole) + sum over partitions Q of max over parts P of Q of
                (sum of c_t with P_t = P),

    with separate maxima for epsilon and delta.  It is the least cost that is at least what each
    position has paid (docs/proofs/ledger.md, section 2).  All costs are under one neighbouring
    relation, that of the first; until then the total is 0 under ``neighboring``.  Time: O(1) per
    addition.

    >>> spending = Spending()
    >>> for index in (1, 2, 2):
    ...     spending.add(PrivacyCost(Fraction(1, 4)), Part.fold(index, 5))
    >>> spending.add(PrivacyCost(Fraction(1)), None)
    >>> spending.total.epsilon
    Fraction(3, 2)
    """

    def __init__(self, neighboring: NeighboringRelation = NeighboringRelation.REPLACE_ONE) -> None:
        self.total = PrivacyCost(Fraction(0), neighboring=neighboring)
        self.counted = False
        self._parts: dict[tuple[str, Part], PrivacyCost] = {}
        self._worst: dict[tuple[str, str, int], PrivacyCost] = {}
        self._units = 1, 1  # all epsilons and all deltas are multiples of 1 / unit

    def add(self, cost: PrivacyCost, part: Part | None, *, name: str = "") -> None:
        """Count a spend of ``cost`` on ``part``, or on the whole data set.

        If the data set has several names, partitions under different names add up, because the records
        may be in another order there.  Raises `DeclarationError` for a cost under another neighbouring
        relation than those before it.
        """
        if not self.counted:
            self.total, self.counted = replace(self.total, neighboring=cost.neighboring), True
        epsilon, delta = self._units
        self._units = lcm(epsilon, cost.epsilon.denominator), lcm(delta, cost.delta.denominator)
        if part is not None:
            partition = name, part.partition, part.of
            zero = PrivacyCost(Fraction(0), neighboring=cost.neighboring)
            before = self._worst.get(partition, zero)
            paid = self._parts[name, part] = self._parts.get((name, part), zero) + cost
            # Maxima of epsilon and of delta separately: the part with the largest epsilon may not
            # have the largest delta (docs/proofs/ledger.md, section 2).
            worst = PrivacyCost(
                max(before.epsilon, paid.epsilon), max(before.delta, paid.delta), paid.neighboring
            )
            self._worst[partition] = worst
            cost = PrivacyCost(
                worst.epsilon - before.epsilon, worst.delta - before.delta, worst.neighboring
            )
        self.total += cost

    def charge_for(self, cost: PrivacyCost) -> PrivacyCost:
        """The charge for a further spend of ``cost``: ``cost``, or slightly more to keep totals short.

        The denominator of a total divides the unit, the least common multiple of all denominators.
        The unit may grow up to 10^200; a number that would make it larger is rounded up to the next
        multiple of 10^-100.  So no total is ever too long to be added, compared and printed.

        >>> spending = Spending()
        >>> for prime in (3, 7):
        ...     spending.add(PrivacyCost(Fraction(1, prime**110)), None)
        >>> half, fifth = Fraction(1, 2), Fraction(1, 11**90)
        >>> spending.charge_for(PrivacyCost(half)).epsilon == half
        True
        >>> 0 < spending.charge_for(PrivacyCost(fifth)).epsilon - fifth < Fraction(1, 10**100)
        True
        """
        epsilon, delta = self._units
        return PrivacyCost(
            _charge(cost.epsilon, epsilon), _charge(cost.delta, delta), cost.neighboring
        )


def _charge(number: Fraction, unit: int) -> Fraction:
    if lcm(unit, number.denominator) <= max(unit, 10 ** (2 * DIGITS)):
        return number
    # Rounded up to the grid: charging more is safe, and all later denominators divide it.
    grid = 10**DIGITS
    return Fraction(-(-number.numerator * grid // number.denominator), grid)


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
