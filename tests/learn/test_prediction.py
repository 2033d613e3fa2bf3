"""Private prediction: the joint view of everybody but a record's owner, exactly."""

from __future__ import annotations

import copy
import json
import logging
import operator
import pickle
import pprint
import random
from collections.abc import Callable, Iterator
from fractions import Fraction
from functools import cache
from itertools import accumulate
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from exact_draws import Draws, apart
from littlestone.base.errors import DeclarationError
from littlestone.classes import FiniteClass, Points, Subsets, Thresholds
from littlestone.learn.stream import prediction
from littlestone.learn.stream.prediction import (
    Copies,
    OwnPrediction,
    PredictionLearner,
    PredictionStream,
)
from littlestone.points import Integers
from littlestone.privacy import Budget
from littlestone.privacy.ledger import Ledger
from littlestone.privacy.mechanisms.between_thresholds import Answer, BetweenThresholds
from littlestone.privacy.mechanisms.competition import Epoch
from littlestone.privacy.mechanisms.one_sided_threshold import OneSidedThreshold
from littlestone.privacy.randomness import seeded_generator
from littlestone.privacy.tape import Tape
from littlestone.prove.audit.claims import hockey_stick, neighbours
from littlestone.theory.game import StandardOptimalAlgorithm
from scripted import Script

Record = tuple[int, int]
Law = dict[Any, Fraction]
RECORDS = [(0, 0), (0, 1), (1, 1)]
COPIES, STEPS = 2, 3
RATIOS = [Fraction(1), Fraction(2), Fraction(4), Fraction(8)]


class Counter(OneSidedThreshold):
    """With r = 2, and threshold 1."""

    shrink = Fraction(1, 2)


class Votes(BetweenThresholds):
    """With r = 2."""

    steepness = 1


VOTES = Votes(budget=Budget(1, Fraction(1, 10)), voters=COPIES, threshold=2, hits=1, horizon=STEPS)
GATE = Counter(epsilon=Fraction(1), threshold=1, horizon=STEPS)


class Known:
    """A class that remembers its version spaces."""

    def __init__(self, space: Any) -> None:
        self.space, self.domain = space, space.domain
        self.soa, self.restrict = cache(space.soa), cache(self._restrict)
        self.is_empty = cache(space.is_empty)

    def _restrict(self, x: Any, y: int) -> Known:
        return Known(self.space.restrict(x, y))


POINTS = Known(Points(Integers()))


@cache
def answers_of(n: int) -> tuple[list[Answer], list[Fraction]]:
    law = VOTES.probabilities(n)
    return list(law), list(law.values())


class Gateless:
    """The stream's learner, whose votes follow a script and whose gate stays open."""

    horizon = 10

    def __init__(self, script: Script) -> None:
        self.hypotheses, self.votes = POINTS, self
        self.gate, self.voters, self._script = self, COPIES, script

    def answer(self, n: int, rng: random.Random) -> Answer:
        answers, weights = answers_of(n)
        return answers[self._script.choose(weights)]

    def begin(self, step: int, tape: Tape) -> Epoch:
        return Epoch(0, 0, 1 << 30)

    def count_record(self, epoch: Epoch, step: int, tape: Tape) -> Epoch:
        return epoch


class Process:
    """The law of all answers of the stream's own code, and of the step at which the gate ends it."""

    stream: type[PredictionStream[Any]] = PredictionStream
    copies: type[Copies[Any]] = Copies

    def law(self, records: tuple[Record, ...]) -> Law:
        script = Script()

        def run() -> tuple[Answer, ...]:
            stream = self.stream(Gateless(script), Tape(script.generator()))  # type: ignore[arg-type]
            stream.begin()
            answers = []
            for x, y in records:
                stream.predict(x)
                assert stream._asked is not None
                answers.append(stream._asked[1:])
                stream.update(x, y)
            return tuple(answers)

        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(prediction, "Copies", self.copies)
            return script.explore(run)

    def ends(self, uncertain: tuple[bool, ...]) -> dict[int | None, Fraction]:
        """When the gate ends the session, if ever."""
        return first_hit(uncertain)

    def view(self, law: Law, hidden: int | None) -> Law:
        """All answers up to the end, but the one that only its record's owner sees."""
        found: Law = {}
        for answers, p in law.items():
            for end, q in self.ends(tuple(not certain for _, certain in answers)).items():
                seen = answers[:end]
                others = (end, *seen)
                if hidden is not None:
                    others = (end, *seen[:hidden], *seen[hidden + 1 :])
                found[others] = found.get(others, Fraction(0)) + p * q
        return found


