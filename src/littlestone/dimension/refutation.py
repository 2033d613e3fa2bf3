"""Certificates of upper bounds: a table of claims LDim(V) < k that justify one another."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Self

from littlestone.dimension.table import PackedTable, Restrictions, TableOrClass
from littlestone.dimension.tree import whole
from littlestone.errors import DeclarationError
from littlestone.progress import tracked


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
        """The refutation in a JSON text; `DeclarationError` for any other text."""
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
    4. k > 2, and LDim(W) < k - 1 would be accepted by rules 1 and 2 as a claim of its own; or
    5. W lies in a side of V for which one of these holds.

    Claims refer to claims with smaller k only, so there is no circle.  Time: for each claim, and
    each side that rules 1, 2, 3 and 5 leave, at most one count of rows for each pair of columns, 64
    rows at a time.  That the rules are sound is proved in docs/proofs/certificates.md.
    """
    table = PackedTable.read(table_or_class)
    claims = refutation.claims
    if refutation.table != table.digest or not claims or claims[0] != ((), k):
        return False
    return unproved_claim(table, refutation) is None


def unproved_claim(table_or_class: TableOrClass, refutation: Refutation) -> int | None:
    """The first claim that does not follow by the rules of `refutes`; None if all of them do."""
    from littlestone.dimension.checking import Checker  # compiled

    claims = refutation.claims
    checker = Checker(PackedTable.read(table_or_class), claims)
    read = enumerate(tracked(claims, "checking claims"))
    return next((i for i, claim in read if not checker.accepts(claim)), None)
