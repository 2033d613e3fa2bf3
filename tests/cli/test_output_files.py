"""What a command writes never destroys what it reads, nor a file of another kind; nothing is left."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from running import TABLE, Ran, entries, fit_arguments, run

from littlestone.base import disk
from littlestone.base.errors import OutputError
from littlestone.privacy.ledger import Ledger
from littlestone.show import files
from littlestone.show.files import MODEL, reserve
from planting import Fault, turns_red

LABEL = ["--target", "late", "--positive", "1"]
STREAM = ["stream", "table.csv", *LABEL, "--horizon", "9", "--epsilon", "1", "--delta", "1e-6"]
SUBSETS = ["--class", "subsets(carrier; at most 1)"]


@pytest.fixture(scope="module")
def prepared(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("files")
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        Path("table.csv").write_text(TABLE)
        Path("square.csv").write_text("a,b\n0,1\n1,0\n")
        Path("notes.txt").write_text("a text")
        pq.write_table(pa.table({"id": [1]}), "table.parquet")
        for ledger in ("other.ledger", "none.ledger"):
            with Ledger(ledger):
                pass
        aside = ["--ledger", "aside.ledger"]
        assert run(*STREAM, *SUBSETS, "--state", "other.state", *aside).status == 0
        assert run(*fit_arguments("table.csv", out="model.json"), *aside).status == 0
    return folder


@pytest.fixture(autouse=True)
def folder(prepared: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    shutil.copytree(prepared, tmp_path, dirs_exist_ok=True)
    monkeypatch.chdir(tmp_path)
    os.link("table.csv", "hard.csv")
    os.symlink("table.csv", "soft.csv")


def unchanged(*arguments: object) -> Ran:
    """The command is refused, and changes no file."""
    before = {path: (path.read_bytes(), path.stat().st_mtime_ns) for path in Path().iterdir()}
    ran = run(*arguments)
    assert (ran.status, ran.out) == (2, "")
    after = {path: (path.read_bytes(), path.stat().st_mtime_ns) for path in Path().iterdir()}
    assert {path: after[path] for path in before} == before
    made = {path.name for path in after.keys() - before.keys()}
    assert made <= {"littlestone.ledger"} | {f"{name.name}.lock" for name in before}
    assert entries(Path("littlestone.ledger")) == []
    return ran


@pytest.mark.parametrize(
    "more",
    [
        ["--state", "table.csv"],
        ["--state", "hard.csv"],
        ["--state", "soft.csv"],
        ["--state", "TABLE.csv"],
        ["--state", "littlestone.ledger"],
        ["--state", "littlestone.ledger-journal"],
        ["--figure", "run.svg", "--state", "run.svg"],
        ["--figure", "run.svg", "--state", "RUN.svg"],
        ["--figure", "run.svg", "--ledger", "run.svg"],
        ["--ledger", "table.csv"],
        ["--ledger", "run.state.lock", "--state", "run.state"],
    ],
)
def test_the_files_of_a_stream_are_different_files(more: list[str]) -> None:
    assert "the same file as" in unchanged(*STREAM, *SUBSETS, *more).err


def test_a_linked_folder_gives_no_other_file() -> None:
    """Of files that are not there yet, too."""
    os.symlink(".", "here")
    ran = run(*STREAM, *SUBSETS, "--figure", "run.svg", "--state", "here/run.svg")
    assert (ran.status, "the same file as" in ran.err) == (2, True)
    assert not Path("run.svg").exists()


@pytest.mark.parametrize(
    "name", ["other.ledger", "table.parquet", "notes.txt", "model.json", "square.csv"]
)
def test_a_state_is_no_other_file(name: str) -> None:
    assert "it is not the state of a run" in unchanged(*STREAM, *SUBSETS, "--state", name).err


OTHERS = ["other.ledger", "other.state", "table.parquet", "table.csv", "square.csv", "notes.txt"]


@pytest.mark.parametrize("name", [*OTHERS, "hard.csv", "soft.csv", "Table.CSV", "new.ledger"])
def test_a_model_replaces_no_other_file(name: str) -> None:
    ledger = name if name == "new.ledger" else "littlestone.ledger"
    found = unchanged(*fit_arguments("table.csv", out=name, ledger=ledger))
    assert any(words in found.err for words in ("of another kind", "the same file as"))


@pytest.mark.parametrize("name", [*OTHERS, "model.json"])
def test_no_other_command_replaces_another_kind_of_file(name: str) -> None:
    here = Path(name)
    for suffix in (".svg", ".png"):
        here.with_suffix(suffix).write_bytes(here.read_bytes())
        figure = here.with_suffix(suffix).name
        unchanged(*STREAM, *SUBSETS, "--figure", figure)
        unchanged("theory", "tree", "square.csv", "--out", figure)
        unchanged("theory", "decompose", "square.csv", "--out", figure)
    unchanged("dim", "square.csv", "--certificate", name)
    unchanged("ledger", "export", "--ledger", "aside.ledger", "--out", name)
    unchanged("predict", "model.json", "table.csv", "--out", name)


def test_a_file_is_of_a_kind_by_its_first_bytes() -> None:
    """And not by what it quotes, or by a column that is called like what a command writes."""
    model, scored = Path("model.json").read_text(), "carrier,prediction\nAA,1\n"
    Path("about.txt").write_text(f"A model:\n{model}")
    Path("scored.csv").write_text(scored)
    Path("drawn.svg").write_text("#!/bin/sh\n# of <svg ")
    unchanged(*fit_arguments("table.csv", out="about.txt"))
    unchanged("predict", "model.json", "table.csv", "--out", "scored.csv")
    unchanged("theory", "tree", "square.csv", "--out", "drawn.svg")


@pytest.mark.parametrize(
    "arguments",
    [
        fit_arguments("table.csv", out="again", replace=True),
        ["dim", "square.csv", "--certificate", "again"],
        ["ledger", "export", "--ledger", "aside.ledger", "--out", "again"],
        ["ledger", "export", "--ledger", "aside.ledger", "--out", "again", "--format", "json"],
        ["ledger", "export", "--ledger", "none.ledger", "--out", "again", "--format", "json"],
        ["predict", "model.json", "table.csv", "--out", "again"],
        ["theory", "tree", "square.csv", "--out", "again.svg"],
        ["theory", "tree", "square.csv", "--out", "again.png"],
    ],
)
def test_a_command_replaces_what_it_wrote(arguments: list[str]) -> None:
    Path("again").touch()  # and an empty file
    for _ in range(2):
        assert run(*arguments).status == 0


def test_a_model_that_was_paid_for_is_not_replaced_unless_asked() -> None:
    model = Path("model.json").read_text()
    again = fit_arguments("table.csv", out="model.json")
    subgroup = ["subgroup", "table.csv", *LABEL, *SUBSETS, "--above", "0.3", "--epsilon", "1"]
    for arguments in (again, [*subgroup, "--delta", "1e-6", "--out", "model.json"]):
        refused = unchanged(*arguments).err
        assert "the release there was paid for, and would be lost" in refused
        assert "give another name, or --replace" in refused
    assert run(*again, "--replace", "--epsilon", "2").status == 0
    assert Path("model.json").read_text() != model
    # Nor is one that another command wrote meanwhile: then what was paid for is kept elsewhere.
    with reserve("new.json", MODEL, replace=False) as write:
        Path("new.json").write_text(model)
        with pytest.raises(OutputError, match="paid for"):
            write("{}")
    assert Path("new.json").read_text() == model


def left() -> list[str]:
    return sorted(path.name for path in Path().iterdir() if path.name.startswith(".model.json."))


@pytest.mark.deep
@pytest.mark.skipif(not hasattr(signal, "SIGKILL"), reason="no such signal on this system")
def test_a_kill_while_learning_leaves_no_file() -> None:
    killed = (
        "import os; from littlestone.cli import main\n"
        "from littlestone.learn import ExponentialLearner\n"
        "ExponentialLearner.fit = lambda *a, **b: os.kill(os.getpid(), 9)\nmain()"
    )
    arguments = fit_arguments("table.csv", out="model.json")
    done = subprocess.run([sys.executable, "-c", killed, *arguments, "--replace"], check=False)
    assert done.returncode == -signal.SIGKILL
    assert left() == []


def test_what_a_kill_while_writing_left_goes_with_the_next_call() -> None:
    """And nothing of anybody else."""
    Path(".model.json.k3x_7abq.unfinished").write_text("half")
    others = [".model.json.swp", ".model.json2.k3x_7abq.unfinished", ".model.json.notes.unfinished"]
    for name in others:
        Path(name).touch()
    assert run(*fit_arguments("table.csv", out="model.json", replace=True)).status == 0
    assert left() == [".model.json.notes.unfinished", ".model.json.swp"]
    assert all(Path(name).exists() for name in others)


def test_a_file_that_is_being_written_is_not_lost_to_another_call(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """A second call for the same name takes the first one's temporary file for left over."""
    honest, calls = os.replace, 0

    def late(source: str, target: Path) -> None:
        nonlocal calls
        calls += 1
        if calls < 3:
            os.unlink(source)
        honest(source, target)

    with reserve("model.json", MODEL) as write:
        monkeypatch.setattr(os, "replace", late)
        write('{"format": "littlestone model 1"}')
    assert calls == 3
    assert Path("model.json").read_text() == '{"format": "littlestone model 1"}'
    assert left() == []


