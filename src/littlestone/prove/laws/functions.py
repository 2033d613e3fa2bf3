"""Laws of functions, and of online learners."""

from __future__ import annotations

import json
import math
import pickle
import random
from collections.abc import Callable, Sequence
from itertools import combinations, islice
from typing import Any

import numpy as np

from littlestone.base.errors import DeclarationError, LittlestoneError
from littlestone.classes.base import Enumerable
from littlestone.prove.laws.domains import disguises
from littlestone.prove.laws.law import (
    Class,
    domain_points,
    expect,
    label_range,
    points,
    version_spaces,
)
from littlestone.rules import Hypothesis, disagreement, majority
from littlestone.theory.game.players import OnlineLearner

Functions = Sequence[Hypothesis[Any]]

MOST = 24  # the most functions of a class that are compared with each other


def functions(H: Class) -> list[Hypothesis[Any]]:
    """Functions that a class produces: SOAs, hypotheses, votes, and functions changed and restored.

    Equal functions come from several places, so they may be written in several ways.

    >>> from littlestone.classes import Thresholds
    >>> len(functions(Thresholds.on(0, 9))) > len(set(functions(Thresholds.on(0, 9))))
    True
    """
    found: list[Hypothesis[Any]] = []
    for V in version_spaces(H, most=8):
        if 0 <= V.littlestone_dimension() < math.inf:
            found.append(V.soa())
    if isinstance(H, Enumerable) and H.size is not None:
        found += [H.hypothesis(i) for i in range(min(H.size, 8))]
    voters = list(dict.fromkeys(found))[:4]
    votes = [majority(some) for some in combinations(voters, 3)]
    twice = [_flipped_twice(h, points(H, few=2)[:2]) for h in voters]
    # A vote may be a function of another kind, whose forms are not compared with these.
    kinds = set(map(type, found))
    found += [h for h in (*votes, *twice) if h is not None and type(h) in kinds]
    return found[:MOST]


def _flipped_twice(h: Hypothesis[Any], places: list[Any]) -> Hypothesis[Any] | None:
    before = {x: h(x) for x in places}
    once = h.patch({x: (y + 1) % h.labels for x, y in before.items()})
    return None if once is None else once.patch(before)


def labels_are_numbers(given: Functions) -> None:
    """h(x) is one of the labels 0, ..., k, and calling h changes nothing."""
    for h in given:
        before = repr(h)
        for x in domain_points(h.domain):
            y = h(x)
            expect(type(y) is int and y in label_range(h), "h(x) is a label", h=h, x=x, y=repr(y))
            expect(h(x) == y, "h(x) = h(x), asked twice", h=h, x=x)
        expect(repr(h) == before, "asking for a label changes nothing", h=h)


def equality_is_of_functions(given: Functions) -> None:
    """Equal iff f(x) = g(x) for all x; equal functions look alike, and others differ at a witness."""
    for f, g in combinations([*given, *islice(given, 1)], 2):
        if (f.domain, f.labels) != (g.domain, g.labels):
            expect(
                f != g, "functions on different domains, or to different labels, differ", f=f, g=g
            )
            continue
        tried, size = domain_points(f.domain), f.domain.size
        equal, differing = f == g, [x for x in tried if f(x) != g(x)]
        expect(equal == (g == f), "equality is symmetric", f=f, g=g)
        if equal:
            expect(not differing, "equal functions agree everywhere", f=f, g=g, x=differing[:1])
            expect(hash(f) == hash(g), "equal functions have one hash", f=f, g=g)
            expect(f.words() == g.words(), "equal functions have the same words", f=f, g=g)
            same = json.dumps(f.to_json()) == json.dumps(g.to_json())
            expect(same, "equal functions have one JSON form", f=f, g=g)
        elif f.canonical and size is not None and len(tried) == size:
            expect(bool(differing), "functions that agree everywhere are equal", f=f, g=g)
        if type(f) is type(g):
            try:
                x = disagreement(f, g)
            except DeclarationError:  # a point may exist but be too hard to find
                expect(not equal and not differing, "disagreement(f, g) finds a point", f=f, g=g)
                continue
            law = "disagreement(f, g) is None iff f == g"
            expect((x is None) == equal or not f.canonical, law, f=f, g=g, x=x)
            if x is not None:
                law = "disagreement(f, g) is a point where they differ"
                expect(x in f.domain and f(x) != g(x), law, f=f, g=g, x=x)


def forms_round_trip(given: Functions) -> None:
    """A function is read back from its JSON form and from a pickle, and it has words."""
    for h in given:
        form = json.loads(json.dumps(h.form()))
        back = type(h).from_form(h.domain, form)
        expect(back == h and repr(back) == repr(h), "from_form(form()) = h", h=h, back=repr(back))
        expect(hash(back) == hash(h), "from_form(form()) has the hash of h", h=h)
        pickled = pickle.loads(pickle.dumps(h))
        expect(pickled == h and hash(pickled) == hash(h), "unpickling gives an equal h", h=h)
        expect(bool(h.words()), "a hypothesis says itself in words", h=h)


FUNCTION_LAWS: tuple[Callable[[Functions], None], ...] = (
    labels_are_numbers,
    equality_is_of_functions,
    forms_round_trip,
)


def functions_are_values(H: Class) -> None:
    """The functions that a class produces obey the laws of functions."""
    found = functions(H)
    for law in FUNCTION_LAWS:
        law(found)


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
