"""Blocks of lines of a CSV file are read as their lines, and a line changes only its own record."""

from __future__ import annotations

import pytest
from lines import run


@pytest.mark.deep
def test_files_are_read_alike_in_three_ways() -> None:
    found = run(0, 300)
    assert found["files"] == 300
    # The generator still makes lines of every kind.
    assert found["lines"] - found["quoted"] > 500
    assert found["quoted"] - found["one_by_one"] > 500
    assert found["one_by_one"] > 500
