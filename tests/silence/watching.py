"""Everything that can be seen of one act on a table, from a process that is like every other one.

Two acts on tables that differ in their records alone must look the same but for what is drawn.  So
each act runs in a fork of a process that has seen no table, with the same tape of random bytes and
the same clock.  What the first act draws as its release is what the others release, whatever they
draw.  So a release is compared as it is, with every word that follows from it.
"""

from __future__ import annotations

import gc
import io
import logging
import os
import pickle
import random
import re
import sqlite3
import sys
import tempfile
import traceback
import warnings
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, fields
from functools import cache, partial
from importlib import import_module
from multiprocessing import get_context
from pathlib import Path
from typing import Any, Protocol

import pytest

from planting import Fault, plant


class Act(Protocol):
    """What is done with a table."""

    def loads(self) -> tuple[str, ...]:
        """The modules that all acts of its kind load before anything else."""

    def begin(self) -> None:
        """Load and do what needs no record."""

    def __call__(self, home: Path, records: Any) -> Callable[[], object]:
        """Put the records into a folder, and return what to do there; what that returns is seen too."""


@dataclass(frozen=True)
class Seen:
    """What an act shows: each field is compared whole."""

    ended: str
    """The text of what it returned, or of the exception with its traceback."""
    out: bytes
    err: bytes
    logged: list[tuple[str, int, str]]
    warned: list[tuple[str, str]]
    modules: list[str]
    """The modules that it loaded."""
    files: dict[str, bytes]
    """The files that it left, and the rows of each ledger."""
    draws: int
    """How many releases were drawn."""

    def differs(self, other: Seen) -> dict[str, tuple[Any, Any]]:
        """The fields in which the two differ, with both values."""
        pairs = {f.name: (getattr(self, f.name), getattr(other, f.name)) for f in fields(self)}
        return {name: pair for name, pair in pairs.items() if pair[0] != pair[1]}


def look(act: Act, tables: Sequence[Any], fault: Fault | None = None) -> list[Seen]:
    """What is seen of an act on each of the tables; the first of them draws the release of all."""
    server = _server(act.loads())
    server.send_bytes(pickle.dumps((act, tables, fault)))
    answer = server.recv()
    assert isinstance(answer, list), answer
    return answer


@cache
def _server(loads: tuple[str, ...]) -> Any:
    """The way to a process that has loaded these modules and nothing else, and forks for each act."""
    spawning = get_context("spawn")
    here, there = spawning.Pipe()
    spawning.Process(target=_serve, args=(there, loads), daemon=True).start()
    there.close()
    return here


def _serve(pipe: Any, loads: tuple[str, ...]) -> None:
    for name in loads:
        import_module(name)
    gc.freeze()  # what is here stays shared with all forks
    with suppress(EOFError):
        while True:
            pipe.send(_in_fork(partial(_look, pipe.recv_bytes())))


def _look(asked: bytes) -> list[Seen]:
    act, tables, fault = pickle.loads(asked)
    with pytest.MonkeyPatch.context() as patch:
        if fault is not None:
            plant(fault, patch)
        act.begin()
        # Kept as bytes: this process, which the acts are forks of, must not load what reads them.
        drawn: bytes | None = None
        found = []
        for table in tables:
            answer = _in_fork(partial(_watched, act, table, drawn))
            assert isinstance(answer, tuple), answer
            seen, drawn = answer
            found.append(seen)
    return found


def _in_fork(does: Callable[[], object]) -> Any:
    """What it returns, or in words why it returned nothing."""
    read, write = os.pipe()
    if (child := os.fork()) == 0:
        try:
            answer: object = does()
        except BaseException:
            answer = traceback.format_exc()
        try:
            with os.fdopen(write, "wb") as pipe:
                pipe.write(pickle.dumps(answer))
        finally:
            os._exit(0)
    os.close(write)
    with os.fdopen(read, "rb") as pipe:
        answer = pickle.loads(pipe.read() or pickle.dumps("it ended its process"))
    os.waitpid(child, 0)
    return answer


def _watched(act: Act, records: Any, drawn: bytes | None) -> tuple[Seen, bytes]:
    with pytest.MonkeyPatch.context() as patch, tempfile.TemporaryDirectory() as folder:
        return _seen(act, records, drawn, Path(folder), patch)