@cache
def first_hit(uncertain: tuple[bool, ...]) -> dict[int | None, Fraction]:
    gaps = [GATE.threshold - count for count in accumulate(uncertain)]
    ends: dict[int | None, Fraction] = {
        u: GATE._first_hit(gaps[:u]) for u in range(1, len(gaps) + 1)
    }
    return ends | {None: 1 - sum(ends.values(), Fraction(0))}


@cache
def worst(steps: int, hits: int, ratio: Fraction) -> Fraction:
    """The largest divergence of any adaptive questions whose votes differ by at most 1."""
    if not steps or not hits:
        return max(Fraction(0), 1 - ratio)
    laws = [VOTES.probabilities(n) for n in range(COPIES + 1)]
    return max(
        sum(
            (
                p[a] * worst(steps - 1, hits - (not a[1]), ratio * q[a] / p[a])
                for a in p
            ),
            Fraction(0),
        )
        for i, p in enumerate(laws)
        for q in laws[max(0, i - 1) : i + 2]
    )  # fmt: skip


@cache
def claimed(ratio: Fraction) -> Fraction:
    """By Theorem 2: the gate's ratio, and the questions with 1 + Z uncertain answers, of all Z."""
    inside = ratio * GATE.shrink
    few = sum(
        (Fraction(1, 2 ** (z + 1)) * worst(STEPS - 1, 1 + z, inside) for z in range(4)), Fraction(0)
    )
    return few + Fraction(1, 16) * worst(STEPS - 1, STEPS, inside)


def excesses(process: Process) -> Iterator[Fraction]:
    """By how much the claim is exceeded, one neighbouring pair of streams after another."""
    law = cache(process.law)
    view = cache(lambda records, hidden: process.view(law(records), hidden))
    for a, b in neighbours(RECORDS, STEPS):
        hidden = next(t for t in range(STEPS) if a[t] != b[t])
        p, q = view(a, hidden), view(b, hidden)
        assert sum(p.values()) == sum(q.values()) == 1
        yield max(
            hockey_stick(one, other, ratio) - claimed(ratio)
            for ratio in RATIOS
            for one, other in ((p, q), (q, p))
        )


def test_the_joint_view_is_private() -> None:
    assert max(excesses(Process())) <= 0


def test_a_records_own_prediction_tells_others_its_point() -> None:
    """Exactly: all copies know a point, and a prediction at epsilon 1 tells it from another point."""
    made = PredictionLearner(Points(Integers()), Budget(1, "1e-6"), horizon=200_000)
    copies = Copies(made.hypotheses, made.votes.voters)
    for copy_of_soa in range(made.votes.voters):
        copies.feed(copy_of_soa, 7, 1)
    known, other = (made.votes.probabilities(copies.votes(x)) for x in (7, 8))
    for one, two in ((known, other), (other, known)):
        p, q = (
            {y: sum((m for (a, _), m in law.items() if a == y), Fraction(0)) for y in (0, 1)}
            for law in (one, two)
        )
        above_e = Fraction(2719, 1000)
        assert hockey_stick(p, q, above_e) > Fraction(99, 100) > made.votes.delta


def excess_of_labels(process: Process) -> Fraction:
    """By how much all answers together, of records that differ in one label alone, break the claim."""
    law = cache(process.law)
    found = []
    for a, b in neighbours(RECORDS, STEPS):
        if [x for x, _ in a] == [x for x, _ in b]:
            p, q = process.view(law(a), None), process.view(law(b), None)
            found += [hockey_stick(p, q, r) - claimed(r) for r in RATIOS]
            found += [hockey_stick(q, p, r) - claimed(r) for r in RATIOS]
    return max(found)


