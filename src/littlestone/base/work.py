"""Long work: how it is limited, shared among processes, and told how far it has come."""

from __future__ import annotations

import signal
import sys
import time
import warnings
from collections import deque
from collections.abc import Callable, Collection, Generator, Iterable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from functools import partial
from typing import TypeAlias, TypeVar

from littlestone.base.errors import TooLargeError

MOST_ANSWERED = 200_000
"""The most steps of an answer about declarations, such as a printed tree: about two seconds."""

_left: ContextVar[list[int] | None] = ContextVar("steps that are left", default=None)
_answering: ContextVar[list[int] | None] = ContextVar("steps of an answer", default=None)


@contextmanager
def at_most(steps: int | None) -> Iterator[None]:
    """Make `count_steps` raise `TooLargeError` after more than ``steps``; None sets no limit.

    The count must depend only on the question.  If a cached answer counted less than a new one, the
    list of one teacher would reveal what another teacher asked.

    >>> with at_most(3):
    ...     count_steps(2), count_steps(1)
    (None, None)
    """
    token = _left.set(None if steps is None else [steps])
    try:
        yield
    finally:
        _left.reset(token)


@contextmanager
def answering(steps: int | None = MOST_ANSWERED) -> Iterator[None]:
    """Limit an answer about declarations, like `at_most`; here `count_search` counts as well.

    >>> with answering(3):
    ...     count_steps(2), count_search(3)
    (None, None)
    """
    with at_most(steps), searching(steps):
        yield


@contextmanager
def searching(steps: int | None) -> Iterator[None]:
    """Limit `count_search` alone: what is asked of a declared class before a fit.

    >>> with searching(3):
    ...     count_steps(20), count_search(3)
    (None, None)
    """
    token = _answering.set(None if steps is None else [steps])
    try:
        yield
    finally:
        _answering.reset(token)


def count_search(steps: int = 1) -> None:
    """Count ``steps`` of a search whose findings are cached; `answering` and `searching` limit them.

    No teacher's list may depend on these steps, because a teacher skips a search that another made.
    """
    _take(_answering.get(), steps)


def searchable() -> int | None:
    """The steps of a search that `answering` still allows; None if nothing limits them.

    >>> with answering(3):
    ...     count_search(2), searchable()
    (None, 1)
    """
    left = _answering.get()
    return None if left is None else left[0]


@contextmanager
def measure_steps() -> Iterator[Callable[[], int]]:
    """Measure the steps counted in its block, so that a cached answer can be counted again.

    >>> with measure_steps() as taken:
    ...     count_steps(2)
    >>> taken()
    2
    """
    limited = _left.get()
    left = [1 << 62] if limited is None else limited
    before, token = left[0], _left.set(left)
    try:
        yield lambda: before - left[0]
    finally:
        _left.reset(token)


def count_steps(steps: int = 1) -> None:
    """Count ``steps`` of the current task, if `at_most` limits it."""
    _take(_left.get(), steps)


def _take(left: list[int] | None, steps: int) -> None:
    if left is not None:
        left[0] -= steps
        if left[0] < 0:
            raise TooLargeError(
                "answer in a limited number of steps",
                found="it needs more",
                fix="declare a smaller class, or smaller numbers",
            )


Item = TypeVar("Item")
Result = TypeVar("Result")

ALONE = 2.0
"""The seconds of work after which workers are started: each takes about as long to start."""


def spread(
    task: Callable[[Item], Result], items: Iterable[Item], *, jobs: int | None = 1, what: str
) -> Generator[tuple[int, Result], None, None]:
    """Yield (i, task(items[i])) for each i, as the results become known.

    This process works alone for `ALONE` seconds.  Then ``jobs`` worker processes share what is left;
    None is one for each core.  The result must depend only on the item, so that results do not
    depend on who works.  A task that draws takes a seed from its item.  Progress is reported as the
    stage ``what``.

    What a task raises is raised here, and ends the workers.  Closing the iterator ends them too; they
    do not hear Ctrl+C.  Task, items and results must be picklable for ``jobs`` other than 1.

    >>> sorted(spread(abs, [-5, 3], what="taking absolute values"))
    [(0, 5), (1, 3)]
    """
    begin, left = time.monotonic(), deque(enumerate(items))
    of = len(left)
    with stage(what) as tell:
        tell(0, of)
        while left and (jobs == 1 or len(left) == 1 or time.monotonic() - begin < ALONE):
            i, item = left.popleft()
            yield i, task(item)
            tell(of - len(left), of)
        if left:
            for done, found in enumerate(_share_tasks(task, left, jobs), start=of - len(left) + 1):
                tell(done, of)
                yield found


def _share_tasks(
    task: Callable[[Item], Result], left: Iterable[tuple[int, Item]], jobs: int | None
) -> Iterator[tuple[int, Result]]:
    from joblib import Parallel, delayed

    # Large arrays would go through files if they were mapped into memory.
    workers = Parallel(-1 if jobs is None else jobs, "loky", "generator_unordered", max_nbytes=None)
    with _deaf(), _quiet():
        found = workers(delayed(_with_number)(task, i, item) for i, item in left)
    try:
        for numbered in found:  # noqa: UP028, because `yield from` would close it with a warning
            yield numbered
    finally:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # that results are not used: whoever stops knows it
            found.close()


def _with_number(task: Callable[[Item], Result], i: int, item: Item) -> tuple[int, Result]:
    return i, task(item)


@contextmanager
def _deaf() -> Iterator[None]:
    """Processes that are started here never hear Ctrl+C; this one hears it at the end of the block."""
    if not hasattr(signal, "pthread_sigmask"):  # Windows
        yield
        return
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


@contextmanager
def _quiet() -> Iterator[None]:
    """Processes that are started here do not warn of locks that Ctrl+C left half removed.

    joblib's tracker names a lock if this process ends between removing the lock and telling it so.
    """
    before = sys.warnoptions[:]
    sys.warnoptions.append("ignore:resource_tracker:UserWarning")
    try:
        yield
    finally:
        sys.warnoptions[:] = before


Watch: TypeAlias = Callable[[str, int, int], object]
"""Called with a description, the number of steps done, and their total number."""

_watch: ContextVar[Watch | None] = ContextVar("who watches", default=None)


@contextmanager
def watching(watch: Watch) -> Iterator[None]:
    """Call ``watch`` as the stages of the block proceed.

    >>> with watching(print):
    ...     total = sum(track_items([5, 6], "adding"))
    adding 0 2
    adding 1 2
    """
    token = _watch.set(watch)
    try:
        yield
    finally:
        _watch.reset(token)


@contextmanager
def stage(what: str) -> Iterator[Callable[[int, int], object]]:
    """Yield a function that tells the steps done and the steps in all of a stage, called ``what``.

    Stages within the stage are silent.
    """
    watch = _watch.get()
    if watch is None:
        yield _silent
        return
    token = _watch.set(None)
    try:
        yield partial(watch, what)
    finally:
        _watch.reset(token)


def _silent(done: int, of: int) -> None:
    pass


def track_items(items: Collection[Item], what: str) -> Iterator[Item]:
    """The items, as a stage with a step for each of them.

    >>> list(track_items("ab", "reading"))
    ['a', 'b']
    """
    with stage(what) as tell:
        for done, item in enumerate(items):
            tell(done, len(items))
            yield item
