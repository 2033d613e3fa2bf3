"""The online learner for every Littlestone class: teachers vote each time mistakes have piled up.

Each record goes to one teacher, who holds it for a few draws.
"""

from __future__ import annotations

import math
import random
from collections.abc import Iterable
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

from littlestone.base.errors import TooLargeError
from littlestone.base.work import at_most
from littlestone.classes.base import HypothesisClass
from littlestone.data.sample import Sample
from littlestone.learn.base import require_rule
from littlestone.learn.papers.teachers import frontier, restrict_where_consistent, teach
from littlestone.learn.papers.voting import MOST_STEPS
from littlestone.learn.stream.base import CountedLearner, CountedStream, is_form
from littlestone.learn.stream.private_stream import Record
from littlestone.privacy.accounting.calibration import calibrate
from littlestone.privacy.accounting.composed import Composition
from littlestone.privacy.cost import Budget, PrivacyCost
from littlestone.privacy.mechanisms.competition import Epoch
from littlestone.privacy.mechanisms.selection_from_lists import SparseSampling
from littlestone.privacy.mechanisms.threshold_tests import OneSidedThreshold
from littlestone.privacy.parameters import require_teachers, require_whole
from littlestone.privacy.tape import Tape
from littlestone.rules import Hypothesis

KEPT = 30

Examples = tuple[tuple[Any, int], ...]


@dataclass(frozen=True)
class HeldRecord:
    """The record (x, y) of ``step``, with the number of draws ``before`` it."""

    step: int
    x: Any
    y: int
    before: int


@dataclass
class _Teacher:
    wrong: list[HeldRecord] = field(default_factory=list)
    right: dict[tuple[Any, int], HeldRecord] = field(default_factory=dict)


class Holdings:
    """The records of ``teachers`` teachers: all mistaken ones, and the last `KEPT` others of each.

    Each teacher gets one of every ``teachers`` steps, by a permutation that depends on ``key`` and on
    no record.  So one replaced record changes what one teacher holds, whether it was mistaken or not.
    If equal records were predicted correctly, only the last one counts.

    >>> held = Holdings(2, key=7)
    >>> held.take(HeldRecord(1, "a", 1, 0), wrong=True)
    >>> held.take(HeldRecord(2, "b", 0, 0), wrong=False)
    >>> held.parts()
    [((('a', 1),), ())]
    """

    def __init__(self, teachers: int, key: int) -> None:
        self.key = key
        self._order = list(range(teachers))
        self._block = -1
        self._teachers: dict[int, _Teacher] = {}

    def teacher(self, step: int) -> int:
        """The teacher of the record of that step, whatever the record; steps are 1, 2, ...."""
        # Once a block each teacher gets one step: by the step's number alone, so one record changes
        # one teacher.
        block, place = divmod(step - 1, len(self._order))
        if block != self._block:
            self._order.sort()
            # Any rule that ignores the records is as private; this one spreads the mistakes.
            random.Random(self.key + block).shuffle(self._order)
            self._block = block
        return self._order[place]

    def take(self, held: HeldRecord, *, wrong: bool) -> None:
        """Give a record to its teacher; ``wrong`` says whether it was predicted wrongly."""
        teacher = self._teachers.setdefault(self.teacher(held.step), _Teacher())
        if wrong:
            teacher.wrong.append(held)
            return
        example = held.x, held.y
        teacher.right.pop(example, None)
        teacher.right[example] = held
        if len(teacher.right) > KEPT:
            del teacher.right[next(iter(teacher.right))]

    def forget(self, first: int) -> None:
        """Drop the records that came before draw number ``first``."""
        for teacher in self._teachers.values():
            teacher.wrong = [held for held in teacher.wrong if held.before >= first]
            teacher.right = {e: held for e, held in teacher.right.items() if held.before >= first}

    def right_since(self, step: int) -> list[HeldRecord]:
        """The records held that were predicted correctly after ``step``, in the order of steps."""
        found = (held for part in self._teachers.values() for held in part.right.values())
        return sorted((held for held in found if held.step > step), key=lambda held: held.step)

    def parts(self) -> list[tuple[Examples, Examples]]:
        """The records of each teacher with mistakes: its mistakes and its other records."""
        return [
            (_examples(part.wrong), tuple(part.right))
            for part in self._teachers.values()
            if part.wrong
        ]


