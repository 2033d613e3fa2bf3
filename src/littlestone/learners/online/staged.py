"""Lyu (2025), Algorithms 3 and 4, with its privacy repaired: stages, tests, and a vote of draws."""

from __future__ import annotations

import math
import random
from collections.abc import Iterable, Sequence
from dataclasses import replace
from fractions import Fraction
from functools import cache
from typing import Any, TypeGuard

from littlestone.classes.base import HypothesisClass
from littlestone.errors import DeclarationError, TooLargeError
from littlestone.hypotheses import Hypothesis
from littlestone.hypotheses.majority import majority_vote
from littlestone.learners.online.base import (
    Journal,
    MistakeBound,
    PrivateOnlineLearner,
    PrivateStream,
    foreign_entry,
)
from littlestone.learners.online.stage_sizes import (
    Adversary,
    Sizes,
    failure,
    levels,
    proved,
    require_adversary,
    slacks,
)
from littlestone.learners.online.stage_trees import Chunk, stage_leaves
from littlestone.online.base import require_label
from littlestone.privacy.accounting.calibration import calibrate
from littlestone.privacy.accounting.composed import Composed
from littlestone.privacy.cost import PrivacyCost, exact_delta, exact_epsilon
from littlestone.privacy.event import Event
from littlestone.privacy.ledger import Receipt
from littlestone.privacy.mechanisms.above_threshold import cheapest
from littlestone.privacy.mechanisms.one_sided_threshold import Epoch, OneSidedThreshold
from littlestone.privacy.mechanisms.sparse_sampling import SparseSampling
from littlestone.privacy.mechanisms.threshold_tests import Session
from littlestone.privacy.parameters import whole
from littlestone.privacy.samplers.geometric import discrete_laplace

_COUNTER, _TESTS = Fraction(1, 16), Fraction(1, 8)  # of epsilon; any shares are private
_SIZES = ("calls", "draws", "teachers", "threshold", "cap", "list_size")
_QUIET = Epoch(1, 0, 0, None)  # no hit is due

Part = dict[int, list[tuple[Any, int]]]
"""The examples of one epoch, by their teachers."""


