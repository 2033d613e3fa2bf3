"""The rows of `littlestone verify` hold; with a fault in the code that they speak of they turn red.

The faults are in ``faults/``, one file for each module of rows.  Every row has one.  Those in
``gross.py`` name all rows that speak of their code, and turn the first of them red.
"""

from __future__ import annotations

from importlib import import_module
from importlib.util import find_spec

import pytest
from gross import GROSS

from littlestone.base.discovery import modules
from littlestone.prove.papers.statement import rows_of
from planting import Fault, forget, plant

pytestmark = pytest.mark.deep

ROWS = {
    f"{module.__name__.rpartition('.')[2]}.{name}": row
    for module in modules("littlestone.prove.papers")
    for name, row in rows_of(module).items()
}


def faults_of(module: str) -> dict[str, list[Fault]]:
    """Those of the rows of one module; none if it has no file."""
    if find_spec(f"faults.{module}") is None:
        return {}
    found: dict[str, list[Fault]] = import_module(f"faults.{module}").FAULTS
    return found


PAIRS: list[tuple[str, Fault]] = [
    (f"{module}.{row}", fault)
    for module in sorted({row.split(".")[0] for row in ROWS})
    for row, faults in faults_of(module).items()
    for fault in faults
] + [(each.rows[0], each.fault) for each in GROSS]


@pytest.mark.parametrize("row", ROWS)
def test_the_row_holds(row: str) -> None:
    assert ROWS[row]().holds


@pytest.mark.parametrize(("row", "fault"), PAIRS, ids=lambda x: getattr(x, "mistake", x))
def test_the_row_turns_red(row: str, fault: Fault, monkeypatch: pytest.MonkeyPatch) -> None:
    plant(fault, monkeypatch)
    try:
        assert not ROWS[row]().holds
    finally:
        monkeypatch.undo()
        forget()


def test_every_row_has_a_fault() -> None:
    """A new row needs a fault, in the file of its module, that turns it red."""
    assert {row for row, _ in PAIRS} == set(ROWS)
