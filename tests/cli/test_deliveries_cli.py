"""``littlestone stream --offset``: a source that delivers again, and a process that is killed."""

from __future__ import annotations

import io
import json
import random
import subprocess
import sys
from itertools import chain
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest
from pyarrow import parquet, table
from running import Ran, command, entries, run

from littlestone.cli.following import Following, print_lines
from littlestone.data import CsvStream
from littlestone.data.forms import Reading
from littlestone.learn.stream.private_stream import TakeResult
from littlestone.pictures.chart import Mistakes
from littlestone.points import Integers

HEADER = "offset,partition,id,bad,owner\n"
TOPIC = [f"{t // 3},{t % 3},d{t},1,{t % 1000}\n" for t in range(3000)]
"""Each record is a mistake, so the state has all of them that were taken and count."""


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def arguments(*more: object, table: object = "-", **changed: object) -> list[str]:
    options = {
        "dataset": "doors",
        "target": "bad",
        "positive": "1",
        "class": "subsets(id; at most 2)",
        "horizon": 9000,
        "epsilon": 1,
        "delta": "1e-6",
        "offset": "offset",
        "partition": "partition",
        **changed,
    }
    pairs = [part for name, v in options.items() if v is not None for part in (f"--{name}", str(v))]
    return ["stream", str(table), *pairs, *map(str, more)]


def piped(monkeypatch: pytest.MonkeyPatch, text: str, *more: object, **changed: object) -> Ran:
    """A call in this process with that text at its standard input."""
    with monkeypatch.context() as patch:
        patch.setattr(sys, "stdin", SimpleNamespace(buffer=io.BytesIO(text.encode())))
        return run(*arguments(*more, **changed))


def taken(state: str = "run.state") -> list[str]:
    """The ids of the records in a state."""
    _, _, *lines = Path(state).read_text().splitlines()
    batches = [json.loads(line.rpartition(" ")[0]) for line in lines]
    records = chain(*(told for batch in batches for _, told, _ in batch["lines"]))
    return [x for _, x, *_ in records]


def checked(done: Ran) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(done.out.splitlines()[-1])
    return found


@pytest.mark.deep
@pytest.mark.parametrize(
    ("unit", "count"), [((), 3000), (("--unit", "owner", "--max-records", 2), 2000)], ids=str
)
def test_a_record_is_counted_once_whatever_is_killed_and_delivered_again(
    unit: tuple[object, ...], count: int
) -> None:
    """Of the three records of an owner the third one does not count."""
    rng, kills = random.Random(1), 3
    for call in range(kills + 1):
        program = command(*arguments("--predictions", *unit, state="run.state"))
        pipe = subprocess.PIPE
        with subprocess.Popen(program, stdin=pipe, stdout=pipe, stderr=pipe, text=True) as live:
            assert live.stdin is not None
            assert live.stdout is not None
            live.stdin.write(HEADER)
            begin, last = 0, call == kills
            while begin < len(TOPIC) * (call + 1) // (kills + 1):
                begin = max(0, begin - rng.randrange(200))
                end = begin + rng.randrange(200, 500)
                live.stdin.write("".join(TOPIC[begin:end]))
                begin = end
            if last:
                told, _ = live.communicate("".join(TOPIC))
                assert '"prediction"' in told
                assert live.returncode == 0
            else:
                live.stdin.flush()
                for _ in range(rng.randrange(2, 300)):
                    live.stdout.readline()
                live.kill()
    assert sorted(taken()) == sorted(f"d{t}" for t in range(count))
    assert entries(Path("littlestone.ledger")) == [1]


def test_what_is_ignored_is_said_and_still_predicted(monkeypatch: pytest.MonkeyPatch) -> None:
    odd = ["-1,0,a,1\n", "x,0,b,1\n", "7,,c,1\n", "\n", '"4,0,d,1\n', f"{2**63},0,e,1\n"]
    text = HEADER + "".join([*TOPIC[:6], *odd, *TOPIC[2:9]])
    done = piped(monkeypatch, text, "--evaluate", "--predictions", state="run.state")
    assert done.status == 0
    predicted = [line for line in map(json.loads, done.out.splitlines()) if "prediction" in line]
    assert [line["record"] for line in predicted] == list(range(1, 20))
    assert checked(done) == {"NOT PRIVATE": True, "records": 9, "mistakes": 9}
    said = " ".join(done.err.split())
    assert "4 records taken before and 6 without a usable offset" in said
    assert "records taken before were delivered again; they are ignored" in said
    assert taken() == [f"d{t}" for t in range(9)]
    again = piped(monkeypatch, HEADER + "".join(TOPIC[:10]), "--evaluate", state="run.state")
    assert (checked(again)["records"], "9 records taken before" in again.err) == (1, True)


