"""Faults planted in the compiled search: each build of the core with one answers wrongly somewhere."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.deep

ROOT = Path(__file__).parents[2]
PLANTS = (
    "lookahead_of_the_level_above",
    "keys_are_not_compared",
    "rows_after_the_last_are_listed",
    "orbits_are_left_out_whole",
)


def answers_rightly(folder: Path, *options: str) -> bool:
    """Whether the search in a core that is built with these options does."""
    build = ["cmake", "-S", str(ROOT), "-B", str(folder), f"-DPython_EXECUTABLE={sys.executable}"]
    subprocess.run([*build, *options], check=True, capture_output=True)
    target = ["cmake", "--build", str(folder), "--target", "_core", "-j", "2"]
    subprocess.run(target, check=True, capture_output=True)
    (core,) = folder.glob("_core.*")
    program = Path(__file__).parent / "core_of_its_own.py"
    done = subprocess.run([sys.executable, str(program), str(core)], check=False)
    return done.returncode == 0


def test_without_a_fault(tmp_path: Path) -> None:
    assert answers_rightly(tmp_path)


@pytest.mark.parametrize("plant", PLANTS)
def test_a_fault_changes_an_answer(plant: str, tmp_path: Path) -> None:
    assert not answers_rightly(tmp_path, f"-DCORE_PLANT={plant}")
