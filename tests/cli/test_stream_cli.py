"""``littlestone stream``: what it prints is private, and ``kill -9`` changes nothing."""

from __future__ import annotations

import gzip
import json
import os
import random
import signal
import subprocess
import time
from pathlib import Path
from typing import Any

import pytest
from running import command, entries, run

from littlestone.cli import following
from littlestone.data import table as tables
from littlestone.learn.stream.keys import KeyStream
from littlestone.pictures.chart import Mistakes, Publication, figure

TABLE = "id,day,bad\n" + "".join(
    f"d{t % 2},{t},1\n" if t % 11 == 0 else f"x{t},{t},0\n" for t in range(4000)
)


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    Path("table.csv").write_text(TABLE)
    return tmp_path


def arguments(table: str = "table.csv", *more: object, **changed: object) -> list[str]:
    options = {
        "target": "bad",
        "positive": "1",
        "class": "subsets(id; at most 2)",
        "horizon": 4000,
        "epsilon": 1,
        "delta": "1e-6",
        **{name.rstrip("_"): value for name, value in changed.items()},
    }
    pairs = [part for name, value in options.items() for part in (f"--{name}", str(value))]
    return ["stream", table, *pairs, *map(str, more)]


def lines(text: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in text.splitlines()]


def test_only_the_private_release_is_printed() -> None:
    done = run(*arguments())
    header, *published = lines(done.out)
    assert header["private"] is True
    assert (header["epsilon"], header["delta"]) == ("1", "0.000001")
    assert header["ledger entry"] == 1
    assert header["method"] == (
        "keys, of at most 74 mistakes on clean labels, proved with 95% confidence, also on a stream "
        "that reacts to what is published; "
        "teachers, of about 279 in simulations, on a stream that does not react to what is published"
    )
    assert [set(line) for line in published] == [{"step", "rule", "hypothesis"}] * 3
    assert published[0]["rule"] == "always 0"
    assert published[-1]["rule"] == "id is one of 'd0', 'd1'"


def test_a_baseline_is_taken_by_its_name() -> None:
    header, first = lines(run(*arguments(method="staged", class_="thresholds(day, 0..9)")).out)
    assert "sparse sampling" in header["mechanism"]
    assert float(header["epsilon"]) <= 1
    assert first["step"] == 0


def test_blocks_may_have_equal_sizes() -> None:
    some = {"class_": "thresholds(day, 0..4000)", "state": "run", "seed": 5}
    done = run(*arguments("table.csv", block=1000, **some))
    header, *published = lines(done.out)
    assert header["method"] == (
        "blocks of 1,000 records each, asked for, on a stream that does not react to what is published"
    )
    assert [line["step"] for line in published] == [0, 1000, 2000, 3000, 4000]
    other = run(*arguments("table.csv", block=2000, **some))
    assert other.status == 2
    assert "repeat all options" in other.err
    refused = run(*arguments("table.csv", block=1000, method="keys"))
    assert refused.status == 2
    assert "this method has no blocks" in refused.err
    header, *_ = lines(run(*arguments("table.csv", block=15, class_=some["class_"], seed=5)).out)
    assert "in a block n = 15 is too few" in header["method"]
    refused = run(*arguments("table.csv", block=9000, class_=some["class_"]))
    assert "or declare a longer horizon or shorter blocks" in refused.err


def test_what_is_not_private_says_so() -> None:
    done = run(*arguments("table.csv", "--evaluate", "--predictions", seed=5))
    header, *rest = lines(done.out)
    assert header["private"] is False
    *predicted, last = [line for line in rest if line.get("NOT PRIVATE")]
    assert len(predicted) == 4000
    assert last["records"] == 4000
    named = [line["prediction"] for line in predicted]
    labels = [int(t % 11 == 0) for t in range(4000)]
    assert last["mistakes"] == sum(a != b for a, b in zip(named, labels, strict=True))
    assert 30 < last["mistakes"] < 150


