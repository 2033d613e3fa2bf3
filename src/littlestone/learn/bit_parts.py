"""The reduction to binary learners as in the paper: one random part of the records per bit."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property, partial
from typing import Any

from littlestone.classes.base import HypothesisClass
from littlestone.data.sample import Sample
from littlestone.learn.base import Bound, PrivateLearner, Setting
from littlestone.learn.bits import (
    Binary,
    BitwiseLearner,
    balance_shares,
    first_that_applies,
    one_a_class,
    sizes,
)
from littlestone.learn.papers.teachers import shuffle_records, split
from littlestone.points import Point
from littlestone.privacy.accounting.subsampled import Parallel
from littlestone.privacy.cost import Budget, PrivacyCost
from littlestone.privacy.event import Event
from littlestone.privacy.ledger import Receipt
from littlestone.rules import BitFunction


@dataclass(frozen=True)
class UniformOrder(Event):
    """A uniform order of the records, whatever they contain; it costs nothing.

    It is redeemed before the order is drawn, so nothing can be drawn without a receipt.

    >>> print(UniformOrder().cost())
    epsilon 0, delta 0 (replace-one)
    """

    def cost(self) -> PrivacyCost:
        return PrivacyCost(Fraction(0))

    def __str__(self) -> str:
        return "uniform order of the records"


class BitPartsLearner(BitwiseLearner[Point]):
    """Learn bit i from part i of the records, which a uniform permutation cuts into b equal parts.

    One replaced record lies in one part, so for every sample the whole costs what one binary learner
    costs.  The remainder of n / b is not read.  Source: BGS21, Theorem 3.1 and Figure 1, with parts by
    place: docs/proofs/multiclass-learning.md, Theorem 2.  `BitsLearner` usually needs fewer records.

    >>> from littlestone.classes import parse_class
    >>> H = parse_class("outcomes(origin, dest; at most 1)", labels=3)
    >>> learner = BitPartsLearner(H, Budget(1, "1e-6"))
    >>> learner.plan(0.1, 0.05, setting="realizable").n
    1862
    """

    method = "bit_parts"
    several = True

    def learners_of_bits(
        self, classes: Sequence[HypothesisClass[Point]], budget: Budget, binary: Binary
    ) -> tuple[PrivateLearner[Point], ...]:
        return one_a_class(classes, partial(binary, budget=budget))

    @classmethod
    def with_proved_bound(
        cls, hypotheses: HypothesisClass[Point], budget: Budget, *, alpha: float, beta: float
    ) -> BitPartsLearner[Point]:
        """The learner whose bits have a proved size for a share of alpha each.

        The shares are `balance_shares`.  The methods of the bits are those of `first_that_applies`.
        """
        bits = [hypotheses.bit_class(i) for i in range(hypotheses.bits)]
        b = len(bits)

        def learner_for_shares(shares: Sequence[float]) -> BitPartsLearner[Point]:
            goals = {bit: alpha * share for bit, share in zip(bits, shares, strict=True)}

            def binary(bit: HypothesisClass[Any], budget: Budget) -> PrivateLearner[Any]:
                kind = type(first_that_applies(bit, budget))
                return kind.with_proved_bound(bit, budget, alpha=goals[bit], beta=beta / b)

            return cls(hypotheses, budget, binary=binary, shares=shares)

        def sizes_for_shares(shares: Sequence[float]) -> list[int] | None:
            return sizes(
                learner_for_shares(shares).learners, [alpha * share for share in shares], beta
            )

        found = balance_shares(sizes_for_shares, b)
        return learner_for_shares([1 / b] * b if found is None else found[0])

    @cached_property
    def event(self) -> Parallel:
        # A record is in one part, so the largest cost counts (docs/proofs/multiclass-learning.md,
        # Theorem 2).
        return Parallel([UniformOrder(), *(learner.event for learner in self.learners)])

    def draw(self, sample: Sample[Point], *, receipt: Receipt) -> BitFunction:
        # The order costs nothing, but it too is drawn only against the receipt.
        rng = receipt.redeem(UniformOrder())
        parts = self.parts(list(split(sample, shuffle_records(sample, rng), len(self.learners))))
        return self.classifier(
            [
                learner.draw(part, receipt=receipt)
                for learner, part in zip(self.learners, parts, strict=True)
            ]
        )

    def parts(self, parts: Sequence[Sample[Point]]) -> list[Sample[Point]]:
        """Each part with the bits that its learner sees as labels."""
        return [self.bit(part, i) for i, part in enumerate(parts)]

    def plan(self, alpha: float, beta: float, *, setting: Setting = "agnostic") -> Bound | None:
        """`sample_size` for each bit; docs/proofs/multiclass-learning.md, Theorem 3."""
        n = self.sample_size(alpha, beta, setting)
        if n is None:
            return None
        source = "docs/proofs/multiclass-learning.md, Theorem 3"
        return Bound(len(self.learners) * n, alpha, beta, setting, source)
