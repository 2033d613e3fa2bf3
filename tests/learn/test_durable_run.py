"""A run in a file goes on after a crash: paid once, nothing drawn twice, nothing told on the way."""

from __future__ import annotations

import inspect
import json
import random
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest

from littlestone.base.discovery import concrete
from littlestone.base.errors import DeclarationError, ModelError, OutputError
from littlestone.classes import EqualityRules, FiniteClass, Subsets, Thresholds, parse_class
from littlestone.classes.text.declared import DeclaredClass, digest
from littlestone.learn.stream import (
    BlockLearner,
    ConfirmedLearner,
    DurableStream,
    HedgeLearner,
    KeyLearner,
    PrivateOnlineLearner,
    RuleLearner,
    StagedOnlineLearner,
    TalliedLearner,
    TeacherLearner,
    durable_run,
)
from littlestone.learn.stream.state_file import lock_of, state_file
from littlestone.points import Integers
from littlestone.privacy import Budget
from littlestone.privacy.ledger import Ledger
from littlestone.privacy.mechanisms import competition
from littlestone.privacy.randomness import seeded_generator
from littlestone.privacy.tape import Tape

HORIZON = 3000
LEARNER = KeyLearner(Subsets(Integers(), 2), Budget(1, "1e-6"), horizon=HORIZON)
RECORDS = [(t % 2, 1) if t % 9 == 0 else (10 + t, 0) for t in range(HORIZON)]


@pytest.fixture
def ledger() -> Iterator[Ledger]:
    with Ledger() as book:
        yield book


def run(
    ledger: Ledger,
    state: Path | None,
    seed: int = 1,
    label: str = "bad == 1",
    learner: PrivateOnlineLearner[Any] = LEARNER,
) -> Any:
    rng = seeded_generator(seed)
    return durable_run(learner, ledger=ledger, dataset="d", label=label, state=state, rng=rng)


def follow(begun: DurableStream, records: Sequence[tuple[Any, int]]) -> list[tuple[int, str]]:
    """What is published while ``records`` are taken."""
    published = []
    for x, y in records:
        before = begun.stream.hypothesis
        begun.stream.update(x, y)
        if begun.stream.hypothesis is not before:
            published.append((begun.stream.published_at, begun.stream.hypothesis.words()))
    return published


def values(state: Path) -> list[object]:
    """What the lines of a state say, each before the seal at its end."""
    _, *lines = state.read_text().splitlines()
    return [json.loads(line.rpartition(" ")[0]) for line in lines]


@pytest.mark.parametrize("cut", [1, 300, 777, 1500])
def test_a_run_goes_on_where_its_draws_left_it(cut: int, ledger: Ledger, tmp_path: Path) -> None:
    state = tmp_path / "run.state"
    with run(ledger, state) as begun:
        first = follow(begun, RECORDS[:cut])
    entries = state.read_bytes()
    with run(ledger, state, seed=2) as again:
        assert again.resumed
        begin = again.stream.steps
        assert begin <= cut
        # Nothing is drawn for the steps after the last entry: they publish what they published.
        replayed = follow(again, RECORDS[begin:cut])
        assert state.read_bytes()[: len(entries)] == entries
        assert again.stream.published_at == (first[-1][0] if first else 0)
        assert set(replayed) <= set(first)
        rest = follow(again, RECORDS[cut:])
    assert len(first) + len(rest) == 2
    assert len(ledger.entries("d")) == 1


