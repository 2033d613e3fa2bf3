"""The reduction to binary learners, one per bit: all on the same records, or each on a part."""

from __future__ import annotations

from abc import abstractmethod
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cache, cached_property, partial
from typing import Any

from littlestone.base.errors import DeclarationError
from littlestone.classes.base import HypothesisClass
from littlestone.classes.promises.covering import Covering
from littlestone.data.sample import Sample
from littlestone.learn.base import Bound, PrivateLearner, Setting, require_plan
from littlestone.learn.choosing import ChoosingLearner
from littlestone.learn.exponential import ExponentialLearner
from littlestone.learn.lookup import PartitionLearner
from littlestone.learn.papers.irreducible import IrreducibleLearner
from littlestone.learn.papers.teachers import shuffle_records, split
from littlestone.points import Point
from littlestone.privacy.accounting.calibration import calibrate
from littlestone.privacy.accounting.composed import Composition
from littlestone.privacy.accounting.subsampled import Parallel
from littlestone.privacy.cost import Budget, PrivacyCost
from littlestone.privacy.event import Event
from littlestone.privacy.ledger import Receipt
from littlestone.rules import BitFunction

Binary = Callable[..., PrivateLearner[Any]]
"""A maker of learners of a binary class: ``binary(H, budget)``, from declarations alone."""


def first_that_applies(H: HypothesisClass[Any], budget: Budget) -> PrivateLearner[Any]:
    """The first learner that applies: by partition, choosing, exponential, or irreducible.

    For classes that are not unions of elements, exponential comes before choosing.

    >>> from littlestone.classes import Thresholds
    >>> first_that_applies(Thresholds.on(0, 9), Budget(1)).method
    'exponential'
    """
    kinds: list[Binary] = [PartitionLearner, ChoosingLearner, ExponentialLearner]
    if not isinstance(H, Covering):
        kinds = [ExponentialLearner, ChoosingLearner]
    for kind in kinds:
        try:
            return kind(H, budget)
        except DeclarationError:
            pass
    return IrreducibleLearner(H, budget)


class BitwiseLearner(PrivateLearner[Point]):
    """Learn bit i of the label by a binary learner of H|_i, for each i < b, and join the bits.

    ``binary`` makes those learners; the default is `first_that_applies`.  A code above k stands for
    the label number ``other``.  Sizes are planned for ``shares`` of alpha, one for each bit and at most
    1 in all; by default for `balance_shares` ones.  (BGS21, section 3.1.)  Raises `DeclarationError` if
    ``other`` is not a label, and whatever the binary learners raise.
    """

    learners: tuple[PrivateLearner[Point], ...]
    """One learner for each bit, the least significant bit first."""

    def __init__(
        self,
        hypotheses: HypothesisClass[Point],
        budget: Budget,
        *,
        binary: Binary = first_that_applies,
        other: int = 0,
        shares: Sequence[float] | None = None,
    ) -> None:
        super().__init__(hypotheses, budget)
        if hypotheses.labels == 2:
            raise DeclarationError(
                f"learn {hypotheses} by the method {self.method}",
                found="two labels are one bit",
                fix="take another method",
            )
        if type(other) is not int or not 0 <= other < hypotheses.labels:
            raise DeclarationError(
                f"give codes above {hypotheses.labels - 1} the label number {other!r}",
                found="there is no such label",
                fix="give the number of a label, such as 0",
            )
        self.other = other
        self.shares = shares
        classes = [hypotheses.bit_class(i) for i in range(hypotheses.bits)]
        self.learners = self.learners_of_bits(classes, budget, binary)
        self.tolerates_label_noise = all(learner.tolerates_label_noise for learner in self.learners)

    @abstractmethod
    def learners_of_bits(
        self, classes: Sequence[HypothesisClass[Point]], budget: Budget, binary: Binary
    ) -> tuple[PrivateLearner[Point], ...]:
        """The learners of the bit classes; together they cost at most ``budget``."""

    def bit(self, sample: Sample[Point], i: int) -> Sample[Point]:
        """The sample with bit i of each label as its label."""
        return sample.binary({y for y in range(self.hypotheses.labels) if y >> i & 1})

    @property
    def detail(self) -> str:
        return "each bit by " + ", ".join(dict.fromkeys(inner.method for inner in self.learners))

    def runs(self, n: int) -> Iterable[tuple[PrivateLearner[Any], int]]:
        return [(learner, n) for learner in dict.fromkeys(self.learners)]

    def work(self, n: int) -> int:
        """The work of all binary learners."""
        return sum(learner.work(n) for learner in self.learners)

    def classifier(self, bits: Sequence[Any]) -> BitFunction:
        """The function to release with these bits; it depends on them and on declarations alone."""
        return BitFunction(self.hypotheses.domain, self.hypotheses.labels, tuple(bits), self.other)

    def sample_size(self, alpha: float, beta: float, setting: Setting) -> int | None:
        """The records with which all bits together err at most alpha with probability 1 - beta.

        Each bit has a share of alpha, and beta / b.  The shares are `balance_shares`, beginning
        with equal ones.  None unless a size is proved for each bit for equal shares.  None in the
        agnostic setting, because the errors of the best bits may be b times the error of the best
        function.
        """
        require_plan(alpha, beta, setting)
        if setting == "agnostic":
            return None

        def sizes_for_shares(shares: Sequence[float]) -> list[int] | None:
            return sizes(self.learners, [alpha * share for share in shares], beta)

        if self.shares is None:
            found = balance_shares(sizes_for_shares, len(self.learners))
            return None if found is None else max(found[1])
        fixed = sizes_for_shares(self.shares)
        return None if fixed is None else max(fixed)


