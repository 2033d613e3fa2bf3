"""The writer of certificates: it searches for a proof that LDim < k, and writes it down.

It trusts nothing that the solver found, and no checker trusts it.  Numbers are written with seven bits
to a byte, the lowest first; the top bit says that more bytes follow.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from littlestone import core
from littlestone.dimension.symmetry import Permutation, Symmetry, Word
from littlestone.dimension.tables import PackedTable

MOST = 9  # bytes of a number


def write_numbers(numbers: Sequence[int]) -> bytes:
    """The bytes of numbers below 2^63.

    >>> write_numbers([0, 127, 300]).hex()
    '007fac02'
    """
    said = np.asarray(numbers, np.uint64).reshape(-1, 1)
    shifts = np.arange(0, 7 * MOST, 7, dtype=np.uint64)
    more = said >> (shifts + np.uint64(7)) > 0
    octets = (said >> shifts).astype(np.uint8) & 127 | more.astype(np.uint8) << 7
    there = np.hstack([np.ones_like(said, np.bool_), more[:, :-1]])
    return octets[there].tobytes()


def read_numbers(data: bytes, at: int, count: int) -> tuple[list[int], int] | None:
    """``count`` numbers from the place ``at`` on, and the place after them; None if some are missing.

    >>> read_numbers(bytes.fromhex("007fac02"), 0, 3)
    ([0, 127, 300], 4)
    """
    octets = np.frombuffer(data[at : at + MOST * count], np.uint8)
    ends = np.flatnonzero(octets < 128)[:count] + 1
    sizes = np.diff(ends, prepend=0)
    if len(ends) < count or sizes.max() > MOST:
        return None
    octets = octets[: ends[-1]]
    starts = ends - sizes
    shifts = 7 * (np.arange(len(octets)) - np.repeat(starts, sizes))
    parts = (octets & 127).astype(np.uint64) << shifts.astype(np.uint64)
    return np.add.reduceat(parts, starts).tolist(), at + len(octets)


PLACES = 48  # paths whose symmetries are kept; few claims are left by then


class ClaimWriter:
    """Writes the claims about one table; another thread may stop it.

    It looks for symmetries of the table once that is cheap beside what it has done so far, and then
    begins anew.
    """

    def __init__(self, table: PackedTable, room: int) -> None:
        self._writer = core.Writer(table.size, table.points, room)
        self._writer.load(table.rows)
        self._symmetry = Symmetry(table, 0)
        self._orbits = np.zeros((PLACES + 1, table.points, 2), np.int32)

    def stop(self) -> None:
        """Make `write` return None, soon."""
        self._writer.stop()

    def write(self, k: int) -> tuple[bytes, int] | None:
        """What proves LDim < k, and how many claims; None if that is false or it was stopped."""
        writer, symmetry = self._writer, self._symmetry
        while True:
            due = symmetry.due
            answer = writer.write(k, due - writer.work)
            if answer >= 0 or writer.was_stopped or writer.work < due:
                break
            # With symmetries fewer claims are needed; each is stated in the file and checked there
            # (docs/proofs/certificates.md).
            if symmetry.learn(self._orbits, writer.work, lambda: writer.was_stopped):
                writer.use_orbits(self._orbits)
        return (self._declaration() + writer.text, writer.claims) if answer == 1 else None

    def _declaration(self) -> bytes:
        """The groups of the paths that claims name."""
        paths, used = self._symmetry.paths, self._writer.uses_place
        last = max((place for place in range(PLACES + 1) if used(place)), default=0)
        if paths is None or last == 0:
            return declare_symmetries([], [], [])
        words, groups = paths.words_of_paths(
            place if used(place) else 0 for place in range(2, last + 1)
        )
        return declare_symmetries(self._symmetry.generators, words, groups)


def declare_symmetries(
    generators: Sequence[Permutation], words: Sequence[Word], groups: Sequence[Sequence[int]]
) -> bytes:
    """The text that declares symmetries, before the claims.

    Words in generators make further elements, and some elements make a group; the first group, that of
    the generators, is left out.
    """
    said = [len(generators)]
    for image in generators:
        said += image[::2].tolist()
    if generators:
        for lists in (words, groups):
            said.append(len(lists))
            for numbers in lists:
                said += [len(numbers), *numbers]
    return write_numbers(said)