class StagedStream(PrivateStream[Any]):
    """A run of `StagedOnlineLearner`."""

    def __init__(
        self, learner: StagedOnlineLearner, rng: random.Random, journal: Journal | None
    ) -> None:
        super().__init__(learner.hypotheses.soa())
        self._learner, self._rng = learner, rng
        self._tell: Journal = (lambda entry: None) if journal is None else journal
        self._steps = 0
        self._buffer: Part = {}
        self._parts: list[Part] = []
        self._stages: list[int] = []
        self._rho, self._epoch = 0, _QUIET  # until they are drawn, or told

    @property
    def steps(self) -> int:
        return self._steps

    @property
    def calls(self) -> int:
        """How often the teachers were asked, at most the learner's ``calls``; public."""
        return len(self._stages)

    @property
    def stage(self) -> int:
        """The stage of the last call, 0, ..., d; 0 before; public."""
        return self._stages[-1] if self._stages else 0

    def begin(self) -> None:
        """Draw the noise of the stages' tests, and what the first epoch needs."""
        noise, _ = self._learner.tests.noises()
        rho = discrete_laplace(noise, self._rng) if noise else 0
        epoch = self._learner.counter.begin(1, self._rng)
        self._tell(["begin", rho, epoch.skips, epoch.due])
        self._rho, self._epoch = rho, epoch

    def update(self, x: Any, y: int) -> None:
        """Take the next record; publishes a new hypothesis when mistakes have piled up.

        After the last call no record is looked at.  Raises `DeclarationError` for a point outside of
        the domain, or a label other than 0 and 1.
        """
        require_label(y)
        self._learner.hypotheses.domain.require(x)
        if self._steps == self._learner.horizon:
            return
        self._steps += 1
        if self.calls < self._learner.sizes.calls and self._published(x) != y:
            # One for each step would do as well: it depends on nothing.
            teacher = self._rng.randrange(self._learner.sizes.teachers)
            epoch = self._learner.counter.counted(self._epoch, self._steps, self._rng)
            self._tell(["mistake", self._steps, x, int(y), teacher, epoch.due])
            self._mistaken(x, y, teacher, epoch)
        self.go_to(self._steps)

    def go_to(self, step: int) -> None:
        step = min(step, self._learner.horizon)
        while self._epoch.due is not None and self._epoch.due <= step:
            self._steps = max(self._steps, self._epoch.due)
            self._call()
        self._steps = max(self._steps, step)

    def _mistaken(self, x: Any, y: int, teacher: int, epoch: Epoch) -> None:
        self._epoch = epoch
        self._buffer.setdefault(teacher, []).append((x, int(y)))

    def _call(self) -> None:
        """Algorithm 4: find a stage where the teachers agree, and let draws from its lists vote."""
        learner = self._learner
        parts, stage = [*self._parts, self._buffer], self.stage
        session = learner.session(self._rho, stage, self._rng)
        while stage < learner.dimension:
            scores = learner.sampling.scores(learner.lists(parts, stage))
            if session.test(max(scores.values(), default=0)):
                break
            stage += 1
        else:
            scores = learner.sampling.scores(learner.lists(parts, stage))
        drawn = (learner.sampling.select(scores, self._rng) for _ in range(learner.sizes.draws))
        votes = [h for h in drawn if h is not None]
        # From its canonical form: the objects themselves were made by teachers.
        vote = majority_vote(votes) if votes else None
        form = None if vote is None else vote.to_json()
        last = self.calls + 1 == learner.sizes.calls
        epoch = _QUIET if last else learner.counter.begin(self._steps + 1, self._rng)
        self._tell(["call", self._steps, stage, form, epoch.skips, epoch.due])
        self._called(stage, form, epoch)

    def _called(self, stage: int, form: dict[str, Any] | None, epoch: Epoch) -> None:
        self._parts.append(self._buffer)
        self._stages.append(stage)
        self._buffer, self._epoch = {}, epoch
        if form is not None:
            self._publish(Hypothesis.from_json(form), self._steps)

    def potentials(self) -> list[tuple[int, float]]:
        """For each call its stage and ln sum_f r^score(f), the potential of Lemma 5: NOT PRIVATE.

        It falls by ln(5/4) or more from a call to the next of the same stage, in a run that goes as
        it should.  Pr[bottom], which the paper follows, is r^B over r^B + e^potential.  For
        simulations; as slow as the run was.
        """
        learner, found = self._learner, []
        rate = math.log1p(float(learner.sampling.base - 1))
        for u, stage in enumerate(self._stages, start=1):
            scores = learner.sampling.scores(learner.lists(self._parts[:u], stage)).values()
            most = max(scores, default=0)
            total = sum(math.exp(rate * (score - most)) for score in scores)
            found.append((stage, rate * most + math.log(total) if total else -math.inf))
        return found

    def restore(self, entry: object) -> None:
        """Go to the step of an entry of the journal.  Raises `ModelError` if it is none."""
        learner, epoch, now = self._learner, self._epoch, self._steps
        match entry:
            case ["begin", int(rho), int(skips), due] if (
                now == self.calls == len(self._buffer) and self._due(due, 1) and skips >= 0
            ):
                self._rho, self._epoch = rho, Epoch(learner.counter.threshold, skips, 0, due)
            case ["mistake", int(step), x, (0 | 1) as y, int(teacher), due] if (
                now < step <= learner.horizon
                and self.calls < learner.sizes.calls
                and (x := _point(x)) in learner.hypotheses.domain
                and 0 <= teacher < learner.sizes.teachers
                and self._due(due, step)
            ):
                self._steps = step
                counted = Epoch(epoch.threshold, epoch.skips, epoch.count + 1, due)
                self._mistaken(x, y, teacher, counted)
            case ["call", int(step), int(stage), dict() | None as form, int(skips), due] if (
                now <= step <= learner.horizon
                and self.calls < learner.sizes.calls
                and self.stage <= stage <= learner.dimension
                and self._due(due, step + 1)
                and skips >= 0
            ):
                self._steps = step
                self._called(stage, form, Epoch(learner.counter.threshold, skips, 0, due))
            case _:
                raise foreign_entry("stages")

    def _due(self, due: object, first: int) -> TypeGuard[int | None]:
        return due is None or (isinstance(due, int) and first <= due <= self._learner.horizon)


