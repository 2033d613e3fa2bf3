"""Random CSV files, read in blocks, line by line, and by Python's csv module, one line at a time.

A case is a function of its number.  All three must give the same records, whatever the bytes, and
another line in place of one must change that record alone.  ``python tests/fuzz/lines.py 0 100000``
runs these cases and says what they were made of.
"""

from __future__ import annotations

import csv
import io
import random
import sys
import tempfile
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from unittest.mock import patch

import numpy as np

from littlestone.data import csv_lines, open_table

NAMES = ("x", "y", "z", "w")
SEPARATORS = [",", ",", ",", ";", "\t", " ", "|", "a"]
MARKS = [
    "\r",
    "\x0b",
    "\x0c",
    "\x1c",
    "\x85",
    "\u2028",
    "\x00",
    "\x1a",
    "\ufeff",
    "\udc0d",
    "é",
    "💩",
]
BYTES = [b'"', b'""', b'"', b",", b";", b"\t", b"|", b" ", b"\r", b"a", b"1", b"\x00", b"\xff",
         b"\xe2\x82", b"\xf0\x9f\x92", b"\x80", b"\xed\xb0\x8d", b"\xef\xbb\xbf", b"\\", b"'",
         b'"a"', b'5"', "é".encode(), b"\x85", b"\x1c"]  # fmt: skip
LONG = 3_000_000
_DISGUISE = "\udc0d"  # no decoded bytes contain it


@dataclass(frozen=True)
class Case:
    """A file: its lines without their ends, and how they are put together."""

    number: int
    lines: Sequence[bytes]
    other: bytes
    """A line to put in the place of another."""
    ends: Sequence[bytes]
    before: bytes
    separator: str
    columns: Sequence[str]
    block: int

    def content(self, lines: Sequence[bytes]) -> bytes:
        """The bytes of the file with these lines."""
        header = self.separator.join(NAMES).encode() + b"\n"
        return self.before + header + b"".join(map(bytes.__add__, lines, self.ends))

    def check(self, folder: Path) -> Counter[str]:
        """Read the file and its neighbour; an AssertionError is a defect."""
        rng = random.Random(f"neighbour {self.number}")
        first, found = self.read(folder, self.lines)
        if self.lines:
            i = rng.randrange(len(self.lines))
            # A last line that nothing ends must hold something, or it is none.
            if self.other or self.ends[i]:
                lines = [*self.lines[:i], self.other, *self.lines[i + 1 :]]
                second, _ = self.read(folder, lines)
                assert len(second) == len(first) == len(self.lines), "n depends on a line"
                rest = [j for j in range(len(first)) if j != i and first[j] != second[j]]
                assert not rest, "a line changes another record"
        return found

    def read(
        self, folder: Path, lines: Sequence[bytes]
    ) -> tuple[list[tuple[object, ...]], Counter[str]]:
        """The records of the file with these lines, read in three ways."""
        content = self.content(lines)
        path = folder / "fuzz.csv"
        path.write_bytes(content)
        with patch.multiple(csv_lines, _SIZE=self.block, _FEW=0):
            table = open_table(path, separator=self.separator)
            assert table.columns == NAMES
            one_by_one = list(table.rows(self.columns))
            in_blocks: list[tuple[object, ...]] = []
            for batch in table.batches(self.columns):
                in_blocks += zip(*(column.to_list() for column in batch), strict=True)
        by_csv = [self._by_csv(line, end) for line, end in zip(lines, self.ends, strict=True)]
        assert one_by_one == by_csv, "line by line is not what csv reads"
        assert in_blocks == one_by_one, "blocks are not read as their lines"
        data = np.frombuffer(b"".join(line + b"\n" for line in lines) or b"\n", np.uint8)
        _, odd = csv_lines._cuts(data, ord(self.separator))
        quoted = sum(b'"' in line for line in lines)
        return one_by_one, Counter(lines=len(lines), quoted=quoted, one_by_one=len(odd))

    def _by_csv(self, line: bytes, end: bytes) -> tuple[str, ...]:
        # A carriage return before LF belongs to the end of the line.
        whole = (line + end).removesuffix(b"\r\n" if (line + end).endswith(b"\r\n") else b"\n")
        text = whole.decode("utf-8", "replace").replace("\r", _DISGUISE)
        cells = next(csv.reader([text], delimiter=self.separator), [])
        shown = [cell.replace(_DISGUISE, "\r") for cell in cells] + [""] * len(NAMES)
        return tuple(shown[NAMES.index(column)] for column in self.columns)


