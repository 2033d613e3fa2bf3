"""Agnostic transformations: relabelled sample, patterns of labels, sizes, realizable learner."""

from __future__ import annotations

import math
import random
from abc import abstractmethod
from collections.abc import Callable, Iterable
from fractions import Fraction
from functools import partial
from typing import Any, ClassVar

from littlestone.base.errors import DeclarationError, TooLargeError
from littlestone.classes.base import Enumerable, HypothesisClass
from littlestone.data.sample import Sample
from littlestone.learn.base import (
    MOST_WORK,
    Bound,
    Caveat,
    PrivateLearner,
    Setting,
    exact_alpha,
    has_rule,
    kinds_of_learners,
    require_plan,
)
from littlestone.learn.papers.irreducible import IrreducibleLearner
from littlestone.learn.papers.patterns import (
    ENTRIES,
    Counts,
    best,
    epsilons,
    errors_of,
    fewest_errors,
    most_points,
    patterns,
    relabel,
    relax,
    shares,
)
from littlestone.learn.papers.teachers import shuffle_records, split
from littlestone.points import Point
from littlestone.privacy.accounting.subsampled import (
    OtherLabels,
    OwnLabels,
    Relabelling,
    RelabellingEvent,
)
from littlestone.privacy.cost import Budget
from littlestone.privacy.ledger import Receipt
from littlestone.privacy.mechanisms.exponential import ExponentialMechanism
from littlestone.privacy.parameters import least
from littlestone.privacy.samplers import selection
from littlestone.rules import Hypothesis

BETA = 0.05


def fewest(
    hypotheses: HypothesisClass[Point],
    budget: Budget,
    *,
    alpha: float,
    beta: float = BETA,
    proved: bool = False,
    allowed: Callable[[type[PrivateLearner[Any]]], bool],
) -> PrivateLearner[Point] | None:
    """The ``allowed`` learner that provably needs the fewest records with clean labels, if any does.

    Each learner is made as it is used for alpha or, if ``proved`` is true, with the parameters for
    which its size is proved.
    """
    found: list[tuple[int, PrivateLearner[Point]]] = []
    for kind in kinds_of_learners():
        if not allowed(kind):
            continue
        try:
            if proved:
                learner = kind.with_proved_bound(hypotheses, budget, alpha=alpha, beta=beta)
            else:
                learner = kind.for_error(hypotheses, budget, alpha=alpha)
        # Whether a learner applies depends on declarations alone, so a refusal tells nothing.
        except DeclarationError:
            continue
        bound = learner.bound(alpha, beta, setting="realizable")
        if bound is not None:
            found.append((bound.n, learner))
    return min(found, key=lambda pair: pair[0])[1] if found else None


MOST_DIMENSION = 12
"""The largest Littlestone dimension for which the realizable learner's own proved size is tried."""

DOUBLINGS, BEYOND = 100, 1 << 100
MOST_BITS = 40_000
"""The most bits of a number of patterns, which a search for a proved size counts a thousand times."""

KEPT = 0.9  # of the error allowed from T to new points: the realizable learner's target


