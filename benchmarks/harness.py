"""The shared harness: repeated, interleaved runs of one task by several contenders.

In every repetition each contender runs once, in an order shuffled anew: a busy machine slows them
alike, and none always finds the caches as another left them.  The ratio of two contenders is the
median of their ratios within the repetitions.  Every answer is checked, outside the measured time.
Nothing asserts a time.
"""

from __future__ import annotations

import random
import resource
import statistics
import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from resource import RUSAGE_CHILDREN, RUSAGE_SELF
from typing import Any, TypeVar

from rich.console import Console
from rich.progress import track
from rich.table import Table

from littlestone.base.work import track_items
from littlestone.cli.console import bar

Item = TypeVar("Item")


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

    One run does the work ``operations`` times, and times are shown for one of them.  After three
    repetitions a contender is not repeated further once its runs took ``patience`` seconds.
    """

    title: str
    ours: Contender
    others: Sequence[Contender] = ()
    repeats: int = 7
    operations: int = 1
    patience: float = 5.0
    notes: Sequence[str] = ()
    clock: Callable[[], float] = time.perf_counter


def cpu_seconds() -> float:
    """CPU time of this process and of those of its children that ended: a clock for busy machines."""
    own, ended = (resource.getrusage(who) for who in (RUSAGE_SELF, RUSAGE_CHILDREN))
    return sum(usage.ru_utime + usage.ru_stime for usage in (own, ended))


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


def steps(
    items: Iterable[Item], what: str, console: Console, of: int | None = None
) -> Iterable[Item]:
    """The items, with a bar if the console is a terminal; what is printed there stands above the bar.

    ``of`` is how many items there are, if they have no length.

    It is drawn between two items, so that nothing else runs beside a measurement.
    """
    hidden = not console.is_terminal
    options: dict[str, Any] = {"transient": True, "auto_refresh": False, "disable": hidden}
    return track(items, what, total=of, console=console, **options)


def measure(case: Case) -> list[Timing]:
    """One run of each contender to warm up, then the repetitions; ours comes first."""
    contenders = [case.ours, *case.others]
    timings = [Timing(contender.name, []) for contender in contenders]
    used = [0.0] * len(contenders)
    rng = random.Random(0)
    for k in track_items(range(-1, case.repeats), case.title):
        for i in rng.sample(range(len(contenders)), len(contenders)):
            timing = timings[i]
            if timing.gave_up is not None or (k >= 3 and used[i] >= case.patience):
                continue
            try:
                seconds = _run(contenders[i], case.clock)
            except GaveUpError as error:
                timing.gave_up = error.seconds
                continue
            used[i] += seconds
            if k >= 0:
                timing.seconds.append(seconds / case.operations)
    return timings


def _run(contender: Contender, clock: Callable[[], float]) -> float:
    start = clock()
    answer = contender.run()
    seconds = clock() - start
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
        with bar(case.title, still=True):
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
    units = {"s": 1.0, "ms": 1e-3, "us": 1e-6}
    unit = next((unit for unit, size in units.items() if seconds >= size), "us")
    value = seconds / units[unit]
    return f"{value:.{2 if value < 10 else 1 if value < 100 else 0}f} {unit}"
