"""Risks on the command line: bought with fit, printed by predict, export and report."""

from __future__ import annotations

import csv
import html
import io
import json
import re
import shlex
from fractions import Fraction
from pathlib import Path

import pandas as pd
import pytest
from running import Ran, run

from example_pages import SHEET, release
from littlestone.learn import Release
from littlestone.learn.results.risks import Risks
from littlestone.show.pages.release import release_page
from littlestone.show.tree import print_rule

ROWS = [(i % 90, "ICU" if i % 3 else "ER", int(i % 90 >= 60 and i % 7 > 1)) for i in range(2700)]
TREES = "trees(age: 0..100 step 10, ward in {ICU, ER}; depth 2)"


@pytest.fixture
def table(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    lines = ["age,ward,back", *(",".join(map(str, row)) for row in ROWS)]
    Path("t.csv").write_text("\n".join(lines) + "\n", encoding="utf-8")
    return Path("t.csv")


def fit(table: Path, *more: object) -> Ran:
    return run(
        "fit",
        table,
        "--target",
        "back",
        "--class",
        TREES,
        "--epsilon",
        2,
        "--out",
        "m.json",
        "--replace",
        *more,
    )


def test_a_figure_of_the_estimate_does_not_look_like_one_of_the_risks(table: Path) -> None:
    shown = fit(table, "--positive", 1, "--risk", "--estimate", 1).out
    rows = re.findall("^  ([a-z ]+)  ", shown.partition("The rule as a tree")[0], re.MULTILINE)
    rows = [row.strip() for row in rows if row.strip() != "risk"]
    assert len(rows) == len({*rows})
    assert "any set of rules, risks and estimates by at most" in shown
    assert rows.index("quality") < rows.index("estimated error") < rows.index("estimates")


def test_fit_predict_export_and_report_say_the_same_risks(table: Path) -> None:
    done = fit(table, "--positive", 1, "--risk")
    assert done.status == 0
    for row in ("risk  ", "risks", "auc", "recall", "epsilon 0.5 of the total"):
        assert row in done.out
    release = Release.load("m.json")
    said = run("predict", "m.json", table, "--risk").out
    rows = list(csv.reader(io.StringIO(said)))
    assert rows[0] == ["prediction", "risk"]
    expected = release.predict_proba(table)[:, 1]
    assert [float(risk) for _, risk in rows[1:]] == expected.tolist()
    assert [int(label) for label, _ in rows[1:]] == release.predict(table)
    sql = run("export", "m.json", "--to", "sql", "--dialect", "sqlite", "--risk").out
    assert all(str(rates[1]) in sql for rates in release.rates)
    other = run(
        "export", "m.json", "--to", "sql", "--dialect", "sqlite", "--risk", "--label", 0
    ).out
    assert str(release.rates[0][0]) in other
    code = run("export", "m.json", "--to", "pandas", "--risk").out
    frame = pd.read_csv(table)
    assert eval(code, {"pandas": pd, "df": frame}).to_list() == expected.tolist()
    page = run("report", "m.json").out
    assert "ROC curve" in page
    assert "Calibration" in page
    fields = json.loads(fit(table, "--positive", 1, "--risk", "--json").out)
    assert set(fields["quality"]) > {"auc", "error"}
    assert len(fields["risks"]["places"]) == len(Release.load("m.json").hypothesis.places)


def test_a_reason_is_what_holds_of_the_record(table: Path) -> None:
    assert fit(table, "--positive", 1, "--risk").status == 0
    rule = Release.load("m.json").hypothesis
    head, *rows = csv.reader(io.StringIO(run("predict", "m.json", table, "--reasons").out))
    assert head == ["prediction", "reason"]
    for (age, ward, _), (label, reason) in zip(ROWS[:90], rows[:90], strict=True):
        x = rule.domain.encode_record((age, ward))
        assert (label, reason) == (str(rule(x)), rule.places[rule.place(x)].words)
    head, *rows = csv.reader(
        io.StringIO(run("predict", "m.json", table, "--risk", "--reasons").out)
    )
    assert head == ["prediction", "risk", "reason"]
    assert len({tuple(row) for row in rows}) <= len(rule.places)


def test_several_labels_have_a_column_each(table: Path) -> None:
    assert fit(table, "--labels", "0,1,2", "--risk").status == 0
    head, *rows = csv.reader(io.StringIO(run("predict", "m.json", table, "--risk").out))
    assert head == ["prediction", "risk of 0", "risk of 1", "risk of 2"]
    assert all(abs(sum(map(float, row[1:])) - 1) < 1e-9 for row in rows)
    # No label stands for the others: an export says whose risk, or whose rows.
    for more in (["--risk"], []):
        bare = run("export", "m.json", "--to", "pandas", *more)
        assert (bare.status, bare.out) == (2, "")
        assert "name one of 0, 1, 2: --label NAME" in " ".join(bare.err.split())
        assert run("export", "m.json", "--to", "pandas", "--label", "2", *more).status == 0


def test_what_cannot_be_is_refused_before_anything_is_spent(table: Path) -> None:
    assert fit(table, "--positive", 1, "--risk", "--estimate", "none").status != 0
    assert not Path("littlestone.ledger").exists()
    assert fit(table, "--positive", 1).status == 0
    without = run("predict", "m.json", table, "--risk")
    assert without.status != 0
    assert "littlestone fit --risk" in without.err
    without = run("export", "m.json", "--to", "pandas", "--risk")
    assert "littlestone fit --risk" in without.err


def test_an_estimate_may_stand_beside_risks(table: Path) -> None:
    both = fit(table, "--positive", 1, "--risk", "--estimate", "0.1")
    assert both.status == 0
    rows = [line.split()[0] for line in both.out.splitlines() if line.startswith("  ")]
    assert {"auc", "quality", "recall", "unread", "estimates"} <= set(rows)
    made = Release.load("m.json")
    assert (str(made.cost.epsilon), made.risks is None, made.estimate is None) == (
        "21/10",
        False,
        False,
    )
    page = run("report", "m.json").out
    assert "Estimated on these records" in page
    assert "ROC curve" in page
    assert "--risk --estimate 0.1" in page


def test_a_sheet_says_that_its_tree_has_no_rows() -> None:
    for hypotheses in ("trees(*; depth 2)", "score_sheet(*; at most 2)"):
        shown: list[object] = []
        print_rule(release(SHEET, hypotheses=hypotheses), shown.append)
        words = "A tree was drawn, but its leaves have equal points"
        page = release_page(release(SHEET, hypotheses=hypotheses))
        assert str(shown[0]).startswith(words) == hypotheses.startswith("trees") == (words in page)


def test_a_difference_that_rounds_to_nothing_is_not_told() -> None:
    risks = Risks(SHEET, Fraction(1), 4000, ((1000, 1000),) * (max(SHEET.bins) + 1))
    low = float(risks.intervals[0][1].low)
    for less, told in ((0.0001, False), (0.1, True)):
        own = [low - less if i == 0 else 0.5 for i in SHEET.bins]
        said = risks._calibration(own)
        assert "1 says risks outside the private interval" in said
        assert ("at most by" in said) == told


def test_a_tree_with_points_spends_delta_and_a_useless_one_is_told(table: Path) -> None:
    Path("s.toml").write_text(
        'target = "back"\npositive = "1"\n[columns.age]\ntype = "number"\nrange = [0, 100]\n'
        'step = 10\n[columns.ward]\nvalues = ["ICU", "ER"]\n[columns.back]\nvalues = ["0", "1"]\n',
        encoding="utf-8",
    )
    declared = ("--schema", "s.toml", "--risk", "--epsilon", 1, "--delta", "0.01")
    asked = ("fit", table, "--dataset", "t", *declared)
    spent = "epsilon 1, delta 0.01 (replace-one)"
    before = run(*asked, "--dry-run").out
    assert "tree_sheet" in before
    assert "the parts of epsilon depend on how many records there are" in before
    assert "trees(*; depth 1 to 3), because none was given and risks were asked for" in before
    without = ("fit", table, "--dataset", "t", *declared[:5], "--dry-run")
    assert "with a proved size; for risks by a tree with points, give a delta" in run(*without).out
    text = Path("s.toml").read_text("utf-8").replace('values = ["ICU", "ER"]', 'type = "text"')
    Path("open.toml").write_text(text.replace("range = [0, 100]\nstep = 10\n", ""), "utf-8")
    opened = run(*asked, "--schema", "open.toml", "--dry-run").out
    lists = "for a tree with points, declare the values of ward: an open column of texts"
    assert lists.replace("for a", "for risks by a") in opened
    seen = run("check", table, "--schema", "open.toml").out
    for shown in (opened, seen):
        assert "age: cut at round numbers on a coarse public grid" in shown
    assert lists in seen
    assert spent in before
    fields = json.loads(run(*asked, "--dry-run", "--json").out)
    assert (fields["cost"]["delta"], fields["method"]) == ("0.01", "tree_sheet")
    limit = ("ledger", "limit", "t", "--epsilon", 5)
    assert run(*limit).status == 0
    assert run(*asked, "--dry-run").status == 1
    assert run(*limit, "--delta", "0.5").status == 0
    done = run(*asked, "--out", "m.json")
    assert done.status == 0
    made = Release.load("m.json")
    # The draw, its sums and the table of risks may cost a little less together.
    assert made.cost.epsilon <= 1
    assert str(made.cost.delta) == "1/100"
    assert "delta 0.01 is 1/n or more" in done.err
    # A sheet that was taken says how good it is, too.
    assert type(made.hypothesis).__name__ == "ScoreSheet"
    assert made.risks is not None
    assert str(made.risks.epsilon) == "1/4"
    assert made.quality is not None
    assert re.search("calibration  (in all|of) [0-9]+ groups of totals", done.out)
    assert "auc          about" in done.out


def test_a_sheet_is_drawn_and_exported_from_its_model(tmp_path: Path) -> None:
    model = tmp_path / "sheet.json"
    model.write_text(json.dumps(release(SHEET).to_json()), encoding="utf-8")
    assert "40 <= age < 80" in run("theory", "tree", model).out
    drawn = run("theory", "tree", model, "--out", tmp_path / "sheet.svg")
    assert drawn.out.startswith("drawn to")
    assert "40 &lt;= age &lt; 80" in (tmp_path / "sheet.svg").read_text(encoding="utf-8")
    assert run("theory", "tree", model, "--out", tmp_path / "sheet.html").status != 0
    code = run("export", model, "--to", "pandas").out
    frame = pd.DataFrame({"age": [90, 20], "sex": ["F", "M"]})
    assert eval(code, {"pandas": pd, "df": frame}).to_list() == [1, 0]


def test_the_command_of_a_page_learns_by_the_same_method(table: Path) -> None:
    columns = "age: 0..100 step 10, ward in {ICU, ER}"
    Path("s.toml").write_text(
        'target = "back"\npositive = "1"\n[columns.age]\nrange = [0, 100]\nstep = 10\n'
        '[columns.ward]\nvalues = ["ICU", "ER"]\n[columns.back]\n'
    )
    asked = ("--epsilon", 1, "--delta", "1e-6", "--risk", "--out", "m.json")
    assert run("fit", table, "--schema", "s.toml", *asked).status == 0
    first = Release.load("m.json")
    assert first.method == "tree_sheet"
    page = html.unescape(run("report", "m.json").out)
    found = re.search("littlestone (fit TABLE.csv [^<]*)", page)
    assert found is not None
    assert f"trees({columns}" in found[1]
    line = [
        {"TABLE.csv": "t.csv", "SCHEMA.toml": "s.toml"}.get(x, x) for x in shlex.split(found[1])
    ]
    assert run(*line, "--out", "m.json", "--replace").status == 0
    again = Release.load("m.json")
    assert (again.mechanism, again.cost) == (first.mechanism, first.cost)
    assert again.method == first.method