def test_all_predictions_together_hide_a_label() -> None:
    assert excess_of_labels(Process()) <= 0
    assert excess_of_labels(Everybody()) > 0


HIDDEN = "OwnPrediction(hidden)"


@pytest.mark.parametrize("label", [0, 1])
def test_nothing_shows_a_prediction_by_accident(label: int, capsys: Any, caplog: Any) -> None:
    prediction = OwnPrediction(label)
    assert prediction.reveal_to_owner() == label
    shown = [
        repr(prediction),
        str(prediction),
        f"{prediction}",
        f"{prediction!r}",
        "%s" % prediction,  # noqa: UP031
    ]
    assert shown == [HIDDEN] * 5
    assert pprint.pformat([prediction, {"a": prediction}]) == f"[{HIDDEN}, {{'a': {HIDDEN}}}]"
    print(prediction)  # noqa: T201
    logging.getLogger().warning("predicted %s", prediction)
    assert capsys.readouterr().out == f"{HIDDEN}\n"
    assert caplog.messages == [f"predicted {HIDDEN}"]
    assert str(np.array([prediction, prediction])) == f"[{HIDDEN} {HIDDEN}]"


ACTS: list[Callable[[Any], object]] = [
    json.dumps, int, float, bool, hash, vars, pickle.dumps, copy.copy, copy.deepcopy, operator.index,
    lambda prediction: prediction == 1, lambda prediction: prediction != 1,
    lambda prediction: prediction in {0: "no", 1: "yes"}, lambda prediction: [0, 1].index(prediction),
    lambda prediction: prediction + 0, lambda prediction: prediction < 1,
    lambda prediction: f"{prediction:d}", lambda prediction: "%d" % prediction,  # noqa: UP031
    lambda prediction: [0, 1][prediction], lambda prediction: np.array([prediction]).astype(int),
]  # fmt: skip


@pytest.mark.parametrize("act", ACTS)
def test_no_other_act_takes_the_label(act: Callable[[Any], object]) -> None:
    said = set()
    for label in (0, 1):
        with pytest.raises((DeclarationError, TypeError)) as refused:
            act(OwnPrediction(label))
        said.add(f"{refused.type} {refused.value}")
    assert len(said) == 1  # the same for both labels


class SameAnswer(PredictionStream[Any]):
    """Who asks for the point of the step before gets its answer, with the same noise."""

    last: Any = None

    def predict(self, x: Any) -> OwnPrediction:
        super().predict(x)
        if self.last is not None and self.last[0] == x:
            self._asked = self.last
        self.last = self._asked
        assert self._asked is not None
        return OwnPrediction(self._asked[1])


class Reused(Process):
    stream = SameAnswer


class EveryCopy(Copies[Any]):
    """All copies learn the record."""

    def feed(self, copy: int, x: Any, y: int) -> None:
        for each in range(len(self._states)):
            super().feed(each, x, y)


class Everybody(Process):
    copies = EveryCopy


@pytest.mark.parametrize("plant", [Reused, Everybody])
def test_planted_bugs_are_caught(plant: type[Process]) -> None:
    assert any(excess > 0 for excess in excesses(plant()))


def exact_end(uncertain: tuple[bool, ...]) -> dict[int | None, Fraction]:
    """The session ends with the first uncertain answer, that of the record's owner too."""
    return {uncertain.index(True) + 1 if True in uncertain else None: Fraction(1)}


def told(ends: Callable[[tuple[bool, ...]], dict[int | None, Fraction]]) -> Fraction:
    """The largest ratio of the chances of an end, with the owner's answer uncertain or certain."""
    pairs = list(neighbours([False, True], 4))
    both = [*pairs, *((b, a) for a, b in pairs)]
    return max(
        p / q if (q := ends(b).get(end)) else Fraction(10**9)
        for a, b in both
        for end, p in ends(a).items()
    )


def test_the_end_hides_whether_the_owners_vote_was_uncertain() -> None:
    assert told(first_hit) == 2
    assert told(exact_end) > 2


