"""What the commands print and write: the release and nothing else, and what can be done with it."""

from __future__ import annotations

import csv
import io
import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from pyarrow import parquet
from running import CLASS, TABLE, Ran, entries, fit_arguments, run, run_process

from each import each
from littlestone.base.errors import ModelError
from littlestone.learn import Release
from littlestone.points import Grid
from littlestone.prove.papers.statement import Outcome, statement
from littlestone.rules import StepFunction
from planting import Fault, turns_red

OTHER = "delay,carrier,late\n" + "".join(f"{d * 7 - 50},Z{d},{d % 3 // 2}\n" for d in range(18))
BLANK = "delay,carrier,late\n" + 'nan,,\n"","\r",x\n,,,,\n' * 6


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("LITTLESTONE_DEBUG", raising=False)
    return tmp_path


@pytest.fixture
def table(folder: Path) -> Path:
    Path("table.csv").write_text(TABLE)
    return Path("table.csv")


def model(table: object, **changed: object) -> dict[str, Any]:
    """A model that `fit` made of a table, as it is in the file."""
    ran = run(*fit_arguments(table, out="model.json", replace=True, **changed))
    assert (ran.status, ran.err) == (0, "")
    data: dict[str, Any] = json.loads(Path("model.json").read_text())
    return data


# What depends on the draw, on public declarations, and on nothing else.


@pytest.mark.parametrize("as_json", [None, True])
@pytest.mark.parametrize("place", [0, 5, 21])
@pytest.mark.parametrize("declared", [CLASS, "finite(carrier, classes.csv; other ?)"])
def test_the_output_is_a_function_of_the_draw(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    place: int,
    declared: str,
    as_json: bool | None,
) -> None:
    """Three tables of 18 records that have nothing in common, and one draw: the same bytes."""
    monkeypatch.setattr("littlestone.privacy.samplers.selection.draw_item", lambda *_: place)
    outputs = set()
    for number, content in enumerate((TABLE, OTHER, BLANK)):
        folder = tmp_path / str(number)
        folder.mkdir()
        monkeypatch.chdir(folder)
        Path("table.csv").write_text(content)
        rows = "\n".join(",".join("01"[i >> j & 1] for j in range(5)) for i in range(32))
        Path("classes.csv").write_text(f"?,A,B,Z1,Z2\n{rows}\n")
        options = {"class": declared, "json": as_json, "dataset": "visits"}
        made = "littlestone.ledger: new ledger. Total so far: epsilon 1. No limit set.\n"
        for told in (made if as_json else "", ""):
            ran = run(*fit_arguments("table.csv", out="model.json", replace=True, **options))
            assert (ran.status, ran.err) == (0, told)
        assert sorted(os.listdir()) == [
            "classes.csv", "littlestone.ledger", "model.json", "table.csv",
        ]  # fmt: skip
        outputs.add((ran.out, Path("model.json").read_bytes()))
    assert len(outputs) == 1


