"""The online learner of every Littlestone class: teachers vote each time mistakes have piled up."""

from __future__ import annotations

import math
import random
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, TypeGuard

from littlestone.classes.base import HypothesisClass
from littlestone.hypotheses import Hypothesis
from littlestone.learners.online.base import (
    Journal,
    MistakeBound,
    PrivateOnlineLearner,
    PrivateStream,
    foreign_entry,
)
from littlestone.learners.teachers import frontier, taught
from littlestone.online.base import require_label
from littlestone.privacy.accounting.calibration import calibrate
from littlestone.privacy.accounting.composed import Composed
from littlestone.privacy.cost import PrivacyCost, exact_delta, exact_epsilon
from littlestone.privacy.ledger import Receipt
from littlestone.privacy.mechanisms.one_sided_threshold import Epoch, OneSidedThreshold
from littlestone.privacy.mechanisms.sparse_sampling import SparseSampling
from littlestone.privacy.parameters import whole
from littlestone.sample import Sample

_BETA = Fraction(1, 20)
_TEACHERS, _MISTAKES, _MARGIN = 3, Fraction(3, 2), 3  # calibrated, for each vote that is needed
_GROWTH = 1.7  # of the measured mistakes in the dimension
_DOUBLINGS, _LISTED = 5, 1024
_MOST_DOUBLED, _PARTS = 20, 32
MOST_SPACES = 10_000


@dataclass(frozen=True)
class Mistake:
    """A record (x, y) that was mistaken, its teacher, and how many draws there were before it."""

    x: Any
    y: int
    teacher: int
    before: int


class TeacherStream(PrivateStream[Any]):
    """A run of `TeacherLearner`."""

    def __init__(
        self, learner: TeacherLearner, rng: random.Random, journal: Journal | None
    ) -> None:
        super().__init__(learner.hypotheses.soa())
        self._learner, self._rng = learner, rng
        self._tell: Journal = (lambda entry: None) if journal is None else journal
        self._steps = self._draws = self._bottoms = 0
        self._mistakes: list[Mistake] = []
        self._epoch = Epoch(1, 0, 0, None)  # until it is drawn, or told

    @property
    def steps(self) -> int:
        return self._steps

    @property
    def draws(self) -> int:
        """The number of draws so far; all the records ever know of a draw that found nothing."""
        return self._draws

    def begin(self) -> None:
        """Draw what the first epoch needs."""
        epoch = self._learner.counter.begin(1, self._rng)
        self._tell(["begin", epoch.skips, epoch.due])
        self._epoch = epoch

    def update(self, x: Any, y: int) -> None:
        """Take the next record; publishes a new hypothesis when the teachers agree on one.

        Raises `DeclarationError` for a point outside of the domain, or a label other than 0 and 1.
        """
        require_label(y)
        self._learner.hypotheses.domain.require(x)
        if self._steps == self._learner.horizon:
            return
        self._steps += 1
        if self._published(x) != y:
            # One for each step would do as well: it depends on nothing.
            teacher = self._rng.randrange(self._learner.teachers)
            epoch = self._learner.counter.counted(self._epoch, self._steps, self._rng)
            self._tell(["mistake", self._steps, x, int(y), teacher, epoch.due])
            self._mistaken(x, y, teacher, epoch)
        self.go_to(self._steps)

    def go_to(self, step: int) -> None:
        step = min(step, self._learner.horizon)
        while self._epoch.due is not None and self._epoch.due <= step:
            self._steps = max(self._steps, self._epoch.due)
            self._draw()
        self._steps = max(self._steps, step)

    def _mistaken(self, x: Any, y: int, teacher: int, epoch: Epoch) -> None:
        self._epoch = epoch
        self._mistakes.append(Mistake(x, int(y), teacher, self._draws))

    def _draw(self) -> None:
        learner = self._learner
        lists = learner.lists(self._mistakes, self._published)
        found = learner.sampling.select(learner.sampling.scores(lists), self._rng)
        form = None if found is None else found.to_json()
        threshold = learner.threshold(self._bottoms + 1 if form is None else 0)
        epoch = learner.counter.begin(self._steps + 1, self._rng, threshold)
        self._tell(["draw", self._steps, form, epoch.skips, epoch.due])
        self._drawn(form, epoch)

    def _drawn(self, form: dict[str, Any] | None, epoch: Epoch) -> None:
        self._epoch = epoch
        self._draws += 1
        first = self._draws - self._learner.draws
        self._mistakes = [m for m in self._mistakes if m.before > first]
        self._bottoms = self._bottoms + 1 if form is None else 0
        if form is not None:
            # From its canonical form: the object itself was made by a teacher.
            self._publish(Hypothesis.from_json(form), self._steps)

    def restore(self, entry: object) -> None:
        """Go to the step of an entry of the journal.  Raises `ModelError` if it is none."""
        learner, epoch, now = self._learner, self._epoch, self._steps
        match entry:
            case ["begin", int(skips), due] if (
                now == self._draws == len(self._mistakes) and self._due(due, 1) and skips >= 0
            ):
                self._epoch = Epoch(learner.counter.threshold, skips, 0, due)
            case ["mistake", int(step), x, (0 | 1) as y, int(teacher), due] if (
                now < step <= learner.horizon
                and (x := _point(x)) in learner.hypotheses.domain
                and 0 <= teacher < learner.teachers
                and self._due(due, step)
            ):
                self._steps = step
                counted = Epoch(epoch.threshold, epoch.skips, epoch.count + 1, due)
                self._mistaken(x, y, teacher, counted)
            case ["draw", int(step), dict() | None as form, int(skips), due] if (
                now <= step <= learner.horizon and self._due(due, step + 1) and skips >= 0
            ):
                self._steps = step
                threshold = learner.threshold(self._bottoms + 1 if form is None else 0)
                self._drawn(form, Epoch(threshold, skips, 0, due))
            case _:
                raise foreign_entry("teachers")

    def _due(self, due: object, first: int) -> TypeGuard[int | None]:
        return due is None or (isinstance(due, int) and first <= due <= self._learner.horizon)


