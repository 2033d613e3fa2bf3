"""A checker of binary certificates that follows docs/certificate-format.md word by word, slowly.

It shares no code with the package.  The tests compare the two fast checkers with it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

HEAD = len(b"littlestone-certificate 2\n") + 32


class RefusedError(Exception):
    """The file proves less than it says."""


@dataclass
class Text:
    """Numbers of seven bits a byte."""

    data: bytes
    at: int = 0

    def number(self) -> int:
        total = 0
        for shift in range(0, 63, 7):
            if self.at == len(self.data):
                break
            byte = self.data[self.at]
            self.at += 1
            total |= (byte & 127) << shift
            if byte < 128:
                return total
        raise RefusedError


@dataclass
class Claim:
    """LDim(rows) < k for the rows that satisfy the path."""

    k: int
    path: frozenset[tuple[int, int]]
    rows: list[int]
    keeps: bool = False


@dataclass
class Proof:
    """The claims of a file about a table, given as its distinct rows of 0s and 1s."""

    table: Sequence[Sequence[int]]
    text: Text
    claims: list[Claim] = field(default_factory=list)
    kinds: set[int] = field(default_factory=set)

    def side(self, rows: list[int], x: int, s: int) -> list[int]:
        return [r for r in rows if self.table[r][x] == s]

    def shape(self, rows: list[int]) -> tuple[int, frozenset[tuple[int, ...]]]:
        columns = set()
        for x in range(len(self.table[0])):
            values = [self.table[r][x] for r in rows]
            if 2 <= sum(values) <= len(rows) - 2:
                columns.add(tuple(value ^ values[0] for value in values))
        return len(rows), frozenset(columns)

    def settled(self, rows: list[int], k: int, x: int) -> bool:
        points, least = range(len(self.table[0])), 2 ** (k - 2)
        sides = [self.side(rows, x, s) for s in (0, 1)]
        if min(map(len, sides)) < 2 ** (k - 1):
            return True
        for side in sides if k > 2 else ():
            if not any(min(len(self.side(side, y, t)) for t in (0, 1)) >= least for y in points):
                return True
        mine = [self.table[r][x] for r in rows]
        for y in range(x):
            other = [self.table[r][y] for r in rows]
            if mine == other or mine == [1 - value for value in other]:
                return True
        return False

    def accept(self, k: int, path: frozenset[tuple[int, int]], rows: list[int]) -> None:
        """Read one claim; `RefusedError` if it does not follow."""
        me = Claim(k, path, rows)
        self.claims.append(me)
        few = len(rows) < 2**k
        if k < 2 and not few:
            raise RefusedError
        steps: dict[int, int] = {}
        while (number := self.text.number()) >= 2:
            x, s = divmod(number - 2, 2)
            if few or x in steps or x >= len(self.table[0]):
                raise RefusedError
            if min(len(self.side(rows, x, t)) for t in (0, 1)) < 2:
                raise RefusedError
            self.step(me, x, s, steps)
            steps[x] = s
        columns = range(len(self.table[0]))
        if not few and not all(x in steps or self.settled(rows, k, x) for x in columns):
            raise RefusedError
        me.keeps = number == 1

    def step(self, me: Claim, x: int, s: int, steps: dict[int, int]) -> None:
        side, path = self.side(me.rows, x, s), me.path | {(x, s)}
        kind = self.text.number()
        self.kinds.add(kind)
        if kind == 0:
            return self.accept(me.k - 1, path, side)
        number = self.text.number()
        if kind == 1:
            y, t = divmod(number, 2)
            good = steps.get(y) == t and set(side) <= set(self.side(me.rows, y, t))
        elif kind in (2, 3) and number < len(self.claims):
            claim = self.claims[len(self.claims) - 1 - number]
            good = claim.k < me.k and (
                claim.path <= path
                if kind == 2
                else claim.keeps and self.shape(claim.rows) == self.shape(side)
            )
        else:
            good = False
        if not good:
            raise RefusedError
        return None


def proved(table: Sequence[Sequence[int]], data: bytes) -> tuple[int, int | None] | None:
    """The bounds that a file proves; None if a proof fails, and upper None if it has none.

    The fingerprint is not looked at.
    """
    text = Text(data, HEAD)
    try:
        if not data.startswith(b"littlestone-certificate 2\n"):
            return None
        lower, upper = text.number(), text.number()
        if not lower <= upper < 62 or 2**lower > len(data):
            return None
        points = [text.number() for _ in range(2**lower - 1)]
        leaves = [text.number() for _ in range(2**lower)]
        claims = text.number()
        if any(x >= len(table[0]) for x in points) or any(r >= len(table) for r in leaves):
            return None
        for i, leaf in enumerate(leaves):
            node = 0
            for level in range(lower):
                answer = i >> (lower - level - 1) & 1
                if table[leaf][points[node]] != answer:
                    return None
                node = 2 * node + 1 + answer
        if claims:
            proof = Proof(table, text)
            proof.accept(upper + 1, frozenset(), list(range(len(table))))
            if len(proof.claims) != claims:
                return None
        if text.at != len(data):
            return None
        return lower, upper if claims or len(table) < 2 ** (upper + 1) else None
    except RefusedError:
        return None
