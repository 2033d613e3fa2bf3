"""Laws of online learners: their predictions, refused records, and equal objects as one record."""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Any

import numpy as np

from littlestone.base.errors import DeclarationError, LittlestoneError
from littlestone.prove.laws.domains import disguises
from littlestone.prove.laws.law import domain_points, expect
from littlestone.theory.game.players import OnlineLearner

Maker = Callable[[], OnlineLearner[Any]]

ROUNDS = 12
RUNS = 2
NO_LABELS: tuple[Any, ...] = (2, -1, None, "", "yes", 0.5, float("nan"))


def _stream(make: Maker, run: int) -> list[tuple[Any, int]]:
    """Random records; the learner may refuse those that contradict the earlier ones."""
    learner, rng = make(), random.Random(run)
    tried = domain_points(learner.hypothesis.domain)[:6]
    return [(rng.choice(tried), rng.randrange(learner.labels)) for _ in range(ROUNDS)]


def _view_of_learner(learner: OnlineLearner[Any]) -> tuple[object, ...]:
    """Everything that a learner shows: its function, with the types in it, and its predictions."""
    h = learner.hypothesis
    return repr(h), repr(h.to_json()), [h(x) for x in domain_points(h.domain)[:8]]


def _update(learner: OnlineLearner[Any], x: Any, y: Any) -> str:
    """The name of the error that a record caused; empty if there was none."""
    try:
        learner.update(x, y)
    except LittlestoneError as error:
        return type(error).__name__
    return ""


def predictions_follow_the_hypothesis(make: Maker) -> None:
    """predict(x) = hypothesis(x), which is a label, and predicting changes nothing."""
    for run in range(RUNS):
        learner = make()
        for t, (x, y) in enumerate(_stream(make, run)):
            before = _view_of_learner(learner)
            for z in domain_points(learner.hypothesis.domain)[:8]:
                guess, at = learner.predict(z), {"run": run, "t": t, "x": z}
                expect(guess in range(learner.labels), "a prediction is a label", **at)
                expect(guess == learner.hypothesis(z), "predict(x) = hypothesis(x)", **at)
            expect(_view_of_learner(learner) == before, "predicting changes nothing", run=run, t=t)
            _update(learner, x, y)


def a_refused_record_changes_nothing(make: Maker) -> None:
    """An update that raises does not change the learner."""
    for run in range(RUNS):
        learner = make()
        for t, (x, y) in enumerate(_stream(make, run)):
            before = _view_of_learner(learner)
            refused = _update(learner, x, y)
            law = "an update that raises changes nothing"
            expect(not refused or _view_of_learner(learner) == before, law, run=run, t=t, x=x, y=y)
        for z, label in [*((x, y) for y in NO_LABELS), (object(), 0), ((), 1)]:
            before = _view_of_learner(learner)
            refused = _update(learner, z, label)
            law = "an update that raises changes nothing"
            expect(not refused or _view_of_learner(learner) == before, law, run=run, y=repr(label))


def equal_objects_are_one_record(make: Maker) -> None:
    """True, 1.0, numpy's 1 and texts of derived types act like what they equal, or are refused.

    A refusal is a `DeclarationError`.  It concerns the object only, so the plain record can follow.
    """
    for run in range(RUNS):
        stream = _stream(make, run)
        for way in range(4):
            plain, other = make(), make()
            for t, (x, y) in enumerate(stream):
                # A domain may not take such an object as this point: on a grid of cents, a float is a
                # value and not a point.
                domain = plain.hypothesis.domain
                same = [z for z in disguises(x, harsh=False) if domain.own(z) == x]
                z = same[(3 * way + t) % len(same)] if same else x
                label = [bool(y), float(y), np.int64(y), y][way % 4] if y < 2 else y
                at = {"run": run, "t": t, "x": repr(z), "y": repr(label)}
                try:
                    guess = other.predict(z)
                except DeclarationError:
                    guess = plain.predict(x)
                expect(guess == plain.predict(x), "equal objects have one prediction", **at)
                outcome, before = _update(plain, x, y), _view_of_learner(other)
                given = _update(other, z, label)
                if given != outcome:
                    law = "equal objects are one record, or a DeclarationError"
                    refused = given == DeclarationError.__name__
                    expect(refused, law, **at, outcome=outcome, given=given)
                    expect(_view_of_learner(other) == before, "a refusal changes nothing", **at)
                    _update(other, x, y)
                expect(
                    _view_of_learner(other) == _view_of_learner(plain),
                    "equal objects leave one learner",
                    **at,
                )


PLAYER_LAWS: tuple[Callable[[Maker], None], ...] = (
    predictions_follow_the_hypothesis,
    a_refused_record_changes_nothing,
    equal_objects_are_one_record,
)
