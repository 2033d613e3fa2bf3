"""How far a long task is, told to whoever watches.

A task tells only counts that are public: candidates of a plan, claims of a certificate, statements,
made-up data of an audit, and the share of a file that has been read.  Nothing is reported between a
spend and its release: how long a draw takes may depend on the records, and a terminal that fails must
not cost a release.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from functools import partial
from typing import TypeAlias, TypeVar

Item = TypeVar("Item")

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