def _examples(records: list[HeldRecord]) -> Examples:
    return tuple((held.x, held.y) for held in records)


_BETA = Fraction(1, 20)
_TEACHERS, _MISTAKES, _MARGIN = 3, Fraction(3, 2), 3  # calibrated, per vote that is needed
_EPOCHS, _GROWTH = 3, 1.7  # of the measured mistakes
_DOUBLINGS, _LISTED = 5, 2048
_MOST_DOUBLED, _PARTS = 20, 32
_KEY = 64  # bits
MOST_SPACES = 10_000


class TeacherStream(CountedStream):
    """A run of `TeacherLearner`."""

    def __init__(self, learner: TeacherLearner, tape: Tape) -> None:
        super().__init__(learner, learner.hypotheses.soa(), tape)
        self._learner = learner
        self._draws = self._bottoms = self._told_at = 0
        self._holdings = Holdings(learner.teachers, 0)  # replaced when its key is drawn

    @property
    def secret_draws(self) -> int:
        """The number of draws so far; the records count draws that found nothing in no other way."""
        return self._draws

    @property
    def threshold(self) -> int:
        """The threshold of the epoch; public."""
        return self._learner.threshold(self._bottoms)

    def _begin(self) -> None:
        key = self._tape.whole(lambda rng: rng.getrandbits(_KEY), 0, (1 << _KEY) - 1)
        self._begin_epoch(key, self._learner.counter.begin(1, self._tape))

    def _begin_epoch(self, key: int, epoch: Epoch) -> None:
        self._holdings = Holdings(self._learner.teachers, key)
        self._epoch = epoch

    def _right(self, x: Any, y: int) -> None:
        self._hold(self._steps, x, y, wrong=False)

    def _mistaken(self, x: Any, y: int) -> None:
        counter, now = self._learner.counter, self._steps
        self._epoch = counter.count_record(self._epoch, now, self._tape, self.threshold)
        self._hold(now, x, y, wrong=True)

    def _hold(self, step: int, x: Any, y: int, *, wrong: bool) -> None:
        self._holdings.take(HeldRecord(step, x, y, self._draws), wrong=wrong)

    def _unwritten_records(self) -> list[Record]:
        held = self._holdings.right_since(self._told_at)
        return [Record(record.step, record.x, record.y) for record in held]

    def _clear_unwritten(self) -> None:
        self._told_at = self._steps

    def _hit(self) -> None:
        form = self._tape.draw(self._vote, is_form)
        # A draw that finds nothing doubles the next threshold; Theorem 2 covers the steps of such
        # draws as if they were published.
        threshold = self._learner.threshold(self._bottoms + 1 if form is None else 0)
        self._apply_draw(form, self._learner.counter.begin(self._steps + 1, self._tape, threshold))

    def _vote(self, rng: random.Random) -> dict[str, Any] | None:
        """The form of what the teachers' votes find; a teacher made the object itself."""
        learner = self._learner
        # A list depends on one teacher's records and on what is published.
        lists = learner.lists(self._holdings.parts(), self._published)
        found = learner.sampling.select(learner.sampling.scores(lists), rng)
        return None if found is None else found.to_json()

    def _apply_draw(self, form: dict[str, Any] | None, epoch: Epoch) -> None:
        self._epoch = epoch
        self._draws += 1
        # A record takes part in D draws at most, which is what the composition pays for
        # (docs/proofs/online-teachers.md, Theorem 2).
        self._holdings.forget(self._draws - self._learner.draws + 1)
        self._bottoms = self._bottoms + 1 if form is None else 0
        if form is not None:
            self._publish(Hypothesis.from_json(form))


