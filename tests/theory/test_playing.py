from __future__ import annotations

import json
import random
import signal
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest

from littlestone.base.errors import DeclarationError, RealizabilityError, TableError
from littlestone.classes import FiniteClass, Points, Thresholds, parse_class
from littlestone.points import Grid, Reals, Strings
from littlestone.theory.game import (
    Adversary,
    FileAdversary,
    Halving,
    RandomAdversary,
    Round,
    SequenceAdversary,
    StandardOptimalAlgorithm,
    Transcript,
    TreeAdversary,
    play,
)

H = Thresholds.on(0, 9, "delay")


class Interrupting(Adversary[int]):
    """Presses Ctrl+C while the learner waits for the label of the third round."""

    def __init__(self) -> None:
        self.points: Iterator[int] = iter(range(10))

    def next_point(self) -> int:
        return next(self.points)

    def label(self, x: int, prediction: int) -> int:
        if x == 2:
            signal.raise_signal(signal.SIGINT)
        return 0


def test_ctrl_c_keeps_the_rounds_so_far() -> None:
    learner = StandardOptimalAlgorithm(H)
    transcript = play(learner, Interrupting())
    assert transcript.interrupted
    assert [played.x for played in transcript.rounds] == [0, 1]
    assert learner.version_space == H.restrict(0, 0).restrict(1, 0)


def test_a_transcript_is_plain_data() -> None:
    transcript = play(StandardOptimalAlgorithm(H), SequenceAdversary([(9, 1), (0, 0), (0, 0)]))
    assert transcript.rounds == (Round(9, 1, 1), Round(0, 0, 0), Round(0, 0, 0))
    assert transcript.mistakes == 0
    assert not transcript.interrupted
    assert json.loads(json.dumps(transcript.table())) == transcript.table()
    assert Transcript(()).table() == []


def test_the_table_shows_points_as_values_of_their_column() -> None:
    price = Thresholds.over(Grid(0, 999, "price", Grid(0, 1).unit / 100))
    transcript = play(StandardOptimalAlgorithm(price), TreeAdversary(price), rounds=1)
    assert transcript.table(price.domain.words) == [
        {"round": 1, "point": "4.99", "prediction": 1, "label": 0, "mistakes": 1}
    ]


def test_rounds_bound_the_game() -> None:
    assert len(play(StandardOptimalAlgorithm(H), TreeAdversary(H), rounds=2).rounds) == 2
    assert len(play(StandardOptimalAlgorithm(H), TreeAdversary(H), rounds=99).rounds) == 3
    assert play(StandardOptimalAlgorithm(H), TreeAdversary(H), rounds=0) == Transcript(())
    with pytest.raises(DeclarationError, match="whole number of at least 0"):
        play(StandardOptimalAlgorithm(H), TreeAdversary(H), rounds=-1)
    with pytest.raises(DeclarationError, match="give a number of rounds"):
        play(StandardOptimalAlgorithm(H), RandomAdversary(H))


@pytest.mark.parametrize("learner", [StandardOptimalAlgorithm(H), Halving(H)], ids=["soa", "half"])
def test_a_contradiction_names_the_round_and_leaves_the_learner_as_it_was(
    learner: StandardOptimalAlgorithm[int] | Halving[int],
) -> None:
    with pytest.raises(RealizabilityError) as caught:
        play(learner, SequenceAdversary([(4, 1), (6, 1), (7, 0), (5, 1)]))
    assert str(caught.value) == (
        "cannot play round 3 and learn that '7' has the label 0: every hypothesis that agrees with "
        "the examples before gives it another label\nto fix it: declare a larger class, or "
        "correct the label: the game needs one hypothesis that agrees with all labels"
    )
    assert learner.version_space == H.restrict(4, 1)


@pytest.mark.parametrize("learner", [StandardOptimalAlgorithm(H), Halving(H)], ids=["soa", "half"])
def test_points_and_labels_that_are_none_are_refused(
    learner: StandardOptimalAlgorithm[int] | Halving[int],
) -> None:
    with pytest.raises(DeclarationError, match="not in the domain"):
        learner.predict(10)
    with pytest.raises(DeclarationError, match="not in the domain"):
        learner.update(-1, 0)
    with pytest.raises(DeclarationError, match="a label is 0 or 1"):
        learner.update(4, 2)
    with pytest.raises(DeclarationError, match="a label is 0 or 1"):
        SequenceAdversary([(4, 1), (5, -1)])
    assert learner.version_space == H


def test_an_unknown_name_is_refused_by_a_finite_class_too() -> None:
    with pytest.raises(DeclarationError, match="not in the domain"):
        StandardOptimalAlgorithm(FiniteClass.from_array([[0], [1]])).predict("nobody")


def test_a_seeded_random_adversary_repeats_itself() -> None:
    transcripts = [
        play(StandardOptimalAlgorithm(H), RandomAdversary(H, rng=random.Random(3)), rounds=20)
        for _ in range(2)
    ]
    assert transcripts[0] == transcripts[1]


def test_a_random_adversary_keeps_its_target() -> None:
    target = H.hypothesis(6)
    adversary = RandomAdversary(H, rng=random.Random(0), target=target)
    transcript = play(StandardOptimalAlgorithm(H), adversary, rounds=50)
    assert all(played.y == target(played.x) for played in transcript.rounds)
    with pytest.raises(DeclarationError, match="another domain"):
        RandomAdversary(Thresholds.on(0, 5), target=target)
    with pytest.raises(DeclarationError, match="it is empty"):
        RandomAdversary(H.restrict(3, 1).restrict(3, 0))


