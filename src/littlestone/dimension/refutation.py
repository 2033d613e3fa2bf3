"""Certificates of upper bounds: a table of claims LDim(V) < k that justify one another."""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from littlestone.dimension.table import PackedTable, TableOrClass
from littlestone.dimension.tree import whole
from littlestone.errors import DeclarationError

Restrictions = tuple[int, ...]  # 2 * column + label for each restriction


@dataclass(frozen=True)
class Refutation:
    """A proof that LDim < k: claims (restrictions, k), the first about the whole table.

    A claim says that LDim(V) < k for the rows V that satisfy its restrictions, each given as
    2 * column + label.  `refutes` checks the claims; they need no trust in whoever made them.
    """

    claims: tuple[tuple[Restrictions, int], ...]
    table: str  # fingerprint of the table

    def to_json(self) -> str:
        """The claims as JSON text."""
        return json.dumps({"table": self.table, "claims": [[k, *path] for path, k in self.claims]})

    @classmethod
    def from_json(cls, text: str) -> Self:
        """The refutation of a JSON text; `DeclarationError` if it is none."""
        try:
            data = json.loads(text)
            claims = tuple((tuple(map(whole, path)), whole(k)) for k, *path in data["claims"])
            table = str(data["table"])
        except (ValueError, TypeError, KeyError, RecursionError) as error:
            raise DeclarationError(
                "read a refutation", found="text that is not one", fix="export it again"
            ) from error
        return cls(claims, table)


def refutes(table_or_class: TableOrClass, refutation: Refutation, k: int) -> bool:
    """Whether the claims prove LDim < k; no search.

    A claim LDim(V) < k is accepted if every column leaves a side W of V for which LDim(W) < k - 1:

    1. W has fewer than 2^(k-1) rows; or
    2. k > 2, and no column splits W into two parts of at least 2^(k-2) rows; or
    3. LDim(W) < k - 1 is itself a claim, of this W or of a class with the same columns after
       equal rows order, complements and repetitions are forgotten; or
    4. k > 2, and LDim(W) < k - 1 would be accepted by rules 1, 2 and 5 as a claim of its own; or
    5. W lies in a side of V for which one of these holds.

    Claims refer to claims with smaller k only, so there is no circle.  Time: for each claim, and
    each side that rules 1, 2 and 5 leave, one product of a table with its transpose.  That the rules
    are sound is proved in docs/proofs/certificates.md.
    """
    table = PackedTable.read(table_or_class)
    claims = refutation.claims
    if refutation.table != table.digest or not claims or claims[0] != ((), k):
        return False
    return unproved_claim(table, refutation) is None


def unproved_claim(table_or_class: TableOrClass, refutation: Refutation) -> int | None:
    """The first claim that does not follow by the rules of `refutes`; None if all of them do."""
    claims = refutation.claims
    checker = _Checker(PackedTable.read(table_or_class), claims)
    return next((i for i, claim in enumerate(claims) if not checker.accepts(claim)), None)


class _Checker:
    def __init__(self, table: PackedTable, claims: tuple[tuple[Restrictions, int], ...]) -> None:
        self._values = table.values()
        self._claimed: set[tuple[bytes, int]] = set()
        for path, k in claims:
            rows = self._rows(path)
            if rows is not None:
                self._claimed.add((_shape(self._values[rows]), k))

    def _rows(self, path: Restrictions) -> NDArray[np.int64] | None:
        """The rows that satisfy the restrictions; None if a restriction is none."""
        if any(not 0 <= literal < 2 * self._values.shape[1] for literal in path):
            return None
        rows = np.arange(len(self._values))
        for literal in path:
            rows = rows[self._values[rows, literal >> 1] == (literal & 1)]
        return rows

    def accepts(self, claim: tuple[Restrictions, int]) -> bool:
        path, k = claim
        rows = self._rows(path)
        if rows is None or k < 0:
            return False
        if len(rows).bit_length() <= k:  # fewer than 2^k; a damaged k may be too large to shift by
            return True
        if k < 2:  # distinct rows differ somewhere
            return False
        sides = Sides(reduced(self._values[rows]), k)
        waiting = [j for j in sides.open if not (sides.inside(j) or self._buries(sides, j))]
        return all(map(sides.inside, waiting))

    def _buries(self, sides: Sides, j: int) -> bool:
        # Counting in the larger side is the dearest: last.
        return any(
            sides.bury(j, side)
            for side in sides.smaller_first(j)
            if sides.counts_out(j, side)
            or (_shape(sides.side(j, side)), sides.k - 1) in self._claimed
        )


