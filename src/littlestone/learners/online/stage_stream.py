"""A run of the staged online learner: the loop of Lyu25, Algorithm 3, and the calls of 4."""

from __future__ import annotations

import math
import random
from typing import TYPE_CHECKING, Any

from littlestone.hypotheses import Hypothesis, majority
from littlestone.learners.online.base import (
    Journal,
    foreign_entry,
)
from littlestone.learners.online.counted import CountedStream
from littlestone.learners.online.stage_trees import Part
from littlestone.privacy.mechanisms.epoch import Epoch
from littlestone.privacy.samplers.geometric import discrete_laplace

if TYPE_CHECKING:
    from littlestone.learners.online.staged import StagedOnlineLearner


class StagedStream(CountedStream):
    """A run of `StagedOnlineLearner`."""

    def __init__(
        self, learner: StagedOnlineLearner, rng: random.Random, journal: Journal | None
    ) -> None:
        super().__init__(learner, learner.hypotheses.soa(), rng)
        self._learner = learner
        self._tell: Journal = (lambda entry: None) if journal is None else journal
        self._buffer: Part = {}
        self._parts: list[Part] = []
        self._stages: list[int] = []
        self._rho = 0  # until it is drawn, or told

    @property
    def calls(self) -> int:
        """How often the teachers were asked, at most the learner's ``calls``; public."""
        return len(self._stages)

    @property
    def over(self) -> bool:
        return self.calls == self._learner.sizes.calls

    @property
    def stage(self) -> int:
        """The stage of the last call, 0, ..., d; 0 before; public."""
        return self._stages[-1] if self._stages else 0

    def begin(self) -> None:
        noise, _ = self._learner.tests.noises()
        rho = discrete_laplace(noise, self._rng) if noise else 0
        epoch = self._learner.counter.begin(1, self._rng)
        self._tell(["begin", rho, epoch.skips, epoch.due])
        self._rho, self._epoch = rho, epoch

    def _take(self, x: Any, y: int, *, wrong: bool) -> None:
        if wrong:
            # One for each step would do as well: it depends on nothing.
            teacher = self._rng.randrange(self._learner.sizes.teachers)
            epoch = self._learner.counter.counted(self._epoch, self._steps, self._rng)
            told = self._domain.point_to_json(x)
            self._tell(["mistake", self._steps, told, y, teacher, epoch.due])
            self._mistaken(x, y, teacher, epoch)

    def _mistaken(self, x: Any, y: int, teacher: int, epoch: Epoch) -> None:
        self._epoch = epoch
        self._buffer.setdefault(teacher, []).append((x, y))

    def _draw(self) -> None:
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
        vote = majority(votes) if votes else None
        form = None if vote is None else vote.to_json()
        last = self.calls + 1 == learner.sizes.calls
        epoch = self._no_hit() if last else learner.counter.begin(self._steps + 1, self._rng)
        self._tell(["call", self._steps, stage, form, epoch.skips, epoch.due])
        self._called(stage, form, epoch)

    def _called(self, stage: int, form: dict[str, Any] | None, epoch: Epoch) -> None:
        self._parts.append(self._buffer)
        self._stages.append(stage)
        self._buffer, self._epoch = {}, epoch
        if form is not None:
            self._publish(Hypothesis.from_json(form), self._steps)

    def potentials(self) -> list[tuple[int, float, int]]:
        """For each call its stage, ln sum_f r^score(f) and the largest score: NOT PRIVATE.

        The score of f is how many teachers list it, and the second is the potential of Lemma 5.  It
        falls by ln(5/4) or more from a call to the next of the same stage, in a run that goes as it
        should.  Pr[bottom], which the paper follows, is r^B over r^B + e^potential.  For
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

    def restore(self, entry: object) -> None:
        """Go to the step of an entry of the journal.  Raises `ModelError` if it is none."""
        learner, epoch, now = self._learner, self._epoch, self._steps
        match entry:
            case ["begin", int(rho), int(skips), int(due)] if self._due(due, 1) and skips >= 0:
                self._rho, self._epoch = rho, Epoch(skips, 0, due)
            case ["mistake", int(step), x, (0 | 1) as y, int(teacher), int(due)] if (
                now < step <= learner.horizon
                and not self.over
                and (x := self._domain.point_from_json(x)) is not None
                and 0 <= teacher < learner.sizes.teachers
                and self._due(due, step)
            ):
                self._steps = step
                counted = Epoch(epoch.skips, epoch.count + 1, due)
                self._mistaken(x, y, teacher, counted)
            case ["call", int(step), int(stage), dict() | None as form, int(skips), int(due)] if (
                now <= step <= learner.horizon
                and not self.over
                and self.stage <= stage <= learner.dimension
                and self._due(due, step + 1)
                and skips >= 0
            ):
                self._steps = step
                self._called(stage, form, Epoch(skips, 0, due))
            case _:
                raise foreign_entry("stages")
