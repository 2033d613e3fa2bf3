"""Faults planted in the search for symmetries, and the checks that turn red with them."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from tables import admitted, signed

from littlestone.dimension import symmetry
from littlestone.dimension.symmetry import PathOrbits, Permutation
from littlestone.dimension.tables import PackedTable
from planting import Fault, plant


def nonagon() -> list[Permutation]:
    """What makes the symmetries of nine points in a circle."""
    points, kept = np.arange(9), np.zeros(9, np.int64)
    return [signed(np.roll(points, 1), kept), signed(points[::-1], kept)]


def old_links_are_forgotten() -> None:
    """The orbits of more symmetries are written over those of fewer."""
    known = np.full((20, 9, 2), 19, np.int32)
    paths = PathOrbits(nonagon(), known)
    paths.grow(1)
    assert known[1 : paths._last + 1, :, 1].max() <= paths._last < 19


def paths_end_with_the_array() -> None:
    for places in (2, 3):
        known = np.zeros((places, 9, 2), np.int32)
        assert not PathOrbits(nonagon(), known).grow(100)


def a_stop_is_heard_while_paths_are_added() -> None:
    known = np.zeros((20, 9, 2), np.int32)
    paths = PathOrbits(nonagon(), known)
    paths.grow(5, lambda: True)
    assert paths._last == 1


_SYMMETRY = "littlestone.dimension.symmetry"
FAULTS = {
    old_links_are_forgotten: Fault(
        f"{_SYMMETRY}:PathOrbits._put",
        "self._table[self._last, :, 1] = 0",
        "pass",
        "old links are kept",
    ),
    paths_end_with_the_array: Fault(
        f"{_SYMMETRY}:PathOrbits.grow",
        "self._last + 1 == len(self._table)",
        "False",
        "paths go beyond the array",
    ),
    a_stop_is_heard_while_paths_are_added: Fault(
        f"{_SYMMETRY}:PathOrbits.grow", "if stopped():", "if False:", "a stop is not heard"
    ),
}


@pytest.mark.parametrize("check", FAULTS)
def test_a_check_turns_red_with_its_fault(
    check: Callable[[], None], monkeypatch: pytest.MonkeyPatch
) -> None:
    check()
    plant(FAULTS[check], monkeypatch)
    with pytest.raises((AssertionError, IndexError)):
        check()


def test_points_of_several_words() -> None:
    """The check reads, moves and compares all words of a row, and the search sums them all."""
    rng, points = np.random.default_rng(3), 263
    first = (rng.random((2, points)) < 0.3).astype(np.uint8)
    table = np.concatenate([np.roll(first, i, axis=1) for i in range(points)])
    turn = signed(np.roll(np.arange(points), 1), np.zeros(points, np.int64))
    assert admitted(PackedTable.pack(table), turn)
    look = symmetry._Look(PackedTable.pack(table))
    look.go_on(40, lambda: False)
    assert (symmetry.orbits(look.found, points) == 0).all()
    table[:, :64] = 0  # what moves the other points is a symmetry of the first word alone
    swapped = np.arange(points)
    swapped[[64, 258]] = 258, 64
    image = signed(swapped, np.zeros(points, np.int64))
    assert not admitted(PackedTable.pack(table), image)
