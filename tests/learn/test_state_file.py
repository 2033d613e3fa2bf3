"""The file of a run: nothing else is written to, no damage goes unseen, and nobody shares it."""

from __future__ import annotations

import hashlib
import io
import os
import random
import shutil
import signal
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from littlestone.base.errors import ModelError, OutputError
from littlestone.classes import Subsets
from littlestone.learn.stream import DurableStream, KeyLearner, durable_run
from littlestone.learn.stream.state_file import damage_error, state_file
from littlestone.points import Integers
from littlestone.privacy import Budget
from littlestone.privacy.ledger import Ledger
from littlestone.privacy.randomness import seeded_generator

LEARNER = KeyLearner(Subsets(Integers(), 2), Budget(1, "1e-6"), horizon=3000)
RECORDS = [(t % 2, 1) if t % 9 == 0 else (10 + t, 0) for t in range(1500)]


@pytest.fixture
def ledger() -> Iterator[Ledger]:
    with Ledger() as book:
        yield book


@pytest.fixture
def state(tmp_path: Path) -> Path:
    return tmp_path / "run.state"


def begun(ledger: Ledger, state: Path) -> Any:
    return durable_run(
        LEARNER, ledger=ledger, dataset="d", label="bad == 1", state=state, rng=seeded_generator(1)
    )


def take(run: DurableStream, records: list[tuple[int, int]]) -> None:
    for x, y in records:
        run.stream.update(x, y)


def refused(ledger: Ledger, state: Path) -> str:
    """Why; the file is as it was, to the time of its last change."""
    content, changed = state.read_bytes(), state.stat().st_mtime_ns
    with pytest.raises((ModelError, OutputError)) as error, begun(ledger, state):
        pass
    assert (state.read_bytes(), state.stat().st_mtime_ns) == (content, changed)
    return error.value.found


# Files that are no state


def a_ledger(path: Path) -> None:
    with Ledger(path) as book:
        LEARNER.pay(book, "d", "bad == 1")


def a_parquet_file(path: Path) -> None:
    pq.write_table(pa.table({"id": [1, 2]}), path)


def another_run(path: Path) -> None:
    other = KeyLearner(LEARNER.hypotheses, Budget(2, "1e-6"), horizon=3000)
    with Ledger() as book, durable_run(other, ledger=book, dataset="d", label="l", state=path):
        pass


def holds(content: bytes) -> Callable[[Path], object]:
    return lambda path: path.write_bytes(content)


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (a_ledger, "not the state of a run"),
        (a_parquet_file, "not the state of a run"),
        (another_run, "another method, horizon, budget or size (there "),
        (another_run, "another label (there l; here bad == 1)"),
        (holds(b"id,bad\n1,0\n2,1\n"), "not the state of a run"),
        (holds(b"id,bad\n1,0\n2,1"), "not the state of a run"),
        (holds(b"a text"), "not the state of a run"),
        (holds(b"\n"), "not the state of a run"),
        (holds(b"\0" * 4096), "not the state of a run"),
        (holds(b"littlestone run"), "not the state of a run"),
        (holds(b'{\n  "format": "littlestone model 1",\n'), "not the state of a run"),
        (holds(b'{"format": "littlestone run 1", "class": "points(x)"}\n[1'), "littlestone 0.1"),
        (holds(b'littlestone run 2\n{"class": "points(x)"} 0123456789abcdef\n'), "earlier version"),
    ],
)
def test_another_file_is_left_as_it_is(
    make: Callable[[Path], object], words: str, ledger: Ledger, state: Path
) -> None:
    make(state)
    assert words in refused(ledger, state)
    assert ledger.entries("d") == []
    if make is a_ledger:
        with Ledger(state) as book:
            assert len(book.entries("d")) == 1