class AgnosticTransformation(PrivateLearner[Point]):
    """Relabel a random part T of the records by a hypothesis, then learn T as if it were realizable.

    1. T = the first floor(n / share) records of a uniform order, W = the others, by position.
    2. A pattern h of H on T by the exponential mechanism, with the `score_patterns` of the subclass.
    3. The realizable learner on the points of T with the labels of h.

    (epsilon, delta)-DP for every sample (docs/proofs/agnostic.md, Theorem 1).  The parameters of the
    relabelling depend on epsilon and ``alpha`` alone.  The realizable learner gets the rest of epsilon
    and delta.  ``realizable(budget)`` makes it; the default is the learner of this package that
    provably needs the fewest records for alpha / 4.  T is kept so small that the table of all patterns
    on T has at most ``entries`` labels, whatever the records are.

    Raises `DeclarationError` for illegal parameters and for a class whose hypotheses cannot be scored,
    `InfiniteDimensionError` and `EmptyClassError`.
    """

    caveat = Caveat.WRONG_LABELS
    takes_alpha = True

    kind: ClassVar[type[Relabelling]]
    """The type of relabelling that states the cost of its `score_patterns`."""

    source: ClassVar[str] = "docs/proofs/agnostic.md, Theorem 3"

    def __init__(
        self,
        hypotheses: HypothesisClass[Point],
        budget: Budget,
        *,
        alpha: object = Fraction(1, 10),
        realizable: Callable[..., PrivateLearner[Point]] | None = None,
        relabelling: Relabelling | None = None,
        entries: int | None = ENTRIES,
    ) -> None:
        super().__init__(hypotheses, budget)
        if isinstance(hypotheses, Enumerable):
            hypotheses.require_scorable()
        self.alpha = exact_alpha(alpha)
        target = budget.cost
        if relabelling is not None and not isinstance(relabelling, self.kind):
            raise DeclarationError(
                f"learn {hypotheses} by the method {self.method}",
                found=f"its relabelling is of type {type(relabelling).__name__}",
                fix=f"give one of type {self.kind.__name__}, or leave it out",
            )
        self.relabelling = relabelling or self.tune(target.epsilon)
        # What is left for the realizable learner once the choice is paid for
        # (docs/proofs/agnostic.md, Theorem 1).
        room = self.relabelling.room(target)
        own = Budget(room.epsilon, room.delta)
        if realizable is None:
            inner = KEPT * float(self.alpha) / 4
            found = fewest(hypotheses, own, alpha=inner, allowed=_is_realizable)
            self.realizable = found or IrreducibleLearner(hypotheses, own, alpha=inner)
        else:
            self.realizable = realizable(own)
        if self.realizable.hypotheses != hypotheses:
            raise DeclarationError(
                f"learn {hypotheses} from relabelled records",
                found=f"the realizable learner learns {self.realizable.hypotheses}",
                fix="give a learner of the same class",
            )
        self.event = RelabellingEvent(self.relabelling, self.realizable.event)
        if not self.event.cost().within(target):
            raise DeclarationError(
                f"learn {hypotheses} at {target}",
                found=f"with that realizable learner it costs {self.event.cost()}",
                fix="give a learner of the epsilon and delta that it is asked for",
            )
        self.most_points = None if entries is None else most_points(hypotheses, entries)

    @classmethod
    def with_proved_bound(
        cls,
        hypotheses: HypothesisClass[Point],
        budget: Budget,
        *,
        alpha: float,
        beta: float,
        kind: type[PrivateLearner[Any]] = IrreducibleLearner,
    ) -> AgnosticTransformation[Point]:
        """A learner with a `plan` (alpha, beta), built on ``kind.with_proved_bound``, if one exists.

        If there is none, and for a Littlestone dimension above `MOST_DIMENSION`, the usual learner.
        """
        require_plan(alpha, beta)
        declared: dict[str, Any] = {"budget": budget, "alpha": alpha}
        usual = cls(hypotheses, entries=None, **declared)
        if kind is IrreducibleLearner and usual.bound(alpha, beta) is not None:
            return usual
        if hypotheses.littlestone_dimension() > MOST_DIMENSION:
            return usual
        doublings = math.ceil(80 / alpha).bit_length() - 1
        while (doublings := doublings + 1) < DOUBLINGS:
            share = share_of_beta(hypotheses, (1 << doublings) - 1, beta)
            if share == 0:
                break
            goal = KEPT * alpha / 4, share
            made = partial(kind.with_proved_bound, hypotheses, alpha=goal[0], beta=share)
            learner = cls(
                hypotheses,
                realizable=made,
                relabelling=usual.relabelling,
                entries=None,
                **declared,
            )
            if learner.bound(alpha, beta) is not None:
                return learner
            inner = learner.realizable.bound(*goal, setting="realizable")
            if inner is not None:
                # A smaller share of beta needs at least as many, so smaller powers need no trial.
                doublings = max(doublings, inner.n.bit_length() - 1)
        return usual

    @abstractmethod
    def tune(self, epsilon: Fraction) -> Relabelling:
        """Parameters that leave room for a learner and little error; calibrated, not proved best."""

    @abstractmethod
    def score_patterns(
        self, sample: Sample[Point], labels: Any, spaces: Any, others: Any
    ) -> Counts:
        """The score of each pattern on T = ``sample``; the relabelling bounds what a record changes."""

    def draw(self, sample: Sample[Point], *, receipt: Receipt) -> Hypothesis[Point]:
        choice = self.relabelling.choice
        rng = receipt.redeem(self.event)  # redeemed now, because the order is drawn first
        # Pays for the draw of the pattern; the generator is the same one.
        receipt.redeem(choice)
        chosen, others = self.parts(sample, rng)
        if not chosen.n:  # too few records for the share; n is public
            return self.hypotheses.soa()
        labels, spaces = patterns(self.hypotheses, chosen)
        scores = self.score_patterns(chosen, labels, spaces, others)
        # An exponential mechanism over patterns of T; the pattern stays secret.
        h = labels[selection.draw_item(scores, None, choice.base, rng)]
        return self.realizable.draw(relabel(chosen, h), receipt=receipt)

    def parts(
        self, sample: Sample[Point], rng: random.Random
    ) -> tuple[Sample[Point], Sample[Point]]:
        """T and W, by the positions of the records in a uniform order alone."""
        records, size = shuffle_records(sample, rng), self.part_size(sample.n)
        (chosen,), (others,) = split(sample, records[:size], 1), split(sample, records[size:], 1)
        return chosen, others

    def part_size(self, n: int) -> int:
        """The number of records in T."""
        size = n // self.relabelling.share
        # By n and public numbers, because the size of T is known to everyone.
        return size if self.most_points is None else min(size, self.most_points)

    def runs(self, n: int) -> Iterable[tuple[PrivateLearner[Any], int]]:
        return [(self.realizable, self.part_size(n))]

    def work(self, n: int) -> int:
        """The labels in the table of all patterns on T, and the work of the realizable learner."""
        size = self.part_size(n)
        if not size and not has_rule(self.hypotheses):
            return MOST_WORK + 1
        return size * self.hypotheses.growth_function(size) + self.realizable.work(size)

    def laws(
        self, chosen: Sample[Point], others: Sample[Point]
    ) -> list[tuple[Fraction, Sample[Point]]]:
        """The relabelled samples, with probabilities that depend on the data: for audits."""
        labels, spaces = patterns(self.hypotheses, chosen)
        scores = self.score_patterns(chosen, labels, spaces, others)
        chances = self.relabelling.choice.probabilities(scores - scores.min())
        return [(p, relabel(chosen, h)) for p, h in zip(chances, labels, strict=True)]

    def plan(self, alpha: float, beta: float, *, setting: Setting = "agnostic") -> Bound | None:
        """The least n with a small `failure` at which T suffices for the realizable learner, if any.

        By docs/proofs/agnostic.md, Theorem 3, for any labels, and so for clean labels as well.
        """
        require_plan(alpha, beta, setting)
        first = math.ceil(80 / alpha)

        def suffices(n: int) -> bool:
            m = self.part_size(n)
            return m >= first and self.failure(m, n - m, alpha, beta) <= 3 * beta / 4

        if not suffices(BEYOND):
            return None
        # A power of two above m bounds P(m^2), so that the share of beta does not depend on m.
        chosen = least(suffices)  # records for the choice, whatever is learned afterwards
        doublings = max(first, self.part_size(chosen)).bit_length() - 1
        while (doublings := doublings + 1) < DOUBLINGS:
            most = (1 << doublings) - 1
            share = share_of_beta(self.hypotheses, most, beta)
            if share == 0 or self.part_size(BEYOND) <= most >> 1:
                break
            bound = self.realizable.plan(KEPT * alpha / 4, share, setting="realizable")
            if bound is None:
                continue
            if bound.n > min(most, self.part_size(BEYOND)):
                # A smaller share of beta needs at least as many, so smaller powers need no trial.
                doublings = max(doublings, bound.n.bit_length() - 1)
                continue
            n = chosen if self.part_size(chosen) >= bound.n else self.relabelling.share * bound.n
            if self.part_size(n) <= most:
                return Bound(n, alpha, beta, setting, self.source)
        return None

    @abstractmethod
    def failure(self, m: int, others: int, alpha: float, beta: float) -> float:
        """Bound the probability that the hypothesis behind T's labels errs 3 alpha / 4 above the best.

        T has m records, and there are ``others`` more.
        """

    def slack(self, m: int, beta: float) -> float:
        """A number t with Pr[score of the choice > least score + t] <= beta / 4, for m records."""
        step = math.log1p(float(self.relabelling.choice.base - 1))
        return (log_patterns(self.hypotheses, m) + math.log(4 / beta)) / step

    def far(self, size: int, error: float, slack: float) -> float:
        """Theorem 2: bound Pr[a hypothesis errs ``error`` above the best, but not so on the sample].

        2 P(size^2) e^(-x^2 / (2 size)), x = error size - 4 - slack, for a size of at least 2.
        """
        x = error * size - 4 - slack
        if size < 2 or x <= 0:
            return 1.0
        patterns = log_patterns(self.hypotheses, size * size)
        # The relative margin covers the rounding of these few operations.
        return math.exp(min(0.0, math.log(2) + patterns - x * x / (2 * size))) * (1 + 1e-9)