def test_a_random_target_of_a_finite_class_is_uniform() -> None:
    small = Thresholds.on(0, 2)
    by_index: Counter[object] = Counter()
    by_labels: Counter[object] = Counter()
    rng = random.Random(5)
    for _ in range(2000):
        by_index[RandomAdversary(small, rng=rng).target] += 1
        lazy = RandomAdversary(small, rng=rng)
        lazy.target = None
        by_labels[tuple(lazy.label(x, 0) for x in (1, 0, 2))] += 1
    for counts in (by_index, by_labels):
        assert len(counts) == 4
        assert all(430 < count < 570 for count in counts.values())


@pytest.mark.parametrize("seed", range(5))
def test_random_play_over_infinite_classes_is_realizable(seed: int) -> None:
    names = Points(Strings())
    adversary = RandomAdversary(names, rng=random.Random(seed))
    assert play(StandardOptimalAlgorithm(names), adversary, rounds=60).mistakes <= 1
    reals = RandomAdversary(Thresholds.over(Reals()), rng=random.Random(seed))
    V = Thresholds.over(Reals())
    for _ in range(30):
        x = reals.next_point()
        V = V.restrict(x, reals.label(x, 0))
    assert not V.is_empty()


@pytest.mark.parametrize(
    "text", ["delay,y\n3,0\n7.5,1\n", "3,0\n\n7.9,1", '\ufeffdelay, Y\n"3",0\n7, 1\n']
)
def test_a_file_is_played_with_or_without_a_header(tmp_path: Path, text: str) -> None:
    path = tmp_path / "sequence.csv"
    path.write_text(text, encoding="utf-8")
    transcript = play(StandardOptimalAlgorithm(H), FileAdversary(path, H))
    assert [(played.x, played.y) for played in transcript.rounds] == [(3, 0), (7, 1)]


def test_a_header_says_where_the_columns_are(tmp_path: Path) -> None:
    path, rules = tmp_path / "sequence.csv", parse_class("rules(merchant, device; at most 2)")
    path.write_text("fraud,device,merchant\n1,phone,acme\n")
    transcript = play(StandardOptimalAlgorithm(rules), FileAdversary(path, rules))
    assert [(played.x, played.y) for played in transcript.rounds] == [(("acme", "phone"), 1)]
    assert str(transcript).endswith(("0 mistakes in 1 round", "1 mistake in 1 round"))
    for header in ("merchant,city,fraud", "merchant,merchant,fraud", "merchant,device,city,fraud"):
        path.write_text(f"{header}\nacme,phone,1\n")
        with pytest.raises(TableError, match="does not name the columns of the class"):
            FileAdversary(path, rules)


def test_a_wrong_label_is_answered_by_what_play_has() -> None:
    with pytest.raises(RealizabilityError) as error:
        play(StandardOptimalAlgorithm(H), SequenceAdversary([(3, 1), (4, 0)]))
    assert "agnostic" not in str(error.value)


def test_a_file_may_hold_any_first_column(tmp_path: Path) -> None:
    path = tmp_path / "sequence.csv"
    path.write_bytes(b"1e999999999,1\nnan,0\n\xff\xfe,0\n,0\n")
    transcript = play(StandardOptimalAlgorithm(H), FileAdversary(path, H))
    assert [played.x for played in transcript.rounds] == [9, 0, 0, 0]


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("delay,y\n3,0\n7,yes\n", "the label in line 3 is 'yes', not 0 or 1"),
        ("3,1.5\n3,0\n", "the label in line 1 is '1.5', not 0 or 1"),
        ("3,0\n\n4,2\n", "the label in line 3 is '2', not 0 or 1"),
        ("3,0\n4,0,1\n", "line 2 has 3 columns in place of 2"),
        ("3\n", "line 1 has 1 columns in place of 2"),
        ("delay,y\n3,0\nx,y\n", "the label in line 3 is 'y', not 0 or 1"),
        ("delay,y\n", "it has no rows"),
        ("", "it has no rows"),
    ],
    ids=range(8),
)
def test_a_wrong_file_is_refused_by_line(tmp_path: Path, text: str, found: str) -> None:
    path = tmp_path / "sequence.csv"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(TableError, match=found):
        FileAdversary(path, H)


def test_a_file_that_is_not_there_is_refused(tmp_path: Path) -> None:
    for path in (tmp_path / "none.csv", tmp_path):
        with pytest.raises(TableError, match="give a readable CSV file"):
            FileAdversary(path, H)


def test_records_of_several_columns_are_played_from_a_file(tmp_path: Path) -> None:
    H = parse_class("rules(merchant, device; at most 2)")
    path = tmp_path / "game.csv"
    path.write_text("merchant,device,label\nacme,phone,1\nacme,card,0\n")
    transcript = play(StandardOptimalAlgorithm(H), FileAdversary(path, H))
    assert [one.x for one in transcript.rounds] == [("acme", "phone"), ("acme", "card")]
    path.write_text("acme,1\n")
    with pytest.raises(TableError, match="2 columns in place of 3"):
        FileAdversary(path, H)