def test_nothing_is_taken_from_the_end_of_another_run(ledger: Ledger, state: Path) -> None:
    """Its last line is half written, as by a crash, or by a run that is under way elsewhere."""
    another_run(state)
    with state.open("ab") as file:
        file.write(b"[1, 2")
    assert "another method" in refused(ledger, state)
    # Of the right options, and paid for in another ledger.
    state.unlink()
    with Ledger() as other, begun(other, state):
        pass
    with state.open("ab") as file:
        file.write(b"[1, 2")
    assert "did not pay for it" in refused(ledger, state)


def test_an_empty_file_begins_a_run(ledger: Ledger, state: Path) -> None:
    state.touch()
    with begun(ledger, state) as run:
        assert not run.resumed
    with begun(ledger, state) as run:
        assert run.resumed


def test_a_file_that_is_no_lock_is_left_as_it_is(ledger: Ledger, state: Path) -> None:
    lock = state.with_name("run.state.lock")
    lock.write_text("mine")
    with pytest.raises(OutputError, match="is no lock"), begun(ledger, state):
        pass
    assert lock.read_text() == "mine"
    assert not state.exists()


# Damage


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[bytes, Ledger]]:
    """A state with a ledger that paid for it."""
    path = tmp_path_factory.mktemp("whole") / "run.state"
    with Ledger() as book:
        with begun(book, path) as run:
            take(run, RECORDS)
        yield path.read_bytes(), book


def lines_of(content: bytes) -> list[bytes]:
    return content.splitlines(keepends=True)


def shuffled(content: bytes, rng: random.Random) -> bytes:
    lines = lines_of(content)
    i, j = sorted(rng.sample(range(len(lines)), 2))
    lines[i], lines[j] = lines[j], lines[i]
    return b"".join(lines)


def one_removed(content: bytes, rng: random.Random) -> bytes:
    lines = lines_of(content)
    del lines[rng.randrange(len(lines) - 1)]  # the last may be missing after a crash
    return b"".join(lines)


def one_doubled(content: bytes, rng: random.Random) -> bytes:
    lines = lines_of(content)
    i = rng.randrange(len(lines))
    return b"".join([*lines[: i + 1], *lines[i:]])


def a_bit_flipped(content: bytes, rng: random.Random) -> bytes:
    place = rng.randrange(len(content))
    return content[:place] + bytes([content[place] ^ 1 << rng.randrange(8)]) + content[place + 1 :]


def the_last_end_flipped(content: bytes, rng: random.Random) -> bytes:
    return content[:-1] + bytes([content[-1] ^ 1 << rng.randrange(8)])


def a_part_zeroed(content: bytes, rng: random.Random) -> bytes:
    begin = rng.randrange(len(content) - 9)
    return content[:begin] + bytes(8) + content[begin + 8 :]


def a_line_replaced(content: bytes, rng: random.Random) -> bytes:
    lines = lines_of(content)
    lines[rng.randrange(len(lines))] = rng.choice(
        [
            b'{"steps": -5}\n',
            b"[%d, [], []]\n" % 10**40,
            b"9" * 5000 + b"\n",
            b"[" * 100_000 + b"\n",
            b"\xff\xfe\n",
            b"NaN\n",
            b"\n",
            b"\0" * 20 + b"\n",
        ]
    )
    return b"".join(lines)


def a_line_added(content: bytes, rng: random.Random) -> bytes:
    return content + rng.choice(lines_of(content)[1:])


MUTATIONS = [
    shuffled, one_removed, one_doubled, a_bit_flipped, the_last_end_flipped, a_part_zeroed,
    a_line_replaced, a_line_added,
]  # fmt: skip


@pytest.mark.parametrize("mutate", MUTATIONS)
def test_damage_is_refused_and_nothing_else_is_raised(
    mutate: Callable[[bytes, random.Random], bytes], whole: tuple[bytes, Ledger], state: Path
) -> None:
    content, ledger = whole
    rng = random.Random(1)
    for _ in range(120):
        state.write_bytes(mutate(content, rng))
        if state.read_bytes() != content:
            words = refused(ledger, state)
            assert words.startswith(("it is damaged", "it is not the state"))
    assert len(ledger.entries("d")) == 1


