from __future__ import annotations

import pickle
import time
from typing import Any

import numpy as np
import pytest

from each import each
from littlestone.base.discovery import concrete
from littlestone.classes import FiniteClass, HypothesisClass, Points, Thresholds, parse_class
from littlestone.classes.promises.by_table import NoVersionSpaces
from littlestone.classes.text.declared import DeclaredClass
from littlestone.points import Grid, Integers, Reals, Strings
from littlestone.prove.laws import Check, yield_checks

KINDS: list[Any] = concrete(HypothesisClass, "littlestone.classes")
EXAMPLES: list[HypothesisClass[Any]] = [H for kind in KINDS for H in kind.examples()]
CHECKS: dict[tuple[str, str], list[Check]] = {}
for H in EXAMPLES:
    for check in yield_checks(H):
        CHECKS.setdefault((type(H).__name__, check.name), []).append(check)


@pytest.mark.parametrize("checks", CHECKS.values(), ids=map("-".join, CHECKS))
def test_the_first_example_of_every_class_obeys_every_law(checks: list[Check]) -> None:
    checks[0]()


@pytest.mark.deep
@pytest.mark.parametrize("kind", dict.fromkeys(kind for kind, _ in CHECKS))
def test_every_example_of_a_class_obeys_every_law(kind: str) -> None:
    """The first one was asked above; a broken law names the example."""
    for (name, _), checks in CHECKS.items():
        for check in checks[1:] if name == kind else ():
            check()


@each("H", EXAMPLES)
def test_the_text_of_a_class_that_parses_gives_it_back_by_its_keyword(H: Any) -> None:
    if str(H).startswith(f"{H.keyword}(") and str(H).endswith(")"):
        assert parse_class(str(H), H.labels) == H


def test_keywords_are_distinct() -> None:
    keywords = [kind.keyword for kind in KINDS if issubclass(kind, DeclaredClass)]
    assert len(set(keywords)) == len(keywords)


@pytest.mark.parametrize(
    "kind",
    [kind for kind in KINDS if not issubclass(kind, NoVersionSpaces)],
    ids=lambda kind: kind.__name__,
)
def test_every_class_has_examples(kind: Any) -> None:
    assert kind.examples()
    assert all(type(H) is kind for H in kind.examples())


INFINITE_AND_HUGE: list[HypothesisClass[Any]] = [
    Points(Strings("merchant"), exactly=True),
    Points(Integers()).restrict(10**30, 0),
    Points(Strings()).restrict("a", 1).restrict("a", 0),
    Thresholds.over(Reals()),
    Thresholds.over(Reals()).restrict(0, 1).restrict(-1, 0),
    Thresholds.over(Reals()).restrict(0, 1).restrict(0, 0),
    Thresholds.over(Grid(0, 2**64 - 1)),
    Thresholds.over(Grid(-(2**63), 2**63 - 1)).restrict(17, 0),
    Thresholds.on(0, 100).restrict(50, 1).restrict(50, 0),
]


@pytest.mark.parametrize("H", INFINITE_AND_HUGE, ids=str)
def test_huge_infinite_and_empty_classes_are_checked_in_a_moment(H: HypothesisClass[Any]) -> None:
    for check in yield_checks(H):
        if check.name != "encode_is_total":  # of the domain alone; it runs on the examples
            start = time.process_time()
            check()
            assert time.process_time() - start < 5, check


@pytest.mark.parametrize("seed", range(30))
def test_random_tables_obey_every_law(seed: int) -> None:
    rng = np.random.default_rng([2, seed])
    shape = int(rng.integers(1, 14)), int(rng.integers(1, 7))
    H = FiniteClass.from_array((rng.random(shape) < rng.choice([0.2, 0.5])).astype(int))
    for check in yield_checks(H):
        if check.name != "encode_is_total":
            check()


def test_checks_have_names_and_can_be_run_again_and_elsewhere() -> None:
    checks = list(yield_checks(Thresholds.on(0, 9)))
    assert len({check.name for check in checks}) == len(checks) == 30
    for check in checks:
        check()
        pickle.loads(pickle.dumps(check))()
