"""The front door: the commands as functions, what they print, and what importing them costs."""

from __future__ import annotations

import inspect
import json
import shlex
import subprocess
import sys
from datetime import date
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest
from typer.testing import CliRunner

import littlestone
from declaring import choose_task
from each import each
from littlestone.base.errors import (
    DeclarationError,
    LedgerError,
    ModelError,
    NotPrivateWarning,
    TableError,
)
from littlestone.cli import _COMMANDS, _THEORY, app
from littlestone.data import Label
from littlestone.interop.scikit_learn import LittlestoneClassifier
from littlestone.learn import ExponentialLearner, Release
from littlestone.learn.plan import choose_learner
from littlestone.privacy.cost import PrivacyCost

FLIGHTS = {"dep": [20, 3, 90, -2] * 100, "arr": [30, 2, 80, -9] * 100}
RULE: dict[str, Any] = {
    "positive": "> 15",
    "hypotheses": "thresholds(dep, -60..1440)",
    "epsilon": 5,
}


def fitted(table: object = None, **options: Any) -> Release:
    paid = {"ledger": littlestone.Ledger(), "dataset": "flights"}
    frame = pl.DataFrame(FLIGHTS) if table is None else table
    release: Release = littlestone.fit(frame, "arr", **{**RULE, **paid, **options})
    return release


def test_a_rule_from_a_frame() -> None:
    release = fitted()
    assert (release.n, release.cost, release.private) == (400, PrivacyCost(Fraction(5)), True)
    rows = pd.DataFrame({"dep": [95, None, "x", 1]})
    with pytest.warns(UserWarning, match="1 of 4 cells of 'dep' are not read"):
        assert release.predict(rows) == [1, 0, 0, 0]
    with pytest.warns(UserWarning, match="1 of 4 cells"):
        assert littlestone.predict(release, rows) == [1, 0, 0, 0]


def test_it_is_what_the_command_releases(tmp_path: Path) -> None:
    table, model = tmp_path / "flights.csv", tmp_path / "model.json"
    pl.DataFrame(FLIGHTS).write_csv(table)
    options = ["--target", "arr", "--positive", "> 15", "--class", RULE["hypotheses"]]
    spending = ["--epsilon", "5", "--ledger", str(tmp_path / "ledger"), "--seed", "3"]
    run = CliRunner().invoke(app, ["fit", str(table), *options, *spending, "--out", str(model)])
    assert run.exit_code == 0
    with pytest.warns(NotPrivateWarning):
        release = fitted(table, ledger=tmp_path / "ledger", dataset=None, simulation_seed=3)
    written = json.loads(model.read_text())
    assert written["hypothesis"] == release.hypothesis.to_json()
    assert release.total is not None
    assert release.total.epsilon == 10  # one data set, one budget, whoever spends it
    predicted = littlestone.predict(model, table)
    assert predicted == release.predict(table)


def test_several_labels() -> None:
    labels: dict[str, Any] = {"positive": None, "hypotheses": "lookup(integers(dep); at most 4)"}
    release = fitted(**labels, labels=["-9", "30", "80"], delta="1e-3")
    assert release.predict(pl.DataFrame({"dep": [20, 90, 7]})) == ["30", "80", "-9"]
    assert repr(release).startswith("rule          arr  =  ")
    again = Release.from_json(json.loads(json.dumps(release.to_json())))
    assert (again, again.labels) == (release, ("-9", "30", "80"))


@pytest.mark.parametrize(
    ("options", "error"),
    [
        ({"dataset": None}, DeclarationError),
        ({"positive": None}, DeclarationError),
        ({"labels": "a,b"}, DeclarationError),
        ({"epsilon": 0}, DeclarationError),
        ({"hypotheses": "thresholds(arr, 0..9)"}, DeclarationError),
        ({"hypotheses": "thresholds(none, 0..9)"}, TableError),
        ({"hypotheses": 5}, DeclarationError),
        ({"ledger": "no/such/ledger"}, LedgerError),
        ({"ledger": None}, DeclarationError),
        ({"simulation_seed": 1.5}, DeclarationError),
        ({"positive": None, "labels": "a,b,c"}, DeclarationError),
    ],
)
def test_what_is_refused_is_refused_before_anything_is_spent(
    options: dict[str, Any], error: type[Exception]
) -> None:
    ledger = littlestone.Ledger()
    with pytest.raises(error):
        fitted(**{"ledger": ledger, **options})
    assert ledger.entries() == []


