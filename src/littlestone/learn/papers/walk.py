"""The walk of right and wrong votes, which gives boosting by majority its weights."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property

from littlestone.base.errors import DeclarationError
from littlestone.privacy.parameters import least

MOST_ROUNDS = 999


@dataclass(frozen=True)
class Walk:
    """T = ``rounds``, odd, votes on one record, each right with probability p = 1/2 + ``gamma``.

    The weight in round t of a record on which r of the t - 1 votes so far were right is

        w_t(r) = Pr[r + Bin(T - t, p) = (T - 1) / 2],

    the probability that this round's vote decides; docs/proofs/boosting.md.

    >>> walk = Walk(3, Fraction(1, 4))
    >>> walk.majority_error, [walk.weights(t) for t in (1, 2, 3)]
    (Fraction(5, 32), [[6], [3, 1], [0, 1, 0]])
    """

    rounds: int
    gamma: Fraction

    def _terms(self, n: int) -> list[int]:
        """Pr[Bin(n, p) = e] for e = 0, ..., n, all times `_unit`^n."""
        right, wrong = self._right, self._unit - self._right
        # Whole numbers, each from the one before: every division is exact.
        found = [wrong**n]
        for e in range(n):
            found.append(found[-1] * (n - e) * right // ((e + 1) * wrong))
        return found

    @property
    def _right(self) -> int:
        return (Fraction(1, 2) + self.gamma).numerator

    @property
    def _unit(self) -> int:
        return (Fraction(1, 2) + self.gamma).denominator

    @property
    def majority_error(self) -> Fraction:
        """Pr[Bin(T, p) < T / 2], the error of the majority of such votes."""
        wrong = sum(self._terms(self.rounds)[: self.rounds // 2 + 1])
        return Fraction(wrong, self._unit**self.rounds)

    def weights(self, t: int) -> list[int]:
        """w_t(0), ..., w_t(t - 1), all times a common factor; not all of them are 0."""
        terms = self._terms(self.rounds - t)
        # With r right votes, this round decides iff exactly (T - 1) / 2 - r of the later ones are
        # right.
        missing = (self.rounds // 2 - r for r in range(t))
        return [terms[e] if 0 <= e < len(terms) else 0 for e in missing]

    def height(self, t: int) -> float:
        """The largest w_t(r)."""
        return float(Fraction(max(self.weights(t)), self._unit ** (self.rounds - t)))

    @cached_property
    def heights(self) -> float:
        """The sum of `height` over the rounds from the second on; the first keeps all records."""
        return sum(map(self.height, range(2, self.rounds + 1)))


def shortest(gamma: Fraction, lost: Fraction, asked: str) -> Walk:
    """The shortest walk, of at least three rounds, whose `Walk.majority_error` is at most ``lost``."""
    most = MOST_ROUNDS // 2
    half = least(lambda k: k > most or Walk(2 * k + 1, gamma).majority_error <= lost)
    if half > most:
        raise DeclarationError(
            f"{asked} with gamma = {gamma}",
            found=f"votes that are so weak take more than {MOST_ROUNDS} rounds",
            fix="give a larger gamma, or a larger alpha",
        )
    return Walk(2 * half + 1, gamma)
