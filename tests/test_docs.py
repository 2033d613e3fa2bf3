"""Every example of the documentation runs and shows what it says.

Console blocks run in a folder of their own, the Python blocks of a page one after the other.
"""

import doctest
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
PAGES = [ROOT / "README.md", *sorted(ROOT.glob("docs/**/*.md"))]
FIRST = [
    ROOT / name
    for name in ("README.md", "docs/index.md", "docs/tutorial.md", "docs/tutorial-table.md")
]


def blocks(page: Path, language: str) -> list[str]:
    fenced = rf"^```{language}\n(.*?)^```$"
    return re.findall(fenced, page.read_text(encoding="utf-8"), re.DOTALL | re.MULTILINE)


def steps(page: Path) -> list[tuple[str, str]]:
    """The commands of a page, each with the output shown under it."""
    found = []
    for block in blocks(page, "console"):
        for step in re.split(r"^\$ ", block, flags=re.MULTILINE)[1:]:
            # A line that ends in a backslash goes on in the next one.
            command, output = re.fullmatch(
                r"((?:[^\n]*\\\n)*[^\n]*)\n?(.*)", step, re.DOTALL
            ).groups()  # type: ignore[union-attr]
            found.append((command, output))
    return found


WITH_COMMANDS = [
    pytest.param(page, id=page.stem, marks=[pytest.mark.deep] * (page not in FIRST))
    for page in PAGES
    if steps(page)
]


def tidy(output: str) -> list[str]:
    return [line.rstrip() for line in output.splitlines()]


@pytest.mark.parametrize("page", WITH_COMMANDS)
def test_console_blocks(page: Path, tmp_path: Path) -> None:
    path = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])
    environment = {**os.environ, "PATH": path, "COLUMNS": "100", "LC_ALL": "C.UTF-8"}
    for block in blocks(page, "toml"):  # a block that starts with the name of a file is that file
        if named := re.match(r"# (\w+\.toml)\n", block):
            (tmp_path / named[1]).write_text(block, encoding="utf-8")
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


@pytest.mark.parametrize(
    "page",
    [
        pytest.param(page, id=page.stem, marks=[pytest.mark.deep] * (page.stem == "audit"))
        for page in PAGES
        if any(">>> " in block for block in blocks(page, "python"))
    ],
)
def test_python_blocks(page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A block that starts with the name of a file is that file, and the examples may import it."""
    text = "\n".join(block for block in blocks(page, "python") if ">>> " in block)
    for block in blocks(page, "python"):
        if named := re.match(r"# (\w+\.py)\n", block):
            (tmp_path / named[1]).write_text(block, encoding="utf-8")
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.chdir(tmp_path)  # where the examples may write
    test = doctest.DocTestParser().get_doctest(text, {}, page.name, str(page), 0)
    report: list[str] = []
    failed = doctest.DocTestRunner(verbose=False).run(test, out=report.append).failed
    assert failed == 0, "".join(report)


def test_no_example_stands_outside_a_block() -> None:
    """Outside of a fence, Markdown would join the lines of an example into one."""
    for page in PAGES:
        shown = sum(block.count(">>> ") for block in blocks(page, "python"))
        assert shown == page.read_text(encoding="utf-8").count(">>> "), page


WIDEST = 80
"""Characters of a command on the first pages: more are cut on the site and on a telephone."""


@pytest.mark.parametrize("page", FIRST, ids=lambda page: page.stem)
def test_the_first_pages_begin_with_two_commands_and_have_no_wide_ones(page: Path) -> None:
    shown = "".join(blocks(page, "sh"))
    if page.stem != "tutorial":
        assert shown.startswith("make demo")
    assert "make test" in page.read_text(encoding="utf-8")
    commands = [*shown.splitlines(), *(f"$ {step}" for step, _ in steps(page))]
    wide = [line for command in commands for line in command.splitlines() if len(line) > WIDEST]
    assert wide == []


def test_nobody_is_told_to_install_a_name_that_is_not_ours() -> None:
    """Whoever registers the name would get our users' machines."""
    listed = subprocess.run(
        ["git", "ls-files"], cwd=ROOT, capture_output=True, text=True, check=True
    )
    wrong = []
    for name in listed.stdout.splitlines():
        path = ROOT / name
        if not path.is_file() or name in ("tests/test_docs.py", "CHANGELOG.md"):
            continue
        text = path.read_bytes().decode("utf-8", "ignore")
        for found in re.finditer(r"pip\s+install[^\n`]*\blittlestone\b", text):
            around = text[max(0, found.start() - 99) : found.end() + 99]
            if "once it is published" not in " ".join(around.split()):
                wrong.append(f"{name}: {found[0]}")
    assert wrong == []


def test_there_are_pages() -> None:
    assert sum(bool(steps(page)) for page in PAGES) >= 2
    assert sum(bool(blocks(page, "python")) for page in PAGES) >= 5
