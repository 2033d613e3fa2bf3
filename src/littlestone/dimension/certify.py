"""Certificates as files: the proofs of both bounds of a table's Littlestone dimension, and their check.

The trusted checker is checker/check.c, which is loaded here and called.  Compiled work runs in a
thread of its own, so that Ctrl+C and a time limit can stop it.
"""

from __future__ import annotations

import ctypes
import time
from collections.abc import Callable
from dataclasses import dataclass
from enum import IntEnum
from functools import cache, cached_property
from math import ceil
from os import PathLike
from pathlib import Path
from threading import Thread
from typing import Any, NamedTuple, NoReturn, Protocol, Self, TypeVar

import numpy as np

from littlestone import core
from littlestone.base.errors import DeclarationError, TooLargeError
from littlestone.dimension.search.engine import ClaimWriter, read_numbers, write_numbers
from littlestone.dimension.tables import PackedTable, TableOrClass
from littlestone.dimension.tree import Bounds, MistakeTree

MARK = b"littlestone-certificate 3\n"
OLDER = {  # beginnings of files, and the versions that wrote them
    b"littlestone-certificate 1\n": "version 0.1, as form 1",
    b"littlestone-certificate 2\n": "version 0.1, as form 2",
    b"{": "version 0.2 or an older one, as JSON",
}
ROOM = 8 << 30  # bytes that writing or checking may use; memory that is not touched costs nothing


@dataclass(frozen=True)
class Certificate:
    """lower <= LDim <= upper for the table of that fingerprint, with the proofs.

    The shattered ``tree`` of depth ``lower`` proves the lower bound; its leaves are numbers of distinct
    rows.  ``text`` are the symmetries and the ``claims`` that prove the upper bound, in the form of
    docs/certificate-format.md.  It is empty if there are none, as after an interrupted solve.

    >>> from littlestone.dimension import littlestone_bounds
    >>> table = [[0, 0, 0], [0, 0, 1], [0, 1, 1], [1, 1, 1]]
    >>> certificate = Certificate.of(table, littlestone_bounds(table))
    >>> len(certificate.to_bytes()), certificate == Certificate.read(certificate.to_bytes())
    (70, True)
    >>> for verdict in certificate.check(table):
    ...     print(verdict.statement, verdict.proved)
    LDim >= 2 True
    LDim < 3 True
    """

    table: str
    lower: int
    upper: int
    tree: MistakeTree
    claims: int
    text: bytes

    def __post_init__(self) -> None:
        if not 0 <= self.lower <= self.upper < 62:
            _refuse_certificate(f"the bounds {self.lower} and {self.upper} cannot be")
        if self.tree.depth != self.lower:
            _refuse_certificate(
                f"the lower bound is {self.lower}, and the tree has depth {self.tree.depth}"
            )

    @classmethod
    def of(
        cls,
        table_or_class: TableOrClass,
        bounds: Bounds,
        *,
        room: int = ROOM,
        time_limit: float | None = None,
    ) -> Self:
        """The certificate of a solve; the claims are written here, unless the bounds differ.

        There are no claims if ``room`` bytes or ``time_limit`` seconds are too few for the writer.
        """
        table = PackedTable.pack(table_or_class)
        tree, found = bounds.tree, None
        if table.names[-1] >= table.size:  # some rows repeat others
            leaves = np.searchsorted(table.names, np.asarray(tree.leaves))
            tree = MistakeTree(tree.points, tuple(leaves.tolist()))
        if bounds.lower == bounds.upper and room:
            writer = ClaimWriter(table, min(room, ROOM))
            found = await_result(writer, lambda: writer.write(bounds.upper + 1), time_limit)
        text, claims = found or (b"", 0)
        return cls(table.digest, bounds.lower, bounds.upper, tree, claims, text)

    def check(self, table_or_class: TableOrClass, *, room: int = ROOM) -> list[Verdict]:
        """What the checker, a program in C, says of both bounds; no search.

        Raises `DeclarationError` if the certificate is one of another table, and `TooLargeError` if
        ``room`` bytes are too few.
        """
        table = PackedTable.pack(table_or_class)
        # The fingerprint binds the proof to the order of rows and columns.
        require_table(self.table, table)
        # The checker reads the bytes of the file, not the fields that were parsed here.
        check = Check(table, self.to_bytes(), room)
        found = await_result(check, check.run)
        reason = "a shattered tree"
        if not found.shattered:
            reason = "a leaf of its tree contradicts the path to it"
        lower = Verdict(f"LDim >= {self.lower}", found.shattered, reason)
        statement = f"LDim < {self.upper + 1}"
        if found.above == ABOVE.CLAIMS:
            plural = "s" * (self.claims > 1)
            return [lower, Verdict(statement, True, f"{self.claims:,} claim{plural}")]
        if found.above == ABOVE.REFUSED:
            return [lower, Verdict(statement, False, f"claim {found.claims:,} does not follow")]
        return [lower, Verdict.by_counting(self.upper, table.size)]

    def to_bytes(self) -> bytes:
        """The file."""
        return self._data

    @cached_property
    def _data(self) -> bytes:
        said = [self.lower, self.upper, *self.tree.points, *self.tree.leaves, self.claims]
        return MARK + bytes.fromhex(self.table) + write_numbers(said) + self.text

    @classmethod
    def load(cls, path: str | PathLike[str]) -> Self:
        """The certificate in a file; `DeclarationError` names a file without one."""
        try:
            if not Path(path).is_file():
                _refuse_certificate("there is no such file")
            return cls.read(Path(path).read_bytes())
        except DeclarationError as error:
            raise DeclarationError(
                f"use the certificate {path}", found=error.found, fix=error.fix
            ) from None
        except (OSError, MemoryError) as error:
            raise DeclarationError(
                f"use the certificate {path}",
                found="it cannot be read",
                fix="give a file that you may read, as `littlestone dim --certificate` wrote it",
            ) from error

    @classmethod
    def read(cls, data: bytes) -> Self:
        """The certificate in the bytes of a file; `DeclarationError` if they are not one."""
        if not data.startswith(MARK):
            for beginning, writer in OLDER.items():
                if data.startswith(beginning):
                    _refuse_certificate(
                        f"it was written by {writer}, and this version reads form 3 alone"
                    )
            _refuse_certificate("it is not a certificate of form 3")
        start, cut = len(MARK) + 32, "it is damaged, or has been cut off"
        (lower, upper), at = read_numbers(data, start, 2) or _refuse_certificate(cut)
        # Before a tree of 2^lower leaves is read: a damaged file must not ask for memory.
        if not lower <= upper < 62 or 1 << lower > len(data):
            _refuse_certificate(f"the bounds {lower} and {upper} cannot be")
        nodes = (1 << lower) - 1
        numbers, at = read_numbers(data, at, 2 * nodes + 2) or _refuse_certificate(cut)
        claims, text = numbers.pop(), data[at:]
        # Every claim takes a byte at least.
        if claims > len(text) or (text and not claims):
            _refuse_certificate(cut)
        tree = MistakeTree(tuple(numbers[:nodes]), tuple(numbers[nodes:]))
        certificate = cls(data[len(MARK) : start].hex(), lower, upper, tree, claims, text)
        certificate.__dict__["_data"] = data  # need not be written again
        return certificate


def _refuse_certificate(found: str) -> NoReturn:
    raise DeclarationError(
        "use the certificate",
        found=found,
        fix="make it again with `littlestone dim FILE --certificate OUT.ldim`",
    )


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
        "Install a wheel, or run `pip install .` with a C compiler, such as gcc 11."
    )
