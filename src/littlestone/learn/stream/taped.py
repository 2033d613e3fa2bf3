"""The common part of all runs over a stream: they take steps, and resume from one tape."""

from __future__ import annotations

import random
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable
from typing import Any, ClassVar, Generic, NamedTuple, NoReturn, TypeVar, final

from littlestone.base.errors import DeclarationError
from littlestone.classes.base import HypothesisClass
from littlestone.points import Domain, Point
from littlestone.points.units import Unit
from littlestone.privacy.accounting.composed import Composition
from littlestone.privacy.accounting.grouped import for_unit
from littlestone.privacy.cost import PrivacyCost
from littlestone.privacy.event import Event
from littlestone.privacy.ledger import Ledger, Receipt
from littlestone.privacy.tape import Keep, Tape, journal_mismatch
from littlestone.rules.base import hypothesis_kinds


class Record(NamedTuple):
    """The record (x, y) of ``step`` on a tape; ``y`` is None if the label is not known yet."""

    step: int
    x: Any
    y: int | None


class TapedStream(ABC, Generic[Point]):
    """A run that draws from one `Tape`, and writes each draw down before anybody sees its result.

    A line is [step, records, values]: what was drawn at ``step``, and all records since the last
    line that the run needs to resume.  Values are first drawn for the last of these records; the
    remaining ones are for what was due at that step.

    A run cannot be copied or pickled, and takes no record in a forked process: two that continue
    from one state would draw twice what was paid for once.
    """

    def __init__(self, domain: Domain[Any], horizon: int, tape: Tape) -> None:
        self._domain, self._horizon, self._tape = domain, horizon, tape
        self._steps = 0

    def __reduce__(self) -> NoReturn:
        raise DeclarationError(
            "copy a run",
            found="two that go on from one state would draw twice what was paid for once",
            fix="go on with the run itself; what it publishes can be copied",
        )

    @property
    def steps(self) -> int:
        """The number of records taken, at most the horizon."""
        return self._steps

    @abstractmethod
    def skip(self) -> None:
        """Skip all steps that an earlier call may have taken, whose records are gone."""

    @final
    def begin(self, lines: Iterable[Any] = ()) -> None:
        """Begin the run, or move to where the ``lines`` of its tape left it.

        Raises `ModelError` for lines that this run has not written.
        """
        begun = False
        for line in lines:
            step, records, drawn = self._read(line)
            # Replay: the values come from the line, and nothing is drawn.
            with self._tape.again(drawn):
                if not begun:
                    self._begin()
                self._replay(step, records)
            begun = True
        self._tape.open()
        if not begun:
            self._begin()
            if self._tape.pending:
                self._tape.line(0, list)
        self._go_on()
        self._tape.commit()
        self._tape.close()

    def _begin(self) -> None:
        """Draw what is needed before the first record."""

    @abstractmethod
    def _replay(self, step: int, records: list[Record]) -> None:
        """Move to ``step`` by the records of a line, whose values the tape returns again."""

    @abstractmethod
    def _go_on(self) -> None:
        """Do what a crash prevented: what was due at the last step of the tape."""

    def _write(self, step: int, records: Callable[[], list[Record]]) -> None:
        """Add a line of ``step``, with these records."""
        written = self._domain.point_to_json
        self._tape.line(step, lambda: [[r.step, written(r.x), r.y, 1] for r in records()])

    def _read(self, line: Any) -> tuple[int, list[Record], list[Any]]:
        match line:
            case [int(step), [*records], [*drawn]] if self._steps <= step <= self._horizon:
                return step, [self._record(record, step) for record in records], drawn
        raise journal_mismatch()

    def _record(self, record: Any, last: int) -> Record:
        match record:
            case [int(step), x, (0 | 1 | None) as y, 1] if (
                0 < step <= last and (point := self._domain.point_from_json(x)) is not None
            ):
                return Record(step, point, y)
        raise journal_mismatch()


Stream = TypeVar("Stream", bound=TapedStream[Any])


class StreamLearner(ABC, Generic[Stream]):
    """A learner from a stream of up to ``horizon`` records, at one price for the whole run."""

    verb: ClassVar[str] = "learn {label} online from {hypotheses}"
    hypotheses: HypothesisClass[Any]
    horizon: int

    @property
    @abstractmethod
    def event(self) -> Event:
        """A whole run, as the ledger records it; it depends on declarations alone."""

    @property
    def declared_sizes(self) -> str:
        """All sizes that a run must keep when it resumes after a crash."""
        return str(self.event)

    def cost(self) -> PrivacyCost:
        """The privacy guarantee of a whole run, however much it publishes."""
        return self.event.cost()

    @abstractmethod
    def stream(self, tape: Tape) -> Stream:
        """A run for which nothing is drawn yet."""

    def start(
        self,
        *,
        ledger: Ledger,
        dataset: str,
        label: str = "label is 1",
        rng: random.Random | None = None,
    ) -> Stream:
        """Spend `cost` on ``dataset`` in the ledger, once, then begin the run.

        ``rng`` is the system's cryptographic generator by default; with a seeded one the run is a
        simulation and not private.  Use `durable_run` for a run that can resume after a crash.
        Raises `BudgetExceededError` or `LedgerError`.
        """
        return self.begin(self.pay(ledger, dataset, label, rng))

    def event_for(self, unit: Unit | None) -> Event:
        """`event`, or with a ``unit`` what it costs one unit, of whose records ``unit.most`` count."""
        return for_unit(self.event, unit)

    def pay(
        self,
        ledger: Ledger,
        dataset: str,
        label: str,
        rng: random.Random | None = None,
        unit: Unit | None = None,
        besides: Event | None = None,
    ) -> Receipt:
        """Spend the cost of `event_for` the ``unit``, for a whole run that draws from ``rng``.

        The same entry pays for an event ``besides``, if there is one.
        """
        self.prepare()
        hypothesis_kinds()  # what is drawn is read as one of them, and importing them may fail
        what = self.verb.format(label=label, hypotheses=self.hypotheses)
        event = self.event_for(unit)
        if besides is not None:
            event = Composition([(event, 1), (besides, 1)], event.cost().delta)
        return ledger.spend(event, dataset=dataset, what=what, rng=rng)

    def prepare(self) -> None:
        """Find or load what a run needs and what may fail; called before the spend."""
        return

    @final
    def begin(
        self, receipt: Receipt, keep: Keep | None = None, *, together: bool = False
    ) -> Stream:
        """A run that ``receipt`` pays for, with its generator; ``keep`` gets the run's lines.

        With ``together`` it gets those of each `PrivateStream.take` as one line.
        """
        # All at once, because a resumed run has no receipt any more.
        uses = [event for event, times in self.event.uses() for _ in range(times)]
        generators = [receipt.redeem(event) for event in uses]
        return self.resume([], Tape(generators[0], keep, together=together))

    @final
    def resume(self, lines: Iterable[Any], tape: Tape) -> Stream:
        """The run that wrote these lines, at the last of them; nothing is spent or drawn again.

        The records after the last line can be taken again, if they are available: they drew nothing.
        Do not resume a run twice from one line.  Raises `ModelError` for lines of another learner.
        """
        stream = self.stream(tape)
        stream.begin(lines)
        return stream
