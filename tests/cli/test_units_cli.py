"""`fit --unit`: what is printed and written, and what is refused before a ledger knows of it."""

import json
from pathlib import Path

import pytest
from running import run

from littlestone.privacy.ledger import Ledger

CLASS = "thresholds(age, 0..120)"
ROWS = [(f"p{i % 40}", i % 100, int(i % 100 >= 50)) for i in range(1013)]


@pytest.fixture
def visits(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    lines = "".join(f"{unit},{age},{sick}\n" for unit, age, sick in ROWS)
    (tmp_path / "visits.csv").write_text(f"patient,age,sick\n{lines}", encoding="utf-8")
    return tmp_path / "visits.csv"


def fit(*more: object) -> tuple[str, ...]:
    declared = ["--target", "sick", "--positive", 1, "--class", CLASS, "--epsilon", 1]
    return ("fit", "visits.csv", *map(str, [*declared, *more]))


def test_a_raised_number_tells_that_it_passes_the_limit(visits: Path) -> None:
    limit = ("ledger", "limit", "visits.csv", "--epsilon", 4, "--unit", "patient")
    assert run(*map(str, limit)).status == 0
    declare = ("ledger", "unit", "visits.csv", "--unit", "patient", "--max-records")
    assert "refused" not in run(*declare, "3").out
    assert run(*fit()).status == 0
    told = "more than that is already spent, so the next spend will be refused"
    assert told not in run(*declare, "4").out
    raised = run(*declare, "5")
    assert raised.status == 0
    assert "epsilon 5" in raised.out
    assert told in raised.out
    assert run(*fit()).status == 1


def test_a_declaration_makes_the_ledger(visits: Path) -> None:
    declared = run("ledger", "unit", "visits.csv", "--unit", "patient", "--max-records", "3")
    assert declared.status == 0
    assert declared.out.startswith("made the ledger ")
    assert not run("ledger", "unit", "visits.csv", "--unit", "patient", "--max-records", "4").err


@pytest.mark.parametrize("more", [(), ("--json",), ("--out", "model.json"), ("--dry-run",)])
def test_the_number_of_records_is_nowhere(visits: Path, more: tuple[str, ...]) -> None:
    done = run(*fit("--unit", "patient", "--max-records", 3, *more))
    assert done.status == 0
    assert done.err in (
        "",
        "littlestone.ledger: new ledger. Total so far: epsilon 1. No limit set.\n",
    )
    written = (visits.parent / "model.json").read_text() if "--out" in more else ""
    for told in (done.out, written):
        assert "1013" not in told
        assert "1,013" not in told
    if more == ("--json",):
        data = json.loads(done.out)
        assert data["unit"] == {"column": "patient", "max records": 3}
        assert data["n"] == 120
        assert data["privacy"]["neighboring"] == "replace-one-unit: patient"
    elif not more:
        assert "40 values of patient, with all its records" in " ".join(done.out.split())


@pytest.mark.parametrize(
    "more",
    [
        ("--unit", "patient"),
        ("--max-records", 3),
        ("--unit", "person", "--max-records", 3),
        ("--unit", "person", "--max-records", 3, "--dry-run"),
        ("--unit", "sick", "--max-records", 3),
        ("--unit", ""),
        ("--unit", "patient", "--max-records", 0),
        ("--unit", "patient", "--max-records", 1001),
        ("--unit", "patient", "--max-records", 3, "--estimate", 1),
        ("--unit", "patient", "--max-records", 3, "--method", "staged", "--delta", "0.01"),
    ],
)
def test_what_is_refused_is_not_spent(visits: Path, more: tuple[object, ...]) -> None:
    done = run(*fit(*more))
    assert done.status == 2
    assert done.out == ""
    assert done.err.startswith("error: ")
    assert not (visits.parent / "littlestone.ledger").exists()


def test_a_limit_of_units(visits: Path) -> None:
    assert run("ledger", "limit", "visits.csv", "--epsilon", 1, "--unit", "patient").status == 0
    refused = run(*fit())
    assert refused.status == 1
    assert "cannot be bounded: no largest number of records per unit is declared" in refused.err
    assert "--unit patient --max-records 3" in refused.err
    assert "as many records as one patient has in the table at most, such as 3" in refused.err
    units = ("--unit", "patient", "--max-records", 1)
    assert run(*fit(*units)).status == 0
    assert "the limit is epsilon 1" in run(*fit(*units)).err
    shown = run("ledger", "show").out
    assert "(replace-one-unit: patient) spent, of a limit of epsilon 1" in " ".join(shown.split())
    # A limit for rows stands beside that for patients.
    assert run("ledger", "limit", "visits.csv", "--epsilon", 2).status == 0
    with Ledger("littlestone.ledger") as ledger:
        assert len(ledger.entries()) == 1


def test_units_after_a_fit_of_rows(visits: Path) -> None:
    assert run(*fit()).status == 0
    units = fit("--unit", "patient", "--max-records", 2)
    dry = run(*units, "--dry-run")
    assert dry.status == 1
    assert "WOULD BE REFUSED" in dry.out
    refused = run(*units)
    assert refused.status == 1
    name = str(visits)
    assert "this table's budget is spent per record; for each patient it cannot be" in refused.err
    assert f"ledger unit {name} --unit patient --max-records 3" in refused.err
    shown = run("ledger", "show", name).out
    assert f"{name}: epsilon 1, delta 0 (replace-one) spent" in shown
    declared = run("ledger", "unit", "visits.csv", "--unit", "patient", "--max-records", 26)
    assert declared.out.startswith("before: not counted\nnow: ")
    assert "now: epsilon 26, delta 0 (replace-one-unit: patient)" in declared.out
    assert "declared after a spend, a promise that nobody enforced" in declared.out
    assert run(*units).status == 0
    shown = run("ledger", "show", name).out
    assert f"{name}: epsilon 2, delta 0 (replace-one) spent" in shown
    assert "declared after a spend, a promise that nobody enforced" in shown
    counts = json.loads(run("ledger", "show", "--json").out)["totals"][name]["counts"]
    assert counts["replace-one-unit: patient"] == {
        "epsilon": "27", "delta": "0", "limit": None, "max records": 26,
        "declared after a spend": True,
    }  # fmt: skip
    assert run("ledger", "history", name).status == 0
    assert run("ledger", "unit", name, "--unit", "patient", "--max-records", 25).status == 2


def test_what_is_said_of_the_accuracy(visits: Path) -> None:
    one = run(*fit("--unit", "patient", "--max-records", 1)).out
    assert "one record of each new patient" in " ".join(one.split())
    few = run(*fit("--unit", "patient", "--max-records", 3)).out
    assert "the records of one patient are not independent" in " ".join(few.split())


def test_a_seed_also_chooses_the_records(visits: Path) -> None:
    asked = fit("--unit", "patient", "--max-records", 1, "--seed", 7, "--evaluate", "--json")
    first, second = (json.loads(run(*asked, "--ledger", name).out) for name in "ab")
    assert first["evaluation"] == second["evaluation"]
    assert first["hypothesis"] == second["hypothesis"]


def test_a_subgroup_of_units(visits: Path) -> None:
    asked = (
        "subgroup", "visits.csv", "--target", "sick", "--positive", "1", "--class", CLASS,
        "--above", "0.3", "--epsilon", "2", "--unit", "patient",
    )  # fmt: skip
    done = run(*asked, "--max-records", "1")
    assert done.status == 0
    assert "1,013" not in done.out
    with Ledger("littlestone.ledger") as ledger:
        (entry,) = ledger.entries()
    assert str(entry.cost) == "epsilon 2, delta 0 (replace-one-unit: patient)"
    refused = run(*asked, "--max-records", "2")
    assert refused.status == 2
    assert "a number of records that is private" in refused.err
    assert run(*asked).status == 2