class TeacherLearner(PrivateOnlineLearner[Any]):
    """Publish a hypothesis that many of k teachers list, each time mistakes have piled up.

    A mistake goes to one of k = ``teachers`` teachers, each as likely, whatever the record.
    `OneSidedThreshold` counts the mistakes of all.  At a hit there is one draw of `SparseSampling`:
    it finds a hypothesis, which is published, or nothing, and then the next threshold is twice as high.
    A record takes part in the next D = ``draws`` draws, then it is forgotten.

    A teacher takes for granted what the last hypothesis h says of the class: the version space G
    that the SOA reaches when it learns h (`taught`).  It lists the irreducible SOAs of G (`frontier`)
    that its own records allow, or those of the class if G allows none; h itself is left out, and
    who has no record lists nothing.

    (epsilon, delta)-DP for every stream, however many hypotheses are published: the cost is that of
    the counter and of D draws, composed (docs/proofs/online-teachers.md).  In Lyu (2025), Algorithm
    3, records take part in all draws, and their number is limited.  No mistake bound is proved.

    The defaults are calibrated by ``python -m benchmarks.mistakes teachers`` on oblivious sequences.
    Time: a draw decomposes a version space for each teacher.  Raises `DeclarationError` for illegal
    parameters and delta = 0, `InfiniteDimensionError` and `EmptyClassError`.

    >>> from littlestone.classes import Thresholds
    >>> learner = TeacherLearner(Thresholds.on(0, 9), epsilon=1, delta="1e-6", horizon=200_000)
    >>> float(learner.cost().epsilon), learner.teachers, learner.counter.threshold
    (1.0, 141, 90)
    """

    method = "teachers"

    def __init__(
        self,
        hypotheses: HypothesisClass[Any],
        *,
        epsilon: object,
        delta: object,
        horizon: int,
        draws: int = 1,
        teachers: int | None = None,
        threshold: int | None = None,
        list_size: int | None = None,
        most: int = MOST_SPACES,
    ) -> None:
        super().__init__(hypotheses, horizon)
        hypotheses.require_learnable()
        whole("draws", draws, least=1)
        whole("most", most, least=1)
        self.draws, self.most = draws, most
        target = PrivacyCost(exact_epsilon(epsilon), exact_delta(delta))
        if list_size is None:
            list_size = _list_size(hypotheses)
        share, self.sampling = _split(target, draws, list_size)
        if threshold is None:
            threshold = _needed(self.sampling, share)
        self.counter = OneSidedThreshold(epsilon=share, threshold=threshold, horizon=horizon)
        if teachers is None:
            teachers = _TEACHERS * self.sampling.copies_needed(_BETA)
        whole("teachers", teachers, least=1)
        self.teachers = teachers
        self._event = Composed([(self.counter, 1), (self.sampling, draws)], target.delta)

    @property
    def event(self) -> Composed:
        return self._event

    def threshold(self, bottoms: int) -> int:
        """That of the next epoch, after so many draws in a row that found nothing."""
        return self.counter.threshold << min(bottoms, _MOST_DOUBLED)

    def lists(
        self, mistakes: Iterable[Mistake], published: Hypothesis[Any]
    ) -> list[list[Hypothesis[Any]]]:
        """What each teacher lists, a function of its own records and of what is published."""
        parts: dict[int, list[Mistake]] = {}
        for mistake in mistakes:
            parts.setdefault(mistake.teacher, []).append(mistake)
        granted = taught(self.hypotheses, published)
        known: dict[tuple[tuple[Any, int], ...], list[Hypothesis[Any]]] = {}
        lists = []
        for part in parts.values():
            records = tuple((m.x, m.y) for m in part)
            if records not in known:  # many teachers may hold the same few records
                known[records] = self._listed(records, granted, published)
            lists.append(known[records])
        return lists

    def _listed(
        self,
        records: Sequence[tuple[Any, int]],
        granted: HypothesisClass[Any],
        published: Hypothesis[Any],
    ) -> list[Hypothesis[Any]]:
        counts: dict[Any, list[int]] = {}
        for x, y in records:
            counts.setdefault(x, [0, 0])[y] += 1
        chunk = Sample[Any].from_counts(self.hypotheses.domain, counts)
        # One that explains half of the mistakes is a step ahead.
        errors = chunk.n // 2
        for H in (granted, self.hypotheses):
            listed = [h for h in frontier(H, chunk, errors, most=self.most) if h != published]
            if listed:
                return listed
        return []

    def begin(self, receipt: Receipt, rng: random.Random, journal: Journal | None) -> TeacherStream:
        # All at once: a run that goes on after a crash has no receipt any more.
        for event, times in self.event.uses():
            for _ in range(times):
                receipt.redeem(event)
        return self.resume([], rng, journal)

    def resume(
        self, entries: Iterable[list[Any]], rng: random.Random, journal: Journal | None
    ) -> TeacherStream:
        stream, begun = TeacherStream(self, rng, journal), False
        for entry in entries:
            stream.restore(entry)
            begun = True
        if begun:
            stream.go_to(stream.steps)  # a draw that was due at the last step
        else:
            stream.begin()
        return stream

    def mistake_bound(self, beta: float) -> MistakeBound | None:
        return None

    def measured_mistakes(self) -> int:
        """The threshold times d^1.7, d = LDim(H): within a factor of two of the worst measured."""
        d = int(self.hypotheses.littlestone_dimension())
        return round(self.counter.threshold * math.pow(max(d, 1), _GROWTH))


