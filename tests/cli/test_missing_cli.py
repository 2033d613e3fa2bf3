"""What is missing is named at once, and a schema makes a class needless."""

from __future__ import annotations

from pathlib import Path

import polars
import pytest
from typer.testing import CliRunner

import littlestone
from littlestone.base.errors import DeclarationError
from littlestone.cli import app

SCHEMA = """
target = "y"
positive = 1
[columns.a]
range = [0, 10]
[columns.b]
range = [0, 4]
[columns.y]
type = "integer"
"""
OPEN = '[columns.Aufnahmedatum]\ntype = "text"\n'


def table(n: int = 400) -> polars.DataFrame:
    return polars.DataFrame(
        {
            "a": [i % 10 for i in range(n)],
            "b": [i % 4 for i in range(n)],
            "Aufnahmedatum": ["x"] * n,
            "y": [int(i % 10 >= 5) for i in range(n)],
        }
    )


def run(*arguments: str) -> tuple[int, str]:
    result = CliRunner().invoke(app, list(arguments), prog_name="littlestone")
    assert result.exception is None or isinstance(result.exception, SystemExit | DeclarationError)
    if isinstance(result.exception, DeclarationError):
        return result.exception.status, str(result.exception)
    return result.exit_code, result.output


def test_fit_names_all_that_is_missing(tmp_path: Path) -> None:
    status, out = run("fit", str(tmp_path / "t.csv"))
    assert status == 2
    assert "target, positive, class or schema and epsilon are missing" in out
    for example in ("--target", "--positive yes", "--class '", "--epsilon 1"):
        assert example in out
    status, out = run("subgroup", str(tmp_path / "t.csv"), "--target", "y")
    assert "positive, class or schema, above and epsilon are missing" in out


def test_the_front_door_names_all_that_is_missing() -> None:
    with pytest.raises(DeclarationError) as caught:
        littlestone.fit(table())
    found = "target, positive, class or schema, epsilon, ledger and dataset are missing"
    assert caught.value.found == found
    with pytest.raises(DeclarationError, match="epsilon, ledger and dataset are missing"):
        littlestone.fit(table(), schema=littlestone.Schema.parse(SCHEMA))


