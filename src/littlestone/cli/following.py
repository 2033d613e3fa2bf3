"""What ``littlestone stream`` prints of a run, batch by batch."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import lru_cache
from typing import Any

from littlestone.cli.console import count_noun, err, json_text, out, print_columns, print_pairs
from littlestone.data import Label
from littlestone.data.forms import Reading
from littlestone.data.table import Row
from littlestone.learn.stream import DurableStream, PrivateOnlineLearner
from littlestone.learn.stream.private_stream import TakeResult
from littlestone.pictures.chart import Mistakes, Publication
from littlestone.points import Domain, Product, Strings
from littlestone.points.base import are_of
from littlestone.points.units import Unit
from littlestone.rules import Hypothesis

_ONE_PARTITION = "all"

Line = dict[str, object]
Show = Callable[[Sequence[Line]], None]
"""How lines are shown: `print_lines` for programs, `RunPrinter` for people."""


class Following:
    """A run that takes what arrives together as one batch, and is printed after each.

    The first ``places`` values of a row are its offset and its partition, if there are any, and the
    next one is its unit, if the run protects units.  ``reading`` says how cells are written.
    Everything printed of a batch was kept before.
    """

    def __init__(
        self,
        run: DurableStream,
        learner: PrivateOnlineLearner[Any],
        label: Label,
        *,
        show: Show,
        reading: Reading,
        places: int,
        predictions: bool,
        evaluate: bool,
    ) -> None:
        self._show = show
        self._run, self._label, self._reading, self._places = run, label, reading, places
        self._points, self._horizon = RowPoints(learner.hypotheses.domain), learner.horizon
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
        self._show([self._publication(stream.published_at, stream.hypothesis)])

    def take(self, rows: list[Row]) -> None:
        """Take these records, and print what came of them."""
        k, rule, first = self._places, self._run.stream.hypothesis, self.step
        units = None if self._run.units is None else [row[k] for row in rows]
        begin = k if units is None else k + 1
        points = self._points.encode([row[begin:-1] for row in rows])
        labels = _label_values(self._label, [row[-1] for row in rows])
        records = list(zip(points, labels, strict=True))
        places = [(row[1] if k > 1 else _ONE_PARTITION, row[0]) for row in rows] if k else None
        new, taken = self._run.take(records, places, units)
        self.step = self._run.stream.steps
        if first + sum(new) > self._horizon:
            self._tell(f"the horizon of {self._horizon} steps is over; the last rule stays")
        if (offsets := self._run.offsets) is not None and offsets.again:
            self._tell("records taken before were delivered again; they are ignored")
        if offsets is not None and offsets.unusable:
            self._tell("records without a usable offset and partition are ignored")
        if self._predictions or self._evaluate:
            lines = self._lines_of_records(rule, first, zip(records, new, strict=True), taken)
        else:
            lines = [self._publication(step, h) for step, h in taken.published]
        self._show(lines)

    def end(self) -> Mistakes | None:
        """Print how many mistakes there were, and how many records were ignored; then the mistakes."""
        offsets = self._run.offsets
        if offsets is not None and (offsets.again or offsets.unusable):
            err.print(
                f"ignored in this call: {offsets.again} records taken before and "
                f"{offsets.unusable} without a usable offset"
            )
        if not self._evaluate:
            return None
        self.mistakes.end = self.step
        earlier = (
            {"counted in": "this call alone, not in earlier ones"} if self._run.resumed else {}
        )
        counts = {"records": self._counted, "mistakes": self._wrong}
        self._show([{"NOT PRIVATE": True, **counts, **earlier}])
        return self.mistakes

    def _lines_of_records(
        self,
        rule: Hypothesis[Any],
        step: int,
        records: Iterable[tuple[tuple[Any, int], bool]],
        taken: TakeResult,
    ) -> list[Line]:
        """What each record was predicted, if that is asked, and is published; counts mistakes."""
        left, lines = taken.published[::-1], list[Line]()
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

    def _publication(self, step: int, h: Hypothesis[Any]) -> Line:
        self.published.append(Publication(step, h.words()))
        reading = self._reading.pick_columns(h.tested_columns)
        how = {"reading": reading.to_json()} if reading else {}
        return {"step": step, "rule": h.words(), **how, "hypothesis": h.to_json()}

    def _tell(self, words: str) -> None:
        """Say something that is public, once."""
        if words not in self._told:
            self._told.add(words)
            err.print(words)


class RowPoints:
    """The points of rows of a table; a short text of a column is read once, as long as it is known.

    Whether it is depends on the texts alone, and it changes no point.
    """

    def __init__(self, domain: Domain[Any]) -> None:
        self._domain = domain
        columns = domain.columns if isinstance(domain, Product) else (domain,)
        plain = all(type(c).encode_record is Domain.encode_record for c in columns)
        self._columns = columns if plain else ()
        self._known = [lru_cache(maxsize=_KNOWN)(column.encode) for column in self._columns]

    def encode(self, rows: Sequence[Sequence[object]]) -> list[Any]:
        """What `Domain.encode_record` makes of each row."""
        if not rows or not self._columns:
            return list(map(self._domain.encode_record, rows))
        shares = list(map(self._encode, range(len(self._columns)), zip(*rows, strict=True)))
        return list(zip(*shares, strict=True) if isinstance(self._domain, Product) else shares[0])

    def _encode(self, place: int, values: Sequence[Any]) -> Iterable[Any]:
        column, known = self._columns[place], self._known[place]
        # Other values may be equal and yet different, or have no hash; and long texts fill memory.
        short = are_of(str, values) and max(map(len, values)) <= _SHORT
        return map(known if short and not isinstance(column, Strings) else column.encode, values)


_KNOWN, _SHORT = 1 << 16, 64


def _label_values(label: Label, values: Sequence[object]) -> Iterator[int]:
    """The label of each value, worked out once for equal texts."""
    if {str}.issuperset(map(type, values)):  # 1, 1.0 and True are equal, and have different texts
        known = {value: label(value) for value in set(values)}
        return map(known.__getitem__, values)
    return map(label, values)


def print_lines(lines: Sequence[Line]) -> None:
    """Print lines of JSON at once."""
    sys.stdout.write("".join(json_text(line) + "\n" for line in lines))
    sys.stdout.flush()


class RunPrinter:
    """Prints the lines of a run for people: first what is promised, then a line for each change."""

    def __init__(self, horizon: int) -> None:
        self._width = max(len(f"{horizon:,}"), len(_AFTER))
        self._changes = -1  # the rule that there is at the beginning is no change

    def __call__(self, lines: Sequence[Line]) -> None:
        for line in lines:
            if "mechanism" in line:
                self._promise(line)
            elif "rule" in line:
                self._changes += 1
                print_columns([[f"{line['step']:,}".rjust(self._width), line["rule"]]])
            elif "record" in line:
                out.print(
                    f"record {line['record']:,} is predicted {line['prediction']}: NOT PRIVATE"
                )
            else:
                mistakes = count_noun(int(str(line["mistakes"])), "mistake")
                only = ", in this call alone" if "counted in" in line else ""
                out.print(f"{mistakes} on {line['records']:,} records{only}: NOT PRIVATE")
        sys.stdout.flush()

    def _promise(self, header: Line) -> None:
        title = "Private stream" if header["private"] else "Simulated stream: NOT PRIVATE"
        together = "for all rules and the steps of their changes together"
        cost = f"epsilon {header['epsilon']}, delta {header['delta']}"
        rows = [
            ("privacy", f"{cost} ({header['neighboring']}), {together}"),
            *((name, str(header[name])) for name in ("class", "label", "method", "mechanism")),
            ("horizon", f"{header['horizon']:,} records"),
            ("ledger", f"entry {header['ledger entry']}"),
        ]
        match header.get("unit"):
            case {"column": column, "max records": most}:
                count = f"{Unit(column, most).records} of each count"
                rows.append(("protects", f"each {column} with all its records; {count}"))
        if "record" in header:
            rows.append(("record", str(header["record"])))
        print_pairs(rows, title=title)
        out.print(f"{_AFTER.rjust(self._width)}  rule")

    def end(self, step: int, horizon: int) -> None:
        """Print how far the run is, and how often the rule changed in this call."""
        changes = "no change" if not self._changes else count_noun(self._changes, "change")
        out.print(f"{changes} of the rule; {step:,} of at most {horizon:,} records are taken")


_AFTER = "after record"