def test_a_file_that_was_cut_anywhere_goes_on_from_its_whole_lines(
    whole: tuple[bytes, Ledger], state: Path
) -> None:
    content, ledger = whole
    ends = [i for i, byte in enumerate(content, start=1) if byte == 10]
    first, header = ends[0], ends[1]
    for length in range(1, first):
        state.write_bytes(content[:length])
        assert "not the state of a run" in refused(ledger, state)
    # Only the end of a line may be missing from one that was written.
    resumed: dict[int, bytes] = {}
    for length in [*range(header - 1, len(content), 31), *ends[2:], *(e - 1 for e in ends[1:])]:
        state.write_bytes(content[:length])
        with begun(ledger, state) as run:
            assert run.resumed
        kept = content[: max(e for e in ends if e <= length + 1)]
        # A publication that was due is made at once, as it was before.
        assert content.startswith(state.read_bytes())
        assert state.read_bytes().startswith(kept)
        resumed[len(kept)] = kept
    assert len(resumed) == len(ends) - 1
    assert len(ledger.entries("d")) == 1


def test_a_run_whose_first_line_was_cut_begins_anew(
    whole: tuple[bytes, Ledger], state: Path
) -> None:
    """Nothing was drawn then."""
    content, _ = whole
    for length in (content.index(b"\n") + 1, content.index(b"\n") + 50):
        state.write_bytes(content[:length])
        with Ledger() as ledger:
            with begun(ledger, state) as run:
                assert not run.resumed
            assert len(ledger.entries("d")) == 1


def test_a_line_ends_in_the_digits_of_all_bytes_before(whole: tuple[bytes, Ledger]) -> None:
    """Those of SHA-256: a later version can tell what an earlier one wrote."""
    content, _ = whole
    place, *ends = (i for i, byte in enumerate(content) if byte == 10)
    for end in ends:
        space = content.rindex(b" ", place, end)
        seal = hashlib.sha256(content[:space]).hexdigest()[:16]
        assert content[space + 1 : end] == seal.encode()
        place = end


# Others


def test_the_lock_holds_when_the_file_is_replaced(ledger: Ledger, state: Path) -> None:
    with begun(ledger, state) as run:
        take(run, RECORDS[:100])
        copy = state.with_name("copy")
        shutil.copy(state, copy)
        copy.replace(state)  # as editors do
        with pytest.raises(OutputError, match="another process"), begun(ledger, state):
            pass


def appended(state: Path) -> None:
    with state.open("ab") as file:
        file.write(b"[]\n")


def replaced(state: Path) -> None:
    copy = state.with_name("copy")
    shutil.copy(state, copy)
    copy.replace(state)


def without_lock(state: Path) -> None:
    state.with_name("run.state.lock").unlink()


def with_another_lock(state: Path) -> None:
    """As somebody does who takes the lock for left over, and then has one of its own."""
    lock = state.with_name("run.state.lock")
    lock.with_name("new").touch()
    lock.with_name("new").replace(lock)


@pytest.mark.parametrize(
    "meddle", [appended, replaced, without_lock, with_another_lock, Path.unlink]
)
def test_a_run_stops_before_it_publishes_what_its_file_does_not_hold(
    meddle: Callable[[Path], object], ledger: Ledger, state: Path
) -> None:
    with begun(ledger, state) as run:
        take(run, RECORDS[:100])
        before = run.stream.hypothesis
        meddle(state)
        for _ in range(2):
            with pytest.raises(OutputError, match=r"meanwhile|an earlier line"):
                take(run, RECORDS[100:])
        assert run.stream.hypothesis == before


def follow_twice(ledger: Ledger, state: Path) -> None:
    with begun(ledger, state) as run:
        try:
            take(run, RECORDS)
        except OutputError:
            with pytest.raises(OutputError, match="an earlier line"):
                take(run, RECORDS)
            raise


