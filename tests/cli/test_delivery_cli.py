"""A release that is paid for reaches its owner, whatever fails; and what is shown only shows."""

from __future__ import annotations

import json
import os
import shlex
import signal
import sqlite3
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import closing, contextmanager
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
from running import TABLE, command, entries, fit_arguments, run, run_process

import littlestone
from littlestone import __version__
from littlestone.base.errors import BudgetExceededError, OutputError, visible_json
from littlestone.cli import fit as fit_module
from littlestone.learn import ExponentialLearner, Release
from littlestone.learn.declared import task as tasks
from littlestone.learn.results.accuracy import Evaluation
from littlestone.privacy.cost import PrivacyCost
from littlestone.privacy.ledger import Ledger, rows
from littlestone.privacy.mechanisms.exponential import ExponentialMechanism
from littlestone.show.files import deliver


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    Path("table.csv").write_text(TABLE)
    return tmp_path


def kept(folder: Path, err: str) -> Release:
    """The release in the file that the message names."""
    (file,) = folder.glob("littlestone-release-*.json")
    assert str(file) in err
    return Release.load(file)


@pytest.mark.parametrize("as_json", [None, True])
def test_a_model_that_cannot_be_written_is_shown_and_kept_elsewhere(
    folder: Path, monkeypatch: pytest.MonkeyPatch, as_json: bool | None
) -> None:
    @contextmanager
    def full(*_: Any, **__: Any) -> Iterator[Any]:
        def write(_: str) -> None:
            raise OutputError("write model.json", found="No space left on device", fix="make room")

        yield write

    monkeypatch.setattr(fit_module, "reserve", full)
    ran = run(*fit_arguments("table.csv", out="model.json", json=as_json))
    assert ran.status == 1
    assert "No space left on device; its budget is spent" in ran.err
    release = kept(folder, ran.err)
    shown = json.loads(ran.out)["rule"] if as_json else ran.out
    assert release.words() in shown
    assert "model.json" not in ran.out
    assert entries(Path("littlestone.ledger")) == [release.receipt]


@pytest.mark.parametrize("full", [0, 1, 2, 3])
def test_the_release_is_kept_in_the_first_place_that_takes_it(
    full: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Any
) -> None:
    """In the folder, the home or the temporary folder, or else on standard error; whole or not."""
    places = [tmp_path / name for name in ("here", "home", "temporary")]
    for place in places:
        place.mkdir()
    monkeypatch.setattr(Path, "cwd", lambda: places[0])
    monkeypatch.setattr(Path, "home", lambda: places[1])
    monkeypatch.setattr(tempfile, "gettempdir", lambda: places[2])
    honest, calls = os.fsync, 0

    def failing(handle: int) -> None:
        nonlocal calls
        calls += 1
        if calls <= full:
            raise OSError(28, "No space left on device")
        honest(handle)

    def show(_: bool) -> None:
        raise BrokenPipeError(32, "Broken pipe")

    monkeypatch.setattr(os, "fsync", failing)
    with pytest.raises(OutputError, match="Broken pipe; its budget is spent") as error:
        deliver('{"a": "model"}', write=None, show=show)
    files = [file for place in places for file in place.iterdir()]
    assert [file.parent for file in files] == places[full : full + 1]
    assert all(file.read_text() == '{"a": "model"}' for file in files)
    assert str(files[0] if files else "the model above") in error.value.fix
    assert capsys.readouterr().err == ("" if files else '{"a": "model"}')


@pytest.mark.deep
@pytest.mark.parametrize("as_json", [None, True])
def test_a_full_disk_behind_the_output(folder: Path, as_json: bool | None) -> None:
    arguments = command(*fit_arguments("table.csv", json=as_json))
    with open("/dev/full", "w") as full:
        done = subprocess.run(
            arguments,
            stdout=full,
            stderr=subprocess.PIPE,
            env={**os.environ, "PYTHONUNBUFFERED": ""},  # which would write at once
            check=False,
        )
    assert done.returncode == 1
    assert kept(folder, done.stderr.decode()).receipt == 1


