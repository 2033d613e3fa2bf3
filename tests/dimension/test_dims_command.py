from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from definitions import random_table
from typer.testing import CliRunner

from littlestone import dimension
from littlestone.base.errors import DeclarationError, TableError
from littlestone.classes.text.table_file import read_labels
from littlestone.cli import app
from littlestone.dimension import (
    Bracket,
    CollapsingMap,
    HalfGraph,
    PsiTree,
    Question,
    is_half_graph,
    is_psi_shattered,
    is_psi_shattered_set,
    is_shattered_set,
    is_teaching_set,
    psi_littlestone_dimension,
)

COMMAND = [sys.executable, "-m", "littlestone", "theory", "dims"]


def dims(*arguments: object) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [*COMMAND, *map(str, arguments)], capture_output=True, text=True, check=False
    )


def write(path: Path, *lines: str) -> Path:
    path.write_text("\n".join(lines) + "\n")
    return path


def test_the_witnesses_of_a_binary_table_check(tmp_path: Path) -> None:
    table = np.array(random_table(1, hypotheses=40, points=8) * 2)
    np.save(tmp_path / "t.npy", table)
    done = dims(tmp_path / "t.npy", "--json")
    assert done.returncode == 0, done.stderr
    data = json.loads(done.stdout)
    found = data["dimensions"]
    games = {name for name in found if "mistakes" in name or "randomized" in name}
    assert len(games) == 5
    assert all(found[name]["exact"] for name in found.keys() - games)
    number = {f"x{i}": i for i in range(table.shape[1])} | {f"h{i}": i for i in range(len(table))}

    def numbers(names: list[str]) -> tuple[int, ...]:
        return tuple(number[name] for name in names)

    def tree(witness: dict[str, list[str]]) -> PsiTree:
        asked = (Question(x, CollapsingMap((0,), (1,))) for x in numbers(witness["tree"]))
        return PsiTree(tuple(asked), numbers(witness["leaves"]))

    assert is_psi_shattered(table, tree(found["Littlestone dimension"]))
    assert is_psi_shattered(table.T, tree(found["dual Littlestone dimension"]))
    assert is_shattered_set(table, numbers(found["VC dimension"]["shattered"]))
    assert is_shattered_set(table.T, numbers(found["dual VC dimension"]["shattered"]))
    thresholds = found["threshold dimension"]
    graph = HalfGraph(numbers(thresholds["points"]), numbers(thresholds["hypotheses"]))
    assert is_half_graph(table, graph)
    assert len(graph.points) == thresholds["value"]
    for h, points in found["teaching dimension"]["teaching_sets"].items():
        assert is_teaching_set(table, number[h], numbers(points))
        assert len(points) <= found["teaching dimension"]["value"]


def test_the_witnesses_of_a_table_of_labels_check(tmp_path: Path) -> None:
    table = random_table(5, hypotheses=30, points=4, labels=4)
    names = [f"rule{i}" for i in range(len(table))]
    points = [f"p{j}" for j in range(len(table[0]))]
    rows = [",".join(map(str, (name, *row))) for name, row in zip(names, table, strict=True)]
    data = json.loads(
        dims(write(tmp_path / "t.csv", ",".join(["", *points]), *rows), "--json").stdout
    )
    assert data["labels"] == 4
    assert data["points"] == len(points)

    def asked(shown: list[dict[str, Any]]) -> tuple[Question, ...]:
        return tuple(
            Question(
                points.index(str(q["point"])), CollapsingMap(tuple(q["zero"]), tuple(q["one"]))
            )
            for q in shown
        )

    found = data["dimensions"]
    for name, psi in [
        ("multiclass Littlestone dimension", dimension.psi_n),
        ("Psi^bin-Littlestone dimension", dimension.psi_bin),
        ("Psi^B-Littlestone dimension", dimension.psi_b),
        ("graph Littlestone dimension", dimension.psi_g),
    ]:
        leaves = tuple(names.index(leaf) for leaf in found[name]["leaves"])
        assert is_psi_shattered(table, PsiTree(asked(found[name]["tree"]), leaves))
        assert found[name]["value"] == psi_littlestone_dimension(table, psi)
    for name in ("Natarajan dimension", "graph dimension"):
        assert is_psi_shattered_set(table, asked(found[name]["shattered"]))
        assert len(found[name]["shattered"]) == found[name]["value"]
    assert {f"Littlestone dimension of bit {i}" for i in range(2)} <= set(found)


def test_the_games_of_a_table_and_their_trees(tmp_path: Path) -> None:
    path = write(tmp_path / "t.csv", "a,b,c", "0,0,0", "0,0,1", "0,1,1")
    done = CliRunner().invoke(app, ["theory", "dims", str(path)])
    assert "randomized Littlestone dimension: 3/4\n    ask b; after 0, ask c\n" in done.stdout
    assert "transductive mistakes: 1\n    announce b, c\n" in done.stdout
    data = json.loads(CliRunner().invoke(app, ["theory", "dims", str(path), "--json"]).stdout)
    found = data["dimensions"]["randomized Littlestone dimension"]
    tree = {"play": "ask b", "below": [{"play": "ask c", "below": ["h0", "h1"]}, "h2"]}
    assert found == {"value": 0.75, "exact": True, "tree": tree}
    stopped = CliRunner().invoke(app, ["theory", "dims", str(path), "--time-limit", "0"])
    assert "apple tasting mistakes: between 0 and 2 (time limit)\n" in stopped.stdout
    several = CliRunner().invoke(app, ["theory", "dims", str(write(path, "0,0", "1,2", "2,1"))])
    assert "bandit Littlestone dimension: 2\n" in several.stdout


