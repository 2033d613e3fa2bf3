"""`ledger history`, `ledger export`, `fit --dry-run`, and a ledger on a server."""

from __future__ import annotations

import csv
import io
import json
import os
import re
import sqlite3
from contextlib import closing, suppress
from fractions import Fraction
from pathlib import Path
from typing import Any
from unittest.mock import Mock

import pytest
from running import TABLE, entries, fit_arguments, run

from littlestone.cli import fit as fit_module
from littlestone.data.opening import dataset_name
from littlestone.learn.declared import declaration
from littlestone.privacy.accounting.composed import Composition
from littlestone.privacy.accounting.elsewhere import Elsewhere
from littlestone.privacy.ledger import Ledger, Part
from littlestone.privacy.mechanisms.exponential import ExponentialMechanism
from servers import Server


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


def test_a_data_set_is_named_as_for_fit(book: Path) -> None:
    for command in ("show", "history", "export"):
        one = run("ledger", command, "--dataset", "visits")
        assert one == run("ledger", command, "visits")
        assert (one.status, "sales" in one.out) == (0, False)
        assert run("ledger", command, "visits", "--dataset", "=sales").status == 2


def test_a_seeded_spend_is_marked_in_every_list(folder: Path) -> None:
    """It is added up like any other; only whoever knows the seed sees through it."""
    for more in ({}, {"seed": 1}):
        assert run(*fit_arguments("table.csv", **more)).status == 0
    for command in ("show", "history", "export"):
        marked = [line for line in run("ledger", command).out.splitlines() if "late" in line]
        assert ["simulation, NOT PRIVATE: " in line for line in marked] == [False, True]
    check = ["check", "table.csv", *fit_arguments("")[2:8], "--epsilon", "1", "--seed", "1"]
    assert run(*check).status == 0
    *_, last = json.loads(run("ledger", "history", "--json").out)
    assert last["what"].startswith("simulation, NOT PRIVATE: count")
    assert last["total epsilon"] == "3"


def test_an_export_is_the_same_in_both_formats(book: Path) -> None:
    printed = run("ledger", "export", "--format", "json").out
    assert run("ledger", "export", "--format", "json", "--out", "all.json").out == ""
    assert Path("all.json").read_text() == printed
    assert run("ledger", "export", "--out", "all.csv").status == 0
    with open("all.csv", newline="") as stream:
        rows = list(csv.DictReader(stream))
    for row in rows:
        row["dataset"] = row["dataset"].removeprefix("'")
    assert rows == [{k: v or "" for k, v in line.items() if k != "number"} | {"number": str(n)}
                    for n, line in enumerate(json.loads(printed), 1)]  # fmt: skip
    assert Path("all.csv").read_text() == run("ledger", "export").out


def test_no_cell_of_an_export_is_a_formula(folder: Path) -> None:
    hostile = ['=cmd|"/C calc"!A0', "+1", "-1", "@SUM(A1)", "'=1", "＝1+1"]
    with Ledger("littlestone.ledger") as ledger:
        for name in hostile:
            mechanism = ExponentialMechanism(Fraction(1, 3))
            ledger.spend(mechanism, dataset=name, what=name, part=Part(name, 1, 2))
    with io.StringIO(run("ledger", "export").out, newline="") as stream:
        rows = list(csv.DictReader(stream))
    assert [row["dataset"] for row in rows] == [row["what"] for row in rows]
    assert [row["dataset"] for row in rows] == [f"'{name}" for name in hostile]
    assert all(not cell.startswith(tuple("=+-@\t\r＝")) for row in rows for cell in row.values())


def test_an_export_does_not_destroy_the_ledger(book: Path) -> None:
    before = book.read_bytes()
    ran = run("ledger", "export", "--out", book)
    assert (ran.status, ran.out) == (2, "")
    assert book.read_bytes() == before
    assert run("ledger", "export", "unknown").status == 2


# A dry run