def _list_size(hypotheses: HypothesisClass[Any]) -> int:
    """All of a small class, else 2^min(d, 5)."""
    size: int | None = hypotheses.size
    if size is not None and size <= _LISTED:
        return size
    return 1 << min(int(hypotheses.littlestone_dimension()), _DOUBLINGS)


def _needed(sampling: SparseSampling[Any], share: Fraction) -> int:
    """A threshold for these votes; some steps a mistake, a counter of this epsilon hits too early."""
    return math.ceil(_MISTAKES * sampling.copies_needed(_BETA) + _MARGIN / share)


def _split(target: PrivacyCost, draws: int, list_size: int) -> tuple[Fraction, SparseSampling[Any]]:
    """What the counter gets of epsilon, and the draw of which so many cost the rest.

    The share with the lowest threshold by basic composition; then the best composition there.
    """

    def basic(parts: int) -> tuple[Fraction, SparseSampling[Any]]:
        share = target.epsilon * parts / _PARTS
        rest = (target.epsilon - share) / draws
        return share, SparseSampling(rest, target.delta / draws, list_size)

    # Each split is private: a float may choose.
    splits = (basic(parts) for parts in range(1, _PARTS))
    share, sampling = min(splits, key=lambda split: _needed(split[1], split[0]))
    if draws == 1:
        return share, sampling
    counter = OneSidedThreshold(epsilon=share, threshold=1, horizon=1)

    def composed(epsilon: Fraction) -> Composed:
        step = SparseSampling[Any](epsilon, target.delta / (2 * draws), list_size)
        return Composed([(counter, 1), (step, draws)], target.delta)

    found = [step for step, _ in calibrate(composed, target).uses()]
    others = [step for step in found if isinstance(step, SparseSampling)]
    return share, min(sampling, *others, key=lambda step: step.copies_needed(_BETA))


def _point(x: Any) -> Any:
    """A point as it was before JSON made lists of its tuples."""
    return tuple(map(_point, x)) if isinstance(x, list) else x
