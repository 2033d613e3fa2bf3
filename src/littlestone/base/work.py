"""Long work: how far it is, and work that is shared by the cores of a machine.

A task tells only counts that are public: candidates of a plan, claims of a certificate, statements,
made-up data of an audit, and the share of a file that has been read.  Nothing is reported between a
spend and its release: how long a draw takes may depend on the records, and a terminal that fails must
not cost a release.

Only public or made-up data are shared by cores, with the same results for any number of them.  No draw
that is paid for is: a process that ends, or that the system ends for lack of memory, must not stand
between a spend and its release.  So no worker sees a ledger in a file or a record of a table.  Data
reach workers through pipes, never through files.
"""

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
