"""The symmetries that a refutation graph declares, before its claims: written, read and checked.

Generators are checked against the table.  Words in them make further elements, and some elements make a
group.  docs/certificate-format.md says what the numbers mean.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from littlestone.dimension.proof.format import numbers, written
from littlestone.dimension.table import PackedTable

Permutation = NDArray[np.int64]  # of the literals 2 * column + value
Word = Sequence[int]  # letters: 2 e for element e, 2 e + 1 for its inverse

MOST = 4096  # elements, and groups: a limit on what a hostile file costs
_AT_ONCE = 1 << 22  # entries that are unpacked at once


class RefusedError(Exception):
    """What is declared is damaged, or no symmetry of the table."""


class Groups(NamedTuple):
    """Groups of symmetries, the first made by the generators; none if there is no generator."""

    least: NDArray[np.int64]  # [group, column]: the least column of its orbit
    fixed: NDArray[np.int8]  # [group, column]: 1 if the group fixes both literals
    end: int  # where the claims begin


def declared(
    generators: Sequence[Permutation], words: Sequence[Word], groups: Sequence[Sequence[int]]
) -> bytes:
    """The text that declares them; the generators are the first group, which is left out."""
    said = [len(generators)]
    for image in generators:
        said += image[::2].tolist()
    if generators:
        for lists in (words, groups):
            said.append(len(lists))
            for numbers_ in lists:
                said += [len(numbers_), *numbers_]
    return b"".join(map(written, said))


def read(table: PackedTable, text: bytes) -> Groups:
    """The groups at the beginning of a text; `RefusedError` unless they are symmetries of the table."""
    end, source = 0, numbers(text)

    def number(below: int) -> int:
        nonlocal end
        found, end = next(source, (below, end))
        if found >= below:
            raise RefusedError
        return found

    points, rows = table.points, _sorted(table.rows)
    elements: list[Permutation] = []
    for _ in range(number(MOST + 1)):
        images = np.array([number(2 * points) for _ in range(points)], np.int64)
        image = np.stack([images, images ^ 1], axis=1).ravel()
        if not _is_symmetry(image, table, rows):
            raise RefusedError
        elements.append(image)
    groups = [set(range(len(elements)))] if elements else []
    for _ in range(number(MOST + 1 - len(elements)) if elements else 0):
        image = np.arange(2 * points)
        for _ in range(number(len(text) + 1)):
            letter = number(2 * len(elements))
            factor = elements[letter >> 1]
            turn = _inverse(factor) if letter & 1 else factor
            image = turn[image]
        elements.append(image)
    for _ in range(number(MOST) if elements else 0):
        size = number(len(text) + 1)
        groups.append({number(len(elements)) for _ in range(size)})
    least, fixed = (
        np.empty((len(groups), points), np.int64),
        np.ones((len(groups), points), np.int8),
    )
    for i, group in enumerate(groups):
        members = [elements[element] for element in group]
        least[i] = _orbits(members, points)
        for image in members:
            fixed[i] &= image[::2] == 2 * np.arange(points)
    return Groups(least, fixed, end)


def _sorted(rows: NDArray[np.uint64]) -> NDArray[np.void]:
    return np.sort(rows.view(f"V{8 * rows.shape[1]}").ravel())


def _is_symmetry(image: Permutation, table: PackedTable, rows: NDArray[np.void]) -> bool:
    """Whether it permutes the columns, and takes the rows to the same rows, which are sorted."""
    to, flipped = image[::2] >> 1, (image[::2] & 1).astype(np.uint8)
    if not np.array_equal(np.sort(to), np.arange(table.points)):
        return False
    moved = np.zeros_like(table.rows)
    step = max(1, _AT_ONCE // table.points)
    for i in range(0, table.size, step):
        part = table.rows[i : i + step].view(np.uint8)
        values = np.unpackbits(part, axis=1, count=table.points, bitorder="little") ^ flipped
        values[:, to] = values.copy()
        packed = np.packbits(values, axis=1, bitorder="little")
        moved[i : i + step].view(np.uint8)[:, : packed.shape[1]] = packed
    return np.array_equal(_sorted(moved), rows)


def _inverse(image: Permutation) -> Permutation:
    back = np.zeros_like(image)
    back[image] = np.arange(len(image))
    return back


def _orbits(group: Sequence[Permutation], points: int) -> NDArray[np.int64]:
    """The least column of each column's orbit.

    Two rounds leave at most half of the known parts of an orbit, so there are few rounds.
    """
    least = np.arange(points)
    while True:
        before, least = least, least.copy()
        for image in group:
            to = before[image[::2] >> 1]
            np.minimum.at(least, before, to)
            np.minimum.at(least, to, before)
        while not np.array_equal(lower := least[least], least):
            least = lower
        if np.array_equal(least, before):
            return least
