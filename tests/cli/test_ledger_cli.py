"""`ledger history`, `ledger export`, `fit --dry-run`, and a ledger on a server."""

from __future__ import annotations

import csv
import json
from fractions import Fraction
from pathlib import Path

import pytest
from running import TABLE, entries, fit_arguments, run

from littlestone.cli import fit as fit_module
from littlestone.cli import tasks
from littlestone.privacy.ledger import Ledger, Part
from littlestone.privacy.mechanisms.exponential import ExponentialMechanism


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    Path("table.csv").write_text(TABLE)
    return tmp_path


@pytest.fixture
def book(folder: Path) -> Path:
    """Two spends on parts of one data set, in parallel, and one on another."""
    third = ExponentialMechanism(Fraction(1, 3))
    with Ledger("littlestone.ledger") as ledger:
        for index in (1, 2):
            what = f"a look, number {index}"
            ledger.spend(third, dataset="visits", what=what, part=Part.fold(index, 2))
        ledger.spend(ExponentialMechanism(Fraction(1, 10)), dataset="=sales", what='the "rest"')
    return Path("littlestone.ledger")


def test_the_history_has_running_totals(book: Path) -> None:
    ran = run("ledger", "history", "visits")
    assert (ran.status, ran.err) == (0, "")
    _, first, second = ran.out.splitlines()
    assert first.split()[2:6] == second.split()[2:6] == ["1/3", "0", "1/3", "0"]
    assert second.endswith("visits    a look, number 2 [part 2 of 2 (folds by position)]")
    lines = json.loads(run("ledger", "history", "--json").out)
    assert [line["total epsilon"] for line in lines] == ["1/3", "1/3", "0.1"]
    assert [line["part"] for line in lines][1:] == ["2 of 2 (folds by position)", None]


def test_an_export_is_the_same_in_both_formats(book: Path) -> None:
    printed = run("ledger", "export", "--format", "json").out
    assert run("ledger", "export", "--format", "json", "--out", "all.json").out == ""
    assert Path("all.json").read_text() == printed
    assert run("ledger", "export", "--out", "all.csv").status == 0
    with open("all.csv", newline="") as stream:
        rows = list(csv.DictReader(stream))
    assert rows == [{k: v or "" for k, v in line.items() if k != "number"} | {"number": str(n)}
                    for n, line in enumerate(json.loads(printed), 1)]  # fmt: skip
    assert Path("all.csv").read_text() == run("ledger", "export").out


def test_an_export_does_not_destroy_the_ledger(book: Path) -> None:
    before = book.read_bytes()
    ran = run("ledger", "export", "--out", book)
    assert (ran.status, ran.out) == (1, "")
    assert book.read_bytes() == before
    assert run("ledger", "export", "unknown").status == 1


# A dry run


def test_a_dry_run_reads_no_record_and_writes_nothing(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def touched(*_: object, **__: object) -> None:
        raise AssertionError

    monkeypatch.setattr(tasks, "read_sample", touched)
    for name in ("reserved", "system_generator"):
        monkeypatch.setattr(fit_module, name, touched)
    ran = run(*fit_arguments("table.csv", epsilon="0.5", out="model.json"), "--dry-run")
    assert (ran.status, ran.err) == (0, "")
    assert "after      epsilon 0.5, delta 0 (replace-one)\n" in ran.out
    assert [path.name for path in folder.iterdir()] == ["table.csv"]


def test_a_dry_run_tells_what_a_fit_then_does(folder: Path) -> None:
    assert run("ledger", "limit", "table.csv", "--epsilon", "1").status == 0
    for epsilon, status in (("0.7", 0), ("0.4", 1), ("0.3", 0)):
        dry = run(*fit_arguments("table.csv", epsilon=epsilon, json=True), "--dry-run")
        before = entries(Path("littlestone.ledger"))
        assert (dry.status, json.loads(dry.out)["refused"]) == (status, status == 1)
        assert run(*fit_arguments("table.csv", epsilon=epsilon)).status == status
        assert len(entries(Path("littlestone.ledger"))) == len(before) + 1 - status
    words = run(*fit_arguments("table.csv", epsilon="0.1"), "--dry-run")
    assert words.status == 1
    assert "epsilon 1.1, delta 0 (replace-one): WOULD BE REFUSED" in words.out


# Both stores


def test_every_command_takes_either_store(folder: Path, address: str) -> None:
    secret = address.replace("ada@", "ada:hunter2@")  # a socket of the tests' asks for none
    common = ["--ledger", secret]
    ran = [
        run("ledger", "limit", "visits", "--epsilon", "1", *common),
        run(*fit_arguments("table.csv", epsilon="0.5", dataset="visits", ledger=secret)),
        run(
            *fit_arguments("table.csv", epsilon="0.5", dataset="visits", ledger=secret), "--dry-run"
        ),
        run("ledger", "show", *common),
        run("ledger", "history", "visits", *common),
        run("ledger", "export", *common),
    ]
    assert [(one.status, one.err) for one in ran] == [(0, "")] * 6
    assert not any("hunter2" in one.out for one in ran)
    assert "visits: epsilon 0.5, delta 0 (replace-one) spent, of a limit of" in ran[3].out
    refused = [
        run(*fit_arguments("table.csv", epsilon="0.6", dataset="visits", ledger=secret)),
        run("ledger", "show", "unknown", *common),
    ]
    assert [one.status for one in refused] == [1, 1]
    assert not any("hunter2" in one.err for one in refused)
