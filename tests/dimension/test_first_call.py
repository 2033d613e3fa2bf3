"""What is said while the engine is compiled."""

from __future__ import annotations

import logging

import pytest

from littlestone.dimension.first_call import told
from littlestone.progress import watching


def compiled(kernels: int) -> None:
    from numba.core import event

    for _ in range(kernels):
        with event.trigger_event("numba:compile"):
            pass


def test_compiling_is_said_once_and_told_as_it_goes(caplog: pytest.LogCaptureFixture) -> None:
    steps: list[tuple[str, int, int]] = []
    with watching(lambda *step: steps.append(step)), told():
        compiled(3)
    said = [record.getMessage() for record in caplog.records]
    assert [record.levelno for record in caplog.records] == [logging.WARNING] * 2
    assert said[0] == "compiling the solver: 10 to 30 seconds, once after each installation"
    assert said[1].startswith("compiled the solver in ")
    assert [done for _, done, _ in steps] == [0, 1, 2, 3]
    assert all(done <= of for _, done, of in steps)


def test_nothing_is_said_of_kernels_that_are_there(caplog: pytest.LogCaptureFixture) -> None:
    steps: list[tuple[str, int, int]] = []
    with watching(lambda *step: steps.append(step)), told():
        compiled(0)
    assert (steps, caplog.records) == ([], [])


def test_more_kernels_than_were_counted_are_no_more_than_all() -> None:
    steps: list[tuple[str, int, int]] = []
    with watching(lambda *step: steps.append(step)), told():
        compiled(100)
    assert all(done <= of for _, done, of in steps)
