"""Faults that turn the rows of `prove/papers/lyu25_lists.py` red."""

from __future__ import annotations

from planting import Fault

FAULTS: dict[str, list[Fault]] = {
    "one_record_moves_a_run_by_one": [
        Fault(
            "littlestone.learn.papers.radii_lists:_run",
            "waiting[0][0] <= radius",
            "waiting[0][0] <= 2 * radius",
            "balls of twice the radius",
        ),
    ],
}
