"""The generic error ball against brute force, and planted errors in it."""

from __future__ import annotations

import inspect
import random
from collections.abc import Callable
from itertools import product
from types import ModuleType
from typing import Any

import pytest

from each import each
from littlestone.base.discovery import concrete
from littlestone.base.errors import LittlestoneError, TooLargeError
from littlestone.classes import FiniteClass, HypothesisClass, Points, Thresholds, base
from littlestone.data import sample
from littlestone.data.sample import Sample
from littlestone.points import Integers, Strings

CLASSES: list[HypothesisClass[Any]] = [
    *FiniteClass.examples(),
    Thresholds.on(0, 6),
    Thresholds.on(0, 6).restrict(3, 1),
    Points(Integers()),
    Points(Integers(), exactly=True).restrict(0, 0),
    Points(Strings()).restrict("v1", 1),
    Points(Strings()).restrict("v1", 1).restrict("v1", 0),
]


def labellings(V: HypothesisClass[Any], points: list[Any]) -> set[tuple[int, ...]]:
    """How the hypotheses of V label the points, by trying all labels."""
    found = set()
    for labels in product(range(V.labels), repeat=len(points)):
        W = V
        for x, y in zip(points, labels, strict=True):
            W = W.restrict(x, y)
        if not W.is_empty():
            found.add(labels)
    return found


def failures(
    error_ball: Callable[..., list[tuple[Any, int]]], kind: type[Sample[Any]] = Sample
) -> list[object]:
    rng = random.Random(2)
    wrong: list[object] = []
    for H in CLASSES * 4:
        points = H.domain.examples(5)
        some = [x for x in points if rng.random() < 0.7]
        counts = {x: [rng.randrange(3) for _ in range(H.labels)] for x in some}
        for most in range(-1, 6):
            expected = []
            for labels in labellings(H, points):
                by_point = dict(zip(points, labels, strict=True))
                errors = sum(sum(count) - count[by_point[x]] for x, count in counts.items())
                expected += [(labels, errors)] if errors <= most else []
            ball = error_ball(H, kind.from_counts(H.domain, counts, labels=H.labels), most)
            cells = [(labels, e) for V, e in ball for labels in labellings(V, points)]
            same = all(len(labellings(V, list(counts))) == 1 for V, _ in ball)
            if sorted(cells) != sorted(expected) or not same:
                wrong.append((H, counts, most))
    return wrong


def test_error_balls() -> None:
    assert failures(lambda H, sample, most: H.error_ball(sample, most)) == []


@pytest.mark.deep
@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("self.n - int(most.sum())", "0"),
        ("most[:, None] - self.counts", "self.counts - self.counts.min(axis=1, keepdims=True)"),
        ("if unavoidable <= max_errors else []", ""),
        ("if V.is_empty():\n                continue", "if False:\n                continue"),
        ("if errors + cost <= max_errors", "if errors + cost < max_errors"),
        ("dict(costs)[h(x)]", "max(dict(costs).values()) - dict(costs)[h(x)]"),
        ("steps[depth:]", "steps"),
        ("V.is_single()", "V.littlestone_dimension() == 1"),
        ("(V, errors)] if errors <= max_errors else []", "(V, errors)]"),
    ],
)
def test_a_broken_walk_is_caught(old: str, new: str) -> None:
    module = base if old in inspect.getsource(base) else sample
    text = inspect.getsource(module)
    assert old in text
    broken = ModuleType(module.__name__)
    exec(compile(text.replace(old, new), "broken", "exec"), broken.__dict__)
    try:
        if module is base:
            caught = bool(failures(broken.HypothesisClass.error_ball))
        else:
            caught = bool(failures(base.HypothesisClass.error_ball, broken.Sample))
    except LittlestoneError:
        caught = True
    assert caught


KINDS: list[Any] = concrete(HypothesisClass, "littlestone.classes")


@each("kind", KINDS)
def test_a_limit_of_version_spaces(kind: Any) -> None:
    for H in kind.examples():
        points = H.domain.examples(4)
        examples = [(x, i % 2) for i, x in enumerate(points)]
        some = Sample.from_examples(H.domain, examples, labels=H.labels)
        ball = H.error_ball(some, len(points))
        assert H.error_ball(some, len(points), most=H.labels ** (len(points) + 1)) == ball
        if ball:
            with pytest.raises(TooLargeError):
                H.error_ball(some, len(points), most=len(ball) - 1)