def test_a_file_that_came_meanwhile_is_not_replaced() -> None:
    with reserve("new.json", MODEL) as write:
        Path("table.parquet").replace("new.json")
        with pytest.raises(OutputError, match="of another kind"):
            write("{}")
    assert Path("new.json").read_bytes()[:4] == b"PAR1"


@pytest.mark.parametrize("name", ["table.parquet", "model.json"])
def test_a_file_that_comes_while_another_is_written_is_not_replaced(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """After the last look and before the new file has its name."""
    content = Path(name).read_bytes()

    def sync(_: int) -> None:
        Path("new.json").write_bytes(content)

    with reserve("new.json", MODEL, replace=False) as write:
        monkeypatch.setattr(os, "fsync", sync)
        with pytest.raises(OutputError, match=r"of another kind|paid for"):
            write("{}")
    assert Path("new.json").read_bytes() == content
    assert not [path for path in Path().iterdir() if path.name.startswith(".new.json.")]


def test_a_file_that_is_overwritten_in_the_last_moment_is_seen() -> None:
    fault = Fault("littlestone.show.files:_name_new", "os.link(name, target)",
                  "os.rename(name, target), open(name, 'x').close()",
                  "a new file takes the place of one that came just now")  # fmt: skip

    def run_alone() -> None:
        Path("new.json").unlink(missing_ok=True)
        with pytest.MonkeyPatch.context() as patch:
            test_a_file_that_comes_while_another_is_written_is_not_replaced("model.json", patch)

    with pytest.MonkeyPatch.context() as patch:
        turns_red(fault, run_alone, patch)


def test_a_disk_without_links_takes_a_new_file(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object) -> None:
        raise PermissionError(1, "Operation not permitted")

    with reserve("new.json", MODEL, replace=False) as write:
        monkeypatch.setattr(os, "link", refuse)
        write("{}")
    assert Path("new.json").read_text() == "{}"


def test_what_is_written_is_on_the_disk_with_its_name(monkeypatch: pytest.MonkeyPatch) -> None:
    """A power cut after it takes neither the content nor the name."""
    done = list[str]()

    def noted(name: str, honest: Any) -> Any:
        def also(*arguments: Any) -> Any:
            done.append(name)
            return honest(*arguments)

        return also

    umask = os.umask(0o027)
    try:
        with reserve("model.json", MODEL) as write:
            monkeypatch.setattr(os, "fsync", noted("content", os.fsync))
            monkeypatch.setattr(os, "replace", noted("name", os.replace))
            monkeypatch.setattr(files, "sync_folder", noted("folder", disk.sync_folder))
            write("{}")
    finally:
        os.umask(umask)
    assert done[:3] == ["content", "name", "folder"]
    assert Path("model.json").stat().st_mode & 0o777 == 0o640


def test_a_write_protected_file_is_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    """Taking its name needs no right to write to it; its owner meant it to stay."""
    monkeypatch.setattr(os, "access", lambda path, right: right != os.W_OK)  # also for a superuser
    with pytest.raises(OutputError, match="write-protected"), reserve("model.json", MODEL):
        pass


def test_a_full_disk_leaves_the_earlier_file(monkeypatch: pytest.MonkeyPatch) -> None:
    def full(handle: int) -> None:
        raise OSError(28, "No space left on device")

    before = Path("model.json").read_bytes()
    with reserve("model.json", MODEL) as write:
        monkeypatch.setattr(os, "fsync", full)
        with pytest.raises(OutputError, match="No space left"):
            write("{}")
    assert Path("model.json").read_bytes() == before
    assert left() == []


@pytest.mark.parametrize(
    "name", ["other.state", "table.parquet", "square.csv", "notes.txt", "model.json"]
)
def test_a_ledger_is_no_other_file(name: str) -> None:
    unchanged(*fit_arguments("table.csv", ledger=name))
    unchanged(*STREAM, *SUBSETS, "--ledger", name)
    unchanged("ledger", "limit", "d", "--epsilon", "1", "--ledger", name)


def test_two_inputs_of_one_name_destroy_nothing() -> None:
    Path("rule.json").write_text("{}")
    ran = run("predict", "rule.json", "rule.json")
    assert ran.status == 2
    assert "destroy" not in ran.err
    ran = run("predict", "rule.json", "table.csv", "--out", "rule.json")
    assert "would destroy the other" in " ".join(ran.err.split())