@pytest.mark.parametrize(
    "options",
    [
        {"dataset": 3},
        {"dataset": b"flights"},
        {"positive": None, "labels": 5},
        {"positive": None, "labels": {"a", "b"}},
        {"positive": None, "labels": ["a", "b"], "default": 3},
    ],
)
def test_what_is_no_text_is_refused(options: dict[str, Any]) -> None:
    ledger = littlestone.Ledger()
    with pytest.raises(DeclarationError):
        fitted(ledger=ledger, **options)
    assert ledger.entries() == []


def test_a_missing_column_makes_no_ledger(tmp_path: Path) -> None:
    path = tmp_path / "new.ledger"
    with pytest.raises(TableError):
        fitted(hypotheses="thresholds(none, 0..9)", ledger=path, create_ledger=True)
    assert not path.exists()


def test_an_estimate_is_of_two_labels() -> None:
    estimate = fitted(estimate="0.5").estimate
    assert estimate is not None
    assert fitted(estimate="0.5").cost == PrivacyCost(Fraction(11, 2))
    label = Label.parse("arr", labels="a,b,c")
    with pytest.raises(DeclarationError, match="leave the estimate out"):
        choose_task(label, "lookup(dep; at most 4)", littlestone.Budget(5, "1e-3"), estimate=1)


SECRET = "SECRET-RECORD"


@each(
    "kind",
    [pl.Series, pd.Series, np.array, list, lambda v: pl.DataFrame({"a": v})],
    ids=["polars", "pandas", "numpy", "list", "frame"],
)
@each(
    "name",
    ["target", "positive", "default", "epsilon", "delta", "estimate", "dataset", "method", "setting",
     "labels", "hypotheses", "ledger", "simulation_seed"],
)  # fmt: skip
def test_a_column_in_place_of_its_name_is_not_quoted(name: str, kind: Any) -> None:
    ledger = littlestone.Ledger()
    given: dict[str, Any] = {
        "target": "arr", **RULE, "ledger": ledger, "dataset": "flights",
        **({"positive": None} if name in ("labels", "default") else {}),
        **({"labels": "a,b"} if name == "default" else {}),
        name: kind([SECRET, SECRET]),
    }  # fmt: skip
    with pytest.raises(DeclarationError) as error:
        littlestone.fit(pl.DataFrame(FLIGHTS), **given)
    assert SECRET not in str(error.value)
    assert ledger.entries() == []


@pytest.mark.parametrize("target", [3, ["arr"]])
def test_a_target_is_a_name(target: Any) -> None:
    paid = {"ledger": littlestone.Ledger(), "dataset": "flights"}
    with pytest.raises(DeclarationError, match="name of one"):
        littlestone.fit(pl.DataFrame(FLIGHTS), target, **RULE, **paid)


@pytest.mark.parametrize("model", [None, 3, {}])
def test_what_is_no_model_is_refused(model: Any) -> None:
    with pytest.raises(ModelError, match="neither a Release nor the path"):
        littlestone.predict(model, pl.DataFrame(FLIGHTS))


@pytest.mark.parametrize("labels", [0, 1, -1, True, 2.5, "3", 1001, 10**9])
@pytest.mark.parametrize("hypotheses", ["lookup(dest; at most 3)", [[0, 1], [1, 1]]])
def test_the_number_of_labels_is_one(labels: Any, hypotheses: Any) -> None:
    with pytest.raises(DeclarationError, match="from 2 to 1,000"):
        littlestone.dim(hypotheses, labels=labels)


def test_a_table_of_another_name_is_told() -> None:
    ledger = littlestone.Ledger()
    fitted(ledger=ledger)
    with pytest.warns(UserWarning, match="alias copy flights"):
        fitted(ledger=ledger, dataset="copy")
    # A table with one more column is another one, even if no task reads that column.
    fitted(pl.DataFrame({**FLIGHTS, "more": FLIGHTS["dep"]}), ledger=ledger, dataset="more")


@pytest.mark.parametrize(("delta", "told"), [("1/800", False), ("0.0025", True), (0.5, True)])
def test_a_delta_of_one_record_is_told_before_the_spend(delta: Any, told: bool) -> None:
    """n is 400; the limit is 1/n, and n is public."""
    given: dict[str, Any] = {"hypotheses": "subsets(dep; at most 2)", "delta": delta}
    book = littlestone.Ledger()
    if not told:
        fitted(ledger=book, **given)
        return
    with pytest.raises(UserWarning, match=r"1/n or more for n = 400.* such as 1e-6$"):
        fitted(ledger=book, **given)
    assert book.entries() == []
    model = LittlestoneClassifier(
        "points(x)", epsilon=5, delta=delta, classes=(0, 1), ledger=book, dataset="d"
    )
    with pytest.raises(UserWarning, match=r"1/n or more for n = 400"):
        model.fit([1, 2] * 200, [0, 1] * 200)


