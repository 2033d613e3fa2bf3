"""The numbers of records in a few disjoint cells, with discrete Laplace noise."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from itertools import product
from math import ceil, prod

from littlestone.privacy.cost import PrivacyCost, decimal_text, require_epsilon
from littlestone.privacy.event import Guarantee, Mechanism
from littlestone.privacy.ledger import Receipt
from littlestone.privacy.parameters import require_whole
from littlestone.privacy.rational import exp_below, log_above, log_below
from littlestone.privacy.samplers.noise import discrete_laplace


@dataclass(frozen=True)
class CellCounts(Mechanism[Sequence[int], tuple[int, ...]]):
    """Release (c_1 + X_1, ..., c_k + X_k), where a record is in at most one of ``cells`` = k cells.

    With ``together`` it may be in several, such as the unread cells of k columns.

    The X are independent discrete Laplace numbers, Pr[X = x] = (1 - a) / (1 + a) a^|x| with a = 1 / r
    and r a rational <= e^(epsilon / m), m = min(k, 2), or m = k together.  A replaced record leaves
    one cell and enters another, or moves each count by at most 1, so the counts move by at most m in L1
    and the release is epsilon-DP (docs/proofs/estimates.md, Theorems 1 and 4; DMNS06; GRS12).

    ``data`` holds the counts c_1, ..., c_k.  The caller guarantees that the cells are disjoint unless
    they are counted together, and public, such as those of a released rule.  Then ``cells`` may be
    None, if only the rule will say how many there are: m = 2 is right for any number.

    Raises `DeclarationError` for an epsilon outside [1e-9, 1000] and for fewer than one cell.

    >>> CellCounts(Fraction(1), 3).within(Fraction(1, 20))
    8
    """

    epsilon: Fraction
    cells: int | None
    together: bool = False

    def __post_init__(self) -> None:
        require_epsilon(self.epsilon)
        if self.cells is not None or self.together:
            require_whole("cells", self.cells, least=1)

    @property
    def counts_per_record(self) -> int:
        """The most counts that a replaced record moves, each by 1."""
        # However many cells there are, a record leaves one and enters another.
        most = 2 if self.cells is None else self.cells
        return most if self.together else min(most, 2)

    @cached_property
    def ratio(self) -> Fraction:
        """The ratio a of the probabilities of neighbouring noises."""
        return 1 / exp_below(self.epsilon / self.counts_per_record)

    def within(self, beta: Fraction, cells: int | None = None) -> int:
        """The least t with k Pr[|X| > t] <= beta: then Pr[all |X| <= t] >= 1 - beta.

        k is the number of ``cells`` that were drawn, if it was not declared.  Pr[|X| > t] is
        2 a^(t + 1) / (1 + a); its logarithms are rounded to the safe side.
        """
        k = (self.cells or 1) if cells is None else cells
        # A union bound over the cells, both tails.
        at_least = log_above(2 * k / (beta * (1 + self.ratio)), bits=192)
        return max(0, ceil(at_least / log_below(1 / self.ratio, bits=192)) - 1)

    def cost(self) -> PrivacyCost:
        return PrivacyCost(self.epsilon)

    def guarantee(self) -> Guarantee:
        # A replaced record moves m counts by one, and each of them is (epsilon / m)-DP.
        each = Guarantee.pure(self.epsilon / self.counts_per_record)
        return Guarantee(self.epsilon, Fraction(0), self.counts_per_record * each.rho)

    def draw(self, data: Sequence[int], *, receipt: Receipt) -> tuple[int, ...]:
        rng = receipt.redeem(self)
        # Fresh noise for every cell, also for cells without records.
        return tuple(count + discrete_laplace(self.ratio, rng) for count in data)

    def distribution(
        self, data: Sequence[int], n: int | None = None
    ) -> dict[tuple[int, ...], Fraction]:
        """Exact, except that all numbers below 0 are named 0, and those above n are named n.

        Beyond all counts of n records the probabilities of two samples have one ratio.  The default of
        ``n`` is the number of records in the cells.
        """
        a, most = self.ratio, sum(data) if n is None else n

        def masses(count: int) -> dict[int, Fraction]:
            if not most:
                return {0: Fraction(1)}
            inside = {y: (1 - a) / (1 + a) * a ** abs(y - count) for y in range(1, most)}
            return {0: a**count / (1 + a), **inside, most: a ** (most - count) / (1 + a)}

        each = [masses(count) for count in data]
        return {
            ys: prod((cell[y] for cell, y in zip(each, ys, strict=True)), start=Fraction(1))
            for ys in product(*each)
        }

    def __str__(self) -> str:
        counted = "a count" if self.cells == 1 else f"counts of {self.cells} cells"
        if self.cells is None:
            counted = "counts of each label at each place of the rule"
        if self.together:
            counted = f"{self.cells} counts that one record may move together,"
        return f"{counted} with discrete Laplace noise, epsilon {decimal_text(self.epsilon)}"
