"""The compiled search under sanitizers: no race, no access out of bounds, no undefined step."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

pytestmark = pytest.mark.deep

HERE = Path(__file__).parent
CORE = HERE.parents[1] / "core"


@pytest.mark.parametrize("sanitizers", ["address,undefined", "thread"])
def test_searches(sanitizers: str, tmp_path: Path) -> None:
    compiler = shutil.which("g++") or shutil.which("clang++")
    if compiler is None:
        pytest.skip("there is no compiler")
    sources = [CORE / f"{name}.cpp" for name in ("frames", "search", "lookahead", "solver")]
    options = ["-std=c++17", "-O1", "-g", "-pthread", "-Wno-psabi", f"-fsanitize={sanitizers}"]
    program = tmp_path / "searches"
    files = [HERE / "searches.cpp", *sources, "-o", program]
    subprocess.run([compiler, *options, "-fno-sanitize-recover=all", *files], check=True)
    done = subprocess.run([program], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (0, "0 wrong\n"), done.stderr
