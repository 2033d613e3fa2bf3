"""Private experts: follow one hypothesis of a finite class until it has erred often."""

from __future__ import annotations

import math
import random
from fractions import Fraction
from typing import Any

from littlestone.classes.base import Enumerable, ErrorRuns, HypothesisClass
from littlestone.hypotheses import Hypothesis
from littlestone.learners.base import require_plan, unfit
from littlestone.learners.online.base import MistakeBound
from littlestone.learners.online.counted import CountedLearner, CountedStream
from littlestone.learners.online.taped import Record
from littlestone.privacy.accounting.calibration import calibrate
from littlestone.privacy.accounting.composed import Composed
from littlestone.privacy.budget import Budget
from littlestone.privacy.mechanisms.scores.exponential import ExponentialMechanism
from littlestone.privacy.mechanisms.streams.epoch import Epoch
from littlestone.privacy.mechanisms.thresholds.one_sided_threshold import OneSidedThreshold
from littlestone.privacy.parameters import least, whole
from littlestone.privacy.samplers import selection
from littlestone.privacy.tape import Tape
from littlestone.sample import Sample

_SHARE = Fraction(1, 4)  # of epsilon, for the counter; calibrated
_TRIES, _STEPS = 2, 5  # draws beyond log2 of the class; steps of ln(...) / epsilon; calibrated
_BETA = 0.05
_DRAWS, _MARGINS = (
    (1.25, 1.5, 1.75, 2, 2.5, 3),
    (1.5, 2.0, 2.5, 3.0, 3.5, 4.0, 5.0),
)  # what `with_proved_bound` tries


class ExpertStream(CountedStream):
    """A run of `PrivateExperts`."""

    def __init__(self, learner: PrivateExperts, tape: Tape) -> None:
        super().__init__(learner, learner.canonical(0), tape)
        self._learner = learner
        self._draws = 0
        self._counts: dict[Any, list[int]] = {}
        self._new: dict[tuple[Any, int], tuple[int, int]] = {}  # the last step, and how often

    def _begin(self) -> None:
        last = self._learner.experts - 1
        first = self._tape.whole(lambda rng: rng.randrange(last + 1), 0, last)
        self._begun(first, self._learner.counter.begin(1, self._tape))

    def _begun(self, first: int, epoch: Epoch) -> None:
        self._publish(self._learner.canonical(first))
        self._epoch = epoch

    @property
    def public_draws(self) -> int:
        return self._draws

    @property
    def over(self) -> bool:
        return super().over or self._draws == self._learner.draws

    def _right(self, x: Any, y: int, times: int = 1) -> None:
        self._count(x, y, times)
        _, often = self._new.pop((x, y), (0, 0))
        self._new[x, y] = self._steps, often + times  # in the order of the last steps

    def _mistaken(self, x: Any, y: int) -> None:
        self._epoch = self._learner.counter.counted(self._epoch, self._steps, self._tape)
        self._count(x, y)

    def _count(self, x: Any, y: int, times: int = 1) -> None:
        self._counts.setdefault(x, [0, 0])[y] += times

    def _owed(self) -> list[Record]:
        return [Record(step, x, y, often) for (x, y), (step, often) in self._new.items()]

    def _told(self) -> None:
        self._new = {}

    def _hit(self) -> None:
        learner, last = self._learner, self._learner.experts - 1
        found = self._tape.whole(lambda rng: learner.choose(self._counts, rng), 0, last)
        self._drawn(found, learner.counter.begin(self._steps + 1, self._tape))

    def _drawn(self, found: int, epoch: Epoch) -> None:
        self._draws += 1
        self._epoch = epoch if self._draws < self._learner.draws else self._no_hit()
        self._publish(self._learner.canonical(found))