def test_a_line_that_its_writer_did_not_end_is_delivered_again(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    piped(monkeypatch, (HEADER + "".join(TOPIC[:4]))[:-5], state="run.state")
    assert taken() == ["d0", "d1", "d2"]
    piped(monkeypatch, HEADER + "".join(TOPIC[:4]), state="run.state")
    assert taken() == ["d0", "d1", "d2", "d3"]
    # Without offsets it would be lost.
    piped(monkeypatch, "id,bad\nd0,1\nd1,1", offset=None, partition=None, state="other.state")
    assert taken("other.state") == ["d0", "d1"]


def test_a_file_is_read_by_its_offsets_too(monkeypatch: pytest.MonkeyPatch) -> None:
    for begin, end in ((0, 40), (20, 70)):
        Path("doors.csv").write_text(HEADER + "".join(TOPIC[begin:end]))
        assert run(*arguments(table="doors.csv", state="run.state")).status == 0
    assert taken() == [f"d{t}" for t in range(70)]
    offsets = [t // 3 for t in range(90)]
    ids = [f"d{t}" for t in range(90)]
    columns = {"id": ids, "bad": [1] * 90, "partition": [t % 3 for t in range(90)]}
    parquet.write_table(table({**columns, "offset": offsets}), "doors.parquet")
    done = run(*arguments(table="doors.parquet", state="run.state"))
    assert (done.status, taken()) == (0, ids)


def test_without_a_state_records_are_counted_once_in_the_call(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    done = piped(monkeypatch, HEADER + "".join(TOPIC[:9] + TOPIC[:9]), "--evaluate", horizon=9)
    assert checked(done)["records"] == 9
    assert "the horizon" not in done.err
    done = piped(monkeypatch, HEADER + "".join(TOPIC[:9] + TOPIC[:9]), "--evaluate", horizon=8)
    assert checked(done)["records"] == 9
    assert "the horizon of 8 steps is over; the last rule stays" in done.err


@pytest.mark.parametrize(
    ("changed", "more", "words"),
    [
        ({"offset": None}, [], "there is no column of offsets"),
        ({"offset": "position"}, [], "'position'"),
        ({"partition": None}, ["--multiline"], "leave out --multiline"),
        ({"offset": "partition", "partition": None}, [], "let each line begin with 'partition'"),
        ({"partition": "id"}, [], "partitions from 'id': they are public"),
        ({"offset": "bad"}, [], "partitions from 'bad': they are public"),
        ({"partition": "offset"}, [], "name two columns"),
    ],
)
def test_what_is_refused(
    changed: dict[str, Any], more: list[str], words: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    done = piped(monkeypatch, HEADER + TOPIC[0], *more, **changed)
    assert done.status == 2
    assert words in " ".join(done.err.split())
    assert entries(Path("littlestone.ledger")) == []


def test_a_state_of_other_offsets_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    piped(monkeypatch, HEADER + TOPIC[0], state="run.state")
    done = piped(monkeypatch, HEADER + TOPIC[0], state="run.state", offset=None, partition=None)
    assert done.status == 2
    assert "another way to take records" in " ".join(done.err.split())


@pytest.mark.deep
def test_each_record_of_a_slow_pipe_is_answered_at_once() -> None:
    program = command(*arguments("--predictions", state="run.state"))
    pipe = subprocess.PIPE
    with subprocess.Popen(program, stdin=pipe, stdout=pipe, text=True) as live:
        assert live.stdin is not None
        assert live.stdout is not None
        live.stdin.write(HEADER)
        for t in range(5):
            live.stdin.write(TOPIC[t])
            live.stdin.flush()
            while "prediction" not in (line := json.loads(live.stdout.readline())):
                pass
            assert line["record"] == t + 1
            assert len(taken()) == t + 1  # it is kept before it is answered
        live.stdin.close()
        assert live.wait() == 0


def test_arrivals_are_the_rows() -> None:
    """In blocks that end anywhere."""
    rng = random.Random(4)
    pieces = ["a", "7", ",", ",", '"', "\n", "\n", "\r\n", "\r", "\u00e9", "\ud800", ""]
    for _ in range(300):
        text = "".join(rng.choice(pieces) for _ in range(rng.randrange(40)))
        content = b"x,y,z\n" + text.encode("utf-8", "surrogatepass")
        whole = CsvStream(io.BytesIO(content), name="a").rows(["z", "x"])
        blocks = CsvStream(Slow(content, rng), name="a").arrivals(["z", "x"])
        assert list(chain(*blocks)) == list(whole)


class Slow(io.BytesIO):
    """A pipe from which a few bytes at a time can be read."""

    def __init__(self, content: bytes, rng: random.Random) -> None:
        super().__init__(content)
        self._rng = rng

    def read1(self, size: int | None = -1, /) -> bytes:
        return self.read(self._rng.randrange(1, 9))


class TwoBatches:
    """A run that goes on after step 5, and draws at the end of each batch."""

    offsets, units, resumed = None, None, True

    def __init__(self) -> None:
        self.stream = SimpleNamespace(steps=5, hypothesis=lambda x: 0)

    def take(
        self, records: list[Any], places: object, units: object
    ) -> tuple[list[bool], TakeResult]:
        self.stream.steps += len(records)
        return [True] * len(records), TakeResult([], [self.stream.steps])


def test_mistakes_have_the_steps_of_their_batches(capsys: pytest.CaptureFixture[str]) -> None:
    learner: Any = SimpleNamespace(hypotheses=SimpleNamespace(domain=Integers()), horizon=50)
    run, label = cast("Any", TwoBatches()), cast("Any", int)
    following = Following(
        run,
        learner,
        label,
        show=print_lines,
        reading=Reading(),
        places=0,
        predictions=False,
        evaluate=True,
    )
    following.take([("7", "1"), ("8", "0")])
    following.take([("7", "1")])
    assert following.end() == Mistakes(begin=5, end=8, steps=[6, 8], draws=[7, 8])
    assert json.loads(capsys.readouterr().out)["mistakes"] == 2
