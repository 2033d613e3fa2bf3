"""Certificates as files: the proofs of both bounds of a table's Littlestone dimension."""

from __future__ import annotations

import json
from dataclasses import dataclass
from os import PathLike
from pathlib import Path
from typing import Any, NoReturn, Self

from littlestone.dimension.bounds import Bounds
from littlestone.dimension.refutation import Refutation, unproved_claim
from littlestone.dimension.refutation_graph import BINARY, GraphCertificate
from littlestone.dimension.shattering import is_shattered_by
from littlestone.dimension.table import PackedTable, TableOrClass
from littlestone.dimension.tree import MistakeTree
from littlestone.dimension.verdict import Verdict, require_table
from littlestone.errors import DeclarationError

FORMAT = "littlestone-certificate 1"

_FIELDS = {"format", "table", "lower", "upper", "tree", "claims"}


@dataclass(frozen=True)
class Certificate:
    """lower <= LDim <= upper for the table of that fingerprint, with the proofs.

    The shattered ``tree`` of depth ``lower`` proves the lower bound, the ``refutation`` of upper + 1
    the upper one; an interrupted solve has none.

    >>> from littlestone.dimension import littlestone_bounds
    >>> table = [[0, 0, 0], [0, 0, 1], [0, 1, 1], [1, 1, 1]]
    >>> certificate = Certificate.of(table, littlestone_bounds(table, certificate=True))
    >>> for verdict in Certificate.from_json(certificate.to_json()).check(table):
    ...     print(verdict.statement, verdict.proved)
    LDim >= 2 True
    LDim < 3 True
    """

    table: str
    lower: int
    upper: int
    tree: MistakeTree
    refutation: Refutation | None

    def __post_init__(self) -> None:
        if not 0 <= self.lower <= self.upper:
            _refuse(f"the bounds {self.lower} and {self.upper} cannot be")
        if self.tree.depth != self.lower:
            _refuse(f"the lower bound is {self.lower}, and the tree has depth {self.tree.depth}")
        if self.refutation is None:
            return
        claims = self.refutation.claims
        if self.refutation.table != self.table:
            _refuse("its claims are about another table")
        if not claims or claims[0] != ((), self.upper + 1):
            _refuse(f"its first claim is not LDim < {self.upper + 1}, about the whole table")

    @classmethod
    def of(cls, table_or_class: TableOrClass, bounds: Bounds) -> Self:
        """The certificate of what a solve of the table returned."""
        digest = PackedTable.read(table_or_class).digest
        return cls(digest, bounds.lower, bounds.upper, bounds.tree, bounds.certificate)

    def check(self, table_or_class: TableOrClass) -> list[Verdict]:
        """What `is_shattered_by` and `refutes` say of both bounds; no search.

        Raises `DeclarationError` if the certificate is one of another table.
        """
        table = PackedTable.read(table_or_class)
        require_table(self.table, table)
        return [self._lower(table), self._upper(table)]

    def _lower(self, table: PackedTable) -> Verdict:
        good = is_shattered_by(table, self.tree)
        reason = "a shattered tree" if good else "a leaf of its tree contradicts the path to it"
        return Verdict(f"LDim >= {self.lower}", good, reason)

    def _upper(self, table: PackedTable) -> Verdict:
        statement = f"LDim < {self.upper + 1}"
        if self.refutation is None:
            return Verdict.by_counting(self.upper, table.size)
        wrong = unproved_claim(table, self.refutation)
        if wrong is not None:
            return Verdict(statement, False, f"claim {wrong + 1} does not follow from the others")
        count = len(self.refutation.claims)
        return Verdict(statement, True, f"{count:,} claim{'s' * (count > 1)}")

    def to_json(self) -> str:
        """The certificate as one line of JSON text, which `from_json` reads."""
        claims = self.refutation and [[k, *path] for path, k in self.refutation.claims]
        return json.dumps(
            {
                "format": FORMAT,
                "table": self.table,
                "lower": self.lower,
                "upper": self.upper,
                "tree": {"points": self.tree.points, "leaves": self.tree.leaves},
                "claims": claims,
            }
        )

    @classmethod
    def load(cls, path: str | PathLike[str]) -> Self | GraphCertificate:
        """The certificate in a file of either form; `DeclarationError` names a file without one."""
        try:
            if not Path(path).is_file():
                _refuse("there is no such file")
            data = Path(path).read_bytes()
            if data.startswith(BINARY):
                return GraphCertificate.read(data)
            return cls.from_json(data.decode())
        except DeclarationError as error:
            raise DeclarationError(
                f"use the certificate {path}", found=error.found, fix=error.fix
            ) from None
        except (OSError, ValueError, MemoryError) as error:
            raise DeclarationError(
                f"use the certificate {path}",
                found="its text is not readable",
                fix="give a file that you may read, as `littlestone dim --certificate` wrote it",
            ) from error

    @classmethod
    def from_json(cls, text: str) -> Self:
        """The certificate in a JSON text; `DeclarationError` if it is damaged or something else."""
        try:
            data = json.loads(text)
        except (ValueError, RecursionError):
            _refuse("it is no JSON text, or has been cut off")
        if not isinstance(data, dict) or data.get("format") != FORMAT:
            _refuse(f"it is not of the format {FORMAT!r}")
        if set(data) != _FIELDS:
            _refuse(f"its fields are not {', '.join(sorted(_FIELDS))}")
        table, tree, claims = data["table"], data["tree"], data["claims"]
        if not isinstance(table, str):
            _refuse("the fingerprint of the table is no text")
        if not isinstance(tree, dict) or set(tree) != {"points", "leaves"}:
            _refuse("its tree has not the fields points and leaves")
        lower, upper = _numbers([data["lower"], data["upper"]], "the bounds")
        leaves, points = (_numbers(tree[key], f"the {key} of its tree") for key in sorted(tree))
        refutation = None
        if claims is not None:
            if not isinstance(claims, list) or not all(claims):
                _refuse("its claims are no list of claims")
            read = [_numbers(claim, "a claim") for claim in claims]
            refutation = Refutation(tuple((claim[1:], claim[0]) for claim in read), table)
        return cls(table, lower, upper, MistakeTree(points, leaves), refutation)


def _numbers(values: Any, what: str) -> tuple[int, ...]:
    """A list of whole numbers that fit in 64 bits, as a tuple; true and 1.0 are refused."""
    if not isinstance(values, list):
        _refuse(f"{what}: not a list of numbers")
    for value in values:
        if type(value) is not int or not -(2**63) <= value < 2**63:
            _refuse(f"{what}: a value is no whole number, or no small one")
    return tuple(values)


def _refuse(found: str) -> NoReturn:
    raise DeclarationError(
        "use the certificate",
        found=found,
        fix="make it again with `littlestone dim FILE --certificate OUT.json`",
    )