def test_what_to_write_can_be_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The second try is the first one with what its error says."""
    monkeypatch.chdir(tmp_path)
    with pytest.raises(DeclarationError) as caught:
        littlestone.fit(table(), "y", epsilon=1, schema=SCHEMA)
    assert caught.value.fix.startswith("add ")
    added = eval(f"dict({caught.value.fix.removeprefix('add ')})")
    assert littlestone.fit(table(), "y", epsilon=1, schema=SCHEMA, **added).n == 400


def test_what_to_write_goes_with_the_declared_types() -> None:
    with pytest.raises(DeclarationError) as caught:
        littlestone.fit(table().drop("Aufnahmedatum"), "y", epsilon=1)
    added = caught.value.fix.removeprefix("add ").replace(' or schema="schema.toml"', "")
    given = eval(f"dict({added})")
    assert (given["positive"], given["hypotheses"]) == (1, "trees(a: integer, b: integer; depth 2)")
    given["ledger"] = littlestone.Ledger()
    assert littlestone.fit(table(), "y", epsilon=1, **given).n == 400


def test_a_table_that_cannot_be_read_is_named_with_what_is_missing(tmp_path: Path) -> None:
    with pytest.raises(DeclarationError) as caught:
        littlestone.fit(table(), "z", epsilon=1)
    found = "; and it cannot read column 'z' of the data frame: none of its 4 columns has that name"
    assert caught.value.found.endswith(found)
    with pytest.raises(DeclarationError, match="there is no such file"):
        littlestone.fit(tmp_path / "t.csv", "y", epsilon=1)


def test_a_schema_may_be_a_dict_or_a_text() -> None:
    given = {
        "target": "y",
        "positive": 1,
        "columns": {"a": {"range": [0, 10], "step": 0.5}, "y": {"type": "integer"}},
    }
    text = (
        'target="y"\npositive=1\n[columns.a]\nrange=[0, 10]\nstep=0.5\n[columns.y]\ntype="integer"'
    )
    assert littlestone.Schema.make(given) == littlestone.Schema.make(text)
    paid = {"epsilon": 8, "ledger": littlestone.Ledger(), "dataset": "d"}
    for schema in (given, text):
        assert littlestone.fit(table(), schema=schema, **paid).hypotheses.startswith(
            "trees(a: 0..10"
        )
    with pytest.raises(DeclarationError, match="neither a path, a Schema nor a dict"):
        littlestone.fit(table(), schema=5, **paid)


def test_a_schema_needs_no_class(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    table().write_csv("t.csv")
    Path("s.toml").write_text(SCHEMA)
    asked = ("t.csv", "--schema", "s.toml", "--epsilon", "8", "--seed", "1")
    status, out = run("fit", *asked)
    assert status == 0, out
    assert "class taken  trees(*; depth 2), because none was given: the first of" in out
    assert "with a proved size" in out
    status, out = run("subgroup", *asked, "--above", "0.3")
    assert status == 0, out
    assert "class taken  conditions(*; at most 2), because none was given" in out


def test_a_release_says_why_its_class_was_taken(tmp_path: Path) -> None:
    schema = littlestone.Schema.parse(SCHEMA)
    paid = {"ledger": littlestone.Ledger(), "dataset": "d", "schema": schema, "epsilon": 8}
    release = littlestone.fit(table(), **paid)
    why = "trees(*; depth 2), because none was given: the first of"
    assert release.taken.startswith(why)
    assert release.taken.endswith("with a proved size")
    assert f"class taken   {why}" in repr(release)
    assert why in release.card().replace("\\", "")
    kept = littlestone.learn.Release.from_json(release.to_json())
    assert kept == release
    group = littlestone.subgroup(table(), above="0.3", **paid)
    assert "conditions(*; at most 2), because none was given" in repr(group)
    given = littlestone.fit(table(), hypotheses="conditions(*; at most 1)", **paid)
    assert (given.taken, "class taken" in repr(given), "class taken" in given.to_json()) == (
        "", False, False,
    )  # fmt: skip


def test_an_open_column_is_named_with_three_ways_out() -> None:
    schema = littlestone.Schema.parse(SCHEMA + OPEN)
    paid = {"ledger": littlestone.Ledger(), "dataset": "d", "schema": schema, "epsilon": 4}
    for hypotheses in (None, "conditions(*; at most 1)"):
        with pytest.raises(DeclarationError) as caught:
            littlestone.fit(table(), hypotheses=hypotheses, **paid)
        assert "column Aufnahmedatum has no list of values" in str(caught.value)
        assert "delete it from the schema" in str(caught.value)
        assert "--delta 1e-6" in str(caught.value)
    release = littlestone.fit(table(), delta="1e-6", **paid)
    assert "Aufnahmedatum" in release.hypotheses


def test_several_labels_need_no_class_either() -> None:
    text = SCHEMA.replace("positive = 1", 'labels = ["0", "1", "2"]')
    schema = littlestone.Schema.parse(text)
    paid = {"ledger": littlestone.Ledger(), "dataset": "d", "schema": schema, "epsilon": 4}
    assert littlestone.fit(table(), **paid).hypotheses.startswith("trees(a: 0..10, b: 0..4")


def test_a_stream_with_a_schema_needs_no_class(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    table().write_csv("t.csv")
    Path("s.toml").write_text(SCHEMA)
    asked = ("stream", "t.csv", "--epsilon", "8", "--horizon", "400", "--seed", "1")
    status, out = run(*asked, "--schema", "s.toml", "--json")
    assert status == 0, out
    assert "conditions(a: 0..10, b: 0..4; at most 2)" in out
    status, out = run(*asked)
    assert (status, "target, positive and class or schema are missing" in out) == (2, True)
