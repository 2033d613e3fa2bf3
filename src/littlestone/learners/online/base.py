"""The one interface of a private online learner, and explicit mistake bounds."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass
from typing import Any, ClassVar, Generic, final

from littlestone.classes.base import HypothesisClass, require_two_labels
from littlestone.domains import Point, truth
from littlestone.hypotheses import Hypothesis
from littlestone.learners.online.taped import Record, StreamLearner, TapedStream
from littlestone.online.base import OnlineLearner
from littlestone.privacy.parameters import require_horizon
from littlestone.privacy.tape import Tape, journal_mismatch

PUBLIC = 1000
"""Every so many steps a run notes that it got there, whatever the records are."""


@dataclass(frozen=True)
class MistakeBound:
    """At most ``mistakes`` mistakes on every realizable sequence, with probability 1 - beta.

    An ``adaptive`` adversary sees all published hypotheses, another has chosen its sequence before.
    ``source`` is where the bound comes from.
    """

    mistakes: int
    beta: float
    proved: bool
    source: str
    adaptive: bool = True


class PrivateStream(TapedStream[Point], OnlineLearner[Point]):
    """One private run over a stream: `hypothesis` is what is published, and changes now and then.

    The sequence of all published hypotheses, with the steps at which they change, is the private
    output.  A prediction h_t(x_t) is none: everybody knows h_t, so it tells of x_t, and is for those
    who may know x_t.  After the horizon the last hypothesis stays, and no record is looked at any more.

    Any x and y are a record, and none is refused: an exception is an output, and would tell of it.
    `Domain.canonical` makes a point of x and `truth` a label of y, the same as for a `Sample`.  A
    learner sees these alone, in `_right` and `_mistaken`.

    Of a run that is kept, all that was drawn is on the disk, and so is each step at which a hypothesis
    was published, before `hypothesis` shows it.  Else a run that goes on would publish at another step.
    """

    def __init__(self, published: Hypothesis[Point], horizon: int, tape: Tape) -> None:
        super().__init__(published.domain, horizon, tape)
        self._published, self._published_at = published, 0
        self._shown = published, 0  # from the end of a step on
        self._noted = 0  # the last step of which it is no secret that it was taken

    @property
    def secret_draws(self) -> int:
        """How many draws there were, of a kind that may find nothing; secret, 0 without such draws."""
        return 0

    @property
    def public_draws(self) -> int:
        """How many draws there were that each publish a hypothesis, maybe the same; public."""
        return 0

    @property
    def hypothesis(self) -> Hypothesis[Point]:
        return self._shown[0]

    @property
    def published_at(self) -> int:
        """The step at which `hypothesis` was published, 0 for the first; public."""
        return self._shown[1]

    @property
    def over(self) -> bool:
        """Whether the hypothesis stays, and no record is looked at any more; public."""
        return self._steps == self._horizon

    @final
    def predict(self, x: object) -> int:
        """The label that `hypothesis` gives the point of ``x``."""
        return self.hypothesis(self._domain.canonical(x))

    @final
    def update(self, x: object, y: object) -> None:
        """Take the next record; may publish another `hypothesis`.  No record makes it raise.

        Raises `OutputError` if the run is kept in a file and that fails.
        """
        point, label = self._domain.canonical(x), truth(y)
        self._tape.open()
        if self._steps < self._horizon:
            looked_at = not self.over
            self._steps += 1
            if looked_at:
                self._learn(point, label)
            self._end()
        self._tape.close()

    @final
    def skip_to(self, step: int) -> None:
        """Take the steps up to ``step`` as if each of their records were predicted rightly."""
        self._tape.open()
        self._to(min(step, self._horizon))
        self._end()
        self._tape.close()

    @final
    def skip(self) -> None:
        """Pass over all steps that may have been taken before, up to a public multiple of 1,000.

        For a run that goes on without the records of its last steps: its `steps` may be those of its
        last draw, which is secret, and the steps at which hypotheses are published would tell it.
        """
        self.skip_to((self._noted // PUBLIC + 1) * PUBLIC)

    def _learn(self, x: Point, y: int) -> None:
        """Take the record of this step."""
        if self._published(x) == y:
            self._right(x, y)
            return
        self._mistaken(x, y)
        self._line(Record(self._steps, x, y))

    def _right(self, x: Point, y: int, times: int = 1) -> None:
        """Keep what is needed of ``times`` equal records that are predicted rightly; draw nothing."""

    @abstractmethod
    def _mistaken(self, x: Point, y: int) -> None:
        """Learn from a record that is predicted wrongly."""

    @property
    @abstractmethod
    def _due(self) -> int:
        """The step of the next `_hit`, if no record changes that, or one after the horizon; secret."""

    @abstractmethod
    def _hit(self) -> None:
        """Do what is due at this step; it may publish a hypothesis."""

    def _owed(self) -> list[Record]:
        """The records since the last line that were predicted rightly and are needed to go on."""
        return []

    def _told(self) -> None:
        """There is a line that has all that is owed."""

    def _publish(self, h: Hypothesis[Point]) -> None:
        self._published, self._published_at = h, self._steps

    def _to(self, step: int) -> None:
        while self._due <= step:
            self._steps = max(self._steps, self._due)
            self._hit()
            if self._tape.pending:
                self._line()
            if self._published_at == self._steps:
                self._checkpoint()
        self._steps = max(self._steps, step)

    def _checkpoint(self) -> None:
        """Write down that this step was taken, which is no secret: a line without draws or mistakes."""
        if self._steps > self._noted:
            self._line()
            self._noted = self._steps

    def _line(self, *last: Record) -> None:
        self._write(self._steps, lambda: [*self._owed(), *last])
        self._told()

    def _go_on(self) -> None:
        # Not that the last step of the tape was taken: a neighbour without a draw there has no line.
        self._to(self._steps)
        self._show()

    def _end(self) -> None:
        """Do what is due at the last step, and let it be seen."""
        self._to(self._steps)
        if self._steps % PUBLIC == 0:
            self._checkpoint()
        self._show()

    def _show(self) -> None:
        """Let everybody see what is published, and since when."""
        self._shown = self._published, self._published_at

    def _replay(self, step: int, records: list[Record]) -> None:
        public = not self._tape.pending
        for at, x, y, times in records:
            if y is None or self.over or self._steps >= at or self._due < at:
                raise journal_mismatch()
            self._steps = at
            if self._published(x) == y:
                self._right(x, y, times)
            else:
                self._mistaken(x, y)
                public = False
        self._steps = step
        if public:
            self._noted = step
        if self._due < step:
            raise journal_mismatch()
        if self._due == step and (public or self._tape.pending):
            self._hit()
        self._told()


class PrivateOnlineLearner(StreamLearner[PrivateStream[Any]], Generic[Point]):
    """A private online learner: its guarantee holds for every stream, realizable or not.

    Two streams of ``horizon`` steps are neighbours if they differ in one record.
    """

    method: ClassVar[str]
    """The name by which the command line asks for it."""

    oblivious: ClassVar[bool] = False
    """Whether it may err at every step on records chosen in the knowledge of what is published.

    Then its numbers of mistakes are for an oblivious adversary, who fixes the stream beforehand.
    Privacy does not depend on that.
    """

    baseline: ClassVar[bool] = False
    """Whether it is there to compare with, and is taken by its name only."""

    def __init__(self, hypotheses: HypothesisClass[Point], horizon: int) -> None:
        require_horizon(horizon)
        require_two_labels(hypotheses, "learn online")
        self.hypotheses = hypotheses
        self.horizon = horizon

    @abstractmethod
    def stream(self, tape: Tape) -> PrivateStream[Any]:
        """A run for which nothing is drawn yet."""

    @abstractmethod
    def mistake_bound(self, beta: float) -> MistakeBound | None:
        """How many mistakes it makes on a realizable sequence; None where nothing is proved."""

    def measured_mistakes(self) -> int | None:
        """About how many it makes, in the mean, on the worst of the simulated realizable streams.

        Calibrated by ``python -m benchmarks.mistakes``, and no bound; None where nothing is measured.
        """
        return None