def log_patterns(H: HypothesisClass[Any], points: int) -> float:
    """Ln P(points); raises `TooLargeError` if P may have more than `MOST_BITS` bits.

    >>> from littlestone.classes import Thresholds
    >>> log_patterns(Thresholds.on(0, 9), 1) == math.log(2)
    True
    """
    bits = int(H.littlestone_dimension()) * points.bit_length()
    if bits > MOST_BITS:
        raise TooLargeError(
            "find a proved size",
            found=f"counting the patterns on that many points takes some {bits:,} bits, and at most "
            f"{MOST_BITS:,} are",
            fix="declare a smaller class, or allow a larger alpha; learning needs no proved size",
        )
    return math.log(H.growth_function(points))


def share_of_beta(H: HypothesisClass[Any], m: int, beta: float) -> float:
    """The share beta / (16 P(m^2)), with which nothing fails for any pattern on m^2 points.

    0 if that is beyond floats.
    """
    exponent = math.log(beta / 16) - log_patterns(H, m * m)
    return math.exp(exponent) if exponent > -600 else 0.0


def _is_realizable(kind: type[PrivateLearner[Any]]) -> bool:
    """Whether a learner of this kind may learn the relabelled records, whose labels are all clean."""
    return not issubclass(kind, AgnosticTransformation)


