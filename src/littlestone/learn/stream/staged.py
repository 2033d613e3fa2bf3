"""Lyu25, Algorithms 3 and 4, mended: stages, tests, and a vote of draws."""

from __future__ import annotations

import math
import random
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from functools import cache
from typing import Any

from littlestone.base.errors import TooLargeError
from littlestone.base.work import at_most
from littlestone.classes.base import HypothesisClass
from littlestone.learn.base import dimension_up_to, require_plan, require_rule, require_votes
from littlestone.learn.papers.voting import MOST_STEPS
from littlestone.learn.stream.base import CountedLearner, CountedStream, MistakeBound, is_form
from littlestone.learn.stream.stage_sizes import (
    MOST_DIMENSION,
    Adversary,
    ByTeacher,
    Chunk,
    StageSizes,
    failure,
    levels,
    require_adversary,
    slacks,
    stage_leaves,
    with_proved_bound,
)
from littlestone.privacy.accounting.calibration import calibrate
from littlestone.privacy.accounting.composed import Composition
from littlestone.privacy.cost import Budget
from littlestone.privacy.event import Event
from littlestone.privacy.mechanisms.above_threshold import cheapest
from littlestone.privacy.mechanisms.selection_from_lists import SparseSampling
from littlestone.privacy.mechanisms.threshold_tests import OneSidedThreshold, Session
from littlestone.privacy.parameters import require_whole
from littlestone.privacy.samplers.noise import discrete_laplace
from littlestone.privacy.tape import Tape
from littlestone.rules import Hypothesis, majority

_COUNTER, _TESTS = Fraction(1, 16), Fraction(1, 8)  # of epsilon; any shares are private
_SIZES = ("calls", "draws", "teachers", "threshold", "cap", "list_size")


class StagedRun(Composition):
    """The counter, the tests and all draws of one run, which a receipt pays for at once."""

    def uses(self) -> list[tuple[Event, int]]:
        # A resumed run has no receipt any more, and there are many draws.
        return [(self, 1)]