def case(number: int) -> Case:
    """The case of that number."""
    rng = random.Random(f"lines {number}")
    separator = rng.choice(SEPARATORS)
    few = [*rng.sample(BYTES, rng.randint(1, 6)), separator.encode(), b'"']
    kinds: list[Callable[[], bytes]] = [
        lambda: _written(rng, separator),
        lambda: _mutated(rng, _written(rng, separator)),
        lambda: b"".join(rng.choices(few, k=rng.randrange(12))),
    ]

    def mixed() -> bytes:
        return rng.choice(kinds)()

    kind = rng.choice([*kinds, mixed])
    lines = [kind() for _ in range(rng.choice([0, 1, 2, 5, 20, rng.randrange(100)]))]
    if number % 1000 == 7 and lines:
        lines[rng.randrange(len(lines))] += LONG * rng.choice([b"9", b'"', b"\xff", b"a,"])
    end = rng.choice([[b"\n"], [b"\r\n"], [b"\n", b"\r\n"]])
    ends = [rng.choice(end) for _ in lines]
    if lines and lines[-1] and rng.random() < 0.3:
        ends[-1] = b""
    before = rng.choice([b"", b"", b"\xef\xbb\xbf"]) + rng.choice([b"", b"", b"\n\r\n"])
    columns = rng.choices(NAMES, k=rng.randint(1, 3))
    block = rng.choice([1, 7, 64, 1000, 10**5])
    if len(b"".join(lines)) > 10**5:
        block = 10**5
    return Case(number, lines, kind(), ends, before, separator, columns, block)


def _written(rng: random.Random, separator: str) -> bytes:
    """A record as the csv module writes it, without line breaks in its cells."""
    pool = ["", "1", "ab", "x y", '"', 'say "hi"', separator, *MARKS]
    row = [
        "".join(rng.choices(pool, k=rng.randrange(3))) for _ in range(rng.choice([3, 4, 4, 4, 6]))
    ]
    text = io.StringIO(newline="")
    quoting: Any = rng.choice([csv.QUOTE_MINIMAL, csv.QUOTE_ALL, csv.QUOTE_NONNUMERIC])
    csv.writer(text, delimiter=separator, quoting=quoting, lineterminator="").writerow(row)
    return text.getvalue().encode("utf-8", "surrogatepass")


def _mutated(rng: random.Random, line: bytes) -> bytes:
    """The line with some bytes put in, left out or put elsewhere."""
    changed = bytearray(line)
    for _ in range(rng.randint(1, 3)):
        place = rng.randint(0, len(changed))
        if rng.random() < 0.5:
            changed[place:place] = rng.choice(BYTES)
        else:
            del changed[place : place + 1]
    return bytes(changed)


def run(first: int, last: int) -> Counter[str]:
    """Check the cases of these numbers and count what they were made of."""
    csv.field_size_limit(3 * LONG)
    found: Counter[str] = Counter()
    with tempfile.TemporaryDirectory() as folder:
        for number in range(first, last):
            try:
                found += case(number).check(Path(folder)) + Counter(files=1)
            except Exception as error:
                raise AssertionError(f"case {number}: {error!r}") from error
    return found


if __name__ == "__main__":
    print(dict(run(*map(int, sys.argv[1:]))))  # noqa: T201
