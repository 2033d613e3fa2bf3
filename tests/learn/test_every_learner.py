"""Every learner found by walking the package, on every kind of class: no sample raises or is shown.

A learner that is added later is tested here without a line.
"""

from __future__ import annotations

import logging
import pickle
import warnings
from functools import cache
from typing import Any

import pytest

from each import each
from littlestone.base.discovery import concrete
from littlestone.base.errors import DeclarationError, TooLargeError
from littlestone.classes import FiniteClass, HypothesisClass, parse_class
from littlestone.data import Label, sample_from_arrays
from littlestone.learn import ExponentialLearner, PrivateLearner, Release
from littlestone.learn.bits import BitwiseLearner
from littlestone.learn.stream.base import PrivateOnlineLearner
from littlestone.privacy import Budget
from littlestone.privacy.ledger import Ledger
from littlestone.privacy.randomness import seeded_generator
from littlestone.rules import Hypothesis

# Two labels have no bits: those learners have tests of their own, as all have of several labels.
LEARNERS: list[type[Any]] = [
    *(
        kind
        for kind in concrete(PrivateLearner, "littlestone.learn")  # type: ignore[type-abstract]
        if not issubclass(kind, BitwiseLearner)
    ),
    *concrete(PrivateOnlineLearner, "littlestone.learn"),  # type: ignore[type-abstract]
]

CLASSES: list[HypothesisClass[Any]] = [
    FiniteClass.from_array([[0, 1, 1], [1, 0, 0], [1, 1, 0], [0, 0, 0]], points=["a", "b", "c"]),
    *map(
        parse_class,
        [
            "points(id)",
            "points(id; integers)",
            "subsets(id; at most 2)",
            "rules(a, b; at most 2)",
            "rule_sets(a, b; at most 2 rules of 1)",
            "thresholds(x, -1..2; step 0.5)",
            "affine(x, y; q 5, dimension 1)",
            "lookup(id; at most 2)",
            "conditions(x at {0, 1}, w; at most 2)",
            "trees(x at {0, 1}; depth 2)",
            "trees(w, x at {0, 1}; depth 1)",
            "score_sheet(x at {0, 1}, v at {0, 1}; at most 2)",
            "union(thresholds(x, 0..99999), intervals(x, 0..99999))",
            "rule_list(x at {0, 1}; at most 2)",
        ],
    ),
]

# Where there are several columns, one that is no list is a record of the first of them only.
WILD: list[Any] = [
    None, "", "?", float("nan"), float("inf"), -float("inf"), -0.0, 10**5000, -(10**30), "9" * 5000,
    "1e999999999", True, b"\xff", "\ud800", "a\n\0", 1j, [], [[1]], ["a", "a", "a"], {"a": 1},
    object(), ("a",), "a",
]  # fmt: skip

SAMPLES: dict[str, tuple[list[Any], list[Any]]] = {
    "one record": ([1], [1]),
    "no label is positive": ([0, 1, 2] * 20, [0] * 60),
    "every label is positive": ([0, 1, 2] * 20, [1] * 60),
    "every point has both labels": ([0, 0, 1, 1, 2, 2] * 15, [0, 1] * 45),
    "each record has a point of its own": (list(range(90)), [1] * 90),
    "labels alternate": (list(range(90)), [0, 1] * 45),
    "two points are as good": ([1, 2, 3] * 30, [1, 1, 0] * 30),
    "every value is missing": ([None, "", float("nan")] * 20, [1, 0, 1] * 20),
    "values of every kind": (WILD * 4, [0, 1] * (2 * len(WILD))),
    "labels of every kind": ([1, 2] * (2 * len(WILD)), WILD * 4),
    "wild and positive": (WILD * 4, [1] * (4 * len(WILD))),
}


def learner_of(kind: type[Any], H: HypothesisClass[Any]) -> Any:
    """None where the learner does not apply, which it says when it is made."""
    options = {"horizon": 100} if issubclass(kind, PrivateOnlineLearner) else {}
    try:
        learner = kind(H, Budget(1, "0.01"), **options)
        if isinstance(learner, PrivateLearner):  # a refusal of n comes before any spend
            learner.require_affordable(max(len(xs) for xs, _ in SAMPLES.values()))
    except (DeclarationError, TooLargeError):
        return None
    return learner


@cache
def applicable() -> list[tuple[type[Any], HypothesisClass[Any]]]:
    return [(kind, H) for kind in LEARNERS for H in CLASSES if learner_of(kind, H) is not None]


