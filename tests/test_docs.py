"""Every console block of the documentation runs, in a folder of its own, and prints what it shows.

The Python examples of the same pages run as doctests.
"""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
PAGES = [page for page in sorted(ROOT.glob("docs/**/*.md")) if "```console" in page.read_text()]


def steps(page: Path) -> list[tuple[str, str]]:
    """The commands of a page, each with the output shown under it."""
    found = []
    for block in re.findall(r"```console\n(.*?)```", page.read_text(encoding="utf-8"), re.DOTALL):
        for step in re.split(r"^\$ ", block, flags=re.MULTILINE)[1:]:
            command, _, output = step.partition("\n")
            found.append((command, output))
    return found


def tidy(output: str) -> list[str]:
    return [line.rstrip() for line in output.splitlines()]


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_console_blocks(page: Path, tmp_path: Path) -> None:
    path = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])
    environment = {**os.environ, "PATH": path, "COLUMNS": "100", "LC_ALL": "C.UTF-8"}
    for command, expected in steps(page):
        done = subprocess.run(
            ["bash", "-c", f"set -o pipefail; {command}"],
            cwd=tmp_path,
            env=environment,
            capture_output=True,
            text=True,
            check=False,
        )
        assert tidy(done.stdout) == tidy(expected), f"{command}\n{done.stderr}"


def test_there_are_pages() -> None:
    assert len(PAGES) >= 2
