"""The trusted checker of certificates, checker/check.c, which is loaded here and called; what it says.

Compiled work runs in a thread of its own, so that Ctrl+C and a time limit can stop it.
"""

from __future__ import annotations

import ctypes
import time
from collections.abc import Callable
from dataclasses import dataclass
from enum import IntEnum
from functools import cache
from math import ceil
from pathlib import Path
from threading import Thread
from typing import Any, NamedTuple, Protocol, Self, TypeVar

import numpy as np

from littlestone import core
from littlestone.base.errors import DeclarationError, TooLargeError
from littlestone.dimension.tables import PackedTable


@dataclass(frozen=True)
class Verdict:
    """Whether a statement about a table is proved, and in words by what, or why not.

    ``proved`` is None for a bound that the certificate states without a proof.
    """

    statement: str
    proved: bool | None
    reason: str

    @classmethod
    def by_counting(cls, upper: int, size: int) -> Self:
        """What the number of distinct rows alone says about LDim <= upper."""
        if size.bit_length() <= upper + 1:
            found = "is one hypothesis" if size == 1 else f"are {size:,} hypotheses"
            return cls(f"LDim < {upper + 1}", True, f"counting: there {found}")
        return cls(f"LDim < {upper + 1}", None, "the certificate has no claims")


def require_table(digest: str, table: PackedTable) -> None:
    """Raise `DeclarationError` unless the table has this fingerprint."""
    if table.digest != digest:
        raise DeclarationError(
            "check the certificate against this table",
            found="it was made for another one: the fingerprints of the tables differ",
            fix="give the table that it was made for; the order of rows and columns matters",
        )


Result = TypeVar("Result")
_POLL = 0.1  # seconds between two looks at Ctrl+C


class Stoppable(Protocol):
    """Work that another thread can stop."""

    def stop(self) -> None:
        """Make the work end soon."""


def await_result(
    worker: Stoppable, task: Callable[[], Result], time_limit: float | None = None
) -> Result:
    """The result of a task; the worker is told to stop after the time limit, and by Ctrl+C."""
    results: list[Result] = []
    failures: list[BaseException] = []

    def run() -> None:
        try:
            results.append(task())
        except BaseException as failure:
            failures.append(failure)

    thread = Thread(target=run, daemon=True)
    end = None if time_limit is None else time.monotonic() + time_limit
    thread.start()
    try:
        while not results and not failures:
            if end is not None and time.monotonic() >= end:
                worker.stop()
            thread.join(_POLL if thread.is_alive() else 0)
    except BaseException:
        worker.stop()
        raise
    if failures:
        raise failures[0]
    return results[0]


class STATUS(IntEnum):
    """What a check returns."""

    PROVED, UNPROVED, DAMAGED, ROOM, STOPPED = range(5)


class ABOVE(IntEnum):
    """What shows the upper bound, if anything does."""

    CLAIMS, COUNTING, REFUSED, UNPROVED = range(4)


class _Job(ctypes.Structure):
    """``check_job`` of checker/check.h."""

    _fields_ = [
        ("rows", ctypes.c_void_p),
        ("count", ctypes.c_size_t),
        ("columns", ctypes.c_size_t),
        ("file", ctypes.c_char_p),
        ("size", ctypes.c_size_t),
        ("room", ctypes.c_size_t),
        ("stop", ctypes.c_int),
        ("claims", ctypes.c_uint64),
        ("lower", ctypes.c_uint64),
        ("upper", ctypes.c_uint64),
        ("shattered", ctypes.c_int),
        ("above", ctypes.c_int),
    ]


class CheckResult(NamedTuple):
    """Whether the tree shows the lower bound, what shows the upper one, and the claims read."""

    shattered: bool
    above: ABOVE
    claims: int


class Check:
    """A check of the bytes of a certificate against a table; another thread may stop it."""

    def __init__(self, table: PackedTable, data: bytes, room: int) -> None:
        self._rows, self._room = np.ascontiguousarray(table.rows), room
        self._job = _Job(self._rows.ctypes.data, table.size, table.points, data, len(data), room)

    @property
    def claims(self) -> int:
        """How many claims have been read."""
        return int(self._job.claims)

    def stop(self) -> None:
        """Make `run` end soon."""
        self._job.stop = 1

    def run(self) -> CheckResult:
        """Check; the interpreter's lock is released meanwhile."""
        # Nothing of the solver is called here: the C program sees the rows and the bytes alone.
        status = STATUS(_library().littlestone_check(ctypes.byref(self._job)))
        if status == STATUS.DAMAGED:
            raise DeclarationError(
                "check the certificate",
                found="it is damaged, or has been cut off",
                fix="make it again with `littlestone dim FILE --certificate OUT.ldim`",
            )
        if status == STATUS.ROOM:
            raise TooLargeError(
                "check the certificate",
                found=f"{ceil(self._room / (1 << 30))} GiB of memory are too few",
                fix="compile checker/check.c and checker/main.c, a program without this limit",
            )
        if status == STATUS.STOPPED:
            raise KeyboardInterrupt
        return CheckResult(bool(self._job.shattered), ABOVE(self._job.above), self.claims)


@cache
def _library() -> Any:
    beside = Path(str(core.__file__)).parent
    for name in ("_checker.c.so", "_checker.c.dll"):
        if (beside / name).exists():
            return ctypes.CDLL(str(beside / name))
    raise ImportError(
        "littlestone needs its compiled checker of certificates. This copy has none. "
        "Install a wheel, or run `pip install .` with a C compiler, such as gcc 9."
    )
