"""`littlestone verify`: what is run, how it is printed, and its page."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from rich.console import Console
from running import run

from littlestone.base.errors import DeclarationError
from littlestone.cli import verify as command
from littlestone.prove.papers.statement import (
    OTHERS,
    Outcome,
    Statement,
    Status,
    Trial,
    paper_of,
    run_all,
    select_statements,
    statement,
    statements,
)

HOSTILE = "<script>alert(1)</script>"


def row(
    number: str,
    holds: bool = True,
    *,
    says: str = "it is so",
    stated: str = "1",
    status: Status = "as stated",
) -> Statement:
    def ran(trial: Trial) -> Outcome:
        return Outcome(f"seed {trial.seed}, deep {trial.deep}", holds, stated)

    made = statement(id=number, says=says, code="", scope="all " * 40, status=status)
    return made(ran)


@pytest.fixture
def rows(monkeypatch: pytest.MonkeyPatch) -> list[Statement]:
    """Two rows of a paper and one of none, in place of all."""
    made = [row("L5 Lemma 1"), row("L5 Theorem 2", says="a long word " * 20), row("Mine")]
    monkeypatch.setattr(command, "select_statements", lambda *_, **__: made)
    return made


def test_it_fits_80_columns_and_shows_scopes_by_paper(
    rows: list[Statement], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    lines = run("verify").out.splitlines()
    assert max(map(len, lines)) <= 80
    heads = [line for line in lines if line and not line.startswith((" ", "holds"))]
    assert [head.partition(":")[0] for head in heads] == ["L5", "Others", "3 of 3 statements hold"]
    assert lines[1].startswith("holds  Lemma 1 (as stated): it is so")
    assert lines[2].startswith("       on: all all")


def test_what_is_shown_false_is_not_counted_among_what_holds(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    made = [
        row("Mine"),
        row("Yours", False),
        *(
            row(name, holds, status="false")
            for name, holds in (("A", True), ("B", True), ("C", False))
        ),
    ]
    monkeypatch.setattr(command, "select_statements", lambda *_, **__: made)
    ran = run("verify")
    assert ran.status == 1
    marks = [line.split()[0] for line in ran.out.splitlines()[1:] if line[:1].strip()]
    assert marks[:-1] == ["holds", "FAILS", "false", "false", "FAILS"]
    last = ran.out.splitlines()[-1]
    assert last == "1 of 5 statements hold, 2 are shown false as stated, 2 fail"


def test_seed_and_depth_reach_the_rows(rows: list[Statement]) -> None:
    usual = json.loads(run("verify", "--json").out)
    assert [found["measured"] for found in usual] == ["seed None, deep False"] * 3
    assert usual[0]["id"] == "L5 Lemma 1"
    changed = json.loads(run("verify", "--json", "--seed", "7", "--deep").out)
    assert [found["measured"] for found in changed] == ["seed 7, deep True"] * 3


def test_what_is_selected() -> None:
    everything = select_statements()
    keys = [paper_of(found.id) for found in everything]
    assert list(dict.fromkeys(keys)) == ["L5", "BLM20", "BGS21", "Lyu25", OTHERS]
    assert keys == sorted(keys, key=list(dict.fromkeys(keys)).index)
    assert {found.name for found in everything} == {found.name for found in statements()}
    assert {paper_of(found.id) for found in select_statements(paper="blm20")} == {"BLM20"}
    assert {found.id for found in select_statements(number="lyu25 lemma 4.3")} == {
        "Lyu25 Lemma 4.3"
    }
    assert select_statements("Lemma 12") == select_statements("lemma 12", paper="BLM20")
    assert {found.id for found in select_statements(number="Lemma 12")} == {"BLM20 Lemma 12"}
    assert select_statements(number="Lec5 Theorem 2", paper="Lec5") == select_statements(
        number="L5 Theorem 2"
    )
    for unrun in ("Definition 1", "Lec5 Definition 2"):
        with pytest.raises(DeclarationError, match="no row runs it"):
            select_statements(number=unrun)
    with pytest.raises(DeclarationError, match="--id 'L5'"):
        select_statements(number="L5")
    with pytest.raises(DeclarationError, match="'nobody': no paper here has that key"):
        select_statements(paper="nobody")


@pytest.mark.parametrize("option", ["", "--id ", "--paper "])
def test_an_empty_text_selects_nothing(option: str) -> None:
    ran = run("verify", *option.split(), "")
    assert ran.status == 2
    assert f"verify {option}''" in ran.err


def test_the_paper_that_has_a_statement_is_said() -> None:
    with pytest.raises(DeclarationError, match=r"in BLM20\n.*--paper BLM20"):
        select_statements(paper="L5", number="BLM20 Lemma 12")
    with pytest.raises(DeclarationError, match="in BLM20, BGS21, Lyu25"):
        select_statements("Theorem 3", paper="L5")


def test_a_number_alone() -> None:
    ran = run("verify", "--id", "L5 Example 2")
    assert ran.status == 0
    assert "1 of 1 statements hold" in ran.out


def test_another_seed_samples_others_and_the_default_is_always_the_same() -> None:
    usual = Trial()
    assert usual.array(3).integers(10**9) == Trial().array(3).integers(10**9)
    assert usual.draws(3).random() == Trial().draws(3).random()
    drawn = {int(Trial(seed).array(own).integers(10**9)) for seed in (0, 1) for own in (3, 4)}
    assert len(drawn | {int(usual.array(3).integers(10**9))}) == 5
    plain = {Trial(seed).draws(own).random() for seed in (0, 1) for own in (3, 4)}
    assert len(plain | {usual.draws(3).random()}) == 5


def test_rows_that_sample_take_a_trial() -> None:
    """A row that makes a generator of its own would not hear of the seed."""
    folder = Path(command.__file__).parent.parent / "prove" / "papers"
    own = re.compile(r"default_rng|seeded_generator|random\.Random\(")
    for path in folder.glob("*.py"):
        if path.name == "statement.py":
            continue
        text = path.read_text(encoding="utf-8").replace('random.Random(f"{self.seed} ', "")
        assert not own.findall(text), path.name


def test_a_row_holds_for_another_seed() -> None:
    assert all(verdict.holds for verdict in run_all("GL21", trial=Trial(12)))


def test_the_width_of_a_terminal_is_heard(
    rows: list[Statement], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(command, "out", Console(width=300, soft_wrap=True, highlight=False))
    assert command._width() == 100
