"""``littlestone schema``, and the commands that take a schema."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from running import TABLE, run

import littlestone
from littlestone.learn.declared.drafting import draft_schema
from littlestone.learn.declared.schema import Schema

SCHEMA = """
target = "late"
positive = 1
[columns.delay]
range = [0, 20]
[columns.carrier]
values = ["A", "B"]
[columns.late]
type = "integer"
"""
PAID = ["--epsilon", "2", "--ledger", "l.ledger"]


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    Path("t.csv").write_text(TABLE)
    Path("s.toml").write_text(SCHEMA)
    return tmp_path


def test_a_draft_is_a_schema() -> None:
    ran = run("schema", "t.csv")
    assert (ran.status, ran.err) == (0, "")
    assert [c.name for c in Schema.parse(ran.out).columns] == ["delay", "carrier", "late"]
    assert ran.out == draft_schema("t.csv")
    assert run("schema", "none.csv").status == 2


def test_a_draft_says_how_its_file_is_written() -> None:
    Path("l.csv").write_bytes("größe;late\n3;yes\n170;no\n".encode("latin-1"))
    assert "run `schema --encoding latin-1`" in run("schema", "l.csv").err
    assert run("schema", "l.csv", "--encoding", "ebcdic").status == 2
    ran = run("schema", "l.csv", "--encoding", "latin-1", "--separator", ";", "--out", "l.toml")
    assert (ran.status, ran.err) == (0, "")
    drafted = Schema.read("l.toml")
    assert [c.name for c in drafted.columns] == ["größe", "late"]
    ran = run("check", "l.csv", "--schema", "l.toml", "--target", "late", "--positive", "yes")
    assert "2 of 2 cells read" in ran.out
    assert (ran.status, "no values for größe" in ran.out) == (1, True)  # as `fit` would say


def test_a_draft_goes_to_a_new_file_alone() -> None:
    ran = run("schema", "t.csv", "--out", "draft.toml")
    assert (ran.status, ran.out) == (0, "written to draft.toml\n")
    assert Path("draft.toml").read_text() == draft_schema("t.csv")
    for taken in ("draft.toml", "t.csv"):
        before = Path(taken).read_text()
        assert run("schema", "t.csv", "--out", taken).status == 2
        assert Path(taken).read_text() == before


def test_a_draft_leaves_out_columns_that_no_schema_names() -> None:
    Path("t.csv").write_text("a,b,a,,c\n1,2,3,4,5\n")
    draft = run("schema", "t.csv").out
    assert [c.name for c in Schema.parse(draft).columns] == ["b", "c"]
    assert "# Left out: 3 without a name, or with a name that others have too." in draft


def test_fit() -> None:
    ran = run("fit", "t.csv", "--schema", "s.toml", "--class", "trees(*; depth 2)", *PAID, "--json")
    assert ran.status == 0, ran.err
    assert json.loads(ran.out)["class"] == "trees(delay: 0..20, carrier in {A, B}; depth 2)"
    assert json.loads(ran.out)["label"] == "late == 1"
    given = ["--target", "carrier", "--positive", "A", "--schema", "s.toml"]
    given += ["--class", "trees(*; depth 1)", "--delta", "1e-6"]
    ran = run("fit", "t.csv", *given, *PAID, "--json")
    assert (
        json.loads(ran.out)["class"]
        == "trees(delay: 0..20, late: integer with 90 cuts a decade; depth 1)"
    )


@pytest.mark.parametrize(
    ("change", "found"),
    [
        (["--class", "trees(dely; depth 1)"], "did you mean 'delay'?"),
        (["--class", "conditions(carrier in {A, C}; at most 1)"], "not on the list"),
        (["--target", "lat"], "did you mean 'late'?"),
        (["--positive", "yes"], "declares 'late' as integer"),
        (["--schema", "none.toml"], "No such file"),
        (["--schema", "t.csv"], "it is a table"),
        (["--schema", "/dev/zero"], "a folder or a device"),
        (["--out", "s.toml"], "same file as the schema"),
    ],
)
def test_refusals_spend_nothing(change: list[str], found: str) -> None:
    options = {"--schema": "s.toml", "--class": "trees(*; depth 1)"}
    options |= dict([change])
    ran = run("fit", "t.csv", *(word for pair in options.items() for word in pair), *PAID)
    assert ran.status == 2
    assert found in ran.err
    assert "to fix it: " in ran.err
    assert not Path("l.ledger").exists()


def test_a_schema_that_does_not_fit_the_table_spends_nothing() -> None:
    Path("s.toml").write_text(SCHEMA + '[columns.gate]\ntype = "text"\n')
    ran = run("fit", "t.csv", "--schema", "s.toml", "--class", "thresholds(delay)", *PAID)
    assert (ran.status, "'gate'" in ran.err) == (2, True)
    assert "did you mean" not in ran.err
    assert not Path("l.ledger").exists()
    ran = run(
        "fit", "t.csv", "--schema", "s.toml", "--class", "thresholds(delay)", *PAID, "--dry-run"
    )
    assert (ran.status, "'gate'" in ran.err) == (2, True)


def test_plan_dim_and_stream() -> None:
    ran = run("plan", "trees(*; depth 2)", "--schema", "s.toml", "--epsilon", "1", "--json")
    assert json.loads(ran.out)["class"] == "trees(delay: 0..20, carrier in {A, B}; depth 2)"
    Path("l.toml").write_text(SCHEMA.replace("positive = 1", 'labels = ["0", "1", "2"]'))
    ran = run(
        "plan", "outcomes(carrier; at most 1)", "--schema", "l.toml", *PAID[:2], "--delta", "1e-6"
    )
    assert ran.status == 0, ran.err
    assert json.loads(run("dim", "thresholds(delay)", "--schema", "s.toml", "--json").out) == {
        "littlestone_dimension": 4,
        "hypotheses": 22,
        "points": 21,
    }
    horizon = ["--horizon", "100", "--delta", "1e-6"]
    ran = run(
        "stream", "t.csv", "--schema", "s.toml", "--class", "thresholds(delay)", *PAID, *horizon
    )
    assert ran.status == 0, ran.err
    assert json.loads(ran.out.splitlines()[0])["label"] == "late == 1"
    assert run("stream", "t.csv", "--class", "thresholds(delay)", *PAID, *horizon).status == 2
    ran = run(
        "stream", "t.csv", "--schema", "l.toml", "--class", "thresholds(delay)", *PAID, *horizon
    )
    assert ran.status == 2
    assert "to fix it" in ran.err


def test_games_and_trees() -> None:
    given = ["thresholds(delay)", "--schema", "s.toml"]
    ran = run("theory", "play", *given, "--json")
    assert json.loads(ran.out)["class"] == "thresholds(delay, 0..20)"
    assert (
        run("theory", "tree", *given).out == run("theory", "tree", "thresholds(delay, 0..20)").out
    )
    assert (
        run("theory", "decompose", *given).out
        == run("theory", "decompose", "thresholds(delay, 0..20)").out
    )
    for command in ("tree", "decompose"):
        ran = run("theory", command, *given, "--out", "s.toml")
        assert ran.status == 2
        ran = run("theory", command, "trees(dely; depth 1)", "--schema", "s.toml")
        assert (ran.status, "did you mean 'delay'?" in ran.err) == (2, True)
    schema = Schema.parse(SCHEMA)
    assert str(littlestone.tree("thresholds(delay)", schema=schema)) == str(
        littlestone.tree("thresholds(delay, 0..20)")
    )
    assert littlestone.play("thresholds(delay)", schema="s.toml").mistakes == 4


def test_subgroup() -> None:
    asked = ["--class", "conditions(*; at most 1)", "--above", "0.3", *PAID]
    ran = run("subgroup", "t.csv", "--schema", "s.toml", *asked)
    assert ran.status == 0, ran.err
    assert run("subgroup", "t.csv", *asked).status == 2
    ran = run("subgroup", "t.csv", "--schema", "s.toml", *asked, "--out", "s.toml")
    assert (ran.status, "same file as the schema" in ran.err) == (2, True)
    labels = SCHEMA.replace("positive = 1", 'labels = ["0", "1", "2"]')
    for text, found in (
        ("unit = 'carrier'" + SCHEMA, "how many records of each"),
        (labels, "to fix it: "),
    ):
        Path("s.toml").write_text(text)
        ran = run("subgroup", "t.csv", "--schema", "s.toml", *asked)
        assert (ran.status, found in ran.err) == (2, True), ran.err


def test_the_unit_of_a_schema_is_protected() -> None:
    Path("s.toml").write_text(
        'unit = "id"\nmax_records = 2\n' + SCHEMA + '[columns.id]\ntype = "text"\n'
    )
    lines = [f"{line},{'id' if k == 0 else k // 2}" for k, line in enumerate(TABLE.splitlines())]
    Path("t.csv").write_text("\n".join(lines) + "\n")
    ran = run("fit", "t.csv", "--schema", "s.toml", "--class", "trees(*; depth 1)", *PAID, "--json")
    assert ran.status == 0, ran.err
    assert json.loads(ran.out)["privacy"]["neighboring"] == "replace-one-unit: id"
    assert json.loads(ran.out)["class"] == "trees(delay: 0..20, carrier in {A, B}; depth 1)"


def test_help_shows_no_type_for_a_flag_and_that_of_an_option() -> None:
    shown = run("fit", "--help").out
    assert "bool" not in shown
    assert "path" in shown
    assert "bool" not in run("--help").out


@pytest.mark.parametrize("words", [(), ("theory",)])
def test_without_a_command_the_commands_are_listed(words: tuple[str, ...]) -> None:
    assert "Usage: " in run(*words).out
    assert run(*words).out == run(*words, "--help").out


def test_a_misspelt_table_and_a_range_that_does_not_fit_its_step_are_helped() -> None:
    given = ["--target", "late", "--positive", "1", *PAID]
    ran = run("fit", "tt.csv", "--class", "thresholds(delay, 0..20)", *given)
    assert ran.status == 2
    assert "did you mean 't.csv'?" in ran.err
    ran = run("fit", "t.csv", "--class", "thresholds(delay, 3..18; step 5)", *given)
    assert ran.status == 2
    assert "write 0..20; step 5, or" in ran.err
    ran = run("fit", "t.csv", "--class", "conditions(delay: 3..20 step 5; at most 1)", *given)
    assert ran.status == 2
    assert "of 5, and 3..23 is" in ran.err
    ran = run("report", "t.csv", "--out", "page.html")
    assert ran.status == 2
    assert "a line is not JSON" in ran.err
