"""A run of a private online learner: its steps, what it publishes, and the lines that resume it."""

from __future__ import annotations

from abc import ABC, abstractmethod
from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import compress, islice
from operator import ne
from typing import Any, NamedTuple, NoReturn, final

from littlestone.base.errors import DAMAGED, DeclarationError
from littlestone.points import Point, truths
from littlestone.privacy.tape import NOTHING, Tape, journal_mismatch
from littlestone.rules import Hypothesis
from littlestone.theory.game.players import OnlineLearner

PUBLIC = 1000
"""A run notes its progress each time this many steps have passed, whatever the records are."""

BLOCK = 1 << 12
"""The most records that are read at once."""


class Record(NamedTuple):
    """The record (x, y) of ``step`` on a tape."""

    step: int
    x: Any
    y: int


class TakeResult(NamedTuple):
    """What came of some records: each hypothesis ``published``, with its step, and draws.

    ``drawn`` has the step of each draw; it is secret if the learner has secret draws.
    """

    published: list[tuple[int, Hypothesis[Any]]]
    drawn: list[int]


class PrivateStream(OnlineLearner[Point], ABC):
    """One private run over a stream, whose published `hypothesis` changes from time to time.

    The private output is the sequence of all published hypotheses, with the steps at which they
    change.  A prediction h_t(x_t) is not private: everybody knows h_t, so the prediction tells
    something about x_t.  Show it only to those who may know x_t.  After the horizon the last
    hypothesis stays, and no record is read any more.

    Any x and y form a record, and none is refused: an exception is an output, and would tell
    something about the record.  `Domain.canonical` turns x into a point and `truth` turns y into a
    label, as for a `Sample`.  A learner sees only these, in `_right` and `_mistaken`.

    A run draws from one `Tape`, and writes each draw down before anybody sees its result.  A line is
    [step, records, values]: what was drawn at ``step``, and all records since the last line that the
    run needs to resume.  Values are first drawn for the last of these records; the remaining ones are
    for what was due at that step.  If the run is kept in a file, everything drawn and each step at
    which a hypothesis was published are on the disk before `hypothesis` shows it.  Otherwise a resumed
    run would publish at another step.

    A run cannot be copied or pickled, and takes no record in a forked process: two that continue
    from one state would draw twice what was paid for once.
    """

    def __init__(self, published: Hypothesis[Point], horizon: int, tape: Tape) -> None:
        self._domain, self._horizon, self._tape = published.domain, horizon, tape
        self._steps = 0
        self._published, self._published_at = published, 0
        self._shown = published, 0  # updated at the end of a step
        self._waiting: list[tuple[int, Hypothesis[Point]]] = []  # published, and not yet shown
        self._history = {0: published}
        self._noted = 0  # the last step that is publicly known to have been taken

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

    @property
    def secret_draws(self) -> int:
        """The number of draws of a kind that may find nothing; secret, 0 without such draws."""
        return 0

    @property
    def hypothesis(self) -> Hypothesis[Point]:
        return self._shown[0]

    @property
    def published_at(self) -> int:
        """The step at which `hypothesis` was published, 0 for the first; public."""
        return self._shown[1]

    @property
    def publications(self) -> tuple[tuple[int, Hypothesis[Point]], ...]:
        """All published hypotheses as pairs (step, hypothesis), in order; public.

        A run that resumes from a `summary` knows the last one of those before it.
        """
        return tuple(self._history.items())

    def plot(self, axes: Any = None) -> Any:
        """Draw the published rules over the whole stream on the axes of matplotlib; return the axes.

        They go from step 0 to the horizon.  Only what is published is drawn.  Raises `OutputError` if
        matplotlib is not installed.
        """
        from littlestone.show.tree import chart_of_stream

        return chart_of_stream(self.publications, self._horizon).plot(axes)

    @property
    def is_over(self) -> bool:
        """Whether the hypothesis stays and no record is read any more; public."""
        return self._steps == self._horizon

    @final
    def begin_from(self, lines: Iterable[Any] = ()) -> None:
        """Begin the run, or move to where the ``lines`` of its tape left it.

        Raises `ModelError` for lines that this run has not written.
        """
        begun = False
        for line in lines:
            if isinstance(line, dict) and not begun:
                self._restore_from(line)
                begun = True
                continue
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

    @final
    def predict(self, x: object) -> int:
        """The label that `hypothesis` gives the point of ``x``."""
        return self.hypothesis(self._domain.canonical(x))

    @final
    def update(self, x: object, y: object) -> None:
        """Take the next record; this may publish another `hypothesis`.  No record makes it raise.

        Raises `OutputError` if the run is kept in a file and writing to it fails.
        """
        self._open()
        self._go(((x, y),))
        if self._steps % PUBLIC == 0:
            self._checkpoint()
        self._show()
        self._tape.close()

    @final
    def take(
        self,
        records: Iterable[tuple[object, object] | None],
        offsets: Mapping[str, int] = NOTHING,
        units: Mapping[str, int] = NOTHING,
    ) -> TakeResult:
        """Take the next records (x, y), as `update` takes each, and show the last `hypothesis`.

        None is a void record: it takes its step, and nothing is learned from it.  A run that is kept
        in batches waits for the disk once: after a crash it has taken all of them or none, and nothing
        was shown.  ``offsets`` and ``units`` are kept with them.  Raises what `update` raises.
        """
        self._tape.open()
        taken = self._go(records)
        self._checkpoint()
        # On the disk first, shown afterwards: a crash in between loses nothing that anybody saw.
        self._tape.commit(offsets, units)
        self._show()
        self._tape.close()
        return taken

    @final
    def skip_to(self, step: int) -> None:
        """Take the steps up to ``step`` as if each of their records were predicted correctly."""
        self._open()
        self._to(min(step, self._horizon))
        if self._steps % PUBLIC == 0:
            self._checkpoint()
        self._show()
        self._tape.close()

    @final
    def skip(self) -> None:
        """Skip all steps that may have been taken before, up to a public multiple of 1,000.

        Call it on a resumed run if the records of its last steps are gone.  Its `steps` may be the step
        of its last draw, which is secret, and the later publication times would reveal it.

        Raises `DeclarationError` if the learner remembers records predicted correctly.  A line of a
        mistake holds those before it, and without that mistake they are gone: one record would decide
        how many others count.
        """
        if type(self)._unwritten_records is not PrivateStream._unwritten_records:
            raise DeclarationError(
                "go on without the records of the last steps",
                found="the learner remembers records that it predicted correctly, and one mistake "
                "decides how many of them are in the file",
                fix="read the records again, or begin the run with durable_run(..., batches=True)",
            )
        self.skip_to((self._noted // PUBLIC + 1) * PUBLIC)

    def _open(self) -> None:
        """Begin what takes no batch; a run that is kept in batches would not know of it."""
        if self._tape.together:
            raise DeclarationError(
                "take a step by itself",
                found="the run is kept in batches",
                fix="give its records to take, one or more at a time",
            )
        self._tape.open()

    def _go(self, records: Iterable[tuple[object, object] | None]) -> TakeResult:
        """Take one step after another, each with what is due then."""
        taken, left = TakeResult([], []), iter(records)
        while block := list(islice(left, min(BLOCK, self._horizon - self._steps))):
            self._take_block(block, taken)
        return taken

    def _take_block(self, block: list[tuple[object, object] | None], taken: TakeResult) -> None:
        """Take these steps: from one mistake or draw to the next, because nothing else changes."""
        first, last = self._steps, self._steps + len(block)
        # Nothing raises from here on, whatever a record is: `canonical_points` and `truths` read
        # any object.
        read = [] if self.is_over else [record for record in block if record is not None]
        points = self._domain.canonical_points([x for x, _ in read])
        labels = truths([y for _, y in read])
        steps: Sequence[int] = range(first + 1, last + 1)
        if len(read) < len(block):
            steps = [first + i for i, record in enumerate(block, 1) if record is not None]
        at, count = 0, len(read)

        def mistakes(start: int) -> Iterator[int]:
            """The places of the records that what is published now mistakes."""
            found = self._published.answer_all(points[start:])
            return compress(range(start, count), map(ne, found, labels[start:]))

        def keep_right(end: int) -> None:
            if type(self)._right is not PrivateStream._right:
                for i in range(at, end):
                    self._steps = steps[i]
                    self._right(points[i], labels[i])

        # Everything that is learned depends on records through what was published before: the
        # streams' proofs need no more.
        wrong = mistakes(0)
        place = next(wrong, count)
        while True:
            if place < count and steps[place] <= self._due:
                keep_right(place)
                self._steps = step = steps[place]
                self._mistaken(points[place], labels[place])
                self._line(Record(step, points[place], labels[place]))
                at, place = place + 1, next(wrong, count)
                # What a record makes due at its own step is done before the next record is read.
                if self._due > step:
                    continue
            step = self._due
            if step > last:
                break
            now = bisect_right(steps, step, hi=count)
            keep_right(now)
            at, before, draws = now, self._published, self.secret_draws
            self._to(step)
            taken.drawn.extend([step] * (self.secret_draws - draws))
            if self._published is not before:
                taken.published.append((step, self._published))
                wrong = mistakes(at)
                place = next(wrong, count)
            if self.is_over:  # only a draw can end it before the horizon
                at = place = count
        keep_right(count)
        self._steps = last

    def summary(self) -> dict[str, Any] | None:
        """What the lines of the tape come to, as one line in their place; None if it has no form.

        Nothing is drawn, and a run that begins with it goes on as if it had read all lines.
        """
        kept = self._to_json()
        if kept is None:
            return None
        return {"step": self._steps, "published": self._published_at, **kept}

    def _to_json(self) -> dict[str, Any] | None:
        """All that was learned and drawn, as plain JSON values; None if only lines tell."""
        return None

    def _restore_from(self, line: dict[str, Any]) -> None:
        """Move to where `summary` was asked."""
        # Raised outside of ``except``, so that nothing is kept of an error that may quote the line.
        if not self._has_moved_to(line):
            raise journal_mismatch()
        self._history = {self._published_at: self._published}

    def _has_moved_to(self, line: dict[str, Any]) -> bool:
        try:
            match line:
                case {"step": int(step), "published": int(at)} if 0 <= at <= step <= self._horizon:
                    self._steps = self._noted = step
                    self._published_at = at
                case _:
                    return False
            self._published = self._restore(line)
        except DAMAGED:
            return False
        return True

    def _restore(self, kept: Mapping[str, Any]) -> Hypothesis[Point]:
        """Know what `_to_json` gave; returns what is published."""
        raise journal_mismatch()

    def _right(self, x: Point, y: int) -> None:
        """Keep the part of a correctly predicted record that is needed later.

        It draws nothing, and leaves `_due` as it is.
        """

    @abstractmethod
    def _mistaken(self, x: Point, y: int) -> None:
        """Learn from a record that was predicted wrongly."""

    @property
    @abstractmethod
    def _due(self) -> int:
        """The step of the next `_hit` unless a record changes it; horizon + 1 if none; secret."""

    @abstractmethod
    def _hit(self) -> None:
        """Do what is due at this step; this may publish a hypothesis."""

    def _unwritten_records(self) -> list[Record]:
        """The correctly predicted records since the last line that are needed to resume."""
        return []

    def _clear_unwritten(self) -> None:
        """Note that a line now holds everything that was owed."""

    def _publish(self, h: Hypothesis[Point]) -> None:
        self._published, self._published_at = h, self._steps
        self._waiting.append((self._steps, h))

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
        """Write a line without draws or mistakes: that this step was taken is not secret."""
        # One line at a public step, whatever the records are.
        if self._steps > self._noted:
            self._line()
            self._noted = self._steps

    def _line(self, *last: Record) -> None:
        self._write(self._steps, lambda: [*self._unwritten_records(), *last])
        self._clear_unwritten()

    def _go_on(self) -> None:
        """Do what a crash prevented: what was due at the last step of the tape."""
        # Do not show that the tape's last step was taken: a neighbour without a draw has no line.
        self._to(self._steps)
        self._show()

    def _show(self) -> None:
        """Show everybody the published hypothesis, and since when it stands."""
        self._shown = self._published, self._published_at
        self._history.update(self._waiting)
        self._waiting = []

    def _replay(self, step: int, records: list[Record]) -> None:
        """Move to ``step`` by the records of a line, whose values the tape returns again."""
        public = not self._tape.pending
        for at, x, y in records:
            if self.is_over or self._steps >= at or self._due < at:
                raise journal_mismatch()
            self._steps = at
            if self._published(x) == y:
                self._right(x, y)
            else:
                self._mistaken(x, y)
                public = False
        self._steps = step
        if public:
            self._noted = step
        # A line after a hit that the tape does not have: not written by this run.
        if self._due < step:
            raise journal_mismatch()
        if self._due == step and (public or self._tape.pending):
            self._hit()
        self._clear_unwritten()

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
            case [int(step), x, (0 | 1) as y, 1] if (
                0 < step <= last and (point := self._domain.point_from_json(x)) is not None
            ):
                return Record(step, point, y)
        raise journal_mismatch()
