"""Certificates as files: the proofs of both bounds of a table's Littlestone dimension."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from os import PathLike
from pathlib import Path
from typing import NoReturn, Self

import numpy as np

from littlestone.base.errors import DeclarationError
from littlestone.dimension.certify.checker import ABOVE, Check, Verdict, await_result, require_table
from littlestone.dimension.search.writer import ClaimWriter, read_numbers, write_numbers
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