def test_a_small_class_is_listed(tmp_path: Path) -> None:
    path = write(tmp_path / "t.csv", "0,0,0", "0,0,1", "0,1,1", "1,1,1")
    asked = [
        CliRunner().invoke(app, ["theory", "dims", what])
        for what in (str(path), "thresholds(x, 1..3)")
    ]
    of_table, of_class = (
        re.findall(r"^(\S.*): (\d\S*)$", one.stdout, re.MULTILINE) for one in asked
    )
    assert of_class == of_table != []
    for large in ("thresholds(x, 0..4000)", "points(merchant)"):
        with pytest.raises(DeclarationError, match="at most 65,536 labels"):
            CliRunner().invoke(app, ["theory", "dims", large], catch_exceptions=False)


def test_partial_concepts(tmp_path: Path) -> None:
    path = str(write(tmp_path / "t.csv", "0,2", "2,1", "1,0"))
    shown = CliRunner().invoke(app, ["theory", "dims", path, "--undefined", "2"]).stdout
    assert "Littlestone dimension: 1\n" in shown
    assert "mistakes if one label is wrong: 3\n" in shown
    assert "VC" not in shown
    with pytest.raises(DeclarationError, match=r"the labels are 0\.\.2"):
        CliRunner().invoke(
            app, ["theory", "dims", path, "--undefined", "3"], catch_exceptions=False
        )


def test_too_many_labels_for_psi_b_are_said_and_the_rest_is_printed(tmp_path: Path) -> None:
    done = dims(write(tmp_path / "t.csv", *map(str, range(20))))
    assert done.returncode == 0
    assert "Psi^B is left out" in done.stderr
    assert "Natarajan dimension: 1" in done.stdout


@pytest.mark.deep
@pytest.mark.skipif(os.name != "posix", reason="sends the signal of Ctrl+C")
def test_ctrl_c_keeps_what_is_done(tmp_path: Path) -> None:
    rng = np.random.default_rng(0)
    np.save(tmp_path / "hard.npy", rng.integers(0, 2, size=(300, 48)))
    with subprocess.Popen(
        [*COMMAND, str(tmp_path / "hard.npy")],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env={**os.environ, "PYTHONUNBUFFERED": "1"},
    ) as process:
        assert process.stdout is not None
        shown = ""
        while "teaching" not in shown:
            shown += process.stdout.readline()
        with pytest.raises(subprocess.TimeoutExpired):
            process.wait(timeout=2)
        process.send_signal(signal.SIGINT)
        rest, complaint = process.communicate(timeout=60)
    assert process.returncode == 130
    assert "interrupted during: threshold dimension" in complaint
    assert "VC dimension: " in shown
    assert "threshold dimension: between " in rest
    assert " (interrupted)" in rest


def test_what_is_done_at_ctrl_c_is_marked_in_the_json(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def stopped(table: object) -> Iterator[Bracket[HalfGraph]]:
        yield Bracket(0, 2, HalfGraph((), ()), "its rank over GF(2)")
        yield Bracket(1, 2, HalfGraph((0,), (1,)), "its rank over GF(2)")
        raise KeyboardInterrupt

    monkeypatch.setattr("littlestone.cli.dims.threshold_brackets", stopped)
    path = write(tmp_path / "t.csv", "0,0", "1,0", "1,1")
    done = CliRunner().invoke(app, ["theory", "dims", str(path), "--json"])
    assert done.exit_code == 130
    data = json.loads(done.stdout)
    assert data["interrupted"]
    assert data["dimensions"]["VC dimension"]["exact"]
    assert data["dimensions"]["threshold dimension"]["value"] == 1
    assert not data["dimensions"]["threshold dimension"]["exact"]
    assert data["dimensions"]["threshold dimension"]["upper"] == 2


def test_names_and_labels_are_told_apart(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    assert read_labels(write(path, "a,b", "0,2", "1,1")).points == ("a", "b")
    assert read_labels(write(path, "0,2", "2,1")).points == ("x0", "x1")
    named = read_labels(write(path, "rule,a", "r,0", "s,12"))
    assert (named.hypotheses, named.points, named.labels) == (("r", "s"), ("a",), 13)
    # Points called 1 and 2, or a label 2 in the first row only?
    for lines in (["1,2", "0,1", "1,1"], ["7,0,1", "8,1,1"]):
        with pytest.raises(DeclarationError, match="tell names from labels"):
            read_labels(write(path, *lines))
    assert read_labels(write(path, "1,2", "0,1", "1,1"), labels=2).points == ("1", "2")
    assert read_labels(write(path, "1,2", "0,1", "1,1"), labels=3).values[0].tolist() == [1, 2]
    assert read_labels(write(path, "7,0,1", "8,1,1"), labels=2).hypotheses == ("7", "8")


@pytest.mark.parametrize(
    ("lines", "found"),
    [
        (["a,b", "0,1", "0"], "row 2 has 1 entries"),
        (["a,b", "0,-1"], "row 1, column 2 is not a label from 0 to"),
        (["a,b", "0,1", "0,nan"], "row 2, column 2 is not a label from 0 to"),
        (["a,b"], "its shape is"),
        ([""], "its shape is"),
        (["a,b", "0," + "9" * 5000], "row 1, column 2 is not a label from 0 to"),
    ],
)
def test_bad_files_are_refused(tmp_path: Path, lines: list[str], found: str) -> None:
    done = dims(write(tmp_path / "t.csv", *lines))
    assert done.returncode == 2
    assert found in done.stderr


def test_a_missing_file_is_said(tmp_path: Path) -> None:
    with pytest.raises(TableError, match="no such file"):
        read_labels(tmp_path / "none.csv")