def test_the_draw_is_what_the_output_shows(table: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for place in (0, 7, 21):
        monkeypatch.setattr(
            "littlestone.privacy.samplers.selection.draw_item", lambda *_, at=place: at
        )
        rule = {0: "always 1", 21: "always 0"}.get(place, f"delay >= {place}")
        words = " ".join(run(*fit_arguments(table)).out.split())
        assert f"rule late == 1 <=> {rule} privacy" in words
        assert model(table)["rule"] == f"late == 1  <=>  {rule}"


def test_the_output_changes_with_n_and_epsilon_only_where_it_says_so(
    table: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("littlestone.privacy.samplers.selection.draw_item", lambda *_: 3)
    first = model(table)
    Path("table.csv").write_text(TABLE + "1,A,1\n")
    second = model(table)
    assert (first.pop("n"), second.pop("n")) == (18, 19)
    assert (first["privacy"].pop("ledger entry"), second["privacy"].pop("ledger entry")) == (1, 2)
    assert first == second


def test_what_a_model_says(table: Path) -> None:
    data = model(table, epsilon="0.10", delta="1e-6", positive="> 0.5", ledger="a.ledger")
    assert data["n"] == 18
    assert data["class"] == CLASS
    assert data["label"] == "late > 0.5"
    assert data["privacy"] == {
        "epsilon": "0.1",
        "delta": "0",
        "neighboring": "replace-one",
        "mechanism": "exponential mechanism on error counts, epsilon 0.1",
        "randomness": "system cryptographic generator",
        "ledger entry": 1,
    }
    assert data["accuracy"] == (
        "No accuracy guarantee: to be within 50 percentage points of the best rule needs 254 records."
    )
    assert set(data) == {
        "format", "rule", "class", "method", "label", "n", "privacy", "accuracy", "hypothesis",
    }  # fmt: skip


def test_the_text_says_what_is_guaranteed(table: Path) -> None:
    words = " ".join(run(*fit_arguments(table, epsilon="0.5")).out.split())
    for part in (
        "Private release rule late == 1 <=> ",
        "epsilon 0.5, delta 0: replacing one of the 18 records changes the probability",
        "by at most a factor 1.65",
        f"class {CLASS}",
        "littlestone.ledger: new ledger. Total so far: epsilon 0.5. No limit set.",
    ):
        assert part in words
    assert "NOT PRIVATE" not in words


def test_an_estimate_is_part_of_the_release_and_of_its_cost(table: Path) -> None:
    data = model(table, estimate="0.25", ledger="a.ledger")
    assert data["privacy"]["epsilon"] == "1.25"
    assert set(data["estimate"]) == {
        "epsilon", "true positives", "false positives", "false negatives", "unread",
    }  # fmt: skip
    assert set(data["estimate"]["unread"]) == {"epsilon", "cells", "labels"}
    release = Release.load("model.json")
    assert release.estimate is not None
    assert json.loads(json.dumps(release.to_json())) == data
    assert entries(Path("a.ledger")) == [release.receipt]

    ran = run(*fit_arguments(table, estimate="0.25"))
    for part in ("epsilon 1.25, delta 0", "set of rules and estimates", "precision  about ",
                 "recall ", "error ", "unread     cells about ", "; labels about ", "all six",
                 "with probability 95%; private, for epsilon 0.25"):  # fmt: skip
        assert part in ran.out
    assert "NOT PRIVATE" not in ran.out

    dry = run(*fit_arguments(table, estimate="0.25", **{"dry-run": True}))
    assert "epsilon 1.25, delta 0" in dry.out
    for wrong in ("0", "much"):
        refused = run(*fit_arguments(table, estimate=wrong, ledger="b.ledger"))
        assert refused.status == 2
        assert "epsilon" in refused.err
        assert not Path("b.ledger").exists()


# What is not private says so.


def test_an_evaluation_is_marked_and_stays_out_of_the_model(table: Path) -> None:
    data = model(table, evaluate=True)
    assert "evaluation" not in data
    assert "NOT PRIVATE" not in json.dumps(data)

    text = run(*fit_arguments(table, evaluate=True)).out
    release, mark, figures = text.partition("Evaluation: NOT PRIVATE, not part of the release")
    assert mark
    assert "error of the rule" not in release
    assert "8 of 18" in figures
    assert "best non-private rule" in figures

    shown = json.loads(run(*fit_arguments(table, evaluate=True, json=True)).out)
    evaluation = shown.pop("evaluation")
    assert set(shown) == set(data)
    assert evaluation["NOT PRIVATE"] is True
    assert (evaluation["n"], evaluation["positives"]) == (18, 8)
    assert evaluation["best_errors"] == 0
    assert evaluation["best_rule"] == "delay >= 5"
    assert "evaluation" not in json.loads(run(*fit_arguments(table, json=True)).out)


@pytest.mark.parametrize("seed", [0, 1, -5])
def test_a_seeded_draw_is_marked_everywhere(table: Path, seed: int) -> None:
    data = model(table, seed=seed)
    assert "NOT PRIVATE" in data["privacy"]["randomness"]
    assert not Release.load("model.json").private
    assert "NOT PRIVATE" in run(*fit_arguments(table, seed=seed)).out
    shown = json.loads(run(*fit_arguments(table, seed=seed, json=True)).out)
    assert shown["privacy"]["randomness"] == data["privacy"]["randomness"]
    assert shown["hypothesis"] == data["hypothesis"]


# The model file.


@pytest.mark.parametrize(
    ("declared", "column"),
    [
        (CLASS, "delay"),
        ("thresholds(delay, -1..1; step 0.25)", "delay"),
        ("thresholds(delay, -9223372036854775808..9223372036854775807)", "delay"),
        ("thresholds('a, (b); c', 0..9)", "a, (b); c"),
        ("thresholds(Verspätung, 0..9)", "Verspätung"),
        ("finite(carrier, classes.csv)", "carrier"),
        ("finite(carrier, classes.csv; other B)", "carrier"),
    ],
)
def test_a_release_is_read_back_equal(folder: Path, declared: str, column: str) -> None:
    Path("classes.csv").write_text("A,B,C\n0,1,1\n1,0,1\n1,1,1\n")
    Path("table.csv").write_text(f'"{column}",late\n' + "1,1\n2,0\n" * 9)
    data = model("table.csv", class_=declared)
    release = Release.load("model.json")
    assert json.loads(json.dumps(release.to_json())) == data
    assert Release.from_json(json.loads(json.dumps(data))) == release
    assert (release.private, release.n, release.receipt) == (True, 18, 1)
    assert release.hypothesis.domain.name == column


def threshold(cut: int = 5, **changed: Any) -> dict[str, Any]:
    """A legal model, delay >= ``cut`` on 0..20, with some of its fields changed."""
    return {
        "format": "littlestone model 1",
        "rule": f"late == 1  <=>  delay >= {cut}",
        "class": CLASS,
        "label": "late == 1",
        "n": 18,
        "privacy": {
            "epsilon": "1",
            "delta": "0",
            "neighboring": "replace-one",
            "mechanism": "exponential mechanism on error counts, epsilon 1",
            "randomness": "system cryptographic generator",
            "ledger entry": 1,
        },
        "hypothesis": StepFunction.threshold(Grid(0, 20, "delay"), cut).to_json(),
        **changed,
    }


def save(data: object) -> str:
    Path("model.json").write_text(json.dumps(data))
    return "model.json"


def inside(*path: str, value: Any) -> dict[str, Any]:
    """A legal model in which the field at ``path`` is ``value``."""
    whole = threshold()
    part = whole
    for key in path[:-1]:
        part = part[key]
    part[path[-1]] = value
    return whole


def without(*path: str) -> dict[str, Any]:
    whole = inside(*path, value=None)
    part = whole
    for key in path[:-1]:
        part = part[key]
    del part[path[-1]]
    return whole


FIELDS = [
    ("format",), ("class",), ("label",), ("n",), ("privacy",), ("privacy", "epsilon"),
    ("privacy", "delta"), ("privacy", "neighboring"), ("privacy", "mechanism"),
    ("privacy", "randomness"), ("privacy", "ledger entry"), ("hypothesis",),
    ("hypothesis", "kind"), ("hypothesis", "domain"), ("hypothesis", "first"),
    ("hypothesis", "changes"), ("hypothesis", "domain", "kind"), ("hypothesis", "domain", "low"),
    ("hypothesis", "domain", "high"),
]  # fmt: skip

DAMAGED: dict[str, str | bytes] = {
    "empty": "",
    "cut": json.dumps(threshold())[:200],
    "no JSON": "delay >= 5",
    "bytes": b"\xff\xfe\x00",
    "null": "null",
    "a list": "[]",
    "a number": "3",
    "another format": json.dumps(threshold(format="littlestone model 2")),
    "no format": json.dumps({}),
    **{f"without {'/'.join(path)}": json.dumps(without(*path)) for path in FIELDS},
    **{
        f"{'/'.join(path)} is {value!r}": json.dumps(inside(*path, value=value))
        for path, values in {
            ("n",): (None, "many", [], {}),
            ("privacy",): (None, [], "private", 1),
            ("privacy", "epsilon"): (None, "", "-1", "nan", "inf", "1e9999", True, []),
            ("privacy", "delta"): (None, "1", "-1", "nan", {}),
            ("privacy", "neighboring"): (None, "add-remove", 1, []),
            ("privacy", "ledger entry"): (None, "first", []),
            ("hypothesis",): (None, [], "delay >= 5", 5),
            ("hypothesis", "kind"): (None, "Oracle", [], "Hypothesis", "StepFunction "),
            ("hypothesis", "domain"): (None, [], "delay", 3),
            ("hypothesis", "first"): (None, 2, -1, "x", []),
            ("hypothesis", "changes"): (None, 3, ["x"], [[1]], [None], ["1.5"]),
            ("hypothesis", "domain", "kind"): (None, "reals!", [], "domain"),
            ("hypothesis", "domain", "low"): (None, "0", 21, 0.5, [], -(2**70)),
            ("hypothesis", "domain", "high"): (None, "20", -1, 2**70, float("nan"), float("inf")),
            ("hypothesis", "domain", "name"): (None, 3, []),
            ("hypothesis", "domain", "unit"): (None, "0", "-1", "x", "nan", "inf", []),
            ("hypothesis", "domain", "more"): (1,),
        }.items()
        for value in values
    },
}


@each("damage", DAMAGED)
def test_a_damaged_model_is_refused(folder: Path, table: Path, damage: str) -> None:
    content = DAMAGED[damage]
    Path("model.json").write_bytes(content if isinstance(content, bytes) else content.encode())
    with pytest.raises(ModelError):
        Release.load("model.json")
    ran = run("predict", "model.json", table, "--out", "labels.csv")
    assert ran.status == 2
    assert ran.out == ""
    assert ran.err.startswith("error: cannot read ")
    assert "to fix it: " in ran.err
    assert sorted(os.listdir()) == ["model.json", "table.csv"]


REAL = {"kind": "StepFunction", "domain": {"kind": "reals", "name": "x"}, "first": 0}

ODD = {
    "n is infinite": json.dumps(inside("n", value=float("inf"))),
    "n of 5000 digits": json.dumps(inside("n", value=5)).replace('"n": 5', f'"n": {"9" * 5000}'),
    "entry is infinite": json.dumps(inside("privacy", "ledger entry", value=float("inf"))),
    "n is half": json.dumps(inside("n", value=1.5)),
    "n is negative": json.dumps(inside("n", value=-3)),
    "a change at 1/0": json.dumps(threshold(hypothesis={**REAL, "changes": ["1/0"]})),
    "a change at infinity": json.dumps(inside("hypothesis", "changes", value=[float("inf")])),
    "changes are a text": json.dumps(inside("hypothesis", "changes", value="34")),
    "randomness is a list": json.dumps(inside("privacy", "randomness", value=[])),
    "randomness is unknown": json.dumps(inside("privacy", "randomness", value="dice")),
    "deep": "[" * 100_000,
}


@each("oddity", ODD)
def test_an_odd_model_is_refused(folder: Path, oddity: str) -> None:
    Path("model.json").write_text(ODD[oddity])
    with pytest.raises(ModelError):
        Release.load("model.json")


# Predictions from the model alone.


def predictions(ran: Ran) -> list[str]:
    assert ran.status == 0
    assert all("are not read and count as missing" in line for line in ran.err.splitlines())
    heading, *labels = ran.out.splitlines()
    assert heading == "prediction"
    return labels


def test_predictions_follow_the_model_alone(folder: Path) -> None:
    """Without the data, the ledger or the files of the class; whatever the records hold."""
    values = [
        "4",
        "5",
        "6.5",
        "-3",
        "99",
        "",
        "nan",
        "inf",
        "-inf",
        "1e999999999",
        "x",
        " 7 ",
        "4.99",
    ]
    labels = ["0", "1", "1", "0", "1", "0", "0", "1", "0", "1", "0", "1", "0"]
    Path("table.csv").write_text("a,delay\n" + "".join(f"0,{v}\n" for v in values) + "0\n\n0,9,9\n")
    labels += ["0", "0", "1"]
    assert predictions(run("predict", save(threshold()), "table.csv")) == labels

    numbers = pa.table({"delay": pa.array([4.0, 5.0, None, float("nan"), float("inf"), 4.99])})
    parquet.write_table(numbers, "table.parquet")
    expected = ["0", "1", "0", "0", "1", "0"]
    assert predictions(run("predict", "model.json", "table.parquet")) == expected


def test_predictions_of_a_finite_class(folder: Path) -> None:
    Path("classes.csv").write_text("A,B,C\n0,1,1\n")
    Path("table.csv").write_text("carrier,late\nA,0\nB,1\n")
    model("table.csv", class_="finite(carrier, classes.csv; other C)")
    for path in ("classes.csv", "table.csv", "littlestone.ledger"):
        Path(path).unlink()
    Path("new.csv").write_text("carrier\nA\nB\nC\nD\n")
    assert predictions(run("predict", "model.json", "new.csv")) == ["0", "1", "1", "1"]
    assert sorted(os.listdir()) == ["model.json", "new.csv"]


def test_columns_are_kept_beside_predictions(folder: Path) -> None:
    """In their order and as they stand, whether the rule tests them or not, with quotes if need be."""
    save(threshold())
    rows = [("7", "1"), ("7", "99"), ("", "50"), ('a "b", c', "1"), ("0070", "x"), ("7\r8", "1")]
    with open("ids.csv", "w", newline="", encoding="utf-8") as file:
        csv.writer(file).writerows([("id", "delay"), *rows])
    labels = predictions(run("predict", "model.json", "ids.csv"))
    for names, own in (
        (["id"], [[i] for i, _ in rows]),
        (["delay", "id"], [[x, i] for i, x in rows]),
    ):
        asked = [part for name in names for part in ("--keep", name)]
        printed = run("predict", "model.json", "ids.csv", *asked).out
        found = list(csv.reader(io.StringIO(printed, newline="")))
        assert found == [
            [*names, "prediction"],
            *([*o, y] for o, y in zip(own, labels, strict=True)),
        ]
    refused = run("predict", "model.json", "ids.csv", "--keep", "ids")
    assert refused.status == 2
    assert "column 'ids'" in refused.err


@pytest.mark.deep
def test_a_cell_that_would_end_its_line_is_noticed(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    fault = Fault(
        "littlestone.cli.predict:_csv_line",
        ").writerow(row)",
        ', quoting=csv.QUOTE_NONE, quotechar=None, escapechar="/").writerow(row)',
        "A kept cell is written without quotes.",
    )
    turns_red(fault, lambda: test_columns_are_kept_beside_predictions(folder), monkeypatch)


def test_predictions_into_a_file(table: Path) -> None:
    printed = run("predict", save(threshold()), table).out
    ran = run("predict", "model.json", table, "--out", "labels.csv")
    assert (ran.status, ran.out, ran.err) == (0, "", "")
    assert Path("labels.csv").read_text() == printed
    assert printed.count("\n") == 19


@pytest.mark.parametrize("out", ["table.csv", "model.json", "none/labels.csv", ".", "/dev/null"])
def test_predictions_that_cannot_be_written(table: Path, out: str) -> None:
    save(threshold())
    before = {path: path.read_bytes() for path in Path().iterdir()}
    ran = run("predict", "model.json", table, "--out", out)
    assert (ran.status, ran.out) == (2, "")
    assert ran.err.startswith(("error: cannot write ", "error: cannot use "))
    assert {path: path.read_bytes() for path in Path().iterdir()} == before


def test_predictions_for_a_table_without_the_column(folder: Path) -> None:
    Path("table.csv").write_text("Delay\n1\n")
    ran = run("predict", save(threshold()), "table.csv", "--out", "labels.csv")
    assert (ran.status, ran.out) == (2, "")
    assert "'delay'" in ran.err
    assert not Path("labels.csv").exists()


def test_predictions_for_no_records(folder: Path) -> None:
    Path("table.csv").write_text("delay\n")
    assert predictions(run("predict", save(threshold()), "table.csv")) == []


@pytest.mark.deep
def test_a_reader_that_leaves_early(folder: Path) -> None:
    Path("table.csv").write_text("delay\n" + "1\n" * 200_000)
    ran = run_process("predict", save(threshold()), "table.csv", cwd=folder)
    assert ran.status == 0
    command = f"{sys.executable} -m littlestone predict model.json table.csv | head -1"
    piped = subprocess.run(
        command, shell=True, cwd=folder, capture_output=True, text=True, check=True
    )
    assert (piped.stdout, piped.stderr) == ("prediction\n", "")


# Dimensions and games.


@pytest.mark.parametrize(
    ("content", "dimension", "hypotheses", "points"),
    [
        ("0,0\n0,1\n1,1\n", 1, 3, 2),
        ("a,b\n0,0\n0,1\n1,1\n", 1, 3, 2),
        ("h,a,b\nh1,0,0\nh2,0,1\nh3,1,1\n", 1, 3, 2),
        ("0\n", 0, 1, 1),
        ("1,0\n1,0\n", 0, 1, 2),
        ("\ufeff0,1\r\n\r\n1,0\r\n", 1, 2, 2),
    ],
)
def test_the_dimension_of_a_csv_file(
    folder: Path, content: str, dimension: int, hypotheses: int, points: int
) -> None:
    Path("class.csv").write_text(content)
    shown = json.loads(run("dim", "class.csv", "--json").out)
    expected = {
        "littlestone_dimension": dimension, "hypotheses": hypotheses, "points": points,
    }  # fmt: skip
    assert shown == expected
    shape = [line.split("(")[0].split() for line in run("dim", "class.csv").out.splitlines()]
    assert shape == [
        ["Littlestone", "dimension", str(dimension)],
        ["hypotheses", str(hypotheses)],
        ["points", str(points)],
    ]


def test_the_dimension_of_a_file_with_a_column_of_names_alone(folder: Path) -> None:
    Path("class.csv").write_text("h1,0,1\nh2,1,0\n")
    shown = json.loads(run("dim", "class.csv", "--json").out)
    assert (shown["hypotheses"], shown["littlestone_dimension"]) == (2, 1)


def test_an_empty_array_file_is_refused_like_any_other(folder: Path) -> None:
    Path("class.npy").write_bytes(b"")
    assert run("dim", "class.npy").err.startswith("error: cannot read ")


@pytest.mark.parametrize("dtype", [bool, np.int8, np.uint64, float])
def test_the_dimension_of_an_array_file(folder: Path, dtype: type) -> None:
    np.save("class.npy", np.triu(np.ones((8, 7), dtype=dtype)))
    assert json.loads(run("dim", "class.npy", "--json").out)["littlestone_dimension"] == 3


@pytest.mark.parametrize(
    ("declared", "dimension", "hypotheses"),
    [
        ("thresholds(x, 1..1000)", 9, 1001),
        ("thresholds(x, 0..1; step 0.001)", 9, 1002),
        ("thresholds(x, reals)", "inf", "infinite"),
        ("points(id)", 1, "infinite"),
        ("points(id; integers, nonzero)", 1, "infinite"),
    ],
)
def test_the_dimension_of_a_declared_class(
    folder: Path, declared: str, dimension: object, hypotheses: object
) -> None:
    shown = json.loads(run("dim", declared, "--json").out, parse_constant=pytest.fail)
    assert (shown["littlestone_dimension"], shown["hypotheses"]) == (dimension, hypotheses)
    assert f"dimension {dimension}" in run("dim", declared).out


@pytest.mark.parametrize(
    ("content", "words"),
    [
        ("0,1\n0\n", ("row 2", "1 entries")),
        ("0,1\n0,2\n", ("row 2, column 2 holds another number",)),
        ("a,b\n0,x\n", ("row 1, column 2 is neither 0 nor 1",)),
        ("", ("shape",)),
        ("a,b\n", ("shape",)),
    ],
)
def test_files_that_are_no_class(folder: Path, content: str, words: tuple[str, ...]) -> None:
    Path("class.csv").write_text(content)
    for arguments in (("dim", "class.csv"), ("theory", "play", "class.csv")):
        ran = run(*arguments)
        assert (ran.status, ran.out) == (2, "")
        assert ran.err.startswith("error: cannot read the table class.csv: ")
        for word in words:
            assert word in ran.err


@pytest.mark.parametrize(
    "array",
    [
        np.zeros(3),
        np.zeros((0, 2)),
        np.full((2, 2), 0.5),
        np.full((1, 1), np.nan),
        np.array([["x"]]),
    ],
)
def test_arrays_that_are_no_class(folder: Path, array: Any) -> None:
    np.save("class.npy", array)
    ran = run("dim", "class.npy")
    assert (ran.status, ran.out) == (2, "")
    assert ran.err.startswith("error: cannot read ")


def test_a_class_of_pickled_objects_is_not_opened(folder: Path) -> None:
    np.save("class.npy", np.array([[0, None]], dtype=object), allow_pickle=True)
    ran = run("dim", "class.npy")
    assert (ran.status, ran.out) == (2, "")
    assert ran.err.startswith("error: cannot read the table class.npy")


def test_a_file_whose_name_has_parentheses(folder: Path) -> None:
    Path("class (1).csv").write_text("0,1\n1,1\n")
    assert json.loads(run("dim", "class (1).csv", "--json").out)["littlestone_dimension"] == 1


def game(*arguments: object) -> dict[str, Any]:
    ran = run("theory", "play", *arguments, "--json")
    assert (ran.status, ran.err) == (0, "")
    shown: dict[str, Any] = json.loads(ran.out, parse_constant=pytest.fail)
    assert shown["mistakes"] == sum(r["prediction"] != r["label"] for r in shown["rounds"])
    assert shown["interrupted"] is False
    return shown


@pytest.mark.parametrize("learner", ["soa", "halving"])
@pytest.mark.parametrize("what", ["thresholds(x, 1..1000)", "class.csv"])
def test_a_game_against_the_tree(folder: Path, what: str, learner: str) -> None:
    Path("class.csv").write_text("0,0,0\n0,0,1\n0,1,1\n1,1,1\n")
    shown = game(what, "--learner", learner)
    assert shown["mistakes"] == shown["littlestone_dimension"] == {"class.csv": 2}.get(what, 9)
    assert len(game(what, "--learner", learner, "--rounds", "1")["rounds"]) == 1
    assert game(what, "--learner", learner, "--rounds", "0")["rounds"] == []


def test_a_game_against_chance(folder: Path) -> None:
    first = game(CLASS, "--adversary", "random", "--seed", "3")
    assert len(first["rounds"]) == 20
    assert first == game(CLASS, "--adversary", "random", "--seed", "3")
    assert first["mistakes"] <= first["littlestone_dimension"]
    assert len(game(CLASS, "--adversary", "random", "--rounds", "7")["rounds"]) == 7


def test_a_game_against_a_file(folder: Path) -> None:
    Path("game.csv").write_text("y,delay\n0,3\n1,17\n1,11\n1,99\n")
    shown = game(CLASS, "--adversary", "game.csv")
    assert [r["label"] for r in shown["rounds"]] == [0, 1, 1, 1]
    assert [r["point"] for r in shown["rounds"]] == ["3", "17", "11", "20"]
    assert len(game(CLASS, "--adversary", "game.csv", "--rounds", "2")["rounds"]) == 2
    text = run("theory", "play", CLASS, "--adversary", "game.csv").out
    assert f"{shown['mistakes']} mistakes in 4 rounds; the Littlestone dimension of {CLASS}" in text


@pytest.mark.parametrize(
    ("content", "words"),
    [
        ("delay,y\n3,0\n2,1\n", ("round 2", "'2'")),
        ("delay,y\n3,2\n", ("line 2", "'2'")),
        ("delay,y\n3\n", ("line 2",)),
        ("delay,y\n", ("no rows",)),
        ("other,y\n3,1\n", ("does not name the columns", "delay,label")),
        ("delay,other,y\n3,4,1\n", ("does not name the columns",)),
        ("", ("no rows",)),
    ],
)
def test_games_that_cannot_be_played(folder: Path, content: str, words: tuple[str, ...]) -> None:
    Path("game.csv").write_text(content)
    ran = run("theory", "play", CLASS, "--adversary", "game.csv")
    assert (ran.status, ran.out) == (2, "")
    for word in ("error: cannot ", "to fix it: ", *words):
        assert word in ran.err


def test_a_negative_number_of_rounds(folder: Path) -> None:
    ran = run("theory", "play", CLASS, "--rounds", "-1")
    assert ran.status == 2
    assert "--rounds" in ran.err


# The ledger.


def shown_ledger(*arguments: object) -> dict[str, Any]:
    ran = run("ledger", "show", *arguments, "--json")
    assert (ran.status, ran.err) == (0, "")
    shown: dict[str, Any] = json.loads(ran.out)
    return shown


def test_the_ledger_shows_what_was_spent(table: Path) -> None:
    assert run(*fit_arguments(table, epsilon="0.1")).status == 0
    assert run(*fit_arguments(table, epsilon="0.2")).status == 0
    assert run(*fit_arguments(table, epsilon="3", dataset="visits")).status == 0
    name = str(table.resolve())
    shown = shown_ledger()
    assert [entry["number"] for entry in shown["entries"]] == [1, 2, 3]
    assert [entry["dataset"] for entry in shown["entries"]] == [name, name, "visits"]
    assert [entry["epsilon"] for entry in shown["entries"]] == ["0.1", "0.2", "3"]
    assert {entry["what"] for entry in shown["entries"]} == {f"learn late == 1 from {CLASS}"}
    assert shown["totals"] == {
        name: {"epsilon": "0.3", "delta": "0", "limit": None},
        "visits": {"epsilon": "3", "delta": "0", "limit": None},
    }
    # One table's lines, by its path from here or its full path.
    for given in (table, name):
        only = shown_ledger(given)
        assert [entry["number"] for entry in only["entries"]] == [1, 2]
        assert only["totals"] == {name: shown["totals"][name]}
    text = run("ledger", "show").out
    assert f"{name}: epsilon 0.3, delta 0 (replace-one) spent, no limit set" in text
    numbers = [line.split()[0] for line in text.splitlines()]
    assert [number for number in numbers if number.isdigit()] == ["1", "2", "3"]


def test_limits_are_declared_and_shown(table: Path) -> None:
    name = str(table.resolve())
    ran = run("ledger", "limit", table, "--epsilon", "1", "--delta", "1e-6")
    assert (ran.status, ran.err) == (0, "")
    made, shown, *_ = ran.out.splitlines()
    assert made == "made the ledger littlestone.ledger"
    assert shown.startswith(f"{name}: epsilon 0, delta 0 (replace-one) spent, of a limit of epsil")
    limit = {"epsilon": "1", "delta": "0.000001"}
    assert shown_ledger()["totals"] == {name: {"epsilon": "0", "delta": "0", "limit": limit}}
    run(*fit_arguments(table, epsilon="1"))
    refused = run(*fit_arguments(table, epsilon="0.0001"))
    assert refused.status == 1
    assert run("ledger", "limit", table, "--epsilon", "1.5").status == 0
    assert run(*fit_arguments(table, epsilon="0.5")).status == 0
    assert entries(Path("littlestone.ledger")) == [1, 2]
    assert "spent, of a limit of epsilon 1.5, delta 0" in run("ledger", "show").out


def test_showing_a_ledger_makes_none(folder: Path) -> None:
    ran = run("ledger", "show", "--ledger", "none.ledger")
    assert ran.status == 2
    assert not Path("none.ledger").exists()


# Theorems.


@pytest.mark.parametrize(("holds", "status"), [((True, True), 0), ((True, False), 1)])
@pytest.mark.parametrize("options", [(), ("--json",)])
def test_the_status_tells_whether_all_statements_hold(
    folder: Path,
    monkeypatch: pytest.MonkeyPatch,
    holds: tuple[bool, ...],
    status: int,
    options: tuple[str, ...],
) -> None:
    words: dict[str, Any] = {"says": "1 = 1", "code": "", "scope": "numbers", "status": "as stated"}
    rows = [
        statement(id=f"S{i}", **words)(lambda value=value: Outcome("2", value, "1"))
        for i, value in enumerate(holds)
    ]
    monkeypatch.setattr("littlestone.cli.verify.select_statements", lambda *_, **__: rows)
    ran = run("verify", *options)
    assert (ran.status, ran.err) == (status, "")
    if options:
        assert [verdict["holds"] for verdict in json.loads(ran.out)] == list(holds)
    else:
        assert ran.out.count("FAILS") == holds.count(False)
        assert ran.out.count("holds") == holds.count(True)


def test_one_statement_alone(folder: Path) -> None:
    (verdict,) = json.loads(run("verify", "L5 Example 1", "--json").out)
    assert verdict["holds"] is True


def test_a_class_of_many_columns_is_cut_where_people_read(tmp_path: Path) -> None:
    """The model file and JSON hold all of it."""
    table, model, ledger = tmp_path / "t.csv", tmp_path / "m.json", tmp_path / "l"
    columns = ", ".join(f"c{i} at {{0, 5}}" for i in range(200))
    table.write_text(",".join([*(f"c{i}" for i in range(200)), "y"]) + "\n" + "1," * 200 + "0\n")
    fit = ["fit", table, "--target", "y", "--positive", "1", "--epsilon", "1", "--ledger", ledger]
    ran = run(*fit, "--class", f"conditions({columns}; at most 1)", "--out", model)
    assert ran.status == 0
    shown = next(line for line in ran.out.splitlines() if line.startswith("  class"))
    assert "conditions(c0 at {0, 5}, " in shown
    assert " ... " in shown
    assert shown.endswith("c199 at {0, 5}; at most 1)")
    assert f"({columns}; " in json.loads(model.read_text())["class"]
    listed = run("ledger", "history", "--ledger", ledger, "--json").out
    assert f"({columns}; " in json.loads(listed)[0]["what"]
    assert columns not in " ".join(run("ledger", "show", "--ledger", ledger).out.split())