class StagedOnlineLearner(CountedLearner):
    """Publish the majority of R draws from what k teachers list, each time mistakes have piled up.

    Each mistake goes to one of k teachers, chosen uniformly whatever the record.  A teacher keeps the
    first c = ``cap`` of each epoch.  `OneSidedThreshold` counts the mistakes of all.  At a hit the
    teachers are asked.  In stage j they build a tree that is p 2^(d - LDim)-irreducible, p = 2^(j-1) c,
    and list the SOAs of its version spaces of dimension d + 1 - j that err on each of their chunks at
    most ((d + 1 - j) / d)^2 / 10 times its size (`stage_leaves`).  A noisy test asks whether nearly all
    teachers share one.  If not, the next stage begins, for good; the last stage, j = d + 1, has no
    test.  Then there are R draws of `SparseSampling`.  The new hypothesis says at each point what most
    of the draws that are not bottom say; ties are 0.  If all are bottom, the old hypothesis stays.
    After K = ``calls`` calls no record is read any more.

    (epsilon, delta)-DP for every stream: the counter costs epsilon / 16, the tests epsilon / 8 and
    K R draws the rest, composed (docs/proofs/staged-stream.md, Theorem 1).  Lyu25, Algorithms 3
    and 4, mended; that page says where and why.  Against ``adversary`` "oblivious", who fixes the
    sequence beforehand, R grows as ln T.  An "adaptive" one sees what is published, and R is 2^O(d).
    `mistake_bound` is proved for the default sizes (Theorem 2), which are so large that the first
    epoch seldom ends.  For simulations, give any ``calls``, ``draws``, ``teachers``, ``threshold``,
    ``cap`` and ``list_size``.  It is a baseline, used only if its name is given.

    A teacher looks at no more than ``most`` version spaces, in its share of `MOST_STEPS`, and lists
    nothing if it needs more.  With None it looks at all, however long that takes.  Raises
    `DeclarationError` for illegal parameters, delta = 0 and classes whose functions have no majority of
    their kind, `TooLargeError` if the default sizes have too many teachers,
    `InfiniteDimensionError` and `EmptyClassError`.

    >>> from littlestone.classes import Subsets
    >>> from littlestone.points import Integers
    >>> H, goal = Subsets(Integers(), 1), {"budget": Budget(1, "1e-6"), "horizon": 200_000}
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
        budget: Budget,
        *,
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
        require_votes(hypotheses, self.method, online=True)
        values = (calls, draws, teachers, threshold, cap, list_size)
        given = {name: n for name, n in zip(_SIZES, values, strict=True) if n is not None}
        for name, value in given.items():
            require_whole(name, value, least=1)
        if most is not None:
            require_whole("most", most, least=1)
        self.adversary, self.most = adversary, most
        asked = "find sizes of a stream by the method staged"
        self.dimension = d = dimension_up_to(hypotheses, MOST_DIMENSION, asked=asked)
        self.levels = levels(d)
        target = budget.cost
        # Counter, tests and draws compose; the calibration below gives the draws all that is left.
        counter = OneSidedThreshold(epsilon=target.epsilon * _COUNTER, threshold=1, horizon=horizon)
        tests = cheapest(
            Budget(target.epsilon * _TESTS, target.delta * _TESTS),
            threshold=1,
            hits=max(d, 1),
            hits_below=True,
        )

        def event(epsilon: Fraction, times: int, lists: int) -> Composition:
            step = SparseSampling[Any](Budget(epsilon, target.delta / (2 * times)), lists)
            return Composition([(counter, 1), (tests, 1), (step, times)], target.delta)

        @cache
        def sampling(times: int, lists: int) -> SparseSampling[Any]:
            found = calibrate(lambda epsilon: event(epsilon, times, lists), target)
            return next(step for step, _ in found.uses() if isinstance(step, SparseSampling))

        self.sizes: StageSizes = with_proved_bound(d, adversary, counter, tests, sampling, given)
        times = self.sizes.calls * self.sizes.draws
        self.sampling = sampling(times, self.sizes.list_size)
        self.counter = replace(counter, threshold=self.sizes.threshold)
        agreed = max(1, self.sizes.teachers - self.sizes.margin)
        self.tests = replace(tests, threshold=agreed)
        self.event = StagedRun(
            [(self.counter, 1), (self.tests, 1), (self.sampling, times)], target.delta
        )

    @property
    def declared_sizes(self) -> str:
        # The event knows only the product of calls and draws.
        return f"{self.event}; {self.sizes}; most={self.most}"

    def session(self, rho: int, stage: int, rng: random.Random) -> Session:
        """The tests of a stream whose threshold has the noise ``rho``, from ``stage`` on."""
        _, noise = self.tests.noises()
        left = self.tests.hits - stage
        return Session(noise, self.tests.threshold + rho, left, self.tests.hits_below, rng)

    def lists(self, parts: Sequence[ByTeacher], stage: int) -> list[list[Hypothesis[Any]]]:
        """The list of each teacher, a function of its own records alone; the order means nothing."""
        known: dict[tuple[Chunk, ...], list[Hypothesis[Any]]] = {}
        lists = []
        for teacher in range(self.sizes.teachers):
            # The first c of each epoch, by order of arrival: another teacher's records do not
            # matter.
            chunks = tuple(tuple(part.get(teacher, ())[: self.sizes.cap]) for part in parts)
            if chunks not in known:  # many teachers may hold the same few records
                known[chunks] = self.hypotheses_of_teacher(chunks, stage)
            lists.append(known[chunks])
        return lists

    def hypotheses_of_teacher(self, chunks: Sequence[Chunk], stage: int) -> list[Hypothesis[Any]]:
        """The list in ``stage`` of a teacher with these chunks, one an epoch."""
        p, dimension = self.sizes.cap << stage, self.dimension - stage
        level = self.levels[stage]
        steps = None if self.most is None else max(1, MOST_STEPS // self.sizes.teachers)
        try:
            with at_most(steps):
                leaves = stage_leaves(self.hypotheses, chunks, level, p, dimension, most=self.most)
                return list(dict.fromkeys(V.soa() for V in list(leaves)))
        except TooLargeError:
            return []

    def prepare(self) -> None:
        require_rule(self.hypotheses)

    def stream(self, tape: Tape) -> StagedStream:
        return StagedStream(self, tape)

    def mistake_bound(self, beta: float) -> MistakeBound | None:
        """K (U + z) mistakes, Theorem 2; None for other sizes, and for beta below 1/20.

        Against the ``adversary`` that the learner is for, if ``most`` is None.
        """
        require_plan(0.5, beta)
        parts = self.dimension, self.adversary, self.counter, self.tests, self.sampling
        if self.most is not None or failure(self.sizes, *parts) > beta:
            return None
        _, late = slacks(self.counter, self.sizes.calls)
        mistakes = self.sizes.calls * (self.sizes.threshold + late)
        source = "docs/proofs/staged-stream.md, Theorem 2"
        return MistakeBound(mistakes, beta, source, adaptive=self.adversary == "adaptive")


class StagedStream(CountedStream):
    """A run of `StagedOnlineLearner`."""

    def __init__(self, learner: StagedOnlineLearner, tape: Tape) -> None:
        super().__init__(learner, learner.hypotheses.soa(), tape)
        self._learner = learner
        self._buffer: ByTeacher = {}
        self._parts: list[ByTeacher] = []
        self._stages: list[int] = []
        self._rho = 0  # until it is drawn

    @property
    def calls(self) -> int:
        """The number of times the teachers were asked, at most the learner's ``calls``; public."""
        return len(self._stages)

    @property
    def is_over(self) -> bool:
        return super().is_over or self.calls == self._learner.sizes.calls

    @property
    def stage(self) -> int:
        """The stage of the last call, 0, ..., d; 0 before; public."""
        return self._stages[-1] if self._stages else 0

    def _begin(self) -> None:
        noise, _ = self._learner.tests.noises()
        rho = self._tape.whole(lambda rng: discrete_laplace(noise, rng), None) if noise else 0
        self._rho, self._epoch = rho, self._learner.counter.begin(1, self._tape)

    def _mistaken(self, x: Any, y: int) -> None:
        # One draw for every step would do as well: it depends on nothing.
        last = self._learner.sizes.teachers - 1
        teacher = self._tape.whole(lambda rng: rng.randrange(last + 1), 0, last)
        self._epoch = self._learner.counter.count_record(self._epoch, self._steps, self._tape)
        self._deal(x, y, teacher)

    def _deal(self, x: Any, y: int, teacher: int) -> None:
        self._buffer.setdefault(teacher, []).append((x, y))

    def _hit(self) -> None:
        """Algorithm 4: find a stage where the teachers agree, and let draws from its lists vote."""
        learner, parts = self._learner, [*self._parts, self._buffer]

        @cache
        def scores_in_stage(stage: int) -> Mapping[Hypothesis[Any], int]:
            return learner.sampling.scores(learner.lists(parts, stage))

        stage = self._tape.whole(
            lambda rng: self._stage_of_agreement(scores_in_stage, rng),
            self.stage,
            learner.dimension,
        )
        form = self._tape.draw(lambda rng: self._vote(scores_in_stage(stage), rng), is_form)
        # After the last call no record is read any more; how many calls there were is public.
        last = self.calls + 1 == learner.sizes.calls
        if last:
            self._epoch = self._no_hit()
        else:
            self._epoch = learner.counter.begin(self._steps + 1, self._tape)
        self._parts.append(self._buffer)
        self._stages.append(stage)
        self._buffer = {}
        if form is not None:
            self._publish(Hypothesis.from_json(form))

    def _stage_of_agreement(
        self, scores: Callable[[int], Mapping[Hypothesis[Any], int]], rng: random.Random
    ) -> int:
        """The stage in which the tests end; the last stage has no test."""
        stage = self.stage
        session = self._learner.session(self._rho, stage, rng)
        while stage < self._learner.dimension:
            # One record changes one teacher's list, so the largest score moves by at most 1
            # (docs/proofs/staged-stream.md, Theorem 1).
            if session.test(max(scores(stage).values(), default=0)):
                break
            stage += 1
        return stage

    def _vote(
        self, scores: Mapping[Hypothesis[Any], int], rng: random.Random
    ) -> dict[str, Any] | None:
        """The form of the majority of all draws; teachers made the objects themselves."""
        learner = self._learner
        drawn = (learner.sampling.select(scores, rng) for _ in range(learner.sizes.draws))
        votes = [h for h in drawn if h is not None]
        vote = majority(votes) if votes else None
        return None if vote is None else vote.to_json()

    def potentials(self) -> list[tuple[int, float, int]]:
        """For each call its stage, ln sum_f r^score(f) and the largest score: NOT PRIVATE.

        The score of f is the number of teachers that list it.  The second value is the potential of
        Lemma 5.  In a run without failures it falls by ln(5/4) or more from a call to the next of the
        same stage.  Pr[bottom], which the paper follows, is r^B over r^B + e^potential.  For
        simulations; as slow as the run was.
        """
        learner, found = self._learner, []
        rate = math.log1p(float(learner.sampling.base - 1))
        for u, stage in enumerate(self._stages, start=1):
            scores = learner.sampling.scores(learner.lists(self._parts[:u], stage)).values()
            most = max(scores, default=0)
            total = sum(math.exp(rate * (score - most)) for score in scores)
            found.append((stage, rate * most + math.log(total) if total else -math.inf, most))
        return found
