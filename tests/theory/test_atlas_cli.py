"""``littlestone theory atlas`` and ``search``: what they print and write."""

from __future__ import annotations

import json
from pathlib import Path

import pyarrow.parquet as pq
import pytest
from typer.testing import CliRunner

from littlestone.cli import app
from littlestone.theory.atlas import burnside

RUNNER = CliRunner()


def run(*words: str, status: int = 0) -> str:
    done = RUNNER.invoke(app, list(words))
    assert done.exit_code == status, done.output
    return done.stdout


def test_atlas_writes_every_class(tmp_path: Path) -> None:
    file = tmp_path / "atlas.parquet"
    shown = run("theory", "atlas", "2", "--jobs", "1", "--out", str(file))
    assert shown.startswith("8 classes over 2 points up to renaming; 15 in all")
    table = pq.read_table(file)
    assert table.num_rows == burnside(2)
    assert sum(table["renamings"].to_pylist()) == 15
    listed = json.loads(run("theory", "atlas", "2", "--jobs", "1", "--json"))
    assert listed == table.to_pydict()


def test_atlas_with_the_best_learners(tmp_path: Path) -> None:
    file = tmp_path / "atlas.parquet"
    run("theory", "atlas", "2", "--jobs", "1", "--best", "--out", str(file))
    table = pq.read_table(file)
    assert table["best2"].to_pylist()[:5] == [1, 1, 0.69454435, 0.81606027, 0.81606027]
    refused = RUNNER.invoke(app, ["theory", "atlas", "4", "--best"])
    assert "4 points" in str(refused.exception)


def test_optimum_prints_both_bounds() -> None:
    asked = ("theory", "optimum", "thresholds(x, 1..3)", "--n", "2", "--epsilon", "1")
    shown = run(*asked, "--wrong", "1")
    assert (
        "at most 1 wrong of 3 points\nwith probability between 0.81606027 and 0.81606028" in shown
    )
    data = json.loads(run(*asked, "--every-sample", "--proper", "--json"))
    assert (data["least"], data["most"]) == (0.5209151, 0.52091511)
    for wrong in ("thresholds(x, 1..30)", "points(x)"):
        refused = RUNNER.invoke(app, ["theory", "optimum", wrong, *asked[3:]])
        assert "to fix it" in str(refused.exception)


def test_a_file_of_somebody_else_is_kept(tmp_path: Path) -> None:
    file = tmp_path / "atlas.parquet"
    run("theory", "atlas", "1", "--jobs", "1", "--out", str(file))
    before = file.read_bytes()
    with pytest.raises(Exception, match="would be lost"):
        RUNNER.invoke(app, ["theory", "atlas", "2", "--out", str(file)], catch_exceptions=False)
    assert file.read_bytes() == before


def test_search_prints_the_smallest_and_its_dimensions() -> None:
    shown = run("theory", "search", "ldim == 2 and vc == 1", "--points", "..4", "--rows", "1..5")
    assert "rows 4, points 3, ldim 2, vc 1" in shown
    data = json.loads(run("theory", "search", "ldim == 2 and vc == 1", "--json", "--points", "3"))
    assert data["found"][0]["table"] == ["000", "100", "010", "011"]
    assert data["found"][0]["vc"] == 1


def test_search_says_how_far_it_looked() -> None:
    shown = run("theory", "search", "ldim == 1 and vc == 2", "--points", "1..2")
    assert shown.startswith("none with 1..2 points and 1..8 hypotheses")
    stopped = RUNNER.invoke(app, ["theory", "search", "ldim == 1 and vc == 2", "--time-limit", "0"])
    assert stopped.exit_code == 0
    assert "stopped by the time limit" in stopped.output


@pytest.mark.parametrize("text", ["", "a..b", "1..", "5..2", "0..3", "1-3", "1..99999", "..0"])
def test_wrong_ranges_are_refused(text: str) -> None:
    done = RUNNER.invoke(app, ["theory", "search", "ldim == 1", "--points", text])
    assert "to fix it" in str(done.exception)


def test_all_quantities_are_in_the_help() -> None:
    from littlestone.theory.atlas import QUANTITIES

    shown = " ".join(run("theory", "search", "--help").split())
    assert all(name in shown for name in QUANTITIES)
