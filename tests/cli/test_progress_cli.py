"""Bars on a terminal only, none after a spend; Ctrl+C in `verify` keeps what is done."""

from __future__ import annotations

import io
import os
import signal
import subprocess
import time
from pathlib import Path
from textwrap import dedent
from types import SimpleNamespace

import pytest
from rich.console import Console
from running import CLASS, TABLE, command, run

from littlestone.base import work
from littlestone.cli import console as of_commands
from littlestone.learn import ExponentialLearner
from littlestone.privacy.mechanisms.exponential import ExponentialMechanism

STATEMENTS = """
    import os, time
    from pathlib import Path
    from littlestone.base import work
    from littlestone.prove.papers import Outcome, statement

    work.ALONE = float(os.environ["ALONE"])

    def mine(number):
        return statement(id=f"Mine {number}", says="a", code="", scope="b", status="open")

    @mine(1)
    def quick():
        return Outcome("b", True, "a")

    @mine(2)
    def quick_too():
        return Outcome("b", True, "a")

    def endless(name):
        def run():
            Path(name).touch()
            time.sleep(600)
        return run

    slow = mine(3)(endless("third"))
    slow_too = mine(4)(endless("fourth"))
"""


@pytest.fixture
def mine(tmp_path: Path) -> Path:
    """A folder with an installed package of four statements, of which two do not end."""
    information = tmp_path / "mine-1.0.dist-info"
    information.mkdir()
    (tmp_path / "mine.py").write_text(dedent(STATEMENTS))
    (information / "METADATA").write_text("Metadata-Version: 2.1\nName: mine\nVersion: 1.0\n")
    (information / "entry_points.txt").write_text("[littlestone]\nmine = mine\n")
    return tmp_path


def wait_for(path: Path) -> None:
    for _ in range(2400):
        if path.exists():
            return
        time.sleep(0.05)
    raise AssertionError(f"{path.name} never came")


@pytest.mark.deep
@pytest.mark.parametrize(
    ("jobs", "alone", "begun"), [(1, "2", ["third"]), (2, "0", ["third", "fourth"])]
)
def test_ctrl_c_keeps_the_verdicts_so_far(
    mine: Path, jobs: int, alone: str, begun: list[str]
) -> None:
    source = Path(work.__file__).parents[2]
    paths = os.pathsep.join([str(mine), str(source)])
    with subprocess.Popen(
        command("verify", "Mine", "--jobs", jobs),
        cwd=mine,
        env={**os.environ, "PYTHONPATH": paths, "ALONE": alone},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    ) as running:
        for name in begun:
            wait_for(mine / name)
        time.sleep(2)  # the results of the quick ones are on their way
        os.killpg(running.pid, signal.SIGINT)  # as a terminal does: the workers get it, too
        out, err = running.communicate(timeout=60)
    assert running.returncode == 130, err
    shown = [line.split()[1:3] for line in out.splitlines() if line.startswith("holds")]
    assert shown == [["Mine", "1"], ["Mine", "2"]]
    assert err == "interrupted: 2 of 4 statements were not run\n"


@pytest.fixture
def terminal(monkeypatch: pytest.MonkeyPatch) -> io.StringIO:
    """What a terminal gets on standard error."""
    shown = io.StringIO()
    console = Console(file=shown, force_terminal=True, width=100)
    monkeypatch.setattr(of_commands, "err", SimpleNamespace(is_terminal=True, console=console))
    return shown


VERIFY = ("verify", "L5 Example 1")


def test_a_terminal_gets_a_bar(terminal: io.StringIO) -> None:
    ran = run(*VERIFY)
    assert "running statements" in terminal.getvalue()
    assert "running statements" not in ran.out
    assert ran.status == 0


def test_nothing_else_gets_one() -> None:
    ran = run(*VERIFY)
    assert ran.err == ""
    assert "running statements" not in ran.out


@pytest.mark.parametrize(
    ("arguments", "stages"),
    [
        (("plan", CLASS, "--epsilon", "1"), {"looking for methods", "looking for sizes"}),
        (
            ("audit", "randomized-response", "--epsilon", "1", "--trials", "20"),
            {"exact laws on tiny data", "running it on made-up data"},
        ),
    ],
)
def test_the_stages_of_a_command(
    terminal: io.StringIO, arguments: tuple[str, ...], stages: set[str]
) -> None:
    assert run(*arguments).status == 0
    assert all(stage in terminal.getvalue() for stage in stages)


def test_nothing_is_told_between_a_spend_and_its_release(
    terminal: io.StringIO, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "table.csv").write_text(TABLE)
    monkeypatch.chdir(tmp_path)
    watched, draw = list[bool](), ExponentialMechanism.draw

    def watching(self: ExponentialMechanism, *arguments: object, **options: object) -> object:
        watched.append(work._watch.get() is not None)
        return draw(self, *arguments, **options)  # type: ignore[arg-type]

    monkeypatch.setattr(ExponentialMechanism, "draw", watching)
    words = ("--target", "late", "--positive", "1", "--class", CLASS, "--epsilon", "1")
    ran = run("fit", "table.csv", *words, "--method", ExponentialLearner.method)
    assert ran.status == 0, ran.err
    assert watched == [False]
    assert "reading the table" in terminal.getvalue()