class SeesTheRecord(Copies[Any]):
    """The record goes to the first copy that errs on it."""

    def feed(self, copy: int, x: Any, y: int) -> None:
        errs = [i for i, state in enumerate(self._states) if self._rules[state](x) != y]
        super().feed(errs[0] if errs else copy, x, y)


def moved(kind: type[Copies[Any]]) -> int:
    """The most votes by which three copies of neighbouring streams differ, if all are fed."""
    H = Thresholds.on(0, 6)
    rng = random.Random(1)
    records = [(x, y) for x in range(7) for y in (0, 1)]
    most = 0
    for _ in range(400):
        rows = [rng.choice(records) for _ in range(5)]
        other = [rng.choice(records), *rows[1:]]
        copies, others = kind(H, 3), kind(H, 3)
        for one, two in zip(rows, other, strict=True):
            place = rng.randrange(3)
            copies.feed(place, *one)
            others.feed(place, *two)
        most = max(most, *(abs(copies.votes(x) - others.votes(x)) for x in range(7)))
    return most


def test_one_record_moves_one_vote() -> None:
    assert moved(Copies) == 1


@pytest.mark.parametrize("plant", [SeesTheRecord, EveryCopy])
def test_planted_assignments_are_caught(plant: type[Copies[Any]]) -> None:
    assert moved(plant) > 1


def as_it_runs(
    kind: type[PredictionStream[Any]], records: tuple[Record, ...], rare: Fraction
) -> tuple[Law, Fraction]:
    """The law of all answers and of the end by the stream's own code, and what is left out: the rare.

    Of answers after the end, which are those of the SOA of the class, only the label is shown.
    """

    def run(rng: random.Random) -> tuple[Any, ...]:
        own = SimpleNamespace(answer=VOTES.answer, voters=COPIES, gate=GATE)
        made: Any = SimpleNamespace(hypotheses=POINTS, votes=own, horizon=STEPS + 1)
        stream, shown = kind(made, Tape(rng)), list[Any]()
        stream.begin()
        for x, y in records:
            over = stream.over
            label = stream.predict(x).reveal_to_owner()
            assert stream._asked is not None
            shown.append((over, label) if over else (over, stream._asked[1:]))
            stream.update(x, y)
        return (*shown, stream.over)

    law, left_out = Draws(rare).law(run)
    return law, left_out


@cache
def by_parts(records: tuple[Record, ...]) -> Law:
    """The same, by the law of all answers of a stream without gate, and that of its gate."""
    process, found = Process(), dict[Any, Fraction]()
    for answers, p in process.law(records).items():
        for end, q in process.ends(tuple(not certain for _, certain in answers)).items():
            last = len(records) if end is None else end
            seen = [(False, answer) for answer in answers[:last]]
            after = [(True, POINTS.soa()(x)) for x, _ in records[last:]]
            shown = (*seen, *after, end is not None)
            found[shown] = found.get(shown, Fraction(0)) + p * q
    return found


def runs_as_audited(kind: type[PredictionStream[Any]], rare: Fraction) -> bool:
    records = ((0, 1), (0, 1))
    law, left_out = as_it_runs(kind, records, rare)
    assert left_out < 1000 * rare
    return apart(law, by_parts(records)) <= left_out


class GateCountsMistakes(PredictionStream[Any]):
    """What is counted are mistakes, and not the uncertain answers that are paid for."""

    def update(self, x: object, y: object) -> None:
        assert self._asked is not None
        point, label, _ = self._asked
        self._asked = point, label, label == y
        super().update(x, y)


class NeverEnds(PredictionStream[Any]):
    """The session ends with the horizon, however many answers were uncertain."""

    def update(self, x: object, y: object) -> None:
        super().update(x, y)
        self.over = self.steps == self._learner.horizon


class VotesAfterTheEnd(PredictionStream[Any]):
    """After the end no record is looked at, and the copies vote on."""

    def predict(self, x: object) -> OwnPrediction:
        over, self.over = self.over, False
        label = super().predict(x)
        self.over = over
        return label