class AgnosticLearner(AgnosticTransformation[Point]):
    """Relabel a random part T of the records by a pattern that is good on the others, then learn T.

    The score of a pattern h of H on T is min over f in H of a #(h != f on T) + #(f errs on W), where
    W holds the records that are not in T (`OtherLabels`).  The labels of T are not read.

    Cost: (epsilon, delta)-DP for every sample, with delta / r for the realizable learner, r = 1/share.
    Time: one `least_errors` on W for each pattern on T.  Source: LWY25, with another weight, no factor
    on delta and a sharper epsilon: docs/proofs/agnostic.md.

    >>> from littlestone.classes import Points
    >>> from littlestone.points import Strings
    >>> from littlestone.privacy import Budget
    >>> learner = AgnosticLearner(Points(Strings("id")), Budget(1, "1e-6"))
    >>> print(learner.cost(), learner.realizable.method)
    epsilon 0.999715, delta 0.000001 (replace-one) single_key
    """

    method = "agnostic"
    several = False
    tolerates_label_noise = True
    kind = OtherLabels

    relabelling: OtherLabels

    def tune(self, epsilon: Fraction) -> OtherLabels:
        alpha = float(self.alpha)
        found = []
        weights = shares(float(epsilon), least=1)
        for share in shares(float(epsilon)):
            for eta in epsilons(epsilon):
                # ln K from e^epsilon = E (1 + r (K - 1)) / (1 + r (E - 1)); E itself may overflow.
                apart = math.exp(-float(eta)) - math.exp(-float(epsilon))
                moved = float(epsilon) + math.log1p((share - 1) * apart)
                choosing = share / (share - 1) * (200 / alpha + 40 / float(eta))
                for weight in weights:
                    left = moved - math.log(4) - weight * float(eta)
                    if weight > share or left <= 0:  # nothing is left for larger ones either
                        break
                    learning = share * max(150 / left, 200 + 160 / (float(eta) * weight))
                    found.append((max(learning, choosing), -eta, share, weight))
        _, less, share, weight = best(found)
        return OtherLabels(ExponentialMechanism(-less), share, weight)

    def score_patterns(
        self, sample: Sample[Point], labels: Any, spaces: Any, others: Any
    ) -> Counts:
        # T counts by its points only; its labels are not read.
        often = sample.negatives + sample.positives
        return relax(labels, often, fewest_errors(spaces, others), self.relabelling.weight)

    def failure(self, m: int, others: int, alpha: float, beta: float) -> float:
        slack = self.slack(m, beta)
        u, v = slack / self.relabelling.weight, alpha * m / 4 - 1
        if v <= u:
            return 1.0
        pairs = 2 * log_patterns(self.hypotheses, 2 * m) + math.log(2)
        apart = math.exp(min(0.0, pairs - (v - u) ** 2 / (2 * (u + v)))) * (1 + 1e-9)
        return beta / 4 + apart + self.far(others, alpha / 2, slack)


