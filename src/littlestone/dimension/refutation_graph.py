"""Certificates in the binary form: a tree, and a graph of claims in which each is written once."""

from __future__ import annotations

import time
from dataclasses import dataclass
from threading import Thread
from typing import Any, NoReturn, Self

import numpy as np

from littlestone.dimension.bounds import Bounds
from littlestone.dimension.first_call import told
from littlestone.dimension.proof.format import numbers, written
from littlestone.dimension.shattering import is_shattered_by
from littlestone.dimension.table import PackedTable, TableOrClass
from littlestone.dimension.tree import MistakeTree
from littlestone.dimension.verdict import Verdict, require_table
from littlestone.errors import DeclarationError

BINARY = b"littlestone-certificate "  # and the number of the form
MARK = BINARY + b"3\n"

ROOM = 8 << 30  # bytes that the writer may use; memory that it does not touch costs nothing
_POLL = 0.1  # seconds between two looks at Ctrl+C


@dataclass(frozen=True)
class GraphCertificate:
    """lower <= LDim <= upper for the table of that fingerprint, as a binary file holds it.

    The leaves of the ``tree`` are numbers of distinct rows.  ``text`` are the symmetries and the
    ``claims`` that prove the upper bound, in the form of docs/certificate-format.md.  It is empty if
    there are none.

    >>> from littlestone.dimension import littlestone_bounds
    >>> table = [[0, 0, 0], [0, 0, 1], [0, 1, 1], [1, 1, 1]]
    >>> certificate = GraphCertificate.of(table, littlestone_bounds(table))
    >>> len(certificate.to_bytes()), certificate == GraphCertificate.read(certificate.to_bytes())
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

    @classmethod
    def of(
        cls,
        table_or_class: TableOrClass,
        bounds: Bounds,
        *,
        room: int = ROOM,
        time_limit: float | None = None,
    ) -> Self:
        """The certificate of a solve; the graph is written here, unless the bounds differ.

        There are no claims if ``room`` bytes or ``time_limit`` seconds are too few for the writer.
        """
        table = PackedTable.read(table_or_class)
        leaves = np.searchsorted(table.names, np.asarray(bounds.tree.leaves))
        tree = MistakeTree(bounds.tree.points, tuple(leaves.tolist()))
        found = None
        if bounds.lower == bounds.upper and room:
            with told("the writer of certificates"):
                from littlestone.dimension.proof.writing import GraphWriter

            writer = GraphWriter(table, min(room, ROOM))
            found = _awaited(writer, lambda: writer.write(bounds.upper + 1), time_limit)
        text, claims = found or (b"", 0)
        return cls(table.digest, bounds.lower, bounds.upper, tree, claims, text)

    def check(self, table_or_class: TableOrClass) -> list[Verdict]:
        """Whether the tree and the claims prove both bounds; no search.

        Raises `DeclarationError` if the certificate is one of another table.
        """
        table = PackedTable.read(table_or_class)
        require_table(self.table, table)
        distinct = PackedTable(table.rows, table.points, np.arange(table.size))
        good = is_shattered_by(distinct, self.tree)
        reason = "a shattered tree" if good else "a leaf of its tree contradicts the path to it"
        return [Verdict(f"LDim >= {self.lower}", good, reason), self._upper(table)]

    def _upper(self, table: PackedTable) -> Verdict:
        statement = f"LDim < {self.upper + 1}"
        if not self.claims:
            return Verdict.by_counting(self.upper, table.size)
        with told("the checker of certificates"):
            from littlestone.dimension.proof.accepting import GraphChecker

        checker = GraphChecker(table, self.text, self.claims)
        if _awaited(checker, lambda: checker.accepts(self.upper + 1)):
            plural = "s" * (self.claims > 1)
            return Verdict(statement, True, f"{self.claims:,} claim{plural}")
        return Verdict(statement, False, f"claim {checker.claims:,} does not follow")

    def to_bytes(self) -> bytes:
        """The binary file."""
        said = [self.lower, self.upper, *self.tree.points, *self.tree.leaves, self.claims]
        return MARK + bytes.fromhex(self.table) + b"".join(map(written, said)) + self.text

    @classmethod
    def read(cls, data: bytes) -> Self:
        """The certificate in a binary file; `DeclarationError` if it is damaged or something else."""
        if not data.startswith(MARK):
            older = data.startswith((BINARY + b"1\n", BINARY + b"2\n"))
            form = "of an older binary form, and this version reads form 3"
            _refuse(f"it is {form if older else 'not of the binary form 3'}")
        at = len(MARK) + 32
        source = numbers(data, at)

        def number() -> int:
            nonlocal at
            found, at = next(source, (-1, at))
            if found < 0:
                _refuse("it is damaged, or has been cut off")
            return found

        lower, upper = number(), number()
        if not lower <= upper < 62 or 1 << lower > len(data):
            _refuse(f"the bounds {lower} and {upper} cannot be")
        points = tuple(number() for _ in range((1 << lower) - 1))
        leaves = tuple(number() for _ in range(1 << lower))
        claims = number()
        text = data[at:]
        if claims > len(text) or (text and not claims):
            _refuse("it is damaged, or has been cut off")
        digest = data[len(MARK) : len(MARK) + 32].hex()
        return cls(digest, lower, upper, MistakeTree(points, leaves), claims, text)


def _awaited(worker: Any, task: Any, time_limit: float | None = None) -> Any:
    """The result of compiled work in a thread of its own, so that Ctrl+C and the limit can stop it."""
    results: list[Any] = []
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


def _refuse(found: str) -> NoReturn:
    raise DeclarationError(
        "use the certificate",
        found=found,
        fix="make it again with `littlestone dim FILE --certificate OUT.ldim`",
    )
