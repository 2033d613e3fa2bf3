"""The generic error ball against brute force, and planted errors in it; the rows of verify."""

from __future__ import annotations

import inspect
import random
from collections.abc import Callable
from itertools import product
from types import ModuleType
from typing import Any

import pytest

from littlestone.classes import FiniteClass, HypothesisClass, Points, Thresholds, base
from littlestone.discovery import concrete
from littlestone.domains import Integers, Strings
from littlestone.errors import LittlestoneError, TooLargeError
from littlestone.sample import Sample
from littlestone.verify import lyu25
from littlestone.verify.statement import Statement

CLASSES: list[HypothesisClass[Any]] = [
    *FiniteClass.examples(),
    Thresholds.on(0, 6),
    Thresholds.on(0, 6).restrict(3, 1),
    Points(Integers()),
    Points(Integers(), zero=False).restrict(0, 0),
    Points(Strings()).restrict("v1", 1),
    Points(Strings()).restrict("v1", 1).restrict("v1", 0),
]
ROWS = [row for row in vars(lyu25).values() if isinstance(row, Statement)]


def labellings(V: HypothesisClass[Any], points: list[Any]) -> set[tuple[int, ...]]:
    """How the hypotheses of V label the points, by trying all labels."""
    found = set()
    for labels in product((0, 1), repeat=len(points)):
        W = V
        for x, y in zip(points, labels, strict=True):
            W = W.restrict(x, y)
        if not W.is_empty():
            found.add(labels)
    return found


def failures(error_ball: Callable[..., list[tuple[Any, int]]]) -> list[object]:
    rng = random.Random(2)
    wrong: list[object] = []
    for H in CLASSES * 4:
        points = H.domain.examples(5)
        counts = {x: [rng.randrange(3), rng.randrange(3)] for x in points if rng.random() < 0.7}
        for most in range(-1, 6):
            expected = []
            for labels in labellings(H, points):
                by_point = dict(zip(points, labels, strict=True))
                errors = sum(count[1 - by_point[x]] for x, count in counts.items())
                expected += [(labels, errors)] if errors <= most else []
            ball = error_ball(H, Sample.from_counts(H.domain, counts), most)
            cells = [(labels, e) for V, e in ball for labels in labellings(V, points)]
            same = all(len(labellings(V, list(counts))) == 1 for V, _ in ball)
            if sorted(cells) != sorted(expected) or not same:
                wrong.append((H, counts, most))
    return wrong


@pytest.mark.slow
def test_error_balls() -> None:
    assert failures(lambda H, sample, most: H.error_ball(sample, most)) == []


@pytest.mark.slow
@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("int(np.minimum(sample.negatives, sample.positives).sum())", "0"),
        ("if unavoidable <= max_errors else []", ""),
        ("if V.is_empty():\n                continue", "if False:\n                continue"),
        ("if errors + cost <= max_errors", "if errors + cost < max_errors"),
        ("if h(x) != often", "if h(x) == often"),
        ("steps[depth:]", "steps"),
        ("int(difference[j] > 0)", "int(difference[j] < 0)"),
        ("V.is_single()", "V.littlestone_dimension() == 1"),
        ("(V, errors)] if errors <= max_errors else []", "(V, errors)]"),
    ],
)
def test_a_broken_walk_is_caught(old: str, new: str) -> None:
    text = inspect.getsource(base)
    assert old in text
    broken = ModuleType(base.__name__)
    exec(compile(text.replace(old, new), "base", "exec"), broken.__dict__)
    try:
        caught = bool(failures(broken.HypothesisClass.error_ball))
    except LittlestoneError:
        caught = True
    assert caught


@pytest.mark.slow
@pytest.mark.parametrize("row", ROWS, ids=lambda row: str(row.name))
def test_every_statement_holds(row: Statement) -> None:
    assert row().holds


KINDS: list[type[HypothesisClass[Any]]] = concrete(HypothesisClass, "littlestone.classes")  # type: ignore[type-abstract]


@pytest.mark.parametrize("kind", KINDS)
def test_a_limit_of_version_spaces(kind: type[HypothesisClass[Any]]) -> None:
    for H in kind.examples():
        points = H.domain.examples(4)
        sample = Sample.from_examples(H.domain, [(x, i % 2) for i, x in enumerate(points)])
        ball = H.error_ball(sample, len(points))
        assert H.error_ball(sample, len(points), most=2 ** (len(points) + 1)) == ball
        if ball:
            with pytest.raises(TooLargeError):
                H.error_ball(sample, len(points), most=len(ball) - 1)
