"""The rows of `littlestone verify` hold; with a fault in the code that they speak of they turn red.

The faults are in ``faults/``, by subject.  Every row has one.  Those in
``gross.py`` name all rows that speak of their code, and turn the first of them red.
"""

from __future__ import annotations

from importlib import import_module
from pkgutil import iter_modules

import faults
import pytest
from gross import GROSS

from littlestone.base.discovery import modules
from littlestone.prove.papers.statement import rows_of
from planting import Fault, forget, plant
from whole_grid import WHOLE

pytestmark = pytest.mark.deep

ROWS = {
    f"{module.__name__.rpartition('.')[2]}.{name}": row
    for module in modules("littlestone.prove.papers")
    for name, row in rows_of(module).items()
}


def faults_of_rows() -> list[tuple[str, Fault]]:
    """Each row with the faults that turn it red, in files by subject.

    A file names a row by its function, and is named as its module where two rows share a name.
    """
    by_name = {row.partition(".")[2]: row for row in ROWS}
    found = []
    for file in iter_modules(faults.__path__):
        for name, planted in import_module(f"faults.{file.name}").FAULTS.items():
            own = f"{file.name}.{name}"
            found += [(own if own in ROWS else by_name[name], fault) for fault in planted]
    return found


PAIRS: list[tuple[str, Fault]] = faults_of_rows() + [(each.rows[0], each.fault) for each in GROSS]
# All of them take minutes, so two faults of a row are planted.
CHOSEN = [
    pair
    for i, pair in enumerate(PAIRS)
    if WHOLE or [row for row, _ in PAIRS[:i]].count(pair[0]) < 2
]


@pytest.mark.parametrize("row", ROWS)
def test_the_row_holds(row: str) -> None:
    assert ROWS[row]().holds


@pytest.mark.parametrize(("row", "fault"), CHOSEN, ids=lambda x: getattr(x, "mistake", x))
def test_the_row_turns_red(row: str, fault: Fault, monkeypatch: pytest.MonkeyPatch) -> None:
    plant(fault, monkeypatch)
    try:
        assert not ROWS[row]().holds
    finally:
        monkeypatch.undo()
        forget()


def test_every_row_has_a_fault() -> None:
    """A new row needs a fault that turns it red."""
    assert {row for row, _ in PAIRS} == set(ROWS)