@pytest.mark.deep
def test_records_come_through_a_pipe_as_they_are_written() -> None:
    program = command(*arguments("-", dataset="doors"))
    with subprocess.Popen(
        program, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as live:
        assert live.stdin is not None
        assert live.stdout is not None
        live.stdin.write("id,bad\n")
        live.stdin.flush()
        found = [json.loads(live.stdout.readline()) for _ in range(2)]
        live.stdin.write("d7,1\n" * 200)
        live.stdin.flush()
        # It answers before the pipe is closed.
        found.append(json.loads(live.stdout.readline()))
        live.stdin.close()
        assert live.wait() == 0
    assert found[-1]["rule"] == "id is 'd7'"


@pytest.mark.deep
def test_ctrl_c_ends_it_in_good_order() -> None:
    program = command(*arguments("-", "--evaluate", dataset="doors"))
    pipe = subprocess.PIPE
    with subprocess.Popen(program, stdin=pipe, stdout=pipe, stderr=pipe, text=True) as live:
        assert live.stdin is not None
        assert live.stdout is not None
        assert live.stderr is not None
        live.stdin.write("id,bad\n" + "d7,1\n" * 200)
        live.stdin.flush()
        for _ in range(3):
            live.stdout.readline()
        live.send_signal(signal.SIGINT)
        last = json.loads(live.stdout.read().splitlines()[-1])
        assert live.wait() == 130
        assert f"interrupted at step {last['records']}; the budget is spent" in live.stderr.read()
    assert last["NOT PRIVATE"] is True
    assert 20 < last["records"] <= 200


@pytest.mark.parametrize("state", [None, "run.state"])
def test_an_interrupted_run_says_whether_it_goes_on(
    monkeypatch: pytest.MonkeyPatch, state: str | None
) -> None:
    """What it took of the batch in which it was interrupted counts for nothing."""
    honest, mistakes = KeyStream._mistaken, 0

    def interrupted(self: Any, x: Any, y: int) -> None:
        nonlocal mistakes
        mistakes += 1
        if self.steps > 2000:
            raise KeyboardInterrupt
        honest(self, x, y)

    monkeypatch.setattr(KeyStream, "_mistaken", interrupted)
    rows = "".join(f"y{t},0,1\n" for t in range(1100))
    Path("table.csv").write_text(TABLE.partition("\n")[0] + "\n" + 2 * rows)
    done = run(*arguments(method="keys", **({} if state is None else {"state": state})))
    assert done.status == 130
    assert mistakes > 2000
    assert "interrupted at step 1024; the " in done.err
    assert ("with --state" in done.err) == (state is None)
    assert ("same command goes on from there" in done.err) == (state is not None)


def test_a_reader_that_leaves_is_told_of_the_budget(monkeypatch: pytest.MonkeyPatch) -> None:
    def closed(*_: Any) -> None:
        raise BrokenPipeError(32, "Broken pipe")

    monkeypatch.setattr(following, "json_text", closed)
    done = run(*arguments())
    assert done.status == 1
    assert "the reader of the output left at step 0; the budget is spent" in done.err
    assert entries(Path("littlestone.ledger")) == [1]


@pytest.mark.parametrize("state", [None, "run.state"])
def test_a_damaged_file_is_told_of_the_budget(state: str | None) -> None:
    table = Path(arguments()[1])
    whole = gzip.compress(table.read_bytes(), compresslevel=0)
    cut = table.with_suffix(".csv.gz")
    cut.write_bytes(whole[:-20])
    done = run("stream", str(cut), *arguments(**({} if state is None else {"state": state}))[2:])
    assert done.status == 2
    assert "the table cannot be read further at step " in done.err
    assert ("the budget is spent" in done.err) == (state is None)
    assert "file is damaged" in " ".join(done.err.split())
    assert entries(Path("littlestone.ledger")) == [1]


def test_a_full_disk_stops_it_before_it_prints_what_the_state_does_not_hold(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    honest, written, published = os.fsync, 0, dict[int, str]()

    def full(handle: int) -> None:
        nonlocal written
        written += 1
        if not written % 9:
            raise OSError(28, "No space left on device")
        honest(handle)

    monkeypatch.setattr(os, "fsync", full)
    monkeypatch.setattr(tables, "_ROWS", 100)
    refused = 0
    for _ in range(60):
        done = run(*arguments("table.csv", state="run.state"))
        for line in lines(done.out):
            if "step" in line:
                assert published.setdefault(line["step"], line["rule"]) == line["rule"]
        if done.status == 0:
            break
        refused += 1
        assert "run.state: No space left on device" in done.err
    assert refused > 3
    assert list(published.values())[-1] == "id is one of 'd0', 'd1'"
    assert sorted(published) == list(published)
    assert entries(Path("littlestone.ledger")) == [1]


KILLS = 6


@pytest.mark.deep
def test_kill_9_draws_and_spends_nothing_twice() -> None:
    rng, published = random.Random(3), dict[int, str]()
    kills = 0
    for _ in range(10 * KILLS):
        program = command(*arguments("table.csv", state="run.state"))
        with subprocess.Popen(program, stdout=subprocess.PIPE, text=True) as live:
            assert live.stdout is not None
            if kills < KILLS:
                live.stdout.readline()  # the run has begun, or goes on
                time.sleep(rng.random() * 0.05)
                kills += live.poll() is None
                live.kill()
            out = live.stdout.read()
            live.wait()
        whole = [line for line in out.splitlines(keepends=True) if line.endswith("\n")]
        for line in map(json.loads, whole):
            if "step" in line:
                # A line may be printed again after a crash, and says the same.
                assert published.setdefault(line["step"], line["rule"]) == line["rule"]
        if live.returncode == 0:
            break
    assert list(published.values())[-1] == "id is one of 'd0', 'd1'"
    assert sorted(published) == list(published)
    assert entries(Path("littlestone.ledger")) == [1]


@pytest.mark.parametrize(
    ("changed", "words"),
    [
        ({"table": "-"}, "name it: --dataset NAME"),
        ({"class": "thresholds(day, 0..9)", "method": "keys"}, "not a class of finite sets"),
        ({"class": "subsets(bad; at most 2)"}, "holds the label itself"),
        ({"class": "subsets(nothing; at most 2)"}, "'nothing'"),
        ({"horizon": 0}, "horizon must be"),
        ({"delta": 0}, "delta"),
        ({"method": "magic"}, "no such method"),
        ({"state": os.devnull}, "run in /dev/null"),
    ],
)
def test_what_is_refused(changed: dict[str, object], words: str) -> None:
    table = str(changed.pop("table", "table.csv"))
    done = run(*arguments(table, **changed))
    assert done.status == 2
    assert words in " ".join(done.err.split())
    assert entries(Path("littlestone.ledger")) == []


@pytest.mark.parametrize("content", ['{"format": "littlestone model 1"}', "id,bad\n1,2\n"])
def test_no_lock_is_left_beside_a_file_that_is_no_state(folder: Path, content: str) -> None:
    Path("m1.json").write_text(content)
    done = run(*arguments(state="m1.json"))
    assert done.status == 2
    assert "it is not the state of a run" in done.err
    assert not Path("m1.json.lock").exists()


def test_the_method_says_why() -> None:
    header, *_ = lines(run(*arguments(method="teachers")).out)
    assert header["method"].startswith("teachers, asked for, on a stream that does not react")


def test_mistakes_are_those_of_this_call() -> None:
    Path("start.csv").write_text("".join(TABLE.splitlines(keepends=True)[:1001]))
    shared = {"state": "run.state", "dataset": "doors", "seed": 1}
    *_, first = lines(run(*arguments("start.csv", "--evaluate", **shared)).out)
    *_, second = lines(run(*arguments("table.csv", "--evaluate", **shared)).out)
    assert set(first) == {"NOT PRIVATE", "records", "mistakes"}
    assert second["counted in"] == "this call alone, not in earlier ones"
    assert second["records"] <= 4000 - 1000 + 100


def test_the_figure_is_of_the_release_alone() -> None:
    """Other records, right ones, make the same file; and so does the same release again."""
    Path("other.csv").write_text(TABLE.replace("x", "y"))
    for name in ("table", "other"):
        done = run(*arguments(f"{name}.csv", "--figure", f"{name}.svg", seed=1))
        assert done.status == 0
    drawn = Path("table.svg").read_text()
    assert drawn == Path("other.svg").read_text()
    for words in ("always 0", "id is one of", "bad == 1, subsets(id; at most 2)", "epsilon 1"):
        assert words in drawn
    assert "a simulation: NOT PRIVATE" in drawn
    assert "mistakes" not in drawn


def test_a_figure_of_mistakes_says_that_it_is_not_private() -> None:
    done = run(*arguments("table.csv", "--evaluate", "--figure", "run.svg"))
    assert done.status == 0
    drawn = Path("run.svg").read_text()
    assert ">NOT PRIVATE<" in drawn
    assert "simulation" not in drawn
    assert "since the last publication" in drawn
    assert run(*arguments("table.csv", "--figure", "run.PNG")).status == 0
    assert Path("run.PNG").read_bytes()[1:4] == b"PNG"


def test_many_rules_are_counted_and_not_named() -> None:
    published = [Publication(10 * i, f"rule {i}") for i in range(40)]
    for named, part in ((True, published[:24]), (False, published)):
        drawn = figure(part, 1000, ["many", "rules"], kind="svg").decode()
        assert ("rule 17" in drawn) is named
        assert ("40 rules" in drawn) is not named
    at_once = [Publication(0, "always 0"), Publication(1, "$x$ \n_1")]
    assert "$x$  _1" in figure(at_once, 1, ["a", "b"], kind="svg", mistakes=Mistakes(0)).decode()


@pytest.mark.parametrize("name", ["run.pdf", "table.csv", "absent/run.svg", "littlestone.ledger"])
def test_a_figure_that_cannot_be_kept_spends_nothing(name: str) -> None:
    assert run(*arguments("table.csv", "--figure", name)).status == 2
    assert entries(Path("littlestone.ledger")) == []


def test_a_figure_may_not_replace_the_state() -> None:
    done = run(*arguments("table.csv", "--figure", "run.svg", state="run.svg"))
    assert done.status == 2
    assert "is the same file as --state" in " ".join(done.err.split())
