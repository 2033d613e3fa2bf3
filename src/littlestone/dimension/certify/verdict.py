"""What a checker says of one statement about a table."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Self

from littlestone.base.errors import DeclarationError
from littlestone.dimension.tables.table import PackedTable


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