def _seen(
    act: Act, records: Any, drawn: bytes | None, place: Path, patch: pytest.MonkeyPatch
) -> tuple[Seen, bytes]:
    home = place / "home"
    home.mkdir()
    patch.chdir(home)
    does = act(home, records)
    given = {path.name for path in home.iterdir()}
    released = list[Any]()
    counted = [0]
    _fix_tape(patch)
    _fix_release(patch, released, counted, fixed=drawn is not None)
    handler = _Kept()
    root = logging.getLogger()
    root.addHandler(handler)
    root.setLevel(logging.DEBUG)
    before = set(sys.modules)
    released += [] if drawn is None else pickle.loads(drawn)
    with warnings.catch_warnings(record=True) as warned, _files(place) as written:
        warnings.simplefilter("always")
        try:
            ended = repr(does())
        except BaseException as error:
            ended = _told(error)
    out, err = written
    seen = Seen(
        _text(ended, place),
        out[0].replace(os.fsencode(place), b""),
        err[0].replace(os.fsencode(place), b""),
        [(r.name, r.levelno, _text(r.getMessage(), place)) for r in handler.records],
        [(w.category.__name__, _text(str(w.message), place)) for w in warned],
        sorted(set(sys.modules) - before),
        {path.name: _content(path, place) for path in home.iterdir() if path.name not in given},
        counted[0],
    )
    return seen, pickle.dumps(released)


def _text(told: str, place: Path) -> str:
    """A text without what differs from process to process: the folder, and addresses of objects."""
    return _ADDRESS.sub("", told.replace(str(place), ""))


# In the text of an object; filelock writes one as a whole number.
_ADDRESS = re.compile(r"0x[0-9a-f]{8,}|\b[0-9]{15}\b")


def _told(error: BaseException) -> str:
    """An exception as it is printed, with its causes and where it was raised."""
    return "".join(traceback.format_exception(error))


class _Kept(logging.Handler):
    def __init__(self) -> None:
        super().__init__(logging.DEBUG)
        self.records: list[logging.LogRecord] = []

    def emit(self, record: logging.LogRecord) -> None:
        # The compiler says what it compiles, which may have been kept on the disk.
        if not record.name.startswith("numba"):
            self.records.append(record)


def _fix_tape(patch: pytest.MonkeyPatch) -> None:
    """The system's generator gives the same bytes in each process, and the clock stands still."""
    tape = random.Random(12)
    patch.setattr(random, "_urandom", tape.randbytes)
    from littlestone.privacy.ledger import rows

    patch.setattr(rows, "_now", lambda: "2026-01-01T00:00:00+00:00")


def _fix_release(
    patch: pytest.MonkeyPatch, released: list[Any], counted: list[int], *, fixed: bool
) -> None:
    """Each learner's draw is done, and its result kept, or replaced by what was kept."""
    from littlestone.learn import base
    from littlestone.privacy.mechanisms.cell_counts import CellCounts

    def wrapped(draw: Callable[..., Any]) -> Callable[..., Any]:
        def replaced(*given: Any, **named: Any) -> Any:
            inside.append(True)
            try:
                result = draw(*given, **named)
            finally:
                inside.pop()
            if inside:
                return result
            counted[0] += 1
            if not fixed:
                released.append(result)
            return released[counted[0] - 1]

        return replaced

    inside: list[bool] = []
    fit = base.PrivateLearner.fit

    def fitted(self: Any, *given: Any, **named: Any) -> Any:
        object.__setattr__(self, "draw", wrapped(self.draw))
        try:
            return fit(self, *given, **named)
        finally:
            object.__delattr__(self, "draw")

    patch.setattr(base.PrivateLearner, "fit", fitted)
    patch.setattr(CellCounts, "draw", wrapped(CellCounts.draw))


@contextmanager
def _files(place: Path) -> Iterator[tuple[list[bytes], list[bytes]]]:
    """What is written to both outputs, by Python or by libraries below it."""
    kept: tuple[list[bytes], list[bytes]] = ([], [])
    paths = [place / "out", place / "err"]
    saved = [os.dup(number) for number in (1, 2)]
    for number, path in zip((1, 2), paths, strict=True):
        with path.open("wb") as file:
            os.dup2(file.fileno(), number)
    shown = sys.stdout, sys.stderr
    sys.stdout, sys.stderr = (io.TextIOWrapper(io.FileIO(n, "w", closefd=False), encoding="utf-8",
                                               write_through=True) for n in (1, 2))  # fmt: skip
    try:
        yield kept
    finally:
        sys.stdout, sys.stderr = shown
        for number, old in zip((1, 2), saved, strict=True):
            os.dup2(old, number)
        for path, content in zip(paths, kept, strict=True):
            content.append(path.read_bytes())


def _content(path: Path, place: Path) -> bytes:
    """The bytes of a file, or the rows of a ledger."""
    if path.suffix != ".ledger":
        return path.read_bytes()
    connection = sqlite3.connect(path)
    try:
        rows = "\n".join(connection.iterdump())
    finally:
        connection.close()
    return rows.replace(str(place), "").encode()
