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
    4. W lies in a side of V for which one of these holds.

    Claims refer to claims with smaller k only, so there is no circle.  Time: for each claim one
    product of V's table with its transpose, and one pass over each side of rule 3.  That the rules
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
        sides = Sides(self._values[rows], k)
        waiting = []
        for j in sides.open:
            if not sides.inside(j) and not self._claims_a_side(sides, j, k - 1):
                waiting.append(j)
        return all(map(sides.inside, waiting))

    def _claims_a_side(self, sides: Sides, j: int, k: int) -> bool:
        # Both sides may be claims, and each helps the columns whose sides lie inside it.
        for side in (1, 0):
            claim = (_shape(sides.table[sides.table[:, j] == side]), k)
            sides.dead[side, j] |= claim in self._claimed
        return bool(sides.dead[:, j].any())


class Sides:
    """The sides of the columns of V, and which of them have LDim < k - 1 by counting alone.

    ``table`` is V reduced to columns with two rows on both sides, without complements and
    repetitions; ``dead[s, j]`` tells whether side s of its column j is known to have LDim < k - 1
    (both sides of a column with a side of fewer than 2^(k-1) rows count as such);
    ``open`` are the columns both of whose sides are alive, most balanced first.
    """

    def __init__(self, V: NDArray[np.uint8], k: int) -> None:
        self.table = V = _reduced(V)
        half, quarter = 1 << (k - 1), 1 << (k - 2)
        size, ones = len(V), V.sum(axis=0, dtype=np.int64)
        balance = np.minimum(ones, size - ones)
        self.dead = np.ones((2, V.shape[1]), bool)
        # Only columns with parts of 2^(k-2) rows can split a side so.
        self._tried = tried = np.flatnonzero(balance >= half)
        splitting = np.flatnonzero(balance >= quarter)
        # Counts below 2^24 are exact in single precision, and products of such matrices are fast.
        real = np.float32 if size < 1 << 24 else np.float64
        exact: NDArray[Any] = V[:, splitting].astype(real)
        place = np.searchsorted(splitting, tried)
        both = exact[:, place].T @ exact
        for side, parts, total in (
            (1, both, ones[tried]),
            (0, ones[splitting] - both, size - ones[tried]),
        ):
            splits = (parts >= quarter) & (total[:, np.newaxis] - parts >= quarter)
            # If k = 2, a side of two rows has LDim >= 1, even if none of these columns splits it.
            self.dead[side, tried] = ~splits.any(axis=1) & (k > 2)
        self._both = both[:, place]
        self._ones, self._size = ones[tried], size
        alive = tried[~self.dead[:, tried].any(axis=0)]
        self.open: list[int] = alive[np.argsort(-balance[alive], kind="stable")].tolist()

    def inside(self, j: int) -> bool:
        """Whether a side of column j lies in a side that is dead."""
        i = int(np.searchsorted(self._tried, j))
        both, ones, zero = self._both[i], self._ones, self._size - self._ones[i]
        dead = self.dead[:, self._tried]
        return bool(
            (dead[1] & ((both == ones[i]) | (ones - both == zero))).any()
            or (dead[0] & ((both == 0) | (both == ones))).any()
        )


def _reduced(V: NDArray[np.uint8]) -> NDArray[np.uint8]:
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
