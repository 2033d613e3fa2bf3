"""Votes on a stream of questions, in which certain answers are free."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cache, cached_property

from littlestone.base.errors import DeclarationError, TooLargeError
from littlestone.privacy.cost import Budget
from littlestone.privacy.ledger import Receipt
from littlestone.privacy.mechanisms.base import BudgetedMechanism, Mechanism
from littlestone.privacy.mechanisms.one_sided_threshold import OneSidedThreshold
from littlestone.privacy.mechanisms.uncertain_votes import moment_per_hit
from littlestone.privacy.parameters import least, require_whole
from littlestone.privacy.rational import log_above, log_below
from littlestone.privacy.samplers.reals import Enclosure, LazyUniform, Real, bernoulli
from littlestone.privacy.tape import Tape

Answer = tuple[int, bool]
"""A label, and whether the vote was certain."""

MOST_ORDER = 600
"""The largest order of a moment, whose digits and time grow with the order."""

_GATE = Fraction(1, 16)  # the share of epsilon that hides how many uncertain votes there were
_ORDERS = [Fraction(i, 8) for i in range(3, 13)]  # in units of the order that Gaussian noise has


@dataclass(frozen=True, kw_only=True)
class BetweenThresholds(BudgetedMechanism, Mechanism[Sequence[int], tuple[Answer, ...]]):
    """Answer yes/no questions by ``voters`` votes, when one record moves one vote per question.

    With n of k = ``voters`` for 1, c = ``threshold`` and r = 1 + 1/N, the answer is

        a certain 0, an uncertain one, a certain 1   with weights   r^(k - n - c), 1, r^(n - c),

    and an uncertain answer is 1 with odds r^(n - floor(k / 2)).  `gate` ends the session soon before
    there are ``hits`` uncertain answers; certain answers are free, however many there are.  It is
    (epsilon, delta)-DP for the least such N, whatever the votes: docs/proofs/private-prediction.md,
    Theorem 1.

    >>> votes = BetweenThresholds(
    ...     budget=Budget(1, "1e-6"), voters=400, threshold=300, hits=50, horizon=9
    ... )
    >>> votes.steepness, [round(float(p), 3) for p in votes.probabilities(320).values()]
    (52, [0.006, 0.037, 0.366, 0.59])
    """

    budget: Budget
    voters: int
    threshold: int
    hits: int
    horizon: int

    def __post_init__(self) -> None:
        require_whole("voters", self.voters, least=1)
        require_whole("hits", self.hits, least=1)
        require_whole("threshold", self.threshold, least=self.voters // 2 + 1)
        require_whole("horizon", self.horizon, least=1)
        if self.delta == 0:
            raise DeclarationError(
                "answer questions by votes with delta = 0",
                found="delta must be greater than 0",
                fix="give a positive delta, such as 1e-6",
            )
        if (order := max(self._orders)) > MOST_ORDER:
            raise TooLargeError(
                "answer questions by votes",
                found=f"it takes moments of order {order:,}, about 3 ln(1 / delta) / epsilon, "
                f"and at most {MOST_ORDER:,}",
                fix="allow a larger epsilon or delta",
            )

    @cached_property
    def gate(self) -> OneSidedThreshold:
        """The test that ends the session: a noisy count of the uncertain answers."""
        share = self.epsilon * _GATE
        return OneSidedThreshold(epsilon=share, threshold=self.hits, horizon=self.horizon)

    @cached_property
    def steepness(self) -> int:
        """N: the least number that `is_private` accepts; r = 1 + 1/N."""
        return least(self.is_private)

    def is_private(self, steepness: int) -> bool:
        """Whether r = 1 + 1/N is within (epsilon, delta), by some order alpha = 2, 3, ..."""
        rest, least_delta = self.epsilon - self.gate.epsilon, log_below(self.delta)
        return any(self._log_delta(steepness, order, rest) <= least_delta for order in self._orders)

    @cached_property
    def _orders(self) -> set[int]:
        """The orders to try."""
        unit = -2 * log_below(self.delta) / (self.epsilon - self.gate.epsilon)
        return {max(2, round(1 + share * unit)) for share in _ORDERS}

    def _log_delta(self, steepness: int, order: int, epsilon: Fraction) -> Fraction:
        """An upper bound of ln(delta) at this order, by Theorem 1; 1 if it bounds nothing."""
        ratio = Fraction(steepness + 1, steepness)
        factor = moment_per_hit(ratio, order, self.voters, self.threshold)
        # The gate lets uncertain answers exceed `hits` by a geometric number; its moment is the
        # second term.
        skipped = self.gate.shrink
        if factor is None or skipped * factor >= 1:
            return Fraction(1)
        return (
            self.hits * log_above(factor, 96)
            + log_above((1 - skipped) / (1 - skipped * factor))
            + (order - 1) * log_above(Fraction(order - 1, order))
            - log_below(Fraction(order))
            - (order - 1) * epsilon
        )

    def _exponents(self, votes: int) -> tuple[int, int, int]:
        """The weights of a certain 0, an uncertain answer and a certain 1 are r^-these, the least 0."""
        n, k, c = min(max(votes, 0), self.voters), self.voters, self.threshold
        most = max(k - n - c, 0, n - c)
        return most - (k - n - c), most, most - (n - c)

    @property
    def _shrink(self) -> Fraction:
        """1 / r."""
        return Fraction(self.steepness, self.steepness + 1)

    def probabilities(self, votes: int) -> dict[Answer, Fraction]:
        """The exact probabilities of all answers: certain 0, uncertain 0, uncertain 1, certain 1."""
        zero, none, one = (self._shrink**e for e in self._exponents(votes))
        odds, total = self._shrink ** (self.voters // 2 - votes), zero + none + one
        unsure = none / total / (1 + odds)
        return {
            (0, True): zero / total,
            (0, False): unsure,
            (1, False): unsure * odds,
            (1, True): one / total,
        }

    @cached_property
    def _bounds(self) -> Callable[[int], tuple[Real, Real, Real]]:
        """Pr[certain 0], Pr[certain 0 or uncertain] and Pr[1 if uncertain], by number of votes."""

        @cache
        def bounds(votes: int) -> tuple[Real, Real, Real]:
            answers, ahead = self._exponents(votes), votes - self.voters // 2
            labels = max(0, -ahead), max(0, ahead)
            return self._part(answers, 1), self._part(answers, 2), self._part(labels, 1)

        return bounds

    def _part(self, exponents: Sequence[int], first: int) -> Real:
        """The share of the ``first`` weights r^-e in all; as fractions they have ten thousand bits."""
        shrink = Real.of(self._shrink)

        @cache
        def enclose(bits: int) -> Enclosure:
            weights = [shrink.power(e).enclose(bits + 8) for e in exponents]
            low, high = (sum(ends) for ends in zip(*weights, strict=True))
            below, above = (sum(ends) for ends in zip(*weights[:first], strict=True))
            return (below << bits) // high, -((-above << bits) // low)

        return Real(enclose)

    def answer(self, votes: int, rng: random.Random) -> Answer:
        """The answer to one question; some microseconds if this number of votes was seen before."""
        zero, unsure, one = self._bounds(votes)
        # One uniform number decides between certain 0, certain 1 and uncertain, each with its exact
        # share.
        u = LazyUniform(rng)
        if u.below(zero):
            return 0, True
        if not u.below(unsure):
            return 1, True
        return int(bernoulli(one, rng)), False

    def __getstate__(self) -> dict[str, object]:
        return {name: value for name, value in vars(self).items() if name != "_bounds"}

    def draw(self, data: Sequence[int], *, receipt: Receipt) -> tuple[Answer, ...]:
        """The answers up to the end of the session; ``data[t]`` is the number of votes for 1."""
        rng = receipt.redeem(self)
        tape = Tape(rng)
        epoch, answers = self.gate.begin(1, tape), list[Answer]()
        for step, votes in enumerate(data[: self.horizon], start=1):
            answers.append(self.answer(votes, rng))
            # Only uncertain answers count against the session: certain ones are free
            # (docs/proofs/private-prediction.md, Theorem 1).
            if not answers[-1][1]:
                epoch = self.gate.count_record(epoch, step, tape)
            if epoch.due == step:
                break
        return tuple(answers)

    def distribution(self, data: Sequence[int]) -> dict[tuple[Answer, ...], Fraction]:
        kept = data[: self.horizon]
        found: dict[tuple[Answer, ...], Fraction] = {}
        for answers, mass in self._answers(kept):
            ended = Fraction(0)
            uncertain = [not certain for _, certain in answers]
            for hits, p in self.gate.distribution(uncertain).items():
                if hits == (len(answers),) or (not hits and len(answers) == len(kept)):
                    ended += p
            if ended:
                found[answers] = mass * ended
        return found

    def _answers(self, data: Sequence[int]) -> Iterator[tuple[tuple[Answer, ...], Fraction]]:
        """All answers to the first questions, with their probabilities if no session ends."""
        known: list[tuple[tuple[Answer, ...], Fraction]] = [((), Fraction(1))]
        if not data:
            yield from known
        for votes in data:
            now = self.probabilities(votes).items()
            known = [((*so_far, a), p * q) for so_far, p in known for a, q in now]
            yield from known

    def __str__(self) -> str:
        return (
            f"{self.voters} votes on each of {self.horizon} questions, certain from "
            f"{self.threshold} on, about {self.hits} uncertain ones, "
            f"{self.budget}"
        )