@pytest.mark.deep
def test_a_reader_of_the_output_that_has_left(folder: Path) -> None:
    process = subprocess.Popen(
        command(*fit_arguments("table.csv")), stdout=subprocess.PIPE, stderr=subprocess.PIPE
    )
    assert process.stdout is not None
    assert process.stderr is not None
    process.stdout.close()
    err = process.stderr.read().decode()
    process.stderr.close()
    assert process.wait() == 1
    assert kept(folder, err).receipt == 1


def test_ctrl_c_while_the_release_is_shown(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted(*_: Any, **__: Any) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(fit_module, "print_pairs", interrupted)
    ran = run(*fit_arguments("table.csv"))
    assert ran.status == 1
    assert kept(folder, ran.err).receipt == 1


def interrupting(monkeypatch: pytest.MonkeyPatch, *signals: signal.Signals) -> None:
    """Let the signals come between the spend and the draw."""
    draw = ExponentialLearner.draw

    def drawn(self: Any, *arguments: Any, **options: Any) -> Any:
        for number in signals:
            signal.raise_signal(number)
        return draw(self, *arguments, **options)

    monkeypatch.setattr(ExponentialLearner, "draw", drawn)


@pytest.mark.parametrize(
    ("number", "status"), [(signal.SIGINT, 130), (signal.SIGTERM, 143), (signal.SIGHUP, 129)]
)
def test_an_interrupt_after_the_spend_waits_for_the_release(
    monkeypatch: pytest.MonkeyPatch, number: signal.Signals, status: int
) -> None:
    before = signal.getsignal(number)
    if before is signal.SIG_IGN:
        pytest.skip("the tests run with this signal ignored, as `nohup` does")
    interrupting(monkeypatch, number)
    ran = run(*fit_arguments("table.csv", out="model.json", ledger="mine.ledger"))
    assert ran.status == status, ran.err
    release = Release.load("model.json")
    assert release.words() in ran.out
    assert entries(Path("mine.ledger")) == [release.receipt]
    assert "the budget is spent, so the release is finished first" in ran.err
    assert "the release was paid for, and is complete" in ran.err
    assert signal.getsignal(number) is before


def test_a_second_interrupt_stops_and_says_that_the_budget_is_spent(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    interrupting(monkeypatch, signal.SIGINT, signal.SIGINT)
    ran = run(*fit_arguments("table.csv", ledger="my own.ledger"))
    assert (ran.status, ran.out) == (130, "")
    assert "`littlestone ledger show --ledger 'my own.ledger'` shows" in ran.err
    assert entries(Path("my own.ledger")) == [1]


def test_an_interrupt_before_the_spend_stops_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted(*_: Any, **__: Any) -> str:
        signal.raise_signal(signal.SIGINT)
        raise AssertionError

    monkeypatch.setattr(tasks, "accuracy", interrupted)
    ran = run(*fit_arguments("table.csv"))
    assert (ran.status, ran.out, ran.err) == (130, "", "interrupted; nothing is spent\n")
    assert entries(Path("littlestone.ledger")) == []


def test_an_interrupt_while_the_entry_is_written_waits(monkeypatch: pytest.MonkeyPatch) -> None:
    insert = rows.insert

    def interrupted(*arguments: Any) -> Any:
        signal.raise_signal(signal.SIGINT)
        return insert(*arguments)

    monkeypatch.setattr(rows, "insert", interrupted)
    ran = run(*fit_arguments("table.csv", out="model.json"))
    assert ran.status == 130
    assert entries(Path("littlestone.ledger")) == [Release.load("model.json").receipt]


def test_a_spend_that_fails_is_no_spend() -> None:
    with Ledger("littlestone.ledger") as book:
        book.set_limit(str(Path("table.csv").resolve()), PrivacyCost(Fraction(1, 2)))
        with pytest.raises(BudgetExceededError):
            book.spend(
                ExponentialMechanism(Fraction(1)),
                dataset=str(Path("table.csv").resolve()),
                what="too much",
            )
        assert not book.has_spent
        book.spend(ExponentialMechanism(Fraction(1)), dataset="other", what="enough")
        assert book.has_spent


@pytest.mark.parametrize("as_json", [None, True])
def test_figures_that_fail_do_not_take_the_release_with_them(
    monkeypatch: pytest.MonkeyPatch, as_json: bool | None
) -> None:
    def failing(*_: Any) -> Evaluation:
        raise MemoryError

    monkeypatch.setattr(Evaluation, "measure", failing)
    ran = run(*fit_arguments("table.csv", evaluate=True, json=as_json))
    assert ran.status == 70
    assert "late == 1  <=>  " in ran.out


@pytest.mark.parametrize("as_json", [None, True])
def test_a_closed_output_is_refused_before_anything_is_spent(as_json: bool | None) -> None:
    line = f"{shlex.join(command(*fit_arguments('table.csv', json=as_json)))} >&-"
    done = subprocess.run(["sh", "-c", line], stderr=subprocess.PIPE, check=False)
    assert done.returncode == 1
    assert b"standard output is closed" in done.stderr
    assert not Path("littlestone.ledger").exists()


def test_any_failure_to_show_keeps_the_release(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def failing(*_: Any, **__: Any) -> None:
        raise AttributeError

    monkeypatch.setattr(fit_module, "print_pairs", failing)
    ran = run(*fit_arguments("table.csv"))
    assert ran.status == 70
    assert kept(folder, ran.err).receipt == 1


def test_nothing_is_asked_of_the_ledger_after_the_spend(monkeypatch: pytest.MonkeyPatch) -> None:
    spend = Ledger.spend

    def last(self: Ledger, *arguments: Any, **options: Any) -> Any:
        receipt = spend(self, *arguments, **options)
        for name in ("total", "limit", "entries", "datasets", "history", "preview"):
            (owner,) = (kind for kind in Ledger.__mro__ if name in vars(kind))
            monkeypatch.delattr(owner, name)
        return receipt

    monkeypatch.setattr(Ledger, "spend", last)
    ran = run(*fit_arguments("table.csv"))
    assert (ran.status, ran.err) == (0, "")
    assert "new ledger. Total so far: epsilon 1. No limit set." in ran.out


def test_accuracy_is_worked_out_before_the_spend(monkeypatch: pytest.MonkeyPatch) -> None:
    def failing(*_: Any) -> str:
        raise MemoryError

    monkeypatch.setattr(tasks, "accuracy", failing)
    ran = run(*fit_arguments("table.csv"))
    assert (ran.status, ran.out) == (70, "")
    assert entries(Path("littlestone.ledger")) == []


HOSTILE = "la\x1b]0;gone\x07te\u202e\x9b31m"


@pytest.mark.parametrize("as_json", [None, True])
def test_names_of_a_table_do_nothing_in_a_terminal(as_json: bool | None) -> None:
    Path("table.csv").write_text(TABLE.replace("delay", HOSTILE, 1))
    declared = f"thresholds({HOSTILE}, 0..20)"
    printed = []
    for arguments in (
        fit_arguments("table.csv", class_=declared, dry_run=True, json=as_json),
        fit_arguments("table.csv", class_=declared.replace("0..20", "20..0"), json=as_json),
        fit_arguments("table.csv", class_=f"thresholds({HOSTILE}x, 0..20)", json=as_json),
        ["plan", declared, "--epsilon", "1", *(["--json"] if as_json else [])],
        ["theory", "play", declared, *(["--json"] if as_json else [])],
        ["theory", "tree", declared],
        ["dim", declared, *(["--json"] if as_json else [])],
    ):
        ran = run(*arguments)
        printed += [ran.out, ran.err]
        assert all(c.isprintable() or c == "\n" for c in ran.out + ran.err)
    assert any("x1b" in text or "u001b" in text for text in printed)


@pytest.mark.parametrize("command", ["show", "history", "export"])
@pytest.mark.parametrize("as_json", [False, True])
def test_what_another_hand_wrote_in_a_ledger_does_nothing(command: str, as_json: bool) -> None:
    with Ledger("littlestone.ledger"), closing(sqlite3.connect("littlestone.ledger")) as rows:
        triggers = rows.execute("SELECT name FROM sqlite_master WHERE type = 'trigger'").fetchall()
        for (trigger,) in triggers:
            rows.execute(f"DROP TRIGGER {trigger}")
        rows.execute(
            "INSERT INTO entries (dataset, what, mechanism, epsilon, delta, neighboring, at)"
            " VALUES ('d', ?, 'm', '1/1', '0/1', 'replace-one', '')",
            [HOSTILE],
        )
        rows.commit()
    style = ["--format", "json"] if command == "export" else ["--json"]
    ran = run("ledger", command, *(style if as_json else []))
    assert ran.status == 0
    assert all(c.isprintable() or c == "\n" for c in ran.out + ran.err)
    assert "gone" in ran.out


@pytest.mark.parametrize("indent", [None, 2])
def test_json_that_only_shows_reads_back_equal(indent: int | None) -> None:
    data = {HOSTILE: ["\x00\x7f\x85\xad\u2028\ufeff", "\U000e0001\ud83d", 'città\n\t"\\']}
    written = visible_json(data, indent=indent)
    assert json.loads(written) == data
    assert all(c.isprintable() or c == "\n" for c in written)
    assert "città" in written


@pytest.mark.deep
def test_a_terminal_shows_escapes_too() -> None:
    declared = f"finite({HOSTILE}, classes.csv; other ?)"
    Path("classes.csv").write_text("?,A\n0,1\n1,0\n")
    ran = run_process("fit", "table.csv", "--target", "late", "--positive", "1", "--class", declared,
                      "--epsilon", "1", FORCE_COLOR="1", TTY_COMPATIBLE="1")  # fmt: skip
    assert "\u202e" not in ran.out + ran.err
    assert "\x1b]0" not in ran.out + ran.err


def test_a_copy_of_a_table_is_pointed_out_once(folder: Path) -> None:
    (folder / "copy.csv").write_text(TABLE.replace("A", "C"))
    first, second, third = (
        run(*fit_arguments(name)) for name in ("table.csv", "copy.csv", "copy.csv")
    )
    assert (first.status, first.err, third.err) == (0, "", "")
    assert second.status == 0
    command = f"littlestone ledger alias {folder / 'copy.csv'} {folder / 'table.csv'}"
    assert command in second.err.replace("\n", " ")


def test_an_interrupt_that_nobody_met_has_one_line(monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted(*_: Any, **__: Any) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("littlestone.learn.declared.task.choose_learner", interrupted)
    ran = run(*fit_arguments("table.csv"))
    assert (ran.status, ran.out, ran.err) == (130, "", "interrupted\n")


def test_hardly_anything_is_loaded_before_ctrl_c_is_caught() -> None:
    """Until then Python shows a trace, as it does while it starts itself."""
    # Without site-packages: how an editable install finds the package loads more, and is not ours.
    code = (
        f"import sys\nsys.path.insert(0, {str(Path(littlestone.__file__).parents[1])!r})\n"
        "before = set(sys.modules)\nimport littlestone.__main__\n"
        "print(*{name.split('.')[0] for name in sys.modules.keys() - before})"
    )
    run = [sys.executable, "-S", "-c", code]
    done = subprocess.run(run, capture_output=True, text=True, check=True)
    assert set(done.stdout.split()) <= {"__future__", "importlib", "littlestone", "warnings"}


@pytest.mark.parametrize("place", ["import", "end"])
def test_ctrl_c_while_the_program_loads_or_ends(place: str) -> None:
    """The line is written before anything is loaded, and the end of a finished process is no news."""
    code = (
        "import signal, sys\n"
        "signal.signal(signal.SIGINT, signal.default_int_handler)\n"
        "class Finder:\n"
        "    def find_spec(self, name, *_):\n"
        "        if name == 'littlestone.cli': signal.raise_signal(signal.SIGINT)\n"
        "if sys.argv.pop() == 'import': sys.meta_path.insert(0, Finder())\n"
        "from littlestone.__main__ import main\n"
        "try: main()\n"
        "finally: signal.raise_signal(signal.SIGINT)\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, "--version", place],
        capture_output=True,
        text=True,
        check=False,
    )
    shown = ("", "interrupted\n") if place == "import" else (f"littlestone {__version__}\n", "")
    assert (done.returncode, (done.stdout, done.stderr)) == ((place == "import") * 130, shown)
