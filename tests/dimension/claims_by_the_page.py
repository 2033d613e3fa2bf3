"""A checker of binary certificates that follows docs/certificate-format.md word by word, slowly.

It shares no code with the package.  The tests compare checker/check.c with it.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, field

MOST = 4096  # elements, and groups
HEAD = len(b"littlestone-certificate 3\n") + 32


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


Shape = tuple[int, frozenset[tuple[int, ...]]]


def covers(shape: Shape, other: Shape) -> bool:
    """Whether the first has as many rows as the second, and all of its columns."""
    return shape[0] == other[0] and shape[1] >= other[1]


@dataclass
class Proof:
    """The claims of a file about a table, given as its distinct rows of 0s and 1s."""

    table: Sequence[Sequence[int]]
    text: Text
    claims: list[Claim] = field(default_factory=list)
    kinds: set[int] = field(default_factory=set)
    elements: list[list[int]] = field(default_factory=list)
    groups: list[list[list[int]]] = field(default_factory=list)

    def prove(self, k: int) -> None:
        """Read the symmetries and the first claim; `RefusedError` if it does not follow."""
        self.declare()
        group = self.groups[0] if self.groups else []
        self.accept(k, frozenset(), list(range(len(self.table))), group)

    def declare(self) -> None:
        """Read the symmetries; `RefusedError` if they are none of the table."""
        points = len(self.table[0])
        literals, number = 2 * points, self.text.number
        rows = {frozenset(2 * x + value for x, value in enumerate(row)) for row in self.table}
        count = number()
        if count > MOST:
            raise RefusedError
        for _ in range(count):
            image = [0] * literals
            for x in range(points):
                image[2 * x] = number()
                image[2 * x + 1] = image[2 * x] ^ 1
            if sorted(image) != list(range(literals)):
                raise RefusedError
            if any(frozenset(image[literal] for literal in row) not in rows for row in rows):
                raise RefusedError
            self.elements.append(image)
        if not count:
            return
        self.groups.append(self.elements[:])
        words = number()
        if count + words > MOST:
            raise RefusedError
        for _ in range(words):
            image = list(range(literals))
            for _ in range(number()):
                letter = number()
                factor = self.element(letter // 2)
                if letter % 2:
                    factor = [factor.index(literal) for literal in range(literals)]
                image = [factor[literal] for literal in image]
            self.elements.append(image)
        more = number()
        if more >= MOST:
            raise RefusedError
        for _ in range(more):
            self.groups.append([self.element(number()) for _ in range(number())])

    def element(self, number: int) -> list[int]:
        if number >= len(self.elements):
            raise RefusedError
        return self.elements[number]

    def orbit(self, group: list[list[int]], x: int) -> set[int]:
        """The columns that products of elements take x to; inverses are powers."""
        found, waiting = {x}, [x]
        while waiting:
            y = waiting.pop()
            more = {image[2 * y] // 2 for image in group} - found
            found |= more
            waiting += more
        return found

    def side(self, rows: list[int], x: int, s: int) -> list[int]:
        return [r for r in rows if self.table[r][x] == s]

    def shape(self, rows: list[int]) -> Shape:
        columns = set()
        for x in range(len(self.table[0])):
            values = [self.table[r][x] for r in rows]
            if 2 <= sum(values) <= len(rows) - 2:
                columns.add(tuple(value ^ values[0] for value in values))
        return len(rows), frozenset(columns)

    def counted(self, rows: list[int], k: int, x: int) -> bool:
        """Whether a count settles a column: 1 and 2 of the page."""
        points, least = range(len(self.table[0])), 2 ** (k - 2)
        sides = [self.side(rows, x, s) for s in (0, 1)]
        if min(map(len, sides)) < 2 ** (k - 1):
            return True
        for side in sides if k > 2 else ():
            if not any(min(len(self.side(side, y, t)) for t in (0, 1)) >= least for y in points):
                return True
        return False

    def repeats(self, rows: list[int], x: int) -> bool:
        mine = [self.table[r][x] for r in rows]
        for y in range(x):
            other = [self.table[r][y] for r in rows]
            if mine == other or mine == [1 - value for value in other]:
                return True
        return False

    def settled(
        self, rows: list[int], k: int, x: int, steps: Collection[int], group: list[list[int]]
    ) -> bool:
        return self.repeats(rows, x) or any(
            y in steps or self.counted(rows, k, y) for y in self.orbit(group, x)
        )

    def accept(
        self, k: int, path: frozenset[tuple[int, int]], rows: list[int], group: list[list[int]]
    ) -> None:
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
        if not few and not all(self.settled(rows, k, x, steps, group) for x in columns):
            raise RefusedError
        me.keeps = number == 1

    def step(self, me: Claim, x: int, s: int, steps: dict[int, int]) -> None:
        side, path = self.side(me.rows, x, s), me.path | {(x, s)}
        kind = self.text.number()
        self.kinds.add(kind)
        if kind == 0:
            return self.accept(me.k - 1, path, side, [])
        number = self.text.number()
        if kind == 4 and number < len(self.groups):
            group = self.groups[number]
            if any(image[2 * y + t] != 2 * y + t for image in group for y, t in path):
                raise RefusedError
            return self.accept(me.k - 1, path, side, group)
        if kind == 1:
            y, t = divmod(number, 2)
            good = steps.get(y) == t and set(side) <= set(self.side(me.rows, y, t))
        elif kind in (2, 3) and number < len(self.claims):
            claim = self.claims[len(self.claims) - 1 - number]
            good = claim.k < me.k and (
                claim.path <= path
                if kind == 2
                else claim.keeps and covers(self.shape(claim.rows), self.shape(side))
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
        if not data.startswith(b"littlestone-certificate 3\n"):
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
            proof.prove(upper + 1)
            if len(proof.claims) != claims:
                return None
        if text.at != len(data):
            return None
        return lower, upper if claims or len(table) < 2 ** (upper + 1) else None
    except RefusedError:
        return None
