"""The shared harness: repeated, interleaved runs of one task by several contenders.

In every repetition each contender runs once, one after the other, so a busy machine slows them
alike; the ratio of two contenders is the median of the ratios within the repetitions.  Every answer
is checked, outside the measured time.  Nothing asserts a time.
"""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from rich.console import Console
from rich.table import Table


class WrongAnswerError(Exception):
    """A contender's answer is wrong, so its time means nothing."""


class GaveUpError(Exception):
    """A contender stopped of itself after ``seconds`` without an answer."""

    def __init__(self, seconds: float) -> None:
        super().__init__(f"no answer within {seconds} s")
        self.seconds = seconds


def require(truth: object, message: str) -> None:
    """Raise `WrongAnswerError` unless ``truth``; unlike an assert it also works under ``-O``."""
    if not truth:
        raise WrongAnswerError(message)


@dataclass(frozen=True)
class Contender:
    """One way to do the task; ``check`` raises `WrongAnswerError` if what ``run`` returns is wrong."""

    name: str
    run: Callable[[], Any]
    check: Callable[[Any], None]


@dataclass(frozen=True)
class Case:
    """A task, our way to do it, and the alternatives.

    One run does the work ``operations`` times, and times are shown for one of them.  A contender is
    not repeated further once its runs have taken ``patience`` seconds.
    """

    title: str
    ours: Contender
    others: Sequence[Contender] = ()
    repeats: int = 7
    operations: int = 1
    patience: float = 5.0
    notes: Sequence[str] = ()


@dataclass
class Timing:
    """Seconds per operation of one contender: those of repetition k are ``seconds[k]``."""

    name: str
    seconds: list[float]
    gave_up: float | None = None

    def over(self, other: Timing) -> float:
        """The median of this one's time over the other's, repetition by repetition."""
        pairs = zip(self.seconds, other.seconds, strict=False)
        return statistics.median(mine / theirs for mine, theirs in pairs)


def measure(case: Case) -> list[Timing]:
    """One unmeasured run of each contender, then the repetitions; ours comes first."""
    contenders = [case.ours, *case.others]
    timings = [Timing(contender.name, []) for contender in contenders]
    used = []
    for contender, timing in zip(contenders, timings, strict=True):
        try:
            used.append(_run(contender))
        except GaveUpError as error:
            timing.gave_up = error.seconds
            used.append(0.0)
    for k in range(case.repeats):
        for i, contender in enumerate(contenders):
            if timings[i].gave_up is None and (k == 0 or used[i] < case.patience):
                seconds = _run(contender)
                used[i] += seconds
                timings[i].seconds.append(seconds / case.operations)
    return timings


def _run(contender: Contender) -> float:
    start = time.perf_counter()
    answer = contender.run()
    seconds = time.perf_counter() - start
    try:
        contender.check(answer)
    except WrongAnswerError as error:
        raise WrongAnswerError(f"{contender.name}: {error}") from None
    return seconds


def report(cases: Iterable[Case], console: Console, *, title: str) -> None:
    """Measure the cases one by one and print a table of them."""
    table = Table(title=title, title_justify="left")
    table.add_column("task", overflow="fold")
    table.add_column("contender", overflow="fold")
    for heading in ("median", "min", "max", "runs", "time / ours"):
        table.add_column(heading, justify="right", no_wrap=True)
    notes: dict[str, None] = {}
    for case in cases:
        console.print(f"  {title}: {case.title} ...", style="dim", highlight=False)
        timings = measure(case)
        ours = timings[0]
        for timing in timings:
            task = case.title if timing is ours else ""
            table.add_row(task, timing.name, *_figures(timing, ours))
        table.add_section()
        notes.update(dict.fromkeys(case.notes))
    console.print(table, highlight=False)
    for note in notes:
        console.print(f"  {note}", highlight=False)
    console.print()


def _figures(timing: Timing, ours: Timing) -> tuple[str, ...]:
    if timing.gave_up is not None:
        ratio = "" if ours.gave_up is not None else _gave_up_ratio(timing.gave_up, ours)
        return f"> {duration(timing.gave_up)}", "", "", "0", ratio
    middle, least, most = (
        duration(figure(timing.seconds)) for figure in (statistics.median, min, max)
    )
    ratio = "" if timing is ours or not ours.seconds else f"{timing.over(ours):.3g}"
    return middle, least, most, str(len(timing.seconds)), ratio


def _gave_up_ratio(seconds: float, ours: Timing) -> str:
    return f"> {seconds / statistics.median(ours.seconds):.3g}"


def duration(seconds: float) -> str:
    """Three digits and a unit.

    >>> duration(0.01234), duration(2)
    ('12.3 ms', '2.00 s')
    """
    for size, unit in ((1.0, "s"), (1e-3, "ms"), (1e-6, "us")):
        if seconds >= size:
            break
    value = seconds / size
    return f"{value:.{2 if value < 10 else 1 if value < 100 else 0}f} {unit}"