class TeacherLearner(CountedLearner):
    """Publish a hypothesis that many of k teachers list, each time mistakes have piled up.

    Each record goes to one of k = ``teachers`` teachers, which its step alone determines (`Holdings`).
    `OneSidedThreshold` counts the mistakes of all.  At a hit there is one draw of `SparseSampling`.
    If it finds a hypothesis, this is published.  If it finds nothing, the next threshold is twice as
    high.  A record takes part in the next D = ``draws`` draws, and is then forgotten.

    A teacher assumes what the last hypothesis h says about the class: the version space G that the SOA
    reaches when it learns h (`teach`).  It lists the irreducible SOAs of G (`frontier`) that its own
    records allow, or those of the class if G allows none.  It leaves out h itself, and a teacher
    without mistakes lists nothing.  The records that h predicted correctly cost no mistake; they
    narrow G and the class down to what agrees with them.

    (epsilon, delta)-DP for every stream, however many hypotheses are published: the cost is that of
    the counter and of D draws, composed (docs/proofs/online-teachers.md).  In Lyu25, Algorithm 3,
    records take part in all draws, whose number is limited.  No mistake bound is proved.

    The defaults are calibrated by ``python -m benchmarks.mistakes teachers`` on oblivious sequences.
    Time: a draw decomposes a version space for each teacher.  Raises `DeclarationError` for illegal
    parameters and delta = 0, `InfiniteDimensionError` and `EmptyClassError`.

    >>> from littlestone.classes import Thresholds
    >>> learner = TeacherLearner(Thresholds.on(0, 9), Budget(1, "1e-6"), horizon=200_000)
    >>> float(learner.cost().epsilon), learner.teachers, learner.counter.threshold
    (1.0, 141, 90)
    """

    method = "teachers"
    oblivious = True

    def __init__(
        self,
        hypotheses: HypothesisClass[Any],
        budget: Budget,
        *,
        horizon: int,
        draws: int = 1,
        teachers: int | None = None,
        threshold: int | None = None,
        list_size: int | None = None,
        most: int = MOST_SPACES,
    ) -> None:
        super().__init__(hypotheses, horizon)
        hypotheses.require_learnable()
        require_whole("draws", draws, least=1)
        require_whole("most", most, least=1)
        self.draws, self.most = draws, most
        target = budget.cost
        if list_size is None:
            list_size = _list_size(hypotheses)
        share, self.sampling = _split(target, draws, list_size)
        if threshold is None:
            threshold = _needed_threshold(self.sampling, share)
        self.counter = OneSidedThreshold(epsilon=share, threshold=threshold, horizon=horizon)
        if teachers is None:
            teachers = _TEACHERS * self.sampling.copies_needed(_BETA)
        require_whole("teachers", teachers, least=1)
        require_teachers(teachers)
        self.teachers = teachers
        self.event = Composition([(self.counter, 1), (self.sampling, draws)], target.delta)

    @property
    def declared_sizes(self) -> str:
        # The event knows neither, and both decide what a draw lists.
        return f"{self.event}; teachers={self.teachers}; most={self.most}"

    def threshold(self, bottoms: int) -> int:
        """The threshold of the next epoch, after this many draws in a row that found nothing."""
        return self.counter.threshold << min(bottoms, _MOST_DOUBLED)

    def lists(
        self, parts: Iterable[tuple[Examples, Examples]], published: Hypothesis[Any]
    ) -> list[list[Hypothesis[Any]]]:
        """The list of each teacher, a function of its own records and of what is published."""
        granted = teach(self.hypotheses, published)
        known: dict[tuple[Examples, Examples], list[Hypothesis[Any]]] = {}
        lists = []
        for part in parts:
            if part not in known:  # many teachers may hold the same few records
                known[part] = self._hypotheses_of_teacher(*part, granted, published)
            lists.append(known[part])
        return lists

    def _hypotheses_of_teacher(
        self,
        wrong: Examples,
        right: Examples,
        granted: HypothesisClass[Any],
        published: Hypothesis[Any],
    ) -> list[Hypothesis[Any]]:
        counts: dict[Any, list[int]] = {}
        for x, y in wrong:
            counts.setdefault(x, [0, 0])[y] += 1
        chunk = Sample[Any].from_counts(self.hypotheses.domain, counts)
        # A hypothesis that explains half of the mistakes is a step ahead.
        errors = chunk.n // 2
        H = self.hypotheses
        try:
            with at_most(self.steps):
                for V in (
                    restrict_where_consistent(granted, right),
                    restrict_where_consistent(H, right),
                    H,
                ):
                    listed = frontier(V, chunk, errors, most=self.most)
                    listed = [h for h in listed if h != published]
                    if listed:
                        return listed
        except TooLargeError:
            pass
        return []

    @property
    def steps(self) -> int | None:
        """The most steps a teacher takes to make a list at a draw: its share of `MOST_STEPS`."""
        return None if self.most is None else max(1, MOST_STEPS // self.teachers)

    def prepare(self) -> None:
        require_rule(self.hypotheses)

    def stream(self, tape: Tape) -> TeacherStream:
        return TeacherStream(self, tape)

    def measured_mistakes(self) -> int:
        """The threshold times 3 or times d^1.7: within a factor of two of the worst measured.

        It is times 3 if all hypotheses are listed; d = LDim(H).
        """
        d = min(int(self.hypotheses.littlestone_dimension()), self.horizon)
        epochs = _EPOCHS if _listed_size(self.hypotheses) else math.pow(max(d, 1), _GROWTH)
        return round(self.counter.threshold * epochs)


def _listed_size(hypotheses: HypothesisClass[Any]) -> int | None:
    """The size of a class that is listed as a whole; otherwise None."""
    size: int | None = hypotheses.size
    return size if size is not None and size <= _LISTED else None


def _list_size(hypotheses: HypothesisClass[Any]) -> int:
    """All of a small class; otherwise 2^min(d, 5)."""
    return _listed_size(hypotheses) or 1 << min(int(hypotheses.littlestone_dimension()), _DOUBLINGS)


def _needed_threshold(sampling: SparseSampling[Any], share: Fraction) -> int:
    """A threshold for these votes; a counter of this epsilon hits some steps per mistake too early."""
    return math.ceil(_MISTAKES * sampling.copies_needed(_BETA) + _MARGIN / share)


def _split(target: PrivacyCost, draws: int, list_size: int) -> tuple[Fraction, SparseSampling[Any]]:
    """The counter's share of epsilon, and the mechanism whose ``draws`` draws cost the rest.

    It picks the share with the lowest threshold by basic composition, then the best composition.
    """

    def basic(parts: int) -> tuple[Fraction, SparseSampling[Any]]:
        share = target.epsilon * parts / _PARTS
        rest = (target.epsilon - share) / draws
        return share, SparseSampling(Budget(rest, target.delta / draws), list_size)

    # Each split is private: a float may choose.
    splits = (basic(parts) for parts in range(1, _PARTS))
    share, sampling = min(splits, key=lambda split: _needed_threshold(split[1], split[0]))
    if draws == 1:
        return share, sampling
    counter = OneSidedThreshold(epsilon=share, threshold=1, horizon=1)

    def compose(epsilon: Fraction) -> Composition:
        step = SparseSampling[Any](Budget(epsilon, target.delta / (2 * draws)), list_size)
        return Composition([(counter, 1), (step, draws)], target.delta)

    found = [step for step, _ in calibrate(compose, target).uses()]
    others = [step for step in found if isinstance(step, SparseSampling)]
    return share, min(sampling, *others, key=lambda step: step.copies_needed(_BETA))
