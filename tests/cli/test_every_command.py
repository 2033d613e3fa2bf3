"""Every command works without the packages of the extras, or says which one it needs."""

from __future__ import annotations

from pathlib import Path

import pytest

pytestmark = pytest.mark.deep

TOOLS = Path(__file__).parents[2] / "tools"


def test_every_command_works_bare(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(TOOLS)
    import every_command  # type: ignore[import-not-found]

    assert every_command.faults(bare=True) == []


def test_a_new_command_without_an_example_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(TOOLS)
    import every_command

    monkeypatch.setattr(every_command, "COMMANDS", [["classes"]])
    found = every_command.faults(bare=False)
    assert "ledger show: no example" in found
    assert "classes: no example" not in found
