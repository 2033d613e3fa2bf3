"""What ``littlestone stream`` prints of a run, batch by batch."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from littlestone.cli.console import err
from littlestone.data import Label
from littlestone.data.tables import Row
from littlestone.hypotheses import Hypothesis
from littlestone.learners.online import DurableStream, PrivateOnlineLearner, PrivateStream
from littlestone.learners.online.base import Taken
from littlestone.pictures.stream import Mistakes, Publication
from littlestone.visible import visible_json

_ONE_PARTITION = "all"


class Following:
    """A run that takes what arrives together as one batch, and is printed after each.

    The first ``places`` values of a row are its offset and its partition, if there are any.  Everything
    printed of a batch was kept before.
    """

    def __init__(
        self,
        run: DurableStream[PrivateStream[Any]],
        learner: PrivateOnlineLearner[Any],
        label: Label,
        *,
        places: int,
        predictions: bool,
        evaluate: bool,
    ) -> None:
        self._run, self._label, self._places = run, label, places
        self._domain, self._horizon = learner.hypotheses.domain, learner.horizon
        self._predictions, self._evaluate = predictions, evaluate
        self._arrived = self._wrong = 0
        self._counted = 0
        self._told = set[str]()
        self.published: list[Publication] = []
        self.mistakes = Mistakes(begin=run.stream.steps)
        self.step = run.stream.steps
        """The last step of the last whole batch."""

    def begin(self) -> None:
        """Print what is published now."""
        stream = self._run.stream
        print_lines([self._publication(stream.published_at, stream.hypothesis)])

    def take(self, rows: list[Row]) -> None:
        """Take these records, and print what came of them."""
        k, rule, first = self._places, self._run.stream.hypothesis, self.step
        points = map(self._domain.encode_record, [row[k:-1] for row in rows])
        labels = _labelled(self._label, [row[-1] for row in rows])
        records = list(zip(points, labels, strict=True))
        places = [(row[1] if k > 1 else _ONE_PARTITION, row[0]) for row in rows] if k else None
        new, taken = self._run.take(records, places)
        self.step = self._run.stream.steps
        if first + sum(new) > self._horizon:
            self._tell(f"the horizon of {self._horizon} steps is over: the last rule stays")
        if (offsets := self._run.offsets) is not None and offsets.again:
            self._tell("records that were taken before are delivered again, and ignored")
        if offsets is not None and offsets.unusable:
            self._tell("records without a usable offset and partition are ignored")
        if self._predictions or self._evaluate:
            lines = self._checked(rule, first, zip(records, new, strict=True), taken)
        else:
            lines = [self._publication(step, h) for step, h in taken.published]
        print_lines(lines)

    def end(self) -> Mistakes | None:
        """Print how many mistakes there were, and how many records were ignored; then the mistakes."""
        offsets = self._run.offsets
        if offsets is not None and (offsets.again or offsets.unusable):
            err.print(
                f"ignored in this call: {offsets.again} records that were taken before, and "
                f"{offsets.unusable} without a usable offset"
            )
        if not self._evaluate:
            return None
        self.mistakes.end = self.step
        earlier = (
            {"counted in": "this call alone, not in earlier ones"} if self._run.resumed else {}
        )
        counts = {"records": self._counted, "mistakes": self._wrong}
        print_lines([{"NOT PRIVATE": True, **counts, **earlier}])
        return self.mistakes

    def _checked(
        self,
        rule: Hypothesis[Any],
        step: int,
        records: Iterable[tuple[tuple[Any, int], bool]],
        taken: Taken,
    ) -> list[dict[str, object]]:
        """What each record was predicted, if that is asked, and is published; counts mistakes."""
        left, lines = taken.published[::-1], list[dict[str, object]]()
        for (x, y), is_new in records:
            self._arrived += 1
            guess = rule(x)
            if self._predictions:
                lines.append({"NOT PRIVATE": True, "record": self._arrived, "prediction": guess})
            if is_new:
                step = min(step + 1, self._horizon)
                self._counted, self._wrong = self._counted + 1, self._wrong + (guess != y)
                self.mistakes.steps += [step] * (guess != y)
                if left and left[-1][0] == step:
                    lines.append(self._publication(*left[-1]))
                    _, rule = left.pop()
        self.mistakes.draws += taken.drawn
        return lines

    def _publication(self, step: int, h: Hypothesis[Any]) -> dict[str, object]:
        self.published.append(Publication(step, h.words()))
        return {"step": step, "rule": h.words(), "hypothesis": h.to_json()}

    def _tell(self, words: str) -> None:
        """Say something that is public, once."""
        if words not in self._told:
            self._told.add(words)
            err.print(words)


def _labelled(label: Label, values: Sequence[object]) -> Iterator[int]:
    """The label of each value, worked out once for equal texts."""
    if {str}.issuperset(map(type, values)):  # 1, 1.0 and True are equal, and have different texts
        known = {value: label(value) for value in set(values)}
        return map(known.__getitem__, values)
    return map(label, values)


def print_lines(lines: Sequence[dict[str, object]]) -> None:
    """Print lines of JSON at once."""
    sys.stdout.write("".join(visible_json(line) + "\n" for line in lines))
    sys.stdout.flush()