def test_nothing_is_drawn_again(
    ledger: Ledger, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    state = tmp_path / "run.state"
    with run(ledger, state) as begun:
        follow(begun, RECORDS[:400])
    drawn = 0

    def refused(*arguments: object, **options: object) -> int:
        nonlocal drawn
        drawn += 1
        return 0

    monkeypatch.setattr(competition, "geometric", refused)
    with run(ledger, state) as again:
        follow(again, RECORDS[again.stream.steps : 400])
    assert drawn == 0


def test_a_draw_is_kept_before_anything_depends_on_it(ledger: Ledger, tmp_path: Path) -> None:
    """At every step the file holds all that was drawn: a copy of it publishes the same so far."""
    state = tmp_path / "run.state"
    with run(ledger, state) as begun:
        for t, (x, y) in enumerate(RECORDS[:600], start=1):
            begun.stream.update(x, y)
            if t % 60 == 0:
                entries = [line for line in values(state) if isinstance(line, list)]
                copy = LEARNER.resume(entries, Tape(random.Random(0)))
                copy.skip_to(t)
                assert copy.hypothesis == begun.stream.hypothesis
                assert copy.published_at == begun.stream.published_at


def test_what_a_run_that_goes_on_draws_is_kept_too(ledger: Ledger, tmp_path: Path) -> None:
    """Or a third call would draw it again."""
    state = tmp_path / "run.state"
    shown: list[list[tuple[int, str]]] = []
    for begin, end in ((0, 200), (200, 500), (500, 900)):
        with run(ledger, state, seed=begin) as begun:
            follow(begun, RECORDS[begun.stream.steps : begin])
            shown.append(follow(begun, RECORDS[begin:end]))
            hypothesis = begun.stream.hypothesis
        entries = [line for line in values(state) if isinstance(line, list)]
        copy = LEARNER.resume(entries, Tape(random.Random(0)))
        copy.skip_to(end)
        assert copy.hypothesis == hypothesis
    assert sum(map(len, shown)) == 2
    assert len(shown[0]) < 2


def test_a_line_that_was_cut_short_is_cut_off(ledger: Ledger, tmp_path: Path) -> None:
    state = tmp_path / "run.state"
    with run(ledger, state) as begun:
        follow(begun, RECORDS[:100])
    whole = state.read_bytes()
    state.write_bytes(whole[:-4])
    with run(ledger, state) as again:
        assert again.resumed
    assert state.read_bytes() == whole[: whole[:-1].rfind(b"\n") + 1]


def test_records_that_cannot_be_read_again_are_skipped_in_public(
    ledger: Ledger, tmp_path: Path
) -> None:
    """Where a run goes on must not tell when it drew last."""
    for cut in (1003, 1500, 1999):
        state = tmp_path / f"{cut}.state"
        with run(ledger, state) as begun:
            follow(begun, RECORDS[:cut])
        with run(ledger, state) as again:
            again.stream.skip()
            assert again.stream.steps == 2000


def test_records_that_are_remembered_cannot_be_gone(ledger: Ledger, tmp_path: Path) -> None:
    """The line of a mistake has all right records before it: with one mistake less, none is kept."""
    learner, state = (
        TeacherLearner(Thresholds.on(0, 9), Budget(1, "1e-6"), horizon=HORIZON),
        tmp_path / "s",
    )
    with run(ledger, state, learner=learner) as begun:
        follow(begun, RECORDS[:30])
    with run(ledger, state, learner=learner) as again:
        with pytest.raises(DeclarationError, match="batches=True"):
            again.stream.skip()
        assert again.stream.steps <= 30


def test_a_draw_at_a_public_step_does_not_tell(ledger: Ledger, tmp_path: Path) -> None:
    """The crash comes before the step is noted in public; one of two neighbours drew in it."""
    for y in (0, 1):
        state = tmp_path / f"{y}.state"
        with run(ledger, state) as begun:
            follow(begun, RECORDS[:1999])
            lines = len(values(state))
            begun.stream.update(5000, y)
            assert len(values(state)) == lines + y + 1
        whole = state.read_bytes()
        state.write_bytes(whole[: whole[:-1].rfind(b"\n") + 1])
        with run(ledger, state) as again:
            again.stream.skip()
            assert again.stream.steps == 2000


def test_it_goes_on_again_from_a_public_step(ledger: Ledger, tmp_path: Path) -> None:
    """Whatever the second call drew, and although it did not reach the next thousand."""
    for drew in (False, True):
        state = tmp_path / f"{drew}.state"
        with run(ledger, state) as begun:
            follow(begun, RECORDS[:300])
        with run(ledger, state) as again:
            again.stream.skip()
            follow(again, [(5000, int(drew))] * 700)
        with run(ledger, state) as third:
            third.stream.skip()
            assert third.stream.steps == 2000


def test_what_is_shown_next_does_not_tell_of_the_last_draw(ledger: Ledger, tmp_path: Path) -> None:
    """A point is published at a step that draws nothing; only one of two neighbours draws later."""
    bold = KeyLearner(Subsets(Integers(), 2), Budget(5, "0.5"), horizon=HORIZON)
    for last in (0, 1):
        state = tmp_path / f"{last}.state"
        with run(ledger, state, seed=3, learner=bold) as begun:
            follow(begun, [(1, 1)] * 3)
            drawn = len(state.read_bytes().splitlines())
            follow(begun, [(7, 0)] * (HORIZON // 2))
            shown = begun.stream.published_at
            assert shown > 3
            assert len(state.read_bytes().splitlines()) == drawn + 2  # this and step 1,000
            follow(begun, [(9, last), (7, 0)])
        with run(ledger, state, learner=bold) as again:
            assert again.stream.published_at == shown


def test_another_run_is_refused(ledger: Ledger, tmp_path: Path) -> None:
    state = tmp_path / "run.state"
    with run(ledger, state), pytest.raises(OutputError, match="another process"):
        run(ledger, state).__enter__()
    with pytest.raises(ModelError, match="another run"):
        run(ledger, state, label="good == 1").__enter__()
    draws = durable_run(LEARNER, ledger=ledger, dataset="d", label="bad == 1", state=state)
    with pytest.raises(ModelError, match="another kind of randomness"):
        draws.__enter__()
    with Ledger() as other, pytest.raises(ModelError, match="entry 1 of the ledger"):
        run(other, state).__enter__()
    assert len(ledger.entries("d")) == 1


def test_a_table_that_changed_is_another_class(ledger: Ledger, tmp_path: Path) -> None:
    """Its text is the same, and no line of the state contradicts it."""
    state = tmp_path / "run.state"
    tables = [FiniteClass.from_array([[0, 0], [0, 1], [1, y]]) for y in (1, 0)]
    one, other = (ConfirmedLearner(H, Budget(1), horizon=300, warm=1) for H in tables)
    assert str(one.hypotheses) == str(other.hypotheses)
    with run(ledger, state, learner=one) as begun:
        follow(begun, [("x0", 1)] * 60)
    with pytest.raises(ModelError, match="another class"):
        run(ledger, state, learner=other).__enter__()
    with run(ledger, state, learner=one) as again:
        assert again.resumed


CUTS, RULES = Thresholds.on(0, 30), EqualityRules.over_columns("origin", "dest", max_literals=2)
SIZES: list[tuple[type[PrivateOnlineLearner[Any]], Any, dict[str, list[Any]]]] = [
    (BlockLearner, CUTS, {"first": [7, 8], "growth": [1, 2]}),
    (HedgeLearner, CUTS, {"block": [7, 8]}),
    (KeyLearner, CUTS, {}),
    (RuleLearner, RULES, {"doubt": ["0.1", "0.01"]}),
    (ConfirmedLearner, CUTS, {"doubt": ["0.1", "0.0001"], "warm": [64, 128]}),
    (TalliedLearner, CUTS, {"threshold": [30, 40]}),
    (
        TeacherLearner,
        CUTS,
        {
            "draws": [3, 5],
            "teachers": [20, 30],
            "threshold": [10, 20],
            "list_size": [2, 3],
            "most": [10, 20],
        },
    ),
    (
        StagedOnlineLearner,
        CUTS,
        {
            "adversary": ["oblivious", "adaptive"],
            "calls": [2, 3],
            "draws": [2, 3],
            "teachers": [4000, 5000],
            "threshold": [100, 200],
            "cap": [2, 3],
            "list_size": [2, 3],
            "most": [10, 20],
        },
    ),
]


def test_each_learner_has_its_sizes_here() -> None:
    kinds: list[type[Any]] = concrete(PrivateOnlineLearner, "littlestone.learn.stream")
    found = set(kinds)
    assert found == {kind for kind, _, _ in SIZES}
    for kind, _, sizes in SIZES:
        named = inspect.signature(kind).parameters.values()
        assert {p.name for p in named if p.kind is p.KEYWORD_ONLY} == {"horizon", *sizes}


@pytest.mark.parametrize(
    ("kind", "H", "size", "values"),
    [(kind, H, size, values) for kind, H, sizes in SIZES for size, values in sizes.items()],
)
def test_a_run_of_other_sizes_is_another_run(kind: Any, H: Any, size: str, values: Any) -> None:
    """A size that the ledger does not know may still decide what is drawn next."""
    one, other = (
        kind(H, Budget(1, "1e-6"), horizon=3000, **{size: n}).declared_sizes for n in values
    )
    assert one != other


OPEN = [("trees", "depth"), ("rule_list", "at most"), ("rule_sets", "at most 1 rule of")]


def test_equal_classes_and_no_others_have_equal_digests() -> None:
    kinds: list[Any] = concrete(DeclaredClass, "littlestone.classes")
    examples = [H for kind in kinds for H in kind.examples()]
    examples += [parse_class(f"{kind}(a; {size} 1)") for kind, size in OPEN]
    digests = list(map(digest, examples))
    for H, own in zip(examples, digests, strict=True):
        assert [G == H for G in examples] == [other == own for other in digests]


def test_what_a_file_declares_is_written_before_the_spend(
    ledger: Ledger, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(H: object) -> str:
        raise RecursionError

    learner = BlockLearner(parse_class("trees(a; depth 1)"), Budget(1, "1e-6"), horizon=3000)
    given: dict[str, Any] = {"ledger": ledger, "dataset": "d", "label": "y"}
    with monkeypatch.context() as patched:
        patched.setattr("littlestone.learn.stream.run.digest", fail)
        with pytest.raises(RecursionError):
            durable_run(learner, state=tmp_path / "one", **given).__enter__()
    assert ledger.entries("d") == []
    with durable_run(learner, state=tmp_path / "one", **given) as begun:
        assert not begun.resumed


@pytest.mark.parametrize(
    "line",
    [
        '"nonsense"',
        "[]",
        "[-5, [], []]",
        "[99999999999999, [], []]",
        "[0, [], [0]]",
        "[9, [], [0, 9]]",
        "[9, [[9, 1, 1, 1]], []]",
        "[9, [[9, 1, 1, 1]], [0]]",
        "[9, [[9, 1, 1, 1]], [0, 8]]",
        "[9, [[9, 1, 1, 1]], [0, 3002]]",
        "[9, [[9, 1, 1, 1]], [-1]]",
        "[9, [[9, 1, 1, 1]], [5, 9]]",
        "[9, [[9, 1, 1, 1]], [5, null]]",
        "[9, [[9, 1, 0, 1]], [5]]",
        "[9, [[9, 1, null, 1]], [5]]",
        "[9, [[9, 1, 2, 1]], [5]]",
        "[9, [[9, 1, 1, 0]], [5]]",
        "[9, [[10, 1, 1, 1]], [5]]",
        '[9, [[9, "a", 1, 1]], [5]]',
        '{"steps": 5}',
    ],
)
def test_an_entry_that_no_learner_wrote_is_refused(
    line: str, ledger: Ledger, tmp_path: Path
) -> None:
    """Even with a seal that is right."""
    state = tmp_path / "run.state"
    with run(ledger, state):
        pass
    with state_file(state) as file:
        file.read()
        file.append(json.loads(line))
    with pytest.raises(ModelError):
        run(ledger, state).__enter__()


def test_the_file_is_for_its_owner(ledger: Ledger, tmp_path: Path) -> None:
    state = tmp_path / "run.state"
    with run(ledger, state):
        for name in (state, lock_of(state)):
            assert name.stat().st_mode & 0o777 == 0o600
    with pytest.raises(OutputError):
        run(ledger, tmp_path).__enter__()