class BitsLearner(BitwiseLearner[Point]):
    """Learn every bit from all records; the b binary learners share one budget.

    Their composition is (epsilon, delta)-DP for every sample.  Each costs epsilon' and delta / b or
    delta / 2b, where epsilon' is the largest whose composition is within the budget.  In BGS21
    (`BitPartsLearner`) each bit sees one record in b; this learner usually needs fewer records:
    docs/proofs/multiclass-learning.md, Theorems 1 and 3.

    >>> from littlestone.classes import parse_class
    >>> H = parse_class("outcomes(origin, dest; at most 1)", labels=3)
    >>> learner = BitsLearner(H, Budget(1, "1e-6"))
    >>> learner.plan(0.1, 0.05, setting="realizable").n
    1754
    """

    method = "bits"
    several = True

    def learners_of_bits(
        self, classes: Sequence[HypothesisClass[Point]], budget: Budget, binary: Binary
    ) -> tuple[PrivateLearner[Point], ...]:
        b = len(classes)

        @cache
        def learners(share: Budget) -> tuple[PrivateLearner[Any], ...]:
            return one_a_class(classes, partial(binary, budget=share))

        def largest(delta: Fraction) -> Fraction:
            """The largest epsilon of a bit if each bit gets this much delta."""
            known: dict[Event, Fraction] = {}

            def together(epsilon: Fraction) -> Event:
                event = _together(learners(Budget(epsilon, delta)), budget.delta)
                known[event] = epsilon
                return event

            return known[calibrate(together, budget.cost)]

        # All of delta for the bits, or half of it for composing their epsilons.
        shares = {budget.delta / b, budget.delta / (2 * b)} if b > 1 else {budget.delta}
        share = Budget(*max((largest(delta), delta) for delta in shares))
        # All bits read all records, so they compose (docs/proofs/multiclass-learning.md, Theorem
        # 1).
        self.event = _together(learners(share), budget.delta)
        return learners(share)

    def draw(self, sample: Sample[Point], *, receipt: Receipt) -> BitFunction:
        return self.classifier(
            [
                learner.draw(self.bit(sample, i), receipt=receipt)
                for i, learner in enumerate(self.learners)
            ]
        )

    def plan(self, alpha: float, beta: float, *, setting: Setting = "agnostic") -> Bound | None:
        """`sample_size`, because every bit sees all records; multiclass-learning.md, Theorem 3."""
        n = self.sample_size(alpha, beta, setting)
        source = "docs/proofs/multiclass-learning.md, Theorem 3"
        return None if n is None else Bound(n, alpha, beta, setting, source)


def sizes(
    learners: Sequence[PrivateLearner[Any]], alphas: Sequence[float], beta: float
) -> list[int] | None:
    """The proved sizes of bits that err at most ``alphas``, each with probability 1 - beta / b."""
    found: dict[tuple[int, float], int] = {}
    for learner, alpha in zip(learners, alphas, strict=True):
        if (id(learner), alpha) not in found:
            bound = learner.bound(alpha, beta / len(learners), setting="realizable")
            if bound is None:
                return None
            found[id(learner), alpha] = bound.n
    return [found[id(learner), alpha] for learner, alpha in zip(learners, alphas, strict=True)]


def balance_shares(
    needed: Callable[[Sequence[float]], list[int] | None], b: int
) -> tuple[list[float], list[int]] | None:
    """Shares of alpha for b bits whose largest size is small, and the sizes; None without equal ones.

    A size is about c / alpha, so shares in proportion to the c make all sizes equal.  Other shares give
    c up to logarithms, so this is done three times, and the best of all shares is taken.

    >>> balance_shares(lambda shares: [round(c / share) for c, share in zip([300, 100], shares)], 2)[1]
    [400, 400]
    """
    shares = [1 / b] * b
    found = needed(shares)
    if found is None:
        return None
    best = shares, found
    for _ in range(3):
        if min(found) == max(found):
            break
        weights = [share * n for share, n in zip(shares, found, strict=True)]
        # The margin covers the rounding of the sum of the shares.
        shares = [(1 - 1e-12) * weight / sum(weights) for weight in weights]
        found = needed(shares)
        if found is None:
            break
        best = min(best, (shares, found), key=lambda pair: max(pair[1]))
    return best


def one_a_class(
    classes: Sequence[HypothesisClass[Point]], binary: Binary
) -> tuple[PrivateLearner[Point], ...]:
    """The learners of the classes; equal classes share one learner."""
    made = {i: binary(H) for i, H in enumerate(classes) if classes.index(H) == i}
    for learner in made.values():
        learner.require_errors("bits")
    return tuple(made[classes.index(H)] for H in classes)


def _together(learners: Sequence[PrivateLearner[Any]], delta: Fraction) -> Event:
    """One use of each learner, on the same records."""
    events = Counter(learner.event for learner in learners)
    return learners[0].event if len(learners) == 1 else Composition(events.items(), delta)


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
