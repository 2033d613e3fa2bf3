"""Machines unlike this one: another system, and an installation where nothing can be written."""

from __future__ import annotations

import ast
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
