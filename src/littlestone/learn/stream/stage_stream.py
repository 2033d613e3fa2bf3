"""A run of the staged online learner: the loop of Lyu25, Algorithm 3, and the calls of Algorithm 4."""

from __future__ import annotations

import math
import random
from collections.abc import Callable, Mapping
from functools import cache
from typing import TYPE_CHECKING, Any

from littlestone.learn.stream.counted import CountedStream, is_form
from littlestone.learn.stream.stage_trees import ByTeacher
from littlestone.privacy.mechanisms.streams.epoch import Epoch
from littlestone.privacy.samplers.geometric import discrete_laplace
from littlestone.privacy.tape import Tape
from littlestone.rules import Hypothesis, majority

if TYPE_CHECKING:
    from littlestone.learn.stream.staged import StagedOnlineLearner


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
    def over(self) -> bool:
        return super().over or self.calls == self._learner.sizes.calls

    @property
    def stage(self) -> int:
        """The stage of the last call, 0, ..., d; 0 before; public."""
        return self._stages[-1] if self._stages else 0

    def _begin(self) -> None:
        noise, _ = self._learner.tests.noises()
        rho = self._tape.whole(lambda rng: discrete_laplace(noise, rng), None) if noise else 0
        self._begun(rho, self._learner.counter.begin(1, self._tape))

    def _begun(self, rho: int, epoch: Epoch) -> None:
        self._rho, self._epoch = rho, epoch

    def _mistaken(self, x: Any, y: int) -> None:
        # One draw for every step would do as well: it depends on nothing.
        last = self._learner.sizes.teachers - 1
        teacher = self._tape.whole(lambda rng: rng.randrange(last + 1), 0, last)
        self._epoch = self._learner.counter.counted(self._epoch, self._steps, self._tape)
        self._deal(x, y, teacher)

    def _deal(self, x: Any, y: int, teacher: int) -> None:
        self._buffer.setdefault(teacher, []).append((x, y))

    def _hit(self) -> None:
        """Algorithm 4: find a stage where the teachers agree, and let draws from its lists vote."""
        learner, parts = self._learner, [*self._parts, self._buffer]

        @cache
        def scores(stage: int) -> Mapping[Hypothesis[Any], int]:
            return learner.sampling.scores(learner.lists(parts, stage))

        stage = self._tape.whole(
            lambda rng: self._agreed(scores, rng), self.stage, learner.dimension
        )
        form = self._tape.draw(lambda rng: self._voted(scores(stage), rng), is_form)
        # After the last call no record is read any more; how many calls there were is public.
        last = self.calls + 1 == learner.sizes.calls
        after = self._no_hit() if last else learner.counter.begin(self._steps + 1, self._tape)
        self._called(stage, form, after)

    def _agreed(
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

    def _voted(
        self, scores: Mapping[Hypothesis[Any], int], rng: random.Random
    ) -> dict[str, Any] | None:
        """The form of the majority of all draws; teachers made the objects themselves."""
        learner = self._learner
        drawn = (learner.sampling.select(scores, rng) for _ in range(learner.sizes.draws))
        votes = [h for h in drawn if h is not None]
        vote = majority(votes) if votes else None
        return None if vote is None else vote.to_json()

    def _called(self, stage: int, form: dict[str, Any] | None, epoch: Epoch) -> None:
        self._parts.append(self._buffer)
        self._stages.append(stage)
        self._buffer, self._epoch = {}, epoch
        if form is not None:
            self._publish(Hypothesis.from_json(form))

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
