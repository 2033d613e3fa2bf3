"""Machines unlike this one: another system, and an installation where nothing can be written."""

from __future__ import annotations

import ast
import os
import subprocess
import sys
from pathlib import Path

import pytest

import littlestone

ROOT = Path(littlestone.__file__).parent

# What Python has on some systems only.
ELSEWHERE = {
    "_posixsubprocess", "crypt", "curses", "fcntl", "grp", "msvcrt", "nis", "posix", "pty", "pwd",
    "readline", "resource", "spwd", "syslog", "termios", "tty", "winreg", "winsound",
}  # fmt: skip
WITHOUT = """
import sys
for name in ("fcntl", "grp", "pwd", "resource", "syslog", "termios", "tty"):
    sys.modules[name] = None
from littlestone.cli import main
main()
"""
STREAM = [
    "stream", "table.csv", "--target", "bad", "--positive", "1",
    "--class", "subsets(id; at most 1)", "--horizon", "900", "--epsilon", "1", "--delta", "1e-6",
    "--state", "run.state",
]  # fmt: skip


@pytest.mark.deep
def test_no_module_is_imported_that_some_systems_lack() -> None:
    for path in ROOT.rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            names = [node.module or ""] if isinstance(node, ast.ImportFrom) else []
            if isinstance(node, ast.Import):
                names = [alias.name for alias in node.names]
            assert not ELSEWHERE & set(names), path


@pytest.mark.deep
def test_the_command_line_works_without_them(tmp_path: Path) -> None:
    (tmp_path / "table.csv").write_text("id,bad\n" + "x,1\n" * 100)
    for arguments, words in (["--help"], "stream"), (STREAM, "id is 'x'"), (STREAM, "id is 'x'"):
        done = subprocess.run(
            [sys.executable, "-W", "ignore", "-c", WITHOUT, *arguments],
            cwd=tmp_path,
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == 0, done.stderr
        assert words in done.stdout


@pytest.mark.deep
def test_kernels_are_compiled_where_nothing_can_be_kept(tmp_path: Path) -> None:
    """As for a user without a home, in a package that only others may write."""
    (tmp_path / "kernel.py").write_text(
        "from littlestone.dimension.engine.compiling import compiled, popcount\n"
        "from numba import types\n"
        "@compiled(types.uint64(types.uint64))\n"
        "def ones(word):\n    return popcount(word)\n"
    )
    # Files where the folders would be, which not even the superuser can write into.
    (tmp_path / "__pycache__").touch()
    (tmp_path / "nowhere").touch()
    nowhere = str(tmp_path / "nowhere")
    environment = {name: text for name, text in os.environ.items() if name != "NUMBA_CACHE_DIR"}
    done = subprocess.run(
        [sys.executable, "-c", "from kernel import ones; print(ones(7))"],
        cwd=tmp_path,
        env={**environment, "HOME": nowhere, "XDG_CACHE_HOME": nowhere},
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.stdout, done.returncode) == ("3\n", 0), done.stderr