class PrivateExperts(CountedLearner):
    """Publish one hypothesis of a finite class; when it has made many mistakes, draw another one.

    The first is uniform.  `OneSidedThreshold` counts the mistakes of the published one.  At a hit, the
    exponential mechanism draws another by the errors on all records so far.  After D = ``draws``
    draws the last one stays.  The cost is that of one counter and D draws, composed;
    (epsilon, 0)-DP if delta is 0 (docs/proofs/private-experts.md, Theorem 1).

    It is the baseline of private online learning from experts.  On a realizable sequence from an
    oblivious adversary it makes O(log |H|) draws; `with_proved_bound` makes a learner with a
    `mistake_bound`.  Other sizes are calibrated.  An adversary that sees what is published can make
    it err at every step.

    Time: a draw scores all hypotheses on all records.  Raises `DeclarationError` for illegal
    parameters and for classes whose hypotheses are not listed or too many.

    >>> from littlestone.classes import Thresholds
    >>> learner = PrivateExperts(Thresholds.on(0, 98), Budget(1, "1e-6"), horizon=200_000)
    >>> learner.experts, learner.draws, learner.counter.threshold
    (100, 9, 60)
    """

    method = "experts"
    oblivious = True

    def __init__(
        self,
        hypotheses: HypothesisClass[Any],
        budget: Budget,
        *,
        horizon: int,
        draws: int | None = None,
        threshold: int | None = None,
    ) -> None:
        super().__init__(hypotheses, horizon)
        if not isinstance(hypotheses, Enumerable) or not hypotheses.size:
            raise unfit(
                hypotheses,
                self.method,
                found="its hypotheses are not listed, so they cannot be drawn from",
                declare="a finite class",
                online=True,
            )
        hypotheses.require_listable()
        self.hypotheses: Enumerable[Any] = hypotheses
        self.experts = hypotheses.size
        if draws is None:
            draws = (self.experts - 1).bit_length() + _TRIES
        whole("draws", draws, least=1)
        self.draws = draws
        target = budget.cost
        share = target.epsilon * _SHARE
        small = OneSidedThreshold(epsilon=share, threshold=1, horizon=1)

        def composed(step: Fraction) -> Composed:
            return Composed([(small, 1), (ExponentialMechanism(step), draws)], target.delta)

        steps = [event for event, _ in calibrate(composed, target).uses()]
        self.mechanism = next(e for e in steps if isinstance(e, ExponentialMechanism))
        if threshold is None:
            threshold = math.ceil(math.log(self.experts) / self.mechanism.epsilon + _STEPS / share)
        self.counter = OneSidedThreshold(epsilon=share, threshold=threshold, horizon=horizon)
        self._event = Composed([(self.counter, 1), (self.mechanism, draws)], target.delta)

    @classmethod
    def with_proved_bound(
        cls,
        hypotheses: HypothesisClass[Any],
        budget: Budget,
        *,
        horizon: int,
        beta: float = _BETA,
    ) -> PrivateExperts:
        """The learner with the smallest `mistake_bound` at ``beta``, over some sizes.

        >>> from littlestone.classes import Thresholds
        >>> H = Thresholds.on(0, 98)
        >>> learner = PrivateExperts.with_proved_bound(H, Budget(1, "1e-6"), horizon=200_000)
        >>> learner.draws, learner.mistake_bound(0.05).mistakes
        (11, 1436)
        """
        require_plan(0.5, beta)
        declared: dict[str, Any] = {"budget": budget, "horizon": horizon}
        found = []
        for times in _DRAWS:
            draws = max(4, math.ceil(times * (hypotheses.size or 1).bit_length()))
            learner = cls(hypotheses, draws=draws, **declared)
            unit = 1 / math.log(learner.mechanism.base)
            for margin in _MARGINS:
                threshold = learner._early(beta / 3) + math.ceil(margin * unit)
                bound = learner._mistakes(threshold, beta)
                if bound is not None:
                    found.append((bound, draws, threshold))
        _, draws, threshold = min(found)
        return cls(hypotheses, draws=draws, threshold=threshold, **declared)

    @property
    def event(self) -> Composed:
        return self._event

    def canonical(self, index: int) -> Hypothesis[Any]:
        """Hypothesis number ``index``, from its canonical form."""
        return Hypothesis.from_json(self.hypotheses.hypothesis(index).to_json())

    def choose(self, counts: dict[Any, list[int]], rng: random.Random) -> int:
        """Draw one hypothesis, by the errors on the records counted in ``counts``."""
        runs = self.errors(counts)
        return selection.draw(runs.errors, runs.lengths, self.mechanism.base, rng)

    def errors(self, counts: dict[Any, list[int]]) -> ErrorRuns:
        """The errors of all hypotheses on these records."""
        sample = Sample[Any].from_counts(self.hypotheses.domain, counts)
        return self.hypotheses.error_runs(sample)

    def prepare(self) -> None:
        self.hypotheses.load(self.horizon)

    def stream(self, tape: Tape) -> ExpertStream:
        return ExpertStream(self, tape)

    def _early(self, beta: float) -> int:
        """The most mistakes before its threshold that an epoch ends, except with probability beta."""
        return math.ceil(math.log(self.horizon / beta) / -math.log(float(self.counter.shrink)))

    def mistake_bound(self, beta: float) -> MistakeBound | None:
        """D U + Q for an oblivious adversary, if that is proved for these sizes; otherwise None.

        docs/proofs/private-experts.md, Theorem 2.
        """
        require_plan(0.5, beta)
        mistakes = self._mistakes(self.counter.threshold, beta)
        source = "docs/proofs/private-experts.md, Theorem 2"
        if mistakes is None:
            return None
        return MistakeBound(mistakes, beta, True, source, adaptive=False)

    def measured_mistakes(self) -> int:
        """The threshold times log2 |H| / 3: within a factor of two of the worst measured."""
        return round(self.counter.threshold * max(1.0, math.log2(self.experts) / 3))

    def _all_drawn(self, margin: int) -> float:
        """At least Pr[all draws are used up], if each epoch ends after ``margin`` mistakes or more."""
        L, D = math.log(self.experts) + 1e-9, self.draws
        if D <= L:
            return 1.0
        # Pr[Poisson(L) >= D], by the ratio of its first two terms, over the power D of c.
        c = 1 - float(self.mechanism.base) ** -margin
        first = -L + D * math.log(L) - math.lgamma(D + 1) - D * math.log(c)
        return min(1.0, math.exp(min(first, 0.0)) / (1 - L / (D + 1)))

    def _mistakes(self, threshold: int, beta: float) -> int | None:
        share, D = beta / 3, self.draws
        margin = threshold - self._early(share)
        if margin < 1:
            return None
        if self._all_drawn(margin) > share:
            return None
        miss = float(self.counter.shrink)

        def rare(q: int) -> bool:
            n = q + D - 1  # the sum of D numbers Z is q or more: fewer than D hits in n trials
            logs = (
                math.log(math.comb(n, i)) + i * math.log(1 - miss) + (n - i) * math.log(miss)
                for i in range(D)
            )
            return sum(map(math.exp, logs)) * (1 + 1e-6) <= share

        return D * threshold + least(rare)