@pytest.mark.parametrize("call", range(1, 8))
def test_a_disk_that_fails_stops_the_run_for_good(
    call: int, ledger: Ledger, state: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whichever line is lost, nothing that depends on it is published, then or later."""
    calls, honest = 0, os.fsync

    def failing(handle: int) -> None:
        nonlocal calls
        calls += 1
        if calls == call:
            raise OSError(28, "No space left on device")
        honest(handle)

    with monkeypatch.context() as patch:
        patch.setattr(os, "fsync", failing)
        with pytest.raises(OutputError, match="No space left"):
            follow_twice(ledger, state)
    # The first two calls are before the spend: the file says what it is, and its folder its name.
    assert len(ledger.entries("d")) == (call > 2)
    with begun(ledger, state) as run:
        take(run, RECORDS[run.stream.steps :])
        assert run.stream.hypothesis.words() == "x is one of 0, 1"


def test_a_line_is_written_whole_in_however_many_calls(
    state: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A system may take a part of what it is given, as where a signal comes."""

    class Slow(io.FileIO):
        def write(self, content: Any) -> int:
            return super().write(bytes(content)[:7])

    with monkeypatch.context() as patch:
        slow = lambda path, mode, buffering, opener: Slow(path, mode, opener=opener)  # noqa: E731
        patch.setattr("littlestone.learn.stream.state_file.open", slow, raising=False)
        with state_file(state) as file:
            assert file.read() == []
            file.append({"a": "long line"})
            file.append([1, 2, 3])
    with state_file(state) as file:
        assert list(map(file.value, file.read())) == [{"a": "long line"}, [1, 2, 3]]


def test_an_error_keeps_nothing_of_a_line(state: Path) -> None:
    """The error of the json module would hold all of it, as its ``doc``."""
    for line in (b"{SECRET", b"[" * 100_000):
        with state_file(state) as file, pytest.raises(ModelError) as error:
            file.value(line)
        assert str(error.value) == str(damage_error(state))
        assert error.value.__context__ is None


def test_a_line_that_another_hand_follows_at_once_is_not_relied_on(
    state: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    honest = os.fsync

    def meddled(handle: int) -> None:
        honest(handle)
        appended(state)

    with state_file(state) as file:
        file.read()
        file.append(["first"])
        monkeypatch.setattr(os, "fsync", meddled)
        with pytest.raises(OutputError, match="another program wrote to it"):
            file.append(["second"])


def test_a_hard_link_is_refused(ledger: Ledger, state: Path) -> None:
    with begun(ledger, state):
        pass
    other = state.with_name("other.state")
    other.hardlink_to(state)
    with pytest.raises(OutputError, match="hard link"), begun(ledger, other):
        pass


def test_a_symbolic_link_has_the_lock_of_its_file(ledger: Ledger, state: Path) -> None:
    other = state.with_name("other.state")
    other.symlink_to(state)
    with (
        begun(ledger, state),
        pytest.raises(OutputError, match="another process"),
        begun(ledger, other),
    ):
        pass


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no such call on this system")
def test_a_child_does_not_go_on_with_its_parents_run(ledger: Ledger, state: Path) -> None:
    with begun(ledger, state) as run:
        take(run, RECORDS[:50])
        if not (child := os.fork()):
            try:
                take(run, RECORDS[50:])
            except OutputError as error:
                os._exit(0 if "process that began it" in error.found else 2)
            finally:
                os.kill(os.getpid(), signal.SIGKILL)
        assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
        take(run, RECORDS[50:100])


def test_an_entry_of_another_ledger_did_not_pay(
    state: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It has the same number and cost, and another time."""
    with Ledger() as ledger, begun(ledger, state):
        pass
    with Ledger() as other:
        LEARNER.pay(other, "d", "bad == 1")
        entries = other.entries("d")
        late = [replace(entry, at="2031-01-01T00:00:00+00:00") for entry in entries]
        monkeypatch.setattr(other, "entries", lambda dataset: late)
        assert "did not pay for it" in refused(other, state)
