"""Rows of `littlestone verify` with a fault planted in the code that they speak of: they turn red.

The faults are in ``faults/``, one file for each module of rows.
"""

from __future__ import annotations

from importlib import import_module

import pytest
from faults import STEEP

from littlestone.discovery import modules
from littlestone.verify.statement import Statement
from planting import Fault, forget, plant

pytestmark = pytest.mark.slow

ROWS = {
    f"{module.__name__.rpartition('.')[2]}.{name}": member
    for module in modules("littlestone.verify")
    for name, member in vars(module).items()
    if isinstance(member, Statement)
}
FILES = {name: import_module(f"faults.{name}") for name in {row.split(".")[0] for row in ROWS}}
PAIRS: list[tuple[str, Fault]] = [
    (f"{name}.{row}", fault)
    for name in sorted(FILES)
    for row, faults in FILES[name].FAULTS.items()
    for fault in faults
]


@pytest.mark.parametrize(("row", "fault"), PAIRS, ids=lambda x: getattr(x, "mistake", x))
def test_the_row_turns_red(row: str, fault: Fault, monkeypatch: pytest.MonkeyPatch) -> None:
    plant(fault, monkeypatch)
    try:
        assert not ROWS[row]().holds
    finally:
        monkeypatch.undo()
        forget()


def test_every_row_has_a_fault_of_its_own() -> None:
    own = {row for row, fault in PAIRS if fault != STEEP}
    assert own <= set(ROWS)
    assert set(ROWS) - own == {f"{name}.{row}" for name in FILES for row in FILES[name].NOT_YET}