class RelabellingLearner(AgnosticTransformation[Point]):
    """Relabel a random part of the records by one of the best patterns on it, then learn it.

    The score of a pattern is its number of errors on T itself (`OwnLabels`).  Only T is read, so T has
    to be large enough to tell which hypothesis is good.  `AgnosticLearner` scores by the other records,
    and needs fewer records if epsilon or alpha is small.

    Cost: (epsilon, delta)-DP for every sample, with delta / r for the realizable learner, r = 1/share.
    ABMS20, Theorem 2.3, with sharper costs: docs/proofs/agnostic.md.

    >>> from littlestone.classes import Points
    >>> from littlestone.points import Strings
    >>> from littlestone.privacy import Budget
    >>> learner = RelabellingLearner(Points(Strings("id")), Budget(1, "1e-6"))
    >>> print(learner.cost())
    epsilon 0.999728, delta 0.000001 (replace-one)
    """

    method = "relabelling"
    several = False
    tolerates_label_noise = True
    kind = OwnLabels

    def tune(self, epsilon: Fraction) -> OwnLabels:
        alpha = float(self.alpha)
        found = []
        for share in shares(float(epsilon)):
            for eta in epsilons(epsilon):
                # ln K, where K = 1 + (e^epsilon - 1) share; a large e^epsilon overflows.
                moved = float(epsilon) + math.log(share - (share - 1) * math.exp(-float(epsilon)))
                left = moved - 2 * math.log1p(math.exp(float(eta) / 2))
                if left > 0:
                    size = share * max(150 / left, 90 / alpha + 30 / float(eta))
                    found.append((size, share, eta))
        _, share, eta = best(found)
        return OwnLabels(ExponentialMechanism(eta), share)

    def score_patterns(
        self, sample: Sample[Point], labels: Any, spaces: Any, others: Any
    ) -> Counts:
        # A record of T moves each score by one; one outside T moves none (docs/proofs/agnostic.md,
        # Theorem 1).
        return errors_of(labels, sample)

    def failure(self, m: int, others: int, alpha: float, beta: float) -> float:
        return beta / 4 + self.far(m, 3 * alpha / 4, self.slack(m, beta))