class Sides:
    """The sides of the columns of V, and which of them are known to have LDim < k - 1.

    ``table`` is V, ``open`` those of its columns both of whose sides rules 1 and 2 leave alive, most
    balanced first.
    """

    def __init__(self, table: NDArray[np.uint8], k: int) -> None:
        self.k, self.table = k, table
        half, quarter = 1 << (k - 1), 1 << (k - 2)
        size, ones = len(table), table.sum(axis=0, dtype=np.int64)
        balance = np.minimum(ones, size - ones)
        # Only columns with parts of 2^(k-2) rows can split a side so.
        self._tried = tried = np.flatnonzero(balance >= half)
        splitting = np.flatnonzero(balance >= quarter)
        # Counts below 2^24 are exact in single precision, and products of such matrices are fast.
        real = np.float32 if size < 1 << 24 else np.float64
        exact: NDArray[Any] = self.table[:, splitting].astype(real)
        place = np.searchsorted(splitting, tried)
        both = exact[:, place].T @ exact
        # dead[s, j]: side s of column j has LDim < k - 1, or the column needs nothing by rule 1.
        self._dead = np.ones((2, len(ones)), bool)
        for side, parts, total in (
            (1, both, ones[tried]),
            (0, ones[splitting] - both, size - ones[tried]),
        ):
            splits = (parts >= quarter) & (total[:, np.newaxis] - parts >= quarter)
            # If k = 2, a side of two rows has LDim >= 1, even if none of these columns splits it.
            self._dead[side, tried] = ~splits.any(axis=1) & (k > 2)
        self._both = both[:, place]
        self._ones, self._size = ones, size
        alive = tried[~self._dead[:, tried].any(axis=0)]
        self.open: list[int] = alive[np.argsort(-balance[alive], kind="stable")].tolist()

    def side(self, j: int, side: int) -> NDArray[np.uint8]:
        """The rows of one side of column j."""
        rows: NDArray[np.uint8] = self.table[self.table[:, j] == side]
        return rows

    def smaller_first(self, j: int) -> tuple[int, int]:
        """The sides of column j, the one with fewer rows first."""
        smaller = int(2 * self._ones[j] <= self._size)
        return smaller, 1 - smaller

    def bury(self, j: int, side: int) -> bool:
        """Take note that this side has LDim < k - 1."""
        self._dead[side, j] = True
        return True

    def counts_out(self, j: int, side: int) -> bool:
        """Whether rules 1, 2 and 5 alone prove that this side has LDim < k - 1 (rule 4)."""
        if self.k == 2:
            return False
        below = Sides(self.side(j, side), self.k - 1)
        return all(map(below.inside, below.open))

    def inside(self, j: int) -> bool:
        """Whether a side of column j lies in a side that is dead (rule 5)."""
        i = int(np.searchsorted(self._tried, j))
        both, ones = self._both[i], self._ones[self._tried]
        zero = self._size - self._ones[j]
        dead = self._dead[:, self._tried]
        return bool(
            (dead[1] & ((both == ones[i]) | (ones - both == zero))).any()
            or (dead[0] & ((both == 0) | (both == ones))).any()
        )


def reduced(V: NDArray[np.uint8]) -> NDArray[np.uint8]:
    """The columns with two rows on both sides, complemented so that row 0 is 0, once each."""
    V = V[:, _useful(V)]
    V = V ^ V[:1]
    packed = np.packbits(V.T, axis=1)
    first: dict[bytes, int] = {}
    for j, column in enumerate(packed):
        first.setdefault(column.tobytes(), j)
    return V[:, list(first.values())]


def _useful(V: NDArray[np.uint8]) -> NDArray[np.bool_]:
    ones = V.sum(axis=0, dtype=np.int64)
    useful: NDArray[np.bool_] = (ones >= 2) & (len(V) - ones >= 2)
    return useful


def _shape(V: NDArray[np.uint8]) -> bytes:
    """A fingerprint of V's rows in their order and of its set of columns up to complements."""
    V = V[:, _useful(V)]
    packed = np.packbits((V ^ V[:1]).T, axis=1)
    columns = sorted({column.tobytes() for column in packed})
    return hashlib.sha256(b"%d:" % len(V) + b"".join(columns)).digest()