def test_theory() -> None:
    assert littlestone.dim("points(id)") == 1
    assert littlestone.dim([[0], [1], [2]], labels=3) == 1
    assert littlestone.dim(littlestone.Thresholds.on(0, 6)) == 3
    assert littlestone.play([[0, 1], [1, 0]]).mistakes == 1
    assert littlestone.play("thresholds(x, 1..33554432)").mistakes == 25
    assert len(littlestone.play("points(id)", adversary="random", simulation_seed=1).rounds) == 20
    assert "mistakes in" in str(littlestone.play("thresholds(x, 1..9)", learner="halving"))
    assert str(littlestone.tree([[0], [2]], labels=3)) == "x0\n|-- 0  0 for 'x0'\n`-- 2  2 for 'x0'"
    plan = littlestone.plan("outcomes(a; at most 1)", epsilon=1, delta="1e-6", labels=3)
    assert plan.formulas
    with pytest.raises(DeclarationError, match="no such learner"):
        littlestone.play("points(id)", learner="nobody")
    with pytest.raises(AttributeError, match="nothing"):
        _ = littlestone.nothing


def test_a_ledger_is_made_only_if_it_is_asked_for(tmp_path: Path) -> None:
    path = tmp_path / "new.ledger"
    with pytest.raises(LedgerError):
        fitted(ledger=path)
    assert not path.exists()
    release = fitted(ledger=path, create_ledger=True)
    assert path.exists()
    assert fitted(ledger=path).total == release.cost + release.cost


def test_every_option_of_fit_reaches_the_learner() -> None:
    points: dict[str, Any] = {"hypotheses": "subsets(dep; at most 2)", "delta": "1e-3"}
    for method in ("partition", "irreducible"):
        ledger = littlestone.Ledger()
        expected, _ = choose_learner(
            littlestone.parse_class("subsets(dep; at most 2)"),
            littlestone.Budget(5, "1e-3"),
            method=method,
        )
        fitted(**points, epsilon=5, method=method, ledger=ledger)
        assert [entry.mechanism for entry in ledger.entries()] == [str(expected.event)]
    with pytest.raises(DeclarationError, match="setting"):
        fitted(setting="nonsense")
    labels: dict[str, Any] = {
        "positive": None, "hypotheses": "lookup(integers(dep); at most 4)", "delta": "1e-3",
        "labels": ["-9", "30", "80"],
    }  # fmt: skip
    release = fitted(**labels, default="80")
    assert release.labels == ("80", "-9", "30")
    assert release.predict(pl.DataFrame({"dep": [7]})) == ["80"]
    with pytest.raises(DeclarationError, match="3 labels"):
        fitted(**labels | {"hypotheses": littlestone.parse_class("lookup(dep; at most 4)", 2)})
    with pytest.raises(DeclarationError):
        fitted(dataset="")


def test_a_file_has_one_budget_by_whatever_path_it_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    ledger, table = littlestone.Ledger(), tmp_path / "flights.csv"
    pl.DataFrame(FLIGHTS).write_csv(table)
    (tmp_path / "link.csv").symlink_to(table)
    monkeypatch.chdir(tmp_path)
    for path in (table, "flights.csv", "./flights.csv", "link.csv"):
        fitted(path, dataset=None, ledger=ledger)
        fitted(dataset=str(path), ledger=ledger)
    assert len({entry.dataset for entry in ledger.entries()}) == 1


def test_every_option_of_theory_counts() -> None:
    close, far = (
        littlestone.plan("points(id)", epsilon=1, delta="1e-6", alpha=alpha, beta=beta).rows[0]
        for alpha, beta in ((0.01, 0.001), (0.2, 0.1))
    )
    assert close.realizable is not None
    assert far.realizable is not None
    assert close.realizable.n > 4 * far.realizable.n
    deep = "thresholds(x, 1..1000)"
    lines = [len(str(littlestone.tree(deep, levels=levels)).splitlines()) for levels in (1, 2, 6)]
    assert lines == sorted({*lines})
    short = littlestone.play("points(id)", adversary="random", simulation_seed=1, rounds=3)
    assert len(short.rounds) == 3
    games = {
        str(littlestone.play("thresholds(x, 1..1000)", adversary="random", simulation_seed=seed))
        for seed in (1, 1, 2)
    }
    assert len(games) == 2
    with pytest.raises(DeclarationError, match="same number of labels"):
        littlestone.dim(littlestone.Thresholds.on(0, 6), labels=3)