@pytest.mark.deep
def test_a_stream_answers_and_ends_as_is_audited() -> None:
    assert runs_as_audited(PredictionStream, Fraction(1, 10**5))


@pytest.mark.deep
@pytest.mark.parametrize("plant", [GateCountsMistakes, NeverEnds, VotesAfterTheEnd])
def test_planted_ends_are_caught(plant: type[PredictionStream[Any]]) -> None:
    assert not runs_as_audited(plant, Fraction(1, 10**4))


def learner(H: Any, horizon: int = 3000, **options: Any) -> PredictionLearner[Any]:
    declared: dict[str, Any] = {"budget": Budget(20, "1e-3"), "horizon": horizon}
    return PredictionLearner(H, **declared | options)


def mistakes(made: PredictionLearner[Any], records: Any, seed: int = 0) -> list[int]:
    with Ledger() as ledger:
        stream = made.start(ledger=ledger, dataset="d", rng=seeded_generator(seed))
        assert ledger.total("d") == made.cost()
    found = []
    for t, (x, y) in enumerate(records):
        if stream.predict(x).reveal_to_owner() != y:
            found.append(t)
        stream.update(x, y)
    return found


@pytest.mark.parametrize("d", [1, 2])
def test_it_learns(d: int) -> None:
    rng = random.Random(3)
    records = [(x, int(x < d)) for x in (rng.randrange(10) for _ in range(2000))]
    found = mistakes(learner(Subsets(Integers(), d), horizon=2000), records)
    assert sum(t > 1500 for t in found) < 25 * d  # half of the positive ones


@pytest.mark.parametrize(("label", "certain"), [(1, False), (1, True), (0, False), (0, True)])
def test_a_copy_learns_where_the_answer_was_wrong_or_uncertain(label: int, certain: bool) -> None:
    """The only copy gives the point 0; of its record, labelled 1, it hears then alone."""
    votes: Any = SimpleNamespace(answer=lambda n, rng: (label, certain), voters=1)
    votes.gate = SimpleNamespace(count_record=lambda epoch, step, tape: epoch)
    made: Any = SimpleNamespace(hypotheses=POINTS, votes=votes, horizon=9)
    stream = PredictionStream[Any](made, Tape(seeded_generator(1)))
    stream.predict(5)
    stream.update(5, 1)
    assert stream._copies.votes(5) == (label == 0 or not certain)


def test_copies_are_conservative_soas() -> None:
    rng = random.Random(5)
    H = FiniteClass.from_array([[rng.randrange(2) for _ in range(8)] for _ in range(20)])
    copies, plain = Copies(H, 2), StandardOptimalAlgorithm(H)
    target = H.hypothesis(4)
    wrong = 0
    for _ in range(60):
        x = rng.choice(list(H.domain))
        if plain.predict(x) != target(x):
            plain.update(x, target(x))
            wrong += 1
        copies.feed(0, x, target(x))
        votes = copies.votes(x)
        assert votes == plain.hypothesis(x) + H.soa()(x)
    assert 0 < wrong <= H.littlestone_dimension()
    for y in (0, 1):  # no hypothesis is left for one of them
        for x in H.domain:
            copies.feed(0, x, y)


def test_nothing_happens_after_the_horizon_and_the_order_of_calls() -> None:
    made = learner(Points(Integers()), horizon=5)
    with Ledger() as ledger:
        stream = made.start(ledger=ledger, dataset="d", rng=seeded_generator(1))
    for _ in range(8):
        stream.predict(3)
        with pytest.raises(DeclarationError, match="has not got its label"):
            stream.predict(3)
        with pytest.raises(DeclarationError, match="not the one"):
            stream.update(4, 1)
        stream.update(3, 1)
    assert (stream.steps, stream.over) == (5, True)
    with pytest.raises(DeclarationError):
        stream.update(3, 1)


@pytest.mark.parametrize(
    "wrong", [{"copies": 0}, {"hits": 0}, {"budget": Budget(1)}, {"horizon": 0}], ids=str
)
def test_what_is_refused(wrong: dict[str, Any]) -> None:
    with pytest.raises(DeclarationError):
        learner(Points(Integers()), **wrong)