def test_a_dry_run_reads_no_record_and_writes_nothing(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def touched(*_: object, **__: object) -> None:
        raise AssertionError

    monkeypatch.setattr(declaration, "read_sample", touched)
    for name in ("reserve", "generator"):
        monkeypatch.setattr(fit_module, name, touched)
    ran = run(*fit_arguments("table.csv", epsilon="0.5", out="model.json"), "--dry-run")
    assert (ran.status, ran.err) == (0, "")
    assert "after      epsilon 0.5, delta 0 (replace-one)\n" in ran.out
    ran = run(*fit_arguments("table.csv", epsilon="0.5", estimate="0.25"), "--dry-run")
    assert "after      epsilon 0.75, delta 0 (replace-one)\n" in ran.out
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


def test_a_dry_run_says_what_stands_in_the_way_and_what_to_do(folder: Path) -> None:
    path = dataset_name("table.csv")
    with Ledger("littlestone.ledger", create=True) as ledger:
        one = Elsewhere.declare("0.1", neighbours="replace-one", unit="patient")
        ledger.spend(one, dataset=path, what="a look")
    Path("m.json").write_text('{"format": "littlestone model 9"}')
    asked = fit_arguments("table.csv", unit="carrier", max_records=3, out="m.json")
    asked[asked.index("--max_records")] = "--max-records"
    ran = run(*asked, "--dry-run")
    assert ran.status == 1
    assert f"littlestone ledger unit {path} --unit carrier --max-records 3" in ran.out
    assert "the release there was paid for" in ran.out
    assert "--replace if nobody needs it" in ran.out
    why = json.loads(run(*asked, "--dry-run", "--json", "--replace").out)["why"]
    assert ["declare as many records" in one for one in why] == [True]
    ran = run(*fit_arguments("table.csv", ledger="no/such.ledger"), "--dry-run")
    assert ran.status == 1
    assert "which does not exist)" in ran.out
    assert "there is no directory" in ran.out
    asked = fit_arguments("table.csv", ledger="new.ledger", out="no/m.json", json=True)
    told = json.loads(run(*asked, "--dry-run").out)
    assert told["refused"]
    assert "there is no such folder" in told["why"][0]


def test_a_dry_run_shows_what_epsilon_pays_for_and_the_most_that_it_costs(folder: Path) -> None:
    asked = fit_arguments("table.csv", risk=True, estimate="0.1")
    ran = run(*asked, "--dry-run")
    assert (
        "parts      epsilon 0.75 for the rule, 0.25 for its risks, 0.1 for the estimate\n"
        in ran.out
    )
    sheet = "score_sheet(delay: 0..20; at most 1)"
    asked = fit_arguments("table.csv", class_=sheet, delta="1e-6", risk=True, estimate="0.1")
    dry = json.loads(run(*asked, "--dry-run", "--json").out)
    assert dry["parts"] == {"the rule and how good it is": "1", "the estimate": "0.1"}
    # How epsilon is divided for few or many records costs more or less, and never more than all.
    assert dry["cost"] == {"epsilon": "1.1", "delta": "0.000001"}


@pytest.mark.parametrize("empty", [False, True])
def test_every_command_tells_of_a_ledger_that_is_not_there(folder: Path, empty: bool) -> None:
    """Its name may be misspelled, and an empty file has forgotten whatever was in it."""
    for number, command in enumerate(("dry", "json", "fit", "stream", "limit")):
        name = f"{number}.ledger"
        if empty:
            Path(name).touch()
        if command == "limit":
            assert f"made the ledger {name}" in run("ledger", "limit", "d", "--epsilon", "1",
                                                    "--ledger", name).out  # fmt: skip
            continue
        arguments = fit_arguments("table.csv", ledger=name, json=command == "json" or None)
        if command == "stream":
            ran = run("stream", *arguments[1:], "--horizon", "20", "--delta", "1e-3",
                      "--method", "staged")  # fmt: skip
            total = "epsilon 0.999302, delta 0.001"
            assert f"{name}: new ledger. Total so far: {total}. No limit set." in ran.err
        elif command == "dry":
            ran = run(*arguments, "--dry-run")
            assert f"({name}, which does not exist: a fit would make it)" in ran.out
            ran = run(*arguments, "--dry-run", "--json")
            assert json.loads(ran.out)["ledger exists"] is False
        elif command == "json":
            assert (
                f"{name}: new ledger. Total so far: epsilon 1. No limit set." in run(*arguments).err
            )
        else:
            assert (
                f"{name}: new ledger. Total so far: epsilon 1. No limit set." in run(*arguments).out
            )
            again = run(*arguments)
            assert "new ledger" not in again.out + again.err
            assert "does not exist" not in run(*arguments, "--dry-run").out


def test_an_interrupted_fit_leaves_a_ledger_that_is_told_to_be_new(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its name may be misspelled, and that nothing is spent in it is all that anybody knows."""
    with monkeypatch.context() as patch, suppress(KeyboardInterrupt):
        patch.setattr(declaration.Declaration, "read", Mock(side_effect=KeyboardInterrupt))
        run(*fit_arguments("table.csv"))
    assert Path("littlestone.ledger").exists()
    told = "littlestone.ledger: new ledger. Total so far: epsilon 1. No limit set."
    assert told in run(*fit_arguments("table.csv")).out
    assert run("ledger", "limit", "table.csv", "--epsilon", "9", "--ledger", "l").status == 0
    assert "of a limit of epsilon 9" in run(*fit_arguments("table.csv", ledger="l")).out


def test_a_refusal_names_the_side_that_is_over(folder: Path) -> None:
    ran = run("ledger", "limit", "table.csv", "--epsilon", "1")
    assert "delta 0: classes that need a delta will be refused; --delta allows one" in ran.out
    needing = fit_arguments("table.csv", class_="subsets(carrier; at most 1)", delta="1e-6")
    assert "; delta would pass it" in " ".join(run(*needing).err.split())
    assert "WOULD BE REFUSED for delta\n" in run(*needing, "--dry-run").out
    ran = run(*fit_arguments("table.csv", epsilon="2"))
    assert "; epsilon would pass it" in " ".join(ran.err.split())
    over = [*needing, "--epsilon", "2"]
    assert "; epsilon and delta would pass it" in " ".join(run(*over).err.split())
    ran = run("ledger", "limit", "d", "--epsilon", "1", "--delta", "1e-6")
    assert "will be refused" not in ran.out


def test_both_names_are_known_before_they_are_joined_for_good(folder: Path) -> None:
    assert run("ledger", "limit", "table.csv", "--epsilon", "1").status == 0
    for pair in (("table.csv", "tabel.csv"), ("tabel.csv", "table.csv"), ("old", "table.csv")):
        ran = run("ledger", "alias", *pair)
        assert ran.status == 2
        assert "check the spelling" in ran.err
    with Ledger("littlestone.ledger") as book:
        assert book.names(dataset_name("table.csv")) == [dataset_name("table.csv")]
    Path("copy.csv").write_text(TABLE)
    assert run("ledger", "alias", "copy.csv", "table.csv").status == 0


# Both stores


def test_every_command_takes_either_store(folder: Path, address: str) -> None:
    common = ["--ledger", address]
    ran = [
        run("ledger", "limit", "visits", "--epsilon", "1", *common),
        run(*fit_arguments("table.csv", epsilon="0.5", dataset="visits", ledger=address)),
        run(
            *fit_arguments("table.csv", epsilon="0.5", dataset="visits", ledger=address),
            "--dry-run",
        ),
        run("ledger", "show", *common),
        run("ledger", "history", "visits", *common),
        run("ledger", "export", *common),
    ]
    assert [(one.status, one.err) for one in ran] == [(0, "")] * 6
    assert "visits: epsilon 0.5, delta 0 (replace-one) spent, of a limit of" in ran[3].out
    refused = [
        run(*fit_arguments("table.csv", epsilon="0.6", dataset="visits", ledger=address)),
        run("ledger", "show", "unknown", *common),
    ]
    assert [one.status for one in refused] == [1, 2]


@pytest.mark.parametrize(
    "near", ["postgresql://ada:hunter2@/db", "postgresql:/ada:hunter2@/db", "dbname=hunter2"]
)
def test_no_command_quotes_what_is_nearly_an_address(folder: Path, near: str) -> None:
    common = ["--ledger", near]
    before = sorted(folder.iterdir())
    for ran in (
        run("ledger", "limit", "visits", "--epsilon", "1", *common),
        run(*fit_arguments("table.csv", ledger=near, out="model.json")),
        run(*fit_arguments("table.csv", ledger=near), "--dry-run"),
        run("ledger", "show", *common),
        run("ledger", "alias", "a", "b", *common),
        run("ledger", "history", *common),
        run("ledger", "export", "--out", "all.csv", *common),
    ):
        assert (ran.status, ran.out) == (2, "")
        assert "PGPASSWORD" in ran.err
        assert "hunter2" not in ran.err
    assert sorted(folder.iterdir()) == before


def test_a_server_ledger_says_how_it_is_reached(folder: Path, running_server: Server) -> None:
    address = running_server.database()
    assert run("ledger", "limit", "visits", "--epsilon", "1", "--ledger", address).status == 0
    ran = run("ledger", "show", "--ledger", address)
    assert ran.out.splitlines()[0] == "connection: a socket of this machine"


def test_a_limit_without_delta_keeps_the_earlier_one(folder: Path, address: str) -> None:
    common = ["visits", "--ledger", address, "--epsilon"]
    for given, delta, told in (
        (["1"], "0", False),
        (["1", "--delta", "1e-6"], "1e-6", False),
        (["9"], "1e-6", True),
        (["9", "--delta", "0"], "0", False),
        (["8"], "0", False),
    ):
        ran = run("ledger", "limit", *common, *given)
        assert (ran.status, ran.err) == (0, "")
        with Ledger(address) as ledger:
            limit = ledger.limit("visits")
        assert limit is not None
        assert (limit.epsilon, limit.delta) == (Fraction(given[0]), Fraction(delta))
        assert ("delta's limit stays 0.000001; --delta sets another" in ran.out) == told


# Several names of one data set


def test_joined_names_show_one_budget(folder: Path, address: str) -> None:
    common = ["--ledger", address]
    with Ledger(address) as ledger:
        for name in ("visits", "copy", "other"):
            ledger.spend(ExponentialMechanism(Fraction(1, 2)), dataset=name, what="a look")
            ledger.note_shape(name, columns=["age"], n=1000 if name != "other" else 1)
    shown = run("ledger", "show", *common).out
    assert shown.endswith(
        "copy has the columns and the number of records of visits: if it is the same data,\n"
        "join their budgets with: littlestone ledger alias copy visits\n"
    )
    assert "alias" not in run("ledger", "show", "other", *common).out
    joined = run("ledger", "alias", "copy", "visits", *common)
    assert (joined.status, joined.err) == (0, "")
    assert joined.out.startswith("copy = visits: epsilon 1, delta 0 (replace-one) spent")
    for given in ("copy", "visits"):
        shown = run("ledger", "show", given, *common).out
        assert "copy = visits: epsilon 1, delta" in shown
        assert "alias" not in shown
        assert len(json.loads(run("ledger", "history", given, "--json", *common).out)) == 2
    everything = json.loads(run("ledger", "show", "--json", *common).out)
    assert everything["one data set"] == [["copy", "visits"]]
    assert everything["totals"]["copy"] == everything["totals"]["visits"]
    assert everything["totals"]["other"]["epsilon"] == "0.5"
    for wrong in (("visits", "visits"), ("unknown", "not known either"), ("no.csv", "nor.csv")):
        ran = run("ledger", "alias", *wrong, *common)
        assert (ran.status, ran.out) == (2, "")
        assert "cannot join" in ran.err


def test_names_are_joined_before_they_spend(folder: Path) -> None:
    Ledger("littlestone.ledger").close()
    Path("copy.csv").write_text(TABLE)
    joined = run("ledger", "alias", "copy.csv", "table.csv")
    assert (joined.status, joined.err) == (0, "")
    half = ["--epsilon", "0.5"]
    assert run("ledger", "limit", "copy.csv", *half).status == 0
    assert run(*fit_arguments("table.csv", epsilon="0.5")).status == 0
    assert run(*fit_arguments("table.csv", epsilon="0.5")).status == 1
    assert run("ledger", "limit", "yet another", *half).status == 0
    assert run("ledger", "alias", "table.csv", "yet another").status == 0


def test_a_limit_that_only_delta_passes_says_so(folder: Path) -> None:
    with Ledger("littlestone.ledger") as ledger:
        spent = Composition([(ExponentialMechanism(Fraction(1)), 1)], Fraction(1, 100))
        ledger.spend(spent, dataset="visits", what="a look")
    told = "more than that is already spent"
    assert f"{told} in delta, so" in run("ledger", "limit", "visits", "--epsilon", "1").out
    assert f"{told}, so" in run("ledger", "limit", "visits", "--epsilon", "0.5").out


def test_names_that_are_joined_beyond_the_limit_say_so(folder: Path) -> None:
    with Ledger("littlestone.ledger") as ledger:
        for name in ("copy", "visits"):
            ledger.spend(ExponentialMechanism(Fraction(1, 2)), dataset=name, what="a look")
        ledger.set_limit("visits", ExponentialMechanism(Fraction(3, 4)).cost())
    ran = run("ledger", "alias", "copy", "visits")
    assert ran.status == 0
    assert ran.out.endswith("more than that is already spent, so the next spend will be refused\n")


def test_each_data_set_of_the_same_looks_has_its_command(folder: Path) -> None:
    with Ledger("littlestone.ledger") as ledger:
        for name in "abcd":
            ledger.spend(ExponentialMechanism(Fraction(1, 2)), dataset=name, what="a look")
            ledger.note_shape(name, columns=["age"], n=1000)
        ledger.alias("a", "b")
    shown = run("ledger", "show").out
    commands = re.findall("littlestone (ledger alias .*)", shown)
    assert commands == ["ledger alias a c", "ledger alias a d"]
    assert "a has the columns and the number of records of c and d:" in shown
    for command in commands:
        assert run(*command.split()).status == 0
    assert "alias" not in run("ledger", "show").out


# Ledgers that are hard to read


def test_an_unsound_row_hides_no_other_data_set(folder: Path) -> None:
    with Ledger("littlestone.ledger") as ledger:
        for name in ("good", "bad"):
            ledger.spend(ExponentialMechanism(Fraction(1, 2)), dataset=name, what="a look")
    with closing(sqlite3.connect("littlestone.ledger", isolation_level=None)) as connection:
        connection.execute("DROP TRIGGER sound_insert_entries")
        row = "(9, 'bad', 'b', 'c', '-1/1', '0/1', 'replace-one', '', '', 0, 0)"
        connection.execute(f"INSERT INTO entries VALUES {row}")
    for command in ("show", "history", "export"):
        ran = run("ledger", command)
        assert ran.status == 1
        assert "good" in ran.out
        assert "'bad' in the ledger: it holds a cost that this package did not write" in ran.err
        assert run("ledger", command, "good").status == 0
    assert run(*fit_arguments("table.csv", epsilon="0.5", dataset="good")).status == 0
    assert run(*fit_arguments("table.csv", epsilon="0.5", dataset="bad")).status == 2


@pytest.mark.parametrize("name", ["CAST(x'ff' AS TEXT)", "x'61ff'", "'a' || char(10)", "'bad'"])
@pytest.mark.parametrize("what", ["x'ff'", "'a look'"])
def test_a_name_or_a_text_that_is_none_hides_no_other_data_set(
    folder: Path, name: str, what: str
) -> None:
    with Ledger("littlestone.ledger") as ledger:
        ledger.spend(ExponentialMechanism(Fraction(1, 2)), dataset="good", what="a look")
    with closing(sqlite3.connect("littlestone.ledger", isolation_level=None)) as connection:
        connection.execute("DROP TRIGGER sound_insert_entries")
        row = f"(9, {name}, {what}, 'c', '1/1', '0/1', 'replace-one', '', '', 0, 0)"
        connection.execute(f"INSERT INTO entries VALUES {row}")
    for command in (["show"], ["show", "--json"], ["history"], ["export", "--format", "json"]):
        ran = run("ledger", *command)
        assert "good" in ran.out
        if what == "x'ff'" and name == "'bad'":
            assert ran.status == 1
            assert "'bad' in the ledger: it holds a text that this package" in ran.err
    assert run("ledger", "show", "good").status == 0
    assert run(*fit_arguments("table.csv", epsilon="0.5", dataset="good")).status == 0


def test_every_command_works_on_the_longest_numbers(folder: Path) -> None:
    primes = [p for p in range(3, 200) if p != 5 and all(p % q for q in range(2, p))][:40]
    with Ledger("littlestone.ledger") as ledger:
        for prime in primes:
            power = max(n for n in range(200) if prime**n < 10**60)
            epsilon = Fraction(10**57 + prime, prime**power)
            ledger.spend(ExponentialMechanism(epsilon), dataset="visits", what="a look")
        spent = ledger.total("visits").epsilon
    for command in (
        ["ledger", "show"],
        ["ledger", "history"],
        ["ledger", "export"],
        fit_arguments("table.csv", dataset="visits", epsilon=f"{10**59}/{3**125}"),
        ["ledger", "limit", "visits", "--epsilon", f"{10**60}/{3**125}"],
        [*fit_arguments("table.csv", dataset="visits", epsilon="1"), "--dry-run"],
    ):
        ran = run(*command)
        assert (ran.status, ran.err) == (0, ""), command
    assert spent < Ledger("littlestone.ledger").total("visits").epsilon
    assert len(entries(Path("littlestone.ledger"))) == 41
    too_long = run("ledger", "limit", "visits", "--epsilon", f"1/{10**100 + 1}")
    assert (too_long.status, too_long.out) == (2, "")
    assert "its numerator or denominator is beyond 10^100" in too_long.err
    below = run("ledger", "limit", "visits", "--epsilon", "-1")
    assert (below.status, "it is below 0" in below.err) == (2, True)


# Paths


def test_a_disk_that_takes_letters_alike_has_one_name_a_file(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As on macOS: any spelling opens the file, and its folder lists one."""
    (folder / "Data").mkdir()
    (folder / "Data" / "Visits.csv").touch()
    os.link(folder / "Data" / "Visits.csv", folder / "Data" / "link.csv")
    lstat = os.lstat

    def caseless(path: str, **options: Any) -> os.stat_result:
        whole = str(path)
        for folded in ("Data", "Visits.csv"):
            whole = re.sub(re.escape(folded), folded, whole, flags=re.IGNORECASE)
        return lstat(whole, **options)

    exact = dataset_name(str(folder / "Data" / "Visits.csv"))
    assert dataset_name(str(folder / "data" / "visits.csv")) != exact
    monkeypatch.setattr(os, "lstat", caseless)
    listdir = os.listdir
    monkeypatch.setattr(os, "listdir", lambda path: listdir(re.sub("(?i)data", "Data", str(path))))
    for spelling in ("data/visits.csv", "DATA/VISITS.CSV", "Data/Visits.csv"):
        assert dataset_name(str(folder / spelling)) == exact
    assert dataset_name(str(folder / "data" / "link.csv")) == str(folder / "Data" / "link.csv")
    assert dataset_name(str(folder / "data" / "none.csv")) == str(folder / "data" / "none.csv")