class StagedRun(Composed):
    """The counter, the tests and all draws of one run, which a receipt pays for at once."""

    def uses(self) -> list[tuple[Event, int]]:
        # A run that goes on after a crash has no receipt any more, and there are many draws.
        return [(self, 1)]


class StagedOnlineLearner(PrivateOnlineLearner[Any]):
    """Publish the majority of R draws from what k teachers list, each time mistakes have piled up.

    A mistake goes to one of k teachers, each as likely, whatever the record; it keeps the first c =
    ``cap`` of each epoch.  `OneSidedThreshold` counts the mistakes of all.  At a hit the teachers are
    asked: in stage j they list the SOAs of the version spaces of dimension d + 1 - j of a tree that
    is p 2^(d - LDim)-irreducible, p = 2^(j-1) c, and whose SOAs err on each of their chunks at most
    ((d + 1 - j) / d)^2 / 10 times (`stage_leaves`).  A noisy test asks whether nearly all share one;
    if not, the next stage begins, for good; the last one, j = d + 1, has no test.  Then there are R
    draws of `SparseSampling`, and what most of those that are no bottom say at a point is the
    new hypothesis; ties are 0.  If all are bottom, the old one stays.  After K = ``calls`` calls no
    record is looked at any more.

    (epsilon, delta)-DP for every stream: the counter costs epsilon / 16, the tests epsilon / 8 and
    K R draws the rest, composed (docs/proofs/staged-stream.md, Theorem 1).  Lyu (2025), Algorithms 3
    and 4, repaired: that page says where and why.  Against ``adversary`` "oblivious", who
    fixes the sequence beforehand, R grows as ln T; an "adaptive" one sees what is published, and R is
    2^O(d).  The default sizes are those for which `mistake_bound` is proved (Theorem 2), and so large
    that the first epoch seldom ends; any ``calls``, ``draws``, ``teachers``, ``threshold``, ``cap``
    and ``list_size`` can be given in their place, for simulations.  A baseline: it is taken only
    by its name.

    A teacher looks at ``most`` version spaces at most, and lists nothing if it takes more; None: all,
    in whatever time it takes.  Raises `DeclarationError` for illegal parameters, delta = 0 and classes
    whose functions have no majority of their kind, `InfiniteDimensionError` and `EmptyClassError`.

    >>> from littlestone.classes import Subsets
    >>> from littlestone.domains import Integers
    >>> H, goal = Subsets(Integers(), 1), {"epsilon": 1, "delta": "1e-6", "horizon": 200_000}
    >>> learner = StagedOnlineLearner(H, **goal)
    >>> learner.sizes.calls, learner.sizes.draws, f"{learner.mistake_bound(0.05).mistakes:.1e}"
    (43, 357, '2.2e+09')
    >>> small = StagedOnlineLearner(H, calls=4, draws=5, cap=9, threshold=500, **goal)
    >>> small.sizes.teachers, small.mistake_bound(0.05)
    (983, None)
    """

    method = "staged"
    baseline = True

    def __init__(
        self,
        hypotheses: HypothesisClass[Any],
        *,
        epsilon: object,
        delta: object,
        horizon: int,
        adversary: Adversary = "oblivious",
        calls: int | None = None,
        draws: int | None = None,
        teachers: int | None = None,
        threshold: int | None = None,
        cap: int | None = None,
        list_size: int | None = None,
        most: int | None = None,
    ) -> None:
        super().__init__(hypotheses, horizon)
        hypotheses.require_learnable()
        require_adversary(adversary)
        if majority_vote([hypotheses.soa()]) is None:
            raise DeclarationError(
                f"learn {hypotheses} online by the method {self.method}",
                found="a majority vote of its rules is no rule of their kind",
                fix="declare points, subsets, thresholds or a table, or take another method",
            )
        values = (calls, draws, teachers, threshold, cap, list_size)
        given = {name: n for name, n in zip(_SIZES, values, strict=True) if n is not None}
        for name, value in given.items():
            whole(name, value, least=1)
        if most is not None:
            whole("most", most, least=1)
        self.adversary, self.most = adversary, most
        self.dimension = d = int(hypotheses.littlestone_dimension())
        self.levels = levels(d)
        target = PrivacyCost(exact_epsilon(epsilon), exact_delta(delta))
        counter = OneSidedThreshold(epsilon=target.epsilon * _COUNTER, threshold=1, horizon=horizon)
        tests = cheapest(
            target.epsilon * _TESTS,
            target.delta * _TESTS,
            threshold=1,
            hits=max(d, 1),
            hits_below=True,
        )

        def event(epsilon: Fraction, times: int, lists: int) -> Composed:
            step = SparseSampling[Any](epsilon, target.delta / (2 * times), lists)
            return Composed([(counter, 1), (tests, 1), (step, times)], target.delta)

        @cache
        def sampling(times: int, lists: int) -> SparseSampling[Any]:
            found = calibrate(lambda epsilon: event(epsilon, times, lists), target)
            return next(step for step, _ in found.uses() if isinstance(step, SparseSampling))

        self.sizes: Sizes = proved(d, adversary, counter, tests, sampling, given)
        times = self.sizes.calls * self.sizes.draws
        self.sampling = sampling(times, self.sizes.list_size)
        self.counter = replace(counter, threshold=self.sizes.threshold)
        agreed = max(1, self.sizes.teachers - self.sizes.margin)
        self.tests = replace(tests, threshold=agreed)
        self._event = StagedRun(
            [(self.counter, 1), (self.tests, 1), (self.sampling, times)], target.delta
        )

    @property
    def event(self) -> StagedRun:
        return self._event

    def session(self, rho: int, stage: int, rng: random.Random) -> Session:
        """The tests of a stream whose threshold has the noise ``rho``, as they go on in ``stage``."""
        _, noise = self.tests.noises()
        left = self.tests.hits - stage
        return Session(noise, self.tests.threshold + rho, left, self.tests.hits_below, rng)

    def lists(self, parts: Sequence[Part], stage: int) -> list[list[Hypothesis[Any]]]:
        """What each teacher lists, a function of its own records alone; the order means nothing."""
        known: dict[tuple[Chunk, ...], list[Hypothesis[Any]]] = {}
        lists = []
        for teacher in range(self.sizes.teachers):
            chunks = tuple(tuple(part.get(teacher, ())[: self.sizes.cap]) for part in parts)
            if chunks not in known:  # many teachers may hold the same few records
                known[chunks] = self.listed(chunks, stage)
            lists.append(known[chunks])
        return lists

    def listed(self, chunks: Sequence[Chunk], stage: int) -> list[Hypothesis[Any]]:
        """The list in ``stage`` of a teacher with these chunks, one an epoch."""
        p, dimension = self.sizes.cap << stage, self.dimension - stage
        level = self.levels[stage]
        try:
            leaves = list(
                stage_leaves(self.hypotheses, chunks, level, p, dimension, most=self.most)
            )
        except TooLargeError:
            return []
        return list(dict.fromkeys(V.soa() for V in leaves))

    def begin(self, receipt: Receipt, rng: random.Random, journal: Journal | None) -> StagedStream:
        receipt.redeem(self.event)
        return self.resume([], rng, journal)

    def resume(
        self, entries: Iterable[list[Any]], rng: random.Random, journal: Journal | None
    ) -> StagedStream:
        stream, begun = StagedStream(self, rng, journal), False
        for entry in entries:
            stream.restore(entry)
            begun = True
        if begun:
            stream.go_to(stream.steps)  # a call that was due at the last step
        else:
            stream.begin()
        return stream

    def mistake_bound(self, beta: float) -> MistakeBound | None:
        """(K + 1) (U + z) mistakes, Theorem 2; None for other sizes, and for beta below 1/20.

        Against the ``adversary`` that the learner is for, if ``most`` is None.
        """
        parts = self.dimension, self.adversary, self.counter, self.tests, self.sampling
        if self.most is not None or failure(self.sizes, *parts) > beta:
            return None
        _, late = slacks(self.counter, self.sizes.calls)
        mistakes = (self.sizes.calls + 1) * (self.sizes.threshold + late)
        source = f"docs/proofs/staged-stream.md, Theorem 2, {self.adversary} adversary"
        return MistakeBound(mistakes, beta, True, source)


def _point(x: Any) -> Any:
    """A point as it was before JSON made lists of its tuples."""
    return tuple(map(_point, x)) if isinstance(x, list) else x
