"""Laws of hypotheses: functions that are equal exactly when they agree everywhere."""

from __future__ import annotations

import json
import math
import pickle
from collections.abc import Callable, Sequence
from itertools import combinations, islice
from typing import Any

from littlestone.base.errors import DeclarationError
from littlestone.classes.base import Enumerable
from littlestone.prove.laws.law import (
    Class,
    domain_points,
    expect,
    label_range,
    points,
    version_spaces,
)
from littlestone.rules import Hypothesis, disagreement, majority

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