def is_whole(learner: Any, xs: list[Any], ys: list[Any]) -> bool:
    """Whether the learner makes something of the records that its file brings back."""
    domain, rng = learner.hypotheses.domain, seeded_generator(1)
    width = len(domain.column_names)
    # A number stands for a record of as many columns as there are.
    records = [[x] * width if width > 1 and type(x) is int else x for x in xs]
    with Ledger() as ledger:
        if isinstance(learner, PrivateLearner):
            sample = sample_from_arrays(records, ys, domain)
            release = learner.fit(sample, ledger=ledger, dataset="d", rng=rng)
            return release.n == len(xs) and Release.from_json(release.to_json()) == release
        stream = learner.start(ledger=ledger, dataset="d", rng=rng)
        for x, y in zip(records, ys, strict=True):
            stream.update(domain.encode(x), Label.parse("y", 1)(y))
        h = stream.hypothesis
        return bool(stream.steps == min(len(xs), 100) and Hypothesis.from_json(h.to_json()) == h)


LEDGER = "littlestone.privacy.ledger"


def faults(kind: type[Any], H: HypothesisClass[Any], capfd: Any, caplog: Any) -> list[str]:
    """What comes out of the learner beside what is whole, of every sample."""
    learner, found = learner_of(kind, H), list[str]()
    caplog.set_level(logging.DEBUG)
    for name, (xs, ys) in SAMPLES.items():
        with warnings.catch_warnings(record=True) as warned:
            warnings.simplefilter("always")
            try:
                found += [] if is_whole(learner, xs, ys) else [f"{name}: not whole"]
            except Exception as error:
                found.append(f"{name}: {error!r}")
        found += [f"{name}: {warning.message}" for warning in warned]
    # The ledger says what is spent, for every sample alike: `tests/test_logging.py`.  The compiler
    # says what it compiles.
    logged = [r.getMessage() for r in caplog.records if not r.name.startswith((LEDGER, "numba"))]
    return found + [text for text in (*capfd.readouterr(), *logged) if text]


@pytest.mark.parametrize("kind", LEARNERS, ids=lambda kind: kind.method)
@each("H", CLASSES, quick=5)
def test_no_sample_raises_or_is_shown(
    kind: type[Any], H: HypothesisClass[Any], capfd: Any, caplog: Any
) -> None:
    if learner_of(kind, H) is not None:
        assert faults(kind, H, capfd, caplog) == []


def test_every_learner_has_a_class_and_every_class_a_learner() -> None:
    assert {kind for kind, _ in applicable()} == set(LEARNERS)
    assert {str(H) for _, H in applicable()} == set(map(str, CLASSES))


@each(("kind", "H"), applicable, ids=lambda made: getattr(made, "method", str(made)), quick=5)
def test_a_learner_that_has_learned_can_be_pickled(
    kind: type[Any], H: HypothesisClass[Any]
) -> None:
    learner = learner_of(kind, H)
    assert is_whole(learner, *SAMPLES["two points are as good"])
    again = pickle.loads(pickle.dumps(learner))
    assert (again.event, again.hypotheses) == (learner.event, learner.hypotheses)


class RefusesOneLabel(ExponentialLearner[Any]):
    """As most libraries do."""

    def draw(self, sample: Any, **options: Any) -> Any:
        if not (sample.positives.any() and sample.negatives.any()):
            raise ValueError("y has one class only")
        return super().draw(sample, **options)


class Prints(ExponentialLearner[Any]):
    def draw(self, sample: Any, **options: Any) -> Any:
        if sample.positives.max() > 20:
            print("many positives at", sample.points[sample.positives.argmax()])  # noqa: T201
        return super().draw(sample, **options)


class Warns(ExponentialLearner[Any]):
    def draw(self, sample: Any, **options: Any) -> Any:
        if len(sample.points) == 1:
            warnings.warn("all records are alike", stacklevel=2)
        return super().draw(sample, **options)


class Logs(ExponentialLearner[Any]):
    def draw(self, sample: Any, **options: Any) -> Any:
        logging.getLogger("littlestone").debug("%d distinct points", len(sample.points))
        return super().draw(sample, **options)


class Skips(ExponentialLearner[Any]):
    """A record whose value is missing does not count."""

    def fit(self, sample: Any, **options: Any) -> Release:
        known = [(x, y) for x, y in zip(sample.points, sample.positives, strict=True) if x != "a"]
        return super().fit(
            type(sample).from_examples(sample.domain, known or [("b", 0)]), **options
        )


@pytest.mark.deep
@pytest.mark.parametrize("kind", [RefusesOneLabel, Prints, Warns, Logs, Skips])
def test_a_learner_that_shows_more_is_caught(kind: type[Any], capfd: Any, caplog: Any) -> None:
    assert faults(ExponentialLearner, CLASSES[0], capfd, caplog) == []
    assert faults(kind, CLASSES[0], capfd, caplog) != []