@pytest.mark.parametrize(
    "options",
    [
        *({"rounds": rounds} for rounds in ("x", 2.5, -1, True)),
        {"simulation_seed": [1]},
        {"learner": ["soa"]},
        {"adversary": None},
    ],
    ids=str,
)
def test_illegal_options_of_a_game_are_refused(options: dict[str, Any]) -> None:
    with pytest.raises(DeclarationError):
        littlestone.play("thresholds(x, 1..9)", **{"adversary": "random", **options})


@pytest.mark.parametrize("levels", ["x", 1.5, 0, -1, True, None])
def test_a_tree_has_a_whole_number_of_levels(levels: Any) -> None:
    with pytest.raises(DeclarationError, match="levels"):
        littlestone.tree("thresholds(x, 1..9)", levels=levels)


@pytest.mark.parametrize("goal", [{"alpha": "x"}, {"alpha": None}, {"beta": "0.1"}, {"beta": 1}])
def test_a_goal_is_two_probabilities(goal: dict[str, Any]) -> None:
    with pytest.raises(DeclarationError, match="strictly between 0 and 1"):
        littlestone.plan("thresholds(x, 1..9)", epsilon=1, **goal)


def test_everything_named_is_there() -> None:
    assert all(getattr(littlestone, name) is not None for name in littlestone.__all__)
    assert set(littlestone.__all__) <= set(dir(littlestone))


def test_things_print_what_they_are() -> None:
    release = fitted()
    assert "thresholds(dep, -60..1440)" in repr(release)
    assert "NOT PRIVATE" not in repr(release)
    assert release._repr_html_().startswith("<table><tr><th")
    with pytest.warns(NotPrivateWarning) as told:
        assert "NOT PRIVATE" in repr(fitted(simulation_seed=1))
    assert [Path(one.filename).name for one in told] == [Path(__file__).name]  # the caller's line
    assert repr(littlestone.Ledger()) == "ledger in memory"
    learner = ExponentialLearner(littlestone.Thresholds.on(0, 9), littlestone.Budget(1))
    assert repr(learner).startswith("ExponentialLearner: thresholds(x, 0..9), exponential")


def test_an_estimate_that_was_paid_for_is_printed() -> None:
    release = fitted(estimate="0.5")
    assert release.estimate is not None
    for heading, text in release.estimate.rows():
        assert f"{heading:12}  {text}" in repr(release)
        assert text in release._repr_html_()


def test_html_shows_names_only() -> None:
    hostile = {"<b>": FLIGHTS["dep"], "arr": FLIGHTS["arr"]}
    release = fitted(pl.DataFrame(hostile), hypotheses="thresholds('<b>', -60..1440)")
    assert "&lt;b&gt;" in release._repr_html_()
    assert "<b>" not in release._repr_html_()


@pytest.mark.deep
def test_the_shell_takes_several_labels_and_the_options_of_fit() -> None:
    model = LittlestoneClassifier(
        "lookup(integers(x); at most 3)",
        epsilon=5,
        delta="1e-3",
        classes=("none", "a", "b"),
        setting="agnostic",
        ledger=littlestone.Ledger(),
        dataset="d",
    )
    x, y = [1, 2, 3] * 60, ["a", "b", "none"] * 60
    assert model.fit(x, y).predict([1, 2, 3, 4]).tolist() == ["a", "b", "none", "none"]
    assert model.release_.labels == ("none", "a", "b")
    rule = LittlestoneClassifier("points(x)", epsilon=5, delta="1e-3", classes=(0, 1), estimate="0.5",
                                 ledger=littlestone.Ledger(), dataset="d")  # fmt: skip
    assert rule.fit(list("ab") * 60, [1, 0] * 60).release_.estimate is not None


def test_a_command_is_listed_by_the_first_line_of_its_help() -> None:
    listed = dict(_COMMANDS)
    listed |= {f"theory {name}": first for name, first in _THEORY.items()}
    for words, first in listed.items():
        run = CliRunner().invoke(app, [*words.split(), "--help"], terminal_width=200)
        assert run.exit_code == 0
        assert first in " ".join(run.output.split())
    assert (
        CliRunner().invoke(app, ["--version"]).output == f"littlestone {littlestone.__version__}\n"
    )


@pytest.mark.parametrize("name", _THEORY)
def test_a_command_of_theory_is_told_its_new_place(name: str) -> None:
    run = CliRunner().invoke(app, [name, "table.csv"])
    assert run.exit_code == 2
    assert f"The command is now `littlestone theory {name}`." in " ".join(run.output.split())


def loaded(code: str) -> set[str]:
    shown = "import sys; print(*sys.modules)"
    run = subprocess.run([sys.executable, "-c", f"{code}\n{shown}"], capture_output=True, text=True)
    assert run.returncode == 0, run.stderr
    return set(run.stdout.splitlines()[-1].split())


@pytest.mark.parametrize("code", ["import littlestone", "import littlestone.cli"])
def test_importing_the_door_imports_nothing_heavy(code: str) -> None:
    assert not loaded(code) & {
        "numpy",
        "numba",
        "pyarrow",
        "narwhals",
        "littlestone.classes",
        "rich",
    }


FIT = (
    'fit t.csv --class "thresholds(x, 0..9)" --target y --positive 1 --epsilon 1 --ledger l --out m'
)
STREAM = (
    'stream t.csv --class "thresholds(x, 0..9)" --target y --positive 1 --epsilon 1 --horizon 9'
)
HEAVY = {
    "galois",
    "joblib",
    "numba",
    "narwhals",
    "pandas",
    "polars",
    "pydantic",
    "scipy",
    "sklearn",
}


@pytest.mark.parametrize(
    ("words", "most", "unused"),
    [
        ("--help", 2, {"numpy", "rich.text"}),
        ("dim 'thresholds(x, 0..9)'", 60, {"pyarrow", "rich.text", "sqlite3"}),
        ("classes", 20, {"numpy", "rich.text"}),
        (STREAM, 180, {"rich.text"}),
        (FIT, 130, {"rich.text", "littlestone.learn.papers.irreducible"}),
    ],
)  # fmt: skip
def test_a_command_loads_what_it_needs(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, words: str, most: int, unused: set[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("t.csv").write_text("x,y\n" + "3,0\n7,1\n" * 50)
    found = loaded_by(words)
    assert not found & (HEAVY | unused)
    assert len([name for name in found if name.split(".")[0] == "littlestone"]) <= most


def loaded_by(words: str) -> set[str]:
    code = f"import sys\nsys.argv[1:] = {shlex.split(words)}\nfrom littlestone.cli import main\n"
    return loaded(code + "try:\n    main()\nexcept SystemExit:\n    pass\nprint()")


def test_texts_numbers_and_days_in_parquet_load_no_pandas(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    days = [date(2024, 1, 1), None] * 50
    columns = {"x": [3, None] * 50, "z": [0.5, None] * 50, "t": ["a", None] * 50, "d": days}
    pl.DataFrame({**columns, "y": [0, 1] * 50}).write_parquet("t.parquet")
    tested = "x: 0..9, z: 0..1 step 0.5, t in {a, b}, d: 2024-01-01..2024-06-01 step 1 month"
    words = FIT.replace("t.csv", "t.parquet").replace(
        "thresholds(x, 0..9)", f"trees({tested}; depth 1)"
    )
    assert not loaded_by(words) & (HEAVY - {"narwhals"})
    assert Path("m").exists()


def test_the_tree_of_a_release_is_that_of_its_rule(tmp_path: Path) -> None:
    declared = "trees(dep at {-60, 15, 80}; depth 2)"
    release = fitted(hypotheses=declared, method="exponential")
    drawn = str(littlestone.tree(release))
    assert "dep >= " in drawn or drawn in ("0", "1")
    with pytest.raises(DeclarationError, match="it is not a tree"):
        littlestone.tree(fitted())


def test_an_argument_that_does_not_exist_is_answered_by_the_nearest() -> None:
    wrong: dict[str, Any] = {"risks": True}
    with pytest.raises(DeclarationError, match="did you mean 'risk'"):
        littlestone.fit("t.csv", **wrong)
    wrong = {"abov": 1, "epsilon": 1}
    with pytest.raises(DeclarationError, match="did you mean 'above'"):
        littlestone.subgroup("t.csv", **wrong)
    assert list(inspect.signature(littlestone.fit).parameters)[:2] == ["table", "target"]
